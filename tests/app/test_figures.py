"""What takes long is worked out in a process of its own, once for each state, and kept."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from app.cli import cli
from app.jobs import figure_requests, processes
from app.services import Services, resources
from db.engine import Store
from domain.errors import NotAvailableError, NotFoundError
from domain.jobs import JobState
from domain.records import Person
from domain.roles import Role
from domain.settings import Settings, settings_from
from domain.states import Cut, Stage
from media.store import MediaStore
from testkit.factories import claimed, make_items, make_people, make_person, make_project
from tests.app.killed_jobs import killed_at
from tests.app.screens import until_done
from tests.workflow.test_results import filled
from workflow.annotate.submissions import submit
from workflow.jobs import desk
from workflow.results import agreement_page, rater_agreement, result_sections
from workflow.results.leaderboard import as_json

pytestmark = pytest.mark.thorough

ABOUT: dict[str, Any] = {"project": "p", "stage": Stage.VERIFICATION}
ARGS: dict[str, Any] = {**ABOUT, "by": Cut.WHOLE, "of_means": False, "pool_guidelines": False, "items": None}


@pytest.fixture
def settings(store: Store, home: Path) -> Settings:
    return settings_from({"TOUCHSTONE_HOME": str(home)}, home)


@pytest.fixture
def people(store: Store) -> list[Person]:
    make_project(store)
    make_items(store, 4)
    ann, ben = make_people(store, "ann", "ben")
    both_vote(store, [ann, ben], [("red", "red"), ("red", "red"), ("blue", "blue"), ("red", "blue")])
    return [ann, ben]


def both_vote(store: Store, people: list[Person], choices: list[tuple[str, str]]) -> None:
    """Two people on as many items as wait, in whatever order they get them; item n has the n-th choices."""
    for at, person in enumerate(people):
        for _ in choices:
            task = claimed(store, person)
            number = int(str(task.fields["question"]).removeprefix("Question ").rstrip("?"))
            choice = choices[number % len(choices)][at]
            submit(store, person=person, task=task.id, key=f"{person.login}-{number}", values={"choice": choice})


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Everything counts as large, and nothing is known from earlier."""
    monkeypatch.setattr(figure_requests, "SMALL", 0)
    monkeypatch.setattr(figure_requests, "_memory", figure_requests._Memory())
    yield
    until_done()


@pytest.fixture(autouse=True, scope="module")
def process() -> Iterator[None]:
    """One process works for all tests, but for those that end it."""
    yield
    processes.close()


def state(store: Store) -> tuple[Any, ...]:
    return rater_agreement.mark(store, person=None, **ABOUT)


def asked(store: Store, settings: Settings, work: str = "agreement", **args: Any) -> figure_requests.FigureState:
    size = rater_agreement.size(store, person=None, **ABOUT)
    return figure_requests.request_figure(store, settings, work, {**ARGS, **args}, state=state(store), size=size)


def ready(store: Store, settings: Settings) -> figure_requests.Figure:
    figure_requests.wait(store, settings, "agreement", ARGS, state=state(store), size=99)
    until_done()
    found = asked(store, settings)
    assert found.current
    assert found.figure is not None
    return found.figure


def kappa(figure: figure_requests.Figure) -> float | None:
    (line,) = [
        each for each in figure.value.lines if each.statistic == "cohen_kappa" and each.args["weights"] == "none"
    ]
    return float(line.value) if line.value is not None else None


