"""What an agent may say where a memory comes from, and whose word it may replace.

Guarantees: an agent claims only the sources that it was granted, and no more reliability than such a source has by
itself; it replaces, ends or contradicts only what comes from a source that it may claim, so that without the grant it
can neither speak as the user nor overrule them. Source: semantics section 1 (provenance); ADR 73.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.errors import NotPermitted
from marskg.ontology.vocabulary import RELIABILITY, SourceType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.privacy.principals import Principal
    from marskg.records import Memory


class Claims:
    """The sources of one agent."""

    def __init__(self, principal: Principal) -> None:
        """Ask what ``principal`` was granted."""
        self._who = principal
        self._granted = frozenset(principal.sources or ())

    def check(self, source: object, reliability: object) -> None:
        """Refuse a source that was not granted, and more reliability than it has; what is no source, others refuse.

        Raises:
            NotPermitted: the principal may not claim that.
        """
        if source not in set(SourceType):
            return
        claimed = SourceType(str(source))
        if claimed not in self._granted:
            msg = (
                f"{self._who} was not granted the source {claimed.value}; leave source_type out, which stores it as "
                f"{self._who.speaks_as.value}, or have it granted: agent:NAME?source={claimed.value}"
            )
            raise NotPermitted(msg)
        most = RELIABILITY[claimed]
        if isinstance(reliability, (int, float)) and reliability > most:
            msg = (
                f"reliability is above {most:g}, which is all that {self._who} may claim for {claimed.value}: lower it"
            )
            raise NotPermitted(msg)

    def check_begin(self, *, later: bool) -> None:
        """Refuse a single value that begins ``later`` than now: all that the user says until then would come too late.

        Raises:
            NotPermitted: it does, and the agent may not speak as the user.
        """
        if later and SourceType.CHAT_USER not in self._granted:
            msg = (
                f"{self._who} may not give a key a value that begins later than now, as what the user says before "
                "would not hold; leave out at, or the key, or have the source granted: agent:NAME?source=chat_user"
            )
            raise NotPermitted(msg)

    def check_word(self, memories: Iterable[Memory]) -> None:
        """Refuse to replace, end or contradict what comes from a source that was not granted.

        Raises:
            NotPermitted: one of ``memories`` does.
        """
        strange = next((one.source_type for one in memories if one.source_type not in self._granted), None)
        if strange is not None:
            msg = (
                f"{self._who} may not overrule what comes from {strange.value}, which it was not granted; store "
                f"it beside that, without its key, or have the source granted: agent:NAME?source={strange.value}"
            )
            raise NotPermitted(msg)
