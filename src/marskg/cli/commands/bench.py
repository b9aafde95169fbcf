"""``mars bench NAME``: measures this machine; the benches are a distribution of their own, ``marskg-bench``.

Guarantees: a bench is found by its entry point in the group ``marskg.bench`` and loaded only when it is run.
"""

from __future__ import annotations

from importlib.metadata import entry_points

import click

from marskg.cli.door import Door, json_option, pass_door

_GROUP = "marskg.bench"


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("name")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[OPTIONS]...")
@json_option
@pass_door
def bench(door: Door, name: str, arguments: tuple[str, ...]) -> None:
    """Run the bench NAME, such as store; its OPTIONS, such as --n 10000, follow its name: mars bench store --help.

    Figures are ratios to the bare engine within one run, so that they mean the same on any machine.
    """
    benches = {found.name: found for found in entry_points(group=_GROUP)}
    if not benches:
        msg = "no bench is installed; in a checkout of marskg, install them with: pip install ./bench"
        raise click.UsageError(msg)
    if name not in benches:
        msg = f"there is no bench {name[:40]!r}; there are: {', '.join(sorted(benches))}"
        raise click.UsageError(msg)
    status = benches[name].load()([*arguments, *(["--json"] if door.as_json else [])])
    raise click.exceptions.Exit(int(status or 0))
