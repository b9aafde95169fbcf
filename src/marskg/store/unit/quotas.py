"""The budgets of single users and conversations: what each has used of its own, kept up per write.

A quota is a budget inside the tenant's: tokens that the live memories about one person (``subjects``), or of one
session, may weigh together. A memory about two people counts whole against both.

Guarantees: as the tenant's budget (I1), it holds in every committed state: what one write leaves above it is found in
the write's own transaction, before the commit. What counts against whom is read from the graph once by each writer and
then moved by what each committed unit of work gained and lost, so that no trigger scans the store; it is of the
tenant's sequence number that every write compares and sets, so a stale count makes a write start again and never go
wrong. Nothing is stored: no name of a person is kept that an erasure would have to find.

Source: MaRS sections 3.2.7 and 7.1; issue C (budgets per user and conversation).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, TypedDict

from marskg.ontology.vocabulary import Tier
from marskg.store.rows.paging import pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from marskg.store.engine.protocol import Reader, Row
    from marskg.store.unit.unit_of_work import Unit

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
class Quota:
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


class _Held:
    """What is live, and what of it counts against whose budget."""

    def __init__(self) -> None:
        self.live: set[str] = set()
        self.members: dict[Holder, set[str]] = {}
        self.weights: Weights = Counter()

    def add(self, ident: str, holders: Iterable[Holder], weight: int) -> None:
        """Count one live memory."""
        self.live.add(ident)
        for holder in holders:
            self.members.setdefault(holder, set()).add(ident)
            self.weights[holder] += weight

    def remove(self, ident: str, holders: Iterable[Holder], weight: int) -> None:
        """Count one no more."""
        self.live.discard(ident)
        for holder in holders:
            self.members[holder].discard(ident)
            self.weights[holder] -= weight
            if not self.members[holder]:
                del self.members[holder], self.weights[holder]


class Quotas:
    """What counts against each holder's budget, as of the last committed unit."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._held: _Held | None = None

    def forget(self) -> None:
        """Drop what is known; another writer was here, or nothing asks for it."""
        self._held = None

    def load(self, read: Reader, tenant: str) -> Weights:
        """Return the sums of the committed state; they are counted from the graph where they are not known."""
        return self._known(read, tenant).weights

    def _known(self, read: Reader, tenant: str) -> _Held:
        if self._held is None:
            found = _Held()
            for row in live_rows(read, tenant):
                found.add(row["id"], holders_of(row["subjects"] or (), row["session"]), row["weight"])
            self._held = found
        return self._held

    def settle(self, unit: Unit) -> None:
        """Take note of a committed unit."""
        if not unit.state.settings.partitions.quotas:
            self.forget()
        elif self._held is not None:
            for node in unit.nodes.values():
                row, memory = node.original, node.memory
                if not node.new and row["tier"] == Tier.LIVE:
                    holders = holders_of(row.get("subjects") or (), row.get("session"))
                    self._held.remove(memory.id, holders, row["weight"])
                if not node.deleted and memory.tier is Tier.LIVE:
                    self._held.add(memory.id, holders_of(memory.subjects, memory.session), memory.weight)

    def exceeded(self, units: Sequence[Unit], read: Reader) -> Quota | None:
        """Return the first quota that ``units``, on top of the committed state, leave exceeded; None if all hold.

        Conversations come before users, each by name.
        """
        state = units[-1].state
        budgets = state.settings.partitions.quotas
        if not budgets:
            return None
        known = self.load(read, state.name)
        moved: Weights = Counter()
        for unit in units:
            moved.update(changes(unit))
        # Only what grew can be above its budget, unless a budget fell.
        lowered = units[0].before.settings.partitions.quotas != budgets
        for holder in sorted({*known, *moved} if lowered else moved):
            weight = known[holder] + moved[holder]
            if weight > budgets.get(holder.sort, weight):
                return Quota(holder, budgets[holder.sort], weight)
        return None

    def confined(self, units: Sequence[Unit], holder: Holder, read: Reader) -> tuple[frozenset[str], frozenset[str]]:
        """Return the ids of the live memories that count against ``holder``'s budget, and those of all others."""
        known = self._known(read, units[-1].state.name)
        members, live = set(known.members.get(holder, ())), set(known.live)
        for unit in units:
            for node in unit.nodes.values():
                memory = node.memory
                is_live = not node.deleted and memory.tier is Tier.LIVE
                (live.add if is_live else live.discard)(memory.id)
                held = is_live and holder in holders_of(memory.subjects, memory.session)
                (members.add if held else members.discard)(memory.id)
        return frozenset(members), frozenset(live - members)


def live_rows(read: Reader, tenant: str) -> Iterator[Row]:
    """Yield ``id``, ``subjects``, ``session`` and ``weight`` of each live memory, in one order."""
    for rows in pages(partial(read, "live_holders"), tenant, _PAGE):
        yield from rows


class Used(TypedDict):
    """A user or a conversation, and what they have in tokens."""

    name: str
    weight: int


class Allowance(TypedDict):
    """What each of one sort of holders may have in tokens, how many there are, and the fullest of them."""

    budget: int
    holders: int
    fullest: list[Used]


def shown(weights: Weights, budgets: Mapping[str, int], most: int = 5) -> dict[str, Allowance]:
    """Return for each sort of holder its budget, how many holders there are, and the fullest of them."""
    found: dict[str, Allowance] = {}
    for sort, budget in budgets.items():
        mine = sorted(((-weight, holder.name) for holder, weight in weights.items() if holder.sort == sort))
        fullest: list[Used] = [{"name": name, "weight": -weight} for weight, name in mine[:most]]
        found[sort] = {"budget": budget, "holders": len(mine), "fullest": fullest}
    return found
