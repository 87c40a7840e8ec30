"""Two and more stages of verification: who comes to which, what becomes of an item, and where that is said."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter, defaultdict
from typing import Any

import pytest
from sqlmodel import col, select

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import AnnotationRow, ItemRow, TaskRow
from domain.records import NoTask, Person, TaskView
from domain.roles import Role
from domain.states import ItemState, Stage
from testkit.factories import claimed, make_items, make_people, make_project
from testkit.kept_items import gates_of, votes_on_kept
from workflow.access import audit
from workflow.access.projects import access_to
from workflow.annotate import claims, project_progress, submissions
from workflow.files.export import exported
from workflow.files.manifest_entries import policy_of
from workflow.files.project_check import check
from workflow.results.rater_agreement import agreement_of

pytestmark = pytest.mark.thorough

ONE = """
name: rounds
version: 1
title: Rounds
dimensions: [{id: colour, title: Colour}]
item:
  assets: [{role: image, kind: image, min: 0}]
  fields: [{name: question, kind: text}]
stages:
  verification:
    raters: 2
    criteria: [{name: answerable, kind: choice, prompt: "Can it be answered?", options: ["yes", "no"]}]
    keep: {rule: unanimous, criterion: answerable, value: "yes"}
  adjudication: {reasons: [hard]}
"""
SECOND = """\
  verification_2:
    title: Content
    by: senior
    raters: 3
    criteria: [{name: right, kind: choice, prompt: "Is it right?", options: ["yes", "no", unsure]}]
    keep: {rule: majority, criterion: right, value: "yes"}
    contested: drop
"""
THIRD = """\
  verification_3:
    raters: 2
    again: true
    criteria: [{name: worth, kind: choice, prompt: "Is it worth asking?", options: ["yes", "no"]}]
    keep: {rule: unanimous, criterion: worth, value: "yes"}
"""
THREE = ONE + SECOND + THIRD
NEXT = """\
  verification_{n}:
    raters: 1
    again: true
    criteria: [{{name: c{n}, kind: choice, prompt: "Still?", options: ["yes", "no"]}}]
    keep: {{rule: unanimous, criterion: c{n}, value: "yes"}}
