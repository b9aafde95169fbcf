"""One ASGI app over a store: resources below ``/v1``, the tools of MCP at ``/mcp``, health, and the schema.

Guarantees: every error leaves as a problem of the one table; a defect leaves without its text, in the answer and in the
log. Source: ADR 65.
"""

from __future__ import annotations

import json
from contextlib import asynccontextmanager, nullcontext
from http import HTTPStatus
from typing import TYPE_CHECKING

from anyio.to_thread import run_sync
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match, Route

from marskg.errors import MarsError
from marskg.server import problems
from marskg.server.boundary import Boundary, replayed
from marskg.server.mcp_server import WRITING, mcp_server
from marskg.server.routes import Routes, add_read

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from marskg.memory import AgentMemory
    from marskg.server.callers import Authenticator
    from marskg.server.worker_pool import WorkerPool


def http_app(pool: WorkerPool, authenticator: Authenticator, memory: AgentMemory, version: str) -> ASGIApp:
    """Return the app for a loopback address; ``memory`` is what ``/mcp`` serves. Its end closes what the pool has."""
    tools = mcp_server(memory, version)
    protocol = tools.streamable_http_app(stateless_http=True, json_response=True)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            async with tools.session_manager.run():
                yield
        finally:
            await run_sync(pool.handles.close)

    app = FastAPI(
        title="marskg", version=version, lifespan=lifespan, docs_url=None, redoc_url=None, redirect_slashes=False
    )
    add_read(app, "/healthz", healthy, status_code=204, response_class=Response)
    # Side by side, not one below the other: a method that is not allowed is told of all that are.
    app.router.routes.extend([*Routes(pool, authenticator).router().routes, *protocol.routes])
    for kind in (MarsError, problems.Refused, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _answer)
    app.add_exception_handler(Exception, _defect)
    return Boundary(_Turns(app, pool, memory.tenant))


async def healthy() -> Response:
    """Answer while the process does."""
    return Response(status_code=HTTPStatus.NO_CONTENT)


class _Turns:
    """Has calls of tools wait for their turn: those that write among the tenant's writers, others among the readers."""

    def __init__(self, app: ASGIApp, pool: WorkerPool, tenant: str) -> None:
        self._app, self._pool, self._tenant = app, pool, tenant

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, in its turn if it is a call."""
        if scope["type"] != "http" or scope["path"] != "/mcp":
            await self._app(scope, receive, send)
            return
        if scope["method"] != "POST":
            # There is nothing that a stream would tell, and one that is held open holds up the server's end.
            detail = "/mcp takes POST alone: it has no streams"
            raise problems.Refused(HTTPStatus.METHOD_NOT_ALLOWED, detail, headers={"Allow": "POST"})
        body = (await receive())["body"]
        tool = _called(body)
        lane = self._pool.writing(self._tenant) if tool in WRITING else self._pool.reading()
        async with nullcontext() if tool is None else lane.turn():
            await self._app(scope, replayed(body, receive), send)


def _called(body: bytes) -> str | None:
    """Return the tool that a body, which is JSON or nothing, calls."""
    message = json.loads(body or b"{}")
    if not isinstance(message, dict) or message.get("method") != "tools/call":
        return None
    given = message.get("params")
    return str(given.get("name")) if isinstance(given, dict) else ""


async def _answer(request: Request, error: Exception) -> Response:
    if isinstance(error, MarsError):
        return problems.failed(error)
    if isinstance(error, RequestValidationError):
        told = "; ".join(f"{'.'.join(str(at) for at in one['loc'])}: {one['msg']}" for one in error.errors())
        return problems.refused(problems.Refused(HTTPStatus.UNPROCESSABLE_ENTITY, told))
    if isinstance(error, HTTPException):
        status = HTTPStatus(error.status_code)
        headers = {"Allow": _allowed(request)} if status is HTTPStatus.METHOD_NOT_ALLOWED else error.headers
        return problems.refused(problems.Refused(status, status.description or status.phrase, headers=headers))
    if isinstance(error, problems.Refused):
        return problems.refused(error)
    return problems.defect(error)


def _allowed(request: Request) -> str:
    """Return the methods of a resource, which has a route for each."""
    routes = (
        one for one in request.app.routes if isinstance(one, Route) and one.matches(request.scope)[0] != Match.NONE
    )
    return ", ".join(sorted(method for one in routes for method in one.methods or ()))


async def _defect(_: Request, error: Exception) -> Response:
    return problems.defect(error)
