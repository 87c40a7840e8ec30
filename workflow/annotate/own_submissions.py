"""A person's own submissions: their answers, and the item in the form that they saw.

The list depends only on what the person saw and answered. Gold checks, other people's answers and later verdicts
change neither its rows, nor their order, nor how a row looks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from annotation_schemas import kinds, registry
from annotation_schemas.kinds import options_of, title_of
from annotation_schemas.model import as_words
from annotation_schemas.stage_titles import stage_title
from db import item_revisions, own_submissions
from db.engine import Session, Store
from db.records import StoredAnnotation
from domain.errors import NotFoundError
from domain.item_filter import LONGEST, texts, typed_value
from domain.language import _
from domain.records import Person, TaskView, TextLine
from domain.states import Stage
from workflow.access.projects import Access, access_to, stages_of
from workflow.annotate import others_answers, sent_back
from workflow.annotate.adjudication import DECISION_TITLES
from workflow.annotate.task_views import task_as_it_was, visible_fields
from workflow.annotate.verdicts import DECIDED_IN

PAGE = 50
FIRST_WORDS = 160


@dataclass(frozen=True)
class OwnSubmission:
    """A row of the list: the submission that counts for one task."""

    id: str
    task: str
    at: datetime
    stage: Stage
    dimension: str
    words: str
    """First words of the item."""
    said: Sequence[TextLine]
    """The questions and the person's answers, in the words of the form."""
    corrected: bool
    """Whether it replaced an earlier submission of theirs."""
    shows_others: bool
    """Whether the schema shows what others answered, once the item is settled."""


@dataclass(frozen=True)
class SubmissionPage:
    """A page of the list, and the number of rows on all pages."""

    rows: Sequence[OwnSubmission]
    n: int


@dataclass(frozen=True)
class AsItWas:
    """One submission with the item as its writer saw it, and their earlier submissions."""

    row: OwnSubmission
    view: TaskView
    """The task, with the answers as its draft."""
    before: Sequence[OwnSubmission]
    others: str = ""
    """Why other people's answers are not shown, where the schema shows them after an item is settled."""


def stages_and_dimensions(store: Store, *, person: Person, project: str) -> tuple[list[Stage], list[str]]:
    """Return the stages and dimensions whose submissions a person may list: those in which they may work."""
    with store.read() as session:
        return _own(access_to(session, person=person, project=project))


def find(
    store: Store,
    *,
    person: Person,
    project: str,
    stage: Stage | None = None,
    dimension: str | None = None,
    day: date | None = None,
    text: str = "",
    offset: int = 0,
    limit: int = PAGE,
) -> SubmissionPage:
    """Return a person's submissions in a project, newest first.

    ``day`` is a day in UTC. ``text`` is searched in the fields that the item's stage shows, ignoring case.
    """
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        begin = datetime.combine(day, time(), UTC) if day is not None else None
        of = _whose(access, person, stage=stage, dimension=dimension, day=begin)
        wanted = text.strip()[:LONGEST].lower()

        def says(where: Stage, content: Mapping[str, Any]) -> bool:
            return any(wanted in shown.lower() for shown in texts(visible_fields(access.schema, where, content)))

        annotations, n = own_submissions.page(
            session, of=of, text=wanted, says=says if wanted else None, offset=offset, limit=limit
        )
        return SubmissionPage(_rows(session, access, annotations), n)


@dataclass(frozen=True)
class ReturnedItem:
    """A person's item that was sent back to them and not yet changed."""

    row: OwnSubmission
    why: str
    at: datetime


def sent_back_to(store: Store, *, person: Person, project: str) -> list[ReturnedItem]:
    """Return the items that were sent back to their author in a project, oldest first."""
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        mine = {
            returned_item.item_id: returned_item
            for returned_item in sent_back.of_project(session, access=access).values()
            if returned_item.author_id == person.id
        }
        if not mine:
            return []
        of = _whose(access, person, stage=Stage.AUTHORING)
        annotations = own_submissions.of_items(session, of=of, item_ids=sorted(mine))
        rows = zip(annotations, _rows(session, access, annotations), strict=True)
        returned = [
            ReturnedItem(row, mine[annotation.item_id].why, mine[annotation.item_id].at) for annotation, row in rows
        ]
        return sorted(returned, key=lambda each: each.at)


def look(store: Store, *, person: Person, project: str, submission: str, with_others: bool = False) -> AsItWas:
    """Return one of the person's submissions and its item at that time; raise ``NotFoundError`` for any other
    submission.

    ``with_others`` adds what other people answered, if the schema shows it. The person then gets no further blind task
    about the item.
    """
    with store.read() as session:
        access = access_to(session, person=person, project=project)
        annotation_and_task = own_submissions.find_submission(session, of=_whose(access, person), public_id=submission)
        if annotation_and_task is None:
            raise NotFoundError(
                _("None of your submissions in this project has this ID. Choose a submission from the list.")
            )
        annotation, row = annotation_and_task
        before = own_submissions.before(session, said=annotation)
        shown, *earlier = _rows(session, access, [annotation, *before])
        view = task_as_it_was(session, access=access, row=row, person=person, said=annotation)
        asks_others = with_others and others_answers.are_shown(access, row.stage)
    as_it_was = AsItWas(shown, view, earlier)
    return _with_others(store, as_it_was, person, project, submission) if asks_others else as_it_was


