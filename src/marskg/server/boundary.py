"""What every request passes before it is read: where it comes from, how large it is, whether it is plain JSON.

Guarantees: no operation is called for a request with a foreign Host or Origin, a forwarding header, a query parameter,
an Idempotency-Key, or a body that is late, too large, too deep, no UTF-8, or no JSON with one value a name; nothing of
a request is logged.
"""

from __future__ import annotations

import json
import logging
import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from anyio import fail_after
from starlette.datastructures import Headers

from marskg.server.problems import Refused, defect, refused

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES: Final = 1 << 20
MOST_LEVELS: Final = 64
#: How long a client may take for a body.
SECONDS: Final = 30
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_FORWARDING: Final = ("forwarded", "via", "x-real-ip")
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*\\?(?:"|\Z)', re.DOTALL)
#: A weight of nothing, as Accept has it.
_ZERO: Final = re.compile(r";\s*q=0(\.0*)?\s*(;|\Z)")
_log = logging.getLogger("marskg.server")


class Boundary:
    """An ASGI app around another: refuses what must not reach it."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before ``app``, on a loopback address."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one connection on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            check_origin(Headers(scope=scope))
            _check_query(scope["query_string"])
            _check_key(Headers(scope=scope))
            body = await _body_in_time(receive)
            if body:
                check_json(Headers(scope=scope), body)
            await self._app(scope, replayed(body, receive), sending)
        except Refused as answer:
            await refused(answer)(scope, receive, send)
        except Exception as error:  # noqa: BLE001 - an outermost door: a traceback may hold what somebody said
            _log.error("a defect in an answer: %s", type(error).__name__)
            if not begun:
                await defect(error)(scope, receive, send)


def check_origin(headers: Headers) -> None:
    """Refuse what does not come from this machine to this machine.

    Raises:
        Refused: a foreign Host or Origin, or a header of a proxy.
    """
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    if len(hosts) != 1 or _name(f"//{hosts[0]}") not in LOOPBACK:
        raise Refused(HTTPStatus.MISDIRECTED_REQUEST, "the Host is not this machine's loopback address")
    if origins not in ([], [f"http://{hosts[0]}"]):
        raise Refused(HTTPStatus.FORBIDDEN, "the Origin is foreign: pages of other sites may not call this server")
    if any(name in _FORWARDING or name.startswith("x-forwarded") for name in headers):
        raise Refused(HTTPStatus.FORBIDDEN, "the request was forwarded: a server without keys answers no proxy")


def check_json(headers: Headers, body: bytes) -> None:
    """Refuse a body that is not one plain JSON document.

    Raises:
        Refused: another media type, compressed, no UTF-8, too deep, no JSON, a name twice, or half a character.
    """
    if "".join(headers.getlist("content-encoding")).strip().lower() not in {"", "identity"}:
        plain = {"Accept-Encoding": "identity"}
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a body is not compressed; send it as it is", headers=plain)
    kind, _, parameters = headers.get("content-type", "").partition(";")
    if kind.strip().lower() != "application/json" or parameters.strip().lower() not in {"", "charset=utf-8"}:
        detail = "a body is application/json in UTF-8; say so in Content-Type"
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, detail, headers={"Accept": "application/json"})
    try:
        _check_text(body.decode())
    except (ValueError, RecursionError):
        detail = "the body is no JSON in UTF-8 with each name once, finite numbers and whole characters"
        raise Refused(HTTPStatus.BAD_REQUEST, detail) from None


def check_accept(headers: Headers, kind: str) -> None:
    """Refuse whoever does not take an answer of the media type ``kind``; what names it most closely decides.

    Raises:
        Refused: they say so.
    """
    ranges = [one.strip().lower() for one in ",".join(headers.getlist("accept")).split(",") if one.strip()]
    taken = {one.partition(";")[0].strip(): not _ZERO.search(one) for one in ranges}
    names = (kind, f"{kind.partition('/')[0]}/*", "*/*")
    if not next((taken[one] for one in names if one in taken), not taken):
        raise Refused(HTTPStatus.NOT_ACCEPTABLE, f"the answer is {kind}; name it in Accept, or leave that out")


def _check_text(text: str) -> None:
    _check_depth(text)
    found = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    json.dumps(found, ensure_ascii=False).encode()


def _name(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        plain = parts.port != 0 and not (parts.path or parts.username)
    except ValueError:
        return None
    return parts.hostname if plain else None


def _check_query(query: bytes) -> None:
    if query:
        raise Refused(HTTPStatus.BAD_REQUEST, "no resource here takes query parameters; leave them out")


def _check_key(headers: Headers) -> None:
    # Not ignored: who sends one trusts that the same request sent again stores nothing twice.
    if "idempotency-key" in headers:
        detail = "no Idempotency-Key is kept here; leave it out, and look for what is there before you send it again"
        raise Refused(HTTPStatus.BAD_REQUEST, detail)


def _check_depth(text: str) -> None:
    depth = deepest = 0
    for one in re.findall(r"[\[\]{}]", _STRING.sub("", text)):
        depth += 1 if one in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > MOST_LEVELS:
        raise Refused(HTTPStatus.BAD_REQUEST, f"the body has more than {MOST_LEVELS} levels; flatten it")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


def _no_number(_: str) -> None:
    raise ValueError


async def _body_in_time(receive: Receive) -> bytes:
    try:
        with fail_after(SECONDS):
            return await _body(receive)
    except TimeoutError:
        detail = f"a body is sent within {SECONDS} seconds; nothing was done"
        raise Refused(HTTPStatus.REQUEST_TIMEOUT, detail, headers={"Connection": "close"}) from None


async def _body(receive: Receive) -> bytes:
    found = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refused(HTTPStatus.BAD_REQUEST, "the body ended too early")
        found += message.get("body", b"")
        if len(found) > MOST_BYTES:
            raise Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a body has at most {MOST_BYTES} bytes; send it in parts"
            )
        if not message.get("more_body", False):
            return bytes(found)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return what gives ``body`` whole, and then what ``receive`` does."""
    told = False

    async def once() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return once
