"""What was corrected or retracted stays so: neither its old turn, nor a job, a summary or a copy brings it back."""

from __future__ import annotations

import json
from datetime import UTC
from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import EngineUnavailable
from marskg.extraction.by_rules import RuleExtractor
from marskg.extraction.proposal import Maker, Proposal, ProposalOperation, Span
from marskg.learning.from_text.plan import Learned
from marskg.ontology.vocabulary import Cardinality, Kind
from marskg.sources.chat import read_chat
from tests.support.consolidating import consolidated, line, summary_of, texts
from tests.support.consolidating import current as summaries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from marskg.extraction.proposal import Turn
    from marskg.memory import AgentMemory
    from marskg.records import Memory
    from tests.support.stores import Stores

DAY = 86_400_000
#: 2026-02-01T00:00:00Z
FIRST = 1_769_904_000_000
#: What is said first, by how its key holds values.
SAID = {
    "single": "I live in Oslo.",
    "set": "I like tea.",
    "task": "Remind me to call the dentist.",
    "no key": "I run every morning before work.",
    "ledger": "Groceries: 54.20 €",
}
#: How a person says later that it is not so any more: another value, or none.
LATER = {"single": "I moved to Bergen.", "set": "I hate tea."}
NO_LONGER = {
    "single": "I no longer live in Oslo.",
    "set": "I don't like tea anymore.",
    "task": "I no longer need to call the dentist.",
}
MENDED = "Ana knows it better now"


def said(text: str, day: int = 0, **fields: Any) -> dict[str, Any]:
    when = FIRST + day * DAY
    return {"role": "user", "content": text, "timestamp": when, "speaker": "Ana", "session": "talk", **fields}


def learn(mem: AgentMemory, given: Any, **options: Any) -> Learned:
    found = mem.learn(given, **options)
    assert isinstance(found, Learned)
    return found


def facts(mem: AgentMemory) -> list[Memory]:
    found = (one for one in mem.memories() if one.kind is not Kind.EPISODIC and one.tier == "live")
    return [one for one in found if one.current and (one.kind is not Kind.TASK or one.active)]


def contents(mem: AgentMemory) -> list[str]:
    return sorted(one.content or "" for one in facts(mem))


def sound(mem: AgentMemory) -> None:
    assert mem.validate(full=True).findings == ()
    assert mem.verify().findings == ()


# --- How it is corrected, and how it might come back ------------------------------------------------------------------


def later(mem: AgentMemory, how: str) -> None:
    learn(mem, said(LATER[how], 2))


def no_longer(mem: AgentMemory, how: str) -> None:
    learn(mem, said(NO_LONGER[how], 2))


def update(mem: AgentMemory, _: str) -> None:
    (fact,) = facts(mem)
    mem.update(fact.id, MENDED)


def retract(mem: AgentMemory, _: str) -> None:
    (fact,) = facts(mem)
    content = None if fact.cardinality is Cardinality.SINGLE else fact.content
    mem.retract(str(fact.key), subjects=fact.subjects, content=content)


CORRECTED: list[Any] = [
    *(pytest.param(how, later, id=f"{how}-later") for how in LATER),
    *(pytest.param(how, no_longer, id=f"{how}-no-longer") for how in NO_LONGER),
    *(pytest.param(how, update, id=f"{how}-update") for how in SAID),
    *(pytest.param(how, retract, id=f"{how}-retract") for how in SAID if how != "no key"),
]
#: Of what has no key it is another event; when a task was closed is not told by it.
LATE = [one for one in CORRECTED if one.values[0] in {"single", "set"} or one.id in {"task-update", "task-retract"}]


class Once(RuleExtractor):
    """Reads as the rules do, once it does not fail."""

    stores_first = True
    fails = False

    def extract(self, turns: Sequence[Turn]) -> Iterator[Proposal]:
        if self.fails:
            msg = "the model does not answer; try again later"
            raise EngineUnavailable(msg)
        return super().extract(turns)


def corrected(stores: Stores, how: str, correct: Callable[[AgentMemory, str], None]) -> tuple[AgentMemory, str]:
    """Return a memory in which something was said and corrected, with the id of the turn that said it."""
    mem = stores.open()
    turn = learn(mem, said(SAID[how])).turns[0]
    learn(mem, said("Good morning!", 1))
    before = contents(mem)
    stores.clock(mem).advance(DAY)
    correct(mem, how)
    assert len(before) == 1
    assert before[0] not in contents(mem)
    return mem, turn


