"""The command line as its user sees it: arguments in, standard output, standard error and exit status out.

Commands run in this process, through the outermost door, because a JVM for each would take most of the time;
``test_process.py`` starts real processes. Every document that a command prints with ``--json`` is held against the
command's ``--schema``, whatever the test is about.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

import marskg
from marskg.cli.main import run
from marskg.cli.schemas import schema_of_command
from tests.support import json_schema

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = Path(__file__).parents[2] / "examples"
DAY = 86_400_000
#: 1 June 2026, on which the seeded store's things were said.
JUNE = 1_780_272_000_000


@dataclass(frozen=True)
class Outcome:
    """What one command did."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        """Return the one document on standard output."""
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """Return the one line that says what is wrong."""
        lines = [line for line in self.err.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1, self.err
        assert "Traceback" not in self.err
        return lines[0].removeprefix("error: ")


Mars = "Callable[..., Outcome]"


@pytest.fixture
def mars(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Run ``mars`` with the given arguments, in an environment without settings of its own."""
    own = ("MARS_STORE", "MARS_TENANT", "MARS_PRINCIPAL", "MARS_PASSPHRASE", "MARS_DEBUG", "MARS_CONFIG", "COLUMNS")
    for name in own:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", os.devnull)

    ran: list[click.Context] = []
    invoke = click.Command.invoke

    def noted(command: click.Command, context: click.Context) -> Any:
        ran.append(context)
        return invoke(command, context)

    monkeypatch.setattr(click.Command, "invoke", noted)

    def command(*arguments: object) -> Outcome:
        capsys.readouterr()
        ran.clear()
        status = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        # A group runs before the command that it hands over to, which does not run with --schema or --help.
        if "--json" in arguments and captured.out and ran and ran[-1].invoked_subcommand is None:
            check_document(ran[-1], captured.out)
        return Outcome(status, captured.out, captured.err)

    return command


def check_document(context: click.Context, text: str) -> None:
    """Hold the document that a command printed against its schema."""
    faults = json_schema.faults(json.loads(text), schema_of_command(context.command))
    assert not faults, f"the document of {context.command_path} is not as its --schema says: {faults}"


@pytest.fixture
def here(mars: Callable[..., Outcome], store: Path) -> Callable[..., Outcome]:
    """Run ``mars`` on the test's own copy of the seeded store."""
    return lambda *arguments: mars("--store", store, *arguments)


@dataclass(frozen=True)
class Seeded:
    """A store with a little of everything, and the ids in it."""

    folder: Path
    ids: dict[str, str]


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Seeded:
    """Return a store that is made once; copy it before changing it."""
    folder = tmp_path_factory.mktemp("seeded") / "memory"
    with marskg.open(folder, budget=400, policy="fifo") as memory:
        ids = _fill(memory)
    return Seeded(folder, ids)


def _fill(memory: marskg.AgentMemory) -> dict[str, str]:
    def said(name: str, content: str, **fields: Any) -> None:
        made[name] = memory.remember(content, **fields).id

    made: dict[str, str] = {}
    said("turn", "I have moved to Porto and drink tea now", session="s1", subjects=["ana"], at=JUNE)
    said("reply", "Noted, tea it is", session="s1", subjects=["ana"], at=JUNE + 1, source_type="chat_assistant")
    drink = {"kind": "semantic", "key": "drink", "subjects": ["ana"]}
    said("coffee", "Ana drinks coffee", at=JUNE - DAY, payload={"concept": "coffee"}, **drink)
    said("tea", "Ana drinks tea", at=JUNE, derives_from=[made["turn"]], payload={"concept": "tea"}, **drink)
    said("flat", "The flat is in Rua das Flores", kind="semantic", mentions=["Porto"], memory_class="canonical")
    said("rent", "Its rent is 900 euros", kind="semantic", depends_on=[made["flat"]])
    said("visa", "The visa form is signed", kind="semantic", memory_class="canonical")
    said("task", "Send the visa form", kind="task", requires=[made["visa"]], status="open", priority=3)
    said("friend", "Rui is a friend of Ana", kind="social", mentions=["Rui"], payload={"relationship_type": "friend"})
    said("pinned", "Ana is allergic to penicillin", kind="semantic", pin=True, memory_class="canonical")
    return made


@pytest.fixture
def store(seeded: Seeded, tmp_path: Path) -> Path:
    """Return the test's own copy of the seeded store."""
    return shutil.copytree(seeded.folder, tmp_path / "memory")


@pytest.fixture
def ids(seeded: Seeded) -> dict[str, str]:
    """Return the ids of the seeded memories by their names."""
    return seeded.ids
