"""Who may do what in a project."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What a person may do in one project. An admin of the installation may do everything everywhere."""

    ANNOTATOR = "annotator"
    SENIOR = "senior"
    LEAD = "lead"


_RANK = {Role.ANNOTATOR: 0, Role.SENIOR: 1, Role.LEAD: 2}


def at_least(role: Role, wanted: Role) -> bool:
    """Whether ``role`` includes everything that ``wanted`` may do."""
    return _RANK[role] >= _RANK[wanted]
