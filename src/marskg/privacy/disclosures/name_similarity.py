"""Whom a name may have meant that nobody here has: a subject is told apart by the name as it is written.

Guarantees: one rule for erasing and reporting, so that nobody has erased, or is told, what is about somebody of a
similar name; and who asks for everybody is not answered by silence because of a capital letter: where only similar
names are there, the call is refused and says which. A spelling that is canonically or compatibly equal is the name
(Unicode UAX 15). For the operator and the controller alone: a subject who asks for themselves must not learn of others.
"""

from __future__ import annotations

import unicodedata
from functools import partial
from typing import TYPE_CHECKING, Final

from marskg.errors import InvalidInput
from marskg.language.naming.spellings import bare_form, loose_form, name_form
from marskg.store.rows.paging import pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from marskg.records import Preference
    from marskg.store.engine.protocol import Reader

_PAGE: Final = 2_000
_SHOWN: Final = 5
_LONGEST: Final = 60


def subject_meant(
    read: Reader,
    tenant: str,
    name: str,
    preferences: Iterable[Preference],
    *,
    handle: Callable[[str, str], str],
    done: str,
) -> str:
    """Return the subject that ``name`` means, as it is stored: ``name``, or the one spelling that is equal to it.

    Args:
        read: runs a named statement.
        tenant: whose memories are meant.
        name: the subject, as it was given.
        preferences: all that the tenant has; they have subjects too.
        handle: makes the store's keyed handles.
        done: what is to be done with the subject, as the message has it.

    Raises:
        InvalidInput: nothing is about that name, was or may be, and something about similar ones, which it names.
    """
    about = partial(read, "about_subject")
    if next(pages(about, tenant, 1, subject=name, handle=handle(tenant, name)), None):
        return name
    names = {item.data_subject for item in preferences if item.data_subject is not None}
    if name in names:
        return name
    names |= subjects_of(read, tenant)
    form = unicodedata.normalize("NFKC", name)
    same = [other for other in names if unicodedata.normalize("NFKC", other) == form]
    if len(same) == 1:
        return same[0]
    wanted = _plainest(name)
    near = sorted(other for other in names if _plainest(other) == wanted)
    if near:
        shown = ", ".join(repr(other[:_LONGEST]) for other in near[:_SHOWN])
        msg = (
            f"nobody is called {name[:_LONGEST]!r} here, and a subject is {done} by the name exactly as it is written; "
            f"there is {shown}{', …' if len(near) > _SHOWN else ''}: give the name so"
        )
        raise InvalidInput(msg)
    return name


def subjects_of(read: Reader, tenant: str) -> set[str]:
    """Return whom memories of a tenant are about; O(memories)."""
    rows = (row for page in pages(partial(read, "subjects_page"), tenant, _PAGE) for row in page)
    return {name for row in rows for name in row["subjects"] or ()}


def _plainest(name: str) -> str:
    return loose_form(bare_form(name_form(name)))
