"""Names that are hard to ask for, through the public door: short, long, of signs alone, of two people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from marskg.drafts import Draft, EntityRef
from marskg.errors import ConsentRequired, ErasedContentRefused, InvalidInput, PreferenceRefused
from marskg.ontology.vocabulary import Kind
from tests.support.stores import START

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

_LONG: Final = "Nora" * 2_500
#: A name, what it takes, and what it leaves; what it leaves and may be meant is near.
HARD: Final[dict[str, tuple[str, str, str]]] = {
    "one letter": ("x", "x marks the spot", "xylophones of Max"),
    "one sign of a script without blanks": ("王", "", "王芳 ordered tea"),
    "one digit": ("7", "the key of house 7 hangs here", "the key of house 17 hangs here"),
    "ten thousand letters": (_LONG, f"{_LONG} came by", f"{_LONG}h came by"),
    "punctuation alone": ("...", "she said ... and left", "she said. And left."),
    "a line break": ("Ann\nBerg", "Ann Berg came by", "Anna Berg came by"),
    "both directions": ("Ann דנה Berg", "a letter of Ann דנה Berg", "a letter of Ann Berg"),
    "a mark that turns the direction": ("Ann\N{RIGHT-TO-LEFT MARK} Berg", "Ann Berg came by", "Anna Berg came by"),
    "a picture": ("🐝", "🐝 is what we call her", "🐞 is what we call her"),
}


@pytest.mark.parametrize("case", HARD)
def test_a_hard_name_takes_what_bears_it_and_nothing_else(stores: Stores, case: str) -> None:
    name, taken, left = HARD[case]
    memory = stores.open(embedding__model="none")
    stays = memory.remember(left, session="a")
    goes = [memory.remember(taken, session="b").id] if taken else []
    before = memory.erase(entity=name, dry_run=True)
    assert [one.id for one in before.memories] == goes
    receipt = memory.erase(entity=name)
    assert [one.id for one in memory.memories()] == [stays.id]
    assert len(receipt.near) == len(before.near)
    assert (receipt.outcome == "nothing matched") == (not goes)


@pytest.mark.parametrize("name", ["", "   ", "\n", "\N{ZERO WIDTH SPACE}", "\N{RIGHT-TO-LEFT OVERRIDE}"])
@pytest.mark.parametrize("way", ["entity", "subject"])
def test_a_name_of_which_nothing_is_seen_is_refused(stores: Stores, way: str, name: str) -> None:
    memory = stores.open(embedding__model="none")
    asked: dict[str, Any] = {way: name}
    with pytest.raises(InvalidInput, match="write who or what is to go"):
        memory.erase(**asked)


def test_of_two_people_of_one_name_in_one_text_one_goes(stores: Stores) -> None:
    memory = stores.open(embedding__model="none")
    first, second = (EntityRef("Kim Sato", "person", same_as=(f"https://example.org/{n}",)) for n in (1, 2))
    alone = memory.remember("Kim Sato sails", mentions=[second])
    memory.remember("Kim Sato met the other Kim Sato", mentions=[first, second])
    with pytest.raises(InvalidInput, match="Kim Sato"):
        memory.erase(entity="Kim Sato")
    memory.erase(entity="https://example.org/1")
    assert [one.id for one in memory.memories()] == [alone.id]


def test_an_erasure_while_the_same_person_is_imported_leaves_nothing_of_them(stores: Stores) -> None:
    memory = stores.open(embedding__model="none")
    other = stores.open_as(memory, "controller:officer")

    def told() -> Iterator[Draft]:
        for n in range(700):
            if n == 400:
                other.erase(subject="nora")
            yield Draft(ref=f"d{n}", kind=Kind.EPISODIC, content=f"Nora paid the bill number {n} of the garden",
                        at=START, subjects=("nora",))  # fmt: skip

    with pytest.raises(ConsentRequired):
        memory.remember_many(told())
    assert _of_nora(memory) == []
    # With her consent to it she may be written about again.
    memory.preferences.consent("nora")
    memory.remember("Nora waters the beans", subjects=["nora"])
    assert _of_nora(memory) == ["Nora waters the beans"]


def _of_nora(memory: AgentMemory) -> list[str]:
    return [one.content for one in memory.memories() if "nora" in one.subjects and one.content is not None]


#: What stands around a name and makes no other name of it.
AROUND: Final = ('"{}"', "«{}»", "({})", "[{}]", "{}:", "“{}”", "「{}」", "*{}*", "_{}_", "{} 🌸", "'{}',", "{}.")


@pytest.mark.parametrize("around", AROUND)
def test_signs_around_a_name_are_no_way_past_a_rule_or_an_erasure(stores: Stores, around: str) -> None:
    memory = stores.open(embedding__model="none")
    for rule, target in (("blacklisted_entity", "Nora Berg"), ("blacklisted_conversation", "Chat 7")):
        memory.preferences.set(rule, target)
    memory.remember("He sails on Sundays with the children", subjects=["Ada Holm"], session="s-1", source_ref="n.txt")
    for kept in ({"subject": "Ada Holm"}, {"session": "s-1"}, {"source": "n.txt"}):
        memory.erase(**kept)  # type: ignore[arg-type]
    name = around.format("Nora Berg")
    kept_out: tuple[dict[str, Any], ...] = (
        {"subjects": [name]}, {"mentions": [name]}, {"key": name}, {"purpose": [name]}, {"source_ref": name},
        {"mentions": [EntityRef("Ben", aliases=(name,))]}, {"session": around.format("Chat 7")},
    )  # fmt: skip
    for named in kept_out:
        with pytest.raises(PreferenceRefused):
            memory.remember("Somebody came by", **named)
    erased: tuple[dict[str, Any], ...] = (
        {"subjects": [around.format("Ada Holm")]}, {"mentions": [around.format("Ada Holm")]},
        {"session": around.format("s-1")}, {"source_ref": around.format("n.txt")},
    )  # fmt: skip
    for named in erased:
        with pytest.raises((ConsentRequired, ErasedContentRefused)):
            memory.remember("Somebody else came by", **named)
    memory.remember("Somebody came by", subjects=["Ada Holmes", "@Ada", "Nora"], session="s-12", source_ref="n.txt2")
    memory.remember("He rows", subjects=[around.format("Bo Dahl")])
    with pytest.raises(InvalidInput, match="Bo Dahl"):
        memory.erase(subject="Bo Dahl")
