"""The Merkle tree over a tenant's records: kept up with the log, its heads signed on a schedule and on demand.

Guarantees: a head covers exactly the records up to its size; after a restart the tree goes on from the last head's
frontier and the leaves since; leaf hashes are also kept in tiles of 256, so that inclusion can be worked out with
Cypher or SPARQL alone. Sources: RFC 9162 sections 2.1 and 4.10; tiles after the static CT API.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.audit.merkle import CompactRange
from marskg.audit.record import build_head
from marskg.errors import EngineUnavailable
from marskg.store.commit.signed_state import bound
from marskg.store.engine.protocol import Conflict
from marskg.store.rows import codec
from marskg.store.statements.catalogue import statement

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.records import AuditRecord, TreeHead
    from marskg.store.commit.writer import Writer
    from marskg.store.engine.protocol import Engine
    from marskg.store.rows.state import Services
    from marskg.store.unit.reader import GraphReader

#: Leaf hashes in one tile.
TILE = 256
_ATTEMPTS: Final = 50


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

    def sign_head(self, writer: Writer) -> TreeHead:
        """Sign the tree as it stands, store the head and the tiles since the last one, and return the head.

        Raises:
            EngineUnavailable: other writers moved the log on at each attempt.
        """
        for _ in range(_ATTEMPTS):
            with writer.alone():
                head = self.try_head(writer, writer.now())
                if head is not None:
                    return head
                writer.forget_cache()
        msg = f"tenant {self._tenant!r} is too busy: {_ATTEMPTS} attempts lost to other writers; try again later"
        raise EngineUnavailable(msg)

    def sign_accesses(self, writer: Writer) -> TreeHead | None:
        """Return a signed head of the access log as it stands, for a witness; it is not stored."""
        with writer.alone():
            state = writer.fresh_state()
            tree = CompactRange()
            for leaf in self._reader.leaves("a", 1):
                tree.append(leaf)
            if not tree.size:
                return None
            return build_head(
                tenant=self._tenant,
                log=state.access_log,
                size=tree.size,
                root=tree.root(),
                now=writer.now(),
                signer=self._services.signer(),
            )

    def try_head(self, writer: Writer, now: int) -> TreeHead | None:
        """Sign a head unless somebody moved the log on since ``writer`` last looked; returns it, or None.

        Where another process signed one of this size already, that one is returned.
        """
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
        try:
            self._put(writer, head)
        except Conflict:
            same = [known for known in self._reader.heads(self._log) if known.size == tree.size]
            if not same:
                return None
            head = same[0]
        self._last_head = tree.size
        self._tile = self._tile[len(self._tile) - tree.size % TILE :] if tree.size % TILE else []
        return head

    def _put(self, writer: Writer, head: TreeHead) -> None:
        """Store a head with its tiles, and let the tenant's row say that it is there.

        Raises:
            Conflict: the log is longer by now, or it has a head of this size.
        """
        state = writer.state
        heads = (state.heads[0] + 1, head.size, *state.heads[2:])
        after, signed = bound(replace(state, heads=heads), {"heads": list(heads)}, self._services.signer())
        row = {**state.claim(), "set": signed}
        node = {**codec.encode_head(head), "frontier": self._load().to_hex()}
        with self._engine.transaction() as transaction:
            if not transaction.run(statement("advance_tenant", self._engine.name), row):
                message = "the sequence moved"
                raise Conflict(message)
            transaction.run(statement("create_head", self._engine.name), {"head": node})
            transaction.run(statement("create_tiles", self._engine.name), {"rows": self._tiles(head.size)})
        writer.take(after)

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
