"""Every key of the grammar has an effect: change its value, and something that the product does changes.

The keys are read off the grammar itself. Each has a row here, or is named by ``schema check`` as not enforced yet
(``registry.NOT_ENFORCED``); a new key with neither fails.
"""

from __future__ import annotations

import copy
import itertools
import shutil
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image
from pydantic import BaseModel
from sqlmodel import select
from typer.testing import CliRunner

from annotation_schemas import derived, json_schema, judge_templates, registry
from annotation_schemas.expected_answers import asked_of
from annotation_schemas.formats import (
    Misfit,
    as_named,
    dimension_named,
    fields_of,
    item_keys,
    new_path,
    new_record,
    of_head,
)
from annotation_schemas.keys import key_field, withheld_in
from annotation_schemas.kinds import (
    check_answers,
    check_fields,
    of_criterion,
    options_of,
    refused_wording,
    unheld_wording,
)
from annotation_schemas.kinds.property_list import sayable_values
from annotation_schemas.loader import examine, load_text
from annotation_schemas.model import LoadedSchema, Schema
from app import services
from app.cli import cli
from app.commands.schema import summary
from app.releasing.prepared_export import formats_of
from app.services import Services
from app.workbench import preview
from app.workbench.page import static_part
from db import files
from db.engine import Store, open_store
from db.tables import AssetRow, ItemRow, PredictionRow, ProjectRow, RunRow, TaskRow
from domain import extensions
from domain.errors import SchemaError, TouchstoneError
from domain.policies import Vote, item_state
from domain.reading.answers import ReadOutcome, read_answer
from domain.records import NoTask, Person, TaskView
from domain.roles import Role
from domain.settings import Settings
from domain.shipped_extensions import COMES_WITH
from domain.states import Stage, TaskState
from importers.items import own_id
from inference.spec import Endpoint, ModelSpec
from media import clips
from media.store import MediaStore
from testkit import seeds
from testkit.factories import Clock, make_person, make_pool, make_predictions, make_project
from testkit.kept_items import kept_ids
from testkit.missing_extensions import needs
from testkit.stage_work import open_work
from workflow.access.memberships import set_member
from workflow.access.projects import access_to, project, role_for
from workflow.annotate import (
    authoring,
    claims,
    image_pool,
    submissions,
)
from workflow.annotate.project_progress import dashboard
from workflow.annotate.stage_kinds import of
from workflow.files import export
from workflow.results import graded_answers, leaderboard, project_answers, rater_agreement, score_choices
from workflow.results.slices import Item
from workflow.runs import judge_plans, model_plans, run_grading, run_start

BASE = yaml.safe_load(
    """
name: keys
version: 1
title: Keys
source: {format: pca_bench}
dimensions:
  - {id: one, title: One, wanted: 3}
  - {id: two, title: Two}
item:
  assets:
    - {role: image, kind: image, max: 3}
    - {role: clip, kind: clip, min: 0}
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list, required: false}
    - {name: others, kind: text_list, required: false}
    - {name: answer, kind: option_of, field: options, required: false, secret_in: [verification]}
    - {name: second, kind: option_of, field: options, required: false, secret_in: [verification]}
    - {name: kind, kind: choice, options: [{value: a, label: A}, b], required: false}
    - {name: boxed, kind: boxes, options: [x], required: false}
    - {name: plan_text, kind: long_text, required: false}
stages:
  triage: {reasons: [dark]}
  authoring: {}
  verification:
    raters: 2
    criteria:
      - name: fits
        kind: choice
        prompt: Fits it
        options: [{value: "yes", label: "Yes"}, {value: "no", label: "No", reasons: [wrong, odd]}]
        skip: {reasons: [dark, far]}
      - {name: size, kind: scale, prompt: How large, values: [1, 2, 3]}
      - {name: many, kind: number, prompt: How many}
      - {name: seen, kind: multi_choice, field: options, prompt: Which, required: false}
      - {name: has, kind: property_list, options: [soft, red], prompt: What, required: false}
      - {name: steps, kind: plan, of: plan_text, options: [bad], prompt: Where, required: false,
         begins: [not holding *], actions: [{name: go, makes: [near 1]}, {name: take, needs: [near 1], ends: [open 1]}]}
      - {name: drawn, kind: boxes, options: [x], prompt: Draw, required: false}
    keep: {rule: unanimous, criterion: fits, value: "yes"}
  adjudication: {reasons: [unclear, wrong]}
  refinement:
    criteria: [{name: other, kind: choice, prompt: Also, options: ["no", "yes"]}]
    done: {other: "no"}
  grading:
    raters: 1
    criteria:
      - {name: good, kind: scale, prompt: Good, values: [0, 0.5, 1]}
      - {name: clear, kind: scale, prompt: Clear, values: [0, 1]}
judges:
  - {name: first, criteria: [good], template: egothink_single, sees: [question, answer, prediction],
     fills: {ref_answer_1: answer, answer: prediction}, values: [0, 0.5, 1]}
models: {strategy: generate, prompts: egothink}
report: {derived: [{name: both, all_of: [good, clear]}]}
export: {formats: [pca_bench]}
"""
)


# ---- what can be seen of a schema -----------------------------------------------------------------------------------


@dataclass
class Seen:
    """A schema, and places where a project of it can be made."""

    loaded: LoadedSchema
    stores: Callable[[], Store]
    folder: Path

    @property
    def schema(self) -> Schema:
        return self.loaded.schema_


def page(stage: Stage) -> Callable[[Seen], Any]:
    """What a working page is made of."""

    def see(seen: Seen) -> Any:
        part = static_part(seen.loaded, stage, project="p", title="P")
        return {name: value for name, value in part.items() if not name.startswith("guideline") and name != "hash"}

    return see


VERIFYING, AUTHORING, SETTLING, GRADING = map(
    page, (Stage.VERIFICATION, Stage.AUTHORING, Stage.ADJUDICATION, Stage.GRADING)
)

ITEM: dict[str, Any] = {
    "question": "What?", "options": ["a", "b", "c"], "others": ["d", "e"], "answer": "a", "second": "b",
    "plan_text": "1. go(cup)\n2. take(cup)\n3. take(box)\n4. put(box, cup)\n5. take(box)\nPostconditions: it shines.",
}  # fmt: skip
ANSWERS: dict[str, Any] = {"fits": "yes", "size": 1, "many": 3}


def fits(**fields: Any) -> Callable[[Seen], Any]:
    """What is wrong with an item."""
    return lambda seen: [problem.message for problem in check_fields(seen.schema, {**ITEM, **fields}, "one")]


def said(stage: str = "verification", reasons: Mapping[str, str] | None = None, **values: Any) -> Callable[[Seen], Any]:
    """What is wrong with a rater's answers."""

    def see(seen: Seen) -> Any:
        criteria = registry.criteria_of(seen.schema, stage)
        given = {**ANSWERS, **values} if stage == "verification" else values
        return [problem.message for problem in check_answers(criteria, given, reasons or {}, ITEM)]

    return see


def box(w: float) -> list[dict[str, Any]]:
    return [{"label": "x", "x": 0.1, "y": 0.1, "w": w, "h": 0.2}]


def verdicts(seen: Seen) -> Any:
    """What every two votes come to."""
    stage = seen.schema.stages.verification
    assert stage is not None
    ways = [
        Vote(
            "r",
            {"fits": fitting, "size": size, "letter": letter, "many": 3 * size - 1, "drawn": box(0.2 * size)},
            {"fits": "dark"} if fitting is None else {},
        )
        for fitting, size, letter in itertools.product(["yes", "no", None], [1, 2], ["a", "b"])
    ]
    return [
        item_state(
            stage.keep, votes, raters=2, item_fields={**ITEM, "boxed": box(0.2)}, skips=stage.skips,
            adjudication=stage.adjudicates and seen.schema.stages.adjudication is not None,
        ).state
        for votes in [*itertools.product(ways, ways), *((way,) for way in ways)]
    ]  # fmt: skip


def gone_on(worth: str, rounds: int = 2) -> Callable[[Seen], Any]:
    """Where the votes of two people, and of a third in the further rounds of verification, leave items."""

    def see(seen: Seen) -> Any:
        there = world(seen)
        for person in (there.ann, there.ben):
            answer(there, person, "yes")
        sam = there.people["sam"]
        for number in range(2, rounds + 1):
            about: dict[str, Any] = {"person": sam, "project": "p", "stage": Stage(f"verification_{number}")}
            while isinstance(view := claims.next_task(there.store, **about), TaskView):
                values = {"worth" if number == 2 else f"worth_{number}": worth}
                submissions.submit(there.store, person=sam, task=view.id, key=view.id, values=values)
        with there.store.read() as session:
            return sorted(session.exec(select(ItemRow.state)).all())

    return see


