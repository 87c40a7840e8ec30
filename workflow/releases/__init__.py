"""Releases: frozen, numbered exports that anybody can load, verify and recompute.

Imports ``workflow.access``, ``workflow.annotate``, ``workflow.runs``, ``workflow.results`` and ``workflow.files``.
"""
