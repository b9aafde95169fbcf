"""Erasure on request: matched, removed with all dependents, suppressed, and stated in a signed receipt.

Guarantees: the graph, its indexes and the audit details change in one transaction, or not at all; what was derived from
them (retrieval index, SPARQL view) is dropped before the call returns; nothing that was erased comes in again
(:mod:`marskg.store.graph.suppression`). Erasing what is not there is no error: it suppresses, and the receipt says that
nothing was matched; a second time as well. With ``scrub`` the store's files are rewritten, and a crash in between is
made up for when the store is next opened; those of a server are not the client's to rewrite. What models answered goes
where it may name a subject or entity that is erased, also about what stays. With
``snapshots`` those that the store wrote are removed (:mod:`marskg.store.commit.snapshot_register`), which a crash in
between does not stop either; without it none is, and the receipt says how many are left. Where contents are encrypted,
a subject's key is destroyed once nothing of the store is under it (:mod:`marskg.store.crypto.keyring`). Source:
semantics sections 5 and 8.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from marskg.erasure.receipts import BYTES, KEYS, LOGICAL, Receipt, rehearsed, write_receipt
from marskg.erasure.request import UNFILED, Matched, Request, entity_meant, match, several, told, undecided
from marskg.kept_texts import forget_texts
from marskg.language.naming.caution import may_name
from marskg.language.naming.edges import Verdict
from marskg.models.kept_answers import KeptAnswers
from marskg.ontology.vocabulary import Operation
from marskg.privacy.disclosures.name_similarity import subject_meant
from marskg.privacy.rules import FORMS
from marskg.store.crypto.encrypted_engine import custody_of
from marskg.store.graph.erase import Erased, erase
from marskg.store.graph.preference_enforcement import name_digests, preferences_of
from marskg.store.graph.suppression import (
    LEAST,
    forgotten_before,
    suppress_ids,
    suppress_named,
    suppress_readings,
    suppress_texts,
)
from marskg.store.rows import codec
from marskg.store.rows.name_rules import NAMING, matcher_of
from marskg.store.rows.paging import pages
from marskg.store.rows.privacy_budget import digest_of, without_conversation
from marskg.store.unit.provenance_handles import ENTITY

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from marskg.records import Memory
    from marskg.store.commit.snapshot_register import Snapshots
    from marskg.store.commit.writer import Writer
    from marskg.store.crypto.key_custody import Custody
    from marskg.store.crypto.keyring import DataKey
    from marskg.store.unit.preference_rules import PreferenceSet
    from marskg.store.unit.unit_of_work import Unit


#: Answers of models that are read at once.
_ANSWERS: Final = 500


@dataclass(frozen=True, slots=True)
class _Done:
    #: What of it whoever asked is told.
    erased: Erased
    matched: Matched
    #: Ids of all memories that were erased.
    gone: frozenset[str]
    sequences: tuple[int, ...]
    now: int
    #: Whether all that went was under the key of whoever was to be erased, or under keys that went with it.
    under_key: bool


def about(unit: Unit, preference_set: PreferenceSet, request: Request, matched: Matched) -> list[str]:
    """Return the ids of the preferences that go with what is erased: those of the subject, and those that name it.

    A rule about a name that another entity has too stays: it is about that one as well.

    What keeps it from being stored again is the suppression, which has no name in it. Whoever has erased what is about
    them takes no rule with it that others set about an entity.
    """
    if request.by not in {"subject", "entity"}:
        return []
    forms = sorted({request.name, *matched.forms} - set(matched.common))
    named, targets = matcher_of(tuple(forms)), _targets(unit, forms)
    same = {request.name, *_targets(unit, (request.name,))}
    return [
        item.id
        for item in preference_set.preferences
        if (request.by == "subject" and item.data_subject == request.name)
        or (
            (
                item.preference_rule in NAMING
                and item.target is not None
                and (item.target in targets or named.is_one(item.target))
            )
            and (
                not request.own or item.data_subject in request.own or (request.by == "subject" and item.target in same)
            )
        )
    ]


def _targets(unit: Unit, names: Iterable[str]) -> set[str]:
    """Return what rules about any of ``names`` keep of it."""
    digests = name_digests(unit)
    return {digests.target(name) for name in names}


def staying(unit: Unit, preference_set: PreferenceSet, request: Request, matched: Matched) -> tuple[str, ...]:
    """Return the ids of the preferences that have an entity's name and stay when it is erased.

    As a conversation's, a purpose's, a department's or a person's; where the target is one of a few words, it is no
    name. Whoever has erased what is about them is not told of rules.
    """
    if request.by != "entity" or request.own:
        return ()
    going = set(about(unit, preference_set, request, matched))
    forms = sorted({request.name, *matched.forms, *matched.common})
    named, targets = matcher_of(tuple(forms)), _targets(unit, forms)
    return tuple(
        item.id
        for item in preference_set.preferences
        if item.id not in going
        and (
            item.target in targets
            or any(
                name is not None and named.read(name).verdict is Verdict.IS
                for name in (
                    item.data_subject,
                    item.department,
                    item.label,
                    None if FORMS[item.preference_rule].words else item.target,
                )
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

        Where several entities go by a name, that is nothing, and what each of them is about is near.

        Raises:
            InvalidInput: as :meth:`erase`, otherwise.
        """
        return self._writer.run(lambda unit: _look(unit, request))

    def rehearse(self, asked: Request) -> Receipt:
        """Return what :meth:`erase` would do, unsigned, and change nothing; of snapshots and files it says nothing.

        Raises:
            InvalidInput: as :meth:`erase`.
        """
        with self._writer.trial() as unit:
            request = _meant(unit, asked)
            done = self._take(unit, request, snapshots=False)
            return rehearsed(done.erased, done.matched, by=request.by, now=done.now)

    def erase(self, asked: Request, *, scrub: bool, snapshots: bool = False) -> Receipt:
        """Erase what is ``asked`` for; returns the receipt.

        Raises:
            InvalidInput: several entities go by the name, or nobody by the subject's and somebody by one that is almost
                the same.
            NotPermitted: ``scrub`` where the engine cannot; nothing was erased.
            EngineUnavailable, StoreUnwritable: the files could not be rewritten; what is logical is done, and the rest
                is made up for when the store is next opened.
        """
        engine = self._writer.engine
        custody = custody_of(engine)
        with self._writer.alone():
            # Before anything is promised: what is refused leaves no trace. Of an entity the erasure itself refuses it.
            promised = scrub or snapshots or asked.by != "entity"
            request = self._writer.run(lambda unit: _meant(unit, asked)) if promised else asked
            if scrub:
                engine.promise_scrub()
            key = None if custody is None else _scheduled(custody, request)
            if snapshots:
                # What is gone already is not removed by this erasure.
                self._snapshots.listed()
            done = self._writer.run(lambda unit: self._take(unit, request, snapshots=snapshots))
            gone = key is not None and custody is not None and custody.settle((key,))
            self._writer.notify_erased(done.gone)
            forget_texts()
            if snapshots:
                self._snapshots.promise()
            # Before the files of the store are rewritten: the list goes with what is on it.
            settled = self._snapshots.settle()
            if scrub:
                engine.scrub()
            state, services = self._writer.state, self._writer.services
            return write_receipt(
                done.erased,
                done.matched,
                by=request.by,
                claim=KEYS if gone and done.under_key else BYTES if scrub else LOGICAL,
                now=done.now,
                log=state.log,
                sequences=done.sequences,
                signer=services.signer(),
                source=services.source,
                snapshots=settled,
            )

    def scrub(self) -> None:
        """Rewrite the files without erasing anything.

        Raises:
            NotPermitted: the engine cannot.
        """
        engine = self._writer.engine
        with self._writer.alone():
            engine.promise_scrub()
            self._writer.notify_erased()
            self._snapshots.settle()
            engine.scrub()

    def _take(self, unit: Unit, request: Request, *, snapshots: bool) -> _Done:
        if snapshots:
            unit.drop_snapshots()
        matched = match(unit, request)
        known = matched if request.sees is None else told(unit, request)
        unit.fetch(matched.memories, leaving=True)
        by_subject, departed = request.by == "subject", tuple[str, ...]()
        names = (request.name, *matched.forms, *matched.entities) if request.by == ENTITY else (request.name,)
        if by_subject or not request.own:
            suppress_named(unit, request.by, names)
        if not request.own and request.by == "id":
            departed = names
        elif not request.own:
            before = forgotten_before(unit, request.by, names, matched.memories)
            matched = replace(matched, forgotten=before)
        texts = [unit.nodes[ident].memory for ident in matched.memories if ident in unit.nodes]
        suppress_texts(unit, texts, by_subject=by_subject)
        suppress_readings(unit, ((span, memory.key) for memory in texts for span in memory.spans))
        if request.by == "session":
            _close_account(unit, request.name)
        first = unit.audit.next_sequence
        preference_set = preferences_of(unit)
        matched = replace(matched, rules=staying(unit, preference_set, request, matched))
        erased = erase(
            unit,
            matched.memories,
            matched.entities,
            preferences=about(unit, preference_set, request, matched),
            departed=departed,
            parameters=(f"erasure.by={request.by}",),
        )
        signed = [record for record in unit.audit.transitions if record.sequence >= first]
        listing = [record.sequence for record in signed if not record.memories]
        if not request.own:
            _forget_readings(unit, request, matched)
        gone = frozenset((*erased.asked, *erased.descendants))
        known_by_text = {memory.id for memory in texts if memory.content is not None and memory.weight >= LEAST}
        # What is about whoever was erased is kept out until they consent.
        about_them = request.name if by_subject else None
        suppress_ids(unit, (one for one in gone - known_by_text if about_them not in _subjects(unit, one)))
        matched, known = (_left(one, gone) for one in (matched, known))
        under_key = _under_key(unit, request, preference_set)
        if request.sees is None:
            return _Done(erased, matched, gone, tuple(listing), unit.now, under_key)
        # The numbers of records would count what is hidden.
        return _Done(_told_of(unit, erased, known, request.sees), known, gone, (), unit.now, under_key)


