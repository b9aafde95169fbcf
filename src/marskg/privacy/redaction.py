"""A text without what its reader may not see: forms first, then what memories above the reader's ceiling say.

Guarantees: what is replaced becomes a typed placeholder such as ``[EMAIL]``; redacting the result again with the same
settings and the same memories changes nothing; nothing but the ceiling, the settings and those memories decides, so a
text that asks to be let through is treated as any other. The first pass looks at the text alone. The second knows what
it must not repeat, so its answer says that there is something: it is for those who may know that, and never for a
reader (see docs/adr/0024-sensitivity.md). What is replaced is reported by kind and place, without its words. Source:
semantics section 9; MaRS section 3.3.3 and appendix C.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from marskg.answer import Answer
from marskg.embedding.static import StaticEmbedding
from marskg.json_object import MAX_DEPTH, JsonObject, UnfitJsonError, canonical_json
from marskg.language.identifiers.deobfuscation import reworded
from marskg.late_regex import late_regex
from marskg.ontology.fields import NAMING_FIELDS
from marskg.privacy.sensing.model import PLACEHOLDERS, TOPICS, Category, united
from marskg.text import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from marskg.config import SensitivitySettings
    from marskg.embedding.model import Vectors
    from marskg.ontology.fields import Field
    from marskg.privacy.sensing.detector import Detector
    from marskg.privacy.sensing.model import Finding
    from marskg.records import Memory, Value
    from marskg.weight import TokenCounter

_Words: TypeAlias = tuple[str, JsonObject | None]
WITHHELD: Final = "[WITHHELD]"
HELD: Final = "[HELD]"
_PLACEHOLDER: Final = late_regex(
    r"\[(?:" + "|".join(one.strip("[]") for one in (*PLACEHOLDERS.values(), WITHHELD, HELD)) + r")\]"
)
#: A sentence with its place; line ends divide as well.
_SENTENCE: Final = late_regex(r"[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]*")
_NUMBER: Final = late_regex(r"\d[\d.,]*\d{2}")
_YEAR: Final = late_regex(r"(?:19|20)\d{2}")
#: Terms below which a sentence says too little to be compared by them, and by its meaning.
_FEWEST_TERMS: Final = 3
_FEWEST_MEANT: Final = 2
#: The nearness, a cosine, from which a shared number is the same fact.
_SAME_FACT: Final = 0.3
#: Leaves of which is kept whether anything is taken out of them, and the text of one whose names alone can be.
_LEAVES_KEPT: Final = 100_000
_NULL: Final = "null"
#: Blanks that a name has at least which is a sentence.
_SENTENCE_BLANKS: Final = 2
#: Texts whose redaction is kept: a memory's text never changes.
_KEPT: Final = 20_000


@dataclass(frozen=True, slots=True)
class Replaced:
    """One thing that was replaced: where it stood in the text as given, and what took its place.

    ``why`` is a category such as ``email``, or ``withheld`` for what a hidden memory says.
    """

    start: int
    end: int
    why: str


@dataclass(frozen=True, slots=True)
class Redaction(Answer):
    """A redacted text, and what was replaced in it.

    ``held`` is set where a person has to decide first: ``text`` is then ``[HELD]`` alone. ``replaced`` are the places
    of the first reading of each pass, in the text that the pass got.
    """

    text: str
    replaced: tuple[Replaced, ...] = ()
    held: bool = False


class Redactor:
    """Redacts by a tenant's detector and settings."""

    def __init__(self, detector: Detector, settings: SensitivitySettings) -> None:
        """Find with ``detector``, weigh by ``settings``."""
        self._detector = detector
        self._settings = settings
        self._model = StaticEmbedding()
        #: By id and ceiling: text and free JSON as they are, and as the reader gets them.
        self._shown: dict[tuple[str, float], tuple[_Words, _Words]] = {}
        #: By text and ceiling: what names something, as it is shown.
        self._named: dict[tuple[str, float], str] = {}
        #: By a digest of path and canonical text, and ceiling: whether a leaf of free JSON is shown as it is.
        self._kept: dict[tuple[bytes, float], bool] = {}

    def surface(self, text: str, ceiling: float | None = None) -> Redaction:
        """Return ``text`` without what has a form of its own, or with a ``ceiling`` without all that weighs more.

        Raises:
            EnvironmentFailure: presidio or the model of names is asked for and not installed.
        """
        categories = frozenset(one for one in Category if self._weighs(one, ceiling))
        replaced: tuple[Replaced, ...] | None = None
        while True:
            findings = self._findings(text, categories)
            if replaced is None:
                replaced = tuple(Replaced(one.start, one.end, one.category.value) for one in findings)
            if not findings:
                return Redaction(text, replaced)
            text = _put(text, findings)

    def against(self, text: str, hidden: Iterable[str], *, hold: bool) -> Redaction:
        """Return ``text`` without the sentences that repeat what one of the ``hidden`` texts says.

        With ``hold`` nothing is shown where there is one, until a person has decided.
        """
        said = [(text[start:end], start, end) for start, end in _sentences(text)]
        for view in reworded(text):
            said += [(view.text[start:end], *view.span(start, end)) for start, end in _sentences(view.text)]
        secrets = [form[start:end] for words in hidden for form in forms(words) for start, end in _sentences(form)]
        if not said or not secrets:
            return Redaction(text)
        cosines = self._vectors([words for words, _, _ in said]) @ self._vectors(secrets).T
        known = [_Said.of(words) for words in secrets]
        repeated = []
        for place, (words, start, end) in enumerate(said):
            mine = _Said.of(words)
            if any(self._repeats(mine, other, float(cosines[place, row])) for row, other in enumerate(known)):
                repeated.append((start, end))
        found = [Replaced(start, end, "withheld") for start, end in _joined(repeated)]
        if found and hold:
            return Redaction(HELD, tuple(found), held=True)
        for one in reversed(found):
            text = text[: one.start] + WITHHELD + text[one.end :]
        return Redaction(text, tuple(found))

    def as_shown(self, memory: Memory, ceiling: float, counter: TokenCounter) -> Memory:
        """Return a memory as a reader with a ``ceiling`` gets it: its texts but whom it is about, and its weight."""
        content = memory.content or ""
        shown, metadata = self._said(memory.id, content, memory.metadata, ceiling)
        payload = {name: self._value(value, ceiling) for name, value in memory.payload.items()}
        names = self._names(memory, ceiling)
        if not names and shown == content and payload == dict(memory.payload) and metadata == memory.metadata:
            return memory
        weight = memory.weight if shown == content else max(1, counter.count(shown))
        return replace(memory, content=shown, payload=payload, metadata=metadata, weight=weight, **names)

    def _names(self, memory: Memory, ceiling: float) -> dict[str, Any]:
        """Return those of the fields that name something which the reader gets otherwise, by name."""
        found: dict[str, Any] = {}
        for row in NAMING_FIELDS:
            given = getattr(memory, row.name)
            if given:
                values = given if row.many else (given,)
                shown = tuple(self._as_named(row, value, ceiling) for value in values)
                if shown != tuple(values):
                    found[row.name] = tuple(sorted(set(shown))) if row.many else shown[0]
        return found

    def _as_named(self, row: Field, value: str, ceiling: float) -> str:
        if row.rewrites is None:
            return self._name(value, ceiling)
        return row.rewrites(value, lambda text: self._name(text, ceiling))

    def _name(self, text: str, ceiling: float) -> str:
        """Return a text that names something as the reader gets it: read as a name, not as what says something."""
        key = (text, ceiling)
        if key not in self._named:
            if len(self._named) >= _KEPT:
                self._named.clear()
            self._named[key] = self._shown_name(text, ceiling)
        return self._named[key]

    def _shown_name(self, text: str, ceiling: float) -> str:
        if not self._hides(text, ceiling):
            return text
        shown = self.surface(text, ceiling).text
        return WITHHELD if shown == text or self._hides(shown, ceiling) else shown

    def _hides(self, name: str, ceiling: float) -> bool:
        return any(self._weighs(category, ceiling) for category in found_in_name(name, self._detector))

    def _said(self, ident: str, content: str, metadata: JsonObject | None, ceiling: float) -> _Words:
        """Return the text and the free JSON of a memory as the reader gets them, which are worked out once."""
        key, given = (ident, ceiling), (content, metadata)
        known = self._shown.get(key)
        if known is None or known[0] != given:
            if len(self._shown) >= _KEPT:
                self._shown.clear()
            free = None if metadata is None else self._free(metadata, ceiling)
            known = self._shown[key] = (given, (self.surface(content, ceiling).text, free))
        return known[1]

    def _free(self, metadata: JsonObject, ceiling: float) -> JsonObject | None:
        """Return free JSON as the reader gets it; None where placeholders make it larger than it may be."""
        try:
            return JsonObject.of(self._object(metadata, ceiling))
        except UnfitJsonError:
            return None

    def keeps(self, path: str, text: str, ceiling: float) -> bool:
        """Return whether a leaf of free JSON, by its path and canonical text, is shown to a reader as it is.

        A path with dots may be one name or several: it is not, if it is not either way.
        """
        asked = (blake2b(f"{path}\0{text}".encode(), digest_size=16).digest(), ceiling)
        if asked not in self._kept:
            if len(self._kept) >= _LEAVES_KEPT:
                self._kept.clear()
            self._kept[asked] = self._is_kept(path, text, ceiling)
        return self._kept[asked]

    def _is_kept(self, path: str, text: str, ceiling: float) -> bool:
        names = path.split(".", MAX_DEPTH)
        if text == _NULL:
            return all(self.surface(name, ceiling).text == name for name in {path, *names})
        value = json.loads(text)
        # Its names are looked at once for all values that stand there.
        return self.keeps(path, _NULL, ceiling) and all(
            self._member(name, value, ceiling) == value for name in {path, names[-1]}
        )

    def _value(self, value: Value, ceiling: float) -> Value:
        """Return a value of a payload as the reader gets it; a list of texts is one of texts."""
        if isinstance(value, str):
            return self.surface(value, ceiling).text
        if isinstance(value, tuple):
            return tuple(self.surface(one, ceiling).text for one in value)
        return value

    def _object(self, value: Mapping[str, Any], ceiling: float) -> dict[str, Any]:
        """Return an object as the reader gets it; names that became the same are told apart by their number."""
        shown: dict[str, Any] = {}
        for name, one in value.items():
            seen = self.surface(name, ceiling).text
            seen = seen if seen not in shown else f"{seen} {len(shown) + 1}"
            shown[seen] = self._member(name, one, ceiling)
        return shown

    def _member(self, name: str, value: Any, ceiling: float) -> Any:  # noqa: ANN401 - JSON
        """Return a value as the reader gets it, which is read together with the ``name`` that it stands under."""
        if isinstance(value, dict):
            return self._object(value, ceiling)
        if isinstance(value, list):
            return [self._member(name, one, ceiling) for one in value]
        if value is None or isinstance(value, bool):
            return value
        text = value if isinstance(value, str) else canonical_json(value)
        together = f"{name}: {text}"
        shown = self.surface(together, ceiling).text
        if shown == together:
            return value
        if shown.startswith(f"{name}: "):
            return shown.removeprefix(f"{name}: ")
        seen = self.surface(text, ceiling).text
        if seen != text:
            return seen
        # It was the name, or the two together.
        return WITHHELD if self.surface(name, ceiling).text == name else value

    def _weighs(self, category: Category, ceiling: float | None) -> bool:
        """Return whether a category is more than the reader may see; without a ceiling, whether it has a form."""
        return category not in TOPICS if ceiling is None else self._settings.weights[category] > ceiling

    def _findings(self, text: str, categories: frozenset[Category]) -> list[Finding]:
        """Return what is to be replaced, cut where a placeholder stands already."""
        found = [one for one in self._detector.surface(text) if one.category in categories]
        if categories & TOPICS:
            found += [one for one in self._detector.topics(text) if one.category in categories]
        taken = [match.span() for match in _PLACEHOLDER.finditer(text)]
        cut = [piece for one in united(found) for piece in _outside(one, taken)]
        return [one for one in cut if any(character.isalnum() for character in text[one.start : one.end])]

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        return self._model.embed([" ".join(_PLACEHOLDER.sub(" ", text).split()) for text in texts])

    def _repeats(self, mine: _Said, other: _Said, cosine: float) -> bool:
        """Return whether a sentence repeats what another says: by its words, by its meaning, or by a number of it."""
        shared = mine.terms & other.terms
        fewest = min(len(mine.terms), len(other.terms))
        if fewest >= _FEWEST_TERMS and len(shared) >= self._settings.redact_overlap * fewest:
            return True
        if cosine >= self._settings.redact_similarity and fewest >= _FEWEST_MEANT:
            return True
        return bool(mine.numbers & other.numbers) and (
            cosine >= _SAME_FACT or len(shared) > len(mine.numbers & other.numbers)
        )


