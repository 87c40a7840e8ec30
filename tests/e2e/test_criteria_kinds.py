"""Every kind of criterion in the browser, with the keyboard alone: typed, reloaded, submitted, exported."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from sqlalchemy import text

from annotation_schemas import registry, shipped
from annotation_schemas.loader import load_schema, load_text
from annotation_schemas.model import LoadedSchema
from domain.roles import Role
from examples.scenes import scenes
from media.store import MediaStore
from testkit.serving import Server, touchstone
from tests.e2e.people import Desk, at_desk, full_record, opened
from workflow.access import accounts, memberships, projects
from workflow.annotate import image_pool
from workflow.annotate import submissions as submit
from workflow.files import import_files

RATERS = ("ada", "vera", "greta")
OBJECTS = ["a mug", "a spoon", "a plate", "a lemon"]
STEPS = ["take the mug", "pour the tea", "boil water"]
PLAN = "Here you go 🥄:\n1. go_to(mug)\n2. grasp(mug)\n3. grasp(spoon)\n4. fly(table)"


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Server]:
    """One server with the people; each test makes its project."""
    home = tmp_path_factory.mktemp("kinds") / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    server = Server(home)
    with opened(server) as store:
        for login in (*RATERS, "lena"):
            accounts.create_person(store, login=login, name=login.title())
    yield server.start()
    server.stop()


def build(
    server: Server,
    folder: Path,
    project: str,
    loaded: LoadedSchema,
    items: Mapping[str, Mapping[str, Any]],
    answer: str | None = None,
) -> None:
    """A project with items that Ada has written, by dimension; what is about to be written where there are no fields;
    and a model's answer to the last one."""
    with opened(server) as store:
        projects.create_project(store, name=project, loaded=loaded)
        for login in RATERS:
            memberships.set_member(store, by=None, project=project, login=login, role=Role.ANNOTATOR)
        memberships.set_member(store, by=None, project=project, login="lena", role=Role.LEAD)
        ada = accounts.find_person(store, login="ada")
        media = MediaStore(server.home / "media")
        for at, (dimension, fields) in enumerate(items.items()):
            picture = folder / f"scene{at}.png"
            scenes("counting")[at].picture().save(picture)
            image_pool.add_to_pool(store, media, by=None, project=project, files=[(picture.name, picture)])
            free = image_pool.pool(store, person=ada, project=project).assets[0].id
            view = image_pool.pick(store, person=ada, project=project, dimension=dimension, assets=[free])
            if fields:
                submit.submit(store, person=ada, task=view.id, key=view.id, values=fields)
        if answer is not None:
            with store.read() as session:
                name = (
                    session.connection()
                    .execute(text("SELECT external_id FROM item ORDER BY id DESC"))
                    .scalars()
                    .first()
                )
            answers = folder / "answers.jsonl"
            answers.write_text(json.dumps({"item": name, "model": "m", "text": answer}) + "\n")
            import_files.import_files(store, media, by=None, project=project, format="predictions", path=answers)


def questions(server: Server, folder: Path, project: str) -> None:
    """Questions of every kind, with one written item and one model's answer to it."""
    fields = {"question": "How do I make tea?", "objects": OBJECTS, "steps": STEPS}
    build(server, folder, project, load_schema(shipped()["questions"]), {"kitchen": fields}, PLAN)


def rated(server: Server, folder: Path, project: str, schema: str) -> dict[str, Any]:
    """The exported ratings, by criterion; a second project that they are brought into exports the very same."""
    out, again = folder / "ratings.csv", folder / "again.csv"
    for words in (
        ("item", "export", project, "ratings", "--out", str(out)),
        ("project", "create", f"{project}-again", "--schema", schema),
        ("item", "import", f"{project}-again", "ratings", str(out)),
        ("item", "export", f"{project}-again", "ratings", "--out", str(again)),
    ):
        done = touchstone(*words, home=server.home)
        assert done.returncode == 0, done.stderr
    with out.open(newline="", encoding="utf-8") as one, again.open(newline="", encoding="utf-8") as other:
        assert sorted(csv.reader(one)) == sorted(csv.reader(other))
    with out.open(newline="", encoding="utf-8") as file:
        return {row["criterion"]: row["value"] for row in csv.DictReader(file)}


