"""What was erased does not come in again: keyed digests of whom, of where from, and of texts (semantics section 5).

Guarantees: a digest is HMAC-SHA256 under the store's secret over tenant, scope and normal form, so it says nothing
without the secret, and nothing about another tenant; it carries no id and no time. Whoever was erased as a subject is
refused whatever the text, until a consent is recorded, and so is what names an erased session or source; every erasure
keeps digests of the texts, in the scope of whom they were about and in that of nobody, so that what was erased does not
come in again by leaving out whom it is about; and none of a text under :data:`LEAST` tokens, which many innocent texts
are. What comes in is compared with them by every text that it has (:func:`marskg.ontology.fields.every_text`), and what
has an erased text whole in one of them is refused, whatever stands around it (:mod:`marskg.language.text_forms`). About
somebody else the same text is another memory. What loses its content before anybody asks for its erasure, by eviction,
consolidation or expiry, leaves a digest that sleeps beside those of its id, subjects, session, source and entities: it
counts from when one of these is erased. Of what was read from a stored text they keep which words of it said it, so
that reading the text again does not bring it back; of what went and has no digest of its text, a short one, what rested
on the erased and what had lost its content, they keep one of its id, by which a document of before is recognised. A
tenant of which nothing was ever erased compares nothing. Rewording and translation are not seen, nor inside a longer
text what was forgotten before it was erased.

Any recogniser is an oracle: whoever may write, and has the text already, can learn that it was erased once. How often
they learn it is limited (:mod:`marskg.store.rows.oracle_rate_limit`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from marskg.errors import ConsentRequired, ErasedContentRefused
from marskg.language.naming.edges import is_mark
from marskg.language.naming.spellings import bare_form, name_form
from marskg.language.text_forms import UNSPACED, forms_of, signs_of, wordings
from marskg.late_regex import late_regex
from marskg.ontology.fields import Label, every_text
from marskg.ontology.vocabulary import Datatype, EdgeType, PreferenceRule
from marskg.store.graph.preference_enforcement import preferences_of
from marskg.store.rows.erased_texts import ErasedTexts, FormDigests, Searched
from marskg.store.rows.paging import pages
from marskg.store.unit.provenance_handles import ENTITY, SESSION, SOURCE, HasOrigin, named_origins
from marskg.text import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from marskg.drafts import Draft
    from marskg.ontology.fields import Told
    from marskg.records import Edge, Memory
    from marskg.store.engine.protocol import Reader, Row
    from marskg.store.unit.unit_of_work import Unit
    from marskg.weight import TokenCounter

#: Tokens below which a text is too common to be recognised.
LEAST: Final = 8
#: Up to three words of letters alone, with what joins the parts of a name.
_NAME: Final = late_regex(r"\s*[^\W\d_]{1,24}(?:[\s'’.-]+[^\W\d_]{1,24}){0,2}\.?\s*")
SUBJECT: Final = "subject"
ID: Final = "id"
_TEXT: Final = "text"
_READING: Final = "reading"
#: A text that was forgotten before it was erased.
_SLEEPING: Final = "sleeping"
#: A memory that went, by its id, and what rests on it.
_GONE: Final = "gone"
#: What goes with the memory that it leads to.
RESTS: Final = frozenset({EdgeType.DEPENDS_ON, EdgeType.DERIVES_FROM})
#: Digests looked up at once.
_PAGE: Final = 1_000
_NAMED: Final = (SESSION, SOURCE)
#: Bars in the reference of a sleeping digest with what it came by.
_PARTS: Final = 3


class Incoming(HasOrigin, Protocol):
    """What is looked at of a draft or a memory that comes in, beside all of its texts."""

    @property
    def content(self) -> str | None:
        """The text."""

    @property
    def subjects(self) -> tuple[str, ...]:
        """Whom it is about."""

    @property
    def purpose(self) -> tuple[str, ...]:
        """What it may be used for."""


class Compared(NamedTuple):
    """The texts of what comes in that are long enough to be compared."""

    content: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    #: What somebody is called: it is compared as a text about them and as one about nobody.
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, incoming: Draft | Memory, weight: int, counter: TokenCounter) -> Compared:
        """Return the texts of a draft or a memory whose content weighs ``weight``."""
        told = [one for one in every_text(incoming) if one.field.name != "content"]
        return cls(
            () if incoming.content is None or weight < LEAST else (incoming.content,),
            _long_enough(
                (text for one in told if one.field.label is not Label.WHOM for text in (one.name, one.text)), counter
            ),
            _long_enough((one.text for one in told if one.field.label is Label.WHOM), counter),
        )

    def named(self, names: Iterable[str], counter: TokenCounter) -> Compared:
        """Return them with the ``names`` of what is mentioned."""
        found = _long_enough(names, counter)
        return self._replace(names=(*self.names, *found)) if found else self


def _long_enough(texts: Iterable[str], counter: TokenCounter) -> tuple[str, ...]:
    wanted = dict.fromkeys(text for text in texts if len(text) >= LEAST)
    return tuple(text for text in wanted if counter.count(text) >= LEAST)


@dataclass(frozen=True, slots=True)
class TextDigests:
    """What the texts that come in are compared by, worked out before they do."""

    texts: Compared
    #: The wordings of the content, of the other texts, and of names.
    content: tuple[Searched, ...]
    others: tuple[Searched, ...]
    names: tuple[Searched, ...]
    #: The digests that would refuse them if they were forgotten before they were erased.
    sleeping: frozenset[str]


class Digests:
    """Makes the digests of one tenant."""

    def __init__(self, handle: Callable[[str, str], str], tenant: str) -> None:
        """Use the store's secret through ``handle``."""
        self._handle = handle
        self._tenant = tenant
        self.forms = FormDigests(handle, tenant)

    def subject(self, name: str) -> str:
        """Return the reference of a suppressed subject."""
        return self.named(SUBJECT, name)

    def named(self, sort: str, name: str) -> str:
        """Return the reference of who or what was erased: a subject, session, source, entity or id."""
        return self._ref(sort, name_form(name) if sort == ENTITY else plain(name))

    def spelled(self, sort: str, name: str) -> set[str]:
        """Return :meth:`named` of a name, and of it without the signs around it: whoever has either is refused."""
        return {self.named(sort, one) for one in (name, name if sort == ID else bare_form(name_form(name)))}

    def erased(self, memory: Memory, counter: TokenCounter, scopes: Iterable[Sequence[str]]) -> set[str]:
        """Return the references of what is erased of a memory: of its content, and of what it says besides."""
        kept = [] if memory.content is None or memory.weight < LEAST else list(_kept(memory.content, counter))
        said, whole = set(kept), kept[0] if kept else ""
        beside: set[str] = set()
        for one in every_text(memory):
            if one.field.label is not None or one.field.name == "content" or _is_called(one):
                continue
            if _is_prose(one.text, counter):
                signs = signs_of(one.text)
                if signs not in whole:
                    beside.add(signs)
                elif 2 * len(signs) > len(whole):
                    # Of a content that shows values with their names, this is what it says.
                    said.add(signs)
        return {
            self.forms.reference(signs, scope)
            for subjects in scopes
            for found, scope in ((said, _scope(subjects)), (beside, _beside(subjects)))
            for signs in found
        }

    def reading(self, span: str, key: str | None) -> str:
        """Return the reference of what is not to be read again from the words ``span``, an IRI, for ``key``."""
        return self._ref(_READING, f"{key or ''}\x1e{span}")

    def sleeping(self, memory: Memory, entities: Iterable[str], counter: TokenCounter) -> set[str]:
        """Return what a text leaves that is forgotten: references to find it by, and such with all that it came by."""
        if memory.content is None or memory.weight < LEAST:
            return set()
        came_by = {self.named(ID, memory.id), *self._came_by(memory)}
        came_by.update(ref for name in entities for ref in self.spelled(ENTITY, name))
        keys = ".".join(sorted(ref.rpartition("|")[2] for ref in came_by))
        bare = {self._sleeping(signs) for signs in _kept(memory.content, counter)}
        return bare | {f"{one}|{self._scope_key(memory.subjects)}|{keys}" for one in bare}

    def gone(self, ident: str) -> str:
        """Return the reference of a memory that went."""
        return self._ref(_GONE, ident)

    def of_texts(self, texts: Compared) -> TextDigests:
        """Return what ``texts`` are compared by; it takes some time if they are long."""
        sleeping: set[str] = set()
        parts: list[list[Searched]] = []
        for part in texts:
            parts.append([])
            for form, wanted in (one for text in part for one in forms_of(text)):
                sleeping.add(self._sleeping(form.signs))
                if wanted:
                    parts[-1].append(self.forms.searched(form))
        content, others, names = map(tuple, parts)
        return TextDigests(texts, content, others, names, frozenset(sleeping))

    def of(self, memory: Incoming) -> dict[str, str]:
        """Return the digests of whom and what it is of that would refuse it, by reference: of what sort each is."""
        return {ref: sort for sort, name in _named_by(memory) for ref in self.spelled(sort, name)}

    def refuse(self, erased: ErasedTexts, texts: TextDigests, subjects: Sequence[str]) -> bool:
        """Return whether an erased text stands in one of ``texts``, which are about ``subjects``."""
        scope, beside, nobody = _scope(subjects), _beside(subjects), _scope(())
        return (
            erased.in_any(texts.content, self.forms, (scope, beside))
            or erased.in_any(texts.others, self.forms, (scope,))
            or erased.in_any(texts.names, self.forms, (scope, nobody))
        )

    def woken_by(self, sleeping: Iterable[str], subjects: Sequence[str]) -> set[str]:
        """Return of which references one has to be there for ``sleeping`` ones to refuse a text about ``subjects``."""
        own = self._scope_key(subjects)
        parts = (reference.rsplit("|", 2)[1:] for reference in sleeping)
        return {
            f"{self._tenant}|{key}" for scope, keys in parts if not subjects or scope == own for key in keys.split(".")
        }

    def _came_by(self, memory: Memory) -> Iterator[str]:
        return (ref for sort, name in _named_by(memory) for ref in self.spelled(sort, name))

    def _sleeping(self, signs: str) -> str:
        return self._ref(_SLEEPING, signs)

    def _scope_key(self, subjects: Iterable[str]) -> str:
        return self._handle(f"|scope|{self._tenant}", _scope(subjects))[:_SCOPE_SIGNS]

    def _ref(self, domain: str, text: str) -> str:
        # No tenant's name has a bar, so no handle of a subject is ever one of these.
        return f"{self._tenant}|{self._handle(f'|{domain}|{self._tenant}', text)}"


