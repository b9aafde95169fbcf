"""Other wordings of a question on which nothing bears, by a language model, on every engine.

The model is a local server that speaks the protocol, and does whatever a test plans.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from marskg.privacy.principals import Principal, Role
from marskg.retrieval.rewording import FOUND, NONE
from tests.support.chat_server import chat_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.chat_server import ChatServer
    from tests.support.stores import Stores

KNOWN = (
    "The cat sleeps on the sofa all day.",
    "Ann waters the tomatoes in the garden.",
    "The well behind the barn is deep.",
)
#: Nothing that is known bears on it, by its words.
STRANGE = "Zorblax quinquennial frobnication?"
OTHER = "Where does the cat sleep?"


def says(*texts: Any) -> Callable[[dict[int, str]], Any]:
    return lambda _: {"wordings": [{"text": text} for text in texts]}


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.model = says("Is the moon made of cheese?", OTHER)
        yield running


def opened(stores: Stores, server: ChatServer, **values: Any) -> AgentMemory:
    settings = {"sensitivity__presidio": "off", "retrieval__min_confidence": 0.5, **values}
    mem = stores.open(models__expand=f"openai:m@{server.url}", **settings)
    for text in KNOWN:
        mem.remember(text)
    return mem


def contents(hits: Any) -> list[str]:
    """Return what is certain to bear."""
    return [hit.memory.content for hit in hits if hit.certain]


def received(server: ChatServer) -> str:
    return json.dumps([request for _, _, request in server.requests], ensure_ascii=False)


def test_another_wording_finds_what_the_question_does_not(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    hits = mem.retrieve(STRANGE)
    assert KNOWN[0] in contents(hits)
    assert FOUND in hits.notices
    assert hits.id is not None, "what is shown is recorded"
    assert mem.verify().findings == ()


def test_a_question_that_finds_something_is_asked_of_nobody(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    assert contents(mem.retrieve(OTHER))
    mem.retrieve(STRANGE, min_confidence=0)
    assert server.requests == []
    mem.settings.set(None, {"models.expand": "none"})
    assert contents(mem.retrieve(STRANGE)) == []
    assert stores.open(models__expand=f"openai:m@{server.url}").retrieve(STRANGE).notices != (FOUND,)
    assert server.requests == [], "nor of a store that holds nothing"


def test_the_same_question_is_asked_once_until_something_is_erased(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    first = mem.retrieve(STRANGE)
    assert contents(mem.retrieve(STRANGE)) == contents(first)
    assert len(server.requests) == 1
    mem.erase(id=mem.remember("The gate is green.").id)
    mem.retrieve(STRANGE)
    assert len(server.requests) == 2


def test_no_memory_goes_out_and_the_question_is_redacted(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    mem.retrieve(f"{STRANGE} Of ann@example.org?")
    (text,) = server.texts
    assert STRANGE in text
    assert "[EMAIL]" in text
    assert not any(word in received(server) for word in ("ann@example.org", "sofa", "tomatoes"))


def test_a_question_about_somebody_who_refuses_models_stays_here(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    mem.preferences.set("opt_out_purpose", "language_model", subject="Benvolio")
    hits = mem.retrieve("Zorblax frobnication of Benvolio?")
    assert (contents(hits), server.requests) == ([], [])
    assert any(notice.startswith(NONE) for notice in hits.notices)
    assert not any("opt_out" in notice for notice in hits.notices), "which rule it is, is not for whoever asks"


def test_a_question_that_names_a_person_needs_their_consent_where_everybody_is_asked(
    stores: Stores, server: ChatServer
) -> None:
    mem = opened(stores, server)
    mem.remember("He keeps bees.", kind="semantic", subjects=["Hermine Ek"])
    mem.preferences.set("consent_required", "language_model")
    assert contents(mem.retrieve("Zorblax frobnication, Hermine?", kinds=["task"])) == []
    assert server.requests == []
    mem.preferences.set("consent", "language_model", subject="Hermine Ek")
    mem.retrieve("Zorblax frobnication, Hermine?", kinds=["task"])
    assert len(server.requests) == 1


def test_an_encrypted_tenant_needs_its_own_permission(
    stores: Stores, server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARS_VAULTS", str(tmp_path / "vaults"))
    mem = opened(stores, server, encryption="subjects")
    assert contents(mem.retrieve(STRANGE)) == []
    assert server.requests == []
    mem.settings.set(None, {"models.encrypted": True})
    assert contents(mem.retrieve(STRANGE))


def test_what_is_asked_in_private_mode_stays_here(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    with mem.privacy.private_mode() as private:
        assert contents(private.retrieve(STRANGE)) == []
    assert server.requests == []
    assert contents(mem.retrieve(STRANGE))


def test_who_has_limits_learns_nothing_by_what_is_not_sent(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    guest = stores.open_as(mem, Principal(Role.READER, "guest", ceiling=0.3))
    assert contents(guest.retrieve(STRANGE)) == []
    assert server.requests == []


@pytest.mark.parametrize("asked_for", [{"subjects": ["Benvolio"]}, {"purpose": "health"}, {"jurisdiction": "EU"}])
def test_a_question_is_bound_like_what_it_asks_for(
    stores: Stores, server: ChatServer, asked_for: dict[str, Any]
) -> None:
    mem = opened(stores, server)
    mem.preferences.set("opt_out_purpose", "language_model", subject="Benvolio")
    assert contents(mem.retrieve(STRANGE, **asked_for)) == []
    assert server.requests == []


@pytest.mark.parametrize("how", ["slow", "gone", "garbage", "redirect", "prose", "nothing"])
def test_a_model_that_fails_leaves_the_answer_as_it_is_without(stores: Stores, server: ChatServer, how: str) -> None:
    mem = opened(stores, server, models__limit__expand="200ms")
    match how:
        case "slow":
            server.delay = 0.6
        case "gone":
            server.statuses = [503] * 9
        case "garbage":
            server.body = b"[" * 60_000
        case "redirect":
            server.location, server.statuses = "http://127.0.0.1:9/v1", [307] * 9
        case "prose":
            server.model = lambda _: "I would ask about the cat."
        case _:
            server.model = lambda _: {"wordings": [{"text": " "}, {"text": STRANGE}, {"text": 3}, {"words": OTHER}]}
    hits = mem.retrieve(STRANGE)
    assert len(server.requests) == 1, "it is tried once"
    assert contents(hits) == []
    assert any(notice.startswith(NONE) for notice in hits.notices) == (how != "nothing")
    mem.settings.set(None, {"models.expand": "none"})
    without = mem.retrieve(STRANGE)
    assert (without.hits, without.confidence) == (hits.hits, hits.confidence)
    assert set(without.notices) <= set(hits.notices)


def test_prose_around_the_answer_is_passed_over(stores: Stores, server: ChatServer) -> None:
    server.model = lambda _: f"Sure: {json.dumps({'wordings': [{'text': OTHER}]})} Anything else?"
    assert contents(opened(stores, server).retrieve(STRANGE))


def test_the_day_has_one_limit_and_what_is_asked_is_recorded(stores: Stores, server: ChatServer) -> None:
    server.usage = {"prompt_tokens": 4_000, "completion_tokens": 1}
    mem = opened(stores, server, models__limit__day=5_000)
    assert contents(mem.retrieve(STRANGE))
    (told,) = [one.details[0] for one in mem.audit.records() if "prompt=expand.v1" in one.details[0]]
    assert "answers=1" in told
    assert "Zorblax" not in str([one.details for one in mem.audit.records()])
    hits = mem.retrieve(f"{STRANGE} Again?")
    assert (len(server.requests), contents(hits)) == (1, [])
    assert any("models.limit.day would be exceeded" in notice for notice in hits.notices)
