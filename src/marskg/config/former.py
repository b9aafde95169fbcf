"""What settings that earlier versions stored, or that go by a former name, have to be brought up to date by.

Guarantees: a former name means the setting that took its place; what decides nothing any more is passed over; a default
of before only a private memory had a life is not taken for anybody's choice (docs/adr/0044), nor one of before long
memories had passages; what was stored in clear is not taken for encrypted.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from marskg.config.durations import UNITS

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Settings that stores of earlier versions hold and that decide nothing any more.
_RETIRED = frozenset({"assembly.selection", "assembly.pool"})
#: Settings by the names that they had; these are taken until version 1.0.
FORMER_NAMES: Mapping[str, str] = MappingProxyType({"reflection.summariser": "models.curate"})
#: What a word of one of them is called now.
_FORMER_WORDS: Mapping[tuple[str, object], str] = MappingProxyType({("reflection.summariser", "extractive"): "none"})
#: The setting by which stored settings show that they know of :data:`FORMER_DEFAULTS`.
_MARK_OF_LIVES = "on_expiry"
#: The setting by which stored settings show that they know of long memories' passages, and the default until then.
_MARK_OF_PASSAGES = "retrieval.weights.similarity"
_BEFORE_PASSAGES: Mapping[str, float] = MappingProxyType({"assembly.longest_share": 0.5})
#: Defaults until only private memories had a life: settings stored then have them, whether anybody chose them or not.
FORMER_DEFAULTS: Mapping[str, int] = MappingProxyType({
    "lives.factual": 30 * UNITS["d"],
    "lives.intent_bound": 24 * UNITS["h"],
    "lives.ephemeral": UNITS["h"],
    "lean.archive_below": 20,
    "lean.compress_below": 20,
})  # fmt: skip
_NEVER = object()


def knows_lives(stored: str) -> bool:
    """Return whether stored settings, as JSON, were written since only a private memory has a life."""
    return f'"{_MARK_OF_LIVES}":' in stored


def named_now(name: str, value: object) -> tuple[str, object]:
    """Return the name and the value by which a setting of a former name goes now; of any other what is given."""
    return FORMER_NAMES.get(name, name), _FORMER_WORDS.get((name, value), value) if name in FORMER_NAMES else value


def brought_up(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return stored settings without what is retired, and without the former defaults where they know of no other."""
    former: dict[str, object] = {}
    if _MARK_OF_LIVES not in stored:
        former |= FORMER_DEFAULTS
    if _MARK_OF_PASSAGES not in stored:
        former |= _BEFORE_PASSAGES
    kept = {name: value for name, value in stored.items() if name not in _RETIRED and former.get(name, _NEVER) != value}
    # Who has no such setting was made before there was encryption.
    return {"encryption": "off", **dict(named_now(name, value) for name, value in kept.items())}