def _named_by(memory: Incoming | Memory) -> Iterator[tuple[str, str]]:
    """Yield whom a memory is about, its session and its source, each after its sort."""
    yield from ((SUBJECT, name) for name in memory.subjects)
    yield from named_origins(memory)


#: Signs of a handle that tell the people of one text apart.
_SCOPE_SIGNS: Final = 12


def _scope(subjects: Iterable[str]) -> str:
    return "\x1f".join(sorted(subjects))


NOTHING: Final = TextDigests(Compared(), (), (), (), frozenset())


def _beside(subjects: Iterable[str]) -> str:
    """Return the scope of what an erased memory said beside its content: titles, which others have beside theirs."""
    return f"{_scope(subjects)}\x1ebeside"


def _kept(content: str, counter: TokenCounter) -> Iterator[str]:
    """Yield the forms of a content that digests are kept of: its own, and of each wording that is long enough."""
    for one in wordings(content):
        if one == content or counter.count(one) >= LEAST:
            yield signs_of(one)


def _is_called(told: Told) -> bool:
    """Return whether a name in free JSON, with other names or a list below it, is what somebody is called.

    A rare name, or one in letters that weigh more, has as many tokens as a sentence.
    """
    if told.name or told.field.datatype is not Datatype.JSON or UNSPACED.search(told.text):
        return False
    return _NAME.fullmatch("".join(one for one in told.text if not is_mark(one))) is not None


