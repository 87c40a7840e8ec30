"""A stage whose extension is missing is closed, no one submits to it, and all other work goes on."""

from __future__ import annotations

import pytest

from db.engine import Store
from domain import extensions
from domain.errors import LeaseLostError, NotAllowedError, NotAvailableError
from domain.records import NoTask
from domain.states import Stage
from testkit.compared_world import SAY, answer, schema
from testkit.factories import claimed, make_items, make_people, make_person, make_project
from testkit.missing_extensions import needs
from testkit.stage_work import open_work
from workflow.annotate import claims, progress, stage_kinds, submissions
from workflow.files.project_check import check
from workflow.results.ratings import ratings_of
from workflow.runs import run_control

MISSING = "belongs to the extension Preferences, which is not installed"


def without_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do as if the folder of the extension were deleted."""
    others = {name: each for name, each in extensions.installed().items() if name != "preferences"}
    kinds = {name: kind for name, kind in stage_kinds.STAGE_KINDS.items() if name is not Stage.COMPARISON}
    monkeypatch.setattr(extensions, "installed", lambda: others)
    monkeypatch.setattr(stage_kinds.STAGE_KINDS, "_rows", kinds)


@needs("stages", "comparison")
@pytest.mark.both_databases
def test_a_stage_without_its_extension_is_closed_and_goes_on_later(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(store, loaded=schema())
    *items, alone = make_items(store, 4, fields={"question": "What is it?"})
    for model in "ab":
        answer(store, items, model, lambda id, model=model: f"{model} {id}")  # type: ignore[misc]
    other_run = answer(store, [alone], "c", str)
    open_work(store, Stage.COMPARISON)
    ann, bob = make_people(store, "ann", "bob")
    about = {"project": "p", "stage": Stage.COMPARISON}
    said, given_back = claimed(store, ann, Stage.COMPARISON), claimed(store, bob, Stage.COMPARISON)
    submissions.submit(store, person=ann, task=said.id, key="said", values=SAY)
    held = claimed(store, ann, Stage.COMPARISON)
    claims.release(store, person=bob, task=given_back.id)
    with monkeypatch.context() as patch:
        without_comparison(patch)
        assert claims.peek(store, person=bob, **about) == []  # type: ignore[arg-type]
        for person in (ann, bob, make_person(store, "cal")):
            nothing = claims.next_task(store, person=person, **about)  # type: ignore[arg-type]
            assert isinstance(nothing, NoTask)
            assert (nothing.code, MISSING in nothing.sentence) == ("not_available", True)
        lines = [each for each in progress.my_work(store, person=bob) if each.stage is Stage.COMPARISON]
        assert {(line.available, MISSING in line.why) for line in lines} == {(False, True)}
        with pytest.raises(NotAllowedError, match=MISSING):
            claims.take_back(store, person=bob, task=given_back.id)
        with pytest.raises(LeaseLostError, match=MISSING):
            submissions.submit(store, person=ann, task=held.id, key="held", values=SAY)
        with pytest.raises(NotAvailableError, match=MISSING):
            submissions.undo(store, person=ann, **about)  # type: ignore[arg-type]
        with pytest.raises(NotAvailableError, match=MISSING):
            ratings_of(store, project="p", stage=Stage.COMPARISON)
        run_control.withdraw(store, by=None, run=other_run, reason="asked with the wrong pictures")
        assert check(store) == []
    again = claimed(store, ann, Stage.COMPARISON)
    assert again.draft is not None
    assert (again.id, again.draft.values["values"]) == (held.id, SAY)
    submissions.submit(store, person=ann, task=held.id, key="held", values=SAY)
    assert len(ratings_of(store, project="p", stage=Stage.COMPARISON)) == 2
    assert check(store) == []