def voted_again(seen: Seen) -> Any:
    """Whether someone who has voted on all items gets one in the second verification."""
    there = world(seen)
    for person in (there.ann, there.ben):
        answer(there, person, "yes")
    view = claims.next_task(there.store, person=there.ann, project="p", stage=Stage.VERIFICATION_2)
    return isinstance(view, TaskView)


def offered(seen: Seen) -> Any:
    """What each criterion offers, and what can be said of properties."""
    criteria = registry.criteria_of(seen.schema, "verification", "one")
    return [(each.name, options_of(each, ITEM), sayable_values(each), each.show_if) for each in criteria]


def plan_steps(seen: Seen) -> Any:
    """How a plan is read."""
    (criterion,) = [each for each in registry.criteria_of(seen.schema, "verification") if each.kind == "plan"]
    texts = {**ITEM, criterion.of or "": ITEM["plan_text"]}
    return of_criterion(criterion).page_of_item(criterion, texts)


def records(seen: Seen) -> Any:
    """What is read out of a file's record, and what is written."""
    record = {"question": "What?", "frage": "Was?", "actions": ["a", "b"], "options": ["c"], "domain": "One",
              "answer_index": 1, "sample_id": 5, "task_goal": "g", "choice_a": "x", "choice_b": "y",
              "golden_choice_idx": "B", "image_path": ["p"], "answer": "y"}  # fmt: skip
    row = item_keys(seen.schema.source.format if seen.schema.source else "egothink")
    named = as_named(row, seen.schema)
    return (
        own_id(named, record),
        fields_of(row, seen.schema, record),
        new_record(row, seen.schema, ITEM, dimension="one", id=1),
    )


def cells(seen: Seen) -> Any:
    """How a list in one cell of a table is read."""
    row = of_head(item_keys("csv"), seen.schema, ["question", "options"])
    return fields_of(row, seen.schema, {"question": "Which?", "options": "a; b, c"})


def placed(seen: Seen) -> Any:
    """Which option a file says is right."""
    try:
        return fields_of(item_keys("jsonl"), seen.schema, {"question": "Which?", "options": ["a", "b"], "answer": 1})
    except Misfit:
        return None


def dimensions(seen: Seen) -> Any:
    """How files name dimensions."""
    first = seen.schema.dimensions[0].id
    found = [dimension_named(seen.schema, name) for name in ("One", "Ein", "inner")]
    return [each and each.id for each in found], new_path(item_keys("egothink"), seen.schema, first)


def asked_models(seen: Seen) -> Any:
    """How models are asked."""
    return model_plans.plan_for(seen.schema, ModelSpec(name="m", adapter="chat", model="m")).dump()


def asked_judges(seen: Seen) -> Any:
    """How judges are asked."""
    found = []
    for judge in seen.schema.judges:
        template = judge_templates.shipped()[judge.template]
        chosen: dict[str, Any] = {"baseline": "other"} if template.head.pair else {}
        try:
            found.append((judge.name, judge_plans.plan_for(seen.schema, template, judge=judge.name, **chosen).dump()))
        except TouchstoneError as error:
            found.append((judge.name, str(error)))
    return found


def checked(seen: Seen) -> Any:
    """What ``schema check`` says."""
    path = seen.folder / "s.yaml"
    path.write_text(seen.loaded.text, encoding="utf-8")
    try:
        examined = examine(path)
    except SchemaError as error:
        return str(error)
    return [line for line in summary(examined.loaded) if not line.startswith("hash")], examined.warnings


def scales(seen: Seen) -> Any:
    """How ratings are measured."""
    return [rater_agreement.scales_of(seen.schema, stage) for stage in (Stage.VERIFICATION, Stage.GRADING)]


def held(seen: Seen) -> Any:
    """What answers are held against, and how two answers are read."""
    asked = asked_of(seen.schema, ITEM)
    return key_field(seen.schema), [read_answer(text, asked) for text in ("yes", "3", "30 mm")], asked


def accuracy(seen: Seen) -> Any:
    """Of two answers, one right and one that cannot be read."""
    answers = [
        graded_answers.Answer(1, 1, "m", 1.0),
        graded_answers.Answer(2, 2, "m", float("nan"), ReadOutcome.UNREADABLE),
    ]
    items = {at: Item(str(at), str(at), "one", None, {}) for at in (1, 2)}
    found = project_answers.ProjectAnswers("p", "P", seen.schema, (), items, answers, {}, {}, {})
    line = leaderboard.sliced_scores(found, score_choices.Scores("key")).whole["m"]
    return line.found.value, line.found.n_units


