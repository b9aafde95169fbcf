"""Prints how much of what Memora asks for extractive summaries say: the figures of docs/reference/forgetting-bench.md.

Run ``python scripts/summary_quality.py FOLDER [weekly|monthly]...`` with the folder ``memora`` of the unpacked data.
The turns of a persona are clustered as the policy Reflection-Summary does it, each cluster is summarised to 40 % of its
tokens, and beside each summary stand sentences of the cluster drawn at random until they have as many tokens; the mean
of five draws. A value counts if a line says it, by the frozen judge of the retrieval bench.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from marskg.bench._fama.matching import says
from marskg.bench._memora import BenchPersona, personas
from marskg.embedding.static import StaticEmbedding
from marskg.ontology.vocabulary import Kind
from marskg.reflection.clustering import Episode, Limits, clusters
from marskg.reflection.extractive import ExtractiveSummariser
from marskg.reflection.passages import Constituent
from marskg.reflection.summariser import Request
from marskg.text import sentences
from marskg.weight import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from marskg.bench._fama.matching import Value

PERIODS = ("weekly", "monthly")
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


class Quality:
    """Summarises what personas said."""

    def __init__(self) -> None:
        """Load the tokenizer and the vectors."""
        self.counter = TokenCounter()
        self._summariser = ExtractiveSummariser(self.counter)
        self._embedding = StaticEmbedding()

    def said(self, turns: Sequence[tuple[int, str]]) -> Said:
        """Return the lines about ``turns``, pairs of the session's number and the text."""
        episodes = [Episode("one", str(session), session * APART_MS, n) for n, (session, _) in enumerate(turns)]
        found = clusters(episodes, self._embedding.embed([text for _, text in turns]), LIMITS)
        said = Said()
        for cluster in found:
            members = tuple(self._constituent(n, turns[n][1]) for n in cluster)
            weight = sum(member.weight for member in members)
            lines = self._summariser.summarise(Request(members, int(weight * SHARE))).lines
            said.summaries += [line.text for line in lines]
            pool = [sentence for member in members for sentence in sentences(member.content)]
            used = sum(self.counter.count(line.text) for line in lines)
            for draw in range(DRAWS):
                said.drawn[draw] += self._drawn(pool, used, f"{draw}{cluster}")
        return said

    def _constituent(self, place: int, text: str) -> Constituent:
        name = f"urn:uuid:00000000-0000-7000-8000-{place + 1:012x}"
        return Constituent(name, Kind.EPISODIC, text, place, place, self.counter.count(text))

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
    if not arguments or not set(arguments[1:]) <= set(PERIODS):
        print(f"usage: summary_quality.py FOLDER [{'|'.join(PERIODS)}]...", file=sys.stderr)
        return 2
    quality = Quality()
    for period in arguments[1:] or PERIODS:
        for shared in (True, False):
            ratios = []
            for place in personas(Path(arguments[0]), period, ()):
                persona = BenchPersona(place, quality.counter)
                turns = [
                    (number, turn.message)
                    for number, session in enumerate(persona.sessions)
                    for turn in session.turns
                    if turn.shared or not shared
                ]
                said, values = quality.said(turns), wanted(persona)
                ratios.append(heard(values, said.summaries) / fmean(heard(values, drawn) for drawn in said.drawn))
            shown = ", ".join(f"{ratio:.2f}" for ratio in ratios)
            print(f"{period:8} {'shared' if shared else 'all':8} {fmean(ratios):.3f} (personas: {shown})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
