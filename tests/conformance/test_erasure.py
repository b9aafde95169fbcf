"""Erasure: what goes, what goes with it, what stays, what never comes in again, and a log that still verifies."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.audit.linkeddata import verify_document
from marskg.ontology.vocabulary import Kind, Operation
from tests.support import picture as pictures
from tests.support.consolidating import current, texts, usual

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

HOUR = 3_600_000
SECRET = "zyxquartz"
SAID = f"Her locker word is {SECRET} and she told nobody else about it"


def ids(memory: AgentMemory) -> set[str]:
    """Return the ids of all nodes that are left, tombstones among them."""
    return {one.id for one in memory.memories()}


def assert_sound(stores: Stores, memory: AgentMemory) -> None:
    assert pictures.faults(pictures.take(stores.engine, memory.tenant)) == []
    assert memory.validate(full=True).ok
    assert memory.verify().findings == ()


def span(memory: AgentMemory) -> dict[str, str]:
    """Return the range of references that begins with the tenant's name."""
    return {"low": memory.tenant, "high": f"{memory.tenant}}}"}


def everything(stores: Stores, memory: AgentMemory) -> str:
    """Return all that the graph holds of a tenant, as one text."""
    rows = stores.engine.read(
        "MATCH (n) WHERE n.ref >= $low AND n.ref < $high RETURN properties(n) AS node",
        span(memory),
    )
    return json.dumps(rows)


# --- What is asked for ------------------------------------------------------------------------------------------------


def test_a_subject_goes_in_every_tier(stores: Stores) -> None:
    memory = stores.open(policy__evict_to="latent")
    live = memory.remember(SAID, subjects=["bea"], session="s")
    old = memory.remember(f"{SECRET} of last year", subjects=["bea"], ttl="1h")
    derived = memory.remember(f"Bea likes {SECRET}", kind="semantic", subjects=["bea"], derives_from=[old.id])
    stores.clock(memory).advance(HOUR)
    memory.maintenance.expire()
    other = memory.remember("Carl plays chess", subjects=["carl"], session="s")
    memory.forget(memory.plan(policy="fifo", budget=other.weight))
    assert {one.id: one.tier.value for one in memory.memories()} == {
        live.id: "latent",
        old.id: "tombstone",
        derived.id: "latent",
        other.id: "live",
    }
    receipt = memory.erase(subject="bea")
    assert (receipt.matched, receipt.descendants) == (3, 0)
    assert ids(memory) == {other.id}
    assert SECRET not in everything(stores, memory)
    assert_sound(stores, memory)


def test_an_id_a_session_and_a_source(stores: Stores) -> None:
    memory = stores.open()
    first = memory.remember("One of the first session", session="s1")
    second = memory.remember("Another of the first session", session="s1", kind="semantic")
    third = memory.remember("One of the second session", session="s2", source_ref="chat/2")
    fourth = memory.remember("One that nobody asked about", session="s3")
    memory.erase(id=second.id)
    assert ids(memory) == {first.id, third.id, fourth.id}
    memory.erase(session="s1")
    assert ids(memory) == {third.id, fourth.id}
    memory.erase(source="chat/2")
    assert ids(memory) == {fourth.id}
    assert_sound(stores, memory)


def test_an_entity_goes_by_its_mentions_and_by_its_names(stores: Stores) -> None:
    memory = stores.open()
    linked = memory.remember("She met him at the lake", mentions=["Zyx Quartz"])
    (entity,) = memory.entities.list()
    memory.entities.add_alias(entity.id, "Zyxie")
    spelled = memory.remember("Then ZYXIE rang", session="s")
    keyed = memory.remember("At noon", kind="semantic", key="meeting/zyx quartz")
    inside = memory.remember("Zyxieland is a park")
    matched = memory.privacy.match_erasure(entity="zyx quartz")
    assert set(matched.memories) == {linked.id, spelled.id, keyed.id}
    assert set(matched.forms) >= {"Zyx Quartz", "Zyxie", "zyxie", "zyx quartz"}
    receipt = memory.erase(entity="zyx quartz")
    assert ids(memory) == {inside.id}
    assert list(memory.entities.list()) == []
    assert receipt.forms == matched.forms
    assert not json.dumps(receipt.document).casefold().count("zyx"), "the signed receipt names nobody"
    assert_sound(stores, memory)


