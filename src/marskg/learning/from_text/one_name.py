"""Two people of one first name stay two: the brother Tom and the boss Tom have keys of their own.

Guarantees: who is told of by what they are to the speaker has a key with that (``person/tom/boss/home``), and a name
alone the plain key (``person/tom/home``), whoever else there is: so no value of one ends another's, and a key tells
nothing of what its reader may not see. Names of one person for one partner are one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.entities import folded_name

if TYPE_CHECKING:
    from marskg.drafts import Draft

_PERSON: Final = "person"
#: ``person``, the name, and what of them.
_PARTS: Final = 3
#: Letters of what somebody is that a key holds.
_LONGEST: Final = 60
#: What one and the same person may be called to somebody.
_PARTNER: Final = frozenset(
    {"wife", "husband", "spouse", "partner", "girlfriend", "boyfriend", "fiancé", "fiancée", "fiance", "fiancee"}
)


def told_apart(draft: Draft) -> Draft:
    """Return the draft of a fact about somebody by name under a key that has what they are, if the text says it."""
    parts = (draft.key or "").split("/")
    if len(parts) != _PARTS or parts[0] != _PERSON or not draft.mentions:
        return draft
    bond = _bond(draft)
    return draft if bond is None else replace(draft, key=f"{_PERSON}/{parts[1]}/{bond}/{parts[2]}")


def _bond(told: Draft) -> str | None:
    """Return what somebody is to whom it is about, in one word where several are one; "other aunt" is not "aunt"."""
    said = told.payload.get("relationship_type")
    words = folded_name(said).replace("/", " ").split() if isinstance(said, str) else []
    if words and words[-1] in _PARTNER:
        words[-1] = "partner"
    return " ".join(words)[:_LONGEST].strip() or None
