"""The span of a run of an agent's graph, where LangGraph runs it and not the agent."""

from contextlib import AbstractContextManager, nullcontext

from stalwart_lang.otel.node_spans import Held, NodeSpans
from stalwart_lang.tracing.context import continue_trace


class RunSpans(NodeSpans):
    """Opens the run's span, and none for its nodes: the steps of an agent open their own."""

    def around_node(
        self,
        name: str,  # noqa: ARG002
        step: int,  # noqa: ARG002
        parent: str | None,
    ) -> AbstractContextManager[None]:
        """Have what the step opens go below the run."""
        return continue_trace(parent) if parent else nullcontext()

    def tell(self, name: str, held: Held, parent: str | None) -> None:
        """Record nothing: the step that pauses or goes on does."""
