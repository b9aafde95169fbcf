"""What an import knows again: an item that came before, whatever became of it since.

Guarantees: the id of an item follows from what it is (``Draft.identity``) under the store's secret, so that the same
item is the same memory, and whoever has no secret learns nothing from the id; an item that left no node behind, as it
was merged, was an action, or is gone down to its tombstone, leaves a keyed digest of its id in its place: no text, no
time and no name. What had its content until it was erased leaves none: that is for the suppression of texts. The
digests stand among the tenant's suppressions, but a tenant that is put back as it was knows what it knew then.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from marskg.clock import is_uuid8, uuid8
from marskg.store.rows import codec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.store.engine.protocol import Reader
    from marskg.store.rows.state import Services

#: Between the tenant and the digest, which other suppressions have nothing between.
_MARK: Final = "|item|"


def item_id(services: Services, tenant: str, identity: str) -> str:
    """Return the id of what an import knows by ``identity``."""
    # No tenant's name has a bar, so no handle of a subject is ever one of these.
    return uuid8(services.handle(f"|turn|{tenant}", identity))


def marks_of(services: Services, tenant: str, ids: Iterable[str]) -> dict[str, str]:
    """Return the digests that items among ``ids`` leave which have no node, each with the id that it stands for."""
    handle = partial(services.handle, f"|item|{tenant}")
    return {f"{tenant}{_MARK}{handle(one)}": one for one in ids if is_uuid8(one)}


def is_mark(ref: str) -> bool:
    """Return whether a reference among a tenant's suppressions is of an item."""
    return _MARK in ref


def marked(read: Reader, services: Services, tenant: str, ids: Iterable[str]) -> set[str]:
    """Return those of ``ids``, of items, that came before and have no node."""
    marks = marks_of(services, tenant, ids)
    return {marks[str(row["ref"])] for row in read("suppressed", {"refs": sorted(marks)})} if marks else set()


def came_before(read: Reader, services: Services, tenant: str, ids: Iterable[str]) -> set[str]:
    """Return those of ``ids``, of items, that came before: they are there in any tier, or gone."""
    wanted = sorted(ids)
    there = read("existing", {"refs": [codec.ref(tenant, one) for one in wanted]}) if wanted else []
    return {str(row["id"]) for row in there} | marked(read, services, tenant, wanted)