"""
CRITERION = {Stage.VERIFICATION: "answerable", Stage.VERIFICATION_2: "right", Stage.VERIFICATION_3: "worth"}
Said = dict[str, dict[Stage, list[str]]]


def make(store: Store, text: str, n: int) -> tuple[list[Person], list[Person]]:
    make_project(store, loaded=load_text(text, "Be exact.", "rounds"))
    make_items(store, n)
    return make_people(store, "ann", "bob", "cem"), make_people(store, "sue", "sid", "sol", "sam", role=Role.SENIOR)


def work(store: Store, people: list[Person], stage: Stage, said: Said, draw: random.Random) -> None:
    """Everyone does what they get in a stage, with drawn answers, until no one gets anything."""
    going = list(people)
    while going:
        for person in list(going):
            view = claims.next_task(store, person=person, project="p", stage=stage)
            if isinstance(view, NoTask):
                going.remove(person)
                continue
            assert view.item is not None
            if stage is Stage.ADJUDICATION:
                decision = draw.choice(["accept", "reject"])
                values: dict[str, Any] = {"decision": decision, "cause": "hard", "stage": "verification_3"}
                assert view.settles is not None
                assert len(view.votes) == 2
                assert all(set(vote.values) == {CRITERION[view.settles]} for vote in view.votes)
                said[view.item].setdefault(view.settles, []).append(decision)
            else:
                assert not view.votes
                assert not view.history
                value = draw.choice(["yes"] * 5 + ["no"] + ["unsure"] * (stage is Stage.VERIFICATION_2))
                values = {CRITERION[stage]: value}
                said[view.item].setdefault(stage, []).append(value)
            submissions.submit(store, person=person, task=view.id, key=view.id, values=values)


def fate(said: dict[Stage, list[str]]) -> str:
    """What the protocol above makes of an item: written down apart from the product."""
    for stage in CRITERION:
        given = said.get(stage, [])
        if stage is Stage.VERIFICATION_2:
            if len(given) < 3:
                return "in_verification_2"
            if given.count("yes") < 2:
                return "rejected"
            continue
        if len(given) < 2:
            return {Stage.VERIFICATION: "in_verification"}.get(stage, "in_verification_3")
        votes, decision = given[:2], given[2:]
        if votes == ["no", "no"] or decision == ["reject"]:
            return "rejected"
        if votes != ["yes", "yes"] and not decision:
            return "in_adjudication"
    return "kept"


def states(store: Store) -> dict[str, str]:
    with store.read() as session:
        return {name: state.value for name, state in session.exec(select(ItemRow.public_id, ItemRow.state))}


@pytest.mark.both_databases
def test_items_go_through_three_stages_as_the_protocol_says(store: Store) -> None:
    juniors, seniors = make(store, THREE, 9)
    said: Said = defaultdict(dict)
    draw = random.Random(11)
    for stage in (Stage.VERIFICATION_2, Stage.VERIFICATION_3):
        nothing = claims.next_task(store, person=seniors[0], project="p", stage=stage)
        assert isinstance(nothing, NoTask), "nothing comes before the first stage has kept it"
    work(store, [*juniors, seniors[0]], Stage.VERIFICATION, said, draw)
    assert states(store) == {item: fate(said[item]) for item in states(store)}
    settling = make_people(store, "lea", role=Role.SENIOR)  # who votes nowhere, so may settle everything
    work(store, settling, Stage.ADJUDICATION, said, draw)
    refused = claims.next_task(store, person=juniors[0], project="p", stage=Stage.VERIFICATION_2)
    assert isinstance(refused, NoTask)
    assert "You do not work in this stage (stage Content)" in refused.sentence
    work(store, seniors, Stage.VERIFICATION_2, said, draw)
    board = project_progress.dashboard(store, person=None, project="p").rows[0]
    now = [fate(said[item]) for item in states(store)]
    assert board.counts.in_state(ItemState.IN_VERIFICATION_3) == now.count("in_verification_3")
    assert board.counts.rejected == now.count("rejected")
    work(store, [*juniors, *seniors], Stage.VERIFICATION_3, said, draw)
    work(store, settling, Stage.ADJUDICATION, said, draw)
    assert states(store) == {item: fate(said[item]) for item in states(store)}
    assert set(states(store).values()) == {"kept", "rejected"}
    for stage in (Stage.VERIFICATION, Stage.VERIFICATION_3):
        assert any(given.get(stage, [])[2:] == ["accept"] for given in said.values()), f"no one has settled {stage}"
    assert check(store) == []
    with store.read() as session:
        rows = session.exec(select(AnnotationRow.item_id, AnnotationRow.stage, AnnotationRow.person_id)).all()
        by_item: dict[int, dict[Stage, set[int]]] = defaultdict(lambda: defaultdict(set))
        for item_id, stage, person_id in rows:
            by_item[item_id][stage].add(person_id)
        seen = {"again": 0}
        for stages in by_item.values():
            second = stages[Stage.VERIFICATION_2]
            assert not second & stages[Stage.VERIFICATION]
            assert not stages[Stage.ADJUDICATION] & (stages[Stage.VERIFICATION] | second | stages[Stage.VERIFICATION_3])
            seen["again"] += bool(stages[Stage.VERIFICATION_3] & (second | stages[Stage.VERIFICATION]))
        assert seen["again"] > 0, "the third stage lets people vote again"
    with store.write() as session:  # what is stored of it is a cache
        for row in session.exec(select(ItemRow)).all():
            row.state = ItemState.IN_VERIFICATION_2
            session.add(row)
    assert len(check(store, rebuild=True)) >= 9
    assert check(store) == []
    assert states(store) == {item: fate(said[item]) for item in states(store)}


def say(store: Store, person: Person, value: str, stage: Stage = Stage.VERIFICATION) -> TaskView:
    view = claimed(store, person, stage)
    submissions.submit(store, person=person, task=view.id, key=view.id, values={CRITERION[stage]: value})
    return view


def finished(store: Store, person: Person, stage: Stage = Stage.VERIFICATION) -> bool:
    return isinstance(claims.next_task(store, person=person, project="p", stage=stage), NoTask)


def slots(store: Store, stage: Stage) -> list[str]:
    with store.read() as session:
        rows = session.exec(select(TaskRow).where(col(TaskRow.stage) == stage).order_by(col(TaskRow.id)))
        return sorted(row.state.value for row in rows)


def test_a_vote_of_the_first_stage_that_is_mended_takes_the_item_back(store: Store) -> None:
    (ann, bob, _), (sue, *_) = make(store, ONE + SECOND, 1)
    say(store, ann, "yes")
    task = say(store, bob, "yes")
    say(store, sue, "yes", Stage.VERIFICATION_2)
    assert set(states(store).values()) == {"in_verification_2"}
    submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
    submissions.submit(store, person=bob, task=task.id, key="mended", values={"answerable": "no"})
    assert set(states(store).values()) == {"in_adjudication"}
    assert slots(store, Stage.VERIFICATION_2) == ["done", "withdrawn", "withdrawn"]
    assert check(store) == []
    submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
    submissions.submit(store, person=bob, task=task.id, key="again", values={"answerable": "yes"})
    assert slots(store, Stage.VERIFICATION_2) == ["done", "open", "open"]
    assert check(store) == []
    assert slots(store, Stage.ADJUDICATION) == ["withdrawn"]


def test_files_history_and_agreement_name_the_stage(store: Store) -> None:
    (ann, bob, _), (sue, sid, sol, _) = make(store, ONE + SECOND, 3)
    for person in (ann, bob):
        for _ in range(3):
            say(store, person, "yes")
    dropped = min(states(store))
    for person in (sue, sid, sol):
        while not finished(store, person, Stage.VERIFICATION_2):
            view = claimed(store, person, Stage.VERIFICATION_2)
            value = "no" if view.item == dropped and person is not sol else "yes"
            submissions.submit(store, person=person, task=view.id, key=view.id, values={"right": value})
    assert sorted(states(store).values()) == ["kept", "kept", "rejected"]
    with store.read() as session:
        name = session.exec(select(ItemRow.external_id).where(ItemRow.public_id == dropped)).one()
    changes = audit.entries(store, by=None, project="p", item=name, kinds=["item.state"])
    reasons = [str(change.data["why"]) for change in changes]
    assert any(why.startswith("Verification: The item has all votes") for why in reasons), reasons
    assert any(why.startswith("Content: For right, the votes agree") for why in reasons), reasons
    found = agreement_of(store, person=None, project="p", stage=Stage.VERIFICATION_2)
    assert {(each.criterion, each.n_units) for each in found} >= {("right", 3)}
    assert {each.criterion for each in found} == {"right"}
    ratings = exported(store, by=None, project="p", format="ratings").files["ratings.csv"].decode()
    rows = list(csv.DictReader(io.StringIO(ratings)))
    assert {(row["stage"], row["criterion"]) for row in rows} == {
        ("verification", "answerable"),
        ("verification_2", "right"),
    }
    gates = gates_of(store)
    assert gates["kept"] == 3
    assert gates["verification_2"] == {
        "came": 3,
        "voted": 3,
        "skipped": 0,
        "unanimous": 2,
        "as_wanted": 2,
        "kept": 2,
        "rejected": 1,
    }
    with store.read() as session:
        policy = policy_of(access_to(session, person=None, project="p").schema)
    assert policy["raters"] == 2
    assert policy["verification_2"]["raters"] == 3
    assert policy["verification_2"]["adjudication"] is None
    votes = votes_on_kept(store)
    assert [Counter(name for vote in each for name in vote) for each in votes.values()] == [
        {"answerable": 2, "right": 3}
    ] * 2


def test_an_item_goes_through_as_many_rounds_as_the_schema_has(store: Store) -> None:
    juniors, _ = make(store, ONE.replace("raters: 2", "raters: 1") + "".join(NEXT.format(n=n) for n in range(2, 10)), 2)
    ann = juniors[0]
    for n in range(1, 10):
        stage = Stage("verification" if n == 1 else f"verification_{n}")
        name = "answerable" if n == 1 else f"c{n}"
        assert set(states(store).values()) == {f"in_{stage.value}"}
        for _ in range(2):
            view = claims.next_task(store, person=ann, project="p", stage=stage)
            assert not isinstance(view, NoTask), view.sentence
            submissions.submit(store, person=ann, task=view.id, key=view.id, values={name: "yes"})
    assert set(states(store).values()) == {"kept"}
    assert check(store) == []
