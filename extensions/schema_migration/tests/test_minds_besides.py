"""Minds that change about what people do besides verification: how many are asked, and what is asked again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from sqlmodel import select

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from db.engine import Store
from db.tables import AnnotationRow, PredictionRow, RunRow, TaskRow
from domain import extensions
from domain.errors import InvalidInputError
from domain.records import Person, TaskView
from domain.roles import Role
from domain.run_kinds import RunKind
from domain.states import Purpose, Stage, TaskState
from extensions.schema_migration import migration
from extensions.schema_migration.changes import Decisions
from testkit.factories import UNVERIFIED, make_items, make_people, make_person, make_project
from testkit.missing_extensions import needs
from testkit.stage_work import open_work
from workflow.access.projects import access_to
from workflow.annotate import claims, drafts, grading, submissions
from workflow.files.export import exported
from workflow.files.project_check import check

pytestmark = [needs("stages", "coding"), needs("stages", "comparison")]

ASKED = """  grading:
    raters: 2
    shows: [question]
    criteria: [{name: good, kind: choice, prompt: "Good?", options: ["yes", "no", unsure]}]
  comparison:
    raters: 2
    shows: [question]
    criteria: [{name: better, kind: preference, prompt: "Which?", options: [tie, both_bad]}]
  coding:
    raters: 2
    of: {items: [colour/0, colour/1, colour/2]}
    criteria: [{name: why, kind: choice, prompt: "Why?", options: [seeing, thinking, other]}]
"""
CRITERION = {Stage.GRADING: "good", Stage.COMPARISON: "better", Stage.CODING: "why"}
SAID: Mapping[Stage, Sequence[Sequence[str]]] = {
    Stage.GRADING: [["yes", "yes"], ["unsure", "no"], ["unsure"], ["yes"], [], ["no"]],
    Stage.COMPARISON: [["tie", "left"], ["both_bad"], []],
    Stage.CODING: [["seeing", "seeing"], ["seeing", "other"], ["other"], [], ["thinking", "thinking"], ["other"]],
}
"""What Ann, and then Bob, says of each answer or pair: the first that Ann gets is the first here."""


def schema(version: int = 1, edits: Mapping[str, str] | None = None) -> LoadedSchema:
    text = (
        UNVERIFIED.replace("{role: image, kind: image}", "{role: image, kind: image, min: 0}").rstrip() + "\n" + ASKED
    )
    for old, new in (edits or {}).items():
        assert old in text
        text = text.replace(old, new)
    return load_text(text.replace("version: 1", f"version: {version}"), "Be fair.", "plain")


def build(store: Store) -> dict[str, list[str]]:
    """Three items, each answered by two models; Ann and Bob have said what they say above, and Cid has one answer in
    hand; what was said, by unit."""
    make_project(store, loaded=schema())
    ids = make_items(store, 3, fields={"question": "What is it?"})
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        about = {"project_id": access.project_id, "created_at": store.now()}
        run = RunRow(kind=RunKind.IMPORT, name="answers", **about)
        session.add(run)
        session.flush()
        rows = [
            PredictionRow(item_id=id, run_id=run.id, model=model, text=f"{model} of {id}", **about)
            for id in ids
            for model in ("one", "two")
        ]
        session.add_all(rows)
        session.flush()
        passed = [(row.id, row.item_id, "colour") for row in rows]
        grading.open_grading(session, access=access, predictions=passed, now=store.now())
    open_work(store, Stage.COMPARISON)
    open_work(store, Stage.CODING)
    ann, bob, cid = make_people(store, "ann", "bob", "cid")
    said: dict[str, list[str]] = {}
    for stage, plan in SAID.items():
        order: list[str] = []
        for at, person in enumerate((ann, bob)):
            for _ in range(len(plan)):
                view = claims.next_task(store, person=person, project="p", stage=stage)
                if not isinstance(view, TaskView):
                    break
                unit = unit_of(store, view)
                if at == 0:
                    order.append(unit)
                place = order.index(unit) if unit in order else len(plan)
                if place < len(plan) and len(plan[place]) > at:
                    value = plan[place][at]
                    submissions.submit(
                        store, person=person, task=view.id, key=view.id, values={CRITERION[stage]: value}
                    )
                    said.setdefault(unit, []).append(value)
                else:
                    said.setdefault(unit, [])
                    claims.postpone(store, person=person, task=view.id)
            for id in held(store, person):
                claims.release(store, person=person, task=id)
    view = claims.next_task(store, person=cid, project="p", stage=Stage.GRADING)
    assert isinstance(view, TaskView)
    drafts.save_draft(store, person=cid, task=view.id, seq=1, values={"values": {"good": "no"}})
    return said


def unit_of(store: Store, view: TaskView) -> str:
    with store.read() as session:
        return session.exec(select(TaskRow.unit).where(TaskRow.public_id == view.id)).one()


def held(store: Store, person: Person) -> list[str]:
    with store.read() as session:
        wanted = select(TaskRow.public_id).where(TaskRow.person_id == person.id, TaskRow.state == TaskState.CLAIMED)
        return list(session.exec(wanted))


def slots(store: Store) -> dict[str, Counter[str]]:
    """How many slots of each unit are in which state; those that are called off are no one's concern."""
    found: dict[str, Counter[str]] = {}
    with store.read() as session:
        for row in session.exec(select(TaskRow)):
            if row.state is not TaskState.WITHDRAWN:
                found.setdefault(row.unit, Counter())[row.state.value] += 1
    return found


