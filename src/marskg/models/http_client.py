"""One POST to a server that may be slow, wrong or hostile, by the standard library's HTTP.

Guarantees: a request ends within its time limit, and all its tries with their pauses within another, whatever the
server does; 429, 5xx and failures of the network are tried again after growing pauses; an answer that is larger than
allowed is not read to its end; a redirection is refused, because it would hand texts and key to somebody else; proxies
are not used. Neither key nor body is in any message, and a key goes to another machine encrypted or not at all.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urlsplit

from marskg.errors import InvalidConfig
from marskg.late_regex import late_regex

if TYPE_CHECKING:
    import http.client
    from collections.abc import Callable, Container

    from marskg.errors import MarsError

_AGAIN: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_REFUSED_KEY: Final = frozenset({401, 403})
_REDIRECTS: Final = range(300, 400)
_OK: Final = 200
_LONGEST_PAUSE: Final = 30.0
_SECONDS: Final = late_regex(r"[0-9]{1,6}")


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a request goes: seconds of one try, tries, first pause in seconds, bytes of an answer.

    ``whole`` is how many seconds all the tries and the pauses between them may take together.
    """

    seconds: float = 30.0
    tries: int = 4
    pause: float = 0.5
    answer_bytes: int = 64 << 20
    whole: float = 60.0


class _Passing(Exception):
    """A failure that may pass; holds the pause that the server asks for, if it does."""

    def __init__(self, what: str, pause: float = 0.0) -> None:
        super().__init__(what)
        self.pause = pause


class Poster:
    """Posts JSON below one base URL."""

    def __init__(
        self,
        url: str,
        key: str = "",
        limits: Limits | None = None,
        sleep: Callable[[float], object] = time.sleep,
        now: Callable[[], float] = time.monotonic,
        *,
        what: str,
        key_variable: str,
        failure: type[MarsError],
    ) -> None:
        """Keep the base URL ``url``, the bearer token ``key`` (empty for none), how to wait and how late it is.

        ``sleep`` waits for seconds between two tries; ``now`` gives seconds that only ever grow.
        Messages call the server ``what`` and name ``key_variable`` as the place of its key; ``failure`` is raised where
        it does not answer.

        Raises:
            InvalidConfig: the URL is none of this kind, or the key cannot be sent.
        """
        self._url = _checked_url(url, key_variable)
        _check_key(key, self._url, key_variable)
        self._key = key
        self._limits = limits or Limits()
        self._sleep = sleep
        self._now = now
        self._what = what
        self._key_variable = key_variable
        self._unavailable = failure

    @property
    def host(self) -> str:
        """Return the host, and the port where it is given."""
        return self._url.netloc.lower()

    @property
    def described(self) -> str:
        """Return what a message calls the server."""
        return f"{self._what} {self.host}"

    @property
    def failure(self) -> type[MarsError]:
        """Return what is raised where the server cannot answer."""
        return self._unavailable

    def post(self, path: str, body: bytes) -> bytes:
        """Return what the server answers to ``body`` at ``path``; see :meth:`post_unless`."""
        return self.post_unless(path, body, frozenset()) or b""

    def post_unless(self, path: str, body: bytes, refusals: Container[int]) -> bytes | None:
        """Return what the server answers to ``body`` at ``path``; None where its status is one of ``refusals``.

        Raises:
            MarsError: of the kind given, as it refuses, or fails as often as allowed.
        """
        limits = self._limits
        pause, ends = limits.pause, self._now() + limits.whole
        for tried in range(1, limits.tries + 1):
            try:
                return self._try(path, body, min(limits.seconds, ends - self._now()), refusals)
            except _Passing as failure:
                wait = min(max(pause, failure.pause), _LONGEST_PAUSE)
                if tried == limits.tries or self._now() + wait >= ends:
                    times = "once" if tried == 1 else f"{tried} times"
                    msg = f"{self.described} {failure}, tried {times}: see that it runs, or try again later"
                    raise self._unavailable(msg) from failure.__cause__
                self._sleep(wait)
                pause *= 2
        msg = f"{self.described} was not asked: allow at least one try"
        raise self._unavailable(msg)

    def _try(self, path: str, body: bytes, seconds: float, refusals: Container[int]) -> bytes | None:
        """Send one request and return the body of its answer, within ``seconds``.

        Raises:
            _Passing: it may work the next time.
            MarsError: of the kind given, as it will not.
        """
        import http.client  # noqa: PLC0415 - with ssl: most processes ask no server
        import ssl  # noqa: PLC0415

        connection = self._connection(seconds)
        over = threading.Event()
        timer = None
        try:
            connection.connect()
            # A server that sends a byte now and then never lets a read time out; the timer ends it.
            timer = _limited(connection.sock, seconds, over)
            connection.request("POST", self._url.path.rstrip("/") + path, body, self._headers())
            with connection.getresponse() as response:
                if response.status in refusals:
                    return None
                self._check_status(response)
                answer = response.read(self._limits.answer_bytes + 1)
                cut = bool(response.length)
        except ssl.SSLCertVerificationError as error:
            msg = f"{self.described} shows a certificate that this machine does not trust: {error.verify_message}"
            raise self._unavailable(msg) from error
        except (OSError, http.client.HTTPException) as error:
            # Whichever comes first under load: the timer, or the socket's own limit.
            ended = over.is_set() or isinstance(error, TimeoutError)
            raise _Passing(self._failure(seconds, ended=ended)) from error
        finally:
            if timer is not None:
                timer.cancel()
            connection.close()
        if len(answer) > self._limits.answer_bytes:
            msg = (
                f"{self.described} answered more than {self._limits.answer_bytes:,} bytes: ask for fewer texts at once"
            )
            raise self._unavailable(msg)
        if over.is_set() or cut:
            raise _Passing(self._failure(seconds, ended=over.is_set()))
        return answer

    def _failure(self, seconds: float, *, ended: bool) -> str:
        if ended:
            return f"did not answer within {seconds:.3g} seconds"
        return "cannot be reached, or broke off"

    def _connection(self, seconds: float) -> http.client.HTTPConnection:
        import http.client  # noqa: PLC0415 - as above

        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        return kind(str(self._url.hostname), self._url.port, timeout=seconds)

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        return {**headers, "Authorization": f"Bearer {self._key}"} if self._key else headers

    def _check_status(self, response: http.client.HTTPResponse) -> None:
        status = response.status
        if status == _OK:
            return
        if status in _AGAIN:
            failed = f"answered with status {status}"
            raise _Passing(failed, _asked_pause(response.getheader("Retry-After")))
        if status in _REFUSED_KEY:
            msg = f"{self.described} refused the key (status {status}): set {self._key_variable} to one that it knows"
        elif status in _REDIRECTS:
            msg = f"{self.described} redirects (status {status}), which is refused: give the address that it moved to"
        else:
            msg = f"{self.described} refused the request (status {status}): check the base URL and the model's name"
        raise self._unavailable(msg)


