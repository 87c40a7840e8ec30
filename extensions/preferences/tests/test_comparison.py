"""Comparison of models' answers by people: pairs, sides, what is none; and what is made of what they say."""

from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from app.workbench import page
from db.engine import Store
from domain.errors import ConflictError, InvalidInputError, LeaseLostError, NotAllowedError, SchemaError
from domain.records import NoTask, Person, TaskView
from domain.roles import Role
from domain.states import Stage
from exporters.tables import ratings_csv
from extensions.preferences.pair_intake import open_pairs, preview_pairs
from extensions.preferences.project_preferences import Preferences, preferences_of
from media.store import MediaStore
from testkit.compared_world import COMPARISON, SAY, answer, compare_all, schema
from testkit.factories import claimed, make_items, make_people, make_person, make_project
from testkit.looks import look
from testkit.project_archives import clone_project, export_project, import_project, needs_archives
from workflow.access import accounts
from workflow.access.memberships import set_member
from workflow.annotate import claims, drafts, own_submissions, submissions
from workflow.annotate.others_answers import NOT_YET
from workflow.files.project_check import check
from workflow.results.rater_agreement import agreement_of
from workflow.results.ratings import ratings_of
from workflow.runs import run_control


def read(store: Store, **how: Any) -> Preferences:
    return preferences_of(store, project="p", **how)


def stands(store: Store) -> tuple[int, int, int, int, int]:
    found = preview_pairs(store, by=None, project="p")
    return found.asked, found.same, found.missing, found.before, found.opened


