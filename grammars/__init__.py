"""The language grammars: one Lark file a language, and what they share."""
