"""Other writings of a name that only look like it when both are taken apart: initials, particles, families.

Guarantees: pure functions. A name has keys (:func:`keys_of`), and so has what stands in a text (:class:`Kindred`); one
that both have says that the text may have the name, and never that it surely has: what is found so is near. Of a name
are left out titles, particles, joining words, legal forms (``legal_forms.txt``); its given names may be initials, left
out, or familiar forms (``familiar.tsv``); its parts may stand in another order; it may be the family in the plural, a
name of before marriage, written with digits for letters, in another alphabet (Cyrillic and Greek in Latin letters, in
any of the usual systems, Cyrillic also in its cases; other scripts by :mod:`marskg.language.naming.other_scripts`), or
without the blanks of a script that needs none. O(text). Source: semantics section 5.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from itertools import pairwise, product
from typing import TYPE_CHECKING, ClassVar, Final

from marskg.kept_texts import keeping_texts
from marskg.language.en.lexicon import Is, flags
from marskg.language.naming.edges import is_identifier
from marskg.language.naming.familiar import familiar_names, familiar_to, folded
from marskg.language.naming.neighbours import is_ordinary
from marskg.language.naming.numbers import number_of
from marskg.language.naming.other_scripts import Written, is_in_other, script_keys
from marskg.language.naming.spellings import cased_form, loose_form, name_form
from marskg.language.naming.words import words_of
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

#: Why a text is near that has a key of a name.
REASON: Final = "a shorter, familiar or other writing of it"
_WORD: Final = late_regex(r"[^\W_]+(?:['’.&/@$-]+[^\W_]+)*['’]?\.?")
_PARTICLES: Final = words_of(
    "van von vom der den de del della dello degli di da do dos das du des la le les lo los las el al bin ibn ben bint "
    "abu abi vd v.d ter ten te zu zur zum af av et and und og och en 't of the amp"
)
_TITLES: Final = words_of(
    "dr prof mr mrs ms miss mx sir herr frau monsieur madame mme don dona jr sr phd md esq ii iii iv"
)
#: Particles of one letter, which are initials with a stop or a capital.
_ALONE: Final = words_of("y e i a v d")
_SHORT_PARTICLES: Final = words_of("v vd d vdb")
#: Written words that a legal form has, the most first: *Sp. z o.o.*.
_SIZES: Final = (3, 2, 1)
#: What stands before the rest of a family name, together or apart.
_ARTICLE: Final = late_regex(r"(?:al|el|ad|as|an|ar|ash|at|az)[-’' ](?=\w)")
_ARABIC_ARTICLES: Final = ("al", "el")
_ELIDED: Final = late_regex(r"(?<!\w)[dlo]['’] ?(\w{3,})")
_ARABIC: Final = late_regex(r"(?<!\w)(?:al|el|ad|as|an|ar|ash|at|az)[- ]\w")
_PREFIX: Final = late_regex(
    r"(?:vander|vanden|vande|van|von|dela|della|delos|del|de|di|da|dos|du|al|el|ben|bin|ibn|ter|zu|st)(?=\w{4})"
)
_JOINING: Final = {
    "mc": "mc",
    "mac": "mc",
    "o": "o",
    "fitz": "fitz",
    "abdel": "abdel",
    "abdul": "abdul",
}
_SAINTS: Final = words_of("saint sainte sankt sint san santa sao szent")
#: What says that a family is meant, or several of a name; and words after which its name need not be in the plural.
_FAMILY: Final = words_of(
    "familie family familia famille famiglia família família família familien familjen perhe rodina rodzina "
    "obitelj ailesi csalad семья семьи семью родина сем'я porodica"
)
_PLURAL: Final = words_of("the die den les los las gli i os as de der both all")
_WITHOUT_S: Final = words_of("les los las gli i os")
_PLURALS: Final = ("'s", "es", "s", "en", "owie", "ovi", "ovci", "ovy")
_BORN: Final = (
    r"(?:n[ée]{1,2}e?|geb\.?|geborene[rn]?|born|formerly|previously|z domu|roz\.?|rozen[áa]|nat[ao]|nacid[ao]|"
    r"f[öo]dt|f[öo]dd|f\.|o\.?\s?s\.?|sz[üu]l\.?|ур\.?|урожд\.?|урожд[её]нн(?:ая|ой|ую)|дев\.?|maiden name|ex)"
)
_MAIDEN: Final = late_regex(rf"[,;(\s]\s?{_BORN}\s+(?P<born>[^\W\d_][\w'’-]+)", re.IGNORECASE)
_BRACKETED: Final = late_regex(r"\((?P<born>[^\W\d_][\w'’-]+)\)")
_MOST_WORDS: Final = 6
_WINDOW: Final = 5
_GIVEN: Final = 3
_PATRONYMIC: Final = 3
_PAIR: Final = 2
_INITIALS: Final = 3
_FEWEST: Final = 3
_UNSPACED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN: Final = late_regex(f"[{_UNSPACED}]+(?: [{_UNSPACED}]+)*")
_HONOURED: Final = late_regex(
    "(?<=[\u3400-\u9fff\u3041-\u30ff])(?:さん|ちゃん|くん|さま|様|氏|先生|君|家(?=の))の?(?=[\u3400-\u9fff\u3041-\u30ff])"
)
_FOREIGN: Final = late_regex("[\u0370-\u03ff\u0400-\u052f\u1f00-\u1fff]")
_LATIN: Final = late_regex("[a-z]")
_SIGN: Final = late_regex("[0-9@$]")
_MIXED: Final = late_regex(r"[a-z][0-9@$]|[0-9@$][a-z]")
_SIGNS: Final = tuple(str.maketrans("0134578@$", f"o{one}eastbas") for one in "li")
_CYRILLIC: Final = dict(
    zip("абвгґдезийіїклмнопрстуфхэыјљњ", "abvggdesiiiiklmnoprstuvheiiln", strict=True),
    ё="o",
    ж="s",
    ц="s",
    ч="s",
    ш="s",
    щ="s",
    ъ="",
    ь="",
    ю="iu",
    я="ia",
    є="e",
    **{"ћ": "s", "ђ": "d", "џ": "s", "'": ""},
)
_GREEK: Final = dict(zip("αβγδεζηθικλμνοπρστυφχωσς", "avgdesitiklmnoprstivhoss", strict=True), ξ="ks", ψ="ps")
_PAIRS: Final = (
    ("ου", "u"),
    ("ει", "i"),
    ("οι", "i"),
    ("αι", "e"),
    ("μπ", "b"),
    ("ντ", "d"),
    ("γκ", "g"),
    ("γγ", "ng"),
)
#: How Latin letters that write the others differ between systems, in the order in which they are taken.
_SYSTEMS: Final = tuple(
    (late_regex(pattern), plain)
    for pattern, plain in (
        (r"shch|sch|tsch|tch", "s"),
        (r"chr", "hr"),
        (r"zh|ch|sh|ts|tz|cz|sz", "s"),
        (r"kh", "h"),
        (r"ph", "f"),
        (r"th", "t"),
        (r"(?<=i)c\Z", "s"),
        (r"ck|q|c(?=[aoulrk]|\Z)", "k"),
        (r"x", "ks"),
        (r"off\Z", "ov"),
        (r"ou|oo", "u"),
        (r"[wf]", "v"),
        (r"[zc]", "s"),
        (r"[yj]", "i"),
    )
)
_IOTA: Final = late_regex(r"i+(?=[aeou])")
_AGAIN: Final = late_regex(r"(.)\1+")
#: Letters that stand side by side in all of them.
_STABLE: Final = late_regex("[ao][bdglmnprt]")
_RUNS: Final = late_regex("[abdgklmnoprt]+")
_WAYS: Final = {"k": "[kcq]", "o": "[ou]"}
#: What names have that are written in Latin letters in several ways.
_SLAVIC: Final = late_regex(
    r"(?:[oe](?:v|w|ff)a?|ina?|sk(?:[yi]|[yi][yij]|aya|aja|aia)|enko|[cč]huk|uk|vi[tc][sc]?h?|[yji]i)\Z"
)
_END: Final = 4
#: The endings of Slavic cases in Cyrillic and Latin letters, and a vowel that goes before them: Pavel, Pavla.
_CASES: Final = late_regex(
    r"(?:ого|его|ому|ему|ыми|ими|ами|ым|им|ом|ем|їм|ogo|ego|omu|emu|imi|ami|ym|im|om|em)?[аеёиійоуыьэюяїєјaeiouyj]*\Z"
)
_AFTER_VOWEL: Final = late_regex("(?<=[aou])e")
_FLEETING: Final = late_regex("(?<=[^aeiou])[eao](?=[lkrs]\\Z)")


@cache
def _legal() -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the legal forms of scripts with blanks, and those that stand inside a name."""
    source = files("marskg").joinpath("language", "naming", "legal_forms.txt").read_text(encoding="utf-8")
    words = [word for line in source.splitlines() if not line.startswith("#") for word in line.split()]
    inside = sorted((word for word in words if _RUN.search(word)), key=len, reverse=True)
    return frozenset(map(folded, words)) - frozenset(inside), tuple(inside)