@pytest.mark.thorough
@pytest.mark.both_databases
def test_from_opening_to_ratings_no_one_learns_whose_answer_it_is(store: Store) -> None:
    make_project(store, loaded=schema())
    one, other, third = make_items(store, 3, fields={"question": "What is it?"})
    answer(store, [one, other, third], "secret-b", lambda id: f"{id} says b")
    answer(store, [one, other], "secret-a", lambda id: f"{id} says a" if id == one else f" {other}  says b\n")
    ann, bob = make_people(store, "ann", "bob")
    # one pair to ask, one of which both say the same (but for space), one without an answer of secret-a
    assert stands(store) == (1, 1, 1, 0, 1)
    assert open_pairs(store, by=None, project="p").opened == 1
    assert open_pairs(store, by=None, project="p").opened == 0
    assert stands(store) == (1, 1, 1, 1, 0)

    seen = {}
    for person in (ann, bob):
        view = claimed(store, person, Stage.COMPARISON)
        told = page.task_part(schema().schema_, view)
        assert "secret" not in repr(view) + repr(told)
        assert (view.answer, set(view.answers or ())) == (None, {f"{one} says a", f"{one} says b"})
        assert told["answers"] == list(view.answers or ())
        seen[person.login] = view
    assert claimed(store, ann, Stage.COMPARISON).answers == seen["ann"].answers  # asked again, it stands as it stood

    def side(login: str, model: str) -> str:
        return ("left", "right")[(seen[login].answers or ()).index(f"{one} says {model}")]

    def submit(person: Person, **values: Any) -> None:
        id = seen[person.login].id
        submissions.submit(store, person=person, task=id, key=f"{id} {values}", values=values)

    for wrong, why in (
        ({"better": "secret-a"}, "Choose one of the listed answers."),
        ({}, "Choose an answer."),
        ({"better": "left", "factual": "tie"}, "Choose one of the listed answers."),
        ({"better": "left", "harmful": [{"name": "left", "value": "yes"}]}, "Give a value for every property"),
    ):
        with pytest.raises(InvalidInputError) as refused:
            submit(ann, **wrong)
        assert why in str(refused.value)
    harm = [{"name": "left", "value": "yes"}, {"name": "right", "value": "no"}]
    submit(ann, better=side("ann", "a"), factual=side("ann", "b"), harmful=harm)
    submit(bob, better="both_bad")
    back = submissions.undo(store, person=bob, project="p", stage=Stage.COMPARISON)
    assert back.answers == seen["bob"].answers
    assert dict(back.draft.values if back.draft else {})["values"] == {"better": "both_bad"}
    submissions.submit(store, person=bob, task=back.id, key="again", values={"better": "cannot_tell"})
    assert isinstance(claims.next_task(store, person=ann, project="p", stage=Stage.COMPARISON), NoTask)

    found = read(store)
    said = {(each.rater, each.criterion): (each.winner, each.said, each.left) for each in found.votes}
    left = {login: "a" if side(login, "a") == "left" else "b" for login in seen}
    assert said == {
        ("ann", "better"): ("a", side("ann", "a"), left["ann"]),
        ("ann", "factual"): ("b", side("ann", "b"), left["ann"]),
        ("bob", "better"): (None, "cannot_tell", left["bob"]),
    }
    assert {(each.model, each.value, each.side) for each in found.marks} == {
        (f"secret-{left['ann']}", "yes", "left"),
        (f"secret-{'b' if left['ann'] == 'a' else 'a'}", "no", "right"),
    }
    assert [(each.item, each.model_a, each.model_b) for each in found.same] == [("colour/1", "secret-a", "secret-b")]
    assert (found.planned, found.opened, found.complete, found.missing, found.earlier) == (1, 1, 1, 1, 0)
    assert {each.rater for each in read(store, pseudonyms=True).votes} == {"person-1", "person-2"}

    rows = [
        (each.unit, each.rater, each.criterion, each.value)
        for each in ratings_of(store, project="p", stage=Stage.COMPARISON)
    ]
    unit = "colour/0 · secret-a · secret-b"
    marks = [{"name": left["ann"], "value": "yes"}, {"name": "b" if left["ann"] == "a" else "a", "value": "no"}]
    assert rows == [
        (unit, "ann", "better", "a"),
        (unit, "ann", "factual", "b"),
        (unit, "ann", "harmful", sorted(marks, key=lambda each: each["name"])),
        (unit, "bob", "better", "cannot_tell"),
    ]
    (head, first, *_, last) = ratings_csv(ratings_of(store, project="p", stage=Stage.COMPARISON)).decode().splitlines()
    assert head == "unit,rater,criterion,value,dimension,model_a,model_b,left,winner"
    assert first == f"{unit},ann,better,a,colour,secret-a,secret-b,secret-{left['ann']},secret-a"
    assert last == f"{unit},bob,better,cannot_tell,colour,secret-a,secret-b,secret-{left['bob']},cannot_tell"
    assert check(store) == []


@needs_archives
@pytest.mark.slow
@pytest.mark.both_databases
def test_an_answer_that_is_given_anew_or_withdrawn_takes_its_pairs_along(store: Store, tmp_path: Path) -> None:
    make_project(store, loaded=schema())
    ids = make_items(store, 2, fields={"question": "What is it?"})
    for model in "abc":
        answer(store, ids, model, lambda id, model=model: f"{model} {id}")  # type: ignore[misc]
    (ann,) = make_people(store, "ann")
    assert open_pairs(store, by=None, project="p").opened == 6
    compare_all(store, ann, lambda view: SAY)
    assert (len(read(store).votes), read(store).earlier) == (6, 0)
    again = answer(store, ids[:1], "c", lambda id: "c, another time")
    found = read(store)
    assert (len(found.votes), found.earlier, found.opened) == (4, 2, 4)  # of the first item: a with c, b with c
    renewed = open_pairs(store, by=None, project="p")
    assert (renewed.asked, renewed.opened, renewed.called_off) == (6, 2, 2)
    assert compare_all(store, ann, lambda view: {"better": "right"}) == 2
    assert (len(read(store).votes), read(store).earlier) == (6, 2)
    run_control.withdraw(store, by=None, run=again, reason="a wrong prompt")
    assert stands(store) == (6, 0, 0, 4, 2)
    run_control.take_back(store, by=None, run=again)
    assert stands(store) == (6, 0, 0, 6, 0)

    clone_project(store, MediaStore(tmp_path / "media"), name="q")
    assert preferences_of(store, project="q") == read(store)
    (bob,) = make_people(store, "bob")
    set_member(store, by=None, project="q", login="bob", role=Role.ANNOTATOR)
    seen: dict[str, set[Any]] = {"p": set(), "q": set()}
    for project, views in seen.items():
        compare_all(store, bob, lambda view, views=views: views.add(view.answers) or SAY, project=project)  # type: ignore[misc]
    assert len(seen["p"]) == 6
    assert seen["q"] == seen["p"]
    assert check(store) == []
    with store.write() as session:
        session.execute(text("UPDATE task SET prediction_id = NULL WHERE unit = (SELECT min(unit) FROM task)"))
    (said,) = check(store)
    assert "must be two models' answers to the same item, sorted by model name, but has: a, " in said


