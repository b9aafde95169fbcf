"""Invented people, most of whom share a part of their names with somebody or something.

A knot is two or three people whose names touch: the same first name, the same surname, a first name that is a place, a
surname that stands in the name of a thing, middle names, particles, a longer name, another script.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from random import Random

_FIRST: Final = (
    "Maria",
    "Oskar",
    "Helen",
    "Peter",
    "Priya",
    "Ben",
    "Lena",
    "Otto",
    "Tom",
    "Nora",
    "Clara",
    "Hugo",
    "Alma",
    "Felix",
    "Greta",
    "Ivan",
    "Julia",
    "Kasper",
)
_LAST: Final = (
    "Silva",
    "Costa",
    "Lindqvist",
    "Berg",
    "Marsh",
    "Hahn",
    "Nair",
    "Menon",
    "Carter",
    "Weiss",
    "Ek",
    "Alm",
    "Holm",
    "Lind",
    "Brandt",
    "Voss",
    "Falk",
    "Roth",
)
#: First names that are places as well, with a text that means the place.
_PLACES: Final = {
    "Jordan": ("We flew to Jordan with the {mark} tour in the second week of May", "place"),
    "Paris": ("The trip to Paris with the {mark} coach took us the whole of a day", "place"),
    "Virginia": ("The old road through West Virginia has a {mark} bridge and no toll", "compound"),
    "Ben": ("We stood below Big Ben at noon and heard the {mark} bells of the tower", "landmark"),
    "Maria": ("The choir sang Ave Maria and then a {mark} hymn at the end of it", "landmark"),
}
_CYRILLIC: Final = (("Ольга", ("Брандт", "Петрова", "Зимина")), ("Иван", ("Соколов", "Орлов")))
_GREEK: Final = (("Μαρία", ("Παππά", "Ρήγα")),)
_PARTICLES: Final = ("van der", "de la", "von")


@dataclass(frozen=True)
class Person:
    """Somebody invented: ``full`` is the given name, ``first`` and ``last`` the shorter ones that texts may use."""

    full: str
    first: str
    last: str
    script: str = "latin"

    @property
    def inverted(self) -> str:
        """Return the name as a list of people has it."""
        return f"{self.last}, {self.first}"


def word_text(person: Person) -> tuple[str, str] | None:
    """Return a text in which the first name of a person is no person, and what it is; None where there is none."""
    return _PLACES.get(person.first)


def _same_first(chance: Random) -> list[Person]:
    first = chance.choice(_FIRST)
    return [Person(f"{first} {last}", first, last) for last in chance.sample(_LAST, 2)]


def _same_last(chance: Random) -> list[Person]:
    last = chance.choice(_LAST)
    return [Person(f"{first} {last}", first, last) for first in chance.sample(_FIRST, 2)]


def _both(chance: Random) -> list[Person]:
    (first, other), (last, another) = chance.sample(_FIRST, 2), chance.sample(_LAST, 2)
    return [
        Person(f"{first} {last}", first, last),
        Person(f"{first} {another}", first, another),
        Person(f"{other} {last}", other, last),
    ]


def _place(chance: Random) -> list[Person]:
    first, last = chance.choice(sorted(_PLACES)), chance.choice(_LAST)
    return [Person(f"{first} {last}", first, last)]


def _middle(chance: Random) -> list[Person]:
    first, last = chance.choice(_FIRST), chance.choice(_LAST)
    middles = chance.sample([name for name in _FIRST if name != first], 2)
    return [Person(f"{first} {middle} {last}", first, last) for middle in middles]


def _particle(chance: Random) -> list[Person]:
    last = f"{chance.choice(_PARTICLES)} {chance.choice(_LAST)}"
    return [Person(f"{first} {last}", first, last) for first in chance.sample(_FIRST, 2)]


def _longer(chance: Random) -> list[Person]:
    first = chance.choice(_FIRST)
    last, more = chance.sample(_LAST, 2)
    return [Person(f"{first} {last}", first, last), Person(f"{first} {last} {more}", first, more)]


def _other_script(chance: Random) -> list[Person]:
    script = chance.choice(("cyrillic", "greek"))
    first, lasts = chance.choice(_CYRILLIC if script == "cyrillic" else _GREEK)
    return [Person(f"{first} {last}", first, last, script) for last in lasts[:2]]


def _accents(chance: Random) -> list[Person]:
    first = chance.choice(("Zoë", "José", "Renée", "Jürgen"))
    return [Person(f"{first} {last}", first, last) for last in chance.sample(_LAST, 2)]


_KNOTS: Final = (
    *(_same_first,) * 4,
    *(_same_last,) * 3,
    *(_both,) * 3,
    *(_place,) * 3,
    _middle,
    _particle,
    _longer,
    _other_script,
    _accents,
)


def cast(chance: Random) -> list[Person]:
    """Return the people of a story: a knot or two, and nobody twice."""
    people: dict[str, Person] = {}
    for _ in range(chance.choice((1, 1, 2))):
        people |= {one.full: one for one in chance.choice(_KNOTS)(chance)}
    return list(people.values())
