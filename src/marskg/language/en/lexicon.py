"""The closed word classes that recognition stands on, and the list of common words.

Guarantees: no list here names people, places or firms. Function words, titles, kin, roles, weekdays, languages and the
words that end a firm's name are closed classes of English, written out; what is open is told by ``common_words.txt``,
which ``scripts/common_words.py`` makes from the bundled wordpiece vocabulary.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from marskg.text import STOPWORDS


class Is:
    """What a word may be, by its letters alone: bits of an int, a word may be several.

    Plain ints, because an enum's ``&`` costs more than all the rest of reading a word.
    """

    COMMON: Final = 1
    CLOSED: Final = 2
    VERB: Final = 4
    TIME: Final = 8
    DEMONYM: Final = 16
    TITLE: Final = 32
    PARTICLE: Final = 64
    ROLE: Final = 128
    KIN: Final = 256
    DETERMINER: Final = 512
    LIGHT: Final = 1024
    PREPOSITION: Final = 2048
    CUE: Final = 4096
    ALIAS: Final = 8192


def listed(words: str) -> frozenset[str]:
    """Return the words of a list that is written with blanks between them."""
    return frozenset(words.split())


_CLOSED: Final = STOPWORDS | listed(
    "across along although always among anybody anyone anything anyway around aside away back beside besides "
    "beyond despite else ever every everybody everyone everything except hence however inside instead later "
    "maybe might moreover must near nearby neither never nevertheless nobody none nothing nowhere often onto "
    "otherwise outside perhaps per quite rather really regarding shall since somebody someone something sometimes "
    "somewhere soon still therefore though throughout thus together toward towards unless upon via whatever "
    "whenever wherever whether whoever within without yet actually almost already definitely especially finally "
    "honestly lately mostly only probably recently usually ago even much many both either another enough several "
    "any hi hello hey thanks thank yes yeah yep okay ok oh wow sure sorry well welcome dear cheers bye "
    "today tomorrow tonight yesterday now like one two three four five six seven eight nine ten "
    "first second third last next ll ve re isn aren wasn weren don doesn didn won wouldn couldn shouldn hasn haven "
    "can't cannot gonna wanna let's that's there's here's"
)
_VERBS: Final = listed(
    "is are was were be been being am has have had do does did make makes made get gets got go goes went gone "
    "come comes came take takes took taken see sees saw seen know knows knew think thinks thought want wants need "
    "needs like likes love loves hate hates prefer prefers say says said tell tells told ask asks asked give gives "
    "gave given find finds found feel feels felt keep keeps kept let lets put puts run runs ran mean means meant "
    "become becomes became leave leaves left bring brings brought begin begins began start starts stop stops show "
    "shows hear hears heard read reads write writes wrote written sit sits sat stand stands stood lose loses lost "
    "pay pays paid meet meets met learn learns change changes lead leads led understand understands understood "
    "watch watches follow follows live lives buy buys bought sell sells sold send sends sent spend spends spent "
    "win wins won teach teaches taught eat eats ate drink drinks drank drive drives drove grow grows grew speak "
    "speaks spoke hold holds held build builds built fall falls fell cut cuts choose chooses chose plan plans "
    "work works play plays help helps call calls try tries use uses visit visits move moves turn turns set sets "
    "include includes seem seems looks look add adds remove removes update updates please remember remembers "
    "enjoy enjoys believe believes hope hopes water waters plant plants join joins cook cooks "
    "will would can could should may might must shall"
)
_TIME: Final = listed(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays "
    "sundays january february march april may june july august september october november december jan feb mar apr "
    "jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat sun spring summer autumn fall winter morning "
    "afternoon evening night noon midnight am pm bc ad q1 q2 q3 q4 h1 h2 utc gmt est pst cet"
)
_HOLIDAYS: Final = listed(
    "christmas easter halloween thanksgiving hanukkah ramadan eid diwali passover carnival pentecost xmas kwanzaa"
)
_DEMONYMS: Final = listed(
    "english french german spanish italian portuguese dutch swedish norwegian danish finnish polish czech slovak "
    "hungarian romanian bulgarian greek turkish russian ukrainian chinese japanese korean vietnamese thai indonesian "
    "malay hindi urdu bengali tamil arabic hebrew persian swahili latin american british scottish welsh irish "
    "canadian australian mexican brazilian argentinian indian pakistani egyptian african asian european swiss "
    "austrian belgian israeli iranian iraqi syrian lebanese moroccan nigerian kenyan jewish muslim christian "
    "catholic buddhist hindu americans germans italians russians europeans asians africans christians muslims jews "
    "western eastern northern southern"
)
TITLES: Final = listed(
    "mr mrs ms miss mx dr prof professor doctor sir dame lord lady madam president senator captain colonel general "
    "sergeant rev reverend father sister brother judge st saint uncle aunt auntie grandma grandpa king queen prince "
    "princess coach"
)
_PARTICLES: Final = listed(
    "van von de der den del della di da la le du dos das bin ibn al el ter ten zu zur af av y mac"
)
KIN: Final = listed(
    "mother mom mum mama dad father papa parent sister brother sibling son daughter child kid baby wife husband "
    "partner spouse fiance fiancee girlfriend boyfriend uncle aunt cousin niece nephew grandmother grandfather grandma "
    "grandpa granddaughter grandson twin stepmother stepfather godmother godfather"
)
_ROLES: Final = listed(
    "friend friends buddy pal colleague colleagues coworker co-worker teammate teammates manager boss supervisor "
    "neighbour neighbor roommate flatmate classmate mentor coach teacher tutor doctor dentist therapist trainer vet "
    "lawyer accountant landlord tenant client customer patient student assistant intern director officer lead head "
    "chief executive analyst engineer developer designer consultant researcher scientist strategist writer editor "
    "coordinator specialist architect administrator president chair chairman chairwoman representative professor "
    "lecturer vp ceo cfo cto coo cmo ciso actor actress author singer musician director painter artist poet composer "
    "novelist band guitarist drummer pianist photographer directors managers officers leads coordinators executives "
    "members member attendees team people person man woman guy girl boy men women owner expert advisor adviser "
    "secretary captain minister investigator planner producer principal associate partner owner"
)
_DETERMINERS: Final = listed("a an the my our your his her its their this these those some any each every no")
#: Nouns that name nothing that one would look up.
_LIGHT: Final = listed(
    "thing things stuff way ways kind kinds sort lot lots bit bits part parts piece time times day days week weeks "
    "weekend month months year years hour hours minute minutes moment while today end start beginning middle rest "
    "side point points fact facts idea ideas question questions answer answers example case reason reasons problem "
    "issue number amount couple few one ones something people person sense matter course mind thought thoughts "
    "feeling feelings interest opinion view way type types place places word words name names life change changes "
    "difference future past present difficulty effort morning evening afternoon night level levels impact taste "
    "perspective mood habit goal goals plan plans list need needs range variety look focus chance world today "
    "step steps dollars euros pounds percent times results result details detail items item options option"
)
_PREPOSITIONS: Final = listed(
    "of with for in about from without between like on at by near into onto over under through during after before "
    "against among around as including than to"
)
_CUES: Final = listed(
    "friend friends buddy buddies pal pals colleague colleagues coworker co-worker coworkers co-workers teammate "
    "teammates team-mate team-mates manager boss supervisor lead leader advisor adviser report reports reporting work "
    "works working worked employed employs employer company hired joined joins part division subsidiary member branch "
    "department district suburb unit belongs belong kind kinds type types breed breeds species form forms variety "
    "varieties sort sorts manages analyst engineer developer designer consultant researcher scientist strategist "
    "writer editor director officer nurse doctor teacher lecturer professor accountant lawyer specialist architect "
    "president ceo cfo cto"
)
_ALIASES: Final = listed(
    "short aka k a.k.a known called nicknamed goes call calls née nee born geb geborene formerly previously once "
    "changed"
)
ORGANISATION_ENDS: Final = listed(
    "inc ltd llc llp plc gmbh ag sa corp corporation company co university college school academy institute bank "
    "hospital clinic department ministry agency committee council commission foundation association society union "
    "group team division department holdings partners labs laboratory laboratories studio studios club party "
    "bureau office court church parliament senate orchestra ensemble league federation consortium alliance museum "
    "gallery library airlines airways motors industries pharmaceuticals pharma technologies systems solutions "
    "consulting bakery restaurant cafe café"
)
PLACE_ENDS: Final = listed(
    "river lake mountain mountains street avenue road boulevard lane park island islands beach city county valley bay "
    "castle abbey cathedral airport station square bridge resort sea ocean desert falls canyon europe asia africa "
    "america antarctica oceania peninsula coast hills forest province district village town gardens plaza temple "
    "palace tower alps riviera hotel reef republic kingdom states"
)
PLACE_STARTS: Final = listed(
    "mount mt lake cape port fort san santa saint st los las new north south east west northeast northwest southeast "
    "southwest central"
)
CONTINENTS: Final = listed("europe asia africa america antarctica oceania scandinavia eurasia")
EVENT_ENDS: Final = listed(
    "festival conference cup olympics war summit marathon championship championships tournament workshop expo fair "
    "election revolution gala hackathon congress symposium"
)
OF_HEADS: Final = ORGANISATION_ENDS | PLACE_ENDS | EVENT_ENDS | listed("isle gulf duke lord lady sea house game king")
#: Shorter words are guessed nothing of: Brooks and Manning are names.
_LONG: Final = 8
_COMMON_ENDS: Final = (
    *(
        "egic",
        "etic",
        "atic",
        "omic",
        "ific",
        "ogic",
        "tion",
        "tions",
        "ments",
        "ment",
        "ness",
        "ship",
        "ships",
        "ities",
        "ity",
        "ally",
        "ically",
        "ability",
        "ics",
    ),
    *("ization", "isation", "ized", "ised", "ating", "yping", "arding", "ologies", "ology", "ologist", "ologists"),
)
_PREFIXES: Final = (
    "on",
    "over",
    "under",
    "re",
    "un",
    "pre",
    "co",
    "inter",
    "multi",
    "sub",
    "super",
    "micro",
    "mock",
    "bio",
)
#: Given names that are also entries of the list of common words, though hardly anybody writes them small.
_RATHER_NAMES: Final = listed("ann tom sam ben nick phil roy tim dan ella max jack ed ted ian ali eva ray kim lee")


def time_words() -> frozenset[str]:
    """Return weekdays, months, seasons, times of the day and holidays, folded."""
    return _TIME | _HOLIDAYS


def holidays() -> frozenset[str]:
    """Return the holidays, folded."""
    return _HOLIDAYS


@cache
def flags() -> dict[str, int]:
    """Return what each folded word of the lexicon may be; a word that is missing is none of it."""
    table: dict[str, int] = {}
    for kind, words in (
        (Is.COMMON, _common_words() - _RATHER_NAMES),
        (Is.CLOSED | Is.COMMON, _CLOSED),
        (Is.VERB | Is.COMMON, _VERBS),
        (Is.TIME, time_words()),
        (Is.DEMONYM, _DEMONYMS),
        (Is.TITLE, TITLES),
        (Is.PARTICLE, _PARTICLES),
        (Is.ROLE | Is.COMMON, _ROLES),
        (Is.KIN | Is.COMMON, KIN | {word + "s" for word in KIN} | {"children", "wives"}),
        (Is.DETERMINER | Is.CLOSED | Is.COMMON, _DETERMINERS),
        (Is.LIGHT | Is.COMMON, _LIGHT),
        (Is.PREPOSITION | Is.CLOSED | Is.COMMON, _PREPOSITIONS),
        (Is.CUE, _CUES),
        (Is.ALIAS, _ALIASES),
    ):
        for word in words:
            table[word] = table.get(word, 0) | kind
    return table


@lru_cache(maxsize=50_000)
def guessed(word: str) -> int:
    """Return what a folded ``word`` that the lexicon does not hold may be, by its form: common, or nothing."""
    table = flags()
    if "-" in word or "'" in word:
        parts = word.replace("'", "-").split("-")
        return Is.COMMON if any(table.get(part, 0) & Is.COMMON for part in parts) else 0
    long = len(word) >= _LONG
    if long and (word.endswith(_COMMON_ENDS) or table.get(word.removesuffix("s"), 0) & Is.COMMON):
        return Is.COMMON
    if any(long and word.startswith(start) and table.get(word[len(start) :], 0) & Is.COMMON for start in _PREFIXES):
        return Is.COMMON
    return 0


def _common_words() -> frozenset[str]:
    return listed(files("marskg").joinpath("language", "en", "common_words.txt").read_text(encoding="utf-8"))
