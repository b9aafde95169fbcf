"""Weighing again what was weighed by a former rule: a store of before must not pass for lighter than it is.

Guarantees: afterwards each memory weighs what :mod:`marskg.weight` says of its content, each change is one signed
transition, and the tenant's row says by which rule it was weighed. What is above a budget then is evicted by the
tenant's policy in the transaction that needs it (I1). Where what is protected would be too heavy nothing is changed,
and nothing is stored until there is room. A pass that was cut off is taken up by the next one.
Source: semantics section 1 (weight) and section 4 (I1, I7); docs/adr/0071-weight-of-every-text.md.
"""

from __future__ import annotations

import logging
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from marskg.answer import Answer
from marskg.errors import BudgetInfeasible, InvariantError, KeyUnusable, StoreDamaged
from marskg.ontology.vocabulary import Kind, Tier
from marskg.store.commit.flush import check_latent
from marskg.store.graph.amend import end_weighing, weigh
from marskg.store.rows import codec
from marskg.store.rows.paging import pages
from marskg.store.unit.quotas import Holder, holders_of
from marskg.weight import RULE

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.store.commit.writer import Writer
    from marskg.store.engine.protocol import Row

#: What every answer of a tenant tells that is still weighed by a former rule.
FORMER: Final = (
    "the memories are weighed by a former rule, which counts unbroken text too light; weigh them again with: mars "
    "maintenance reweigh"
)
_LOG: Final = logging.getLogger(__name__)
_PAGE, _READ = 200, 1_000
#: Pages that are weighed again before the log says how far it is.
_TOLD: Final = 20


@dataclass(frozen=True, slots=True)
class Reweighed(Answer):
    """What weighing again did, or would do: of how many ``memories`` with content how many ``changed``.

    ``tokens`` is what they weigh more together; ``weight_before`` and ``weight_after`` are of the live memories, after
    what the ``budget`` did not hold was evicted, or before that where nothing was done. ``evicted`` is how many of them
    went, None where nothing was done.
    """

    memories: int
    changed: int
    tokens: int
    weight_before: int
    weight_after: int
    budget: int
    evicted: int | None = None

    def __str__(self) -> str:
        """Return it as one sentence."""
        done = self.evicted is not None
        said = (
            f"{self.changed} of {self.memories} memories {'weigh' if done else 'would weigh'} {self.tokens} tokens more"
        )
        if self.evicted:
            return f"{said}, and {self.evicted} had to go, as the budget is {self.budget} tokens"
        over = self.weight_after - self.budget
        return said if done or over <= 0 else f"{said}, {over} more than the budget of {self.budget}"


@dataclass(slots=True)
class _Scan:
    """What the memories weigh by the rule of now."""

    memories: int = 0
    changes: dict[str, int] = field(default_factory=dict)
    tokens: int = 0
    tiers: Counter[Tier] = field(default_factory=Counter)
    #: What is protected weighs in all, and of whose budget.
    protected: int = 0
    held: Counter[Holder] = field(default_factory=Counter)
    #: The heaviest of it: the weight, the id, and why it is.
    protectors: list[tuple[int, str, str]] = field(default_factory=list)

    def add(self, row: Row, tokens: int) -> None:
        """Count a memory with content, whose text has ``tokens``."""
        before, tier = row["weight"], Tier(row["tier"])
        weight = max(before, tokens)
        self.memories += 1
        self.tiers[tier] += weight
        if weight != before:
            self.changes[row["id"]] = weight
            self.tokens += weight - before
        if tier is Tier.LIVE and (row["guards"] or 0) > 0:
            self.protected += weight
            self.held.update(dict.fromkeys(holders_of(row["subjects"] or (), row["session"]), weight))
            self.protectors.append((-weight, row["id"], _protection(row, weight)))
            self.protectors = sorted(self.protectors)[:10]


