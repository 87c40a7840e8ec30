"""Lead: tools for leads, over many items and people: bulk changes, item histories, people at work.

Imports ``workflow.access``, ``workflow.annotate``, ``workflow.runs`` and ``workflow.results``.
"""
