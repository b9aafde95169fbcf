"""The budgets of single users and conversations: what each has used of its own, kept up per write.

An allowance is a budget inside the tenant's: tokens that the live memories about one person (``subjects``), or of one
session, may weigh together. A memory about two people counts whole against both.

Guarantees: as the tenant's budget (I1), it holds in every committed state: what one write leaves above it is found in
the write's own transaction, before the commit. The sums are worked out from the graph once for each writer and then
moved by what each committed unit of work gained and lost; they are of the tenant's sequence number that every write
compares and sets, so a stale sum makes a write start again and never go wrong. Nothing is stored: no name of a person
is kept that an erasure would have to find.

Source: MaRS sections 3.2.7 and 7.1; issue C (budgets per user and conversation).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from marskg.ontology.vocabulary import Tier
from marskg.store import codec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from marskg.store.engine import Row
    from marskg.store.unit import Reader, Unit

USER: Final = "user"
CONVERSATION: Final = "conversation"
_PAGE: Final = 2_000


class Holder(NamedTuple):
    """Whose budget: ``sort`` is ``user`` or ``conversation``, ``name`` a subject or a session."""

    sort: str
    name: str


#: Tokens by holder.
Weights: TypeAlias = "Counter[Holder]"


@dataclass(frozen=True, slots=True)
class Allowance:
    """One holder's budget and what counts against it, in tokens."""

    holder: Holder
    budget: int
    weight: int


def holders_of(subjects: Iterable[str], session: str | None) -> Iterator[Holder]:
    """Yield whose budgets a memory counts against."""
    for subject in subjects:
        yield Holder(USER, subject)
    if session is not None:
        yield Holder(CONVERSATION, session)


def changes(unit: Unit) -> Weights:
    """Return by how much ``unit`` moves what each holder's live memories weigh."""
    found: Weights = Counter()
    for node in unit.nodes.values():
        row, memory = node.original, node.memory
        if not node.new and row["tier"] == Tier.LIVE:
            for holder in holders_of(row.get("subjects") or (), row.get("session")):
                found[holder] -= row["weight"]
        if not node.deleted and memory.tier is Tier.LIVE:
            for holder in holders_of(memory.subjects, memory.session):
                found[holder] += memory.weight
    return found


class Allowances:
    """What each holder's live memories weigh, as of the last committed unit."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._weights: Weights | None = None

    def forget(self) -> None:
        """Drop the sums; another writer was here, or nothing asks for them."""
        self._weights = None

    def load(self, read: Reader, tenant: str) -> Weights:
        """Return the sums of the committed state; they are counted from the graph where they are not known."""
        if self._weights is None:
            found: Weights = Counter()
            for row in live_rows(read, tenant):
                for holder in holders_of(row["subjects"] or (), row["session"]):
                    found[holder] += row["weight"]
            self._weights = found
        return self._weights

    def settle(self, unit: Unit) -> None:
        """Take note of a committed unit."""
        if not unit.state.settings.partitions.allowances:
            self.forget()
        elif self._weights is not None:
            for holder, change in changes(unit).items():
                self._weights[holder] += change
                if not self._weights[holder]:
                    del self._weights[holder]

    def exceeded(self, units: Sequence[Unit], read: Reader) -> Allowance | None:
        """Return the first allowance that ``units``, on top of the committed state, leave exceeded; None if all hold.

        Conversations come before users, each by name.
        """
        state = units[-1].state
        budgets = state.settings.partitions.allowances
        if not budgets:
            return None
        known = self.load(read, state.name)
        moved: Weights = Counter()
        for unit in units:
            moved.update(changes(unit))
        # Only what grew can be above its budget, unless a budget fell.
        lowered = units[0].before.settings.partitions.allowances != budgets
        for holder in sorted({*known, *moved} if lowered else moved):
            weight = known[holder] + moved[holder]
            if weight > budgets.get(holder.sort, weight):
                return Allowance(holder, budgets[holder.sort], weight)
        return None


def live_rows(read: Reader, tenant: str) -> Iterator[Row]:
    """Yield ``id``, ``subjects``, ``session`` and ``weight`` of each live memory, in one order."""
    low, high = f"{tenant}|", f"{tenant}}}"
    while True:
        rows = read("live_holders", {"low": low, "high": high, "limit": _PAGE})
        yield from rows
        if len(rows) < _PAGE:
            return
        low = f"{rows[-1]['ref']}\x01"


def held_by(read: Reader, tenant: str, holder: Holder) -> frozenset[str]:
    """Return the ids of the live memories that count against a holder's budget."""
    if holder.sort == CONVERSATION:
        rows = read("conversation", {"session": codec.session_key(tenant, holder.name)})
        return frozenset(row["id"] for row in rows if row["tier"] == Tier.LIVE)
    return frozenset(row["id"] for row in live_rows(read, tenant) if holder.name in (row["subjects"] or ()))


def outside(read: Reader, tenant: str, inside: frozenset[str]) -> frozenset[str]:
    """Return the ids of the other live memories."""
    return frozenset(row["id"] for row in live_rows(read, tenant) if row["id"] not in inside)


def shown(weights: Weights, budgets: Mapping[str, int], most: int = 5) -> dict[str, dict[str, object]]:
    """Return for each sort of holder its budget, how many holders there are, and the fullest of them."""
    found: dict[str, dict[str, object]] = {}
    for sort, budget in budgets.items():
        mine = sorted(((-weight, holder.name) for holder, weight in weights.items() if holder.sort == sort))
        fullest = [{"name": name, "weight": -weight} for weight, name in mine[:most]]
        found[sort] = {"budget": budget, "holders": len(mine), "fullest": fullest}
    return found
