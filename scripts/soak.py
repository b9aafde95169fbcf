"""Random operations by the hundred thousand on the embedded engine, each held to every invariant: ``make soak``.

Guarantees: operations and checks are those of ``tests/support/history.py``; history number n has its own seed and
policy, so any of them can be repeated alone; the log has one line for each finished history, which names the commit
that it was lived on, and a run that was cut off goes on with what is missing; a violation is logged with what repeats
it, does not end the run, and makes the exit status 1. The summary beside the log is written after each history.

Run ``python -m scripts.soak --operations 1000000 --folder .work/soak`` from the root of the checkout. The databases lie
in the folder for temporary files; ``--store /dev/shm`` spares the disk, as the soak tests no durability. ``--jobs 2``
lives two histories at once, each in a process of its own, with the same lines in the log in another order.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from marskg.policies.registry import POLICY_NAMES
from tests.support import stores as support
from tests.support.history import STEPS, History

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.support.stores import Stores

NAMES = [name for name, often in STEPS.items() for _ in range(often)]
LOG, SUMMARY = "soak.jsonl", "summary.json"
#: Histories that share one database: a log-structured index slows down with what was removed from it.
_SHARED = 25
_FIRST_STEPS = 4


@dataclass(frozen=True)
class Lived:
    """One finished history: what repeats it, how its operations ended, and the violation that ended it, if one did."""

    number: int
    policy: str
    seed: str
    operations: int
    seconds: float
    outcomes: dict[str, int] = field(default_factory=dict)
    violation: str | None = None
    commit: str = ""


@dataclass(frozen=True)
class Run:
    """What a run consists of: ``operations`` in histories of ``history`` each, the policies in turn."""

    operations: int
    history: int
    seed: int
    policies: tuple[str, ...] = POLICY_NAMES
    #: The folder for the databases; the one for temporary files if left out.
    store: Path | None = None

    @property
    def histories(self) -> int:
        """Return how many histories there are, if none is cut short by a violation."""
        return -(-self.operations // self.history)

    def length(self, number: int) -> int:
        """Return how many operations history ``number`` has."""
        return min(self.history, self.operations - number * self.history)

    def policy(self, number: int) -> str:
        """Return what history ``number`` forgets by."""
        return self.policies[number % len(self.policies)]


def live(stores: Stores, number: int, *, seed: int, policy: str, operations: int) -> Lived:
    """Live history ``number`` under ``policy``, checked after each of its operations and as a whole."""
    name = f"{seed}-{number}"
    chance = Random(name)  # noqa: S311 - histories come from seeds
    started = time.monotonic()
    violation = None
    history = History(stores, f"soak-{name}", seed=name, policies=(policy,))
    done = 0
    try:
        history.memory.settings.set(None, {"policy.name": policy})
        for _ in range(operations):
            done += 1
            step = "remember" if len(history.known) < _FIRST_STEPS else chance.choice(NAMES)
            history.step(step, Random(chance.getrandbits(64)))  # noqa: S311 - as above
        history.finish()
    except Exception as error:  # noqa: BLE001 - whatever a step raises besides a refusal is what this run looks for
        last = history.log[-1] if history.log else "the first step"
        violation = f"{type(error).__name__} after {last}: {error}"[:2_000]
    outcomes = Counter(ending for (_, ending), count in history.outcomes.items() for _ in range(count))
    seconds = round(time.monotonic() - started, 3)
    return Lived(number, policy, name, max(1, done), seconds, dict(sorted(outcomes.items())), violation)


class Log:
    """The histories that were lived so far, kept in a folder."""

    def __init__(self, folder: Path, about: dict[str, Any]) -> None:
        """Go on with what ``folder`` holds of a run with the same parameters.

        Raises:
            SystemExit: the folder holds a run with other parameters.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self._path, self._summary, self._about = folder / LOG, folder / SUMMARY, about
        lines = self._path.read_text(encoding="utf-8").splitlines() if self._path.is_file() else []
        if lines and json.loads(lines[0]) != about:
            sys.exit(f"{self._path} is of a run with other parameters; name another --folder, or delete this one")
        self.lived = [Lived(**json.loads(line)) for line in lines[1:] if line.endswith("}")]
        kept = [about, *(asdict(one) for one in self.lived)]
        self._path.write_text("".join(f"{json.dumps(line)}\n" for line in kept), encoding="utf-8")

    @property
    def operations(self) -> int:
        """Return how many operations were done."""
        return sum(one.operations for one in self.lived)

    def add(self, lived: Lived) -> None:
        """Keep one more history, and the summary of all."""
        self.lived.append(lived)
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(f"{json.dumps(asdict(lived))}\n")
        self._summary.write_text(json.dumps(self.summary(), indent=2) + "\n", encoding="utf-8")

    def summary(self) -> dict[str, Any]:
        """Return the run in sums."""
        seconds = sum(one.seconds for one in self.lived)
        outcomes: Counter[str] = Counter()
        for one in self.lived:
            outcomes.update(one.outcomes)
        policies = sorted({one.policy for one in self.lived})
        return {
            **self._about,
            "commits": list(dict.fromkeys(one.commit for one in self.lived)),
            "operations": self.operations,
            "histories": len(self.lived),
            "seconds": round(seconds, 1),
            "operations_per_second": round(self.operations / seconds, 2) if seconds else None,
            "by_policy": {name: sum(one.operations for one in self.lived if one.policy == name) for name in policies},
            "outcomes": dict(outcomes.most_common()),
            "violations": [asdict(one) for one in self.lived if one.violation is not None],
        }


