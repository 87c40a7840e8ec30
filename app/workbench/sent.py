"""Record all data before it leaves for a browser: the bytes as they are sent, and the facts they reveal about an item.

This module lists the allowed content of a page a second time, independent of the code that builds the page. Any other
content is detected.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from app.services import Services
from domain.exposure import ANY_KEY, Disclosure, ExpectedKeys, Fact, Route, Secrets, look_through
from workflow.access import exposure

Json = Mapping[str, Any]

_CHOICE = ExpectedKeys("value", "label", "help", "reasons")
_ASSET = ExpectedKeys("id", "role", "title", "alt", "kind", "missing", "width", "height", "group")
_VOTE = ExpectedKeys("label", "values", "reasons", "note")
_TASK = ExpectedKeys(
    *(
        "id",
        "item",
        "dimension",
        "revision",
        "fields",
        "plans",
        "lease_until",
        "draft",
        "postponed",
        "correction",
        "answer",
    ),
    *("answers", "place", "vote_criteria", "history", "news"),
    parts={"assets": _ASSET, "options": ExpectedKeys(parts={ANY_KEY: _CHOICE}), "votes": _VOTE},
)
_PAGE = ExpectedKeys(
    *(
        "view",
        "person",
        "csrf",
        "static_hash",
        "static",
        "progress",
        "now",
        "prefetch",
        "earlier",
        "to_write",
        "upcoming",
    ),
    *("menu", "n", "said", "keys"),
    parts={"task": _TASK},
)
"""``web/types.d.ts`` describes each key."""


def page(services: Services, data: Json, *, route: Route = Route.PAGE) -> bytes:
    """Record a page with a task, and the task that waits behind it. Return the page as JSON, the bytes to send."""
    body = json.dumps(data).encode()
    _task(services, data, body, route)
    if data.get("upcoming"):
        behind = {"task": data["upcoming"]}
        _task(services, behind, json.dumps(behind).encode(), route)
    return body


def _task(services: Services, data: Json, body: bytes, route: Route) -> None:
    task = data.get("task")
    if not isinstance(task, Mapping) or not task.get("id"):
        return
    given: dict[str, Any] = {"person": services.person, "route": route, "body": body}
    given["look"] = lambda secrets: told_by(data, secrets)
    if route is not Route.PREVIEW:
        exposure.sent_task(services.store, **given, task=str(task["id"]), revision=task.get("revision"))
    elif task.get("item"):  # an item without a task
        exposure.sent_of_item(services.store, **given, item=str(task["item"]))


def told_by(data: Json, secrets: Secrets) -> Disclosure:
    """Return the facts that a page with a task reveals about its item."""
    task = data["task"]
    fields = task.get("fields") or {}
    facts = []
    if task.get("votes"):
        facts.append(Fact.VOTES)
    if task.get("history"):
        facts.append(Fact.VERDICT)
    if task.get("answer") or task.get("answers"):
        facts.append(Fact.ANSWER)
    texts = [task.get("history"), [_texts(asset) for asset in task.get("assets") or ()]]
    return look_through(data, _PAGE, secrets, fields=fields, texts=texts, facts=facts)


def _texts(asset: Json) -> list[Any]:
    return [asset.get("alt"), asset.get("title"), *(_texts(member) for member in asset.get("group") or ())]
