"""Ways of tampering with an exported audit without its signing key, as one table, and the export that they change.

The export has everything that a log can hold: memories written, superseded, forgotten, erased and sealed away, keys
rotated, showings and what became of them, signed heads. Each way changes a copy, as N-Quads or as JSON-LD, and says
under which code ``mars verify --export`` has to find it; the outsider's script has to find it as well. ``LIMIT`` are
the ways that only a witness can show, and ``HARMLESS`` those that change a spelling and no statement.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import pyoxigraph as ox
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from marskg.audit.dataintegrity import Signer
from marskg.audit.document import (
    head_lines,
    record_lines,
)
from marskg.audit.merkle import root_hash
from marskg.audit.record import build_head, build_record
from marskg.clock import SeededSource
from marskg.ontology.vocabulary import NS, Operation

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from marskg.memory import AgentMemory
    from marskg.records import AuditRecord, TreeHead
    from tests.support.stores import Stores

#: What a way ends in, besides the code of a finding.
LIMIT, HARMLESS = "only a witness can show it", "says the same"
_DAY = 86_400_000


class Way(NamedTuple):
    """One way of tampering: what it does to the text of an export, and how it has to be found."""

    name: str
    run: Callable[[Evidence], str]
    code: str


# --- The export --------------------------------------------------------------------------------------------------


def full_life(stores: Stores, tenant: str, halfway: Callable[[AgentMemory], object]) -> AgentMemory:
    """Return a tenant in whose logs everything happened that an export can tell of; ``halfway`` is before erasures."""
    memory = stores.open(tenant)
    clock = stores.clock(memory)
    memory.remember("Bea drinks coffee", kind="semantic", key="drink", subjects=["bea"], ttl="900d")
    first = memory.remember("Bea moved to Lund", subjects=["bea"], mentions=["Lund"], ttl="900d")
    memory.control.record_access([first.id], purpose="support")
    memory.audit.sign_head()
    clock.advance(_DAY)
    memory.maintenance.confirm_clock()
    moment = memory.now()
    clock.advance(_DAY)
    memory.remember("Bea drinks tea", kind="semantic", key="drink", subjects=["bea"], ttl="900d")
    kept = memory.remember("The tomatoes are ripe", ttl="900d")
    memory.remember("The kettle is on", ttl="900d")
    shown = memory.retrieve("What is ripe?")
    memory.feedback(shown.id or "", used=[kept.id])
    memory.settings.set_budget(14)
    memory.audit.sign_head()
    memory.audit.rotate_key()
    memory.remember("Rolf called", subjects=["rolf"], ttl="900d")
    halfway(memory)
    memory.erase(subject="rolf")
    memory.audit.seal(before=moment)
    said = {"mm": [3, None], "@type": {"@id": "rain"}}
    rain = memory.remember("It rained", ttl="900d", metadata=said)
    memory.settings.set_budget(500)
    memory.control.record_access([rain.id])
    return memory


@dataclass(frozen=True)
class Evidence:
    """An export as it was made, what came before and beside it, and a key that is not the log's."""

    text: str
    #: The same export before anything of it was erased or sealed, and that of another tenant.
    earlier: str
    foreign: str
    log: str
    accesses: str
    records: tuple[AuditRecord, ...]
    shown: tuple[AuditRecord, ...]
    heads: tuple[TreeHead, ...]
    #: Over the whole log, as a witness may have it.
    newest: TreeHead
    mallory: Signer

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Return the numbers of records that ways are about."""
        found = {str(record.operation): record.sequence for record in self.records if record.details[0]}
        empty = (record.sequence for record in self.records if not any(record.salts))
        return {**found, "erased": next(number for number in empty if number > found["rotateKey"])}

    @property
    def document(self) -> Any:
        """Return the export's JSON, to be changed."""
        return json.loads(self.text)

    def named(self, text: str, escape: Callable[[str], str] = str) -> str:
        """Return a text with the log's name for ``@``, and the vocabulary's for a ``$`` that a name follows.

        ``~rotateKey`` is the number of the last such record that has its details, ``~erased`` that of one emptied by
        an erasure.
        """
        for name, number in self.numbers.items():
            text = re.sub(rf"~{name}\b", str(number), text)
        return re.sub(r"\$(?=[A-Za-z\\])", lambda _: escape(NS), text.replace("@", escape(self.log)))

    def edit(self, pattern: str, into: str | Callable[[re.Match[str]], str], count: int = 1) -> str:
        """Return the text with the first places of a pattern replaced, all of them for a ``count`` of 0."""
        pattern = self.named(pattern, escape=re.escape)
        if isinstance(into, str):
            into = self.named(into)
        text, made = re.subn(pattern, into, self.text, count=count, flags=re.MULTILINE)
        assert made, f"nothing to edit: {pattern}"
        return text

    def without(self, pattern: str) -> str:
        """Return the text without any line that begins with a pattern."""
        return self.edit(rf"^{pattern}.*\n", "", count=0)

    def also(self, *lines: str) -> str:
        """Return the text with lines more."""
        body, _, end = self.text.rpartition("# marskg")
        more = "".join(f"{self.named(line)}\n" for line in lines)
        return f"{body}{more}# marskg{end}"

    def forged(self, operation: Operation, number: int = 0, **details: Any) -> AuditRecord:
        """Return a record that continues the log, signed by the key that is not the log's."""
        last = self.records[-1]
        return build_record(
            tenant=last.tenant,
            log=self.log,
            sequence=number or last.sequence + 1,
            operation=operation,
            now=last.recorded_at + 1000,
            record_details={"actor": "operator", **details},
            node_details=[],
            signer=self.mallory,
            source=SeededSource("mallory"),
        )

    def forged_head(self, leaves: list[AuditRecord]) -> TreeHead:
        """Return a head over records, signed by the key that is not the log's."""
        root = root_hash(bytes.fromhex(record.leaf) for record in leaves)
        last = leaves[-1]
        return build_head(
            tenant="", log=last.log, size=len(leaves), root=root, now=last.recorded_at + 1, signer=self.mallory
        )

    def continued(self, *operations: Operation, **details: Any) -> str:
        """Return the text with forged records at the end of the log, and a forged head over all."""
        added = [
            self.forged(operation, self.records[-1].sequence + place, **(details if place == 1 else {}))
            for place, operation in enumerate(operations, 1)
        ]
        lines = [line for record in added for line in record_lines(record)]
        return self.also(*lines, *head_lines(self.forged_head([*self.records, *added])))


