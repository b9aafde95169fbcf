"""Chat files: what a good line gives, and what each bad line is told."""

from __future__ import annotations

import json
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.drafts import EntityRef, EntityRelation
from marskg.errors import InvalidDocument
from marskg.ontology.vocabulary import Cardinality, EdgeType, Kind, SourceType, TaskStatus
from marskg.sources.chat import read_chat

if TYPE_CHECKING:
    from pathlib import Path

T0 = 1_748_764_800_000  # 2025-06-01T08:00:00Z
GOOD: dict[str, Any] = {"role": "user", "content": "I water the tomatoes twice a week", "timestamp": T0}


def line(**changes: Any) -> str:
    return json.dumps({**GOOD, **changes})


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    return tmp_path / "chat.jsonl"


def write(file: Path, *lines: str) -> Path:
    file.write_text("".join(f"{text}\n" for text in lines), encoding="utf-8")
    return file


def fact(**fields: Any) -> str:
    return line(annotations=[{"kind": "semantic", "content": "Waters twice a week", **fields}])


def test_a_turn_is_an_episode_of_its_speaker(chat: Path) -> None:
    roles = ("user", "assistant", "system", "tool")
    drafts = list(read_chat(write(chat, *(line(role=role) for role in roles)), subjects=("ada",)))
    assert [draft.source_type for draft in drafts] == [
        SourceType.CHAT_USER,
        SourceType.CHAT_ASSISTANT,
        SourceType.DOC,
        SourceType.API_RESULT,
    ]
    first = drafts[0]
    assert (first.kind, first.content, first.at, first.score) == (Kind.EPISODIC, GOOD["content"], T0, 30)
    assert first.payload == {"event": "statement", "participants": ("ada", "assistant"), "timestamp": T0}
    assert first.subjects == ("ada",)
    assert first.source_ref == "chat.jsonl#L1"


