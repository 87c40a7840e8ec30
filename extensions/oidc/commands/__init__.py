"""The command ``touchstone identity``."""
