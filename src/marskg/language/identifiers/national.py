"""National identifiers of more than twenty countries, by form, check digit and what is said beside them.

Guarantees: a number with a check digit is only found if the digit is right; a bare number whose check is weak or that
has none is only found where a word beside it says what it is, so that an order number is no tax number. Nothing is
looked up.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.language.identifiers import check_digits
from marskg.language.identifiers.model import Found, Identifier, Kind
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Characters before and behind a number in which the word that says what it is may stand.
_BESIDE: Final = 60
_SEPARATORS: Final = late_regex(r"[\s./+-]")
#: What a number has beside it, Latin letters and digits alone: other scripts put no blank before the next word.
_B: Final = r"(?<![\dA-Za-z_\u00c0-\u024f.,/-])"
_E: Final = r"(?![\dA-Za-z_\u00c0-\u024f]|[.,/-]\d)"


class _Form(NamedTuple):
    """A form of an identifier: ``near`` must stand beside it, if given; ``check`` gets it without separators."""

    rule: str
    sample: str
    counter: str
    pattern: re.Pattern[str]
    check: Callable[[str], bool] | None = None
    near: re.Pattern[str] | None = None


def _form(  # noqa: PLR0917 - the columns of the table
    rule: str,
    sample: str,
    counter: str,
    body: str,
    check: Callable[[str], bool] | None = None,
    near: str | None = None,
) -> _Form:
    words = None if near is None else late_regex(rf"(?<![^\W_])(?:{near})(?![^\W_])", re.IGNORECASE)
    return _Form(rule, sample, counter, late_regex(f"{_B}{body}{_E}", re.IGNORECASE), check, words)


def _ssn(digits: str) -> bool:
    return digits[0] != "9" and digits[:3] not in {"000", "666"} and digits[3:5] != "00" and digits[5:] != "0000"


def _itin(digits: str) -> bool:
    return digits[0] == "9" and int(digits[3:5]) in {*range(50, 66), *range(70, 89), 90, 91, 92, *range(94, 100)}


def _nino(text: str) -> bool:
    return text[:2] not in {"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"}


def _has_digit(text: str) -> bool:
    return any(one.isdigit() for one in text)


def _long_enough(text: str) -> bool:
    return len(text) >= _FEWEST


#: Characters of the shortest passport or licence.
_FEWEST: Final = 6
_SSN_WORDS: Final = r"ssn|ssns|social security(?: number)?|soc sec|social sec|(?:my|his|her|their|your) social(?=\s?(?:[.,;:!?)=]|$)|\s(?:is|was|number)\b)"
_ID_WORDS: Final = r"id|identity|identification|citizen|resident|national"

_FORMS: Final = (
    # Written in a form of their own, or with a check that few other numbers pass.
    _form("us-ssn", "It is {078-05-1123}, she said", "The part 666-05-11 is sold",
          r"\d{3}([-. ])\d{2}\1\d{4}", _ssn),
    _form("us-itin", "It is {912-70-1234}, she said", "The part 912-7-12 is sold",
          r"9\d{2}([- ])\d{2}\1\d{4}", _itin),
    _form("us-mbi", "It is {1EG4-TE5-MK73}, she said", "The part 1EG4-TE5 is sold",
          r"[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-?[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-?[AC-HJKMNP-RT-Y]{2}\d{2}"),
    _form("uk-nino", "It is {AB 12 34 56 C}, she said", "It was BG 12 34, she said",
          r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ -]?\d{2}[ -]?\d{2}[ -]?\d{2}[ -]?[A-D]", _nino),
    _form("uk-driving", "It is {MORGA657054SM9IJ}, she said", "MORGANS was open in 1970",
          r"[A-Z9]{5}\d[0156]\d[0-3]\d{2}[A-Z9]{2}[A-Z0-9]{3}"),
    _form("de-id", "Es ist {T220001293}, sagte sie", "Das Modell T2200 ist neu",
          r"[CFGHJKLMNPRTVWXYZ][0-9CFGHJKLMNPRTVWXYZ]{8}\d", check_digits.german_card),
    _form("de-pension", "Es ist {15 070649 C 103}, sagte sie", "Am 15.07.1949 war das, Zimmer C 103",
          r"\d{2}[ ]?\d{6}[ ]?[A-Z][ ]?\d{3}", check_digits.german_pension),
    _form("fr-nir", "C'est {1 84 12 76 451 089 46}, dit-elle", "Le score est 1 84, en 12 minutes",
          r"[123478][ ]?\d{2}[ ]?\d{2}[ ]?(?:\d{2}|2[AB])[ ]?\d{3}[ ]?\d{3}[ ]?\d{2}", check_digits.french),
    _form("it-fiscal", "It is {RSSMRA85T10A562S}, she said", "It is RSSMRA85, she said",
          r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", check_digits.italian),
    _form("es-nif", "Mi DNI es {12345678Z}", "Mi talla es 38Z",
          r"\d{7,8}-?[A-HJ-NP-TV-Z]", check_digits.spanish),
    _form("es-nie", "Mi NIE es {X1234567L}", "El modelo X123 es nuevo",
          r"[XYZ]-?\d{7}-?[A-HJ-NP-TV-Z]", check_digits.spanish),
    _form("pl-pesel", "It is {44051401359}, she said", "It is 44051401358, she said",
          r"\d{11}", check_digits.pesel),
    _form("fi-hetu", "It is {131052-308T}, she said", "It is 131052-30, she said",
          r"\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]", check_digits.finnish),
    _form("se-personnummer", "It is {811218-9876}, she said", "The score was 81-98",
          r"(?:18|19|20)?\d{6}[-+]\d{4}", check_digits.swedish),
    _form("se-personnummer", "It is {198112189876}, she said", "It is 198112189877, she said",
          r"(?:18|19|20)\d{10}", check_digits.swedish),
    _form("in-aadhaar", "It is {2234 5678 9127}, she said", "It is 223456789125, she said",
          r"[2-9]\d{3}([- ]?)\d{4}\1\d{4}", check_digits.verhoeff),
    _form("in-pan", "It is {ABCPE1234F}, she said", "The model ABCPE12 is new",
          r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]|(?-i:[A-Z]{5}\d{4}[A-Z])"),
    _form("br-cpf", "É {529.982.247-25}, disse", "São 529.982 no total",
          r"\d{3}\.?\d{3}\.?\d{3}-?\d{2}", check_digits.cpf),
    _form("sg-nric", "It is {S1234567D}, she said", "It is S1234567A, she said",
          r"[STFGM]\d{7}[A-Z]", check_digits.singaporean),
    _form("kr-rrn", "It is {911124-5678906}, she said", "It is 9111245678907, she said",
          r"\d{6}-[1-8]\d{6}", check_digits.korean),
    _form("tr-kimlik", "It is {10000000146}, she said", "It is 10000000147, she said",
          r"[1-9]\d{10}", check_digits.turkish),
    _form("za-id", "It is {8001015009087}, she said", "It is 8001015009088, she said",
          r"\d{13}", check_digits.south_african),
    _form("ch-ahv", "Es ist {756.9217.0769.85}, sagte sie", "Es sind 756.921 Stück",
          r"756\.?\d{4}\.?\d{4}\.?\d{2}", check_digits.swiss),
    _form("be-register", "It is {85.07.30-033.28}, she said", "On 30.07.85 it rained",
          r"\d{2}\.?\d{2}\.?\d{2}-?\d{3}\.?\d{2}", check_digits.belgian),
    _form("cn-id", "号码是{11010519491231002X}", "一共110105个",
          r"\d{17}[\dX]", check_digits.chinese),
    _form("th-id", "It is {1-1014-02130-13-6}, she said", "The steps are 1-2-3",
          r"\d-\d{4}-\d{5}-\d{2}-\d", check_digits.thai),
    _form("ca-sin", "It is {046 454 286}, she said", "Take 46 of 454",
          r"\d{3}([- ])\d{3}\1\d{3}", check_digits.luhn),
    _form("au-medicare", "It is {2123 45670 1}, she said", "It weighs 2123 g",
          r"[2-6]\d{3} \d{5} \d(?:/\d)?", check_digits.medicare),
    # Bare numbers: somebody has to say what they are.
    _form("us-ssn", "my SSN is {078051123}", "The id 078051123 is free",
          r"\d{9}|\d{3}-?\d{6}|\d{5}-?\d{4}", _ssn, _SSN_WORDS),
    _form("us-itin", "my ITIN is {912701234}", "The id 912701234 is free",
          r"9\d{8}", _itin, r"itin|individual taxpayer|tax ?id|taxpayer"),
    _form("us-npi", "the provider is {1234567893}", "The id 1234567893 is free",
          r"[12]\d{9}", check_digits.npi, r"npi|provider|national provider"),
    _form("uk-nhs", "my NHS number is {9434765919}", "The id 9434765919 is free",
          r"\d{3}[- ]?\d{3}[- ]?\d{4}", check_digits.nhs, r"nhs|national health(?: service)?|patient"),
    _form("de-tax", "meine Steuer-ID ist {36574261809}", "Die Kennung 36574261801 ist frei",
          r"\d{2} ?\d{3} ?\d{3} ?\d{3}", check_digits.german_tax,
          r"steuer\w*|tax ?id|tin|idnr|steuer-?id|tax identification|identifikationsnummer"),
    _form("nl-bsn", "mijn BSN is {111222333}", "De code 111222333 is vrij",
          r"\d{9}", check_digits.bsn, r"bsn|burgerservicenummer|sofi(?:nummer)?"),
    _form("au-tfn", "my TFN is {123456782}", "The id 123456782 is free",
          r"\d{3} ?\d{3} ?\d{2,3}", check_digits.tfn, r"tfn|tax file(?: number)?"),
    _form("au-medicare", "my medicare is {2123456701}", "The id 2123456701 is free",
          r"\d{10,11}", check_digits.medicare, r"medicare"),
    _form("ca-sin", "my SIN is {046454286}", "The id 046454286 is free",
          r"\d{9}", check_digits.luhn, r"sin|social insurance(?: number)?"),
    _form("se-personnummer", "mitt personnummer är {8112189876}", "The id 8112189876 is free",
          r"\d{10}", check_digits.swedish, r"personnummer|personal ?number|samordningsnummer"),
    _form("th-id", "my citizen number is {1101402130136}", "The part 1101402130136 is free",
          r"\d{13}", check_digits.thai, rf"thai|{_ID_WORDS}"),
    _form("ng-nin", "my NIN is {44051401351}", "The id 44051401351 is free",
          r"\d{11}", None, r"nin|national identification number|nimc"),
    _form("pt-nif", "o meu NIF é {123456789}", "The id 123456789 is free",
          r"[1235689]\d{8}", None, r"nif|contribuinte"),
    _form("in-voter", "my voter card is {ABC1234567}", "The model ABC123 is new",
          r"[A-Z]{3}\d{7}", None, r"vot(?:ers?|e|ing)|epic|electoral|election"),
    _form("ph-tin", "my TIN is {123456789}", "The id 123456789 is free",
          r"\d{3}-?\d{3}-?\d{3}(?:-?\d{3})?", None, r"tin|taxpayer(?: identification)?"),
    _form("kr-rrn", "외국인등록 {9111245678906}", "The id 9111245678907 is free",
          r"\d{13}", check_digits.korean, r"frn|rrn|arn|(?:foreigner|alien|resident) registration|주민\w*|외국인\w*"),
    _form("kr-licence", "It is {12 22 123456 12}, she said", "The steps are 12 22 12",
          r"(?:1[1-9]|2[0-8])([- ])\d{2}\1\d{6}\1\d{2}"),
    _form("kr-passport", "It is {M123A4567}, she said", "The model M123A is new",
          r"[MSRODG]\d{3}[A-Z]\d{4}"),
    _form("kr-rrn", "It is {9111245678906}, she said", "It is 9113245678906, she said",
          r"\d{13}", check_digits.korean_checked),
    _form("it-licence", "It is {U1H00B000C}, she said", "it is u1h00b000c, she said",
          r"(?-i:U1[A-Z0-9]{7}[A-Z])"),
    _form("us-npi", "It is {1234-567-893}, she said", "It was 12-34-56 before",
          r"[12]\d{3}-\d{3}-\d{3}", check_digits.npi),
    _form("de-kvnr", "Es ist {A123456780}, sagte sie", "Das Papier A4 ist leer",
          r"[A-Z]\d{9}", check_digits.german_health),
    _form("de-card", "mein Ausweis: {T22000129}", "Das Modell T22000 ist neu",
          r"[CFGHJKLMNPRTVWXYZ0-9]{9}", _has_digit, r"(?:personal)?ausweis\w*|pass-?(?:nr|nummer)|reisepass\w*"),
    _form("passport", "my passport is {X1234567}", "My passport expires in 2031",
          r"(?=[A-Z0-9 -]*\d{3})(?:(?-i:[A-Z]{1,3})[ -]?|[A-Z]{0,3})\d{3,9}(?:[A-Z]\d{4}|[A-Z]{0,2})", _long_enough,
          r"passports?|passeport|pasaporte|passaporto|reisepass\w*|pass-?(?:nr|nummer|no)|travel document|여권\w*|护照\w*|旅券\w*"),
    # Letters and digits by turns, as Germany, France and Poland have them.
    _form("passport", "my passport is {C01X00T47}", "My passport is EXPIRED2, I think",
          r"(?-i:(?!\d{1,2}[A-Z]{3}\d{2,4}\b)(?=(?:[A-Z]*\d){4})(?=\d*[A-Z])[A-Z0-9]{8,9})", None,
          r"passports?|passeport|pasaporte|passaporto|reisepass\w*|pass-?(?:nr|nummer|no)|travel document|여권\w*|护照\w*|旅券\w*"),
    _form("driving-licence", "my driving licence is {D1234567}", "My driving licence expires in 2031",
          r"(?=[A-Z0-9*-]*\d[A-Z0-9*-]*\d{2})(?:[A-Z]{1,5}[- ]?)?[\d*][\d*A-Z-]{4,15}", _long_enough,
          r"driv(?:er'?s?|ing|ers)[ -]?(?:license|licence|permit|lic)?|dl|dl#|lic(?:ense|ence)? (?:number|no|#)"
          r"|(?:my|his|her|your|the) licen[cs]e(?= (?:number|no|is))|f(?:ü|ue)hrerschein\w*|fahrerlaubnis\w*|patente|permis de conduire|licencia de conducir"),
    _form("id-number", "my identity card is {K123456}", "My identity card expires in 2031",
          r"[A-Z]{0,3}[- ]?\d[\dA-Z-]{4,15}", None,
          r"(?:national|identity|identification|citizen|resident|tax|personal|government|social)[ -](?:id|identity|identification|number|no|card|insurance)"
          r"(?: (?:number|no|card))?|id (?:card|number)|dni|nie|nric|pesel|codice fiscale|personalausweis\w*"),
)  # fmt: skip
#: What a summary says of documents rather than numbers.
_WORDS: Final = dict.fromkeys(("passport", "driving-licence", "id-number"), "(identifier)")
_ANY_DIGITS: Final = late_regex(r"\d(?:[\W_]{0,2}[A-Z]{0,6}[\W_]{0,1}\d){3}", re.IGNORECASE)


def find(text: str) -> Iterator[Found]:
    """Yield the national identifiers in ``text``."""
    if not _ANY_DIGITS.search(text):
        return
    for form in _FORMS:
        if form.near is not None and not form.near.search(text):
            continue
        for match in form.pattern.finditer(text):
            if not _is_right(form, match[0]):
                continue
            if form.near is None or _beside(form.near, text, match):
                yield Found(match.start(), match.end(), Kind.NATIONAL_ID, form.rule, _WORDS.get(form.rule, ""))


def _is_right(form: _Form, number: str) -> bool:
    return form.check is None or form.check(_SEPARATORS.sub("", number).upper())


def _valid(form: _Form, value: str) -> bool:
    return form.pattern.fullmatch(value) is not None and _is_right(form, value)


ROWS: Final = tuple(
    Identifier(form.rule, Kind.NATIONAL_ID, form.sample, form.counter, partial(_valid, form)) for form in _FORMS
)


def _beside(near: re.Pattern[str], text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - _BESIDE) : match.start()]
    behind = text[match.end() : match.end() + _BESIDE]
    return bool(near.search(before) or near.search(behind))
