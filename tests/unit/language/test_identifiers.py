"""Whatever one reader of the table of identifiers knows, all know: of each row, others of its sort are made."""

from __future__ import annotations

import random
import string
from dataclasses import replace
from functools import cache

import pytest

from marskg.config import Settings
from marskg.language.identifiers.model import Identifier, Kind
from marskg.language.identifiers.table import TABLE, generalised, personal
from marskg.language.naming.edges import Verdict
from marskg.language.naming.matcher import NameMatcher
from marskg.privacy.redaction import Redactor
from marskg.privacy.sensing.detector import Detector

SETTINGS = replace(Settings().sensitivity, presidio="off")
DETECTOR = Detector(SETTINGS)
REDACTOR = Redactor(DETECTOR, SETTINGS)
NAMES = [f"{row.name}-{place}" for place, row in enumerate(TABLE)]
OF_PEOPLE = [row for row in TABLE if row.kind is not Kind.REFERENCE]
#: What may stand around an identifier that has a form of its own.
AROUND = (("", ""), ("Yesterday, she said: ", " - and left"), ("(", ")\nThat is all."))
MADE = 3


def another(value: str, rng: random.Random, *, words: bool) -> str:
    """Return a text of the same shape, half of its digits and letters changed; with ``words`` letters stay."""
    hexadecimal = set(value.casefold()) <= set("0123456789abcdefx:-")
    letters = "abcdef" if hexadecimal else string.ascii_lowercase
    out = []
    for one in value:
        if one.isdigit() and rng.random() < 0.5:
            out.append(rng.choice(string.digits))
        elif not words and one.isascii() and one.isalpha() and rng.random() < 0.5:
            chosen = rng.choice(letters)
            out.append(chosen.upper() if one.isupper() else chosen)
        else:
            out.append(one)
    return "".join(out)


def made(row: Identifier, seed: int) -> list[str]:
    """Return the sample of a row and others of its sort, whose form and check digits are right."""
    rng = random.Random(f"{row.name}/{seed}")
    value = row.parts[1]
    found = [value]
    words = row.kind in {Kind.ADDRESS, Kind.BIRTH_DATE}
    for _ in range(6_000):
        if len(found) > MADE:
            break
        # Where a check digit is hard to hit, a change of what was found before does.
        one = another(rng.choice(found), rng, words=words)
        if one not in found and row.valid(one) and len(set(one)) > 2:
            found.append(one)
    return found


@cache
def texts(place: int) -> tuple[tuple[str, str], ...]:
    row = TABLE[place]
    before, _, behind = row.parts
    return tuple(
        (f"{first}{before}{value}{behind}{last}", value)
        for value in made(row, 91)
        for first, last in AROUND[: 1 if row.kind is Kind.SECRET else None]
    )


@pytest.mark.parametrize("place", range(len(TABLE)), ids=NAMES)
def test_what_a_row_knows_all_know(place: int) -> None:
    row = TABLE[place]
    assert row.valid(row.parts[1])
    for text, value in texts(place):
        shown, count = generalised(text)
        assert count, text
        assert value not in shown, text
        assert generalised(shown) == (shown, 0)
        if row.kind is Kind.REFERENCE:
            continue
        assert DETECTOR.surface(text), text
        assert max(SETTINGS.weights[one.category] for one in DETECTOR.surface(text)) >= 0.3
        redacted = REDACTOR.surface(text).text
        assert value not in redacted, text
        assert REDACTOR.surface(redacted).text == redacted


@pytest.mark.parametrize("place", range(len(TABLE)), ids=NAMES)
def test_what_only_looks_like_it_is_known_to_none(place: int) -> None:
    row = TABLE[place]
    assert personal(row.counter) == []
    assert DETECTOR.surface(row.counter) == []
    assert REDACTOR.surface(row.counter).text == row.counter
    if row.kind in {Kind.REFERENCE, Kind.PHONE, Kind.SECRET, Kind.EMAIL, Kind.ADDRESS}:
        assert generalised(row.counter) == (row.counter, 0)


@pytest.mark.parametrize("place", range(len(TABLE)), ids=NAMES)
def test_names_are_compared_as_identifiers(place: int) -> None:
    row = TABLE[place]
    if row.kind in {Kind.SECRET, Kind.ADDRESS, Kind.BIRTH_DATE}:
        return
    for text, value in texts(place):
        assert NameMatcher([value]).read(text).verdict is Verdict.IS, (value, text)


@pytest.mark.parametrize("place", range(len(TABLE)), ids=NAMES)
def test_a_number_is_one_in_every_grouping(place: int) -> None:
    row = TABLE[place]
    if row.kind not in {Kind.PHONE, Kind.CARD}:
        return
    for value in made(row, 92):
        digits = "".join(one for one in value if one.isdigit() or one == "+")
        for joint in ("", " ", "-"):
            groups = [digits[at : at + 4] for at in range(0, len(digits), 4)]
            text = f"{row.parts[0]}{joint.join(groups)}{row.parts[2]}"
            assert NameMatcher([value]).read(text).verdict is not Verdict.OTHER, (value, text)
            shown = generalised(text)[0]
            redacted = REDACTOR.surface(text, 0.3).text
            assert groups[-1] not in shown, text
            assert groups[1] not in redacted, text


