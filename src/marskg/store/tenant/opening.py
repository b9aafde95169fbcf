"""From a path or an address to an open tenant: engine, schema, keys, and what else a facade stands on.

Guarantees: nothing is created when the location is wrong; a store of a newer version is refused before it is read; the
signing key lies in a folder of its own with the rights 0700 and 0600, in the embedded store beside the graph, for a
server in the user's data folder; credentials come from the environment or the caller and are never stored or shown.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marskg.audit.keys import Keyring
from marskg.config.settings import SUBJECT_KEYS
from marskg.embedding.registry import usual
from marskg.errors import EngineUnavailable, InvalidConfig, InvalidInput, KeyUnusable, StoreDamaged
from marskg.store.commit.merkle_log import Ledger
from marskg.store.commit.shared_state import opening, shared_state_of
from marskg.store.crypto.encrypted_engine import EncryptedEngine
from marskg.store.crypto.keyring import VARIABLE, DataKeyring, data_folder, keyrings_folder
from marskg.store.engine.arcadedb import ArcadeDB
from marskg.store.engine.protocol import Capability
from marskg.store.engine.working_folders import sweep
from marskg.store.rows.monotonic_clock import SteadyClock
from marskg.store.rows.oracle_rate_limit import rate_limiter_of
from marskg.store.rows.state import Services, TenantState
from marskg.store.statements import schema
from marskg.store.statements.catalogue import statement
from marskg.store.tenant import creation
from marskg.store.unit.reader import GraphReader
from marskg.weight import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.audit.dataintegrity import Signer
    from marskg.clock import Clock, Source
    from marskg.config import Settings
    from marskg.store.engine.protocol import Engine, Row

#: Folders of a store that hold nothing but what was derived from the graph.
DERIVED = ("index", "view")
#: What versions that cleaned a server's files left in the work folder of one that they had not ended with.
_CLEANING = "server-scrub.promised"
_BOLT = ("bolt://", "bolt+s://", "bolt+ssc://", "neo4j://", "neo4j+s://", "neo4j+ssc://")


@dataclass(slots=True)
class Opened:
    """An open tenant: what the facade and the doors are built on."""

    location: str
    tenant: str
    engine: Engine
    keyring: Keyring
    services: Services
    reader: GraphReader
    ledger: Ledger
    counter: TokenCounter
    folder: Path
    signer_box: SignerBox
    #: What whoever opened it asked for: the settings of a new tenant, and lives that an old one keeps.
    asked: Settings

    def close(self) -> None:
        """Release the engine."""
        self.engine.close()


class SignerBox:
    """The signing key in use, loaded when first needed and replaced when keys rotate."""

    def __init__(self, keyring: Keyring) -> None:
        """Serve the newest key of ``keyring`` until a tenant says which one signs its logs."""
        self._keyring = keyring
        self._signer: Signer | None = None
        self._public_key: str | None = None

    def expect(self, public_key: str) -> None:
        """Sign with the key that the tenant's log announced."""
        if self._public_key != public_key:
            self._public_key, self._signer = public_key, None

    def __call__(self) -> Signer:
        """Return the signer in use.

        Raises:
            KeyUnusable: its file is missing, corrupt, locked or open to others.
        """
        if self._signer is None:
            self._signer = self._keyring.signer(self._public_key)
        return self._signer

    def use(self, signer: Signer) -> None:
        """Sign with another key from now on."""
        self._signer, self._public_key = signer, signer.public_key


def is_server(location: str) -> bool:
    """Return whether ``location`` is a Bolt address."""
    return location.startswith(_BOLT)


def without_credentials(location: str) -> str:
    """Return where a store is, without what a Bolt address says before its host or after its path."""
    if not is_server(location):
        return location
    scheme, _, rest = location.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"


def work_folder(location: str) -> Path:
    """Return the folder for keys and derived views of a store: its own, or one for its address."""
    if not is_server(location):
        return Path(location)
    return data_folder() / hashlib.sha256(location.rstrip("/").encode()).hexdigest()[:16]


def readers_folder(work: Path, tenant: str) -> Path:
    """Return the folder, in the work folder, of copies for single readers: no tenant has a name like that."""
    return work / "view" / f"{tenant}~readers"


