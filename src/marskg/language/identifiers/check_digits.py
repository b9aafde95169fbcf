"""The check digits of cards, accounts and national identifiers.

Guarantees: pure functions of the characters of one candidate, separators left out by the caller; they say whether the
number can be one, not whether it was given to anybody. Sources: ISO/IEC 7812-1 and 7064, ISO 13616, and what each
country's authority publishes about its number.
"""

from __future__ import annotations

from datetime import date
from hashlib import sha256
from typing import Final

_YEARS: Final = range(1900, 2100)


def luhn(digits: str) -> bool:
    """Return whether the digits have the check digit of ISO/IEC 7812-1."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value  # noqa: PLR2004 - the sum of its digits
    return total % 10 == 0


def iban(text: str) -> bool:
    """Return whether an account number has the check digits of ISO 13616."""
    return int("".join(str(int(one, 36)) for one in text[4:] + text[:4])) % 97 == 1


def _weighted(digits: str, weights: tuple[int, ...]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def is_date(year: int, month: int, day: int) -> bool:
    """Return whether there is such a day."""
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _short_date(text: str, order: str = "ymd") -> bool:
    """Return whether six digits are a day of some century."""
    parts = {name: int(text[2 * place : 2 * place + 2]) for place, name in enumerate(order)}
    return any(is_date(century + parts["y"], parts["m"], parts["d"]) for century in (1900, 2000))


_VERHOEFF_D: Final = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_VERHOEFF_P: Final = (
    "0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip


def verhoeff(digits: str) -> bool:
    """India, Aadhaar: twelve digits whose last is Verhoeff's."""
    state = 0
    for place, digit in enumerate(reversed(digits)):
        state = int(_VERHOEFF_D[state][int(_VERHOEFF_P[place % 8][int(digit)])])
    return state == 0 and digits[0] not in "01"


def nhs(digits: str) -> bool:
    """United Kingdom, NHS number: modulus 11."""
    check = 11 - _weighted(digits, (10, 9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return check % 11 == int(digits[9]) and check != 10  # noqa: PLR2004 - ten is never given out


def german_tax(digits: str) -> bool:
    """Germany, tax identification number: ISO 7064 mod 11,10."""
    product = 10
    for digit in digits[:10]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == int(digits[10]) and digits[0] != "0"


def german_health(text: str) -> bool:
    """Germany, health insurance number: the letter as two digits, then Luhn's weights from the left."""
    digits = f"{ord(text[0]) - 64:02d}" + text[1:]
    products = (int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(digits[:10]))
    return sum(value // 10 + value % 10 for value in products) % 10 == int(digits[10])


def german_card(text: str) -> bool:
    """Germany, identity card and passport: weights 7, 3, 1."""
    total = sum(int(one, 36) * (7, 3, 1)[place % 3] for place, one in enumerate(text[:9]))
    return total % 10 == int(text[9])


def german_pension(text: str) -> bool:
    """Germany, pension insurance number: the sums of digits of weighted places."""
    day, month = int(text[2:4]), int(text[4:6])
    digits = text[:8] + f"{ord(text[8]) - 64:02d}" + text[9:11]
    products = (int(digit) * weight for digit, weight in zip(digits, (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1), strict=True))
    return sum(value // 10 + value % 10 for value in products) % 10 == int(text[11]) and is_date(
        2000, month, day % 50 or 1
    )


def french(text: str) -> bool:
    """France, NIR: key of 97."""
    body = text[:13].replace("2A", "19").replace("2B", "18")
    return body.isdigit() and 97 - int(body) % 97 == int(text[13:15]) and text[0] in "123478"


_FISCAL_ODD: Final = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)


def italian(text: str) -> bool:
    """Italy, codice fiscale: its last letter."""
    total = 0
    for place, one in enumerate(text[:15]):
        value = int(one) if one.isdigit() else ord(one) - 65
        total += value if place % 2 else _FISCAL_ODD[value]
    return total % 26 == ord(text[15]) - 65


def spanish(text: str) -> bool:
    """Spain, NIF and NIE: a letter by the remainder of 23."""
    body = text[:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(body) % 23] == text[-1]


def pesel(digits: str) -> bool:
    """Poland, PESEL: a date, and weights 1, 3, 7, 9."""
    month = int(digits[2:4]) % 20
    check = (10 - _weighted(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10) % 10
    return check == int(digits[10]) and is_date(2000, month or 13, int(digits[4:6]) or 40)


def bsn(digits: str) -> bool:
    """Netherlands, burgerservicenummer: the test of eleven."""
    return (_weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2)) - int(digits[8])) % 11 == 0 and int(digits) > 0


def swedish(digits: str) -> bool:
    """Sweden, personnummer and samordningsnummer: a date, and Luhn over the last ten digits."""
    ten = digits[-10:]
    day = int(ten[4:6])
    day = day - 60 if day > 60 else day  # noqa: PLR2004 - coordination numbers
    return luhn(ten) and _short_date(f"{ten[:4]}{day:02d}")


def finnish(text: str) -> bool:
    """Finland, personal identity code: a date, and a character by the remainder of 31."""
    check = "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(text[:6] + text[-4:-1]) % 31]
    return check == text[-1] and _short_date(text, "dmy")


def tfn(digits: str) -> bool:
    """Australia, tax file number: modulus 11."""
    weights = (1, 4, 3, 7, 5, 8, 6, 9, 10) if len(digits) == 9 else (10, 7, 8, 4, 6, 3, 5, 1)  # noqa: PLR2004 - its lengths
    return _weighted(digits, weights) % 11 == 0


def medicare(digits: str) -> bool:
    """Australia, Medicare card."""
    return _weighted(digits, (1, 3, 7, 9, 1, 3, 7, 9)) % 10 == int(digits[8]) and digits[0] in "23456"


def cpf(digits: str) -> bool:
    """Brazil, CPF: two digits of modulus 11."""
    for length in (9, 10):
        total = sum(int(digit) * (length + 1 - place) for place, digit in enumerate(digits[:length]))
        if total * 10 % 11 % 10 != int(digits[length]):
            return False
    return len(set(digits)) > 1


def singaporean(text: str) -> bool:
    """Singapore, NRIC and FIN: a letter by weights."""
    total = _weighted(text[1:8], (2, 7, 6, 5, 4, 3, 2)) + {"T": 4, "G": 4, "M": 3}.get(text[0], 0)
    if text[0] == "M":
        return "XWUTRQPNJLK"[10 - total % 11] == text[8]
    return ("JZIHGFEDCBA" if text[0] in "ST" else "XWUTRQPNMLK")[total % 11] == text[8]


def korean(digits: str) -> bool:
    """Korea, resident registration number: a date and a sex; since 2020 the last digit checks nothing."""
    return _short_date(digits[:6]) and digits[6] in "12345678"


def korean_checked(digits: str) -> bool:
    """Korea, as before 2020: a date, a sex, and modulus 11; that of foreigners is two more."""
    rest = _weighted(digits, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)) % 11
    wanted = (13 if digits[6] in "5678" else 11) - rest
    return korean(digits) and wanted % 10 == int(digits[12])


