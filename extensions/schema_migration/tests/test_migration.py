"""Minds that change on a running project: what becomes of its votes, and that nothing is lost."""

from __future__ import annotations

import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from db import answers, items, people, reworded
from db.engine import Store, open_store
from db.tables import AnnotationRow, DraftRow, GoldRow, ItemRow, TaskRow
from domain.errors import ConflictError, InvalidFileError, InvalidInputError, NotFoundError
from domain.records import Person, TaskView
from domain.roles import Role
from domain.states import Purpose, Stage, TaskState
from extensions.schema_migration import in_force, migration
from extensions.schema_migration.changes import AffectedCounts, Decisions
from extensions.schema_migration.items import bring_up
from testkit.factories import make_items, make_people, make_person, make_project
from workflow.access.projects import access_to, project
from workflow.annotate import claims, drafts, submissions
from workflow.files.export import exported
from workflow.files.manifest_entries import schema_of
from workflow.files.project_check import check
from workflow.releases.kept_items import kept_items
from workflow.results.rater_agreement import agreement_of
from workflow.results.ratings import ratings_of

FIRST = """
name: minds
version: 1
title: Minds
dimensions: [{id: colour, title: Colour}, {id: shape, title: Shape}]
item:
  assets: [{role: image, kind: image, min: 0}]
  fields:
    - {name: question, kind: text}
    - {name: remark, kind: text, required: false}
stages:
  verification:
    raters: 2
    criteria:
      - {name: fits, kind: choice, prompt: Does it fit?, options: ["yes", "no", unsure],
         skip: {label: Skip, reasons: [unclear]}}
      - {name: easy, kind: choice, prompt: Is it easy?, options: ["yes", "no"]}
    keep: {rule: unanimous, criterion: fits, value: "yes"}
  adjudication: {reasons: [hard]}
"""

CAST: dict[str, list[str | None]] = {
    "colour/0": ["yes", "yes"],
    "colour/1": ["yes", "unsure"],
    "colour/2": ["unsure", "unsure"],
    "colour/3": ["no", "yes"],
    "colour/4": ["unsure", "no"],
    "colour/5": ["no", "no"],
    "colour/6": ["yes"],
    "colour/7": ["unsure"],
    "colour/8": [None, "yes"],
    "colour/9": [],
}
"""What Ann said of each item, and then Bob, who has the rest still before him. None is a skip."""

Votes = Mapping[str, Sequence[str | None]]


@dataclass(frozen=True)
class Rule:
    """The protocol as this test reads it: written out here once more, without a line of what is tested."""

    raters: int = 2
    majority: bool = False
    seniors: bool = True
    done_with: int | None = None
    """Items that had so many votes before the change need no more."""

    def state(self, said: Sequence[str | None], had: int) -> str:
        wanted = self.raters if self.done_with is None or had < self.done_with else min(self.raters, self.done_with)
        if len(said) < wanted:
            return "in_verification"
        most, n = Counter(said).most_common(1)[0]
        agreed = most is not None and (2 * n > len(said) if self.majority else n == len(said))
        if agreed:
            return "kept" if most == "yes" else "rejected"
        return "in_adjudication" if self.seniors else "rejected"


def same(said: Sequence[str | None]) -> Sequence[str | None]:
    return said


def said_otherwise(**now: str) -> Callable[[Sequence[str | None]], Sequence[str | None]]:
    return lambda said: [now.get(value or "", value) for value in said]


def without(gone: str) -> Callable[[Sequence[str | None]], Sequence[str | None]]:
    return lambda said: [value for value in said if value != gone]


def nothing(said: Sequence[str | None]) -> Sequence[str | None]:
    return []


@dataclass(frozen=True)
class Mind:
    """A change of mind: what is written otherwise, what is decided, and what it comes to."""

    name: str
    edits: Mapping[str, str]
    decided: Mapping[str, Sequence[str]] = field(default_factory=dict)
    votes: Callable[[Sequence[str | None]], Sequence[str | None]] = same
    rule: Rule = field(default_factory=Rule)
    criterion: str = "fits"


EASY = '      - {name: easy, kind: choice, prompt: Is it easy?, options: ["yes", "no"]}\n'
CLEAR = EASY + '      - {name: clear, kind: choice, prompt: Is it clear?, options: ["yes", "no"]}\n'
SETTLING = "  adjudication: {reasons: [hard]}\n"
GRADING = """  grading:
    raters: 2
    shows: [question]
    criteria: [{name: score, kind: scale, prompt: How good?, values: [0, 1]}]
"""

