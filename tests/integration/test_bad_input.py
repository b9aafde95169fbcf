"""What cannot be meant, and a world that fails: a specific error that names the input and the way out, the exit status
that goes with it, and nothing half-stored.

Other files have their part of it: ``cli/test_bad_input.py`` the arguments of every command, ``unit/sources`` lines of a
conversation, ``unit/exporters`` documents and snapshots, ``unit/audit/test_keys.py`` keys, ``crash`` dying processes.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import marskg
from marskg.cli.main import run as run_mars
from marskg.clock import DAY_MS, MAX_MS
from marskg.ontology.vocabulary import Kind
from marskg.store.ingest.prepare import BATCH
from marskg.store.statements import schema
from tests.support import picture as pictures
from tests.support import stores as support
from tests.support.cutting import CuttingDoor
from tests.support.neo4j import Neo4jAddress
from tests.support.scripts import run
from tests.support.stores import START
from tests.support.waiting import HANGS_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from marskg.memory import AgentMemory
    from tests.support.stores import Stores

ROOT = Path(__file__).parents[2]
NOBODY = "urn:uuid:01890000-0000-7000-8000-000000000000"
MIB = 1 << 20
BUDGET = 200


@pytest.fixture(scope="module")
def embedded_stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    opened = support.embedded(tmp_path_factory.mktemp("bad-input") / "store")
    yield opened
    opened.engine.close()


@pytest.fixture(scope="module")
def server_stores(neo4j_server: Neo4jAddress, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    opened = support.server(neo4j_server, tmp_path_factory.mktemp("home"))
    yield opened
    opened.engine.close()


@pytest.fixture(params=["embedded_stores", "server_stores"], ids=["arcadedb", "neo4j"], scope="module")
def stores(request: pytest.FixtureRequest) -> Stores:
    found: Stores = request.getfixturevalue(request.param)
    return found


# --- What a caller passes in --------------------------------------------------------------------------------------


class Home:
    """A tenant with something in it, and ids by name."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self.memory = stores.open(budget=BUDGET)
        other = stores.open()
        self.ids = {
            "flat": self.memory.remember("The flat is small", kind="semantic").id,
            "pinned": self.memory.remember("No penicillin for Ann", kind="semantic", pin=True).id,
            "abroad": other.remember("In another tenant", kind="semantic").id,
        }
        self.ids["rent"] = self.memory.remember("Its rent", kind="semantic", depends_on=[self.ids["flat"]]).id
        self.ids["task"] = self.memory.remember("Send it", kind="task", requires=[self.ids["rent"]]).id

    def picture(self) -> pictures.Picture:
        return pictures.take(self.stores.engine, self.memory.tenant)


@pytest.fixture(scope="module")
def home(stores: Stores) -> Home:
    return Home(stores)


def draft(**fields: Any) -> marskg.Draft:
    return marskg.Draft(**{"ref": "d", "kind": Kind.SEMANTIC, "content": "Some text", "at": START, **fields})


def storing(**fields: Any) -> Callable[[AgentMemory, dict[str, str]], object]:
    """Return a call that stores a memory; ``{name}`` in a list stands for an id."""

    def call(memory: AgentMemory, ids: dict[str, str]) -> object:
        values: dict[str, Any] = {
            name: [ids.get(one, one) for one in value] if isinstance(value, list) else value
            for name, value in fields.items()
        }
        return memory.remember(values.pop("content", "Some text"), **values)

    return call


