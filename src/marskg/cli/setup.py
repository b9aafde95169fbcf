"""Making a store and changing its settings: ``mars init``, ``mars settings`` and ``mars tenant``.

Guarantees: ``init`` never changes a tenant that exists; a setting is checked before a store is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from marskg.cli.door import Door, existing_file, pass_door, passphrase, shared_options
from marskg.cli.embedding import MODELS
from marskg.cli.output import answer, document, line, note, number, safe, show_table, table
from marskg.errors import NotPermitted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from marskg.config import Settings
    from marskg.memory import AgentMemory


@click.command()
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="What live memories may weigh together.")
@click.option("--policy", metavar="NAME|FILE", help="What forgets: a built-in policy or a .cypher file.")
@click.option("--config", type=existing_file(), metavar="FILE", help="YAML file with settings.")
@click.option("--embedding", metavar="SPEC", help=f"What makes vectors: {MODELS}, or none.  [default: static]")
@click.option("--key", type=existing_file(), metavar="PEM", help="Sign with this Ed25519 key; one is made if left out.")
@click.option("--passphrase", "ask", is_flag=True, help="Ask for a passphrase for the key (or set MARS_PASSPHRASE).")
@shared_options
@pass_door
def init(
    door: Door,
    budget: int | None,
    policy: str | None,
    config: Path | None,
    *,
    embedding: str | None,
    key: Path | None,
    ask: bool,
) -> None:
    """Create a store, a tenant in it and its signing key.

    On a tenant that exists it changes nothing: the same settings are confirmed, others are refused.
    """
    from marskg.opening import open as open_memory

    secret = _ask_passphrase() if ask and passphrase() is None else passphrase()
    named = {"budget": budget, "policy.name": policy, "embedding.model": embedding}
    wanted = _wanted({name: value for name, value in named.items() if value is not None}, config)
    existing = _existing(door, secret)
    if existing is not None:
        with existing as memory:
            _confirm(door, memory, wanted, key)
            _report(door, memory, created=False)
        return
    with open_memory(
        door.store,
        tenant=door.tenant,
        principal=door.principal,
        budget=budget,
        policy=policy,
        config=config,
        embedding=embedding,
        passphrase=secret,
        key=key,
    ) as memory:
        _report(door, memory, created=True)
        if embedding is not None:
            _try(embedding)


def _try(embedding: str) -> None:
    """Say so where the model that was chosen does not work yet: the tenant works without it."""
    from marskg.embedding.registry import load_model
    from marskg.errors import EmbeddingUnavailable

    model = load_model(embedding)
    try:
        if model is not None:
            model.embed(["Is anybody there?"])
    except EmbeddingUnavailable as error:
        note(f"no vectors are made until this is mended: {error}; then run: mars reembed")


def _ask_passphrase() -> str:
    secret: str = click.prompt("Passphrase of the new key", hide_input=True, confirmation_prompt=True, err=True)
    note("the key is locked: set MARS_PASSPHRASE for the commands that sign")
    return secret


def _wanted(given: dict[str, Any], config: Path | None) -> dict[str, Any]:
    """Return the settings that the options name, by their dotted names, each checked."""
    from marskg.config import Settings

    if config is None:
        Settings().with_values(given, "mars init")
        return given
    return dict(Settings.from_yaml(config).with_values(given, "mars init").values())


def _existing(door: Door, secret: str | None) -> AgentMemory | None:
    """Return the tenant's memory, or None where there is none yet."""
    from marskg.errors import InvalidInput
    from marskg.opening import open as open_memory

    try:
        return open_memory(door.store, tenant=door.tenant, principal=door.principal, passphrase=secret, create=False)
    except InvalidInput:  # creating it says so again where the reason is another one
        return None


def _confirm(door: Door, memory: AgentMemory, wanted: Mapping[str, Any], key: Path | None) -> None:
    """Check that the tenant is as the options ask for.

    Raises:
        NotPermitted: it has other settings, or signs with another key.
    """
    from marskg.audit.keys import load_signer

    existing = memory.settings
    if existing.with_values(writable(wanted), "mars init") != existing:
        msg = (
            f"tenant {door.tenant!r} of {door.store} exists with other settings, which init does not change; "
            "change them with: mars budget N, or mars settings NAME=VALUE"
        )
        raise NotPermitted(msg)
    secret = passphrase()
    if key is not None:
        given = load_signer(key, secret.encode() if secret else None)
        if given.public_key != memory.store.services.signer().public_key:
            msg = f"tenant {door.tenant!r} of {door.store} signs with another key than {key}; leave --key out"
            raise NotPermitted(msg)


