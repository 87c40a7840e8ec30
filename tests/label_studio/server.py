"""A real Label Studio, and people at work there over its API as its own screens use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from testkit.serving import free_port
from tools.label_studio import Account, LabelStudio

LABELING = """<View><Text name="question" value="$question"/>
<Choices name="choice" toName="question" choice="single"><Choice value="A"/><Choice value="B"/></Choices></View>"""
"""A question and two choices."""


def new_server(folder: Path, **settings: str) -> LabelStudio:
    """A server with its data in this folder, not started yet; settings are variables of its environment."""
    return LabelStudio(folder, free_port(), **settings)


def choice(value: str) -> dict[str, Any]:
    """What the server stores for someone's choice on ``LABELING``."""
    return {"from_name": "choice", "to_name": "question", "type": "choices", "value": {"choices": [value]}}


def project(account: Account, title: str, labeling: str = LABELING) -> int:
    """Make a project; its number."""
    return int(account.call("POST", "/api/projects", {"title": title, "label_config": labeling})["id"])


def put(account: Account, project: int, tasks: Sequence[Mapping[str, Any]]) -> None:
    """Import tasks."""
    account.call("POST", f"/api/projects/{project}/import", list(tasks))


def tasks(account: Account, project: int) -> list[dict[str, Any]]:
    """All tasks of a project with their annotations (up to 1000), the earliest first."""
    found = account.call("GET", f"/api/tasks?project={project}&page_size=1000&fields=all")["tasks"]
    return sorted(found, key=lambda task: int(task["id"]))


def annotate(account: Account, task: int, result: Sequence[Mapping[str, Any]], *, seconds: float = 1.5) -> int:
    """Submit an annotation; its number."""
    made = {"result": list(result), "lead_time": seconds}
    return int(account.call("POST", f"/api/tasks/{task}/annotations/", made)["id"])


def skip(account: Account, task: int) -> int:
    """Skip a task, as the button does; the number of the cancelled annotation."""
    return int(account.call("POST", f"/api/tasks/{task}/annotations/", {"result": [], "was_cancelled": True})["id"])


def change(account: Account, annotation: int, result: Sequence[Mapping[str, Any]]) -> None:
    """Change an annotation that was submitted."""
    account.call("PATCH", f"/api/annotations/{annotation}/", {"result": list(result)})


def delete(account: Account, annotation: int) -> None:
    """Delete an annotation."""
    account.call("DELETE", f"/api/annotations/{annotation}/")


def upcoming(account: Account, project: int) -> dict[str, Any]:
    """The task that the server's own queue gives next."""
    found: dict[str, Any] = account.call("GET", f"/api/projects/{project}/next")
    return found