def _forget_readings(unit: Unit, request: Request, matched: Matched) -> None:
    """Keep no answer of a model that may name who was erased, or is about what names them, and let no such turn wait.

    Turns that only may name them wait on: they may be somebody else's.
    """
    if request.by not in {"subject", "entity"}:
        return
    forms = tuple(dict.fromkeys((request.name, *matched.forms)))
    named = {one.id for one in matched.near if one.reason == UNFILED}
    answers = (row for page in pages(partial(unit.read, "answers_page"), unit.state.name, _ANSWERS) for row in page)
    naming = {row["id"] for row in answers if may_name(forms, (), KeptAnswers.read(row["answer"]).said)}
    unit.fetch(sorted(named | naming))
    for ident in sorted(named | naming):
        node = unit.nodes.get(ident)
        if node is None or not node.has_content:
            continue
        node.forget_answer()
        if node.memory.unread and ident in named:
            unit.change(node, unread=False)
            details = {"rule": "erasure", "reason": "it names who was erased"}
            unit.record(Operation.AMEND, node, tier_before=node.memory.tier, details=details)


def _subjects(unit: Unit, ident: str) -> Collection[str]:
    """Return whom a memory was about before the unit."""
    return unit.nodes[ident].original.get("subjects") or ()


def _left(matched: Matched, gone: frozenset[str]) -> Matched:
    """Return a match without those of what is near that went, as they rested on what was erased."""
    near, namesakes = (tuple(one for one in found if one.id not in gone) for found in (matched.near, matched.namesakes))
    return replace(matched, near=near, namesakes=namesakes)


