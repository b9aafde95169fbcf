"""The policy ``private``: who goes is drawn by noisy max, epsilon-differentially private for each memory that goes.

Promise: two stores that share ids, kinds, edges, weights, pins, tasks, sessions, times and accesses, and differ in one
memory's content, embedding, sensitivity and what is computed from them, lead to the same memories going with
probabilities that differ by a factor of e^epsilon at most for each choice; ``privacy.group_size`` memories by one of
e^(epsilon * size), which is what the account is charged. Lean maintenance, pruning, expiry, erasure and summaries are
outside of this promise, and so is whoever reads the memories themselves.

How it is kept. The candidates of a choice are all leaves that may go, which follows from what neighbours share and from
earlier choices alone. Their scores are the utilities of eq. (5) without novelty, which would carry one memory's content
into the scores of others: theta * psi - lambda_priv * s, clamped to the range that the settings allow at all, in 1e-6
of that range; noise is for a change of every score by the whole range (:mod:`marskg.policies.builtin.noise`). No score,
and nothing that was made of one, leaves this module: actions carry a score of 0 and numbers that neighbours share. The
goal, where it is that of the active tasks, is made of their content and reaches every score; this is why the noise is
for a change of all of them.

The account (:mod:`marskg.store.rows.privacy_budget`) is charged for every choice that looked at scores: the tenant's,
and that of each conversation of a candidate or of an active task. What the tenant may spend is spent: every later
choice is uniform. What a conversation may spend is spent: its memories enter with the middle of the range, whatever
they hold. What is superseded goes first, the oldest first, and where all have to go there is no choice; both cost
nothing.

Source: semantics section 11; MaRS sections 3.3.3 and 3.4.2 (line 321), appendix C.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final, TypedDict

import numpy as np

from marskg.config import FEATURES
from marskg.errors import InvalidConfig, NotPermitted, PrivacyBudgetExhausted
from marskg.ontology.vocabulary import KINDS
from marskg.policies.builtin.noise import NoisyMax
from marskg.policies.core import features
from marskg.policies.core.candidates import policy_statement
from marskg.policies.core.plans import Choice, archives_by, build_plan, facts, parameters_of, ruled, words
from marskg.policies.core.policy import sealed
from marskg.policies.core.quarantine import OFF, SENSITIVE
from marskg.policies.streams.drawn import take_drawn
from marskg.policies.streams.rooms import Rooms
from marskg.store.rows.order_keys import CURRENT, SUPERSEDED
from marskg.store.rows.paging import pages
from marskg.store.rows.privacy_budget import CONTROL, NANO, Account, ConversationKeys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from marskg.config import PrivacySettings, Settings
    from marskg.policies.core.candidates import Candidate
    from marskg.policies.core.features import FeatureTable, Integers
    from marskg.policies.core.policy import PolicyView
    from marskg.records import Plan
    from marskg.store.rows.state import TenantState

NAME: Final = "private"
#: ``privacy.when_spent``: a trigger that would have to choose without looking is refused.
REFUSE: Final = "refuse"
#: Scores are integers from 0 to this: the whole range, and so what the noise is for.
SPAN: Final = 1_000_000
_MIDDLE: Final = SPAN // 2
_PAGE: Final = 2_048
#: The feature that one memory's content moves for others; it takes no part.
_SHARED: Final = "novelty"
_GOAL: Final = "goal"
_NO_CONVERSATION: Final = -1

NOISY, UNIFORM, FORCED, FIRST = "noisy", "uniform", "forced", "first"
_REASONS: Final = {
    NOISY: "drawn by noisy max from {count} that may go, at an epsilon of {epsilon:g}",
    UNIFORM: "drawn uniformly from {count} that may go, as the privacy budget is spent",
    FORCED: "all of the {count} that may go have to",
    FIRST: "superseded, so first in line",
}


def check_combination(settings: Settings) -> None:
    """Refuse settings under which the policy cannot keep its promise.

    Raises:
        InvalidConfig: kinds have shares or there is a guardrail, both of which ask a policy several times for one plan,
            so that draws would be thrown away that were paid for; or what is drawn may be refused for its weight; or
            where it goes would tell how sensitive it is.
    """
    wrong = why = None
    if settings.partitions.on:
        wrong, why = "partitions.mode: off", "shares ask a policy several times for one plan, and each draw would spend"
    elif settings.policy.guardrail is not None:
        wrong, why = "policy.guardrail: null", "it asks a policy twice for one plan, and each draw would spend"
    elif settings.latent_budget is not None and (archives_by(settings) or settings.policy.review != OFF):
        wrong, why = "latent_budget: null", "a draw that has no room in latent would be drawn again, unpaid"
    elif settings.policy.review == SENSITIVE:
        wrong, why = "policy.review: off or all", "who waits in quarantine would tell whose memory is sensitive"
    if wrong is not None:
        msg = f"the policy private needs {wrong}, as {why}; change the setting, or take another policy"
        raise InvalidConfig(msg)


def preferences(table: FeatureTable, settings: Settings, now: int, *, goal: bool = True) -> Integers:
    """Return how much each memory should go, from 0 to :data:`SPAN`: the whole range of utility, the other way round.

    The range is that of ``theta * psi - lambda_priv * s`` over all features and sensitivities from 0 to 1, and all
    kinds, so that it is a function of the settings alone. Without ``goal`` similarity to it takes no part.
    """
    psi = features.features(table, settings, now)
    added = features.terms(table, psi, settings)
    utility = -features.penalty(table, settings)
    for name in FEATURES:  # Always in this order: sums of floating point depend on it.
        if name != _SHARED and (goal or name != _GOAL):
            utility += added[name]
    theta = settings.policy.density.theta
    most = max(sum(theta[kind][name] for name in FEATURES if name != _SHARED) for kind in KINDS)
    least = -settings.policy.density.lambda_priv
    if most <= least:
        return np.full(len(table), _MIDDLE, dtype=np.int64)
    share = (most - np.clip(utility, least, most)) / (most - least)
    clamped: Integers = np.clip(np.rint(share * SPAN), 0, SPAN).astype(np.int64)
    return clamped


@dataclass(frozen=True, slots=True)
class _Drawn:
    """How one memory came to go: by which sort of choice, from among how many."""

    sort: str
    count: int


class _Lottery:
    """Draws from what may go, and keeps the account."""

    def __init__(self, view: PolicyView, table: FeatureTable, mechanism: NoisyMax, keys: ConversationKeys) -> None:
        self._view = view
        self._table = table
        self._mechanism = mechanism
        self._settings = view.settings.privacy
        self._keys = keys
        self.before = self.account = Account.of(view.controls, keys)
        self.how: dict[str, _Drawn] = {}

    @property
    def cost(self) -> int:
        """Return what one choice costs, in 1e-9 epsilon."""
        return cost_of(self._settings)

    @cached_property
    def _conversations(self) -> tuple[list[str], Integers]:
        """The digests of the conversations of what is live, and for each row of the table the place of its own."""
        places: dict[str, int] = {}
        sessions: dict[str, str] = {}
        for rows in pages(partial(self._view.run, policy_statement("conversations")), self._view.tenant, _PAGE):
            sessions.update((row["id"], row["session"]) for row in rows if row["session"] is not None)
        found = np.full(len(self._table), _NO_CONVERSATION, dtype=np.int64)
        for place, ident in enumerate(self._table.ids):
            session = sessions.get(ident)
            if session is not None:
                found[place] = places.setdefault(session, len(places))
        return [self._keys.conversation(session) for session in places], found

    @cached_property
    def _goal_conversations(self) -> frozenset[int]:
        """The conversations of the active tasks, whose content the goal may be made of."""
        active = np.flatnonzero(self._table.columns["active"].astype(np.bool_))
        return frozenset(self._conversations[1][active].tolist()) - {_NO_CONVERSATION}

    @cached_property
    def _with_goal(self) -> Integers:
        return preferences(self._table, self._view.settings, self._view.now)

    @cached_property
    def _without_goal(self) -> Integers:
        return preferences(self._table, self._view.settings, self._view.now, goal=False)

    def draw(self, rows: Integers, least: int) -> Sequence[int]:
        """Return some of ``rows``, as :class:`~marskg.policies.streams.drawn.Lottery` says."""
        if least >= len(rows):
            return self._told(rows.tolist(), FORCED, len(rows))
        mine = self._conversations[1][rows]
        digests = self._conversations[0]
        affordable = {
            place: self._affordable(self.account.of_conversation(digests[place]), self._conversation_budget)
            for place in (set(mine.tolist()) | self._goal_conversations) - {_NO_CONVERSATION}
        }
        spent = {place for place, number in affordable.items() if not number}
        known = ~np.isin(mine, sorted(spent))
        aimed = not spent & self._goal_conversations
        number = min(least, self._affordable(self.account.spent, self._budget))
        if self._settings.when_spent == REFUSE and (spent or not number):
            raise exhausted("a conversation" if number else f"tenant {self._view.tenant!r}")
        if not number or not known.any():
            places = self._mechanism.top([_MIDDLE] * len(rows), least)
            self.account = self.account.drawn(least)
            return self._told(rows[places].tolist(), UNIFORM, len(rows))
        scores = np.where(known, (self._with_goal if aimed else self._without_goal)[rows], _MIDDLE)
        looked = set(mine[known].tolist()) | (self._goal_conversations if aimed else set())
        looked.discard(_NO_CONVERSATION)
        number = min([number, *(affordable[place] for place in looked)])
        places = self._mechanism.top(scores.tolist(), number)
        self.account = self.account.charged(number * self.cost, number, (digests[place] for place in sorted(looked)))
        return self._told(rows[places].tolist(), NOISY, len(rows))

    def _affordable(self, spent: int, budget: int | None) -> int:
        """Return how many choices are left to an account; very many where it has no limit."""
        return len(self._table) if budget is None else max(0, (budget - spent) // self.cost)

    @property
    def _budget(self) -> int:
        return nano(self._settings.epsilon_budget)

    @property
    def _conversation_budget(self) -> int | None:
        limit = self._settings.conversation_epsilon_budget
        return None if limit is None else nano(limit)

    def _told(self, rows: Sequence[int], sort: str, count: int) -> Sequence[int]:
        self.how.update((self._table.ids[row], _Drawn(sort, count)) for row in rows)
        return rows


class PrivatePolicy:
    """Draws what goes, with noise that no seed reaches."""

    name = NAME

    def __init__(self, mechanism: Callable[[float, int], NoisyMax] = NoisyMax) -> None:
        """Draw by ``mechanism``, made with the epsilon of a choice and the span of the scores.

        Another one than the default is for tests, which plant a fault and see that it is found.
        """
        self._mechanism = mechanism

    @property
    def reads_features(self) -> bool:
        """Return that it asks its view for the table of features."""
        return True

    def plan(
        self,
        view: PolicyView,
        *,
        target: int,
        exclude: frozenset[str] = frozenset(),
        seed: int | None = None,
        rooms: Rooms | None = None,
    ) -> Plan:
        """Return a plan down to ``target``; two calls draw two plans, and whoever sees both has spent for both.

        The plan carries the account as it is afterwards, which is stored with it. ``seed`` is not looked at. What is
        taken of each standing fits into ``rooms``, where they are given.

        Raises:
            PrivacyBudgetExhausted: the budget is spent, and ``privacy.when_spent`` is ``refuse``.
            InvalidConfig: other settings do not go with the policy.
        """
        del seed
        check_combination(view.settings)
        if view.weight <= target:
            return build_plan(view, NAME, _parameters(view), target, [], None)
        if not isinstance(view, ConversationKeys):
            message = "this view was made without keys of conversations"
            raise RuntimeError(message)  # noqa: TRY004 - a fault of the caller's program, no user's input
        table = view.table()
        privacy = view.settings.privacy
        lottery = _Lottery(view, table, self._mechanism(nano(privacy.epsilon_per_choice) / NANO, SPAN), view)

        def chosen(candidate: Candidate) -> Choice:
            return _choice(view, candidate, lottery)

        choices = take_drawn(view, table, lottery, chosen, rooms or Rooms.unlimited(target), exclude)
        plan = build_plan(view, NAME, _parameters(view, lottery), target, choices, None)
        if lottery.account == lottery.before:
            return plan
        return sealed(replace(plan, notes=_notes(lottery), controls=((CONTROL, lottery.account.to_json()),)))


def _choice(view: PolicyView, candidate: Candidate, lottery: _Lottery) -> Choice:
    """Return the choice of a candidate: how it was drawn, and no number that its content had a part in."""
    how = lottery.how.get(candidate.id, _Drawn(FIRST, 1))
    text = _REASONS[how.sort].format(count=how.count, epsilon=lottery.cost / NANO)
    superseded = candidate.rank == SUPERSEDED
    known = words(facts(view, candidate)) if superseded else {}
    # What a text says is no part of a private choice, so its rank is none but that of what is superseded.
    rank = SUPERSEDED if superseded else CURRENT
    rule, reason = ruled(NAME, text, known, rank=rank, freed=candidate.freed)
    return Choice(candidate, rule, 0, reason)


def _parameters(view: PolicyView, lottery: _Lottery | None = None) -> tuple[str, ...]:
    """Return what the policy went by and, where it drew, what that spent."""
    found = parameters_of(view, ("density", "privacy"))
    if lottery is None:
        return found
    before, after = lottery.before, lottery.account
    spent = {
        "choices": after.choices - before.choices,
        "spent": f"{(after.spent - before.spent) / NANO:.9f}",
        "uniform": after.uniform - before.uniform,
    }
    return tuple(sorted((*found, *(f"privacy.{name}={value}" for name, value in spent.items()))))


def _notes(lottery: _Lottery) -> tuple[str, ...]:
    before, after = lottery.before, lottery.account
    sorts = Counter(noisy=after.choices - before.choices, uniform=after.uniform - before.uniform)
    found = []
    if sorts["noisy"]:
        spent = (after.spent - before.spent) / NANO
        found.append(f"{sorts['noisy']} by noisy max, which spent an epsilon of {spent:g}")
    if sorts["uniform"]:
        found.append(f"{sorts['uniform']} drawn uniformly, as the privacy budget is spent")
    return tuple(found)


def nano(epsilon: float) -> int:
    """Return an epsilon in 1e-9."""
    return round(epsilon * NANO)


def cost_of(settings: PrivacySettings) -> int:
    """Return what one choice costs under ``settings``, in 1e-9 epsilon: scaled by the size of a group."""
    return nano(settings.epsilon_per_choice) * settings.group_size


def exhausted(whose: str) -> PrivacyBudgetExhausted:
    """Return the refusal where somebody asked for one in the place of a uniform choice."""
    return PrivacyBudgetExhausted(
        f"the privacy budget of {whose} is spent, and a choice without it was not asked for: set "
        "privacy.when_spent=uniform, raise the budget (mars privacy budget shows it), or take another policy"
    )


def refuse_to_show() -> NotPermitted:
    """Return the refusal of a plan that would only be looked at."""
    return NotPermitted(
        "the policy private makes no plan to be looked at: each is another draw, and whoever sees one has spent for "
        "it; forget at once with: mars forget --policy private, or look at another policy's plan"
    )


def without_uniform(state: TenantState) -> TenantState:
    """Return a tenant's state for a caller who wants to be refused where the budget does not last."""
    return replace(state, settings=state.settings.with_values({"privacy.when_spent": REFUSE}))


