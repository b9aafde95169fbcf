"""The Merkle tree against the RFC's own recursive definition, and proofs against every change of a bit."""

from __future__ import annotations

import hashlib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from marskg.audit import merkle

SIZES = st.integers(1, 70)


def leaves(size: int) -> list[bytes]:
    return [merkle.leaf_hash(number.to_bytes(2, "big")) for number in range(size)]


def tree_hash(hashes: list[bytes]) -> bytes:
    """MTH of RFC 9162 section 2.1.1, word for word, over leaf hashes."""
    if not hashes:
        return hashlib.sha256(b"").digest()
    if len(hashes) == 1:
        return hashes[0]
    k = 1
    while k * 2 < len(hashes):
        k *= 2
    return hashlib.sha256(b"\x01" + tree_hash(hashes[:k]) + tree_hash(hashes[k:])).digest()


@given(st.integers(0, 70), st.data())
def test_root_is_the_recursive_tree_hash_however_the_frontier_is_taken_up(size: int, data: st.DataObject) -> None:
    given_leaves = leaves(size)
    tree = merkle.CompactRange()
    for number, leaf in enumerate(given_leaves):
        tree.append(leaf)
        if data.draw(st.booleans()):
            tree = merkle.CompactRange.from_hex(number + 1, tree.to_hex())
    assert tree.root() == tree_hash(given_leaves) == merkle.root_hash(given_leaves)


@given(SIZES, st.data())
def test_inclusion_proofs_hold_for_their_leaf_alone(size: int, data: st.DataObject) -> None:
    given_leaves = leaves(size)
    index = data.draw(st.integers(0, size - 1))
    fact: dict[str, Any] = {
        "leaf": given_leaves[index],
        "index": index,
        "size": size,
        "root": tree_hash(given_leaves),
        "proof": merkle.inclusion_proof(given_leaves, index),
    }
    assert merkle.verify_inclusion(**fact)
    for name, value in changes(fact, data):
        assert not merkle.verify_inclusion(**{**fact, name: value}), name


@given(SIZES, st.data())
def test_consistency_proofs_hold_for_their_prefix_alone(size: int, data: st.DataObject) -> None:
    given_leaves = leaves(size)
    first = data.draw(st.integers(1, size))
    fact: dict[str, Any] = {
        "first": first,
        "second": size,
        "first_root": tree_hash(given_leaves[:first]),
        "second_root": tree_hash(given_leaves),
        "proof": merkle.consistency_proof(given_leaves, first),
    }
    assert merkle.verify_consistency(**fact)
    for name, value in changes(fact, data):
        assert not merkle.verify_consistency(**{**fact, name: value}), name


def changes(fact: dict[str, Any], data: st.DataObject) -> list[tuple[str, object]]:
    """Return each hash with a bit flipped, and proofs with a hash more or less."""
    found: list[tuple[str, object]] = []
    for name, value in fact.items():
        if isinstance(value, bytes):
            found.append((name, flipped(value, data)))
        elif isinstance(value, list):
            found += [(name, [*value, bytes(32)]), (name, [bytes(32), *value])]
            found += [(name, value[:-1])] if value else []
            for position in range(len(value)):
                found.append((name, [*value[:position], flipped(value[position], data), *value[position + 1 :]]))
    return found


def flipped(value: bytes, data: st.DataObject) -> bytes:
    bit = data.draw(st.integers(0, len(value) * 8 - 1))
    return (int.from_bytes(value, "big") ^ 1 << bit).to_bytes(len(value), "big")