@pytest.mark.parametrize("language", ["en", "de", "es", "zh"])
def test_each_language_tells_passwords_codes_and_answers(language: str) -> None:
    rows = [row for row in TABLE if row.name.startswith(f"{language}-") and row.kind is Kind.SECRET]
    assert {"password", "pin"} <= {row.name.split("-")[1] for row in rows}


def test_telephone_numbers_of_twenty_countries_are_rows() -> None:
    assert len({row.name for row in TABLE if row.kind is Kind.PHONE}) >= 20


@pytest.mark.parametrize(
    "text",
    [
        "It costs 12 345 678 kroner",
        "The numbers are 12 14 16 18 20",
        "ISBN 978-3-16-148410-0 is a book",
        "Read 978-3-16-148410-0 first",
        "Order no. 123-456-7890 was sent",
        "It was on 2024-03-15 10:30, and on 12/05/2024",
        "From 2019-2021 and at 10:30 - 11:45",
        "He ran 5 10 15 20 25 30 metres",
        "I lost my password again",
        "the password policy is strict",
        "The password must be 12 characters long",
        "Is my PIN still needed?",
        "The key is under the mat",
        "The secret is to start early",
        "the token limit is high",
        "The code is clean and the combination is great.",
        "The zip code is 94107 there",
        "Das Passwort ist abgelaufen.",
        "Der Code ist sauber",
        "La clave es la paciencia.",
        "密码是错的",
        "密码是什么？",
        "use the @Autowired annotation",
        "@login_required\ndef logout():",
        "the gate code was changed in 2024",
        "The door code review 4471 is on Friday",
        "Pass the sugar: 2 spoons",
        "pin 4 boards to the wall",
        "Password: forgotten",
        "Passwort: erforderlich",
        "The shop opens with 3 guests",
        "To open the door turn left after 2 steps",
        "My account: 12 apples / 13 pears",
        "The user asked: what / why",
        "de deurcode is nieuw",
        "Le code de la porte est nouveau",
        "The lift code is in drawer 12",
        "The safe opens with a key",
        "The constant e is 2.718281828459045",
        "A year has 365.242190402 days",
        "Firmware 4.18.2201.1107 fixes it",
        "We run 21.3.10492.5512 on all of them",
        "Die Rechnung 2025-0048123 kam heute",
        "Aktenzeichen 2019/445123 ruht",
        "Invoice 443-221-9087 is late",
        "La factura 2026-004812 está pagada",
        "La commande 402-118-7721 est là",
        "Order 302-4471209-8812345 has shipped",
        "It ended 25-23, 22-25, 25-19 and 15-12",
        "They won 102-98 and lost 88-101 and 95-97",
        "The sets were 21-17 19-21 15-13",
    ],
)
def test_ordinary_talk_is_left_alone(text: str) -> None:
    assert DETECTOR.surface(text) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("My version of it: call 443-221-9087", "443-221-9087"),
        ("Invoice 2024-00123: ring +43 664 1234567", "+43 664 1234567"),
        ("Die Rechnung ist da, Telefon 0664 123 45 67", "0664 123 45 67"),
        ("Text me at 664.123.4567 about the order", "664.123.4567"),
        ("After the game try 212-555-0187", "212-555-0187"),
    ],
)
def test_a_telephone_number_is_one_whatever_stands_near(text: str, number: str) -> None:
    assert number not in REDACTOR.surface(text, 0.3).text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("I have changed the alarm code to 2468", "2468"),
        ("Ich habe mein Passwort auf sommer99 geändert", "sommer99"),
        ("cambié la contraseña a verano99", "verano99"),
        ("我把密码改成了summer99", "summer99"),
        ("Her locker combination: 7-23-41", "7-23-41"),
        ("PUK: 12345678", "12345678"),
        ("Der Türcode lautet 4711#", "4711#"),
        ("El código de la alarma es 2468", "2468"),
        ("seed phrase: ribbon velvet orbit candle timber galaxy pencil marble hollow saddle window copper", "galaxy"),
        ("vault code 90211#", "90211"),
        ("the garage code\u2019s 5518", "5518"),
        ("Our office PIN's 6640, ask me", "6640"),
        ("Passcode for the tablet: plum-3381", "plum-3381"),
        ("Net: Casa_Verde pass: melon_52", "melon_52"),
        ("Her tablet unlocks with 5521", "5521"),
        ("the suitcase opens with 3-1-7", "3-1-7"),
        ("To unlock the padlock dial 14-02-33", "14-02-33"),
        ("Recovery codes: 5512-8841, 9920-1734 and 6631-0042", "6631-0042"),
        ("OTP 771204 is good for a minute", "771204"),
        ("Security question answer: Waldi", "Waldi"),
        ("Alarmcode 6613", "6613"),
        ("Kennwort: Gänseblümchen!", "Gänseblümchen"),
        ("Meine 12 Wörter: Birne Kanne Wiese Stern Brot Fenster Wolle Turm Fluss Garten Nadel Kerze", "Fenster"),
        ("银行卡密码 661204", "661204"),
        ("Het wachtwoord is molen33", "molen33"),
        ("De kluis gaat open met 7714", "7714"),
        ("Le cadenas s'ouvre avec 6614", "6614"),
        ("Codice della porta: 8841", "8841"),
        ("O alarme abre com 5512", "5512"),
        ("La caja fuerte se abre con 3381", "3381"),
        ("curl --user svc:plumtree1 https://e.org/x", "plumtree1"),
        ("Shop login: nora@fjord.no / Red&fox7", "Red&fox7"),
        ("Bank account for Ida: ida.berg | 7Winter!", "7Winter!"),
        ("mysql://root:hunter2@10.0.0.1/app", "hunter2"),
        ("redis://:hunter2@cache.internal:6379", "hunter2"),
    ],
)
def test_secrets_in_words(text: str, secret: str) -> None:
    assert secret not in REDACTOR.surface(text).text
    assert secret not in generalised(text)[0]
    assert DETECTOR.surface(text)[0].category.value == "secret"


