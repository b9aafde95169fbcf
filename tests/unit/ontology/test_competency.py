"""The competency questions have the answers that stand beside them."""

from __future__ import annotations

import re
from importlib import resources

import pytest
from pyoxigraph import QueryResultsFormat, QuerySolutions, RdfFormat, Store
from rdflib import RDFS

from marskg.ontology.context import ontology_graph
from marskg.ontology.vocabulary import NS

FOLDER = resources.files("marskg.ontology").joinpath("competency")
NAMES = sorted(entry.name.removesuffix(".rq") for entry in FOLDER.iterdir() if entry.name.endswith(".rq"))


@pytest.fixture(scope="module")
def store() -> Store:
    store = Store()
    store.load(FOLDER.joinpath("example.ttl").read_bytes(), format=RdfFormat.TURTLE)
    return store


@pytest.fixture(scope="module")
def terms() -> set[str]:
    return {str(subject).removeprefix(NS) for subject in ontology_graph().subjects(RDFS.label)}


def text(name: str) -> str:
    return FOLDER.joinpath(name).read_text("utf-8")


def ask(store: Store, name: str) -> list[str]:
    """Return the answer's lines as CSV."""
    solutions = store.query(text(name))
    assert isinstance(solutions, QuerySolutions)
    answer = solutions.serialize(format=QueryResultsFormat.CSV)
    assert answer is not None
    return answer.decode().splitlines()


def test_there_are_enough_questions_and_each_has_an_answer() -> None:
    assert len(NAMES) >= 20
    answers = {entry.name.removesuffix(".csv") for entry in FOLDER.iterdir() if entry.name.endswith(".csv")}
    assert answers == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_question_has_its_answer(store: Store, name: str) -> None:
    assert ask(store, f"{name}.rq") == text(f"{name}.csv").splitlines()
    assert len(text(f"{name}.csv").splitlines()) > 1, "an empty answer would hold for a question that asks nothing"


@pytest.mark.parametrize("name", NAMES)
def test_a_question_is_told_in_words_and_asks_with_known_terms(terms: set[str], name: str) -> None:
    query = text(f"{name}.rq")
    assert re.match(r"# [A-Z].*\?\n", query)
    assert set(re.findall(r"\bmars:(\w+)", query)) <= terms


def test_an_answer_depends_on_the_graph(store: Store) -> None:
    changed = Store()
    changed.extend(quad for quad in store if not quad.predicate.value.endswith("contradicts"))
    assert ask(changed, "21-contradictions.rq") != text("21-contradictions.csv").splitlines()