MINDS = [
    Mind("a dimension more", {"title: Shape}": "title: Shape}, {id: size, title: Size}"}),
    Mind("a misspelt option", {"unsure": "not_sure"}, {"rename_option": ["fits:unsure=not_sure"]},
         said_otherwise(unsure="not_sure")),
    Mind("a reason more", {"[unclear]": "[unclear, too_dark]"}),
    Mind("three raters, from now on", {"raters: 2": "raters: 3"}, {"leave": ["verification"]},
         rule=Rule(raters=3, done_with=2)),
    Mind("three raters of all", {"raters: 2": "raters: 3"}, {"more_votes": ["verification"]}, rule=Rule(raters=3)),
    Mind("one rater", {"raters: 2": "raters: 1"}, {"recompute": ["verification"]}, rule=Rule(raters=1)),
    Mind("a criterion more, from now on", {EASY: CLEAR}, {"new_votes_only": ["clear"]}),
    Mind("a criterion more, of all", {EASY: CLEAR}, {"ask_old_items": ["clear"]}, nothing),
    Mind("an option less, mapped", {", unsure]": "]"}, {"map": ["fits:unsure=no"]}, said_otherwise(unsure="no")),
    Mind("an option less, asked again", {", unsure]": "]"}, {"ask_again": ["fits:unsure"]}, without("unsure")),
    Mind("another keep rule", {"rule: unanimous": "rule: majority"}, {"recompute": ["verification"]},
         rule=Rule(majority=True)),
    Mind("a field renamed", {"name: remark": "name: source"}, {"rename_field": ["remark=source"]}),
    Mind("a criterion renamed", {"name: fits": "name: suits", "criterion: fits": "criterion: suits"},
         {"rename_criterion": ["fits=suits"]}, criterion="suits"),
    Mind("a stage more", {SETTLING: SETTLING + GRADING}),
    Mind("no seniors", {SETTLING: ""}, {"recompute": ["adjudication"]}, rule=Rule(seniors=False)),
    Mind("labels in other words", {'options: ["yes", "no", unsure]': 'options: [{value: "yes", label: Ja}, '
         '{value: "no", label: Nein}, {value: unsure, label: Unsicher}]', "Does it fit?": "Passt es?"}),
    Mind("a skip asked again", {"unsure],\n         skip: {label: Skip, reasons: [unclear]}}": "unsure]}"},
         {"ask_again": ["fits"]}, lambda said: [value for value in said if value]),
]  # fmt: skip


def schema(version: int = 1, edits: Mapping[str, str] | None = None) -> LoadedSchema:
    text = FIRST.replace("version: 1", f"version: {version}")
    for old, new in (edits or {}).items():
        assert old in text
        text = text.replace(old, new)
    return load_text(text, "Be exact.", "minds")


def named(store: Store, view: TaskView) -> str:
    with store.read() as session:
        return session.exec(select(ItemRow.external_id).where(ItemRow.public_id == view.item)).one()


def take(store: Store, person: Person) -> TaskView:
    view = claims.next_task(store, person=person, project="p", stage=Stage.VERIFICATION)
    assert isinstance(view, TaskView)
    return view


def answer(store: Store, person: Person, view: TaskView, value: str | None, **more: Any) -> None:
    given = {"fits": value, "easy": "yes", **more}
    why = {"fits": "unclear"} if value is None else {}
    key = f"{view.id}/{person.login}"
    submissions.submit(store, person=person, task=view.id, key=key, values=given, reasons=why)


def build(store: Store) -> None:
    """Ann and Bob have voted; Cid has an item in hand and has begun to write; a senior has another in hand."""
    make_project(store, loaded=schema())
    make_items(store, len(CAST), fields={"question": "What is it?", "remark": "seen"})
    people = make_people(store, "ann", "bob", "cid")
    sue = make_person(store, "sue", role=Role.SENIOR)
    for at, person in enumerate(people[:2]):
        n = sum(len(said) > at for said in CAST.values())
        left = {name for name, said in CAST.items() if len(said) > at}
        for _ in range(len(CAST)):
            if not left:
                break
            view = take(store, person)
            name = named(store, view)
            if name in left:
                left.discard(name)
                answer(store, person, view, CAST[name][at])
            else:
                claims.postpone(store, person=person, task=view.id)
        assert not left, f"{person.login} has not come to all {n}"
    for person in people[:2]:
        for task in _held(store, person):
            claims.release(store, person=person, task=task)
    view = take(store, people[2])
    while len(CAST[named(store, view)]) != 1:  # one that a single vote more, or less, decides
        claims.release(store, person=people[2], task=view.id)
        view = take(store, people[2])
    drafts.save_draft(store, person=people[2], task=view.id, seq=1, values={"values": {"fits": "yes"}})
    assert isinstance(claims.next_task(store, person=sue, project="p", stage=Stage.ADJUDICATION), TaskView)


def _held(store: Store, person: Person) -> list[str]:
    with store.read() as session:
        wanted = select(TaskRow.public_id).where(TaskRow.person_id == person.id, TaskRow.state == TaskState.CLAIMED)
        return list(session.exec(wanted))


@pytest.fixture(scope="module")
def running(sqlite_store_for_module: Store) -> Path:
    build(sqlite_store_for_module)
    sqlite_store_for_module.close()
    assert sqlite_store_for_module.engine.url.database is not None
    return Path(sqlite_store_for_module.engine.url.database)


@pytest.fixture
def copied(running: Path, tmp_path: Path) -> Iterator[Store]:
    """The running project, copied for one test."""
    shutil.copyfile(running, tmp_path / "touchstone.db")
    store = open_store(f"sqlite:///{tmp_path / 'touchstone.db'}", tmp_path)
    yield store
    store.close()


