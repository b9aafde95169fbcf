"""Two things of one name stay two, by their types or IRIs; the name alone asks which: the same on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import Draft, EntityRef
from marskg.errors import InvalidInput, InvalidMemory, PreferenceRefused, UnknownMemory
from marskg.ontology.vocabulary import EdgeType, Kind
from tests.support.stores import START

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from marskg.records import Entity, Memory
    from tests.support.stores import Stores

BAKER, LAWYER = "https://example.org/people/1", "https://example.org/people/2"


def opened(stores: Stores, **settings: Any) -> AgentMemory:
    return stores.open(embedding__model="none", **settings)


def tell(memory: AgentMemory, text: str, *mentions: EntityRef | str) -> Memory:
    return memory.remember(text, kind="semantic", mentions=list(mentions))


def called(memory: AgentMemory, name: str) -> list[Entity]:
    return sorted((one for one in memory.entities.list() if one.name == name), key=lambda one: one.sequence)


def mentioned(memory: AgentMemory, memory_id: str) -> set[str]:
    edges = next(edges for found, edges, _ in memory.store.reader.memories() if found.id == memory_id)
    return {edge.target for edge in edges if edge.type is EdgeType.MENTIONS}


def two_kims(memory: AgentMemory) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return for each of two women the id of the entity and of what is about her."""
    found = []
    for text, iri in (("She runs the bakery", BAKER), ("She runs the law firm", LAWYER)):
        said = tell(memory, text, EntityRef("Kim Sato", "person", same_as=(iri,)))
        (entity,) = mentioned(memory, said.id)
        found.append((entity, said.id))
    return found[0], found[1]


def two_jordans(memory: AgentMemory) -> tuple[str, str]:
    """Return the ids of the person and of the place."""
    tell(memory, "The cook leaves out nuts for him", EntityRef("Jordan", "person"))
    tell(memory, "A visa is needed at the border", EntityRef("Jordan", "place"))
    person, place = called(memory, "Jordan")
    assert (person.entity_type, place.entity_type) == ("person", "place")
    return person.id, place.id


def test_other_iris_or_other_types_make_two_and_what_fits_joins(stores: Stores) -> None:
    memory = opened(stores)
    (baker, _), (lawyer, _) = two_kims(memory)
    assert baker != lawyer
    assert [one.same_as for one in called(memory, "Kim Sato")] == [(BAKER,), (LAWYER,)]
    again = tell(memory, "She bakes rye", EntityRef("kim sato", same_as=(BAKER, "https://example.net/kim")))
    assert mentioned(memory, again.id) == {baker}
    person, place = two_jordans(memory)
    for said, wanted in ((EntityRef("Jordan", "place"), place), (EntityRef(person), person), (EntityRef(place), place)):
        assert mentioned(memory, tell(memory, f"Said of {wanted}", said).id) == {wanted}
    # What is missing on one side tells nothing: these join, and the one entity knows all of it.
    for said in (EntityRef("Ann"), EntityRef("Ann", "person"), EntityRef("Ann", same_as=(BAKER,)), EntityRef("Ann")):
        tell(memory, f"Something of {said}", said)
    for said in (EntityRef("Heron", "thing"), EntityRef("Heron", "work"), EntityRef("Heron", "organization")):
        tell(memory, f"Something of {said}", said)
    assert len(called(memory, "Heron")) == 1
    (ann,) = called(memory, "Ann")
    assert (ann.entity_type, ann.same_as) == ("person", (BAKER,))
    with pytest.raises(UnknownMemory):
        tell(memory, "Of nobody", EntityRef("urn:uuid:00000000-0000-4000-8000-000000000000"))


def test_two_in_one_memory_and_one_of_several_iris(stores: Stores) -> None:
    memory = opened(stores)
    both = tell(memory, "Jordan went to Jordan", EntityRef("Jordan", "person"), EntityRef("Jordan", "place"))
    assert len(mentioned(memory, both.id)) == 2
    # As earlier versions left it: one node with the IRIs of two stays one, and either of them finds it.
    tell(memory, "Of Bo", EntityRef("Bo", same_as=(BAKER, LAWYER)))
    for iri in (BAKER, LAWYER):
        tell(memory, f"Of Bo again, {iri}", EntityRef("Bo", same_as=(iri,)))
    assert len(called(memory, "Bo")) == 1


