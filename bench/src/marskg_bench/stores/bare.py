"""The engine without governance: the same nodes under the same indexes, one explicit transaction a write.

Guarantees: a bare node has the label and all properties that the governed one has, with references and keys of its
own; the embedded engine's bare database has the engine's default page sizes and the same fsync for each commit. A bare
write is what the engine's own manual shows: one explicit transaction through the engine's own Python driver. This
package hands parameters to the embedded engine in a faster way; what that alone gains is kept apart: ``shared`` writes
the same nodes by the way that the governed writes take.
"""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from marskg.ontology.vocabulary import Kind
from marskg.store.engine.arcadedb import ArcadeDB
from marskg.store.engine.cypher_files import cypher_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.store.engine.protocol import Engine, Row

_KEYS = ("fifoKey", "lruKey", "decayKey", "randomKey", "dueKey", "sessionKey")
_PAGE = 250


@cache
def text(name: str, kind: Kind | None = None) -> str:
    """Return the bench's own statement ``name``."""
    found = cypher_text(name, package="marskg_bench.stores")
    return found if kind is None else found.replace("$KIND$", kind.label)


def nodes_of(engine: Engine, tenant: str) -> Iterator[Row]:
    """Yield the properties of every memory of a tenant."""
    low = f"{tenant}|"
    while True:
        rows = engine.read(text("page"), {"low": low, "high": f"{tenant}}}", "limit": _PAGE})
        yield from (row["node"] for row in rows)
        if len(rows) < _PAGE:
            return
        low = rows[-1]["node"]["ref"] + "\x01"


class Bare:
    """Writes nodes straight into an engine."""

    def __init__(self, engine: Engine, tenant: str) -> None:
        """Write below ``tenant``, which nobody governs."""
        self.engine = engine
        #: Whether the engine's own driver and the way of the governed writes differ.
        self.two_ways = isinstance(engine, ArcadeDB)
        self.tenant = tenant
        self._pattern: list[Row] = []
        self._made = 0

    def populate(self, nodes: Iterator[Row]) -> None:
        """Copy the governed ``nodes``, and keep some episodes of them as the pattern of what is written later."""
        while page := [self._copy(node, "") for node in islice(nodes, _PAGE)]:
            for kind in Kind:
                rows = [node for node in page if node["kind"] == kind]
                if rows:
                    self.many(kind, rows, shared=True)
            if len(self._pattern) < _PAGE:
                self._pattern += [node for node in page if node["kind"] == Kind.EPISODIC]

    def next(self, count: int) -> list[Row]:
        """Return ``count`` new episodes, not yet written."""
        found = []
        for _ in range(count):
            cycle, place = divmod(self._made, len(self._pattern))
            found.append(self._copy(self._pattern[place], f"-{cycle}"))
            self._made += 1
        return found

    def one(self, node: Row, *, shared: bool = False) -> None:
        """Write one episode in a transaction of its own."""
        self._write(text("create", Kind.EPISODIC), {"node": node}, shared=shared)

    def each(self, nodes: list[Row]) -> None:
        """Write episodes one after another."""
        for node in nodes:
            self.one(node)

    def many(self, kind: Kind, nodes: list[Row], *, shared: bool = False) -> None:
        """Write nodes of one kind in one transaction."""
        self._write(text("create_many", kind), {"rows": nodes}, shared=shared)

    def update(self, rows: list[dict[str, Any]]) -> None:
        """Set properties of nodes in one transaction."""
        self._write(text("update"), {"rows": rows}, shared=False)

    def _write(self, statement: str, parameters: dict[str, Any], *, shared: bool) -> None:
        if isinstance(self.engine, ArcadeDB) and not shared:
            self.engine.write_plainly(statement, parameters)
            return
        with self.engine.transaction() as transaction:
            transaction.run(statement, parameters)

    def _copy(self, node: Row, tag: str) -> Row:
        """Return ``node`` as one of the bare tenant's, with references and keys that no other node has."""
        old = len(node["tenant"])
        made = {**node, "tenant": self.tenant, "ref": f"{self.tenant}{node['ref'][old:]}{tag}"}
        for name in _KEYS:
            if name in node:
                made[name] = f"{self.tenant}{node[name][old:]}{tag}"
        return made