def states(store: Store) -> dict[str, str]:
    with store.read() as session:
        return {name: state.value for name, state in session.exec(select(ItemRow.external_id, ItemRow.state))}


def counted(store: Store, criterion: str) -> dict[str, list[str]]:
    """What ratings say of each item: through the reader that statistics and exports have."""
    found: dict[str, list[str]] = {}
    for row in ratings_of(store, project="p", stage=Stage.VERIFICATION):
        if row.criterion == criterion:
            found.setdefault(row.unit, []).append(row.value)
    return {name: sorted(found.get(name, [])) for name in {**CAST, **found}}


def whole(store: Store) -> dict[str, Any]:
    """All that has to be as it was: states, what counts of every vote, slots on offer, work in hand, drafts."""
    with store.read() as session:
        slots = Counter(
            (task.unit, task.state.value, task.person_id if task.state is not TaskState.OPEN else None)
            for task in session.exec(select(TaskRow))
            if task.state is not TaskState.WITHDRAWN
        )
        held = [row.public_id for row in session.exec(select(TaskRow)) if row.state is TaskState.CLAIMED]
        in_hand = select(DraftRow).join(TaskRow).where(TaskRow.state == TaskState.CLAIMED)
        texts = [dict(row.content) for row in session.exec(in_hand)]
    return {
        "states": states(store),
        "files": [dict(exported(store, by=None, project="p", format=name).files) for name in ("ratings", "jsonl")],
        "slots": slots,
        "held": held,
        "drafts": texts,
    }


def after(mind: Mind) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The states and votes that a change of mind comes to, by hand."""
    votes = {name: list(mind.votes(said)) for name, said in CAST.items()}
    verdicts = {name: mind.rule.state(votes[name], len(said)) for name, said in CAST.items()}
    return verdicts, {name: sorted(value for value in said if value) for name, said in votes.items()}


@pytest.mark.slow
@pytest.mark.both_databases
def test_minds_change_and_change_back_one_after_the_other(store: Store) -> None:
    build(store)
    before = whole(store)
    assert before["states"] == {name: Rule().state(said, len(said)) for name, said in CAST.items()}
    for number, mind in enumerate(MINDS, start=2):
        changes_and_changes_back(store, mind, number, before)


def changes_and_changes_back(store: Store, mind: Mind, number: int, before: Mapping[str, Any]) -> None:
    new, decisions = schema(number, mind.edits), Decisions.parse(mind.decided)
    verdicts, votes = after(mind)
    gone = sum(len(said) - len(mind.votes(said)) for said in CAST.values())

    seen = migration.preview(store, by=None, project="p", loaded=new, decisions=decisions)
    assert seen.can_be_done, (mind.name, [str(each) for each in seen.comparison.missing])
    assert whole(store) == before, f"a look has changed something: {mind.name}"
    done = migration.migrate(store, by=None, project="p", loaded=new, decisions=decisions)

    assert states(store) == verdicts, mind.name
    assert counted(store, mind.criterion) == votes, mind.name
    assert check(store) == [], mind.name
    assert check(store, rebuild=True) == []
    assert seen.after == done.after == Counter(verdicts.values())
    assert {each.item: (each.before, each.after) for each in seen.moved} == {
        name: (state, verdicts[name]) for name, state in before["states"].items() if state != verdicts[name]
    }
    assert seen.asked_again == done.tally.asked_again == gone, mind.name
    assert before["held"] == whole(store)["held"], f"what people had in hand is theirs: {mind.name}"

    migration.undo(store, by=None, project="p")
    assert whole(store) == before, mind.name
    assert check(store) == []


@pytest.mark.thorough
def test_every_vote_keeps_the_version_that_it_was_given_under(copied: Store) -> None:
    """What is stored of a vote stays as it was given, whatever it is read as."""
    mind = next(each for each in MINDS if each.name == "an option less, mapped")
    with copied.read() as session:
        first = {row.public_id: (row.schema_hash, dict(row.answers)) for row in session.exec(select(AnnotationRow))}
    migration.migrate(
        copied, by=None, project="p", loaded=schema(2, mind.edits), decisions=Decisions.parse(mind.decided)
    )
    with copied.read() as session:
        stored = session.connection().exec_driver_sql("SELECT public_id, schema_hash, answers FROM annotation").all()
        said = reworded.query(session, select(AnnotationRow).where(AnnotationRow.purpose == Purpose.LIVE))
    assert {id: hash for id, hash, _ in stored} == {id: hash for id, (hash, _) in first.items()}
    assert sum('"unsure"' in answers for _, _, answers in stored) == 5
    assert not any(row.answers["fits"] == "unsure" for row in said)


def change(store: Store, name: str) -> migration.SchemaChangeResult:
    """What one of the minds above comes to."""
    mind = next(each for each in MINDS if each.name == name)
    decisions = Decisions.parse(mind.decided)
    return migration.migrate(store, by=None, project="p", loaded=schema(2, mind.edits), decisions=decisions)


def person(store: Store, login: str) -> Person:
    with store.read() as session:
        row = people.by_login(session, login=login)
        assert row is not None
        return Person(id=row.id, login=row.login, name=row.name)


def from_old_page(store: Store, **values: Any) -> tuple[TaskView, Callable[[], Any]]:
    """Cid has the form of before the change open, and submits it after the change."""
    cid = person(store, "cid")
    view = take(store, cid)
    old = schema().hash

    def submit() -> Any:
        given = {"fits": "yes", "easy": "yes", **values}
        return submissions.submit(store, person=cid, task=view.id, key="late", values=given, schema=old)

    return view, submit


def test_an_answer_on_the_form_of_before_counts_in_the_words_of_now(copied: Store) -> None:
    view, submit = from_old_page(copied, fits="unsure")
    change(copied, "an option less, mapped")
    submit()
    name = named(copied, view)
    assert "no" in counted(copied, "fits")[name]
    with copied.read() as session:
        (stored,) = session.connection().exec_driver_sql(
            "SELECT schema_hash, answers FROM annotation WHERE submit_key = 'late'"
        )
    assert stored[0] == schema().hash, "it was given under the form of before"
    assert '"unsure"' in stored[1]
    assert check(copied) == []


@pytest.mark.parametrize(
    ("name", "values"),
    [("an option less, asked again", {"fits": "unsure"}), ("a criterion more, from now on", {})],
)
def test_an_answer_that_no_longer_fits_is_kept_as_a_draft(copied: Store, name: str, values: dict[str, Any]) -> None:
    view, submit = from_old_page(copied, **values)
    change(copied, name)
    with pytest.raises(ConflictError, match=r"The form has changed .* kept as a draft"):
        submit()
    again = take(copied, person(copied, "cid"))
    assert again.id == view.id, "it is in the same hands"
    assert again.draft is not None
    assert again.draft.values["values"] == {"fits": "yes", "easy": "yes", **values}
    assert check(copied) == []


def test_an_answer_on_a_strange_form_is_refused(copied: Store) -> None:
    view, _ = from_old_page(copied)
    cid = person(copied, "cid")
    with pytest.raises(InvalidInputError, match="not this project's; reload it"):
        submissions.submit(copied, person=cid, task=view.id, key="k", values={"fits": "yes"}, schema="0" * 64)


def test_a_draft_is_found_under_the_new_name(copied: Store) -> None:
    change(copied, "a criterion renamed")
    view = take(copied, person(copied, "cid"))
    assert view.draft is not None
    assert view.draft.values["values"] == {"suits": "yes"}


def test_what_is_in_hand_counts_though_fewer_are_asked(copied: Store) -> None:
    """One rater is enough now; Cid's vote is the second on an item that is decided, and is counted all the same."""
    view, submit = from_old_page(copied, fits="no")
    name = named(copied, view)
    change(copied, "one rater")
    submit()
    said = [*CAST[name], "no"]
    assert counted(copied, "fits")[name] == sorted(value for value in said if value)
    assert states(copied)[name] == Rule(raters=1).state(said, 2)
    assert check(copied) == []


