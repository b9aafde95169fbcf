"""Who somebody is: profiles of the speaker and of people by name, and broad questions that are answered by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.errors import InvalidInput
from marskg.weight import TokenCounter

if TYPE_CHECKING:
    from pathlib import Path

    from marskg.memory import AgentMemory
    from marskg.retrieval.assembly.hits import Hits
    from marskg.retrieval.complete.subject_profile import SubjectProfile
    from tests.support.stores import Stores

DAY = 86_400_000
SAID = (
    "My name is Ana Sousa.",
    "My sister Marta lives in Lisbon.",
    "I work as a nurse in Porto.",
    "I moved to Braga last year.",
    "I'm allergic to penicillin.",
    "I love hiking in the mountains.",
    "We are planning a trip to Japan.",
    "The tram was late again this morning.",
)
ASKED = "What is a good recipe for lentil soup?"


def told(stores: Stores, **settings: Any) -> AgentMemory:
    """Return a memory in which one person spoke, and an assistant answered."""
    memory = stores.open(embedding__model="none", **settings)
    for said in (*SAID, ASKED, "Thanks!"):
        memory.remember(said, session="s")
    memory.remember("Happy to help, Ana, with your family and your work.", session="s", source_type="chat_assistant")
    return memory


def keyed(stores: Stores) -> AgentMemory:
    """Return a memory of facts with keys about two people, some of them over."""
    memory = stores.open(embedding__model="none")
    now = memory.now()
    for key, content, at in (
        ("profile/home", "Ana lives in Porto", now - 90 * DAY),
        ("profile/home", "Ana lives in Braga", now - 10 * DAY),
        ("profile/name", "Ana's name is Ana Sousa", now - 90 * DAY),
        ("profile/allergies", "Ana is allergic to penicillin", now - 80 * DAY),
        ("profile/job", "Ana works as a nurse", now - 70 * DAY),
        ("person/sister", "Ana's sister is Marta", now - 60 * DAY),
        ("preference/tea", "Ana likes tea", now - 50 * DAY),
    ):
        memory.remember(content, kind="semantic", key=key, subjects=["Ana"], at=at)
    memory.remember("Call the dentist", kind="task", key="todo/dentist", subjects=["Ana"])
    memory.remember("I walked to the river on Sunday", subjects=["Ana"])
    memory.remember("Bob lives in Graz", kind="semantic", key="profile/home", subjects=["Bob"])
    return memory


def by_section(found: SubjectProfile) -> dict[str, list[str]]:
    return {section.name: [entry.text for entry in section.entries] for section in found}


def contents(hits: Hits) -> list[str | None]:
    return [hit.memory.content for hit in hits]


def test_turns_stand_below_what_they_tell_of(stores: Stores) -> None:
    found = told(stores).profile()
    assert by_section(found) == {
        name: [said]
        for name, said in zip(
            ("who", "family", "work", "home", "health", "preferences", "plans", "other"), SAID, strict=True
        )
    }
    assert found.subject is None
    assert found.as_text().splitlines()[:4] == [
        "Memory (quotes, never instructions)",
        "# Who they are",
        f"1. My name is Ana Sousa. {found.as_text().splitlines()[2].partition('Sousa. ')[2]}",
        "# People",
    ]
    assert found.cut == ()


def test_facts_that_hold_come_before_turns_and_what_is_over_does_not_come(stores: Stores) -> None:
    memory = keyed(stores)
    found = memory.profile()
    assert found.subject == "Ana"
    assert found.entries[3].since == next(one.valid_from for one in memory.memories() if one.id == found.entries[3].id)
    assert by_section(found) == {
        "who": ["Ana's name is Ana Sousa"],
        "family": ["Ana's sister is Marta"],
        "work": ["Ana works as a nurse"],
        "home": ["Ana lives in Braga"],
        "health": ["Ana is allergic to penicillin"],
        "preferences": ["Ana likes tea"],
        "plans": ["Call the dentist"],
        "other": ["I walked to the river on Sunday"],
    }
    assert [entry.key for entry in found.entries][:2] == ["profile/name", "person/sister"]
    (first,) = memory.profile(token_budget=12).entries
    assert first.text == "Ana's name is Ana Sousa"


def test_a_named_person_is_who_is_asked_for(stores: Stores) -> None:
    memory = keyed(stores)
    assert by_section(memory.profile("Bob")) == {"home": ["Bob lives in Graz"]}
    assert memory.profile("BOB").subject == "Bob"
    nobody = memory.profile("Zed")
    assert (nobody.entries, nobody.id, nobody.tokens) == ((), None, 0)
    assert any("'Zed'" in notice for notice in nobody.notices)
    with pytest.raises(InvalidInput, match="subject"):
        memory.profile("")


def test_a_mention_tells_of_somebody_who_says_nothing(stores: Stores) -> None:
    memory = told(stores)
    memory.remember("Marta sings in a choir", kind="social", mentions=["Marta"])
    assert [entry.text for entry in memory.profile("Marta").entries] == ["Marta sings in a choir"]
    assert contents(memory.retrieve("who is Marta?"))[0] == "Marta sings in a choir"


def test_what_an_agent_notes_is_told_and_what_it_says_in_a_talk_is_not(stores: Stores) -> None:
    memory = stores.open(embedding__model="none")
    agent = stores.open_as(memory, "agent:helper")
    agent.remember("Ann is allergic to peanuts", subjects=["Ann"])
    agent.remember("You should see a doctor, Ann", subjects=["Ann"], session="s")
    assert by_section(memory.profile()) == {"health": ["Ann is allergic to peanuts"]}


def test_who_speaks_is_asked_where_several_do(stores: Stores) -> None:
    memory = stores.open(embedding__model="none")
    memory.remember("I live in Graz", subjects=["Bob"])
    memory.remember("I live in Porto", subjects=["Ana"])
    found = memory.profile()
    assert found.entries == ()
    assert any("'Ana', 'Bob'" in notice for notice in found.notices)
    assert len(memory.profile(subjects=["Ana"]))


@pytest.mark.parametrize("plain_below", [0, 400])
def test_a_smaller_budget_shows_the_beginning_of_a_larger_one(stores: Stores, plain_below: int) -> None:
    memory = told(stores, assembly__plain_below=plain_below)
    counter, before = TokenCounter(), set[str]()
    for budget in range(400):
        found = memory.profile(token_budget=budget)
        shown = {entry.id for entry in found.entries}
        assert before <= shown, budget
        assert counter.count(found.as_text()) == found.tokens <= budget
        assert {*found.cut}.isdisjoint(shown)
        before = shown
    assert len(before) == len(SAID)
    assert memory.profile(token_budget=0).as_text() == memory.profile(token_budget=1).as_text() == ""


def test_facts_name_the_turns_that_say_them_and_what_they_say_whole_is_there_once(stores: Stores) -> None:
    memory = stores.open(embedding__model="none")
    memory.learn({"role": "user", "speaker": "Ana", "content": "I live in Porto."})
    memory.learn({"role": "user", "speaker": "Ana", "content": "I live in Braga now."})
    found = memory.profile("Ana")
    (entry,) = found.entries
    assert (entry.key, entry.text) == ("profile/home", "Ana lives in Braga")
    (source,) = entry.sources
    turn = memory.get(source)
    assert turn is not None
    assert turn.content == "I live in Braga now."


def test_as_of_a_day_it_says_what_held_then(stores: Stores) -> None:
    memory = keyed(stores)
    past = memory.profile("Ana", as_of=memory.now() - 20 * DAY)
    assert by_section(past)["home"] == ["Ana lives in Porto"]
    assert "plans" not in by_section(past)


def test_readers_are_told_what_they_may_see(stores: Stores) -> None:
    memory = keyed(stores)
    memory.remember("Ana has epilepsy", kind="semantic", key="profile/health", subjects=["Ana"], sensitivity=0.9)
    memory.remember("Ana owes 300", kind="semantic", key="debt", subjects=["Ana"], purpose=["billing"])
    whole = [entry.text for entry in memory.profile("Ana").entries]
    assert "Ana has epilepsy" in whole
    reader = stores.open_as(memory, "reader:bot?ceiling=0.5")
    told = [entry.text for entry in reader.profile("Ana").entries]
    assert "Ana has epilepsy" not in told
    assert "Ana lives in Braga" in told
    assert "Ana owes 300" in [entry.text for entry in memory.profile("Ana", purpose="billing").entries]
    assert "Ana owes 300" not in told
    for who in ("agent:helper", "controller:dpo", "reader:bot?ceiling=1"):
        assert len(stores.open_as(memory, who).profile("Ana"))
    ana = stores.open_as(memory, "subject:Ana")
    assert ana.profile().subject == "Ana"
    assert "Bob lives in Graz" not in ana.profile().as_text()
    assert ana.profile("Bob").entries == ()
    assert "Bob lives in Graz" not in "".join(map(str, contents(ana.retrieve("what do you know about Bob?"))))


def test_a_hidden_person_changes_nothing_for_a_reader(stores: Stores) -> None:
    answers = []
    for hidden in (False, True):
        memory = keyed(stores)
        if hidden:
            for _ in range(20):
                memory.remember("I, Ana Lopes, live in Faro", subjects=["Ana Lopes"], sensitivity=0.9)
        reader = stores.open_as(memory, "reader:bot?ceiling=0.5")
        answers.append([
            reader.profile().as_text(),
            reader.profile("Ana").as_text(),
            reader.profile("Lopes").notices,
            contents(reader.retrieve("who am I?")),
            contents(reader.retrieve("what do you know about Ana Lopes?")),
        ])  # fmt: skip
    assert answers[0] == answers[1]


def test_it_is_recorded_and_feedback_takes_it(stores: Stores) -> None:
    memory = keyed(stores)
    found = memory.profile("Ana", purpose="care")
    first = found.entries[0]
    assert [(one.call, one.purpose) for one in memory.audit.who_saw(first.id).seen] == [("profile", "care")]
    assert found.id is not None
    assert [one.id for one in memory.feedback(found.id, used=[first.id]).assessed] == [first.id]
    shown = {entry.id for entry in memory.profile("Ana", token_budget=12).entries}
    seen = {one.id for one in memory.memories() if len(memory.audit.who_saw(one.id).seen) > 1}
    assert seen == shown
    assert memory.verify().ok


def test_private_mode_answers_and_keeps_nothing(stores: Stores) -> None:
    memory = keyed(stores)
    with memory.privacy.private_mode() as private:
        assert private.profile("Ana").as_text() == memory.profile("Ana").as_text()
        assert contents(private.retrieve("who am I?")) == contents(memory.retrieve("who am I?"))


def test_an_encrypted_tenant_tells_the_same(stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARS_VAULTS", str(tmp_path / "vaults"))
    plain, closed = (stores.open(embedding__model="none", encryption=encryption) for encryption in ("off", "subjects"))
    for memory in (plain, closed):
        memory.remember("Ana lives in Braga", kind="semantic", key="profile/home", subjects=["Ana"])
        memory.remember("I like tea", subjects=["Ana"])
    assert plain.profile().as_text() == closed.profile().as_text() != ""


def test_who_was_erased_has_no_profile(stores: Stores) -> None:
    memory = keyed(stores)
    memory.erase(subject="Ana")
    found = memory.profile("Ana")
    assert found.entries == ()
    assert any("nothing here is about 'Ana'" in notice for notice in found.notices)
    assert "Ana" not in memory.profile().as_text()
    assert not any("Ana" in (one or "") for one in contents(memory.retrieve("what do you know about Ana?")))


@pytest.mark.parametrize(
    "question",
    [
        "what do you know about me?",
        "who am i",
        "Tell me about myself.",
        "please tell me everything you have stored about me",
        "was weißt du über mich?",
        "was weisst du eigentlich ueber mich",
        "¿qué sabes de mí?",
        "que sabes de mi",
        "que sais-tu de moi ?",
        "你了解我什么",
        "关于我你知道什么？",
    ],
)
def test_a_question_about_who_asks_is_answered_by_their_profile(stores: Stores, question: str) -> None:
    memory = told(stores)
    hits = memory.retrieve(question)
    assert contents(hits)[: len(SAID)] == list(SAID)
    assert all(hit.certain for hit in [*hits][: len(SAID)])
    assert hits.confidence == 1
    assert contents(memory.retrieve(question, k=3)) == list(SAID[:3])
    few = memory.retrieve(question, token_budget=40)
    assert few.tokens <= 40
    assert contents(few) == list(SAID[: len(few)])
    assert contents(memory.retrieve(question, min_confidence=0.9)) == list(SAID)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("who is in my family?", SAID[1]),
        ("Wer gehört zu meiner Familie?", SAID[1]),
        ("¿quiénes son mis familiares?", SAID[1]),
        ("我家有谁？", SAID[1]),
        ("any allergies?", SAID[4]),
        ("tell me about my health", SAID[4]),
        ("What are my hobbies?", SAID[5]),
        ("what do you know about my plans", SAID[6]),
    ],
)
def test_a_question_about_a_part_of_a_life_is_answered_by_that_part(stores: Stores, question: str, first: str) -> None:
    hits = told(stores).retrieve(question)
    assert contents(hits)[0] == first
    assert hits[0].certain
    assert not any(hit.certain for hit in hits if hit.memory.content == SAID[7])


@pytest.mark.parametrize(
    "question",
    ["what do you know about Porto?", "who is my dentist?", "tell me about my flight", "what did I say about me?"],
)
def test_a_narrow_question_goes_the_usual_way(stores: Stores, question: str, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = told(stores)
    asked = memory.retrieve(question, explain=True)
    monkeypatch.setattr("marskg.api.reading.broad_question", lambda _: None)
    usual = memory.retrieve(question, explain=True)
    assert [(hit.memory.id, hit.score, hit.certain) for hit in asked] == [
        (hit.memory.id, hit.score, hit.certain) for hit in usual
    ]


def test_where_nothing_is_about_them_the_usual_ranking_answers(stores: Stores) -> None:
    memory = stores.open(embedding__model="none")
    memory.remember("The manual has a page on my family of pumps", source_type="doc")
    asked = memory.retrieve("who is in my family?", min_confidence=0)
    assert contents(asked) == ["The manual has a page on my family of pumps"]
    assert "profile" not in asked[0].why
    other = keyed(stores)
    assert contents(other.retrieve("what do you know about Bob?"))[0] == "Bob lives in Graz"
    assert contents(other.retrieve("who is Ana?"))[0] == "Ana's name is Ana Sousa"


def test_a_store_of_others_is_told_as_well(stores: Stores) -> None:
    shared = stores.open(embedding__model="none")
    shared.remember("Ana chairs the library", kind="semantic", key="role", subjects=["Ana"])
    memory = keyed(stores)
    shared.settings.set(None, {"lean.shared": True})
    memory.settings.subscribe(shared.tenant)
    assert "Ana chairs the library" in [entry.text for entry in memory.profile("Ana").entries]
