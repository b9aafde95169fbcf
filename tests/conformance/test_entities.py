"""Entities and relations found at write, linked across memories and corrected by hand: the same on every engine."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import Draft, EntityRef
from marskg.errors import InvalidConfig, InvalidMemory, NotPermitted, UnknownMemory
from marskg.ontology.vocabulary import EdgeType, Kind, Operation
from marskg.store.graph import tiers
from marskg.store.graph.orphan_entities import drop_unmentioned
from marskg.store.rows import codec
from marskg.store.statements import schema
from marskg.store.statements.catalogue import statement
from tests.support.stores import START

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from marskg.memory import AgentMemory
    from marskg.records import Entity
    from marskg.store.engine.protocol import Row
    from marskg.store.unit.unit_of_work import Unit
    from tests.support.stores import Stores


HOUR = 3_600_000


def opened(stores: Stores, **settings: Any) -> AgentMemory:
    return stores.open(embedding__model="none", entities__recognise="on", **settings)


def by_name(memory: AgentMemory) -> dict[str, Entity]:
    return {entity.name: entity for entity in memory.entities.list()}


def mentioned(memory: AgentMemory, memory_id: str) -> set[str]:
    names = {entity.id: entity.name for entity in memory.entities.list()}
    edges = next(edges for found, edges, _ in memory.store.reader.memories() if found.id == memory_id)
    return {names[edge.target] for edge in edges if edge.type is EdgeType.MENTIONS}


def relations(memory: AgentMemory) -> set[tuple[str, str, str]]:
    names = {entity.id: entity.name for entity in memory.entities.list()}
    return {
        (names[edge.source], str(edge.type), names[edge.target])
        for _, edges, _ in memory.store.reader.entities()
        for edge in edges
    }


def words(stores: Stores, memory: AgentMemory) -> set[str]:
    rows = stores.engine.read("MATCH (w:EntityWord) WHERE w.tenant = $tenant RETURN w.wordKey AS key",
                              {"tenant": memory.tenant})  # fmt: skip
    return {str(row["key"]).partition("|")[2] for row in rows}


def sound(memory: AgentMemory) -> bool:
    return memory.verify().ok and memory.validate(full=True).ok


def draft(content: str, number: int = 0, **values: Any) -> Draft:
    return Draft(ref=f"d{number}", kind=Kind.EPISODIC, content=content, at=START + number, **values)


# --- Found at write ----------------------------------------------------------------------------------------------


def test_what_a_text_names_is_linked_and_related(stores: Stores) -> None:
    memory = opened(stores)
    turn = memory.remember("My manager Ann Lee works at Acme Corp", subjects=["Alice"])
    assert {"Ann Lee", "Acme Corp"} <= mentioned(memory, turn.id)
    assert {("Ann Lee", "worksAt", "Acme Corp"), ("Alice", "reportsTo", "Ann Lee")} <= relations(memory)
    assert by_name(memory)["Ann Lee"].entity_type == "person"
    assert sound(memory)


def test_without_one_subject_nobody_is_the_speaker(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember("My manager Ann Lee called", subjects=["Alice", "Bea"])
    memory.remember("My manager Ann Lee called", subjects=["Alice"], source_type="doc")
    assert relations(memory) == set()


def test_a_tenant_that_wants_none_has_none(stores: Stores) -> None:
    memory = stores.open(embedding__model="none", entities__recognise="off")
    memory.remember("My manager Ann Lee works at Acme Corp", subjects=["Alice"])
    assert by_name(memory) == {}


def test_recognising_is_the_default() -> None:
    from marskg.config import Settings  # noqa: PLC0415 - of this test alone

    assert Settings().entities.recognise == "on"


def test_an_alias_finds_its_bearer_and_a_first_name_is_a_guess_of_who_reads(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember("We met", mentions=[EntityRef("Robert Smith", "person", aliases=("Bob",))])
    turns = [memory.remember(text) for text in ("I saw Bob yesterday", "Robert was late", "call bob")]
    assert [mentioned(memory, turn.id) for turn in turns] == [{"Robert Smith"}, {"Robert"}, {"Robert Smith"}]
    assert "Robert was late" in {hit.memory.content for hit in memory.recall(entity="Robert Smith")}
    memory.remember("We met as well", mentions=[EntityRef("Robert Jones", "person")])
    assert "Robert was late" not in {hit.memory.content for hit in memory.recall(entity="Robert Smith")}
    named = memory.remember("said and done", mentions=["bob"])
    assert mentioned(memory, named.id) == {"Robert Smith"}


def test_an_ambiguous_name_is_linked_to_neither(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember("one", mentions=[EntityRef("Robert Smith", "person", aliases=("Bob",))])
    memory.remember("two", mentions=[EntityRef("Robert Jones", "person", aliases=("Bob",))])
    turn = memory.remember("I saw Bob yesterday")
    assert mentioned(memory, turn.id) == {"Bob"}
    # Now there is one whose own name it is.
    assert mentioned(memory, memory.remember("Then Bob left").id) == {"Bob"}


def test_what_the_caller_says_stands(stores: Stores) -> None:
    memory = opened(stores)
    given = EntityRef("Jaguar", "work", aliases=("Jag",))
    turn = memory.remember("I drove to Berlin in the Jaguar", mentions=[given])
    assert (by_name(memory)["Jaguar"].entity_type, by_name(memory)["Jaguar"].aliases) == ("work", ("Jag",))
    assert {"Jaguar", "Berlin"} <= mentioned(memory, turn.id)


def test_batches_do_not_change_what_is_linked(stores: Stores) -> None:
    texts = ["I know Robert Smith", "Robert called", "My friend Ann Lee works at Acme Corp", "Ann is at Acme Corp",
             "We planted tomatoes", "one tomato is ripe"]  # fmt: skip
    found = []
    for together in (True, False):
        memory = opened(stores)
        drafts = [draft(text, number, subjects=("Alice",)) for number, text in enumerate(texts)]
        if together:
            memory.remember_many(drafts)
        else:
            for item in drafts:
                memory.remember_many([item])
        ids = [item.id for item in sorted(memory.memories(), key=lambda item: item.valid_from)]
        found.append(([mentioned(memory, ident) for ident in ids], relations(memory)))
        assert sound(memory)
    assert found[0] == found[1]
    assert found[0][0][1] == {"Robert"}
    assert found[0][0][4] == found[0][0][5] == {"tomato"}


def test_batches_in_flight_are_known_to_the_next(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember_many([draft(f"I met Robert Smith on day {number}", number) for number in range(400)])
    assert [name for name in by_name(memory) if "Robert" in name] == ["Robert Smith"]
    assert memory.verify().ok


def test_one_tenant_does_not_know_the_names_of_another(stores: Stores) -> None:
    first, second = opened(stores), opened(stores)
    first.remember("We met", mentions=[EntityRef("Robert Smith", "person", aliases=("Bob",))])
    turn = second.remember("I saw Bob yesterday")
    assert mentioned(second, turn.id) == {"Bob"}


def test_a_name_goes_with_the_last_memory_that_mentions_it(stores: Stores) -> None:
    memory = opened(stores, policy__evict_to="tombstone")
    memory.remember("Ann Lee works at Acme Corp")
    assert {"ann", "acme"} <= words(stores, memory)
    memory.forget(memory.plan(budget=0))
    # A relation keeps nobody: a name that no memory mentions is personal data without a purpose.
    assert by_name(memory) == {}
    assert words(stores, memory) == set()
    assert sound(memory)


def test_who_points_to_a_name_that_goes_is_recorded_without_it(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember("Ann Lee works at Acme Corp")
    memory.remember("I like Ann Lee", pin=True)
    memory.forget(memory.plan(budget=memory.weight - 1))
    assert set(by_name(memory)) == {"Ann Lee"}
    assert relations(memory) == set()
    assert sound(memory)


def test_a_dictionary_goes_before_the_rules(stores: Stores, tmp_path: Path) -> None:
    file = tmp_path / "names.yaml"
    file.write_text("entities:\n- {name: Project Heron, type: work, aliases: [heron]}\n", "utf-8")
    memory = opened(stores, entities__dictionary=str(file))
    turn = memory.remember("the heron is late")
    assert mentioned(memory, turn.id) == {"Project Heron"}


@pytest.mark.parametrize(
    "text",
    ["names: []", "entities: {}", "entities: [Ann]", "entities: [{type: person}]",
     "entities: [{name: Ann, type: robot}]", "entities: [{name: ann@example.org}]", "entities: [{name: Ann, kind: x}]",
     "entities: [{name: Ann}, {name: ann}]", "entities: [{name: Ann, aliases: Bob}]"],
)  # fmt: skip
def test_a_malformed_dictionary_is_refused_before_anything_changes(stores: Stores, tmp_path: Path, text: str) -> None:
    file = tmp_path / "names.yaml"
    file.write_text(text, "utf-8")
    memory = opened(stores)
    with pytest.raises(InvalidConfig, match=r"names\.yaml"):
        memory.settings.set(None, {"entities.dictionary": str(file)})
    assert memory.settings.current.entities.dictionary is None


def test_a_store_of_the_first_version_finds_its_names_after_the_migration(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember("We met", mentions=[EntityRef("Robert Smith", "person", aliases=("Bob",))])
    tenant = memory.tenant
    refs = [f"{tenant}|{by_name(memory)['Robert Smith'].id}|{word}" for word in ("bob", "robert")]
    newest = schema.current_version(stores.engine)
    stores.engine.write(statement("delete_words", stores.engine.name), {"refs": refs})
    assert words(stores, memory) == set()
    stores.engine.write(statement("set_store_version", stores.engine.name), {"version": 1})
    assert schema.migrate(stores.engine) == (1, newest)
    assert words(stores, memory) == {"bob", "robert"}
    again = stores.open(tenant)
    assert mentioned(again, again.remember("x", mentions=["Bob"]).id) == {"Robert Smith"}


# --- What they are for -------------------------------------------------------------------------------------------


def test_what_an_active_task_is_about_is_important(stores: Stores, tmp_path: Path) -> None:
    profile = tmp_path / "tasks.yaml"
    profile.write_text("fusion: weighted\nweights: {lexical: 1.0, importance: 1.0}\n", "utf-8")
    memory = opened(stores)
    near = memory.remember("Acme Corp sends invoices late", mentions=["Acme Corp"])
    far = memory.remember("Heron Ltd sends invoices late", mentions=["Heron Ltd"])

    def importance() -> dict[str, float]:
        found = memory.retrieve("who sends invoices", profile=str(profile), k=10)
        return {hit.memory.id: hit.why["importance"] for hit in found}

    before = importance()
    task = memory.remember("Settle with Acme Corp", kind="task", mentions=["Acme Corp"])
    during = importance()
    assert during[near.id] > during[far.id]
    assert during[near.id] > before[near.id]
    # Who may not see the task learns nothing of it.
    memory.remember("Settle with Heron Ltd", kind="task", mentions=["Heron Ltd"], sensitivity=0.9)
    hidden = memory.retrieve("who sends invoices", profile=str(profile), k=10, max_sensitivity=0.5)
    shown = {hit.memory.id: hit.why["importance"] for hit in hidden}
    assert shown[far.id] == pytest.approx(during[far.id], abs=1e-3)
    memory.tasks.amend(task.id, status="done")
    after = importance()
    assert after[near.id] < after[far.id]


# --- Corrected by hand -------------------------------------------------------------------------------------------


def operations(memory: AgentMemory, after: int) -> list[Operation]:
    return [record.operation for record in memory.audit.records(first=after + 1)]


def test_a_rename_keeps_the_old_name_as_an_alias(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember("I met Ann Lee")
    ident, sequence = by_name(memory)["Ann Lee"].id, memory.stats()["audit_seq"]
    assert memory.entities.rename(ident, "Ann  Moore").name == "Ann Moore"
    assert by_name(memory)["Ann Moore"].aliases == ("Ann Lee",)
    assert operations(memory, sequence) == [Operation.UPDATE_ENTITY]
    turns = [memory.remember(text) for text in ("Ann Lee called", "Ann Moore called", "I saw Moore")]
    assert [mentioned(memory, turn.id) for turn in turns] == [{"Ann Moore"}, {"Ann Moore"}, {"Moore"}]
    assert sound(memory)


def test_a_name_that_is_taken_is_refused(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember("x", mentions=["Ann Lee", "Bea Poe"])
    ann = by_name(memory)["Ann Lee"].id
    for change in (memory.entities.rename, memory.entities.add_alias):
        with pytest.raises(InvalidMemory, match="merge"):
            change(ann, "bea poe")
    with pytest.raises(UnknownMemory, match="no entity"):
        memory.entities.rename("urn:uuid:00000000-0000-7000-8000-000000000000", "Bea")
    with pytest.raises(InvalidMemory):
        memory.entities.rename(ann, " ")


def test_a_name_of_which_nothing_is_seen_is_refused(stores: Stores) -> None:
    memory = opened(stores)
    kept = memory.remember("x", mentions=["Ann Lee"])
    ann = by_name(memory)["Ann Lee"].id
    unseen = "\u200b \u2060"
    given: tuple[dict[str, Any], ...] = (
        {"mentions": [unseen]},
        {"mentions": [EntityRef("Bea Poe", aliases=(unseen,))]},
        {"subjects": ["carl", unseen]},
        {"session": unseen},
    )
    for fields in given:
        with pytest.raises(InvalidMemory, match="has only characters that are not seen, and a name needs one that is"):
            memory.remember("y", **fields)
    for change in (memory.entities.rename, memory.entities.add_alias):
        with pytest.raises(InvalidMemory, match="entity name has only characters"):
            change(ann, unseen)
    with pytest.raises(InvalidMemory, match="entity name has only characters"):
        memory.entities.mention(kept.id, unseen)
    assert by_name(memory)["Ann Lee"].aliases == ()


@pytest.mark.server
def test_aliases_and_types_can_be_set_and_taken_back(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember("x", mentions=["Santorini"])
    ident = by_name(memory)["Santorini"].id
    assert memory.entities.add_alias(ident, "Thira").aliases == ("Thira",)
    assert memory.entities.retype(ident, "place").entity_type == "place"
    assert mentioned(memory, memory.remember("in Thira").id) == {"Santorini"}
    assert memory.entities.remove_alias(ident, "thira").aliases == ()
    assert memory.entities.retype(ident, None).entity_type is None
    with pytest.raises(InvalidMemory, match="no such alias"):
        memory.entities.remove_alias(ident, "Thira")
    with pytest.raises(InvalidMemory, match="entity type"):
        memory.entities.retype(ident, "island")
    assert "thira" not in words(stores, memory)
    assert sound(memory)


@pytest.mark.server
def test_two_that_are_one_are_merged(stores: Stores) -> None:
    memory = opened(stores)
    first = memory.remember("Robert Smith works at Acme Corp")
    second = memory.remember("My colleague Bobby is at home", subjects=["Alice"])
    both = memory.remember("x", mentions=["Robert Smith", "Bobby"])
    known = by_name(memory)
    memory.entities.relate(known["Robert Smith"].id, "friendOf", known["Bobby"].id)
    kept = memory.entities.merge(known["Robert Smith"].id, known["Bobby"].id)
    assert kept.aliases == ("Bobby",)
    assert "Bobby" not in by_name(memory)
    assert all("Robert Smith" in mentioned(memory, turn.id) for turn in (first, second, both))
    assert ("Alice", "colleagueOf", "Robert Smith") in relations(memory)
    assert ("Robert Smith", "worksAt", "Acme Corp") in relations(memory)
    assert not any(source == target for source, _, target in relations(memory))
    assert mentioned(memory, memory.remember("I saw Bobby").id) == {"Robert Smith"}
    with pytest.raises(InvalidMemory, match="itself"):
        memory.entities.merge(kept.id, kept.id)
    assert sound(memory)


class _RollBack(Exception):
    """Nothing of the transaction is to stay."""


@pytest.mark.server
@pytest.mark.parametrize("newest_first", [False, True])
def test_very_many_edges_of_one_memory_go_at_once_in_any_order(stores: Stores, *, newest_first: bool) -> None:
    """The embedded engine loses its place in a node of more than a hundred edges that go while it reads them."""
    memory = opened(stores)
    crowd = memory.remember("All were there", mentions=[EntityRef(f"Guest {number}") for number in range(250)])
    source = codec.ref(memory.tenant, crowd.id)
    led_to = "MATCH (m:Memory {ref: $ref})-[:mentions]->(n) RETURN n.ref AS target"
    rows = [{"source": source, **row} for row in stores.engine.read(led_to, {"ref": source})]
    rows = rows if newest_first else rows[::-1]
    count = "MATCH (m:Memory {ref: $ref})-[e:mentions]->() RETURN count(e) AS n"
    with suppress(_RollBack), stores.engine.transaction() as transaction:
        transaction.run(statement("delete_edges", stores.engine.name, edge=EdgeType.MENTIONS), {"rows": rows})
        assert transaction.run(count, {"ref": source}) == [{"n": 0}]
        raise _RollBack
    assert len(rows) == 250
    memory.erase(id=crowd.id)
    assert list(memory.entities.list()) == []
    assert memory.verify().findings == ()


def test_a_mention_is_added_and_removed_with_the_name_that_it_alone_kept(stores: Stores) -> None:
    memory = opened(stores)
    turn = memory.remember("she came by")
    sequence = memory.stats()["audit_seq"]
    ann = memory.entities.mention(turn.id, "Ann Lee")
    assert mentioned(memory, turn.id) == {"Ann Lee"}
    memory.entities.unmention(turn.id, ann.id)
    assert by_name(memory) == {}
    assert operations(memory, sequence) == [
        Operation.CREATE_ENTITY, Operation.LINK, Operation.UNLINK, Operation.REMOVE_ENTITY,
    ]  # fmt: skip
    with pytest.raises(InvalidMemory, match="does not mention"):
        memory.entities.unmention(turn.id, ann.id)
    assert sound(memory)


def test_what_is_gone_mentions_nobody(stores: Stores) -> None:
    memory = opened(stores)
    turn = memory.remember("she came by")
    memory.remember("later", derives_from=turn.id, pin=True)
    memory.forget(memory.plan(budget=1))
    with pytest.raises(NotPermitted, match="gone"):
        memory.entities.mention(turn.id, "Ann")


# --- How long a relation holds -----------------------------------------------------------------------------------

WORKS = {("Ann Lee", "worksAt", "Acme Corp")}


def related(stores: Stores, **settings: Any) -> tuple[AgentMemory, str]:
    """Return a tenant where one memory relates two entities that others mention apart, and that memory's id."""
    memory = opened(stores, policy__evict_to="tombstone", **settings)
    memory.remember("Ann Lee likes green tea", pin=True)
    memory.remember("The office of Acme Corp is in Lyon", pin=True)
    stated = memory.remember("Ann Lee works at Acme Corp", ttl="1h")
    assert relations(memory) == WORKS
    return memory, stated.id


