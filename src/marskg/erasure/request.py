"""What somebody asks to have erased, and which memories that is.

Guarantees: a request names one subject, entity, session, source or id, and nothing else; what it matches is found in
the store as it is, in every tier, tombstones by the keyed handles of their subjects, session and source. A subject, a
session and a source are matched exactly as they are written; an entity as the rules match it that name one
(:mod:`marskg.language.naming`), so that a blacklist and an erasure are about the same memories. What may be meant by
the name of a subject or an entity, and is not surely, is listed beside it and left; so is what has a name that several
entities go by, and mentions none of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from marskg.answer import Answer
from marskg.entities.read_links import may_be_read, may_begin_sentence
from marskg.erasure.guessed_names import Guesses
from marskg.errors import InvalidInput
from marskg.language.mentions import EntityType, folded_name, may_be_person
from marskg.language.naming.asked import labelled_number
from marskg.language.naming.caution import initials_of, parts_alone, parts_of
from marskg.language.naming.edges import Verdict
from marskg.language.naming.familiar import is_given
from marskg.language.naming.kindred import REASON as KINDRED
from marskg.language.naming.matcher import BESIDE, COMMON_WORD, INSIDE, LONGER_NAME, NameMatcher, Reading
from marskg.language.naming.neighbours import is_common
from marskg.language.naming.told_names import may_call_another
from marskg.shapes.gate import NODE_ID
from marskg.store.graph.preference_enforcement import preferences_of
from marskg.store.graph.validation import check_text
from marskg.store.rows import codec
from marskg.store.rows.name_cache import WAY_OUT, may_be_one, which
from marskg.store.rows.name_rules import doubtful, judged, matcher_of
from marskg.store.rows.names_given import given_by, gives_of
from marskg.store.rows.paging import pages
from marskg.store.unit.preference_rules import Matter
from marskg.store.unit.provenance_handles import ENTITY, SESSION, SOURCE, origin_handle
from marskg.text import plain

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from marskg.records import Entity, Memory
    from marskg.store.unit.unit_of_work import Unit

#: The ways to say what is to be erased.
KINDS_OF_REQUEST: Final = ("subject", "entity", "session", "source", "id")
#: Bytes of the longest name that anything can have.
_LONGEST: Final = 100_000
_PAGE: Final = 2_000
_TEXTS: Final = 500
_MENTIONS: Final = "mentions it"
_REASONS: Final[Mapping[str, str]] = {
    "subject": "is about them",
    "entity": _MENTIONS,
    "session": "is of the session",
    "source": "is from the source",
    "id": "has the id",
}
#: What has the whole name of a subject, or mentions who bears it: an erasure by entity takes it.
UNFILED: Final = "has the name, and is not stored as about them"
PART: Final = "has a part of the name"
SHARED: Final = "has the name, which another entity has too"
INITIALS: Final = "has the initials"
GUESSED: Final = "has a name that a text may say is another one's of theirs"
OTHERS: Final = "mentions another entity of the name"


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be erased: ``by`` is one of :data:`KINDS_OF_REQUEST`.

    ``own``: whoever asks goes by these names and may have erased what is about them: of what is about others too, what
    does not say line by line whom it is about. From what does, their lines leave with the memories behind these.
    ``sees`` says of a memory whether they may read it: what is hidden from them goes as well, and is not told of.
    """

    by: str
    name: str
    own: tuple[str, ...] = ()
    sees: Callable[[Memory], bool] | None = None

    @classmethod
    def of(cls, **given: object) -> Request:
        """Return the one request among ``given``.

        Raises:
            InvalidInput: none or several were given, or one that names nothing: no text, or nothing of it is seen.
        """
        found = [(by, name) for by, name in given.items() if name is not None]
        if len(found) != 1:
            named = ", ".join(by for by, _ in found) or "none"
            msg = (
                f"an erasure takes one of {', '.join(KINDS_OF_REQUEST)}, and {named} was given; ask for each by itself"
            )
            raise InvalidInput(msg)
        by, name = found[0]
        if isinstance(name, str) and not plain(name):
            msg = f"the {by} to erase has no name of which anything is seen; write who or what is to go"
            raise InvalidInput(msg)
        name = check_text(f"the {by} to erase", name, limit=_LONGEST)
        return cls(by, name)


