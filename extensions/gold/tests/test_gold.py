"""Hidden gold: known items among live work that no one can tell apart, scored, warned of, and never counted."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from sqlmodel import select

from annotation_schemas.loader import load_text
from db import items
from db.engine import Store
from db.tables import ProjectRow
from domain.errors import ConflictError, InvalidInputError, LeaseLostError, NotAllowedError
from domain.records import NoTask, Person, TaskView
from domain.roles import Role
from domain.run_kinds import RunKind
from domain.states import ItemState, Stage
from extensions.gold import check_list, chosen_items, claim_rule, making, scores
from extensions.gold import queries as stored
from extensions.gold.check_rules import GoldStanding, is_turn
from testkit.factories import (
    BLIND,
    Clock,
    claimed,
    make_fields,
    make_items,
    make_people,
    make_person,
    make_predictions,
    make_project,
)
from workflow.access.projects import access_to, projects_of
from workflow.annotate import claims, progress, project_progress, submissions
from workflow.files.project_check import check
from workflow.results.ratings import ratings_of
from workflow.runs import run_control, run_views

pytestmark = pytest.mark.thorough

RATE = 0.25
AFTER = 4
ASKED = f"{{rate: {RATE}, after: {AFTER}, warn_below: 0.8, stop_below: 0.5}}"
SETTLED, LIVE = 8, 40


@pytest.fixture
def clock(store: Store) -> Clock:
    store.clock = Clock()
    return store.clock


def project_with_gold(store: Store) -> None:
    """A project whose schema mixes gold into both stages."""
    text = BLIND.replace("RATERS", f"2\n    gold: {ASKED}").replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    text = text.replace("shows: [question, answer]", f"shows: [question, answer]\n    gold: {ASKED}")
    make_project(store, loaded=load_text(text, "Be exact.", "blind"))


def begin(store: Store, clock: Clock) -> list[Person]:
    """Eight settled items, forty open ones; the two who settled the first; no one has seen any gold."""
    project_with_gold(store)
    make_items(store, SETTLED)
    first = make_people(store, "ulla", "vera")
    for person in first:
        answer_all(store, person, lambda view: "red")
    make_items(store, LIVE)
    return first


def answer_all(store: Store, person: Person, choose: Any, n: int | None = None) -> list[TaskView]:
    """Answer what comes, at most ``n`` items."""
    seen: list[TaskView] = []
    while n is None or len(seen) < n:
        view = claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION)
        if isinstance(view, NoTask):
            break
        seen.append(view)
        submissions.submit(store, person=person, task=view.id, key=view.id, values={"choice": choose(view)})
    return seen


def gold_items(store: Store) -> set[str]:
    """The page ids of the items that are gold."""
    with store.read() as session:
        access = access_to(session, person=None, project="p")
        found = stored.named(session, project_id=access.project_id, stage=Stage.VERIFICATION)
        return {item.public_id for _, item, _ in found}


def draw(store: Store, n: int = SETTLED) -> set[str]:
    making.draw(store, by=None, project="p", stage=Stage.VERIFICATION, n=n)
    return gold_items(store)


def turns(store: Store, person: Person, n: int, stage: Stage = Stage.VERIFICATION) -> list[bool]:
    """When gold comes in a person's first tasks: at the turns that follow from the seed, until it is used up."""
    with store.read() as session:
        seed = access_to(session, person=None, project="p").seed
    due = [is_turn(at, rate=RATE, seed=seed, parts=(stage.value, person.id)) for at in range(n)]
    return [turn and sum(due[:at]) < SETTLED for at, turn in enumerate(due)]


@pytest.mark.slow
def test_gold_comes_at_its_turns_and_counts_for_nothing(store: Store, clock: Clock) -> None:
    begin(store, clock)
    known = draw(store)
    ann = make_person(store, "ann")
    seen = answer_all(store, ann, lambda view: "red", n=30)
    due = turns(store, ann, 30)
    assert [view.item in known for view in seen] == due
    assert len({view.item for view in seen}) == 30, "nothing comes twice"
    live = {view.item for view in seen} - known
    with store.read() as session:
        access = access_to(session, person=None, project="p")
        named = {row.external_id for row in items.of_project(session, project_id=access.project_id)
                 if row.public_id in live}  # fmt: skip
    rows = ratings_of(store, project="p", stage=Stage.VERIFICATION)
    assert {row.unit for row in rows if row.rater == "ann"} == named
    assert check(store) == []
    (score,) = scores.scores(store, by=None, project="p", stage=Stage.VERIFICATION)
    standing = GoldStanding.GOOD if sum(due) >= AFTER else GoldStanding.FEW
    assert (score.person, score.right, score.n, score.standing) == ("ann", sum(due), sum(due), standing)


