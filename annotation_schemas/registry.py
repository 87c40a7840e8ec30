"""The rows that a schema may name, with their meaning and availability.

A declared row may be unavailable. A schema may name it, and ``touchstone schema check`` lists it, but a stage that
needs it cannot start (``require_available``). A row that does not block (``blocks=False``) is only not enforced yet:
work continues without it, and the check reports it. Making a row available changes neither version nor hash of any
schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel

from annotation_schemas import judge_templates, kinds
from annotation_schemas.answer_forms import FORMS
from annotation_schemas.formats import FORMATS
from annotation_schemas.model import Criterion, CrossRule, Schema, StageName
from domain import extensions
from domain.cross_rules import CROSS_RULES
from domain.errors import NotAvailableError
from domain.order import ORDERS
from domain.policies import KEEP_RULES, REFINEMENT_ENDS, SKIP_ACTS
from domain.states import VERIFICATIONS
from domain.statistics import summarised
from domain.strategies import added_strategies


@dataclass(frozen=True)
class Row:
    """A thing that a schema can name."""

    registry: str
    name: str
    meaning: str
    available: bool = True
    blocks: bool = True
    """False if work continues without the row while it is unavailable."""
    away: bool = False
    """Whether the row belongs to an extension that is not installed; ``meaning`` then names the extension."""


@dataclass(frozen=True)
class Template(Row):
    """A judge's question: a text in ``templates/`` with placeholders, and the parser that reads its replies."""

    parser: str = ""
    placeholders: tuple[str, ...] = ()


REGISTRIES = {
    "stage": "Stages",
    "criterion_kind": "Kinds of criteria",
    "field_kind": "Kinds of fields",
    "answer_form": "Forms of answers",
    "keep_rule": "Keep rules",
    "cross_rule": "Rules between values",
    "skip_act": "What skips do",
    "refinement_end": "When refinement ends",
    "order": "Orders in which a stage assigns its items",
    "template": "Judge templates",
    "parser": "Judge parsers",
    "prompt_set": "Prompt sets",
    "strategy": "Strategies",
    "score": "Scores of ranked options",
    "format": "Formats",
    "statistic": "Statistics",
    "key": "Keys that are not enforced yet",
}
"""The registries with their headings, in the order of lists."""

NOT_ENFORCED: dict[str, str] = {}
"""Keys of the grammar without an effect yet, each with the consequence. The check reports them if a file sets them."""


def _stage_of_extension(name: str, meaning: str) -> Row:
    """Return the row of a stage that belongs to an extension."""
    away = extensions.missing("stages", name)
    return Row("stage", name, away or meaning, available=away is None, away=away is not None)


