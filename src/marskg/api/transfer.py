"""Giving a tenant away as RDF and taking exports back.

Guarantees: an export is written whole or not at all, page by page; a document is read and checked as a whole before the
first of its memories is loaded; the audit that comes with it is kept as evidence beside this store's own, never mixed
into it (semantics section 9).
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from marskg.audit.merkle import CompactRange
from marskg.audit.record import build_head
from marskg.config import Settings
from marskg.errors import InvalidDocument, InvalidInput, NotPermitted
from marskg.exporters.atomic import AtomicFile
from marskg.exporters.rdf.formats import format_of
from marskg.exporters.rdf.writer import Content, Counts, write_export
from marskg.exporters.snapshot.file import Snapshot, SnapshotContent, write_snapshot
from marskg.late_regex import late_regex
from marskg.store.commit.consistent_read import consistent_read
from marskg.store.commit.snapshot_read import OvertakenError, erasure_safe_read
from marskg.store.crypto.encrypted_engine import refuse_in_clear
from marskg.store.tenant.checkpoint import Saved, refuse_broken, restore
from marskg.store.tenant.load import Loader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from marskg.exporters.rdf.reader import Export
    from marskg.records import AuditRecord, TreeHead
    from marskg.retrieval.access.disclosure import Disclosure
    from marskg.store.commit.consistent_read import ConsistentRead
    from marskg.store.commit.snapshot_read import Check
    from marskg.store.commit.snapshot_register import Snapshots
    from marskg.store.commit.writer import Writer
    from marskg.store.rows.state import Services, TenantState
    from marskg.store.tenant.opening import Opened

T = TypeVar("T")
_HEX32 = late_regex(r"[0-9a-f]{64}", re.ASCII)
#: Everything, which is the operator's and loads back; and what a reader may see, which does not.
FULL, DISCLOSURE = "full", "disclosure"


def target_of_export(folder: Path, path: str | Path, profile: str, format_name: str | None) -> Path:
    """Return ``path`` if a whole tenant, whose store is in ``folder``, may be exported to there.

    Raises:
        InvalidInput: an unknown format or profile, or ``disclosure``, which has to be somebody's; or a path inside the
            store.
    """
    if profile == DISCLOSURE:
        msg = (
            "profile disclosure is what a certain reader may see; write it as that reader: "
            "mars --as 'reader:NAME?ceiling=0.3' export FILE --profile disclosure"
        )
        raise InvalidInput(msg)
    _check_profile(profile, FULL)
    target = _target(folder, path)
    format_of(target, format_name)
    return target


def export(
    writer: Writer,
    opened: Opened,
    target: Path,
    *,
    format_name: str | None,
    audit: bool,
    progress: Callable[[int], None] | None,
) -> Counts:
    """Write the tenant as it is at one moment to ``target``, or leave that as it was.

    See :func:`marskg.exporters.rdf.writer.write_export`.
    """

    def make(_: TenantState, check: Check) -> Counts:
        with consistent_read(writer, opened.reader) as copy:
            trees = SignedTrees(copy, opened.services)
            done = partial(check, copy.state)
            content = Content(
                memories=_counted(((memory, edges) for memory, edges, _ in copy.memories()), progress),
                entities=((entity, edges) for entity, edges, _ in copy.entities()),
                records=trees.records() if audit else None,
                heads=_checked(trees.heads(), done) if audit else (),
                preferences=(preference for preference, _ in copy.preferences()),
                withheld=() if audit else _checked((), done),
            )
            return write_export(target, content, format_name)

    return erasure_safe_read(writer, make)


def _counted(items: Iterable[T], progress: Callable[[int], None] | None) -> Iterator[T]:
    """Yield ``items``, and tell after each hundred how many they were."""
    for count, item in enumerate(items, 1):
        yield item
        if progress is not None and count % 100 == 0:
            progress(count)


class SignedTrees:
    """The records of both logs of a tenant as they are read, and the signed heads over exactly these.

    Guarantees: each log's last head covers the last record that was read, so that a reader who was given only a part
    of the log can tell.
    """

    def __init__(self, copy: ConsistentRead, services: Services) -> None:
        """Give the logs of ``copy``, and sign with the key of ``services``; nothing is read yet."""
        self._copy = copy
        self._services = services
        state = copy.state
        self._logs = ((state.log, "t"), (state.access_log, "a"))
        self._trees = {log: CompactRange() for log, _ in self._logs}
        self._last: dict[str, AuditRecord] = {}

    def records(self) -> Iterator[AuditRecord]:
        """Yield the records, log by log."""
        for log, letter in self._logs:
            tree = self._trees[log]
            for record in self._copy.records(letter):
                # A leaf that somebody broke in the database goes out as it is, for the verifier to find.
                tree.append(bytes.fromhex(record.leaf) if _HEX32.fullmatch(record.leaf) else bytes(32))
                self._last[log] = record
                yield record

    def heads(self) -> Iterator[TreeHead]:
        """Yield the stored heads over what was read, then for each log one that is signed now if none covers all of it.

        Raises:
            KeyUnusable: the signing key cannot be used.
            OvertakenError: the keys were exchanged meanwhile.
        """
        for log, tree in self._trees.items():
            stored = [head for head in self._copy.heads(log) if head.size <= tree.size]
            yield from stored
            if tree.size and not any(head.size == tree.size for head in stored):
                yield self._signed(log, tree)

    def _signed(self, log: str, tree: CompactRange) -> TreeHead:
        signer, last = self._services.signer(), self._last[log]
        if signer.public_key != self._copy.state.signing_key:
            raise OvertakenError
        return build_head(
            tenant=self._copy.tenant,
            log=log,
            size=tree.size,
            root=tree.root(),
            now=max(self._services.clock.now_ms(), last.recorded_at),
            signer=signer,
        )


def _checked(items: Iterable[T], check: Callable[[], None]) -> Iterator[T]:
    """Yield ``items``, and call ``check`` after the last."""
    yield from items
    check()


def disclose(
    path: str | Path,
    read: Callable[[], Disclosure],
    *,
    folder: Path,
    format_name: str | None,
    profile: str,
    progress: Callable[[int], None] | None,
    check: Callable[[], None] = lambda: None,
) -> Counts:
    """Write what ``read`` gives, all that a reader may see, to ``path``; hidden targets are ``mars:Withheld``.

    ``folder`` is the store's, into which nothing is written.

    Raises:
        InvalidInput: an unknown format or profile, or a path inside the store.
    """
    _check_profile(profile, DISCLOSURE)
    target = _target(folder, path)
    format_of(target, format_name)
    disclosed = read()

    memories = _counted(disclosed.memories(), progress)
    content = Content(memories, disclosed.entities(), withheld=_checked(disclosed.withheld(), check))
    return write_export(target, content, format_name)


def _check_profile(profile: str, known: str) -> None:
    if profile != known:
        msg = f"there is no profile {str(profile)[:40]!r}; exports are of profile {FULL} or {DISCLOSURE}"
        raise InvalidInput(msg)


def _target(folder: Path, path: str | Path) -> Path:
    """Return ``path`` if a file may be put there.

    Raises:
        InvalidInput: it is inside ``folder``, where the store keeps its keys and its graph, or no path at all.
    """
    if "\x00" in str(path):
        msg = "the path of a file has a NUL character; name a file that can be there"
        raise InvalidInput(msg)
    target = Path(path)
    # Not Path.resolve, which has an error of its own for links that lead to one another.
    if Path(os.path.realpath(target)).is_relative_to(os.path.realpath(folder)):
        msg = f"{target} is inside the store, whose keys and files nothing else may take the place of; write elsewhere"
        raise InvalidInput(msg)
    return target


def load(
    opened: Opened,
    writer: Writer,
    path: str | Path,
    *,
    context: str | Path | None,
    format_name: str | None,
    progress: Callable[[int], None] | None,
) -> int:
    """Load the document at ``path`` into the tenant; returns how many memories came back.

    Raises:
        InvalidDocument: the document cannot be loaded as it is; nothing of it was.
        DuplicateId: the tenant already has one of its memories.
    """
    own_context = None if context is None else Path(context)
    from marskg.exporters.rdf.reader import Export  # noqa: PLC0415 - the readers of RDF: only to import

    with Export(Path(path), tenant=opened.tenant, format_name=format_name, context=own_context) as document:
        count = Loader(writer).load(
            document.entities(),
            document.memories,
            progress,
            document.preferences(),
        )
        if document.holdings.evidence:
            _keep_evidence(opened, document, Path(path))
    return count


def _keep_evidence(opened: Opened, document: Export, path: Path) -> None:
    """Keep the audit that came with a document, verbatim, under the digest of the file."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    target = opened.folder / "evidence" / f"{digest}.nq"
    target.parent.mkdir(parents=True, exist_ok=True)
    with AtomicFile(target) as file:
        for item in document.evidence():
            file.write_text("".join(f"{line}\n" for line in item.lines))


