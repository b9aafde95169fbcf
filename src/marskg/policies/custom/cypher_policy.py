"""A user's policy: whatever one Cypher statement scores, the lowest score first.

Guarantees: scores are compared as integers of 1e-6 and ties by sequence; whatever the statement returns, only leaves
outside the protected set are taken, each after what depends on it; rows that cannot be taken are counted in the plan's
notes. The files are read again when they have changed, so editing them changes the next plan; the statement's SHA-256
is among the plan's parameters. Reasons come from the YAML file's templates and the row's numbers, which have six
digits; the statement reads no content (:mod:`marskg.policies.custom.cypher_sandbox`), so that none gets into the audit.
"""

from __future__ import annotations

import heapq
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

from marskg.errors import InvalidConfig, QueryRefused
from marskg.policies.core.candidates import Candidate, from_row, members
from marskg.policies.core.plans import REASON_FREED, Choice, archives, build_plan, facts, parameters_of, words
from marskg.policies.custom.policy_file import REQUIRED, WORD, PolicyFile, read_policy_file
from marskg.policies.streams.leaves import Leaves
from marskg.store.rows.order_keys import key_range, micro

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from marskg.policies.core.policy import PolicyView
    from marskg.records import Plan
    from marskg.store.rows.index_gaps import Gap

_FIRST_PAGE = 256
_MAX_SCORE = 1e12
#: Significant digits of a feature.
_DIGITS = 6


class CypherPolicy:
    """The policy of one ``.cypher`` file."""

    def __init__(self, path: Path) -> None:
        """Read and check the files now; they are read again whenever they change.

        Raises:
            InvalidConfig: the files cannot be used.
        """
        self._path = path
        self._stamp = _stamp(path)
        self._file = read_policy_file(path)

    @property
    def name(self) -> str:
        """Return the policy's name, which is the file's."""
        return self._file.name

    def plan(
        self, view: PolicyView, *, target: int, exclude: frozenset[str] = frozenset(), seed: int | None = None
    ) -> Plan:
        """Return the plan down to ``target``, from what the statement returns and nothing else."""
        stamp = _stamp(self._path)
        if stamp != self._stamp:
            self._stamp, self._file = stamp, read_policy_file(self._path)
        file = self._file
        stream = _Rows(view, file)
        leaves = Leaves(view, stream, exclude=exclude, archive=archives(view))
        choices: list[Choice] = []
        weight = view.weight
        while weight > target:
            taken = leaves.take()
            if taken is None:
                break
            weight -= taken[1].weight
            choices.append(stream.choice(taken[1]))
        parameters = tuple(sorted((*parameters_of(view), *file.described())))
        plan = build_plan(view, file.name, parameters, target, choices, seed)
        return replace(plan, notes=stream.notes())


def _stamp(path: Path) -> tuple[tuple[int, int, int] | None, ...]:
    """Return what tells that one of the two files has changed."""
    found: list[tuple[int, int, int] | None] = []
    for file in (path, path.with_suffix(".yaml")):
        try:
            status = file.stat()
            found.append((status.st_mtime_ns, status.st_size, status.st_ino))
        except OSError:
            found.append(None)
    return tuple(found)


