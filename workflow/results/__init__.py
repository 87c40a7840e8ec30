"""Results: what everything that was submitted and answered comes to, as numbers with what they rest on.

The table of ratings, agreement, scores and leaderboards, calibration, cases. Imports ``workflow.access``,
``workflow.annotate`` and ``workflow.runs``.
"""
