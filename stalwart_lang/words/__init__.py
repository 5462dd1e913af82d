"""Words before any grammar: their letters and their forms, in both languages."""
