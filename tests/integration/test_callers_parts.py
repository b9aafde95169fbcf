"""What callers bring and take away: clocks, sources, readers of text, settings; copies of results; closed handles.

Whatever a part of the caller's returns, it is what its protocol says or refused in the product's words, and nothing of
the call is stored.
"""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, is_dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.api.awaited.making import CLASSES
from marskg.api.doors import _AFTER_CLOSING
from marskg.api.operations import OWNERS, operations
from marskg.clock import ManualClock, SeededSource
from marskg.extraction.proposal import Maker, Proposal, ProposalOperation, Span
from marskg.learning.from_text.plan import Learned
from marskg.ontology.vocabulary import Kind, Operation
from tests.support import hostile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from marskg.memory import AgentMemory

START = 1_800_000_000_000
VALUES = hostile.values()


def opened(folder: Path, **options: Any) -> AgentMemory:
    return marskg.open(folder, tenant="a", budget=2_000, embedding="none", **options)


# --- Clocks and sources ---------------------------------------------------------------------------------------------


class Telling:
    """A clock, a source and a reader of text, which returns whatever it was given."""

    def __init__(self, value: object) -> None:
        self.value = value

    def now_ms(self) -> Any:
        return self.value

    def token(self, _size: int) -> Any:
        return self.value

    def extract(self, _turns: object) -> Any:
        return self.value


class Jumping(ManualClock):
    """A clock whose elapsed time is none."""

    def elapsed_ms(self) -> Any:
        return "a while"


NO_TIMES = [name for name, value in VALUES.items() if not isinstance(value, int) or isinstance(value, bool)]


@pytest.mark.parametrize("name", NO_TIMES)
def test_a_clock_that_tells_no_time_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(marskg.InvalidInput, match=r"clock\.now_ms\(\) returned a value of type .*must return whole"):
        opened(tmp_path / "store", clock=Telling(VALUES[name]))


def test_a_clock_that_breaks_later_stores_nothing(tmp_path: Path) -> None:
    clock = Telling(START)
    with opened(tmp_path / "store", clock=clock) as memory:
        memory.remember("Ann waters the tomatoes", session="s")
        clock.value = 1.5
        with pytest.raises(marskg.InvalidInput, match="whole milliseconds"):
            memory.remember("Ann waters the beans", session="s")
        clock.value = START + 1
        assert [one.content for one in memory.memories()] == ["Ann waters the tomatoes"]
        assert memory.verify().findings == ()
    with pytest.raises(marskg.InvalidInput, match=r"clock\.elapsed_ms"):
        opened(tmp_path / "other", clock=Jumping(START))


@pytest.mark.parametrize("given", [None, "a", b"", b"a", bytearray(32), 5], ids=repr)
def test_a_source_that_gives_too_little_is_refused(tmp_path: Path, given: object) -> None:
    with pytest.raises(marskg.InvalidInput, match=r"source\.token\(32\) returned .*must return 32 random bytes"):
        opened(tmp_path / "store", source=Telling(given))


# --- Readers of text ------------------------------------------------------------------------------------------------

SOUND = Proposal(
    ProposalOperation.ADD, Kind.SEMANTIC, "Ann has tomatoes", Span(0, 0, 3), Maker("mine"), 0.9, subjects=("Ann",)
)
OTHERS: dict[str, dict[str, Any]] = {
    "operation": {"operation": "add"},
    "kind": {"kind": "semantic"},
    "content": {"content": None},
    "span": {"span": (0, 0, 1)},
    "place": {"span": Span("0", 0, 1)},  # type: ignore[arg-type]  # the case
    "maker": {"maker": None},
    "rule": {"maker": Maker(5)},  # type: ignore[arg-type]  # the case
    "confidence": {"confidence": "sure"},
    "subjects": {"subjects": "Ann"},
    "cardinality": {"cardinality": "many"},
}
UNSOUND: dict[str, object] = {
    "nothing": None,
    "no list": 5,
    "a text": "Ann has tomatoes",
    "no proposal": [SOUND, "Ann has tomatoes"],
    **{f"another {name}": [SOUND, replace(SOUND, **change)] for name, change in OTHERS.items()},
}
#: What is refused by itself, with the sound one beside it kept.
WRONG: dict[str, dict[str, Any]] = {
    "characters that are none": {"span": Span(0, 0, 999)},
    "a span backwards": {"span": Span(0, 3, 1)},
    "more than sure": {"confidence": 9},
    "no number": {"confidence": float("nan")},
    "a lone surrogate": {"content": "a\ud800"},
    "a payload of numbers": {"payload": {1: 2}},
    "an endless time": {"valid_from": -(2**60)},
    "subjects that are none": {"subjects": (5,)},
}


