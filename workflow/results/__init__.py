"""Results: numbers from what people, models and judges submitted, each with what it rests on.

The table of ratings, agreement, scores and leaderboards, calibration, cases. Imports ``workflow.access``,
``workflow.annotate`` and ``workflow.runs``.
"""
