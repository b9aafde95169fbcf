"""Prints predicted against realised distortion of extractive summaries: the table of docs/explanation/reflection.md.

Run ``python scripts/distortion.py [FOLDER [weekly|monthly]...]``. Random stores hold episodes made of templates and
words; with the folder ``memora`` of the unpacked data, the turns of its personas are real ones. Episodes are clustered
and summarised as the policy Reflection-Summary does it by default, with the bundled static embedding and no gate of
distortion, so that the tail is seen as well. Predicted is the mean distance of a cluster's vectors to their centre,
known before anything is written; realised is the mean distance to the summary's own vector.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from statistics import correlation, quantiles
from typing import TYPE_CHECKING

from marskg.config import Settings
from marskg.embedding.static import StaticEmbedding
from marskg.ontology.vocabulary import Kind
from marskg.reflection.clustering import Episode, Limits, clusters
from marskg.reflection.consolidation import Vector, Workshop
from marskg.reflection.extractive import ExtractiveSummariser
from marskg.reflection.gates import Thresholds
from marskg.reflection.passages import Constituent
from marskg.weight import TokenCounter
from marskg_bench.common.memora import BenchPersona, personas

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PERIODS = ("weekly", "monthly")
STORES, EPISODES, TOPICS = 40, 120, 12
APART_MS = 86_400_000 // 20
#: No distance of two unit vectors is larger.
ANY = 2.0
PEOPLE = ("Ana", "Rui", "Ines", "Carl", "the neighbour", "my sister")
VERBS = ("bought", "lost", "repaired", "painted", "borrowed", "watched", "planned", "forgot")
THINGS = (
    ("tomatoes", "garden", "shed", "hose", "roses", "compost"),
    ("train", "ticket", "suitcase", "station", "hotel", "map"),
    ("bread", "oven", "flour", "recipe", "dinner", "salt"),
    ("router", "cable", "laptop", "password", "screen", "printer"),
    ("piano", "concert", "song", "violin", "choir", "stage"),
    ("bicycle", "tyre", "helmet", "road", "brake", "race"),
)
TEMPLATES = (
    "{who} {did} the {one} near the {two} on day {n}.",
    "On day {n} {who} said that the {one} costs {m} euros.",
    "The {one} was {m} years old, and {who} {did} it.",
    "Nobody knows why {who} {did} the {one} and the {two}.",
)


class Measured:
    """Pairs of predicted and realised distortion."""

    def __init__(self) -> None:
        """Load the tokenizer and the vectors."""
        self.counter = TokenCounter()
        self._embedding = StaticEmbedding()
        self._settings = Settings().reflection
        thresholds = Thresholds(ANY, self._settings.tau_priv, self._settings.s_floor)
        summariser = ExtractiveSummariser(self.counter)
        self._workshop = Workshop(summariser, self.counter, self._embed, thresholds, self._settings.share)

    def pairs(self, turns: Sequence[tuple[int, str]]) -> Iterator[tuple[float, float]]:
        """Yield the two numbers of each summary of ``turns``, pairs of the session's number and the text."""
        if not turns:
            return
        episodes = [Episode("one", str(session), session * APART_MS, n) for n, (session, _) in enumerate(turns)]
        vectors = self._embedding.embed([text for _, text in turns])
        limits = Limits(cosine=self._settings.similarity, radius=self._settings.tau_util, most=self._settings.members)
        for cluster in clusters(episodes, vectors, limits):
            members = [self._constituent(n, turns[n][1]) for n in cluster]
            summary = self._workshop.consolidate(members, vectors[list(cluster)]).summary
            if summary is not None:
                yield summary.predicted, summary.realised

    def _constituent(self, place: int, text: str) -> Constituent:
        name = f"urn:uuid:00000000-0000-7000-8000-{place + 1:012x}"
        return Constituent(name, Kind.EPISODIC, text, place, place, self.counter.count(text))

    def _embed(self, text: str) -> Vector:
        return Vector(self._embedding.embed([text])[0], "", ("static", "static"))


def drawn(seed: int) -> list[tuple[int, str]]:
    """Return the turns of a random store: each session about one thing, each turn of one to three sentences."""
    chance = random.Random(seed)  # noqa: S311 - a draw that can be repeated
    found = []
    for number in range(EPISODES):
        session = number * TOPICS // EPISODES
        things = THINGS[(session + seed) % len(THINGS)]
        said = []
        for _ in range(chance.randrange(1, 4)):
            one, two = chance.sample(things, 2)
            values = {"who": chance.choice(PEOPLE), "did": chance.choice(VERBS), "one": one, "two": two}
            said.append(chance.choice(TEMPLATES).format(**values, n=number, m=chance.randrange(2, 90)))
        found.append((session, " ".join(said)))
    return found


def row(name: str, pairs: Sequence[tuple[float, float]], limit: float) -> str:
    """Return one line of the table."""
    predicted, realised = zip(*pairs, strict=True)
    more = [after - before for before, after in pairs]

    def shown(numbers: Sequence[float]) -> str:
        cuts = quantiles(numbers, n=20, method="inclusive")
        return " / ".join(f"{cuts[place]:.2f}" for place in (0, 9, 18))

    above = sum(one > limit for one in realised) / len(realised)
    return (
        f"| {name} | {len(pairs):,} | {shown(predicted)} | {shown(realised)} | {shown(more)} | "
        f"{correlation(predicted, realised):.2f} | {above:.1%} |"
    )


def main(arguments: list[str]) -> int:
    """Print the table."""
    if not set(arguments[1:]) <= set(PERIODS):
        print(f"usage: distortion.py [FOLDER [{'|'.join(PERIODS)}]...]", file=sys.stderr)
        return 2
    measured = Measured()
    limit = Settings().reflection.tau_util
    head = ("stores", "summaries", "predicted", "realised", "realised - predicted", "correlation", f"above {limit:g}")
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    print(row(f"{STORES} random", [one for seed in range(STORES) for one in measured.pairs(drawn(seed))], limit))
    for period in (arguments[1:] or PERIODS) if arguments else ():
        found: list[tuple[float, float]] = []
        for place in personas(Path(arguments[0]), period, ()):
            persona = BenchPersona(place, measured.counter)
            turns = [(n, turn.message) for n, session in enumerate(persona.sessions) for turn in session.turns]
            found += measured.pairs(turns)
        print(row(f"Memora, {period}", found, limit), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