def test_who_asks_for_none_or_several_is_told(stores: Stores) -> None:
    memory = stores.open()
    with pytest.raises(marskg.InvalidInput, match="takes one of subject, entity, session, source, id, and none"):
        memory.erase()
    with pytest.raises(marskg.InvalidInput, match="and subject, id was given"):
        memory.erase(subject="bea", id="urn:uuid:0")
    with pytest.raises(marskg.InvalidInput, match="the subject to erase has no name"):
        memory.erase(subject=" ")


def test_what_names_nothing_is_refused_before_anything_goes(stores: Stores) -> None:
    memory = stores.open()
    kept = memory.remember("Well! Then: nothing.")
    for by in ("subject", "entity", "session", "source", "id"):
        with pytest.raises(marskg.InvalidInput, match=f"{by} must be a string, not int"):
            memory.erase(**{by: 5})  # type: ignore[arg-type]  # bad input on purpose
        for unseen in ("\u200b", " \u2060\u200d", "\u00ad"):
            with pytest.raises(marskg.InvalidInput, match=f"the {by} to erase has no name of which anything is seen"):
                memory.erase(**{by: unseen})  # type: ignore[arg-type]  # by name
            with pytest.raises(marskg.InvalidInput):
                memory.privacy.match_erasure(**{by: unseen})
    for wrong in ("not an id", kept.id.upper(), f"{kept.id} "):
        with pytest.raises(marskg.InvalidInput, match="is no id of a memory; ids look like urn:uuid:"):
            memory.erase(id=wrong)
    assert ids(memory) == {kept.id}


def test_a_spelling_of_which_nothing_is_seen_matches_nothing(stores: Stores) -> None:
    memory = stores.open()
    named = memory.remember("She met him at the lake", mentions=["Zyx Quartz"])
    kept = memory.remember("Well! Then: nothing.", subjects=["carl"])
    (entity,) = memory.entities.list()
    # As a store may have them from before they were refused.
    memory._components.run(
        lambda unit: unit.entities.put(
            replace(unit.entities.entity(entity.id), aliases=("\u200b",)), operation=Operation.UPDATE_ENTITY
        )
    )
    assert memory.privacy.match_erasure(entity="zyx quartz").memories == (named.id,)
    assert memory.entities.remove_alias(entity.id, "\u200b").aliases == ()
    assert {named.id, kept.id} == ids(memory)


def test_a_subject_of_another_spelling_is_not_passed_over_in_silence(stores: Stores) -> None:
    memory = stores.open()
    memory.remember(SAID, subjects=["Bob"])
    memory.preferences.set("member_of", "clinic", subject="BOB\u200b")
    before = len(list(memory.audit.records()))
    for ask in (memory.privacy.match_erasure, memory.erase):
        with pytest.raises(marskg.InvalidInput, match="nobody is called 'bob' here, and a subject is") as caught:
            ask(subject="bob")
        assert "'Bob'" in str(caught.value)
        assert "'BOB\\u200b'" in str(caught.value)
    assert len(list(memory.audit.records())) == before, "nothing was erased, and no record of it signed"
    for name in ("bob", "Bob"):
        assert memory.remember("He called", subjects=[name]).subjects == (name,), "nobody is suppressed"
    assert memory.erase(subject="bob").matched == 1, "now somebody is called exactly so"
    with pytest.raises(marskg.InvalidInput, match="there is 'BOB"):
        memory.erase(subject="bob")
    assert memory.privacy.match_erasure(subject="bobby").memories == ()
    assert memory.erase(subject="Bob").matched == 2
    assert_sound(stores, memory)


def test_an_entity_goes_wherever_its_name_stands(stores: Stores) -> None:
    memory = stores.open()
    given: dict[str, dict[str, Any]] = {
        "subject": {"subjects": [SECRET.upper()]},
        "session": {"session": f"with {SECRET}"},
        "tag": {"intent_tags": [f"about/{SECRET}"]},
        "purpose": {"purpose": [SECRET]},
        "other letters": {"content": "Then z\u0443xqu\u0430rtz rang"},
    }
    named = {
        memory.remember(**{"content": f"At noon, {place}", "kind": "semantic", **fields}).id
        for place, fields in given.items()
    }
    longer = memory.remember("It is open", subjects=[f"{SECRET} shop"], kind="semantic")
    matched = memory.privacy.match_erasure(entity=SECRET)
    assert set(matched.memories) == named
    assert SECRET in matched.forms
    memory.erase(entity=SECRET)
    assert ids(memory) == {longer.id}, "a longer name is somebody else's"
    assert_sound(stores, memory)


