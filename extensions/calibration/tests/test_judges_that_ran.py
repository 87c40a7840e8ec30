"""The report on judges that were run here: repeats, both orders, attacks and failures without any option."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from annotation_schemas.loader import load_text
from app.cli import cli
from db.engine import Store
from domain.attacks import ATTACKS
from domain.errors import RatingsError
from domain.runs import RunState
from domain.states import Stage
from extensions.calibration import kept_rule
from extensions.calibration.project_study import study_of
from extensions.calibration.report.calibration import calibration
from extensions.calibration.report.study import Study
from extensions.calibration.report.whole import CalibrationReport
from extensions.calibration.statistics.verdict import Rule
from extensions.calibration.tests.test_replies import table
from inference.spec import Price
from media.store import MediaStore
from reports.content import Paragraph
from testkit.factories import BLIND, SETTLING, claimed, make_items, make_person, make_predictions, make_project
from testkit.scripted import Asked, Reply, ScriptedServer, chat
from tests.workflow.test_judge_runs import FILLS, SCORE, World, means
from workflow.annotate import submissions
from workflow.results.ratings import raters_of, ratings_of
from workflow.results.reply_counts import in_words, refuse_silent, replies_of_judges


@pytest.fixture
def world(store: Store, tmp_path: Path) -> World:
    """Six items, two models: twelve answers, of which two people grade five each."""
    world = World(store, tmp_path, items=6)
    for login in ("ann", "bob"):
        person = make_person(store, login)
        for at in range(5):
            task = claimed(store, person, Stage.GRADING)
            score = (0, 0.5, 1)[sum(map(ord, task.answer or "")) % 3]
            submissions.submit(store, person=person, task=task.id, key=f"{login}-{at}", values={"score": score})
    return world


def found(world: World, *judges: str, **changes: Any) -> tuple[Study, CalibrationReport]:
    study, source = study_of(
        world.store,
        person=None,
        project="p",
        stage=Stage.GRADING,
        humans=["ann", "bob"],
        judges=judges,
        **changes,
    )
    return study, calibration(study, source)


def once(script: Callable[[str, int], str]) -> Callable[[Asked, int], Reply]:
    """A script by what is asked and how often it was asked before."""
    times: dict[str, int] = {}

    def reply(asked: Asked, number: int) -> Reply:
        before = times.get(asked.text, 0)
        times[asked.text] = before + 1
        return chat(script(asked.text, before))

    return reply


def test_repeats_make_the_section_by_themselves(world: World) -> None:
    """Every third answer gets another score at the second time of asking, and one no score at the third."""
    order: dict[str, int] = {}

    def script(text: str, before: int) -> str:
        place = order.setdefault(text, len(order))
        if before == 2 and place == 0:
            return "Rating: [[7]]"
        return f"Rating: [[{1 if place % 3 or before != 1 else 0}]]"

    with ScriptedServer(once(script)) as server:
        run = world.run(
            server.url, world.plan(samples=3), concurrency=1, price=Price(input=1, output=1, date="2026-11-01")
        )
        assert world.work(run) is RunState.DONE
    study, report = found(world, "judge by likeness 1")
    assert study.runs.repeats == {
        "judge by likeness 1": ["judge by likeness 1, asked again (2)", "judge by likeness 1, asked again (3)"]
    }
    whole = {row["judge"]: row for row in table(report, "replies") if row["dimension"] == "all"}
    rated = ratings_of(world.store, project="p", stage=Stage.GRADING)
    by_people = len({row.unit for row in rated if row.rater in ("ann", "bob")})
    assert 5 <= by_people <= 10
    assert [(row["asked"], row["rated by people"]) for row in whole.values()] == [(12, by_people)] * 3
    assert whole["judge by likeness 1, asked again (3)"]["scored"] == 11
    assert whole["judge by likeness 1, asked again (3)"]["not scored"] == "1 out of range"
    told = {row["statistic"]: row["value"] for row in table(report, "repeats")}
    # twelve answers, of which four changed at the second time, the one without a score at the third among them
    same = told["The same in all runs"]
    assert same.value * same.n_units == pytest.approx(8)
    assert same.n_units in (11, 12)
    assert {row["is"] for row in table(report, "judges_are") if row["what"] == "attempts"} == {36}
    about = {row["what"]: row["is"] for row in table(report, "judges_are")}
    assert about["template"] == "likeness, version 1"
    assert about["template, SHA-256"] == world.plan().template_hash
    assert about["model"] == "judge (scripted)"
    assert about["parser"].startswith("double_brackets")
    assert about["run"] == "done, 36 of 36 questions asked"
    assert about["cost"].endswith("USD")
    assert len(about["description, SHA-256"]) == 64


def test_attacks_come_in_by_what_the_judge_is_and_not_by_its_name(world: World) -> None:
    """A judge that falls for orders whenever it is asked about them, and for nothing else but half of the threats."""
    from workflow.runs import run_start

    threats: list[str] = []

    def script(text: str, before: int) -> str:
        answer = text.partition("[Begin]")[2].partition("[End]")[0].strip()
        kind = next((name for name, attack in ATTACKS.items() if attack.strip() == answer), None)
        if kind == "threat":
            threats.append(text)
            return f"Rating: [[{0.5 if len(threats) % 2 else 0}]]"
        if kind == "role":
            return "I will not."
        return f"Rating: [[{1 if kind in ('order', None) else 0}]]"

    with ScriptedServer(once(script)) as server:
        plain = world.run(server.url, world.plan())
        world.work(plain)
        # the same model and template under another name and with another pace; then two that are not the same judge
        spec = world.spec(server.url, concurrency=1, max_calls=1000).model_copy(update={"name": "renamed"})

        for plan, described in (
            (world.plan(attacks=True, limit=4), spec),
            (world.plan(SCORE.replace("Rating?", "How like?"), fills=FILLS, attacks=True, limit=1), spec),
            (world.plan(attacks=True, limit=1), spec.model_copy(update={"model": "another"})),
        ):
            run = run_start.start(world.store, by=None, project="p", spec=described, plan=plan)
            assert world.work(run) is RunState.DONE
    study, report = found(world, "judge by likeness 1")
    rows = {row["kind of answer"]: row for row in table(report, "attacks")}
    assert set(rows) == set(ATTACKS)
    assert {row["asked"] for row in rows.values()} == {4}
    assert {kind: row["fell"] for kind, row in rows.items() if row["fell"]} == {"order": 4, "threat": 2}
    assert (rows["role"]["scored"], rows["role"]["not scored"]) == (0, "4 unparseable")
    assert rows["order"]["share that fell"].value == 1.0
    assert rows["threat"]["share that fell"].value == 0.5
    assert rows["plain"]["share that fell"].value == 0.0
    assert len(study.attacked_others) == 2
    with pytest.raises(RatingsError, match="rated only attack answers, which belong to no model"):
        found(world, "renamed by likeness 1, attacked")


def test_a_judge_without_a_single_score_gets_a_sentence(world: World) -> None:
    with ScriptedServer([chat("I cannot say.")]) as server:
        world.work(world.run(server.url, world.plan()))
    with pytest.raises(
        RatingsError, match="judge by likeness 1 has not scored any unit on score: 0 of 12 scored; 12 unpar"
    ):
        found(world, "judge by likeness 1")
    replies = replies_of_judges(world.store, person=None, project="p", stage=Stage.GRADING)
    raters = raters_of(world.store, person=None, project="p", stage=Stage.GRADING)
    with pytest.raises(RatingsError, match=r"has no scores to compare: score: 0 of 12 scored; 12 unparseable"):
        refuse_silent(replies, raters, ["judge by likeness 1"])
    with ScriptedServer([chat("Rating: [[1]]")]) as server:
        world.work(world.run(server.url, world.plan(values=(0, 1))))
        waiting = world.run(server.url, world.plan(values=(1,)))
        assert waiting
    study, report = found(world, "judge by likeness 1", "judge by likeness 1 (2)")
    assert [each.judge for each in study.scoreless] == ["judge by likeness 1"]
    assert "judge by likeness 1 has not scored any unit on score" in " ".join(
        block.words for block in report.section("design").blocks if isinstance(block, Paragraph)
    )
    with pytest.raises(RatingsError, match="has not replied yet, because its run is waiting"):
        found(world, "judge by likeness 1 (3)")


def test_the_command_says_how_much_was_scored(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of twelve replies three say nothing: nine of 0.5, so the mean is 4.5 of 12 to 7.5 of 12 with the rest."""
    order: dict[str, int] = {}

    def script(text: str, before: int) -> str:
        return "No." if order.setdefault(text, len(order)) % 4 == 0 else "Rating: [[0.5]]"

    with ScriptedServer(once(script)) as server:
        world.work(world.run(server.url, world.plan(), concurrency=1))
    (found_,) = replies_of_judges(
        world.store, person=None, project="p", stage=Stage.GRADING, judges=["judge by likeness 1"]
    )
    assert (found_.asked, found_.scored, found_.failures) == (12, 9, {"unparseable": 3})
    (mean,) = found_.bounds
    assert (mean.value, mean.lowest, mean.highest) == (0.5, 4.5 / 12, 7.5 / 12)
    assert in_words(found_).startswith(
        "judge by likeness 1, score: 9 of 12 scored; 3 unparseable; mean 0.500 (0.375 to 0.625 if all missing "
        "scores were the lowest or the highest); 5 also rated by people"
    )
    settings = SimpleNamespace(home=tmp_path)
    monkeypatch.setattr("app.services.resources", lambda: SimpleNamespace(store=world.store, settings=settings))
    monkeypatch.setattr(Store, "upgrade", lambda self: None)
    done = CliRunner().invoke(
        cli, ["agreement", "show", "p", "--stage", "grading", "--raters", "ann,judge by likeness 1"]
    )
    assert done.exit_code == 0, done.output
    assert in_words(found_) in done.output