def regressed(seen: Seen) -> Any:
    """The coefficient of one dimension's scores, by which six models succeed in the other."""
    items = {
        at: Item(str(at), str(at), "two" if at else "one", None, {"kind": "a", "question": "q"}) for at in range(3)
    }
    answers = [
        graded_answers.Answer(3 * at + item, item, model, 1.0) for at, model in enumerate("abcdef") for item in items
    ]
    good = [0.0, 1.0, 0.0, 0.5, 1.0, 1.0, 1.0, 0.0, 0.5, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    grades = {
        "good": {at: [value] for at, value in enumerate(good)},
        "clear": {at: [float(at % 4 == 1)] for at in range(18) if at % 3},
    }
    found = project_answers.ProjectAnswers("p", "P", seen.schema, (), items, answers, {}, grades, {})
    try:
        coefficient = dict(extensions.rows("table_sources"))["regression"](None, found)
        return coefficient(model=None, part="one", judge=lambda: None, criterion=None, code=None, form=None)
    except TouchstoneError as error:
        return str(error)


def derivations(seen: Seen) -> Any:
    """What follows from settled values."""
    return [
        (each.name, [derived.value(seen.schema, each, {"good": good, "clear": 1}) for good in (0, 0.5, 1)])
        for each in seen.schema.report.derived
    ]


def roles(seen: Seen) -> Any:
    """Who may work where."""
    return [role_for(seen.schema, stage) for stage in Stage]


def sampled(seen: Seen) -> Any:
    """Which answers are open to people once a lead has opened what is planned: dimension, item and model."""
    store = seen.stores()
    make_project(store, loaded=seen.loaded)
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        new = [authoring.NewItem(f"i{at}", "two" if at % 3 else "one", ITEM) for at in range(12)]
        ids = authoring.add_items(session, access=access, new=new, now=store.now())
        session.get(ProjectRow, access.project_id).seed = 7  # type: ignore[union-attr]
    for dimension, lot in (("one", ids[::3]), ("two", [id for at, id in enumerate(ids) if at % 3])):
        make_predictions(store, lot, models=["left", "right"], dimension=dimension)
    with store.read() as session:
        before = session.exec(select(TaskRow).where(TaskRow.stage == Stage.GRADING)).all()
    run_grading.draw_sample(store, by=None, project="p")
    with store.read() as session:
        rows = session.exec(select(TaskRow).where(TaskRow.stage == Stage.GRADING, TaskRow.state == TaskState.OPEN))
        answers = {row.id: row for row in session.exec(select(PredictionRow))}
        return len(before), sorted(
            (row.dimension, row.item_id or 0, answers[row.prediction_id or 0].model) for row in rows
        )


# ---- what can be seen of a project ----------------------------------------------------------------------------------


@dataclass
class World:
    """A small project: ann, ben and cal answer, sam is a senior, lee a lead."""

    store: Store
    letters: bool = False
    """Whether the schema asks for a letter."""
    people: dict[str, Person] = field(default_factory=dict)
    items: list[int] = field(default_factory=list)

    def __getattr__(self, name: str) -> Person:
        return self.people[name]


def add_items(there: World, n: int) -> None:
    with there.store.write() as session:
        access, begun = access_to(session, person=None, project="p"), len(there.items)
        new = [authoring.NewItem(f"i{at}", "one", {**ITEM, "question": f"{at}?"}) for at in range(begun, begun + n)]
        there.items += authoring.add_items(session, access=access, new=new, now=there.store.now())


def world(seen: Seen, *, n: int = 3) -> World:
    store = seen.stores()
    store.clock = Clock()
    make_project(store, loaded=seen.loaded)
    found = World(store, any(each.name == "letter" for each in registry.criteria_of(seen.schema, "verification")))
    with store.write() as session:
        row = session.get(ProjectRow, access_to(session, person=None, project="p").project_id)
        assert row is not None
        row.seed = 11
        session.add(row)
    add_items(found, n)
    for name, role in (("ann", Role.ANNOTATOR), ("ben", Role.ANNOTATOR), ("sam", Role.SENIOR), ("lee", Role.LEAD)):
        found.people[name] = make_person(store, name, role=role)
    return found


def worked(seen: Seen, stage: Stage, **answers: Any) -> Any:
    """What ann is given in a stage, one thing after the other, and what she sees of it; why it ends."""
    there = world(seen)
    if stage is Stage.GRADING:
        make_predictions(there.store, there.items, models=["m1", "m2"], dimension="one")
    found: list[Any] = []
    for number in range(20):
        view = claims.next_task(there.store, person=there.ann, project="p", stage=stage)
        if isinstance(view, NoTask):
            return [*found, view.code]
        found.append((view.fields, view.dimension, view.answer))
        submissions.submit(there.store, person=there.ann, task=view.id, key=str(number), values=answers)
    return found


def voting(seen: Seen) -> Any:
    return worked(seen, Stage.VERIFICATION, **ANSWERS)


def grading(seen: Seen) -> Any:
    return worked(seen, Stage.GRADING, good=1, clear=1)


def slots(seen: Seen) -> Any:
    """The work that is handed out, in its order."""
    there = world(seen)
    make_predictions(there.store, there.items, models=["m1"], dimension="one")
    with there.store.read() as session:
        rows = session.exec(select(TaskRow).order_by("id")).all()
    return [(row.stage, row.unit, row.slot, row.rank, row.state) for row in rows]


def compared(seen: Seen) -> Any:
    """Which answers people compare, and what ann is shown of them."""
    there = world(seen)
    make_predictions(there.store, there.items, models=["m1", "m2", "m3"], dimension="one")
    if seen.schema.stages.comparison is None:
        return None
    open_work(there.store, Stage.COMPARISON)
    with there.store.read() as session:
        wanted = select(TaskRow).where(TaskRow.stage == Stage.COMPARISON).order_by("id")
        rows = [(row.unit, row.slot) for row in session.exec(wanted)]
    view = claims.next_task(there.store, person=there.ann, project="p", stage=Stage.COMPARISON)
    return rows, sorted(view.fields) if isinstance(view, TaskView) else view.code


def coded(seen: Seen) -> Any:
    """Which answers of a model are coded, out of three that ann and two judges grade, how often, and who settles."""
    there = world(seen)
    make_predictions(there.store, there.items, models=["m1"], dimension="one")
    said = {"Answer 0 of 1": (1, 1), "Answer 0 of 2": (0.5, 0), "Answer 0 of 3": (0, 1)}
    for at in range(3):
        task = claims.next_task(there.store, person=there.ann, project="p", stage=Stage.GRADING)
        assert isinstance(task, TaskView)
        good, clear = said[task.answer or ""]
        values = {"good": good, "clear": clear}
        submissions.submit(there.store, person=there.ann, task=task.id, key=f"g{at}", values=values)
    with there.store.write() as session:
        id, now = access_to(session, person=None, project="p").project_id, there.store.now()
        about = {"project_id": id, "stage": Stage.GRADING, "criterion": "good", "dimension": "one", "created_at": now}
        judged = [("j1", 0, 0), ("j1", 1, 1), ("j2", 0, 1), ("j2", 1, 0)]
        rows = [{**about, "unit": f"i{at} · m1", "rater": judge, "value": value} for judge, at, value in judged]
        files.add_ratings(session, rows=rows)
    if seen.schema.stages.coding is None:
        return None
    open_work(there.store, Stage.CODING)
    for person, why in ((there.ben, "a"), (there.sam, "b")):
        for at in range(9):
            view = claims.next_task(there.store, person=person, project="p", stage=Stage.CODING)
            if isinstance(view, NoTask):
                break
            submissions.submit(there.store, person=person, task=view.id, key=f"c{at}", values={"why": why})
    with there.store.read() as session:
        wanted = select(TaskRow).where(TaskRow.stage.in_((Stage.CODING, Stage.ARBITRATION))).order_by("id")  # type: ignore[attr-defined]
        return [(row.unit, row.slot) for row in session.exec(wanted)]


def settled(seen: Seen) -> Any:
    """What a senior may do about an item on which two people differ."""
    there = world(seen, n=1)
    for person, fitting in ((there.ann, "yes"), (there.ben, "no")):
        view = claims.next_task(there.store, person=person, project="p", stage=Stage.VERIFICATION)
        assert not isinstance(view, NoTask)
        reasons = {"fits": "odd"} if fitting == "no" else {}
        values = {**ANSWERS, "fits": fitting}
        submissions.submit(there.store, person=person, task=view.id, key=person.login, values=values, reasons=reasons)
    found: list[Any] = []
    view = claims.next_task(there.store, person=there.sam, project="p", stage=Stage.ADJUDICATION)
    if isinstance(view, NoTask):
        return view.code
    for values in ({"decision": "edit", "cause": "wrong", "fields": {}}, {"decision": "accept", "cause": "unclear"}):
        try:
            done = submissions.submit(there.store, person=there.sam, task=view.id, key=str(values), values=values)
            found.append(asdict(done).get("state"))
        except TouchstoneError as error:
            found.append(str(error))
    return found


def written(seen: Seen) -> Any:
    """What an author may pick of one source's images."""
    there = world(seen, n=0)
    found: list[Any] = []
    for image in make_pool(there.store, 3, source="film"):
        try:
            image_pool.pick(there.store, person=there.ann, project="p", assets=[image], dimension="one")
            found.append("picked")
        except TouchstoneError as error:
            found.append(str(error))
    return found


def writers(seen: Seen) -> Any:
    """What a lead is told of parts that are more than the schema has: ann writes for both, ben for one."""
    there = world(seen, n=0)
    for login, dimensions in (("ann", ["one", "two"]), ("ben", ["one"])):
        set_member(there.store, by=None, project="p", login=login, role=Role.ANNOTATOR, dimensions=dimensions)
    found = dashboard(there.store, person=there.lee, project="p")
    return [[why for why in row.blocked if "plans" in why] for row in found.rows]


def triaged(seen: Seen) -> Any:
    """What someone who triages frames is shown."""
    part = seen.schema.stages.triage
    return part and (part.per_source, [reason.label for reason in part.reasons])


def refined(seen: Seen) -> Any:
    """Whether items are done after a decision."""
    there = world(seen, n=1)
    make_predictions(there.store, there.items, models=["m1"], dimension="one")
    open_work(there.store, Stage.REFINEMENT, models=["m1"])
    view = claims.next_task(there.store, person=there.ann, project="p", stage=Stage.REFINEMENT)
    assert not isinstance(view, NoTask)
    submissions.submit(there.store, person=there.ann, task=view.id, key="k", values={"other": "yes"})
    with there.store.read() as session:
        return of(Stage.REFINEMENT).counts(session, access=access_to(session, person=None, project="p"))


def answer(there: World, person: Person, fitting: str, *, right: int = 99) -> None:
    for number in itertools.count():
        view = claims.next_task(there.store, person=person, project="p", stage=Stage.VERIFICATION)
        if isinstance(view, NoTask) or number >= 5:
            return
        letter = "a" if number < right else "b"
        values = {**ANSWERS, "fits": fitting, **({"letter": letter} if there.letters else {})}
        reasons = {"fits": "odd"} if fitting == "no" else {}
        key = f"{person.login}{view.id}"
        submissions.submit(there.store, person=person, task=view.id, key=key, values=values, reasons=reasons)


def released(seen: Seen) -> Any:
    """The public files of the kept items."""
    there = world(seen, n=1)
    for person in (there.ann, there.ben):
        answer(there, person, "yes")
    try:
        made = export.exported(
            there.store, by=None, project="p", format="pca_bench", public=True, only=kept_ids(there.store)
        )
    except TouchstoneError as error:
        return str(error)
    return {name: text for name, text in made.files.items() if name != "manifest.json"}


def withheld(seen: Seen) -> Any:
    """What the public files of two splits of a release do not have."""
    return [withheld_in(seen.schema, split) for split in ("train", "test")]


def come_to(seen: Seen) -> Any:
    """What two people's grades of an answer come to."""
    there = world(seen, n=1)
    make_predictions(there.store, there.items, models=["m1"], dimension="one")
    for person, good in ((there.ann, 0.5), (there.ben, 1)):
        view = claims.next_task(there.store, person=person, project="p", stage=Stage.GRADING)
        assert not isinstance(view, NoTask)
        submissions.submit(there.store, person=person, task=view.id, key=view.id, values={"good": good, "clear": 1})
    found = project_answers.read_project(there.store, person=None, project="p")
    line = leaderboard.sliced_scores(found, score_choices.Scores("human", "good")).whole["m1"]
    return str(line.found.value), dict(line.left_out)


ENDPOINT = ModelSpec(name="m", adapter="endpoint", model="gpt", endpoint=Endpoint(base_url="http://127.0.0.1:9/v1"))


def begun_model(seen: Seen) -> Any:
    """With what a model is asked."""
    there = world(seen, n=1)
    plan = model_plans.plan_for(seen.schema, ENDPOINT)
    return generation(there, run_start.start(there.store, by=None, project="p", spec=ENDPOINT, plan=plan))


def begun_judge(seen: Seen) -> Any:
    """With what a judge is asked."""
    there = world(seen, n=1)
    make_predictions(there.store, there.items, models=["m1"], dimension="one")
    plan = judge_plans.plan_for(seen.schema, judge_templates.shipped()["egothink_single"])
    return generation(there, run_start.start(there.store, by=None, project="p", spec=ENDPOINT, plan=plan))


def generation(there: World, run: str) -> Any:
    with there.store.read() as session:
        row = session.exec(select(RunRow).where(RunRow.public_id == run)).one()
        spec = row.params["spec"]
        return spec["generation"], spec["endpoint"].get("headers")


def measured_first(seen: Seen) -> Any:
    """What agreement of two people says of a project when nothing is asked for."""
    there = world(seen, n=2)
    make_predictions(there.store, there.items, models=["m1"], dimension="one")
    for person in (there.ann, there.ben):
        answer(there, person, "yes")
        for _ in there.items:
            view = claims.next_task(there.store, person=person, project="p", stage=Stage.GRADING)
            if not isinstance(view, NoTask):
                values = {"good": 1, "clear": 1}
                submissions.submit(
                    there.store, person=person, task=view.id, key=f"g{person.login}{view.id}", values=values
                )
    services.resources.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOUCHSTONE_HOME", str(Path(str(there.store.engine.url.database)).parent))
        done = CliRunner().invoke(cli, ["agreement", "show", "p", "--json"])
        services.resources().store.close()
    services.resources.cache_clear()
    return done.stdout, repr(done.exception)


def framed(seen: Seen) -> Any:
    """What comes of a video of 50 frames that is added to the pool; frame i is grey 2 * i."""
    there = world(seen, n=0)
    home = Path(str(there.store.engine.url.database)).parent
    film = home / "film.webm"
    grey = (Image.new("RGB", (64, 48), (2 * at, 2 * at, 2 * at)) for at in range(50))
    clips.write(grey, out=film, frames_per_second=10)
    media = MediaStore(home / "media")
    done = image_pool.add_to_pool(there.store, media, by=None, project="p", files=[("film.webm", film)])
    with there.store.read() as session:
        rows = session.exec(select(AssetRow).order_by("id")).all()
    seen_ = [Image.open(media.path(str(row.sha256))).convert("L").getpixel((32, 24)) for row in rows]
    assert all(
        value == pytest.approx(2 * int(row.name.split("/")[1][:-4]), abs=4)
        for row, value in zip(rows, seen_, strict=True)
        if row.kind == "image"
    )
    return done.added, [row.name for row in rows]


def exports(seen: Seen) -> Any:
    there = world(seen, n=0)
    home = Path(str(there.store.engine.url.database)).parent
    services = Services(there.store, MediaStore(home / "media"), Settings(home, ""), there.lee, "csrf")
    return formats_of(services, project(there.store, person=there.lee, project="p"))


# ---- the rows -------------------------------------------------------------------------------------------------------

GONE = object()


@dataclass(frozen=True)
class Row:
    """What is changed, by dotted path, and where that shows."""

    see: Callable[[Seen], Any]
    change: Mapping[str, Any]
    first: Mapping[str, Any] = field(default_factory=dict)
    """What both schemas say next to the base."""


def row(see: Callable[[Seen], Any], path: str, value: Any, /, **first: Any) -> Row:
    return Row(see, {path: value}, {name.replace("__", "."): given for name, given in first.items()})


V, G, F, H = "stages.verification", "stages.grading", "stages.coding", "stages.answering"
ANSWERED = {
    H: {
        "people": 2,
        "items": "all",
        "criteria": [{"name": "told", "kind": "text", "prompt": "Your answer"}],
    }
}
CODED = {
    F: {
        "raters": 2,
        "of": {"score": "human", "criterion": "good"},
        "criteria": [{"name": "why", "kind": "choice", "prompt": "Why", "options": ["a", "b"]}],
    }
}
P = "stages.comparison"
BETTER = {"name": "better", "kind": "preference", "prompt": "Which", "options": ["tie"]}
COMPARED = {P: {"raters": 2, "criteria": [BETTER]}}
C = f"{V}.criteria"
W = "stages.verification_2"
WORTH = {"name": "worth", "kind": "choice", "prompt": "Worth it", "options": ["yes", "no"]}
ROUND = {
    W: {"raters": 1, "criteria": [WORTH], "keep": {"rule": "unanimous", "criterion": "worth", "value": "yes"}},
}


def further(number: int) -> dict[str, Any]:
    """A round of verification after the second."""
    name = f"worth_{number}"
    keep = {"rule": "unanimous", "criterion": name, "value": "yes"}
    return {"raters": 1, "again": True, "criteria": [{**WORTH, "name": name}], "keep": keep}


OF_PLANS = {f"{G}.criteria.{at}.dimensions": ["two"] for at in (0, 1)}
FIELD = "item.fields"
SAMPLE = {f"{G}.sample": {"outputs": 6, "seed": 7}}
LETTER = {"name": "letter", "kind": "choice", "prompt": "Which", "options": ["a", "b"], "required": False}
GATED = {f"{C}.6": LETTER, f"{V}.keep": {"rule": "unanimous_and_key", "criterion": "letter", "key": "answer"},
         "stages.adjudication": "none"}  # fmt: skip
IN_PARTS = {
    f"{V}.keep": {
        "rule": "all_of",
        "parts": [{"criterion": "fits", "value": "yes"}, {"criterion": "size", "at_least": 1, "at_most": 2}],
    }
}
APART = {"rule": "different", "of": ["answer", "second"], "say": "These differ."}
TALL = {
    f"{FIELD}.3": {"name": "second", "kind": "text", "required": False},
    f"{FIELD}.4": {"name": "answer", "kind": "text", "required": False},
    f"{FIELD}.8": {"name": "height", "kind": "decimal", "read_as": "number", "unit": "cm", "required": False},
    "judges": [],
}
COUNTED = {f"{V}.keep": {"rule": "unanimous", "criterion": "many", "value": 3}}


def near(key: str, value: Any) -> dict[str, Any]:
    return {f"{C}.2.tolerance": {key: value}}


FORMED = {
    f"{FIELD}.6": {"name": "other_kind", "kind": "choice", "options": ["a", "b"], "required": False},
    f"{FIELD}.7": {"name": "plan_text", "kind": "long_text", "form": "kind", "forms": {"a": "one", "b": "free"},
                   "field": "options", "required": False},
    f"{C}.6": LETTER,
}  # fmt: skip
DRAWN = FORMED | {
    f"{FIELD}.7": FORMED[f"{FIELD}.7"] | {"forms": {"a": "one", "b": "drawn"}, "drawn": "framed"},
    f"{FIELD}.8": {"name": "framed", "kind": "boxes", "role": "image", "required": False},
    f"{FIELD}.9": {"name": "circled", "kind": "boxes", "role": "image", "required": False},
}
MASKED = {f"{FIELD}.6": {"name": "cut_out", "kind": "masks", "cover": "outside"}}
PUTTING = {
    f"{C}.5.begins": ["not near *"],
    f"{C}.5.actions": [
        {"name": "go", "makes": ["near 1"]},
        {"name": "take", "needs": ["near 1"]},
        {"name": "put", "objects": 2, "makes": ["in 1 2"]},
    ],
}


def descriptions(seen: Seen) -> Any:
    """What is read out of the media of a made-up item."""
    return [each["alt"] for each in preview.preview_data(seen.loaded, Stage.VERIFICATION, "one")["task"]["assets"]]


def worded(**fields: Any) -> Callable[[Seen], Any]:
    """What is said of the wording of an item's texts, and what of it is refused."""

    def see(seen: Seen) -> Any:
        refused = [problem.message for problem in refused_wording(seen.schema, fields)]
        return [each.sentence for each in unheld_wording(seen.schema, fields)], refused

    return see


WORDED: dict[str, Any] = {
    f"{FIELD}.0.wording": {
        "person": "first", "words": {"least": 2, "most": 2}, "forbidden": ["so"], "ends_with": "?",
        "not_in": ["options"], "stops": ["person"],
    },
    f"{FIELD}.1.wording": {"alike_length": 3, "no_rewording": True},
}  # fmt: skip
SAID = worded(question="so it goes", options=["so it goes", "So, it goes!", "a"], others=["so it goes"])


ROWS: dict[str, Row] = {
    "ItemField.language": row(AUTHORING, f"{FIELD}.0.language", "de"),
    "ItemField.wording": row(SAID, f"{FIELD}.0.wording", GONE, **WORDED),
    "Wording.person": row(SAID, f"{FIELD}.0.wording.person", "third", **WORDED),
    "Wording.words": row(SAID, f"{FIELD}.0.wording.words", GONE, **WORDED),
    "WordLimits.least": row(worded(question="so"), f"{FIELD}.0.wording.words.least", 1, **WORDED),
    "WordLimits.most": row(SAID, f"{FIELD}.0.wording.words.most", 3, **WORDED),
    "Wording.forbidden": row(SAID, f"{FIELD}.0.wording.forbidden", ["goes"], **WORDED),
    "Wording.ends_with": row(SAID, f"{FIELD}.0.wording.ends_with", "goes", **WORDED),
    "Wording.not_in": row(SAID, f"{FIELD}.0.wording.not_in", ["others"], **WORDED),
    "Wording.alike_length": row(SAID, f"{FIELD}.1.wording.alike_length", 20, **WORDED),
    "Wording.no_rewording": row(SAID, f"{FIELD}.1.wording.no_rewording", False, **WORDED),
    "Wording.stops": row(SAID, f"{FIELD}.0.wording.stops", ["words"], **WORDED),
    "Schema.name": row(checked, "name", "other"),
    "Schema.version": row(checked, "version", 2),
    "Schema.title": row(checked, "title", "Other"),
    "Schema.guideline": row(checked, "guideline", "gone.md"),
    "Schema.source": row(records, "source", GONE),
    "Schema.dimensions": row(VERIFYING, "dimensions.1", GONE),
    "Schema.item": row(
        VERIFYING,
        "item",
        {"fields": [], "assets": []},
        **{
            f"{V}.criteria": BASE["stages"]["verification"]["criteria"][:1],
            "judges": [],
            "source": {"format": "egothink"},
        },
    ),
    "Schema.stages": row(slots, "stages", {}, judges=[], report={}),
    "Schema.judges": row(asked_judges, "judges", []),
    "Schema.models": row(asked_models, "models", GONE),
    "Schema.report": row(derivations, "report", {}),
    "Schema.translations": row(checked, "translations", {"zh_CN": {"No such text": "x"}}),
    "Schema.export": row(exports, "export", {"formats": ["egothink"]}),
    "Dimension.id": row(VERIFYING, "dimensions.0.id", "uno"),
    "Dimension.title": row(VERIFYING, "dimensions.0.title", "Uno"),
    "Dimension.definition": row(VERIFYING, "dimensions.0.definition", "The first."),
    "Dimension.group": row(VERIFYING, "dimensions.0.group", "Numbers"),
    "Dimension.wanted": row(checked, "dimensions.0.wanted", 9),
    "Dimension.folder": row(dimensions, "dimensions.0.folder", "outer/inner"),
    "Dimension.named": row(dimensions, "dimensions.0.named", "Ein"),
    "Item.assets": row(VERIFYING, "item.assets", BASE["item"]["assets"][:1]),
    "Item.fields": row(VERIFYING, f"{FIELD}.7.name", "text_of_plan", **{f"{C}.5": LETTER}),
    "AssetSlot.role": row(VERIFYING, "item.assets.0.role", "photo"),
    "AssetSlot.kind": row(VERIFYING, "item.assets.1.kind", "image"),
    "AssetSlot.min": row(VERIFYING, "item.assets.0.min", 2),
    "AssetSlot.max": row(VERIFYING, "item.assets.0.max", 4),
    "AssetSlot.alt": row(descriptions, "item.assets.0.alt", "options"),
    "Choice.value": row(fits(kind="a"), f"{FIELD}.5.options.0.value", "c"),
    "Choice.label": row(VERIFYING, f"{C}.0.options.0.label", "Sure"),
    "Choice.help": row(VERIFYING, f"{C}.0.options.0.help", "Look twice."),
    "Choice.reasons": row(said(fits="no"), f"{C}.0.options.1.reasons", []),
    "ItemField.name": row(fits(), f"{FIELD}.7.name", "text_of_plan", **{f"{C}.5": LETTER}),
    "ItemField.kind": row(fits(question="What?"), f"{FIELD}.0.kind", "integer"),
    "ItemField.title": row(AUTHORING, f"{FIELD}.0.title", "Ask"),
    "ItemField.help": row(AUTHORING, f"{FIELD}.0.help", "Short."),
    "ItemField.required": row(fits(question=""), f"{FIELD}.0.required", False),
    "ItemField.options": row(fits(kind="c"), f"{FIELD}.5.options", ["a", "b", "c"]),
    "ItemField.field": row(fits(second="d"), f"{FIELD}.4.field", "others"),
    "ItemField.form": row(fits(kind="a", plan_text="z"), f"{FIELD}.7.form", "other_kind", **FORMED),
    "ItemField.forms": row(fits(kind="a", plan_text="z"), f"{FIELD}.7.forms.a", "several", **FORMED),
    "ItemField.drawn": row(AUTHORING, f"{FIELD}.7.drawn", "circled", **DRAWN),
    "ItemField.length": row(fits(), f"{FIELD}.1.length", 2),
    "ItemField.min_length": row(fits(), f"{FIELD}.1.min_length", 4),
    "ItemField.max_length": row(fits(), f"{FIELD}.1.max_length", 2),
    "ItemField.cover": row(AUTHORING, f"{FIELD}.6.cover", "inside", **MASKED),
    "ItemField.role": row(AUTHORING, f"{FIELD}.6.role", "image"),
    "ItemField.by_dimension": row(fits(kind="a"), f"{FIELD}.5.by_dimension", {"one": ["b"]}),
    "ItemField.distinct": row(fits(options=["a", "a", "b"]), f"{FIELD}.1.distinct", True),
    "ItemField.authored": row(AUTHORING, f"{FIELD}.0.authored", False),
    "ItemField.secret_in": row(voting, f"{FIELD}.0.secret_in", ["verification"]),
    "Skip.label": row(VERIFYING, f"{C}.0.skip.label", "Pass"),
    "Skip.reasons": row(said(fits=None, reasons={"fits": "far"}), f"{C}.0.skip.reasons", ["dark"]),
    "Aspect.name": row(
        VERIFYING,
        f"{C}.0.aspects",
        [{"name": "b", "title": "A", "definition": "D."}],
        **{f"{C}.0.aspects": [{"name": "a", "title": "A", "definition": "D."}]},
    ),
    "Aspect.title": row(
        VERIFYING,
        f"{C}.0.aspects.0.title",
        "B",
        **{f"{C}.0.aspects": [{"name": "a", "title": "A", "definition": "D."}]},
    ),
    "Aspect.definition": row(
        VERIFYING,
        f"{C}.0.aspects.0.definition",
        "E.",
        **{f"{C}.0.aspects": [{"name": "a", "title": "A", "definition": "D."}]},
    ),
    "PlanAction.name": row(plan_steps, f"{C}.5.actions.0.name", "walk"),
    "PlanAction.objects": row(plan_steps, f"{C}.5.actions.0.objects", 2),
    "PlanAction.help": row(VERIFYING, f"{C}.5.actions.0.help", "Cursor."),
    "PlanAction.needs": row(plan_steps, f"{C}.5.actions.1.needs", []),
    "PlanAction.makes": row(plan_steps, f"{C}.5.actions.0.makes", []),
    "PlanAction.turns": row(
        plan_steps, f"{C}.5.actions.0.turns", ["near 1"], **{f"{C}.5.begins": ["near *"], f"{C}.5.actions.0.makes": []}
    ),
    "PlanAction.ends": row(plan_steps, f"{C}.5.actions.0.ends", ["near *"], **{f"{C}.5.actions.0.makes": []}),
    "Criterion.name": row(said(), f"{C}.1.name", "bulk"),
    "Criterion.kind": row(said(many=2.5, size=1), f"{C}.2", {"name": "many", "kind": "text", "prompt": "How many"}),
    "Criterion.prompt": row(VERIFYING, f"{C}.0.prompt", "Does it fit"),
    "Criterion.help": row(VERIFYING, f"{C}.0.help", "Look twice."),
    "Criterion.options": row(said(fits="maybe"), f"{C}.0.options", ["yes", "no", "maybe"]),
    "Criterion.field": row(said(seen=["d"]), f"{C}.3.field", "others"),
    "Criterion.values": row(said(size=4), f"{C}.1.values", [1, 2, 3, 4]),
    "Criterion.min": row(said(), f"{C}.2.min", 5),
    "Criterion.max": row(said(), f"{C}.2.max", 2),
    "Criterion.step": row(said(), f"{C}.2.step", 2),
    "Criterion.unit": row(VERIFYING, f"{C}.2.unit", "cups"),
    "Criterion.of": row(said(steps=[{"step": 2, "tag": "bad"}]), f"{C}.5.of", "question"),
    "Criterion.actions": row(plan_steps, f"{C}.5.actions", [{"name": "go"}]),
    "PlanAction.states": row(plan_steps, f"{C}.5.actions.0.states", [], **{f"{C}.5.says": {"near": ["reachable"]}}),
    "Criterion.follows": row(plan_steps, f"{C}.5.follows", {"near": ["in"]}, **PUTTING),
    "Criterion.says": row(plan_steps, f"{C}.5.says", {"near": ["reachable"]}),
    "Criterion.begins": row(plan_steps, f"{C}.5.begins", ["near *"]),
    "Criterion.labels": row(VERIFYING, f"{C}.1.labels", ["S", "M", "L"]),
    "Criterion.role": row(VERIFYING, f"{C}.6.role", "image"),
    "Criterion.aspects": row(VERIFYING, f"{C}.0.aspects", [{"name": "a", "title": "A", "definition": "D."}]),
    "Criterion.dimensions": row(offered, f"{C}.1.dimensions", ["two"]),
    "Criterion.required": row(said(many=None), f"{C}.2.required", False),
    "Criterion.show_if": row(said(fits="no", reasons={"fits": "odd"}), f"{C}.1.show_if", {"fits": ["yes"]}),
    "Criterion.skip": row(said(fits=None, reasons={"fits": "dark"}), f"{C}.0.skip", GONE),
    "Keep.rule": Row(verdicts, {f"{V}.keep": {"rule": "all_of", "values": {"fits": "yes", "size": 1}}}),
    "Keep.criterion": row(verdicts, f"{V}.keep", {"rule": "unanimous", "criterion": "size", "value": 1}),
    "Keep.criteria": row(
        verdicts,
        f"{V}.keep",
        {"rule": "unanimous", "criteria": ["fits", "letter"], "value": "yes"},
        **{f"{C}.3": {**LETTER, "options": ["a", "yes"]}},
    ),
    "Keep.key": row(verdicts, f"{V}.keep.key", "second", **GATED),
    "Keep.value": row(verdicts, f"{V}.keep.value", "no"),
    "Keep.values": row(
        verdicts, f"{V}.keep.values.size", 2, **{f"{V}.keep": {"rule": "all_of", "values": {"fits": "yes", "size": 1}}}
    ),
    "ItemField.min": row(fits(height="1.50"), f"{FIELD}.8.min", 2, **TALL),
    "ItemField.max": row(fits(height="1.50"), f"{FIELD}.8.max", 1, **TALL),
    "ItemField.step": row(fits(height="1.50"), f"{FIELD}.8.step", 1, **TALL),
    "ItemField.tolerance": row(held, f"{FIELD}.8.tolerance", {"relative": 0.1}, **TALL),
    "Criterion.tolerance": row(verdicts, f"{C}.2.tolerance", {"absolute": 1}, **COUNTED),
    "Tolerance.absolute": row(verdicts, f"{C}.2.tolerance.absolute", 2, **COUNTED, **near("absolute", 1)),
    "Tolerance.relative": row(verdicts, f"{C}.2.tolerance.relative", 0.5, **COUNTED, **near("relative", 0.1)),
    "Tolerance.within": row(
        verdicts, f"{C}.2.tolerance.within", "m", **COUNTED, **{f"{C}.2.unit": "cm"}, **near("within", "cm")
    ),
    "Tolerance.iou": row(
        verdicts,
        f"{C}.6.tolerance.iou",
        0.9,
        **{f"{V}.keep": {"rule": "unanimous", "criterion": "drawn", "key": "boxed"}},
        **{f"{C}.6.tolerance": {"iou": 0.5}, f"{FIELD}.6.secret_in": ["verification"]},
    ),
    "ItemField.none": row(fits(answer="none_of_these"), f"{FIELD}.3.none", "None of these", source=None),
    "Criterion.none": row(said(letter="none_of_these"), f"{C}.3.none", "None", **{f"{C}.3": LETTER}),
    "Criterion.cannot_tell": row(said(letter="cannot_tell"), f"{C}.3.cannot_tell", "Too dark", **{f"{C}.3": LETTER}),
    "Item.rules": row(fits(second="a"), "item.rules", [APART]),
    "CrossRule.rule": row(fits(second="a"), "item.rules.0.rule", "at_least_one", **{"item.rules": [APART]}),
    "CrossRule.of": row(fits(second="a"), "item.rules.0.of", ["answer", "question"], **{"item.rules": [APART]}),
    "CrossRule.when": row(fits(second="a"), "item.rules.0.when", {"kind": ["b"]}, **{"item.rules": [APART]}),
    "CrossRule.say": row(fits(second="a"), "item.rules.0.say", "Another one.", **{"item.rules": [APART]}),
    "Verification.rules": row(VERIFYING, f"{V}.rules", [{**APART, "of": ["size", "many"]}]),
    "Refinement.rules": row(
        page(Stage.REFINEMENT),
        "stages.refinement.rules",
        [{**APART, "of": ["other", "worse"]}],
        **{
            "stages.refinement.criteria.1": {
                "name": "worse",
                "kind": "choice",
                "prompt": "W",
                "options": ["no", "yes"],
            }
        },
    ),
    "Grading.rules": row(GRADING, f"{G}.rules", [{**APART, "of": ["good", "clear"]}]),
    "Coding.rules": row(
        page(Stage.CODING),
        f"{F}.rules",
        [{**APART, "of": ["why", "how"]}],
        **{**CODED, f"{F}.criteria.1": {"name": "how", "kind": "choice", "prompt": "How", "options": ["a", "b"]}},
    ),
    "Comparison.rules": row(
        page(Stage.COMPARISON),
        f"{P}.rules",
        [{**APART, "of": ["better", "truer"]}],
        **{**COMPARED, f"{P}.criteria.1": {**BETTER, "name": "truer"}},
    ),
    "Keep.parts": Row(verdicts, {f"{V}.keep": {"rule": "all_of", "parts": [{"criterion": "size", "value": 1}]}}),
    "KeepPart.criterion": row(verdicts, f"{V}.keep.parts.1.criterion", "many", **IN_PARTS),
    "KeepPart.key": row(
        verdicts,
        f"{V}.keep.parts.0.key",
        "second",
        **{f"{C}.6": LETTER, f"{V}.keep": {"rule": "all_of", "parts": [{"criterion": "letter", "key": "answer"}]}},
    ),
    "KeepPart.value": row(verdicts, f"{V}.keep.parts.0.value", "no", **IN_PARTS),
    "KeepPart.at_least": row(verdicts, f"{V}.keep.parts.1.at_least", 2, **IN_PARTS),
    "KeepPart.at_most": row(verdicts, f"{V}.keep.parts.1.at_most", 1, **IN_PARTS),
    "Skips.after": row(verdicts, f"{V}.skips.after", 2, **{f"{V}.skips": {"after": 1}}),
    "Skips.then": row(verdicts, f"{V}.skips.then", "adjudicate", **{f"{V}.skips": {"after": 1}}),
    "Triage.per_source": row(triaged, "stages.triage.per_source", 1),
    "Triage.reasons": row(triaged, "stages.triage.reasons", ["dark", "far"]),
    "Authoring.people": row(writers, "stages.authoring.people", 1),
    "Authoring.dimensions_per_person": row(writers, "stages.authoring.dimensions_per_person", 1),
    "Authoring.people_per_dimension": row(writers, "stages.authoring.people_per_dimension", 1),
    "Authoring.per_source": row(written, "stages.authoring.per_source", 1),
    "Verification.title": row(page(Stage.VERIFICATION), f"{V}.title", "First look"),
    "Verification.by": row(roles, f"{V}.by", "senior"),
    "Verification.again": row(voted_again, f"{W}.again", True, **ROUND),
    "Verification.contested": row(verdicts, f"{V}.contested", "drop", **ROUND),
    "Verification.raters": row(slots, f"{V}.raters", 3),
    "Verification.shuffle": row(voting, f"{V}.shuffle", ["options"]),
    "Verification.show_others": row(VERIFYING, f"{V}.show_others", "settled"),
    "Verification.criteria": row(VERIFYING, f"{C}.1", LETTER),
    "Verification.keep": row(verdicts, f"{V}.keep.value", "no"),
    "Verification.skips": row(verdicts, f"{V}.skips", {"after": 1}),
    "Verification.order": row(slots, f"{V}.order", "fewest_votes"),
    "Adjudication.by": row(roles, "stages.adjudication.by", "lead"),
    "Adjudication.reasons": row(settled, "stages.adjudication.reasons", ["unclear", "other"]),
    "Adjudication.edit": row(settled, "stages.adjudication.edit", False),
    "Refinement.criteria": row(page(Stage.REFINEMENT), "stages.refinement.criteria.0.prompt", "Right, too"),
    "Refinement.until": row(refined, "stages.refinement.until", "one_round"),
    "Refinement.done": row(refined, "stages.refinement.done", {"other": "yes"}),
    "Grading.raters": row(slots, f"{G}.raters", 2),
    "Grading.shuffle": row(grading, f"{G}.shuffle", ["predictions"], **{f"{G}.order": "oldest"}),
    "Grading.show_others": row(GRADING, f"{G}.show_others", "settled"),
    "Grading.criteria": row(GRADING, f"{G}.criteria.0.prompt", "How good"),
    "Grading.combine": row(come_to, f"{G}.combine", "mean", **{f"{G}.raters": 2, "report": {}}),
    "Grading.dimensions": row(slots, f"{G}.dimensions", ["two"]),
    "Grading.outputs": row(slots, f"{G}.outputs", 1),
    "Grading.sample": row(sampled, f"{G}.sample", {"models": ["left"]}),
    "GradingSample.models": row(sampled, f"{G}.sample.models", ["left"]),
    "GradingSample.dimensions": row(sampled, f"{G}.sample.dimensions", ["two"], **SAMPLE),
    "GradingSample.outputs": row(sampled, f"{G}.sample.outputs", 3, **SAMPLE),
    "GradingSample.strata": row(sampled, f"{G}.sample.strata", ["model"], **SAMPLE),
    "GradingSample.seed": row(sampled, f"{G}.sample.seed", 8, **SAMPLE),
    "GradingSample.items": row(sampled, f"{G}.sample.items", ["i3", "i1"]),
    "Grading.shows": row(grading, f"{G}.shows", ["question"]),
    "Grading.order": row(slots, f"{G}.order", "oldest"),
    "Answering.people": row(slots, f"{H}.people", 1, **ANSWERED),
    "Answering.criteria": row(page(Stage.ANSWERING), f"{H}.criteria.0.prompt", "What do you see?", **ANSWERED),
    "Answering.items": row(slots, f"{H}.items", "kept", **ANSWERED),
    "Answering.dimensions": row(slots, f"{H}.dimensions", ["two"], **ANSWERED),
    "Answering.per_dimension": row(slots, f"{H}.per_dimension", 1, **ANSWERED),
    "Answering.shows": row(page(Stage.ANSWERING), f"{H}.shows", ["question"], **ANSWERED),
    "Answering.order": row(slots, f"{H}.order", "oldest", **ANSWERED),
    "Comparison.show_others": row(page(Stage.COMPARISON), f"{P}.show_others", "settled", **COMPARED),
    "Comparison.raters": row(compared, f"{P}.raters", 1, **COMPARED),
    "Comparison.criteria": row(page(Stage.COMPARISON), f"{P}.criteria.0.options", ["both_bad"], **COMPARED),
    "Comparison.models": row(compared, f"{P}.models", ["m1", "m3"], **COMPARED),
    "Comparison.per_item": row(compared, f"{P}.per_item", 1, **COMPARED),
    "Comparison.dimensions": row(compared, f"{P}.dimensions", ["two"], **COMPARED),
    "Comparison.shows": row(compared, f"{P}.shows", ["question"], **COMPARED),
    "Coding.raters": row(coded, f"{F}.raters", 1, **CODED),
    "Coding.criteria": row(page(Stage.CODING), f"{F}.criteria.0.prompt", "How so", **CODED),
    "Coding.of": row(coded, f"{F}.of", {"items": ["i0"]}, **CODED),
    "Coding.outputs": row(coded, f"{F}.outputs", 1, **CODED),
    "Coding.dimensions": row(coded, f"{F}.dimensions", ["two"], **CODED),
    "Coding.arbitration": row(coded, f"{F}.arbitration", False, **CODED),
    "CodedAnswers.score": row(coded, f"{F}.of", {"score": "judge", "criterion": "good", "judge": "j1"}, **CODED),
    "CodedAnswers.criterion": row(coded, f"{F}.of.criterion", "clear", **CODED),
    "CodedAnswers.judge": row(
        coded,
        f"{F}.of.judge",
        "j2",
        **CODED | {f"{F}.of": {"score": "judge", "criterion": "good", "judge": "j1"}},
    ),
    "CodedAnswers.below": row(coded, f"{F}.of.below", 0.5, **CODED),
    "CodedAnswers.items": row(coded, f"{F}.of.items", ["i1"], **CODED),
    "Stages.answering": row(slots, "stages.answering", "none", **ANSWERED),
    "Stages.comparison": row(compared, "stages.comparison", "none", **COMPARED),
    "Stages.coding": row(coded, "stages.coding", "none", **CODED),
    "Stages.triage": row(triaged, "stages.triage", "none"),
    "Stages.authoring": row(written, "stages.authoring", "none"),
    "Stages.verification": row(slots, "stages.verification", "none", **{"stages.adjudication": "none"}),
    "Stages.verification_2": row(gone_on("no"), W, "none", **ROUND),
    **{
        f"Stages.verification_{n}": row(
            gone_on("yes", n - 1),
            f"stages.verification_{n}",
            further(n),
            **ROUND,
            **{f"stages.verification_{m}": further(m) for m in range(3, n)},
        )
        for n in range(3, 10)
    },
    "Stages.adjudication": row(verdicts, "stages.adjudication", "none"),
    "Stages.refinement": row(page(Stage.REFINEMENT), "stages.refinement", "none"),
    "Stages.grading": row(slots, "stages.grading", "none", judges=[], report={}),
    "Judge.name": row(asked_judges, "judges.0.name", "second"),
    "Judge.criteria": row(asked_judges, "judges.0.criteria", ["clear"], **{"judges.0.values": [0, 1]}),
    "Judge.dimensions": row(asked_judges, "judges.0.dimensions", ["one"]),
    "Judge.template": row(
        asked_judges,
        "judges.0",
        {
            "criteria": ["good"],
            "template": "etp_answer",
            "sees": ["dimension", "answer", "prediction"],
            "fills": {"aspect": "dimension", "answer": "prediction", "ref_answer": "answer"},
        },
    ),
    "Judge.parser": row(checked, "judges.0.parser", "last_line"),
    "Judge.fills": row(asked_judges, "judges.0.fills.ref_answer_1", "question"),
    "Judge.sees": row(checked, "judges.0.sees", ["question", "answer", "prediction", "kind"]),
    "Judge.values": row(asked_judges, "judges.0.values", [0, 1]),
    "Judge.model": row(
        begun_judge,
        "judges.0.model",
        "gpt",
        **{
            "judges.1": {**BASE["judges"][0], "name": "two", "temperature": 0.7},
            "judges.0.model": "other",
            "judges.1.model": "gpt",
            "judges.0.temperature": 0.2,
        },
    ),
    "Judge.temperature": row(begun_judge, "judges.0.temperature", 0.5),
    "Judge.max_tokens": row(begun_judge, "judges.0.max_tokens", 7),
    "Judge.extra_body": row(begun_judge, "judges.0.extra_body", {"reasoning_effort": "low"}),
    "Judge.headers": row(begun_judge, "judges.0.headers", {"X-Routing": "fast"}),
    "Models.temperature": row(begun_model, "models.temperature", 0.5),
    "Models.max_tokens": row(begun_model, "models.max_tokens", 7),
    "Models.extra_body": row(begun_model, "models.extra_body", {"reasoning_effort": "low"}),
    "Models.headers": row(begun_model, "models.headers", {"X-Routing": "fast"}),
    "Models.strategy": row(asked_models, "models.strategy", "rank_options"),
    "Models.prompts": row(asked_models, "models.prompts", "plain"),
    "Models.prompt_seed": row(asked_models, "models.prompt_seed", 7, **{"models.prompts": "etp_bench_types"}),
    "Models.variants": row(asked_models, "models.variants", {"planning": ["one"]}),
    "Models.score": row(asked_models, "models.score", "sum_logprob"),
    "Models.clips": row(asked_models, "models.clips", {"recent_segments": 2}),
    "Source.format": row(records, "source.format", "egoplan"),
    "Source.id": row(records, "source.id", "sample_id"),
    "Source.fields": row(records, "source.fields", {"question": "frage"}),
    "Source.separator": row(cells, "source.separator", ",", source__format="csv", source__separator=";"),
    "Source.places": row(placed, "source.places", {"answer": "from_1"}, source__format="jsonl"),
    "Source.media": row(framed, "source.media.frame_every", 24, source__media={"frame_every": 10}),
    "ItemField.read_as": row(held, f"{FIELD}.0.read_as", "yes_no"),
    "ItemField.unit": row(held, f"{FIELD}.0.unit", "cm", **{f"{FIELD}.0.read_as": "number"}),
    "Report.unit": row(measured_first, "report.unit", "prediction", **{f"{G}.raters": 2}),
    "Report.by": row(measured_first, "report.by", "dimension"),
    "Report.statistics": row(measured_first, "report.statistics", ["percent_agreement"]),
    "Report.regression": row(regressed, "report.regression", {"success": "clear"}, **OF_PLANS),
    "SuccessRegression.success": row(
        regressed, "report.regression.success", "good", report__regression={"success": "clear"}, **OF_PLANS
    ),
    "SuccessRegression.task": row(
        regressed, "report.regression.task", "kind", report__regression={"success": "clear"}, **OF_PLANS
    ),
    "Report.unreadable": row(accuracy, "report.unreadable", "left_out"),
    "DerivedCriterion.name": row(derivations, "report.derived.0.name", "all"),
    "DerivedCriterion.all_of": row(derivations, "report.derived.0.all_of", ["clear"]),
    "DerivedCriterion.not_all_of": row(
        derivations, "report.derived.0", {"name": "both", "all_of": ["clear"], "not_all_of": ["good"]}
    ),
    "DerivedCriterion.mean_of": row(derivations, "report.derived.0", {"name": "both", "mean_of": ["good", "clear"]}),
    "Report.scales": row(scales, "report.scales", {"good": "interval"}),
    "Report.derived": row(derivations, "report.derived", []),
    "Export.formats": row(exports, "export.formats", ["egothink"]),
    "Export.public_without": row(released, "export.public_without", ["others"]),
    "Export.private_splits": row(withheld, "export.private_splits", ["test"], export__public_without=["answer"]),
}


def grammar(model: type[BaseModel] = Schema, path: str = "", seen: tuple[type, ...] = ()) -> Iterator[tuple[str, str]]:
    """Every key of the grammar: its part and name, and its dotted path without places in lists."""
    for name, info in model.model_fields.items():
        where = f"{path}.{name}" if path else name
        yield f"{model.__name__}.{name}", where
        for part in parts_in(info.annotation):
            if part not in seen:
                yield from grammar(part, where, (*seen, model))


def parts_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel) and not typing.get_args(annotation):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from parts_in(argument)


