"""Random operations by the hundred thousand on the embedded engine, each held to every invariant: ``make soak``.

Guarantees: operations and checks are those of ``tests/support/history.py``; history number n has its own seed and
policy, so any of them can be repeated alone; the log has one line for each finished history, and a run that was cut off
goes on after its last line; a violation is logged with what repeats it, does not end the run, and makes the exit status
1. The summary beside the log is written after each history.

Run ``python -m scripts.soak --operations 1000000 --folder .work/soak`` from the root of the checkout.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
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


def live(stores: Stores, number: int, *, seed: int, policy: str, operations: int) -> Lived:
    """Live history ``number`` under ``policy``, checked after each of its operations and as a whole."""
    name = f"{seed}-{number}"
    chance = Random(name)  # noqa: S311 - histories come from seeds
    started = time.monotonic()
    violation = None
    history = History(stores, f"soak-{name}", seed=name, policies=(policy,))
    done = 0
    try:
        history.memory.apply_settings(None, {"policy.name": policy})
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
            "operations": self.operations,
            "histories": len(self.lived),
            "seconds": round(seconds, 1),
            "operations_per_second": round(self.operations / seconds, 2) if seconds else None,
            "by_policy": {name: sum(one.operations for one in self.lived if one.policy == name) for name in policies},
            "outcomes": dict(outcomes.most_common()),
            "violations": [asdict(one) for one in self.lived if one.violation is not None],
        }


@contextmanager
def database() -> Iterator[Stores]:
    """Give a new database, which is removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="mars-soak-"))
    stores = support.embedded(folder / "store")
    try:
        yield stores
    finally:
        stores.engine.close()
        shutil.rmtree(folder, ignore_errors=True)


def soak(
    folder: Path,
    *,
    operations: int,
    history: int,
    seed: int,
    policies: Sequence[str] = POLICY_NAMES,
    tell: Callable[[str], None] = lambda _text: None,
) -> Log:
    """Do ``operations`` random operations in histories of ``history`` each, or what is missing of them."""
    log = Log(folder, {"seed": seed, "history": history, "policies": list(policies)})
    while log.operations < operations:
        with database() as stores:
            for _ in range(_SHARED):
                number = len(log.lived)
                wanted = min(history, operations - log.operations)
                policy = policies[number % len(policies)]
                log.add(live(stores, number, seed=seed, policy=policy, operations=wanted))
                found = log.summary()
                tell(
                    f"{found['operations']:,} of {operations:,} operations, {found['operations_per_second']} a second, "
                    f"{len(found['violations'])} violations"
                )
                if log.operations >= operations:
                    break
    return log


def main() -> int:
    """Run the soak; returns 1 if an invariant was broken."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--operations", type=int, default=1_000_000)
    parser.add_argument("--history", type=int, default=200, help="operations on one tenant")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path(".work/soak"), help="of the log and the summary")
    parser.add_argument("--policies", nargs="+", default=list(POLICY_NAMES), metavar="NAME")
    given = parser.parse_args()

    def tell(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    log = soak(
        given.folder,
        operations=given.operations,
        history=given.history,
        seed=given.seed,
        policies=given.policies,
        tell=tell,
    )
    found = log.summary()
    print(json.dumps(found, indent=2))
    return 1 if found["violations"] else 0


if __name__ == "__main__":
    sys.exit(main())
