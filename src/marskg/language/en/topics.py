"""Topics of a text by keywords: the intent tags of what is stored without any, such as ``topic:gardening``.

Guarantees: a pure function of the text, without a model; at most :data:`MOST` topics, those with the most different
keywords, ties by name; nothing of the text is in a tag, as all tags come from the fixed table. A text in which no
keyword stands has no topic. The prefix tells them from tags that somebody gave: they filter where a profile or a caller
asks for it, and lift nothing in a ranking, for which the words themselves are the finer measure. Source:
MemoryArchitect II.B ("User Intent Tags … can be derived automatically").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.text import term_set, terms

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Topics that one text may have.
MOST: Final = 3
_PREFIX: Final = "topic:"
_WORDS: Final = {
    "animals": "animal pet pets dog puppy cat kitten vet horse bird rabbit hamster aquarium veterinarian leash "
               "litter",
    "art": "art painting paint drawing sketch sculpture gallery museum pottery photography photo exhibition craft "
           "canvas",
    "education": "school university college student teacher class course exam homework lecture degree thesis tuition "
                 "semester study",
    "family": "family mother father mom mum dad sister brother daughter son kid kids children grandmother "
              "grandfather parents wife husband cousin aunt uncle niece nephew",
    "finance": "money budget salary bank loan mortgage rent tax taxes invoice savings insurance debt investment "
               "pension expense refund payment",
    "food": "food cook cooking recipe restaurant meal dinner lunch breakfast vegetarian vegan dish bake baking cake "
            "bread cheese coffee tea wine ingredient",
    "gardening": "garden gardening plant plants seedling tomato tomatoes soil compost flower flowers vegetable "
                 "orchard prune greenhouse lawn mulch",
    "health": "health doctor hospital medicine medication allergy allergic illness diet therapy therapist surgery "
              "symptom pain sleep vaccine dentist diagnosis",
    "home": "house home apartment flat kitchen furniture landlord renovation neighbour neighbor roof plumber carpet "
            "bathroom bedroom household",
    "music": "music song concert guitar piano violin band album singer melody orchestra drum playlist choir festival",
    "reading": "book books novel author library chapter poem poetry reading bookshop writer biography",
    "screen": "film movie cinema series episode documentary actor actress television streaming director",
    "shopping": "shopping shop store buy bought purchase order price discount delivery parcel receipt gift",
    "sport": "sport running marathon gym workout yoga football soccer tennis swim swimming cycling bike hiking "
             "basketball training coach climbing",
    "technology": "computer laptop software app website server code programming database router phone internet "
                  "password backup algorithm",
    "travel": "travel trip flight airport hotel vacation holiday passport luggage itinerary tourist visa cruise "
              "train hostel sightseeing",
    "work": "work job office colleague manager boss meeting deadline project client interview career promotion "
            "contract customer company",
}  # fmt: skip
_TOPICS: Final = {f"{_PREFIX}{topic}": words for topic, words in _WORDS.items()}


def topics_of(text: str) -> tuple[str, ...]:
    """Return the topics that the words of ``text`` name, sorted."""
    said = {*terms(text)}
    found = {topic: shared for topic, words in _TOPICS.items() if (shared := len(term_set(words) & said))}
    ranked = sorted(found, key=lambda topic: (-found[topic], topic))
    return tuple(sorted(ranked[:MOST]))


def is_derived(tag: str) -> bool:
    """Return whether a tag is one that :func:`topics_of` gives."""
    return tag in _TOPICS


def renewed_topics(tags: Iterable[str], before: str, after: str) -> tuple[str, ...]:
    """Return the tags of a memory whose text changes: topics that came from the old text follow the new one."""
    kept = tuple(tags)
    return topics_of(after) if kept == topics_of(before) else kept
