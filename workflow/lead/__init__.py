"""Lead: what leads do to many items and see of many people: bulk changes, item histories, forecasts, scorecards.

Imports every room of the workflow but ``workflow.files`` and ``workflow.labelstudio``.
"""
