"""Who may do what in a project."""

from __future__ import annotations

from enum import StrEnum

from domain.language import _, marked


class Role(StrEnum):
    """What a person may do in one project. An admin of the installation may do everything everywhere."""

    ANNOTATOR = "annotator"
    SENIOR = "senior"
    LEAD = "lead"


_RANK = {Role.ANNOTATOR: 0, Role.SENIOR: 1, Role.LEAD: 2}


_NAMES = {Role.ANNOTATOR: marked("annotator"), Role.SENIOR: marked("senior"), Role.LEAD: marked("lead")}


def role_name(role: Role) -> str:
    """Return the name of a role in the person's language."""
    return _(_NAMES[role])


def at_least(role: Role, wanted: Role) -> bool:
    """Whether ``role`` includes everything that ``wanted`` may do."""
    return _RANK[role] >= _RANK[wanted]
