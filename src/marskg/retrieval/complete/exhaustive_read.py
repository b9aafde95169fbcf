"""Exhaustive reading: all current memories of a key, a period, an entity or a goal, complete and counted.

Guarantees: nothing that the gate lets through is missing; the count and the sums are of all of it, also where a token
budget cut what is shown, and what was cut is named; the order is that of valid time, then sequence. The reasoning
errors of the Memora paper (line 197) are incomplete retrieval: ranking cannot answer "how much in all".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.answer import Answer
from marskg.json_object import WIDE
from marskg.ontology.mapping import decimal_lexical
from marskg.ontology.vocabulary import Cardinality
from marskg.retrieval.assembly.hits import Hit, Sum

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from marskg.records import Memory
    from marskg.retrieval.access.read_gate import Gate
    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.store.unit.reader import GraphReader
    from marskg.weight import TokenCounter

_PAGE: Final = 200


@dataclass(frozen=True, slots=True)
class Everything(Answer, rows="hits"):
    """All that was asked for: a sequence of :class:`~marskg.retrieval.assembly.hits.Hit` in the order of valid time.

    ``count`` is of all; ``cut`` are the ids that the token budget left out; ``sums`` are over all, cut or not;
    ``notices`` tell what the caller should know.
    """

    id: str | None
    hits: tuple[Hit, ...]
    count: int
    cut: tuple[str, ...]
    tokens: int
    sums: tuple[Sum, ...] = ()
    notices: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Hit]:
        """Yield what is shown, the oldest first."""
        return iter(self.hits)

    def __len__(self) -> int:
        """Return how many are shown."""
        return len(self.hits)

    @property
    def complete(self) -> bool:
        """Return whether all that was found is shown."""
        return not self.cut


def select(index: MemoryIndex, gate: Gate, entities: Iterable[str], goals: Iterable[str]) -> list[str]:
    """Return the ids of all that passes ``gate`` and has to do with the ``entities`` and ``goals``, in time's order."""
    mask = gate.mask(index)
    for facet, words in (("entity", list(entities)), ("goal", list(goals))):
        if words:
            mask &= index.facet(facet, words)
    rows: npt.NDArray[np.intp] = np.flatnonzero(mask)
    held = index.columns
    order = np.lexsort((held["sequence"][rows], held["validFrom"][rows]))
    return [index.ids[row] for row in rows[order].tolist()]


def admitted(
    reader: GraphReader, ids: list[str], gate: Gate, shows: Callable[[Memory, Gate], Memory] | None = None
) -> list[Memory]:
    """Return the memories ``ids``, read anew, as far as ``gate`` lets them through, each as ``shows`` gives it."""
    found = [memory for memory in _memories(reader, ids) if gate.admits(memory)]
    if shows is None:
        return found
    # What is taken out for its reader is not found by what it was.
    return [one for memory in found for one in (shows(memory, gate),) if not gate.metadata or gate.finds(one)]


def shown(found: Sequence[Memory], counter: TokenCounter, *, budget: int | None, sums: bool) -> Everything:
    """Return ``found``, shown as far as ``budget`` goes; nothing is recorded."""
    hits: list[Hit] = []
    cut: list[str] = []
    tokens = 0
    for memory in found:
        weight = counter.count(memory.content or "")
        if cut or (budget is not None and tokens + weight > budget):
            cut.append(memory.id)
            continue
        tokens += weight
        hits.append(Hit(memory, 0.0, weight))
    return Everything(None, tuple(hits), len(found), tuple(cut), tokens, tuple(summed(found)) if sums else ())


def _memories(reader: GraphReader, ids: list[str]) -> Iterator[Memory]:
    for start in range(0, len(ids), _PAGE):
        for memory, _, _ in reader.nodes(ids[start : start + _PAGE]):
            yield memory


def summed(memories: Iterable[Memory]) -> list[Sum]:
    """Return the totals of the ledgers among ``memories``: what the payloads' amounts add up to.

    First those of each key and unit, then those of each prefix that several keys lie below.
    """
    totals: dict[tuple[str, str], list[Decimal]] = defaultdict(list)
    without: dict[str, int] = defaultdict(int)
    for memory in memories:
        if memory.cardinality is not Cardinality.APPEND or memory.key is None:
            continue
        amount = amount_of(memory)
        if amount is not None:
            totals[memory.key, str(memory.payload.get("unit") or "")].append(amount)
        else:
            without[memory.key] += 1
    return _sums(totals, without) + _sums(*_below(totals, without))


def _below(
    totals: Mapping[tuple[str, str], list[Decimal]], without: Mapping[str, int]
) -> tuple[dict[tuple[str, str], list[Decimal]], dict[str, int]]:
    """Return the same of the prefixes that several keys lie below, each with ``/*`` at its end."""
    keys = {key for key, _ in totals} | set(without)
    held = Counter(prefix for key in keys for prefix in _prefixes(key))
    amounts: dict[tuple[str, str], list[Decimal]] = defaultdict(list)
    lacking: dict[str, int] = defaultdict(int)
    for (key, unit), found in totals.items():
        for prefix in _prefixes(key):
            if held[prefix] > 1:
                amounts[prefix, unit] += found
    for key, count in without.items():
        for prefix in _prefixes(key):
            if held[prefix] > 1:
                lacking[prefix] += count
    return amounts, lacking


def _prefixes(key: str) -> list[str]:
    """Return what ``key`` lies below: ``a/*`` and ``a/b/*`` for ``a/b/c``."""
    parts = key.split("/")
    return ["/".join([*parts[:place], "*"]) for place in range(1, len(parts))]


def _sums(totals: Mapping[tuple[str, str], list[Decimal]], without: Mapping[str, int]) -> list[Sum]:
    found = [
        Sum(key, unit, added(amounts), len(amounts), without.get(key, 0))
        for (key, unit), amounts in sorted(totals.items())
    ]
    known = {key for key, _ in totals}
    return found + [Sum(key, "", Decimal(0), 0, count) for key, count in sorted(without.items()) if key not in known]


def amount_of(memory: Memory) -> Decimal | None:
    """Return the amount of an entry with all its digits; None where it has none."""
    amount = memory.payload.get("amount")
    return Decimal(decimal_lexical(amount)) if isinstance(amount, (int, float, Decimal)) else None


def added(amounts: Iterable[Decimal]) -> Decimal:
    """Return the exact sum of ``amounts``."""
    return reduce(WIDE.add, amounts, Decimal(0))
