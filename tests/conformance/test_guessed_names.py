"""What has a name that a text may say is somebody's is near for whoever erases them, and taken by no guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conformance.test_field_rights import both

if TYPE_CHECKING:
    from tests.support.stores import Stores

_LIVES = (
    ("Jorunn Vestad", "Jorunn Vestad goes by Pebble.", "Pebble fixed my bike."),
    ("Josefus Kranz", "Sepp heißt eigentlich Josefus Kranz.", "Der Sepp kocht heute."),
    ("Pilar Otero", "Todos le dicen la Flaca a Pilar Otero.", "La Flaca trajo pan."),
    ("Léonie Vautrin", "Le vrai nom de Pépette est Léonie Vautrin.", "Pépette ferme à midi."),
    ("Rutger Helm", "Since the wedding Rutger Helm is Rutger Maas.", "Rutger Maas has a new pass."),
    ("Cornelius Drost", "Cornelius Drost signed the plan.", "The last page is marked C. D."),
)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(("name", "says", "uses"), _LIVES)
def test_a_guess_makes_near_and_takes_nothing(
    embedded_stores: Stores, name: str, says: str, uses: str, *, backwards: bool
) -> None:
    memory = embedded_stores.open(embedding__model="none", entities__recognise="on")
    texts = [says, uses, f"{name} keeps bees.", "The rain has stopped at last."]
    told = {memory.remember(text).id: text for text in (texts[::-1] if backwards else texts)}
    receipt = memory.erase(entity=name)
    assert {told[one.id] for one in receipt.near} == {uses}
    assert {one.content for one in memory.memories()} - {None} == {uses, texts[3]}


@pytest.mark.parametrize(
    "again",
    ["Paula Stern, called Bo as well, sings.", "Bo is also the nickname of Paula Stern.", "Paula Stern heißt auch Bo."],
)
def test_a_name_that_may_be_anothers_too_takes_nothing(embedded_stores: Stores, again: str) -> None:
    memory = embedded_stores.open(embedding__model="none", entities__recognise="on")
    texts = ["Boniface Kamau, called Bo, is the foreman.", again, "Bo wore no helmet.", "Boniface Kamau signed."]
    told = {memory.remember(text).id: text for text in texts}
    receipt = memory.erase(entity="Boniface Kamau")
    assert {told[one.id] for one in receipt.near} == {again, texts[2]}
    assert {one.content for one in memory.memories()} - {None} == {again, texts[2]}


def test_an_agent_makes_no_name_anothers_too(embedded_stores: Stores) -> None:
    owner, agent = both(embedded_stores, entities__recognise="on")
    texts = ["Boniface Kamau, called Bonzo, is the foreman.", "The helmet of Bonzo is blue."]
    told = {owner.remember(text).id: text for text in texts}
    agent.remember("Bonzo is also the nickname of Paula Stern.")
    receipt = owner.erase(entity="Boniface Kamau", dry_run=True)
    assert {told.get(one.id) for one in receipt.memories} >= set(texts)


@pytest.mark.parametrize(
    "text",
    [
        "Ludmila Haas rang Roo about her test.",
        "Ludmila Haas met Verena in Kent.",
        "Ludmila Haas met Mrs. Ostrow in Kent.",
        "Ludmila Haas met V. O. in Kent.",
    ],
)
def test_who_shares_a_nickname_hides_nothing_of_the_other(embedded_stores: Stores, text: str) -> None:
    memory = embedded_stores.open(embedding__model="none", entities__recognise="on")
    memory.remember("Verena Ostrow, called Roo, lives in Kent.")
    memory.remember("Ludmila Haas, called Roo, sells cars.")
    said = memory.remember(text)
    assert said.id in {one.id for one in memory.erase(entity="Verena Ostrow", dry_run=True).near}


def test_a_shared_or_guessed_name_given_by_hand_is_near(embedded_stores: Stores) -> None:
    memory = embedded_stores.open(embedding__model="none", entities__recognise="on")
    memory.remember("Verena Ostrow, called Roo, lives in Kent.")
    memory.remember("Ludmila Haas, called Roo, sells cars.")
    memory.remember("Jorunn Vestad goes by Pebble.")
    shared, guessed = (memory.remember("the test was positive", mentions=[name]).id for name in ("Roo", "Pebble"))
    for name, ident in (("Verena Ostrow", shared), ("Ludmila Haas", shared), ("Jorunn Vestad", guessed)):
        assert ident in {one.id for one in memory.erase(entity=name, dry_run=True).near}


def test_one_sentence_with_a_name_makes_no_nickname_anothers(embedded_stores: Stores) -> None:
    memory = embedded_stores.open(embedding__model="none", entities__recognise="on")
    memory.remember("Verena Ostrow, called Roo, lives in Kent.")
    said = memory.remember("We saw Roo today.")
    memory.remember("Roo's daughter is called Ida Lind.")
    memory.remember("Roo put her name down for Paula Stern's party.")
    assert said.id in {one.id for one in memory.erase(entity="Verena Ostrow", dry_run=True).memories}


@pytest.mark.parametrize("names", [["Maria Silva has", "met Maria Silva"], ["Maria Silva Lives In Kent"]])
def test_no_longer_name_of_an_agents_takes_a_name_from_its_bearer(embedded_stores: Stores, names: list[str]) -> None:
    owner, agent = both(embedded_stores, entities__recognise="on")
    texts = ["Maria Silva has a cold.", "I met Maria Silva today.", "Maria Silva lives in Kent."]
    told = [owner.remember(text).id for text in texts]
    agent.remember("noted", mentions=names)
    agent.remember(". ".join(names))
    found = owner.erase(entity="Maria Silva", dry_run=True)
    assert {one.id for one in (*found.memories, *found.near)} >= set(told)
    assert not {one.id for one in found.namesakes} & set(told)
