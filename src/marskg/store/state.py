"""What a writer knows of its tenant between two writes, and the injected services of a unit of work.

Guarantees: :class:`TenantState` is a value; it mirrors the tenant's row, which the database compares and sets in
every writing transaction, so a stale copy can only make a write start again, never go wrong.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from marskg.clock import DAY_MS, MAX_MS
from marskg.config import Settings
from marskg.errors import ClockJump
from marskg.store.census import Census
from marskg.store.probing import Probes
from marskg.store.usage import Usage
from marskg.weight import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from marskg.audit.dataintegrity import Signer
    from marskg.clock import Clock, Source
    from marskg.store.engine import Row


@dataclass(frozen=True, slots=True)
class TenantState:
    """One tenant's row: logs, sequences, budget, weights, settings."""

    name: str
    log: str
    access_log: str
    sequence: int
    access_sequence: int
    budget: int
    weight: int
    latent_weight: int
    protected_weight: int
    last_time: int
    settings: Settings
    signing_key: str
    random_watermark: int = 0
    suspended_at: int | None = None
    #: Whether the memories' order keys are still those of other weights of importance; the next writer orders on.
    reordering: bool = False
    #: Name and dimension of the model that made the tenant's vectors; None before the first one.
    embedding_model: str | None = None
    #: Shared tenants of the store that this one's readers read as well, sorted.
    subscriptions: tuple[str, ...] = ()
    #: The live tier in sums; those of a store from before they were kept are counted with its order keys.
    census: Census = field(default_factory=Census)
    #: What reading has come to.
    usage: Usage = field(default_factory=Usage)
    #: Whether something was ever erased that must not come in again (:mod:`marskg.store.suppression`).
    suppressing: bool = False
    #: The sequence of the record that changed the tenant's preferences last; 0 where there never were any.
    preferences: int = 0
    #: What the controllers of the tenant's policies have learned, as canonical JSON by their names.
    controls: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def to_row(self) -> dict[str, Any]:
        """Return the properties of the tenant's node."""
        return {
            "ref": self.name,
            "log": self.log,
            "accessLog": self.access_log,
            **self.moving(),
            **self.rare(),
            **self.learned(),
            "usage": self.usage.to_list(),
        }

    def moving(self) -> dict[str, Any]:
        """Return the properties that a write may change."""
        return {
            "sequence": self.sequence,
            "accessSequence": self.access_sequence,
            "weight": self.weight,
            "latentWeight": self.latent_weight,
            "protectedWeight": self.protected_weight,
            "lastTime": self.last_time,
            "randomWatermark": self.random_watermark,
            "suspendedAt": self.suspended_at,
            "census": self.census.to_list(),
        }

    def rare(self) -> dict[str, Any]:
        """Return the properties that few writes change; the others do not carry them."""
        return {
            "settings": self.settings.to_json(),
            "signingKey": self.signing_key,
            "budget": self.budget,
            "reordering": self.reordering,
            "embeddingModel": self.embedding_model,
            "subscriptions": list(self.subscriptions),
            "suppressing": self.suppressing,
            "preferencesChanged": self.preferences,
        }

    def learned(self) -> dict[str, Any]:
        """Return the properties that only a policy's work changes."""
        return {"controls": json.dumps(dict(self.controls), sort_keys=True, separators=(",", ":"))}

    @classmethod
    def from_row(cls, row: Row) -> TenantState:
        """Return the state that the properties ``row`` describe."""
        return cls(
            name=row["ref"],
            log=row["log"],
            access_log=row["accessLog"],
            sequence=row["sequence"],
            access_sequence=row["accessSequence"],
            budget=row["budget"],
            weight=row["weight"],
            latent_weight=row["latentWeight"],
            protected_weight=row["protectedWeight"],
            last_time=row["lastTime"],
            settings=Settings.from_json(row["settings"]),
            signing_key=row["signingKey"],
            random_watermark=row.get("randomWatermark") or 0,
            suspended_at=row.get("suspendedAt"),
            reordering=bool(row.get("reordering")) or row.get("census") is None,
            embedding_model=row.get("embeddingModel"),
            subscriptions=tuple(row.get("subscriptions") or ()),
            suppressing=bool(row.get("suppressing")),
            preferences=row.get("preferencesChanged") or 0,
            census=Census() if row.get("census") is None else Census.from_list(row["census"]),
            usage=Usage.from_list(row.get("usage") or ()),
            controls=MappingProxyType(json.loads(row.get("controls") or "{}")),
        )

    def at(self, clock_ms: int) -> tuple[int, TenantState]:
        """Return the time to write with and the state after reading the clock, as :meth:`moment` says.

        Raises:
            ClockJump: the clock shows no time that a record could carry.
        """
        now, suspended = self.moment(clock_ms)
        return now, replace(self, last_time=now, suspended_at=suspended)

    def moment(self, clock_ms: int) -> tuple[int, int | None]:
        """Return the time after reading the clock, and since when expiry is suspended (semantics section 10).

        Time never goes backwards. A jump of more than a day ahead suspends expiry until it is confirmed, as of the last
        moment before it.

        Raises:
            ClockJump: the clock shows no time that a record could carry.
        """
        if clock_ms > MAX_MS:
            msg = f"the clock says {clock_ms} ms since 1970, which is after the year 9999; set the clock and try again"
            raise ClockJump(msg)
        now = max(clock_ms, self.last_time)
        suspended = self.suspended_at
        if suspended is None and self.last_time and clock_ms - self.last_time > DAY_MS:
            suspended = self.last_time
        return now, suspended


class SignerSource(Protocol):
    """Gives the signer of a tenant's logs."""

    def __call__(self) -> Signer:
        """Return the signer in use."""
        ...

    def expect(self, public_key: str) -> None:
        """Sign with the key that the tenant's row names."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """What a unit of work needs from outside: time, randomness, the signing key, the handle key, who acts."""

    clock: Clock
    source: Source
    signer: SignerSource
    handle: Callable[[str, str], str]
    actor: str = "operator"
    #: Weighs the texts that a unit itself makes: what is left of a summary.
    counter: TokenCounter = field(default_factory=TokenCounter)
    #: How often it was told lately that something was erased.
    probes: Probes = field(default_factory=Probes)
