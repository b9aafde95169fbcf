"""Names that are hardly names: each is stored or refused in the product's words, and erasing one takes nobody else's.

Names of one letter, of 2,000 letters, of marks alone, equal to a common word or a place; many namesakes; an alias that
is another's full name; a circle of aliases; names as keys of metadata at the depth that is allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg import EntityRef
from marskg.clock import ManualClock, SeededSource
from marskg.errors import MarsError
from marskg.ontology.vocabulary import Kind
from tests.support.names import name
from tests.support.proof import amount

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from marskg.memory import AgentMemory

NAMESAKES = amount(300, 10_000)
#: Levels that the metadata below may have around a name: half of them are lists as well, and sixteen are stored.
DEEPEST = 8
#: A full name to be erased beside each odd one.
PLAIN = "Ottilie Brandner"
ODD = {
    "one letter": "A",
    "one letter of another script": "Я",
    "one sign": "李",
    "2,000 letters": "Ab" * 1_000,
    "2,000 letters in words": ("Abcdefghi " * 200).strip(),
    "marks alone": "?!…—·",
    "accents alone": "\u0301\u0308\u0301",
    "blanks alone": " \u00a0\u2003",
    "what is not seen": "\u200b\u200d\u2060",
    "a face": "🙂",
    "a common word": "the",
    "a word of every day": "water",
    "a verb": "called",
    "a place": "Jordan",
    "a month": "May",
    "a number": "7",
    "a pattern": ".*",
    "a quotation": "'\" OR 1=1 --",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bad-names") / "store"


@pytest.fixture
def memory(folder: Path) -> Iterator[AgentMemory]:
    opened = marskg.open(
        folder, tenant=name(), budget=2_000_000, clock=ManualClock(step_ms=1), source=SeededSource(1), encryption="off"
    )
    yield opened
    opened.close()


def contents(memory: AgentMemory) -> set[str]:
    return {one.content for one in memory.memories() if one.content is not None}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize("way", ["mention", "alias", "subject", "add_alias"])
def test_an_odd_name_takes_nobody_elses_memories(memory: AgentMemory, odd: str, way: str) -> None:
    others = {
        "the water of the lake is cold in May",
        "A neighbour called about seven things",
        "We flew to Jordan once?!",
    }
    for text in others:
        memory.remember(text)
    memory.remember(f"{PLAIN} keeps bees on the roof", mentions=[PLAIN])
    before, refusal = contents(memory), ""
    given: dict[str, dict[str, Any]] = {
        "mention": {"mentions": [odd]},
        "alias": {"mentions": [EntityRef(PLAIN, aliases=(odd,))]},
        "subject": {"subjects": [odd]},
        "add_alias": {},
    }
    try:
        if way == "add_alias":
            (entity,) = [one for one in memory.entities.list() if one.name == PLAIN]
            memory.entities.add_alias(entity.id, odd)
        else:
            memory.remember("a line that is about somebody", **given[way])
    except MarsError as error:
        refusal = str(error)
    if refusal:
        assert odd not in refusal or len(odd) < 100, "a message repeats no more of a name than a screen has"
        assert contents(memory) == before
    memory.erase(entity=PLAIN)
    assert not any(PLAIN in text for text in contents(memory))
    # An operator who calls somebody "the" by add_alias or a mention has said so; the words of a subject are nobody's.
    if way == "subject":
        assert others <= contents(memory)
    assert memory.verify().ok


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_to_erase_or_recall_an_odd_name_is_answered_or_refused(memory: AgentMemory, odd: str) -> None:
    memory.remember(f"{PLAIN} keeps bees by night", subjects=[PLAIN])
    for ask in (
        lambda: memory.erase(entity=odd),
        lambda: memory.erase(subject=odd),
        lambda: memory.recall(odd),
        lambda: memory.retrieve("bees", subjects=[odd], min_confidence=0),
        lambda: memory.read_all(entity=odd),
    ):
        try:
            ask()
        except MarsError:
            continue
    assert f"{PLAIN} keeps bees by night" in contents(memory)


@pytest.mark.slow
def test_one_of_many_namesakes_goes_alone(memory: AgentMemory) -> None:
    people = [f"Maria {syllables(number)}" for number in range(NAMESAKES)]
    at = memory.now()
    texts = [f"{who} keeps bees on the roof" for who in people]
    drafts = [marskg.Draft(ref=f"r{n}", kind=Kind.SEMANTIC, content=text, at=at) for n, text in enumerate(texts)]
    memory.remember_many(drafts)
    first_alone = memory.remember("Maria called about the loan for the boat")
    receipt = memory.erase(entity=people[7])
    assert contents(memory) == {*texts, first_alone.content} - {texts[7]}
    assert first_alone.id in {one.id for one in receipt.near}
    assert memory.verify().ok


def syllables(number: int) -> str:
    word = ""
    for _ in range(3):
        number, place = divmod(number, 60)
        word += "bdfgklmnprst"[place // 5] + "aeiou"[place % 5]
    return word.capitalize() + "ner"


def test_an_alias_that_is_anothers_full_name_takes_only_whom_the_operator_means(memory: AgentMemory) -> None:
    ann = memory.remember("Annie Lee keeps bees on the roof", mentions=["Annie Lee"])
    memory.remember("Bob Hall repairs bikes in town", mentions=["Bob Hall"])
    bystander = memory.remember("Bea Hall sings in a choir", mentions=["Bea Hall"])
    memory.remember("a note from the meeting", mentions=[EntityRef("Bob Hall", aliases=("Annie Lee",))])
    try:
        memory.erase(entity="Annie Lee")
        asked = False
    except MarsError:
        # Two go by it: asking which is right as well.
        asked = True
    assert (memory.get(ann.id) is None) is not asked
    assert memory.get(bystander.id) is not None
    assert memory.verify().ok


def test_a_circle_of_aliases_ends(memory: AgentMemory) -> None:
    circle = ("Ada Moor", "Ada Lund", "Ada Roth")
    for one, other in zip(circle, (*circle[1:], circle[0]), strict=True):
        try:
            memory.remember(f"{one} keeps bees on the roof", mentions=[EntityRef(one, aliases=(other,))])
        except MarsError:
            continue
    bystander = memory.remember("Ida Falk sings in a choir", mentions=["Ida Falk"])
    for one in circle:
        try:
            memory.recall(one)
            memory.erase(entity=one)
        except MarsError:
            continue
    assert memory.get(bystander.id) is not None
    assert memory.verify().ok


@pytest.mark.parametrize("depth", [1, 8, 30, 60])
def test_a_name_as_a_key_of_metadata_is_found_at_any_depth_that_is_stored(memory: AgentMemory, depth: int) -> None:
    inner: dict[str, Any] = {PLAIN: {"seat": 4}}
    for level in range(depth):
        inner = {f"l{level}": [inner] if level % 2 else inner}
    bystander = memory.remember("seats of others", metadata={"Ida Falk": {"seat": 5}})
    if depth > DEEPEST:
        with pytest.raises(MarsError) as refused:
            memory.remember("seats", metadata=inner)
        assert PLAIN not in str(refused.value)
        return
    seats = memory.remember("seats", metadata=inner)
    memory.remember(f"{PLAIN} keeps bees on the roof")
    receipt = memory.erase(entity=PLAIN)
    assert memory.get(seats.id) is None, f"left, and near has {len(receipt.near)}"
    assert memory.get(bystander.id) is not None
