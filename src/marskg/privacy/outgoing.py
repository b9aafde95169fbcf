"""What of a memory may go to a language model that runs elsewhere: its text, redacted, or nothing and why.

Guarantees: nothing goes out where no model is named, of an encrypted tenant without its permission, of a private
memory or one of private mode, or where a preference of the tenant refuses it: a blacklisted conversation or name, a
private entity, an opt-out of the kind or the source, an opt-out of the purpose :data:`PURPOSE`, or a consent to it that
is required and not in force, of whomever it is about, names, or may name (:mod:`marskg.language.naming.caution`); or
where it is bound to a jurisdiction that is not the model's. Of the rest goes out what weighs no more than
``models.max_sensitivity`` after redaction, if redaction leaves anything of it; what its caller, its labels or an entity
make more sensitive than that, no redaction lets out. A reason names a rule and never what it hit.
Sources: issue 17 ("What goes to a model"); MaRS sections 3.2.3 and 3.3.3.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from marskg.config.settings import SUBJECT_KEYS
from marskg.extraction.model_reading import Shown
from marskg.language.naming.caution import may_name
from marskg.language.naming.edges import Verdict
from marskg.late_regex import late_regex
from marskg.ontology.vocabulary import MemoryClass, PreferenceRule
from marskg.privacy.sensing.model import PLACEHOLDERS
from marskg.privacy.sensitivity import lasting
from marskg.store.rows.name_rules import judged
from marskg.store.unit.preference_rules import Matter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from marskg.config.settings import Settings
    from marskg.drafts import Draft
    from marskg.privacy.sensitivity import Assessor
    from marskg.records import Memory, Preference
    from marskg.store.unit.preference_rules import Names, PreferenceSet

#: The purpose that a person opts out of, or consents to, so that a model reads what is about them.
PURPOSE: Final = "language_model"
TOO_SENSITIVE: Final = "more sensitive than models.max_sensitivity"
NOTHING_LEFT: Final = "redaction leaves nothing of it"
_PRIVATE: Final = PreferenceRule.PRIVATE_ENTITY
_PLACEHOLDER: Final = late_regex("|".join(map(re.escape, PLACEHOLDERS.values())))


class Outgoing:
    """Decides for one tenant, by its settings and preferences at one time."""

    def __init__(
        self,
        settings: Settings,
        preferences: PreferenceSet,
        assessor: Assessor,
        now: int,
        *,
        names: Names,
        setting: str,
    ) -> None:
        """Decide by ``settings`` and ``preferences`` at ``now`` (epoch ms); ``names`` says whom a turn names.

        The model is the one that ``setting``, such as ``models.extract``, names.
        """
        self._settings = settings
        self._preferences = preferences
        self._assessor = assessor
        self._now = now
        self._names = names
        self._setting = setting

    def shown(self, one: Memory | Draft, names: Iterable[str] = (), people: Iterable[str] = ()) -> Shown:
        """Return what a model may see of a turn, stored or about to be; ``names`` are those that it mentions.

        ``people`` are known besides those with preferences of their own, for a rule that asks everybody.

        Raises:
            EnvironmentFailure: the settings ask for presidio or a model of names, which is not installed.
        """
        why = self.refusal(one, names, people)
        if why is not None or one.content is None:
            return Shown(None, why or "it has no content")
        return self.text(one.content)

    def text(self, text: str) -> Shown:
        """Return what a model may see of a text of which nothing else is known; raises what :meth:`shown` does."""
        ceiling, sensitivity = self._settings.models.max_sensitivity, self._settings.sensitivity
        redacted = self._assessor.redactor(sensitivity).surface(text, ceiling).text
        left = _PLACEHOLDER.sub("", redacted)
        if left != redacted and not any(map(str.isalnum, left)):
            return Shown(None, NOTHING_LEFT)
        # "My password is [SECRET]" says no secret any more, and reads like one.
        if self._assessor.of_text(left, sensitivity) > ceiling:
            return Shown(None, TOO_SENSITIVE)
        return Shown(redacted)

    def refusal(self, one: Memory | Draft, names: Iterable[str], people: Iterable[str] = ()) -> str | None:
        """Return why a model may see nothing of what is stored, or about to be, whatever its text; None if it may."""
        settings, models = self._settings, self._settings.models
        if getattr(models, self._setting.rpartition(".")[2]) == "none":
            return f"{self._setting} names none"
        if settings.encryption == SUBJECT_KEYS and not models.encrypted:
            return "the tenant is encrypted, and models.encrypted is false"
        if one.memory_class is MemoryClass.PRIVATE:
            return "it is private"
        if one.purpose and PURPOSE not in one.purpose:
            return f"it is for other purposes than {PURPOSE}"
        matter = Matter.of(one, names)
        # Whoever refuses models refuses them for what others say of them, too.
        said = replace(matter, texts=(one.content or "",))
        about = (*matter.subjects, *self._named(matter, said, tuple(people)))
        matter = replace(matter, purpose=(*matter.purpose, PURPOSE), subjects=tuple(dict.fromkeys(about)))
        meant = self._meant(replace(said, subjects=matter.subjects))
        private = (1.0 if rule.level is None else rule.level for rule in meant if rule.preference_rule is _PRIVATE)
        kept = max(
            lasting(one.sensitivity or 0.0, one.sensitivity_reasons),
            self._preferences.floor(matter, self._names),
            *private,
        )
        if kept > models.max_sensitivity:
            return TOO_SENSITIVE
        return self._elsewhere(one.jurisdiction, matter.subjects) or self._unwanted(matter, meant)

    def _named(self, matter: Matter, said: Matter, people: tuple[str, ...]) -> Iterator[str]:
        """Yield whom ``matter`` names, or may name by what is ``said`` in it, with their preferences or without."""
        own = {one: self._names.forms(one) for one in self._preferences.people}
        same = {name for forms in own.values() for name in forms}
        others = {one: self._names.forms(one) for one in people if one not in same}
        names, (text,) = (*said.names, *said.subjects), said.texts
        for one, forms in (own | others).items():
            if may_name(forms, names, text) or judged(matter, forms).verdict is Verdict.IS:
                yield one

    def _meant(self, said: Matter) -> list[Preference]:
        """Return the rules about a name that may be meant by what is said."""
        preferences = self._preferences
        rules = (*preferences.of(PreferenceRule.BLACKLISTED_ENTITY), *preferences.of(_PRIVATE))
        return [
            rule
            for rule in rules
            if preferences.holds_for(rule, said.subjects) and self._names.may_be_meant(said, rule)
        ]

    def _unwanted(self, matter: Matter, meant: Iterable[Preference]) -> str | None:
        """Return which rule of somebody does not allow it, None where all do."""
        kept_out = (rule for rule in meant if rule.preference_rule is PreferenceRule.BLACKLISTED_ENTITY)
        found = self._preferences.refusal(matter, self._names) or next(kept_out, None)
        if found is not None:
            return f"the preference {found.preference_rule} does not allow it"
        if self._preferences.lacking(matter, self._now) is not None:
            return "a consent that it needs is not in force"
        return None

    def _elsewhere(self, jurisdiction: str | None, subjects: Iterable[str]) -> str | None:
        """Return why a turn under ``jurisdiction`` about ``subjects`` stays where it is, None where it need not."""
        place, preferences = self._settings.models.jurisdiction, self._preferences
        known = tuple(subjects)
        if place is None:
            bound = jurisdiction is not None or any(map(preferences.keeps_near, known))
            return "it is bound to a jurisdiction, and models.jurisdiction names none" if bound else None
        if preferences.reaches(jurisdiction, place) and not any(
            preferences.bars(subject, None, place, self._now) for subject in known
        ):
            return None
        return "it is bound to another jurisdiction than models.jurisdiction"
