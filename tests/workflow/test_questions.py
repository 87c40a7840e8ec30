"""What a model is asked: prompts by family and variant, nothing that tells the answer, pictures as the item says."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from annotation_schemas.model import LoadedSchema
from db.assets import put_media
from db.engine import Store
from db.tables import AssetRow
from domain.runs import Question
from inference.spec import ModelSpec
from media.store import MediaStore
from tests.factories import make_project
from workflow.author import NewItem, add_items
from workflow.projects import access_to
from workflow.questions import Asker, plan_for

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


def bring(store: Store, media: MediaStore, loaded: LoadedSchema, items: Items) -> list[int]:
    """A project of this schema with these items."""
    project = make_project(store, loaded=loaded)
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
            return role, row.id or 0

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
    assert sent.path == media.path(sent.sha256)  # nothing is drawn: the file as it came
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


def test_an_item_without_its_file_is_not_asked_and_with_text_only_it_is(store: Store, media: MediaStore) -> None:
    loaded = schema_of("egothink")
    ids = bring(store, media, loaded, [("existence", EGO, [("image", None)])])
    question = asker(store, media, loaded).ask(ids)[0]
    assert (question.cannot, question.parts) == ("The file of its `image` was not brought in.", ())
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
    assert ["is shown no pictures" in each.cannot for each in blind] == [True, True]
    one = asker(store, media, loaded, spec=FISH.model_copy(update={"modality": "one_image"})).ask(ids)
    assert ["one image at a time" in each.cannot for each in one] == [False, True]
    many = asker(store, media, loaded).ask(ids)
    assert [texts(each)[:-1] for each in many] == [["<image>"], ["<image>"] * 2]
