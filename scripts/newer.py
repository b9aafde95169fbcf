"""Finds which of two turns outdates the other, on lives of invented people: what ``newer.json`` holds for a model.

Run: ``python -m scripts.newer --model static FILE FILE …``; ``--write`` puts them into ``newer.json``. A file has
people with what they told, in order, and with plain questions: which turns answer each, and which told what held before
(``tests/data/lives-*.json``). Each question is asked of the product through its public door; of each two turns among
the best it is learned whether the newer answers it and the older did (a logistic regression on what is known of the
pair and on the :data:`DIRECTIONS` in which the turns differ most; every pair that does counts ``TELLS`` times, and of
the others one in ``ONE_IN`` is learned from).

A file of LoCoMo or BEAM has questions of which none asks for what changed, but for those of BEAM that are left out: of
its first ``TALKS`` conversations it is learned what outdates nothing. Whether both of a pair hold is learned beside it
(``scripts/one_value.py``).

Below it prints what those say of a file that were found without it, and found on it and the others without the people
asked: how often the outdated turn stood first or alone before and after, and the share of the questions of which an
answer stands first, and among the first three and eight.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

import marskg
from marskg.embedding.model import question_vectors
from marskg.embedding.registry import load_model
from marskg.errors import InvalidDocument
from marskg.language.en.wording import about
from marskg.retrieval.query import newer
from marskg.retrieval.query.newer import FEATURES, LOOKED_AT, MARKED, Pairs, Turns, Usual, Weights, pairs, turns_of
from marskg.text import terms
from marskg_bench.common.conversation import answerable
from marskg_bench.common.conversations import conversations
from scripts import one_value
from scripts.regression import regressed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

#: What a pair counts of which the newer answers and the older did, in pairs that do not; and what holds weights back.
TELLS: Final = 60.0
ONE_IN: Final = 8
DIRECTIONS: Final = 32
_RIDGE: Final = 0.002
_FOLDS: Final = 4
_FIRST: Final = (1, 3, 8)
_DIGITS: Final = 4
#: Each question is learned from in stores as small as these, too: what answers, what did, and so many other turns.
OTHERS: Final = (1, 2, 4, 8, 16)
#: … of any, and of the nearest to the question: what bears on it changes no value by that.
NEAREST: Final = (None, 12)
#: How many conversations of others are read of one file.
TALKS: Final = 5
#: Who tells in a talk of two; and questions of BEAM of which older values are told, but not which.
USER: Final = "user"
CHANGED: Final = frozenset({"knowledge_update", "contradiction_resolution"})
#: From so many turns on what is usual is read.
_MANY: Final = 20


class Asked(NamedTuple):
    """A question to one of the ``lives``: the turns found, best first, those of them that tell, and what is right."""

    life: str
    found: list[str]
    #: The place among the found of each of the ``turns``.
    places: list[int]
    turns: Turns
    evidence: list[set[str]]
    stale: set[str]
    #: The question's vector.
    question: npt.NDArray[np.float64]

    def tells(self, found: Pairs) -> npt.NDArray[np.bool_]:
        """Return of each of the pairs ``found`` whether its newer turn answers, and the older one did."""
        answers = set[str]().union(*self.evidence)
        names = [self.found[place] for place in self.places]
        old = np.array([name in self.stale and name not in answers for name in names], dtype=np.bool_)
        new = np.array([name in answers for name in names], dtype=np.bool_)
        return old[found.older] & new[found.newer]

    def among(self, others: int, chosen: np.random.Generator, nearest: int | None = None) -> Asked | None:
        """Return this of a store that has ``others`` besides what answers and what did; None where nothing answers.

        They are any, or some of the ``nearest``.
        """
        answers = [each for each in self.evidence if each <= {*self.found}]
        if not answers:
            return None
        needed = answers[chosen.integers(len(answers))] | self.stale
        rest = [place for place, name in enumerate(self.found) if name not in needed][:nearest]
        kept = {*chosen.permutation(rest)[:others].tolist()}
        kept |= {place for place, name in enumerate(self.found) if name in needed}
        held = [number for number, place in enumerate(self.places) if place in kept]
        order, turns = {place: number for number, place in enumerate(sorted(kept))}, self.turns
        return self._replace(
            found=[self.found[place] for place in order],
            places=[order[self.places[number]] for number in held],
            turns=Turns(
                turns.vectors[held],
                turns.near[held],
                turns.times[held],
                turns.sequences[held],
                turns.sessions[held],
                turns.by_user[held],
                turns.says[held],
                [turns.terms[number] for number in held],
            ),
        )


def asked_of(file: Path, model: str) -> list[Asked]:
    """Return what the product finds for each question of a file."""
    return [one for life in lives_of(file) for one in _asked(life, model)]


def lives_of(file: Path) -> list[dict[str, Any]]:
    """Return who is told of in a file; in one of LoCoMo or BEAM nothing that is asked for has an older value."""
    try:
        talks = conversations(file)
    except InvalidDocument:
        read = file.read_bytes()
        lives: list[dict[str, Any]] = json.loads(gzip.decompress(read) if file.suffix == ".gz" else read)
        return lives
    return [
        {
            "id": one.name,
            "turns": [
                {
                    "id": str(place),
                    "text": turn.text,
                    "session": turn.session,
                    "at": turn.at,
                    "role": turn.role or USER,
                    "speaker": "" if turn.role else turn.speaker,
                }
                for place, turn in enumerate(one.turns)
            ],
            "questions": [
                {"q": asked.text, "evidence": [[str(place) for place in asked.evidence]], "stale": []}
                for asked in answerable(one)
                if asked.evidence and asked.category not in CHANGED
            ],
        }
        for one in talks[:TALKS]
    ]


def _asked(life: dict[str, Any], model: str) -> Iterator[Asked]:
    encoder = load_model(model)
    if encoder is None:
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        marskg.open(f"{folder}/m", tenant="t", embedding=model, budget=10_000_000) as memory,
    ):
        told = {}
        for turn in life["turns"]:
            done = memory.remember(
                turn["text"],
                session=turn["session"],
                at=turn["at"],
                subjects=[name] if (name := turn.get("speaker", life.get("speaker"))) else [],
                source_type=f"chat_{turn['role']}",
            )
            told[done.id] = turn["id"]
        memory.maintenance.reembed()  # what is made after the write
        view = memory._reading.view  # noqa: SLF001 - the index is no part of the facade
        index = view.refresh(memory._writer.fresh_state())  # noqa: SLF001 - nor is the writer
        for one in life["questions"]:
            hits = memory.retrieve(one["q"], token_budget=1_000_000, k=LOOKED_AT)
            # By the ranking, and not in the order in which they are shown.
            ranked = sorted(hits, key=lambda hit: (-hit.score, hit.memory.sequence))
            ids = [hit.memory.id for hit in ranked]
            vector = question_vectors(encoder, [one["q"]])[0]
            says = index.lexical.coverage(about(one["q"], terms(one["q"])), index.columns["alive"])
            rows = newer.telling(index, np.array([index.rows[ident] for ident in ids], dtype=np.intp))
            turns = turns_of(index, rows, index.vectors["vector"][rows], vector, says)
            places = [ids.index(index.ids[row]) for row in rows.tolist()]
            answers = [set(each) for each in one["evidence"]]
            found = [told[ident] for ident in ids]
            yield Asked(life["id"], found, places, turns, answers, set(one["stale"]), vector.astype(np.float64))


def usual_of(asked: Iterable[Asked]) -> Usual:
    """Return what is usual of the vectors of what was found."""
    given = [one.turns for one in asked if len(one.turns.near) >= _MANY]
    near = np.concatenate([turns.near for turns in given])
    alike = [
        np.sort(turns.vectors @ turns.vectors.T, axis=1)[:, -1 - newer.NEAREST : -1].mean(axis=1) for turns in given
    ]
    found = (near.mean(), near.std(), np.concatenate(alike).mean())
    return Usual(*(round(float(one), _DIGITS) for one in found))


def fitted(asked: Sequence[Asked], usual: Usual) -> Weights:
    """Return the weights under which the pairs of ``asked`` are most likely, by Newton's method."""
    chosen = np.random.default_rng(ONE_IN)
    fewer = [
        few
        for one in asked
        for others in OTHERS
        for nearest in NEAREST
        if (few := one.among(others, chosen, nearest)) is not None
    ]
    given = [one for one in (*asked, *fewer) if len(one.turns.near) > 1]
    vectors = np.concatenate([one.turns.vectors for one in asked])
    centre = vectors.mean(axis=0)
    # The directions in which the turns differ most.
    directions = np.linalg.eigh((vectors - centre).T @ (vectors - centre))[1][:, ::-1][:, :DIRECTIONS]
    features, tells = [], []
    for one in given:
        found = pairs(one.turns, usual)
        told = one.tells(found)
        kept = told | (chosen.random(len(told)) < 1 / ONE_IN)
        along = (one.turns.vectors - centre) @ directions
        older, younger = found.older[kept], found.newer[kept]
        features.append(np.hstack([found.features[kept], along[older], along[younger]]))
        tells.append(told[kept])
    every = np.concatenate(tells)
    counts = np.where(every, TELLS / ONE_IN, 1.0)
    of_features, even = regressed(np.concatenate(features), every, counts, _RIDGE)
    own, old, new = np.split(of_features, [len(FEATURES), len(FEATURES) + DIRECTIONS])
    older_vector, newer_vector = directions @ old, directions @ new
    even -= float(centre @ (older_vector + newer_vector))
    exact = (older_vector.round(_DIGITS), newer_vector.round(_DIGITS))
    return Weights(usual, tuple(own.round(_DIGITS).tolist()), round(even, _DIGITS), *exact)