def connect(location: str) -> Engine:
    """Open the engine of ``location``, without touching its content.

    Raises:
        InvalidInput: the address has no known scheme, or the folder a name that is not UTF-8.
        StoreLocked, StoreUnwritable, EngineUnavailable: the engine cannot be opened.
    """
    if is_server(location):
        try:
            # Only here: the driver brings pandas where that is installed, most of what opening a folder would import.
            from marskg.store.engine.bolt import Bolt  # noqa: PLC0415
        except ModuleNotFoundError as error:
            msg = "a store on a server needs its driver; install it with: pip install 'marskg[neo4j]'"
            raise EngineUnavailable(msg) from error

        username = os.environ.get("NEO4J_USERNAME", "neo4j")
        password = os.environ.get("NEO4J_PASSWORD", "")
        return Bolt(location, username=username, password=password, database=os.environ.get("NEO4J_DATABASE"))
    if "://" in location:
        scheme = location.partition("://")[0]
        msg = f"{scheme}:// is no address that a store can have; use a folder, bolt://… or neo4j://…"
        raise InvalidInput(msg)
    if not location.isascii() and location.encode(errors="ignore").decode() != location:
        msg = f"the store's path {ascii(location)[:200]} is not UTF-8, which the engine cannot open; use another folder"
        raise InvalidInput(msg)
    return ArcadeDB(Path(location))


def open_tenant(
    location: str,
    tenant: str,
    settings: Settings,
    *,
    clock: Clock,
    source: Source,
    actor: str,
    passphrase: bytes | None = None,
    key: Path | None = None,
    create: bool = True,
    replaced: Callable[[], None] | None = None,
) -> tuple[Opened, bool]:
    """Open ``tenant`` of the store at ``location``, creating both where they do not exist.

    ``settings`` apply to a new tenant only; ``key`` is a PEM file to sign with; without ``create`` what does not exist
    is refused; ``replaced`` says that what is left of a tenant whose row was lost may go, unless it raises. Returns the
    tenant, and whether it is new.
    """
    creation.check_tenant_name(tenant)
    if not create and not is_server(location) and "://" not in location and not (Path(location) / "graph").is_dir():
        msg = f"there is no store in {location}; name another one, or create it with: mars init"
        raise InvalidInput(msg)
    engine = connect(location)
    try:
        with opening(engine):
            schema.migrate(engine)
            # Who has the store open in this process already keeps what was promised here.
            if engine.scrub_promised and not engine.joined:
                _keep_promise(engine, work_folder(location))
            _end_cleaning(engine, work_folder(location))
            if not create:
                _require_tenant(engine, tenant)
            sweep(readers_folder(work_folder(location), tenant))
            return attach(
                engine,
                location,
                tenant,
                settings,
                clock=clock,
                source=source,
                actor=actor,
                passphrase=passphrase,
                key=key,
                replaced=replaced,
            )
    except BaseException:
        engine.close()
        raise


def _encrypted(
    engine: Engine, location: str, state: TenantState, keyring: Keyring, passphrase: bytes | None, *, created: bool
) -> Engine:
    """Return the engine with the tenant's keys; what a crash left open about their destruction is settled.

    Raises:
        KeyUnusable: the keys are missing, or cannot be used, or those of another tenant are in their place.
        InvalidConfig: they would lie in the store, where every copy of it would have them.
    """
    folder = keyrings_folder() / f"{state.name}-{state.log.rpartition(':')[2]}"
    if not is_server(location) and Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(location)):
        msg = (
            f"the keys of tenant {state.name!r} would lie in the store, in {folder}, and every copy of it would have "
            f"them; name another folder with {VARIABLE}"
        )
        raise InvalidConfig(msg)
    if created and folder.exists():
        msg = f"{folder} holds the keys of another tenant with the same name and log; move it elsewhere, and try again"
        raise KeyUnusable(msg)
    # A tenant of one record has nothing to lose: its first opening may have ended before its keys were made. Another
    # machine must not make any of its own meanwhile; the one that signs is the one that created it.
    signs = any(file.public_key == state.signing_key for file in keyring.files())
    if not folder.exists() and not (state.sequence == 1 and signs):
        raise _elsewhere(state.name, folder)
    data_keys = (DataKeyring.make if state.sequence == 1 and signs else DataKeyring)(folder, state.name, passphrase)
    encrypted = EncryptedEngine(engine, state.name, data_keys)
    encrypted.custody.settle(data_keys.scheduled())
    return encrypted


def _elsewhere(tenant: str, folder: Path) -> KeyUnusable:
    return KeyUnusable(
        f"the contents of tenant {tenant!r} are encrypted, and the folder of its keys is not on this machine: there is "
        f"no {folder}; copy it from the machine that created the tenant, where it is {folder.name} in the folder that "
        f"{VARIABLE} names, or in vaults below MARS_HOME, or restore it from its backup"
    )


