"""PCA-Bench's own files."""

from __future__ import annotations

from annotation_schemas.formats.columns import ItemKeys
from annotation_schemas.formats.row import Format, Takes, only_named
from domain.json_layout import INDENTED

ROWS = (
    Format(
        "pca_bench",
        "one JSON list per domain with actions, reason and key concepts",
        Takes.ITEMS,
        place=30,
        reads=True,
        writes=True,
        releases=True,
        keys=ItemKeys(
            name="pca_bench",
            order=("version", "question", "actions", "answer_index", "reason", "key_concept", "domain"),
            needs=("question", "actions"),
            layout=INDENTED,
            id_key="index",
            named_by="domain",
            media="image",
            renamed={"options": "actions", "key_concepts": "key_concept"},
            chosen=("answer", "answer_index", None, "from_0"),
        ),
        fits=only_named,
    ),
)
