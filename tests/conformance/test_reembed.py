"""Vectors at the store's side: another model, an endpoint that fails, what is loaded; the same on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import marskg
from marskg.answer import plain
from marskg.embedding.endpoint import EndpointEmbedding
from marskg.embedding.minilm import MiniLM
from marskg.embedding.registry import load_model
from marskg.errors import EmbeddingMismatch, EmbeddingUnavailable, InvalidConfig, InvalidInput
from marskg.models.http_client import Limits, Poster
from marskg.models.rest import REST_MS
from marskg.ontology.vocabulary import Operation
from marskg.store.unit import vectors
from marskg.store.unit.vectors import WITHOUT_VECTOR, tag
from marskg.store.upkeep import reembed
from tests.support import embedding_server as fake

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

STATIC = "static:l2_supercat_256/256"
SMALL = "small/4"
TEXTS = ("Water the tomatoes twice a week", "The train to Bergen leaves at nine", "Ann is allergic to nuts")


class Small:
    """A model of four components that fails when told to."""

    name = "small"
    dimension = 4
    late = False

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.fails_after: int | None = None

    def embed(self, texts: Sequence[str]) -> Any:
        if self.fails_after is not None and len(self.asked) + len(texts) > self.fails_after:
            message = "small does not answer; wait"
            raise EmbeddingUnavailable(message)
        self.asked += texts
        rows = np.array([[len(text), text.count("a"), text.count("e"), 1.0] for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Small:
    """Let the setting ``minilm`` choose a model that tests can look into."""
    model = Small()
    real = load_model

    def load(spec: str) -> Any:
        return model if spec == "minilm" else real(spec)

    for namespace in ("maintenance", "settings"):
        monkeypatch.setattr(f"marskg.api.namespaces.{namespace}_namespace.load_model", load)
    monkeypatch.setattr(vectors.Vectoriser.__init__, "__defaults__", (load,))
    return model


@pytest.fixture
def server() -> Iterator[fake.Server]:
    with fake.embedding_server() as running:
        yield running


def filled(stores: Stores, texts: Sequence[str] = TEXTS, **settings: Any) -> AgentMemory:
    memory = stores.open(**settings)
    for text in texts:
        memory.remember(text, kind="semantic")
    return memory


def tags(memory: AgentMemory) -> list[str]:
    """Return the tags of the stored vectors, in the order of the ids."""
    text = "MATCH (m:Memory) WHERE m.tenant = $t AND m.content IS NOT NULL RETURN m.embedding AS e ORDER BY m.id"
    return [str(row["e"])[:7] for row in memory.store.engine.read(text, {"t": memory.tenant})]


def first(memory: AgentMemory, query: str) -> str | None:
    found: str | None = memory.retrieve(query)[0].memory.content
    return found


# --- Another model -----------------------------------------------------------------------------------------------


def test_all_vectors_are_made_anew_with_progress_and_a_record(stores: Stores, small: Small) -> None:
    memory = filled(stores)
    assert memory.retrieve("tomatoes")[0].why["similarity"] > 0
    heard: list[int] = []
    assert memory.maintenance.reembed("minilm", progress=heard.append) == len(TEXTS)
    assert heard == [len(TEXTS)]
    assert tags(memory) == [tag(SMALL)] * len(TEXTS)
    assert memory.settings.current.embedding.model == "minilm"
    last = list(memory.audit.records())[-1]
    assert last.operation is Operation.MIGRATE
    assert "embedding.model=minilm" in str(plain(last))
    assert memory.retrieve("tomatoes")[0].why["similarity"] > 0
    assert memory.verify().ok
    again = stores.open(memory.tenant)
    assert again.settings.current.embedding.model == "minilm"
    assert small.asked.count(TEXTS[0]) == 1


def test_nothing_is_made_twice(stores: Stores) -> None:
    memory = filled(stores)
    before = len(list(memory.audit.records()))
    assert memory.maintenance.reembed() == 0
    assert memory.maintenance.reembed("static") == 0
    assert len(list(memory.audit.records())) == before


def test_an_interruption_leaves_no_mix_and_the_next_run_goes_on(
    stores: Stores, small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reembed, "PAGE", 2)
    memory = filled(stores, [f"note number {n}" for n in range(5)])

    def interrupt(done: int) -> None:
        assert done == 2
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.maintenance.reembed("minilm", progress=interrupt)
    assert sorted(tags(memory)) == sorted([tag(SMALL)] * 2 + [tag(STATIC)] * 3)
    assert memory.stats()["without_vector"] == 3
    asked = len(small.asked)
    assert stores.open(memory.tenant).maintenance.reembed() == 3
    assert tags(memory) == [tag(SMALL)] * 5
    # The three that were missing, and the trial.
    assert len(small.asked) == asked + 3 + 1


def test_reads_and_writes_go_on_meanwhile(stores: Stores, small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reembed, "PAGE", 2)
    monkeypatch.setattr("marskg.retrieval.index.view.MADE_UP", 0)
    memory = filled(stores, [f"note number {n} about the harbour" for n in range(6)])
    seen: list[int] = []

    def meanwhile(_: int) -> None:
        hits = memory.retrieve("harbour notes", k=20, token_budget=1000)
        seen.append(sum(hit.why["similarity"] > 0 for hit in hits))
        assert len(hits) == 6 + len(seen) - 1
        memory.remember(f"another note, the {len(seen)}th, about the harbour", kind="semantic")

    memory.maintenance.reembed("minilm", progress=meanwhile)
    assert seen[:3] == [2, 5, 8]
    assert set(tags(memory)) == {tag(SMALL)}
    assert small.asked


def test_a_vector_made_before_the_change_is_not_stored_after_it(
    stores: Stores, small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = filled(stores)
    packed = memory._components.vectoriser.packed

    def slow(texts: Sequence[str]) -> Any:
        made = packed(texts)
        monkeypatch.undo()
        memory._components.vectoriser.packed = packed  # type: ignore[method-assign]  # once is enough
        reembed.switch(memory._writer, "minilm", small)
        return made

    memory._components.vectoriser.packed = slow  # type: ignore[method-assign]  # between its vector and its write
    late = memory.remember("Bread is baked on Fridays", kind="semantic")
    assert WITHOUT_VECTOR in " ".join(late.notices) or memory.stats()["without_vector"] == len(TEXTS) + 1


def test_a_model_that_does_not_answer_changes_nothing(stores: Stores, small: Small) -> None:
    memory = filled(stores)
    small.fails_after = 0
    before = len(list(memory.audit.records()))
    with pytest.raises(EmbeddingUnavailable):
        memory.maintenance.reembed("minilm")
    assert len(list(memory.audit.records())) == before
    assert memory.settings.current.embedding.model == "static"
    assert tags(memory) == [tag(STATIC)] * len(TEXTS)


def test_no_model_is_no_model_to_embed_with(stores: Stores) -> None:
    memory = filled(stores)
    with pytest.raises(InvalidInput, match=r"embedding\.model=none"):
        memory.maintenance.reembed("none")
    with pytest.raises(InvalidConfig, match="auto, e5, static, minilm"):
        memory.maintenance.reembed("word2vec")


# --- The setting -------------------------------------------------------------------------------------------------


def test_another_model_is_refused_while_there_are_vectors(stores: Stores, small: Small) -> None:
    memory = filled(stores)
    with pytest.raises(EmbeddingMismatch, match="mars maintenance reembed --model minilm"):
        memory.settings.set(None, {"embedding.model": "minilm"})
    memory.settings.set(None, {"embedding.model": "none"})
    assert memory.remember("Left without a vector", kind="semantic").notices == ()
    assert memory.stats()["without_vector"] == 0
    with pytest.raises(EmbeddingMismatch):
        memory.settings.set(None, {"embedding.model": "minilm"})
    memory.settings.set(None, {"embedding.model": "static"})
    assert memory.stats()["without_vector"] == 1
    assert memory.maintenance.reembed() == 1
    assert not small.asked


def test_open_chooses_the_model_of_a_new_tenant_and_refuses_another_one(tmp_path: Path) -> None:
    with marskg.open(tmp_path / "store", embedding="none") as memory:
        assert memory.settings.current.embedding.model == "none"
        memory.remember(TEXTS[0])
    with marskg.open(tmp_path / "store", embedding="static") as memory:
        assert memory.maintenance.reembed() == 1
    with pytest.raises(EmbeddingMismatch, match="mars maintenance reembed --model minilm"):
        marskg.open(tmp_path / "store", embedding="minilm")
    file = tmp_path / "mars.yaml"
    file.write_text("embedding: {model: minilm}\n", encoding="utf-8")
    with pytest.raises(EmbeddingMismatch):
        marskg.open(tmp_path / "store", config=file)
    with pytest.raises(InvalidConfig, match="auto, e5, static, minilm"):
        marskg.open(tmp_path / "other", embedding="word2vec")
    assert not (tmp_path / "other").exists()


def test_missing_weights_are_told_with_the_way_out_and_stop_nothing(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("marskg.embedding.weights.find_spec", lambda _: None)
    memory = stores.open(embedding__model="minilm")
    written = memory.remember(TEXTS[0], kind="semantic")
    assert WITHOUT_VECTOR in written.notices
    found = memory.retrieve("tomatoes")
    assert found[0].memory.id == written.id
    assert any("ranked without vectors" in notice and "pip download" in notice for notice in found.notices)
    with pytest.raises(EmbeddingUnavailable, match="pip download"):
        memory.maintenance.reembed()
    monkeypatch.undo()
    assert memory.maintenance.reembed() == 1
    assert MiniLM().name in str(memory._writer.state.embedding_model)


# --- An endpoint that fails --------------------------------------------------------------------------------------


def endpoint(stores: Stores, server: fake.Server, seconds: float = 5) -> AgentMemory:
    memory = stores.open(embedding__model=f"openai:m@{server.url}")
    limits = Limits(seconds=seconds, tries=2, pause=0)
    poster = Poster(
        server.url,
        limits=limits,
        sleep=lambda _: None,
        what="the embedding endpoint",
        key_variable="MARS_EMBEDDING_KEY",
        failure=EmbeddingUnavailable,
    )
    memory._components.vectoriser._load = lambda _: EndpointEmbedding("m", poster)
    return memory


@pytest.mark.parametrize("fault", ["rubbish", "other dimension", "status", "hang"])
def test_while_an_endpoint_fails_writes_and_reads_go_on_and_catch_up(
    stores: Stores, server: fake.Server, fault: str
) -> None:
    memory = endpoint(stores, server, 0.3 if fault == "hang" else 5)
    before = memory.remember(TEXTS[0], kind="semantic")
    assert before.notices == ()
    assert memory.retrieve("tomatoes")[0].why["similarity"] > 0
    fail(server, fault)
    asked = len(server.requests)
    missed = memory.remember(TEXTS[1], kind="semantic")
    assert WITHOUT_VECTOR in missed.notices
    found = memory.retrieve("the train to Bergen", k=1)
    assert found[0].memory.id == missed.id
    assert ["ranked without vectors" in notice for notice in found.notices] == [True]
    memory.remember("Nothing waits for a server that hangs", kind="semantic")
    # One failure, with its second try; nobody waits for another one while the model rests.
    assert len(server.requests) - asked <= 2
    assert memory.stats()["without_vector"] == 2
    server.planned.clear()
    stores.clock(memory).advance(REST_MS)
    caught_up = memory.retrieve("the train to Bergen")
    assert caught_up.notices == ()
    assert all(hit.why["similarity"] > 0 for hit in caught_up)
    assert memory.stats()["without_vector"] == 0
    assert memory.remember(TEXTS[2], kind="semantic").notices == ()


def fail(server: fake.Server, fault: str) -> None:
    """Let the next answers be wrong in one way."""
    for _ in range(20):
        if fault == "rubbish":
            server.plan_body(lambda _: b"<html>not found</html>")
        elif fault == "other dimension":
            server.plan_body(lambda texts: {"data": [{"index": n, "embedding": [1.0]} for n, _ in enumerate(texts)]})
        elif fault == "status":
            server.plan_status(500)
        else:
            server.planned.append(fake.hang)


def test_an_endpoint_that_is_away_from_the_beginning_is_made_up_for(stores: Stores, server: fake.Server) -> None:
    memory = endpoint(stores, server)
    fail(server, "status")
    memory.remember(TEXTS[0], kind="semantic")
    assert memory.retrieve("tomatoes").notices
    server.planned.clear()
    stores.clock(memory).advance(REST_MS)
    assert memory.retrieve("tomatoes").notices == ()
    assert memory.retrieve("tomatoes")[0].why["similarity"] > 0
    assert memory.verify().ok
    # What the row says of the model came with a record of its own.
    assert memory._writer.state.embedding_model is not None


# --- What is loaded ----------------------------------------------------------------------------------------------


def test_an_export_that_is_loaded_has_vectors_at_once(stores: Stores, tmp_path: Path) -> None:
    source = filled(stores, [f"note number {n} about the harbour" for n in range(300)], budget=1_000_000)
    source.export(tmp_path / "all.nq")
    target = stores.open(source.tenant + "-copy", embedding__model="static")
    text = (tmp_path / "all.nq").read_text(encoding="utf-8").replace(source.tenant, target.tenant)
    (tmp_path / "all.nq").write_text(text, encoding="utf-8")
    assert target.load(tmp_path / "all.nq") == 300
    assert target.stats()["without_vector"] == 0
    assert target._writer.state.embedding_model == STATIC
    assert target.verify().ok
    assert target.retrieve("harbour", k=5)[0].why["similarity"] > 0


def test_a_snapshot_that_is_loaded_has_vectors_at_once(stores: Stores, tmp_path: Path) -> None:
    memory = filled(stores)
    answer = [hit.memory.id for hit in memory.retrieve("tomatoes")]
    memory.snapshots.save(tmp_path / "snapshot")
    memory.snapshots.load(tmp_path / "snapshot")
    assert memory.stats()["without_vector"] == 0
    assert tags(memory) == [tag(STATIC)] * len(TEXTS)
    assert [hit.memory.id for hit in memory.retrieve("tomatoes")] == answer
    assert memory.verify().ok
