"""One warm process for the commands of all pages that a test process runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import WarmMars, warm_mars
from tests.interop.conftest import node_modules

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["node_modules"]


@pytest.fixture(scope="session")
def warm() -> Iterator[WarmMars]:
    """Give the process that runs the commands."""
    with warm_mars() as started:
        yield started