def key_of(desk: Desk, criterion: str, entry: str) -> str:
    """The key that is printed next to an entry of a criterion."""
    block = desk.page.locator(f".criterion[data-criterion={criterion}]")
    row = block.locator(".choice, .orderrow", has_text=entry).first
    return row.locator(".slot").inner_text().lower()


GIVEN = """() => {
    const host = [...document.querySelectorAll('*')].map(node => node.shadowRoot).find(
        root => root && root.querySelector('.ts[data-view]'));
    return [...(host || document).querySelectorAll('.criterion[data-criterion]')].map(block => [
        block.dataset.criterion,
        [...block.querySelectorAll('.chosen:not(.tags .chosen), .placed, .tagname, .spanlist li')].map(
            node => node.innerText.replace(/^[0-9]\\n/, '')),
        [...block.querySelectorAll('input, textarea')].map(node => node.value)]);
}"""


def given(desk: Desk, *, said: str = "saved") -> list[Any]:
    """What the form shows as given, by criterion: chosen, put in order, tagged, listed, typed; without its keys."""
    expect(desk.page.locator(".saved")).to_contain_text(said)
    found: list[Any] = desk.page.evaluate(GIVEN)
    return found


def submissions(server: Server, stage: str) -> int:
    """How many there are in a stage, those that others have taken the place of included."""
    with closing(sqlite3.connect(server.home / "touchstone.db")) as connection:
        query = "SELECT count(*) FROM annotation WHERE stage = ?"
        return int(connection.execute(query, (stage,)).fetchone()[0])


def both_in_history(desk: Desk, login: str, before: str, after: str, same: tuple[str, ...]) -> None:
    """A lead finds what someone took back, and what they gave in its place, with all that is in both."""
    rows = desk.page.get_by_role("dialog").locator("table").nth(1).locator("tbody tr").filter(has_text=login)
    expect(rows).to_have_count(2)
    remarks = ("replaced by a later answer", "replaces an earlier answer")
    for row, own, remark in zip(rows.all(), (before, after), remarks, strict=True):
        expect(row).to_contain_text(remark)
        for words in (own, *same):
            expect(row).to_contain_text(words)


def active(desk: Desk, criterion: str) -> None:
    """Wait until a criterion is the one that keys go to."""
    expect(desk.page.locator(f".criterion.active[data-criterion={criterion}]")).to_be_visible()


def test_every_kind_is_asked_somewhere_here() -> None:
    """The shipped schemas of this file and of ``test_marks`` hold every kind that there is, but one of clips and those
    about two answers."""
    asked = {
        criterion.kind
        for name in ("questions", "tour")
        for stage in ("verification", "grading")
        for criterion in registry.criteria_of(load_schema(shipped()[name]).schema_, stage)
    }
    elsewhere = {"time_span", "preference", "each_answer"}  # extensions/time_spans, test_order_of_answers
    assert asked | elsewhere == {row.name for row in registry.rows("criterion_kind")}


