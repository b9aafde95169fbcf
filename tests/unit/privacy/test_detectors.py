"""What the detectors find, what they leave alone, and where something hides."""

# ruff: noqa: RUF001 - letters that look like others are what is tested

from __future__ import annotations

import base64
import re
import socket
import sys
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import marskg
from marskg.config import SensitivitySettings, Settings
from marskg.errors import EnvironmentFailure, InvalidConfig
from marskg.language.identifiers import national, table
from marskg.language.identifiers.deobfuscation import plain, views
from marskg.language.identifiers.model import Found, Kind
from marskg.privacy.sensing import attributes, introductions, ner, presidio
from marskg.privacy.sensing.detector import WINDOW, Detector
from marskg.privacy.sensing.model import Category, Finding, united

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS: SensitivitySettings = Settings().sensitivity
OWN = Detector(replace(SETTINGS, presidio="off"))
WITH_PRESIDIO = Detector(SETTINGS)


def said(text: str, detector: Detector = OWN) -> dict[str, str]:
    """Return the words of each finding by category."""
    return {one.category.value: text[one.start : one.end] for one in detector.surface(text)}


@pytest.mark.parametrize(
    ("text", "category", "words"),
    [
        ("Write to ann.lee+x@mail.example.co.uk today", "email", "ann.lee+x@mail.example.co.uk"),
        ("ann [at] example [dot] com is hers", "email", "ann [at] example [dot] com"),
        ("call me on +44 20 7946 0958", "phone", "+44 20 7946 0958"),
        ("My phone is 467 3395.", "phone", "467 3395"),
        ("Ring (212) 555-0147 x12", "phone", "(212) 555-0147 x12"),
        ("card 4111-1111-1111-1111 expires soon", "card", "4111-1111-1111-1111"),
        ("card 4111 - 1111 - 1111 - 1111, hers", "card", "4111 - 1111 - 1111 - 1111"),
        ("Pay DE89 3704 0044 0532 0130 00 please", "account", "DE89 3704 0044 0532 0130 00"),
        ("account number 12345678", "account", "12345678"),
        ("the host 192.168.17.20 is down", "network", "192.168.17.20"),
        ("it has 2001:db8::8a2e:370:7334 now", "network", "2001:db8::8a2e:370:7334"),
        ("MAC 00:1B:44:11:3A:B7", "network", "00:1B:44:11:3A:B7"),
        ("We meet at 12 Baker Street tonight", "address", "12 Baker Street"),
        ("Hauptstraße 12a ist es", "address", "Hauptstraße 12a"),
        ("P.O. Box 1234", "address", "P.O. Box 1234"),
        ("My name is Anna Schmidt and I sing", "name", "Anna Schmidt"),
        ("I met Dr. Ana de la Cruz", "name", "Ana de la Cruz"),
        ("ich heiße Jürgen", "name", "Jürgen"),
        ("She was born on 3 May 1984 in Oslo", "birth_date", "3 May 1984"),
        ("DOB: 1984-05-03", "birth_date", "1984-05-03"),
        ("my password is hunter2", "secret", "hunter2"),
        ("the door code: 4711#", "secret", "4711#"),
        ("my p4ssw0rd is hunter2", "secret", "hunter2"),
        ("P@ssw0rd: hunter2", "secret", "hunter2"),
        ("pwd hunter2", "secret", "hunter2"),
        ("I use hunter2 as my password", "secret", "hunter2"),
        ("I use hunter2 as my wifi password everywhere.", "secret", "hunter2"),
        ("4711 is our PIN", "secret", "4711"),
        ("the number is 4111/1111/1111/1111", "card", "4111/1111/1111/1111"),
        ("078051123 is my social", "national_id", "078051123"),
        ("token AKIAIOSFODNN7EXAMPLE works", "secret", "AKIAIOSFODNN7EXAMPLE"),
        ("postgres://app:s3cret@db.internal/x", "secret", "postgres://app:s3cret@db.internal/x"),
    ],
)
def test_what_is_found(text: str, category: str, words: str) -> None:
    assert said(text).get(category) == words


