"""The line about qualification in the list of steps before work begins."""

from __future__ import annotations

from db.engine import Session
from domain.states import Stage
from workflow.access.projects import Access
from workflow.annotate.qualification import policy, without_set
from workflow.lead.setup_step import SetupStep, join_stages


def qualification_step(session: Session, access: Access) -> SetupStep | None:
    """Return whether each stage that asks for a qualification has a set of items. None: the schema requires none."""
    if not any(policy(access, stage) for stage in Stage):
        return None
    without = without_set(session, access=access)
    state = (
        f"Nobody can start the {join_stages(access, without)}, because a qualification set is missing."
        if without
        else "Made."
    )
    return SetupStep(
        "Qualification", not without, state, "qualify", place=10, action="Make qualification set", setup=True
    )
