"""What is kept of texts to be quick is gone once something is erased."""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.kept_texts import forget_texts
from marskg.language.naming.asked import names_asked
from marskg.store.rows.name_rules import matcher_of

if TYPE_CHECKING:
    from marskg.privacy.sensitivity import Assessor
    from tests.support.stores import Stores


def test_nothing_that_was_looked_for_is_kept_after_an_erasure(stores: Stores) -> None:
    forget_texts()
    memory = stores.open()
    gone = memory.remember("Tamsin Orrel keeps bees behind the mill")
    memory.learning.wish("forget about Tamsin Orrel")
    memory.privacy.match_erasure(entity="Tamsin Orrel")
    kept = (names_asked, matcher_of)
    assert sum(one.cache_info().currsize for one in kept) > 0
    memory.erase(id=gone.id)
    assert sum(one.cache_info().currsize for one in kept) == 0


def test_no_text_that_was_redacted_for_a_reader_is_kept_after_an_erasure(stores: Stores) -> None:
    memory = stores.open(sensitivity__assess="off")
    gone = memory.remember("Tamsin Orrel is at tamsin@orrel.example", metadata={"also": "orrel@example.org"})
    reader = stores.open_as(memory, "reader:bot?ceiling=0.1")
    assert len(reader.retrieve("where is Tamsin Orrel", metadata={"also": "orrel@example.org"})) == 0
    assert reader.get(gone.id).content == "Tamsin Orrel is at [EMAIL]"  # type: ignore[union-attr]  # it is there
    assessor = reader._components.assessor
    assert "tamsin@" in _held(assessor)
    memory.erase(id=gone.id)
    assert "orrel" not in _held(assessor).lower()


def _held(assessor: Assessor) -> str:
    """Return all that an assessor's redactor and its reading ahead hold, as a text."""
    detector = assessor._detector
    held = () if assessor._redactor is None else (assessor._redactor[1]._shown, assessor._redactor[1]._kept)
    return repr((held, None if detector is None else detector._topics._ahead))
