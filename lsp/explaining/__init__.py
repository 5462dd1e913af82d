"""What a vocabulary says, explained to people: readings, tools, rules, words, keys."""
