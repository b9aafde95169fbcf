"""LangGraph's ``BaseStore`` over a tenant's memory. Needs the extra ``marskg[langgraph]``.

Guarantees: the puts and retractions of a batch are one transaction, or none of them is done; what a batch reads is the
state before it; a value comes back as it was put, as far as its reader may see it. What delete, a time to live and a
budget mean is on docs/how-to/adapters.md. Source: langgraph-checkpoint 4, ``langgraph.store.base``; ADR 64.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from inspect import signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, TypeVar, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchItem,
    SearchOp,
    get_text_at_path,
    tokenize_path,
    validate_op_namespace,
)

from marskg.adapters.items import at, holds
from marskg.api.arguments import Json, Rule, UnfitError, checked_call, rule_of
from marskg.clock import MAX_MS, later
from marskg.drafts import Draft, json_object
from marskg.errors import InvalidInput, NotPermitted
from marskg.json_object import MOST, JsonObject
from marskg.memory import AgentMemory  # noqa: TC001 - the check of the constructor's arguments reads it
from marskg.ontology.key_forms import item_key, item_of
from marskg.ontology.vocabulary import Cardinality, Kind, Worth
from marskg.privacy.principals import Right, right_to
from marskg.store.graph.validation import ids_of

if TYPE_CHECKING:
    from langgraph.store.base import Op, Result

    from marskg.records import Memory

_ROOT: Final = "langgraph"
#: The intent tag of items that no question finds.
_UNINDEXED: Final = "langgraph-unindexed"
_MINUTE_MS: Final = 60_000
#: Tokens that the hits of a search may weigh: as many as there are.
_ROOM: Final = 2**40
_MISSING: Final = object()
_SHOWN: Final = 60
_LOG: Final = logging.getLogger(__name__)

F = TypeVar("F", bound="Callable[..., Any]")


def _labels(path: Sequence[Any]) -> tuple[str, ...]:
    """Return a namespace that LangGraph allows, by its rules and with its error, and that can be written."""
    validate_op_namespace(GetOp(tuple(path), ""))
    found: tuple[str, ...] = rule_of(tuple[str, ...]).fit(path)
    return found


def _count(value: int) -> int:
    if value < 0:
        msg = "must be 0 or more"
        raise UnfitError(msg)
    found: int = rule_of(int).fit(value)
    return found


def _condition(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return a filter, in which may stand what no value is: an infinity, NaN, a huge number, a text with a NUL."""
    found = {
        name: {inner: _plain(one) for inner, one in wanted.items()} if isinstance(wanted, dict) else _plain(wanted)
        for name, wanted in asked.items()
    }
    fitted: dict[str, Any] = rule_of(Mapping[str, Json]).fit(found)
    for name, wanted in asked.items():
        if isinstance(wanted, dict):
            fitted[name] = {inner: fitted[name][inner] if _is_plain(one) else one for inner, one in wanted.items()}
        elif not _is_plain(wanted):
            fitted[name] = wanted
    return fitted


def _plain(value: object) -> object:
    return value if _is_plain(value) else None


def _is_plain(value: object) -> bool:
    """Return whether a value is not one of those that a filter may name, and no item has."""
    if type(value) is str:
        return "\0" not in value
    if type(value) is float:
        return math.isfinite(value) and abs(value) <= MOST
    return type(value) is not int or abs(value) <= MOST


def _record(said: str, *kinds: type) -> Rule:
    """Return the rule of LangGraph's named tuples, whose fields are checked."""
    return Rule(said, lambda value: isinstance(value, kinds), lambda value: value._replace(**_fitted(value._asdict())))


