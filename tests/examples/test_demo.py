"""The demo project: valid, in every state, with something to do for everyone, and made up."""

from __future__ import annotations

import collections
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store, open_store
from domain.errors import ConflictError
from domain.rated_units import BETWEEN
from domain.records import TaskView
from domain.states import ItemState, Stage
from examples import demo
from examples.answers import HABITS, JUDGES, MODELS, answers_of, graded
from examples.scenes import DIMENSIONS, scenes, tables
from media.store import MediaStore
from testkit.serving import touchstone
from workflow.access import accounts, projects
from workflow.annotate import claims, image_pool, progress, project_progress
from workflow.files import project_check
from workflow.results.rater_agreement import agreement_of
from workflow.results.ratings import ratings_of

pytestmark = pytest.mark.slow


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, demo_template: Path) -> Path:
    path = tmp_path_factory.mktemp("demo") / "home"
    shutil.copytree(demo_template, path)
    return path


@pytest.fixture(scope="module")
def built(home: Path) -> Iterator[Store]:
    store = open_store(None, home)
    yield store
    store.close()


@pytest.fixture
def copy(built: Store, home: Path, tmp_path: Path) -> Iterator[Store]:
    """The demo's database, to be changed."""
    with built.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copyfile(home / "touchstone.db", tmp_path / "touchstone.db")
    store = open_store(None, tmp_path)
    yield store
    store.close()


def test_it_says_that_it_is_made_up(built: Store) -> None:
    (view,) = [view for view in projects.all_projects(built) if view.name == "demo"]
    assert view.made_up
    assert all("(" in member.name for member in demo.PEOPLE)
    assert all(model.startswith("imaginary") for model in MODELS)


def test_nothing_in_it_contradicts_itself(built: Store) -> None:
    assert project_check.check(built) == []


def test_the_dashboard_shows_every_state(built: Store) -> None:
    board = project_progress.dashboard(built, person=None, project="demo")
    fate = collections.Counter(demo.fates().values())
    assert {row.dimension for row in board.rows} == set(DIMENSIONS)
    assert sum(row.counts.kept for row in board.rows) == fate["kept"] + fate["accepted"] + fate["edited"]
    assert sum(row.counts.in_state(ItemState.REJECTED) for row in board.rows) == fate["rejected"] + fate["struck"]
    assert sum(row.counts.in_state(ItemState.IN_ADJUDICATION) for row in board.rows) == fate["disputed"]
    assert sum(row.counts.in_state(ItemState.IN_VERIFICATION) for row in board.rows) == fate["half"] + fate["fresh"]
    assert board.free_images == fate["free"] + len(tables())
    assert min(fate.values()) >= 1
    assert set(fate) == set(demo.FATES)
    assert 0 < board.graded < board.to_grade


@pytest.mark.parametrize("member", demo.PEOPLE, ids=lambda member: member.login)
def test_a_dozen_tasks_wait_for_everyone(built: Store, member: demo.Member) -> None:
    person = accounts.find_person(built, login=member.login)
    lines = progress.my_work(built, person=person)
    assert sum(line.waiting for line in lines if line.available) >= 12


