"""``mars bench NAME``: measures this machine; the benches are in :mod:`marskg.bench`, one module each.

Guarantees: the benches, which no other command needs, are loaded only here.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules

import click

from marskg.cli.door import Door, json_option, pass_door

_PACKAGE = "marskg.bench"


def _names() -> list[str]:
    """Return the benches that there are: the modules with a ``main`` that are not private."""
    spec = find_spec(_PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return sorted(found.name for found in iter_modules(places) if not found.name.startswith("_"))


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("name")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[OPTIONS]...")
@json_option
@pass_door
def bench(door: Door, name: str, arguments: tuple[str, ...]) -> None:
    """Run the bench NAME, such as store; its OPTIONS, such as --n 10000, follow its name: mars bench store --help.

    Figures are ratios to the bare engine within one run, so that they mean the same on any machine.
    """
    module = import_module(f"{_PACKAGE}.{name}") if name in _names() else None
    run = getattr(module, "main", None)
    if run is None:
        msg = f"there is no bench {name[:40]!r}; there are: {', '.join(_names()) or 'none'}"
        raise click.UsageError(msg)
    status = run([*arguments, *(["--json"] if door.as_json else [])])
    raise click.exceptions.Exit(int(status or 0))
