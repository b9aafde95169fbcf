"""Giving a tenant away as RDF and taking exports back.

Guarantees: an export is written whole or not at all, page by page; a document is read and checked as a whole before the
first of its memories is loaded; the audit that comes with it is kept as evidence beside this store's own, never mixed
into it (semantics section 9).
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from marskg.config import Settings
from marskg.errors import InvalidDocument, InvalidInput, NotPermitted
from marskg.exporters.atomic import AtomicFile
from marskg.exporters.formats import format_of
from marskg.exporters.reader import Export
from marskg.exporters.snapshot import Snapshot, SnapshotContent, write_snapshot
from marskg.exporters.writer import Content, Counts, write_export
from marskg.store.checkpoint import Restore
from marskg.store.encrypted import refuse_in_clear
from marskg.store.load import Loader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from marskg.records import AuditRecord, Edge, Entity, Memory
    from marskg.retrieval.disclosure import Disclosure
    from marskg.store.opening import Opened
    from marskg.store.snapshots import Snapshots
    from marskg.store.state import TenantState
    from marskg.store.writer import Writer

T = TypeVar("T")
#: Everything, which is the operator's and loads back; and what a reader may see, which does not.
FULL, DISCLOSURE = "full", "disclosure"


def export(
    opened: Opened,
    state: TenantState,
    path: str | Path,
    *,
    format_name: str | None,
    audit: bool,
    profile: str,
    progress: Callable[[int], None] | None,
    check: Callable[[], None] = lambda: None,
) -> Counts:
    """Write the tenant to ``path``; see :func:`marskg.exporters.writer.write_export`.

    ``check`` is called when all is read and nothing is in place yet; what it raises leaves ``path`` as it was.

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
    target = _target(opened.folder, path)
    reader = opened.reader

    def memories() -> Iterator[tuple[Memory, tuple[Edge, ...]]]:
        for count, (memory, edges, _) in enumerate(reader.memories(), 1):
            yield memory, edges
            if progress is not None and count % 100 == 0:
                progress(count)

    def entities() -> Iterator[tuple[Entity, tuple[Edge, ...]]]:
        for entity, edges, _ in reader.entities():
            yield entity, edges

    def records() -> Iterator[AuditRecord]:
        yield from reader.records("t")
        yield from reader.records("a")

    content = Content(
        memories=memories(),
        entities=entities(),
        records=records() if audit else None,
        heads=_checked(reader.heads(state.log), check) if audit else (),
        preferences=(preference for preference, _ in reader.preferences()),
        withheld=() if audit else _checked((), check),
    )
    return write_export(target, content, format_name)


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

    def memories() -> Iterator[tuple[Memory, tuple[Edge, ...]]]:
        for count, item in enumerate(disclosed.memories(), 1):
            yield item
            if progress is not None and count % 100 == 0:
                progress(count)

    content = Content(memories(), disclosed.entities(), withheld=_checked(disclosed.withheld(), check))
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
    if target.resolve().is_relative_to(folder.resolve()):
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
    with Export(Path(path), tenant=opened.tenant, format_name=format_name, context=own_context) as document:
        _refuse_missing(opened, document, path)
        count = Loader(writer).load(
            document.entities(),
            document.memories,
            progress,
            document.preferences(),
        )
        if document.holdings.evidence:
            _keep_evidence(opened, document, Path(path))
    return count


def _refuse_missing(opened: Opened, document: Export, path: str | Path) -> None:
    missing = list(document.holdings.missing)
    if not missing:
        return
    known = {memory.id for memory, _, _ in opened.reader.nodes(missing)}
    lost = sorted(set(missing) - known)
    if lost:
        msg = f"{path}: {lost[0]} is pointed to, but is neither in the document nor in tenant {opened.tenant!r}"
        raise InvalidDocument(msg)


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


def snapshot_save(
    opened: Opened, state: TenantState, path: str | Path, check: Callable[[], None], snapshots: Snapshots
) -> dict[str, int]:
    """Write the tenant to a binary snapshot, noted in ``snapshots``; returns the number of rows of each section.

    ``check`` is called when all is read and nothing is in place yet; what it raises leaves ``path`` as it was.

    Raises:
        InvalidInput: the path is inside the store.
        NotPermitted: the tenant's contents are encrypted.
        OvertakenError: an erasure meanwhile promised to remove it; nothing of it is left.
    """
    refuse_in_clear(opened.engine, "a snapshot", _INSTEAD)
    target = _target(opened.folder, path)
    reader = opened.reader

    def records() -> Iterator[AuditRecord]:
        yield from reader.records("t")
        yield from reader.records("a")

    content = SnapshotContent(
        tenant={**state.to_row(), "suppressions": reader.suppressions(), "preferences": reader.preference_rows()},
        keys=reader.keys(),
        entities=reader.entities(),
        memories=reader.memories(),
        records=records(),
        heads=_checked(reader.heads(state.log), check),
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
    with Snapshot(Path(path)) as snapshot:
        row = dict(snapshot.tenant)
        if row["ref"] != opened.tenant:
            msg = f"{path} is a snapshot of tenant {row['ref']!r}; load it with: --tenant {row['ref']}"
            raise NotPermitted(msg)
        if Settings.from_json(row["settings"]).encryption != "off":
            msg = (
                f"{path} says that its tenant is encrypted, and a snapshot holds contents in clear: nobody wrote it so"
            )
            raise InvalidDocument(msg)
        return Restore(opened.engine, opened.services, row).run(
            [dict(key) for key in snapshot.keys()],  # noqa: SIM118 - a method of ours, no mapping
            snapshot.entities(),
            snapshot.memories,
            snapshot.records(),
            snapshot.heads(),
        )
