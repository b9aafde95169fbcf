"""Learning with a language model, on every engine: what it adds, what it is sent, and that no text or model gets more.

The model is a local server that speaks the protocol, and does whatever a test plans.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.errors import ConsentRequired
from marskg.learning.from_text.plan import Learned, LearnPlan
from marskg.ontology.vocabulary import Kind
from marskg.privacy.principals import Principal, Role
from tests.support.chat_server import chat_server
from tests.support.hostile_turns import ATTEMPTS, HOME, answered, fact
from tests.support.residue import residue
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from marskg.memory import AgentMemory
    from tests.support.chat_server import ChatServer
    from tests.support.stores import Stores

#: 2026-02-01T00:00:00Z
FIRST = 1_769_904_000_000
PETS = "A parrot called Quibble sleeps in the greenhouse."


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.model = lambda _: {"facts": []}
        yield running


def opened(stores: Stores, server: ChatServer, **values: Any) -> AgentMemory:
    return stores.open(models__extract=f"openai:m@{server.url}", sensitivity__presidio="off", **values)


def said(text: str, **fields: Any) -> dict[str, Any]:
    return {"content": text, "timestamp": FIRST, "speaker": "Ana", "session": "talk", **fields}


def learn(mem: AgentMemory, *turns: Any) -> Learned:
    found = mem.learn(list(turns))
    assert isinstance(found, Learned)
    return found


def answers(*facts: dict[str, Any]) -> Callable[[dict[int, str]], Any]:
    """Answer about each turn with the facts whose quotation it has."""
    return lambda texts: {"facts": [one for one in facts if one["quote"] in texts[1]]}


def contents(mem: AgentMemory) -> list[str]:
    found = [one for one in mem.memories() if one.kind is not Kind.EPISODIC and one.current and one.tier == "live"]
    return sorted(one.content or "" for one in found)


def _answer(stores: Stores, turn: str) -> Any:
    """Return what the engine has of the answer about a turn."""
    rows = stores.engine.read("MATCH (m:Memory) WHERE m.id = $id RETURN m.answer AS answer", {"id": turn})
    return rows[0]["answer"]


def _answers_of(stores: Stores, mem: AgentMemory) -> list[Any]:
    """Return all answers that the engine has of a tenant."""
    text = "MATCH (m:Memory) WHERE m.tenant = $tenant AND m.answer IS NOT NULL RETURN m.answer AS answer"
    return stores.engine.read(text, {"tenant": mem.tenant})


def test_a_model_adds_facts_with_their_turn_and_its_name(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    server.model = answers(fact("A parrot called Quibble sleeps in the greenhouse"))
    found = learn(mem, said(PETS))
    assert contents(mem) == ["A parrot called Quibble sleeps in the greenhouse"]
    (stored,) = (mem.get(one) for one in found.facts)
    assert stored is not None
    assert stored.spans == (f"{found.turns[0]}#char=0,48",)
    assert "extract.v1" in stored.made_by[0]
    assert any("a model answered 1 times" in notice for notice in found.notices)
    assert mem.verify().findings == ()
    assert mem.validate(full=True).findings == ()


def test_the_same_turn_twice_is_asked_about_once(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    server.model = answers(fact("A parrot called Quibble sleeps in the greenhouse"))
    (turn,) = learn(mem, said(PETS)).turns
    learn(mem, said(PETS))
    assert len(server.requests) == 1
    learn(mem, turn)
    assert len(server.requests) == 1, "the kept answer is read again"
    assert len(contents(mem)) == 1


def test_a_kept_answer_outlives_a_change_of_its_turn(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    (turn,) = learn(mem, said(PETS)).turns
    mem.policy.pin(turn)
    learn(mem, turn)
    assert len(server.requests) == 1


@pytest.mark.server
def test_an_erasure_reaches_the_answer(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    server.model = lambda _: {"facts": [], "thought": "zyzzyva-marginalia"}
    (turn,) = learn(mem, said(PETS, subjects=["Ana"])).turns
    assert "zyzzyva-marginalia" in str(_answer(stores, turn))
    mem.erase(subject="Ana")
    with pytest.raises(ConsentRequired):
        learn(mem, said(PETS, subjects=["Ana"]))
    assert _answers_of(stores, mem) == []


def _thinking(thought: str, _: dict[int, str]) -> Any:
    return f'{{"facts": [], "thought": "{thought}"}}'


@pytest.mark.parametrize("by", ["entity", "subject"])
def test_an_erasure_reaches_what_is_kept_of_answers_about_a_named_third_person(
    stores: Stores, server: ChatServer, by: str
) -> None:
    mem = opened(stores, server)
    mem.remember("I sing.", subjects=["Zoë Ek"])
    for thought, text in {
        r"Zo\u00eb keeps a parrot": PETS,
        "zyzzyva": "My sister Zoë Ek sings in the choir.",
        "kept": "The well is deep.",
    }.items():
        server.model = partial(_thinking, thought)
        learn(mem, said(text))
    assert len(_answers_of(stores, mem)) == 3
    server.statuses = [500] * 9
    assert learn(mem, said("Zoë Ek likes the sea."), said("The roof leaks.")).unread == 2
    if by == "subject":
        own = stores.open_as(mem, Principal(Role.SUBJECT, "Zoë Ek"))
        own.erase(subject="Zoë Ek")
        assert (len(_answers_of(stores, mem)), mem.stats()["unread"]) == (3, 2), "what others said is not theirs"
    whom: dict[str, Any] = {by: "Zoë Ek"}
    mem.erase(**whom, dry_run=True)
    assert len(_answers_of(stores, mem)) == 3
    mem.erase(**whom)
    (answer,) = _answers_of(stores, mem)
    assert "kept" in answer["answer"]
    server.statuses = []
    asked = len(server.requests)
    assert len(stores.apart().open(mem.tenant).learning.read_backlog().turns) == 1
    assert len(server.requests) == asked + 1
    assert "likes the sea" not in json.dumps(server.requests[-1][2])
    assert mem.verify().findings == ()
    assert mem.validate(full=True).findings == ()


def test_an_erasure_with_scrub_leaves_no_byte_of_the_answer(server: ChatServer, tmp_path: Path) -> None:
    config = tmp_path / "settings.yaml"
    config.write_text(f"models:\n  extract: openai:m@{server.url}\n")
    server.model = lambda _: {"facts": [], "thought": "zyzzyva-marginalia"}
    with marskg.open(tmp_path / "store", config=config) as mem:
        mem.learn([said(PETS, subjects=["Ana"])])
    assert residue(tmp_path / "store", ["zyzzyva-marginalia"])
    with marskg.open(tmp_path / "store") as mem:
        mem.erase(subject="Ana", scrub=True)
    assert residue(tmp_path / "store", ["zyzzyva-marginalia"]) == []


def test_an_encrypted_tenant_keeps_its_answers_encrypted(
    stores: Stores, server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARS_VAULTS", str(tmp_path / "vaults"))
    mem = opened(stores, server, encryption="subjects", models__encrypted=True)
    server.model = lambda _: {"facts": [], "thought": "zyzzyva-cipher"}
    (turn,) = learn(mem, said(PETS, subjects=["Ana"])).turns
    kept = _answer(stores, turn)
    assert kept
    assert "zyzzyva" not in kept
    learn(mem, turn)
    assert len(server.requests) == 1, "and reads them"


def test_a_turn_that_is_erased_while_it_is_read_keeps_no_answer(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    other = stores.open(mem.tenant)

    def erase(_: dict[int, str]) -> Any:
        other.erase(subject="Ana")
        return {"facts": [fact("A parrot called Quibble sleeps in the greenhouse")]}

    server.model = erase
    found = learn(mem, said(PETS, subjects=["Ana"]))
    assert (found.turns, found.facts) == ((), ()), "what was erased while it was read stays so"
    assert contents(mem) == []
    assert _answers_of(stores, mem) == []


def test_what_is_erased_while_the_backlog_is_read_stays_so(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    server.statuses = [500] * 9
    assert learn(mem, said(PETS, subjects=["Ana"]), said("The well is deep.", subjects=["Bo"])).unread == 2
    server.statuses = []
    other, again = stores.open(mem.tenant), stores.open(mem.tenant)

    def erase(_: dict[int, str]) -> Any:
        other.erase(subject="Ana")
        return {"facts": []}

    server.model = erase
    found = again.learning.read_backlog()
    assert (len(found.turns), found.facts, found.unread) == (1, (), 0)
    assert [one.content for one in mem.memories()] == ["The well is deep."]
    assert mem.verify().findings == ()


REFUSALS: dict[str, Callable[[AgentMemory], object]] = {
    "erased": lambda mem: mem.erase(subject="Ana"),
    "opted out": lambda mem: mem.preferences.set("opt_out_purpose", "language_model", subject="Ana"),
    "no model": lambda mem: mem.settings.set(None, {"models.extract": "none"}),
}


@pytest.mark.parametrize("refusal", REFUSALS)
def test_what_is_refused_while_another_turn_is_asked_about_is_not_sent(
    stores: Stores, server: ChatServer, refusal: str
) -> None:
    mem = opened(stores, server)
    other = stores.open(mem.tenant)

    def refuse(_: dict[int, str]) -> Any:
        REFUSALS[refusal](other)
        return {"facts": []}

    server.model = refuse
    learn(mem, *(said(f"{PETS} {number}", subjects=["Ana"]) for number in range(4)))
    assert len(server.requests) == 1
    assert mem.verify().findings == ()


def test_two_processes_that_read_the_backlog_make_facts_of_a_turn_once(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    server.model = lambda _: "no list"
    assert learn(mem, said(PETS)).unread == 1
    ready, words = Barrier(2), iter([PETS, PETS.removesuffix(".")])

    def both(_: dict[int, str]) -> Any:
        ready.wait(HANGS_S)
        return {"facts": [fact(next(words))]}

    server.model = both
    other = stores.apart().open(mem.tenant)
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(one.learning.read_backlog) for one in (mem, other)]
    assert sorted(len(one.result().facts) for one in done) == [0, 1]
    assert len(contents(mem)) == 1
    assert mem.stats()["unread"] == 0
    assert mem.verify().findings == ()


def test_what_was_taken_back_is_not_read_again_for_a_model(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    server.model = lambda _: "no list"
    found = learn(mem, said("I live in Oslo."))
    assert (contents(mem), found.unread) == (["Ana lives in Oslo"], 1)
    mem.learning.undo(found.call)
    server.model = lambda _: {"facts": []}
    assert len(mem.learning.read_backlog().turns) == 1
    assert contents(mem) == []


def test_without_an_endpoint_nobody_is_asked(stores: Stores, server: ChatServer) -> None:
    found = learn(stores.open(), said(PETS))
    assert server.requests == []
    assert found.notices == ()


def test_a_day_has_one_limit_for_all_who_open_the_tenant(stores: Stores, server: ChatServer) -> None:
    server.usage = {"prompt_tokens": 4_000, "completion_tokens": 1}
    mem = opened(stores, server, models__limit__day=6_000)
    learn(mem, said("The roof leaks."))
    again = stores.open(mem.tenant)
    found = learn(again, said("The cellar is dry."), said("The attic is dusty."))
    assert len(server.requests) == 1
    assert any("models.limit.day" in notice for notice in found.notices)
    assert found.unread == 2, "they wait for another day, stored and read by the rules"


def test_a_dry_run_asks_nobody(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    assert isinstance(mem.learn([said(PETS)], dry_run=True), LearnPlan)
    assert list(mem.memories()) == []
    assert server.requests == []


def test_a_turn_that_is_too_long_for_the_model_does_not_wait_for_it(stores: Stores, server: ChatServer) -> None:
    found = learn(opened(stores, server), said("word " * 20_000))
    assert (len(found.turns), found.unread) == (1, 0)
    assert "models.limit.turn" in found.notices[0]


# --- What is sent -----------------------------------------------------------------------------------------------------


def test_what_a_person_and_a_tenant_keep_back_is_not_sent(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    mem.preferences.set("opt_out_purpose", "language_model", subject="Ben")
    learn(
        mem,
        said("Zucchini grow by the wall.", subjects=["Ben"]),
        said("My card is 4111 1111 1111 1111, buy seeds."),
        said("Write to ana@example.org about the tools."),
        said("The well is deep.", subjects=["Ana"]),
        said("The pump is loud.", speaker="eve@example.org"),
        mem.remember("The attic key hangs by the door.", purpose=["care"]).id,
    )
    received = json.dumps([request for _, _, request in server.requests])
    assert "The well is deep" in received
    assert "The pump is loud" in received
    for secret in ("Zucchini", "4111", "ana@example.org", "eve@example.org", "attic"):
        assert secret not in received


def test_what_is_bound_to_a_place_or_names_who_refuses_stays_here(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    mem.preferences.set("opt_out_purpose", "language_model", subject="Ben")
    learn(
        mem,
        said("Ben grows zucchini by the wall."),
        said("The gate is green.", speaker="Ben", subjects=["Ana"]),
        mem.remember("The attic is dusty.", jurisdiction="EU").id,
        said("The well is deep."),
    )
    received = json.dumps([request for _, _, request in server.requests])
    assert "The well is deep" in received
    assert not any(secret in received for secret in ("zucchini", "gate", "attic"))
    mem.settings.set(None, {"models.jurisdiction": "US"})
    learn(mem, mem.remember("The cellar is damp.", jurisdiction="EU").id)
    mem.settings.set(None, {"models.jurisdiction": "EU"})
    learn(mem, mem.remember("The roof is new.", jurisdiction="EU").id)
    received = json.dumps([request for _, _, request in server.requests])
    assert ("The roof is new" in received, "cellar" in received) == (True, False)


#: Who refuses models, and how others write of them in a turn that is about nobody or about somebody else.
WRITTEN: dict[str, tuple[str, ...]] = {
    "Benvolio Montague": (
        "Benvolio grows {}.", "BENVOLIO grows {}.", "We borrowed Benvolio's {}.", "The Montagues grow {}.",
        "BenvolioMontague grows {}.", "BenvolioMontagues {} won.", "They all talk of the Montagues' {}.",
        "Lady Montague and Benvólio grow {}.",
    ),
    "Zoë": ("Zoe grows {}.", "zoe grows {}.", "Zoes {} are ripe.", "It was ZOË'S {}."),
    "Zoe": ("Zoë grows {}.", "The Zoes grow {}."),
}  # fmt: skip


@pytest.mark.parametrize("rule", ["opt_out_purpose", "consent_required", "private_entity"])
@pytest.mark.parametrize("name", WRITTEN)
def test_who_refuses_is_kept_back_however_others_write_of_them(
    stores: Stores, server: ChatServer, name: str, rule: str
) -> None:
    mem = opened(stores, server)
    if rule == "private_entity":
        mem.remember(f"{name} came by.", kind="semantic", mentions=[name])
        mem.preferences.set(rule, name, level=0.9)
    else:
        mem.preferences.set(rule, "language_model", subject=name)
    learn(mem, *(said(text.format(f"zucchini{number}")) for number, text in enumerate(WRITTEN[name])))
    assert server.requests == []
    learn(mem, said("The well by the montana road is deep."), said("Zoology is hard, and benevolence too."))
    assert len(server.requests) == 2, "and nobody else is"


def test_a_consent_that_everybody_has_to_give_protects_who_is_only_named(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    mem.remember("He keeps bees.", kind="semantic", subjects=["Benvolio Montague"])
    mem.remember("My sister Hermine came by.", kind="semantic")
    mem.preferences.set("consent_required", "language_model")
    mem.preferences.set("consent", "language_model", subject="Ana Berg")
    turns = ("The zucchini are Benvolio's.", "The Montagues grow zucchini.", "Hermine grows zucchini.")
    learn(mem, *(said(turn, subjects=[]) for turn in turns), said("Ana likes zucchini.", subjects=["Bo"]))
    learn(mem, said("The zucchini are ripe.", speaker="Eve", subjects=["Ana Berg"]))
    assert server.requests == []
    learn(mem, said("The well is deep.", speaker="Ana Berg"), said("Ana's pump is loud.", speaker="Ana Berg"))
    received = json.dumps([request for _, _, request in server.requests])
    assert ("The well is deep" in received, "pump is loud" in received) == (True, True), "who consents is read"


def test_a_text_of_which_only_placeholders_are_left_is_not_sent(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server)
    found = learn(mem, said("My doctor says asthma."), said("ana@example.org, bo@example.org!"))
    assert server.requests == []
    assert "redaction leaves nothing of it (2 of 2 turns)" in found.notices[0]
    learn(mem, said("Send the seeds to bo@example.org."), said("[HEALTH] is what the form says."))
    assert len(server.requests) == 2


# --- Thirty attempts --------------------------------------------------------------------------------------------------


def test_thirty_attempts_come_to_nothing(stores: Stores, server: ChatServer) -> None:
    assert len(ATTEMPTS) >= 30
    mem = opened(stores, server)
    learn(mem, said(HOME, subjects=["Ana"]))
    before = contents(mem)
    assert before
    for name, (role, text, planned) in ATTEMPTS.items():
        server.model = partial(answered, planned)
        learn(mem, said(text, role=role, session=name))
        changed = [one for one in contents(mem) if one not in before]
        assert not any("Mallory" in one or "sk-live" in one or "evil" in one for one in changed), name
        assert [one for one in before if one not in contents(mem)] == [], name
        assert changed == [], name
    assert not any(one.pinned for one in mem.memories())
    assert mem.verify().findings == ()


def test_a_redirection_takes_nothing_elsewhere(stores: Stores, server: ChatServer) -> None:
    with chat_server() as elsewhere:
        server.location, server.statuses = f"{elsewhere.url}/chat/completions", [307]
        found = learn(opened(stores, server), said(PETS))
        assert elsewhere.requests == []
    assert any("redirects" in notice for notice in found.notices)
    assert found.unread == 1


def test_a_late_model_does_not_keep_the_turns_from_being_stored(stores: Stores, server: ChatServer) -> None:
    mem = opened(stores, server, models__limit__wait="300ms")
    server.delay = 1.0
    found = learn(mem, said(PETS))
    assert found.unread == 1
    assert len(list(mem.memories())) == 1
    assert any("did not answer within" in notice for notice in found.notices)
