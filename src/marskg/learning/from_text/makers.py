"""The IRIs of readings: which call read a text, and what read it, in one word that an export can carry.

Guarantees: an IRI names the call and the rule, or the call and the model with its prompt's version and digest, and no
word of any text; equal readings have equal IRIs, so no blank node is needed (PROV-O: an activity of its own).

Example::

    >>> from marskg.extraction.proposal import Maker
    >>> iri_of(Maker("profile.moved"), "1f3a")
    'urn:mars:reading:1f3a:rule:profile.moved'
    >>> made_by("urn:mars:reading:1f3a:rule:profile.moved", "profile.moved")
    True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from marskg.extraction.proposal import Maker, Span

_PREFIX: Final = "urn:mars:reading:"


def iri_of(maker: Maker, call: str) -> str:
    """Return the IRI of a reading in the operation's ``call``."""
    own = () if maker.call is None else (maker.call,)
    parts: tuple[str | None, ...] = (call, "rule", maker.rule, *own)
    if maker.model is not None:
        parts = (call, "model", maker.model, maker.prompt, maker.prompt_digest, *own)
    return _PREFIX + ":".join(quote(part or "-", safe="") for part in parts)


def made_by(iri: str, wanted: str) -> bool:
    """Return whether ``wanted`` is the call, the reader's own call, the rule or the model of the reading ``iri``."""
    if not iri.startswith(_PREFIX):
        return wanted == iri
    call, kind, name, *more = (unquote(part) for part in iri.removeprefix(_PREFIX).split(":"))
    own = more[2:] if kind == "model" else more
    return wanted in {iri, call, name, *own}


def call_of(iri: str) -> str:
    """Return the call of a reading.

    >>> call_of("urn:mars:reading:1f3a:rule:profile.moved")
    '1f3a'
    """
    return unquote(iri.removeprefix(_PREFIX).partition(":")[0])


def span_iri(turn: str, span: Span) -> str:
    """Return the IRI of the words of a stored turn (RFC 5147: characters, counted from 0)."""
    return f"{turn}#char={span.start},{span.end}"
