"""Refinement: models' answers next to the items, decisions, edits, and what they come to."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema, load_text
from annotation_schemas.model import LoadedSchema
from db.engine import Store
from domain.errors import ConflictError, InvalidInputError, LeaseLostError, NotAllowedError, NotFoundError, SchemaError
from domain.records import NoTask, Person
from domain.roles import Role
from domain.states import Stage
from extensions.refinement import decisions, intake
from extensions.refinement.rules import refined
from testkit.factories import claimed, make_items, make_people, make_person, make_predictions, make_project
from workflow.annotate import claims, submissions
from workflow.annotate.project_progress import dashboard
from workflow.files.project_check import check

FIELDS = {
    "question": "Put the cup on the shelf.",
    "actions": ["Pick up the cup.", "Go to the shelf."],
    "answer": "Pick up the cup.",
    "reason": "It is before me.",
    "key_concepts": ["cup"],
}
DIMENSION = "domestic_robot"
ONLY_ONE, ANOTHER = {"other_action": "no"}, {"other_action": "yes"}


def begin(store: Store, n: int = 2, author_id: int | None = None, loaded: LoadedSchema | None = None) -> list[int]:
    """A project after PCA-Bench with items and the answers of two models to each."""
    make_project(store, loaded=loaded or load_schema(shipped()["pca_bench"]))
    items = make_items(store, n, dimension=DIMENSION, fields=FIELDS, author_id=author_id)
    make_predictions(store, items, models=["gpt-secret", "llava-secret"], dimension=DIMENSION)
    return items


def decide(store: Store, person: Person, values: dict[str, object]) -> str:
    view = claimed(store, person, Stage.REFINEMENT)
    submissions.submit(store, person=person, task=view.id, key=view.id, values=values)
    return view.item or ""


def figures(store: Store) -> list[int]:
    assert check(store) == []
    found = decisions.refinement(store, by=None, project="p")
    (said,) = dashboard(store, person=None, project="p").of_stages
    assert said.startswith(f"{found['decided']} of {found['fed']} answers decided in refinement (")
    return [found[name] for name in ("fed", "decided", "edited", "refined")]


@pytest.mark.both_databases
@pytest.mark.thorough
def test_each_fed_answer_is_decided_once_and_an_edit_is_verified_and_looked_at_again(store: Store) -> None:
    begin(store)
    assert intake.open_refinement(store, by=None, project="p", model="gpt-secret") == intake.RefinementIntake(2, 2)
    assert intake.open_refinement(store, by=None, project="p", model="gpt-secret").opened == 0
    ann, bob, cy = make_people(store, "ann", "bob", "cy")
    assert figures(store) == [2, 0, 0, 0]
    decide(store, ann, ONLY_ONE)
    assert figures(store) == [2, 1, 0, 1]
    edited = decide(store, ann, {**ANOTHER, "fields": {"question": "Put the cup before you on the shelf."}})
    assert figures(store) == [2, 1, 1, 1]
    for person in (bob, cy):
        seen = {}
        while not isinstance(
            view := claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION), NoTask
        ):
            seen[view.item] = view.revision
            submissions.submit(store, person=person, task=view.id, key=view.id, values={"choice": FIELDS["answer"]})
        assert seen[edited] == 2
        assert len(seen) == 2
    again = decide(store, ann, ONLY_ONE)
    assert again == edited
    assert figures(store) == [2, 2, 1, 2]


def test_an_item_is_refined_only_when_no_answer_is_right_too(store: Store) -> None:
    begin(store, 1)
    for model in ("gpt-secret", "llava-secret"):
        intake.open_refinement(store, by=None, project="p", model=model)
    ann = make_person(store, "ann")
    decide(store, ann, ANOTHER)
    decide(store, ann, ONLY_ONE)
    assert figures(store) == [2, 2, 0, 0]
    submissions.undo(store, person=ann, project="p", stage=Stage.REFINEMENT)
    assert figures(store) == [2, 2, 0, 0]


@pytest.mark.both_databases
def test_one_round_is_over_when_each_answer_was_looked_at_once(store: Store) -> None:
    """One of two answers leads to an edit: then only the other one is shown, and both together are the round."""
    text = shipped()["pca_bench"].read_text(encoding="utf-8").replace("until: one_right_answer", "until: one_round")
    begin(store, 1, loaded=load_text(text, "", "pca_bench"))
    for model in ("gpt-secret", "llava-secret"):
        intake.open_refinement(store, by=None, project="p", model=model)
    ann, bob = make_people(store, "ann", "bob")
    decide(store, ann, {**ANOTHER, "fields": {"question": "Put the cup before you on the shelf."}})
    assert figures(store) == [2, 1, 1, 0]
    assert intake.open_refinement(store, by=None, project="p", model="gpt-secret", only_differing=False).opened == 0
    decide(store, bob, ANOTHER)
    assert figures(store) == [2, 2, 1, 1]
    left = claims.next_task(store, person=ann, project="p", stage=Stage.REFINEMENT)
    assert isinstance(left, NoTask)
    assert "each answer once, with any decision" in decisions.end_of(load_text(text, "", "pca_bench").schema_)


def test_an_end_of_refinement_that_there_is_not_is_refused(tmp_path: Path) -> None:
    text = shipped()["pca_bench"].read_text(encoding="utf-8").replace("guideline: guidelines/pca_bench.md\n", "")
    text = text.replace("until: one_right_answer", "until: never")
    (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(
        SchemaError, match="`never` is not a known value of `until`; use one of: one_right_answer, one_round"
    ):
        load_schema(tmp_path / "s.yaml")
    load_text(text, "", "s")  # a project that is there opens


@pytest.mark.both_databases
def test_only_answers_that_are_not_read_as_the_key_are_fed_unless_all_are(store: Store) -> None:
    items = begin(store, 1)
    with store.write() as session:
        from db import items as queries

        answer, _ = queries.answers_of(session, project_id=1, model="gpt-secret")[0]
        answer.text = "PICK UP THE CUP."
        session.add(answer)
    assert intake.open_refinement(store, by=None, project="p", model="gpt-secret") == intake.RefinementIntake(
        0, len(items)
    )
    done = intake.open_refinement(store, by=None, project="p", model="gpt-secret", only_differing=False)
    assert done == intake.RefinementIntake(1, 1)
    with pytest.raises(NotFoundError, match="llava-secret"):
        intake.open_refinement(store, by=None, project="p", model="nobody")


@pytest.mark.both_databases
def test_answers_of_all_models_are_sent_at_once_and_each_only_once(store: Store) -> None:
    begin(store)  # two items, two models
    intake.open_refinement(store, by=None, project="p", model="gpt-secret")
    asked = intake.preview_refinement(store, by=None, project="p", model=None)
    assert asked == intake.RefinementIntake(2, 4), "two of the four are there already"
    assert intake.open_refinement(store, by=None, project="p", model=None) == asked
    assert intake.open_refinement(store, by=None, project="p", model=None).opened == 0
    assert figures(store) == [4, 0, 0, 0]


def test_of_all_models_leaves_people_s_own_answers_aside(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(store)
    monkeypatch.setattr(intake.respondents, "names", lambda *_, **__: frozenset({"gpt-secret"}))
    assert intake.open_refinement(store, by=None, project="p", model=None) == intake.RefinementIntake(2, 2)
    assert intake.open_refinement(store, by=None, project="p", model="gpt-secret").opened == 2


def test_it_is_for_leads_and_shows_the_key_but_not_the_model(store: Store) -> None:
    begin(store)
    sam = make_person(store, "sam", role=Role.SENIOR)
    with pytest.raises(NotAllowedError):
        intake.open_refinement(store, by=sam, project="p", model="gpt-secret")
    intake.open_refinement(store, by=make_person(store, "lena", role=Role.LEAD), project="p", model="gpt-secret")
    view = claimed(store, sam, Stage.REFINEMENT)
    assert view.fields == FIELDS
    assert view.answer is not None
    assert "secret" not in json.dumps(dataclasses.asdict(view), default=str)


@pytest.mark.both_databases
def test_neither_the_author_nor_a_voter_who_has_it_open_may_and_who_has_seen_the_key_does_not_vote(
    store: Store,
) -> None:
    ann = make_person(store, "ann", project=None)
    items = begin(store, 1, author_id=ann.id)
    assert items
    from workflow.access import memberships

    memberships.set_member(store, by=None, project="p", login="ann", role=Role.ANNOTATOR)
    bob, cy = make_people(store, "bob", "cy")
    intake.open_refinement(store, by=None, project="p", model="gpt-secret")
    claimed(store, bob)
    for person in (ann, bob):
        left = claims.next_task(store, person=person, project="p", stage=Stage.REFINEMENT)
        assert isinstance(left, NoTask)
    claimed(store, cy, Stage.REFINEMENT)
    assert isinstance(claims.next_task(store, person=cy, project="p", stage=Stage.VERIFICATION), NoTask)


def test_what_is_wrong_is_refused_and_an_edit_ends_the_decisions_on_the_revision_before(store: Store) -> None:
    begin(store, 1)
    for model in ("gpt-secret", "llava-secret"):
        intake.open_refinement(store, by=None, project="p", model=model)
    ann, bob = make_people(store, "ann", "bob")
    view, late = claimed(store, ann, Stage.REFINEMENT), claimed(store, bob, Stage.REFINEMENT)
    same = {"fields": {"question": FIELDS["question"]}}
    gone = {"fields": {"answer": "Sing."}}
    for wrong in ({}, {"other_action": "maybe"}, {**ANOTHER, **same}, {**ANOTHER, **gone}, {**ANOTHER, "fields": 1}):
        with pytest.raises(InvalidInputError):
            submissions.submit(store, person=ann, task=view.id, key="k", values=wrong)
    submissions.submit(store, person=ann, task=view.id, key="k", values={**ONLY_ONE, "fields": {"reason": "I see it."}})
    with pytest.raises(ConflictError):
        submissions.undo(store, person=ann, project="p", stage=Stage.REFINEMENT)
    with pytest.raises(LeaseLostError):
        submissions.submit(store, person=bob, task=late.id, key="b", values=ONLY_ONE)
    assert figures(store) == [2, 0, 1, 0]


def test_the_rule_itself() -> None:
    done = {"other_action": "no"}
    assert refined(done, n_answers=2, decisions=[ONLY_ONE, ONLY_ONE])
    assert not refined(done, n_answers=2, decisions=[ONLY_ONE])
    assert not refined(done, n_answers=2, decisions=[ONLY_ONE, ANOTHER])
    assert not refined(done, n_answers=0, decisions=[])
    assert not refined({}, n_answers=1, decisions=[ONLY_ONE])
