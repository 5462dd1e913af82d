"""Vocabularies: YAML to checked, positioned, frozen values."""