@pytest.mark.slow
def test_a_page_of_gold_has_the_shape_of_a_live_one(store: Store, clock: Clock) -> None:
    begin(store, clock)
    known = draw(store)
    ann = make_person(store, "ann")
    first: dict[bool, TaskView] = {}
    for at in range(40):
        view = claimed(store, ann)
        assert progress.progress(store, person=ann, project="p", stage=Stage.VERIFICATION).mine_done == at
        first.setdefault(view.item in known, view)
        submissions.submit(store, person=ann, task=view.id, key=view.id, values={"choice": "red"})
    hidden, live = first[True], first[False]
    told = {"id", "item", "fields", "assets", "lease_until"}
    assert replace(hidden, **{name: getattr(live, name) for name in told}) == live
    assert set(hidden.fields) == set(live.fields)
    assert len(hidden.id) == len(live.id)
    assert {each.name for each in fields(hidden)} == {each.name for each in fields(live)}


@pytest.mark.slow
def test_what_is_left_goes_down_by_one_with_every_task(store: Store, clock: Clock) -> None:
    begin(store, clock)
    draw(store)
    ann = make_person(store, "ann")

    def left() -> int:
        return progress.progress(store, person=ann, project="p", stage=Stage.VERIFICATION).mine_left

    seen, before = 0, left()
    assert before > LIVE, "gold is in it"
    while True:
        view = claims.next_task(store, person=ann, project="p", stage=Stage.VERIFICATION)
        if isinstance(view, NoTask):
            break
        assert left() == before - seen
        submissions.submit(store, person=ann, task=view.id, key=view.id, values={"choice": "red"})
        seen += 1
        clock.advance(seconds=5)
    assert left() == 0
    assert seen == before, "what was said to be left is what came"


