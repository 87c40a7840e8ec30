"""Files: what comes in from files, what goes out as files and releases, and a project held against itself.

Imports every room of the workflow but ``workflow.lead`` and ``workflow.labelstudio``.
"""