# --- What a name has ------------------------------------------------------------------------------------------------


@keeping_texts(4_096)
def keys_of(name: str) -> frozenset[str]:
    """Return the keys of a name; none of an identifier, a number, or what has too many words."""
    form = name_form(name)
    if number_of(form) or is_identifier(form) or "@" in form or len(form.split()) > _MOST_WORDS:
        return frozenset()
    return script_keys(form).union(_keys(form))


def _keys(form: str) -> Iterator[str]:
    runs = _unspaced(form)
    if runs:
        yield from (f"|{run}" for run in runs if len(run) >= (_FEWEST if run == form else 2))
        return
    born = _MAIDEN.search(form) or _BRACKETED.search(form)
    bare = form.replace(born[0], " ", 1) if born else form
    if "," in bare:
        last, _, first = bare.partition(",")
        bare = f"{first} {last}" if not _are_legal(first) else bare
    words, firm = _canonical(bare)
    if not words or not any(word[0].isalpha() for word in words):
        return
    yield f"={' '.join(words)}"
    names = [words]
    if any(word in _ALONE for word in bare.split()):
        # A particle of one letter, or an initial without its stop.
        names.append(_canonical(bare, alone=True)[0])
    if born and len(words) > 1:
        names.append([*words[:-1], folded(born["born"])])
    for one in names:
        yield from _variants(one, bare, firm=firm)
    yield from _alphabets(words)


