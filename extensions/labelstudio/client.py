"""A client of a Label Studio server, with the methods of ``extensions.labelstudio.front_end.FrontEnd``.

``server_requests.py`` sends a request and handles missing replies; ``objects.py`` reads the replies. An import or the
creation of a project is repeated only if the first request certainly did not arrive.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

from domain.errors import ServiceError, ServiceUnreachableError
from domain.settings import Settings
from extensions.labelstudio import tokens
from extensions.labelstudio.front_end import OutgoingTask, OutsideTask, OutsideUser
from extensions.labelstudio.objects import KEY
from extensions.labelstudio.server_requests import LARGEST_REPLY, PAUSES, SECONDS, Requests
from extensions.labelstudio.settings import LabelStudioSettings
from extensions.labelstudio.tokens import Token
from net.addresses import Resolve

SECONDS_PER_TASK = 0.05
"""Extra seconds of a request for each task that it imports."""
PAGE = 200
"""Tasks on one page of a list."""
FIELDS = (
    *("id", "data", "annotations", "result", "completed_by", "created_at", "updated_at", "updated_by"),
    *("draft_created_at", "lead_time", "was_cancelled", "ground_truth", "last_action"),
)
"""The requested fields of tasks and of their annotations.

Requesting all fields costs the server three times as much.
"""
LONGEST_TITLE = 50
"""Longest title that Label Studio allows for a project, in characters."""
AT_ONCE = 5
"""Smallest number of tasks that are removed with one request. Fewer tasks are removed one by one.