#: What keeps an encrypted tenant safe in the place of a snapshot.
_INSTEAD = "copy the store's folder and, elsewhere, the folder of its keys, or export it"


def target_of_snapshot(opened: Opened, path: str | Path) -> Path:
    """Return ``path`` if a snapshot may be saved there.

    Raises:
        InvalidInput: the path is inside the store.
        NotPermitted: the tenant's contents are encrypted.
    """
    refuse_in_clear(opened.engine, "a snapshot", _INSTEAD)
    return _target(opened.folder, path)


def snapshot_save(
    copy: ConsistentRead, target: Path, check: Callable[[], None], snapshots: Snapshots
) -> dict[str, int]:
    """Write the tenant to a binary snapshot, noted in ``snapshots``; returns the number of rows of each section.

    ``check`` is called when all is written and nothing is in place yet; what it raises leaves ``target`` as it was.

    Raises:
        OvertakenError: an erasure meanwhile promised to remove it; nothing of it is left.
    """
    content = SnapshotContent(
        tenant={**copy.state.to_row(), "suppressions": copy.suppressions, "preferences": copy.preference_rows},
        keys=copy.keys,
        entities=copy.entities(),
        memories=copy.memories(),
        records=chain(copy.records("t"), copy.records("a")),
        heads=_checked(copy.heads(copy.state.log), check),
    )
    with snapshots.noting(target) as note:

        def ready(digest: str, size: int) -> None:
            note(digest, size)
            # An erasure that came before the note did not see it.
            check()

        return write_snapshot(target, content, ready)


