"""Results of models, judges and people, and attributes of models and items, in files for any benchmark."""

from __future__ import annotations

from annotation_schemas.formats.row import Format, Takes

ROWS = (
    Format(
        "predictions",
        "models' answers: JSON lines, FastChat's files, VLMEvalKit's `.xlsx`, or any of the logs below",
        Takes.ANSWERS,
        place=40,
        marks=("item", "model", "text"),
        reads="importers.predictions:read_predictions",
        writes="exporters.tables:predictions",
    ),
    Format(
        "judgements",
        "judges' replies: FastChat's files, or JSON lines with `judge`, `item` and `text`",
        Takes.REPLIES,
        place=55,
        marks=("judge", "item", "text"),
        reads="importers.judgements:read_judgements",
    ),
    Format(
        "models",
        "what models are, CSV: `model` and a column for each attribute, such as `size`",
        Takes.MODELS,
        place=72,
        reads="importers.attributes:read_models",
        writes="exporters.tables:models",
    ),
    Format(
        "labels",
        "labels of items, CSV: `item` and a column for each label, such as `scene`",
        Takes.LABELS,
        place=74,
        reads="importers.attributes:read_labels",
        writes="exporters.tables:labels",
    ),
    Format(
        "ratings",
        "`unit,rater,criterion,value`, CSV",
        Takes.RATINGS,
        place=70,
        marks=("unit", "rater", "criterion", "value"),
        reads="importers.ratings:read_ratings",
        writes="exporters.tables:ratings",
    ),
)
