"""The power of the suite: each hole that is planted is found by an attempt, and not by all of them.

A hole is planted in the product by one patch, and a few attempts are made that should find it, in a pair of stores of
its own. The same attempts tell nothing without the hole (``test_attempts.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from marskg.api import doors, reading
from marskg.api.components import Components
from marskg.api.namespaces.entities_namespace import Entities
from marskg.api.private_mode import PrivateMode
from marskg.api.reading import Reading
from marskg.api.restricted import principal_limits, restricted_namespaces, sight
from marskg.api.restricted.agent_memory import AgentsMemory
from marskg.api.restricted.principal_limits import Limits
from marskg.api.restricted.restricted_memory import RestrictedMemory
from marskg.api.restricted.sight import Sight
from marskg.erasure import eraser, request
from marskg.errors import NotPermitted, UnknownMemory
from marskg.memory import AgentMemory
from marskg.privacy import grants, principals
from marskg.privacy.sensing import detector
from marskg.retrieval import explain
from marskg.retrieval.access import disclosure
from marskg.retrieval.access.read_gate import Gate, Raised
from marskg.retrieval.index import lexical
from marskg.retrieval.query import search
from marskg.store.graph import suppression
from marskg.store.rows.monotonic_clock import ClockReading, SteadyClock
from marskg.store.rows.oracle_rate_limit import RateLimiter
from marskg.store.rows.state import TenantState
from marskg.store.unit.preference_rules import PreferenceSet
from tests.redteam.stage import Side
from tests.redteam.suite import ALL, judged
from tests.support.proof import some

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.stores import Stores

Patch = pytest.MonkeyPatch


@dataclass(frozen=True)
class Hole:
    """What is planted, and the attempts that are made: those whose ids begin so."""

    plant: Callable[[Patch], None]
    attempts: tuple[str, ...]


def _door(name: str) -> Callable[[Patch], None]:
    """Give everybody the operator's door."""
    return lambda patch: patch.setattr(RestrictedMemory, name, getattr(AgentMemory, name))


def _gone(owner: Any, name: str, value: Any) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(owner, name, value)


def _ceiling_off(patch: Patch) -> None:
    patch.setattr(Gate, "_below", lambda _self, index, _ceiling: index.columns["alive"])
    patch.setattr(Gate, "_is_below", lambda *_: True)


def _own_off(patch: Patch) -> None:
    patch.setattr(Gate, "_own", lambda _self, index: index.columns["alive"])
    patch.setattr(Gate, "owns", lambda *_: True)


def _idf_over_all(patch: Patch) -> None:
    scores = lexical.Lexical.scores
    over_all: Any = lambda self, asked, mask, lengths: scores(self, asked, mask | True, lengths)  # noqa: E731
    patch.setattr(lexical.Lexical, "scores", over_all)


def _latent_searched(patch: Patch) -> None:
    built = Gate.__init__

    def init(self: Gate, *given: Any, **named: Any) -> None:
        built(self, *given, **{**named, "latent": True})

    patch.setattr(Gate, "__init__", init)


def _grants_last(patch: Patch) -> None:
    honour = grants.honour
    patch.setattr(
        principal_limits,
        "honour",
        lambda reader, handle, ident, *, to, now: honour(reader, handle, ident, to=to, now=now * 0),
    )


def _grants_for_anybody(patch: Patch) -> None:
    honour = grants.honour

    def mine(reader: Any, handle: Any, ident: Any, *, to: str, now: int) -> Any:
        for name in (to, "reader:bot", "reader:other"):
            try:
                return honour(reader, handle, ident, to=name, now=now)
            except NotPermitted:
                continue
        return honour(reader, handle, ident, to=to, now=now)

    patch.setattr(principal_limits, "honour", mine)


def _grants_about_any(patch: Patch) -> None:
    def means(raised: Any, subjects: Any) -> bool:
        return not raised.handles or any(raised.handle(subject) in raised.handles for subject in subjects)

    patch.setattr(Raised, "means", means)


def _grants_uncounted(patch: Patch) -> None:
    given = grants._from

    def without_uses(reader: Any, first: int) -> Iterator[Any]:
        return (one for one in given(reader, first) if "grant.to" in grants._said(one))

    patch.setattr(grants, "_from", without_uses)


def _telling(self: RestrictedMemory, ident: str) -> None:
    """Raise what tells a hidden id from an unknown one."""
    found = self._reader.get(ident, self.now())
    msg = "you may not see it" if found else "there is none"
    raise UnknownMemory(msg)


