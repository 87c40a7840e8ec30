"""Results: figures from the submissions of people, models and judges, each with its units and losses.

The table of ratings, agreement, scores and leaderboards. Imports ``workflow.access``,
``workflow.annotate`` and ``workflow.runs``.
"""
