"""A time is given as epoch milliseconds, as a datetime with a zone or as ISO 8601 text, wherever one is given."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.api.arguments import GIVEN_TIME
from marskg.api.operations import operations
from marskg.drafts import Draft
from marskg.given_time import Moment
from marskg.ontology.vocabulary import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.api.arguments import Rule
    from marskg.given_time import GivenTime
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

PAST, COMING = (datetime(year, 3, 1, 9, 30, tzinfo=timezone(timedelta(hours=2))) for year in (2025, 2125))
MS = int(PAST.timestamp() * 1_000)
#: What has to lie in the future.
LATER = {"remember.valid_to", "remember.expires_at", "preferences.consent.until"}
#: What each operation that takes a time answers, by the operation and the name of the time.
ASKED: dict[str, Callable[[AgentMemory, Any], object]] = {
    "remember.at": lambda m, t: m.remember("Ann sings", at=t).valid_from,
    "remember.valid_to": lambda m, t: m.remember("Ann sings", valid_to=t).valid_to,
    "remember.expires_at": lambda m, t: m.remember("Ann sings", expires_at=t).expires_at,
    "remember.deadline": lambda m, t: m.remember("Sing", kind="task", deadline=t).deadline,
    "tasks.amend.deadline": lambda m, t: m.tasks.amend(m.remember("Sing", kind="task").id, deadline=t).deadline,
    "retrieve.as_of": lambda m, t: [hit.memory.content for hit in m.retrieve("Does Bo sing?", as_of=t)],
    "retrieve.since": lambda m, t: [hit.memory.content for hit in m.retrieve("Does Bo sing?", since=t)],
    "retrieve.until": lambda m, t: [hit.memory.content for hit in m.retrieve("Does Bo sing?", until=t)],
    "recall.as_of": lambda m, t: [hit.memory.content for hit in m.recall("Bo", as_of=t)],
    "recall.since": lambda m, t: [hit.memory.content for hit in m.recall("Bo", since=t)],
    "recall.until": lambda m, t: [hit.memory.content for hit in m.recall("Bo", until=t)],
    "read_all.as_of": lambda m, t: m.read_all(key_prefix="song", as_of=t).count,
    "read_all.since": lambda m, t: m.read_all(key_prefix="song", since=t).count,
    "read_all.until": lambda m, t: m.read_all(key_prefix="song", until=t).count,
    "profile.as_of": lambda m, t: [one.text for one in m.profile("Bo", as_of=t).entries],
    "profile.since": lambda m, t: [one.text for one in m.profile("Bo", since=t).entries],
    "profile.until": lambda m, t: [one.text for one in m.profile("Bo", until=t).entries],
    "audit.seal.before": lambda m, t: m.audit.seal(before=t, dry_run=True).before,
    "preferences.consent.until": lambda m, t: m.preferences.consent("ann", until=t).preferences[0].ends_at,
    "preferences.consents.at": lambda m, t: m.preferences.consents("ann", at=t),
}


@pytest.fixture
def memory(stores: Stores) -> AgentMemory:
    opened = stores.open(embedding__model="none")
    opened.remember("Bo sings at noon", kind="semantic", key="song", mentions=["Bo"], at=MS - 1, valid_to=MS)
    opened.remember("Bo sang in May", kind="semantic", mentions=["Bo"], at=MS - 2)
    opened.remember("Bo sings at night", kind="semantic", key="song/night", mentions=["Bo"], at=MS)
    return opened


def same(when: datetime) -> tuple[GivenTime, ...]:
    """Return a time in the ways in which callers write it."""
    utc = when.astimezone(UTC)
    number = int(when.timestamp() * 1_000)
    return Moment(number), when, utc, when.isoformat(), f"{utc:%Y-%m-%dT%H:%MZ}"


def takes_a_time(rule: Rule) -> bool:
    return rule is GIVEN_TIME or any(map(takes_a_time, rule.parts))


def test_every_operation_that_takes_a_time_is_asked() -> None:
    found = {
        f"{one.name}.{name}" for one in operations() for name, rule in one.parameters.items() if takes_a_time(rule)
    }
    assert found == set(ASKED)


@pytest.mark.parametrize("place", ASKED)
def test_the_same_time_is_the_same_however_it_is_written(memory: AgentMemory, place: str) -> None:
    answers = [ASKED[place](memory, when) for when in same(COMING if place in LATER else PAST)]
    assert answers == [answers[0]] * len(answers)


@pytest.mark.parametrize("place", ASKED)
@pytest.mark.parametrize("when", [datetime(2027, 3, 1), "2027-03-01T09:30", "yesterday", "", 12.5])  # noqa: DTZ001 - the case
def test_what_is_no_moment_is_refused_without_repeating_it(memory: AgentMemory, place: str, when: object) -> None:
    before = len(list(memory.memories()))
    with pytest.raises(
        marskg.InvalidInput, match=f"{place.rpartition('.')[2]} (is no time with a zone|must be a time)"
    ) as told:
        ASKED[place](memory, when)
    assert "yesterday" not in str(told.value)
    assert len(list(memory.memories())) == before + place.startswith("tasks.")


@pytest.mark.parametrize("when", same(PAST))
def test_a_draft_takes_it_as_well(memory: AgentMemory, when: Any) -> None:
    draft = Draft(ref="d", kind=Kind.TASK, content="Sing", at=when, deadline=when)
    assert (draft.at, draft.deadline) == (MS, MS)
    memory.remember_many([draft])
    assert [one.deadline for one in memory.memories() if one.content == "Sing"] == [MS]


def test_a_draft_of_no_moment_is_refused() -> None:
    with pytest.raises(marskg.InvalidMemory, match="deadline is no time with a zone"):
        Draft(ref="d", kind=Kind.TASK, content="Sing", at=MS, deadline="tomorrow")  # type: ignore[arg-type]  # the case
