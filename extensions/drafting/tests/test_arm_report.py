"""What drafting does to items: numbers of a small study worked out by hand, a planted effect, and what is not said."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.services import resources
from db import events
from db.engine import Store, open_store
from domain.errors import NotAllowedError
from domain.states import Stage
from extensions.drafting import import_records, report_text
from extensions.drafting.arm_report import DraftingReport, OutcomeComparison, WrittenItem, figures, report
from extensions.drafting.arms import Arm, draw_arm
from extensions.drafting.proposal_import import OfferedFile, import_proposals
from extensions.drafting.tests.test_proposal_import import offered
from extensions.drafting.two_arms import arm_size
from testkit.factories import Clock, make_fields, make_people, make_pool, make_project, make_schema
from workflow.annotate import claims, image_pool, submissions

pytestmark = pytest.mark.thorough

WITH, WITHOUT = Arm.WITH, Arm.WITHOUT
NO_ONE = {WITH: 0, WITHOUT: 0}


def study(store: Store, *, share: float = 0.5) -> list[str]:
    """Twelve images of as many sources. Ann leaves three proposals as they are, and writes "mug?" for "cup?" in all
    else; Bob finds the key in every item, Cy does not in those three. The images whose authors saw the proposal."""
    store.clock = clock = Clock()
    make_project(store, loaded=make_schema(adjudication=False))
    ann, bob, cy = make_people(store, "ann", "bob", "cy")
    images = [make_pool(store, 1, source=f"v{n}")[0] for n in range(12)]
    rows = [offered(image, n, fields=make_fields(question="cup?")) for n, image in enumerate(images)]
    file = OfferedFile("f" * 64, "drafter-9", tuple(rows))
    import_proposals(store, by=None, project="p", file=file, share=share, seed=3)
    shown = sorted(draw_arm(images, share=share, seed=3))
    left: set[str | None] = set()
    for image in images:
        task = image_pool.pick(store, person=ann, project="p", dimension="colour", assets=[image])
        clock.advance(minutes=1)
        as_it_is = image in shown[:3]
        values = make_fields(question="cup?" if as_it_is else "mug?")
        seconds = 10 if image in shown else 30
        at_fields = {"question": 12, "options": 15, "answer": 3}
        if image in shown:
            at_fields = {"question": 2} if as_it_is else {"question": 6, "options": 3}
        told: dict[str, Any] = {"values": values, "seconds": seconds, "field_seconds": at_fields}
        done = submissions.submit(store, person=ann, task=task.id, key=task.id, **told)
        left |= {done.item} if as_it_is else set()
    for person in (bob, cy):
        for _ in images:
            seen = claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION)
            wrong = person is cy and getattr(seen, "item", None) in left
            choice = {"choice": "blue" if wrong else "red"}
            submissions.submit(store, person=person, task=seen.id, key=f"{person.id}{seen.id}", values=choice)  # type: ignore[union-attr]
    return shown


def by_name(found: DraftingReport) -> dict[str, OutcomeComparison]:
    return {each.outcome.name: each for each in found.compared}


@pytest.mark.both_databases
def test_a_small_study_worked_out_by_hand(store: Store) -> None:
    study(store)
    found = report(store, by=None, project="p")
    assert (found.assigned, found.begun, found.written) == ({WITH: 6, WITHOUT: 6},) * 3
    assert (found.models, found.n_sources, found.refusal) == (("drafter-9",), 12, "")
    here = import_records.of_project(store, by=None, project="p")
    assert (here.images, here.begun, here.written) == ({WITH: 6, WITHOUT: 6},) * 3
    told = by_name(found)
    means = {name: (each.means[WITH], each.means[WITHOUT]) for name, each in told.items()}
    assert means == {
        "kept": (0.5, 1.0),  # three of six, all
        "agreement": (0.5, 1.0),  # one pair of each item
        "key chosen": (0.75, 1.0),  # in three items one of two
        "idle distractors": (0.5, 1.0),  # in three items someone chose blue
        "longest option": (0.0, 0.0),  # blue is longer than red
        "most words of the question": (1.0, 1.0),  # none shares any, so the first one, which is red
        "seconds": (10.0, 30.0),
    }
    # six of +-0.5 / 6 and six of 0: 6 * 0.25 / 36 * 12 / 11 = 1 / 22; t with 11 degrees of freedom 2.201
    kept = told["kept"]
    assert kept.difference.value == -0.5
    assert kept.difference.se == pytest.approx(math.sqrt(1 / 22))
    assert kept.difference.high == pytest.approx(-0.5 + 2.201 * math.sqrt(1 / 22), abs=1e-4)
    # all three that are not kept lie in one arm: so do 40 of 220 ways to give twelve images away, each counted half
    assert kept.by_chance == pytest.approx(20 / 220, abs=0.011)
    assert kept.claim == "not shown"
    assert told["seconds"].by_chance < 0.01  # 2 of 924 ways, though all of an arm say the same: no limits
    assert told["longest option"].claim == "unknown"
    question = next(each for each in found.edited if each.field == "question")
    # two of four characters in three of six; in all where no one saw it
    assert (question.changed, question.untouched) == ({WITH: 0.25, WITHOUT: 0.5}, {WITH: 0.5, WITHOUT: 0.0})
    assert {each.field: each.untouched[WITH] for each in found.edited} == {
        "question": 0.5, "options": 1.0, "answer": 1.0,
    }  # fmt: skip
    # shown: three times 2 and three times 6 seconds at the question, three times 0 and three times 3 at the options
    assert {each.field: (each.seconds[WITH], each.seconds[WITHOUT]) for each in found.edited} == {
        "question": (4.0, 12.0), "options": (1.5, 15.0), "answer": (0.0, 3.0),
    }  # fmt: skip
    assert (question.n_timed, question.n) == ({WITH: 6, WITHOUT: 6},) * 2
    assert found.needed is None  # without proposals all are kept: no share to plan by


@pytest.mark.both_databases
def test_without_the_arm_nothing_is_said_of_what_drafting_does(store: Store) -> None:
    make_project(store, name="empty")
    none = report(store, by=None, project="empty")
    assert "cannot compare two arms, because no item was written in either arm" in none.refusal
    study(store, share=1)
    found = report(store, by=None, project="p")
    assert found.written == {WITH: 12, WITHOUT: 0}
    assert found.compared == ()
    assert (
        "cannot compare two arms, because no item was written without a proposal, and the arm has no images."
        in found.refusal
    )
    assert found.edited  # what people changed is known all the same
    (ann,) = make_people(store, "dan")
    with pytest.raises(NotAllowedError):
        report(store, by=ann, project="p")


def planted(n: int, kept: dict[Arm, int]) -> list[WrittenItem]:
    """So many items in each arm, each of a source of its own, of which so many are kept."""
    return [WrittenItem(arm, (arm, at), verdict=at < kept[arm]) for arm in Arm for at in range(n)]


def test_ten_points_are_found_at_the_planned_size_and_nothing_where_there_is_nothing() -> None:
    n = arm_size(rate=0.8, difference=0.1).n  # 291
    anchored = figures(planted(n, {WITH: 204, WITHOUT: 233}), assigned=NO_ONE, begun=NO_ONE)  # 70.1 % and 80.1 %
    kept = by_name(anchored)["kept"]
    assert kept.difference.value == pytest.approx(-29 / 291)
    assert kept.claim == "lower"
    assert anchored.needed == 290  # of the rate that was seen, 0.80069: 7.84888 (0.15959 + 0.20972) / 0.01 = 289.9
    alike = figures(planted(n, {WITH: 233, WITHOUT: 233}), assigned=NO_ONE, begun=NO_ONE)
    assert by_name(alike)["kept"].claim == "not shown"
    helped = figures(planted(n, {WITH: 262, WITHOUT: 233}), assigned=NO_ONE, begun=NO_ONE)
    assert by_name(helped)["kept"].claim == "higher"
    open_ = [WrittenItem(arm, at, None) for arm in Arm for at in range(20)]
    assert figures(open_, assigned=NO_ONE, begun=NO_ONE, fields=["question"]).edited == ()
    assert by_name(figures(open_, assigned=NO_ONE, begun=NO_ONE)) == {}  # no verdict, nothing to hold together


def test_times_at_fields_add_up_and_what_no_one_knows_is_not_said(store: Store) -> None:
    study(store, share=1)  # twelve shown: 3 times 2 seconds and 9 times 6 at the question
    with store.write() as session:
        sql = "SELECT task_id, person_id, project_id FROM event WHERE kind = 'drafting.time_by_field' ORDER BY id"
        task, person, project = session.connection().exec_driver_sql(sql).first() or (0, 0, 0)
        more: dict[str, Any] = {"task_id": task, "person_id": person, "project_id": project}
        more |= {"kind": "drafting.time_by_field", "data": {"seconds": {"question": 24}}}
        events.record(session, at=store.now(), **more)
    question = report(store, by=None, project="p").edited[0]
    assert question.seconds[WITH] == 7.0  # (6 + 54 + 24) / 12
    assert question.n_timed == {WITH: 12, WITHOUT: 0}
    assert math.isnan(question.seconds[WITHOUT])
    assert report_text.edited(question, WITHOUT) == "-; -; -"
    drawn_ = [WrittenItem(arm, at, None, changed={}, at_fields={"marks": 5.0 * at}) for arm in Arm for at in range(3)]
    (marks,) = figures(drawn_, assigned=NO_ONE, begun=NO_ONE, fields=["marks", "question"]).edited
    assert (marks.seconds, report_text.edited(marks, WITH)) == ({WITH: 5.0, WITHOUT: 5.0}, "-; -; 5.0")


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_HOME", str(tmp_path))
    resources.cache_clear()
    store = open_store(None, tmp_path)
    store.upgrade()
    study(store)
    store.close()
    done = CliRunner().invoke(cli, ["proposal", "show", "p"], catch_exceptions=False)
    assert "The data do not show whether proposals change how often items are kept." in done.stdout
    assert re.search(r"-50\.0 % +0\.(?:0[89]|10)\d  -96\.9 % to -3\.1 %  \(n = 6, 6\)", done.stdout)
    told = json.loads(CliRunner().invoke(cli, ["proposal", "show", "p", "--json"]).stdout)
    assert told["compared"][0]["claim"] == "not shown"
    assert told["compared"][0]["by_chance"] == pytest.approx(20 / 220, abs=0.011)
    assert told["edited"][0]["changed"] == {"with": 0.25, "without": 0.5}
    assert told["edited"][0]["seconds"] == {"with": 4.0, "without": 12.0}
    assert re.search(r"question +25 %; 50 %; 4\.0 +50 %; 0 %; 12\.0\n", done.stdout)
    planned = CliRunner().invoke(cli, ["proposal", "plan", "--rate", "0.8", "--per-source", "6", "--alike", "0.2"])
    assert "If each arm has 581 items with a verdict" in planned.stdout
    resources.cache_clear()
