"""The awaitable facade: :func:`aopen` and the classes that it leads to; ``facade.pyi`` has their types.

Guarantees: nothing but what :mod:`marskg.api.awaited.making` makes of the table of operations.
"""

from marskg.api.awaited.making import CLASSES, aopen
from marskg.api.awaited.objects import Opening

globals().update(CLASSES)

__all__ = [*CLASSES, "Opening", "aopen"]  # noqa: PLE0604 - its keys are the names
