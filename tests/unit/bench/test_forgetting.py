"""The forgetting bench on a persona that a test wrote: what is run, what is told, and what the figures say."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from marskg.errors import InvalidConfig, InvalidDocument
from marskg.weight import TokenCounter
from marskg_bench import forgetting
from marskg_bench.budgets import forgetting_report
from marskg_bench.budgets.budgeted import Told, conditions_of
from marskg_bench.common import report
from marskg_bench.common.finished import Finished
from marskg_bench.common.memora import BenchPersona, personas
from marskg_bench.fama.scoring import Item

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from marskg.drafts import Draft
    from marskg_bench.budgets.budgeted import Open

CONDITIONS = conditions_of("AB", (20, 5), 1)
POLICIES = ("fifo", "random-drop")
HEAD = {"track": "AB", "environment": report.environment()}


class _Rows(NamedTuple):
    rows: list[tuple[int, int]]


@dataclass
class _Store:
    weight: int = 7

    def cypher(self, _: str) -> _Rows:
        return _Rows([(3, 1)])


@dataclass
class Keeper:
    """Keeps all that it is told (``fifo``) or nothing, and may be stopped."""

    keeps: bool
    told: list[Draft] = field(default_factory=list)
    memory: _Store = field(default_factory=_Store)

    def tell(self, drafts: Sequence[Draft]) -> int:
        self.told += drafts
        return 1

    def wait(self, moment: int) -> None:
        assert all(draft.at <= moment for draft in self.told)

    def retrieve(self, question: str, k: int) -> list[Item]:
        assert question
        held = self.told if self.keeps else []
        return [Item(draft.content, draft.session, 1) for draft in held if draft.action == "remember"][:k]


class Opener:
    """Opens keepers, notes what for, and stops the bench after ``most`` of them."""

    def __init__(self, most: int = 1000) -> None:
        self.asked: list[tuple[str, int]] = []
        self.keepers: list[Keeper] = []
        self._most = most

    @contextmanager
    def __call__(self, start: int, settings: Any, *, budget: int, source: Any) -> Iterator[Any]:
        assert start > 0
        assert source.token(4) != b""
        if len(self.asked) >= self._most:
            raise KeyboardInterrupt
        self.asked.append((settings["policy.name"], budget))
        self.keepers.append(Keeper(settings["policy.name"] != "random-drop"))
        yield self.keepers[-1]


def table(films: Path, *budgets: int) -> forgetting.Table:
    return forgetting.Table({"weekly": personas(films, "weekly", ())}, POLICIES, budgets)


def run(films: Path, opener: Opener, *budgets: int, finished: Finished | None = None) -> dict[str, Any]:
    opened: Open = opener
    return forgetting.run(table(films, *budgets), CONDITIONS, finished or Finished(None, {}), lambda _: None, opened)


def test_each_policy_and_budget_has_a_store_of_its_own_that_is_told_everything_in_order(films: Path) -> None:
    opener = Opener()
    found = run(films, opener, 20, 40)
    assert opener.asked == [("fifo", 20), ("random-drop", 20), ("fifo", 40), ("random-drop", 40)]
    first = [draft.ref for draft in opener.keepers[0].told]
    assert all([draft.ref for draft in keeper.told] == first for keeper in opener.keepers)
    times = [draft.at for draft in opener.keepers[0].told]
    assert times == sorted(times)
    assert set(found["weekly"]["films"]) == {"20", "40"}


def test_a_budget_above_what_there_is_is_run_once_for_all(films: Path) -> None:
    opener = Opener()
    found = run(films, opener, 20, 5000, 9000)
    assert opener.asked == [("fifo", 20), ("random-drop", 20), ("fifo", 5000)]
    runs = found["weekly"]["films"]
    assert runs["5000"]["fifo"] == runs["5000"]["random-drop"] == runs["9000"]["fifo"]


def test_what_keeps_more_scores_more_and_what_is_stale_counts_against_it(films: Path) -> None:
    (place,) = personas(films, "weekly", ())
    told = Told(BenchPersona(place, TokenCounter()), CONDITIONS)
    kept, lost = (told.run(policy, 20, Opener()) for policy in POLICIES)
    assert kept["depths"]["20"]["presence"] == 1
    assert 0 < kept["depths"]["20"]["fama"] < 1
    assert kept["depths"]["20"]["stale"] > 0
    assert lost["depths"]["20"]["fama"] == lost["depths"]["20"]["presence"] == 0
    assert list(kept["depths"]) == ["5", "20"]
    assert (kept["questions"], kept["refused"], kept["weight"], kept["memories"], kept["summaries"]) == (3, 3, 7, 3, 1)


def test_finished_runs_are_not_run_again(films: Path, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    first = run(films, Opener(most=1), 20, 40, finished=Finished(path, {}))
    assert set(first["weekly"]["films"]["20"]) == {"fifo"}
    opener = Opener()
    whole = run(films, opener, 20, 40, finished=Finished(path, {}))
    assert opener.asked == [("random-drop", 20), ("fifo", 40), ("random-drop", 40)]
    assert whole == run(films, Opener(), 20, 40)


def outcome(fama: float) -> dict[str, Any]:
    parts = {"presence": fama, "stale": None, "raw": None, "tokens": 10.0, "stale_tokens": 0.0}
    store = {"weight": 10, "memories": 2, "summaries": 0, "refused": 0}
    return {"depths": {"20": {"fama": fama, **parts}}, "questions": 15, **store}


def written(*famas: tuple[float, float]) -> dict[str, dict[str, Any]]:
    people = {
        f"p{place}": {"2000": {"fifo": outcome(fifo), "random-drop": outcome(drop)}}
        for place, (fifo, drop) in enumerate(famas)
    }
    return {"weekly": people}


def summary(found: dict[str, dict[str, Any]], count: int) -> dict[str, Any]:
    return forgetting_report.summary(found, POLICIES, (2000,), wanted={"weekly": count}, seed=1)


def test_the_difference_to_random_drop_is_taken_persona_by_persona() -> None:
    found = written((0.2, 0.1), (0.9, 0.8), (0.6, 0.5))
    made = summary(found, 3)
    cell = made["periods"]["weekly"]["depths"]["20"]["fifo"]["2000"]
    assert cell["fama"]["low"] < cell["fama"]["mean"] < cell["fama"]["high"]
    assert cell["over_random_drop"] == {"mean": 0.1, "low": 0.1, "high": 0.1}
    assert not made["stopped"]
    shown = [str(cell) for table in forgetting_report.tables({**HEAD, **made}) for cell in table.columns[1].cells]
    assert "56.7 [20.0, 90.0]" in shown
    assert "10.0 [10.0, 10.0]" in shown


def test_a_persona_that_was_stopped_in_its_middle_counts_for_no_policy() -> None:
    found = written((0.2, 0.1), (0.9, 0.8))
    del found["weekly"]["p1"]["2000"]["random-drop"]
    made = summary(found, 2)
    assert made["stopped"]
    assert made["periods"]["weekly"]["personas"] == ["p0"]
    assert made["periods"]["weekly"]["depths"]["20"]["fifo"]["2000"]["fama"]["mean"] == 0.2


def test_stopped_before_anything_was_complete_it_says_so() -> None:
    empty: tuple[dict[str, Any], ...] = ({}, {"weekly": {}})
    for found in empty:
        made = summary(found, 2)
        assert made["stopped"]
        assert made["periods"]["weekly"] == {"wanted": 2, "personas": [], "depths": {}}


def test_stopped_between_two_personas_it_says_so() -> None:
    made = summary(written((0.2, 0.1), (0.9, 0.8)), 3)
    assert made["stopped"]
    assert made["periods"]["weekly"]["personas"] == ["p0", "p1"]


def test_the_command_answers_with_one_document_and_draws(
    films: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "run", lambda *_: written((0.55, 0.1)))
    chart, saved = tmp_path / "chart.svg", tmp_path / "figures.json"
    arguments = ["--data", str(films), "--period", "weekly", "--policy", "fifo", "--policy", "random-drop"]
    arguments += ["--budget", "2000", "--save", str(saved)]
    assert forgetting.main([*arguments, "--json", "--chart", str(chart)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result == json.loads(saved.read_text(encoding="utf-8"))
    assert (result["bench"], result["track"], result["resamples"]) == ("forgetting", "AB", 10_000)
    assert "random-drop" in chart.read_text(encoding="utf-8")
    assert forgetting.main(arguments) == 0
    shown = capsys.readouterr().out
    assert "weekly, 1 personas, k = 20" in shown
    assert "55.0" in shown


def test_stopped_it_reports_and_its_status_says_so(
    films: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "run", lambda *_: {"weekly": {}})
    assert forgetting.main(["--data", str(films), "--period", "weekly", "--json"]) == forgetting.STOPPED
    assert json.loads(capsys.readouterr().out)["stopped"] is True
    assert forgetting.main(["--data", str(films), "--period", "weekly"]) == forgetting.STOPPED
    assert "stopped; complete: weekly 0 of 1 personas" in capsys.readouterr().out


def test_a_policy_or_a_period_that_there_is_not_is_named_before_anything_is_run(films: Path) -> None:
    with pytest.raises(InvalidConfig, match="no policy 'newest'"):
        forgetting.main(["--data", str(films), "--policy", "newest"])
    with pytest.raises(InvalidDocument, match="no folder 'monthly'"):
        forgetting.main(["--data", str(films)])