def test_what_is_given_back_though_fewer_are_asked_is_no_one_elses(copied: Store) -> None:
    view, _ = from_old_page(copied)
    change(copied, "one rater")
    claims.release(copied, person=person(copied, "cid"), task=view.id)
    assert check(copied) == []
    name = named(copied, view)
    with copied.read() as session:
        state = session.exec(select(TaskRow.state).where(TaskRow.public_id == view.id)).one()
    assert CAST[name], "it had a vote already"
    assert state is TaskState.WITHDRAWN


@pytest.mark.thorough
def test_votes_in_between_stay_when_a_change_is_taken_back(copied: Store) -> None:
    """Bob votes in the place of an answer that was asked again: his vote stays, and Ann's old one is told."""
    change(copied, "an option less, asked again")
    ann, bob = person(copied, "ann"), person(copied, "bob")
    done = {}
    for _ in range(len(CAST)):
        view = claims.next_task(copied, person=bob, project="p", stage=Stage.VERIFICATION)
        if not isinstance(view, TaskView):
            break
        done[named(copied, view)] = view
        submissions.submit(copied, person=bob, task=view.id, key=view.id, values={"fits": "yes", "easy": "no"})
    assert "colour/2" in done, "his own answer to it was asked again"
    before = counted(copied, "fits")
    taken_back = migration.undo(copied, by=None, project="p")
    assert check(copied) == []
    after_it = counted(copied, "fits")
    for name in CAST:
        assert len(after_it[name]) >= len(before[name]), "no vote of the time in between is lost"
        assert len(after_it[name]) <= 2
    assert ann.id != bob.id
    assert set(taken_back.tally.left_out) <= set(done)
    assert taken_back.tally.counted_again + len(taken_back.tally.left_out) == 5


