"""A criterion and its options get other names while gold, ratings out of files and a judge's replies are about them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas.formats import FORMATS
from annotation_schemas.judge_templates import parse_template
from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from db.engine import Store
from domain.errors import InvalidInputError
from domain.judging import JudgePlan, ReplyFilter
from domain.run_kinds import RunKind
from domain.states import Stage
from extensions.schema_migration import migration
from extensions.schema_migration.changes import Decisions
from testkit.factories import make_items, make_people, make_project, vote
from testkit.gold import answers_of_gold, make_gold
from testkit.missing_extensions import needs
from workflow.files.export import exported
from workflow.files.project_check import check
from workflow.results import judge_replies
from workflow.results.ratings import ratings_of
from workflow.results.ratings_from_files import import_ratings
from workflow.runs import judge_plans, judge_readings, run_views

FIRST = """
name: words
version: 1
title: Words
dimensions: [{id: colour, title: Colour}]
item:
  assets: [{role: image, kind: image, min: 0}]
  fields: [{name: question, kind: text}]
stages:
  verification:
    raters: 2
    criteria: [{name: choice, kind: choice, prompt: Does it fit?, options: [red, blue, unsure]}]
    keep: {rule: unanimous, criterion: choice, value: red}
  adjudication: {reasons: [hard]}
