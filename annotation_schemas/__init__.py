"""Floor 1: what a benchmark asks, as YAML, and the pure code that reads and checks it."""
