"""A tenant's settings: one YAML file, or the tenant's stored row, as typed frozen values.

Guarantees: every value has a default, a range and a meaning in the table :data:`SETTINGS`, which
``docs/reference/defaults.md`` repeats; an unknown or repeated key, NaN or a value out of range is refused with
:class:`~marskg.errors.InvalidConfig`, which names the file, the key and what is allowed. Durations are int64
milliseconds. Equal settings have equal JSON.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

from marskg.errors import InvalidConfig
from marskg.ontology.vocabulary import Kind, MemoryClass, Tier

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

#: A setting's value as the table holds it: durations in milliseconds, ``None`` for none.
Value: TypeAlias = "str | int | float | None"

MAX_FILE_BYTES = 1 << 20
_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_DURATION = re.compile(r"^([0-9]{1,12})\s*(ms|s|m|h|d|w)$")
#: How the nearest vectors are found.
EXACT, ENGINE, AUTO = "exact", "engine", "auto"
_MAX_INT = (1 << 62) - 1
_MAX_DURATION = 36_525 * _UNITS["d"]
#: The slope of a score's step where it stops being whole; a steeper one would let a lower score overtake.
STEEPEST = 3
#: Whether kinds have shares of the budget, and whether these move.
PARTITION_MODES = ("off", "fixed", "dual")
#: What a switch may be.
_SWITCH = ("on", "off")
#: Whose keys contents are encrypted under.
SUBJECT_KEYS = "subjects"
_ENCRYPTION = ("off", SUBJECT_KEYS)


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of the table: what a setting means, its default and what it may be."""

    meaning: str
    default: Value
    kind: str
    low: float = 0
    high: float = math.inf
    choices: tuple[str, ...] = ()
    optional: bool = False

    @property
    def allowed(self) -> str:
        """Return in words what the setting may be."""
        if self.kind == "choice":
            words = " or ".join(self.choices)
        elif self.kind == "duration":
            words = 'a duration such as "30d", "24h", "90m" or "10s"'
        elif self.kind == "text":
            words = "a name or a path"
        elif self.kind == "flag":
            words = "true or false"
        else:
            noun = "an integer" if self.kind == "integer" else "a number"
            words = f"{noun} from {self.low:g}" + (f" to {self.high:g}" if self.high < _MAX_INT else "")
        return f"{words}, or null for none" if self.optional else words


def _number(meaning: str, default: float, low: float, high: float) -> Setting:
    return Setting(meaning, default, "number", low, high)


def _integer(meaning: str, default: int | None, low: int, high: int = _MAX_INT, *, optional: bool = False) -> Setting:
    return Setting(meaning, default, "integer", low, high, optional=optional)


def _duration(meaning: str, default: str | None) -> Setting:
    value = None if default is None else int(default[:-1]) * _UNITS[default[-1]]
    return Setting(meaning, value, "duration", 0, _MAX_DURATION, optional=True)


def _lifetime(meaning: str) -> Setting:
    return Setting(meaning, 0, "duration", 0, _MAX_DURATION)


def _flag(meaning: str, *, default: bool) -> Setting:
    return Setting(meaning, default, "flag")


#: The features psi of MaRS eq. (5), each from 0 to 1, and what each says of a memory.
FEATURES: Mapping[str, str] = MappingProxyType({
    "recency": "how lately it was read",
    "frequency": "how often it was read",
    "goal": "similarity to what is to be done now",
    "centrality": "personalised PageRank from the active tasks",
    "degree": "its edges of meaning, people and mentions",
    "generality": "the generality that it states",
    "novelty": "what no newer memory repeats",
    "score": "its score from use",
    "urgency": "how near a task's deadline is",
})  # fmt: skip
#: What each feature is worth by kind, in the order of FEATURES; those of a kind sum up to its type weight.
_THETA: Mapping[Kind, tuple[float, ...]] = MappingProxyType({
    Kind.EPISODIC: (0.14, 0.06, 0.06, 0.02, 0.02, 0.0, 0.05, 0.05, 0.0),
    Kind.SEMANTIC: (0.10, 0.14, 0.12, 0.08, 0.08, 0.08, 0.10, 0.10, 0.0),
    Kind.SOCIAL: (0.12, 0.12, 0.06, 0.12, 0.10, 0.0, 0.08, 0.10, 0.0),
    Kind.TASK: (0.25, 0.10, 0.15, 0.05, 0.05, 0.0, 0.0, 0.10, 0.30),
})  # fmt: skip


def _weights() -> Iterator[tuple[str, Setting]]:
    """Yield the settings of theta, one for each kind and feature."""
    for kind, weights in _THETA.items():
        for (feature, meaning), weight in zip(FEATURES.items(), weights, strict=True):
            name = f"policy.density.theta.{kind.value}.{feature}"
            words = f"utility of the feature {feature} of a {kind.value} memory: {meaning}"
            yield name, _number(words, weight, 0, 1_000)


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


def _sensitivities() -> Iterator[tuple[str, Setting]]:
    """Yield the weights of what makes a memory sensitive."""
    for name, (weight, words) in _SENSITIVE.items():
        yield f"sensitivity.weights.{name}", _number(f"sensitivity of {words}", weight, 0, 1)
    for name, (weight, words) in _SENSITIVE_CUES.items():
        yield f"sensitivity.cues.{name}", _number(f"sensitivity of {words}", weight, 0, 1)


