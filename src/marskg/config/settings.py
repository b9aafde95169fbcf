"""A tenant's settings: one YAML file, or the tenant's stored row, as typed frozen values.

Guarantees: every value has a default, a range and a meaning in the table :data:`SETTINGS`, which follows from the
fields of :class:`Settings` and which ``docs/reference/defaults.md`` repeats; an unknown or repeated key, NaN or a value
out of range is refused with :class:`~marskg.errors.InvalidConfig`, which names the file, the key and what is allowed.
Durations are int64 milliseconds. Equal settings have equal JSON.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from marskg.api.arguments import checked_calls
from marskg.config.forgetting import AdaptiveSettings, PartitionSettings, PolicySettings, Scoring, TieredSettings
from marskg.config.former import FORMER_NAMES, brought_up, named_now
from marskg.config.keeping import (
    LeanSettings,
    PrivacySettings,
    ReflectionSettings,
    SensitivitySettings,
    SuppressionSettings,
)
from marskg.config.models import ModelSettings
from marskg.config.reading import (
    AUTO,
    EXACT,
    AssemblySettings,
    AuditSettings,
    EmbeddingSettings,
    EntitySettings,
    LearningSettings,
    RetrievalSettings,
)
from marskg.config.table import Setting, Value, choice, duration, integer, keyed, number, part_of, section
from marskg.config.yaml_file import read_yaml
from marskg.errors import InvalidConfig
from marskg.meant import nearest
from marskg.ontology.vocabulary import MemoryClass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

#: What becomes of a memory whose life ended, where it is kept aside.
ARCHIVE = "archive"
#: Contents in clear, contents under a key of each subject, or whichever of them suits the engine of a new tenant.
IN_CLEAR, SUBJECT_KEYS, BY_ENGINE = "off", "subjects", "auto"
#: What a section may be given by one word: the values that a paper has (MemoryArchitect II.F and its prototype's
#: configuration), or the defaults.
PRESETS: Mapping[str, Mapping[str, Mapping[str, object]]] = MappingProxyType({
    "lives": {
        "default": {},
        "memoryarchitect": {"canonical": None, "factual": "30d", "intent_bound": "24h", "ephemeral": "1h",
                            "private": "7d"},
    },
    "lean": {
        "default": {},
        "memoryarchitect": {"archive_below": 20, "archive_after": "90d", "compress_below": 20,
                            "compress_longer_than": 256},
    },
})  # fmt: skip


@checked_calls(errors=dict.fromkeys(("from_json", "from_mapping", "from_yaml", "life", "with_values"), InvalidConfig))
@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a tenant's owner may set; change it with ``dataclasses.replace`` or :meth:`with_values`."""

    budget: int = integer("tokens that all live memories may weigh together (B)", 1_000_000, 1)
    budget_shares: float = number(
        "part of the budget that is kept for the user's word and the operator's documents, into which others' writes "
        "and pins do not evict; the rest is kept for the others",
        0.5,
        0,
        1,
        name="budget.shares",
    )
    low_water: float = number("share of the budget that an automatic trigger evicts down to", 0.95, 0.01, 1.0)
    latent_budget: int | None = integer("tokens that all latent memories may weigh together", None, 0)
    head_interval: int = integer("audit records between two signed tree heads", 256, 1, 1_000_000)
    keep_details: int | None = duration(
        "time after which maintenance seals the audit: cores and proofs stay, details go", None
    )
    audit: AuditSettings = section(AuditSettings)
    task_grace: int = duration("time after its deadline for which a task counts as active", "7d", high=math.inf)
    encryption: str = choice(
        "whether contents, names and keys are encrypted under a key of each subject; fixed when the tenant is created: "
        "auto is subjects on a server, whose files nobody but its operator can rewrite, and off in a folder",
        BY_ENGINE,
        (BY_ENGINE, IN_CLEAR, SUBJECT_KEYS),
    )
    max_content_bytes: int = integer("UTF-8 bytes that the content of one memory may have", 1 << 20, 1, 1 << 26)
    embedding: EmbeddingSettings = section(EmbeddingSettings)
    entities: EntitySettings = section(EntitySettings)
    retrieval: RetrievalSettings = section(RetrievalSettings)
    assembly: AssemblySettings = section(AssemblySettings)
    learning: LearningSettings = section(LearningSettings)
    lean: LeanSettings = section(LeanSettings)
    lives: Mapping[MemoryClass, int | None] = keyed(
        {
            MemoryClass.CANONICAL: duration("life of a canonical memory", None),
            MemoryClass.FACTUAL: duration("life of a factual memory, from its last reinforcement", None),
            MemoryClass.INTENT_BOUND: duration("life of an intent-bound memory", None),
            MemoryClass.EPHEMERAL: duration(
                "longest life of an ephemeral memory; where it has one, the end of its session comes first", None
            ),
            MemoryClass.PRIVATE: duration("life of a private memory", "7d", optional=True),
        }
    )
    on_expiry: str = choice(
        "what becomes of a memory whose life or ttl ended: it goes, or it is put aside into the latent tier; "
        "what is private, or bound to a use or a session, always goes",
        "delete",
        ("delete", ARCHIVE),
    )
    policy: PolicySettings = section(PolicySettings)
    partitions: PartitionSettings = section(PartitionSettings)
    tiered: TieredSettings = section(TieredSettings)
    adaptive: AdaptiveSettings = section(AdaptiveSettings)
    privacy: PrivacySettings = section(PrivacySettings)
    suppression: SuppressionSettings = section(SuppressionSettings)
    reflection: ReflectionSettings = section(ReflectionSettings)
    sensitivity: SensitivitySettings = section(SensitivitySettings)
    models: ModelSettings = section(ModelSettings)

    @property
    def scoring(self) -> Scoring:
        """Return the weights of importance."""
        return self.policy.scoring

    def life(self, memory_class: MemoryClass) -> int | None:
        """Return how long a memory of the class lives, in milliseconds; None for ever."""
        return self.lives[memory_class]

    def values(self) -> dict[str, Value]:
        """Return every setting by its dotted name, in the order of the table."""
        found: dict[str, Value] = {}
        _ROOT.read(self, found)
        return found

    def with_values(self, values: Mapping[str, Any], source: str = "the settings given") -> Settings:
        """Return a copy with the settings of dotted names replaced, each checked; a section may name a preset.

        Raises:
            InvalidConfig: a name is unknown or a value is not allowed.
        """
        merged: dict[str, Value] = self.values()
        for name, value in spelled_out(values, source):
            merged[name] = check_value(name, value, source)
        found: Settings = _ROOT.build(merged)
        found._check(source)
        return found

    def checked(self, source: str) -> Settings:
        """Return these settings, each looked at as if it were given by its name: whoever made them may not have.

        Raises:
            InvalidConfig: a value is not allowed.
        """
        try:
            values = {name: writable(name, value) for name, value in self.values().items()}
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            msg = f"{source} hold a value of another type; change single ones by their names, as values={{…}}"
            raise InvalidConfig(msg) from error
        return self.with_values(values, source)

    def encrypted_as(self, encryption: str) -> Settings:
        """Return a copy with ``encryption`` where this leaves it to the engine.

        Raises:
            InvalidConfig: another setting excludes it.
        """
        return self.with_values({"encryption": encryption}) if self.encryption == BY_ENGINE else self

    def embedded_by(self, model: str) -> Settings:
        """Return a copy with the ``model`` of the vectors where this leaves it to what is installed."""
        return self.with_values({"embedding.model": model}) if self.embedding.model == AUTO else self

    def on_engine(self, *, scrubs: bool) -> Settings:
        """Return the settings of a new tenant; ``scrubs`` says whether its engine can rewrite its files.

        Raises:
            InvalidConfig: the tenant is to be encrypted, and another setting excludes it.
        """
        return self.encrypted_as(IN_CLEAR if scrubs else SUBJECT_KEYS)

    def to_parameters(self) -> tuple[str, ...]:
        """Return ``name=value`` strings in the order of their names, as the audit records them."""
        return tuple(sorted(f"{name}={_text(value)}" for name, value in self.values().items()))

    def to_json(self) -> str:
        """Return the settings as canonical JSON."""
        return json.dumps(self.values(), sort_keys=True, separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """Return the settings that :meth:`to_json` wrote; settings that it did not know have their defaults.

        So have those that have a default of before only a private memory had a life (docs/adr/0044).

        Raises:
            InvalidConfig: the text is no such JSON.
        """
        return _stored(text)

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

    def _check(self, source: str) -> None:
        """Refuse settings that exclude each other."""
        self.policy.check(source)
        self.learning.check(source)
        if self.encryption == SUBJECT_KEYS and self.retrieval.vectors != EXACT:
            msg = (
                f"{source}: retrieval.vectors must be exact with encryption, as the engine's index has vectors in "
                f"clear; leave it so, or create the tenant with encryption: {IN_CLEAR}"
            )
            raise InvalidConfig(msg)
        if self.encryption == SUBJECT_KEYS and self.lean.shared:
            msg = (
                f"{source}: lean.shared must be false with encryption, as those who subscribe do not have the keys; "
                f"create a tenant that is to be shared with encryption: {IN_CLEAR}"
            )
            raise InvalidConfig(msg)
        self.retrieval.weights.check(source)
        self.partitions.check(source)
        self.tiered.check(source)


#: Python refuses to write integers of more than some 4,300 digits.
_MOST_BITS = 10_000
_ROOT = part_of(Settings)
#: Every setting by its dotted name, in the order of the documentation.
SETTINGS: Mapping[str, Setting] = MappingProxyType(dict(_ROOT.settings()))
_SECTIONS = frozenset(
    name.rsplit(".", depth)[0] for name in SETTINGS for depth in range(1, name.count(".") + 1)
) - frozenset(SETTINGS)


def _dotted(nested: Mapping[Any, Any], source: str, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in nested.items():
        name = f"{prefix}{key}"
        if name in _SECTIONS:
            if value is None:
                continue
            if name in PRESETS and isinstance(value, str):
                yield name, value
                continue
            if not isinstance(value, dict):
                msg = f"{source}: {name} is a section; it takes {', '.join(_children(name))}{_or_presets(name)}"
                raise InvalidConfig(msg)
            yield from _dotted(value, source, f"{name}.")
        elif name in SETTINGS or name in FORMER_NAMES:
            yield name, value
        else:
            raise InvalidConfig(_unknown(source, name))


@lru_cache(maxsize=256)  # a server's tenant is read again and again, and its settings seldom change
def _stored(text: str) -> Settings:
    try:
        stored = json.loads(text)
    except ValueError:
        stored = None
    if not isinstance(stored, dict):
        msg = "the stored settings are not a JSON object; set them again with: mars init --config FILE"
        raise InvalidConfig(msg)
    values = {name: writable(name, value) if name in SETTINGS else value for name, value in brought_up(stored).items()}
    return Settings().with_values(values, "the stored settings")


def spelled_out(values: Mapping[str, Any], source: str) -> Iterator[tuple[str, Any]]:
    """Yield the settings of dotted names, those of a preset one by one, in the order given, each by its name of now.

    Raises:
        InvalidConfig: a section names a preset that it does not have, or a setting is given by both of its names.
    """
    for name, value in values.items():
        if name in FORMER_NAMES and FORMER_NAMES[name] in values:
            msg = f"{source}: {name} is the former name of {FORMER_NAMES[name]}, which is given as well; leave it out"
            raise InvalidConfig(msg)
        if name not in PRESETS:
            yield named_now(name, value)
            continue
        preset = PRESETS[name].get(value) if isinstance(value, str) else None
        if preset is None:
            msg = f"{source}: {name} is {value!r:.80}; it takes {', '.join(_children(name))}{_or_presets(name)}"
            raise InvalidConfig(msg)
        defaults = {key: setting.default for key, setting in SETTINGS.items() if key.startswith(f"{name}.")}
        if value == "default":
            yield from ((key, writable(key, default)) for key, default in defaults.items())
        yield from ((f"{name}.{key}", one) for key, one in preset.items())


def _or_presets(section: str) -> str:
    return f", or one of the words {', '.join(PRESETS[section])}" if section in PRESETS else ""


def writable(name: str, value: Value) -> Value:
    """Return a value as the table takes it: a duration with its unit."""
    return SETTINGS[name].writable(value)


def check_value(name: str, value: object, source: str) -> Value:
    """Return the value of a setting as the table holds it, whatever the others are.

    Raises:
        InvalidConfig: the name is unknown, or the value is not allowed.
    """
    name, value = named_now(name, value)
    if name not in SETTINGS:
        raise InvalidConfig(_unknown(source, name))
    setting = SETTINGS[name]
    parsed = setting.parse(value)
    if parsed is None and not (value is None and setting.optional):
        shown = "too large a number" if _is_huge(value) else repr(value)[:80]
        msg = f"{source}: {name} is {shown}; it must be {setting.allowed}"
        raise InvalidConfig(msg)
    return parsed


def _is_huge(value: object) -> bool:
    """Return whether there is an integer in it that Python does not write."""
    if isinstance(value, (list, tuple)):
        return any(map(_is_huge, value))
    return isinstance(value, int) and value.bit_length() > _MOST_BITS


def _unknown(source: str, name: str) -> str:
    parent = name.rpartition(".")[0]
    while parent and parent not in _SECTIONS:
        parent = parent.rpartition(".")[0]
    allowed = _children(parent)
    near = nearest(name.removeprefix(f"{parent}."), allowed)
    meant = "" if near is None else f"did you mean {near!r}? "
    return f"{source}: unknown key {name[:120]!r}; {meant}allowed there are {', '.join(allowed)}"


def _children(section: str) -> list[str]:
    prefix = f"{section}." if section else ""
    return list(dict.fromkeys(name[len(prefix) :].split(".")[0] for name in SETTINGS if name.startswith(prefix)))


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "none" if value is None else str(value)
