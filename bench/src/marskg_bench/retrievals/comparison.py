"""The retrieval bench's run: personas, tracks and systems, each question asked at each depth.

Guarantees: the systems of a track hold the same texts and answer the same questions at the same time; deterministic but
for the product's signatures. The systems: ``bm25``, ``vector`` and ``fused`` without governance; the same three with
perfect governance, named ``…_oracle``; and ``product``.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from marskg.clock import DAY_MS
from marskg.sources.memora_layout import day_ms
from marskg_bench.fama.questions import TASKS
from marskg_bench.fama.scoring import mean, score
from marskg_bench.retrievals.rankers import Bm25, Cosine, Embedded, Fused
from marskg_bench.retrievals.retrievers import SPOKEN, Listed, product

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import date

    from marskg.drafts import Draft
    from marskg.embedding.model import EmbeddingModel
    from marskg_bench.common.memora import BenchPersona, Track
    from marskg_bench.common.progress import Say
    from marskg_bench.fama.questions import Question
    from marskg_bench.fama.scoring import Item, Outcome
    from marskg_bench.retrievals.rankers import Ranker
    from marskg_bench.retrievals.retrievers import Product, Retriever

PRODUCT: Final = "product"
RANKERS: Final = ("bm25", "vector", "fused")
#: The depth at which everything is asked for.
ALL: Final = "all"
#: Tracks of turns without facts: their conflicts are found by their words, as a user would set it.
_SPOKEN: Final = frozenset({"B", "C"})
#: More than any system holds of a persona: the product may hold more memories than it was told texts.
_EVERYTHING: Final = 100_000
OVERALL: Final = "overall"

_Outcomes: TypeAlias = "defaultdict[tuple[str, str, str], list[Outcome]]"


@dataclass(frozen=True, slots=True)
class Scope:
    """What is run: tracks, depths, token budgets of the product's answers, and whether it takes part.

    ``learns``: tracks of turns are told with ``learn``, with default settings.
    """

    tracks: Sequence[Track]
    depths: Sequence[int]
    budgets: Sequence[int] = ()
    with_product: bool = True
    opened: Callable[[int, Mapping[str, Any]], AbstractContextManager[Product]] = field(default=product)
    learns: bool = False


def compare(found: Iterable[BenchPersona], scope: Scope, model: EmbeddingModel, say: Say) -> dict[str, Any]:
    """Return the figures by track, system, task and depth, for all the personas together.

    Raises:
        MarsError: a persona cannot be read, or the product refuses what it is told.
    """
    outcomes: dict[Track, _Outcomes] = {track: defaultdict(list) for track in scope.tracks}
    makers = _makers(Embedded(model))
    for persona in found:
        for track in scope.tracks:
            say(f"{persona.name}, track {track}")
            _run(persona, track, scope, makers, outcomes[track])
    return {track: _figures(of_track) for track, of_track in outcomes.items()}


def _makers(model: EmbeddingModel) -> dict[str, Callable[[Sequence[str]], Ranker]]:
    return {
        "bm25": Bm25,
        "vector": lambda texts: Cosine(texts, model),
        "fused": lambda texts: Fused([Bm25(texts), Cosine(texts, model)]),
    }


def _run(
    persona: BenchPersona,
    track: Track,
    scope: Scope,
    makers: Mapping[str, Callable[[Sequence[str]], Ranker]],
    outcomes: _Outcomes,
) -> None:
    """Tell the product the track day by day and ask all systems what is asked at the end of each."""
    drafts = list(persona.drafts(track))
    told = 0
    learns = scope.learns and track in _SPOKEN
    settings = SPOKEN if track in _SPOKEN and not learns else {}
    opened = scope.opened(persona.sessions[0].start, settings) if scope.with_product else nullcontext(None)
    with opened as running:
        for day in persona.days:
            items = persona.items(track, day)
            systems: dict[str, Retriever] = dict(_listed(persona, day, items, makers))
            if running is not None:
                told = _tell(running, persona, drafts, told, day, learns=learns)
                running.wait(day_ms(day) + DAY_MS - 1)
                systems[PRODUCT] = running
            for question in persona.asked(day):
                for name, system in systems.items():
                    _ask(name, system, question, [*scope.depths, _EVERYTHING], outcomes)
                if running is not None:
                    _ask_within(running, question, scope.budgets, outcomes)


def _tell(
    running: Product, persona: BenchPersona, drafts: Sequence[Draft], told: int, day: date, *, learns: bool = False
) -> int:
    """Tell what was said until the end of ``day`` and is not told yet; returns how much is told now."""
    until = next((n for n in range(told, len(drafts)) if persona.day_of(drafts[n]) > day), len(drafts))
    for _, session in groupby(drafts[told:until], key=lambda draft: draft.session):
        said = list(session)
        if learns:
            running.wait(max(draft.at for draft in said))
            running.memory.learn(said)
        else:
            running.tell(said)
    return until


def _listed(
    persona: BenchPersona,
    day: date,
    items: Sequence[Item],
    makers: Mapping[str, Callable[[Sequence[str]], Ranker]],
) -> Iterator[tuple[str, Retriever]]:
    trace = persona.trace(day)
    governed = [item for item in items if trace.governs(item.session, item.content)]
    for name, make in makers.items():
        yield name, Listed(items, make)
        yield f"{name}_oracle", Listed(governed, make)


def _ask(name: str, system: Retriever, question: Question, depths: Sequence[int], outcomes: _Outcomes) -> None:
    for place, depth in enumerate(depths):
        got = system.retrieve(question.text, depth)
        label = ALL if place == len(depths) - 1 else str(depth)
        outcomes[name, question.task, label].append(score(question.presence, question.forgetting, got))


def _ask_within(running: Product, question: Question, budgets: Sequence[int], outcomes: _Outcomes) -> None:
    for budget in budgets:
        got = running.within(question.text, budget)
        outcomes[PRODUCT, question.task, f"{budget} tokens"].append(score(question.presence, question.forgetting, got))


def _figures(outcomes: _Outcomes) -> dict[str, Any]:
    """Return system → task → depth → figures; ``overall`` is the mean over all questions."""
    together: _Outcomes = defaultdict(list)
    for (system, task, depth), found in outcomes.items():
        together[system, task, depth] += found
        together[system, OVERALL, depth] += found
    figures: dict[str, Any] = {}
    for (system, task, depth), found in together.items():
        of_task = figures.setdefault(system, {}).setdefault(task, {})
        of_task[depth] = {"questions": len(found), **_rounded(mean(found))}
    return {name: _ordered(figures[name]) for name in figures}


def _ordered(of_system: Mapping[str, Any]) -> dict[str, Any]:
    return {task: of_system[task] for task in (*TASKS, OVERALL) if task in of_system}


def _rounded(outcome: Outcome) -> dict[str, float | None]:
    """Return shares to a ten-thousandth and tokens to a tenth."""
    return {
        name: None if value is None else round(value, 1 if "tokens" in name else 4)
        for name, value in asdict(outcome).items()
    }


def ratios(track: Mapping[str, Any], ranker: str) -> dict[str, Any]:
    """Return, by depth, the product's figures over those of ``ranker``: empty without the product.

    ``product_to_oracle_ratio`` is of FAMA to the oracle's, ``stale_to_ungoverned_ratio`` and
    ``presence_to_ungoverned_ratio`` are to the ranker without governance, all over all questions.
    """
    if PRODUCT not in track:
        return {}
    ours, bare, oracle = (track[name][OVERALL] for name in (PRODUCT, ranker, f"{ranker}_oracle"))
    return {
        "product_to_oracle_ratio": {depth: _over(ours[depth]["fama"], oracle[depth]["fama"]) for depth in oracle},
        "stale_to_ungoverned_ratio": {depth: _over(ours[depth]["stale"], bare[depth]["stale"]) for depth in bare},
        "presence_to_ungoverned_ratio": {
            depth: _over(ours[depth]["presence"], bare[depth]["presence"]) for depth in bare
        },
    }


def _over(one: float | None, other: float | None) -> float | None:
    return None if one is None or not other else round(one / other, 4)