def _is_prose(text: str, counter: TokenCounter) -> bool:
    """Return whether a text beside the content is no address, path or number, which many memories have."""
    words = " " in text.strip() or not text.isascii()
    return words and len(text) >= LEAST and counter.count(text) >= LEAST


def digests_of(unit: Unit) -> Digests:
    """Return the maker of the digests of a unit's tenant."""
    return Digests(unit.services.handle, unit.state.name)


# --- Keeping out ------------------------------------------------------------------------------------------------


def suppress_named(unit: Unit, sort: str, names: Iterable[str]) -> None:
    """Let nothing come in again that is about a subject, or of a session or a source, whatever the text.

    Of an entity and an id it wakes the digests of the texts that were forgotten before; so do the others besides.
    """
    digests = digests_of(unit)
    unit.suppressed.update(ref for name in names for ref in digests.spelled(sort, name))
    unit.update_tenant(suppressing=True)


def suppress_texts(unit: Unit, memories: Iterable[Memory], *, by_subject: bool = False) -> None:
    """Let the texts of ``memories`` not come in again, about the same subjects or about nobody.

    ``by_subject``: who is erased is suppressed whatever the text, so that texts about them need no digest.
    """
    digests, counter = digests_of(unit), unit.services.counter
    before = len(unit.suppressed)
    for memory in memories:
        scopes = [()] if by_subject else [(), memory.subjects]
        unit.suppressed.update(digests.erased(memory, counter, scopes))
    if len(unit.suppressed) > before:
        unit.update_tenant(texts_erased=unit.audit.next_sequence)
    if unit.suppressed:
        unit.update_tenant(suppressing=True)


