"""Runs that look for shortcuts: what a model is shown under each condition, and that nothing of them counts."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import text

from annotation_schemas.loader import load_text
from db import attributes, file_raters
from db.engine import Store, open_store
from db.runs import open_runs
from domain.errors import ConflictError, ModelError, NotAvailableError
from domain.run_kinds import RunKind, kind_of, plan_of
from domain.runs import Question
from domain.states import Stage
from extensions.shortcuts.model_asking import ShortcutAsker
from extensions.shortcuts.run_plan import ShortcutPlan
from extensions.shortcuts.tests.rooms import Rooms
from media.store import MediaStore
from testkit.factories import make_items, make_project
from testkit.missing_extensions import needs
from testkit.pictures import video
from testkit.project_archives import export_project, import_project, needs_archives
from testkit.scripted import ScriptedServer, chat
from tests.workflow.shortcut_world import SCHEMA, N, reader, served, spec_of
from tests.workflow.test_questions import FISH, STEADY, bring, egoplan_fields, png, schema_of
from workflow.files.project_check import remarks
from workflow.results import project_answers
from workflow.results.ratings import raters_of, ratings_of
from workflow.runs import attempt_keeper, run_control, run_grading, run_start, run_views
from workflow.runs.askings import asking_of
from workflow.runs.model_plans import plan_for
from workflow.runs.worker import work

pytestmark = pytest.mark.thorough


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt_keeper, "LOOK_SECONDS", 0.05)


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


def attempts(store: Store, run: str = "%") -> list[tuple[str, str, str, int, int, dict[str, Any]]]:
    """Item, text, kind of run, the unit's and the item's id, and what else is kept of each attempt, by item."""
    sql = (
        "SELECT item.external_id, attempt.text, run.kind, attempt.unit_id, item.id, attempt.detail FROM attempt"
        " JOIN run ON run.id = attempt.run_id JOIN item ON item.id = attempt.item_id"
        " WHERE run.public_id LIKE :run ORDER BY item.id"
    )
    with store.read() as session:
        rows = session.connection().execute(text(sql), {"run": run}).all()
    return [(*row[:5], json.loads(row[5]) if isinstance(row[5], str) else row[5]) for row in rows]


def test_a_run_whose_extension_is_missing_is_listed_and_names_it(
    store: Store, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = Rooms(store, home)
    with served(reader) as server:
        spec = spec_of(server)
        (plan,) = ShortcutPlan.under(plan_for(rooms.loaded.schema_, spec, limit=1), text_only=True)
        run = run_start.start(store, by=None, project="p", spec=spec, plan=plan)
    monkeypatch.setattr("domain.extensions.installed", dict)
    named = "The kind of runs `shortcut` belongs to the extension Shortcuts, which is not installed."
    (view,) = run_views.runs_of(store, by=None, project="p", kind=RunKind.SHORTCUT)
    assert (view.id, view.done) == (run, 0)
    with store.read() as session:
        assert open_runs(session) == [], "no worker takes it up"
    with pytest.raises(ConflictError, match=named):
        run_control.pause(store, by=None, run=run)
    with pytest.raises(NotAvailableError, match=named):
        asking_of(RunKind.SHORTCUT)
    assert [line for line in remarks(store, project="p") if named in line] == [
        f"p: 1 run needs an extension. {named} Restore the folder `extensions/shortcuts` of this version of "
        f"Touchstone, "
        "then start Touchstone again."
    ]


def test_a_plan_leads_to_its_kind_and_back() -> None:
    plan = ShortcutPlan(limit=3, text_only=True, order=2, orders=3, seed=7, dimensions=("colour",))
    assert kind_of(plan) is RunKind.SHORTCUT
    assert plan_of(RunKind.SHORTCUT, plan.dump()) == plan


def counted(store: Store) -> tuple[object, ...]:
    """Whatever counts of models' answers in the project."""
    found = project_answers.read_project(store, person=None, project="p")
    with store.read() as session:
        named = attributes.models(session, project_id=1)
        marks = session.connection().execute(text("SELECT count(*) FROM prediction")).scalar_one()
    return (
        [(answer.id, answer.model) for answer in found.answers],
        {name: set(lot) for name, lot in found.unanswered.items()},
        list(named),
        marks,
    )


