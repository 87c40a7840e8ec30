"""Floor 2: benchmark files in, as records."""
