"""Differences between two versions of a schema, and the decisions that they require in a project with data.

``compare`` is the entry point. It knows no database, and asks an object for the affected data (``Uses``). The kinds
of changes and the ways to decide about them are tables (``CHANGE_KINDS``, ``WAYS``).
"""

from __future__ import annotations

from extensions.schema_migration.changes.compared import compare, targets
from extensions.schema_migration.changes.comparison import AffectedCounts, Change, ChangeDecision, Comparison, Uses
from extensions.schema_migration.changes.decisions import Decision, Decisions
from extensions.schema_migration.changes.rows import CHANGE_KINDS, WAYS, ChangeKind, DecisionKind, Status

__all__ = [
    "CHANGE_KINDS",
    "WAYS",
    "AffectedCounts",
    "Change",
    "ChangeDecision",
    "ChangeKind",
    "Comparison",
    "Decision",
    "DecisionKind",
    "Decisions",
    "Status",
    "Uses",
    "compare",
    "targets",
]