def suppress_ids(unit: Unit, ids: Iterable[str]) -> None:
    """Let no document bring memories back by their ids, nor what rests on them."""
    digests = digests_of(unit)
    refs = {digests.gone(one) for one in ids}
    if refs:
        unit.suppressed.update(refs)
        unit.update_tenant(suppressing=True)


def note_forgotten(unit: Unit, memories: Iterable[tuple[Memory, Sequence[str]]]) -> None:
    """Keep of texts that are about to be forgotten what a later erasure needs; each with the names that it mentions."""
    digests, counter = digests_of(unit), unit.services.counter
    for memory, entities in memories:
        unit.suppressed.update(digests.sleeping(memory, entities, counter))


def forgotten_before(unit: Unit, sort: str, names: Iterable[str], found: Iterable[str]) -> bool:
    """Return whether a text had gone whole that came by a subject, session, source or entity of one of ``names``.

    Not one of a memory of the ids ``found``. It reads all digests of forgotten texts: O(n) in these.
    """
    digests = digests_of(unit)
    wanted, there = (
        {ref.rpartition("|")[2] for name in listed for ref in digests.spelled(kind, name)}
        for kind, listed in ((sort, names), (ID, found))
    )
    for page in pages(partial(unit.read, "suppressions_page"), unit.state.name, _PAGE):
        for reference in (str(row["ref"]) for row in page):
            if reference.count("|") == _PARTS:
                keys = reference.rpartition("|")[2].split(".")
                if not wanted.isdisjoint(keys) and there.isdisjoint(keys):
                    return True
    return False


def suppress_readings(unit: Unit, readings: Iterable[tuple[str, str | None]]) -> None:
    """Let what certain words of stored texts say for certain keys not be read from them again."""
    digests = digests_of(unit)
    refs = {digests.reading(span, key) for span, key in readings}
    if refs:
        unit.suppressed.update(refs)
        unit.update_tenant(suppressing=True)


def suppressed_readings(unit: Unit, readings: Iterable[tuple[str, str | None]]) -> set[tuple[str, str | None]]:
    """Return those of ``readings``, words of stored texts and keys, that are not to be read again."""
    if not unit.state.suppressing:
        return set()
    digests = digests_of(unit)
    refs = {digests.reading(*one): one for one in readings}
    return {refs[ref] for ref in _there(unit.read, refs)}


# --- Comparing --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Asked:
    """What would refuse one memory: digests with their sorts, its texts, whom it is about, whose consent excuses it."""

    sorts: Mapping[str, str]
    texts: TextDigests = NOTHING
    subjects: tuple[str, ...] = ()
    excused: frozenset[str] = frozenset()


