"""An embedding endpoint on this machine that speaks OpenAI's protocol, and breaks it when told to.

Its vectors are a text's length and its number of words, so that a row that came back for another text shows.
"""

from __future__ import annotations

import ipaddress
import json
import ssl
import struct
import threading
import time
from base64 import b64encode
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def vector(text: str) -> list[float]:
    """Return the server's vector of ``text``."""
    return [float(len(text)), float(len(text.split())), 1.0]


def answer(texts: list[str]) -> dict[str, Any]:
    """Return a faithful answer."""
    data = [{"object": "embedding", "index": n, "embedding": vector(text)} for n, text in enumerate(texts)]
    return {"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def in_base64(texts: list[str]) -> dict[str, Any]:
    """Return an answer whose vectors are base64, as OpenAI's own client asks for."""
    given = answer(texts)
    for item in given["data"]:
        item["embedding"] = b64encode(struct.pack("<3f", *item["embedding"])).decode()
    return given


class Server:
    """What the server has been asked, and how it answers: a status, headers and a body for each request."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        #: Answers of the next requests, in order; afterwards it is faithful.
        self.planned: list[Callable[[BaseHTTPRequestHandler, list[str]], None]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def plan_body(self, *bodies: Callable[[list[str]], Any]) -> None:
        """Answer the next requests with these bodies, JSON unless bytes."""
        for body in bodies:
            self._plan(200, body, {})

    def plan_status(self, *statuses: int, **headers: str) -> None:
        """Answer the next requests with these statuses, and with a body that must not be repeated."""
        for status in statuses:
            self._plan(status, lambda texts: {"error": texts}, headers)

    def _plan(self, status: int, body: Callable[[list[str]], Any], headers: dict[str, str]) -> None:
        self.planned.append(lambda handler, texts: send(handler, status, body(texts), headers))


def send(handler: BaseHTTPRequestHandler, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
    """Send a whole answer."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in (headers or {}).items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def hang(handler: BaseHTTPRequestHandler, texts: list[str]) -> None:
    """Say nothing until the other side has gone."""
    del texts
    handler.connection.settimeout(20)
    handler.connection.recv(1)


def drip(handler: BaseHTTPRequestHandler, texts: list[str]) -> None:
    """Send one byte now and then, so that no read ever times out."""
    content = json.dumps(answer(texts)).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    for byte in content:
        handler.wfile.write(bytes([byte]))
        time.sleep(0.05)


def break_off(handler: BaseHTTPRequestHandler, texts: list[str]) -> None:
    """Promise more than is sent."""
    content = json.dumps(answer(texts)).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content) + 100))
    handler.end_headers()
    handler.wfile.write(content)
    handler.close_connection = True


def self_signed(folder: Path) -> Path:
    """Return a PEM file with a new key and its certificate for this machine's loopback address."""
    key = Ed25519PrivateKey.generate()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = (
        builder.serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    )
    made = builder.add_extension(address, critical=False).sign(key, None)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path = folder / "certificate.pem"
    path.write_bytes(private + made.public_bytes(Encoding.PEM))
    return path


@contextmanager
def embedding_server(certificate: Path | None = None) -> Iterator[Server]:
    """Run a server on a free port of the loopback interface; with a ``certificate``, encrypted."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append((self.path, dict(self.headers), body))
            texts = body["input"]
            plan = server.planned.pop(0) if server.planned else None
            try:
                if plan is None:
                    send(self, 200, answer(texts))
                else:
                    plan(self, texts)
            except OSError:
                self.close_connection = True

        def handle(self) -> None:
            with suppress(OSError):
                super().handle()

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            # The handshake is the handler's: a client that breaks it off must not stop the server.
            http.socket = context.wrap_socket(http.socket, server_side=True, do_handshake_on_connect=False)
        server = Server(http.server_port)
        thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()
