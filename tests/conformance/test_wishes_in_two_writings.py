"""A wish that writes one name in two ways is about both; the same on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.stores import Stores

_OTHER = "The printer has a new cable"


def _meant(stores: Stores, wish: str, *texts: str) -> set[str]:
    """Return which of ``texts`` a wish to forget is about."""
    memory = stores.open(embedding__model="none", entities__recognise="on")
    told = {memory.remember(text).id: text for text in (*texts, _OTHER)}
    found = memory.learning.wish(f"forget {wish}")
    return {told[ident] for one in found for ident in one.about}


@pytest.mark.parametrize(
    ("wish", "texts"),
    [
        (
            "Petros Vlahos / Πέτρος Βλάχος",
            ("Tenant Πέτρος Βλάχος is on the list", "Same tenant Petros Vlahos (Latin) pays monthly"),
        ),
        ("Irina (Ирина)", ("Ирина sang", "The same Irina (English) rang")),
        ("Osaka / 大阪 branch", ("The branch 大阪 reports weekly", "Same branch Osaka (English) has ninety people")),
        ("Joerg / Jörg", ("Subscriber Jörg 🎈 renewed", "Same subscriber as Joerg has an issue")),
        ("Zoe Lefevre / Zoé Lefèvre", ("Reader Zoé Lefèvre wrote", "Same reader as Zoe Lefevre is late")),
    ],
)
def test_both_writings_are_meant(stores: Stores, wish: str, texts: tuple[str, ...]) -> None:
    assert _meant(stores, wish, *texts) == set(texts)


def test_two_people_are_not_two_writings(stores: Stores) -> None:
    found = _meant(stores, "Petra Vogt / Hans Ebel", "Petra Vogt sings", "Hans Ebel (Berlin) swims")
    assert found == {"Petra Vogt sings"}
