"""Queries that store the rows of an archive, and that delete the rows of a project."""
