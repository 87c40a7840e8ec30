"""The line about gold checks in the list of steps before work begins."""

from __future__ import annotations

from db.engine import Session
from extensions.gold import queries
from extensions.gold.checks import STAGES, policy
from workflow.access.projects import Access
from workflow.lead.setup_step import SetupStep, join_stages


def gold_step(session: Session, access: Access) -> SetupStep:
    """Return whether each stage that asks for gold checks has some."""
    asked = [stage for stage in STAGES if policy(access, stage) is not None]
    bare = [stage for stage in asked if not queries.any_in(session, project_id=access.project_id, stage=stage)]
    sentence = (
        f"The {join_stages(access, bare)} has no gold checks. Make gold checks from settled items." if bare else "Made."
    )
    said = sentence if asked else "The schema requires no gold checks."
    return SetupStep("Gold checks", not bare, said, "gold", place=20, action="Make gold checks")
