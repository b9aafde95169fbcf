"""The holes that outsiders found at 6318b9b1, each with what finds it: ``python -m tests.stories --holes``.

The table in ``docs/explanation/stories.md`` is what this printed on that commit. A row is found when a story drawn by
its seed has the finding, and the shrunk story is what is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final

from tests.stories.shrinking import Shrinker
from tests.stories.telling import told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.stories.checks import Finding
    from tests.stories.steps import Story
    from tests.stories.telling_out import Stage


@dataclass(frozen=True)
class Hole:
    """A hole: its name, the check and the sort of finding that tell it, and which stories are likely to have it.

    ``hidden`` leaves of what is hidden only the steps that do this.
    """

    name: str
    about: str
    check: str
    sorts: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    hidden: str = ""

    def shown_by(self, found: list[Finding]) -> bool:
        """Return whether findings show it."""
        return any(one.check == self.check and (not self.sorts or one.sort in self.sorts) for one in found)

    def of(self, story: Story) -> Story:
        """Return what of a story bears on it."""
        return story.of(one for one in story.steps if not self.hidden or not one.hidden or one.does == self.hidden)


_NAMES: Final = ("names",)
_RESPELLED: Final = ("with a speaker", "as an answer", "in markup", "with a face")
_FIELDS: Final = (
    "in the payload", "in the context", "as key", "as session", "as source", "as tag", "as purpose", "as subject",
    "as a name", "as an alias", "as a wish", "as a key of metadata", "as an item's name", "as a namespace",
)  # fmt: skip
HOLES: Final = (
    Hole("E1", "a namesake's memory goes", "took another's", ("full",), _NAMES),
    Hole("E1", "somebody of a longer name goes", "took another's", ("longer",), _NAMES),
    Hole("E1", "a first name alone is taken for certain", "took another's", ("first", "kin"), _NAMES),
    Hole("E1", "a surname behind a title is", "took another's", ("titled",), _NAMES),
    Hole("E1", "a place that is called so is (Jordan, Paris)", "took another's", ("place",), _NAMES),
    Hole("E1", "a place with the name in it is (West Virginia)", "took another's", ("compound",), _NAMES),
    Hole("E1", "a thing with the name in it is (Big Ben, Ave Maria)", "took another's", ("landmark",), _NAMES),
    Hole("A1", "an agent cuts the user's words", "word altered", ("span",), ("agent",)),
    Hole("A1", "an agent hides the user's turn", "word hidden", ("span",), ("agent",)),
    Hole("A2", "an agent widens an erasure by a name", "took another's", ("an agent's name",), ("agent",)),
    Hole("A3", "an agent floods the user out, plainly", "flooded out", ("plain",), ("flood",)),
    Hole("A3", "by scores", "flooded out", ("score",), ("flood",)),
    Hole("A3", "by pins", "flooded out", ("pin",), ("flood",)),
    Hole("A4", "an agent's wish hides the user's word", "word hidden", ("wish of an agent",), ("agent",)),
    Hole("E2", "an item of LangGraph is not found by the name", "left of erased", ("an item",), ("facts",)),
    Hole("E3", "an item brings an erased text back", "taken back", ("in an item",), ("retold",)),
    Hole("E3", "metadata does", "taken back", ("in metadata", "deep in metadata"), ("retold",)),
    Hole("E4", "other fields do", "taken back", _FIELDS, ("retold",)),
    Hole("E4", "other spellings do", "taken back", _RESPELLED, ("retold",)),
    Hole("E5", "a name stays that only the erased text gave", "name stays", (), ("retold", "files")),
    Hole("E6", "a name as a key in metadata is left", "left of erased", ("metadata",), ("facts",)),
    Hole("R1", "a hidden text teaches a name", "reader differs", (), ("hidden",), "remember"),
    Hole("R2", "a hidden fact's end is seen", "reader differs", (), ("hidden",), "span"),
    Hole("L2", "two people of one first name are one", "two are one", (), ("facts",)),
    Hole("A5", "keys that look alike have two values", "alike keys", (), ("agent",)),
    Hole("b64", "a name that is given later does not join", "name given later", (), ("facts",)),
)


def found(stage: Stage, hole: Hole, seeds: range, known: dict[int, list[Finding]]) -> tuple[int, Story] | None:
    """Return the first seed whose story shows a hole, and the story as short as it can be made.

    ``known`` are the findings of whole stories, which are told once.
    """
    for seed in seeds:
        story = told(seed)
        if hole.themes and story.theme not in hole.themes:
            continue
        story = hole.of(story)
        if hole.hidden:
            shows = hole.shown_by(stage.tell(story))
        else:
            known[seed] = known.get(seed) or stage.tell(story)
            shows = hole.shown_by(known[seed])
        if shows:
            return seed, Shrinker(story, lambda one: hole.shown_by(stage.tell(one)), 60).shrunk()
    return None


def table(stage: Stage, seeds: range, word: str = "") -> Iterator[str]:
    """Yield what shows each hole, in lines of a page."""
    numbers = count(1)
    known: dict[int, list[Finding]] = {}
    for hole in HOLES:
        if word and hole.name != word:
            continue
        result = found(stage, hole, seeds, known)
        yield f"### {next(numbers)}. {hole.name}: {hole.about}\n"
        if result is None:
            yield "not found\n"
            continue
        seed, story = result
        program = "\n".join(story.script().splitlines()[3:])
        yield f"Seed {seed}, check `{hole.check}`, {len(story.steps)} steps.\n\n```text\n{program}\n```\n"
