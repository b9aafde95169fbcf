"""What no text, reader or other tenant may make of learning: each comes to a clear refusal or a stated result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from marskg.drafts import EntityRelation
from marskg.errors import InvalidInput, UnknownMemory
from marskg.extraction.proposal import Maker, Proposal, ProposalOperation, Span
from marskg.learning.from_text.plan import Learned, Outcome
from marskg.ontology.vocabulary import Cardinality, EdgeType, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from marskg.extraction.proposal import Turn
    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

DAY = 86_400_000
#: 2026-02-01T00:00:00Z
FIRST = 1_769_904_000_000


def said(text: str, place: int = 0, **fields: Any) -> dict[str, Any]:
    return {"content": text, "timestamp": FIRST + place, "speaker": "Ana", "session": "talk", **fields}


def learn(mem: AgentMemory, given: Any, **options: Any) -> Learned:
    found = mem.learn(given, **options)
    assert isinstance(found, Learned)
    return found


def contents(mem: AgentMemory) -> list[str]:
    found = [one for one in mem.memories() if one.kind is not Kind.EPISODIC and one.current and one.tier == "live"]
    return sorted(one.content or "" for one in found)


def sound(mem: AgentMemory) -> None:
    assert mem.validate(full=True).findings == ()
    assert mem.verify().findings == ()


class Says:
    """Proposes what it was given of the first turn of a call, and nothing of others."""

    def __init__(self, *proposals: Any, stores_first: bool = False, fails: Exception | None = None) -> None:
        self._proposals, self._fails = proposals, fails
        self.stores_first = stores_first

    def extract(self, turns: Sequence[Turn]) -> Iterator[Any]:  # noqa: ARG002 - whatever they say
        yield from self._proposals
        if self._fails is not None:
            raise self._fails


def proposal(content: str = "Ana keeps bees", operation: str = "add", **more: Any) -> Proposal:
    common: dict[str, Any] = {"span": Span(0, 0, 3), "maker": Maker("test.says"), "confidence": 0.9}
    return Proposal(ProposalOperation(operation), Kind.SEMANTIC, content, **(common | {"subjects": ("Ana",)} | more))


# --- Turns ------------------------------------------------------------------------------------------------------------

NO_TURNS: list[tuple[dict[str, Any], str, str]] = [
    (said("  \n\t"), "blank", "leave the line out"),
    (said("\u200b\u2060"), "not seen", "write it with letters"),
    (said("x", session="s" * 1_001), "longer than 1000 bytes", "shorten it"),
    (said("x", speaker=" "), "blank", "leave the line out"),
    (said("x", subjects=[""]), "subjects", "leave the line out"),
    (said("x", timestamp=-1), "outside the years", "give the time"),
    (said("x", timestamp=10**18), "outside the years", "give the time"),
    (said("x", metadata={"page": float("nan")}), "NaN", "leave it out"),
]


@pytest.mark.parametrize(("turn", "rule", "way_out"), NO_TURNS, ids=[rule for _, rule, _ in NO_TURNS])
@pytest.mark.parametrize("place", [1, 200])
def test_one_turn_that_is_none_keeps_all_of_its_call_out(
    stores: Stores, turn: dict[str, Any], rule: str, way_out: str, place: int
) -> None:
    mem = stores.open()
    before = mem.stats()["audit_seq"]
    turns = [said(f"I like thing number {number}.", number) for number in range(place - 1)]
    with pytest.raises(InvalidInput, match=rf"turn {place}: .*{rule}.*{way_out}.*nothing of it was stored"):
        mem.learn([*turns, turn, said("I live in Oslo.", 999)])
    assert ([*mem.memories()], mem.stats()["audit_seq"]) == ([], before)


def test_a_limit_of_the_tenant_is_asked_before_anything_is_stored(stores: Stores) -> None:
    mem = stores.open(max_content_bytes=50)
    turns = [said(f"I like thing number {number}.", number) for number in range(150)]
    with pytest.raises(InvalidInput, match="turn 151: content is longer than 50 bytes"):
        mem.learn([*turns, said("x" * 51)])
    assert [*mem.memories()] == []


SCRIPTS = (
    "我住在奥斯陆。", "أعيش في أوسلو", "אני גר באוסלו", "Я живу в Осло.", "Ζω στο Όσλο.", "ฉันอาศัยอยู่ในออสโล",
    "オスロに住んでいます。",
    "오슬로에 살아요.", "मैं ओस्लो में रहता हूँ।", "Ես ապրում եմ Օսլոյում", "👩‍👩‍👧‍👦🏳️‍🌈", "Z̵̡͝a̷͓͝l̵̛͎g̴̱̈o̶͔͝", "I live in \u202eolsO.",
)  # fmt: skip


def test_turns_in_many_scripts_are_stored_as_they_are_and_once(stores: Stores) -> None:
    mem = stores.open()
    turns = [said(text, place) for place, text in enumerate(SCRIPTS)]
    found = learn(mem, [*turns, *turns[::-1], *turns])
    assert (len(found.turns), found.known) == (len(SCRIPTS), 0)
    assert sorted(one.content or "" for one in mem.memories() if one.kind is Kind.EPISODIC) == sorted(SCRIPTS)
    assert learn(mem, turns).known == len(SCRIPTS)
    sound(mem)


# --- What a turn says and takes back ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("I live in Oslo. No wait, I live in Bergen.", ["Ana lives in Bergen"]),
        ("I like tea. Actually I hate tea.", ["Ana hates tea"]),
        ("I like tea. I don't like tea.", ["Ana dislikes tea"]),
    ],
)
def test_of_what_a_turn_says_twice_the_last_word_holds(stores: Stores, text: str, holds: list[str]) -> None:
    mem = stores.open()
    learn(mem, said(text))
    assert contents(mem) == holds
    sound(mem)


def test_what_a_turn_adds_and_ends_is_done_in_its_order(stores: Stores) -> None:
    mem = stores.open()
    key: dict[str, Any] = {"key": "preference/bees", "cardinality": Cardinality.SET}
    likes, no_more = proposal("Ana likes bees", **key), proposal("no more bees", "end", old="bees", key=key["key"])
    found = learn(mem, said("abc"), extractor=Says(likes, no_more))
    assert (found.counts(), contents(mem)) == ({"stored": 1, "ended": 1}, [])
    found = learn(mem, said("abc", 1), extractor=Says(no_more, proposal("Ana likes wasps", **key)))
    assert (found.counts(), contents(mem)) == ({"stored": 1, "nothing": 1}, ["Ana likes wasps"])
    home: dict[str, Any] = {"key": "profile/home"}
    values = [proposal(f"Ana lives in {town}", "update", **home) for town in ("Oslo", "Bergen", "Oslo", "Bonn")]
    learn(mem, said("abc", 2), extractor=Says(*values))
    assert contents(mem) == ["Ana likes wasps", "Ana lives in Bonn"]
    sound(mem)


#: What is not meant, not so, or somebody else's word.
NOT_SAID = (
    "Yeah right, I just love traffic jams.",
    "I love traffic jams, said no one ever.",
    "I live in Oslo, just kidding.",
    "She said I hate tea.",
    "People say I like tea.",
    "'I hate tea' is what she wrote.",
    "If I lived in Oslo, I would be happy.",
    "If I move to Oslo I will buy a boat.",
    "I might move to Oslo.",
    "I wish I lived in Oslo.",
    "Do I live in Oslo?",
    "I live in Oslo?",
    "I don't live in Oslo.",
    "It's not true that I live in Oslo.",
    "I can't say I like tea.",
    "I have never been married.",
)


@pytest.mark.parametrize("text", NOT_SAID)
def test_irony_quotations_conditions_questions_and_denials_are_no_facts(stores: Stores, text: str) -> None:
    mem = stores.open()
    assert learn(mem, said(text)).facts == ()
    assert len([*mem.memories()]) == 1


# --- Readers ----------------------------------------------------------------------------------------------------------

NO_PROPOSALS: list[tuple[Any, str]] = [
    ("Ana keeps bees", "item 1 is of type str"),
    (proposal(span=None), "item 1 has a field span"),
    (proposal(span=Span(0, 0.5, 2)), "item 1 .*start .*integer"),  # type: ignore[arg-type]
    (proposal(maker="me"), "item 1 has a field maker"),
    (proposal(None), "item 1 has a field content"),  # type: ignore[arg-type]
    (proposal(confidence="sure"), "item 1 has a field confidence"),
    (proposal(subjects="Ana"), "item 1 has a field subjects"),
    (proposal(payload=["concept"]), "item 1 has a field payload"),
    (proposal(valid_from=1.5), "item 1 has a field valid_from"),
]


@pytest.mark.parametrize("stores_first", [False, True])
@pytest.mark.parametrize(("given", "words"), NO_PROPOSALS, ids=[words for _, words in NO_PROPOSALS])
def test_what_is_no_proposal_is_named_and_nothing_of_it_is_stored(
    stores: Stores,
    given: Any,
    words: str,
    stores_first: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    mem = stores.open()
    with pytest.raises(InvalidInput, match=rf"extractor\.extract\(\) returned .*{words}"):
        mem.learn(said("abc"), extractor=Says(given, proposal(), stores_first=stores_first))
    assert contents(mem) == []
    assert mem.stats()["unread"] == len([*mem.memories()]) == int(stores_first)
    sound(mem)


@pytest.mark.parametrize(
    "unfit",
    [
        proposal(span=Span(0, -3, -1)), proposal(span=Span(0, 2, 2)), proposal(span=Span(0, 3, 1)),
        proposal(span=Span(0, 0, 4)), proposal(confidence=float("nan")), proposal(" "), proposal("x" * (1 << 21)),
        proposal(subjects=("",)), proposal(mentions=(" ",)), proposal(key="k" * 1_001), proposal(payload={"colour": 1}),
        proposal(valid_from=10**30), proposal(valid_from=FIRST, valid_to=FIRST - 1),
    ],
    ids=range(13),
)  # fmt: skip
def test_one_proposal_that_is_unfit_is_refused_by_itself(stores: Stores, unfit: Proposal) -> None:
    mem = stores.open()
    found = learn(mem, said("abc"), extractor=Says(unfit, proposal()))
    assert [step.outcome for step in found.steps] == [Outcome.REFUSED, Outcome.STORED]
    assert found.steps[0].why
    assert contents(mem) == ["Ana keeps bees"]
    sound(mem)


def test_a_reader_that_speaks_of_other_turns_is_not_heard(stores: Stores) -> None:
    mem = stores.open()
    for place in (-1, 1, 9):
        assert learn(mem, said("abc", place), extractor=Says(proposal(span=Span(place, 0, 1)))).steps == ()
    sound(mem)


@pytest.mark.parametrize("stores_first", [False, True])
def test_what_another_tenant_has_is_not_reached_by_its_ids(
    stores: Stores,
    stores_first: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    mem, other = stores.open(), stores.open()
    theirs = other.remember("I live in Rome", subjects=["Bo"], mentions=["Rome"])
    (rome,) = other.entities.list()
    before = [*other.memories()], other.stats()["audit_seq"]
    nobody = theirs.id.replace(theirs.id[9:17], "00000000")
    told = []
    givens: tuple[Any, ...] = (theirs.id, theirs, [said("mine"), theirs.id], nobody)
    for given in givens:
        with pytest.raises(UnknownMemory) as refused:
            mem.learn(given)
        told.append(str(refused.value).replace(theirs.id, "ID").replace(nobody, "ID"))
    assert len({*told}) == 1, "whether another tenant has it is not told"
    assert [*mem.memories()] == []
    reader = Says(
        proposal("a", mentions=(rome.id,)),
        proposal("b", relations=(EntityRelation("Ana", EdgeType.WORKS_AT, rome.id),)),
        proposal("no more", "end", old=theirs.id),
        proposal("no more", "close", key=theirs.id),
        proposal("Ana keeps bees"),
        stores_first=stores_first,
    )
    found = learn(mem, said("abc"), extractor=reader)
    refused_, nothing = Outcome.REFUSED, Outcome.NOTHING
    assert [step.outcome for step in found.steps] == [refused_, refused_, nothing, nothing, Outcome.STORED]
    assert mem.stats()["unread"] == 0
    assert ([*other.memories()], other.stats()["audit_seq"]) == before
    sound(mem)


@pytest.mark.parametrize("stores_first", [False, True])
def test_a_reader_that_breaks_off_leaves_no_half_of_a_turn(
    stores: Stores,
    stores_first: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    mem = stores.open()
    with pytest.raises(ValueError, match="broken"):
        mem.learn(said("abc"), extractor=Says(proposal(), stores_first=stores_first, fails=ValueError("broken")))
    assert contents(mem) == []
    assert mem.stats()["unread"] == len([*mem.memories()]) == int(stores_first)
    assert learn(mem, said("abc"), extractor=Says(proposal())).facts
    sound(mem)


def test_a_value_of_a_later_year_does_not_stand_before_all_that_is_said_until_then(stores: Stores) -> None:
    mem = stores.open()
    home: dict[str, Any] = {"key": "profile/home", "operation": "update"}
    learn(mem, said("abc"), extractor=Says(proposal("Ana lives in Oslo", **home)))
    found = learn(mem, said("abd"), extractor=Says(proposal("Ana lives in Hades", valid_from=2 * FIRST, **home)))
    assert [step.outcome for step in found.steps] == [Outcome.WAITS]
    assert "ahead" in found.steps[0].why
    learn(mem, said("abe", DAY), extractor=Says(proposal("Ana lives in Bonn", **home)))
    assert contents(mem) == ["Ana lives in Bonn"]
    sound(mem)
