"""Authoring: create and change items, written in the browser, imported in bulk, or edited into a new revision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation_schemas import kinds
from annotation_schemas.model import Schema
from annotation_schemas.shown import shown_fields
from db import assets, comment_threads, events, item_revisions, items, task_claims, task_slots, tasks
from db.engine import Session, Store
from db.records import StoredItem, StoredTask
from db.types import public_id
from domain.errors import InvalidInputError, NotAllowedError, NotFoundError, Problem
from domain.language import _
from domain.records import Person, Submission
from domain.roles import Role, at_least
from domain.states import VERIFICATIONS, ItemState, Stage, TaskState
from workflow.access.event_log import log, log_items
from workflow.access.projects import Access, access_to
from workflow.annotate import answer_readings, answering, sent_back, stage_kinds
from workflow.annotate.task_views import roles_of
from workflow.annotate.verification import first_state, open_verification, settle


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item to be added to a project."""

    external_id: str
    dimension: str
    fields: Mapping[str, Any]
    assets: Sequence[tuple[str, int]] = ()
    """Role and asset id of each asset, in order."""
    file_id: int | None = None
    position: int | None = None
    fragment_lead: str | None = None
    fragment_raw: str | None = None
    author_id: int | None = None


def add_items(
    session: Session,
    *,
    access: Access,
    new: Sequence[NewItem],
    now: datetime,
    person_id: int | None = None,
    offered: bool = True,
) -> list[int]:
    """Add items with their first revision and return their ids in the same order.

    If ``offered`` is true, also open the slots for work on them. Check the fields first: this function looks nothing up
    per item, so you can add thousands at once.
    """
    state = first_state(access)
    ids = items.insert_rows(
        session,
        rows=[
            {
                "public_id": public_id(),
                "project_id": access.project_id,
                "dimension": item.dimension,
                "external_id": item.external_id,
                "author_id": item.author_id,
                "file_id": item.file_id,
                "position": item.position,
                "fragment_lead": item.fragment_lead,
                "fragment_raw": item.fragment_raw,
                "state": state,
                "current_revision": 1,
                "created_at": now,
            }
            for item in new
        ],
    )
    items.insert_revisions(
        session,
        rows=[_revision(access, id, 1, item.fields, item.author_id, now) for id, item in zip(ids, new, strict=True)],
    )
    items.insert_assets(
        session, rows=[row for id, item in zip(ids, new, strict=True) for row in _asset_links(id, item.assets)]
    )
    if offered:
        revisions = [(id, 1, item.dimension) for id, item in zip(ids, new, strict=True)]
        open_verification(session, access=access, revisions=revisions, now=now)
        answering.open_new(session, access=access, revisions=revisions, now=now)
    written = [(id, item.author_id) for id, item in zip(ids, new, strict=True) if item.author_id is not None]
    for id, author_id in written:
        by = person_id if person_id is not None else author_id
        log(session, "item.authored", by=by, project=access, item=id, now=now)
    imported = [id for id, item in zip(ids, new, strict=True) if item.author_id is None]
    log_items(session, "item.imported", by=person_id, project=access, items={id: {} for id in imported}, now=now)
    return ids


def revise(
    session: Session,
    *,
    access: Access,
    item: StoredItem,
    fields: Mapping[str, Any],
    editor_id: int | None,
    now: datetime,
) -> int:
    """Give a locked item a new revision, on which voting starts over, and return the revision's number.

    People who have seen others' votes on an earlier revision are no longer asked about the item blind.
    """
    call_off(session, access=access, item=item)
    for person_id in events.lookers(session, item_id=item.id):
        comment_threads.note_insight(session, item_id=item.id, person_id=person_id, now=now)
    item = items.lock(session, id=item.id)
    number = item.current_revision + 1
    items.revise(session, item=item, row=_revision(access, item.id, number, fields, editor_id, now))
    log(session, "item.revised", by=editor_id, project=access, item=item, now=now, data={"revision": number})
    answer_readings.refresh(session, access=access, item_id=item.id, now=now)
    open_verification(session, access=access, revisions=[(item.id, number, item.dimension)], now=now)
    stage_kinds.follow_revision(session, access=access, revision=(item.id, number, item.dimension), now=now)
    settle(session, access=access, item=item, now=now)
    return number