def found_in_name(name: str, detector: Detector) -> set[Category]:
    """Return the kinds of what identifies somebody in a key, session, source, tag, purpose or region.

    One that is a sentence is read for secrets as a text is, too.
    """
    from marskg.privacy.sensing.labels import find  # noqa: PLC0415 - hundreds of patterns: only to read texts

    found = find(name)
    if Category.SECRET not in found and name.count(" ") >= _SENTENCE_BLANKS:
        found |= {Category.SECRET for one in detector.surface(name) if one.category is Category.SECRET}
    return found


@dataclass(frozen=True, slots=True)
class _Said:
    """What a sentence is compared by."""

    terms: frozenset[str]
    numbers: frozenset[str]

    @classmethod
    def of(cls, text: str) -> _Said:
        text = _PLACEHOLDER.sub(" ", text)
        numbers = {re.sub(r"[.,]", "", one) for one in _NUMBER.findall(text)}
        return cls(frozenset(terms(text)), frozenset(one for one in numbers if not _YEAR.fullmatch(one)))


def forms(text: str) -> Iterator[str]:
    """Yield ``text``, and what it says where something in it is hidden."""
    yield text
    yield from (view.text for view in reworded(text))


def _sentences(text: str) -> list[tuple[int, int]]:
    """Return the places of the sentences of ``text`` that say anything beside placeholders, without blanks before."""
    matches = (match for match in _SENTENCE.finditer(text) if _PLACEHOLDER.sub("", match[0]).strip())
    return [(match.end() - len(match[0].lstrip()), match.end()) for match in matches]


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ``spans`` in order, those that overlap as one."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if kept and start < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(kept[-1][1], end))
        else:
            kept.append((start, end))
    return kept


def _outside(finding: Finding, taken: Sequence[tuple[int, int]]) -> Iterable[Finding]:
    """Yield the pieces of a finding in which no placeholder stands."""
    start = finding.start
    for first, last in taken:
        if last <= start or first >= finding.end:
            continue
        if first > start:
            yield replace(finding, start=start, end=first)
        start = max(start, last)
    if start < finding.end:
        yield replace(finding, start=start)


def _put(text: str, findings: Sequence[Finding]) -> str:
    for one in reversed(findings):
        text = text[: one.start] + PLACEHOLDERS[one.category] + text[one.end :]
    return text
