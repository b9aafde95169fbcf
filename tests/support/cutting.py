"""A server that goes away: a door before a real one, which closes every connection at a chosen moment."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from types import TracebackType

#: A Bolt COMMIT message, and the chunk header before it.
COMMIT = b"\x00\x02\xb0\x12\x00\x00"


class CuttingDoor:
    """Passes bytes to ``uri`` and back until it is told to cut."""

    def __init__(self, uri: str) -> None:
        parts = urlsplit(uri)
        self._behind = (parts.hostname or "127.0.0.1", parts.port or 7687)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._messages_left: int | None = None
        self._after_commit = self._for_good = self._closed = False
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def uri(self) -> str:
        """Return the address of the door."""
        return f"bolt://127.0.0.1:{self._listener.getsockname()[1]}"

    def cut_after(self, messages: int) -> None:
        """Go away instead of passing on what the client sends after so many packets."""
        with self._lock:
            self._messages_left = messages

    def cut_after_commit(self, *, for_good: bool = False) -> None:
        """Pass the next COMMIT on, and go away unacknowledged; ``for_good`` lets no one in until it stands."""
        with self._lock:
            self._after_commit, self._for_good = True, for_good

    def stand(self) -> None:
        """Cut no more, and let everybody in again."""
        with self._lock:
            self._messages_left, self._after_commit, self._closed = None, False, False

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._closed:
                client.close()
                continue
            server = socket.create_connection(self._behind)
            with self._lock:
                self._open += [client, server]
            silent = threading.Event()
            threading.Thread(target=self._up, args=(client, server, silent), daemon=True).start()
            threading.Thread(target=self._down, args=(client, server, silent), daemon=True).start()

    def _up(self, client: socket.socket, server: socket.socket, silent: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(1 << 16):
                if self._is_to_cut(data, silent):
                    self.hang_up()
                    return
                server.sendall(data)
        self._end(client, server)

    def _is_to_cut(self, data: bytes, silent: threading.Event) -> bool:
        with self._lock:
            cut = self._messages_left == 0
            if cut:
                self._messages_left = None
            elif self._messages_left is not None:
                self._messages_left -= 1
            if self._after_commit and COMMIT in data:
                self._after_commit = False
                silent.set()
            return cut

    def _down(self, client: socket.socket, server: socket.socket, silent: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(1 << 16):
                if silent.is_set():
                    self._closed = self._for_good
                    self.hang_up()
                    return
                client.sendall(data)
        self._end(client, server)

    def _end(self, *pair: socket.socket) -> None:
        """Close one connection that an end of it closed; the others, and later ones, stand."""
        with self._lock:
            gone = [one for one in pair if one in self._open]
            self._open = [one for one in self._open if one not in pair]
        _close(gone)

    def hang_up(self) -> None:
        """Close every connection."""
        with self._lock:
            gone, self._open = self._open, []
            self.cuts += bool(gone)
        _close(gone)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
        self.hang_up()


def _close(sockets: list[socket.socket]) -> None:
    for one in sockets:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()
