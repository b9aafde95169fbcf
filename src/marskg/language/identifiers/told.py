"""Secrets that people tell in words: passwords, codes, phrases and answers, in every language that is read.

Guarantees: pure functions; a word for a secret that tells none is no finding: a question, a policy, a password that is
wrong, forgotten or long. What stands in code where a secret is meant and not told is none. The words are in
``secret_words.toml``, a row of the table with its sample for each way to tell one.
"""

from __future__ import annotations

import re
import tomllib
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from marskg.language.identifiers.model import Found, Identifier, Kind
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterator

_DATA: Final[dict[str, Any]] = tomllib.loads(
    files("marskg.language.identifiers").joinpath("secret_words.toml").read_text(encoding="utf-8")
)
_SPACED: Final = ("en", "de", "es", "neighbours")
_ZH: Final = _DATA["zh"]
#: Phrases of words that open a wallet have so many.
_SEED_SIZES: Final = frozenset({12, 15, 18, 21, 24})
_FEWEST_PIN: Final = 3
_FEWEST_DIGITS: Final = 4
#: What is four digits and a year, with another word behind it, is one.
_YEAR: Final = late_regex(r"(?:19|20)\d\d")
_FEWEST_SEEDS: Final = 12


def _all(name: str) -> list[str]:
    return [word for language in _SPACED for word in _DATA[language][name]]


def _word(noun: str) -> str:
    compound = r"\w*" if noun.startswith("*") else ""
    body = r"[\s_-]?".join(re.escape(part) for part in noun.lstrip("*").split(" "))
    return compound + body.replace("password", r"p[a@4][s5$]{2}\s?w[o0]rd")


def _either(*names: str) -> str:
    words = {word for name in names for word in _all(name)}
    return "|".join(_word(word) for word in sorted(words, key=lambda word: (-len(word), word)))


def _plain_words(name: str) -> str:
    return "|".join(
        r"\s".join(map(re.escape, word.split())) for word in sorted(_all(name), key=lambda one: (-len(one), one))
    )


_B: Final = r"(?<![^\W_])"
_OF: Final = rf"(?:{_plain_words('before_place')})"
#: Of which place it is: a code that belongs to none may be any code.
_PLACED: Final = (
    rf"(?:{_either('places')})(?:['’]s)?[\s_-]?(?:{_either('of_places')})"
    rf"|(?:{_either('of_places')})\s{_OF}\s(?:[\w'’-]+\s){{0,2}}(?:{_either('places')})(?![^\W_])"
)
_STRICT: Final = rf"(?:{_PLACED}|{_either('passwords', 'codes')}|pin)"
_NOUN: Final = rf"(?:{_PLACED}|{_either('passwords', 'codes', 'keys')}|pin)"
_COPULA: Final = rf"(?:{_plain_words('copulas')}|{_plain_words('sure')})"
_SURE: Final = frozenset(_all("sure"))
_OWNER: Final = rf"(?:{_plain_words('owners')})"
_FOR: Final = rf"(?:\s{_OF}\s(?:[\w.'’-]+(?:\s|(?=:))){{1,4}}?|\s+)"
_QUOTED: Final = r"(?P<quote>['\"“`„«])(?P<quoted>[^'\"”`“»\n]{3,128})['\"”`“»]"
_END: Final = r"(?=[.!]?\s*(?:$|\n|[.!,;]\s))"

