"""Signing the row of a tenant that was made before rows were signed.

Guarantees: it is done once, by the first to open the tenant with the key, under a signed record that says so; a row
whose log says that it is signed is never signed again by opening it (:mod:`marskg.store.commit.signed_state`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.errors import KeyUnusable
from marskg.ontology.vocabulary import Operation
from marskg.store.commit.signed_state import MARK, says_signed, sign_anew
from marskg.store.unit.reader import GraphReader

if TYPE_CHECKING:
    from marskg.store.commit.writer import Writer
    from marskg.store.unit.unit_of_work import Unit


def begin(writer: Writer) -> None:
    """Sign the row of a tenant that was made before rows were signed, if the key is at hand."""
    reader = GraphReader(writer.engine, writer.tenant)
    if writer.state.stated is not None or any(map(says_signed, reader.records("t"))):
        return

    def work(unit: Unit) -> None:
        sign_anew(unit)
        unit.audit.note(Operation.MIGRATE, parameters=(MARK,))

    try:
        writer.run(work)
    except KeyUnusable:
        writer.forget_half_built()  # who has the key signs it; until then verification says that it is not signed