_Path: TypeAlias = Annotated[Any, Rule("a tuple of strings", lambda value: isinstance(value, tuple | list), _labels)]
_Count: TypeAlias = Annotated[Any, Rule("an integer", rule_of(int).matches, _count)]
_Filter: TypeAlias = Annotated[Any, Rule("a mapping", lambda value: isinstance(value, Mapping), _condition)]
_Condition: TypeAlias = Annotated[Any, _record("a MatchCondition", MatchCondition)]
_Operation: TypeAlias = Annotated[
    Any, _record("a GetOp, PutOp, SearchOp or ListNamespacesOp", GetOp, PutOp, SearchOp, ListNamespacesOp)
]
#: What the parameters of LangGraph's methods and the fields of its operations have to be, whichever have one so named.
#: A value and a time to live are checked where they are turned into a memory's.
_RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        **dict.fromkeys(("namespace", "namespace_prefix", "path"), rule_of(_Path)),
        **dict.fromkeys(("prefix", "suffix"), rule_of(_Path | None)),
        **dict.fromkeys(("limit", "offset"), rule_of(_Count)),
        "max_depth": rule_of(_Count | None),
        "key": rule_of(str),
        "query": rule_of(str | None),
        "filter": rule_of(_Filter | None),
        "index": rule_of(Literal[False] | Sequence[str] | None),
        "refresh_ttl": rule_of(bool | None),
        "match_type": rule_of(Literal["prefix", "suffix"]),
        "match_conditions": rule_of(Iterable[_Condition] | None),
        "ops": rule_of(Iterable[_Operation]),
        "subjects": rule_of(Iterable[str] | str),
    }
)


def _fitted(given: Mapping[str, object]) -> dict[str, Any]:
    """Return values to go on with.

    Raises:
        InvalidInput: one is not what its name asks for.
    """
    found = {}
    for name, value in given.items():
        try:
            found[name] = _RULES[name].apply(value) if name in _RULES else value
        except UnfitError as error:
            msg = f"{name} {error}"
            raise InvalidInput(msg) from None
    return found


def _checked(method: F) -> F:
    """Return a method that is given what it declares, or not entered: LangGraph's look at it before any batch."""
    declared = signature(method)

    @wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the method has them
        given = declared.bind(*args, **kwargs)
        given.arguments.update(_fitted(given.arguments))
        return method(*given.args, **given.kwargs)

    return cast("F", call)


@dataclass(frozen=True, slots=True)
class _Found:
    """One item that may be read, and the memory that it is."""

    namespace: tuple[str, ...]
    name: str
    memory: Memory

    @property
    def value(self) -> dict[str, Any]:
        return dict(self.memory.metadata or {})

    @property
    def indexed(self) -> bool:
        return _UNINDEXED not in self.memory.intent_tags

    @property
    def worth(self) -> Worth:
        return Worth.of(self.memory.source_type, self.memory.reliability)

    def item(self) -> Item:
        """Return it as LangGraph has it, with the time of its last put."""
        at = datetime.fromtimestamp(self.memory.created / 1000, UTC)
        return Item(value=self.value, key=self.name, namespace=self.namespace, created_at=at, updated_at=at)

    def search_item(self, score: float | None) -> SearchItem:
        """Return it as a result of a search."""
        at = datetime.fromtimestamp(self.memory.created / 1000, UTC)
        return SearchItem(self.namespace, self.name, self.value, at, at, score)


