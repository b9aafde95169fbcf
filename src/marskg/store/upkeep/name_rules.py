"""Rules about names that a version before kept in clear: each keeps digests from now on.

Guarantees: afterwards no rule that is stored has a name, each change is one signed record under a new salt, so that
nothing that stays confirms a guess of the name, and a rule holds for what it held for. What the engine's files keep of
replaced rows goes when they are rewritten (``mars scrub``). Source: docs/adr/0073-a-rule-without-the-name.md.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.audit.record import new_salt
from marskg.errors import KeyUnusable, StoreDamaged
from marskg.store.graph.preference_enforcement import name_digests, preferences_of
from marskg.store.rows.name_digests import is_clear, neutral_label

if TYPE_CHECKING:
    from marskg.records import Preference
    from marskg.store.commit.writer import Writer
    from marskg.store.rows.name_digests import NameDigests
    from marskg.store.unit.unit_of_work import Unit

_LOG: Final = logging.getLogger(__name__)


def settle_name_rules(writer: Writer) -> None:
    """Let the tenant's rules about names keep digests, where a version before kept the names."""
    if not writer.state.preferences:
        return
    with suppress(KeyUnusable, StoreDamaged):
        if any(map(is_clear, writer.preference_set().naming)):
            done = writer.run(_digest)
            _LOG.warning("tenant %s: %d rules about names keep digests of them from now on", writer.tenant, done)


def digested(rule: Preference, digests: NameDigests) -> Preference:
    """Return a rule about a name with digests in its place."""
    name = rule.target or ""
    label = neutral_label(rule) if rule.label is None else rule.label
    return replace(rule, target=digests.target(name), likenesses=digests.likenesses(name), label=label)


def _digest(unit: Unit) -> int:
    digests = name_digests(unit)
    found = [item for item in preferences_of(unit).naming if is_clear(item)]
    for item in found:
        unit.preferences.put(digested(item, digests), new_salt(unit.services.source))
    return len(found)