def _with_others(store: Store, found: AsItWas, person: Person, project: str, submission: str) -> AsItWas:
    """Return the submission with what others answered, or with why that is not shown."""
    with store.write() as session:
        access = access_to(session, person=person, project=project)
        theirs = own_submissions.find_submission(session, of=_whose(access, person), public_id=submission)
        if theirs is None:
            return found
        said, row = theirs
        others = others_answers.look_at_others(session, access=access, row=row, said=said, person=person, store=store)
    if others is None:
        return replace(found, others=_(others_answers.NOT_YET))
    if not others:
        return replace(found, others=_(others_answers.NO_OTHERS))
    return replace(found, view=replace(found.view, votes=tuple(others)))


def _own(access: Access) -> tuple[list[Stage], list[str]]:
    schema = access.schema
    stages = [*stages_of(schema)]
    return (
        [stage for stage in stages if stage is not Stage.TRIAGE and access.may_do(stage)],
        [dimension.id for dimension in schema.dimensions if access.may_use(dimension.id)],
    )


def _whose(
    access: Access,
    person: Person,
    *,
    stage: Stage | None = None,
    dimension: str | None = None,
    day: datetime | None = None,
) -> own_submissions.SubmissionFilter:
    stages, dimensions = _own(access)
    return own_submissions.SubmissionFilter(
        project_id=access.project_id,
        person_id=person.id,
        stages=[own_stage for own_stage in stages if stage in (None, own_stage)],
        dimensions=[own_dimension for own_dimension in dimensions if dimension in (None, own_dimension)],
        since=day,
        until=day + timedelta(days=1) if day is not None else None,
    )


def _rows(session: Session, access: Access, found: Sequence[StoredAnnotation]) -> list[OwnSubmission]:
    contents = item_revisions.contents(session, ids=[row.item_id for row in found])
    tasks = own_submissions.tasks(session, ids=[row.task_id for row in found])
    rows = []
    for row in found:
        seen = visible_fields(access.schema, row.stage, contents[row.item_id, row.revision])
        first = next((value for value in seen.values() if isinstance(value, str) and value.strip()), "")
        rows.append(
            OwnSubmission(
                id=row.public_id,
                task=tasks[row.task_id],
                at=row.created_at,
                stage=row.stage,
                dimension=row.dimension,
                words=_clipped(" ".join(first.split())),
                said=_said(access, row, seen),
                corrected=row.supersedes_id is not None,
                shows_others=others_answers.are_shown(access, row.stage),
            )
        )
    return rows


_NOTHING = ""
"""Key among a criterion's labels for the answer that no option applies."""


def _said(access: Access, row: StoredAnnotation, seen: Mapping[str, Any]) -> list[TextLine]:
    titles = {field.name: title_of(field) for field in access.schema.item.fields}
    labels: dict[str, dict[str, str]] = {
        field.name: {typed_value(option.value): option.label for option in field.options}
        for field in access.schema.item.fields
    }
    why: dict[str, dict[str, str]] = {}
    for criterion in registry.criteria_of(access.schema, row.stage.value, row.dimension):
        titles[criterion.name] = criterion.prompt
        options = options_of(criterion, seen)
        labels[criterion.name] = {typed_value(option.value): option.label for option in options}
        if row.stage is Stage.COMPARISON:  # its page names the sides in the person's language
            on_page = kinds.of_criterion(criterion).page_options(criterion) or []
            labels[criterion.name] |= {typed_value(option["value"]): option["label"] for option in on_page}
        if kinds.of_criterion(criterion).none_is_answer:
            labels[criterion.name][_NOTHING] = criterion.none or kinds.of_criterion(criterion).nothing
        reasons = [reason for option in options for reason in option.reasons]
        reasons += criterion.skip.reasons if criterion.skip else []
        why[criterion.name] = {typed_value(reason.value): reason.label for reason in reasons}
    if row.stage is Stage.ADJUDICATION and access.schema.stages.adjudication is not None:
        causes = access.schema.stages.adjudication.reasons
        titles |= {"cause": _("Cause"), "decision": _("Decision")}
        labels["cause"] = {typed_value(cause.value): cause.label for cause in causes}
        labels[DECIDED_IN] = {stage.value: stage_title(access.schema, stage) for stage in Stage}
        labels["decision"] = {decision: _(title) for decision, title in DECISION_TITLES.items()}
    lines = []
    for name, value in row.answers.items():
        words = _in_words(value, labels.get(name, {}))
        reason = _in_words(row.reasons.get(name), why.get(name, {}))
        answer_text = " · ".join(filter(None, [words, reason]))
        if answer_text:
            lines.append(TextLine(titles.get(name, as_words(name)), _clipped(answer_text)))
    if row.note:
        lines.append(TextLine(_("Note"), _clipped(row.note)))
    return lines


def _in_words(value: Any, labels: Mapping[str, str]) -> str:
    """Return a value in the words of the form."""
    if value is None or value in ("", {}):
        return ""
    if value == []:
        return labels.get(_NOTHING, "")
    if isinstance(value, list):
        return "; ".join(_in_words(value_part, labels) for value_part in value)
    if isinstance(value, Mapping):
        return kinds.in_words(value) or json.dumps(value, ensure_ascii=False)
    return labels.get(typed_value(value), typed_value(value))


def _clipped(words: str) -> str:
    return words if len(words) <= FIRST_WORDS else f"{words[: FIRST_WORDS - 1]}…"
