"""The resources below ``/v1``: each calls one operation of the facade as its caller has it.

Guarantees: a caller of one tenant is told of another one what is told of a tenant that never was; a reader is told
nothing that the facade would not tell them; a write with a condition is done on the version that it names, or not at
all.
Source: RFC 9110, RFC 9457; ADR 65.
"""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from dataclasses import asdict
from functools import partial
from http import HTTPStatus
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from anyio.to_thread import run_sync
from fastapi import APIRouter
from starlette.requests import Request  # noqa: TC002 - FastAPI reads it
from starlette.responses import JSONResponse, Response, StreamingResponse

from marskg.errors import InvalidInput, MarsError, UnknownMemory
from marskg.given_time import Moment
from marskg.server import problems
from marskg.server.boundary import check_accept
from marskg.server.resources import (
    Answered,
    Judgement,
    NewContent,
    NewMemory,
    Person,
    Problem,
    Question,
    etag,
    unmet,
)
from marskg.server.tool_answers import Profiled, Shown, Stored, Taken, Told, Versions, kept, taken

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from fastapi import FastAPI
    from starlette.types import Receive, Scope, Send

    from marskg.memory import AgentMemory
    from marskg.records import Memory
    from marskg.server.callers import Authenticator, Caller
    from marskg.server.worker_pool import WorkerPool

#: What is seen depends on who asks, and may be erased later: nobody keeps it.
_PRIVATE: Final = {"Cache-Control": "private, no-store"}
_LINES: Final = 50
_NDJSON: Final = "application/x-ndjson"


class Routes:
    """The resources of all tenants, for whoever the authenticator lets in."""

    def __init__(self, pool: WorkerPool, authenticator: Authenticator) -> None:
        """Serve from ``pool``."""
        self._pool, self._authenticator = pool, authenticator

    def router(self) -> APIRouter:
        """Return the table of resources."""
        table = APIRouter(responses={422: {"model": Problem}, "default": {"model": Problem}})
        memories, one = "/v1/tenants/{tenant}/memories", "/v1/tenants/{tenant}/memories/{ident}"
        table.add_api_route(memories, self.remember, methods=["POST"], status_code=201, response_model=Stored)
        add_read(table, memories, self.memories, response_class=StreamingResponse)
        add_read(table, one, self.get, response_model=Shown)
        table.add_api_route(one, self.update, methods=["PATCH"], response_model=Stored)
        add_read(table, f"{one}/history", self.history, response_model=Versions)
        add_read(table, f"{one}/why", self.why, response_model=Told)
        table.add_api_route("/v1/tenants/{tenant}/search", self.search, methods=["POST"], response_model=Answered)
        table.add_api_route("/v1/tenants/{tenant}/profile", self.profile, methods=["POST"], response_model=Profiled)
        table.add_api_route("/v1/tenants/{tenant}/feedback", self.feedback, methods=["POST"], response_model=Taken)
        add_read(table, "/readyz", self.ready, status_code=204, response_class=Response)
        return table

    async def remember(self, request: Request, tenant: str, body: NewMemory) -> Response:
        """Keep a memory."""
        caller = await self._caller(request, tenant)

        def write(memory: AgentMemory) -> Memory:
            return memory.remember(
                body.content,
                kind=body.kind,
                subjects=body.subjects,
                key=body.key,
                session=body.session,
                at=_moment("at", body.at),
                intent_tags=body.tags,
                metadata=body.metadata,
                source_type=memory.principal.speaks_as if body.source is None else body.source,
                keep=body.keep,
            )

        made = kept(await self._pool.run(self._pool.writing(tenant), caller, write))
        return _written(made, tenant, HTTPStatus.CREATED)

    async def memories(self, request: Request, tenant: str) -> Response:
        """List all memories that may be seen, one a line; the last line says that it is the end, or tells an error."""
        caller = await self._caller(request, tenant, _NDJSON)
        if request.method == "HEAD":
            return StreamingResponse(iter(()), media_type=_NDJSON, headers=_PRIVATE)
        stack = AsyncExitStack()
        async with stack:
            await stack.enter_async_context(self._pool.streaming().turn())
            memory = await run_sync(stack.enter_context, self._pool.handles.of(caller))
            found = await run_sync(memory.memories)
            return _Lines(found, stack.pop_all())

    async def get(self, request: Request, tenant: str, ident: str) -> Response:
        """Read one memory; its ETag is what If-Match takes."""
        caller = await self._caller(request, tenant)
        found = await self._pool.run(self._pool.reading(), caller, partial(_existing, ident=ident))
        headers = {**_PRIVATE, "ETag": etag(found)}
        if _conditions(request, found, reads=True):
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        return JSONResponse(asdict(Shown.of(found)), headers=headers)

    async def update(self, request: Request, tenant: str, ident: str, body: NewContent) -> Response:
        """Give a memory a new text; the old one stays in its history."""
        caller = await self._caller(request, tenant)

        def write(memory: AgentMemory) -> Memory:
            if {"if-match", "if-none-match"} & set(request.headers):
                _conditions(request, _existing(memory, ident), reads=False)
            return memory.update(ident, body.content, metadata=body.metadata)

        return _written(await self._pool.run(self._pool.writing(tenant), caller, write), tenant, HTTPStatus.OK)

    async def history(self, request: Request, tenant: str, ident: str) -> Response:
        """Read all versions of a memory, the oldest first."""
        caller = await self._caller(request, tenant)
        found = await self._pool.run(self._pool.reading(), caller, lambda memory: memory.history(ident))
        return _told(Versions([Shown.of(one) for one in found]))

    async def why(self, request: Request, tenant: str, ident: str) -> Response:
        """Say why a memory was stored, shown, changed or forgotten, also after it is gone."""
        caller = await self._caller(request, tenant)
        text = await self._pool.run(self._pool.reading(), caller, lambda memory: memory.explain(ident).as_text())
        return _told(Told(text))

    async def search(self, request: Request, tenant: str, body: Question) -> Response:
        """Find what answers a question, as text for a prompt."""
        caller = await self._caller(request, tenant)

        def read(memory: AgentMemory) -> Answered:
            hits = memory.retrieve(
                body.query,
                token_budget=body.max_tokens,
                min_confidence=body.min_confidence,
                sources=body.sources,
                as_of=_moment("as_of", body.as_of),
                subjects=body.subjects,
                kinds=body.kinds,
                metadata=body.metadata,
            )
            return Answered.of(hits)

        return _told(await self._pool.run(self._pool.reading(), caller, read))

    async def profile(self, request: Request, tenant: str, body: Person) -> Response:
        """Tell who somebody is, as text for a prompt and by sections."""
        caller = await self._caller(request, tenant)

        def read(memory: AgentMemory) -> Profiled:
            as_of = _moment("as_of", body.as_of)
            return Profiled.of(memory.profile(body.subject, token_budget=body.max_tokens, as_of=as_of))

        return _told(await self._pool.run(self._pool.reading(), caller, read))

    async def feedback(self, request: Request, tenant: str, body: Judgement) -> Response:
        """Say what became of what a search showed."""
        caller = await self._caller(request, tenant)

        def write(memory: AgentMemory) -> Taken:
            said = memory.feedback(
                body.retrieval_id,
                used=body.used,
                unused=body.unused,
                contradicted=body.contradicted,
                complaint=body.complaint,
            )
            return taken(said)

        return _told(await self._pool.run(self._pool.writing(tenant), caller, write))

    async def ready(self, request: Request) -> Response:
        """Answer once the caller's store does."""
        caller = await self._named(request)
        await self._pool.run(self._pool.reading(), caller, lambda memory: memory.tenant)
        return Response(status_code=HTTPStatus.NO_CONTENT, headers=_PRIVATE)

    async def _named(self, request: Request) -> Caller:
        given = request.headers.getlist("authorization")
        if len(given) > 1:
            raise problems.Unauthenticated
        return await run_sync(self._authenticator.caller, given[0] if given else None)

    async def _caller(self, request: Request, tenant: str, kind: str = "application/json") -> Caller:
        caller = await self._named(request)
        if caller.tenant != tenant:
            raise problems.Refused(HTTPStatus.NOT_FOUND, "there is no such tenant for this caller")
        check_accept(request.headers, kind)
        return caller


