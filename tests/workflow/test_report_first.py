"""What ``report`` says comes first, in commands and in figures; whatever is asked for explicitly wins."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from agreement.icc import FORMS
from annotation_schemas import shipped
from annotation_schemas.loader import load_schema, load_text
from app import services
from app.agreement.tables import is_headline
from app.cli import cli
from db.engine import Store, open_store
from domain.errors import SchemaError
from domain.rated_units import BETWEEN
from domain.states import Cut, Stage
from testkit.factories import BLIND, make_items, make_predictions, make_project
from testkit.missing_extensions import needs
from workflow.results import file_raters, project_answers, score_choices
from workflow.results.agreement_page import figures
from workflow.results.ratings_from_files import import_ratings

SAME = {"colour": (1, 1, 1, 0), "size": (1, 0), "shape": (1, 0)}
"""Whether two people choose the same, item by item: 3 of 4, 1 of 2, 1 of 2; so 4 of 6 in the group Looks, 1 of 2 in
Forms, 5 of 8 in all."""


def text_of(report: dict[str, Any], **changes: Any) -> str:
    """The blind test with three dimensions in two groups, and a report."""
    text = BLIND.replace("RATERS", "2").replace("ADJUDICATION", "none").replace("PER_SOURCE", "2")
    content: dict[str, Any] = yaml.safe_load(text)
    content["dimensions"] = [
        {"id": "colour", "title": "Colour", "group": "Looks"},
        {"id": "size", "title": "Size", "group": "Looks"},
        {"id": "shape", "title": "Shape", "group": "Forms"},
    ]
    return yaml.safe_dump({**content, "report": report, **changes}, sort_keys=False)


def rated(store: Store, name: str, report: dict[str, Any], folder: Path) -> None:
    """Two people's votes as in ``SAME``; the same two and a judge grade a model's answer to every item."""
    make_project(store, name=name, loaded=load_text(text_of(report), "", "blind"))
    rows = ["unit,rater,criterion,value,dimension"]
    at = 0
    for dimension, same in SAME.items():
        ids = make_items(store, len(same), project=name, dimension=dimension)
        make_predictions(store, ids, models=["m"], project=name, dimension=dimension)
        for number, equal in enumerate(same):
            unit = f"{dimension}/{at}"
            values = {"ann": "red", "bob": "red" if equal else "blue"}
            rows += [f"{unit},{rater},choice,{value},{dimension}" for rater, value in values.items()]
            grades = {"ann": number % 2, "bob": number % 2 if equal else 0.5, "gpt": equal}
            rows += [f"{unit}{BETWEEN}m,{rater},score,{value},{dimension}" for rater, value in grades.items()]
            at += 1
    path = folder / f"{name}.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    import_ratings(store, by=None, project=name, path=path, refuse=_refuse)
    file_raters.mark(store, by=None, project=name, people=["ann", "bob"])


def _refuse(bad: Any) -> None:
    assert not bad, bad


Told = Callable[..., str]


@pytest.fixture
def told(home: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Told]:
    """What a command says about a project whose schema has this report; NAME stands for the project."""
    monkeypatch.setenv("TOUCHSTONE_HOME", str(home))
    services.resources.cache_clear()
    shutil.copyfile(sqlite_template, home / "touchstone.db")
    store = open_store(f"sqlite:///{home / 'touchstone.db'}", home)
    names: dict[str, str] = {}

    def run(report: dict[str, Any], *arguments: str) -> str:
        key = json.dumps(report)
        if key not in names:
            names[key] = f"p{len(names)}"
            rated(store, names[key], report, tmp_path)
        done = CliRunner().invoke(cli, [names[key] if each == "NAME" else each for each in arguments])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.stdout if done.exit_code == 0 else f"refused: {done.output}"

    yield run
    store.close()
    services.resources().store.close()
    services.resources.cache_clear()


def agreed(text: str) -> dict[tuple[str, str | None], float]:
    """The percent agreement of two people by criterion and slice."""
    return {
        (each["criterion"], each["dimension"]): round(each["value"], 3)
        for each in json.loads(text)
        if each["statistic"] == "percent_agreement"
    }


@pytest.fixture
def here(home: Path, sqlite_template: Path) -> Iterator[Store]:
    """A store; nothing here asks a database anything that other tests do not."""
    shutil.copyfile(sqlite_template, home / "touchstone.db")
    made = open_store(f"sqlite:///{home / 'touchstone.db'}", home)
    yield made
    made.close()


ASKED = ("agreement", "NAME", "--json")


@pytest.mark.slow
def test_agreement_begins_with_what_the_report_says(told: Told) -> None:
    whole = {("choice", None): 0.625}
    groups = {("choice", "Looks"): 0.667, ("choice", "Forms"): 0.5}
    dimensions = {("choice", "colour"): 0.75, ("choice", "size"): 0.5, ("choice", "shape"): 0.5}
    assert agreed(told({"unit": "item"}, *ASKED)) == whole
    assert agreed(told({"unit": "item", "by": "group"}, *ASKED)) == groups
    assert agreed(told({"unit": "item", "by": "dimension"}, *ASKED)) == dimensions
    # the grades of the same two people differ where their votes do
    graded = agreed(told({"unit": "prediction", "by": "group"}, *ASKED))
    assert graded == {("score", part): value for (_, part), value in groups.items()}


@pytest.mark.slow
def test_what_is_asked_for_wins_over_the_report(told: Told) -> None:
    report = {"unit": "dimension", "by": "group", "statistics": ["icc"]}
    assert agreed(told(report, *ASKED, "--stage", "verification", "--by", "whole", "--statistic", "all")) == {
        ("choice", None): 0.625
    }
    # a mean of each of three dimensions, people as one column next to the judge
    first = json.loads(told(report, *ASKED))
    assert {(each["statistic"], each["args"]["unit"], each["n_units"]) for each in first} == {("icc", "dimension", 3)}
    single = json.loads(told(report, *ASKED, "--unit", "prediction", "--by", "whole"))
    assert {(each["statistic"], each["n_units"]) for each in single} == {("icc", 8)}
    assert "--unit item works only with --stage verification" in told(
        report, *ASKED, "--stage", "grading", "--unit", "item"
    )


@needs("readers", "ratings")
@pytest.mark.thorough
def test_people_alone_are_compared_answer_by_answer(told: Told) -> None:
    report = {"unit": "dimension", "by": "dimension", "statistics": ["icc"]}
    found = json.loads(told(report, *ASKED, "--raters", "ann,bob"))
    assert {(each["dimension"], each["n_units"], each["args"]["form"]) for each in found} == {
        (dimension, len(same), form) for dimension, same in SAME.items() for form in FORMS
    }
    with_a_judge = json.loads(told(report, *ASKED, "--raters", "ann,gpt"))
    assert {(each["dimension"], each["args"].get("unit")) for each in with_a_judge} == {(None, "dimension")}


@pytest.mark.slow
def test_only_the_statistics_that_the_report_names_are_shown(told: Told) -> None:
    report = {"unit": "prediction", "statistics": ["percent_agreement", "cohen_kappa", "accuracy"]}
    assert {each["statistic"] for each in json.loads(told(report, *ASKED))} == {"percent_agreement", "cohen_kappa"}
    three = json.loads(told(report, *ASKED, "--raters", "ann,bob,gpt"))  # of several: the mean over pairs, too
    assert {each["statistic"] for each in three} == {"percent_agreement", "cohen_kappa", "light_kappa"}
    one = json.loads(told(report, *ASKED, "--statistic", "fleiss_kappa"))
    assert {each["statistic"] for each in one} == {"fleiss_kappa"}
    assert len(json.loads(told(report, *ASKED, "--statistic", "all"))) > len(three)
    of_results = json.loads(told({"unit": "prediction", "statistics": ["accuracy"]}, *ASKED))
    assert {each["statistic"] for each in of_results} > {"icc", "fleiss_kappa"}


@pytest.mark.slow
def test_results_are_cut_as_the_report_says(told: Told) -> None:
    def parts(report: dict[str, Any], *more: str) -> list[str]:
        found = json.loads(told(report, "result", "show", "NAME", "--format", "json", "--scores", "human", *more))
        (board,) = [each for each in found["boards"] if "score" in each["scores"]]
        return [each["part"] for each in board["lines"] if each["part"]]

    assert parts({}) == ["colour", "size", "shape"]
    assert parts({"by": "group"}) == ["Looks", "Forms"]
    assert parts({"by": "group"}, "--by", "dimension") == ["colour", "size", "shape"]


@needs("readers", "ratings")
@pytest.mark.thorough
def test_the_page_measures_means_and_groups_and_leads_to_their_items(here: Store, tmp_path: Path) -> None:
    rated(here, "p", {}, tmp_path)
    about: dict[str, Any] = {"project": "p", "pool_guidelines": False, "items": None}
    found = figures(here, stage=Stage.GRADING, by=Cut.WHOLE, of_means=True, **about)
    assert {each.n_units for each in found.lines} == {3}
    found = figures(here, stage=Stage.VERIFICATION, by=Cut.GROUP, of_means=False, **about)
    assert list(dict.fromkeys(each.dimension for each in found.lines)) == ["Looks", "Forms"]


@needs("readers", "ratings")
def test_the_short_table_has_what_the_report_names(here: Store, tmp_path: Path) -> None:
    rated(here, "p", {}, tmp_path)
    about: dict[str, Any] = {"project": "p", "pool_guidelines": False, "items": None}
    lines = figures(here, stage=Stage.GRADING, by=Cut.WHOLE, of_means=False, **about).lines

    def short(*named: str) -> set[str]:
        return {each.statistic for each in lines if is_headline(each, several=False, named=named)}

    assert short("spearman", "percent_agreement") == {"spearman", "percent_agreement"}
    assert short("cohen_kappa") == {"cohen_kappa"}
    assert short() > {"krippendorff_alpha", "gwet_ac"}


@needs("readers", "ratings")
@pytest.mark.thorough
def test_results_begin_with_the_scores_that_the_report_names(here: Store, tmp_path: Path) -> None:
    derived = {"derived": [{"name": "good", "all_of": ["score"]}]}

    def first(name: str, *statistics: str) -> str | None:
        rated(here, name, {**derived, "statistics": list(statistics)}, tmp_path)
        return score_choices.scores_of(project_answers.read_project(here, person=None, project=name))[0].criterion

    assert first("a") is None  # the key
    assert first("b", "derived", "accuracy") == "good"
    assert first("c", "accuracy", "derived") is None


@pytest.mark.parametrize(
    ("changes", "report", "sentence"),
    [
        ({"stages": {}}, {"unit": "prediction"}, "models' answers are not graded"),
        ({"stages": {}}, {"statistics": ["icc"]}, "needs ratings, but the schema has no verification"),
        ({}, {"statistics": ["derived"]}, "needs criteria; add criteria under `report: derived`"),
        ({}, {"statistics": ["icc", "icc"]}, "is listed twice"),
        ({}, {"scales": {"score": "nominal"}, "statistics": ["icc"]}, "needs a criterion with numbers on a scale"),
        ({}, {"statistics": ["box_f1"]}, "`box_f1` needs a criterion for boxes"),
        ({}, {"scales": {"score": "nominal"}, "statistics": ["spearman"]}, "needs a criterion with ordered values"),
        ({"item": {"fields": [{"name": "question", "kind": "text"}]}, "stages": {}}, {"statistics": ["accuracy"]},
         "no field of the item is a key"),
        ({"stages": {}}, {"rule": {"units": 50}}, "the schema has no ratings by people to compare with judges"),
        ({}, {"rule": {"units": 1}}, "report.rule.units: the number must be at least 2"),
        ({}, {"rule": {"margin": -0.1}}, "report.rule.margin: `margin` cannot be negative; give 0 or more"),
        ({}, {"rule": {"epsilon": 2}}, "report.rule.epsilon: the value must be between 0 and 1"),
        ({}, {"rule": {"margen": 0.1}}, "margen"),
        ({}, {"regression": {"success": "scores"}}, "success: grading has no criterion `scores` with numbers; use"),
        ({}, {"regression": {"success": "score"}}, "regression.success: `score` has no `dimensions`"),
        ({}, {"regression": {"success": "score", "task": "home"}}, "task: items have no field `home`; use one of:"),
    ],
)  # fmt: skip
def test_what_can_mean_nothing_in_a_schema_is_refused(
    changes: dict[str, Any], report: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    (tmp_path / "s.yaml").write_text(text_of(report, **changes), encoding="utf-8")
    with pytest.raises(SchemaError, match=sentence):
        load_schema(tmp_path / "s.yaml")


@pytest.mark.parametrize(
    ("media", "sentence"),
    [
        ({"frames": 3}, "`frames` is not a known key"),
        ({"frame_every": 0}, "a whole number of at least 1"),
        ({"frame_every": 1.5}, "a whole number of at least 1"),
        ({"goal_actions_max": 20}, "items of this format have no goal; remove this key"),
        ({"clip_ends_before_action_seconds": 0.5}, "do not give the start of an action"),
    ],
)
def test_what_source_media_cannot_mean_is_refused(media: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(text_of({}, source={"format": "egothink", "media": media}), encoding="utf-8")
    with pytest.raises(SchemaError, match=sentence):
        load_schema(tmp_path / "s.yaml")


def test_what_the_protocols_say_has_a_meaning() -> None:
    """The published protocols begin with what their papers report."""
    found = {name: load_schema(path).schema_.report for name, path in shipped().items()}
    assert (found["etp_bench"].unit, found["etp_bench"].statistics[0]) == ("dimension", "icc")
    assert found["pca_bench"].unit == found["egothink"].unit == "prediction"
