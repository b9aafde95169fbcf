"""Times that a caller names, in epoch milliseconds, and which of them are asked about.

Guarantees: a number that may be in another unit is refused with the way out, and one that is meant is taken.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, Self, TypeAlias

from marskg.clock import MAX_MS
from marskg.errors import InvalidInput

#: First milliseconds of the years 1990 and 2101: between them a number is taken for milliseconds without asking. As
#: milliseconds, seconds of these years are early 1970, and their microseconds lie beyond the year 9999.
FIRST_UNASKED_MS: Final = 631_152_000_000
END_UNASKED_MS: Final = 4_133_980_800_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
NO_MOMENT: Final = "is no time with a zone between 1970 and 9999; write it as 2026-03-01T09:30:00Z or with +02:00"


class Moment(int):
    """A time in epoch milliseconds that is meant, however long ago or far off it is.

    Operations refuse a plain number before 1990 or after 2100, as it may be in another unit, and take a moment between
    1970 and 9999:

    >>> from datetime import UTC, datetime
    >>> Moment.of(datetime(1985, 7, 13, tzinfo=UTC))
    490060800000
    """

    __slots__ = ()

    @classmethod
    def of(cls, when: datetime) -> Self:
        """Return the moment of a date and time with a zone.

        Raises:
            InvalidInput: it is no date and time with a zone between 1970 and 9999.
        """
        given: object = when
        if not isinstance(given, datetime):
            msg = f"when must be a datetime, not {type(given).__name__[:60]}"
            raise InvalidInput(msg)
        try:
            found = cls(-1 if when.utcoffset() is None else (when - _EPOCH) // timedelta(milliseconds=1))
            shown = when.isoformat()
        except (ArithmeticError, NotImplementedError, TypeError, ValueError):  # a zone of somebody's that is none
            found, shown = cls(-1), "when"
        if not 0 <= found <= MAX_MS:
            msg = f"{shown} {NO_MOMENT}"
            raise InvalidInput(msg)
        return found

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the moment of an ISO 8601 text with a zone.

        Raises:
            InvalidInput: it is none between 1970 and 9999.
        """
        given: object = text
        if not isinstance(given, str):
            msg = f"text must be a string, not {type(given).__name__[:60]}"
            raise InvalidInput(msg)
        try:
            # Python takes any character between the date and the time.
            return cls.of(datetime.fromisoformat(text if text.isprintable() else ""))
        except ValueError:  # also what ``of`` raises: the text is named as it was given
            msg = f"{text[:40]!r} {NO_MOMENT}"
            raise InvalidInput(msg) from None


def why_asked(value: int) -> str | None:
    """Return why a time of a caller's is not taken, with the way out, after the name of the time; None if it is."""
    if 0 <= value <= MAX_MS if isinstance(value, Moment) else FIRST_UNASKED_MS <= value < END_UNASKED_MS:
        return None
    if isinstance(value, Moment):
        return "lies before 1970 or after 9999; a memory has times between them"
    if FIRST_UNASKED_MS <= value * 1_000 < END_UNASKED_MS:
        return "is in seconds, as it seems, and would be early 1970 in milliseconds: multiply it by 1,000"
    return (
        "lies before 1990 or after 2100 as milliseconds since 1970: look at its unit, or say that it is meant, with "
        "marskg.Moment.of(datetime(1985, 7, 13, tzinfo=UTC))"
    )


def milliseconds(given: GivenTime) -> int:
    """Return a time that a caller names in epoch milliseconds; a number stays as it is.

    Raises:
        InvalidInput: a date and time or a text is no time with a zone; the message goes on after its name.
    """
    if isinstance(given, int):
        return given
    try:
        return Moment.of(given) if isinstance(given, datetime) else Moment.parse(given)
    except InvalidInput:
        raise InvalidInput(NO_MOMENT) from None  # without what was given, which may be anything


#: A time that a caller names: epoch milliseconds as a number from 1990 to 2100 or a :class:`Moment`, a datetime with a
#: zone, or an ISO 8601 text with one. What operations go on with is milliseconds.
GivenTime: TypeAlias = Annotated[int | datetime | str, Moment]
#: The same as a record has it: milliseconds, whatever was given.
KeptTime: TypeAlias = Annotated[int, Moment]
