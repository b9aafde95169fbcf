"""What differential privacy has cost a tenant so far: one account for all of it, and one for each conversation.

Guarantees: an account only ever grows, but for a conversation that is erased; amounts are integers of 1e-9 epsilon, so
that sums are exact; conversations are known by keyed digests, never by name. Losses add up (basic composition, which
holds however later choices depend on earlier ones). Equal accounts have equal JSON. Source: semantics section 11.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

#: The name of what a tenant's row keeps of its account.
CONTROL: Final = "privacy"
#: An epsilon of 1.
NANO: Final = 1_000_000_000
_DOMAIN: Final = "conversation"
#: What the digest of the key itself is made of: no conversation has an empty name.
_NOBODY: Final = ""


def digest_of(handle: Callable[[str, str], str], tenant: str, session: str) -> str:
    """Return the digest by which a tenant's account knows a conversation; ``handle`` makes keyed handles."""
    return handle(f"|{_DOMAIN}|{tenant}", session)


@runtime_checkable
class ConversationKeys(Protocol):
    """A view that knows conversations by keyed digests."""

    def conversation(self, session: str) -> str:
        """Return the digest of a conversation's name, equal for equal names, meaningless without the secret."""
        ...


@dataclass(frozen=True, slots=True)
class Account:
    """One tenant's account; amounts in 1e-9 epsilon, already scaled for groups.

    ``conversations`` by their digests under the key whose own digest is ``key``; ``least`` is what a conversation that
    is not among them has spent at least, where the account came from a store with another key. ``choices`` counts what
    was chosen with noise, ``uniform`` what was drawn without looking at any score.
    """

    spent: int = 0
    conversations: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    key: str = ""
    least: int = 0
    choices: int = 0
    uniform: int = 0

    @classmethod
    def of(cls, controls: Mapping[str, str], keys: ConversationKeys) -> Account:
        """Return the account that a tenant's row keeps, an empty one where it keeps none."""
        return _read(controls).under(keys)

    def under(self, keys: ConversationKeys) -> Account:
        """Return the account with the conversations that ``keys`` can tell: where the key is another one, none.

        Each conversation then counts as having spent what the one did that had spent most.
        """
        key = keys.conversation(_NOBODY)
        return self if key == self.key else self.folded(key)

    def of_conversation(self, digest: str) -> int:
        """Return what a conversation has spent."""
        return self.conversations.get(digest, self.least)

    def charged(self, amount: int, choices: int, conversations: Iterable[str]) -> Account:
        """Return the account after ``choices`` that cost ``amount`` and looked at ``conversations``."""
        changed = {digest: self.of_conversation(digest) + amount for digest in conversations}
        return replace(
            self,
            spent=self.spent + amount,
            choices=self.choices + choices,
            conversations=MappingProxyType({**self.conversations, **changed}),
        )

    def drawn(self, choices: int) -> Account:
        """Return the account after ``choices`` that looked at nothing."""
        return replace(self, uniform=self.uniform + choices)

    def without(self, digest: str) -> Account:
        """Return the account without a conversation, which was erased; what the tenant spent stays."""
        kept = {known: spent for known, spent in self.conversations.items() if known != digest}
        return replace(self, conversations=MappingProxyType(kept))

    def merged(self, other: Account) -> Account:
        """Return the higher of two accounts in each of their amounts.

        Where ``other`` is of another key, nobody can tell its conversations: each counts as the highest of them.
        """
        if other.key not in {"", self.key}:
            other = other.folded(self.key)
        digests = {*self.conversations, *other.conversations}
        both = {one: max(self.of_conversation(one), other.of_conversation(one)) for one in digests}
        return Account(
            spent=max(self.spent, other.spent),
            conversations=MappingProxyType(both),
            key=self.key,
            least=max(self.least, other.least),
            choices=max(self.choices, other.choices),
            uniform=max(self.uniform, other.uniform),
        )

    def folded(self, key: str) -> Account:
        """Return the account under another key: its conversations cannot be told any more."""
        least = max((self.least, *self.conversations.values()))
        return replace(self, key=key, conversations=MappingProxyType({}), least=least)

    def to_json(self) -> str:
        """Return the account as canonical JSON."""
        found: dict[str, Any] = {
            "choices": self.choices,
            "conversations": dict(self.conversations),
            "key": self.key,
            "least": self.least,
            "spent": self.spent,
            "uniform": self.uniform,
        }
        return json.dumps(found, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Account:
        """Return the account that :meth:`to_json` wrote."""
        found = json.loads(text)
        return cls(**{**found, "conversations": MappingProxyType(found["conversations"])})


def _read(controls: Mapping[str, str]) -> Account:
    text = controls.get(CONTROL)
    return Account() if text is None else Account.from_json(text)


def never_less(controls: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    """Return ``controls`` with the higher of the accounts of both; ``others`` are of this store, and its key."""
    if CONTROL not in controls and CONTROL not in others:
        return dict(controls)
    return {**controls, CONTROL: _read(others).merged(_read(controls)).to_json()}


def without_conversation(controls: Mapping[str, str], digest: str) -> dict[str, str]:
    """Return ``controls`` whose account no longer has a conversation."""
    if CONTROL not in controls:
        return dict(controls)
    return {**controls, CONTROL: _read(controls).without(digest).to_json()}