@pytest.mark.parametrize(
    "text",
    [
        "I water the tomatoes twice a week",
        "The budget is 1,200 EUR until 2026-11-22 at 10:30",
        "Version 2.10.3 of the parser was released in 2019-2021",
        "The password is wrong and the token has expired",
        "Order 4111 1111 1111 1112 was shipped",  # fails Luhn
        "DE89 3704 0044 0532 0130 01 is not an account",  # fails mod 97
        "How is the traffic at 9:00 on the way to Detroit?",
        "The keynote is in room 12 on floor 3",
        "It costs 1.000.000 euros",
        "We walked down the street for 3 hours",
        "The meeting was on 3 May 1984",  # nobody was born
        "It's Monday and I'm Happy",
        "The id 123456789 is free",  # nobody says that it is a tax number
        "My social media page has 078051123 likes",
        "I use 1Password as my password manager and Chrome as my password vault",
        "What? So…what is my password, and (what was my PIN)",
        "pwd prints the folder and passwd user1 changes it",
        "Everybody was glad as our password policy2 went",
        "It was open 4111/1111/1111/1112 times",  # fails Luhn
        "from 3/12/2024 to 10/11/2025",
        "build 550e8400-e29b-41d4-a716-446655440000 is green",
    ],
)
def test_what_is_left_alone(text: str) -> None:
    assert said(text, WITH_PRESIDIO) == {}


@pytest.mark.parametrize(
    ("country", "right", "wrong"),
    [
        ("us-ssn", "078-05-1123", "666-05-1123"),
        ("uk-nino", "AB 12 34 56 C", "BG 12 34 56 C"),
        ("de-card", "Ausweis T22000129", "Aussicht T22000129"),
        ("de-kvnr", "A123456780", "A123456781"),
        ("fr-nir", "1 84 12 76 451 089 46", "1 84 12 76 451 089 47"),
        ("it-fiscal", "RSSMRA85T10A562S", "RSSMRA85T10A562T"),
        ("es-nif", "12345678Z", "12345678A"),
        ("pl-pesel", "44051401359", "44051401358"),
        ("nl-bsn", "BSN 111222333", "BSN 111222334"),
        ("se-personnummer", "811218-9876", "811218-9877"),
        ("fi-hetu", "131052-308T", "131052-308U"),
        ("in-aadhaar", "2234 5678 9127", "2234 5678 9125"),
        ("br-cpf", "529.982.247-25", "529.982.247-26"),
        ("sg-nric", "S1234567D", "S1234567A"),
        ("tr-kimlik", "10000000146", "10000000147"),
        ("za-id", "8001015009087", "8001015009088"),
        ("ch-ahv", "756.9217.0769.85", "756.9217.0769.86"),
        ("be-register", "85.07.30-033.28", "85.07.30-033.29"),
        ("cn-id", "11010519491231002X", "110105194912310021"),
        ("th-id", "1-1014-02130-13-6", "1-1014-02130-13-2"),
        ("au-tfn", "TFN 123 456 782", "TFN 123 456 783"),
        ("ca-sin", "046 454 286", "046 454 287"),
        ("uk-nhs", "NHS 943 476 5919", "NHS 943 476 5918"),
    ],
)
def test_check_digits(country: str, right: str, wrong: str) -> None:
    assert country in {one.rule for one in national.find(f"It is {right}, she said")}
    assert country not in {one.rule for one in national.find(f"It is {wrong}, she said")}


@pytest.mark.parametrize(
    "hidden",
    [
        "my card is ４１１１ １１１１ １１１１ １１１１",  # full width
        "my card is 4111\u200b1111\u200b1111\u200b1111",  # zero width
        "my card is ٤١١١ ١١١١ ١١١١ ١١١١",  # Arabic digits
        "my card is four one one one, one one one one, one one one one, one one one one",
        "my card is " + base64.b64encode(b"card 4111 1111 1111 1111").decode(),
        "my card is " + base64.b64encode(base64.b64encode(b"card 4111 1111 1111 1111")).decode(),
        "my card is " + b"card 4111 1111 1111 1111".hex(),
        "my card is card%204111%201111%201111%201111",
        "my card is 4111\u00ad1111\u00ad1111\u00ad1111",  # soft hyphens
        "my card is 4111\x071111\x7f1111\x001111",  # signs that are not drawn
    ],
)
def test_what_hides(hidden: str) -> None:
    (found,) = OWN.surface(hidden)
    # What is encoded twice looks like a key at first sight, which is graver.
    assert (found.category is Category.CARD and found.hidden) or found.category is Category.SECRET
    assert found.start >= len("my card is ")


