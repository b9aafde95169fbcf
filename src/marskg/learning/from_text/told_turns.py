"""What may be learned from, as one form: turns of a conversation, passages of a document, and what is stored already.

Guarantees: every turn is checked before any is stored, and a message names the turn by its place; a new turn has an id
that follows from who said what, when and where, under the store's secret, so that the same turn is the same memory,
and whoever has no secret learns nothing from the id.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from marskg.clock import uuid8
from marskg.drafts import Draft
from marskg.errors import InvalidInput, NotPermitted, UnknownMemory
from marskg.extraction.proposal import Turn
from marskg.ontology.vocabulary import Kind, SourceType
from marskg.records import Memory
from marskg.sources.chat import turn_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_ID: Final = "urn:uuid:"
#: How far ahead of the clock a turn may be said, in ms: clocks differ, and so do time zones.
AHEAD: Final = 86_400_000
_ROLES: Final = {
    SourceType.CHAT_USER: "user",
    SourceType.CHAT_ASSISTANT: "assistant",
    SourceType.API_RESULT: "tool",
}


@dataclass(frozen=True, slots=True)
class Told:
    """One turn to learn from: its id, what a reader gets of it, and what is or will be stored.

    ``said`` is the stored memory, or the draft that makes it; ``facts`` are drafts that came with it, ready,
    with their ids.
    """

    id: str
    turn: Turn
    said: Memory | Draft
    facts: tuple[tuple[str, Draft], ...] = ()

    @property
    def subjects(self) -> tuple[str, ...]:
        """Return whom the turn is about."""
        return self.said.subjects

    @property
    def draft(self) -> Draft | None:
        """Return what makes the memory; None where it is stored already."""
        return self.said if isinstance(self.said, Draft) else None


def told(
    given: object,
    now: int,
    stored: Callable[[str], Memory | None],
    secret: Callable[[str], str],
    check: Callable[[Draft], None],
) -> list[Told]:
    """Return what is given as turns; see ``mem.learn`` for what that may be.

    ``stored`` finds a memory by id, ``secret`` makes the keyed digest of a text, ``check`` refuses what is no memory.

    Raises:
        InvalidInput: one is no turn, or says nothing.
        UnknownMemory: an id is of no stored memory.
        NotPermitted: the content of one is gone.
    """
    found: list[Told] = []
    for place, one in enumerate(_several(given), 1):
        if isinstance(one, Memory) or (isinstance(one, str) and one.startswith(_ID)):
            found.append(_stored(one if isinstance(one, str) else one.id, stored))
        elif isinstance(one, Draft) and one.kind is not Kind.EPISODIC:
            if not found:
                msg = f"turn {place} is a fact without the turn that says it; give the turn first"
                raise InvalidInput(msg)
            if found[-1].draft is None:
                msg = f"turn {place} is a fact of a turn that is stored already; give it to remember_many instead"
                raise InvalidInput(msg)
            found[-1] = replace(found[-1], facts=(*found[-1].facts, (_fact_id(secret, one, found[-1].id), one)))
            _check(check, place, one)
        else:
            draft = one if isinstance(one, Draft) else _draft(place, one, now)
            _check(check, place, draft)
            if draft.at > now + AHEAD:
                msg = f"turn {place} is said at a time that is more than a day ahead; correct its timestamp"
                raise InvalidInput(msg)
            speaker = None if isinstance(one, (str, Draft)) else one.get("speaker")
            found.append(_new(draft, secret, speaker))
    if not found:
        msg = "there is no turn to learn from; give a text, a turn such as {'role': …, 'content': …}, or several"
        raise InvalidInput(msg)
    return list({one.id: one for one in found}.values())


def _check(check: Callable[[Draft], None], place: int, draft: Draft) -> None:
    """Refuse a turn, or a fact of it, that cannot be stored, before any other is."""
    try:
        check(draft)
    except InvalidInput as error:
        msg = f"turn {place}: {error}; nothing of it was stored"
        raise InvalidInput(msg) from error


def _several(given: Any) -> Iterable[Any]:  # noqa: ANN401 - whatever a caller gives
    alone = isinstance(given, (str, Memory, Draft)) or hasattr(given, "keys")
    return (given,) if alone else given


def _draft(place: int, one: str | Mapping[str, Any], now: int) -> Draft:
    """Return the draft of a turn that is given as a text or a mapping."""
    values = {"role": "user", "timestamp": now, **({"content": one} if isinstance(one, str) else one)}
    return turn_of(values, place)


def _new(draft: Draft, secret: Callable[[str], str], speaker: str | None) -> Told:
    if draft.identity is not None:
        return _of(secret_id(secret, draft.identity), draft, speaker)
    said = (draft.content, str(draft.at), draft.session or "", draft.source_type.value, *draft.subjects)
    if speaker is not None and speaker not in draft.subjects:
        # Whom a turn is about may be said apart from who speaks, who stays the one that says "I".
        said = (*said, "", speaker)
    return _of(secret_id(secret, *said), draft, speaker)


def _fact_id(secret: Callable[[str], str], fact: Draft, turn: str) -> str:
    """Return the id of a fact that came with a turn."""
    return secret_id(secret, fact.ref, turn) if fact.identity is None else secret_id(secret, fact.identity)


def secret_id(secret: Callable[[str], str], *said: str) -> str:
    """Return an id that follows from ``said`` under a secret: a UUID of version 8 (RFC 9562 section 5.8)."""
    return uuid8(secret("\x1f".join(said)))


def _stored(ident: str, stored: Callable[[str], Memory | None]) -> Told:
    memory = stored(ident)
    if memory is None:
        msg = f"{ident[:60]} is no memory of this tenant; give the id of a stored turn, or the turn itself"
        raise UnknownMemory(msg)
    if memory.content is None:
        msg = f"{ident[:60]} has no content any more, so nothing can be learned from it; leave it out"
        raise NotPermitted(msg)
    return of_memory(memory)


def of_memory(memory: Memory) -> Told:
    """Return a stored memory with content as a turn."""
    return _of(memory.id, memory)


def _of(ident: str, said: Memory | Draft, speaker: str | None = None) -> Told:
    own = said.source_type is SourceType.CHAT_USER and len(said.subjects) == 1
    at = said.at if isinstance(said, Draft) else said.valid_from
    role = _ROLES.get(said.source_type, "doc")
    turn = Turn(said.content or "", at, speaker or (said.subjects[0] if own else None), role, said.session)
    return Told(ident, turn, said)


def blocks(turns: Iterable[Told], size: int) -> Iterator[list[Told]]:
    """Yield turns in lists of ``size``, the last of which may be shorter."""
    block: list[Told] = []
    for one in turns:
        block.append(one)
        if len(block) == size:
            yield block
            block = []
    if block:
        yield block