class MarsStore(BaseStore):
    """A LangGraph store whose items are memories of one tenant: audited, budgeted, erasable, read through the gate."""

    supports_ttl = True

    get, aget = _checked(BaseStore.get), _checked(BaseStore.aget)
    put, aput = _checked(BaseStore.put), _checked(BaseStore.aput)
    search, asearch = _checked(BaseStore.search), _checked(BaseStore.asearch)
    delete, adelete = _checked(BaseStore.delete), _checked(BaseStore.adelete)
    list_namespaces, alist_namespaces = _checked(BaseStore.list_namespaces), _checked(BaseStore.alist_namespaces)

    @checked_call
    def __init__(
        self,
        memory: AgentMemory,
        *,
        fields: Sequence[str] = ("$",),
        default_ttl: float | None = None,
        delete: Literal["retract", "erase"] = "retract",
        subjects: Callable[[tuple[str, ...]], Iterable[str] | str] | None = None,
    ) -> None:
        """Keep items in ``memory``, which stays the caller's to close.

        Args:
            memory: what :func:`marskg.open` returned; its principal is whose rights the store has.
            fields: paths of a value's texts that a search with a query goes by, where a put says nothing else; ``$``
                is all of them.
            default_ttl: minutes that an item lives after a put that says nothing else.
            delete: what a deletion does: ``retract`` ends the value, which stays in the history; ``erase`` erases all
                that the key ever had.
            subjects: the people whom the items of a namespace are about, the unit of erasure; nobody if left out. It
                must give the same people for a namespace each time.

        Raises:
            InvalidInput: an argument is not what it is to be.
            NotPermitted: the principal may not erase, and deletions are to.
        """
        if delete == "erase" and right_to(memory.principal.role, "erase") is Right.NO:
            msg = f"delete='erase' is not for the role {memory.principal.role}: take 'retract', or another principal"
            raise NotPermitted(msg)
        _life(default_ttl)
        self._memory = memory
        self._fields = tuple(fields)
        self._erases = delete == "erase"
        self._subjects = subjects or (lambda _: ())
        self.ttl_config = {"refresh_on_read": False, "omit_expired": True, "default_ttl": default_ttl}

    @_checked
    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations as one: first all that reads, then the last put or deletion of each item.

        Raises:
            InvalidNamespaceError: an operation names a namespace that LangGraph does not allow.
            InvalidInput: something else of an operation cannot be kept or asked for.
            MarsError: what the memory refuses, as ``remember_many``, ``retrieve`` and ``erase`` say.
        """
        puts = {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
        made = [draft for name, op in puts.items() for draft in self._drafts(name, op)]
        results = [self._read(op) for op in ops]
        if made:
            self._memory.remember_many(made, atomic=True)
        if self._erases:
            for name in (name for name, op in puts.items() if op.value is None):
                self._erase(*name)
        return results

    @_checked
    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do as :meth:`batch` does, in a thread, so that the loop goes on."""
        return await asyncio.to_thread(self.batch, ops)

    # --- Writing ----------------------------------------------------------------------------------------------------

    def _drafts(self, name: tuple[tuple[str, ...], str], op: PutOp) -> list[Draft]:
        """Return what a put or a deletion does to the slot of its item."""
        namespace, key = name[0], item_key(_ROOT, *name)
        slot: dict[str, Any] = {
            "kind": Kind.SEMANTIC,
            "at": self._memory.now(),
            "key": key,
            "subjects": ids_of(_fitted({"subjects": self._subjects(namespace)})["subjects"]),
            "source_type": self._memory.principal.speaks_as,
        }
        there = self._current(key)
        # Who is asked for other people, or by another door, puts the same item: it is one, whomever it is about.
        others = sorted({one.memory.subjects for one in there} - {tuple(sorted({*slot["subjects"]}))})
        endings = [
            Draft(ref=f"end {key} {n}", content="", action="retract", **slot | {"subjects": about})
            for n, about in enumerate(others)
        ]
        ending = Draft(ref=f"end {key}", content="", action="retract", **slot)
        if op.value is None:
            return [] if self._erases else [*endings, ending]
        value, text = json_object("value", op.value), self._text(op)
        new = Draft(
            ref=key,
            content=text or " / ".join((*namespace, name[1])),
            cardinality=Cardinality.SINGLE,
            metadata=value,
            intent_tags=() if text else (_UNINDEXED,),
            expires_at=None if op.ttl is None else later(slot["at"], _life(op.ttl)),
            **slot,
        )
        # An equal value keeps the life that it has, and a newer one inherits it; a put decides about it anew.
        lives = op.ttl is not None or any(one.memory.expires_at is not None for one in there)
        return [*endings, ending, new] if lives else [*endings, new]

    def _text(self, op: PutOp) -> str:
        """Return the text that questions go by; empty where the item is not to be found by them."""
        if op.index is False:
            return ""
        value = JsonObject.of(op.value)
        lines: list[str] = []
        for path in self._fields if op.index is None else op.index:
            lines += value.texts() if path == "$" else get_text_at_path(dict(value), tokenize_path(path))
        return "\n".join(line for line in lines if line.strip())

    def _erase(self, namespace: tuple[str, ...], name: str) -> None:
        """Erase all that the key of an item ever had, the oldest first."""
        key = item_key(_ROOT, namespace, name)
        for hit in self._memory.read_all(key_prefix=key, superseded=True, latent=True):
            if hit.memory.tenant == self._memory.tenant:
                self._memory.erase(id=hit.memory.id)

    # --- Reading ----------------------------------------------------------------------------------------------------

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            found = self._items(item_key(_ROOT, op.namespace, op.key))
            return found[0].item() if found else None
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        return None

    def _items(self, prefix: str) -> list[_Found]:
        """Return the items at a key and below it, in the order in which they were put.

        Of two of one namespace and name it is what is worth more, then what was put last.
        """
        found: dict[tuple[tuple[str, ...], str], _Found] = {}
        for one in self._current(prefix):
            other = found.get((one.namespace, one.name))
            if other is None or one.worth >= other.worth:
                found.pop((one.namespace, one.name), None)
                found[one.namespace, one.name] = one
        return list(found.values())

    def _current(self, prefix: str) -> list[_Found]:
        """Return all that is at a key and below it, also what another stands over."""
        found = (self._found(hit.memory) for hit in self._memory.read_all(key_prefix=prefix))
        return [one for one in found if one is not None]

    def _stands(self, one: _Found) -> bool:
        """Return whether it is the item of its name: over the user's own word nothing stands, else it is read."""
        shown = [] if one.worth.users else self._items(item_key(_ROOT, one.namespace, one.name))
        return not shown or shown[0].memory.id == one.memory.id

    def _found(self, memory: Memory) -> _Found | None:
        """Return the item that a memory is; None for what another tenant shares, and for what is no item."""
        place = item_of(_ROOT, memory.key or "") if memory.tenant == self._memory.tenant else None
        return None if place is None else _Found(*place, memory)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        start, end = op.offset, op.offset + op.limit
        prefix = item_key(_ROOT, op.namespace_prefix)
        scores = self._ranked(prefix, op.query, end) if op.query and not op.filter else {}
        if len(scores) >= end:
            # Nothing else is read, and counts as shown.
            return [one.search_item(score) for one, score in list(scores.values())[start:end]]
        everything = self._items(prefix)
        found = [one for one in everything if holds(one.value, op.filter or {})]
        if not found:
            _tell_missing(everything, op.filter or {})
        if op.query and found and (op.filter or len(everything) > end):
            # What is filtered out, or not indexed, takes places among the hits.
            scores = self._ranked(prefix, op.query, len(everything))
        places = {ident: place for place, ident in enumerate(scores)}
        # What no question finds, or the answer left out, follows in the order in which it was put.
        found.sort(key=lambda one: places.get(one.memory.id, len(places)))
        return [one.search_item(scores.get(one.memory.id, (one, None))[1]) for one in found[start:end]]

    def _ranked(self, prefix: str, query: str, most: int) -> dict[str, tuple[_Found, float]]:
        """Return the indexed items among the hits of a query, with their scores, by the ids of memories, best first."""
        if not most:
            return {}
        hits = self._memory.retrieve(query, key_prefix=prefix, k=most, token_budget=_ROOM, min_confidence=0)
        placed = ((hit, self._found(hit.memory)) for hit in hits)
        indexed = ((hit, one) for hit, one in placed if one is not None and one.indexed)
        return {hit.memory.id: (one, hit.score) for hit, one in indexed if self._stands(one)}

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        start, end = op.offset, op.offset + op.limit
        conditions = op.match_conditions or ()
        found = {one.namespace for one in self._items(item_key(_ROOT, _common(conditions)))}
        matching = {one[: op.max_depth] for one in found if all(_matches(condition, one) for condition in conditions)}
        return sorted(matching)[start:end]


