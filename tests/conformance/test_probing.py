"""The oracle of suppression: what was erased is told so often, and then all that would be compared is refused alike."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from marskg.errors import ConsentRequired, ErasedContentRefused, InvalidConfig, NotPermitted, ProbingRefused
from marskg.store.graph import suppression

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

HOUR = 3_600_000
ERASED = "Her locker word is zyxquartz and she told nobody else about it"
HARMLESS = "Her locker is on the left and has a blue door these days"


def opened(stores: Stores, tenant: str | None = None) -> AgentMemory:
    return stores.open(
        tenant,
        step_ms=0,
        suppression__hits=3,
        suppression__within="1h",
        sensitivity__assess="off",
        embedding__model="none",
    )


def probed(stores: Stores) -> AgentMemory:
    """Return a tenant in which it was told three times that something was erased."""
    memory = opened(stores)
    first = memory.remember(ERASED, kind="semantic")
    memory.remember("Bea is here", subjects=["bea"])
    memory.erase(id=first.id)
    memory.erase(subject="bea")
    for _ in range(2):
        with pytest.raises(ErasedContentRefused):
            memory.remember(ERASED, kind="semantic")
    with pytest.raises(ConsentRequired):
        memory.remember("Bea", subjects=["bea"])
    return memory


def refused(ask: Callable[[], object]) -> str:
    with pytest.raises(NotPermitted) as caught:
        ask()
    return f"{type(caught.value).__name__}: {caught.value}"


def test_after_so_many_everything_that_would_be_compared_is_refused_alike(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = probed(stores)
    known = memory.remember("short", kind="semantic")
    before = memory.stats()
    looked: list[object] = []

    def look(*given: object) -> list[str]:
        looked.append(given)
        return []

    monkeypatch.setattr(suppression, "_there", look)
    given = ((ERASED, ()), (HARMLESS, ()), ("x", ["bea"]), ("x", ["carl"]), (ERASED, ["dora"]))
    said = {refused(partial(memory.remember, text, kind="semantic", subjects=subjects)) for text, subjects in given}
    said |= {refused(partial(memory.update, known.id, text)) for text in (ERASED, HARMLESS)}
    said |= {
        refused(partial(memory.preferences.set, "retention", subject=name, horizon="9d")) for name in ("bea", "carl")
    }
    assert len(said) == 1
    assert said.pop().startswith(
        "ProbingRefused: rate limit: 3 answers revealed lately that something was erased; until 2026-03-01T01:00:00Z"
    )
    assert looked == []
    assert memory.stats() == before
    # What is never compared is stored as ever.
    memory.remember("still short", kind="semantic")


def test_it_is_told_again_when_the_time_is_over_and_no_clock_turns_it_back(stores: Stores) -> None:
    memory = probed(stores)
    clock = stores.clock(memory)
    clock.advance(HOUR - 1)
    with pytest.raises(ProbingRefused):
        memory.remember(HARMLESS, kind="semantic")
    memory.remember("short", kind="semantic")
    clock.advance(-2 * HOUR)
    with pytest.raises(ProbingRefused):
        memory.remember(HARMLESS, kind="semantic")
    clock.advance(2 * HOUR + 1)
    memory.remember(HARMLESS, kind="semantic")
    with pytest.raises(ErasedContentRefused):
        memory.remember(ERASED, kind="semantic")


def test_another_handle_counts_on_and_another_tenant_does_not(stores: Stores) -> None:
    memory = probed(stores)
    again = opened(stores, memory.tenant)
    with pytest.raises(ProbingRefused):
        again.remember(HARMLESS, kind="semantic")
    other = opened(stores)
    other.remember(ERASED, kind="semantic")
    other.remember("Bea is here", subjects=["bea"])


def test_a_document_is_one_telling(stores: Stores, tmp_path: Path) -> None:
    memory = opened(stores)
    first = memory.remember(ERASED, kind="semantic")
    memory.export(tmp_path / "early.nq")
    memory.erase(id=first.id)
    for _ in range(3):
        with pytest.raises(ErasedContentRefused):
            memory.load(tmp_path / "early.nq")
    with pytest.raises(ProbingRefused):
        memory.load(tmp_path / "early.nq")


def test_consent_goes_on_and_the_limit_may_be_taken_away(stores: Stores) -> None:
    memory = probed(stores)
    memory.preferences.consent("bea")
    memory.remember("Bea is here", subjects=["bea"])
    memory.settings.set(None, {"suppression.hits": None})
    for _ in range(9):
        with pytest.raises(ErasedContentRefused):
            memory.remember(ERASED, kind="semantic")
    with pytest.raises(InvalidConfig):
        memory.settings.set(None, {"suppression.hits": 0})


def test_a_subject_who_is_named_twice_is_asked_once(stores: Stores) -> None:
    memory = opened(stores)
    memory.erase(subject="bea")
    memory.preferences.consent("bea")
    memory.preferences.consent("Bea")
    assert memory.remember("Bea is here", subjects=["Bea", "bea"]).subjects == ("Bea", "bea")
