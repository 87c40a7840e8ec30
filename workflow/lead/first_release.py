"""The steps from a new project to its first release, each with its state and its page."""

from __future__ import annotations

from collections.abc import Iterator

from db import missing_media, projects, releases, work_pace
from db.engine import Session, Store
from domain import extensions
from domain.english import with_noun
from domain.item_counts import COUNTS
from domain.records import Person
from domain.states import ItemState
from workflow.access.item_counts import count_project
from workflow.access.projects import Access, as_member, require_lead, stages_of
from workflow.annotate import image_pool
from workflow.lead.setup_step import SetupStep, join_stages

_IN_PLAY = [state for state in ItemState if state is not ItemState.REJECTED]


def first_release_steps(store: Store, *, by: Person | None, project: str) -> list[SetupStep] | None:
    """Return the ordered steps, for leads. None if there is a release, or the project is archived."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        if access.archived or releases.last_number(session, project_id=access.project_id):
            return None
        return [*_before_votes(session, access), *_until_release(session, access)]


def _before_votes(session: Session, access: Access) -> Iterator[SetupStep]:
    n_dimensions = len(access.schema.dimensions)
    dimensions = with_noun(n_dimensions, "dimension")
    yield SetupStep("Form", True, f"Version {access.schema.version} has {dimensions}.", "schema")
    words = len(access.loaded.guideline_text.split())
    guideline = (
        f"Version {access.guideline} has {with_noun(words, 'word')}." if words else "The project has no guideline yet."
    )
    yield SetupStep("Guideline", bool(words), guideline, "guideline", action="Write guideline", setup=True)
    items = _items(session, access)
    yield items
    if access.needed_roles:
        yield _media(session, access, there=items.done)
    yield _people(session, access)
    added = (step(session, access) for step in extensions.rows("setup_steps"))
    yield from sorted((step for step in added if step is not None), key=lambda step: step.place)


def _media(session: Session, access: Access, *, there: bool) -> SetupStep:
    waiting = len(missing_media.waiting_in(session, project_id=access.project_id, needed=access.needed_roles))
    sentence = "No images or clips are missing." if there else "The project has no images or clips yet."
    if waiting:
        sentence = f"{with_noun(waiting, 'item lacks', 'items lack')} images or clips."
    elif optional := len(missing_media.incomplete(session, project_id=access.project_id, states=_IN_PLAY)):
        sentence = (
            f"{with_noun(optional, 'item lacks', 'items lack')} an image or clip that people can work without. A "
            "release needs all files of its items."
        )
    return SetupStep("Media", there and not waiting, sentence, "import_", action="Add media")


def _items(session: Session, access: Access) -> SetupStep:
    n = count_project(session, access=access).written
    images = image_pool.count(session, access=access, dimensions=None) if access.schema.stages.authoring else 0
    if n or not images:
        sentence = f"{with_noun(n, 'item is', 'items are')} written." if n else "The project has no items yet."
    else:
        sentence = f"Authors can write about {with_noun(images, 'image')}."
    return SetupStep("Items", bool(n or images), sentence, "import_", action="Add items", setup=True)


def _people(session: Session, access: Access) -> SetupStep:
    theirs = [as_member(access, member) for member, _ in projects.members(session, project_id=access.project_id)]
    empty = [stage for stage in stages_of(access.schema) if not any(person.may_do(stage) for person in theirs)]
    sentence = f"The project has {len(theirs):,} members."
    if len(theirs) < 2:
        sentence = "The project has no other members yet."
    if empty:
        sentence += f" Nobody can work in the {join_stages(access, empty)}."
    done = len(theirs) > 1 and not empty
    return SetupStep("People", done, sentence, "people", action="Invite people", setup=True)


def _until_release(session: Session, access: Access) -> Iterator[SetupStep]:
    begun = bool(work_pace.newest(session, project_id=access.project_id))
    sentence = "People have submitted work." if begun else "There are no submissions yet."
    yield SetupStep("First votes", begun, sentence, "people")
    counts = count_project(session, access=access)
    open_ = [
        (COUNTS[name].number(counts), COUNTS[name].label) for name in ("in_verification", "in_adjudication", "left")
    ]
    unfinished = ", ".join(f"{n:,} {label}" for n, label in open_ if n)
    finished = begun and bool(counts.written) and not unfinished
    sentence = f"{unfinished[:1].upper()}{unfinished[1:]}." if unfinished else "All items have a verdict."
    yield SetupStep("Verdicts", finished, sentence if counts.written else "There are no items yet.", "items")
    yield SetupStep("Release", False, "The project has no release yet.", "release")
