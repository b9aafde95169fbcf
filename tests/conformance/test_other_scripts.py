"""An erasure lists who is written in another script, and takes nobody for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.stores import Stores

#: Who is asked for, how another text writes them, and who is somebody else.
PEOPLE = (
    ("Maha al-Tamimi", "مها التميمي", "مروان التميمي"),
    ("王晓明", "Wang Xiaoming", "Wang Xiaohua"),
    ("Kim Seo-jin", "김서진", "김서준"),
    ("ნინო ბერიძე", "Nino Beridze", "Nana Beridze"),
    ("Yaroslav Pustovoitov", "Ярослава Пустовойтова", "Ярослава Пустоваловым"),
)


@pytest.mark.parametrize(("name", "other", "another"), PEOPLE, ids=[name for name, _, _ in PEOPLE])
def test_a_name_in_another_script_is_listed_and_not_taken(
    embedded_stores: Stores, name: str, other: str, another: str
) -> None:
    memory = embedded_stores.open(embedding__model="none")
    own = memory.remember(f"{name} rang about the roof")
    near = memory.remember(f"Letter 7: {other}, about the roof")
    memory.remember(f"Letter 8: {another}, about the lift")
    plan = memory.erase(entity=name, dry_run=True)
    assert {one.id for one in plan.near} == {near.id}
    assert plan.matched == 1
    memory.erase(entity=name)
    assert own.id not in {one.id for one in memory.memories() if one.content is not None}
    assert near.id in {one.id for one in memory.memories()}
