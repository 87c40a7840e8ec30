"""Changes of the number of raters, of rounds of verification and of needed images, while people work."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import pytest
from sqlmodel import select

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import ItemRow, TaskRow
from domain import extensions
from domain.errors import InvalidInputError
from domain.records import NoTask, TaskView
from domain.states import ItemState, Stage, TaskState
from extensions.schema_migration import migration
from extensions.schema_migration.changes import Decisions
from testkit.compared_world import COMPARISON, SAY, answer, compare_all, schema
from testkit.factories import claimed, make_items, make_people, make_person, make_project
from testkit.missing_extensions import needs
from testkit.stage_work import open_work
from tests.workflow.test_further_verification import ONE, SECOND, Said, finished, make, say, slots, states, work
from tests.workflow.test_without_media import link, project
from workflow.access.projects import access_to
from workflow.annotate import claims, submissions
from workflow.files.project_check import check
from workflow.results.ratings import ratings_of

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("way", ["send_on", "leave"])
def test_a_stage_is_added_to_a_running_project(store: Store, way: str) -> None:
    (ann, bob, _), (sue, *_) = make(store, ONE, 4)
    for person, n in ((ann, 4), (bob, 2)):
        for _ in range(n):
            say(store, person, "yes")
    new = load_text((ONE + SECOND).replace("version: 1", "version: 2"), "Be exact.", "rounds")
    with pytest.raises(InvalidInputError, match="--send-on verification_2 or --leave verification_2"):
        migration.migrate(store, by=None, project="p", loaded=new)
    done = migration.migrate(
        store, by=None, project="p", loaded=new, decisions=Decisions.parse({way: ["verification_2"]})
    )
    there = (ItemState.IN_VERIFICATION, ItemState.IN_VERIFICATION_2, ItemState.KEPT)
    assert tuple(done.after.get(state, 0) for state in there) == ((2, 2, 0) if way == "send_on" else (2, 0, 2))
    assert check(store) == []
    while not finished(store, bob):
        say(store, bob, "yes")
    assert sorted(states(store).values()).count("in_verification_2") == (4 if way == "send_on" else 2)
    say(store, sue, "no", Stage.VERIFICATION_2)
    migration.undo(store, by=None, project="p")
    assert set(states(store).values()) == {"kept"}
    assert check(store) == []
    assert set(slots(store, Stage.VERIFICATION_2)) <= {"done", "withdrawn"}
    assert finished(store, sue, Stage.VERIFICATION_2)


def test_more_and_fewer_people_in_a_further_stage(store: Store) -> None:
    """Three are asked in the second stage; then four of all, four from now on, and one; each is taken back."""
    text = ONE + SECOND.replace("by: senior", "by: annotator")
    make_project(store, loaded=load_text(text, "Be exact.", "rounds"))
    make_items(store, 5)
    people = make_people(store, *"abcdefgh")
    draw = random.Random(3)
    said: Said = defaultdict(dict)
    for person in people[:2]:
        work(store, [person], Stage.VERIFICATION, said, random.Random(1))
    second: dict[str, list[str]] = defaultdict(list)
    for person, n in zip(people[2:6], (5, 4, 3, 1), strict=True):
        for _ in range(n):
            view = claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION_2)
            if isinstance(view, NoTask):
                break
            assert view.item is not None
            value = draw.choice(["yes", "yes", "no"])
            submissions.submit(store, person=person, task=view.id, key=view.id, values={"right": value})
            second[view.item].append(value)
    came = [item for item, each in said.items() if each[Stage.VERIFICATION] == ["yes", "yes"]]
    assert {len(second[item]) for item in came} >= {3}
    assert min(len(second[item]) for item in came) in (1, 2), "one waits for more"

    def stands(raters: int, *, stays: bool = False) -> tuple[dict[str, str], dict[str, int]]:
        """States, and slots on offer in the second stage, by hand."""
        wanted_states, on_offer = {}, {}
        for item, each in said.items():
            votes = second[item]
            asked = 3 if stays and len(votes) >= 3 else raters
            if item not in came:
                wanted_states[item] = "rejected" if each[Stage.VERIFICATION] == ["no", "no"] else "in_adjudication"
            elif len(votes) < asked:
                wanted_states[item], on_offer[item] = "in_verification_2", asked - len(votes)
            else:
                wanted_states[item] = "kept" if votes.count("yes") * 2 > len(votes) else "rejected"
        return wanted_states, on_offer

    def found() -> tuple[dict[str, str], dict[str, int]]:
        with store.read() as session:
            names = dict(session.exec(select(ItemRow.id, ItemRow.public_id)).all())
            wanted = select(TaskRow.item_id).where(
                TaskRow.stage == Stage.VERIFICATION_2, TaskRow.state == TaskState.OPEN
            )
            return states(store), dict(Counter(names[id or 0] for id in session.exec(wanted)))

    assert found() == stands(3)
    for version, raters, decided, stays in (
        (2, 4, {"more_votes": ["verification_2"]}, False),
        (3, 4, {"leave": ["verification_2"]}, True),
        (4, 1, {"recompute": ["verification_2"]}, False),
    ):
        new = load_text(
            text.replace("raters: 3", f"raters: {raters}").replace("version: 1", f"version: {version}"), "", "rounds"
        )
        with pytest.raises(InvalidInputError, match=r"stages\.verification_2\.raters: this change needs a decision"):
            migration.migrate(store, by=None, project="p", loaded=new)
        decisions = Decisions.parse(decided)
        seen = migration.preview(store, by=None, project="p", loaded=new, decisions=decisions)
        done = migration.migrate(store, by=None, project="p", loaded=new, decisions=decisions)
        assert found() == stands(raters, stays=stays), decided
        assert seen.after == done.after == Counter(stands(raters, stays=stays)[0].values())
        assert len(seen.moved) == len(done.tally.moved)
        assert check(store) == []
        migration.undo(store, by=None, project="p")
        assert found() == stands(3)
        assert check(store) == []


@pytest.mark.both_databases
def test_items_wait_as_long_as_the_schema_in_force_needs_their_images(store: Store) -> None:
    """None is offered while each needs one, all are when they may come without, none again when that is taken back."""
    project(store)
    link(store, make_items(store, 3))
    with store.read() as session:
        access = access_to(session, person=None, project="p")
    text = access.loaded.text.replace("kind: image}", "kind: image, min: 0}")
    loaded = load_text(text.replace("version: 1", "version: 2"), access.loaded.guideline_text, "blind")
    ann = make_person(store, "ann")

    def waiting() -> set[bool]:
        with store.read() as session:
            return set(session.exec(select(TaskRow.awaits_media)))

    assert waiting() == {True}
    migration.migrate(store, by=None, project="p", loaded=loaded)
    assert waiting() == {False}
    assert check(store) == []
    assert isinstance(claims.next_task(store, person=ann, project="p", stage=Stage.VERIFICATION), TaskView)
    migration.undo(store, by=None, project="p")
    assert waiting() == {True}
    assert check(store) == []


@needs("stages", "comparison")
@pytest.mark.slow
def test_no_one_is_asked_for_more_once_more_raters_are_taken_back(store: Store) -> None:
    """Three are asked about each pair for a while; then two again, of whom one has compared the first pair already."""
    make_project(store, loaded=schema())
    ids = make_items(store, 3, fields={"question": "What is it?"})
    for model in "ab":
        answer(store, ids, model, lambda id, model=model: f"{model} {id}")  # type: ignore[misc]
    people = make_people(store, "ann", "bob", "cid")
    open_work(store, Stage.COMPARISON)
    text = schema(COMPARISON.replace("raters: 2", "raters: 3")).text.replace("version: 1", "version: 2")
    migration.migrate(store, by=None, project="p", loaded=load_text(text, "Be fair.", "plain"))
    open_work(store, Stage.COMPARISON)
    view = claimed(store, people[0], Stage.COMPARISON)
    submissions.submit(store, person=people[0], task=view.id, key="first", values=SAY)
    migration.undo(store, by=None, project="p")
    intake = dict(extensions.rows("figures"))["preferences"](store, project="p").intake
    assert (intake.asked, intake.before, intake.opened) == (3, 3, 0)
    assert sum(compare_all(store, person, lambda view: SAY) for person in people) == 5
    assert len(ratings_of(store, project="p", stage=Stage.COMPARISON)) == 6
    assert check(store) == []
