"""What has a form of its own and belongs to somebody: addresses, accounts, numbers to dial, handles, dates of birth.

Guarantees: pure functions; a card, an IBAN, a wallet and a vehicle are only found with the right check digits; a date
is a date of birth, and a bare number an account, only where a word beside it says so. A telephone number is any run
of digits in groups that is no price, date, version, ISBN or order, or stands behind a word for one; how people of
many countries group theirs is in ``phone_groupings.tsv``, a row of the table each.
"""

from __future__ import annotations

import ipaddress
import re
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from marskg.language.en.personal.addresses import ADDRESSES
from marskg.language.en.personal.particulars import PARTICULARS
from marskg.language.identifiers import check_digits
from marskg.language.identifiers.model import Found, Identifier, Kind
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterator

_EMAIL: Final = late_regex(
    r"(?<![\w.+-])[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*"
    r"\s?(?:@|[\[({]\s?(?:at|@)\s?[\])}]|\sat\s(?=[\w-]+(?:\s?[\[({]\s?dot|\sdot\s)))\s?"
    r"(?:[\w-]+(?:\.|\s?[\[({]\s?(?:dot|\.)\s?[\])}]\s?|\sdot\s))+[^\W\d_]{2,24}(?![\w-])",
    re.IGNORECASE,
)

#: An *at* in brackets says by itself that it is an address.
_AT: Final = late_regex(r"[\[({]\s?at\s?[\])}]")
_CARD: Final = late_regex(r"(?<![\w.,])(?:\d{4}(?:\s?/\s?\d{4}){3}|\d(?:[ \u00a0._-]{0,3}\d){11,18})(?![\w]|[.,]\d)")
#: As issuers give them out.
_CARD_DIGITS: Final = frozenset({12, 13, 14, 15, 16, 19})
_IBAN: Final = late_regex(r"(?<![\w])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){10,30}(?![\w])", re.IGNORECASE)
_ACCOUNT: Final = late_regex(r"(?<![\w.,$€£/-])\d{6,17}(?![\w]|[.,/-]\d)|(?<![\w-])\d{2}-\d{2}-\d{2}(?![\w-])")

_IPV4: Final = late_regex(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)")
_IPV6: Final = late_regex(r"(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])", re.IGNORECASE)
_MAC: Final = late_regex(r"(?<![\w:-])(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}(?![\w:-])", re.IGNORECASE)

