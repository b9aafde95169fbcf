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
from marskg.store.unit.vectors import LATE_PAGE, NONE, PAGE, is_whole, model_name, packed_by, tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
    for page in reader.without_vector(tag(model_name(model)), LATE_PAGE if model.late else PAGE):
        total += make_up(writer, reader, model, page)
        heard(page)
        yield total


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


def make_up(writer: Writer, reader: GraphReader, model: EmbeddingModel, ids: Sequence[str]) -> int:
    """Make and store the vectors of those of the memories ``ids`` that lack theirs; returns how many.

    Args:
        writer: where they are stored.
        reader: where the texts are read.
        model: what makes them.
        ids: no more than are read and stored at once.

    Raises:
        EmbeddingUnavailable: the model does not answer; nothing was stored.
        EmbeddingMismatch: the tenant's vectors are of another model.
    """
    name = model_name(model)
    _announce(writer, name)
    refs = reader.refs(ids)
    # Another handle or process may have made them meanwhile.
    texts = {
        row["ref"]: row["content"]
        for row in reader.run("contents", {"refs": refs})
        if not is_whole(row["embedding"], name, row["content"])
    }
    made = dict(zip(texts, packed_by(model, [*texts.values()]), strict=True))
    if not made:
        return 0
    with writer.alone():
        # What was cut out of a text meanwhile is not to be in its vector.
        now = {row["ref"]: row["content"] for row in reader.run("contents", {"refs": [*texts]})}
        rows = [{"ref": ref, "embedding": vector} for ref, vector in made.items() if now.get(ref) == texts[ref]]
        if rows:
            writer.put("set_embeddings", {"rows": rows})
    return len(rows)


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