def call_off(session: Session, *, access: Access, item: StoredItem) -> None:
    """Withdraw all open tasks on the current revision of a locked item."""
    for stage in VERIFICATIONS[: max(len(access.schema.stages.verifications), 1)]:
        about = {"item_id": item.id, "revision": item.current_revision}
        units = [task_slots.unit_of_revision(stage, **about), task_slots.unit_to_settle(stage, **about)]
        task_slots.withdraw(session, units=units)
    answering.close(session, access=access, item_id=item.id, revision=item.current_revision, dimension=item.dimension)
    for id in tasks.answers_in_refinement(session, item_id=item.id):
        unit = task_slots.unit_of_refinement(prediction_id=id, revision=item.current_revision)
        task_slots.withdraw(session, units=[unit])


def edit_item(store: Store, *, person: Person | None, project: str, item: str, fields: Mapping[str, Any]) -> int:
    """Change some fields of an item (page id or external id) into a new revision, and return its number.

    For seniors and leads; the command on the machine itself passes ``person=None``. Votes on the earlier revision no
    longer count.
    """
    with store.write() as session:
        access = access_to(session, person=person, project=project)
        if not at_least(access.role, Role.SENIOR):
            raise NotAllowedError(_("Only seniors and leads can edit items. Add a note to your vote instead."))
        item_row = items.by_public_id(session, project_id=access.project_id, public_id=item)
        item_row = item_row or items.by_external_id(session, project_id=access.project_id, external_id=item)
        if item_row is None:
            raise NotFoundError(
                _("There is no item {item} in {project}. Choose another item.").format(
                    item=repr(item), project=repr(project)
                )
            )
        row = items.lock(session, id=item_row.id)
        before = item_revisions.content(session, item_id=item_row.id, revision=row.current_revision)
        content = {**before, **fields}
        problems = edit_problems(access.schema, before, content, row.dimension)
        if problems:
            raise InvalidInputError(problems)
        editor_id = person.id if person else None
        return revise(session, access=access, item=row, fields=content, editor_id=editor_id, now=store.now())


def edit_problems(
    schema: Schema, before: Mapping[str, Any], content: Mapping[str, Any], dimension: str
) -> list[Problem]:
    """Return the problems with an edit: nothing changed, or a changed field is invalid.

    Fields that were invalid before the edit, as happens in real files, do not block a correction of other fields.
    """
    if content == before:
        return [Problem("fields", _("You have not changed any field. Change a field, or choose another decision."))]
    changed = {name for name in content if name not in before or content[name] != before[name]}
    by_before = {problem.name for problem in _problems(schema, before, dimension)}
    return [
        problem
        for problem in _problems(schema, content, dimension)
        if problem.name in changed or problem.name not in by_before
    ]


def _problems(schema: Schema, fields: Mapping[str, Any], dimension: str) -> list[Problem]:
    """Return the problems with an item's fields, including wording rules that are enforced."""
    return [*kinds.check_fields(schema, fields, dimension), *kinds.refused_wording(schema, fields)]


STAGES_OF_WRITING = (Stage.AUTHORING, Stage.REFINEMENT, Stage.ADJUDICATION)
"""Stages in which people write an item's texts."""


def wording(
    store: Store, *, person: Person, project: str, stage: Stage, fields: Mapping[str, Any]
) -> list[kinds.Unheld]:
    """Return the wording rules that a person's unsaved texts break; nothing is stored.

    The check reads only these texts and only fields that the stage shows, so it reveals nothing about other fields.
    """
    with store.read() as session:
        access = access_to(session, person=person, project=project)
    if stage not in STAGES_OF_WRITING or not access.may_do(stage):
        raise NotAllowedError(_("You do not write items in this stage. Ask a lead of the project."))
    seen = {field.name for field in shown_fields(access.schema, stage)}
    return list(kinds.unheld_wording(access.schema, fields, seen=seen))


def earlier(
    store: Store, *, person: Person, project: str, dimension: str, but: str | None = None, limit: int = 300
) -> list[str]:
    """Return the first text field of recent items in a dimension, newest first, for comparison.

    ``but`` is the item that is being corrected, if any.
    """
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        if not access.may_do(Stage.AUTHORING) or not access.may_use(dimension):
            raise NotAllowedError(_("You do not write items for this dimension. Ask a lead of the project."))
        texts = [field.name for field in access.schema.item.fields if field.authored and kinds.of_field(field).written]
        if not texts:
            return []
        latest_contents = item_revisions.latest_contents(
            session, project_id=access.project_id, dimension=dimension, limit=limit, but=but
        )
        return [content[texts[0]] for content in latest_contents if isinstance(content.get(texts[0]), str)]


