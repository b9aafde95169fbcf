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
