"""Verdicts on judges in the data card."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from db.engine import Store
from domain.states import Stage
from extensions.calibration import kept_rule
from extensions.calibration.release_parts import judge_verdicts
from testkit.factories import claimed, make_people
from testkit.scripted import ScriptedServer, chat
from tests.workflow.test_judge_runs import World
from workflow.access.projects import require_lead
from workflow.annotate import submissions
from workflow.results.judge_facts import JudgeVerdicts
from workflow.results.ratings import raters_of

pytestmark = pytest.mark.thorough


def test_a_judge_is_ruled_on_under_the_rule_that_the_project_keeps(store: Store, tmp_path: Path) -> None:
    world = World(store, tmp_path, items=6)
    for person in make_people(store, "annika", "bobbert"):
        for at in range(5):
            task = claimed(store, person, Stage.GRADING)
            score = (0, 0.5, 1)[sum(map(ord, task.answer or "")) % 3]
            submissions.submit(store, person=person, task=task.id, key=f"{person.id}-{at}", values={"score": score})
    with ScriptedServer([chat("Rating: [[1]]")]) as server:
        world.work(world.run(server.url, world.plan()))
    with store.read() as session:
        access = require_lead(session, by=None, project="p")
    raters = raters_of(store, person=None, project="p", stage=Stage.GRADING)

    def found() -> JudgeVerdicts:
        return judge_verdicts(store, access, stage=Stage.GRADING, raters=raters, judges=raters.judges)

    assert found() == JudgeVerdicts({}, "not calibrated: the project has no rule for verdicts")
    kept_rule.store_rule(store, by=None, project="p", text="margin=0.1")
    told = found()
    # at most five answers that both people and the judge have rated, where the rule asks for more
    assert told.by_judge == {"judge by likeness 1": [{"criterion": "score", "words": "Not enough data"}]}
    assert told.rule is not None
    assert "after the first reply" in told.rule
    assert not re.search(r"annika|bobbert", str(told), re.IGNORECASE)
