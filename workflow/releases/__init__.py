"""Releases: frozen, numbered exports that anybody can load, verify and recompute."""
