"""Who counts as a person in a report, and who as a judge: raters out of files, judges that ran here, withdrawn runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from db.engine import Store
from domain.errors import RatingsError
from domain.states import Stage
from extensions.calibration.project_study import study_of
from extensions.calibration.report.study import Study
from testkit.factories import claimed, make_person
from testkit.scripted import ScriptedServer, chat
from tests.workflow.test_file_raters import TRIO
from tests.workflow.test_judge_runs import World
from workflow.annotate import submissions
from workflow.results import file_raters
from workflow.runs import run_control, run_views

pytestmark = pytest.mark.thorough


def compared(store: Store, humans: tuple[str, ...], judge: str = "gpt", vouched: tuple[str, ...] = ()) -> Study:
    about = {"person": None, "project": "p", "stage": Stage.GRADING, "vouched": vouched}
    return study_of(store, humans=humans, judges=(judge,), **about)[0]  # type: ignore[arg-type]


def test_people_out_of_files_are_people_without_a_word_from_anyone_who_asks(rated: Store) -> None:
    assert compared(rated, TRIO).humans == TRIO


def test_who_is_said_to_be_a_machine_is_no_person_unless_someone_vouches(rated: Store) -> None:
    file_raters.mark(rated, by=None, project="p", machines=["cy"])
    with pytest.raises(RatingsError, match="cy has no account on this server, because these ratings came from a file"):
        compared(rated, ("bob", "cy"))
    vouched = compared(rated, TRIO, vouched=("cy",))
    file_raters.mark(rated, by=None, project="p", people=["cy"])
    marked = compared(rated, TRIO)
    assert (marked.humans, marked.rows) == (vouched.humans, vouched.rows)
    with pytest.raises(RatingsError, match="cy is marked as a person in this project"):
        compared(rated, ("bob",), judge="cy")


def test_a_judge_that_ran_here_is_no_person_and_counts_until_it_is_withdrawn(store: Store, tmp_path: Path) -> None:
    world = World(store, tmp_path, items=4)
    person = make_person(store, "ann")
    for at in range(3):
        task = claimed(store, person, Stage.GRADING)
        submissions.submit(store, person=person, task=task.id, key=f"k{at}", values={"score": 0.5})
    with ScriptedServer([chat("Rating: [[1]]")]) as server:
        run = world.run(server.url, world.plan())
        world.work(run)
    name = run_views.view(store, by=None, run=run).name
    with pytest.raises(RatingsError, match="Name this rater as a judge, not as a person"):
        compared(store, (name,), judge=name)
    assert compared(store, ("ann",), judge=name).judges == (name,)
    run_control.withdraw(store, by=None, run=run, reason="the wrong template")
    with pytest.raises(RatingsError, match="no rater has this name"):
        compared(store, ("ann",), judge=name)
