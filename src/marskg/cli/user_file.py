"""A user's own defaults for ``--store``, ``--tenant`` and ``--as``, from a file in the folder for configurations.

Guarantees: an option and the environment stand before the file; a file that cannot be read, or holds something else, is
refused by every command, with its name; without one nothing is read.

The file is ``marskg/config.yaml`` in ``$XDG_CONFIG_HOME``, else in ``~/.config``; ``MARS_CONFIG`` names another::

    store: ~/memory
    tenant: alice
    as: agent:desk

Source: XDG Base Directory Specification.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from marskg.errors import InvalidConfig

#: Names the file; one that does not exist is refused only if it is named so.
FILE_VARIABLE: Final = "MARS_CONFIG"
_NAMES: Final = ("store", "tenant", "as")


def default_of(name: str) -> str | None:
    """Return what the user's file says for the option ``name``, None where it says nothing.

    Raises:
        InvalidConfig: the file cannot be read, or holds what is no default.
    """
    path = _file()
    if path is None:
        return None
    from marskg.config.yaml_file import read_yaml

    found = read_yaml(path)
    for key, value in found.items():
        if key not in _NAMES or not isinstance(value, str) or not value:
            msg = f"{path}: {key!r} is no default of yours; write {', '.join(_NAMES)}, each with a text"
            raise InvalidConfig(msg)
    text: str | None = found.get(name)
    if name != "store" or text is None or "://" in text:
        return text
    store = _expanded(text)
    if not store.is_absolute():
        msg = f"{path}: store {text[:60]!r} would be another folder in each place; write the whole path, or ~/…"
        raise InvalidConfig(msg)
    return str(store)


def _file() -> Path | None:
    """Return the user's file, or what they named in its place; None where there is none."""
    named = os.environ.get(FILE_VARIABLE)
    if named:
        return _expanded(named)
    try:
        folder = _expanded(os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config"))
    except RuntimeError:  # who has no home, in a container say, has no file in it
        return None
    path = folder / "marskg" / "config.yaml"
    return path if path.is_file() else None


def _expanded(text: str) -> Path:
    """Return a path with the home folder that it names.

    Raises:
        InvalidConfig: there is none.
    """
    try:
        return Path(text).expanduser()
    except (RuntimeError, ValueError) as error:
        msg = f"{text[:60]!r} names no folder of a user; write the whole path"
        raise InvalidConfig(msg) from error
