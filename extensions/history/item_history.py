"""The full history of an item, for seniors and leads who are not asked about the item blind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation_schemas.keys import key_is_private
from annotation_schemas.state_words import state_called
from db import comment_threads, events, guidelines, item_revisions, items, people
from db.engine import Session, Store
from db.records import StoredAnnotation, StoredEvent, StoredItem, StoredPerson
from domain.errors import NotAllowedError, NotFoundError
from domain.exposure import Disclosure, Fact, Route
from domain.records import Person
from domain.roles import Role, at_least
from domain.states import BLIND, VERIFICATIONS, ItemState, Purpose
from extensions.history import item_origin, queries
from extensions.history.log_files import shown_kind
from extensions.history.records import AnswerView, ItemHistory, RevisionView, Step
from workflow.access import exposure
from workflow.access.event_log import log
from workflow.access.projects import Access, access_to
from workflow.access.visibility import FOR_SENIORS, look_into
from workflow.annotate import stage_kinds
from workflow.annotate.item_titles import title_of
from workflow.annotate.task_views import asset_view

NOBODY = "Touchstone"
"""The name for automatic events."""

KEY_IS_PRIVATE = (
    "Only leads can see an item's history, because the history shows the key and this benchmark keeps its keys private."
)

WORDS: Mapping[str, str] = {
    "item.authored": "wrote the item",
    "item.imported": "imported the item from a file",
    "item.revised": "edited the item",
    "item.state": "set the state to {to} ({why})",
    "task.claimed": "started the item ({stage})",
    "task.expired": "lost the item after the lease ended ({stage})",
    "task.released": "gave the item back ({stage})",
    "task.late": "submitted after the lease ended, so Touchstone kept the answer as a draft ({stage})",
    "task.submitted": "submitted ({stage})",
    "task.corrected": "corrected an earlier answer ({stage})",
    "task.reopened": "reopened the answer ({stage})",
    "task.edit_left": "kept the earlier answer ({stage})",
    "comment.written": "commented",
    "cause.answered": "replied to the reason for the decision",
    events.SENT_BACK: "sent the item back to its author: {why}",
    events.LOOKED: "viewed the history",
}
"""The words for the events of an item. Other events are shown by their kind, and only to leads."""
ROUTINE = {events.LOOKED, "task.claimed", "task.expired", "task.released", "task.submitted"}
"""Events that only the full record lists."""
SOMEBODY = "someone"
"""Name shown for a rater whose name is hidden."""


def history(store: Store, *, person: Person, project: str, item: str) -> ItemHistory:
    """Return an item's revisions, answers, claims and states. ``item`` is its id on pages or in files.

    Raises ``NotAllowedError`` for annotators, and for people who are or may be asked about the item blind. Names are
    hidden from a senior who may not know the voters. A view before the verdict is recorded, and the person is no longer
    asked about the item blind.
    """
    with store.write(archived_too=True) as session:
        now = store.now()
        access = access_to(session, person=person, project=project)
        if not at_least(access.role, Role.SENIOR):
            raise NotAllowedError(FOR_SENIORS)
        if key_is_private(access.schema) and not at_least(access.role, Role.LEAD):
            raise NotAllowedError(KEY_IS_PRIVATE)
        row = items.by_public_id(session, project_id=access.project_id, public_id=item) or items.by_external_id(
            session, project_id=access.project_id, external_id=item
        )
        if row is None:
            raise NotFoundError(f"{access.title} has no item {item!r}. Choose an item in the list.")
        seen = look_into(session, access=access, person=person, item=row, now=now)
        if seen.open:
            log(session, events.LOOKED, by=person, project=access, item=row, now=now)
        names = _Names(session, access, person, seen.names)
        author = queries.logins(session, ids=[row.author_id or 0]).get(row.author_id or 0)
        item_history = ItemHistory(
            project=access.name,
            item=row.public_id,
            name=row.external_id,
            title=title_of(session, access, row, whole=True),
            dimension=row.dimension,
            state=row.state,
            author=(author if seen.names or author == person.login else SOMEBODY) if author else "a file",
            names_hidden=not seen.names,
            assets=[
                asset_view(asset, media, link.role) for link, asset, media in items.assets(session, item_id=row.id)
            ],
            revisions=_revisions(session, row, names),
            answers=_answers(session, access, row, names),
            steps=_steps(session, access, row, names),
            origin=item_origin.origin(session, access=access, item=row, called=names),
        )
        exposure.record_look(
            session,
            access=access,
            person=person,
            item_ids=[row.id],
            route=Route.HISTORY,
            record=item_history,
            told=_told(item_history, person),
            now=now,
        )
        return item_history


def _told(found: ItemHistory, person: Person) -> Disclosure:
    """Return the facts about an item that this page shows to a person."""
    others = [answer for answer in found.answers if answer.by != person.login]
    facts = [Fact.VERDICT]
    facts += [Fact.AUTHOR] if found.author not in (SOMEBODY, person.login, "a file") else []
    facts += [Fact.VOTES] if others else []
    facts += [Fact.MODEL] if any(answer.about for answer in found.answers) else []
    fields = {name for revision in found.revisions for name, *values in revision.changes if any(values)}
    return Disclosure(tuple(fields), tuple(facts), tuple(other.stage for other in others))


class _Names:
    """The names of people as one reader may see them."""

    def __init__(self, session: Session, access: Access, person: Person, shown: bool) -> None:
        self._person, self._shown = person, shown
        self.lead = at_least(access.role, Role.LEAD)

    def __call__(self, row: StoredPerson | None, nobody: str = NOBODY) -> str:
        if row is None:
            return nobody
        return row.login if self._shown or row.id == self._person.id else SOMEBODY


def _revisions(session: Session, item: StoredItem, names: _Names) -> list[RevisionView]:
    rows = item_revisions.revisions(session, item_id=item.id)
    revision_views: list[RevisionView] = []
    before: dict[str, Any] = {}
    for row in rows:
        editor = people.by_id(session, id=row.editor_id) if row.editor_id is not None else None
        fields = dict.fromkeys([*before, *row.content])
        changed = [
            (name, before.get(name), row.content.get(name))
            for name in fields
            if before.get(name) != row.content.get(name)
        ]
        revision_views.append(RevisionView(row.number, names(editor, "a file"), row.created_at, changed))
        before = row.content
    return revision_views


def _answers(session: Session, access: Access, item: StoredItem, names: _Names) -> list[AnswerView]:
    rows = queries.submissions(session, item_id=item.id)
    replaced = {row.supersedes_id for row, _, _ in rows}
    versions = guidelines.numbers(session, project_id=access.project_id)
    cast = [
        row
        for row, _, _ in rows
        if row.id not in replaced
        and row.stage in VERIFICATIONS
        and row.purpose is Purpose.LIVE
        and row.revision == item.current_revision
    ]
    labels = {
        row.id: f"Vote {chr(ord('A') + at) if at < 26 else at + 1}"
        for at, row in enumerate(sorted(cast, key=lambda row: row.public_id))
    }  # as on the page of adjudication
    return [
        AnswerView(
            label=labels.get(row.id, ""),
            by=names(person),
            at=row.created_at,
            stage=row.stage,
            revision=row.revision,
            values=row.answers,
            reasons=row.reasons,
            note=row.note,
            seconds=row.seconds,
            guideline=versions.get(row.guideline_hash),
            counts=row.id not in replaced and row.purpose is Purpose.LIVE,
            corrects=row.supersedes_id is not None,
            about=_about(session, row, model),
            purpose=row.purpose,
        )
        for row, person, model in rows
        if row.purpose is Purpose.LIVE or names.lead
    ]


def _about(session: Session, row: StoredAnnotation, model: str | None) -> str:
    """Return the model of a submission's answer, or the two models on their sides."""
    kind = stage_kinds.STAGE_KINDS.get(row.stage)
    return (kind and kind.about(session, row)) or model or ""


