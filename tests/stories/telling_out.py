"""A story carried out and held to its oracle.

A story in which something hidden happens is carried out twice, with that and without it, and nobody looks before both
are asked the same: looking leaves traces of its own.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.stories.checks import Checks, Finding, answers, differing
from tests.stories.oracle import Oracle
from tests.stories.world import World, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.stories.steps import Said, Step, Story

_NUMBERS = count()
#: Of so many stories one has a store of its own, as scrubbing rewrites the files of all tenants.
EVERY_BYTES: Final = 60
#: Steps after the last one at which the end is looked at.
_END: Final = 300


@dataclass
class Stage:
    """Two folders of stores and one of files, for as many stories as are told: each has a tenant of its own."""

    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="stories-", dir=_ram())))

    def close(self) -> None:
        """Remove the folders."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def tell(self, story: Story) -> list[Finding]:
        """Tell a story, and return what was found."""
        tenant = f"t{next(_NUMBERS)}"
        if story.seed % EVERY_BYTES == EVERY_BYTES - 1:
            return self._told_alone(story, tenant)
        if not any(step.hidden for step in story.steps):
            world = self._opened(story, "first", tenant)
            try:
                return list(_told(story, world, Oracle()))
            finally:
                self._closed(world)
        counted = story.seed % 8 == 0
        world = self._opened(story, "first", tenant)
        try:
            oracle, found = _carried_out(story, world)
            full = answers(story, world, counted=counted)
            found += Checks(story, world, oracle).at_end(_end(story))
        finally:
            self._closed(world)
        world = self._opened(story, "second", tenant)
        try:
            _carried_out(story.open_steps(), world)
            return [*found, *differing(story, full, answers(story, world, counted=counted))]
        finally:
            self._closed(world)

    def _told_alone(self, story: Story, tenant: str) -> list[Finding]:
        """Tell a story in a store of its own, and look for what was erased in the bytes of its scrubbed files."""
        oracle, folder = Oracle(), f"alone-{tenant}"
        world = self._opened(story, folder, tenant)
        try:
            found = list(_told(story, world, oracle))
            world.m.maintenance.scrub()
        finally:
            self._closed(world)
        held = b"".join(path.read_bytes() for path in (self.folder / folder).rglob("*") if path.is_file()).lower()
        shutil.rmtree(self.folder / folder, ignore_errors=True)
        words = [word for word in sorted(oracle.gone_words()) if word.lower().encode() in held]
        return [*found, *(Finding("bytes are left", _end(story), word) for word in words)]

    def _opened(self, story: Story, store: str, tenant: str) -> World:
        return opened(story, self.folder / store, tenant, self.folder / "files" / tenant)

    @staticmethod
    def _closed(world: World) -> None:
        world.close()
        shutil.rmtree(world.files, ignore_errors=True)


def _ram() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - a folder of its own is made in it


def _end(story: Story) -> int:
    return max((step.number for step in story.steps), default=0) + _END


def _told(story: Story, world: World, oracle: Oracle) -> Iterator[Finding]:
    checks = Checks(story, world, oracle)
    for step in story.steps:
        if not _has_sense(step, oracle):
            continue
        world.at(step.number, "before")
        before = checks.before(step)
        outcome = world.do(step)
        near = _noted(step, oracle, done=outcome.done)
        if outcome.done and step.does == "erase":
            yield from checks.erased(step, near, outcome.result)
        yield from checks.after(step, outcome, before)
    yield from checks.at_end(_end(story))


def _carried_out(story: Story, world: World) -> tuple[Oracle, list[Finding]]:
    """Carry out a story, and look at nothing but what breaks."""
    oracle = Oracle()
    found = []
    for step in story.steps:
        if _has_sense(step, oracle):
            outcome = world.do(step)
            _noted(step, oracle, done=outcome.done)
            if outcome.broken is not None:
                found.append(Finding("crash", step.number, f"{type(outcome.broken).__name__} by {step.does}"))
    return oracle, found


def _noted(step: Step, oracle: Oracle, *, done: bool) -> list[Said]:
    """Tell the oracle of a step; returns what an erasure has to tell as near."""
    if not done:
        return []
    if step.does == "erase":
        return oracle.erase(step.facts["by"], step.facts["what"])
    oracle.did(step)
    return []


def _has_sense(step: Step, oracle: Oracle) -> bool:
    """Return whether a step is what it says: only what was erased is told again."""
    return step.does != "retell" or oracle.state(step.facts["label"]) == "gone"
