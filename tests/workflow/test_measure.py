"""Agreement of a project's people, on the scales that its schema declares."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agreement import Result, Scale
from app.cli import cli
from db.engine import Store, open_store
from domain.errors import NotAllowed, RatingsError, TouchstoneError
from domain.roles import Role
from domain.states import Stage
from tests.factories import (
    claimed,
    make_fields,
    make_items,
    make_people,
    make_person,
    make_predictions,
    make_project,
    vote,
)
from workflow import submit
from workflow.measure import agreement_of


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
            submit.submit(store, person=person, task=task.id, key=f"{login}-{at}", values={"score": scores[at]})


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
            submit.submit(store, person=person, task=view.id, key=f"{person.login}{at}", values=values)
    results = agreement_of(store, person=None, project="p", stage=Stage.VERIFICATION)
    # p_o = 3/4; first option 1/2 and 1/4, second 1/2 and 3/4: p_e = 1/2.
    assert only(results, "cohen_kappa", weights="none").value == pytest.approx(0.5)
    assert only(results, "percent_agreement").value == 0.75


def test_nobody_yet_and_what_is_not_there(store: Store) -> None:
    make_project(store)
    lead, ann = make_person(store, "lead", role=Role.LEAD), make_person(store, "ann")
    assert agreement_of(store, person=lead, project="p", stage=Stage.GRADING, by_dimension=True) == []
    with pytest.raises(RatingsError, match="style"):
        agreement_of(store, person=None, project="p", stage=Stage.GRADING, criteria=["style"])
    with pytest.raises(NotAllowed):
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
    results = agreement_of(store, person=None, project="p", stage=Stage.VERIFICATION, by_dimension=True)
    assert {each.reason for each in results} == {"There is only one rater."}
    assert {each.dimension for each in results} == {"colour"}


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
        asked = ["agreement", "--project", "p", "--stage", "grading", "--by", "dimension", "--json"]
        result = CliRunner().invoke(cli, asked)
        assert result.exit_code == 0, result.output
        assert str(home) in result.stderr
        found = json.loads(result.stdout)
        assert {(each["criterion"], each["dimension"], each["n_raters"]) for each in found} == {("score", "colour", 2)}
        nothing = CliRunner().invoke(cli, ["agreement", "--project", "p", "--stage", "verification"])
        assert nothing.stdout == "Nobody has rated anything yet.\n"
        for arguments, words in ((["q", "--stage", "grading"], "q"), (["p", "--stage", "authoring"], "authoring")):
            refused = CliRunner().invoke(cli, ["agreement", "--project", *arguments])
            assert isinstance(refused.exception, TouchstoneError)
            assert words in str(refused.exception)
    finally:
        services.resources().store.close()
        services.resources.cache_clear()
