"""Models behind an OpenAI-compatible endpoint: permissions, rate limits, and the outcome of every attempt."""
