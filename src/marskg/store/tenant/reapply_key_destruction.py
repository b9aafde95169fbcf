"""What is under destroyed keys in a store that was put back from before an erasure goes once more, when it is opened.

Guarantees: the first to open an encrypted tenant whose log is shorter than it was when a key was last destroyed erases
all that is under destroyed keys, with its dependents, in one transaction with a signed record; from then on every
operation works. What cannot be read for another reason, a keyring that is older than the store, is left: nothing tells
whether somebody wanted it to go. Who was erased is not known any more, so no digest keeps them from being stored again.
Source: semantics section 5, ADR 29.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from marskg.store.crypto.encrypted_engine import custody_of
from marskg.store.graph.erase import erase, unmention
from marskg.store.rows import codec
from marskg.store.statements.catalogue import statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from marskg.store.commit.writer import Writer
    from marskg.store.unit.unit_of_work import Unit

_WORDS: Final = 1000


def erase_again(writer: Writer) -> None:
    """Erase what is under destroyed keys, if the store is older than their destruction."""
    custody = custody_of(writer.engine)
    if custody is None or writer.state.sequence >= custody.keyring.reached:
        return
    memories = list(custody.bereft("memories_page", "read_memories"))
    entities = list(custody.bereft("entities_page", "load_entities"))
    preferences = list(custody.bereft("preferences_page", "read_preferences"))
    if memories or entities or preferences:
        with custody.as_if_empty():
            writer.run(partial(_take, memories=memories, entities=entities, preferences=preferences))
            writer.forget_cache()
        for entity_id in entities:
            _drop_words(writer, entity_id)
    custody.keyring.note_reached(writer.state.sequence)


def _take(unit: Unit, *, memories: Sequence[str], entities: Sequence[str], preferences: Sequence[str]) -> None:
    for entity_id in entities:
        unmention(unit, entity_id, set(memories))
    erase(unit, memories, entities, preferences=preferences, parameters=("erasure.by=restore",))


def _drop_words(writer: Writer, entity_id: str) -> None:
    """Remove the digests of the words of a name: without the name they cannot be told one by one."""
    low = f"{codec.ref(writer.tenant, entity_id)}|"
    span = {"low": low, "high": f"{low[:-1]}}}", "limit": _WORDS}
    while writer.engine.write(statement("clear", writer.engine.name, label="EntityWord"), span)[0]["removed"]:
        pass
