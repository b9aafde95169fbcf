"""What is kept of texts to be quick is gone once something is erased."""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.kept_texts import forget_texts
from marskg.language.naming.asked import names_asked
from marskg.store.rows.name_rules import matcher_of

if TYPE_CHECKING:
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