def file_of(tmp_path: Path, *turns: dict[str, Any]) -> Path:
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(map(json.dumps, turns)), encoding="utf-8")
    return path


@pytest.mark.parametrize(("how", "correct"), CORRECTED)
def test_its_old_turn_brings_nothing_back(
    stores: Stores, tmp_path: Path, how: str, correct: Callable[[AgentMemory, str], None]
) -> None:
    mem, turn = corrected(stores, how, correct)
    holds = contents(mem)
    path = file_of(tmp_path, said(SAID[how]), said("Good morning!", 1))
    again = mem.remember(SAID[how], subjects=["Ana"], session="talk", at=FIRST).id
    for given in (said(SAID[how]), [said(SAID[how]), said("Hello!", 3)], turn, read_chat(path), read_chat(path), again):
        learn(mem, given)
        assert contents(mem) == holds
    assert len([one for one in mem.memories() if one.kind is not Kind.EPISODIC]) <= 2
    sound(mem)


@pytest.mark.parametrize(("how", "correct"), CORRECTED)
def test_no_job_brings_it_back(stores: Stores, how: str, correct: Callable[[AgentMemory, str], None]) -> None:
    mem, _ = corrected(stores, how, correct)
    holds = contents(mem)
    mem.maintain()
    for resolve in ("flag", "newest", "most_reliable", "review"):
        mem.learning.conflicts(resolve=resolve)
    assert contents(mem) == holds
    mem.settings.set(None, {"learning.conflicts": "newest"})
    mem.remember("It rained the whole day", subjects=["Ana"])
    mem.learning.read_backlog()
    stores.clock(mem).advance(400 * DAY)
    mem.maintain()
    assert set(contents(mem)) <= set(holds)
    sound(mem)


@pytest.mark.parametrize(("how", "correct"), LATE)
def test_a_turn_that_is_read_too_late_brings_nothing_back(
    stores: Stores, how: str, correct: Callable[[AgentMemory, str], None]
) -> None:
    mem = stores.open()
    learn(mem, said(SAID[how]))
    reader = Once(UTC)
    reader.fails = True
    assert learn(mem, said(SAID[how], 1, session="another"), extractor=reader).unread == 1
    stores.clock(mem).advance(DAY)
    correct(mem, how)
    holds = contents(mem)
    assert len(mem.learning.read_backlog().turns) == 1
    assert contents(mem) == holds
    sound(mem)


def test_a_value_that_was_said_before_its_key_was_retracted_is_history(stores: Stores) -> None:
    mem = stores.open()
    learn(mem, said("I live in Oslo."))
    reader = Once(UTC)
    reader.fails = True
    learn(mem, said("I moved to Turku.", 1), extractor=reader)
    stores.clock(mem).advance(DAY)
    mem.retract("profile/home", subjects=["Ana"])
    (read,) = mem.learning.read_backlog().facts
    assert contents(mem) == []
    turku = mem.get(read)
    assert turku is not None
    assert (turku.content, turku.current, turku.valid_from) == ("Ana lives in Turku", False, FIRST + DAY)
    later = learn(mem, {"content": "I live in Bergen.", "speaker": "Ana"})
    assert later.facts
    assert contents(mem) == ["Ana lives in Bergen"], "what is said after that is no old word"
    sound(mem)


def test_a_turn_that_was_corrected_is_not_read_as_it_was(stores: Stores) -> None:
    mem = stores.open()
    old = mem.remember("I live in Oslo.", subjects=["Ana"])
    new = mem.update(old.id, "I live in Lund.")
    assert learn(mem, old.id).known == 1
    assert contents(mem) == []
    learn(mem, [old.id, new.id])
    assert contents(mem) == ["Ana lives in Lund"]
    sound(mem)


# --- Summaries --------------------------------------------------------------------------------------------------------

STORY = "I live in Oslo near the harbour. I bought a red bicycle. The boats in the harbour were out until late."
NEIGHBOURS = (
    "The weather in the harbour was mild and the boats were out until late.",
    "We walked along the harbour and looked at the boats until late.",
    "The harbour was full of boats and the weather stayed mild until late.",
)


