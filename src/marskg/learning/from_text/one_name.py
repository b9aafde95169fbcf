"""Two people of one first name stay two: the brother Tom and the boss Tom have keys of their own.

Guarantees: who is told of by what they are to the speaker has the key of the name, if nobody else of that name was
told of before, and else one with what they are (``person/tom/boss/home``); a name alone is who has it, if there is one,
and is under no key where there are two: it ends nobody's value. Names of one person for one partner are one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.entities import folded_name
from marskg.ontology.vocabulary import Kind
from marskg.store.rows import codec

if TYPE_CHECKING:
    from marskg.drafts import Draft
    from marskg.records import Memory
    from marskg.store.unit.unit_of_work import Unit

_PERSON: Final = "person"
#: ``person``, the name, and what of them.
_PARTS: Final = 3
#: What one and the same person may be called to somebody.
_PARTNER: Final = frozenset(
    {"wife", "husband", "spouse", "partner", "girlfriend", "boyfriend", "fiancé", "fiancée", "fiance", "fiancee"}
)


def told_apart(unit: Unit, draft: Draft) -> Draft:
    """Return the draft of a fact about somebody under the key of the one who is meant, under none where two may be."""
    parts = (draft.key or "").split("/")
    if len(parts) != _PARTS or parts[0] != _PERSON or not draft.mentions:
        return draft
    _, name, slot = parts
    known = _roles(unit, draft)
    own = _role(draft)
    if own is None:
        return replace(draft, key=None, cardinality=None) if len(known) > 1 else draft
    apart = f"{_PERSON}/{name}/{own}/{slot}"
    if not _holds(unit, draft, apart) and (not known or own == known[0] or known == [own]):
        return draft
    return replace(draft, key=apart)


def _holds(unit: Unit, draft: Draft, key: str) -> bool:
    slot = codec.slot_key(unit.state.name, draft.subjects, key)
    return any(node.has_content and node.memory.current for node in unit.slot(slot))


def _roles(unit: Unit, draft: Draft) -> list[str]:
    """Return what the people of the name are to whom the draft is about, in the order in which they were told of."""
    name = draft.mentions[-1].name
    refs = unit.refs([one.id for one in unit.entities.bearers_of((name,))[name]])
    ids = {str(row["id"]) for row in unit.read("mentioning", {"refs": refs})} if refs else set()
    unit.fetch(ids)
    ids |= {node.memory.id for node in unit.nodes.values() if node.new}
    told = [unit.nodes[ident].memory for ident in ids if ident in unit.nodes and unit.nodes[ident].has_content]
    same = [one for one in told if _is_of(one, name, draft.subjects)]
    roles = (_role(one) for one in sorted(same, key=lambda one: (one.sequence, one.id)))
    return [*dict.fromkeys(role for role in roles if role is not None)]


def _is_of(memory: Memory, name: str, subjects: tuple[str, ...]) -> bool:
    called = memory.payload.get("entity")
    return (
        memory.kind is Kind.SOCIAL
        and memory.current
        and {*memory.subjects} == {*subjects}
        and isinstance(called, str)
        and folded_name(called) == folded_name(name)
    )


def _role(told: Draft | Memory) -> str | None:
    """Return what somebody is to whom it is about, in one word where several are one."""
    role = told.payload.get("relationship_type")
    if not isinstance(role, str) or not role.strip():
        return None
    word = folded_name(role).replace("/", " ").rpartition(" ")[2]
    return "partner" if word in _PARTNER else word
