"""Whether a memory's link to an entity may have been read from its text, and what a first word proves of a name.

Guarantees: pure, and linear in the text. The store keeps one sort of links: those that a source gave and those that a
recogniser read look alike. What a recogniser links is a known name in any case of letters, its last word perhaps in the
plural, whatever stands beside it; a link to an entity of which the text has nothing of the kind was given. A word that
begins a sentence has its capital from there, so that it makes no longer name of the one after it. Source: semantics
section 5; docs/adr/0092-given-names.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from marskg.kept_texts import keeping_texts
from marskg.language.en.morphology import singular
from marskg.language.en.names.proper_names import after_particles
from marskg.language.en.tokens import Tokens
from marskg.language.mentions import folded_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def may_be_read(texts: Iterable[str], names: Iterable[str]) -> bool:
    """Return whether a recogniser may have linked ``texts`` to who goes by ``names``.

    The plural of a name in small letters is the thing itself: of *tomatoes* nothing but *tomato* is meant.
    """
    wanted = {(_stems(Tokens(name)), name != name.lower()) for name in names}
    return any(
        _is_at(stems, place, words, plural=plural)
        for stems in map(_stems, map(Tokens, texts))
        for words, plural in wanted
        for place in range(len(stems) - len(words) + 1)
    )


def may_begin_sentence(texts: Iterable[str], longer: Iterable[str], forms: Iterable[str]) -> bool:
    """Return whether a sentence of ``texts`` begins with one of ``longer`` that has one word before one of ``forms``.

    Particles may stand between them: *Kennst du Lars*.
    """
    wanted = _begun(frozenset(longer), frozenset(forms))
    if not wanted:
        return False
    return any(stems[: len(words)] == words for text in texts for stems in _sentences(text) for words in wanted)


@keeping_texts(4)
def _begun(longer: frozenset[str], forms: frozenset[str]) -> frozenset[tuple[str, ...]]:
    """Return the words of those of ``longer`` that have one word, and particles, before one of ``forms``."""
    starts = {_stems(Tokens(form)) for form in forms} - {()}
    return frozenset(
        _stems(tokens) for tokens in map(Tokens, longer) if any(_is_after_one(tokens, one) for one in starts)
    )


def _is_after_one(tokens: Tokens, words: tuple[str, ...]) -> bool:
    """Return whether ``words`` stand in a name after its first word, with nothing but particles between them."""
    place = after_particles(tokens, 1)
    return _stems(tokens)[place : place + len(words)] == words


def _stems(tokens: Tokens) -> tuple[str, ...]:
    return tuple(map(folded_name, tokens.stems))


def _is_at(stems: tuple[str, ...], place: int, words: tuple[str, ...], *, plural: bool) -> bool:
    """Return whether ``words``, of which there is one at least, stand at ``place``."""
    if not words:
        return False
    end = place + len(words) - 1
    if stems[place:end] != words[:-1]:
        return False
    return stems[end] == words[-1] or (plural and singular(stems[end]) in {words[-1], singular(words[-1])})


def _sentences(text: str) -> Iterator[tuple[str, ...]]:
    """Yield what stands in a text from each word on that a sentence, a line or a quotation begins with."""
    tokens = Tokens(text)
    stems = _stems(tokens)
    for place, opens in enumerate(tokens.opens):
        if opens and tokens.capital[place]:
            yield stems[place:]
