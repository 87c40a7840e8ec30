"""Notices: events that concern a person, computed from stored data, and which of them the person has seen.

A notice names no item, no rater and no text, because the author and the item of a comment could reveal something to
blind raters. A comment counts as read when its page shows it (``db.comment_threads.has_read``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from annotation_schemas.stage_titles import stage_in_sentence, stage_title
from db import projects, schedules, task_counts
from db.engine import Session, Store
from db.records import StoredProject
from domain import extensions
from domain.language import _, marked, ngettext
from domain.notices import TOLD_FOR, Notice, NoticeKind
from domain.qualification import Standing
from domain.records import Person
from domain.schedule import NEAR, day_of, said_of
from domain.states import Stage
from extensions.notices.queries import seen_notices as facts
from workflow.access import schedule
from workflow.access.projects import Access, access_to, stages_of

PARTS = {
    "annotator": marked("You now take part as an annotator."),
    "senior": marked("You now take part as a senior annotator."),
    "lead": marked("You now take part as a project lead."),
}
MEMBER = marked("You now take part as a member.")


def of_person(store: Store, *, person: Person) -> list[Notice]:
    """Return a person's current notices from their active projects: unseen notices first, each part newest first."""
    with store.read() as session:
        return notices_in(session, person=person, now=store.now())


def n_unseen(store: Store, *, person: Person) -> int:
    """Return how many notices a person has not seen."""
    return sum(not notice.seen for notice in of_person(store, person=person))


def see_all(store: Store, *, person: Person, keys: list[str]) -> None:
    """Mark a person's notices with these keys as seen; later notices stay new."""
    with store.write(archived_too=True) as session:
        now = store.now()
        ids = {row.name: row.id for row, _ in projects.of_person(session, person_id=person.id)}
        theirs = notices_in(session, person=person, now=now)
        wanted = {key: ids[notice.project] for notice in theirs for key in notice.keys if key in keys}
        if wanted:
            facts.note_seen(session, person_id=person.id, keys=wanted, now=now)


def notices_in(session: Session, *, person: Person, now: datetime) -> list[Notice]:
    """Return the same as ``of_person``, inside a transaction."""
    mine = {row.id: row for row, _ in projects.of_person(session, person_id=person.id) if row.archived_at is None}
    if not mine:
        return []
    notices = [
        *_parts(session, person, mine, now),
        *_given(session, person, mine, now),
        *(
            notice
            for source in extensions.rows("notice_sources")
            for notice in source(session, person=person, projects=mine)
        ),
        *_qualifications(session, person, mine, now),
        *_deadlines(session, person, mine, now),
    ]
    if not notices:
        return []
    known = facts.seen_notices(session, person_id=person.id, keys=[key for notice in notices for key in notice.keys])
    notices = [replace(notice, seen=known.issuperset(notice.keys)) for notice in notices]
    return sorted(notices, key=lambda each: (not each.seen, each.at), reverse=True)


# ---- each kind ------------------------------------------------------------------------------------------------------


def _parts(session: Session, person: Person, mine: Mapping[int, StoredProject], now: datetime) -> Iterator[Notice]:
    """Yield a notice of the person's current role; after several changes, only the last one."""
    newest = {
        row.project_id: row
        for row in facts.parts_set(
            session, projects=mine, login=person.login, person_id=person.id, since=now - TOLD_FOR
        )
    }
    for id, row in newest.items():
        if id is not None:
            words = _(PARTS.get(row.data.get("role", ""), MEMBER))
            yield _notice(NoticeKind.PART, mine[id], words, row.at, f"part:{row.id}")


