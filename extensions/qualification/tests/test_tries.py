"""No one reaches live work without the qualification that the schema asks for; nothing of it counts as a vote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from sqlalchemy import text

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema, load_text
from db.engine import Store
from domain.errors import ConflictError, InvalidInputError, NotAllowedError
from domain.qualification import Standing
from domain.records import NoTask, Person, TaskView
from domain.roles import Role
from domain.states import Stage
from extensions.qualification import results, sets, tries
from testkit.factories import (
    BLIND,
    Clock,
    claimed,
    make_items,
    make_people,
    make_person,
    make_predictions,
    make_project,
    vote,
)
from testkit.guidelines import new_guideline
from workflow.access.memberships import set_member
from workflow.access.projects import access_to
from workflow.annotate import (
    claims,
    qualification,
    submissions,
)
from workflow.annotate.project_progress import dashboard
from workflow.files.project_check import check
from workflow.results.ratings import ratings_of

pytestmark = pytest.mark.thorough

ASKED = "{items: 4, reviewers: 2, pass_mark: 0.75, retry_after_hours: 24, attempts: 2}"


@pytest.fixture
def clock(store: Store) -> Clock:
    store.clock = Clock()
    return store.clock


@pytest.fixture
def project(store: Store, clock: Clock) -> str:
    """Ten items, all with the key ``red``; four of them are the set."""
    text = BLIND.replace("RATERS", f"2\n    qualification: {ASKED}").replace("PER_SOURCE", "2")
    name = make_project(store, loaded=load_text(text.replace("ADJUDICATION", "none"), "Be exact.", "blind"))
    make_items(store, 10)
    sets.make_set(store, by=None, project=name)
    return name


def answer(store: Store, person: Person, choices: Sequence[str]) -> list[TaskView]:
    """Begin a try and answer its items in the order in which they come."""
    tries.begin(store, person=person, project="p")
    seen = []
    for at, choice in enumerate(choices):
        seen.append(view := claimed(store, person))
        submissions.submit(store, person=person, task=view.id, key=f"{view.id}{at}", values={"choice": choice})
    return seen


def barred(store: Store, person: Person) -> str:
    """Why someone gets no task."""
    found = claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION)
    assert isinstance(found, NoTask), found
    assert found.code == "not_qualified"
    return found.sentence


def sign(store: Store, person: Person, *seniors: Person, signs: bool = True, **comments: str) -> results.Try:
    """Seniors review the last try of a person."""
    last = [each for each in tries.tries(store, person=None, project="p") if each.person == person.login][-1]
    for senior in seniors:
        said = comments or ({} if signs else {last.results[0].item: "Look again."})
        last = tries.review(store, by=senior, qualification=last.id, signs=signs, comments=said)
    return last


def test_from_barred_to_live_work(store: Store, project: str) -> None:
    ann = make_person(store, "ann")
    sam, sue = make_people(store, "sam", "sue", role=Role.SENIOR)
    assert "open Qualification" in barred(store, ann)
    views = answer(store, ann, ["red", "red", "red", "blue"])
    assert len({view.item for view in views}) == 4
    assert all("answer" not in view.fields for view in views), "the key is as secret as in live work"
    assert "Senior annotators are reviewing" in barred(store, ann)
    (mine,) = tries.own_tries(store, person=ann, project="p")
    assert (mine.state, mine.n_right, mine.results) == (Standing.HANDED_IN, 0, ()), "no feedback before the end"
    assert sign(store, ann, sam).state is Standing.HANDED_IN
    assert sign(store, ann, sam).state is Standing.HANDED_IN, "one senior twice is one senior"
    done = sign(store, ann, sue, **{"colour/0": "Mind the shade."})
    assert (done.state, done.n_right) == (Standing.PASSED, 3)
    (mine,) = tries.own_tries(store, person=ann, project="p")
    assert sorted(result.right is True for result in mine.results) == [False, True, True, True]
    live = claimed(store, ann)
    assert live.item not in {view.item for view in views}
    for _ in range(6):
        vote(store, ann)
    found = claims.next_task(store, person=ann, project="p", stage=Stage.VERIFICATION)
    assert isinstance(found, NoTask), "she knows the keys of the set, so she is not asked about it blind"
    assert len(ratings_of(store, project="p", stage=Stage.VERIFICATION)) == 6, "four answers of the set count nowhere"
    assert check(store) == []
    with store.read() as session:
        access = access_to(session, person=None, project="p")
        assert qualification.score_of(session, access, ann.id, Stage.VERIFICATION) == 0.75


def test_who_fails_waits_and_tries_are_counted(store: Store, project: str, clock: Clock) -> None:
    ann = make_person(store, "ann")
    sam, sue = make_people(store, "sam", "sue", role=Role.SENIOR)
    answer(store, ann, ["red", "red", "blue", "blue"])
    assert sign(store, ann, sam, sue).state is Standing.FAILED
    with pytest.raises(ConflictError, match="after 2026-"):
        tries.begin(store, person=ann, project="p")
    clock.advance(hours=25)
    answer(store, ann, ["red", "red", "red", "red"])
    assert sign(store, ann, sam, signs=False).state is Standing.SENT_BACK
    clock.advance(hours=25)
    with pytest.raises(ConflictError, match="2 of 2 tries"):
        tries.begin(store, person=ann, project="p")
    barred(store, ann)


def test_seniors_review_others_only_what_is_handed_in_and_say_why(store: Store, project: str) -> None:
    ann, ben = make_people(store, "ann", "ben")
    sam = make_person(store, "sam", role=Role.SENIOR)
    begun = tries.begin(store, person=ann, project="p")
    with pytest.raises(ConflictError, match="The person has not submitted the try"):
        tries.review(store, by=sam, qualification=begun.id, signs=True)
    with pytest.raises(InvalidInputError, match="at least one item"):
        tries.review(store, by=sam, qualification=begun.id, signs=False)
    with pytest.raises(NotAllowedError):
        tries.review(store, by=ben, qualification=begun.id, signs=True)
    own = tries.begin(store, person=sam, project="p")
    with pytest.raises(NotAllowedError, match="own"):
        tries.review(store, by=sam, qualification=own.id, signs=True)
    with pytest.raises(NotAllowedError):
        tries.tries(store, person=ann, project="p")


def test_a_lead_lets_someone_in_with_a_reason(store: Store, project: str) -> None:
    ann = make_person(store, "ann")
    with pytest.raises(InvalidInputError, match="Enter the reason why this person needs no qualification"):
        qualification.exempt(store, by=None, project="p", login="ann", why=" ")
    qualification.exempt(store, by=None, project="p", login="ann", why="Wrote the guideline.")
    claimed(store, ann)
    (mine,) = tries.own_tries(store, person=ann, project="p")
    assert mine.exempt == "Wrote the guideline."


def test_a_new_set_can_ask_everyone_again(store: Store, project: str, clock: Clock) -> None:
    ann = make_person(store, "ann")
    sam, sue = make_people(store, "sam", "sue", role=Role.SENIOR)
    answer(store, ann, ["red"] * 4)
    sign(store, ann, sam, sue)
    claimed(store, ann)
    sets.make_set(store, by=None, project="p", n=2)
    claimed(store, ann)
    made = sets.make_set(store, by=None, project="p", names=["colour/9", "colour/8"], requalify=True)
    assert made.items == ["colour/9", "colour/8"]
    barred(store, ann)
    answer(store, ann, ["red"] * 2)
    sign(store, ann, sam, sue)
    claimed(store, ann)


def test_corrections_until_a_senior_looks(store: Store, project: str) -> None:
    ann = make_person(store, "ann")
    sam = make_person(store, "sam", role=Role.SENIOR)
    answer(store, ann, ["red", "red", "red", "blue"])
    view = submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION)
    submissions.submit(store, person=ann, task=view.id, key="again", values={"choice": "red"})
    assert sign(store, ann, sam).n_right == 4
    with pytest.raises(ConflictError, match="Senior annotators are reviewing"):
        submissions.undo(store, person=ann, project="p", stage=Stage.VERIFICATION)


def test_what_is_right_stays_hidden_while_the_same_items_may_come_again(
    store: Store, project: str, clock: Clock
) -> None:
    ann = make_person(store, "ann")
    sam, sue = make_people(store, "sam", "sue", role=Role.SENIOR)
    for last in (False, True):
        answer(store, ann, ["red", "blue", "blue", "blue"])
        assert sign(store, ann, sam, sue).state is Standing.FAILED
        newest = tries.own_tries(store, person=ann, project="p")[-1]
        assert newest.n_right == 1
        told = {(result.key, result.seniors, result.right) for result in newest.results}
        assert told == ({("red", None, True), ("red", None, False)} if last else {(None, None, None)})
        clock.advance(hours=24)


def test_who_has_seen_the_keys_in_a_review_is_not_asked_blind(store: Store, project: str) -> None:
    ann = make_person(store, "ann")
    sam = make_person(store, "sam", role=Role.SENIOR)
    seen = {view.item for view in answer(store, ann, ["red"] * 4)}
    qualification.exempt(store, by=None, project="p", login="sam", why="Wrote the guideline.")
    assert len(tries.tries(store, person=sam, project="p")) == 2
    asked = {vote(store, sam).item for _ in range(6)}
    assert not asked & seen
    assert isinstance(claims.next_task(store, person=sam, project="p", stage=Stage.VERIFICATION), NoTask)


def test_the_dashboard_counts_who_has_not_qualified_yet(store: Store, project: str) -> None:
    make_people(store, "ann", "bob")
    colour = dashboard(store, person=None, project=project).rows[0]
    (why,) = [why for why in colour.blocked if "votes" in why]
    assert "but nobody may vote (2 more have not qualified or are stopped)" in why
    for login in ("ann", "bob"):
        qualification.exempt(store, by=None, project=project, login=login, why="They wrote the guideline.")
    assert not any("votes" in why for why in dashboard(store, person=None, project=project).rows[0].blocked)


def test_a_set_says_that_it_is_smaller_than_it_was_to_be(store: Store, project: str) -> None:
    def few(**of: object) -> str:
        return sets.make_set(store, by=None, project=project, **of).few  # type: ignore[arg-type]

    assert few() == ""
    assert few(n=12) == "You asked for 12 items, but the project has no more."
    assert few(n=3) == "The schema asks for 4 items."
    assert few(names=["colour/0"]) == "The schema asks for 4 items."
    newest = sets.newest_set(store, person=None, project=project)
    assert newest is not None
    assert (newest.number, newest.items, newest.few) == (
        5,
        ["colour/0"],
        "The schema asks for 4 items.",
    )


def damage(store: Store, statement: str) -> None:
    """Change an append-only row behind the engine's back."""
    with store.write() as session:
        run = session.connection().execute
        if store.engine.dialect.name == "sqlite":
            for table in ("qualification_review", "annotation"):
                run(text(f"DROP TRIGGER IF EXISTS {table}_no_update"))
        else:
            run(text("SET LOCAL session_replication_role = replica"))
        run(text(statement))


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "UPDATE qualification_review SET n_right = 4",
            ["is stored with 4 right answers, but the answers give 2."] * 2,
        ),
        (
            "UPDATE qualification_review SET state = 'passed' WHERE state = 'failed'",
            ["is stored as passed, but the answers and reviews give failed."],
        ),
        (
            'UPDATE annotation SET answers = \'{"choice": "red"}\'',
            ["is stored with 2 right answers, but the answers give 4."] * 2,
        ),
    ],
)
def test_a_check_recomputes_what_was_signed(store: Store, project: str, statement: str, said: list[str]) -> None:
    ann = make_person(store, "ann")
    sam, sue = make_people(store, "sam", "sue", role=Role.SENIOR)
    answer(store, ann, ["red", "red", "blue", "blue"])
    assert sign(store, ann, sam, sue).state is Standing.FAILED
    assert check(store) == []
    damage(store, statement)
    found = [line for line in check(store, rebuild=True) if "stored with" in line or said[0].startswith("is stored as")]
    assert [line.partition("for verification ")[2] for line in found] == said
    assert found[0].startswith("p: sue's review of ann's try 1" if len(said) == 1 else "p: sam's review of ann's try 1")
    assert check(store), "what a senior signed stays as it is, also in a rebuild"


