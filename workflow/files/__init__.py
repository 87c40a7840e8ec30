"""Files: imports, exports and releases, and the check of a stored project.

Imports ``workflow.access``, ``workflow.annotate``, ``workflow.runs`` and ``workflow.results``.
"""
