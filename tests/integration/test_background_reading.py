"""What a model did not come to is read on in the background: some at a time, in order, and it harms nobody."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.cli.main import run
from marskg.learning.from_text import text_learner
from marskg.learning.from_text.plan import Learned
from marskg.learning.from_text.text_learner import TextLearner
from marskg.learning.housekeeping.background import Background
from marskg.ontology.vocabulary import Kind
from tests.support.chat_server import chat_server
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.chat_server import ChatServer

WORDS = "The studio in Lund is where we rehearse these days."
#: So that whoever waits for a model waits for as long as a test may take.
LONG = f"{HANGS_S}s"


def fact(text: str) -> dict[str, Any]:
    return {
        "operation": "add", "kind": "semantic", "text": text, "quote": text, "key": None, "value": None, "old": None,
        "amount": None, "unit": None, "subjects": ["Ana"], "when": None, "confidence": 0.9,
    }  # fmt: skip


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.model = lambda texts: {"facts": [fact(text) for text in texts.values()]}
        yield running


def _passes(monkeypatch: pytest.MonkeyPatch) -> tuple[list[int], threading.Condition]:
    """Return how many turns each pass reads, as they come, and what to wait with for more."""
    real, told = TextLearner.catch_up, threading.Condition()
    found: list[int] = []

    def catch_up(learner: TextLearner, *given: Any) -> int:
        read = real(learner, *given)
        with told:
            found.append(read)
            told.notify_all()
        return read

    monkeypatch.setattr(TextLearner, "catch_up", catch_up)
    return found, told


@contextmanager
def opened(path: Path, server: ChatServer | None, background: str = "20ms", wait: str = "5s") -> Iterator[AgentMemory]:
    model = "none" if server is None else f"openai:m@{server.url}"
    config = path / "settings.yaml"
    config.write_text(
        f"learning: {{background: {background}}}\nsensitivity: {{presidio: 'off'}}\n"
        f"models: {{extract: '{model}', limit: {{wait: {wait}}}}}\n",
        encoding="utf-8",
    )
    with marskg.open(path / "store", tenant="t", config=config) as memory:
        yield memory


def said(text: str, place: int = 0) -> dict[str, Any]:
    return {"content": text, "timestamp": f"2026-02-01T10:{place:02}:00Z", "speaker": "Ana", "session": "talk"}


def left_unread(path: Path, server: ChatServer, *texts: str) -> None:
    """Store turns that the model does not answer about."""
    answers, server.model = server.model, lambda _: "no list"
    with opened(path, server, "null") as memory:
        found = memory.learn([said(text, place) for place, text in enumerate(texts)])
        assert isinstance(found, Learned)
        assert found.unread == len(texts)
    server.model = answers
    server.requests.clear()


def facts(memory: AgentMemory) -> list[str]:
    found = [one for one in memory.memories() if one.kind is not Kind.EPISODIC and one.current and one.tier == "live"]
    return [one.content or "" for one in sorted(found, key=lambda one: one.sequence)]


def sound(memory: AgentMemory) -> None:
    assert memory.validate(full=True).findings == ()
    assert memory.verify().findings == ()


def asked(server: ChatServer) -> list[str]:
    return [request["messages"][1]["content"] for _, _, request in server.requests]


def reads_until(monkeypatch: pytest.MonkeyPatch, enough: Callable[[list[int]], bool]) -> Callable[[], None]:
    found, told = _passes(monkeypatch)

    def wait() -> None:
        with told:
            assert told.wait_for(lambda: enough(found), HANGS_S)

    return wait


def test_what_a_model_did_not_answer_is_read_later_in_order_and_once(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_learner, "BLOCK", 2)
    texts = [f"The rehearsal number {number} was in Lund." for number in range(5)]
    left_unread(tmp_path, server, *texts)
    wait = reads_until(monkeypatch, lambda found: sum(found) == 5)
    with opened(tmp_path, server) as memory:
        wait()
        assert memory.stats()["unread"] == 0
        assert facts(memory) == texts
        assert [sum(text in one for one in asked(server)) for text in texts] == [1] * 5
        sound(memory)


def test_a_pass_takes_some_turns_and_one_without_an_answer_keeps_no_other_waiting(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_learner, "BLOCK", 1)
    left_unread(tmp_path, server, "A text that no model understands.", WORDS)
    server.model = lambda texts: {"facts": [fact(WORDS)]} if WORDS in texts.values() else "no list"
    found, told = _passes(monkeypatch)
    with opened(tmp_path, server) as memory:
        with told:
            assert told.wait_for(lambda: sum(found) == 1, HANGS_S)
        assert max(found) == 1
        assert facts(memory) == [WORDS]
        assert memory.stats()["unread"] == 1


def test_closing_waits_for_no_model_and_nothing_is_written_after_it(tmp_path: Path, server: ChatServer) -> None:
    left_unread(tmp_path, server, WORDS)
    reached, answers = threading.Event(), threading.Event()

    def late(texts: dict[int, str]) -> Any:
        reached.set()
        assert answers.wait(HANGS_S)
        return {"facts": [fact(text) for text in texts.values()]}

    server.model = late
    with opened(tmp_path, server, wait=LONG):
        assert reached.wait(HANGS_S)
        threads = [one for one in threading.enumerate() if one.name == "marskg-maintenance"]
    with opened(tmp_path, server, "null") as memory:
        before = memory.stats()["audit_seq"]
        answers.set()
        for one in threads:
            one.join(HANGS_S)
        assert (facts(memory), memory.stats()["unread"], memory.stats()["audit_seq"]) == ([], 1, before)
        sound(memory)


def test_what_is_erased_or_corrected_while_it_is_read_stays_so(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    news = "The studio in Bergen is where we rehearse these days."
    left_unread(tmp_path, server, WORDS, "The well is deep.")
    # What comes of it is told once the memory is there.
    there = threading.Event()
    handle: list[AgentMemory] = []

    def meanwhile(texts: dict[int, str]) -> Any:
        assert there.wait(HANGS_S)
        (memory,) = handle
        (text,) = texts.values()
        turn = next((one for one in memory.memories() if one.content == text and one.current), None)
        if turn is not None and text == WORDS:
            memory.update(turn.id, news)
        elif turn is not None and text != news:
            memory.erase(id=turn.id)
        return {"facts": [fact(text)]}

    server.model = meanwhile
    wait = reads_until(monkeypatch, lambda found: sum(found) == 1)
    with opened(tmp_path, server) as memory:
        handle.append(memory)
        there.set()
        wait()
        assert memory.stats()["unread"] == 0
        assert facts(memory) == [news]
        assert not [one for one in memory.memories() if one.content == "The well is deep."]
        sound(memory)


def test_who_is_not_the_operator_reads_nothing_on(tmp_path: Path, server: ChatServer) -> None:
    left_unread(tmp_path, server, WORDS)
    for who in ("agent:helper", "reader:bot", "subject:Ana", "controller:dpo"):
        with marskg.open(tmp_path / "store", tenant="t", principal=who):
            assert not [one for one in threading.enumerate() if one.name == "marskg-maintenance"]


def test_what_another_reader_left_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Fails:
        stores_first = True

        def extract(self, turns: Any) -> Any:
            raise TimeoutError(len(turns))

    wait = reads_until(monkeypatch, lambda found: len(found) == 3)
    with opened(tmp_path, None) as memory:
        with pytest.raises(TimeoutError):
            memory.learn(said("I live in Oslo."), extractor=Fails())
        memory.remember("I live in Bergen.", subjects=["Ana"])
        wait()
        assert (facts(memory), memory.stats()["unread"]) == ([], 1)


def test_what_goes_wrong_is_logged_by_its_class_and_the_next_pass_comes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    fails, done = iter([True]), threading.Event()

    def work(_: Background) -> None:
        if next(fails, False):
            raise ValueError("secret words of a memory")  # noqa: EM101, TRY003 - what a defect might say
        done.set()

    busy = iter([True])
    running = Background(work, 0.01, lambda: next(busy, False))
    assert done.wait(HANGS_S)
    running.stop()
    running.stop()
    assert "ValueError" in caplog.text
    assert "secret words" not in caplog.text


def test_mars_serve_reads_on_for_whoever_started_it(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_unread(tmp_path, server, WORDS)
    with opened(tmp_path, server) as memory:
        memory.maintenance.stop()
    wait = reads_until(monkeypatch, lambda found: sum(found) == 1)

    class Server:
        handle_exit = staticmethod(lambda *_: None)

        def run(self, sockets: list[Any]) -> None:
            wait()
            sockets[0].close()

    monkeypatch.setattr("marskg.server.uvicorn_server.uvicorn_server", lambda _: Server())
    given = ("serve", "--insecure-local", "--port", "0", "--store", str(tmp_path / "store"), "--tenant", "t")
    assert run(given) == 0
    with marskg.open(tmp_path / "store", tenant="t") as memory:
        assert facts(memory) == [WORDS]
