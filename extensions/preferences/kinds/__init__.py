"""Kinds of this extension. Each module has the name of its kind."""
