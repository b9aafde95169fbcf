"""What a plan that other people's code made must keep to, beside the rules of the graph.

Guarantees: each part of a plan has the type and the size that the audit can carry; a plan brings no state for the
tenant's controllers; it frees no more than its target asks for, but for what its heaviest step takes with it. Each of
these is refused with what is wrong, and nothing of a memory in the message. Words that repeat what a memory to go says
are left out of reasons, parameters and notes rather than refused, as whoever can write a memory could otherwise stop
every write by repeating a policy's reasons. What code of others does beside its plan is not confined: it runs with the
rights of the process.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from marskg.language.en.lexicon import Is, flags, guessed
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import Kind, Tier
from marskg.policies.core.candidates import policy_statement
from marskg.policies.core.plans import ARCHIVE, CONSOLIDATE, EVICT, parameters_of
from marskg.policies.core.policy import sealed
from marskg.text import folded, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from marskg.policies.core.policy import PolicyView
    from marskg.records import Action, Plan

#: What takes the place of words that repeat a memory's.
WITHHELD: Final = "the reason repeated words of a memory and is left out"
NOTE: Final = "{count} texts of the policy repeated words of a memory and were left out"
#: A plan may free this part of its target more than it must: one in so many.
_ROOM: Final = 20
#: So many words in a row are a repetition.
_RUN: Final = 3
#: Digits from which on a number tells who or what is meant.
_TELLING: Final = 5
_PAGE: Final = 2_048
_RULE: Final = late_regex(r"^[a-z][a-z0-9-]{0,63}\Z")
_FEATURE: Final = late_regex(r"^[A-Za-z_]\w{0,63}=(\S{1,40})\Z")
_LEAST_REASON, _MOST_REASON = 10, 500
_MOST_FEATURES: Final = 64
_MOST_TEXTS, _LONGEST_TEXT = 200, 500
_MOST_SCORE: Final = 2**62


def fault_of(plan: Plan, *, weight: int, target: int) -> str | None:
    """Return what is wrong with a plan that brings ``weight`` tokens down to ``target``, None if nothing is."""
    for found in (*_shapes(plan), *(_of_action(action) for action in plan.actions)):
        if found is not None:
            return found
    if plan.controls:
        return "has controls: what the tenant's controllers learn is theirs alone; leave them empty"
    return excess(plan, weight=weight, target=target)


def excess(plan: Plan, *, weight: int, target: int) -> str | None:
    """Return how far a plan goes below its target, None where no smaller one would have done as well.

    A step takes a memory whole, and what depends on it goes before it: a plan may end below its target by twice its
    heaviest step, or by a twentieth of the target where that is more.
    """
    if not plan.actions:
        return None
    if weight <= target:
        return f"takes {len(plan.actions)} memories although {weight} tokens are within the target of {target}"
    step = max(action.weight for action in plan.actions)
    by_id = {action.id: action.weight for action in plan.actions}
    for summary in plan.summaries:
        step = max(step, sum(by_id.get(node_id, 0) for node_id in summary.constituents))
    below = target - plan.weight_after
    if below <= max(2 * step, target // _ROOM):
        return None
    return f"takes {below} tokens more than its target of {target} asks for: stop when the target is reached"


def without_contents(plan: Plan, view: PolicyView) -> Plan:
    """Return ``plan`` without texts that repeat what the memories say that it takes."""
    if not plan.actions:
        return plan
    said = _Said(_contents(view, [action.id for action in plan.actions]))
    own = frozenset(parameters_of(view))
    reasons = [WITHHELD if said.repeated(action.reason) else action.reason for action in plan.actions]
    features = [tuple(text for text in action.features if not said.repeated(text)) for action in plan.actions]
    parameters = tuple(text for text in plan.parameters if text in own or not said.repeated(text))
    notes = tuple(text for text in plan.notes if not said.repeated(text))
    count = sum(reason != action.reason for reason, action in zip(reasons, plan.actions, strict=True))
    count += sum(len(action.features) - len(kept) for action, kept in zip(plan.actions, features, strict=True))
    count += len(plan.parameters) - len(parameters) + len(plan.notes) - len(notes)
    if not count:
        return plan
    actions = tuple(
        replace(action, reason=reason, features=kept)
        for action, reason, kept in zip(plan.actions, reasons, features, strict=True)
    )
    kept_notes = (*notes, NOTE.format(count=count))
    return sealed(replace(plan, actions=actions, parameters=parameters, notes=kept_notes))


# --- Shapes -------------------------------------------------------------------------------------------------------


def _shapes(plan: Plan) -> Iterator[str | None]:
    """Yield what is wrong with the plan as a whole."""
    for name in ("parameters", "notes", "marks"):
        texts: Any = getattr(plan, name)
        sound = isinstance(texts, tuple) and len(texts) <= _MOST_TEXTS and all(map(_is_line, texts))
        yield None if sound else f"has {name} that are not up to {_MOST_TEXTS} lines of {_LONGEST_TEXT} characters"
    for name in ("actions", "summaries", "stages", "controls", "index_gaps"):
        yield None if isinstance(getattr(plan, name), tuple) else f"has {name} that are no tuple"
    for name in ("budget", "weight_before", "weight_after", "sequence"):
        yield None if _is_whole(getattr(plan, name)) else f"has a {name} that is no whole number"
    for name in ("lipschitz", "bound", "realised_loss"):
        found: Any = getattr(plan, name)
        sound = isinstance(found, int | float) and math.isfinite(found) and found >= 0
        yield None if sound else f"has a {name} that is no number from 0 up"
    stages: Any = plan.stages
    staged = all(isinstance(one, tuple) and len(one) == 3 and _is_rule(one[0]) for one in stages)  # noqa: PLR2004 - name, count, tokens
    yield (
        None
        if staged and all(map(_is_whole, (number for one in stages for number in one[1:])))
        else ("has stages that are not a name, a count and tokens")
    )


def _of_action(action: Action) -> str | None:
    """Return what is wrong with one action."""
    typed: Any = action
    if not isinstance(typed.id, str) or not isinstance(typed.kind, Kind) or not isinstance(typed.tier_after, Tier):
        return "has an action without an id, a kind or a tier"
    if typed.action not in {EVICT, ARCHIVE, CONSOLIDATE} or not _is_rule(typed.rule):
        return f"has an action or a rule that is none: a rule is a word like {EVICT}"
    if not _is_whole(typed.score) or abs(typed.score) > _MOST_SCORE:
        return "has a score that is no whole number of 1e-6: make it with marskg.store.rows.order_keys.micro"
    if not _is_line(typed.reason) or not _LEAST_REASON <= len(typed.reason) <= _MOST_REASON:
        return f"has a reason that is no line of {_LEAST_REASON} to {_MOST_REASON} characters"
    features = typed.features
    if not isinstance(features, tuple) or len(features) > _MOST_FEATURES or not all(map(_is_feature, features)):
        return f"has features that are not up to {_MOST_FEATURES} texts of the form name=number"
    return None


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_rule(value: object) -> bool:
    return isinstance(value, str) and _RULE.match(value) is not None


def _is_line(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_TEXT and value.isprintable()


def _is_feature(value: object) -> bool:
    match = _FEATURE.match(value) if isinstance(value, str) else None
    try:
        return match is not None and math.isfinite(float(match[1]))
    except ValueError:
        return False


# --- What memories say --------------------------------------------------------------------------------------------


def _contents(view: PolicyView, ids: Sequence[str]) -> Iterator[str]:
    statement = policy_statement("said")
    for start in range(0, len(ids), _PAGE):
        refs = [f"{view.tenant}|{node_id}" for node_id in ids[start : start + _PAGE]]
        for row in view.run(statement, {"refs": refs}):
            yield row["content"] or ""


class _Said:
    """The words of memories by which a text that repeats one of them is told."""

    def __init__(self, contents: Iterable[str]) -> None:
        self._runs: set[tuple[str, ...]] = set()
        self._telling: set[str] = set()
        for content in contents:
            found = _words(content)
            self._runs.update(_runs(found))
            self._telling.update(word for word in found if _tells(word))

    def repeated(self, text: str) -> bool:
        """Return whether a text has a telling word, or several words in a row, of one of the memories."""
        found = _words(text)
        return not self._telling.isdisjoint(found) or not self._runs.isdisjoint(_runs(found))


def _words(text: str) -> list[str]:
    return [folded(word.text) for word in words(text)]


def _runs(found: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(found[start : start + _RUN]) for start in range(len(found) - _RUN + 1))


def _tells(word: str) -> bool:
    """Return whether a word alone tells what a memory is about: a long number, or none of the common words."""
    if any(one.isdigit() for one in word):
        return sum(one.isdigit() for one in word) >= _TELLING
    return not (flags().get(word, 0) | guessed(word)) & Is.COMMON