def ordered(one: Asked, weights: Weights | None) -> tuple[list[str], set[str]]:
    """Return what was found, each after what outdates it by ``weights``, and what is marked as outdated."""
    best: dict[int, tuple[float, int]] = {}
    if weights is not None and len(one.places) > 1:
        found = pairs(one.turns, weights.usual)
        chances = weights.chances(one.turns, found)
        for pair in np.flatnonzero(newer.goes_before(found, chances)).tolist():
            place = one.places[found.older[pair]]
            best[place] = max(best.get(place, (0.0, 0)), (float(chances[pair]), one.places[found.newer[pair]]))
    order: dict[int, None] = {}

    def put(place: int) -> None:
        if place in best and best[place][1] not in order:
            put(best[place][1])
        order.setdefault(place)

    for place in range(len(one.found)):
        put(place)
    marked = {one.found[place] for place, (chance, _) in best.items() if chance >= MARKED}
    return [one.found[place] for place in order], marked


def measured(asked: Sequence[Asked], weights: Sequence[Weights | None]) -> str:
    """Return how often what is outdated stands first, how early answers stand, and who is marked rightly."""
    stale = changed = rightly = wrongly = 0
    early = dict.fromkeys(_FIRST, 0)
    for one, given in zip(asked, weights, strict=True):
        order, marked = ordered(one, given)
        answers = set[str]().union(*one.evidence)
        for most in _FIRST:
            early[most] += any(each <= {*order[:most]} for each in one.evidence)
        wrongly += not marked.isdisjoint(answers)
        if one.stale:
            changed += 1
            old, new = (
                next((n for n, name in enumerate(order) if name in kind), None) for kind in (one.stale, answers)
            )
            stale += old is not None and (new is None or old < new)
            rightly += not marked.isdisjoint(one.stale)
    shares = " / ".join(f"{count / len(asked):.3f}" for count in early.values())
    return (
        f"stale first {stale / max(1, changed):.3f} of {changed}, in the first 1 / 3 / 8 {shares} of {len(asked)} "
        f"and marked: what is stale {rightly / max(1, changed):.3f}, what answers {wrongly / len(asked):.3f}"
    )


