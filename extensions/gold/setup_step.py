"""The line about gold checks in the list of steps before work begins."""

from __future__ import annotations

from db.engine import Session
from extensions.gold import queries
from extensions.gold.checks import STAGES, policy
from workflow.access.projects import Access
from workflow.lead.setup_step import SetupStep, join_stages


def gold_step(session: Session, access: Access) -> SetupStep | None:
    """Return whether each stage that asks for gold checks has some. None: the schema requires none."""
    asked = [stage for stage in STAGES if policy(access, stage) is not None]
    if not asked:
        return None
    bare = [stage for stage in asked if not queries.any_in(session, project_id=access.project_id, stage=stage)]
    sentence = (
        f"The {join_stages(access, bare)} has no gold checks. Make gold checks from settled items." if bare else "Made."
    )
    return SetupStep("Gold checks", not bare, sentence, "gold", place=20, action="Make gold checks")
