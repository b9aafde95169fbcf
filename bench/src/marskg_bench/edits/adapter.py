"""The embedded store under the public suite agent-memory-integrity (agmi), whose at-rest edits it undergoes.

Guarantees: the store is a real one, written by ``remember`` and read anew after each edit; an edit changes its files
while the product is closed, by the engine or as a whole folder; the signing key is under a passphrase that no edit
has. An entry of the suite is a memory with the record that signed it, a context is a session of one tenant. It is read
by who has it verified when it is opened: ``open(verify=True)`` first, and only where that refuses nothing,
``open(verify=FILE)`` with the head that was exported before the edit. This is the one module that imports the suite.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from agmi.adapters.base import MemoryAdapter, Record
from agmi.attacks.at_rest import AT_REST_ATTACKS_WITH_SNAPSHOT
from agmi.runner import run_matrix

import marskg
from marskg.audit.document import signed_head
from marskg.clock import SystemSource
from marskg.store.engine.arcadedb import ArcadeDB
from marskg_bench.edits.raw_store import RawStore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from marskg.memory import AgentMemory
    from marskg.store.engine.protocol import Row
    from marskg_bench.common.progress import Say

#: Who found an edit.
ALONE: Final = "verification"
WITH_HEAD: Final = "verification with the exported head"

_TENANT: Final = "bench"
_SESSION: Final = "first"
_OTHER: Final = "second"
_PLANTED: Final = "urn:uuid:01920000-0000-7000-8000-00000000000f"
#: What the suite adds to the labels that it writes back, in the place of a change that only an adapter knows.
_MARK: Final = "agmi_meta_tampered"
_LABELS: Final = ("subjects", "sourceType", "reliability", "validFrom")
#: The suite's words for what became of an edit, by its status of a store that is asked when it is read.
_WORDS: Final = {"safe": "rejected", "VULNERABLE": "accepted", "ERROR": "error"}


@dataclass(frozen=True, slots=True)
class Seen:
    """Who found an edit, and the codes of the findings, the first first."""

    by: str
    codes: tuple[str, ...]


class MarskgAdapter(MemoryAdapter):  # type: ignore[misc]  # the suite ships no types
    """One store in a folder that goes away; either the product or the engine alone has it open."""

    name = "marskg"
    detection_point = "read"
    supports_replay = True
    supports_metadata = True
    supports_snapshot = True

    def __init__(self) -> None:
        """Make nothing yet: the suite calls :meth:`setup` for each edit."""
        self.seen: Seen | None = None
        self.verify_detail: str | None = None
        self._home: tempfile.TemporaryDirectory[str] | None = None
        self._passphrase = ""
        self._product: AgentMemory | None = None
        self._engine: ArcadeDB | None = None
        self._told = 0

    # --- The store ------------------------------------------------------------------------------------------------

    def setup(self) -> None:
        """Begin with an empty folder and another key."""
        self._home = tempfile.TemporaryDirectory(prefix="marskg-bench-")
        self._passphrase = SystemSource().token(16).hex()
        self.seen = None

    def teardown(self) -> None:
        """Remove the store."""
        self._close()
        if self._home is not None:
            self._home.cleanup()
            self._home = None

    @property
    def _folder(self) -> Path:
        if self._home is None:
            msg = "the adapter has no store; call setup() first"
            raise RuntimeError(msg)
        return Path(self._home.name) / "memory"

    @property
    def _kept(self) -> Path:
        return self._folder.with_name("kept.json")

    def _memory(self) -> AgentMemory:
        """Return the product, which reads the store anew if it was closed or written past."""
        if self._product is None:
            self._close()
            self._product = self._open()
        return self._product

    def _open(self, *, verify: Path | bool = False) -> AgentMemory:
        return marskg.open(self._folder, tenant=_TENANT, embedding="none", passphrase=self._passphrase, verify=verify)

    def _raw(self) -> RawStore:
        """Return the store past the product, which is closed for it."""
        if self._engine is None:
            self._close()
            self._engine = ArcadeDB(self._folder)
        return RawStore(self._engine, _TENANT)

    def _close(self) -> None:
        for one in (self._product, self._engine):
            if one is not None:
                one.close()
        self._product = self._engine = None

    # --- What the product does ------------------------------------------------------------------------------------

    def seed(self, n: int) -> None:
        """Remember ``n`` memories of the first session."""
        self._remember(_SESSION, n)

    def seed_other(self, n: int) -> None:
        """Remember ``n`` memories of the second session of the same tenant."""
        self._remember(_OTHER, n)

    def append_genuine(self) -> None:
        """Remember one more of the first session."""
        self._remember(_SESSION, 1)

    def _remember(self, session: str, n: int) -> None:
        for _ in range(n):
            self._told += 1
            self._memory().remember(f"the {session} list has item {self._told}", session=session, subjects=["ada"])
        # Kept by somebody else: no edit reaches it.
        self._kept.write_text(json.dumps(signed_head(self._memory().audit.sign_head())), encoding="utf-8")

    def reload(self) -> None:
        """Open the store as after a restart."""
        self._close()
        self._memory()

    def verify(self) -> bool:
        """Return whether the store opens for who has it verified first, without a head and with one."""
        self._close()
        self.seen = self._refused(ALONE, verify=True) or self._refused(WITH_HEAD, verify=self._kept)
        self.verify_detail = f"{self.seen.by}: {', '.join(self.seen.codes)}" if self.seen else None
        return self.seen is None

    def _refused(self, by: str, *, verify: Path | Literal[True]) -> Seen | None:
        """Return why the store does not open if it is verified so; None if it does."""
        try:
            self._open(verify=verify).close()
        except marskg.AuditVerificationFailed as error:
            return Seen(by, error.findings)
        return None

    # --- What an edit does ----------------------------------------------------------------------------------------

    def read_all_raw(self) -> list[Record]:
        """Return the entries of the first session."""
        return self._records(_SESSION)

    def read_other_raw(self) -> list[Record]:
        """Return the entries of the second session."""
        return self._records(_OTHER)

    def _records(self, session: str) -> list[Record]:
        return [Record(place, entry) for place, entry in enumerate(self._raw().entries(session))]

    def _at(self, seq: int) -> Row:
        return self._raw().entries(_SESSION)[seq]

    def write_raw(self, record: Record) -> None:
        """Write a memory and its signed record at the place ``record.seq``, or behind the last."""
        there = self._raw().entries(_SESSION)
        if record.seq < len(there):
            self._raw().put(there[record.seq], record.fields)
        else:
            self._raw().plant(record.fields)

    def delete_raw(self, seq: int) -> None:
        """Delete a memory and the record that signed it."""
        self._raw().drop(self._at(seq))

    def mutate_payload(self, record: Record) -> Record:
        """Return ``record`` with another text."""
        record.fields["memory"]["content"] += ", and a forged one"
        return record

    def forge_record(self, template: Record) -> Record:
        """Return a memory that nobody remembered, with a copy of the newest signed record under the next number."""
        return Record(template.seq + 1, self._raw().next_to(template.fields, _PLANTED, "the first list has no item"))

    def replay_onto(self, victim_seq: int, donor: Record) -> None:
        """Write the genuine ``donor``, its signed record with it, over another memory."""
        self._raw().put(self._at(victim_seq), donor.fields)

    def read_meta(self, seq: int) -> dict[str, Any]:
        """Return whom a memory is about, where it is from, how sure it is and since when it holds."""
        memory = self._at(seq)["memory"]
        return {name: memory[name] for name in _LABELS}

    def write_meta(self, seq: int, meta: dict[str, Any]) -> None:
        """Write such labels; the suite's mark stands for somebody else whom the memory is about."""
        entry = self._at(seq)
        labels = {name: meta[name] for name in _LABELS}
        if meta.get(_MARK):
            labels["subjects"] = ["mallory"]
        self._raw().put(entry, {**entry, "memory": entry["memory"] | labels})

    def snapshot_store(self) -> Path:
        """Copy the folder, the keys in it among the rest."""
        self._close()
        copy = self._folder.with_name("copy")
        shutil.copytree(self._folder, copy)
        return copy

    def restore_store(self, token: Path) -> None:
        """Put a copy of the folder in its place."""
        self._close()
        shutil.rmtree(self._folder)
        shutil.copytree(token, self._folder)

    # --- How the suite sees that an edit was real -----------------------------------------------------------------

    def identity_of(self, record: Record) -> str:
        """Return the memory's id."""
        return str(record.fields["memory"]["id"])

    def payload_of(self, record: Record) -> str:
        """Return the memory's text."""
        return str(record.fields["memory"]["content"])

    def owner_of(self, record: Record) -> str:
        """Return the memory's session."""
        return str(record.fields["memory"]["session"])


def outcomes(say: Say) -> Iterator[dict[str, Any]]:
    """Run each of the suite's edits on a store of its own, and yield what became of it.

    The suite catches whatever an edit or the product raises: that edit is ``n/a``, and ``why_not`` says why.
    """
    adapter = MarskgAdapter()
    for number, kind in enumerate(AT_REST_ATTACKS_WITH_SNAPSHOT, 1):
        attack = kind()
        say(f"T{number} {attack.name}")
        (outcome,) = run_matrix([adapter], [attack])
        seen = adapter.seen if outcome.detected else None
        yield {
            "edit": f"T{number}",
            "name": attack.name,
            "version": attack.version,
            "result": _WORDS.get(outcome.status, outcome.status),
            "found_by": seen and seen.by,
            "code": seen and seen.codes[0],
            "codes": list(seen.codes) if seen else [],
            "why_not": outcome.guard or outcome.error,
        }