def check(
    unit: Unit, memory: Draft | Memory, weight: int, names: Iterable[str] = (), foreseen: TextDigests | None = None
) -> None:
    """Refuse what was erased, but for those who consented since to all of its purposes, or to any if there are none.

    ``names`` are those of the entities that it mentions; ``foreseen`` is what its texts are compared by.

    Raises:
        ConsentRequired: it is about somebody who had themselves erased, or mentions them.
        ErasedContentRefused: one of its texts was erased, or has one in it; or the session or source that it is of was.
        ProbingRefused: that was revealed too often lately, so that it is not for a while.
    """
    if unit.state.suppressing:
        said = tuple(names)
        asked = _asked(unit, memory, weight, said, foreseen)
        named = {ref: sort for ref, sort in _sorts_of(unit, said).items() if ref not in asked.excused}
        _compare(unit, [asked, _Asked(named)])


def check_names(unit: Unit, names: Iterable[str], texts: Iterable[str] = ()) -> None:
    """Refuse to name somebody who had themselves erased and does not consent to anything: in a rule, or an entity.

    What is named, and ``texts`` that stand beside, are compared as well.

    Raises:
        ConsentRequired: they did.
        ErasedContentRefused: a name or a text was erased, or has an erased text in it.
        ProbingRefused: as :func:`check`.
    """
    if unit.state.suppressing:
        said = tuple(names)
        found = Compared().named((*said, *texts), unit.services.counter)
        _compare(unit, [_Asked(_sorts_of(unit, said), digests_of(unit).of_texts(found))])


def _sorts_of(unit: Unit, names: Iterable[str]) -> dict[str, str]:
    digests, book = digests_of(unit), preferences_of(unit)
    said = {item.data_subject for item in book.of(PreferenceRule.CONSENT) if item.data_subject is not None}
    # By the digest, which is one for all spellings of a name.
    consenting = (name for name in said if book.consents(name, None, unit.now))
    back = {ref for name in consenting for ref in digests.spelled(SUBJECT, name)}
    return {ref: SUBJECT for name in names for ref in digests.spelled(SUBJECT, name) if ref not in back}


def check_all(unit: Unit, memories: Iterable[tuple[Memory, Iterable[Edge]]]) -> None:
    """Refuse a document in which something was erased, or rests on that, before anything of it is stored.

    Raises:
        ConsentRequired, ErasedContentRefused, ProbingRefused: as :func:`check`.
    """
    pending: list[_Asked] = []
    digests = digests_of(unit)
    for memory, edges in memories:
        asked = _asked(unit, memory, memory.weight)
        ids = (memory.id, *(edge.target for edge in edges if edge.type in RESTS))
        pending.append(replace(asked, sorts={**asked.sorts, **{digests.gone(one): _GONE for one in ids}}))
        if sum(1 + len(one.sorts) for one in pending) >= _PAGE:
            _compare(unit, pending)
            pending = []
    _compare(unit, pending)


def _asked(
    unit: Unit, memory: Draft | Memory, weight: int, names: Iterable[str] = (), foreseen: TextDigests | None = None
) -> _Asked:
    digests, book, counter = digests_of(unit), preferences_of(unit), unit.services.counter
    admitted = (name for name in memory.subjects if book.admits_again(name, memory.purpose, unit.now))
    excused = {ref for name in admitted for ref in digests.spelled(SUBJECT, name)}
    own = Compared.of(memory, weight, counter)
    found = foreseen if foreseen is not None and foreseen.texts == own else digests.of_texts(own)
    named = own.named(names, counter)
    if named != own:
        # They are known in the unit only, and short.
        more = digests.of_texts(Compared(names=named.names))
        found = replace(found, names=more.names, sleeping=found.sleeping | more.sleeping)
    sorts = {ref: sort for ref, sort in digests.of(memory).items() if ref not in excused}
    return _Asked(sorts, found, memory.subjects, frozenset(excused))