#: Beside a number may stand letters of a script that puts no blank between words.
_PHONE: Final = late_regex(
    r"(?<![\dA-Za-z_\u00c0-\u024f.,$€£¥₹#/-])(?:\+|00|\(\+)?\(?\d{1,4}\)?(?:(?:[ \u00a0./-]{0,2}| / )\(?\d{1,5}\)?){1,7}"
    r"(?:\s?(?:x|ext\.?|extension|poste)\s?\d{1,6})?(?![\dA-Za-z_\u00c0-\u024f]|[.,/:-]\d)",
    re.IGNORECASE,
)
_NO_PHONE: Final = late_regex(
    r"\d{4}[-./]\d{1,2}[-./]\d{1,2}(?:\s\d{1,2})?|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}(?:\s\d{1,2})?|(?:19|20)\d{2}\s?-\s?(?:19|20)\d{2}"
    r"|\d{1,3}(?:\.\d{3})+"
)
#: Numbers of one or two digits side by side are a list; a telephone number in pairs begins with a nought, or is called one.
_PAIRS: Final = late_regex(r"(?:\d{1,2}[ .]){3,}\d{1,2}")
_DIALLED_PAIRS: Final = late_regex(r"0[1-9](?:([ .-])\d\d)(?:\1\d\d){3}")
_CALLED_PAIRS: Final = late_regex(r"\d\d(?:[ .]\d\d){3,5}")
#: Numbers of things, by the word right before them; and books, by their beginning and check digit.
_OF_A_THING: Final = late_regex(
    r"\b(?:isbn|issn|ean|gtin|doi|pmid|(?:order|invoice|ticket|tracking|serial|part|model|article|bestell|rechnungs|artikel|pedido|factura|订单)"
    r"-?\s?(?:no\.?|nr\.?|n[º°]|number|nummer|id|号)?)(?:-1[03])?\s?(?:is|was|ist|es)?\s?[:#]?\s?$",
    re.IGNORECASE,
)
#: What a number is of, by a word before it or the signs in it: a decimal fraction, a version of four parts or more, a
#: number of a year's, an order of a shop. Where a telephone is named beside it, it is that nevertheless.
_OTHER_SORT: Final = late_regex(
    r"(?<![^\W_])(?:v|ver|version|build|release|firmware|driver|patch|kernel|revision|rev|pi|constant|ratio|score|receipt|claim"
    r"|order|invoice|ticket|tracking|parcel|serial|model|isbn|issn|ip|doi|lot|batch|docket|file|ref|reference|purchase"
    r"|rechnung|auftrag|bestellung|lieferung|sendung|vorgang|aktenzeichen|beleg|angebot|seriennummer|zahl|konstante"
    r"|factura|pedido|versi[oó]n|expediente|facture|commande|fattura|ordine|fatura|encomenda|factuur|bestelling"
    r"|(?:order|invoice|rechnungs|auftrags|bestell|sendungs|beleg|vorgangs)-?(?:number|nummer|nr|no|id))\.?"
    r"(?:\s(?:is|was|of|ist|war|lautet|es|est|no\.?|nr\.?|number|nummer|id)){0,2}\s?[:#]?\s?$",
    re.IGNORECASE,
)
_FRACTION: Final = late_regex(r"(?:0|[1-9]\d?)\.\d{6,}|[1-9]\d{0,2}\.\d{8,}")
_VERSION: Final = late_regex(r"(?!0\d)(?=(?:\d+\.)*(?:\d|\d{4,5})(?!\d))\d{1,5}(?:\.\d{1,5}){3,}")
_OF_A_YEAR: Final = late_regex(r"(?:19|20)\d{2}[-/]\d{3,8}")
_OF_A_SHOP: Final = late_regex(r"\d{3}-\d{7}-\d{7}")
#: Points of two sides, one pair or more: what a game or its parts ended at.
_SCORES: Final = late_regex(r"(?!.*(?<!\d)0\d)\d{1,3}[-:]\d{1,3}(?:(?:, ?| | / )\d{1,3}[-:]\d{1,3})+")
_BOOK: Final = late_regex(r"97[89]\d{10}")
_PHONE_DIGITS: Final = range(7, 16)
#: From so many digits on, or with a country's code, separators alone make a telephone number.
_SURE_DIGITS: Final = 9
_BESIDE: Final = 40

