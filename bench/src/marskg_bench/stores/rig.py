"""What is measured on: a governed tenant of n memories, one of a tenth at most, and the bare engine beside them.

Guarantees: nothing that exists is touched: the embedded engine works in a folder that goes away, a server gets
tenants with names of their own, whose nodes are removed at the end; the signing keys go away with the folder.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from marskg.clock import SystemClock, SystemSource
from marskg.config import Settings
from marskg.errors import InvalidInput
from marskg.memory import AgentMemory
from marskg.store.engine.arcadedb import ArcadeDB
from marskg.store.engine.builds import distribution
from marskg.store.statements import schema
from marskg.store.tenant.opening import attach, connect
from marskg_bench.common.workload import Workload
from marskg_bench.stores.bare import Bare, nodes_of, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from marskg.store.engine.protocol import Engine

#: A budget that nothing reaches.
_AMPLE = 1 << 40
#: The bare engine makes no vectors, finds no entities and looks for nothing sensitive, so neither do those beside it:
#: what each costs is a line of its own, measured on tenants that differ in nothing else.
_PLAIN: Mapping[str, str] = MappingProxyType(
    {"embedding.model": "none", "entities.recognise": "off", "sensitivity.assess": "off"}
)
_VARIANTS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "plain": _PLAIN,
        "vectors": {**_PLAIN, "embedding.model": "static"},
        "entities": {**_PLAIN, "entities.recognise": "on"},
        "sensitivity": {**_PLAIN, "sensitivity.assess": "on"},
    }
)

#: The engine's own sizes of pages, which the product makes smaller: what a bench compares with.
_OWN_PAGES: Final = (
    "ALTER DATABASE `arcadedb.indexDefaultPageSize` 262144",
    "ALTER DATABASE `arcadedb.bucketDefaultPageSize` 65536",
)


@dataclass(frozen=True, slots=True)
class Rig:
    """One engine, ready to be measured."""

    engine: str
    version: str
    large: AgentMemory
    small: AgentMemory
    bare: Bare
    #: Tenants that differ in what they do besides storing: ``plain``, ``vectors``, ``entities``, ``sensitivity``.
    variants: Mapping[str, AgentMemory]
    workload: Workload
    folder: Path
    sizes: Mapping[str, int]


@contextmanager
def embedded(n: int, seed: int, say: Callable[[str], None]) -> Iterator[Rig]:
    """Give the embedded engine: three databases in a temporary folder."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="marskg-bench-")))
        engines = {name: _database(stack, folder / name) for name in ("large", "small")}
        bare = _database(stack, folder / "bare", settings=_OWN_PAGES)
        yield _rig({**engines, "bare": bare}, folder, n, seed, say=say)


@contextmanager
def server(uri: str | None, n: int, seed: int, say: Callable[[str], None]) -> Iterator[Rig]:
    """Give a server: three tenants side by side, because Neo4j's free edition has one database.

    Raises:
        InvalidInput: no server is named.
        EngineUnavailable: it cannot be reached.
    """
    if not uri:
        msg = "no server is named; set NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD, or choose --engine arcadedb"
        raise InvalidInput(msg)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="marskg-bench-")))
        engine = connect(uri)
        stack.callback(engine.close)
        schema.migrate(engine)
        engines = dict.fromkeys(("large", "small", "bare"), engine)
        yield _rig(engines, folder, n, seed, say=say, tidy=stack)


def _database(stack: ExitStack, folder: Path, settings: Sequence[str] = ()) -> Engine:
    engine = ArcadeDB(folder)
    stack.callback(engine.close)
    for setting in settings:
        engine.define(setting)
    schema.migrate(engine)
    return engine


def _rig(
    engines: Mapping[str, Engine],
    folder: Path,
    n: int,
    seed: int,
    *,
    say: Callable[[str], None],
    tidy: ExitStack | None = None,
) -> Rig:
    """Fill the stores; with ``tidy`` the tenants are removed when it closes."""
    workload = Workload(seed)
    name = engines["large"].name
    tenants = {role: f"bench-{role}-{SystemSource().token(4).hex()}" for role in engines}
    if tidy is not None:
        for role, tenant in tenants.items():
            tidy.callback(engines[role].write, text("remove"), {"tenant": tenant})
        for variant in _VARIANTS:
            tidy.callback(engines["small"].write, text("remove"), {"tenant": f"{tenants['small']}-{variant}"})
    sizes = {"large": n, "small": max(20, min(1000, n // 10))}
    memories = {}
    for role, count in sizes.items():
        say(f"{name}: {count:,} memories")
        memories[role] = _tenant(engines[role], folder, tenants[role])
        memories[role].remember_many(workload.mixed(count))
    variants = {
        variant: _tenant(engines["small"], folder, f"{tenants['small']}-{variant}", values)
        for variant, values in _VARIANTS.items()
    }
    say(f"{name}: the same without governance")
    bare = Bare(engines["bare"], tenants["bare"])
    bare.populate(nodes_of(engines["large"], tenants["large"]))
    version = _version(engines["large"])
    return Rig(name, version, memories["large"], memories["small"], bare, variants, workload, folder, sizes)


def _tenant(engine: Engine, folder: Path, tenant: str, values: Mapping[str, str] = _PLAIN) -> AgentMemory:
    # Either engine in clear, as what stores the same without governance is.
    settings = Settings().with_values({"budget": _AMPLE, "encryption": "off", **values}, "the bench")
    opened, _ = attach(
        engine,
        str(folder / "keys"),
        tenant,
        settings,
        clock=SystemClock(),
        source=SystemSource(),
        actor="bench",
    )
    return AgentMemory(opened)


def _version(engine: Engine) -> str:
    if engine.name == "arcadedb":
        from importlib.metadata import version  # noqa: PLC0415 - of one engine only

        return f"ArcadeDB {version(distribution())} embedded"
    return str(engine.read(text("version"))[0]["version"])