@pytest.mark.slow
def test_pages_fetch_beforehand_what_comes(store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(store, clock)
    draw(store)
    ann = make_person(store, "ann")
    told: list[list[int]] = []

    def no_assets(session: object, *, item_id: int) -> list[Any]:
        told[-1].append(item_id)
        return []

    for _ in range(25):
        claimed_now = claimed(store, ann)
        told.append([])
        with monkeypatch.context() as patch:
            patch.setattr(items, "assets", no_assets)
            claims.peek(store, person=ann, project="p", stage=Stage.VERIFICATION)
        submissions.submit(store, person=ann, task=claimed_now.id, key=claimed_now.id, values={"choice": "red"})
        with store.read() as session:
            access = access_to(session, person=None, project="p")
            ids = {row.public_id: row.id for row in items.of_project(session, project_id=access.project_id)}
        assert ids[claimed(store, ann).item or ""] == told[-1][0]


@pytest.mark.both_databases
def test_wrong_answers_warn_and_stop_and_a_lead_lets_go_on(store: Store, clock: Clock) -> None:
    begin(store, clock)
    known = draw(store)
    ann, lena = make_person(store, "ann"), make_person(store, "lena", role=Role.LEAD)
    seen = answer_all(store, ann, lambda view: "blue" if view.item in known else "red")
    due = turns(store, ann, 60)
    fourth = [at for at, turn in enumerate(due) if turn][3]
    assert len(seen) == fourth + 1, "stopped after the fourth wrong answer to gold"
    found = claims.next_task(store, person=ann, project="p", stage=Stage.VERIFICATION)
    assert isinstance(found, NoTask)
    assert found.code == "stopped"
    board = project_progress.dashboard(store, person=lena, project="p")
    assert board.warnings == ("Stopped by gold checks: Ann (verification). Open the Gold checks page for details.",)
    with pytest.raises(NotAllowedError):
        scores.reinstate(store, by=ann, project="p", login="ann", stage=Stage.VERIFICATION, why="I say so")
    with pytest.raises(InvalidInputError, match="Give the reason"):
        scores.reinstate(store, by=lena, project="p", login="ann", stage=Stage.VERIFICATION, why=" ")
    clock.advance(minutes=1)
    scores.reinstate(store, by=lena, project="p", login="ann", stage=Stage.VERIFICATION, why="We talked.")
    clock.advance(minutes=1)
    with pytest.raises(ConflictError, match="not stopped"):
        scores.reinstate(store, by=lena, project="p", login="ann", stage=Stage.VERIFICATION, why="Again.")
    assert answer_all(store, ann, lambda view: "red", n=3)
    (score,) = scores.scores(store, by=lena, project="p", stage=Stage.VERIFICATION)
    assert (score.right, score.n) == (sum(due[: len(seen) + 3]) - 4, sum(due[: len(seen) + 3]))


def test_a_page_that_is_open_is_told_that_its_reader_was_stopped(store: Store, clock: Clock) -> None:
    """What they gave back is free, and no one else has it: that is not why they do not get it again."""
    begin(store, clock)
    known = draw(store)
    ann = make_person(store, "ann")
    given_back = claimed(store, ann)
    while given_back.item in known:  # gold is made for one person, and stays theirs
        answer_all(store, ann, lambda view: "red", n=1)
        given_back = claimed(store, ann)
    claims.release(store, person=ann, task=given_back.id)
    answer_all(store, ann, lambda view: "blue" if view.item in known else "red")
    for act in (claims.heartbeat, claims.postpone):
        with pytest.raises(LeaseLostError, match="Too many of your answers differ from known answers"):
            act(store, person=ann, task=given_back.id)


@pytest.mark.slow
@pytest.mark.both_databases
def test_a_warning_speaks_of_a_while_ago(store: Store, clock: Clock) -> None:
    begin(store, clock)
    known = draw(store)
    ann = make_person(store, "ann")
    (project,) = projects_of(store, person=ann)
    fourth = [at for at, turn in enumerate(turns(store, ann, 60)) if turn][3]
    met: list[str | None] = []

    def two_wrong(view: TaskView) -> str:
        met.extend([view.item] if view.item in known else [])
        return "blue" if view.item in known and len(met) <= 2 else "red"

    answer_all(store, ann, two_wrong, n=fourth + 1)  # 2 of 4 right: below 0.8, not below 0.5
    for _ in range(claim_rule.LAG):
        assert claim_rule.warnings(store, person=ann, project=project) == []
        assert answer_all(store, ann, two_wrong, n=1)
    (sentence,) = claim_rule.warnings(store, person=ann, project=project)
    assert sentence.startswith("In the verification, too many of your answers differ from the known answers.")


def test_only_what_is_beyond_doubt_and_settled_becomes_gold(store: Store, clock: Clock) -> None:
    ulla, _ = begin(store, clock)
    lena = make_person(store, "lena", role=Role.LEAD)
    known = making.candidates(store, by=lena, project="p", stage=Stage.VERIFICATION)
    assert [(each.item, each.answers) for each in known] == [
        (f"colour/{at}", {"choice": "red"}) for at in range(SETTLED)
    ]
    with pytest.raises(InvalidInputError, match="only a settled item can be a gold check"):
        add(store, lena, item="colour/9", answers={"choice": "red"})
    with pytest.raises(InvalidInputError, match="There is no item"):
        add(store, lena, item="nowhere", answers={"choice": "red"})
    with pytest.raises(InvalidInputError, match="has no criterion 'colour'"):
        add(store, lena, item="colour/1", answers={"colour": "red"})
    with pytest.raises(InvalidInputError, match="Choose one of the listed answers"):
        add(store, lena, item="colour/1", answers={"choice": "green"})
    with pytest.raises(InvalidInputError, match="give the right answers to this item"):
        add(store, lena, item="colour/1", answers={})
    with pytest.raises(NotAllowedError):
        add(store, ulla, item="colour/1", answers={"choice": "red"})
    assert gold_items(store) == set(), "nothing was made"
    add(store, lena, item="colour/1", answers={"choice": "blue"})
    (line,) = check_list.lines(store, by=None, project="p", stage=Stage.VERIFICATION)
    assert (line.known.item, line.known.answers, line.usable) == ("colour/1", {"choice": "blue"}, True)


def test_chosen_items_become_gold_if_they_are_beyond_doubt(store: Store, clock: Clock) -> None:
    """Settled ones, kept ones with a key even if no one voted; the others are named, and nothing is made twice."""
    begin(store, clock)  # colour/0 to 7 are kept
    lena = make_person(store, "lena", role=Role.LEAD)
    with store.write() as session:
        for name, state in (("colour/8", ItemState.KEPT), ("colour/9", ItemState.REJECTED)):  # no one voted on them
            found = items.by_external_id(session, project_id=1, external_id=name)
            assert found is not None
            found.state = state
            session.add(found)
    add(store, lena, item="colour/1", answers={"choice": "red"})
    names = ("colour/0", "colour/1", "colour/8", "colour/9", "colour/10", "colour/99", "colour/0")
    ask: dict[str, Any] = {"by": lena, "project": "p", "stage": Stage.VERIFICATION}
    seen = chosen_items.preview(store, **ask, names=names)
    assert (seen.can, seen.checks) == (("colour/0", "colour/8"), 2)
    assert dict(seen.cannot) == {
        "colour/1": "This item is already a gold check.",
        "colour/9": "The votes on this item give different wrong answers, so the right answer is uncertain. Import the "
        "answer with `touchstone gold import`.",
        "colour/10": "This item is not settled yet. Settle the item first.",
        "colour/99": "This project has no item with this ID. Check the ID.",
    }
    made = chosen_items.make(store, **ask, names=names, token=seen.token)
    assert [(each.item, each.answers) for each in made] == [(name, {"choice": "red"}) for name in seen.can]
    with pytest.raises(ConflictError):  # a second press
        chosen_items.make(store, **ask, names=names, token=seen.token)
    lines = check_list.lines(store, by=None, project="p", stage=Stage.VERIFICATION)
    assert sorted((line.known.item, line.withdrawn) for line in lines) == [
        ("colour/0", None), ("colour/1", None), ("colour/8", None),
    ]  # fmt: skip
    with pytest.raises(InvalidInputError, match=r"2,001 items\. Choose at most 2,000"):
        chosen_items.preview(store, **ask, names=[str(at) for at in range(2001)])
    with pytest.raises(InvalidInputError, match="Choose at least one item"):
        chosen_items.preview(store, **ask, names=())
    with pytest.raises(InvalidInputError, match="no `gold` in its comparison"):
        chosen_items.preview(store, **{**ask, "stage": Stage.COMPARISON}, names=names)
    with pytest.raises(NotAllowedError):
        chosen_items.preview(store, **{**ask, "by": make_person(store, "uwe")}, names=names)


def add(store: Store, by: Person, *, item: str, answers: dict[str, Any], model: str | None = None) -> None:
    stage = Stage.GRADING if model else Stage.VERIFICATION
    making.add(store, by=by, project="p", stage=stage, known=[making.GoldCandidate(item, model, "", answers)])


@pytest.mark.slow
def test_no_one_is_asked_about_gold_that_they_know(store: Store, clock: Clock) -> None:
    ulla, _ = begin(store, clock)
    known = draw(store)
    lena = make_person(store, "lena", role=Role.LEAD)
    assert not [view for view in answer_all(store, ulla, lambda view: "red", n=20) if view.item in known], "she voted"
    check_list.lines(store, by=lena, project="p", stage=Stage.VERIFICATION)
    assert not [view for view in answer_all(store, lena, lambda view: "red", n=20) if view.item in known], "she looked"


@pytest.mark.slow
@pytest.mark.both_databases
def test_withdrawn_gold_is_neither_asked_nor_counted(store: Store, clock: Clock) -> None:
    begin(store, clock)
    draw(store)
    ann, bob = make_people(store, "ann", "bob")
    answer_all(store, ann, lambda view: "red", n=30)
    due = sum(turns(store, ann, 30))
    asked = [line for line in check_list.lines(store, by=None, project="p", stage=Stage.VERIFICATION) if line.n]
    assert len(asked) == due
    with pytest.raises(InvalidInputError, match="Give the reason"):
        making.withdraw(store, by=None, gold=asked[0].id, why="")
    for line in asked:
        making.withdraw(store, by=None, gold=line.id, why="Its key is wrong.")
    with pytest.raises(ConflictError, match="already withdrawn"):
        making.withdraw(store, by=None, gold=asked[0].id, why="Again.")
    assert scores.scores(store, by=None, project="p", stage=Stage.VERIFICATION) == []
    names = {line.known.item for line in asked}
    with store.read() as session:
        access = access_to(session, person=None, project="p")
        ids = {row.public_id: row.external_id for row in items.of_project(session, project_id=access.project_id)}
    assert not names & {ids[view.item or ""] for view in answer_all(store, bob, lambda view: "red", n=40)}


@pytest.mark.slow
def test_postponing_giving_back_and_undo_work_as_in_live_work(store: Store, clock: Clock) -> None:
    begin(store, clock)
    known = draw(store)
    ann = make_person(store, "ann")
    first = turns(store, ann, 60).index(True)
    answer_all(store, ann, lambda view: "red", n=first)
    hidden = claimed(store, ann)
    assert hidden.item in known
    claims.postpone(store, person=ann, task=hidden.id)
    assert claimed(store, ann).item != hidden.item
    claims.take_back(store, person=ann, task=hidden.id)
    assert claimed(store, ann).item == hidden.item
    claims.release(store, person=ann, task=hidden.id)
    other = claimed(store, ann)
    assert other.item != hidden.item
    rest = answer_all(store, ann, lambda view: "red")
    assert hidden.item in {view.item for view in rest}, "it came back after the rest"
    again = submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION)
    assert again.correction
    submissions.submit(store, person=ann, task=again.id, key="again", values={"choice": "blue"})
    assert check(store) == []


