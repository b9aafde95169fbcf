"""Erasing on request: matched, taken with all that rests on it, suppressed, and told in a signed receipt.

Guarantees: the graph, its indexes and the audit details change in one transaction, or not at all; what was derived from
them (retrieval index, SPARQL view) is dropped before the call returns; nothing that was erased comes in again
(:mod:`marskg.store.suppression`). Erasing what is not there is no error: it suppresses, and the receipt says that
nothing was matched; a second time as well. With ``scrub`` the store's files are rewritten, and a crash in between is
made up for when the store is next opened; those of a server by :mod:`marskg.store.server_files`. With ``snapshots``
those that the store wrote are removed (:mod:`marskg.store.snapshots`), which a crash in between does not stop either;
without it none is, and the receipt says how many are left. Where contents are encrypted, a subject's key is destroyed
once nothing of the store is under it (:mod:`marskg.store.vault`). Source: semantics sections 5 and 8.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from marskg.ontology.vocabulary import PreferenceRule
from marskg.privacy.near import refuse_near
from marskg.privacy.receipts import BYTES, KEYS, LOGICAL, Receipt, write_receipt
from marskg.privacy.request import Matched, Request, match
from marskg.privacy.rules import FORMS
from marskg.store.account import digest_of, without_conversation
from marskg.store.encrypted import EncryptedEngine
from marskg.store.erasing import Erased, erase
from marskg.store.governing import preferences_of
from marskg.store.preferences import Spellings
from marskg.store.server_files import Cleaned
from marskg.store.suppression import suppress_subject, suppress_texts
from marskg.store.went import what_went

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.store.engine import Engine
    from marskg.store.preferences import Book
    from marskg.store.server_files import ServerFiles
    from marskg.store.snapshots import Snapshots
    from marskg.store.unit import Unit
    from marskg.store.vault import DataKey
    from marskg.store.writer import Writer


@dataclass(frozen=True, slots=True)
class _Done:
    erased: Erased
    matched: Matched
    sequences: tuple[int, ...]
    now: int
    #: Whether all that went was under the key of whoever was to be erased, or under keys that went with it.
    under_key: bool


#: Rules whose target is a name.
_NAMING = frozenset({PreferenceRule.PRIVATE_ENTITY, PreferenceRule.BLACKLISTED_ENTITY})


def about(book: Book, request: Request, forms: Iterable[str]) -> list[str]:
    """Return the ids of the preferences that go with what is erased: those of the subject, and those that name it.

    What keeps it from being stored again is the suppression, which has no name in it. Whoever has erased what is about
    them takes no rule with it that others set about an entity.
    """
    if request.by not in {"subject", "entity"}:
        return []
    named = Spellings((request.name, *forms))
    return [
        item.id
        for item in book.preferences
        if (request.by == "subject" and item.data_subject == request.name)
        or (
            (item.preference_rule in _NAMING and item.target is not None and named.are(item.target))
            and (
                not request.own
                or item.data_subject in request.own
                or (request.by == "subject" and item.target == request.name)
            )
        )
    ]


def staying(book: Book, request: Request, forms: Iterable[str]) -> tuple[str, ...]:
    """Return the ids of the preferences that have an entity's name and stay when it is erased.

    As a conversation's, a purpose's, a department's or a person's; where the target is one of a few words, it is no
    name. Whoever has erased what is about them is not told of rules.
    """
    if request.by != "entity" or request.own:
        return ()
    going = set(about(book, request, forms))
    named = Spellings((request.name, *forms))
    return tuple(
        item.id
        for item in book.preferences
        if item.id not in going
        and any(
            name is not None and named.found(name)
            for name in (
                item.data_subject,
                item.department,
                None if FORMS[item.preference_rule].words else item.target,
            )
        )
    )


class Eraser:
    """Erases in one tenant."""

    def __init__(self, writer: Writer, snapshots: Snapshots) -> None:
        """Write through ``writer``, whose tenant's handles drop what they derived from the store."""
        self._writer = writer
        self._snapshots = snapshots

    def look(self, request: Request) -> Matched:
        """Return what ``request`` would erase, descendants aside, and change nothing.

        Raises:
            InvalidInput: as :meth:`erase`.
        """
        return self._writer.run(lambda unit: _look(unit, request))

    def erase(
        self, request: Request, *, scrub: bool, snapshots: bool = False, files: ServerFiles | None = None
    ) -> Receipt:
        """Erase what ``request`` is about; returns the receipt. ``files`` are those of a server, to be cleaned too.

        Raises:
            InvalidInput: several entities go by the name, or nobody by the subject's and somebody by one that is almost
                the same.
            EngineUnavailable, StoreUnwritable: the files could not be rewritten; what is logical is done, and the rest
                is made up for when the store is next opened.
        """
        engine = self._writer.engine
        with self._writer.alone(), nullcontext() if files is None else files.reserved():
            # Before anything is promised: what is refused leaves no trace.
            self._writer.run(lambda unit: _refuse_near(unit, request))
            if files is not None:
                files.prove()
            elif scrub:
                engine.promise_scrub()
            key = _doomed(engine, request)
            if snapshots:
                # What is gone already is not removed by this erasure.
                self._snapshots.listed()
            done = self._writer.run(lambda unit: self._take(unit, request, files, snapshots=snapshots))
            gone = key is not None and engine.settle((key,))  # type: ignore[attr-defined]  # an EncryptedEngine
            self._writer.tell_erased({*done.erased.asked, *done.erased.descendants})
            if snapshots:
                self._snapshots.promise()
            # Before the files of the store are rewritten: the list goes with what is on it.
            settled = self._snapshots.settle()
            left: tuple[str, ...] = ()
            if files is not None:
                left = files.clean().places
            elif scrub:
                engine.scrub()
            state, services = self._writer.state, self._writer.services
            return write_receipt(
                done.erased,
                by=request.by,
                claim=KEYS if gone and done.under_key else BYTES if scrub and not left else LOGICAL,
                now=done.now,
                log=state.log,
                sequences=done.sequences,
                forms=done.matched.forms,
                rules=done.matched.rules,
                shared=len(done.matched.shared),
                signer=services.signer(),
                source=services.source,
                left=left,
                snapshots=settled,
            )

    def scrub(self, files: ServerFiles | None = None) -> Cleaned:
        """Clean the files without erasing anything, or end a cleaning that was cut off; of a server those ``files``."""
        engine = self._writer.engine
        with self._writer.alone(), nullcontext() if files is None else files.reserved():
            if files is not None:
                files.prove()
                self._writer.tell_erased()
                self._snapshots.settle()
                return files.clean()
            engine.promise_scrub()
            self._writer.tell_erased()
            self._snapshots.settle()
            engine.scrub()
            return Cleaned((), 0, 0)

    def _take(self, unit: Unit, request: Request, files: ServerFiles | None, *, snapshots: bool) -> _Done:
        unit.dooms_snapshots = snapshots
        matched = match(unit, request)
        unit.fetch(matched.memories, leaving=True)
        if request.by == "subject":
            suppress_subject(unit, request.name)
        else:
            suppress_texts(unit, [unit.nodes[ident].memory for ident in matched.memories if ident in unit.nodes])
        if request.by == "session":
            _close_account(unit, request.name)
        first = unit.next_sequence
        book = preferences_of(unit)
        matched = replace(matched, rules=staying(book, request, matched.forms))
        erased = erase(
            unit,
            matched.memories,
            matched.entities,
            preferences=about(book, request, matched.forms),
            parameters=(f"erasure.by={request.by}",),
        )
        if files is not None:
            files.expect(*what_went(unit, erased, (request.name, *matched.forms)))
        listing = [record.sequence for record in unit.records if record.sequence >= first and not record.memories]
        return _Done(erased, matched, tuple(listing), unit.now, _under_key(unit, request, book))


