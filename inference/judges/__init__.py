"""Judges: their prompts, and the parsers of their replies."""
