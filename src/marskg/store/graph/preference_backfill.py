"""Preferences and what is stored already: a rule that changes changes the memories, each with its record.

Guarantees: a pass is one unit of work, whole or absent; what a rule no longer allows loses its content at once, with
all that depends on it; a purpose that is over leaves a memory, and the memory goes with its last purpose; a retention
horizon brings an end forward and never puts one off; the sensitivity that a private entity forces is raised on all that
derives from it, and taken back where nothing forces it any more. A second pass changes nothing.

It reads every memory with content once: O(n) in the tenant, O(changes) in the transaction.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from marskg.audit.record import new_salt
from marskg.ontology.vocabulary import EdgeType, Kind, Operation, PreferenceRule, Tier
from marskg.store.graph import tiers
from marskg.store.graph.admit import bring_forward
from marskg.store.graph.preference_enforcement import (
    forced,
    name_digests,
    name_search,
    named_entities,
    preferences_of,
    raise_floors,
)
from marskg.store.rows import codec
from marskg.store.rows.name_rules import digested, is_clear
from marskg.store.rows.paging import pages
from marskg.store.unit.preference_rules import Matter, forced_of
from marskg.store.unit.sensitivity import Sensed, inherited, with_sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from marskg.records import Memory
    from marskg.store.unit.preference_rules import PreferenceSet
    from marskg.store.unit.unit_of_work import Node, Unit

_RULE: Final = "preference"
_PAGE: Final = 500
#: An unused social memory that was put aside goes after this part of its horizon, after a day at least.
_REST: Final = 4
_DAY_MS: Final = 86_400_000
_CHANGES: Final = {EdgeType.MENTIONS, EdgeType.DERIVES_FROM}
#: Rules that say something of what is stored already; the others are asked when something is written or read.
RETROACTIVE: Final = frozenset(
    {
        PreferenceRule.RETENTION,
        PreferenceRule.OPT_OUT_KIND,
        PreferenceRule.OPT_OUT_SOURCE,
        PreferenceRule.OPT_OUT_PURPOSE,
        PreferenceRule.PRIVATE_ENTITY,
        PreferenceRule.BLACKLISTED_ENTITY,
        PreferenceRule.BLACKLISTED_CONVERSATION,
        PreferenceRule.MEMBER_OF,
    }
)


@dataclass(frozen=True, slots=True)
class Effects:
    """Ids of memories that lost their content, and of those that a record amends."""

    expired: tuple[str, ...] = ()
    amended: tuple[str, ...] = ()


def settle_preferences(unit: Unit) -> None:
    """Let what this unit makes, or links anew, be as sensitive and as short-lived as the preferences want it.

    Drafts are so from the start; this is for whatever comes otherwise: summaries, new versions, loads, corrections.
    """
    preference_set = preferences_of(unit)
    if not preference_set or not unit.changed:
        return
    touched = [node for node in unit.nodes.values() if node.has_content and _is_new(node)]
    if not touched:
        return
    for node in touched:
        if node.new:
            _shorten_life(unit, preference_set, node)
    for node in raise_floors(unit, preference_set, [node.memory.id for node in touched]):
        _amend(unit, node, "sensitivity raised: it has to do with a private entity")


def _is_new(node: Node) -> bool:
    if node.new:
        return True
    return any(slot[0] in _CHANGES and slot not in node.stored_edges for slot in node.edges)


def _shorten_life(unit: Unit, preference_set: PreferenceSet, node: Node) -> list[str]:
    """Bring the end of a life forward to what retention allows; returns whose was."""
    horizon = preference_set.horizon(node.memory.kind, node.memory.subjects)
    if horizon is None:
        return []
    changed = bring_forward(unit, node, node.memory.created + horizon)
    for other in changed:
        _amend(unit, other, "expires_at was brought forward: a preference limits how long this is kept")
    return [other.memory.id for other in changed]


def _amend(unit: Unit, node: Node, reason: str) -> None:
    unit.record(Operation.AMEND, node, tier_before=node.memory.tier, details={"rule": _RULE, "reason": reason})


def reapply(unit: Unit) -> Effects:
    """Let the tenant's preferences, as the unit has them now, hold for every memory that is stored."""
    preference_set = preferences_of(unit)
    search = name_search(unit, preference_set)
    mentioned = _mentioned(unit, named_entities(unit, preference_set, search))
    refused: list[str] = []
    ended: list[str] = []
    narrowed: dict[str, tuple[str, ...]] = {}
    shorter: list[str] = []
    private: list[str] = []
    for memory in _whole(unit):
        matter = Matter.of(memory, mentioned.get(memory.id, ()))
        item = preference_set.refusal(matter, search)
        if item is not None and item.preference_rule is not PreferenceRule.OPT_OUT_PURPOSE:
            refused.append(memory.id)
            continue
        kept = _purposes(preference_set, memory, unit.now)
        if kept != memory.purpose:
            if not kept:
                ended.append(memory.id)
                continue
            narrowed[memory.id] = kept
        horizon = preference_set.horizon(memory.kind, memory.subjects)
        if horizon is not None and (memory.expires_at is None or memory.expires_at > memory.created + horizon):
            shorter.append(memory.id)
        if forced_of(memory.sensitivity_reasons) is not None or preference_set.floor(matter, search):
            private.append(memory.id)
    amended = set(_narrow(unit, narrowed))
    unit.fetch(shorter)
    for node_id in shorter:
        amended.update(_shorten_life(unit, preference_set, unit.node(node_id)))
    amended.update(_refloor(unit, preference_set, private))
    expired = tiers.expire(unit, refused, reason="a preference does not allow it to be kept")
    expired += tiers.expire(unit, ended, reason="its last purpose is over: opted out of, or without consent")
    return Effects(tuple(sorted(set(expired))), tuple(sorted(amended - set(expired))))


