"""Runs of judges: what they are asked about models' answers, and what their replies come to.

A run of a judge is a run like that of a model (``workflow.runs.model_runs``), shared by the same workers. Its units are
answers, or pairs of them, or attack answers; every reply is kept as it came, and what a parser reads in
it stands beside it.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from annotation_schemas import judge_templates, kinds, registry
from annotation_schemas.judge_templates import DIMENSION, PAIR, PREDICTION, JudgeTemplate
from annotation_schemas.model import Judge, Schema
from db import files, items, judging, runs
from db.engine import Session, Store
from db.records import StoredAttempt, StoredItem, StoredJudgeUnit, StoredPrediction
from domain.errors import Conflict, InvalidInput, ModelRefused, Problem
from domain.judging import JudgePlan, Reading, Verdict
from domain.records import Person
from domain.runs import Attempt, Outcome, Picture, Question, RunKind, RunPlan
from domain.settings import Settings
from domain.states import Stage
from inference.judges.attacks import ATTACKS
from inference.judges.parsers import PARSERS, read_reply
from inference.spec import ModelSpec
from workflow.access.counted_items import Counting, counting
from workflow.access.projects import Access, require_lead
from workflow.runs import model_runs as runs_of_models
from workflow.runs.identities import filled as filled
from workflow.runs.prompts import Asker, FieldTexts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from media.store import MediaStore

ANSWER_A, ANSWER_B = PAIR
"""Placeholders of templates that compare two answers."""
PREFERENCE = "preference"
"""What a comparison rates."""


# ---- plans ----------------------------------------------------------------------------------------------------------


def judge_of(schema: Schema, template: str, *, name: str | None = None) -> Judge | None:
    """The schema's judge of that name, or its first one with that template."""
    return next((each for each in schema.judges if name in (None, each.name) and each.template == template), None)


def plan_for(
    schema: Schema, template: JudgeTemplate, *, judge: str | None = None, asked_here: bool = True, **chosen: Any
) -> JudgePlan:
    """The plan that a schema has for a judge who is asked by a template; ``chosen`` are fields of ``JudgePlan`` that
    differ. What is chosen of ``fills`` differs placeholder by placeholder. With ``asked_here`` False the replies are
    there already, and what the placeholders were filled with is not ours to say.

    Raises
    ------
    InvalidInput
        Nothing says which criterion the replies are about, or a comparison has no baseline; answers are to be graded
        and no placeholder holds them, or a placeholder is filled by nothing.
    """
    head = template.head
    known = judge_of(schema, head.id, name=judge) or _like(schema, head.variables)
    parser = PARSERS.get(head.parser)
    if parser is None:
        registry.require_row("parser", head.parser)
        raise InvalidInput([Problem("parser", f"There is no parser {head.parser!r}.")])
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
        names = ", ".join(each.name for each in registry.criteria_of(schema, "grading")) or "none"
        problems.append(
            Problem(
                "criteria",
                f"Nothing says which criterion a reply's {' and '.join(lacking)} is about; the schema has {names}.",
            )
        )
    if head.pair and plan.attacks:
        message = f"Attack answers are judged by themselves, and the template {head.id} compares two; take another one."
        problems.append(Problem("attacks", message))
    elif head.pair and plan.baseline is None:
        problems.append(
            Problem("baseline", f"The template {head.id} compares two answers; name the model to compare with.")
        )
    if not head.pair and plan.baseline is not None:
        problems.append(Problem("baseline", f"The template {head.id} is about one answer; it compares nothing."))
    if plan.samples < 1:
        problems.append(Problem("samples", "Every answer is judged once at least."))
    if (plan.chosen == "stratified") != (plan.per_dimension is not None):
        problems.append(
            Problem("per_dimension", "A stratified sample has a number for each dimension, others have none.")
        )
    problems += _off_the_criteria(schema, template, plan)
    if asked_here:
        problems += _not_bound(schema, template, plan)
        unmirrored = template.unmirrored(plan.values)
        if unmirrored is not None:
            problems.append(Problem("mirror", f"{unmirrored[0].upper()}{unmirrored[1:]}."))
    if problems:
        raise InvalidInput(problems)
    return plan