def test_the_name_alone_is_linked_to_none_and_says_so(stores: Stores) -> None:
    memory = opened(stores)
    person, place = two_jordans(memory)
    said = tell(memory, "Something about Jordan", "Jordan")
    assert mentioned(memory, said.id) == set()
    (asked,) = said.notices
    assert f"2 things are called 'Jordan': {person} (person), {place} (place)" in asked
    assert f"mars entities mention {said.id} ID" in asked
    with pytest.raises(InvalidMemory, match=f"{person}.*{place}"):
        memory.entities.mention(said.id, "Jordan")
    assert memory.entities.mention(said.id, place).id == place
    assert mentioned(memory, said.id) == {place}
    drafts = [
        Draft(
            ref=f"d{number}",
            kind=Kind.SEMANTIC,
            content=f"About Jordan, {number}",
            at=START,
            mentions=(EntityRef(name),),
        )
        for number, name in enumerate(("Jordan", "Jordan", place))
    ]
    (told,) = memory.remember_many(drafts).notices
    assert told.startswith("2 of them name something that several things are called")
    # The new text still names what the old one was said to mention.
    newer = memory.update(said.id, "Something else about Jordan")
    assert (mentioned(memory, newer.id), newer.notices) == ({place}, ())
    two_kims(memory)
    assert memory.entities.mention(said.id, BAKER).same_as == (BAKER,)


def test_a_recogniser_makes_no_second_and_picks_none(stores: Stores) -> None:
    memory = opened(stores, entities__recognise="on")
    tell(memory, "Of the river", EntityRef("Acme Corp", "place"))
    found = memory.remember("My manager Ann works at Acme Corp")
    (only,) = [one for one in memory.entities.list() if one.name == "Acme Corp"]
    assert only.entity_type == "place"
    assert only.id in mentioned(memory, found.id)
    two_jordans(memory)
    said = memory.remember("We flew to Jordan in May")
    assert mentioned(memory, said.id).isdisjoint(one.id for one in called(memory, "Jordan"))
    assert [notice for notice in said.notices if "2 things are called 'Jordan'" in notice]
    assert len(called(memory, "Jordan")) == 2


def test_recall_and_reading_ask_which_and_mix_nothing(stores: Stores) -> None:
    memory = opened(stores)
    (baker, bakes), (lawyer, pleads) = two_kims(memory)
    asked = memory.recall("Kim Sato")
    assert len(asked) == 0
    (notice,) = asked.notices
    assert f"{baker} (person, {BAKER}), {lawyer} (person, {LAWYER})" in notice
    for name, wanted in ((baker, bakes), (lawyer, pleads), (BAKER, bakes), (LAWYER, pleads)):
        assert [hit.memory.id for hit in memory.recall(name)] == [wanted]
        assert [hit.memory.id for hit in memory.read_all(entity=name)] == [wanted]
    with pytest.raises(InvalidInput, match=f"{baker}.*{lawyer}.*give the id"):
        memory.read_all(entity="Kim Sato")
    # Types and IRIs may come from what is hidden.
    person, place = two_jordans(memory)
    for said in (person, place):
        tell(memory, f"Jordan is what {said} is called", said)
    (limited,) = memory.recall("Jordan", max_sensitivity=0.9).notices
    assert f"{person}, {place};" in limited


def test_erasing_asks_which_and_takes_one(stores: Stores) -> None:
    memory = opened(stores)
    (baker, bakes), (lawyer, pleads) = two_kims(memory)
    text = memory.remember("Kim Sato likes figs", kind="semantic")
    for dry_run in (True, False):
        with pytest.raises(InvalidInput, match=f"{baker}.*{lawyer}.*give the id, or an IRI"):
            memory.erase(entity="Kim Sato", dry_run=dry_run)
    matched = memory.privacy.match_erasure(entity="Kim Sato")
    assert matched.memories == ()
    assert {one.id: one.reason for one in matched.near} == {
        bakes: f"mentions {baker}",
        pleads: f"mentions {lawyer}",
        text.id: "has the name, which another entity has too",
    }
    (rule,) = memory.preferences.set("private_entity", "Kim Sato").preferences
    dry = memory.erase(entity=baker, dry_run=True)
    assert [one.id for one in dry.memories] == [bakes]
    done = memory.erase(entity=BAKER)
    for told in (dry, done):
        assert told.matched == 1
        assert [one.id for one in told.near] == [text.id]
        assert [one.id for one in told.namesakes] == [pleads]
        assert told.rules == (rule.id,)
    assert {one.id for one in memory.memories()} == {pleads, text.id}
    assert [one.id for one in called(memory, "Kim Sato")] == [lawyer]
    # One is left: the name alone says who is meant, and takes what has it in its words as well.
    assert memory.erase(entity="Kim Sato").matched == 2
    assert memory.verify().findings == ()


