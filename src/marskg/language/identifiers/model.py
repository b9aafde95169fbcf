"""What the table of identifiers is made of: kinds, rows with their samples, and what is found in a text.

Guarantees: plain data; a finding points into the text that was read, and holds nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Kind(StrEnum):
    """A kind of identifier, the gravest first: where two overlap, the first of them stands.

    All but ``REFERENCE`` are of people, or let somebody in. A reference names a thing: a link, a ticket, a digest, a
    long number that nobody explains. It is nothing that a reader is kept from, and nothing that a summary repeats.
    """

    SECRET = "secret"  # noqa: S105 - the name of a kind
    CARD = "card"
    NATIONAL_ID = "national_id"
    ACCOUNT = "account"
    ADDRESS = "address"
    BIRTH_DATE = "birth_date"
    EMAIL = "email"
    PHONE = "phone"
    IDENTIFIER = "identifier"
    NETWORK = "network"
    REFERENCE = "reference"


#: What a summary says in the place of an identifier.
SAYS: Final = {
    Kind.SECRET: "(secret)",
    Kind.CARD: "(card number)",
    Kind.NATIONAL_ID: "(number)",
    Kind.ACCOUNT: "(account number)",
    Kind.ADDRESS: "(postal address)",
    Kind.BIRTH_DATE: "(date of birth)",
    Kind.EMAIL: "(e-mail address)",
    Kind.PHONE: "(phone number)",
    Kind.IDENTIFIER: "(identifier)",
    Kind.NETWORK: "(network address)",
    Kind.REFERENCE: "(identifier)",
}
_RANK: Final = {kind: place for place, kind in enumerate(Kind)}


def _any(_value: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Identifier:
    """A row of the table.

    ``sample`` is a text in which the identifier stands between braces, and ``counter`` one that only looks like it and
    in which nothing is found. ``valid`` says of what stands in the braces whether its form and its check digits are
    right, so that others of its sort can be made from the sample.
    """

    name: str
    kind: Kind
    sample: str
    counter: str
    valid: Callable[[str], bool] = _any

    @property
    def parts(self) -> tuple[str, str, str]:
        """Return what stands before the identifier, itself, and what stands behind it."""
        before, _, rest = self.sample.partition("{")
        value, _, behind = rest.rpartition("}")
        return before, value, behind


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """An identifier at ``[start, end)``: its kind, and the name of the row that knew it.

    ``words`` are said in its place; ``hidden`` is set where it was only seen in another form of the text.
    """

    start: int
    end: int
    kind: Kind
    rule: str
    words: str = ""
    hidden: bool = False

    @property
    def says(self) -> str:
        """Return what a summary says in its place."""
        return self.words or SAYS[self.kind]


def apart(found: Iterable[Found]) -> list[Found]:
    """Return findings without overlaps, in the order of the text; the gravest of several stands, and covers all."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end, _RANK[one.kind], one.rule)):
        if kept and one.start < kept[-1].end:
            first = min(kept[-1], one, key=lambda one: _RANK[one.kind])
            kept[-1] = replace(first, start=kept[-1].start, end=max(kept[-1].end, one.end))
        else:
            kept.append(one)
    return kept