def _off_the_criteria(schema: Schema, template: JudgeTemplate, plan: JudgePlan) -> list[Problem]:
    """Why what the judge may answer is no value of the criteria that it is to rate: as ratings of them its replies
    could be compared with nobody's."""
    problems = []
    for part, name in plan.criteria.items():
        criterion = next(
            (
                each
                for stage in ("grading", "verification")
                for each in registry.criteria_of(schema, stage)
                if each.name == name
            ),
            None,
        )
        values = kinds.of_criterion(criterion).listed(criterion) if criterion else ()
        outside = [each for each in plan.values if values and each not in values]
        if criterion is None or not outside:
            continue
        own = f"; what a comparison says is kept as `{PREFERENCE}`, so leave that out" if template.head.pair else ""
        told = " and ".join((", ".join(map(str, outside[:-1])), str(outside[-1]))) if outside[1:] else str(outside[0])
        problems.append(
            Problem(
                "criteria",
                f"The reply's {part} cannot rate {name!r}: the template {template.head.id} answers {told}, and"
                f" {name!r} is one of {', '.join(map(str, values))}{own}.",
            )
        )
    return problems


def _not_bound(schema: Schema, template: JudgeTemplate, plan: JudgePlan) -> list[Problem]:
    """Why the judge would not be shown what it is to grade."""
    asked = {
        stage: {each.name for each in registry.criteria_of(schema, stage)} for stage in ("verification", "grading")
    }
    rated = set(plan.criteria.values())
    unknown = sorted(rated - {*asked["verification"], *asked["grading"], PREFERENCE})
    problems = [
        Problem("criteria", f"The schema has no criterion {name!r}; it has {_names(schema)}.") for name in unknown
    ]
    on_answers = bool(asked["grading"] & rated) or (not rated and template.grades != judge_templates.ITEM)
    found = template.troubles(
        plan.fills,
        [*(field.name for field in schema.item.fields), DIMENSION],
        answers=on_answers,
        items=bool(asked["verification"] & rated),
    )
    how = "`--fill PLACEHOLDER=FIELD` or the boxes of the page Judges say what fills a placeholder"
    problems += [Problem("fills", f"{sentence[0].upper()}{sentence[1:]}; {how}.") for _, sentence in found]
    if problems or of_answers(plan):
        return problems
    chosen = {"models": plan.models, "chosen": plan.chosen == "graded", "attacks": plan.attacks}
    return [
        Problem(
            name,
            f"The template {plan.template} is filled with no answer of a model: the judge looks at the items"
            f" themselves, and {_ABOUT_ANSWERS[name]}. Fill a placeholder with `{PREDICTION}`, or leave that out.",
        )
        for name, given in chosen.items()
        if given
    ]


_ABOUT_ANSWERS = {
    "models": "whose answers they are would be ignored",
    "chosen": "people have graded no items",
    "attacks": "there is no place for an attack answer",
}


def _names(schema: Schema) -> str:
    names = dict.fromkeys(
        each.name for stage in ("grading", "verification") for each in registry.criteria_of(schema, stage)
    )
    return ", ".join(names) or "none"


def _like(schema: Schema, variables: Sequence[str]) -> Judge | None:
    """The schema's first judge whose template has the same placeholders: they are filled alike."""
    for each in schema.judges:
        row = registry.find("template", each.template)
        if isinstance(row, registry.Template) and set(row.placeholders) == set(variables):
            return each
    return None


def plan_of_project(
    store: Store, *, by: Person | None, project: str, template: JudgeTemplate, **chosen: Any
) -> JudgePlan:
    """As ``plan_for``, with the schema of a project."""
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
    return plan_for(access.schema, template, **chosen)


def _criteria(schema: Schema, judge: Judge | None, parts: Sequence[str], *, pair: bool) -> dict[str, str]:
    """The criterion that each part of a reply rates."""
    if pair:
        return {part: PREFERENCE for part in parts}
    rated = (
        judge.criteria
        if judge
        else tuple(each.name for each in registry.criteria_of(schema, "grading") if kinds.of_criterion(each).compared)
    )
    if len(parts) == 1 and (judge or len(rated) == 1):
        return {parts[0]: rated[0]} if rated else {}
    return {part: part for part in parts if part in rated}


# ---- what a run is about --------------------------------------------------------------------------------------------


