"""The tools of the Model Context Protocol over one tenant's memory, for whoever opened it.

Guarantees: tenant and principal are those of the memory, never an argument; a tool is listed only where the table of
rights lets the principal use what it is made of; every refusal is a ``ToolError`` in the product's words, and anything
else a ``ToolError`` without them; nothing that destroys is done without a plan and its confirmation. Source: Model
Context Protocol 2026-07-28, server/tools; ADR 62.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Final

from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent
from pydantic import Field

from marskg.api.operations import default_of
from marskg.errors import InvalidInput, MarsError
from marskg.given_time import Moment
from marskg.server.tool_answers import (
    Forgotten,
    Planned,
    Profiled,
    Recalled,
    Shown,
    Stored,
    Taken,
    Told,
    Versions,
    confirmation,
    kept,
    taken,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.memory import AgentMemory
    from marskg.records import Plan

Content = Annotated[str, Field(description="What to keep: one statement, as it was said or as it is.")]
Id = Annotated[str, Field(description="The id of a memory, as recall returned it.")]
Tokens = Annotated[int, Field(description="Tokens that the answer may weigh.", ge=1, le=100_000)]
Subjects = Annotated[list[str] | None, Field(description="The people that it is about, by name.")]
Time = Annotated[str | None, Field(description="ISO 8601 with a zone, such as 2026-03-01T09:30:00Z.")]
_MOST_PLANS: Final = 8
#: The kind of what is remembered without one.
KIND: Final[str] = default_of("remember", "kind")


def refusing(tool: Callable[..., Any]) -> Callable[..., Any]:
    """Let a tool's refusals reach the model, and nothing of what a defect would say."""

    @wraps(tool)
    def told(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - as the tool has it
        try:
            return tool(*given, **named)
        except MarsError as error:
            msg = f"{type(error).__name__}: {error}"
            raise ToolError(msg) from None
        except ToolError:
            raise
        except Exception as error:  # noqa: BLE001 - an outermost door: a traceback may hold what somebody said
            msg = f"a defect in marskg ({type(error).__name__}); nothing unacknowledged was kept"
            raise ToolError(msg) from None

    return told


def _moment(name: str, text: str | None) -> int | None:
    try:
        return None if text is None else Moment.parse(text)
    except InvalidInput as error:
        msg = f"{name} {error}"
        raise ToolError(msg) from None


def _ids(given: list[str] | None) -> tuple[str, ...]:
    return tuple(given or ())


class Tools:
    """The tools of one memory."""

    def __init__(self, memory: AgentMemory) -> None:
        """Serve ``memory`` as whoever opened it may use it."""
        self._memory = memory
        self._plans: dict[str, Plan] = {}

    # --- Every day --------------------------------------------------------------------------------------------------

    def remember(
        self,
        content: Content,
        *,
        kind: Annotated[str, Field(description="episodic (was said), semantic, social or task.")] = KIND,
        subjects: Subjects = None,
        key: Annotated[
            str | None, Field(description="A slot such as budget/travel: a new value supersedes the one before it.")
        ] = None,
        session: Annotated[str | None, Field(description="The conversation that it was said in.")] = None,
        said_at: Time = None,
        tags: Annotated[list[str] | None, Field(description="What it is about, in words of your own.")] = None,
        metadata: Annotated[dict[str, Any] | None, Field(description="Free JSON that comes back with it.")] = None,
        source: Annotated[
            str | None,
            Field(
                description="Who says it: chat_user, chat_assistant, doc or api_result; as you may claim if left out."
            ),
        ] = None,
        keep: Annotated[
            bool, Field(description="Only if the user insists, after it was refused because they asked not to keep it.")
        ] = False,
    ) -> Stored:
        """Keep something that will matter later: what somebody said, a fact, a preference or a task."""
        memory = self._memory.remember(
            content,
            kind=kind,
            subjects=_ids(subjects),
            key=key,
            session=session,
            at=_moment("said_at", said_at),
            intent_tags=_ids(tags),
            metadata=metadata,
            source_type=self._memory.principal.speaks_as if source is None else source,
            keep=keep,
        )
        return Stored.of(kept(memory))

    def recall(
        self,
        query: Annotated[str, Field(description="What is asked, in words.")],
        max_tokens: Tokens = 1000,
        subjects: Annotated[
            list[str] | None, Field(description="Only about these people, by name; leave it out for anybody.")
        ] = None,
        kind: Annotated[str | None, Field(description="Only episodic, semantic, social or task.")] = None,
        as_of: Time = None,
        *,
        sources: Annotated[
            list[str] | None,
            Field(description="Only what comes from these: chat_user, chat_assistant, doc, api_result."),
        ] = None,
        metadata: Annotated[
            dict[str, Any] | None,
            Field(description='Only with this in its free JSON, such as {"project": "x", "page": {"$gte": 7}}.'),
        ] = None,
        min_confidence: Annotated[
            float | None,
            Field(description="From 0 to 1: nothing where the answer is less sure; leave it out for what is nearest."),
        ] = None,
    ) -> Annotated[CallToolResult, Recalled]:
        """Find what is remembered that answers a question, as text for a prompt that says what perhaps does not."""
        hits = self._memory.retrieve(
            query,
            token_budget=max_tokens,
            as_of=_moment("as_of", as_of),
            subjects=subjects,
            kinds=kind,
            sources=sources,
            metadata=metadata,
            min_confidence=min_confidence,
        )
        told = Recalled.of(hits)
        text = told.text or "Nothing is remembered about this."
        named = json.dumps({"retrieval_id": told.retrieval_id, "ids": told.ids}, ensure_ascii=False)
        content: list[Any] = [TextContent(type="text", text=text), TextContent(type="text", text=named)]
        return CallToolResult(content=content, structured_content=asdict(told))

    def profile(
        self,
        subject: Annotated[str | None, Field(description="A person, by name; leave it out for who speaks.")] = None,
        max_tokens: Tokens = 1000,
        as_of: Time = None,
    ) -> Annotated[CallToolResult, Profiled]:
        """Say who somebody is: what holds of them now, by sections, as text for a prompt."""
        found = self._memory.profile(subject, token_budget=max_tokens, as_of=_moment("as_of", as_of))
        told = Profiled.of(found)
        text = told.text or "Nothing is remembered about this person."
        ids = [entry.id for entry in found.entries]
        named = json.dumps({"retrieval_id": told.retrieval_id, "ids": ids}, ensure_ascii=False)
        content: list[Any] = [TextContent(type="text", text=text), TextContent(type="text", text=named)]
        return CallToolResult(content=content, structured_content=asdict(told))

    def get_memory(
        self,
        id: Id,  # noqa: A002 - the name that users see
        *,
        history: Annotated[bool, Field(description="All versions, the oldest first.")] = False,
    ) -> Versions:
        """Read one memory by its id, with its earlier versions if asked."""
        if history:
            return Versions([Shown.of(one) for one in self._memory.history(id)])
        found = self._memory.get(id)
        return Versions([] if found is None else [Shown.of(found)])

    def why(self, id: Id) -> Told:  # noqa: A002 - the name that users see
        """Say why a memory was stored, shown, changed or forgotten, also after it is gone."""
        return Told(self._memory.explain(id).as_text())

    def update_memory(
        self,
        id: Id,  # noqa: A002 - the name that users see
        content: Content,
        metadata: Annotated[
            dict[str, Any] | None, Field(description="Free JSON in place of what it had; that stays if left out.")
        ] = None,
    ) -> Stored:
        """Give a memory a new text; the old one stays in its history."""
        return Stored.of(self._memory.update(id, content, metadata=metadata))

    def feedback(
        self,
        retrieval_id: Annotated[str, Field(description="What recall returned.")],
        used: Annotated[list[str] | None, Field(description="Ids that helped.")] = None,
        unused: Annotated[list[str] | None, Field(description="Ids that were shown in vain.")] = None,
        contradicted: Annotated[list[str] | None, Field(description="Ids that proved wrong.")] = None,
        complaint: Annotated[str | None, Field(description="What the user said about it, word for word.")] = None,
    ) -> Taken:
        """Say what became of what recall showed, so that the next answer is better."""
        said = self._memory.feedback(
            retrieval_id,
            used=_ids(used),
            unused=_ids(unused),
            contradicted=_ids(contradicted),
            complaint=complaint,
        )
        return taken(said)

    # --- Forgetting -------------------------------------------------------------------------------------------------

    def plan_forgetting(
        self, budget: Annotated[int | None, Field(description="Tokens to come down to.", ge=0)] = None
    ) -> Planned:
        """Say what the tenant's policy would forget to come down to a budget, each with its reason; change nothing."""
        plan = self._memory.plan(budget=budget)
        while len(self._plans) >= _MOST_PLANS:
            self._plans.pop(next(iter(self._plans)))
        self._plans[plan.digest] = plan
        return Planned(
            plan_id=plan.digest,
            confirm=confirmation(plan),
            actions=[{"id": one.id, "action": one.action, "reason": one.reason} for one in plan.actions],
            weight_before=plan.weight_before,
            weight_after=plan.weight_after,
            budget=plan.budget,
        )

    def forget(
        self,
        plan_id: Annotated[str, Field(description="What plan_forgetting returned.")],
        confirm: Annotated[str, Field(description="The words that the plan says confirm it, as they stand there.")],
    ) -> Forgotten:
        """Carry out exactly one plan of plan_forgetting, after the person who answers for it said so."""
        plan = self._plans.get(plan_id)
        if plan is None:
            msg = "there is no such plan, or it is too old; call plan_forgetting again"
            raise ToolError(msg)
        if confirm != confirmation(plan):
            msg = f"the plan is confirmed by these words alone: {confirmation(plan)!r}; nothing was forgotten"
            raise ToolError(msg)
        done = self._memory.forget(plan)
        del self._plans[plan_id]
        return Forgotten(len(done.actions), done.weight_after)
