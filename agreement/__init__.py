"""Floor 1: pure statistics about raters. Works with nothing but ``domain`` beside it."""
