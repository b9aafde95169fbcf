"""By which parts of a name somebody is called: each alone is near, and none is taken."""

from __future__ import annotations

import pytest

from marskg.language.naming.caution import parts_alone
from marskg.language.naming.edges import Verdict
from marskg.language.naming.matcher import NameMatcher


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("李小红", "小红来了"),
        ("李小红", "李老师说不行"),
        ("李小红", "小李来了"),
        ("李小红", "老李在家"),
        ("张伟", "张总说不行"),
        ("张伟", "伟伟来了"),
        ("诸葛云飞", "诸葛先生来了"),
        ("诸葛云飞", "云飞来了"),
        ("高橋美咲", "美咲さんが来た"),
        ("高橋美咲", "高橋先輩が来た"),
        ("鈴木はなこ", "鈴木さんが来た"),
        ("鈴木はなこ", "はなこさんが来た"),
        ("박서연", "서연이가 왔다"),
        ("박서연", "박씨가 왔다"),
        ("박서연", "박 부장이 왔다"),
        ("Elena Castro Vidal", "la señora Castro llamó"),
        ("Elena Castro Vidal", "Castro llamó"),
        ("Rui Melo Falcão", "o Melo ligou"),
        ("Marco Bruno Conti", "il signor Bruno ha chiamato"),
        ("María del Pilar Soto", "Pilar llamó"),
        ("Paul d'Aubigny", "M. d’Aubigny a appelé"),
        ("Paul d'Aubigny", "Mme d'Aubigny a appelé"),
        ("Rosa Lo Monaco", "la signora Lomonaco ha chiamato"),
        ("Piet Van Damme", "meneer Vandamme belde"),
        ("Trần Thị An", "chị An gọi"),
        ("Lê Văn Tâm", "Văn Tâm gọi"),
        ("Uta Roth-Brandt", "Frau Brandt rief an"),
        ("Uta Roth-Brandt", "Frau Roth rief an"),
        ("Eva-Maria Voss", "Eva rief an"),
        ("Jean-Marc Dubois", "Jean a appelé"),
        ("Lucia dos Reis", "a Reis ligou"),
    ],
)
def test_a_part_alone_is_near(name: str, text: str) -> None:
    assert NameMatcher((name,)).read(text).verdict is not Verdict.IS
    found = NameMatcher(parts_alone(name)).read(text).verdict
    assert found in {Verdict.IS, Verdict.NEAR}


@pytest.mark.parametrize(
    "name", ["Acme", "Nora", "A-12", "acme-web", "王芳的订单号码", "", "…", "-", "O'Brien", "Meeting room 3"]
)
def test_what_is_no_persons_full_name_has_no_further_parts(name: str) -> None:
    assert parts_alone(name) == ()