def _tell_missing(everything: Iterable[_Found], asked: Mapping[str, Any]) -> None:
    """Tell the log which keys of a filter that found nothing no item has."""
    values = [one.value for one in everything]
    for path in asked:
        if values and all(at(one, path, _MISSING) is _MISSING for one in values):
            _LOG.warning("filter: no item here has the key %r", path[:_SHOWN])


def _life(minutes: object) -> int:
    """Return a time to live in milliseconds.

    Raises:
        InvalidInput: it is no number of minutes above 0.
    """
    if minutes is None:
        return 0
    if isinstance(minutes, bool) or not isinstance(minutes, int | float) or not 0 < minutes <= MAX_MS / _MINUTE_MS:
        msg = (
            f"ttl must be a number of minutes above 0, up to {MAX_MS // _MINUTE_MS:,}; leave it out, or give None, for "
            "an item without an end"
        )
        raise InvalidInput(msg)
    return max(1, round(minutes * _MINUTE_MS))


def _common(conditions: Iterable[MatchCondition]) -> tuple[str, ...]:
    """Return the parts that all namespaces begin with that a condition lets through."""
    path: tuple[str, ...] = next((tuple(one.path) for one in conditions if one.match_type == "prefix"), ())
    return path[: path.index("*")] if "*" in path else path


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    """Return whether a namespace begins or ends as a condition has it, where ``*`` is any part."""
    path, step = condition.path, 1 if condition.match_type == "prefix" else -1
    pairs = zip(namespace[::step], path[::step], strict=False)
    return len(namespace) >= len(path) and all(wanted in {"*", part} for part, wanted in pairs)
