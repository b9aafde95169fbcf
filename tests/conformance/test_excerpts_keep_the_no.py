"""No prompt, and no text that maintenance shortened, shows a sentence of the user's without its "not"."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from marskg.language.whole_sentences import whole_sentences

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores


def said() -> list[tuple[str, str]]:
    """Return sentences in ten languages that deny something, each with what is asked."""
    found, question = [], ""
    for line in (Path(__file__).parents[1] / "data" / "denying-sentences.txt").read_text("utf-8").splitlines():
        if line.startswith("# "):
            question = line[2:]
        else:
            found.append((question, line.replace("\\n", "\n")))
    return found


#: What denies stands at the beginning, in the middle or at the end.
ALL = said()
BEFORE, BEHIND = "The kettle is filled with water.", "Then the cups are put on the table."
BUDGETS = range(10, 121, 5)


def whole_or_gone(shown: str, text: str) -> bool:
    """Return whether ``shown`` has all of ``text``, or no four words of it one after another."""
    shown, text = " ".join(shown.replace(" / ", " ").split()), " ".join(text.split())
    words = text.split() if " " in text else [*text]
    glue = " " if " " in text else ""
    pieces = (glue.join(words[place : place + 4]) for place in range(len(words) - 3))
    return text in shown or not any(piece in shown for piece in pieces)


def test_there_are_thirty_sentences() -> None:
    assert len(ALL) >= 30
    assert all(len(whole_sentences(text)) == 1 for _, text in ALL), [t for _, t in ALL if len(whole_sentences(t)) > 1]


def told(stores: Stores, text: str, **settings: Any) -> AgentMemory:
    memory = stores.open(**settings)
    memory.remember(text, session="a")
    stores.clock(memory).advance(10_000)
    return memory


@pytest.mark.parametrize(("question", "text"), ALL)
@pytest.mark.parametrize("frame", ["{}", f"{BEFORE} {{}} {BEHIND}"])
def test_a_prompt_shows_a_sentence_that_denies_whole_or_not_at_all(
    stores: Stores, question: str, text: str, frame: str
) -> None:
    memory = told(stores, frame.format(text))
    seen = set()
    for budget in BUDGETS:
        found = memory.retrieve(question, token_budget=budget, conversation="a" if budget % 2 else None)
        assert found.tokens <= budget
        messages = "\n".join(one["content"] for one in found.as_messages())
        data = "\n".join(one["content"] for one in found.as_dict()["memories"])
        hits = "\n".join(hit.memory.content or "" for hit in found)
        for shown in (found.as_text(), messages, data, hits):
            assert whole_or_gone(shown, text), (budget, shown)
            seen.add(" ".join(text.split()) in " ".join(shown.replace(" / ", " ").split()))
    assert seen == {True, False}


@pytest.mark.parametrize(("question", "text"), ALL)
def test_maintenance_shortens_to_whole_sentences(stores: Stores, question: str, text: str) -> None:
    more = " ".join(f"In step {number} the kettle is filled and emptied." for number in range(4))
    for content in (text, f"{text} {more}", f"{more} {text}"):
        memory = told(
            stores, content, lean__compress_below=100, lean__compress_longer_than=24, lean__archive_below=None
        )
        memory.remember("And then?", session="a")
        memory.maintain()
        live = [one.content or "" for one in memory.memories() if one.tier == "live"]
        assert all(whole_or_gone(one, text) for one in live), live
        assert whole_or_gone(memory.retrieve(question).as_text(), text)


def test_maintenance_still_shortens_what_has_short_sentences(stores: Stores) -> None:
    more = " ".join(f"In step {number} the kettle is filled and emptied." for number in range(8))
    memory = told(stores, more, lean__compress_below=100, lean__compress_longer_than=32, lean__archive_below=None)
    memory.remember("And then?", session="a")
    assert len(memory.maintain().shortened) == 1


def test_a_running_summary_takes_whole_sentences(stores: Stores) -> None:
    question, text = ALL[5]
    memory = told(stores, f"{text} {BEHIND}")
    for budget in range(40, 200, 20):
        shown = memory.retrieve(question, token_budget=budget, conversation="a").as_text()
        assert whole_or_gone(shown, text), shown


def test_of_a_document_a_run_without_an_end_is_parted_only_if_it_denies_nothing(stores: Stores) -> None:
    run = "and then the garden is watered and the zebra sleeps in the barn near the old house with the people "
    for text, parted in ((run * 10, True), (f"{run * 9} but the door is never open", False)):
        memory = stores.open()
        memory.remember(text, kind="semantic", source_type="doc")
        stores.clock(memory).advance(10_000)
        shown = memory.retrieve("where does the zebra sleep?", token_budget=60).as_text()
        assert ("zebra" in shown) is parted
        memory = told(stores, text)
        assert "zebra" not in memory.retrieve("where does the zebra sleep?", token_budget=60).as_text()
