"""Checks that involve several keys of a schema, such as names that must refer to something."""

from __future__ import annotations

from pathlib import PurePosixPath

from annotation_schemas import (
    derived,
    extension_keys,
    judge_templates,
    registry,
    rule_checks,
    wording_checks,
)
from annotation_schemas.check_parts import Found, check_names, known_dimensions, no_value
from annotation_schemas.formats import keys_of_source, picked_fields
from annotation_schemas.formats.columns import DIMENSION
from annotation_schemas.grammar import among, suggestion, unique
from annotation_schemas.item_checks import check_item
from annotation_schemas.model import (
    Judge,
    Schema,
)
from annotation_schemas.stage_checks import (
    check_answering,
    check_coding,
    check_comparison,
    check_grading,
    check_stages,
    check_verifications,
)
from annotation_schemas.yaml_text import Document, Path
from domain.split_names import RULE, is_split_name
from domain.states import VERIFICATIONS


def cross_check(schema: Schema, document: Document) -> None:
    """Report every invalid reference, and every value that contradicts another one."""
    for check in (
        _rows,
        _top,
        _dimensions,
        check_item,
        check_stages,
        check_verifications,
        check_answering,
        check_grading,
        check_comparison,
        check_coding,
        _judges,
        _models,
        _rest,
        _derived,
        rule_checks.check,
        extension_keys.check,
        wording_checks.check,
    ):
        for path, message in check(schema):
            document.add(path, message)


def _rows(schema: Schema) -> Found:
    for name_of_registry, name, path, _ in registry.named(schema):
        if registry.find(name_of_registry, name) is None:
            known = [row.name for row in registry.rows(name_of_registry)]
            noun = name_of_registry.replace("_", " ")
            yield path, f"there is no {noun} `{name}`{suggestion(name, known)}; use one of: {', '.join(known)}"


def _top(schema: Schema) -> Found:
    yield from check_names([(("name",), schema.name)])
    if schema.version < 1:
        yield ("version",), "the version must be 1 or greater"
    if not schema.title.strip():
        yield ("title",), "the title is empty; write a title"


def _dimensions(schema: Schema) -> Found:
    if not schema.dimensions:
        yield ("dimensions",), "there are no dimensions; add at least one dimension"
    yield from check_names(
        [(("dimensions", index, "id"), dimension.id) for index, dimension in enumerate(schema.dimensions)]
    )
    for key in ("folder", "named"):
        yield from unique(
            [
                (("dimensions", index, key), value)
                for index, dimension in enumerate(schema.dimensions)
                if (value := getattr(dimension, key)) is not None
            ]
        )
    for index, dimension in enumerate(schema.dimensions):
        if dimension.wanted is not None and dimension.wanted < 1:
            yield ("dimensions", index, "wanted"), "`wanted` must be at least 1"
        if dimension.folder is not None:
            folder = PurePosixPath(dimension.folder)
            if folder.is_absolute() or ".." in folder.parts or "\\" in dimension.folder:
                yield (
                    ("dimensions", index, "folder"),
                    "the path is invalid; write a path with forward slashes, relative to the imported folder",
                )


def _judges(schema: Schema) -> Found:
    yield from check_names([(("judges", index, "name"), judge.name) for index, judge in enumerate(schema.judges)])
    criteria = {
        criterion.name: criterion
        for stage in (*VERIFICATIONS, "grading")
        for criterion in registry.criteria_of(schema, stage)
    }
    for index, judge in enumerate(schema.judges):
        path: Path = ("judges", index)
        for name in judge.criteria:
            if name not in criteria:
                yield (*path, "criteria"), f"`{name}` is not a criterion{among(name, list(criteria))}"
        yield from known_dimensions(schema, judge.dimensions, (*path, "dimensions"))
        yield from _sees(schema, judge, path)
        for value in judge.values:
            rated = (no_value(criteria[name], value) for name in judge.criteria if name in criteria)
            if wrong := next(filter(None, rated), None):
                yield (*path, "values"), wrong