def _explaining_all(patch: Patch) -> None:
    def explained(self: RestrictedMemory, ident: str) -> explain.Explanation:
        return explain.explain(self._reader, self.tenant, ident, self.now())

    patch.setattr(RestrictedMemory, "explain", explained)


def _alias_matched(patch: Patch) -> None:
    naming = request._naming

    def by_any_name(unit: Any, name: str, *_: Any) -> Any:
        return naming(unit, name)

    patch.setattr(request, "_naming", by_any_name)


def _clock_back(patch: Patch) -> None:
    moment = TenantState.moment

    def as_told(self: TenantState, reading: ClockReading) -> Any:
        return reading.now, moment(self, reading)[1]

    patch.setattr(TenantState, "moment", as_told)
    # What the process has read from the clock is remembered besides what is recorded.
    patch.setattr(SteadyClock, "read", lambda self: ClockReading(self._clock.now_ms()))


def _suppression_off(patch: Patch) -> None:
    patch.setattr(suppression, "refuse", lambda *_: None)


def _consent_off(patch: Patch) -> None:
    patch.setattr(PreferenceSet, "bars", lambda *_: False)
    patch.setattr(PreferenceSet, "_opted_out_by_all", lambda *_: False)


HOLES: dict[str, Hole] = {
    "the ceiling is off in retrieval": Hole(
        _ceiling_off, ("retrieve/asking-plainly/reader/1", "command-line/asking-plainly/reader/1")
    ),
    "the ceiling is off for single memories": Hole(
        _gone(Gate, "_is_below", lambda *_: True), ("get/id-of-a-hidden-memory/reader/1",)
    ),
    "the ceiling is off in explain": Hole(_explaining_all, ("explain/id-of-a-hidden-memory/reader/1",)),
    "the view of SPARQL is the operator's": Hole(_door("sparql"), ("sparql/counting/reader/1",)),
    "stats count all": Hole(_door("stats"), ("stats/counting/reader",)),
    "the weight is that of all": Hole(_door("weight"), ("weight/counting/reader",)),
    "edges lead to what is hidden": Hole(_door("edges"), ("edges/neighbour-of-a-hidden-memory/reader/2",)),
    "listings give all": Hole(_door("memories"), ("memories/counting/reader",)),
    "entities are those of all": Hole(
        _gone(restricted_namespaces.RestrictedEntities, "list", Entities.list), ("entities.list/counting/reader",)
    ),
    "exports are whole": Hole(_door("export"), ("export/the-whole-store/reader/1",)),
    "plans are over all": Hole(_door("plan"), ("plan/what-would-go/reader/1",)),
    "the drawn edges of the gate are shown": Hole(
        _gone(disclosure, "_DRAWN", frozenset()),
        ("sparql/what-stands-for-what-is-withheld/reader", "export/everything"),
    ),
    "others' events of the gate are shown": Hole(
        _gone(reading, "own_events", lambda found, _actor: found), ("explain/neighbour-of-a-hidden-memory/reader/1",)
    ),
    "explanations have the chain as it is stored": Hole(
        _gone(explain, "DERIVED_EDGES", frozenset()), ("explain/neighbour-of-a-hidden-memory/reader",)
    ),
    "the next episode may be a hidden one": Hole(
        _gone(disclosure, "DERIVED_EDGES", frozenset()), ("export/everything-there-is/reader/2",)
    ),
    "redaction is off": Hole(
        _gone(Components, "_as_shown", lambda _self, memory, _gate: memory), ("retrieve/redacted-when-it-is-shown",)
    ),
    "disguises are not seen through": Hole(
        _gone(detector, "views", lambda _text: iter(())), ("privacy.redact/card-in-disguise:-zero-width",)
    ),
    "consents are not looked at": Hole(_consent_off, ("retrieve/somebody-else's-consent", "retrieve/a-consent-for")),
    "regions are not looked at": Hole(
        _gone(PreferenceSet, "reaches", lambda *_: True), ("preferences.list/a-reading-region/reader/1",)
    ),
    "the purpose is whatever is asked for": Hole(
        _gone(Limits, "_refuse_other", lambda *_: None), ("retrieve/purpose-spoofed/reader/1",)
    ),
    "a subject is shown what is about others": Hole(_own_off, ("get/id-of-a-hidden-memory/subject/2",)),
    "private mode has no end": Hole(
        _gone(PrivateMode, "_open", lambda self: self._memory), ("privacy.private_mode/after-its-time/operator/1",)
    ),
    "suppression is ignored": Hole(_suppression_off, ("remember/erased,-and-stored-again:-as-it-was",)),
    "nobody counts how often it is told what was erased": Hole(
        _gone(RateLimiter, "check", lambda *_: None), ("remember/asking-whether-it-was-erased",)
    ),
    "an error tells that there is something": Hole(
        _gone(RestrictedMemory, "explain", _telling), ("explain/id-of-a-hidden-memory/reader/1",)
    ),
    "the latent tier is always searched": Hole(_latent_searched, ("retrieve/what-was-put-aside",)),
    "grants never end": Hole(_grants_last, ("privacy.grant/a-grant-that-is-over",)),
    "grants are not counted": Hole(_grants_uncounted, ("privacy.grant/a-grant-used-up",)),
    "a grant about one reaches what is about two": Hole(
        _grants_about_any, ("privacy.grant/what-is-about-others-too/subject",)
    ),
    "who states no region reads all": Hole(
        _gone(PreferenceSet, "confines", lambda *_: False),
        ("retrieve/from-nowhere-or-elsewhere/reader/1",),
    ),
    "grants are anybody's": Hole(_grants_for_anybody, ("privacy.grant/somebody-else's-grant/reader/1",)),
    "everybody may do everything": Hole(
        _gone(doors, "permit", lambda *_: principals.Right.ALL), ("audit.who_saw/a-door-that-is-not-theirs/reader",)
    ),
    "words are weighed over all": Hole(_idf_over_all, ("retrieve/asking-plainly/reader", "retrieve/ranks")),
    "places in the log are told": Hole(
        _gone(search, "as_read", lambda memory, _: memory), ("retrieve/asking-plainly",)
    ),
    "a subject's erasure matches by any name": Hole(
        _alias_matched, ("privacy.match_erasure/what-would-be-matched/subject/1",)
    ),
    "a subject is told of what is hidden of their own": Hole(
        _gone(eraser, "told", request.match), ("privacy.match_erasure/one's-own-that-is-hidden/subject/1",)
    ),
    "time goes back with the clock": Hole(
        _clock_back, ("retrieve/clock-moved-back/reader", "privacy.grant/clock-moved-back")
    ),
    "an agent writes about what is hidden": Hole(
        _gone(Sight, "check", lambda *_: None), ("update/a-hidden-id-in-a-write/agent",)
    ),
    "an agent changes hidden values": Hole(
        _gone(Sight, "check_key", lambda *_, **__: None), ("remember/a-key-whose-value-is-hidden/agent",)
    ),
    "refusals name what they rest on": Hole(
        _gone(sight, "_REFUSED", {}), ("remember/what-hidden-pins-leave/agent", "remember/an-id-that-is-taken")
    ),
    "conflicts with hidden memories are told": Hole(
        _gone(Reading, "seen", lambda _self, ids: {*ids}), ("remember/in-conflict-with-a-hidden-one/agent",)
    ),
    "tools are the operator's": Hole(
        _gone(Limits, "__call__", lambda _self, gate, _grant: gate), ("mcp/asking-through-a-tool/agent/1",)
    ),
    "an agent gives feedback on anything": Hole(
        _gone(AgentsMemory, "_is_own", lambda *_: True), ("feedback/a-showing-of-somebody-else/agent",)
    ),
    "a controller's records are whole": Hole(
        _gone(Reading, "without_hidden", lambda _self, record: record), ("audit.records/details-above-the-ceiling",)
    ),
}


@pytest.mark.parametrize("name", some(HOLES, 4))
def test_a_hole_that_is_planted_is_found(
    engine: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    hole = HOLES[name]
    chosen = [one for one in ALL if one.id.startswith(hole.attempts)]
    assert chosen
    # A pair of its own: what a hole lets through may be gone for the next one.
    sides = (Side(engine, tmp_path / "full", full=True), Side(engine, tmp_path / "other", full=False))
    assert [found for one in chosen for found in judged(one, *sides)] == []
    for side in sides:
        side.leave()
    hole.plant(monkeypatch)
    try:
        found = [one.id for one in chosen if judged(one, *sides)]
    finally:
        monkeypatch.undo()
        for side in sides:
            side.leave()
    assert found, f"{[one.id for one in chosen]} do not see it"
