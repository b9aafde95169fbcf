"""The digests of the texts that were erased, and finding such a text in another one.

Guarantees: a digest is HMAC-SHA256 under the store's secret over tenant, scope and form
(:mod:`marskg.language.text_forms`), so it says nothing without the secret, and nothing about another tenant. Beside it
stand how many signs the form has and eight bits of a digest of its first ones, by which a longer text's candidates are
taken: to look costs a digest for each word of that text, and hardly more up to some thousand erased texts. A tenant of
which nothing was erased reads none.
Source: semantics section 5; docs/adr/0090-every-text.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final
from zlib import crc32

from marskg.language.text_forms import HEAD
from marskg.late_regex import late_regex
from marskg.store.rows.paging import pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from marskg.language.text_forms import Form
    from marskg.store.engine.protocol import Reader
    from marskg.store.rows.state import TenantState

#: Between the tenant and the rest, which other suppressions have nothing or something else between.
_MARK: Final = "|text|"
_REFERENCE: Final = late_regex(r"(?P<tag>[0-9a-f]{2})\.(?P<length>[0-9]{1,9})\.(?P<digest>[\w-]+)", re.ASCII)
#: How many heads there are: what is kept of one is no recogniser of it.
_HEADS: Final = 256
_PAGE: Final = 2_000
#: Signs that are digested to look through a text: so many, and so many for each of its own.
_FREE: Final = 4_000_000
_ROUNDS: Final = 64


@dataclass(frozen=True, slots=True)
class Searched:
    """One wording of a text: its signs, where in it a text may end, and where one may begin that begins alike."""

    signs: str
    ends: frozenset[int]
    heads: Mapping[str, Sequence[int]]


class FormDigests:
    """Makes the digests of texts of one tenant."""

    def __init__(self, handle: Callable[[str, str], str], tenant: str) -> None:
        """Use the store's secret through ``handle``."""
        self._handle = handle
        self._tenant = tenant

    def reference(self, signs: str, scope: str) -> str:
        """Return what is kept of an erased text of the form ``signs``."""
        return f"{self._tenant}{_MARK}{self._tag(signs[:HEAD])}.{len(signs)}.{self.digest(signs, scope)}"

    def digest(self, signs: str, scope: str) -> str:
        """Return the digest of a form in a scope."""
        # No tenant's name has a bar, so no handle of a subject is ever one of these.
        return self._handle(f"|text|{self._tenant}", f"{scope}\x1e{signs}")

    def searched(self, form: Form) -> Searched:
        """Return a wording as it is looked through; it takes some time if the text is long."""
        tags: dict[str, str] = {}
        heads: dict[str, list[int]] = {}
        for start in form.starts:
            head = form.signs[start : start + HEAD]
            tag = tags.get(head)
            if tag is None:
                tag = tags[head] = self._tag(head)
            heads.setdefault(tag, []).append(start)
        return Searched(form.signs, form.ends, heads)

    def _tag(self, head: str) -> str:
        return f"{crc32(self._handle(f'|head|{self._tenant}', head).encode()) % _HEADS:02x}"


class ErasedTexts:
    """All digests of erased texts that a tenant has."""

    def __init__(self, references: Iterable[str]) -> None:
        """Take those of ``references`` that are of texts."""
        self._by_tag: dict[str, dict[int, set[str]]] = {}
        for reference in references:
            match = _REFERENCE.fullmatch(reference.partition(_MARK)[2])
            if match is not None:
                self._by_tag.setdefault(match["tag"], {}).setdefault(int(match["length"]), set()).add(match["digest"])

    def __bool__(self) -> bool:
        """Return whether any text was erased."""
        return bool(self._by_tag)

    def in_any(self, wordings: Iterable[Searched], digests: FormDigests, scopes: Sequence[str]) -> bool:
        """Return whether an erased text stands in one of ``wordings``, in one of ``scopes``."""
        return any(self._stands_in(one, digests, scopes) for one in wordings)

    def _stands_in(self, one: Searched, digests: FormDigests, scopes: Sequence[str]) -> bool:
        left = _FREE + _ROUNDS * len(one.signs)
        for tag in self._by_tag.keys() & one.heads.keys():
            for length, wanted in self._by_tag[tag].items():
                for start in one.heads[tag]:
                    if start + length in one.ends:
                        left -= length
                        if left < 0:
                            # Of words that repeat themselves without end: nobody is to wait for that.
                            return False
                        signs = one.signs[start : start + length]
                        if any(digests.digest(signs, scope) in wanted for scope in scopes):
                            return True
        return False


class ErasedTextsCache:
    """Keeps a tenant's digests of erased texts between units, for as long as none comes."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        self._held: tuple[tuple[str, int], ErasedTexts] | None = None

    def of(self, read: Reader, state: TenantState) -> ErasedTexts:
        """Return the digests of a tenant as its row says that it is; one that erased nothing costs nothing."""
        if not state.suppressing:
            return NONE
        age = (state.line, state.texts_erased)
        held = self._held
        if held is None or held[0] != age:
            where = f"{state.name}{_MARK[:-1]}"
            found = pages(partial(read, "suppressions_page"), where, _PAGE)
            held = self._held = (age, ErasedTexts(str(row["ref"]) for page in found for row in page))
        return held[1]


NONE: Final = ErasedTexts(())