def _limited(held: socket.socket, seconds: float, over: threading.Event) -> threading.Timer:
    """Start the timer that ends all talk on ``held`` after ``seconds``, and says so in ``over``."""
    timer = threading.Timer(seconds, _hang_up, (held, over))
    timer.daemon = True
    timer.start()
    return timer


def _hang_up(held: socket.socket, over: threading.Event) -> None:
    over.set()
    with suppress(OSError):
        # Not an SSL socket's own shutdown, which takes the encryption away from under the reader.
        socket.socket.shutdown(held, socket.SHUT_RDWR)


def _asked_pause(header: str | None) -> float:
    """Return the seconds of a ``Retry-After`` header; a date counts as none, as it needs the server's clock."""
    return float(header) if header and _SECONDS.fullmatch(header) else 0.0


# --- Addresses and keys ----------------------------------------------------------------------------------------------


def _checked_url(url: str, variable: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0 and url.isascii()
        usable = usable and url.isprintable() and " " not in url
    except ValueError:
        usable = False
    if not usable:
        msg = "an endpoint's address is http://HOST[:PORT]/PATH or https://…, for example http://localhost:11434/v1"
        raise InvalidConfig(msg)
    if parts.username or parts.password or parts.query or parts.fragment:
        msg = f"an endpoint's address has no user, password, query or fragment: put the key into {variable}"
        raise InvalidConfig(msg)
    return parts


def _check_key(key: str, url: SplitResult, variable: str) -> None:
    # What HTTP would refuse, it would show.
    if not (key.isascii() and key.isprintable()) or " " in key:
        msg = f"{variable} has a blank, a line break or a character beyond ASCII: copy the key again"
        raise InvalidConfig(msg)
    if key and url.scheme == "http" and not _is_this_machine(str(url.hostname)):
        msg = f"{variable} would go to {url.netloc} unencrypted: use https, or unset it if the server needs no key"
        raise InvalidConfig(msg)


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
