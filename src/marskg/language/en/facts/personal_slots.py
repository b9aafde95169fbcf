"""Who somebody is, from their own words: name, age, home, work, health, family, pets, languages.

Guarantees: pure. What one has once is a ``single`` key (``profile/home``), what one may have several of a ``set``
(``profile/allergies``); family and colleagues are social facts with a relation where both ends are named.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.phrasing import ADVERBS, STOP, Frame, frame, key_of
from marskg.language.facts import Fact, Said, cardinality_of
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import Cardinality, EdgeType, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from marskg.language.en.facts.phrasing import Found

#: A name as it is written: words with capitals (the flag restores the case that frames ignore).
NAME: Final = r"(?-i:[A-ZÀ-Þ][\w'’&-]*(?:(?: (?:of|de|la|the|&|du|van|von|del))* [A-ZÀ-Þ][\w'’&-]*){0,4})"
KIN: Final = (
    r"(?:wife|husband|spouse|partner|girlfriend|boyfriend|fiancée?|mother|mom|mum|father|dad|sister|brother|daughter|"
    r"son|"
    r"grandmother|grandma|grandfather|grandpa|aunt|uncle|cousin|niece|nephew|stepmother|stepfather|twin)"
)
ROLE: Final = (
    r"(?:boss|manager|supervisor|colleague|coworker|co-worker|teammate|(?:best |close |old )?friend|roommate|flatmate|"
    r"neighbou?r|mentor|coach|teacher|doctor|dentist|therapist|landlord|assistant)"
)
#: What sort of a relative or friend somebody is: the other aunt is not the aunt, nor the best friend the friend.
SORT: Final = r"(?:(?P<sort>\w+) )?"
#: What people are called for love alone; it tells nobody from another.
_FOND: Final = frozenset(
    {"amazing", "awesome", "beautiful", "beloved", "darling", "dear", "dearest", "lovely", "own", "poor", "sweet"}
    | {"wonderful"}
)
EDGES: Final = {
    "boss": EdgeType.REPORTS_TO, "manager": EdgeType.REPORTS_TO, "supervisor": EdgeType.REPORTS_TO,
    "colleague": EdgeType.COLLEAGUE_OF, "coworker": EdgeType.COLLEAGUE_OF, "co-worker": EdgeType.COLLEAGUE_OF,
    "teammate": EdgeType.COLLEAGUE_OF, "friend": EdgeType.FRIEND_OF, "best friend": EdgeType.FRIEND_OF,
    "close friend": EdgeType.FRIEND_OF, "old friend": EdgeType.FRIEND_OF,
}  # fmt: skip
PET: Final = (
    r"(?:dog|cat|puppy|kitten|rabbit|bunny|hamster|parrot|bird|fish|turtle|tortoise|horse|snake|lizard|ferret|"
    r"guinea pig|gecko)"
)
#: Several of a kind.
PETS: Final = (
    r"(?:(?:two|three|four|five|six|\d) (?:\w+ )?(?:dogs|cats|puppies|kittens|rabbits|bunnies|hamsters|parrots|birds|"
    r"budgies|fish|goldfish|turtles|tortoises|horses|ponies|snakes|lizards|ferrets|guinea pigs|geckos|chickens|hens|"
    r"ducks))"
)
_AND_PET: Final = late_regex(
    rf"(?:,? and |, |,? as well as |,? plus )(?:also )?(?P<whole>(?:(?:an?|one) (?:\w+ ){{0,2}}?(?P<pet>{PET})|"
    rf"(?P<many>{PETS}))\b(?:,?(?: named| called)? (?P<name>(?-i:[A-Z][a-z]+)(?:(?:,| and) (?-i:[A-Z][a-z]+)\b)*))?)"
    r"(?=[\s]*(?:[.,;!?()…–—-]|$)| (?:and|but|who|that|which|at|in|from|plus|as|too|now|so|because|with)\b)",
    re.IGNORECASE,
)
LANGUAGES: Final = (
    r"(?:English|Spanish|French|German|Italian|Portuguese|Dutch|Swedish|Norwegian|Danish|Finnish|Polish|Czech|Russian|"
    r"Ukrainian|Greek|Turkish|Arabic|Hebrew|Persian|Farsi|Hindi|Urdu|Bengali|Punjabi|Tamil|Telugu|Mandarin|Cantonese|"
    r"Chinese|"
    r"Japanese|Korean|Vietnamese|Thai|Indonesian|Malay|Tagalog|Swahili|Hungarian|Romanian|Bulgarian|Serbian|Croatian|"
    r"Icelandic|Irish|Welsh|Catalan|Basque|Latin|Estonian|Latvian|Lithuanian|Slovak|Slovenian|Albanian|Amharic|Zulu)"
)
DIET: Final = (
    r"(?:vegan|vegetarian|pescatarian|pescetarian|gluten[- ]free|lactose[- ]intolerant|coeliac|celiac|diabetic|"
    r"teetotal|halal|kosher)"
)
DATE: Final = (
    r"(?:(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}(?:st|nd|rd|"
    r"th)?(?:,? \d{4})?|(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:January|February|March|April|May|June|July|August|"
    r"September|October|November|December)(?: \d{4})?|\d{4}-\d\d-\d\d)"
)
JOB: Final = (
    r"(?:[a-z-]+ ){0,4}(?:engineer|developer|designer|teacher|nurse|doctor|lawyer|writer|journalist|analyst|consultant|"
    r"manager|"
    r"researcher|scientist|professor|lecturer|accountant|architect|chef|cook|baker|photographer|musician|artist|"
    r"painter|actor|"
    r"actress|director|producer|editor|translator|librarian|therapist|psychologist|counsell?or|dentist|pharmacist|vet|"
    r"veterinarian|electrician|plumber|carpenter|mechanic|driver|pilot|firefighter|officer|paramedic|barista|waiter|"
    r"waitress|"
    r"bartender|salesperson|realtor|entrepreneur|founder|ceo|cto|cfo|programmer|technician|student|intern|coach|"
    r"trainer|"
    r"dancer|singer|author|blogger|banker|economist|farmer|gardener|florist|tailor|hairdresser|barber|executive|"
    r"administrator|assistant|secretary|receptionist|social worker|freelancer|surgeon|physicist|chemist|biologist|"
    r"historian|solicitor|midwife|cleaner|carer|caretaker|cashier|clerk|butcher|roofer|welder|soldier|courier|tutor|"
    r"nanny|childminder|physio|physiotherapist|radiographer|paralegal|principal|headteacher|bookkeeper|joiner|"
    r"bricklayer|optician|sculptor|guide|lab tech|data scientist|estate agent|civil servant|bus driver)"
)
HEALTH: Final = (
    r"(?:asthma|diabetes|type [12] diabetes|high blood pressure|hypertension|migraines?|arthritis|adhd|anxiety|"
    r"depression|"
    r"insomnia|epilepsy|celiac disease|coeliac disease|a heart condition|hay fever|eczema|psoriasis|dyslexia|autism|"
    r"ibs|"
    r"anaemia|anemia|asperger's|ocd|ptsd|a bad (?:back|knee)|chronic (?:back )?pain)"
)


#: The parts of a frame that may hold a slot's value.
_VALUES: Final = ("value", "turned", "born", "fluent", "name")


def _slot(slot: str, says: str, *, relation: str, kind: Kind = Kind.SEMANTIC) -> Callable[[Found], Fact | None]:
    """Return what builds the fact of a slot: ``says`` is its sentence, with ``{who}`` and ``{value}``."""

    def build(found: Found) -> Fact | None:
        value = next((found.group(name) for name in _VALUES if found.group(name)), "")
        if not value:
            return None
        start, end = found.span
        old = found.group("old") or None
        return Fact(
            rule=found.rule,
            start=start,
            end=end,
            content=says.format(who=found.who, value=value),
            confidence=found.confidence,
            does=Said.UPDATE if old else Said.ADD,
            kind=kind,
            key=f"profile/{slot}",
            cardinality=cardinality_of(f"profile/{slot}"),
            payload={"concept": value, "relations": (relation,)},
            mentions=(value,) if value[:1].isupper() else (),
            old=old,
        )

    return build


def _employer(found: Found) -> Fact | None:
    fact = _slot("employer", "{who} works at {value}", relation="worksAt")(found)
    if fact is None or found.voice.name is None:
        return fact
    company = found.group("value")
    return replace(
        fact,
        mentions=(found.voice.name, company),
        relations=((found.voice.name, EdgeType.WORKS_AT, company),),
    )


def _married(found: Found) -> Fact | None:
    fact = _slot("marital status", "{who} is {value}", relation="maritalStatus")(found)
    spouse = found.group("spouse")
    if fact is None or not spouse:
        return fact
    return replace(fact, content=f"{fact.content} to {spouse}", mentions=(spouse,))


def bond_of(found: Found) -> str:
    """Return what somebody is to the speaker, with the word before it that tells them from another: "other aunt"."""
    return f"{_sort(found)} {found.group('role').lower()}".strip()


def key_of_bond(found: Found) -> str:
    """Return the part of a key that says what somebody is to the speaker."""
    role = found.group("role").lower()
    return f"{_sort(found)} {key_of(role) or role}".strip()


def _sort(found: Found) -> str:
    sort = found.group("sort").lower()
    return "" if sort in _FOND else sort


def _person(found: Found) -> Fact:
    role, name = found.group("role").lower(), found.group("name")
    bond = bond_of(found)
    start, end = found.span
    edge = EDGES.get(role)
    named = found.voice.name
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=f"{found.who}'s {bond} is {name}",
        confidence=found.confidence,
        kind=Kind.SOCIAL,
        key=f"person/{key_of(role) or role}",
        cardinality=Cardinality.SET,
        payload={"entity": name, "relationship_type": bond},
        mentions=(named, name) if named else (name,),
        relations=((named, edge, name),) if named and edge else (),
    )


def _pet(found: Found) -> Iterator[Fact]:
    pet, name = found.group("pet") or found.group("own"), found.group("name") or found.group("called")
    yield _has_pet(found, found.span, pet, name)
    if found.group("pet"):
        yield from pets_behind(found)


def pets_behind(found: Found) -> Iterator[Fact]:
    """Yield the other pets of a list whose first one a frame has read: "two cats and a dog named Rex"."""
    place = found.match.end()
    while match := _AND_PET.match(found.sentence.text, place):
        place = match.end()
        span = found.sentence.start + match.start("whole"), found.sentence.start + place
        yield _has_pet(found, span, match["pet"] or match["many"], match["name"] or "")


def _has_pet(found: Found, span: tuple[int, int], pet: str, name: str) -> Fact:
    """Return that a speaker has a pet, or several of one kind: "dog", "two cats"."""
    pet = pet.lower()
    one = "" if " " in pet and pet != "guinea pig" else "a "
    return Fact(
        rule=found.rule,
        start=span[0],
        end=span[1],
        content=f"{found.who} has {one}{pet}{' named ' + name if name else ''}",
        confidence=found.confidence,
        key="profile/pets",
        cardinality=Cardinality.SET,
        payload={"concept": f"{pet} {name}".strip(), "relations": ("hasPet",)},
        mentions=(name,) if name else (),
    )


def _no_longer(found: Found) -> Fact | None:
    """Return the end of a slot: work that was left, a home that was."""
    value = found.group("value") or found.group("left")
    start, end = found.span
    slot = "home" if "live in" in found.match[0].lower() else "employer"
    does = "works at" if slot == "employer" else "lives in"
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=f"{found.who} no longer {does} {value}",
        confidence=found.confidence,
        does=Said.END,
        key=f"profile/{slot}",
        payload={"concept": value},
        old=value,
    )


_I_AM: Final = rf"\bI(?:'m| am) {ADVERBS}"
#: The frames of a person's profile, what ended first.
FRAMES: Final[tuple[Frame, ...]] = (
    frame(
        "profile.ended",
        "longer more any anymore don't quit left resigned",
        rf"\bI {ADVERBS}(?:(?:no longer (?:work (?:at|for)|live in)|quit|left|"
        rf"resigned from) (?:my job at )?(?P<value>{NAME}|(?<=my job at )the [a-z]{{3,30}})(?![\w'])"
        rf"(?! (?:an?|the|my|some|alone|behind|out)\b)|"
        rf"(?:don't|do not) (?:work (?:at|for)|live in) (?P<left>{NAME}|(?:the|my|that) [\w ]{{3,30}}?) any ?(?:"
        rf"more|longer))",
        _no_longer,
        0.9,
    ),
    frame(
        "profile.corrected",
        "but",
        rf"\bI (?:don't|do not) live in (?P<old>{NAME}),? but in (?P<value>{NAME})",
        _slot("home", "{who} lives in {value}", relation="livesIn"),
        0.9,
    ),
    frame(
        "profile.moved",
        "moved move moving relocated relocating",
        rf"\b(?:I|we)(?:'ve| have)? ?{ADVERBS}(?:moved|relocated) (?:back |over |house |"
        rf"out )*(?:from (?P<old>{NAME}) )?to (?P<value>{NAME})",
        _slot("home", "{who} lives in {value}", relation="livesIn"),
        0.9,
    ),
    frame(
        "profile.lives",
        "live living reside based",
        rf"\b(?:I|we)(?:'m| am|'re| are)? ?{ADVERBS}(?:live|living|reside|based) (?:here |right |over |outside |near |"
        rf"just )*in (?:an? (?:[\w'-]+ ){{1,4}}?in )?(?:the (?:city|town|village) of )?(?P<value>{NAME})",
        _slot("home", "{who} lives in {value}", relation="livesIn"),
        0.9,
    ),
    frame(
        "profile.origin",
        "from born grew",
        rf"\bI(?:'m| am| was| come| grew)? ?{ADVERBS}(?:originally )?(?:from|born (?:and raised )?in|"
        rf"up in) (?P<value>{NAME})",
        _slot("origin", "{who} comes from {value}", relation="comesFrom"),
        0.85,
    ),
    frame(
        "profile.allergy",
        "allergic allergy",
        rf"(?:{_I_AM}(?:\w+ )?allergic to|\bI(?:'ve got| have)(?: a| an)?(?: \w+)? allergy "
        rf"to) {ADVERBS}(?P<value>[^.!?;,()]{{2,40}}?){STOP}|"
        rf"\bI(?:'ve got| have)(?: an?)?(?: (?:bad|severe|mild|slight))? (?P<name>(?!new|food|skin|common)[a-z]+"
        rf") allergy\b",
        _slot("allergies", "{who} is allergic to {value}", relation="allergicTo"),
        0.95,
    ),
    frame(
        "profile.health",
        "have suffer diagnosed i've got",
        rf"\bI(?:'ve| have| was| suffer)? ?{ADVERBS}(?:have |got |from |been diagnosed with |diagnosed with |"
        rf"suffered from )?(?P<value>{HEALTH})\b",
        _slot("health", "{who} has {value}", relation="hasCondition"),
        0.85,
    ),
    frame(
        "profile.diet",
        "vegan vegetarian pescatarian pescetarian free intolerant coeliac celiac diabetic teetotal halal kosher "
        "lactose gluten",
        rf"\bI(?:'m| am|'ve been| have been|'ve become|'ve gone| went| became| eat) {ADVERBS}(?:a |an |"
        rf"strictly )?(?P<value>{DIET})\b",
        _slot("diet", "{who} is {value}", relation="diet"),
        0.9,
    ),
    frame(
        "profile.name",
        "name call i'm am this",
        rf"^(?:(?:hi|hello|hey|good (?:morning|evening))[,!.]? (?:there[,!.]? )?)?(?:I'm|I am|this is) "
        rf"(?!\w+(?:ish|ese|ian|can|ic|ch|man|er|ed|ing)\b)(?P<turned>(?-i:[A-ZÀ-Þ][a-zà-ÿ]+))(?=,? and I\b|, |["
        rf".!]?$| here\b)|"
        rf"\bmy (?:full |first |last |nick)?name(?:'s| is) {ADVERBS}(?P<value>{NAME})|\bcall me (?P<name>(?:(?-i"
        rf":Dr|Prof|Mrs?|Ms)\.? )?{NAME})",
        _slot("name", "{who}'s name is {value}", relation="name"),
        0.95,
    ),
    frame(
        "profile.age",
        "years turned i'm am old year-old",
        rf"\bI(?:'m| am) {ADVERBS}(?P<value>\d{{1,3}})(?: years? old|(?=[!?]|[.,](?!\d)|$| and\b))|"
        rf"\bI {ADVERBS}turned (?P<turned>\d{{1,3}})\b",
        _slot("age", "{who} is {value} years old", relation="age"),
        0.85,
    ),
    frame(
        "profile.birthday",
        "birthday born",
        rf"\bmy birthday(?:'s| is) {ADVERBS}(?:on |coming up on )?(?P<value>{DATE})|\bI was born on (?P<born>{DATE})",
        _slot("birthday", "{who}'s birthday is {value}", relation="birthday"),
        0.95,
    ),
    frame(
        "profile.employer",
        "work working works employed job started",
        rf"\bI(?:'m| am|'ve been| have been|'ve| have)? ?{ADVERBS}(?:work|working|employed|(?:got|started|landed|"
        rf"accepted|took) a (?:new )?job|started(?: work(?:ing)?)?)"
        rf"(?: (?:full[- ]time|part[- ]time|remotely|as an? [a-z ]{{3,40}}))? (?:at|for|by) (?P<value>{NAME})",
        _employer,
        0.9,
    ),
    frame(
        "profile.job",
        "work working i'm am job became become promoted",
        rf"(?:{_I_AM}(?:working as |employed as )?an? |\bI {ADVERBS}work as an? |\bI (?:just |recently )?became an? |"
        rf"\bmy job is (?:as )?(?:an? )?|\bI(?:'ve been| was| got| have been) {ADVERBS}promoted to (?:an? )?)(?P"
        rf"<value>{JOB}|"
        rf"team lead(?:er)?|head of [a-z ]{{3,30}})\b(?! (?:of|at heart))",
        _slot("job", "{who} works as {value}", relation="job"),
        0.85,
    ),
    frame(
        "profile.studies",
        "study studying studied major majoring degree phd master's",
        rf"\bI(?:'m| am)? ?{ADVERBS}(?:study|studying|majoring in|(?:doing|getting|pursuing) (?:a|my) (?:degree|phd|"
        rf"master's|bachelor's)"
        rf"(?: degree)? in) (?!hard|abroad|for |at |late)(?P<value>[^.!?;,()]{{3,40}}?)(?:(?= at\b)|{STOP})",
        _slot("studies", "{who} studies {value}", relation="studies"),
        0.8,
    ),
    frame(
        "profile.language",
        "speak fluent bilingual native",
        rf"\bI {ADVERBS}(?:can )?speak (?:fluent |some |a bit of |a little |native )*(?P<value>{LANGUAGES}(?:(?:,|"
        rf" and|, and) (?:some |a little |a bit of )?{LANGUAGES})*)|{_I_AM}(?:a )?(?:fluent in|"
        rf"native speaker of) (?P<fluent>{LANGUAGES})",
        _slot("languages", "{who} speaks {value}", relation="speaks"),
        0.9,
    ),
    frame(
        "profile.married",
        "married engaged divorced single widowed",
        rf"\bI(?:'m| am|'ve been| have been| got| just got) {ADVERBS}(?P<value>(?:happily )?married|engaged|divorced|"
        rf"widowed|single(?! (?!mother|mom|parent|dad)\w))\b(?! (?:in|with|by)\b)(?: to (?P<spouse>{NAME}))?",
        _married,
        0.85,
    ),
    frame(
        "person.named",
        "my",
        rf"\bmy {SORT}(?P<role>{KIN}|{ROLE})(?:'s name is|,| is| is called| is named| named|"
        rf" called) (?P<name>(?-i:[A-ZÀ-Þ][a-zà-ÿ]+(?: [A-ZÀ-Þ][a-zà-ÿ]+)?))(?=[\s.,!?;]|$)",
        _person,
        0.85,
    ),
    frame(
        "profile.pet",
        "dog cat puppy kitten rabbit bunny hamster parrot bird fish turtle tortoise horse snake lizard ferret pig "
        "gecko",
        rf"\b(?:(?:I|we)(?:'ve| have)? ?{ADVERBS}(?:have|got|own|adopted) (?:a|an|another|our|my|"
        rf"this)(?: \w+){{0,2}} (?P<pet>{PET})(?:,?(?: named| called)? (?P<name>(?-i:[A-Z][a-z]+)))?|"
        rf"(?:my|our) (?:\w+ )?(?P<own>{PET})(?:'s name is|,?(?: is named| is called| named| called)?) "
        rf"(?P<called>(?-i:[A-Z][a-z]+)))",
        _pet,
        0.85,
    ),
)
