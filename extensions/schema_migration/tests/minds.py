"""A running project whose votes are known by hand, and changes of mind about its schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlmodel import select

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from db import people
from db.engine import Store
from db.tables import DraftRow, ItemRow, TaskRow
from domain.records import Person, TaskView
from domain.roles import Role
from domain.states import Stage, TaskState
from extensions.schema_migration import migration
from extensions.schema_migration.changes import Decisions
from testkit.factories import make_items, make_people, make_person, make_project
from workflow.annotate import claims, drafts, submissions
from workflow.files.export import exported
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


def take_and_say(store: Store, login: str, value: str) -> str:
    """Someone votes on what comes next; the name of that item."""
    someone = person(store, login)
    view = take(store, someone)
    name = named(store, view)
    answer(store, someone, view, value)
    return name