def test_a_check_takes_seniors_and_their_answers_as_they_were(store: Store, clock: Clock) -> None:
    asked = ASKED.replace("items: 4", "items: 2, against: seniors")
    text_ = BLIND.replace("RATERS", f"2\n    qualification: {asked}").replace("PER_SOURCE", "2")
    make_project(store, loaded=load_text(text_.replace("ADJUDICATION", "none"), "Be exact.", "blind"))
    make_items(store, 2)
    sets.make_set(store, by=None, project="p")
    ann = make_person(store, "ann")
    sam, sue, tom = make_people(store, "sam", "sue", "tom", role=Role.SENIOR)
    answer(store, sam, ["blue", "blue"])
    answer(store, ann, ["blue", "blue"])
    clock.advance(minutes=1)
    assert (sign(store, ann, sam, sue).state, check(store)) == (Standing.PASSED, [])
    clock.advance(minutes=1)
    answer(store, tom, ["red", "red"])
    set_member(store, by=None, project="p", login="sam", role=Role.ANNOTATOR)
    assert check(store) == []


def test_half_of_the_seniors_make_no_right_answer(store: Store, clock: Clock) -> None:
    asked = ASKED.replace("items: 4", "items: 1, against: seniors")
    text = BLIND.replace("RATERS", f"2\n    qualification: {asked}").replace("PER_SOURCE", "2")
    make_project(store, loaded=load_text(text.replace("ADJUDICATION", "none"), "Be exact.", "blind"))
    make_items(store, 3)
    sets.make_set(store, by=None, project="p")
    ann = make_person(store, "ann")
    for senior, choice in zip(
        make_people(store, "sam", "sue", "tom", role=Role.SENIOR), ("red", "blue", "blue"), strict=True
    ):
        answer(store, senior, [choice])
    answer(store, ann, ["red"])
    said = {each.person: each.results[0].seniors for each in tries.tries(store, person=None, project="p")}
    assert said == {"sam": "blue", "sue": None, "tom": None, "ann": "blue"}, "one's own answer is left out"


