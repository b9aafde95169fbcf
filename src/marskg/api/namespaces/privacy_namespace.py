"""``mem.privacy``: what is held about people, who may see it, and what differential privacy has cost.

Guarantees: a report, a match and a redaction change nothing that is stored; a reading that was allowed above a ceiling
is recorded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from marskg.api.namespaces.namespace import Namespace, duration
from marskg.api.private_mode import PrivateMode
from marskg.drafts import enumeration
from marskg.erasure.request import Request
from marskg.ontology.vocabulary import MemoryClass
from marskg.policies.builtin.private import balance
from marskg.policies.executor import View
from marskg.privacy.grants import give
from marskg.privacy.principals import Principal
from marskg.privacy.redaction import Redaction, forms
from marskg.privacy.report.forms import SubjectReport
from marskg.privacy.report.gather import gather
from marskg.privacy.retention import check_retention
from marskg.store.commit.snapshot_read import snapshot_read
from marskg.store.graph.validation import MOST_SAID, check_integer, check_number, check_text, ids_of
from marskg.store.upkeep import access_log
from marskg.text import sentences

if TYPE_CHECKING:
    from collections.abc import Iterable

    from marskg.api.arguments import Count, Share, Tokens
    from marskg.api.components import Components
    from marskg.api.private_mode import OpenMemory
    from marskg.erasure.request import Matched
    from marskg.policies.builtin.private import Balance
    from marskg.privacy.grants import Grant
    from marskg.privacy.retention import Retention
    from marskg.records import Plan

#: A grant that says neither is for one reading, soon.
GRANTED_FOR: Final = "10m"
GRANTED_CALLS: Final = 1


class Privacy(Namespace, name="privacy"):
    """The privacy of the people whom one tenant's memories are about."""

    def __init__(self, components: Components, memory: OpenMemory) -> None:
        """Work with the parts of one open tenant; private mode reads and writes through ``memory``."""
        super().__init__(components)
        self._memory = memory

    # --- Who may see it -------------------------------------------------------------------------------------------

    def private_mode(self, lasts: str = "30m", *, keep: bool = False) -> PrivateMode:
        """Return this memory in private mode: it answers as ever and stores nothing, for a while.

        Use it as a context manager. No ceiling is raised, and reading is recorded as ever.

        Args:
            lasts: for how long, at most ``"24h"``; then it refuses everything.
            keep: store what is said until the mode ends, bound to a session of its own.

        Raises:
            InvalidInput: ``lasts`` is no duration, or too long a one.
        """
        span = duration("lasts", lasts, "30m")
        session = f"private-{self._components.opened.services.source.token(8).hex()}" if keep else None
        return PrivateMode(self._memory, lasts_ms=span, session=session)

    def grant(
        self,
        to: str | Principal,
        *,
        ceiling: Share,
        lasts: str = GRANTED_FOR,
        calls: Count | None = GRANTED_CALLS,
        subjects: Iterable[str] | str | None = None,
    ) -> Grant:
        """Let a principal read above their ceiling, for a while and for some calls; each reading is recorded.

        Neither purpose nor jurisdiction is widened, nor whose memories are seen. They show :attr:`Grant.id`:
        ``retrieve(…, grant=ID)``, or ``reader:NAME?grant=ID`` as principal.

        Args:
            to: the principal, such as ``reader:assistant``.
            ceiling: the sensitivity up to which they may read, 0 to 1.
            lasts: for how long, at most ``"24h"``.
            calls: how many readings it is for; None for as many as they like.
            subjects: whom the memories have to be about; anybody if left out.

        Raises:
            InvalidInput: there is no such principal, the ceiling is out of range, it would last too long, or
                ``subjects`` names nobody.
        """
        span = duration("lasts", lasts, "10m")
        return give(
            self._components.writer,
            to=Principal.of(to).actor,
            ceiling=check_number("ceiling", ceiling, 0, 1),
            lasts_ms=span,
            calls=None if calls is None else check_integer("calls", calls, 1),
            subjects=None if subjects is None else ids_of(subjects),
        )

    def redact(
        self,
        text: str,
        *,
        max_sensitivity: Share | None = None,
        purpose: str | None = None,
        jurisdiction: str | None = None,
        hold: bool = False,
    ) -> Redaction:
        """Return a text, such as an agent's answer, as a reader may get it; nothing is stored.

        First what has a form of its own becomes a placeholder such as ``[EMAIL]``: all of it, or with
        ``max_sensitivity`` what weighs more. Then each sentence is compared with what the reader may not read, and one
        that repeats it becomes ``[WITHHELD]``. That a sentence was withheld tells that there is something: call this
        for a reader, and do not let the reader call it.

        Args:
            text: what is to be shown.
            max_sensitivity: the reader's ceiling, from 0 to 1.
            purpose: what the reader reads for; memories kept for other purposes are hidden from them.
            jurisdiction: as ``mem.retrieve`` takes it.
            hold: show nothing of a text that repeats what is hidden, so that a person decides; ``held`` says so.

        Raises:
            InvalidInput: the text or a limit cannot be read.
            EnvironmentFailure: the settings ask for presidio or a model, which is not installed.
        """
        parts = self._components
        given = {"max_sensitivity": max_sensitivity, "purpose": purpose, "jurisdiction": jurisdiction}
        gate = parts.reading.gate({name: value for name, value in given.items() if value is not None})
        check_text("text", text, limit=MOST_SAID)
        redactor = parts.assessor.redactor(parts.writer.state.settings.sensitivity)
        first = redactor.surface(text, max_sensitivity)
        if not gate.restricted:
            return first
        parts.settle()
        said = [sentence for form in forms(first.text) for sentence in sentences(form)]
        second = redactor.against(first.text, parts.reading.like_hidden(said, gate), hold=hold)
        return Redaction(second.text, (*first.replaced, *second.replaced), second.held)

    # --- What is held ---------------------------------------------------------------------------------------------

    def report(self, subject: str, *, shared: bool = False, purpose: str | None = None) -> SubjectReport:
        """Return all that is held about a subject, to be given to them (GDPR Art. 15), and record that it was.

        In every tier, with where it comes from, who saw it and for what, what was done with it and why. What is about
        others as well comes without its text, but for the lines of a summary that are about the subject alone.

        Args:
            subject: a person, as the memories' ``subjects`` have it.
            shared: give also what is about others as well, whole: the controller's decision.
            purpose: what the report is for, as the log of accesses is to have it.

        Raises:
            InvalidInput: ``subject`` is no name that a subject could have, or nobody is called exactly so and somebody
                almost so.
        """
        parts, services = self._components, self._components.writer.services
        name = check_text("subject", subject)
        stated = () if purpose is None else (f"purpose={check_text('purpose', purpose)}",)
        parts.settle()
        found = snapshot_read(
            parts.writer,
            lambda state: gather(
                parts.reader,
                state,
                name,
                handle=services.handle,
                now=parts.writer.now(),
                source=services.source,
                shared=shared,
            ),
        )
        ids = [one.memory.id for one in found.held]
        for start in range(0, len(ids), access_log.DISCLOSED):
            access_log.record_disclosure(
                parts.writer, ids[start : start + access_log.DISCLOSED], (f"call={access_log.REPORT}", *stated)
            )
        return SubjectReport(found)

    def match_erasure(
        self,
        *,
        subject: str | None = None,
        id: str | None = None,  # noqa: A002 - the name that users see
        entity: str | None = None,
        session: str | None = None,
        source: str | None = None,
    ) -> Matched:
        """Return what ``mem.erase`` would be about: ids, and of an entity the spellings that were found.

        Where several entities go by the name, that is nothing: what each of them is about is ``near``.

        Raises:
            InvalidInput: none or several of them were given, or one that names nothing; nobody is called exactly as
                ``subject`` is, and somebody almost so.
        """
        request = Request.of(subject=subject, entity=entity, session=session, source=source, id=id)
        return self._components.eraser.look(request)

    def retention(self, memory_class: str, older_than: str) -> Retention:
        """Return what is left of a class that is older than a duration such as ``30d``, in any tier.

        Raises:
            InvalidInput: there is no such class, or the duration is none.
        """
        parts = self._components
        wanted = enumeration(MemoryClass, "memory_class", memory_class)
        age = duration("older_than", older_than, "30d")
        parts.settle()
        return check_retention(parts.reader, wanted, parts.writer.now() - age)

    # --- Forgetting under differential privacy --------------------------------------------------------------------

    def forget(self, *, budget: Tokens | None = None, strict: bool = False) -> Plan:
        """Bring the tenant down to ``budget`` by the policy ``private``, at once; returns what was done.

        There is no dry run of it: each plan is a draw, and whoever sees one has spent for it. The account is charged in
        the transaction that forgets.

        Args:
            budget: tokens; the tenant's if left out.
            strict: refuse where the privacy budget does not last, in the place of drawing uniformly.

        Raises:
            PrivacyBudgetExhausted: with ``strict`` or ``privacy.when_spent: refuse``; nothing was changed.
            InvalidConfig: the noise cannot be drawn, or other settings do not go with the policy.
            BudgetInfeasible: what is protected weighs more than ``budget``.
        """
        self._components.settle()
        target = None if budget is None else check_integer("budget", budget, 0)
        return self._components.planning.forget_privately(target, strict=strict)

    def budget(self) -> Balance:
        """Return what differential privacy has cost so far and what is left: the tenant's, and of each conversation.

        Conversations are known by keyed digests. See :func:`marskg.policies.builtin.private.balance`.
        """
        parts = self._components
        read, handle = parts.opened.engine.read, parts.opened.services.handle
        return balance(View(read, parts.writer.fresh_state(), parts.writer.now(), handle=handle))
