"""Random histories verify; after any one random change, of any field of anything that is stored, they do not."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from marskg.audit.verify import _Gaps
from marskg.ontology.vocabulary import EdgeType, Operation, Tier
from marskg.records import AuditRecord, Edge, TreeHead
from tests.unit.audit.world import START, World, signer_of

STEPS = ("remember", "amend", "link", "archive", "evict", "remove", "erase", "name", "access", "rotate", "head")
HISTORIES = st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 99)), max_size=12)


def history(steps: list[tuple[str, int]]) -> World:
    """Live through ``steps`` as far as they are possible; end with a head of each log."""
    world = World()
    world.remember("the first")
    for number, (step, choice) in enumerate(steps):
        whole = [name for name, node in world.nodes.items() if node.value.content is not None]
        chosen = whole[choice % len(whole)] if whole else None
        if step == "remember":
            edges = [(EdgeType.DERIVES_FROM, chosen)] if chosen and choice % 2 else []
            world.remember(f"number {number}", *edges, pinned=choice % 3 == 0)
        elif step == "name":
            world.name(f"name {number}")
        elif step == "rotate":
            world.rotate(f"key {number}")
        elif step == "head":
            world.head()
        elif chosen is not None:
            act(world, step, chosen, choice)
    world.head()
    world.head(world.accesses)
    # A store has one head of a size.
    world.heads = list({(head.log, head.size): head for head in world.heads}.values())
    return world


def act(world: World, step: str, chosen: str, choice: int) -> None:
    if step == "amend":
        world.amend(chosen, sensitivity=choice / 100)
    elif step == "link":
        world.link(chosen, EdgeType.DEPENDS_ON, sorted(world.nodes)[choice % len(world.nodes)], choice / 100)
    elif step == "archive":
        world.amend(chosen, Operation.ARCHIVE, tier=Tier.LATENT)
    elif step == "access":
        world.access(*sorted(world.nodes)[: choice % 4])
    else:
        getattr(world, step)(chosen)


@given(HISTORIES)
def test_a_history_verifies_whole_and_with_its_own_heads_as_witness(steps: list[tuple[str, int]]) -> None:
    world = history(steps)
    report = world.verify(witness=list(world.heads), trusted_keys={world.first_key})
    assert report.findings == ()
    assert report.checked == len(world.records) + len(world.accesses)


@given(HISTORIES, st.data())
def test_any_one_change_is_found(steps: list[tuple[str, int]], data: st.DataObject) -> None:
    world = history(steps)
    kind = data.draw(st.sampled_from(("record", "place", "head", "node", "edge")), label="what")
    globals()[f"change_{kind}"](world, data)
    assert not world.verify().ok


def another(value: Any, data: st.DataObject) -> Any:
    """Return another value of the same type."""
    if isinstance(value, Operation):
        return data.draw(st.sampled_from([one for one in Operation if one is not value]))
    if isinstance(value, str):
        return another_text(value, data)
    if isinstance(value, int):
        return data.draw(st.integers(max(value - 2000, 0), value + 2000).filter(lambda one: one != value))
    position = data.draw(st.integers(0, len(value) - 1), label="element")
    return (*value[:position], another(value[position], data), *value[position + 1 :])


def another_text(value: str, data: st.DataObject) -> str:
    """Return a text with one character changed, added or removed, or none left."""
    way = data.draw(st.sampled_from(("change", "add", "remove", "empty") if value else ("add",)), label="way")
    position = data.draw(st.integers(0, max(len(value) - 1, 0)), label="position")
    letter = data.draw(st.sampled_from("0aAzZ1 \n<>#é"), label="letter")
    rest = value[position:] if way == "add" else value[position + 1 :]
    changed = "" if way == "empty" else value[:position] + (letter if way != "remove" else "") + rest
    assume(changed != value)
    return changed


def change_record(world: World, data: st.DataObject) -> None:
    records = data.draw(st.sampled_from([world.records, world.accesses]), label="log")
    position = data.draw(st.integers(0, len(records) - 1), label="record")
    record = records[position]
    names = [field.name for field in fields(AuditRecord) if getattr(record, field.name) != ()]
    name = data.draw(st.sampled_from(names), label="field")
    records[position] = replace(record, **{name: another(getattr(record, name), data)})


def change_place(world: World, data: st.DataObject) -> None:
    records = data.draw(st.sampled_from([world.records, world.accesses]), label="log")
    position = data.draw(st.integers(0, len(records) - 1), label="record")
    way = data.draw(st.sampled_from(("delete", "copy", "swap", "truncate", "forge")), label="way")
    if way == "delete":
        del records[position]
    elif way == "copy":
        records.insert(data.draw(st.integers(0, len(records)), label="to"), records[position])
    elif way == "truncate":
        del records[position:]
    elif way == "forge":
        record = records[position]
        mallory = signer_of("mallory")
        records[position] = world.sign(record.sequence, record.operation, log=record.log, signer=mallory)
    else:
        assume(position > 0)
        records[position - 1], records[position] = records[position], records[position - 1]


def change_head(world: World, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(world.heads) - 1), label="head")
    name = data.draw(st.sampled_from([field.name for field in fields(TreeHead)]), label="field")
    head = world.heads[position]
    world.heads[position] = replace(head, **{name: another(getattr(head, name), data)})


def change_node(world: World, data: st.DataObject) -> None:
    stored = world.nodes if data.draw(st.booleans(), label="memory") or not world.entities else world.entities
    whole = sorted(name for name, node in stored.items() if node.salt is not None)
    assume(whole)
    node = stored[data.draw(st.sampled_from(whole), label="node")]
    way = data.draw(st.sampled_from(("salt", "field", "delete")), label="way")
    if way == "delete":
        del stored[node.value.id]
    elif way == "salt":
        node.salt = another_text(node.salt or "", data)
    elif stored is world.entities:
        node.value = replace(node.value, name=another_text(node.value.name, data))
    else:
        memory = node.value
        changes = {
            "content": another_text(memory.content, data),
            "sensitivity": memory.sensitivity + 0.001,
            "pinned": not memory.pinned,
            "expires_at": START,
            "weight": memory.weight + 1,
            "tier": Tier.LATENT if memory.tier is Tier.LIVE else Tier.LIVE,
            "created": memory.created + 1,
            "purpose": ("marketing",),
            "payload": {"event": "x"},
        }
        name = data.draw(st.sampled_from(sorted(changes)), label="field")
        node.value = replace(memory, **{name: changes[name]})


def change_edge(world: World, data: st.DataObject) -> None:
    whole = sorted(name for name, node in world.nodes.items() if node.salt is not None)
    assume(whole)
    node = world.nodes[data.draw(st.sampled_from(whole), label="node")]
    way = data.draw(st.sampled_from(("add", "remove", "weigh")), label="way")
    if way == "add" or not node.edges:
        node.edges.append(Edge(node.value.id, EdgeType.CONTRADICTS, world.log, START))
    elif way == "remove":
        edge = node.edges.pop(data.draw(st.integers(0, len(node.edges) - 1), label="edge"))
        assume(edge not in node.edges)
    else:
        position = data.draw(st.integers(0, len(node.edges) - 1), label="edge")
        node.edges[position] = replace(node.edges[position], weight=(node.edges[position].weight or 0) + 0.5)


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), max_size=8),
    st.lists(st.integers(1, 40), max_size=20),
    st.integers(1, 40),
    st.integers(1, 40),
)
def test_gaps_are_what_was_not_seen(stretches: list[tuple[int, int]], late: list[int], first: int, last: int) -> None:
    gaps, missing, end = _Gaps(), set[int](), 0
    for seen, left_out in stretches:
        gaps.add(end + seen + 1, end + seen + left_out)
        missing |= set(range(end + seen + 1, end + seen + left_out + 1))
        end += seen + left_out
    for number in late:
        assert gaps.fill(number) == (number in missing)
        missing.discard(number)
    assert {number for start, stop in gaps for number in range(start, stop + 1)} == missing
    assert [*gaps.between(first, last)] == [number for number in range(first, last + 1) if number not in missing]