def turkish(digits: str) -> bool:
    """Türkiye, kimlik numarasi: two check digits."""
    odd, even = sum(map(int, digits[0:9:2])), sum(map(int, digits[1:8:2]))
    return (odd * 7 - even) % 10 == int(digits[9]) and sum(map(int, digits[:10])) % 10 == int(digits[10])


def south_african(digits: str) -> bool:
    """South Africa, identity number: a date and Luhn."""
    return luhn(digits) and _short_date(digits[:6]) and digits[10] in "012"


def swiss(digits: str) -> bool:
    """Switzerland, AHV number: EAN-13."""
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits[:12]))
    return -total % 10 == int(digits[12])


def belgian(digits: str) -> bool:
    """Belgium, national register number: the remainder of 97, of both centuries."""
    check = int(digits[9:])
    return check in {97 - int(digits[:9]) % 97, 97 - int("2" + digits[:9]) % 97}


def chinese(text: str) -> bool:
    """China, resident identity number: a date, and ISO 7064 mod 11,2."""
    total = _weighted(text[:17], (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2))
    year = int(text[6:10])
    return (
        "10X98765432"[total % 11] == text[17] and year in _YEARS and is_date(year, int(text[10:12]), int(text[12:14]))
    )


def thai(digits: str) -> bool:
    """Thailand, citizen number: modulus 11."""
    return (11 - _weighted(digits, tuple(range(13, 1, -1))) % 11) % 10 == int(digits[12])


def npi(digits: str) -> bool:
    """United States, national provider identifier: Luhn behind 80840."""
    return luhn("80840" + digits)


def ean(digits: str) -> bool:
    """Goods and books: EAN-13."""
    return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits)) % 10 == 0


_VIN_LETTERS: Final = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", "12345678123457923456789", strict=True))
_VIN_WEIGHTS: Final = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def vin(text: str) -> bool:
    """Vehicles, ISO 3779: the ninth sign checks the others where North America gave it out; elsewhere it is a letter or Z."""
    digits = [int(_VIN_LETTERS.get(one, one)) for one in text]
    rest = sum(digit * weight for digit, weight in zip(digits, _VIN_WEIGHTS, strict=True)) % 11
    # Europe leaves the ninth sign free.
    return "0123456789X"[rest] == text[8] or text[0] in "STUVWXYZ"


_BASE58: Final = {one: place for place, one in enumerate("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")}


def base58(text: str) -> bool:
    """Wallets of Bitcoin and their keys: the last four bytes are the beginning of what is hashed twice."""
    value = 0
    for one in text:
        value = value * 58 + _BASE58[one]
    size = 25 if len(text) <= 35 else 37 if len(text) == 51 else 38  # noqa: PLR2004 - their lengths
    try:
        data = value.to_bytes(size, "big")
    except OverflowError:
        return False
    return sha256(sha256(data[:-4]).digest()).digest()[:4] == data[-4:]


_BECH32: Final = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_BECH32_STEPS: Final = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def bech32(text: str) -> bool:
    """Newer wallets of Bitcoin: the checksum of BIP 173, or that of BIP 350."""
    name, _, data = text.rpartition("1")
    if not name or any(one not in _BECH32 for one in data):
        return False
    values = [*(ord(one) >> 5 for one in name), 0, *(ord(one) & 31 for one in name), *map(_BECH32.index, data)]
    state = 1
    for one in values:
        top = state >> 25
        state = (state & 0x1FFFFFF) << 5 ^ one
        for place, step in enumerate(_BECH32_STEPS):
            state ^= step if top >> place & 1 else 0
    return state in {1, 0x2BC830A3}