def test_rules_that_have_an_entitys_name_otherwise_stay_and_are_told_of(stores: Stores) -> None:
    memory = stores.open()
    memory.remember(SAID)
    going = memory.preferences.set("blacklisted_entity", f"{SECRET}s").preferences[0]
    gone = memory.preferences.set("private_entity", SECRET.upper()).preferences[0]
    kept = {
        memory.preferences.set("blacklisted_conversation", f"with {SECRET}").preferences[0].id,
        memory.preferences.set("member_of", SECRET, subject="carl").preferences[0].id,
        memory.preferences.set("retention", "task", horizon="30d", department=SECRET).preferences[0].id,
    }
    assert set(memory.privacy.match_erasure(entity=SECRET).rules) == kept
    receipt = memory.erase(entity=SECRET)
    assert set(receipt.rules) == kept
    assert {item.id for item in memory.preferences.list()} == {*kept, going.id}
    assert gone.id not in kept
    assert "preferences with the name" in receipt.document["uncovered"]
    assert memory.audit.check_receipt(receipt.document).findings == ()
    assert SECRET not in json.dumps(receipt.document)
    for ident in kept:
        memory.preferences.remove(ident)
    again = memory.erase(entity=SECRET)
    assert again.rules == ()
    assert "preferences with the name" not in again.document["uncovered"]


def test_what_is_not_there_and_a_second_time(stores: Stores) -> None:
    memory = stores.open()
    memory.remember(SAID, subjects=["bea"])
    assert memory.erase(subject="bea").matched == 1
    again = memory.erase(subject="bea")
    assert (again.matched, again.slots) == (0, 0)
    assert memory.erase(id="urn:uuid:01900000-0000-7000-8000-000000000000").matched == 0
    assert_sound(stores, memory)


# --- What goes with it ------------------------------------------------------------------------------------------------


def test_dependents_and_what_was_derived_go_through_any_number_of_steps(stores: Stores) -> None:
    memory = stores.open()
    base = memory.remember(SAID, subjects=["bea"])
    fact = memory.remember("A fact of it", kind="semantic", derives_from=[base.id])
    sense = memory.remember("Makes no sense without the fact", kind="semantic", depends_on=[fact.id])
    further = memory.remember("Derived from that again", kind="semantic", derives_from=[sense.id])
    beside = memory.remember("Beside it", kind="semantic")
    receipt = memory.erase(subject="bea")
    assert (receipt.matched, receipt.descendants) == (1, 3)
    assert ids(memory) == {beside.id}, (fact.id, sense.id, further.id)
    assert_sound(stores, memory)


def test_a_pin_keeps_nothing_from_being_erased(stores: Stores) -> None:
    memory = stores.open()
    base = memory.remember(SAID, subjects=["bea"], pin=True)
    memory.remember("Rests on it", kind="semantic", depends_on=[base.id], pin=True)
    memory.erase(subject="bea")
    assert ids(memory) == set()
    assert memory.stats()["weight"] == 0
    assert_sound(stores, memory)


def test_a_task_that_lost_a_prerequisite_is_blocked_and_names_it_no_more(stores: Stores) -> None:
    memory = stores.open()
    base = memory.remember(SAID, subjects=["bea"])
    task = memory.remember("Ring the school", kind="task", requires=[base.id])
    receipt = memory.erase(subject="bea")
    assert receipt.blocked == (task.id,)
    now = memory.get(task.id)
    assert now is not None
    assert now.status == "blocked"
    assert ids(memory) == {task.id}
    assert base.id not in everything(stores, memory)
    assert_sound(stores, memory)


def test_other_edges_to_it_go_and_their_memories_stay(stores: Stores) -> None:
    memory = stores.open()
    task = memory.remember("Ask Bea", kind="task", subjects=["bea"])
    goal = memory.remember("For that", kind="semantic", attaches_to_goal=[task.id])
    said = memory.remember("It is so", kind="semantic", contradicts=[task.id])
    memory.erase(subject="bea")
    assert ids(memory) == {goal.id, said.id}
    assert task.id not in everything(stores, memory)
    assert_sound(stores, memory)


