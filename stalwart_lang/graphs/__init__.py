"""What teams with graphs of LangGraph of their own use; `stalwart_lang.graph` is the way in."""
