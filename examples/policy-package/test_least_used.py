"""The policy conforms: run with ``pytest`` where the package and marskg are installed."""

# ruff: noqa: INP001 - run by path

from __future__ import annotations

from marskg_least_used import LeastUsed

from marskg.policies.conformance import check_conformance


def test_the_policy_conforms() -> None:
    """No rule of the conformance suite is broken."""
    report = check_conformance(LeastUsed())
    assert report.ok, report.findings