def _are_legal(words: str) -> bool:
    legal = _legal()[0]
    return all(folded(word.replace(".", "")) in legal | _TITLES for word in words.split())


def _variants(words: Sequence[str], bare: str, *, firm: bool) -> Iterator[str]:
    """Yield the writings of a name of these words."""
    if " ".join(words) != loose_form(bare) or len(words) > 1:
        yield " ".join(words)
    if firm or len(words) == 1:
        if len(words) > 1:
            yield "".join(words)
        return
    ends = [(list(words[:-1]), words[-1])]
    if len(words) == _PATRONYMIC and _FOREIGN.search(bare):
        ends.append((list(words[1:]), words[0]))
    for given, family in ends:
        for last in _families_of(family, bare):
            yield from _of_family(given[:_GIVEN], last)
        yield from (one for one in familiar_to(given[0]) if len(one) >= _FEWEST)
    if len(words) == _PAIR:
        # The family name first: Tóth Erzsi.
        for one in familiar_to(words[1]):
            yield from (f"{words[0]} {one}", f"{one} {words[0]}")


def _families_of(family: str, bare: str) -> set[str]:
    """Return a family name with its particles and without them."""
    found = {family, *_joined_family(bare, family), _PREFIX.sub("", family), *_ELIDED.findall(bare)}
    if _ARABIC.search(bare) or family.startswith(_ARABIC_ARTICLES):
        found.update(start + _PREFIX.sub("", family) for start in _ARABIC_ARTICLES)
    return found


def _of_family(given: Sequence[str], family: str) -> Iterator[str]:
    yield f"~{family}"
    if any(len(one) == 1 for one in given):
        yield from {f".{' '.join(one[0] for one in given)} {family}", f".{given[0][0]} {family}"}
    for one in _given(given):
        yield f"{one} {family}"
        yield f"{family} {one}"


