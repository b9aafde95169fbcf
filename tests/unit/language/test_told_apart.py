"""Who is told apart from another of the name is not taken, and plain sentences about the one are."""

from __future__ import annotations

import pytest

from marskg.language.naming.edges import Verdict
from marskg.language.naming.matcher import NameMatcher


def verdict(name: str, text: str) -> Verdict:
    return NameMatcher((name,)).read(text).verdict


@pytest.mark.parametrize(
    ("name", "text"),
    [
        # Words of a generation, in small letters, after signs.
        ("Henry Poole", "Henry Poole the elder kept bees"),
        ("Henry Poole", "We wrote to Henry Poole, Sr., about the bees"),
        ("Henry Poole", "The bees of Henry Poole (jr) are ill"),
        ("Henry Poole", "Henry Poole 3rd sold the bees"),
        ("Jutta Brandt", "Jutta Brandt die Jüngere singt im Chor"),
        ("Emil Brandt", "Emil Brandt sen. hustet"),
        ("Emil Brandt", "Emil Brandt d. Ä. hustet"),
        ("Denis Carrel", "Denis Carrel père boite"),
        ("Denis Carrel", "J'ai vu Denis Carrel le jeune"),
        ("Pilar Otero", "Pilar Otero hija no come pan"),
        ("Rui Falcão", "Rui Falcão filho mora longe"),
        ("Nino Galli", "Nino Galli il vecchio zoppica"),
        ("Piet Smit", "Piet Smit de jonge fietst"),
        ("Олег Жуков", "Олег Жуков старший болеет"),
        ("Jan Bąk", "Jan Bąk młodszy kaszle"),
        # Another half of a family name behind a sign or a joint.
        ("Rita Moura", "Rita Moura e Falcão telefonou"),
        ("Rita Moura", "A Rita Moura - Falcão telefonou"),
        ("Pilar Otero", "Pilar Otero y Quevedo no come pan"),
        ("Emil Brandt", "Emil Brandt v. Rohr hustet"),
        ("Piet Smit", "Piet Smit op 't Land fietst"),
        ("Spencer", "We bought socks at Marks & Spencer"),
        ("Rita Moura", "Rita Moura Lda vende telhas"),
        # What is called after somebody.
        ("Denis Carrel", "On habite rue Denis Carrel"),
        ("Rui Falcão", "a escola Rui Falcão fechou"),
        ("Nino Galli", "abito in via Nino Galli 7"),
        ("Nora Field", "the yacht Nora Field sank"),
        ("Nora Field", "Nora Field's Bakery sells bread"),
        # Scripts without capitals.
        ("סמי", "סמי שרון בא"),
        ("יעל כץ", "פגשתי את יעל כץ שרון"),
        ("سامي حداد", "سامي حداد منصور جاء"),
        ("سامي حداد", "كريم سامي حداد جاء"),
        ("रवि जोशी", "रवि जोशी पंत आया"),
        ("सीता", "गीता सीता आई"),
        # Over the end of a line.
        ("Nora Field", "Present:\nNora\nField\nTom"),
        ("Tim Lake", "We asked Tim\n\nLake water is cold"),
        ("Tim Lake", "We asked Tim\nLake water is cold"),
    ],
)
def test_who_may_be_told_apart_is_near(name: str, text: str) -> None:
    assert verdict(name, text) is Verdict.NEAR


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Henry Poole", "Henry Poole keeps bees"),
        ("Henry Poole", "Henry Poole, the baker, keeps bees"),
        ("Rita Moura", "Rita Moura e Pedro telefonaram"),
        ("Rita Moura", "Rita Moura & Tom came"),
        ("Rita Moura", "Rita Moura - called twice"),
        ("Pilar Otero", "Pilar Otero y su madre no comen pan"),
        ("Emil Brandt", "Emil Brandt der den Hund hat"),
        ("יעל כץ", "יעל כץ גרה כאן"),
        ("יעל כץ", "דיברתי עם יעל כץ."),
        ("سامي حداد", "سامي حداد يسكن هنا"),
        ("रवि जोशी", "रवि जोशी ने कहा"),
        ("Nora Field", "When we came to the harbour we met Nora\nField, who sells bread there."),
    ],
)
def test_who_is_told_of_plainly_is_taken(name: str, text: str) -> None:
    assert verdict(name, text) is Verdict.IS
