"""``touchstone schema show``: print a schema's questions by stage, and the placeholders of templates and prompts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from annotation_schemas import grading_sample, judge_templates, kinds, placeholders, shipped
from annotation_schemas.json_schema import json_schema_text
from annotation_schemas.kinds import title_of
from annotation_schemas.loader import load_schema
from annotation_schemas.model import (
    Choice,
    Criterion,
    ItemField,
    LoadedSchema,
    Schema,
    StageName,
    Tolerance,
    as_words,
)
from annotation_schemas.prompts import PromptSet, load_prompt_set
from annotation_schemas.shown import PREDICTION_TITLE, WITH_ANSWER, shown_fields, title_in_stage
from domain.english import with_noun
from domain.errors import NotFoundError
from domain.policies import targets
from domain.states import VERIFICATIONS, Stage

Json = dict[str, Any]


def register(schema: typer.Typer) -> None:
    """Add the subcommand to those of ``touchstone schema``."""

    @schema.command("show")
    def show(
        name: Annotated[
            str | None,
            typer.Argument(metavar="SCHEMA", help="A YAML file, or the name of a schema included with Touchstone."),
        ] = None,
        as_json: Annotated[
            bool, typer.Option("--json", help="Print JSON, so that other programs can read the schema.")
        ] = False,
        grammar: Annotated[
            bool,
            typer.Option(
                "--json-schema", help="Print the JSON Schema that describes all schemas, for editors that check YAML."
            ),
        ] = False,
    ) -> None:
        """Show the questions of each stage as people read them, and the placeholders for prompts and templates.

        Example: touchstone schema show egothink
        """
        if grammar:
            typer.echo(json_schema_text(), nl=False)
            return
        if name is None:
            raise typer.BadParameter("give the name of a schema, such as egothink, or a YAML file.")
        description = described(schema_named(name))
        typer.echo(
            json.dumps(description, ensure_ascii=False, indent=1) if as_json else "\n".join(in_lines(description))
        )


def is_schema_file(name: str) -> bool:
    """Return whether a name is that of a file or of an included schema. Other names may be those of projects."""
    path = Path(name)
    return name in shipped() or path.is_file() or bool(path.suffix) or len(path.parts) != 1


def schema_named(name: str) -> LoadedSchema:
    """Return the schema of a file, or the included schema of this name. Raise ``NotFoundError`` if there is neither."""
    if not is_schema_file(name):
        listed = "Use `touchstone schema list` to list the schemas included with Touchstone"
        raise NotFoundError(f"No file or schema has the name {name!r}. {listed}.")
    return load_schema(shipped().get(name, Path(name)))


def described(loaded: LoadedSchema) -> Json:
    """Return the schema's description as JSON data."""
    schema = loaded.schema_
    words = dict(stages_in_words(schema))
    return {
        "name": schema.name,
        "version": schema.version,
        "title": schema.title,
        "hash": loaded.hash,
        "dimensions": [{"id": dimension.id, "title": dimension.title} for dimension in schema.dimensions],
        "assets": [{"role": slot.role, "kind": slot.kind} for slot in schema.item.assets],
        "fields": [_field(field, title_of(field)) for field in schema.item.fields],
        "stages": [
            _stage(schema, name, words[name])
            for name in get_args(StageName)
            if getattr(schema.stages, name) is not None
        ],
        "judges": [
            _judge(judge.name, judge.template, judge.criteria, judge.sees, judge.fills) for judge in schema.judges
        ],
        "prompts": _prompts(schema),
        "variables": {"prompts": placeholders.of_prompts(schema), "templates": placeholders.of_templates(schema)},
    }