def test_one_of_before_in_which_less_was_written_is_complete(built: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be made anew otherwise, and what people tried in it would be lost."""
    more = {scene: demo.FRESH if fate == demo.FREE else fate for scene, fate in demo.fates().items()}
    monkeypatch.setattr(demo, "fates", lambda: more)
    assert demo.complete(built)


def test_it_knows_whether_all_of_it_is_there(built: Store, tmp_path: Path) -> None:
    assert demo.complete(built)
    store = open_store(None, tmp_path)
    store.upgrade()
    assert not demo.complete(store)
    projects.create_project(store, name="demo", loaded=load_schema(shipped()["demo"]), made_up=True)
    assert demo.exists(store)
    assert not demo.complete(store)
    store.close()


def test_those_with_votes_differing_wait_for_the_senior_with_both(copy: Store) -> None:
    senior = accounts.find_person(copy, login="demo-noor")
    task = claims.next_task(copy, person=senior, project="demo", stage=Stage.ADJUDICATION)
    assert isinstance(task, TaskView)
    assert sorted(str(vote.values["fits"]) for vote in task.votes) == ["no", "yes"]


def test_an_author_finds_a_draft_and_free_images(copy: Store) -> None:
    author = accounts.find_person(copy, login="demo-ana")
    task = claims.next_task(copy, person=author, project="demo", stage=Stage.AUTHORING)
    assert isinstance(task, TaskView)
    assert task.draft is not None
    assert task.draft.values["values"]["question"]
    assert image_pool.pool(copy, person=author, project="demo", dimension="existence").total > 10


def test_the_work_lies_in_the_past_and_the_clock_is_right_again(built: Store) -> None:
    before = built.now()
    assert (built.now() - before).total_seconds() < 5
    assert built.clock() is not None


def test_kept_items_are_true(built: Store) -> None:
    """Every kept item has the question and the answer of its scene, also the one that the senior mended."""
    from sqlmodel import select

    from db.tables import ItemRow, RevisionRow

    true = {(scene.question, scene.answer) for scene in scenes()}
    with built.read() as session:
        rows = session.exec(
            select(ItemRow, RevisionRow).where(
                RevisionRow.item_id == ItemRow.id, RevisionRow.number == ItemRow.current_revision
            )
        ).all()
    kept = [revision.content for item, revision in rows if item.state == "kept"]
    assert len(kept) > 25
    assert all((content["question"], content["answer"]) in true for content in kept)
    assert any(item.current_revision == 2 for item, _ in rows)


# ---- models and graders of known quality ----------------------------------------------------------------------------


def test_models_are_as_good_as_they_are_said_to_be() -> None:
    everything = scenes()
    for model, share in MODELS.items():
        answers = answers_of(model, everything)
        assert sum(answer.grade == 1 for answer in answers) == round(share * len(everything))
        by_name = {scene.name: scene for scene in everything}
        for answer in answers:
            scene = by_name[answer.scene]
            said = {1.0: (scene.answer, *scene.also), 0.5: (scene.partly,), 0.0: scene.wrong}[answer.grade]
            assert any(text[1:] in answer.text for text in said)


def test_models_word_their_answers_differently() -> None:
    texts = [answer.text for model in MODELS for answer in answers_of(model, scenes("counting"))]
    assert len(set(texts)) > len(texts) / 2


def test_graders_slip_as_often_as_they_are_said_to() -> None:
    answers = [answer for model in MODELS for answer in answers_of(model, scenes())]
    for login, habit in HABITS.items():
        off = sum(graded(login, answer) != answer.grade for answer in answers) / len(answers)
        assert off == pytest.approx(habit.slips, abs=0.06)
        assert {graded(login, answer) for answer in answers} <= {0.0, 0.5, 1.0}


def test_the_grades_in_the_project_are_theirs(built: Store) -> None:
    every = ratings_of(built, project="demo", stage=Stage.GRADING)
    found = [rating for rating in every if rating.rater in HABITS]
    by_rater = collections.Counter(rating.rater for rating in found)
    assert len(by_rater) == 3
    assert min(by_rater.values()) > 50
    mean: dict[str, list[float]] = collections.defaultdict(list)
    for rating in found:
        mean[rating.unit.rpartition(BETWEEN)[2]].append(float(rating.value))
    quality = {model: sum(values) / len(values) for model, values in mean.items()}
    assert quality["imaginary-large"] > quality["imaginary-medium"] > quality["imaginary-small"]
    judged = collections.Counter(rating.rater for rating in every if rating.rater not in HABITS)
    n_answers = len({rating.unit for rating in every if rating.rater in JUDGES})
    assert judged == dict.fromkeys(JUDGES, n_answers), "each judge has graded every answer"
    assert n_answers > max(by_rater.values())


def test_judges_from_files_are_no_people(built: Store) -> None:
    lines = agreement_of(built, person=None, project="demo", stage=Stage.GRADING)
    named = {rater for line in lines for rater in line.args.get("pair", ())}
    assert named == set(HABITS)
    one = [*list(HABITS)[:1], *JUDGES]
    asked = agreement_of(built, person=None, project="demo", stage=Stage.GRADING, raters=one)
    assert {rater for line in asked for rater in line.args.get("pair", ())} == set(one)


# ---- commands -------------------------------------------------------------------------------------------------------


def test_the_sign_in_page_offers_people_who_have_work(copy: Store) -> None:
    from app.commands.demo import _offer
    from app.serving import demo_people

    offered = demo_people.people(copy, _offer())
    assert [(person.name, person.waits) for person in offered] == [
        ("Hanna (verifier)", "16 items wait"),
        ("Jonas (grader)", "18 answers wait"),
        ("Dina (author)", "15 items to write"),
        ("Noor (senior)", "4 items wait"),
        ("Mara (lead)", "33 items kept"),
    ]


def test_a_database_that_holds_more_is_not_reset(copy: Store, tmp_path: Path) -> None:
    from app.commands.demo import _forget
    from app.services import Resources
    from domain.settings import settings_from

    shared = Resources(
        copy, MediaStore(tmp_path / "media"), settings_from({"TOUCHSTONE_HOME": str(tmp_path)}, tmp_path)
    )
    accounts.create_person(copy, login="someone", name="Someone")
    with pytest.raises(ConflictError, match="contains more than the demo \\(someone\\)"):
        _forget(shared)
    assert demo.exists(copy)


def test_a_demo_alone_is_reset(copy: Store, tmp_path: Path) -> None:
    from app.commands.demo import _forget
    from app.services import Resources
    from domain.settings import settings_from

    shared = Resources(
        copy, MediaStore(tmp_path / "media"), settings_from({"TOUCHSTONE_HOME": str(tmp_path)}, tmp_path)
    )
    _forget(shared)
    assert not demo.exists(copy)
    assert accounts.active_accounts(copy) == []


def command(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return touchstone("demo", "--no-serve", *arguments, home=home)


def test_the_command_leaves_a_demo_that_is_there(copy: Store, tmp_path: Path) -> None:
    done = command(tmp_path)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) in done.stdout
    assert "already exists" in done.stdout


def test_the_command_refuses_in_one_sentence_to_delete_other_work(copy: Store, tmp_path: Path) -> None:
    projects.create_project(copy, name="real", loaded=load_schema(shipped()["demo"]))
    done = command(tmp_path, "--reset")
    assert done.returncode == 1
    assert "contains more than the demo (real)" in done.stderr
    assert "Traceback" not in done.stderr
    assert demo.exists(copy)


def test_questions_of_every_kind_next_to_the_demo(copy: Store, tmp_path: Path) -> None:
    for _ in range(2):  # the second time nothing is left to do
        done = command(tmp_path, "--questions")
        assert done.returncode == 0, done.stderr
    (row,) = project_progress.dashboard(copy, person=None, project="questions").rows
    assert row.counts.written == len(scenes("counting"))
    for login, stage in (("demo-goro", Stage.VERIFICATION), ("demo-jonas", Stage.GRADING)):
        person = accounts.find_person(copy, login=login)
        task = claims.next_task(copy, person=person, project="questions", stage=stage)
        assert isinstance(task, TaskView)
        assert len(task.fields["steps"]) == 4
        assert (task.answer is None) == (stage is Stage.VERIFICATION)