#: A wallet of Bitcoin with the check digits of base58 or a long one of bech32, or one of Ethereum.
_WALLET: Final = late_regex(
    r"(?<!\w)(?:[13][1-9A-HJ-NP-Za-km-z]{25,34}|(?:bc|tb)1[02-9ac-hj-np-z]{11,71}|0x[0-9a-fA-F]{40})(?!\w)"
)
_WALLET_KEY: Final = late_regex(r"(?<!\w)[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?!\w)")
_VIN: Final = late_regex(r"(?<!\w)(?=[A-HJ-NPR-Z0-9]*\d{3})(?=[0-9]*[A-Z])[A-HJ-NPR-Z0-9]{17}(?!\w)")
_PLACE: Final = late_regex(r"(?<![\d.])-?\d{1,2}\.\d{4,}°?,\s?-?\d{1,3}\.\d{4,}°?(?![\d.])")
#: A handle that is no word, or is called one; code has its own words behind the sign.
_HANDLE: Final = late_regex(r"(?<![\w@./`'\"-])@(?=[A-Za-z]\w{2,30}(?!\w))(?=\w*(?:\d|[a-z]_[a-z]))\w+(?![\w(/]|\.\w)")
_CALLED_HANDLE: Final = late_regex(
    r"\b(?:handle|username|user name|nick(?:name)?|instagram|insta|twitter|telegram|tiktok|mastodon|discord|signal|snapchat|threads|bluesky"
    r"|benutzername|usuario)\b\s?(?:(?:is|was|ist|es|as|als|como|account|handle|name|:)\s?:?\s?){0,2}(?P<value>@[A-Za-z][\w.]{1,29}\w)(?![\w(/])",
    re.IGNORECASE,
)
#: What a firm or a practice calls somebody by.
_FILE_NUMBER: Final = late_regex(
    r"(?i:\b(?:customer|patient|member(?:ship)?|employee|staff|student|client|policy|insurance|loyalty|booking|library card|kunden|patienten|mitglieds?|personal"
    r"|matrikel|versicherungs|cliente|paciente|socio)[\s-]?(?:no\.?|number|id|code|nr\.?|nummer)\s?(?:is|was|ist|:|=|#)?\s?[:#]?\s?"
    r"|\bn[úu]mero de (?:cliente|paciente|socio)\s?(?:es|:)?\s?)"
    r"(?P<value>(?=[A-Z0-9-]*\d{2})[A-Z0-9][A-Z0-9-]{3,19})(?!\w)"
)
#: Some of this is in whatever has such a number: a sign behind the word for a number, and letters without a blank.
_MAYBE_FILED: Final = late_regex(
    r"(?:[Nn][OoRr]|[Mm][Bb][Ee][Rr]|[Ii][Dd]|[Cc][Oo][Dd][Ee]|[Mm][Mm][Ee][Rr]|[Oo][Cc][Ii][Oo]|[Ee][Nn][Tt][Ee])\W"
)
_MAYBE_LONG: Final = late_regex(r"[A-Za-z0-9]{14}")
#: Signs that differ in an address that was made by a key.
_FEWEST_SIGNS: Final = 8

_HAS_DIGIT: Final = late_regex(r"\d")
#: Colons of the shortest IPv6 address, hyphens of a hardware address.
_FEWEST_COLONS: Final = 2
_FEWEST_HYPHENS: Final = 5


def find(text: str) -> Iterator[Found]:
    """Yield what has a form of its own in ``text``."""
    lower = text.casefold()
    if "@" in text or ("at" in lower and ("dot" in lower or _AT.search(lower))):
        for match in _EMAIL.finditer(text):
            yield Found(match.start(), match.end(), Kind.EMAIL, "email")
        yield from _handles(text)
    if text.count(":") >= _FEWEST_COLONS or text.count("-") >= _FEWEST_HYPHENS:
        yield from _hardware(text)
    if _HAS_DIGIT.search(text):
        yield from _numbers(text)
        yield from _addresses(text, lower)
        yield from _births(text)
        yield from _of_somebody(text)


def _has(lower: str, words: tuple[str, ...]) -> bool:
    """Return whether one of ``words`` is in a text in small letters: far cheaper than a pattern that finds nothing."""
    return any(word in lower for word in words)


def _numbers(text: str) -> Iterator[Found]:
    for match in _CARD.finditer(text):
        if _is_card(match[0]) and not _FRACTION.fullmatch(match[0]):
            yield Found(match.start(), match.end(), Kind.CARD, "card")
    yield from _accounts(text)
    for match in _IPV4.finditer(text):
        if all(int(part) < 256 for part in match[0].split(".")):  # noqa: PLR2004 - an octet
            yield Found(match.start(), match.end(), Kind.NETWORK, "ip")
    for match in _PHONE.finditer(text):
        if _is_phone(text, match):
            yield Found(match.start(), match.end(), Kind.PHONE, "phone")


def _is_card(number: str) -> bool:
    digits = re.sub(r"\D", "", number)
    return len(digits) in _CARD_DIGITS and digits[0] in "23456" and len(set(digits)) > 1 and check_digits.luhn(digits)


