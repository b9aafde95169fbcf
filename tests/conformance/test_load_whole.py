"""Loading a document of several batches: what this tenant does not take is refused before the first of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.ontology.vocabulary import NS, Kind
from tests.support import picture as pictures
from tests.support.stores import START

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

QUICK: dict[str, Any] = {"sensitivity__assess": "off", "embedding__model": "none"}
#: More than two batches of 200.
MANY = 430
LONG = "word " * 60


def many(stores: Stores, **last: Any) -> AgentMemory:
    """Return a tenant with many memories, the last one with the fields of ``last``."""
    memory = stores.open(budget=1_000_000, **QUICK)
    drafts = [
        marskg.Draft(
            ref=f"d{number}", kind=Kind.SEMANTIC, content=f"Fact {number}", at=START, pin=bool(last.get("pin"))
        )
        for number in range(MANY)
    ]
    memory.remember_many(drafts)
    memory.remember(last.pop("content", "The last fact"), kind="semantic", **last)
    return memory


def broken(path: Path, ids: list[str], *links: tuple[int, str, int]) -> None:
    """Draw edges in a document between the memories of these places."""
    lines = "".join(f"<{ids[a]}> <{NS}{type_}> <{ids[b]}> .\n" for a, type_, b in links)
    document, end = path.read_text(encoding="utf-8").rsplit("#", 1)
    path.write_text(f"{document}{lines}#{end}", encoding="utf-8")


#: What a document has at its end, the settings of the tenant that it is loaded into, and what is said of it.
FAULTS: dict[str, tuple[dict[str, Any], tuple[tuple[int, str, int], ...], dict[str, Any], type[Exception], str]] = {
    "a memory above the budget": (
        {"content": LONG}, (), {"budget": 50}, marskg.MemoryTooLarge, "the whole budget is 50",
    ),
    "more pinned than the budget": (
        {"pin": True}, (), {"budget": 500}, marskg.BudgetInfeasible, "would be protected.*the budget of tenant",
    ),
    "a cycle from end to end": (
        {}, ((0, "dependsOn", 210), (210, "derivesFrom", -1), (-1, "dependsOn", 0)), {}, marskg.CycleError, "Acyclic",
    ),
    "a fact that requires": (
        {}, ((-1, "requires", 0),), {}, marskg.InvalidMemory, "TaskEdges.*Nothing was loaded",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_document_is_refused_before_the_first_of_it_is_stored(stores: Stores, tmp_path: Path, fault: str) -> None:
    last, links, settings, error, said = FAULTS[fault]
    source = many(stores, **last)
    path = tmp_path / "all.nq"
    source.export(path)
    broken(path, [memory.id for memory in source.memories()], *links)
    target = stores.open(**{"budget": 1_000_000, **QUICK, **settings})
    target.remember("Here before")
    before = pictures.take(stores.engine, target.tenant)
    with pytest.raises(error, match=said):
        target.load(path)
    assert pictures.take(stores.engine, target.tenant) == before


def test_what_is_still_needed_stays_while_a_document_makes_room(stores: Stores, tmp_path: Path) -> None:
    source = many(stores)
    path = tmp_path / "all.nq"
    ids = [memory.id for memory in source.memories()]
    source.export(path)
    broken(path, ids, *((place, "dependsOn", place % 7) for place in range(200, MANY)))
    target = stores.open(budget=700, **QUICK)
    assert target.load(path) == MANY + 1
    assert target.weight <= 700
    assert target.validate(full=True).ok
    assert target.verify().findings == ()