def test_an_alias_that_two_have_takes_nothing_of_the_other(stores: Stores) -> None:
    memory = opened(stores)
    rob = tell(memory, "Rob sails", EntityRef("Robert Smith", "person", aliases=("Bob",)))
    lee = tell(memory, "Bob rows a boat", EntityRef("Bobby Lee", "person", aliases=("Bob",)))
    open_ = memory.remember("Bob swims", kind="semantic")
    with pytest.raises(InvalidInput, match="2 things are called 'Bob'"):
        memory.erase(entity="Bob")
    done = memory.erase(entity="Robert Smith", dry_run=True)
    assert [[one.id for one in found] for found in (done.memories, done.near, done.namesakes)] == [
        [rob.id],
        [open_.id],
        [lee.id],
    ]


def test_a_rule_about_a_name_holds_for_all_that_bear_it(stores: Stores) -> None:
    memory = opened(stores)
    (baker, bakes), (_, pleads) = two_kims(memory)
    memory.preferences.set("private_entity", "Kim Sato")
    by_id, by_iri = tell(memory, "She came by", baker), tell(memory, "She came again", LAWYER)
    for ident in (bakes, pleads, by_id.id, by_iri.id):
        found = memory.get(ident)
        assert found is not None
        assert found.sensitivity == 1.0
    memory.preferences.set("blacklisted_entity", "Kim Sato")
    assert list(memory.memories()) == []
    for iri in (BAKER, LAWYER):
        with pytest.raises(PreferenceRefused):
            tell(memory, "She came by", EntityRef("Kim Sato", same_as=(iri,)))


def test_names_are_corrected_where_two_may_not_be_one(stores: Stores) -> None:
    memory = opened(stores)
    person, place = two_jordans(memory)
    tell(memory, "Of a river", EntityRef("Jarden", "work"))
    tell(memory, "Of somebody", EntityRef("Jordy", "person"))
    (river,), (jordy,) = called(memory, "Jarden"), called(memory, "Jordy")
    assert memory.entities.rename(river.id, "Jordan").name == "Jordan"
    with pytest.raises(InvalidMemory, match="merge"):
        memory.entities.rename(jordy.id, "Jordan")
    with pytest.raises(InvalidMemory, match="merge"):
        memory.entities.add_alias(jordy.id, "Jordan")
    memory.entities.merge(person, jordy.id)
    memory.entities.merge(place, river.id)
    assert [one.id for one in called(memory, "Jordan")] == [person, place]


@pytest.mark.parametrize("ending", ["jsonld", "nq"])
def test_an_export_keeps_two(stores: Stores, tmp_path: Path, ending: str) -> None:
    memory, other = opened(stores), opened(stores)
    (baker, bakes), (lawyer, _) = two_kims(memory)
    memory.export(tmp_path / f"all.{ending}")
    other.load(tmp_path / f"all.{ending}")
    assert {(one.id, one.same_as) for one in called(other, "Kim Sato")} == {(baker, (BAKER,)), (lawyer, (LAWYER,))}
    assert other.erase(entity=BAKER, dry_run=True).memories[0].id == bakes
    assert other.validate(full=True).findings == ()
    again = tell(other, "She bakes on", EntityRef("Kim Sato", same_as=(BAKER,)))
    assert mentioned(other, again.id) == {baker}


def test_a_snapshot_keeps_two(stores: Stores, tmp_path: Path) -> None:
    memory = opened(stores)
    (baker, _), (lawyer, _) = two_kims(memory)
    memory.snapshots.save(tmp_path / "all.mars")
    memory.entities.merge(baker, lawyer)
    memory.snapshots.load(tmp_path / "all.mars")
    assert [one.id for one in called(memory, "Kim Sato")] == [baker, lawyer]
    with pytest.raises(InvalidInput):
        memory.read_all(entity="Kim Sato")
