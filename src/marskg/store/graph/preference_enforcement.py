"""A tenant's preferences inside a unit of work: what a draft may not be, and what it is made to be.

Guarantees: what a preference forbids is refused before anything of it is stored, by the rule's name and id and never by
what it hit; a retention horizon shortens a life and never lengthens one; what a private entity forces on a memory holds
for all that derives from it, through any number of steps, and is told apart from the sensitivity that the memory has
without it, so that it can be taken back. A tenant without preferences pays one comparison.

Like any recogniser a blacklist is an oracle: whoever may write can learn whether a name is on it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.clock import later
from marskg.errors import ConsentRequired, PreferenceRefused
from marskg.ontology.vocabulary import EdgeType, PreferenceRule
from marskg.store.unit.preference_rules import (
    Matter,
    PreferenceSet,
    forced_of,
    forced_reason,
    matcher_of,
    without_forced,
)
from marskg.store.unit.sensitivity import inherited_level

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from marskg.drafts import Draft
    from marskg.records import Memory, Preference
    from marskg.store.unit.preference_rules import Forms
    from marskg.store.unit.unit_of_work import Node, Unit

#: Told to the caller.
SHORTENED_LIFE: Final = "expires_at was brought forward: a preference limits how long this is kept"
RAISED: Final = "sensitivity was raised: it has to do with a private entity"
NEAR: Final = (
    "near: it may name whom a rule is about, and was stored; look at it, and at the rule with: mars preferences show {}"
)
_NAMED: Final = (PreferenceRule.PRIVATE_ENTITY, PreferenceRule.BLACKLISTED_ENTITY)


def preferences_of(unit: Unit) -> PreferenceSet:
    """Return the tenant's preferences as the unit sees them, its own changes among them."""
    stored = unit.stored_preferences.preference_set(unit.read, unit.before)
    if unit.preferences.sequence is None:
        return stored
    changed = {*unit.preferences.put_items, *unit.preferences.removed}
    kept = [item for item in stored.preferences if item.id not in changed]
    return PreferenceSet([*kept, *(item for item, _ in unit.preferences.put_items.values())])


def spellings(unit: Unit) -> Forms:
    """Return what gives all names of the entities that go by a name in the tenant, the name itself among them.

    A rule is about a name: where several bear it, it holds for each of them.
    """

    def forms(name: str) -> tuple[str, ...]:
        names: set[str] = {name}
        for entity in unit.entities.bearers_of((name,))[name]:
            names |= {entity.name, *entity.aliases}
        return tuple(sorted(names))

    return forms


def named_entities(unit: Unit, preference_set: PreferenceSet) -> Mapping[str, str]:
    """Return by its id each entity that a rule of ``preference_set`` names, with the name that the rule has for it."""
    targets = {item.target for rule in _NAMED for item in preference_set.of(rule) if item.target is not None}
    found = unit.entities.bearers_of(sorted(targets))
    return {entity.id: target for target, bearers in found.items() for entity in bearers}


def check_draft_allowed(unit: Unit, draft: Draft) -> None:
    """Refuse a draft that a preference does not allow.

    Raises:
        PreferenceRefused: somebody opted out of it, or blacklisted an entity or the conversation.
        ConsentRequired: one of its purposes needs a consent that is not in force.
    """
    preference_set = preferences_of(unit)
    if preference_set:
        _refuse(unit, preference_set, _matter(unit, draft))


def check_memory_allowed(unit: Unit, memory: Memory, names: Iterable[str] = ()) -> None:
    """Refuse a memory that comes in whole, as :func:`check_draft_allowed` refuses a draft; ``names`` it mentions."""
    preference_set = preferences_of(unit)
    if preference_set and memory.content is not None:
        _refuse(unit, preference_set, Matter.of(memory, names))


def check_entity_allowed(unit: Unit, names: Iterable[str]) -> None:
    """Refuse to let an entity have one of ``names`` that a rule keeps out, of whomever the rule is."""
    wanted = tuple(names)
    for item in preferences_of(unit).of(PreferenceRule.BLACKLISTED_ENTITY):
        if any(matcher_of(spellings(unit)(item.target or "")).is_one(name) for name in wanted):
            raise refused(item)


def _refuse(unit: Unit, preference_set: PreferenceSet, matter: Matter) -> None:
    item = preference_set.refusal(matter, spellings(unit))
    if item is not None:
        raise refused(item)
    lacking = preference_set.lacking(matter, unit.now)
    if lacking is not None:
        msg = (
            f"purpose {lacking[:60]!r} needs the consent of everybody whom the memory is about, and is not in force; "
            "record it with: mars preferences consent SUBJECT --purpose PURPOSE, or leave the purpose out"
        )
        raise ConsentRequired(msg)


def refused(item: Preference) -> PreferenceRefused:
    """Return the error that names the rule of ``item``, and not what it hit."""
    origin = "" if item.origin is None else f" of {item.origin}"
    msg = (
        f"the preference {item.preference_rule}{origin} does not allow it to be stored ({item.id}); leave it out, or "
        f"look at the preference with: mars preferences show {item.id}"
    )
    return PreferenceRefused(msg)


