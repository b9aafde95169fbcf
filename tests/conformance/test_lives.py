"""How long memories live: by default all but private ones for good, by a preset or by what was asked; old stores."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import Draft
from marskg.ontology.vocabulary import Kind, MemoryClass, Operation, SourceType, Tier
from tests.support import picture as pictures
from tests.support.stores import START
from tests.support.unsigned import open_unsigned, unsign

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from marskg.records import Memory
    from tests.support.stores import Stores

HOUR = 3_600_000
DAY = 24 * HOUR
MARSH = "The marsh is best walked at dawn"
#: What a store of before had by default.
FORMER = {
    "lives__factual": "30d",
    "lives__intent_bound": "24h",
    "lives__ephemeral": "1h",
    "lean__archive_below": 20,
    "lean__compress_below": 20,
}


def sound(memory: AgentMemory) -> None:
    """Check that the audit, the shapes and the picture of the graph find nothing."""
    assert memory.verify().ok
    assert memory.validate(full=True).ok
    assert pictures.faults(pictures.take(memory._opened.engine, memory.tenant)) == []


def stored(memory: AgentMemory, one: Memory) -> Memory:
    """Return a memory as the store has it now."""
    found = memory.get(one.id)
    assert found is not None
    return found


def told(memory: AgentMemory) -> list[Memory]:
    """Store one of each way in which something is said, or imported."""
    drafts = [
        Draft(ref="", kind=Kind.EPISODIC, content=f"{role} said so", at=START, session="s", source_type=role)
        for role in (SourceType.CHAT_USER, SourceType.CHAT_ASSISTANT, SourceType.API_RESULT)
    ]
    memory.remember_many(drafts)
    said = [one for one in memory.memories() if one.content and one.content.endswith("said so")]
    return [*said, *(memory.remember(MARSH, memory_class=name) for name in ("intent_bound", "ephemeral"))]


# --- The defaults, and the preset --------------------------------------------------------------------------------


def test_by_default_a_year_of_talk_stays_and_only_what_is_private_goes(stores: Stores) -> None:
    memory = stores.open()
    kept = told(memory)
    hush = memory.remember("I feel low", memory_class="private")
    for _ in range(12):
        stores.clock(memory).advance(30 * DAY)
        assert memory.maintain().plan.actions == ()
    memory.maintenance.end_session("s")
    assert {stored(memory, one).tier for one in kept} == {Tier.LIVE}
    assert memory.get(hush.id) is None
    sound(memory)


def test_whoever_speaks_and_however_it_comes_in_its_class_is_the_same(stores: Stores) -> None:
    memory = stores.open()
    assert {one.memory_class for one in told(memory)[:3]} == {MemoryClass.FACTUAL}
    for source in ("chat_user", "chat_assistant", "api_result"):
        assert memory.remember("Why is that so?", source_type=source).memory_class is MemoryClass.FACTUAL
    assert memory.remember("Answer in German.", source_type="doc").memory_class is MemoryClass.CANONICAL


def test_a_preset_gives_the_lives_of_the_paper(stores: Stores) -> None:
    memory = stores.open(lives="memoryarchitect")
    lives = {"canonical": None, "factual": 30 * DAY, "intent_bound": DAY, "ephemeral": HOUR, "private": 7 * DAY}
    for name, life in lives.items():
        one = memory.remember(MARSH, memory_class=name, session=name)
        assert one.expires_at == (None if life is None else one.created + life), name
    assert memory.maintenance.end_session("ephemeral") == 1
    stores.clock(memory).advance(31 * DAY)
    memory.maintain()
    assert [one.memory_class for one in memory.memories() if one.content] == [MemoryClass.CANONICAL]
    memory.settings.set(None, {"lives": "default"})
    assert memory.remember(MARSH).expires_at is None
    sound(memory)


# --- Put aside, or gone -------------------------------------------------------------------------------------------


def test_what_ends_is_put_aside_where_the_owner_wants_it_so_and_what_is_private_goes(stores: Stores) -> None:
    memory = stores.open(lives="memoryarchitect", on_expiry="archive")
    turn = memory.remember(MARSH, session="s", pin=True)
    rests = memory.remember("So we leave at five", kind="semantic", key="leave", depends_on=turn.id)
    brief = memory.remember("The ferry runs on Sundays only", ttl="2h")
    fleeting = memory.remember("Hold on a moment", session="s", memory_class="ephemeral")
    going = [
        memory.remember("I feel low", memory_class="private"),
        memory.remember("The gate code is on the blue note", session="s", session_bound=True),
    ]
    memory.maintenance.end_session("s")
    stores.clock(memory).advance(31 * DAY)
    memory.maintain()
    for one in (turn, rests, brief, fleeting):
        found = stored(memory, one)
        assert (found.tier, found.expires_at, found.pinned) == (Tier.LATENT, None, False)
    assert [memory.get(one.id) for one in going] == [None, None]
    assert turn.id not in [hit.memory.id for hit in memory.retrieve(MARSH)]
    assert turn.id in [hit.memory.id for hit in memory.retrieve(MARSH, latent=True)]
    memory.restore(turn.id)
    stores.clock(memory).advance(100 * DAY)
    memory.maintain()
    assert stored(memory, turn).tier is Tier.LIVE
    sound(memory)


def test_what_is_put_aside_goes_when_a_person_s_retention_ends(stores: Stores) -> None:
    memory = stores.open(lives="memoryarchitect", on_expiry="archive")
    memory.preferences.set("retention", "episodic", subject="ada", horizon="40d")
    one = memory.remember(MARSH, subjects=["ada"])
    stores.clock(memory).advance(31 * DAY)
    memory.maintain()
    assert stored(memory, one).expires_at == one.created + 40 * DAY
    stores.clock(memory).advance(10 * DAY)
    memory.maintain()
    assert memory.get(one.id) is None
    sound(memory)


def test_what_the_latent_tier_has_no_room_for_goes(stores: Stores) -> None:
    memory = stores.open(lives="memoryarchitect", on_expiry="archive", latent_budget=10)
    told_ = [memory.remember(text) for text in (MARSH, "The ferry runs on Sundays only")]
    stores.clock(memory).advance(31 * DAY)
    memory.maintain()
    assert sum(memory.get(one.id) is not None for one in told_) == 1
    sound(memory)


# --- Stores from before -------------------------------------------------------------------------------------------


def as_before(stores: Stores, memory: AgentMemory) -> None:
    """Let a tenant's row be as it was written before only private memories had a life."""
    text = "MATCH (t:Tenant {ref: $tenant}) RETURN t.settings AS settings"
    (row,) = stores.engine.read(text, {"tenant": memory.tenant})
    settings = json.loads(row["settings"])
    del settings["on_expiry"]
    unsign(stores, memory, "lifting")
    text = "MATCH (t:Tenant {ref: $tenant}) SET t.settings = $settings"
    stores.engine.write(text, {"tenant": memory.tenant, "settings": json.dumps(settings)})


