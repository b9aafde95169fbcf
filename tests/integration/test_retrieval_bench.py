"""The retrieval bench's real product: a store that is told a persona session by session."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING

import click
import pytest

from marskg.clock import DAY_MS
from marskg.weight import TokenCounter
from marskg_bench.common.memora import BenchPersona
from marskg_bench.retrieval import main
from marskg_bench.retrievals.retrievers import product
from tests.support.memora_persona import film_lover
from tests.support.two_people import GARDEN, TRAVEL, write

if TYPE_CHECKING:
    from pathlib import Path

    from marskg_bench.common.memora import Track


def proposal(title: str, budget: int) -> dict[str, object]:
    return {"item": "project_proposal_1", "content_data": {"project_title": title, "budget": budget}}


@pytest.mark.parametrize("track", ["A", "AB"])
def test_the_product_holds_what_the_trace_holds(tmp_path: Path, track: Track) -> None:
    written = film_lover(tmp_path / "weekly" / "films")
    written.session("activity", "add", proposal("Reeds", 800), "It needs $800.", date="2025-06-03")
    written.session("activity", "update", proposal("Reeds", 900), "Make that $900.", date="2025-06-06")
    persona = BenchPersona(written.folder, TokenCounter())
    with product(persona.sessions[0].start) as running:
        for _, session in groupby(persona.drafts(track), key=lambda draft: draft.session):
            running.tell(list(session))
        memories = [memory for memory in running.memory.memories() if memory.current and memory.kind != "episodic"]
        now = running.memory.now()
        # The budget of a later session names the title of an earlier one.
        bases = running.memory.cypher("MATCH (a:Memory)-[:dependsOn]->(b:Memory) RETURN a.id AS a, b.id AS b").rows
    trace = persona.trace(persona.days[0])
    assert {one.value for one in trace.assertions if one.current} == {
        "jazz",
        "Paint the fence",
        3.5,
        4.25,
        "Reeds",
        900,
    }
    said = " / ".join(memory.content or "" for memory in memories if memory.status not in {"done", "cancelled"})
    assert all(word in said for word in ("jazz", "Paint the fence", "3.5", "4.25", "Reeds", "900"))
    assert not any(word in said for word in ("opera", "Water the ferns", "800"))
    assert 0 <= now - persona.sessions[-1].start < DAY_MS
    (budget,) = [memory.id for memory in memories if "900" in (memory.content or "")]
    (title,) = [memory.id for memory in memories if "title: Reeds" in (memory.content or "")]
    assert (budget, title) in bases


def test_the_product_is_asked_within_tokens_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film_lover(tmp_path / "weekly" / "films")
    given = ["--data", str(tmp_path), "--track", "AB", "--k", "3", "--budget", "12", "--budget", "400", "--json"]
    assert main(given) == 0
    found = json.loads(capsys.readouterr().out)
    systems, ratios = found["tracks"]["AB"], found["ratios"]["AB"]
    assert set(systems["bm25"]["overall"]) == {"3", "all"}
    few, many = (systems["product"]["overall"][f"{tokens} tokens"] for tokens in (12, 400))
    assert few["presence"] < many["presence"]
    assert few["tokens"] <= 12 < many["tokens"]
    assert set(ratios["product_to_oracle_ratio"]) == {"3", "all"}


def test_evidence_is_measured_on_conversations_beside_flat_rankings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write(tmp_path / "some.json", GARDEN, TRAVEL)
    chart = tmp_path / "chart.svg"
    given = ["--data", str(data), "--alone", "--json", "--chart", str(chart), "--budget", "40", "--budget", "400"]
    assert main([*given, "--parts", "--k", "2"]) == 0
    found = json.loads(capsys.readouterr().out)["evidence"]
    assert found["complete"] == {"garden": {"turns": 6, "questions": 3}, "travel": {"turns": 2, "questions": 2}}
    assert list(found["systems"]) == ["product", "smoothed", "both", "vectors", "bm25"]
    for groups in found["systems"].values():
        assert groups["overall"]["questions"] == 4
        assert groups["adversarial"]["questions"] == 1
        few, many = (groups["overall"]["tokens"][budget] for budget in ("40", "400"))
        assert few["evidence"] <= many["evidence"]
        assert few["items"] <= many["items"]
    assert found["systems"]["bm25"]["overall"]["tokens"]["400"]["evidence"] == 1.0
    assert found["abstention"]["product"]["foreign_questions"] == 4
    assert (
        found["ratios"]["evidence_to_bm25_ratio"]["400"]
        == (found["systems"]["product"]["overall"]["tokens"]["400"]["evidence"])
    )
    assert set(found["parts"]["lexical"]) == {"40", "400"}
    assert "<svg" in chart.read_text(encoding="utf-8")


def test_rounds_of_use_are_measured_by_kind_of_feedback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = write(tmp_path / "some.json", GARDEN, TRAVEL)
    given = ["--data", str(data), "--conversation", "garden", "--profile", "learning", "--rounds", "9", "--json"]
    assert main([*given, "--budget", "40", "--budget", "400"]) == 0
    found = json.loads(capsys.readouterr().out)["learning"]
    assert (found["rounds"], found["stopped"]) == (9, False)
    assert found["complete"] == {"garden": 2}  # adversarial questions have no evidence to teach
    assert list(found["kinds"]) == ["right", "wrong", "missing"]
    assert min(found["given"]["right"], found["given"]["wrong"]) > 0
    for groups in found["kinds"].values():
        assert list(groups) == ["asked", "held_out", "overall"]
        assert {budget: cell["before"] for budget, cell in groups["overall"].items()} == {"40": 1.0, "400": 1.0}
        assert all(0 <= cell["after"] <= 1 for cell in groups["overall"].values())
    # Who says nothing, or talks of something else, changes nothing.
    assert all(cell["after"] == cell["before"] for cell in found["kinds"]["missing"]["overall"].values())


def test_the_profile_of_learning_wants_a_file_of_conversations(tmp_path: Path) -> None:
    for given in ([], ["--data", str(tmp_path)]):
        with pytest.raises(click.UsageError, match="name a file of them"):
            main([*given, "--profile", "learning"])
