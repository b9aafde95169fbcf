"""What operations return: frozen, sent elsewhere and back, on one screen, as plain data, as a table and as HTML.

Which types those are is read from the table of operations, so that a new one is asked the same.
"""

from __future__ import annotations

import copy
import json
import pickle
import re
import sys
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.answer import Answer
from marskg.api.checks import ConsistencyProof, InclusionProof
from marskg.api.operations import operations
from marskg.clock import ManualClock, SeededSource
from marskg.exporters.queries.runner import QueryResult
from marskg.policies.builtin.private import Balance
from marskg.records import Stored
from marskg.store.upkeep.maintenance import Stats

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from marskg.memory import AgentMemory

START = 1_800_000_000_000
#: What a notebook or a terminal would obey, if it were not written otherwise.
HOSTILE = '<script>alert("1")</script><img src=x onerror=y> & \u202egnol\u202c \x1b[2J\nnext'
#: What operations return that is a door to others, or no type of ours.
OTHERS = {"Any", "None", "Iterator", "AgentMemory", "PrivateMode"}
#: Dicts whose keys are documented: they were dicts before, and callers write them as JSON.
DICTS = {one.__name__: one for one in (Stats, InclusionProof, ConsistencyProof, Balance)}


def below(kind: type[Any]) -> Iterator[type[Any]]:
    for one in kind.__subclasses__():
        # A dataclass with slots is made twice, and the first is nobody's.
        if getattr(sys.modules[one.__module__], one.__name__, None) is one:
            yield one
        yield from below(one)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return an answer of each operation that can be asked of one small tenant, by its name."""
    folder = tmp_path_factory.mktemp("answers")
    memory = marskg.open(
        folder / "store", tenant="a", budget=4_000, embedding="none", clock=ManualClock(START), source=SeededSource(1)
    )
    with memory:
        return dict(asked(memory, str(folder / "out.nq")))


def asked(memory: AgentMemory, out: str) -> Iterator[tuple[str, Any]]:
    one = memory.remember(f"Ann waters the tomatoes {HOSTILE}", subjects=["ann"], key="garden", metadata={"rows": [1]})
    for number in range(40):
        memory.remember(f"Tomato {number} of the garden is red, {'very ' * 30}red", session="s", mentions=["Bob Dahl"])
    hits = memory.retrieve("tomatoes of the garden", k=30, token_budget=3_000)
    yield from {
        "remember": one,
        "remember_many": memory.remember_many([]),
        "retrieve": hits,
        "retrieve.hit": hits[0],
        "retrieve nothing": memory.retrieve("zebra", min_confidence=1),
        "read_all": memory.read_all(sessions="s", token_budget=3_000),
        "get": memory.get(one.id),
        "explain": memory.explain(one.id),
        "feedback": memory.feedback(str(hits.id), used=[hits[0].memory.id]),
        "plan": memory.plan(budget=0),
        "maintain": memory.maintain(dry_run=True),
        "validate": memory.validate(),
        "verify": memory.verify(),
        "export": memory.export(out),
        "sparql": memory.sparql("SELECT ?s ?p ?o { ?s ?p ?o }"),
        "cypher": memory.cypher("MATCH (m:Memory) RETURN m.id AS id, m.weight AS weight"),
        "entities.merge": memory.entities.merge(*[found.id for found in entities(memory)]),
        "learn": memory.learn("I live in Oslo.", dry_run=True),
        "learned": (learned := memory.learn("I live in Oslo.")),
        "learning.undo": memory.learning.undo(learned.call),
        "learning.review": memory.learning.review(),
        "learning.wish": memory.learning.wish("Please forget the zebra", subject="ann")[0],
        "policy.compare": memory.policy.compare(["fifo", "lru"], budget=100),
        "privacy.report": memory.privacy.report("ann"),
        "privacy.redact": memory.privacy.redact("call 0151 23456789"),
        "privacy.match_erasure": memory.privacy.match_erasure(subject="ann"),
        "privacy.grant": memory.privacy.grant("reader:bot", ceiling=0.5, lasts="1h"),
        "privacy.retention": memory.privacy.retention("factual", "1d"),
        "preferences.set": memory.preferences.set("retention", target="episodic", horizon="30d"),
        "preferences.list": memory.preferences.list()[0],
        "preferences.effective": memory.preferences.effective(),
        "audit.sign_head": memory.audit.sign_head(),
        "audit.who_saw": memory.audit.who_saw(hits[0].memory.id),
        "audit.receipt": memory.audit.receipt(one.id),
        "audit.records": next(iter(memory.audit.records())),
        "audit.seal": memory.audit.seal(before=START, dry_run=True),
        "maintenance.reweigh": memory.maintenance.reweigh(dry_run=True),
        "edges": memory.edges(hits[0].memory.id)[0],
        "erase": memory.erase(subject="ann", dry_run=True),
    }.items()


def entities(memory: AgentMemory) -> list[Any]:
    memory.remember("Bobby came by", mentions=["Bobby Dahl"])
    return [one for one in memory.entities.list() if "Dahl" in one.name][:2]


# --- Which types ------------------------------------------------------------------------------------------------------


def test_every_type_that_an_operation_returns_is_an_answer() -> None:
    returned = {name for one in operations() for name in re.findall(r"\b[A-Z]\w+", one.result)} - OTHERS - DICTS.keys()
    assert len(returned) > 30
    assert returned <= {one.__name__ for one in below(Answer)}


def test_a_dict_stays_one_and_has_the_keys_that_are_documented(tmp_path: Path) -> None:
    with marskg.open(tmp_path / "store", tenant="a", budget=2_000, embedding="none") as memory:
        memory.remember("Ann waters the tomatoes")
        size = memory.audit.sign_head().size
        found: list[tuple[Any, str]] = [
            (memory.stats(), "Stats"),
            (memory.audit.prove(1), "InclusionProof"),
            (memory.audit.prove_consistency(size), "ConsistencyProof"),
        ]
        with marskg.open(tmp_path / "store", tenant="a", principal="reader:bot?ceiling=0.5") as reader:
            found.append((reader.stats(), "Stats"))
        assert memory.stats()["weight"] == memory.weight
    for one, name in found:
        assert type(one) is dict
        assert json.loads(json.dumps(one)) == one
        assert one.keys() <= DICTS[name].__annotations__.keys()
    assert Stats.__annotations__.keys() - found[0][0].keys() == {"partitions", "allowances"}


def test_every_answer_is_frozen_and_has_no_dict_of_its_own() -> None:
    for one in below(Answer):
        if one is not Stored:
            assert is_dataclass(one), one
            assert one.__dataclass_params__.frozen, one  # type: ignore[attr-defined]  # of every dataclass
            assert "__dict__" not in dir(one), f"{one}: more memory and slower to make"
    with pytest.raises(FrozenInstanceError):
        Stored(3).known = 4


# --- In other processes -----------------------------------------------------------------------------------------------


def test_an_answer_comes_back_equal_from_elsewhere(answers: dict[str, Any]) -> None:
    for name, one in answers.items():
        assert pickle.loads(pickle.dumps(one)) == one, name  # noqa: S301 - what was just written
        assert copy.deepcopy(one) == one, name
    stored = pickle.loads(pickle.dumps(Stored(3, ("notice",), 2)))  # noqa: S301 - as above
    assert (stored, stored.notices, stored.known) == (3, ("notice",), 2)


# --- On one screen ----------------------------------------------------------------------------------------------------


def large(answers: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield all answers, and those that can be of any size once more, as large as nobody has them."""
    yield from answers.items()
    for name in ("plan", "retrieve", "explain", "sparql", "audit.who_saw", "verify"):
        one = answers[name]
        listed = type(one)._LISTED
        rows = getattr(one, listed) or (marskg.Finding("code", "where", "message " * 999),)
        yield f"large {name}", replace(one, **{listed: rows * 100})
    memory = answers["remember"]
    yield "long", replace(memory, content="long " * 200_000, subjects=("ann",) * 100_000, jurisdiction="x" * 9_999)