def _told_of(unit: Unit, erased: Erased, known: Matched, sees: Callable[[Memory], bool]) -> Erased:
    """Return of what was erased what somebody may know who reads only what ``sees`` is true of.

    Entities and audit slots are not counted: whether they go depends on what is hidden.
    """

    def seen(ids: Iterable[str]) -> tuple[str, ...]:
        nodes = (unit.nodes[ident] for ident in ids)
        return tuple(
            node.memory.id for node in nodes if sees(node.memory if node.new else codec.decode_memory(node.original))
        )

    return Erased(
        asked=known.memories,
        descendants=seen(erased.descendants),
        entities=(),
        shortened=seen(erased.shortened),
        blocked=seen(erased.blocked),
        slots=0,
    )


def _look(unit: Unit, asked: Request) -> Matched:
    among = several(unit, asked)
    if among:
        return undecided(unit, asked.name, among)
    request = _meant(unit, asked)
    matched = told(unit, request)
    return replace(matched, rules=staying(unit, preferences_of(unit), request, matched))


def _meant(unit: Unit, request: Request) -> Request:
    """Return the request with the subject as it is stored.

    Raises:
        InvalidInput: several entities go by the name.
    """
    if request.by == "entity" and not request.own:
        entity_meant(unit, request.name)
    if request.by != "subject" or request.own:
        return request
    held = preferences_of(unit).preferences
    name = subject_meant(unit.read, unit.state.name, request.name, held, handle=unit.services.handle, done="erased")
    return replace(request, name=name)


def _scheduled(custody: Custody, request: Request) -> DataKey | None:
    """Return the key of the subject to be erased, once it is noted that it goes; None where there is none."""
    if request.by != "subject":
        return None
    key = custody.subject_key(request.name)
    if key is not None:
        custody.keyring.schedule_destruction((key,))
    return key


def _under_key(unit: Unit, request: Request, preference_set: PreferenceSet) -> bool:
    """Return whether all that the unit removes, and that says something, was under the key of the subject to be erased.

    Entities have keys of their own, which go with them. A preference that names somebody is under the key of whose it
    is, by ``preference_set`` as it was before.
    """
    memories = all(
        node.original.get("content") is None or request.name in (node.original.get("subjects") or ())
        for node in unit.nodes.values()
        if node.deleted and not node.new
    )
    removed = unit.preferences.removed
    return memories and all(one.data_subject == request.name for one in preference_set.preferences if one.id in removed)


def _close_account(unit: Unit, session: str) -> None:
    """Let the account of differential privacy no longer know a conversation; what the tenant spent stays."""
    digest = digest_of(unit.services.handle, unit.state.name, session)
    kept = without_conversation(unit.state.controls, digest)
    if kept != unit.state.controls:
        unit.update_tenant(controls=MappingProxyType(kept))