#: Every setting by its dotted name, in the order of the documentation.
SETTINGS: Mapping[str, Setting] = MappingProxyType({
    "budget": _integer("tokens that all live memories may weigh together (B)", 1_000_000, 1),
    "low_water": _number("share of the budget that an automatic trigger evicts down to", 0.95, 0.01, 1.0),
    "latent_budget": _integer("tokens that all latent memories may weigh together", None, 0, optional=True),
    "head_interval": _integer("audit records between two signed tree heads", 256, 1, 1_000_000),
    "keep_details": _duration("time after which maintenance seals the audit: cores and proofs stay, details go", None),
    "task_grace": Setting("time after its deadline for which a task counts as active", 7 * _UNITS["d"], "duration"),
    "encryption": Setting("whether contents, names and keys are encrypted under a key of each subject; fixed when the "
                          "tenant is created", "off", "choice", choices=_ENCRYPTION),
    "max_content_bytes": _integer("UTF-8 bytes that the content of one memory may have", 1 << 20, 1, 1 << 26),
    "embedding.model": Setting("model that makes the vectors: static, minilm, sentence-transformers:NAME, "
                               "openai:MODEL@URL, or none", "static", "text"),
    "entities.recognise": Setting("whether entities and relations are found in what is remembered", "on", "choice",
                                  choices=_SWITCH),
    "entities.dictionary": Setting("a .yaml file of names that go before the rules, with types and aliases", None,
                                   "text", optional=True),
    "entities.model": Setting("what finds names besides the rules: none, or spacy:NAME", "none", "text"),
    "retrieval.profile": Setting("how candidates are ranked: fused, memoryarchitect, or the path of a .yaml file",
                                 "fused", "text"),
    "retrieval.k": _integer("most memories that one retrieval shows where the caller says nothing", 20, 1, 1_000_000),
    "retrieval.token_budget": _integer("tokens of one retrieval where the caller says nothing", 1_000, 0, 1 << 30),
    "retrieval.cache": _integer("answers that are kept for the same question asked again; 0 for none",
                                0, 0, 100_000),
    "retrieval.cache_life": Setting("time for which a kept answer may be given again while nothing changes",
                                    5 * _UNITS["m"], "duration", 0, _MAX_DURATION),
    "retrieval.vectors": Setting("how the nearest vectors are found: all are compared, the engine's index is asked, or "
                                 "the one above exact_up_to", "exact", "choice", choices=(EXACT, ENGINE, AUTO)),
    "retrieval.exact_up_to": _integer("memories up to which all vectors are compared where retrieval.vectors is auto",
                                      250_000, 0),
    "assembly.selection": Setting("how memories are chosen: by marginal gain per token, or in rank order",
                                  "greedy", "choice", choices=("greedy", "rank")),
    "assembly.pool": _integer("best ranked memories that assembly looks at", 256, 1, 2_000),
    "assembly.recent_turns": _integer("last turns of a conversation that are shown as they were said", 6, 0, 1_000),
    "assembly.recent_share": _number("share of the tokens that these turns may take", 0.35, 0, 1),
    "assembly.summary_share": _number("share of the tokens that a conversation's summary may take", 0.15, 0, 1),
    "assembly.longest_share": _number("share of the room above which one memory is shortened", 0.5, 0.05, 1),
    "assembly.excerpts": _integer("memories that may be shortened to fit", 4, 0, 64),
    "assembly.minimum_excerpt": _integer("tokens below which an excerpt is not shown", 8, 1, 1_000),
    "assembly.jaccard": _number("overlap of terms from which two memories say the same", 0.8, 0.5, 1),
    "assembly.cosine": _number("similarity from which two memories that overlap say the same", 0.9, 0, 1),
    "assembly.plain_below": _integer("tokens below which headings and attributions are left out", 64, 0, 1_000_000),
    "learning.birth": _integer("score of a memory when it is stored", 50, 0, 100),
    "learning.chat_birth": _integer("score of an episode of a conversation when it is stored", 30, 0, 100),
    "learning.used_step": _integer("points that a use adds", 10, 1, 33),
    "learning.unused_step": _integer("points that being shown in vain takes", 5, 1, 33),
    "learning.bend": _integer("points from the end below which steps shrink; at least three times the larger step",
                              38, 3, 100),
    "learning.contradicted_percent": _integer("share of its score that a memory loses when an answer contradicts it",
                                              50, 1, 100),
    "learning.idle_grace": Setting("time after the last access in which a score does not decay", 30 * _UNITS["d"],
                                   "duration", 0, _MAX_DURATION),
    "learning.half_life": Setting("time in which a score halves after that", 180 * _UNITS["d"], "duration", 1,
                                  _MAX_DURATION),
    "learning.overlap_from": _number("share of a memory's terms in an answer from which it counts as used",
                                     0.5, 1e-6, 1),
    "learning.similarity_from": _number("similarity to a sentence of the answer from which it counts as used",
                                        0.75, 1e-6, 1),
    "learning.contradicted_from": _number("confidence from which an answer contradicts a memory", 0.7, 1e-6, 1),
    "learning.conflicts": Setting("what is done at write about a new memory whose text conflicts with older ones",
                                  "ignore", "choice", choices=("ignore", "flag", "newest", "most_reliable", "review")),
    "learning.supersede_from": _number("confidence of a conflict from which the loser is superseded", 0.75, 0, 1),
    "learning.reliability_margin": _number("how much less reliable a winner may be before a person is asked",
                                           0.3, 0, 1),
    "learning.floor": _integer("score below which a memory is a candidate for pruning", 20, 0, 100),
    "learning.margin": _integer("points around the floor within which a person is asked first", 2, 0, 100),
    "learning.min_age": Setting("age below which nothing is pruned", 7 * _UNITS["d"], "duration", 0, _MAX_DURATION),
    "learning.proven": _integer("score from which a use extends the life of a memory", 70, 1, 100),
    "learning.extension_percent": _integer("share of its class's life that a score of 100 adds to a new life",
                                           100, 0, 1_000),
    "learning.legal_horizon": _duration("age beyond which no use extends a life", None),
    "lean.cap_per_subject": _integer("live memories that a subject may have after a maintenance pass",
                                     None, 1, optional=True),
    "lean.archive_below": _integer("score below which what is not accessed is archived; none for never",
                                   20, 0, 100, optional=True),
    "lean.archive_after": Setting("time without access after which it is", 90 * _UNITS["d"], "duration",
                                  0, _MAX_DURATION),
    "lean.compress_below": _integer("score below which a long memory is shortened; none for never",
                                    20, 0, 100, optional=True),
    "lean.compress_longer_than": _integer("tokens from which it counts as long; half as many are kept",
                                          256, 16, 1 << 20),
    "lean.shed_at": _integer("reads at once above which retrieval leaves things out; none for never",
                             None, 1, 100_000, optional=True),
    "lean.shared": _flag("whether other tenants of the store may subscribe to this one", default=False),
    "lives.canonical": _duration("life of a canonical memory", None),
    "lives.factual": _duration("life of a factual memory, from its last reinforcement", "30d"),
    "lives.intent_bound": _duration("life of an intent-bound memory", "24h"),
    "lives.ephemeral": _duration("longest life of an ephemeral memory; the end of its session comes first", "1h"),
    "lives.private": _duration("life of a private memory", "7d"),
    "policy.name": Setting("policy of the automatic trigger: a built-in name or the path of a .cypher file",
                           "priority-decay", "text"),
    "policy.evict_to": Setting("where a policy puts what it evicts", "tombstone", "choice",
                               choices=(Tier.TOMBSTONE.value, Tier.LATENT.value)),
    "policy.grace": _duration("time in latent before an evicted memory becomes a tombstone", None),
    "policy.review": Setting("what a policy would remove and a person is to see first: nothing, what is sensitive, or "
                             "all; it waits in the latent tier", "off", "choice", choices=("off", "sensitive", "all")),
    "policy.review_from": _number("sensitivity from which policy.review: sensitive takes it", 0.5, 0, 1),
    "policy.quarantine": Setting("time for which it waits there before it goes", 30 * _UNITS["d"], "duration", 1,
                                 _MAX_DURATION),
    "policy.guardrail": Setting("importance per token that a trigger may lose at most, unless the budget itself asks "
                                "for it; none for no limit", None, "number", 0, 1_000, optional=True),
    "policy.time_limit": Setting("time that one statement of a user's .cypher policy may take; a write that waits for "
                                 "it is refused then", 30 * _UNITS["s"], "duration", 1, _MAX_DURATION),
    "policy.enumeration": _integer("size of the sets that the policy greedy starts from besides: 3 for 1 - 1/e",
                                   0, 0, 3),
    "policy.tie_band": _number("how far above the lowest density, relative to it, the policy randomised-tie-break "
                               "takes a memory for as low", 0.05, 0, 1_000),
    "policy.coverage.key": _number("what the policy greedy gives for a key that some kept memory has", 0.25, 0, 1_000),
    "policy.coverage.entity": _number("what it gives for an entity that something kept mentions", 0.25, 0, 1_000),
    "policy.coverage.goal": _number("what it gives for a task that something kept serves", 0.5, 0, 1_000),
    "policy.coverage.subject": _number("what it gives for a person whom something kept is about", 0.5, 0, 1_000),
    "policy.scoring.alpha": _number("weight of the kind in importance (alpha)", 0.4, 0, 1_000),
    "policy.scoring.beta": _number("weight of recency in importance (beta)", 0.4, 0, 1_000),
    "policy.scoring.gamma": _number("weight of frequency in importance (gamma)", 0.2, 0, 1_000),
    "policy.scoring.lambda_age": _number("decay of recency per day; 0.023 halves it in 30 days", 0.023, 0, 100),
    "policy.scoring.frequency_half": _number("number of accesses at which frequency is one half", 5.0, 1e-6, 1e9),
    "policy.scoring.spare_margin": _number("relative gain in density that takes a memory off the list for eviction",
                                           0.05, 0, 10),
    "policy.scoring.type_weights.episodic": _number("importance of an episode as such", 0.4, 0, 1_000),
    "policy.scoring.type_weights.semantic": _number("importance of a fact as such", 0.8, 0, 1_000),
    "policy.scoring.type_weights.social": _number("importance of a relation between people as such", 0.7, 0, 1_000),
    "policy.scoring.type_weights.task": _number("importance of a task as such", 1.0, 0, 1_000),
    "policy.density.lambda_priv": _number("utility that a sensitivity of 1 takes away (lambda_priv)", 0.2, 0, 1_000),
    "policy.density.centrality_half": _number("personalised PageRank at which centrality is one half", 0.01, 1e-6, 1),
    "policy.density.degree_half": _number("number of edges at which the feature degree is one half", 8.0, 1e-6, 1e9),
    "policy.density.urgency_half": Setting("time before its deadline at which a task is half as urgent as then",
                                           2 * _UNITS["d"], "duration", 1, _MAX_DURATION),
    **dict(_weights()),
    "policy.hybrid.stale_after": Setting("time without access after which the temporal stage may take a memory",
                                         30 * _UNITS["d"], "duration", 0, _MAX_DURATION),
    "policy.hybrid.temporal_share": _number("share of what is to be freed that the temporal stage frees at most",
                                            0.25, 0, 1),
    "policy.hybrid.reflection_share": _number("share that the reflection stage frees at most of what the temporal "
                                              "stage left to be freed; 0 for none", 0.5, 0, 1),
    "policy.hybrid.importance_share": _number("share that the importance stage frees of what the stages before it "
                                              "left to be freed", 0.75, 0, 1),
    "partitions.mode": Setting("whether each kind has a share of the budget: off, fixed, or dual, where shares move to "
                               "the kind whose next tokens are worth most", "off", "choice", choices=PARTITION_MODES),
    "partitions.step": _number("largest part of the budget by which one trigger moves a share", 0.02, 0, 0.5),
    "partitions.window": _integer("triggers over which the worth of a kind's next tokens is averaged", 16, 1, 10_000),
    "partitions.user_budget": _integer("tokens that the live memories about one person may weigh together", None, 1,
                                       optional=True),
    "partitions.conversation_budget": _integer("tokens that the live memories of one session may weigh together",
                                               None, 1, optional=True),
    "partitions.shares.episodic": _number("part of the budget that episodes begin with", 0.4, 0, 1),
    "partitions.shares.semantic": _number("part of the budget that facts begin with", 0.3, 0, 1),
    "partitions.shares.social": _number("part of the budget that relations between people begin with", 0.1, 0, 1),
    "partitions.shares.task": _number("part of the budget that tasks begin with", 0.2, 0, 1),
    "partitions.reserves.episodic": _number("part of the budget below which the share of episodes never falls",
                                            0.05, 0, 1),
    "partitions.reserves.semantic": _number("part of the budget below which the share of facts never falls",
                                            0.1, 0, 1),
    "partitions.reserves.social": _number("part of the budget below which the share of relations never falls",
                                          0.05, 0, 1),
    "partitions.reserves.task": _number("part of the budget below which the share of tasks never falls", 0.05, 0, 1),
    "partitions.lifetimes.episodic": _lifetime("age below which no episode goes unless the budget cannot hold"),
    "partitions.lifetimes.semantic": _lifetime("age below which no fact goes unless the budget cannot hold"),
    "partitions.lifetimes.social": _lifetime("age below which no relation goes unless the budget cannot hold"),
    "partitions.lifetimes.task": _lifetime("age below which no task goes unless the budget cannot hold"),
    "tiered.baseline": Setting("policy of the lowest tier: a built-in name or the path of a .cypher file", "fifo",
                               "text"),
    "tiered.raised": Setting("policy of the middle tier", "priority-decay", "text"),
    "tiered.top": Setting("policy of the top tier, whose passes may be costly", "hybrid", "text"),
    "tiered.window": _integer("triggers over which the pressure is averaged", 8, 1, 10_000),
    "tiered.raise_triggers": _number("triggers for every 100 arrivals from which the middle tier is taken",
                                     10.0, 0, 100),
    "tiered.raise_misses": _number("part of the answers that missed from which it is", 0.25, 0, 1),
    "tiered.top_triggers": _number("triggers for every 100 arrivals from which the top tier is taken", 30.0, 0, 100),
    "tiered.top_misses": _number("part of the answers that missed from which it is", 0.5, 0, 1),
    "tiered.ease": _number("part of its thresholds below which a tier's pressure is calm", 0.5, 0, 1),
    "tiered.calm": _integer("calm triggers in succession after which a tier is left", 4, 1, 10_000),
    "tiered.top_hours": Setting("hours in UTC in which the top tier may run, such as 22:00-06:00; none for all day",
                                None, "text", optional=True),
    "tiered.top_every": Setting("time after a pass of the top tier in which there is no other", 10 * _UNITS["m"],
                                "duration", 0, _MAX_DURATION),
    "adaptive.arms": Setting("policies that a bandit chooses among, separated by commas",
                             "fifo, lru, priority-decay, random-drop", "text"),
    "adaptive.exploration": _number("how far a draw strays from what is expected (v); 0 never tries another", 0.25,
                                    0, 100),
    "adaptive.ridge": _number("how strongly an arm's weights are held at 0 before rewards are seen", 1.0, 1e-6, 1e6),
    "adaptive.hits": _number("weight of answers of use in the reward", 1.0, 1e-6, 1_000),
    "adaptive.freed": _number("weight of freed tokens in the reward", 0.1, 0, 1_000),
    "adaptive.complaints": _number("weight of complaints in the reward", 0.5, 0, 1_000),
    "privacy.epsilon_per_choice": _number("epsilon that the policy private spends on each memory that goes", 0.1,
                                          1e-4, 10),
    "privacy.epsilon_budget": _number("epsilon that a tenant may spend altogether", 10.0, 0, 1e6),
    "privacy.conversation_epsilon_budget": Setting("epsilon that one conversation may spend; none for the tenant's "
                                                   "alone", None, "number", 0, 1e6, optional=True),
    "privacy.group_size": _integer("memories of one person that are to be protected together: each choice costs so "
                                   "many times its epsilon", 1, 1, 1_000_000),
    "privacy.when_spent": Setting("what the policy private does without budget: draws uniformly, or refuses the write",
                                  "uniform", "choice", choices=("uniform", "refuse")),
    "suppression.hits": _integer("how often within suppression.within a write is told that what it brings was erased; "
                                 "then all that would be compared with it is refused alike", 20, 1, optional=True),
    "suppression.within": Setting("the time in which these are counted", 3_600_000, "duration", 1, _MAX_DURATION),
    "reflection.summariser": Setting("what writes summaries: extractive, or openai:MODEL@URL", "extractive", "text"),
    "reflection.share": _number("share of its cluster's tokens that a summary may have", 0.4, 0.01, 0.95),
    "reflection.tau_util": _number("distortion up to which a summary may stand for its cluster: the mean distance of "
                                   "unit vectors", 0.95, 0, 2),
    "reflection.tau_priv": _number("how far below its most sensitive constituent a summary must stay", 0.1, 0, 1),
    "reflection.s_floor": _number("sensitivity that any summary may have", 0.3, 0, 1),
    "reflection.privacy": Setting("which constituent's sensitivity a summary is held against: the highest less "
                                  "tau_priv, or the lowest", "max", "choice", choices=("max", "min")),
    "reflection.closure": Setting("what becomes of the constituents: tombstones, or with strict latent memories",
                                  "content", "choice", choices=("content", "strict")),
    "reflection.similarity": _number("cosine from which two episodes may be in one cluster", 0.45, 0, 1),
    "reflection.members": _integer("most memories in one cluster", 24, 2, 1_000),
    "reflection.candidates": _integer("oldest episodes that one trigger looks at", 20_000, 2, 1_000_000),
    "reflection.clusters": _integer("most clusters that one trigger summarises", 256, 0, 100_000),
    "reflection.model_calls": _integer("most requests to a language model in one trigger", 16, 0, 100_000),
    "reflection.model_failures": _integer("failures in a row after which a model is left alone", 2, 1, 1_000),
    "reflection.model_pause": Setting("how long it is left alone", 10 * _UNITS["m"], "duration", 0, _MAX_DURATION),
    "sensitivity.assess": Setting("whether what is remembered is searched for what is personal or secret", "on",
                                  "choice", choices=_SWITCH),
    "sensitivity.presidio": Setting("whether presidio is asked about what looks like an identifier; auto: where it is "
                                    "installed", "auto", "choice", choices=("auto", "on", "off")),
    "sensitivity.model": Setting("what finds names besides the rules: none, spacy:NAME or transformers:FOLDER", "none",
                                 "text"),
    "sensitivity.accumulation": _number("how far each further kind of thing brings s nearer to 1", 0.1, 0, 1),
    "sensitivity.impersonal": _number("share of the weight of health, finance and protected attributes where a "
                                      "document is about nobody", 0.5, 0, 1),
    "sensitivity.topic_margin": _number("how much nearer a sentence must be to a category's than to ordinary ones: a "
                                        "difference of cosines", 0.03, 0, 1),
    "sensitivity.redact_similarity": _number("cosine from which a sentence of an output repeats a hidden one", 0.75,
                                               0, 1),
    "sensitivity.redact_overlap": _number("share of the terms of the shorter of the two from which it does", 0.6,
                                            0.1, 1),
    **dict(_sensitivities()),
})  # fmt: skip
_SECTIONS = frozenset(name.rsplit(".", depth)[0] for name in SETTINGS for depth in range(1, name.count(".") + 1))