@contextmanager
def database(folder: Path | None = None) -> Iterator[Stores]:
    """Give a new database below ``folder``, which is removed afterwards."""
    place = Path(tempfile.mkdtemp(prefix="mars-soak-", dir=folder))
    stores = support.embedded(place / "store")
    try:
        # The first tenant of a database draws more from its source than later ones do: no history is to be it.
        stores.open("soak", seed="the first")
        yield stores
    finally:
        stores.engine.close()
        shutil.rmtree(place, ignore_errors=True)


def share(run: Run, numbers: Sequence[int]) -> Iterator[Lived]:
    """Live some histories in one database."""
    with database(run.store) as stores:
        for number in numbers:
            yield live(stores, number, seed=run.seed, policy=run.policy(number), operations=run.length(number))


def whole_share(run: Run, numbers: Sequence[int]) -> list[Lived]:
    """Do :func:`share` in a process that has to hand back what it lived."""
    return list(share(run, numbers))


def at_once(run: Run, shares: Sequence[Sequence[int]], jobs: int) -> Iterator[Lived]:
    """Live the histories of ``shares``, ``jobs`` of them at the same time."""
    if jobs == 1:
        for numbers in shares:
            yield from share(run, numbers)
        return
    # The engine's virtual machine does not survive a fork.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        for done in as_completed([pool.submit(whole_share, run, numbers) for numbers in shares]):
            yield from done.result()


def commit() -> str:
    """Return what the checkout is at, with a plus sign if something was changed since; empty outside of git."""
    git = shutil.which("git")
    if git is None:
        return ""
    told = [
        subprocess.run([git, *words], capture_output=True, text=True, check=False).stdout.strip()
        for words in (("rev-parse", "--short", "HEAD"), ("status", "--porcelain", "--untracked-files=no"))
    ]
    return told[0] + ("+" if told[1] else "")


def soak(
    folder: Path,
    run: Run,
    *,
    jobs: int = 1,
    tell: Callable[[str], None] = lambda _text: None,
) -> Log:
    """Do the operations of ``run``, or what is missing of them; what a violation cut off is not made up for."""
    log = Log(folder, {"seed": run.seed, "history": run.history, "policies": list(run.policies)})
    known, version = {one.number for one in log.lived}, commit()
    missing = [number for number in range(run.histories) if number not in known]
    shares = [missing[start : start + _SHARED] for start in range(0, len(missing), _SHARED)]
    for lived in at_once(run, shares, jobs):
        log.add(replace(lived, commit=version))
        found = log.summary()
        tell(
            f"{found['operations']:,} of {run.operations:,} operations, {found['operations_per_second']} a second, "
            f"{len(found['violations'])} violations"
        )
    return log


def main() -> int:
    """Run the soak; returns 1 if an invariant was broken."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--operations", type=int, default=1_000_000)
    parser.add_argument("--history", type=int, default=200, help="operations on one tenant")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path(".work/soak"), help="of the log and the summary")
    parser.add_argument("--store", type=Path, help="of the databases, such as /dev/shm")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--policies", nargs="+", default=list(POLICY_NAMES), metavar="NAME")
    given = parser.parse_args()

    def tell(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    run = Run(given.operations, given.history, given.seed, tuple(given.policies), given.store)
    log = soak(given.folder, run, jobs=given.jobs, tell=tell)
    found = log.summary()
    print(json.dumps(found, indent=2))
    return 1 if found["violations"] else 0


if __name__ == "__main__":
    sys.exit(main())
