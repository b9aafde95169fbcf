"""A Model Context Protocol server over one tenant's memory: which tools there are, and what a client is told of them.

Guarantees: the order of the tools is fixed; a tool that the principal has no right to is not listed; a call with an
argument that its tool does not have is not entered. Source: Model Context Protocol 2026-07-28; ADR 62.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from mcp.server import MCPServer
from mcp.types import ToolAnnotations

from marskg.api.operations import Effect, effect_of
from marskg.privacy.principals import Right, right_to
from marskg.server.exact_tool import ExactTool
from marskg.server.tools import Tools, refusing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.memory import AgentMemory

#: The tools in the order in which they are listed, with the operation that each is, and those that it makes no sense
#: without.
_TOOLS: Final[Mapping[str, tuple[str, ...]]] = {
    "recall": ("retrieve",),
    "profile": ("profile",),
    "remember": ("remember",),
    "get_memory": ("get", "history"),
    "why": ("explain",),
    "update_memory": ("update",),
    "feedback": ("feedback",),
    "plan_forgetting": ("plan", "forget"),
    "forget": ("forget", "plan"),
}
#: The tools that write, which wait among a tenant's writers where others write as well.
WRITING: Final = frozenset(name for name, (made_of, *_) in _TOOLS.items() if effect_of(made_of) is not Effect.READS)
_INSTRUCTIONS: Final = (
    "A governed memory. Call recall before you answer what may rest on earlier conversations, and answer from what it "
    "shows; call profile for who the user or somebody else is. Call remember for what will matter later: facts, "
    "preferences, decisions, promises and tasks, one statement each, in the words of whoever said it, with the people "
    "that it is about as subjects; not for small talk. Where a fact changed, call update_memory, or remember with the "
    "key that it had. After an answer, call feedback. What is refused is refused for good: tell the user in its words."
)


def mcp_server(memory: AgentMemory, version: str) -> MCPServer:
    """Return a server of the tools that the principal of ``memory`` may use."""
    # The protocol's library logs what a call was given where it breaks the schema, which may be what somebody said.
    logging.getLogger("mcp").setLevel(logging.ERROR)
    tools, role = Tools(memory), memory.principal.role
    listed = []
    for name, operations in _TOOLS.items():
        rights = [right_to(role, one) for one in operations]
        # A plan over a copy of what may be seen cannot be carried out, so that it leads nowhere.
        if Right.NO in rights or ("plan" in operations and Right.GATE in rights):
            continue
        effect = effect_of(operations[0])
        hints = ToolAnnotations(
            read_only_hint=effect is Effect.READS,
            destructive_hint=effect is Effect.DESTROYS,
            # What is gone does not go again.
            idempotent_hint=effect is not Effect.WRITES,
            open_world_hint=False,
        )
        tool = refusing(getattr(tools, name))
        listed.append(ExactTool.declaring(tool, name, hints))
    return MCPServer(
        "marskg",
        title="marskg",
        instructions=_INSTRUCTIONS,
        version=version,
        log_level="ERROR",
        tools=listed,
        # Nothing that a client could subscribe to ever changes.
        subscriptions=False,
    )
