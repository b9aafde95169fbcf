"""What a question that sums, counts, lists, compares or asks when is answered from: all of a family of memories.

Guarantees: taken from what the reader may see and from nothing else, names of keys included; all of the family in the
period is found, or the question gets no family. A family is the memories of the keys that the question's words name
best, and for a sum, where no key is named, the ledgers whose entries say them all. A name narrows it to what mentions
it. Entries and facts count by when they hold from, tasks by their deadline, and those without one while they are open.
Source: semantics section 13; the reasoning errors of the Memora paper (line 197).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from marskg.language.questions import GOALS, TASKS, Wanted
from marskg.ontology.vocabulary import KINDS, Cardinality, Kind
from marskg.retrieval.index.memory_index import CARDINALITIES, FOREVER
from marskg.text import term_set, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    from marskg.language.questions import Asked
    from marskg.language.times import Period
    from marskg.retrieval.index.memory_index import MemoryIndex

    Mask: TypeAlias = npt.NDArray[np.bool_]

ADDED: Final = frozenset({Wanted.SUM, Wanted.COMPARE})
#: Share of a ledger's entries that say what is asked for, above which all of it is meant.
_MOSTLY: Final = 0.8
#: Goals that a sum is set beside, at most.
_GOALS: Final = 3


@dataclass(frozen=True, slots=True)
class Family:
    """All memories that a question is about, by valid time: below which ``keys``, mentioning which ``names``.

    A key that ends in ``/*`` stands for all that lie below it: the family has every one that the reader sees. ``goals``
    are the goals that they are compared with; ``money`` says that sums of money are meant, whatever else the ledgers
    hold.
    """

    ids: tuple[str, ...]
    keys: tuple[str, ...]
    names: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()
    money: bool = False


def family(
    index: MemoryIndex, mask: Mask, asked: Asked, periods: Sequence[Period], *, scoped: bool = False
) -> Family | None:
    """Return the family that is asked about among the rows of ``mask``, None where no memory surely belongs to one.

    ``scoped`` says that the reader named the keys: ``mask`` has no others.
    """
    added = asked.wanted in ADDED
    held = index.columns
    keyed = mask & (held["key"] >= 0)
    ledgers = held["cardinality"] == CARDINALITIES.index(Cardinality.APPEND)
    tasks = held["kind"] == KINDS.index(Kind.TASK)
    pool = keyed & (ledgers if added else _without_goals(index, keyed, asked))
    found = _Keys(index, pool).named(asked)
    of_tasks = money = False
    if found:
        rows = pool & np.isin(held["key"], [code for key in found if (code := index.known_code(key)) is not None])
    elif scoped:
        rows = pool
    elif of_tasks := not added and _of_tasks(asked):
        rows = mask & tasks & _without_goals(index, keyed, asked)
    elif added and asked.topics:
        rows = _saying(index, pool, asked.topics)
    else:
        money = bool(asked.generic)
        rows = pool & ~np.isin(held["key"], _codes_with(index, pool, asked.never)) if money else np.zeros_like(pool)
    rows, names = _narrowed(index, rows, asked, found)
    if not rows.any():
        return None
    keys = () if of_tasks else _together(index, rows, pool)
    goals = _goals(index, mask & ~ledgers, tasks, asked, rows) if asked.wanted is Wanted.COMPARE else ()
    if periods:
        rows &= _within(index, periods, tasks)
    places = np.flatnonzero(rows)
    order = np.lexsort((held["sequence"][places], held["validFrom"][places]))
    ids = tuple(index.ids[row] for row in places[order].tolist())
    return Family(ids, keys, names, goals, money)


class _Keys:
    """The keys of some rows by the words that they consist of."""

    def __init__(self, index: MemoryIndex, pool: Mask) -> None:
        self._words = {index.words[code]: _words(index.words[code]) for code in np.unique(index.columns["key"][pool])}

    def named(self, asked: Asked) -> list[str]:
        """Return the keys that have most words of a topic, at least half of its words that are no names."""
        found: dict[str, None] = {}
        for topic in asked.topics:
            common = [term for term in topic if term not in asked.names]
            scores = {key: sum(term in words for term in topic) for key, words in self._words.items()}
            best = max(scores.values(), default=0)
            known = [key for key, score in scores.items() if score == best]
            if best and max(sum(term in self._words[key] for term in common) for key in known) * 2 >= max(
                1, len(common)
            ):
                found.update(dict.fromkeys(self._meant(known, asked)))
        if not asked.topics:
            found.update(dict.fromkeys(key for key, words in self._words.items() if words & asked.generic))
        return list(found)

    def _meant(self, keys: list[str], asked: Asked) -> list[str]:
        """Return the keys of expenses, or of income, if one of those is meant and there are any."""
        return [key for key in keys if self._words[key] & asked.generic] or [
            key for key in keys if not self._words[key] & asked.never
        ]


@lru_cache(maxsize=100_000)
def _words(key: str) -> frozenset[str]:
    """Return the index terms of a key; keys repeat from question to question."""
    return frozenset(terms(key.replace("/", " ").replace("_", " ").replace("-", " ")))


def _of_tasks(asked: Asked) -> bool:
    """Return whether tasks as such are asked about, whatever their keys."""
    return bool(asked.topics) and all(term in term_set(TASKS) for topic in asked.topics for term in topic)


def _without_goals(index: MemoryIndex, pool: Mask, asked: Asked) -> Mask:
    """Return the rows that are no goals, unless goals are asked for: all rows then."""
    if any(term in term_set(GOALS) for topic in asked.topics for term in topic):
        return np.ones_like(pool)
    return ~np.isin(index.columns["key"], _codes_with(index, pool, term_set(GOALS)))


def _codes_with(index: MemoryIndex, pool: Mask, words: frozenset[str]) -> list[int]:
    return [int(code) for code in np.unique(index.columns["key"][pool]) if _words(index.words[code]) & words]


def _having(index: MemoryIndex, term: str) -> Mask:
    """Return the rows that have ``term`` in their words, their key, or the names of whom they are about."""
    found = np.zeros(index.columns.rows, dtype=np.bool_)
    found[index.lexical.rows(term)] = True
    return found | index.facet("subject", [one for one in index.facets["subject"] if term in terms(one)])


def _saying(index: MemoryIndex, pool: Mask, topics: Iterable[tuple[str, ...]]) -> Mask:
    """Return the ledgers' rows that say all words of a topic: whole ledgers, where nearly all entries do."""
    found = np.zeros_like(pool)
    codes = index.columns["key"]
    for topic in topics:
        said = pool.copy()
        for term in topic:
            said &= _having(index, term)
        for code in np.unique(codes[said]).tolist():
            ledger = pool & (codes == code)
            found |= ledger if said[ledger].mean() >= _MOSTLY else said & ledger
    return found


def _narrowed(index: MemoryIndex, rows: Mask, asked: Asked, keys: Sequence[str]) -> tuple[Mask, tuple[str, ...]]:
    """Return the rows that mention every name of the question that is in no key, and these names."""
    names = tuple(name for name in asked.names if not any(name in _words(key) for key in keys))
    for name in names:
        rows = rows & _having(index, name)
    return rows, names


def _goals(index: MemoryIndex, mask: Mask, tasks: Mask, asked: Asked, rows: Mask) -> tuple[str, ...]:
    """Return the ids of the goals that a sum is compared with: what the entries serve, or what is named alike."""
    served = {goal for row in np.flatnonzero(rows).tolist() for goal in index.facets_of(row, "goal")}
    found = [index.rows[goal] for goal in served if goal in index.rows and mask[index.rows[goal]]]
    if not found:
        codes = _codes_with(index, mask & (index.columns["key"] >= 0), term_set(GOALS))
        goals = mask & (tasks | np.isin(index.columns["key"], codes))
        topics = [[term for term in topic if term not in asked.names] for topic in asked.topics]
        named = np.zeros_like(goals)
        for topic in topics:
            named |= np.logical_or.reduce([_having(index, term) for term in topic]) if topic else goals
        found = np.flatnonzero(goals & (named if topics else np.isin(index.columns["key"], codes))).tolist()
    latest = sorted(found, key=lambda row: (-index.columns["validFrom"][row], -index.columns["sequence"][row]))
    return tuple(index.ids[row] for row in latest[:_GOALS])


def _together(index: MemoryIndex, rows: Mask, pool: Mask) -> tuple[str, ...]:
    """Return the keys of ``rows``, or the prefix that they and no other keys of ``pool`` lie below."""
    codes = index.columns["key"]
    own = sorted(index.words[code] for code in np.unique(codes[rows & (codes >= 0)]))
    prefix = "" if len(own) < 2 else own[0].rpartition("/")[0] + "/"  # noqa: PLR2004 - one is its own name
    while prefix != "/" and not all(key.startswith(prefix) for key in own):
        prefix = prefix[:-1].rpartition("/")[0] + "/"
    if len(prefix) > 1:
        others = [index.words[code] for code in np.unique(codes[pool])]
        if sum(key.startswith(prefix) for key in others) == len(own):
            return (f"{prefix}*",)
    return tuple(own)


def _within(index: MemoryIndex, periods: Iterable[Period], tasks: Mask) -> Mask:
    """Return the rows that lie in one of the periods."""
    held = index.columns
    found = np.zeros(held.rows, dtype=np.bool_)
    due = held["deadline"] < FOREVER
    for period in periods:
        since = 0 if period.since is None else period.since
        until = FOREVER if period.until is None else period.until
        entered = (held["validFrom"] >= since) & (held["validFrom"] < until)
        ends = (held["deadline"] >= since) & (held["deadline"] < until)
        still = (held["validFrom"] < until) & (held["validTo"] > since)
        found |= np.where(tasks, np.where(due, ends, still), entered)
    return found
