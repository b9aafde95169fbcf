"""Summaries by a language model, on every engine: what it is shown, what that costs, and what stands in its place.

The model is a local server that speaks the protocol, and does whatever a test plans.
"""

from __future__ import annotations

import json
from base64 import b64decode
from typing import TYPE_CHECKING, Any

import pytest

from marskg.config import Settings
from marskg.errors import InvalidConfig
from marskg.models.kept_answers import KeptAnswers, joined
from marskg.ontology.vocabulary import SourceType
from marskg.privacy.principals import Principal, Role
from marskg.reflection.language_model import INSTEAD
from tests.support.chat_server import chat_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from marskg.memory import AgentMemory
    from marskg.records import Plan
    from tests.support.chat_server import ChatServer
    from tests.support.stores import Stores

NAME = "reflection-summary"
GARDEN = tuple(
    f"On {day} Ann watered the tomatoes in the garden behind the house."
    for day in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
)
#: Of the same garden, so that it is in the same cluster.
KEPT_BACK = "On the quibble day Ann watered the tomatoes in the garden behind the house."


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.model = lambda texts: {
            "lines": [{"text": text, "memories": [number]} for number, text in list(texts.items())[:2]]
        }
        yield running


def opened(stores: Stores, server: ChatServer, **values: Any) -> AgentMemory:
    settings = {"sensitivity__presidio": "off", "reflection__similarity": 0.2, "reflection__tau_util": 1.3, **values}
    return stores.open(models__curate=f"openai:m@{server.url}", **settings)


def filled(mem: AgentMemory, text: str = KEPT_BACK, **fields: Any) -> AgentMemory:
    common: dict[str, Any] = {"kind": "episodic", "session": "talk", "ttl": "400d"}
    shared = {name: fields[name] for name in ("subjects", "jurisdiction") if name in fields}
    for one in GARDEN:
        mem.remember(one, **common, **shared)
    mem.remember(text, **{**common, **fields})
    return mem


