"""Show a task to its page; all secrets of the stage are removed here, before anything is sent to a browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation_schemas import registry
from annotation_schemas.model import PREDICTION, AssetSlot, Schema
from annotation_schemas.shown import shown_fields
from db import assets, events, item_revisions, items, media_access, submissions, task_slots, tasks
from db.engine import Session, Store
from db.records import StoredAnnotation, StoredAsset, StoredDraft, StoredMediaObject, StoredTask
from domain.errors import NotFoundError
from domain.language import _, marked
from domain.order import shuffled
from domain.records import AssetFile, AssetView, Correction, Draft, Person, TaskView, VoteView
from domain.states import VERIFICATIONS, Purpose, Stage
from workflow.access import guidelines
from workflow.access.projects import Access, access_by_id
from workflow.annotate import author_forms, earlier_forms, stage_kinds
from workflow.annotate.stage_kinds import VOTER

NO_SUCH = "None of your projects has this image or clip. Go back and reload the page."


def task_view(session: Session, *, access: Access, row: StoredTask, person: Person) -> TaskView:
    """Return a claimed task as its page shows it."""
    if row.lease_until is None:
        raise ValueError("only a held task can be shown")
    draft = submissions.draft(session, task_id=row.id, person_id=person.id)
    kept = draft_of(draft) if draft else None
    item = items.by_id(session, id=row.item_id) if row.item_id is not None else None
    revision = row.revision if row.revision is not None else (item.current_revision if item else None)
    proposed = author_forms.first_fields(session, access=access, row=row)
    kind = stage_kinds.of(row.stage)
    answers = kind.answers(session, row=row, shown=kind.shown(session, access=access, row=row, person=person))
    return TaskView(
        id=row.public_id,
        project=access.name,
        stage=row.stage,
        dimension=row.dimension,
        item=item.public_id if item else None,
        revision=revision,
        fields=proposed or fields_shown(session, access=access, row=row, person=person),
        assets=tuple(_assets(session, access, row)),
        lease_until=row.lease_until,
        draft=replace(kept, values=earlier_forms.draft_now(access, row.stage, kept.values)) if kept else None,
        correction=_correction(session, row, draft),
        answer=_answer(session, row) if answers is None else None,
        answers=answers,
        place=_place(session, row, person),
        settles=task_slots.settled_in(row.unit) if row.stage is Stage.ADJUDICATION else None,
        votes=tuple(_votes(session, row)),
        history=tuple(_history(session, row)),
        guideline=access.loaded.guideline_hash,
        news=guidelines.news(session, access=access, person=person),
        proposed=bool(proposed),
    )


def _correction(session: Session, row: StoredTask, draft: StoredDraft | None) -> Correction | None:
    """Return whether the draft of a submission that its person is editing differs from the submission."""
    if not row.correcting:
        return None
    said = submissions.latest_of_task(session, task_id=row.id)
    if said is None or draft is None:
        return Correction(changed=draft is not None)
    now: list[Any] = [
        draft.content.get(name) or empty for name, empty in (("values", {}), ("reasons", {}), ("note", ""))
    ]
    return Correction(changed=now != [said.answers, said.reasons, said.note])


def task_as_it_was(
    session: Session, *, access: Access, row: StoredTask, person: Person, said: StoredAnnotation
) -> TaskView:
    """Return a submitted task as its page showed it, with the answers ``said`` as its draft.

    Later events of the item and the link to its comments are left out.
    """
    stored = said.shown or {}
    revision = row.revision if row.revision is not None else said.revision
    content = item_revisions.content(session, item_id=said.item_id, revision=revision)
    fields = {} if row.stage is Stage.AUTHORING else visible_fields(access.schema, row.stage, content)
    stood = {name: stored[name] for name, now in fields.items() if name in stored and _same_entries(stored[name], now)}
    place = stored.get(PREDICTION)
    answers = stage_kinds.of(row.stage).answers(session, row=row, shown=stored)
    submitted = {"values": said.answers, "reasons": said.reasons, "note": said.note}
    return TaskView(
        id=row.public_id,
        project=access.name,
        stage=row.stage,
        dimension=row.dimension,
        item=None,
        revision=revision,
        fields=fields | stood,
        assets=tuple(_assets(session, access, row)),
        lease_until=said.created_at,
        draft=Draft(seq=0, values=submitted, saved_at=said.created_at),
        answer=_answer(session, row) if answers is None else None,
        answers=answers,
        place=(place[0], place[1]) if place else None,
        settles=task_slots.settled_in(row.unit) if row.stage is Stage.ADJUDICATION else None,
        votes=tuple(_votes(session, row)),
        guideline=access.loaded.guideline_hash,
    )


def _same_entries(some: Any, others: Any) -> bool:
    both = isinstance(some, list) and isinstance(others, list)
    return both and sorted(map(repr, some)) == sorted(map(repr, others))


def fields_shown(session: Session, *, access: Access, row: StoredTask, person: Person | None) -> dict[str, Any]:
    """Return the item fields that a task's stage shows, as a person sees them; empty while the item is being written.

    Without a person, options keep the item's order.
    """
    if row.item_id is None or row.stage is Stage.AUTHORING:
        return {}
    revision = row.revision if row.revision is not None else items.by_id(session, id=row.item_id).current_revision
    content = item_revisions.content(session, item_id=row.item_id, revision=revision)
    in_their_order = shuffled_fields(access, row, person, content) if person is not None else {}
    return visible_fields(access.schema, row.stage, content) | in_their_order


def visible_fields(schema: Schema, stage: Stage, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the item's fields that raters of a stage may see; only fields named in the schema are included."""
    return {field.name: content[field.name] for field in shown_fields(schema, stage) if field.name in content}


