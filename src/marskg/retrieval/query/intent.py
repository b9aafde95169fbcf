"""What a query is about and asks for: topics, whose words, which time.

Guarantees: found from the query and from what the reader may see, without a model; the same query on the same memories
gives the same intent. Source: MemoryArchitect II.C.1 ("simple classification, or examining keywords").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marskg.language.en.topics import topics_of
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import SourceType
from marskg.text import folded, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

#: Share of the nearest memories' similarity that a topic must hold, and how near the nearest must be.
_SHARE: Final = 0.5
_NEAR: Final = 0.35
_TOLD: Final = late_regex(
    r"\b(?:did|have|had) i (?:ever )?(?:tell|told|say|said|mention|ask|share)|\bi (?:told|said to) you\b"
)
_ADVISED: Final = late_regex(
    r"\b(?:did|have|had) you (?:ever )?(?:tell|told|say|said|suggest|recommend|advise|answer|explain)"
    r"|\byou (?:told|said to) me\b"
)
_OF: Final = r"(?:the|my|our|this|that)"
_DOCUMENT: Final = (
    r"(?:\w+ ){0,2}(?:documents?|docs?|manual|handbook|files?|pdf|article|report|guide|website|contract|"
    r"policy|api|tool)"
)
_SAYS: Final = r"(?:say|says|said|state|states|mention|mentions|return|returns|returned)"
_WRITTEN: Final = late_regex(
    rf"\b(?:according to|what (?:do|does|did)|{_OF}) (?:{_OF} )?{_DOCUMENT} {_SAYS}\b"
    rf"|\baccording to {_OF} {_DOCUMENT}\b"
)


@dataclass(frozen=True, slots=True)
class Intent:
    """Topics by tag, and the sources that the query asks for.

    ``voted`` is whether it names none of the topics: they are those of the nearest memories.
    """

    tags: tuple[str, ...] = ()
    sources: tuple[SourceType, ...] = ()
    voted: bool = False


def infer(query: str, tags: Iterable[str], nearest: Sequence[tuple[float, Sequence[str]]]) -> Intent:
    """Return the intent of ``query``.

    Args:
        query: as it was asked.
        tags: the topics that visible memories have.
        nearest: the most similar visible memories, as ``(similarity, tags)``, the most similar first.
    """
    asked = set(terms(query))
    known = {*tags}
    found = {tag for tag in known if (words := set(terms(tag.replace("_", " ").replace("-", " ")))) and words <= asked}
    found |= known.intersection(topics_of(query))
    voted = _voted(nearest) if not found and nearest and nearest[0][0] >= _NEAR else set()
    text = folded(query)
    sources: list[SourceType] = []
    if _TOLD.search(text):
        sources.append(SourceType.CHAT_USER)
    if _ADVISED.search(text):
        sources.append(SourceType.CHAT_ASSISTANT)
    if _WRITTEN.search(text):
        sources += [SourceType.DOC, SourceType.API_RESULT]
    return Intent(tuple(sorted(found | voted)), tuple(sources), bool(voted))


def _voted(nearest: Sequence[tuple[float, Sequence[str]]]) -> set[str]:
    """Return the topics that hold their share among the nearest memories."""
    total = sum(max(0.0, similarity) for similarity, _ in nearest)
    held: dict[str, float] = {}
    for similarity, tags in nearest:
        for tag in tags:
            held[tag] = held.get(tag, 0.0) + max(0.0, similarity)
    return _above(held, _SHARE * total)


def _above(held: Mapping[str, float], limit: float) -> set[str]:
    return {tag for tag, amount in held.items() if amount >= limit > 0}
