"""A file that is imported again adds what is new: as often as it comes, wherever from, whatever became of it since."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import ConsentRequired, ErasedContentRefused
from marskg.learning.from_text.plan import LearnPlan
from marskg.sources.chat import read_chat
from tests.support.stores import START

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from marskg.drafts import Draft
    from marskg.memory import AgentMemory
    from marskg.records import Stored
    from tests.support.stores import Stores

DAY = 86_400_000
JANUARY, FEBRUARY = START - 50 * DAY, START - 20 * DAY


def turn(content: str, at: int = JANUARY, role: str = "user", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, "timestamp": at, **more}


def come(memory: AgentMemory, folder: Path, turns: Iterable[dict[str, Any]], name: str = "talk") -> Stored:
    path = folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(one)}\n" for one in turns))
    return memory.remember_many(read_chat(path))


def held(memory: AgentMemory) -> Counter[str]:
    return Counter(one.content for one in memory.memories() if one.content is not None)


def current(memory: AgentMemory) -> list[str]:
    return [hit.memory.id for hit in memory.read_all()]


def sound(memory: AgentMemory) -> None:
    assert memory.verify().ok
    assert memory.validate(full=True).ok


BEANS = [turn(f"On day {day} I planted {what} behind the house", JANUARY + day * DAY) for day, what in enumerate(
    ("beans", "peas", "kale", "leek", "chard", "onions")
)]  # fmt: skip


def test_the_same_a_longer_an_edited_and_a_moved_file(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open(embedding__model="none")
    first = come(memory, tmp_path, BEANS[:4])
    assert (first, first.known) == (4, 0)
    sequence = memory.stats()["audit_seq"]
    again = come(memory, tmp_path, BEANS[:4])
    assert (again, again.known) == (0, 4)
    assert memory.stats()["audit_seq"] == sequence
    other = come(memory, tmp_path / "elsewhere", BEANS[:4], "another-name")
    assert (other, other.known) == (0, 4)
    longer = come(memory, tmp_path, BEANS)
    assert (longer, longer.known) == (2, 4)
    edited = [turn("It rained all night", JANUARY - DAY), *BEANS[:2], turn("I gave up on kale", JANUARY + 2 * DAY)]
    moved = come(memory, tmp_path, [*edited, *BEANS[3:]])
    assert (moved, moved.known) == (2, 5)
    assert set(held(memory).values()) == {1}
    assert sum(held(memory).values()) == 8
    sound(memory)


def test_what_was_said_twice_stays_two(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open(embedding__model="none")
    twice = [turn("Yes, water them"), turn("Yes, water them"), turn("Yes, water them", JANUARY + 1), BEANS[1],
             turn("Yes, water them"), turn("Yes, water them", role="assistant"),
             turn("Yes, water them", session="other"), turn("Yes, water them", subjects=["ben"])]  # fmt: skip
    assert (come(memory, tmp_path, twice), held(memory)["Yes, water them"]) == (8, 7)
    again = come(memory, tmp_path, [*twice, turn("Yes, water them", JANUARY + 2)])
    assert (again, again.known) == (1, 8)
    assert held(memory)["Yes, water them"] == 8
    for _ in range(2):
        memory.remember("A program says it twice", at=JANUARY)
    assert held(memory)["A program says it twice"] == 2


def test_an_import_that_was_interrupted_goes_on(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open(embedding__model="none")
    many = [turn(f"Bed {number} has {number * 7} plants", JANUARY + number) for number in range(400)]

    def stop(done: int) -> None:
        if done:
            raise KeyboardInterrupt

    path = tmp_path / "talk.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in many))
    with pytest.raises(KeyboardInterrupt):
        memory.remember_many(read_chat(path), progress=stop)
    kept = sum(held(memory).values())
    assert 0 < kept < 400
    told: list[int] = []
    rest = memory.remember_many(read_chat(path), progress=told.append)
    assert (rest, rest.known) == (400 - kept, kept)
    assert told[-1] == 400
    assert set(held(memory).values()) == {1}
    assert sum(held(memory).values()) == 400


def test_what_is_gone_stays_gone(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open(budget=1_000, embedding__model="none")
    beans = [{**one, "session": "s", "subjects": ["ann"]} for one in BEANS]
    come(memory, tmp_path, beans)
    evicted = memory.forget(memory.plan(budget=memory.weight // 2))
    assert evicted.actions
    expiring = turn("The gate code is for a day", JANUARY, annotations=[
        {"kind": "semantic", "content": "The gate is open on Mondays", "ttl": "1h"}])  # fmt: skip
    come(memory, tmp_path, [expiring])
    stores.clock(memory).set(memory.now() + DAY)
    memory.maintenance.expire()
    changed = next(one for one in memory.memories() if one.content is not None and "gate code" in one.content)
    memory.update(changed.id, "The gate code is for a week")
    before = held(memory)
    assert sum(before.values()) < len(beans) + 3
    for turns in ([*beans, expiring], [*beans[::-1], expiring]):
        again = come(memory, tmp_path, turns)
        assert (again, again.known) == (0, 8)
    assert held(memory) == before
    sound(memory)


def test_what_was_erased_is_refused_as_ever(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open(embedding__model="none")
    beans = [{**one, "subjects": ["ann"]} for one in BEANS]
    come(memory, tmp_path, beans)
    memory.erase(id=next(one.id for one in memory.memories() if one.content == BEANS[0]["content"]))
    with pytest.raises(ErasedContentRefused):
        come(memory, tmp_path, beans)
    memory.erase(subject="ann")
    with pytest.raises(ConsentRequired):
        come(memory, tmp_path, beans)
    memory.preferences.consent("ann")
    with pytest.raises(ErasedContentRefused):
        come(memory, tmp_path, beans)
    assert come(memory, tmp_path, beans[1:]) == 5
    sound(memory)


def fact(content: str, at: int, **more: Any) -> dict[str, Any]:
    facts = [{"kind": "semantic", "key": "budget/travel", "content": content}]
    return turn(f"Let us say: {content}", at, annotations=facts, **more)


OLD = [fact("The travel budget is 900 euros", JANUARY), fact("The travel budget is 700 euros", FEBRUARY)]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("end", ["retracted", "superseded"])
def test_a_retraction_lasts(stores: Stores, tmp_path: Path, order: int, elsewhere: bool, end: str) -> None:  # noqa: FBT001
    memory = stores.open(embedding__model="none")
    come(memory, tmp_path, OLD)
    if end == "retracted":
        memory.retract("budget/travel")
    else:
        memory.remember("The travel budget is 500 euros", kind="semantic", key="budget/travel")
    before = current(memory)
    # From another program, which calls its sessions otherwise: other items that say the same.
    again = come(memory, tmp_path, [{**one, **({"session": "x"} if elsewhere else {})} for one in OLD[::order]])
    assert again.known == (0 if elsewhere else 4)
    assert current(memory) == before
    found = [hit.memory.content for hit in memory.retrieve("what is the travel budget?", min_confidence=0)]
    assert found == ([] if end == "retracted" else ["The travel budget is 500 euros"])
    for content, at in (("The travel budget is 900 euros", JANUARY), ("The travel budget is 700 euros", FEBRUARY)):
        memory.remember(content, kind="semantic", key="budget/travel", at=at)
    assert current(memory) == before
    now = memory.remember("The travel budget is 700 euros", kind="semantic", key="budget/travel")
    assert current(memory) == [now.id]
    sound(memory)


def test_what_a_file_ends_it_ends_once(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open(embedding__model="none")
    wish = {"key": "home/wish", "kind": "semantic", "cardinality": "set", "content": "A balcony"}
    talk = [
        turn("A balcony would be nice", annotations=[wish, {**wish, "ref": "same"}]),
        turn("No balcony then", JANUARY + DAY, annotations=[
            {"action": "retract", "key": "home/wish", "content": "A balcony"}]),
        fact("The travel budget is 900 euros", JANUARY + DAY),
        turn("No travels then", FEBRUARY, annotations=[{"action": "retract", "key": "budget/travel"}]),
    ]  # fmt: skip
    first = come(memory, tmp_path, talk)
    assert (first, first.known) == (9, 0)
    memory.remember("A balcony", kind="semantic", key="home/wish", cardinality="set")
    memory.remember("The travel budget is 500 euros", kind="semantic", key="budget/travel")
    before = current(memory)
    again = come(memory, tmp_path, talk)
    assert (again, again.known) == (0, 9)
    assert current(memory) == before
    # A new fact of a turn that is there rests on that turn.
    talk[0]["annotations"].append({"kind": "semantic", "content": "The flat has no balcony"})
    more = come(memory, tmp_path, talk)
    assert (more, more.known) == (1, 9)
    new = next(one for one in memory.memories() if one.content == "The flat has no balcony")
    said = next(one for one in memory.memories() if one.content == "A balcony would be nice")
    assert [edge.target for edge in memory.edges(new.id) if edge.type == "derivesFrom"] == [said.id]
    sound(memory)


def test_a_tenant_that_is_put_back_takes_in_what_came_since(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open(budget=1_000, embedding__model="none")
    come(memory, tmp_path, BEANS[:2])
    memory.snapshots.save(tmp_path / "then.mars")
    come(memory, tmp_path, BEANS)
    memory.forget(memory.plan(budget=0))
    assert come(memory, tmp_path, BEANS).known == 6
    memory.snapshots.load(tmp_path / "then.mars")
    again = come(memory, tmp_path, BEANS)
    assert (again, again.known) == (4, 2)
    sound(memory)


def learned(memory: AgentMemory, turns: Iterable[Draft], *, dry_run: bool = False) -> int:
    """Return how many of the turns were known."""
    given = list(turns)
    found = memory.learn(given, dry_run=dry_run)
    return len(given) - found.new_turns if isinstance(found, LearnPlan) else found.known


def test_what_is_learned_from_is_known_as_well(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open(budget=1_000, embedding__model="none")
    path = tmp_path / "talk.jsonl"
    come(memory, tmp_path, BEANS)
    assert learned(memory, read_chat(path), dry_run=True) == 6
    assert learned(memory, read_chat(path)) == 6
    memory.forget(memory.plan(budget=0))
    assert learned(memory, read_chat(path)) == 6
    assert not held(memory)
