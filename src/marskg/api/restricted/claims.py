"""What an agent may say where a memory comes from, and whose word it may replace.

Guarantees: an agent claims only the sources that it was granted, and no more reliability than such a source has by
itself; it replaces, ends or contradicts only what comes from a source that it may claim, with no more reliability than
it may, so that without the grant it can neither speak as the user nor overrule them, nor what the operator vouched for.
Source: semantics section 1 (provenance); ADR 73, ADR 89.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.errors import NotPermitted
from marskg.ontology.vocabulary import RELIABILITY, SourceType
from marskg.privacy.field_rights import check_fields
from marskg.privacy.principals import UNGRANTED

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

    def check_fields(self, names: Iterable[str]) -> None:
        """Refuse the first of ``names`` that is no field which the agent may write.

        Raises:
            NotPermitted: there is one (:mod:`marskg.privacy.field_rights`).
        """
        check_fields(self._who, names)

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
        most = self._worth(claimed)
        if isinstance(reliability, (int, float)) and reliability > most:
            msg = (
                f"reliability is above {most:g}, which is all that {self._who} may claim for {claimed.value}: lower it"
            )
            raise NotPermitted(msg)

    def default_reliability(self, source: object) -> float | None:
        """Return how reliable what the agent stores from ``source`` is if it says nothing; None for as that source is.

        A document that nobody granted it to vouch for is worth what the assistant's own word is, so that it has no
        part of what is kept for the operator's (ADR 89).
        """
        if source != SourceType.DOC or self._worth(SourceType.DOC) == RELIABILITY[SourceType.DOC]:
            return None
        return self._worth(SourceType.DOC)

    def _worth(self, source: SourceType) -> float:
        """Return the most reliability that the agent may claim for ``source``."""
        unnamed = source is SourceType.DOC and self._who.sources == UNGRANTED
        return RELIABILITY[SourceType.CHAT_ASSISTANT if unnamed else source]

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
        """Refuse to replace, end or contradict what comes from a source that was not granted, or was vouched for.

        That has more reliability than the agent may claim for the source: equal names are not equally worth.

        Raises:
            NotPermitted: one of ``memories`` does.
        """
        for one in memories:
            if one.source_type not in self._granted:
                raise self._no_word(one.source_type)
            if one.reliability > self._worth(one.source_type):
                msg = (
                    f"{self._who} may not overrule what comes from {one.source_type.value} with more reliability than "
                    f"{self._worth(one.source_type):g}, which is all that it may claim for it: store it beside that, "
                    "without its key, or ask the operator"
                )
                raise NotPermitted(msg)

    def _no_word(self, strange: SourceType) -> NotPermitted:
        return NotPermitted(
            f"{self._who} may not overrule what comes from {strange.value}, which it was not granted; store "
            f"it beside that, without its key, or have the source granted: agent:NAME?source={strange.value}"
        )