@pytest.mark.browser
def test_every_kind_by_keys(serving: Server, chromium: Browser, tmp_path: Path, pictures: Path | None) -> None:
    questions(serving, tmp_path, "kinds")
    verified_by_keys(serving, chromium, pictures)
    graded_by_keys(serving, chromium, pictures)
    seen = (
        "seen: a mug; a lemon",
        "count: 7",
        "order: boil water; take the mug; pour the tea",
        "properties: openable: no; sliceable: no; breakable: yes",
        "fits: no",
        "why: Ask about the kettle.",
    )
    passage = "go 🥄:"  # words three and four of the answer
    assert PLAN.split()[2:4] == passage.split()
    start = PLAN.index(passage)
    graded = (
        f"passages: characters {start} to {start + len(passage)}: made_up",
        "plan: step 3: impossible; step 4: useless",
    )
    with at_desk(chromium, serving, "lena") as desk:
        desk.open("/items?project=kinds")
        desk.page.get_by_role("link", name="How do I make tea?").click()
        full_record(desk.page)
        both_in_history(desk, "vera", "first: a plate", "first: a mug", seen)
        both_in_history(desk, "greta", "quality: 0.5", "quality: 1", graded)
        desk.picture(pictures / "history-of-kinds.png" if pictures else None)
    found = rated(serving, tmp_path, "kinds", "questions")
    assert json.loads(found.pop("seen")) == ["a mug", "a lemon"], "in the item's own order, whatever the page's was"
    assert found.pop("first") == "a mug", "what was submitted last counts"
    assert json.loads(found.pop("count")) == 7
    assert json.loads(found.pop("order")) == ["boil water", "take the mug", "pour the tea"]
    assert json.loads(found.pop("properties")) == [
        {"name": "openable", "value": "no"},
        {"name": "sliceable", "value": "no"},
        {"name": "breakable", "value": "yes"},
    ]
    assert json.loads(found.pop("passages")) == [{"start": start, "end": start + len(passage), "tag": "made_up"}]
    assert json.loads(found.pop("plan")) == [{"step": 3, "tag": "impossible"}, {"step": 4, "tag": "useless"}]
    assert json.loads(found.pop("quality")) == 1
    assert found == {"fits": "no", "why": "Ask about the kettle."}
    assert submissions(serving, "grading") == 2


def verified_by_keys(server: Server, chromium: Browser, pictures: Path | None) -> None:
    with at_desk(chromium, server, "vera") as desk:
        desk.open("/verify?project=kinds")
        expect(desk.bench).to_have_attribute("data-view", "task")
        active(desk, "seen")
        for entry in ("a lemon", "a mug", "a plate", "a plate"):  # the plate is switched on and off again
            desk.press(key_of(desk, "seen", entry))
        desk.looks(pictures, "kind-multi_choice")
        desk.press("Enter")
        active(desk, "first")
        desk.looks(pictures, "kind-option_of")
        desk.press(key_of(desk, "first", "a plate"))
        active(desk, "count")
        desk.press("7", "0", "Enter")
        expect(desk.page.locator(".criterion[data-criterion=count] .error")).to_have_text("At most 50.")
        desk.looks(pictures, "kind-number")
        desk.press("Backspace", "Enter")
        active(desk, "order")
        desk.press(key_of(desk, "order", "boil water"))
        desk.press(key_of(desk, "order", "pour the tea"))
        # One place is still free; picked up with the space bar it goes between the two.
        desk.press("ArrowDown", "ArrowDown", "Space", "ArrowUp", "Space")
        rows = desk.page.locator(".criterion[data-criterion=order] .orderrow .label")
        expect(rows).to_have_text(["boil water", "take the mug", "pour the tea"])
        desk.looks(pictures, "kind-ordering")
        desk.press("Enter")
        active(desk, "properties")
        desk.press("2", "2")
        expect(desk.page.locator(".saved")).to_contain_text("saved")
        desk.looks(pictures, "kind-property_list")
        desk.page.reload()  # the half-done list and everything before it are still there
        expect(desk.bench).to_have_attribute("data-view", "task")
        active(desk, "properties")
        expect(rows).to_have_text(["boil water", "take the mug", "pour the tea"])
        expect(desk.page.locator(".criterion[data-criterion=count] input")).to_have_value("7")
        desk.press("1")
        active(desk, "fits")
        desk.looks(pictures, "kind-choice")
        desk.press("2")
        active(desk, "why")
        desk.page.keyboard.insert_text("Ask about the kettle.")
        desk.looks(pictures, "kind-text")
        before = given(desk)
        desk.press("ControlOrMeta+Enter")
        expect(desk.bench).to_have_attribute("data-view", "nothing")
        desk.press("u")  # taken back, everything is as it was given
        expect(desk.bench).to_have_attribute("data-view", "task")
        active(desk, "seen")
        assert given(desk, said="You are editing an answer that you submitted.") == before
        desk.press("Enter")
        active(desk, "first")
        desk.press(key_of(desk, "first", "a mug"))
        active(desk, "count")
        desk.press("ControlOrMeta+Enter")
        expect(desk.bench).to_have_attribute("data-view", "nothing")


