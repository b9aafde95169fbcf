"""Identifiers through the public door: measured, kept from readers, redacted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from marskg.answer import plain
from marskg.ontology.vocabulary import MemoryClass

if TYPE_CHECKING:
    from tests.support.stores import Stores

DAY = 86_400_000
#: Texts, what of them nobody may be told, and the least that it weighs.
IDENTIFIERS = [
    ("My number is 06 12 34 56 78.", "34 56 78", 0.4),
    ("My phone number is 06 12 34 56 78.", "34 56 78", 0.4),
    ("Meine Nummer ist 22 33 44 55.", "33 44 55", 0.4),
    ("我的电话是138 1234 5678。", "1234 5678", 0.4),
    ("The car 1HGCM82633A004352 was sold", "004352", 0.4),
    ("My wallet is 16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyZ", "16Yeky6", 0.6),
    ("Ask @ines_reads about it", "ines_reads", 0.4),
    ("My DNI is 12345678Z", "12345678Z", 0.9),
    ("Her customer number is K48213 now", "K48213", 0.4),
]
SECRETS = [
    ("mein Passwort lautet Sonnenblume", "Sonnenblume"),
    ("la contraseña es girasol77", "girasol77"),
    ("我的密码是hunter2", "hunter2"),
    ("The safe combination is 12 34 56", "12 34 56"),
    ("PIN 4711 opens it", "4711"),
    ("Her locker word is falcon.", "falcon"),
    ("seed phrase: ribbon velvet orbit candle timber galaxy pencil marble hollow saddle window copper", "galaxy"),
    ("The answer to my security question is Rex.", "Rex"),
    ("redis://:hunter2@cache.internal:6379", "hunter2"),
]


@pytest.mark.parametrize(("text", "hidden", "weight"), IDENTIFIERS, ids=[one[0][:20] for one in IDENTIFIERS])
def test_what_one_knows_all_know(stores: Stores, text: str, hidden: str, weight: float) -> None:
    memory = stores.open()
    memory.settings.set(None, {"sensitivity.presidio": "off"})
    memory.remember("We water the tomatoes twice a week", kind="semantic")
    stored = memory.remember(text, kind="semantic")
    assert stored.sensitivity >= weight
    assert not [one for one in memory.read_all(max_sensitivity=0.3) if hidden in str(plain(one))]
    assert hidden not in str(plain(memory.retrieve(text, max_sensitivity=0.3)))
    assert hidden not in memory.privacy.redact(text).text
    assert hidden not in memory.privacy.redact(text, max_sensitivity=0.3).text


@pytest.mark.parametrize(("text", "hidden"), SECRETS, ids=[one[0][:20] for one in SECRETS])
def test_a_secret_that_is_told_in_words_is_private_as_a_password_is(stores: Stores, text: str, hidden: str) -> None:
    memory = stores.open()
    memory.settings.set(None, {"sensitivity.presidio": "off"})
    stored = memory.remember(text)
    assert stored.memory_class is MemoryClass.PRIVATE
    assert stored.expires_at == stored.created + 7 * DAY
    assert any("class private" in notice for notice in stored.notices)
    assert hidden not in memory.privacy.redact(text).text


@pytest.mark.parametrize(
    "text",
    ["I forgot my password", "the password policy is strict", "My passport expires in 2031", "The PIN was changed"],
)
def test_a_secret_that_is_not_told_is_kept(stores: Stores, text: str) -> None:
    memory = stores.open()
    memory.settings.set(None, {"sensitivity.presidio": "off"})
    stored = memory.remember(text)
    assert (stored.memory_class, stored.expires_at) == (MemoryClass.FACTUAL, None)