class _Rows:
    """What a user's statement returns, as a stream of candidates by (score, sequence)."""

    def __init__(self, view: PolicyView, file: PolicyFile) -> None:
        self._view = view
        self._file = file
        self._limit = _FIRST_PAGE
        self._complete = False
        self._scores: dict[str, tuple[int, Mapping[str, Any]]] = {}
        self._queue: list[tuple[int, int, Candidate]] = []
        self._held_back: set[str] = set()
        self._unknown = 0
        self._read()

    # The statement is asked again for twice as many rows, rather than for the next ones, as it has no place to resume.
    def _read(self) -> None:
        rows = self._run()
        full = self._file.pages and len(rows) >= self._limit
        scored = [(self._score(row), row) for row in rows]
        if full:
            if any(later[0] < earlier[0] for earlier, later in pairwise(scored)):
                self._refuse(
                    "the rows are cut by $limit but do not come by score; end with: ORDER BY score LIMIT $limit"
                )
            # Of memories with the last score the page may hold any: they wait for the next one.
            scored = [entry for entry in scored if entry[0] < scored[-1][0]]
        self._complete = not full
        self._limit *= 2
        fresh: dict[str, tuple[int, Mapping[str, Any]]] = {}
        for score, row in scored:
            known = self._scores.get(row["id"]) or fresh.get(row["id"])
            if known is None or score < known[0]:
                fresh[row["id"]] = (score, row)
        self._scores.update(fresh)
        self._admit(list(fresh))

    def _run(self) -> list[dict[str, Any]]:
        low, high = key_range(self._view.tenant)
        given = {"tenant": self._view.tenant, "now": self._view.now, "low": low, "high": high, "limit": self._limit}
        try:
            rows = self._view.timed(self._file.statement, {**self._file.parameters, **given})
        except QueryRefused as error:
            self._refuse(f"{error}; nothing was changed: mend it, raise policy.time_limit, or take another policy")
        missing = [name for name in REQUIRED if rows and name not in rows[0]]
        if missing:
            self._refuse(f"the rows have no column {missing[0]!r}; return m.id AS id and a number AS score")
        return rows

    def _score(self, row: Mapping[str, Any]) -> int:
        score, node_id = row["score"], row["id"]
        number = isinstance(score, int | float) and not isinstance(score, bool) and abs(score) < _MAX_SCORE
        if not number or not isinstance(node_id, str):
            self._refuse("a row has no id, or a score that is no finite number below 1e12; use coalesce(…, 0)")
        return micro(score)

    def _refuse(self, problem: str) -> NoReturn:
        msg = f"{self._file.path}: {problem}"
        raise InvalidConfig(msg)

    def _admit(self, ids: Sequence[str]) -> None:
        """Queue those of ``ids`` that may go now."""
        rows = members(self._view, ids)
        for row in rows:
            if row["key"] is None:
                self._held_back.add(row["id"])
                continue
            candidate = from_row(row)
            heapq.heappush(self._queue, (self._scores[candidate.id][0], candidate.sequence, candidate))
        self._unknown += len(ids) - len(rows)

    def peek(self) -> tuple[int, int] | None:
        """Return the place of the next candidate, or None when there is none."""
        while not self._queue and not self._complete:
            self._read()
        return self._queue[0][:2] if self._queue else None

    def pop(self) -> Candidate:
        """Return the next candidate and move past it."""
        return heapq.heappop(self._queue)[2]

    def upcoming(self, limit: int) -> list[Candidate]:
        """Return up to ``limit`` of the next candidates."""
        return [candidate for *_, candidate in heapq.nsmallest(limit, self._queue)]

    def place(self, candidate: Candidate) -> tuple[int, int] | None:
        """Return the place of a memory, None if the statement does not name it."""
        while candidate.id not in self._scores and not self._complete:
            self._read()
        found = self._scores.get(candidate.id)
        if found is None:
            return None
        self._held_back.discard(candidate.id)
        return found[0], candidate.sequence

    def choice(self, candidate: Candidate) -> Choice:
        """Return the choice of a memory that the statement named, with its numbers and its reason."""
        score, row = self._scores[candidate.id]
        extra = {
            name: self._feature(name, value) for name, value in row.items() if name not in {"id", "score", "reason"}
        }
        code = row.get("reason")
        if code is not None and str(code) not in self._file.reasons:
            self._refuse(
                "a row's reason is not listed under reasons: in the YAML file; return the name of a listed one"
            )
        template = self._file.reason if code is None else self._file.reasons[str(code)]
        known = words({**facts(self._view, candidate), "score": score / 1e6, **extra})
        try:
            reason = template.substitute(known)
        except KeyError as error:
            msg = f"{self._file.path}: a reason has ${error.args[0]}; there are the columns and {', '.join(known)}"
            raise InvalidConfig(msg) from error
        if candidate.freed:
            reason = f"{reason}; {REASON_FREED}"
        return Choice(candidate, self._file.name, score, reason, features=extra)

    def _feature(self, name: str, value: object) -> float:
        """Return a column's number in so few digits that it cannot stand for a text."""
        number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MAX_SCORE
        if not number or not WORD.match(name):
            self._refuse(
                f"the column {name[:80]!r} is no number below 1e12; columns become features, which hold numbers"
            )
        return float(f"{value:.{_DIGITS}g}")

    def index_gaps(self, taken: set[str]) -> list[tuple[str, Gap]]:  # noqa: ARG002 - a stream's interface
        """Return none: a statement may read the graph in any order."""
        return []

    def notes(self) -> tuple[str, ...]:
        """Return how many rows were ignored, and why."""
        found = []
        if self._held_back:
            found.append(f"{len(self._held_back)} rows ignored: protected, still needed, or not live")
        if self._unknown:
            found.append(f"{self._unknown} rows ignored: no memory of this tenant has their id")
        return tuple(found)
