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
from typing import TYPE_CHECKING

from marskg.audit.keys import Keyring
from marskg.errors import InvalidConfig, InvalidInput, KeyUnusable
from marskg.store import schema, server_files, tenants
from marskg.store.arcadedb import ArcadeDB
from marskg.store.desk import desk_of, opening
from marskg.store.encrypted import EncryptedEngine
from marskg.store.ledger import Ledger
from marskg.store.probing import probes_of
from marskg.store.reader import GraphReader
from marskg.store.state import Services, TenantState
from marskg.store.statements import statement
from marskg.store.steady import SteadyClock
from marskg.store.vault import VARIABLE, Vault, vaults
from marskg.weight import TokenCounter

if TYPE_CHECKING:
    from marskg.audit.dataintegrity import Signer
    from marskg.clock import Clock, Source
    from marskg.config import Settings
    from marskg.store.engine import Engine

#: Folders of a store that hold nothing but what was derived from the graph.
DERIVED = ("index", "view")
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


def work_folder(location: str) -> Path:
    """Return the folder for keys and derived views of a store: its own, or one for its address."""
    if not is_server(location):
        return Path(location)
    base = os.environ.get("MARS_HOME")
    root = Path(base) if base else Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share")) / "marskg"
    return root / hashlib.sha256(location.rstrip("/").encode()).hexdigest()[:16]


def connect(location: str) -> Engine:
    """Open the engine of ``location``, without touching its content.

    Raises:
        InvalidInput: the address has no known scheme.
        StoreLocked, StoreUnwritable, EngineUnavailable: the engine cannot be opened.
    """
    if is_server(location):
        # Only here: the driver brings pandas where that is installed, most of what opening a folder would import.
        from marskg.store.bolt import Bolt  # noqa: PLC0415

        username = os.environ.get("NEO4J_USERNAME", "neo4j")
        password = os.environ.get("NEO4J_PASSWORD", "")
        return Bolt(location, username=username, password=password, database=os.environ.get("NEO4J_DATABASE"))
    if "://" in location:
        scheme = location.partition("://")[0]
        msg = f"{scheme}:// is no address that a store can have; use a folder, bolt://… or neo4j://…"
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
) -> tuple[Opened, bool]:
    """Open ``tenant`` of the store at ``location``, creating both where they do not exist.

    ``settings`` apply to a new tenant only; ``key`` is a PEM file to sign with; without ``create`` what does not exist
    is refused. Returns the tenant, and whether it is new.
    """
    tenants.check_tenant_name(tenant)
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
            if is_server(location) and server_files.promised(work_folder(location)) is not None:
                # Whoever was cleaning may have ended between dropping an index and making it again.
                schema.define_again(engine)
            if not create:
                _require_tenant(engine, tenant)
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
            )
    except BaseException:
        engine.close()
        raise


def _encrypted(engine: Engine, location: str, state: TenantState, passphrase: bytes | None, *, created: bool) -> Engine:
    """Return the engine with the tenant's keys; what a crash left open about their destruction is settled.

    Raises:
        KeyUnusable: the keys are missing, or cannot be used, or those of another tenant are in their place.
        InvalidConfig: they would lie in the store, where every copy of it would have them.
    """
    folder = vaults() / f"{state.name}-{state.log.rpartition(':')[2]}"
    if not is_server(location) and folder.resolve().is_relative_to(Path(location).resolve()):
        msg = (
            f"the keys of tenant {state.name!r} would lie in the store, in {folder}, and every copy of it would have "
            f"them; name another folder with {VARIABLE}"
        )
        raise InvalidConfig(msg)
    if created and folder.exists():
        msg = f"{folder} holds the keys of another tenant with the same name and log; move it elsewhere, and try again"
        raise KeyUnusable(msg)
    # A tenant of one record has nothing to lose: its first opening may have ended before its keys were made.
    vault = (Vault.make if state.sequence == 1 else Vault)(folder, state.name, passphrase)
    encrypted = EncryptedEngine(engine, state.name, vault)
    encrypted.settle(vault.doomed())
    return encrypted


def _keep_promise(engine: Engine, folder: Path) -> None:
    """Do the scrub that another process promised and did not end: of what is derived, of indexes, of the files."""
    for name in DERIVED:
        shutil.rmtree(folder / name, ignore_errors=True)
    # It may have ended between dropping an index and making it again.
    schema.define_again(engine)
    engine.scrub()


def _require_tenant(engine: Engine, tenant: str) -> None:
    if not engine.read(statement("load_tenant", engine.name), {"tenant": tenant}):
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
    probes = probes_of(location if is_server(location) else str(folder.resolve()), tenant)
    steady = SteadyClock(clock, desk_of(engine, tenant))
    services = Services(clock=steady, source=source, signer=box, handle=handles, actor=actor, probes=probes)
    created = not rows and tenants.create_tenant(engine, tenant, settings, services)
    rows = engine.read(statement("load_tenant", engine.name), {"tenant": tenant})
    state = TenantState.from_row(rows[0]["tenant"])
    if adopted is not None and adopted.public_key != state.signing_key:
        msg = f"tenant {tenant!r} signs with another key than {key}; open it without key= and rotate to the new one"
        raise KeyUnusable(msg)
    box.expect(state.signing_key)
    if state.settings.encryption != "off":
        engine = _encrypted(engine, location, state, passphrase, created=created)
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
        ),
        created,
    )
