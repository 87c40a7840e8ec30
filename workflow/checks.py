"""Checking a project against itself: caches against votes, slots against the protocol."""

from __future__ import annotations

from db import checks as queries
from db import events, items, projects
from db.engine import Session, Store
from domain.errors import NotFound
from domain.states import Stage
from workflow.projects import Access, access_to
from workflow.verify import open_verification, settle, verdict_of


def check(store: Store, *, project: str | None = None, rebuild: bool = False) -> list[str]:
    """Everything in a project (or in all) that its votes, its policy and the protocol do not explain; empty if all
    is well.

    With ``rebuild`` the cached states are brought up to the votes and missing slots are opened; what was submitted
    is never touched.
    """
    with store.read() as session:
        names = [row.name for row in projects.everything(session)]
    if project is not None and project not in names:
        raise NotFound(f"There is no project {project!r}; there are: {', '.join(names) or 'none'}.")
    return [
        difference
        for name in names
        if project in (None, name)
        for difference in _check_project(store, name, rebuild=rebuild)
    ]


def _check_project(store: Store, name: str, *, rebuild: bool) -> list[str]:
    with store.write() if rebuild else store.read() as session:
        access = access_to(session, person=None, project=name)
        found = [f"{name}: {sentence}" for sentence in _broken_rules(session, access)]
        for item in items.of_project(session, project_id=access.project_id):
            verdict = verdict_of(session, access=access, item=item)
            missing = _missing_slots(session, access, item.id or 0, item.current_revision)
            if verdict.state is item.state and not missing:
                continue
            if verdict.state is not item.state:
                found.append(
                    f"{name}: item {item.external_id} is stored as {item.state.value}, but its votes make it"
                    f" {verdict.state.value}. {verdict.why}"
                )
            if missing:
                found.append(f"{name}: item {item.external_id} lacks {missing} of its slots for votes.")
            if rebuild:
                locked = items.lock(session, id=item.id or 0)
                now = store.now()
                revision = (locked.id or 0, locked.current_revision, locked.dimension)
                open_verification(session, access=access, revisions=[revision], now=now)
                settle(session, access=access, item=locked, now=now)
        if rebuild and found:
            events.record(
                session,
                at=store.now(),
                kind="project.rebuilt",
                project_id=access.project_id,
                data={"differences": len(found)},
            )
    return found


def _missing_slots(session: Session, access: Access, item_id: int, revision: int) -> int:
    stage = access.schema.stages.verification
    if stage is None:
        return 0
    return max(stage.raters - queries.slots(session, item_id=item_id, revision=revision), 0)


def _broken_rules(session: Session, access: Access) -> list[str]:
    """What the constraints of the database should have made impossible."""
    said = []
    schema = access.schema.stages
    for stage, raters in (
        (Stage.VERIFICATION, schema.verification.raters if schema.verification else 0),
        (Stage.GRADING, schema.grading.raters if schema.grading else 0),
        (Stage.ADJUDICATION, 1 if schema.adjudication else 0),
    ):
        for unit, n in queries.overfilled(session, project_id=access.project_id, stage=stage, raters=raters):
            said.append(f"{unit} has {n} submissions that count, but the schema asks for {raters}.")
    for external_id in queries.own_votes(session, project_id=access.project_id):
        said.append(f"item {external_id} was verified by somebody who wrote or edited it.")
    for public_id in queries.done_without_annotation(session, project_id=access.project_id):
        said.append(f"task {public_id} is done, but nothing was submitted for it.")
    for public_id in queries.annotated_but_open(session, project_id=access.project_id):
        said.append(f"task {public_id} is open, but something was submitted for it.")
    return said
