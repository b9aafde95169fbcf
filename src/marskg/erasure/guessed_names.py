"""Which other names an erasure by name guesses that somebody has, and which of the given ones two may have.

Guarantees: pure; nothing is taken by a guess. What has a name that a text may say whoever is asked for has, as
:mod:`marskg.language.naming.told_names` reads it, is for a person to look at; so is what was matched by nothing but a
short name of which a text may say that somebody else is called so too. Source: semantics sections 1 and 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.language.naming.edges import Verdict
from marskg.language.naming.matcher import NameMatcher
from marskg.language.naming.spellings import name_form
from marskg.language.naming.told_names import may_be_called, may_call_another
from marskg.ontology.vocabulary import is_higher

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.language.naming.matcher import Reading
    from marskg.records import Memory

#: Guesses by what sources of lower standing say: they leave no room unfilled for a user's word.
_MOST: Final = 50


class Guesses:
    """What the texts of whoever is asked for may say of their names."""

    def __init__(self, forms: Iterable[str]) -> None:
        """Know the given ``forms`` of the name."""
        self._forms = tuple(forms)
        self._whole = tuple(form for form in self._forms if " " in form.strip())
        self._short = {name_form(form): form for form in self._forms if form not in self._whole}
        self._by: dict[str, set[str]] = {}
        self._shared: set[str] = set()
        self._names: dict[str, None] = {}

    def read(self, memory: Memory, texts: Iterable[str], found: Reading, given: Iterable[str]) -> None:
        """Take note of what the ``texts`` of a memory say, in which a name was ``found``, or a source ``given``.

        That a name is somebody else's too, and so takes less, is for a source of higher standing to say.
        """
        if not self._whole or found.verdict not in {Verdict.IS, Verdict.NEAR}:
            return
        names = {*found.names, *map(name_form, given)}
        if found.verdict is Verdict.IS and names <= self._short.keys():
            self._by[memory.id] = names
            for text in texts if is_higher(memory.source_type, memory.reliability) else ():
                self._shared |= {one for one in names if may_call_another(text, self._short[one], self._forms)}
        elif len(self._names) < _MOST or is_higher(memory.source_type, memory.reliability):
            for text in texts:
                self._names |= dict.fromkeys(sorted(may_be_called(text, self._whole)))

    def doubtful(self) -> list[str]:
        """Return the ids of the memories that have no name but such as somebody else may have too."""
        return [ident for ident, names in self._by.items() if names <= self._shared] if self._shared else []

    def matcher(self) -> NameMatcher | None:
        """Return what finds the names that are guessed; None where there are none."""
        given = set(map(name_form, self._forms))
        self._names = {name: None for name in self._names if name_form(name) not in given}
        return NameMatcher(self._names) if self._names else None

    def is_one(self, name: str) -> bool:
        """Return whether ``name`` is one that is guessed."""
        return name_form(name) in map(name_form, self._names)

    def has(self, matcher: NameMatcher, texts: Iterable[str]) -> bool:
        """Return whether ``texts`` have a guessed name, as it was written."""
        said = tuple(texts)
        if not any(name in text for text in said for name in self._names):
            return False
        return matcher.judge((), said).verdict in {Verdict.IS, Verdict.NEAR}
