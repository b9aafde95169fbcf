"""Learning theta, what each feature is worth by kind, from what became of memories that were shown.

Guarantees: nothing is changed; only outcomes that the signed access log holds are learned from; recency, frequency and
score are those at the showing, worked out from the log, and the other features those of today, as the log does not hold
them. The newest fifth of the showings is kept out of the fit and judges it, beside the theta in effect. A kind with too
few outcomes keeps its theta. A fitted theta sums up to what that of its kind did before, so that kinds and sensitivity
keep their relation: which features matter is learned, not how much a kind does. Source: MaRS sections 3.2.6 and 4.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from marskg.answer import Answer
from marskg.config import FEATURES
from marskg.errors import InvalidInput
from marskg.learning.logistic import area_under_curve, fit, log_loss
from marskg.learning.rules.score import Outcome
from marskg.ontology.vocabulary import KINDS, Kind, Operation
from marskg.policies.core.features import features
from marskg.retrieval.details import slot_details
from marskg.store.rows.order_keys import frequency, recency

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from marskg.config import Settings
    from marskg.policies.core.features import FeatureTable
    from marskg.records import AuditRecord

    Floats: TypeAlias = "npt.NDArray[np.float64]"

#: Outcomes of a kind, and used and unused ones among those learned from, below which its theta stays.
LEAST: Final = 50
LEAST_EACH: Final = 10
#: Share of the showings, the newest, that judges the fit.
_HELD_OUT: Final = 0.2
#: What the squares of the weights cost for one outcome; for more it is shared among them.
_RIDGE: Final = 1.0


@dataclass(frozen=True, slots=True)
class Quality:
    """How well utility tells used from unused memories: area under the curve (0.5 by chance), log loss (nats)."""

    area: float
    log_loss: float


@dataclass(frozen=True, slots=True)
class KindFit:
    """What was learned about one kind.

    ``outcomes`` were logged, ``used`` of them used; ``held_out`` judged. ``theta`` is None where they are too few; then
    there is no quality. ``before`` is that of the theta in effect, on the same outcomes.
    """

    kind: Kind
    outcomes: int
    used: int
    held_out: int = 0
    theta: Mapping[str, float] | None = None
    fitted: Quality | None = None
    before: Quality | None = None


@dataclass(frozen=True, slots=True)
class PolicyFit(Answer, rows="kinds"):
    """What was learned, by kind."""

    kinds: tuple[KindFit, ...]

    def as_yaml(self) -> str:
        """Return the settings of the kinds that were fitted, as a tenant's configuration file has them."""
        lines = ["policy:", "  density:", "    theta:"]
        for found in self.kinds:
            if found.theta is not None:
                lines.append(f"      {found.kind.value}:")
                lines += [f"        {name}: {value:.6f}" for name, value in found.theta.items()]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class _Case:
    """One memory that was shown: the showing's place in the log, its row in the table, psi, and whether it was used."""

    showing: int
    row: int
    recency: float
    frequency: float
    score: float
    used: bool


def learn(records: Iterable[AuditRecord], table: FeatureTable, settings: Settings, now: int) -> PolicyFit:
    """Return what the access log teaches about theta.

    Args:
        records: the access log, from its first record on.
        table: the features of the live memories as they are now.
        settings: those in effect.
        now: the time of the table.

    Raises:
        InvalidInput: there are too few outcomes for every kind.
    """
    cases = list(_cases(records, table, settings))
    today = features(table, settings, now)
    kinds = table.columns["kind"]
    found = [
        _fit_kind(kind, [case for case in cases if KINDS[kinds[case.row]] is kind], today, settings) for kind in Kind
    ]
    if all(one.theta is None for one in found):
        msg = (
            f"the access log has {len(cases)} outcomes of live memories; a kind needs {LEAST}, {LEAST_EACH} of them "
            f"used and {LEAST_EACH} not: give feedback on what is retrieved, and fit later"
        )
        raise InvalidInput(msg)
    return PolicyFit(tuple(found))


