"""Label Studio as a second front end: work that goes out to its screens, and answers that come back.

Imports ``workflow.access``, ``workflow.annotate`` and ``workflow.runs``; no room of the workflow imports this one.
"""
