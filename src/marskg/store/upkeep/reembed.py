"""Making a tenant's vectors anew with another model, or those that are missing.

Guarantees: the tenant's row names the new model, in one signed transition, before the first of its vectors is stored;
from then on a vector of the old model counts as missing, so that an interruption at any moment leaves memories without
a vector and never a mix, and the next run goes on where it stopped. A model that does not answer is found out before
anything is changed. Writes and reads go on meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.errors import EmbeddingMismatch, InvalidInput
from marskg.ontology.vocabulary import Operation
from marskg.store.unit.vectors import NONE, PAGE, model_name, packed_by, tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from marskg.config import Settings
    from marskg.embedding.model import EmbeddingModel
    from marskg.store.commit.writer import Writer
    from marskg.store.rows.state import TenantState
    from marskg.store.unit.reader import GraphReader
    from marskg.store.unit.unit_of_work import Unit

#: Any text: what is asked is whether a vector comes back.
_TRIAL: Final = "Is anybody there?"


def switch(writer: Writer, spec: str, model: EmbeddingModel | None) -> bool:
    """Let ``model``, which the setting ``spec`` chooses, be the one of the tenant's vectors from now on.

    Returns whether it is another one than before.

    Raises:
        EmbeddingUnavailable: it cannot be loaded or does not answer; nothing was changed.
        InvalidInput: ``spec`` chooses none.
    """
    if model is None:
        msg = (
            f"tenant {writer.tenant!r} would get no vectors from {NONE!r}; name a model: "
            f"mars maintenance reembed --model static, or keep it without them: mars settings embedding.model={NONE}"
        )
        raise InvalidInput(msg)
    model.embed([_TRIAL])
    name = model_name(model)

    def work(unit: Unit) -> bool:
        state = unit.state
        settings = state.settings.with_values({"embedding.model": spec}, "reembed")
        if (settings, name) != (state.settings, state.embedding_model):
            unit.update_tenant(settings=settings, embedding_model=name)
            unit.audit.note(Operation.MIGRATE, parameters=settings.to_parameters())
        return name != state.embedding_model

    return writer.run(work)


def make_all(
    writer: Writer, reader: GraphReader, model: EmbeddingModel, heard: Callable[[list[str]], None]
) -> Iterator[int]:
    """Make the vectors that are missing, page by page; yields how many were made so far.

    ``heard`` gets the ids of each page once its vectors are stored.

    Raises:
        EmbeddingUnavailable: the model does not answer any more; what was stored until then is kept.
        EmbeddingMismatch: somebody chose another model meanwhile.
    """
    total = 0
    for page in reader.without_vector(tag(model_name(model)), PAGE):
        total += make_up(writer, reader, model, page, lambda _: None)
        heard(page)
        yield total


def missing(reader: GraphReader, state: TenantState) -> int:
    """Return how many memories with content have no vector of the tenant's model; 0 where it is to have none."""
    if state.settings.embedding.model == NONE:
        return 0
    return reader.count_without_vector("" if state.embedding_model is None else tag(state.embedding_model))


def refuse_change(state: TenantState, wanted: Settings, load: Callable[[str], EmbeddingModel | None]) -> None:
    """Refuse settings whose model is not the one that made the tenant's vectors.

    Raises:
        EmbeddingMismatch: the tenant has vectors, and they are of another model.
        EmbeddingUnavailable: the model must be loaded to tell its name, and cannot be.
        InvalidConfig: the setting chooses no model.
    """
    spec = wanted.embedding.model
    model = load(spec)
    known = state.embedding_model
    if model is None or known is None or known.rpartition("/")[0] == model.name:
        return
    msg = (
        f"the vectors of tenant {state.name!r} were made by {known}, and the settings ask for {spec}; vectors of two "
        f"models cannot be compared: make them anew with: mars maintenance reembed --model {spec}, or keep "
        f"embedding.model: {state.settings.embedding.model}"
    )
    raise EmbeddingMismatch(msg)


def make_up(
    writer: Writer, reader: GraphReader, model: EmbeddingModel, ids: Iterable[str], report: Callable[[int], None]
) -> int:
    """Make and store the vectors of the memories ``ids``, those that still have content; returns how many.

    Raises:
        EmbeddingUnavailable: the model does not answer; what was stored until then is kept.
        EmbeddingMismatch: the tenant's vectors are of another model.
    """
    name = model_name(model)
    _announce(writer, name)
    total = 0
    for page in _pages(ids):
        rows = reader.run("contents", {"refs": reader.refs(page)})
        vectors = packed_by(model, [row["content"] for row in rows])
        packed = [{"ref": row["ref"], "embedding": made} for row, made in zip(rows, vectors, strict=True)]
        if packed:
            with writer.alone():
                writer.put("set_embeddings", {"rows": packed})
        total += len(packed)
        report(total)
    return total


def _announce(writer: Writer, name: str) -> None:
    """Put the model ``name`` on the tenant's row, if none is there: what is loaded comes without vectors.

    Raises:
        EmbeddingMismatch: another model is there.
    """

    def work(unit: Unit) -> None:
        known = unit.state.embedding_model
        unit.expect_model(name)
        if known is None:
            unit.audit.note(Operation.MIGRATE, parameters=unit.state.settings.to_parameters())

    if writer.state.embedding_model != name:
        writer.run(work)


def _pages(ids: Iterable[str]) -> Iterable[list[str]]:
    page: list[str] = []
    for item in ids:
        page.append(item)
        if len(page) == PAGE:
            yield page
            page = []
    if page:
        yield page
