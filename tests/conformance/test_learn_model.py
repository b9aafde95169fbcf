"""Learning from text with a language model, on every engine: what it is asked, what is kept, and what waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.learning.from_text.plan import Learned
from marskg.ontology.vocabulary import Kind
from tests.support.chat_server import chat_server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.memory import AgentMemory
    from tests.support.chat_server import ChatServer
    from tests.support.stores import Stores

WORDS = "Rehearsals are in the studio in Lund these days."
FACT = {
    "operation": "add", "kind": "semantic", "text": "Ana rehearses in a studio in Lund", "quote": WORDS, "key": None,
    "value": None, "old": None, "amount": None, "unit": None, "subjects": ["Ana"], "when": None, "confidence": 0.9,
}  # fmt: skip


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.model = lambda texts: {"facts": [FACT] if WORDS in texts.values() else []}
        running.usage = {"prompt_tokens": 300, "completion_tokens": 40}
        yield running


def opened(stores: Stores, server: ChatServer, tenant: str, **values: Any) -> AgentMemory:
    return stores.open(tenant, models__extract=f"openai:m@{server.url}", models__limit__wait="5s", **values)


def said(text: str, **fields: Any) -> dict[str, Any]:
    return {"content": text, "timestamp": "2026-02-01T10:00:00Z", "speaker": "Ana", "session": "talk", **fields}


def learn(mem: AgentMemory, *turns: Any) -> Learned:
    found = mem.learn(list(turns))
    assert isinstance(found, Learned)
    return found


def facts(mem: AgentMemory) -> list[str]:
    found = (one for one in mem.memories() if one.kind is not Kind.EPISODIC and one.current and one.tier == "live")
    return sorted(one.content or "" for one in found)


def test_a_model_adds_to_the_rules_and_its_prompt_is_named(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server, "adds")
    found = learn(mem, said(f"I live in Oslo. {WORDS}"))
    assert facts(mem) == ["Ana lives in Oslo"]
    server.model = lambda _: {"facts": [FACT]}
    found = learn(mem, said(WORDS))
    (fact,) = found.facts
    stored = mem.get(fact)
    assert stored is not None
    assert (stored.content, found.unread) == (FACT["text"], 0)
    assert ":model:" in stored.made_by[0]
    assert ":extract.v1:" in stored.made_by[0]
    assert learn(mem, said(WORDS)).facts == ()
    asked = len(server.requests)
    plan = mem.learn(said("I live in Rome", session="plan"), dry_run=True)
    assert len(plan.steps) == 1
    assert len(server.requests) == asked
    assert mem.learning.undo(stored.made_by[0].split(":")[3]).ended == (fact,)
    assert mem.verify().findings == ()


def test_what_a_model_could_not_read_waits_and_the_rules_have_read_it(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server, "waits")
    server.statuses = [500] * 9
    found = learn(mem, said("I live in Oslo."), said(WORDS))
    assert facts(mem) == ["Ana lives in Oslo"]
    assert (found.unread, len(found.notices) > 0) == (2, True)
    server.statuses = []
    other = opened(stores, server, "waits")
    found = other.learning.read_backlog()
    assert (len(found.turns), found.unread) == (2, 0)
    assert facts(mem) == ["Ana lives in Oslo", FACT["text"]]
    assert mem.validate(full=True).findings == ()
    assert mem.verify().findings == ()


def test_a_limit_of_the_day_holds_in_the_next_handle(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server, "limit", models__limit__day=2_500)
    learn(mem, said(WORDS))
    asked = len(server.requests)
    assert asked == 1
    for handle in (mem, opened(stores, server, "limit", models__limit__day=2_500)):
        server.usage = {"prompt_tokens": 2_000, "completion_tokens": 400}
        learn(handle, said(f"{WORDS} Again!", timestamp=f"2026-02-0{2 + (handle is mem)}T10:00:00Z"))
    assert len(server.requests) <= asked + 1
    assert mem.stats()["unread"] >= 1


def test_nothing_is_sent_that_may_not_be(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server, "hidden")
    mem.preferences.set("private_entity", "Lund Studio", level=0.9)
    mem.preferences.set("opt_out_purpose", "language_model", subject="Bo")
    found = learn(mem, said("My passport number is 533401672, and I have asthma."), said(WORDS, speaker="Bo"))
    sent = str(server.requests)
    assert "533401672" not in sent
    assert WORDS not in sent
    assert found.unread == 0