KEYS = dict(grammar())
OF_EXTENSIONS = {
    key
    for key, path in KEYS.items()
    if any(fnmatch(f"{path}.", f"{each}.*") for parts in COMES_WITH.values() for each in parts.schema_keys)
}
"""Keys that only an extension reads: its own tests have a row for each."""


def changed(base: Any, changes: Mapping[str, Any]) -> Any:
    """A copy with these dotted paths set, or gone."""
    found = copy.deepcopy(base)
    for path, value in changes.items():
        *steps, last = (int(step) if step.isdigit() else step for step in path.split("."))
        place = found
        for step in steps:
            place = place[step] if isinstance(place, list) else place.setdefault(step, {})
        if value is GONE:
            del place[last]
        elif isinstance(place, list) and last == len(place):
            place.append(copy.deepcopy(value))
        else:
            place[last] = copy.deepcopy(value)
    return found


@pytest.fixture
def stores(sqlite_template: Path, tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Fresh stores, as many as are asked for."""
    made: list[Store] = []

    def new() -> Store:
        home = tmp_path / str(len(made))
        home.mkdir()
        shutil.copyfile(sqlite_template, home / "touchstone.db")
        made.append(open_store(f"sqlite:///{home / 'touchstone.db'}", home))
        return made[-1]

    yield new
    for store in made:
        store.close()


def test_every_key_of_the_grammar_has_a_row_or_is_named_as_not_enforced() -> None:
    named = {key for key, path in grammar() if path in registry.NOT_ENFORCED}
    assert set(registry.NOT_ENFORCED) <= {path for _, path in grammar()}, "it names no key of the grammar"
    assert not named & set(ROWS), "what has an effect is not named as not enforced"
    assert set(KEYS) - named - OF_EXTENSIONS == set(ROWS)


NEEDED: Mapping[Any, pytest.MarkDecorator] = {
    coded: needs("stages", "coding"),
    compared: needs("stages", "comparison"),
    refined: needs("stages", "refinement"),
    "ItemField.cover": needs("kinds", "masks"),
}
"""The extensions without which some functions see nothing, and some keys do nothing."""


@needs("kinds", "plan")
@pytest.mark.thorough
@pytest.mark.parametrize(
    "key", [pytest.param(key, marks=NEEDED.get(row.see, NEEDED.get(key, ()))) for key, row in ROWS.items()]
)
def test_changing_a_key_changes_what_the_product_does(key: str, stores: Callable[[], Store], tmp_path: Path) -> None:
    must_change(ROWS[key], key, stores, tmp_path)


def must_change(row: Row, key: str, stores: Callable[[], Store], tmp_path: Path) -> None:
    """Fail unless the change that a row makes to its key is seen."""
    assert any(key.split(".")[1] in path.split(".") or key.split(".")[1] in str(value)
               for path, value in row.change.items()), "the row changes another key"  # fmt: skip
    found = [observed(row.see, Seen(schema, stores, tmp_path)) for schema in both_schemas(row)]
    assert found[0] != found[1]


def both_schemas(row: Row) -> list[LoadedSchema]:
    """Return the schema before the change that a row makes, and the schema after it."""
    before = changed(BASE, row.first)
    return [loaded(content) for content in (before, changed(before, row.change))]


def loaded(content: Any) -> LoadedSchema:
    return load_text(yaml.dump(content, Dumper=yaml.CSafeDumper, sort_keys=False), "Look closely.", "keys")


OBSERVED: dict[tuple[Callable[[Seen], Any], str], Any] = {}
"""What was seen of a schema: many keys are changed in the same one."""


def observed(see: Callable[[Seen], Any], seen: Seen) -> Any:
    """What is seen of a schema, whose projects have the same seeds whatever is changed in it."""
    told = see, seen.loaded.text
    if told not in OBSERVED:
        seeds.settle("keys")
        OBSERVED[told] = see(seen)
    return OBSERVED[told]


def test_the_check_names_what_is_said_and_not_enforced(tmp_path: Path) -> None:
    for path in registry.NOT_ENFORCED:
        content = changed(BASE, {f"judges.0.{path.split('.')[1]}" if path.startswith("judges") else path: _some(path)})
        lines = summary(load_text(yaml.safe_dump(content, sort_keys=False), "", "x"))
        assert any(registry.NOT_ENFORCED[path] in line and path.split(".")[-1] in line for line in lines), path


def _some(path: str) -> Any:
    """A value that fits a key that is not enforced."""
    model, name = next(key for key, where in grammar() if where == path).split(".")
    part = json_schema.json_schema()["$defs"][model]["properties"][name]
    options = [part, *part.get("anyOf", ())]
    chosen = next(each for each in options if "type" in each or "enum" in each)
    kind = chosen.get("type")
    if "enum" in chosen:
        return chosen["enum"][0]
    return {
        "integer": 1,
        "number": 1.0,
        "string": "x",
        "object": {},
        "array": ["question", "answer", "prediction"],
    }[kind]
