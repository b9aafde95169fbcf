"""The forms of postal addresses that people who write English give, those of neighbouring countries among them.

Guarantees: plain patterns (:mod:`marskg.language.personal`), each of which needs a number.
"""

from __future__ import annotations

import re
from typing import Final

from marskg.language.personal import Addresses
from marskg.late_regex import late_regex

_KINDS_OF_STREETS: Final = (
    r"street|st|avenue|ave|av|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|place|pl|square|sq|terrace|ter|way|close"
    r"|crescent|cres|parkway|pkwy|highway|hwy|circle|cir|trail|trl|alley|row|gardens|grove|quay|mews|loop|route|plaza"
)
_STREET: Final = late_regex(
    rf"(?<![\w.,:$€£-])\d{{1,6}}(?:[A-Za-z]|[/-]\d{{1,4}})?,?\s(?:(?:[NSEW]|North|South|East|West)\.?\s)?"
    rf"(?:(?:\d{{1,3}}(?:st|nd|rd|th)|[^\W\d_][\w.'’-]*)\s){{1,4}}(?:{_KINDS_OF_STREETS})\b\.?",
    re.IGNORECASE,
)
_STREET_NUMBER_LAST: Final = late_regex(
    r"(?<!\w)(?:[A-ZÄÖÜ][\w.'’-]*[ -]){0,3}[A-ZÄÖÜa-zäöü]*(?:str(?:aße|asse|\.)|gasse|weg|platz|allee|damm|ufer|ring|straat"
    r"|laan|gracht|plein|kade|vägen|gatan|vej|gade|katu|tie)\s\d{1,5}\s?[a-zA-Z]?(?!\w)"
)
_STREET_KIND_FIRST: Final = late_regex(
    r"(?<!\w)(?:\d{1,5},?\s(?:bis\s|ter\s)?(?:rue|avenue|boulevard|place|chemin|allée|impasse|quai|cours)\s(?:[\w'’.-]+\s?){1,5}"
    r"|(?:via|viale|piazza|corso|vicolo|calle|avenida|avda\.?|paseo|plaza|rua|praça|carrer|ul\.)\s(?:[\w'’.-]+\s){0,4}[\w'’.-]+,?\s(?:n[.º°]*\s?)?\d{1,5})",
    re.IGNORECASE,
)
_UNIT: Final = late_regex(
    r"(?<!\w)(?:\d{1,6}[\s,]+(?:[^\W\d_][\w.'’-]*[\s,]+){1,5}(?:\d{1,6}[\s,]+)?)?(?:apt|apartment|suite|ste|unit|flat)\.?\s?#?\s?\d{1,5}[a-z]?(?!\w)"
    r"|(?<!\w)p\.?\s?o\.?\s?box\s\d{1,6}(?!\w)|(?<!\w)(?:postfach|postbox|box|psc)\s\d{1,6}(?!\w)"
    r"|(?<!\w)[AFD]PO,?\sA[AEP]\s\d{5}(?!\w)",
    re.IGNORECASE,
)
_POSTCODE: Final = late_regex(
    r"(?<!\w)(?:GIR ?0AA|[A-Z]{1,2}\d[A-Z\d]? \d[ABD-HJLNP-UW-Z]{2})(?!\w)"
    r"|(?<!\w)(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])"
    r" \d{5}(?:-\d{4})?(?!\w)|(?<!\w)[ABCEGHJ-NPRSTVXY]\d[A-Z] \d[A-Z]\d(?!\w)"
)
_LIVES: Final = late_regex(
    r"\b(?:(?:home|postal|mailing|shipping|billing|my|our|his|her|their|new) address(?: is|:)|lives? at|reside[sd]? at|office is at|moved to)\s+"
    r"([^.!?\n]{0,20}\d[^.!?\n]{3,80})",
    re.IGNORECASE,
)
#: What follows the street: places in capitals, up to a post code.
_TOWN: Final = late_regex(r"(?:[\s,]+[^\W\d_a-z][\w.'’()-]*){0,7}[\s,]+\d{4,6}(?:-\d{4})?(?!\w|[.,]\d)")
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

ADDRESSES: Final = Addresses(
    forms=_ADDRESSES,
    street=_STREET,
    postcode=_POSTCODE,
    no_street=_NO_STREET,
    town=_TOWN,
    lives=(_LIVES, ("address", "live")),
)