def in_lines(told: Json) -> Iterator[str]:
    """Yield the description that ``described`` returns as lines for people."""
    yield f"{told['title']} ({told['name']}, version {told['version']})"
    yield "Dimensions: " + ", ".join(dimension["title"] for dimension in told["dimensions"])
    for stage in told["stages"]:
        says = "" if stage["says"] == "yes" else f": {stage['says']}"
        yield from ("", f"{as_words(stage['stage'])}{says}")
        if stage["shows"]:
            verb = "fill in" if stage["stage"] == Stage.AUTHORING else "see"
            yield f"  People {verb}: {', '.join(stage['shows'])}"
        for asked in stage["asks"]:
            yield from _asked_in_lines(asked)
        if stage["reasons"]:
            yield f"  One reason of: {_labels(stage['reasons'])}"
        yield from (f"  {_about(rule['of'])}: {rule['say']}" for rule in stage["rules"])
    for judge in told["judges"]:
        yield from (
            "",
            f"Judge {judge['name']}: rates {', '.join(judge['criteria'])} with the template {judge['template']}",
        )
        yield f"  Sees: {', '.join(judge['sees']) or 'nothing'}"
        yield from _filled_in_lines(judge["fills"])
    if told["prompts"]:
        yield from ("", f"Prompts in the schema: {told['prompts']['name']}")
        yield from _filled_in_lines(told["prompts"]["fills"])
    for name, noun in (("prompts", "Prompts for models"), ("templates", "Judge templates")):
        yield from ("", f"{noun} may use:")
        yield from (f"  {{{placeholder}}}  {what}" for placeholder, what in told["variables"][name].items())


def _asked_in_lines(asked: Json) -> Iterator[str]:
    yield f"  {asked['prompt']}   [{asked['name']}: {asked['kind']}]"
    if asked["help"]:
        yield f"    {asked['help']}"
    if asked["options"]:
        yield f"    {_labels(asked['options'])}"
    for condition in asked["conditions"]:
        yield f"    {condition}"


def _labels(options: Sequence[Json]) -> str:
    return " | ".join(
        option["label"]
        + (f" (why: {', '.join(reason['label'] for reason in option['reasons'])})" if option["reasons"] else "")
        for option in options
    )


def _filled_in_lines(fills: Mapping[str, str]) -> Iterator[str]:
    yield from (f"  {{{placeholder}}}  filled by {source}" for placeholder, source in fills.items())


def _field(field: ItemField, title: str) -> Json:
    return {"name": field.name, "kind": field.kind, "title": title, "secret_in": list(field.secret_in)}


def _stage(schema: Schema, name: str, says: str) -> Json:
    part = getattr(schema.stages, name)
    stage = Stage(name)
    media = [] if stage in (Stage.AUTHORING, Stage.TRIAGE) else [slot.role for slot in schema.item.assets]
    fields = [] if stage is Stage.TRIAGE else [title_in_stage(field, stage) for field in shown_fields(schema, stage)]
    answer = [f"{PREDICTION_TITLE} (from a model)"] if stage in WITH_ANSWER else []
    rules = schema.item.rules if stage is Stage.AUTHORING else getattr(part, "rules", ())
    answer = ["Left and Right (two models' answers)"] if stage is Stage.COMPARISON else answer
    return {
        "stage": name,
        "says": says,
        "shows": [*media, *fields, *answer],
        "asks": [_criterion(criterion) for criterion in getattr(part, "criteria", ())],
        "reasons": [_choice(reason) for reason in getattr(part, "reasons", ())],
        "rules": [{"of": list(rule.of), "say": rule.say} for rule in rules],
    }


def _criterion(criterion: Criterion) -> Json:
    offered = [_choice(option) for option in kinds.options_of(criterion, {})]
    own = f"from the item's {criterion.field}" if criterion.field else kinds.of_criterion(criterion).limits(criterion)
    conditions = [f"{own[:1].upper()}{own[1:]}."] if own and not criterion.options and not criterion.values else []
    labels = [option["label"] for option in kinds.of_criterion(criterion).page(criterion).get("said", ())]
    conditions += [f"Each of them: {' or '.join(labels)}."] if labels else []
    conditions += [
        f"Asked only if {name} is {' or '.join(map(str, values))}." for name, values in criterion.show_if.items()
    ]
    if criterion.dimensions is not None:
        conditions.append(f"Asked only in these dimensions: {', '.join(criterion.dimensions)}.")
    if not criterion.required:
        conditions.append("Optional.")
    if criterion.tolerance:
        conditions.append(_as_close_as(criterion.tolerance, criterion.unit))
    if criterion.skip:
        why = [reason.label for reason in criterion.skip.reasons]
        conditions.append(f"{criterion.skip.label}: {', '.join(why) or 'a free-text reason'}.")
    return {
        "name": criterion.name,
        "kind": criterion.kind,
        "prompt": criterion.prompt,
        "help": criterion.help,
        "options": offered,
        "conditions": conditions,
    }


