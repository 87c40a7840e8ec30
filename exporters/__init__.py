"""Floor 2: records out, as benchmark files."""
