"""Entities that a text names: whole, longest first, and only those that may be seen."""

from __future__ import annotations

from marskg.retrieval.graph.entity_names import EntityNames


def _names(**given: tuple[str, ...]) -> EntityNames:
    names = EntityNames()
    for entity, known in given.items():
        names.put(entity, known)
    return names


def _everyone(_: str, __: str) -> bool:
    return True


def test_a_name_is_found_whole_in_any_case_and_possessive() -> None:
    names = _names(e1=("Ann",), e2=("Oslo Harbour",))
    assert names.find("what does ANN's boat do in oslo harbour?", _everyone) == ["e1", "e2"]
    assert names.find("Anna sails to Oslo", _everyone) == []


def test_the_longest_name_wins() -> None:
    names = _names(e1=("New York",), e2=("New York Times",), e3=("York",))
    assert names.find("the New York Times of York", _everyone) == ["e2", "e3"]


def test_a_hidden_longer_name_does_not_stand_in_the_way() -> None:
    names = _names(e1=("New York",), e2=("New York Times",))
    assert names.find("the New York Times", lambda entity, _: entity != "e2") == ["e1"]


def test_an_ambiguous_name_gives_all_that_bear_it() -> None:
    names = _names(e2=("Ann",), e1=("Ann Lee", "Ann"))
    assert names.find("ask Ann", _everyone) == ["e1", "e2"]
    assert names.named("ann", _everyone) == ["e1", "e2"]


def test_a_renamed_or_removed_entity_is_found_by_its_names_of_now() -> None:
    names = _names(e1=("Ann", "Annie"))
    names.put("e1", ("Anna",))
    assert names.find("Ann, Annie and Anna", _everyone) == ["e1"]
    assert (names.named("Annie", _everyone), names.name("e1")) == ([], "Anna")
    names.remove("e1")
    assert (names.find("Anna", _everyone), names.name("e1"), len(names)) == ([], None, 0)


def test_a_dump_comes_back() -> None:
    names = _names(e1=("Ann", "Annie"), e2=("Oslo",))
    again = EntityNames()
    again.restore(names.dump())
    assert again.dump() == names.dump()
    assert again.find("Annie in Oslo", _everyone) == ["e1", "e2"]


def test_an_iri_finds_whom_it_is_exactly_also_after_a_dump() -> None:
    names = _names(e2=("Ann",))
    names.put("e1", ("Ann",), ("https://example.org/1",))
    again = EntityNames()
    again.restore(names.dump())
    for one in (names, again):
        assert (one.having("https://example.org/1"), one.having("https://example.org/2")) == (("e1",), ())
        one.put("e1", ("Ann",), ("https://example.org/2",))
        assert (one.having("https://example.org/1"), one.having("https://example.org/2")) == ((), ("e1",))
        one.remove("e1")
        assert one.having("https://example.org/2") == ()


def test_a_name_of_many_like_words_costs_no_more_than_one_look_for_each_word() -> None:
    names = _names(e1=("la " * 330,), e2=("Ann",))
    asked: list[str] = []

    def found_by(_: str, name: str) -> bool:
        asked.append(name)
        return True

    assert names.find("la " * 329 + "ann", found_by) == ["e2"]
    assert names.find("la " * 331, found_by) == ["e1"]
    assert len(asked) < 5