def test_a_relation_goes_with_the_text_that_it_was_read_from(stores: Stores) -> None:
    memory, stated = related(stores)
    sequence = memory.stats()["audit_seq"]
    stores.clock(memory).advance(2 * HOUR)
    memory.maintenance.expire()
    assert memory.get(stated) is None
    assert {"Ann Lee", "Acme Corp"} <= set(by_name(memory))
    assert relations(memory) == set()
    assert operations(memory, sequence).count(Operation.UPDATE_ENTITY) == 1
    assert sound(memory)


def test_a_relation_goes_when_a_policy_takes_its_text(stores: Stores) -> None:
    memory, _ = related(stores)
    memory.forget(memory.plan(budget=memory.weight - 1))
    assert relations(memory) == set()
    assert sound(memory)


def test_a_relation_holds_while_another_memory_mentions_both(stores: Stores) -> None:
    memory, _ = related(stores)
    memory.remember("Acme Corp has a garden, and Ann Lee waters it", pin=True)
    memory.forget(memory.plan(budget=memory.weight - 1))
    assert relations(memory) == WORKS
    assert sound(memory)


@pytest.mark.server
def test_a_relation_goes_with_a_mention_that_is_taken_back(stores: Stores) -> None:
    memory, stated = related(stores)
    memory.entities.unmention(stated, by_name(memory)["Acme Corp"].id)
    assert relations(memory) == set()
    assert sound(memory)


