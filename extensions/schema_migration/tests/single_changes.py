"""Single changes of a schema with all kinds of parts, each with its class as written by hand, both ways."""

from __future__ import annotations

from extensions.schema_migration.tests.living_schema import (
    ASKS,
    CRITERIA,
    FITS,
    NO,
    VOTES,
    Edit,
    add,
    all_of,
    put,
)

NEW_CRITERION = {"name": "clear", "kind": "choice", "prompt": "Clear?", "options": ["a", "b"]}

ONE_BY_ONE: dict[str, tuple[Edit, tuple[str, str, str], tuple[str, str]]] = {
    # name: the edit; path, row and status of the change; row and status of its reverse
    "title": (put("title", "T"), ("title", "words", FITS), ("words", FITS)),
    "other name": (put("name", "other"), ("name", "other_schema", NO), ("other_schema", NO)),
    "label of a dimension": (
        put("dimensions.bars.title", "B"),
        ("dimensions.bars.title", "words", FITS),
        ("words", FITS),
    ),
    "definition": (
        put("dimensions.bars.definition", "B"),
        ("dimensions.bars.definition", "words", FITS),
        ("words", FITS),
    ),
    "target": (put("dimensions.bars.wanted", 9), ("dimensions.bars.wanted", "target", FITS), ("target", FITS)),
    "group": (put("dimensions.bars.group", "G"), ("dimensions.bars.group", "figures", FITS), ("figures", FITS)),
    "folder": (put("dimensions.bars.folder", "b"), ("dimensions.bars.folder", "exports", FITS), ("exports", FITS)),
    "dimension": (
        add("dimensions", {"id": "pies", "title": "Pies"}),
        ("dimensions.pies", "added_dimension", FITS),
        ("removed_dimension", ASKS),
    ),
    "dimensions in another order": (
        lambda schema: schema["dimensions"].reverse(),
        ("dimensions", "order_of_entries", FITS),
        ("order_of_entries", FITS),
    ),
    "asset that may be absent": (
        add("item.assets", {"role": "map", "kind": "image", "min": 0}),
        ("item.assets.map", "added_asset", FITS),
        ("removed_asset", NO),
    ),
    "asset that is needed": (
        add("item.assets", {"role": "map", "kind": "image"}),
        ("item.assets.map", "asset_limits", ASKS),
        ("removed_asset", NO),
    ),
    "asset kind": (
        put("item.assets.chart.kind", "clip"),
        ("item.assets.chart.kind", "asset_kind", NO),
        ("asset_kind", NO),
    ),
    "fewer images": (
        put("item.assets.chart.max", 1),
        ("item.assets.chart.max", "asset_limits", ASKS),
        ("wider_item", FITS),
    ),
    "clip needed": (
        put("item.assets.clip.min", 1),
        ("item.assets.clip.min", "asset_limits", ASKS),
        ("wider_item", FITS),
    ),
    "field that may be empty": (
        add("item.fields", {"name": "origin", "kind": "text", "required": False}),
        ("item.fields.origin", "added_field", FITS),
        ("removed_field", ASKS),
    ),
    "field that is needed": (
        add("item.fields", {"name": "origin", "kind": "text"}),
        ("item.fields.origin", "field_needed", ASKS),
        ("removed_field", ASKS),
    ),
    "field title": (put("item.fields.note.title", "N"), ("item.fields.note.title", "words", FITS), ("words", FITS)),
    "field must be filled": (
        put("item.fields.note.required", True),
        ("item.fields.note.required", "field_needed", ASKS),
        ("wider_item", FITS),
    ),
    "text to long text": (
        put("item.fields.note.kind", "long_text"),
        ("item.fields.note.kind", "field_kind_fits", FITS),
        ("field_kind", NO),
    ),
    "text to integer": (
        put("item.fields.note.kind", "integer"),
        ("item.fields.note.kind", "field_kind", NO),
        ("field_kind", NO),
    ),
    "choice to text": (
        all_of(put("item.fields.level.kind", "text"), put("item.fields.level.options", None)),
        ("item.fields.level.kind", "field_kind_fits", FITS),
        ("field_kind", NO),
    ),
    "option of a field": (
        add("item.fields.level.options", "odd"),
        ("item.fields.level.options.odd", "wider_item", FITS),
        ("removed_value", ASKS),
    ),
    "label of an option of a field": (
        put("item.fields.level.options.easy.label", "E"),
        ("item.fields.level.options.easy.label", "words", FITS),
        ("words", FITS),
    ),
    "list that is chosen from": (
        put("item.fields.answer.field", "others"),
        ("item.fields.answer.field", "taken_from", NO),
        ("taken_from", NO),
    ),
    "shorter text": (
        put("item.fields.question.max_length", 100),
        ("item.fields.question.max_length", "field_limits", ASKS),
        ("wider_item", FITS),
    ),
    "longer than": (
        put("item.fields.question.min_length", 5),
        ("item.fields.question.min_length", "field_limits", ASKS),
        ("wider_item", FITS),
    ),
    "entries of a list": (
        put("item.fields.options.length", 4),
        ("item.fields.options.length", "field_limits", ASKS),
        ("wider_item", FITS),
    ),
    "entries that differ": (
        put("item.fields.options.distinct", True),
        ("item.fields.options.distinct", "field_limits", ASKS),
        ("wider_item", FITS),
    ),
    "values by dimension": (
        put("item.fields.level.by_dimension", {"bars": ["easy"]}),
        ("item.fields.level.by_dimension", "field_limits", ASKS),
        ("wider_item", FITS),
    ),
    "secret": (
        put("item.fields.note.secret_in", ["grading"]),
        ("item.fields.note.secret_in", "shown", FITS),
        ("shown", FITS),
    ),
    "not authored": (
        put("item.fields.note.authored", False),
        ("item.fields.note.authored", "handing_out", FITS),
        ("handing_out", FITS),
    ),
    "reason of triage": (
        add("stages.triage.reasons", "blurred"),
        ("stages.triage.reasons.blurred", "added_reason", FITS),
        ("removed_reason", FITS),
    ),
    "authors": (
        put("stages.authoring.people", 4),
        ("stages.authoring.people", "handing_out", FITS),
        ("handing_out", FITS),
    ),
    "raters": (put(f"{VOTES}.raters", 3), (f"{VOTES}.raters", "raters_raised", ASKS), ("raters_lowered", ASKS)),
    "prompt": (put(f"{CRITERIA}.correct.prompt", "P"), (f"{CRITERIA}.correct.prompt", "words", FITS), ("words", FITS)),
    "help": (put(f"{CRITERIA}.correct.help", "P"), (f"{CRITERIA}.correct.help", "words", FITS), ("words", FITS)),
    "label of an option": (
        put(f"{CRITERIA}.correct.options.yes.label", "Ja"),
        (f"{CRITERIA}.correct.options.yes.label", "words", FITS),
        ("words", FITS),
    ),
    "option": (
        add(f"{CRITERIA}.correct.options", "partly"),
        (f"{CRITERIA}.correct.options.partly", "added_option", FITS),
        ("removed_option", ASKS),
    ),
    "reason of an option": (
        add(f"{CRITERIA}.correct.options.no.reasons", "old"),
        (f"{CRITERIA}.correct.options.no.reasons.old", "added_reason", FITS),
        ("removed_reason", FITS),
    ),
    "reason of a skip": (
        add(f"{CRITERIA}.correct.skip.reasons", "old"),
        (f"{CRITERIA}.correct.skip.reasons.old", "added_reason", FITS),
        ("removed_reason", FITS),
    ),
    "no skip": (
        put(f"{CRITERIA}.correct.skip", None),
        (f"{CRITERIA}.correct.skip", "removed_skip", ASKS),
        ("wider_criterion", FITS),
    ),
    "step of a scale": (
        all_of(put(f"{CRITERIA}.size.values", [1, 2, 3, 4]), put(f"{CRITERIA}.size.labels", ["S", "M", "L", "XL"])),
        (f"{CRITERIA}.size.values.4", "added_option", FITS),
        ("removed_option", ASKS),
    ),
    "labels of a scale": (
        put(f"{CRITERIA}.size.labels", ["s", "m", "l"]),
        (f"{CRITERIA}.size.labels", "words", FITS),
        ("words", FITS),
    ),
    "no labels of a scale": (
        put(f"{CRITERIA}.size.labels", None),
        (f"{CRITERIA}.size.labels", "words", FITS),
        ("words", FITS),
    ),
    "scale turned round": (
        all_of(put(f"{CRITERIA}.size.values", [3, 2, 1]), put(f"{CRITERIA}.size.labels", ["L", "M", "S"])),
        (f"{CRITERIA}.size.values", "figures", FITS),
        ("figures", FITS),
    ),
    "smaller greatest": (
        put(f"{CRITERIA}.width.max", 5),
        (f"{CRITERIA}.width.max", "criterion_limits", ASKS),
        ("wider_criterion", FITS),
    ),
    "larger least": (
        put(f"{CRITERIA}.width.min", 1),
        (f"{CRITERIA}.width.min", "criterion_limits", ASKS),
        ("wider_criterion", FITS),
    ),
    "in steps": (
        put(f"{CRITERIA}.width.step", 0.5),
        (f"{CRITERIA}.width.step", "criterion_limits", ASKS),
        ("wider_criterion", FITS),
    ),
    "unit": (put(f"{CRITERIA}.width.unit", "mm"), (f"{CRITERIA}.width.unit", "unit", ASKS), ("unit", ASKS)),
    "answers from another list": (
        put(f"{CRITERIA}.seen.field", "others"),
        (f"{CRITERIA}.seen.field", "taken_from", NO),
        ("taken_from", NO),
    ),
    "choice to scale": (
        all_of(
            put(f"{CRITERIA}.correct.kind", "scale"),
            put(f"{CRITERIA}.correct.options", None),
            put(f"{CRITERIA}.correct.values", ["yes", "unsure", "no"]),
        ),
        (f"{CRITERIA}.correct.kind", "criterion_kind_fits", FITS),
        ("criterion_kind_fits", FITS),
    ),
    "number to text": (
        all_of(
            put(f"{CRITERIA}.width.kind", "text"),
            *(put(f"{CRITERIA}.width.{key}", None) for key in ("min", "max", "unit")),
        ),
        (f"{CRITERIA}.width.kind", "criterion_kind", NO),
        ("criterion_kind", NO),
    ),
    "must be answered": (
        put(f"{CRITERIA}.size.required", True),
        (f"{CRITERIA}.size.required", "asked_more", ASKS),
        ("asked_less", FITS),
    ),
    "asked in one dimension": (
        put(f"{CRITERIA}.size.dimensions", ["bars"]),
        (f"{CRITERIA}.size.dimensions", "asked_less", FITS),
        ("asked_more", ASKS),
    ),
    "asked on a condition": (
        put(f"{CRITERIA}.size.show_if", {"correct": ["yes"]}),
        (f"{CRITERIA}.size.show_if", "asked_less", FITS),
        ("asked_more", ASKS),
    ),
    "criterion": (
        add(CRITERIA, NEW_CRITERION),
        (f"{CRITERIA}.clear", "added_criterion", ASKS),
        ("removed_criterion", ASKS),
    ),
    "keep rule": (
        put(f"{VOTES}.keep.rule", "majority"),
        (f"{VOTES}.keep.rule", "keep_rule", ASKS),
        ("keep_rule", ASKS),
    ),
    "value that keeps": (
        put(f"{VOTES}.keep.value", "no"),
        (f"{VOTES}.keep.value", "keep_rule", ASKS),
        ("keep_rule", ASKS),
    ),
    "what skips do": (
        put(f"{VOTES}.skips.then", "adjudicate"),
        (f"{VOTES}.skips.then", "skips", ASKS),
        ("skips", ASKS),
    ),
    "no skips": (put(f"{VOTES}.skips", None), (f"{VOTES}.skips", "skips", ASKS), ("skips", ASKS)),
    "gold": (put(f"{VOTES}.gold", {"rate": 0.1}), (f"{VOTES}.gold", "gates", FITS), ("gates", FITS)),
    "qualification": (
        put(f"{VOTES}.qualification", {"items": 5, "reviewers": 1, "pass_mark": 0.8}),
        (f"{VOTES}.qualification", "gates", FITS),
        ("gates", FITS),
    ),
    "order": (put(f"{VOTES}.order", "priority"), (f"{VOTES}.order", "handing_out", FITS), ("handing_out", FITS)),
    "no adjudication": (
        put("stages.adjudication", None),
        ("stages.adjudication", "settling", ASKS),
        ("settling", ASKS),
    ),
    "reason of a decision": (
        add("stages.adjudication.reasons", "old"),
        ("stages.adjudication.reasons.old", "added_reason", FITS),
        ("removed_reason", FITS),
    ),
    "by leads": (put("stages.adjudication.by", "lead"), ("stages.adjudication.by", "gates", FITS), ("gates", FITS)),
    "no refinement": (
        put("stages.refinement", None),
        ("stages.refinement", "removed_stage", NO),
        ("added_stage", FITS),
    ),
    "end of refinement": (
        put("stages.refinement.until", "one_round"),
        ("stages.refinement.until", "refinement_end", ASKS),
        ("refinement_end", ASKS),
    ),
    "no coding": (put("stages.coding", None), ("stages.coding", "removed_stage", NO), ("added_stage", FITS)),
    "code": (
        add("stages.coding.criteria.error.options", "other"),
        ("stages.coding.criteria.error.options.other", "added_option", FITS),
        ("removed_option", ASKS),
    ),
    "no arbitration": (
        put("stages.coding.arbitration", False),
        ("stages.coding.arbitration", "settling", ASKS),
        ("settling", ASKS),
    ),
    "what is coded": (
        put("stages.coding.outputs", 50),
        ("stages.coding.outputs", "which_work", FITS),
        ("which_work", FITS),
    ),
    "mean of grades": (
        put("stages.grading.combine", "mean"),
        ("stages.grading.combine", "figures", FITS),
        ("figures", FITS),
    ),
    "sample of grading": (
        put("stages.grading.sample", {"outputs": 10}),
        ("stages.grading.sample", "grading_sample", NO),
        ("grading_sample", NO),
    ),
    "people answer": (
        put("stages.answering", {"people": 2, "criteria": [{"name": "mine", "kind": "text", "prompt": "A"}]}),
        ("stages.answering", "added_stage", FITS),
        ("removed_stage", NO),
    ),
    "judge": (put("judges.first.values", [0, 1]), ("judges.first.values", "judges", FITS), ("judges", FITS)),
    "models": (put("models.temperature", 0.5), ("models.temperature", "models", FITS), ("models", FITS)),
    "report": (put("report.by", "dimension"), ("report.by", "figures", FITS), ("figures", FITS)),
    "exports": (
        put("export.public_without", ["answer"]),
        ("export.public_without", "exports", FITS),
        ("exports", FITS),
    ),
    "wording": (
        put("item.fields.question.wording", {"ends_with": "?", "stops": ["ends_with"]}),
        ("item.fields.question.wording", "wording", FITS),
        ("wording", FITS),
    ),
    "floors": (
        put("export.floors", [{"criterion": "size", "statistic": "gwet_ac", "at_least": 0.5}]),
        ("export.floors.size.gwet_ac", "floors_raised", FITS),
        ("floors_lowered", FITS),
    ),
    "limits for shortcuts": (
        put("export.shortcuts", {}),
        ("export.shortcuts", "shortcuts_stricter", FITS),
        ("shortcuts_looser", FITS),
    ),
    "imports": (put("source.id", "key"), ("source.id", "imports", FITS), ("imports", FITS)),
}
