"""What was erased does not come in again: keyed digests of subjects and of texts (semantics section 5).

Guarantees: a digest is HMAC-SHA256 under the store's secret over tenant, scope and normalised text, so it says nothing
without the secret, and nothing about another tenant; it carries no id and no time. Whoever was erased as a subject is
refused whatever the text, until a consent is recorded; other erasures keep digests of the texts, in the scope of whom
they were about. Every erasure keeps them in the scope of nobody as well, so that what was erased does not come in again
by leaving out whom it is about; and none of a text under :data:`LEAST` tokens, which many innocent texts are. About
somebody else the same text is another memory. Of what was read from a stored text they keep which words of it said it,
so that reading the text again does not bring it back. A tenant of which nothing was ever erased pays for none of this.

Any recogniser is an oracle: whoever may write, and has the text already, can learn that it was erased once. How often
they learn it is limited (:mod:`marskg.store.rows.oracle_rate_limit`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.errors import ConsentRequired, ErasedContentRefused
from marskg.store.graph.preference_enforcement import preferences_of
from marskg.text import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from marskg.records import Memory
    from marskg.store.engine.protocol import Reader, Row
    from marskg.store.unit.unit_of_work import Unit

#: Tokens below which a text is too common to be recognised.
LEAST: Final = 8
_SUBJECT: Final = "subject"
_TEXT: Final = "text"
_READING: Final = "reading"
#: Digests looked up at once.
_PAGE: Final = 1_000


class Digests:
    """Makes the digests of one tenant."""

    def __init__(self, handle: Callable[[str, str], str], tenant: str) -> None:
        """Use the store's secret through ``handle``."""
        self._handle = handle
        self._tenant = tenant

    def subject(self, name: str) -> str:
        """Return the reference of a suppressed subject."""
        return self._ref(_SUBJECT, plain(name))

    def text(self, content: str, subjects: Iterable[str]) -> str:
        """Return the reference of a suppressed text about ``subjects``."""
        scope = "\x1f".join(sorted(subjects))
        return self._ref(_TEXT, f"{scope}\x1e{plain(content)}")

    def reading(self, span: str, key: str | None) -> str:
        """Return the reference of what is not to be read again from the words ``span``, an IRI, for ``key``."""
        return self._ref(_READING, f"{key or ''}\x1e{span}")

    def _ref(self, domain: str, text: str) -> str:
        # No tenant's name has a bar, so no handle of a subject is ever one of these.
        return f"{self._tenant}|{self._handle(f'|{domain}|{self._tenant}', text)}"

    def of(self, content: str | None, weight: int, subjects: Sequence[str]) -> dict[str, str]:
        """Return by their references the digests that would refuse this text: of what sort each is."""
        found = {self.subject(name): _SUBJECT for name in subjects}
        if content is not None and weight >= LEAST:
            found[self.text(content, subjects)] = _TEXT
        return found


def suppress_subject(unit: Unit, name: str) -> None:
    """Let nothing about a subject come in again, whatever the text, unless they consent."""
    unit.suppressed.add(Digests(unit.services.handle, unit.state.name).subject(name))
    unit.update_tenant(suppressing=True)


def suppress_texts(unit: Unit, memories: Iterable[Memory], *, by_subject: bool = False) -> None:
    """Let the texts of ``memories`` not come in again, about the same subjects or about nobody.

    ``by_subject``: who is erased is suppressed whatever the text, so that texts about them need no digest.
    """
    digests = Digests(unit.services.handle, unit.state.name)
    for memory in memories:
        if memory.content is not None and memory.weight >= LEAST:
            scopes = {()} if by_subject else {(), memory.subjects}
            unit.suppressed.update(digests.text(memory.content, scope) for scope in scopes)
    if unit.suppressed:
        unit.update_tenant(suppressing=True)