def units_of(session: Session, access: Access, plan: JudgePlan) -> list[dict[str, Any]]:
    """What a run with this plan asks about, as rows of ``judge_unit`` without their run.

    Raises
    ------
    InvalidInput
        There is nothing to judge.
    """
    _check_names(session, access, plan)
    if plan.attacks:
        return _attacks(session, access, plan)
    if not of_answers(plan):
        return _items(session, access, plan)
    counted = counted_in(session, access, plan)
    answers = [
        each
        for each in judging.answers(session, project_id=access.project_id)
        if counted.counts(each[1])
        and (plan.dimensions is None or each[2] in plan.dimensions)
        and (plan.models is None or each[3] in plan.models)
        and each[3] != plan.baseline
    ]
    if plan.chosen == "graded":
        graded = judging.graded(session, project_id=access.project_id)
        answers = [each for each in answers if each[0] in graded]
    answers = _drawn(answers, plan)
    if not answers:
        raise InvalidInput(
            [Problem("answers", f"There is nothing to judge: {access.title} has no such answers{_of(counted)}.")]
        )
    others = {}
    if plan.baseline is not None:
        others = judging.of_model(session, item_ids=[each[1] for each in answers], model=plan.baseline)
    return [
        {
            "item_id": item_id,
            "prediction_id": id,
            "other_id": others[item_id].id if plan.baseline is not None else None,
            "swapped": swapped,
            "attack": None,
            "sample": sample,
        }
        for id, item_id, _, _ in answers
        if plan.baseline is None or item_id in others
        for sample in range(plan.samples)
        for swapped in ((False, True) if plan.swap else (False,))
    ]


def counted_in(session: Session, access: Access, plan: JudgePlan) -> Counting:
    """Which items count in a run of a judge: one that looks at the items themselves stands beside voters, who were
    shown all of them."""
    stage = Stage.GRADING if plan.attacks or of_answers(plan) else Stage.VERIFICATION
    return counting(session, access=access, items_=plan.items, stage=stage)


def _of(counted: Counting) -> str:
    return "" if counted.ids is None else f" to items that count ({counted.sentence.rstrip('.')})"


def _check_names(session: Session, access: Access, plan: JudgePlan) -> None:
    there = items.models(session, project_id=access.project_id)
    wanted = [*(plan.models or ()), *([plan.baseline] if plan.baseline is not None else [])]
    problems = [
        Problem("models", f"There are no answers of {name!r}; there are those of {', '.join(there) or 'nobody'}.")
        for name in wanted
        if name not in there
    ]
    known = [dimension.id for dimension in access.schema.dimensions]
    problems += [
        Problem("dimensions", f"The schema has no dimension {name!r}; it has {', '.join(known)}.")
        for name in plan.dimensions or ()
        if name not in known
    ]
    if problems:
        raise InvalidInput(problems)


def _drawn(answers: Sequence[tuple[int, int, str, str]], plan: JudgePlan) -> list[tuple[int, int, str, str]]:
    """The answers that are judged, in an order that follows from the plan's seed."""
    order = sorted(answers)
    random.Random(plan.seed).shuffle(order)
    if plan.chosen == "stratified":
        left: dict[str, int] = defaultdict(lambda: plan.per_dimension or 0)
        drawn = []
        for each in order:
            if left[each[2]] > 0:
                left[each[2]] -= 1
                drawn.append(each)
        order = drawn
    return order[: plan.limit]


def of_answers(plan: JudgePlan) -> bool:
    """Whether the judge is shown models' answers; else it looks at the items themselves."""
    return PREDICTION in filled(plan).values()


def graded_in_words(plan: JudgePlan) -> str:
    """What the judge grades, and where in the prompt it stands, as a sentence."""
    places = [f"{{{name}}}" for name, source in filled(plan).items() if source == PREDICTION]
    if not places:
        return "No placeholder holds the answer of a model: the judge looks at the items themselves."
    if len(places) == 1:
        return f"The answer that is graded stands at {places[0]}."
    return f"The answers that are graded stand at {' and '.join(places)}."


def _items(session: Session, access: Access, plan: JudgePlan) -> list[dict[str, Any]]:
    """The items, where a judge looks at them and not at what models answered."""
    counted = counted_in(session, access, plan)
    found = [
        (id, id, dimension, "")
        for id, _, dimension in files.item_ids(session, project_id=access.project_id)
        if counted.counts(id) and (plan.dimensions is None or dimension in plan.dimensions)
    ]
    drawn = _drawn(found, plan)
    if not drawn:
        raise InvalidInput([Problem("items", f"There is nothing to judge: {access.title} has no such items.")])
    return [
        {"item_id": id, "prediction_id": None, "other_id": None, "swapped": False, "attack": None, "sample": sample}
        for id, *_ in drawn
        for sample in range(plan.samples)
    ]