def _is_iban(number: str) -> bool:
    compact = re.sub(r"[ -]", "", number).upper()
    return 15 <= len(compact) <= 34 and check_digits.iban(compact)  # noqa: PLR2004 - ISO 13616


def _accounts(text: str) -> Iterator[Found]:
    for match in _IBAN.finditer(text):
        # What follows an IBAN may look like more of it.
        for length in range(len(match[0]), 14, -1):
            if match[0][length - 1].isalnum() and _is_iban(match[0][:length]):
                yield Found(match.start(), match.start() + length, Kind.ACCOUNT, "iban")
                break
    if PARTICULARS.account.search(text):
        for match in _ACCOUNT.finditer(text):
            if PARTICULARS.account.search(text, max(0, match.start() - _BESIDE), match.start()):
                yield Found(match.start(), match.end(), Kind.ACCOUNT, "account")


def _hardware(text: str) -> Iterator[Found]:
    for match in _IPV6.finditer(text):
        try:
            ipaddress.IPv6Address(match[0])
        except ValueError:
            continue
        if _HAS_DIGIT.search(match[0]) and match[0].count(":") > 1:
            yield Found(match.start(), match.end(), Kind.NETWORK, "ip")
    for match in _MAC.finditer(text):
        yield Found(match.start(), match.end(), Kind.NETWORK, "mac")


def _is_phone(text: str, match: re.Match[str]) -> bool:
    """Return whether a run of digits is a number to dial."""
    run = match[0]
    digits = sum(one.isdigit() for one in run)
    if digits not in _PHONE_DIGITS or PARTICULARS.amount.match(text, match.end()) or _IPV4.fullmatch(run):
        return False
    if run.startswith(("+", "00", "(+")):
        return True
    if _NO_PHONE.fullmatch(run) or _is_of_a_thing(text, match):
        return False
    called = PARTICULARS.phone.search(text, max(0, match.start() - _BESIDE), match.start()) is not None
    if not called and _is_of_another_sort(text, match):
        return False
    if _PAIRS.fullmatch(run):
        return _DIALLED_PAIRS.fullmatch(run) is not None or (called and _CALLED_PAIRS.fullmatch(run) is not None)
    return called or (digits >= _SURE_DIGITS and re.search(r"\d[^\d]+\d", run) is not None)


def _is_of_a_thing(text: str, match: re.Match[str]) -> bool:
    """Return whether a run of digits is the number of a book or an order."""
    compact = re.sub(r"\D", "", match[0])
    if _BOOK.fullmatch(compact) and check_digits.ean(compact):
        return True
    return _OF_A_THING.search(text[max(0, match.start() - _BESIDE) : match.start()]) is not None


def _is_of_another_sort(text: str, match: re.Match[str]) -> bool:
    """Return whether a run of digits says by its form, or by a word before it, that it is no number to dial."""
    run = match[0]
    if any(form.fullmatch(run) for form in (_FRACTION, _VERSION, _OF_A_YEAR, _OF_A_SHOP, _SCORES)):
        return True
    return _OTHER_SORT.search(text, max(0, match.start() - _BESIDE), match.start()) is not None


def _addresses(text: str, lower: str) -> Iterator[Found]:
    for pattern, words in ADDRESSES.forms:
        if not words or _has(lower, words):
            for match in pattern.finditer(text):
                if pattern is not ADDRESSES.street or ADDRESSES.no_street.isdisjoint(match[0].casefold().split()[1:-1]):
                    rest = ADDRESSES.town.match(text, match.end())
                    said = "(postcode)" if pattern is ADDRESSES.postcode else ""
                    yield Found(match.start(), rest.end() if rest else match.end(), Kind.ADDRESS, "address", said)
    lives, hints = ADDRESSES.lives
    if _has(lower, hints):
        for match in lives.finditer(text):
            yield Found(match.start(1), match.end(1), Kind.ADDRESS, "address")