_SAID: Final = late_regex(
    rf"{_B}{_NOUN}{_FOR}?['\"]?\s*(?:(?P<copula>{_COPULA})(?![^\W_])\s*:?|[:=]+>?)\s*"
    rf"(?:{_QUOTED}|(?P<digits>\d{{1,4}}(?:[ -]\d{{1,4}}){{1,7}}[#*]?(?![\w-]))|(?P<bare>[^\s'\"“”`]{{3,128}}))",
)
_PLAIN: Final = late_regex(
    rf"{_B}{_OWNER}\s(?:[\w-]+\s){{0,2}}(?:{_PLACED}|{_either('passwords')}){_FOR}?(?:(?:\s|(?<=\s)){_COPULA}\s|:\s)"
    rf"(?P<bare>[^\W\d_][\w-]{{3,63}}){_END}",
)
_CHANGED: Final = late_regex(
    rf"{_B}{_STRICT}(?:\s{_OF}\s(?:[\w.'’-]+\s){{1,4}}?|\s)(?:{_plain_words('to')})\s(?:{_QUOTED}|(?P<bare>(?=\S*\d)[^\s'\"“”`]{{4,128}}))",
)
#: A short word for it, and beside it what no command and no folder is called: letters and digits.
_BESIDE: Final = late_regex(
    r"(?<![^\W_])(?:my\s)?(?:pwd|pw)\s(?P<bare>(?=[^\s/]*\d)(?=[^\s/]*[A-Za-z])[\w!#$%&*+?@^~-]{5,63})(?=[.,;!]?(?:\s|$))",
)
#: In small letters it may be the pin of a plug.
_PIN_BESIDE: Final = late_regex(r"(?<![^\W_])(?:PIN|Pin-Code|PIN-Code|PUK)\s(?P<bare>\d{4,8})(?![\w-]|[.,]\d)")
#: The secret first. What goes on with another noun, as a password manager does, is no password.
_BEFORE: Final = late_regex(
    rf"(?<!\S)['\"“`]?(?P<bare>(?=\S*[\d!@#$%^&*])[^\W_][^\s'\"“”`]{{2,127}})['\"”`]?,?\s(?:{_plain_words('as')})\s{_OWNER}\s(?:[\w-]+\s){{0,2}}"
    rf"{_STRICT}(?=\s*(?:[.,;:!?)]|$)|\s(?:{_plain_words('behind')})\b)",
)
_NUMBER: Final = r"\d{1,8}(?:[ -]\d{1,4}){0,7}[#*]?(?![\w-]|[.,]\d)"
#: With no copula or a short one: a number beside what it opens; a short word for a password.
_NUMBER_BESIDE: Final = late_regex(
    rf"{_B}(?:(?!pin\s)(?:{_PLACED}|{_either('codes', 'passwords')})(?:['\u2019]s\s|\s)|pin['\u2019]s\s)(?P<bare>{_NUMBER})",
)
_WORD_BESIDE: Final = late_regex(r"(?<![^\W_])(?:pass|pwd?)\s?[:=]\s?(?P<bare>(?=[^\s/]*\d)[^\s/]{4,63})")
#: A word of letters that stands alone behind a word for a password at the beginning of a line, and a colon.
_ALONE: Final = late_regex(
    rf"(?:^|[\n.;]\s?)(?:{_OWNER}\s)?(?:[\w-]+\s)?(?:{_either('passwords')})\s?:\s(?P<bare>[^\W\d_]{{4,40}})[.!]*(?=\s*(?:$|\n))",
)
#: What is opened by it, and by what it is turned or typed.
_OPENS: Final = late_regex(
    rf"{_B}(?:(?:{_plain_words('opens')})\s(?:(?:{_either('of_places')})\s)?"
    rf"|(?:{_plain_words('to_open')})\s(?:[\w'\u2019-]+\s){{0,3}}?(?:{_either('places')}),?\s(?:{_plain_words('turn')})\s(?:in\s)?)(?P<bare>{_NUMBER})"
    rf"(?=\s*(?:$|[.,;:!?)\n])|\s(?:{_plain_words('and')}|{_plain_words('behind')})(?![^\W_]))",
)
#: Several codes, one beside the other.
_SEVERAL: Final = late_regex(
    rf"{_B}(?:{_either('several')})\s?(?:{_COPULA}\s?:?|:)?\s?(?P<bare>[\w-]*\d[\w-]{{3,}}(?:(?:,\s|\s(?:{_plain_words('and')})\s|,\s(?:{_plain_words('and')})\s|\s)(?=[\w-]*\d)[\w-]{{4,}}){{0,19}})",
)
#: Who logs in, and beside it with what: behind a stroke, a bar, a comma.
_PAIR: Final = late_regex(
    rf"{_B}(?:{_either('logins')})(?:\s[\w.'\u2019-]+){{0,4}}\s?[:=]\s*[^\s/|,;]{{2,80}}\s?[/|,;]\s?(?P<bare>(?=[^\s]*[\d!$%^&*#?])[^\s/|]{{5,63}})"
    r"|(?<![^\W_])curl\s[^\n]{0,200}?(?:-u|--user)[\s=]?['\"]?[^\s:'\"]{1,80}:(?P<short>[^\s'\"]{3,128})",
)
_WORDS: Final = r"[^\W\d_]{2,12}"
_SEED_JOINT: Final = r"(?:,\s?|\s|[\s,]{1,2}\d{1,2}[.)]\s?)"
_PHRASE: Final = late_regex(
    rf"{_B}(?:{_either('phrases')}){_FOR}?(?:{_COPULA}\s*:?|:|=)?\s*(?:\d[.)]\s?)?(?P<bare>{_WORDS}(?:{_SEED_JOINT}{_WORDS}){{3,23}})(?![^\W_])",
)
_SEED: Final = late_regex(r"(?<![^\W_])[a-z]{3,8}(?:(?:,\s?|\s|[\s,]{1,2}\d{1,2}[.)]\s?)[a-z]{3,8}){11,23}(?![^\W_])")
_ANSWER: Final = late_regex(
    rf"{_B}(?:{_either('answers')})(?:\s(?:[\w'’-]+\s){{0,3}}?|\s*)(?:{_COPULA}\s*:?|:|=)\s*['\"“]?(?P<bare>[\w'’-]{{2,40}}(?:\s[\w'’-]{{2,40}}){{0,3}}){_END}",
)
_HAN: Final = late_regex(
    rf"(?:{'|'.join(map(re.escape, _ZH['nouns']))})[^\s，。,:：=是]{{0,4}}?\s?(?:{'|'.join(map(re.escape, sorted(_ZH['copulas'], key=len, reverse=True)))})\s*"
    rf"[“\"「'‘]?(?P<bare>[A-Za-z0-9!@#$%^&*._+-]{{3,64}})(?!\s?(?:{'|'.join(_ZH['counted'])}))(?![A-Za-z0-9])"
)
_HAN_BESIDE: Final = late_regex(
    rf"(?:{'|'.join(map(re.escape, _ZH['nouns']))})\s?(\d{{4,8}})(?![A-Za-z0-9]|[.,]\d|\s?(?:{'|'.join(_ZH['counted'])}))"
)
_GOES_ON: Final = late_regex(rf"\s(?!(?:{_plain_words('behind')}|{_plain_words('and')})(?![^\W_]))[^\W\d_]")
#: The three digits on a card.
_CARD_CODE: Final = late_regex(r"security code|cv[vc]2?")
_DIGIT: Final = late_regex(r"\d")
#: What opens something is a number of three digits or more; what stands beside a name is behind a colon, or a command's.
_THREE_DIGITS: Final = late_regex(r"\d[ -]?\d[ -]?\d")
_OPEN_HINT: Final = late_regex(
    rf"{_B}(?:{_plain_words('opens')}|{_plain_words('to_open')}|curl|{_either('logins')})(?![^\W_])"
)
#: One of these is in each word for a secret, and then this.
_HINTS: Final = (
    "pass", "word", "w0rd", "pw", "pin", "key", "secret", "code", "token", "otp", "cvv", "cvc", "combination", "combo", "login", "puk",
    "credential", "wort", "geheim", "schlüssel", "kombination", "nummer", "losung", "zugangs", "contrase", "clave", "código",
    "codigo", "combinac", "número", "senha", "parola", "codice", "lösenord", "woord", "2fa", "sicherung", "mot de", "p@", "p4", "log in",
)  # fmt: skip
_HINT: Final = late_regex(
    r"(?<![^\W_])(?:pin|puk|otp|pwd?|cvv|cvc|pass[\s_-]?(?:w|c|p)|p[@4a][s5$]{2}|log[\s-]?in|mot\sde|token|senha|parola|clave)"
    r"|wort|word|key|secret|code|2fa|mfa|combina|combo|credential|geheim|schlüssel|kombination|nummer|losung|zugangs|contrase"
    r"|c[oó]digo|número|codice|woord|pass\s?[:=]|lösenord|passphrase"
)
_ANSWER_HINTS: Final = (
    "security",
    "secret question",
    "sicherheits",
    "seguridad",
    "respuesta secreta",
    "veiligheids",
    "sécurité",
    "sicurezza",
    "segurança",
)
_PHRASE_HINTS: Final = (
    "words",
    "woorden",
    "parole",
    "palavras",
    "mots",
    "phrase",
    "seed",
    "mnemonic",
    "recovery",
    "wörter",
    "frase",
    "palabras",
)
_NOT_TOLD: Final = frozenset(_all("not_told"))
_NOT_ENDING: Final = tuple(_all("endings"))
_SMALL: Final = frozenset(_all("small"))
#: What stands in code where a secret is meant and not told: a template, a tag, where it is read from, and a name such as
#: ``hashed_password`` or ``YOUR-API-KEY-HERE``. It is the whole of what stands there: "<b>hunter2</b>" tells one.
_NOT_GIVEN: Final = late_regex(
    r"(?:\$?\{\{? *[A-Za-z_.]*[(\[]? *\}*|\$\{[A-Z_][A-Z0-9_]*(?::-?)?\}?|(?:</?[a-z][a-z_-]*/?>?)+|#+"
    r"|(?:process\.env|os\.environ)\.\w+|(?:password|secret|token)"
    r"|(?=.*(?<![a-z])(?:password|secret|token|(?:api)?key)(?![a-z]))(?:[a-z]+[._-])+[a-z]+)$",
    re.IGNORECASE,
)
#: What a summary, or a redaction, put in the place of one.
_TAKEN_OUT: Final = late_regex(r"[\[(](?:[A-Z_]+|[a-z -]+)[\])]?$")
#: A call or an item, outside quotation marks and behind a sign; a bracket in a password is followed by a digit or by more.
_CALL: Final = late_regex(r"(?:[a-z_]\w*\.)*(?:[a-z_]+|[A-Z][A-Za-z]+)[(\[](?!\d)(?:[^)\]]|[)\]](?=$|[.,;:()\[\]]))*$")
_VERSION: Final = late_regex(r"\d+(?:\.\d+){1,3}$")
_LABEL: Final = late_regex(
    r"(?<![^\W_])(?:(?:p[a@4][s5$]{2}w[o0]rd|passwd|passphrase|passcode|pwd|pw)\s?[:=]"
    r"|(?:pass|pin|cvv2?|cvc2?|secret|client_?secret|api[_-]?key|(?:access|auth|refresh|id|bearer)_?token)=|[?&]token=)"
    r"\s?(?P<value>[^\s&;]{3,128})",
    re.IGNORECASE,
)