# ---- the step of submit ----------------------------------------------------------------------------------------------


def check(session: Session, access: Access, row: StoredTask, given: Submission) -> Sequence[Problem]:
    """Return the problems with a written item; fields that are not on the form are not required."""
    authored = {field.name for field in access.schema.item.fields if field.authored}
    foreign = [
        Problem(name, _("{name} is not a field that authors write. Reload the page.").format(name=name))
        for name in given.values
        if name not in authored
    ]
    return foreign or [
        problem for problem in _problems(access.schema, given.values, row.dimension) if problem.name in authored
    ]


def place(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> tuple[int, int]:
    """Return the written item and its revision: a new item, or a new revision if this is a correction."""
    if row.item_id is not None:
        item = items.lock(session, id=row.item_id)
        before = item_revisions.content(session, item_id=row.item_id, revision=item.current_revision)
        content = {**before, **given.values}
        content = {name: content[name] for name in content if name in given.values or name not in _authored(access)}
        number = revise(session, access=access, item=item, fields=content, editor_id=person.id, now=now)
        return row.item_id, number
    picked = assets.picks(session, task_id=row.id)
    roles = roles_of(access.schema.item.assets, [asset for _, asset, _ in picked]) or []
    new = NewItem(
        external_id=f"{row.dimension}/{row.public_id}",
        dimension=row.dimension,
        fields=given.values,
        assets=[(role, asset.id) for role, (_, asset, _) in zip(roles, picked, strict=True)],
        author_id=person.id,
    )
    (item_id,) = add_items(session, access=access, new=[new], now=now)
    task_claims.note_item(session, row=row, item_id=item_id)
    return item_id, 1


def after(
    session: Session, access: Access, row: StoredTask, given: Submission, person: Person, now: datetime
) -> ItemState | None:
    """Return the item's state."""
    return items.by_id(session, id=row.item_id or 0).state


def why_fixed(session: Session, access: Access, row: StoredTask, now: datetime) -> str | None:
    """Return why the author can no longer correct an item, or None if they can."""
    item = items.lock(session, id=row.item_id or 0)
    if sent_back.of_item(session, item=item) is not None:
        return None
    editors = {revision.editor_id for revision in item_revisions.revisions(session, item_id=item.id)}
    if editors - {row.person_id}:
        return _(
            "Someone has edited this item since you wrote the item, so you cannot change the item. If the item is "
            "wrong, tell a senior."
        )
    if items.has_predictions(session, item_id=item.id):
        return _(
            "Models have already answered this item, so you cannot change the item. If the item is wrong, tell "
            "a senior."
        )
    unit = task_slots.unit_of_revision(Stage.VERIFICATION, item_id=item.id, revision=item.current_revision)
    for slot in tasks.of_unit(session, unit=unit, lock=True):  # later stages start only after votes in this one
        if slot.state is TaskState.DONE:
            return _(
                "Someone has already voted on this item, so you cannot change the item. If the item is wrong, "
                "tell a senior."
            )
        if slot.state is TaskState.CLAIMED and not task_claims.is_free(slot, now=now):
            return _(
                "Someone is verifying this item now, so you cannot change the item. If the item is wrong, tell "
                "a senior."
            )
    return None


def _authored(access: Access) -> set[str]:
    return {field.name for field in access.schema.item.fields if field.authored}


def _revision(
    access: Access, item_id: int, number: int, fields: Mapping[str, Any], editor_id: int | None, now: datetime
) -> dict[str, Any]:
    return {
        "item_id": item_id,
        "number": number,
        "content": kinds.fields_in_order(access.schema, fields),
        "editor_id": editor_id,
        "schema_version_id": access.schema_version_id,
        "created_at": now,
    }


def _asset_links(item_id: int, given: Sequence[tuple[str, int]]) -> list[dict[str, Any]]:
    seen: dict[str, int] = {}
    rows = []
    for role, asset_id in given:
        position = seen.get(role, 0)
        seen[role] = position + 1
        rows.append({"item_id": item_id, "asset_id": asset_id, "role": role, "position": position})
    return rows
