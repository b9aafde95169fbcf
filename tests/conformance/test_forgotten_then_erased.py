"""What a policy, a life or a newer value took first stays away once it is erased, however it was forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.store.graph import suppression
from tests.support.consolidating import TEXTS, usual

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

HOUR = 3_600_000
SAID = "Nora Berg's locker word is zyxquartz, and she told nobody else about it!"
#: The same text, as a copy of it is spelled.
AGAIN = (
    SAID,
    SAID.upper(),
    SAID.replace("'", "’").replace(",", " ;").replace("!", "…"),
    f"«{SAID}»",
    SAID.replace(" ", "\u00a0 "),
    SAID.replace("o", "\u043e"),
    SAID.replace("zyx", "z\u200by\u2060x"),
)
REQUESTS: dict[str, Any] = {
    "id": None,
    "session": "s1",
    "source": "chat/7",
    "subject": "nora",
    "entity": "Nora Berg",
}


def remember(memory: AgentMemory, text: str = SAID, **fields: Any) -> marskg.Memory:
    given: dict[str, Any] = {"session": "s1", "source_ref": "chat/7", "subjects": ["nora"], "mentions": ["Nora Berg"]}
    return memory.remember(text, **{**given, **fields})


def evict(memory: AgentMemory, said: marskg.Memory) -> None:
    memory.forget(memory.plan(policy="fifo", budget=0))
    assert said.id not in {one.id for one in memory.memories() if one.content is not None}


def expire(stores: Stores, memory: AgentMemory) -> None:
    stores.clock(memory).advance(2 * HOUR)
    memory.maintenance.expire()


@pytest.mark.parametrize("by", sorted(REQUESTS))
@pytest.mark.parametrize("way", ["evict", "expire", "erase"])
def test_what_was_forgotten_first_stays_forgotten(stores: Stores, by: str, way: str) -> None:
    memory = stores.open()
    said = remember(memory, ttl="1h" if way == "expire" else None)
    if way == "evict":
        evict(memory, said)
    elif way == "expire":
        expire(stores, memory)
    elsewhere: dict[str, Any] = {"session": "s2", "source_ref": "chat/8", "subjects": ()}
    if way != "erase":
        kept = remember(memory, **elsewhere)
        assert kept.content == SAID, "what nobody had erased comes in again"
        evict(memory, kept)
    request: dict[str, Any] = {by: said.id if by == "id" else REQUESTS[by]}
    memory.erase(**request)
    for text in AGAIN:
        with pytest.raises(marskg.NotPermitted) as refused:
            remember(memory, text, **elsewhere)
        assert "zyxquartz" not in str(refused.value)
    assert remember(memory, SAID.replace("nobody", "Ada"), **elsewhere).content is not None, "another text is another"
    longer = f"{SAID} Or did she?"
    if way == "erase":
        with pytest.raises(marskg.NotPermitted):
            remember(memory, longer, **elsewhere)
    else:
        # What was forgotten before it was erased is known as a whole only.
        assert remember(memory, longer, **elsewhere).content == longer
    assert memory.verify().findings == ()


def test_a_text_that_was_forgotten_more_often_than_a_page_holds_stays_away(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suppression, "_PAGE", 1)
    sessions = ("s1", "s2", "s3")
    for erased in sessions:
        memory = stores.open(embedding__model="none")
        for session in sessions:
            evict(memory, memory.remember(SAID, session=session))
        memory.erase(session=erased)
        with pytest.raises(marskg.ErasedContentRefused):
            memory.remember(SAID, session="elsewhere")


@pytest.mark.parametrize("by", ["session", "source"])
def test_nothing_is_stored_again_that_names_an_erased_session_or_source(stores: Stores, by: str) -> None:
    memory = stores.open()
    remember(memory)
    request: dict[str, Any] = {by: REQUESTS[by]}
    memory.erase(**request)
    with pytest.raises(marskg.ErasedContentRefused, match=f"it is of a {by} that was erased"):
        remember(memory, "Something else altogether", subjects=(), mentions=())


def test_about_somebody_else_it_is_another_memory(stores: Stores) -> None:
    memory = stores.open()
    said = remember(memory)
    evict(memory, said)
    memory.erase(source="chat/7")
    other = remember(memory, session="s2", source_ref=None, subjects=["mila"], mentions=())
    assert other.content == SAID


def test_what_was_summarised_first_stays_away(stores: Stores) -> None:
    memory = stores.open()
    usual(memory, subjects=["nora"], session="s1")
    memory.erase(session="s1")
    assert list(memory.memories()) == []
    for text in TEXTS:
        with pytest.raises(marskg.NotPermitted):
            memory.remember(text)


def test_a_snapshot_of_before_brings_nothing_of_it_back(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open()
    said = remember(memory)
    memory.snapshots.save(tmp_path / "before.snapshot")
    evict(memory, said)
    memory.erase(source="chat/7")
    memory.snapshots.load(tmp_path / "before.snapshot")
    assert all(one.content is None for one in memory.memories())
    assert memory.verify().findings == ()


@pytest.mark.parametrize("by", ["id", "entity", "source", "session"])
def test_a_document_of_before_brings_no_summary_of_it_back(stores: Stores, tmp_path: Path, by: str) -> None:
    memory = stores.open()
    ids, _ = usual(memory, mentions=["Nora"], source_ref="chat/7")
    memory.export(tmp_path / "before.nq")
    for name in ids if by == "id" else [{"entity": "Nora", "source": "chat/7", "session": "s"}[by]]:
        asked: dict[str, Any] = {by: name}
        memory.erase(**asked)
    with pytest.raises(marskg.NotPermitted, match="erased"):
        memory.load(tmp_path / "before.nq")
    assert list(memory.memories()) == []


def test_a_document_of_before_brings_neither_a_short_text_back_nor_what_rests_on_it(
    stores: Stores, tmp_path: Path
) -> None:
    memory = stores.open()
    said = memory.remember("Ann met Bob")
    memory.export(tmp_path / "said.nq")
    rests = memory.remember("Ann knows Bob", kind="semantic", derives_from=[said.id])
    memory.export(tmp_path / "both.nq")
    memory.erase(id=said.id)
    assert memory.get(rests.id) is None
    for name in ("said", "both"):
        with pytest.raises(marskg.NotPermitted, match="rests on what was"):
            memory.load(tmp_path / f"{name}.nq")
    # The words are everybody's.
    assert memory.remember("Ann met Bob").content == "Ann met Bob"


def test_a_document_of_before_is_loaded_again_once_its_subject_consents(stores: Stores, tmp_path: Path) -> None:
    memory = stores.open()
    memory.remember("Quite short", subjects=["quentin"])
    memory.export(tmp_path / "before.nq")
    memory.erase(subject="quentin")
    with pytest.raises(marskg.ConsentRequired):
        memory.load(tmp_path / "before.nq")
    memory.preferences.consent("quentin")
    assert memory.load(tmp_path / "before.nq") == 1


def test_a_tenant_that_forgets_and_erases_nothing_refuses_nothing(stores: Stores) -> None:
    memory = stores.open()
    said = remember(memory)
    evict(memory, said)
    assert remember(memory).content == SAID
