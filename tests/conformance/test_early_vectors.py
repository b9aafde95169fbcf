"""On every engine: what is written is found before the vector of the default encoder is made, and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from tests.support.stores import Stores

LIFE = (
    "I moved to Porto in spring",
    "My dentist is Dr Ruiz, two streets from here",
    "Mein Bruder arbeitet als Gärtner in Kiel",
    "Our standup is at nine now",
)


def test_what_is_written_is_found_before_its_vector_is_made_and_after(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MARS_EMBEDDING")
    memory = stores.open()
    assert memory.settings.current.embedding.model == "e5"
    for text in LIFE:
        memory.remember(text, session="s")
    assert next(iter(memory.retrieve("Who is my dentist?"))).memory.content == LIFE[1]
    assert memory._components.late.finish(60)
    assert memory.stats()["without_vector"] == 0
    assert next(iter(memory.retrieve("Where do I go with a toothache?"))).memory.content == LIFE[1]
    assert memory.verify().ok
