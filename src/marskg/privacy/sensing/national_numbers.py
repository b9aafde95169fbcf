"""National identifiers of more than twenty countries, by form, check digit and what is said beside them.

Guarantees: a number with a check digit is only found if the digit is right; a bare number whose check is weak or that
has none is only found where a word beside it says what it is, so that an order number is no tax number. Nothing is
looked up.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.privacy.sensing import check_digits
from marskg.privacy.sensing.model import Category, Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Characters before and behind a number in which the word that says what it is may stand.
_BESIDE: Final = 60
_SEPARATORS: Final = re.compile(r"[\s./+-]")
#: What a number has beside it, Latin letters and digits alone: other scripts put no blank before the next word.
_B: Final = r"(?<![\dA-Za-z_\u00c0-\u024f.,/-])"
_E: Final = r"(?![\dA-Za-z_\u00c0-\u024f]|[.,/-]\d)"


class _Form(NamedTuple):
    """A form of an identifier: ``near`` must stand beside it, if given; ``check`` gets it without separators."""

    rule: str
    pattern: re.Pattern[str]
    check: Callable[[str], bool] | None = None
    near: re.Pattern[str] | None = None


def _form(rule: str, body: str, check: Callable[[str], bool] | None = None, near: str | None = None) -> _Form:
    words = None if near is None else re.compile(rf"(?<![^\W_])(?:{near})(?![^\W_])", re.IGNORECASE)
    return _Form(rule, re.compile(f"{_B}{body}{_E}", re.IGNORECASE), check, words)


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
    _form("us-ssn", r"\d{3}([-. ])\d{2}\1\d{4}", _ssn),
    _form("us-itin", r"9\d{2}([- ])\d{2}\1\d{4}", _itin),
    _form("us-mbi", r"[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-?[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-?[AC-HJKMNP-RT-Y]{2}\d{2}"),
    _form("uk-nino", r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ -]?\d{2}[ -]?\d{2}[ -]?\d{2}[ -]?[A-D]", _nino),
    _form("uk-driving", r"[A-Z9]{5}\d[0156]\d[0-3]\d{2}[A-Z9]{2}[A-Z0-9]{3}"),
    _form("de-id", r"[CFGHJKLMNPRTVWXYZ][0-9CFGHJKLMNPRTVWXYZ]{8}\d", check_digits.german_card),
    _form("de-pension", r"\d{2}[ ]?\d{6}[ ]?[A-Z][ ]?\d{3}", check_digits.german_pension),
    _form("fr-nir", r"[123478][ ]?\d{2}[ ]?\d{2}[ ]?(?:\d{2}|2[AB])[ ]?\d{3}[ ]?\d{3}[ ]?\d{2}", check_digits.french),
    _form("it-fiscal", r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", check_digits.italian),
    _form("es-nif", r"\d{7,8}-?[A-HJ-NP-TV-Z]", check_digits.spanish),
    _form("es-nie", r"[XYZ]-?\d{7}-?[A-HJ-NP-TV-Z]", check_digits.spanish),
    _form("pl-pesel", r"\d{11}", check_digits.pesel),
    _form("fi-hetu", r"\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]", check_digits.finnish),
    _form("se-personnummer", r"(?:18|19|20)?\d{6}[-+]\d{4}", check_digits.swedish),
    _form("se-personnummer", r"(?:18|19|20)\d{10}", check_digits.swedish),
    _form("in-aadhaar", r"[2-9]\d{3}([- ]?)\d{4}\1\d{4}", check_digits.verhoeff),
    _form("in-pan", r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]|(?-i:[A-Z]{5}\d{4}[A-Z])"),
    _form("br-cpf", r"\d{3}\.?\d{3}\.?\d{3}-?\d{2}", check_digits.cpf),
    _form("sg-nric", r"[STFGM]\d{7}[A-Z]", check_digits.singaporean),
    _form("kr-rrn", r"\d{6}-[1-8]\d{6}", check_digits.korean),
    _form("tr-kimlik", r"[1-9]\d{10}", check_digits.turkish),
    _form("za-id", r"\d{13}", check_digits.south_african),
    _form("ch-ahv", r"756\.?\d{4}\.?\d{4}\.?\d{2}", check_digits.swiss),
    _form("be-register", r"\d{2}\.?\d{2}\.?\d{2}-?\d{3}\.?\d{2}", check_digits.belgian),
    _form("cn-id", r"\d{17}[\dX]", check_digits.chinese),
    _form("th-id", r"\d-\d{4}-\d{5}-\d{2}-\d", check_digits.thai),
    _form("ca-sin", r"\d{3}([- ])\d{3}\1\d{3}", check_digits.luhn),
    _form("au-medicare", r"[2-6]\d{3} \d{5} \d(?:/\d)?", check_digits.medicare),
    # Bare numbers: somebody has to say what they are.
    _form("us-ssn", r"\d{9}|\d{3}-?\d{6}|\d{5}-?\d{4}", _ssn, _SSN_WORDS),
    _form("us-itin", r"9\d{8}", _itin, r"itin|individual taxpayer|tax ?id|taxpayer"),
    _form("us-npi", r"[12]\d{9}", check_digits.npi, r"npi|provider|national provider"),
    _form("uk-nhs", r"\d{3}[- ]?\d{3}[- ]?\d{4}", check_digits.nhs, r"nhs|national health(?: service)?|patient"),
    _form("de-tax", r"\d{2} ?\d{3} ?\d{3} ?\d{3}", check_digits.german_tax,
          r"steuer\w*|tax ?id|tin|idnr|steuer-?id|tax identification|identifikationsnummer"),
    _form("nl-bsn", r"\d{9}", check_digits.bsn, r"bsn|burgerservicenummer|sofi(?:nummer)?"),
    _form("au-tfn", r"\d{3} ?\d{3} ?\d{2,3}", check_digits.tfn, r"tfn|tax file(?: number)?"),
    _form("au-medicare", r"\d{10,11}", check_digits.medicare, r"medicare"),
    _form("ca-sin", r"\d{9}", check_digits.luhn, r"sin|social insurance(?: number)?"),
    _form("se-personnummer", r"\d{10}", check_digits.swedish, r"personnummer|personal ?number|samordningsnummer"),
    _form("th-id", r"\d{13}", check_digits.thai, rf"thai|{_ID_WORDS}"),
    _form("ng-nin", r"\d{11}", None, r"nin|national identification number|nimc"),
    _form("pt-nif", r"[1235689]\d{8}", None, r"nif|contribuinte"),
    _form("in-voter", r"[A-Z]{3}\d{7}", None, r"vot(?:ers?|e|ing)|epic|electoral|election"),
    _form("ph-tin", r"\d{3}-?\d{3}-?\d{3}(?:-?\d{3})?", None, r"tin|taxpayer(?: identification)?"),
    _form("kr-rrn", r"\d{13}", check_digits.korean, r"frn|rrn|arn|(?:foreigner|alien|resident) registration|주민\w*|외국인\w*"),
    _form("kr-licence", r"(?:1[1-9]|2[0-8])([- ])\d{2}\1\d{6}\1\d{2}"),
    _form("kr-passport", r"[MSRODG]\d{3}[A-Z]\d{4}"),
    _form("kr-rrn", r"\d{13}", check_digits.korean_checked),
    _form("it-licence", r"(?-i:U1[A-Z0-9]{7}[A-Z])"),
    _form("us-npi", r"[12]\d{3}-\d{3}-\d{3}", check_digits.npi),
    _form("de-kvnr", r"[A-Z]\d{9}", check_digits.german_health),
    _form("de-card", r"[CFGHJKLMNPRTVWXYZ0-9]{9}", _has_digit, r"(?:personal)?ausweis\w*|pass-?(?:nr|nummer)|reisepass\w*"),
    _form("passport", r"(?=[A-Z0-9 -]*\d{3})[A-Z]{0,3}[ -]?\d{3,9}(?:[A-Z]\d{4}|[A-Z]{0,2})", _long_enough,
          r"passports?|passeport|pasaporte|passaporto|reisepass\w*|pass-?(?:nr|nummer|no)|travel document|여권\w*|护照\w*|旅券\w*"),
    _form("driving-licence", r"(?=[A-Z0-9*-]*\d[A-Z0-9*-]*\d{2})(?:[A-Z]{1,5}[- ]?)?[\d*][\d*A-Z-]{4,15}", _long_enough,
          r"driv(?:er'?s?|ing|ers)[ -]?(?:license|licence|permit|lic)?|dl|dl#|lic(?:ense|ence)? (?:number|no|#)"
          r"|(?:my|his|her|your|the) licen[cs]e(?= (?:number|no|is))|f(?:ü|ue)hrerschein\w*|fahrerlaubnis\w*|patente|permis de conduire|licencia de conducir"),
    _form("id-number", r"[A-Z]{0,3}[- ]?\d[\dA-Z-]{4,15}", None,
          r"(?:national|identity|identification|citizen|resident|tax|personal|government|social)[ -](?:id|identity|identification|number|no|card|insurance)"
          r"(?: (?:number|no|card))?|id (?:card|number)|dni|nie|nric|pesel|codice fiscale|personalausweis\w*"),
)  # fmt: skip
_ANY_DIGITS: Final = re.compile(r"\d(?:[\W_]{0,2}[A-Z]{0,6}[\W_]{0,1}\d){3}", re.IGNORECASE)


def find(text: str) -> Iterator[Finding]:
    """Yield the national identifiers in ``text``."""
    if not _ANY_DIGITS.search(text):
        return
    for form in _FORMS:
        if form.near is not None and not form.near.search(text):
            continue
        for match in form.pattern.finditer(text):
            if form.check is not None and not form.check(_SEPARATORS.sub("", match[0]).upper()):
                continue
            if form.near is None or _beside(form.near, text, match):
                yield Finding(match.start(), match.end(), Category.NATIONAL_ID, form.rule)


def _beside(near: re.Pattern[str], text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - _BESIDE) : match.start()]
    behind = text[match.end() : match.end() + _BESIDE]
    return bool(near.search(before) or near.search(behind))
