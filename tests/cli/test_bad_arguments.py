"""Every command with every argument and option given what cannot be meant: exit status 1 or 2 and one line, or done.

The calls are made from the tree of commands, so that a new command or option is tried the day it is added.
BAD_CALLS=all tries each with every value, else every so-manieth.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import marskg
from tests.support import hostile, reading, tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import click

    from tests.cli.conftest import Outcome, Seeded

ALL = os.environ.get("BAD_CALLS") == "all"
EVERY = 1 if ALL else 13
LONG = "hostile " * 25_000
NOBODY = "urn:uuid:01890000-0000-7000-8000-000000000000"
#: Texts that an argument may be.
TEXTS = {
    "empty": "",
    "blank": " \t\u2003",
    "long": LONG,
    "surrogate": "a\udcffb",
    "lone surrogate": "a\ud800b",
    "NUL": "a\x00b",
    "line": "x\n",
    "control": "\x1b]0;x\x07\x9b\u202e\u200b\u2028",
    "dash": "-",
    "option": "--",
    "nobody": NOBODY,
    "upper": NOBODY.upper(),
    "no id": "urn:uuid:xyz",
    "minus one": "-1",
    **{str(number): str(number) for number in (2**31 - 1, 2**31, -(2**31) - 1, 2**53, 2**63 - 1, 2**63)},
    "huge": "9" * 5_000,
    "NaN": "nan",
    "infinite": "-inf",
    "far": "9999-12-31T23:59:59.999999+23:59",
    "naive": "2026-03-01T09:30:00",
    "object": '{"hostile": [NaN], "\\ud800": 1e999}',
    "deep": "[" * 5_000,
    "address": "bolt://127.0.0.1:1",
}
#: Paths that are no files to read, or to write to; made below a folder.
PATHS = ("folder", "pipe", "zero", "broken", "binary", "missing/below", "caf\udce9", "x" * 300)
#: Commands that run for minutes when their arguments are right, and that ask for no memory.
LONG_RUNNING = {"demo", "bench"}


LEAVES = [(way, command) for way, command in tree.leaves() if way[0] not in LONG_RUNNING]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile-files")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "broken").write_bytes(b'{"text": "\xff\xfe\xed\xa0\x80"}\n')
    (folder / "binary").write_bytes(bytes(range(256)) * 400)
    (folder / "good").write_text("{}")
    return folder


def calls(
    way: tuple[str, ...], command: click.Command, files: Path, ids: dict[str, str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield what is tried, and the arguments of a command with it."""
    paths = {f"file {name[:20]}": str(files / name) for name in PATHS}
    for place, tried in enumerate(tree.parameters(command)):
        for number, (what, text) in enumerate({**TEXTS, **paths}.items()):
            if (place + number) % EVERY == 0:
                name = str(tried.name)
                given = {**hostile.beside(name, {one.name for one in command.params}), name: text}
                yield f"{' '.join(way)} {name}={what}", [*way, *tree.arguments(command, files, ids, given)]


@pytest.mark.parametrize(("way", "command"), LEAVES, ids=[" ".join(way) for way, _ in LEAVES])
def test_it_is_done_or_refused_with_its_status(
    mars: Callable[..., Outcome],
    store: Path,
    seeded: Seeded,
    files: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    way: tuple[str, ...],
    command: click.Command,
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.stdin", (files / "good").open())
    faults = []
    with marskg.open(store) as memory:  # held open, as opening an engine takes longer than what is tried
        first = hostile.facts(memory)
        for tried, arguments in calls(way, command, files, seeded.ids):
            before = hostile.facts(memory)
            found = mars(*([] if "--store" in arguments else ["--store", store]), *arguments)
            faults += [f"{tried}: {fault}" for fault in _faults(found)]
            if found.status and hostile.facts(memory) != before:
                faults.append(f"{tried}: refused, and something was stored")
        assert reading.shut(memory, reading.ALL if hostile.facts(memory) != first else reading.SOUND) == []
    assert not faults, "\n".join(faults)


def _faults(found: Outcome) -> Iterator[str]:
    # 130: nobody answers what the command asks before it does what cannot be undone.
    if found.status not in {0, 1, 2} and not (found.status == 130 and "[y/N]" in found.err):
        yield f"status {found.status}: {found.err[:300]!a}"
    if "Traceback" in found.err or "\tat " in found.err:
        yield f"a traceback: {found.err[-300:]!a}"
    if found.status and ("hostile " * 25 in found.err or len(found.err) > 2_000):
        yield f"{len(found.err)} characters of error: {found.err[:100]!a}"
