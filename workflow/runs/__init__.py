"""Runs: models and judges are asked about many items, by workers, and every attempt is kept.

Imports ``workflow.access``, ``workflow.annotate`` and ``workflow.jobs``.
"""
