"""A count of items is one number on every page, and its link lists exactly the items that it counts."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from annotation_schemas.loader import load_text
from annotation_schemas.model import LoadedSchema
from app import rooms
from app.screens import Room
from app.services import Services
from db.engine import Store
from db.tables import AssetRow, ItemAssetRow, ItemRow
from domain.item_counts import COUNTS, STATE_COUNTS, ItemCounts
from domain.item_filter import ItemList
from domain.records import Person, TaskView
from domain.roles import Role
from domain.settings import Settings
from domain.states import ItemState, Stage
from media.store import MediaStore
from testkit.factories import (
    BLIND,
    SETTLING,
    make_fields,
    make_items,
    make_people,
    make_person,
    make_pool,
    make_project,
    vote,
)
from tests.app.screens import drawn, part, rows, words
from workflow.access import accounts, projects
from workflow.access.counted_items import counting_of
from workflow.access.item_counts import count_by_dimension
from workflow.access.projects import access_to
from workflow.annotate import claims, image_pool, project_progress, submissions
from workflow.lead import item_list, project_list
from workflow.releases import checklist

pytestmark = pytest.mark.thorough

WANTED = 30


def schema() -> LoadedSchema:
    text = BLIND.replace("RATERS", "1").replace("PER_SOURCE", "9").replace("ADJUDICATION", "none")
    return load_text(text.replace("wanted: 4", f"wanted: {WANTED}"), "Be exact.", "blind")


def begun(store: Store, person: Person, free: list[str]) -> str:
    """Begin an item; its task."""
    return image_pool.pick(store, person=person, project="p", dimension="colour", assets=[free.pop()]).id


@pytest.fixture
def half_written(store: Store) -> Store:
    """Of 30 items 6 are written (2 rejected, 1 kept, 1 taken back to correct), 3 are in progress; 9 images are free."""
    make_project(store, loaded=schema())
    make_person(store, "lea", role=Role.LEAD)
    ann, amy, bob = make_people(store, "ann", "amy", "bob")
    free = make_pool(store, 13)
    make_items(store, 5)
    for choice in ("blue", "blue", "red"):  # the key is red
        vote(store, bob, choice)
    task = begun(store, ann, free)
    submissions.submit(store, person=ann, task=task, key=task, values=make_fields(1))
    submissions.undo(store, person=ann, project="p", stage=Stage.AUTHORING, task=task)
    for person in (ann, ann, amy):
        begun(store, person, free)
    return store


def test_every_page_shows_the_same_number_of_items_left_to_write(half_written: Store, home: Path) -> None:
    left = WANTED - (6 - 2)

    board = drawn(half_written, home, "overview", "lea", project="p")
    assert part(board, "finding").startswith("1 of 30 items is kept.") or "1 of 30 items are kept." in words(board)
    assert part(board, "summary") == f"1 kept3 in verification2 rejected{left} left to write3 in progress"
    dimension = next(each for each in rows(board, "Left to write") if each["Dimension"] == "Colour")
    assert (dimension["Written"], dimension["Wanted"], dimension["Left to write"]) == ("6", "30", str(left))
    widths = [float(width) for width in re.findall(r'<i class="\w+" style="width:([\d.]+)%"', words(board))]
    assert sum(widths[:3]) == pytest.approx(100 * 6 / (6 + left), abs=0.01), "the empty part of the bar is what is left"
    assert f"{left} items are left to write, but the pool has 9 free images" in words(board)
    person = accounts.find_person(half_written, login="lea")
    services = Services(half_written, MediaStore(home / "media"), Settings(home, ""), person, "csrf")
    assert (
        rooms.read_facts(services, projects.project(half_written, person=person, project="p")).counts[Room.ITEMS] == 6
    )
    release = drawn(half_written, home, "release", "lea", project="p")
    items = next(each for each in rows(release, "How it stands") if each["What"] == "Items")
    assert items["How it stands"] == f"3 items are not finished and {left} are left to write."


def test_what_an_author_can_write_now_has_words_of_its_own(half_written: Store, home: Path) -> None:
    # 26 are left, 3 of them begun: of the other 23, images are free for 9; ann has 2 and a correction in hand
    page = words(drawn(half_written, home, "my_work", "ann"))
    assert set(re.findall(r"\d+ items you can write now", page)) == {"12 items you can write now"}
    with half_written.read() as session:
        counts = count_by_dimension(session, access=access_to(session, person=None, project="p"))
    assert (counts["colour"].written, counts["colour"].rejected, counts["colour"].in_progress) == (6, 2, 3)
    assert (counts["colour"].left, counts["colour"].to_begin) == (26, 23)
    assert (counts["shape"].left, counts["shape"].to_begin) == (0, 0), "no number is wanted"


@pytest.mark.parametrize(
    ("wanted", "kept", "rejected", "in_progress", "left", "to_begin"),
    [(10, 0, 0, 0, 10, 10), (10, 11, 1, 0, 0, 0), (10, 9, 0, 3, 1, 0), (None, 6, 3, 1, 0, 0)],
)
def test_nothing_is_left_below_zero(
    wanted: int | None, kept: int, rejected: int, in_progress: int, left: int, to_begin: int
) -> None:
    states = {ItemState.KEPT: kept, ItemState.REJECTED: rejected}
    counts = ItemCounts.of_dimension(states, wanted=wanted, in_progress=in_progress)
    assert (counts.left, counts.to_begin) == (left, to_begin)


# ---- generated projects ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_every_page_counts_the_same_items_as_the_filter_lists(store: Store, seed: int) -> None:
    """People vote, settle, write and hold tasks at random; then each count is asked for in every way there is."""
    _work(store, random.Random(seed))
    lea = make_person(store, "lea", role=Role.LEAD)
    board = project_progress.dashboard(store, person=lea, project="p")
    total = board.total
    for row in board.rows:
        _filter_lists_as_many(store, row.counts, dimension=(row.dimension,))
    _filter_lists_as_many(store, total)
    assert project_list.item_counts(store, person=lea)["p"] == total
    counted = counting_of(store, person=lea, project="p")
    assert (counted.kept, counted.rejected) == (total.kept, total.rejected)
    assert counted.open == COUNTS["open"].number(total)
    told = {line.name: line.said for line in checklist.before(store, by=lea, project="p")}
    unfinished = [COUNTS[name].number(total) for name in ("in_verification", "left")]
    assert [int(n) for n in re.findall(r"\d+", told["items"])] == [n for n in unfinished if n]
    assert [int(n) for n in re.findall(r"\d+", told["adjudication"])] == [
        n for n in [COUNTS["in_adjudication"].number(total)] if n
    ]
    for login in ("sen", "lea"):
        person = accounts.find_person(store, login=login)
        listed = item_list.listing(store, person=person, project="p", asked=ItemList())
        hidden = COUNTS["hidden"].number(listed.counts)
        assert listed.n + hidden == total.written, "what is hidden is counted as hidden, and nothing else"
        assert replace(listed.counts, hidden=0) == total


def _work(store: Store, random: random.Random) -> None:
    text = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "9").replace("ADJUDICATION", SETTLING)
    wanted = f"wanted: {random.randint(1, 9)}"
    make_project(store, loaded=load_text(text.replace("wanted: 4", wanted), "Be exact.", "blind"))
    people = {login: make_person(store, login) for login in ("ann", "bob", "cy")}
    people["sen"] = make_person(store, "sen", role=Role.SENIOR)
    free = make_pool(store, 8)
    for dimension in ("colour", "shape"):
        make_items(store, random.randint(0, 6), dimension=dimension)
    for _ in range(random.randint(0, 30)):
        login = random.choice([*people])
        stage = Stage.ADJUDICATION if login == "sen" else Stage.VERIFICATION
        if login == "cy" and free and random.random() < 0.5:
            begun(store, people[login], free)
            continue
        task = claims.next_task(store, person=people[login], project="p", stage=stage)
        if isinstance(task, TaskView) and random.random() < 0.8:
            choice = random.choice(["red", "blue"])
            values = {"choice": choice}
            if stage is Stage.ADJUDICATION:
                values = {"decision": "accept" if choice == "red" else "reject", "cause": "wrong_key"}
            submissions.submit(store, person=people[login], task=task.id, key=task.id, values=values)
    with store.write() as session:  # the files of some images are missing
        for id in session.exec(select(ItemRow.id)):
            if random.random() < 0.3:
                named = AssetRow(project_id=1, name=f"{id}.png", kind="image", created_at=store.now())
                session.add(named)
                session.flush()
                session.add(ItemAssetRow(item_id=id, asset_id=named.id, role="image"))


def _filter_lists_as_many(store: Store, counts: ItemCounts, **where: Any) -> None:
    for definition in (*COUNTS.values(), *STATE_COUNTS.values()):
        if definition.of is not None and definition.items is not None:
            asked = ItemList(replace(definition.items, **where))
            listed = item_list.listing(store, person=None, project="p", asked=asked)
            assert listed.n == definition.number(counts), definition.label