def counted(store: Store) -> dict[str, list[str]]:
    """What counts of each unit, from the rows that nothing has taken the place of."""
    with store.read() as session:
        rows = session.exec(select(AnnotationRow).where(AnnotationRow.stage != Stage.ARBITRATION)).all()
        units = dict(session.exec(select(TaskRow.id, TaskRow.unit)).all())
        gone = {row.supersedes_id for row in rows}
        found: dict[str, list[str]] = {}
        for row in sorted(rows, key=lambda row: row.id):
            if row.id not in gone and row.purpose is Purpose.LIVE:
                found.setdefault(units[row.task_id], []).append(row.answers[CRITERION[row.stage]])
    return {unit: sorted(values) for unit, values in found.items()}


def whole(store: Store) -> dict[str, Any]:
    coded = dict(extensions.rows("figures"))["failures"]
    names = ("ratings", "jsonl")
    return {
        "slots": slots(store),
        "counted": counted(store),
        "files": [dict(exported(store, by=None, project="p", format=name).files) for name in names],
        "settled": Counter(each.standing for each in coded(store, project="p").failures.answers),
    }


def same(said: Sequence[str]) -> Sequence[str]:
    return said


@dataclass(frozen=True)
class Mind:
    """A change of mind about one stage: what is written otherwise, what is decided, and what it comes to."""

    stage: Stage
    edits: Mapping[str, str]
    decided: Mapping[str, Sequence[str]] = field(default_factory=dict)
    votes: Callable[[Sequence[str]], Sequence[str]] = same
    raters: int = 2
    leaves: bool = False
    """What two people have said stays complete."""
    arbitrated: bool = True


def raters(stage: Stage, n: int) -> Mapping[str, str]:
    return {f"  {stage.value}:\n    raters: 2": f"  {stage.value}:\n    raters: {n}"}


def more(stage: Stage, *, leaves: bool) -> Mind:
    decided = {"leave" if leaves else "more_votes": [stage.value]}
    return Mind(stage, raters(stage, 3), decided, raters=3, leaves=leaves)


def without(gone: str) -> Callable[[Sequence[str]], Sequence[str]]:
    return lambda said: [each for each in said if each != gone]


STAGES = (Stage.GRADING, Stage.COMPARISON, Stage.CODING)
CODED = "    of: {items: [colour/0, colour/1, colour/2]}\n"
ALSO = ', options: ["yes", "no", unsure]}]'
MINDS = [
    *(more(stage, leaves=leaves) for stage in STAGES for leaves in (True, False)),
    *(Mind(stage, raters(stage, 1), {"recompute": [stage.value]}, raters=1) for stage in STAGES),
    Mind(Stage.GRADING, {", unsure]": "]"}, {"ask_again": ["good:unsure"]}, without("unsure")),
    Mind(Stage.COMPARISON, {", both_bad]": "]"}, {"ask_again": ["better:both_bad"]}, without("both_bad")),
    Mind(Stage.CODING, {", other]": "]"}, {"ask_again": ["why:other"]}, without("other")),
    Mind(Stage.GRADING, {ALSO: ALSO[:-1] + ', {name: clear, kind: choice, prompt: "Clear?", options: ["yes", "no"]}]'},
         {"ask_old_items": ["clear"]}, lambda said: []),
    Mind(Stage.CODING, {CODED: f"{CODED}    arbitration: false\n"}, {"recompute": ["coding"]},
         arbitrated=False),
]  # fmt: skip


