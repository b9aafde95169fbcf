"""One process that runs ``mars`` commands and Python examples one after another, so that a page starts one JVM.

Run as ``python warm.py SOCKET``. A request is a line of JSON with the descriptors 0, 1 and 2 of whoever asks: what the
command writes goes there. The answer is the exit status. A command passes through the real entry point, in the
folder and the environment of its caller.
"""

from __future__ import annotations

import array
import contextlib
import io
import json
import os
import socket
import sys
import traceback
from pathlib import Path
from typing import Any

FAILED = 1
_HEADER = 8


def serve(path: str) -> None:
    """Answer requests until the last of them asks to stop."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    pages: dict[str, dict[str, Any]] = {}
    while True:
        connection, _ = listener.accept()
        with connection:
            request, descriptors = _receive(connection)
            status = _handle(request, descriptors, pages)
            with contextlib.suppress(OSError):  # who asked was killed
                connection.sendall(str(status).encode())
        if request.get("stop"):
            return


def _receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    header, ancillary, _, _ = connection.recvmsg(_HEADER, socket.CMSG_SPACE(3 * array.array("i").itemsize))
    descriptors = array.array("i")
    for _, _, data in ancillary:
        descriptors.frombytes(data)
    size = int(header)
    body = b""
    while len(body) < size:
        body += connection.recv(size - len(body))
    return json.loads(body), list(descriptors)


def _handle(request: dict[str, Any], descriptors: list[int], pages: dict[str, dict[str, Any]]) -> int:
    if request.get("stop"):
        return 0
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    saved = [os.dup(number) for number in range(3)]
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    streams = sys.stdin, sys.stdout, sys.stderr
    # Lines leave at once, as on a terminal, so that what is said on both streams stands in its order.
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding="utf-8")
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.FileIO(number, "w", closefd=False), encoding="utf-8", line_buffering=True)
        for number in (1, 2)
    )
    try:
        return _command(request["command"]) if "command" in request else _example(request, pages)
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        sys.stdin, sys.stdout, sys.stderr = streams
        for number, descriptor in enumerate(saved):
            os.dup2(descriptor, number)
            os.close(descriptor)


def _command(arguments: list[str]) -> int:
    """Run ``mars`` with ``arguments`` and return its exit status."""
    from marskg.cli.main import main  # noqa: PLC0415 - after the environment is that of the caller

    try:
        main(arguments)
    except SystemExit as leaving:
        return int(leaving.code or 0)
    return 0


def _example(request: dict[str, Any], pages: dict[str, dict[str, Any]]) -> int:
    """Run a Python example among the names of its page; ``single`` shows values as an interpreter does."""
    names = pages.setdefault(request["page"], {"__name__": "__main__"})
    try:
        code = compile(request["python"], request["page"], request["mode"])
        exec(code, names)  # noqa: S102 - the documents' own examples
    except Exception:  # noqa: BLE001 - shown as an interpreter shows it
        kind, error, trace = sys.exc_info()
        if request["mode"] == "single":
            sys.stderr.write("".join(traceback.format_exception_only(kind, error)))
        else:
            traceback.print_exception(kind, error, trace)
        return FAILED
    return 0


if __name__ == "__main__":
    Path(sys.argv[1]).unlink(missing_ok=True)
    serve(sys.argv[1])
