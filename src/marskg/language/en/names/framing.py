"""Whether what a text says of a name is its writer's own plain word, and how a name stands in its sentence.

Guarantees: pure; O(text) for a text and O(sentence) for a question about it. What is asked, denied, doubted, supposed,
reported, quoted, headed by somebody else's name, part of a tale or taken back is not plainly said; nor is what stands
in a sentence that is too long to be looked through.

A text is looked at as its shape (``relations.shape``): small letters, a number for each name.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from marskg.language.en.names.relations import CLOSE, OPEN
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

_NAME: Final = rf"{OPEN}\d+{CLOSE}"
_NUMBER: Final = late_regex(rf"{OPEN}(\d+){CLOSE}")
#: Longer ones are no sentence of talk.
_LONGEST: Final = 600
#: A line break ends a sentence only where a paragraph or an entry of a list ends: "I doubt that" may stand above.
_ENDS: Final = late_regex(r"[.!?…]+[\"'”’)\]*_]*(?:\s+|$)|\n\s*\n|\n\s*(?=[-*•>#\d|])")
_ABBREVIATED: Final = late_regex(r"(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|vs|e\.g|i\.e|etc|jr|sr|no|geb|ca|[a-z])$")
#: Marks that open and close by turns, whatever the language.
_MARKS: Final = late_regex(r"[\"“”„‟«»]|```")
_SINGLE: Final = late_regex(r"(?:^|[\s(:])['‘\u201a\u2039](?=\S)")
_COLON: Final = late_regex(r":(?=[\s*_\"“„«]|$)")
_OWN_LABEL: Final = late_regex(
    r"(?:p\.?s\.?|notes?|note to self|fyi|btw|by the way|reminder|remember|update|info|memo|fact|me|i|user|contact)"
)
#: What stands before a line of another's: the mark of a quotation, or who says it: "[Bot] Hello".
_TAGGED: Final = late_regex(r"\s*(?:[>|<]|\[[^\]\n]{1,60}\])")
#: A label of somebody who speaks holds until the next one, another one for its line.
_SPEAKS: Final = late_regex(
    rf"{OPEN}|\b(?:bot|chatbot|assistant|ai|model|system|agent|tool|speaker|user|sa(?:id|ys)|wr(?:ote|ites)|"
    r"repl(?:ied|ies)|answer(?:ed|s)?|from|forwarded|fwd|story|he|she|they|you|him|her|them)\b"
)
_TALE: Final = late_regex(
    r"\b(?:stor(?:y|ies)|tales?|fairy ?tales?|novels?|novella|films?|movies?|poems?|lyrics|fiction\w*|role-?play\w*|"
    r"screenplays?|sitcoms?|thrillers?|villains?|hero(?:es|ine)?|superhero\w*|d&d|avatar|persona|nightmares?|"
    r"dream(?:s|t|ed|ing)?|plot|protagonist|characters?|once upon a time|imagine|pretend|let['’]s say|make believe|"
    r"hypothetical\w*|musical|opera|cartoon|manga|anime|"
    r"chatbots?|bot|bots|assistant|chatgpt|translate|proofread|paraphrase|rewrite|forwarded|quotes?|quoted|excerpt|"
    r"roman|romanfigur|märchen|theaterstück|drehbuch|película|novela|cuento|conte|scénario)\b"
)
#: Of these a tale is told where they stand in the sentence itself: many a text speaks of a book besides.
_STAGE: Final = late_regex(
    r"\b(?:in|of|from|on|by|for) (?:(?:an?|the|my|our|his|her|their|this|that|its) )?(?:[\w-]+ ){0,2}?"
    r"(?:books?|games?|plays?|shows?|series|dreams?|scripts?|scenes?|episodes?|sketch|comics?|songs?|jokes?|riddles?|"
    r"puzzles?|examples?|sentences?|exercises?|dictionary|buch|spiel|traum|livre|libro|rêve)\b|"
    r"\b(?:dream(?:t|ed|s|ing)|for instance|e\.g|example)\b"
)
_TAKEN_BACK: Final = late_regex(
    r"\b(?:kidding|joking|just a joke|(?:made|making) (?:that|this|it|all that|all this) up|not true|untrue|"
    r"isn['’]t true|(?:is|was|it['’]s|that['’]s) (?:a lie|nonsense|false|wrong|made[- ]up)|"
    r"lol|haha\w*|as if|jk|doubt (?:it|that)|(?:i|we) lied|don['’]t believe (?:that|this|it))\b|"
    r"(?:^|[.!?…]\s+)(?:no|not|nope|wrong|nah)[.,!]|\s/s\b"
)
_ASKS: Final = late_regex(r"\?[!?.\"'”’)\]*_\s]*$")
#: What before a statement makes it another's word, a guess, a wish or its contrary; or hangs it on something else.
_HEDGED: Final = late_regex(
    r"n['’]t\b|\b(?:doubt\w*|thinks?|thinking|thought|believ\w+|guess\w*|suppos\w*|assum\w+|imagin\w+|wonder\w*|hears?|"
    r"heard|hop(?:e|es|ed|ing)|wish\w*|fear\w*|suspect\w*|claim\w*|pretend\w*|says?|said|saying|tells?|told|telling|"
    r"asks? (?:if|whether|what|how|why)|asked|writes?|wrote|written|reads?|report\w*|rumou?r\w*|alleg\w+|apparent\w*|"
    r"purported\w*|seem\w*|sounds?|maybe|perhaps|probabl\w+|possibl\w+|likely|might|may|could|would|if|unless|whether|"
    r"in case|as though|not|never|no|nobody|none|nor|neither|hardly|without|den(?:y|ies|ied)|false|fake|wrong\w*|lie|"
    r"lies|swears?|swore|insist\w*|gossip\w*|play(?:s|ed|ing)|portray\w*|dress(?:es|ed)|cosplay\w*|acts|acted|"
    r"articles?|newspapers?|headlines?|blog|website|wikipedia|accus\w+|mistak\w+|confus\w+|who|whom|whose|which|that|what|how|why|when|"
    r"names?|nickname|usually|generally|until|till|before|instead|rather than|"
    r"nicht|kein\w*|glaub\w+|bezweif\w+|angeblich|vielleicht|ob|wenn|falls|sagt\w*|denk\w*|dass|"
    r"dudo|creo|dicen?|dijo|quizás?|tal vez|si|que|doute|crois|dit|pas|peut-être)\b"
)
_WHO: Final = (
    rf"(?:{_NAME}|i|we|he|she|it|they|you|people|some(?:one|body)|every(?:one|body)|(?:my|the|a|his|her) [\w ]+?)"
)
_HEDGED_BEHIND: Final = late_regex(
    rf"[,;–—(-] ?(?:or so |as |but |at least )?{_WHO} (?:\w+ly |always |just |also )?(?:says?|said|thinks?|thought|"
    r"claims?|claimed|heard|hears?|guess|guessed|told|tells?|wrote|writes?|believes?|believed|suppose\w*|hopes?|hoped|"
    r"jokes?|joked|insists?|insisted|bets?|assumes?|assumed|doubts?|doubted|dreamt|imagined|read)\b|"
    r"[,–—-] ?(?:says|said|claims|claimed|thinks|wrote|writes|joked|according)\b|"
    r"\b(?:maybe|perhaps|apparently|allegedly|supposedly|according to|rumou?r\w*|"
    r"or (?:tried|wanted|almost|nearly)|not sure|unsure|or not|who knows|"
    r"(?:is|was|has|did|does|do)n['’]t (?:he|she|it|they|that|this)|never happened|"
    r"angeblich|vielleicht|sagt\w*|dit-on|dicen)\b"
)
#: What a name hangs on, so that what follows it may be said of what stands before: "the husband of Ann, known as Tom".
_HANGS: Final = late_regex(
    r"(?:\b(?:of|from|in|at|near|by|beside|behind|with|without|to|for|like|than|as|about|against|between|over|under|on|"
    r"into|and|or|nor|plus|versus|vs\.?|von|vom|aus|bei|mit|und|für|avec|et|ou|de|du|des|y|con|del)\s+|"
    rf"[&/,+:]\s*|{CLOSE}\s*)$"
)
_REACHED: Final = late_regex(r"\W*(?:i|we|he|she|they|you)(?:['’](?:ve|m|re|d|ll))? \w+ (?:to|with|in|at|for|from) $")
_NOUN: Final = (
    r"(?!(?:names?|nicknames?|words?|new|next|other|second|third|real|future|young|first|last)\b)[a-z-]+(?<!ing)(?<!ed)"
)
#: What may stand before the name of whom a sentence is about.
_LEAD: Final = late_regex(
    r"[\s*•#_–—-]*(?:(?:ok|okay|so|and|but|well|oh|hi|hey|hello|also|btw|by the way|fyi|p\.?s\.?|note|remember|please|"
    r"please note|please remember|just so you know|for the record|today|yesterday|recently|last \w+|this \w+|reminder|"
    r"note to self|actually|user|me|update|info|memo|contact)(?: that)?[,:;]?\s+){0,3}"
    r"(?:(?:my|our|his|her|their|the)\s+(?:(?:best|old|new|good|dear|former|older|younger|little|big|late|twin|eldest)\s+)?"
    rf"{_NOUN},?\s+)?"
)


class Framing:
    """How the statements of one text are framed."""

    def __init__(self, shaped: str, names: Sequence[str], speaker: str | None) -> None:
        """Look at ``shaped``, in which ``names`` have their numbers, and which ``speaker`` wrote; both are folded."""
        self._shaped = shaped
        self._names = names
        self._speaker = speaker
        self._starts = [0, *(match.end() for match in _ENDS.finditer(shaped) if not _goes_on(shaped, match))]
        self._marks = [match.start() for match in _MARKS.finditer(shaped)]
        self._colons = [match.start() for match in _COLON.finditer(shaped)]
        self._tale = self._first_of_tale()
        self._taken_back = _TAKEN_BACK.search(self._spelled(shaped)) is not None

    def says(self, start: int, end: int) -> bool:
        """Return whether what stands from ``start`` to ``end`` is the plain word of who writes."""
        first, last = self._sentence(start, end)
        if self._taken_back or self._tale < last or last - first > _LONGEST or self._is_quoted(first, start):
            return False
        before, behind = self._shaped[first:start], self._shaped[end:last]
        if self._is_anothers(start) or _ASKS.search(behind) is not None:
            return False
        led = _LEAD.fullmatch(before) is not None
        # A word that begins a sentence may be taken for a name: "Angeblich singt Ann".
        before, spelled = self._spelled(before), self._spelled(behind)
        if _STAGE.search(before) or _STAGE.search(spelled) or _TALE.search(before):
            return False
        return (led or _HEDGED.search(before) is None) and _HEDGED_BEHIND.search(behind) is None

    def begins(self, start: int) -> bool:
        """Return whether the name at ``start`` is that of whom its sentence is about."""
        return _LEAD.fullmatch(self._shaped, self._sentence(start, start)[0], start) is not None

    def stands_alone(self, start: int) -> bool:
        """Return whether what follows the name at ``start`` is said of it, and of nothing that stands before it."""
        first = self._sentence(start, start)[0]
        if _LEAD.fullmatch(self._shaped, first, start) is not None:
            return True
        before = self._shaped[max(first, start - _LONGEST) : start]
        return _HANGS.search(before) is None or _REACHED.fullmatch(before) is not None

    def _first_of_tale(self) -> int:
        """Return where a word of a tale stands first, which may have a number as a thing."""
        told = [match.start() for match in (_TALE.search(self._shaped),) if match is not None]
        numbers = [number for number, name in enumerate(self._names) if _TALE.search(name) is not None]
        places = (self._shaped.find(f"{OPEN}{number}{CLOSE}") for number in numbers)
        return min((*told, *(place for place in places if place >= 0)), default=len(self._shaped))

    def _spelled(self, part: str) -> str:
        """Return a part of the shape with the names instead of their numbers."""
        return _NUMBER.sub(lambda match: self._names[int(match[1])], part)

    def _sentence(self, start: int, end: int) -> tuple[int, int]:
        first = self._starts[bisect_right(self._starts, start) - 1]
        colon = self._colon(start)
        if colon is not None and self._is_own(self._label(colon)):
            first = max(first, colon + 1)
        behind = bisect_right(self._starts, end)
        return first, self._starts[behind] if behind < len(self._starts) else len(self._shaped)

    def _is_quoted(self, first: int, start: int) -> bool:
        if bisect_right(self._marks, start) % 2:
            return True
        line = self._shaped.rfind("\n", 0, start) + 1
        return _SINGLE.search(self._shaped, first, start) is not None or _TAGGED.match(self._shaped, line) is not None

    def _colon(self, start: int) -> int | None:
        """Return the last colon before ``start``."""
        before = bisect_right(self._colons, start)
        return self._colons[before - 1] if before else None

    def _label(self, colon: int) -> str:
        """Return what stands before a colon: in its line, behind the colon before it."""
        place = bisect_right(self._colons, colon - 1)
        start = max(self._colons[place - 1] + 1 if place else 0, self._shaped.rfind("\n", 0, colon) + 1)
        return self._shaped[max(start, colon - _LONGEST) : colon]

    def _is_own(self, label: str) -> bool:
        """Return whether a label is that of who speaks, or heads what they say themselves."""
        who = label.rpartition(". ")[2].strip(" \t>*#_[]•-")
        return _OWN_LABEL.fullmatch(who) is not None or (who != "" and self._spelled(who) == self._speaker)

    def _is_anothers(self, start: int) -> bool:
        """Return whether a colon says that ``start`` stands in the words of somebody else."""
        colon = self._colon(start)
        if colon is None:
            return False
        label = self._label(colon)
        if self._is_own(label):
            return False
        # A label with nothing behind it heads what follows.
        rest = self._shaped[colon + 1 : start]
        return _SPEAKS.search(label) is not None or not rest.partition("\n")[0].strip(" *_") or "\n" not in rest


def _goes_on(shaped: str, match: re.Match[str]) -> bool:
    """Return whether a full stop is that of an abbreviation."""
    return match[0][0] == "." and _ABBREVIATED.search(shaped, max(0, match.start() - 8), match.start()) is not None
