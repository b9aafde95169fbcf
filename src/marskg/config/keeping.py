"""The settings of privacy, of what becomes of sensitive memories, of summaries and of upkeep."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from marskg.config.table import SWITCH, choice, duration, flag, integer, keyed, number, text

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What a memory may hold that makes it sensitive, how sensitive, and in words.
_SENSITIVE: Mapping[str, tuple[float, str]] = MappingProxyType({
    "secret": (1.0, "a password, key or token"),
    "card": (0.9, "the number of a payment card"),
    "national_id": (0.9, "a national identifier"),
    "account": (0.6, "the number of a bank account"),
    "address": (0.5, "a postal address"),
    "birth_date": (0.5, "a date of birth"),
    "email": (0.4, "an e-mail address"),
    "phone": (0.4, "a telephone number"),
    "identifier": (0.4, "a handle, a vehicle or a customer number"),
    "network": (0.3, "a network address"),
    "name": (0.2, "a person who is introduced by name"),
    "health": (0.6, "somebody's health"),
    "protected": (0.6, "ethnicity, religion, politics, sexuality or the like"),
    "finance": (0.4, "somebody's money"),
})  # fmt: skip
#: What else says that a memory is sensitive.
_SENSITIVE_CUES: Mapping[str, tuple[float, str]] = MappingProxyType({
    "social": (0.1, "a memory about how people relate"),
    "purpose": (0.2, "a memory kept for a purpose that was consented to"),
    "private": (0.7, "a memory that its caller put into the class private"),
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class LeanSettings:
    """How a tenant is kept lean (MemoryArchitect II.F): scores are 0 to 100, times in milliseconds.

    ``cap_per_subject``: live memories about one subject. ``archive_below`` and ``archive_after``: score and time
    without access from which a memory moves to the latent tier. ``compress_below`` and ``compress_longer_than``: score
    and tokens from which a memory is replaced by an excerpt. ``shed_at``: concurrent reads above which retrieval sheds
    load. ``shared``: whether other tenants may subscribe.
    """

    cap_per_subject: int | None = integer("live memories that a subject may have after a maintenance pass", None, 1)
    archive_below: int | None = integer(
        "score below which what is not accessed is archived; none for never", None, 0, 100
    )
    archive_after: int = duration("time without access after which it is", "90d")
    compress_below: int | None = integer("score below which a long memory is shortened; none for never", None, 0, 100)
    compress_longer_than: int = integer("tokens from which it counts as long; half as many are kept", 256, 16, 1 << 20)
    shed_at: int | None = integer(
        "reads at once above which retrieval leaves things out; none for never", None, 1, 100_000
    )
    shared: bool = flag("whether other tenants of the store may subscribe to this one", default=False)


@dataclass(frozen=True, slots=True)
class ReflectionSettings:
    """How clusters of episodes become summaries (semantics section 6).

    ``share``: of a cluster's tokens. ``tau_util``: a distance of unit vectors, 0 to 2. ``tau_priv`` and ``s_floor``:
    sensitivities. ``privacy`` is ``max`` or ``min``, ``closure`` is ``content`` or ``strict``. ``members`` to
    ``model_calls`` are what one trigger costs at most; ``model_pause`` is in milliseconds.
    """

    share: float = number("share of its cluster's tokens that a summary may have", 0.4, 0.01, 0.95)
    tau_util: float = number(
        "distortion up to which a summary may stand for its cluster: the mean distance of unit vectors", 0.95, 0, 2
    )
    tau_priv: float = number("how far below its most sensitive constituent a summary must stay", 0.1, 0, 1)
    s_floor: float = number("sensitivity that any summary may have", 0.3, 0, 1)
    privacy: str = choice(
        "which constituent's sensitivity, less tau_priv, a summary is held against: the highest or the lowest",
        "max",
        ("max", "min"),
    )
    closure: str = choice(
        "what becomes of the constituents: tombstones, or with strict latent memories", "content", ("content", "strict")
    )
    similarity: float = number("cosine from which two episodes may be in one cluster", 0.45, 0, 1)
    members: int = integer("most memories in one cluster", 24, 2, 1_000)
    candidates: int = integer("oldest episodes that one trigger looks at", 20_000, 2, 1_000_000)
    clusters: int = integer("most clusters that one trigger summarises", 256, 0, 100_000)
    model_calls: int = integer("most requests to a language model in one trigger", 16, 0, 100_000)
    model_failures: int = integer("failures in a row after which a model is left alone", 2, 1, 1_000)
    model_pause: int = duration("how long it is left alone", "10m")


@dataclass(frozen=True, slots=True)
class PrivacySettings:
    """What the policy ``private`` may spend (semantics section 11); budgets are epsilons, None for no limit."""

    epsilon_per_choice: float = number("epsilon that the policy private spends on each memory that goes", 0.1, 1e-4, 10)
    epsilon_budget: float = number("epsilon that a tenant may spend altogether", 10.0, 0, 1e6)
    conversation_epsilon_budget: float | None = number(
        "epsilon that one conversation may spend; none for the tenant's alone", None, 0, 1e6
    )
    group_size: int = integer(
        "memories of one person that are to be protected together: each choice costs so many times its epsilon",
        1,
        1,
        1_000_000,
    )
    when_spent: str = choice(
        "what the policy private does without budget: draws uniformly, or refuses the write",
        "uniform",
        ("uniform", "refuse"),
    )


@dataclass(frozen=True, slots=True)
class SuppressionSettings:
    """How often it may be told within ``within`` (ms) that something was erased; ``hits`` None for no limit."""

    hits: int | None = integer(
        "how often within suppression.within a write is told that what it brings was erased; then all that "
        "would be compared with it is refused alike",
        20,
        1,
        optional=True,
    )
    within: int = duration("the time in which these are counted", "1h", 1)


@dataclass(frozen=True, slots=True)
class SensitivitySettings:
    """What makes a memory sensitive (MaRS section 3.3.3): weights from 0 to 1 by category and by cue.

    ``topic_margin`` is a difference of cosines, ``redact_similarity`` a cosine; the rest are shares.
    """

    assess: str = choice("whether what is remembered is searched for what is personal or secret", "on", SWITCH)
    presidio: str = choice(
        "whether presidio is asked about what looks like an identifier; auto: where it is installed",
        "auto",
        ("auto", "on", "off"),
    )
    model: str = text("what finds names besides the rules: none, spacy:NAME or transformers:FOLDER", "none")
    accumulation: float = number("how far each further kind of thing brings s nearer to 1", 0.1, 0, 1)
    impersonal: float = number(
        "share of the weight of health, finance and protected attributes where a document is about nobody", 0.5, 0, 1
    )
    topic_margin: float = number(
        "how much nearer a sentence must be to a category's than to ordinary ones: a difference of cosines", 0.05, 0, 1
    )
    redact_similarity: float = number("cosine from which a sentence of an output repeats a hidden one", 0.75, 0, 1)
    redact_overlap: float = number("share of the terms of the shorter of the two from which it does", 0.6, 0.1, 1)
    weights: Mapping[str, float] = keyed(
        {name: number(f"sensitivity of {words}", weight, 0, 1) for name, (weight, words) in _SENSITIVE.items()}
    )
    cues: Mapping[str, float] = keyed(
        {name: number(f"sensitivity of {words}", weight, 0, 1) for name, (weight, words) in _SENSITIVE_CUES.items()}
    )