def _compare(unit: Unit, asked: Sequence[_Asked]) -> None:
    """Refuse the first of what is ``asked`` that something erased refuses; count that, and stop telling in time."""
    sorts = {ref: sort for one in asked for ref, sort in one.sorts.items()}
    sorts |= {ref: _SLEEPING for one in asked for ref in one.texts.sleeping}
    if not sorts:
        return
    rate_limiter, settings = unit.services.rate_limiter, unit.state.settings.suppression
    rate_limiter.check(unit.now, settings)
    there = set(_there(unit.read, sorts))
    found = [sorts[ref] for ref in sorted(there) if sorts[ref] != _SLEEPING]
    if not found and any(_erased_in(unit, one) or _woken(unit, one, there) for one in asked):
        found = [_TEXT]
    if found:
        rate_limiter.count(unit.now)
    refuse(found)


def _erased_in(unit: Unit, one: _Asked) -> bool:
    """Return whether an erased text stands in one that comes in."""
    digests, erased = digests_of(unit), unit.stored_erased_texts.of(unit.read, unit.before)
    return bool(erased) and digests.refuse(erased, one.texts, one.subjects)


def _woken(unit: Unit, one: _Asked, there: set[str]) -> bool:
    """Return whether a text was forgotten, and something that it came by was erased since."""
    digests = digests_of(unit)
    for bare in there & one.texts.sleeping:
        # A text leaves one for each memory of it that was forgotten.
        for page in pages(partial(unit.read, "suppressions_page"), bare, _PAGE):
            woken = digests.woken_by((str(row["ref"]) for row in page), one.subjects) - one.excused
            if _there(unit.read, dict.fromkeys(woken)):
                return True
    return False


def _there(read: Reader, refs: Mapping[str, object]) -> list[str]:
    rows: list[Row] = read("suppressed", {"refs": sorted(refs)}) if refs else []
    return [str(row["ref"]) for row in rows]


class Known:
    """All digests that a store has, for what is compared with them without a unit."""

    def __init__(self, digests: Digests, references: Iterable[str]) -> None:
        """Take the ``references`` of one tenant."""
        self._digests = digests
        self.references = frozenset(references)
        self._erased = ErasedTexts(self.references)
        self._sleeping: dict[str, list[str]] = {}
        for reference in self.references:
            # The tenant's name, the digest, the people, what it came by.
            if reference.count("|") == _PARTS:
                self._sleeping.setdefault(reference.rsplit("|", 2)[0], []).append(reference)
        self._counting = len(self.references) - len(self._sleeping) - sum(map(len, self._sleeping.values()))

    def __bool__(self) -> bool:
        """Return whether there is any of something erased, and not only forgotten."""
        return self._counting > 0

    def refuse(self, memory: Memory, weight: int, counter: TokenCounter) -> bool:
        """Return whether ``memory``, which weighs ``weight`` tokens, is not to come in again, consents aside."""
        texts = self._digests.of_texts(Compared.of(memory, weight, counter))
        if not self.references.isdisjoint(self._digests.of(memory)):
            return True
        if self._erased and self._digests.refuse(self._erased, texts, memory.subjects):
            return True
        for reference in self.references & texts.sleeping:
            woken = self._digests.woken_by(self._sleeping.get(reference, ()), memory.subjects)
            if not woken.isdisjoint(self.references):
                return True
        return False


def refuse(found: Sequence[str]) -> None:
    """Raise what digests of the sorts ``found`` stand for, if there is one."""
    if SUBJECT in found:
        msg = (
            "it is about somebody whose memories were erased, and nothing about them is stored without their consent; "
            "record it with: mars preferences consent SUBJECT, or leave this out"
        )
        raise ConsentRequired(msg)
    for sort in _NAMED:
        if sort in found:
            msg = f"it is of a {sort} that was erased, and nothing of it is stored again; name another, or leave it out"
            raise ErasedContentRefused(msg)
    if _GONE in found:
        msg = "it was erased, or rests on what was, and is not stored again; export anew what there is, or leave it out"
        raise ErasedContentRefused(msg)
    if found:
        msg = "this text was erased, or one in it was, and what was erased is not stored again; leave it out"
        raise ErasedContentRefused(msg)
