"""The search behind the weights of the default ranking, and what each part brings: needs ../shared/data.

Run: ``python scripts/ranking_search.py --data ../shared/data/locomo-open.json.gz`` (``--model minilm``, ``--parts`` for
the table of parts left out alone). Each conversation is a store of its own, told turn by turn. From the shipped profile
every weight is halved, doubled and left out; for each conversation the setting is taken that is best on the others, and
measured on the one left out. Evidence recall is at 250, 500, 1,000 and 2,000 tokens of the turns in rank order, with 3
tokens a turn and 10 a session for what is written around them. No weight is fitted finer than that: figures within a
point of each other are the same, and rounder weights carry over.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import tempfile
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import marskg
from marskg.embedding.registry import load_model
from marskg.retrieval.access.read_gate import Gate
from marskg.retrieval.query.profile import load_profile
from marskg.retrieval.query.ranking import Ranker, make_query

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from marskg.embedding.model import EmbeddingModel
    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.retrieval.query.profile import Profile
    from marskg.retrieval.query.ranking import Query

BUDGETS: Final = (250, 500, 1_000, 2_000)
#: Tokens for each turn and for each session that is shown, besides the turns' own.
ITEM, HEADING = 3, 10
#: Asked about what is not there.
ADVERSARIAL: Final = 5
PARTS: Final = ("similarity", "lexical", "subject", "statement", "reply", "time", "graph", "key", "intent")
CONTEXT: Final = ("own", "previous", "neighbours")


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation in an index, and its questions with the ids of their evidence."""

    index: MemoryIndex
    questions: tuple[tuple[Query, frozenset[str]], ...]

    def recall(self, profile: Profile) -> list[float]:
        """Return the mean share of the evidence within each budget."""
        mask = Gate(now=self.questions[0][0].now).mask(self.index)
        shares: list[float] = np.mean([self._of(one, profile, mask) for one in self.questions], axis=0).tolist()
        return shares

    def _of(self, question: tuple[Query, frozenset[str]], profile: Profile, mask: npt.NDArray[np.bool_]) -> list[float]:
        query, evidence = question
        found, tokens = 0, 0
        sessions: set[int] = set()
        shares: list[float] = []
        ranker = Ranker(self.index, mask, query, profile, restricted=False)
        budgets = list(BUDGETS)
        for item in ranker.rank(profile.candidates).found:
            session = int(self.index.columns["session"][item.row])
            tokens += int(self.index.columns["weight"][item.row]) + ITEM + (0 if session in sessions else HEADING)
            sessions.add(session)
            while budgets and tokens > budgets[0]:
                shares.append(found / len(evidence))
                budgets.pop(0)
            found += self.index.ids[item.row] in evidence
        return shares + [found / len(evidence)] * len(budgets)


def talks(path: Path, model_name: str) -> Iterator[Talk]:
    """Yield the conversations of the file at ``path``."""
    model = load_model(model_name)
    if model is None:
        message = "choose a model that makes vectors"
        raise SystemExit(message)
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        data = json.load(file)
    for one in data:
        with tempfile.TemporaryDirectory() as folder:
            memory = marskg.open(Path(folder) / "store", tenant="t", budget=10_000_000, embedding=model_name)
            ids = told(memory, one["conversation"])
            reading = memory._reading  # noqa: SLF001 - the index itself is measured, without what is around it
            index = reading.view.refresh(memory._writer.fresh_state())  # noqa: SLF001
            yield Talk(index, tuple(asked(one["qa"], ids, model, memory.now())))
            memory.close()


def told(memory: marskg.AgentMemory, talk: dict[str, Any]) -> dict[str, str]:
    """Store the turns of a conversation; returns their ids by what the questions call them."""
    ids = {}
    for number in range(1, 100):
        for place, turn in enumerate(talk.get(f"session_{number}") or ()):
            said = datetime.strptime(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            shared = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            kept = memory.remember(
                f"{turn['speaker']}: {turn['text']}{shared}",
                session=f"session_{number}",
                at=int(said.timestamp() * 1000) + place * 1000,
                subjects=[turn["speaker"]],
            )
            ids[turn["dia_id"]] = kept.id
    return ids


def asked(
    questions: list[dict[str, Any]], ids: dict[str, str], model: EmbeddingModel, now: int
) -> Iterator[tuple[Query, frozenset[str]]]:
    """Yield the questions that have evidence, with its ids."""
    for one in questions:
        names = {name for text in one.get("evidence", ()) for name in re.findall(r"D\d+:\d+", text)}
        evidence = frozenset(ids[name] for name in names if name in ids)
        if evidence and one["category"] != ADVERSARIAL:
            yield make_query(one["question"], model.embed([one["question"]])[0], now), evidence


def varied(profile: Profile, part: str, factor: float) -> Profile:
    """Return ``profile`` with a weight, or a share of the context, times ``factor``."""
    if part in CONTEXT and profile.context is not None:
        return replace(profile, context=replace(profile.context, **{part: getattr(profile.context, part) * factor}))
    return replace(profile, weights={**profile.weights, part: profile.weights[part] * factor})


def best_without(place: int, table: Mapping[str, npt.NDArray[np.float64]], weights: list[int]) -> str:
    """Return the setting with the best mean recall on all conversations but the one at ``place``."""
    others = [at for at in range(len(weights)) if at != place]

    def mean(name: str) -> float:
        return float(np.average(table[name][others].mean(axis=1), weights=[weights[at] for at in others]))

    return max(table, key=mean)


def main() -> None:
    """Print a line for each setting, and what the choice on the others gives on the one left out."""
    parser = argparse.ArgumentParser(description="Search the weights of the default ranking.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", default="static")
    parser.add_argument("--parts", action="store_true", help="only leave out one part at a time")
    options = parser.parse_args()
    shipped = load_profile("fused")
    factors = (0.0,) if options.parts else (0.0, 0.5, 2.0)
    settings = {"as shipped": shipped}
    settings |= {f"{part} times {by:g}": varied(shipped, part, by) for part in (*PARTS, *CONTEXT) for by in factors}
    figures: dict[str, list[list[float]]] = {name: [] for name in settings}
    weights: list[int] = []
    for talk in talks(options.data, options.model):
        weights.append(len(talk.questions))
        for name, profile in settings.items():
            figures[name].append(talk.recall(profile))
    table = {name: np.array(rows) for name, rows in figures.items()}
    for name, rows in table.items():
        print(f"{name:20}", np.round(100 * np.average(rows, axis=0, weights=weights), 1))
    held_out = []
    for place in range(len(weights)):
        best = best_without(place, table, weights)
        held_out.append(table[best][place])
        print(f"without conversation {place + 1}: {best}")
    print(f"{'chosen on the others':20}", np.round(100 * np.average(held_out, axis=0, weights=weights), 1))


if __name__ == "__main__":
    main()