def digest_names(unit: Unit) -> int:
    """Let the rules about names that a version before kept in clear keep digests; returns how many these are.

    Under a new salt, or what was committed to before would confirm a guess of the name.
    """
    digests = name_digests(unit)
    found = [item for item in preferences_of(unit).naming if is_clear(item)]
    for item in found:
        unit.preferences.put(digested(item, digests), new_salt(unit.services.source))
    return len(found)


def end_purposes(unit: Unit, subject: str) -> Effects:
    """Let the purposes that are over for ``subject`` leave all memories about them, and these with their last one."""
    preference_set = preferences_of(unit)
    handle = unit.services.handle(unit.state.name, subject)
    found = pages(partial(unit.read, "about_subject"), unit.state.name, _PAGE, subject=subject, handle=handle)
    ids = [row["id"] for page in found for row in page]
    unit.fetch(ids)
    narrowed: dict[str, tuple[str, ...]] = {}
    ended = []
    for node_id in ids:
        memory = unit.node(node_id).memory
        kept = _purposes(preference_set, memory, unit.now)
        if memory.content is not None and kept != memory.purpose:
            if kept:
                narrowed[node_id] = kept
            else:
                ended.append(node_id)
    amended = _narrow(unit, narrowed)
    expired = tiers.expire(unit, ended, reason="its last purpose is over: the consent to it ended")
    return Effects(tuple(sorted(expired)), tuple(sorted(set(amended) - set(expired))))


def end_due_consents(unit: Unit) -> int:
    """Let consents that ended by themselves take what rested on them; returns how many consents these were."""
    due = preferences_of(unit).due(unit.now)
    for item in due:
        unit.preferences.put(replace(item, withdrawn_at=item.ends_at), unit.stored_preferences.salt(item.id))
    for subject in sorted({item.data_subject for item in due if item.data_subject is not None}):
        end_purposes(unit, subject)
    return len(due)