def shuffled_fields(access: Access, row: StoredTask, person: Person, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields with the options of this stage's criteria, in this person's order.

    Empty unless the schema shuffles options in the stage. The order depends only on the project's seed, the person, the
    item and the field, so a reopened page looks the same. Answers are values, so the order does not change them.
    """
    part = getattr(access.schema.stages, row.stage.value, None)
    if "options" not in getattr(part, "shuffle", ()):
        return {}
    names = dict.fromkeys(
        criterion.field
        for criterion in registry.criteria_of(access.schema, row.stage.value, row.dimension)
        if criterion.field is not None
    )
    visible = visible_fields(access.schema, row.stage, content)
    return {
        name: shuffled(visible[name], seed=access.seed, parts=("options", person.id, row.item_id, name))
        for name in names
        if isinstance(visible.get(name), list)
    }


def asset_view(
    asset: StoredAsset,
    media: StoredMediaObject | None,
    role: str,
    group: Sequence[tuple[StoredAsset, StoredMediaObject | None]] = (),
) -> AssetView:
    """Return an asset as a page shows it, with all assets of its ``group``, if any."""
    return AssetView(
        id=asset.public_id,
        role=role,
        kind=asset.kind,
        missing=asset.sha256 is None,
        width=media.width if media else None,
        height=media.height if media else None,
        group=tuple(asset_view(other, file, other.role or "") for other, file in group),
    )


def draft_of(row: StoredDraft) -> Draft:
    """Return the record of a stored draft."""
    return Draft(seq=row.seq, values=row.content, saved_at=row.saved_at)


def roles_for(slots: Sequence[AssetSlot], kinds: Sequence[str]) -> list[str] | None:
    """Return the place in an item that each asset takes; None if they do not fit or a place stays empty."""
    free = [slot.max for slot in slots]
    filled = [0 for _ in slots]
    roles = []
    for kind in kinds:
        for at, slot in enumerate(slots):
            room = free[at]
            if slot.kind == kind and (room is None or filled[at] < room):
                filled[at] += 1
                roles.append(slot.role)
                break
        else:
            return None
    return roles if all(n >= slot.min for n, slot in zip(filled, slots, strict=True)) else None


def roles_of(slots: Sequence[AssetSlot], picked: Sequence[StoredAsset]) -> list[str] | None:
    """Return the place in an item that each asset takes: from its group, or as in ``roles_for``."""
    roles = [asset.role for asset in picked if asset.role is not None]
    if not roles:
        return roles_for(slots, [asset.kind for asset in picked])
    places = [slot for asset in picked for slot in slots if (slot.role, slot.kind) == (asset.role, asset.kind)]
    fits = all(slot.min <= roles.count(slot.role) <= (slot.max or len(roles)) for slot in slots)
    return roles if fits and len(places) == len(picked) else None


def asset_file(store: Store, *, person: Person, asset: str) -> AssetFile:
    """Return the file of an asset, by its random id.

    ``NotFoundError`` is the same for unknown ids and for projects that this person is no member of.
    """
    with store.read() as session:
        row_and_file = media_access.file_of_asset(session, public_id=asset)
        if row_and_file is None:
            raise NotFoundError(NO_SUCH)
        row, file = row_and_file
        try:
            access_by_id(session, person=person, project_id=row.project_id)
        except NotFoundError:
            raise NotFoundError(NO_SUCH) from None
        if file is None:
            raise NotFoundError("The file of this image or clip is missing. A lead can import the file.")
        return AssetFile(sha256=file.sha256, kind=file.kind, mime=file.mime)


def _assets(session: Session, access: Access, row: StoredTask) -> list[AssetView]:
    if row.item_id is not None:
        return [
            asset_view(asset, media, link.role) for link, asset, media in items.assets(session, item_id=row.item_id)
        ]
    picked = assets.picks(session, task_id=row.id)
    roles = roles_of(access.schema.item.assets, [asset for _, asset, _ in picked])
    return [asset_view(asset, media, roles[at] if roles else asset.kind) for at, (_, asset, media) in enumerate(picked)]


def _answer(session: Session, row: StoredTask) -> str | None:
    if row.prediction_id is None:
        return None
    return items.prediction(session, id=row.prediction_id).text


def _place(session: Session, row: StoredTask, person: Person) -> tuple[int, int] | None:
    if row.stage is not Stage.GRADING or row.prediction_id is None or row.item_id is None:
        return None
    if row.purpose is Purpose.QUALIFICATION:  # qualification answers are not grouped by item
        return None
    return tasks.place_of(session, item_id=row.item_id, stage=row.stage, person_id=person.id, unit=row.unit)


def _votes(session: Session, row: StoredTask) -> list[VoteView]:
    """Return the submissions that a person settles in the stage, such as the votes that an adjudicator sees."""
    kind = stage_kinds.of(row.stage)
    return _side_by_side(kind.votes(session, row) or (), kind.voter)


def votes_on(
    session: Session, *, item_id: int, revision: int, stages: Sequence[Stage] = VERIFICATIONS
) -> list[VoteView]:
    """Return the votes on a revision in these stages, without names, in an order independent of time."""
    by_stage = items.latest_by_stage(session, item_id=item_id, revision=revision, stages=stages)
    return _side_by_side([vote for stage in stages for vote in by_stage[stage]], VOTER)


def _side_by_side(cast: Sequence[StoredAnnotation], noun: str) -> list[VoteView]:
    return [
        VoteView(
            label=f"{_(noun)} {chr(ord('A') + at) if at < 26 else at + 1}",
            values=vote.answers,
            reasons=vote.reasons,
            note=vote.note,
        )
        for at, vote in enumerate(sorted(cast, key=lambda vote: vote.public_id))
    ]


_TOLD = {
    "item.authored": marked("It was written."),
    "item.imported": marked("It was imported."),
    "item.revised": marked("The item was edited, and a new round of votes began."),
    "item.state": marked("The votes were counted: {why}"),
}


def _history(session: Session, row: StoredTask) -> list[str]:
    """Return an item's history, without names."""
    if row.stage is not Stage.ADJUDICATION or row.item_id is None:
        return []
    return [
        _(_TOLD[event.kind]).format(why=event.data.get("why", ""))
        for event in events.of_item(session, item_id=row.item_id)
        if event.kind in _TOLD
    ]
