"""A real Label Studio, and people who work there over the same API as its own screens."""

from __future__ import annotations

import secrets
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from testkit.serving import free_port
from tools.label_studio import Account, LabelStudio, call

LABELING = """<View><Text name="question" value="$question"/>
<Choices name="choice" toName="question" choice="single"><Choice value="A"/><Choice value="B"/></Choices></View>"""
"""A configuration with a question and two choices."""


def new_server(folder: Path, **settings: str) -> LabelStudio:
    """Return a server with its data in this folder, not started yet. ``settings`` are environment variables."""
    return LabelStudio(folder, free_port(), **settings)


def choice(value: str) -> dict[str, Any]:
    """Return the stored result of a choice on ``LABELING``."""
    return {"from_name": "choice", "to_name": "question", "type": "choices", "value": {"choices": [value]}}


def project(account: Account, title: str, labeling: str = LABELING) -> int:
    """Create a project and return its number."""
    return int(account.call("POST", "/api/projects", {"title": title, "label_config": labeling})["id"])


def put(account: Account, project: int, tasks: Sequence[Mapping[str, Any]]) -> None:
    """Import tasks."""
    account.call("POST", f"/api/projects/{project}/import", list(tasks))


def tasks(account: Account, project: int) -> list[dict[str, Any]]:
    """Return all tasks of a project with their annotations (up to 1000), the earliest first."""
    found = account.call("GET", f"/api/tasks?project={project}&page_size=1000&fields=all")["tasks"]
    return sorted(found, key=lambda task: int(task["id"]))


def task_number(account: Account, project: int) -> int:
    """Return the number of tasks in a project, which costs the server less than a list of them."""
    return int(account.call("GET", f"/api/projects/{project}")["task_number"])


def annotate(account: Account, task: int, result: Sequence[Mapping[str, Any]], *, seconds: float = 1.5) -> int:
    """Submit an annotation and return its number."""
    made = {"result": list(result), "lead_time": seconds}
    return int(account.call("POST", f"/api/tasks/{task}/annotations/", made)["id"])


def skip(account: Account, task: int) -> int:
    """Skip a task, as the button does. Return the number of the canceled annotation."""
    return int(account.call("POST", f"/api/tasks/{task}/annotations/", {"result": [], "was_cancelled": True})["id"])


def change(account: Account, annotation: int, result: Sequence[Mapping[str, Any]]) -> None:
    """Change a submitted annotation."""
    account.call("PATCH", f"/api/annotations/{annotation}/", {"result": list(result)})


def delete(account: Account, annotation: int) -> None:
    """Delete an annotation."""
    account.call("DELETE", f"/api/annotations/{annotation}/")


def upcoming(account: Account, project: int) -> dict[str, Any]:
    """Return the next task from the server's own queue."""
    found: dict[str, Any] = account.call("GET", f"/api/projects/{project}/next")
    return found


def short_lived(account: Account) -> str:
    """Return a new short-lived token for the account's personal access token."""
    given = {"refresh": account.personal}
    return str(call(account.address, "POST", "/api/token/refresh/", given, token=account.token)["access"])


def is_taken(account: Account, bearer: str) -> bool:
    """Tell whether the server still accepts a short-lived token."""
    head = {"Authorization": f"Bearer {bearer}"}
    request = urllib.request.Request(f"{account.address}/api/current-user/whoami", headers=head)
    try:
        with urllib.request.urlopen(request, timeout=60):
            return True
    except urllib.error.HTTPError as error:
        error.close()
        if error.code != 401:
            raise
        return False


def change_key(server: LabelStudio) -> None:
    """Give a server another secret key from its next start on, when it rejects all current personal tokens.

    Its admin then gets a new token.
    """
    server.admin.call("POST", "/api/token/blacklist/", {"refresh": server.admin.personal})  # only one at a time
    server._secrets["secret"] = secrets.token_hex(32)
    del server._secrets["personal"]
    server._admin = None
