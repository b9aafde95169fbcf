"""A tool of the Model Context Protocol that takes what it declares, and nothing besides.

Guarantees: a call with an argument that the tool does not have, or with one of another type, is refused before the tool
is entered, by the argument's name, what was meant and what there is, and never by its value; the schema that clients
are told says so. Source: Model Context Protocol 2026-07-28, server/tools; JSON Schema 2020-12, additionalProperties.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from pydantic import ValidationError

from marskg.errors import within_bounds
from marskg.meant import unknown_arguments

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.mcpserver import Context
    from mcp.types import ToolAnnotations

#: What the library calls an argument that is not there.
_MISSING: Final = "missing"


class ExactTool(Tool):
    """A tool whose arguments are those of its schema."""

    @classmethod
    def declaring(cls, fn: Callable[..., object], name: str, annotations: ToolAnnotations) -> Tool:
        """Return the tool of a function, whose schema says that there are no other arguments."""
        made = cls.from_function(fn, name, annotations=annotations)
        made.parameters["additionalProperties"] = False
        return made

    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],
        convert_result: bool = False,  # noqa: FBT001, FBT002 - as the library calls it
    ) -> Any:  # noqa: ANN401 - as the library has it
        """Call it.

        Raises:
            ToolError: an argument is unknown, missing or of another type, or the tool refuses.
        """
        known = list(self.parameters["properties"])
        unknown = [name for name in arguments if name not in known]
        if unknown:
            raise ToolError(within_bounds(f"InvalidCall: {unknown_arguments(self.name, unknown, known)}"))
        try:
            return await super().run(arguments, context, convert_result)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(within_bounds(_unfit(self.name, error.__cause__))) from None
            raise


def _unfit(tool: str, error: ValidationError) -> str:
    """Return what is said of arguments that are missing or of another type, without what was given."""
    told = []
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        place = ".".join(map(str, one["loc"]))
        told.append(f"{tool} needs {place}" if one["type"] == _MISSING else f"{place} of {tool}: {one['msg']}")
    return f"InvalidCall: {'; '.join(dict.fromkeys(told))}"