#: (name, what is called, the error, what its message has)
CASES: list[tuple[str, Callable[[AgentMemory, dict[str, str]], object], type[marskg.MarsError], str]] = [
    ("unknown kind", storing(kind="dream"), marskg.InvalidMemory, "'dream'"),
    ("unknown payload field", storing(payload={"mood": "good"}), marskg.InvalidMemory, "'mood' is unknown"),
    ("payload of another type", storing(payload={"event": 5}), marskg.InvalidMemory, "event"),
    ("a text for a truth value", storing(pin="no"), marskg.InvalidMemory, "pin must be True or False, not str"),
    ("a number for a truth value", storing(use_bound=1), marskg.InvalidMemory, "use_bound must be True or False"),
    (
        "a cardinality of no slot",
        storing(cardinality="set"),
        marskg.InvalidMemory,
        "mars:cardinality belongs to a mars:key. Add the key",
    ),
    ("an edge that is no pair", storing(edges=["partOf"]), marskg.InvalidMemory, "edges: item 1 must be a tuple"),
    ("a payload that is a text", storing(payload="event"), marskg.InvalidMemory, "payload must be a mapping"),
    ("a mention that is a number", storing(mentions=[5]), marskg.InvalidMemory, "mentions: item 1 must be a string"),
    ("NaN", storing(sensitivity=math.nan), marskg.InvalidMemory, "finite"),
    ("infinite", storing(reliability=math.inf), marskg.InvalidMemory, "finite"),
    ("out of range", storing(sensitivity=1.01), marskg.InvalidMemory, r"outside \[0"),
    ("a truth value", storing(sensitivity=True), marskg.InvalidMemory, "number"),
    ("NaN in a payload", storing(payload={"emotional_valence": math.nan}), marskg.InvalidMemory, "finite"),
    ("empty", storing(content=""), marskg.InvalidMemory, "empty or blank"),
    ("blank", storing(content=" \t\u2003"), marskg.InvalidMemory, "empty or blank"),
    ("over a mebibyte", storing(content="é" * (MIB // 2 + 1)), marskg.InvalidMemory, "longer than"),
    ("lone surrogate", storing(content="a\ud800b"), marskg.InvalidMemory, "surrogate"),
    ("lone surrogate in a name", storing(mentions=["a\udfff"]), marskg.InvalidMemory, "surrogate"),
    ("lone surrogate in a payload", storing(payload={"event": "\ud800"}), marskg.InvalidMemory, "surrogate"),
    ("lone surrogate in a key", storing(key="\ud800"), marskg.InvalidMemory, "surrogate"),
    ("NUL", storing(session="a\x00"), marskg.InvalidMemory, "NUL"),
    ("relative IRI", storing(id="people/ann"), marskg.InvalidMemory, "is no id|absolute IRI"),
    (
        "relative IRI of an entity",
        storing(mentions=[marskg.EntityRef("Ann", same_as=("ann",))]),
        marskg.InvalidMemory,
        "absolute IRI",
    ),
    ("no UUID", storing(id="https://example.org/1"), marskg.InvalidMemory, "urn:uuid:"),
    ("duplicate id", lambda memory, ids: memory.remember("x", id=ids["flat"]), marskg.DuplicateId, "already exists"),
    ("nothing derived from", storing(derives_from=[NOBODY]), marskg.ClosureViolation, "store it first"),
    ("nothing depended on", storing(depends_on=[NOBODY]), marskg.ClosureViolation, "store it first"),
    ("nothing required", storing(kind="task", requires=[NOBODY]), marskg.ClosureViolation, "store it first"),
    ("another tenant's", storing(depends_on=["abroad"]), marskg.ClosureViolation, "no memory of tenant"),
    ("a relative end", storing(contradicts=["ann"]), marskg.MarsError, "ann"),
    (
        "link to another tenant's",
        lambda memory, ids: memory.link(ids["flat"], "partOf", ids["abroad"]),
        marskg.ClosureViolation,
        "no memory of tenant",
    ),
    (
        "cycle",
        lambda memory, ids: memory.link(ids["flat"], "dependsOn", ids["rent"]),
        marskg.CycleError,
        "would close a cycle",
    ),
    (
        "cycle over kinds of edges",
        lambda memory, ids: memory.link(ids["flat"], "derivesFrom", ids["task"]),
        marskg.CycleError,
        "would close a cycle",
    ),
    (
        "cycle of one",
        lambda memory, ids: memory.link(ids["flat"], "dependsOn", ids["flat"]),
        marskg.CycleError,
        "would close a cycle",
    ),
    ("too heavy", storing(content="garden " * (BUDGET + 1)), marskg.MemoryTooLarge, "budget"),
    ("too heavy to protect", storing(content="garden " * (BUDGET - 5), pin=True), marskg.BudgetInfeasible, "pinned"),
    (
        "budget below what is protected",
        lambda memory, _: memory.settings.set_budget(3),
        marskg.BudgetInfeasible,
        "Unpin",
    ),
    ("no budget", lambda memory, _: memory.settings.set_budget(0), marskg.InvalidInput, "budget is 0"),
    ("plan below what is protected", lambda memory, _: memory.plan(budget=3), marskg.BudgetInfeasible, "Unpin"),
    ("no such policy", lambda memory, _: memory.plan(policy="best"), marskg.InvalidInput, "no policy 'best'"),
    ("time before time", storing(at=-1), marskg.InvalidMemory, "at lies before 1990"),
    ("time after time", storing(at=marskg.Moment(MAX_MS + 1)), marskg.InvalidMemory, "before 1970 or after 9999"),
    ("no duration", storing(ttl="soon"), marskg.InvalidMemory, "no duration"),
    (
        "a batch with one bad draft",
        lambda memory, _: memory.remember_many([draft(), draft(ref="e", content=" ")], atomic=True),
        marskg.InvalidMemory,
        "empty or blank",
    ),
    (
        "a batch of something else",
        lambda memory, _: memory.remember_many([draft(), {"content": "x"}], atomic=True),  # type: ignore[list-item]
        marskg.InvalidMemory,
        "item 2 must be a Draft",
    ),
    (
        "a batch that refers to nothing",
        lambda memory, _: memory.remember_many([draft(), draft(ref="e", derives_from=(NOBODY,))], atomic=True),
        marskg.ClosureViolation,
        "store it first",
    ),
    (
        "a batch that refers to itself",
        lambda memory, _: memory.remember_many([draft(derives_from=("d",))], atomic=True),
        marskg.MarsError,
        "d",
    ),
]


@pytest.mark.parametrize(("call", "error", "said"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_it_is_refused_and_nothing_changes(
    home: Home,
    call: Callable[[AgentMemory, dict[str, str]], object],
    error: type[marskg.MarsError],
    said: str,
) -> None:
    before = home.picture()
    with pytest.raises(error, match=said) as refusal:
        call(home.memory, home.ids)
    assert home.picture() == before
    assert len(str(refusal.value)) < 700, "an error that repeats what it was given"


def test_after_all_refusals_the_tenant_is_sound(home: Home) -> None:
    assert pictures.faults(home.picture()) == []
    assert home.memory.verify().ok
    assert home.memory.get(home.memory.remember("And it goes on").id) is not None


@pytest.mark.parametrize("name", ["x\n", "\n", "x\ny", "x ", "x" * 65])
def test_a_tenant_has_a_name_of_one_line(stores: Stores, name: str) -> None:
    with pytest.raises(marskg.InvalidInput, match="tenant") as refusal:
        stores.open(name)
    assert len(str(refusal.value)) < 300


# --- The clock ----------------------------------------------------------------------------------------------------


def test_a_clock_that_jumps(stores: Stores) -> None:
    memory = stores.open()
    clock = stores.clock(memory)
    short = memory.remember("Soon over", kind="semantic", ttl="1h")
    clock.jump(30 * DAY_MS)
    later = memory.remember("After the jump")
    assert memory.stats()["expiry_suspended"]
    assert memory.maintenance.expire() == 0
    clock.jump(-60 * DAY_MS)
    back = memory.remember("The clock was put back")
    assert short.created <= later.created <= back.created
    assert any(one.id == short.id and one.content for one in memory.memories()), "removed on the word of a wrong clock"
    memory.maintenance.confirm_clock()
    assert memory.get(short.id) is not None, "the clock that is right now is before its end"
    clock.advance(61 * DAY_MS)
    memory.maintenance.expire()
    assert all(one.id != short.id for one in memory.memories())
    assert memory.verify().ok


@pytest.mark.parametrize("moment", [-1, MAX_MS + 1, 1 << 62], ids=["before 1970", "after 9999", "no date at all"])
def test_a_clock_that_shows_no_time(stores: Stores, moment: int) -> None:
    memory = stores.open()
    memory.remember("Before")
    before = pictures.take(stores.engine, memory.tenant)
    stores.clock(memory).set(moment)
    if moment < 0:
        assert memory.remember("Time never goes back").created >= before.row["lastTime"]
    else:
        with pytest.raises(marskg.MarsError, match="clock"):
            memory.remember("When?")
        with pytest.raises(marskg.MarsError, match="clock"):
            memory.control.record_access([next(memory.memories()).id])
        assert pictures.take(stores.engine, memory.tenant) == before
    stores.clock(memory).set(support.START + 60_000)
    memory.remember("After")
    assert memory.verify().ok


# --- A store that cannot be opened --------------------------------------------------------------------------------


def test_a_store_of_a_newer_version(stores: Stores, tmp_path: Path) -> None:
    folder = tmp_path / stores.engine.name
    folder.mkdir()
    # What an older program would know: no migration but the very first one, numbered before all of ours.
    (folder / "0000-old.cypher").write_text("RETURN 0", encoding="utf-8")
    with pytest.raises(marskg.StoreTooNew, match="upgrade marskg"):
        schema.migrate(stores.engine, tmp_path)
    assert schema.migrate(stores.engine) == (schema.current_version(stores.engine),) * 2


def mars(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line as a process of its own."""
    code = "import sys; from marskg.cli.main import main; main()"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANGS_S, check=False, **options)


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one line that says what is wrong."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in done.stderr
    return lines[0]


def facts(folder: Path) -> tuple[pictures.Picture, bool]:
    """Return what the default tenant of an embedded store has, and whether its audit verifies."""
    with marskg.open(folder) as memory:
        return pictures.take(memory.store.engine, memory.tenant), memory.verify().ok


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """Return an embedded store with a memory in it."""
    folder = tmp_path / "memory"
    with marskg.open(folder) as memory:
        memory.remember("Already there")
    return folder


def test_a_newer_store_through_the_command_line(filled: Path) -> None:
    with marskg.open(filled) as memory:
        memory.store.engine.write("MATCH (v:StoreVersion) SET v.version = 999 RETURN count(v) AS n")
    done = mars("--store", filled, "remember", "x")
    assert done.returncode == 1
    assert "version 999" in error_of(done)
    assert "upgrade" in done.stderr


def without_privileges() -> None:
    """Let the rights of files bind this process even where it is root's."""
    drop_bounding, dac_override, dac_read_search = 24, 1, 2
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (dac_override, dac_read_search):
        libc.prctl(drop_bounding, capability, 0, 0, 0)


@pytest.mark.parametrize("command", [["remember", "x"], ["stats"], ["init"]], ids=lambda words: words[0])
def test_a_read_only_folder(filled: Path, command: list[str]) -> None:
    before = facts(filled)
    paths = [filled, *filled.rglob("*")]
    modes = {path: path.stat().st_mode for path in paths}
    for path in paths:
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        done = mars("--store", filled, *command, preexec_fn=without_privileges)
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    assert done.returncode == 1, done.stderr
    assert str(filled) in error_of(done)
    assert "change its rights" in done.stderr
    assert done.stdout == ""
    assert facts(filled) == before


@pytest.mark.parametrize(
    "pattern",
    ["Episodic%7EMemory_0.*", "Episodic%7EMemory_0_*tidx", "*tidx", "Tenant_0.*", "dictionary.*", "schema.json"],
)
@pytest.mark.parametrize("command", [["retrieve", "there"], ["remember", "x"]], ids=lambda words: words[0])
def test_a_file_that_may_not_be_written_loses_nothing(filled: Path, pattern: str, command: list[str]) -> None:
    # The engine passes over it, and its schema would be without it from then on.
    before = facts(filled)
    paths = [*(filled / "graph").glob(pattern)]
    assert paths
    for path in paths:
        path.chmod(0o400)
    done = mars("--store", filled, *command, preexec_fn=without_privileges)
    assert done.returncode == 1, done.stdout
    assert "cannot be opened to read and write" in error_of(done)
    for path in paths:
        path.chmod(0o600)
    assert facts(filled) == before


def test_a_file_that_is_missing_loses_nothing_more(filled: Path) -> None:
    before = facts(filled)
    for pattern in ("Episodic%7EMemory_0.*", "AuditRecord_0.*", "dictionary.*"):
        (path,) = (filled / "graph").glob(pattern)
        kept = path.rename(filled / path.name)
        done = mars("--store", filled, "retrieve", "there")
        assert done.returncode == 1, done.stdout
        assert "is missing" in error_of(done)
        kept.rename(path)
        assert facts(filled) == before


def test_an_index_that_is_missing_is_made_again(filled: Path) -> None:
    before = facts(filled)
    schema = filled / "graph" / "schema.json"
    indexes = [len(one["indexes"]) for one in json.loads(schema.read_text("utf-8"))["types"].values()]
    for path in [*(filled / "graph").glob("*tidx")]:
        path.unlink()
    assert mars("--store", filled, "retrieve", "there").returncode == 0
    assert [len(one["indexes"]) for one in json.loads(schema.read_text("utf-8"))["types"].values()] == indexes
    again = facts(filled)
    assert again[1]
    assert before[1]
    assert not (filled / "scrub.promised").exists()
    with marskg.open(filled) as memory:
        assert [hit.memory.content for hit in memory.retrieve("already").hits] == ["Already there"]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    done = mars("--store", folder / "memory", "remember", "x", preexec_fn=without_privileges)
    assert done.returncode == 1
    assert "cannot be written" in error_of(done)
    assert list(folder.iterdir()) == []


def small_disk(folder: Path) -> list[str]:
    """Return the command that runs another one with a small disk at ``folder``; empty where that cannot be had."""
    mount = 'mount -t tmpfs -o size=64m none "$0" && exec "$@"'
    for unshare in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
        prefix = [*unshare, "sh", "-c", mount, str(folder)]
        if (
            shutil.which("unshare")
            and not subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode
        ):
            return prefix
    return []


@pytest.mark.parametrize("how", ["disk", "limit"])
def test_a_full_disk(tmp_path: Path, how: str) -> None:
    prefix = small_disk(tmp_path) if how == "disk" else []
    if not prefix:
        # Where no disk can be mounted, a limit on the size of files says the same by another errno.
        how = "limit"
    command = [*prefix, sys.executable, "-m", "tests.support.crammed", str(tmp_path), how]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=HANGS_S, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["refusals"] == ["StoreUnwritable"] * 3
    assert all("free space" in message for message in said["messages"])
    assert said["acknowledged"] > 1
    assert {name: said[name] for name in ("lost", "unacknowledged", "faults", "findings")} == {
        "lost": [], "unacknowledged": [], "faults": [], "findings": [],
    }  # fmt: skip
    assert said["goes_on"]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:40]), "key"),
        (lambda path: path.write_bytes(b"\x00" * 64), "key"),
        (lambda path: path.unlink(), "key"),
        (lambda path: path.chmod(0o644), "chmod"),
    ],
    ids=["truncated", "overwritten", "missing", "open to others"],
)
def test_a_corrupted_key(
    filled: Path, capsys: pytest.CaptureFixture[str], spoil: Callable[[Path], None], said: str
) -> None:
    before = facts(filled)
    keys = [path for path in (filled / "keys").iterdir() if path.suffix == ".pem"]
    kept = {path: path.read_bytes() for path in keys}
    for path in keys:
        spoil(path)
    capsys.readouterr()
    assert run_mars(["--store", str(filled), "remember", "Unsigned"]) == 1
    answer = capsys.readouterr()
    assert said in answer.err
    assert answer.err.startswith("error: ")
    for path, data in kept.items():
        path.write_bytes(data)
        path.chmod(0o600)
    assert facts(filled) == before


# --- Files --------------------------------------------------------------------------------------------------------


def turns(count: int) -> str:
    return "".join(
        json.dumps({"role": "user", "content": f"Turn {number} of a long talk", "timestamp": 1_772_000_000 + number})
        + "\n"
        for number in range(count)
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (turns(9) + '{"role": "user", "content": "cut o', "line 10"),
        (turns(3) + "{broken}\n" + turns(3), "line 4"),
        (turns(2) + '{"role": "user", "content": NaN, "timestamp": 1}\n', "line 3"),
        (turns(2) + '{"role": "user", "content": "\\ud800", "timestamp": 1772000000}\n', "line 3"),
        (turns(1) + "[" * 10_000 + "]" * 10_000 + "\n", "line 2"),
    ],
    ids=["truncated", "broken", "NaN", "surrogate", "nested"],
)
def test_a_bad_line_of_a_conversation(
    filled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, line: str
) -> None:
    before = facts(filled)
    path = tmp_path / "talk.jsonl"
    path.write_text(text, encoding="utf-8")
    capsys.readouterr()
    assert run_mars(["--store", str(filled), "import", "chat", str(path)]) == 2
    answer = capsys.readouterr()
    assert line in answer.err
    assert "talk.jsonl" in answer.err
    assert answer.out == ""
    assert facts(filled) == before
    assert run_mars(["--store", str(filled), "import", "chat", "--skip-bad", str(path)]) == 0


