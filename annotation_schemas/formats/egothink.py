"""EgoThink's own files."""

from __future__ import annotations

from annotation_schemas.formats.columns import ItemKeys
from annotation_schemas.formats.row import Format, Takes, only_named
from domain.json_layout import INDENTED

ROWS = (
    Format(
        "egothink",
        "a folder per dimension, each with `annotations.json`",
        Takes.ITEMS,
        place=10,
        reads=True,
        writes=True,
        releases=True,
        keys=ItemKeys(
            name="egothink",
            order=("source_dataset", "image_path", "question", "answer"),
            needs=("image_path", "question", "answer"),
            layout=INDENTED,
            by_folder=True,
            file_name="annotations.json",
            media="image_path",
            origin="source_dataset",
        ),
        fits=only_named,
    ),
)