_ROWS: tuple[Row, ...] = (
    _stage_of_extension("triage", "people keep or drop candidate frames before items are written"),
    Row("stage", "authoring", "people write items about media from a shared pool"),
    Row("stage", "qualification", "a test that people must pass before they work in a stage"),
    Row("stage", "gold", "settled items hidden among live work, to check how well people answer"),
    Row("stage", "verification", "independent, blind votes on every item"),
    *(Row("stage", stage, "votes on every item that the previous round kept") for stage in VERIFICATIONS[1:]),
    Row("stage", "adjudication", "a senior annotator settles items that the votes did not decide"),
    _stage_of_extension("refinement", "people check whether a model's answer is also right"),
    Row("stage", "answering", "people answer the items themselves, as models do"),
    Row("stage", "grading", "people grade models' answers, without the models' names"),
    _stage_of_extension("comparison", "people choose the better of two models' answers, without the models' names"),
    _stage_of_extension("coding", "people assign codes to errors in models' answers, without the models' names"),
    _stage_of_extension("arbitration", "a senior annotator decides between different codes"),
    *(Row("criterion_kind", kind.name, kind.meaning) for kind in kinds.CRITERIA.values()),
    *(
        Row("criterion_kind", kind.name, kind.meaning, available=False, away=True)
        for kind in kinds.away_kinds().values()
    ),
    *(Row("field_kind", kind.name, kind.meaning) for kind in kinds.FIELDS.values()),
    *(Row("field_kind", kind.name, kind.meaning, available=False, away=True) for kind in kinds.away_fields().values()),
    *(Row("answer_form", form.name, form.meaning) for form in FORMS.values()),
    *(Row("cross_rule", rule.name, rule.meaning) for rule in CROSS_RULES.values()),
    *(Row("skip_act", name, meaning) for name, meaning in SKIP_ACTS.items()),
    *(Row("refinement_end", name, meaning) for name, meaning in REFINEMENT_ENDS.items()),
    *(Row("order", name, meaning) for name, meaning in ORDERS.items()),
    *(
        Template(
            "template",
            template.head.id,
            template.head.meaning,
            parser=template.head.parser,
            placeholders=template.head.variables,
        )
        for template in judge_templates.shipped().values()
    ),
    Row(
        "parser",
        "double_brackets",
        "the judge's verdict in `[[...]]`; a verdict after a label (`Rating: [[1]]`) or on its own line has priority",
    ),
    Row("parser", "six_lines", "three scores from lines such as `action score: 1`, without contradictions"),
    Row("parser", "assessment_json", 'the `"Final Score"` of a JSON object in the reply'),
    Row("parser", "last_line", "one of the criterion's values, alone on the last line of the reply"),
    Row("parser", "better_output", "the letter in `Output (a) is better`, as a complete sentence"),
    Row("prompt_set", "plain", "the question, and the options if the item has any"),
    Row("prompt_set", "egothink", "first-person prompts by model family, short for most dimensions"),
    Row("prompt_set", "egoplan", "goal, progress and observation, with a request for the next action"),
    Row("prompt_set", "egoplan_explain", "like egoplan; the model explains first and then gives a letter"),
    Row(
        "prompt_set",
        "egoplan_summary",
        ("like egoplan, in two steps: the model describes the progress, then chooses an option"),
    ),
    Row("prompt_set", "pca_bench", "question and lettered actions, with a request for reasoning and one action"),
    Row("prompt_set", "pca_bench_action", "question and lettered actions, with a request for only the letter"),
    Row("prompt_set", "etp_bench", "the task instruction of the aspect, then the item's question"),
    Row("prompt_set", "etp_bench_types", "like etp_bench, but each item uses one of 156 wordings"),
    Row("strategy", "generate", "the model writes its answer freely"),
    Row("strategy", "rank_options", "the answer is the option that the model finds most likely"),
    Row("strategy", "two_steps", "the model answers a first question; the item's question includes this answer"),
    Row("score", "mean_logprob", "mean log-probability of the option's tokens"),
    Row("score", "sum_logprob", "sum of the log-probabilities of the option's tokens"),
    Row(
        "score",
        "per_byte_logprob",
        "sum of the log-probabilities, divided by the option's length in bytes; comparable across tokenizers",
    ),
    Row(
        "score",
        "pmi_logprob",
        "sum of the log-probabilities with pictures, minus the sum without pictures: the effect of the pictures",
    ),
    Row("statistic", "accuracy", "share of models' answers that equal the key"),
    Row("statistic", "derived", "means of derived criteria (`report: derived`)"),
    Row(
        "statistic",
        "genuine_pca",
        "share of answers in which perception, cognition and action are all right (from `report: derived`)",
    ),
    *(Row("key", name, meaning, available=False, blocks=False) for name, meaning in NOT_ENFORCED.items()),
)

_BY_NAME = {(row.registry, row.name): row for row in _ROWS}


def _of_formats() -> Mapping[str, Row]:
    return {name: Row("format", name, row.meaning, available=row.available) for name, row in FORMATS.items()}


def _of_agreement() -> Mapping[str, Row]:
    """Return the statistics of raters, which ``agreement`` defines."""
    return {name: Row("statistic", name, row.meaning) for name, row in summarised().items()}


_KEPT_ELSEWHERE: Mapping[str, Callable[[], Mapping[str, Row]]] = {
    "format": _of_formats,
    "keep_rule": lambda: {name: Row("keep_rule", name, rule.meaning) for name, rule in KEEP_RULES.items()},
    "statistic": _of_agreement,
}
"""Registries with rows from other modules, which come first."""


def _of_extensions() -> Mapping[tuple[str, str], Row]:
    return {("strategy", row.name): Row("strategy", row.name, row.meaning) for row in added_strategies()}