@pytest.mark.parametrize(
    "written",
    ["2025-06-01T08:00:00Z", "2025-06-01T10:00:00+02:00", T0, T0 // 1000, T0 / 1000, "2025-06-01T08:00:00.000Z"],
)
def test_times_are_read_in_each_form(chat: Path, written: Any) -> None:
    assert next(iter(read_chat(write(chat, line(timestamp=written))))).at == T0


def test_sessions_are_given_or_split_by_half_an_hour(chat: Path) -> None:
    minute = 60_000
    file = write(
        chat,
        line(),
        line(timestamp=T0 + 30 * minute),
        line(timestamp=T0 + 61 * minute),
        line(timestamp=T0 + 62 * minute, session="kitchen"),
        line(timestamp=T0 + 63 * minute),
        line(timestamp=T0 + 600 * minute),
    )
    assert [draft.session for draft in read_chat(file)] == [
        "chat/1",
        "chat/1",
        "chat/2",
        "kitchen",
        "kitchen",
        "chat/3",
    ]


def test_bom_crlf_empty_lines_and_foreign_fields_are_let_pass(chat: Path) -> None:
    chat.write_bytes(b"\xef\xbb\xbf" + line(id="msg-7", model="x").encode() + b"\r\n\r\n" + line().encode())
    assert len(read_chat(chat)) == 2


BAD = {
    "broken": ('{"role": "user", "content": "hi"', "not JSON at column"),
    "truncated": (line()[:-20], "it may be cut off"),
    "no object": ("[1, 2]", "no JSON object"),
    "no role": (json.dumps({"content": "x", "timestamp": 1}), '"role" is missing'),
    "no content": (json.dumps({"role": "user", "timestamp": 1}), '"content" is missing'),
    "no timestamp": (json.dumps({"role": "user", "content": "x"}), '"timestamp" is missing'),
    "null content": (line(content=None), '"content" is missing'),
    "content a number": (line(content=7), '"content" must be a text, and is a number'),
    "blank content": (line(content=" \n\t"), '"content" is blank'),
    "too long": (line(content="é" * (1 << 19) + "x"), "longer than 1 MiB"),
    "unknown role": (line(role="narrator"), '"role" is not one of user, assistant, system, tool'),
    "role a list": (line(role=["user"]), '"role" is not one of'),
    "time without zone": (line(timestamp="2025-06-01T08:00:00"), "with a zone"),
    "time in words": (line(timestamp="yesterday"), "no time with a zone"),
    "time a flag": (line(timestamp=True), '"timestamp" must be a number, and is true or false'),
    "time too late": (line(timestamp=10**18), "1970 to 9999"),
    "time before 1970": (line(timestamp=-5), "1970 to 9999"),
    "time endless": (line().replace(str(T0), "1" * 400), "beyond the range"),
    "time of many digits": (line().replace(str(T0), "1" * 5000), "too long"),
    "NaN": (line(timestamp=float("nan")), "NaN is no JSON number"),
    "infinite": (line().replace(str(T0), "1e999"), "beyond the range of a double"),
    "lone surrogate": (line(content="half \ud83d of it"), "lone surrogate"),
    "surrogate in a name": (line(**{"\udc00": 1}), "lone surrogate"),
    "name twice": ('{"role":"user","role":"tool","content":"x","timestamp":1}', "'role' stands twice"),
    "blank session": (line(session=" "), '"session" is blank'),
    "session a number": (line(session=3), '"session" must be a text'),
    "too deep": ("[" * 10_000 + "]" * 10_000, "nested too deeply"),
    "annotations no list": (line(annotations={}), '"annotations" must be a list'),
    "unknown kind": (fact(kind="hunch"), 'annotation 1: "kind" is not one of episodic'),
    "no kind": (line(annotations=[{"content": "x"}]), '"kind" is missing'),
    "unknown field": (fact(wheight=3), '"wheight" is no field of an annotation'),
    "unknown payload": (fact(payload={"colour": "red"}), '"colour" is no payload field of kind semantic'),
    "payload out of range": (fact(payload={"confidence": 1.5}), '"confidence" must lie between 0 and 1'),
    "sensitivity out of range": (fact(sensitivity=-0.1), '"sensitivity" must lie between 0 and 1'),
    "unknown ref": (fact(depends_on=["nowhere"]), '"depends_on" names a fact that no earlier line defines'),
    "own ref": (fact(ref="line:1"), '"ref" is taken'),
    "cardinality alone": (fact(cardinality="set"), '"cardinality" is of a "key"'),
    "status of no task": (fact(status="open"), '"status" is for tasks'),
    "deadline of no task": (fact(deadline="2025-06-02T00:00:00Z"), '"deadline" is for tasks'),
    "requires of no task": (fact(requires=[]), '"requires" is for tasks'),
    "unknown status": (fact(kind="task", status="someday"), '"status" is not one of'),
    "bad ttl": (fact(ttl="a while"), "write it as 30d"),
    "two expiries": (fact(ttl="3d", expires_at=T0), "say the same"),
    "relative IRI": (fact(mentions=[{"name": "Ada", "same_as": ["people#ada"]}]), "absolute IRIs"),
    "unknown relation": (fact(edges={"likes": []}), "a relation is one of"),
    "acyclic edge among relations": (fact(edges={"supersedes": []}), "a relation is one of"),
    "relation outside": (fact(relations=[{"source": "A", "type": "worksAt", "target": "B"}]), "run between two"),
    "retract with kind": (line(annotations=[{"action": "retract", "key": "a", "kind": "semantic"}]), "is to retract"),
    "retract without key": (line(annotations=[{"action": "retract"}]), '"key" is missing'),
    "close as open": (line(annotations=[{"action": "close_task", "key": "a", "status": "open"}]), "done or cancelled"),
    "unknown action": (line(annotations=[{"action": "forget"}]), '"action" is not one of'),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_line_is_named_and_nothing_is_yielded(chat: Path, case: str) -> None:
    bad, rule = BAD[case]
    write(chat, line(), bad, line())
    with pytest.raises(InvalidDocument) as caught:
        read_chat(chat)
    assert f"{chat}, line 2: " in str(caught.value)
    assert rule in str(caught.value)
    assert "--skip-bad" in str(caught.value)
    assert GOOD["content"] not in str(caught.value), "no message carries content"


@pytest.mark.parametrize("case", BAD)
def test_skip_bad_leaves_out_just_that_line(chat: Path, case: str) -> None:
    bad, rule = BAD[case]
    write(chat, line(), bad, line())
    conversation = read_chat(chat, skip_bad=True)
    assert [draft.source_ref for draft in conversation] == ["chat.jsonl#L1", "chat.jsonl#L3"]
    assert [item.line for item in conversation.bad_lines] == [2]
    assert rule in conversation.bad_lines[0].rule


def test_what_refers_to_a_skipped_line_is_skipped_too(chat: Path) -> None:
    write(chat, fact(ref="a", kind="hunch"), fact(ref="b", depends_on=["a"]), fact(ref="c"))
    conversation = read_chat(chat, skip_bad=True)
    assert [item.line for item in conversation.bad_lines] == [1, 2]
    assert [draft.ref for draft in conversation] == ["line:3", "c"]


def test_bytes_that_are_no_utf8_are_named(chat: Path) -> None:
    chat.write_bytes(line().encode() + b"\n" + line(content="Tom\u00e9", timestamp=1).encode("utf-16"))
    with pytest.raises(InvalidDocument, match=r"line 2: byte 1 is not UTF-8"):
        read_chat(chat)


@pytest.mark.parametrize("content", [b"", b"\n\n"])
def test_a_file_without_turns_is_refused(chat: Path, content: bytes) -> None:
    chat.write_bytes(content)
    with pytest.raises(InvalidDocument, match="holds no turn"):
        read_chat(chat)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidDocument, match="No such file"):
        read_chat(tmp_path / "none.jsonl")
    with pytest.raises(InvalidDocument, match="not a folder"):
        read_chat(tmp_path)


def test_a_file_that_changes_between_the_passes_is_noticed(chat: Path) -> None:
    conversation = read_chat(write(chat, line(), line()))
    write(chat, line(), "{")
    with pytest.raises(InvalidDocument, match="changed while it was read"):
        list(conversation)


def test_a_huge_line_is_refused_without_being_held(chat: Path) -> None:
    with chat.open("wb") as file:
        file.write(line().encode() + b"\n")
        for _ in range(64):
            file.write(b"x" * (1 << 20))
        file.write(b"\n" + line().encode() + b"\n")
    tracemalloc.start()
    conversation = read_chat(chat, skip_bad=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [draft.source_ref for draft in conversation] == ["chat.jsonl#L1", "chat.jsonl#L3"]
    assert "longer than 8 MiB" in conversation.bad_lines[0].rule
    assert peak < 40 << 20


def test_memory_does_not_grow_with_the_file(chat: Path) -> None:
    def peak(lines: int) -> int:
        write(chat, *(line(content=f"{'word ' * 100}{number}") for number in range(lines)))
        tracemalloc.start()
        for _ in read_chat(chat):
            pass
        _, used = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return used

    assert peak(1000) < 2 * peak(200)


def test_a_turn_has_no_class_of_its_own_reader(chat: Path) -> None:
    write(chat, line(role="assistant"), line(content="Why?"), line(role="tool"), line(role="system"))
    assert {draft.memory_class for draft in read_chat(chat)} == {None}


def test_annotations_become_typed_facts(chat: Path) -> None:
    shop = {"name": "Corner shop", "entity_type": "organization"}
    olga = {"name": "Olga", "aliases": ["Oli"], "same_as": ["https://example.org/people#olga"]}
    first = {
        "ref": "soil",
        "kind": "semantic",
        "content": "The soil is sandy",
        "key": "garden/soil",
        "payload": {"concept": "soil", "relations": ["sandy", "dry"], "confidence": 0.5},
        "mentions": [olga, shop, "garden"],
        "relations": [{"source": "Olga", "type": "worksAt", "target": "Corner shop"}],
    }
    second = {
        "ref": "buy",
        "kind": "task",
        "content": "Buy compost",
        "payload": {"goal": "compost"},
        "status": "in_progress",
        "priority": 2,
        "deadline": "2025-06-07T20:00:00+02:00",
        "requires": ["soil"],
        "depends_on": ["soil"],
        "edges": {"partOf": ["soil"]},
        "subjects": ["ada", "olga"],
        "memory_class": "canonical",
        "sensitivity": 1,
        "pin": True,
        "ttl": "12w",
    }
    endings = [
        {"action": "retract", "key": "garden/pests", "content": "Slugs"},
        {"action": "close_task", "key": "garden/water", "status": "cancelled"},
    ]
    file = write(chat, line(annotations=[first]), line(annotations=[second, *endings], session="s"))
    _, soil, turn, buy, retract, close = list(read_chat(file, subjects=("ada",)))
    assert soil.cardinality is Cardinality.SINGLE
    assert soil.payload == {"concept": "soil", "relations": ("dry", "sandy"), "confidence": 0.5}
    assert soil.derives_from == ("line:1",)
    assert soil.mentions[0] == EntityRef("Olga", None, ("Oli",), ("https://example.org/people#olga",))
    assert soil.mentions[2] == EntityRef("garden")
    assert soil.relations == (EntityRelation("Olga", EdgeType.WORKS_AT, "Corner shop"),)
    assert turn.memory_class is None
    assert (buy.status, buy.priority, buy.deadline) == (TaskStatus.IN_PROGRESS, 2, 1_749_319_200_000)
    assert buy.links() == (
        (EdgeType.DERIVES_FROM, "line:2"),
        (EdgeType.DEPENDS_ON, "soil"),
        (EdgeType.REQUIRES, "soil"),
        (EdgeType.PART_OF, "soil"),
    )
    assert (buy.subjects, buy.session, buy.pin, buy.ttl, buy.sensitivity) == (("ada", "olga"), "s", True, "12w", 1.0)
    assert (retract.action, retract.key, retract.content) == ("retract", "garden/pests", "Slugs")
    assert (close.action, close.key, close.status) == ("close_task", "garden/water", TaskStatus.CANCELLED)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    ["role", "content", "timestamp", "session", "subjects", "annotations", "ref", "kind", "payload", "key", "mentions"]
)


@given(st.dictionaries(FIELDS, JSON, max_size=6), st.dictionaries(FIELDS, JSON, max_size=6))
def test_any_line_is_read_or_named(
    tmp_path_factory: pytest.TempPathFactory, turn: dict[str, Any], note: dict[str, Any]
) -> None:
    changed = line(**turn) if turn else line(annotations=[note])
    file = write(tmp_path_factory.getbasetemp() / "any.jsonl", line(), changed)
    conversation = read_chat(file, skip_bad=True)
    drafts = list(conversation)
    assert len(drafts) == len(conversation)
    assert len(conversation.bad_lines) + len({draft.source_ref for draft in drafts}) == 2
    assert all(item.line == 2 for item in conversation.bad_lines)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "bytes.jsonl"
    file.write_bytes(line().encode() + b"\n" + data)
    assert len(read_chat(file, skip_bad=True)) >= 1
