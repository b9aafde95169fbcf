"""Lives by seed: nothing of another goes, nothing erased is told, nobody learns what is hidden, no word is altered.

``make proof`` tells 20,000 (STORIES_FROM is the first seed of a part). A story that fails is printed as short as it
could be made, as a program to paste.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest

from tests.stories.shrinking import shrunk
from tests.stories.telling import told
from tests.stories.telling_out import Stage
from tests.support.proof import amount

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST: Final = int(os.environ.get("STORIES_FROM", "0"))
#: Stories of a run; ``make proof`` makes twenty runs of the whole.
STORIES: Final = amount(300, 1_000)
CHUNK: Final = 10


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    opened = Stage()
    yield opened
    opened.close()


@pytest.mark.parametrize("first", range(FIRST, FIRST + STORIES, CHUNK))
def test_a_story_ends_as_it_has_to(first: int, stage: Stage) -> None:
    for seed in range(first, first + CHUNK):
        story = told(seed)
        found = stage.tell(story)
        if found:
            short = shrunk(stage, story, found[0].check)
            said = [f"story {seed}: {one}" for one in found]
            shown = next((str(one) for one in stage.tell(short) if one.check == found[0].check), "not again")
            pytest.fail("\n".join([*said, "", f"# {shown}", short.script()]), pytrace=False)
