"""A tenant's settings: every name, default, range and meaning stated once, as the fields of typed dataclasses.

To add one, add a line to the dataclass of its section; all else follows from it (docs/adr/0012).
"""

from __future__ import annotations

from marskg.config.durations import duration_ms
from marskg.config.forgetting import (
    FEATURES,
    AdaptiveSettings,
    PartitionSettings,
    PolicySettings,
    Scoring,
    TieredSettings,
)
from marskg.config.former import FORMER_DEFAULTS, knows_lives
from marskg.config.keeping import (
    LeanSettings,
    PrivacySettings,
    ReflectionSettings,
    SensitivitySettings,
    SuppressionSettings,
)
from marskg.config.models import ModelSettings
from marskg.config.reading import (
    AUTO,
    EXACT,
    GROUPED,
    AssemblySettings,
    AuditSettings,
    EmbeddingSettings,
    EntitySettings,
    LearningSettings,
    RankingWeights,
    RetrievalSettings,
)
from marskg.config.settings import ARCHIVE, PRESETS, SETTINGS, Settings, check_value, writable
from marskg.config.table import Setting, Value
from marskg.config.yaml_file import Marked, read_marked_yaml, read_yaml

__all__ = [
    "ARCHIVE",
    "AUTO",
    "EXACT",
    "FEATURES",
    "FORMER_DEFAULTS",
    "GROUPED",
    "PRESETS",
    "SETTINGS",
    "AdaptiveSettings",
    "AssemblySettings",
    "AuditSettings",
    "EmbeddingSettings",
    "EntitySettings",
    "LeanSettings",
    "LearningSettings",
    "Marked",
    "ModelSettings",
    "PartitionSettings",
    "PolicySettings",
    "PrivacySettings",
    "RankingWeights",
    "ReflectionSettings",
    "RetrievalSettings",
    "Scoring",
    "SensitivitySettings",
    "Setting",
    "Settings",
    "SuppressionSettings",
    "TieredSettings",
    "Value",
    "check_value",
    "duration_ms",
    "knows_lives",
    "read_marked_yaml",
    "read_yaml",
    "writable",
]
