# ruff: noqa: RUF001 - names of other scripts
"""A name that is a word as well: capitals are evidence in any language, lists come second."""

from __future__ import annotations

import pytest

from marskg.language.naming.edges import Verdict
from marskg.language.naming.matcher import NameMatcher


def verdict(name: str, text: str) -> Verdict:
    return NameMatcher((name,)).read(text).verdict


@pytest.mark.parametrize(
    ("name", "text"),
    [
        # In small letters, where the text has capitals.
        ("Amber Stone", "She wore a ring with an amber stone."),
        ("Heather Moor", "We walked over the heather moor."),
        ("Max Power", "The engine ran at max power."),
        ("Violet Ray", "A violet ray fell in."),
        ("Project Heron", "We saw a project heron in Ulm"),
        ("Clara Fonte", "Bebemos de clara fonte."),
        ("Blanca Nieves", "Las montañas, con blanca nieves, brillaban."),
        ("Bella Vista", "Abbiamo una bella vista."),
        ("Belle Rose", "Il lui offre une belle rose."),
        ("Mila Zora", "Došla je mila zora."),
        ("Светлана Заря", "Была светлана заря."),
        ("Ilta Rusko", "Oli kaunis ilta rusko."),
        ("Marko", "Das ist ein marko."),
        ("Łucja", "To jest łucja."),
        ("Tomasa", "Es una tomasa."),
        # The first alone has a capital, as a sentence begins.
        ("Summer Storm", "Summer storm took the roof"),
        ("Rosa Roja", "Rosa roja de mi jardín"),
        # In small letters throughout, where all are words, or an article says so.
        ("Ruby Ring", "a ruby ring lay there"),
        ("Silver Fox", "silver fox on the lawn"),
        ("Blanca Luna", "mira la blanca luna"),
        ("Rose Berg", "rose berg und tal"),
        # A sentence begins, whose capital says nothing.
        ("Роза", "Роза стоит в вазе"),
        ("Слава", "Слава труду"),
        ("Стелла", "Увидели стелла."),
        ("Gioia", "Gioia e dolore"),
        ("Blanche", "Blanche comme neige"),
        ("Deniz", "Deniz bugün soğuk"),
        # With an article.
        ("Bill", "The Bill passed the Senate"),
        ("Ford", "We bought a Ford"),
        # Scripts without capitals.
        ("みどり", "みどりがきれい"),
        ("이슬", "이슬이 맺혔다"),
        ("하늘", "하늘이 맑다"),
        ("שיר", "שמעתי שיר"),
        ("आशा", "आशा है"),
    ],
)
def test_what_may_be_a_word_is_near(name: str, text: str) -> None:
    assert verdict(name, text) is Verdict.NEAR


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Maria Silva", "i told maria silva"),
        ("Maria Silva", "MARIA SILVA CALLED"),
        ("John Smith", "john smith said no"),
        ("Amber Stone", "We met Amber Stone there"),
        ("maria silva", "I met maria silva there"),
        ("Maria da Silva", "Maria da Silva called"),
        ("Вера", "Мы встретили Вера"),
        ("さくら", "さくらさんが来た"),
        ("Rosa", "Rosa called"),
    ],
)
def test_a_name_is_taken(name: str, text: str) -> None:
    assert verdict(name, text) is Verdict.IS
