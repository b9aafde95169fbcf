"""Names are given or guessed: what a guess may do, and when a name leaves; the same on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import EntityRef
from marskg.errors import UnknownMemory
from tests.support.stores import START

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores


def opened(stores: Stores, **settings: Any) -> AgentMemory:
    return stores.open(embedding__model="none", entities__recognise="on", **settings)


def told(memory: AgentMemory, *texts: str) -> dict[str, str]:
    return {text: memory.remember(text).id for text in texts}


def left(memory: AgentMemory) -> set[str]:
    return {one.content for one in memory.memories() if one.content is not None}


def names(memory: AgentMemory) -> dict[str, tuple[str, ...]]:
    return {one.name: one.aliases for one in memory.entities.list()}


@pytest.mark.parametrize(
    ("erased", "gone", "stays"),
    [
        (
            "Maria Silva",
            "Maria Silva works at the bank",
            ("Maria called about the loan", "Maria Costa told me her locker word is quartz"),
        ),
        ("Oskar Lindqvist", "Oskar Lindqvist paints", ("Oskar was late", "Oskar Berg moved in")),
        ("Helen Marsh", "Helen Marsh sings", ("Dr. Marsh said no", "Tim Marsh is my brother")),
        ("Priya Nair", "Priya Nair cooks", ("Priya rang", "Anil Nair came", "Priya Menon left")),
        ("Jordan Reed", "Jordan Reed is tall", ("Jordan is late", "We flew to Jordan")),
        ("Ben Carter", "Ben Carter has a boat", ("Ben waved", "Big Ben is being repaired")),
        ("Karl Maria Voss", "Karl Maria Voss sings", ("Karl is late", "Karl Otto Voss swims")),
    ],
)
@pytest.mark.parametrize("backwards", [False, True])
def test_erasing_a_person_takes_nothing_of_who_shares_a_part_of_the_name(
    stores: Stores, erased: str, gone: str, stays: tuple[str, ...], *, backwards: bool
) -> None:
    memory = opened(stores)
    texts = [gone, *stays]
    told(memory, *(texts[::-1] if backwards else texts))
    receipt = memory.erase(entity=erased)
    assert left(memory) == set(stays)
    assert receipt.matched == 1
    # The first name alone may be theirs: a person is told.
    near = (memory.get(one.id) for one in receipt.near)
    assert stays[0] in {one.content for one in near if one is not None}
    assert memory.verify().ok


def test_a_guess_finds_its_one_bearer_and_none_of_two(stores: Stores) -> None:
    memory = opened(stores)
    told(memory, "Olga Brandt likes chess", "Olga is ill")
    assert {hit.memory.content for hit in memory.recall(entity="Olga Brandt")} == {
        "Olga Brandt likes chess",
        "Olga is ill",
    }
    assert "Olga Brandt likes chess" in {hit.memory.content for hit in memory.recall(entity="Olga")}
    told(memory, "Olga Petrova sings")
    assert {hit.memory.content for hit in memory.recall(entity="Olga Brandt")} == {"Olga Brandt likes chess"}


def test_a_name_leaves_with_the_last_memory_that_gave_it(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember("Tom Weber repairs bikes", mentions=["Tom Weber"])
    page = "http://example.org/p/7"
    notes = [
        memory.remember(text, mentions=[EntityRef("Tom Weber", "person", aliases=("Zqheron",), same_as=(page,))]).id
        for text in ("a note", "another note")
    ]
    memory.erase(id=notes[0])
    (tom,) = memory.entities.list()
    assert (tom.aliases, tom.same_as) == (("Zqheron",), (page,))
    memory.erase(id=notes[1])
    (tom,) = memory.entities.list()
    assert (tom.name, tom.aliases, tom.same_as) == ("Tom Weber", (), ())
    with pytest.raises(UnknownMemory):
        memory.recall(entity="Zqheron")
    assert (memory.verify().ok, memory.validate(full=True).ok) == (True, True)


def test_a_name_by_hand_stays_while_its_bearer_does(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember("Tom Weber repairs bikes", mentions=["Tom Weber"])
    note = memory.remember("a note", mentions=[EntityRef("Tom Weber", aliases=("Zqheron",))])
    (tom,) = memory.entities.list()
    memory.entities.add_alias(tom.id, "Zqheron")
    memory.erase(id=note.id)
    assert names(memory) == {"Tom Weber": ("Zqheron",)}
    memory.entities.remove_alias(tom.id, "Zqheron")
    assert names(memory) == {"Tom Weber": ()}


def test_who_is_left_with_an_alias_is_called_by_it(stores: Stores) -> None:
    memory = opened(stores)
    first = memory.remember("Tom Weber, called Zqheron, repairs bikes")
    memory.remember("Zqheron was here")
    assert names(memory) == {"Tom Weber": ("Zqheron",)}
    memory.erase(id=first.id)
    assert names(memory) == {"Zqheron": ()}
    assert {hit.memory.content for hit in memory.recall(entity="zqheron")} == {"Zqheron was here"}
    assert memory.verify().ok


def test_names_move_with_the_mentions_of_who_is_merged(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember("Nora Lind plays the cello", mentions=["Nora Lind"])
    later = memory.remember("Nora Weiss moved to Kiel", mentions=["Nora Weiss"])
    ids = {one.name: one.id for one in memory.entities.list() if one.name.startswith("Nora")}
    memory.entities.merge(ids["Nora Lind"], ids["Nora Weiss"])
    assert names(memory)["Nora Lind"] == ("Nora Weiss",)
    memory.erase(id=later.id)
    assert names(memory)["Nora Lind"] == ()
    assert memory.verify().ok


def test_a_name_that_is_given_later_joins_the_older_entity_or_asks(stores: Stores) -> None:
    memory = opened(stores)
    married = EntityRef("Nora Weiss", "person", aliases=("Nora Lind",))
    memory.remember("Nora Lind plays the cello", mentions=[EntityRef("Nora Lind", "person")])
    memory.remember("She has another name now", mentions=[married])
    memory.remember("Nora Weiss moved", mentions=["Nora Weiss"])
    assert names(memory) == {"Nora Lind": ("Nora Weiss",)}
    assert memory.erase(entity="Nora Weiss").matched == 3
    other = opened(stores)
    for name in ("Nora Lind", "Nora Weiss"):
        other.remember(f"{name} plays", mentions=[name])
    told_of = other.remember("She has another name now", mentions=[married])
    assert any("mars entities merge" in notice for notice in told_of.notices)
    assert len(other.recall(entity="Nora Weiss")) == 3


@pytest.mark.parametrize(
    ("text", "name", "alias"),
    [
        ("Maria Silva, called Mia, works at the bank.", "Maria Silva", "Mia"),
        ("Olga Weiss, née Lind, sings.", "Olga Weiss", "Olga Lind"),
        ("Olga Weiss (born Lind) sings.", "Olga Weiss", "Olga Lind"),
        ("Tom Ek is now called Tom Alm.", "Tom Ek", "Tom Alm"),
        ("Ana Ruiz changed her name to Ana Bell.", "Ana Ruiz", "Ana Bell"),
        ("Bob, short for Robert Quill, came.", "Robert Quill", "Bob"),
    ],
)
def test_a_text_gives_a_name_and_an_assistants_does_not(stores: Stores, text: str, name: str, alias: str) -> None:
    memory = opened(stores)
    memory.remember(text)
    assert names(memory)[name] == (alias,)
    other = opened(stores)
    other.remember(text, source_type="chat_assistant")
    stores.open_as(other, "agent:bot?source=doc").remember(text, source_type="doc", reliability=0.5)
    assert names(other)[name] == ()
    other.remember(f"{alias} is somebody else here")
    assert other.erase(entity=name).matched == 2


def test_a_hidden_text_teaches_no_name(stores: Stores) -> None:
    def answers(*, hidden: bool) -> list[object]:
        memory = opened(stores)
        memory.remember("My brother Tom Weber repairs bikes in Graz, he is a baker")
        if hidden:
            memory.remember("Tom was arrested", sensitivity=0.9)
            memory.remember("a note", sensitivity=0.9, mentions=[EntityRef("Tom Weber", aliases=("baker", "Tom"))])
        reader = stores.open_as(memory, "reader:bot?ceiling=0.3")
        found: list[object] = [[(one.name, one.aliases) for one in reader.entities.list()]]
        for name in ("Tom", "baker", "Tom Weber", "Weber"):
            try:
                found.append([hit.memory.content for hit in reader.recall(entity=name)])
            except UnknownMemory:
                found.append(None)
        found.append(reader.sparql("SELECT (COUNT(*) AS ?n) {?s ?p ?o}").rows)
        return found

    assert answers(hidden=True) == answers(hidden=False)


def test_an_erasure_rests_on_no_look_up(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember("A note", mentions=["Ann Lee"])
    (ann,) = memory.entities.list()
    stores.engine.write(
        "MATCH (w:EntityWord) WHERE w.bearer = $bearer SET w.bearer = $other",
        {"bearer": f"{memory.tenant}|{ann.id}", "other": f"{memory.tenant}|nobody"},
    )
    assert memory.erase(entity="Ann Lee").matched == 1


def test_a_reader_finds_whom_they_spell_otherwise_or_is_told(stores: Stores) -> None:
    memory = opened(stores)
    memory.learn(
        [{"role": "user", "content": "My brother Tom lives in Graz.", "speaker": "Zoë Ruiz", "timestamp": START}]
    )
    for spelled in ("zoë ruiz", "ZOË RUIZ", "Zoe\u0308 Ruiz", '"Zoë Ruiz"'):
        assert len(memory.retrieve("Where does Tom live?", subjects=[spelled], min_confidence=0)), spelled
    for spelled in ("Zoe Ruiz", "Zoë", "Zoey Ruiz"):
        asked = memory.retrieve("Where does Tom live?", subjects=[spelled], min_confidence=0)
        assert not len(asked)
        assert any("Zoë Ruiz" in notice for notice in asked.notices), spelled
    assert any("Bob" in notice for notice in memory.read_all(subjects=["Bob"]).notices)


def test_two_people_of_one_first_name_stay_two_in_facts(stores: Stores) -> None:
    memory = opened(stores)

    def say(text: str, day: int) -> None:
        memory.learn([{"role": "user", "content": text, "speaker": "Ana", "timestamp": START - (9 - day) * 86_400_000}])

    for day, text in enumerate(
        ("My brother Tom lives in Graz.", "My boss Tom moved to Rome.", "My brother Tom moved to Linz.",
         "My boss Tom moved to Paris.", "Tom lives in Bern.")
    ):  # fmt: skip
        say(text, day)
    homes = {one.content: one.current for one in memory.memories() if "/home" in (one.key or "")}
    assert homes == {
        "Ana's brother Tom lives in Graz": False,
        "Ana's boss Tom moved to Rome": False,
        "Ana's brother Tom moved to Linz": True,
        "Ana's boss Tom moved to Paris": True,
        # Whose home a name alone tells is not known: it ends nobody's.
        "Tom lives in Bern": True,
    }