def _attacks(session: Session, access: Access, plan: JudgePlan) -> list[dict[str, Any]]:
    """One attack answer of each kind for every item, or for as many items as the plan allows."""
    counted = counted_in(session, access, plan)
    every = runs.items_of(session, project_id=access.project_id, dimensions=plan.dimensions, states=None)
    found = [id for id in every if counted.counts(id)]
    if not found:
        raise InvalidInput([Problem("items", f"There is nothing to judge: {access.title} has no such items.")])
    order = sorted(found)
    random.Random(plan.seed).shuffle(order)
    return [
        {
            "item_id": item_id,
            "prediction_id": None,
            "other_id": None,
            "swapped": False,
            "attack": name,
            "sample": sample,
        }
        for item_id in order[: plan.limit]
        for sample in range(plan.samples)
        for name in ATTACKS
    ]


def start(
    store: Store,
    *,
    by: Person | None,
    project: str,
    spec: ModelSpec,
    plan: JudgePlan,
    settings: Settings | None = None,
) -> str:
    """Write down a run of a judge, so that workers can take it; its public id.

    The template is kept with the project as the version that it is. ``by`` None is the command on the machine itself;
    with ``settings`` a waiting worker is woken at once.

    Raises
    ------
    NotAvailable
        The template or its parser is not built.
    ModelRefused
        Batch files are wanted of a model that is no endpoint.
    InvalidInput
        There is nothing to judge.
    """
    registry.require_row("parser", plan.parser)
    if plan.batch and spec.endpoint is None:
        raise ModelRefused(f"{spec.name} is no endpoint, and batch files are for endpoints only.")
    with store.write() as session:
        access = require_lead(session, by=by, project=project)
        counted = counted_in(session, access, plan)
        if counted.verdicts:
            plan = replace(plan, items=counted.which.value)
        rows = units_of(session, access, plan)
        spec = as_schema_says(access.schema, plan.template, spec)
        run = runs_of_models.write_down(
            session,
            store,
            access,
            by=by,
            kind=RunKind.JUDGE,
            label=label_of(spec, plan),
            spec=kept_to(runs_of_models.at_home(spec, settings, by=by), plan),
            plan=plan,
            n_units=len(rows),
        )
        ids = judging.add_units(session, rows=[{"run_id": run.id, **row} for row in rows])
        runs_of_models.add_chunks(session, run, ids)
    if not plan.batch:
        runs_of_models.wake(settings, run.public_id)
    return run.public_id


def as_schema_says(schema: Schema, template: str, spec: ModelSpec) -> ModelSpec:
    """The description with the temperature and longest reply that the schema has for this judge, where it says none
    itself: of the schema's judges with that template the one with that model, else the first."""
    judges = [each for each in schema.judges if each.template == template]
    judge = next((each for each in judges if each.model == spec.model), judges[0] if judges else None)
    if judge is None:
        return spec
    return spec.with_defaults(temperature=judge.temperature, max_tokens=judge.max_tokens)


def kept_to(spec: ModelSpec, plan: JudgePlan) -> ModelSpec:
    """The judge's description with the form of replies that the template asks the endpoint for, if it does."""
    head = judge_templates.parse_template(plan.template_text, name=plan.template).head
    if not head.response_format:
        return spec
    form = {"response_format": dict(head.response_format)}
    return spec.model_copy(update={"generation": spec.generation.model_copy(update=form)})


def label_of(spec: ModelSpec, plan: JudgePlan) -> str:
    """What tables call a judge who is asked in this way: model, template, and the template's version."""
    attacked = ", attacked" if plan.attacks else ""
    return f"{spec.name} by {plan.template} {plan.template_version}{attacked}"


@dataclass(frozen=True)
class Foreseen:
    """What will happen, before anything is asked."""

    n_units: int
    """How often the judge is asked, attempts that fail not counted."""
    n_answers: int
    questions: tuple[Question, ...]
    """The first ones, as they will be asked."""
    cannot: Mapping[str, int]
    """How many of those looked at cannot be asked, by the reason."""
    looked_at: int


LOOKED_AT = 2_000
"""So many requests are looked at before a run is started, so that the page of a large project answers at once."""


