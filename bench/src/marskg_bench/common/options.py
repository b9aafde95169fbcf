"""The options that all benchmarks share: where the figures go, and whether a miss is an error.

Guarantees: same names, same words and same order in the help of each.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")


def answering(command: F) -> F:
    """Add ``--save``, ``--strict`` and ``--json`` to ``command``."""
    command = _as_json(command)
    command = click.option("--strict", is_flag=True, help="Exit with status 1 if a figure misses what it must reach.")(
        command
    )
    return _save(command)


def reporting(command: F) -> F:
    """Add ``--save`` and ``--json`` to a ``command`` whose figures have nothing that they must reach."""
    return _save(_as_json(command))


def _as_json(command: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Answer with one JSON document.")(command)


def _save(command: F) -> F:
    file = click.Path(dir_okay=False, path_type=Path)
    return click.option("--save", type=file, help="Write the JSON document to this file.")(command)
