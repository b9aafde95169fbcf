"""The awaitable facade: the same operations, a bounded number at work, and nothing half done by whom is cancelled."""

from __future__ import annotations

import asyncio
import gc
import inspect
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Self, assert_type

import pytest

import marskg
from marskg.api.awaited import making
from marskg.api.awaited.calls import AT_WORK, BATCH
from marskg.api.operations import OWNERS, operations_of
from marskg.clock import SYSTEM_CLOCK
from marskg.drafts import Draft
from marskg.errors import EngineUnavailable, InvalidInput, NotPermitted
from marskg.ontology.vocabulary import Kind
from marskg.store.engine import arcadedb
from marskg.store.engine.arcadedb import ArcadeDB
from tests.support.stores import START
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
    from pathlib import Path

    from marskg.api.awaited.objects import Opening
    from marskg.records import Entity, Memory

#: Coroutine methods here, as they ask the store.
ASKED = {"notices", "store", "weight", "settings.current", "settings.subscriptions", "preferences.preference_set"}


class Held:
    """A point that whoever comes to it for the ``number``-th time waits at until it is let go."""

    def __init__(self, number: int = 1) -> None:
        self._number, self.count, self._lock = number, 0, threading.Lock()
        self._reached, self._go_on = threading.Event(), threading.Event()

    def come(self) -> None:
        with self._lock:
            self.count += 1
            held = self.count == self._number
        if held:
            self._reached.set()
            assert self._go_on.wait(HANGS_S)

    async def reached(self, task: asyncio.Future[Any]) -> bool:
        """Return whether ``task`` waits here; it may also have ended."""
        task.add_done_callback(lambda _: self._reached.set())
        assert await asyncio.to_thread(self._reached.wait, HANGS_S)
        return not task.done()

    def let_go(self) -> None:
        self._go_on.set()


class HeldClock:
    """The machine's clock, which may be waited at."""

    def __init__(self) -> None:
        self.held = Held()

    def now_ms(self) -> int:
        self.held.come()
        return SYSTEM_CLOCK.now_ms()


class Counting(ThreadPoolExecutor):
    """Threads that tell how much was handed to them at once, at work or waiting."""

    given = most = 0
    lock = threading.Lock()

    def submit(self, *given: Any, **named: Any) -> Any:
        with Counting.lock:
            Counting.given += 1
            Counting.most = max(Counting.most, Counting.given)
        job = super().submit(*given, **named)
        job.add_done_callback(self._done)
        return job

    def _done(self, _: object) -> None:
        with Counting.lock:
            Counting.given -= 1


def drafts(*contents: str, first: Callable[[], None] = lambda: None) -> Iterator[Draft]:
    """Yield drafts, and wait at ``first`` after the first of them."""
    for number, content in enumerate(contents):
        yield Draft(ref=content, kind=Kind.SEMANTIC, content=content, at=START)
        if number == 0:
            first()


def opened(folder: Path, **given: Any) -> Opening[marskg.AsyncMemory]:
    return marskg.aopen(folder, **{"embedding": "none", "encryption": "off", **given})


def contents(folder: Path, tenant: str = "default") -> list[str | None]:
    """Return what a store holds, which verifies."""
    with marskg.open(folder, tenant=tenant) as memory:
        assert memory.verify().ok
        assert memory.validate(full=True).ok
        return sorted((one.content for one in memory.memories()), key=str)


class Full:
    """Calls that hold all places until they are let go."""

    def __init__(self, mem: marskg.AsyncMemory) -> None:
        self._held = [Held() for _ in range(AT_WORK)]
        self.calls = [
            asyncio.create_task(mem.remember_many(drafts(f"holds {number}", first=held.come)))
            for number, held in enumerate(self._held)
        ]

    async def __aenter__(self) -> Self:
        for held, call in zip(self._held, self.calls, strict=True):
            assert await held.reached(call), call
        return self

    async def __aexit__(self, *_: object) -> None:
        self.let_go()

    def let_go(self) -> None:
        for held in self._held:
            held.let_go()