def test_neighbours_in_a_session_are_linked_again(stores: Stores) -> None:
    memory = stores.open()
    first = memory.remember("First", session="s")
    memory.remember(SAID, session="s", subjects=["bea"])
    third = memory.remember("Third", session="s")
    memory.erase(subject="bea")
    rows = stores.engine.read(
        "MATCH (a:Memory {ref: $ref})-[:temporalNext]->(b:Memory) RETURN b.id AS id",
        {"ref": f"{memory.tenant}|{first.id}"},
    )
    assert [row["id"] for row in rows] == [third.id]
    assert_sound(stores, memory)


def test_an_older_value_does_not_come_back(stores: Stores) -> None:
    memory = stores.open()
    older = memory.remember("Budget is 100", kind="semantic", key="budget/travel")
    newer = memory.remember("Budget is 200", kind="semantic", key="budget/travel")
    memory.erase(id=newer.id)
    kept = memory.get(older.id)
    assert kept is not None
    assert kept.superseded_at is not None
    assert memory.retrieve("budget", k=5, token_budget=100).hits == ()
    assert_sound(stores, memory)


def test_the_lines_of_a_summary_that_rest_on_it_go_and_the_version_that_held_them(stores: Stores) -> None:
    memory = stores.open(embedding__model="none")
    sources, summary = usual(memory)
    receipt = memory.erase(id=sources[2])
    (kept,) = current(memory)
    assert texts(kept) == ["Watered the tomatoes."]
    assert ids(memory) == {kept.id, *sources[:2]}
    assert (receipt.descendants, receipt.shortened) == (1, 1)
    found = everything(stores, memory)
    assert "lime" not in found
    assert summary.id not in found
    assert sources[2] not in found
    assert_sound(stores, memory)


def test_the_lines_of_a_summary_go_with_an_entity_that_only_their_sources_mentioned(stores: Stores) -> None:
    memory = stores.open(embedding__model="none")
    usual(memory, mentions=["Zyx Quartz"])
    assert [one.content for one in current(memory)], "its lines do not have the name"
    receipt = memory.erase(entity="zyx  quartz")
    assert (receipt.matched, receipt.descendants, ids(memory)) == (3, 1, set())
    assert "omato" not in everything(stores, memory)
    assert_sound(stores, memory)


def test_a_summary_without_lines_goes(stores: Stores) -> None:
    memory = stores.open(embedding__model="none")
    usual(memory, subjects=["bea"])
    memory.erase(subject="bea")
    assert ids(memory) == set()
    assert "omato" not in everything(stores, memory)
    assert_sound(stores, memory)


# --- What never comes in again ----------------------------------------------------------------------------------------


def test_nothing_about_a_subject_is_stored_again_without_consent(stores: Stores) -> None:
    memory = stores.open()
    memory.remember(SAID, subjects=["bea"])
    memory.erase(subject="bea")
    for text, subjects in ((SAID, ["bea"]), ("Something else", ["bea"]), ("And this", ["carl", " BEA\u200b"])):
        with pytest.raises(marskg.ConsentRequired, match="without their consent"):
            memory.remember(text, subjects=subjects)
    with pytest.raises(marskg.ConsentRequired):
        memory.remember_many(
            [marskg.Draft(ref="d", kind=Kind.EPISODIC, content="X", at=memory.now(), subjects=("bea",))]
        )
    assert memory.remember("Carl plays chess", subjects=["carl"]).content == "Carl plays chess"


def test_a_text_that_was_erased_is_refused_about_the_same_people(stores: Stores) -> None:
    memory = stores.open()
    first = memory.remember(SAID, subjects=["bea"], session="s")
    short = memory.remember("Yes", session="s")
    memory.erase(session="s")
    with pytest.raises(marskg.ErasedContentRefused, match="this text was erased"):
        memory.remember(f"  {SAID.upper()} ", subjects=["bea"], session="t")
    assert memory.remember(SAID, subjects=["carl"]).id != first.id, "about somebody else it is another text"
    assert memory.remember("Yes", session="t").id != short.id, "a short text is everybody's"
    fact = memory.remember("Something harmless", kind="semantic", subjects=["bea"])
    with pytest.raises(marskg.ErasedContentRefused):
        memory.update(fact.id, SAID)