def add_read(
    table: APIRouter | FastAPI,
    path: str,
    answer: Callable[..., Any],
    **more: Any,  # noqa: ANN401 - as FastAPI has it
) -> None:
    """Have ``table`` answer GET and HEAD."""
    table.add_api_route(path, answer, methods=["GET"], **more)
    table.add_api_route(path, answer, methods=["HEAD"], include_in_schema=False, **more)


class _Lines(StreamingResponse):
    """Memories as NDJSON, whose turn ends with the answer, however that ends."""

    def __init__(self, found: Iterator[Memory], held: AsyncExitStack) -> None:
        """Stream ``found`` and let go of ``held``."""
        super().__init__(_lines(found), media_type=_NDJSON, headers=_PRIVATE)
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines."""
        async with self._held:
            await super().__call__(scope, receive, send)


async def _lines(found: Iterator[Memory]) -> AsyncIterator[str]:
    def some() -> list[str]:
        return [json.dumps(asdict(Shown.of(one)), ensure_ascii=False) for one in islice(found, _LINES)]

    last: dict[str, Any] = {"end": True}
    try:
        while lines := await run_sync(some):
            yield "".join(f"{line}\n" for line in lines)
    except MarsError as error:
        last = {"error": json.loads(bytes(problems.failed(error).body))}
    except Exception as error:
        # The status is sent: the reader is told by the last line, and by a stream that does not end as it should.
        yield f"{json.dumps({'error': json.loads(bytes(problems.defect(error).body))})}\n"
        raise
    yield f"{json.dumps(last)}\n"


def _conditions(request: Request, found: Memory, *, reads: bool) -> bool:
    """Return whether the caller has what they ask for.

    Raises:
        Refused: a condition of the request is not met.
    """
    status = unmet(request.headers, etag(found), reads=reads)
    if status is HTTPStatus.PRECONDITION_FAILED:
        detail = "the memory is not the version that the request is for; read it again and decide anew"
        raise problems.Refused(status, detail)
    return status is HTTPStatus.NOT_MODIFIED


def _existing(memory: AgentMemory, ident: str) -> Memory:
    found = memory.get(ident)
    if found is None:
        msg = "there is no such memory for this caller; search tells the ids of those that there are"
        raise UnknownMemory(msg)
    return found


def _moment(name: str, text: str | None) -> int | None:
    try:
        return None if text is None else Moment.parse(text)
    except InvalidInput as error:
        msg = f"{name} {error}"
        raise InvalidInput(msg) from None


def _told(answer: Answered | Profiled | Versions | Told | Taken) -> Response:
    return JSONResponse(asdict(answer), headers=_PRIVATE)


def _written(kept: Memory, tenant: str, status: HTTPStatus) -> Response:
    where = f"/v1/tenants/{quote(tenant, safe='')}/memories/{quote(kept.id, safe='')}"
    headers = {**_PRIVATE, "Location": where, "ETag": etag(kept)}
    return JSONResponse(asdict(Stored.of(kept)), status.value, headers=headers)