def _as_close_as(tolerance: Tolerance, unit: str | None) -> str:
    """Return in words how close two answers must be to count as equal."""
    if tolerance.iou is not None:
        close = f"overlap with an IoU of {tolerance.iou} or more"
    elif tolerance.within is not None:
        close = f"are equal when rounded to {tolerance.within}"
    elif tolerance.relative is not None:
        close = f"differ by at most {tolerance.relative} times the right answer"
    else:
        close = f"differ by at most {tolerance.absolute}{f' {unit}' if unit else ''}"
    return f"Two answers count as equal if they {close}."


def _choice(choice: Choice) -> Json:
    return {"value": choice.value, "label": choice.label, "reasons": [_choice(reason) for reason in choice.reasons]}


def _judge(name: str, template: str, criteria: Sequence[str], sees: Sequence[str], fills: Mapping[str, str]) -> Json:
    known = judge_templates.shipped().get(template)
    return {
        "name": name,
        "template": template,
        "criteria": list(criteria),
        "sees": list(sees),
        "fills": known.sources(fills) if known else dict(fills),
    }


def _prompts(schema: Schema) -> Json | None:
    if schema.models is None or schema.models.prompts is None:
        return None
    known = placeholders.of_prompts(schema)
    asked = _placeholders(load_prompt_set(schema.models.prompts))
    return {
        "name": schema.models.prompts,
        "fills": {
            placeholder: known.get(placeholder, "no field (choose a field with --fill)") for placeholder in asked
        },
    }


def _placeholders(prompts: PromptSet) -> list[str]:
    """Return the placeholders of all prompts in a set, and of the texts that a set can add to a question."""
    written = [prompt for variants in prompts.families.values() for prompt in variants.values()]
    several = [prompt for types in prompts.types.values() for prompt in types]
    every = (
        placeholder
        for prompt in (*written, *several, *prompts.injections.values())
        for placeholder in prompt.placeholders
    )
    return list(dict.fromkeys(every))


def _about(names: Sequence[str]) -> str:
    """Return the first words of a rule: the one criterion, or the several criteria that the rule is about."""
    return f"Between {' and '.join(names)}" if len(names) > 1 else f"For {''.join(names)}"


def stages_in_words(schema: Schema) -> list[tuple[str, str]]:
    """Return each stage with a short description. A stage that the schema does not have is ``none``."""
    stages = schema.stages
    lines = []
    for stage in get_args(StageName):
        part = getattr(stages, stage)
        if part is None and stage in ("answering", "comparison", *VERIFICATIONS[1:]):
            continue
        words = "none" if part is None else "yes"
        if part is not None and stage in (*VERIFICATIONS, "grading", "comparison", "coding"):
            names = ", ".join(criterion.name for criterion in part.criteria)
            words = f"{with_noun(part.raters, 'rater')}; {names}"
        if stages.grading is not None and stages.grading.sample is not None and stage == "grading":
            words += f"; planned sample: {grading_sample.in_words(stages.grading.sample)}"
        if part is not None and stage == "comparison" and part.per_item is not None:
            words += f"; {with_noun(part.per_item, 'pair')} of answers per item"
        if part is not None and stage == "answering":
            words = f"{with_noun(part.people, 'person', 'people')}; {'kept' if part.items == 'kept' else 'all'} items"
        if part is not None and stage in VERIFICATIONS:
            words += f"; kept if {part.keep.rule.replace('_', ' ')}"
            if part.keep.parts:
                thresholds = (f"{target.criterion} ({target.in_words()})" for target in targets(part.keep))
                words += f": {', '.join(thresholds)}"
            if part.skips:
                words += (
                    f"; {part.skips.after} {'skip' if part.skips.after == 1 else 'skips'} {part.skips.then} the item"
                )
        lines.append((stage, words))
    return lines
