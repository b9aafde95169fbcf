"""Prints what measuring sensitivity costs, as ratios within one run: the figures of docs/how-to/sensitivity.md.

Run ``python scripts/sensitivity_speed.py FOLDER [ROUNDS]`` with the folder ``memora`` of the unpacked data, whose turns
are stored. Each round stores the same turns with
``sensitivity.assess`` on and off, in stores of their own, by turns one after the other, with the clock of the process's
CPU time, so that a busy machine changes the times and hardly the ratios; and retrieves with a reader's ceiling and as
the operator. The median of the rounds' ratios is printed, with the lowest and the highest.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import marskg
from marskg.ontology.vocabulary import Kind
from marskg.weight import TokenCounter
from marskg_bench.common.memora import BenchPersona, personas

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from marskg.memory import AgentMemory

SINGLE = 60
MANY = 340
QUERIES = 20
#: Rounds before the first that counts: the engine's compiler works in the same process.
WARM = 4
BUDGET = 1_000_000


def opened(folder: Path, name: str, assess: str) -> AgentMemory:
    """Return a new memory in a store of its own."""
    memory = marskg.open(folder / name, tenant="t", budget=BUDGET)
    memory.settings.set(None, {"sensitivity.assess": assess})
    return memory


def cpu(work: Callable[[], object]) -> float:
    """Return the seconds of CPU time that ``work`` takes in this process, of all its threads."""
    start = time.process_time()
    work()
    return time.process_time() - start


def remembering(memory: AgentMemory, texts: Sequence[str]) -> Callable[[], object]:
    """Return what stores texts one by one."""
    return lambda: [memory.remember(text, kind="episodic") for text in texts]


def in_batches(memory: AgentMemory, texts: Sequence[str], name: str) -> Callable[[], object]:
    """Return what stores texts in batches."""
    drafts = [
        marskg.Draft(ref=f"{name}{number}", kind=Kind.EPISODIC, content=text, at=memory.now())
        for number, text in enumerate(texts)
    ]
    return lambda: memory.remember_many(drafts)


def retrieving(memory: AgentMemory, queries: Sequence[str], ceiling: float | None) -> Callable[[], object]:
    """Return what retrieves as a reader with a ceiling, or as the operator."""
    return lambda: [memory.retrieve(query, max_sensitivity=ceiling) for query in queries]


def shown(name: str, ratios: Sequence[float]) -> str:
    """Return one line of the output."""
    return f"{name:38} {median(ratios):.2f} (of {len(ratios)} rounds: {min(ratios):.2f} to {max(ratios):.2f})"


def main(arguments: list[str]) -> int:
    """Print a line for each ratio."""
    if not 1 <= len(arguments) <= 2:  # noqa: PLR2004 - the folder and the rounds
        print("usage: sensitivity_speed.py FOLDER [ROUNDS]", file=sys.stderr)
        return 2
    rounds = int(arguments[1]) if len(arguments) > 1 else 20
    counter = TokenCounter()
    people = [BenchPersona(place, counter) for place in personas(Path(arguments[0]), "weekly", ())]
    texts = [turn.message for one in people for session in one.sessions for turn in session.turns]
    queries = [question.text for one in people for question in one.questions][:QUERIES]
    singles, batches, reads = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        stores = {assess: opened(Path(folder), assess, assess) for assess in ("on", "off")}
        for number in range(rounds + WARM):
            place = number * (SINGLE + MANY) % (len(texts) - SINGLE - MANY)
            one = texts[place : place + SINGLE]
            some = texts[place + SINGLE : place + SINGLE + MANY]
            order = ("on", "off") if number % 2 else ("off", "on")
            single = {assess: cpu(remembering(stores[assess], one)) for assess in order}
            batch = {assess: cpu(in_batches(stores[assess], some, f"{number}-")) for assess in order}
            read = {
                ceiling: cpu(retrieving(stores["on"], queries, ceiling))
                for ceiling in ((0.5, None) if number % 2 else (None, 0.5))
            }
            if number >= WARM:
                singles.append(single["on"] / single["off"])
                batches.append(batch["on"] / batch["off"])
                reads.append(read[0.5] / read[None])
        for memory in stores.values():
            memory.close()
    print(shown("remember, assessed ÷ not", singles))
    print(shown("remember_many, assessed ÷ not", batches))
    print(shown("retrieve, reader's ceiling ÷ operator", reads))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
