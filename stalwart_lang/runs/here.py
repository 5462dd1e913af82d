"""What the steps of a conversation work with."""

from dataclasses import dataclass

from stalwart_lang.runs.history_token import Keys
from stalwart_lang.runs.model import Model
from stalwart_lang.runs.spec import AgentSpec
from stalwart_lang.runs.storage import Storage
from stalwart_lang.selector.selector import Selector
from stalwart_lang.tracing.agent import AgentSpans


@dataclass(frozen=True, slots=True)
class Here:
    """The agent, the store it is kept in, and which conversation it is."""

    spec: AgentSpec
    selector: Selector | None
    model: Model | None
    storage: Storage
    keys: Keys
    tracer: AgentSpans
    thread: str
