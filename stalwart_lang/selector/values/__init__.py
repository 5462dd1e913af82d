"""Values as people type them: numbers, money, dates, times, and what identifies a person."""
