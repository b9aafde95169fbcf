"""Which language two statements are in, so that they are read with its words: a known one, or none.

Guarantees: pure; a text is known by its function words and its script, by nothing else, and is never read with the
words of a language that another explains as well. Languages that are told apart but not read are here so that Italian
is not taken for Spanish. A text without a word that tells ("Igor Jazz") is read as the other one of its pair is; where
neither tells, they are English if most of their words are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from marskg.kept_texts import keeping_texts
from marskg.language.clause_reading import MAX_CHARACTERS, read
from marskg.language.clause_words import words_of
from marskg.language.de.german import GERMAN
from marskg.language.en.clauses import ENGLISH
from marskg.language.en.lexicon import Is, flags
from marskg.language.es.spanish import SPANISH
from marskg.language.zh.chinese import CHINESE
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.language.statements import Reading

_READ: Final = {one.name: one for one in (ENGLISH, GERMAN, SPANISH, CHINESE)}
#: Function words of languages that nothing here reads.
_OTHERS: Final = {
    "fr": "le la les un une des du de et ou mais ne pas plus je tu il elle nous vous ils mon ma mes son sa ses est "
    "sont "
    "était a ont dans en sur avec pour par sans chez au aux ce cette qui que habite travaille aime boit mange c'est",
    "it": "il lo la gli le un una di del della dei in con per non più io tu lui lei noi mio mia suo sua è sono era ha "
    "hanno che e o ma anche si al alla nel nella vive lavora beve mangia",
    "pt": "o a os as um uma de do da dos das em no na nos nas com por para não mais eu tu ele ela nós meu minha seu "
    "sua "
    "é são está tem e ou mas também que mora trabalha gosta bebe já",
    "ca": "el la els les un una de del i no és amb per que en al viu treballa meu meva",
    "nl": "de het een en of maar niet geen meer ik jij hij zij wij mijn zijn haar is was heeft hebben in op aan met "
    "voor "
    "van naar bij om te dat die ook nog woont werkt drinkt",
    "sv": "och att det en ett är inte jag du han hon vi de som på av för med till från har min bor arbetar",
    "da": "og at det en et er ikke jeg du han hun vi de som på af for med til fra har min bor arbejder",
    "pl": "i w na z nie jest się do że to ma nie już mieszka pracuje mój moja",
    "tr": "ve bir bu da de için değil ama çok",
    "id": "yang dan di ke dari tidak saya ini itu untuk dengan tinggal bekerja",
    "ro": "și un o la de nu este în cu pe că mai sunt locuiește",
}
_HAN: Final = late_regex("[\u3400-\u4dbf\u4e00-\u9fff]")
#: Letters of scripts that nothing here reads.
_STRANGE: Final = late_regex("[\u0370-\u1fff\u3040-\u30ff\uac00-\ud7af\ua000-\ua4cf\u2c00-\u2dff\ua640-\uabff]")
_LETTER: Final = late_regex(r"[^\W\d_]")
#: Share of the words that must be English where no function word tells.
_MOSTLY: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Tally:
    """How many words of a text are of each language, and which have most."""

    counts: Mapping[str, int]
    best: frozenset[str]


def read_pair(new: str, old: str) -> tuple[Reading, Reading] | None:
    """Return what two statements say, read with the words of their language; None where that is not one known."""
    best = _best_of(_tally(new), _tally(old))
    names = (best or {ENGLISH.name}) & _READ.keys()
    if ENGLISH.name in names and len(best) != 1 and not (_is_plain_english(new) and _is_plain_english(old)):
        names -= {ENGLISH.name}
    # Function words that neighbours share do the same in both.
    name = next(iter(names)) if len(names) == 1 else ENGLISH.name if ENGLISH.name in names else ""
    return (_read(new, name), _read(old, name)) if name else None


def may_be_english(new: str, old: str) -> bool:
    """Return whether nothing tells that two statements are in another language, or in one each."""
    best = _best_of(_tally(new), _tally(old))
    return not best or ENGLISH.name in best


@keeping_texts(20_000)
def _read(text: str, name: str) -> Reading:
    """Return a reading; statements are compared many times, so readings are kept."""
    return read(text, _READ[name])


@keeping_texts(20_000)
def _tally(text: str) -> _Tally:
    counts = _counts(text)
    most = max(counts.values(), default=0)
    return _Tally(counts, frozenset(name for name, count in counts.items() if count == most))


def _counts(text: str) -> Mapping[str, int]:
    """Return how many different words of a text each language has among its function words."""
    text = text[:MAX_CHARACTERS]
    found: dict[str, int] = {}
    if _STRANGE.search(text):
        letters = len(_LETTER.findall(text))
        if len(_STRANGE.findall(text)) * 2 > letters or _HAN.search(text):
            return {"": letters}
    for word in set(words_of(ENGLISH.folded(text))):
        for name in _languages().get(word, ()):
            found[name] = found.get(name, 0) + 1
    # Each of these is a word, and tells as much as a function word does.
    signs = len(set(_HAN.findall(text)))
    return found | {CHINESE.name: signs} if signs else found


def _best_of(new: _Tally, old: _Tally) -> frozenset[str]:
    """Return the languages that two texts may both be in, empty where no word tells; a text without one follows.

    Two texts of different languages are in none, which has the empty name.
    """
    if len(new.best) == 1 and new.best == old.best:
        return new.best
    both = new.best & old.best if new.best and old.best else new.best | old.best
    if not both:
        return frozenset({""}) if new.best or old.best else both
    sums = {name: new.counts.get(name, 0) + old.counts.get(name, 0) for name in both}
    return frozenset(name for name in both if sums[name] == max(sums.values()))


@cache
def _languages() -> Mapping[str, tuple[str, ...]]:
    """Return the languages of each function word."""
    found: dict[str, tuple[str, ...]] = {}
    for name, listed in {
        **{name: language.function for name, language in _READ.items()},
        **{name: frozenset(listed.split()) for name, listed in _OTHERS.items()},
    }.items():
        for word in listed:
            found[word] = (*found.get(word, ()), name)
    return found


@keeping_texts(20_000)
def _is_plain_english(text: str) -> bool:
    """Return whether at least half of the words of a text are English ones, and all its letters ASCII or signs."""
    table = flags()
    listed = [word for word in words_of(ENGLISH.folded(text[:MAX_CHARACTERS])) if not word[0].isdigit()]
    if any(not one.isascii() and _LETTER.search(one) for one in listed):
        return False
    return bool(listed) and sum(bool(table.get(one, 0) & Is.COMMON) for one in listed) >= _MOSTLY * len(listed)
