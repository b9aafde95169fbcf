"""``mem.snapshots``: binary copies of a whole tenant, for checkpoint and restore.

Guarantees: a copy is written whole or not at all; loading the same one twice changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.api import transfer
from marskg.api.namespaces.moved import deprecated
from marskg.api.namespaces.namespace import Namespace
from marskg.store.commit.consistent_read import consistent_read
from marskg.store.commit.snapshot_read import erasure_safe_read
from marskg.store.tenant.sign_state import begin
from marskg.store.upkeep.digest_names import settle_name_rules
from marskg.store.upkeep.reweigh import settle_weights

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.api.arguments import ReadPath
    from marskg.store.commit.snapshot_read import Check
    from marskg.store.commit.snapshot_register import SnapshotFile
    from marskg.store.rows.state import TenantState


class Snapshots(Namespace, name="snapshots"):
    """The snapshots of one tenant."""

    def __call__(self) -> tuple[SnapshotFile, ...]:
        """Return the snapshots that were written; deprecated name of :meth:`list`."""
        deprecated("snapshots()", "snapshots.list()")
        return self.list()

    def save(self, path: str | Path) -> dict[str, int]:
        """Write a binary checkpoint of the tenant; returns the number of rows of each section.

        The store notes its path and digest, so that an erasure can count it, or remove it.

        Raises:
            InvalidInput: the path is inside the store.
            NotPermitted: the tenant's contents are encrypted.
            StoreUnwritable: nothing can be written there.
        """
        parts = self._components
        target = transfer.target_of_snapshot(parts.opened, path)

        def make(_: TenantState, check: Check) -> dict[str, int]:
            with consistent_read(parts.writer, parts.reader) as copy:
                return transfer.snapshot_save(copy, target, lambda: check(copy.state), parts.snapshots)

        return erasure_safe_read(parts.writer, make)

    def list(self) -> tuple[SnapshotFile, ...]:
        """Return the snapshots that :meth:`save` wrote and that are not known to be gone, by their paths."""
        return self._components.snapshots.listed()

    def load(self, path: ReadPath) -> int:
        """Put the tenant back exactly as a checkpoint holds it; returns the number of memories.

        One transaction: a process that ends at any moment leaves the tenant as it was, or as the checkpoint holds it.
        The log then ends with a signed record of the restore, which names what was abandoned by size and root.

        Raises:
            InvalidDocument: the file is no whole snapshot.
            NotPermitted: the tenant has a history of its own.
            KeyUnusable: what was recorded since cannot be abandoned without a signed record, and the key of the
                checkpoint's log is not here.
        """
        parts = self._components
        with parts.writer.alone():
            count = transfer.snapshot_load(parts.opened, path)
            parts.writer.forget_cache()
            parts.writer.notify_erased()
            begin(parts.writer)
            settle_weights(parts.writer)
            settle_name_rules(parts.writer)
        if parts.points:
            parts.clear_points()
        parts.vectors_after_loading()
        return count
