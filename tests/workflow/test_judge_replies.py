"""Reading what judges said: replies with spans, failures by verdict, people next to them, two runs compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from db.engine import Store
from domain.errors import NotFoundError
from domain.judging import ReplyFilter, ReplyOutcome
from domain.rated_units import unit_of
from domain.settings import Settings
from domain.states import Stage
from inference.judges.parsers import PARSERS
from media.store import MediaStore
from testkit.factories import claimed, make_fields, make_person
from testkit.scripted import Asked, Reply, ScriptedServer, chat, html
from tests.workflow.test_judge_runs import World
from workflow.annotate import submissions
from workflow.results import file_raters, judge_replies
from workflow.results.ratings_from_files import import_ratings
from workflow.runs import attempt_keeper, judge_readings

SAID = ["Fine. Rating: [[1]]", "Half. Rating: [[0.5]]", "Rating: [[0.75]]", "No idea.", "Rating: [[0]]"]
COMES_TO = [
    ReplyOutcome.SCORED,
    ReplyOutcome.SCORED,
    ReplyOutcome.OUT_OF_RANGE,
    ReplyOutcome.UNPARSEABLE,
    ReplyOutcome.SCORED,
]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt_keeper, "LOOK_SECONDS", 0.05)


@pytest.fixture
def world(store: Store, tmp_path: Path) -> World:
    return World(store, tmp_path, items=10)


def number(asked: Asked) -> int:
    """The item's number times two, plus the model's: as ``make_predictions`` words answers."""
    answer = next(line for line in asked.text.splitlines() if line.startswith("Answer "))
    model, item = answer.removeprefix("Answer ").split(" of ")
    return 2 * int(item) + int(model)


def by_answer(said: list[str]) -> object:
    return lambda asked, at: chat(said[number(asked) % len(said)])


def of(view: judge_replies.ReplyView) -> int:
    model, item = (view.answer or "").removeprefix("Answer ").split(" of ")
    return (2 * int(item) + int(model)) % 5


def judge(world: World, said: list[str], **chosen: object) -> str:
    with ScriptedServer(by_answer(said)) as server:  # type: ignore[arg-type]
        run = world.run(server.url, world.plan(**chosen))
        world.work(run)
    return run


def test_a_reply_comes_with_what_was_read_in_it_and_where(world: World) -> None:
    run = judge(world, SAID)
    found = judge_replies.replies_of(world.store, by=None, run=run, limit=100)
    assert len(found) == 20
    assert [view.id for view in found] == sorted((view.id for view in found), reverse=True)
    for view in found:
        (reading,) = view.readings
        assert view.text == SAID[of(view)]
        assert reading.verdict is COMES_TO[of(view)]
        assert view.model in ("one", "two")
        if reading.verdict.scored:
            assert reading.span is not None
            assert view.text[slice(*reading.span)] == f"{reading.value:g}"
        else:
            assert reading.value is None
            assert reading.why
    (tally,) = judge_replies.tallies(world.store, by=None, run=run)
    assert tally.verdicts == {ReplyOutcome.SCORED: 12, ReplyOutcome.OUT_OF_RANGE: 4, ReplyOutcome.UNPARSEABLE: 4}
    assert tally.mean == pytest.approx((4 * 1 + 4 * 0.5 + 4 * 0) / 12)
    assert tally.bounds((0, 0.5, 1)) == (pytest.approx(6 / 20), pytest.approx(14 / 20))


@pytest.mark.both_databases
def test_replies_are_found_by_verdict_dimension_and_model_a_page_at_a_time(world: World) -> None:
    run = judge(world, SAID)

    def n(**wanted: object) -> int:
        return len(judge_replies.replies_of(world.store, by=None, run=run, wanted=ReplyFilter(**wanted), limit=100))  # type: ignore[arg-type]

    assert n(verdicts=[ReplyOutcome.OUT_OF_RANGE]) == 4
    assert n(verdicts=[verdict for verdict in ReplyOutcome if not verdict.scored]) == 8
    assert n(model="one") == n(model="two") == 10
    assert n(model="three") == n(dimension="count") == n(criterion="other") == 0
    assert n(dimension="colour", criterion="score") == 20
    first = judge_replies.replies_of(world.store, by=None, run=run, limit=15)
    rest = judge_replies.replies_of(world.store, by=None, run=run, wanted=ReplyFilter(before=first[-1].id), limit=15)
    assert len({view.id for view in (*first, *rest)}) == 20
    assert judge_replies.models_of(world.store, by=None, run=run) == ["one", "two"]
    assert {(verdict, n) for verdict, _, n in judge_replies.reasons_of(world.store, by=None, run=run)} == {
        (ReplyOutcome.OUT_OF_RANGE, 4),
        (ReplyOutcome.UNPARSEABLE, 4),
    }


def test_people_s_grades_stand_next_to_a_reply(world: World) -> None:
    ann = make_person(world.store, "ann")
    task = claimed(world.store, ann, Stage.GRADING)
    submissions.submit(world.store, person=ann, task=task.id, key="k", values={"score": 0.5})
    run = judge(world, SAID)
    given = [view for view in judge_replies.replies_of(world.store, by=None, run=run, limit=100) if view.grades]
    assert len(given) == 1
    assert given[0].answer == task.answer
    assert [(grade.person, grade.values["score"]) for grade in given[0].grades] == [("ann", 0.5)]


def test_grades_of_people_out_of_files_stand_next_to_a_reply(world: World, tmp_path: Path) -> None:
    run = judge(world, SAID)
    unit = unit_of(*next((view.item, view.model) for view in judge_replies.replies_of(world.store, by=None, run=run)))
    file = tmp_path / "ratings.csv"
    file.write_text(f"unit,rater,criterion,value\n{unit},eve,score,0.5\n{unit},gpt,score,1\n", encoding="utf-8")
    import_ratings(world.store, by=None, project="p", path=file, refuse=lambda bad: None)
    file_raters.mark(world.store, by=None, project="p", people=["eve"])
    (view,) = (each for each in judge_replies.replies_of(world.store, by=None, run=run, limit=100) if each.grades)
    assert (unit_of(view.item, view.model), [(each.person, each.values) for each in view.grades]) == (
        unit,
        [("eve", {"score": 0.5})],
    )


@pytest.mark.both_databases
def test_a_newer_parser_reads_old_replies_and_earlier_readings_stay(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = judge(world, SAID)
    assert judge_replies.unread(world.store, by=None, run=run) == 0
    old = PARSERS["double_brackets"]
    monkeypatch.setitem(PARSERS, "double_brackets", replace(old, version=old.version + 1))
    assert judge_replies.unread(world.store, by=None, run=run) == 20
    before = judge_replies.marks(world.store, by=None, project="p")
    assert set(before) == {run}
    assert judge_replies.marks(world.store, by=None, project="p") == before
    assert judge_readings.read_replies_again(world.store, by=None, run=run) == 20
    assert judge_replies.marks(world.store, by=None, project="p")[run] > before[run]
    assert judge_replies.unread(world.store, by=None, run=run) == 0
    view = judge_replies.replies_of(world.store, by=None, run=run, limit=1)[0]
    assert [each.version for each in (*view.readings, *view.earlier)] == [old.version + 1, old.version]


@pytest.mark.both_databases
def test_what_is_asked_again_counts_as_the_last_attempt_says(world: World) -> None:
    """A reading that was made later of an earlier attempt changes nothing."""
    asked_again = False

    def script(asked: Asked, at: int) -> Reply:
        return chat("Rating: [[1]]") if asked_again else html()

    with ScriptedServer(script) as server:
        run = world.run(server.url, world.plan(limit=2), attempts=1)
        world.work(run)
        (tally,) = judge_replies.tallies(world.store, by=None, run=run)
        assert tally.verdicts == {ReplyOutcome.TRANSPORT_ERROR: 2}
        from workflow.runs import run_control

        asked_again = True
        run_control.retry_failed(world.store, by=None, run=run)
        world.work(run)
    judge_readings.read_replies_again(world.store, by=None, run=run)
    (tally,) = judge_replies.tallies(world.store, by=None, run=run)
    assert tally.verdicts == {ReplyOutcome.SCORED: 2}
    assert tally.mean == 1


def test_replies_of_another_run_are_not_given(world: World) -> None:
    one, other = judge(world, SAID), judge(world, SAID, models=("one",))
    ids = [view.id for view in judge_replies.replies_of(world.store, by=None, run=other)]
    assert set(judge_replies.replies(world.store, by=None, run=other, attempts=ids)) == set(ids)
    assert judge_replies.replies(world.store, by=None, run=one, attempts=ids) == {}


def test_only_leads_read_any_of_it(world: World) -> None:
    run = judge(world, SAID, limit=1)
    ann = make_person(world.store, "ann")
    (view,) = judge_replies.replies_of(world.store, by=None, run=run)
    for look in (
        lambda: judge_replies.replies_of(world.store, by=ann, run=run),
        lambda: judge_replies.reply(world.store, by=ann, run=run, attempt=view.id),
        lambda: judge_replies.tallies(world.store, by=ann, run=run),
    ):
        with pytest.raises(Exception, match="lead"):
            look()
    with pytest.raises(NotFoundError):
        judge_replies.reply(world.store, by=None, run=run, attempt=view.id + 1000)


def test_what_cannot_be_asked_is_counted_beyond_the_first_prompts(store: Store, tmp_path: Path) -> None:
    from workflow.runs import preview_run

    world = World(store, tmp_path, fields=make_fields())  # none of them has the field `origin`
    plan = world.plan(fills={"reference": "origin", "answer": "prediction"})
    seen = preview_run.preview(
        world.store,
        MediaStore(tmp_path / "media"),
        by=None,
        project="p",
        spec=world.spec("http://127.0.0.1:9/v1"),
        plan=plan,
        settings=Settings(home=tmp_path, database_url=""),
        first=3,
    )
    assert (seen.wanted, seen.looked_at) == (20, 20)
    assert sum(seen.cannot.values()) == 20
    seen = preview_run.preview(
        world.store,
        MediaStore(tmp_path / "media"),
        by=None,
        project="p",
        spec=world.spec("http://127.0.0.1:9/v1"),
        plan=world.plan(),
        settings=Settings(home=tmp_path, database_url=""),
        first=3,
        most=10,
    )
    assert (len(seen.questions), seen.looked_at, seen.cannot) == (3, 10, {})