@dataclass(frozen=True, slots=True)
class Scoring:
    """The weights of importance (MaRS section 3.3.2) and of what is built on it.

    ``lambda_age`` is per day. Frequency is ``a / (a + frequency_half)`` for ``a`` accesses. ``spare_margin`` is the
    relative gain in density that a memory needs before an access takes it off the list for eviction (section 5.3).
    """

    alpha: float = 0.4
    beta: float = 0.4
    gamma: float = 0.2
    lambda_age: float = 0.023
    frequency_half: float = 5.0
    spare_margin: float = 0.05
    type_weights: Mapping[Kind, float] = field(
        default_factory=lambda: MappingProxyType(
            {Kind.EPISODIC: 0.4, Kind.SEMANTIC: 0.8, Kind.SOCIAL: 0.7, Kind.TASK: 1.0}
        )
    )


def _default_theta() -> Mapping[Kind, Mapping[str, float]]:
    return MappingProxyType(
        {kind: MappingProxyType(dict(zip(FEATURES, weights, strict=True))) for kind, weights in _THETA.items()}
    )


@dataclass(frozen=True, slots=True)
class DensitySettings:
    """What utility per token is made of (MaRS eq. 5): ``theta[kind][feature]`` times the features, less sensitivity.

    ``urgency_half`` is in milliseconds.
    """

    lambda_priv: float = 0.2
    centrality_half: float = 0.01
    degree_half: float = 8.0
    urgency_half: int = 2 * _UNITS["d"]
    theta: Mapping[Kind, Mapping[str, float]] = field(default_factory=_default_theta)


