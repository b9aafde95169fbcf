"""Who calls: the tenant and the principal that a request stands for.

Guarantees: both come from the authenticator alone; nothing in a path, a body or another header widens them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from marskg.privacy.principals import Principal


@dataclass(frozen=True)
class Caller:
    """A principal of one tenant."""

    tenant: str
    principal: Principal


class Authenticator(Protocol):
    """Whatever says who calls."""

    def caller(self, authorization: str | None) -> Caller:
        """Return who calls with this Authorization header, None where there is none; called in a worker thread.

        Raises:
            Unauthenticated: nobody who may come in.
        """


@dataclass(frozen=True)
class Everyone:
    """Takes whoever reaches the server for one caller: for a loopback address alone."""

    one: Caller

    def caller(self, authorization: str | None) -> Caller:  # noqa: ARG002 - the protocol's
        """Return the one caller."""
        return self.one
