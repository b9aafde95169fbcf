"""Contradictions and what only looks like one, in four languages; in a language that is not read nothing is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from marskg.learning.rules.conflict_detection import ConflictKind, Statement, conflict
from marskg.ontology.vocabulary import Cardinality
from marskg_bench.conflict_pairs import load, measure

PAIRS = Path(__file__).parents[2] / "data" / "conflict_pairs.tsv"
#: Floors of every language and half; the figures themselves are in docs/explanation/learning.md.
PRECISION, RECALL = 0.95, 0.7


def _found(old: str, new: str) -> ConflictKind | None:
    found = conflict(Statement(new), Statement(old))
    return None if found is None else found.kind


def test_contradictions_are_found_and_little_else_in_every_language_and_half() -> None:
    tallies = measure(load(PAIRS))
    assert {name for name, _ in tallies} == {"de", "en", "es", "zh"}
    for (name, held_out), tally in tallies.items():
        assert tally.compared > 30, name
        assert tally.precision >= PRECISION, (name, held_out, tally.precision)
        assert tally.recall >= RECALL, (name, held_out, tally.recall)


#: A word of negation that denies something else, or nothing; what is narrowed; other things and people.
HOLDS_BESIDE = [
    ("Lock the shed", "Never forget to lock the shed"),
    ("Mia likes curry", "Mia does not like curry as much as Finn does"),
    ("Mia mag Handball", "Mia mag Handball nicht so sehr wie Tennis"),
    ("The rent is 900 euros", "The rent was 700 euros in 2015"),
    ("Die Miete beträgt 900 Euro", "Die Miete betrug 2015 noch 700 Euro"),
    ("El alquiler es de 900 euros", "El alquiler era de 700 euros en 2015"),
    ("学校8点开始", "学校13点结束"),
    ("Mia trusts her brother", "Mia does not merely trust her brother"),
    ("Paul will join the club", "Paul cannot wait to join the club"),
    ("Finn loves rain", "Finn loves nothing more than rain"),
    ("Vera loves skiing", "Vera could not love skiing more"),
    ("Invite the Meiers", "Why not invite the Meiers"),
    ("Greta smokes", "Greta never smokes after dinner"),
    ("The door is locked", "The door is not locked until ten"),
    ("Ana reads novels", "Ana reads nothing but novels"),
    ("The plan works", "Nobody doubts that the plan works"),
    ("Buy bread", "Don't leave without buying bread"),
    ("My mother drinks coffee", "I do not drink coffee"),
    ("She lives in Rome", "He lives in Oslo"),
    ("Kim likes green tea", "Kim dislikes black tea"),
    ("I take vitamin D", "I do not take vitamin C"),
    ("Kim's email is kim@a.org", "Kim's website is kim.dev"),
    ("Gieß die Blumen", "Vergiss nicht, die Blumen zu gießen"),
    ("Pia singt", "Pia singt nicht bloß, sie tanzt auch"),
    ("Omar trinkt Kaffee", "Omar trinkt nie nach vier Uhr Kaffee"),
    ("Ella liebt Opern", "Ella liebt nichts so sehr wie Opern"),
    ("Das Museum ist offen", "Das Museum ist montags nicht offen"),
    ("Meine Mutter trinkt Tee", "Ich trinke keinen Tee"),
    ("El horno funciona", "No olvides que el horno funciona"),
    ("Pedro nada", "Pedro no solo nada, también bucea"),
    ("Marta bebe café", "Marta no bebe café después de las cuatro"),
    ("Jon adora la sauna", "A Jon nada le gusta más que la sauna"),
    ("Mi madre bebe té", "Yo no bebo té"),
    ("埃米尔下棋", "埃米尔不光下棋，还教棋"),
    ("艾达喝咖啡", "艾达四点以后从不喝咖啡"),
    ("浇花", "别忘了浇花"),
    ("计划可行", "没有人怀疑计划可行"),
    ("我妈妈喝茶", "我不喝茶"),
]


@pytest.mark.parametrize(("old", "new"), HOLDS_BESIDE)
def test_what_holds_beside_the_other_is_no_conflict(old: str, new: str) -> None:
    assert _found(old, new) is None


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        (ConflictKind.VALUE, "The server's operating system is Debian", "The server's operating system is Fedora"),
        (ConflictKind.VALUE, "Our office is in Vienna", "Our office is in Prague"),
        (ConflictKind.NEGATION, "I have a car", "I no longer have a car"),
        (ConflictKind.COMPLETION, "Mia has to repair the roof", "Mia repaired the roof"),
        (ConflictKind.VALUE, "Lars lebt in Malmö", "Lars lebt nun in Lund"),
        (ConflictKind.NEGATION, "Tim isst Fisch", "Tim isst keinen Fisch mehr"),
        (ConflictKind.NUMBER, "Das Treffen ist am Dienstag", "Das Treffen ist am Donnerstag"),
        (ConflictKind.VALUE, "Trabajo en Siemens", "Ahora trabajo en Bosch"),
        (ConflictKind.NEGATION, "Greta fuma", "Greta ya no fuma"),
        (ConflictKind.NUMBER, "El curso cuesta 300 euros", "El curso cuesta 350 euros"),
        (ConflictKind.VALUE, "项目的编程语言是Python", "项目的编程语言是Rust"),
        (ConflictKind.NEGATION, "酒店有泳池", "酒店没有泳池"),
        (ConflictKind.NUMBER, "我的航班在6月3日", "我的航班在6月5日"),
    ],
)
def test_kinds_are_found_in_the_languages_that_are_read(kind: ConflictKind, old: str, new: str) -> None:
    assert _found(old, new) is kind


#: Languages that nothing reads, and pairs in two languages: the texts are not compared, whatever their numbers are.
UNREAD = [
    ("Je vis à Lyon", "Je vis maintenant à Paris"),
    ("La réunion est à 10:00", "La réunion est à 14:00"),
    ("Il gatto mangia pesce", "Il gatto non mangia pesce"),
    ("A reunião é às 10:00", "A reunião é às 14:00"),
    ("Mijn maat is 40", "Mijn maat is 42"),
    ("Встреча в 10:00", "Встреча в 14:00"),
    ("サイズは40です", "サイズは42です"),
    ("Das Treffen ist um 10:00", "The meeting is at 14:00"),
    ("安娜喝咖啡", "Anna does not drink coffee"),
]


@pytest.mark.parametrize(("old", "new"), UNREAD)
def test_texts_in_an_unread_language_are_not_compared_but_their_keys_are(old: str, new: str) -> None:
    assert _found(old, new) is None
    found = conflict(*(Statement(text, key="a/b", cardinality=Cardinality.SINGLE) for text in (new, old)))
    assert found is not None
    assert found.kind is ConflictKind.KEY