@pytest.mark.parametrize("atomic", [False, True], ids=["in batches", "atomic"])
def test_an_interruption_of_a_long_import(tmp_path: Path, *, atomic: bool) -> None:
    path, folder = tmp_path / "talk.jsonl", tmp_path / "memory"
    path.write_text(turns(1_200), encoding="utf-8")
    # The interruption comes when the first batch is acknowledged: from within, so that it never comes too early.
    code = (
        "import os, signal, sys\n"
        "from marskg.cli import main\n"
        "from marskg.store.commit.writer import Writer\n"
        "after, sent = Writer._after, []\n"
        "def interrupted(writer, unit):\n"
        "    after(writer, unit)\n"
        "    if len(unit.audit.transitions) > 100 and not sent:\n"
        "        sent.append(unit)\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "Writer._after = interrupted\n"
        "main.main()\n"
        if not atomic
        else "import os, signal, sys, threading\n"
        "from marskg.cli import main\n"
        "from marskg.store.ingest import ingestor\n"
        "admit, calls = ingestor.admit, iter(range(10**9))\n"
        "def interrupted(*arguments):\n"
        "    if next(calls) == 800:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return admit(*arguments)\n"
        "ingestor.admit = interrupted\n"
        "main.main()\n"
    )
    options = ["--atomic"] if atomic else []
    command = [sys.executable, "-c", code, "--store", str(folder), "import", "chat", str(path), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS_S, check=False)
    assert done.returncode == 130, done.stderr
    assert "interrupted" in error_of(done)
    with marskg.open(folder) as memory:
        live = memory.stats()["live"]
        picture = pictures.take(memory.store.engine, memory.tenant)
        assert pictures.faults(picture) == []
        assert memory.verify().ok
    assert (live == 0) if atomic else (0 < live < 1_200)
    assert live % BATCH == 0, "a batch is whole or absent"
    assert ("nothing of the 1200" if atomic else "of 1200 items are stored") in done.stderr