def find(text: str) -> Iterator[Found]:
    """Yield the secrets that are told in ``text``."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = text
    for start, end in _told(text, lower):
        yield Found(start, end, Kind.SECRET, "said")
    for start, end in _phrases(text, lower):
        yield Found(start, end, Kind.SECRET, "phrase")


def in_label(label: str) -> Iterator[str]:
    """Yield the secrets that a name, such as a key or a source, tells."""
    return (match["value"] for match in _LABEL.finditer(label) if is_told(match["value"]))


def _told(text: str, lower: str) -> Iterator[tuple[int, int]]:
    """Yield what is told in ``text``, which ``lower`` is in small letters."""
    if any(hint in lower for hint in _HINTS) and _HINT.search(lower):
        yield from _said(text, lower)
        yield from (match.span("bare") for match in _PLAIN.finditer(lower) if _is_no_word_for_it(match["bare"]))
        yield from _beside(text, lower)
        yield from _short(text, lower)
    if (":" in lower or "=" in lower or "curl " in lower or _THREE_DIGITS.search(lower)) and _OPEN_HINT.search(lower):
        yield from (match.span("bare") for match in _OPENS.finditer(lower) if _is_number(match["bare"]))
        yield from (
            _value(match, text) for match in _PAIR.finditer(lower) if is_told(text[slice(*_value(match, text))])
        )
    if any(hint in lower for hint in _ANSWER_HINTS):
        for match in _ANSWER.finditer(lower):
            if _SMALL.isdisjoint(match["bare"].split()) and _is_no_word_for_it(match["bare"]):
                yield match.span("bare")
    if not text.isascii():
        for match in _HAN.finditer(text):
            value = match["bare"].rstrip(".,")
            if len(value) >= _FEWEST_PIN and not _NOT_GIVEN.match(value):
                yield match.start("bare"), match.start("bare") + len(value)
        yield from (match.span(1) for match in _HAN_BESIDE.finditer(text))


def _is_number(value: str) -> bool:
    return sum(one.isdigit() for one in value) >= _FEWEST_PIN


def _value(match: re.Match[str], text: str) -> tuple[int, int]:
    """Return where what was found begins and ends, without the marks of the sentence behind it."""
    start, end = match.span("short" if match.groupdict().get("short") else "bare")
    return start, start + len(text[start:end].rstrip(".,;!?)"))


def _short(text: str, lower: str) -> Iterator[tuple[int, int]]:
    """Yield what stands beside a word for a secret, or alone behind one and a colon."""
    if _DIGIT.search(lower):
        for match in _NUMBER_BESIDE.finditer(lower):
            few = _FEWEST_PIN if _CARD_CODE.search(match[0]) else _FEWEST_DIGITS
            if sum(one.isdigit() for one in match["bare"]) >= few and not _is_year(match, lower):
                yield match.span("bare")
        for match in _WORD_BESIDE.finditer(lower):
            start, end = _value(match, text)
            if is_told(text[start:end]):
                yield start, end
        yield from (match.span("bare") for match in _SEVERAL.finditer(lower) if _is_number(match["bare"]))
    if ":" in lower:
        yield from _alone(text, lower)


def _is_year(match: re.Match[str], lower: str) -> bool:
    """Return whether what was found is a year, or a number of things: four digits of one, and another word behind it."""
    return _YEAR.fullmatch(match["bare"]) is not None and _GOES_ON.match(lower, match.end("bare")) is not None


def _alone(text: str, lower: str) -> Iterator[tuple[int, int]]:
    for match in _ALONE.finditer(lower):
        value = match["bare"]
        capital = text[match.start("bare")].isupper()
        if value not in _NOT_TOLD and (capital or not value.endswith(_NOT_ENDING)):
            yield match.span("bare")


def _beside(text: str, lower: str) -> Iterator[tuple[int, int]]:
    """Yield what stands beside a word for a secret, with no word or sign that says that it is one."""
    for pattern, where in ((_CHANGED, lower), (_BESIDE, lower), (_PIN_BESIDE, text), (_BEFORE, lower)):
        for match in pattern.finditer(where):
            group = "quoted" if match.groupdict().get("quoted") else "bare"
            value = text[slice(*match.span(group))].rstrip(".,;!?)")
            if is_told(value, quoted=group == "quoted") and not (group == "bare" and _is_year(match, lower)):
                yield match.start(group), match.start(group) + len(value)


def _said(text: str, lower: str) -> Iterator[tuple[int, int]]:
    """Yield what stands behind a word for a secret and a word or sign between them."""
    for match in _SAID.finditer(lower):
        group = next(name for name in ("quoted", "digits", "bare") if match[name])
        start, end = match.span(group)
        value = text[start:end].rstrip(".,;!?)")
        sign = text[match.start() : start].rstrip()
        in_code = group == "bare" and sign.endswith(("=", ":", ">")) and _CALL.match(value)
        if in_code or (sign.endswith("==") and _VERSION.match(value)) or (group == "bare" and _is_year(match, lower)):
            continue
        sure = (match["copula"] or "") in _SURE and value.lower() not in _NOT_TOLD and not _TAKEN_OUT.match(value)
        grouped = group == "digits" and sum(one.isdigit() for one in value) >= _FEWEST_DIGITS
        if sure or grouped or (group != "digits" and is_told(value, quoted=group == "quoted")):
            yield start, start + len(value)


def _phrases(text: str, lower: str) -> Iterator[tuple[int, int]]:
    """Yield phrases of words that open something: called so, or of as many words as a wallet's and no sentence."""
    if text.count(" ") < _FEWEST_DIGITS - 1:
        return
    if any(hint in lower for hint in _PHRASE_HINTS):
        for match in _PHRASE.finditer(lower):
            words = re.findall(r"[^\W\d_]+", match["bare"])
            if _SMALL.isdisjoint(words) and not words[0].endswith(_NOT_ENDING):
                yield match.span("bare")
    if text.count(" ") + text.count("\n") >= _FEWEST_SEEDS - 1:
        for match in _SEED.finditer(text):
            words = re.findall(r"[a-z]+", match[0])
            if len(words) in _SEED_SIZES and _SMALL.isdisjoint(words) and len(set(words)) > len(words) // 2:
                yield match.span()


