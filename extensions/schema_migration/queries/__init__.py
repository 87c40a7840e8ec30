"""Queries that only a change of the schema makes."""
