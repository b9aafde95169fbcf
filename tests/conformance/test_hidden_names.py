"""Names that hidden memories give are nothing to who may not see these: pairs of stores that differ in one memory."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import Draft, EntityRef
from marskg.errors import InvalidCall, MarsError
from marskg.ontology.vocabulary import Kind, SourceType
from tests.support.stores import START

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from marskg.api.restricted.restricted_memory import RestrictedMemory
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

_IDS = re.compile(r"urn:uuid:[0-9a-f-]{36}")
#: What differs between any two stores.
_OWN = re.compile(rf"{_IDS.pattern}|'t-[0-9a-f]+'|\b1\d{{12}}\b")
HIDDEN = 0.9

#: A text with what it is stored with; what is as sensitive as HIDDEN is in one store of a pair alone.
Said = tuple[str, dict[str, Any]]


def visible(text: str, *mentions: str | EntityRef) -> Said:
    return text, {"mentions": list(mentions)} if mentions else {}


def hidden(text: str, *mentions: str | EntityRef) -> Said:
    return text, {**visible(text, *mentions)[1], "sensitivity": HIDDEN}


def told(ask: Callable[[], Any]) -> str:
    try:
        return _OWN.sub("OWN", repr(ask()))
    except InvalidCall:
        raise
    except MarsError as error:
        return f"{type(error).__name__}: {_OWN.sub('OWN', str(error))}"


def pair(stores: Stores, said: Iterable[Said], look: Callable[[AgentMemory], dict[str, str]]) -> None:
    """Let ``look`` tell the same of a store with what is hidden and of one without."""
    answers = []
    for whole in (True, False):
        memory = stores.open(embedding__model="none", entities__recognise="on")
        for text, given in said:
            if whole or given.get("sensitivity") != HIDDEN:
                memory.remember(text, **given)
        answers.append(look(memory))
    assert answers[0] == answers[1], answers


AGENTS = ("agent:bot?ceiling=0.3", "agent:bot?ceiling=0.3&source=chat_user")

MIA = (visible("Mia is far", EntityRef("Mia", "place")),)
ILL = hidden("Mia is ill", EntityRef("Mia", "person", same_as=("http://clinic.example/7",)))


def write(*said: Said) -> Callable[[RestrictedMemory], object]:
    return lambda agent: [agent.remember(text, **given).notices for text, given in said]


WRITES: dict[str, tuple[Sequence[Said], Callable[[RestrictedMemory], object]]] = {
    "a name that two bear": ((*MIA, ILL), write(visible("about Mia", "Mia"))),
    "a name that two bear, the hidden first": ((ILL, *MIA), write(visible("about Mia", "Mia"))),
    "a name that two hidden ones bear": (
        (ILL, hidden("Mia burns", EntityRef("Mia", "place"))),
        write(visible("about Mia", "Mia")),
    ),
    "an IRI that two bear": (
        (
            visible("Mia is far", EntityRef("Mia", "place", same_as=("http://e.org/1",))),
            hidden("Mia rang", EntityRef("Mia B", same_as=("http://e.org/1",))),
        ),
        write(visible("about it", "http://e.org/1")),
    ),
    "a hidden memory makes a visible two": (
        (*MIA, visible("Ann called", "Ann"), hidden("she", EntityRef("Ann", "person"), EntityRef("Mia", "person"))),
        write(visible("Mia, again", "Mia")),
    ),
    "three, one of them hidden": (
        (*MIA, visible("Mia sings", EntityRef("Mia", "person")), hidden("Mia Inc", EntityRef("Mia", "organisation"))),
        write(visible("about Mia", "Mia")),
    ),
    "many at once": (
        (*MIA, ILL),
        lambda agent: agent.remember_many(agent_drafts("about Mia", "Mia")).notices,
    ),
    "a new text": (
        (*MIA, ILL),
        lambda agent: agent.update(agent.remember("something").id, "Mia was seen").notices,
    ),
    "two that may be one": (
        (visible("Nora Lind sings", "Nora Lind"), hidden("Nora Weiss was ill", "Nora Weiss")),
        write(visible("wedding", EntityRef("Nora Weiss", aliases=("Nora Lind",)))),
    ),
    "two that may be one, the other hidden": (
        (visible("Nora Weiss bakes", "Nora Weiss"), hidden("Nora Lind was ill", "Nora Lind")),
        write(visible("wedding", EntityRef("Nora Weiss", aliases=("Nora Lind",)))),
    ),
    "two that may be one, spelled by a hidden memory": (
        (
            hidden("NORA LIND was ill", "NORA LIND"),
            visible("Nora Lind sings", "Nora Lind"),
            visible("Nora Weiss bakes", "Nora Weiss"),
        ),
        write(visible("wedding", EntityRef("Nora Weiss", aliases=("Nora Lind",)))),
    ),
    "an equal value": (
        (
            ("Mia is late", {"key": "note/mia", "cardinality": "set"}),
            *MIA,
            ILL,
        ),
        write(("Mia is late", {"key": "note/mia", "cardinality": "set", "mentions": ["Mia"]})),
    ),
    "a hidden value of the key": (
        (("Oslo", {"key": "home", "sensitivity": HIDDEN, "mentions": [EntityRef("Mia", "person")]}), *MIA),
        write(visible("about Mia", "Mia")),
    ),
    "a memory that never was": (
        (*MIA, ILL),
        write(("x", {"derives_from": ["urn:uuid:01a2220c-a840-7264-915f-77b8207fc9f9"]})),
    ),
    "an entity that never was": ((*MIA, ILL), write(visible("x", "urn:uuid:01a2220c-a840-7264-915f-77b8207fc9f9"))),
}


def agent_drafts(text: str, *mentions: str) -> list[Draft]:
    given: dict[str, Any] = {"mentions": tuple(map(EntityRef, mentions)), "source_type": SourceType.CHAT_ASSISTANT}
    return [Draft(ref="d", kind=Kind.EPISODIC, content=text, at=START, **given)]


@pytest.mark.parametrize("principal", AGENTS)
@pytest.mark.parametrize("case", WRITES)
def test_what_a_write_is_told_names_nothing_hidden(stores: Stores, case: str, principal: str) -> None:
    said, writes = WRITES[case]
    pair(stores, said, lambda memory: {"told": told(lambda: writes(stores.open_as(memory, principal)))})


def test_an_agent_is_asked_about_those_whom_it_sees(stores: Stores) -> None:
    memory = stores.open(embedding__model="none", entities__recognise="on")
    for text, given in (*MIA, visible("Mia sings", EntityRef("Mia", "person"))):
        memory.remember(text, **given)
    memory.remember("Nora Lind sings")
    memory.remember("Nora Weiss bakes")
    agent = stores.open_as(memory, "agent:bot?source=chat_user")
    (asked,) = agent.remember("about Mia", mentions=["Mia"]).notices
    assert asked.startswith("2 things are called 'Mia'; this is linked to none of them")
    (asked,) = agent.remember("wedding", mentions=[EntityRef("Nora Weiss", aliases=("Nora Lind",))]).notices
    assert asked.startswith("'Nora Weiss' is said to be 'Nora Lind', and they are two here")
    assert not _IDS.search(asked)
    # Who may see all is told the ids by which it is answered.
    (asked,) = memory.remember("about Mia", mentions=["Mia"]).notices
    assert len(_IDS.findall(asked)) == 3


def test_a_memory_that_is_shown_tells_no_ids_of_entities(stores: Stores) -> None:
    def look(memory: AgentMemory) -> dict[str, str]:
        reader = stores.open_as(memory, "reader:bot?ceiling=0.3")
        agent = stores.open_as(memory, AGENTS[0])
        return {
            "found": told(lambda: [hit.memory.names_given for hit in reader.retrieve("Who sings?")]),
            "written": told(lambda: agent.remember("Zora swims", mentions=["Zora"]).names_given),
        }

    said = (hidden("Zora Klein was ill", EntityRef("Zora Klein", aliases=("Zora",))), visible("Zora sings", "Zora"))
    pair(stores, said, look)


def test_a_rule_that_hides_nothing_hides_no_name_from_the_operator(stores: Stores) -> None:
    memory = stores.open(embedding__model="none", entities__recognise="on")
    memory.preferences.set("private_entity", "Maria Salva")
    kept = memory.remember("note about the shed", mentions=[EntityRef("Jordan", same_as=("http://e.org/0",))])
    for name in ("Jordan", "http://e.org/0"):
        assert [hit.memory.id for hit in memory.recall(name)] == [kept.id]
    # A ceiling hides from everybody who states no purpose: then a name has to be read, as for any such reader.
    memory.preferences.set("sensitivity_ceiling", "health", level=0.5)
    assert told(lambda: memory.recall("Jordan")).startswith("UnknownMemory")


# --- Keys of what is learned ----------------------------------------------------------------------------------------


def learned(memory: AgentMemory, said: Iterable[tuple[bool, str]], *, whole: bool = True) -> None:
    """Let ``memory`` learn what is said; what is hidden, as the first of each pair says, where all is."""
    for secret, text in said:
        if whole or not secret:
            given: dict[str, Any] = {"sensitivity": HIDDEN} if secret else {}
            memory.learn(memory.remember(text, source_type="chat_user", **given))


def shown(memory: AgentMemory, stores: Stores) -> dict[str, str]:
    reader = stores.open_as(memory, "reader:bot?ceiling=0.3")
    return {
        "memories": told(lambda: sorted((one.key or "", one.content, one.notices) for one in reader.memories())),
        "all": told(lambda: sorted(hit.memory.content for hit in reader.read_all(entity="Tom"))),
        "found": told(lambda: sorted(hit.memory.content for hit in reader.retrieve("Where does Tom live?"))),
    }


@pytest.mark.parametrize(
    "said",
    [
        ((True, "My boss Tom moved to Oslo."), (False, "My brother Tom lives in Graz.")),
        ((False, "My brother Tom lives in Graz."), (True, "My boss Tom lives in Oslo."), (False, "Tom lives in Rome.")),
        ((True, "My brother Tom lives in Graz."), (False, "My boss Tom lives in Rome."), (False, "Tom lives in Wien.")),
        ((True, "My brother Tom lives in Graz."), (False, "Tom lives in Wien."), (False, "Tom moved to Linz.")),
        ((True, "Tom lives in Oslo."), (False, "My boss Tom lives in Rome.")),
        ((True, "My brother's name is Tom."), (False, "My boss Tom lives in Rome."), (False, "Tom lives in Bern.")),
    ],
)
def test_a_key_tells_of_no_hidden_namesake(stores: Stores, said: Sequence[tuple[bool, str]]) -> None:
    answers = []
    for whole in (True, False):
        memory = stores.open(embedding__model="none", entities__recognise="on")
        learned(memory, said, whole=whole)
        answers.append(shown(memory, stores))
    assert answers[0] == answers[1], answers


@pytest.mark.parametrize(
    ("said", "current"),
    [
        (
            ("My aunt Rosa lives in Graz.", "My other aunt Rosa lives in Rome."),
            {"person/rosa/aunt/home": "Graz", "person/rosa/other aunt/home": "Rome"},
        ),
        (
            ("My friend Tom lives in Graz.", "My best friend Tom lives in Rome.", "My old friend Tom lives in Bonn."),
            {
                "person/tom/friend/home": "Graz",
                "person/tom/best friend/home": "Rome",
                "person/tom/old friend/home": "Bonn",
            },
        ),
        (
            ("My second cousin Ann lives in Graz.", "My cousin Ann moved to Rome."),
            {"person/ann/second cousin/home": "Graz", "person/ann/cousin/home": "Rome"},
        ),
        (
            ("My aunt lives in Graz.", "My other aunt lives in Rome.", "My dear aunt moved to Linz."),
            {"person/aunt/home": "Linz", "person/other aunt/home": "Rome"},
        ),
        (
            ("My wife Ann lives in Graz.", "My dear wife Ann moved to Rome."),
            {"person/ann/partner/home": "Rome"},
        ),
        (
            ("Tom lives in Graz.", "Tom lives in Linz."),
            {"person/tom/home": "Linz"},
        ),
        (
            ("My brother Tom lives in Graz.", "My boss Tom lives in Rome.", "Tom lives in Bern."),
            {"person/tom/brother/home": "Graz", "person/tom/boss/home": "Rome", "person/tom/home": "Bern"},
        ),
        (
            ("My brother Tom's birthday is on 3 May.", "My boss Tom's birthday is on 4 June."),
            {"person/tom/brother/birthday": "3 May", "person/tom/boss/birthday": "4 June"},
        ),
    ],
)
def test_who_is_told_of_by_a_role_has_a_key_with_it(
    stores: Stores, said: Sequence[str], current: dict[str, str]
) -> None:
    memory = stores.open(embedding__model="none", entities__recognise="on")
    learned(memory, [(False, text) for text in said])
    held = {one.key: one.content or "" for one in memory.memories() if one.current and (one.key or "").count("/") > 1}
    assert held.keys() == current.keys()
    assert all(held[key].endswith(value) for key, value in current.items()), held


# --- What a name joins for a reader ---------------------------------------------------------------------------------


def found(memory: AgentMemory, stores: Stores, *names: str) -> dict[str, str]:
    reader = stores.open_as(memory, "reader:bot?ceiling=0.3")
    answers = {
        "entities": told(lambda: [(one.name, one.aliases, one.same_as) for one in reader.entities.list()]),
        "memories": told(lambda: sorted((one.content or "", one.names_given) for one in reader.memories())),
    }
    return answers | {name: told(partial(asked_for, reader, name)) for name in names}


def asked_for(reader: RestrictedMemory, name: str) -> list[object]:
    return [
        [(hit.memory.content, hit.score) for hit in reader.recall(name)],
        [hit.memory.content for hit in reader.read_all(entity=name)],
        [hit.memory.content for hit in reader.retrieve(f"What about {name}?")],
    ]


MARIA, SOLD = visible("Maria Silva works at the bank"), visible("Mia sold her car")
LIND = visible("Nora Lind sings", "Nora Lind")
JOINED: dict[str, tuple[Sequence[Said], tuple[str, ...]]] = {
    "called": ((MARIA, hidden("Maria Silva, called Mia, was arrested"), SOLD), ("Mia", "Maria Silva", "Maria")),
    "called, said first": ((hidden("Maria Silva, called Mia, was ill"), SOLD, MARIA), ("Mia", "Maria Silva", "Silva")),
    "an alias": (
        (
            visible("Maria Silva works", "Maria Silva"),
            hidden("a note", EntityRef("Maria Silva", aliases=("Quartz",))),
            visible("Quartz sold her car", "Quartz"),
        ),
        ("Quartz", "Maria Silva"),
    ),
    "a name given later": (
        (
            LIND,
            hidden("wedding", EntityRef("Nora Weiss", aliases=("Nora Lind",))),
            visible("Nora Weiss bakes bread", "Nora Weiss"),
        ),
        ("Nora Lind", "Nora Weiss", "Nora", "Weiss"),
    ),
    "a maiden name": (
        (visible("Olga Weiss bakes"), hidden("Olga Weiss, née Lind, was ill"), visible("Olga Lind sang")),
        ("Olga Weiss", "Olga Lind", "Lind", "Olga"),
    ),
    "a short name": (
        (visible("Robert Smith rows"), hidden("Robert (Bob) Smith was ill"), visible("Bob was late")),
        ("Bob", "Robert Smith", "Robert"),
    ),
    "three names, of which a visible text joins two": (
        (
            MARIA,
            visible("Maria Silva, called Mia, sings"),
            hidden("Maria Silva, also known as Quartz, was ill"),
            SOLD,
            visible("Quartz moved", "Quartz"),
        ),
        ("Mia", "Maria Silva", "Quartz"),
    ),
}


@pytest.mark.parametrize("case", JOINED)
def test_what_a_hidden_memory_joins_is_as_many_things_as_without_it(stores: Stores, case: str) -> None:
    said, names = JOINED[case]
    pair(stores, said, lambda memory: found(memory, stores, *names))


def test_what_may_be_seen_or_was_done_by_hand_joins_names(stores: Stores) -> None:
    memory = stores.open(embedding__model="none", entities__recognise="on")
    for text, given in (MARIA, visible("Maria Silva, called Mia, sings"), SOLD, hidden("Maria Silva was ill")):
        memory.remember(text, **given)
    for text, given in (visible("Ann Lee rows", "Ann Lee"), visible("Annie swims", "Annie"), hidden("Annie, ill")):
        memory.remember(text, **given)
    ids = {one.name: one.id for one in memory.entities.list()}
    memory.entities.merge(ids["Ann Lee"], ids["Annie"])
    reader = stores.open_as(memory, "reader:bot?ceiling=0.3")
    assert {hit.memory.content for hit in reader.recall("Mia")} == {
        "Maria Silva works at the bank",
        "Maria Silva, called Mia, sings",
        "Mia sold her car",
    }
    for name in ("Ann Lee", "Annie"):
        assert {hit.memory.content for hit in reader.recall(name)} == {"Ann Lee rows", "Annie swims"}
        assert "ill" in str([hit.memory.content for hit in memory.recall(name)])
    # The operator reads with a ceiling of their own as anybody does, and finds by an id all that it is.
    hidden_one = memory.remember("wedding", mentions=[EntityRef("Nora B", aliases=("Quartz",))], sensitivity=HIDDEN)
    for text, given in (visible("Nora B bakes", "Nora B"), visible("Quartz moved", "Quartz")):
        memory.remember(text, **given)
    (nora,) = [one for one in memory.entities.list() if "Quartz" in one.aliases]
    assert [hit.memory.content for hit in memory.recall("Quartz", max_sensitivity=0.3)] == ["Quartz moved"]
    assert len(memory.recall(nora.id, max_sensitivity=0.3)) == 2
    assert hidden_one.id in {hit.memory.id for hit in memory.recall("Quartz")}
