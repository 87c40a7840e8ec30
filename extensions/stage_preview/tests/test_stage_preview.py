"""A preview of a stage shows what its people get, to those who may see it, and leaves everything as it was."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text

from db.engine import Store
from domain.errors import NotAllowedError, NotFoundError
from domain.records import Person
from domain.roles import Role
from domain.states import Stage
from extensions.stage_preview.waiting_items import SECRET, StagePreview, preview
from testkit.factories import (
    claimed,
    make_items,
    make_people,
    make_person,
    make_pool,
    make_predictions,
    make_project,
    make_schema,
    vote,
)

pytestmark = pytest.mark.both_databases


def look(store: Store, person: Person, stage: Stage, **more: Any) -> StagePreview:
    return preview(store, person=person, project="p", stage=stage, **more)


def stored(store: Store) -> dict[str, list[str]]:
    """Every row of every table that knows of work, of who looked, or of what happened."""
    names = ("task", "draft", "annotation", "event", "insight", "walk", "aside", "tally", "asset")
    with store.read() as session:
        return {name: sorted(map(str, session.execute(text(f"SELECT * FROM {name}")))) for name in names}


def test_what_is_shown_is_what_people_get_and_nothing_is_written(store: Store) -> None:
    make_project(store, loaded=make_schema())
    with pytest.raises(NotFoundError, match="no free images"):
        look(store, make_person(store, "zoe", role=Role.LEAD), Stage.AUTHORING)
    make_items(store, 3)
    (ann,) = make_people(store, "ann")
    lea = make_person(store, "lea", role=Role.LEAD)
    sam = make_person(store, "sam", role=Role.SENIOR, stages=[Stage.ADJUDICATION])
    images = make_pool(store, 1, source="video")
    theirs = claimed(store, ann)
    before = stored(store)

    seen = look(store, lea, Stage.VERIFICATION, item=theirs.item)
    assert seen.task.fields == theirs.fields
    assert set(theirs.fields) == {"question", "options"}, "neither the key nor the origin"
    assert (seen.task.assets, seen.task.draft, seen.task.votes) == (theirs.assets, None, ())
    assert seen.task.id != theirs.id
    ways = [look(store, lea, Stage.VERIFICATION, at=at).name for at in range(4)]
    assert sorted(filter(None, ways[:3])) == ["colour/0", "colour/1", "colour/2"]
    assert ways[3] == ways[0], "behind the last it begins again"
    assert look(store, sam, Stage.VERIFICATION).name == ways[0], "without a part in the stage"
    written = look(store, lea, Stage.AUTHORING)
    assert ([each.id for each in written.task.assets], written.task.fields, written.name) == (images, {}, None)
    assert stored(store) == before

    refused = {
        "Only seniors and leads can preview a stage": (ann, Stage.VERIFICATION, {}),
        "has no item 'colour/9'": (lea, Stage.VERIFICATION, {"item": "colour/9"}),
        "colour/0 has not reached": (sam, Stage.GRADING, {"item": "colour/0"}),
        "No item that you may see is waiting": (lea, Stage.VERIFICATION, {"dimension": "shape"}),
        "You can preview .* only with a made-up item": (lea, Stage.ADJUDICATION, {"item": "colour/0"}),
    }
    for words, (person, stage, more) in refused.items():
        with pytest.raises((NotAllowedError, NotFoundError), match=words):
            look(store, person, stage, **more)
    assert stored(store) == before


def test_who_is_asked_blind_sees_nothing_that_they_would_not_see_then(store: Store) -> None:
    make_project(store, loaded=make_schema(adjudication=False))
    (item,) = make_items(store, 1)
    ann, ben = make_people(store, "ann", "ben")
    lea = make_person(store, "lea", role=Role.LEAD)
    sen = make_person(store, "sen", role=Role.SENIOR)
    make_predictions(store, [item], models=["secret-model"])
    assert look(store, lea, Stage.VERIFICATION, item="colour/0").task.fields["question"] == "Question 0?"
    with pytest.raises(NotAllowedError, match="blind"):
        look(store, sen, Stage.VERIFICATION, item="colour/0")
    with pytest.raises(NotFoundError, match="No item that you may see is waiting"):
        look(store, sen, Stage.VERIFICATION)
    with pytest.raises(NotAllowedError, match=SECRET):  # the answer is the key that verifiers must not see
        look(store, lea, Stage.GRADING, item="colour/0")
    held = claimed(store, lea)
    with pytest.raises(NotAllowedError, match="blind"):
        look(store, lea, Stage.VERIFICATION, item=held.item)
    vote(store, lea)
    vote(store, ann)
    seen = look(store, lea, Stage.GRADING).task
    theirs = claimed(store, ben, Stage.GRADING)
    assert (seen.fields, seen.answer) == (theirs.fields, theirs.answer)
    assert "secret-model" not in repr(seen)