# --- Servers ------------------------------------------------------------------------------------------------------


def test_a_wrong_password(
    neo4j_server: Neo4jAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MARS_HOME", str(tmp_path))
    monkeypatch.setenv("NEO4J_USERNAME", neo4j_server.username)
    monkeypatch.setenv("NEO4J_PASSWORD", "not-the-password")
    with pytest.raises(marskg.EngineUnavailable, match="refuses the credentials; set NEO4J_USERNAME"):
        marskg.open(neo4j_server.uri)
    assert run_mars(["--store", neo4j_server.uri, "remember", "x"]) == 1
    answer = capsys.readouterr()
    assert neo4j_server.uri in answer.err
    assert "not-the-password" not in answer.err
    assert list(tmp_path.iterdir()) == [], "no key is made for a store that nobody may enter"


def test_an_unreachable_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARS_HOME", str(tmp_path))
    with pytest.raises(marskg.EngineUnavailable, match=r"bolt://127.0.0.1:1 .*check"):
        marskg.open("bolt://127.0.0.1:1")
    assert list(tmp_path.iterdir()) == []


def attempt(memory: AgentMemory, text: str) -> marskg.Memory | marskg.EngineUnavailable:
    """Return what was stored, or the refusal."""
    try:
        return memory.remember(text, session="s", mentions=["Ann"])
    except marskg.EngineUnavailable as error:
        return error


def test_a_server_that_goes_away_at_any_message(neo4j_server: Neo4jAddress, tmp_path: Path, tenant: str) -> None:
    with CuttingDoor(neo4j_server.uri) as door:
        direct = support.server(neo4j_server, tmp_path)
        through = support.server(Neo4jAddress(door.uri, *neo4j_server[1:]), tmp_path)
        try:
            direct.open(tenant, budget=40)
            # Both doors have the same keys: those of the address that made the tenant.
            through.location = direct.location
            memory = through.open(tenant, seed="through the door")
            refused = cut = 0
            for messages in range(40):
                before = pictures.take(direct.engine, tenant)
                cuts = door.cuts
                door.cut_after(messages)
                said = attempt(memory, f"Message {messages} of the garden")
                after = pictures.take(direct.engine, tenant)
                if isinstance(said, marskg.EngineUnavailable):
                    refused += 1
                    assert door.uri in str(said)
                    assert after == before, "refused, and yet half of it is there"
                else:
                    assert after.whole(said.id)
                    assert after.row["sequence"] > before.row["sequence"]
                cut += door.cuts > cuts
                door.stand()
                if door.cuts == cuts:
                    break
            assert refused >= 3
            assert cut == messages, "the whole conversation was cut at each message, until none was left to cut at"
            assert pictures.faults(pictures.take(direct.engine, tenant)) == []
            assert direct.open(tenant, seed="after").verify().ok
        finally:
            through.engine.close()
            direct.engine.close()


# --- The memory of the embedded engine ------------------------------------------------------------------------------

CRAMPED = """
import sys
import marskg

with marskg.open(sys.argv[1], tenant="a", budget=10_000_000) as mem:
    mem.settings.set(None, {"entities.recognise": "off"})
    said = "a note about nothing much, number {} of many that are all alike, and all of them are to go at once"
    for start in range(0, 1_500, 100):
        texts = [said.format(number) for number in range(start, start + 100)]
        mem.remember_many([marskg.Draft(ref=text, kind="episodic", content=text, at=mem.now()) for text in texts])
    try:
        mem.forget(mem.plan(policy="fifo", budget=0))
        print("done")
    except marskg.EngineUnavailable as error:
        print(error)
    print(mem.stats()["live"], mem.verify().ok)
"""


@pytest.mark.proof
@pytest.mark.parametrize(("build", "little"), [("native", "32m"), ("jvm", "48m")])
def test_a_step_that_the_engines_memory_cannot_hold_changes_nothing_and_says_so(
    build: str, little: str, tmp_path: Path
) -> None:
    said, counted = [], []
    for heap in (little, "512m"):
        done = run(CRAMPED, tmp_path / heap, MARS_ENGINE=build, MARS_ENGINE_HEAP=heap)
        assert (done.returncode, done.stderr) == (0, "")
        outcome, count = done.stdout.splitlines()
        said.append(outcome)
        counted.append(count)
    assert "ran out of memory and wrote nothing" in said[0]
    assert "MARS_ENGINE_HEAP" in said[0]
    assert said[1] == "done"
    assert counted == ["1500 True", "0 True"]


def test_a_size_of_the_engines_memory_that_is_none_is_refused(tmp_path: Path) -> None:
    done = mars("init", "--store", tmp_path / "store", env={**os.environ, "MARS_ENGINE_HEAP": "lots"})
    assert done.returncode == 2
    assert "MARS_ENGINE_HEAP is 'lots'; write a size such as 768m or 2g" in done.stderr
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("size", ["1m", "999999g"])
def test_a_size_that_would_end_the_process_is_refused(tmp_path: Path, size: str) -> None:
    done = mars("init", "--store", tmp_path / "store", env={**os.environ, "MARS_ENGINE_HEAP": size})
    assert (done.returncode, done.stdout) == (2, "")
    assert f"MARS_ENGINE_HEAP is {size}; write a size from 32m to the" in done.stderr


OPENING = """
import sys, marskg
try:
    marskg.open(sys.argv[1], tenant="a", budget=100, embedding="none").remember("x", session="s")
except marskg.EngineUnavailable as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("ulimit -v 2000000", "this process may have 1,953 MB: raise the limit (ulimit -v), or use a Neo4j server\n"),
        ("mkdir gone; cd gone; rmdir ../gone", "was deleted; go to another one, and open the store there\n"),
        # Where a smaller memory is enough, it takes that.
        ("ulimit -v 3600000", ""),
    ],
    ids=["too little room", "a folder that is gone", "little room"],
)
def test_the_engine_is_not_started_where_it_would_end_the_process(tmp_path: Path, before: str, told: str) -> None:
    program = shlex.join([sys.executable, "-c", OPENING, str(tmp_path / "store")])
    done = subprocess.run(
        ["/bin/bash", "-c", f"{before}; exec {program}"],
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout.endswith(told)
    assert (bool(done.stdout), done.stderr) == (bool(told), "")
