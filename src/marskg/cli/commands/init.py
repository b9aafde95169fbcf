"""A new store: ``mars init``.

Guarantees: never changes a tenant that exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import click

from marskg.cli.door import Command, Door, existing_file, pass_door, passphrase, shared_options
from marskg.cli.output import answer, line, note, number
from marskg.cli.setting_text import recognisers, writable
from marskg.config import SETTINGS
from marskg.errors import NotPermitted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from marskg.memory import AgentMemory


class Initialised(TypedDict):
    """What ``mars init`` answers; ``vault`` is the folder of the keys that encrypt contents, if any do."""

    store: str
    tenant: str
    created: bool
    budget: int
    policy: str
    embedding: str
    engine: str
    key_folder: str
    vault: str | None
    public_key: str
    recognisers: Sequence[str]


def _setting(option: str, name: str, **given: Any) -> Callable[[Command], Command]:  # noqa: ANN401 - click's settings
    """Return an option that sets the setting ``name``, described as the table of settings describes it."""
    setting = SETTINGS[name]
    meaning = f"{setting.meaning[0].upper()}{setting.meaning[1:]}"
    return click.option(option, help=f"{meaning}.  [default: {setting.default}]", **given)


@click.command()
@_setting("--budget", "budget", type=click.IntRange(min=1), metavar="TOKENS")
@_setting("--policy", "policy.name", metavar="NAME|FILE")
@click.option("--config", type=existing_file(), metavar="FILE", help="YAML file with settings.")
@_setting("--embedding", "embedding.model", metavar="SPEC")
@_setting("--encryption", "encryption", type=click.Choice(SETTINGS["encryption"].choices))
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
    encryption: str | None,
    key: Path | None,
    ask: bool,
) -> Initialised:
    """Create a store, a tenant in it and its signing key.

    On a tenant that exists it changes nothing: the same settings are confirmed, others are refused.
    """
    from marskg.api.opening import open as open_memory

    secret = _ask_passphrase() if ask and passphrase() is None else passphrase()
    named = {"budget": budget, "policy.name": policy, "embedding.model": embedding, "encryption": encryption}
    wanted = _wanted({name: value for name, value in named.items() if value is not None}, config)
    existing = _existing(door, secret)
    if existing is not None:
        with existing as memory:
            _confirm(door, memory, wanted, key)
            return _report(door, memory, created=False)
    with open_memory(
        door.store,
        tenant=door.tenant,
        principal=door.principal,
        budget=budget,
        policy=policy,
        config=config,
        embedding=embedding,
        encryption=encryption,
        passphrase=secret,
        key=key,
    ) as memory:
        made = _report(door, memory, created=True)
        if embedding is not None:
            _try(embedding)
    return made


def _try(embedding: str) -> None:
    """Say so where the model that was chosen does not work yet: the tenant works without it."""
    from marskg.embedding.registry import load_model
    from marskg.errors import EmbeddingUnavailable

    model = load_model(embedding)
    try:
        if model is not None:
            model.embed(["Is anybody there?"])
    except EmbeddingUnavailable as error:
        note(f"no vectors are made until this is mended: {error}; then run: mars maintenance reembed")


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
    from marskg.api.opening import open as open_memory
    from marskg.errors import InvalidInput

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

    existing = memory.settings.current
    asked = existing.with_values(writable(wanted), "mars init").encrypted_as(existing.encryption)
    if asked.embedded_by(existing.embedding.model) != existing:
        msg = (
            f"tenant {door.tenant!r} of {door.store} exists with other settings, which init does not change; "
            "change them with: mars settings NAME=VALUE"
        )
        raise NotPermitted(msg)
    secret = passphrase()
    if key is not None:
        given = load_signer(key, secret.encode() if secret else None)
        if given.public_key != memory.store.services.signer().public_key:
            msg = f"tenant {door.tenant!r} of {door.store} signs with another key than {key}; leave --key out"
            raise NotPermitted(msg)


def _report(door: Door, memory: AgentMemory, *, created: bool) -> Initialised:
    from marskg.store.crypto.encrypted_engine import keyring_folder

    settings = memory.settings.current
    keys = memory.store.keyring
    data_keys = keyring_folder(memory.store.engine)
    data: Initialised = {
        "store": door.store,
        "tenant": memory.tenant,
        "created": created,
        "budget": settings.budget,
        "policy": settings.policy.name,
        "embedding": settings.embedding.model,
        "engine": memory.store.engine.name,
        "key_folder": str(keys.folder),
        "vault": None if data_keys is None else str(data_keys),
        "public_key": memory.store.services.signer().public_key,
        "recognisers": recognisers(settings),
    }

    def show() -> None:
        what = "created" if created else "exists already, nothing was changed:"
        line(f"{what} tenant {memory.tenant!r} in {door.store} ({data['engine']})")
        line(f"budget {number(settings.budget)} tokens, policy {settings.policy.name}")
        line(f"signing key {data['public_key']} in {keys.folder}: keep a copy of that folder")
        if data_keys is not None:
            line(f"contents are encrypted under keys in {data_keys}: keep a copy of it, apart from those of the store")

    return answer(door, data, show)
