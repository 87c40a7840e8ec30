"""Figures about people, against counts made by hand."""

from __future__ import annotations

import csv
import math
from datetime import date

import pytest
from sqlmodel import select

from db.engine import Store
from db.tables import AnnotationRow, AssetRow, TaskRow, TriageDecisionRow
from domain.errors import NotAllowedError
from domain.roles import Role
from domain.states import Stage
from extensions.scorecards import cards as scorecard
from extensions.scorecards.card_charts import charts_of
from extensions.scorecards.csv_tables import pay_csv
from extensions.scorecards.pay_sheet import pay_sheet
from testkit.factories import (
    Clock,
    claimed,
    make_items,
    make_people,
    make_person,
    make_pool,
    make_project,
    make_schema,
    vote,
)
from testkit.gold import assign_gold, make_gold
from testkit.missing_extensions import needs
from tests.workflow.test_query_cost import assert_no_scans, statements_asked
from tests.workflow.test_statement_counts import statements_for
from workflow.access import accounts
from workflow.access.projects import access_to
from workflow.annotate import submissions
from workflow.lead import people_at_work

pytestmark = pytest.mark.both_databases


@pytest.fixture
def clock(store: Store) -> Clock:
    moved = Clock()
    store.clock = moved
    return moved


def _vote(store: Store, person, choice: str | None, seconds: float | None, clock: Clock) -> str:  # type: ignore[no-untyped-def]
    view = claimed(store, person)
    clock.advance(minutes=10)  # longer than anything they say it took
    submissions.submit(
        store,
        person=person,
        task=view.id,
        key=f"{view.id}-{clock.now}",
        values={"choice": choice},
        reasons={"choice": "unclear"} if choice is None else {},
        seconds=seconds,
    )
    return view.item


def test_cards_and_pay_are_what_was_done(store: Store, clock: Clock) -> None:
    make_project(store, loaded=make_schema(raters=3))  # two votes settle nothing
    make_items(store, 4)
    lea = make_person(store, "lea", role=Role.LEAD)
    ann, ben = make_people(store, "ann", "ben")
    said = {}
    for number, choice in enumerate(("red", "blue", "red", None)):
        said[_vote(store, ann, choice, 30.0 + number, clock)] = choice  # 30 + 31 + 32 + 33 = 126 s
    marks = [people_at_work.work_mark(store, by=lea, project="p")]
    claimed(store, lea)  # who has something in hand is on no card
    assert people_at_work.work_mark(store, by=lea, project="p") == marks[0]
    theirs = {_vote(store, ben, "red", 60.0, clock): "red" for _ in range(3)}
    marks.append(people_at_work.work_mark(store, by=lea, project="p"))
    accounts.set_active(store, login="ann", active=False)
    marks.append(people_at_work.work_mark(store, by=lea, project="p"))
    assert len(set(marks)) == 3
    # Ben corrects his last one: 30 s more, and no second item.
    again = submissions.undo(store, person=ben, project="p", stage=Stage.VERIFICATION)
    clock.advance(minutes=1)
    submissions.submit(store, person=ben, task=again.id, key="again", values={"choice": "red"}, seconds=30.0)
    both = [item for item in theirs if said[item] is not None]
    equal = sum(said[item] == "red" for item in both)
    cards = {card.login: card for card in scorecard.scorecards(store, by=lea, project="p")}
    assert sorted(cards) == ["ann", "ben"]
    mine, other = cards["ann"].score, cards["ben"].score
    assert (mine.submissions, mine.corrections, mine.active_minutes) == (4, 0, pytest.approx(126 / 60))
    assert mine.per_hour == pytest.approx(4 / (126 / 3600))
    assert (mine.skips.k, mine.skips.n) == (1, 4)
    assert (mine.peers.k, mine.peers.n) == (other.peers.k, other.peers.n) == (equal, len(both))
    assert (other.submissions, other.corrections, other.active_minutes) == (3, 1, pytest.approx(210 / 60))
    assert math.isnan(mine.settled.value)
    low, high = mine.skips.limits
    assert (low, high) == (pytest.approx(0.0456, abs=1e-4), pytest.approx(0.6994, abs=1e-4))  # Wilson, 1 of 4
    lines = list(csv.DictReader(pay_csv(pay_sheet(store, by=lea, project="p")).splitlines()))
    assert [(row["login"], row["items"], row["corrections"], row["active_minutes"]) for row in lines] == [
        ("ann", "4", "0", "2.1"),
        ("ben", "3", "1", "3.5"),
    ]
    assert pay_sheet(store, by=lea, project="p", since=date(2026, 5, 5)) == []
    assert len(pay_sheet(store, by=lea, project="p", since=date(2026, 5, 4), until=date(2026, 5, 4))) == 2
    with pytest.raises(NotAllowedError):
        scorecard.scorecards(store, by=ann, project="p")