def former(stores: Stores, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> AgentMemory:
    """Open a new tenant with the settings that stores had by default."""
    return open_unsigned(stores, monkeypatch, **FORMER | settings)


def test_what_a_former_default_would_end_stays(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = former(stores, monkeypatch)
    turn = memory.remember(MARSH)
    newer = memory.update(memory.remember("We meet at the mill").id, "We meet at the old mill")
    rests = memory.remember("So we leave at five", kind="semantic", key="leave", depends_on=turn.id)
    later = memory.remember("And so we eat at four", kind="semantic", key="eat", depends_on=rests.id)
    asked = memory.remember("When does the tide turn?", memory_class="intent_bound")
    draft = Draft(ref="", kind=Kind.SEMANTIC, content="Herons nest in the reeds", at=START, score=70)
    memory.remember_many([draft])
    (proven,) = [one for one in memory.memories() if one.content == draft.content]
    hits = memory.retrieve("where do herons nest?")
    assert hits.id is not None
    assert memory.feedback(hits.id, used=[proven.id]).extended == (proven.id,)
    as_before(stores, memory)
    stores.clock(memory).advance(200 * DAY)
    again = stores.open(memory.tenant)
    lifted = [turn, newer, rests, later, asked, proven]
    assert [stored(again, one).expires_at for one in lifted] == [None] * 6
    assert again.settings.current == stores.open().settings.current
    amended = {ident for one in again.audit.records() if one.operation is Operation.AMEND for ident in one.memories}
    assert {one.id for one in lifted} <= amended
    sequence = again.stats()["audit_seq"]
    assert again.maintain().plan.actions == ()
    assert stores.open(memory.tenant).stats()["audit_seq"] == sequence, "once is enough"
    sound(again)


def test_what_was_private_or_limited_by_somebody_ends_as_it_was_to(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = former(stores, monkeypatch)
    memory.preferences.set("retention", "episodic", subject="ada", horizon="60d")
    ends = {
        memory.remember("I feel low", memory_class="private").id: 7 * DAY,
        memory.remember("The number is 4111 1111 1111 1111").id: 7 * DAY,
        memory.remember(MARSH, ttl="90d").id: 90 * DAY,
        memory.remember(MARSH, ttl="10d").id: 10 * DAY,
        memory.remember(MARSH, subjects=["ada"]).id: 60 * DAY,
    }
    over = memory.remember("Hold on a moment", memory_class="ephemeral")
    stores.clock(memory).advance(2 * HOUR)
    memory.control.record_access([next(iter(ends))])
    as_before(stores, memory)
    again = stores.open(memory.tenant)
    found = {one.id: (one.expires_at or 0) - one.created for one in again.memories() if one.content}
    assert found == ends, "and what was over when the store was last used is gone"
    assert again.get(over.id) is None
    stores.clock(memory).advance(100 * DAY)
    again.maintain()
    assert not [one for one in again.memories() if one.content]
    sound(again)


def test_lives_that_the_owner_chose_stay(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = former(stores, monkeypatch, lives__factual="90d", lean__archive_below=30)
    turn = memory.remember(MARSH)
    as_before(stores, memory)
    again = stores.open(memory.tenant)
    assert stored(again, turn).expires_at == turn.created + 90 * DAY
    values = again.settings.current.values()
    assert (values["lives.factual"], values["lives.ephemeral"]) == (90 * DAY, None)
    assert (values["lean.archive_below"], values["lean.compress_below"]) == (30, None)


@pytest.mark.server
def test_who_opens_an_old_store_with_lives_of_their_own_keeps_its_ends(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = former(stores, monkeypatch)
    turn = memory.remember(MARSH)
    as_before(stores, memory)
    again = stores.open(memory.tenant, lives="memoryarchitect")
    assert stored(again, turn).expires_at == turn.created + 30 * DAY


def test_the_lines_of_an_old_summary_stay(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = former(stores, monkeypatch, policy__name="hybrid", budget=200)
    for place in range(40):
        memory.remember(f"She waters the tomatoes twice a week in the garden, bed {place}", session="s")
    summaries = [one for one in memory.memories() if one.summary_lines]
    assert summaries
    assert all(one.expires_at is not None for one in summaries)
    as_before(stores, memory)
    again = stores.open(memory.tenant)
    assert [stored(again, one).expires_at for one in summaries] == [None] * len(summaries)
    assert all(" - urn:" in line for one in summaries for line in stored(again, one).summary_lines)
    sound(again)


def test_another_grace_holds_for_the_tasks_that_are_there(stores: Stores) -> None:
    memory = stores.open(budget=6, policy__name="fifo", step_ms=0)
    task = memory.remember("Water the tomatoes on Friday", kind="task", deadline=memory.now() + HOUR)
    memory.settings.set(None, {"task_grace": "1s"})
    sound(memory)
    stores.clock(memory).advance(HOUR + 1_000)
    memory.remember("Carl came on Saturday", kind="semantic")
    assert memory.get(task.id) is None, "its grace is over, so that it protects nothing"
    sound(memory)
