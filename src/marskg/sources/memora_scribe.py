"""The parts that all facts of one Memora session share: their numbers, times and evidence.

Guarantees: refs are unique in a persona; times never run backwards within a session, so that of two values of one key
the later in the trace is the later in time.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from marskg.drafts import Draft
from marskg.ontology.vocabulary import Kind
from marskg.sources.evidence import currency, supporting

if TYPE_CHECKING:
    from marskg.sources.memora_layout import Session, Turn


def turn_ref(session: Session, turn: Turn) -> str:
    """Return the ref of the episode of ``turn``."""
    return f"{session.name}/turn-{turn.number}"


def source_ref(session: Session, turn: Turn | None) -> str:
    """Return where in Memora something was said, without any folder of the reader's machine."""
    place = f"memora/{session.persona}/{session.name}"
    return place if turn is None else f"{place}#turn-{turn.number}"


def render(value: object) -> str:
    """Return a value of the trace as a text that an agent can be shown."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dict):
        return "; ".join(f"{readable(str(name))}: {render(item)}" for name, item in value.items())
    if isinstance(value, list):
        return ", ".join(render(item) for item in value)
    return json.dumps(value)


def readable(name: str) -> str:
    """Return a ``snake_case`` name as words."""
    return name.replace("_", " ").strip()


class Scribe:
    """Collects the drafts of one session."""

    def __init__(self, session: Session) -> None:
        """Start with no draft."""
        self.session = session
        self.drafts: list[Draft] = []
        self._turns = [turn for turn in session.shared if turn.message.strip()]
        self._texts = [turn.message for turn in self._turns]
        self._at = session.turns[0].at if session.turns else session.start

    @property
    def text(self) -> str:
        """Return all that the session's shared turns say."""
        return "\n".join(self._texts)

    def draft(self, said: str) -> Draft:
        """Return what every draft about ``said`` has in common; the caller fills in the rest and adds it."""
        evidence = [self._turns[position] for position in supporting(said, self._texts)]
        self._at = max([self._at, *(turn.at for turn in evidence)])
        return Draft(
            ref=f"{self.session.name}/fact-{len(self.drafts) + 1}",
            kind=Kind.SEMANTIC,
            content="",
            at=self._at,
            session=self.session.name,
            subjects=(self.session.persona,),
            source_ref=source_ref(self.session, evidence[0] if evidence else None),
            derives_from=tuple(turn_ref(self.session, turn) for turn in evidence),
        )

    def add(self, draft: Draft) -> None:
        """Append ``draft``, the last one that :meth:`draft` began."""
        self.drafts.append(draft)

    def unit(self, amount: float) -> str | None:
        """Return the currency in which the session states ``amount``, if it does."""
        return currency(amount, self._texts)