def _births(text: str) -> Iterator[Found]:
    if not PARTICULARS.born.search(text):
        return
    for match in PARTICULARS.date.finditer(text):
        before = PARTICULARS.born.search(text, max(0, match.start() - _BESIDE), match.start())
        if before or PARTICULARS.born.search(text, match.end(), match.end() + _BESIDE // 2):
            yield Found(match.start(), match.end(), Kind.BIRTH_DATE, "birth-date")


def _of_somebody(text: str) -> Iterator[Found]:
    """Yield the numbers that stand for a person, a thing of theirs, or where they are."""
    if _MAYBE_FILED.search(text):
        for match in _FILE_NUMBER.finditer(text):
            yield Found(match.start("value"), match.end("value"), Kind.IDENTIFIER, "file-number")
    if "." in text and "," in text:
        for match in _PLACE.finditer(text):
            yield Found(match.start(), match.end(), Kind.ADDRESS, "coordinates", "(place)")
    if _MAYBE_LONG.search(text):
        yield from _long(text)


def _long(text: str) -> Iterator[Found]:
    """Yield the long signs of vehicles and wallets, which their check digits tell from others."""
    for match in _VIN.finditer(text):
        if check_digits.vin(match[0]):
            yield Found(match.start(), match.end(), Kind.IDENTIFIER, "vin")
    for match in _WALLET.finditer(text):
        if _is_wallet(match[0]):
            yield Found(match.start(), match.end(), Kind.ACCOUNT, "wallet")
    for match in _WALLET_KEY.finditer(text):
        if check_digits.base58(match[0]):
            yield Found(match.start(), match.end(), Kind.SECRET, "wallet-wif")


def _is_wallet(value: str) -> bool:
    if not _WALLET.fullmatch(value):
        return False
    if value.startswith("0x"):
        return len(set(value)) > _FEWEST_SIGNS
    return check_digits.bech32(value) if value[:3] in {"bc1", "tb1"} else check_digits.base58(value)


def _handles(text: str) -> Iterator[Found]:
    for match in _HANDLE.finditer(text):
        # A line of its own is a decorator's.
        if (
            text[match.end() : match.end() + 1] == "\n"
            and not text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        ):
            continue
        yield Found(match.start(), match.end(), Kind.IDENTIFIER, "handle", "(account name)")
    for match in _CALLED_HANDLE.finditer(text):
        yield Found(match.start("value"), match.end("value"), Kind.IDENTIFIER, "handle", "(account name)")


def _phones() -> Iterator[Identifier]:
    """Yield a row for each way of each country to group a telephone number."""
    lines = (
        files("marskg.language.identifiers").joinpath("phone_groupings.tsv").read_text(encoding="utf-8").splitlines()
    )
    for place, line in enumerate(line for line in lines if not line.startswith("#")):
        country, grouping = line.split("\t")
        number = "".join(str((place + 3 * at) % 9 + 1) if one == "#" else one for at, one in enumerate(grouping))
        form = re.compile("".join(r"\d" if one == "#" else re.escape(one) for one in grouping))
        yield Identifier(
            f"phone-{country}",
            Kind.PHONE,
            f"My number is {{{number}}}.",
            "It costs 1.234.567 in all",
            partial(_has_form, form),
        )


def _has_form(pattern: re.Pattern[str], value: str) -> bool:
    return pattern.fullmatch(value) is not None


def _is_wallet_key(value: str) -> bool:
    return _WALLET_KEY.fullmatch(value) is not None and check_digits.base58(value)


def _is_vin(value: str) -> bool:
    return _VIN.fullmatch(value) is not None and check_digits.vin(value)


def _is_host(value: str) -> bool:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True


ROWS: Final = (
    Identifier("email", Kind.EMAIL, "Write to {ann.lee+x@mail.example.co.uk} today", "They meet @ noon and/or at 7:30"),
    Identifier("email", Kind.EMAIL, "Write to {ann [at] example [dot] com} today", "They meet at noon, dot.", partial(_has_form, _EMAIL)),
    Identifier("card", Kind.CARD, "Her card is {4111 1111 1111 1111} now", "It was 4111 of 1111 then", _is_card),
    Identifier("card", Kind.CARD, "Her card is {4111-1111-1111-1111} now", "It was 4111-1112 then", _is_card),
    Identifier("card", Kind.CARD, "Her card is {378282246310005} now", "It was 378282 then", _is_card),
    Identifier("iban", Kind.ACCOUNT, "Pay {DE89 3704 0044 0532 0130 00} please", "Pay DE89 please", _is_iban),
    Identifier("iban", Kind.ACCOUNT, "Pay {GB29NWBK60161331926819} please", "Pay GB29 please", _is_iban),
    Identifier("account", Kind.ACCOUNT, "My account number is {12345678}", "The account is new"),
    Identifier("wallet", Kind.ACCOUNT, "My wallet is {16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyZ}", "My wallet is brown", _is_wallet),
    Identifier("wallet", Kind.ACCOUNT, "My wallet is {bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4}", "bc1 is short", _is_wallet),
    Identifier("wallet", Kind.ACCOUNT, "My wallet is {0x52908400098527886E0F7030069857D2E4169EE7}", "It is 0x52908400", _is_wallet),
    Identifier(
        "wallet-wif", Kind.SECRET, "It was {5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ} then", "It was 5Hue then",
        _is_wallet_key,
    ),
    Identifier("ip", Kind.NETWORK, "The host {192.168.17.20} is down", "Version 2.10.3 is out", _is_host),
    Identifier("ip", Kind.NETWORK, "It has {2001:db8::8a2e:370:7334} now", "It is 10:30:15 now", _is_host),
    Identifier("mac", Kind.NETWORK, "It has {00:1B:44:11:3A:B7} now", "From 00:15 to 11:30"),
    Identifier("address", Kind.ADDRESS, "She lives at {12 Old Mill Road} now", "We walked down the street for 3 hours"),
    Identifier("address", Kind.ADDRESS, "She lives in {Hauptstraße 12a} now", "Die Straße hat 12 Bäume"),
    Identifier("address", Kind.ADDRESS, "He moved to {12 rue de Rivoli} then", "The rue was full"),
    Identifier("address", Kind.ADDRESS, "She is in the {Rua das Flores 12} now", "The rua was full"),
    Identifier("address", Kind.ADDRESS, "Write to {P.O. Box 4711} please", "The box has 4711 nails"),
    Identifier("address", Kind.ADDRESS, "The parcel goes to {SW1A 1AA} today", "The parcel goes today"),
    Identifier("coordinates", Kind.ADDRESS, "The cabin is at {38.72231, -9.13934} exactly", "It is 38.7, or 9.1"),
    Identifier("birth-date", Kind.BIRTH_DATE, "She was born on {3 May 1984} in Oslo", "The meeting was on 3 May 1984"),
    Identifier("birth-date", Kind.BIRTH_DATE, "DOB: {1984-05-03}", "The meeting was on 1984-05-03"),
    Identifier("vin", Kind.IDENTIFIER, "The car {1HGCM82633A004352} was sold", "The car 1HGCM was sold", _is_vin),
    Identifier("handle", Kind.IDENTIFIER, "Ask {@ines_reads} about it", "They meet @ noon"),
    Identifier("handle", Kind.IDENTIFIER, "My Instagram is {@inesreads}", "I left Instagram in 2020"),
    Identifier("file-number", Kind.IDENTIFIER, "Her customer number is {K48213} now", "The number of customers is 48"),
    Identifier("file-number", Kind.IDENTIFIER, "Meine Kundennummer ist {48213977}", "Die Kunden sind nett"),
    *_phones(),
)  # fmt: skip
