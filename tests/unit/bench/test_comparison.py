"""The bench as a whole on a persona that a test wrote: who sees what, and what the figures say of it."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from marskg.embedding.static import StaticEmbedding
from marskg.errors import InvalidDocument, InvalidInput
from marskg.weight import TokenCounter
from marskg_bench import retrieval
from marskg_bench.common.memora import BenchPersona, personas
from marskg_bench.fama.scoring import Item
from marskg_bench.retrievals import retrieval_report
from marskg_bench.retrievals.comparison import Scope, compare, ratios
from marskg_bench.retrievals.retrievers import SPOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from marskg.drafts import Draft
    from marskg_bench.common.memora import Track

#: What only the evidence and its criteria hold.
SECRET = "remaining_tasks"


@dataclass
class Recorder:
    """A memory that keeps all it is told, or only what was not replaced; both answer with everything."""

    governs: bool
    told: list[Draft] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    opened: list[dict[str, Any]] = field(default_factory=list)

    def tell(self, drafts: Sequence[Draft]) -> None:
        for draft in drafts:
            if self.governs and draft.action != "remember":
                self.told = [held for held in self.told if held.key != draft.key]
            else:
                self.told.append(draft)

    def wait(self, moment: int) -> None:
        self.times.append(moment)

    def retrieve(self, question: str, k: int) -> list[Item]:
        self.asked.append(question)
        return [Item(draft.content, draft.session, 1) for draft in self.told if draft.action == "remember"][:k]


def run(films: Path, memory: Recorder, *tracks: Track) -> dict[str, Any]:
    @contextmanager
    def opened(_: int, settings: Mapping[str, Any]) -> Iterator[Any]:
        memory.opened.append(dict(settings))
        yield memory

    (place,) = personas(films, "weekly", ())
    found = [BenchPersona(place, TokenCounter())]
    return compare(found, Scope(tracks, (2, 50), opened=opened), StaticEmbedding(), lambda _: None)


def test_the_oracle_is_never_below_the_same_ranker_without_governance_when_all_is_asked_for(films: Path) -> None:
    figures = run(films, Recorder(governs=True), "A", "B", "C", "AB")
    for systems in figures.values():
        for ranker in ("bm25", "vector", "fused"):
            bare, oracle = (systems[name]["overall"]["all"] for name in (ranker, f"{ranker}_oracle"))
            assert oracle["fama"] > bare["fama"]
            assert (oracle["stale"], bare["stale"]) == (0, 1)
            assert oracle["presence"] == bare["presence"] == 1


def test_a_product_that_forgets_reaches_the_oracle_and_one_that_does_not_shows_it(films: Path) -> None:
    good = ratios(run(films, Recorder(governs=True), "A")["A"], "fused")
    assert good["product_to_oracle_ratio"]["all"] == 1
    assert good["stale_to_ungoverned_ratio"]["all"] == 0
    systems = run(films, Recorder(governs=False), "A")["A"]
    bad = ratios(systems, "fused")
    assert bad["stale_to_ungoverned_ratio"]["all"] == 1
    assert bad["product_to_oracle_ratio"]["all"] < 0.8
    missed = {check.words for check in retrieval_report.checks(result_of(systems, bad)) if not check.reached}
    assert {"track A, FAMA ÷ oracle, k = all", "track A, stale exposure, k = all"} <= missed


def result_of(systems: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    return {"tracks": {"A": systems}, "ratios": {"A": found}, "period": "weekly", "personas": ["films"]}


def test_the_product_sees_texts_and_times_and_no_criterion(films: Path) -> None:
    memory = Recorder(governs=True)
    run(films, memory, "C")
    assert set(memory.asked) == {
        "Can you suggest me some music?",
        "What is on my list?",
        "How much did I spend on coffee?",
    }
    assert all(draft.source_ref is None or "evaluation" not in draft.source_ref for draft in memory.told)
    assert not any(SECRET in draft.content for draft in memory.told)
    assert memory.times == [1749340799999]  # the end of the day on which the questions are asked


def test_only_turns_without_facts_have_their_conflicts_found_by_their_words(films: Path) -> None:
    expected: list[tuple[Track, Mapping[str, Any]]] = [("A", {}), ("AB", {}), ("B", SPOKEN), ("C", SPOKEN)]
    for track, settings in expected:
        memory = Recorder(governs=False)
        run(films, memory, track)
        assert memory.opened == [dict(settings)]


def test_facts_are_one_for_each_value_and_turns_are_what_was_said(films: Path) -> None:
    (place,) = personas(films, "weekly", ())
    persona = BenchPersona(place, TokenCounter())
    (day,) = persona.days
    assert len(persona.items("A", day)) == 6
    assert [item.session for item in persona.items("B", day)] == [f"session_{n:04d}" for n in range(1, 8)]
    assert len(persona.items("C", day)) == 14
    assert len(persona.items("AB", day)) == 13
    assert all(item.tokens > 0 for item in persona.items("C", day))


def test_the_command_answers_with_one_document(films: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    saved = tmp_path / "figures.json"
    arguments = ["--data", str(films), "--rankers-only", "--track", "A", "--k", "3", "--save", str(saved)]
    assert retrieval.main([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert result == json.loads(saved.read_text(encoding="utf-8"))
    assert result["personas"] == ["films"]
    assert result["ratios"] == {"A": {}}
    assert set(result["tracks"]["A"]["bm25"]) == {"remembering", "recommending", "reasoning", "overall"}
    assert set(result["tracks"]["A"]["bm25"]["overall"]) == {"3", "all"}
    assert "films, track A" in err
    assert retrieval.main(arguments) == 0
    shown = capsys.readouterr().out
    assert "Track A, weekly, 1 personas: overall" in shown
    assert "fused_oracle" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--period", "monthly"], "has no folder 'monthly'"),
        (["--persona", "nobody"], "no persona nobody; it has: films"),
    ],
)
def test_what_is_not_there_is_named(films: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(InvalidDocument, match=message):
        retrieval.main(["--data", str(films), "--rankers-only", *arguments])


def test_without_vectors_there_is_nothing_to_compare(films: Path) -> None:
    with pytest.raises(InvalidInput, match="such as static"):
        retrieval.main(["--data", str(films), "--embedding", "none"])


def test_strict_turns_a_missed_figure_into_a_status(films: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    systems = run(films, Recorder(governs=False), "A")
    result = result_of(systems["A"], ratios(systems["A"], "fused"))
    monkeypatch.setattr(retrieval, "run", lambda *_, **__: result)
    assert retrieval.main(["--data", str(films)]) == 0
    assert retrieval.main(["--data", str(films), "--strict"]) == retrieval.MISSED