def graded_by_keys(server: Server, chromium: Browser, pictures: Path | None) -> None:
    with at_desk(chromium, server, "greta", scheme="dark") as desk:
        desk.open("/grade?project=kinds")
        expect(desk.bench).to_have_attribute("data-view", "task")
        active(desk, "quality")
        desk.looks(pictures, "kind-scale")
        desk.press("2")
        active(desk, "passages")
        desk.press("ArrowRight", "ArrowRight", "Shift+ArrowRight", "1")  # the third word and the one after it
        desk.looks(pictures, "kind-spans")
        desk.press("End")
        desk.press("ArrowRight", "2", "Backspace", "Enter")  # a second one, taken back
        active(desk, "plan")
        steps = desk.page.locator(".plan .step")
        expect(steps).to_have_count(5)
        expect(steps.nth(3)).to_contain_text("needs holding nothing")
        expect(steps.nth(3)).to_contain_text("near spoon")
        expect(steps.nth(4)).to_contain_text("fly is not an action of this schema.")
        desk.press("ArrowDown", "ArrowDown", "2", "3", "3", "ArrowDown", "1")
        expect(desk.page.locator(".saved")).to_contain_text("saved")
        desk.looks(pictures, "kind-plan")
        before = given(desk)
        desk.press("Enter")
        expect(desk.bench).to_have_attribute("data-view", "nothing")
        desk.press("u")
        expect(desk.bench).to_have_attribute("data-view", "task")
        active(desk, "quality")
        assert given(desk, said="You are editing an answer that you submitted.") == before
        desk.press("3", "ControlOrMeta+Enter")
        expect(desk.bench).to_have_attribute("data-view", "nothing")


@pytest.mark.browser
def test_by_pointer(serving: Server, chromium: Browser, tmp_path: Path) -> None:
    """Whatever is not the active criterion hears the first click too, and rows can be dragged."""
    questions(serving, tmp_path, "pointer")
    with at_desk(chromium, serving, "vera") as desk:
        desk.open("/verify?project=pointer")
        expect(desk.bench).to_have_attribute("data-view", "task")
        block = desk.page.locator(".criterion[data-criterion=properties]")
        block.locator(".property", has_text="Breakable").get_by_text("Yes").click()
        expect(block.locator(".property", has_text="Breakable").locator(".said.chosen")).to_contain_text("Yes")
        rows = desk.page.locator(".criterion[data-criterion=order] .orderrow")
        rows.filter(has_text="boil water").click()
        expect(desk.page.locator(".orderrow.placed .label")).to_have_text(["boil water"])
        active(desk, "order")
        desk.page.locator(".criterion[data-criterion=seen] .choice", has_text="a lemon").click()
        active(desk, "seen")
        rows.nth(2).drag_to(rows.nth(0))
        expect(rows.locator(".label").nth(1)).to_have_text("boil water")
        expect(desk.page.locator(".orderrow.placed")).to_have_count(3)
    with at_desk(chromium, serving, "greta") as desk:
        desk.open("/grade?project=pointer")
        expect(desk.bench).to_have_attribute("data-view", "task")
        desk.page.locator(".plan .step", has_text="fly").click()
        active(desk, "plan")
        desk.page.locator(".tags .choice", has_text="Not needed").click()
        expect(desk.page.locator(".plan .step", has_text="fly").locator(".tagname")).to_have_text(["Not needed"])
        words = desk.page.locator(".spantext .word")
        one, other = words.nth(1).bounding_box(), words.nth(2).bounding_box()
        assert one is not None
        assert other is not None
        desk.page.mouse.move(one["x"] + 2, one["y"] + one["height"] / 2)
        desk.page.mouse.down()
        desk.page.mouse.move(other["x"] + other["width"] - 2, other["y"] + other["height"] / 2, steps=4)
        desk.page.mouse.up()
        expect(desk.page.locator(".word.here")).to_have_text(PLAN.split()[1:3])
        desk.page.locator(".choice.tag", has_text="Made up").click()
        expect(desk.page.locator(".spanlist li")).to_have_text(["Made up: “you go”"])


