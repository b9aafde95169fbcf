"""A report on one subject in the forms in which it is given: JSON-LD, HTML, Markdown.

Guarantees: all three are made from the same holdings, when they are asked for; making them changes nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from marskg.answer import Answer
from marskg.errors import InvalidInput
from marskg.privacy.report.document import document
from marskg.privacy.report.page import as_html, as_markdown

if TYPE_CHECKING:
    from marskg.privacy.report.gather import Held, Holdings

#: The suffixes of the files that a report is written to.
FORMS: Final = ("jsonld", "html", "md")


@dataclass(frozen=True, slots=True)
class SubjectReport(Answer, rows="held"):
    """All that is held about one subject; ``holdings`` has it as records, ``document`` as JSON-LD."""

    holdings: Holdings

    @property
    def held(self) -> tuple[Held, ...]:
        """Return the memories, in the order in which they were stored."""
        return self.holdings.held

    @property
    def withheld(self) -> int:
        """Return of how many memories the text is withheld."""
        return sum(one.withheld for one in self.held)

    @property
    def document(self) -> dict[str, Any]:
        """Return the report as JSON-LD."""
        return document(self.holdings)

    def as_html(self) -> str:
        """Return the report as one HTML file that reaches for nothing outside of itself."""
        return as_html(self.holdings)

    def as_markdown(self) -> str:
        """Return the report as Markdown."""
        return as_markdown(self.holdings)

    def written(self, form: str) -> str:
        """Return the text of a file in one of :data:`FORMS`.

        Raises:
            InvalidInput: ``form`` is none of them.
        """
        if form not in FORMS:
            msg = f"form is none of {', '.join(FORMS)}; name one of them"
            raise InvalidInput(msg)
        if form == "jsonld":
            return json.dumps(self.document, ensure_ascii=False, indent=2) + "\n"
        return self.as_html() if form == "html" else self.as_markdown()
