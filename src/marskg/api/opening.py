"""Opens a tenant's memory for whoever acts.

Guarantees: a store, a key and a tenant are created where they do not exist, by their operator alone; whoever else comes
gets the memory behind its gate. What cannot be opened leaves nothing open.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from marskg.api.arguments import checked_call
from marskg.api.namespaces.namespace import duration
from marskg.api.transfer import check_snapshot
from marskg.audit.keys import check_passphrase
from marskg.clock import SYSTEM_CLOCK, CheckedSource, SystemSource
from marskg.config import Settings
from marskg.config.settings import IN_CLEAR
from marskg.embedding.registry import load_model
from marskg.errors import AuditVerificationFailed
from marskg.host import check_host
from marskg.memory import AgentMemory
from marskg.policies.registry import check_settings
from marskg.privacy.principals import Principal, Role, permit, refusal
from marskg.store.graph.recognition import load_recogniser
from marskg.store.tenant.opening import open_tenant
from marskg.store.upkeep.digest_names import settle_name_rules
from marskg.store.upkeep.reweigh import settle_weights

if TYPE_CHECKING:
    from marskg.api.arguments import ReadPath, Tokens
    from marskg.clock import Clock, Source
    from marskg.store.commit.writer import Writer
    from marskg.store.tenant.opening import Opened


@checked_call
def open(  # noqa: A001 - the name that interfaces.md fixes
    location: str | Path = "./memory",
    *,
    tenant: str = "default",
    budget: Tokens | None = None,
    policy: str | None = None,
    config: ReadPath | None = None,
    embedding: str | None = None,
    encryption: str | None = None,
    principal: str | Principal = "operator",
    passphrase: str | None = None,
    key: ReadPath | None = None,
    clock: Clock | None = None,
    source: Source | None = None,
    create: bool = True,
    snapshot: ReadPath | None = None,
    maintain_every: str | None = None,
    verify: bool | ReadPath = False,
    reweigh: bool = True,
) -> AgentMemory:
    """Open a tenant's memory, creating store, key and tenant where they do not exist.

    Args:
        location: a folder for the embedded engine, or ``bolt://HOST:PORT`` or ``neo4j://HOST:PORT`` with the
            credentials in ``NEO4J_USERNAME`` and ``NEO4J_PASSWORD``.
        tenant: the isolation boundary.
        budget: tokens that the live tier may weigh; changes that of an existing tenant.
        policy: name or ``.cypher`` file of the policy of the automatic trigger.
        config: YAML file with further settings (``docs/reference/defaults.md``).
        embedding: the model of the vectors: ``static``, ``e5``, ``minilm``, ``sentence-transformers:NAME``,
            ``openai:MODEL@URL``, or ``none``.
        encryption: ``subjects`` to have a new tenant's contents encrypted under a key of each subject, ``off`` not to;
            left out, they are on a server, and not in a folder. An existing tenant keeps what it has.
        principal: who acts, such as ``reader:assistant?ceiling=0.3`` (:class:`~marskg.privacy.principals.Principal`);
            stands in every audit record. Who is not the operator gets a memory whose doors show what they may see and
            refuse what they may not do, and cannot create or change a tenant by opening it.
        passphrase: of the signing key.
        key: a PEM file with an Ed25519 key to sign with, instead of one made here.
        clock: where the time comes from; the machine's clock if left out.
        source: where secrets come from; the operating system if left out.
        create: whether a store or tenant that does not exist is created; otherwise it is refused.
        snapshot: a file of ``mem.snapshots.save`` to put the tenant back from. It is checked whole before
            anything is changed, and takes the place of what is left of a tenant whose row was lost.
        maintain_every: how often to do :meth:`AgentMemory.maintain` in the background, such as ``"1h"``; never if left
            out.
        verify: True to refuse a tenant whose audit does not verify, before anything of it is read; the file of ``mars
            audit head --export`` to hold it to that head as well. It takes as long as :meth:`AgentMemory.verify` does.
        reweigh: whether the operator's opening weighs again, once, what a version before weighed by another rule; it
            logs that it does, and ``mem.notices`` tells what came of it. False leaves that to
            ``mem.maintenance.reweigh``, or to the first memory that is stored; until then every answer tells it. Where
            what is protected would not fit it is left as well, and nothing is stored until it does.

    Raises:
        AuditVerificationFailed: ``verify`` found something.
        StoreLocked: another process has the embedded store open.
        EngineUnavailable: the engine cannot be loaded, the server cannot be reached or refuses the credentials, or the
            operating system has no way to lock a file.
        EmbeddingMismatch: the tenant has vectors of another model than ``embedding`` or ``config`` says.
        NotPermitted: somebody else than the operator gives settings or a snapshot.
        StoreDamaged: memories or records of the tenant are there and its row is not; nothing was changed.
        InvalidDocument: the snapshot is broken.
        StoreTooNew, StoreUnwritable, KeyUnusable, InvalidConfig, InvalidInput: as they say.
    """
    check_host()
    who = Principal.of(principal)
    guest = who.role is not Role.OPERATOR
    if guest and any(one is not None for one in (budget, policy, config, embedding, encryption, maintain_every)):
        raise refusal(who, "settings.set", "settings when opening a tenant")
    for operation, asked in (("verify", verify is not False), ("snapshots.load", snapshot is not None)):
        if asked:
            permit(who, operation)
    secret = None if passphrase is None else passphrase.encode()
    check_passphrase(secret)
    _refuse_early(location, tenant, snapshot, maintain_every)
    given = (
        ("budget", budget),
        ("policy.name", policy),
        ("embedding.model", embedding),
        ("encryption", encryption),
    )
    values = {name: value for name, value in given if value is not None}
    base = Settings.from_yaml(config) if config is not None else Settings()
    settings = base.with_values(values, "open()")
    if snapshot is not None:
        # Its tenant was in clear, and so is the one that is put back.
        settings = settings.encrypted_as(IN_CLEAR)
    check_settings(settings)
    load_model(settings.embedding.model)
    load_recogniser(settings.entities)
    opened, created = open_tenant(
        str(location),
        tenant,
        settings,
        clock=SYSTEM_CLOCK if clock is None else clock,
        source=SystemSource() if source is None else CheckedSource(source),
        actor=who.actor,
        passphrase=secret,
        key=None if key is None else Path(key),
        create=create and not guest,
        replaced=None if snapshot is None else partial(check_snapshot, tenant, snapshot),
    )
    memory: AgentMemory | None = None
    try:
        memory = _guest_memory(opened, who) if guest else AgentMemory(opened, who)
        if snapshot is not None:
            memory.snapshots.load(snapshot)
        _check_verified(memory, witness=verify)
        if not guest and (snapshot is not None or not created):
            memory.settings.set(settings if config is not None else None, values)
        if not guest:
            _settle(memory._writer, reweigh=reweigh)  # noqa: SLF001 - after the budget that was given
            _read_on(memory)
        if maintain_every is not None:
            memory.maintenance.run_every(maintain_every)
    except BaseException:
        # Closed as a whole: a handle of closed files would still be told of what other handles erase.
        (opened if memory is None else memory).close()
        raise
    return memory


def _guest_memory(opened: Opened, who: Principal) -> AgentMemory:
    """Return the memory of somebody else than the operator."""
    from marskg.api.restricted.agent_memory import restricted_memory  # noqa: PLC0415 - the operator does without

    return restricted_memory(opened, who)


def _settle(writer: Writer, *, reweigh: bool) -> None:
    """Do, once, what a version before left to be done."""
    settle_name_rules(writer)
    if reweigh:
        settle_weights(writer)


def _read_on(memory: AgentMemory) -> None:
    """Read in the background what a model did not come to, as often as the settings say."""
    every = memory.settings.current.learning.background
    if every is not None:
        memory.maintenance._read_every(every)  # noqa: SLF001 - no operation: a setting says it


def _refuse_early(location: str | Path, tenant: str, snapshot: str | Path | None, maintain_every: str | None) -> None:
    """Refuse what can be refused before a store is created, or a tenant changed.

    Raises:
        InvalidInput: ``maintain_every`` is no duration.
        InvalidDocument: the snapshot is broken.
    """
    if maintain_every is not None:
        duration("maintain_every", maintain_every, "1h")
    # That of a store which is there is checked when it is put back, and so once.
    if snapshot is not None and not Path(location).exists():
        check_snapshot(tenant, snapshot)


def _check_verified(memory: AgentMemory, *, witness: bool | str | Path) -> None:
    """Refuse a tenant whose audit does not verify, if that is asked for.

    Raises:
        AuditVerificationFailed: names the first finding.
        InvalidDocument: the file of the witness holds no heads.
    """
    if witness is False:
        return
    report = memory.verify() if witness is True else memory.verify(witness=str(witness))
    errors = [found for found in report.findings if found.severity == "error"]
    if errors:
        first = errors[0]
        msg = (
            f"the audit of tenant {memory.tenant!r} does not verify: {first.where}: {first.message} ({len(errors)} "
            "findings in all); see: mars verify, and put the tenant back from a snapshot that verifies"
        )
        raise AuditVerificationFailed(msg, tuple(dict.fromkeys(found.code for found in errors)))
