"""Checks of the key ``gold`` of a stage: its rate and its limits."""

from __future__ import annotations

from annotation_schemas.check_parts import Found, of_percent
from annotation_schemas.extension_keys import SchemaKey
from annotation_schemas.model import Schema
from annotation_schemas.yaml_text import Path
from extensions.gold.checks import STAGES


def check(schema: Schema) -> Found:
    """Yield the problems of the gold checks of all stages."""
    for stage in STAGES:
        gold = getattr(getattr(schema.stages, stage), "gold", None)
        if gold is None:
            continue
        path: Path = ("stages", stage.value, "gold")
        if not 0.01 <= gold.rate <= 0.5:
            yield (*path, "rate"), (f"the share of gold checks must be between 0.01 and 0.5{of_percent(gold.rate)}")
        if gold.after < 1:
            yield (*path, "after"), "the number must be at least 1"
        for key in ("warn_below", "stop_below"):
            value = getattr(gold, key)
            if value is not None and not 0 < value <= 1:
                yield (
                    (*path, key),
                    f"the value must be a share of right answers, above 0 and at most 1{of_percent(value)}",
                )
        if gold.warn_below is not None and gold.stop_below is not None and gold.stop_below > gold.warn_below:
            yield (
                (*path, "stop_below"),
                "this share cannot be above `warn_below`, because the warning must come before the stop",
            )


KEYS = (SchemaKey("stages.*.gold", check),)
