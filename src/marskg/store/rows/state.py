"""What a writer knows of its tenant between two writes, and the injected services of a unit of work.

Guarantees: :class:`TenantState` is a value; it mirrors the tenant's row, which the database compares and sets in
every writing transaction, so a stale copy can only make a write start again, never go wrong.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

from marskg.clock import AGREEMENT_MS, JUMP_MS
from marskg.config import Settings, knows_lives
from marskg.store.rows.codec import UNMADE, damaged_row, refuse_row
from marskg.store.rows.kind_statistics import KindStatistics
from marskg.store.rows.oracle_rate_limit import RateLimiter
from marskg.store.rows.read_statistics import Usage
from marskg.weight import RULE, TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from marskg.audit.dataintegrity import Signer
    from marskg.clock import Source
    from marskg.store.engine.protocol import Row
    from marskg.store.rows.monotonic_clock import ClockReading, SteadyClock


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
    #: Whether memories may still end by lives of former defaults; the next writer lifts these.
    lifting: bool = False
    #: By which rule the memories are weighed (:data:`marskg.weight.RULE`); 1 where the row does not say.
    weighed_by: int = RULE
    #: Name and dimension of the model that made the tenant's vectors; None before the first one.
    embedding_model: str | None = None
    #: Shared tenants of the store that this one's readers read as well, sorted.
    subscriptions: tuple[str, ...] = ()
    #: The live tier in sums; those of a store from before they were kept are counted with its order keys.
    census: KindStatistics = field(default_factory=KindStatistics)
    #: What reading has come to.
    usage: Usage = field(default_factory=Usage)
    #: Whether something was ever erased that must not come in again (:mod:`marskg.store.graph.suppression`).
    suppressing: bool = False
    #: The sequence of the next record when digests of erased texts came last, so that copies of them know their age.
    texts_erased: int = 0
    #: The sequence of the record that changed the tenant's preferences last; 0 where there never were any.
    preferences: int = 0
    #: What the controllers of the tenant's policies have learned, as canonical JSON by their names.
    controls: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    #: How many signed heads the transition log has and the size of the last, then those of the access log.
    heads: tuple[int, ...] = (0, 0, 0, 0)
    #: How often a snapshot was put in the place of the tenant: its sequences begin to count again then.
    restores: int = 0
    #: The digest of what must not come in again (:mod:`marskg.audit.sethash`); None if there is nothing.
    suppression_hash: str | None = None
    #: Names of what in the row was found to be other than what was signed, ever since a key announced itself.
    broken: tuple[str, ...] = ()
    #: What the row's signed text says (:mod:`marskg.store.commit.signed_state`); None where the row was never signed.
    stated: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    @property
    def line(self) -> str:
        """Return the name of the one history that the sequences count: the log, and which of its restores this is."""
        return f"{self.log}@{self.restores}" if self.restores else self.log

    def claim(self) -> dict[str, Any]:
        """Return the parameters of a statement that writes only where the row is still this one."""
        return {
            "tenant": self.name,
            "expected": self.sequence,
            "accessed": self.access_sequence,
            "restores": self.restores,
        }

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

    def changes_since(self, before: TenantState) -> dict[str, Any]:
        """Return the properties that may differ from those of ``before``: of what few writes change, all or none."""
        found = self.moving()
        if _RARE(self) != _RARE(before):
            found |= self.rare()
        if self.controls != before.controls:
            found |= self.learned()
        if self.usage != before.usage:
            found["usage"] = self.usage.to_list()
        return found

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
            "heads": list(self.heads),
        }

    def rare(self) -> dict[str, Any]:
        """Return the properties that few writes change; the others do not carry them."""
        return {
            "settings": self.settings.to_json(),
            "signingKey": self.signing_key,
            "budget": self.budget,
            "reordering": self.reordering,
            "lifting": self.lifting,
            "weighedBy": self.weighed_by,
            "embeddingModel": self.embedding_model,
            "subscriptions": list(self.subscriptions),
            "suppressing": self.suppressing,
            "textsErased": self.texts_erased or None,
            "preferencesChanged": self.preferences,
            "suppressionHash": self.suppression_hash,
            "stateBroken": list(self.broken) or None,
            "restores": self.restores or None,
        }

    def learned(self) -> dict[str, Any]:
        """Return the properties that only a policy's work changes."""
        return {"controls": json.dumps(dict(self.controls), sort_keys=True, separators=(",", ":"))}

    @classmethod
    def from_row(cls, row: Row) -> TenantState:
        """Return the state that the properties ``row`` describe.

        Raises:
            StoreDamaged: they are not as this package writes them.
        """
        refuse_row(row, _TYPES)
        try:
            return cls._of(row)
        except UNMADE as error:
            raise damaged_row(row["ref"], "one of its statistics, controls or lists") from error

    @classmethod
    def _of(cls, row: Row) -> TenantState:
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
            reordering=bool(row.get("reordering")) or not KindStatistics.is_whole(row.get("census")),
            lifting=bool(row.get("lifting")) or not knows_lives(row["settings"]),
            weighed_by=row.get("weighedBy") or 1,
            embedding_model=row.get("embeddingModel"),
            subscriptions=tuple(row.get("subscriptions") or ()),
            suppressing=bool(row.get("suppressing")),
            texts_erased=row.get("textsErased") or 0,
            preferences=row.get("preferencesChanged") or 0,
            census=KindStatistics.from_list(row["census"])
            if KindStatistics.is_whole(row.get("census"))
            else KindStatistics(),
            usage=Usage.from_list(row.get("usage") or ()),
            controls=MappingProxyType(json.loads(row.get("controls") or "{}")),
            heads=tuple(row.get("heads") or (0, 0, 0, 0)),
            suppression_hash=row.get("suppressionHash"),
            broken=tuple(row.get("stateBroken") or ()),
            restores=row.get("restores") or 0,
        )

    def at(self, reading: ClockReading) -> tuple[int, TenantState]:
        """Return the time to write with and the state after reading the clock, as :meth:`moment` says."""
        now, suspended = self.moment(reading)
        return now, replace(self, last_time=now, suspended_at=suspended)

    def moment(self, reading: ClockReading) -> tuple[int, int | None]:
        """Return the time after reading the clock, and since when expiry is suspended (semantics section 10).

        Recorded time never goes backwards. A jump of the clock, or a time that lies before the last recorded one by
        more than :data:`~marskg.clock.JUMP_MS`, suspends expiry as of the earlier of both times.
        """
        now = max(reading.now, self.last_time)
        if self.suspended_at is not None:
            return now, self.suspended_at
        if reading.jumped_from is not None:
            return now, reading.jumped_from
        behind = reading.agreed is not None and reading.now < self.last_time - JUMP_MS
        return now, reading.now if behind else None

    def believes(self, reading: ClockReading) -> bool:
        """Return whether the clock is believed again after a jump: it ran evenly for an hour.

        In this process by both clocks, or since the last recorded time: while a store is closed no clock jumps.
        """
        if reading.believable or self.suspended_at is None or not reading.steady:
            return reading.believable
        since = [moment for moment in (self.suspended_at, self.last_time) if moment <= reading.now]
        return bool(since) and reading.now - max(since) >= AGREEMENT_MS


def higher_share(state: TenantState) -> int:
    """Return the tokens of the budget that are kept for what sources of higher standing said (semantics I1)."""
    return int(state.settings.budget_shares * state.budget)


#: What each row has.
_TYPES: Final = {
    **dict.fromkeys(("ref", "log", "accessLog", "settings", "signingKey"), str),
    **dict.fromkeys(("sequence", "accessSequence", "budget", "lastTime"), int),
    **dict.fromkeys(("weight", "latentWeight", "protectedWeight"), int),
}
#: What few writes change.
_RARE: Final = attrgetter(
    "settings",
    "signing_key",
    "budget",
    "reordering",
    "lifting",
    "weighed_by",
    "embedding_model",
    "subscriptions",
    "suppressing",
    "texts_erased",
    "preferences",
    "suppression_hash",
    "broken",
)


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

    clock: SteadyClock
    source: Source
    signer: SignerSource
    handle: Callable[[str, str], str]
    actor: str = "operator"
    #: Weighs the texts that a unit itself makes: what is left of a summary.
    counter: TokenCounter = field(default_factory=TokenCounter)
    #: How often it was told lately that something was erased.
    rate_limiter: RateLimiter = field(default_factory=RateLimiter)