def _sees(schema: Schema, judge: Judge, path: Path) -> Found:
    for index, name in enumerate(judge.sees):
        sources = _sources(schema)
        if name not in sources:
            yield (*path, "sees", index), f"`{name}` is not a field or asset of the item{among(name, sources)}"
    template = judge_templates.shipped().get(judge.template)
    if template is None:
        return
    for placeholder in judge.fills:
        if placeholder not in template.prompt.placeholders:
            known = ", ".join(template.prompt.placeholders)
            message = f"the template `{judge.template}` has no placeholder with this name; use one of: {known}"
            yield (*path, "fills", placeholder), message
    for placeholder, source in template.sources(judge.fills).items():
        named = {source, judge.fills.get(placeholder, placeholder)}
        if named.intersection(_sources(schema)) and not named.intersection(judge.sees):
            where = (*path, "fills", placeholder) if placeholder in judge.fills else path
            message = f"the template's placeholder `{placeholder}` uses `{source}`, which is not in `sees`"
            yield where, f"{message}; add `{source}` to `sees`"


def _sources(schema: Schema) -> list[str]:
    """Return the names of the fields and assets that a judge can see."""
    own = [*(field.name for field in schema.item.fields), *(slot.role for slot in schema.item.assets)]
    return [*own, judge_templates.PREDICTION, judge_templates.DIMENSION]


def shown_to_judges(schema: Schema) -> Found:
    """Yield the problems of judges that would not see the answer they grade, or not the fields in the schema.

    The check applies while a schema is written. A stored schema can be opened, but its judges cannot start.
    """
    for index, field in enumerate(schema.item.fields):
        if schema.judges and field.name == judge_templates.PREDICTION:
            message = f"`{field.name}` is the judges' name for the graded answer; give the field another name"
            yield ("item", "fields", index, "name"), message
    fields, roles = ([field.name for field in schema.item.fields], [slot.role for slot in schema.item.assets])
    graded = {criterion.name for criterion in registry.criteria_of(schema, "grading")}
    voted = {criterion.name for stage in VERIFICATIONS for criterion in registry.criteria_of(schema, stage)}
    for index, judge in enumerate(schema.judges):
        template = judge_templates.shipped().get(judge.template)
        if template is None:
            continue
        path: Path = ("judges", index)
        troubles = template.troubles(
            judge.fills,
            [*_sources(schema), *judge.fills.values()],
            answers=bool(graded.intersection(judge.criteria)),
            items=bool(voted.intersection(judge.criteria)),
        )
        unmirrored = template.unmirrored(judge.values or template.head.values)
        if unmirrored is not None:
            yield path, unmirrored
        for about, sentence in troubles:
            if about not in judge.fills or about in template.prompt.placeholders:
                yield (*path, "fills", about) if about in judge.fills else path, sentence
        filled = {
            name for name, source in template.sources(judge.fills).items() if source == judge_templates.PREDICTION
        }
        if filled and judge_templates.PREDICTION not in judge.sees and filled.intersection(judge.sees):
            names = ", ".join(f"`{name}`" for name in sorted(filled))
            message = (
                f"the template `{judge.template}` puts the model's answer into {names}; add `prediction` to `sees`"
            )
            yield path, message
        shown = template.sources(judge.fills).values()
        pictured = template.head.pictures == "item"
        for number, name in enumerate(judge.sees):
            if name in roles and name not in fields:
                if not pictured:
                    message = f"`{name}` is in `sees`, but the template `{judge.template}` shows no pictures"
                    yield (*path, "sees", number), f"{message}; remove `{name}`, or use a template with pictures"
            elif name in _sources(schema) and name not in shown:
                message = f"`{name}` is in `sees`, but the template `{judge.template}` has no matching placeholder"
                yield (*path, "sees", number), f"{message}; name a placeholder under `fills`, or remove `{name}`"
        if pictured and roles and not set(roles).intersection(judge.sees):
            message = f"the template `{judge.template}` shows the item's pictures, but `sees` lists no picture"
            yield (*path, "sees") if judge.sees else path, f"{message}; add {', '.join(roles)}"


def _models(schema: Schema) -> Found:
    variants = schema.models.variants if schema.models else {}
    for variant, dimensions in variants.items():
        yield from known_dimensions(schema, dimensions, ("models", "variants", variant))
    yield from unique(
        [
            (("models", "variants", variant, index), name)
            for variant, dimensions in variants.items()
            for index, name in enumerate(dimensions)
        ]
    )