def _keep_promise(engine: Engine, folder: Path) -> None:
    """Do the scrub that another process promised and did not end: of what is derived, of indexes, of the files."""
    for name in DERIVED:
        shutil.rmtree(folder / name, ignore_errors=True)
    # It may have ended between dropping an index and making it again.
    schema.define_again(engine)
    engine.scrub()


def _end_cleaning(engine: Engine, folder: Path) -> None:
    """Make the indexes again that an earlier version, which cleaned a server's files, may have been killed without."""
    promise = folder / _CLEANING
    if promise.exists():
        schema.define_again(engine)
        promise.unlink(missing_ok=True)


def _state(engine: Engine, tenant: str) -> TenantState:
    """Return the row of a tenant that was just found or created.

    Raises:
        EngineUnavailable: somebody else was creating it, and did not end.
    """
    rows = engine.read(statement("load_tenant", engine.name), {"tenant": tenant})
    if not rows:
        msg = f"another process was creating tenant {tenant!r} and has not ended; open it again"
        raise EngineUnavailable(msg)
    return TenantState.from_row(rows[0]["tenant"])


def _create(
    engine: Engine, tenant: str, settings: Settings, services: Services, replaced: Callable[[], None] | None
) -> bool:
    """Create a tenant, in the place of what is left of it if ``replaced`` lets that go; returns whether it did."""
    try:
        return creation.create_tenant(engine, tenant, settings, services)
    except StoreDamaged:
        if replaced is None:
            raise
    replaced()
    return creation.create_tenant(engine, tenant, settings, services, replacing=True)


def _require_tenant(engine: Engine, tenant: str) -> None:
    """Refuse a tenant that is not there.

    Raises:
        StoreDamaged: something of it is, so that its row was lost.
        InvalidInput: nothing of it is.
    """
    if not engine.read(statement("load_tenant", engine.name), {"tenant": tenant}):

        def read(name: str, values: dict[str, Any], **names: Any) -> list[Row]:
            return engine.read(statement(name, engine.name, **names), values)

        creation.refuse_lost(read, tenant)
        msg = f"the store has no tenant {tenant!r}; create it with: mars init --tenant {tenant}"
        raise InvalidInput(msg)


def attach(
    engine: Engine,
    location: str,
    tenant: str,
    settings: Settings,
    *,
    clock: Clock,
    source: Source,
    actor: str,
    passphrase: bytes | None = None,
    key: Path | None = None,
    replaced: Callable[[], None] | None = None,
) -> tuple[Opened, bool]:
    """Open ``tenant`` on an engine that is open and migrated; see :func:`open_tenant`."""
    folder = work_folder(location)
    keyring = Keyring(folder / "keys", passphrase)
    box = SignerBox(keyring)
    rows = engine.read(statement("load_tenant", engine.name), {"tenant": tenant})
    adopted = None if key is None else keyring.adopt(key, passphrase)
    if adopted is not None:
        box.use(adopted)
    elif not rows and not keyring.files():
        keyring.create(source)
    handles = keyring.handles(source)
    rate_limiter = rate_limiter_of(location if is_server(location) else os.path.realpath(folder), tenant)
    scrubs = Capability.BYTE_SCRUB in engine.capabilities
    steady = SteadyClock(clock, shared_state_of(engine, tenant))
    services = Services(clock=steady, source=source, signer=box, handle=handles, actor=actor, rate_limiter=rate_limiter)
    new = settings.on_engine(scrubs=scrubs).embedded_by(usual())
    created = not rows and _create(engine, tenant, new, services, replaced)
    state = _state(engine, tenant)
    if adopted is not None and adopted.public_key != state.signing_key:
        msg = f"tenant {tenant!r} signs with another key than {key}; open it without key= and rotate to the new one"
        raise KeyUnusable(msg)
    box.expect(state.signing_key)
    if state.settings.encryption == SUBJECT_KEYS:
        engine = _encrypted(engine, location, state, keyring, passphrase, created=created)
    reader = GraphReader(engine, tenant)
    return (
        Opened(
            location=location,
            tenant=tenant,
            engine=engine,
            keyring=keyring,
            services=services,
            reader=reader,
            ledger=Ledger(engine, reader, services, tenant, state.log),
            counter=TokenCounter(),
            folder=folder,
            signer_box=box,
            asked=settings,
        ),
        created,
    )
