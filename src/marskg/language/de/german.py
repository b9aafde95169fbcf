"""German, as far as contradictions are found in it: see :mod:`marskg.language.clause_words`.

Guarantees: plain tables and patterns, of folded text ("ß" is "ss"). Dates, hours and sums are read as English writes
them, so that one reader of quantities serves both.
"""

from __future__ import annotations

import re
from typing import Final

from marskg.language.clause_words import (
    Attributes,
    Changes,
    ClauseWords,
    Negation,
    Tasks,
    Unasserted,
    folded_words,
    relations,
    said,
    sentences_with_ordinals,
    sides,
    stemming,
)
from marskg.late_regex import late_regex

_FUNCTION: Final = folded_words(
    "der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine keinen keinem keiner mehr "
    "ich du er sie es wir ihr mich dich sich uns euch mir dir mein meine meinen meinem meiner meines dein deine sein "
    "seine seinen ihre ihren ihrem unser unsere unseren ist sind war waren bin bist hat habe haben hatte hatten wird "
    "werden wurde wurden in im am an auf aus bei beim mit nach von vom vor zu zum zur um für durch gegen ohne über "
    "unter "
    "zwischen seit bis als wie wenn falls dass weil ob noch schon nur auch jetzt nun inzwischen immer nie niemals "
    "heute "
    "gestern morgen dort hier da so sehr man was wer wo warum statt nichts niemand uhr euro wohnt wohne lebt lebe "
    "arbeitet arbeite heißt heiße trinkt trinke isst esse mag mögen liebt liebe hasst hasse muss müssen kann können "
    "will "
    "soll darf gern gerne lieber spielt spricht nutzt nutzen fährt geht kommt hört liest raucht kauft braucht beginnt "
    "endet findet statt"
)
#: Names of attributes, by which a text of a label and a value is known.
_LABELS: Final = folded_words(
    "größe schuhgröße gewicht adresse anschrift preis farbe termin projekt datenbank passwort geburtstag alter beruf "
    "telefonnummer wohnort arbeitgeber sprache frist betreff ort datum uhrzeit stadt straße ansprechpartner ideen "
    "notizen aufgaben"
)
_STOP: Final = folded_words(
    "der die das den dem des ein eine einen einem einer eines und oder aber mehr ich du er sie es wir ihr mich dich "
    "sich uns euch mir dir mein meine meinen meinem meiner meines dein deine deinen deinem deiner sein seine seinen "
    "seinem seiner seines ihre ihren ihrem ihrer ihres unser unsere unseren unserem unserer unseres ist sind war "
    "waren bin bist hat habe haben hatte hatten wird werden wurde wurden in im am an auf aus bei beim mit nach von "
    "vom vor zu zum zur um für durch gegen ohne über unter zwischen seit bis als wie wenn falls dass weil ob noch "
    "schon nur jetzt nun inzwischen mittlerweile derzeit aktuell momentan immer heute gestern morgen dort hier da so "
    "sehr man was wer wo warum statt uhr kann können muss müssen soll sollen will wollen darf dürfen eigentlich "
    "wirklich doch ja mal eben halt auch davon dazu damit daran neu neue neuen neuer neues gerade erst is user"
) | {"'s"}
terms: Final = stemming("german", _STOP)
_DAYS: Final = (
    ("montags?", "monday"), ("dienstags?", "tuesday"), ("mittwochs?", "wednesday"), ("donnerstags?", "thursday"),
    ("freitags?", "friday"), ("samstags?|sonnabends?", "saturday"), ("sonntags?", "sunday"),
)  # fmt: skip
_MONTH_NAMES: Final = (
    ("januar", "january"), ("februar", "february"), ("märz", "march"), ("mai", "may"), ("juni", "june"),
    ("juli", "july"), ("oktober", "october"), ("dezember", "december"),
)  # fmt: skip
_NUMBERS: Final = (
    ("zwei", "2"), ("drei", "3"), ("vier", "4"), ("fünf", "5"), ("sechs", "6"), ("sieben", "7"), ("acht", "8"),
    ("neun", "9"), ("zehn", "10"), ("elf", "11"), ("zwölf", "12"), ("zweimal", "2 mal"), ("dreimal", "3 mal"),
    ("einmal", "1 mal"), ("viermal", "4 mal"),
)  # fmt: skip
_PHRASES: Final = said(
    (r"(?<=\d)\.(?=\d{3}\b)", ""),
    (r"(?<=\d),(?=\d)", "."),
    *((rf"\b{word}\b", number) for word, number in _NUMBERS),
    *((rf"\b(?:{day})\b", name) for day, name in _DAYS),
    *((rf"\b{month}\b", name) for month, name in _MONTH_NAMES),
    (r"(\d{1,2})\. (?=january|february|march|april|may|june|july|august|september|october|november|december)", r"\1 "),
    (r"\bhalb (\d{1,2})(?: uhr)?\b", r" \1:30 before "),
    (r"\b(\d{1,2})[:.](\d{2}) uhr\b", r"\1:\2"),
    (r"\b(\d{1,2}) uhr (\d{2})\b", r"\1:\2"),
    (r"\b(\d{1,2}) uhr\b", r"\1:00"),
    (r"\bam\b", "an"),
    (r"\bprozent\b", "percent"),
    (r"\bdollar\b", "dollars"),
    (r"\b(?:ist|sind|beträgt|betragen|lautet|liegt bei|kostet)\b", " is "),
    (r"\b(?:seit|ab) (?:dem |der |letzte[mnr] |nächste[mnr] )?[\w.]+(?: \d{1,4})?", " "),
    (r"\b(?:hat|habe|haben) (?:mit dem|mit der) (\w+) aufgehört", r" nicht mehr \1"),
    (r"\b(?:hat|habe|haben) aufgehört,? zu (\w+)", r" nicht mehr \1"),
    (r"\bin ordnung\b", "intakt"),
)
_LIKING: Final = (
    "mag magst mögen mochte mochten liebt liebe lieben liebte gern gerne genießt genieße bevorzugt schätzt begeistert "
    "lieblings vergöttert"
)
_PAIRS: Final = (
    ("liking", _LIKING, "hasst hasse hassen hasste verabscheut verabscheue verabscheuen ungern langweilig meidet"),
    ("holding", "bestätigt zugesagt", "abgesagt storniert gestrichen"),
    ("opening", "offen geöffnet aufgemacht auf", "geschlossen zu dicht"),
    ("agreement", "genehmigt angenommen bewilligt zugestimmt akzeptiert", "abgelehnt verweigert zurückgewiesen"),
    ("permission", "erlaubt gestattet zulässig", "verboten untersagt unzulässig"),
    ("presence", "verfügbar vorhanden anwesend", "unverfügbar vergriffen abwesend"),
    ("switch", "aktiv aktiviert eingeschaltet", "inaktiv deaktiviert ausgeschaltet gesperrt"),
    ("success", "bestanden gewonnen", "durchgefallen verloren"),
    ("truth", "wahr richtig korrekt", "falsch unwahr"),
    ("marriage", "verheiratet", "geschieden ledig unverheiratet"),
    ("employment", "eingestellt angestellt", "entlassen gekündigt arbeitslos"),
    ("possibility", "möglich", "unmöglich"),
    ("safety", "sicher ungefährlich", "unsicher gefährlich"),
    ("repair", "intakt funktionsfähig repariert", "kaputt defekt"),
    ("completion", "fertig abgeschlossen erledigt", "unfertig unvollständig ausstehend"),
)
side: Final = sides(_PAIRS, stemming("german", frozenset()))
_NOT: Final = folded_words(
    "nicht kein keine keinen keinem keiner keines nie niemals nichts niemand weder nirgends kaum"
)
_CHANGE: Final = frozenset(
    terms(
        "verschoben verlegt geändert ändert umgestellt gewechselt wechselt umgestiegen umgezogen erhöht gesenkt "
        "gesunken "
        "gestiegen sank stieg verlängert verkürzt ersetzt aktualisiert angepasst vorgezogen reduziert"
    )
)
_SAYS: Final = (
    r"(?:sagt|sagte|gesagt|behauptet|behauptete|meint|meinte|glaubt|glaubte|denkt|dachte|findet, dass|erzählt|erzählte|"
    r"berichtet|berichtete|vermutet|vermutete|hofft|schreibt|schrieb|bezweifelt|bestreitet|schwört|fürchtet|hält)"
)
_UNASSERTED: Final = Unasserted(
    requested=late_regex(r"\b(?:kannst|könntest|können|könnten|würdest) (?:du|sie|wir)\b|\bbitte\b"),
    suggested=late_regex(r"^(?:und |aber |also )?(?:warum|wieso|weshalb)\b|^wie wäre\b|^ob\b"),
    supposed=late_regex(
        r"(?:^|[,;] |\b(?:und|nur|auch|ausser) )(?:wenn|falls|sofern)\b|^(?:angenommen|gesetzt)\b|\bes sei denn\b|"
        r"\bim falle?\b|\bob\b|\bwäre\b|\bhätte\b"
    ),
    reported=late_regex(
        rf"\b(?!(?:ich|wir|user)\b)\w+ {_SAYS}\b(?! (?:ich|wir)\b)|[\"”“»«],? ?{_SAYS}\b|\blaut\b|\bangeblich\b|"
        r"\bgerüchte?\b|\b(?:hat|haben) (?:\w+ )?(?:gesagt|behauptet|erzählt|gemeint)\b|\bsei(?:en)?\b"
    ),
    ironic=late_regex(
        r"^(?:ja,? (?:klar|genau|sicher)|na,? (?:toll|klar|super|prima|sicher)|von wegen|als ob|schon klar|klar,|haha|"
        r"wie schön)|🙄|/s$"
    ),
)
_NEGATION: Final = Negation(
    words=_NOT,
    limits=folded_words("nur bloß lediglich allein zuletzt unbedingt immer"),
    void=late_regex(
        r"\b(?:nichts|niemand\w*|nie|niemals|nirgends|kein\w*|nicht)\b.{0,60}(?<!\bsowohl )\bals\b|"
        r"\b(?:nichts|niemand|nie|nicht|kein\w*)\b.{0,40}\bso \w+ wie\b|"
        r"\b(?:nichts|niemand|kein\w*|nie) (?:\w+ )?ausser\b|\bnicht\b.{0,40}\bgenug\b|"
        r"\b(?:nicht|nie\w*|kein\w*)\b.{0,40}\bohne\b|\bohne\b.{0,40}\b(?:nicht|nie\w*|kein\w*)\b|"
        r"\boder nicht\b|\bwenn nicht\b|\bnicht (?:wahr|mehr und nicht weniger)\b|\bnicht weniger\b"
    ),
    narrows=late_regex(
        r"\b(?:ohne|bis|ausser|bevor|ehe|vor|nach|während|wenn|solange|sobald|allein|alles|alle|jeden?|immer|zu viel|"
        r"zu oft|selbst)\b"
    ),
    unsure=late_regex(r"\b(?:würde|würden|könnte|könnten|dürfte|sollte|sollten)\b"),
    passed=late_regex(r"sehr|besonders|gerade|ganz|so|wirklich|länger|weiter|mehr"),
    raised=frozenset(terms("finde findet finden denke denkt glaube glaubt meine")),
)
_IS: Final = r"\s+is\s+(?:jetzt |nun |inzwischen |mittlerweile |derzeit |aktuell )?(?P<value>\S.*)$"
_THE: Final = r"(?:der|die|das|mein|meine|unser|unsere|dein|deine|sein|seine|ihr|ihre)"
_OF: Final = r"(?: (?:des|der|von|vom|meines|meiner|unseres|unserer|für) [\w' -]{1,50}?)?"
_NOW: Final = r"(?: (?:jetzt|nun|inzwischen|mittlerweile|derzeit|aktuell|seither))?"
_VERB: Final = r"^(?P<who>.{0,40}?)\b"
_ATTRIBUTES: Final = Attributes(
    relations=relations(
        ("lives", rf"{_VERB}(?:wohn|leb)(?:e|t|en|st){_NOW}(?: \w+)? in (?P<value>.+)$"),
        ("lives", rf"{_VERB}(?:bin|is|sind){_NOW} nach (?P<value>.+?) (?:um)?gezogen$"),
        ("works", rf"{_VERB}arbeite[tn]?{_NOW} (?:bei|für) (?P<value>.+)$"),
        ("named", rf"^(?P<who>.{{1,60}}?) heiss(?:t|e|en){_NOW} (?P<value>.+)$"),
        ("written", rf"^(?P<who>.{{1,60}}?) is{_NOW}\s+in (?P<value>.+?) (?:geschrieben|programmiert|entwickelt)$"),
        ("hosted", rf"^(?P<who>.{{1,60}}?) läuft{_NOW} (?:auf|bei) (?P<value>.+)$"),
        ("led", rf"^(?P<who>.{{1,60}}?) wird{_NOW} von (?P<value>.+?) (?:geleitet|geführt)$"),
    ),
    open=(
        late_regex(rf"^(?P<who>{_THE} (?:[\w-]+e[nrs]? )?(?P<head>[\w-]+){_OF}){_IS}"),
        late_regex(rf"^(?P<who>\w+s (?P<head>[\w-]+)){_IS}"),
        late_regex(
            rf"^(?P<who>{_THE} (?:[\w-]+e[nrs]? )?(?P<head>[\w-]+){_OF})\s+is\s+(?:jetzt |nun )?in (?P<value>\S.*)$"
        ),
    ),
    sole=late_regex(r"\b(?:haupt|standard|lieblings|chef)\w*|\b(?:einzige|aktuelle|offizielle|wichtigste)[nrs]?\b"),
    many=frozenset(
        terms(
            "freund freundin freunde kollege kollegin nachbar nachbarin schwester bruder sohn tochter kind cousin "
            "cousine "
            "onkel tante neffe nichte enkel katze hund haustier hobby interesse ziel problem idee plan aufgabe "
            "mitglied "
            "kunde kundin partner partnerin lieferant autor autorin buch lied film serie spiel beispiel grund "
            "vorteil nachteil teil thema stärke schwäche traum wunsch schüler student mitarbeiter gast sache punkt"
        )
    ),
    entries=folded_words("notiz erinnerung aufgabe tipp idee ziel todo"),
    lists=folded_words("liste protokoll agenda sammlung aufgaben notizen ideen ziele termine punkte"),
    no_label=folded_words("ist sind sagt sagte folgende folgendes nämlich enthält"),
    vague=late_regex(
        r"(?:ein|eine|einen|einem|einer|der|die|das|dem|den|sehr|zu|so|mein|meine|sein|seine|ihr|ihre|unser|unsere|"
        r"diese[rsmn]?|teil|für|in|im|an|auf|aus|bei|mit|nach|von|vor|um|da|hier|dort|weg)\b"
    ),
)
_PAST: Final = folded_words(
    "gestern heute war waren hatte hatten betrug betrugen lief liefen kaufte kostete zahlte bezahlte aß trank las "
    "schrieb sah traf "
    "gewann "
    "verkaufte fuhr ging kam machte bekam schlief"
)
_HAVE: Final = folded_words("habe hat haben hatte hatten bin ist is sind wurde")
_USER, _HE, _SHE = "user", "he", "she"


