"""The plan of a judge run: the questions and their form, from a template and the schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from annotation_schemas import judge_templates, kinds, registry
from annotation_schemas.judge_templates import DIMENSION, PAIR, PREDICTION, JudgeTemplate
from annotation_schemas.model import Judge, Schema
from db.engine import Store
from domain.errors import InvalidInputError, Problem
from domain.judging import COMPARED, JudgePlan
from domain.records import Person
from domain.states import VERIFICATIONS
from inference.judges.parsers import PARSERS
from workflow.access.projects import require_lead
from workflow.runs.identities import filled

ANSWER_A, ANSWER_B = PAIR
"""Placeholders of templates that compare two answers."""
PREFERENCE = "preference"
"""The criterion of a comparison."""


def judge_of(schema: Schema, template: str, *, name: str | None = None) -> Judge | None:
    """Return the schema's judge with that name, or its first judge with that template."""
    return next((judge for judge in schema.judges if name in (None, judge.name) and judge.template == template), None)


def plan_for(
    schema: Schema, template: JudgeTemplate, *, judge: str | None = None, asked_here: bool = True, **chosen: Any
) -> JudgePlan:
    """Return the plan for a judge with a template. ``chosen`` overrides fields of ``JudgePlan``.

    Entries of ``fills`` override single placeholders. With ``asked_here`` False, the replies are imported, so the
    values of placeholders are unknown and not checked.

    Raises
    ------
    InvalidInputError
        The criterion of the replies is unknown, or a comparison has no baseline. Or the answers to grade
        have no placeholder, or a placeholder has no source.
    """
    head = template.head
    known = judge_of(schema, head.id, name=judge) or _like(schema, head.variables)
    parser = PARSERS.get(head.parser)
    if parser is None:
        registry.require_row("parser", head.parser)
        raise InvalidInputError(
            [Problem("parser", f"There is no parser {head.parser!r}. Correct the parser in the template.")]
        )
    fills = {**(known.fills if known else {}), **chosen.pop("fills", {})}
    if asked_here and not head.pair and template.grades not in (None, judge_templates.ITEM, *fills):
        fills[str(template.grades)] = PREDICTION
    plan = JudgePlan(
        template=head.id,
        template_version=head.version,
        template_hash=template.hash,
        template_text=template.text,
        parser=parser.name,
        parser_version=parser.version,
        values=(known.values if known and known.values else head.values),
        criteria=_criteria(schema, known, parser.parts, pair=head.pair),
        fills=fills,
        mirror=dict(head.mirror),
        pictures=head.pictures == "item",
        dimensions=known.dimensions if known else None,
    )
    plan = replace(plan, **chosen)
    problems = []
    lacking = [part for part in parser.parts if part not in plan.criteria]
    if lacking:
        names = ", ".join(criterion.name for criterion in registry.criteria_of(schema, "grading")) or "none"
        problems.append(
            Problem(
                "criteria",
                f"Choose a criterion for the reply's {' and '.join(lacking)}. Criteria: {names}.",
            )
        )
    problems += _of_pairs(head, plan)
    if plan.samples < 1:
        problems.append(Problem("samples", "The number of samples must be 1 or more."))
    if (plan.chosen == "stratified") != (plan.per_dimension is not None):
        problems.append(
            Problem("per_dimension", "Set the number of answers per dimension only for a stratified sample.")
        )
    problems += _off_the_criteria(schema, template, plan)
    if asked_here:
        problems += _not_bound(schema, template, plan)
        unmirrored = template.unmirrored(plan.values)
        if unmirrored is not None:
            problems.append(Problem("mirror", f"{unmirrored[0].upper()}{unmirrored[1:]}."))
    if problems:
        raise InvalidInputError(problems)
    return plan


def _of_pairs(head: judge_templates.Head, plan: JudgePlan) -> list[Problem]:
    """Return the conflicts between a plan and a template that compares two answers, or does not."""
    people = plan.chosen == COMPARED
    named = [name for name in ("baseline", "models") if getattr(plan, name) is not None]
    problems = []
    if head.pair and plan.attacks:
        message = (
            f"The template {head.id} compares two answers, but an attack needs a template for single answers. Choose "
            "another template."
        )
        problems.append(Problem("attacks", message))
    elif head.pair and not plan.swap:
        message = (
            f"The template {head.id} compares two answers. Choose the model to compare with, or judge the pairs"
            " that people compare."
        )
        problems.append(Problem("baseline", message))
    if not head.pair and plan.baseline is not None:
        problems.append(Problem("baseline", f"The template {head.id} judges single answers. Remove the baseline."))
    if people and not head.pair:
        message = f"The template {head.id} judges single answers, but this sample has pairs. Choose another sample."
        problems.append(Problem("chosen", message))
    elif people and named:
        message = "The schema sets the models that people compare. Remove the models from this run."
        problems.append(Problem(named[0], message))
    elif people and set(plan.criteria.values()) != {PREFERENCE}:
        message = f"Results for pairs that people compare are stored as `{PREFERENCE}`. Remove the criterion."
        problems.append(Problem("criteria", message))
    return problems