def test_grading_has_a_qualification_of_its_own(store: Store, clock: Clock) -> None:
    asked = "{items: 3, reviewers: 1, pass_mark: 0.6}"
    text_ = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", "none")
    text_ = text_.replace("  grading:\n    raters: 2", f"  grading:\n    raters: 2\n    qualification: {asked}")
    make_project(store, loaded=load_text(text_, "Be exact.", "blind"))
    make_predictions(store, make_items(store, 3), models=("alpha", "omega"))
    made = sets.make_set(store, by=None, project="p", stage=Stage.GRADING)
    assert len(made.items) == 3
    ann = make_person(store, "ann")
    sam = make_person(store, "sam", role=Role.SENIOR)
    claimed(store, ann)  # the verification asks for none
    found = claims.next_task(store, person=ann, project="p", stage=Stage.GRADING)
    assert isinstance(found, NoTask)
    assert found.code == "not_qualified"
    seen: dict[str, list[str]] = {}
    for person, scores in ((sam, [1, 1, 1]), (ann, [1, 1, 0])):
        tries.begin(store, person=person, project="p", stage=Stage.GRADING)
        for score in scores:
            view = claimed(store, person, Stage.GRADING)
            assert view.place is None
            seen.setdefault(person.login, []).append(view.answer or "")
            submissions.submit(store, person=person, task=view.id, key=view.id, values={"score": score})
    assert set(seen["sam"]) == set(seen["ann"])
    last = tries.tries(store, person=None, project="p", stage=Stage.GRADING)[0]
    assert (last.person, last.n_right, last.state) == ("ann", 2, Standing.HANDED_IN)
    assert not any(model in str(last.results) for model in ("alpha", "omega")), "a model has no name here either"
    assert tries.review(store, by=sam, qualification=last.id, signs=True).state is Standing.PASSED
    live = set()
    for _ in range(3):
        view = claimed(store, ann, Stage.GRADING)
        live.add(view.answer)
        submissions.submit(store, person=ann, task=view.id, key=view.id, values={"score": 1})
    assert isinstance(claims.next_task(store, person=ann, project="p", stage=Stage.GRADING), NoTask)
    assert not live & set(seen["ann"])
    assert len(ratings_of(store, project="p", stage=Stage.GRADING)) == 3
    assert check(store) == []


