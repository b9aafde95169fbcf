"""The finished runs of a long bench in a file, so that what was stopped goes on where it was.

Guarantees: a run is a line that is written whole and flushed; half a line at the end, as a crash leaves it, is dropped.
A file of other conditions is refused, never mixed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from marskg.errors import InvalidDocument, StoreUnwritable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


class Finished:
    """Runs by what names them, a tuple of texts and numbers; with a file, also those of earlier calls."""

    def __init__(self, path: Path | None, conditions: Mapping[str, Any]) -> None:
        """Read what ``path`` has, or begin it; without a path nothing outlives the process.

        Raises:
            InvalidDocument: the file is of other conditions, or no file of runs.
            StoreUnwritable: it cannot be read or written.
        """
        self._path = path
        self._runs: dict[tuple[Any, ...], dict[str, Any]] = {}
        if path is None:
            return
        try:
            whole, _, half = path.read_bytes().rpartition(b"\n") if path.exists() else (b"", b"", b"")
            if half:
                path.write_bytes(whole + b"\n" if whole else b"")
        except OSError as error:
            raise self._unwritable(error) from error
        lines = whole.splitlines()
        if not lines:
            self._append({"conditions": conditions})
            return
        first, *runs = self._parsed(lines)
        if first != {"conditions": dict(conditions)}:
            msg = (
                f"{path} has runs of other conditions, {json.dumps(first.get('conditions'))[:300]}; "
                f"these are {json.dumps(conditions)}: repeat those, or name another file"
            )
            raise InvalidDocument(msg)
        self._runs = {tuple(run["run"]): run["figures"] for run in runs}

    def get(self, name: tuple[Any, ...]) -> dict[str, Any] | None:
        """Return the figures of a run, None if it was not finished."""
        return self._runs.get(name)

    def add(self, name: tuple[Any, ...], figures: dict[str, Any]) -> None:
        """Keep a finished run.

        Raises:
            StoreUnwritable: the file cannot be written.
        """
        self._runs[name] = figures
        if self._path is not None:
            self._append({"run": list(name), "figures": figures})

    def _parsed(self, lines: Iterable[bytes]) -> list[dict[str, Any]]:
        try:
            found = [json.loads(line) for line in lines]
        except ValueError as error:
            msg = f"{self._path} is no file of runs: a line is not JSON; name another file"
            raise InvalidDocument(msg) from error
        if not all(isinstance(line, dict) and line.keys() <= {"conditions", "run", "figures"} for line in found):
            msg = f"{self._path} is no file of runs; name another file"
            raise InvalidDocument(msg)
        return found

    def _append(self, line: Mapping[str, Any]) -> None:
        if self._path is None:
            return
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> StoreUnwritable:
        return StoreUnwritable(
            f"the file of runs {self._path} cannot be read and written ({error.strerror}); choose another place"
        )
