"""People, places and things: ``mars entities`` lists them and corrects by hand what was found.

Guarantees: each command is one signed change, or none; no content of a memory changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import click

from marskg.cli.commands.remember import show_stored, words
from marskg.cli.door import Door, pass_door, shared_options
from marskg.cli.operation_commands import NamespaceGroup
from marskg.cli.output import answer, line, one_line, show_table, table
from marskg.cli.values import MEMORY_ID, text_argument
from marskg.entities import EntityType
from marskg.ontology.vocabulary import ENTITY_EDGES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from marskg.api.namespaces.entities_namespace import Entities
    from marskg.records import Entity, Memory


class EntityList(TypedDict):
    """What ``mars entities`` answers."""

    entities: Sequence[Entity]


class ChangedEntity(TypedDict):
    """What a correction of an entity answers: the entity as it is now."""

    entity: Entity


_RELATIONS = sorted(ENTITY_EDGES)
_UNKNOWN = "none"


@click.group(cls=NamespaceGroup, invoke_without_command=True)
@shared_options
@click.pass_context
def entities(context: click.Context) -> EntityList | None:
    """People, places and things that memories mention.

    Lists them; its commands correct by hand what was found.
    """
    return context.invoke(list_) if context.invoked_subcommand is None else None


@entities.command("list")
@shared_options
@pass_door
def list_(door: Door) -> EntityList:
    """List the people, places and things that memories mention."""
    with door.memory() as memory:
        found = sorted(memory.entities.list(), key=lambda item: (item.name.casefold(), item.id))

    def show() -> None:
        made = table("name", "type", "aliases", "id", whole=("id",))
        for item in found:
            made.add_row(one_line(item.name), item.entity_type or "", one_line(", ".join(item.aliases)), item.id)
        show_table(made)

    return answer(door, EntityList(entities=found), show)


def _changed(door: Door, change: Callable[[Entities], Entity]) -> ChangedEntity:
    with door.memory() as memory:
        found = change(memory.entities)
    aliases = f" ({one_line(', '.join(found.aliases))})" if found.aliases else ""
    return answer(
        door,
        ChangedEntity(entity=found),
        lambda: line(f"{found.id}  {one_line(found.name)}{aliases}, {found.entity_type or 'of no known type'}"),
    )


@entities.command()
@click.argument("id", type=MEMORY_ID)
@text_argument("name")
@shared_options
@pass_door
def rename(door: Door, id: str, name: str) -> ChangedEntity:  # noqa: A002 - the name that users see
    """Give the entity ID another NAME; the old one stays as an alias.

    A NAME that begins with a dash comes last, after --.
    """
    return _changed(door, lambda known: known.rename(id, name))


@entities.command()
@click.argument("id", type=MEMORY_ID)
@text_argument("name")
@click.option("--remove", is_flag=True, help="Take the alias away.")
@shared_options
@pass_door
def alias(door: Door, id: str, name: str, *, remove: bool) -> ChangedEntity:  # noqa: A002 - the name that users see
    """Let the entity ID be found by NAME as well.

    A NAME that begins with a dash comes last, after --.
    """
    return _changed(door, lambda known: (known.remove_alias if remove else known.add_alias)(id, name))


@entities.command("type")
@click.argument("id", type=MEMORY_ID)
@click.argument("type", type=click.Choice([*words(EntityType).choices, _UNKNOWN]))
@shared_options
@pass_door
def retype(door: Door, id: str, type: str) -> ChangedEntity:  # noqa: A002 - the names that users see
    """Say what the entity ID is."""
    return _changed(door, lambda known: known.retype(id, None if type == _UNKNOWN else type))


@entities.command()
@click.argument("keep", type=MEMORY_ID)
@click.argument("other", type=MEMORY_ID)
@shared_options
@pass_door
def merge(door: Door, keep: str, other: str) -> ChangedEntity:
    """Let the entity KEEP take over names, mentions and relations of OTHER, which goes."""
    return _changed(door, lambda known: known.merge(keep, other))


@entities.command()
@click.argument("memory_id", metavar="MEMORY", type=MEMORY_ID)
@text_argument("name")
@shared_options
@pass_door
def mention(door: Door, memory_id: str, name: str) -> ChangedEntity:
    """Say that MEMORY mentions the entity NAME, an id or IRI of it; it is made where none has the name.

    A NAME that begins with a dash comes last, after --.
    """
    return _changed(door, lambda known: known.mention(memory_id, name))


@entities.command()
@click.argument("memory_id", metavar="MEMORY", type=MEMORY_ID)
@click.argument("id", type=MEMORY_ID)
@shared_options
@pass_door
def unmention(door: Door, memory_id: str, id: str) -> Memory:  # noqa: A002 - the name that users see
    """Say that MEMORY does not mention the entity ID; with its last mention the entity goes."""
    with door.memory() as memory:
        return show_stored(door, memory, memory.entities.unmention(memory_id, id))


@entities.command()
@click.argument("source", type=MEMORY_ID)
@click.argument("type", type=click.Choice(_RELATIONS))
@click.argument("target", type=MEMORY_ID)
@click.option("--remove", is_flag=True, help="Take the edge away.")
@shared_options
@pass_door
def relate(door: Door, source: str, type: str, target: str, *, remove: bool) -> ChangedEntity:  # noqa: A002 - as users see it
    """Draw an edge of TYPE from the entity SOURCE to the entity TARGET."""
    return _changed(door, lambda known: (known.unrelate if remove else known.relate)(source, type, target))