def test_a_new_version_takes_no_relation_while_the_old_one_has_its_text(stores: Stores) -> None:
    memory, stated = related(stores)
    memory.update(stated, "Ann Lee is on leave")
    assert relations(memory) == WORKS
    stores.clock(memory).advance(2 * HOUR)
    memory.maintenance.expire()
    assert relations(memory) == set()
    assert sound(memory)


def test_a_relation_that_a_person_drew_outlives_the_text(stores: Stores) -> None:
    memory, _ = related(stores)
    ann, acme = (by_name(memory)[name].id for name in ("Ann Lee", "Acme Corp"))
    memory.entities.relate(ann, "worksAt", acme)
    memory.forget(memory.plan(budget=memory.weight - 1))
    assert relations(memory) == WORKS
    assert sound(memory)


@pytest.mark.server
def test_a_merged_entity_keeps_for_how_long_its_relations_hold(stores: Stores) -> None:
    memory, _ = related(stores)
    memory.remember("Annie called", pin=True)
    known = by_name(memory)
    memory.entities.relate(known["Annie"].id, "worksAt", known["Acme Corp"].id)
    memory.entities.relate(known["Acme Corp"].id, "partOf", known["Annie"].id)
    kept = memory.entities.merge(known["Ann Lee"].id, known["Annie"].id)
    memory.forget(memory.plan(budget=memory.weight - 1))
    assert kept.name == "Ann Lee"
    assert relations(memory) == WORKS | {("Acme Corp", "partOf", "Ann Lee")}
    assert sound(memory)


