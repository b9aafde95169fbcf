"""What a user asks not to keep is kept by no door: no turn, no fact, no vector, no export, no line of the audit."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client
from starlette.testclient import TestClient

import marskg
from marskg.adapters.langgraph import MarsStore
from marskg.answer import plain
from marskg.clock import ManualClock, SeededSource
from marskg.drafts import Draft
from marskg.errors import NotKept
from marskg.learning.from_text.plan import Learned, LearnPlan
from marskg.ontology.vocabulary import Kind
from marskg.privacy.principals import Principal
from marskg.server.callers import Caller, Everyone
from marskg.server.http_app import http_app
from marskg.server.mcp_server import mcp_server
from marskg.server.worker_pool import Handles, WorkerPool
from marskg.sources.chat import read_chat

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from marskg.memory import AgentMemory

START = 1_800_000_000_000
WORD = "zyzzyva"
ASKS = f"Don't remember this: my door code is {WORD}"


@contextmanager
def opened(path: Path, **given: Any) -> Iterator[AgentMemory]:
    """Open a store that has a history."""
    made: dict[str, Any] = {"budget": 9_000, "embedding": "static"} if "principal" not in given else {}
    with marskg.open(path, tenant="t", clock=ManualClock(START), source=SeededSource(1), **made, **given) as memory:
        if made:
            for n in range(20):
                memory.remember(f"I watered bed {n} in the garden", subjects="clara", session=f"s{n % 3}", at=START - n)
        yield memory


def assert_nowhere(memory: AgentMemory, folder: Path, word: str = WORD) -> None:
    """Check that no memory, answer, export or file of the store has ``word``."""
    assert all(word not in (one.content or "") for one in memory.memories())
    found = memory.retrieve("what is my door code?", min_confidence=0)
    assert all(word not in (hit.memory.content or "") for hit in found)
    assert word not in str(memory.audit.records())
    memory.export(folder / "all.nq")
    assert word not in (folder / "all.nq").read_text("utf-8")


def test_remember_refuses_it_says_so_and_repeats_nothing(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as memory:
        before = memory.stats()
        refused = memory.remember(ASKS, subjects="clara", session="s1", key="door", metadata={"n": 1})
        assert refused.content is None
        assert memory.get(refused.id) is None
        assert WORD not in repr(refused)
        assert "keep=True" in refused.notices[0]
        assert memory.stats() == before
        assert_nowhere(memory, tmp_path)


#: By language: turns of other forms that ask, and turns that look so.
IN_OTHER_WORDS = {
    "en": (
        (
            f"off the record, my door code is {WORD}",
            f"my door code is {WORD} dont save this",
            f"My door code is {WORD}, which I'd rather you didn't write down.",
            f"Would you mind not keeping this? It is {WORD}.",
        ),
        ("Keep it secret from Anna: the party is on Saturday", "My doctor told me not to write it down"),
    ),
    "de": (
        (
            f"Off the record: mein Code ist {WORD}",
            f"mein code ist {WORD} das musst du dir nicht merken",
            f"Ich wäre froh, wenn du das nirgends notierst: {WORD}",
        ),
        (
            "Verrat es nicht an Jonas, er bekommt ein Fahrrad",
            "Das bleibt unter uns: ich suche eine Stelle",
            "Unter uns wohnt eine Familie mit drei Kindern",
        ),
    ),
    "fr": (
        (f"Hors micro : le code est {WORD}", f"Tu n'es pas obligé de noter ça : {WORD}", f"À ne pas retenir : {WORD}"),
        ("Ne le dis pas à Paul, c'est une surprise", "Je n'arrive pas à retenir ça"),
    ),
    "es": (
        (
            f"Extraoficialmente: {WORD}",
            f"la clave es {WORD} no la guardes",
            f"Prefiero que no anotes esto: {WORD}",
        ),
        ("No le digas nada a Ana: la fiesta es el sábado", "No consigo recordar esto"),
    ),
    "zh": (
        (f"密码是{WORD}，你不用记住这些", f"別記這個：{WORD}"),
        ("别告诉安娜：聚会在周六", "医生叫我不要写下来"),
    ),
}


@pytest.mark.parametrize("language", IN_OTHER_WORDS)
def test_it_is_asked_in_many_words_of_each_language(tmp_path: Path, language: str) -> None:
    asking, looking_so = IN_OTHER_WORDS[language]
    with opened(tmp_path / "s") as memory:
        before = memory.stats()
        for turn in asking:
            refused = memory.remember(turn, subjects="clara", session="s1")
            assert refused.content is None, turn
            assert "not kept" in refused.notices[0]
        assert memory.stats() == before
        learned = memory.learn([{"role": "user", "content": one, "session": "s1"} for one in (*asking, *looking_so)])
        assert isinstance(learned, Learned)
        assert (learned.not_kept, len(learned.turns)) == (len(asking), len(looking_so))
        assert_nowhere(memory, tmp_path)


def test_what_was_just_said_goes_with_its_facts(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as memory:
        about: dict[str, Any] = {"session": "z", "subjects": ["clara"]}
        memory.learn([{"role": "user", "content": "I live in Halle", "speaker": "Clara", **about}])
        assert any("lives in Halle" in (one.content or "") for one in memory.memories())
        refused = memory.remember("forget i said that", session="z", subjects="clara")
        assert "was erased" in refused.notices[0]
        assert not any("Halle" in (one.content or "") for one in memory.memories())


def test_whoever_insists_keeps_it_and_a_setting_keeps_all(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as memory:
        kept = memory.remember(ASKS, subjects="clara", keep=True)
        assert memory.get(kept.id) is not None
        memory.settings.set(None, {"learning.not_kept": False})
        assert memory.remember(f"{ASKS} today", subjects="clara").content == f"{ASKS} today"
        assert memory.learn(f"Off the record: {WORD}").not_kept == 0


def test_only_the_users_own_word_asks(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as memory:
        for source in ("doc", "chat_assistant", "api_result"):
            assert memory.remember(f"{ASKS} {source}", source_type=source).content == f"{ASKS} {source}"


def test_a_new_text_metadata_and_a_payload_ask_too(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as memory:
        ident = memory.remember("I like tea").id
        with pytest.raises(NotKept):
            memory.update(ident, ASKS)
        assert memory.remember("a note", metadata={"a": [{"note": ASKS}]}).content is None
        assert_nowhere(memory, tmp_path)


def test_learning_stores_and_reads_none_of_it_and_says_how_many(tmp_path: Path) -> None:
    turns: list[dict[str, Any]] = [
        {"role": "user", "content": ASKS, "speaker": "Clara", "subjects": ["clara"]},
        {"role": "user", "content": "I live in Halle", "speaker": "Clara", "subjects": ["clara"]},
        {"role": "assistant", "content": "Off the record: noted", "speaker": "Bot"},
    ]
    with opened(tmp_path / "s") as memory:
        plan = memory.learn(turns, dry_run=True)
        assert isinstance(plan, LearnPlan)
        assert plan.not_kept == 1
        assert WORD not in str(plan)
        assert WORD not in str(plain(plan))
        learned = memory.learn(plan)
        assert len(learned.turns) == 2
        again = memory.learn(turns)
        assert isinstance(again, Learned)
        assert (again.not_kept, again.known) == (1, 2)
        assert any("not kept" in notice for notice in again.notices)
        assert any("lives in Halle" in (one.content or "") for one in memory.memories())
        assert_nowhere(memory, tmp_path)


def test_an_import_leaves_the_turn_out_with_what_comes_with_it(tmp_path: Path) -> None:
    drafts = [
        Draft(ref="a", kind=Kind.EPISODIC, content=ASKS, at=START, session="q"),
        Draft(ref="b", kind=Kind.SEMANTIC, content=f"the code is {WORD}", at=START, derives_from=("a",)),
        Draft(ref="c", kind=Kind.SEMANTIC, content=f"{WORD} opens the door", at=START, depends_on=("b",)),
        Draft(ref="d", kind=Kind.EPISODIC, content="I like tea", at=START, session="q"),
    ]
    with opened(tmp_path / "s") as memory:
        done = memory.remember_many(drafts)
        assert (int(done), done.not_kept) == (1, 3)
        assert any("3 not kept" in notice for notice in done.notices)
        with pytest.raises(NotKept):
            memory.remember_many([drafts[3], drafts[0]], atomic=True)
        assert_nowhere(memory, tmp_path)


def test_what_was_just_said_is_left_out_where_it_comes_along_and_erased_where_it_is_stored(tmp_path: Path) -> None:
    lines = ["I live in Halle", f"my door code is {WORD}", "Don't remember what I just said", "bye"]
    file = tmp_path / "talk.jsonl"
    turns = [
        {"role": "user", "content": one, "timestamp": START + n * 1_000, "session": "z"} for n, one in enumerate(lines)
    ]
    file.write_text("\n".join(map(json.dumps, turns)), "utf-8")
    with opened(tmp_path / "s") as memory:
        done = memory.remember_many(read_chat(file))
        assert (int(done), done.not_kept) == (2, 2)
        other = memory.remember(
            f"the assistant heard {WORD}x", session="z2", source_type="chat_assistant", subjects="x"
        )
        first = memory.remember("I like tea", session="z2", subjects="clara")
        said = memory.remember(f"my door code is {WORD}", session="z2", subjects="clara")
        memory.remember("It rains", session="z2", subjects="ben")
        refused = memory.remember("Don't remember what I just said.", session="z2", subjects="clara")
        assert refused.content is None
        assert f"{said.id} was erased" in refused.notices[0]
        assert memory.get(first.id) is not None
        assert memory.get(other.id) is not None
        memory.erase(id=other.id)
        assert_nowhere(memory, tmp_path)
        learned = memory.learn({"role": "user", "content": "Don't save what I just said", "session": "nowhere"})
        assert isinstance(learned, Learned)
        assert any("no turn of theirs" in notice for notice in learned.notices)


def test_what_comes_next_is_not_kept_in_its_session_alone(tmp_path: Path) -> None:
    says = "Don't write down what I say next."
    about: dict[str, Any] = {"session": "z", "subjects": "clara"}
    with opened(tmp_path / "s") as memory:
        assert "what comes next is not kept" in memory.remember(says, **about).notices[0]
        assert memory.remember("I like tea", session="other", subjects="clara").content
        assert memory.remember("It rains", session="z", subjects="ben").content
        assert "turn before" in memory.remember(f"my door code is {WORD}", **about).notices[0]
        assert memory.remember("I like coffee", **about).content
        assert memory.remember(says, **about).content is None
        assert memory.remember("the gate is green", **about, keep=True).content
        assert memory.remember("the gate is new", **about).content
        turns = [{"role": "user", "content": one, "session": "y"} for one in (says, f"it is {WORD}", "I like rice")]
        for dry_run in (True, False):
            assert memory.learn(turns, dry_run=dry_run).not_kept == 2
        assert_nowhere(memory, tmp_path)


def test_an_agent_is_told_what_to_call_and_insists_only_where_it_speaks_for_the_user(tmp_path: Path) -> None:
    with opened(tmp_path / "s"):
        pass
    with opened(tmp_path / "s", principal="agent:bot?source=chat_user") as memory:
        memory.remember(f"my door code is {WORD}", session="z", subjects="clara")
        refused = memory.remember("Please don't store my last message", session="z", subjects="clara")
        assert "mem.erase" in refused.notices[0]
        assert memory.remember(ASKS, keep=True).content == ASKS
    with opened(tmp_path / "s", principal="agent:other") as memory, pytest.raises(marskg.NotPermitted, match="keep"):
        memory.remember("I noted it", keep=True)


def test_langgraph_puts_nothing_of_a_batch_that_has_it(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as memory:
        store = MarsStore(memory)
        for index in (None, False):
            with pytest.raises(NotKept):
                store.put(("notes",), "k", {"text": ASKS}, index)
        assert store.get(("notes",), "k") is None
        assert_nowhere(memory, tmp_path)


def test_http_and_mcp_say_so(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with opened(path):
        pass
    caller = Caller("t", Principal.of("agent:http?source=chat_user"))
    handles = Handles(lambda one: marskg.open(path, tenant=one.tenant, principal=one.principal, create=False))
    with handles.of(caller) as memory:
        app = http_app(WorkerPool(handles, 32), Everyone(caller), memory, "0")
        with TestClient(app, base_url="http://127.0.0.1:8321") as client:
            answer = client.post("/v1/tenants/t/memories", json={"content": ASKS})
            assert (answer.status_code, answer.json()["type"]) == (403, "urn:marskg:error:NotKept")
            assert WORD not in answer.text
            insisted = client.post("/v1/tenants/t/memories", json={"content": "Off the record: hello", "keep": True})
            assert insisted.status_code == 201

    async def script() -> None:
        with marskg.open(path, tenant="t", principal="agent:mcp?source=chat_user") as memory:
            async with Client(mcp_server(memory, "0"), mode="auto") as client:
                refused = await client.call_tool("remember", {"content": ASKS})
                assert refused.is_error
                told = str(refused.content[0].text)  # type: ignore[union-attr]  # an error is a text
                assert "NotKept: " in told
                assert WORD not in told
                kept = await client.call_tool("remember", {"content": "Off the record: bye", "keep": True})
                assert not kept.is_error

    anyio.run(script)
    with marskg.open(path, tenant="t") as memory:
        assert_nowhere(memory, tmp_path)
