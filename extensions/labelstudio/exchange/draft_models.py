"""Facts about a task on another tool's server for a model: its stage and its pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from db import assets, items
from db.engine import Store
from domain.errors import InvalidMediaError
from domain.runs import Picture
from domain.states import Stage
from extensions.labelstudio.queries import sent_tasks
from workflow.access.projects import access_to


@dataclass(frozen=True)
class SentOut:
    """A task that we sent out."""

    stage: Stage
    pictures: Sequence[Picture] = ()
    """The task's pictures. Empty in stages that hide models' answers."""


def task_behind(store: Store, *, project: str, key: str, picture: Callable[[str, str], Picture]) -> SentOut | None:
    """Return the task that was sent out under a key and waits there. None if this project has none.

    Parameters
    ----------
    picture
        Returns the image for a model, from an image's hash and its role.
    """
    with store.read() as session:
        access = access_to(session, person=None, project=project)
        task = sent_tasks.task_out(session, key=key)
        if task is None or task.project_id != access.project_id:
            return None
        if task.stage is not Stage.AUTHORING:
            return SentOut(task.stage)
        pictures = (
            [(asset, link.role) for link, asset, _ in items.assets(session, item_id=task.item_id)]
            if task.item_id
            else []
        )
        pictures = pictures or [(asset, "") for _, asset, _ in assets.picks(session, task_id=task.id)]
        shown = [(asset.sha256, role) for asset, role in pictures if asset.kind == "image"]
    missing = [role for sha256, role in shown if sha256 is None]
    if missing:
        raise InvalidMediaError(f"The task's {missing[0] or 'image'} was never imported. Import the file.")
    return SentOut(task.stage, [picture(sha256, role) for sha256, role in shown if sha256])
