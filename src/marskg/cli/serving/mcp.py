"""``mars mcp``: the memory as tools for any client of the Model Context Protocol, over standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from marskg.cli.door import Door, pass_door, passphrase, shared_options
from marskg.errors import EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server import MCPServer

    from marskg.memory import AgentMemory

AGENT = "agent:mcp"


@click.command()
@shared_options
@pass_door
def mcp(door: Door, /) -> None:
    """Serve the memory over standard input and output to a client of the Model Context Protocol.

    The client is an agent unless --as says otherwise: it remembers, recalls and corrects, and erases nothing. Without
    --as the store and the tenant are created where they do not exist.
    """
    serve = _library()
    from marskg import __version__
    from marskg.api.opening import open as open_memory

    who = door.stated_principal
    if who is None:
        # Whoever starts the program is the operator of what they start it on; the client is not.
        open_memory(door.store, tenant=door.tenant, passphrase=passphrase()).close()
    with open_memory(
        door.store, tenant=door.tenant, principal=who or AGENT, passphrase=passphrase(), create=False
    ) as memory:
        serve(memory, __version__).run("stdio")


def _library() -> Callable[[AgentMemory, str], MCPServer]:
    try:
        from marskg.server.mcp_server import mcp_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        msg = "mars mcp needs the extra server; install it with: pip install 'marskg[server]'"
        raise EnvironmentFailure(msg) from error
    return mcp_server
