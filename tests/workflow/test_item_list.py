"""The table of items against truth: drawn facts, each filter and sort worked out apart in plain Python."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

import pytest
from sqlalchemy import insert
from sqlmodel import col, select

from db.engine import Store
from db.events import SENT_BACK
from db.tables import (
    AnnotationRow,
    AssetRow,
    CommentRow,
    EventRow,
    GoldRow,
    InsightRow,
    ItemAssetRow,
    ItemRow,
    QualificationSetRow,
    RevisionRow,
    TaskRow,
)
from domain.errors import InvalidInputError, NotAllowedError
from domain.item_filter import ItemList
from domain.roles import Role
from domain.states import ItemState, Purpose, Stage, TaskState
from testkit.factories import claimed, make_items, make_people, make_person, make_project, vote
from workflow.access.projects import access_to
from workflow.lead import item_list

pytestmark = [pytest.mark.both_databases, pytest.mark.thorough]

WHEN = datetime(2026, 1, 1, tzinfo=UTC)
N = 600
WORDS = [
    "cup",
    "Tee",
    "straße",
    "ÉCOLE",
    '"quoted"',
    "<b>bold</b>",
    "100%",
    "a_b",
    "back\\slash",
    "😀",
    "o'clock",
    "!x",
]


def _drawn(store: Store, people: list[int]) -> list[dict[str, Any]]:
    """Items with everything that a filter asks about, stored row by row; what was drawn for each."""
    dice = random.Random(7)
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        project, version = access.project_id, access.schema_version_id
        put = session.connection().execute
        made: list[dict[str, Any]] = []
        rows: dict[Any, list[dict[str, Any]]] = {row: [] for row in _ROWS}
        gone = {"id": 1, "public_id": "gone", "project_id": project, "name": "gone.png", "kind": "image"}
        put(insert(AssetRow), [{**gone, "created_at": WHEN}])
        for id in range(1, N + 1):
            fact = {
                "id": id,
                "name": f"{'Tee' if id % 50 == 0 else 'n'}/{id:05}",
                "state": dice.choice(list(ItemState)),
                "dimension": dice.choice(["colour", "shape"]),
                "author": dice.choice([None, *people]),
                "missing": dice.random() < 0.1,
                "gold": dice.random() < 0.02,
                "priority": dice.randrange(3),
                "revision": dice.choice([1, 1, 1, 2]),
                "question": " ".join(dice.sample(WORDS, 2)),
                "answer": dice.choice(["red", "blue"]),
                "origin": dice.choice([None, "", "RED earth", 10, 9, 2.5]),
            }
            made.append(fact)
            about = {"project_id": project, "dimension": fact["dimension"]}
            rows[ItemRow].append(
                {"id": id, "public_id": f"i{id}", "external_id": fact["name"], "author_id": fact["author"], **about}
                | {"state": fact["state"], "current_revision": fact["revision"], "priority": fact["priority"]}
                | {"created_at": WHEN}
            )
            for number in range(1, fact["revision"] + 1):
                last = number == fact["revision"]
                content = {"question": fact["question"] if last else "xylophone", "options": ["red", "blue"]}
                content |= {"answer": fact["answer"], "origin": fact["origin"]}
                rows[RevisionRow].append(
                    {"item_id": id, "number": number, "content": content, "schema_version_id": version}
                    | {"created_at": WHEN}
                )
            fact |= {"voters": set(), "said": []}
            for slot in range(dice.randrange(4)):
                who, said = people[slot], dice.choice(["red", "red", "blue"])
                purpose = dice.choice([Purpose.LIVE] * 4 + [Purpose.QUALIFICATION])
                number = dice.randint(1, fact["revision"])
                rows[TaskRow].append(
                    {"id": 4 * id + slot, "public_id": f"t{id}-{slot}", "project_id": project, "unit": f"{id}/{slot}"}
                    | {"stage": Stage.VERIFICATION, "item_id": id, "dimension": fact["dimension"], "shuffle": 0}
                    | {"state": TaskState.DONE, "person_id": who, "purpose": purpose, "created_at": WHEN}
                )
                corrected = dice.random() < 0.2
                for turn in range(1 + corrected):
                    vote_id = 8 * id + 2 * slot + turn
                    rows[AnnotationRow].append(
                        {"id": vote_id, "public_id": f"a{vote_id}", "project_id": project, "task_id": 4 * id + slot}
                        | {"person_id": who, "stage": Stage.VERIFICATION, "purpose": purpose, "item_id": id}
                        | {"dimension": fact["dimension"], "revision": number, "submit_key": f"{vote_id}"}
                        | {"answers": {"choice": said if turn == corrected else "green"}, "schema_hash": ""}
                        | {"supersedes_id": vote_id - 1 if turn else None, "schema_version_id": version}
                        | {"guideline_hash": "", "created_at": WHEN}
                    )
                if purpose is Purpose.LIVE:
                    fact["voters"].add(who)
                    fact["said"] += [said] if number == fact["revision"] else []
            fact["talk"] = [dice.choice(people[:2]) for _ in range(dice.choice([0, 0, 0, 1, 2]))]
            rows[CommentRow] += [
                {"public_id": f"c{id}-{at}", "project_id": project, "item_id": id, "person_id": who}
                | {"submit_key": f"{id}-{at}", "text": "?", "created_at": WHEN}
                for at, who in enumerate(fact["talk"])
            ]
            rows[ItemAssetRow] += [{"item_id": id, "asset_id": 1, "role": "image", "position": 0}] * fact["missing"]
            gold = {"public_id": f"g{id}", "project_id": project, "stage": "verification", "item_id": id, "revision": 1}
            gold |= {"dimension": fact["dimension"], "answers": {}, "created_at": WHEN}
            withdrawn = WHEN if id % 2 else None
            rows[GoldRow] += [{**gold, "withdrawn_at": withdrawn, "why": ""}] * fact["gold"]
            fact["gold"] = fact["gold"] and withdrawn is None
            told = [(SENT_BACK, 1)] * (id % 7 == 0) + [("item.revised", fact["revision"])] * (id % 5 == 0)
            rows[EventRow] += [
                {
                    "at": WHEN,
                    "kind": kind,
                    "project_id": project,
                    "item_id": id,
                    "data": {"revision": number, "why": ""},
                }
                for kind, number in told
            ]
        for row, given in rows.items():
            put(insert(row), given)
        for number, ids in ((1, [1, 2, 3]), (2, [2, 5, 7])):  # the newest is the one that counts
            session.add(
                QualificationSetRow(
                    project_id=project, stage="verification", number=number, item_ids=ids, guideline_hash="", seed=0,
                    created_at=WHEN,
                )
            )  # fmt: skip
    return made


_ROWS = (ItemRow, RevisionRow, TaskRow, AnnotationRow, CommentRow, ItemAssetRow, GoldRow, EventRow)


def test_every_filter_and_sort_says_what_plain_python_says(store: Store) -> None:
    make_project(store)
    ann, lea = make_person(store, "ann").id, make_person(store, "lea", role=Role.LEAD)
    ben = make_person(store, "ben").id
    facts = _drawn(store, [ann, lea.id, ben])
    logins = {ann: "ann", lea.id: "lea", ben: "ben", None: ""}
    outside = make_person(store, "out", role=Role.LEAD)  # has voted on nothing, so nothing is closed to them

    def says(fact: dict[str, Any], text: str) -> bool:
        content = [fact["question"], fact["answer"], fact["origin"], "red", "blue"]
        return any(text.lower() in each.lower() for each in [*content, fact["name"]] if isinstance(each, str))

    def differ(fact: dict[str, Any]) -> bool:
        return len(set(fact["said"])) > 1

    filters: dict[str, Callable[[dict[str, Any]], bool]] = {
        "": lambda fact: True,
        "state=kept": lambda fact: fact["state"] is ItemState.KEPT,
        "state=kept&state=rejected": lambda fact: fact["state"] in (ItemState.KEPT, ItemState.REJECTED),
        "dimension=shape": lambda fact: fact["dimension"] == "shape",
        "author=ann": lambda fact: fact["author"] == ann,
        "author=-": lambda fact: fact["author"] is None,
        "author=no_one": lambda fact: False,
        "voter=ben": lambda fact: ben in fact["voters"],
        "votes=0": lambda fact: not fact["said"],
        "votes=2": lambda fact: len(fact["said"]) == 2,
        "votes=1..2": lambda fact: 1 <= len(fact["said"]) <= 2,
        "votes=3..": lambda fact: len(fact["said"]) >= 3,
        "differ=yes": differ,
        "differ=no": lambda fact: not differ(fact),
        "comments=any": lambda fact: bool(fact["talk"]),
        "comments=none": lambda fact: not fact["talk"],
        "comments=open": lambda fact: fact["talk"][-1:] == [ann],
        "missing=yes": lambda fact: fact["missing"],
        "missing=no": lambda fact: not fact["missing"],
        "version=1": lambda fact: True,
        "version=2": lambda fact: False,
        "with_author=yes": lambda fact: fact["id"] % 7 == 0 and fact["revision"] == 1,
        "with_author=no": lambda fact: fact["id"] % 7 != 0 or fact["revision"] != 1,
        "gold=yes": lambda fact: fact["gold"],
        "qualification=yes": lambda fact: fact["id"] in (2, 5, 7),
        "where=answer%3DBLUE": lambda fact: fact["answer"] == "blue",
        "where=question~cup": lambda fact: "cup" in fact["question"],
        "where=origin:empty": lambda fact: fact["origin"] in (None, ""),
        "where=origin:given": lambda fact: fact["origin"] not in (None, ""),
        "where=origin:9..10": lambda fact: fact["origin"] in (9, 10),
        "where=origin:..5": lambda fact: fact["origin"] == 2.5,
        "where=origin%3D10": lambda fact: fact["origin"] == 10,
        "where=options%3Dred&where=origin~red": lambda fact: fact["origin"] == "RED earth",
        "state=kept&votes=2&differ=yes&text=cup": lambda fact: (
            fact["state"] is ItemState.KEPT and len(fact["said"]) == 2 and differ(fact) and says(fact, "cup")
        ),
        "text=xylophone": lambda fact: False,
        "text=null": lambda fact: False,
        "text=origin": lambda fact: False,
        "text=, ": lambda fact: False,
    }
    for word in (*WORDS, "tee/0", "école", "TRA", "e", "%", "_", "\\", "RED e"):
        filters[f"text={word.replace('%', '%25')}"] = lambda fact, word=word: says(fact, word)  # type: ignore[misc]
    for asked, fits in filters.items():
        expected = [fact["name"] for fact in facts if fits(fact)]
        given = ItemList.parse(parse_qs(asked, keep_blank_values=True))
        assert list(item_list.names(store, person=outside, project="p", wanted=given.filter)) == expected, asked
        found = item_list.listing(store, person=outside, project="p", asked=given.at(page=2, size=25))
        assert (found.n, [line.name for line in found.lines]) == (len(expected), expected[25:50]), asked
        assert ItemList.parse(given.asked()) == given  # a link opens the same table

    sorts: dict[str, Callable[[dict[str, Any]], Any]] = {
        "dimension": lambda fact: fact["dimension"],
        "state": lambda fact: fact["state"].value,
        "author": lambda fact: logins[fact["author"]],
        "votes": lambda fact: len(fact["said"]),
        "differ": differ,
        "comments": lambda fact: len(fact["talk"]),
        "missing": lambda fact: fact["missing"],
        "priority": lambda fact: fact["priority"],
        "version": lambda fact: 1,
        "field.answer": lambda fact: fact["answer"],
    }
    for word, key in sorts.items():
        for down in (False, True):
            expected = [each["name"] for each in sorted(facts, key=lambda each: (key(each), each["id"]), reverse=down)]
            given = ItemList.parse({"sort": ["-" * down + word], "size": ["100"], "page": ["3"]})
            lines = item_list.listing(store, person=outside, project="p", asked=given).lines
            assert [line.name for line in lines] == expected[200:300], (word, down)
    by_origin = ItemList.parse({"sort": ["field.origin"], "size": ["100"], "page": [str(N // 100)]})
    assert {
        line.says("field.origin")
        for line in item_list.listing(store, person=outside, project="p", asked=by_origin).lines
    } == {""}

    for line in item_list.listing(
        store, person=outside, project="p", asked=ItemList.parse({"columns": ["checks"]})
    ).lines:
        fact = next(fact for fact in facts if fact["name"] == line.name)
        assert (line.votes, line.differ, line.comments) == (len(fact["said"]), differ(fact), len(fact["talk"]))
        assert (line.author, bool(line.missing)) == (logins[fact["author"]], fact["missing"])
        checks = ["gold check"] * fact["gold"] + ["qualification"] * (fact["id"] in (2, 5, 7))
        assert line.says("checks") == ", ".join(checks)
    with store.read() as session:  # someone who was shown which items are gold checks is asked about those no more
        known = set(session.exec(select(InsightRow.item_id).where(col(InsightRow.person_id) == outside.id)))
    golden = [fact["id"] for fact in facts if fact["gold"]]
    assert known >= {id for id in golden if id <= 50}
    assert known <= set(golden)


def test_no_one_learns_from_the_table_what_they_are_asked_about_blind(store: Store) -> None:
    make_project(store)
    lea, sam = make_person(store, "lea", role=Role.LEAD), make_person(store, "sam", role=Role.SENIOR)
    ann, ben = make_people(store, "ann", "ben")
    make_items(store, 4)
    asked = ItemList.parse({})

    def seen(person: Any, **more: list[str]) -> list[str]:
        given = ItemList.parse(more)
        return sorted(line.name for line in item_list.listing(store, person=person, project="p", asked=given).lines)

    def name_of(id: str) -> str:
        with store.read() as session:
            wanted = select(ItemRow.external_id).join(TaskRow, col(TaskRow.item_id) == ItemRow.id)
            return session.exec(wanted.where(TaskRow.public_id == id)).one()

    with pytest.raises(NotAllowedError, match="Only seniors and leads"):
        seen(ann)
    assert seen(sam) == []  # anyone may still ask a senior about every one of them
    every = seen(lea)
    assert len(every) == 4
    mine = name_of(claimed(store, lea).id)
    assert seen(lea) == [name for name in every if name != mine]
    found = item_list.listing(store, person=lea, project="p", asked=asked)
    assert (found.n, found.counts.hidden) == (3, 1)
    vote(store, lea)  # theirs waits for the second vote: it stays closed, whatever is asked for
    for more in ({"text": ["Question"]}, {"sort": ["-votes"]}, {"votes": ["1"]}, {"ids": [mine]}):
        assert mine not in seen(lea, **more), more
    while len(seen(lea)) < 4:  # until both have voted on it
        vote(store, ann)
        vote(store, ben)
    assert mine in seen(lea, votes=["2.."])
    assert mine in seen(sam)
    for barred in ("author=ann", "voter=ann", "votes=2", "differ=yes", "gold=no", "qualification=no", "with_author=no"):
        with pytest.raises(NotAllowedError, match="Only leads may list items by"):
            seen(sam, **parse_qs(barred))
    for barred in ("votes", "differ", "author"):
        with pytest.raises(NotAllowedError, match="Only leads may list items by"):
            seen(sam, sort=[f"-{barred}"])
        with pytest.raises(NotAllowedError, match="Only leads may list items by"):
            seen(sam, columns=[f"id,{barred}"])
    line = item_list.listing(store, person=sam, project="p", asked=asked).lines[0]
    assert (line.votes, line.differ, line.author, line.checks) == (None, None, None, None)


@pytest.mark.one_database
def test_what_makes_no_sense_is_refused_with_a_sentence(store: Store) -> None:
    make_project(store)
    for asked, told in (
        ("votes=many", "'many' is not a number or a range. Write 3, 2..5, 2.. or ..5."),
        ("votes=5..2", "'5..2' has the larger number first"),
        ("votes=nan", "not a number or a range"),
        ("state=gone", "state=gone is unknown. States: in_verification"),
        ("differ=maybe", "Use yes or no"),
        ("version=x", "Use a version number"),
        ("where=question", "'question' is not a condition for a field. Write NAME=VALUE"),
        ("where=question:much", "'much' is not a number or a range"),
        ("where=colour~x", "Items have no field 'colour'. Fields: question, options, answer, origin."),
        ("dimension=size", "The schema has no dimension 'size'. Dimensions: colour, shape."),
        ("sort=weight", "There is no column 'weight'"),
        ("sort=checks", "You cannot sort items by checks. Choose another column."),
        ("columns=id,field.weight", "There is no column 'field.weight'"),
        (f"text={'x' * 5000}", "has 5,000 characters. Use at most 300"),
    ):
        with pytest.raises(InvalidInputError) as refused:
            item_list.listing(store, person=None, project="p", asked=ItemList.parse(parse_qs(asked)))
        assert told in str(refused.value)


@pytest.mark.one_database
def test_few_statements_make_a_page_whatever_its_size(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of a hundred asks the database no more often than one of one."""
    from sqlalchemy import event

    make_project(store)
    said: list[str] = []
    event.listen(store.engine, "before_cursor_execute", lambda *given: said.append(given[2]))
    counts = []
    for n in (1, 99):
        make_items(store, n)
        said.clear()
        assert (
            len(item_list.listing(store, person=None, project="p", asked=ItemList.parse({"size": ["100"]})).lines) >= n
        )
        counts.append(len(said))
    assert counts[0] == counts[1] < 40
