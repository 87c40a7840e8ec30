"""Kinds of this extension, each called as its module is."""
