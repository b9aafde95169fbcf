"""How many of the product's functions and files one ``remember`` and one ``retrieve`` enter.

Guarantees: whoever follows one call through the code can see by ``-s`` how far that is. Cold is the first call of its
kind on a store that was just opened, warm the second. Source: docs/explanation/architecture.md, "Sizes".
"""

from __future__ import annotations

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

import pytest

import marskg
from marskg.clock import ManualClock, SeededSource
from tests.support.tracing import walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.tracing import Walk

#: What is walked; the figures are printed, and looked at, and no limit counts them.
WALKS = ("remember, cold", "remember, warm", "retrieve, cold", "retrieve, warm")
TOLD = (
    "Ana moved to Lisbon in May.",
    "The rent of the new flat is 900 euros.",
    "Her brother Rui visits every second weekend.",
    "She takes the tram to work.",
    "The landlord promised a new stove.",
    "Her office is near the river.",
)


def walked(folder: str) -> dict[str, Walk]:
    """Return the walks of a process that has done nothing else."""
    clock = ManualClock()
    with marskg.open(folder, tenant="walked", clock=clock, source=SeededSource(1)) as memory:
        for text in TOLD:
            memory.remember(text, session="first", subjects=("ana",))
    with marskg.open(folder, tenant="walked", clock=clock, source=SeededSource(2)) as memory:
        calls: dict[str, Callable[[], object]] = {
            "remember, cold": lambda: memory.remember("Ana works at the port.", subjects=("ana",), key="profile/work"),
            "remember, warm": lambda: memory.remember("Ana works at the mill.", subjects=("ana",), key="profile/work"),
            "retrieve, cold": lambda: memory.retrieve("Where does Ana live?"),
            "retrieve, warm": lambda: memory.retrieve("Who visits Ana?"),
        }
        found = {}
        for name, call in calls.items():
            found[name] = walk(call)
            # What was shown is written now: whether its tenth of a second is over would lengthen the next walk.
            memory.stats()
        return found


@pytest.fixture(scope="module")
def walks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Walk]:
    # In a process of its own: what other tests have warmed would shorten a walk, as long as they come first.
    folder = tmp_path_factory.mktemp("walks")
    with pytest.MonkeyPatch.context() as patch, ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        # The order of a set decides what is looked at before an answer is known.
        patch.setenv("PYTHONHASHSEED", "0")
        return pool.submit(walked, str(folder)).result()


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_is_told(walks: dict[str, Walk], name: str) -> None:
    found = walks[name]
    counts = f"{len(found.functions)} functions, {len(found.named)} without comprehensions, in {len(found.files)} files"
    sys.stdout.write(f"\n{name}: {counts}")
    assert found.functions
    assert found.files


def test_a_walk_enters_what_the_call_does(walks: dict[str, Walk]) -> None:
    assert any(one.startswith("retrieval/query/ranking.py") for one in walks["retrieve, warm"].functions)
    assert any(one.startswith("store/graph/") for one in walks["remember, warm"].functions)
    assert not walk(dict).functions
