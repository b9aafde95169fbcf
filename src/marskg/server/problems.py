"""What an error is over HTTP: its status, and the problem that the caller is told.

Guarantees: every :class:`~marskg.errors.MarsError` has one row, that of its nearest class; a problem says what the
Python refusal says, but for failures of the server's surroundings, which tell a caller of no file, lock or address.
Source: RFC 9457.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import JSONResponse

from marskg import errors

if TYPE_CHECKING:
    from collections.abc import Mapping

PROBLEM: Final = "application/problem+json"
#: What every answer has: browsers take it for nothing but what it says it is, and no page of another site has it.
GUARDS: Final[Mapping[str, str]] = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
#: Seconds after which a caller may ask again.
RETRY_SECONDS: Final = 2
#: The one table of errors: class → status.
STATUS: Final[Mapping[type[errors.MarsError], HTTPStatus]] = {
    errors.InvalidInput: HTTPStatus.UNPROCESSABLE_ENTITY,
    errors.QueryRefused: HTTPStatus.BAD_REQUEST,
    errors.InvariantError: HTTPStatus.CONFLICT,
    errors.MemoryTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    errors.NotPermitted: HTTPStatus.FORBIDDEN,
    errors.PrivacyBudgetExhausted: HTTPStatus.TOO_MANY_REQUESTS,
    errors.UnknownMemory: HTTPStatus.NOT_FOUND,
    errors.EnvironmentFailure: HTTPStatus.SERVICE_UNAVAILABLE,
    errors.AuditVerificationFailed: HTTPStatus.CONFLICT,
    errors.MarsError: HTTPStatus.INTERNAL_SERVER_ERROR,
}
#: What a caller is told of failures whose own words name files, processes or servers.
_SURROUNDINGS: Final = "the store cannot serve this at the moment; ask again later, or ask who runs the server"
#: What a caller is told of a write that nobody can tell of whether it was kept.
_PERHAPS: Final = "the store went away and may have kept this; once it answers, look before you send it again:"


class Refused(Exception):
    """A request that the door refuses before any operation is called."""

    def __init__(self, status: HTTPStatus, detail: str, *, headers: Mapping[str, str] | None = None) -> None:
        """Keep what the caller is told, which repeats no long input whole."""
        super().__init__(detail)
        self.status = status
        self.detail = errors.within_bounds(detail)
        self.headers = dict(headers or {})


class Unauthenticated(Refused):
    """Nobody is named by the request, or nobody who may come in; the reason is not told."""

    def __init__(self) -> None:
        """Ask for a bearer key."""
        detail = "this needs a valid key: send it as 'Authorization: Bearer KEY'"
        super().__init__(HTTPStatus.UNAUTHORIZED, detail, headers={"WWW-Authenticate": "Bearer"})


class Busy(Refused):
    """The queue is full."""

    def __init__(self) -> None:
        """Ask to come again."""
        detail = "too much is waiting already; nothing was done; ask again after the seconds of Retry-After"
        super().__init__(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers={"Retry-After": str(RETRY_SECONDS)})


def status_of(error: errors.MarsError) -> HTTPStatus:
    """Return the status of the nearest class of ``error`` in the table."""
    return next(STATUS[one] for one in type(error).__mro__ if one in STATUS)


def refused(given: Refused) -> JSONResponse:
    """Return the problem of a request that the door refuses."""
    return _problem(given.status, type(given).__name__, given.detail, given.headers)


def failed(error: errors.MarsError) -> JSONResponse:
    """Return the problem of an operation's refusal."""
    status = status_of(error)
    if isinstance(error, errors.OutcomeUnknown):
        # Whoever asked again without looking would store it twice.
        return _problem(status, type(error).__name__, f"{_PERHAPS} {', '.join(error.ids)}".rstrip(), {})
    outside = isinstance(error, errors.EnvironmentFailure)
    headers = {"Retry-After": str(RETRY_SECONDS)} if outside else {}
    return _problem(status, type(error).__name__, _SURROUNDINGS if outside else str(error), headers)


def defect(error: BaseException) -> JSONResponse:
    """Return the problem of a defect: its class, and nothing of what it says."""
    detail = f"a defect in marskg ({type(error).__name__}); nothing unacknowledged was kept"
    return _problem(HTTPStatus.INTERNAL_SERVER_ERROR, "Defect", detail, {})


def _problem(status: HTTPStatus, name: str, detail: str, headers: Mapping[str, str]) -> JSONResponse:
    body: dict[str, Any] = {
        "type": f"urn:marskg:error:{name}",
        "title": status.phrase,
        "status": status.value,
        "detail": detail,
    }
    return JSONResponse(
        body, status.value, headers={"Cache-Control": "no-store", **GUARDS, **headers}, media_type=PROBLEM
    )
