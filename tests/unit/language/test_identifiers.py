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
    ],
)
def test_ordinary_talk_is_left_alone(text: str) -> None:
    assert DETECTOR.surface(text) == []


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
        ("mysql://root:hunter2@10.0.0.1/app", "hunter2"),
        ("redis://:hunter2@cache.internal:6379", "hunter2"),
    ],
)
def test_secrets_in_words(text: str, secret: str) -> None:
    assert secret not in REDACTOR.surface(text).text
    assert secret not in generalised(text)[0]
    assert DETECTOR.surface(text)[0].category.value == "secret"
