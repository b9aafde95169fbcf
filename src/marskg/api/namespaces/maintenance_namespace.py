"""``mem.maintenance``: what is removed, measured, rewritten or read ahead to keep a store in order.

Guarantees: each step can be run again: what an interruption leaves is whole, and the next run goes on from there.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from marskg.api.namespaces.namespace import Namespace, duration
from marskg.config import AUTO
from marskg.embedding.registry import load_model, usual
from marskg.errors import InvalidInput
from marskg.learning.housekeeping.background import Background
from marskg.store.graph.validation import check_text
from marskg.store.upkeep import maintenance, use_and_session_expiry
from marskg.store.upkeep.reembed import switch
from marskg.store.upkeep.rescore import rescore
from marskg.store.upkeep.reweigh import reweigh

if TYPE_CHECKING:
    from collections.abc import Callable

    from marskg.api.components import Components
    from marskg.store.upkeep.reweigh import Reweighed


class Maintenance(Namespace, name="maintenance"):
    """The upkeep of one tenant."""

    def __init__(self, components: Components) -> None:
        """Do nothing in the background."""
        super().__init__(components)
        self._background: Background | None = None
        self._reading: Background | None = None

    # --- In the background ----------------------------------------------------------------------------------------

    def run_every(self, interval: str) -> None:
        """Do ``mem.maintain`` in the background every ``interval`` such as ``"1h"``, until the memory is closed.

        A pass is left out under load; an error of one is logged by its class, and the next one tries again.

        Raises:
            InvalidInput: ``interval`` is no duration, or none at all.
        """
        milliseconds = duration("interval", interval, "1h")
        if self._background is not None:
            self._background.stop()
        self._background = Background(self._pass, milliseconds / 1_000, self._busy)

    def _read_every(self, milliseconds: int) -> None:
        """Read on in the background what a model did not come to; see ``learning.background``."""
        self._reading = Background(partial(self._read_on, milliseconds), milliseconds / 1_000, self._busy)

    def _busy(self) -> bool:
        return self._components.reading.loaded

    def _pass(self, _: Background) -> None:
        self._components.ask("maintain")
        self._components.housekeep()

    def _read_on(self, waited: int, background: Background) -> None:
        parts = self._components
        parts.ask("learning.read_backlog")
        parts.settle()
        parts.text_learner.catch_up(parts.writer.now() - waited, background.aside)

    def stop(self) -> None:
        """Do nothing in the background any more; waits for what is under way in the store, and for no model."""
        for one in filter(None, (self._background, self._reading)):
            one.stop()
        self._background = self._reading = None

    # --- What has ended -------------------------------------------------------------------------------------------

    def expire(self) -> int:
        """Remove now what has expired; returns how many memories lost their content."""
        return maintenance.settle(self._components.writer, force=True)

    def end_session(self, session: str) -> int:
        """Say that a conversation is over: what was bound to it goes, with all that depends on it.

        So does what is ephemeral in it, where ``lives.ephemeral`` is set. Returns how many memories went.

        Raises:
            InvalidMemory: ``session`` is no name that a session could have.
        """
        name = check_text("session", session)
        self._components.settle()
        return use_and_session_expiry.end_session(self._components.writer, name)

    def confirm_clock(self) -> None:
        """Say that the clock is right after a jump: expiry goes on, and the store's time is the clock's (section 10).

        A clock has jumped that ran away from the elapsed time by more than five minutes while a process had the store
        open, or that is that much behind the last recorded time. It is believed without this call once both have
        agreed for an hour.
        """
        maintenance.confirm_clock(self._components.writer)
        maintenance.settle(self._components.writer, force=True)

    # --- Measured, made and written anew --------------------------------------------------------------------------

    def rescore(self, *, progress: Callable[[int], None] | None = None) -> int:
        """Measure anew how sensitive what is stored is; returns how many memories changed, each of them recorded.

        What was loaded, or stored before the settings or a user's preferences changed, is measured as if it was stored
        now. No memory ends below what its caller gave, or below what it derives from.

        Args:
            progress: hears how many memories were looked at.

        Raises:
            InvalidInput: the setting ``sensitivity.assess`` is off.
            EnvironmentFailure: the settings ask for presidio or a model, which is not installed.
        """
        parts = self._components
        if parts.writer.state.settings.sensitivity.assess == "off":
            msg = "sensitivity.assess is off, so nothing is measured; set it: mars settings sensitivity.assess=on"
            raise InvalidInput(msg)
        parts.settle()
        return rescore(parts.writer, parts.reader, parts.measure, progress)

    def reweigh(self, *, dry_run: bool = False, progress: Callable[[int], None] | None = None) -> Reweighed:
        """Weigh again what a version before weighed by another rule; :func:`marskg.open` does it by itself.

        Each change is recorded. What is above the budget then goes by the tenant's policy. After an interruption the
        next call, or opening, goes on where this one stopped.

        Args:
            dry_run: change nothing, and return what would be done; open with ``reweigh=False`` for that.
            progress: hears how many memories were looked at, then how many were changed.

        Raises:
            BudgetInfeasible: what is protected would weigh more than a budget; nothing was changed.
        """
        return reweigh(self._components.writer, progress, dry_run=dry_run)

    def reembed(self, model: str | None = None, *, progress: Callable[[int], None] | None = None) -> int:
        """Make the vectors of all memories with another model, or those that are missing; returns how many were made.

        Without ``model`` it is how to wait for the vectors that are made in the background after a write: when it
        returns, each memory has its own. Writes and reads go on meanwhile; what has no vector yet is found by its
        words. After an interruption the next call goes on where this one stopped.

        Args:
            model: as the setting ``embedding.model`` has it; the tenant's own if left out.
            progress: hears how many vectors were made.

        Raises:
            EmbeddingUnavailable: the model does not answer; if that is so from the beginning, nothing was changed.
            EmbeddingMismatch: somebody chose another model meanwhile.
            InvalidConfig, InvalidInput: ``model`` chooses no model.
        """
        parts = self._components
        parts.settle()
        spec = model or parts.writer.state.settings.embedding.model
        spec = usual() if spec == AUTO else spec
        if switch(parts.writer, spec, load_model(spec)) and parts.points:
            parts.clear_points()
        parts.vectoriser.wake()
        made = parts.make_vectors(progress)
        parts.reading.put_points(progress or (lambda _: None))
        return made

    def prepare(self, *, progress: Callable[[int], None] | None = None) -> int:
        """Read what retrieval answers from, which the first question would wait for; returns how much there is.

        Args:
            progress: called with the number of memories read, when the index has to be built from the store.
        """
        return self._components.reading.prepare(progress)

    def scrub(self) -> None:
        """Rewrite the store's files now, so that nothing is in them that is not in the store.

        For what was erased without it; one that was cut off is done when the store is next opened.

        Raises:
            NotPermitted: the store is on a server.
        """
        self._components.eraser.scrub()
