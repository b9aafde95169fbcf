"""What a memory holds cannot steer the terminal of whoever prints it, by any command, in any of its fields."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from tests.support import tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import click

    from tests.cli.conftest import Outcome

#: Steering sequences, marks that reorder, and characters that show nothing or end a line.
NASTY = "a\x1b]0;x\x07\x9b31m\u202eb\u2066c\u200bd\u2028e\u2029f\u00adg\u180eh\ufff9i\U000e0041j"
NAME = NASTY.replace("\x07", "")
PRINTED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufff9\U000e0041]"
)
#: What is asked for where a command takes it, so that it shows what there is.
ASKED = {"query": "once more", "text": "once more", "entity": NAME, "subject": NAME, "session": NAME}
#: Commands that write no memory out, or that take a file instead of the store.
APART = {"demo", "bench", "import", "init"}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    folder = tmp_path_factory.mktemp("hostile") / "memory"
    with marskg.open(folder, budget=4_000, embedding="none") as memory:
        fields: dict[str, Any] = {
            "session": NAME,
            "subjects": [NAME],
            "source_ref": NAME,
            "intent_tags": [NAME],
            "metadata": {NAME: [NAME]},
            "jurisdiction": NAME,
        }
        first = memory.remember(NASTY, kind="semantic", key=NAME, payload={"concept": NASTY}, mentions=[NAME], **fields)
        other = memory.remember(f"{NASTY} once more", kind="semantic", key=NAME, mentions=[NAME], **fields)
        task = memory.remember(f"Do {NASTY}", kind="task", status="open", priority=1)
        memory.control.record_access([other.id], purpose=NAME)
        memory.preferences.set("blacklisted_conversation", f"{NAME} of old", subject="bea")
        (entity, *_) = memory.entities.list()
        hits = memory.retrieve("once more")
    return folder, {
        "flat": other.id,
        "first": first.id,
        "task": task.id,
        "entity": entity.id,
        "retrieval": hits.id or "",
    }


LEAVES = [(way, command) for way, command in tree.leaves() if way[0] not in APART]


@pytest.mark.parametrize(("way", "command"), LEAVES, ids=[" ".join(way) for way, _ in LEAVES])
def test_nothing_of_a_memory_steers_the_terminal(
    mars: Callable[..., Outcome],
    hostile: tuple[Path, dict[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    way: tuple[str, ...],
    command: click.Command,
) -> None:
    seeded, ids = hostile
    folder = tmp_path / "memory"
    shutil.copytree(seeded, folder)
    (tmp_path / "folder").mkdir()
    (tmp_path / "good").write_text("{}")
    monkeypatch.chdir(tmp_path)
    words = tree.arguments(
        command, tmp_path, ids, {name: text for name, text in ASKED.items() if name in names(command)}
    )
    for also in ((), ("--json",)):
        found = mars("--store", folder, *way, *also, *words)
        for text in (found.out, found.err):
            assert PRINTED.findall(text) == [], text


def names(command: click.Command) -> set[str]:
    return {str(one.name) for one in tree.parameters(command)}


@pytest.mark.parametrize("way", ["get", "history", "read", "entities", "explain"])
def test_what_is_escaped_is_shown(mars: Callable[..., Outcome], hostile: tuple[Path, dict[str, str]], way: str) -> None:
    folder, ids = hostile
    argument = {"read": ["--key", "a"], "entities": []}.get(way, [ids["flat"]])
    found = mars("--store", folder, way, *argument)
    assert found.status == 0, found.err
    if way != "read":
        assert "\\x1b" in found.out