TALL = """
name: tall
version: 1
title: Tall
dimensions: [{id: one, title: One}]
item:
  assets: [{role: image, kind: image}]
  fields:
    - {name: low, kind: decimal, unit: m, min: 0, max: 9}
    - {name: high, kind: decimal, unit: m}
  rules: [{rule: less_than, of: [low, high], say: High is above low.}]
stages:
  authoring: {}
  verification:
    raters: 1
    criteria:
      - {name: right, kind: choice, prompt: Right?, options: ["yes", "no"]}
      - {name: why, kind: choice, prompt: Why?, options: [dark, odd], required: false}
      - {name: seen, kind: multi_choice, prompt: Seen?, options: [cup, jug], none: None, cannot_tell: Too dark}
    rules: [{rule: required_when, of: [why], when: {right: ["no"]}, say: Say why not.}]
    keep: {rule: unanimous, criterion: right, value: "yes"}
"""


@pytest.mark.browser
def test_numbers_and_rules(serving: Server, chromium: Browser, tmp_path: Path) -> None:
    """A decimal and a rule between two of them while they are typed, and a rule between answers as a vote is sent."""
    build(serving, tmp_path, "tall", load_text(TALL, "", "tall"), {"one": {}})
    with at_desk(chromium, serving, "ada") as desk:
        desk.open("/author?project=tall")
        expect(desk.bench).to_have_attribute("data-view", "task")
        low, high = (desk.page.locator(f".field[data-field={name}]") for name in ("low", "high"))
        expect(low).to_contain_text("m, 0 to 9")
        low.locator("textarea").fill("1,50")
        expect(low.locator(".error")).to_have_text("Use a decimal point, without thousands separators, such as 1200.5.")
        low.locator("textarea").fill("1.50")
        expect(low.locator(".error")).to_be_hidden()
        high.locator("textarea").fill("1.5")
        expect(high.locator(".error")).to_have_text("High is above low.")
        low.locator("textarea").fill("1.40")  # the other number mends it, too
        expect(high.locator(".error")).to_be_hidden()
        desk.press("Control+Enter")
        expect(desk.bench).not_to_have_attribute("data-view", "task")
    with at_desk(chromium, serving, "vera") as desk:
        desk.open("/verify?project=tall")
        expect(desk.bench).to_have_attribute("data-view", "task")
        assert (desk.shown("low"), desk.shown("high")) == ("1.40 m", "1.5 m")
        desk.press("2")
        desk.page.locator(".criterion[data-criterion=seen] .choice", has_text="Cup").click()
        desk.press("1", "Control+Enter")
        why = desk.page.locator(".criterion[data-criterion=why] .error")
        expect(why).to_have_text("Say why not.")
        right = desk.page.locator(".criterion[data-criterion=right] .choice")
        right.filter(has_text="Yes").click()  # now nothing is missing any more
        expect(why).to_be_hidden()
        right.filter(has_text="No").click()
        expect(why).to_have_text("Say why not.")
        active(desk, "why")
        desk.press("1")
        active(desk, "seen")  # each key takes back what does not go with it
        chosen = desk.page.locator(".criterion[data-criterion=seen] .choice.chosen .label")
        desk.press("1", "2")
        expect(chosen).to_have_text(["Cup", "Jug"])
        desk.press("3")
        expect(chosen).to_have_text(["Too dark"])
        desk.press("1")
        expect(chosen).to_have_text(["Cup"])
        desk.press("4")
        expect(desk.bench).not_to_have_attribute("data-view", "task")
    with closing(sqlite3.connect(serving.home / "touchstone.db")) as connection:
        (sent,) = connection.execute("SELECT answers FROM annotation ORDER BY id DESC LIMIT 1").fetchone()
    assert json.loads(sent) == {"right": "no", "why": "dark", "seen": []}


FOUND = ["yes", "no", "no", "yes", "no", "yes", "no", "no", "no"]
"""What is said of the nine properties of Table 4 of the paper, in its order."""
FRAMES = ["the pan is on the table", "the cupboard is open", "the pan is in the cupboard"]
HAPPENED = [FRAMES[1], FRAMES[0], FRAMES[2]]


