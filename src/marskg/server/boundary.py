"""What every request passes before it is read: where it comes from, how large it is, whether it is plain JSON.

Guarantees: no operation is called for a request with a foreign Host or Origin, one that a page of another origin causes
in a browser, one with a header of a proxy, more or longer headers than any client needs, a query parameter, an
Idempotency-Key, or a body that is late, too large, too deep, no UTF-8, or no JSON with one value a name; every answer
forbids browsers to guess its type and to give it to another site; nothing of a request is logged. Source: RFC 3986 3.2,
RFC 6585 5, W3C Fetch Metadata, WHATWG Fetch (Cross-Origin-Resource-Policy, X-Content-Type-Options).
"""

from __future__ import annotations

import json
import logging
import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from anyio import fail_after
from starlette.datastructures import Headers, MutableHeaders

from marskg.late_regex import late_regex
from marskg.server.problems import GUARDS, Refused, defect, refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES: Final = 1 << 20
MOST_LEVELS: Final = 64
#: How long a client may take for a body.
SECONDS: Final = 30
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
#: Headers of a request, and bytes of their names and values: browsers and clients of tools send twenty in 4 KiB.
MOST_HEADERS: Final = 100
MOST_HEADER_BYTES: Final = 16_384
#: A host and a port as a request names them: a name or four numbers, or an address in brackets; nothing beside them.
_AUTHORITY: Final = late_regex(r"([a-z0-9]+(?:[.-][a-z0-9]+)*|\[[0-9a-f:]+\])(?::([1-9][0-9]{0,4}))?", re.IGNORECASE)
_LAST_PORT: Final = 65_535
#: What browsers say of a request of this origin's own page, and of one of nobody's: an address that somebody typed.
_OWN_SITES: Final = frozenset({"same-origin", "none"})
#: Names of headers that only what stands between a client and a server sends, whoever makes it: they say that something
#: was forwarded, name a proxy, or tell whose address or which host it was before.
_FORWARDED: Final = late_regex(
    r"forward|prox(?:y|ied)|\b(?:via|cdn)\b|(?:\b|client|socket)ip(?:s|v[46])?$|\baddr(?:ess)?$|.-(?:host|scheme|proto)$"
)
_STRING: Final = late_regex(r'"[^"\\]*(?:\\.[^"\\]*)*\\?(?:"|\Z)', re.DOTALL)
#: A weight of nothing, as Accept has it.
_ZERO: Final = late_regex(r";\s*q=0(\.0*)?\s*(;|\Z)")
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

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(GUARDS)
            await send(message)

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await guarded(message)

        try:
            _check_size(scope["headers"])
            check_origin(Headers(scope=scope))
            _check_query(scope["query_string"])
            _check_key(Headers(scope=scope))
            body = await _body_in_time(receive)
            if body:
                check_json(Headers(scope=scope), body)
            await self._app(scope, replayed(body, receive), sending)
        except Refused as answer:
            await refused(answer)(scope, receive, guarded)
        except Exception as error:  # noqa: BLE001 - an outermost door: a traceback may hold what somebody said
            _log.error("a defect in an answer: %s", type(error).__name__)
            if not begun:
                await defect(error)(scope, receive, guarded)


def check_origin(headers: Headers) -> None:
    """Refuse what does not come from this machine to this machine, or what a page of another origin made a browser ask.

    Raises:
        Refused: a foreign Host, Origin, site or Referer, or a header of a proxy.
    """
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    if len(hosts) != 1 or _name(hosts[0]) not in LOOPBACK:
        raise Refused(HTTPStatus.MISDIRECTED_REQUEST, "the Host is not this machine's loopback address")
    own = f"http://{hosts[0]}"
    if origins not in ([], [own]):
        raise Refused(HTTPStatus.FORBIDDEN, "the Origin is foreign: pages of other sites may not call this server")
    # An image, a script, a frame or a link of a page sends no Origin. Another port of this machine is another origin.
    sites, referers = headers.getlist("sec-fetch-site"), headers.getlist("referer")
    if sites and (len(sites) > 1 or sites[0] not in _OWN_SITES):
        detail = "Sec-Fetch-Site says that a page of another origin asks: none but this server's own may"
        raise Refused(HTTPStatus.FORBIDDEN, detail)
    if any(one != own and not one.startswith(f"{own}/") for one in referers):
        raise Refused(HTTPStatus.FORBIDDEN, "the Referer is foreign: pages of other sites may not call this server")
    if any(_FORWARDED.search(name) for name in headers):
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


def _name(authority: str) -> str | None:
    """Return the host that an authority names, None where it is none with a port that there is."""
    found = _AUTHORITY.fullmatch(authority)
    if found is None or int(found[2] or 1) > _LAST_PORT:
        return None
    return found[1].lower().strip("[]")


def _check_size(headers: Sequence[tuple[bytes, bytes]]) -> None:
    size = sum(len(name) + len(value) for name, value in headers)
    if len(headers) > MOST_HEADERS or size > MOST_HEADER_BYTES:
        detail = f"a request has at most {MOST_HEADERS} headers of {MOST_HEADER_BYTES} bytes together; send fewer"
        raise Refused(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, detail, headers={"Connection": "close"})


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
