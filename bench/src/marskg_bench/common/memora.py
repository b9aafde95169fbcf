"""A persona of Memora as the retrieval bench needs it: sessions, questions, and what each track stores.

Guarantees: what a memory is given comes from the sessions alone; a question's criteria stay here. Ungoverned memories
get the same texts as the product, one item for each text that it would store: retractions are no items.

Tracks: ``A`` the facts of ``operation_details``, by the product's own importer; ``B`` the turns that Memora marks as
shared; ``C`` all turns; ``AB`` what ``mars import memora`` stores by default, facts with the turns they derive from.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from marskg.errors import InvalidDocument
from marskg.sources import memora
from marskg.sources.fields import BadField
from marskg.sources.memora_facts import FactTrace
from marskg.sources.memora_layout import Layout
from marskg_bench.fama.questions import read_questions
from marskg_bench.fama.scoring import Item
from marskg_bench.fama.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date
    from pathlib import Path

    from marskg.drafts import Draft
    from marskg.weight import TokenCounter
    from marskg_bench.fama.questions import Question

Track: TypeAlias = Literal["A", "B", "C", "AB"]
TRACKS: Final[tuple[Track, ...]] = get_args(Track)
#: What the importer calls the tracks that it reads as they are.
_IMPORTED: Final[dict[Track, memora.Track]] = {"B": "shared", "C": "all", "AB": "facts"}


class BenchPersona:
    """One persona, read and checked as a whole."""

    def __init__(self, directory: Path, counter: TokenCounter) -> None:
        """Read the persona in ``directory``; ``counter`` weighs what would be shown.

        Raises:
            InvalidDocument: the folder is not a persona's, or a file breaks the layout.
        """
        layout = Layout(directory)
        self.name = layout.persona
        self.sessions = [layout.session(index) for index in range(len(layout))]
        self.questions = read_questions(directory, self.sessions)
        self._directory = directory
        self._counter = counter
        self._days = {session.name: session.day for session in self.sessions}

    @property
    def days(self) -> list[date]:
        """Return the days at whose end something is asked."""
        return sorted({question.day for question in self.questions})

    def asked(self, day: date) -> list[Question]:
        """Return the questions of ``day``."""
        return [question for question in self.questions if question.day == day]

    def trace(self, day: date) -> Trace:
        """Return what holds at the end of ``day``."""
        return Trace.until(day, self.sessions)

    def day_of(self, draft: Draft) -> date:
        """Return the day of the session in which ``draft`` was said."""
        return self._days[draft.session or ""]

    def drafts(self, track: Track) -> Iterator[Draft]:
        """Yield what ``track`` hands to the product, in the order of the sessions.

        Raises:
            InvalidDocument: an operation's details break the layout.
        """
        imported = _IMPORTED.get(track)
        return self._facts() if imported is None else iter(memora.read_persona(self._directory, imported))

    def items(self, track: Track, day: date) -> list[Item]:
        """Return what an append-only memory holds of ``track`` at the end of ``day``."""
        held = [d for d in self.drafts(track) if d.action == "remember" and self.day_of(d) <= day]
        weights = self._counter.count_many([draft.content for draft in held])
        return [Item(draft.content, draft.session, tokens) for draft, tokens in zip(held, weights, strict=True)]

    def _facts(self) -> Iterator[Draft]:
        """Yield the facts without the turns behind them, which this track does not store."""
        trace = FactTrace()
        for session in self.sessions:
            try:
                for draft in trace.drafts(session):
                    yield replace(draft, derives_from=())
            except BadField as error:
                msg = f"{self._directory}, {session.name}: {error}"
                raise InvalidDocument(msg) from error


def personas(data: Path, period: str, wanted: tuple[str, ...]) -> list[Path]:
    """Return the folders of the personas of ``period`` below ``data``, all or those ``wanted``.

    ``data`` is the unpacked benchmark, its ``weekly`` or ``monthly`` folder, or the folder above the benchmark.

    Raises:
        InvalidDocument: there are none, or one that is wanted is missing.
    """
    places = [data / period, data / "memora" / period, *([data] if data.name == period else [])]
    folder = next((place for place in places if place.is_dir()), None)
    if folder is None:
        msg = f"{data} has no folder {period!r}; name the folder into which memora-open.tar.gz was unpacked"
        raise InvalidDocument(msg)
    found = {place.name: place for place in sorted(folder.iterdir()) if (place / "conversations").is_dir()}
    missing = [name for name in wanted if name not in found]
    if missing or not found:
        msg = f"{folder} has no persona {', '.join(missing) or 'at all'}; it has: {', '.join(found) or 'none'}"
        raise InvalidDocument(msg)
    return [found[name] for name in wanted or found]
