"""A store that is kept lean: what is bound to a use or a session, maintenance, kept answers, load, shared tenants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import InvalidMemory
from marskg.ontology.vocabulary import Operation

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

HOUR = 3_600_000
DAY = 24 * HOUR


def contents(found: Any) -> list[str]:
    return [hit.memory.content for hit in found]


def sound(memory: AgentMemory) -> None:
    """Check that the audit and the shapes find nothing."""
    assert memory.verify().ok
    assert memory.validate(full=True).ok


def reasons(memory: AgentMemory, operation: Operation) -> list[str]:
    """Return the reasons of the transitions of one operation, in order."""
    records = [record for record in memory.records() if record.operation is operation]
    return [str(slot["reason"]) for record in records for slot in record.nodes if slot.get("reason")]


# --- One use, one session ----------------------------------------------------------------------------------------


def test_a_use_bound_memory_is_gone_after_one_retrieval(stores: Stores) -> None:
    memory = stores.open()
    code = memory.remember("The door code of the workshop is on the blue note", kind="semantic", use_bound=True)
    note = memory.remember("With the note one gets in", kind="semantic", depends_on=code.id)
    kept = memory.remember("The workshop opens at nine", kind="semantic")
    assert code.content in contents(memory.retrieve("workshop door code"))
    assert memory.get(code.id) is None
    assert memory.get(note.id) is None
    assert contents(memory.retrieve("workshop door code")) == [kept.content]
    assert "used: it was use-bound" in memory.explain(code.id).as_text()
    sound(memory)


@pytest.mark.parametrize("way", ["recall", "read_all", "record_access"])
def test_every_way_of_showing_is_a_use(stores: Stores, way: str) -> None:
    memory = stores.open()
    code = memory.remember("Ann has the key to the shed", kind="semantic", use_bound=True, mentions=["Ann"])
    if way == "recall":
        memory.recall("Ann", social="all")
    elif way == "read_all":
        memory.read_all()
    else:
        memory.record_access([code.id])
    assert memory.get(code.id) is None
    sound(memory)


def test_what_is_looked_up_by_id_is_not_used(stores: Stores) -> None:
    memory = stores.open()
    code = memory.remember("Ann has the key to the shed", kind="semantic", use_bound=True)
    assert memory.get(code.id) is not None
    assert memory.get(code.id) is not None


def test_the_end_of_a_session_takes_what_is_bound_to_it(stores: Stores) -> None:
    memory = stores.open()
    bound = memory.remember("We look at the second flat now", kind="episodic", session="flat", session_bound=True)
    note = memory.remember("The second flat is bright", kind="semantic", depends_on=bound.id)
    fleeting = memory.remember("Hold on a moment", kind="episodic", session="flat", memory_class="ephemeral")
    kept = memory.remember("I want a flat with a balcony", kind="episodic", session="flat")
    other = memory.remember("We look at cars", kind="episodic", session="car", session_bound=True)
    assert memory.end_session("flat") == 3
    assert [memory.get(item.id) for item in (bound, note, fleeting)] == [None] * 3
    assert memory.get(kept.id) is not None
    assert memory.get(other.id) is not None
    assert memory.end_session("flat") == 0
    assert memory.end_session("never held") == 0
    sound(memory)


def test_an_ephemeral_memory_outlives_no_hour_even_if_its_session_never_ends(stores: Stores) -> None:
    memory = stores.open()
    fleeting = memory.remember("Hold on a moment", kind="episodic", session="flat", memory_class="ephemeral")
    stores.clock(memory).advance(HOUR + 1)
    assert memory.get(fleeting.id) is None


@pytest.mark.parametrize("session", ["", None, 7])
def test_a_session_without_a_name_cannot_end(stores: Stores, session: Any) -> None:
    with pytest.raises(InvalidMemory):
        stores.open().end_session(session)
