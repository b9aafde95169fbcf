"""What the store does for all memories at once agrees with the rule for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from marskg.clock import DAY_MS
from marskg.language.wish_kinds import Wish, WishKind
from marskg.learning.rules.wish_effects import matches
from marskg.learning.wish_reach import Reach
from marskg.retrieval.index.memory_index import MemoryIndex
from marskg.retrieval.query.profile import load_profile
from marskg.retrieval.query.ranking import Ranker, make_query
from marskg.store.rows.score_decay import Fading

if TYPE_CHECKING:
    from typing import Any

WORDS = st.sampled_from(
    [
        "tomatoes",
        "basil",
        "garden",
        "trip",
        "budget",
        "coffee",
        "the",
        "in",
        "Rome",
        "films",
        "a@b.no",
        "a@b.no.uk",
        "张伟",
    ]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)


def row(number: int, content: str, **fields: Any) -> dict[str, Any]:
    """Return a row as ``index_rows`` gives it."""
    names = (
        "kind tier key cardinality created validFrom validTo supersededAt unaffirmedSince expiresAt sensitivity "
        "reliability score lastAccess accessCount weight memoryClass sourceType session subjects intentTags purpose "
        "jurisdiction status deadline amount generalityScore pinned embedding"
    )
    base: dict[str, Any] = dict.fromkeys(names.split())
    return base | {"id": f"urn:uuid:{number}", "sequence": number, "content": content, "tier": "live", **fields}


@given(TEXTS, st.lists(st.tuples(TEXTS, st.lists(WORDS, max_size=2)), min_size=1, max_size=8))
def test_a_wish_acts_on_exactly_the_memories_that_it_is_about(
    topic: str, memories: list[tuple[str, list[str]]]
) -> None:
    index = MemoryIndex(0)
    for number, (content, tags) in enumerate(memories):
        index.put(row(number, content, intentTags=tags), (), None)
    wish = Wish(WishKind.MORE, topic)
    expected = [f"urn:uuid:{number}" for number, (text, tags) in enumerate(memories) if matches(wish, text, tags)]
    texts = {f"urn:uuid:{number}": (text, *tags) for number, (text, tags) in enumerate(memories)}
    reach = Reach(lambda ids: ((ident, texts[ident]) for ident in ids))
    found = reach.about(index, wish, frozenset())
    assert [index.ids[row] for row in np.flatnonzero(found).tolist()] == expected


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(-5, 2_000)), min_size=1, max_size=20))
def test_ranking_fades_scores_as_the_rule_for_one_does(held: list[tuple[int, int]]) -> None:
    now, fading = 10_000 * DAY_MS, Fading()
    index = MemoryIndex(0)
    for number, (score, idle) in enumerate(held):
        fields = {"score": score, "lastAccess": now - idle * DAY_MS, "validFrom": now, "created": 0}
        index.put(row(number, "tomatoes", memoryClass="factual", sourceType="doc", kind="semantic", **fields), (), None)
    query = make_query("tomatoes", None, now, fading)
    ranker = Ranker(index, np.ones(len(held), dtype=np.bool_), query, load_profile("memoryarchitect"), restricted=False)
    found = {item.row: item.why["score"] for item in ranker.rank(len(held)).found}
    assert found == {number: fading.worth(score, idle * DAY_MS) * 10_000 for number, (score, idle) in enumerate(held)}
