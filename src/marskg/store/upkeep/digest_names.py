"""Rules about names that a version before kept in clear: each keeps digests from now on.

Guarantees: afterwards no rule that is stored has a name, each change is one signed record under a new salt, so that
nothing that stays confirms a guess of the name, and a rule holds for what it held for. What the engine's files keep of
replaced rows goes when they are rewritten (``mars maintenance scrub``).
Source: docs/adr/0074-a-rule-without-the-name.md.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from marskg.errors import KeyUnusable, StoreDamaged
from marskg.store.graph.preference_backfill import digest_names
from marskg.store.rows.name_rules import is_clear

if TYPE_CHECKING:
    from marskg.store.commit.writer import Writer

_LOG: Final = logging.getLogger(__name__)


def settle_name_rules(writer: Writer) -> None:
    """Let the tenant's rules about names keep digests, where a version before kept the names."""
    if not writer.state.preferences:
        return
    with suppress(KeyUnusable, StoreDamaged):
        if any(map(is_clear, writer.preference_set().naming)):
            done = writer.run(digest_names)
            _LOG.warning("tenant %s: %d rules about names keep digests of them from now on", writer.tenant, done)
