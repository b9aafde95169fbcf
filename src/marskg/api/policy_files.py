"""The files in which a user says what a store is to do, recognised and checked whole, without a store.

Guarantees: a ``.cypher`` file, or the YAML beside one, is checked as a policy that forgets; YAML with weights or a
fusion as a ranking profile; any other YAML as the settings of a tenant. Every value that is not allowed is found, not
only the first, and so are a policy or profile that a settings file names and that cannot be used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from marskg.config import PRESETS, Settings, check_value, read_yaml
from marskg.errors import InvalidConfig
from marskg.policies.registry import check_policy, check_settings
from marskg.records import Finding, Report
from marskg.retrieval.query.profile import load_profile, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from marskg.config import Value

#: A setting's name, its value and its default, durations in milliseconds.
Difference: TypeAlias = "tuple[str, Value, Value]"

POLICY: Final = "policy"
PROFILE: Final = "profile"
SETTINGS: Final = "settings"
#: What ranking profiles have, one or the other, and no settings file may have.
_MARKS: Final = ("weights", "fusion")


@dataclass(frozen=True, slots=True)
class Checked:
    """What a file is, what was found in it, and what of it differs from the defaults (settings only)."""

    kind: str
    report: Report
    differs: tuple[Difference, ...] = ()


def check_file(path: Path) -> Checked:
    """Return what the file at ``path`` is, and all that is wrong with it."""
    statement = path.with_suffix(".cypher")
    if path.suffix == ".cypher" or statement.is_file():
        return Checked(POLICY, check_policy(statement))
    try:
        given = read_yaml(path)
    except InvalidConfig as error:
        return Checked(SETTINGS, Report(1, (_finding(path, error),)))
    if any(mark in given for mark in _MARKS):
        return Checked(PROFILE, Report(1, tuple(_faults(path, lambda: parse(given, str(path))))))
    return _settings(path, given)


def _settings(path: Path, given: Mapping[str, Any]) -> Checked:
    values = dict(_leaves(given))
    found: list[Finding] = []
    for name, value in values.items():
        if name not in PRESETS:
            found += _faults(path, partial(check_value, name, value, str(path)))
    checked = max(1, len(values))
    if found:
        return Checked(SETTINGS, Report(checked, tuple(found)))
    found = list(_faults(path, lambda: Settings.from_mapping(given, str(path))))
    if found:
        return Checked(SETTINGS, Report(checked, tuple(found)))
    settings = Settings.from_mapping(given, str(path))
    found += _faults(path, partial(check_settings, settings))
    found += _faults(path, partial(load_profile, settings.retrieval.profile))
    found += _faults(path, settings.assembly.checked)
    defaults = Settings().values()
    changed = {name: value for name, value in settings.values().items() if value != defaults[name]}
    differs = tuple((name, value, defaults[name]) for name, value in changed.items())
    return Checked(SETTINGS, Report(checked, tuple(found)), differs)


def _leaves(nested: Mapping[Any, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in nested.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _faults(path: Path, build: Callable[[], object]) -> Iterator[Finding]:
    try:
        build()
    except InvalidConfig as error:
        yield _finding(path, error)


def _finding(path: Path, error: InvalidConfig) -> Finding:
    return Finding("configuration", str(path), str(error))