def _look(unit: Unit, request: Request) -> Matched:
    _refuse_near(unit, request)
    matched = match(unit, request)
    return replace(matched, rules=staying(preferences_of(unit), request, matched.forms))


def _refuse_near(unit: Unit, request: Request) -> None:
    if request.by == "subject" and not request.own:
        held = preferences_of(unit).preferences
        refuse_near(unit.read, unit.state.name, request.name, held, handle=unit.services.handle, done="erased")


def _doomed(engine: Engine, request: Request) -> DataKey | None:
    """Return the key of the subject to be erased, once it is noted that it goes; None where nothing is encrypted."""
    if request.by != "subject" or not isinstance(engine, EncryptedEngine):
        return None
    key = engine.subject_key(request.name)
    if key is not None:
        engine.vault.doom((key,))
    return key


def _under_key(unit: Unit, request: Request, book: Book) -> bool:
    """Return whether all that the unit removes, and that says something, was under the key of the subject to be erased.

    Entities have keys of their own, which go with them. A preference that names somebody is under the key of whose it
    is, by ``book`` as it was before.
    """
    memories = all(
        node.original.get("content") is None or request.name in (node.original.get("subjects") or ())
        for node in unit.nodes.values()
        if node.deleted and not node.new
    )
    removed = unit.preferences.removed
    return memories and all(one.data_subject == request.name for one in book.preferences if one.id in removed)


def _close_account(unit: Unit, session: str) -> None:
    """Let the account of differential privacy no longer know a conversation; what the tenant spent stays."""
    digest = digest_of(unit.services.handle, unit.state.name, session)
    kept = without_conversation(unit.state.controls, digest)
    if kept != unit.state.controls:
        unit.state = replace(unit.state, controls=MappingProxyType(kept))