@pytest.mark.both_databases
def test_what_is_asked_is_kept_and_none_of_it_counts(store: Store, tmp_path: Path) -> None:
    """An ordinary run first, then the same model without images, in three orders, one of them with a broken reply."""
    rooms = Rooms(store, tmp_path)
    with served(reader) as server:
        spec = spec_of(server)
        plain = run_start.start(store, by=None, project="p", spec=spec, plan=plan_for(rooms.loaded.schema_, spec))
        work(store, plain, means=rooms.means)
        before = counted(store)
        runs = rooms.ask(spec, text_only=True, orders=3)
        asked = server.asked[N:]
    assert len(asked) == 3 * N
    assert not any("image_url" in str(each.body) for each in asked)
    assert all("image_url" in str(each.body) for each in server.asked[:N])
    assert counted(store) == before
    assert before[3] == N
    views = [run_views.view(store, by=None, run=run) for run in runs]
    assert [view.name for view in views] == [f"gpt for shortcuts: without images, order {at} of 3" for at in (1, 2, 3)]
    assert {view.kind for view in views} == {RunKind.SHORTCUT}
    assert [(view.answered, view.plan.condition) for view in views] == [(N, "without images")] * 3
    # in n orders of n options each stands in every place once: in three orders of four a key is in three places
    orders = [[each[5]["order"] for each in attempts(store, run)] for run in runs]
    for places in zip(*orders, strict=True):
        assert all(sorted(order) == [0, 1, 2, 3] for order in places)
        assert all(len({order.index(option) for order in places}) == 3 for option in range(4))
    assert len({tuple(order) for order in orders[0]}) > 4, "not every item in the same order"
    for run in runs:
        with pytest.raises(ConflictError, match="people cannot grade the run"):
            run_grading.send_to_grading(store, by=None, run=run)


@needs_archives
def test_an_archive_takes_them_along_each_attempt_with_its_item(
    store: Store, tmp_path: Path, sqlite_template: Path
) -> None:
    def told(where: Store) -> set[tuple[str, str, tuple[int, ...]]]:
        found = attempts(where)
        assert all(kind == "shortcut" and unit == item for _, _, kind, unit, item, _ in found)
        return {(name, said, tuple(detail["order"])) for name, said, _, _, _, detail in found}

    rooms = Rooms(store, tmp_path)
    with served(reader) as server:
        rooms.ask(spec_of(server), orders=2, text_only=True)
    export_project(store, rooms.media, out=tmp_path / "p.zip")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/touchstone.db").write_bytes(sqlite_template.read_bytes())
    other = open_store(None, tmp_path / "other")
    make_project(other, name="before")
    make_items(other, 5, project="before")
    import_project(other, MediaStore(tmp_path / "other/media"), path=tmp_path / "p.zip")
    assert len(told(store)) == 2 * N
    assert told(other) == told(store)
    other.close()


def test_the_seed_draws_the_orders_and_the_same_seed_the_same() -> None:
    def drawn(seed: int) -> list[tuple[int, ...]]:
        return [ShortcutPlan(order=2, orders=3, seed=seed).order_of(str(item), 4) for item in range(20)]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    # five orders of four: the fifth begins anew, and is one of the 24
    five = [ShortcutPlan(order=at, orders=5).order_of("a", 4) for at in range(1, 6)]
    assert all(sorted(each) == [0, 1, 2, 3] for each in five)
    assert Counter(each.index(0) for each in five[:4]) == {0: 1, 1: 1, 2: 1, 3: 1}


def test_judges_and_raters_do_not_see_them(store: Store, tmp_path: Path) -> None:
    make_project(store)
    make_items(store, 3)
    with ScriptedServer([chat("A")]) as server:
        spec = spec_of(server)
        raters = raters_of(store, person=None, project="p", stage=Stage.GRADING)
        plan = ShortcutPlan(text_only=True)
        run = run_start.start(store, by=None, project="p", spec=spec, plan=plan)
        assert run_views.view(store, by=None, run=run).wanted == 3
    assert raters_of(store, person=None, project="p", stage=Stage.GRADING) == raters
    with store.read() as session:
        assert file_raters.judges(session, project_id=1) == set()
    assert list(ratings_of(store, project="p", stage=Stage.GRADING)) == []


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        (ShortcutPlan(text_only=True, frames="one"), "shows no frames"),
        (ShortcutPlan(frames="two"), "one, shuffled"),
        (ShortcutPlan(order=1, orders=1), "2 to 24 orders"),
        (ShortcutPlan(order=1, orders=25), "2 to 24 orders"),
        (ShortcutPlan(strategy="holmes"), "cannot use the strategy holmes. Use generate or rank_options"),
        (ShortcutPlan(frames="one"), "have no clips"),
        (ShortcutPlan(batch=True), "batch files"),
        (ShortcutPlan(text_only=True, without_marks=True), "shows no marks"),
        (ShortcutPlan(without_marks=True), "have no marks on their images"),
    ],
)
def test_what_would_say_nothing_is_refused(store: Store, plan: ShortcutPlan, why: str) -> None:
    make_project(store)
    make_items(store, 1)
    with ScriptedServer([chat("A")]) as server, pytest.raises(ModelError, match=why):
        run_start.start(store, by=None, project="p", spec=spec_of(server), plan=plan)