@pytest.mark.parametrize("text", ["Мy pаsswоrd is tr0ub4dor", "аnn@exаmple.com", "my рassword: tr0ub4dor"])
def test_mixed_scripts(text: str) -> None:
    assert set(said(text)) & {"secret", "email"}


def test_it_points_into_the_text_as_given() -> None:
    text = "née Ødegård \u200b\u200b; card \u200b4111 1111 1111 1111!"
    (found,) = OWN.surface(text)
    assert text[found.start : found.end].replace("\u200b", "") == "4111 1111 1111 1111"


def test_a_long_text_is_read_whole_and_an_identifier_across_windows_is_found() -> None:
    text = "word " * (WINDOW // 5 - 3) + "4111 1111 1111 1111 and " + "word " * WINDOW + "ann@example.com"
    assert [one.category for one in OWN.surface(text)] == [Category.CARD, Category.EMAIL]


@given(st.text(max_size=300))
def test_any_text_is_read_and_findings_lie_apart_inside_it(text: str) -> None:
    end = 0
    for one in OWN.surface(text):
        assert end <= one.start < one.end <= len(text)
        end = one.end


@given(st.text(alphabet="abе\u200bо０１٣ one two-", max_size=80))
def test_a_form_leads_back(text: str) -> None:
    for view in [plain(text), *views(text)]:
        assert len(view.text) == len(view.starts) == len(view.ends)
        assert all(0 <= start < end <= len(text) for start, end in zip(view.starts, view.ends, strict=True))


def test_of_two_that_overlap_the_graver_covers_both() -> None:
    card, phone = Finding(5, 24, Category.CARD, "card"), Finding(0, 10, Category.PHONE, "phone")
    assert united([phone, card]) == [Finding(0, 24, Category.CARD, "card")]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I was diagnosed with epilepsy in spring", "health"),
        ("My migraine is back and ibuprofen doesn't help", "health"),
        ("I owe the bank 20,000 and my salary is too low", "finance"),
        ("what's my credit limit", "finance"),
        ("I have diabetes", "health"),
        ("my mother had breast cancer", "health"),
        ("I'm gay and my parents know it", "protected"),
        ("My husband is Turkish", "protected"),
        ("We are proud Catholics", "protected"),
    ],
)
def test_what_a_passage_is_about(text: str, category: str) -> None:
    assert category in {one.category.value for one in OWN.topics(text)}


@pytest.mark.parametrize(
    "text",
    [
        "The Turkish restaurant serves great food",
        "Buy paint for the fence",
        "I prefer window seats",
        "The build failed again and the server was restarted",
        "Lunch with Priya at noon on Monday",
        "He plays the guitar in a German band",
        "Dinner with Anna",
        "I sleep badly",
        "Bob is tired",
        "How does AI actually help with drug discovery?",
        "I just spent $10.89 on breakfast",
        "We walked along the river bank",
        "I paid attention in class",
        "He is straight forward, and she was straight with me",
        "Pay attention to the road",
        "The teacher gave her credit for the idea",
        "A strong bond between mother and child",
        "Please charge my phone",
        "I will definitely check it out",
        "They had 6: Efimiya, Mary, Ariana, Isabel, Teresa and Jodi.",
    ],
)
def test_what_a_passage_is_not_about(text: str) -> None:
    assert OWN.topics(text) == []


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I tаkе my blооd рrеssurе tаblеts with mу other mеdiсаtiоn", "health"),  # Cyrillic letters
        ("I h\u200bave dia\u200bbetes", "health"),
        ("I have diаbetes", "health"),
        ("I am g\u200bay", "protected"),
        ("I am g\x07ay", "protected"),
        ("I am ｇａｙ", "protected"),
        ("Мy сredit саrd dеbt is bеyond my sаlаry", "finance"),
        (base64.b64encode(b"I was diagnosed with epilepsy").decode(), "health"),
        ("I%20am%20gay%20and%20proud", "protected"),
    ],
)
def test_what_a_passage_is_about_hides_no_more_than_what_has_a_form(text: str, category: str) -> None:
    before = "The tomatoes need water twice a week. "
    detector = Detector(replace(SETTINGS, presidio="off"))
    found = detector.topics(before + text)
    assert {(one.end, one.category.value, one.hidden) for one in found} <= {(len(before + text), category, True)}
    assert found[0].start >= len(before)
    detector.foresee([before + text])
    assert {one.category.value for one in detector.topics(before + text)} == {category}


