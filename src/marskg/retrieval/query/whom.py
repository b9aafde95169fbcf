"""Whom a profile is of: who speaks here, or somebody by name, and which memories are about them.

Guarantees: found in what the reader may see and in nothing else. Who speaks is whom most of what a user said, or an
agent noted, is about, and more than half of it; where that is nobody, what is about nobody is theirs; where several
people speak, who is asked for has to be named. Source: semantics sections 9 and 13; ADR 99.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from marskg.language.broad_questions import plain_name
from marskg.ontology.vocabulary import KINDS, Kind, SourceType
from marskg.retrieval.access.read_gate import called
from marskg.retrieval.index.memory_index import SOURCES
from marskg.retrieval.query.recall import named_entities

if TYPE_CHECKING:
    import numpy.typing as npt

    from marskg.retrieval.access.read_gate import Gate
    from marskg.retrieval.index.memory_index import MemoryIndex

    Mask: TypeAlias = npt.NDArray[np.bool_]

_USER: Final = SOURCES.index(SourceType.CHAT_USER)
_ASSISTANT: Final = SOURCES.index(SourceType.CHAT_ASSISTANT)
_EPISODIC: Final = KINDS.index(Kind.EPISODIC)
_SOCIAL: Final = KINDS.index(Kind.SOCIAL)


@dataclass(frozen=True, slots=True, eq=False)
class Whom:
    """A person, by name if they have one, and the rows that are about them or mention them.

    ``several`` are entities of which the name does not say which; ``speakers`` are the people of whom none is the one
    who speaks.
    """

    name: str | None
    own: Mask
    near: Mask
    several: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()


def speaker(index: MemoryIndex, mask: Mask, gate: Gate) -> Whom:
    """Return who speaks, among the rows of ``mask``."""
    held = index.columns
    said = told(index, mask & np.isin(held["sourceType"], (_USER, _ASSISTANT)))
    nobody = said & ~held["about"]
    near = np.zeros_like(mask)
    if gate.about is not None:
        return Whom(gate.about[0] if len(gate.about) == 1 else None, mask & index.facet("subject", gate.about), near)
    counts = {name: int(index.facet("subject", [name])[said].sum()) for name in _there(index, mask)}
    most = max(counts, key=lambda name: (counts[name], name), default=None)
    whole = int(said.sum())
    if most is not None and counts[most] * 2 > whole:
        return Whom(most, (mask & index.facet("subject", [most])) | nobody, near)
    several = tuple(sorted(counts)) if int(nobody.sum()) * 2 <= whole else ()
    return Whom(None, nobody, near, speakers=several)


def named(index: MemoryIndex, mask: Mask, name: str, gate: Gate) -> Whom:
    """Return who goes by ``name``, among the rows of ``mask``: nobody's rows where nothing is about them."""
    there = _there(index, mask)
    same = [one for one in there if called(one) == called(name)] or _alike(name, there)
    own = mask & index.facet("subject", same)
    found = named_entities(index, mask, same[0] if same else name, restricted=gate.restricted, bound=gate.bound)
    near = mask & index.facet("entity", found.clear) & ~own
    return Whom(same[0] if same else name, own, near, several=() if same else found.several)


def somebody(index: MemoryIndex, mask: Mask, name: str, gate: Gate) -> Whom | None:
    """Return who goes by ``name``, None where nothing that may be seen is about a person of that name."""
    found = named(index, mask, name, gate)
    social = found.near & (index.columns["kind"] == _SOCIAL)
    return found if found.own.any() or social.any() else None


def told(index: MemoryIndex, rows: Mask) -> Mask:
    """Return which of ``rows`` are no turns of an assistant's: what it keeps outside of a session is a note."""
    held = index.columns
    turns = (held["sourceType"] == _ASSISTANT) & (held["kind"] == _EPISODIC) & (held["session"] >= 0)
    found: Mask = rows & ~turns
    return found


def _there(index: MemoryIndex, mask: Mask) -> list[str]:
    """Return the people that rows of ``mask`` are about."""
    return sorted(name for name, rows in index.facets["subject"].items() if any(mask[row] for row in rows))


def _alike(name: str, there: list[str]) -> list[str]:
    """Return whom ``name`` means without its accents and signs, or as a first name that one person has."""
    wanted = plain_name(name)
    forms = {one: plain_name(one) for one in there}
    same = [one for one in there if wanted and forms[one] == wanted]
    first = [one for one in there if wanted and forms[one].startswith(f"{wanted} ")]
    return same or (first if len(first) == 1 else [])
