"""A check finds what someone has damaged behind the engine's back, and mends the caches."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from annotation_schemas.loader import load_text
from db import assets
from db.engine import Store
from db.tables import AssetRow
from domain import extensions
from domain.errors import NotFoundError
from domain.roles import Role
from domain.states import Stage
from testkit.factories import claimed, make_items, make_people, make_person, make_project, vote
from testkit.missing_extensions import needs
from workflow.access.event_log import log
from workflow.access.projects import access_to
from workflow.annotate import submissions
from workflow.annotate.authoring import NewItem, add_items
from workflow.files import project_check
from workflow.files.project_check import check, remarks

pytestmark = pytest.mark.both_databases


def damage(store: Store, statement: str) -> None:
    with store.write() as session:
        session.connection().execute(text(statement))


def test_a_wrong_state_is_found_and_mended(store: Store) -> None:
    make_project(store)
    make_items(store, 2)
    for person in make_people(store, "ann", "bob"):
        vote(store, person, dimension="colour")
        vote(store, person, dimension="colour")
    assert check(store) == []
    damage(store, "UPDATE item SET state = 'rejected' WHERE external_id = 'colour/1'")
    (found,) = check(store)
    assert "colour/1" in found
    assert "rejected" in found
    assert "kept" in found
    assert check(store, project="p", rebuild=True) == [found]
    assert check(store) == []


def test_lost_slots_are_found_and_opened_again(store: Store) -> None:
    make_project(store)
    make_items(store)
    damage(store, "DELETE FROM task WHERE slot = 1")
    assert len(check(store, rebuild=True)) == 1
    assert check(store) == []


@pytest.mark.thorough
def test_all_items_are_brought_up_to_their_votes_whatever_fits_into_a_lot(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a restore of votes alone: every state and slot but those of the votes is that of a new item."""
    monkeypatch.setattr(project_check, "_AT_ONCE", 3)
    monkeypatch.setattr(project_check, "_MENDED_AT_ONCE", 2)
    make_project(store)
    make_items(store, 7)
    ann, bob = make_people(store, "ann", "bob")
    order = [vote(store, ann, ["red", "blue", "red"][at % 3]).item for at in range(7)]
    truth = dict.fromkeys(order, "in_verification")
    for _ in range(6):
        view = claimed(store, bob)
        at = order.index(view.item) % 3
        truth[view.item] = ("kept", "rejected", "in_adjudication")[at]
        values = {"choice": ["red", "blue", "blue"][at]}
        submissions.submit(store, person=bob, task=view.id, key=view.id, values=values)

    def states() -> dict[str | None, str]:
        with store.read() as session:
            return {id: state for id, state in session.connection().execute(text("SELECT public_id, state FROM item"))}

    assert states() == truth
    damage(store, "DELETE FROM task WHERE stage = 'adjudication'")
    damage(store, "UPDATE item SET state = 'in_verification'")
    assert check(store, rebuild=True) != []
    assert states() == truth
    assert check(store) == []


TIMED = """
name: timed
version: 1
title: Timed
dimensions: [{id: acts, title: Acts, definition: What is done.}]
item:
  assets: [{role: clip, kind: clip}]
  fields: [{name: question, kind: text}]
stages:
  verification:
    raters: 3
    criteria:
      - {name: seconds, kind: time_span, prompt: When does it move, max: 2}
      - {name: frames, kind: time_span, unit: frames, prompt: In which frames}
      - {name: good, kind: choice, options: ["yes", "no"], prompt: Good}
    keep: {rule: unanimous, criterion: good, value: "yes"}
"""


