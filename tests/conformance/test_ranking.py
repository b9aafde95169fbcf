"""What the default ranking finds: turns through their neighbours, people by name, tastes as a family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.config import RankingWeights

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

MINUTE = 60_000


def contents(found: Any) -> list[str]:
    return [hit.memory.content for hit in found]


def _talk(memory: AgentMemory, session: str, start: int, *turns: tuple[str, str]) -> None:
    """Store ``turns``, pairs of a speaker and what they said, a minute apart from ``start``."""
    for number, (speaker, text) in enumerate(turns):
        memory.remember(
            f"{speaker}: {text}", kind="episodic", session=session, at=start + number * MINUTE, subjects=[speaker]
        )


def _small_talk(memory: AgentMemory, start: int) -> None:
    said = ("The bus was late again", "My printer broke", "The soup was too salty", "It may rain", "Great match!")
    for number, text in enumerate(said):
        _talk(memory, f"other{number}", start - (number + 2) * 86_400_000, ("Ann", text), ("Ben", "I see"))


def test_a_turn_is_found_by_the_one_that_it_answers(stores: Stores) -> None:
    memory = stores.open()
    now = memory.now()
    _small_talk(memory, now)
    # Told out of order: what counts is when it was said.
    _talk(memory, "s1", now - 50 * MINUTE, ("Ben", "Yes, last summer, with my brother"))
    _talk(memory, "s1", now - 51 * MINUTE, ("Ann", "Did you ever climb Triglav?"))
    assert "Ben: Yes, last summer, with my brother" in contents(memory.retrieve("Who climbed Triglav?", k=2))


def test_turns_that_something_hidden_stands_between_are_neighbours(stores: Stores) -> None:
    found = []
    for hidden in (False, True):
        memory = stores.open()
        now = memory.now()
        _small_talk(memory, now)
        _talk(memory, "s1", now - 50 * MINUTE, ("Ann", "Did you ever climb Triglav?"))
        if hidden:
            memory.remember(
                "Ann: Triglav, Triglav", kind="episodic", session="s1", at=now - 50 * MINUTE + 1000, sensitivity=0.9
            )
        _talk(memory, "s1", now - 49 * MINUTE, ("Ben", "Yes, last summer"))
        hits = memory.retrieve("Who climbed Triglav?", max_sensitivity=0.5)
        found.append([(hit.memory.content, hit.score) for hit in hits])
    assert found[0] == found[1]


def test_a_name_counts_for_what_is_about_that_person_unless_all_is(stores: Stores) -> None:
    memory = stores.open()
    now = memory.now()
    _talk(memory, "s1", now - 60 * MINUTE, ("Ann", "I started to paint in oil"))
    _talk(memory, "s2", now - 50 * MINUTE, ("Ben", "I started to paint in oil"))
    assert contents(memory.retrieve("What did Ben start?", k=1)) == ["Ben: I started to paint in oil"]
    assert contents(memory.retrieve("What did Ann start?", k=1)) == ["Ann: I started to paint in oil"]


@pytest.mark.parametrize("question", ["What music would you recommend?", "Can you suggest me some music?"])
def test_tastes_come_as_a_family_and_not_what_is_called_recommendations(stores: Stores, question: str) -> None:
    memory = stores.open()
    for number in range(6):
        memory.remember(
            f"The proposal's recommendations {number}: recommended controls, and a suggestion for each department",
            kind="semantic",
            key=f"document/project_{number}/recommendations",
            cardinality="single",
        )
    tastes = ["bebop", "symphonies", "Bill Evans", "nothing with drums before noon"]
    for taste in tastes:
        memory.remember(taste, kind="semantic", key="preference/music", cardinality="set")
    assert set(contents(memory.retrieve(question, k=4))) == set(tastes)


@pytest.mark.parametrize(
    "question",
    ["the of and", "?!…", "ᚠᚢᚦᚨᚱᚲ", "𒀀𒁀𒂀", "שלום where is Ann مرحبا", "word " * 12_000, "\u202eAnn\u202c"],
)
@pytest.mark.parametrize("texts", [["Ann moved to Oslo"], ["Ann moved to Oslo"] * 3, ["Yes", "No", "ok", "?", "."]])
def test_questions_without_a_word_to_look_up_are_answered_like_any(
    stores: Stores, question: str, texts: list[str]
) -> None:
    memory = stores.open()
    for number, text in enumerate(texts):
        memory.remember(text, kind="episodic", session="s1", at=memory.now() - (9 - number) * MINUTE)
    hits = memory.retrieve(question)
    assert len(hits) <= len(texts)
    assert all(0 <= hit.score <= 1 for hit in hits)


def _told_by(memory: AgentMemory) -> None:
    """Store what Ann and Ben said, in texts that name neither."""
    start = memory.now() - 60 * MINUTE
    said = ("My printer broke", "The soup was too salty", "I started to paint in oil", "It may rain", "Great match!")
    for number, text in enumerate(said):
        for place, speaker in enumerate(("Ann", "Ben")):
            memory.remember(
                f"{text} {'' if place else 'again'}".strip(),
                kind="episodic",
                session=f"s{number}",
                at=start + (2 * number + place) * MINUTE,
                subjects=[speaker],
            )


def _numbers(memory: AgentMemory, question: str, **options: Any) -> Any:
    hits = memory.retrieve(question, min_confidence=0, **options)
    return hits.confidence, [(hit.memory.content, hit.score, hit.why["lexical"]) for hit in hits]


def test_who_speaks_is_known_where_the_text_does_not_say_it(stores: Stores) -> None:
    memory = stores.open()
    _told_by(memory)
    hits = memory.retrieve("What did Ben start to paint?", min_confidence=0)
    assert contents(hits)[0] == "I started to paint in oil"
    why = {hit.memory.content: hit.why for hit in hits}
    own, other = why["I started to paint in oil"], why["I started to paint in oil again"]
    assert own["lexical"] > other["lexical"]
    # The answer is surer than one to a question after somebody of whom nothing is known.
    stranger = memory.retrieve("What did Zoe start to paint?", min_confidence=0)
    assert hits.confidence is not None
    assert stranger.confidence is not None
    assert hits.confidence > stranger.confidence
    # No name is paid for.
    assert "Ben" not in hits.as_text()


def test_a_name_that_only_hidden_memories_are_about_changes_nothing(stores: Stores) -> None:
    found = []
    for hidden in (False, True):
        memory = stores.open()
        _told_by(memory)
        if hidden:
            memory.remember("My printer broke", kind="episodic", session="s0", subjects=["Zoe"], sensitivity=0.9)
        found.append(_numbers(memory, "Did Zoe's printer break?", max_sensitivity=0.5))
    assert found[0] == found[1]


def test_a_name_leaves_the_ranking_with_what_was_erased(stores: Stores) -> None:
    memory = stores.open()
    _told_by(memory)
    before = _numbers(memory, "Did Zoe paint in oil?")
    memory.remember("I started to paint in oil, too", kind="episodic", session="s9", subjects=["Zoe"])
    assert _numbers(memory, "Did Zoe paint in oil?")[0] > before[0]
    memory.erase(subject="Zoe")
    after = _numbers(memory, "Did Zoe paint in oil?")
    assert [one[0] for one in after[1]] == [one[0] for one in before[1]]
    assert after[0] == before[0]


#: 11 March 2025, 9:00 UTC.
_MARCH = 1_741_683_600_000
_DAY = 86_400_000


def _own_word(memory: AgentMemory) -> str:
    told = "The boat costs nine thousand with the trailer"
    # As reliable, so that it does not yield whatever the weight.
    memory.remember(told, kind="episodic", session="s1", source_type="chat_assistant", reliability=1.0)
    return memory.remember(f"{told}, no less than that", kind="episodic", session="s2", source_type="chat_user").id


def _period(memory: AgentMemory) -> str:
    memory.remember("Ann painted the boat", kind="episodic", at=_MARCH + 92 * _DAY)
    return memory.remember("Ann painted the old boat again", kind="episodic", at=_MARCH).id


def _session(memory: AgentMemory) -> str:
    now = memory.now() - 9 * _DAY
    last: dict[str, str] = {}
    for number, topic in enumerate(("sourdough bread", "marathon training", "tax returns")):
        said = (f"We talk of {topic} today", f"So, {topic}", "Fine", f"It went better than in week {number}")
        for place, one in enumerate(said):
            at = now + number * _DAY + place * 9 * MINUTE
            last[topic] = memory.remember(one, kind="episodic", session=f"s{number}", at=at).id
    return last["marathon training"]


def _reply(memory: AgentMemory) -> str:
    now = memory.now() - _DAY
    for number, first in enumerate(("So the boat has a mast.", "What about the boat?")):
        memory.remember(first, kind="episodic", session=f"s{number}", at=now)
    memory.remember("I sold the boat", kind="episodic", session="s0", at=now + MINUTE)
    return memory.remember("I sold the boat, well", kind="episodic", session="s1", at=now + MINUTE).id


def _time(memory: AgentMemory) -> str:
    memory.remember("The boat is painted", kind="episodic")
    return memory.remember("The boat is painted at 7:30 in the harbour", kind="episodic").id


def _subject(memory: AgentMemory) -> str:
    _told_by(memory)
    (hit,) = memory.retrieve("oil", subjects=["Ben"], min_confidence=0, k=1)
    return hit.memory.id


#: By part: what stores memories of which one has more of it, returning its id, and the question.
_PARTS = {
    "own_word": (_own_word, "What does my boat cost?"),
    "period": (_period, "Who painted the boat in March 2025?"),
    "session": (_session, "How did it go with the marathon training?"),
    "reply": (_reply, "Who sold the boat?"),
    "time": (_time, "When is the boat painted?"),
    "subject": (_subject, "What did Ben start to paint in oil?"),
}


@pytest.mark.parametrize("part", _PARTS)
def test_each_part_of_the_ranking_counts_by_its_weight_and_is_told(stores: Stores, part: str) -> None:
    memory = stores.open()
    store, question = _PARTS[part]
    meant = store(memory)

    def score(weight: float) -> tuple[float, float]:
        memory.settings.set(None, {f"retrieval.weights.{part}": weight})
        hits = memory.retrieve(question, token_budget=4_000, min_confidence=0)
        (hit,) = [one for one in hits if one.memory.id == meant]
        return hit.score, hit.why.get(part, 0.0)

    usual, told = score(getattr(RankingWeights(), part))
    assert told > 0
    without, untold = score(0)
    assert untold == 0
    assert usual > without
    more, again = score(2 * getattr(RankingWeights(), part))
    assert (more > usual, again) == (True, told)


@pytest.mark.parametrize("part", ["own_word", "period", "time"])
def test_what_a_part_speaks_for_scores_highest(stores: Stores, part: str) -> None:
    memory = stores.open()
    store, question = _PARTS[part]
    meant = store(memory)

    def best() -> str:
        # By score: of two that say nearly the same the newer is shown first, whatever that is.
        return max(memory.retrieve(question), key=lambda hit: hit.score).memory.id

    assert best() == meant
    memory.settings.set(None, {f"retrieval.weights.{part}": 0})
    assert best() != meant
