"""Models behind an OpenAI-compatible endpoint: which may be asked, how fast, and what came of every attempt."""
