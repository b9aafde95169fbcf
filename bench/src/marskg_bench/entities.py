"""Precision and recall of entity recognition on Memora's people and places.

Guarantees: the gold comes from ``operation_details`` only, which no recogniser sees; it was fixed before the first
measurement. Recognisers get the text of one turn, and the name of nobody.

The gold of a period:

- **people**: ``item`` and ``old_item`` of the preferences for actors, authors, directors and artists (some artists are
  bands, so only the name counts there, not the type), and the names in ``attendees`` and ``project_lead``: what stands
  before the first comma or bracket, without a title, if that is at least two capitalised words.
- **places**: ``item`` and ``old_item`` of the preferred regions and of ``already_visited_list``, and of the latter
  the parts between commas.
- **works**: ``item`` of ``already_read_list``, ``already_watched_list`` and ``already_listened_list``.

*Recall*: of all (shared turn, gold name of its own session) where the turn holds the name word for word, in its case
and not inside a longer gold name, the share that is a mention of that name; ``typed`` asks for the type as well.

*Precision* of a type: of all mentions of that type in the shared turns of the users, the share whose name is in the
gold of that type anywhere in the period, or is the first or last word of one. That is a lower bound: a person or place
that the user mentions in passing is in nobody's gold and counts as wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from marskg.language.mentions import EntityType, folded_name
from marskg.sources.memora_layout import Layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from marskg.language.mentions import Recognising
    from marskg.sources.memora_layout import Session

_PREFERENCES: Final = {
    "actors": EntityType.PERSON,
    "authors": EntityType.PERSON,
    "directors": EntityType.PERSON,
    "artists": EntityType.PERSON,
    "regions": EntityType.PLACE,
    "already_visited_list": EntityType.PLACE,
    "already_read_list": EntityType.WORK,
    "already_watched_list": EntityType.WORK,
    "already_listened_list": EntityType.WORK,
}
_TITLE: Final = re.compile(r"(?:(?:Dr|Prof|Mr|Mrs|Ms|Professor)\.? )+")
_PERSON: Final = re.compile(r"[^\W\d_a-z][\w'’.-]*(?: [^\W\d_a-z][\w'’.-]*)+")
_PEOPLE_FIELDS: Final = frozenset({"attendees", "project_lead"})
_MEASURED: Final = (EntityType.PERSON, EntityType.PLACE, EntityType.WORK)


@dataclass(frozen=True, slots=True)
class GoldName:
    """A name that a session's details hold; ``strict`` that its type is certain."""

    name: str
    type: EntityType
    strict: bool = True


@dataclass(slots=True)
class Quality:
    """Counts of one type: ``expected`` gold occurrences, of them ``found`` and ``typed``; ``claimed`` and ``right``."""

    expected: int = 0
    found: int = 0
    typed: int = 0
    claimed: int = 0
    right: int = 0
    missed: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)

    @property
    def recall(self) -> float:
        """Return the share of the expected that was found, 0 to 1."""
        return self.found / self.expected if self.expected else 0.0

    @property
    def typed_recall(self) -> float:
        """Return the share of the expected that was found with its type, 0 to 1."""
        return self.typed / self.expected if self.expected else 0.0

    @property
    def precision(self) -> float:
        """Return the share of the claimed that is in the gold, 0 to 1; a lower bound."""
        return self.right / self.claimed if self.claimed else 0.0


def entity_quality(period: Path, recogniser: Recognising) -> dict[EntityType, Quality]:
    """Return the quality of ``recogniser`` on the personas in the folder ``period`` of Memora.

    Raises:
        InvalidDocument: a folder in ``period`` is no persona's.
    """
    sessions = list(_sessions(period))
    gold = {type_: _closed({g.name for s in sessions for g in gold_names(s) if g.type is type_}) for type_ in _MEASURED}
    result = {type_: Quality() for type_ in _MEASURED}
    for session in sessions:
        names = gold_names(session)
        for turn in session.shared:
            found = recogniser.find(turn.message).mentions
            types = {folded_name(name): m.entity_type for m in found for name in (m.name, *m.aliases)}
            _count_recall(turn.message, names, types, result)
            for mention in found:
                _count_precision(mention.name, mention.entity_type, gold, result)
    return result


def gold_names(session: Session) -> list[GoldName]:
    """Return the people, places and works that the details of ``session`` name, each once."""
    details = session.details
    found: dict[GoldName, None] = {}
    subcategory = details.get("subcategory")
    type_ = _PREFERENCES.get(subcategory) if isinstance(subcategory, str) else None
    if type_ is not None:
        for value in (details.get("item"), details.get("old_item")):
            if isinstance(value, str):
                parts = value.split(", ") if subcategory == "already_visited_list" else [value]
                found |= dict.fromkeys(GoldName(part, type_, subcategory != "artists") for part in (value, *parts))
    for text in _people_texts(details):
        name = _TITLE.sub("", re.split(r" ?[,(]", text)[0]).strip()
        if re.search("[,(]", text) and _PERSON.fullmatch(name):
            found[GoldName(name, EntityType.PERSON)] = None
    return list(found)


def _people_texts(details: Mapping[str, Any]) -> Iterator[str]:
    """Yield the values of the fields that hold people, as they are and as they were added or removed."""
    held = details.get("content_data")
    content: Mapping[str, Any] = held if isinstance(held, dict) else {}
    for name in sorted(_PEOPLE_FIELDS):
        value = content.get(name)
        yield from (item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str))
    for changes in (details.get("memory_updates"), details.get("memory_deletes")):
        for change in changes if isinstance(changes, list) else ():
            if isinstance(change, dict) and change.get("field") in _PEOPLE_FIELDS:
                yield from (v for v in (change.get("added_item"), change.get("removed_item")) if isinstance(v, str))


def _sessions(period: Path) -> Iterator[Session]:
    for folder in sorted(path for path in period.iterdir() if path.is_dir()):
        layout = Layout(folder)
        yield from (layout.session(number) for number in range(len(layout)))


def _closed(names: Iterable[str]) -> frozenset[str]:
    """Return folded ``names`` with the first and last word of each."""
    found: set[str] = set()
    for name in names:
        words = folded_name(name).split()
        found |= {" ".join(words), words[0], words[-1]}
    return frozenset(found)


def _count_recall(
    text: str, names: list[GoldName], types: Mapping[str, str | None], result: dict[EntityType, Quality]
) -> None:
    present = [gold for gold in names if re.search(rf"(?<!\w){re.escape(gold.name)}(?!\w)", text)]
    for gold in present:
        if any(gold.name != other.name and gold.name in other.name for other in present):
            continue
        quality, key = result[gold.type], folded_name(gold.name)
        quality.expected += 1
        if key not in types:
            quality.missed[gold.name] += 1
            continue
        quality.found += 1
        quality.typed += types[key] == gold.type or not gold.strict


def _count_precision(
    name: str, type_: str | None, gold: Mapping[EntityType, frozenset[str]], result: dict[EntityType, Quality]
) -> None:
    for measured in _MEASURED:
        if type_ == measured:
            quality = result[measured]
            quality.claimed += 1
            if folded_name(name) in gold[measured]:
                quality.right += 1
            else:
                quality.wrong[name] += 1