@pytest.mark.parametrize("name", UNSOUND)
def test_a_reader_that_returns_no_proposals_is_refused(tmp_path: Path, name: str) -> None:
    with opened(tmp_path / "store") as memory:
        with pytest.raises(marskg.InvalidInput, match=r"extractor\.extract\(\) returned what is not as proposals are"):
            memory.learn("Ann has tomatoes.", extractor=Telling(UNSOUND[name]))
        assert list(memory.memories()) == []


@pytest.mark.parametrize("name", WRONG)
def test_a_proposal_with_a_wrong_value_is_refused_by_itself(tmp_path: Path, name: str) -> None:
    with opened(tmp_path / "store") as memory:
        learned = memory.learn("Ann has tomatoes.", extractor=Telling([replace(SOUND, **WRONG[name]), SOUND]))
        assert isinstance(learned, Learned)
        assert learned.counts() == {"refused": 1, "stored": 1}, str(learned)
        assert memory.verify().findings == ()


def test_a_reader_may_yield_its_proposals(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        learned = memory.learn("Ann has tomatoes.", extractor=Telling(iter([SOUND])))
        assert isinstance(learned, Learned)
        assert len(learned.facts) == 1


# --- Classes that are exported ----------------------------------------------------------------------------------------

#: Methods of results that work with values of the result's own, :meth:`Principal.of`, which takes anything, and what
#: has a test of its own.
OWN = {"Memory.scored", "Preference.in_force", "Principal.of", "Profile.horizon", "SubjectReport.written"}


class Counting:
    """A counter of characters."""

    def count(self, text: str) -> int:
        return len(text)


#: What each of the other methods needs; a new one has to take its place here.
TAKING: dict[str, tuple[Callable[..., object], dict[str, Any]]] = {
    "ContextWindow.of_texts": (
        marskg.ContextWindow.of_texts,
        {"size": 9, "system": "", "query": "", "answer": 1, "counter": Counting()},
    ),
    "Settings.checked": (marskg.Settings().checked, {"source": "me"}),
    "Settings.embedded_by": (marskg.Settings().embedded_by, {"model": "static"}),
    "Settings.encrypted_as": (marskg.Settings().encrypted_as, {"encryption": "off"}),
    "Settings.from_json": (marskg.Settings.from_json, {"text": "{}"}),
    "Settings.from_mapping": (marskg.Settings.from_mapping, {"nested": {}}),
    "Settings.from_yaml": (marskg.Settings.from_yaml, {}),
    "Settings.life": (marskg.Settings().life, {}),
    "Settings.on_engine": (marskg.Settings().on_engine, {}),
    "Settings.with_values": (marskg.Settings().with_values, {"values": {}}),
}


def test_what_takes_something_is_looked_at() -> None:
    # What operations take is looked at there, awaited or not.
    owners = {*(owner for owner, _, _ in OWNERS), *CLASSES.values()}
    exported = {one for name in marskg.__all__ if inspect.isclass(one := getattr(marskg, name))} - owners
    taking = {
        f"{one.__name__}.{name}"
        for one in exported
        if not issubclass(one, (BaseException, int))
        for name, method in inspect.getmembers(one, lambda found: inspect.isfunction(found) or inspect.ismethod(found))
        if not name.startswith("_") and inspect.signature(method).parameters.keys() - {"self"}
    }
    assert taking == TAKING.keys() | OWN


@pytest.mark.parametrize("name", TAKING)
def test_what_a_class_takes_is_done_or_refused(name: str) -> None:
    method, needed = TAKING[name]
    for parameter in inspect.signature(method).parameters:
        for value in VALUES.values():
            # Bytes have a method of the name, too.
            if parameter != "counter" or not hasattr(value, "count"):
                with suppress(marskg.MarsError):
                    method(**{**needed, parameter: value})


def test_a_report_is_written_in_a_form_that_there_is(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        report = memory.privacy.report("ann")
        assert report.written("md") == report.as_markdown()
        with pytest.raises(marskg.InvalidInput, match="form is none of jsonld, html, md"):
            report.written("pdf")


# --- Results elsewhere ------------------------------------------------------------------------------------------------


def test_what_callers_get_can_be_copied_and_sent(tmp_path: Path) -> None:
    with opened(tmp_path / "store", clock=ManualClock(START), source=SeededSource(1)) as memory:
        one = memory.remember("Ann waters the tomatoes", subjects=["ann"], key="garden", metadata={"rows": [1, 2]})
        results = [
            one,
            marskg.Settings(),
            memory.settings.current,
            marskg.Draft(ref="a", kind=Kind.SEMANTIC, content="x", at=START),
            marskg.Draft(
                ref="a", kind=Kind.SEMANTIC, content="x", at=START, payload={"attribute": "a"}, metadata={"b": 1}
            ),
            SOUND,
            memory.retrieve("tomatoes"),
            memory.plan(budget=0),
            memory.explain(one.id),
            memory.preferences.effective(),
            memory.learn("I live in Oslo.", dry_run=True),
            memory.verify(),
            memory.erase(subject="ann"),
        ]
        for result in results:
            assert repr(pickle.loads(pickle.dumps(result))) == repr(result)  # noqa: S301 - what was just written
            assert repr(copy.deepcopy(result)) == repr(result)
            if is_dataclass(result) and not isinstance(result, type):
                assert asdict(result)


# --- After the end --------------------------------------------------------------------------------------------------


def test_a_memory_that_is_closed_says_so_at_every_door(tmp_path: Path) -> None:
    memory = opened(tmp_path / "store")
    memory.remember("Ann waters the tomatoes", session="s")
    tenant = hostile.Tenant(memory, tmp_path)
    private = memory.privacy.private_mode("30m")
    parts = {"preferences": memory.preferences, "privacy.private_mode()": private}
    parts |= {
        way: getattr(memory, way) for way in {one.name.partition(".")[0] for one in operations() if "." in one.name}
    }
    memory.close()
    for one in operations():
        way, _, name = one.name.rpartition(".")
        if one.name == "open" or one.name in _AFTER_CLOSING or (way, name) == ("privacy.private_mode()", "close"):
            continue
        with pytest.raises(marskg.EngineUnavailable, match="the store is closed; open it again"):
            getattr(parts[way] if way else memory, name)(**hostile.base(one, tenant))
    memory.close()
    with pytest.raises(marskg.EngineUnavailable, match="the store is closed; open it again"), memory:
        pass


ENDING = """
import atexit, sys, marskg
memory = marskg.open(sys.argv[1], tenant="a", budget=2_000, embedding="none")
memory.remember("Ann waters the tomatoes", session="s")
def last():
    print(memory.retrieve("tomatoes")[0].memory.content, flush=True)
atexit.register(last)
"""


def test_what_is_read_while_the_program_ends_is_recorded(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDING, str(tmp_path / "store")],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout.strip(), done.stderr.strip()) == (0, "Ann waters the tomatoes", "")
    with opened(tmp_path / "store") as memory:
        assert any(one.operation is Operation.ACCESS for one in memory.audit.records(log="accesses"))
        assert memory.verify().findings == ()
