"""What English speakers tell of their days: hobbies, habits, medicine, what they have and avoid, trips, terse notes.

Guarantees: pure. What one may have several of is a ``set`` of the profile (``profile/hobbies``), what one has once
``single`` (``profile/car``); a trip and a note of an appointment are tasks of the calendar, a note of a sum an entry of
the ledger of expenses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.language.en.facts.amounts import MONEY, money_of, number, sort_of, written
from marskg.language.en.facts.people_said import PLAYED
from marskg.language.en.facts.personal_slots import LANGUAGES, NAME, PETS, pets_behind
from marskg.language.en.facts.phrasing import ADVERBS, STOP, Frame, frame, key_of
from marskg.language.en.facts.tasks import WHEN, without_times
from marskg.language.en.facts.third_person import told
from marskg.language.facts import Fact, cardinality_of
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import Cardinality, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from marskg.language.en.facts.phrasing import Found

_WE: Final = r"\b(?:I|we)(?:'ve| have|'m| am|'re| are)? ?"
_MEDICINE: Final = (
    r"(?:insulin|antibiotics|aspirin|ibuprofen|paracetamol|statins|antidepressants|antihistamines|steroids|blood "
    r"thinners|beta blockers|the pill|hay ?fever tablets|iron tablets|vitamin [a-e]\d*|\w{3,}(?:formin|pril|statin|"
    r"cillin|prazole|sartan|oxetine|olol|zepam|tidine|thyroxine|traline|lukast|mycin|dipine|profen|gliptin|triptan|"
    r"coumarol|farin))"
)
#: What somebody learns, in the place of what they learn about.
_LEARNED: Final = (
    rf"(?:{LANGUAGES}|sign language|(?:(?:how )?to )?(?:play )?{PLAYED}|(?:how )?to (?:drive|swim|cook|bake|code"
    rf"|program|"
    r"knit|sew|ski|surf|dance|paint|draw|juggle|crochet|weld|ride|sail|type|whittle|sing|dive|climb|skate|snowboard))"
)
_CHILDREN: Final = (
    r"(?:an?|one|two|three|four|five|\d) (?:\w+ )?(?:kids?|children|sons?|daughters?|twins|boys|girls)\b"
    rf"(?:(?:,| called| named|:)? {NAME}(?:(?:,| and|, and) {NAME})*)?"
)
_OWNED: Final = (
    r"(?:car|van|motorbike|motorcycle|scooter|bike|bicycle|e-bike|house|flat|apartment|cottage|boat|caravan|campervan|"
    r"phone|laptop|computer|tablet|camera|piano|guitar|sofa|bed|fridge|washing machine|dishwasher|oven|telescope|tent|"
    r"kayak|drone|printer|watch|record player|e-reader|allotment)"
)
_MADE: Final = r"(?:Volvo|VW|Golf|Fiat|Ford|Toyota|Honda|BMW|Audi|Skoda|Renault|Peugeot|Tesla|Mini|Subaru|Kia|Mazda)"
_APPOINTED: Final = (
    r"(?:dentist|doctor|doctor's|gp|hairdresser|haircut|barber|vet|physio|therapy|therapist|optician|check-?up|"
    r"appointment|interview|meeting|exam|driving test|flight|train|ferry|parents'? evening|school trip|choir|rehearsal|"
    r"swimming|yoga|pilates|football|training|practice|lunch|dinner|brunch|breakfast|coffee|drinks|party|wedding|"
    r"funeral|concert|gig|book club|deadline|delivery|plumber|electrician|mot|scan|blood test|vaccination|jab)"
)
_BOUGHT: Final = (
    r"(?:groceries|food|lunch|dinner|breakfast|brunch|coffee|snacks|rent|petrol|gas|fuel|diesel|parking|taxi|bus|train|"
    r"tickets?|electricity|water|internet|phone|gym|pharmacy|medicine|clothes|shoes|books?|stamps|haircut|laundr"
    r"y|gifts?|"
    r"presents?|flowers|vet|dog food|cat food|insurance|repairs?|cinema|drinks|beer|wine|bakery|butcher|market)"
)
_MEETS: Final = late_regex(r"(?:\w+ )?(?:lunch|dinner|breakfast|brunch|train|bus|gym|haircut|vet|drinks|cinema|coffee)")
_CLOCK: Final = late_regex(r"(?:[01]?\d|2[0-3])[.,][0-5]\d")
#: What is said of a body, by a word that says so; else it is the height.
_BODY: Final = {"weigh": "weight", "size": "size", "blood": "blood type", "handed": "handedness"}
_SUM: Final = rf"(?:{MONEY}|(?P<plain>\d{{1,5}}[.,]\d\d)(?!\d| ?[ap]m))"


def _listed(slot: str, relation: str) -> Callable[[Found], Fact | None]:
    """Return what builds a fact of a slot of the profile, told in the words of its sentence; of none without a key."""

    def build(found: Found) -> Fact | None:
        value = found.group("value") or found.group("member")
        if not value:
            return None
        start, end = found.span
        return Fact(
            rule=found.rule,
            start=start,
            end=end,
            content=told(found.match[0].strip(" ,"), found.voice),
            confidence=found.confidence,
            key=f"profile/{slot}" if slot else None,
            cardinality=cardinality_of(f"profile/{slot}") if slot else None,
            payload={"concept": value, "relations": (relation,)},
            mentions=(value,) if value[:1].isupper() else (),
            old=found.group("old") or None,
        )

    return build


def _pets(found: Found) -> Iterator[Fact]:
    first = _listed("pets", "hasPet")(found)
    if first is not None:
        yield first
    yield from pets_behind(found)


def _contact(found: Found) -> Fact:
    kind, value = found.group("kind").lower(), found.group("value")
    slot = "phone" if "mail" not in kind else "email"
    start, end = found.span
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=f"{found.who}'s {slot} is {value}",
        confidence=found.confidence,
        key=f"profile/{slot}",
        payload={"concept": value, "relations": (slot,)},
    )


def _calendar(found: Found) -> Fact | None:
    """Build an appointment from a note, or a trip from where it leads."""
    place = found.group("place")
    what = f"trip to {place}" if place else without_times(found.group("what"))
    key = key_of(what)
    if not key:
        return None
    start, end = found.span
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=told(found.match[0], found.voice) if place else f"{found.who} has {what} {found.group('when')}",
        confidence=found.confidence,
        kind=Kind.TASK,
        key=f"calendar/{key}",
        payload={"goal": what},
        mentions=(place,) if place else (),
        when=found.sentence.text,
        due=True,
    )


def _expense(found: Found) -> Fact | None:
    """Build an entry of a ledger; a sum without a currency has none."""
    what, money, plain = found.group("what").lower(), money_of(found.match), found.group("plain")
    if money is None and not plain:
        return None
    # "Lunch 12.30" is a time.
    if money is None and _MEETS.fullmatch(what) and _CLOCK.fullmatch(plain):
        return None
    amount, unit = money or (number(plain), "")
    start, end = found.span
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=f"{found.who} spent {written(amount)}{' ' + unit if unit else ''} on {what}",
        confidence=found.confidence,
        key=f"ledger/expenses/{sort_of(what)}{key_of(what) or 'other'}",
        cardinality=Cardinality.APPEND,
        payload={"concept": what, "amount": amount, **({"unit": unit} if unit else {})},
        when=found.sentence.text,
    )


def _body(found: Found) -> Fact:
    said = found.match[0].lower()
    slot = next((slot for sign, slot in _BODY.items() if sign in said), "height")
    start, end = found.span
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=told(found.match[0].strip(" ,"), found.voice),
        confidence=found.confidence,
        key=f"profile/{slot}",
        payload={"concept": found.group("value"), "relations": (slot,)},
    )


def _rent(found: Found) -> Fact:
    what, value = found.group("what").lower(), found.group("value")
    start, end = found.span
    return Fact(
        rule=found.rule,
        start=start,
        end=end,
        content=f"{found.who}'s {what} is {value}",
        confidence=found.confidence,
        key=f"profile/{key_of(what) or what}",
        payload={"concept": value, "relations": (what,)},
    )


#: The frames of daily life; terse notes stand alone in their sentence.
FRAMES: Final[tuple[Frame, ...]] = (
    frame(
        "life.plays",
        "play playing",
        rf"\bI(?:'m| am|'ve been| have been)? ?{ADVERBS}play(?:ing)? (?P<value>{PLAYED})\b(?: (?:for|in|with|at|"
        rf"every|on) "
        rf"[^.!?;,]{{2,40}}?(?:{STOP}))?",
        _listed("hobbies", "plays"),
        0.85,
    ),
    frame(
        "life.learning",
        "learning",
        rf"\bI(?:'m| am|'ve been| have been) {ADVERBS}(?:learning|teaching myself) "
        rf"(?P<value>{_LEARNED})\b",
        _listed("learning", "learns"),
        0.8,
    ),
    frame(
        "life.medicine",
        "take taking i'm on tablets",
        rf"\b(?:I(?:'m| am|'ve been| have been)? ?{ADVERBS}(?:take|taking|on|put on)|"
        rf"(?:the |my )?(?:doctor|gp) put me on) (?:my |some |a )?(?:daily |low[- ]dose )*"
        rf"(?P<value>{_MEDICINE})\b(?: (?:once|twice|three times|every|for|in the|at|daily)[^.!?;,]{{0,30}}?{STOP})?",
        _listed("medication", "takes"),
        0.85,
    ),
    frame(
        "life.avoids",
        "don't can't avoid never avoiding",
        rf"\bI(?:'m| am)? ?{ADVERBS}(?:(?:don't|do not|never) (?:eat|drink|touch|wear)|"
        rf"(?:can't|cannot|mustn't|am not allowed to|'m not allowed to) (?:eat|drink|have|touch|use)|avoid|avoiding|"
        rf"steer clear of) (?:any )?"
        r"(?P<value>(?!(?:after|before|another|and|or|at|in|on|with|until|more|as|from|like|that)\b|[^.!?;,]*\b("
        r"?:fast|quickly|today|tonight|now)\b|it\b|that|this|them|much|a lot|any|enough|time|to|so|you|the|my|an"
        r"ything|well|too|there|here)"
        rf"[^.!?;,]{{3,40}}?){STOP}",
        _listed("avoids", "avoids"),
        0.8,
    ),
    frame(
        "life.drives",
        "drive ride",
        rf"\b(?:I|we) {ADVERBS}(?:drive|ride) (?P<value>(?:an?|my) [^.!?;,]{{2,30}}?\b(?:{_MADE}|{_OWNED}))\b",
        _listed("car", "drives"),
        0.85,
    ),
    frame(
        "life.bought",
        "bought purchased ordered bought",
        rf"{_WE}{ADVERBS}(?:bought|purchased|ordered) (?:myself |ourselves )?"
        rf"(?P<value>(?:an?|our|my|some) (?:[\w'-]+ ){{0,3}}?{_OWNED})\b",
        _listed("possessions", "owns"),
        0.75,
    ),
    frame(
        "life.children",
        "kids children son daughter sons daughters kid twins",
        rf"\b(?:I|we)(?:'ve| have)? ?{ADVERBS}(?:have |got )?(?P<value>{_CHILDREN}(?:(?:,? and|,) {_CHILDREN})*)",
        _listed("children", "hasChildren"),
        0.85,
    ),
    frame(
        "life.pets",
        "dogs cats puppies kittens rabbits bunnies hamsters parrots birds budgies fish goldfish turtles tortoises "
        "horses ponies snakes lizards ferrets pigs geckos chickens hens ducks",
        rf"\b(?:I|we)(?:'ve| have)? ?{ADVERBS}(?:have |got |own |keep |adopted )?"
        rf"(?P<value>{PETS}(?:(?:,| called| named|:)? {NAME}(?:(?:,| and|, and) {NAME})*)?)",
        _pets,
        0.85,
    ),
    frame(
        "life.work",
        "work",
        rf"\bI(?:'m| am)? ?{ADVERBS}work(?:ing)? (?P<value>nights|night shifts?|shifts|part[- ]time|full[- ]time|"
        rf"remotely|from home|[a-z]+days|weekends|mornings|evenings|(?:three|four|five|six|\d) days a week)\b",
        _listed("working hours", "works"),
        0.85,
    ),
    frame(
        "life.works_for",
        "work works working",
        rf"\bI(?:'m| am)? ?{ADVERBS}work(?:ing)? (?:at|for|in) (?P<value>(?:an?|my (?:\w+'s|family's)|the) "
        rf"(?!moment|weekend|same|time|morning|evening|lot|while|bit|few|best|day|hour|week|month|year)[^.!?;,]"
        rf"{{3,40}}?)"
        rf"{STOP}",
        _listed("employer", "worksAt"),
        0.8,
    ),
    frame(
        "life.teaches",
        "teach",
        rf"\bI {ADVERBS}teach (?P<value>(?!you|him|her|them|myself|people|my |our |his |kids? to|the kids)[^.!?;"
        rf",]{{3,50}}?){STOP}",
        _listed("job", "job"),
        0.8,
    ),
    frame(
        "life.business",
        "run own",
        r"\bI(?: co-?)? ?(?:run|own) (?P<value>(?:an?|my own|our) (?:[\w'-]+ ){0,3}?(?:shop|store|business|compa"
        r"ny|cafe|café|"
        r"restaurant|bakery|studio|firm|agency|practice|farm|hotel|hostel|bar|pub|salon|school|blog|channel|podcast|"
        r"charity|gallery|start-?up|club|clinic|garage|b&b|bookshop|brewery|vineyard|nursery|workshop))\b(?: in "
        rf"{NAME})?",
        _listed("business", "runs"),
        0.8,
    ),
    frame(
        "life.status",
        "self employed retired unemployed freelance jobs leave",
        rf"\bI(?:'m| am) {ADVERBS}(?P<value>self-employed|retired|unemployed|freelance|between jobs|on (?:maternity|"
        r"paternity|sick) leave)\b(?! (?:\w+ ){0,2}(?:teacher|nurse|officer|soldier|engineer|police|doctor|desig"
        r"ner|writer))",
        _listed("working life", "works"),
        0.85,
    ),
    frame(
        "life.body",
        "weigh tall blood size handed height weight",
        r"\b(?:I (?:weigh|wear size|take a size) (?:about |around )?|I(?:'m| am) (?=\d|left|right)|my (?:blood t"
        r"ype|blood "
        r"group|shoe size|height|weight) is )(?P<value>\d[\d.,]* ?(?:kilos?|kgs?|pounds|lbs|stone|m|cm|feet|ft)?"
        r"(?: tall)?|"
        r"(?:left|right)-handed|(?-i:AB|A|B|O)[ -]?(?:negative|positive|[+-])?)(?=[ .,!?]|$)(?! years| and)",
        _body,
        0.85,
    ),
    frame(
        "life.regular",
        "volunteer member go swim train dance sing support",
        rf"\bI {ADVERBS}(?P<value>volunteer (?:at|for|with) (?!yesterday|today|least)[^.!?;,]{{3,50}}?|support ("
        rf"?-i:[A-Z])[^.!?;,]{{2,30}}?|"
        r"(?:go|do|have) [a-z]+(?: [a-z]+)?(?: to [a-z ]{3,20})? (?:on|every) (?:mon|tues|wednes|thurs|fri|satur"
        r"|sun)days?"
        rf"(?: [a-z]+)?){STOP}|\bI(?:'m| am) (?P<member>an? (?:\w+ )?member of [^.!?;,]{{3,40}}?){STOP}",
        _listed("habits", "does"),
        0.8,
    ),
    frame(
        "life.fear",
        "scared afraid terrified fear phobia",
        rf"\bI(?:'m| am) {ADVERBS}(?:scared|afraid|terrified) of (?P<value>(?!it\b|that|this|losing|what|how|you|being)"
        rf"[^.!?;,]{{3,30}}?){STOP}",
        _listed("fears", "fears"),
        0.8,
    ),
    frame(
        "life.attribute",
        "address postcode plate dentist gym team sign nationality religion timezone username handle pronouns wifi bank "
        "anniversary",
        r"\b(?:my|our) (?:new |home |work |postal )*(?P<what>address|postcode|number plate|licen[cs]e plate|star sign|"
        r"nationality|religion|time ?zone|username|handle|pronouns|wifi|bank|anniversary|(?:football |favourite )?team)"
        r"(?:'s| is| are)(?: now| called)? (?P<value>(?!the same|very|so|too|not|down|slow|great|bad)[^.!?;]{2,60}?)"
        r"(?=[.!?;]|$| and\b| but\b)",
        _rent,
        0.8,
    ),
    frame(
        "life.gave_up",
        "gave quit stopped given",
        rf"\bI(?:'ve| have)? ?{ADVERBS}(?:gave up|given up|quit|stopped)(?: eating| drinking| having| using)? "
        r"(?P<value>smoking|drinking|alcohol|sugar|coffee|caffeine|meat|dairy|gluten|bread|sweets|chocolate|cigarettes|"
        rf"vaping|gaming|social media|facebook|instagram|twitter|tiktok)\b",
        _listed("given up", "gaveUp"),
        0.85,
    ),
    frame(
        "life.switched",
        "switched changed",
        rf"\bI(?:'ve| have)? ?{ADVERBS}switched from (?P<old>[^.!?;,]{{2,30}}?) to (?P<value>[^.!?;,]{{2,30}}?){STOP}",
        _listed("", "uses"),
        0.8,
    ),
    frame(
        "life.habit",
        "usually normally typically",
        r"\bI (?:usually|normally|typically) (?!think|feel|say|guess|wonder|know|want|like|love|hate|prefer|don'"
        r"t|can't)"
        rf"(?P<value>(?![^.!?;,]*\b(?:it|them|this|that|you)\b)[a-z]+ [^.!?;,]{{3,60}}?){STOP}",
        _listed("habits", "usually"),
        0.75,
    ),
    frame(
        "life.contact",
        "email e-mail mail number phone mobile",
        r"\bmy (?:new |work |private |personal )?(?P<kind>e-?mail(?: address)?|(?:phone|mobile)(?: number)?|number)"
        r"(?:'s| is) (?:now )?(?P<value>[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\+?\d[\d ()/-]{5,20}\d)",
        _contact,
        0.9,
    ),
    frame(
        "life.rent",
        "rent salary mortgage wage pension",
        r"\bmy (?P<what>rent|salary|mortgage|wage|pension|allowance) (?:is|went up to|has gone up to|dropped to|"
        r"is now) "
        r"(?P<value>(?:about |around )?[$€£]?\d[\d.,]*(?: ?[$€£]|(?: euros?| pounds?| dollars?| eur| gbp| usd))?"
        r"(?: (?:a|per|each|every) (?:month|week|year))?)",
        _rent,
        0.85,
    ),
    frame(
        "life.trip",
        "going flying travelling traveling heading off driving",
        rf"\b(?:I'm|we're|I am|we are|I'll be|we'll be) {ADVERBS}(?:going|flying|travelling|traveling|heading|of"
        rf"f|driving)"
        rf"(?: back| away| home)? to (?P<place>{NAME}) (?P<when>{WHEN}(?: {WHEN})*+|in (?:January|February|March|April|"
        r"May|June|July|August|September|October|November|December)|(?:this|next) (?:summer|winter|spring|autumn"
        r"|fall))",
        _calendar,
        0.85,
    ),
    frame(
        "note.appointment",
        "dentist doctor doctor's gp hairdresser haircut barber vet physio therapy therapist optician "
        "checkup check appointment interview meeting exam test flight train ferry evening trip choir "
        "rehearsal swimming yoga pilates football training practice lunch dinner brunch breakfast coffee "
        "drinks party wedding funeral concert gig club deadline delivery plumber electrician mot scan "
        "vaccination jab",
        rf"^(?P<what>(?!(?:I|we|he|she|they|you|it)\b)(?:[A-Za-z'’]+ ){{0,3}}?{_APPOINTED}"
        rf"(?: (?:with|at|to|for|in) [^.!?;,\d]{{2,30}}?)?)[,:]? "
        rf"(?P<when>{WHEN}(?:,? (?:at )?(?:{WHEN}|\d{{1,2}}[:.]\d\d))*+)\W*$",
        _calendar,
        0.8,
    ),
    frame(
        "note.expense",
        "groceries food lunch dinner breakfast brunch coffee snacks rent petrol gas fuel diesel parking "
        "taxi bus train ticket tickets electricity water internet phone gym pharmacy medicine clothes "
        "shoes book books stamps haircut laundry gift gifts present presents flowers vet insurance repair "
        "repairs cinema drinks beer wine bakery butcher market",
        rf"^(?P<what>(?:[A-Za-z]+ )?{_BOUGHT}(?: bill| fare| fee)?)[:,]? {_SUM}\W*$",
        _expense,
        0.8,
    ),
    frame(
        "note.paid",
        "paid",
        rf"\b(?:I|we)(?:'ve| have)? ?{ADVERBS}paid (?P<plain>\d{{1,6}}(?:[.,]\d\d)?) (?:for|on) (?:the |my |our )?"
        rf"(?P<what>(?:\w+ )?{_BOUGHT})\b",
        _expense,
        0.8,
    ),
)
