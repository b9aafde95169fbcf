"""Who says that they like a thing, or do not: "I have a soft spot for jazz", "Ana avoids crowds".

Guarantees: pure; only a clause that begins with who likes it, and in which the thing is what is liked, tells anything:
neither "I would like coffee" nor "my aunt likes coffee", "things like coffee" and "coffee filters". English.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from marskg.late_regex import late_regex

if TYPE_CHECKING:
    from marskg.language.spans import Part

LIKES: Final = "likes"
DISLIKES: Final = "dislikes"

_ADVERBS: Final = (
    r"(?:(?:really|actually|also|just|always|still|truly|absolutely|definitely|totally|honestly|particularly|especially|"
    r"quite|so|very|much|generally|usually|personally|secretly|lately|recently|great|big|huge|a|an|such|always been) )*"
)
_FOND: Final = (
    r"(?:like[sd]?|love[sd]?|adore[sd]?|enjoy(?:s|ed|ing)?|prefer(?:s|red)?|appreciate[sd]?|admire[sd]?|liking|loving|"
    r"(?:fan|fans) of|fond of|into|drawn to|keen on|hooked on|crazy about|obsessed with|passionate about|"
    r"fascinated by|captivated by|(?:(?:have|has|had) )?(?:a )?soft spot for)"
)
_AVERSE: Final = (
    r"(?:dislike[sd]?|disliking|hate[sd]?|hating|detest(?:s|ed)?|loathe[sd]?|despise[sd]?|avoid(?:s|ed|ing)?|"
    r"(?:try|tries) to avoid|(?:can't|cannot) stand|tired of|bored (?:by|of|with))"
)
_HELPS: Final = r"(?:(?:'ve|'m|'s| have| has| am| is| been| do| does)(?= ))*"
_NOT: Final = r"(?P<not>(?:don't|doesn't|do not|does not|not|never|no longer) )?"
_STANCE: Final = (
    rf"(?P<helps>{_HELPS}) {_ADVERBS}{_NOT}{_ADVERBS}(?:(?P<for>{_FOND})|(?P<against>{_AVERSE}))(?P<how> how)? "
    r"(?P<what>[^,;:!?()]+)"
)
#: A verb of the past, which tells what was, but for "I have always liked", and what makes it so.
_PAST: Final = late_regex(r"\w+e?d")
_HAVE: Final = late_regex(r"'ve|'s|have|has")
#: What may stand behind a thing that is liked, and what leads to it.
_BEHIND: Final = late_regex(
    r"(?: (?:lately|now|right now|recently|these days|a lot|so much|very much|the most|too|as well|again|at the moment|"
    r"(?:'s |' )?(?:films?|movies?|books?|works?|music|songs?|writing|novels?)))*[ .]*$",
    re.IGNORECASE,
)


class Taste(NamedTuple):
    """What a clause tells of a taste: whether it is liked, what, where that stands, and whether more follows it."""

    stance: str
    what: str
    part: Part
    how: bool


@lru_cache(maxsize=256)
def _frame(who: str) -> re.Pattern[str]:
    return re.compile(
        rf"^(?:(?:and|oh|well|yes|no|hmm|actually|honestly|personally),? )*{re.escape(who)}{_STANCE}", re.IGNORECASE
    )


def taste_in(clause: str, who: str) -> Taste | None:
    """Return the taste that ``who`` is said to have, None where ``clause`` does not begin with that.

    >>> taste_in("Ana has always had a soft spot for jazz", "Ana")[:2]
    ('likes', 'jazz')
    >>> taste_in("I don't like jazz lately", "I")[:2]
    ('dislikes', 'jazz')
    >>> taste_in("I would like coffee", "I") is None
    True
    """
    found = _frame(who).match(clause)
    if found is None or (_PAST.fullmatch(found["for"] or found["against"]) and not _HAVE.search(found["helps"])):
        return None
    liked = (found["for"] is not None) != (found["not"] is not None)
    what = _BEHIND.sub("", found["what"])
    return Taste(
        LIKES if liked else DISLIKES, what, (found.start(), found.start("what") + len(what)), found["how"] is not None
    )
