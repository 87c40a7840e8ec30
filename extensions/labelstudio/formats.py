"""The file formats of Label Studio."""

from __future__ import annotations

from typing import Any

from annotation_schemas.formats.row import Format, Takes
from annotation_schemas.formats.tasks import Page, TaskFile, TaskFiles
from annotation_schemas.model import Schema
from domain.states import Stage


def _read(*args: Any, **options: Any) -> Any:
    from extensions.labelstudio.import_file import read_label_studio

    return read_label_studio(*args, **options)


def _written(*args: Any, **options: Any) -> Any:
    from extensions.labelstudio.export_file import label_studio_json

    return label_studio_json(*args, **options)


def _imported(*args: Any, **options: Any) -> Any:
    from extensions.labelstudio.exchange.import_project import import_label_studio

    return import_label_studio(*args, **options)


def _exported(*args: Any, **options: Any) -> TaskFile:
    from extensions.labelstudio.exchange.export_project import tasks_file

    return tasks_file(*args, **options)


def _labeling(schema: Schema, stage: Stage | None) -> tuple[bytes, Page]:
    from extensions.labelstudio.exchange.export_project import labeling_of

    return labeling_of(schema, stage)


ROWS = (
    Format(
        "label_studio",
        "tasks, annotations and predictions in Label Studio's JSON format",
        Takes.TASKS,
        place=80,
        marks=("data", "annotations"),
        reads=_read,
        writes=_written,
        tasks=TaskFiles(_imported, _exported, _labeling),
    ),
)
