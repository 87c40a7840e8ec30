"""The pictures and clips of a task for another tool's screens, and who may fetch them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from db import assets, items, media_access, people
from db.engine import Session, Store
from db.records import StoredAsset, StoredMediaObject, StoredTask
from domain.errors import NotFoundError
from domain.records import AssetFile, Person
from extensions.labelstudio import results
from extensions.labelstudio.queries import sent_tasks
from workflow.access.projects import Access, access_by_id
from workflow.annotate.task_views import fields_shown, roles_of

NOT_SHOWN = "No open task has this image or clip."


@dataclass(frozen=True)
class Outside:
    """A file for another tool's page."""

    file: AssetFile
    drawn: Mapping[str, Any] = field(default_factory=dict)
    """Boxes and marks to draw on it, as arguments of ``media.model_input.Pictures.image``. Empty: none."""


def file_shown(store: Store, *, task: str, asset: str) -> Outside:
    """Return the file of an asset of a task that is out, for the person who has the task.

    Raises the same ``NotFoundError`` in all other cases, for example if the task came back or went to someone else, if
    its person may no longer work in the stage, or if the asset belongs to another item.

    Parameters
    ----------
    task
        The key under which the task was sent.
    asset
        The asset's random id.
    """
    with store.read() as session:
        row = sent_tasks.slot_shown(session, key=task)
        if row is None or row.person_id is None:
            raise NotFoundError(NOT_SHOWN)
        account = people.by_id(session, id=row.person_id)
        if account is None or not account.active:
            raise NotFoundError(NOT_SHOWN)
        person = Person(id=row.person_id, login=account.login, name=account.name, is_admin=account.is_admin)
        access = access_by_id(session, person=person, project_id=row.project_id)
        if not access.may_do(row.stage):
            raise NotFoundError(NOT_SHOWN)
        return _as_sent(session, access, row, asset)


def file_sent(store: Store, *, task: str, asset: str) -> Outside:
    """Return the file of an asset while its task is being sent. Otherwise the same as ``file_shown``."""
    with store.read() as session:
        row = sent_tasks.slot_shown(session, key=task)
        if row is None:
            raise NotFoundError(NOT_SHOWN)
        person = Person(id=row.person_id or 0, login="", name="", is_admin=True)
        return _as_sent(session, access_by_id(session, person=person, project_id=row.project_id), row, asset)


def over(store: Store, *, tasks: Sequence[str]) -> set[str]:
    """Return those of these keys whose tasks we sent and no longer show. Unknown keys are left out."""
    with store.read() as session:
        return sent_tasks.keys_over(session, keys=tasks)


def content_of(store: Store, *, asset: str) -> str:
    """Return the SHA-256 of an asset's file."""
    with store.read() as session:
        file = media_access.file_of_asset(session, public_id=asset)
    if file is None or file[1] is None:
        raise NotFoundError("The file of this image or clip has not been imported yet. Try again later.")
    return file[1].sha256


def _as_sent(session: Session, access: Access, row: StoredTask, asset: str) -> Outside:
    there = _of_task(session, access, row)
    at = next((at for at, (_, sent_asset, _) in enumerate(there) if sent_asset.public_id == asset), None)
    media = there[at][2] if at is not None else None
    if at is None or media is None:
        raise NotFoundError(NOT_SHOWN)
    roles = [role for role, _, _ in there]
    fields = fields_shown(session, access=access, row=row, person=None)
    image = roles[: at + 1].count(roles[at])
    drawn = results.drawn_on(access.schema, row.stage.value, fields, roles, roles[at], image) if fields else {}
    return Outside(AssetFile(sha256=media.sha256, kind=media.kind, mime=media.mime), drawn)


def _of_task(
    session: Session, access: Access, row: StoredTask
) -> list[tuple[str, StoredAsset, StoredMediaObject | None]]:
    """Return role, asset and file of everything that a task shows, in the same way as ``task_views.task_view``."""
    if row.item_id is not None:
        return [(link.role, asset, media) for link, asset, media in items.assets(session, item_id=row.item_id)]
    picked = assets.picks(session, task_id=row.id)
    roles = roles_of(access.schema.item.assets, [asset for _, asset, _ in picked])
    return [(roles[at] if roles else asset.kind, asset, media) for at, (_, asset, media) in enumerate(picked)]
