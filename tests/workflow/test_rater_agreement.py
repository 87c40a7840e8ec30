"""Agreement of a project's people, on the scales that its schema declares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agreement import Result, Scale
from annotation_schemas import shipped
from annotation_schemas.loader import load_text
from app.cli import cli
from db import events
from db.engine import Store, open_store
from domain.errors import NotAllowedError, RatingsError, TouchstoneError
from domain.roles import Role
from domain.states import Cut, Stage
from testkit.factories import (
    claimed,
    make_fields,
    make_items,
    make_people,
    make_person,
    make_predictions,
    make_project,
    vote,
)
from testkit.missing_extensions import needs
from workflow.annotate import submissions
from workflow.results.rater_agreement import agreement_of, mark
from workflow.results.ratings import ratings_of
from workflow.results.ratings_from_files import import_ratings


def only(results: list[Result], statistic: str, **args: object) -> Result:
    (one,) = [
        each
        for each in results
        if each.statistic == statistic and all(each.args.get(name) == value for name, value in args.items())
    ]
    return one


def graded(store: Store) -> None:
    """Four answers by two people: 1 and 1, 0 and 0.5, 0.5 and 0.5, 1 and 0.5, in whatever order they are claimed."""
    ids = make_items(store, 4)
    make_predictions(store, ids, models=["m"])
    first = {}
    for login, scores in (("ann", (1, 0, 0.5, 1)), ("bob", (1, 0.5, 0.5, 0.5))):
        person = make_person(store, login)
        for _ in ids:
            task = claimed(store, person, Stage.GRADING)
            at = first.setdefault(task.answer, len(first))
            submissions.submit(store, person=person, task=task.id, key=f"{login}-{at}", values={"score": scores[at]})


@needs("readers", "ratings")
def test_the_mark_moves_with_votes_and_with_files(store: Store, tmp_path: Path) -> None:
    """Anyone who keeps what was measured measures again when it moves."""

    def moved() -> tuple[int, int]:
        return mark(store, person=None, project="p", stage=Stage.GRADING)

    make_project(store)
    before = moved()
    graded(store)
    after_votes = moved()
    assert after_votes != before
    unit = ratings_of(store, project="p", stage=Stage.GRADING)[0].unit
    path = tmp_path / "judge.csv"
    path.write_text(f"unit,rater,criterion,value\n{unit},judge,score,1\n", encoding="utf-8")
    import_ratings(store, by=None, project="p", path=path, refuse=lambda bad: None)
    assert moved() != after_votes
    assert moved() == moved()


def test_grades_are_ordinal_on_the_declared_values(store: Store) -> None:
    make_project(store)
    graded(store)
    results = agreement_of(store, person=None, project="p", stage=Stage.GRADING)
    assert {(each.args["scale"], each.args["scale_inferred"]) for each in results} == {("ordinal", False)}
    assert only(results, "percent_agreement").value == 0.5
    # Distances 0, 1/2, 0, 1/2 of the range: observed 1/4. ann 1/4, 1/4, 1/2 of 0, 1/2, 1; bob 0, 3/4, 1/4:
    # expected 1/4 (3/4 * 1/2 + 1/4 * 1) + 1/4 (1/4 * 1/2) + 1/2 (3/4 * 1/2) = 3/8.
    assert only(results, "cohen_kappa", weights="linear").value == pytest.approx(1 - (1 / 4) / (3 / 8))
    assert {each.n_units for each in results} == {4}


def test_options_are_compared_by_place(store: Store) -> None:
    make_project(store)
    ann, bob = make_people(store, "ann", "bob")
    options = [["red", "blue"], ["cup", "knife"], ["left", "right"], ["one", "two"]]
    for each in options:
        make_items(store, fields=make_fields(options=each, answer=each[0]))
    for person, places in ((ann, (0, 0, 1, 1)), (bob, (0, 1, 1, 1))):
        for _ in options:
            view = claimed(store, person)
            at = options.index(list(view.fields["options"]))
            values = {"choice": options[at][places[at]]}
            submissions.submit(store, person=person, task=view.id, key=f"{person.login}{at}", values=values)
    results = agreement_of(store, person=None, project="p", stage=Stage.VERIFICATION)
    # p_o = 3/4; first option 1/2 and 1/4, second 1/2 and 3/4: p_e = 1/2.
    assert only(results, "cohen_kappa", weights="none").value == pytest.approx(0.5)
    assert only(results, "percent_agreement").value == 0.75


def test_no_one_yet_and_what_is_not_there(store: Store) -> None:
    make_project(store)
    lead, ann = make_person(store, "lead", role=Role.LEAD), make_person(store, "ann")
    assert agreement_of(store, person=lead, project="p", stage=Stage.GRADING, by=Cut.DIMENSION) == []
    with pytest.raises(RatingsError, match="style"):
        agreement_of(store, person=None, project="p", stage=Stage.GRADING, criteria=["style"])
    with pytest.raises(NotAllowedError):
        agreement_of(store, person=ann, project="p", stage=Stage.GRADING)


def test_a_scale_that_is_asked_for_overrules_the_schema(store: Store) -> None:
    make_project(store)
    graded(store)
    results = agreement_of(
        store, person=None, project="p", stage=Stage.GRADING, scales={"score": Scale("nominal", (0, 0.5, 1))}
    )
    assert only(results, "icc").value is None


def test_one_vote_is_a_reason(store: Store) -> None:
    make_project(store)
    make_items(store, 1)
    vote(store, make_person(store, "ann"), "red")
    results = agreement_of(store, person=None, project="p", stage=Stage.VERIFICATION, by=Cut.DIMENSION)
    assert {each.reason for each in results} == {"There is only one rater."}
    assert {each.dimension for each in results} == {"colour"}


@pytest.mark.both_databases
@pytest.mark.thorough
def test_the_command_on_a_project(home: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from app import services

    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    services.resources.cache_clear()
    store = open_store(f"sqlite:///{home / 'touchstone.db'}", home)
    store.upgrade()
    make_project(store)
    graded(store)
    store.close()
    try:
        asked = ["agreement", "show", "p", "--stage", "grading", "--by", "dimension", "--json"]
        result = CliRunner().invoke(cli, asked)
        assert result.exit_code == 0, result.output
        assert str(home) in result.stderr
        found = json.loads(result.stdout)
        assert {(each["criterion"], each["dimension"], each["n_raters"]) for each in found} == {("score", "colour", 2)}
        nothing = CliRunner().invoke(cli, ["agreement", "show", "p", "--stage", "verification"])
        assert nothing.stdout == "There are no ratings yet.\n"
        for arguments, words in ((["q", "--stage", "grading"], "q"), (["p", "--stage", "authoring"], "authoring")):
            refused = CliRunner().invoke(cli, ["agreement", "show", *arguments])
            assert isinstance(refused.exception, TouchstoneError)
            assert words in str(refused.exception)
    finally:
        services.resources().store.close()
        services.resources.cache_clear()


def test_answers_of_several_parts_are_compared_as_the_schema_says(store: Store) -> None:
    make_project(store, loaded=load_text(shipped()["questions"].read_text(), "Be exact.", "questions"))
    ann, bob = make_people(store, "ann", "bob")
    lists = [["mug", "spoon", "plate"], ["fork", "bowl", "pan"], ["cup", "knife", "jar"], ["tin", "box", "bag"]]
    for at, objects in enumerate(lists):
        fields = {"question": f"{at}?", "objects": objects, "steps": [f"a{at}", f"b{at}"]}
        make_items(store, dimension="kitchen", fields=fields)
    # By item: which objects (by place), how many, whether the steps stand as they came, whether it opens.
    given = {
        "ann": [((0, 1), 1, True, "yes"), ((0, 1), 2, True, "yes"), ((2,), 3, False, "no"), ((), 4, False, "no")],
        "bob": [((0, 1), 1, True, "yes"), ((0,), 2, False, "no"), ((2,), 3, False, "no"), ((), 5, False, "no")],
    }
    for person in (ann, bob):
        for _ in lists:
            view = claimed(store, person)
            at = int(view.fields["question"][0])
            chosen, count, straight, opens = given[person.login][at]
            steps = [f"a{at}", f"b{at}"]
            values = {
                "seen": [lists[at][place] for place in chosen],
                "first": lists[at][0],
                "count": count,
                "order": steps if straight else steps[::-1],
                "properties": [
                    {"name": "openable", "value": opens},
                    {"name": "sliceable", "value": "no"},
                    {"name": "breakable", "value": "yes"},
                ],
                "fits": "yes",
            }
            submissions.submit(store, person=person, task=view.id, key=f"{person.login}{at}", values=values)
    results = agreement_of(store, person=None, project="p", stage=Stage.VERIFICATION)

    def value(criterion: str, statistic: str, **args: object) -> float:
        return only([each for each in results if each.criterion == criterion], statistic, **args).value

    assert value("seen", "percent_agreement") == 0.75, "what is not wholly equal differs"
    assert value("order", "percent_agreement") == 0.75
    # ann half and half, bob 1/4 and 3/4: expected 1/8 + 3/8 = 1/2.
    assert value("order", "cohen_kappa", weights="none") == pytest.approx(0.5)
    assert value("properties: openable", "cohen_kappa", weights="none") == pytest.approx(0.5)
    assert value("properties: sliceable", "percent_agreement") == 1
    # 1, 2, 3, 4 and 1, 2, 3, 5: covariance 6.5 of 5 and 8.75.
    assert value("count", "pearson") == pytest.approx(6.5 / (5 * 8.75) ** 0.5)
    with pytest.raises(RatingsError, match="no criterion 'plan' to compare"):
        agreement_of(store, person=None, project="p", stage=Stage.VERIFICATION, criteria=["plan"])
    with pytest.raises(RatingsError, match="'plan' has no statistic: "):
        agreement_of(store, person=None, project="p", stage=Stage.GRADING, criteria=["plan"])


@pytest.mark.thorough
def test_what_changes_a_figure_changes_its_mark(store: Store) -> None:
    """A figure that is kept is shown as long as its mark stands: nothing that it is made of may leave the mark."""
    make_project(store)
    (ann,) = make_people(store, "ann")
    about: dict[str, Any] = {"person": None, "project": "p", "stage": Stage.VERIFICATION}
    marks = [mark(store, **about)]

    def new() -> bool:
        marks.append(mark(store, **about))
        return marks[-1] not in marks[:-1]

    make_items(store, 2)
    with store.write() as session:
        events.record(session, at=store.now(), kind="items.imported", project_id=1)
    assert new()
    claimed(store, ann)
    assert not new()
    for kind in (
        "calibration.rule",
        "item.state",
        "item.revised",
        "run.withdrawn",
        "run.taken_back",
        "ratings.imported",
    ):
        with store.write() as session:
            events.record(session, at=store.now(), kind=kind, project_id=1)
        assert new(), kind
    with store.write() as session:
        events.record(session, at=store.now(), kind="comment.written", project_id=1)
    assert not new()