@pytest.mark.parametrize(
    "text",
    [
        "Мой кот спит на окне весь день",
        "Помидоры надо поливать два раза в неделю",
        "Η γάτα κοιμάται στο παράθυρο",
        "मुझे ट्रेन से यात्रा करना पसंद है",
        "我喜欢冬天坐火车旅行",
        "Ich gehe morgen über die Brücke zum Bäcker",
        "It rains — so we’ll stay in ❤️",
    ],
)
def test_other_scripts_are_not_about_anything_for_their_letters(text: str) -> None:
    assert OWN.topics(text) == []


def test_the_plain_form_is_read_only_where_it_says_other_words(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    detector = Detector(replace(SETTINGS, presidio="off"))

    def about(text: str) -> list[Finding]:
        read.append(text)
        return []

    monkeypatch.setattr(detector._topics, "find", about)
    detector.topics("It rains — so we’ll stay in, she said… ❤️")
    assert len(read) == 1
    detector.topics("It r\u200bains")
    assert read[1:] == ["It r\u200bains", "It rains"]


@pytest.mark.parametrize("text", ["x thing", "x 0 thing", "a b thing", "x thing 12"])
def test_a_text_of_hardly_a_word_is_about_nothing(text: str) -> None:
    assert OWN.topics(text) == []


TALK = (
    "I was diagnosed with diabetes. Dinner with Anna.",
    "What is the balance of my checking account?",
    "She is a Palestinian refugee. I water the tomatoes.",
    "Hm",
    "",
    "The biopsy showed that the tumour is malignant.",
)


@given(st.lists(st.sampled_from(TALK) | st.text(max_size=80), max_size=6), st.sampled_from(TALK))
def test_what_is_read_with_others_is_found_as_if_it_was_alone(others: list[str], text: str) -> None:
    detector = Detector(replace(SETTINGS, presidio="off"))
    alone = [detector.topics(one) for one in (*others, text)]
    detector.foresee([*others, text])
    assert [detector.topics(one) for one in (*others, text)] == alone
    detector.foresee(())
    assert detector._topics._ahead == {}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("AAASA1111R", "in-pan"),
        ("9111245678906", "kr-rrn"),
        ("여권번호는 M789C1234입니다", "kr-passport"),
        ("28 22 123456 12", "kr-licence"),
        ("U1H00B000C", "it-licence"),
        ("1234-567-893", "us-npi"),
    ],
)
def test_numbers_that_say_by_their_form_what_they_are(text: str, rule: str) -> None:
    found = list(national.find(text))
    assert {one.kind for one in found} == {Kind.NATIONAL_ID}
    assert rule in {one.rule for one in found}


@pytest.mark.parametrize(
    "text",
    [
        "9111245678907",  # another check digit
        "9113245678906",  # no month
        "1760000000000",  # the time in milliseconds
        "aaasa1111r",
        "u1h00b000c",
        "1234-567-894",
        "99 22 123456 12",
        "xM789C1234",
    ],
)
def test_numbers_that_only_look_like_these_are_none(text: str) -> None:
    assert list(national.find(text)) == []


@pytest.mark.parametrize("text", ["I am belizian", "we are proud surinamese", "we are proud englishmans"])
def test_where_people_are_from(text: str) -> None:
    assert [one.category for one in attributes.find(text)] == [Category.PROTECTED]


@pytest.mark.parametrize("text", ["the Surinamese place downtown", "a Faroese film"])
def test_where_places_and_films_are_from(text: str) -> None:
    assert list(attributes.find(text)) == []


def test_presidio_is_asked_only_where_something_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    detector = Detector(SETTINGS)

    def find(text: str) -> list[Finding]:
        asked.append(text)
        return []

    monkeypatch.setattr(detector._presidio, "find", find)
    for text in ("I water the tomatoes", "card 4111 1111 1111 1111", "on 2026-11-22 at 10:30", "mail ann@example.com"):
        detector.surface(text)
    assert asked == []
    detector.surface("the thing 123456789 is there")
    assert asked == ["the thing 123456789 is there"]


def test_presidio_opens_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        message = "the network was asked"
        raise AssertionError(message)

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    found = {one.category for one in presidio.Presidio().find("wallet 16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyZ, ann@b.com")}
    assert found == {Category.ACCOUNT}