def suppress_readings(unit: Unit, readings: Iterable[tuple[str, str | None]]) -> None:
    """Let what certain words of stored texts say for certain keys not be read from them again."""
    digests = Digests(unit.services.handle, unit.state.name)
    refs = {digests.reading(span, key) for span, key in readings}
    if refs:
        unit.suppressed.update(refs)
        unit.update_tenant(suppressing=True)


def suppressed_readings(unit: Unit, readings: Iterable[tuple[str, str | None]]) -> set[tuple[str, str | None]]:
    """Return those of ``readings``, words of stored texts and keys, that are not to be read again."""
    if not unit.state.suppressing:
        return set()
    digests = Digests(unit.services.handle, unit.state.name)
    refs = {digests.reading(*one): one for one in readings}
    return {refs[ref] for ref in _there(unit.read, refs)}


def check(unit: Unit, content: str, weight: int, subjects: Sequence[str], purposes: Sequence[str] = ()) -> None:
    """Refuse what was erased, but for those who consented since to all of ``purposes``, or to any if there are none.

    Raises:
        ConsentRequired: it is about somebody who had themselves erased.
        ErasedContentRefused: this text was erased.
        ProbingRefused: that was revealed too often lately, so that it is not for a while.
    """
    if unit.state.suppressing:
        digests = Digests(unit.services.handle, unit.state.name)
        found = digests.of(content, weight, subjects)
        book = preferences_of(unit)
        for subject in subjects:
            if book.admits_again(subject, purposes, unit.now):
                found.pop(digests.subject(subject), None)
        _compare(unit, found)


def check_subject(unit: Unit, subject: str) -> None:
    """Refuse to keep a rule for somebody who had themselves erased and does not consent to anything.

    Raises:
        ConsentRequired: they did.
        ProbingRefused: as :func:`check`.
    """
    if unit.state.suppressing and not preferences_of(unit).consents(subject, None, unit.now):
        _compare(unit, {Digests(unit.services.handle, unit.state.name).subject(subject): _SUBJECT})


def check_all(unit: Unit, memories: Iterable[Memory]) -> None:
    """Refuse a document in which something was erased, before anything of it is stored.

    Raises:
        ConsentRequired, ErasedContentRefused, ProbingRefused: as :func:`check`.
    """
    digests = Digests(unit.services.handle, unit.state.name)
    book = preferences_of(unit)
    pending: dict[str, str] = {}
    for memory in memories:
        found = digests.of(memory.content, memory.weight, memory.subjects)
        for subject in memory.subjects:
            if book.admits_again(subject, memory.purpose, unit.now):
                found.pop(digests.subject(subject), None)
        pending |= found
        if len(pending) >= _PAGE:
            _compare(unit, pending)
            pending = {}
    _compare(unit, pending)


def _compare(unit: Unit, found: Mapping[str, str]) -> None:
    """Refuse the first of the digests ``found`` that is of something erased; count that, and stop telling in time."""
    if not found:
        return
    rate_limiter, settings = unit.services.rate_limiter, unit.state.settings.suppression
    rate_limiter.check(unit.now, settings)
    there = _there(unit.read, found)
    if there:
        rate_limiter.count(unit.now)
    refuse(found, there)


def _there(read: Reader, refs: Mapping[str, object]) -> list[str]:
    rows: list[Row] = read("suppressed", {"refs": sorted(refs)}) if refs else []
    return [str(row["ref"]) for row in rows]


def refuse(sorts: Mapping[str, str], there: Sequence[str]) -> None:
    """Raise what the first of the digests that are ``there`` stands for, if there is one."""
    if any(sorts[ref] == _SUBJECT for ref in there):
        msg = (
            "it is about somebody whose memories were erased, and nothing about them is stored without their consent; "
            "record it with: mars preferences consent SUBJECT, or leave this out"
        )
        raise ConsentRequired(msg)
    if there:
        msg = "this text was erased, and what was erased is not stored again; leave it out"
        raise ErasedContentRefused(msg)
