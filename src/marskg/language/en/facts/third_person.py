"""A speaker's own words told of them by name: "I've been painting my room" is "Ana has been painting Ana's room".

Guarantees: pure; the order of the words stays; who is not known by name is "the user", and whom they speak to keeps
"you". A verb in the present after "I" takes its ending; one in the past stays.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from marskg.language.facts import Voice

_PERSON: Final = late_regex(
    r"\b(?P<i>I|we)(?P<clitic>'m|'ve|'re|'d|'ll)?(?![\w'])(?P<adverbs>(?: (?:\w+ly|just|also|always|still|never|even|"
    r"often|so|already|no longer))*)"
    r"(?: (?P<verb>[a-z]+(?:'t)?))?|\b(?P<possessive>my|mine|our|ours)\b|\b(?P<object>me|us)\b|"
    r"\b(?P<self>myself|ourselves)\b|\b(?P<you>you(?P<are>'re|'ve|'ll|'d)?|yourself)\b(?!')|\b(?P<your>yours?)\b",
    re.IGNORECASE,
)
_CLITICS: Final = {"'m": "is", "'ve": "has", "'re": "are", "'d": "would", "'ll": "will"}
_VERBS: Final = {
    "am": "is", "are": "is", "have": "has", "was": "was", "were": "was", "do": "does", "don't": "does not",
    "haven't": "has not", "go": "goes", "gonna": "is going to", "gotta": "has to", "wanna": "wants to",
    "weren't": "was not",
}  # fmt: skip
#: Verbs whose form stays: helpers, and the past of verbs that do not end in -ed.
_STAY: Final = frozenset(
    [
        "was",
        "had",
        "did",
        "will",
        "would",
        "can",
        "could",
        "should",
        "must",
        "may",
        "might",
        "shall",
        "can't",
        "couldn't",
        "won't",
        "wouldn't",
        "shouldn't",
        "didn't",
        "hadn't",
        "wasn't",
        "isn't",
        "went",
        "got",
        "made",
        "took",
        "came",
        "saw",
        "found",
        "gave",
        "told",
        "felt",
        "left",
        "kept",
        "began",
        "brought",
        "bought",
        "built",
        "caught",
        "chose",
        "drank",
        "drove",
        "ate",
        "fell",
        "fought",
        "flew",
        "forgot",
        "grew",
        "heard",
        "held",
        "hit",
        "hurt",
        "knew",
        "led",
        "lost",
        "met",
        "paid",
        "put",
        "ran",
        "read",
        "rode",
        "sang",
        "sat",
        "sold",
        "sent",
        "set",
        "slept",
        "spent",
        "spoke",
        "stood",
        "swam",
        "taught",
        "thought",
        "threw",
        "understood",
        "woke",
        "wore",
        "won",
        "wrote",
        "became",
        "broke",
        "dealt",
        "dug",
        "drew",
        "fed",
        "hid",
        "laid",
        "lent",
        "lit",
        "meant",
        "rang",
        "rose",
        "shot",
        "shook",
        "shut",
        "stuck",
        "swept",
        "tore",
        "cut",
        "let",
        "quit",
        "used",
        "ended",
        "gotten",
        "been",
        "and",
        "or",
        "but",
        "to",
        "in",
        "on",
        "at",
        "with",
        "for",
        "both",
        "all",
        "the",
        "no",
        "said",
        "wept",
        "bent",
        "bit",
        "blew",
        "burnt",
        "crept",
        "hung",
        "sank",
        "shone",
        "sought",
        "spoilt",
        "spilt",
        "stole",
        "struck",
        "swore",
        "learnt",
        "dreamt",
        "lay",
        "beat",
        "cost",
        "shed",
        "spread",
        "split",
        "rather",
        "better",
        "never",
        "to",
    ]
)
_SIBILANT: Final = ("s", "x", "z", "ch", "sh", "o")


def told(text: str, voice: Voice, *, alone: bool = False) -> str:
    """Return what the speaker says, with their name in the place of "I" and the other's in that of "you".

    The name stands once; then it is "they" and "their", since no text says which pronoun is the speaker's. ``alone``
    tells what "we" did of the speaker, without the others.
    """
    said = _PERSON.sub(_Teller(voice, alone=alone).replaced, text)
    return said[:1].upper() + said[1:]


class _Teller:
    """Tells one text of its speaker; knows whether it has named them."""

    def __init__(self, voice: Voice, *, alone: bool) -> None:
        """Name nobody yet."""
        self._alone = alone
        self._name = voice.name or "the user"
        self._other = voice.other
        self._named = False

    def replaced(self, match: re.Match[str]) -> str:
        """Return what stands in the place of a pronoun, with the verb of a subject."""
        if match["i"]:
            return self._subject(match)
        if match["self"]:
            return "themselves"
        if match["possessive"] or match["object"]:
            owns = match["possessive"] is not None
            known, self._named = self._named, True
            if known:
                return "their" if owns else "them"
            return f"{self._name}'s" if owns else self._name
        if self._other is None:
            return match[0]
        if match["your"]:
            return f"{self._other}'s"
        helper = _CLITICS[match["are"].lower()].replace("are", "is") if match["are"] else ""
        return f"{self._other} {helper}".rstrip()

    def _subject(self, match: re.Match[str]) -> str:
        many = match["i"].lower() == "we" and not self._alone
        single = not self._named and not many
        subject = "they" if self._named else f"{self._name} and others" if many else self._name
        self._named = True
        helper, verb = _CLITICS.get((match["clitic"] or "").lower(), ""), match["verb"] or ""
        helper = (_SINGLE if single else _MANY).get(helper, helper)
        if verb and not helper:
            verb = third(verb) if single else {"am": "are", "was": "were"}.get(verb.lower(), verb)
        return " ".join(part for part in (subject, helper, match["adverbs"].strip(), verb) if part)


_SINGLE: Final = {"are": "is"}
_MANY: Final = {"is": "are", "has": "have"}


def third(verb: str) -> str:
    """Return a verb as it stands behind "he"; a form of the past, and a helper, as it is."""
    small = verb.lower()
    if small in _VERBS:
        return _VERBS[small]
    if small in _STAY or small.endswith(("ed", "ing", "ly")):
        return verb
    if small.endswith("y") and small[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if small.endswith(_SIBILANT) else f"{verb}s"
