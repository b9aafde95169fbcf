"""What English speakers say of others: their family, friends and colleagues, and people whom they name.

Guarantees: pure. What a relative or somebody by name is, has or likes once is a ``single`` key of that person
(``person/hermine/home``), what they may have several of a ``set``; whom a relative is called is a fact of its own.
What they once were or had is told as what happened, since it need not hold any more.
Limits: a name is believed to be a person's only before what people alone do; pronouns are not resolved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.personal_slots import (
    DATE,
    DIET,
    EDGES,
    HEALTH,
    JOB,
    KIN,
    LANGUAGES,
    NAME,
    ROLE,
    SORT,
    bond_of,
    key_of_bond,
)
from marskg.language.en.facts.phrasing import ADVERBS, STOP, Frame, frame, key_of
from marskg.language.en.facts.third_person import told
from marskg.language.facts import SEVERAL, Fact
from marskg.ontology.vocabulary import Cardinality, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.language.en.facts.phrasing import Found

#: A first name, perhaps with a last one.
_FIRST: Final = r"(?-i:[A-ZÀ-Þ][a-zà-ÿ'’-]+(?: [A-ZÀ-Þ][a-zà-ÿ'’-]+)?)"
#: Words with a capital that are no person before what a person does.
_NOBODY: Final = (
    r"(?!(?:It|This|That|There|He|She|They|We|You|I|Who|What|Which|Everyone|Everybody|Someone|Somebody|Nobody|One|"
    r"Here|The|An?|My|Our|His|Her|Their|Its|Your|And|But|So|If|When|Then|Also|Only|Even|Just|Not|No|Yes|Maybe|Most|"
    r"Some|All|Both|Each|Today|Tomorrow|Mom|Mum|Dad|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)\b)"
)
#: Instruments and games that somebody plays.
PLAYED: Final = (
    r"(?:(?:the )?(?:piano|guitar|violin|viola|cello|drums|flute|saxophone|trumpet|clarinet|harp|bass|ukulele|organ|"
    r"accordion|banjo|oboe|trombone|recorder)|tennis|football|soccer|basketball|volleyball|golf|chess|badminton|"
    r"rugby|hockey|cricket|squash|handball|table tennis|padel|baseball|softball)"
)
#: What people are, have and do, by the slot that says so: the part ``value_SLOT`` is what the slot holds.
_STATES: Final = {
    "home": (
        rf"(?:lives? in (?:an? (?:[\w'-]+ ){{1,4}}?in )?|(?:has |have |had |just )*moved to )"
        rf"(?P<value_home>{NAME})"
    ),
    "origin": rf"(?:(?:is|comes|was) )(?:originally )?(?:from|born in) (?P<value_origin>{NAME})",
    "job": rf"(?:(?:is|works?|became|is working|trained|has become) (?:as )?an? )(?P<value_job>{JOB})\b",
    "employer": (
        rf"(?:works?|is working|started|has started) (?:at|for) (?P<value_employer>{NAME}|"
        rf"(?:the|an?) (?!moment|weekend|same|time)[a-z ]{{3,30}}?{STOP})"
    ),
    "allergies": rf"(?:is|are) {ADVERBS}allergic to (?P<value_allergies>[^.!?;,()]{{2,40}}?){STOP}",
    "diet": rf"(?:is|are|went|became|has gone|has been) {ADVERBS}(?:an? )?(?P<value_diet>{DIET})\b",
    "health": (
        rf"(?:has|have|was diagnosed with|has been diagnosed with|suffers from|got) (?P<value_health>{HEALTH})\b"
    ),
    "languages": (
        rf"speaks? (?:fluent |some |a bit of |a little )*(?P<value_languages>{LANGUAGES}(?: and {LANGUAGES})*)"
    ),
    "age": r"(?:is|turned|just turned|is turning|turns) (?P<value_age>\d{1,2})(?: years? old| (?:today|yesterday)|"
    r"(?=[.!?,]|$| and\b| (?:on|last|this|next)\b))",
    "hobbies": rf"plays? (?P<value_hobbies>{PLAYED})\b",
}
_TYPED: Final = f"(?:{'|'.join(_STATES.values())})"
#: What only people are and do; a firm or a program is from somewhere and moves, too.
_HUMAN: Final = {
    **{slot: said for slot, said in _STATES.items() if slot not in {"origin", "home"}},
    "home": rf"lives in (?:an? (?:[\w'-]+ ){{1,4}}?in )?(?P<value_home>{NAME})",
}
_BY_NAME: Final = f"(?:{'|'.join(_HUMAN.values())})"
#: What else a relative is said to do; only of relatives, whom no table or film is taken for.
_DOES: Final = (
    r"(?:(?:really |absolutely |also |just |always |usually |still |now )*(?:loves?|likes?|enjoys?|hates?|prefer"
    r"s?|wants|"
    r"goes|lives|works|teaches|studies|runs|owns|collects|drives|has|is (?:\w+ing|an? )|can't|doesn't|passed away|died|"
    r"retired|graduated|got (?:married|engaged|promoted)|is (?:pregnant|married|engaged|retired|getting married))"
    rf"(?: [^.!?;,()]{{2,70}}?)?){STOP}"
)
_EITHER: Final = f"(?:(?P<typed>{_TYPED})|(?P<does>{_DOES}))"


def _of_relative(found: Found) -> Iterator[Fact]:
    """Yield whom a relative is called and what they are or do."""
    role, name = found.group("role").lower(), found.group("name")
    bond = bond_of(found)
    owner = found.who
    start, end = found.span
    named = found.voice.name
    edge = EDGES.get(role)
    if name:
        yield Fact(
            rule="person.named",
            start=start,
            end=end,
            content=f"{owner}'s {bond} is {name}",
            confidence=found.confidence,
            kind=Kind.SOCIAL,
            key=f"person/{key_of(role) or role}",
            cardinality=Cardinality.SET,
            payload={"entity": name, "relationship_type": bond},
            mentions=(named, name) if named else (name,),
            relations=((named, edge, name),) if named and edge else (),
        )
    slot, _ = _slot_of(found)
    yield Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=told(found.match[0], found.voice),
        confidence=found.confidence,
        kind=Kind.SOCIAL,
        key=f"person/{key_of(name or '') or key_of_bond(found)}/{slot}" if slot else None,
        cardinality=_cardinality(slot) if slot else None,
        payload={"entity": name or f"{owner}'s {bond}", "relationship_type": bond},
        mentions=(name,) if name else (),
    )


def _of_named(found: Found) -> Fact:
    name = found.group("name")
    slot, value = _slot_of(found)
    start, end = found.span
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=found.match[0].strip(" ,"),
        confidence=found.confidence,
        key=f"person/{key_of(name) or name.lower()}/{slot}",
        cardinality=_cardinality(slot),
        payload={"concept": value, "relations": (slot,)},
        mentions=(name,),
    )


def _birthday(found: Found) -> Fact:
    name, value = found.group("name") or found.group("other"), found.group("value")
    bond = bond_of(found)
    whose = f"{found.who}'s {bond} {name}".strip() if bond else name
    # Two people of one first name have birthdays of their own: whose it is stands in the key, as it is told.
    person = [key_of(name)] if name else []
    person += [key_of_bond(found)] if bond else []
    start, end = found.span
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=f"{whose}'s birthday is {value}",
        confidence=found.confidence,
        key=f"person/{'/'.join(filter(None, person)) or 'somebody'}/birthday",
        payload={"concept": value, "relations": ("birthday",)},
        mentions=(name,) if name else (),
    )


def _slot_of(found: Found) -> tuple[str, str]:
    """Return the slot that is told and its value; no slot where it is only said what somebody does."""
    for slot in _STATES:
        value = found.group(f"value_{slot}")
        if value:
            return slot, value
    return "", found.match.groupdict().get("does") or ""


def _cardinality(slot: str) -> Cardinality:
    return Cardinality.SET if slot in SEVERAL else Cardinality.SINGLE


_VERBS: Final = (
    "is has lives live moved works work became was speaks speak turned plays play loves likes enjoys hates prefe"
    "rs wants "
    "goes teaches studies runs owns collects drives can't doesn't died retired graduated got diagnosed suffers turns"
)
#: The frames of other people, relatives first.
FRAMES: Final[tuple[Frame, ...]] = (
    frame(
        "person.birthday",
        "birthday",
        rf"\b(?:(?:my|our) {SORT}(?P<role>{KIN}|{ROLE})(?:,? (?P<name>{_FIRST}),?)?|{_NOBODY}(?P<other>{_FIRST}))"
        rf"'s birthday (?:is|falls) (?:on )?(?P<value>{DATE})",
        _birthday,
        0.9,
    ),
    frame(
        "person.relative",
        _VERBS,
        rf"\b(?:my|our) {SORT}(?P<role>{KIN}|{ROLE})(?:,? (?P<name>{_FIRST}),?)? {_EITHER}",
        _of_relative,
        0.85,
    ),
    frame(
        "person.other",
        _VERBS,
        rf"(?:^|[.,;:] |\b(?:and|but|that|because|so|know) ){_NOBODY}(?P<name>{_FIRST}) {_BY_NAME}",
        _of_named,
        0.8,
    ),
)
