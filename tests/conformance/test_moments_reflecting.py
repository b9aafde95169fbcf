"""Erasing while somebody reflects: nothing of what was erased is in a summary afterwards, whoever came first.

The erasure begins at one point of the pass, in a thread or a handle of its own; where it has to wait, the pass goes on
when it is seen to wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.answer import plain
from marskg.errors import StalePlan
from marskg.learning.housekeeping import cycle
from marskg.ontology.vocabulary import SourceType
from marskg.reflection.extractive import ExtractiveSummariser
from marskg.retrieval.assembly.excerpt import excerpt
from marskg.store.commit.writer import Writer
from tests.support.chat_server import chat_server
from tests.support.queueing import Aside, Queue
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

QUICK: dict[str, Any] = {"sensitivity__assess": "off"}
SECRET = "zyxquartz"
POLICIES = pytest.mark.parametrize("policy", ["reflection-summary", "hybrid"])
#: What an erasure may be asked for, so that it takes the episodes with the secret and leaves the rest.
ERASURES: dict[str, Any] = {"session": {"session": "s"}, "source": {"source": "diary"}}


def filled(stores: Stores, **settings: Any) -> AgentMemory:
    """Return a tenant whose episodes are about one person, so that they come into one cluster."""
    memory = stores.open(**QUICK | settings)
    for day in range(5):
        for session in ("s", "t"):
            said = f"watered the {SECRET} roses" if session == "s" else "watered the tomatoes"
            memory.remember(
                f"On day {day} I {said} in the garden behind the house. It was {20 + day} degrees then.",
                kind="episodic",
                subjects=["bea"],
                session=session,
                source_ref="diary" if session == "s" else None,
                memory_class="canonical",
            )
    return memory


def summaries(memory: AgentMemory) -> list[str]:
    """Return the texts of the summaries, old versions included."""
    found = [one for one in memory.memories() if one.source_type is SourceType.REFLECTION]
    return [one.content for one in found if one.content is not None]


def assert_clean(memory: AgentMemory) -> None:
    """Hold the tenant to it: the secret is in nothing that is stored or shown, and all checks pass."""
    for one in memory.memories():
        assert SECRET not in f"{one.content} {one.payload} {one.summary_lines}"
    assert not any(SECRET in str(hit.memory.content) for hit in memory.retrieve("the roses in the garden", k=20))
    assert SECRET not in str(memory.policy.explain())
    for report in (memory.verify(), memory.validate(full=True)):
        assert report.ok, report.findings[:3]


def at_the_first(real: Callable[..., Any], act: Callable[[], object]) -> tuple[Callable[..., Any], list[bool]]:
    """Return ``real`` with something done before its first call, and a list that is empty once that happened."""
    left = [True]

    def hooked(*given: Any, **named: Any) -> Any:
        if left:
            left.pop()
            act()
        return real(*given, **named)

    return hooked, left


def queue_at(memory: AgentMemory, monkeypatch: pytest.MonkeyPatch) -> Queue:
    """Let it be seen that somebody waits for the writers' lock of the tenant."""
    shared = memory._writer.shared
    queue = Queue(shared.lock)
    monkeypatch.setattr(shared, "lock", queue)
    return queue


def erased_aside(
    memory: AgentMemory, other: AgentMemory, by: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[Aside], list[bool]]:
    """Let ``other`` ask for an erasure when ``memory`` makes its first summary, and see that it waits.

    Returns what then runs aside, and what is left to be hooked: nothing, once it has happened.
    """
    queue = queue_at(memory, monkeypatch)
    begun: list[Aside] = []

    def act() -> None:
        begun.append(Aside(lambda: other.erase(**ERASURES[by])))
        assert queue.waited.wait(HANGS_S)
        assert not begun[0].done.is_set()

    hooked, left = at_the_first(ExtractiveSummariser.summarise, act)
    monkeypatch.setattr(ExtractiveSummariser, "summarise", hooked)
    return begun, left