@pytest.mark.thorough
@pytest.mark.both_databases
def test_no_one_compares_an_answer_that_a_model_has_given_anew(store: Store) -> None:
    """Three items, two people: ann has compared the first pair and has another in hand when b answers all anew; to the
    third item it now says what a says. No lead opens anything."""
    make_project(store, loaded=schema())
    ids = make_items(store, 3, fields={"question": "What is it?"})
    answer(store, ids, "a", lambda id: f"a {id}")
    answer(store, ids, "b", lambda id: f"b {id}")
    ann, bob = make_people(store, "ann", "bob")
    open_pairs(store, by=None, project="p")
    first = claimed(store, ann, Stage.COMPARISON)
    submissions.submit(store, person=ann, task=first.id, key="first", values=SAY)
    held = claimed(store, ann, Stage.COMPARISON)
    late = claimed(store, bob, Stage.COMPARISON)
    claims.postpone(store, person=bob, task=late.id)
    (done, third) = next(id for id in ids if f"a {id}" in (first.answers or ())), ids[2]
    same = third if third != done else ids[1]
    answer(store, ids, "b", lambda id: f"a {id}" if id == same else f"b newer {id}")
    intake = preview_pairs(store, by=None, project="p")
    assert (intake.asked, intake.same, intake.before, intake.opened, intake.anew) == (2, 1, 0, 2, 2)
    assert "Opening adds 2, including 2 reopened because a model answered again." in intake.sentence

    with pytest.raises(ConflictError, match="answers that you compared no longer count"):
        submissions.submit(store, person=ann, task=held.id, key="held", values=SAY)
    with pytest.raises(ConflictError, match="no longer count"):  # sent again, it is told the same
        submissions.submit(store, person=ann, task=held.id, key="held", values=SAY)
    with pytest.raises(ConflictError, match="no longer counts"):
        submissions.undo(store, person=ann, project="p", stage=Stage.COMPARISON)
    with pytest.raises(LeaseLostError, match="no longer count"):
        claims.take_back(store, person=bob, task=late.id)

    seen: dict[str, list[tuple[str, ...]]] = {"ann": [], "bob": []}
    for person in (ann, bob, ann):
        compare_all(store, person, lambda view, who=person.login: seen[who].append(view.answers) or SAY)  # type: ignore[func-returns-value,misc]
    newest = {frozenset({f"a {id}", f"b newer {id}"}) for id in ids if id != same}
    assert {who: [*map(len, told)] for who, told in seen.items()} == {"ann": [2, 2], "bob": [2, 2]}
    assert {frozenset(told) for told in seen["ann"]} == {frozenset(told) for told in seen["bob"]} == newest
    found = read(store)
    assert (found.planned, found.opened, found.complete, len(found.votes), found.earlier) == (2, 2, 2, 4, 1)
    assert stands(store) == (2, 1, 0, 2, 0)
    assert preview_pairs(store, by=None, project="p").called_off == 0
    assert check(store) == []


