"""Read seed tasks, subtasks and templates from a YAML file that people write."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

from annotation_schemas import typed_yaml
from domain.errors import InvalidFileError
from extensions.drafting.seed_tasks import SeedTask, Situation, Subtask, fault, situations

MOST = 100_000
"""The situations of one file."""


class TaskPlan(NamedTuple):
    """The content of a file."""

    path: str
    sha256: str
    situations: list[Situation]


class _SeedPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Subtask(_SeedPart):
    name: str = Field(min_length=1, max_length=500)
    after: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value


class _Task(_SeedPart):
    task: str = Field(min_length=1, max_length=500)
    dimension: str | None = None
    subtasks: tuple[_Subtask, ...] = ()


class _File(_SeedPart):
    tasks: tuple[_Task, ...] = Field(min_length=1)
    templates: tuple[str, ...] = ()


def read_plan(path: Path, dimensions: list[str]) -> TaskPlan:
    """Return the situations of a file, for a schema with these dimensions.

    Raises
    ------
    InvalidFileError
        The file cannot be read or contradicts itself. The message names the line or the task.
    """
    text = typed_yaml.read_file(path)
    document, content = typed_yaml.parse(text, _File)
    if content is None:
        raise InvalidFileError(typed_yaml.in_lines(document, str(path)))
    tasks = []
    for at, entry in enumerate(content.tasks):
        task = SeedTask(entry.task, tuple(Subtask(one.name, one.after) for one in entry.subtasks), entry.dimension)
        problem = fault(task)
        if entry.dimension is not None and entry.dimension not in dimensions:
            problem = f"names the unknown dimension {entry.dimension!r}. Choose one of {', '.join(dimensions)}"
        if problem:
            raise InvalidFileError(
                f"{path}, line {document.line_of(('tasks', at))}: the task {entry.task!r} {problem}."
            )
        tasks.append(task)
    if blank := next((at for at, one in enumerate(content.templates, 1) if not one.strip()), None):
        raise InvalidFileError(
            f"{path}, line {document.line_of(('templates', blank - 1))}: template {blank} is empty. Write or delete "
            "the template."
        )
    made = situations(tasks, content.templates)
    if len(made) > MOST:
        raise InvalidFileError(
            f"{path} produces {len(made):,} situations, but at most {MOST:,} are allowed. Remove some templates."
        )
    return TaskPlan(str(path), hashlib.sha256(path.read_bytes()).hexdigest(), made)
