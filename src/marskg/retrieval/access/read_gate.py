"""The read gate: which memories a reader may see at all, decided before anything is ranked (semantics section 9).

Guarantees: what the gate holds back takes no part in anything that follows: no candidate, no statistic of the ranking,
no count. The same rules are asked of columns, for all memories at once, and of a single memory read anew before it is
shown (:meth:`Gate.admits`), so that what expired or was superseded between the two is not shown either.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from marskg.kept_texts import keeping_texts
from marskg.language.naming.spellings import bare_form, name_form
from marskg.ontology.vocabulary import KINDS, Kind, MemoryClass, PreferenceRule, SourceType, TaskStatus, Tier
from marskg.records import held_at
from marskg.retrieval.index.memory_index import CLASSES, FOREVER, MICRO, SOURCES, STATUSES, TIERS
from marskg.store.unit.preference_rules import NOBODY, categories_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy.typing as npt

    from marskg.records import Memory
    from marskg.retrieval.index.memory_index import MemoryIndex
    from marskg.retrieval.index.metadata_filter import Condition
    from marskg.store.unit.preference_rules import PreferenceSet


#: People whose names are kept as they are compared.
_KEPT: Final = 10_000
#: The numbers of the states of a task that is closed.
ENDED: Final = [STATUSES.index(status) for status in (TaskStatus.DONE, TaskStatus.CANCELLED)]


@keeping_texts(_KEPT)
def called(person: str) -> str:
    """Return the form in which readers' names for people are compared: without case, width, unseen signs and quotes.

    By it a reader finds; whom an erasure or a right is of is told apart by the name as it is written.
    """
    return bare_form(name_form(person))


@dataclass(frozen=True, slots=True)
class Raised:
    """A ceiling that was raised for a while: by which grant, how far, and for memories about whom.

    ``handles`` are those of the people, which ``handle`` makes of a name; () for memories about anybody.
    """

    grant: str
    ceiling: float
    handles: tuple[str, ...]
    handle: Callable[[str], str]

    def means(self, subjects: Iterable[str]) -> bool:
        """Return whether memories about ``subjects`` are meant: about nobody beside those whom the grant names."""
        if not self.handles:
            return True
        handles = [self.handle(subject) for subject in subjects]
        return bool(handles) and all(handle in self.handles for handle in handles)


@dataclass(frozen=True, slots=True)
class Gate:
    """Who reads what: ``None`` asks for nothing in particular, and an empty tuple names nobody, so nothing passes.

    Tasks that are closed, or past their deadline plus ``task_grace`` (ms), are history: they are read with ``closed``
    only, or with ``as_of``. ``now`` and ``as_of`` are epoch milliseconds. With ``as_of`` what was valid then is read;
    without it what is current. A memory that is limited to purposes is seen only by a reader who states one of them;
    one of a region whose reading the preferences confine, not by one who is ``nowhere``: who has to say where they
    read, and has not. ``key_prefix`` ends at a slash or at the key's end, or in ``/*`` for what lies below it alone.
    ``bound``: the reader is a principal who is to learn of nothing that is hidden from them, also where they see all;
    ``about``: of memories they see those about these people alone, and of summaries that are about others too, none,
    as these say line by line whom they are about.
    """

    now: int
    as_of: int | None = None
    max_sensitivity: float | None = None
    purpose: str | None = None
    jurisdiction: str | None = None
    latent: bool = False
    unaffirmed: bool = False
    superseded: bool = False
    closed: bool = False
    task_grace: int = 0
    subjects: tuple[str, ...] | None = None
    sessions: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    kinds: tuple[Kind, ...] | None = None
    classes: tuple[MemoryClass, ...] | None = None
    sources: tuple[SourceType, ...] | None = None
    key_prefix: str | None = None
    since: int | None = None
    until: int | None = None
    #: What the free JSON of a memory has to fulfil.
    metadata: tuple[Condition, ...] = ()
    #: The tenant's preferences, asked at ``now``: consents, opt-outs, ceilings of categories, reading regions.
    preference_set: PreferenceSet = NOBODY
    bound: bool = False
    about: tuple[str, ...] | None = None
    raised: Raised | None = None
    nowhere: bool = False
    #: What the reader calls an access record; none is named to a bound reader who has no such names.
    names: Callable[[str], str] | None = field(default=None, compare=False, repr=False)
    #: Whether a leaf of free JSON, by its path and its canonical text, is shown under a ceiling as it is; None if all.
    keeps: Callable[[str, str, float], bool] | None = field(default=None, compare=False, repr=False)

    @property
    def restricted(self) -> bool:
        """Return whether the reader may see less than all: there is something that they must not learn of."""
        limits = (self.max_sensitivity, self.purpose, self.jurisdiction)
        return self.bound or self.preference_set.hides_some or any(limit is not None for limit in limits)

    def known(self) -> Gate:
        """Return the gate to all that the reader may know of, whatever they ask for: latent and closed ones too."""
        return Gate(
            now=self.now,
            max_sensitivity=self.max_sensitivity,
            purpose=self.purpose,
            jurisdiction=self.jurisdiction,
            latent=True,
            unaffirmed=True,
            superseded=True,
            closed=True,
            preference_set=self.preference_set,
            bound=self.bound,
            about=self.about,
            raised=self.raised,
            nowhere=self.nowhere,
            keeps=self.keeps,
        )

    def mask(self, index: MemoryIndex) -> npt.NDArray[np.bool_]:
        """Return ``[rows]``: what the reader may see."""
        held = index.columns
        live = held["tier"] == TIERS.index(Tier.LIVE)
        seen: npt.NDArray[np.bool_] = held["alive"] & (
            live | (held["tier"] == TIERS.index(Tier.LATENT)) if self.latent else live
        )
        seen &= held["expiresAt"] > self.now
        seen &= self._valid(index)
        if self.max_sensitivity is not None:
            seen &= self._below(index, self.max_sensitivity)
        if self.about is not None:
            seen &= self._own(index, self.about)
        seen &= self._allowed(index)
        return seen & self._asked(index)

    def _below(self, index: MemoryIndex, ceiling: float) -> npt.NDArray[np.bool_]:
        held = index.columns["sensitivity"]
        low: npt.NDArray[np.bool_] = np.less_equal(held, round(ceiling * MICRO))
        if self.raised is not None:
            low |= (held <= round(self.raised.ceiling * MICRO)) & self._meant(index, self.raised)
        return low

    @staticmethod
    def _meant(index: MemoryIndex, raised: Raised) -> npt.NDArray[np.bool_]:
        """Return ``[rows]``: those for which the ceiling is raised."""
        if not raised.handles:
            return np.ones(index.columns.rows, dtype=np.bool_)
        meant = {one for one in index.facets["subject"] if raised.means((one,))}
        others = [one for one in index.facets["subject"] if one not in meant]
        found: npt.NDArray[np.bool_] = index.facet("subject", meant) & ~index.facet("subject", others)
        return found

    @staticmethod
    def _own(index: MemoryIndex, about: tuple[str, ...]) -> npt.NDArray[np.bool_]:
        others = index.facet("subject", [one for one in index.facets["subject"] if one not in about])
        attributed = index.columns["sourceType"] == SOURCES.index(SourceType.REFLECTION)
        own: npt.NDArray[np.bool_] = index.facet("subject", about) & ~(others & attributed)
        return own

    def _asked(self, index: MemoryIndex) -> npt.NDArray[np.bool_]:
        """Return what the reader asks for, of what they may see."""
        held = index.columns
        seen = np.ones(held.rows, dtype=np.bool_)
        if self.subjects is not None:
            wanted = {called(one) for one in self.subjects}
            seen &= index.facet("subject", [one for one in index.facets["subject"] if called(one) in wanted])
        for name, words in (("session", self.sessions), ("tag", self.tags)):
            if words is not None:
                seen &= index.facet(name, words)
        for name, values, all_values in (
            ("kind", self.kinds, KINDS),
            ("memoryClass", self.classes, CLASSES),
            ("sourceType", self.sources, SOURCES),
        ):
            if values is not None:
                seen &= np.isin(held[name], [all_values.index(value) for value in values])
        if self.key_prefix is not None:
            seen &= index.facet("key", [key for key in index.facets["key"] if _under(key, self.key_prefix)])
        if self.since is not None:
            seen &= held["validFrom"] >= self.since
        if self.until is not None:
            seen &= held["validFrom"] < self.until
        for one in self.metadata:
            seen &= self._having(index, one)
        return seen

    def _having(self, index: MemoryIndex, one: Condition) -> npt.NDArray[np.bool_]:
        """Return ``[rows]``: what fulfils ``one`` by a leaf that is shown as it is; what is taken out finds nothing."""
        words = one.among(index.facets["metadata"]) if one.is_range else [(index.hidden(one.word), one.value)]
        found = dict(words)
        keeps, ceiling = self.keeps, self.max_sensitivity
        if keeps is None or ceiling is None:
            return index.facet("metadata", found)
        having = index.facet("metadata", [word for word, text in found.items() if keeps(one.path, text, ceiling)])
        if self.raised is not None:
            above = max(ceiling, self.raised.ceiling)
            more = [word for word, text in found.items() if keeps(one.path, text, above)]
            having |= index.facet("metadata", more) & self._meant(index, self.raised)
        return having

    def _valid(self, index: MemoryIndex) -> npt.NDArray[np.bool_]:
        held = index.columns
        if self.as_of is not None:
            found: npt.NDArray[np.bool_] = (held["validFrom"] <= self.as_of) & (self.as_of < held["validTo"])
            return found
        valid: npt.NDArray[np.bool_] = held["validFrom"] <= self.now
        if not self.superseded:
            # What will be replaced holds until then: a value may be stored before it becomes true.
            valid &= (held["supersededAt"] == FOREVER) | (held["validTo"] < FOREVER)
            valid &= held["validTo"] > self.now
        if not self.unaffirmed:
            valid &= held["unaffirmedSince"] == FOREVER
        if not self.closed:
            ended = held["deadline"] <= self.now - self.task_grace
            for code in ENDED:
                ended |= held["status"] == code
            valid &= ~ended
        return valid

    def _allowed(self, index: MemoryIndex) -> npt.NDArray[np.bool_]:
        limited = index.facets["purpose"]
        allowed = np.ones(index.columns.rows, dtype=np.bool_)
        if limited:
            allowed &= ~index.facet("purpose", limited)
            if self.purpose is not None:
                allowed |= index.facet("purpose", [self.purpose])
        if self.jurisdiction is not None or self.nowhere:
            held = index.columns["jurisdiction"]
            codes = [
                code for code in np.unique(held).tolist() if self._reads_from(None if code < 0 else index.words[code])
            ]
            allowed &= np.isin(held, codes)
        return allowed & self._preferred(index) if self.preference_set else allowed

    def _is_confined(self, memory: Memory) -> bool:
        """Return whether rules say from where ``memory`` may be read, by its region or by whom it is about."""
        return self.preference_set.confines(memory.jurisdiction) or any(
            map(self.preference_set.keeps_near, memory.subjects)
        )

    def _reads_from(self, region: str | None) -> bool:
        """Return whether a memory under ``region`` may be read from where the reader is."""
        return self.preference_set.reaches(region, self.jurisdiction) and not (
            self.nowhere and self.preference_set.confines(region)
        )

    def _preferred(self, index: MemoryIndex) -> npt.NDArray[np.bool_]:
        """Return what the preferences let be read for the stated purpose and from the stated jurisdiction."""
        preference_set, purpose = self.preference_set, self.purpose
        if not preference_set.permits((), purpose, self.now):
            return np.zeros(index.columns.rows, dtype=np.bool_)
        subjects = list(index.facets["subject"])
        barred = [
            name
            for name in subjects
            if preference_set.bars(name, purpose, self.jurisdiction, self.now)
            or (self.nowhere and preference_set.keeps_near(name))
        ]
        seen: npt.NDArray[np.bool_] = ~index.facet("subject", barred)
        if preference_set.of(PreferenceRule.SENSITIVITY_CEILING):
            reasons = [word for word in index.facets["reason"] if categories_of((word,))]
            for row in np.flatnonzero(index.facet("reason", reasons) & seen).tolist():
                seen[row] = not preference_set.hides(
                    index.facets_of(row, "reason"),
                    index.columns["sensitivity"][row] / MICRO,
                    index.facets_of(row, "subject"),
                    purpose,
                    self.now,
                )
        return seen

    def admits(self, memory: Memory) -> bool:
        """Return whether the reader may see ``memory``, read anew."""
        tiers = (Tier.LIVE, Tier.LATENT) if self.latent else (Tier.LIVE,)
        return (
            memory.content is not None
            and memory.tier in tiers
            # What is bound to one use, and had it, is on its way out.
            and not (memory.use_bound and memory.access_count)
            and (memory.expires_at is None or memory.expires_at > self.now)
            and self._admits_time(memory)
            and (self.max_sensitivity is None or self._is_below(memory, self.max_sensitivity))
            and (self.about is None or self.owns(memory, self.about))
            and (not memory.purpose or self.purpose in memory.purpose)
            and self.preference_set.admits(memory, self.purpose, self.jurisdiction, self.now)
            and not (self.nowhere and self._is_confined(memory))
            and (self.subjects is None or not {*map(called, memory.subjects)}.isdisjoint(map(called, self.subjects)))
            and (self.sessions is None or memory.session in self.sessions)
            and (self.tags is None or bool({*memory.intent_tags} & {*self.tags}))
            and (self.kinds is None or memory.kind in self.kinds)
            and (self.classes is None or memory.memory_class in self.classes)
            and (self.sources is None or memory.source_type in self.sources)
            and (self.key_prefix is None or (memory.key is not None and _under(memory.key, self.key_prefix)))
            and (self.since is None or memory.valid_from >= self.since)
            and (self.until is None or memory.valid_from < self.until)
            and (not self.metadata or self.finds(memory))
        )

    def finds(self, memory: Memory) -> bool:
        """Return whether the free JSON of a memory, as far as its reader is shown it, is what they ask for."""
        return all(one.holds(memory.metadata) for one in self.metadata)

    def ceiling_for(self, memory: Memory) -> float | None:
        """Return the sensitivity up to which the reader may read ``memory``, None if up to any."""
        if self.max_sensitivity is None or self.raised is None or not self.raised.means(memory.subjects):
            return self.max_sensitivity
        return max(self.max_sensitivity, self.raised.ceiling)

    def _is_below(self, memory: Memory, ceiling: float) -> bool:
        raised = self.raised
        return memory.sensitivity <= ceiling or (
            raised is not None and memory.sensitivity <= raised.ceiling and raised.means(memory.subjects)
        )

    @staticmethod
    def owns(memory: Memory, about: tuple[str, ...]) -> bool:
        """Return whether a memory is about one of these people, and says not line by line that others are meant."""
        whole = memory.source_type is not SourceType.REFLECTION or {*memory.subjects} <= {*about}
        return whole and not {*about}.isdisjoint(memory.subjects)

    def _admits_time(self, memory: Memory) -> bool:
        if self.as_of is not None:
            return held_at(memory, self.as_of)
        open_ended = memory.superseded_at is None and memory.valid_to is None
        current = open_ended or (memory.valid_to is not None and memory.valid_to > self.now)
        return (
            memory.valid_from <= self.now
            and (current or self.superseded)
            and (memory.unaffirmed_since is None or self.unaffirmed)
            and (self.closed or not self._ended(memory))
        )

    def _ended(self, memory: Memory) -> bool:
        """Return whether a memory is a task that is closed or past."""
        past = memory.deadline is not None and memory.deadline <= self.now - self.task_grace
        return memory.status in {TaskStatus.DONE, TaskStatus.CANCELLED} or past


def _under(key: str, prefix: str) -> bool:
    """Return whether ``key`` is ``prefix`` or lies below it; below it alone where that ends in ``/*``."""
    prefix = prefix.removesuffix("*") if prefix.endswith("/*") else prefix
    return key == prefix or key.startswith(prefix if prefix.endswith("/") else f"{prefix}/")
