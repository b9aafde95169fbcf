"""The shortest story that still shows a finding: fewer steps, then fewer people, then fewer words of its calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.stories.steps import Step, Story
    from tests.stories.telling_out import Stage

#: Arguments that a call may be without and still be what it is.
_LEFT_OUT = ("session", "source_ref", "subjects", "key", "min_confidence")
_MOST = 150


class Shrinker:
    """Makes a story shorter as long as ``shows`` says that it still shows the same."""

    def __init__(self, story: Story, shows: Callable[[Story], bool], most: int = _MOST) -> None:
        self.story = story
        self._shows = shows
        self._left = most

    def shrunk(self) -> Story:
        """Return the shortest story that was found."""
        self._fewer_steps()
        self._fewer_people()
        self._fewer_words()
        self._fewer_steps()
        return self.story.of(self.story.steps)

    def _try(self, steps: Sequence[Step]) -> bool:
        if self._left <= 0 or not steps:
            return False
        self._left -= 1
        story = self.story.of(steps)
        if not self._shows(story):
            return False
        self.story = story
        return True

    def _fewer_steps(self) -> None:
        """Leave out halves, quarters, … and single steps (ddmin)."""
        size = max(1, len(self.story.steps) // 2)
        while size:
            place = len(self.story.steps)
            while place > 0:
                steps = self.story.steps
                begin = max(0, place - size)
                self._try((*steps[:begin], *steps[place:]))
                place = begin
            size = 0 if size == 1 else max(1, size // 2)

    def _fewer_people(self) -> None:
        for who in sorted({one for step in self.story.steps for one in step.people()}):
            self._try([step for step in self.story.steps if who not in step.people()])

    def _fewer_words(self) -> None:
        for place in range(len(self.story.steps)):
            for name in _LEFT_OUT:
                step = self.story.steps[place]
                if any(name in call.given for call in step.calls) and step.does != "erase":
                    steps = list(self.story.steps)
                    steps[place] = step.without(name)
                    self._try(steps)


def shrunk(stage: Stage, story: Story, check: str, most: int = _MOST) -> Story:
    """Return the shortest story found on which ``check`` still finds something."""
    return Shrinker(story, lambda one: any(found.check == check for found in stage.tell(one)), most).shrunk()
