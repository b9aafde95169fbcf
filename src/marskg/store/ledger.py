"""The Merkle tree over a tenant's records: kept up with the log, its heads signed on a schedule and on demand.

Guarantees: a head covers exactly the records up to its size; after a restart the tree goes on from the last head's
frontier and the leaves since; leaf hashes are also kept in tiles of 256, so that inclusion can be worked out with
Cypher or SPARQL alone. Sources: RFC 9162 sections 2.1 and 4.10; tiles after the static CT API.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.audit.merkle import CompactRange
from marskg.audit.record import build_head
from marskg.store import codec
from marskg.store.engine import Conflict
from marskg.store.statements import statement

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.records import AuditRecord, TreeHead
    from marskg.store.engine import Engine
    from marskg.store.reader import GraphReader
    from marskg.store.state import Services

#: Leaf hashes in one tile.
TILE = 256


class Ledger:
    """The Merkle tree of one log of one tenant."""

    def __init__(self, engine: Engine, reader: GraphReader, services: Services, tenant: str, log: str) -> None:
        """Serve ``log``, the IRI of the tenant's transition log; nothing is read yet."""
        self._engine = engine
        self._reader = reader
        self._services = services
        self._tenant = tenant
        self._log = log
        self._range: CompactRange | None = None
        self._tile: list[str] = []
        self._last_head = 0

    def restart(self, log: str) -> None:
        """Forget the tree: the log was put back from a checkpoint."""
        self._log, self._range, self._tile, self._last_head = log, None, [], 0

    def _load(self) -> CompactRange:
        """Return the tree, going on from the last full tile's head, or from nothing."""
        if self._range is None:
            rows = self._engine.read(
                statement("last_frontier", self._engine.name),
                {"low": f"{self._tenant}|{self._log}|", "high": f"{self._tenant}|{self._log}}}"},
            )
            if rows:
                self._last_head = int(rows[0]["size"])
                self._range = CompactRange.from_hex(self._last_head, list(rows[0]["frontier"]))
            else:
                self._last_head = 0
                self._range = CompactRange()
            whole = self._last_head - self._last_head % TILE
            self._tile = [leaf.hex() for leaf in self._reader.leaves("t", whole + 1, self._last_head)]
        return self._range

    def extend(self, records: Iterable[AuditRecord]) -> int:
        """Take in records that were just committed; returns how many records no head covers yet."""
        tree = self._load()
        for record in records:
            if record.sequence <= tree.size:
                continue
            if record.sequence != tree.size + 1:
                self.catch_up()
                break
            self._append(bytes.fromhex(record.leaf))
        return tree.size - self._last_head

    def _append(self, leaf: bytes) -> None:
        tree = self._load()
        tree.append(leaf)
        self._tile.append(leaf.hex())

    def catch_up(self) -> int:
        """Take in what other writers committed; returns the tree's size."""
        tree = self._load()
        for leaf in self._reader.leaves("t", tree.size + 1):
            self._append(leaf)
        return tree.size

    def sign_head(self, now: int) -> TreeHead:
        """Sign the tree as it stands, store the head and the tiles since the last one, and return the head."""
        tree = self._load()
        self.catch_up()
        head = build_head(
            tenant=self._tenant,
            log=self._log,
            size=tree.size,
            root=tree.root(),
            now=now,
            signer=self._services.signer(),
        )
        node = codec.encode_head(head)
        node["frontier"] = tree.to_hex()
        try:
            with self._engine.transaction() as transaction:
                transaction.run(statement("create_head", self._engine.name), {"head": node})
                transaction.run(statement("create_tiles", self._engine.name), {"rows": self._tiles(tree.size)})
        except Conflict:
            # Another process signed a head of this size: one is enough.
            pass
        self._last_head = tree.size
        self._tile = self._tile[len(self._tile) - tree.size % TILE :] if tree.size % TILE else []
        return head

    def _tiles(self, size: int) -> list[dict[str, object]]:
        first = (size - len(self._tile)) // TILE
        rows = []
        for offset in range(0, len(self._tile), TILE):
            index = first + offset // TILE
            rows.append(
                {
                    "ref": f"{self._tenant}|{self._log}|{index:09d}",
                    "tenant": self._tenant,
                    "log": self._log,
                    "index": index,
                    "hashes": self._tile[offset : offset + TILE],
                }
            )
        return rows