def _cases(records: Iterable[AuditRecord], table: FeatureTable, settings: Settings) -> Iterator[_Case]:
    """Yield the outcomes of live memories, with their accesses as they were before each showing."""
    rows = {ident: row for row, ident in enumerate(table.ids)}
    created = table.columns["created"]
    accesses: dict[str, tuple[int, int]] = {}
    before: dict[tuple[str, str], tuple[int, int, int, int]] = {}
    for record in records:
        if record.operation is Operation.ACCESS:
            for ident in record.memories:
                if ident in rows:
                    last, times = accesses.get(ident, (int(created[rows[ident]]), 0))
                    before[record.iri, ident] = (record.sequence, record.recorded_at, last, times)
                    accesses[ident] = (record.recorded_at, times + 1)
        elif record.operation is Operation.FEEDBACK:
            for showing, ident, used, score in _outcomes(record):
                known = before.pop((showing, ident), None)
                if known is not None:
                    sequence, at, last, times = known
                    yield _Case(
                        showing=sequence,
                        row=rows[ident],
                        recency=recency(settings.scoring, last, at),
                        frequency=frequency(settings.scoring, times),
                        score=score / 100,  # As it was worth at the showing, which wrote it down.
                        used=used,
                    )


def _outcomes(record: AuditRecord) -> Iterator[tuple[str, str, bool, int]]:
    """Yield the showing, the memory, whether it was used, and its score before, for each slot of a feedback."""
    slots = slot_details(record)
    named = [text.removeprefix("retrieval=") for text in slots.get("", {}).get("parameters", ())]
    for ident in record.memories:
        own = slots.get(ident, {})
        numbers = dict(text.split("=", 1) for text in own.get("features", ()))
        rule = next(iter(own.get("rule", ())), None)
        if rule in set(Outcome) and named and "score_before" in numbers:
            yield named[0], ident, rule == Outcome.USED, round(float(numbers["score_before"]))


def _fit_kind(kind: Kind, cases: Sequence[_Case], today: Mapping[str, Floats], settings: Settings) -> KindFit:
    used = sum(case.used for case in cases)
    train, test = _split(cases)
    learned = sum(case.used for case in train)
    if len(cases) < LEAST or min(learned, len(train) - learned) < LEAST_EACH or not test:
        return KindFit(kind, len(cases), used)
    psi, outcomes = _matrix(train, today)
    _, weights = fit(psi, outcomes, _RIDGE / len(train))
    current = settings.policy.density.theta[kind]
    held = np.array([current[name] for name in FEATURES])
    if not weights.any():  # Nothing told used from unused.
        weights = held
    scaled = weights * (held.sum() / weights.sum()) if weights.any() else held
    judged = _matrix(test, today)
    return KindFit(
        kind,
        len(cases),
        used,
        held_out=len(test),
        theta=dict(zip(FEATURES, np.round(scaled, 6).tolist(), strict=True)),
        fitted=_quality(scaled, (psi, outcomes), judged),
        before=_quality(held, (psi, outcomes), judged),
    )


def _split(cases: Sequence[_Case]) -> tuple[list[_Case], list[_Case]]:
    """Return the cases to learn from, and those of the newest showings, which judge."""
    showings = sorted({case.showing for case in cases})
    if not showings:
        return [], []
    first = showings[min(len(showings) - 1, int(len(showings) * (1 - _HELD_OUT)))]
    return [case for case in cases if case.showing < first], [case for case in cases if case.showing >= first]


def _matrix(cases: Sequence[_Case], today: Mapping[str, Floats]) -> tuple[Floats, npt.NDArray[np.bool_]]:
    then = {name: np.array([getattr(case, name) for case in cases]) for name in ("recency", "frequency", "score")}
    rows = np.array([case.row for case in cases], dtype=np.intp)
    columns = [then[name] if name in then else today[name][rows] for name in FEATURES]
    return np.stack(columns, axis=1), np.array([case.used for case in cases], dtype=np.bool_)


def _quality(
    theta: Floats, train: tuple[Floats, npt.NDArray[np.bool_]], test: tuple[Floats, npt.NDArray[np.bool_]]
) -> Quality:
    """Return how well ``theta`` does on ``test``; what utility means as a probability is learned on ``train``."""
    utility, judged = train[0] @ theta, test[0] @ theta
    most = float(utility.max(initial=0.0)) or 1.0
    intercept, weight = fit((utility / most)[:, None], train[1], 0.0)
    return Quality(area_under_curve(judged, test[1]), log_loss(judged / most * weight[0] + intercept, test[1]))