def test_without_presidio_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    presidio._analyzers.cache_clear()
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    with pytest.raises(EnvironmentFailure, match=r"pip install 'marskg\[privacy\]'"):
        list(presidio.Presidio().find("123456789"))
    with pytest.raises(EnvironmentFailure, match=r"sensitivity\.presidio to auto or off"):
        Detector(replace(SETTINGS, presidio="on"))
    presidio._analyzers.cache_clear()


@pytest.mark.parametrize("missing", ["presidio_analyzer", "spacy"])
def test_without_presidio_the_rest_works_as_if_it_was_switched_off(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    text = "my wallet 16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyZ, my card 4111 1111 1111 1111"
    assert Detector(SETTINGS).recognisers == ("own", "topics", "presidio")
    monkeypatch.setitem(sys.modules, missing, None)
    detector = Detector(SETTINGS)
    assert detector.recognisers == OWN.recognisers == ("own", "topics")
    assert detector.find(text) == OWN.find(text) != []


def test_what_is_found_without_presidio_is_not_put_down_to_it() -> None:
    card = Finding(0, 5, Category.CARD, "card")
    theirs = Finding(0, 5, Category.CARD, "presidio:CREDIT_CARD")
    longer = Finding(0, 9, Category.CARD, "presidio:CREDIT_CARD")
    assert united([theirs, card]) == [card]
    assert united([longer, card]) == [replace(card, end=9)]
    assert [one.optional for one in (card, theirs)] == [None, "presidio"]


@pytest.mark.parametrize("spec", ["gpt-4", "spacy:", "other:name"])
def test_a_model_that_there_is_not(spec: str) -> None:
    with pytest.raises(InvalidConfig, match=r"sensitivity\.model"):
        Detector(replace(SETTINGS, model=spec))


@pytest.mark.parametrize("library", ["spacy", "transformers"])
def test_a_model_whose_library_is_missing(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    ner._loaded.cache_clear()
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(EnvironmentFailure, match="is not installed"):
        Detector(replace(SETTINGS, model=f"{library}:some")).surface("Priya called")
    ner._loaded.cache_clear()


def test_names_of_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str) -> Any:
        if name == "missing":
            message = "[E050] Can't find model"
            raise OSError(message)
        ents = [
            SimpleNamespace(label_="PERSON", start_char=0, end_char=5),
            SimpleNamespace(label_="NORP", start_char=9, end_char=16),
            SimpleNamespace(label_="ORG", start_char=20, end_char=24),
        ]
        return lambda _: SimpleNamespace(ents=ents)

    module = ModuleType("spacy")
    module.load = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spacy", module)
    ner._loaded.cache_clear()
    detector = Detector(replace(SETTINGS, model="spacy:some", presidio="off"))
    text = "Priya or Germans at Acme met"
    assert [one.category for one in detector.surface(text)] == [Category.NAME]
    assert Category.PROTECTED in {one.category for one in detector.topics(text)}
    with pytest.raises(EnvironmentFailure, match="missing"):
        Detector(replace(SETTINGS, model="spacy:missing", presidio="off")).surface(text)
    ner._loaded.cache_clear()


def _secrets(text: str) -> list[Found]:
    return [one for one in table.personal(text) if one.kind is Kind.SECRET]


def test_a_secret_that_is_not_told_is_none() -> None:
    for text in ("my password is safe", "is the PIN valid?", "The API key rotation job failed", "secret santa is fun"):
        assert list(_secrets(text)) == []


@pytest.mark.parametrize(
    "code",
    [
        "password = request.form['password']",
        "password = db.Column(db.String(120), nullable=False)",
        "hashed_password = argon2.hash(password)",
        "return jsonify(access_token=access_token)",
        "SECRET_KEY = os.environ.get('KEY')",
        "const apiKey = process.env.WEATHER_KEY;",
        'const apiKey = "YOUR_API_KEY_HERE";',
        "SECRET_KEY: ${{ secrets.deploy }}",
        "POSTGRES_PASSWORD: ${DB_PASSWORD}",
        'password: "{{ vault_password }}"',
        "password = form.get(name).strip()",
        "api_key=<YOUR_API_KEY>",
        "new WebClient('xoxb-your-slack-token')",
        "pip install flask-login==0.6.2",
        '<label for="password">Password:</label>',
        'integrity="sha384-QJHtvGhmr9XOIpI6YVutG+2QOK9T+ZnN4kzFN1RtK3zEFEIsxhlmWl5/YESvpZ13"',
        "Basic implementation of the list",
        "the bearer authenticationscheme",
    ],
)
def test_code_that_means_a_secret_tells_none(code: str) -> None:
    assert list(_secrets(code)) == []


@pytest.mark.parametrize(
    "code",
    [
        'password = "hunter2"',
        "PASSWORD=Tr0ub4dor&3",
        'const apiKey = "9f8a7b6c5d4e3f2a";',
        "Authorization: Basic dXNlcjpodW50ZXIy",
        "curl -H 'Authorization: Bearer 3f9a8c7b6d5e4f3a2b1c'",
        "password: blue(42)horse",
        "passphrase: correct-horse-battery-staple7",
        'password = "hunter("',
        'password: "ilove[you]"',
        "DB_PASSWORD=mypass(word)1",
        "mein Passwort ist Abc[def]9",
        "mi contraseña es {Xy9!kk}",
        "password: <p4ssw>rd",
        "Password: <b>hunter2</b>",
        "the password is 12.05.1984",
        'token = "green_monkey_hat"',
        "Authorization: Bearer AbCdEfGhIjKlMnOpQrStUvWx",
    ],
)
def test_code_that_tells_a_secret_is_found(code: str) -> None:
    assert list(_secrets(code))


def test_a_name_in_running_text_is_not_found() -> None:
    assert list(introductions.find("Yesterday Priya went to Oslo with Jonas")) == []


def test_an_origin_is_only_found_of_a_person() -> None:
    assert list(attributes.find("Acme is a German multinational")) == []
    assert [one.category for one in attributes.find("she is German")] == [Category.PROTECTED]


class _Counting:
    """An analyzer that finds nothing and keeps what it was given."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def analyze(self, *, text: str, **_: object) -> list[object]:
        self.given.append(text)
        return []


_LONG_SHAPES = {
    "signs": ";:!?.,)(\"'",
    "one sign": "(",
    "underscores": "_",
    "pictures": "🙂👩\u200d👧☕",
    "hyphens": "-",
    "digits and hyphens": "12-",
    "letters and hyphens": "a-b1-",
    "letters": "aB",
    "paths": "a/1",
    "fields": "a1;",
    "escapes": "\\u00",
    "words": "a1 ",
}


@pytest.mark.parametrize("shape", _LONG_SHAPES.values(), ids=_LONG_SHAPES)
def test_presidio_is_given_bounded_parts_of_short_words_and_never_the_same_twice_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shape: str
) -> None:
    counting = _Counting()
    monkeypatch.setattr(presidio, "_analyzers", lambda: (_Counting, [counting], {}))
    text = (shape * 16_000)[:16_000] + " z32000"
    with marskg.open(tmp_path / "store", tenant="t", budget=100_000) as memory:
        memory.remember(text)
    assert any("z32000" in part for part in counting.given)
    assert max(map(len, counting.given)) <= presidio.PART
    words = [word for part in counting.given for word in part.split()]
    assert max(map(len, words)) <= presidio.LONGEST_WORD
    signs = [re.search(r"(?:[^\w\s]|_){4,}", word) for word in words]
    assert not any(signs)
    # The text as it is, and one form of it at most in which something hidden may be seen.
    assert sum(map(len, counting.given)) < 2.5 * len(text)


@pytest.mark.parametrize(
    "before", ["(((((((((", "_____", "🙂🙂🙂", "x;" * 200, "ab/" * 100, "y" * 3_000, "tea. " * 900]
)
@pytest.mark.parametrize("behind", ["))))))))", "🙂", ";x" * 200, " tea" * 900])
def test_presidio_finds_an_identifier_among_what_is_blank_for_it(before: str, behind: str) -> None:
    wallet = "16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyZ"
    text = f"{before} {wallet}{behind}"
    found = [(text[one.start : one.end], one.category) for one in presidio.Presidio().find(text)]
    assert found == [(wallet, Category.ACCOUNT)]


def test_each_part_of_a_text_is_read_at_its_place() -> None:
    text = "".join(f"word{number} and (more);;;;;; " for number in range(1_000))
    seen = {place for start, part in presidio.parts(text) for place in range(start, start + len(part))}
    assert seen == set(range(len(text)))
    assert all(set(part) <= set(text) and len(part) <= presidio.PART for _, part in presidio.parts(text))
    assert all(
        sign in {" ", text[start + place]} for start, part in presidio.parts(text) for place, sign in enumerate(part)
    )
    assert list(presidio.parts("")) == [(0, "")]
