"""Requests of working pages about comments."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from app.routes.replies import body_value
from app.routes.work import LONGEST_KEY, Body, WorkAction
from db.engine import Store
from domain.errors import BadRequestError
from domain.records import Person
from extensions.comments import threads
from extensions.comments.drawn_threads import record, thread_part
from extensions.comments.settings import CommentSettings


def read_comments(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{task}`` or ``{project, item}``: return the comments on an item that the person may read."""
    return thread_part(threads.thread(store, person=person, **_item(body)))


def write_comment(store: Store, person: Person, body: Body) -> dict[str, Any]:
    """``{task}`` or ``{project, item}``, and ``{key, text, reply_to, early}``: comment on an item, once per key."""
    key = body_value(body, "key", str)
    if not 1 <= len(key) <= LONGEST_KEY:
        raise BadRequestError(f"“key” must have 1 to {LONGEST_KEY} characters.")
    thread = threads.comment(
        store,
        person=person,
        key=key,
        text=body_value(body, "text", str),
        reply_to=body_value(body, "reply_to", str, default=None),
        early=body_value(body, "early", bool, default=False),
        limits=CommentSettings.read(os.environ, Path.cwd()),
        **_item(body),
    )
    return thread_part(thread)


def _item(body: Body) -> dict[str, str]:
    if "task" in body:
        return {"task": body_value(body, "task", str)}
    return {"project": body_value(body, "project", str), "item": body_value(body, "item", str)}


ACTIONS = (WorkAction("comments", read_comments, record), WorkAction("comment", write_comment, record))