def rows(registry: str) -> tuple[Row, ...]:
    """Return all rows of one registry, in order; those of extensions come last."""
    others = _KEPT_ELSEWHERE[registry]().values() if registry in _KEPT_ELSEWHERE else ()
    own = (*_ROWS, *_of_extensions().values())
    return (*others, *(row for row in own if row.registry == registry))


_ADDED_BY_EXTENSIONS = {"format": "formats", "schema_key": "schema_keys", "strategy": "strategies"}
"""Registries with rows of extensions, which a schema may name even if the extension is not installed."""


def find(registry: str, name: str) -> Row | None:
    """Return the row, or None if there is none of that name.

    A row of an extension that is not installed is declared but unavailable, so that projects that name it can be
    opened.
    """
    row = _BY_NAME.get((registry, name))
    if row is None and registry in _KEPT_ELSEWHERE:
        row = _KEPT_ELSEWHERE[registry]().get(name)
    if row is None and registry == "strategy":
        row = _of_extensions().get((registry, name))
    away = extensions.missing(_ADDED_BY_EXTENSIONS[registry], name) if registry in _ADDED_BY_EXTENSIONS else None
    return Row(registry, name, away, available=False, away=True) if row is None and away is not None else row


def template(name: str) -> Template:
    """Return the judge template of that name. Raise ``KeyError`` if there is none."""
    row = _BY_NAME["template", name]
    if not isinstance(row, Template):
        raise KeyError(name)
    return row


@dataclass(frozen=True)
class Need:
    """A row that a schema names, with the path of keys and the stage (``None``: outside the stages)."""

    row: Row
    path: tuple[str | int, ...]
    stage: str | None = None


def named(schema: Schema) -> Iterator[tuple[str, str, tuple[str | int, ...], str | None]]:
    """Yield all registry names in the schema: registry, name, path in the YAML, stage."""
    if schema.source:
        yield "format", schema.source.format, ("source", "format"), None
    for index, field in enumerate(schema.item.fields):
        yield "field_kind", field.kind, ("item", "fields", index, "kind"), None
        for value, form in field.forms.items():
            yield "answer_form", form, ("item", "fields", index, "forms", value), None
    for index, rule in enumerate(schema.item.rules):
        yield "cross_rule", rule.rule, ("item", "rules", index, "rule"), None
    stages = schema.stages
    for stage in get_args(StageName):
        for index, rule in enumerate(rules_of(schema, stage)):
            yield "cross_rule", rule.rule, ("stages", stage, "rules", index, "rule"), stage
        if getattr(stages, stage) is None:
            continue
        yield "stage", stage, ("stages", stage), stage
        order = getattr(getattr(stages, stage), "order", None)
        if order is not None:
            yield "order", order, ("stages", stage, "order"), stage
        if getattr(getattr(stages, stage), "qualification", None) is not None:
            yield "stage", "qualification", ("stages", stage, "qualification"), stage
        if getattr(getattr(stages, stage), "gold", None) is not None:
            yield "stage", "gold", ("stages", stage, "gold"), stage
        for number, criterion in enumerate(criteria_of(schema, stage)):
            yield "criterion_kind", criterion.kind, ("stages", stage, "criteria", number, "kind"), stage
    if stages.arbitration is not None:
        yield "stage", "arbitration", ("stages", "coding", "arbitration"), "arbitration"
    for stage, part in stages.verifications.items():
        yield "keep_rule", part.keep.rule, ("stages", stage, "keep", "rule"), stage
        if part.skips:
            yield "skip_act", part.skips.then, ("stages", stage, "skips", "then"), stage
    for index, judge in enumerate(schema.judges):
        yield "template", judge.template, ("judges", index, "template"), "judges"
        if judge.parser:
            yield "parser", judge.parser, ("judges", index, "parser"), "judges"
    if schema.models:
        yield "strategy", schema.models.strategy, ("models", "strategy"), "models"
        if schema.models.prompts:
            yield "prompt_set", schema.models.prompts, ("models", "prompts"), "models"
        if schema.models.score:
            yield "score", schema.models.score, ("models", "score"), "models"
    for index, statistic in enumerate(schema.report.statistics):
        yield "statistic", statistic, ("report", "statistics", index), None
    for index, format in enumerate(schema.export.formats):
        yield "format", format, ("export", "formats", index), None
    for index, floor in enumerate(schema.export.floors):
        yield "statistic", floor.statistic, ("export", "floors", index, "statistic"), None
    for name in NOT_ENFORCED:
        for path in _where_set(schema, name.split("."), ()):
            yield "key", name, path, str(path[1]) if path[0] == "stages" else None
    for name in extensions.all_missing("schema_keys"):
        for path in _where_set(schema, name.split("."), ()):
            yield "schema_key", name, path, str(path[1]) if path[0] == "stages" else None