@pytest.mark.slow
@pytest.mark.both_databases
def test_two_who_ask_at_once_renew_a_pair_once(store: Store) -> None:
    make_project(store, loaded=schema())
    ids = make_items(store, 6, fields={"question": "What is it?"})
    for model in "ab":
        answer(store, ids, model, lambda id, model=model: f"{model} {id}")  # type: ignore[misc]
    people = make_people(store, "ann", "bob")
    open_pairs(store, by=None, project="p")
    answer(store, ids, "b", lambda id: f"b newer {id}")
    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(lambda person: compare_all(store, person, lambda view: SAY), people)] == [6, 6]
    found = read(store)
    assert (found.planned, found.complete, len(found.votes), found.earlier) == (6, 6, 12, 0)
    assert check(store) == []


def test_who_has_seen_what_others_prefer_corrects_nothing_more(store: Store) -> None:
    make_project(store, loaded=schema())
    names = [f"colour/{at}" for at in range(2)]
    ids = make_items(store, 2, fields={"question": "What is it?"})
    for model in "ab":
        answer(store, ids, model, lambda id, model=model: f"{model} {id}")  # type: ignore[misc]
    (ann,) = make_people(store, "ann")
    sue = make_person(store, "sue", role=Role.SENIOR)
    open_pairs(store, by=None, project="p")
    assert compare_all(store, sue, lambda view: SAY) == 2
    with pytest.raises(NotAllowedError):  # ann's preference is to come, and sue's may be corrected
        look(store, sue, names[0])
    assert compare_all(store, ann, lambda view: SAY) == 2

    def of(name: str) -> str:
        with store.read() as session:
            wanted = "SELECT t.public_id FROM task t JOIN item i ON i.id = t.item_id WHERE i.external_id = :name"
            return str(session.execute(text(f"{wanted} AND t.person_id = {sue.id}"), {"name": name}).scalar())

    look(store, sue, names[0])
    with pytest.raises(ConflictError, match="You have seen votes or comments"):
        submissions.undo(store, person=sue, project="p", stage=Stage.COMPARISON, task=of(names[0]))
    back = submissions.undo(store, person=sue, project="p", stage=Stage.COMPARISON, task=of(names[1]))
    with pytest.raises(NotAllowedError):
        look(store, sue, names[1])
    submissions.submit(store, person=sue, task=back.id, key="mended", values={"better": "tie"})
    assert {each.said for each in read(store).votes if each.rater == "sue"} == {"left", "tie"}


def test_others_preferences_are_seen_on_the_readers_sides_when_no_pair_of_the_item_is_left(store: Store) -> None:
    make_project(store, loaded=schema(COMPARISON.replace("    shows", "    show_others: settled\n    shows")))
    ids = make_items(store, 4, fields={"question": "What is it?"})
    for model in "abc":
        answer(store, ids, f"secret-{model}", lambda id, model=model: f"{model} {id}")  # type: ignore[misc]
    ann, bob = make_people(store, "ann", "bob")
    open_pairs(store, by=None, project="p")

    def say(view: TaskView) -> dict[str, Any]:
        """The answer that comes first in the alphabet is better, and harmful."""
        sides = sorted(zip(view.answers or (), ("left", "right"), strict=True))
        harm = [{"name": side, "value": value} for (_, side), value in zip(sides, ("yes", "no"), strict=True)]
        return {"better": sides[0][1], "harmful": sorted(harm, key=lambda each: each["name"])}

    def seen(person: Person) -> list[TaskView]:
        rows = own_submissions.find(store, person=person, project="p").rows
        own = [
            own_submissions.look(store, person=person, project="p", submission=row.id, with_others=True) for row in rows
        ]
        assert {each.others for each in own} <= {"", NOT_YET}
        return [each.view for each in own if not each.others]

    compare_all(store, ann, say)
    assert seen(ann) == []
    for done in range(1, 13):
        view = claimed(store, bob, Stage.COMPARISON)
        submissions.submit(store, person=bob, task=view.id, key=view.id, values=say(view))
        if done == 6:  # with a pair of an item left, no pair of this item is seen
            open_ = claims.next_task(store, person=bob, project="p", stage=Stage.COMPARISON)
            assert isinstance(open_, TaskView)
            held = {text.split()[1] for text in open_.answers or ()}
            assert not held & {text.split()[1] for own in seen(ann) for text in own.answers or ()}
    for person in (ann, bob):
        views = seen(person)
        assert [[(vote.label, vote.values) for vote in own.votes] for own in views] == [
            [("Rater 1", say(own))] for own in views
        ]
        assert len(views) == 12
        assert "secret" not in repr(views)
    answer(store, ids, "secret-d", lambda id: f"d {id}")
    assert open_pairs(store, by=None, project="p").opened == 12
    (cy,) = make_people(store, "cy")
    assert isinstance(claims.next_task(store, person=ann, project="p", stage=Stage.COMPARISON), NoTask)
    assert compare_all(store, cy, say) == 12


