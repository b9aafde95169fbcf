"""From proposals to drafts: what a reader proposes, as memories that the store could hold.

Guarantees: pure. A fact derives from its turn, and names the words that say it and the reading that made it. A wish or
a rule counts from a user's own turn only. What cannot be stored is refused by itself, with the reason, and nothing else
with it.
Source: semantics sections 1 and 5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from marskg.api.arguments import UnfitError, rule_of
from marskg.drafts import Draft, EntityRef
from marskg.errors import InvalidInput
from marskg.extraction.proposal import Proposal, ProposalOperation
from marskg.learning.from_text.makers import iri_of, span_iri
from marskg.learning.wishes import wish_drafts
from marskg.ontology.vocabulary import RELIABILITY, Cardinality, Kind, MemoryClass
from marskg.store.graph.validation import REVIEW_PREFIX, check_draft, check_payload
from marskg.store.unit.entity_changes import ID_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.learning.from_text.told_turns import Told

_PROPOSAL: Final = rule_of(Proposal)
#: Proposals that are taken from one turn; a reader that gives more is not reading.
MOST: Final = 200
_RULE: Final = "rule/"
#: Families of keys that no reader of text gives by itself.
_RESERVED: Final = frozenset({_RULE.rstrip("/"), "wish", REVIEW_PREFIX.rstrip("/")})
#: What a wish has of its turn.
_OF_A_WISH: Final = ("derives_from", "spans", "made_by")


@dataclass(frozen=True, slots=True)
class Item:
    """One proposal of a turn with the draft that would hold it; ``refused`` says why there is none."""

    told: Told
    proposal: Proposal
    maker: str
    draft: Draft | None = None
    refused: str = ""

    @property
    def about(self) -> tuple[str, ...]:
        """Return whom it is about: the people that its reader names, those of the turn where there are none."""
        return self.proposal.subjects or self.told.subjects


def items_of(
    told: Told, proposals: list[Proposal], call: str, most_bytes: int, *, shared: bool = False
) -> Iterator[Item]:
    """Yield what ``proposals`` of one turn would store, in their order; ``most_bytes`` a content may have.

    With ``shared`` a fact about somebody is about those of its turn as well, so that it is under the keys of both.
    """
    for number, proposal in enumerate(proposals):
        maker = iri_of(proposal.maker, call)
        if number >= MOST:
            yield Item(told, proposal, maker, refused=f"more than {MOST} proposals from one turn")
            continue
        try:
            drafts = _drafts(told, proposal, maker, shared=shared)
            for draft in drafts:
                check_draft(draft, most_bytes)
                check_payload(draft.kind, draft.payload)
        except InvalidInput as error:
            yield Item(told, proposal, maker, refused=str(error))
            continue
        if not drafts:
            yield Item(told, proposal, maker)
        for draft in drafts:
            yield Item(told, proposal, maker, draft)


def _drafts(told: Told, proposal: Proposal, maker: str, *, shared: bool) -> list[Draft]:
    operation = proposal.operation
    _check(told, proposal)
    if operation is ProposalOperation.NOTHING:
        return []
    common = _of_turn(told, proposal, maker)
    if shared:
        common["subjects"] = tuple(dict.fromkeys((*common["subjects"], *told.subjects)))
    if operation is ProposalOperation.WISH:
        found = wish_drafts(proposal.content, common["subjects"], told.turn.at, common["source_type"])
        return [replace(draft, **{name: common[name] for name in _OF_A_WISH}) for _, draft in found]
    ending = operation in {ProposalOperation.END, ProposalOperation.CLOSE}
    key, cardinality = proposal.key, proposal.cardinality
    if operation is ProposalOperation.RULE:
        key = key if key is not None and key.startswith(_RULE) else f"{_RULE}{key or 'behaviour'}"
        cardinality = cardinality or Cardinality.SET
        common["memory_class"] = MemoryClass.CANONICAL
    due = proposal.valid_to if proposal.kind is Kind.TASK and not ending else None
    return [
        Draft(
            ref="",
            kind=Kind.SEMANTIC if ending else proposal.kind,
            content=proposal.content,
            at=told.turn.at if ending or proposal.valid_from is None else proposal.valid_from,
            # What is to be done by then is still to be done after.
            valid_to=None if ending or due is not None else proposal.valid_to,
            deadline=due,
            payload={} if ending else dict(proposal.payload),
            key=key,
            cardinality=cardinality if key is not None else None,
            mentions=tuple(EntityRef(name) for name in dict.fromkeys(_named(proposal))),
            relations=proposal.relations,
            **common,
        )
    ]


def _check(told: Told, proposal: Proposal) -> None:
    """Refuse words that are not the turn's, and what only a user may say.

    Raises:
        InvalidInput: always when one of these is so.
    """
    try:
        _PROPOSAL.apply(proposal)
    except UnfitError as error:
        msg = f"the proposal {error}"
        raise InvalidInput(msg) from None
    span = proposal.span
    if not 0 <= span.start < span.end <= len(told.turn.text):
        msg = "the span is outside of the turn; a reader has to name the words that say it"
        raise InvalidInput(msg)
    if not 0 <= proposal.confidence <= 1:
        msg = "the confidence is not from 0 to 1"
        raise InvalidInput(msg)
    own = told.turn.role == "user"
    if proposal.operation in {ProposalOperation.WISH, ProposalOperation.RULE} and not own:
        msg = f"a {proposal.operation} counts from a user's own turn only"
        raise InvalidInput(msg)
    if proposal.operation is ProposalOperation.WISH and told.said.session_bound:
        msg = "the session of this turn leaves nothing behind, a wish neither; say it elsewhere"
        raise InvalidInput(msg)
    if any(name.startswith(ID_PREFIX) for name in _named(proposal)):
        msg = "it names an entity by its id, which no text tells; a reader gives the name"
        raise InvalidInput(msg)
    family = (proposal.key or "").partition("/")[0]
    if family in _RESERVED and proposal.operation is not ProposalOperation.RULE:
        msg = f"keys of the family {family}/ are for rules, wishes and the review; propose it as one of these"
        raise InvalidInput(msg)


def _named(proposal: Proposal) -> Iterator[str]:
    """Yield the names of the people, places and things that a proposal mentions, as often as it does."""
    yield from proposal.mentions
    for one in proposal.relations:
        yield from (one.source, one.target)


def _of_turn(told: Told, proposal: Proposal, maker: str) -> dict[str, Any]:
    """Return what a fact has of its turn, and of its reading."""
    said = told.said
    return {
        "subjects": proposal.subjects or told.subjects,
        "session": said.session,
        "source_type": said.source_type,
        "reliability": proposal.confidence * RELIABILITY[said.source_type],
        "derives_from": (told.id,),
        "spans": (span_iri(told.id, proposal.span),),
        "made_by": (maker,),
    }
