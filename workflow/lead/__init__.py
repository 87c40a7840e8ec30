"""Lead: what leads do to many items and see of many people: bulk changes, item histories, forecasts, scorecards.

Imports ``workflow.access``, ``workflow.annotate``, ``workflow.runs`` and ``workflow.results``.
"""
