"""What a story is: steps as data, each with the public calls that it makes and what the oracle is told of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from tests.stories.calls import Call, refs, script

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tests.stories.cast import Person

#: How a text names a person. ``full`` is the given name as it stands and ``called`` another given one; ``first`` and
#: ``titled`` are shorter forms that only a guess makes a name; ``listed`` is "Nair, Priya", ``kin`` "my boss Tom".
GIVEN: Final = ("full", "called")
GUESSED: Final = ("first", "titled")
_CONSONANTS: Final = "bdfgklmnprstvz"
_VOWELS: Final = "aeiou"


@dataclass(frozen=True)
class Said:
    """A text that a story stores, and what is so of it.

    ``mark`` is a word of it that stands nowhere else. ``about`` says whom it names and how, ``linked`` whom the caller
    linked it to by ``mentions``. ``rests_on`` are the labels of what it derives from; ``names`` are names that only it
    gives.
    """

    label: str
    text: str
    mark: str
    by: str = "user"
    about: tuple[tuple[str, str], ...] = ()
    subjects: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()
    session: str | None = None
    source: str | None = None
    key: str | None = None
    rests_on: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    #: ``turn`` for a memory whose text is ``text``; ``item`` for one that only its mark tells.
    sort: str = "turn"
    #: Where the name stands.
    where: str = "the text"


@dataclass(frozen=True)
class Step:
    """One step: its number in the story as it was drawn, what it does, its calls, and what the oracle is told.

    A ``hidden`` step is one whose traces a reader with a ceiling may not see.
    """

    number: int
    does: str
    calls: tuple[Call, ...]
    said: tuple[Said, ...] = ()
    hidden: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def needs(self) -> set[str]:
        """Return the labels of earlier steps without which it cannot be done."""
        kept = {call.keeps for call in self.calls}
        return {one for call in self.calls for one in refs([call.args, dict(call.given)])} - kept

    def people(self) -> set[str]:
        """Return whom it names."""
        named = {who for said in self.said for who, _ in said.about}
        named |= {who for said in self.said for who in (*said.subjects, *said.linked)}
        return named | ({str(self.facts["who"])} if "who" in self.facts else set())

    def without(self, name: str) -> Step:
        """Return the step with a named argument of its calls left out, and the oracle told so."""
        calls = tuple(call.without(name) for call in self.calls)
        left: dict[str, Any] = {"session": None, "subjects": (), "mentions": (), "source_ref": None, "key": None}
        field_of = {"mentions": "linked", "source_ref": "source"}
        if name not in left:
            return replace(self, calls=calls)
        said = tuple(replace(one, **{field_of.get(name, name): left[name]}) for one in self.said)
        if name == "mentions":
            said = tuple(replace(one, names=()) for one in said)
        return replace(self, calls=calls, said=said)


@dataclass(frozen=True)
class Story:
    """A life: who is in it, what happens, and how large the budget is."""

    seed: int
    theme: str
    people: tuple[Person, ...]
    steps: tuple[Step, ...]
    budget: int = 20_000

    def of(self, steps: Iterable[Step]) -> Story:
        """Return the same story with these steps alone."""
        return replace(self, steps=tuple(steps))

    def open_steps(self) -> Story:
        """Return the story without what a reader with a ceiling may not see."""
        return self.of(step for step in self.steps if not step.hidden)

    def script(self) -> str:
        """Return the story as a program of public calls."""
        return script((call for step in self.steps for call in step.calls), self.budget)

    def told(self) -> str:
        """Return the story in a line for each step."""
        return "\n".join(f"{step.number:>4} {step.does}: {'; '.join(map(repr, step.calls))}" for step in self.steps)


def mark(seed: int, number: int) -> str:
    """Return a made-up word that nothing else has."""
    drawn = hashlib.sha256(f"{seed} {number}".encode()).digest()
    pairs = zip(drawn[:8:2], drawn[1:8:2], strict=True)
    word = "".join(_CONSONANTS[one % len(_CONSONANTS)] + _VOWELS[other % len(_VOWELS)] for one, other in pairs)
    return word + "x"


def marks(said: Sequence[Said]) -> set[str]:
    """Return the words that would tell any of these."""
    return {word for one in said for word in (one.mark, *one.names)}