def _where_set(part: Any, keys: Sequence[str], path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths at which a schema sets a dotted key, for each entry of lists. ``*`` stands for any key."""
    if not keys:
        if part is not None:
            yield path
    elif isinstance(part, tuple):
        for index, entry in enumerate(part):
            yield from _where_set(entry, keys, (*path, index))
    elif isinstance(part, BaseModel) and keys[0] == "*":
        for key in type(part).model_fields:
            yield from _where_set(part, (key, *keys[1:]), path)
    elif isinstance(part, BaseModel) and keys[0] in part.model_fields_set:
        yield from _where_set(getattr(part, keys[0]), keys[1:], (*path, keys[0]))


def criteria_of(schema: Schema, stage: str, dimension: str | None = None) -> tuple[Criterion, ...]:
    """Return the questions to raters in a stage, about an item of that dimension (None: of any dimension)."""
    part = getattr(schema.stages, stage, None)
    criteria: tuple[Criterion, ...] = getattr(part, "criteria", ())
    if dimension is None:
        return criteria
    return tuple(
        criterion for criterion in criteria if criterion.dimensions is None or dimension in criterion.dimensions
    )


def rules_of(schema: Schema, stage: str) -> tuple[CrossRule, ...]:
    """Return the rules between a rater's answers in a stage."""
    rules: tuple[CrossRule, ...] = getattr(getattr(schema.stages, stage, None), "rules", ())
    return rules


def needs(schema: Schema) -> list[Need]:
    """Return the rows that the schema names, in the order of the file."""
    return [
        Need(row, path, stage)
        for registry, name, path, stage in named(schema)
        if (row := find(registry, name)) is not None
    ]


def require_available(schema: Schema, stage: str) -> None:
    """Refuse to start a stage (or ``models``, ``judges``) that needs a row which is not built yet.

    Every stage needs the kinds of all fields.

    Raises
    ------
    NotAvailableError
        With a sentence about the row and the stage.
    """
    for need in needs(schema):
        needed = need.stage == stage or need.row.registry == "field_kind"
        if needed and not need.row.available and need.row.blocks:
            raise NotAvailableError(_sentence(need.row, stage))


def require_row(registry: str, name: str) -> Row:
    """Return the row if it is built.

    Raises
    ------
    NotAvailableError
        The row is only declared, or unknown.
    """
    row = find(registry, name)
    if row is None:
        known = ", ".join(row.name for row in rows(registry) if row.available)
        raise NotAvailableError(f"There is no {_noun(registry)} `{name}`. Use one of: {known}.")
    if row.away:
        raise NotAvailableError(row.meaning)
    if not row.available:
        raise NotAvailableError(
            f"The {_noun(registry)} `{name}` ({row.meaning}) is planned, but not available yet. Choose another value."
        )
    return row


def _sentence(row: Row, stage: str) -> str:
    if row.away:
        return row.meaning
    if row.registry == "stage" and row.name == stage:
        return (
            f"The stage `{stage}` ({row.meaning}) is declared in this schema, but Touchstone cannot run this stage "
            "yet. Use the other stages."
        )
    work = {"models": "Running models", "judges": "Running judges"}.get(stage, f"The stage `{stage}`")
    return (
        f"{work} needs the {_noun(row.registry)} `{row.name}` ({row.meaning}), which Touchstone does not have yet. "
        "Change this part of the schema."
    )


def _noun(registry: str) -> str:
    return registry.replace("_", " ")
