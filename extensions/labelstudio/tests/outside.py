"""A fake of another tool that stores all data unchecked and loses replies, and whose people edit and delete freely.

Only its network is missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Any

from annotation_schemas import registry
from annotation_schemas.model import Schema
from domain.errors import NotAvailableError, ServiceError, ServiceUnreachableError
from domain.records import AssetView, TaskView
from domain.states import Stage
from extensions.labelstudio.exchange.bridge import Forms
from extensions.labelstudio.front_end import OutgoingTask, OutsideAnnotation, OutsideTask, OutsideUser

ADDRESS = "http://there.test"


class Kill(BaseException):
    """The process is killed at this moment."""


@dataclass
class Annotation:
    """A person's answer there."""

    id: int
    by: int | None
    result: list[dict[str, Any]]
    updated: str
    lead_seconds: float | None = None
    cancelled: bool = False


@dataclass
class Task:
    """A task there."""

    id: int
    data: dict[str, Any]
    predictions: list[Any]
    annotations: dict[int, Annotation] = field(default_factory=dict)


@dataclass
class Project:
    """A project there."""

    key: str
    title: str
    labeling: str
    tasks: dict[int, Task] = field(default_factory=dict)


class Outside:
    """A server that stores tasks and annotations.

    ``on_call`` gets every request, before its effect and again after it. The client sees the errors that it raises.
    Pages are cut from the current tasks, so removed tasks shift those behind them.
    """

    def __init__(self, *emails: str, page: int = 100) -> None:
        self.address = ADDRESS
        self.accounts = {id: email for id, email in enumerate(emails, 1)}
        self.projects: dict[int, Project] = {}
        self.page = page
        self.calls: list[str] = []
        self.given: list[str] = []
        """Every text that was handed to this server."""
        self.on_call: Callable[[str, str], None] = lambda when, name: None
        self.down = False
        self._ids = count(1)
        self._moments = count(1)

    # ---- requests of a client ---------------------------------------------------------------------------------------

    def users(self) -> Sequence[OutsideUser]:
        """Return all accounts."""
        return self._asked("users", lambda: [OutsideUser(id, email) for id, email in self.accounts.items()])

    def project_of(self, key: str) -> int | None:
        """Return the project with a key."""
        found = (id for id, project in self.projects.items() if project.key == key)
        return self._asked("project_of", lambda: next(found, None))

    def make_project(self, key: str, *, title: str, labeling: str) -> int:
        """Create a project."""

        def made() -> int:
            id = next(self._ids)
            self.projects[id] = Project(key, title, labeling)
            self.given += [key, title, labeling]
            return id

        return self._asked("make_project", made)

    def remove_project(self, project: int) -> None:
        """Remove a project."""
        self._asked("remove_project", lambda: self.projects.pop(project, None))

    def send(self, project: int, tasks: Sequence[OutgoingTask]) -> None:
        """Store tasks."""

        def stored() -> None:
            for task in tasks:
                self.given.append(json.dumps({"data": task.data, "predictions": list(task.predictions)}))
                kept = json.loads(self.given[-1])
                id = next(self._ids)
                self._project(project).tasks[id] = Task(id, kept["data"], kept["predictions"])

        self._asked("send", stored)

    def tasks(self, project: int) -> Iterator[OutsideTask]:
        """Yield all tasks of a project, page by page."""
        for start in count(0, self.page):
            page = self._asked("tasks", lambda start=start: self._page(project, start))
            yield from page
            if len(page) < self.page:
                return

    def task(self, task: int) -> OutsideTask | None:
        """Return one task."""
        return self._asked("task", lambda: _told(found) if (found := self.all_tasks().get(task)) else None)

    def remove(self, tasks: Sequence[int], *, project: int | None = None) -> None:
        """Remove tasks."""

        def removed() -> None:
            for project in self.projects.values():
                for id in tasks:
                    project.tasks.pop(id, None)

        self._asked("remove", removed)

    # ---- actions of people ------------------------------------------------------------------------------------------

    def waiting(self, user: int | str) -> list[Task]:
        """Return the unanswered tasks in a person's projects, as the person sees them there."""
        return [task for task in self.of(user) if not task.annotations]

    def of(self, user: int | str) -> list[Task]:
        """Return all tasks in a person's projects, found by the name in the project's title."""
        name = str(user).partition("@")[0].title()
        return [
            task
            for project in self.projects.values()
            if project.title.startswith(f"{name} ")
            for task in project.tasks.values()
        ]

    def answer(self, task: Task, by: int | None, lead: float | None = None, **values: Any) -> Annotation:
        """Answer a task on its screen."""
        return self.annotate(task, by, written(**values), lead)

    def annotate(
        self, task: Task, by: int | None, result: list[dict[str, Any]], lead: float | None = None
    ) -> Annotation:
        """Store any result for a task, because this server checks none."""
        made = Annotation(next(self._ids), by, result, self._moment(), lead)
        task.annotations[made.id] = made
        return made

    def edit(self, annotation: Annotation, **values: Any) -> None:
        """Change an answer."""
        annotation.result, annotation.updated = written(**values), self._moment()

    def skip(self, task: Task, by: int) -> None:
        """Press Skip."""
        self.annotate(task, by, []).cancelled = True

    def delete_task(self, id: int) -> None:
        """Delete a task by hand."""
        for project in self.projects.values():
            project.tasks.pop(id, None)

    def all_tasks(self) -> dict[int, Task]:
        """Return every task there."""
        return {id: task for project in self.projects.values() for id, task in project.tasks.items()}

    # ---- inside -----------------------------------------------------------------------------------------------------

    def _asked(self, name: str, effect: Callable[[], Any]) -> Any:
        self.calls.append(name)
        if self.down:
            raise ServiceUnreachableError(f"{self.address} does not answer; start it, then run the same command again.")
        self.on_call("before", name)
        answer = effect()
        self.on_call("after", name)
        return answer

    def _project(self, id: int) -> Project:
        if id not in self.projects:
            raise ServiceError(f"{self.address} has no project {id}.")
        return self.projects[id]

    def _page(self, project: int, start: int) -> list[OutsideTask]:
        return [_told(task) for task in list(self._project(project).tasks.values())[start : start + self.page]]

    def _moment(self) -> str:
        return f"2026-05-04T09:00:00.{next(self._moments):06d}Z"