def test_a_model_is_not_called_as_no_winner_is(store: Store) -> None:
    make_project(store, loaded=schema())
    ids = make_items(store, 1, fields={"question": "What is it?"})
    for model in ("tie", "win"):
        answer(store, ids, model, lambda id, model=model: model)  # type: ignore[misc]
    with pytest.raises(
        ConflictError,
        match="The model name tie is not allowed, because files of preferences use tie for pairs that neither",
    ):
        open_pairs(store, by=None, project="p")


@needs_archives
def test_what_is_begun_is_not_turned_round_for_someone_with_another_login(store: Store, tmp_path: Path) -> None:
    make_project(store, loaded=schema())
    ids = make_items(store, 4, fields={"question": "What is it?"})
    for model in "ab":
        answer(store, ids, model, lambda id, model=model: f"{model} {id}")  # type: ignore[misc]
    people = make_people(store, "ann", "bob", "cat")
    make_person(store, "zoe", project=None)
    open_pairs(store, by=None, project="p")
    typed = {"values": {"better": "left"}, "reasons": {}, "note": "the longer one"}
    seen = {each.login: claimed(store, each, Stage.COMPARISON) for each in people}
    submissions.submit(store, person=people[2], task=seen["cat"].id, key="c", values=SAY)
    assert submissions.undo(store, person=people[2], project="p", stage=Stage.COMPARISON).answers == seen["cat"].answers
    for each in people:
        drafts.save_draft(store, person=each, task=seen[each.login].id, seq=1, values=typed)

    media = MediaStore(tmp_path / "media")
    export_project(store, media, out=tmp_path / "p.zip", with_media=False)
    how: Any = {"people": "map", "accounts": {"ann": "zoe", "bob": "bob", "cat": None}}
    made = import_project(store, media, path=tmp_path / "p.zip", name="q", **how)
    assert [note for note in made.notes if "may switch sides" in note]
    found = {}
    for login in ("zoe", "bob", "cat-2"):
        person = accounts.find_person(store, login=login)
        view = claims.next_task(store, person=person, project="q", stage=Stage.COMPARISON)
        assert isinstance(view, TaskView)
        found[login] = (view.draft.values if view.draft else None, view.answers)
    assert found["zoe"][0] == {"note": "the longer one"}
    assert found["bob"] == (typed, seen["bob"].answers)
    assert found["cat-2"] == (typed, seen["cat"].answers)  # what is corrected stands as it stood


