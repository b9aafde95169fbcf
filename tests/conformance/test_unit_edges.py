"""What a unit of work says of edges and tiers without reading memories whole, against all of them read whole."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from marskg.ontology.vocabulary import TOMBSTONE_EDGES, EdgeType
from marskg.records import Edge
from marskg.store.graph import tiers as lifecycle

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from marskg.memory import AgentMemory
    from marskg.store.unit.unit_of_work import Unit
    from tests.support.stores import Stores

#: Source, target and type.
Drawn = tuple[str, str, EdgeType]


def fill(memory: AgentMemory, chance: random.Random) -> list[str]:
    """Store memories that derive from and depend on one another; returns their ids."""
    ids: list[str] = []
    for number in range(12):
        first, second = (chance.sample(ids, min(len(ids), 2)) for _ in range(2))
        ids.append(memory.remember(f"Thing {number}", kind="semantic", derives_from=first, depends_on=second).id)
    return ids


def fresh(memory: AgentMemory) -> Unit:
    writer = memory._writer
    return writer.new_unit(writer.read, writer.state)


def edges_of(unit: Unit, ids: Iterable[str]) -> set[Drawn]:
    unit.fetch(ids)
    return {(node_id, target, type_) for node_id, node in unit.nodes.items() for type_, target in node.edges}


def change(unit: Unit, chance: random.Random, edges: set[Drawn], content: dict[str, bool]) -> None:
    """Draw an edge, cut one, or take a memory's content; ``edges`` and ``content`` say what is then."""
    whole = [node_id for node_id, there in content.items() if there]
    what = chance.choice(["draw", "cut", "take"])
    if what == "draw" and len(whole) > 1:
        source, target = chance.sample(whole, 2)
        unit.link(unit.node(source), Edge(source, EdgeType.CONTRADICTS, target, unit.now))
        edges.add((source, target, EdgeType.CONTRADICTS))
    elif what == "cut" and edges:
        source, target, type_ = chance.choice(sorted(edges))
        unit.unlink(unit.node(source), type_, target)
        edges.remove((source, target, type_))
    elif what == "take" and whole:
        gone = chance.choice(whole)
        lifecycle._strip(unit, unit.node(gone), ())
        content[gone] = False
        edges -= {edge for edge in edges if edge[0] == gone and edge[2] not in TOMBSTONE_EDGES}


@pytest.mark.parametrize("leaving", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_what_points_to_memories_is_all_that_was_drawn_and_not_cut(stores: Stores, seed: int, *, leaving: bool) -> None:
    chance = random.Random(seed)
    memory = stores.open(sensitivity__assess="off")
    ids = fill(memory, chance)
    edges, content = edges_of(fresh(memory), ids), dict.fromkeys(ids, True)
    unit = fresh(memory)
    if leaving:
        # Half of them with who refers to them, so that what was read in both ways meets.
        unit.fetch(ids[::2], leaving=True)
    for _ in range(30):
        change(unit, chance, edges, content)
        asked = set(chance.sample(ids, 4))
        found = unit.incoming(asked)
        assert found == sorted(edge for edge in edges if edge[1] in asked)
        assert {source: unit.keeps_content(source) for source, _, _ in found} == {
            source: content[source] for source, _, _ in found
        }


def test_what_is_read_to_leave_is_not_asked_again_who_refers_to_it(stores: Stores) -> None:
    memory = stores.open(sensitivity__assess="off")
    ids = fill(memory, random.Random(9))
    unit = fresh(memory)
    unit.fetch(ids, leaving=True)
    read, asked = unit.read, []

    def noted(name: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        asked.append(name)
        return read(name, parameters)

    unit.read = noted
    found = unit.incoming(ids)
    tiers = {source: unit.tier_of(source) for source, _, _ in found}
    assert asked == []
    plain = fresh(memory)
    assert plain.incoming(ids) == found
    assert {source: plain.tier_of(source) for source in tiers} == tiers
    assert found


def test_what_only_refers_to_what_goes_is_not_read_whole(stores: Stores) -> None:
    memory = stores.open(sensitivity__assess="off")
    turn = memory.remember("We talked about the flat", kind="semantic")
    fact = memory.remember("The flat is small", kind="semantic", derives_from=[turn.id])
    unit = fresh(memory)
    lifecycle.evict(unit, [lifecycle.Departure(turn.id, {"rule": "test", "reason": "test"})])
    assert set(unit.nodes) == {turn.id}
    assert not unit.node(turn.id).deleted, f"{fact.id} refers to it"