def _is_no_word_for_it(value: str) -> bool:
    """Return whether a word says nothing about a secret, so that it is one."""
    plain = value.casefold()
    return plain not in _NOT_TOLD and not plain.endswith(_NOT_ENDING) and not _TAKEN_OUT.match(value)


def is_told(value: str, *, quoted: bool = False) -> bool:
    """Return whether what stands behind the word for a secret is one."""
    if value.casefold() in _NOT_TOLD or len(value) < _FEWEST_PIN or value.startswith(("http://", "https://")):
        return False
    if _NOT_GIVEN.match(value) or _TAKEN_OUT.match(value):
        return False
    digits = any(one.isdigit() for one in value)
    if value.isalpha():
        return quoted
    return digits or any(not one.isalnum() and one not in "-'’.,/" for one in value)


def _may_be(found: str, value: str) -> bool:
    """Return whether a value is of the sort of a sample's: letters where it has letters alone."""
    return found.isalpha() == value.isalpha() and (not value.isalpha() or _is_no_word_for_it(value))


ROWS: Final = tuple(
    Identifier(
        row["name"],
        Kind.SECRET,
        row["sample"],
        row["counter"],
        partial(_may_be, row["sample"].partition("{")[2].rpartition("}")[0]),
    )
    for row in _DATA["rows"]
)
