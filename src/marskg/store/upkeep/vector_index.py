"""The vectors of memories where the engine's own index finds them: a node of its own for each memory.

Guarantees: a point is put only while its memory has content, and goes in the transaction in which the content goes
(:mod:`marskg.store.commit.flush`); nothing is shown from it: it names candidates, whose similarity is worked out anew.
It is kept apart from the memory, so that a read, an export or a change of a memory does not carry its numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.store.rows import codec
from marskg.store.statements.catalogue import statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.embedding.model import Vectors
    from marskg.store.commit.writer import Writer
    from marskg.store.engine.protocol import Engine

#: Points in one transaction.
PAGE: Final = 500


def define(engine: Engine) -> None:
    """Let there be points in the store; a second call changes nothing."""
    _define(engine, statement("define_points", engine.name))


def define_index(engine: Engine, dimension: int) -> None:
    """Let there be an index of points with vectors of ``dimension``; a second call changes nothing."""
    _define(engine, statement("define_point_index", engine.name, dimension=dimension))


def clear(writer: Writer) -> None:
    """Remove all points of the tenant."""
    define(writer.engine)
    low, high = f"{writer.tenant}|", f"{writer.tenant}}}"
    text = statement("clear", writer.engine.name, label="VectorPoint")
    with writer.alone():
        while writer.engine.write(text, {"low": low, "high": high, "limit": PAGE})[0]["removed"]:
            pass


class Points:
    """One tenant's points with vectors of one dimension."""

    def __init__(self, writer: Writer, dimension: int) -> None:
        """Define the engine's index over vectors of ``dimension``, if it is not there."""
        self._writer = writer
        self._dimension = dimension
        define(writer.engine)
        define_index(writer.engine, dimension)

    def _text(self, name: str) -> str:
        return statement(name, self._writer.engine.name, dimension=self._dimension)

    def put(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Put the vectors of memories, those that still have content, row by row."""
        text = self._text("put_points")
        for start in range(0, len(ids), PAGE):
            rows = [
                {"ref": codec.ref(self._writer.tenant, ident), "vector": vector.tolist()}
                for ident, vector in zip(ids[start : start + PAGE], vectors[start : start + PAGE], strict=True)
            ]
            with self._writer.alone():
                self._writer.engine.write(text, {"rows": rows})

    def nearest(self, vector: Sequence[float], count: int) -> list[str | None]:
        """Return the ids of the up to ``count`` nearest points, None for those of other tenants."""
        rows = self._writer.engine.read(self._text("nearest_points"), {"vector": list(vector), "count": count})
        prefix = f"{self._writer.tenant}|"
        refs = [str(row["ref"]) for row in rows]
        return [ref[len(prefix) :] if ref.startswith(prefix) else None for ref in refs]


def _define(engine: Engine, text: str) -> None:
    engine.define_all([part.strip() for part in text.split(";") if part.strip()])