@pytest.mark.thorough
def test_known_preferences_come_out_and_the_sides_are_even(store: Store) -> None:
    make_project(store, loaded=schema(COMPARISON.replace("    shows", "    per_item: 2\n    shows")))
    dice = random.Random(5)
    ids = make_items(store, 20, fields={"question": "What is it?"})
    models = ("m1", "m2", "m3", "m4")
    for model in models:
        answer(store, ids, model, lambda id, model=model: f"{id} {model}")  # type: ignore[misc]
    people = make_people(store, "ann", "bob")
    assert open_pairs(store, by=None, project="p").opened == 40
    truth: Counter[tuple[str, str, str]] = Counter()
    lefts: Counter[str] = Counter()

    def say(view: TaskView) -> dict[str, Any]:
        told = [each.split()[1] for each in view.answers or ()]
        lefts[told[0]] += 1
        wins = dice.choice([*told, min(told), None])
        truth[min(told), max(told), wins or "tie"] += 1
        return {"better": "tie" if wins is None else ("left", "right")[told.index(wins)]}

    assert [compare_all(store, person, say) for person in people] == [40, 40]
    found = read(store)
    counted = Counter(
        (each.model_a, each.model_b, {"a": each.model_a, "b": each.model_b}.get(each.winner or "", "tie"))
        for each in found.votes
    )
    assert counted == truth
    # of the 6 pairs, each stands 2 times in every 6 items: of 18 items 6 times, and of the other 2 items 4 pairs more
    asked = Counter((each.model_a, each.model_b) for each in found.votes if each.rater == "ann")
    assert set(asked) == set(combinations(models, 2))
    assert min(asked.values()) >= 6
    assert max(asked.values()) <= 8
    # a model stands in half of 40 pairs, for two people: 40 times, and on the left 20 times give or take 4 deviations
    assert all(abs(n - 20) < 4 * sqrt(10) for n in lefts.values()), lefts
    shared = {(each.item, each.model_a, each.model_b): each.left for each in found.votes if each.rater == "ann"}
    differ = [shared[each.item, each.model_a, each.model_b] != each.left for each in found.votes if each.rater == "bob"]
    assert 8 < sum(differ) < 32  # each person has sides of their own
    said: dict[tuple[str, str, str], set[str | None]] = {}
    for each in found.votes:
        said.setdefault((each.item, each.model_a, each.model_b), set()).add(each.winner)
    alike = sum(len(winners) == 1 for winners in said.values())
    (line,) = (
        each
        for each in agreement_of(store, person=None, project="p", stage=Stage.COMPARISON)
        if (each.criterion, each.statistic) == ("better", "percent_agreement")
    )
    assert (line.value, line.n_units) == (pytest.approx(alike / 40), 40)


def test_what_a_schema_cannot_say_is_refused(store: Store) -> None:
    for old, new, why in (
        ("options: [tie, both_bad]", "options: [tie, neither]", "`neither` is not an option for two answers"),
        ("    shows: [question]", "    shows: [answer]", "`answer` is not a field of the item"),
        ("    shows: [question]", "    models: [one]", "a comparison needs at least two models"),
        ("    shows: [question]", "    per_item: 0", "the number must be at least 1"),
        ("raters: 2", "raters: 0", "the number must be at least 1"),
        ("    shows: [question]", "    dimensions: [shape]", "`shape` is not a dimension"),
        ("    shows: [question]", "    gold: {rate: 0.1}", "unknown key; comparisons have no key"),
        ("  comparison:", "  grading:", "only the stage `comparison` shows"),
    ):
        assert old in COMPARISON
        with pytest.raises(SchemaError) as refused:
            schema(COMPARISON.replace(old, new))
        assert why in str(refused.value), str(refused.value)
    head, _, rest = COMPARISON.partition("      - {name: better")
    with pytest.raises(SchemaError, match="no criterion asks which answer is better"):
        schema(head + rest[rest.index("      - {name: harmful") :])
    make_project(store)
    with pytest.raises(ConflictError, match="has no comparison"):
        preview_pairs(store, by=None, project="p")
