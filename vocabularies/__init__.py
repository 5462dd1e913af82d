"""Ready vocabularies, each in English and Brazilian Portuguese, and the format's JSON Schema."""
