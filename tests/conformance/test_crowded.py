"""On every engine: what was said again and again leaves room for what else is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.drafts import Draft
from marskg.ontology.vocabulary import Kind

if TYPE_CHECKING:
    from tests.support.stores import Stores

OFTEN = "I like tea very much."
TASTES = ("I like chess on Sundays", "I like the sea", "I like my old bike")


def test_what_was_said_a_thousand_times_is_shown_once_beside_what_else_there_is(stores: Stores) -> None:
    memory = stores.open()
    texts = [*TASTES, *[OFTEN] * 1_000, "The office is in Kiel", OFTEN]
    start = memory.now() - 10_000_000
    memory.remember_many(
        Draft(ref=str(place), kind=Kind.EPISODIC, content=text, at=start + 1_000 * place)
        for place, text in enumerate(texts)
    )
    found = memory.retrieve("What do I like?", token_budget=500)
    assert {*TASTES, OFTEN} <= {hit.memory.content for hit in found}
    assert [hit.memory.content for hit in found].count(OFTEN) == 1
    assert next(hit.memory.valid_from for hit in found if hit.memory.content == OFTEN) == start + 1_000 * (
        len(texts) - 1
    )
    whole = [hit.memory.id for hit in memory.retrieve("What do I like?", k=50, token_budget=500)]
    for k in range(1, len(whole)):
        assert [hit.memory.id for hit in memory.retrieve("What do I like?", k=k, token_budget=500)] == whole[:k]


def test_equal_entries_of_a_ledger_are_not_taken_for_one(stores: Stores) -> None:
    memory = stores.open()
    for _ in range(120):
        memory.remember("Coffee for 3 euros", kind="semantic", key="expenses/coffee", cardinality="append", keep=True)
    assert len(memory.retrieve("coffee", token_budget=5_000)) > 60