def _joined_family(bare: str, family: str) -> Iterator[str]:
    """Yield a family name together with the particles before it: *Vandenberg*, *Elfayed*."""
    words = [folded(word) for word in re.split(r"[\s-]+", bare)]
    if family in words[1:]:
        place = words.index(family, 1)
        before = ""
        while place > 1 and words[place - 1] in _PARTICLES | {"st"}:
            place -= 1
            before = words[place] + before
            yield before + family


def _given(given: Sequence[str]) -> Iterator[str]:
    """Yield the given names, each whole, as its initial or left out; the first also as a familiar form."""
    first, *others = given
    ways = [(first, first[0], *sorted(familiar_names().get(first, ()))), *((one, one[0], "") for one in others)]
    for chosen in product(*ways):
        yield " ".join(filter(None, chosen))
    if others:
        yield "".join(one[0] for one in given)
        yield from others


def _alphabets(words: Sequence[str]) -> Iterator[str]:
    """Yield how the other alphabet writes the name; and, of several words, how other systems write it in this one."""
    foreign = bool(_FOREIGN.search(" ".join(words)))
    slavic = any(map(_SLAVIC.search, words))
    ways = {tuple(map(_skeleton, words)), tuple(_skeleton(_other_ch(word)) for word in words)}
    for plain in ways if all(map(all, ways)) else ():
        orders = {" ".join(plain), " ".join((plain[-1], *plain[:-1])), " ".join((*plain[1:], plain[0]))}
        if len(plain) == _PATRONYMIC and foreign:
            orders.update((f"{plain[0]} {plain[2]}", f"{plain[1]} {plain[0]}", f"{plain[0]} {plain[1]}"))
        for order in orders:
            yield f"{'l' if foreign else 'c'}:{order}"
            if len(plain) > 1 and slavic:
                yield f"l:{order}"
    stems = tuple(map(_stem, words))
    if len(words) > 1 and all(len(one) >= _FEWEST for one in stems):
        for order in {" ".join(stems), " ".join((stems[-1], *stems[:-1])), " ".join((*stems[1:], stems[0]))}:
            yield f"{'L' if foreign else 'C'}:{order}"


def _other_ch(word: str) -> str:
    """Return a word of which *ch* and *kh* are the other of the two sounds that some systems write so."""
    return word.replace("х", "с").replace("χ", "σ") if _FOREIGN.search(word) else re.sub("(?<=.)ch", "kh", word)


@lru_cache(50_000)
def _skeleton(word: str) -> str:
    """Return a word in the letters that all ways to write it in Latin ones have in common."""
    if _FOREIGN.search(word):
        for pair, plain in _PAIRS:
            word = word.replace(pair, plain)
        word = "".join(_CYRILLIC.get(one, _GREEK.get(one, one)) for one in word)
    if not word.isascii() or not word.isalpha():
        return ""
    for pattern, plain in _SYSTEMS:
        word = pattern.sub(plain, word)
    return _AGAIN.sub(r"\1", _IOTA.sub("", word))


@lru_cache(50_000)
def _stem(word: str) -> str:
    """Return the skeleton of a word without the ending of a Slavic case, the same in both alphabets."""
    bare = _CASES.sub("", word)
    # Latin words of the loose form have no *e* after these vowels.
    return _FLEETING.sub("", _AFTER_VOWEL.sub("", _skeleton(bare if len(bare) >= _FEWEST else word)))


# --- What a text has ------------------------------------------------------------------------------------------------


def _canonical(bare: str, *, alone: bool = False) -> tuple[list[str], bool]:
    """Return the words of a name without what may be left out, and whether it is a firm's.

    ``alone`` keeps its particles of one letter, which may be initials.
    """
    words: list[str] = []
    raw = [found[0] for found in _WORD.finditer(bare)]
    firm = "&" in bare
    place = 0
    while place < len(raw):
        size = _legal_size(raw, place) if len(raw) > 1 else 0
        firm = firm or bool(size)
        if not size:
            words += (one for one in _parts(raw[place]) if alone or one not in _ALONE)
        place += size or 1
    kept = _joined([word for word in words if word not in _TITLES])
    some = [word for word in kept if word not in _PARTICLES] or kept
    return some, firm


