from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marskg.language.identifiers.table import generalised

#: Full-width letters, as somebody may write them.
WIDE = "".join(chr(ord(letter) + 0xFEE0) for letter in "Alice@example.org")


@pytest.mark.parametrize(
    ("text", "hidden", "shown"),
    [
        ("Write to alice.b+x@mail.example.org today", "alice.b", "(e-mail address)"),
        ("Write to alice at example dot org today", "example", "(e-mail address)"),
        (WIDE + " is new", WIDE[6:], "(e-mail address)"),
        ("al\u200bice@exam\u200bple.org is new", "exam", "(e-mail address)"),
        ("Call +44 20 7946 0018 tonight", "7946", "(phone number)"),
        ("Call (555) 123-4567 tonight", "4567", "(phone number)"),
        ("Call 555-0199 tonight", "0199", "(phone number)"),
        ("Her card is 4111 1111 1111 1111 now", "1111", "(card number)"),
        ("Pay to DE89 3704 0044 0532 0130 00 please", "3704", "(account number)"),
        ("Ticket https://shop.example.org/order/99812?u=7 came", "99812", "(link)"),
        ("Her insurance number is 078-05-1120 now", "1120", "(number)"),
        ("Passport X1234567 expires", "1234567", "(identifier)"),
        ("Reference 20993311882 was given", "20993311882", "(number)"),
        ("The key is sk-proj4f9aB71cD0e2F7aa991Qz", "f9aB", "(secret)"),
        ("The printer is at 192.168.17.4 now", "192.168", "(network address)"),
        ("She lives at 221B Baker Street now", "Baker", "(postal address)"),
        ("She lives at 12 Old Mill Road, Flat 3b now", "Mill", "(postal address)"),
        ("She lives in the Rua das Flores 12 now", "Flores", "(postal address)"),
        ("She lives at 12 rue de Rivoli now", "Rivoli", "(postal address)"),
        ("She lives in Via del Corso, 7 now", "Corso", "(postal address)"),
        ("She lives in Hauptstraße 5 now", "Haupt", "(postal address)"),
        ("Write to P.O. Box 4711 please", "4711", "(postal address)"),
        ("The parcel goes to SW1A 1AA today", "1AA", "(postcode)"),
        ("The parcel goes to CA 94107 today", "94107", "(postcode)"),
        ("Ines was born on 12/05/1984 at sea", "1984", "(date of birth)"),
        ("Ines was born 3 March 1984 at sea", "1984", "(date of birth)"),
        ("Open example.org/reset?token=a1b2c3 now", "a1b2c3", "(secret)"),
        ("Open example.org/list?page=a1b2c3 now", "a1b2c3", "(link)"),
        ("Pay to de89 3704 0044 0532 0130 00 please", "3704", "(account number)"),
        ("Pay to DE89-3704-0044-0532-0130-00 please", "3704", "(account number)"),
        ("Her card is 3782 822463 10005 now", "822463", "(card number)"),
        ("Her card is 4111-1111-1111-1111 now", "1111", "(card number)"),
        ("Her insurance number is 078 05 1120 now", "1120", "(number)"),
        ("Her insurance number is QQ 12 34 56 C now", "34", "(number)"),
        ("The password is hunter2 still", "hunter2", "(secret)"),
        ("His PIN is 4711 still", "4711", "(secret)"),
        ("Ask @ines_reads about it", "ines", "(account name)"),
        ("The box has fe80:0:0:1::a1 now", "fe80", "(network address)"),
        ("The box is 00:1A:2b:3c:4D:5e now", "4D", "(network address)"),
        ("The cabin is at 38.72231, -9.13934 exactly", "72231", "(place)"),
        ("The car 1HGCM82633A004352 was sold", "004352", "(identifier)"),
        ("Invoice INV-2024-0012 came", "0012", "(identifier)"),
        ("Order #48213 came", "48213", "(identifier)"),
        ("Her customer number is K48213 now", "48213", "(identifier)"),
        ("See 0190a6f2-0000-7000-8000-0123456789ab there", "0190a6f2", "(identifier)"),
    ],
)
def test_an_identifier_becomes_its_kind(text: str, hidden: str, shown: str) -> None:
    found, count = generalised(text)
    assert shown in found
    assert hidden not in found
    assert count == 1
    assert generalised(found) == (found, 0)


@pytest.mark.parametrize(
    "text",
    [
        "She runs 5 km every Tuesday and Thursday at 7:30.",
        "The budget is $1,250,000 for 2024-2025.",
        "It costs 1500000 euros, or $2500000 with taxes.",
        "They met on 2024-03-15 10:30 and on 12/05/2024.",
        "An over-the-counter-state-of-the-art-remedy.",
        "Read www.example.org before 1 May.",
        "The flat is in the Rua das Flores, near Baker Street.",
        "Platform 9 of King's Cross, 7 people and 12 Dutch tulips.",
        "ISO-9001 and RFC-2119 were read in 2024, COVID-19 in 2020.",
        "They meet @ noon and/or at 7:30:15 in room 12.",
        "Ines was born in Lisbon in 1984.",
        "The PIN was not changed, the passwords were.",
        "Version 3.11.4 of Python, chapter 12-14.",
    ],
)
def test_what_a_summary_is_for_stays(text: str) -> None:
    assert generalised(text) == (text, 0)


@given(st.text(max_size=200))
def test_twice_is_once(text: str) -> None:
    once, _ = generalised(text)
    assert generalised(once)[0] == once
