"""Long memories are found by one sentence of theirs and shown around it, on every engine, also those stored before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from marskg.embedding.static import StaticEmbedding
from marskg.store.unit.vectors import model_name, packed_by, tag, unpacked_passages
from marskg.text import passages

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

NEEDLE = "The deed of the mill lies in the blue tin behind the clock."
FILLER = "The wheel of the old cart turned slowly past the barn, the ferry and the long stone wall. "
LONG = f"{FILLER * 20}{NEEDLE} {FILLER * 20}"
MODEL = StaticEmbedding()
PREFIX = tag(model_name(MODEL))
#: Pages that are about this product, and questions about what is not and what is in them.
DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("encrypt", "erase-on-neo4j", "import", "keys", "policies", "preferences", "principals")
STRANGE = (
    "How often does the ferry to the island run in winter?",
    "Which instrument did my grandmother play?",
    "Why did the tomatoes die last summer?",
    "What did the dentist say about my wisdom tooth?",
    "Who won the chess tournament at school?",
    "How much flour goes into the bread?",
    "Where did we spend the night after the wedding?",
    "What colour is the new bicycle?",
    "When does the swimming pool open on Sundays?",
    "Which of the two painters did she like better?",
    "How tall is the lighthouse?",
    "What was wrong with the brakes of the car?",
)
ANSWERED = (
    "How do I erase a person on Neo4j?",
    "How are keys rotated?",
    "How do I import a conversation?",
    "Which policies evict memories?",
    "How is a new store encrypted?",
)


def _stored(memory: AgentMemory, ident: str) -> str:
    (row,) = memory._opened.reader.run("index_rows", {"refs": memory._opened.reader.refs([ident])})
    found: str = row["embedding"]
    return found


def _with_note(stores: Stores) -> tuple[AgentMemory, str]:
    memory = stores.open()
    for number in range(12):
        memory.remember(f"The mill turned {number} times", session="day")
    return memory, memory.remember(LONG, kind="semantic").id


@pytest.mark.parametrize("budget", [60, 120, 2_000])
def test_a_long_memory_is_shown_around_the_sentence_that_answers(stores: Stores, budget: int) -> None:
    memory, ident = _with_note(stores)
    found = memory.retrieve("in which tin is the deed of the mill?", token_budget=budget)
    assert found.tokens <= budget
    (hit,) = [hit for hit in found if hit.memory.id == ident]
    assert NEEDLE in (hit.memory.content or "")
    assert hit.shortened == ("…" in (hit.memory.content or "")) == (budget < 2_000)
    kept = memory.get(ident)
    assert kept is not None
    assert kept.content == LONG


def test_the_excerpt_is_of_the_passage_that_was_found_though_it_has_no_word_of_the_question(stores: Stores) -> None:
    memory = stores.open()
    told = "Our physician prescribed penicillin against her fever. "
    memory.remember(f"{FILLER * 20}{told * 4}{FILLER * 20}", kind="semantic")
    (hit,) = memory.retrieve("which medicine did a doctor recommend?", token_budget=150, min_confidence=0)
    assert hit.shortened
    assert told.strip() in (hit.memory.content or "")


@pytest.mark.parametrize(
    "settings",
    [
        {"embedding.model": "none"},
        {"retrieval.weights.lexical": 0, "retrieval.weights.session": 0},
    ],
    ids=["by words", "by vectors"],
)
def test_a_long_memory_counts_by_one_passage_and_not_by_words_that_are_scattered_over_it(
    stores: Stores, settings: dict[str, object]
) -> None:
    memory = stores.open()
    memory.settings.set(None, settings)
    words = ("The deed is done. ", "A blue tin fell down. ", "A clock struck two. ", "They came to the mill. ")
    memory.remember(FILLER * 8 + (FILLER * 8).join(words) + FILLER * 8, kind="semantic")
    meant = memory.remember(f"{FILLER * 20}{NEEDLE} {FILLER * 20}", kind="semantic").id
    hits = memory.retrieve("in which blue tin behind the clock is the deed of the mill?", min_confidence=0)
    assert hits[0].memory.id == meant
    assert hits[0].score > hits[1].score + 0.02


def test_long_memories_leave_room_for_others_and_take_what_these_leave(stores: Stores) -> None:
    memory = stores.open()
    notes = [
        memory.remember(f"{FILLER * 20}The {name} of the mill is {name}. {FILLER * 20}").id for name in ("bell", "gate")
    ]
    short = memory.remember("The rent of the mill is due in May").id
    found = memory.retrieve("what is known of the mill, its bell, its gate and its rent?", token_budget=400)
    assert {hit.memory.id for hit in found} == {*notes, short}
    assert found.tokens > 300


def test_passages_of_memories_stored_before_are_made_up(stores: Stores) -> None:
    memory, ident = _with_note(stores)
    whole = _stored(memory, ident)
    assert unpacked_passages(whole, PREFIX, MODEL.dimension).shape[0] == len(passages(LONG))
    alone = packed_by(MODEL, ["short"])[0]
    (ref,) = memory._opened.reader.refs([ident])
    with memory._writer.alone():
        memory._writer.put("set_embeddings", {"rows": [{"ref": ref, "embedding": whole[: len(alone)]}]})
    memory._reading.view.forget()
    memory.retrieve("in which tin is the deed of the mill?")
    assert _stored(memory, ident) == whole


def test_an_id_and_a_date_that_does_not_exist_are_understood_in_any_question(stores: Stores) -> None:
    memory, ident = _with_note(stores)
    assert memory.retrieve(f"what is {ident}?")[0].memory.id == ident
    assert any("no calendar has" in notice for notice in memory.retrieve("where was the mill on 30 February?").notices)


def test_pages_of_prose_are_not_shown_for_a_question_that_nothing_in_them_answers(stores: Stores) -> None:
    # The default, which other tests turn off.
    memory = stores.open(retrieval__min_confidence=0.5)
    for page in PAGES:
        text = (DOCS / f"how-to/{page}.md").read_text(encoding="utf-8")
        for start in range(0, len(text), 3_000):
            memory.remember(text[start : start + 3_000], source_type="chat_assistant", session=page)
    assert [one for one in STRANGE if any(hit.certain for hit in memory.retrieve(one, token_budget=1_000))] == []
    assert [one for one in ANSWERED if not memory.retrieve(one, token_budget=1_000)[0].certain] == []
