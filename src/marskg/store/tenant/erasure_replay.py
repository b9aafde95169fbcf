"""What was erased after a snapshot was made, or while it was, goes again in the transaction that puts the tenant back.

Guarantees: a restored tenant knows all that its store had promised not to take in again, and holds nothing of it: what
the digests of the suppression recognise, and, where the store still has the log that the snapshot is of, what was
erased from it since without leaving a digest, a short text among others. Each erasure has its signed record after the
snapshot's own. A store that never saw the erasure, another folder, cannot know of it. Source: semantics section 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from marskg.ontology.vocabulary import Operation, PreferenceRule, Tier
from marskg.store.commit.snapshot_read import operations_since
from marskg.store.graph.erase import erase
from marskg.store.graph.imported_items import is_mark
from marskg.store.graph.preference_enforcement import preferences_of
from marskg.store.graph.suppression import Digests, Known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from marskg.records import Edge, Memory
    from marskg.store.rows.state import Services, TenantState
    from marskg.store.unit.reader import GraphReader
    from marskg.store.unit.unit_of_work import Unit
    from marskg.weight import TokenCounter

#: Reads a snapshot's memories from the beginning, with edges and salts.
Memories: TypeAlias = "Callable[[], Iterable[tuple[Memory, tuple[Edge, ...], str | None]]]"
_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class Forbidden:
    """What of a snapshot must not come back: ids of memories, and the digests that the store has.

    ``anew``: the snapshot is from before the tenant's first erasure, and knows of no digest.
    """

    memories: tuple[str, ...]
    digests: frozenset[str]
    anew: bool

    def __bool__(self) -> bool:
        """Return whether anything is to be done: a snapshot from after the erasures is put back to the byte."""
        return bool(self.memories) or self.anew

    def take(self, unit: Unit) -> None:
        """Erase it in ``unit``, which stands on the restored tenant, with the rules that were about the erased."""
        digests = Digests(unit.services.handle, unit.state.name)
        unit.update_tenant(suppressing=True)
        rules = [
            item.id
            for item in preferences_of(unit).preferences
            if item.data_subject is not None
            and item.preference_rule is not PreferenceRule.CONSENT
            and digests.subject(item.data_subject) in self.digests
        ]
        erase(unit, self.memories, preferences=rules, parameters=("erasure.by=restore",))


def forbidden(
    reader: GraphReader,
    services: Services,
    before: TenantState | None,
    row: TenantState,
    memories: Memories,
) -> Forbidden:
    """Return what must not come back of a snapshot with the tenant's row ``row``, as the store is ``before`` it."""
    references = (one for one in reader.suppressions() if not is_mark(one))
    known = Known(Digests(services.handle, row.name), references)
    found = list(_recognised(known, services.counter, memories)) if known else []
    went_on = before is not None and before.log == row.log and before.sequence > row.sequence
    if went_on and Operation.ERASE in operations_since(reader.run, row.name, row.sequence):
        found += _missing(reader, memories)
    return Forbidden(tuple(dict.fromkeys(found)), known.references, anew=bool(known) and not row.suppressing)


def _recognised(known: Known, counter: TokenCounter, memories: Memories) -> Iterator[str]:
    for memory, _, _ in memories():
        # The weight that it was saved with may be that of a former rule.
        if known.refuse(memory, max(memory.weight, counter.count(memory.content or "")), counter):
            yield memory.id


def _missing(reader: GraphReader, memories: Memories) -> Iterator[str]:
    """Yield the memories that the store has no trace of any more, not even a tombstone."""
    page: list[str] = []
    for memory, _, _ in memories():
        if memory.tier is not Tier.GONE:
            page.append(memory.id)
        if len(page) == _PAGE:
            yield from _absent(reader, page)
            page = []
    yield from _absent(reader, page)


def _absent(reader: GraphReader, ids: list[str]) -> list[str]:
    there = {row["id"] for row in reader.run("existing", {"refs": reader.refs(ids)})} if ids else set()
    return [ident for ident in ids if ident not in there]
