"""A model behind an HTTP endpoint, as settings name it: ``MODEL@URL``, with its key in a variable of the environment.

Guarantees: what names no endpoint gives None, so that nothing that somebody typed, which may hold a key, is repeated.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from marskg.late_regex import late_regex
from marskg.models.http_client import Poster

if TYPE_CHECKING:
    from collections.abc import Mapping

    from marskg.errors import MarsError
    from marskg.models.http_client import Limits

_ENDPOINT: Final = late_regex(r"(?P<kind>[a-z]+):(?P<model>[^@]+(?:@(?!https?://)[^@]+)*)@(?P<url>https?://.+)")


def endpoint(
    spec: str,
    kind: str,
    *,
    what: str,
    key_variable: str,
    failure: type[MarsError],
    former_key: str | None = None,
    environment: Mapping[str, str] | None = None,
    limits: Limits | None = None,
) -> tuple[str, Poster] | None:
    """Return the model and the way to the server that ``spec``, a ``kind:MODEL@URL``, names; None where it names none.

    Args:
        spec: as it stands in the settings.
        kind: the protocol that is spoken.
        what: what messages call the server.
        key_variable: where its key is, and what messages call that place.
        failure: what is raised where it cannot answer.
        former_key: where the key was until it had its name; looked at where it is not at the other place.
        environment: has the key; the process's if left out.
        limits: how far a request goes.

    Raises:
        InvalidConfig: the address or the key cannot be used.
    """
    found = _ENDPOINT.fullmatch(spec)
    if found is None or found["kind"] != kind:
        return None
    given = os.environ if environment is None else environment
    key = given.get(key_variable) or (given.get(former_key, "") if former_key is not None else "")
    poster = Poster(found["url"], key, limits, what=what, key_variable=key_variable, failure=failure)
    return found["model"], poster