@dataclass(frozen=True, slots=True)
class HybridSettings:
    """How the stages of the policy ``hybrid`` share what is to be freed; ``stale_after`` is in milliseconds."""

    stale_after: int = 30 * _UNITS["d"]
    temporal_share: float = 0.25
    reflection_share: float = 0.5
    importance_share: float = 0.75


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """What makes the vectors of a tenant."""

    model: str = "static"


@dataclass(frozen=True, slots=True)
class EntitySettings:
    """What finds the entities and relations of a tenant's memories; ``recognise`` is ``on`` or ``off``."""

    recognise: str = "on"
    dictionary: str | None = None
    model: str = "none"


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """How a tenant is read where the caller says nothing."""

    profile: str = "fused"
    k: int = 20
    token_budget: int = 1_000
    cache: int = 0
    cache_life: int = 5 * _UNITS["m"]
    vectors: str = EXACT
    exact_up_to: int = 250_000


@dataclass(frozen=True, slots=True)
class LeanSettings:
    """How a tenant is kept lean (MemoryArchitect II.F): scores are 0 to 100, times in milliseconds.

    ``cap_per_subject``: live memories about one subject. ``archive_below`` and ``archive_after``: score and time
    without access from which a memory moves to the latent tier. ``compress_below`` and ``compress_longer_than``: score
    and tokens from which a memory is replaced by an excerpt. ``shed_at``: concurrent reads above which retrieval sheds
    load. ``shared``: whether other tenants may subscribe.
    """

    cap_per_subject: int | None = None
    archive_below: int | None = 20
    archive_after: int = 90 * _UNITS["d"]
    compress_below: int | None = 20
    compress_longer_than: int = 256
    shed_at: int | None = None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class CoverageSettings:
    """What the policy ``greedy`` gives for each thing that some kept memory covers, in units of importance."""

    key: float = 0.25
    entity: float = 0.25
    goal: float = 0.5
    subject: float = 0.5


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """How a tenant forgets.

    ``guardrail`` is the importance per token that a trigger may lose (MaRS section 7.1.1). ``enumeration`` is the size
    of the sets that ``greedy`` starts from besides the empty one. ``time_limit`` is in milliseconds.
    """

    name: str = "priority-decay"
    evict_to: Tier = Tier.TOMBSTONE
    grace: int | None = None
    review: str = "off"
    review_from: float = 0.5
    quarantine: int = 30 * _UNITS["d"]
    guardrail: float | None = None
    time_limit: int = 30_000
    enumeration: int = 0
    tie_band: float = 0.05
    coverage: CoverageSettings = field(default_factory=CoverageSettings)
    scoring: Scoring = field(default_factory=Scoring)
    density: DensitySettings = field(default_factory=DensitySettings)
    hybrid: HybridSettings = field(default_factory=HybridSettings)