def foreseen(
    store: Store,
    media: MediaStore,
    *,
    by: Person | None,
    project: str,
    spec: ModelSpec,
    plan: JudgePlan,
    cache: Path,
    first: int = 20,
    most: int = LOOKED_AT,
) -> Foreseen:
    """What a run with this plan would ask. Nothing is written down.

    The ``first`` questions are made with their pictures; up to ``most`` are looked at for what their texts lack.

    Raises
    ------
    InvalidInput
        There is nothing to judge.
    """
    with store.read() as session:
        access = require_lead(session, by=by, project=project)
        rows = units_of(session, access, plan)
    asker = asker_of(store, media, schema=access.schema, spec=spec, plan=plan, cache=cache)
    units = [StoredJudgeUnit(id=number, run_id=0, **row) for number, row in enumerate(rows[: max(first, most)], 1)]
    questions = asker.ask_about(units[:first])
    rest = JudgeAsker(store, schema=access.schema, plan=plan).ask_about(units[first:])
    cannot = Counter(question.cannot for question in (*questions, *rest) if question.cannot)
    return Foreseen(
        n_units=len(rows),
        n_answers=len({(row["item_id"], row["prediction_id"], row["attack"]) for row in rows}),
        questions=tuple(question for question in questions if not question.cannot),
        cannot=dict(cannot.most_common()),
        looked_at=len(units),
    )


def verdicts_of(store: Store, *, by: Person | None, run: str) -> dict[str, Counter[Verdict]]:
    """What the replies of a run come to so far: how many of each, by criterion."""
    with store.read() as session:
        row, _ = runs_of_models.run_and_access(session, by, run)
        found: dict[str, Counter[Verdict]] = {}
        for criterion, verdict, n in judging.counts(session, run_id=row.id):
            found.setdefault(criterion, Counter())[verdict] += n
    return found


def read_replies_again(store: Store, *, by: Person | None, run: str) -> int:
    """Read all replies of a run with its parser as it is now; the number of new readings. Nobody is asked."""
    with store.read() as session:
        row, _ = runs_of_models.run_and_access(session, by, run)
        plan = runs_of_models.plan_of_run(row)
    if not isinstance(plan, JudgePlan):
        raise Conflict("That is a run of a model: there is nothing to read in its answers.")
    return read_again(store, run_id=row.id, plan=plan)


# ---- asking ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Unit:
    """A unit with everything that its question needs."""

    row: StoredJudgeUnit
    item: StoredItem
    fields: Mapping[str, Any]
    answer: str
    other: str | None


class JudgeAsker:
    """Makes questions to a judge of a run's units. Used by one thread."""

    def __init__(
        self,
        store: Store,
        *,
        schema: Schema,
        plan: JudgePlan,
        pictures: Callable[[Sequence[int]], Mapping[int, Sequence[Picture] | str]] | None = None,
    ) -> None:
        """``pictures`` gives the pictures of items by item id, or a sentence why they cannot be shown."""
        self.store = store
        self.schema = schema
        self.plan = plan
        self.template = judge_templates.parse_template(plan.template_text, name=plan.template)
        self.texts = FieldTexts(schema)
        self.fields = {field.name: field for field in schema.item.fields}
        self.pictures = pictures

    def ask(self, unit_ids: Sequence[int]) -> list[Question]:
        """The questions about these units, in their order; one that cannot be asked says why."""
        with self.store.read() as session:
            rows = judging.units(session, ids=unit_ids)
        return self.ask_about([rows[id] for id in unit_ids])

    def ask_about(self, rows: Sequence[StoredJudgeUnit]) -> list[Question]:
        """As ``ask``, of units that need not be stored."""
        with self.store.read() as session:
            found = self._read(session, {row.id: row for row in rows})
        shown: Mapping[int, Sequence[Picture] | str] = {}
        if self.plan.pictures and self.pictures is not None:
            shown = self.pictures(sorted({unit.item.id for unit in found.values()}))
        return [self._question(found[row.id], shown) for row in rows]

    def _read(self, session: Session, rows: Mapping[int, StoredJudgeUnit]) -> dict[int, _Unit]:
        item_ids = sorted({row.item_id for row in rows.values()})
        answers: dict[int, StoredPrediction] = judging.predictions(
            session,
            ids=sorted({id for row in rows.values() for id in (row.prediction_id, row.other_id) if id is not None}),
        )
        found = items.by_ids(session, ids=item_ids)
        contents = items.contents(session, ids=item_ids)
        return {
            id: _Unit(
                row,
                found[row.item_id],
                contents[row.item_id, found[row.item_id].current_revision],
                _answer(row, answers),
                answers[row.other_id].text if row.other_id is not None else None,
            )
            for id, row in rows.items()
        }

    def _question(self, unit: _Unit, shown: Mapping[int, Sequence[Picture] | str]) -> Question:
        question = Question(
            unit_id=unit.row.id,
            name=unit.item.external_id,
            dimension=unit.item.dimension,
            parts=(),
            of_item=unit.row.item_id,
        )
        pictures = shown.get(unit.item.id, ())
        if isinstance(pictures, str):
            return replace(question, cannot=pictures)
        values: dict[str, str] = {}
        for placeholder in self.template.prompt.placeholders:
            value = self._value(placeholder, unit)
            if value is None:
                name = self.plan.fills.get(placeholder, placeholder)
                return replace(question, cannot=f"The template asks for `{name}`, which this item does not have.")
            values[placeholder] = value
        filled = self.template.prompt.fill(values)
        return replace(question, system=filled.system, parts=(*pictures, filled.user))

    def _value(self, placeholder: str, unit: _Unit) -> str | None:
        source = self.plan.fills.get(placeholder, placeholder)
        if placeholder in (ANSWER_A, ANSWER_B) and source == placeholder:
            first = placeholder == ANSWER_A
            return self._fenced(unit.answer if first != unit.row.swapped else unit.other or "")
        if source == PREDICTION:
            return self._fenced(unit.answer)
        if source == DIMENSION and source not in self.fields:
            return self.schema.dimension(unit.item.dimension).title
        value = unit.fields.get(source)
        if source not in self.fields or value is None or value in ("", [], ()):
            return None
        return self.texts.text(self.fields[source], value)

    def _fenced(self, answer: str) -> str:
        """An answer that cannot pretend to end: marks of the template that it holds lose their brackets."""
        for line in self.template.prompt.user.splitlines():
            mark = line.strip()
            if mark.startswith("[") and mark.endswith("]") and len(mark) > 4:
                answer = answer.replace(mark, f"({mark[1:-1]})")
        return answer