def writable(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as their table takes them: durations with their unit."""
    from marskg.config import SETTINGS

    return {
        name: f"{value}ms" if SETTINGS[name].kind == "duration" and isinstance(value, int) else value
        for name, value in values.items()
    }


def _report(door: Door, memory: AgentMemory, *, created: bool) -> None:
    from marskg.store.encrypted import vault_of

    settings = memory.settings
    keys = memory.store.keyring
    vault = vault_of(memory.store.engine)
    data = {
        "store": door.store,
        "tenant": memory.tenant,
        "created": created,
        "budget": settings.budget,
        "policy": settings.policy.name,
        "embedding": settings.embedding.model,
        "engine": memory.store.engine.name,
        "key_folder": str(keys.folder),
        "vault": None if vault is None else str(vault),
        "public_key": memory.store.services.signer().public_key,
        "recognisers": _recognisers(settings),
    }

    def show() -> None:
        what = "created" if created else "exists already, nothing was changed:"
        line(f"{what} tenant {memory.tenant!r} in {door.store} ({data['engine']})")
        line(f"budget {number(settings.budget)} tokens, policy {settings.policy.name}")
        line(f"signing key {data['public_key']} in {keys.folder}: keep a copy of that folder")
        if vault is not None:
            line(f"contents are encrypted under keys in {vault}: keep a copy of it, apart from those of the store")

    answer(door, data, show)


@click.command()
@click.argument("changes", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--config", type=existing_file(), metavar="FILE", help="YAML file with all settings to have from now on.")
@shared_options
@pass_door
def settings(door: Door, changes: tuple[str, ...], config: Path | None) -> None:
    """Show the tenant's settings, or change them.

    NAME is a setting as this command lists it, such as policy.name; VALUE is written as in the YAML file; none stands
    for no value. A changed budget is enforced at once.
    """
    from marskg.config import Settings

    values = dict(_change(text) for text in changes)
    base = Settings.from_yaml(config) if config is not None else None
    with door.memory() as memory:
        if values or base is not None:
            checked = (base or memory.settings).with_values(values, "mars settings")
            _require_policy(checked)
            memory.apply_settings(base, values)
        _show_settings(door, memory.settings)


def _change(text: str) -> tuple[str, object]:
    """Return the name and the value that ``NAME=VALUE`` gives."""
    from marskg.config import SETTINGS

    name, equals, written = text.partition("=")
    if not equals:
        msg = f"{text[:60]!r} is no change; write NAME=VALUE, for example low_water=0.9"
        raise click.UsageError(msg)
    setting = SETTINGS.get(name)
    if written == "none":
        return name, None
    if setting is not None and setting.kind == "flag":
        return name, {"true": True, "false": False}.get(written, written)
    if setting is not None and setting.kind in {"number", "integer"}:
        try:
            return name, float(written) if setting.kind == "number" else int(written)
        except ValueError:
            return name, written
    return name, written


def _require_policy(settings: Settings) -> None:
    """Load the policies, so that a name that is none is refused before it is stored."""
    from marskg.policies.registry import check_settings

    check_settings(settings)


@click.group(no_args_is_help=False)
@shared_options
def tenant() -> None:
    """Shared tenants of common knowledge, and subscriptions to them."""


@tenant.command()
@click.argument("name")
@shared_options
@pass_door
def subscribe(door: Door, name: str) -> None:
    """Read the shared tenant NAME as well; its owner shares it with: mars settings lean.shared=true."""
    with door.memory() as memory:
        _show_subscriptions(door, memory.subscribe(name))


@tenant.command()
@click.argument("name")
@shared_options
@pass_door
def unsubscribe(door: Door, name: str) -> None:
    """Read the shared tenant NAME no more."""
    with door.memory() as memory:
        _show_subscriptions(door, memory.unsubscribe(name))


@tenant.command()
@shared_options
@pass_door
def subscriptions(door: Door) -> None:
    """List the shared tenants that are read as well."""
    with door.memory() as memory:
        _show_subscriptions(door, memory.subscriptions)


def _show_subscriptions(door: Door, names: tuple[str, ...]) -> None:
    answer(
        door, {"subscriptions": list(names)}, lambda: line("subscribed to " + (", ".join(names) or "no other tenant"))
    )


def _show_settings(door: Door, settings: Settings) -> None:
    from marskg.config import SETTINGS

    if door.as_json:
        document(settings.values())
        return
    made = table("setting", "value", "meaning")
    works = f"; here work: {', '.join(_recognisers(settings)) or 'none'}"
    for name, value in writable(settings.values()).items():
        meaning = SETTINGS[name].meaning + (works if name == "sensitivity.presidio" else "")
        made.add_row(name, safe(written(value)), meaning)
    show_table(made)


def _recognisers(settings: Settings) -> list[str]:
    """Return what reads texts for what is sensitive on this machine, whatever the settings would like to have."""
    from marskg.errors import EnvironmentFailure
    from marskg.privacy.sensing.detector import Detector

    if settings.sensitivity.assess == "off":
        return []
    try:
        return list(Detector(settings.sensitivity).recognisers)
    except EnvironmentFailure:
        return []


def written(value: object) -> str:
    """Return a setting's value as ``mars settings`` shows and takes it."""
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else _short(str(value))


def _short(text: str) -> str:
    """Return a duration in the largest unit that it is whole in."""
    if not text.endswith("ms") or not text[:-2].isdigit():
        return text
    milliseconds = int(text[:-2])
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)):
        if milliseconds and milliseconds % size == 0:
            return f"{milliseconds // size}{unit}"
    return text