def _by_kind(section: str) -> Mapping[Kind, Any]:
    return MappingProxyType({kind: SETTINGS[f"{section}.{kind.value}"].default for kind in Kind})


@dataclass(frozen=True, slots=True)
class PartitionSettings:
    """How the budget is divided among the kinds (MaRS section 3.2.7), and what one person or conversation may use.

    ``shares``, ``reserves`` and ``step`` are parts of the budget, ``window`` counts triggers, ``lifetimes`` are in
    milliseconds. ``user_budget`` and ``conversation_budget`` are tokens, None for no budget but the tenant's.
    """

    mode: str = "off"
    step: float = 0.02
    window: int = 16
    user_budget: int | None = None
    conversation_budget: int | None = None
    shares: Mapping[Kind, float] = field(default_factory=lambda: _by_kind("partitions.shares"))
    reserves: Mapping[Kind, float] = field(default_factory=lambda: _by_kind("partitions.reserves"))
    lifetimes: Mapping[Kind, int] = field(default_factory=lambda: _by_kind("partitions.lifetimes"))

    @property
    def on(self) -> bool:
        """Return whether kinds have shares."""
        return self.mode != "off"

    @property
    def allowances(self) -> Mapping[str, int]:
        """Return the budgets of a single ``user`` and ``conversation``, as far as there are any."""
        found = {"conversation": self.conversation_budget, "user": self.user_budget}
        return {sort: budget for sort, budget in found.items() if budget is not None}


@dataclass(frozen=True, slots=True)
class TieredSettings:
    """When the policy ``tiered`` takes which tier (MaRS line 716).

    ``raise_*`` and ``top_*`` are thresholds: triggers for every 100 arrivals, and the part of answers that missed;
    ``ease`` is a part of them; ``window`` and ``calm`` count triggers; ``top_every`` is in milliseconds.
    """

    baseline: str = "fifo"
    raised: str = "priority-decay"
    top: str = "hybrid"
    window: int = 8
    raise_triggers: float = 10.0
    raise_misses: float = 0.25
    top_triggers: float = 30.0
    top_misses: float = 0.5
    ease: float = 0.5
    calm: int = 4
    top_hours: str | None = None
    top_every: int = 10 * _UNITS["m"]


@dataclass(frozen=True, slots=True)
class AdaptiveSettings:
    """How the policy ``adaptive`` chooses its arms and what it takes for a reward (MaRS section 3.3.5)."""

    arms: str = "fifo, lru, priority-decay, random-drop"
    exploration: float = 0.25
    ridge: float = 1.0
    hits: float = 1.0
    freed: float = 0.1
    complaints: float = 0.5