@POLICIES
@pytest.mark.parametrize("by", sorted(ERASURES))
def test_an_erasure_waits_for_the_plan_that_is_made_which_is_stale_then(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, policy: str, by: str
) -> None:
    memory = filled(stores)
    other = stores.open(memory.tenant, seed="other", **QUICK)
    begun, left = erased_aside(memory, other, by, monkeypatch)
    plan = memory.plan(policy=policy, budget=memory.weight * 6 // 10)
    begun[0].join()
    assert left == []
    assert any(SECRET in one.content for one in plan.summaries), "else the test shows nothing"
    with pytest.raises(StalePlan, match="plan again"):
        memory.forget(plan)
    assert summaries(memory) == []
    anew = memory.plan(policy=policy, budget=memory.weight * 6 // 10)
    assert SECRET not in str(plain(anew))
    memory.forget(anew)
    assert_clean(memory)


@pytest.mark.parametrize("by", sorted(ERASURES))
@POLICIES
def test_an_erasure_waits_for_the_pass_of_a_write_and_takes_its_lines_out_of_the_summary(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, policy: str, by: str
) -> None:
    memory = filled(stores)
    memory.settings.set(None, {"policy.name": policy})
    other = stores.open(memory.tenant, seed="other", **QUICK)
    begun, left = erased_aside(memory, other, by, monkeypatch)
    made: list[str] = []
    committed = memory._writer.listener.on_commit

    def note(unit: Any) -> None:
        made.extend(str(node.memory.content) for node in unit.nodes.values() if node.new)
        committed(unit)

    monkeypatch.setattr(memory._writer.listener, "on_commit", note)
    memory.settings.set_budget(memory.weight * 6 // 10)
    begun[0].join()
    assert left == []
    assert any(SECRET in text for text in made), "the pass wrote a summary with the secret before the erasure"
    assert_clean(memory)


@POLICIES
def test_an_erasure_between_the_building_and_the_writing_of_a_pass_stops_it(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, policy: str
) -> None:
    """The erasure is of another process: the sequence in the tenant's row decides, and the plan is of before."""
    memory = filled(stores)
    other = stores.apart().open(memory.tenant, seed="other", **QUICK)
    plan = memory.plan(policy=policy, budget=memory.weight * 6 // 10)
    assert any(SECRET in one.content for one in plan.summaries)
    real = Writer.write
    left = [True]

    def overtaken(writer: Writer, unit: Any, steps: Any) -> Any:
        if writer is memory._writer and left:
            left.pop()
            other.erase(session="s")
        return real(writer, unit, steps)

    monkeypatch.setattr(Writer, "write", overtaken)
    with pytest.raises(StalePlan, match="plan again"):
        memory.forget(plan)
    assert left == []
    assert summaries(memory) == []
    assert_clean(memory)


@POLICIES
def test_a_pass_of_a_write_that_another_process_overtook_is_made_anew(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, policy: str
) -> None:
    """Before the transaction is open; from then on the tenant's row keeps the other process waiting."""
    memory = filled(stores)
    memory.settings.set(None, {"policy.name": policy})
    other = stores.apart().open(memory.tenant, seed="other", **QUICK)
    before_room = memory._writer.listener.before_room
    hooked, left = at_the_first(before_room, lambda: other.erase(session="s"))
    monkeypatch.setattr(memory._writer.listener, "before_room", hooked)
    memory.settings.set_budget(memory.weight * 3 // 10)
    assert left == []
    assert memory.weight <= memory.settings.current.budget
    assert_clean(memory)


def test_an_erasure_that_comes_into_the_open_transaction_of_a_pass_waits_for_it(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a server, by another process: nothing but the tenant's row is between the two."""
    if stores.engine.name == "arcadedb":
        pytest.skip("its files belong to one process")
    memory = filled(stores)
    memory.settings.set(None, {"policy.name": "reflection-summary"})
    other = stores.apart().open(memory.tenant, seed="other", **QUICK)
    begun: list[Aside] = []

    def act() -> None:
        begun.append(Aside(lambda: other.erase(session="s")))
        # It cannot commit before the transaction that has the row.
        assert not begun[0].done.wait(0.5)

    hooked, left = at_the_first(ExtractiveSummariser.summarise, act)
    monkeypatch.setattr(ExtractiveSummariser, "summarise", hooked)
    memory.settings.set_budget(memory.weight * 6 // 10)
    begun[0].join()
    assert left == []
    assert_clean(memory)


def test_what_a_language_model_wrote_meanwhile_is_not_stored(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model takes its time: an erasure of this process waits for it, one of another process does not."""
    begun: list[Aside] = []

    def answer(request: Any) -> Any:
        if not begun:
            begun.append(Aside(lambda: other.erase(session="s")))
            assert (queue.waited if same else begun[0].done).wait(HANGS_S)
        return chosen(request)

    same = stores.engine.name == "arcadedb"
    with chat_server() as server:
        chosen = server.answer
        memory = filled(stores, models__curate=f"openai:tiny@{server.url}")
        other = (stores if same else stores.apart()).open(memory.tenant, seed="other", **QUICK)
        queue = queue_at(memory, monkeypatch)
        server.answer = answer  # type: ignore[method-assign]  # the next answers
        plan = memory.plan(policy="reflection-summary", budget=memory.weight * 6 // 10)
        begun[0].join()
        assert any(SECRET in one.content for one in plan.summaries), "else the test shows nothing"
        with pytest.raises(StalePlan, match="plan again"):
            memory.forget(plan)
    assert summaries(memory) == []
    assert_clean(memory)


@pytest.mark.parametrize("by", sorted(ERASURES))
@pytest.mark.parametrize("when", ["before the excerpt", "after it"])
def test_an_erasure_while_housekeeping_makes_excerpts_leaves_none(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, when: str, by: str
) -> None:
    memory = stores.open(**QUICK, lean__compress_below=100, lean__compress_longer_than=48)
    for session, what in (("s", f"the {SECRET} roses"), ("t", "the tomatoes")):
        for day in range(2):
            did = ("saw", "watered", "cut", "tied", "counted", "sold")
            text = f"This was day {day}. " + " ".join(f"I {one} {what} before noon and after it." for one in did)
            memory.remember(text, kind="episodic", session=session, source_ref="diary" if session == "s" else None)
    other = stores.open(memory.tenant, seed="other", **QUICK)
    made: list[str] = []

    def hooked(text: str, *given: Any, **named: Any) -> Any:
        if not made and when == "before the excerpt":
            other.erase(**ERASURES[by])
        found = excerpt(text, *given, **named)
        if not made and when == "after it":
            other.erase(**ERASURES[by])
        made.append("" if found is None else found.text)
        return found

    monkeypatch.setattr(cycle, "excerpt", hooked)
    done = memory.maintain()
    assert SECRET in made[0], "else the test shows nothing"
    assert done.shortened
    assert_clean(memory)
    live = [one.content for one in memory.memories() if one.content and one.current]
    assert len(live) == 2