@lru_cache(50_000)
def _parts(word: str) -> tuple[str, ...]:
    """Return a written word as the words that it consists of, in the loose form."""
    plain = _ARTICLE.sub("", name_form(word))
    plain = re.sub(r"(?<=\w)['’](?=\w)", "", plain) if not plain.endswith(("'s", "’s")) else plain[:-2]
    found = tuple(one for one in loose_form(plain.replace("&", " ").replace("/", " ")).split() if one[0].isalnum())
    # An initial keeps its stop until words are put together: *O. Hara* is not *O'Hara*.
    return tuple(f"{one}." if len(one) == 1 else one for one in found) if "." in word else found


def _legal_size(raw: Sequence[str], place: int) -> int:
    """Return of how many written words a legal form is that begins at ``place``; 0 where none does."""
    squashed = ["".join(raw[place : place + size]).replace(".", "").replace("/", "") for size in _SIZES]
    found = (size for size, one in zip(_SIZES, squashed, strict=True) if len(one) > 1 and folded(one) in _legal()[0])
    return next(found, 0)


def _joined(words: Sequence[str]) -> list[str]:
    """Return words with *Mc*, *O* and their like together with what follows, and saints written as one."""
    found: list[str] = []
    for word in words:
        plain = "st" if word in _SAINTS else word
        if found and found[-1] in _JOINING and len(plain) > _FEWEST - 1:
            found[-1] = _JOINING[found[-1]] + plain
        elif plain.startswith("mac") and len(plain) > _END + 1:
            found.append(f"mc{plain[3:]}")
        else:
            found.append(plain)
    return [word.rstrip(".") for word in found]


def _unspaced(form: str) -> list[str]:
    """Return the runs of scripts without blanks, each without its blanks, forms of address and legal forms."""
    found = []
    for run in _RUN.findall(form) if not form.isascii() else ():
        plain = _HONOURED.sub("", run.replace(" ", ""))
        for legal in _legal()[1]:
            plain = plain.replace(name_form(legal), "")
        found.append(plain)
    return [run for run in found if len(run) > 1]


