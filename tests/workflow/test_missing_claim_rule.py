"""A stage that asks for gold checks is closed while their extension is missing, and the message names the extension."""

from __future__ import annotations

import pytest

from annotation_schemas.loader import load_text
from db.engine import Store
from domain import extensions
from domain.errors import LeaseLostError, NotAllowedError
from domain.records import NoTask
from domain.states import Stage
from testkit.factories import BLIND, claimed, make_items, make_people, make_person, make_project
from workflow.annotate import claims, progress, submissions

MISSING = "belongs to the extension Gold checks, which is not installed"


def without_gold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do as if the folder of the extension were deleted."""
    others = {name: each for name, each in extensions.installed().items() if name != "gold"}
    monkeypatch.setattr(extensions, "installed", lambda: others)


@pytest.mark.both_databases
def test_no_one_gets_new_work_and_what_people_hold_they_may_finish(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = BLIND.replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    make_project(store, loaded=load_text(text.replace("RATERS", "2\n    gold: {rate: 0.1}"), "Be exact.", "blind"))
    make_items(store, 3)
    ann, bob = make_people(store, "ann", "bob")
    monkeypatch.setattr(extensions, "missing", lambda point, name: None)
    held, given_back = claims.next_task(store, person=ann, project="p", stage=Stage.VERIFICATION), claimed(store, bob)
    assert not isinstance(held, NoTask)
    claims.release(store, person=bob, task=given_back.id)
    monkeypatch.undo()
    without_gold(monkeypatch)
    for person in (ann, bob, make_person(store, "cal")):
        ahead = claims.peek(store, person=person, project="p", stage=Stage.VERIFICATION)
        assert ahead == []
    nothing = claims.next_task(store, person=bob, project="p", stage=Stage.VERIFICATION)
    assert isinstance(nothing, NoTask)
    assert (nothing.code, MISSING in nothing.sentence) == ("not_available", True)
    lines = [each for each in progress.my_work(store, person=bob) if each.stage is Stage.VERIFICATION]
    assert {(line.available, MISSING in line.why) for line in lines} == {(False, True)}
    with pytest.raises(NotAllowedError, match=MISSING):
        claims.take_back(store, person=bob, task=given_back.id)
    with pytest.raises(LeaseLostError, match=MISSING):
        submissions.submit(store, person=bob, task=given_back.id, key="late", values={"choice": "red"})
    submissions.submit(store, person=ann, task=held.id, key="held", values={"choice": "red"})
