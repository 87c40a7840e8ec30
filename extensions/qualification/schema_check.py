"""Checks of the key ``qualification`` of a stage: its numbers, and what answers are compared with."""

from __future__ import annotations

from collections.abc import Iterator

from annotation_schemas import kinds, registry
from annotation_schemas.check_parts import Found, of_percent
from annotation_schemas.extension_keys import SchemaKey
from annotation_schemas.keys import keys_of_votes
from annotation_schemas.model import Qualification, Schema
from annotation_schemas.protocol_checks import Finding
from annotation_schemas.yaml_text import WARNING, Path
from domain.states import VERIFICATIONS, Stage

STAGES = (*VERIFICATIONS, Stage.GRADING)
"""The stages that may need a qualification."""


def check(schema: Schema) -> Found:
    """Yield the problems of the qualifications of all stages."""
    for stage, asked in _asked(schema):
        path: Path = ("stages", stage.value, "qualification")
        if asked.items < 1 or asked.reviewers < 1:
            yield path, "`items` and `reviewers` must each be at least 1"
        if not 0 <= asked.pass_mark <= 1:
            yield (*path, "pass_mark"), f"the pass mark must be a share between 0 and 1{of_percent(asked.pass_mark)}"
        if asked.retry_after_hours < 0 or (asked.attempts is not None and asked.attempts < 1):
            yield path, "`retry_after_hours` must be 0 or more, and `attempts` must be at least 1"
        by_key = asked.against in ("key", "both")
        if stage is not Stage.GRADING:
            if by_key and not keys_of_votes(schema, stage.value):
                yield (
                    (*path, "against"),
                    "the keep rule of this stage uses no `key`, so votes have no key to compare with; use `seniors`",
                )
            continue
        if by_key:
            yield (*path, "against"), "models' answers have no key to compare with; use `seniors`"
        criteria = registry.criteria_of(schema, stage.value)
        if not any(kinds.of_criterion(criterion).compared and criterion.required for criterion in criteria):
            yield path, "no criterion is always answered, so answers cannot be compared; make a criterion required"


def check_pass_mark(schema: Schema) -> Iterator[Finding]:
    """Yield a warning for each stage whose qualification everyone passes."""
    for stage, asked in _asked(schema):
        if asked.pass_mark == 0:
            yield Finding(
                WARNING,
                ("stages", stage.value, "qualification", "pass_mark"),
                "with this pass mark, everyone passes; give a share above 0, or remove the qualification",
            )


def _asked(schema: Schema) -> Iterator[tuple[Stage, Qualification]]:
    for stage in STAGES:
        asked = getattr(getattr(schema.stages, stage.value), "qualification", None)
        if asked is not None:
            yield stage, asked


KEYS = (SchemaKey("stages.*.qualification", check),)