def _given(session: Session, person: Person, mine: Mapping[int, StoredProject], now: datetime) -> Iterator[Notice]:
    by_stage: dict[tuple[int, Stage], list[tuple[int, datetime]]] = {}
    rows = facts.given_tasks(session, projects=mine, person_id=person.id, since=now - TOLD_FOR, now=now)
    for project, stage, event, at in rows:
        by_stage.setdefault((project, stage), []).append((event, at))
    for (project, stage), of_them in by_stage.items():
        called = stage_in_sentence(_access(session, person, mine[project]).schema, stage)
        n = len(of_them)
        words = ngettext(
            "You were assigned a task in the {stage}.", "You were assigned {n} tasks in the {stage}.", n
        ).format(n=n, stage=called)
        keys = (f"given:{event}" for event, _ in of_them)
        yield _notice(NoticeKind.GIVEN, mine[project], words, max(at for _, at in of_them), *keys)


def _qualifications(
    session: Session, person: Person, mine: Mapping[int, StoredProject], now: datetime
) -> Iterator[Notice]:
    since = now - TOLD_FOR
    newest = {
        row.id: (row, review, state, at)
        for row, review, state, at in facts.reviews(session, projects=mine, person_id=person.id, since=since)
    }
    for row, review, state, at in newest.values():
        project, stage = mine[row.project_id], Stage(row.stage)
        called = stage_in_sentence(_access(session, person, project).schema, stage)
        key = f"review:{review}"
        if state == Standing.PASSED:
            words = _("You have passed the qualification for the {stage}.").format(stage=called)
            yield _notice(NoticeKind.QUALIFIED, project, words, at, key)
        elif state == Standing.SENT_BACK:
            words = _("A senior annotator sent back your qualification for the {stage} and gave a reason.").format(
                stage=called
            )
            yield _notice(NoticeKind.SENT_BACK, project, words, at, key)
        elif state == Standing.FAILED:
            words = _(
                "You have not passed the qualification for the {stage} yet. Open the Qualification page "
                "to see the next step."
            )
            words = words.format(stage=called)
            yield _notice(NoticeKind.SENT_BACK, project, words, at, key)
    for row in facts.exemptions(session, projects=mine, person_id=person.id, since=since):
        project, stage = mine[row.project_id], Stage(row.stage)
        called = stage_in_sentence(_access(session, person, project).schema, stage)
        words = _("You may work in the {stage} without a qualification.").format(stage=called)
        yield _notice(NoticeKind.QUALIFIED, project, words, row.created_at, f"exempt:{row.id}")


def _deadlines(session: Session, person: Person, mine: Mapping[int, StoredProject], now: datetime) -> Iterator[Notice]:
    for id, row in schedules.newest(session, projects=mine).items():
        kept = schedule.read_schedule(row)
        near = [stage for stage in kept.deadlines if kept.is_near(stage, now)]
        access = _access(session, person, mine[id]) if near else None
        for stage in near:
            due = kept.deadlines[stage]
            over = due < day_of(now)
            at = datetime.combine(due + timedelta(days=1) if over else due - NEAR, time(), UTC)
            if access is None or now - at > TOLD_FOR or stage not in stages_of(access.schema):
                continue
            if access.may_do(stage) and _is_left(session, id, stage):
                called = stage_title(access.schema, stage)
                key = f"due:{id}:{stage}:{due}:{'over' if over else 'near'}"
                words = _("{stage} {due}, but the work is not finished.").format(stage=called, due=said_of(due, now))
                yield _notice(NoticeKind.DEADLINE, mine[id], words, max(at, row.created_at), key)


def _is_left(session: Session, project_id: int, stage: Stage) -> bool:
    """Return whether work is left in a stage; always true for stages that start from images."""
    if stage in (Stage.TRIAGE, Stage.AUTHORING):
        return True
    return task_counts.any_unfinished(session, project_id=project_id, stage=stage)


def _notice(kind: NoticeKind, project: StoredProject, words: str, at: datetime, *keys: str) -> Notice:
    return Notice(kind, project.name, project.title, words, at, keys)


def _access(session: Session, person: Person, project: StoredProject) -> Access:
    return access_to(session, person=person, project=project.name)
