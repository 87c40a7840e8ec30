"""The checklist before work begins: lines with their state and the page for each."""

from __future__ import annotations

from collections.abc import Iterator

from db import events, items, missing_media, projects
from db.engine import Session, Store
from domain import extensions
from domain.records import Person
from extensions.planner import queries
from workflow.access.event_log import log
from workflow.access.projects import Access, as_member, require_lead, stages_of
from workflow.annotate import image_pool
from workflow.lead.setup_step import SetupStep, join_stages

HIDDEN = "checklist.hidden"


def before_start(store: Store, *, by: Person | None, project: str) -> list[SetupStep] | None:
    """Return the checklist, for leads. None if people have begun, the project is archived, or a lead has hidden the
    list.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        if access.archived or queries.any_in(session, project_id=access.project_id):
            return None
        if events.count(session, project_id=access.project_id, kinds=(HIDDEN,)):
            return None
        return list(_before_start(session, access))


def hide(store: Store, *, by: Person, project: str) -> None:
    """Hide the checklist from all leads of the project."""
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        if not events.count(session, project_id=access.project_id, kinds=(HIDDEN,)):
            log(session, HIDDEN, by=by, project=access, now=store.now())


def _before_start(session: Session, access: Access) -> Iterator[SetupStep]:
    n = sum(items.count_by_state(session, project_id=access.project_id).values())
    images = image_pool.count(session, access=access, dimensions=None) if access.schema.stages.authoring else 0
    there = f"{n:,} in the project" if n or not images else f"{images:,} free images to write items about"
    yield SetupStep("Items", bool(n or images), there, "import_")
    waiting = len(missing_media.waiting_in(session, project_id=access.project_id, needed=access.needed_roles))
    lacking = f"{waiting:,} wait for images or clips that are not there" if waiting else "nothing is missing"
    yield SetupStep("Media", bool(n or images) and not waiting, lacking if n else "come with the items", "import_")
    yield _people(session, access)
    words = len(access.loaded.guideline_text.split())
    sentence = f"version {access.guideline}, {words:,} words" if words else "none"
    yield SetupStep("Guideline", bool(words), sentence, "guideline")
    steps = [step(session, access) for step in extensions.rows("setup_steps")]
    yield from sorted(steps, key=lambda step: step.place)
    sentence = "no one has submitted anything yet; My work leads people to what waits for them"
    yield SetupStep("Start", False, sentence, "my_work")


def _people(session: Session, access: Access) -> SetupStep:
    theirs = [as_member(access, member) for member, _ in projects.members(session, project_id=access.project_id)]
    empty = [stage for stage in stages_of(access.schema) if not any(person.may_do(stage) for person in theirs)]
    sentence = f"{len(theirs):,} take part"
    if empty:
        sentence += f"; no one may do the {join_stages(access, empty)}"
    return SetupStep("People and rights", len(theirs) > 1 and not empty, sentence, "people")