@pytest.mark.browser
def test_properties_and_orders_of_etp_bench_by_keys(
    serving: Server, chromium: Browser, tmp_path: Path, pictures: Path | None
) -> None:
    """Who verifies says which properties a thing has, and what came when, where the aspect asks for it; else not."""
    items = {
        "property": {"question": "What properties does it have?", "form": "property_list", "answer": "breakable"},
        "temporal": {"question": "In which order?", "form": "ordering", "options": FRAMES, "answer": "b, a, c"},
        "relevant": {"question": "What is needed?", "form": "open", "answer": "A brush."},
    }
    build(serving, tmp_path, "etp", load_schema(shipped()["etp_bench"]), {**items, "spatial": {}})
    with at_desk(chromium, serving, "ada") as desk:  # an answer is drawn if its form says so, and else said
        desk.open("/author?project=etp")
        expect(desk.bench).to_have_attribute("data-view", "task")
        form, said, drawn = (
            desk.page.locator(f".field[data-field={name}]") for name in ("form", "answer", "answer_boxes")
        )
        desk.page.locator(".field[data-field=question] textarea").fill("Where are they?")
        expect(said).to_be_visible()
        expect(drawn).to_be_hidden()
        said.locator("textarea").fill("left")
        form.locator(".choice", has_text="Boxes on the image").click()
        expect(said).to_be_hidden()
        drawn.locator(".marker").focus()
        desk.press("a")
        outlines = desk.page.locator(".media svg.drawn .outline")
        expect(outlines).to_have_count(1)
        form.locator(".choice", has_text="One of the options").click()
        expect(said.locator("textarea")).to_have_value("left")
        expect(drawn).to_be_hidden()
        expect(outlines).to_have_count(0)
        form.locator(".choice", has_text="Boxes on the image").click()
        expect(outlines).to_have_count(1)
        desk.picture(pictures / "author-etp-boxes.png" if pictures else None)
        desk.press("Control+Enter")
        expect(desk.bench).not_to_have_attribute("data-view", "task")
    items["spatial"] = {"question": "Where are they?"}
    with at_desk(chromium, serving, "vera") as desk:
        desk.open("/verify?project=etp")
        forms = {
            "property": "Properties from the list",
            "temporal": "Options in order",
            "relevant": "Open",
            "spatial": "Boxes on the image",
        }
        left = {fields["question"]: dimension for dimension, fields in items.items()}
        while left:
            expect(desk.bench).to_have_attribute("data-view", "task")
            dimension = left.pop(str(desk.shown("question")))
            assert desk.shown("form") == forms[dimension], "in the words of the schema"
            if dimension == "property":
                active(desk, "properties")
                desk.press(*("1" if said == "yes" else "2" for said in FOUND))
                desk.picture(pictures / "criteria-etp-properties.png" if pictures else None)
            elif dimension == "temporal":
                active(desk, "asks")
                desk.press("1")
                active(desk, "order")
                for frame in HAPPENED:
                    desk.press(key_of(desk, "order", frame))
                desk.picture(pictures / "criteria-etp-order.png" if pictures else None)
                desk.press("Enter")
            elif dimension == "spatial":
                expect(desk.page.locator(".media svg.drawn .outline")).to_have_count(1)
                active(desk, "right")
                desk.press("Enter")
            active(desk, "fits")
            desk.next_after("1")
        expect(desk.bench).to_have_attribute("data-view", "nothing")
    out = tmp_path / "ratings.csv"
    assert touchstone("item", "export", "etp", "ratings", "--out", str(out), home=serving.home).returncode == 0
    with out.open(newline="", encoding="utf-8") as file:
        rows = [(row["dimension"], row["criterion"], row["value"]) for row in csv.DictReader(file)]
    votes = {(dimension, criterion): value for dimension, criterion, value in rows}
    assert len(rows) == len(votes)
    said = {entry["name"]: entry["value"] for entry in json.loads(votes.pop(("property", "properties")))}
    assert list(said.values()) == FOUND
    assert json.loads(votes.pop(("temporal", "order"))) == HAPPENED
    fits = dict.fromkeys(((dimension, "fits") for dimension in items), "yes")
    assert votes == {("temporal", "asks"): "order", ("spatial", "right"): "[]", **fits}
