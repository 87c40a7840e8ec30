"""Results of models and people, and attributes of models and items, in files for any benchmark."""

from __future__ import annotations

from annotation_schemas.formats.row import Format, Takes

ROWS = (
    Format(
        "predictions",
        "models' answers: JSON lines, FastChat's files, VLMEvalKit's `.xlsx`, or any of the logs below",
        Takes.ANSWERS,
        place=40,
        marks=("item", "model", "text"),
        reads=True,
        writes=True,
    ),
    Format(
        "models",
        "attributes of models, CSV: `model` and a column for each attribute, such as `size`",
        Takes.MODELS,
        place=72,
        reads=True,
        writes=True,
    ),
    Format(
        "labels",
        "labels of items, CSV: `item` and a column for each label, such as `scene`",
        Takes.LABELS,
        place=74,
        reads=True,
        writes=True,
    ),
    Format(
        "ratings",
        "`unit,rater,criterion,value`, CSV",
        Takes.RATINGS,
        place=70,
        marks=("unit", "rater", "criterion", "value"),
        writes=True,
    ),
)
