"""Certificate Transparency's vectors, and what a proof must not be."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from marskg.audit import merkle

LEAF_INPUTS = ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
ROOTS = (
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
#: The frontier of seven leaves, as certificate-transparency implementations keep it.
FRONTIER_7 = [
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
    "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f",
]
VECTORS = Path(__file__).parent / "data" / "ct-proofs.jsonl"
PROOFS = [json.loads(line) for line in VECTORS.read_text().splitlines()]
#: Roots that are no hashes: the reference takes them for equal unread, we refuse them.
NOT_HASHES = {"additional/sizes-are-equal-one-and-proof-is-empty"}


def leaves(count: int = 8) -> list[bytes]:
    return [merkle.leaf_hash(bytes.fromhex(data)) for data in LEAF_INPUTS[:count]]


def decoded(values: list[str] | None) -> list[bytes]:
    return [base64.b64decode(value) for value in values or []]


@pytest.mark.parametrize("size", range(9))
def test_roots_of_certificate_transparency(size: int) -> None:
    assert merkle.root_hash(leaves(size)).hex() == ROOTS[size]


def test_frontier_of_certificate_transparency_goes_on_from_its_hexadecimal_form() -> None:
    tree = merkle.CompactRange()
    for leaf in leaves(7):
        tree.append(leaf)
    assert tree.to_hex() == FRONTIER_7

    tree = merkle.CompactRange.from_hex(7, FRONTIER_7)
    tree.append(leaves()[7])
    assert (tree.size, tree.root().hex(), tree.to_hex()) == (8, ROOTS[8], [ROOTS[8]])


def test_a_copy_of_a_frontier_grows_on_its_own() -> None:
    tree = merkle.CompactRange(1, leaves(1))
    tree.copy().append(leaves()[1])
    assert tree.root().hex() == ROOTS[1]


@pytest.mark.parametrize(("size", "nodes"), [(1, []), (3, FRONTIER_7[:1]), (1, ["00"]), (-1, []), (0, FRONTIER_7[:1])])
def test_a_frontier_that_does_not_fit_its_size_is_refused(size: int, nodes: list[str]) -> None:
    with pytest.raises(ValueError, match="hashes of 32 bytes each"):
        merkle.CompactRange.from_hex(size, nodes)


@pytest.mark.parametrize("case", PROOFS, ids=[f"{case['kind']}-{case['name']}" for case in PROOFS])
def test_proofs_of_certificate_transparency(case: dict[str, Any]) -> None:
    proof = decoded(case["proof"])
    if case["kind"] == "inclusion":
        accepted = merkle.verify_inclusion(
            leaf=base64.b64decode(case["leafHash"] or ""),
            index=case["leafIdx"],
            size=case["treeSize"],
            root=base64.b64decode(case["root"] or ""),
            proof=proof,
        )
    else:
        accepted = merkle.verify_consistency(
            first=case["size1"],
            second=case["size2"],
            first_root=base64.b64decode(case["root1"] or ""),
            second_root=base64.b64decode(case["root2"] or ""),
            proof=proof,
        )
    assert accepted == (not case["wantErr"] and case["name"] not in NOT_HASHES)


def test_the_happy_paths_are_the_proofs_that_are_made_here() -> None:
    for case in PROOFS:
        if "happy-path" not in case["name"]:
            continue
        if case["kind"] == "inclusion":
            made = merkle.inclusion_proof(leaves(case["treeSize"]), case["leafIdx"])
        else:
            made = merkle.consistency_proof(leaves(case["size2"]), case["size1"])
        assert made == decoded(case["proof"]), case["name"]


@pytest.mark.parametrize("index", [-1, 8])
def test_no_inclusion_proof_for_a_leaf_that_is_not_there(index: int) -> None:
    with pytest.raises(ValueError, match="outside a tree of 8 leaves"):
        merkle.inclusion_proof(leaves(), index)


@pytest.mark.parametrize("first", [0, 9])
def test_no_consistency_proof_from_a_tree_that_is_no_prefix(first: int) -> None:
    with pytest.raises(ValueError, match="no prefix"):
        merkle.consistency_proof(leaves(), first)