@pytest.mark.both_databases
def test_a_process_of_its_own_gives_the_same_and_it_is_kept(
    store: Store, settings: Settings, people: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    processes.close()  # one that is there already would answer at once
    first = asked(store, settings)
    assert (first.figure, first.current) == (None, False)
    (pid,) = processes.at_work()
    assert pid != os.getpid()
    found = ready(store, settings)
    # three of four alike; by chance (3*2 + 1*2)/16 = 0.5: (0.75 - 0.5) / 0.5
    assert kappa(found) == pytest.approx(0.5)
    # another server process, or this one tomorrow: nothing is worked out
    monkeypatch.setattr(figure_requests, "_memory", figure_requests._Memory())
    monkeypatch.setattr(figure_requests, "_begin", pytest.fail)
    again = asked(store, settings)
    assert again.current
    assert again.figure == found
    # how it is worked out where it is asked for
    monkeypatch.setattr(figure_requests, "SMALL", 100)
    here = figure_requests.worked_out(store, "agreement", ARGS, found.state)
    assert here.value == found.value


def test_new_votes_are_measured_while_the_page_shows_what_there_is(
    store: Store, settings: Settings, people: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = ready(store, settings)
    make_items(store, 1)
    both_vote(store, people, [("red", "red")])
    monkeypatch.setattr(figure_requests, "SHARE", 10_000)
    waiting = asked(store, settings)
    assert (waiting.figure, waiting.current) == (old, False)
    assert not processes.at_work()  # votes that keep coming do not keep a core busy
    monkeypatch.setattr(figure_requests, "SHARE", 0)
    new = ready(store, settings)
    # four of five alike; by chance (4*3 + 1*2)/25 = 0.56: (0.8 - 0.56) / 0.44
    assert kappa(new) == pytest.approx(0.24 / 0.44)


def test_only_one_at_a_time(store: Store, settings: Settings, people: list[Person]) -> None:
    processes.close()  # one that is there already would be done before the second question
    asked(store, settings)
    asked(store, settings, by=Cut.DIMENSION)
    asked(store, settings)
    assert len(desk.list_jobs(store, kinds=["figures"], only_open=True)) == 1


def test_a_process_that_is_killed_is_replaced_and_a_figure_that_kills_each_is_told_and_tried_again(
    store: Store, settings: Settings, people: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(processes, "wake", lambda *_: None)
        asked(store, settings)
    assert killed_at(Services(store, MediaStore(settings.home / "media"), settings, people[0], "csrf"), 0)
    (job,) = desk.list_jobs(store, kinds=["figures"])
    assert (job.state, job.attempts) == (JobState.RUNNING, 1)
    processes.wake(store, settings.home, "figures")
    assert kappa(ready(store, settings)) == pytest.approx(0.5)
    (job,) = desk.list_jobs(store, kinds=["figures"])
    assert (job.state, job.attempts, job.deaths) == (JobState.DONE, 2, 1)
    with store.write() as session:  # as every process leaves it that dies of it
        session.connection().execute(text("UPDATE jobs SET state = 'failed', said = 'Each process died.'"))
    monkeypatch.setattr(figure_requests, "_memory", figure_requests._Memory())
    with pytest.raises(NotAvailableError, match=r"Each process died\."):
        asked(store, settings)
    monkeypatch.setattr(figure_requests, "AGAIN_SECONDS", 0.0)
    assert kappa(ready(store, settings)) == pytest.approx(0.5)


def test_what_the_work_refuses_is_told_in_its_own_words(store: Store, settings: Settings, people: list[Person]) -> None:
    args = {**ARGS, "project": "nowhere"}
    with pytest.raises(NotFoundError) as here:
        agreement_page.figures(store, **args)
    with pytest.raises(NotAvailableError) as told:
        figure_requests.wait(store, settings, "agreement", args, state=(1,), size=99)
    assert str(told.value) == str(here.value)


def test_what_was_made_by_other_code_is_made_anew(
    store: Store, settings: Settings, people: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    ready(store, settings)
    monkeypatch.setattr(figure_requests, "_memory", figure_requests._Memory())
    monkeypatch.setattr(figure_requests, "_code", lambda: "other")
    monkeypatch.setattr(figure_requests, "PATIENCE_SECONDS", 0.0)
    assert not asked(store, settings).current


def test_small_ones_are_worked_out_where_they_are_asked_for(
    store: Store, settings: Settings, people: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figure_requests, "SMALL", 100)
    monkeypatch.setattr(figure_requests, "_begin", pytest.fail)
    found = asked(store, settings)
    assert found.current
    assert found.figure is not None
    assert kappa(found.figure) == pytest.approx(0.5)


def test_the_process_takes_the_next_order_and_one_that_has_gone_is_replaced(
    store: Store, settings: Settings, people: list[Person]
) -> None:
    ready(store, settings)
    (first,) = processes.job_processes()
    asked(store, settings, by=Cut.DIMENSION)
    until_done()
    assert asked(store, settings, by=Cut.DIMENSION).current
    assert processes.job_processes() == [first]
    os.kill(first, signal.SIGSTOP)  # it is there, and takes no order any more
    asked(store, settings, pool_guidelines=True)
    assert processes.at_work() == [first]
    os.kill(first, signal.SIGKILL)
    until_done()
    assert asked(store, settings, pool_guidelines=True).current
    assert first not in processes.job_processes()


def test_results_fill_by_themselves_with_the_numbers_of_the_command(
    store: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(store)
    lead = make_person(store, "lou", role=Role.LEAD)
    grader = make_person(store, "gus")
    for at in range(3):
        grade = claimed(store, grader, Stage.GRADING)
        submit(store, person=grader, task=grade.id, key=f"grade-{at}", values={"score": 1})

    def screen(services):  # type: ignore[no-untyped-def]
        from app import shell
        from app.views import results

        with shell.guard(services):
            results.render(services)

    def words(page: AppTest) -> str:
        assert not page.exception
        return "\n".join(element.proto.body for element in page.get("html"))

    services = Services(store, MediaStore(settings.home / "media"), settings, lead, "csrf")
    page = AppTest.from_function(screen, args=(services,), default_timeout=120)
    page.query_params["project"], page.query_params["show"] = "p", "table"
    with monkeypatch.context() as patch:
        patch.setattr(figure_requests, "PATIENCE_SECONDS", 0.0)
        assert "being computed and will appear on this page" in words(page.run())
        assert "leaderboard" not in words(page)
    until_done()
    drawn = words(page.run())
    assert "being computed and will appear on this page" not in drawn
    # one of three items: "Red." is the key, "Answer 0 of 2" is none of the options and counts as wrong
    assert "0.33" in drawn[drawn.index("leaderboard") :]

    figure = next(iter(figure_requests._memory.known.values())).value
    monkeypatch.setenv("TOUCHSTONE_HOME", str(settings.home))
    resources.cache_clear()
    told = CliRunner().invoke(cli, ["result", "show", "p", "--format", "json"], catch_exceptions=False).stdout
    resources.cache_clear()
    of_page = as_json(figure, [each.board for each in figure.of.values()])
    of_command = json.loads(told)
    for section in result_sections.sections():
        for key, value in section.json(figure.sections[section.name]).items():
            assert of_command.pop(key) == value
    assert json.loads(json.dumps(of_page)) == of_command
    assert of_command["boards"][0]["lines"][2]["value"] == pytest.approx(1 / 3)

    (scores,) = [each for each in page.selectbox if each.label == "Scores"]
    (by,) = [each for each in page.selectbox if each.label == "Slice by"]
    assert len(scores.options) == 2
    scores.select_index(1)
    assert "People" in words(page.run())
    with monkeypatch.context() as patch:
        patch.setattr(figure_requests, "PATIENCE_SECONDS", 0.0)
        assert "being computed and will appear on this page" in words(by.select_index(1).run())
    until_done()
    assert "People" in words(page.run()), "another cut of what was chosen"

    make_items(store, 1)  # something new: the figures that there are stay, with their time, until there are others
    monkeypatch.setattr(figure_requests, "SHARE", 10_000)
    later = words(page.run())
    assert "These figures are from" in later
    assert "leaderboard" in later
