"""An erasure is silent of nobody whose whole name a text has, whatever stands around it, and takes no place for one."""

# ruff: noqa: RUF001 - names as they are written

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.stores import Stores

#: Who is erased, and what has to be taken or listed.
KNOWN = {
    "Ruben Haverkamp": ["Die Rechnung von Ruben Haverkamp ist da", "Die Diagnose von Ruben Haverkamp fehlt"],
    "Emre Doğan": ["anahtarı Emre Doğan'a verdim", "Emre Doğan'ın arabası kırmızı"],
    "Tóth Judit": ["Add oda Tóth Juditnak a füzetet", "Beszéltem Tóth Judittal a vizsgáról"],
    "Ayşe Güler": ["Ayşe Hanım perdeleri bitirdi"],
    "Rosário Pimentel": ["A Dona Rosário deixou o ferro ligado"],
    "Eugen Strohm": ["Eugens Säge ist stumpf"],
}  # fmt: skip
PLACES = {
    "Virginia Beach": "we spent a week in Virginia Beach, the water was cold",
    "Hugo Boss": "I bought a Hugo Boss suit for the wedding",
    "Concha Espina": "la avenida de Concha Espina está cortada",
}


@pytest.mark.parametrize("order", [1, -1], ids=["as told", "backwards"])
@pytest.mark.parametrize("name", KNOWN)
def test_nobody_is_passed_over_for_an_ending_a_title_or_whose_it_is(stores: Stores, name: str, order: int) -> None:
    memory = stores.open(embedding__model="none")
    said = [memory.remember(text) for text in [f"{name} lives upstairs", *KNOWN[name]][::order]]
    other = memory.remember("the lift stops between two floors")
    receipt = memory.erase(entity=name)
    left = {one.id for one in memory.memories() if one.content is not None}
    near = {one.id for one in receipt.near}
    assert all(one.id in near or one.id not in left for one in said)
    assert other.id in left - near


@pytest.mark.parametrize("name", PLACES)
def test_a_place_or_a_thing_that_a_person_is_named_like_is_listed_and_left(stores: Stores, name: str) -> None:
    memory = stores.open(embedding__model="none")
    memory.remember(f"{name} lives upstairs and called about the rent", subjects=["me"])
    there = memory.remember(PLACES[name])
    receipt = memory.erase(entity=name)
    assert there.id in {one.id for one in receipt.near}
    assert PLACES[name] in [one.content for one in memory.memories()]
