"""The titles of items on pages: the first text that a person may see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from db import item_revisions
from db.engine import Session
from db.records import StoredItem
from domain.states import BLIND
from workflow.access.projects import Access
from workflow.annotate.task_views import visible_fields


def title_of(session: Session, access: Access, item: StoredItem, *, whole: bool) -> str:
    """Return the first text of an item.

    People who may be asked about the item blind get only text that no blind stage keeps secret.
    """
    content: Mapping[str, Any] = item_revisions.content(session, item_id=item.id, revision=item.current_revision)
    if not whole:
        for stage in BLIND:
            if getattr(access.schema.stages, stage.value) is not None:
                content = visible_fields(access.schema, stage, content)
    return title_in(access, content)


def titles_of(session: Session, access: Access, ids: Sequence[int]) -> dict[int, str]:
    """Return the first text of each item, by id, for people who may see everything."""
    contents = item_revisions.present_contents(session, ids=ids, project_id=access.project_id)
    return {id: title_in(access, content) for id, (content, _) in contents.items()}


def title_in(access: Access, content: Mapping[str, Any]) -> str:
    """Return the first text among these fields."""
    named = [content[field.name] for field in access.schema.item.fields if field.name in content]
    return next((value for value in named if isinstance(value, str) and value.strip()), "An item")
