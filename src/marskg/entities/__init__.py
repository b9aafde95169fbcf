"""Entities and typed relations, found at write without a model."""

from marskg.entities.model import EntityType, Known, KnownNames, Recognised, Recognising, folded_name
from marskg.entities.recogniser import MAX_MENTIONS, MAX_THINGS, Recogniser
from marskg.entities.spacy_recogniser import SpacyRecogniser

__all__ = [
    "MAX_MENTIONS",
    "MAX_THINGS",
    "EntityType",
    "Known",
    "KnownNames",
    "Recognised",
    "Recogniser",
    "Recognising",
    "SpacyRecogniser",
    "folded_name",
]
