"""Files of Label Studio."""

from __future__ import annotations

from annotation_schemas.formats.row import Format, Takes

ROWS = (
    Format(
        "label_studio",
        "tasks, annotations and predictions in Label Studio's own JSON",
        Takes.TASKS,
        place=80,
        marks=("data", "annotations"),
        reads="labelstudio.import_file:read_label_studio",
        writes="labelstudio.export_file:label_studio_json",
    ),
)