"""
TEMPLATE = """---
id: sees
version: 1
meaning: does it fit
variables: [question]
parser: double_brackets
values: [red, blue, unsure]
---
{question}
"""
VALUES = ["red", "blue", "unsure"]
JUDGED = ["red", "unsure", "blue", "unsure"]
BROUGHT = ["unsure", "red", "unsure", "blue"]


def schema(version: int, *edits: tuple[str, str]) -> LoadedSchema:
    text = FIRST.replace("version: 1", f"version: {version}")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return load_text(text, "", "words")


def project(store: Store, folder: Path) -> None:
    make_project(store, loaded=schema(1))
    make_items(store, 4, fields={"question": "What is it?"})
    for person in make_people(store, "ann", "bob"):
        for _ in range(4):
            vote(store, person, "red")
    make_gold(store, "colour/3", {"choice": "unsure"})
    bring(store, folder, "choice", BROUGHT)
    replies = [{"item": f"colour/{at}", "judge": "judy", "text": f"So [[{said}]]"} for at, said in enumerate(JUDGED)]
    path = folder / "judged.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in replies), encoding="utf-8")
    plan = judge_plans.plan_of_project(
        store,
        by=None,
        project="p",
        template=parse_template(TEMPLATE, name="t"),
        criteria={"score": "choice"},
        asked_here=False,
    )
    replies = FORMATS["judgements"].replies
    assert replies is not None
    assert replies.imports(store, by=None, project="p", path=path, plan=plan).replies == 4


def bring(store: Store, folder: Path, criterion: str, said: Sequence[str]) -> Any:
    path = folder / f"{criterion}.csv"
    lines = [f"colour/{at},machine,{criterion},{value}" for at, value in enumerate(said)]
    path.write_text("\n".join(["unit,rater,criterion,value", *lines]) + "\n", encoding="utf-8")
    return import_ratings(store, by=None, project="p", path=path, refuse=lambda bad: None)


def seen(store: Store) -> dict[str, Any]:
    """All that is read of gold, the file and the judge."""
    rows = ratings_of(store, project="p", stage=Stage.VERIFICATION)
    (run,) = run_views.runs_of(store, by=None, project="p", kind=RunKind.JUDGE)
    (answers,) = answers_of_gold(store)
    assert isinstance(run.plan, JudgePlan)
    (tally,) = judge_replies.tallies(store, by=None, run=run.id)
    shown = judge_replies.replies_of(store, by=None, run=run.id, wanted=ReplyFilter(criterion=tally.criterion))
    return {
        "ratings": sorted((row.rater, row.unit, row.criterion, row.value) for row in rows if "/" in row.unit),
        "gold": answers,
        "verdicts": judge_readings.verdicts_of(store, by=None, run=run.id),
        "tally": (tally.criterion, dict(tally.values)),
        "replies": len(shown),
        "plan": (run.plan.criteria, run.plan.values),
        "files": [dict(exported(store, by=None, project="p", format=name).files) for name in ("ratings", "jsonl")],
    }


def expected(criterion: str, **now: str) -> list[tuple[str, str, str, str]]:
    said = [("judy", at, value) for at, value in enumerate(JUDGED)]
    said += [("machine", at, value) for at, value in enumerate(BROUGHT)]
    return sorted((who, f"colour/{at}", criterion, now.get(value, value)) for who, at, value in said)


@needs("readers", "ratings")
@pytest.mark.both_databases
@pytest.mark.thorough
def test_they_are_read_in_the_words_of_now_and_taking_it_back_is_exact(store: Store, tmp_path: Path) -> None:
    """Another name for the criterion, then for an option, then an option that becomes another one."""
    project(store, tmp_path)
    before = seen(store)
    assert before["ratings"][-8:] == expected("choice")
    named = schema(2, ("name: choice", "name: fits"), ("criterion: choice", "criterion: fits"))
    migrate(store, named, rename_criterion=["choice=fits"])
    assert_reads(store, "fits", now={})
    again = bring(store, tmp_path, "fits", BROUGHT)
    assert (again.new, again.repeated) == (0, 4), "the file comes again, under the name of now"
    assert len(bring(store, tmp_path, "fits", ["red"] * 4).bad) == 3, "the machine has said otherwise"
    spelled = schema(
        3, ("name: choice", "name: fits"), ("criterion: choice", "criterion: fits"), ("unsure", "not_sure")
    )
    migrate(store, spelled, rename_option=["fits:unsure=not_sure"])
    assert_reads(store, "fits", now={"unsure": "not_sure"})
    fewer = schema(4, ("name: choice", "name: fits"), ("criterion: choice", "criterion: fits"), (", unsure", ""))
    migrate(store, fewer, map=["fits:not_sure=blue"])
    assert_reads(store, "fits", now={"unsure": "blue"})
    for _ in range(3):
        migration.undo(store, by=None, project="p")
    assert seen(store) == before
    assert check(store) == []


@needs("readers", "ratings")
def test_what_came_in_between_is_read_in_the_words_of_before(store: Store, tmp_path: Path) -> None:
    project(store, tmp_path)
    named = schema(2, ("name: choice", "name: fits"), ("criterion: choice", "criterion: fits"), ("unsure", "not_sure"))
    migrate(store, named, rename_criterion=["choice=fits"], rename_option=["choice:unsure=not_sure"])
    make_gold(store, "colour/2", {"fits": "not_sure"})
    path = tmp_path / "more.csv"
    path.write_text("unit,rater,criterion,value\ncolour/0,other,fits,not_sure\n", encoding="utf-8")
    import_ratings(store, by=None, project="p", path=path, refuse=lambda bad: None)
    migration.undo(store, by=None, project="p")
    assert answers_of_gold(store) == [{"choice": "unsure"}] * 2
    rows = ratings_of(store, project="p", stage=Stage.VERIFICATION)
    assert [(row.criterion, row.value) for row in rows if row.rater == "other"] == [("choice", "unsure")]


@needs("readers", "ratings")
def test_a_name_that_ratings_of_something_else_have_is_refused(store: Store, tmp_path: Path) -> None:
    project(store, tmp_path)
    two = "options: [red, blue, unsure]}"
    more = f"{two}, {{name: easy, kind: choice, prompt: Easy?, {two}"
    with_easy = schema(2, (two, more))
    migrate(store, with_easy, new_votes_only=["easy"])
    bring(store, tmp_path, "easy", ["red", "red", "red", "red"])
    migrate(store, schema(3), retire=["easy"])
    renamed = schema(4, ("name: choice", "name: easy"), ("criterion: choice", "criterion: easy"))
    with pytest.raises(InvalidInputError, match="already use the name easy for an earlier criterion"):
        migrate(store, renamed, rename_criterion=["choice=easy"])
    fits = schema(4, ("name: choice", "name: fits"), ("criterion: choice", "criterion: fits"))
    migrate(store, fits, rename_criterion=["choice=fits"])
    text = ("options: [red, blue, unsure]}", "options: [red, blue, unsure]}, {name: choice, kind: choice, prompt: W?, "
            "options: [a, b]}")  # fmt: skip
    other = schema(5, text, ("name: choice, kind: choice, prompt: Does", "name: fits, kind: choice, prompt: Does"),
                   ("criterion: choice", "criterion: fits"))  # fmt: skip
    with pytest.raises(InvalidInputError, match="Imported ratings of fits still use the old name choice"):
        migrate(store, other, new_votes_only=["choice"])


def migrate(store: Store, loaded: LoadedSchema, **decided: list[str]) -> None:
    decisions = Decisions.parse(decided)
    before = seen(store)
    looked = migration.preview(store, by=None, project="p", loaded=loaded, decisions=decisions)
    assert seen(store) == before, "a look has changed something"
    migration.migrate(store, by=None, project="p", loaded=loaded, decisions=decisions)
    assert looked.can_be_done


def assert_reads(store: Store, criterion: str, *, now: dict[str, str]) -> None:
    """Gold, the file's four ratings and the judge's four are in the words of now."""
    found, said = seen(store), now.get("unsure", "unsure")
    assert found["ratings"][-8:] == expected(criterion, **now)
    assert found["gold"] == {criterion: said}
    assert set(found["verdicts"]) == {criterion}
    by_value: dict[Any, int] = {}
    for value in JUDGED:
        by_value[now.get(value, value)] = by_value.get(now.get(value, value), 0) + 1
    assert found["tally"] == (criterion, {(value, False): n for value, n in by_value.items()})
    assert found["plan"] == ({"score": criterion}, tuple(dict.fromkeys(now.get(each, each) for each in VALUES)))
    assert found["replies"] == len(JUDGED), "they are found by the name of now"
    assert check(store) == []