def test_what_cannot_be_done_is_refused_with_what_to_do(copied: Store) -> None:
    gone = schema(2, {", unsure]": "]"})
    with pytest.raises(InvalidInputError, match=r"needs a decision: --map fits:unsure=OTHER or"):
        migration.migrate(copied, by=None, project="p", loaded=gone)
    with pytest.raises(InvalidInputError, match="Raise `version`"):
        migration.migrate(copied, by=None, project="p", loaded=schema(1, {"title: Shape": "title: Form"}))
    with pytest.raises(NotFoundError, match="nothing to take back"):
        migration.undo(copied, by=None, project="p")
    with pytest.raises(NotFoundError, match="No change of the schema"):
        migration.finish(copied, by=None, project="p")
    change(copied, "a reason more")
    migration.undo(copied, by=None, project="p")
    with pytest.raises(InvalidInputError, match="a version 2 that said something else"):
        change(copied, "a dimension more")


def test_an_interrupted_change_is_gone_on_with(copied: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends in the middle of the items: nothing else begins before it is gone on with, and then all is right."""
    calls = iter(range(100))

    def stopped(*args: Any, **more: Any) -> None:
        if next(calls) == 2:
            raise KeyboardInterrupt
        bring_up(*args, **more)

    monkeypatch.setattr(in_force, "AT_ONCE", 3)
    monkeypatch.setattr(in_force, "bring_up", stopped)
    with pytest.raises(KeyboardInterrupt):
        change(copied, "another keep rule")
    with pytest.raises(ConflictError, match="is under way"):
        change(copied, "a dimension more")
    with pytest.raises(ConflictError, match="is under way"):
        migration.undo(copied, by=None, project="p")
    with pytest.raises(ConflictError, match="is under way"):
        exported(copied, by=None, project="p", format="ratings")
    assert "migrate p --finish" in check(copied)[0], "what it finds about items has that cause"
    migration.finish(copied, by=None, project="p")
    verdicts, _ = after(next(each for each in MINDS if each.name == "another keep rule"))
    assert states(copied) == verdicts
    assert check(copied) == []


def test_figures_and_files_say_which_version_votes_are_of(copied: Store) -> None:
    """Ratings get a column only where there are several versions; agreement pools them and says so, or takes one."""
    before = exported(copied, by=None, project="p", format="ratings").files
    assert b"schema" not in before["ratings.csv"]
    kept_before = schema_in_manifest(copied)
    change(copied, "an option less, mapped")
    assert exported(copied, by=None, project="p", format="ratings").files["ratings.csv"].count(b"\n") == before[
        "ratings.csv"
    ].count(b"\n"), "no rating is lost"
    cid = person(copied, "cid")
    view = take(copied, cid)
    answer(copied, cid, view, "yes")
    header, *rows = exported(copied, by=None, project="p", format="ratings").files["ratings.csv"].decode().splitlines()
    assert header == "unit,rater,criterion,value,dimension,schema"
    n_first = sum(value is not None for said in CAST.values() for value in said)
    of = Counter((row.split(",")[2], row.rsplit(",", 1)[1]) for row in rows)
    assert of == {("fits", "1"): n_first, ("fits", "2"): 1, ("easy", "1"): n_first + 1, ("easy", "2"): 1}

    about: dict[str, Any] = {"person": None, "project": "p", "stage": Stage.VERIFICATION, "criteria": ["fits"]}
    pooled = agreement_of(copied, **about)
    assert {result.args["schema"] for result in pooled} == {f"1 ({n_first}), 2 (1)"}
    alone = agreement_of(copied, **about, schema_version=1)
    assert {result.args["schema"] for result in alone} == {"1 alone"}
    share = next(each for each in alone if each.statistic == "percent_agreement")
    pairs = [said for said in CAST.values() if len(said) == 2 and None not in said]
    now = [["no" if value == "unsure" else value for value in said] for said in pairs]
    assert share.value == pytest.approx(sum(one == other for one, other in now) / len(now))
    with pytest.raises(NotFoundError, match="never had a version 7 of its schema; it had 1, 2"):
        agreement_of(copied, **about, schema_version=7)

    with pytest.raises(InvalidFileError, match="Ratings are of one version of the schema; everything else"):
        exported(copied, by=None, project="p", format="jsonl", schema_version=1)
    with pytest.raises(NotFoundError, match="never had a version 7 of its schema; it had 1, 2"):
        exported(copied, by=None, project="p", format="ratings", schema_version=7)

    told = schema_in_manifest(copied)
    assert [(each["version"], each["submissions"]) for each in told["versions"]] == [
        (1, {"verification": sum(map(len, CAST.values()))}),
        (2, {"verification": 1}),
    ]
    assert "versions" not in kept_before


def schema_in_manifest(store: Store) -> dict[str, Any]:
    with store.read() as session:
        return schema_of(session, access_to(session, person=None, project="p"))


@pytest.mark.thorough
def test_a_release_may_be_of_what_was_said_under_one_version(copied: Store) -> None:
    """An item that is kept by votes under two versions is in neither's release."""
    change(copied, "an option less, mapped")
    for voter in (person(copied, "cid"), make_person(copied, "dan")):  # the first may have the item in hand
        views = {}
        for _ in CAST:
            view = take(copied, voter)
            views[named(copied, view)] = view
            claims.postpone(copied, person=voter, task=view.id)
        mixed = next((name for name in views if CAST[name] == ["yes"]), None)
        if mixed is not None:
            claims.take_back(copied, person=voter, task=views[mixed].id)
            answer(copied, voter, views[mixed], "yes")
            break
    rows = exported(copied, by=None, project="p", format="ratings").files["ratings.csv"].decode().splitlines()[1:]
    kept = {name for name, state in states(copied).items() if state == "kept"}
    assert mixed in kept
    for version, wanted in ((None, kept), (1, kept - {mixed}), (2, set())):
        out: dict[str, Any] = {"by": None, "project": "p", "schema_version": version}
        with copied.read() as session:
            access = access_to(session, person=None, project="p")
            selection = kept_items(session, access, version)
            taken = [row for row in items.outgoing(session, project_id=access.project_id) if selection.takes(row)]
        assert {each.external_id for each in taken} == wanted
        said = exported(copied, format="ratings", **out).files["ratings.csv"].decode().splitlines()[1:]
        told_apart = [row if version is None else f"{row},{version}" for row in said]  # one version needs no column
        assert told_apart == [row for row in rows if version is None or row.endswith(f",{version}")]


@pytest.mark.slow
@pytest.mark.both_databases
def test_someone_votes_while_the_schema_changes_and_changes_back(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ann votes without a pause on what her page shows, whichever form that is; no vote is lost, and all is as it has
    to be after each change."""
    monkeypatch.setattr(in_force, "AT_ONCE", 4)
    n = 24
    make_project(store, loaded=schema())
    make_items(store, n, fields={"question": "What is it?"})
    ann, bob = make_people(store, "ann", "bob")
    for at in range(n):
        answer(store, bob, take(store, bob), ("yes", "unsure")[at % 2])
    kept: list[str] = []
    some = threading.Event()

    def votes() -> None:
        at = 0
        while True:
            shown = project(store, person=ann, project="p").schema.hash
            view = claims.next_task(store, person=ann, project="p", stage=Stage.VERIFICATION)
            if not isinstance(view, TaskView):
                return
            given = {"fits": "unsure" if at % 3 == 0 and view.draft is None else "yes", "easy": "yes"}
            at += 1
            if at > n // 4:
                some.set()
            try:
                submissions.submit(store, person=ann, task=view.id, key=f"{at}", values=given, schema=shown)
            except ConflictError as error:
                kept.append(str(error))
            except InvalidInputError:  # the form changed between her page and her task: she is shown the new one
                drafts.save_draft(store, person=ann, task=view.id, seq=at, values={"values": given})

    with ThreadPoolExecutor(1) as thread:
        voting = thread.submit(votes)
        assert some.wait(60)
        change(store, "an option less, asked again")
        voting.result(60)
    assert check(store) == []
    assert all(sentence.startswith("The form has changed") for sentence in kept)
    with store.read() as session:
        mine = select(AnnotationRow).where(AnnotationRow.person_id == ann.id, AnnotationRow.purpose == Purpose.LIVE)
        newer = select(AnnotationRow.supersedes_id).where(col(AnnotationRow.supersedes_id).is_not(None))
        said = reworded.query(session, mine.where(col(AnnotationRow.id).not_in(newer)))
    assert {row.answers["fits"] for row in said} == {"yes"}
    migration.undo(store, by=None, project="p")
    assert check(store) == []
    assert all(1 <= len(values) <= 2 for name, values in counted(store, "fits").items() if int(name[7:]) < n)


def take_and_say(store: Store, login: str, value: str) -> str:
    """Someone votes on what comes next; the name of that item."""
    someone = person(store, login)
    view = take(store, someone)
    name = named(store, view)
    answer(store, someone, view, value)
    return name


def slot_of(store: Store, login: str, item: str) -> str:
    with store.read() as session:
        wanted = select(TaskRow.public_id).join(ItemRow).where(ItemRow.external_id == item)
        return session.exec(wanted.where(TaskRow.person_id == person(store, login).id)).one()


MAYBE = {"unsure]": "unsure, maybe]"}


def test_a_vote_that_only_a_later_schema_knows_is_asked_again_when_two_changes_are_taken_back(copied: Store) -> None:
    """Given under the third schema, it fits the second one, and not the first."""
    migration.migrate(copied, by=None, project="p", loaded=schema(2, MAYBE))
    migration.migrate(copied, by=None, project="p", loaded=schema(3, {**MAYBE, "title: Shape": "title: Form"}))
    name = take_and_say(copied, "cid", "maybe")
    migration.undo(copied, by=None, project="p")
    assert "maybe" in counted(copied, "fits")[name]
    done = migration.undo(copied, by=None, project="p")
    assert done.tally.asked_again == 1
    assert counted(copied, "fits")[name] == sorted(value for value in CAST[name] if value)
    assert states(copied) == {name: Rule().state(said, len(said)) for name, said in CAST.items()}
    assert check(copied) == []


def test_a_vote_that_says_more_than_is_asked_counts_when_the_further_question_is_taken_back(copied: Store) -> None:
    change(copied, "a criterion more, from now on")
    cid = person(copied, "cid")
    view = take(copied, cid)
    name = named(copied, view)
    answer(copied, cid, view, "yes", clear="no")
    done = migration.undo(copied, by=None, project="p")
    assert done.tally.asked_again == 0
    assert counted(copied, "fits")[name] == sorted([*(value for value in CAST[name] if value), "yes"])
    assert check(copied) == []


def test_votes_about_an_earlier_revision_are_not_among_those_that_count(copied: Store) -> None:
    sue = person(copied, "sue")
    view = claims.next_task(copied, person=sue, project="p", stage=Stage.ADJUDICATION)
    assert isinstance(view, TaskView)
    edited = {"decision": "edit", "cause": "hard", "fields": {"question": "What is it now?"}}
    submissions.submit(copied, person=sue, task=view.id, key="edit", values=edited)
    said = {name: cast for name, cast in CAST.items() if name != named(copied, view)}
    seen = migration.preview(copied, by=None, project="p", loaded=schema(2, {EASY: CLEAR}))
    assert seen.votes == sum(map(len, said.values())) < sum(map(len, CAST.values()))
    assert [each.used for each in seen.comparison.missing] == [
        AffectedCounts(votes=seen.votes, items=sum(bool(cast) for cast in said.values()))
    ]


def test_a_vote_by_the_later_name_of_an_option_stays_when_the_name_is_taken_back(copied: Store) -> None:
    change(copied, "a misspelt option")
    name = take_and_say(copied, "cid", "not_sure")
    done = migration.undo(copied, by=None, project="p")
    assert done.tally.asked_again == 0
    assert counted(copied, "fits")[name] == sorted([*(value for value in CAST[name] if value), "unsure"])


def test_a_name_is_taken_over_from_what_is_no_longer_asked(copied: Store) -> None:
    """The first schema asks fits and easy; then easy goes, and then fits is called easy."""
    before = counted(copied, "fits")
    gone = {EASY: ""}
    retired = Decisions.parse({"retire": ["easy"]})
    migration.migrate(copied, by=None, project="p", loaded=schema(2, gone), decisions=retired)
    new = schema(3, {**gone, "name: fits": "name: easy", "criterion: fits": "criterion: easy"})
    renamed = Decisions.parse({"rename_criterion": ["fits=easy"]})
    migration.migrate(copied, by=None, project="p", loaded=new, decisions=renamed)
    assert counted(copied, "easy") == before
    assert check(copied) == []


def test_a_name_that_comes_back_for_something_else_is_refused(copied: Store) -> None:
    """What was said of easy would count as what is said of pretty; as the question of then it may come back."""
    before = counted(copied, "easy")
    gone = {EASY: "", "    - {name: remark, kind: text, required: false}\n": ""}
    retired = Decisions.parse({"retire": ["easy", "remark"]})
    migration.migrate(copied, by=None, project="p", loaded=schema(2, gone), decisions=retired)
    new = Decisions.parse({"new_votes_only": ["easy"]})
    other = {"Is it easy?": "Is it pretty?", "{name: remark, kind: text,": "{name: remark, kind: integer,"}
    with pytest.raises(InvalidInputError, match="version 1 had another easy") as told:
        migration.migrate(copied, by=None, project="p", loaded=schema(3, other), decisions=new)
    assert "item.fields.remark: version 1 had another remark" in str(told.value)
    migration.migrate(copied, by=None, project="p", loaded=schema(3), decisions=new)
    assert counted(copied, "easy") == before
    assert check(copied) == []


def test_an_option_that_gold_expects_is_not_asked_again(copied: Store) -> None:
    with copied.write() as session:
        item = session.exec(select(ItemRow).where(ItemRow.external_id == "colour/0")).one()
        about = {"project_id": item.project_id, "item_id": item.id, "revision": 1, "dimension": "colour"}
        row = GoldRow(stage=Stage.VERIFICATION, answers={"fits": "unsure"}, created_at=copied.now(), **about)
        session.add(row)
    with pytest.raises(
        InvalidInputError, match="1 gold check says that fits is unsure, which no one could answer any more"
    ):
        change(copied, "an option less, asked again")
    with copied.write() as session:
        session.exec(select(GoldRow)).one().withdrawn_at = copied.now()
    change(copied, "an option less, asked again")


def test_a_slip_is_mended_though_more_are_asked_now(copied: Store) -> None:
    """A vote that is corrected is one of now: with it alone the item waits for the third, and someone is asked."""
    bob = person(copied, "bob")
    slot = slot_of(copied, "bob", "colour/0")
    change(copied, "three raters, from now on")
    assert states(copied)["colour/0"] == "kept"
    submissions.undo(copied, person=bob, project="p", stage=Stage.VERIFICATION, task=slot)
    submissions.submit(copied, person=bob, task=slot, key="mended", values={"fits": "yes", "easy": "no"})
    assert states(copied)["colour/0"] == "in_verification"
    assert check(copied) == []


def test_what_is_written_in_place_of_a_vote_outlives_that_it_is_asked_again(copied: Store) -> None:
    bob = person(copied, "bob")
    slot = slot_of(copied, "bob", "colour/1")
    view = submissions.undo(copied, person=bob, project="p", stage=Stage.VERIFICATION, task=slot)
    assert view.draft is not None
    written = {"values": {"fits": "no"}, "reasons": {}, "note": "a second thought"}
    drafts.save_draft(copied, person=bob, task=slot, seq=view.draft.seq + 1, values=written)
    change(copied, "an option less, asked again")
    with copied.read() as session:
        wanted = select(DraftRow).join(TaskRow).where(TaskRow.public_id == slot, DraftRow.person_id == bob.id)
        assert session.exec(wanted).one().content == written
    assert check(copied) == []


def test_what_items_got_is_found_and_results_are_made_anew(copied: Store) -> None:
    def mark() -> tuple[int, ...]:
        with copied.read() as session:
            return answers.mark(session, project_id=access_to(session, person=None, project="p").project_id)

    def with_text() -> set[int]:
        with copied.read() as session:
            id = access_to(session, person=None, project="p").project_id
            return {*answers.with_text(session, project_id=id, text="The Archive")}

    marks = [mark()]
    added = {"required: false}": "required: false}\n    - {name: source, kind: text}"}
    filled = Decisions.parse({"fill": ["source=the archive"]})
    migration.migrate(copied, by=None, project="p", loaded=schema(2, added), decisions=filled)
    marks.append(mark())
    assert len(with_text()) == len(CAST)
    migration.undo(copied, by=None, project="p")
    marks.append(mark())
    assert with_text() == set()
    assert len(set(marks)) == 3


def test_a_change_that_someone_else_brings_to_its_end_is_left_alone(
    copied: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands still for a while; someone brings it to its end, and begins another one."""
    monkeypatch.setattr(in_force, "AT_ONCE", 3)
    mind = next(each for each in MINDS if each.name == "an option less, asked again")
    steps: list[int] = []

    def overtaken(done: int, n: int) -> None:
        steps.append(done)
        migration.finish(copied, by=None, project="p")
        migration.undo(copied, by=None, project="p")

    before = states(copied)
    migration.migrate(
        copied,
        by=None,
        project="p",
        loaded=schema(2, mind.edits),
        decisions=Decisions.parse(mind.decided),
        progress=overtaken,
    )
    assert steps == [3]
    assert states(copied) == before
    assert check(copied) == []


def test_an_option_that_a_part_of_an_answer_names_is_one_that_is_used(store: Store) -> None:
    """Passages with tags: a tag that goes is told with the votes that give it, mapped, and asked again."""
    text = FIRST.replace(
        EASY, EASY + "      - {name: marks, kind: spans, prompt: Where?, of: question, options: [a, b]}\n"
    )
    make_project(store, loaded=load_text(text, "Be exact.", "minds"))
    make_items(store, 1, fields={"question": "What is it?"})
    (ann,) = make_people(store, "ann")
    passages = [{"start": 0, "end": 4, "tag": "b"}]
    answer(store, ann, take(store, ann), "yes", marks=passages)
    new = load_text(text.replace("version: 1", "version: 2").replace("[a, b]", "[a]"), "Be exact.", "minds")
    seen = migration.preview(store, by=None, project="p", loaded=new)
    assert [(each.short, each.used and each.used.votes) for each in seen.comparison.missing] == [("marks:b", 1)]
    again = migration.preview(
        store, by=None, project="p", loaded=new, decisions=Decisions.parse({"ask_again": ["marks:b"]})
    )
    assert again.asked_again == 1
    mapped = Decisions.parse({"map": ["marks:b=a"]})
    migration.migrate(store, by=None, project="p", loaded=new, decisions=mapped)
    with store.read() as session:
        said = reworded.query(session, select(AnnotationRow))[0].answers["marks"]
    assert said == [{"start": 0, "end": 4, "tag": "a"}]


def test_who_has_it_in_hand_votes_though_enough_have_by_then(store: Store) -> None:
    """Three were asked, and two are; Bob and Cid have it in hand, and Bob's vote is the second."""
    make_project(store, loaded=schema(1, {"raters: 2": "raters: 3"}))
    make_items(store, 1, fields={"question": "What is it?"})
    ann, bob, cid = make_people(store, "ann", "bob", "cid")
    answer(store, ann, take(store, ann), "yes")
    held = [(bob, take(store, bob)), (cid, take(store, cid))]
    fewer = Decisions.parse({"recompute": ["verification"]})
    migration.migrate(store, by=None, project="p", loaded=schema(2), decisions=fewer)
    for (someone, view), state in zip(held, ("kept", "in_adjudication"), strict=True):
        answer(store, someone, view, "yes" if someone is bob else "no")
        assert states(store) == {"colour/0": state}
        assert check(store) == []


def test_what_is_chosen_in_a_draft_stays_where_it_is_offered_again(copied: Store) -> None:
    """An option went and is back: a draft that names it may have been written with either form."""
    change(copied, "an option less, mapped")
    migration.migrate(copied, by=None, project="p", loaded=schema(3))
    cid = person(copied, "cid")
    written = {"values": {"fits": "unsure"}}
    drafts.save_draft(copied, person=cid, task=take(copied, cid).id, seq=5, values=written)
    again = take(copied, cid).draft
    assert again is not None
    assert again.values == written
