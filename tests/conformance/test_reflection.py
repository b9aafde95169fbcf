"""Summaries in the graph, on every engine: what takes whose place, what leaves with whom, what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from marskg.clock import DAY_MS
from marskg.errors import InvariantError
from marskg.ontology.vocabulary import EdgeType, Operation, SourceType, Tier
from marskg.store.rows.summary_lines import decode
from tests.support.consolidating import COUNTER, TEXTS, consolidated, current, line, summary_of, texts, told, usual

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from marskg.store.unit.unit_of_work import Unit
    from tests.support.stores import Stores


def edges(mem: AgentMemory, node_id: str, type_: EdgeType) -> list[str]:
    """Return where the outgoing edges of a type lead to, sorted."""
    ((_, found, _),) = mem.store.reader.nodes([node_id])
    return sorted(edge.target for edge in found if edge.type is type_)


def sound(mem: AgentMemory) -> None:
    for report in (mem.validate(full=True), mem.verify()):
        assert report.ok, report.findings[:3]


# --- Taking the place of a cluster ----------------------------------------------------------------------------------


def test_a_summary_takes_the_place_of_its_constituents(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    ids = told(mem, *TEXTS)
    before = mem.stats()
    made = summary_of(ids, line("Watered the tomatoes.", ids[0], ids[1]), line("Carl brought 12 kg of lime.", ids[2]))
    summary = consolidated(mem, made)
    kept = mem.get(summary.id)
    assert kept is not None
    assert (kept.kind, kept.source_type, kept.session) == ("semantic", SourceType.REFLECTION, "s")
    assert kept.content == "Watered the tomatoes.\nCarl brought 12 kg of lime."
    assert [one.sources for one in decode(kept.summary_lines)] == [tuple(sorted(ids[:2])), (ids[2],)]
    assert mem.stats()["weight"] == made.weight < before["weight"]
    assert {memory.tier for memory in mem.memories() if memory.id in ids} == {Tier.TOMBSTONE}
    assert edges(mem, kept.id, EdgeType.DERIVES_FROM) == sorted(ids)
    last = [(record.operation, record.memories) for record in mem.audit.records()][-4:]
    assert last == [(Operation.REMEMBER, (kept.id,)), *((Operation.CONSOLIDATE, (node_id,)) for node_id in ids)]
    sound(mem)


def test_a_summary_that_claims_to_be_lighter_than_its_text_is_refused(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    ids = told(mem, *TEXTS)
    light = summary_of(ids, line("Watered the tomatoes and then the beans, twice.", *ids), weight=1)
    with pytest.raises(InvariantError, match="weighs as many tokens as its text has"):
        consolidated(mem, light)


def test_strict_closure_keeps_the_constituents_latent(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    ids = told(mem, *TEXTS)
    consolidated(mem, summary_of(ids, line("Watered the tomatoes.", *ids)), keep_latent=True)
    assert {memory.tier for memory in mem.memories() if memory.id in ids} == {Tier.LATENT}
    assert [record.operation for record in mem.audit.records()][-3:] == [Operation.CONSOLIDATE] * 3
    sound(mem)


def test_a_line_without_attribution_carries_them_all(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    ids = told(mem, *TEXTS)
    summary = consolidated(mem, summary_of(ids, line("Garden work.")))
    assert [one.sources for one in decode(summary.summary_lines)] == [tuple(sorted(ids))]


def test_whom_the_summary_does_not_name_it_does_not_mention(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    ids = told(mem, *TEXTS[:2], mentions=["Dora"]) + told(mem, TEXTS[2], mentions=["Carl"])
    consolidated(mem, summary_of(ids, line("Carl brought lime.", ids[2])))
    assert [entity.name for entity in mem.entities.list()] == ["Carl"]
    sound(mem)


def test_goals_and_what_a_constituent_makes_no_sense_without_pass_to_the_summary(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    goal = mem.remember("grow tomatoes", kind="task", status="done").id
    base = mem.remember("the garden is behind the house", kind="semantic", ttl="10d").id
    ids = told(mem, *TEXTS, attaches_to_goal=[goal], depends_on=[base])
    summary = consolidated(mem, summary_of(ids, line("Watered the tomatoes.", *ids)))
    assert edges(mem, summary.id, EdgeType.ATTACHES_TO_GOAL) == [goal]
    assert edges(mem, summary.id, EdgeType.DEPENDS_ON) == [base]
    stores.clock(mem).advance(11 * DAY_MS)
    mem.maintenance.expire()
    mem.maintenance.expire()
    assert mem.get(summary.id) is None
    sound(mem)


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"pin": True}, "pinned"),
        ({"key": "slot"}, "keyed"),
        ({"subjects": ["bea"]}, "subjects"),
        ({"purpose": ["support"]}, "purpose"),
        ({"jurisdiction": "EU"}, "jurisdiction"),
    ],
)
def test_what_may_not_be_summarised_is_refused_and_nothing_changes(
    stores: Stores, fields: dict[str, Any], rule: str
) -> None:
    mem = stores.open(embedding__model="none")
    ids = told(mem, TEXTS[0]) + told(mem, TEXTS[1], **fields)
    before = list(mem.memories())
    with pytest.raises(InvariantError, match=rule) as refused:
        consolidated(mem, summary_of(ids, line("Watered.", *ids)))
    assert "tomatoes" not in str(refused.value)
    assert list(mem.memories()) == before


def test_what_something_still_depends_on_is_refused(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    ids = told(mem, *TEXTS)
    mem.remember("that took an hour", kind="semantic", depends_on=[ids[0]])
    with pytest.raises(InvariantError, match="dependent"):
        consolidated(mem, summary_of(ids, line("Watered.", *ids)))


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"weight": 10_000}, "cheaper"),
        ({"lines": ()}, "lines"),
        ({"lines": (line("One.\nTwo."),)}, "line breaks"),
        ({"lines": (line("Foreign.", "urn:uuid:00000000-0000-7000-8000-000000000009"),)}, "behind none"),
    ],
)
def test_a_summary_that_is_not_what_it_claims_is_refused(stores: Stores, change: dict[str, Any], rule: str) -> None:
    mem = stores.open(embedding__model="none")
    ids = told(mem, *TEXTS)
    with pytest.raises(InvariantError, match=rule):
        consolidated(mem, replace(summary_of(ids, line("Watered.", *ids)), **change))


def test_a_task_requires_the_summary_only_if_that_is_equivalent(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    ids = told(mem, "The form is in the blue folder. It is.", "The form is in the blue folder.")
    task = mem.remember("hand in the form", kind="task", requires=[ids[0]]).id
    made = summary_of(ids, line("The form is in the blue folder.", *ids))
    with pytest.raises(InvariantError, match="equivalent"):
        consolidated(mem, made)
    summary = consolidated(mem, replace(made, equivalent=True))
    assert edges(mem, task, EdgeType.REQUIRES) == [summary.id]
    assert mem.get(task).status == "open"  # type: ignore[union-attr]
    sound(mem)


def test_no_task_comes_to_require_a_summary_that_rests_on_it(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    ids = told(mem, "The form is in the blue folder. It is.")
    task = mem.remember("hand in the form", kind="task", requires=ids).id
    ids += told(mem, "The form is in the blue folder.", derives_from=[task])
    made = summary_of(ids, line("The form is in the blue folder.", *ids), equivalent=True)
    with pytest.raises(InvariantError, match="on which another constituent rests"):
        consolidated(mem, made)
    mem.tasks.amend(task, status="done")
    summary = consolidated(mem, made)
    assert summary.id not in edges(mem, task, EdgeType.REQUIRES)
    sound(mem)


# --- Summaries of summaries -----------------------------------------------------------------------------------------


def test_attribution_goes_through_summaries_of_summaries(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    ids, first = usual(mem)
    more = told(mem, "On Sunday the tomatoes were ripe and Carl took two of them home.")
    lines = (line("Watered the tomatoes.", ids[0], ids[1]), line("Carl took two.", *more))
    second = consolidated(mem, summary_of([first.id, *more], *lines))
    assert mem.get(first.id) is None
    assert decode(second.summary_lines)[0].sources == tuple(sorted(ids[:2]))
    other = told(mem, TEXTS[0])
    with pytest.raises(InvariantError, match="behind none"):
        consolidated(mem, summary_of([second.id, *other], line("Watered.", first.id)))
    sound(mem)


# --- Lines that leave -----------------------------------------------------------------------------------------------


def test_lines_leave_when_their_source_expires(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    soon, late = told(mem, TEXTS[0], ttl="5d") + told(mem, TEXTS[1], ttl="50d"), told(mem, TEXTS[2], ttl="50d")
    ends = {memory.id: memory.expires_at for memory in mem.memories()}
    lines = (
        line("Watered the tomatoes.", *soon, expires_at=ends[soon[0]], sensitivity=0.4),
        line("Carl brought 12 kg of lime.", *late, expires_at=ends[late[0]]),
    )
    summary = consolidated(mem, summary_of([*soon, *late], *lines, sensitivity=0.4))
    assert summary.expires_at == ends[soon[0]]
    stores.clock(mem).advance(6 * DAY_MS)
    mem.maintenance.expire()
    mem.maintenance.expire()
    (left,) = current(mem)
    assert texts(left) == ["Carl brought 12 kg of lime."]
    assert left.content == "Carl brought 12 kg of lime."
    assert left.weight == COUNTER.count(left.content)
    assert (left.sensitivity, left.expires_at) == (0.0, ends[late[0]])
    assert mem.get(summary.id) is None
    sound(mem)
    stores.clock(mem).advance(50 * DAY_MS)
    mem.maintenance.expire()
    mem.maintenance.expire()
    assert current(mem) == []
    sound(mem)


def test_lines_leave_when_every_fact_of_their_source_is_superseded(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    ids = told(mem, *TEXTS)
    mem.remember("lime: 12 kg", kind="semantic", key="lime", derives_from=[ids[2]])
    mem.remember("guest: Carl", kind="semantic", key="guest", derives_from=[ids[2]])
    made = summary_of(ids, line("Watered the tomatoes.", ids[0], ids[1]), line("Carl brought 12 kg of lime.", ids[2]))
    consolidated(mem, made)
    mem.remember("lime: none left", kind="semantic", key="lime")
    assert len(texts(current(mem)[0])) == 2
    mem.retract("guest")
    assert texts(current(mem)[0]) == ["Watered the tomatoes."]
    sound(mem)


def test_who_corrects_a_summary_says_nothing_of_the_facts_behind_it(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    ids = told(mem, *TEXTS)
    mem.remember("lime: 12 kg", kind="semantic", key="lime", derives_from=[ids[2]])
    mem.remember("guest: Carl", kind="semantic", key="guest", derives_from=[ids[2]], ttl="1h")
    made = summary_of(ids, line("Watered the tomatoes.", ids[0], ids[1]), line("Carl brought 12 kg of lime.", ids[2]))
    consolidated(mem, made)
    mem.remember("lime: none left", kind="semantic", key="lime")
    stores.clock(mem).advance(DAY_MS // 2)
    mem.maintenance.expire()
    (summary,) = (one for one in current(mem) if one.summary_lines)
    corrected = mem.update(summary.id, "Watered the tomatoes. Carl brought 12 kg of fine lime.")
    assert mem.get(corrected.id) == corrected
    assert summary.id in [one.id for one in mem.history(id=corrected.id)]
    sound(mem)


def test_lines_leave_when_a_latent_source_is_superseded_itself(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    ids = told(mem, *TEXTS)
    made = summary_of(ids, line("Watered the tomatoes.", ids[0], ids[1]), line("Carl brought 12 kg of lime.", ids[2]))
    consolidated(mem, made, keep_latent=True)
    mem.update(ids[2], "On Friday Dora brought nothing.")
    assert texts(current(mem)[0]) == ["Watered the tomatoes."]
    sound(mem)


def test_lines_leave_a_summary_that_was_corrected_before(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    ids = told(mem, *TEXTS)
    made = summary_of(ids, line("Watered the tomatoes.", ids[0], ids[1]), line("Carl brought 12 kg of lime.", ids[2]))
    summary = consolidated(mem, made, keep_latent=True)
    rests = mem.remember("so the tomatoes do well", kind="semantic", depends_on=[summary.id]).id
    newer = mem.update(summary.id, "Watered the tomatoes.\nCarl brought 12 kg of fine lime.")
    mem.erase(id=ids[2])
    assert not [one for one in mem.memories() if one.content and "lime" in one.content]
    (left,) = current(mem)
    assert left.id != newer.id
    assert texts(left) == ["Watered the tomatoes."]
    (older,) = (one for one in mem.memories() if one.summary_lines and not one.current)
    assert texts(older) == ["Watered the tomatoes."]
    assert edges(mem, rests, EdgeType.DEPENDS_ON) == [older.id]
    sound(mem)


def test_a_summary_without_lines_goes_too_and_what_depends_on_one_with_lines_stays(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    ids, summary = usual(mem)
    rests = mem.remember("so the tomatoes do well", kind="semantic", depends_on=[summary.id]).id
    facts = [mem.remember(f"fact {n}", kind="semantic", key=f"f{n}", derives_from=[ids[n]]).id for n in (0, 2)]
    assert facts
    mem.retract("f2")
    (left,) = current(mem)
    assert texts(left) == ["Watered the tomatoes."]
    kept = mem.get(rests)
    assert kept is not None
    assert kept.unaffirmed_since is not None
    assert edges(mem, rests, EdgeType.DEPENDS_ON) == [left.id]
    sound(mem)
    mem.retract("f0")
    assert current(mem) == []
    assert mem.get(rests) is None
    sound(mem)


def test_lines_leave_through_summaries_of_summaries(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    ids, first = usual(mem)
    mem.remember("lime: 12 kg", kind="semantic", key="lime", derives_from=[ids[2]])
    more = told(mem, "On Sunday the tomatoes were ripe and Carl took two of them home.")
    lines = (line("Carl brought 12 kg of lime.", ids[2]), line("Carl took two.", *more))
    consolidated(mem, summary_of([first.id, *more], *lines))
    mem.retract("lime")
    assert texts(current(mem)[0]) == ["Carl took two."]
    sound(mem)


def test_an_eviction_that_ends_its_grace_takes_no_line_with_it(stores: Stores) -> None:
    mem = stores.open(embedding__model="none", policy__grace="1d")
    ids = told(mem, *TEXTS)
    made = summary_of(ids, line("Watered the tomatoes.", ids[0], ids[1]), line("Carl brought 12 kg of lime.", ids[2]))
    summary = consolidated(mem, made, keep_latent=True)

    def give_grace(unit: Unit) -> None:
        unit.change(unit.node(ids[2]), grace_until=unit.now + 1)
        unit.audit.note(Operation.MIGRATE)

    mem._writer.run(give_grace)
    stores.clock(mem).advance(2 * DAY_MS)
    mem.maintenance.expire()
    mem.maintenance.expire()
    assert [memory.tier for memory in mem.memories() if memory.id == ids[2]] == [Tier.TOMBSTONE]
    assert len(texts(mem.get(summary.id))) == 2  # type: ignore[arg-type]  # it is there


# --- In and out -----------------------------------------------------------------------------------------------------


def test_a_summary_goes_out_and_comes_back_with_its_lines(stores: Stores, tmp_path: Path) -> None:
    mem = stores.open(embedding__model="none")
    _, summary = usual(mem)
    for name in ("all.jsonld", "all.nq", "all.trig"):
        mem.export(tmp_path / name)
        other = stores.open(embedding__model="none")
        other.load(tmp_path / name)
        loaded = other.get(summary.id)
        assert loaded is not None
        assert (loaded.summary_lines, loaded.content) == (summary.summary_lines, summary.content)
        sound(other)


def test_an_update_by_hand_keeps_attribution(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    ids, summary = usual(mem)
    newer = mem.update(summary.id, "Watered the tomatoes.\nA word by hand.")
    found = decode(newer.summary_lines)
    assert [one.sources for one in found] == [tuple(sorted(ids[:2])), tuple(sorted(ids))]
    sound(mem)