class Kindred:
    """The keys of what stands in a text."""

    def __init__(self, cased: str) -> None:
        """Look at a text in the form in which names are compared, with its capitals."""
        self._cased = cased
        self._known: dict[str, frozenset[str]] = {}

    @cached_property
    def keys(self) -> frozenset[str]:
        """Return the keys of runs of words."""
        return frozenset(self._written.keys()).union(*(self._sort(sort) for sort in self._FINDERS))

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """Return the runs of scripts without blanks."""
        return tuple(_unspaced(self._cased.casefold()))

    def of(self, length: int) -> Iterator[str]:
        """Yield the keys of ``length`` signs."""
        yield from (key for key in self.keys if len(key) == length)
        size = length - 1
        for run in self.runs:
            yield from (f"|{run[place : place + size]}" for place in range(len(run) - size + 1))

    def has(self, keys: Keys) -> bool:
        """Return whether the text has one of the keys of a name."""
        return any(
            not known.isdisjoint(self._sort(sort)) for sort, known in keys.sorts if sort in self._FINDERS
        ) or any(key[1:] in run for sort, known in keys.sorts if sort == "|" for key in known for run in self.runs)

    def has_otherwise(self, keys: Keys) -> bool:
        """Return whether the text may have a name in another script."""
        return any(self._written.has(keys.name, key) for key in keys.written)

    @cached_property
    def _written(self) -> Written:
        return Written(self._cased)

    def _sort(self, sort: str) -> frozenset[str]:
        found = self._known.get(sort)
        if found is None:
            found = self._known[sort] = frozenset(self._FINDERS[sort](self))
        return found

    def _named(self) -> Iterator[str]:
        words, capitals = self._words
        small = not any(capitals)
        for place, word in enumerate(words):
            if (capitals[place] and not is_ordinary(word)) or (small and not flags().get(word, 0) & Is.COMMON):
                yield word
            for end in range(place + 2, min(place + _WINDOW, len(words)) + 1):
                yield " ".join(words[place:end])
        yield from self._maiden()

    @cached_property
    def _words(self) -> tuple[list[str], list[bool]]:
        """Return the words of the text without what may be left out of a name, and which of them have capitals."""
        words: list[str] = []
        capitals: list[bool] = []
        raw = _WORD.findall(self._cased)
        place = 0
        while place < len(raw):
            word = raw[place]
            plain = word.islower() and "." not in word[:-1]
            size = 0 if plain and len(word) <= _END else _legal_size(raw, place)
            if size == 1 and len(word) <= _FEWEST and raw[place + 1 : place + 2] and raw[place + 1][0].isupper():
                size = 0  # initials
            if not size:
                dropped = word.replace(".", "") in _SHORT_PARTICLES
                parts = [one for one in _parts(word) if not dropped and (one not in _ALONE or not plain)]
                words += parts
                capitals += [word[0].isupper()] * len(parts)
            place += size or 1
        kept = [place for place, word in enumerate(words) if word not in _PARTICLES and word not in _TITLES]
        joined: list[str] = []
        marks: list[bool] = []
        for place in kept:
            before = words[place - 1] if place else ""
            if before in _JOINING and capitals[place] and len(words[place]) >= _FEWEST:
                if joined and place - 1 in kept:
                    del joined[-1], marks[-1]
                joined += _joined([before, words[place]])
            else:
                joined += _joined([words[place]])
            marks.append(capitals[place])
        return joined, marks

    def _signs(self) -> Iterator[str]:
        """Yield runs of words with digits and signs that stand for letters."""
        if not _MIXED.search(self._cased.casefold()):
            return
        plain = [word.strip(".,;:!?\"'()").casefold() for word in self._cased.split()]
        for signs in _SIGNS:
            turned = [folded(word.translate(signs)) if _MIXED.search(word) else "" for word in plain]
            for place, word in enumerate(turned):
                if word:
                    around = [
                        turned[at] or folded(plain[at]) for at in range(max(0, place - 2), min(len(plain), place + 3))
                    ]
                    for start in range(len(around)):
                        yield from (f"={' '.join(around[start:end])}" for end in range(start + 1, len(around) + 1))

    def _other_alphabet(self) -> Iterator[str]:
        words, capitals = self._words
        for marks, written in (("lc", _skeleton), ("LC", _stem)):
            plain = [written(word) if capital else "" for word, capital in zip(words, capitals, strict=True)]
            yield from self._skeletons(plain, marks)

    def _skeletons(self, plain: Sequence[str], marks: str) -> Iterator[str]:
        words = self._words[0]
        for place in range(len(plain)):
            mark = marks[_FOREIGN.search(words[place]) is not None]
            for end in range(place + 1, min(place + _PATRONYMIC, len(plain)) + 1):
                if not plain[end - 1]:
                    break
                yield f"{mark}:{' '.join(plain[place:end])}"

    def _families(self) -> Iterator[str]:
        """Yield who is told of as a family: *the Lindqvists*, *les Martin*."""
        words = [found[0] for found in re.finditer(r"[^\W\d_]+(?:['’][^\W\d_]+)?", self._cased)]
        for before, word in pairwise(words):
            article = before.casefold()
            if not word[0].isupper() or article not in _PLURAL | _FAMILY:
                continue
            plain = name_form(word)
            if article in _FAMILY | _WITHOUT_S:
                yield f"~{folded(plain)}"
            for end in _PLURALS:
                if plain.endswith(end) and len(plain) - len(end) >= _FEWEST:
                    yield f"~{folded(plain.removesuffix(end))}"

    def _initials(self) -> Iterator[str]:
        """Yield names in full as they are with initials."""
        words, capitals = self._words
        for place in range(len(words)):
            for end in range(place + 2, min(place + _END, len(words)) + 1):
                if not all(capitals[place:end]) and any(capitals):
                    break
                yield f".{' '.join(word[0] for word in words[place : end - 1])} {words[end - 1]}"

    def _maiden(self) -> Iterator[str]:
        """Yield given names with the family name of before: *Lena Roth, geb. Sommer*."""
        for pattern in (_MAIDEN, _BRACKETED):
            for found in pattern.finditer(self._cased):
                if found["born"][0].isupper():
                    before = re.findall(r"[^\W\d_]+", self._cased[: found.start()][-60:])[-3:]
                    yield from (f"{folded(one)} {folded(found['born'])}" for one in before if one[0].isupper())

    _FINDERS: ClassVar[Mapping[str, Callable[[Kindred], Iterator[str]]]] = {
        "": _named,
        "=": _signs,
        "~": _families,
        ".": _initials,
        ":": _other_alphabet,
    }


