"""Raters whose ratings came from files are people or machines, and every number follows that."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter
from pathlib import Path

import pytest

from db import events
from db.engine import Store
from domain.errors import InvalidInputError, NotAllowedError
from domain.states import RatersAre, Stage
from testkit.factories import claimed, make_items, make_people, make_person, make_predictions, make_project
from testkit.missing_extensions import needs
from workflow.access.projects import access_to
from workflow.annotate import submissions
from workflow.files.export import exported
from workflow.results import file_raters, leaderboard, project_answers, rater_agreement, score_choices
from workflow.results.dimension_means import PEOPLE, agreement_of_means
from workflow.results.ratings import raters_of, ratings_of
from workflow.results.ratings_from_files import ImportedRatings, import_ratings
from workflow.results.reply_counts import replies_of_judges

pytestmark = needs("readers", "ratings")

N = 40
SCALE = (0, 0.5, 1)
TRIO = ("Ada L.", "bob", "cy")
GRADES = {
    name: [random.Random(f"{name} {at}").choice(SCALE) if at % 3 else SCALE[at % 2 * 2] for at in range(N)]
    for name in (*TRIO, "gpt")
}
"""Of every third answer all four say the same."""


def bring(
    store: Store, path: Path, names: tuple[str, ...], are: RatersAre | None = None, n: int = N
) -> ImportedRatings:
    file = path / "ratings.csv"
    lines = [f"colour/{at} · m,{name},score,{GRADES[name][at]}" for at in range(n) for name in names]
    file.write_text("\n".join(["unit,rater,criterion,value", *lines]), encoding="utf-8")
    return import_ratings(store, by=None, project="p", path=file, refuse=lambda bad: None, raters=are)


@pytest.fixture
def rated(store: Store, tmp_path: Path) -> Store:
    """Forty answers of a model that three people and a machine have graded in files."""
    make_project(store)
    make_predictions(store, make_items(store, N), models=["m"])
    bring(store, tmp_path, TRIO, RatersAre.PEOPLE)
    bring(store, tmp_path, ("gpt",), RatersAre.MACHINES)
    return store


def fleiss(names: tuple[str, ...]) -> float:
    """Fleiss (1971), from the table of counts: nothing of ours is asked."""
    counts = [Counter(GRADES[name][at] for name in names) for at in range(N)]
    k = len(names)
    agreed = sum(sum(n * (n - 1) for n in each.values()) / (k * (k - 1)) for each in counts) / N
    chance = sum((sum(each[value] for each in counts) / (N * k)) ** 2 for value in SCALE)
    return (agreed - chance) / (1 - chance)


def majorities(names: tuple[str, ...]) -> list[float]:
    """Of each answer that has one; the schema asks for two graders."""
    found = []
    for at in range(N):
        value, votes = Counter(GRADES[name][at] for name in names).most_common(1)[0]
        found += [value] if 2 * votes > max(len(names), 2) else []
    return found


def kappa(store: Store) -> float:
    lines = rater_agreement.agreement_of(store, person=None, project="p", stage=Stage.GRADING)
    (found,) = [each for each in lines if each.statistic == "fleiss_kappa"]
    assert found.n_units == N
    return float(found.value or 0)


def of_people(store: Store) -> tuple[int, float]:
    found = project_answers.read_project(store, person=None, project="p")
    line = leaderboard.sliced_scores(found, score_choices.Scores("human", "score")).whole["m"]
    return line.found.n_units, float(line.found.value or 0)


@pytest.mark.thorough
def test_people_out_of_files_count_among_the_people_everywhere(rated: Store) -> None:
    raters = raters_of(rated, person=None, project="p", stage=Stage.GRADING)
    assert (tuple(raters.people), list(raters.machines)) == (TRIO, ["gpt"])
    assert kappa(rated) == pytest.approx(fleiss(TRIO), abs=1e-12)
    most = majorities(TRIO)
    assert len(most) < N, "some answers have no majority"
    assert of_people(rated) == (len(most), pytest.approx(sum(most) / len(most)))
    found = project_answers.read_project(rated, person=None, project="p")
    assert set(found.judged) == {("score", "gpt")}
    told = leaderboard.sliced_scores(found, score_choices.Scores("human", "score")).notes
    assert any("3 people have graded answers. Grades from files: Ada L., bob, cy." in note for note in told), told
    (replies,) = replies_of_judges(rated, person=None, project="p", stage=Stage.GRADING)
    assert (replies.judge, replies.scored, replies.with_people) == ("gpt", N, N)
    means = agreement_of_means(rated, person=None, project="p")
    assert {each.args["answers"] for each in means} == {len(most)}, "only answers that most of the people agree about"
    assert {tuple(each.args["pair"]) for each in means if "pair" in each.args} == {(PEOPLE, "gpt")}


@pytest.mark.thorough
def test_who_is_said_to_be_a_machine_counts_nowhere_among_the_people_and_back(rated: Store) -> None:
    marks = [
        project_answers.mark(rated, person=None, project="p"),
        rater_agreement.mark(rated, person=None, project="p", stage=Stage.GRADING),
    ]
    everyone, all_three = kappa(rated), of_people(rated)
    file_raters.mark(rated, by=None, project="p", machines=["cy"])
    assert project_answers.mark(rated, person=None, project="p") != marks[0]
    assert rater_agreement.mark(rated, person=None, project="p", stage=Stage.GRADING) != marks[1]
    two = TRIO[:2]
    lines = rater_agreement.agreement_of(rated, person=None, project="p", stage=Stage.GRADING)
    agreed = sum(GRADES["Ada L."][at] == GRADES["bob"][at] for at in range(N)) / N
    assert next(each.value for each in lines if each.statistic == "percent_agreement") == pytest.approx(agreed)
    most = majorities(two)
    assert of_people(rated) == (len(most), pytest.approx(sum(most) / len(most)))
    assert of_people(rated) != all_three
    assert set(project_answers.read_project(rated, person=None, project="p").judged) == {
        ("score", "gpt"),
        ("score", "cy"),
    }
    file_raters.mark(rated, by=None, project="p", people=["cy"])
    assert (kappa(rated), of_people(rated)) == (everyone, all_three)
    with rated.read() as session:
        id = access_to(session, person=None, project="p").project_id
        said = [row.data for row, *_ in events.find_events(session, project_id=id, kinds=("raters.marked",), limit=9)]
    assert {"people": [], "machines": ["cy"]} in said
    assert len(said) == 4


def test_without_a_word_they_are_machines_as_before_and_a_later_word_holds(store: Store, tmp_path: Path) -> None:
    make_project(store)
    make_predictions(store, make_items(store, N), models=["m"])
    done = bring(store, tmp_path, ("bob", "gpt"))
    assert file_raters.in_sentences(done.raters) == [
        "Counted as machines, because nobody has marked them as people: bob, gpt."
    ]
    assert set(project_answers.read_project(store, person=None, project="p").judged) == {
        ("score", "bob"),
        ("score", "gpt"),
    }
    again = bring(store, tmp_path, ("bob",), RatersAre.PEOPLE)  # the same ratings, with the word
    assert (again.new, again.repeated, file_raters.in_sentences(again.raters)) == (
        0,
        N,
        ["Counted as people: bob."],
    )
    assert set(project_answers.read_project(store, person=None, project="p").judged) == {("score", "gpt")}
    with pytest.raises(
        InvalidInputError,
        match="bob counts as a person in this project, but the import marks the raters of this file as machines",
    ):
        bring(store, tmp_path, ("bob", "cy"), RatersAre.MACHINES)
    assert "cy" not in [each.name for each in file_raters.list_raters(store, by=None, project="p")], "nothing came in"
    assert file_raters.in_sentences(bring(store, tmp_path, ("bob", "cy")).raters) == [
        "Counted as people: bob.",
        "Counted as a machine, because nobody has marked this rater as a person: cy.",
    ]
    for wrong, said in [
        ({"people": ["nobody"]}, "no imported ratings by 'nobody'"),
        ({"people": ["cy"], "machines": ["cy"]}, "cy is marked both as a person and as a machine"),
    ]:
        with pytest.raises(InvalidInputError, match=said):
            file_raters.mark(store, by=None, project="p", **wrong)
    ann = make_person(store, "ann")
    with pytest.raises(NotAllowedError):
        file_raters.mark(store, by=ann, project="p", people=["cy"])


def test_an_account_that_has_rated_here_is_that_person_once(store: Store, tmp_path: Path) -> None:
    """bob grades the first two answers here, otherwise than the file says: what he submitted counts, once."""
    make_project(store)
    make_predictions(store, make_items(store, 4), models=["m"])
    (bob,) = make_people(store, "bob")
    here: dict[str, float] = {}
    for _ in range(2):
        task = claimed(store, bob, Stage.GRADING)
        submissions.submit(store, person=bob, task=task.id, key=task.id, values={"score": 0.5})
    here = {each.unit: 0.5 for each in ratings_of(store, project="p", stage=Stage.GRADING)}
    done = bring(store, tmp_path, ("bob", "gpt"), n=4)
    assert file_raters.in_sentences(done.raters)[1].startswith("Raters with an account: bob.")
    wanted = {f"colour/{at} · m": GRADES["bob"][at] for at in range(4)} | here
    for pseudonyms, name in ((False, "bob"), (True, "person-1")):
        found = ratings_of(store, project="p", stage=Stage.GRADING, pseudonyms=pseudonyms)
        assert sorted((each.unit, each.value) for each in found if each.rater == name) == sorted(wanted.items())
    read = project_answers.read_project(store, person=None, project="p")
    assert sorted(value for given in read.grades["score"].values() for value in given) == sorted(wanted.values())
    assert all(len(given) == 1 for given in read.grades["score"].values())
    assert set(read.judged) == {("score", "gpt")}
    with pytest.raises(
        InvalidInputError, match="bob has rated in this project with an account, so this rater is a person"
    ):
        file_raters.mark(store, by=None, project="p", machines=["bob"])


@needs("formats", "label_studio")
@pytest.mark.both_databases
def test_people_out_of_files_leave_as_pseudonyms_wherever_people_do(rated: Store, tmp_path: Path) -> None:
    """Ada, bob and cy come from a file; dora grades here; a machine is called as dora's pseudonym is."""
    (dora,) = make_people(rated, "dora")
    task = claimed(rated, dora, Stage.GRADING)
    submissions.submit(rated, person=dora, task=task.id, key=task.id, values={"score": 0.5})
    file = tmp_path / "machine.csv"
    file.write_text("unit,rater,criterion,value\ncolour/0 · m,person-1,score,0.5\n", encoding="utf-8")
    import_ratings(rated, by=None, project="p", path=file, refuse=lambda bad: None, raters=RatersAre.MACHINES)
    (text,) = exported(rated, by=None, project="p", format="ratings").files.values()
    (tasks,) = exported(rated, by=None, project="p", format="label_studio", stage=Stage.GRADING).files.values()
    called = dict(zip(TRIO, ("person-2", "person-3", "person-4"), strict=True)) | {"gpt": "gpt"}
    scores = {(row["rater"], row["unit"]): float(row["value"]) for row in csv.DictReader(io.StringIO(text.decode()))}
    outside = {
        (result["meta"]["rater"], f"{task['data']['item_id']} · {task['meta']['model']}")
        for task in json.loads(tasks)
        for annotation in task["annotations"]
        for result in annotation["result"]
    }
    assert outside == set(scores)
    assert {rater for rater, _ in scores} == {*called.values(), "person-1", "person-1, from a file"}
    for name, other in called.items():
        assert [scores[other, f"colour/{at} · m"] for at in range(N)] == GRADES[name]
    assert sum(rater == "person-1" for rater, _ in scores) == 1, "dora's own"
    assert not any(b"Ada L." in data or b"dora" in data for data in (text, tasks))
    file_raters.mark(rated, by=None, project="p", machines=["cy"])
    (text,) = exported(rated, by=None, project="p", format="ratings").files.values()
    assert b",cy," in text, "a machine is called by its name"
