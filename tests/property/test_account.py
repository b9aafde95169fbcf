"""The account of differential privacy: sums are exact, nothing but an erasure lowers it, and no key is confused."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from marskg.store.rows.privacy_budget import CONTROL, Account, never_less, without_conversation

DIGESTS = st.sampled_from(["a", "b", "c", "d"])
AMOUNTS = st.integers(0, 10**12)


@dataclass(frozen=True)
class Keys:
    """Digests under a secret."""

    secret: str

    def conversation(self, session: str) -> str:
        return f"{self.secret}:{session}"


ACCOUNTS = st.builds(
    Account,
    spent=AMOUNTS,
    conversations=st.dictionaries(DIGESTS, AMOUNTS),
    key=st.sampled_from(["", "k", "l"]),
    least=AMOUNTS,
    choices=AMOUNTS,
    uniform=AMOUNTS,
)


@given(ACCOUNTS)
def test_an_account_comes_back_from_its_json_and_equal_ones_have_equal_json(account: Account) -> None:
    again = Account.from_json(account.to_json())
    assert again == account
    turned = Account.from_json(account.to_json())
    assert turned.to_json() == account.to_json()


@given(ACCOUNTS, st.lists(st.tuples(AMOUNTS, st.integers(1, 9), st.sets(DIGESTS)), max_size=6))
def test_charges_add_up_for_the_tenant_and_for_each_conversation(
    account: Account, charges: list[tuple[int, int, set[str]]]
) -> None:
    after = account
    for amount, choices, digests in charges:
        after = after.charged(amount, choices, digests)
    assert after.spent == account.spent + sum(amount for amount, _, _ in charges)
    assert after.choices == account.choices + sum(choices for _, choices, _ in charges)
    for digest in "abcd":
        paid = sum(amount for amount, _, digests in charges if digest in digests)
        assert after.of_conversation(digest) == account.of_conversation(digest) + paid


@given(ACCOUNTS, ACCOUNTS, DIGESTS)
def test_of_two_accounts_nothing_is_less_than_in_either(mine: Account, other: Account, digest: str) -> None:
    both = mine.merged(other)
    assert both.spent >= max(mine.spent, other.spent)
    assert both.choices >= max(mine.choices, other.choices)
    assert both.uniform >= max(mine.uniform, other.uniform)
    assert both.of_conversation(digest) >= mine.of_conversation(digest)
    if other.key in {"", mine.key}:
        assert both.of_conversation(digest) >= other.of_conversation(digest)
    else:
        # Nobody can tell its conversations: any of them may be the one that spent most.
        assert both.of_conversation(digest) >= max(other.conversations.values(), default=0)
    assert both.merged(other) == both
    assert mine.merged(mine) == mine


@given(ACCOUNTS, st.text(max_size=5))
def test_under_another_key_every_conversation_has_spent_what_the_highest_did(account: Account, session: str) -> None:
    keys = Keys("new")
    moved = account.under(keys)
    highest = max([account.least, *account.conversations.values()])
    assert moved.of_conversation(keys.conversation(session)) == highest
    assert moved.spent == account.spent
    assert moved.under(keys) == moved


@given(ACCOUNTS, ACCOUNTS)
def test_a_restored_row_never_says_less(snapshot: Account, stored: Account) -> None:
    kept = never_less({CONTROL: snapshot.to_json(), "other": "1"}, {CONTROL: stored.to_json(), "third": "2"})
    assert kept["other"] == "1"
    assert "third" not in kept
    found = Account.from_json(kept[CONTROL])
    assert found.spent == max(snapshot.spent, stored.spent)
    for digest in stored.conversations:
        assert found.of_conversation(digest) >= stored.of_conversation(digest)


def test_without_any_account_none_is_made() -> None:
    assert never_less({"other": "1"}, {}) == {"other": "1"}
    assert without_conversation({"other": "1"}, "a") == {"other": "1"}


@given(ACCOUNTS, DIGESTS)
def test_an_erased_conversation_leaves_no_digest_and_the_tenant_keeps_what_it_spent(
    account: Account, digest: str
) -> None:
    found = Account.from_json(without_conversation({CONTROL: account.to_json()}, digest)[CONTROL])
    assert digest not in found.conversations
    assert found.spent == account.spent
    assert {one: found.conversations[one] for one in found.conversations} == {
        one: spent for one, spent in account.conversations.items() if one != digest
    }