@pytest.mark.both_databases
def test_votes_weigh_what_their_rater_scored(store: Store, clock: Clock) -> None:
    make_project(store, loaded=load_schema(shipped()["panel"]))
    names = [f"near/{at}" for at in range(7)]
    for name in names:  # the question is the name, by which the vote is found
        make_items(store, dimension="near", fields={"question": name, "answer": "A cup."})
    in_set, (kept, lost, half) = names[:4], names[4:]
    sets.make_set(store, by=None, project="p", names=in_set)

    def say(person: Person, by_item: Mapping[str, str]) -> None:
        for _ in by_item:
            view = claimed(store, person)
            verdict = by_item[view.fields["question"]]
            reasons = {"verdict": "wrong_answer"} if verdict == "no" else {}
            values = {"verdict": verdict}
            submissions.submit(store, person=person, task=view.id, key=view.id, values=values, reasons=reasons)

    sam, ann, bob, cy = make_person(store, "sam", role=Role.SENIOR), *make_people(store, "ann", "bob", "cy")
    for person, n_right in ((sam, 4), (ann, 4), (bob, 2), (cy, 2)):
        tries.begin(store, person=person, project="p")
        say(person, {name: "yes" if at < n_right else "no" for at, name in enumerate(in_set)})
        if person != sam:
            assert sign(store, person, sam).n_right == n_right
    # Of four, ann had all and the others half: 1, 1/2 and 1/2. Her vote against both of theirs is a draw.
    say(ann, {kept: "yes", lost: "no", half: "yes"})
    say(bob, {kept: "yes", lost: "no", half: "no"})
    say(cy, {kept: "no", lost: "yes", half: "no"})
    with store.read() as session:
        states = dict(session.execute(text("SELECT external_id, state FROM item")).all())
    assert [states[name] for name in (kept, lost, half)] == ["kept", "rejected", "in_adjudication"]
    assert check(store) == []