def _steps(session: Session, access: Access, item: StoredItem, names: _Names) -> list[Step]:
    hidden = {} if names.lead else _not_live(session, item)
    steps: list[Step] = []
    for event, person in queries.events(session, item_id=item.id):
        if event.task_id in hidden or (event.kind not in WORDS and not names.lead):
            continue
        nobody = item_origin.COMMAND if event.kind in ("item.imported", "item.revised") else NOBODY
        steps.append(Step(event.at, names(person, nobody), _words(event, access), event.kind))
    return steps


def _not_live(session: Session, item: StoredItem) -> dict[int, bool]:
    rows = comment_threads.slots(session, item_id=item.id, stages=BLIND)
    return {row.id: True for row in rows if row.purpose is not Purpose.LIVE}


def _words(event: StoredEvent, access: Access) -> str:
    values = {name: str(value).replace("_", " ") for name, value in event.data.items()}
    if "stage" in event.data:
        values["stage"] = access.schema.stages.in_a_sentence(str(event.data["stage"]))
    if event.kind == "item.state":
        values["to"] = state_called(access.schema.stages, ItemState(event.data["to"]))
    words = WORDS.get(event.kind, shown_kind(event.kind).replace(".", " ").replace("_", " "))
    for name in ("stage", "to", "why"):
        words = words.replace("{" + name + "}", values.get(name, ""))
    return words.replace(" ()", "")
