"""The policy reflection-summary, whole, on every engine: what it summarises, what it may not, and where it ends."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from marskg.clock import DAY_MS
from marskg.errors import InvariantError, StalePlan
from marskg.ontology.vocabulary import MemoryClass, Operation, SourceType, Tier
from marskg.policies.builtin.reflection import NAME, NO_ROOM, RULE, WITHOUT_VECTORS
from marskg.policies.core.policy import plan_digest
from marskg.reflection.consolidation import LEFT_OUT
from marskg.store.rows.summary_lines import decode
from tests.support.chat_server import chat_server

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from marskg.records import Plan
    from tests.support.stores import Stores

LONG: dict[str, Any] = {"memory_class": "canonical"}
GARDEN = tuple(
    f"On day {day} I watered the tomatoes in the garden behind the house. It was {20 + day} degrees in the garden then."
    for day in range(6)
)
BREAD = tuple(f"I baked rye bread with {day} spoons of salt for dinner. The bread was rather good." for day in range(6))


def said(mem: AgentMemory, *texts: str, **fields: Any) -> list[str]:
    return [mem.remember(text, **{"kind": "episodic", "session": "s"} | LONG | fields).id for text in texts]


def planned(mem: AgentMemory, budget: int) -> Plan:
    return mem.plan(policy=NAME, budget=budget)


def sound(mem: AgentMemory) -> None:
    for report in (mem.validate(full=True), mem.verify()):
        assert report.ok, report.findings[:3]


def summaries(mem: AgentMemory) -> list[Any]:
    return [one for one in mem.memories() if one.source_type is SourceType.REFLECTION and one.content is not None]


def test_clusters_become_summaries_within_the_budget(stores: Stores) -> None:
    mem = stores.open()
    ids = {*said(mem, *GARDEN), *said(mem, *BREAD, session="t")}
    budget = mem.weight * 7 // 10
    plan = planned(mem, budget)
    assert {action.action for action in plan.actions} == {"consolidate"}
    assert plan.summaries
    assert {action.id for action in plan.actions} <= ids
    assert plan.weight_after == plan.weight_before - plan.freed_tokens <= budget
    mem.forget(plan)
    assert mem.weight == plan.weight_after
    kept = summaries(mem)
    assert {one.content for one in kept} == {summary.content for summary in plan.summaries}
    for summary in plan.summaries:
        assert 0 < summary.realised <= 0.95
        subjects = {"watered" in line.text or "degrees" in line.text for line in summary.lines}
        assert len(subjects) == 1
    sound(mem)


def test_what_is_sensitive_stays_as_it_is_and_the_rest_is_summarised(stores: Stores) -> None:
    mem = stores.open(sensitivity__assess="on")
    harmless = said(mem, *GARDEN)
    (sensitive,) = said(
        mem, "I was diagnosed with HIV on day 7. I watered the tomatoes in the garden behind the house."
    )
    numbered = said(mem, *(f"{text} The gardener is there under 030 55501{day}9." for day, text in enumerate(GARDEN)))
    levels = {one.id: one.sensitivity for one in mem.memories()}
    assert levels[sensitive] == 0.6
    assert {levels[one] for one in numbered} == {0.4}
    plan = planned(mem, mem.weight * 6 // 10)
    taken = {node_id for summary in plan.summaries for node_id in summary.constituents}
    assert taken & set(harmless)
    assert sensitive not in taken
    assert any(LEFT_OUT in note for note in plan.notes)
    for summary in plan.summaries:
        assert summary.sensitivity <= 0.3
    mem.forget(plan)
    for kept in summaries(mem):
        assert kept.sensitivity <= 0.3
        assert "HIV" not in kept.content
        assert "555" not in kept.content
        assert not any("health" in reason for reason in kept.sensitivity_reasons)
    assert mem.maintenance.rescore() == 0
    sound(mem)


def test_what_a_private_entity_forces_on_one_is_forced_on_the_summary(stores: Stores) -> None:
    mem = stores.open(sensitivity__assess="on", reflection__s_floor=0.6)
    mem.preferences.set("private_entity", "Zelda", level=0.5)
    # A sentence too long to be a line of the summary.
    long = " and then" * 2 + " watered the tomatoes in the garden behind the house" * 16
    *_, zelda = said(mem, *GARDEN, f"Zelda{long}.")
    assert next(one.sensitivity for one in mem.memories() if one.id == zelda) == 0.5
    plan = planned(mem, mem.weight * 6 // 10)
    (summary,) = [summary for summary in plan.summaries if zelda in summary.constituents]
    assert summary.sensitivity == 0.0, "its own line was not chosen"
    mem.forget(plan)
    (kept,) = [one for one in summaries(mem) if one.content == summary.content]
    assert kept.sensitivity == 0.5
    assert any(reason.startswith("private entity: at least 0.5") for reason in kept.sensitivity_reasons)
    sound(mem)


@pytest.mark.server
@pytest.mark.parametrize("mode", ["fixed", "dual"])
def test_kinds_with_shares_are_summarised_as_well(stores: Stores, mode: str) -> None:
    mem = stores.open()
    said(mem, *GARDEN)
    said(mem, *BREAD, session="t")
    budget = mem.weight * 7 // 10
    without = planned(mem, budget)
    mem.settings.set(None, {"partitions.mode": mode})
    plan = planned(mem, budget)
    assert [set(summary.constituents) for summary in plan.summaries] == [
        set(summary.constituents) for summary in without.summaries
    ]
    mem.forget(plan)
    assert mem.weight <= budget
    sound(mem)


@pytest.mark.parametrize("values", [{"policy__evict_to": "latent"}, {"policy__grace": "30d"}])
def test_what_is_summarised_is_kept_as_long_as_what_is_evicted(stores: Stores, values: dict[str, Any]) -> None:
    mem = stores.open(**values)
    ids = {*said(mem, *GARDEN), *said(mem, *BREAD, session="t")}
    plan = planned(mem, mem.weight * 7 // 10)
    mem.forget(plan)
    taken = {node_id for summary in plan.summaries for node_id in summary.constituents}
    assert taken <= ids
    assert {one.tier for one in mem.memories() if one.id in taken} == {Tier.LATENT}
    stores.clock(mem).advance(31 * DAY_MS)
    mem.maintenance.expire()
    mem.maintenance.expire()
    kept = Tier.LATENT if "policy__evict_to" in values else Tier.TOMBSTONE
    assert {one.tier for one in mem.memories() if one.id in taken} == {kept}
    assert len(summaries(mem)) == len(plan.summaries), "the end of a grace ends no summary"
    sound(mem)


def test_reasons_and_the_audit_say_distortion_and_hold_no_content(stores: Stores) -> None:
    mem = stores.open()
    said(mem, *GARDEN)
    plan = planned(mem, mem.weight * 7 // 10)
    mem.forget(plan)
    for action in plan.actions:
        assert action.rule == RULE
        assert "distortion" in action.reason
        assert "tomatoes" not in action.reason
    records = [record for record in mem.audit.records() if record.operation is Operation.CONSOLIDATE]
    assert [record.memories[0] for record in records] == [action.id for action in plan.actions]
    (passed,) = [record for record in mem.audit.records() if record.operation is Operation.FORGET]
    assert f'"summary={len(plan.summaries)}"' in passed.details[0]
    assert not [record for record in mem.audit.records() if any("tomatoes" in text for text in record.details)]


def test_equal_stores_have_equal_plans(stores: Stores) -> None:
    digests = set()
    for _ in range(2):
        mem = stores.open(seed=7)
        said(mem, *GARDEN, *BREAD)
        plan = planned(mem, mem.weight // 2)
        digests.add(tuple((one.content, one.weight, round(one.realised, 6)) for one in plan.summaries))
    assert len(digests) == 1


@pytest.mark.parametrize("share", [10, 4, 2])
def test_it_ends_within_every_budget(stores: Stores, share: int) -> None:
    mem = stores.open()
    said(mem, *GARDEN, *BREAD)
    mem.remember("Ana is allergic to penicillin", kind="semantic", pin=True, **LONG)
    budget = max(mem.weight // share, 10)
    plan = planned(mem, budget)
    mem.forget(plan)
    assert mem.weight <= budget
    assert mem.stats()["protected_weight"] > 0
    sound(mem)


def test_where_no_room_for_a_summary_is_left_its_constituents_go_without(stores: Stores) -> None:
    mem = stores.open()
    said(mem, *GARDEN)
    pinned = mem.remember("Ana is allergic to penicillin", kind="semantic", pin=True, **LONG)
    plan = planned(mem, pinned.weight)
    assert plan.summaries == ()
    assert {action.rule for action in plan.actions} <= {NO_ROOM, "priority-decay"}
    mem.forget(plan)
    assert mem.weight == pinned.weight


@pytest.mark.parametrize(
    "fields",
    [
        {"pin": True},
        {"key": "slot", "cardinality": "append"},
        {"use_bound": True},
        {"session_bound": True},
        {"memory_class": "ephemeral"},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_what_may_not_be_summarised_is_not(stores: Stores, fields: dict[str, Any]) -> None:
    mem = stores.open()
    said(mem, *GARDEN, **fields)
    assert mem.plan(policy=NAME, budget=mem.weight).summaries == ()
    loose = said(mem, *GARDEN)
    plan = planned(mem, mem.weight - 20)
    taken = {node_id for summary in plan.summaries for node_id in summary.constituents}
    assert taken <= set(loose)


def test_subjects_purposes_and_jurisdictions_do_not_mix(stores: Stores) -> None:
    mem = stores.open()
    groups: dict[str, tuple[Any, ...]] = {}
    for subject in ("ana", "bea"):
        for purpose in ("care", "sales"):
            for node_id in said(mem, *GARDEN[:4], subjects=[subject], purpose=[purpose], jurisdiction="EU"):
                groups[node_id] = (subject, purpose)
    plan = planned(mem, mem.weight * 2 // 3)
    assert plan.summaries
    for summary in plan.summaries:
        assert len({groups[node_id] for node_id in summary.constituents}) == 1
    mem.forget(plan)
    for one in summaries(mem):
        assert (len(one.subjects), len(one.purpose), one.jurisdiction) == (1, 1, "EU")


def test_what_an_active_task_needs_and_what_something_depends_on_stays(stores: Stores) -> None:
    mem = stores.open()
    ids = said(mem, *GARDEN)
    mem.remember("write the diary", kind="task", requires=[ids[0]], **LONG)
    mem.remember("it rained after that", kind="semantic", depends_on=[ids[1]], **LONG)
    plan = planned(mem, mem.weight - 15)
    assert plan.summaries
    assert not {ids[0], ids[1]} & {action.id for action in plan.actions}


def test_summaries_are_summarised_again_and_name_the_originals(stores: Stores) -> None:
    mem = stores.open(reflection__share=0.6)
    originals = set(said(mem, *GARDEN))
    mem.forget(planned(mem, mem.weight * 8 // 10))
    first = {one.id for one in summaries(mem)}
    originals |= set(said(mem, *GARDEN))
    mem.forget(planned(mem, mem.weight // 3))
    assert {
        source for one in summaries(mem) for line in decode(one.summary_lines) for source in line.sources
    } <= originals
    assert first
    sound(mem)


def test_a_completed_task_becomes_a_note_with_its_scaffolding(stores: Stores) -> None:
    mem = stores.open(reflection__tau_util=1.4, reflection__share=0.6)
    done = mem.remember("Apply for the visa at the consulate in May.", kind="task", status="done", **LONG).id
    told = (
        "First fill in the visa form for the consulate.",
        "Then bring the visa form to the consulate, with 2 photos.",
    )
    steps = said(mem, *told, attaches_to_goal=[done])
    other = mem.remember("Move to another flat.", kind="task", status="open", **LONG).id
    both = said(mem, "Keep the visa form and the rent contract.", attaches_to_goal=[done, other])
    plan = planned(mem, mem.weight - 8)
    assert [sorted(summary.constituents) for summary in plan.summaries] == [sorted([done, *steps])]
    mem.forget(plan)
    assert mem.get(done) is None
    assert mem.get(both[0]) is not None
    (note,) = summaries(mem)
    assert note.expires_at is None
    assert note.memory_class is MemoryClass.CANONICAL, "the note lasts (MaRS section 3.2.4)"
    sound(mem)


CHORES = {
    "Fix the leaking kitchen tap": (
        "The plumber said the washer is worn",
        "Bought a washer for 2 euros",
        "The tap does not drip any more",
    ),
    "Write the quarterly report": (
        "Collected the sales figures from Rui",
        "Wrote the first draft on Monday",
        "Maria asked for a chart of the costs",
        "Sent the final quarterly report to Maria on 4 June",
    ),
}


def did(mem: AgentMemory, stores: Stores, task: str, *steps: str) -> str:
    goal = mem.remember(task, kind="task", status="open").id
    for step in steps:
        stores.clock(mem).advance(60_000)
        mem.remember(step, kind="episodic", session="w", attaches_to_goal=[goal])
    mem.tasks.amend(goal, status="done")
    return goal


@pytest.mark.parametrize("task", CHORES)
def test_the_note_of_an_ordinary_task_says_the_task_and_what_came_of_it(stores: Stores, task: str) -> None:
    mem = stores.open()
    goal = did(mem, stores, task, *CHORES[task])
    plan = planned(mem, mem.weight * 9 // 10)
    (made,) = plan.summaries
    assert made.durable
    assert made.realised <= 0.95, "the gate is as strict as for any summary"
    mem.forget(plan)
    (note,) = summaries(mem)
    assert note.content == f"{task}\n{CHORES[task][-1]}"
    assert note.memory_class is MemoryClass.CANONICAL
    assert mem.get(goal) is None
    assert mem.retrieve(task, k=1)[0].memory.id == note.id
    sound(mem)


def test_the_line_of_the_task_lasts_when_that_of_its_outcome_ends(stores: Stores) -> None:
    mem = stores.open(lives__factual="30d")
    (task, *_) = CHORES
    did(mem, stores, task, *CHORES[task])
    mem.forget(planned(mem, mem.weight * 9 // 10))
    stores.clock(mem).advance(31 * DAY_MS)
    mem.maintenance.expire()
    mem.maintenance.expire()
    (note,) = summaries(mem)
    assert (note.content, note.expires_at) == (task, None)
    sound(mem)


@pytest.mark.server
def test_what_the_note_of_a_task_leaves_out_stays_a_memory(stores: Stores) -> None:
    mem = stores.open()
    (task, *_) = CHORES
    did(mem, stores, task, *CHORES[task])
    plan = planned(mem, mem.weight * 9 // 10)
    (made,) = plan.summaries
    left = [one.content for one in mem.memories() if one.id not in made.constituents]
    mem.forget(plan)
    assert left
    assert {one.content for one in mem.memories() if one.source_type is not SourceType.REFLECTION} >= set(left)


def test_a_trigger_summarises_in_the_transaction_that_needs_room(stores: Stores) -> None:
    mem = stores.open(budget=220, policy__name=NAME, low_water=0.9)
    for round_ in range(4):
        for text in GARDEN:
            mem.remember(f"{text} Round {round_}.", kind="episodic", session="s", **LONG)
            assert mem.weight <= 220
    assert summaries(mem)
    sound(mem)


def test_strict_closure_leaves_the_constituents_latent(stores: Stores) -> None:
    mem = stores.open(reflection__closure="strict")
    ids = said(mem, *GARDEN)
    mem.forget(planned(mem, mem.weight * 7 // 10))
    latent = {memory.id for memory in mem.memories() if memory.tier is Tier.LATENT}
    assert latent
    assert latent <= set(ids)
    sound(mem)


def test_the_limits_of_a_trigger_hold(stores: Stores) -> None:
    mem = stores.open(reflection__clusters=1)
    said(mem, *GARDEN, *BREAD)
    assert len(planned(mem, mem.weight // 2).summaries) == 1
    none = stores.open(reflection__clusters=0)
    said(none, *GARDEN)
    assert planned(none, none.weight // 2).summaries == ()


def test_a_store_without_vectors_is_forgotten_and_says_why_nothing_was_summarised(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    said(mem, *GARDEN)
    plan = planned(mem, mem.weight // 2)
    assert plan.summaries == ()
    assert plan.notes == (WITHOUT_VECTORS,)
    assert plan.weight_after <= plan.budget


def test_refusals_are_counted_in_the_notes(stores: Stores) -> None:
    mem = stores.open(reflection__tau_util=0.3, reflection__similarity=0.0)
    said(mem, *GARDEN, *BREAD)
    plan = planned(mem, mem.weight // 2)
    assert all(summary.realised <= 0.3 for summary in plan.summaries)


def test_a_model_is_asked_within_its_limit_and_never_inside_a_transaction(stores: Stores) -> None:
    with chat_server() as server:
        server.model = lambda texts: {"lines": [{"text": text, "memories": [n]} for n, text in list(texts.items())[:2]]}
        spec = f"openai:m@{server.url}"
        mem = stores.open(models__curate=spec, reflection__model_calls=2)
        said(mem, *GARDEN, *BREAD)
        plan = planned(mem, mem.weight // 2)
        assert 1 <= len(server.requests) <= 2
        assert any("limit of requests" in note for note in plan.notes) or len(plan.summaries) == 1
        asked = len(server.requests)
        trigger = stores.open(budget=150, policy__name=NAME, models__curate=spec)
        said(trigger, *GARDEN, *GARDEN)
        assert len(server.requests) == asked


def test_a_model_that_fails_is_left_alone_for_a_time(stores: Stores) -> None:
    with chat_server() as server:
        server.body = b"rubbish"
        values: dict[str, Any] = {"models__curate": f"openai:m@{server.url}", "reflection__model_failures": 1}
        mem = stores.open(**values, reflection__model_pause="10m")
        said(mem, *GARDEN, *BREAD)
        first = planned(mem, mem.weight // 2)
        assert len(server.requests) <= 2, "a cluster is tried twice at most"
        assert first.summaries, "the extractive summariser takes over"
        asked = len(server.requests)
        again = planned(mem, mem.weight // 2)
        assert len(server.requests) == asked
        assert any(note.endswith("the extractive summariser wrote instead") for note in again.notes)
        assert any("is not asked for reflection.model_pause" in note for note in again.notes)
        server.body = None
        stores.clock(mem).advance(11 * 60_000)
        assert planned(mem, mem.weight // 2).summaries
        assert len(server.requests) > asked


def test_a_plan_with_another_text_is_refused(stores: Stores) -> None:
    mem = stores.open()
    said(mem, *GARDEN)
    plan = planned(mem, mem.weight * 7 // 10)
    (first, *others) = plan.summaries
    forged = replace(first, lines=tuple(replace(line, text="Mallory owns the house.") for line in first.lines))
    with pytest.raises(StalePlan):
        mem.forget(replace(plan, summaries=(forged, *others)))


def test_the_executor_stops_a_policy_whose_summaries_and_actions_differ(stores: Stores) -> None:
    mem = stores.open()
    said(mem, *GARDEN)
    plan = planned(mem, mem.weight * 7 // 10)
    broken = replace(plan, summaries=())
    with pytest.raises(InvariantError, match="other memories"):
        mem.forget(replace(broken, digest=plan_digest(broken)))


def test_a_clock_that_jumps_changes_no_line(stores: Stores) -> None:
    mem = stores.open(lives__factual="30d")
    said(mem, *GARDEN, memory_class="factual")
    mem.forget(planned(mem, mem.weight * 7 // 10))
    (before,) = {one.summary_lines for one in summaries(mem)}
    stores.clock(mem).jump(400 * DAY_MS)
    mem.remember("a word", kind="semantic", **LONG)
    assert {one.summary_lines for one in summaries(mem)} == {before}
    mem.maintenance.confirm_clock()
    mem.maintenance.expire()
    assert summaries(mem) == []
    sound(mem)


@pytest.mark.parametrize(
    ("share", "told"), [(0.05, "no line of its summary may be said"), (0.4, "refused by the gate of distortion")]
)
def test_a_note_says_what_kept_a_cluster_as_it_is(stores: Stores, share: float, told: str) -> None:
    mem = stores.open(reflection__tau_util=0.15, reflection__share=share)
    said(mem, *GARDEN)
    (note,) = planned(mem, mem.weight * 9 // 10).notes
    assert told in note