async def cancelled(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# --- The same facade ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("owner", "way", "same_as"), OWNERS, ids=[owner.__name__ for owner, _, _ in OWNERS])
def test_every_operation_is_there_and_awaited(owner: type, way: str, same_as: str | None) -> None:
    made = making.CLASSES[making.class_name(owner)]
    for row in operations_of(owner, way, same_as):
        name = row.name.rpartition(".")[2]
        here, there = getattr(made, name), getattr(owner, name)
        assert (here.__name__, here.__doc__) == (there.__name__, there.__doc__)
        assert inspect.signature(here).parameters == inspect.signature(there).parameters
        if row.result.startswith("Iterator"):
            assert inspect.signature(here).return_annotation == f"AsyncGenerator{row.result[8:-1]}, None]"
        elif row.name == "privacy.private_mode":
            assert inspect.signature(here).return_annotation == "Opening[AsyncPrivateMode]"
        else:
            assert inspect.iscoroutinefunction(here), row.name
            assert inspect.signature(here).return_annotation == row.result
    asked = {f"{way}{name}" for name, _, at_hand in making.properties_of(owner, way) if not at_hand}
    assert asked <= ASKED
    assert all(inspect.iscoroutinefunction(getattr(made, name.rpartition(".")[2])) for name in asked)


def test_it_opens_as_the_other_does_and_has_no_names_of_before() -> None:
    assert inspect.signature(marskg.aopen).parameters == inspect.signature(marskg.open).parameters
    assert marskg.aopen.__doc__ == marskg.open.__doc__
    assert not {"rename_entity", "subscriptions", "snapshot_save"} & {*dir(marskg.AsyncMemory)}
    assert inspect.getdoc(marskg.AsyncMemory.entities) == inspect.getdoc(marskg.AgentMemory.entities)


def test_what_is_awaited_is_what_the_other_does(tmp_path: Path) -> None:
    async def use() -> None:
        async with opened(tmp_path / "s", tenant="ann", budget=8000) as mem:
            assert_type(mem, marskg.AsyncMemory)
            one = await mem.remember("Ann drinks green tea", kind="semantic", subjects=["Ann"], mentions=["Ann"])
            assert_type(one, marskg.Memory)
            hits = await mem.retrieve("What does Ann drink?", kinds=["semantic"])
            assert_type(hits, marskg.Hits)
            assert [hit.memory.id for hit in hits] == [one.id]
            assert (await mem.policy.pin(one.id)).pinned
            assert [entity.name async for entity in mem.entities.list()] == ["Ann"]
            assert (mem.tenant, str(mem.principal)) == ("ann", "the operator")
            assert (await mem.weight(), await mem.notices()) == (one.weight, ())
            assert (await mem.settings.current()).budget == 8000
            assert mem.entities is mem.entities
            assert await mem.preferences.list() == ()
            async with mem:
                pass

    asyncio.run(use())
    with marskg.open(tmp_path / "s", tenant="ann") as memory:
        assert [one.content for one in memory.memories()] == ["Ann drinks green tea"]


def test_what_is_wrong_is_refused_with_the_same_words(tmp_path: Path) -> None:
    async def use() -> list[str]:
        async with opened(tmp_path / "s") as mem:
            said = []
            wrong: list[Coroutine[Any, Any, Any]] = [
                mem.remember(3),  # type: ignore[arg-type]  # on purpose
                mem.get("x", loudly=True),  # type: ignore[call-arg]  # on purpose
                mem.remember_many([], progress=3),  # type: ignore[arg-type]  # on purpose
                mem.tasks.amend("urn:uuid:0", priority="high"),  # type: ignore[arg-type]  # on purpose
                anext(mem.memories(metadata={"$no": 1})),
            ]
            for one in wrong:
                with pytest.raises((InvalidInput, TypeError)) as error:
                    await one
                said.append(str(error.value))
            return said

    here = asyncio.run(use())
    with marskg.open(tmp_path / "s") as memory:
        wrong: list[Callable[[], object]] = [
            lambda: memory.remember(3),  # type: ignore[arg-type]  # on purpose
            lambda: memory.get("x", loudly=True),  # type: ignore[call-arg]  # on purpose
            lambda: memory.remember_many([], progress=3),  # type: ignore[arg-type]  # on purpose
            lambda: memory.tasks.amend("urn:uuid:0", priority="high"),  # type: ignore[arg-type]  # on purpose
            lambda: memory.memories(metadata={"$no": 1}),
        ]
        for one, said in zip(wrong, here, strict=True):
            with pytest.raises((InvalidInput, TypeError)) as error:
                one()
            assert str(error.value) == said


def test_who_may_not_is_refused_as_ever(tmp_path: Path) -> None:
    async def use() -> None:
        async with opened(tmp_path / "s") as mem:
            secret = await mem.remember("Ann's iban", sensitivity=0.9)
            plain = await mem.remember("The kettle is red", kind="semantic", sensitivity=0)
        async with marskg.aopen(tmp_path / "s", principal="reader:bot?ceiling=0.3") as reader:
            assert [one.id async for one in reader.memories()] == [plain.id]
            assert await reader.get(secret.id) is None
            with marskg.open(tmp_path / "s", principal="reader:bot?ceiling=0.3") as other:
                for here, there in (
                    (reader.remember("x"), lambda: other.remember("x")),
                    (reader.audit.heads(), other.audit.heads),
                    (reader.erase(id=plain.id), lambda: other.erase(id=plain.id)),
                    (reader.store(), partial(getattr, other, "store")),
                    (reader.preferences.list(), partial(getattr, other, "preferences")),
                ):
                    with pytest.raises(NotPermitted) as awaited:
                        await here
                    with pytest.raises(NotPermitted) as called:
                        there()
                    assert str(awaited.value) == str(called.value)
        with pytest.raises(NotPermitted, match="settings when opening a tenant"):
            await marskg.aopen(tmp_path / "s", principal="reader:bot", budget=3)

    asyncio.run(use())


def test_private_mode_is_entered_and_left(tmp_path: Path) -> None:
    async def use() -> None:
        async with opened(tmp_path / "s") as mem:
            async with mem.privacy.private_mode("10m", keep=True) as private:
                assert_type(private, marskg.AsyncPrivateMode)
                said = await private.remember("Only for now")
                assert (said.session, said.expires_at) == (private.session, private.until)
                assert await private.get(said.id) is not None
                with pytest.raises(NotPermitted, match="erase changes what is stored"):
                    private.erase  # noqa: B018 - on purpose
                with pytest.raises(AttributeError):
                    private.no_such  # noqa: B018 - on purpose
            assert await mem.get(said.id) is None or (await mem.history(said.id))[0].content is None
            with pytest.raises(InvalidInput, match="lasts"):
                await mem.privacy.private_mode("no time")

    asyncio.run(use())


# --- Iterators ------------------------------------------------------------------------------------------------------


def test_iterators_read_some_at_a_time_and_end_in_a_thread(tmp_path: Path) -> None:
    names = [f"note {number:03}" for number in range(2 * BATCH + 7)]

    async def use() -> None:
        async with opened(tmp_path / "s") as mem:
            await mem.remember_many(drafts(*names))
            found: AsyncGenerator[Memory, None] = mem.memories()
            assert sorted([str(one.content) async for one in found]) == names
            numbers = [one.sequence async for one in mem.audit.records()]
            assert numbers == [*range(1, len(numbers) + 1)]
            people: AsyncGenerator[Entity, None] = mem.entities.list()
            assert [one async for one in people] == []
            async with aclosing(mem.memories()) as some:
                assert str((await anext(some)).content) in names
            left: list[bool] = []
            threads: set[int] = set()

            def counting() -> Iterator[int]:
                try:
                    for number in range(5 * BATCH):
                        threads.add(threading.get_ident())
                        yield number
                finally:
                    left.append(threading.current_thread() is threading.main_thread())

            async for number in mem._calls.iterate(counting):
                if number == BATCH:
                    break
            gc.collect()
            async with aclosing(mem._calls.iterate(counting)) as closed:
                assert await anext(closed) == 0
            held = Held()

            def holding() -> Iterator[int]:
                try:
                    held.come()
                    yield from range(5 * BATCH)
                finally:
                    left.append(threading.current_thread() is threading.main_thread())

            task = asyncio.create_task(anext(mem._calls.iterate(holding)))
            assert await held.reached(task)
            await cancelled(task)
            assert len(left) < 3
            held.let_go()
        assert left == [False] * 3
        assert threading.get_ident() not in threads

    asyncio.run(use())


# --- So many at once ------------------------------------------------------------------------------------------------


def test_ten_thousand_wait_and_few_are_at_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "ThreadPoolExecutor", Counting)

    async def use() -> None:
        async with opened(tmp_path / "s") as mem:
            one = await mem.remember("The kettle is red")
            async with Full(mem) as full:
                Counting.most = 0
                waiting = [asyncio.create_task(mem.get(one.id)) for _ in range(10_000)]
                await asyncio.sleep(0)
                assert Counting.given == AT_WORK, "what waits is in the loop, and in no other queue"
                assert not any(task.done() for task in waiting)
                full.let_go()
                found = await asyncio.gather(*waiting)
                assert {memory.id for memory in found if memory} == {one.id}
                assert len(found) == 10_000
                await asyncio.gather(*full.calls)
                assert Counting.most == AT_WORK

    asyncio.run(use())


