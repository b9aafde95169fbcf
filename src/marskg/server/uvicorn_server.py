"""The process behind a socket: uvicorn, with clients that do not keep it waiting.

Guarantees: a connection whose client is late with the head of a request, or with taking what it is sent, is ended; what
is no HTTP is answered with a problem; nothing of a request is logged. Source: RFC 9110, section 15.5.9.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from marskg.server import problems

if TYPE_CHECKING:
    import asyncio

    from starlette.types import ASGIApp
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

#: How long a client may take for the head of a request, and for making room for more of an answer.
SECONDS: Final = 30
_GRACE_SECONDS: Final = 30
#: The states of h11, by name, in which no answer was begun.
_UNANSWERED: Final = ("IDLE", "SEND_RESPONSE")


def uvicorn_server(app: ASGIApp) -> uvicorn.Server:
    """Return a server of ``app``; it says nothing, and lets what was begun end when it is told to."""
    settings = uvicorn.Config(
        app,
        http=DeadlineProtocol,
        ws="none",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    return uvicorn.Server(settings)


class DeadlineProtocol(H11Protocol):
    """HTTP/1.1 on one connection, whose client is not waited for without an end."""

    _head: asyncio.TimerHandle | None = None
    _room: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Wait for the head of the first request."""
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        super().connection_lost(exc)
        for one in filter(None, (self._head, self._room)):
            one.cancel()

    def data_received(self, data: bytes) -> None:
        """Take some of a request."""
        super().data_received(data)
        self._watch()

    def pause_writing(self) -> None:
        """Wait for the client to take what it was sent."""
        super().pause_writing()
        self._room = self.loop.call_later(SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on, as the client took it."""
        super().resume_writing()
        if self._room is not None:
            self._room.cancel()

    def send_400_response(self, msg: str) -> None:
        """End a connection that speaks no HTTP."""
        self._end(HTTPStatus.BAD_REQUEST, msg)

    def _watch(self) -> None:
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            # Whoever sends a byte now and then does not get more time by it.
            self._head = self._head or self.loop.call_later(SECONDS, self._late)
        elif self._head is not None:
            self._head.cancel()
            self._head = None

    def _late(self) -> None:
        self._end(HTTPStatus.REQUEST_TIMEOUT, f"a request's head is sent within {SECONDS} seconds")

    def _end(self, status: HTTPStatus, detail: str) -> None:
        if str(self.conn.our_state) in _UNANSWERED:
            told = problems.refused(problems.Refused(status, detail, headers={"Connection": "close"}))
            lines = [f"HTTP/1.1 {status.value} {status.phrase}".encode(), *map(b": ".join, told.raw_headers), b"", b""]
            self.transport.write(b"\r\n".join(lines) + told.body)
        self.transport.close()