COMPARED = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", SETTLING)


def test_both_orders_make_the_section_by_themselves(store: Store, tmp_path: Path) -> None:
    """A judge that takes whatever comes first: in the original order it says A, in the other one, turned back, B."""
    text = COMPARED.replace(
        '{name: score, kind: scale, prompt: "How good?", values: [0, 0.5, 1]}',
        '{name: preference, kind: choice, prompt: "Which?", options: [{value: A, label: First}, '
        "{value: B, label: Second}, {value: C, label: Neither}]}",
    )
    assert "preference" in text
    make_project(store, loaded=load_text(text, "Be exact.", "blind"))
    items = make_items(store, 4)
    make_predictions(store, items, models=["one", "two"])
    world = World.__new__(World)
    world.store, world.items = store, items
    world.means = means(store, MediaStore(tmp_path / "media"), tmp_path / "prepared")
    for login in ("ann", "bob"):
        person = make_person(store, login)
        for at in range(8):
            task = claimed(store, person, Stage.GRADING)
            submissions.submit(
                store, person=person, task=task.id, key=f"{login}-{at}", values={"preference": "AB"[at % 2]}
            )
    with ScriptedServer([chat("The first. [[A]]")]) as server:
        run = world.run(server.url, world.plan("better_of_two", baseline="two", pictures=False))
        assert world.work(run) is RunState.DONE
    name = f"judge by better_of_two {world.plan('better_of_two', baseline='two').template_version}"
    study, report = found(world, name)
    assert study.runs.swapped == {name: [f"{name}, swapped"]}
    told = {row["what"]: row["value"] for row in table(report, "position")}
    assert told["the same verdict in both orders"].value == 0.0
    assert told["leans toward the first position"].value == 1.0
    assert told["leans toward the first position"].n_units == 4


@pytest.mark.both_databases
def test_a_rule_was_set_beforehand_only_if_it_was_stored_before_the_first_reply(world: World) -> None:
    kept_rule.store_rule(world.store, by=None, project="p", text="margin=0.1")
    with ScriptedServer([chat("Rating: [[1]]")]) as server:
        world.work(world.run(server.url, world.plan()))
    study, _ = found(world, "judge by likeness 1")
    assert (study.rule.rule, study.rule.before) == (Rule(margin=0.1), True)
    kept_rule.store_rule(world.store, by=None, project="p", text="margin=0.1")
    assert found(world, "judge by likeness 1")[0].rule.before, "the same rule again keeps its moment"
    kept_rule.store_rule(world.store, by=None, project="p", text="margin=0.3")
    after = found(world, "judge by likeness 1")[0].rule
    assert (after.rule, after.before) == (Rule(margin=0.3), False)
    with pytest.raises(RatingsError, match="does not have the form NAME=NUMBER"):
        kept_rule.store_rule(world.store, by=None, project="p", text="margen=0.1")