def put_unused_aside(unit: Unit) -> int:
    """Put social memories aside that were not used over their horizon (MaRS lines 205 and 413); returns how many.

    They go to the latent tier and, where they are not used there either, for good after a quarter of the horizon. Where
    the latent tier has no room for them they go at once. Nothing protected is touched.
    """
    preference_set = preferences_of(unit)
    if not preference_set.of(PreferenceRule.SOCIAL_HORIZON):
        return 0
    waiting: dict[str, int] = {}
    for memory in _whole(unit):
        horizon = preference_set.social_horizon(memory.subjects, unit.now) if memory.kind is Kind.SOCIAL else None
        if memory.tier is Tier.LIVE and horizon is not None and memory.last_access + horizon <= unit.now:
            waiting[memory.id] = horizon
    unit.fetch(waiting)
    ids = [node_id for node_id in sorted(waiting) if not unit.node(node_id).guards]
    limit, weight = unit.state.settings.latent_budget, unit.state.latent_weight
    for node_id in ids:
        node = unit.node(node_id)
        if not node.has_content:
            continue  # it went with what it depends on
        weight += node.memory.weight
        reason = "not used over the horizon of social memories"
        if limit is not None and weight > limit:
            tiers.expire(unit, [node_id], reason=reason)
            weight -= node.memory.weight
        else:
            departure = tiers.Departure(node_id, {"rule": _RULE, "reason": reason})
            tiers.archive(unit, [departure], grace=max(_DAY_MS, waiting[node_id] // _REST))
    return len(ids)


def _purposes(preference_set: PreferenceSet, memory: Memory, now: int) -> tuple[str, ...]:
    return tuple(purpose for purpose in memory.purpose if not preference_set.ended(memory.subjects, purpose, now))


def _narrow(unit: Unit, narrowed: dict[str, tuple[str, ...]]) -> list[str]:
    unit.fetch(narrowed)
    for node_id, purposes in sorted(narrowed.items()):
        node = unit.node(node_id)
        unit.change(node, purpose=purposes)
        _amend(unit, node, "a purpose is over: opted out of, or without consent")
    return sorted(narrowed)


def _refloor(unit: Unit, preference_set: PreferenceSet, ids: Iterable[str]) -> list[str]:
    """Give ``ids``, and all that derives from them, the sensitivity that is forced now: neither more nor less."""
    wanted = sorted(ids)
    unit.fetch(wanted)
    before = {node_id: unit.node(node_id).memory for node_id in wanted}
    for node_id in wanted:
        node = unit.node(node_id)
        unit.become(node, forced(node.memory, 0.0))
    _inherit_again(unit, wanted)
    for node in raise_floors(unit, preference_set, wanted):
        before.setdefault(node.memory.id, replace(node.memory, sensitivity_reasons=("before",)))
    changed = []
    for node_id, old in sorted(before.items()):
        node = unit.node(node_id)
        if (old.sensitivity, old.sensitivity_reasons) != (node.memory.sensitivity, node.memory.sensitivity_reasons):
            _amend(unit, node, "sensitivity changed with the preferences about private entities")
            changed.append(node_id)
    return changed


def _inherit_again(unit: Unit, ids: Iterable[str]) -> None:
    """Let none of ``ids`` be less sensitive than what it derives from, now that nothing is forced on it."""
    nodes = [node for node_id in ids if (node := unit.node(node_id)).has_content]
    raised = True
    while raised:
        raised = False
        for node in nodes:
            level = inherited(unit, node.targets(EdgeType.DERIVES_FROM))
            if level > node.memory.sensitivity:
                found = with_sources(Sensed(node.memory.sensitivity, node.memory.sensitivity_reasons), level)
                unit.change(node, sensitivity=found.value, sensitivity_reasons=found.reasons)
                raised = True


def _mentioned(unit: Unit, entities: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return by id the memories that mention one of ``entities``, with the names that these have there."""
    found: dict[str, tuple[str, ...]] = {}
    for entity_id, name in entities.items():
        for row in unit.read("mentioning", {"refs": unit.refs([entity_id])}):
            found[row["id"]] = (*found.get(row["id"], ()), name)
    return found


def _whole(unit: Unit) -> Iterator[Memory]:
    """Yield all memories with content."""
    for page in pages(partial(unit.read, "memories_page"), unit.state.name, _PAGE):
        for row in unit.read("read_memories", {"refs": [row["ref"] for row in page]}):
            if row["node"].get("content") is not None:
                yield codec.decode_memory(row["node"])
