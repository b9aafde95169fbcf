"""Memora's personas (a benchmark of conversations over weeks and months), as drafts.

Guarantees: nothing is yielded before every session of the persona has been read and found right; the benchmark's
questions and answers are never opened; the same folder always gives the same drafts. Sessions are read one at a time.

Tracks: ``facts`` (the default) has the facts of ``operation_details``, one for each field or value, and the turns that
Memora marks as carrying them; ``shared`` has these turns alone, ``all`` every turn, for comparison with memories that
store what was said.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from marskg.drafts import Draft
from marskg.errors import InvalidDocument, InvalidInput
from marskg.ontology.vocabulary import Kind, SourceType
from marskg.sources.fields import BadField
from marskg.sources.identities import Identities
from marskg.sources.memora_facts import FactTrace
from marskg.sources.memora_layout import Layout
from marskg.sources.memora_scribe import source_ref, turn_ref

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.sources.memora_layout import Session, Turn

#: What of a persona is read.
Track: TypeAlias = Literal["facts", "shared", "all"]

_SPEAKERS = {"user_agent": SourceType.CHAT_USER, "ai_agent": SourceType.CHAT_ASSISTANT}
#: MemoryArchitect's score of a chunk of chat when it is stored.
_CHAT_SCORE = 30


class Persona:
    """A persona that has been checked as a whole; iterating yields its drafts, as often as wanted.

    ``len()`` is the number of drafts, ``name`` the persona's, ``sessions`` how many there are.
    """

    def __init__(self, directory: Path, track: Track = "facts") -> None:
        """Check the persona in ``directory``.

        Raises:
            InvalidDocument: the folder is not a persona's, or a file breaks the layout: it is named with its field.
            InvalidInput: there is no such track.
        """
        if track not in get_args(Track):
            msg = f"a track is one of {', '.join(get_args(Track))}; use one of these"
            raise InvalidInput(msg)
        self._layout = Layout(directory)
        self._track = track
        self.name = self._layout.persona
        self.sessions = len(self._layout)
        self._length = sum(1 for _ in self)

    def __len__(self) -> int:
        """Return the number of drafts."""
        return self._length

    def __iter__(self) -> Iterator[Draft]:
        """Yield the drafts in the order of the trace: of each session its turns, then its facts."""
        trace, identities = FactTrace(), Identities()
        for index in range(self.sessions):
            session = self._layout.session(index)
            for turn in session.turns:
                if (turn.shared or self._track == "all") and turn.message.strip():
                    # Not when: the sessions of a day are spread over it, as many as there are.
                    yield identities.turn(_episode(session, turn), source_ref(session, turn))
            if self._track != "facts":
                continue
            try:
                drafts = trace.drafts(session)
            except BadField as error:
                msg = f"{self._layout.file(index)}: {error}"
                raise InvalidDocument(msg) from error
            for draft in drafts:
                yield identities.fact(draft, source_ref(session, None))


def read_persona(directory: Path | str, track: Track = "facts") -> Persona:
    """Return the Memora persona in ``directory``, checked as a whole; see :class:`Persona`."""
    return Persona(Path(directory), track)


def _episode(session: Session, turn: Turn) -> Draft:
    """Return the draft of a turn."""
    return Draft(
        ref=turn_ref(session, turn),
        kind=Kind.EPISODIC,
        content=turn.message,
        at=turn.at,
        payload={
            "event": "statement" if turn.speaker == "user_agent" else "reply",
            "participants": tuple(sorted({session.persona, "assistant"})),
            "timestamp": turn.at,
        },
        session=session.name,
        subjects=(session.persona,),
        source_type=_SPEAKERS[turn.speaker],
        source_ref=source_ref(session, turn),
        score=_CHAT_SCORE,
    )
