"""Files: what comes in from files, what goes out as files and releases, and a project held against itself.

Imports ``workflow.access``, ``workflow.annotate``, ``workflow.runs`` and ``workflow.results``.
"""