def snapshot_load(opened: Opened, path: str | Path) -> int:
    """Put the tenant back as the snapshot at ``path`` holds it; returns the number of memories.

    Raises:
        InvalidDocument: the file is no whole snapshot.
        StoreTooNew: a newer version wrote it.
        NotPermitted: it is another tenant's, the tenant has a history of its own, or its contents are encrypted.
    """
    refuse_in_clear(opened.engine, "going back to a snapshot's settings", _INSTEAD)
    with _snapshot(opened.tenant, path) as saved:
        return restore(opened.engine, opened.services, saved)


def check_snapshot(tenant: str, path: str | Path) -> None:
    """Check a snapshot as :func:`snapshot_load` does, before there is a tenant to put back.

    Raises:
        InvalidDocument, NotPermitted, StoreTooNew: as :func:`snapshot_load`.
    """
    with _snapshot(tenant, path) as saved:
        refuse_broken(saved)


@contextmanager
def _snapshot(tenant: str, path: str | Path) -> Iterator[Saved]:
    """Open a snapshot of ``tenant``, and close it again."""
    with Snapshot(Path(path)) as snapshot:
        row = snapshot.tenant
        if row["ref"] != tenant:
            msg = f"{path} is a snapshot of tenant {row['ref']!r}; load it with: --tenant {row['ref']}"
            raise NotPermitted(msg)
        if Settings.from_json(row["settings"]).encryption != "off":
            msg = (
                f"{path} says that its tenant is encrypted, and a snapshot holds contents in clear: nobody wrote it so"
            )
            raise InvalidDocument(msg)
        yield Saved(
            snapshot.digest, row, snapshot.keys, snapshot.entities, snapshot.memories, snapshot.records, snapshot.heads
        )
