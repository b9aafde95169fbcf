"""Names that hidden memories give are nothing to who may not see these: pairs of stores that differ in one memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import Draft, EntityRef
from marskg.errors import MarsError
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
    assert answers[0] == answers[1]


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
        return {"given": told(lambda: [hit.memory.names_given for hit in reader.retrieve("Zora sings")])}

    said = (hidden("ZORA KLEIN was ill, Zora Klein", EntityRef("Zora Klein", aliases=("Z",))),)
    pair(stores, (*said, visible("Z sings: Zora sings", "Z")), look)


def test_a_rule_that_hides_nothing_hides_no_name_from_the_operator(stores: Stores) -> None:
    memory = stores.open(embedding__model="none", entities__recognise="on")
    memory.preferences.set("private_entity", "Maria Salva")
    kept = memory.remember("note about the shed", mentions=[EntityRef("Jordan", same_as=("http://e.org/0",))])
    for name in ("Jordan", "http://e.org/0"):
        assert [hit.memory.id for hit in memory.recall(name)] == [kept.id]
    # A ceiling hides from everybody who states no purpose: then a name has to be read, as for any such reader.
    memory.preferences.set("sensitivity_ceiling", "health", level=0.5)
    assert told(lambda: memory.recall("Jordan")).startswith("UnknownMemory")