def _score(n: int, *, peers: tuple[int, int], per_hour: float = 60.0) -> scorecard.Score:
    none = scorecard.Share()
    return scorecard.Score(n, 0, n / per_hour * 60, 0, per_hour, scorecard.Share(*peers), none, none, None)


@pytest.mark.one_database
def test_drift_is_what_the_limits_of_two_shares_leave_no_doubt_about() -> None:
    # Wilson's 95 % limits: 90 of 100 is 0.826 to 0.945, 30 of 50 is 0.462 to 0.724, 40 of 50 is 0.670 to 0.888.
    before = _score(100, peers=(90, 100))
    assert scorecard.drifts(before, _score(50, peers=(30, 50))) == ("as peers 0.90 earlier, 0.60 recently",)
    assert scorecard.drifts(before, _score(50, peers=(40, 50))) == ()
    assert scorecard.drifts(_score(49, peers=(49, 49)), _score(50, peers=(0, 50))) == (), "too early to say"
    faster = scorecard.drifts(before, _score(50, peers=(45, 50), per_hour=90.0))
    assert faster == ("tasks per active hour 60 earlier, 90 recently",)
    assert scorecard.drifts(before, _score(50, peers=(45, 50), per_hour=math.nan)) == ()


def test_a_task_is_in_the_day_and_the_week_in_utc_in_which_it_was_first_submitted(store: Store, clock: Clock) -> None:
    make_project(store)
    make_items(store, 3)
    ann = make_person(store, "ann")
    clock.advance(days=6, hours=14, minutes=41)  # on Sunday, 10 May; each vote takes ten minutes
    _vote(store, ann, "red", 20.0, clock)  # at 23:51
    submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION)
    _vote(store, ann, "blue", 10.0, clock)  # on Monday at 0:01, corrected
    _vote(store, ann, "red", 60.0, clock)
    clock.advance(days=1)
    _vote(store, ann, "blue", None, clock)
    (card,) = scorecard.scorecards(store, by=None, project="p")
    found = [(each.first, each.score.submissions, each.score.corrections, each.score.per_hour) for each in card.days]
    assert found[:2] == [(date(2026, 5, 10), 1, 1, 3600 / 30), (date(2026, 5, 11), 1, 0, 3600 / 60)]
    assert found[2][:3] == (date(2026, 5, 12), 1, 0)
    assert math.isnan(found[2][3])
    assert [(str(each.first), each.score.submissions) for each in card.weeks] == [("2026-05-04", 1), ("2026-05-11", 2)]


@pytest.mark.one_database
def test_the_lines_of_a_person_stand_over_those_of_others() -> None:
    def card(login: str, *weeks: scorecard.Score, stage: Stage = Stage.VERIFICATION) -> scorecard.Card:
        periods = [scorecard.Period(date(2026, 5, 4 + 7 * n), score) for n, score in enumerate(weeks)]
        score, none = _score(sum(week.submissions for week in weeks), peers=(0, 0)), scorecard.Share()
        return scorecard.Card(login, f"<b>{login}", True, stage, score, None, none, weeks=periods)

    ann = card("ann", _score(30, peers=(27, 30)), _score(20, peers=(9, 9)), _score(20, peers=(30, 50), per_hour=90))
    ben, eve = card("ben", _score(40, peers=(30, 40))), card("eve", _score(9, peers=(9, 9)), stage=Stage.GRADING)
    pace, peers = charts_of([ann, ben, eve], ann, "week")
    assert pace.title == (
        "<b>ann, tasks per active hour: 90.0 in the week from 2026-05-18, 60.0 in the week from 2026-05-04."
    )
    assert peers.about.endswith("Blue: <b>ann. Gray: 1 other in this stage.")
    # Nine pairs are too few. Wilson's 95 % limits: 30 of 50 is 0.462 to 0.724, 27 of 30 is 0.744 to 0.965, and 30 of 40
    # is 0.598 to 0.858.
    assert list(peers.rows) == [
        ["<b>ann", "ann", "2026-05-18", "0.600", 50, "0.462", "0.724"],
        ["<b>ann", "ann", "2026-05-04", "0.900", 30, "0.744", "0.965"],
        ["<b>ben", "ben", "2026-05-04", "0.750", 40, "0.598", "0.858"],
    ]
    others, _, own = peers.layers
    drawn = [[point["value"] for point in layer["data"]["values"]] for layer in (others, own)]
    assert drawn == [[0.75], [0.9, 0.6]]
    assert charts_of([ann, ben, eve], ann, "day") == []


