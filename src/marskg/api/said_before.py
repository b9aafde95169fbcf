"""What a user said right before they asked that it is not kept: the ordinary erasure of that turn, where it is theirs.

Guarantees: nothing is erased but the newest turn of the same session, people and source, by whoever may erase; anybody
else is told what to call. What may not be seen is not named. Source: issue 54 item 4; ADR 102.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.erasure.request import Request
from marskg.ontology.vocabulary import Kind
from marskg.privacy.principals import Right, right_to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from marskg.drafts import Draft
    from marskg.erasure.eraser import Eraser
    from marskg.privacy.principals import Principal
    from marskg.store.unit.reader import GraphReader

#: Turns of a session that are looked at, from its end.
_LAST: Final = 50
_NO_SESSION: Final = "which turn that is cannot be told without a session: erase it by its id"
_NONE: Final = "no turn of theirs before it is stored in this session"


class SaidBefore:
    """Finds and erases the turn before another, for one principal."""

    def __init__(
        self,
        reader: GraphReader,
        eraser: Eraser,
        principal: Principal,
        seen: Callable[[Iterable[str]], set[str]],
        now: Callable[[], int],
    ) -> None:
        """Look by ``reader`` for what ``seen`` lets ``principal`` see; erase by ``eraser`` where they may."""
        self._reader = reader
        self._eraser = eraser
        self._principal = principal
        self._seen = seen
        self._now = now

    def erase(self, draft: Draft) -> str:
        """Erase what was said before ``draft``; returns what is told of it."""
        if draft.session is None:
            return _NO_SESSION
        found = self._before(draft)
        if found is None:
            return _NONE
        if right_to(self._principal.role, "erase") is Right.ALL:
            self._eraser.erase(Request.of(id=found), scrub=False)
            return f"{found} was erased"
        return f"{found} is stored still, and {self._principal} may not erase it: have mem.erase(id=…) called"

    def _before(self, draft: Draft) -> str | None:
        """Return the id of the newest turn of the session, people and source of ``draft``, if it may be seen."""
        rows = [row for row in self._reader.session(draft.session) if row["kind"] == Kind.EPISODIC.value]
        rows.sort(key=lambda row: (row["validFrom"], row["sequence"]))
        ids = [str(row["id"]) for row in rows[-_LAST:][::-1]]
        seen, now = self._seen(ids), self._now()
        for ident in (one for one in ids if one in seen):
            memory = self._reader.get(ident, now)
            if memory is None or memory.content is None or memory.source_type is not draft.source_type:
                continue
            if sorted(memory.subjects) == sorted(draft.subjects):
                return ident
        return None
