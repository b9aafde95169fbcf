"""A language model on this machine that speaks OpenAI's ``/chat/completions``, and answers whatever a test plans."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: What a model makes of the numbered texts that it is shown: lines of text with numbers, or anything else.
Model: TypeAlias = "Callable[[dict[int, str]], Any]"


def obedient(texts: dict[int, str]) -> Any:
    """Repeat each text with its number."""
    return {"lines": [{"text": text, "memories": [number]} for number, text in texts.items()]}


class ChatServer:
    """What the server was asked, and how it answers."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.model: Model = obedient
        #: Statuses of the next answers; afterwards 200.
        self.statuses: list[int] = []
        #: A whole body in the place of the protocol's.
        self.body: bytes | None = None
        #: Seconds before each answer.
        self.delay = 0.0
        #: Where a redirection leads.
        self.location = "http://127.0.0.1:9/"
        #: Whether ``json_schema`` is known.
        self.schemas = True
        #: What an answer says of its tokens.
        self.usage: Any = None

    @property
    def texts(self) -> list[str]:
        """Return the texts of the last request."""
        return list(_texts(self.requests[-1][2]).values())

    def answer(self, request: dict[str, Any]) -> bytes:
        """Return the body of an answer."""
        if self.body is not None:
            return self.body
        made = self.model(_texts(request))
        content = made if isinstance(made, str) else json.dumps(made)
        body = {"choices": [{"message": {"role": "assistant", "content": content}}], "usage": self.usage}
        return json.dumps(body).encode()


def _texts(request: dict[str, Any]) -> dict[int, str]:
    """Return the texts of a request by their numbers; a turn that is to be read is the first and only one."""
    data = json.loads(request["messages"][1]["content"])
    if "memories" not in data:
        return {1: data["text"]}
    return {memory["number"]: memory["text"] for memory in data["memories"]}


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """Run the server for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append((self.path, dict(self.headers), request))
            time.sleep(server.delay)
            status = server.statuses.pop(0) if server.statuses else 200
            if not server.schemas and request["response_format"]["type"] == "json_schema":
                status = 400
            content = server.answer(request) if status == 200 else b"{}"
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", server.location)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            # Whoever waits no longer has closed the connection.
            with suppress(ConnectionError):
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Keep the tests' output clean."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = ChatServer(http.server_address[1])
    thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
