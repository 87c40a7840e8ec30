"""Schemas: a project's schema changes while it is in use: what that does, doing it, and taking it back.

Imports ``workflow.access``, ``workflow.annotate`` and ``workflow.files``.
"""
