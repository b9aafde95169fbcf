"""Entities and typed relations, found at write without a model."""

from marskg.entities.dictionary import load_dictionary
from marskg.entities.recogniser import MAX_MENTIONS, MAX_THINGS, Recogniser, words_looked_up
from marskg.entities.spacy_recogniser import SpacyRecogniser
from marskg.language.mentions import (
    NOTHING,
    EntityType,
    Known,
    KnownNames,
    Recognised,
    Recognising,
    folded_name,
    names_of,
)

__all__ = [
    "MAX_MENTIONS",
    "MAX_THINGS",
    "NOTHING",
    "EntityType",
    "Known",
    "KnownNames",
    "Recognised",
    "Recogniser",
    "Recognising",
    "SpacyRecogniser",
    "folded_name",
    "load_dictionary",
    "names_of",
    "words_looked_up",
]
