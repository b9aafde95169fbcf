"""The Merkle tree of RFC 9162 (Certificate Transparency 2.0), as RFC 6962 defined it, over SHA-256.

Guarantees: pure functions of bytes, no state but the frontier of :class:`CompactRange`; proofs are bit for bit those
of the RFC; a verifier accepts a proof only if every element of it was used and nothing was missing.
Sources: RFC 9162 sections 2.1.1 (tree hash), 2.1.3 (inclusion), 2.1.4 (consistency).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Length of every hash here.
HASH_SIZE = 32

#: RFC 9162 section 2.1.1: leaves and inner nodes are hashed under different prefixes against second preimages.
_LEAF = b"\x00"
_NODE = b"\x01"


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf: SHA-256(0x00 || data) (RFC 9162 section 2.1.1)."""
    return hashlib.sha256(_LEAF + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node: SHA-256(0x01 || left || right) (RFC 9162 section 2.1.1)."""
    return hashlib.sha256(_NODE + left + right).digest()


def empty_root() -> bytes:
    """Return the root of the tree without leaves: SHA-256 of nothing (RFC 9162 section 2.1.1)."""
    return hashlib.sha256().digest()


class CompactRange:
    """The frontier of a growing tree: the roots of its perfect subtrees, largest (leftmost) first.

    RFC 9162 section 2.1.2 calls it the stack. It holds one hash for each bit set in ``size``, so that appending and
    taking the root cost O(log size) without the leaves.
    """

    __slots__ = ("nodes", "size")

    def __init__(self, size: int = 0, nodes: Iterable[bytes] = ()) -> None:
        """Take up a frontier of ``size`` leaves.

        Raises:
            ValueError: the number or length of ``nodes`` does not fit ``size``.
        """
        self.size = size
        self.nodes = list(nodes)
        if size < 0 or len(self.nodes) != size.bit_count() or any(len(node) != HASH_SIZE for node in self.nodes):
            msg = f"a frontier of {size} leaves has {max(size, 0).bit_count()} hashes of {HASH_SIZE} bytes each"
            raise ValueError(msg)

    @classmethod
    def from_hex(cls, size: int, nodes: Iterable[str]) -> CompactRange:
        """Return the frontier that :meth:`to_hex` wrote.

        Raises:
            ValueError: ``nodes`` is not hexadecimal or does not fit ``size``.
        """
        return cls(size, [bytes.fromhex(node) for node in nodes])

    def to_hex(self) -> list[str]:
        """Return the frontier's hashes in hexadecimal, largest subtree first."""
        return [node.hex() for node in self.nodes]

    def copy(self) -> CompactRange:
        """Return a frontier that grows on its own."""
        return CompactRange(self.size, self.nodes)

    def append(self, leaf: bytes) -> None:
        """Add one leaf hash (RFC 9162 section 2.1.2: merge while the lowest bits of the old size are set)."""
        size = self.size
        nodes = self.nodes
        while size & 1:
            leaf = node_hash(nodes.pop(), leaf)
            size >>= 1
        nodes.append(leaf)
        self.size += 1

    def root(self) -> bytes:
        """Return the tree's root hash (RFC 9162 section 2.1.2: fold the stack from the right)."""
        if not self.nodes:
            return empty_root()
        *rest, root = self.nodes
        for node in reversed(rest):
            root = node_hash(node, root)
        return root


def root_hash(leaves: Iterable[bytes]) -> bytes:
    """Return the root of the tree over ``leaves``, which are leaf hashes (RFC 9162 section 2.1.1)."""
    tree = CompactRange()
    for leaf in leaves:
        tree.append(leaf)
    return tree.root()


def inclusion_proof(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """Return PATH(index, leaves) for leaf hashes, lowest sibling first (RFC 9162 section 2.1.3.1).

    Raises:
        ValueError: there is no leaf ``index``.
    """
    if not 0 <= index < len(leaves):
        msg = f"leaf {index} is outside a tree of {len(leaves)} leaves"
        raise ValueError(msg)
    path: list[bytes] = []
    low, high = 0, len(leaves)
    while high - low > 1:
        middle = low + _split(high - low)
        if index < middle:
            path.append(root_hash(leaves[middle:high]))
            high = middle
        else:
            path.append(root_hash(leaves[low:middle]))
            low = middle
    return path[::-1]


def consistency_proof(leaves: Sequence[bytes], first: int) -> list[bytes]:
    """Return PROOF(first, leaves) that the first ``first`` leaves are a prefix (RFC 9162 section 2.1.4.1).

    Raises:
        ValueError: ``first`` is not between 1 and the tree's size.
    """
    if not 0 < first <= len(leaves):
        msg = f"a tree of {first} leaves is no prefix of one of {len(leaves)}; give 1 to {len(leaves)}"
        raise ValueError(msg)
    proof: list[bytes] = []
    low, high = 0, len(leaves)
    while first != high:
        middle = low + _split(high - low)
        if first <= middle:
            proof.append(root_hash(leaves[middle:high]))
            high = middle
        else:
            proof.append(root_hash(leaves[low:middle]))
            low = middle
    if low > 0:  # the verifier knows the old root itself only where it is a whole subtree from the left edge
        proof.append(root_hash(leaves[low:high]))
    return proof[::-1]


def verify_inclusion(*, leaf: bytes, index: int, size: int, root: bytes, proof: Sequence[bytes]) -> bool:
    """Return whether ``proof`` shows leaf hash ``leaf`` at ``index`` under ``root`` (RFC 9162 section 2.1.3.2)."""
    if not 0 <= index < size or not _are_hashes(leaf, root, *proof):
        return False
    position, last, computed = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if position & 1 or position == last:
            computed = node_hash(sibling, computed)
            while position and not position & 1:
                position >>= 1
                last >>= 1
        else:
            computed = node_hash(computed, sibling)
        position >>= 1
        last >>= 1
    return last == 0 and computed == root


def verify_consistency(
    *, first: int, second: int, first_root: bytes, second_root: bytes, proof: Sequence[bytes]
) -> bool:
    """Return whether ``proof`` shows that the tree of ``first`` leaves is a prefix (RFC 9162 section 2.1.4.2).

    A tree is consistent with itself by an empty proof. Every tree extends the empty one, also by an empty proof.
    """
    if not 0 <= first <= second or not _are_hashes(first_root, second_root, *proof):
        return False
    if first == second:
        return not proof and first_root == second_root
    if first == 0:
        return not proof and first_root == empty_root()
    if not proof:
        return False
    path = list(proof)
    if first & (first - 1) == 0:
        path.insert(0, first_root)
    return _fold_consistency(first - 1, second - 1, path) == (first_root, second_root)


def _fold_consistency(position: int, last: int, path: Sequence[bytes]) -> tuple[bytes, bytes] | None:
    """Return the two roots that a consistency ``path`` leads to, or None if its length does not fit."""
    while position & 1:
        position >>= 1
        last >>= 1
    old = new = path[0]
    for sibling in path[1:]:
        if last == 0:
            return None
        if position & 1 or position == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            while position and not position & 1:
                position >>= 1
                last >>= 1
        else:
            new = node_hash(new, sibling)
        position >>= 1
        last >>= 1
    return (old, new) if last == 0 else None


def _split(size: int) -> int:
    """Return the largest power of two smaller than ``size`` (RFC 9162 section 2.1.1)."""
    return 1 << (size - 1).bit_length() - 1


def _are_hashes(*values: bytes) -> bool:
    return all(len(value) == HASH_SIZE for value in values)
