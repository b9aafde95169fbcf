"""The features of MaRS eq. (5) for all live memories at once, and the scores that are made of them.

Guarantees: pure functions of a table of columns, the settings and the time; equal tables give equal scores, in whatever
order their rows stand. Scores are integers: utility per 1,000 tokens in 1e-6, and the removal priority of MaRS section
3.3.3 in 1e-6. A policy gets its table from a :class:`FeatureSource`, which knows how to keep one up; this module does
not. Sources: MaRS sections 3.2.6 (eq. 5), 3.3 (eq. 6), 3.3.3 and 4.2 (eq. 7).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from marskg.clock import DAY_MS
from marskg.config import FEATURES
from marskg.ontology.vocabulary import KINDS
from marskg.store.rows.score_decay import Fading

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from marskg.config import Settings

Floats: TypeAlias = "npt.NDArray[np.float64]"
Integers: TypeAlias = "npt.NDArray[np.int64]"

#: The columns of a table; times in epoch milliseconds, and in 1e-6 what is marked so.
COLUMNS: Final = (
    "kind",  # place in KINDS
    "weight",  # tokens
    "sequence",  # of the audit record that stored it
    "created",
    "lastAccess",
    "accessCount",
    "rank",  # 0 to 3: superseded, said by a fact word for word, any other, what a life depends on
    "sensitivity",  # 1e-6
    "score",  # 0 to 100, as it was at the last access
    "generality",  # 1e-6
    "goal",  # similarity to the current goal, 1e-6
    "nearness",  # personalised PageRank from the active tasks, 1e-6
    "degree",  # edges
    "novelty",  # 1e-6
    "deadline",  # the largest int64 for none
    "active",  # whether it is a task that is to be done
    "open",  # whether a policy may take it, as far as the table knows; the store has the last word
)
_MILLION: Final = 1_000_000
#: A score per token is one per 1,000 tokens in 1e-6, times this.
_PER_TOKEN: Final = 1_000 * _MILLION
#: Deadlines at or after this are none.
_NEVER: Final = np.iinfo(np.int64).max


#: What a memory may cover, by the codes in :attr:`Links.sorts`.
SORTS: Final = ("key", "entity", "goal", "subject")


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """What the rows of a table cover and depend on, as pairs in no particular order, none of them twice.

    ``rows[i]`` covers the element ``elements[i]``, whose sort ``sorts[element]`` is a place in :data:`SORTS`; a key is
    another element for other people. The row ``dependents[i]`` depends on the row ``bases[i]``. ``guarded`` and
    ``blockers``, one for each row: whether something protects it, and how many memories with content depend on it.
    """

    rows: Integers
    elements: Integers
    sorts: Integers
    dependents: Integers
    bases: Integers
    guarded: npt.NDArray[np.bool_]
    blockers: Integers

    @classmethod
    def of(
        cls,
        covers: Sequence[Collection[tuple[str, str]]],
        bases: Sequence[Collection[int]],
        guarded: Sequence[bool],
        blockers: Sequence[int],
    ) -> Self:
        """Return the links of rows of which each covers ``covers``, sort and name, and depends on the rows ``bases``.

        Raises:
            ValueError: a sort is not one of :data:`SORTS`.
        """
        names = sorted({element for found in covers for element in found})
        codes = {element: code for code, element in enumerate(names)}
        covered = [(row, codes[element]) for row, found in enumerate(covers) for element in found]
        based = [(row, base) for row, found in enumerate(bases) for base in found]
        return cls(
            rows=np.array([row for row, _ in covered], dtype=np.int64),
            elements=np.array([code for _, code in covered], dtype=np.int64),
            sorts=np.array([SORTS.index(sort) for sort, _ in names], dtype=np.int64),
            dependents=np.array([row for row, _ in based], dtype=np.int64),
            bases=np.array([base for _, base in based], dtype=np.int64),
            guarded=np.array(guarded, dtype=np.bool_),
            blockers=np.array(blockers, dtype=np.int64),
        )


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """The live memories of one tenant as :data:`COLUMNS` of one row each, in no particular order.

    ``goal`` says in words whose goal the similarity is to; ``links`` are there where they were asked for.
    """

    ids: Sequence[str]
    columns: Mapping[str, npt.NDArray[Any]]
    goal: str
    links: Links | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.ids)

    def row(self, ident: str, sequence: int) -> int | None:
        """Return the row of a memory, by its id and its sequence number; None where it has none."""
        sequences, rows = self._by_sequence
        for row in rows[slice(*np.searchsorted(sequences, [sequence, sequence + 1]))].tolist():
            if self.ids[row] == ident:
                return int(row)
        return None

    @cached_property
    def _by_sequence(self) -> tuple[Integers, npt.NDArray[np.intp]]:
        """Return the sequence numbers, sorted, and the row of each: a plan asks for as many rows as it takes."""
        rows = np.argsort(self.columns["sequence"], kind="stable")
        return self.columns["sequence"][rows], rows


class FeatureSource(Protocol):
    """What a policy needs of a memory index: the features of one state of the store."""

    def table(self, *, linked: bool = False) -> FeatureTable:
        """Return the features at the sequence number that the policy's view is of, with their links if asked."""
        ...


