"""The recogniser that needs no model: dictionary, names, phrases, payload and relations of one text.

Guarantees: a pure function of its arguments; equal inputs give equal results; no e-mail address, URL, handle or number
is ever an entity; at most :data:`MAX_THINGS` things and :data:`MAX_MENTIONS` entities for one memory; time linear in
the text. It finds what a text says in so many words, and says nothing where two readings are possible.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from marskg.drafts import EntityRef, EntityRelation
from marskg.entities.payload import MAX_LETTERS, from_payload, is_admissible
from marskg.language.en.lexicon import Is
from marskg.language.en.morphology import Form, singular
from marskg.language.en.names.aliases import Mention, linked_parts, with_birth_name
from marskg.language.en.names.phrases import Phrase, find_phrases
from marskg.language.en.names.proper_names import find_names, is_supported, without_first
from marskg.language.en.names.relations import SPEAKER, find_relations, shape
from marskg.language.en.names.said_names import SaidNames
from marskg.language.en.tokens import WORD, Tokens
from marskg.language.mentions import NOTHING, EntityType, Known, KnownNames, Recognised, folded_name
from marskg.language.naming.caution import is_anothers
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import EdgeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from marskg.language.en.names.name_types import Name

#: Most things (noun phrases) of one memory: what comes first is what it is about.
MAX_THINGS: Final = 8
#: Most entities of one memory, people and places included; a longer list is a document's, not a memory's.
MAX_MENTIONS: Final = 64
_MAX_TERM: Final = 4
#: What a relation says about ends of which the text says nothing else.
_END_TYPES: Final = {
    EdgeType.WORKS_AT: (EntityType.PERSON, EntityType.ORGANISATION),
    EdgeType.FRIEND_OF: (EntityType.PERSON, EntityType.PERSON),
    EdgeType.COLLEAGUE_OF: (EntityType.PERSON, EntityType.PERSON),
    EdgeType.REPORTS_TO: (EntityType.PERSON, EntityType.PERSON),
}


#: Words as they are written, with what hangs on them.
_WORDS: Final = late_regex(r"[^\W_]+(?:['’&\-][^\W_]+)*")
#: Words whose look-up is kept; people's words repeat.
_KEPT_WORDS: Final = 50_000


class Recogniser:
    """Finds the entities and relations of texts; keeps nothing of them."""

    def __init__(
        self, *, dictionary: Iterable[EntityRef] = (), max_things: int = MAX_THINGS, max_mentions: int = MAX_MENTIONS
    ) -> None:
        """Know the entities of ``dictionary`` by name and alias, in any case of letters.

        ``max_things`` of 0 leaves noun phrases out.
        """
        self._dictionary = KnownNames(dictionary)
        self._has_dictionary = bool(self._dictionary)
        self._max_things = max_things
        self._max_mentions = max_mentions

    def find(
        self,
        text: str,
        *,
        speaker: str | None = None,
        payload: Mapping[str, object] | None = None,
        known: Known | None = None,
    ) -> Recognised:
        """Return the entities and relations of ``text`` and ``payload``.

        ``speaker`` is the name of who says ``I``; without it, relations to the speaker are left out. ``known`` names
        what the store holds, so that a first name finds its person and a known word its thing.
        """
        found = _Finding(Tokens(text), tuple(self._sources(known)), known)
        if payload:
            found.add_payload(payload, speaker)
        found.add_names()
        if found.sources:
            found.add_terms()
        if self._max_things:
            found.add_things(self._max_things)
        return found.result(speaker, self._max_mentions)

    def _sources(self, known: Known | None) -> Iterator[Known]:
        if self._has_dictionary:
            yield self._dictionary
        if known is not None:
            yield known


def words_looked_up(text: str) -> set[str]:
    """Return the words with which the names begin that a recogniser looks up for ``text``, so that they are at hand.

    It may look up a few besides, such as a title that begins with *the*.
    """
    found: set[str] = set()
    for word in set(_WORDS.findall(text)):
        found.update(_looked_up(word))
    return found


@lru_cache(maxsize=_KEPT_WORDS)
def _looked_up(written: str) -> tuple[str, ...]:
    tokens = Tokens(written)
    if not len(tokens) or (tokens.classes[0] & Is.CLOSED and not tokens.capital[0]):
        return ()
    return _heads(tokens.stems[0])


@lru_cache(maxsize=_KEPT_WORDS)
def _heads(stem: str) -> tuple[str, ...]:
    """Return the words, folded, with which a name begins that is said with ``stem`` first."""
    return tuple(dict.fromkeys((folded_name(stem), folded_name(singular(stem)))))


class _Finding:
    """The entities of one text while they are being found."""

    def __init__(self, tokens: Tokens, sources: tuple[Known, ...], store: Known | None) -> None:
        self.tokens = tokens
        self.sources = sources
        self.store = store
        #: Who was found in the store, by folded name: the text gives them what it says alone.
        self.lent: dict[str, EntityRef] = {}
        #: Whom the text mentions and somebody knows, by folded name.
        self.known: dict[str, EntityRef] = {}
        self.mentions: dict[str, Mention] = {}
        self.relations: dict[EntityRelation, None] = {}
        self.taken: set[int] = set()

    # --- What is found -----------------------------------------------------------------------------------------

    def add_payload(self, payload: Mapping[str, object], speaker: str | None) -> None:
        """Add what the payload names."""
        entities, relations = from_payload(payload, speaker)
        for entity in entities:
            self._put(entity.name, entity.entity_type, fixed=True)
        self.relations.update(
            dict.fromkeys(
                relation for relation in relations if folded_name(relation.source) != folded_name(relation.target)
            )
        )

    def add_names(self) -> None:
        """Add capitalised names and quoted titles."""
        for name in map(self._without_opener, find_names(self.tokens)):
            start, end = self.tokens.starts[name.first], self.tokens.ends[name.end - 1]
            said = " ".join(self.tokens.text[start:end].split())
            if len(said) <= MAX_LETTERS and any(map(str.isalpha, said)):
                self._add_name(name, said, (start, end))

    def _without_opener(self, name: Name) -> Name:
        """Return a name without the first word of a sentence, whose capital proves nothing, where it is none of it.

        Nor is it where the rest is the full name of somebody who is known, and the whole nobody's.
        """
        tokens = self.tokens
        rest = without_first(tokens, name)
        if rest is None or self._look_up(self._folded(name)) is not None:
            return name
        known = self._look_up(self._folded(rest)) is not None
        alone = self._look_up(folded_name(tokens.stems[name.first])) is not None
        return rest if known or not (alone or is_supported(tokens, name)) else name

    def _folded(self, name: Name) -> str:
        return folded_name(self.tokens.text[self.tokens.starts[name.first] : self.tokens.ends[name.end - 1]])

    def _add_name(self, name: Name, said: str, span: tuple[int, int]) -> None:
        self.taken.update(range(name.first, name.end))
        entity = self._look_up(folded_name(said))
        if entity is None:
            self._put(said, name.type).spans.append(span)
            return
        mention = self._put(entity.name, entity.entity_type or name.type, fixed=True)
        self._identify(mention, entity)
        if folded_name(said) != folded_name(entity.name):
            mention.aliases.setdefault(said)
        mention.spans.append(span)

    def add_terms(self) -> None:
        """Add the words that the dictionary or the store knows, the longest first at each place."""
        tokens, place = self.tokens, 0
        while place < len(tokens):
            match = self._term_at(place) if self._can_be_term(place) else None
            if match is None:
                place += 1
                continue
            end, entity = match
            mention = self._put(entity.name, entity.entity_type, fixed=True)
            self._identify(mention, entity)
            mention.spans.append((tokens.starts[place], tokens.ends[end - 1]))
            self.taken.update(range(place, end))
            place = end

    def _can_be_term(self, place: int) -> bool:
        tokens = self.tokens
        if tokens.sorts[place] != WORD or place in self.taken:
            return False
        # A function word with a capital inside a sentence is a name: "I asked Will".
        return not tokens.classes[place] & Is.CLOSED or (tokens.capital[place] and not tokens.opens[place])

    def _term_at(self, place: int) -> tuple[int, EntityRef] | None:
        tokens, longest = self.tokens, place + 1
        most = self._longest(tokens.stems[place])
        if not most:
            return None
        while longest < min(place + most, len(tokens)) and tokens.sorts[longest] == WORD and longest not in self.taken:
            longest += 1
        for end in range(longest, place, -1):
            if self._can_be_term(end - 1) and (entity := self._term(place, end)) is not None:
                return end, entity
        return None

    def _longest(self, stem: str) -> int:
        """Return how many words a known name that begins with ``stem``, or its singular, can have."""
        most = 0
        for source in self.sources:
            for word in _heads(stem):
                most = max(most, source.longest(word))
        return min(_MAX_TERM, most)

    def _term(self, first: int, end: int) -> EntityRef | None:
        stems = self.tokens.stems
        said = " ".join(stems[first:end])
        if not said.isascii():
            said = folded_name(said)
        entity = self._look_up(said)
        plural = entity is None and bool(self.tokens.forms[end - 1] & Form.PLURAL)
        if plural:
            entity = self._look_up(folded_name(" ".join((*stems[first : end - 1], singular(stems[end - 1])))))
        capital, opens = self.tokens.capital, self.tokens.opens
        if entity is None or any(capital[place] and not opens[place] for place in range(first, end)):
            return entity
        # A name in small letters, or where a sentence begins, may be a word: "will" is no Will, "Orange juice" no firm,
        # and neither "carols" nor "a robin" is anybody.
        named = next((name for name in (entity.name, *entity.aliases) if folded_name(name) == said), entity.name)
        common = plural or self._is_noun(first, end)
        return None if common and named[:1].isupper() else entity

    def _is_noun(self, first: int, end: int) -> bool:
        """Return whether the words are common ones, or the one word is made a noun by what stands before it."""
        classes = self.tokens.classes
        if all(each & Is.COMMON for each in classes[first:end]):
            return True
        determined = first > 0 and bool(classes[first - 1] & Is.DETERMINER)
        return determined and end - first == 1 and not self.tokens.capital[first]

    def _look_up(self, folded: str) -> EntityRef | None:
        for source in self.sources:
            entity = source.find(folded)
            if entity is not None:
                own = folded_name(entity.name)
                self.known[own] = entity
                if source is self.store:
                    self.lent[own] = entity
                return entity
        return None

    def _identify(self, mention: Mention, entity: EntityRef) -> None:
        """Let a mention be what the dictionary says; whom the store knows is found by the name alone."""
        if folded_name(entity.name) not in self.lent:
            mention.identify(entity.same_as)

    def _as_said(self, mention: Mention) -> EntityRef:
        """Return a mention as the text gives it: whom the store knows by another name, by that one."""
        said: dict[str, str] = {}
        for form in self._forms(mention).values():
            said.setdefault(folded_name(form), form)
        name = self._lent_name(folded_name(mention.name), said) or mention.name
        aliases = sorted(alias for alias in mention.aliases if folded_name(alias) != folded_name(name))
        return EntityRef(name, _text(mention.type), tuple(aliases), mention.same_as)

    def _lent_name(self, own: str, said: Mapping[str, str]) -> str | None:
        """Return the first form ``said`` that is another name of whom the store knows as ``own``, which is not said."""
        entity = None if own in said else self.lent.get(own)
        if entity is None:
            return None
        others = set(map(folded_name, entity.aliases))
        return next((form for key, form in said.items() if key in others), None)

    def add_things(self, limit: int) -> None:
        """Add at most ``limit`` noun phrases."""
        for phrase in find_phrases(self.tokens, self.taken, limit):
            known = self._look_up(folded_name(phrase.name)) if self.sources else None
            # Words in small letters are not what is written with a capital.
            if known is None or known.entity_type == EntityType.THING or not known.name[:1].isupper():
                self._add_thing(phrase)

    def _add_thing(self, phrase: Phrase) -> None:
        mention = self._put(phrase.name, EntityType.THING)
        if phrase.said != phrase.name:
            mention.aliases.setdefault(phrase.said)
        mention.spans.append((self.tokens.starts[phrase.first], self.tokens.ends[phrase.end - 1]))

    def _put(self, name: str, type_: str | None, *, fixed: bool = False) -> Mention:
        key = folded_name(name)
        mention = self.mentions.get(key)
        if mention is None:
            mention = self.mentions[key] = Mention(name, type_, fixed=fixed)
        mention.give_type(type_)
        return mention

    # --- What becomes of it ------------------------------------------------------------------------------------

    def result(self, speaker: str | None, limit: int) -> Recognised:
        """Return what was found, with aliases joined and relations read."""
        if not self.mentions:
            return NOTHING
        self._join_said(speaker)
        for full, part in linked_parts(self.mentions.values()):
            self._remove(part)
            full.stand_for(part)
        self._cut(limit)
        spoken = None if speaker is None else self.mentions.get(folded_name(speaker))
        if spoken is not None:
            spoken.give_type(EntityType.PERSON)
        if self.tokens.union & Is.CUE:
            self._relate(speaker)
        return self._finished()

    def _cut(self, limit: int) -> None:
        if len(self.mentions) <= limit:
            return
        related = {folded_name(end) for relation in self.relations for end in (relation.source, relation.target)}
        kept = sorted(self.mentions.items(), key=lambda item: item[0] not in related)[:limit]
        self.mentions = dict(kept)

    def _numbered(self) -> tuple[list[Mention], list[tuple[int, int, int]], str]:
        numbered = list(self.mentions.values())
        spans = sorted((*span, number) for number, mention in enumerate(numbered) for span in mention.spans)
        return numbered, spans, shape(self.tokens.text, spans)

    def _join_said(self, speaker: str | None) -> None:
        text = self.tokens.text
        if len(self.mentions) < 2:  # noqa: PLR2004 - it takes two names to be the same
            return
        nicknames = len(self.mentions) > 2 and any(mark in text for mark in '("“')  # noqa: PLR2004 - first, nick, last
        if not nicknames and not self.tokens.union & Is.ALIAS:
            return
        numbered, spans, shaped = self._numbered()
        called = [Mention(self._as_said(one).name, one.type, fixed=one.fixed) for one in numbered]
        said = SaidNames(text, spans, shaped, called, speaker)
        for whole, parts in said.nicknames():
            for part in parts:
                self._remove(numbered[part])
            self._put(whole.name, whole.type).absorb(whole)
        for full, other in said.aliases():
            # Whom the store knows by another name is not made one with somebody for a short one.
            own = folded_name(called[other].name) == folded_name(numbered[other].name)
            if not self._share(numbered[full], numbered[other]) and own:
                self._join(numbered[full], numbered[other])
        for full, other in said.births():
            self._name_of_birth(numbered[full], numbered[other])

    def _name_of_birth(self, full: Mention, born: Mention) -> None:
        if born.fixed or full is born or self.mentions.get(folded_name(full.name)) is not full:
            return
        self._remove(born)
        name = with_birth_name(full.name, born.name)
        entity = self._look_up(folded_name(name))
        if entity is not None and not full.fixed:
            self._remove(full)
            earlier = self._put(entity.name, entity.entity_type or full.type, fixed=True)
            self._identify(earlier, entity)
            earlier.absorb(full)
        elif folded_name(name) != folded_name(full.name):
            full.aliases.setdefault(name)
        full.stand_for(born)

    def _join(self, full: Mention, other: Mention) -> None:
        if full is other or self.mentions.get(folded_name(full.name)) is not full:
            return
        if other.fixed and not full.fixed:
            full, other = other, full
        if other.fixed or self.mentions.get(folded_name(other.name)) is not other:
            return
        self._remove(other)
        full.absorb(other)

    def _share(self, full: Mention, other: Mention) -> bool:
        """Give ``full`` the short name by which ``other`` is known, who is somebody else; return whether they are."""
        known = self.known.get(folded_name(other.name)) if other.fixed and full is not other else None
        names = () if known is None else (known.name, *known.aliases)
        shared = {
            span: form
            for span, form in self._forms(other).items()
            if is_anothers(form, full.name, (name for name in names if folded_name(name) != folded_name(form)))
        }
        for form in shared.values():
            full.aliases.setdefault(form)
            other.aliases.pop(form, None)
        full.stand_at(shared)
        other.leave(shared)
        if shared and not other.spans:
            self._remove(other)
        return bool(shared)

    def _forms(self, mention: Mention) -> dict[tuple[int, int], str]:
        """Return how a mention is written where it stands."""
        return {(start, end): " ".join(self.tokens.text[start:end].split()) for start, end in mention.spans}

    def _remove(self, mention: Mention) -> None:
        self.mentions.pop(folded_name(mention.name), None)

    def _relate(self, speaker: str | None) -> None:
        numbered, _, shaped = self._numbered()
        name = " ".join(speaker.split()) if speaker is not None else ""
        speaks = is_admissible(name)
        entity = self._look_up(folded_name(name)) if speaks else None
        name = name if entity is None else entity.name
        for source, type_, target in find_relations(shaped, [mention.type for mention in numbered], speaker=speaks):
            ends = [name if number == SPEAKER else numbered[number].name for number in (source, target)]
            if folded_name(ends[0]) == folded_name(ends[1]):
                continue
            if SPEAKER in {source, target}:
                spoken = self._put(name, EntityType.PERSON, fixed=True).name
                ends = [
                    spoken if number == SPEAKER else end for number, end in zip((source, target), ends, strict=True)
                ]
            for number, type_of_end in zip((source, target), _END_TYPES.get(type_, (None, None)), strict=True):
                if number != SPEAKER:
                    numbered[number].give_type(type_of_end)
            self.relations.setdefault(EntityRelation(ends[0], type_, ends[1]))

    def _finished(self) -> Recognised:
        mentions = list(self.mentions.values())
        ordered = mentions
        if len(mentions) > 1:
            ordered = sorted(
                mentions, key=lambda mention: (not mention.fixed or bool(mention.spans), mention.spans[:1])
            )
        refs = {folded_name(mention.name): self._as_said(mention) for mention in ordered}
        spans = sorted((*span, refs[folded_name(one.name)].name) for one in mentions for span in one.spans)
        called = {name: ref.name for name, ref in refs.items() if folded_name(ref.name) != name}
        relations = self.relations
        if called:
            ends = (
                (
                    called.get(folded_name(one.source), one.source),
                    one.type,
                    called.get(folded_name(one.target), one.target),
                )
                for one in relations
            )
            relations = dict.fromkeys(EntityRelation(*end) for end in ends)
        return Recognised(tuple(refs.values()), tuple(relations), tuple(spans))


def _text(type_: str | None) -> str | None:
    return None if type_ is None else str(type_)