def test_a_new_guideline_can_ask_everyone_again(store: Store, project: str) -> None:
    ann = make_person(store, "ann")
    sam, sue = make_people(store, "sam", "sue", role=Role.SENIOR)
    answer(store, ann, ["red"] * 4)
    sign(store, ann, sam, sue)
    new_guideline(store, project=project, text="Be kind.", why="Kinder.")
    claimed(store, ann)
    assert dashboard(store, person=None, project=project).without_set == ()
    new_guideline(store, project=project, text="Be strict.", why="Stricter.", requalify=True)
    assert dashboard(store, person=None, project=project).without_set == ("verification",)
    assert "A lead can create a set" in barred(store, ann)
    with pytest.raises(ConflictError, match="Ask a lead to make a set"):
        tries.begin(store, person=ann, project=project)
    sets.make_set(store, by=None, project=project, n=1)
    assert "open Qualification" in barred(store, ann)
    answer(store, ann, ["red"])
    sign(store, ann, sam, sue)
    claimed(store, ann)


def test_a_try_that_no_one_reviewed_does_not_hold_up_the_next_set(store: Store, project: str) -> None:
    ann = make_person(store, "ann")
    sam, sue = make_people(store, "sam", "sue", role=Role.SENIOR)
    answer(store, ann, ["red"] * 4)
    (handed_in,) = tries.own_tries(store, person=ann, project=project)
    assert (handed_in.state, handed_in.superseded) == (Standing.HANDED_IN, False)
    assert tries.begin(store, person=ann, project=project).id == handed_in.id
    sets.make_set(store, by=None, project=project, n=1, requalify=True)
    assert "open Qualification" in barred(store, ann)
    assert [each.superseded for each in tries.own_tries(store, person=ann, project=project)] == [True]
    answer(store, ann, ["red"])
    sign(store, ann, sam, sue)
    claimed(store, ann)


def test_attempts_are_counted_anew_after_passing(store: Store, project: str, clock: Clock) -> None:
    ann = make_person(store, "ann")
    sam, sue = make_people(store, "sam", "sue", role=Role.SENIOR)
    answer(store, ann, ["blue"] * 4)
    assert sign(store, ann, sam, sue).state is Standing.FAILED
    clock.advance(hours=24)
    answer(store, ann, ["red"] * 4)
    assert sign(store, ann, sam, sue).state is Standing.PASSED, "the second and last of two tries"
    sets.make_set(store, by=None, project=project, n=1, requalify=True)
    for right in ("blue", "red"):
        answer(store, ann, [right])
        last = sign(store, ann, sam, sue)
        clock.advance(hours=24)
    assert last.state is Standing.PASSED
    claimed(store, ann)
