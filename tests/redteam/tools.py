"""Attempts through the tools of the Model Context Protocol, as an agent: what a model is told, whatever it calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp import Client, MCPError

from marskg.server.mcp_server import mcp_server
from tests.redteam.attempt import Book
from tests.redteam.reading import PARAPHRASES, PLEAS, QUESTIONS, SPELLINGS
from tests.redteam.stage import SENTINELS, hidden_id, visible_id
from tests.redteam.writing import HIDDEN, WORD, stage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.redteam.stage import Side

#: Tools that an agent is not listed, and arguments that no tool has.
ABSENT: Final = ("forget", "plan_forgetting", "erase", "cypher", "sparql", "export", "set_principal")
SPOOFED: Final[Mapping[str, Any]] = {
    "principal": "operator",
    "tenant": "*",
    "max_sensitivity": 1.0,
    "purpose": "billing",
}


def told(memory: Any, tool: str, **given: Any) -> object:
    """Return all that a client is told of one call."""

    async def ask() -> object:
        async with Client(mcp_server(memory, "0")) as client:
            try:
                found = await client.call_tool(tool, given)
            except MCPError as error:
                return str(error)
            texts = [getattr(one, "text", repr(one)) for one in found.content]
            return [found.is_error, texts, found.structured_content]

    return anyio.run(ask)


def attempts() -> Book:
    book = Book()

    def ask(technique: str, tool: str, **given: Any) -> None:
        book.ask("mcp", "agent", technique, "told", lambda agent: told(agent, tool, **given))

    for question in (*QUESTIONS, *PARAPHRASES):
        ask("asking through a tool", "recall", query=question)
    for plea in PLEAS:
        ask("pleading through a tool", "recall", query=plea)
    ask("asking who somebody is through a tool", "profile", subject="Bob Dahl")
    for name in SENTINELS:
        ask("a hidden id through a tool", "get_memory", id=hidden_id(name), history=True)
        ask("a hidden id through a tool", "why", id=hidden_id(name))
    for change in SPELLINGS.values():
        ask("a hidden id through a tool: spelt otherwise", "get_memory", id=change(hidden_id("fact")))
    for name, value in SPOOFED.items():
        ask("arguments that no tool has", "recall", query="what does Bob Dahl owe?", **{name: value})
    for tool in ABSENT:
        ask("a tool that is not listed", tool, subject="Bob Dahl", query="MATCH (m) RETURN m.content", budget=0)
    _writing(book)
    return book


def _writing(book: Book) -> None:
    def write(technique: str, tool: str, **given: Any) -> None:
        def act(side: Side) -> object:
            return told(stage(side), tool, **given)

        book.add("mcp", "agent", technique, "told", act, words=(WORD,))

    write("a hidden id in a tool that writes", "update_memory", id=HIDDEN, content="Bob Dahl hides nothing")
    write("a hidden id in a tool that writes", "feedback", retrieval_id="urn:mars:showing:" + "0" * 32, used=[HIDDEN])
    write("looking at what a tool wrote", "why", id=visible_id(0))