def test_an_answer_of_any_size_stands_on_one_screen(answers: dict[str, Any]) -> None:
    for name, one in large(answers):
        text = repr(one)
        assert len(text) <= 2_000, name
        assert len(text.splitlines()) <= 20, name
        assert max(map(len, text.splitlines())) <= 120, name
        assert text.replace("\n", "").isprintable(), f"{name}: steers the terminal"


def test_what_is_left_out_is_counted(answers: dict[str, Any]) -> None:
    plan = answers["plan"]
    assert len(plan.actions) > 30
    shown = len(re.findall(r"^        Action\(", repr(plan), re.MULTILINE))
    assert f"        … {len(plan.actions) - shown} more of {len(plan.actions)}\n" in repr(plan)
    assert re.search(r"… \d+ more fields\n\)$", repr(plan))
    assert re.search(r"stages=\{.*, … \d+ more\}", repr(answers["retrieve"]))
    first = answers["retrieve"][0]
    assert f"Hit(score={first.score!r}, memory=Memory(content={first.memory.content[:12]!r}"[:-1] in repr(
        answers["retrieve"]
    )


def test_a_small_answer_is_written_as_a_dataclass_is() -> None:
    finding = marskg.Finding("range", "urn:x", "is not a number")
    assert repr(marskg.Report(16)) == "Report(checked=16, findings=())"
    assert repr(marskg.Report(1, (finding,))) == f"Report(checked=1, findings=({finding!r},))"
    lines = repr(marskg.Report(1, (finding, finding))).splitlines()
    assert lines[:3] == ["Report(", "    checked=1,", "    findings=("]
    assert lines[3:] == [f"        {finding!r},"] * 2 + ["    ),", ")"]
    assert repr(finding) == "Finding(code='range', where='urn:x', message='is not a number', severity='error')"
    assert repr(QueryResult(("a",), ((1,),), 3)) == "QueryResult(columns=('a',), rows=((1,),), sequence=3)"
    assert repr(Stored(5, ("notice",))) == str(Stored(5)) == "5"