class ConversationBalance(TypedDict):
    """What one conversation has spent, known by its keyed digest; ``left`` is None where they have no budget."""

    digest: str
    spent: float
    left: float | None


class Balance(TypedDict):
    """What differential privacy has cost and what is left; amounts are epsilons."""

    policy: str
    epsilon_per_choice: float
    group_size: int
    budget: float
    spent: float
    left: float
    choices: int
    choices_left: int
    uniform_choices: int
    conversation_budget: float | None
    conversations: list[ConversationBalance]


def balance(view: PolicyView) -> Balance:
    """Return what was spent and what is left, as ``mars privacy budget`` shows it; amounts are epsilons.

    ``conversations`` are in the order of what they spent, known by their digests alone; ``left`` of one is None where
    conversations have no budget.
    """
    if not isinstance(view, ConversationKeys):
        message = "this view was made without keys of conversations"
        raise RuntimeError(message)  # noqa: TRY004 - a fault of the caller's program, no user's input
    settings, account = view.settings.privacy, Account.of(view.controls, view)
    budget, cost, limit = nano(settings.epsilon_budget), cost_of(settings), settings.conversation_epsilon_budget
    left = max(0, budget - account.spent)
    ordered = sorted(account.conversations.items(), key=lambda item: (-item[1], item[0]))
    return {
        "policy": view.settings.policy.name,
        "epsilon_per_choice": settings.epsilon_per_choice,
        "group_size": settings.group_size,
        "budget": budget / NANO,
        "spent": account.spent / NANO,
        "left": left / NANO,
        "choices": account.choices,
        "choices_left": left // cost,
        "uniform_choices": account.uniform,
        "conversation_budget": limit,
        "conversations": [
            {
                "digest": digest,
                "spent": spent / NANO,
                "left": None if limit is None else max(0, nano(limit) - spent) / NANO,
            }
            for digest, spent in ordered
        ],
    }