def _told(task: Task) -> OutsideTask:
    annotations = [
        OutsideAnnotation(
            id=each.id,
            by=each.by,
            result=json.loads(json.dumps(each.result)),
            updated=each.updated,
            lead_seconds=each.lead_seconds,
            cancelled=each.cancelled,
            raw={"id": each.id, "completed_by": each.by, "result": each.result, "lead_time": each.lead_seconds},
        )
        for each in task.annotations.values()
    ]
    return OutsideTask(id=task.id, key=str(task.data.get("touchstone", "")), annotations=annotations)


# ---- a small language of forms ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """The meaning of a result."""

    values: Mapping[str, Any]
    reasons: Mapping[str, Any]
    note: str
    problems: Sequence[str]


def written(*, reasons: Mapping[str, Any] | None = None, note: str = "", **values: Any) -> list[dict[str, Any]]:
    """Return the result for answers."""
    found = [{"from_name": name, "value": value} for name, value in values.items()]
    found += [{"from_name": f"{name}.reason", "value": value} for name, value in (reasons or {}).items()]
    return [*found, {"from_name": "note", "value": note}] if note else found


def read(
    schema: Schema, stage: Stage, dimension: str, result: Sequence[Mapping[str, Any]], fields: Mapping[str, Any]
) -> Answer:
    """Return the answers in a result."""
    if stage is Stage.AUTHORING:
        known = {field.name for field in schema.item.fields}
    elif stage is Stage.ADJUDICATION:
        known = {"decision", "cause", "fields"}
    else:
        known = {criterion.name for criterion in registry.criteria_of(schema, stage.value, dimension)}
    values, reasons, note, problems = {}, {}, "", []
    for part in result:
        name = str(part.get("from_name"))
        if name == "note":
            note = str(part["value"])
        elif name.removesuffix(".reason") not in known:
            problems.append(f"Nothing asks for {name!r}.")
        elif name.endswith(".reason"):
            reasons[name.removesuffix(".reason")] = part["value"]
        else:
            values[name] = part["value"]
    return Answer(values, reasons, note, problems)


def labeling(schema: Schema, stage: Stage, dimension: str) -> str:
    """Return the questions of a screen. They differ for another version of the schema."""
    if stage is Stage.REFINEMENT:
        raise NotAvailableError("Refinement cannot be shown there: the criterion 'right_too'.")
    if stage is Stage.AUTHORING:
        return f"<View>{' '.join(field.name for field in schema.item.fields)}</View>"
    names = [criterion.name for criterion in registry.criteria_of(schema, stage.value, dimension)]
    return f"<View>{stage.value} {schema.version} {' '.join(names)}</View>"


def data(schema: Schema, stage: Stage, view: TaskView, media: Callable[[AssetView], str]) -> dict[str, Any]:
    """Return all content of a view, like a careless client."""
    return {
        "fields": dict(view.fields),
        "answer": view.answer,
        "votes": [[dict(vote.values), dict(vote.reasons), vote.note] for vote in view.votes],
        "history": list(view.history),
        "assets": [media(asset) for asset in view.assets],
        "place": view.place,
        "dimension": view.dimension,
    }


def link(key: str, asset: AssetView, until: datetime) -> str:
    """Return an address of a picture."""
    return f"http://here.test/media-link/{key}/{asset.id}/{until.timestamp():.0f}"


FORMS = Forms(labeling=labeling, data=data, read=read, link=link)
