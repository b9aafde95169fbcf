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
from marskg.entities import EntityType
from marskg.errors import ConsentRequired, PreferenceRefused
from marskg.language.naming.sought import exact_key
from marskg.ontology.vocabulary import EdgeType, PreferenceRule
from marskg.store.rows.name_rules import NameDigests, NameSearch, is_clear
from marskg.store.unit.preference_rules import (
    Matter,
    PreferenceSet,
    forced_of,
    forced_reason,
    without_forced,
)
from marskg.store.unit.sensitivity import inherited_level

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from marskg.drafts import Draft, EntityRef
    from marskg.records import Entity, Memory, Preference
    from marskg.store.unit.unit_of_work import Node, Unit

#: Told to the caller.
SHORTENED_LIFE: Final = "expires_at was brought forward: a preference limits how long this is kept"
RAISED: Final = "sensitivity was raised: it has to do with a private entity"
NEAR: Final = (
    "near: it may name whom a rule is about, and was stored; look at it, and at the rule with: mars preferences show {}"
)


def preferences_of(unit: Unit) -> PreferenceSet:
    """Return the tenant's preferences as the unit sees them, its own changes among them."""
    stored = unit.stored_preferences.preference_set(unit.read, unit.before)
    if unit.preferences.sequence is None:
        return stored
    changed = {*unit.preferences.put_items, *unit.preferences.removed}
    kept = [item for item in stored.preferences if item.id not in changed]
    return PreferenceSet([*kept, *(item for item, _ in unit.preferences.put_items.values())])


def name_search(unit: Unit, preference_set: PreferenceSet) -> NameSearch:
    """Return what says whom of ``preference_set`` a memory of the tenant names, by all names of who bears the name."""
    return unit.preferences.search_of(preference_set, lambda: _search(unit, preference_set))


def _search(unit: Unit, preference_set: PreferenceSet) -> NameSearch:
    def forms(name: str) -> tuple[str, ...]:
        names: set[str] = {name}
        for entity in unit.entities.bearers_of((name,))[name]:
            names |= {entity.name, *entity.aliases}
        return tuple(sorted(names))

    digests = name_digests(unit)

    def reference(name: str) -> str:
        return digests.reference(exact_key(name))

    return NameSearch(
        digests,
        preference_set.naming,
        preference_set.sought,
        forms=forms,
        bearers=lambda targets: unit.entities.bearers_by(targets, reference),
    )


def name_digests(unit: Unit) -> NameDigests:
    """Return the maker of the digests of the unit's tenant."""
    return NameDigests(unit.services.handle, unit.state.name)


def named_entities(unit: Unit, preference_set: PreferenceSet, search: NameSearch) -> Mapping[str, str]:
    """Return by its id each entity whose name a rule of ``preference_set`` is about, with a name of it."""
    clear = {item.target or "" for item in preference_set.naming if is_clear(item)}
    found = [entity for bearers in search.bearers().values() for entity in bearers]
    if clear:
        found += [entity for bearers in unit.entities.bearers_of(sorted(clear)).values() for entity in bearers]
    return {entity.id: entity.name for entity in found}


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
    preference_set = preferences_of(unit)
    search = _sound_search(unit, preference_set)
    for item in preference_set.of(PreferenceRule.BLACKLISTED_ENTITY):
        if any(search.is_one(name, item) for name in wanted):
            raise refused(item)


def _sound_search(unit: Unit, preference_set: PreferenceSet) -> NameSearch:
    """Return the search where every rule about a name can be looked for.

    Raises:
        PreferenceRefused: one of them cannot.
    """
    search = name_search(unit, preference_set)
    lost = search.lost()
    if lost is not None:
        msg = (
            f"the preference {lost.preference_rule} {lost.label or ''!r} ({lost.id}) has a digest of another store's "
            "secret, so that nobody can say whom it is about and nothing is stored; restore the secret from a backup "
            f"of the keys, or set the rule again with its name and then: mars preferences remove {lost.id}"
        )
        raise PreferenceRefused(msg)
    return search


def _refuse(unit: Unit, preference_set: PreferenceSet, matter: Matter) -> None:
    item = preference_set.refusal(matter, _sound_search(unit, preference_set))
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
    matter, search = _matter(unit, draft), name_search(unit, preference_set)
    memory = forced(memory, max(inherited, preference_set.floor(matter, search)))
    near = tuple(NEAR.format(item.id) for item in preference_set.undecided(matter, search))
    memory = replace(memory, notices=(*memory.notices, *near)) if near else memory
    horizon = preference_set.horizon(memory.kind, memory.subjects)
    return memory if horizon is None else _within(memory, later(unit.now, horizon))


def named_by(unit: Unit, draft: Draft) -> list[str]:
    """Return what the entities are called that a draft mentions, also of those that it mentions by an id or an IRI."""
    names = [word for item in draft.mentions for word in words_of(item)]
    for name in [name for name in names if ":" in name]:
        names += [known for one in unit.entities.meant_by(name) for known in (one.name, *one.aliases)]
    return names


def words_of(item: EntityRef | Entity) -> tuple[str, ...]:
    """Return all that an entity is called: its names, what it is elsewhere, and a type that is none of ours."""
    own = item.entity_type is None or item.entity_type in set(EntityType)
    return (item.name, *item.aliases, *item.same_as, *(() if own else (item.entity_type or "",)))


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


def _wanted_floor(
    unit: Unit, preference_set: PreferenceSet, node: Node, search: NameSearch, entities: Mapping[str, str]
) -> float:
    """Return what private entities force on a node, by itself and by what it derives from."""
    sources = node.targets(EdgeType.DERIVES_FROM)
    unit.fetch(sources)
    names = [entities[target] for target in node.targets(EdgeType.MENTIONS) if target in entities]
    own = preference_set.floor(Matter.of(node.memory, names), search) if preference_set.forces else 0.0
    return max(own, _inherited(unit, sources))


def inherit_floor(unit: Unit, node: Node, sources: Iterable[str]) -> None:
    """Give a new node at least the sensitivity that is forced on ``sources``, before they lose their content."""
    preference_set = preferences_of(unit)
    if not preference_set:
        return
    before = forced_of(node.memory.sensitivity_reasons)
    search = name_search(unit, preference_set)
    entities = named_entities(unit, preference_set, search)
    floor = max(_inherited(unit, sources), _wanted_floor(unit, preference_set, node, search, entities))
    if floor > (0.0 if before is None else before[1]):
        unit.become(node, forced(node.memory, floor))


def raise_floors(unit: Unit, preference_set: PreferenceSet, ids: Iterable[str]) -> list[Node]:
    """Raise the sensitivity of ``ids``, and of all that derives from them, to what private entities force.

    Nothing is lowered. Returns the nodes that changed, in order; the caller records them.
    """
    search = name_search(unit, preference_set)
    entities = named_entities(unit, preference_set, search)
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
            floor = _wanted_floor(unit, preference_set, node, search, entities)
            if floor > (0.0 if before is None else before[1]):
                unit.become(node, forced(node.memory, floor))
                changed[node_id] = node
                found.add(node_id)
        derived = {source for source, _, type_ in unit.incoming(found) if type_ is EdgeType.DERIVES_FROM}
        pending = sorted(derived)
    return [changed[node_id] for node_id in sorted(changed)]
