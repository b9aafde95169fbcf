"""The settings of what finds, ranks and shows memories, and of what learns from how they are used."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from marskg.config.table import SWITCH, choice, duration, flag, integer, number, section, text
from marskg.errors import InvalidConfig

#: When a reading is recorded: with those of the next tenth of a second, or before anything is shown.
GROUPED, STRICT = "grouped", "strict"
#: How the nearest vectors are found.
EXACT, ENGINE, AUTO = "exact", "engine", "auto"
_MOST_WEIGHT = 10_000
#: The slope of a score's step where it stops being whole; a steeper one would let a lower score overtake.
_STEEPEST = 3


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """When the operator's readings are recorded: ``grouped`` or ``strict``."""

    access: str = choice(
        "when the operator's reading is on disk: within a tenth of a second, with the others of that time, or "
        "before anything is shown",
        GROUPED,
        (GROUPED, STRICT),
    )


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """What makes the vectors of a tenant."""

    model: str = text(
        "model that makes the vectors: e5, static, minilm, sentence-transformers:NAME, openai:MODEL@URL, none, or auto "
        "for e5 where it is installed and static elsewhere, settled when the tenant is made",
        AUTO,
    )


@dataclass(frozen=True, slots=True)
class EntitySettings:
    """What finds the entities and relations of a tenant's memories; ``recognise`` is ``on`` or ``off``."""

    recognise: str = choice("whether entities and relations are found in what is remembered", "on", SWITCH)
    dictionary: str | None = text("a .yaml file of names that go before the rules, with types and aliases", None)
    model: str = text("what finds names besides the rules: none, or spacy:NAME", "none")


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """What each part of the default ranking counts: the sum of the weighed parts decides the order.

    ``mars bench retrieval --fit`` learns them from questions whose answers are known (docs/explanation/ranking.md).
    """

    similarity: float = number("weight of the cosine of a memory's best passage", 5.0, 0, _MOST_WEIGHT)
    context: float = number("weight of what a turn's neighbours add to its cosine", 3.0, 0, _MOST_WEIGHT)
    lexical: float = number(
        "weight of the question's words and of those like them, each by how rare it is", 0.35, 0, _MOST_WEIGHT
    )
    session: float = number("weight of the question's words in the whole session", 0.5, 0, _MOST_WEIGHT)
    subject: float = number("weight of being about somebody whom the question names", 3.5, 0, _MOST_WEIGHT)
    own_word: float = number("weight of the user's own words where the question says I", 1.6, 0, _MOST_WEIGHT)
    period: float = number("weight of being valid at a time that the question names", 2.75, 0, _MOST_WEIGHT)
    reply: float = number("weight of answering a question in the session", 0.6, 0, _MOST_WEIGHT)
    time: float = number("weight of saying a time where the question asks for one", 2.5, 0, _MOST_WEIGHT)
    graph: float = number("weight of nearness to a rare name in the question", 0.0, 0, _MOST_WEIGHT)
    exact: float = number("weight of having the id or the key that stands in the question", 50.0, 0, _MOST_WEIGHT)
    key: float = number("weight of the share of the memory's key that the question says", 1.5, 0, _MOST_WEIGHT)
    intent: float = number(
        "weight of the topic, the source or the taste that the question asks for", 2.0, 0, _MOST_WEIGHT
    )
    score: float = number("weight of having proved useful again and again, a score above 70", 1.0, 0, _MOST_WEIGHT)
    memory_class: float = number("weight of how lasting a memory's class is", 0.25, 0, _MOST_WEIGHT)
    recency: float = number("weight of how new a memory is", 0.05, 0, _MOST_WEIGHT)

    def check(self, source: str) -> None:
        """Refuse weights that rank nothing.

        Raises:
            InvalidConfig: all are 0.
        """
        if not any(self.by_name().values()):
            msg = f"{source}: retrieval.weights are all 0, so that nothing is ranked; set retrieval.weights.similarity"
            raise InvalidConfig(msg)

    def by_name(self) -> dict[str, float]:
        """Return the weights by the names that explanations have."""
        named = asdict(self)
        return {"class" if name == "memory_class" else name: weight for name, weight in named.items()}


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """How a tenant is read where the caller says nothing."""

    profile: str = text("how candidates are ranked: fused, memoryarchitect, or the path of a .yaml file", "fused")
    k: int = integer(
        "most memories that one retrieval shows where the caller says nothing; the token budget binds before it",
        1_000,
        1,
        1_000_000,
    )
    token_budget: int = integer("tokens of one retrieval where the caller says nothing", 1_000, 0, 1 << 30)
    min_confidence: float = number(
        "confidence below which what is shown is marked as perhaps not bearing on the question; counts where the "
        "embedding model is calibrated, as the bundled ones are",
        0.5,
        0,
        1,
    )
    cache: int = integer("answers that are kept for the same question asked again; 0 for none", 0, 0, 100_000)
    cache_life: int = duration("time for which a kept answer may be given again while nothing changes", "5m")
    vectors: str = choice(
        "how the nearest vectors are found: all are compared, the engine's index is asked, or the one above "
        "exact_up_to",
        EXACT,
        (EXACT, ENGINE, AUTO),
    )
    exact_up_to: int = integer(
        "memories up to which all vectors are compared where retrieval.vectors is auto", 250_000, 0
    )
    reranker: str = text(
        "what puts the best memories in order again: none, sentence-transformers:NAME, or rerank:MODEL@URL", "none"
    )
    rerank: int = integer("how many of the best the reranker reads", 50, 2, 1_000)
    time_zone: str = text("time zone of a reader who names none: of the IANA database, such as Europe/Berlin", "UTC")
    week_start: str = choice('day on which "this week" begins', "monday", ("monday", "sunday"))
    weights: RankingWeights = section(RankingWeights)

    @property
    def indexed(self) -> bool:
        """Return whether the engine's own index holds the vectors as well."""
        return self.vectors != EXACT