def evidence(stores: Stores, folder: Path, suffix: str) -> Evidence:
    """Return the export of a tenant that has lived a full life, in one syntax."""
    memory = full_life(
        stores, f"full-{suffix[1:]}", lambda early: early.export(folder / f"earlier{suffix}", audit=True)
    )
    other = stores.open(f"other-{suffix[1:]}", seed=7)
    other.remember("Somebody else's tomatoes")
    other.control.record_access([])
    for tenant, name in ((memory, "export"), (other, "foreign")):
        tenant.export(folder / f"{name}{suffix}", audit=True)
    records, shown = (tuple(memory.audit.records(log=log)) for log in ("transitions", "accesses"))
    text, earlier, foreign = (
        (folder / f"{name}{suffix}").read_text("utf-8") for name in ("export", "earlier", "foreign")
    )
    return Evidence(
        text,
        earlier,
        foreign,
        records[0].log,
        shown[0].log,
        records,
        shown,
        tuple(memory.audit.heads()),
        memory.audit.sign_head(),
        Signer(Ed25519PrivateKey.from_private_bytes(SeededSource("mallory").token(32))),
    )


def statements(text: str, syntax: ox.RdfFormat) -> frozenset[str]:
    """Return what an RDF processor reads, statement by statement."""
    return frozenset(str(quad) for quad in ox.parse(text, format=syntax))
