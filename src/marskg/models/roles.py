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
#: Somebody waits for an answer, so that it is tried once, and not for long.
EXPANDING: Final = Role(
    "models.expand", "the expanding model", "MARS_EXPANSION_KEY", EnvironmentFailure, wait="expand", tries=1
)
ROLES: Final = (READING, JUDGING, CURATING, EXPANDING)