@dataclass(frozen=True, slots=True)
class Listed:
    """A memory and why it is matched, near, or a namesake's."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Matched(Answer):
    """What a request is about: memories by id, the entities that go with them, and the spellings that were found.

    ``shared`` are those of the memories that are about others as well, and carry no attribution line by line. ``rules``
    are the ids of preferences that have an entity's name otherwise than as that of an entity, and stay. ``near`` may be
    meant as well and stays, for a person to look at and erase by id; ``namesakes`` surely are somebody or something
    else. ``why`` says of what an entity's name matched by what it did. ``common`` are the spellings that another entity
    has too, so that what has them was not matched by them. ``forgotten`` says that texts that came by it had been
    forgotten before, of which the log still says by their ids that something went.
    """

    memories: tuple[str, ...]
    entities: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    near: tuple[Listed, ...] = ()
    namesakes: tuple[Listed, ...] = ()
    why: Mapping[str, str] = field(default_factory=dict)
    common: tuple[str, ...] = ()
    forgotten: bool = False


def listed(matched: Matched, by: str) -> tuple[Listed, ...]:
    """Return the memories of a match with the reason of each; ``by`` says what was asked for."""
    return tuple(Listed(ident, matched.why.get(ident, _REASONS[by])) for ident in matched.memories)


def match(unit: Unit, request: Request) -> Matched:
    """Return what ``request`` is about, as the unit sees the store.

    Raises:
        InvalidInput: several entities go by the name, or an id is in no form that any memory here has, or something
            else's.
    """
    if request.own:
        return _owned(unit, request)
    return _match(unit, request)


def told(unit: Unit, request: Request) -> Matched:
    """Return what of :func:`match` whoever asks may know: of what they may not read, neither ids, number nor names.

    Raises:
        InvalidInput: several entities go by the name.
    """
    if request.sees is None:
        return match(unit, request)
    return _owned(unit, request, request.sees)


def _owned(unit: Unit, request: Request, sees: Callable[[Memory], bool] | None = None) -> Matched:
    """Return what a request is about of what is about whoever asks; names that others gave an entity are not told.

    With ``sees`` only what that is true of.
    """
    handles = frozenset(unit.services.handle(unit.state.name, name) for name in request.own)
    names = frozenset(request.own)

    def owned(memory: Memory) -> bool:
        theirs = not names.isdisjoint(memory.subjects) or not handles.isdisjoint(memory.subject_handles)
        whole = not memory.summary_lines or names.issuperset(memory.subjects)
        return theirs and whole and (sees is None or sees(memory))

    if request.by == "entity":
        return _naming(unit, request.name, owned)
    found = _match(unit, request)
    unit.fetch(found.memories)
    ids = tuple(ident for ident in found.memories if ident in unit.nodes and owned(unit.nodes[ident].memory))
    return Matched(ids, shared=tuple(ident for ident in ids if len(unit.nodes[ident].memory.subjects) > 1))


def _match(unit: Unit, request: Request) -> Matched:
    if request.by == "subject":
        return _about(unit, request.name, alone=bool(request.own))
    if request.by == "entity":
        return _naming(unit, request.name)
    if request.by == "session":
        rows = unit.read("session_episodes", {"session": codec.session_key(unit.state.name, request.name)})
        return Matched(tuple(sorted({*(row["id"] for row in rows), *_tombstones(unit, SESSION, request.name)})))
    if request.by == "source":
        there = _paged(unit, "from_source", source=request.name)
        return Matched(tuple(sorted({*there, *_tombstones(unit, SOURCE, request.name)})))
    unit.fetch([request.name])
    if request.name in unit.nodes:
        return Matched((request.name,))
    if not request.own:
        _refuse_other_ids(unit, request.name)
    # An earlier version took ids in other forms: what is there can be erased, whatever it is called.
    if not NODE_ID.match(request.name):
        msg = f"{request.name[:60]!r} is no id of a memory; ids look like urn:uuid:01234567-89ab-…, in small letters"
        raise InvalidInput(msg)
    return Matched(())


def _refuse_other_ids(unit: Unit, ident: str) -> None:
    """Refuse to take the id of what stays for one of a memory that went: the log would forget what is there."""
    if unit.entities.get(ident) is not None:
        msg = f"{ident} is an entity, no memory; erase what mentions it, and it, by entity"
        raise InvalidInput(msg)
    if any(rule.id == ident for rule in preferences_of(unit).preferences):
        msg = f"{ident} is a preference, no memory; remove it with: mars preferences remove {ident}"
        raise InvalidInput(msg)


def _tombstones(unit: Unit, sort: str, name: str) -> tuple[str, ...]:
    """Return the tombstones of what came by a session, source or entity: lines of summaries may still rest on them."""
    return _paged(unit, "from_origin", handle=origin_handle(unit, sort, name))


def _paged(unit: Unit, name: str, **more: str) -> tuple[str, ...]:
    found = pages(partial(unit.read, name), unit.state.name, _PAGE, **more)
    return tuple(row["id"] for page in found for row in page)


def _about(unit: Unit, subject: str, *, alone: bool) -> Matched:
    """Return what is about a subject; unless that is ``alone``, also what may be about them and is not filed so."""
    ids = _paged(unit, "about_subject", subject=subject, handle=unit.services.handle(unit.state.name, subject))
    unit.fetch(ids, leaving=True)
    shared = tuple(ident for ident in ids if len(unit.nodes[ident].memory.subjects) > 1)
    if alone:
        return Matched(ids, shared=shared)
    others = _Others(frozenset(ids), taken=UNFILED)
    key = folded_name(subject)
    bearers = [one for one in unit.entities.everybody() if key in map(folded_name, (one.name, *one.aliases))]
    mentioning = _mentioning(unit, bearers)
    parts = _Parts.of(unit, (subject,))
    for memory in _whole(unit):
        matter = Matter.of(memory, (subject,) if memory.id in mentioning else ())
        found = judged(matter, (subject,))
        others.read(memory, found if parts is None else parts.read(found, matter))
    return Matched(ids, shared=shared, near=others.near, namesakes=others.namesakes)


def _naming(unit: Unit, name: str, owned: Callable[[Memory], bool] | None = None) -> Matched:
    """Return what mentions an entity, is about it, or has one of its names in its words.

    With ``owned`` only what that is true of and spells the name as it was given: which names are one entity's may be
    known from memories about others alone, and so whom a memory that does not name anybody mentions.
    """
    entity = None if owned is not None else entity_meant(unit, name)
    number = labelled_number(name)
    spelled = _Spelled((name, number) if number else (name,)) if entity is None else _Spelled.of(unit, entity, name)
    linked = set() if entity is None else _mentioning(unit, (entity,))
    ids = set(linked)
    if owned is None:
        for form in (name,) if entity is None else (entity.id, *spelled.own):
            ids.update(_tombstones(unit, ENTITY, form))
    theirs = _mentioning(unit, spelled.others)
    person = entity is None or may_be_person(spelled.forms[0], entity.entity_type)
    parts = _Parts.of(unit, spelled.forms) if person else None
    others = _Others(frozenset(ids - linked))
    guesses = Guesses(spelled.forms if person else ())
    seen: set[str] = set()
    why: dict[str, str] = {}
    sharing, unclear = _mentioning(unit, spelled.sharers), _mentioning(unit, spelled.bare)
    for memory in filter(owned, _whole(unit)):
        matter = Matter.of(memory)
        told = memory.id in sharing and spelled.is_told(memory.names_given)
        found = spelled.read(matter, theirs=memory.id in theirs, told=told)
        given = gives_of(memory.names_given, entity).names if entity is not None and memory.id in linked else ()
        doubt = spelled.doubt(matter, given) if memory.id in linked and found.verdict is not Verdict.IS else None
        if found.verdict is Verdict.IS:
            ids.add(memory.id)
            seen |= found.names
            why[memory.id] = f"has the name {', '.join(sorted(found.names))}"
        elif doubt is not None:
            ids.remove(memory.id)
            others.read(memory, doubt)
        elif memory.id not in linked:
            others.read(memory, found if parts is None else parts.read(found, matter, told=told), told=told)
        if memory.id in sharing and spelled.is_by_nickname(memory.names_given):
            unclear.add(memory.id)
        guesses.read(memory, matter.texts, found, given)
    ids -= others.doubt(guesses.doubtful(), SHARED)
    others.doubt(sorted(unclear - ids), SHARED)
    if owned is None and (guessing := guesses.matcher()) is not None:
        others.doubt(_guessed(unit, guesses, guessing, ids), GUESSED)
    if owned is None:
        seen |= set(spelled.forms) - set(spelled.common)
    return Matched(
        tuple(sorted(ids)),
        () if entity is None else (entity.id,),
        tuple(sorted(seen)),
        near=others.near,
        namesakes=others.namesakes,
        why=why,
        common=spelled.common,
    )


def _guessed(unit: Unit, guesses: Guesses, matcher: NameMatcher, taken: set[str]) -> Iterator[str]:
    """Yield the ids of what has a guessed name, in its words or as that of whom it is about or mentions."""
    named = [one for one in unit.entities.everybody() if guesses.is_one(one.name)]
    mentioning = _mentioning(unit, named)
    for memory in _whole(unit):
        if memory.id not in taken:
            matter = Matter.of(memory)
            if memory.id in mentioning or guesses.has(matcher, (*matter.subjects, *matter.texts)):
                yield memory.id


def _mentioning(unit: Unit, entities: Sequence[Entity]) -> set[str]:
    """Return the ids of what mentions one of ``entities``."""
    refs = unit.refs([one.id for one in entities])
    return {row["id"] for row in unit.read("mentioning", {"refs": refs})} if refs else set()


def undecided(unit: Unit, name: str, entities: Sequence[Entity]) -> Matched:
    """Return what a name is about that ``entities`` go by, all of it as near: the name alone takes none of it."""
    near = {ident: Listed(ident, f"mentions {one.id}") for one in entities for ident in _mentioning(unit, (one,))}
    for memory in _whole(unit):
        if memory.id not in near and judged(Matter.of(memory), (name,)).verdict is Verdict.IS:
            near[memory.id] = Listed(memory.id, SHARED)
    return Matched((), near=tuple(near[ident] for ident in sorted(near)))


@dataclass(frozen=True, slots=True)
class _Spelled:
    """The spellings of an entity, and what others have of them.

    ``common`` are those that alone do not say who is meant: others have them as their names, or as aliases as this one
    does. ``others`` are those who have one of the spellings, but for ``sharers``, who have nicknames alone of it, and
    ``bare``, of whom nothing but such a nickname is known, so that they may be this one. ``own`` are the spellings that
    nobody else has. ``longer`` are the names of others that have a spelling as a part: what stands inside one of them
    is theirs.
    """

    forms: tuple[str, ...]
    common: tuple[str, ...] = ()
    others: tuple[Entity, ...] = ()
    own: tuple[str, ...] = ()
    longer: tuple[str, ...] = ()
    #: The folded ones of ``common`` that are not the entity's own name.
    nicknames: frozenset[str] = frozenset()
    sharers: tuple[Entity, ...] = ()
    bare: tuple[Entity, ...] = ()
    #: Whether it may be a person, who is hardly told of as a place or a thing is.
    person: bool = True

    @classmethod
    def of(cls, unit: Unit, entity: Entity, asked: str) -> _Spelled:
        """Return the spellings of ``entity``, which was ``asked`` for, as the unit sees the names of all."""
        forms = _forms(entity, asked)
        everybody = [one for one in unit.entities.everybody() if one.id != entity.id]
        bearers: dict[str, list[Entity]] = {form: [] for form in forms}
        keys = {folded_name(form): form for form in forms}
        longer: list[str] = []
        for one in everybody:
            names = {folded_name(name): name for name in (one.name, *one.aliases)}
            for key in names.keys() & keys.keys():
                bearers[keys[key]].append(one)
            longer += (name for key, name in names.items() if any(form != key and form in key for form in keys))
        sharing = {one.id: one for form, found in bearers.items() for one in found if _is_nickname(entity, form)}
        others = {one.id: one for form, found in bearers.items() for one in found if not _is_nickname(entity, form)}
        common = tuple(
            form
            for form, found in bearers.items()
            if found and (_is_nickname(entity, form) or any(_is_name(one, form) for one in found))
        )
        nicknames = frozenset(folded_name(form) for form in common if _is_nickname(entity, form))
        own = tuple(form for form, found in bearers.items() if not found)
        place = entity.entity_type == EntityType.PLACE
        person = entity.entity_type != EntityType.ORGANISATION and (not place or is_given(entity.name.split()[0]))
        sharers = tuple(one for one in sharing.values() if one.id not in others)
        return cls(
            forms,
            common,
            tuple(others.values()),
            own,
            tuple(dict.fromkeys(longer)),
            nicknames,
            tuple(one for one in sharers if not _may_be(one, entity)),
            tuple(one for one in sharers if _may_be(one, entity)),
            person,
        )

    def _reading(self, matter: Matter, forms: tuple[str, ...]) -> Reading:
        found = matcher_of(forms, self.longer, person=self.person).judge(matter.subjects, matter.texts)
        if found.reason != INSIDE:
            return found
        # Who is asked for by one name alone may be who bears a longer one.
        if " " not in self.forms[0].strip():
            return Reading(Verdict.NEAR, LONGER_NAME)
        # A word that begins a sentence may have made the longer name.
        return Reading(Verdict.NEAR, BESIDE) if may_begin_sentence(matter.texts, self.longer, forms) else found

    def is_by_nickname(self, entries: Iterable[str]) -> bool:
        """Return whether what mentions ``sharers`` calls them, by its ``entries``, as the entity is called besides."""
        called = self._called(entries)
        return bool(called) and all(names <= self.nicknames for names in called)

    def is_told(self, entries: Iterable[str]) -> bool:
        """Return whether what mentions ``sharers`` says of one, by its ``entries``, who they are and the nickname."""
        return any(
            not names <= self.nicknames and not names.isdisjoint(self.nicknames) for names in self._called(entries)
        )

    def _called(self, entries: Iterable[str]) -> list[set[str]]:
        found = given_by(entries)
        return [set(map(folded_name, found[one.id].names)) for one in self.sharers if one.id in found]

    def doubt(self, matter: Matter, given: Iterable[str]) -> Reading | None:
        """Return what ``matter``, which is linked to the entity, has of its names; None where the link stands.

        It stands where the texts have the name, or nothing of it: then who stored them gave it. By a nickname that
        somebody else has got since, which is all that is ``given`` there, nobody knows who was meant.
        """
        if self.nicknames and {folded_name(name) for name in given} <= self.nicknames:
            return Reading(Verdict.NEAR, SHARED)
        found = self._reading(matter, self.forms)
        stands = found.verdict is Verdict.IS or not may_be_read(matter.texts, self.forms)
        return None if stands else doubtful(found)

    def read(self, matter: Matter, *, theirs: bool, told: bool) -> Reading:
        """Return what ``matter`` has of the spellings.

        ``theirs`` says that it mentions another who has one of them, ``told`` that a nickname in it is another's.
        """
        if theirs:
            found = self._reading(matter, self.own)
            return found if found.verdict is Verdict.IS else Reading(Verdict.OTHER, OTHERS)
        if not self.common:
            return self._reading(matter, self.forms)
        found = self._reading(matter, tuple(form for form in self.forms if form not in self.common))
        if told and found.reason == KINDRED:
            return Reading(Verdict.NONE)
        if told or found.verdict is Verdict.IS:
            return found
        shared = self._reading(matter, self.common)
        if shared.verdict is not Verdict.IS:
            return found.or_(shared)
        told = any(may_call_another(text, name, self.forms) for text in matter.texts for name in shared.names)
        return found.or_(Reading(Verdict.OTHER, OTHERS) if told else Reading(Verdict.NEAR, SHARED))


def _forms(entity: Entity, asked: str) -> tuple[str, ...]:
    """Return the names of ``entity``; where words in small letters are ``asked`` for as a name, that name.

    Who asks for *Robin* asks for nobody's bird, though it was the first that was called so.
    """
    key = folded_name(asked)
    is_small = entity.name == entity.name.lower() and asked != asked.lower() and folded_name(entity.name) == key
    is_word = entity.entity_type == EntityType.THING or all(map(is_common, key.split()))
    if not is_small or not is_word:
        return (entity.name, *entity.aliases)
    return (asked, *(name for name in entity.aliases if name != name.lower()))


def _is_nickname(entity: Entity, form: str) -> bool:
    """Return whether ``form`` is a name besides the own one, or a short one beside a whole name."""
    return form != entity.name or (not parts_of(form) and any(map(parts_of, entity.aliases)))


def _may_be(short: Entity, entity: Entity) -> bool:
    """Return whether ``short``, of whom no whole name is known, may be ``entity``, who is called so too."""
    return may_be_one(short, entity) and not any(map(parts_of, (short.name, *short.aliases)))


def _is_name(entity: Entity, form: str) -> bool:
    return folded_name(entity.name) == folded_name(form)


class _Others:
    """What has a name that is like the one asked for, and is not erased with it."""

    def __init__(self, taken_anyway: frozenset[str], taken: str | None = None) -> None:
        """Leave out ``taken_anyway``; what has the name itself is near, for the reason ``taken``, if there is one."""
        self._anyway = taken_anyway
        self._taken = taken
        self._found: dict[Verdict, list[Listed]] = {Verdict.NEAR: [], Verdict.OTHER: []}

    def read(self, memory: Memory, found: Reading, *, told: bool = False) -> None:
        """Take note of what a memory has of the name; if nothing, whether it is ``told`` of another who has it."""
        if memory.id in self._anyway:
            return
        if told and found.verdict is Verdict.NONE:
            found = Reading(Verdict.OTHER, OTHERS)
        if found.verdict is Verdict.IS and self._taken is not None:
            self._found[Verdict.NEAR].append(Listed(memory.id, self._taken))
        elif found.verdict in self._found:
            self._found[found.verdict].append(Listed(memory.id, found.reason))

    def doubt(self, ids: Iterable[str], reason: str) -> set[str]:
        """Let ``ids`` be near for a ``reason``, where they are not yet; returns them."""
        listed = {one.id for one in self._found[Verdict.NEAR]}
        new = {ident: None for ident in ids if ident not in listed and ident not in self._anyway}
        self._found[Verdict.OTHER] = [one for one in self._found[Verdict.OTHER] if one.id not in new]
        self._found[Verdict.NEAR] += (Listed(ident, reason) for ident in new)
        return set(new)

    @property
    def near(self) -> tuple[Listed, ...]:
        """Return what a person has to look at, in order of ids."""
        return tuple(sorted(self._found[Verdict.NEAR], key=lambda one: one.id))

    @property
    def namesakes(self) -> tuple[Listed, ...]:
        """Return what is surely something else, in order of ids."""
        return tuple(sorted(self._found[Verdict.OTHER], key=lambda one: one.id))


@dataclass(frozen=True, slots=True)
class _Parts:
    """The first and the last part of a person's names, either of which alone may be somebody else's too."""

    words: frozenset[str]
    matcher: NameMatcher
    longer: frozenset[str] = frozenset()
    initials: tuple[re.Pattern[str], ...] = ()

    @classmethod
    def of(cls, unit: Unit, names: Iterable[str]) -> _Parts | None:
        """Return the parts of ``names``; None where they have none, as those of things.

        A first name that begins another's longer name is theirs. A last name is not told from one behind a title.
        """
        forms = tuple(names)
        ends = [found for name in forms if (found := parts_alone(name))]
        if not ends:
            return None
        named, first, last = matcher_of(forms), {one[0] for one in ends}, {folded_name(one[-1]) for one in ends}
        keys = tuple(map(folded_name, first))
        everybody = {name for one in unit.entities.everybody() for name in (one.name, *one.aliases)}
        others = (name for name in everybody if " " in name and any(key in folded_name(name) for key in keys))
        surely = {
            name
            for name in others
            if parts_of(name)
            and folded_name(name).split()[-1] not in last
            and named.compare(name).verdict in {Verdict.NONE, Verdict.OTHER}
        }
        words = frozenset(part for one in ends for part in one)
        initials = tuple(filter(None, map(initials_of, forms)))
        return cls(words, NameMatcher(words, surely), frozenset(surely), initials)

    def read(self, found: Reading, matter: Matter, *, told: bool = False) -> Reading:
        """Return what was found of a name in ``matter``, or else that it has a part of it.

        Where a short form is ``told`` to be another's, only a part as it is given counts.
        """
        if found.verdict is not Verdict.NONE:
            return found
        has = self.matcher.judge((*matter.names, *matter.subjects), matter.texts)
        if has.verdict is Verdict.NEAR and (told or has.reason == COMMON_WORD) and not self._written(matter):
            return found
        if has.verdict is Verdict.OTHER and may_begin_sentence(matter.texts, self.longer, self.words):
            return Reading(Verdict.NEAR, PART)
        # All but the last of them have a stop.
        stopped = [text for text in matter.texts if "." in text] if self.initials else []
        if any(one.search(text) for one in self.initials for text in stopped):
            return Reading(Verdict.NEAR, INITIALS)
        return Reading(Verdict.NEAR, PART) if has.verdict in {Verdict.IS, Verdict.NEAR} else has

    def _written(self, matter: Matter) -> bool:
        """Return whether a part stands somewhere as it is given, and not as a word in small letters."""
        return any(word in text for text in matter.texts for word in self.words)


def several(unit: Unit, request: Request) -> list[Entity]:
    """Return the entities of which the name asked for does not say which is meant; none where it does."""
    if request.by != "entity" or request.own:
        return []
    found = unit.entities.searched_for(request.name)
    return found if len(found) > 1 else []


def entity_meant(unit: Unit, name: str) -> Entity | None:
    """Return the entity of a name, an id or an IRI; None where there is none.

    Raises:
        InvalidInput: several go by the name.
        UnknownMemory: it is the id of no entity.
    """
    found = unit.entities.searched_for(name)
    if len(found) > 1:
        msg = f"{which(name, found)}; {WAY_OUT}"
        raise InvalidInput(msg)
    return found[0] if found else None


def _whole(unit: Unit) -> Iterator[Memory]:
    """Yield all memories with content."""
    for page in pages(partial(unit.read, "memories_page"), unit.state.name, _TEXTS):
        for row in unit.read("read_memories", {"refs": [row["ref"] for row in page]}):
            if row["node"].get("content") is not None:
                yield codec.decode_memory(row["node"])