def planned(mem: AgentMemory) -> Plan:
    return mem.plan(policy=NAME, budget=mem.weight * 6 // 10)


def received(server: ChatServer) -> str:
    return json.dumps([request for _, _, request in server.requests], ensure_ascii=False)


def by_hand(mem: AgentMemory, server: ChatServer) -> None:
    """Plan, and show that the model was told nothing of what is kept back, and the plan is whole all the same."""
    plan = planned(mem)
    assert "quibble" not in received(server)
    assert any("quibble" in line.text for one in plan.summaries for line in one.lines), "else it shows nothing"
    assert any("not sent to the model" in note and INSTEAD in note for note in plan.notes)


def opt_out(mem: AgentMemory) -> None:
    mem.preferences.set("opt_out_purpose", "language_model", subject="Ann")


def need_consent(mem: AgentMemory) -> None:
    mem.preferences.set("consent_required", "language_model", subject="Ann")


#: What is set after everything was stored.
PREFERENCES: dict[str, Callable[[AgentMemory], None]] = {
    "an opt-out of language models": opt_out,
    "a consent that is missing": need_consent,
}
FIELDS: dict[str, dict[str, Any]] = {
    "what its caller made sensitive": {"sensitivity": 0.35},
    "what is bound to a jurisdiction": {"jurisdiction": "EU"},
}


def test_what_may_go_to_the_model_does(stores: Stores, server: ChatServer) -> None:
    plan = planned(filled(opened(stores, server), subjects=["Ann"]))
    assert "quibble" in received(server)
    assert plan.summaries
    assert not any("not sent" in note for note in plan.notes)


@pytest.mark.parametrize("name", PREFERENCES)
def test_what_a_person_keeps_back_is_not_sent(stores: Stores, server: ChatServer, name: str) -> None:
    mem = filled(opened(stores, server), subjects=["Ann"])
    PREFERENCES[name](mem)
    by_hand(mem, server)


def test_who_is_only_named_keeps_it_back_as_well(stores: Stores, server: ChatServer) -> None:
    mem = filled(opened(stores, server))
    opt_out(mem)
    by_hand(mem, server)


@pytest.mark.parametrize("name", FIELDS)
def test_what_its_fields_keep_back_is_not_sent(stores: Stores, server: ChatServer, name: str) -> None:
    by_hand(filled(opened(stores, server, reflection__s_floor=1.0), **FIELDS[name]), server)


def test_a_private_memory_is_not_sent(stores: Stores, server: ChatServer) -> None:
    mem = filled(opened(stores, server, sensitivity__cues__private=0.0), memory_class="private", sensitivity=0.1)
    by_hand(mem, server)


def test_what_is_above_the_limit_is_not_sent_even_where_a_summary_may_say_it(
    stores: Stores, server: ChatServer
) -> None:
    text = "On the quibble day Ann was diagnosed with epilepsy, and watered the tomatoes in the garden."
    mem = filled(opened(stores, server, reflection__s_floor=1.0), text)
    planned(mem)
    assert "epilepsy" not in received(server)


def test_whom_a_private_entity_is_in_is_not_sent(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server, reflection__s_floor=1.0)
    mem.preferences.set("private_entity", "Ann", level=0.35)
    by_hand(filled(mem), server)


def test_an_encrypted_tenant_needs_its_own_permission(
    stores: Stores, server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARS_VAULTS", str(tmp_path / "vaults"))
    mem = filled(opened(stores, server, encryption="subjects"), subjects=["Ann"])
    by_hand(mem, server)
    mem.settings.set(None, {"models.encrypted": True})
    planned(mem)
    assert "quibble" in received(server)


# --- Who may have a model asked ---------------------------------------------------------------------------------------


def test_who_may_not_change_anything_has_no_model_asked(stores: Stores, server: ChatServer) -> None:
    """A plan of theirs is over a copy, in which nobody's preferences are."""
    mem = filled(opened(stores, server), subjects=["Ann"])
    opt_out(mem)
    guest = stores.open_as(mem, Principal(Role.AGENT, "helper"))
    assert guest.plan(policy=NAME, budget=mem.weight * 6 // 10).summaries
    assert server.requests == []


def test_a_comparison_asks_nobody(stores: Stores, server: ChatServer) -> None:
    mem = filled(opened(stores, server))
    mem.policy.compare([NAME, "hybrid"], budget=mem.weight * 6 // 10)
    assert server.requests == []


# --- What it costs ----------------------------------------------------------------------------------------------------


def test_summaries_and_turns_have_one_limit_of_the_day(stores: Stores, server: ChatServer) -> None:
    lines = server.model
    server.usage = {"prompt_tokens": 4_000, "completion_tokens": 1}
    mem = opened(stores, server, models__extract=f"openai:m@{server.url}", models__limit__day=6_000)
    server.model = lambda _: {"facts": []}
    mem.learn([{"content": "The roof leaks.", "timestamp": 1_769_904_000_000}])
    server.model = lines
    plan = planned(filled(stores.open(mem.tenant)))
    assert len(server.requests) == 1, "the turn"
    assert plan.summaries
    assert any("models.limit.day would be exceeded" in note and INSTEAD in note for note in plan.notes)


def test_what_a_plan_cost_is_written_and_the_plan_is_still_of_its_tenant(stores: Stores, server: ChatServer) -> None:
    server.usage = {"prompt_tokens": 4_000, "completion_tokens": 1}
    mem = filled(opened(stores, server, models__limit__day=6_000))
    plan = planned(mem)
    assert len(server.requests) == 1
    (told,) = [one.details[0] for one in mem.audit.records() if "prompt=summarise.v1" in one.details[0]]
    assert f"model=openai:m@{server.url.split('/')[2]}" in told
    assert "answers=1" in told
    mem.forget(plan)
    assert [one for one in mem.memories() if one.source_type is SourceType.REFLECTION]
    assert mem.verify().findings == ()
    again = stores.open(mem.tenant)
    planned(filled(again))
    assert len(server.requests) == 1, "the day's limit holds for whoever opens the tenant next"


def test_the_same_cluster_is_asked_about_once_whoever_asks(stores: Stores, server: ChatServer) -> None:
    mem = filled(opened(stores, server))
    first = planned(mem)
    asked = len(server.requests)
    server.statuses = [500] * 9
    again = planned(stores.open(mem.tenant))
    assert [one.lines for one in again.summaries] == [one.lines for one in first.summaries]
    assert (len(server.requests), asked) == (1, 1)


def test_an_answer_goes_with_the_first_of_its_memories(stores: Stores, server: ChatServer) -> None:
    lines = server.model
    server.model = lambda texts: {**lines(texts), "thought": "zyzzyva-marginalia"}
    mem = filled(opened(stores, server), subjects=["Ann"])
    planned(mem)
    kept = [
        str(row["answer"])
        for row in stores.engine.read(
            "MATCH (m:Memory) WHERE m.tenant = $tenant AND m.answer IS NOT NULL RETURN m.answer AS answer",
            {"tenant": mem.tenant},
        )
    ]
    assert len(kept) == len(GARDEN) + 1
    shares = [next(iter(KeptAnswers.read(one).shares.values())) for one in kept]
    assert "zyzzyva-marginalia" in str(joined(shares))
    for gone in range(len(shares)):
        left = shares[:gone] + shares[gone + 1 :]
        assert "zyzzyva" not in str(joined(left))
        assert not any(b"zyzzyva" in b64decode(one) for one in left)


def test_a_redirection_takes_nothing_elsewhere(stores: Stores, server: ChatServer) -> None:
    with chat_server() as elsewhere:
        server.location, server.statuses = f"{elsewhere.url}/chat/completions", [307] * 9
        plan = planned(filled(opened(stores, server)))
        assert elsewhere.requests == []
    assert any("redirects" in note and INSTEAD in note for note in plan.notes)
    assert plan.summaries


# --- Its former name --------------------------------------------------------------------------------------------------


def test_the_former_name_means_the_same_until_1_0(
    stores: Stores, server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARS_SUMMARISER_KEY", "sk-former")
    spec = f"openai:m@{server.url}"
    mem = stores.open()
    for value, now in ((spec, spec), ("extractive", "none")):
        mem.settings.set(None, {"reflection.summariser": value})
        assert mem.settings.current.models.curate == now
    config = tmp_path / "settings.yaml"
    config.write_text(f"reflection:\n  summariser: {spec}\n")
    read = Settings.from_yaml(config)
    assert read.models.curate == spec
    kept = json.loads(Settings().to_json())
    del kept["models.curate"]
    assert Settings.from_json(json.dumps({**kept, "reflection.summariser": spec})).models.curate == spec
    with pytest.raises(InvalidConfig, match="former name of models"):
        mem.settings.set(None, {"reflection.summariser": spec, "models.curate": "none"})
    planned(filled(opened(stores, server)))
    assert server.requests[0][1]["Authorization"] == "Bearer sk-former"
