"""What identifies somebody in a name: the key, session, source or tag of a memory, as a person or a program gave it.

Guarantees: a pure function; needs no optional recogniser. A name is not a text: numbers, digests, dates, versions,
paths and tokens are what names are made of, so that of what the recognisers of texts find only that counts which hardly
any of those is. What a name is about, people's names in it, and numbers whose only form is a check digit are no
findings. Other widths and scripts, unseen characters and encodings are undone as in a text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from marskg.language.en.personal.particulars import LABEL_WORDS
from marskg.language.identifiers import table, told
from marskg.language.identifiers.deobfuscation import views
from marskg.late_regex import late_regex
from marskg.privacy.sensing.model import Category, identifiers_of, united

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.privacy.sensing.model import Finding

_UUID: Final = late_regex(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_DATE: Final = late_regex(r"(?:19|20)\d\d([-/._ ]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])")
#: Moments and numbers of things, which programs make names of.
_KNOWN: Final = late_regex(rf"{_UUID.pattern}|(?<!\d){_DATE.pattern}(?!\d)", re.IGNORECASE)
#: One of these is in what is left of each name in which anything is found.
_MAYBE: Final = late_regex(
    r"[@%=]|://|[^\x00-\x7f]|(?:\d[\W_]{0,3}){6}|[A-Za-z0-9_-]{16}|\d\s\w|:[^:\d]*\d|\d(?:\.\d+){3}|[\x00-\x1f]"
)
#: What stands between the parts of a name, also a hyphen between a word and a number.
_JOINTS: Final = late_regex(r"[/_:=#?&|;,]|(?<=[A-Za-z])-(?=\d)")

#: Cards as the large issuers give them out: a shorter number, or another first digit, is some other number.
_ISSUED: Final = late_regex(
    r"4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|6(?:011|5\d\d)\d{12}|35\d{14}|62\d{14,17}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}"
)
_HOST: Final = late_regex(r"(?://|@|(?<![a-z])(?:ip|host|addr)[:=/ -])\[?$", re.IGNORECASE)
_NOBODYS_HOST: Final = late_regex(r"127\.|0\.0\.0\.0|255\.")
#: Users of services rather than people, and what a message rather than a mailbox is called by.
_USER: Final = late_regex(r"://[^\s/@:]+@")
_NO_MAILBOX: Final = late_regex(r"(?:^|[^A-Za-z0-9])git@", re.IGNORECASE)
_MESSAGE: Final = late_regex(r"(?:<|(?<![a-z])(?:mid|cid|message-?id)[:=]\s?<?)$", re.IGNORECASE)
_FILE: Final = late_regex(
    r"\.(?:png|jpe?g|gif|webp|svg|ico|pdf|js|mjs|ts|tsx|jsx|css|json|ya?ml|md|txt|csv|py|zip|html?)$", re.IGNORECASE
)

#: A number, a name, and what sort of street it is.
_FEWEST_OF_STREET: Final = 3
_NUMBERS: Final = frozenset({Category.CARD, Category.NATIONAL_ID, Category.ACCOUNT, Category.PHONE})
#: National identifiers whose form is hardly that of anything else; for others a word has to say what they are.
_OWN_FORMS: Final = frozenset(
    "us-ssn us-itin us-mbi uk-nino it-fiscal in-pan sg-nric ch-ahv be-register br-cpf th-id fr-nir".split()
)
#: Tokens whose form is that of a digest, or of words with hyphens.
_WEAK_TOKENS: Final = frozenset({"random", "mailgun", "bearer", "said", "cued", "phrase"})
_MIXED: Final = late_regex(r"(?=.*\d)(?=.*[a-z]).*[A-Z]")


#: Characters that are read at once, and how many of them the next window repeats: no identifier is longer.
_WINDOW: Final = 2_000
_OVERLAP: Final = 400


def find(label: str) -> set[Category]:
    """Return the kinds of identifiers in ``label``, of any length: it is read in windows, so that time grows with it."""
    starts = range(0, max(1, len(label) - _OVERLAP), _WINDOW - _OVERLAP)
    return {category for start in starts for category in _in_window(label[start : start + _WINDOW])}


@lru_cache(maxsize=256)  # A session's name comes with each of its turns.
def _in_window(label: str) -> frozenset[Category]:
    if not _MAYBE.search(label if LABEL_WORDS.born.search(label) else _KNOWN.sub(" ", label)):
        return frozenset()
    return frozenset(category for form in (label, *(view.text for view in views(label))) for category in _in(form))


def _in(label: str) -> Iterator[Category]:
    if any(not _DATE.match(value) for value in told.in_label(label)):
        yield Category.SECRET
    parts = _JOINTS.sub(" ", label)
    for text in (label,) if parts == label else (label, parts):
        taken = [match.span() for match in _UUID.finditer(text)]
        found = (
            one
            for one in identifiers_of(table.personal(text))
            if not any(start <= one.start and one.end <= end for start, end in taken) and _is_sure(label, text, one)
        )
        yield from (one.category for one in united(found))


def _is_sure(label: str, text: str, one: Finding) -> bool:
    """Return whether ``one`` is what it looks like; ``text`` is ``label``, or its parts with blanks between them."""
    words = text[one.start : one.end]
    if one.category is Category.BIRTH_DATE:
        return LABEL_WORDS.born.search(text) is not None
    if _DATE.match(words):
        return False
    if one.category in _NUMBERS:
        return _is_number(label, text, one, words)
    # What is no number has its form as a whole, or none.
    return text is label and _is_word(text, one, words)


def _is_number(label: str, text: str, one: Finding, words: str) -> bool:
    """Return whether a number is one that identifies somebody."""
    match one.category:
        case Category.CARD:
            # Numbers in links are seldom what they look like.
            said = "://" not in label or (text is label and not words.isdigit()) or LABEL_WORDS.card.search(text)
            return bool(said) and _ISSUED.fullmatch(re.sub(r"\D", "", words)) is not None
        case Category.NATIONAL_ID:
            own = one.rule in _OWN_FORMS and not words.isdigit()
            return own or LABEL_WORDS.national_id.search(text) is not None
        case Category.ACCOUNT:
            ends = not text[one.end : one.end + 1].isalnum()
            return one.rule == "iban" and ends and (words.isupper() or LABEL_WORDS.iban.search(text) is not None)
        case _:
            return words.startswith(("+", "(+")) or LABEL_WORDS.dial.search(text[: one.start]) is not None


def _is_word(text: str, one: Finding, words: str) -> bool:
    """Return whether a secret or an address is one."""
    match one.category:
        case Category.SECRET:
            return one.rule not in _WEAK_TOKENS and (one.rule != "openai" or _MIXED.match(words) is not None)
        case Category.EMAIL:
            other = _NO_MAILBOX.search(words) or _FILE.search(words) or _MESSAGE.search(text[: one.start])
            return not other and not any(one.start < user.end() <= one.end for user in _USER.finditer(text))
        case Category.NETWORK:
            return _is_host(text, one, words)
        case Category.ADDRESS:
            starts = one.start == 0 or _JOINTS.match(text, one.start - 1) is not None
            return starts and len(words.split()) >= _FEWEST_OF_STREET and words != words.casefold()
        case _:
            return False


def _is_host(text: str, one: Finding, words: str) -> bool:
    """Return whether an address of a network stands where one belongs, and is no version or moment."""
    if one.rule == "mac":
        return ":" in words or re.search(r"[a-f]", words, re.IGNORECASE) is not None
    alone = words == text and (":" not in words or words[0].isdigit() or words[:2].casefold() in {"fd", "fe"})
    return (alone or _HOST.search(text[: one.start]) is not None) and not _NOBODYS_HOST.match(words)
