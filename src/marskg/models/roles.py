"""What language models do for a tenant: one setting of ``models``, and one key, for each."""

from __future__ import annotations

from typing import Final

from marskg.errors import EnvironmentFailure, ExtractorUnavailable, SummariserUnavailable
from marskg.models.asking import Role

#: Keys come from the environment and are never stored.
READING: Final = Role("models.extract", "the extracting model", "MARS_EXTRACTION_KEY", ExtractorUnavailable)
JUDGING: Final = Role("models.judge", "the judging model", "MARS_JUDGEMENT_KEY", EnvironmentFailure)
CURATING: Final = Role(
    "models.curate",
    "the summarising model",
    "MARS_CURATION_KEY",
    SummariserUnavailable,
    former_key="MARS_SUMMARISER_KEY",
)
ROLES: Final = (READING, JUDGING, CURATING)
