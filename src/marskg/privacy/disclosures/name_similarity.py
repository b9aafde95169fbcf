"""Whom a name may have meant that nobody here has: a subject is told apart by the name exactly as it is written.

Guarantees: one rule for reading, erasing and reporting, so that nobody reads, or has erased, what is about somebody of
a similar name; and who asks for everybody is not answered by silence because of a capital letter: where only similar
names are there, the call is refused and says which. For the operator and the controller alone: a subject who asks for
themselves must not learn of others.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from marskg.errors import InvalidInput
from marskg.store.rows.paging import pages
from marskg.text import as_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from marskg.records import Preference
    from marskg.store.engine.protocol import Reader

_PAGE: Final = 2_000
_SHOWN: Final = 5
_LONGEST: Final = 60


def refuse_near(
    read: Reader,
    tenant: str,
    name: str,
    preferences: Iterable[Preference],
    *,
    handle: Callable[[str, str], str],
    done: str,
) -> None:
    """Refuse a subject ``name`` whom nothing is about, was or may be, where a similar one is there.

    Args:
        read: runs a named statement.
        tenant: whose memories are meant.
        name: the subject, as it was given.
        preferences: all that the tenant has; they have subjects too.
        handle: makes the store's keyed handles.
        done: what is to be done with the subject, as the message has it.

    Raises:
        InvalidInput: it names the similar ones.
    """
    about = partial(read, "about_subject")
    if next(pages(about, tenant, 1, subject=name, handle=handle(tenant, name)), None):
        return
    names = {item.data_subject for item in preferences if item.data_subject is not None}
    if name in names:
        return
    for page in pages(partial(read, "subjects_page"), tenant, _PAGE):
        names.update(other for row in page for other in row["subjects"] or ())
    wanted = as_name(name)
    near = sorted(other for other in names if as_name(other) == wanted)
    if near:
        shown = ", ".join(repr(other[:_LONGEST]) for other in near[:_SHOWN])
        msg = (
            f"nobody is called {name[:_LONGEST]!r} here, and a subject is {done} by the name exactly as it is written; "
            f"there is {shown}{', …' if len(near) > _SHOWN else ''}: give the name so"
        )
        raise InvalidInput(msg)
