"""Prints how much of what Memora asks for extractive summaries say: the figures of docs/reference/forgetting-bench.md.

Run ``python scripts/summary_quality.py FOLDER [--sensitive] [weekly|monthly]...`` with the folder ``memora`` of the
unpacked data. The turns of a persona are clustered as the policy Reflection-Summary does it, each cluster is summarised
to 40 % of its tokens, and beside each summary stand sentences of the turns that it takes the place of, drawn at random
until they have as many tokens; the mean of five draws. A value counts if a line says it, by the frozen judge of the
retrieval bench. With ``--sensitive`` each turn is as sensitive as the store would find it, and the summaries have to
pass the gate of sensitivity; a second line then says how many of the clusters and of the turns in them did.
"""

from __future__ import annotations

import math
import random
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from marskg.config import Settings
from marskg.embedding.static import StaticEmbedding
from marskg.ontology.vocabulary import Kind
from marskg.privacy.sensitivity import Assessor
from marskg.reflection.clustering import Episode, Limits, clusters
from marskg.reflection.consolidation import Vector, Workshop
from marskg.reflection.extractive import ExtractiveSummariser
from marskg.reflection.gates import Against, Thresholds
from marskg.reflection.passages import Constituent
from marskg.text import sentences
from marskg.weight import TokenCounter
from marskg_bench.common.memora import BenchPersona, personas
from marskg_bench.fama.matching import says

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from marskg_bench.fama.matching import Value

PERIODS = ("weekly", "monthly")
SENSITIVE = "--sensitive"
SHARE = 0.4
DRAWS = 5
#: The largest distortion that clusters may be expected to have, and the time from one session to the next: 72 minutes.
LIMITS = Limits(radius=0.95)
APART_MS = 86_400_000 // 20


@dataclass
class Said:
    """The lines of all summaries, and those of each random draw."""

    summaries: list[str] = field(default_factory=list)
    drawn: list[list[str]] = field(default_factory=lambda: [[] for _ in range(DRAWS)])
    clusters: int = 0
    passed: int = 0
    turns: int = 0
    replaced: int = 0


class Quality:
    """Summarises what personas said."""

    def __init__(self, *, sensitive: bool) -> None:
        """Load the tokenizer and the vectors."""
        self.counter = TokenCounter()
        self._embedding = StaticEmbedding()
        settings = Settings()
        found = settings.reflection
        self._sensing = Assessor().texts(settings) if sensitive else None
        # How far a summary lies from its cluster is no matter here.
        thresholds = Thresholds(math.inf, found.tau_priv, found.s_floor, Against(found.privacy))
        extractive = ExtractiveSummariser(self.counter)
        self._workshop = Workshop(extractive, self.counter, self._vector, thresholds, SHARE, self._sensing)

    def said(self, turns: Sequence[tuple[int, str]]) -> Said:
        """Return the lines about ``turns``, pairs of the session's number and the text."""
        episodes = [Episode("one", str(session), session * APART_MS, n) for n, (session, _) in enumerate(turns)]
        vectors = self._embedding.embed([text for _, text in turns])
        said = Said()
        for cluster in clusters(episodes, vectors, LIMITS):
            members = {one.id: one for one in (self._constituent(n, turns[n][1]) for n in cluster)}
            said.clusters += 1
            said.turns += len(members)
            summary = self._workshop.consolidate(list(members.values()), vectors[list(cluster)]).summary
            if summary is None:
                continue
            said.passed += 1
            said.replaced += len(summary.constituents)
            said.summaries += [line.text for line in summary.lines]
            heard = [members[name] for name in summary.constituents]
            pool = [sentence for member in heard for sentence in sentences(member.content)]
            used = sum(self.counter.count(line.text) for line in summary.lines)
            for draw in range(DRAWS):
                said.drawn[draw] += self._drawn(pool, used, f"{draw}{cluster}")
        return said

    def _vector(self, text: str) -> Vector:
        return Vector(self._embedding.embed([text])[0], "", ("", ""))

    def _constituent(self, place: int, text: str) -> Constituent:
        name = f"urn:uuid:00000000-0000-7000-8000-{place + 1:012x}"
        sensitivity = 0.0 if self._sensing is None else self._sensing.sensitivity(text)
        weight = self.counter.count(text)
        return Constituent(name, Kind.EPISODIC, text, place, place, weight, sensitivity, floor=0.0)

    def _drawn(self, pool: Sequence[str], tokens: int, seed: str) -> list[str]:
        """Return sentences in a random order, those that still fit."""
        order, drawn = list(pool), []
        random.Random(seed).shuffle(order)  # noqa: S311 - a draw that can be repeated
        for sentence in order:
            cost = self.counter.count(sentence)
            if cost <= tokens:
                drawn.append(sentence)
                tokens -= cost
        return drawn


def wanted(persona: BenchPersona) -> list[Value]:
    """Return the distinct values of the presence criteria."""
    parts = (part for question in persona.questions for one in question.presence for part in one.parts)
    return list({str(part.value): part.value for part in parts}.values())


def heard(values: Iterable[Value], lines: Sequence[str]) -> int:
    """Return how many of ``values`` a line says."""
    return sum(any(says(line, value) for line in lines) for value in values)


def main(arguments: list[str]) -> int:
    """Print one line for each period and kind of turns."""
    sensitive = SENSITIVE in arguments
    named = [one for one in arguments if one != SENSITIVE]
    if not named or not set(named[1:]) <= set(PERIODS):
        print(f"usage: summary_quality.py FOLDER [{SENSITIVE}] [{'|'.join(PERIODS)}]...", file=sys.stderr)
        return 2
    quality = Quality(sensitive=sensitive)
    for period in named[1:] or PERIODS:
        for shared in (True, False):
            ratios = []
            everything = []
            for place in personas(Path(named[0]), period, ()):
                persona = BenchPersona(place, quality.counter)
                turns = [
                    (number, turn.message)
                    for number, session in enumerate(persona.sessions)
                    for turn in session.turns
                    if turn.shared or not shared
                ]
                said, values = quality.said(turns), wanted(persona)
                everything.append(said)
                ratios.append(heard(values, said.summaries) / fmean(heard(values, drawn) for drawn in said.drawn))
            shown = ", ".join(f"{ratio:.2f}" for ratio in ratios)
            print(f"{period:8} {'shared' if shared else 'all':8} {fmean(ratios):.3f} (personas: {shown})", flush=True)
            if sensitive:
                clusters_of, passed, turns_of, replaced = (
                    sum(getattr(one, name) for one in everything)
                    for name in ("clusters", "passed", "turns", "replaced")
                )
                print(
                    f"         {passed} of {clusters_of} clusters, {replaced} of {turns_of} turns in them", flush=True
                )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