def _rest(schema: Schema) -> Found:
    fields = [field.name for field in schema.item.fields]
    for index, name in enumerate(schema.export.public_without):
        if name not in fields:
            yield ("export", "public_without", index), f"`{name}` is not a field of the item{among(name, fields)}"
    yield from unique(
        [(("export", "private_splits", at), name) for at, name in enumerate(schema.export.private_splits)]
    )
    for at, name in enumerate(schema.export.private_splits):
        if not is_split_name(name):
            yield ("export", "private_splits", at), f"`{name}` is not a valid name: {RULE}"
    if schema.export.private_splits and not schema.export.public_without:
        yield ("export", "private_splits"), "private splits need hidden fields; list the fields under `public_without`"
    if schema.source:
        targets = [*fields, *(slot.role for slot in schema.item.assets)]
        keys = keys_of_source(schema)
        if keys is not None and keys.open:
            targets.append(DIMENSION)
        if schema.source.separator is not None and not (keys is not None and keys.table):
            yield (
                ("source", "separator"),
                f"`separator` is for tables, but `{schema.source.format}` is not a table; remove `separator`",
            )
        for name in schema.source.places:
            if keys is None or not keys.open:
                yield (
                    ("source", "places", name),
                    f"`places` works only for csv and jsonl, because `{schema.source.format}` files have a fixed "
                    "notation for options; remove this key",
                )
            elif name not in picked_fields(schema):
                what = f"`{name}` is not a field of kind option_of"
                yield ("source", "places", name), f"{what}{among(name, picked_fields(schema))}"
        for name in schema.source.fields:
            if name not in targets:
                yield ("source", "fields", name), f"`{name}` is not a field or asset{among(name, targets)}"
    rated = (*VERIFICATIONS, "grading", "comparison", "coding")
    asked = [criterion.name for stage in rated for criterion in registry.criteria_of(schema, stage)]
    for name in schema.report.scales:
        if name not in asked:
            yield ("report", "scales", name), f"`{name}` is not a criterion{among(name, asked)}"
    if schema.report.by == "group" and not any(dimension.group for dimension in schema.dimensions):
        yield ("report", "by"), "no dimension has a `group`; add groups, or use `dimension`"
    if "derived" in schema.report.statistics and not schema.report.derived:
        yield ("report", "statistics"), "`derived` needs criteria; add criteria under `report: derived`"


def _derived(schema: Schema) -> Found:
    stages = (*VERIFICATIONS, "refinement", "grading", "comparison", "coding")
    asked = [criterion.name for stage in stages for criterion in registry.criteria_of(schema, stage)]
    graded = {criterion.name: criterion for criterion in registry.criteria_of(schema, "grading")}
    yield from check_names(
        [
            (("report", "derived", at, "name"), derived_criterion.name)
            for at, derived_criterion in enumerate(schema.report.derived)
        ]
    )
    for at, derived_criterion in enumerate(schema.report.derived):
        path: Path = ("report", "derived", at)
        if derived_criterion.name in asked:
            yield (*path, "name"), f"`{derived_criterion.name}` is already a rated criterion; choose another name"
        if bool(derived_criterion.all_of) == bool(derived_criterion.mean_of):
            yield path, "give exactly one of `all_of` and `mean_of`"
            continue
        if derived_criterion.not_all_of and not derived_criterion.all_of:
            yield (*path, "not_all_of"), "`not_all_of` needs `all_of`"
            continue
        key = "all_of" if derived_criterion.all_of else "mean_of"
        keyed = [(name_of, getattr(derived_criterion, name_of)) for name_of in ("all_of", "not_all_of", "mean_of")]
        placed = [((*path, of, number), name) for of, names in keyed for number, name in enumerate(names)]
        yield from unique(placed)
        for here, name in placed:
            if name not in graded:
                yield here, f"`{name}` is not a grading criterion{among(name, list(graded))}"
                continue
            ends = derived.ends_of_values(graded[name])
            if ends is None:
                yield here, f"the values of `{name}` are not numbers; name a criterion with numbers"
            elif derived_criterion.all_of and ends[1] is None:
                yield here, f"`{name}` has no highest value; add a `max` to this criterion"
        if (
            all(name in graded for name in derived_criterion.parts)
            and derived.dimensions(schema, derived_criterion) == frozenset()
        ):
            yield (*path, key), "no dimension has all these criteria; list criteria of a single dimension"
        if derived_criterion.all_of and schema.stages.grading and schema.stages.grading.combine != "majority":
            yield (*path, key), "`all_of` needs settled values; set `combine: majority` in grading"


# ---- small questions ------------------------------------------------------------------------------------------------
