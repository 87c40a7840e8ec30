"""Parts of a schema that cannot work, or that have no effect. Stored schemas open although they have such parts.

Each finding names the place, the consequence and the fix. It is an *error* if the protocol cannot work, and a *warning*
if it may be intended. Extensions may add checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_schemas import grading_sample, kinds, registry
from annotation_schemas.formats import keys_of_source
from annotation_schemas.keys import key_fields, keys_of_votes, options_field
from annotation_schemas.model import Schema, Verification
from annotation_schemas.prompts import load_prompt_set
from annotation_schemas.yaml_text import ERROR, WARNING, Path
from domain import extensions
from domain.errors import SchemaError
from domain.language import ENGLISH, NAMES
from domain.policies import REFINEMENT_ENDS
from domain.states import VERIFICATIONS

CLIPS = ("recent_segments", "frames_per_segment", "observation_frames")
"""The keys for turning clips into frames."""
_TELLS = re.compile(
    r"(^|_)(answer|answers|gold|golden|key|correct|solution|truth|reason|rationale|explanation|hint)(_|$)"
)
"""Names of fields that speak of the right answer."""


@dataclass(frozen=True)
class Finding:
    """A part of a schema that cannot work, has no effect, or may not be intended."""

    level: str
    """``error`` or ``warning``."""
    path: Path
    message: str


def findings(schema: Schema) -> Iterator[Finding]:
    """Yield the findings of extensions and of core. The schema has passed ``cross_check``."""
    for check in extensions.rows("schema_checks"):
        yield from check(schema)
    yield from _dimension_names(schema)
    yield from _writers(schema)
    yield from _refinement(schema)
    yield from _grading(schema)
    yield from _shuffles(schema)
    yield from _translations(schema)
    yield from _shown_answers(schema)
    yield from _judges(schema)
    yield from _models(schema)


def _dimension_names(schema: Schema) -> Iterator[Finding]:
    if len(schema.dimensions) > 1:
        for index, dimension in enumerate(schema.dimensions):
            if dimension.id == "all":
                message = "`all` means all dimensions in every report; choose another name"
                yield Finding(ERROR, ("dimensions", index, "id"), message)


def _writers(schema: Schema) -> Iterator[Finding]:
    """The people who write are enough for the dimensions."""
    stage = schema.stages.authoring
    if stage is None or stage.people is None or stage.dimensions_per_person is None:
        return
    per_person, per_dimension, n = stage.dimensions_per_person, stage.people_per_dimension or 1, len(schema.dimensions)
    places, needed = stage.people * per_person, n * per_dimension
    if places < needed:
        yield Finding(
            WARNING,
            ("stages", "authoring", "people"),
            f"{stage.people} people times {per_person} dimensions per person is {places}, but {n} dimensions times "
            f"{per_dimension} people per dimension is {needed}; raise `people` or `dimensions_per_person`",
        )


def _refinement(schema: Schema) -> Iterator[Finding]:
    stage = schema.stages.refinement
    if stage is not None and stage.until is not None and stage.until not in REFINEMENT_ENDS:
        there = ", ".join(REFINEMENT_ENDS)
        path: Path = ("stages", "refinement", "until")
        yield Finding(ERROR, path, f"`{stage.until}` is not a known value of `until`; use one of: {there}")


def _grading(schema: Schema) -> Iterator[Finding]:
    stage = schema.stages.grading
    if stage is not None and stage.raters == 2 and stage.combine == "majority":
        yield Finding(
            WARNING,
            ("stages", "grading", "raters"),
            "with two people, two different grades have no majority, so the answer gets no grade; ask 3 people, "
            "or set `combine: mean`",
        )
    most = grading_sample.most_wanted(schema)
    plan = stage.sample if stage is not None else None
    if plan is not None and plan.outputs is not None and most is not None and plan.outputs > most:
        yield Finding(
            WARNING,
            ("stages", "grading", "sample", "outputs"),
            f"the models have only {most:,} answers to the wanted items of these dimensions; lower `outputs`, add "
            "models, or add dimensions",
        )


def _shuffles(schema: Schema) -> Iterator[Finding]:
    for name in (*VERIFICATIONS, "grading"):
        shuffle = getattr(getattr(schema.stages, name), "shuffle", ())
        if "options" in shuffle and not any(criterion.field for criterion in registry.criteria_of(schema, name)):
            yield Finding(
                WARNING,
                ("stages", name, "shuffle"),
                "no criterion of this stage offers an item's own options (`field`), so Touchstone shuffles no "
                "options; remove `options`",
            )


def _translations(schema: Schema) -> Iterator[Finding]:
    """Languages without a catalog, and translations of texts that the schema does not have."""
    known = [code for code in NAMES if code != ENGLISH]
    own = set(_texts(schema.model_dump(exclude={"translations"})))
    for code, texts in schema.translations.items():
        if code not in known:
            message = f"annotators' pages are not available in `{code}`; use one of: {', '.join(known)}"
            yield Finding(ERROR, ("translations", code), message)
        for text in texts:
            if text not in own:
                why = "the schema does not contain this text; correct or remove the translation"
                yield Finding(WARNING, ("translations", code, text), why)


def _texts(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        for value in part.values():
            yield from _texts(value)
    elif isinstance(part, Sequence):
        for value in part:
            yield from _texts(value)


# ---- what raters are told -------------------------------------------------------------------------------------------


def _shown_answers(schema: Schema) -> Iterator[Finding]:
    """Fields that are shown where raters should find the answer by themselves."""
    seen: dict[str, str] = {}
    for name, part in schema.stages.verifications.items():
        yield from _shown_to_voters(schema, name, part)
        for field in schema.item.fields:
            if part.again and name in field.secret_in and field.name in seen:
                yield Finding(
                    WARNING,
                    ("stages", name, "again"),
                    f"people who vote in this stage may know the secret field `{field.name}` from `{seen[field.name]}"
                    f"`; remove `again`, or hide the field in `{seen[field.name]}`",
                )
            elif name not in field.secret_in:
                seen.setdefault(field.name, name)


def _shown_to_voters(schema: Schema, name: str, stage: Verification) -> Iterator[Finding]:
    lists = {criterion.field for criterion in stage.criteria if criterion.field is not None}
    known = key_fields(schema)
    keyed, called = keys_of_votes(schema, name), name.replace("_", " ")
    places = _places_of_key(schema) if keyed else ()
    for index, field in enumerate(schema.item.fields):
        if name in field.secret_in:
            continue
        path: Path = ("item", "fields", index)
        todo = f"give it `secret_in: [{name}]`"
        if field.name in places:
            yield Finding(
                ERROR,
                path,
                f"`{field.name}` gives the position of the right answer, and raters of {called} see this field; {todo}",
            )
        elif keyed and (field.name in known or _TELLS.search(field.name)):
            yield Finding(
                WARNING,
                path,
                f"`{field.name}` may reveal the right answer, which raters of {called} should find themselves; {todo}",
            )
        elif kinds.of_field(field).chosen and field.field in lists:
            yield Finding(
                WARNING,
                path,
                f"raters of {called} choose from `{field.field}`, but already see the author's choice in `"
                f"{field.name}`; {todo}",
            )


def _places_of_key(schema: Schema) -> set[str]:
    """Return the fields that hold the right option's position in the file's format."""
    row = keys_of_source(schema)
    if row is None or row.chosen is None:
        return set()
    names = schema.source.fields if schema.source else {}
    keys = {key for key in row.chosen[:3] if key}
    votes = keys_of_votes(schema)
    return {
        field.name
        for field in schema.item.fields
        if names.get(field.name, field.name) in keys and field.name not in votes and not kinds.of_field(field).chosen
    }


# ---- judges and models ----------------------------------------------------------------------------------------------


def _judges(schema: Schema) -> Iterator[Finding]:
    for index, judge in enumerate(schema.judges):
        row = registry.find("template", judge.template)
        if isinstance(row, registry.Template) and judge.parser not in (None, row.parser):
            yield Finding(
                ERROR,
                ("judges", index, "parser"),
                f"the parser `{row.parser}` always reads replies to the template `{row.name}`; remove `parser`, or "
                f"set `parser: {row.parser}`",
            )


def _models(schema: Schema) -> Iterator[Finding]:
    models = schema.models
    if models is None:
        return
    if models.score is not None and models.strategy != "rank_options":
        yield Finding(
            WARNING,
            ("models", "score"),
            f"`score` has no effect with `{models.strategy}`, because only `rank_options` scores options; remove "
            "`score`",
        )
    if models.strategy == "rank_options" and options_field(schema) is None:
        yield Finding(
            WARNING,
            ("models", "strategy"),
            "`rank_options` ranks an item's options, but no field lists options;"
            " use `generate`, or give items a `text_list`",
        )
    for name, value in models.clips.items():
        if name not in CLIPS:
            why = f"`{name}` is not a setting for clips; use one of: {', '.join(CLIPS)}"
            yield Finding(ERROR, ("models", "clips", name), why)
        elif isinstance(value, bool) or not isinstance(value, int) or value < 0:
            why = f"`{value}` is not a number of frames; give a whole number of 0 or more"
            yield Finding(ERROR, ("models", "clips", name), why)
    if models.clips and not any(slot.kind == "clip" for slot in schema.item.assets):
        yield Finding(WARNING, ("models", "clips"), "items have no clip, so `clips` has no effect; remove `clips`")
    try:
        prompts = load_prompt_set(models.prompts) if models.prompts else None
    except (KeyError, SchemaError):
        return
    there = {variant for family in prompts.families.values() for variant in family} if prompts else {"general"}
    for variant in models.variants:
        if variant not in there:
            where = f"the prompts `{models.prompts}` have" if prompts else "without `prompts` there is"
            yield Finding(
                ERROR,
                ("models", "variants", variant),
                f"{where} no variant `{variant}`, so dimensions with this variant would silently use `general`; use "
                f"one of: {', '.join(sorted(there))}",
            )