def features(table: FeatureTable, settings: Settings, now: int) -> dict[str, Floats]:
    """Return psi: for each of :data:`~marskg.config.FEATURES` a column of numbers from 0 to 1."""
    held, scoring, density = table.columns, settings.scoring, settings.policy.density
    count = held["accessCount"].astype(np.float64)
    nearness, degree = held["nearness"] / _MILLION, held["degree"].astype(np.float64)
    return {
        "recency": _decayed(held["lastAccess"], scoring.lambda_age, now),
        "frequency": count / (count + scoring.frequency_half),
        "goal": held["goal"] / _MILLION,
        "centrality": nearness / (nearness + density.centrality_half),
        "degree": degree / (degree + density.degree_half),
        "generality": held["generality"] / _MILLION,
        "novelty": held["novelty"] / _MILLION,
        "score": _worth(held["score"], held["lastAccess"], Fading.by(settings), now) / 100.0,
        "urgency": _urgency(held["deadline"], held["active"], density.urgency_half, now),
    }


def _decayed(since: Integers, per_day: float, now: int) -> Floats:
    """Return e^(-lambda age) of the time since each moment; 1 for a moment that is still to come."""
    age = np.maximum(0, now - since).astype(np.float64)
    decayed: Floats = np.exp(-per_day * (age / DAY_MS))
    return decayed


def _worth(scores: Integers, last: Integers, fading: Fading, now: int) -> Floats:
    """Return the scores (0..100) as they are worth now: :meth:`marskg.store.rows.score_decay.Fading.worth` of each."""
    idle = np.maximum(0, now - last - fading.grace_ms).astype(np.float64)
    worth: Floats = np.floor(scores * np.exp2(-idle / fading.half_life_ms) + 0.5)
    return worth


def _urgency(deadline: Integers, active: npt.NDArray[np.bool_], half: int, now: int) -> Floats:
    """Return 1 at and after a deadline and half as much each ``half`` before it; 0 for what is not to be done."""
    due = active & (deadline < _NEVER)
    left = np.where(due, np.maximum(0, deadline - now), 0).astype(np.float64)
    urgency: Floats = np.where(due, np.exp2(-left / half), 0.0)
    return urgency


def terms(table: FeatureTable, psi: Mapping[str, Floats], settings: Settings) -> dict[str, Floats]:
    """Return each feature times its theta: what it adds to the utility of each memory."""
    kind = table.columns["kind"]
    theta = settings.policy.density.theta
    return {name: np.array([theta[one][name] for one in KINDS])[kind] * psi[name] for name in FEATURES}


def penalty(table: FeatureTable, settings: Settings) -> Floats:
    """Return what sensitivity takes away from each memory's utility: lambda_priv * s."""
    taken: Floats = settings.policy.density.lambda_priv * (table.columns["sensitivity"] / _MILLION)
    return taken


def density(table: FeatureTable, added: Mapping[str, Floats], settings: Settings) -> Integers:
    """Return eq. (5): (theta * psi - lambda_priv * s) / w for each memory, per 1,000 tokens in 1e-6.

    ``added`` is what :func:`terms` returns.
    """
    utility = np.zeros(len(table))
    for name in FEATURES:  # Always in this order: sums of floating point depend on it.
        utility += added[name]
    weight = np.maximum(table.columns["weight"], 1).astype(np.float64)
    scores: Integers = np.rint((utility - penalty(table, settings)) / weight * _PER_TOKEN).astype(np.int64)
    return scores


def aged(table: FeatureTable, settings: Settings, now: int) -> Floats:
    """Return the age of each memory as a fraction: 1 - e^(-lambda_age * days since it was stored), from 0 to 1."""
    fresh: Floats = _decayed(table.columns["created"], settings.scoring.lambda_age, now)
    return 1.0 - fresh


def raw_importance(table: FeatureTable, settings: Settings, now: int) -> Floats:
    """Return ``imp`` of section 3.3.2 for each memory, as ``order_keys.importance`` gives it for one."""
    scoring = settings.scoring
    count = table.columns["accessCount"].astype(np.float64)
    weights = np.array([scoring.type_weights[kind] for kind in KINDS])
    total = scoring.alpha * weights[table.columns["kind"]]
    total = total + scoring.beta * _decayed(table.columns["lastAccess"], scoring.lambda_age, now)
    found: Floats = total + scoring.gamma * (count / (count + scoring.frequency_half))
    return found


def importance(table: FeatureTable, psi: Mapping[str, Floats], settings: Settings) -> Floats:
    """Return ``imp`` of section 3.3.2 for each memory as a fraction of the largest that the settings allow."""
    scoring = settings.scoring
    weights = np.array([scoring.type_weights[kind] for kind in KINDS])
    total = scoring.alpha * weights[table.columns["kind"]]
    total = total + scoring.beta * psi["recency"] + scoring.gamma * psi["frequency"]
    most = scoring.alpha * max(scoring.type_weights.values()) + scoring.beta + scoring.gamma
    fraction: Floats = total / most if most else total
    return fraction


def removal_priority(table: FeatureTable, age: Floats, imp: Floats) -> Integers:
    """Return section 3.3.3's ``s * age * (1 - imp)`` of each memory, from 0 to 1, in 1e-6.

    ``age`` and ``imp`` are what :func:`aged` and :func:`importance` return.
    """
    sensitivity = table.columns["sensitivity"] / _MILLION
    product = sensitivity * age * (1.0 - imp)
    priority: Integers = np.rint(product * _MILLION).astype(np.int64)
    return priority
