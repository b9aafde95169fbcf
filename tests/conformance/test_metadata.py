"""Free JSON at a memory, on every engine: kept on every path, found by equality, gone with the content."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import Draft
from marskg.errors import InvalidInput, InvalidMemory, MarsError
from marskg.json_object import JsonObject
from marskg.ontology.vocabulary import Kind
from marskg.retrieval.index.metadata_filter import words_of
from marskg.sources.chat import read_chat
from marskg.store.crypto.encrypted_engine import custody_of

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

GIVEN = {"project": "apollo", "page": 7.0, "done": True, "trip": {"with": ["Ann", None], "é\n": 1e-7}}


def test_it_is_returned_on_every_path_and_comes_back_from_every_form(stores: Stores, tmp_path: Path) -> None:
    mem = stores.open()
    one = mem.remember("Ann packed the tent", metadata=GIVEN, subjects="Ann", key="tent")
    mem.remember_many([Draft(ref="a", kind=Kind.SEMANTIC, content="tents are dry", at=mem.now(), metadata={"n": 1})])
    assert one.metadata == GIVEN
    assert one.metadata != {**GIVEN, "done": 1}
    assert mem.get(one.id).metadata == GIVEN  # type: ignore[union-attr]  # it is there
    assert {memory.content: memory.metadata for memory in mem.memories()} == {
        "Ann packed the tent": GIVEN,
        "tents are dry": {"n": 1},
    }
    assert mem.retrieve("who packed the tent")[0].memory.metadata == GIVEN
    assert [hit.memory.metadata for hit in mem.read_all(key_prefix="tent")] == [GIVEN]
    newer = mem.update(one.id, "Ann packed two tents")
    assert newer.metadata == GIVEN
    newest = mem.update(newer.id, "Ann packed two tents", metadata={"page": 8})
    assert [memory.metadata for memory in mem.history(newest.id)] == [GIVEN, GIVEN, {"page": 8}]
    assert mem.update(newest.id, "Ann packed no tent", metadata={}).metadata is None
    assert mem.validate(full=True).findings == ()
    assert mem.verify().findings == ()
    before = {memory.id: memory.metadata for memory in mem.memories()}
    for suffix in ("jsonld", "nq", "trig", "ttl"):
        mem.export(tmp_path / f"export.{suffix}")
        other = stores.open()
        other.load(tmp_path / f"export.{suffix}")
        assert {memory.id: memory.metadata for memory in other.memories()} == before
        assert other.verify().findings == ()
    mem.snapshots.save(tmp_path / "snapshot")
    report = mem.privacy.report("Ann").document["reportMemory"]
    assert GIVEN in [found.get("metadata") for found in report]


def test_an_equal_value_with_other_metadata_is_another_value(stores: Stores) -> None:
    mem = stores.open()
    first = mem.remember("tea", key="drink", metadata={"v": 1})
    assert mem.remember("tea", key="drink", metadata={"v": 1}).id == first.id
    second = mem.remember("tea", key="drink", metadata={"v": 2})
    assert second.id != first.id
    assert mem.get(first.id).superseded_at is not None  # type: ignore[union-attr]  # it is there


BAD: list[Any] = [
    {"a": math.nan},
    {"a": "\ud800"},
    {"a\0": 1},
    {1: 2},
    {"a": "ü" * 8189},
    {"a": {1}},
    {"a": 2**60},
    {"a": memoryview(b"x")},
]


@pytest.mark.parametrize("value", BAD, ids=["NaN", "surrogate", "NUL", "name", "large", "set", "integer", "bytes"])
def test_what_is_no_json_is_refused_and_nothing_is_stored(stores: Stores, value: Any) -> None:
    mem = stores.open()
    with pytest.raises(InvalidMemory, match=r"^metadata "):
        mem.remember("one", metadata=value)
    kept = mem.remember("two")
    with pytest.raises(InvalidMemory, match=r"^metadata "):
        mem.update(kept.id, "three", metadata=value)
    assert [memory.content for memory in mem.memories()] == ["two"]


def test_what_it_says_counts_for_sensitivity(stores: Stores) -> None:
    mem = stores.open()
    plain = mem.remember("the tent was dry", metadata={"note": "on time"})
    told = mem.remember("the tent was wet", metadata={"booking": {"contact": ["jane.doe@example.org"]}})
    assert told.sensitivity > plain.sensitivity
    assert "jane" not in str(told.sensitivity_reasons)


#: A path that words of the index do not repeat.
LONG = "a.path of more characters than an index has for each of its leaves" * 2


def _told(mem: AgentMemory, asked: Any) -> list[str]:
    """Return what is found by a filter, through every door that has one, which must agree."""
    doors = (
        [hit.memory for hit in mem.retrieve("tea", metadata=asked)],
        [hit.memory for hit in mem.read_all(metadata=asked)],
        list(mem.memories(metadata=asked)),
    )
    first, *others = (sorted(one.content or "" for one in found) for found in doors)
    assert others == [first, first]
    return first


def _teas(mem: AgentMemory) -> None:
    mem.remember("green tea", metadata={"p": "x", "n": 1, "t": {"k": [1, "b"], "b": True}, "d": "2026-01-02"})
    mem.remember("black tea", metadata={"p": "y", "n": 2.5, "a.b": None, "l": [[1], {"a": {"b": 2}}]})
    mem.remember("white tea", metadata={LONG: {"a": 1, "n": 3}, "": {"p": "x"}})
    mem.remember("no tea")


EQUAL: list[tuple[Any, list[str]]] = [
    ({"p": "x"}, ["green tea"]),
    ({"n": 1.0}, ["green tea"]),
    ({"n": True}, []),
    ({"t.b": True}, ["green tea"]),
    ({"t.b": 1}, []),
    ({"t": {"k": [1, "b"]}}, ["green tea"]),
    ({"t": {"k": 1}}, []),
    ({"t": {"k": {"$contains": 1}}}, ["green tea"]),
    ({"t.k": {"$contains": ["b", 1.0]}}, ["green tea"]),
    ({"t.k": {"$contains": ["b", 2]}}, []),
    ({"t.k": {"$contains": True}}, []),
    ({"t.k": {"$contains": [[1, "b"]]}}, []),
    ({"l": {"$contains": [[1]]}, "p": "y"}, ["black tea"]),
    ({"l": {"$contains": {"a": {"b": 2}}}}, ["black tea"]),
    ({"p": {"$contains": "x"}}, []),
    ({"": {"p": "x"}}, ["white tea"]),
    ({"p": "z"}, []),
    ({f"{LONG}.a": 1}, ["white tea"]),
    ({f"{LONG}.b": 1}, []),
    ({"a": {"b": None}}, ["black tea"]),
    ({"p": "x", "n": 2.5}, []),
    ({"n": "1"}, []),
    ({}, ["black tea", "green tea", "no tea", "white tea"]),
    (None, ["black tea", "green tea", "no tea", "white tea"]),
]
RANGED: list[tuple[Any, list[str]]] = [
    ({"n": {"$gte": 1, "$lt": 2.5}}, ["green tea"]),
    ({"n": {"$gt": 1}}, ["black tea"]),
    ({"d": {"$lte": "2026-02"}}, ["green tea"]),
    ({"d": {"$gt": 1}}, []),
    ({"t": {"b": {"$gte": 0}}}, []),
    ({"l": {"$gte": 0}}, []),
    ({LONG: {"n": {"$gte": 3}}}, ["white tea"]),
]

WRONG: list[Any] = [
    [1],
    {"n": {"$like": 1}},
    {"$or": [1]},
    {"n": {"$gt": True}},
    {"n": math.nan},
    {"n": {"$gt": 1, "m": 2}},
    {"t": {"k": {"$contains": []}}},
    {"$contains": 1},
]


def test_a_long_path_does_not_stand_in_the_index_for_each_of_its_leaves() -> None:
    given = JsonObject.of({"p" * 8000: {str(number): [number] for number in range(600)}})
    assert sum(map(len, words_of(given))) < 10 * len(given.text)


def test_it_is_found_by_equality_and_by_ranges(stores: Stores) -> None:
    mem = stores.open(embedding__model="none")
    _teas(mem)
    for asked, expected in EQUAL + RANGED:
        assert _told(mem, asked) == expected, asked
    for wrong in WRONG:
        with pytest.raises(InvalidInput) as caught:
            mem.retrieve("tea", metadata=wrong)
        assert "metadata" in str(caught.value)
    one = next(mem.memories(metadata={"p": "x"}))
    mem.update(one.id, "green tea", metadata={"p": "z"})
    assert _told_now(mem, {"p": "x"}) == []
    assert _told_now(mem, {"p": "z"}) == ["green tea"]
    mem.erase(id=next(mem.memories(metadata={"p": "y"})).id)
    assert _told_now(mem, {"p": "y"}) == []


def _told_now(mem: AgentMemory, asked: Any) -> list[str]:
    return [hit.memory.content or "" for hit in mem.retrieve("tea", metadata=asked)]


def test_an_encrypted_tenant_finds_it_by_equality_only_and_keeps_no_digest(
    stores: Stores, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARS_VAULTS", str(tmp_path / "vaults"))
    mem = stores.open(embedding__model="none", encryption="subjects")
    _teas(mem)
    for asked, expected in EQUAL:
        assert _told(mem, asked) == expected, asked
    for asked, _ in RANGED:
        for door in (lambda a: mem.retrieve("tea", metadata=a), lambda a: mem.memories(metadata=a)):
            with pytest.raises(InvalidInput, match="keyed digests, by equality only"):
                door(asked)
    mem.remember("red tea of Ann", metadata={"word": "wolframite"}, subjects="Ann")
    assert _told(mem, {"word": "wolframite"}) == ["red tea of Ann"]
    custody = custody_of(mem.store.engine)
    assert custody is not None
    (word,) = words_of(JsonObject.of({"word": "wolframite"}))
    index = mem._reading.view.refresh(mem._writer.fresh_state())
    assert custody.keyring.digest("metadata", word) in index.facets["metadata"]
    assert not any("wolframite" in one for one in index.facets["metadata"])
    mem.erase(subject="Ann")
    assert _told(mem, {"word": "wolframite"}) == []
    held = b"".join(path.read_bytes() for path in files.rglob("*") if path.is_file())
    assert b"wolframite" not in held
    assert custody.keyring.digest("metadata", word).encode() not in held


def test_the_bytes_go_with_an_erasure(stores: Stores, files: Path, tmp_path: Path) -> None:
    mem = stores.open(embedding__model="none")
    mem.remember("Ann packed", metadata={"zyxname": {"inner": ["zyxvalue"]}}, subjects="Ann")
    assert _told_now(mem, {"zyxname.inner": ["zyxvalue"]}) == []
    mem.erase(subject="Ann", scrub=stores.engine.name == "arcadedb")
    mem.export(tmp_path / "after.nq")
    assert "zyx" not in (tmp_path / "after.nq").read_text()
    assert [one.metadata for one in mem.memories()] in ([], [None])
    if stores.engine.name == "arcadedb":
        held = b"".join(path.read_bytes() for path in files.rglob("*") if path.is_file())
        assert b"zyxname" not in held
        assert b"zyxvalue" not in held


def test_a_reader_sees_and_finds_no_more_of_it_than_they_may(stores: Stores, tmp_path: Path) -> None:
    mem = stores.open(embedding__model="none", sensitivity__assess="off")
    mem.remember("green tea", metadata={"jane.doe@example.org": 1, "to": ["jane.doe@example.org", "Ann"], "card": True})
    mem.remember("black tea", metadata={"to": "zyxhidden"}, sensitivity=0.9)
    reader = stores.open_as(mem, "reader:bot?ceiling=0.1")
    shown = {"[EMAIL]": 1, "to": ["[EMAIL]", "Ann"], "card": True}
    for _ in range(2):  # the second time from the answers that are kept
        assert [hit.memory.metadata for hit in reader.retrieve("tea")] == [shown]
    assert [one.metadata for one in reader.memories()] == [shown]
    tea = next(reader.memories())
    doors = (reader.explain(tea.id).memory, reader.get(tea.id), *reader.history(tea.id))
    assert [one.metadata for one in doors] == [shown] * 3  # type: ignore[union-attr]  # they are there
    assert mem.explain(tea.id, max_sensitivity=0.1).memory.metadata == shown  # type: ignore[union-attr]
    for asked in (
        {"to": ["jane.doe@example.org", "Ann"]},
        {"jane.doe@example.org": 1},
        {"to": "zyxhidden"},
        {"to": {"$gte": ""}},
    ):
        assert list(reader.memories(metadata=asked)) == []
        assert len(reader.retrieve("tea", metadata=asked)) == 0
        assert reader.read_all(metadata=asked).count == 0
    assert _told_now(mem, {"to": "zyxhidden"}) == ["black tea"]
    reader.export(tmp_path / "seen.nq", profile="disclosure")
    told = (tmp_path / "seen.nq").read_text()
    assert "[EMAIL]" in told
    assert "jane" not in told
    assert "zyxhidden" not in told


def _missing(hits: Any) -> list[str]:
    return [one for one in hits.notices if "has the key" in one]


@pytest.mark.parametrize("encryption", ["off", "subjects"])
def test_a_filter_that_cannot_match_says_so(
    stores: Stores, encryption: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARS_VAULTS", str(tmp_path / "vaults"))
    mem = stores.open(encryption=encryption)
    mem.remember(
        "green tea", metadata={"access-level": "public", "user": {"access-level": "nested", "123": 1}, "t": []}
    )
    matching: list[Any] = [
        {"access-level": "public"},
        {"user.access-level": "nested"},
        {"user": {"access-level": "nested"}},
        {"user.123": 1},
    ]
    for asked in matching:
        assert _told_now(mem, asked) == ["green tea"]
    cases: list[tuple[Any, list[str]]] = [
        ({"acces-level": "public"}, ["acces-level"]),
        ({"user.access_level": 1, "access-level": "public"}, ["user.access_level"]),
        ({"user": {"role": "a", "kind": "b"}}, ["user.kind", "user.role"]),
        ({"use": 1}, ["use"]),
        ({"user": 1}, []),
        ({"access-level": "private"}, []),
    ]
    for asked, missing in cases:
        told = [f"nothing here has the key {one!r} in its metadata" for one in missing]
        assert _missing(mem.retrieve("tea", metadata=asked)) == told
        assert _missing(mem.read_all(metadata=asked)) == told
    assert _missing(mem.retrieve("tea")) == []
    for odd in (math.inf, -math.inf, "a\0b"):
        with pytest.raises(InvalidInput, match=r"^metadata "):
            mem.retrieve("tea", metadata={"access-level": odd})


@pytest.mark.parametrize("encryption", ["off", "subjects"])
def test_that_a_key_is_missing_tells_nothing_of_what_is_hidden(
    stores: Stores, encryption: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARS_VAULTS", str(tmp_path / "vaults"))
    told = []
    for hidden in ({}, {"zyxkey": 1}):
        mem = stores.open(embedding__model="none", sensitivity__assess="off", encryption=encryption)
        mem.remember("black tea", metadata={"n": 1, **hidden}, sensitivity=0.9)
        mem.remember("green tea", metadata={"n": 2, **({"jane.doe@example.org": 1} if hidden else {})})
        reader = stores.open_as(mem, "reader:bot?ceiling=0.1")
        asked = ({"zyxkey": 1}, {"jane.doe@example.org": 1}, {"n": 1})
        told.append(
            [
                _missing(found)
                for one in asked
                for found in (reader.retrieve("tea", metadata=one), reader.read_all(metadata=one))
            ]
        )
        assert not hidden or not _missing(mem.retrieve("tea", metadata={"zyxkey": 2}))
    assert told[0] == told[1]
    assert [len(one) for one in told[0]] == [1, 1, 1, 1, 0, 0]


def test_what_is_taken_out_for_a_reader_decides_no_number_of_an_answer(stores: Stores) -> None:
    told = []
    for hidden in ("jane.doe@example.org", "zoe.doe@example.org"):
        mem = stores.open(embedding__model="none", sensitivity__assess="off")
        mem.remember("green tea", metadata={"to": hidden, "all": [hidden], hidden: 1, "n": 1}, subjects="Ann")
        reader = stores.open_as(mem, "reader:bot?ceiling=0.1")
        asked: tuple[Any, ...] = (
            {"to": "jane.doe@example.org"},
            {"to": {"$lt": "k"}},
            {"all": {"$contains": "jane.doe@example.org"}},
            {"jane.doe@example.org": 1},
            {"n": 1},
        )
        answers = [reader.retrieve("tea", metadata=one) for one in asked]
        told.append([(len(hits), hits.confidence, hits.notices, hits.tokens) for hits in answers])
        allowed = mem.privacy.grant("reader:bot", ceiling=0.9, subjects=["Ann"]).id
        assert len(reader.retrieve("tea", metadata={"to": hidden}, grant=allowed)) == 1
    assert told[0] == told[1]
    assert [found for found, *_ in told[0]] == [0, 0, 0, 0, 1]


def test_lines_of_a_conversation_have_it(stores: Stores, tmp_path: Path) -> None:
    mem = stores.open()
    line = {"role": "user", "content": "the rent is due", "timestamp": 1_790_000_000, "metadata": {"channel": "mail"}}
    fact = {"kind": "semantic", "content": "rent is due", "metadata": {"page": 7}}
    chat = tmp_path / "chat.jsonl"
    chat.write_text(json.dumps({**line, "annotations": [fact]}) + "\n" + json.dumps({**line, "metadata": None}) + "\n")
    mem.remember_many(read_chat(chat))
    assert sorted(str(one.metadata) for one in mem.memories()) == ["None", "{'channel': 'mail'}", "{'page': 7}"]
    chat.write_text(json.dumps(line) + "\n" + json.dumps({**line, "metadata": ["zyxlist"]}) + "\n")
    with pytest.raises(MarsError, match=r"line 2.*metadata must be a JSON object") as caught:
        mem.remember_many(read_chat(chat))
    assert "zyxlist" not in str(caught.value)
    assert len(list(mem.memories())) == 3
