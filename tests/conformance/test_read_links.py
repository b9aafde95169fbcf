"""A link that was read from a text is believed where the text has the name, and a first word is no part of a name."""
# ruff: noqa: RUF001 - the names are in several alphabets

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import EntityRef
from marskg.ontology.vocabulary import EdgeType

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

ALSO = "rang about the rent"


def opened(stores: Stores, **settings: Any) -> AgentMemory:
    return stores.open(embedding__model="none", entities__recognise="on", **settings)


def fate(memory: AgentMemory, erased: str, texts: dict[str, str]) -> dict[str, str]:
    """Return what an erasure does with each text: taken, near, a namesake's, or nothing."""
    receipt = memory.erase(entity=erased)
    near, namesakes = ({one.id for one in some} for some in (receipt.near, receipt.namesakes))
    return {
        text: "taken"
        if memory.get(ident) is None
        else "near"
        if ident in near
        else "namesake"
        if ident in namesakes
        else "silent"
        for text, ident in texts.items()
    }


#: Who is known, how a text says so, and what stands near the name and is not surely about them.
WORDS = [
    ("Heather", f"Heather {ALSO}", "The heather covers the hill."),
    ("Holly", f"Holly {ALSO}", "I hung a holly on the door."),
    ("Jasper", f"Jasper {ALSO}", "He wears a jasper on a string."),
    ("Lily", f"Lily {ALSO}", "We saw lilies on the pond."),
    ("Pearl", f"Pearl {ALSO}", "She lost a pearl at the beach."),
    ("Rusty", f"Rusty {ALSO}", "I threw out the rusty gate."),
    ("Harmony", f"Harmony {ALSO}", "They sang in a strange harmony."),
    ("Penny", f"Penny {ALSO}", "I found a penny under the sofa."),
    ("Dusty", f"Dusty {ALSO}", "We swept the dusty attic."),
    ("Viola", "Viola ha chiamato ieri", "Suona la viola da anni."),
    ("Roos", "Roos belde gisteren", "Er staat een roos op tafel."),
    ("Надежда", "Надежда звонила вчера", "Её надежда крепка."),
    ("Apple", "Apple sent me a bill", "I drank apple juice"),
]
LONGER = [
    ("Carla Neves", "Carla Neves lives in Ulm", "carla neves prado called"),
    ("Carla Neves", "Carla Neves lives in Ulm", "CARLA NEVES PRADO CALLED"),
    ("Carla Neves", "Carla Neves lives in Ulm", "lia carla neves called"),
    ("Carla Neves", "Carla Neves lives in Ulm", "Carla Neves's Bakery sells bread"),
    ("Carla Neves", "Carla Neves lives in Ulm", "Carla Neves and Sons sell tyres"),
    ("Carla Neves", "Carla Neves lives in Ulm", "Carla Neves (Prado) called"),
    ("Nils Ek", "Nils Ek bor i Lund", "nils ek falk ringde"),
]
#: What the caller says is mentioned, beside what stands inside its name.
CALLED = [
    ("Carla Neves", "carla neves prado plays golf", "Carla Neves Prado"),
    ("Carla Neves", "CARLA NEVES PRADO PLAYS GOLF", "Carla Neves Prado"),
    ("Carla Neves", "lia carla neves plays golf", "Lia Carla Neves"),
    ("Carla Neves", "Carla Neves junior plays golf", "Carla Neves Junior"),
    ("يوسف كمال", "رأيت يوسف كمال طاهر أمس", "يوسف كمال طاهر"),
    ("يوسف كمال", "سعيد يوسف كمال جاء", "سعيد يوسف كمال"),
    ("אורי לוין", "אורי לוין גל בא", "אורי לוין גל"),
    ("विजय मेहता", "विजय मेहता राव आया", "विजय मेहता राव"),
]


@pytest.mark.parametrize(("name", "said", "other"), [*WORDS, *LONGER])
@pytest.mark.parametrize("backwards", [False, True])
def test_a_link_that_was_read_takes_no_word_and_nobody_of_a_longer_name(
    stores: Stores, name: str, said: str, other: str, *, backwards: bool
) -> None:
    memory = opened(stores)
    texts = {text: memory.remember(text).id for text in ((other, said) if backwards else (said, other))}
    found = fate(memory, name, texts)
    assert found[said] in {"taken", "near"}
    assert found[other] in {"near", "namesake"}
    assert memory.verify().ok


@pytest.mark.parametrize("backwards", [False, True])
def test_the_plural_of_a_word_is_nobody(stores: Stores, *, backwards: bool) -> None:
    memory = opened(stores)
    texts = [f"Daisy {ALSO}", "We picked daisies in the grass."]
    found = fate(memory, "Daisy", {text: memory.remember(text).id for text in (texts[::-1] if backwards else texts)})
    assert found[texts[0]] in {"taken", "near"}
    assert found[texts[1]] != "taken"


@pytest.mark.parametrize(("name", "text", "meant"), CALLED)
def test_who_the_caller_says_is_meant_is_nobody_whose_name_stands_inside(
    stores: Stores, name: str, text: str, meant: str
) -> None:
    memory = opened(stores)
    own = memory.remember("a note of rent", mentions=[name]).id
    other = memory.remember(text, mentions=[meant]).id
    edges = next(edges for one, edges, _ in memory.store.reader.memories() if one.id == other)
    linked = {edge.target for edge in edges if edge.type is EdgeType.MENTIONS}
    assert {one.name for one in memory.entities.list() if one.id in linked} & {name, meant} == {meant}
    assert fate(memory, name, {"own": own, "other": other}) in (
        {"own": "taken", "other": "namesake"},
        {"own": "taken", "other": "near"},
    )


