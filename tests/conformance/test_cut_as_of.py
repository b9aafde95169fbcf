"""As of a past day, what had ended by then is cut out of its turn as it is cut now; what ended later is whole."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.conformance.test_learn import DAY, FIRST, by_rules, said, sound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

TURN: Final = "I am allergic to peanuts. I like jazz. The spare key is under the blue pot."
NO_NUTS: Final = "[…]. I like jazz. The spare key is under the blue pot."
NEITHER: Final = "[…]. […]. The spare key is under the blue pot."
#: What ends on the day of its number, and what is said besides.
NUTS_END, JAZZ_ENDS, BESIDES = (
    ("I'm not allergic to peanuts any more.", 2),
    ("I no longer like jazz.", 4),
    ("The plumber comes with his cousin.", 3),
)


def shown(memory: AgentMemory, **asked: Any) -> list[str]:
    found = memory.retrieve("Where is the spare key?", **asked)
    return [text for one in found if "spare key" in (text := one.memory.content or "")]


def told(stores: Stores, order: Sequence[tuple[str, int]], *, at_once: bool) -> AgentMemory:
    """Tell the turn, and then what ends a part of it, in the order given; the days are those of what is said."""
    memory = stores.open()
    turns = [said(TURN, session="first"), *(said(text, day, session=f"day-{day}") for text, day in order)]
    for one in [turns] if at_once else [[turn] for turn in turns]:
        by_rules(memory, *one)
    return memory


@pytest.mark.parametrize("at_once", [False, True], ids=["one by one", "at once"])
@pytest.mark.parametrize("order", [*permutations((NUTS_END, JAZZ_ENDS, BESIDES))])
def test_as_of_a_past_day_what_had_ended_by_then_is_cut(
    stores: Stores, order: Sequence[tuple[str, int]], *, at_once: bool
) -> None:
    memory = told(stores, order, at_once=at_once)
    assert shown(memory) == [NEITHER]
    for day, expected in ((1, TURN), (3, NO_NUTS), (5, NEITHER)):
        assert shown(memory, as_of=FIRST + day * DAY) == [expected], day
    assert shown(memory, as_of=FIRST - DAY) == []
    # Who asks for what is superseded too gets all of it, on a past day as well.
    assert shown(memory, superseded=True) == [TURN]
    sound(memory)


def test_what_ends_on_the_day_itself_had_ended(stores: Stores) -> None:
    memory = told(stores, (NUTS_END,), at_once=False)
    ended = FIRST + NUTS_END[1] * DAY
    assert shown(memory, as_of=ended) == [NO_NUTS]
    assert shown(memory, as_of=ended - 1) == [TURN]


def test_what_a_reader_may_not_know_of_cuts_nothing_on_a_past_day(stores: Stores) -> None:
    memory = stores.open()
    turn = memory.remember("Please send it to Ines, and to the finance team.", session="monday")
    slot: dict[str, Any] = {"kind": "semantic", "key": "report/for", "cardinality": "set", "sensitivity": 0.8}
    for team in ("Ines", "the finance team"):
        memory.remember(f"The report goes to {team}", derives_from=[turn.id], **slot)
    clock = stores.clocks[memory.tenant]
    before = clock.now_ms()
    clock.advance(DAY)
    memory.retract("report/for", content="The report goes to the finance team")
    after = clock.now_ms()
    clock.advance(DAY)

    def found(**asked: Any) -> list[str | None]:
        return [one.memory.content for one in memory.retrieve("Who gets the report?", **asked)]

    for asked in ({}, {"as_of": after}):
        assert turn.content not in found(**asked)
        assert turn.content in found(max_sensitivity=0.5, **asked)
    assert turn.content in found(as_of=before)