def _happened(listed: list[str]) -> bool:
    """Return whether a clause tells what happened once: a past form, or a participle that ends it."""
    if not _PAST.isdisjoint(listed):
        return True
    return not _HAVE.isdisjoint(listed) and re.fullmatch(r"\w*ge\w{2,}(?:t|en)", listed[-1]) is not None


GERMAN: Final = ClauseWords(
    name="de",
    function=_FUNCTION | _LABELS | _PAST | folded_words(" ".join(month for month, _ in _MONTH_NAMES)),
    side=side,
    negation=_NEGATION,
    split=late_regex(
        r",?\s+\b(?:aber|obwohl|während|jedoch|sondern|doch)\b,?\s+|;\s+|\s[-–—]\s|"
        r",\s+(?=(?:der|die|das|ich|er|sie|wir|es|und) (?:auch|jetzt|nun|hat|ist|is|leitet|\w+t)\b)"
    ),
    phrases=_PHRASES,
    filler=frozenset(terms("genau ungefähr etwa rund total ganz besonders leider zum glück länger weiterhin")),
    unasserted=_UNASSERTED,
    changes=Changes(
        words=_CHANGE,
        moved=(late_regex(r"\bvon (?P<old>.{1,80}?) (?:auf|zu|nach) (?P<new>.{1,80}?)(?= \w+$|$)"),),
        replaced=(
            late_regex(
                r"\b(?:haben|hat|habe|wurde|wird) (?P<old>.{1,80}?) durch (?P<new>.{1,80}?) (?:ersetzt|abgelöst)"
            ),
        ),
        instead=late_regex(
            r"\b(?:statt|anstelle|anstatt) (?:des |der |dem |von |eines |einer )?(.{1,60}?)"
            r"(?= (?:ein|eine|einen|der|die)\b|$)"
        ),
        now=late_regex(r"\b(?:jetzt|nun|inzwischen|mittlerweile)\b"),
    ),
    tasks=Tasks(
        need=late_regex(r"\b(?:muss|müssen|soll|sollen|sollte|brauch(?:e|t|en)|will noch|wollen noch)\b|^to-?do\b"),
        done=late_regex(r"\b(?:erledigt|fertig|abgeschlossen|abgehakt)\b"),
        ended=late_regex(r"\b(?:nicht|kein\w*) (?:[\w ]{0,60} )?mehr\b"),
        dropped=late_regex(r"\b(?:streich\w*|gestrichen|entfern\w*)\b"),
        words=frozenset(terms("erledigt fertig abgeschlossen abgehakt gestrichen brauchen braucht")),
    ),
    attributes=_ATTRIBUTES,
    persons={
        **dict.fromkeys(("ich", "wir", "du", "mich", "mir", "uns", "user"), _USER),
        "er": _HE,
        "ihm": _HE,
        "ihn": _HE,
        "sie": _SHE,
    },
    owners={
        **dict.fromkeys(
            folded_words("mein meine meinen meinem meiner meines unser unsere unseren unserem dein deine deinen"), _USER
        ),
        **dict.fromkeys(("sein", "seine", "seinen", "seinem", "seiner"), _HE),
        **dict.fromkeys(("ihr", "ihre", "ihren", "ihrem", "ihrer"), _SHE),
    },
    scope=late_regex(
        r"\b(?:an|in|im|um|nach|vor|während|bis) ((?:(?:der|die|das|den|dem) )?[\wäöü]+(?: [\wäöü]+)?)|"
        r"\b(abends|morgens|nachts|mittags|nachmittags|vormittags)\b"
    ),
    request=late_regex(r"\bbitte\b|\b(?:kannst|könntest) du\b"),
    added=late_regex(
        r"\b(?:auch|außerdem|ausserdem|zusätzlich|ebenfalls|ebenso|noch ein\w*|weitere\w*|andere\w*|zudem)\b"
    ),
    event=_happened,
    terms=terms,
    sentences=sentences_with_ordinals,
)