def reweigh(writer: Writer, progress: Callable[[int], None] | None = None, *, dry_run: bool = False) -> Reweighed:
    """Weigh a tenant's memories again; ``progress`` hears how many were looked at, then how many were changed.

    With ``dry_run`` nothing is changed, and what would be is returned.

    Raises:
        BudgetInfeasible: what is protected would weigh more than a budget; nothing was changed.
        KeyUnusable: the contents or the signing key cannot be read.
    """
    before = writer.fresh_state()
    found = _scan(writer, progress)
    looked = Reweighed(
        found.memories, len(found.changes), found.tokens, before.weight, found.tiers[Tier.LIVE], before.budget
    )
    if dry_run:
        return looked
    _refuse_infeasible(writer, found)
    if not found.changes and before.weighed_by >= RULE:
        return replace(looked, evicted=0)
    live = sum(before.census.counts)
    _weigh_pages(writer, found, looked, progress)
    after = writer.fresh_state()
    done = replace(looked, weight_after=after.weight, evicted=max(0, live - sum(after.census.counts)))
    if found.changes:
        writer.shared.tell(f"weighed again: {done}")
        _LOG.warning("tenant %s: weighed again: %s", before.name, done)
    return done


def _weigh_pages(writer: Writer, found: _Scan, looked: Reweighed, progress: Callable[[int], None] | None) -> None:
    """Give the memories their weights, and then the tenant's row the rule."""
    wanted = sorted(found.changes.items())
    parts = [dict(wanted[start : start + _PAGE]) for start in range(0, len(wanted), _PAGE)]
    for place, part in enumerate(parts):
        if place % _TOLD == 0:
            _LOG.warning("tenant %s: %d of %d memories weighed again", writer.tenant, place * _PAGE, len(wanted))
        writer.run(partial(weigh, weights=part))
        if progress is not None:
            progress(min((place + 1) * _PAGE, len(wanted)))
    told = (f"changed={looked.changed}", f"tokens={looked.tokens}")
    writer.run(partial(end_weighing, before=looked.weight_before, told=told))


def settle_weights(writer: Writer) -> None:
    """Weigh again what was weighed by a former rule, if that can be; otherwise every answer tells that it was not."""
    if writer.state.weighed_by < RULE:
        with suppress(InvariantError, KeyUnusable, StoreDamaged):
            reweigh(writer)
        writer.forget_half_built()


def require_weighed(writer: Writer) -> None:
    """Weigh again what was weighed by a former rule, before anything is stored.

    Raises:
        BudgetInfeasible: what is protected would weigh more than a budget; nothing was changed.
    """
    if writer.state.weighed_by < RULE:
        reweigh(writer)


def _scan(writer: Writer, progress: Callable[[int], None] | None) -> _Scan:
    count = writer.services.counter.count
    found = _Scan()
    for page in pages(partial(writer.read, "weights_page"), writer.tenant, _READ):
        for row in page:
            try:
                found.add(row, count(row["content"]))
            except codec.DAMAGE as error:
                raise codec.damaged(row["id"], "content or weight") from error
        if progress is not None:
            progress(found.memories)
    return found


def _refuse_infeasible(writer: Writer, found: _Scan) -> None:
    """Refuse what no policy could bring below the budgets of the tenant, of its users and of its conversations."""
    state = writer.state
    if found.tiers[Tier.LATENT] > state.latent_weight:
        check_latent(state, found.tiers[Tier.LATENT])
    over = [(state.budget, found.protected, "the budget", "budget ")]
    quotas = state.settings.partitions.quotas
    for holder, weight in sorted(found.held.items()):
        if holder.sort in quotas:
            name = f"partitions.{holder.sort}_budget"
            over.append((quotas[holder.sort], weight, f"{name} of {holder.name[:60]!r}", f"{name}="))
    for budget, weight, name, setting in over:
        if weight > budget:
            held = [(ident, why) for _, ident, why in found.protectors]
            msg = (
                f"weighed again, at least {weight} tokens of tenant {state.name!r} are protected, {name} is {budget}: "
                f"{'; '.join(f'{ident} ({why})' for ident, why in held[:3])}. Nothing was changed, and nothing is "
                f"stored until they fit: unpin, close a task, or raise it with: mars settings {setting}N"
            )
            raise BudgetInfeasible(msg, held)


def _protection(row: Row, weight: int) -> str:
    task = f"task {row['status']}" if row["kind"] == Kind.TASK else "needed by something protected"
    return f"{'pinned' if row['pinned'] else task}, {weight} tokens"