@pytest.mark.slow
@pytest.mark.both_databases
def test_gold_of_grading(store: Store, clock: Clock) -> None:
    project_with_gold(store)
    with store.write() as session:  # from which gold comes nine times in thirty, so that all of it does
        session.exec(select(ProjectRow)).one().seed = 2
    make_items(store, SETTLED + LIVE)  # without verdicts, so that answers to all of them are graded
    with store.read() as session:
        access = access_to(session, person=None, project="p")
        ids = [row.id for row in items.of_project(session, project_id=access.project_id)]
    make_predictions(store, ids[:4], models=["m"])
    graders = make_people(store, "gil", "gus")
    for grader in graders:
        grade_all(store, grader, lambda view: 1)
    make_predictions(store, ids[4:30], models=["m"])
    lena = make_person(store, "lena", role=Role.LEAD)
    found = making.candidates(store, by=None, project="p", stage=Stage.GRADING)
    assert [(each.item, each.model, each.answers) for each in found] == [
        (f"colour/{at}", "m", {"score": 1}) for at in range(4)
    ]
    of = chosen_items.preview(
        store, by=None, project="p", stage=Stage.GRADING, names=["colour/4", "colour/3", "colour/0"]
    )
    assert (of.can, of.checks) == (("colour/3", "colour/0"), 2)
    assert of.cannot == (
        ("colour/4", "No answer to this item has complete and unanimous grades. Grade the answers first."),
    )
    add(store, lena, item="colour/3", model="m", answers={"score": 0.5})
    making.draw(store, by=None, project="p", stage=Stage.GRADING, n=10)
    ann = make_person(store, "ann")
    seen = grade_all(store, ann, lambda view: 1)
    n_gold = len(seen) - 26
    assert n_gold == 4
    assert all(view.place == (1, 1) for view in seen)
    lines = check_list.lines(store, by=None, project="p", stage=Stage.GRADING)
    assert sorted((line.known.item, line.right, line.n) for line in lines if line.withdrawn is None) == [
        ("colour/0", 1, 1),
        ("colour/1", 1, 1),
        ("colour/2", 1, 1),
        ("colour/3", 0, 1),
    ]
    assert scores.as_csv(scores.scores(store, by=None, project="p", stage=Stage.GRADING)).splitlines() == [
        "person,name,right,n,share,low,high,skipped,standing",
        "ann,Ann,3,4,0.75,0.3006,0.9544,0,low",  # Wilson's limits of 3 of 4
    ]
    *_, first = run_views.runs_of(store, by=None, project="p", kind=RunKind.IMPORT)
    run_control.withdraw(store, by=None, run=first.id, reason="asked with the wrong pictures")
    assert grade_all(store, make_person(store, "bea"), lambda view: 1) != []
    assert scores.scores(store, by=None, project="p", stage=Stage.GRADING)[0].n == 4, "no one was asked about it since"
    lines = check_list.lines(store, by=None, project="p", stage=Stage.GRADING)
    assert not any(line.usable for line in lines)
    found = making.candidates(store, by=None, project="p", stage=Stage.GRADING)
    assert {each.item for each in found}.isdisjoint({f"colour/{at}" for at in range(4)})


def grade_all(store: Store, person: Person, choose: Any) -> list[TaskView]:
    seen: list[TaskView] = []
    while isinstance(view := claims.next_task(store, person=person, project="p", stage=Stage.GRADING), TaskView):
        seen.append(view)
        submissions.submit(store, person=person, task=view.id, key=view.id, values={"score": choose(view)})
    return seen


def test_a_schema_without_gold_makes_none(store: Store) -> None:
    make_project(store)
    make_items(store, 1, fields=make_fields())
    with pytest.raises(InvalidInputError, match="no `gold`"):
        making.draw(store, by=None, project="p", stage=Stage.VERIFICATION, n=1)