@keeping_texts(4)
def kindred_of(text: str) -> Kindred:
    """Return the keys of a text, made once."""
    return Kindred(cased_form(text))


class Keys:
    """The keys of one name, by their sort, and what a text has to have for any of them."""

    def __init__(self, name: str) -> None:
        """Take those of ``name``."""
        self.name = name
        keys = keys_of(name)
        sorts: dict[str, set[str]] = {}
        for key in keys:
            sorts.setdefault(key[0] if key[0] in "=~|.>" else ":" if key[1:2] == ":" else "", set()).add(key)
        self.sorts = tuple(sorted(sorts.items()))
        self._foreign = any(key[0] in "cC" for key in sorts.get(":", ()))
        self._signs = "=" in sorts
        self.written = tuple(sorted(sorts.get(">", ())))
        self._is_other = is_in_other(name)
        alone = {key for key in sorts.get("", ()) if " " not in key}
        self._words = tuple(sorted(alone))
        rest = [key for key in keys - alone if key[0] not in "=>" and key[1:2] != ":"]
        shared = Counter(word for key in rest for word in set(_words_of(key)))
        self._leasts = tuple(sorted({max(_words_of(key), key=lambda word: (shared[word], len(word))) for key in rest}))
        latin = {key[2:] for key in sorts.get(":", ()) if key[0] in "lL"}
        self._latin = tuple({_latin(key) for key in latin})

    @cached_property
    def _alone(self) -> re.Pattern[str]:
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, self._words))})(?!\w)")

    def may_be_in(self, loose: str) -> bool:
        """Return whether a text, in the loose form, may have one of the keys; quick."""
        if any(map(loose.__contains__, self._leasts)):
            return True
        if any(map(loose.__contains__, self._words)) and self._alone.search(loose):
            return True
        if self._foreign and not loose.isascii() and _FOREIGN.search(loose):
            return True
        if any(all(map(loose.__contains__, pairs)) and pattern.search(loose) for pairs, pattern in self._latin):
            return True
        return self._signs and _is_mixed(loose)

    def may_be_otherwise_in(self, loose: str) -> bool:
        """Return whether a text, in the loose form, has letters of another script than the name; quick."""
        if not self.written:
            return False
        return _LATIN.search(loose) is not None if self._is_other else not loose.isascii() and is_in_other(loose)


@keeping_texts(4)
def _is_mixed(loose: str) -> bool:
    """Return whether a text has letters beside digits or signs, asked once for several names."""
    return _SIGN.search(loose) is not None and _MIXED.search(loose) is not None


def _words_of(key: str) -> list[str]:
    """Return what a text in the loose form has of the words of a key; what may stand apart there is left out."""
    if key[0] == "|":
        return [key[1]]
    return [_without_joint(one) for one in key.lstrip("~.").split() if len(one) > 1] or [key]


def _without_joint(word: str) -> str:
    starts = (start for start in _JOINING if word.startswith(start) and len(word) > len(start) + _PAIR)
    return next((word[len(start) :] for start in starts), word)


def _latin(skeleton: str) -> tuple[tuple[str, ...], re.Pattern[str]]:
    """Return what all ways to write a name in Latin letters have: letters side by side, and its longest run of them."""
    pairs = tuple(sorted(set(_STABLE.findall(skeleton))))
    run = max(_RUNS.findall(skeleton) or [""], key=len)
    between = "[iyjh']{0,2}"
    return pairs, re.compile(between.join(f"{_WAYS.get(one, one)}{{1,2}}" for one in run))
