"""``mars serve``: a tenant's memory over HTTP, for programs of this machine."""

from __future__ import annotations

import signal
import socket
from typing import TYPE_CHECKING, Final

import click

from marskg.cli.door import Door, pass_door, passphrase, shared_options
from marskg.cli.output import note
from marskg.errors import EnvironmentFailure, InvalidInput
from marskg.privacy.principals import Principal, Role

if TYPE_CHECKING:
    from marskg.memory import AgentMemory
    from marskg.server.callers import Caller

LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
PORT: Final = 8321


@click.command()
@click.option("--host", default=LOOPBACK[0], show_default=True, metavar="ADDRESS", help="A loopback address.")
@click.option("--port", default=PORT, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
@click.option("--insecure-local", is_flag=True, help="Serve whoever reaches this machine's loopback, without keys.")
@click.option(
    "--role", type=click.Choice(["agent", "reader"]), default="agent", show_default=True, help="Who they are."
)
@click.option("--name", default="http", show_default=True, help="Their name in the audit.")
@shared_options
@pass_door
def serve(door: Door, /, host: str, port: int, role: str, name: str, *, insecure_local: bool) -> None:
    """Serve one tenant over HTTP (/v1) and as tools (/mcp) to programs of this machine.

    There are no keys yet: everybody on this machine's loopback is the agent, or the reader, of the one tenant that is
    named; nobody is its operator. Store and tenant must exist; a folder is served by one process at a time.
    """
    _check(door, host, insecure_local=insecure_local)
    who = Principal(Role(role), name)
    _run(door, who, host, port)


def _check(door: Door, host: str, *, insecure_local: bool) -> None:
    if not insecure_local:
        msg = "mars serve has no keys: say --insecure-local to serve whoever reaches this machine's loopback address"
        raise InvalidInput(msg)
    if not door.tenant_is_named:
        msg = "--insecure-local serves one tenant: name it with --tenant"
        raise InvalidInput(msg)
    if door.stated_principal is not None:
        msg = "mars serve takes --role and --name, not --as or MARS_PRINCIPAL: nobody comes in as anything else"
        raise InvalidInput(msg)
    if host not in LOOPBACK:
        msg = f"--insecure-local binds to {', '.join(LOOPBACK)} alone: whoever reaches another would be let in"
        raise InvalidInput(msg)


def _run(door: Door, who: Principal, host: str, port: int) -> None:
    try:
        from marskg.server.callers import Caller, Everyone
        from marskg.server.http_app import http_app
        from marskg.server.uvicorn_server import uvicorn_server
        from marskg.server.worker_pool import Handles, WorkerPool
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"fastapi", "mcp", "uvicorn", "starlette", "anyio", "pydantic"}:
            raise
        msg = "mars serve needs the extra server; install it with: pip install 'marskg[server]'"
        raise EnvironmentFailure(msg) from error
    from marskg import __version__
    from marskg.api.opening import open as open_memory

    def opened(caller: Caller) -> AgentMemory:
        return open_memory(
            door.store, tenant=caller.tenant, principal=caller.principal, passphrase=passphrase(), create=False
        )

    caller, handles = Caller(door.tenant, who), Handles(opened)
    # Nobody who comes in reads on what a model did not come to: whoever starts the program is the operator.
    operator = open_memory(door.store, tenant=door.tenant, passphrase=passphrase(), create=False, reweigh=False)
    with operator, handles.of(caller) as memory, _listening(host, port) as listening:
        server = uvicorn_server(http_app(WorkerPool(handles), Everyone(caller), memory, __version__))
        # For a signal before uvicorn takes them, and for that which it puts back and raises anew once all is closed.
        signal.signal(signal.SIGTERM, server.handle_exit)
        at = f"[{host}]" if ":" in host else host
        note(f"WARNING: no keys: every program on this machine is {who} of tenant {door.tenant!r}")
        note(f"serving http://{at}:{listening.getsockname()[1]}")
        server.run(sockets=[listening])


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        # Before the address is told: who comes then waits until the server answers.
        listening.listen()
    except OSError as error:
        listening.close()
        msg = f"port {port} of {host} cannot be taken: {error.strerror}; name another with --port"
        raise EnvironmentFailure(msg) from error
    return listening