@dataclass(frozen=True, slots=True)
class AssemblySettings:
    """How a token budget is filled.

    ``recent_share`` and ``summary_share`` are of the budget; turns may have more when what is remembered does not need
    it. ``longest_share`` is of the room for memories.
    """

    recent_turns: int = integer("last turns of a conversation that are shown as they were said", 6, 0, 1_000)
    recent_share: float = number("share of the tokens that these turns may take", 0.35, 0, 1)
    summary_share: float = number("share of the tokens that a conversation's summary may take", 0.15, 0, 1)
    longest_share: float = number("share of the room that one memory may take while others wait", 0.25, 0.05, 1)
    excerpts: int = integer("memories of one passage that may be shortened to fit", 4, 0, 64)
    minimum_excerpt: int = integer("tokens below which an excerpt is not shown", 8, 1, 1_000)
    jaccard: float = number("overlap of terms from which two memories say the same", 0.8, 0.5, 1)
    cosine: float = number("similarity from which two memories that overlap say the same", 0.9, 0, 1)
    plain_below: int = integer("tokens below which headings are left out", 64, 0, 1_000_000)

    def checked(self) -> AssemblySettings:
        """Return these settings.

        Raises:
            InvalidConfig: the shares are more than the whole budget.
        """
        if self.recent_share + self.summary_share > 1:
            msg = (
                f"assembly settings recent_share {self.recent_share} and summary_share {self.summary_share} are more "
                "than the whole budget: lower one of them"
            )
            raise InvalidConfig(msg)
        return self


@dataclass(frozen=True, slots=True)
class LearningSettings:
    """How scores move by use and time, what counts as use, what is done about conflicts, and what fades out.

    Scores are 0 to 100, times in milliseconds. Source: MemoryArchitect II.B to II.E; semantics section 12.
    """

    birth: int = integer("score of a memory when it is stored", 50, 0, 100)
    chat_birth: int = integer("score of an episode of a conversation when it is stored", 30, 0, 100)
    used_step: int = integer("points that a use adds", 10, 1, 33)
    unused_step: int = integer("points that being shown in vain takes", 5, 1, 33)
    bend: int = integer(
        "points from the end below which steps shrink; at least three times the larger step", 38, 3, 100
    )
    contradicted_percent: int = integer(
        "share of its score that a memory loses when an answer contradicts it", 50, 1, 100
    )
    idle_grace: int = duration("time after the last access in which a score does not decay", "30d")
    half_life: int = duration("time in which a score halves after that", "180d", 1)
    overlap_from: float = number("share of a memory's terms in an answer from which it counts as used", 0.5, 1e-6, 1)
    similarity_from: float | None = number(
        "similarity to a sentence of the answer from which it counts as used; null: as calibrated for the model",
        None,
        1e-6,
        1,
    )
    contradicted_from: float = number("confidence from which an answer contradicts a memory", 0.7, 1e-6, 1)
    conflicts: str = choice(
        "what is done at write about a new memory whose text conflicts with older ones",
        "ignore",
        ("ignore", "flag", "newest", "most_reliable", "review"),
    )
    supersede_from: float = number("confidence of a conflict from which the loser is superseded", 0.75, 0, 1)
    reliability_margin: float = number("how much less reliable a winner may be before a person is asked", 0.3, 0, 1)
    floor: int = integer("score below which a memory is a candidate for pruning", 20, 0, 100)
    margin: int = integer("points around the floor within which a person is asked first", 2, 0, 100)
    min_age: int = duration("age below which nothing is pruned", "7d")
    proven: int = integer("score from which a use extends a memory's life, and above which it ranks higher", 70, 1, 100)
    extension_percent: int = integer("share of its class's life that a score of 100 adds to a new life", 100, 0, 1_000)
    review_below: float = number(
        "confidence below which what was read from a text waits for a person in the review", 0.5, 0, 1
    )
    not_kept: bool = flag(
        "whether a user's turn that asks not to be kept is left out; false stores it like any other", default=True
    )
    legal_horizon: int | None = duration("age beyond which no use extends a life", None)
    background: int | None = duration(
        "how often turns that models.extract did not come to are read on while the operator has the memory open; none "
        "to read them when that is asked for",
        "5m",
        1,
        optional=True,
    )

    def check(self, source: str) -> None:
        """Refuse steps by which a lower score would overtake a higher one.

        Raises:
            InvalidConfig: the steps are too large for ``bend``.
        """
        if self.bend < _STEEPEST * max(self.used_step, self.unused_step):
            msg = (
                f"{source}: learning.bend is {self.bend}; it must be at least {_STEEPEST} times the larger of "
                "learning.used_step and learning.unused_step, or a lower score would overtake a higher one: raise it"
            )
            raise InvalidConfig(msg)
