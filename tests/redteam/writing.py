"""Attempts of an agent, which may write: to learn from answers and refusals what is hidden, and to change it.

On the full side there is something hidden, on the other there is nothing. Where a refusal itself may rest on it, the
two sides may end otherwise, and no word of it may be told.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from marskg.drafts import Draft, EntityRef
from marskg.ontology.vocabulary import Kind
from tests.redteam.attempt import Book
from tests.redteam.stage import ANN, PRINCIPALS, hidden_id, visible_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.redteam.stage import Side

WORD: Final = "zqsaffron"
AGENT: Final = PRINCIPALS["agent"]
NEW: Final = visible_id(0x100)
_SECRET: Final[Mapping[str, Any]] = {"kind": "semantic", "sensitivity": 0.9, "subjects": ["Bob Dahl"]}
HIDDEN: Final = hidden_id("fact")
SEEN: Final = visible_id(0)


def stage(
    side: Side, said: str = f"Bob Dahl hides {WORD}", settings: Mapping[str, Any] | None = None, **given: Any
) -> Any:
    """Return a tenant as an agent has it: something is hidden on the full side, and one memory seen on both."""
    memory = side.fresh(**(settings or {}))
    memory.remember("Ann Lee likes green tea", kind="semantic", subjects=ANN, key="k/tea", id=SEEN)
    if side.full:
        memory.remember(said, id=HIDDEN, **{**_SECRET, **given})
    return side.as_(AGENT, memory)


def _draft(agent: Any, content: str, **given: Any) -> Draft:
    return Draft(ref="a", kind=Kind.SEMANTIC, content=content, at=agent.now(), **given)


def attempts() -> Book:
    book = Book()
    _by_id(book)
    _refused(book)
    _resolved(book)
    _shown(book)
    return book


def _add(
    book: Book,
    door: str,
    technique: str,
    ends: str,
    act: Callable[[Any], object],
    *,
    server: bool = False,
    **given: Any,
) -> None:
    book.add(door, "agent", technique, ends, lambda side: act(stage(side, **given)), words=(WORD,), server=server)


def _by_id(book: Book) -> None:
    """Name what is hidden in a write: as for an id that never was."""
    for name in ("derives_from", "depends_on", "requires", "contradicts", "attaches_to_goal"):
        kind = "task" if name == "requires" else "semantic"
        follows = partial(lambda given, agent: agent.remember("It follows", **given), {"kind": kind, name: [HIDDEN]})
        _add(book, "remember", f"a hidden id as {name}", "UnknownMemory", follows, server=name == "derives_from")
    doors: Mapping[str, Callable[[Any], object]] = {
        "remember": lambda agent: agent.remember("It is a part", kind="semantic", edges=[("partOf", HIDDEN)]),
        "remember_many": lambda agent: agent.remember_many([_draft(agent, "It follows", derives_from=(HIDDEN,))]),
        "update": lambda agent: agent.update(HIDDEN, "Bob Dahl hides nothing"),
        "link": lambda agent: agent.link(SEEN, "contradicts", HIDDEN),
        "unlink": lambda agent: agent.unlink(HIDDEN, "contradicts", SEEN),
        "tasks.amend": lambda agent: agent.tasks.amend(HIDDEN, status="done"),
        "learning.affirm": lambda agent: agent.learning.affirm(HIDDEN),
    }
    for door, act in doors.items():
        _add(book, door, "a hidden id in a write", "UnknownMemory", act, server=door in {"update", "link"})


def _refused(book: Book) -> None:
    """Be refused because of what is hidden: one fixed text, which says that alone."""
    key: dict[str, Any] = {"key": "k/plan"}
    doors: Mapping[str, Callable[[Any], object]] = {
        "remember": lambda agent: agent.remember("A plan", kind="semantic", subjects=["Bob Dahl"], **key),
        "retract": lambda agent: agent.retract("k/plan", subjects=["Bob Dahl"]),
        "remember_many": lambda agent: agent.remember_many([_draft(agent, "A plan", subjects=("Bob Dahl",), **key)]),
    }
    for door, act in doors.items():
        attempt = partial(lambda act, side: act(stage(side, **key)), act)
        book.add(
            door, "agent", "a key whose value is hidden", "NotPermitted", attempt, words=(WORD, HIDDEN), paired=False
        )

    def taken(side: Side) -> object:
        return stage(side).remember("I was here first", kind="semantic", id=HIDDEN)

    book.add("remember", "agent", "an id that is taken", "DuplicateId", taken, words=(WORD, "exists"), paired=False)

    def crammed(side: Side) -> object:
        said = f"Bob Dahl hides {WORD} " + "and more " * 40
        agent = stage(side, said, {"budget": 120}, pin=True)
        return agent.remember("a note that is long " * 15, kind="semantic")

    words = (WORD, HIDDEN, "protected")
    book.add("remember", "agent", "what hidden pins leave", "BudgetInfeasible", crammed, words=words, paired=False)


def _resolved(book: Book) -> None:
    """Let a write be resolved beside what is hidden, and look at all that comes back."""

    def after(agent: Any, **given: Any) -> list[object]:
        told = agent.remember("Ann Lee spoke of the lake", **{"kind": "episodic", "id": NEW, **given})
        return [told, agent.get(NEW), agent.history(NEW), agent.edges(NEW), agent.explain(NEW), agent.stats()]

    turn = {"kind": "episodic", "session": "s1"}
    _add(book, "remember", "after a hidden turn", "told", lambda agent: after(agent, session="s1"), server=True, **turn)
    _add(
        book, "remember", "beside a hidden entry of a ledger", "told",
        lambda agent: after(agent, key="k/paid", cardinality="append", subjects=["Bob Dahl"]),
        key="k/paid", cardinality="append",
    )  # fmt: skip
    _add(
        book, "remember", "what is about a hidden person", "told",
        lambda agent: after(agent, mentions=["Project Heron"]),
        mentions=[EntityRef("Bob Dahl", aliases=("Project Heron",))],
    )  # fmt: skip
    _add(
        book, "remember", "the same text as a hidden one", "told",
        lambda agent: agent.remember("Bob Dahl hides saffron", kind="semantic", id=NEW, subjects=["Bob Dahl"]),
        said="Bob Dahl hides saffron",
    )  # fmt: skip
    _add(
        book, "remember", "in conflict with a hidden one", "told",
        lambda agent: agent.remember("Bob Dahl lives in Oslo", kind="semantic", id=NEW, subjects=["Bob Dahl"]),
        said=f"Bob Dahl lives in Bergen and hides {WORD}", settings={"learning__conflicts": "flag"},
    )  # fmt: skip
    _add(
        book, "update", "beside hidden memories", "told",
        lambda agent: [_unnamed(agent.update(_own(agent), "Ann Lee likes black tea")), agent.stats()],
    )  # fmt: skip
    _add(
        book, "learning.wish", "about hidden memories", "told",
        lambda agent: [one.about for one in agent.learning.wish("remember more about Bob Dahl")],
    )  # fmt: skip


def _own(agent: Any) -> str:
    """Return the id of what an agent said itself, which it may give a new text."""
    return str(agent.remember("Ann Lee seems to like tea", kind="semantic", subjects=["Ann Lee"]).id)


def _unnamed(memory: Any) -> object:
    """Return what an update tells but for the new id, which is drawn."""
    return memory.content, memory.sequence, memory.notices, memory.weight, memory.sensitivity


def _shown(book: Book) -> None:
    """Learn from what feedback says."""

    def told(agent: Any) -> object:
        shown = agent.retrieve("what does Ann Lee like?")
        return [shown.id, agent.feedback(shown.id, used=[SEEN])]

    _add(book, "feedback", "on what was shown", "told", told, server=True)

    def named(agent: Any) -> object:
        shown = agent.retrieve("what does Ann Lee like?")
        return agent.feedback(shown.id, used=[HIDDEN])

    _add(book, "feedback", "naming what is hidden", "InvalidInput", named)

    def of_another(side: Side) -> object:
        agent = stage(side)
        log = agent._writer.fresh_state().access_log
        return agent.feedback(f"{log}#1", used=[SEEN])

    book.add("feedback", "agent", "a record by its number", "InvalidInput", of_another, words=(WORD,))

    def borrowed(side: Side) -> object:
        memory = side.fresh()
        memory.remember("Ann Lee likes green tea", kind="semantic", subjects=ANN, id=SEEN)
        name = side.as_("agent:other", memory).retrieve("what does Ann Lee like?").id
        return side.as_(AGENT, memory).feedback(name, used=[SEEN])

    book.add("feedback", "agent", "a showing of somebody else", "InvalidInput", borrowed, words=(WORD,))