@pytest.mark.parametrize("by", ["subject", "session", "source", "id"])
def test_a_text_that_was_erased_is_refused_when_nobody_is_named(stores: Stores, tmp_path: Path, by: str) -> None:
    memory, plain = stores.open(), stores.open()
    first = memory.remember(SAID, subjects=["quentin"], session="s", source_ref="diary")
    memory.remember("Yes", subjects=["quentin"], session="s", source_ref="diary")
    plain.remember(SAID)
    plain.export(tmp_path / "without-labels.jsonld")
    names: dict[str, Any] = {"subject": "quentin", "session": "s", "source": "diary", "id": first.id}
    memory.erase(**{by: names[by]})
    with pytest.raises(marskg.ErasedContentRefused, match="this text was erased"):
        memory.remember(f"  {SAID.upper()} ", session="t")
    with pytest.raises(marskg.ErasedContentRefused):
        memory.load(tmp_path / "without-labels.jsonld")
    if by == "subject":
        memory.preferences.consent("quentin")
        with pytest.raises(marskg.ErasedContentRefused):
            memory.remember(SAID)
        assert memory.remember(SAID, subjects=["quentin"]).content == SAID
    assert memory.remember(SAID, subjects=["carl"]).content == SAID, "about somebody else it is another text"
    assert memory.remember("Yes").content == "Yes", "a short text is everybody's"


def test_suppression_keeps_no_text_no_name_and_no_time(stores: Stores) -> None:
    memory = stores.open()
    memory.remember(SAID, subjects=["beatrix"], session="s")
    memory.erase(session="s")
    memory.erase(subject="beatrix")
    rows = stores.engine.read(
        "MATCH (s:Suppression) WHERE s.ref >= $low AND s.ref < $high RETURN properties(s) AS node",
        {"low": f"{memory.tenant}|", "high": f"{memory.tenant}}}"},
    )
    assert len(rows) == 4, "the text about her, about nobody, the session, and herself"
    assert all(set(row["node"]) == {"ref"} for row in rows)
    assert "beatrix" not in json.dumps(rows)


