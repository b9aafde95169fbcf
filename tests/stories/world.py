"""A store in which a story is carried out by public calls alone, with a clock and chances that follow from its steps.

Each step has a time and chances of its own, whatever came before: two stores that differ by some steps give all
others the same ids and times, so that what is told of them can be compared byte by byte.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import marskg
from marskg.adapters.langgraph import MarsStore
from marskg.answer import plain
from marskg.clock import ManualClock, SeededSource
from marskg.errors import MarsError
from tests.stories.calls import PRINCIPALS, Call, Places, settled

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stories.steps import Step, Story

START: Final = 1_772_323_200_000
MINUTE: Final = 60_000
SECOND: Final = 1_000


class StepSource:
    """Chances that begin anew with each step."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.begin("opening")

    def begin(self, step: object) -> None:
        self._source = SeededSource(f"{self.seed} {step}")

    def token(self, size: int) -> bytes:
        return self._source.token(size)


@dataclass
class Outcome:
    """What came of a step: what its last call returned, or what it was refused or broken by."""

    done: bool
    result: object = None
    refused: MarsError | None = None
    broken: Exception | None = None


@dataclass
class World:
    """One tenant of a store, as all who come to it have it."""

    folder: Path
    tenant: str
    budget: int
    seed: str
    files: Path
    ids: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.clock = ManualClock(START)
        self.source = StepSource(self.seed)
        self.files.mkdir(parents=True, exist_ok=True)
        self.m = marskg.open(
            self.folder, tenant=self.tenant, budget=self.budget, clock=self.clock, source=self.source, encryption="off"
        )
        self._handles: dict[str, Any] = {"m": self.m}

    def as_(self, who: str) -> Any:
        """Return the tenant as somebody has it."""
        if who not in self._handles:
            self._handles[who] = MarsStore(self.m) if who == "items" else self._opened(PRINCIPALS[who])
        return self._handles[who]

    def _opened(self, principal: str) -> Any:
        return marskg.open(
            self.folder, tenant=self.tenant, principal=principal, clock=self.clock, source=self.source, create=False
        )

    def at(self, number: int, what: object = "") -> None:
        """Let it be the time of a step."""
        self.clock.set(START + (number + 1) * MINUTE)
        self.source.begin(f"{number} {what}")

    def do(self, step: Step) -> Outcome:
        """Carry out a step; what it needs and is not there leaves it undone."""
        if not step.needs <= self.ids.keys():
            return Outcome(done=False)
        self.at(step.number)
        result: object = None
        for call in step.calls:
            try:
                result = self.call(call)
            except MarsError as error:
                return Outcome(done=False, refused=error)
            except Exception as error:  # noqa: BLE001 - whatever else comes is a finding
                return Outcome(done=False, broken=error)
            # What ends in the moment in which it began was never so.
            self.clock.advance(SECOND)
            if call.keeps and isinstance(ident := getattr(result, "id", None), str):
                self.ids[call.keeps] = ident
        return Outcome(done=True, result=result)

    def call(self, call: Call) -> object:
        """Make one call."""
        door = self.as_(call.who)
        for name in call.method.split("."):
            door = getattr(door, name)
        places = Places(self.ids, self.files, self.clock.now_ms())
        return door(*settled(call.args, places), **settled(dict(call.given), places))

    def close(self) -> None:
        """Close all that was opened."""
        for who, handle in reversed(self._handles.items()):
            if who != "items":
                handle.close()

    # --- What is told -----------------------------------------------------------------------------------------------

    def rows(self) -> list[tuple[str, str]]:
        """Return of each memory what it says, and all that it has as a text."""
        return [(one.content or "", written(one)) for one in self.m.memories()]

    def shown(self, question: str = "What was said?") -> str:
        """Return everything as a prompt shows it."""
        hits = self.m.retrieve(question, k=1_000, token_budget=200_000, min_confidence=0)
        return hits.as_text()


def opened(story: Story, folder: Path, tenant: str, files: Path) -> World:
    """Open a new tenant for a story."""
    logging.getLogger("marskg").setLevel(logging.CRITICAL)
    return World(folder, tenant, story.budget, f"{story.seed}", files)


def written(answer: object) -> str:
    """Return all of an answer as a text."""
    return json.dumps(plain(answer), default=str, ensure_ascii=False)