# --- Cancelled --------------------------------------------------------------------------------------------------------


def test_a_call_that_waits_is_never_begun(tmp_path: Path) -> None:
    async def use() -> None:
        async with opened(tmp_path / "s") as mem, Full(mem) as full:
            waiting = [asyncio.create_task(mem.remember(f"never {number}")) for number in range(5)]
            last = asyncio.create_task(mem.remember("kept"))
            await asyncio.sleep(0)
            for task in waiting:
                await cancelled(task)
            full.let_go()
            await asyncio.gather(*full.calls, last)

    asyncio.run(use())
    assert contents(tmp_path / "s") == [*(f"holds {n}" for n in range(AT_WORK)), "kept"]


@contextmanager
def stopping_at(held: Held, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Come to ``held`` before and after each time that the engine is asked or written to."""
    with monkeypatch.context() as patch:
        for name in ("read", "write"):
            real = getattr(ArcadeDB, name)

            def instead(self: ArcadeDB, *given: Any, real: Any = real) -> Any:
                held.come()
                found = real(self, *given)
                held.come()
                return found

            patch.setattr(ArcadeDB, name, instead)
        yield


def test_a_cancelled_write_is_whole_at_every_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "s"

    async def write(text: str, held: Held) -> bool:
        """Cancel a write at a moment, and return whether it came to that."""
        async with opened(store) as mem:
            with stopping_at(held, monkeypatch):
                task = asyncio.create_task(mem.remember(text, kind="semantic"))
                if not await held.reached(task):
                    return False
                await cancelled(task)
                assert not held._go_on.is_set(), "the caller goes on while the thread is at work"
                held.let_go()
                await mem.close()
            return True

    written: list[str] = []
    while asyncio.run(write(f"fact {len(written)}", Held(len(written) + 1))):
        written.append(f"fact {len(written)}")
    assert len(written) > 3
    assert contents(store) == sorted([*written, f"fact {len(written)}"]), "each was at work and ended whole"


def test_many_stop_between_two_transactions_or_none(tmp_path: Path) -> None:
    names = [f"note {number:04}" for number in range(600)]

    async def use(*, atomic: bool) -> None:
        held = Held()
        async with opened(tmp_path / f"{atomic}") as mem:
            many = mem.remember_many(drafts(*names, first=held.come), atomic=atomic)
            task = asyncio.create_task(many)
            assert await held.reached(task)
            await cancelled(task)
            held.let_go()

    asyncio.run(use(atomic=False))
    asyncio.run(use(atomic=True))
    some, whole = contents(tmp_path / "False"), contents(tmp_path / "True")
    assert 0 < len(some) < len(names)
    assert some == names[: len(some)]
    assert whole == names, "one transaction ends as it would have"


def test_what_tells_its_progress_stops_there(tmp_path: Path) -> None:
    steps: list[int] = []

    async def use() -> None:
        held = Held()

        def progress(done: int) -> None:
            steps.append(done)
            held.come()

        async with opened(tmp_path / "s") as mem:
            await mem.remember_many(drafts(*(f"note {number:03}" for number in range(350))))
            export = mem.export(tmp_path / "out.jsonld", progress=progress)
            task = asyncio.create_task(export)
            assert await held.reached(task)
            await cancelled(task)
            held.let_go()
            counts = await mem.export(tmp_path / "again.jsonld")
            assert counts.memories == 350
        assert not (tmp_path / "out.jsonld").exists()

    asyncio.run(use())
    assert steps == [100]


def test_loading_goes_on_to_its_end(tmp_path: Path) -> None:
    names = [f"note {number:04}" for number in range(600)]
    with marskg.open(tmp_path / "first", embedding="none") as memory:
        memory.remember_many(drafts(*names))
        memory.export(tmp_path / "all.jsonld")

    async def use() -> None:
        held = Held()
        async with opened(tmp_path / "s") as mem:
            task = asyncio.create_task(mem.load(tmp_path / "all.jsonld", progress=lambda _: held.come()))
            assert await held.reached(task)
            await cancelled(task)
            held.let_go()

    asyncio.run(use())
    assert contents(tmp_path / "s") == names


# --- Opened and closed ------------------------------------------------------------------------------------------------


def test_closing_waits_for_what_is_at_work_and_refuses_what_waits(tmp_path: Path) -> None:
    async def use() -> None:
        mem = await opened(tmp_path / "s", tenant="ann")
        async with Full(mem) as full:
            waiting = [asyncio.create_task(mem.remember(f"late {number}")) for number in range(3)]
            await asyncio.sleep(0)
            closing = asyncio.create_task(mem.close())
            await asyncio.sleep(0)
            await cancelled(closing)
            with pytest.raises(EngineUnavailable, match="the store is closed"):
                await mem.stats()
            again = asyncio.create_task(mem.close())
            full.let_go()
            assert await asyncio.gather(*full.calls) == [1] * AT_WORK
            await again
            for task in waiting:
                with pytest.raises(EngineUnavailable, match="the store is closed"):
                    await task
            await mem.close()
            for late in (mem.stats(), mem.entities.rename("x", "y"), anext(mem.memories()), mem.__aenter__()):
                with pytest.raises(EngineUnavailable, match="the store is closed"):
                    await late
            assert mem.tenant == "ann"

    asyncio.run(use())
    assert contents(tmp_path / "s", tenant="ann") == [f"holds {n}" for n in range(AT_WORK)]


def test_what_is_opened_for_nobody_is_closed_again(tmp_path: Path) -> None:
    async def use() -> None:
        clock = HeldClock()
        task = asyncio.ensure_future(opened(tmp_path / "s", clock=clock).__aenter__())
        assert await clock.held.reached(task)
        await cancelled(task)
        assert not clock.held._go_on.is_set()
        clock.held.let_go()

    asyncio.run(use())
    for thread in threading.enumerate():
        if thread.name.startswith("marskg-call"):
            thread.join(HANGS_S)
    assert not [one for one in arcadedb._open_files.values() if one.folder == tmp_path / "s"]
    assert contents(tmp_path / "s") == []


def test_what_cannot_be_opened_leaves_no_thread(tmp_path: Path) -> None:
    async def use() -> None:
        with pytest.raises(InvalidInput, match="tenant"):
            await opened(tmp_path / "s", tenant=3)

    asyncio.run(use())
    for thread in threading.enumerate():
        if thread.name.startswith("marskg-call"):
            thread.join(HANGS_S)


def test_another_loop_is_refused_and_may_close(tmp_path: Path) -> None:
    async def first() -> marskg.AsyncMemory:
        return await opened(tmp_path / "s")

    async def second() -> None:
        with pytest.raises(NotPermitted, match=r"another event loop.*open one in this loop with marskg\.aopen"):
            await mem.stats()
        await mem.close()

    mem = asyncio.run(first())
    asyncio.run(second())
    assert contents(tmp_path / "s") == []