def _off_the_criteria(schema: Schema, template: JudgeTemplate, plan: JudgePlan) -> list[Problem]:
    """Return a problem for each allowed reply that is not a value of its criterion.

    As ratings, such replies could be compared with no rating of a person.
    """
    problems = []
    for part, name in plan.criteria.items():
        criterion = next(
            (
                criterion
                for stage in ("grading", *VERIFICATIONS)
                for criterion in registry.criteria_of(schema, stage)
                if criterion.name == name
            ),
            None,
        )
        values = kinds.of_criterion(criterion).listed(criterion) if criterion else ()
        outside = [value for value in plan.values if values and value not in values]
        if criterion is None or not outside:
            continue
        own = f". A comparison is stored as `{PREFERENCE}`, so remove the criterion" if template.head.pair else ""
        replies = (
            " and ".join((", ".join(map(str, outside[:-1])), str(outside[-1]))) if outside[1:] else str(outside[0])
        )
        problems.append(
            Problem(
                "criteria",
                f"The reply's {part} cannot rate {name!r}: the template {template.head.id} gives {replies}, but "
                f"{name!r} accepts {', '.join(map(str, values))}{own}.",
            )
        )
    return problems


def _not_bound(schema: Schema, template: JudgeTemplate, plan: JudgePlan) -> list[Problem]:
    """Return why the judge would not see the content that it has to grade."""
    voted = {criterion.name for stage in VERIFICATIONS for criterion in registry.criteria_of(schema, stage)}
    graded = {criterion.name for criterion in registry.criteria_of(schema, "grading")}
    rated = set(plan.criteria.values())
    unknown = sorted(rated - {*voted, *graded, PREFERENCE})
    problems = [
        Problem("criteria", f"The schema has no criterion {name!r}. Its criteria: {_names(schema)}.")
        for name in unknown
    ]
    on_answers = bool(graded & rated) or (not rated and template.grades != judge_templates.ITEM)
    troubles = template.troubles(
        plan.fills,
        [*(field.name for field in schema.item.fields), DIMENSION],
        answers=on_answers,
        items=bool(voted & rated),
    )
    how = "To change placeholders, use `--fill PLACEHOLDER=FIELD` or the Judges page."
    problems += [Problem("fills", f"{sentence[0].upper()}{sentence[1:]}. {how}") for _, sentence in troubles]
    if problems or of_answers(plan):
        return problems
    chosen = {"models": plan.models, "chosen": plan.chosen == "graded", "attacks": plan.attacks}
    return [
        Problem(
            name,
            f"The template {plan.template} has no placeholder for a model's answer. The judge therefore rates the "
            f"items, and {_ABOUT_ANSWERS[name]}. Fill a placeholder with `{PREDICTION}`, or remove this setting.",
        )
        for name, given in chosen.items()
        if given
    ]


_ABOUT_ANSWERS = {
    "models": "a choice of models has no effect",
    "chosen": "people have not graded any items",
    "attacks": "attacks need models' answers",
}


def _names(schema: Schema) -> str:
    names = dict.fromkeys(
        criterion.name for stage in ("grading", *VERIFICATIONS) for criterion in registry.criteria_of(schema, stage)
    )
    return ", ".join(names) or "none"


def _like(schema: Schema, variables: Sequence[str]) -> Judge | None:
    """Return the schema's first judge whose template has the same placeholders. The same sources fill them."""
    for judge in schema.judges:
        row = registry.find("template", judge.template)
        if isinstance(row, registry.Template) and set(row.placeholders) == set(variables):
            return judge
    return None


def plan_of_project(
    store: Store, *, by: Person | None, project: str, template: JudgeTemplate, **chosen: Any
) -> JudgePlan:
    """Return the same as ``plan_for``, with the schema of a project."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
    return plan_for(access.schema, template, **chosen)


def _criteria(schema: Schema, judge: Judge | None, parts: Sequence[str], *, pair: bool) -> dict[str, str]:
    """Return the criterion that each part of a reply rates."""
    if pair:
        return {part: PREFERENCE for part in parts}
    rated = (
        judge.criteria
        if judge
        else tuple(
            criterion.name
            for criterion in registry.criteria_of(schema, "grading")
            if kinds.of_criterion(criterion).compared
        )
    )
    if len(parts) == 1 and (judge or len(rated) == 1):
        return {parts[0]: rated[0]} if rated else {}
    return {part: part for part in parts if part in rated}


def of_answers(plan: JudgePlan) -> bool:
    """Return whether the judge sees models' answers. Other judges see the items themselves."""
    return PREDICTION in filled(plan).values()


def about_in_words(plan: JudgePlan, *, about: int, wanted: int) -> str:
    """Return the subjects of a run in words: ``about`` distinct subjects in ``wanted`` requests."""
    if plan.chosen == COMPARED:
        pairs = wanted // (2 * plan.samples)
        return f"{pairs:,} {'pair' if pairs == 1 else 'pairs'} of answers"
    one = "attack answer" if plan.attacks else "answer" if of_answers(plan) else "item"
    return f"{about:,} {one if about == 1 else one + 's'}"


def graded_in_words(plan: JudgePlan) -> str:
    """Return a sentence about the graded content and its placeholder in the prompt."""
    places = [f"{{{name}}}" for name, source in filled(plan).items() if source == PREDICTION]
    if not places:
        return "No placeholder contains a model's answer, so the judge rates the items."
    if len(places) == 1:
        return f"The placeholder {places[0]} contains the graded answer."
    return f"The placeholders {' and '.join(places)} contain the graded answers."


def parts_of(parser: str) -> tuple[str, ...]:
    """Return the parts of a reply that a parser reads; empty for an unknown parser."""
    parser_row = PARSERS.get(parser)
    return tuple(parser_row.parts) if parser_row is not None else ()
