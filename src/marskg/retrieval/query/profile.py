"""Ranking profiles: what counts how much when memories are ranked, one YAML file each.

Guarantees: a profile is checked whole before it is used; an unknown key or a value out of range is refused with the
file, the key and what is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from marskg.config import RankingWeights, duration_ms, read_yaml
from marskg.errors import InvalidConfig
from marskg.ontology.vocabulary import MemoryClass

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What may be weighed, each from 0 to 1 for every candidate.
FEATURES: Final = (
    "similarity",
    "context",
    "lexical",
    "graph",
    "exact",
    "key",
    "score",
    "class",
    "recency",
    "intent",
    "importance",
    "session",
    "subject",
    "own_word",
    "period",
    "reply",
    "time",
)
#: What the file of a user's own profile ends with.
FILES: Final = (".yaml", ".yml")
#: What is worth how much is added up as it is; the others look at the best of each search only.
LINEAR: Final = "linear"
_FUSIONS: Final = ("weighted", "reciprocal", LINEAR)
_INTENTS: Final = ("filter", "boost", "off")
_KEYS: Final = ("fusion", "constant", "weights", "classes", "half_life", "intent", "candidates")
_MOST: Final = 10_000
_DEFAULTS: Final = RankingWeights()


@dataclass(frozen=True, slots=True)
class Profile:
    """How candidates are ranked. ``half_life`` is in milliseconds; ``candidates`` is how many each search may give.

    ``without`` names searches, ``graph`` or ``lexical``, that are left out for once; no file sets it.
    """

    name: str
    fusion: str
    weights: Mapping[str, float]
    classes: Mapping[MemoryClass, float]
    constant: int = 60
    half_life: int = 30 * 86_400_000
    intent: str = "boost"
    candidates: int = 200
    without: frozenset[str] = frozenset()

    @property
    def linear(self) -> bool:
        """Return whether everything is added up as it is."""
        return self.fusion == LINEAR


def built_in() -> list[str]:
    """Return the names of the profiles that come with the package."""
    return sorted(path.name.removesuffix(".yaml") for path in _folder().iterdir() if path.name.endswith(".yaml"))


def _folder() -> Any:  # noqa: ANN401 - a Traversable of the standard library
    return files("marskg.retrieval") / "profiles"


def load_profile(name: str, weights: RankingWeights = _DEFAULTS) -> Profile:
    """Return the profile of this name, or the one in the ``.yaml`` file of this path.

    ``weights`` are those of the settings, for a linear profile that has none of its own.

    Raises:
        InvalidConfig: there is no such profile, or the file is not one.
    """
    if name in built_in():
        return parse(read_yaml(Path(str(_folder() / f"{name}.yaml"))), name, weights)
    if name.endswith(FILES):
        return parse(read_yaml(Path(name)), name, weights)
    msg = f"there is no ranking profile {name[:80]!r}; use {', '.join(built_in())}, or the path of a .yaml file"
    raise InvalidConfig(msg)


def parse(given: Mapping[str, Any], name: str, weights: RankingWeights = _DEFAULTS) -> Profile:
    """Return the profile that the mapping ``given`` describes; for ``weights`` see :func:`load_profile`.

    Raises:
        InvalidConfig: a key is unknown or a value is not allowed.
    """
    _known(name, "", given, _KEYS)
    usual = weights.by_name() if given.get("fusion") == LINEAR else None
    own = _table(name, "weights", given.get("weights", usual), FEATURES)
    if not any(own.values()):
        msg = f"{name}: weights are all 0, so that nothing is ranked; set one of {', '.join(FEATURES)}"
        raise InvalidConfig(msg)
    classes = _table(name, "classes", given.get("classes", {}), tuple(item.value for item in MemoryClass))
    return Profile(
        name=name,
        fusion=_choice(name, "fusion", given.get("fusion", "reciprocal"), _FUSIONS),
        weights=MappingProxyType(own),
        classes=MappingProxyType({item: classes[item.value] for item in MemoryClass}),
        constant=_integer(name, "constant", given.get("constant", 60), 1),
        half_life=_duration(name, given.get("half_life", "30d")),
        intent=_choice(name, "intent", given.get("intent", "boost"), _INTENTS),
        candidates=_integer(name, "candidates", given.get("candidates", 200), 1),
    )


def _known(name: str, section: str, given: Mapping[Any, Any], allowed: tuple[str, ...]) -> None:
    for key in given:
        if key not in allowed:
            msg = f"{name}: unknown key {section}{str(key)[:80]!r}; allowed there are {', '.join(allowed)}"
            raise InvalidConfig(msg)


def _table(name: str, section: str, given: object, allowed: tuple[str, ...]) -> dict[str, float]:
    if not isinstance(given, dict):
        msg = f"{name}: {section} must be a section with {', '.join(allowed)}"
        raise InvalidConfig(msg)
    _known(name, f"{section}.", given, allowed)
    values = dict.fromkeys(allowed, 0.0)
    for key, value in given.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _MOST:
            msg = f"{name}: {section}.{key} is {str(value)[:40]!r}; it must be a number from 0 to {_MOST}"
            raise InvalidConfig(msg)
        values[key] = float(value)
    return values


def _choice(name: str, key: str, value: object, allowed: tuple[str, ...]) -> str:
    # YAML reads a bare off as false.
    text = "off" if value is False else value
    if not isinstance(text, str) or text not in allowed:
        msg = f"{name}: {key} is {str(value)[:40]!r}; it must be {' or '.join(allowed)}"
        raise InvalidConfig(msg)
    return text


def _integer(name: str, key: str, value: object, low: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= _MOST:
        msg = f"{name}: {key} is {str(value)[:40]!r}; it must be an integer from {low} to {_MOST}"
        raise InvalidConfig(msg)
    return value


def _duration(name: str, value: object) -> int:
    found = duration_ms(value) if isinstance(value, str) else None
    if not found:
        msg = f'{name}: half_life is {str(value)[:40]!r}; it must be a duration such as "30d" or "12h"'
        raise InvalidConfig(msg)
    return found