def test_a_text_that_was_read_after_a_merge_still_takes_its_relation(stores: Stores) -> None:
    memory, _ = related(stores)
    memory.remember("Annie called", pin=True)
    known = by_name(memory)
    memory.entities.merge(known["Annie"].id, known["Ann Lee"].id)
    assert relations(memory) == {("Annie", "worksAt", "Acme Corp")}
    memory.forget(memory.plan(budget=memory.weight - 1))
    assert relations(memory) == set()
    assert sound(memory)


def test_what_is_stated_again_in_the_transaction_that_takes_the_text_still_holds(stores: Stores) -> None:
    memory, _ = related(stores)
    stores.clock(memory).advance(2 * HOUR)
    memory.remember("Ann Lee works at Acme Corp, I hear")
    assert relations(memory) == WORKS
    memory.maintenance.expire()
    assert relations(memory) == WORKS
    assert sound(memory)


def reads_of_expiry(memory: AgentMemory, stores: Stores, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the statements by which an expiry asks what no memory mentions any more."""
    asked: list[str] = []

    def counted(unit: Unit, lost: Any) -> None:
        plain = unit.read

        def read(name: str, parameters: Mapping[str, Any]) -> list[Row]:
            asked.append(name)
            return plain(name, parameters)

        unit.read = read
        drop_unmentioned(unit, lost)
        unit.read = plain

    monkeypatch.setattr(tiers, "drop_unmentioned", counted)
    stores.clock(memory).advance(2 * HOUR)
    memory.maintenance.expire()
    return asked


def test_many_memories_that_go_are_asked_about_at_once(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = opened(stores)
    firms = [f"{name} Corp" for name in ("Arco", "Brio", "Cada", "Dido", "Elva", "Faro")]
    for firm in firms:
        memory.remember(f"Ann Lee works at {firm}", ttl="1h")
        memory.remember("a letter came", mentions=[firm, "Ann Lee"][: 1 + firm.startswith("B")])
    memory.remember("a call", mentions=["Ann Lee"])
    assert len(relations(memory)) == len(firms)
    asked = reads_of_expiry(memory, stores, monkeypatch)
    assert sorted(set(asked)) == sorted(asked)
    assert "mentioned_together" in asked
    assert relations(memory) == {("Ann Lee", "worksAt", "Brio Corp")}
    assert sound(memory)


def test_where_nothing_is_related_one_question_is_enough(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = opened(stores)
    for number in range(4):
        memory.remember(f"note {number}", mentions=["Ann Lee", "Acme Corp"], ttl="1h" if number else None)
    assert reads_of_expiry(memory, stores, monkeypatch) == ["entity_uses"]


def test_relations_are_drawn_and_removed(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember("x", mentions=["Ann Lee", "Acme Corp"])
    ann, acme = (by_name(memory)[name].id for name in ("Ann Lee", "Acme Corp"))
    memory.entities.relate(ann, "worksAt", acme)
    memory.entities.relate(ann, "worksAt", acme)
    assert relations(memory) == {("Ann Lee", "worksAt", "Acme Corp")}
    memory.entities.unrelate(ann, "worksAt", acme)
    assert relations(memory) == set()
    with pytest.raises(InvalidMemory, match="no worksAt"):
        memory.entities.unrelate(ann, "worksAt", acme)
    with pytest.raises(InvalidMemory, match="not between entities"):
        memory.entities.relate(ann, "dependsOn", acme)
    with pytest.raises(InvalidMemory, match="itself"):
        memory.entities.relate(ann, "friendOf", ann)
    assert sound(memory)


def test_a_new_text_is_read_again(stores: Stores) -> None:
    memory = opened(stores)
    first = memory.remember("My manager Ann Berg lives in Oslo.", mentions=[EntityRef("Skyline project")])
    second = memory.update(first.id, "My manager Ann Berg lives in Rome with Carla Dahl.")
    # What was given by hand stays; what the text named and names no more goes.
    assert mentioned(memory, second.id) == mentioned(memory, first.id) - {"Oslo"} | {"Rome", "Carla Dahl"}
    assert "Skyline project" in mentioned(memory, second.id)
    assert sound(memory)
    records = [one.sequence for one in memory.audit.records() if second.id in one.memories]
    found = memory.get(second.id)
    assert found is not None
    assert found.sequence == min(records)


def test_a_new_text_is_not_read_where_nothing_is_looked_for(stores: Stores) -> None:
    memory = opened(stores)
    first = memory.remember("My manager Ann Berg lives in Oslo.")
    memory.settings.set(None, {"entities.recognise": "off"})
    second = memory.update(first.id, "She moved to Rome.")
    assert mentioned(memory, second.id) == mentioned(memory, first.id)
    assert sound(memory)