#: Before an identifier and behind it, in scripts that have no blanks, or particles without one.
GLUED = (
    ("\u6211\u7684\u5361\u662f", "\uff0c\u8bf7\u8bb0\u4f4f\u3002"),
    ("\u756a\u53f7\u306f", "\u3067\u3059\u3002"),
    ("\uc81c \ubc88\ud638\ub294 ", "\uc785\ub2c8\ub2e4."),
    ("\u0e04\u0e37\u0e2d", "\u0e04\u0e23\u0e31\u0e1a"),
)
FORMED = [
    "4539148803436467", "GB29NWBK60161331926819", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "192.168.17.20",
    "1HGCM82633A004352", "00:1B:44:11:3A:B7", "ann.lee@example.com", "sk-proj-Zk3vT9qLm2Xy8Rb4Wd7Hn1Pc6",
]  # fmt: skip


@pytest.mark.parametrize("value", FORMED)
@pytest.mark.parametrize("place", range(len(GLUED)))
def test_an_identifier_needs_no_blank_beside_it(place: int, value: str) -> None:
    before, after = GLUED[place]
    text = f"{before}{value}{after}"
    found = DETECTOR.find(text)
    assert any(value in text[one.start : one.end] for one in found), found
    assert "@" in value or not all(one.hidden for one in found if value in text[one.start : one.end])
    assert value not in REDACTOR.surface(text).text
    assert value not in generalised(text)[0]


@pytest.mark.parametrize(
    "text",
    [
        "The shop opens at 0830 and closes at 1800.",
        "The museum opens with 3000 exhibits in May.",
        "Der Laden \u00f6ffnet mit 200 G\u00e4sten.",
        "The building code 2021 requires two exits.",
        "The secret is 2000 years old.",
        "PIN 2024 was a good year",
        "OTP 2024 annual report",
        "\u5bc6\u7801\u5b66\u8bfe\u7a0b\u57282024\u5e74\u5f00\u59cb",
        "\u5bc6\u7801\u662f8\u4f4d\u4ee5\u4e0a",
    ],
)
def test_a_number_of_things_or_a_year_is_no_secret(text: str) -> None:
    assert [one for one in personal(text) if one.kind is Kind.SECRET] == []


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("passcode 448812", "448812"),
        ("my iPhone code is 448812", "448812"),
        ("locker combo 12-24-36", "12-24-36"),
        ("security code 737 on the back", "737"),
        ("\u95e8\u9501\u5bc6\u78015523", "5523"),
        ("Code f\u00fcrs Fahrradschloss: 773", "773"),
        ("le digicode est 5523B", "5523B"),
        ("J'ai chang\u00e9 mon mot de passe en Tigre#99", "Tigre#99"),
        ("The bike shed opens with 6613 and then you push", "6613"),
        ("the door code 2019, please keep it", "2019"),
    ],
)
def test_further_secrets_in_words(text: str, secret: str) -> None:
    assert any(secret in text[one.start : one.end] for one in personal(text) if one.kind is Kind.SECRET)


@pytest.mark.parametrize(
    "text", ["write to jo (at) example.com please", "jo[at]example.com", "Schreib an jo(at)web.de"]
)
def test_an_at_in_brackets_is_that_of_an_address(text: str) -> None:
    assert any(one.kind is Kind.EMAIL for one in personal(text))