@pytest.mark.parametrize("first", ["summary", "correction"])
@pytest.mark.parametrize("how", ["later", "no longer", "update", "retract"])
def test_a_summary_does_not_say_what_was_corrected(stores: Stores, how: str, first: str) -> None:
    mem = stores.open(
        policy__name="reflection-summary",
        reflection__share=0.9,
        reflection__similarity=0.1,
        reflection__tau_util=1.9,
        reflection__tau_priv=0.0,
        reflection__s_floor=1.0,
    )
    learn(mem, [said(STORY), *(said(text, timestamp=FIRST + 1 + place) for place, text in enumerate(NEIGHBOURS))])

    def correct() -> None:
        stores.clock(mem).advance(DAY)
        home = next(one for one in facts(mem) if one.key == "profile/home")
        match how:
            case "later":
                learn(mem, said("I moved to Bergen.", 2))
            case "no longer":
                learn(mem, said("I no longer live in Oslo.", 2))
            case "update":
                mem.update(home.id, "Ana lives in Lund")
            case _:
                mem.retract("profile/home", subjects=["Ana"])

    if first == "correction":
        correct()
    mem.forget(mem.plan(budget=mem.weight - 8))
    if first == "summary":
        (before,) = summaries(mem)
        assert "Oslo" in (before.content or "")
        correct()
    (summary,) = summaries(mem)
    assert "I bought a red bicycle." in texts(summary)
    assert NEIGHBOURS[1] in texts(summary)
    assert not any("I live in Oslo" in text for text in texts(summary))
    assert "Ana lives in Oslo" not in contents(mem)
    sound(mem)


class Long:
    """Reads the same long text out of every turn."""

    def __init__(self, text: str) -> None:
        self._text = text

    def extract(self, turns: Sequence[Turn]) -> list[Proposal]:
        add, maker = ProposalOperation.ADD, Maker("test.long")
        return [
            Proposal(add, Kind.SEMANTIC, self._text, span=Span(number, 0, 9), maker=maker, confidence=0.9)
            for number, _ in enumerate(turns)
        ]


def test_a_text_that_is_shortened_takes_no_line_out_of_a_summary(stores: Stores) -> None:
    mem = stores.open(policy__name="reflection-summary", lean__compress_below=100, lean__compress_longer_than=40)
    ids = [mem.remember(f"{text} {STORY}", session="s", subjects=["Ana"]).id for text in NEIGHBOURS]
    words = "Ana lives in Oslo near the harbour and looks at the boats."
    long = " ".join([words] * 12)
    assert learn(mem, ids[0], extractor=Long(long)).facts
    made = summary_of(ids, line(words, ids[0]))
    consolidated(mem, made)
    stores.clock(mem).advance(400 * DAY)
    assert mem.maintain().shortened
    (summary,) = summaries(mem)
    assert "Oslo" in (summary.content or "")


# --- Taking back, copies ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", LATER)
def test_to_take_a_correction_back_is_to_let_hold_what_it_corrected(stores: Stores, how: str) -> None:
    """That is what taking back is for; what took its place by hand since stays."""
    mem = stores.open()
    learn(mem, said(SAID[how]))
    before = contents(mem)
    call = learn(mem, said(LATER[how], 2)).call
    mem.learning.undo(call)
    assert contents(mem) == before
    learn(mem, said(LATER[how], 2))
    assert contents(mem) == before, "the turn was read, and what was taken back is not read from it again"
    sound(mem)


@pytest.mark.parametrize(("how", "correct"), CORRECTED)
def test_a_copy_brings_nothing_back(
    stores: Stores, tmp_path: Path, how: str, correct: Callable[[AgentMemory, str], None]
) -> None:
    mem, turn = corrected(stores, how, correct)
    holds = contents(mem)
    mem.export(tmp_path / "export.jsonld")
    copy = stores.open()
    stores.clock(copy).advance(2 * DAY)
    copy.load(tmp_path / "export.jsonld")
    path = file_of(tmp_path, said(SAID[how]))
    for given in (said(SAID[how]), turn, read_chat(path)):
        learn(copy, given)
        assert contents(copy) == holds
    sound(copy)
    mem.snapshots.save(tmp_path / "saved.snapshot")
    mem.snapshots.load(tmp_path / "saved.snapshot")
    for given in (said(SAID[how]), turn, read_chat(path)):
        learn(mem, given)
        assert contents(mem) == holds
    sound(mem)
