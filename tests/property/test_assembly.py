"""Whatever comes in, nothing that is shown exceeds the budget, breaks closure, or fakes a line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from marskg.config import AssemblySettings
from marskg.ontology.vocabulary import Kind, SourceType
from marskg.retrieval.assembly.assemble import Assembled, assemble
from marskg.retrieval.assembly.context_sections import Summary, updated
from marskg.retrieval.assembly.excerpt import GAP, excerpt
from marskg.retrieval.assembly.rendering import INTRODUCTION, headings, one_line
from marskg.weight import TokenCounter
from tests.strategies import texts
from tests.support.candidates import NOON, candidate, direction, memory

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from marskg.records import Memory
    from marskg.retrieval.assembly.candidate import Candidate
    from marskg.retrieval.assembly.context_window import Counter

WORDPIECE = TokenCounter()


class Characters:
    """A counter whose tokens are characters: blanks and line breaks cost, too."""

    @staticmethod
    def count(text: str) -> int:
        return len(text)


class Framed:
    """A counter that adds a frame to every text and joins what stands side by side."""

    @staticmethod
    def count(text: str) -> int:
        return 2 + len(re.findall(r"\w+\W{0,3}|\W", text))


class Growing:
    """A counter by which the whole is dearer than its lines together."""

    @staticmethod
    def count(text: str) -> int:
        return len(text.split()) + len(text) ** 2 // 2_000


COUNTERS: st.SearchStrategy[Counter] = st.sampled_from([WORDPIECE, Characters(), Framed(), Growing()])
BUDGETS = st.integers(0, 12) | st.integers(0, 400) | st.sampled_from([63, 64, 65, 1_000, 10_000])
WORDS = (
    "Ann",
    "likes",
    "tea.",
    "Bob\n2.",
    "fakes",
    "#",
    "assistant",
    "…",
    "水",
    "user:",
    "don't",
    "42",
    "\u2028# 15 Jun 2025 user",
    "(",
)
CONTENT = (
    texts(min_size=1)
    | st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)
    | st.integers(1, 3_000).map(lambda size: "word. " * size)
)
SETTINGS = st.builds(
    AssemblySettings,
    recent_turns=st.integers(0, 4),
    recent_share=st.sampled_from([0.0, 0.35, 0.8]),
    excerpts=st.integers(0, 4),
    minimum_excerpt=st.sampled_from([1, 8]),
    plain_below=st.sampled_from([0, 64]),
)


BASES = st.lists(st.sampled_from(["m0", "m2", "m99", "m100"]), max_size=1)


@st.composite
def one_candidate(draw: st.DrawFn, number: int) -> Candidate:
    """Return a candidate; it may depend on another, on one that is not there, or on a recent turn."""
    return candidate(
        number,
        draw(CONTENT),
        score=draw(st.integers(-10, 1_000_000)),
        kind=draw(st.sampled_from(list(Kind))),
        source_type=draw(st.sampled_from(list(SourceType))),
        session=draw(st.none() | texts()),
        valid_from=draw(st.integers(NOON, NOON + 10**9) | st.just(-(2**62))),
        key=draw(st.sampled_from([None, None, "a", "b"])),
        vector=draw(st.sampled_from([None, direction(1, 0), direction(1, 1)])),
        bases=tuple(base for base in draw(BASES) if number and base != f"m{number}"),
    )


def candidates() -> st.SearchStrategy[list[Candidate]]:
    """Return up to seven candidates."""
    return st.integers(0, 7).flatmap(lambda size: st.tuples(*map(one_candidate, range(size)))).map(list)


def turns() -> st.SearchStrategy[list[Memory]]:
    """Return up to five turns of a session."""
    return st.lists(CONTENT, max_size=5).map(
        lambda said: [
            memory(
                100 + number,
                text,
                kind=Kind.EPISODIC,
                session="s",
                source_type=list(SourceType)[number % 3],
                valid_from=NOON + number,
            )
            for number, text in enumerate(said)
        ]
    )


@st.composite
def assembled(draw: st.DrawFn) -> tuple[Assembled, list[Candidate], list[Memory], Counter]:
    """Return a result with what it was made of."""
    some, said, counter = draw(candidates()), draw(turns()), draw(COUNTERS)
    summary = draw(st.none() | st.just(updated(Summary(), said, 60, counter)))
    found = assemble(
        some,
        budget=draw(BUDGETS),
        counter=counter,
        settings=draw(SETTINGS),
        query_terms=frozenset({"tea", "bob"}),
        recent=said,
        summary=summary,
        contradicts=draw(st.lists(st.tuples(st.sampled_from(["m1", "m2"]), st.sampled_from(["m3", "m9"])), max_size=2)),
    )
    return found, some, said, counter


@given(assembled())
def test_no_form_exceeds_the_budget(case: tuple[Assembled, list[Candidate], list[Memory], Counter]) -> None:
    found, _, _, counter = case
    assert found.tokens <= found.budget
    assert sum(one.tokens for one in found.shown) <= found.budget
    assert not found.text or counter.count(found.text) <= found.budget
    messages = found.rendered.as_messages()
    assert sum(counter.count(message["content"]) for message in messages) <= found.budget


@given(assembled())
def test_everyone_is_shown_or_left_out_with_a_reason(
    case: tuple[Assembled, list[Candidate], list[Memory], Counter],
) -> None:
    found, some, said, _ = case
    shown = [one.memory.id for one in found.shown]
    assert len(shown) == len(set(shown))
    assert set(shown) | {one.id for one in found.left_out} >= {one.id for one in some}
    assert not set(shown) & {one.id for one in found.left_out}
    assert set(shown) <= {one.id for one in some} | {one.id for one in said}
    assert all(one.reason for one in found.left_out)


@st.composite
def told(draw: st.DrawFn) -> list[Candidate]:
    """Return up to a dozen candidates of some sentences each, some of them too long for their share."""
    sentence = st.lists(st.sampled_from(["tea", "Oslo", "Ann", "walks", "9", "unforgettably"]), min_size=2, max_size=18)
    text = st.lists(sentence.map(lambda words: " ".join(words).capitalize() + "."), min_size=1, max_size=9).map(
        " ".join
    )
    return [
        candidate(
            number,
            draw(text),
            score=draw(st.integers(1, 40)) * 20_000,
            source_type=draw(st.sampled_from(list(SourceType))),
            session=draw(st.sampled_from([None, "a", "b"])),
            valid_from=NOON + draw(st.integers(0, 4)) * 400 * 86_400_000,
            vector=draw(st.sampled_from([None, direction(1, 0), direction(1, 1)])),
            answers=draw(st.sampled_from([None, "m0", "m1"])),
        )
        for number in range(draw(st.integers(1, 12)))
    ]


@given(told(), st.integers(8, 1_500), st.integers(1, 60), st.integers(1, 12))
def test_less_room_and_fewer_places_have_the_beginning(
    some: list[Candidate], budget: int, more: int, most: int
) -> None:
    def shown(tokens: int, places: int) -> list[str]:
        found = assemble(some, budget=tokens, counter=WORDPIECE, query_terms=frozenset({"tea"}), most=places)
        return [one.memory.id for one in found.shown]

    (best,) = shown(100_000, 1)
    smaller, larger, fewer = shown(budget, 20), shown(budget + more, 20), shown(budget, most)
    assert smaller[:most] == fewer
    assert smaller[:1] != [best] or larger[: len(smaller)] == smaller


@given(assembled())
def test_what_is_shown_stands_with_its_bases(
    case: tuple[Assembled, list[Candidate], list[Memory], Counter],
) -> None:
    found, some, _, _ = case
    shown = {one.memory.id for one in found.shown}
    needs = {one.id: one.bases for one in some}
    twins = {one.id for one in found.left_out if one.reason.startswith("it says the same")}
    assert all(base in shown or base in twins for node in shown for base in needs.get(node, ()))


@given(assembled())
def test_contents_are_whole_or_excerpts(case: tuple[Assembled, list[Candidate], list[Memory], Counter]) -> None:
    found, some, said, _ = case
    whole = {one.id: one.content for one in some} | {one.id: one.content for one in said}
    for one in found.shown:
        content = whole[one.memory.id] or ""
        assert one.shortened or one.memory.content == content
        assert not one.shortened or _pieces_in_order(one.memory.content or "", content)


@given(assembled())
def test_nothing_remembered_begins_a_line(case: tuple[Assembled, list[Candidate], list[Memory], Counter]) -> None:
    found, _, _, _ = case
    passages = found.rendered.passages
    lines = found.text.splitlines()
    numbered = [line for line in lines if re.match(r"\d+\. ", line)]
    said = [f"{one.origin if found.rendered.plain else ''}{one_line(one.text)}" for one in passages]
    assert numbered == [f"{number}. {line}" for number, line in enumerate(said, 1)]
    # What is no item is the introduction or a heading that the rendering made, in the order of its items.
    between = [headings(above, one) for above, one in zip([None, *passages], passages, strict=False)]
    assert [line for line in lines if line not in numbered] == [
        line for made in between for line in made if not found.rendered.plain
    ]
    assert all(made == INTRODUCTION or made.startswith("# ") for some in between for made in some)


@given(assembled())
def test_each_mark_costs_at_most_three_tokens_and_lines_add_up(
    case: tuple[Assembled, list[Candidate], list[Memory], Counter],
) -> None:
    found, _, _, _ = case
    assert WORDPIECE.count(found.text) == sum(WORDPIECE.count(line) for line in found.text.splitlines())
    for number, one in enumerate(found.rendered.passages, 1):
        line = one_line(one.text)
        assert WORDPIECE.count(f"{number}. {line}") == WORDPIECE.count(f"{number}.") + WORDPIECE.count(line)
        assert WORDPIECE.count(f"{number}.") <= 3


@given(assembled())
def test_the_structured_form_is_json(case: tuple[Assembled, list[Candidate], list[Memory], Counter]) -> None:
    found, _, _, _ = case
    data = found.rendered.as_dict()
    assert json.loads(json.dumps(data)) == data
    assert [one["number"] for one in data["memories"]] == list(range(1, len(data["memories"]) + 1))


@given(candidates(), turns(), BUDGETS, SETTINGS, st.randoms(use_true_random=False))
def test_equal_inputs_in_any_order_give_equal_results(
    some: list[Candidate], said: list[Memory], budget: int, settings: AssemblySettings, generator: random.Random
) -> None:
    def run(these: Sequence[Candidate], those: Sequence[Memory]) -> Assembled:
        return assemble(these, budget=budget, counter=WORDPIECE, settings=settings, recent=those)

    first = run(some, said)
    second = run(generator.sample(some, len(some)), generator.sample(said, len(said)))
    assert first.text == second.text
    assert first.left_out == second.left_out
    assert [one.memory for one in first.shown] == [one.memory for one in second.shown]


@given(CONTENT, st.integers(0, 60), COUNTERS, st.sampled_from([1, 8]))
def test_an_excerpt_fits_is_verbatim_and_stays_as_it_is(text: str, limit: int, counter: Counter, minimum: int) -> None:
    found = excerpt(text, limit, counter, query_terms=frozenset({"tea"}), minimum=minimum)
    if found is None:
        assert counter.count(text) > limit or limit == 0
        return
    assert counter.count(found.text) == found.tokens <= limit
    assert found.shortened == (found.text != text)
    assert GAP.join(text[start:end] for start, end in found.spans) in found.text
    assert not found.shortened or found.tokens >= minimum
    again = excerpt(found.text, limit, counter, query_terms=frozenset({"tea"}), minimum=minimum)
    assert again is not None
    assert again.text == found.text


@given(turns(), st.integers(0, 80), st.integers(0, 5))
def test_a_summary_is_a_fold_within_its_limit(said: list[Memory], limit: int, split: int) -> None:
    whole = updated(Summary(), said, limit, WORDPIECE)
    assert whole.tokens(WORDPIECE) <= limit
    assert updated(updated(Summary(), said[:split], limit, WORDPIECE), said[split:], limit, WORDPIECE) == whole
    assert updated(whole, said, limit, WORDPIECE) == whole
    by_id = {one.id: one.content or "" for one in said}
    assert all(line.text in by_id[source] for line in whole.lines for source in line.sources)


def _pieces_in_order(short: str, whole: str) -> bool:
    """Return whether ``short`` is pieces of ``whole`` in their order, marks aside: whatever the marks' places."""
    place = 0
    for word in short.split():
        if word == GAP.strip():
            continue
        found = whole.find(word, place)
        if found < 0:
            return False
        place = found + len(word)
    return True
