"""What is learned from use, the same on every engine: scores, lives, conflicts, pruning and wishes, on the record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import Draft
from marskg.errors import InvalidConfig, InvalidInput, InvalidMemory, StalePlan
from marskg.ontology.vocabulary import EdgeType, Kind, Operation, SourceType, Tier
from tests.support.reachable import reachable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from marskg.memory import AgentMemory
    from marskg.records import Memory
    from tests.support.stores import START, Stores
else:
    from tests.support.stores import START

DAY = 86_400_000
TOMATOES = "Tomatoes need six to eight hours of sun daily"
WATER = "Water tomatoes deeply two or three times a week"


def fact(memory: AgentMemory, text: str, **fields: Any) -> Memory:
    return memory.remember(text, kind="semantic", **fields)


def stored(memory: AgentMemory, ident: str) -> Memory:
    found = memory.get(ident)
    assert found is not None
    return found


def later(stores: Stores, memory: AgentMemory, days: int) -> None:
    stores.clock(memory).advance(days * DAY)
    memory.maintenance.expire()


def shown(memory: AgentMemory, query: str = "tomatoes") -> tuple[str, list[str]]:
    hits = memory.retrieve(query, token_budget=2_000)
    assert hits.id is not None
    return hits.id, [hit.memory.id for hit in hits]


def contents(found: Iterable[Any]) -> list[str]:
    return [hit.memory.content for hit in found]


def sound(memory: AgentMemory) -> bool:
    """Say whether the logs, the graph and the shapes agree."""
    return memory.verify().ok and memory.validate(full=True).ok


# --- Starting scores ---------------------------------------------------------------------------------------------


def test_a_memory_starts_at_50_and_an_episode_of_a_conversation_at_30(stores: Stores) -> None:
    memory = stores.open()
    assert fact(memory, TOMATOES).score == 50
    assert memory.remember("I water them daily").score == 30
    assert memory.remember("It rained", source_type="doc").score == 50
    draft = Draft(ref="a", kind=Kind.SEMANTIC, content=WATER, at=START, source_type=SourceType.DOC, score=77)
    memory.remember_many([draft, replace(draft, ref="b", content="Basil likes sun", score=None)])
    assert sorted(found.score for found in memory.memories()) == [30, 50, 50, 50, 77]
    assert sound(memory)


def test_the_settings_say_where_scores_start(stores: Stores) -> None:
    memory = stores.open(learning__birth=40, learning__chat_birth=10)
    assert (fact(memory, TOMATOES).score, memory.remember("I water them daily").score) == (40, 10)
    with pytest.raises(InvalidConfig, match=r"learning\.bend"):
        stores.open(learning__used_step=33)


# --- Feedback ----------------------------------------------------------------------------------------------------


def test_scores_follow_what_the_caller_says(stores: Stores) -> None:
    memory = stores.open()
    used, vain, wrong = fact(memory, TOMATOES), fact(memory, WATER), fact(memory, "Tomatoes are blue")
    retrieval, ids = shown(memory)
    assert set(ids) == {used.id, vain.id, wrong.id}
    found = memory.feedback(retrieval, used=[used.id], unused=vain.id, contradicted=[wrong.id])
    scores = {item.id: (item.score_before, item.score_after) for item in found.assessed}
    assert scores == {used.id: (50, 60), vain.id: (50, 45), wrong.id: (50, 25)}
    assert [stored(memory, one.id).score for one in (used, vain, wrong)] == [60, 45, 25]
    assert [stored(memory, one.id).access_count for one in (used, vain, wrong)] == [1, 1, 1]
    assert sound(memory)


def test_a_feedback_is_one_record_of_the_access_log_without_content(stores: Stores) -> None:
    memory = stores.open()
    one = fact(memory, TOMATOES)
    retrieval, _ = shown(memory)
    found = memory.feedback(retrieval, used=[one.id])
    record = list(memory.audit.records(log="accesses"))[-1]
    assert (record.iri, record.operation, record.memories) == (found.id, Operation.FEEDBACK, (one.id,))
    text = "".join(record.details)
    assert "score_after=60" in text
    assert "Tomatoes" not in text
    assert "assessed after it was shown" in memory.explain(one.id).as_text()


def test_the_answer_decides_about_what_is_not_named(stores: Stores) -> None:
    memory = stores.open()
    sun, water, price = fact(memory, TOMATOES), fact(memory, WATER), fact(memory, "Tomatoes cost 4 euros")
    retrieval, _ = shown(memory)
    found = memory.feedback(
        retrieval,
        unused=[price.id],
        answer="Give them six to eight hours of sun. The tomatoes cost 4 euros.",
        question="What do tomatoes need?",
    )
    outcomes = {item.id: item.outcome.value for item in found.assessed}
    assert outcomes == {sun.id: "used", water.id: "unused", price.id: "unused"}
    assert sound(memory)


@pytest.mark.parametrize(("floor", "loses"), [(None, False), (0, True)], ids=["with a floor", "without"])
def test_what_is_below_the_floor_loses_nothing_beside_what_was_used(
    stores: Stores, floor: float | None, *, loses: bool
) -> None:
    memory = stores.open(retrieval__min_confidence=0.5)
    # Of facts that stand alone, none below the floor is shown with one.
    cat = memory.remember("Mira's cat is called Pepper", session="monday")
    for other in ("Mira is allergic to walnuts", "Mira lives in Porto", "The insurance is due on the ninth"):
        memory.remember(other, session="monday")
    hits = memory.retrieve("what is the name of the cat?", min_confidence=floor)
    assert hits.id is not None
    weak = [hit.memory.id for hit in hits if hit.memory.id != cat.id]
    assert weak
    assert [hit.why.get("relevant") for hit in hits] == [None, *([None if loses else 0.0] * len(weak))]
    before = {ident: stored(memory, ident).score for ident in weak}
    memory.feedback(hits.id, used=[cat.id], unused=weak)
    after = {ident: stored(memory, ident).score for ident in weak}
    assert (after != before) is loses


def test_what_the_answer_contradicts_loses_half(stores: Stores) -> None:
    memory = stores.open()
    one = fact(memory, "Ann likes tomatoes")
    retrieval, _ = shown(memory)
    memory.feedback(retrieval, answer="Ann no longer likes tomatoes.")
    assert stored(memory, one.id).score == 25


def test_a_complaint_turns_uses_into_contradictions(stores: Stores) -> None:
    memory = stores.open()
    one = fact(memory, TOMATOES)
    retrieval, _ = shown(memory)
    memory.feedback(retrieval, answer="Six to eight hours of sun daily.", complaint="That's wrong!")
    assert stored(memory, one.id).score == 25


def test_a_complaint_about_something_is_kept_as_a_wish(stores: Stores) -> None:
    memory = stores.open()
    fact(memory, TOMATOES)
    retrieval, _ = shown(memory)
    found = memory.feedback(retrieval, complaint="Please stop mentioning tomatoes.")
    assert found.id is None
    assert stored(memory, found.wishes[0]).content == "stop mentioning tomatoes"
    assert not memory.retrieve("tomatoes").hits


@pytest.mark.parametrize(
    ("retrieval", "message"),
    [
        ("", "names no retrieval"),
        ("urn:uuid:0#1", "names no retrieval"),
        ("{log}#0", "names no retrieval"),
        ("{log}#99", "names no retrieval"),
        ("{log}#x", "names no retrieval"),
        (5, "must be a string"),
    ],
)
def test_an_unknown_retrieval_is_refused(stores: Stores, retrieval: Any, message: str) -> None:
    memory = stores.open()
    one = fact(memory, TOMATOES)
    named, _ = shown(memory)
    asked = retrieval.format(log=named.rpartition("#")[0]) if isinstance(retrieval, str) else retrieval
    with pytest.raises(InvalidInput, match=message):
        memory.feedback(asked, used=[one.id])
    assert stored(memory, one.id).score == 50


def test_feedback_that_does_not_fit_is_refused(stores: Stores) -> None:
    memory, other = stores.open(), stores.open(seed=2)
    one = fact(memory, TOMATOES)
    foreign = fact(other, TOMATOES)
    retrieval, _ = shown(memory)
    hidden = fact(memory, "The train leaves at nine")
    refused: list[tuple[dict[str, Any], str]] = [
        ({}, "says nothing"),
        ({"used": [hidden.id]}, "was not shown"),
        ({"used": [foreign.id]}, "was not shown"),
        ({"used": [one.id], "unused": [one.id]}, "named as used and as unused"),
        ({"answer": " "}, "answer"),
        ({"complaint": "hm"}, "complaint"),
    ]
    for given, message in refused:
        with pytest.raises(InvalidInput, match=message):
            memory.feedback(retrieval, **given)
    with pytest.raises(InvalidInput, match="names no retrieval"):
        memory.feedback(shown(other)[0], used=[one.id])
    done = memory.feedback(retrieval, used=[one.id])
    with pytest.raises(InvalidInput, match="already"):
        memory.feedback(retrieval, used=[one.id])
    assert done.id is not None
    with pytest.raises(InvalidInput, match="records no showing"):
        memory.feedback(done.id, used=[one.id])
    assert stored(memory, one.id).score == 60
    assert sound(memory)


def test_what_is_gone_meanwhile_is_passed_over(stores: Stores) -> None:
    memory = stores.open()
    gone, kept = fact(memory, TOMATOES, ttl="1h"), fact(memory, WATER)
    retrieval, _ = shown(memory)
    later(stores, memory, 1)
    found = memory.feedback(retrieval, used=[gone.id, kept.id])
    assert found.gone == (gone.id,)
    assert [item.id for item in found.assessed] == [kept.id]


# --- Decay -------------------------------------------------------------------------------------------------------


def test_a_score_fades_unread_and_a_showing_writes_down_what_is_left(stores: Stores) -> None:
    memory = stores.open(retrieval__profile="memoryarchitect")
    one = fact(memory, TOMATOES, key="garden/tomatoes", source_type="doc")
    later(stores, memory, 210)
    hits = memory.retrieve("tomatoes")
    assert hits[0].why["score"] == pytest.approx(0.25)
    assert stored(memory, one.id).score == 25
    later(stores, memory, 20)
    assert memory.retrieve("tomatoes")[0].why["score"] == pytest.approx(0.25)
    assert sound(memory)


# --- Longer lives ------------------------------------------------------------------------------------------------


def proven(stores: Stores, **settings: Any) -> tuple[AgentMemory, Memory]:
    memory = stores.open(lives="memoryarchitect", **settings)
    draft = Draft(ref="", kind=Kind.SEMANTIC, content=TOMATOES, at=START, score=70)
    memory.remember_many([draft])
    return memory, next(memory.memories())


@pytest.mark.parametrize(("settings", "lift"), [({}, 0.0), ({"learning__proven": 50}, 0.1)])
def test_a_score_lifts_from_that_of_what_is_proven_on(stores: Stores, settings: dict[str, Any], lift: float) -> None:
    memory, _ = proven(stores, **settings)
    assert memory.retrieve("tomatoes")[0].why["score"] == pytest.approx(lift)


def test_a_proven_memory_lives_longer_by_a_recorded_change(stores: Stores) -> None:
    memory, one = proven(stores)
    later(stores, memory, 20)
    retrieval, _ = shown(memory)
    assert memory.feedback(retrieval, used=[one.id]).extended == (one.id,)
    after = stored(memory, one.id)
    assert after.score == 75
    assert (after.expires_at or 0) >= START + 50 * DAY
    last = list(memory.audit.records())[-1]
    assert (last.operation, last.memories) == (Operation.AMEND, (one.id,))
    later(stores, memory, 25)
    assert memory.get(one.id) is not None
    assert sound(memory)


def test_no_use_extends_a_life_past_the_legal_horizon_or_what_was_meant_to_be_short(stores: Stores) -> None:
    memory, one = proven(stores, learning__legal_horizon="31d")
    later(stores, memory, 20)
    memory.feedback(shown(memory)[0], used=[one.id])
    assert (stored(memory, one.id).expires_at or 0) <= one.created + 31 * DAY
    short = stores.open(lives="memoryarchitect")
    draft = Draft(ref="", kind=Kind.SEMANTIC, content=TOMATOES, at=START, score=90, ttl="5d")
    short.remember_many([draft])
    brief = next(short.memories())
    assert short.feedback(shown(short)[0], used=[brief.id]).extended == ()
    assert stored(short, brief.id).expires_at == brief.expires_at


def test_an_extended_life_never_outlives_what_it_depends_on(stores: Stores) -> None:
    memory = stores.open(learning__proven=50)
    base = fact(memory, "The greenhouse stands behind the barn")
    one = fact(memory, TOMATOES, depends_on=base.id)
    later(stores, memory, 20)
    memory.feedback(shown(memory)[0], used=[one.id])
    assert (stored(memory, one.id).expires_at or 0) <= (stored(memory, base.id).expires_at or 0)
    assert sound(memory)


# --- Conflicts ---------------------------------------------------------------------------------------------------

LIKES, HATES = "I like science fiction films", "I no longer like science fiction films"


def test_conflicts_are_left_alone_unless_the_tenant_wants_otherwise(stores: Stores) -> None:
    memory = stores.open()
    old, new = fact(memory, LIKES), fact(memory, HATES)
    (found,) = memory.learning.conflicts()
    assert (found.winner, found.loser, found.action) == (new.id, old.id, "none")
    assert stored(memory, old.id).current
    assert memory.learning.conflicts(since=new.sequence) == ()
    with pytest.raises(InvalidInput, match="resolve is"):
        memory.learning.conflicts(resolve="oldest")


def test_the_newest_supersedes_and_says_so(stores: Stores) -> None:
    memory = stores.open(learning__conflicts="newest")
    old = fact(memory, LIKES)
    fact(memory, "I like historical novels")
    new = fact(memory, HATES)
    assert any("supersede" in notice for notice in new.notices)
    closed = stored(memory, old.id)
    assert closed.superseded_at is not None
    assert closed.content == LIKES
    assert [version.id for version in memory.history(old.id)] == [old.id, new.id]
    assert LIKES not in contents(memory.retrieve("science fiction films"))
    assert "I like historical novels" in contents(memory.retrieve("which novels do I like?"))
    reason = memory.explain(old.id).as_text()
    assert "conflict, confidence" in reason
    assert sound(memory)


def test_a_batch_is_swept_once_it_is_stored(stores: Stores) -> None:
    memory = stores.open(learning__conflicts="newest")
    drafts = [
        Draft(ref=str(place), kind=Kind.SEMANTIC, content=text, at=START + place)
        for place, text in enumerate((LIKES, "The meeting is on Monday", HATES))
    ]
    assert memory.remember_many(drafts) == 3
    assert sorted(found.content or "" for found in memory.memories() if found.current) == [
        HATES,
        "The meeting is on Monday",
    ]
    assert sound(memory)


def test_a_denial_supersedes_in_every_language_that_is_read_and_a_reminder_in_none(stores: Stores) -> None:
    memory = stores.open(learning__conflicts="newest")
    told = ["Ana drinks coffee", "Udo trinkt Kaffee", "Lola bebe café", "小李喝咖啡"]
    denied = ["Ana no longer drinks coffee", "Udo trinkt keinen Kaffee mehr", "Lola ya no bebe café", "小李不再喝咖啡"]
    kept = ["Lock the shed", "Der Ofen ist an", "Las llaves están en el cajón", "钥匙在抽屉里"]
    reminders = [
        "Do not forget to lock the shed",
        "Vergiss nicht, dass der Ofen an ist",
        "No olvides que las llaves están en el cajón",
        "别忘了钥匙在抽屉里",
    ]
    for text in (*told, *kept, *denied, *reminders):
        fact(memory, text)
    assert {found.content for found in memory.memories() if found.current} == {*kept, *denied, *reminders}
    assert not any(
        edge.type is EdgeType.CONTRADICTS for _, edges, _ in memory.store.reader.memories() for edge in edges
    )
    assert sound(memory)


def test_a_new_home_is_found_although_the_towns_are_two_things(stores: Stores) -> None:
    memory = stores.open(learning__conflicts="flag")
    old, new = fact(memory, "I live in Graz"), fact(memory, "I now live in Linz")
    fact(memory, "My sister lives in Oslo")
    edges = [edge for _, found, _ in memory.store.reader.memories() for edge in found]
    assert [(edge.source, edge.target) for edge in edges if edge.type is EdgeType.CONTRADICTS] == [(new.id, old.id)]


def test_a_flag_keeps_both_and_shows_the_newer(stores: Stores) -> None:
    memory = stores.open(learning__conflicts="flag")
    old, new = fact(memory, LIKES), fact(memory, HATES)
    assert stored(memory, old.id).current
    edges = {edge.type: edge.target for found, edges, _ in memory.store.reader.memories() for edge in edges}
    assert edges[EdgeType.CONTRADICTS] == old.id
    found = memory.retrieve("science fiction films")
    assert contents(found) == [HATES]
    assert [(item.loser, item.winner) for item in found.resolved] == [(old.id, new.id)]
    assert memory.learning.conflicts() == ()
    assert sound(memory)


def test_the_more_reliable_wins_where_the_tenant_wants_that(stores: Stores) -> None:
    memory = stores.open(learning__conflicts="most_reliable")
    sure = fact(memory, LIKES, reliability=0.9)
    doubtful = fact(memory, HATES, reliability=0.7)
    assert stored(memory, sure.id).current
    assert not stored(memory, doubtful.id).current
    assert sound(memory)


def test_what_is_pinned_is_never_superseded_by_its_text(stores: Stores) -> None:
    memory = stores.open(learning__conflicts="newest")
    old = fact(memory, LIKES, pin=True)
    new = fact(memory, HATES)
    assert stored(memory, old.id).current
    (pair,) = memory.learning.review().conflicts
    assert (pair.preferred, pair.other) == (new.id, old.id)


def test_people_who_differ_do_not_conflict(stores: Stores) -> None:
    memory = stores.open(learning__conflicts="newest")
    ann = fact(memory, LIKES, subjects=["ann"])
    fact(memory, HATES, subjects=["bob"])
    assert stored(memory, ann.id).current


# --- Review ------------------------------------------------------------------------------------------------------


def test_a_person_decides_what_waits(stores: Stores) -> None:
    memory = stores.open(learning__conflicts="review")
    old, new = fact(memory, LIKES), fact(memory, HATES)
    coffee, tea = fact(memory, "I like coffee"), fact(memory, "I no longer like coffee")
    assert {(pair.preferred, pair.other) for pair in memory.learning.review().conflicts} == {
        (new.id, old.id),
        (tea.id, coffee.id),
    }
    assert set(memory.learning.accept(old.id).changed) == {old.id, new.id}
    assert not stored(memory, old.id).current
    memory.learning.reject(coffee.id)
    assert stored(memory, coffee.id).current
    assert memory.learning.review().conflicts == ()
    with pytest.raises(InvalidInput, match="not on the list"):
        memory.learning.accept(old.id)
    with pytest.raises(InvalidInput, match="not on the list"):
        memory.learning.reject("urn:uuid:0198a000-0000-7000-8000-000000000000")
    assert sound(memory)


@pytest.mark.parametrize("policy", ["review", "flag", "newest"])
def test_a_conflict_that_a_person_rejected_is_not_found_again(stores: Stores, policy: str) -> None:
    memory = stores.open(learning__conflicts="review")
    old, new = fact(memory, LIKES), fact(memory, HATES)
    decided = memory.learning.reject(old.id)
    assert decided.done == "no conflict"
    edges = {edge for _, found, _ in memory.store.reader.memories() for edge in found}
    assert {(edge.type, edge.source, edge.target) for edge in edges} >= {(EdgeType.COMPATIBLE_WITH, new.id, old.id)}
    assert EdgeType.CONTRADICTS not in {edge.type for edge in edges}
    assert "a person decided that the two do not contradict each other" in memory.explain(new.id).as_text()
    assert memory.learning.conflicts() == memory.learning.conflicts(resolve=policy) == ()
    assert stored(memory, old.id).current
    assert stored(memory, new.id).current
    assert memory.learning.review().conflicts == ()
    assert sorted(contents(memory.retrieve("science fiction films"))) == sorted([LIKES, HATES])
    assert sound(memory)


def test_what_a_person_found_compatible_stays_so_in_a_copy(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open(learning__conflicts="review")
    old, new = fact(memory, LIKES), fact(memory, HATES)
    memory.learning.reject(old.id)
    memory.export(tmp_path / "all.nq")
    copy = stores.open(seed=9)
    assert copy.load(tmp_path / "all.nq") == 2
    assert copy.learning.conflicts(resolve="newest") == ()
    assert stored(copy, old.id).current
    copy.export(tmp_path / "again.nq")
    assert sorted((tmp_path / "all.nq").read_text().splitlines()) == sorted(
        (tmp_path / "again.nq").read_text().splitlines()
    )
    memory.snapshots.save(tmp_path / "snapshot")
    memory.unlink(new.id, "compatibleWith", old.id)
    memory.snapshots.load(tmp_path / "snapshot")
    assert memory.learning.conflicts() == ()
    assert sound(memory)
    assert sound(copy)


@pytest.mark.server
def test_a_decision_is_about_the_texts_and_can_be_taken_back(stores: Stores) -> None:
    memory = stores.open(learning__conflicts="review")
    old, new = fact(memory, LIKES), fact(memory, HATES)
    memory.learning.reject(old.id)
    with pytest.raises(InvalidMemory, match="drawn by the store itself"):
        memory.link(old.id, "compatibleWith", new.id)
    memory.unlink(old.id, "compatibleWith", new.id)
    (found,) = memory.learning.conflicts()
    assert {found.winner, found.loser} == {old.id, new.id}
    memory.learning.conflicts(resolve="review")
    memory.learning.reject(old.id)
    changed = memory.update(new.id, HATES + " very much")
    (found,) = memory.learning.conflicts()
    assert {found.winner, found.loser} == {old.id, changed.id}
    assert sound(memory)


# --- Pruning -----------------------------------------------------------------------------------------------------


def fading(stores: Stores) -> tuple[AgentMemory, dict[str, Memory]]:
    """Return memories with scores around the floor, ten days old."""
    memory = stores.open(lives__factual="365d")
    scores = {"faded": 5, "nearly": 19, "just": 21, "fine": 60, "canonical": 5, "pinned": 5, "base": 5}
    drafts = [
        Draft(
            ref=name,
            kind=Kind.SEMANTIC,
            content=f"The {name} one",
            at=START,
            score=score,
            key="k" if name == "canonical" else None,
            pin=name == "pinned",
        )
        for name, score in scores.items()
    ]
    drafts.append(replace(drafts[3], ref="top", content="The top one", depends_on=("base",)))
    memory.remember_many(drafts)
    later(stores, memory, 10)
    return memory, {(found.content or "").split()[1]: found for found in memory.memories()}


def test_what_has_faded_goes_by_a_plan(stores: Stores) -> None:
    memory, named = fading(stores)
    plan = memory.learning.plan_pruning()
    assert [action.id for action in plan.actions] == [named["faded"].id]
    assert "below the floor" in plan.actions[0].reason
    listed = memory.learning.review()
    assert [one.id for one in listed.fading] == [named["nearly"].id, named["just"].id]
    memory.forget(plan)
    assert memory.get(named["faded"].id) is None
    assert memory.learning.plan_pruning().actions == ()
    with pytest.raises(StalePlan):
        memory.forget(plan)
    assert sound(memory)


def test_nothing_young_is_pruned(stores: Stores) -> None:
    memory = stores.open()
    memory.remember_many([Draft(ref="", kind=Kind.SEMANTIC, content=TOMATOES, at=START, score=1)])
    later(stores, memory, 6)
    assert memory.learning.plan_pruning().actions == ()
    later(stores, memory, 2)
    assert len(memory.learning.plan_pruning().actions) == 1


def test_what_is_pruned_goes_after_what_depends_on_it(stores: Stores) -> None:
    memory = stores.open()
    base = Draft(ref="base", kind=Kind.SEMANTIC, content="The greenhouse", at=START, score=3)
    memory.remember_many([base, replace(base, ref="top", content="It is green", score=9, depends_on=("base",))])
    later(stores, memory, 10)
    plan = memory.learning.plan_pruning()
    ids = {found.content: found.id for found in memory.memories()}
    assert [action.id for action in plan.actions] == [ids["It is green"], ids["The greenhouse"]]
    memory.forget(plan)
    assert sound(memory)


def test_what_has_nearly_faded_goes_or_stays_as_a_person_says(stores: Stores) -> None:
    memory, named = fading(stores)
    memory.learning.accept(named["nearly"].id)
    memory.learning.reject(named["just"].id)
    assert memory.get(named["nearly"].id) is None
    assert stored(memory, named["just"].id).score == 31
    assert memory.learning.review().fading == ()
    assert list(memory.audit.records(log="accesses"))[-1].operation is Operation.FEEDBACK
    with pytest.raises(InvalidInput, match="protected"):
        memory.learning.accept(named["base"].id)
    assert sound(memory)


# --- Wishes ------------------------------------------------------------------------------------------------------


def test_a_wish_moves_ranks_starting_scores_and_lives(stores: Stores) -> None:
    memory = stores.open(lives="memoryarchitect")
    old = fact(memory, TOMATOES)
    before = memory.retrieve("tomatoes")[0].score
    (heard,) = memory.learning.wish("Please remember more about tomatoes!")
    assert (heard.kind.value, heard.topic, heard.about) == ("more", "tomatoes", (old.id,))
    assert (heard.memory.key, heard.memory.memory_class.value) == ("wish/tomato", "canonical")
    after = memory.retrieve("tomatoes")
    assert after[0].score == pytest.approx(1.5 * before)
    assert len(after) == 1
    new = fact(memory, WATER)
    assert new.score == 70
    assert (new.expires_at or 0) - new.created == 60 * DAY
    assert fact(memory, "The train leaves at nine").score == 50
    assert sound(memory)


@pytest.mark.parametrize("text", ["forget everything", "Please forget all of it.", "forget all my memories"])
def test_a_wish_to_forget_everything_is_refused_with_the_way_out(stores: Stores, text: str) -> None:
    memory = stores.open()
    fact(memory, TOMATOES)
    with pytest.raises(InvalidInput, match=r"does not say what it is about; .* deletes nothing: to delete, see mars"):
        memory.learning.wish(text)
    assert memory.stats()["live"] == 1


def test_a_wish_to_forget_hides_and_deletes_nothing(stores: Stores) -> None:
    memory = stores.open()
    old = fact(memory, TOMATOES)
    other = fact(memory, "Basil needs sun, too")
    (heard,) = memory.learning.wish("forget about tomatoes")
    assert heard.about == (old.id,)
    assert contents(memory.retrieve("tomatoes and basil in the sun")) == [other.content]
    assert stored(memory, old.id).tier is Tier.LIVE
    assert fact(memory, WATER).score == 0
    memory.learning.wish("remember more about tomatoes")
    assert TOMATOES in contents(memory.retrieve("tomatoes and basil in the sun"))
    assert contents(memory.retrieve("tomatoes", tags=["wish"])) == ["remember more about tomatoes"]
    assert sound(memory)


def test_a_wish_of_one_person_leaves_others_alone(stores: Stores) -> None:
    memory = stores.open()
    fact(memory, TOMATOES, subjects=["ann"])
    fact(memory, WATER, subjects=["bob"])
    memory.learning.wish("stop mentioning tomatoes", subject="ann")
    assert contents(memory.retrieve("tomatoes")) == [WATER]


def test_a_wish_that_is_retracted_acts_no_more(stores: Stores) -> None:
    memory = stores.open()
    fact(memory, TOMATOES)
    memory.learning.wish("stop mentioning tomatoes")
    assert contents(memory.retrieve("tomatoes")) == []
    memory.retract("wish/tomato")
    assert contents(memory.retrieve("tomatoes")) == [TOMATOES]


@pytest.mark.parametrize("asked", [{"subject": "nora"}, {"entity": "zyxquartz@fjord.no"}], ids=["subject", "entity"])
def test_whom_a_wish_named_is_not_held_after_the_erasure(stores: Stores, asked: dict[str, str]) -> None:
    memory = stores.open()
    fact(memory, "Write to zyxquartz@fjord.no about tomatoes", subjects=["nora"])
    memory.learning.wish("remember more about zyxquartz@fjord.no", subject="nora")
    memory.learning.wish("remember less about zyxquartz@fjord.no.uk", subject="nora", dry_run=True)
    assert contents(memory.retrieve("tomatoes"))
    assert reachable(memory, "zyxquartz")
    memory.erase(**asked)  # type: ignore[arg-type]  # by name
    assert reachable(memory, "zyxquartz") == []


@pytest.mark.parametrize("text", ["", "tomatoes are red", "forget it", "that's wrong"])
def test_a_wish_that_names_nothing_is_refused(stores: Stores, text: str) -> None:
    memory = stores.open()
    with pytest.raises(InvalidInput):
        memory.learning.wish(text)
    assert list(memory.memories()) == []


def test_what_was_put_aside_comes_back_when_it_was_used(stores: Stores) -> None:
    memory = stores.open(policy__evict_to="latent")
    aside = memory.remember("The spare key hangs behind the barn door", kind="semantic")
    memory.forget(memory.plan(policy="fifo", budget=0))
    assert memory.get(aside.id).tier == "latent"  # type: ignore[union-attr]  # it is there
    hits = memory.retrieve("where is the spare key?", latent=True)
    assert memory.feedback(hits.id or "", used=[aside.id]).restored == (aside.id,)
    assert memory.get(aside.id).tier == "live"  # type: ignore[union-attr]  # it is there
    assert memory.verify().ok
    assert memory.validate(full=True).ok