def govern(unit: Unit, memory: Memory, draft: Draft, links: Sequence[tuple[EdgeType, str]]) -> Memory:
    """Return a new memory as the preferences want it: as sensitive, and no longer kept, than they say."""
    preference_set = preferences_of(unit)
    if not preference_set:
        return memory
    sources = [target for type_, target in links if type_ is EdgeType.DERIVES_FROM]
    inherited = _inherited(unit, sources)
    floor = (
        max(inherited, preference_set.floor(_matter(unit, draft), spellings(unit)))
        if preference_set.forces
        else inherited
    )
    memory = forced(memory, floor)
    near = tuple(NEAR.format(item.id) for item in preference_set.undecided(_matter(unit, draft), spellings(unit)))
    memory = replace(memory, notices=(*memory.notices, *near)) if near else memory
    horizon = preference_set.horizon(memory.kind, memory.subjects)
    return memory if horizon is None else _within(memory, later(unit.now, horizon))


def named_by(unit: Unit, draft: Draft) -> list[str]:
    """Return the names of the entities that a draft mentions, also of those that it mentions by an id or an IRI."""
    names = [name for item in draft.mentions for name in (item.name, *item.aliases)]
    for name in [name for name in names if ":" in name]:
        names += [known for one in unit.entities.meant_by(name) for known in (one.name, *one.aliases)]
    return names


def _matter(unit: Unit, draft: Draft) -> Matter:
    return Matter.of(draft, named_by(unit, draft))


def _within(memory: Memory, limit: int) -> Memory:
    if memory.expires_at is not None and memory.expires_at <= limit:
        return memory
    return replace(memory, expires_at=limit, notices=(*memory.notices, SHORTENED_LIFE))


def forced(memory: Memory, floor: float) -> Memory:
    """Return ``memory`` with at least the sensitivity ``floor``, and why; with 0 as it is without a private entity."""
    before = forced_of(memory.sensitivity_reasons)
    # What it derives from may have become more sensitive since it was forced.
    inherited = inherited_level(memory.sensitivity_reasons)
    base = memory.sensitivity if before is None else max(before[0], inherited)
    if floor == (0.0 if before is None else before[1]):
        return memory
    reasons = without_forced(memory.sensitivity_reasons)
    if not floor:
        return replace(memory, sensitivity=base, sensitivity_reasons=reasons)
    said = tuple(sorted({*reasons, forced_reason(base, floor)}))
    raised = max(base, floor)
    notices = memory.notices if raised == memory.sensitivity else (*memory.notices, RAISED)
    return replace(memory, sensitivity=raised, sensitivity_reasons=said, notices=notices)


def _inherited(unit: Unit, sources: Iterable[str]) -> float:
    """Return what private entities force on the memories ``sources``, which are the unit's."""
    levels = [0.0]
    for source in sources:
        node = unit.nodes.get(source)
        found = None if node is None else forced_of(node.memory.sensitivity_reasons)
        levels.append(0.0 if found is None else found[1])
    return max(levels)


def wanted_floor(unit: Unit, preference_set: PreferenceSet, node: Node, entities: Mapping[str, str]) -> float:
    """Return what private entities force on a node, by itself and by what it derives from.

    ``entities`` are :func:`named_entities`.
    """
    sources = node.targets(EdgeType.DERIVES_FROM)
    unit.fetch(sources)
    names = [entities[target] for target in node.targets(EdgeType.MENTIONS) if target in entities]
    own = preference_set.floor(Matter.of(node.memory, names), spellings(unit)) if preference_set.forces else 0.0
    return max(own, _inherited(unit, sources))


def inherit_floor(unit: Unit, node: Node, sources: Iterable[str]) -> None:
    """Give a new node at least the sensitivity that is forced on ``sources``, before they lose their content."""
    preference_set = preferences_of(unit)
    if not preference_set:
        return
    before = forced_of(node.memory.sensitivity_reasons)
    floor = max(
        _inherited(unit, sources), wanted_floor(unit, preference_set, node, named_entities(unit, preference_set))
    )
    if floor > (0.0 if before is None else before[1]):
        unit.become(node, forced(node.memory, floor))


def raise_floors(unit: Unit, preference_set: PreferenceSet, ids: Iterable[str]) -> list[Node]:
    """Raise the sensitivity of ``ids``, and of all that derives from them, to what private entities force.

    Nothing is lowered. Returns the nodes that changed, in order; the caller records them.
    """
    entities = named_entities(unit, preference_set)
    changed: dict[str, Node] = {}
    pending = sorted(set(ids))
    while pending:
        unit.fetch(pending)
        found: set[str] = set()
        for node_id in pending:
            node = unit.nodes.get(node_id)
            if node is None or not node.has_content:
                continue
            before = forced_of(node.memory.sensitivity_reasons)
            floor = wanted_floor(unit, preference_set, node, entities)
            if floor > (0.0 if before is None else before[1]):
                unit.become(node, forced(node.memory, floor))
                changed[node_id] = node
                found.add(node_id)
        derived = {source for source, _, type_ in unit.incoming(found) if type_ is EdgeType.DERIVES_FROM}
        pending = sorted(derived)
    return [changed[node_id] for node_id in sorted(changed)]