@dataclass(frozen=True, slots=True)
class ReflectionSettings:
    """How clusters of episodes become summaries (semantics section 6).

    ``share``: of a cluster's tokens. ``tau_util``: a distance of unit vectors, 0 to 2. ``tau_priv`` and ``s_floor``:
    sensitivities. ``privacy`` is ``max`` or ``min``, ``closure`` is ``content`` or ``strict``. ``members`` to
    ``model_calls`` are what one trigger costs at most; ``model_pause`` is in milliseconds.
    """

    summariser: str = "extractive"
    share: float = 0.4
    tau_util: float = 0.95
    tau_priv: float = 0.1
    s_floor: float = 0.3
    privacy: str = "max"
    closure: str = "content"
    similarity: float = 0.45
    members: int = 24
    candidates: int = 20_000
    clusters: int = 256
    model_calls: int = 16
    model_failures: int = 2
    model_pause: int = 600_000


@dataclass(frozen=True, slots=True)
class SensitivitySettings:
    """What makes a memory sensitive (MaRS section 3.3.3): weights from 0 to 1 by category and by cue.

    ``topic_margin`` is a difference of cosines, ``redact_similarity`` a cosine; the rest are shares.
    """

    assess: str = "on"
    presidio: str = "auto"
    model: str = "none"
    accumulation: float = 0.1
    impersonal: float = 0.5
    topic_margin: float = 0.03
    redact_similarity: float = 0.75
    redact_overlap: float = 0.6
    weights: Mapping[str, float] = field(
        default_factory=lambda: MappingProxyType({name: weight for name, (weight, _) in _SENSITIVE.items()})
    )
    cues: Mapping[str, float] = field(
        default_factory=lambda: MappingProxyType({name: weight for name, (weight, _) in _SENSITIVE_CUES.items()})
    )


def _defaults(section: str) -> Mapping[str, Value]:
    """Return the defaults of a section whose values are handed on as they are."""
    prefix = f"{section}."
    return MappingProxyType(
        {name.removeprefix(prefix): setting.default for name, setting in SETTINGS.items() if name.startswith(prefix)}
    )


def _default_lives() -> Mapping[MemoryClass, int | None]:
    found = {}
    for name in MemoryClass:
        value = SETTINGS[f"lives.{name.value}"].default
        found[name] = value if isinstance(value, int) else None
    return MappingProxyType(found)


@dataclass(frozen=True, slots=True)
class PrivacySettings:
    """What the policy ``private`` may spend (semantics section 11); budgets are epsilons, None for no limit."""

    epsilon_per_choice: float = 0.1
    epsilon_budget: float = 10.0
    conversation_epsilon_budget: float | None = None
    group_size: int = 1
    when_spent: str = "uniform"