@needs("kinds", "time_span")
@pytest.mark.one_database
@pytest.mark.parametrize("lasts", [2.5, None])
def test_an_answer_beyond_the_end_of_a_clip_is_worth_knowing(store: Store, lasts: float | None) -> None:
    """Told where the clip's length is known, and never refused: what was stored stays, and nothing has to be mended."""
    make_project(store, loaded=load_text(TIMED, "Be exact.", "timed"))
    with store.write() as session:
        known = {"sha256": "0" * 64, "kind": "clip", "mime": "video/webm", "bytes": 1, "width": 64, "height": 48}
        assets.put_media(session, row={**known, "duration": lasts, "created_at": store.now()})
        row = AssetRow(project_id=1, name="a.webm", kind="clip", sha256=known["sha256"], created_at=store.now())
        session.add(row)
        session.flush()
        new = NewItem(
            external_id="acts/0",
            dimension="acts",
            fields={"question": "What?"},
            author_id=None,
            assets=[("clip", row.id)],
        )
        add_items(session, access=access_to(session, person=None, project="p"), new=[new], now=store.now())
    ends = (2.5, 3.25, 2.55)  # to its end; after it; after it by less than files say of a last frame
    for person, end in zip(make_people(store, "ann", "bob", "cid"), ends, strict=True):
        spans = [{"start": 0.5, "end": 1.0}, {"start": 1.5, "end": end}]
        values = {"seconds": spans, "frames": [{"first": 3, "last": 900}], "good": "yes"}
        task = claimed(store, person)
        submissions.submit(store, person=person, task=task.id, key=task.id, values=values)
    told = "p: an answer to seconds of item acts/0 ends at 3.25 s, but the clip lasts 2.5 s."
    assert remarks(store) == ([told] if lasts else [])
    assert check(store) == []


@pytest.mark.one_database
def test_an_item_without_its_senior_gets_one(store: Store) -> None:
    make_project(store)
    make_items(store)
    ann, bob = make_people(store, "ann", "bob")
    vote(store, ann, "red")
    vote(store, bob, "blue")
    damage(store, "DELETE FROM task WHERE stage = 'adjudication'")
    (found,) = check(store, rebuild=True)
    assert "senior" in found
    claimed(store, make_person(store, "sue", role=Role.SENIOR), Stage.ADJUDICATION)
    assert check(store) == []


def test_what_the_constraints_forbid_is_looked_for_all_the_same(store: Store) -> None:
    make_project(store)
    make_items(store)
    (ann,) = make_people(store, "ann")
    vote(store, ann)
    damage(store, f"UPDATE item SET author_id = {ann.id}")
    assert any("wrote or edited" in each for each in check(store, rebuild=True))
    damage(store, "UPDATE item SET author_id = NULL")
    damage(store, "UPDATE task SET state = 'open', person_id = NULL WHERE state = 'done'")
    assert any("is open, but has a submission" in each for each in check(store))
    damage(store, "UPDATE task SET state = 'done'")
    assert any("is done, but has no submission" in each for each in check(store))


@pytest.mark.one_database
def test_an_unknown_project_is_named(store: Store) -> None:
    make_project(store)
    with pytest.raises(NotFoundError, match="p"):
        check(store, project="q")


def test_slots_out_of_their_order_are_found_and_put_back(store: Store) -> None:
    make_project(store)
    make_items(store, 2)
    damage(store, "UPDATE task SET rank = 7 WHERE slot = 1")
    found = check(store, rebuild=True)
    assert len(found) == 2
    assert all("with the rank 7, but the order random gives the rank 0" in each for each in found)
    assert check(store) == []


def test_a_submission_under_a_foreign_guideline_or_for_another_purpose_is_found(store: Store) -> None:
    make_project(store)
    make_items(store)
    (ann,) = make_people(store, "ann")
    vote(store, ann)
    columns = (
        "project_id, task_id, person_id, stage, dimension, item_id, revision, answers, reasons, note,"
        " schema_version_id, schema_hash, created_at"
    )
    damage(
        store,
        f"INSERT INTO annotation (public_id, submit_key, supersedes_id, guideline_hash, purpose, {columns})"
        f" SELECT 'x', 'x', id, 'nobody wrote this', 'gold', {columns} FROM annotation",
    )
    found = " ".join(check(store))
    assert "submission x names a guideline that this project never had" in found
    assert "submission x and its task have different purposes" in found


@pytest.mark.one_database
def test_an_extension_that_alone_shows_part_of_the_log_is_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    make_project(store)
    with store.write() as session:
        log(session, "goals.saved", by=None, project=access_to(session, person=None, project="p"), now=store.now())
    others = {name: each for name, each in extensions.installed().items() if name != "narrations"}
    monkeypatch.setattr(extensions, "installed", lambda: others)
    (said,) = remarks(store)
    assert said.startswith("p: Part of the log (goals.saved) belongs to the extension Narrations, which is not")
    assert "Restore the folder `extensions/narrations`" in said
