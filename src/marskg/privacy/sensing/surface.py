"""What has a form of its own: e-mail and postal addresses, numbers of all sorts, introduced names, dates of birth.

Guarantees: pure functions; a card and an IBAN are only found with the right check digits; a date is a date of birth,
and a bare number an account or a telephone number, only where a word beside it says so; dates, times, amounts and
versions are no telephone numbers. A name in running text that nobody introduces is not found.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Final

from marskg.privacy.sensing import checks
from marskg.privacy.sensing.model import Category, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

_EMAIL: Final = re.compile(
    r"(?<![\w.+-])[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*"
    r"\s?(?:@|[\[({]\s?(?:at|@)\s?[\])}]|\sat\s(?=[\w-]+(?:\s?[\[({]\s?dot|\sdot\s)))\s?"
    r"(?:[\w-]+(?:\.|\s?[\[({]\s?(?:dot|\.)\s?[\])}]\s?|\sdot\s))+[^\W\d_]{2,24}(?![\w-])",
    re.IGNORECASE,
)

_CARD: Final = re.compile(r"(?<![\w.,])(?:\d{4}(?:\s?/\s?\d{4}){3}|\d(?:[ \u00a0._-]{0,3}\d){11,18})(?![\w]|[.,]\d)")
#: As issuers give them out.
_CARD_DIGITS: Final = frozenset({12, 13, 14, 15, 16, 19})
_IBAN: Final = re.compile(r"(?<![\w])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){10,30}(?![\w])", re.IGNORECASE)
_ACCOUNT_WORDS: Final = re.compile(
    r"\b(?:account|acct|a/c|kontonummer|konto|routing|aba|sort code|iban|checking|savings)\b", re.IGNORECASE
)
_ACCOUNT: Final = re.compile(r"(?<![\w.,$€£/-])\d{6,17}(?![\w]|[.,/-]\d)|(?<![\w-])\d{2}-\d{2}-\d{2}(?![\w-])")

_IPV4: Final = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)")
_IPV6: Final = re.compile(r"(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])", re.IGNORECASE)
_MAC: Final = re.compile(r"(?<![\w:-])(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}(?![\w:-])", re.IGNORECASE)

_PHONE: Final = re.compile(
    r"(?<![\w.,$€£¥₹#/-])(?:\+|00|\(\+)?\(?\d{1,4}\)?(?:[ \u00a0./-]{0,2}\(?\d{1,5}\)?){1,7}"
    r"(?:\s?(?:x|ext\.?|extension|poste)\s?\d{1,6})?(?![\w]|[.,/:-]\d)",
    re.IGNORECASE,
)
_PHONE_WORDS: Final = re.compile(
    r"\b(?:phones?|tel(?:ephone)?|call(?:ing|ed)?|mobile|cell(?:phone)?|fax|text(?:ing)?|sms|whatsapp|ring|dial|reach"
    r"|number|contact|handy|numéro|teléfono|telefon\w*)\b",
    re.IGNORECASE,
)
_NO_PHONE: Final = re.compile(
    r"\d{4}[-./]\d{1,2}[-./]\d{1,2}(?:\s\d{1,2})?|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}(?:\s\d{1,2})?|(?:19|20)\d{2}\s?-\s?(?:19|20)\d{2}"
    r"|\d{1,3}(?:\.\d{3})+|(?:\d{1,2} ){3,}\d{1,2}"
)
_AMOUNT_BEHIND: Final = re.compile(
    r"\s?(?:[$€£¥₹%]|(?:usd|eur|gbp|chf|jpy|dollars?|euros?|pounds?|yen|tokens?|km|kg|miles)\b)", re.IGNORECASE
)
_PHONE_DIGITS: Final = range(7, 16)
#: From so many digits on, or with a country's code, separators alone make a telephone number.
_SURE_DIGITS: Final = 9
_BESIDE: Final = 40

_KINDS_OF_STREETS: Final = (
    r"street|st|avenue|ave|av|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|place|pl|square|sq|terrace|ter|way|close"
    r"|crescent|cres|parkway|pkwy|highway|hwy|circle|cir|trail|trl|alley|row|gardens|grove|quay|mews|loop|route|plaza"
)
_STREET: Final = re.compile(
    rf"(?<![\w.,:$€£-])\d{{1,6}}(?:[A-Za-z]|[/-]\d{{1,4}})?,?\s(?:(?:[NSEW]|North|South|East|West)\.?\s)?"
    rf"(?:(?:\d{{1,3}}(?:st|nd|rd|th)|[^\W\d_][\w.'’-]*)\s){{1,4}}(?:{_KINDS_OF_STREETS})\b\.?",
    re.IGNORECASE,
)
_STREET_NUMBER_LAST: Final = re.compile(
    r"(?<!\w)(?:[A-ZÄÖÜ][\w.'’-]*[ -]){0,3}[A-ZÄÖÜa-zäöü]*(?:str(?:aße|asse|\.)|gasse|weg|platz|allee|damm|ufer|ring|straat"
    r"|laan|gracht|plein|kade|vägen|gatan|vej|gade|katu|tie)\s\d{1,5}\s?[a-zA-Z]?(?!\w)"
)
_STREET_KIND_FIRST: Final = re.compile(
    r"(?<!\w)(?:\d{1,5},?\s(?:bis\s|ter\s)?(?:rue|avenue|boulevard|place|chemin|allée|impasse|quai|cours)\s(?:[\w'’.-]+\s?){1,5}"
    r"|(?:via|viale|piazza|corso|vicolo|calle|avenida|avda\.?|paseo|plaza|rua|praça|carrer|ul\.)\s(?:[\w'’.-]+\s){0,4}[\w'’.-]+,?\s(?:n[.º°]*\s?)?\d{1,5})",
    re.IGNORECASE,
)
_UNIT: Final = re.compile(
    r"(?<!\w)(?:\d{1,6}[\s,]+(?:[^\W\d_][\w.'’-]*[\s,]+){1,5}(?:\d{1,6}[\s,]+)?)?(?:apt|apartment|suite|ste|unit|flat)\.?\s?#?\s?\d{1,5}[a-z]?(?!\w)"
    r"|(?<!\w)p\.?\s?o\.?\s?box\s\d{1,6}(?!\w)|(?<!\w)(?:postfach|postbox|box|psc)\s\d{1,6}(?!\w)"
    r"|(?<!\w)[AFD]PO,?\sA[AEP]\s\d{5}(?!\w)",
    re.IGNORECASE,
)
_POSTCODE: Final = re.compile(
    r"(?<!\w)(?:GIR ?0AA|[A-Z]{1,2}\d[A-Z\d]? \d[ABD-HJLNP-UW-Z]{2})(?!\w)"
    r"|(?<!\w)(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])"
    r" \d{5}(?:-\d{4})?(?!\w)|(?<!\w)[ABCEGHJ-NPRSTVXY]\d[A-Z] \d[A-Z]\d(?!\w)"
)
_LIVES: Final = re.compile(
    r"\b(?:(?:home|postal|mailing|shipping|billing|my|our|his|her|their|new) address(?: is|:)|lives? at|reside[sd]? at|office is at|moved to)\s+"
    r"([^.!?\n]{0,20}\d[^.!?\n]{3,80})",
    re.IGNORECASE,
)
#: What follows the street: places in capitals, up to a post code.
_TOWN: Final = re.compile(r"(?:[\s,]+[^\W\d_a-z][\w.'’()-]*){0,7}[\s,]+\d{4,6}(?:-\d{4})?(?!\w|[.,]\d)")
#: Words that no street's name has in small letters between its number and its kind.
_NO_STREET: Final = frozenset("on in the to of my a an and at for is was i you we it this that more other".split())
#: The forms of addresses, each with words one of which is in it.
_ADDRESSES: Final = (
    (_STREET, ()),
    (
        _STREET_NUMBER_LAST,
        (
            "str",
            "gasse",
            "weg",
            "platz",
            "allee",
            "damm",
            "ufer",
            "ring",
            "laan",
            "gracht",
            "plein",
            "kade",
            "vägen",
            "gatan",
            "vej",
            "gade",
            "katu",
            "tie",
        ),
    ),
    (
        _STREET_KIND_FIRST,
        (
            "rue",
            "avenue",
            "boulevard",
            "place",
            "chemin",
            "allée",
            "impasse",
            "quai",
            "cours",
            "via",
            "piazza",
            "corso",
            "vicolo",
            "calle",
            "avenida",
            "avda",
            "paseo",
            "plaza",
            "rua",
            "praça",
            "carrer",
            "ul.",
        ),
    ),
    (_UNIT, ("ap", "suite", "ste", "unit", "flat", "box", "postfach", "psc", "po ")),
    (_POSTCODE, ()),
)

_CAP: Final = r"[A-ZÀ-ÖØ-ÞŁŚŻŠČŘŽ][^\W\d_]*(?:['’-][^\W\d_]+)*"
_FULL: Final = (
    rf"{_CAP}(?:\s(?:(?:van|von|de|der|den|del|della|di|da|la|le|el|al|bin|ibn|y|e|zu|ter|ten|Mc|Mac|O['’])\s){{0,2}}(?:{_CAP}|[A-Z]\.))"
    r"{0,3}"
)
_INTRODUCED: Final = re.compile(
    r"(?:(?i:\b(?:my|his|her|their|our|your|the)\s(?:full\s|first\s|last\s|middle\s|maiden\s|real\s|legal\s|family\s)?(?:sur)?name(?:\sis|['’]s|:|\swas)"
    r"|\bname(?:\sis|:)|\bnamed|\bcalled|\bcall\sme|\bknown\sas|\bmy\sname['’]?s|\bi\sgo\sby|\bspeaking\sto|\bthis\sis(?=\s[^\W\d_]+(?:\s[^\W\d_]+)?(?:\sspeaking|\shere|\sfrom|\scalling|[.,!]))"
    r"|\bich\shei(?:ß|ss)e|\bmein\sname\sist|\bje\sm['’]appelle|\bme\sllamo|\bmi\schiamo|\bmi\snombre\ses)\s+(?:is\s|it['’]s\s)?)"
    rf"({_FULL})"
)
_I_AM: Final = re.compile(rf"\b(?:I['’]?m|I\sam|It['’]s|it['’]s)\s({_CAP}(?:\s{_CAP}){{1,2}})(?=[.,!?\s]|$)")
_TITLED: Final = re.compile(
    r"(?<!\w)(?:(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Sir|Madam|Herr|Frau|Señora?|Sr|Sra|Monsieur|Madame|M|Mme|Signora?)(?:\.|(?<=[a-z]{3})|(?<=Mr|Ms|Mx|Dr|Sr))"
    r"|(?i:mr|mrs|ms|dr)\.)"
    rf"\s({_FULL})"
)
_LETTER: Final = re.compile(
    rf"(?:^|\n)\s*(?i:dear|hi|hello|hey)\s({_CAP}(?:\s{_CAP})?)\s*[,!\n]"
    rf"|(?i:\b(?:regards|sincerely|yours|cheers|thanks),?\s*\n?\s*)({_CAP}(?:\s{_CAP}){{0,2}})\s*(?:\n|$)"
)
_RELATED: Final = re.compile(
    r"(?i:\bmy\s(?:wife|husband|partner|boyfriend|girlfriend|fiancée?|son|daughter|kid|child|mother|father|mom|mum|dad"
    r"|brother|sister|aunt|uncle|grandmother|grandfather|grandma|grandpa|boss|manager|friend|neighbou?r|doctor|therapist"
    rf"|roommate|colleague|cousin|nephew|niece),?)\s({_CAP}(?:\s{_CAP})?)(?!\w)"
)
_NO_NAMES: Final = frozenset(
    "I The A An It This That He She They We You My Your Not Now Here Just Still Also Going Sure Sorry Glad Happy And But"
    " Or If When What Why How Who Where Is Was Are Yes No Ok Okay Please Thanks There All Everyone Team Sir Madam Customer"
    " Friend Friends Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July"
    " August September October November December English German French Spanish Italian American British Indian Chinese"
    .split()
)  # fmt: skip
#: The ways to introduce somebody, each with words one of which is in it.
_NAMES: Final = (
    (
        _INTRODUCED,
        ("name", "call", "known", "go by", "speaking", "this is", "hei", "appelle", "llamo", "chiamo", "nombre"),
    ),
    (_I_AM, ("i am", "i'm", "i’m", "im ", "it's", "it’s")),
    (_TITLED, ()),
    (_LETTER, ("dear", "hi ", "hello", "hey", "regards", "sincerely", "yours", "cheers", "thanks")),
    (_RELATED, ("my ",)),
)

_MONTHS: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember)\.?"
)
_DATE: Final = re.compile(
    rf"(?<![\w./-])(?:\d{{4}}[-./]\d{{1,2}}[-./]\d{{1,2}}|\d{{1,2}}[-./ ]\d{{1,2}}[-./ ](?:\d{{4}}|\d{{2}})"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)?\s(?:of\s)?{_MONTHS},?(?:\s\d{{4}})?|{_MONTHS}\s\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s\d{{4}})?)(?![\w/-])",
    re.IGNORECASE,
)
_BORN: Final = re.compile(
    r"\b(?:born|birth(?:\s?date|\s?day)?|b-?day|dob|d\.o\.b\.?|date of birth|geboren|geburtsdatum|geburtstag|née?|nacido|nacimiento"
    r"|naissance|nato|nata)(?!\w)",
    re.IGNORECASE,
)
_HAS_DIGIT: Final = re.compile(r"\d")
#: Colons of the shortest IPv6 address, hyphens of a hardware address.
_FEWEST_COLONS: Final = 2
_FEWEST_HYPHENS: Final = 5


def find(text: str) -> Iterator[Finding]:
    """Yield what has a form of its own in ``text``."""
    lower = text.casefold()
    if "@" in text or ("at" in lower and "dot" in lower):
        for match in _EMAIL.finditer(text):
            yield Finding(match.start(), match.end(), Category.EMAIL, "email")
    yield from _names(text, lower)
    if text.count(":") >= _FEWEST_COLONS or text.count("-") >= _FEWEST_HYPHENS:
        yield from _hardware(text)
    if _HAS_DIGIT.search(text):
        yield from _numbers(text)
        yield from _addresses(text, lower)
        yield from _births(text)


def _has(lower: str, words: tuple[str, ...]) -> bool:
    """Return whether one of ``words`` is in a text in small letters: far cheaper than a pattern that finds nothing."""
    return any(word in lower for word in words)


def _numbers(text: str) -> Iterator[Finding]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if len(digits) in _CARD_DIGITS and digits[0] in "23456" and len(set(digits)) > 1 and checks.luhn(digits):
            yield Finding(match.start(), match.end(), Category.CARD, "card")
    yield from _accounts(text)
    for match in _IPV4.finditer(text):
        if all(int(part) < 256 for part in match[0].split(".")):  # noqa: PLR2004 - an octet
            yield Finding(match.start(), match.end(), Category.NETWORK, "ip")
    for match in _PHONE.finditer(text):
        if _is_phone(text, match):
            yield Finding(match.start(), match.end(), Category.PHONE, "phone")


def _accounts(text: str) -> Iterator[Finding]:
    for match in _IBAN.finditer(text):
        # What follows an IBAN may look like more of it.
        for length in range(len(match[0]), 14, -1):
            compact = re.sub(r"[ -]", "", match[0][:length]).upper()
            if match[0][length - 1].isalnum() and 15 <= len(compact) <= 34 and checks.iban(compact):  # noqa: PLR2004 - ISO 13616
                yield Finding(match.start(), match.start() + length, Category.ACCOUNT, "iban")
                break
    if _ACCOUNT_WORDS.search(text):
        for match in _ACCOUNT.finditer(text):
            if _ACCOUNT_WORDS.search(text, max(0, match.start() - _BESIDE), match.start()):
                yield Finding(match.start(), match.end(), Category.ACCOUNT, "account")


def _hardware(text: str) -> Iterator[Finding]:
    for match in _IPV6.finditer(text):
        try:
            ipaddress.IPv6Address(match[0])
        except ValueError:
            continue
        if _HAS_DIGIT.search(match[0]) and match[0].count(":") > 1:
            yield Finding(match.start(), match.end(), Category.NETWORK, "ip")
    for match in _MAC.finditer(text):
        yield Finding(match.start(), match.end(), Category.NETWORK, "mac")


def _is_phone(text: str, match: re.Match[str]) -> bool:
    """Return whether a run of digits is a number to dial."""
    run = match[0]
    digits = sum(one.isdigit() for one in run)
    if digits not in _PHONE_DIGITS or _AMOUNT_BEHIND.match(text, match.end()) or _IPV4.fullmatch(run):
        return False
    if run.startswith(("+", "00", "(+")):
        return True
    if _NO_PHONE.fullmatch(run):
        return False
    if _PHONE_WORDS.search(text, max(0, match.start() - _BESIDE), match.start()):
        return True
    return digits >= _SURE_DIGITS and re.search(r"\d[^\d]+\d", run) is not None


def _addresses(text: str, lower: str) -> Iterator[Finding]:
    for pattern, words in _ADDRESSES:
        if not words or _has(lower, words):
            for match in pattern.finditer(text):
                if pattern is not _STREET or _NO_STREET.isdisjoint(match[0].casefold().split()[1:-1]):
                    rest = _TOWN.match(text, match.end())
                    yield Finding(match.start(), rest.end() if rest else match.end(), Category.ADDRESS, "address")
    if _has(lower, ("address", "live")):
        for match in _LIVES.finditer(text):
            yield Finding(match.start(1), match.end(1), Category.ADDRESS, "address")


def _births(text: str) -> Iterator[Finding]:
    if not _BORN.search(text):
        return
    for match in _DATE.finditer(text):
        before = _BORN.search(text, max(0, match.start() - _BESIDE), match.start())
        if before or _BORN.search(text, match.end(), match.end() + _BESIDE // 2):
            yield Finding(match.start(), match.end(), Category.BIRTH_DATE, "birth-date")


def _names(text: str, lower: str) -> Iterator[Finding]:
    for pattern, words in _NAMES:
        if not words or _has(lower, words):
            for match in pattern.finditer(text):
                group = match.lastindex or 1
                if match[group].split()[0].rstrip(".") not in _NO_NAMES:
                    yield Finding(match.start(group), match.end(group), Category.NAME, "introduced")
