"""Attempts on the command line: the same store as a reader, a subject or somebody who is nobody has it.

Each side is a folder of its own; the machine's clock is stopped, so that equal stores are told equally.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import marskg
from marskg.cli.main import run
from marskg.clock import ManualClock, SeededSource, SystemClock
from tests.redteam.attempt import Book
from tests.redteam.stage import HIDDEN as ALL_HIDDEN
from tests.redteam.stage import MINUTE, NEVER, VISIBLE, hidden_id, store, visible_id
from tests.support.stores import START

if TYPE_CHECKING:
    from pathlib import Path

    from tests.redteam.stage import Side

BOT: Final = "reader:bot?ceiling=0.3&purpose=care&jurisdiction=EU"
ANN: Final = "subject:Ann%20Lee"
_KEPT: Final = ("fact", "turn", "task", "alias", "purpose")
#: Commands by technique, with who asks and the exit status.
COMMANDS: Final[tuple[tuple[str, str, tuple[str, ...], int], ...]] = (
    ("asking plainly", BOT, ("retrieve", "what is Bob Dahl treated for?"), 0),
    ("asking plainly", BOT, ("retrieve", "what does Bob Dahl owe?", "--json"), 0),
    ("asking plainly", ANN, ("retrieve", "what did Bob Dahl whisper?"), 0),
    ("around a name", BOT, ("recall", "--entity", "Bob Dahl"), 0),
    ("a name that only hidden texts have", BOT, ("recall", "--entity", "Project Heron"), 1),
    ("around a name", BOT, ("profile", "Bob Dahl"), 0),
    ("around a name", ANN, ("profile", "--json"), 0),
    ("id of a hidden memory", BOT, ("get", hidden_id("fact")), 1),
    ("id of a hidden memory", BOT, ("history", hidden_id("fact"), "--json"), 1),
    ("id of a hidden memory", BOT, ("explain", hidden_id("task")), 1),
    ("id of a hidden memory", ANN, ("get", hidden_id("turn")), 1),
    ("neighbour of a hidden memory", BOT, ("explain", visible_id(1)), 0),
    ("counting", BOT, ("stats", "--json"), 0),
    ("counting", ANN, ("stats",), 0),
    ("counting", BOT, ("entities", "list"), 0),
    ("ranks, counts and budgets", BOT, ("read", "--key", "k"), 0),
    ("goal that is hidden", BOT, ("recall", "--goal", hidden_id("task")), 1),
    ("everything there is", BOT, ("sparql", "SELECT ?o { ?s ?p ?o } ORDER BY STR(?o)"), 0),
    ("reaching out", BOT, ("sparql", "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }"), 1),
    ("a door that is not theirs", BOT, ("cypher", "MATCH (m:Memory) RETURN m.content"), 1),
    ("a door that is not theirs", BOT, ("audit", "who-saw", hidden_id("fact")), 1),
    ("a door that is not theirs", BOT, ("privacy", "report", "Bob Dahl"), 1),
    ("a door that is not theirs", BOT, ("restore", hidden_id("fact")), 1),
    ("a door that is not theirs", BOT, ("privacy", "redact", "Bob Dahl is treated for something"), 1),
    ("a door that is not theirs", BOT, ("remember", "Bob Dahl owes something"), 1),
    ("a door that is not theirs", BOT, ("audit", "list"), 1),
    ("a door that is not theirs", BOT, ("learn", "--backlog"), 1),
    ("a door that is not theirs", ANN, ("learn", "--undo", "profile.moved"), 1),
    ("somebody else's name", ANN, ("erase", "--subject", "Bob Dahl", "--yes"), 1),
    ("grant made up", f"{BOT}&grant={'0' * 12}-{'0' * 32}", ("retrieve", "what of Bob Dahl?"), 1),
    ("a principal made up", "operator?ceiling=1", ("stats",), 2),
    ("a principal made up", "Operator", ("stats",), 2),
    ("a principal made up", "reader:bot?ceiling=2", ("retrieve", "Bob Dahl"), 2),
    ("a principal made up", "reader:bot?ceiling=0.3&ceiling=1", ("retrieve", "Bob Dahl"), 2),
    ("a principal made up", "reader:bot?ceiling=nan", ("retrieve", "Bob Dahl"), 2),
    ("a principal made up", "reader:bot?bound=false", ("retrieve", "Bob Dahl"), 2),
    ("ceiling by argument", BOT, ("retrieve", "Bob Dahl", "--max-sensitivity", "1"), 1),
    ("id respelled", BOT, ("get", f"{NEVER}\u202e"), 1),
)


def attempts() -> Book:
    book = Book()
    for technique, who, command, status in COMMANDS:
        role = "subject" if who == ANN else "reader"
        book.add("command line", role, technique, f"exit {status}", partial(_command, who, command))
    return book


class Exited(Exception):
    """What a command said; the class by which the suite knows how it ended has the status in its name."""


EXITS: Final = {status: type(f"exit {status}", (Exited,), {}) for status in (0, 1, 2, 70)}


def _folder(side: Side) -> Path:
    """Return the folder of this side's store, filled when it is first asked for."""
    folder = side.folder / "commands"
    if folder.exists():
        return folder
    clock = ManualClock(START)
    given: dict[str, Any] = {"clock": clock, "source": SeededSource(1), "embedding": "none"}
    with marskg.open(folder, **given) as memory:
        side.know(memory)
        memory.settings.set(None, {"sensitivity.assess": "off", "entities.recognise": "on"})
        for number, said in enumerate(VISIBLE):
            clock.set(START + (number + 1) * MINUTE)
            store(memory, said, visible_id(number))
        for name in _KEPT if side.full else ():
            store(memory, ALL_HIDDEN[name], hidden_id(name))
    return folder


def _command(who: str, command: tuple[str, ...], side: Side) -> object:
    folder = _folder(side)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MARS_")}
    with (
        patch.object(SystemClock, "now_ms", lambda _: START + 60 * MINUTE),
        patch.dict(os.environ, environment, clear=True),
    ):
        status = run(["--store", str(folder), "--as", who, *command])
    # What it printed is listened to already.
    raise EXITS[status]
