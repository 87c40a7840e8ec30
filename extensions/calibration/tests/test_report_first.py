"""What the schema's report says comes first in the report on judges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation_schemas.loader import load_text
from db.engine import Store
from domain.errors import NotFoundError
from domain.states import Cut, Stage
from extensions.calibration import kept_rule, project_study
from extensions.calibration.report.calibration import calibration
from extensions.calibration.report.rulings import Rulings
from extensions.calibration.report.study import StoredRule
from extensions.calibration.statistics.verdict import Rule
from testkit.factories import Clock, make_project
from testkit.missing_extensions import needs
from tests.workflow.test_report_first import _refuse, rated, text_of
from workflow.results.ratings_from_files import import_ratings

pytestmark = needs("readers", "ratings")


@pytest.mark.thorough
def test_the_report_on_judges_is_cut_and_has_the_coefficients_as_the_report_says(here: Store, tmp_path: Path) -> None:
    def tables(report: dict[str, Any], name: str, **asked: Any) -> tuple[set[Any], set[Any], list[str]]:
        rated(here, name, report, tmp_path)
        study, source = project_study.study_of(
            here, person=None, project=name, stage=Stage.GRADING, humans=["ann", "bob"], judges=["gpt"], **asked
        )
        made = {each.key: each for section in calibration(study, source).sections for each in section.blocks
                if hasattr(each, "columns")}  # fmt: skip
        people, pairs = made["people"], made["judge_pairs"]
        return {row[1] for row in people.rows}, {row[2] for row in people.rows}, list(pairs.columns[4:])

    dimensions, every, columns = tables({}, "a")
    assert dimensions == {"all", "colour", "size", "shape"}
    assert columns == ["equal", "Cohen's kappa", "Krippendorff's alpha", "Pearson's r", "Spearman's rho"]
    named = {"by": "group", "statistics": ["percent_agreement", "pearson"]}
    groups, few, columns = tables(named, "b")
    assert groups == {"all", "Looks", "Forms"}
    assert few == {"Percent agreement", "Krippendorff's alpha (ordinal)"} < every
    assert columns == ["equal", "Krippendorff's alpha", "Pearson's r"]
    whole, again, _ = tables(named, "c", by=Cut.WHOLE, statistics=())
    assert (whole, again) == ({"all"}, every)


def test_calibration_begins_where_a_judge_has_rated_what_the_report_is_about(here: Store, tmp_path: Path) -> None:
    for name, unit in (("a", "item"), ("b", "prediction")):
        rated(here, name, {"unit": unit}, tmp_path)
        assert project_study.stage_first(here, person=None, project=name) is Stage.GRADING
    path = tmp_path / "votes.csv"
    path.write_text("unit,rater,criterion,value\ncolour/0,gpt,choice,red\n", encoding="utf-8")
    for name, stage in (("a", Stage.VERIFICATION), ("b", Stage.GRADING)):
        import_ratings(here, by=None, project=name, path=path, refuse=_refuse)
        assert project_study.stage_first(here, person=None, project=name) is stage


def test_the_rule_of_the_schema_stands_from_the_beginning(here: Store, tmp_path: Path) -> None:
    here.clock = Clock()
    at = here.now()
    here.clock.advance(hours=30)
    rated(here, "p", {"rule": {"margin": 0.1, "constant": False}}, tmp_path)

    def kept() -> StoredRule:
        return kept_rule.stored_rule(here, person=None, project="p", judges=["gpt"])

    assert kept().rule == Rule(margin=0.1, beat_constant=False)
    assert kept().stored_on > at.date().isoformat()
    kept_rule.store_rule(here, by=None, project="p", text="constant=no, margin=0.1")
    assert kept().words(given=None).startswith("The rule")
    here.clock.advance(hours=48)
    kept_rule.store_rule(here, by=None, project="p", text="constant=no, margin=0.1")
    same = kept()
    kept_rule.store_rule(here, by=None, project="p", text="margin=0.2")
    later = kept()
    assert (same.rule, later.rule) == (Rule(margin=0.1, beat_constant=False), Rule(margin=0.2))
    assert same.stored_on < later.stored_on
    assert not later.before, "it came after the judge's ratings"


@pytest.mark.thorough
def test_a_rule_of_the_schema_was_set_before_the_first_reply(here: Store, tmp_path: Path) -> None:
    rated(here, "p", {"rule": {"units": 8}}, tmp_path)  # by the real clock: the project is older than the ratings
    study, source = project_study.study_of(
        here, person=None, project="p", stage=Stage.GRADING, humans=["ann", "bob"], judges=["gpt"]
    )
    assert study.rule.before
    verdict = calibration(study, source).sections[0].blocks[0]
    assert isinstance(verdict, Rulings)
    assert verdict.when.startswith("The rule, set beforehand on ")
    assert "A verdict needs 8 units" in verdict.rule[0]


def test_a_project_that_is_there_opens_whatever_its_report_says(here: Store) -> None:
    """Such a file was taken before these keys had an effect."""
    text = text_of({"unit": "prediction", "statistics": ["icc", "icc"]}, stages={})
    make_project(here, loaded=load_text(text, "", "blind"))
    with pytest.raises(NotFoundError, match="no stage grading with ratings"):
        project_study.study_of(here, person=None, project="p", stage=Stage.GRADING, humans=["ann"], judges=["gpt"])
