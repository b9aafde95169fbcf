"""What a reader of text proposes to remember: typed, with the span of a turn that says it and the maker that read it.

Guarantees: a proposal is immutable and changes nothing; it names no memory, no id and no database, so that a rule and a
model propose in the same words, and what becomes of it is decided elsewhere, by keys, cardinality and reliability
(semantics section 1). Its span is a part of one turn's text; whoever acts on a proposal can show the words behind it.

Example::

    >>> from marskg.ontology.vocabulary import Kind
    >>> turn = Turn("I moved from Oslo to Malmo", at=1_764_547_200_000, speaker="Ana")
    >>> one = Proposal(
    ...     ProposalOperation.UPDATE,
    ...     Kind.SEMANTIC,
    ...     "Ana lives in Malmo",
    ...     key="profile/home",
    ...     payload={"value": "Malmo"},
    ...     subjects=("Ana",),
    ...     old="Oslo",
    ...     valid_from=turn.at,
    ...     span=Span(0, 0, 26),
    ...     confidence=0.9,
    ...     maker=Maker("profile.moved"),
    ... )
    >>> one.span.of([turn])
    'I moved from Oslo to Malmo'
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

# A plan that is given back to be carried out is checked by the annotations here.
from marskg.drafts import EntityRelation  # noqa: TC001
from marskg.ontology.vocabulary import Cardinality, Kind  # noqa: TC001
from marskg.text import as_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from marskg.records import Value

_NO_PAYLOAD: Final[Mapping[str, Value]] = MappingProxyType({})


class ProposalOperation(StrEnum):
    """What is proposed to be done.

    ``add`` a fact; ``update`` the value of a key from ``old`` to a new one; ``end`` a fact that holds no longer;
    ``close`` a task; ``wish`` about remembering; ``rule`` for behaviour; ``nothing``, where the text says what it says
    in jest, in a quotation or a question; ``review`` by a person.
    """

    ADD = "add"
    UPDATE = "update"
    END = "end"
    CLOSE = "close"
    WISH = "wish"
    RULE = "rule"
    NOTHING = "nothing"
    REVIEW = "review"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation, or one passage of a document, as a reader of text gets it.

    ``at`` is when it was said, in epoch milliseconds; relative times are resolved against it in the reader's time
    zone. ``speaker`` is the name of who speaks, if known; ``role`` is ``user``, ``assistant``, ``tool`` or ``doc``.
    """

    text: str
    at: int
    speaker: str | None = None
    role: str = "user"
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """The part of a turn that says what is proposed: ``start`` to ``end`` in characters of the turn's text."""

    turn: int
    start: int
    end: int

    def of(self, turns: Sequence[Turn]) -> str:
        """Return the words of the span.

        Raises:
            IndexError: there is no such turn.
        """
        return turns[self.turn].text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Maker:
    """What made a proposal: a rule by its id, or a model by its name, its prompt's version and digest, and the call."""

    rule: str | None = None
    model: str | None = None
    prompt: str | None = None
    prompt_digest: str | None = None
    call: str | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """One thing that a text says, in the form in which it can be stored, or ended.

    ``content`` is a sentence that stands by itself, with the speaker's name in the place of "I". ``old`` is the value
    that holds no longer, where the text says so, and all that is known of what an ``end`` without ``key`` means.
    ``valid_from`` and ``valid_to`` are epoch milliseconds. ``confidence`` is in [0, 1].
    """

    operation: ProposalOperation
    kind: Kind
    content: str
    span: Span
    maker: Maker
    confidence: float
    key: str | None = None
    cardinality: Cardinality | None = None
    payload: Mapping[str, Value] = field(default_factory=lambda: _NO_PAYLOAD)
    subjects: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    relations: tuple[EntityRelation, ...] = ()
    old: str | None = None
    valid_from: int | None = None
    valid_to: int | None = None

    def __post_init__(self) -> None:
        """Have the key in the form in which memories have it."""
        if self.key is not None:
            object.__setattr__(self, "key", as_key(self.key))


class Extractor(Protocol):
    """A reader of text: rules of a language, or a model."""

    def extract(self, turns: Sequence[Turn]) -> Iterable[Proposal]:
        """Return what the turns say, in their order.

        Every turn is read with those before it in its session as its context; nothing is read of later ones.
        """
        ...