def test_triage_and_gold_are_on_the_pay_sheet(store: Store, clock: Clock) -> None:
    make_project(store)
    (item,) = make_items(store)
    (asset,) = make_pool(store, 1)
    ann = make_person(store, "ann")
    with store.write() as session:
        project = access_to(session, person=None, project="p")
        [image] = session.exec(select(AssetRow).where(AssetRow.public_id == asset))
        told = {"project_id": project.project_id, "person_id": ann.id, "created_at": clock.now, "guideline_hash": "g"}
        told |= {"schema_version_id": project.schema_version_id}
        for n, action in enumerate(("dropped", "undone", "kept")):  # one frame, looked at twice
            session.add(TriageDecisionRow(asset_id=image.id, submit_key=str(n), action=action, **told))
        task = TaskRow(project_id=project.project_id, stage=Stage.VERIFICATION, unit="gold/1", dimension="colour")
        task.state, task.person_id, task.purpose, task.shuffle, task.created_at = "done", ann.id, "gold", 0, clock.now
        session.add(task)
        session.flush()
        given = {"stage": Stage.VERIFICATION, "purpose": "gold", "item_id": item, "revision": 1, "seconds": 90.0}
        given |= {"dimension": "colour", "task_id": task.id, "submit_key": "k", "schema_hash": "s"}
        session.add(AnnotationRow(**told, **given, answers={"choice": "red"}, reasons={}))
    lines = pay_sheet(store, by=None, project="p")
    assert [(line.stage, line.items, line.gold, line.active_minutes, line.untimed) for line in lines] == [
        ("triage", 1, 0, 0, 1),
        ("verification", 1, 1, 1.5, 0),
    ]


@pytest.mark.thorough
@pytest.mark.one_database
def test_cards_and_pay_ask_no_more_of_the_database_if_there_is_more(store: Store, clock: Clock) -> None:
    few, many = statements_for(
        store,
        clock,
        lambda store, person, project: scorecard.scorecards(store, by=person, project=project),
        lambda store, person, project: pay_sheet(store, by=person, project=project),
    )
    assert all(more <= less for less, more in zip(few, many, strict=True)), (few, many)


@pytest.mark.one_database
def test_pay_and_marks_look_up_no_row_of_the_work_that_they_do_not_show(store: Store) -> None:
    make_project(store)
    make_items(store, 4)
    vote(store, make_person(store, "ann"))
    with statements_asked(store) as asked:
        assert [line.items for line in pay_sheet(store, by=None, project="p")] == [1]
        people_at_work.work_mark(store, by=None, project="p")
    assert asked
    assert_no_scans(store, asked)


@needs("commands", "gold")
@pytest.mark.one_database
def test_gold_is_on_the_card_and_paid_as_work(store: Store, clock: Clock) -> None:
    make_project(store)
    made = make_items(store, 30)
    ann = make_person(store, "ann")
    n = 4
    for at in range(n):
        task = assign_gold(store, make_gold(store, f"colour/{at}", {"choice": "red"}), ann)
        submissions.submit(store, person=ann, task=task, key=task, values={"choice": "red"})
    for _ in made[n:]:
        vote(store, ann, "red")
    (card,) = [card for card in scorecard.scorecards(store, by=None, project="p") if card.login == "ann"]
    assert (card.gold.k, card.gold.n) == (n, n)
    assert card.score.submissions == 30 - n, "what counts elsewhere is live work"
    (line,) = [line for line in pay_sheet(store, by=None, project="p") if line.login == "ann"]
    assert (line.items, line.gold) == (30, n), "who is paid by the item is paid for all of them"
