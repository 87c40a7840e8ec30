"""Minds that change on a running project: what becomes of its votes, and that nothing is lost."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlmodel import col, select

from db import items, reworded
from db.engine import Store
from db.tables import AnnotationRow, TaskRow
from domain.errors import ConflictError, InvalidFileError, InvalidInputError, NotFoundError
from domain.records import TaskView
from domain.states import Purpose, Stage, TaskState
from extensions.schema_migration import in_force, migration
from extensions.schema_migration.changes import Decisions
from extensions.schema_migration.items import bring_up
from extensions.schema_migration.tests.minds import (
    CAST,
    MINDS,
    Mind,
    Rule,
    after,
    answer,
    build,
    change,
    counted,
    from_old_page,
    named,
    person,
    schema,
    states,
    take,
    whole,
)
from testkit.factories import make_items, make_people, make_person, make_project
from workflow.access.projects import access_to, project
from workflow.annotate import claims, drafts, submissions
from workflow.files.export import exported
from workflow.files.manifest_entries import schema_of
from workflow.files.project_check import check
from workflow.releases.kept_items import kept_items
from workflow.results.rater_agreement import agreement_of


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
    with pytest.raises(ConflictError, match=r"The form has changed .* saved as a draft"):
        submit()
    again = take(copied, person(copied, "cid"))
    assert again.id == view.id, "it is in the same hands"
    assert again.draft is not None
    assert again.draft.values["values"] == {"fits": "yes", "easy": "yes", **values}
    assert check(copied) == []


def test_an_answer_on_a_strange_form_is_refused(copied: Store) -> None:
    view, _ = from_old_page(copied)
    cid = person(copied, "cid")
    with pytest.raises(InvalidInputError, match="form of another project"):
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
    with pytest.raises(InvalidInputError, match=r"needs a decision. Choose --map fits:unsure=OTHER or"):
        migration.migrate(copied, by=None, project="p", loaded=gone)
    with pytest.raises(InvalidInputError, match="Increase `version`"):
        migration.migrate(copied, by=None, project="p", loaded=schema(1, {"title: Shape": "title: Form"}))
    with pytest.raises(NotFoundError, match="no change to undo"):
        migration.undo(copied, by=None, project="p")
    with pytest.raises(NotFoundError, match="No schema change"):
        migration.finish(copied, by=None, project="p")
    change(copied, "a reason more")
    migration.undo(copied, by=None, project="p")
    with pytest.raises(InvalidInputError, match="a different schema with version 2"):
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
    with pytest.raises(ConflictError, match="is in progress"):
        change(copied, "a dimension more")
    with pytest.raises(ConflictError, match="is in progress"):
        migration.undo(copied, by=None, project="p")
    with pytest.raises(ConflictError, match="is in progress"):
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
    with pytest.raises(NotFoundError, match=r"never had version 7 of the schema. Versions of the schema: 1, 2"):
        agreement_of(copied, **about, schema_version=7)

    with pytest.raises(InvalidFileError, match="Only ratings and releases depend on the schema version"):
        exported(copied, by=None, project="p", format="jsonl", schema_version=1)
    with pytest.raises(NotFoundError, match=r"never had version 7 of the schema. Versions of the schema: 1, 2"):
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
