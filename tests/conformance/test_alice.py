"""Alice's garden: the extended example of MemoryArchitect (section III.B), session by session.

What must come back does, what must have expired is gone, and the scores after each session are the paper's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from marskg.retrieval.assembly.hits import Hits
    from tests.support.stores import Stores

DAY = 86_400_000
SUN = "Tomatoes need 6-8 hours of sun daily"
WATER = "Water tomatoes deeply 2-3 times per week rather than daily"
SOIL = "Ideal soil temperature for tomato germination is above 18°C (65°F)"
LEAVES = "Yellow leaves on tomato plants are often a sign of overwatering or nutrient deficiency"
DRAINAGE = "Improving drainage: use well-draining potting mix, ensure containers have drainage holes"
COOKING = "A ragout of tomatoes simmers for three hours with wine and bay leaves"


def know(memory: AgentMemory, text: str, *, tag: str = "gardening") -> str:
    kept = memory.remember(
        text, kind="semantic", source_type="doc", memory_class="canonical", intent_tags=[tag], subjects=["alice"]
    )
    return kept.id


def chat(memory: AgentMemory, session: str, question: str, answer: str, *, ttl: str) -> None:
    """Keep a turn of the conversation, as the paper does: chunks U and A, that live for a while."""
    for text, source in ((question, "chat_user"), (answer, "chat_assistant")):
        memory.remember(
            text, session=session, source_type=source, intent_tags=["gardening"], subjects=["alice"], ttl=ttl
        )


def ask(memory: AgentMemory, question: str, **wanted: Any) -> Hits:
    return memory.retrieve(question, profile="memoryarchitect", subjects=["alice"], **wanted)


def shown(hits: Hits) -> list[str | None]:
    return [hit.memory.content for hit in hits]


def score(memory: AgentMemory, ident: str) -> int:
    found = memory.get(ident)
    assert found is not None
    return found.score


class Garden:
    """Alice's memory, and what was learned about her garden by name."""

    def __init__(self, stores: Stores) -> None:
        # The paper's table of lives: its scenario stands on it.
        self.memory = stores.open(lives="memoryarchitect")
        self._clock = stores.clock(self.memory)
        self.ids: dict[str, str] = {}

    def learn(self, text: str) -> None:
        self.ids[text] = know(self.memory, text)

    def later(self, days: int) -> None:
        self._clock.advance(days * DAY)
        self.memory.maintenance.expire()
        self.memory.maintenance.expire()

    def scores(self, *texts: str) -> list[int]:
        return [score(self.memory, self.ids[text]) for text in texts]

    def answered(self) -> str:
        """Return the assistant's turn of the first session."""
        turns = self.memory.memories()
        return next(item.id for item in turns if item.source_type == "chat_assistant" and item.session == "s1")


def session_1(garden: Garden) -> None:
    """Three facts answer, two of them are used."""
    memory = garden.memory
    for text in (SUN, WATER, SOIL):
        garden.learn(text)
    know(memory, COOKING, tag="cooking")
    question = "I'm starting a garden. What should I know about growing tomatoes?"
    hits = ask(memory, question, k=3, tags=["gardening"])
    assert set(shown(hits)) == {SUN, WATER, SOIL}
    assert [hit.memory.score for hit in hits] == [50, 50, 50]
    answer = (
        "To grow tomatoes, make sure they get 6-8 hours of sun each day. Water them deeply about 2-3 times per week "
        "rather than a little every day, so the roots grow strong."
    )
    feedback = memory.feedback(hits.id or "", question=question, answer=answer)
    used = {item.id for item in feedback.assessed if item.outcome == "used"}
    assert used == {garden.ids[SUN], garden.ids[WATER]}
    assert garden.scores(SUN, WATER, SOIL) == [60, 60, 45]
    chat(memory, "s1", question, answer, ttl="7d")
    assert {item.score for item in memory.memories() if item.session == "s1"} == {30}


def session_2(garden: Garden) -> None:
    """The next day: the fact comes before the turn in which it was told."""
    memory = garden.memory
    told = garden.answered()
    hits = ask(memory, "Remind me how often I should water my tomatoes.", k=6)
    assert shown(hits)[0] == WATER
    assert told in [hit.memory.id for hit in hits]
    memory.feedback(hits.id or "", used=[garden.ids[WATER]], unused=[told])
    assert garden.scores(WATER) == [70]
    assert score(memory, told) == 28


def session_3(garden: Garden, told: str) -> None:
    """A week later: the conversation has expired, what was learned has not."""
    memory = garden.memory
    assert memory.get(told) is None
    assert not [item for item in memory.memories() if item.session == "s1" and item.content is not None]
    garden.learn(LEAVES)
    question = "My tomatoes have yellow leaves. What could be wrong? Is it how often I water them, or the sun?"
    hits = ask(memory, question, k=4)
    assert shown(hits)[0] == LEAVES
    assert {WATER, SUN} <= set(shown(hits))
    assert COOKING not in shown(hits)
    useful = [garden.ids[LEAVES], garden.ids[WATER]]
    memory.feedback(hits.id or "", used=useful, unused=[hit.memory.id for hit in hits if hit.memory.id not in useful])
    assert garden.scores(LEAVES, WATER, SUN) == [60, 75, 55]
    chat(memory, "s3", "My tomatoes have yellow leaves.", "You may be overwatering them.", ttl="7d")


def session_4(garden: Garden) -> None:
    """The same day: the last turns come along with what is remembered."""
    garden.learn(DRAINAGE)
    question = "I think I might be overwatering then. How can I improve drainage?"
    hits = ask(garden.memory, question, k=4, conversation="s3", token_budget=300)
    assert DRAINAGE in shown(hits)
    assert {"My tomatoes have yellow leaves.", "You may be overwatering them."} <= set(shown(hits))
    assert [message["role"] for message in hits.as_messages()] == ["system", "user", "assistant"]
    garden.memory.feedback(hits.id or "", used=[garden.ids[DRAINAGE]])
    assert garden.scores(DRAINAGE) == [60]


def test_alice_and_her_garden(stores: Stores) -> None:
    garden = Garden(stores)
    memory = garden.memory
    session_1(garden)
    told = garden.answered()
    garden.later(days=1)
    session_2(garden)
    garden.later(days=7)
    session_3(garden, told)
    session_4(garden)
    # What the paper asks of an audit: what is remembered of a topic and why, and that what was to go is gone.
    found = memory.read_all(tags=["gardening"], kinds=["semantic"])
    assert {hit.memory.content for hit in found} == {SUN, WATER, SOIL, LEAVES, DRAINAGE}
    whats = [event.what for event in memory.explain(garden.ids[WATER]).events]
    assert whats.count("assessed after it was shown") == 3
    assert memory.explain(told).state.startswith("gone: it was expired")
    assert memory.privacy.retention("intent_bound", "30d").ok
    assert memory.verify().ok
    assert memory.validate(full=True).ok
