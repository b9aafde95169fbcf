"""A throw-away Neo4j Community server from Maven Central on a free loopback port, without containers.

Guarantees: the server listens on 127.0.0.1 only, with a random password and usage reports off; it is ready to answer
when :meth:`Neo4jServer.start` returns; what was fetched once is used again and never half-written; a missing tool or
a server that does not start is a :class:`Neo4jError` that says what to do. A server that was killed starts again on
its home with all that it had committed.

    python scripts/neo4j_server.py fetch             downloads the server (about 116 MB), once
    python scripts/neo4j_server.py run -- COMMAND    runs COMMAND with NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD set,
                                                     on the server of the environment's NEO4J_URI if there is one
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

VERSION = "5.26.30"
USERNAME = "neo4j"
#: Neo4j 5.26 runs on Java 17 and 21.
JAVA_MINIMUM = 17
START_TIMEOUT_S = 900.0
STOP_TIMEOUT_S = 60.0
ATTEMPTS = 3

#: ``neo4j-server`` alone lacks the entry point, which is in ``neo4j``.
ARTIFACTS = (("org.neo4j", "neo4j"), ("org.neo4j.app", "neo4j-server"))
FOLDERS = ("conf", "data", "logs", "run", "plugins", "import", "licenses", "certificates")
#: What Neo4j's own launcher passes to the JVM, as far as this server needs it; and what a server that lives for minutes
#: beside its only users gains by: no compiler that pays after hours, and no threads that collect in the background.
JVM_OPTIONS = (
    "-Xmx512m",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
)


class Neo4jError(RuntimeError):
    """The server cannot be fetched or started; the message names the way out."""


# --- Fetching ------------------------------------------------------------------------------------------------------


def cache_folder() -> Path:
    """Return where fetched servers are kept: ``$MARSKG_CACHE``, else ``.work`` in the checkout."""
    chosen = os.environ.get("MARSKG_CACHE")
    return Path(chosen).expanduser() if chosen else Path(__file__).resolve().parents[1] / ".work"


def fetch(cache: Path | None = None) -> Path:
    """Return the folder with the server's jars, downloading them first if they are not in ``cache``.

    Raises:
        Neo4jError: Maven is missing or the download failed.
    """
    root = (cache or cache_folder()) / "neo4j"
    library = root / VERSION
    root.mkdir(parents=True, exist_ok=True)
    with locked(root / "fetch.lock"):
        if not library.is_dir():
            _download(root, library)
    return library


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file ``path`` against every other process; the system frees it when a holder dies."""
    with path.open("a", encoding="utf-8") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _download(root: Path, library: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        msg = (
            "mvn is not on the PATH, and Neo4j is fetched with it: install Maven (apt install maven, brew install "
            "maven), or set NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD to a server of yours"
        )
        raise Neo4jError(msg)
    print(f"Fetching Neo4j {VERSION} from Maven Central (about 116 MB, once) …", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=root) as work:
        (Path(work) / "pom.xml").write_text(_pom(), encoding="utf-8")
        goal = ["dependency:copy-dependencies", "-DoutputDirectory=lib", "-DincludeScope=runtime"]
        done = subprocess.run(  # -C: a wrong checksum fails
            [maven, "-q", "-B", "-C", *goal],
            cwd=work,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            said = done.stdout[-2000:]
            msg = f"Maven could not fetch Neo4j {VERSION}; check the network and ~/.m2/settings.xml:\n{said}"
            raise Neo4jError(msg)
        # The rename is what makes the folder complete or absent.
        (Path(work) / "lib").rename(library)


def _pom() -> str:
    dependencies = "".join(
        f"<dependency><groupId>{escape(group)}</groupId><artifactId>{escape(name)}</artifactId>"
        f"<version>{VERSION}</version></dependency>"
        for group, name in ARTIFACTS
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>marskg</groupId><artifactId>neo4j-home</artifactId><version>1</version>"
        f"<dependencies>{dependencies}</dependencies></project>\n"
    )


def java() -> str:
    """Return the Java program to run: of ``$JAVA_HOME``, else on the PATH.

    Raises:
        Neo4jError: there is none, or it is too old.
    """
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if program is None or not Path(program).is_file():
        msg = (
            f"java is missing (JAVA_HOME={home!r}): install Java {JAVA_MINIMUM} or 21 (apt install "
            f"openjdk-{JAVA_MINIMUM}-jre-headless, brew install openjdk@{JAVA_MINIMUM}), or set NEO4J_URI, "
            "NEO4J_USERNAME and NEO4J_PASSWORD to a server of yours"
        )
        raise Neo4jError(msg)
    told = subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(\d+)', told)
    if version is None or int(version[1]) < JAVA_MINIMUM:
        msg = (
            f"{program} is not Java {JAVA_MINIMUM} or later: install Java {JAVA_MINIMUM} or 21 and set JAVA_HOME to it"
        )
        raise Neo4jError(msg)
    return program


# --- Running -------------------------------------------------------------------------------------------------------


@dataclass
class Neo4jServer:
    """One server on one home folder; start, stop and kill it as often as needed."""

    home: Path
    library: Path
    password: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    port: int = 0
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def uri(self) -> str:
        """Return the Bolt URI of the running server."""
        return f"bolt://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables by which the command line and the tests find this server."""
        return {"NEO4J_URI": self.uri, "NEO4J_USERNAME": USERNAME, "NEO4J_PASSWORD": self.password}

    def start(self) -> None:
        """Start the server, on the same port as before if it ran already, and wait until it answers.

        Raises:
            Neo4jError: it ended, or was not ready in time; the message ends with its log.
        """
        program = java()
        self._prepare(program)
        for attempt in range(ATTEMPTS):
            # Another program may take the port between its choice and its use.
            port = self.port or _free_port()
            self._launch(program, port)
            try:
                self._await_ready()
            except Neo4jError as error:
                self.kill()
                if "Address already in use" not in str(error) or attempt == ATTEMPTS - 1:
                    raise
                continue
            self.port = port
            return

    def stop(self) -> None:
        """Shut the server down cleanly; kill it when it takes longer than a minute."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill()
        self.process = None

    def kill(self) -> None:
        """Kill the server with SIGKILL, as a crash would."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def _prepare(self, program: str) -> None:
        if (self.home / "data" / "dbms").is_dir():
            return
        for name in FOLDERS:
            (self.home / name).mkdir(parents=True, exist_ok=True)
        self.home.chmod(0o700)
        (self.home / "conf" / "neo4j.conf").touch()
        command = "org.neo4j.server.startup.Neo4jAdminCommand"
        done = subprocess.run(
            [program, "-cp", f"{self.library}/*", command, "dbms", "set-initial-password", self.password],
            env={**os.environ, "NEO4J_HOME": str(self.home), "NEO4J_CONF": str(self.home / "conf")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            said = done.stdout[-2000:]
            msg = f"Neo4j refused its first password in {self.home}; remove the folder and try again:\n{said}"
            raise Neo4jError(msg)

    def _launch(self, program: str, port: int) -> None:
        settings = {
            "server.bolt.listen_address": f"127.0.0.1:{port}",
            "server.bolt.advertised_address": f"127.0.0.1:{port}",
            "server.http.enabled": "false",
            "server.https.enabled": "false",
            "server.memory.heap.max_size": "512m",
            "server.memory.pagecache.size": "128m",
            "dbms.usage_report.enabled": "false",
            "dbms.cypher.min_replan_interval": "1h",
            # A throw-away server needs no 256 MB of zeros on disk before its first write.
            "db.tx_log.preallocate": "false",
            # Nothing else listens to this server, so closing its port needs no quiet period.
            "internal.dbms.bolt.netty_server_shutdown_quiet_period": "0",
        }
        text = "".join(f"{name}={value}\n" for name, value in settings.items())
        (self.home / "conf" / "neo4j.conf").write_text(text, encoding="utf-8")
        options = [f"--home-dir={self.home}", f"--config-dir={self.home / 'conf'}"]
        # The log tells when this start is ready, so the last one's has to go.
        self._log.unlink(missing_ok=True)
        with self._console.open("wb") as console:
            self.process = subprocess.Popen(
                [program, *JVM_OPTIONS, "-cp", f"{self.library}/*", "org.neo4j.server.CommunityEntryPoint", *options],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for the program that uses the server; it stops the server after
            )

    def _await_ready(self) -> None:
        if self.process is None:
            return
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            ended = self.process.poll()
            if "Started." in _text(self._log):
                return
            if ended is not None:
                said = (_text(self._console) + _text(self._log))[-3000:]
                msg = f"Neo4j ended with status {ended} before it was ready:\n{said}"
                raise Neo4jError(msg)
            time.sleep(0.1)
        msg = f"Neo4j was not ready after {START_TIMEOUT_S:.0f} s; its log is in {self.home / 'logs'}"
        raise Neo4jError(msg)

    @property
    def _console(self) -> Path:
        return self.home / "logs" / "console.log"

    @property
    def _log(self) -> Path:
        return self.home / "logs" / "neo4j.log"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def running(home: Path | None = None) -> Iterator[Neo4jServer]:
    """Run a server for the length of a ``with`` block, on ``home`` or on a temporary folder."""
    with contextlib.ExitStack() as stack:
        folder = home or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="marskg-neo4j-")))
        server = Neo4jServer(folder, fetch())
        # Registered before the start, so that an interrupted start leaves no process behind.
        stack.callback(server.stop)
        server.start()
        yield server


# --- The command line ------------------------------------------------------------------------------------------------


def _run(command: Sequence[str]) -> int:
    if os.environ.get("NEO4J_URI"):
        return _call(command, os.environ)
    with running() as server:
        print(f"Neo4j {VERSION} is ready at {server.uri}", file=sys.stderr)
        return _call(command, {**os.environ, **server.environment})


def _call(command: Sequence[str], environment: Mapping[str, str]) -> int:
    variables = {**environment, "MARS_STORE": environment["NEO4J_URI"]}
    return subprocess.run(list(command), env=variables, check=False).returncode


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(description="A throw-away Neo4j server on this machine.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("fetch", help="download the server, once")
    run = commands.add_parser("run", help="run a command with a server at its side; its MARS_STORE names it")
    run.add_argument("argv", nargs="+", metavar="COMMAND")
    chosen = parser.parse_args(arguments)
    # A terminated run still stops its server.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        if chosen.command == "fetch":
            library = fetch()
            java()  # whoever fetches a server is about to start it
            print(library)
            return 0
        return _run(chosen.argv)
    except Neo4jError as error:
        print(f"neo4j_server: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
