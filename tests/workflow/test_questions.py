"""What a model is asked: prompts by family and variant, nothing that tells the answer, pictures as the item says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps
from sqlmodel import select

from annotation_schemas import registry, shipped
from annotation_schemas.keys import key_fields
from annotation_schemas.loader import load_schema
from annotation_schemas.model import LoadedSchema
from annotation_schemas.prompts import load_prompt_set
from db import item_revisions
from db import items as item_queries
from db.assets import put_media
from db.engine import Store
from db.tables import AssetRow, AttemptRow, ItemRow, RunRow
from domain.errors import ModelError
from domain.run_kinds import RunKind
from domain.runs import Attempt, FirstAnswer, Outcome, Picture, Question, RunPlan, RunState
from domain.settings import Settings
from inference.spec import ModelSpec
from media import clips
from media.store import MediaStore
from testkit.factories import claimed, make_person, make_project
from testkit.missing_extensions import needs
from testkit.pictures import moving_view, number_of, quarters, video
from testkit.samples import egoplan_record, write
from testkit.tiny import Shelf
from tests.paths import shared
from workflow.access.projects import access_to
from workflow.annotate import submissions
from workflow.annotate.authoring import NewItem, add_items
from workflow.files.import_files import import_files
from workflow.runs import model_plans, run_start, run_views, worker
from workflow.runs.model_plans import kept_prompts, plan_for, unfilled
from workflow.runs.model_questions import Asker
from workflow.runs.model_runs import check_plan
from workflow.runs.prompt_texts import PromptFiller
from workflow.runs.question_items import AskedItem as _Item
from workflow.runs.shown_pictures import Still as _Still

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module", autouse=True)
def _prompts_are_read_once() -> Iterator[None]:
    """A set of prompts is read from its file once, not for each of the hundreds of plans that are made here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model_plans, "load_prompt_set", cache(load_prompt_set))
        yield


FISH = ModelSpec(name="fish", adapter="chat", model="fish", modality="images")
QUESTION, ANSWER = "What is left of {me}?", "zebra-crossing"


@pytest.fixture
def media(home: Path) -> MediaStore:
    return MediaStore(home / "media")


def schema_of(name: str) -> LoadedSchema:
    return load_schema(shipped()[name])


def png(folder: Path, name: str = "a.png", size: tuple[int, int] = (64, 48), colour: str = "blue") -> Path:
    path = folder / name
    Image.new("RGB", size, colour).save(path)
    return path


Items = Sequence[tuple[str, Mapping[str, Any], Sequence[tuple[str, Path | None]]]]
"""Dimension, fields, and the media by role; None is one whose file is not there."""


def bring(store: Store, media: MediaStore, loaded: LoadedSchema, items: Items, *, name: str = "p") -> list[int]:
    """A project of this schema with these items."""
    project = make_project(store, name=name, loaded=loaded)
    with store.write() as session:
        access = access_to(session, person=None, project=project)

        def asset(role: str, path: Path | None) -> tuple[str, int]:
            kind = next(slot.kind for slot in loaded.schema_.item.assets if slot.role == role)
            row = AssetRow(project_id=access.project_id, name=str(path), kind=kind, created_at=store.now())
            if path is not None:
                stored = media.add(path)
                known = {name: value for name, value in asdict(stored).items() if name != "sharpness"}
                put_media(session, row={**known, "created_at": store.now()})
                row.sha256 = stored.sha256
            session.add(row)
            session.flush()
            return role, row.id

        new = [
            NewItem(f"{dimension}/{at}", dimension, fields, [asset(role, path) for role, path in shown])
            for at, (dimension, fields, shown) in enumerate(items)
        ]
        return add_items(session, access=access, new=new, now=store.now())


def asker(store: Store, media: MediaStore, loaded: LoadedSchema, *, spec: ModelSpec = FISH, **plan: Any) -> Asker:
    schema = loaded.schema_
    made = plan_for(schema, spec, **plan)
    return Asker(store, media, schema=schema, plan=made, spec=spec, cache=media.root.parent / "prepared")


def texts(question: Question) -> list[str]:
    """The parts of a question, pictures as their roles in angle brackets."""
    return [part if isinstance(part, str) else f"<{part.role}>" for part in question.parts]


EGO = {"question": QUESTION, "answer": ANSWER}