def test_what_the_caller_gives_stands_where_the_text_has_no_spelling_of_it(stores: Stores) -> None:
    memory = opened(stores)
    texts = {
        "by name": memory.remember("She is late again", mentions=["Carla Neves"]).id,
        "by a part": memory.remember("Carla is late again", mentions=["Carla Neves"]).id,
        "by an alias": memory.remember("Caro is late", mentions=[EntityRef("Carla Neves", aliases=("Caro",))]).id,
        "by initials": memory.remember("C. Neves is late", mentions=["Carla Neves"]).id,
    }
    assert set(fate(memory, "Carla Neves", texts).values()) == {"taken"}


def test_what_stays_mentions_the_erased_no_more(stores: Stores) -> None:
    memory = opened(stores)
    texts = {text: memory.remember(text).id for text in ("Carla Neves lives in Ulm", "carla neves prado called")}
    assert set(fate(memory, "Carla Neves", texts).values()) == {"taken", "near"}
    assert "Carla Neves" not in {one.name for one in memory.entities.list()}
    assert not [edge for _, edges, _ in memory.store.reader.memories() for edge in edges]
    assert memory.verify().ok


def test_a_blacklist_says_what_an_erasure_says(stores: Stores) -> None:
    memory = opened(stores)
    memory.remember(f"Heather {ALSO}")
    memory.remember("Carla Neves lives in Ulm")
    memory.preferences.set("blacklisted_entity", target="Heather")
    memory.preferences.set("blacklisted_entity", target="Carla Neves")
    for text in ("We saw the heather on the hill.", "carla neves prado called"):
        assert memory.get(memory.remember(text).id) is not None


STARTS = [
    "Hat {} geschrieben?",
    "Sah {} gestern",
    "Morgen kommt {}",
    "Besucht {} uns?",
    "Poor {} fell ill",
    "Remind {} of it",
    "Nudge {} about rent",
    "Fax {} the lease",
    "Convince {} to come",
    "¿Vino {}?",
    "Anteayer {} comió",
    "Avisó {} tarde",
    "Saluta {} domani",
    "Dopodomani {} parte",
    "Chegou {} cedo",
    "Anteontem {} jantou",
    "Gisteren {} betaald",
    "Sprak {} jou?",
    "Såg {} filmen?",
    "Dzisiaj {} wyjechał",
    "Prévenez {} demain",
    "Félicite {} demain",
    "Dün {} aradı",
    "Siehst du {} heute?",
]


@pytest.mark.parametrize("frame", STARTS)
@pytest.mark.parametrize("backwards", [False, True])
def test_the_first_word_of_a_sentence_makes_no_longer_name(stores: Stores, frame: str, *, backwards: bool) -> None:
    memory = opened(stores)
    known, full, first = "Greta Holm lives in Ulm", frame.format("Greta Holm"), frame.format("Greta")
    texts = {text: memory.remember(text).id for text in ((full, first, known) if backwards else (known, full, first))}
    found = fate(memory, "Greta Holm", texts)
    assert found[known] == "taken"
    assert found[full] in {"taken", "near"}
    assert found[first] == "near"


@pytest.mark.parametrize(
    ("name", "known", "text"),
    [
        ("Вера Лисина", "Вера Лисина живёт в Твери", "Завтра Вера Лисина уедет"),
        ("Вера Лисина", "Вера Лисина живёт в Твери", "Приехала Вера Лисина с котом"),
        ("Elif Koç", "Elif Koç burada", "Yarın Elif Koç gelecek"),
        ("Νίκος Ράλλης", "Ο Νίκος Ράλλης μένει εδώ", "Ήρθε Νίκος Ράλλης χθες"),
    ],
)
def test_nor_in_other_scripts(stores: Stores, name: str, known: str, text: str) -> None:
    memory = opened(stores)
    assert fate(memory, name, {one: memory.remember(one).id for one in (known, text)})[text] in {"taken", "near"}


@pytest.mark.parametrize("join", ["y", "&", "und", "e", "et", "и", "och", "i", "og", "en"])
@pytest.mark.parametrize("erased", ["Greta Holm", "Omar Nassif"])
def test_two_full_names_that_are_joined_are_two_people(stores: Stores, join: str, erased: str) -> None:
    memory = opened(stores)
    memory.remember(f"{erased} lives in Ulm")
    text = f"Greta Holm {join} Omar Nassif left"
    assert fate(memory, erased, {text: memory.remember(text).id})[text] in {"taken", "near"}
    assert not any(" " + join + " " in one.name for one in memory.entities.list())


def test_a_longer_name_inside_a_sentence_is_anothers_still(stores: Stores) -> None:
    memory = opened(stores)
    texts = {text: memory.remember(text).id for text in ("Greta Holm paints", "I met Ada Greta Holm at noon")}
    assert fate(memory, "Greta Holm", texts) == {
        "Greta Holm paints": "taken",
        "I met Ada Greta Holm at noon": "namesake",
    }
