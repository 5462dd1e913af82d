"""The tool check as middleware of LangChain's `create_agent`. Importing this imports LangChain."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from langchain.agents.middleware import AgentMiddleware

if TYPE_CHECKING:
    from stalwart_lang.graphs.tool_checks import ToolCheck


class ToolCheckMiddleware(AgentMiddleware[Any, Any, Any]):
    """Checks each call before its tool runs."""

    def __init__(self, check: "ToolCheck") -> None:
        super().__init__()
        self._check = check

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Run a call that may run; of another, return a result that says why not."""
        return self._check.run_alone(request, handler)

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Do as `wrap_tool_call` does, where tools are awaited."""
        return await self._check.arun_alone(request, handler)
