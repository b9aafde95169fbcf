"""What narrows every reading of a principal with limits: no filter and no grant shows more than these allow.

Source: semantics section 9.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.errors import NotPermitted
from marskg.privacy.grants import honour
from marskg.privacy.principals import Role
from marskg.retrieval.access.read_gate import Raised

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.privacy.principals import Principal
    from marskg.retrieval.access.read_gate import Gate
    from marskg.store.tenant.opening import Opened


#: Who has to say from where they read.
_SAY_WHERE: Final = (Role.READER, Role.AGENT)


class Limits:
    """Narrows whatever gate a principal asks for to what they may see."""

    def __init__(self, principal: Principal, opened: Opened, names: Callable[[str], str] | None = None) -> None:
        """Narrow to the limits of ``principal``; grants are looked up in the log of ``opened``.

        ``names`` gives what they call an access record; they are not told of any if it is left out.
        """
        self._principal = principal
        self._names = names
        self._opened = opened

    def __call__(self, gate: Gate, grant: object) -> Gate:
        """Return ``gate`` as narrow as the principal's limits.

        Raises:
            NotPermitted: it asks for more than these allow, or the grant allows nothing.
        """
        who = self._principal
        self._refuse_other("purpose", gate.purpose, who.purpose)
        self._refuse_other("jurisdiction", gate.jurisdiction, who.jurisdiction)
        shown = who.grant if grant is None else grant
        raised = None if shown is None else self._raised(shown, gate.now)
        ceiling = who.ceiling
        if gate.max_sensitivity is not None and ceiling is not None:
            most = ceiling if raised is None else max(ceiling, raised.ceiling)
            if gate.max_sensitivity > most:
                msg = f"max_sensitivity is above the ceiling {most:g} of {who}; leave it out, or ask for a grant"
                raise NotPermitted(msg)
        if gate.max_sensitivity is not None:
            ceiling, raised = self._lower(gate.max_sensitivity, ceiling, raised)
        return replace(
            gate,
            max_sensitivity=ceiling,
            purpose=who.purpose,
            jurisdiction=who.jurisdiction,
            about=who.subjects,
            bound=True,
            raised=raised,
            names=self._names,
            nowhere=who.role in _SAY_WHERE and who.jurisdiction is None,
        )

    def _refuse_other(self, name: str, asked: str | None, own: str | None) -> None:
        if asked is not None and asked != own:
            has = "has another" if own else "has no"
            msg = f"{self._principal} {has} {name} than what is asked for; leave it out, or act as one who has it"
            raise NotPermitted(msg)

    @staticmethod
    def _lower(asked: float, ceiling: float | None, raised: Raised | None) -> tuple[float, Raised | None]:
        """Return the ceiling and the raised one, neither above what is ``asked`` for."""
        low = asked if ceiling is None else min(asked, ceiling)
        return low, None if raised is None else replace(raised, ceiling=min(asked, raised.ceiling))

    def _raised(self, grant: object, now: int) -> Raised:
        opened = self._opened
        held = honour(opened.reader, self._handle, grant, to=self._principal.actor, now=now)
        return Raised(held.digest, held.ceiling, held.handles, self._handle)

    def _handle(self, subject: str) -> str:
        return self._opened.services.handle(self._opened.tenant, subject)