def test_a_question_is_its_family_s_prompt_with_the_picture_where_the_prompt_says(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    loaded = schema_of("egothink")
    path = png(tmp_path)
    ids = bring(store, media, loaded, [("existence", EGO, [("image", path)]), ("navigation", EGO, [("image", path)])])
    for family, general, planning in [
        ("gpt-4v", "Use as few words as you can.", "Explain fully"),
        ("blip", "Reply to this question with a few words only.", "Reply to this question fully"),
    ]:
        first, second = asker(store, media, loaded, family=family).ask(ids)
        assert texts(first)[0] == "<image>"
        assert texts(first)[1].startswith(general)
        assert texts(second)[1].startswith(planning)
        assert f"Question: {QUESTION} " in first.text
        assert first.system is None
    owl = asker(store, media, loaded, family="mplug-owl").ask(ids)[0]
    before, picture, after = texts(owl)
    assert before.endswith("\n")
    assert picture == "<image>"
    assert after == f"\nQuestion: {QUESTION}\nShort answer:"
    llava = asker(store, media, loaded, spec=FISH.model_copy(update={"prompts": "llava"})).ask(ids)[0]
    assert (llava.text, bool(llava.system)) == (QUESTION, True)
    (sent,) = llava.pictures
    assert sent.path == media.bare(sent.sha256)[0]  # nothing is drawn: the file as it came
    assert sent.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_what_an_item_says_is_text_and_never_a_place_for_something(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    loaded = schema_of("egothink")
    fields = {"question": "What is <image> {answer} {choices}?", "answer": ANSWER}
    ids = bring(store, media, loaded, [("existence", fields, [("image", png(tmp_path))])])
    question = asker(store, media, loaded, family="openflamingo").ask(ids)[0]
    assert len(question.pictures) == 1
    assert texts(question)[-1] == "Question: What is <image> {answer} {choices}? Short answer:"


LIKE_OURS = ["<image>", "{answer}", "{choices} ", "{injected}", "{{", "}", "\\1", "\n"]


@given(
    question=st.text().filter(str.strip) | st.lists(st.sampled_from(LIKE_OURS)).map(lambda parts: f"Q{''.join(parts)}"),
    family=st.sampled_from([None, *load_prompt_set("egothink").families]),
)
def test_any_text_of_an_item_stands_in_its_question_as_it_is(question: str, family: str | None) -> None:
    schema = schema_of("egothink").schema_
    writer = PromptFiller(schema, plan_for(schema, FISH, family=family), family, load_prompt_set("egothink"))
    item = _Item(1, "one", "existence", {"question": question, "answer": ANSWER}, [])
    picture = _Still("image", "0" * 64, {})
    _, parts = writer.parts(item, [picture])
    assert parts.count(picture) == 1
    assert question in "".join(part for part in parts if isinstance(part, str))
    assert ANSWER not in "".join(part for part in parts if isinstance(part, str) and ANSWER not in question)
    _, without = writer.parts(item, [])
    assert len(without) == 1
    assert question in str(without[0])


def test_an_item_without_its_file_is_not_asked_and_with_text_only_it_is(store: Store, media: MediaStore) -> None:
    loaded = schema_of("egothink")
    ids = bring(store, media, loaded, [("existence", EGO, [("image", None)])])
    question = asker(store, media, loaded).ask(ids)[0]
    assert (question.cannot, question.parts) == ("The file of this item's `image` is missing. Import the file.", ())
    for family in ("gpt-4v", "mplug-owl", "openflamingo"):
        question = asker(store, media, loaded, family=family, text_only=True).ask(ids)[0]
        assert (question.cannot, question.pictures, "<image>" in question.text) == ("", (), False)
        assert QUESTION in question.text


def test_a_model_is_not_shown_what_it_does_not_take(store: Store, media: MediaStore, tmp_path: Path) -> None:
    loaded = schema_of("tour")
    fields = {"question": QUESTION, "answer": ANSWER}
    path = png(tmp_path)
    ids = bring(store, media, loaded, [("pointing", fields, [("image", path)] * n) for n in (1, 2)])
    blind = asker(store, media, loaded, spec=FISH.model_copy(update={"modality": "text"})).ask(ids)
    assert ["accepts no images" in each.cannot for each in blind] == [True, True]
    one = asker(store, media, loaded, spec=FISH.model_copy(update={"modality": "one_image"})).ask(ids)
    assert ["accepts only one image" in each.cannot for each in one] == [False, True]
    many = asker(store, media, loaded).ask(ids)
    assert [texts(each)[:-1] for each in many] == [["<image>"], ["<image>"] * 2]


# ---- options, secrets, what is told next to the question -------------------------------------------------------------

PCA = {
    "question": "Braces {actions} stay.",
    "actions": ["Slow down", "Keep driving"],
    "answer": "Slow down",
    "reason": "zebra-reason",
    "key_concepts": ["zebra-concept"],
    "version": "zebra-version",
}


def test_actions_stand_on_lines_with_letters(store: Store, media: MediaStore) -> None:
    loaded = schema_of("pca_bench")
    ids = bring(store, media, loaded, [("autonomous_driving", PCA, [("image", None)])])
    text = asker(store, media, loaded, text_only=True).ask(ids)[0].text
    assert text.startswith("Braces {actions} stay.\nActions:\nA. Slow down\nB. Keep driving\nReason")
    plain = asker(store, media, loaded, prompts="plain", text_only=True).ask(ids)[0].text
    assert plain == "Braces {actions} stay.\nA. Slow down\nB. Keep driving"
    blip = asker(store, media, loaded, prompts="plain", family="blip", text_only=True).ask(ids)[0].text
    assert blip == "Question: Braces {actions} stay.\nA. Slow down\nB. Keep driving\nAnswer:"
    ranked = asker(store, media, loaded, prompts="plain", strategy="rank_options", text_only=True).ask(ids)[0]
    assert (ranked.text, ranked.options) == ("Braces {actions} stay.", ("Slow down", "Keep driving"))


@pytest.mark.parametrize(
    ("prompt", "says"),
    [
        ("{question} {answer}", "asks for `answer`, which contains the right answer"),
        ("{question} {reason}", "asks for `reason`, which contains the right answer"),
        ("{question} {key_concepts}", "asks for `key_concepts`, which contains the right answer"),
        ("{question} {version}", "asks for `version`, which is secret"),
        ("{question} {dream}", "asks for `dream`, but items do not have this field. Choose a field"),
        ("<image> and <image>: {question}", ""),
    ],
)
def test_no_prompt_gets_what_tells_the_answer(
    prompt: str, says: str, store: Store, media: MediaStore, tmp_path: Path
) -> None:
    loaded = schema_of("pca_bench")
    ids = bring(store, media, loaded, [("autonomous_driving", PCA, [("image", None)])])
    path = tmp_path / "mine.txt"
    path.write_text(prompt)
    question = asker(store, media, loaded, prompts=str(path), text_only=True).ask(ids)[0]
    assert says in question.cannot
    assert (question.cannot == "") == (says == "")
    assert "zebra" not in question.text


SCHEMAS = ["egothink", "egoplan", "pca_bench", "etp_bench", "demo", "tour", "jury", "panel", "quorum"]
SECRET = "zebra"


def full(loaded: LoadedSchema) -> dict[str, Any]:
    """Every field of a schema filled; what tells the answer says so, options apart."""
    made: dict[str, Any] = {}
    for each in loaded.schema_.item.fields:
        text = f"{SECRET}-{each.name}" if each.name in key_fields(loaded.schema_) else f"say-{each.name}"
        made[each.name] = {
            "text_list": [f"{text} {n}" for n in range(each.length or 2)],
            "integer": 7,
            "segments": [{"narration_text": "open door", "start_frame": 1, "stop_frame": 5}],
            "choice": each.options[0].value if each.options else None,
            "boxes": [{"label": each.options[0].value, "x": 0, "y": 0, "w": 1, "h": 1}] if each.options else [],
            "marks": [{"number": 1, "x": 0.5, "y": 0.5}],
            "json": {"a": text},
        }.get(each.kind, text)
    for each in loaded.schema_.item.fields:
        if each.kind == "option_of" and each.field:
            made[each.name] = made[each.field][0]
    return made


@pytest.mark.parametrize("name", SCHEMAS)
def test_nothing_secret_is_in_any_prompt_of_any_set(
    name: str, sqlite_store_for_module: Store, tmp_path_factory: pytest.TempPathFactory
) -> None:
    loaded = schema_of(name)
    store, media = sqlite_store_for_module, MediaStore(tmp_path_factory.mktemp("media"))
    fields = full(loaded)
    items = [(dimension.id, fields, []) for dimension in loaded.schema_.dimensions]
    ids = bring(store, media, loaded, items, name=name)
    n_asked = 0
    for row in registry.rows("prompt_set"):
        prompts = load_prompt_set(row.name)
        for family in prompts.families:
            for variant in {variant for each in prompts.families.values() for variant in each}:
                everywhere = {variant: tuple(each.id for each in loaded.schema_.dimensions)}
                for injections in [(), tuple(prompts.injections)]:
                    asked = asker(
                        store,
                        media,
                        loaded,
                        prompts=row.name,
                        family=family,
                        variants=everywhere,
                        injections=injections,
                        text_only=True,
                        strategy="generate",
                    ).ask(ids)
                    assert all(SECRET not in f"{each.system}{each.text}{each.cannot}" for each in asked)
                    n_asked += sum(not each.cannot for each in asked)
    assert n_asked >= len(ids)


PLANNED = {
    "task": "preserve food",
    "question": "Write the plan.",
    "form": "plan",
    "objects": "a pie on the table, a fridge",
    "spatial": "The fridge is behind the table.",
}


def test_information_is_told_next_to_the_question_as_etp_bench_adds_it(store: Store, media: MediaStore) -> None:
    # ETP-Bench, Table 3: +o., +o.+s., +o.+s.+k.
    loaded = schema_of("etp_bench")
    ids = bring(
        store,
        media,
        loaded,
        [
            ("embodied_reasoning", PLANNED, []),
            ("embodied_reasoning", {**PLANNED, "knowledge": "Cold food keeps."}, []),
            (
                "goal",
                {"question": "Is it done?", "form": "open", **{each: each for each in ("objects", "spatial")}},
                [],
            ),
        ],
    )
    told = {
        "objects": "\nObjects of the task and where they are found: a pie on the table, a fridge",
        "spatial": "\nHow the objects lie to each other and to the robot: The fridge is behind the table.",
        "knowledge": "\nWhat is known about doing the task: Cold food keeps.",
    }
    for injections in [(), ("objects",), ("objects", "spatial"), ("objects", "spatial", "knowledge")]:
        first, second, goal = asker(
            store, media, loaded, prompts="etp_bench", text_only=True, injections=injections
        ).ask(ids)
        expected = "".join(told[each] for each in injections)
        assert f"Write the plan.{expected}\n\nThe first image" in second.text
        if "knowledge" in injections:
            assert first.cannot == (
                "The prompt asks for `knowledge`, which this item does not have. Fill in the field, or choose another "
                "prompt."
            )
            assert goal.cannot == first.cannot
        else:
            assert f"Write the plan.{expected}\n\nThe first image" in first.text
            assert goal.text.startswith("Objects of the task" if injections else "You get what")
    with pytest.raises(ModelError, match=r"have no addition `weather`. Additions: objects, spatial, knowledge"):
        asker(store, media, loaded, injections=("weather",))


# ---- prompts out of files -------------------------------------------------------------------------------------------


def test_published_prompts_and_templates_stand_next_to_ours(store: Store, media: MediaStore, tmp_path: Path) -> None:
    loaded = schema_of("egothink")
    ids = bring(store, media, loaded, [("existence", EGO, []), ("navigation", EGO, [])])
    lines = [
        {"name": "short", "system_prompt": "Be brief.", "prompt_template": "Q: {q}\nA:"},
        {"name": "planning", "prompt_template": "Plan for {q}"},
    ]
    published = tmp_path / "published.jsonl"
    published.write_text("\n".join(map(json.dumps, lines)))
    chosen = f"{published}#short"
    with pytest.raises(ModelError, match=r"Choose a prompt with published.jsonl#NAME. The names are: short, planning"):
        asker(store, media, loaded, prompts=str(published))
    lacking = asker(store, media, loaded, prompts=chosen, text_only=True).ask(ids)[0]
    assert "asks for `q`" in lacking.cannot
    made = asker(store, media, loaded, prompts=chosen, fills={"q": "question"}, text_only=True)
    first, second = made.ask(ids)
    assert (first.system, first.text) == ("Be brief.", f"Q: {QUESTION}\nA:")
    assert (second.system, second.text) == (None, f"Plan for {QUESTION}")
    assert made.plan.prompt_set == "published.jsonl#short"
    assert made.plan.prompt_hash == hashlib.sha256(published.read_bytes()).hexdigest()
    published.unlink()  # the plan has it
    again = Asker(store, media, schema=loaded.schema_, plan=RunPlan.of(made.plan.dump()), spec=FISH, cache=tmp_path)
    assert again.ask(ids) == [first, second]
    assert unfilled(loaded.schema_, made.plan) == ()
    assert unfilled(loaded.schema_, replace(made.plan, fills={})) == ("q",)
    with store.write() as session:
        access = access_to(session, person=None, project="p")
        params = {"plan": made.plan.dump(), "spec": FISH.dump()}
        row = RunRow(
            project_id=access.project_id, kind=RunKind.MODEL, name="fish", params=params, created_at=store.now()
        )
        session.add(row)
    with store.read() as session:
        kept = kept_prompts(session, access.project_id)
    assert kept == {"published.jsonl#short": made.plan.prompt_text}
    named = plan_for(loaded.schema_, FISH, prompts="published.jsonl#short", kept=kept)
    assert (named.prompt_text, named.prompt_hash) == (made.plan.prompt_text, made.plan.prompt_hash)

    template = tmp_path / "mine.txt"
    template.write_text("=== system ===\nYou help.\n=== user ===\nAbout {dimension}: {question}\n")
    question = asker(store, media, loaded, prompts=str(template), text_only=True).ask(ids)[0]
    assert (question.system, question.text) == ("You help.", f"About Existence: {QUESTION}")


def test_prompts_that_are_not_there_or_have_changed_are_refused(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    loaded = schema_of("egothink")
    make_project(store, loaded=loaded)
    with pytest.raises(ModelError, match="Name a file, or one of plain, egothink"):
        asker(store, media, loaded, prompts=str(tmp_path / "none.yaml"))
    plan = replace(plan_for(loaded.schema_, FISH), prompt_hash="0" * 64)
    with pytest.raises(ModelError, match="egothink have changed since this run started"):
        Asker(store, media, schema=loaded.schema_, plan=plan, spec=FISH, cache=tmp_path)


# ---- pictures -------------------------------------------------------------------------------------------------------

RED, WHITE = (230, 0, 0), (255, 255, 255)


@pytest.mark.parametrize("size", [(64, 48), (640, 480), (3000, 2000)])
def test_boxes_are_drawn_where_they_are_in_red_between_white(
    size: tuple[int, int], store: Store, media: MediaStore, tmp_path: Path
) -> None:
    width, height = size
    loaded = schema_of("etp_bench")
    fields = {
        "question": "What is it?",
        "form": "open",
        "red_boxes": [{"x": 0.25, "y": 0.25, "w": 0.5, "h": 0.5, "image": 2}],
    }
    path = png(tmp_path, size=size)
    other = png(tmp_path, "b.png", size=size, colour="green")
    ids = bring(store, media, loaded, [("type", fields, [("images", path), ("images", other)])])
    plain, boxed = asker(store, media, loaded).ask(ids)[0].pictures
    assert plain.path.read_bytes() == path.read_bytes()  # the box is on the second image
    assert boxed.sha256 == hashlib.sha256(boxed.path.read_bytes()).hexdigest()
    with Image.open(boxed.path) as image:
        assert (image.format, image.size, image.mode) == ("PNG", size, "RGB")
        middle, left, right = height // 2, width // 4, width * 3 // 4 - 1
        line = max(2, round(max(size) / 250))
        for x in (left, left + line - 1, right, right - line + 1):
            assert image.getpixel((x, middle)) == RED
        for x in (left - 1, left + line, right + 1, right - line):
            assert image.getpixel((x, middle)) == WHITE
        for x in (0, width // 2, width - 1):
            assert image.getpixel((x, middle)) == (0, 128, 0)


def test_boxes_that_are_the_answer_are_not_drawn_for_models(store: Store, media: MediaStore, tmp_path: Path) -> None:
    loaded = schema_of("etp_bench")
    box = {"x": 0.25, "y": 0.25, "w": 0.5, "h": 0.5}
    path = png(tmp_path)
    shown = {"question": "Where is it?", "form": "boxes", "answer_boxes": [box]}
    ids = bring(store, media, loaded, [("spatial", shown, [("images", path)])])
    (question,) = asker(store, media, loaded).ask(ids)
    assert question.cannot == ""
    assert question.pictures[0].path.read_bytes() == path.read_bytes()
    assert "0.25" not in f"{question.system}{question.text}"


def test_the_variant_with_marks_shows_them_to_models_and_people(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    loaded = schema_of("egothink")
    path = png(tmp_path, size=(640, 480))
    marks = [{"number": 1, "x": 0.5, "y": 0.5}]
    told = {
        "with": EGO | {"pair": "1", "variant": "with marks", "marks": marks},
        "without": EGO | {"pair": "1", "variant": "without marks"},
    }
    ids = bring(store, media, loaded, [("existence", fields, [("image", path)]) for fields in told.values()])
    marked, plain = (question.pictures[0] for question in asker(store, media, loaded).ask(ids))
    assert plain.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert marked.sha256 != plain.sha256
    with Image.open(marked.path) as image:
        assert image.size == (640, 480)
        colours = {image.getpixel((x, 240)) for x in range(300, 340)}
        assert {RED, WHITE} <= colours
        assert image.getpixel((20, 20)) == (0, 0, 255)
    ann = make_person(store, "ann")
    views = []
    for at in range(2):
        views.append(claimed(store, ann))
        submissions.submit(store, person=ann, task=views[at].id, key=str(at), values={"fits": "yes"})
    assert [view.fields.get("marks") for view in sorted(views, key=lambda view: len(view.fields))] == [None, marks]
    assert not any({"pair", "variant"} & set(view.fields) for view in views)


def test_marks_and_labels_are_drawn_upright_on_a_turned_photo(store: Store, media: MediaStore, tmp_path: Path) -> None:
    loaded = schema_of("tour")
    turned = tmp_path / "turned.jpg"
    exif = Image.Exif()
    exif[0x0112] = 6  # shown after a quarter turn to the right
    quarters(800, 600).save(turned, exif=exif, quality=95)
    fields = {
        **EGO,
        "pointed": [{"label": "A", "x": 0.1, "y": 0.5, "w": 0.3, "h": 0.3}],
        "numbered": [{"number": 12, "x": 0.75, "y": 0.25}, {"number": 3, "x": 1, "y": 1}],
    }
    ids = bring(store, media, loaded, [("pointing", fields, [("image", turned)])])
    (picture,) = asker(store, media, loaded).ask(ids)[0].pictures
    with Image.open(picture.path) as image, Image.open(turned) as stored:
        upright = ImageOps.exif_transpose(stored)
        assert image.size == upright.size == (600, 800)
        assert not image.getexif()
        assert image.getpixel((300, 100)) == upright.getpixel((300, 100))
        disc = image.crop((450 - 12, 200 - 12, 450 + 12, 200 + 12)).getcolors() or []
        colours = {colour for _, colour in disc}
        assert {RED, WHITE} <= colours
        corner = image.crop((560, 760, 600, 800)).getcolors() or []
        assert RED in {colour for _, colour in corner}  # moved in, so that its number can be read
        label = image.crop((60, 370, 100, 400)).getcolors() or []  # above the box
        assert {RED, WHITE} <= {colour for _, colour in label}


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("pointed", [{"x": 0.5, "y": 0.5, "w": 0.9, "h": 0.1}], "box 1: the box extends beyond the image"),
        ("pointed", "all of it", "the value must be a list of boxes"),
        ("numbered", [{"x": 0.5, "y": 0.5}], "mark 1: `number` must be a whole number of 1 or more"),
    ],
)
def test_what_cannot_be_drawn_keeps_its_item_from_being_asked(
    field: str, value: Any, says: str, store: Store, media: MediaStore, tmp_path: Path
) -> None:
    loaded = schema_of("tour")
    shown = [("image", png(tmp_path))]
    ids = bring(store, media, loaded, [("pointing", {**EGO, field: value}, shown), ("pointing", EGO, shown)])
    first, second = asker(store, media, loaded).ask(ids)
    assert says in first.cannot
    assert second.cannot == ""


def test_workers_make_a_picture_once_and_get_the_same_bytes(store: Store, media: MediaStore, tmp_path: Path) -> None:
    loaded = schema_of("tour")
    marks = [{**EGO, "numbered": [{"number": n, "x": 0.5, "y": 0.5}]} for n in (1, 2)]
    ids = bring(store, media, loaded, [("pointing", each, [("image", png(tmp_path))]) for each in marks])
    askers = [asker(store, media, loaded) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda each: each.ask(ids), askers))
    assert all(each == found[0] for each in found)
    made = sorted(path.name for path in (media.root.parent / "prepared").rglob("*") if path.is_file())
    assert len(made) == 2
    assert all(name.endswith(".png") for name in made)
    assert found[0][0].prompt_hash != found[0][1].prompt_hash


def test_a_picture_that_cannot_be_read_keeps_only_its_item_from_being_asked(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    loaded = schema_of("egothink")
    good, bad = png(tmp_path), png(tmp_path, "b.png", colour="red")
    ids = bring(store, media, loaded, [("existence", EGO, [("image", path)]) for path in (bad, good)])
    sha256 = hashlib.sha256(bad.read_bytes()).hexdigest()
    media.path(sha256).write_bytes(b"no image")
    first, second = asker(store, media, loaded).ask(ids)
    assert "Touchstone cannot read all of the image" in first.cannot
    assert second.cannot == ""


# ---- clips ----------------------------------------------------------------------------------------------------------

STEADY = [n / 25 for n in range(150)]
"""Of the clip: six seconds at 25 frames per second. Its source has 50: each frame of it stands for two of those."""
SEGMENTS = [(1000, 1040), (1040, 1100), (1100, 1150), (1200, 1250), (1250, 1298)]


def egoplan_fields(segments: Sequence[tuple[int, int]] = SEGMENTS, last: int = 1298) -> dict[str, Any]:
    """A question whose clip begins with the first segment and ends at the observation."""
    return {
        "task_goal": "Lay the table",
        "question": "What next?",
        "options": ["take plate", "take cup", "fold napkin", "close drawer"],
        "answer": "take cup",
        "current_observation_frame": last,
        "task_progress_metadata": [
            {"narration_text": f"step {n}", "start_frame": start, "stop_frame": stop}
            for n, (start, stop) in enumerate(segments)
        ],
    }


def numbers(pictures: Sequence[Picture]) -> list[int]:
    found = []
    for each in pictures:
        with Image.open(each.path) as image:
            found.append(number_of(image))
    return found


def test_the_last_segments_become_frames_and_the_observation_a_still(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    # EgoPlan-Bench, C.1: the last 4 clips of 8 keyframes, and the observation
    loaded = schema_of("egoplan")
    clip, still = video(tmp_path / "p.webm", STEADY), png(tmp_path)
    ids = bring(
        store,
        media,
        loaded,
        [
            ("next_action", egoplan_fields(), [("progress", clip), ("observation", still)]),
            ("next_action", egoplan_fields([]), [("progress", None), ("observation", still)]),  # no progress yet
            ("next_action", egoplan_fields(), [("progress", clip), ("observation", None)]),
            ("next_action", egoplan_fields(), [("progress", None), ("observation", still)]),
        ],
    )
    first, second, third, fourth = asker(store, media, loaded).ask(ids)
    assert texts(first)[-1].startswith("These frames show")
    frames = [each for each in first.pictures if each.clip is not None]
    assert [each.clip for each in frames] == [n for n in (1, 2, 3, 4) for _ in range(8)]
    expected = [
        (Fraction(start) + Fraction(k * (stop - start), 7) - 1000) // 2
        for start, stop in SEGMENTS[-4:]
        for k in range(8)
    ]
    assert numbers(frames) == expected
    assert [each.time for each in frames] == pytest.approx([STEADY[n] for n in expected], abs=1e-6)
    (observed,) = [each for each in first.pictures if each.clip is None]
    assert (observed.role, observed.path.read_bytes()) == ("observation", still.read_bytes())
    assert first.options == ("take plate", "take cup", "fold napkin", "close drawer")
    assert [each.role for each in second.pictures] == ["observation"]
    assert (third.pictures[-1].clip, numbers(third.pictures[-1:])) == (None, [149])  # the clip ends with it
    assert fourth.cannot == "The file of this item's `progress` is missing. Import the file."
    assert asker(store, media, loaded, clips={"recent_segments": 0}).ask(ids[3:])[0].cannot == ""
    # The description's own counts are what is sent: of the last segment its first and last frame.
    own = FISH.model_copy(update={"clips": {"recent_segments": 1, "frames_per_segment": 2}})
    (fewer,) = asker(store, media, loaded, spec=own).ask(ids[:1])
    assert numbers(fewer.pictures[:-1]) == [(1250 - 1000) // 2, (1298 - 1000) // 2]
    assert len(fewer.pictures) == 3
    single = FISH.model_copy(update={"modality": "one_image"})
    assert (
        "Set recent_segments=0 to show only the observation"
        in asker(store, media, loaded, spec=single).ask(ids)[0].cannot
    )
    with pytest.raises(ModelError, match=r"Clips have no setting `frames`. Settings: recent_segments"):
        asker(store, media, loaded, clips={"frames": 3})
    told = asker(store, media, loaded, injections=("progress",), text_only=True).ask(ids[:1])[0].text
    assert (
        "\nWhat I have done so far, in this order: step 0, step 1, step 2, step 3, step 4.\nWhat next? Answer with"
        in told
    )
    assert "Lay the table" not in told, "the goal stands in the item's own question, which is asked as published"


def test_in_two_steps_the_progress_is_summed_up_first(store: Store, media: MediaStore, tmp_path: Path) -> None:
    loaded = schema_of("egoplan")
    clip, still = video(tmp_path / "p.webm", STEADY), png(tmp_path)
    fields = egoplan_fields() | {"question": "What next, {summary}?"}
    ids = bring(store, media, loaded, [("next_action", fields, [("progress", clip), ("observation", still)])])
    two = {"strategy": "two_steps", "prompts": "egoplan_summary"}
    (asked,) = asker(store, media, loaded, **two).ask(ids)
    assert asked.first is not None
    assert "My goal: Lay the table." in asked.first.text
    assert asked.first.text.endswith("Do not say what comes next.")
    assert "take cup" not in asked.first.text
    assert asked.first.pictures == asked.pictures
    assert len(asked.pictures) == 4 * 8 + 1
    before, said, after = texts(asked)[-3:]
    assert isinstance(said, FirstAnswer)
    assert before.endswith("The frames in words: ")
    assert after.startswith("\nWhat next, {summary}?\nA. take plate\nB. take cup\nC. fold napkin\nD. close drawer\n")
    (plain,) = asker(store, media, loaded, prompts="egoplan_explain", strategy="generate").ask(ids)
    fewer = asker(store, media, loaded, clips={"recent_segments": 1}, **two).ask(ids)[0]
    assert len({each.prompt_hash for each in (asked, plain, fewer)}) == 3
    seen = asker(store, media, loaded, **two).describe(ids)
    assert (seen.pictures, seen.questions[0].prompt_hash) == (2 * 33, asked.prompt_hash)
    with pytest.raises(ModelError, match=r"The prompts egoplan have no variant `first`.*Choose egoplan_summary"):
        plan_for(loaded.schema_, FISH, strategy="two_steps")
    with pytest.raises(ModelError, match="The first step of the strategy two_steps asks about the pictures"):
        check_plan(FISH, plan_for(loaded.schema_, FISH, text_only=True, **two))
    assert not unfilled(loaded.schema_, plan_for(loaded.schema_, FISH, **two))
    once = plan_for(loaded.schema_, FISH, prompts="egoplan_summary", strategy="generate")
    assert unfilled(loaded.schema_, once) == ("summary",)


def test_how_many_frames_follows_from_the_model_s_description_then_from_the_schema(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    loaded = schema_of("egoplan")
    ids = bring(store, media, loaded, [("next_action", egoplan_fields(), [])])

    def shown(spec: ModelSpec, **plan: Any) -> dict[str, str]:
        return dict(asker(store, media, loaded, spec=spec, **plan).describe(ids).clips)

    schema = "(from the schema, because the model does not set it)"  # the paper's own baseline: C.1
    assert shown(FISH) == {
        "frames_per_segment": f"8 {schema}",
        "recent_segments": f"4 {schema}",
        "observation_frames": f"1 {schema}",
    }
    own = FISH.model_copy(update={"clips": {"frames_per_segment": 2, "recent_segments": 1}})
    assert plan_for(loaded.schema_, own).clips == {
        "recent_segments": 1,
        "frames_per_segment": 2,
        "observation_frames": 1,
    }
    assert shown(own)["frames_per_segment"] == "2 (from the model's description)"
    assert shown(own, clips={"frames_per_segment": 5})["frames_per_segment"] == "5 (chosen)"
    assert FISH.hash == FISH.model_copy(update={"clips": {}}).hash != own.hash
    assert "clips" not in FISH.dump(), "descriptions without it keep their hash"
    assert ModelSpec.model_validate(own.dump()) == own


def test_frames_of_a_clip_that_was_cut_out_of_its_video_are_those_of_the_segments(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    """From the video that a file names to the pictures: none is from outside a segment or after the observation."""
    loaded = schema_of("egoplan")
    make_project(store, loaded=loaded)
    segments = [(30, 58), (58, 72), (75, 96)]
    told = [{"narration_text": "open drawer", "start_frame": start, "stop_frame": stop} for start, stop in segments]
    record = egoplan_record(0, current_observation_frame=96, task_progress_metadata=told)
    write(tmp_path / "in/egoplan.json", [record], indent=None)
    video(tmp_path / "in/V00.mp4", STEADY, codec="libx264")
    folder = tmp_path / "in"
    done = import_files(store, media, by=None, project="p", format="egoplan", path=folder, media_dir=folder)
    assert (done.items, done.assets_missing) == (1, 0)
    with store.read() as session:
        ids = list(session.exec(select(ItemRow.id)))
    (question,) = asker(store, media, loaded).ask([id for id in ids])
    for number, (start, stop) in enumerate(segments, 1):
        shown = numbers([each for each in question.pictures if each.clip == number])
        assert shown == [int(Fraction(start) + Fraction(k * (stop - start), 7)) for k in range(8)]
    assert numbers(question.pictures[-1:]) == [96]


def test_frames_are_distinct_and_never_later_than_the_clip(store: Store, media: MediaStore, tmp_path: Path) -> None:
    loaded = schema_of("egoplan")
    clip, still = video(tmp_path / "p.webm", STEADY), png(tmp_path)
    fields = egoplan_fields([(1000, 1006), (1290, 1400)])
    ids = bring(store, media, loaded, [("next_action", fields, [("progress", clip), ("observation", still)])])
    (question,) = asker(store, media, loaded).ask(ids)
    frames = [each for each in question.pictures if each.clip is not None]
    assert [n for each, n in zip(frames, numbers(frames), strict=True) if each.clip == 1] == [0, 1, 2, 3]
    later = [n for each, n in zip(frames, numbers(frames), strict=True) if each.clip == 2]
    assert later == [145, 146, 147, 148, 149]
    assert all((each.time or 0) <= STEADY[-1] for each in frames)


def test_a_clip_without_segments_is_shown_from_end_to_end(store: Store, media: MediaStore, tmp_path: Path) -> None:
    loaded = schema_of("tour")
    clip = video(tmp_path / "p.webm", STEADY)
    shown = [("clip", clip), ("image", png(tmp_path))]
    ids = bring(store, media, loaded, [("pointing", EGO, shown)])
    question = asker(store, media, loaded, clips={"frames_per_segment": 3}).ask(ids)[0]
    assert [(each.role, each.clip) for each in question.pictures] == [("clip", 1)] * 3 + [("image", None)]
    assert numbers(question.pictures[:3]) == [0, 74, 149]  # 0, 2.98 and 5.96 s: at 2.98 s frame 74 is on screen
    with pytest.raises(ModelError, match="`frames_per_segment` of the clips is 'many'"):
        asker(store, media, loaded, clips={"frames_per_segment": "many"})


@pytest.mark.parametrize("keyframes", [5, 30, 250])
def test_frames_of_an_uneven_clip_are_those_on_screen(keyframes: int, tmp_path: Path) -> None:
    uneven = [round(sum((0.02, 0.05, 0.31, 0.033)[k % 4] for k in range(n)), 3) for n in range(60)]
    path = video(tmp_path / "u.webm", uneven, keyframes=keyframes)
    wanted = [0.0, 0.019, 0.02, 0.38, 0.39, 0.5, 2.0, 2.0, 3.3, 5.9]
    shown = [number_of(each) for each in clips.frames_at(path, wanted)]
    assert shown == [max(n for n, time in enumerate(uneven) if time <= moment) for moment in wanted]


def test_frames_of_a_moving_view_are_those_at_their_times(store: Store, media: MediaStore, tmp_path: Path) -> None:
    loaded = schema_of("egoplan")
    frames, last = moving_view(48, (320, 240)), 47
    clip = clips.write(iter(frames), out=tmp_path / "clip.webm", frames_per_second=12)
    drawn = [np.asarray(frame, dtype=float) for frame in frames]
    fields = egoplan_fields([(0, 12), (12, last)], last)  # its source is the clip itself
    ids = bring(store, media, loaded, [("next_action", fields, [("progress", clip), ("observation", None)])])
    (question,) = asker(store, media, loaded, clips={"frames_per_segment": 4}).ask(ids)
    assert [each.clip for each in question.pictures] == [1] * 4 + [2] * 4 + [None]
    shown = []
    for each in question.pictures:
        with Image.open(each.path) as image:
            pixels = np.asarray(image, dtype=float)
        shown.append(min(range(len(drawn)), key=lambda n: float(np.abs(drawn[n] - pixels).mean())))
    at = [round((each.time or 0) * 12) for each in question.pictures]
    assert at == [0, 4, 8, 12, 12, 23, 35, 47, 47]  # thirds of 0..12 and of 12..47, rounded down
    differing = [n for n in range(len(drawn)) if n in at and np.abs(drawn[n] - drawn[max(n - 1, 0)]).mean() > 1]
    assert len(differing) > 1
    assert [(n, k) for n, k in zip(at, shown, strict=True) if n in differing and n != k] == []


class Parrot:
    """A model that answers with what it is asked."""

    about: Mapping[str, Any] = {}

    def answer(
        self, questions: Sequence[Question], *, tell: Callable[[Attempt], None], stop: Callable[[], bool]
    ) -> None:
        for question in questions:
            tell(Attempt(question.unit_id, Outcome.ANSWERED, question.text))

    def close(self) -> None:
        pass


def test_a_run_keeps_what_was_shown_and_why_something_was_not_asked(
    store: Store, media: MediaStore, tmp_path: Path
) -> None:
    loaded = schema_of("egoplan")
    clip, still = video(tmp_path / "p.webm", STEADY), png(tmp_path)
    shown = [[("progress", clip), ("observation", still)], [("progress", None), ("observation", still)]]
    ids = bring(store, media, loaded, [("next_action", egoplan_fields(), each) for each in shown])
    plan = plan_for(loaded.schema_, FISH, strategy="generate")
    run = run_start.start(store, by=None, project="p", spec=FISH, plan=plan)
    settings = Settings(home=media.root.parent, database_url="")
    means = replace(worker.means_of(store, media, settings), open=lambda spec, plan: Parrot())
    assert worker.work(store, run, means=means) is RunState.DONE
    with store.read() as session:
        kept = {row.item_id: row for row in session.exec(select(AttemptRow))}
    asked, skipped = (kept[id] for id in ids)
    question = asker(store, media, loaded, strategy="generate").ask(ids)[0]
    assert asked.text == question.text
    assert "\nA. take plate\nB. take cup\nC. fold napkin\nD. close drawer\nAnswer with a verb" in asked.text
    assert asked.prompt_hash == question.prompt_hash
    assert asked.image_hashes == [each.sha256 for each in question.pictures]
    assert asked.detail["frames"] == [[each.clip, each.time] for each in question.pictures if each.time is not None]
    assert len(asked.detail["frames"]) == 32
    assert (skipped.outcome, skipped.error) == (
        Outcome.SKIPPED,
        "The file of this item's `progress` is missing. Import the file.",
    )


@needs("adapters", "chat")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "adapter", "modality", "strategy", "begins"),
    [
        ("video_llava", "video_llava", "video", "generate", "<video>\n<video>\n<image>\nThese frames show"),
        ("llava_onevision", "chat", "images", "rank_options", "<image>\n" * 5 + "These frames show"),
    ],
)
def test_real_models_take_clips_and_the_observation(
    family: str,
    adapter: Any,
    modality: Any,
    strategy: str,
    begins: str,
    sqlite_store_for_module: Store,
    tmp_path: Path,
    tiny_models: Shelf,
) -> None:
    store, media = sqlite_store_for_module, MediaStore(tmp_path / "media")
    loaded = schema_of("egoplan")
    shown = [("progress", video(tmp_path / "p.webm", STEADY)), ("observation", png(tmp_path))]
    bring(store, media, loaded, [("next_action", egoplan_fields(), shown)], name=family)
    spec = ModelSpec(name="tiny", adapter=adapter, model=str(tiny_models.folder(family)), modality=modality)
    few = {"frames_per_segment": 2, "recent_segments": 2}
    run = run_start.start(
        store,
        by=None,
        project=family,
        spec=spec,
        plan=plan_for(loaded.schema_, spec, strategy=strategy, clips=few),
    )
    means = worker.means_of(store, media, Settings(home=tmp_path, database_url=""))
    assert worker.work(store, run, means=means) is RunState.DONE
    (said,) = run_views.attempts_of(store, by=None, run=run)
    assert begins in said.attempt.detail["rendered"]
    assert said.attempt.detail["frames"] == [[1, 4.0], [1, 5.0], [2, 5.0], [2, 5.96]]
    assert len(said.attempt.image_hashes) == 5
    if strategy == "rank_options":
        assert said.attempt.text in egoplan_fields()["options"]


# ---- what will happen -----------------------------------------------------------------------------------------------


def test_what_will_happen_is_counted_before_anything_is_asked(store: Store, media: MediaStore, tmp_path: Path) -> None:
    loaded = schema_of("egothink")
    path = png(tmp_path)
    items = [("existence", EGO, [("image", path)])] * 5 + [("navigation", EGO, [("image", None)])] * 2
    ids = bring(store, media, loaded, items)
    preview = asker(store, media, loaded).describe(ids, first=2)
    assert (preview.wanted, preview.pictures, len(preview.questions)) == (7, 5, 2)
    assert preview.cannot == {"The file of this item's `image` is missing. Import the file.": 2}
    assert preview.variants["navigation"] == preview.variants["assistance"] == "planning"
    assert {preview.variants[name] for name in preview.variants.keys() - {"navigation", "assistance"}} == {"general"}
    preview = asker(store, media, loaded, text_only=True).describe(ids)
    assert (preview.cannot, preview.pictures, preview.left_out) == ({}, 0, 7)


# ---- real files -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "folder", "n"),
    [("egothink", "data", 550), ("egoplan", "EgoPlan_validation.json", 3355), ("pca_bench", "", 200)],
)
def test_every_published_question_can_be_asked(
    name: str, folder: str, n: int, sqlite_store_for_module: Store, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = shared("data", name, folder)
    loaded = schema_of(name)
    store, media = sqlite_store_for_module, MediaStore(tmp_path_factory.mktemp("media"))
    project = f"real-{name}"
    make_project(store, name=project, loaded=loaded)
    import_files(store, media, by=None, project=project, format=name, path=path)
    with store.read() as session:
        access = access_to(session, person=None, project=project)
        rows = item_queries.of_project(session, project_id=access.project_id)
        contents = item_revisions.current_content(session, project_id=access.project_id)
    assert len(rows) == n
    families = load_prompt_set(name).families
    for family in families:
        made = asker(store, media, loaded, family=family, text_only=True)
        questions = made.ask([row.id for row in rows])
        assert {each.cannot for each in questions} == {""}
        for row, question in zip(rows, questions, strict=True):
            fields = contents[row.id]
            assert question.name == row.external_id
            asked = f"{question.system}{question.text}"
            assert fields.get("question", "") in asked
            for key in ("reason", "key_concepts"):
                told = fields.get(key)
                assert told is None or str(told) not in asked
        if name == "egoplan":
            assert all(len(question.options) == 4 for question in questions)
            assert not any(question.text.count("\n") for question in questions)