def lines(files: dict[str, list[Asked]], usual: Usual) -> Iterator[str]:
    """Yield what was found."""
    for name, asked in files.items():
        others = [one for other, found in files.items() if other != name for one in found]
        yield f"{name}: as ranked: {measured(asked, [None] * len(asked))}"
        if others:
            without = fitted(others, usual)
            yield f"  found without this file: {measured(asked, [without] * len(asked))}"
            chosen = np.random.default_rng(_FOLDS)
            for count, nearest in product(OTHERS, NEAREST):
                few = [one for each in asked if (one := each.among(count, chosen, nearest)) is not None]
                yield f"    among {count} of the {nearest or 'others'}: as ranked: {measured(few, [None] * len(few))}"
                yield f"      found without this file: {measured(few, [without] * len(few))}"
        lives = list(dict.fromkeys(one.life for one in asked))
        folds = [{*lives[fold::_FOLDS]} for fold in range(_FOLDS)]
        found = [fitted([*others, *(one for one in asked if one.life not in fold)], usual) for fold in folds]
        held_out = [next(w for w, fold in zip(found, folds, strict=True) if one.life in fold) for one in asked]
        yield f"  found without the people asked: {measured(asked, held_out)}"


def write(model: str, found: Weights) -> None:
    """Put ``found`` into what the product reads."""
    path = Path(newer.__file__).with_name("newer.json")
    held = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    held[model] = {
        "usual": found.usual._asdict(),
        "features": found.of_features,
        "even": found.even,
        "older": found.older.tolist(),
        "newer": found.newer.tolist(),
    }
    path.write_text(json.dumps(held, sort_keys=True) + "\n", encoding="utf-8")


def main() -> None:
    """Print what was found for one model."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--pairs", nargs="+", type=Path, default=[], help="what one_value.json is learned from, too")
    parser.add_argument("--model", default="static")
    parser.add_argument("--write", action="store_true", help="put the weights into newer.json and one_value.json")
    given = parser.parse_args()
    encoder = load_model(given.model)
    if encoder is None:
        parser.error("a model that makes vectors is needed")
    report(
        {file.name: asked_of(file, given.model) for file in given.files},
        {file.name: one_value.written(file, encoder) for file in given.pairs},
        encoder.name if given.write else None,
    )


def report(files: dict[str, list[Asked]], told: dict[str, one_value.Examples], model: str | None) -> None:
    """Print what was found, and write it for ``model``."""
    every = [one for asked in files.values() for one in asked]
    # What is usual is that of lives: conversations of others have turns of another length.
    usual = usual_of([one for asked in files.values() if any(each.stale for each in asked) for one in asked])
    whole = fitted(every, usual)
    print(dict(zip(FEATURES, whole.of_features, strict=True)), whole.even, usual)
    if model is not None:
        write(model, whole)
    if told:
        found = {}
        for name, asked in files.items():
            others = [one for other, each in files.items() if other != name for one in each]
            found[name] = one_value.found_among(asked, fitted(others, usual) if others else whole)
        if model is not None:
            one_value.write(model, one_value.fitted([*told.values(), *found.values()], told.values()))
        for line in one_value.lines(told, found):
            print(line, flush=True)
    for line in lines(files, usual):
        print(line, flush=True)


if __name__ == "__main__":
    main()