def test_items_without_options_are_refused_as_a_project_and_skipped_one_by_one(store: Store, tmp_path: Path) -> None:
    rooms = Rooms(store, tmp_path)
    bare = {"question": "Number 99?", "options": ["a", "b", "c", "d"], "answer": "e"}
    asker = ShortcutAsker(
        store,
        rooms.media,
        schema=rooms.loaded.schema_,
        plan=ShortcutPlan(text_only=True),
        spec=FISH,
        cache=tmp_path / "prepared",
    )
    fine, *_ = asker.ask(rooms.ids[:1])
    assert not fine.cannot
    ids = bring(store, rooms.media, rooms.loaded, [("colour", bare, [])], name="other")
    (question,) = asker.ask(ids)
    assert question.cannot == "the item's key is not one of its options"


def test_frames_are_one_or_all_in_another_order(store: Store, media: MediaStore, tmp_path: Path) -> None:
    loaded = schema_of("egoplan")
    clip, still = video(tmp_path / "p.webm", STEADY), png(tmp_path)
    fields = egoplan_fields([(1000, 1100), (1100, 1290)])
    ids = bring(store, media, loaded, [("next_action", fields, [("progress", clip), ("observation", still)])])

    def shown(**condition: Any) -> list[tuple[str, int | None, float | None]]:
        (plan,) = ShortcutPlan.under(plan_for(loaded.schema_, FISH), **condition)
        asker = ShortcutAsker(
            store, media, schema=loaded.schema_, plan=plan, spec=FISH, cache=media.root.parent / "prepared"
        )
        (question,) = asker.ask(ids)
        assert not question.cannot, question.cannot
        return [(each.role, each.clip, each.time) for each in question.pictures]

    whole = shown()
    one, shuffled = shown(frames="one"), shown(frames="shuffled")
    frames = [each for each in whole if each[1] is not None]
    assert len(frames) == 16
    # the ninth of sixteen is the middle one; the observation stays
    assert one == [("progress", 1, frames[8][2]), ("observation", None, None)]
    times = [each[2] for each in shuffled if each[1] is not None]
    assert times != [each[2] for each in frames]
    assert sorted(map(float, times)) == sorted(float(each[2] or 0) for each in frames)  # type: ignore[arg-type]
    assert shuffled == shown(frames="shuffled")
    assert shuffled != shown(frames="shuffled", seed=1)
    assert shuffled[-1] == ("observation", None, None)


@needs("kinds", "masks")
def test_the_same_items_are_asked_with_their_marks_and_without(store: Store, media: MediaStore, tmp_path: Path) -> None:
    """A pair for each item: the same question, the marked copy that people see, and the image as it came."""
    told = SCHEMA.replace("STAGES", "{authoring: {}}").replace("EXPORT", "")
    red = "    - {name: red_boxes, kind: boxes, required: false}\n"
    red += "    - {name: cut, kind: masks, cover: outside, required: false}\n    - {name: video"
    loaded = load_text(told.replace("    - {name: video", red), "", "rooms")
    path = png(tmp_path, size=(64, 48))
    fields = {"question": "Number 1?", "options": ["a", "b", "c", "d"], "answer": "a"}
    box = {"x": 0.25, "y": 0.25, "w": 0.5, "h": 0.5}
    shown = [("image", path)]
    left = {"rings": [[[0, 0], [1, 0], [1, 0.75], [0, 0.75]]]}  # of 48 rows the first 36
    marked = ("colour", {**fields, "red_boxes": [box], "cut": [left]}, shown)
    lying = {"rle": {"size": [64, 48], "counts": [64 * 48]}}  # width and height the wrong way around
    ids = bring(
        store, media, loaded, [marked, ("colour", fields, shown), ("colour", {**fields, "cut": [lying]}, shown)]
    )

    def asked(**condition: Any) -> list[Question]:
        (plan,) = ShortcutPlan.under(plan_for(loaded.schema_, FISH), **condition)
        asker = ShortcutAsker(
            store, media, schema=loaded.schema_, plan=plan, spec=FISH, cache=media.root.parent / "prepared"
        )
        return list(asker.ask(ids))

    with_, plain, wrong = asked()
    without, none, _ = asked(without_marks=True)
    assert wrong.cannot.startswith("A mask of 48 x 64 pixels does not fit an image of 64 x 48")
    assert none.cannot == "The images of this item have no marks to hide."
    assert without.pictures[0].path.read_bytes() == path.read_bytes() == plain.pictures[0].path.read_bytes()
    with Image.open(with_.pictures[0].path) as image, Image.open(path) as bare:
        reds = [at for at in range(64) if image.convert("RGB").getpixel((at, 24)) == (230, 0, 0)]
        # 0.25 * 64 = 16, 0.75 * 64 - 1 = 47, lines two pixels wide within
        assert reds == [16, 17, 46, 47]
        greys = [at for at in range(48) if image.convert("RGB").getpixel((0, at)) == (128, 128, 128)]
        assert greys == [*range(36, 48)]
        assert bare.size == image.size
    texts = [[part for part in each.parts if isinstance(part, str)] for each in (with_, without)]
    assert texts[0] == texts[1]