# --- In a notebook ----------------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """The tags and attributes of a text, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[Any] = []
        self.rows = 0
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[Any]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        self.rows += tag == "tr"

    def handle_data(self, data: str) -> None:
        self.words += data


def test_html_is_a_small_table_in_which_nothing_remembered_is_markup(answers: dict[str, Any]) -> None:
    hostile = QueryResult((HOSTILE, "b"), ((HOSTILE, HOSTILE),), 1)
    for name, one in [*large(answers), ("hostile", hostile)]:
        found = Tags(one._repr_html_())
        assert found.tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}, name
        assert found.attributes == [], name
        assert found.rows <= 21, name
        assert len(found.words) <= 10_000, name
        assert found.words.isprintable(), f"{name}: reorders what is shown"
    assert "<script>alert(" in Tags(answers["remember"]._repr_html_()).words
    assert "<script>alert(" in Tags(hostile._repr_html_()).words
    assert Tags(answers["retrieve"]._repr_html_()).words.startswith(f"Hits: 10 of {len(answers['retrieve'])}score")


# --- As plain data ----------------------------------------------------------------------------------------------------


def test_plain_data_is_a_dict_for_each_row_and_loses_nothing(answers: dict[str, Any]) -> None:
    for name, one in large(answers):
        rows = one.to_dicts()
        assert json.loads(json.dumps(rows, allow_nan=False)) == rows, name
        listed = type(one)._LISTED
        assert len(rows) == (len(getattr(one, listed)) if listed else 1), name
    first = answers["retrieve"][0]
    assert answers["retrieve"].to_dicts()[0]["memory"]["content"] == first.memory.content
    assert [*answers["retrieve"].to_dicts()[0]] == [one.name for one in fields(first)]
    assert answers["remember"].to_dicts()[0]["metadata"] == {"rows": [1]}
    assert answers["cypher"].to_dicts()[0] == dict(zip(("id", "weight"), answers["cypher"].rows[0], strict=True))
    told = {"count": 5, "notices": ["notice"], "known": 1, "not_kept": 2}
    assert Stored(5, ("notice",), 1, 2).to_dicts() == [told]


def test_a_table_has_the_rows(answers: dict[str, Any]) -> None:
    pandas = pytest.importorskip("pandas")
    for name, one in answers.items():
        frame = one.to_pandas()
        assert isinstance(frame, pandas.DataFrame), name
        assert len(frame) == len(one.to_dicts()), name
    hits = answers["retrieve"]
    assert list(hits.to_pandas()["memory.content"]) == [hit.memory.content for hit in hits]
    assert list(QueryResult(("a", "b"), (), 1).to_pandas().columns) == ["a", "b"]


def test_without_pandas_the_way_out_is_named(answers: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(marskg.MarsError, match=r"pip install pandas; to_dicts needs nothing$"):
        answers["plan"].to_pandas()
    assert answers["plan"].to_dicts()
