"""Proposals of models in a project: arms by chance, what an author begins with, and that no one else learns of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from app.workbench import page
from db.engine import Store
from domain import extensions
from domain.errors import InvalidInputError, NotAllowedError
from domain.records import Person, TaskView
from domain.states import ItemState, Stage
from extensions.drafting import import_records
from extensions.drafting.arms import Arm, draw_arm
from extensions.drafting.proposal_import import (
    ImportResult,
    OfferedFile,
    OfferedProposal,
    import_proposals,
    look_at_proposals,
)
from testkit.factories import Clock, claimed, make_fields, make_people, make_person, make_pool, make_project
from tests.workflow.test_benchmark_judges import rows
from workflow.access.projects import access_to
from workflow.annotate import image_pool, submissions
from workflow.files import project_check
from workflow.files.project_check import check

pytestmark = pytest.mark.both_databases

SECRET = "a model wrote this"


def offered(asset: str, n: int = 1, **changed: Any) -> OfferedProposal:
    fields = make_fields(n, question=f"{SECRET} {n}?")
    told = {"name": f"{n}.png", "asset": asset, "sha256": ("0" * 64,), "dimension": "colour", "fields": fields}
    return OfferedProposal(**{"about": {"task": "make tea"}, **told, **changed})


def give(store: Store, images: Sequence[str], *, share: float = 0.5, seed: int | None = 3, **more: Any) -> ImportResult:
    file = OfferedFile("f" * 64, "drafter-9", tuple(offered(image, n, **more) for n, image in enumerate(images)))
    return import_proposals(store, by=None, project="p", file=file, share=share, seed=seed)


def pick(store: Store, person: Person, image: str, dimension: str = "colour") -> TaskView:
    return image_pool.pick(store, person=person, project="p", dimension=dimension, assets=[image])


def events(store: Store, kind: str) -> list[dict[str, Any]]:
    found = rows(store, f"SELECT data FROM event WHERE kind = '{kind}' ORDER BY id")
    return [json.loads(data) if isinstance(data, str) else data for (data,) in found]


def test_a_project_with_proposals_names_the_extension_where_it_is_missing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(store)
    give(store, make_pool(store, 2))
    assert project_check.remarks(store) == []
    monkeypatch.setattr(extensions, "installed", dict)
    (remark,) = project_check.remarks(store)
    assert "belongs to the extension Drafting, which is not installed." in remark


def test_an_image_decides_whether_its_author_begins_with_the_proposal(store: Store) -> None:
    make_project(store)
    ann = make_person(store, "ann")
    images = make_pool(store, 4)
    file = OfferedFile("f" * 64, "drafter-9", tuple(offered(image, n) for n, image in enumerate(images)))
    looked = look_at_proposals(store, by=None, project="p", file=file, share=0.5, seed=3)
    assert events(store, "drafting.imported") == []
    taken = give(store, images)
    assert looked == taken
    assert (taken.arms, taken.before, taken.refused) == ({Arm.WITH: 2, Arm.WITHOUT: 2}, 0, ())
    begun = {image: pick(store, ann, image) for image in images}
    shown = draw_arm(images, share=0.5, seed=3)
    for n, image in enumerate(images):
        view = begun[image]
        assert view.proposed == (image in shown)
        assert view.fields == (make_fields(n, question=f"{SECRET} {n}?") if image in shown else {})
    assert Counter(each["arm"] for each in events(store, "drafting.begun")) == {"with": 2, "without": 2}
    (told,) = events(store, "drafting.imported")
    assert (told["model"], told["share"], told["seed"], told["with"], told["without"]) == ("drafter-9", 0.5, 3, 2, 2)
    assert check(store) == []


@pytest.mark.one_database
def test_the_person_edits_and_what_they_typed_stays(store: Store) -> None:
    make_project(store)
    ann = make_person(store, "ann")
    (image,) = make_pool(store, 1)
    give(store, [image], share=1)
    task = pick(store, ann, image)
    written = submissions.submit(store, person=ann, task=task.id, key="k", values=make_fields(question="Mine?"))
    assert written.state is ItemState.IN_VERIFICATION
    again = submissions.undo(store, person=ann, project="p", stage=Stage.AUTHORING)
    assert again.draft is not None
    assert again.draft.values["values"]["question"] == "Mine?"
    assert again.proposed
    with store.read() as session:
        access = access_to(session, person=None, project="p")
    drawn_page = page.task_part(access.schema, again)
    assert drawn_page["proposed"] is True
    assert drawn_page["fields"]["question"] == f"{SECRET} 0?"


def test_no_one_but_the_author_is_sent_the_proposal_or_the_arm(store: Store) -> None:
    make_project(store)
    ann, bob = make_people(store, "ann", "bob")
    images = make_pool(store, 2)
    give(store, images)
    pool = image_pool.pool(store, person=bob, project="p")
    assert len({json.dumps(page._asset(each) | {"id": ""}) for each in pool.assets}) == 1  # nothing tells them apart
    for at, image in enumerate(images):
        task = pick(store, ann, image)
        submissions.submit(store, person=ann, task=task.id, key=f"k{at}", values=make_fields(at))
    with store.read() as session:
        access = access_to(session, person=None, project="p")
    for _ in images:
        seen = claimed(store, bob, Stage.VERIFICATION)
        sent = json.dumps(page.task_part(access.schema, seen))
        assert seen.proposed is False
        for word in (SECRET, "drafter-9", "without", "make tea"):
            assert word not in sent
        submissions.submit(store, person=bob, task=seen.id, key=f"v{seen.id}", values={"choice": "red"})


def test_how_long_an_author_is_at_each_field_is_kept_in_both_arms_and_for_leads_alone(store: Store) -> None:
    store.clock = clock = Clock()
    make_project(store)
    ann = make_person(store, "ann")
    shown, hidden, other = make_pool(store, 3)
    give(store, [shown, hidden])  # one in each arm; nothing is proposed for the third
    at_fields = {"question": 6, "options": 2.5, "answer": 0, "nowhere": 5}
    for image in (other, shown, hidden):
        task = pick(store, ann, image)
        clock.advance(seconds=30)
        values = make_fields(question=f"About {image}?")
        submissions.submit(
            store, person=ann, task=task.id, key=image, values=values, seconds=10, field_seconds=at_fields
        )
    kept = {"seconds": {"question": 6.0, "options": 2.5}}
    assert events(store, "drafting.time_by_field") == [kept, kept]

    submissions.undo(store, person=ann, project="p", stage=Stage.AUTHORING)
    clock.advance(seconds=4)
    for wrong in (-1, float("nan"), float("inf"), 10**400, "3", True, None, [1]):
        with pytest.raises(InvalidInputError, match="on a field must be a number of seconds"):
            submissions.submit(
                store, person=ann, task=task.id, key="n", values=values, seconds=4, field_seconds={"question": wrong}
            )
    for _ in range(2):  # sent twice, noted once; nine seconds in four: 6 of 8 are 3 of 4
        submissions.submit(
            store, person=ann, task=task.id, key="again", values=values, seconds=9,
            field_seconds={"question": 6, "answer": 2},
        )  # fmt: skip
    assert events(store, "drafting.time_by_field")[2:] == [{"seconds": {"question": 3.0, "answer": 1.0}}]
    submissions.undo(store, person=ann, project="p", stage=Stage.AUTHORING)
    submissions.submit(store, person=ann, task=task.id, key="no", values=values, field_seconds={"question": 1})
    assert len(events(store, "drafting.time_by_field")) == 3, "of how long in all?"

    assert check(store) == []


@pytest.mark.one_database
def test_an_item_of_another_dimension_has_nothing_to_do_with_it(store: Store) -> None:
    make_project(store)
    ann = make_person(store, "ann")
    images = make_pool(store, 2)
    give(store, images, share=1)
    assert pick(store, ann, images[0], "shape").fields == {}
    assert events(store, "drafting.begun") == []


@pytest.mark.one_database
def test_what_does_not_fit_is_refused_by_name_and_an_arm_is_kept(store: Store) -> None:
    make_project(store)
    ann = make_person(store, "ann")
    free, taken, only, has, twice = make_pool(store, 3) + make_pool(store, 2, source="s")
    with store.write() as session:
        session.connection().exec_driver_sql(f"UPDATE asset SET dimension = 'shape' WHERE public_id = '{only}'")
    pick(store, ann, taken)
    give(store, [has], share=1)
    bad = [
        offered(taken, name="taken"),
        offered(only, name="only"),
        offered("nowhere", name="nowhere"),
        offered(free, name="sea", dimension="sea"),
        offered(free, name="other", sha256=("1" * 64,)),
        offered(free, name="green", fields=make_fields(answer="green")),
        offered(free, name="less", fields={"question": "What?"}),
        offered(free, name="more", fields=make_fields(origin="x")),
        offered(has, name="has"),
        offered(twice, name="first"),
        offered(twice, name="second"),
    ]
    file = OfferedFile("e" * 64, "another", tuple(bad))
    found = import_proposals(store, by=None, project="p", file=file, share=1)
    told = dict(found.refused)
    assert set(told) == {"taken", "only", "nowhere", "sea", "other", "green", "less", "more", "second"}
    assert "is writing or has written an item about this image" in told["taken"]
    assert "is only for 'shape'" in told["only"]
    assert "differs from the image that the model saw" in told["other"]
    assert "one of the entries of options" in told["green"]
    assert "this is missing" in told["less"]
    assert "An earlier line of the file already has a proposal" in told["second"]
    assert (found.arms[Arm.WITH], found.before) == (1, 1)
    models = rows(store, "SELECT proposal FROM asset WHERE proposal IS NOT NULL ORDER BY id")
    assert ["drafter-9" in str(value) for (value,) in models] == [True, False]


@pytest.mark.one_database
def test_who_may_and_where(store: Store) -> None:
    make_project(store)
    ann = make_person(store, "ann")
    file = OfferedFile("f" * 64, "m", ())
    for use_case in (import_proposals, look_at_proposals):
        with pytest.raises(NotAllowedError):
            use_case(store, by=ann, project="p", file=file, share=0.5)
    with pytest.raises(NotAllowedError):
        import_records.of_project(store, by=ann, project="p")
    for share in (0, -1, 1.01, float("nan")):
        with pytest.raises(InvalidInputError, match="above 0"):
            import_proposals(store, by=None, project="p", file=file, share=share)
    assert import_proposals(store, by=None, project="p", file=file, share=0.5).arms == {Arm.WITH: 0, Arm.WITHOUT: 0}
    make_project(store, name="files", loaded=load_schema(shipped()["egoplan"]))
    with pytest.raises(InvalidInputError, match="come from files"):
        import_proposals(store, by=None, project="files", file=file, share=0.5)


def test_every_set_of_a_size_is_as_likely() -> None:
    units = ["a", "b", "c", "d"]
    counts = Counter(draw_arm(units, share=0.5, seed=seed) for seed in range(6000))
    # six sets of two, 1,000 each with a standard deviation of 29; within five of them
    assert set(map(len, counts)) == {2}
    assert len(counts) == 6
    assert all(abs(n - 1000) < 145 for n in counts.values())
    # three units and a half: one or two of them, each half of the time (standard deviation 39 of 6,000)
    sizes = Counter(len(draw_arm(units[:3], share=0.5, seed=seed)) for seed in range(6000))
    assert set(sizes) == {1, 2}
    assert abs(sizes[1] - 3000) < 195
    assert draw_arm(list(reversed(units)), share=0.3, seed=5) == draw_arm(units, share=0.3, seed=5)
