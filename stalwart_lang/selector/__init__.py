"""The selector: a turn in English or Brazilian Portuguese becomes a typed plan."""
