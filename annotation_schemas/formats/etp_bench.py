"""ETP-Bench's items in a layout of our own: its authors' files are not public."""

from __future__ import annotations

from annotation_schemas.formats.columns import ItemKeys
from annotation_schemas.formats.row import Format, Takes, only_named
from domain.json_layout import INDENTED

ROWS = (
    Format(
        "etp_bench",
        "one JSON list of items, each with its aspect, images, answer form and facts about the scene",
        Takes.ITEMS,
        place=35,
        reads=True,
        writes=True,
        releases=True,
        keys=ItemKeys(
            name="etp_bench",
            order=(
                "id",
                "aspect",
                "images",
                "task",
                "question",
                "form",
                "options",
                "answer",
                "answer_boxes",
                "red_boxes",
                "numbers",
                "objects",
                "spatial",
                "knowledge",
                "environment",
            ),
            needs=("aspect", "images", "question", "form"),
            layout=INDENTED,
            id_key="id",
            new_ids=True,
            file_name="etp_bench.json",
            named_by="aspect",
            media="images",
        ),
        fits=only_named,
    ),
)