@dataclass(frozen=True, slots=True)
class SuppressionSettings:
    """How often it may be told within ``within`` (ms) that something was erased; ``hits`` None for no limit."""

    hits: int | None = 20
    within: int = _UNITS["h"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a tenant's owner may set; change it with ``dataclasses.replace`` or :meth:`with_values`."""

    budget: int = 1_000_000
    low_water: float = 0.95
    latent_budget: int | None = None
    head_interval: int = 256
    keep_details: int | None = None
    task_grace: int = 7 * _UNITS["d"]
    encryption: str = "off"
    max_content_bytes: int = 1 << 20
    lives: Mapping[MemoryClass, int | None] = field(default_factory=_default_lives)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    entities: EntitySettings = field(default_factory=EntitySettings)
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    assembly: Mapping[str, Value] = field(default_factory=lambda: _defaults("assembly"))
    learning: Mapping[str, Value] = field(default_factory=lambda: _defaults("learning"))
    lean: LeanSettings = field(default_factory=LeanSettings)
    policy: PolicySettings = field(default_factory=PolicySettings)
    partitions: PartitionSettings = field(default_factory=PartitionSettings)
    tiered: TieredSettings = field(default_factory=TieredSettings)
    adaptive: AdaptiveSettings = field(default_factory=AdaptiveSettings)
    reflection: ReflectionSettings = field(default_factory=ReflectionSettings)
    privacy: PrivacySettings = field(default_factory=PrivacySettings)
    suppression: SuppressionSettings = field(default_factory=SuppressionSettings)
    sensitivity: SensitivitySettings = field(default_factory=SensitivitySettings)

    @property
    def scoring(self) -> Scoring:
        """Return the weights of importance."""
        return self.policy.scoring

    def life(self, memory_class: MemoryClass) -> int | None:
        """Return how long a memory of the class lives, in milliseconds; None for ever."""
        return self.lives[memory_class]

    def values(self) -> dict[str, Value]:
        """Return every setting by its dotted name, in the order of the table."""
        return dict(_flatten(self))

    def with_values(self, values: Mapping[str, Any], source: str = "the settings given") -> Settings:
        """Return a copy with the settings of dotted names replaced, each checked.

        Raises:
            InvalidConfig: a name is unknown or a value is not allowed.
        """
        merged: dict[str, Value] = self.values()
        for name, value in values.items():
            merged[name] = check_value(name, value, source)
        return _build(merged, source)

    def to_parameters(self) -> tuple[str, ...]:
        """Return ``name=value`` strings in the order of their names, as the audit records them."""
        return tuple(sorted(f"{name}={_text(value)}" for name, value in self.values().items()))

    def to_json(self) -> str:
        """Return the settings as canonical JSON."""
        return json.dumps(self.values(), sort_keys=True, separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """Return the settings that :meth:`to_json` wrote; settings that it did not know have their defaults.

        Raises:
            InvalidConfig: the text is no such JSON.
        """
        try:
            stored = json.loads(text)
        except ValueError:
            stored = None
        if not isinstance(stored, dict):
            msg = "the stored settings are not a JSON object; set them again with: mars init --config FILE"
            raise InvalidConfig(msg)
        values = {
            name: f"{value}ms"
            if isinstance(value, int) and name in SETTINGS and SETTINGS[name].kind == "duration"
            else value
            for name, value in stored.items()
        }
        return cls().with_values(values, "the stored settings")

    @classmethod
    def from_yaml(cls, path: str | Path) -> Settings:
        """Return the settings of a YAML file; what it leaves out has its default.

        Raises:
            InvalidConfig: the file cannot be read, has an unknown or repeated key, or a value that is not allowed.
        """
        return cls.from_mapping(read_yaml(path), str(path))

    @classmethod
    def from_mapping(cls, nested: Mapping[str, Any], source: str = "the configuration") -> Settings:
        """Return the settings of a nested mapping as the YAML file has it.

        Raises:
            InvalidConfig: a key is unknown or a value is not allowed.
        """
        return cls().with_values(dict(_dotted(nested, source)), source)


# --- YAML --------------------------------------------------------------------------------------------------------


class _StrictLoader(yaml.SafeLoader):
    """YAML without repeated keys and without aliases, which can blow a small file up."""

    def compose_node(self, parent: Any, index: Any) -> Any:  # noqa: ANN401 - PyYAML's own types
        if self.check_event(yaml.events.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.constructor.ConstructorError(None, None, "aliases are not allowed", mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.value in seen:
                message = f"the key {str(key.value)[:80]!r} is there twice or is no word"
                raise yaml.constructor.ConstructorError(None, None, message, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


class Marked(dict[str, Any]):
    """A mapping of a YAML file that knows its lines: ``line`` is where it begins, ``lines`` where each key stands."""

    line: int = 1
    lines: Mapping[str, int] = MappingProxyType({})


class _MarkedLoader(_StrictLoader):
    """The strict loader, whose mappings are :class:`Marked`."""


def _marked(loader: _MarkedLoader, node: yaml.MappingNode) -> Marked:
    found = Marked({str(key): value for key, value in loader.construct_mapping(node, deep=True).items()})
    found.line = node.start_mark.line + 1
    found.lines = {key.value: key.start_mark.line + 1 for key, _ in node.value}
    return found


_MarkedLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _marked)


def read_marked_yaml(path: str | Path) -> Marked:
    """Return the mapping that a YAML file holds, each mapping in it with its lines; empty for an empty file.

    Raises:
        InvalidConfig: as :func:`read_yaml`.
    """
    found = read_yaml(path, _MarkedLoader)
    return found if isinstance(found, Marked) else Marked(found)


def read_yaml(path: str | Path, loader: type[_StrictLoader] = _StrictLoader) -> dict[str, Any]:
    """Return the mapping that a YAML file holds, empty for an empty file.

    Raises:
        InvalidConfig: the file cannot be read, is too large, is no YAML, or holds something else.
    """
    try:
        with Path(path).open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            msg = f"{path} is larger than {MAX_FILE_BYTES:,} bytes; a configuration is a page of text"
            raise InvalidConfig(msg)
        # Bandit's rule is about loaders that build objects; this one is a SafeLoader.
        loaded = yaml.load(data.decode(), Loader=loader)  # noqa: S506
    except OSError as error:
        msg = f"{path} cannot be read ({error.strerror}); name a readable YAML file"
        raise InvalidConfig(msg) from error
    except (UnicodeDecodeError, RecursionError) as error:
        msg = f"{path} is not YAML in UTF-8; write one setting a line, for example: budget: 8000"
        raise InvalidConfig(msg) from error
    except yaml.YAMLError as error:
        raise InvalidConfig(_yaml_message(path, error)) from error
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        msg = f"{path} holds no mapping; write one setting a line, for example: budget: 8000"
        raise InvalidConfig(msg)
    return loaded


def _yaml_message(path: str | Path, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "it cannot be parsed"
    where = f" line {mark.line + 1}" if mark is not None else ""
    return f"{path}{where} is not valid YAML: {problem}; correct that line"


def _dotted(nested: Mapping[Any, Any], source: str, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in nested.items():
        name = f"{prefix}{key}"
        if name in _SECTIONS:
            if value is None:
                continue
            if not isinstance(value, dict):
                msg = f"{source}: {name} is a section; it takes {_children(name)}"
                raise InvalidConfig(msg)
            yield from _dotted(value, source, f"{name}.")
        elif name in SETTINGS:
            yield name, value
        else:
            raise InvalidConfig(_unknown(source, name))


# --- One value ---------------------------------------------------------------------------------------------------


def duration_ms(text: str) -> int | None:
    """Return the milliseconds of a duration such as ``30d``, or None if the text is none."""
    match = _DURATION.match(text.strip())
    return int(match[1]) * _UNITS[match[2]] if match else None


def check_value(name: str, value: object, source: str) -> Value:
    """Return the value of a setting as the table holds it, whatever the others are.

    Raises:
        InvalidConfig: the name is unknown, or the value is not allowed.
    """
    if name not in SETTINGS:
        raise InvalidConfig(_unknown(source, name))
    return _checked(source, name, value)


def _checked(source: str, name: str, value: object) -> Value:
    setting = SETTINGS[name]
    parsed = _parse(setting, value)
    if parsed is None and not (value is None and setting.optional):
        shown = repr(value)[:80]
        msg = f"{source}: {name} is {shown}; it must be {setting.allowed}"
        raise InvalidConfig(msg)
    return parsed


def _parse(setting: Setting, value: object) -> Value:
    """Return the value as the table holds it, or None where it is not allowed."""
    if isinstance(value, bool) and (word := "on" if value else "off") in setting.choices:
        return word  # YAML reads a bare on and off as true and false.
    if setting.kind == "flag":
        return value if isinstance(value, bool) else None
    if isinstance(value, bool) or value is None:
        return None
    if setting.kind == "text":
        return value if isinstance(value, str) and value.strip() and len(value) <= 4096 else None  # noqa: PLR2004 - PATH_MAX
    if setting.kind == "choice":
        return value if isinstance(value, str) and value in setting.choices else None
    if setting.kind == "duration":
        # A bare number would leave its unit to the reader.
        value = duration_ms(value) if isinstance(value, str) else None
    wanted = (int, float) if setting.kind == "number" else (int,)
    if not isinstance(value, wanted) or not setting.low <= value <= setting.high:
        return None
    return float(value) if setting.kind == "number" else value


def _unknown(source: str, name: str) -> str:
    parent = name.rpartition(".")[0]
    while parent and parent not in _SECTIONS:
        parent = parent.rpartition(".")[0]
    return f"{source}: unknown key {name[:120]!r}; allowed there are {_children(parent)}"


def _children(section: str) -> str:
    prefix = f"{section}." if section else ""
    found = {name[len(prefix) :].split(".")[0]: None for name in SETTINGS if name.startswith(prefix)}
    return ", ".join(found)


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "none" if value is None else str(value)


# --- The table and the dataclasses -------------------------------------------------------------------------------


def _flatten(settings: Settings) -> Iterator[tuple[str, Value]]:
    # Each part of the settings is looked up once: a tenant's are read and written with many of its operations.
    parts: dict[str, Any] = {}
    for name in SETTINGS:
        section, _, last = name.rpartition(".")
        if section not in parts:
            parts[section] = _part(settings, section)
        value = parts[section](last)
        yield name, value.value if isinstance(value, Tier) else value


def _part(settings: Settings, section: str) -> Callable[[str], Any]:
    """Return what reads the settings of a section by the last part of their names."""
    found: Any = settings
    for name in filter(None, section.split(".")):
        # The keys of the mappings are the words of the vocabulary, which are strings.
        found = found[name] if isinstance(found, Mapping) else getattr(found, name)
    return found.__getitem__ if isinstance(found, Mapping) else partial(getattr, found)


def _build(values: Mapping[str, Any], source: str) -> Settings:
    sections: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        parent, _, last = name.rpartition(".")
        sections.setdefault(parent, {})[last] = value

    def section(prefix: str) -> dict[str, Any]:
        return dict(sections.get(prefix.removesuffix("."), {}))

    weights = {Kind(name): value for name, value in section("policy.scoring.type_weights.").items()}
    scoring = Scoring(**section("policy.scoring."), type_weights=MappingProxyType(weights))
    if not scoring.alpha and not scoring.beta and not scoring.gamma:
        msg = f"{source}: policy.scoring has alpha, beta and gamma 0, so that nothing has importance; set one above 0"
        raise InvalidConfig(msg)
    theta = {kind: MappingProxyType(section(f"policy.density.theta.{kind.value}.")) for kind in _THETA}
    policy = section("policy.")
    if policy["grace"] is not None and policy["evict_to"] != Tier.TOMBSTONE:
        msg = f"{source}: policy.grace needs policy.evict_to: tombstone, as it ends there; leave one of them out"
        raise InvalidConfig(msg)
    if policy["review"] != "off" and policy["evict_to"] != Tier.TOMBSTONE:
        msg = f"{source}: policy.review needs policy.evict_to: tombstone, as else nothing is removed; leave one out"
        raise InvalidConfig(msg)
    learning = section("learning.")
    if learning["bend"] < STEEPEST * max(learning["used_step"], learning["unused_step"]):
        msg = (
            f"{source}: learning.bend is {learning['bend']}; it must be at least {STEEPEST} times the larger of "
            "learning.used_step and learning.unused_step, or a lower score would overtake a higher one: raise it"
        )
        raise InvalidConfig(msg)
    _check_encryption(values, source)
    return Settings(
        **section(""),
        lives=MappingProxyType({MemoryClass(name): value for name, value in section("lives.").items()}),
        embedding=EmbeddingSettings(**section("embedding.")),
        entities=EntitySettings(**section("entities.")),
        retrieval=RetrievalSettings(**section("retrieval.")),
        assembly=MappingProxyType(section("assembly.")),
        learning=MappingProxyType(learning),
        lean=LeanSettings(**section("lean.")),
        policy=PolicySettings(
            **policy | {"evict_to": Tier(policy["evict_to"])},
            coverage=CoverageSettings(**section("policy.coverage.")),
            scoring=scoring,
            density=DensitySettings(**section("policy.density."), theta=MappingProxyType(theta)),
            hybrid=HybridSettings(**section("policy.hybrid.")),
        ),
        partitions=_partitions(section, source),
        tiered=_tiered(section("tiered."), source),
        adaptive=AdaptiveSettings(**section("adaptive.")),
        reflection=ReflectionSettings(**section("reflection.")),
        privacy=PrivacySettings(**section("privacy.")),
        suppression=SuppressionSettings(**section("suppression.")),
        sensitivity=SensitivitySettings(
            **section("sensitivity."),
            weights=MappingProxyType(section("sensitivity.weights.")),
            cues=MappingProxyType(section("sensitivity.cues.")),
        ),
    )


def _check_encryption(values: Mapping[str, Any], source: str) -> None:
    """Refuse what would keep contents in clear beside the encrypted ones."""
    if values["encryption"] == "off":
        return
    if values["retrieval.vectors"] != EXACT:
        msg = f"{source}: retrieval.vectors must be exact with encryption, as the engine's index has vectors in clear"
        raise InvalidConfig(msg)
    if values["lean.shared"]:
        msg = f"{source}: lean.shared must be false with encryption, as those who subscribe do not have the keys"
        raise InvalidConfig(msg)


#: Decimals that add up to 1 do so in binary to this.
_ROUNDING = 1e-9


def _tiered(values: Mapping[str, Any], source: str) -> TieredSettings:
    found = TieredSettings(**values)
    for what in ("triggers", "misses"):
        lower, upper = getattr(found, f"raise_{what}"), getattr(found, f"top_{what}")
        if upper < lower:
            msg = (
                f"{source}: tiered.top_{what} is {upper:g}, below tiered.raise_{what}, {lower:g}, so that the middle "
                "tier would be left as soon as it is reached: raise the first or lower the second"
            )
            raise InvalidConfig(msg)
    return found


def _partitions(section: Callable[[str], dict[str, Any]], source: str) -> PartitionSettings:
    def by_kind(name: str) -> Mapping[Kind, Any]:
        return MappingProxyType({Kind(kind): value for kind, value in section(f"partitions.{name}.").items()})

    found = PartitionSettings(
        **section("partitions."),
        shares=by_kind("shares"),
        reserves=by_kind("reserves"),
        lifetimes=by_kind("lifetimes"),
    )
    if not any(found.shares.values()):
        msg = f"{source}: partitions.shares are all 0, so that no kind may keep anything; set one above 0"
        raise InvalidConfig(msg)
    whole = math.fsum(found.shares.values())
    if whole > 1 + _ROUNDING:
        msg = (
            f"{source}: partitions.shares add up to {whole:g}; they are parts of one budget: set "
            f"{', '.join(f'{kind.value} ({share:g})' for kind, share in found.shares.items())} to 1 together"
        )
        raise InvalidConfig(msg)
    if math.fsum(found.reserves.values()) > 1 + _ROUNDING:
        msg = (
            f"{source}: partitions.reserves add up to {math.fsum(found.reserves.values()):g}; they are parts of one "
            "budget: lower them to 1 together"
        )
        raise InvalidConfig(msg)
    return found
