"""A person's drafts and submissions of lost tasks, postponed items and recent submissions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from annotation_schemas import registry
from annotation_schemas.kinds import title_of
from annotation_schemas.model import as_words
from db import answers, events, postponed, submissions, task_claims, tasks
from db.engine import Session, Store
from db.records import StoredDraft, StoredTask
from domain.errors import NotFoundError
from domain.language import _, marked
from domain.policies import LEASE
from domain.records import EarlierSubmission, ExpiredDraft, Person, PostponedTask, TextLine
from domain.states import TaskState
from workflow.access.projects import Access, access_by_id
from workflow.annotate.leases import may_resume
from workflow.annotate.task_views import fields_shown

MOST = 20
FIRST_WORDS = 90

LATE = marked("Your answer arrived too late. Your lease had ended, and another person had received the item.")
GONE = marked("Your lease has ended, and another person has the item.")
TAKEN_AWAY = marked("A lead withdrew this task from you.")
NOT_WANTED = marked("The item has changed or is settled, so the item needs no more votes.")


def postponed_tasks(store: Store, *, person: Person) -> list[PostponedTask]:
    """Return the tasks that a person has postponed or given back and can resume, oldest first."""
    with store.read() as session:
        now, returnable = store.now(), []
        for mark, row in postponed.of_person(session, person_id=person.id, limit=MOST):
            access = _access(session, person, row)
            if access is None:
                continue
            mine = (
                row.state is TaskState.CLAIMED and row.person_id == person.id and not task_claims.is_free(row, now=now)
            )
            if not mine and not may_resume(session, row=row, person=person, now=now):
                continue
            returnable.append(
                PostponedTask(
                    task=row.public_id,
                    project=access.name,
                    title=access.title,
                    stage=row.stage,
                    dimension=row.dimension,
                    words=_words(session, access, row),
                    at=mark.at,
                    released=mark.released,
                    yours_until=row.lease_until if mine else None,
                )
            )
        return returnable


def earlier_submissions(store: Store, *, person: Person) -> list[EarlierSubmission]:
    """Return what a person has submitted within the length of a lease, newest first, so that they can reopen it.

    The list contains submissions that can no longer be changed, too. Without them the list would reveal which items
    others have settled and which were gold checks.
    """
    with store.read() as session:
        earlier = []
        since = store.now() - LEASE
        recent = submissions.recent_of_person(session, person_id=person.id, since=since, limit=MOST)
        texts = answers.texts(session, ids=[row.prediction_id for _, row in recent if row.prediction_id is not None])
        for last, row in recent:
            access = _access(session, person, row)
            if access is not None:
                answer = texts.get(row.prediction_id or 0, "").strip()
                earlier.append(
                    EarlierSubmission(
                        task=row.public_id,
                        project=access.name,
                        title=access.title,
                        stage=row.stage,
                        dimension=row.dimension,
                        words=" · ".join(filter(None, [_words(session, access, row), answer[:FIRST_WORDS]])),
                        at=last.created_at,
                    )
                )
        return earlier


def of_person(store: Store, *, person: Person) -> list[ExpiredDraft]:
    """Return a person's drafts of tasks that they lost, newest first, and whether they can resume each task."""
    with store.read() as session:
        drafts = []
        for draft, row in submissions.lost_of_person(session, person_id=person.id, limit=MOST):
            access = _access(session, person, row)
            lines = lines_of(access, row, draft) if access is not None else ()
            if access is None or not lines:
                continue
            drafts.append(
                ExpiredDraft(
                    task=row.public_id,
                    project=access.name,
                    title=access.title,
                    stage=row.stage,
                    dimension=row.dimension,
                    words=_words(session, access, row),
                    at=draft.saved_at,
                    why=_why_lost(session, person, row, draft),
                    lines=lines,
                    free=may_resume(session, row=row, person=person, now=store.now()),
                )
            )
        return drafts


def _why_lost(session: Session, person: Person, row: StoredTask, draft: StoredDraft) -> str:
    if row.state is TaskState.WITHDRAWN:
        return _(NOT_WANTED)
    if events.taken_away(session, task_id=row.id, person_id=person.id, login=person.login):
        return _(TAKEN_AWAY)
    return _(LATE) if draft.lost else _(GONE)


def put_away(store: Store, *, person: Person, task: str) -> None:
    """Hide a draft from its writer's list; the draft stays in the database."""
    with store.write() as session:
        row = tasks.by_public_id(session, public_id=task)
        draft = submissions.draft(session, task_id=row.id, person_id=person.id, lock=True) if row else None
        if draft is None:
            raise NotFoundError(_("This draft does not exist, or belongs to another person. Reload the page."))
        submissions.put_away(session, draft=draft, now=store.now())


def _access(session: Session, person: Person, row: StoredTask) -> Access | None:
    """Return the task's project if this person is still a member and may work in the stage and the dimension."""
    try:
        access = access_by_id(session, person=person, project_id=row.project_id)
    except NotFoundError:
        return None
    return access if access.may_do(row.stage) and access.may_use(row.dimension) else None


def _words(session: Session, access: Access, row: StoredTask) -> str:
    """Return the first words of the item, from the fields that this stage may see."""
    seen = fields_shown(session, access=access, row=row, person=None)
    texts = [value for value in seen.values() if isinstance(value, str) and value.strip()]
    first = " ".join(texts[0].split()) if texts else ""
    return first if len(first) <= FIRST_WORDS else f"{first[: FIRST_WORDS - 1]}…"


def lines_of(access: Access, row: StoredTask, draft: StoredDraft) -> Sequence[TextLine]:
    """Return the draft as titles and texts."""
    content: Mapping[str, Any] = draft.content
    values = content.get("values") or {}
    reasons = content.get("reasons") or {}
    titles = {field.name: title_of(field) for field in access.schema.item.fields}
    titles |= {criterion.name: criterion.prompt for criterion in registry.criteria_of(access.schema, row.stage.value)}
    lines = [TextLine(titles.get(name, as_words(name)), _text(value)) for name, value in values.items() if _text(value)]
    lines += [
        TextLine(_("Reason, {name}").format(name=as_words(name).lower()), _text(value))
        for name, value in reasons.items()
        if value
    ]
    if content.get("note"):
        lines.append(TextLine(_("Note"), str(content["note"])))
    if content.get("comment"):
        lines.append(TextLine(_("Unsent comment"), str(content["comment"])))
    return tuple(lines)


def _text(value: Any) -> str:
    if value is None or value == "" or value == [] or value == {}:
        return ""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def text_of(lines: Sequence[TextLine]) -> str:
    """Return the submitted texts as plain text, for reading and copying."""
    return "\n\n".join(f"{line.title}\n{line.text}" for line in lines)