def _answer(row: StoredJudgeUnit, answers: Mapping[int, StoredPrediction]) -> str:
    """What is judged; empty where the judge looks at the item itself."""
    if row.attack is not None:
        return ATTACKS[row.attack]
    return answers[row.prediction_id].text if row.prediction_id is not None else ""


def asker_of(
    store: Store, media: MediaStore, *, schema: Schema, spec: ModelSpec, plan: JudgePlan, cache: Path
) -> JudgeAsker:
    """Makes the questions of a run; pictures are those that models are shown."""
    shower = Asker(store, media, schema=schema, plan=RunPlan(), spec=spec, cache=cache)
    return JudgeAsker(store, schema=schema, plan=plan, pictures=shower.pictures_of)


# ---- reading --------------------------------------------------------------------------------------------------------


def reading_of(plan: JudgePlan, *, outcome: Outcome, text: str, finish_reason: str | None, error: str) -> Reading:
    """What an attempt comes to, as the plan's parser reads it."""
    if outcome is Outcome.ANSWERED:
        return read_reply(PARSERS[plan.parser], text, plan.values, finish_reason=finish_reason)
    return Reading(Verdict.of_asking(outcome), why=error or f"The attempt ended as {outcome.value.replace('_', ' ')}.")


def rows_of(
    plan: JudgePlan, attempt: Attempt | StoredAttempt, *, attempt_id: int, run_id: int, now: datetime
) -> list[dict[str, Any]]:
    """A final attempt as rows of ``judgement``, one for each criterion."""
    found = reading_of(
        plan, outcome=attempt.outcome, text=attempt.text, finish_reason=attempt.finish_reason, error=attempt.error
    )
    parser = PARSERS[plan.parser]
    rows = []
    for part, criterion in plan.criteria.items():
        span = found.spans.get(part)
        rows.append(
            {
                "run_id": run_id,
                "unit_id": attempt.unit_id,
                "attempt_id": attempt_id,
                "criterion": criterion,
                "verdict": found.verdict,
                "value": found.values.get(part),
                "start": span[0] if span else None,
                "end": span[1] if span else None,
                "why": found.why,
                "parser": parser.name,
                "parser_version": parser.version,
                "created_at": now,
            }
        )
    return rows


def read_again(store: Store, *, run_id: int, plan: JudgePlan) -> int:
    """Read all replies of a run with its parser as it is now, without asking anybody; the number of new readings."""
    after, new = 0, 0
    while True:
        with store.write() as session:
            some = judging.attempts_to_read(session, run_id=run_id, after=after)
            if not some:
                return new
            now = store.now()
            rows = [
                row for attempt in some for row in rows_of(plan, attempt, attempt_id=attempt.id, run_id=run_id, now=now)
            ]
            new += judging.add(session, rows=rows)
            after = some[-1].id