def expected(
    mind: Mind, said: Mapping[str, Sequence[str]], before: Mapping[str, Counter[str]]
) -> dict[str, Counter[str]]:
    """The slots that are wanted of each unit, by hand."""
    found: dict[str, Counter[str]] = {}
    for unit, cast in said.items():
        mine = unit.startswith(f"{mind.stage.value}/")
        left = mind.votes(cast) if mine else cast
        wanted = 2 if not mine or (mind.leaves and len(cast) == 2) else mind.raters
        in_hand = before[unit]["claimed"]
        found[unit] = +Counter(done=len(left), claimed=in_hand, open=max(wanted - len(left) - in_hand, 0))
    for unit, cast in said.items():
        stage, _, rest = unit.partition("/")
        if stage != "coding":
            continue
        mine = mind.stage is Stage.CODING
        left = mind.votes(cast) if mine else cast
        asked = 2 if not mine or mind.leaves else mind.raters
        if len(left) >= asked and len(set(left)) > 1 and mind.arbitrated:
            found[f"arbitration/{rest}"] = Counter(open=1)
    return found


@pytest.mark.thorough
@pytest.mark.both_databases
def test_minds_change_about_grades_pairs_and_codes_and_change_back(store: Store) -> None:
    said = build(store)
    before = whole(store)
    assert before["counted"] == {unit: sorted(cast) for unit, cast in said.items() if cast}
    for number, mind in enumerate(MINDS, start=2):
        name = f"{number} {mind.stage.value} {mind.decided}"
        new, decisions = schema(number, mind.edits), Decisions.parse(mind.decided)
        wanted = expected(mind, said, before["slots"])
        gone = sum(
            len(cast) - len(mind.votes(cast)) for unit, cast in said.items() if unit.startswith(mind.stage.value)
        )
        seen = migration.preview(store, by=None, project="p", loaded=new, decisions=decisions)
        assert seen.can_be_done, (name, [*seen.refused, *(str(each) for each in seen.comparison.missing)])
        assert whole(store) == before, f"a look has changed something: {name}"
        done = migration.migrate(store, by=None, project="p", loaded=new, decisions=decisions)
        assert slots(store) == wanted, name
        left = {
            unit: sorted(mind.votes(cast) if unit.startswith(mind.stage.value) else cast) for unit, cast in said.items()
        }
        assert counted(store) == {unit: cast for unit, cast in left.items() if cast}, name
        assert seen.asked_again == done.tally.asked_again == gone, name
        more_open, fewer = (
            sum((one.get(unit, Counter())["open"] - two.get(unit, Counter())["open"]) for unit in said
                if one.get(unit, Counter())["open"] > two.get(unit, Counter())["open"])
            for one, two in ((wanted, before["slots"]), (before["slots"], wanted))
        )  # fmt: skip
        told = [(each.opened, each.closed) for each in seen.besides]
        assert told == [(more_open - gone, fewer)] or (told == [] and more_open == fewer == 0), name
        assert check(store) == [], name
        open_work(store, Stage.COMPARISON)
        assert slots(store) == wanted, f"opening pairs again opens nothing: {name}"
        complete = sum(
            unit.startswith("comparison") and n["done"] >= 1 and not n["open"] and not n["claimed"]
            for unit, n in wanted.items()
        )
        compared = dict(extensions.rows("figures"))["preferences"](store, project="p")
        assert compared.intake.complete == complete, name
        migration.undo(store, by=None, project="p")
        assert whole(store) == before, name
        assert check(store) == [], name


def test_what_was_settled_stays_settled_and_what_cannot_be_asked_again_says_what_to_do(store: Store) -> None:
    """A senior has settled the one answer about which coders differ; then an option that she chose goes."""
    build(store)
    sue = make_person(store, "sue", role=Role.SENIOR)
    view = claims.next_task(store, person=sue, project="p", stage=Stage.ARBITRATION)
    assert isinstance(view, TaskView)
    submissions.submit(store, person=sue, task=view.id, key="s", values={"why": "other"})
    before = whole(store)
    mind = next(each for each in MINDS if each.decided == {"ask_again": ["why:other"]})
    again = Decisions.parse(mind.decided)
    done = migration.migrate(store, by=None, project="p", loaded=schema(2, mind.edits), decisions=again)
    assert done.tally.asked_again == 4, "three coders said it, and what settled one of them"
    assert "arbitrated" not in whole(store)["settled"]
    migration.undo(store, by=None, project="p")
    assert whole(store) == before

    refining = "  refinement:\n    criteria: [{name: found, kind: choice, prompt: Found?, options: [a, b, c]}]\n"
    there = {"  grading:\n": refining + "  grading:\n"}
    migration.migrate(store, by=None, project="p", loaded=schema(3, there))
    gone = schema(4, {"  grading:\n": refining.replace(", c]", "]") + "  grading:\n"})
    decided = Decisions.parse({"ask_again": ["found:c"]})
    with pytest.raises(
        InvalidInputError, match=r"cannot be asked again\. Choose another decision: --map or --rename-option\."
    ):
        migration.migrate(store, by=None, project="p", loaded=gone, decisions=decided)
