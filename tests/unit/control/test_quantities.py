"""Quantities have one spelling and the kind that says what may be compared."""

from __future__ import annotations

import pytest

from marskg.language.en.quantities import quantities, without_quantities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it costs $1,200.50", [("money", "1200.5")]),
        ("1200.5 dollars", [("money", "1200.5")]),
        ("€2 million", [("money", "2000000")]),
        ("at 3 PM", [("clock", "15:00")]),
        ("at 12 am or 15:30", [("clock", "00:00"), ("clock", "15:30")]),
        ("on June 5th, 2026", [("date", "2026-06-05")]),
        ("on 5 June", [("date", "06-05")]),
        ("on 2026-06-05", [("date", "2026-06-05")]),
        ("next Tuesday", [("date", "next tuesday")]),
        ("in 7 days", [("date", "in 7 days")]),
        ("by 12.5 %", [("share", "12.5")]),
        ("8,000 steps", [("number:step", "8000")]),
        ("twice a week", [("number:time", "2")]),
        ("six to ten", [("number:", "6-10")]),
        ("two or three times", [("number:time", "2-3")]),
        ("6-8 hours", [("number:hour", "6-8")]),
        ("three cats", [("number:cat", "3")]),
        ("room 12", []),
        ("version 3.2.1", []),
        ("b12 and 12b", []),
        ("", []),
    ],
)
def test_quantities(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.kind, one.value) for one in quantities(text)] == expected


def test_a_number_that_is_a_name_stays_in_the_text() -> None:
    assert without_quantities("Room 12 is $50").split() == ["room", "12", "is"]
