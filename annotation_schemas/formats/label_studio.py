"""Files of Label Studio."""

from __future__ import annotations

from annotation_schemas.formats.row import Format, Takes

ROWS = (
    Format(
        "label_studio",
        "tasks, annotations and predictions in Label Studio's own JSON",
        Takes.TASKS,
        place=80,
        reads="importers.label_studio:read_label_studio",
        writes="exporters.label_studio:label_studio_json",
    ),
)