def test_a_document_with_something_erased_in_it_is_refused_whole(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open()
    memory.remember(SAID, subjects=["bea"])
    memory.remember("Carl plays chess", subjects=["carl"])
    memory.export(tmp_path / "before.jsonld")
    memory.erase(subject="bea")
    with pytest.raises(marskg.ConsentRequired):
        memory.load(tmp_path / "before.jsonld")
    assert len(ids(memory)) == 1


def test_a_checkpoint_keeps_what_must_not_come_in_again(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open()
    memory.remember(SAID, subjects=["bea"])
    memory.erase(subject="bea")
    memory.snapshots.save(tmp_path / "after.mars")
    stores.engine.write("MATCH (n) WHERE n.ref >= $low AND n.ref < $high DETACH DELETE n", span(memory))
    again = stores.open(memory.tenant)
    again.snapshots.load(tmp_path / "after.mars")
    assert again.verify().ok
    with pytest.raises(marskg.ConsentRequired):
        again.remember("Something else", subjects=["bea"])


def test_another_tenant_knows_nothing_of_it(stores: Stores) -> None:
    memory, other = stores.open(), stores.open()
    for one in (memory, other):
        one.remember(SAID, subjects=["bea"])
    memory.erase(subject="bea")
    assert len(ids(other)) == 1
    other.remember("And more", subjects=["bea"])
    assert_sound(stores, other)


# --- What is left in the log, in views and in the receipt -------------------------------------------------------------


def test_the_log_forgets_details_in_both_logs_and_verifies(stores: Stores) -> None:
    memory = stores.open()
    gone = memory.remember(SAID, subjects=["bea"])
    stays = memory.remember("Her locker is near the stairs of the school", subjects=["carl"])
    assert {hit.memory.id for hit in memory.retrieve("locker", k=5, token_budget=200)} == {gone.id, stays.id}
    memory.policy.pin(gone.id)
    receipt = memory.erase(subject="bea")
    assert receipt.slots >= 7
    assert gone.id not in everything(stores, memory)
    shown = next(record for record in memory.audit.records(log="accesses") if stays.id in record.memories)
    assert sorted(shown.memories) == ["", stays.id]
    assert_sound(stores, memory)


def test_what_was_shown_alone_is_forgotten_in_its_own_log(stores: Stores) -> None:
    """A record of the access log may be about one memory, like those of the other log, and has another number there."""
    memory = stores.open()
    memory.settings.set_budget(memory.settings.current.budget)
    gone = memory.remember(SAID, subjects=["bea"])
    memory.control.record_access([gone.id])
    memory.erase(subject="bea")
    assert gone.id not in everything(stores, memory)
    assert [record.details[0] for record in memory.audit.records() if record.operation == "setBudget"] != [""]
    assert_sound(stores, memory)


def test_the_log_forgets_what_had_gone_before_only_by_its_id_and_the_receipt_says_so(stores: Stores) -> None:
    memory = stores.open()
    kept = memory.remember("Carl plays chess", pin=True)
    gone = [memory.remember(f"{SAID}, number {number}", subjects=["bea"]).id for number in range(2)]
    memory.forget(memory.plan(policy="fifo", budget=kept.weight))
    assert ids(memory) == {kept.id}
    by_subject = memory.erase(subject="bea")
    assert by_subject.outcome == "nothing matched"
    assert "audit details of what had gone before" in by_subject.document["uncovered"]
    assert "evicted" in memory.explain(gone[0]).as_text()
    by_id = memory.erase(id=gone[0])
    assert (by_id.matched, by_id.outcome) == (0, "erased")
    assert "audit details of what had gone before" not in by_id.document["uncovered"]
    assert by_id.slots > 0
    with pytest.raises(marskg.UnknownMemory):
        memory.explain(gone[0])
    assert gone[0] not in everything(stores, memory)
    assert "evicted" in memory.explain(gone[1]).as_text()
    assert "audit details of what had gone before" not in memory.erase(subject="carl").document["uncovered"]
    assert_sound(stores, memory)


def test_a_detail_that_comes_back_is_found(stores: Stores) -> None:
    memory = stores.open()
    memory.remember(SAID, subjects=["bea"])
    before = {record.sequence: record for record in memory.audit.records()}
    memory.erase(subject="bea")
    emptied = next(record for record in memory.audit.records() if record.operation == "remember")
    was = before[emptied.sequence]
    stores.engine.write(
        "MATCH (a:AuditRecord {ref: $ref}) SET a.details = $details, a.salts = $salts, a.memories = $memories",
        {
            "ref": f"{memory.tenant}|t|{was.sequence:012d}",
            "details": list(was.details),
            "salts": list(was.salts),
            "memories": list(was.memories),
        },
    )
    assert {finding.code for finding in memory.verify().findings} >= {"erasure-undone"}


def test_views_answer_from_after_the_erasure(stores: Stores) -> None:
    memory = stores.open()
    memory.remember(SAID, subjects=["bea"])
    memory.remember("The locker of Carl", subjects=["carl"])
    memory.retrieve("locker", k=5, token_budget=200)
    query = "SELECT ?c WHERE { ?m mars:content ?c }"
    assert len(memory.sparql(query).rows) == 2
    memory.erase(subject="bea")
    assert [hit.memory.content for hit in memory.retrieve("locker", k=5, token_budget=200)] == ["The locker of Carl"]
    assert len(memory.sparql(query).rows) == 1


def test_another_program_that_follows_the_log_forgets_too(stores: Stores) -> None:
    memory = stores.open()
    other = stores.open(memory.tenant, seed="another program")
    memory.remember(SAID, subjects=["bea"])
    memory.remember("The locker of Carl", subjects=["carl"])
    assert len(other.retrieve("locker", k=5, token_budget=200)) == 2
    memory.erase(subject="bea")
    assert [hit.memory.content for hit in other.retrieve("locker", k=5, token_budget=200)] == ["The locker of Carl"]


def test_the_receipt_is_signed_and_says_nothing_of_what_was_erased(stores: Stores) -> None:
    memory = stores.open()
    one = memory.remember(SAID, subjects=["beatrix"], mentions=["Zyx"])
    receipt = memory.erase(subject="beatrix")
    assert verify_document(receipt.document).verification_method.startswith("did:key:")
    text = json.dumps(receipt.document)
    assert all(word not in text for word in (SECRET, "beatrix", "Zyx", one.id))
    assert receipt.document["erasureClaim"] == "logical"
    assert receipt.document["requestedBy"] == "subject"
    record = next(item for item in memory.audit.records() if item.iri == receipt.document["erasureRecord"][0])
    assert record.operation == "erase"
    changed = {**receipt.document, "matchedMemories": 7}
    with pytest.raises(marskg.AuditVerificationFailed):
        verify_document(changed)
