"""A reranking endpoint on this machine that has its own taste, and breaks the protocol when told to."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def results(query: str, documents: list[str]) -> dict[str, Any]:
    """Return a faithful answer, worst first: the more often a text says "best", the better."""
    del query
    made = [{"index": n, "relevance_score": text.count("best") / 10} for n, text in enumerate(documents)]
    return {"results": sorted(made, key=lambda one: one["relevance_score"])}


class Server:
    """What the server has been asked, and how it answers."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        #: A status and a body instead of the faithful answer, for as long as they are set.
        self.status = 200
        self.body: Callable[[str, list[str]], Any] = results

    @property
    def seen(self) -> list[str]:
        """Return all texts that it was ever sent."""
        return [text for _, _, body in self.requests for text in body["documents"]]


@contextmanager
def rerank_server() -> Iterator[Server]:
    """Run a server on a free port of the loopback interface."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append((self.path, dict(self.headers), body))
            content = json.dumps(server.body(body["query"], body["documents"])).encode()
            with suppress(OSError):
                self.send_response(server.status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        server = Server(http.server_port)
        thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()