Removing the last task by such a request also removes the tabs that people have open there.
"""
LOT = 500
"""Most tasks that are removed with one request."""

_KEY_OF_PROJECT = re.compile(r"\[touchstone (.+)\]\s*\Z")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ServerStatus:
    """The version of a server, and the account of our token."""

    version: str
    account: OutsideUser


@dataclass(frozen=True)
class Hook:
    """The address that a server calls after each answer."""

    url: str
    headers: Mapping[str, str]


def connect(address: str, settings: Settings, *, hook: Hook | None = None) -> Client:
    """Return a client of the server at this address, with the operator's token for it.

    New projects on the server get the webhook ``hook``.

    Raises
    ------
    ServiceError
        There is no token for the server, its address is not allowed, or the SDK is not installed.
    ServiceUnreachableError
        Its name cannot be resolved at the moment.
    """
    return Client(
        address, tokens.token_for(address, settings.of(LabelStudioSettings)), listed=settings.endpoints, hook=hook
    )


class Client:
    """A client of one server with one account. Safe for several threads, and usable in a ``with`` statement.

    Raises
    ------
    ServiceError
        The address is not allowed, or the SDK is not installed.
    ServiceUnreachableError
        The server's name cannot be resolved at the moment.
    """

    def __init__(
        self,
        address: str,
        token: Token,
        *,
        listed: Sequence[str] = (),
        hook: Hook | None = None,
        seconds: float = SECONDS,
        pauses: Sequence[float] = PAUSES,
        largest: int = LARGEST_REPLY,
        resolve: Resolve | None = None,
    ) -> None:
        self._requests = Requests(
            address, token, listed=listed, seconds=seconds, pauses=pauses, largest=largest, resolve=resolve
        )
        self._read, self._ask = self._requests.read, self._requests.ask
        self._token, self._seconds, self.hook = token, seconds, hook

    def __repr__(self) -> str:
        return f"Client({self.address!r}, {self._token!r})"

    @property
    def address(self) -> str:
        """Return the server's address, without a slash at the end."""
        return self._requests.address

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections. ``with connect(...) as front:`` closes them at the end."""
        self._requests.close()

    # ---- people ----------------------------------------------------------------------------------------------------

    def about(self) -> ServerStatus:
        """Request the server's version and the account of our token."""
        reply = self._ask(lambda sdk: sdk.versions.get())
        version = reply.get("release") if isinstance(reply, dict) else None
        if not isinstance(version, str):
            self._read.odd("its version")
        return ServerStatus(version, self._read.user(self._ask(lambda sdk: sdk.users.whoami())))

    def users(self) -> Sequence[OutsideUser]:
        """Return all accounts of the server."""
        return [
            self._read.user(user) for user in self._read.list_of(self._ask(lambda sdk: sdk.users.list()), "its users")
        ]

    def make_user(self, email: str) -> OutsideUser:
        """Create an account without a known password. For people who choose their own password, use ``invitation``."""
        made = self._ask(lambda sdk: sdk.users.create(username=email, email=email), again=False)
        return self._read.user(made)

    def invitation(self) -> str:
        """Return the link with which a person creates an account there. Anyone who has the link can use it."""
        reply = self._ask(lambda sdk: sdk.organizations.invites.get_invite_link())
        link = reply.get("invite_url") if isinstance(reply, dict) else None
        if not isinstance(link, str) or not link.startswith("/") or link.startswith("//"):
            self._read.odd("its invitation")
        return self.address + link

    # ---- projects --------------------------------------------------------------------------------------------------

    def project_of(self, key: str) -> int | None:
        """Return the project that was created with this key, or None. Of several projects, return the first one."""
        numbers, seen, page = [], 0, 1
        while True:
            reply = self._ask(partial(self._projects, page=page))
            rows = self._read.list_of(reply.get("results") if isinstance(reply, dict) else None, "its projects")
            for row in rows:
                marked = _KEY_OF_PROJECT.search(str(row.get("description") or ""))
                if marked and marked[1] == key:
                    numbers.append(self._read.number(row.get("id"), "its projects"))
            seen, page = seen + len(rows), page + 1
            if not rows or seen >= self._read.number(reply.get("count"), "its projects"):
                return min(numbers, default=None)

    @staticmethod
    def _projects(sdk: Any, *, page: int) -> object:
        return sdk.projects.list(include="id,description", ordering="id", page=page, page_size=500)

    def make_project(self, key: str, *, title: str, labeling: str) -> int:
        """Create a project that ``project_of`` finds by its key."""
        short = title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1] + "…"
        description = f"Touchstone sends tasks to this project and fetches the answers. [touchstone {key}]"
        try:
            made = self._ask(
                lambda sdk: sdk.projects.create(
                    title=short if len(short) > 2 else f"{short} (Touchstone)",
                    description=description,
                    label_config=labeling,
                    maximum_annotations=1,
                    show_skip_button=True,
                    show_collab_predictions=True,
                ),
                again=False,
            )
        except ServiceUnreachableError:
            project_id = self.project_of(key)  # the project may exist, and only the reply was lost
            if project_id is None:
                raise
            return project_id
        project = self._read.number(made.get("id") if isinstance(made, dict) else None, "the new project")
        self._call_us(project)
        return project

    def _call_us(self, project: int) -> None:
        """Make the server call the webhook after each answer in a project.

        The server may refuse an address in a private network. Then answers are found only by polling.
        """
        if self.hook is None:
            return
        webhook: dict[str, Any] = {"url": self.hook.url, "headers": dict(self.hook.headers), "project": project}
        webhook |= {"actions": ["ANNOTATION_CREATED", "ANNOTATION_UPDATED"], "send_for_all_actions": False}
        try:
            self._ask(lambda sdk: sdk.webhooks.create(**webhook, send_payload=False), again=False)
        except ServiceError as error:
            _log.warning("Label Studio created no webhook for project %s: %s", project, error)

    def remove_project(self, project: int) -> None:
        """Remove a project. A missing project is ignored."""
        self._ask(lambda sdk: sdk.projects.delete(project), gone=True)

    # ---- tasks -----------------------------------------------------------------------------------------------------

    def send(self, project: int, tasks: Sequence[OutgoingTask]) -> None:
        """Send tasks to a project, all of them or none.

        After ``ServiceUnreachableError``, the tasks may or may not have arrived, or may arrive later. Before another
        attempt, look for their keys, and treat a second task with the same key as a duplicate.
        """
        if not tasks:
            return
        sent = [{"data": dict(task.data) | {KEY: task.key}, "predictions": list(task.predictions)} for task in tasks]
        options = {"timeout_in_seconds": self._seconds + SECONDS_PER_TASK * len(sent)}
        reply = self._ask(
            lambda sdk: sdk.projects.import_tasks(project, request=sent, request_options=options), again=False
        )
        taken = reply.get("task_count") if isinstance(reply, dict) else None
        if taken != len(sent):
            raise ServiceError(
                f"Touchstone sent {len(sent)} tasks to project {project} of Label Studio at {self.address}, but Label "
                f"Studio confirmed {taken if isinstance(taken, int) else 'something else'}. Check the project in "
                "Label Studio."
            )

    def tasks(self, project: int) -> Iterator[OutsideTask]:
        """Yield all tasks of a project with their annotations, in the order of their ids, page by page.

        Each page begins after the last id of the previous page, so tasks that are removed or added in between move
        nothing.
        """
        last = 0
        while True:
            reply = self._ask(partial(self._page, project=project, last=last))
            rows = self._read.list_of(reply.get("tasks") if isinstance(reply, dict) else None, "its tasks")
            total = self._read.number(reply.get("total"), "its tasks")
            for row in rows:
                task = self._read.task(row)
                if task.id <= last:
                    self._read.odd("the tasks are not in the requested order")
                last = task.id
                yield task
            if len(rows) >= total or not rows:
                return

    @staticmethod
    def _page(sdk: Any, *, project: int, last: int) -> object:
        later = {"filter": "filter:tasks:id", "operator": "greater", "type": "Number", "value": last}
        query = {"filters": {"conjunction": "and", "items": [later]}, "ordering": ["tasks:id"]}
        return sdk.tasks.list(
            project=project,
            page_size=PAGE,
            query=json.dumps(query),
            fields="all",
            include=",".join(FIELDS),
            resolve_uri=False,
        )

    def task(self, task: int) -> OutsideTask | None:
        """Return one task, or None if it is gone."""
        reply = self._ask(lambda sdk: sdk.tasks.get(str(task)), gone=True)
        return None if reply is None else self._read.task(reply)

    def remove(self, tasks: Sequence[int], *, project: int | None = None) -> None:
        """Remove tasks. Missing tasks are ignored. With ``project``, many tasks of it are removed with one request."""
        if project is not None and len(tasks) >= AT_ONCE:
            for begin in range(0, len(tasks), LOT):
                self._ask(
                    partial(self._remove_many, project=project, tasks=list(tasks[begin : begin + LOT])), gone=True
                )
            return
        for task in tasks:
            self._ask(partial(self._remove, task=task), gone=True)

    @staticmethod
    def _remove(sdk: Any, *, task: int) -> object:
        return sdk.tasks.delete(str(task))

    @staticmethod
    def _remove_many(sdk: Any, *, project: int, tasks: list[int]) -> object:
        chosen = {"all": False, "included": tasks}
        return sdk.actions.create(id="delete_tasks", project=project, selected_items=chosen)
