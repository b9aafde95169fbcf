"""The step of the reranker: who is sent, and who changes places with whom."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from marskg.config import RetrievalSettings
from marskg.retrieval.assembly.candidate import rank_order
from marskg.retrieval.query.reranked import Reranking, reordered
from tests.support.candidates import candidate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.retrieval.assembly.candidate import Candidate

WHY = {"lexical": 1}


class Backwards:
    """Prefers what comes last; keeps what it was sent."""

    name = "backwards"

    def __init__(self, *, leaves: bool) -> None:
        self.leaves = leaves
        self.sent: list[str] = []

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        assert question == "what?"
        self.sent += texts
        return [float(place) for place in range(len(texts))]


def ranked(*scores: int) -> list[Candidate]:
    return [replace(candidate(number, score=score), why=WHY) for number, score in enumerate(scores)]


def step(reranker: Backwards, most: int = 50) -> Reranking:
    settings = RetrievalSettings(reranker="backwards", rerank=most)
    return Reranking(lambda: settings, lambda: 0, "alice", lambda _: reranker)


@pytest.mark.parametrize("leaves", [True, False])
def test_texts_of_a_shared_tenant_stay_in_the_process(leaves: bool) -> None:  # noqa: FBT001 - a column of the table
    own = ranked(4, 3, 2, 1)
    shared = replace(own[1], memory=replace(own[1].memory, tenant="team"))
    reranker = Backwards(leaves=leaves)
    found, notices = step(reranker)("what?", [own[0], shared, own[2], own[3]])
    order = [one.id for one in rank_order(found)]
    assert not notices
    assert (shared.content in reranker.sent) is not leaves
    # What is not sent keeps its place among all.
    assert order == (["m3", "m1", "m2", "m0"] if leaves else ["m3", "m2", "m1", "m0"])


def test_what_no_search_found_is_not_sent_and_keeps_its_place() -> None:
    base = candidate(9, score=0)
    reranker = Backwards(leaves=False)
    found, _ = step(reranker)("what?", [*ranked(4, 3), base])
    assert base.content not in reranker.sent
    assert [one.id for one in found] == ["m1", "m0", "m9"]
    assert found[2] is base


def test_equal_ranks_still_follow_the_reranker_and_negative_ones_too() -> None:
    found = reordered(ranked(7, 7, 7, -2), ranked(7, 7, 7, -2), [0.0, 1.0, 1.0, 5.0])
    assert [one.id for one in rank_order(found)] == ["m3", "m1", "m2", "m0"]
    assert [one.score for one in rank_order(found)] == [7, 6, 5, -2]
    assert found[0].why == {"lexical": 1, "reranker": 5_000_000}


def test_a_question_that_asks_nothing_is_not_reranked() -> None:
    reranker = Backwards(leaves=False)
    given = ranked(2, 1)
    assert step(reranker)("", given) == (given, ())
    assert not reranker.sent
