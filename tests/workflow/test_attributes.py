"""Files of models' attributes and of items' labels."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from db.engine import Store
from domain.errors import InvalidFileError, NotAllowedError
from inference.spec import spec_of
from media.store import MediaStore
from testkit import factories
from tests.workflow.test_results import KEY
from workflow.annotate.project_progress import dashboard
from workflow.files.export import exported
from workflow.files.import_files import import_files
from workflow.results import attributes, leaderboard, leaderboard_page, project_answers
from workflow.runs import identities


def bring(store: Store, folder: Path, format: str, text: str, **how: bool):  # type: ignore[no-untyped-def]
    path = folder / f"{format}.csv"
    path.write_text(text, encoding="utf-8")
    return import_files(store, MediaStore(folder / "m"), by=None, project="p", format=format, path=path, **how)


def test_attributes_of_models_from_a_file(store: Store, tmp_path: Path) -> None:
    factories.make_project(store)
    factories.make_items(store, 2)
    names = [each.name for each in project_answers.read_project(store, person=None, project="p").items.values()]
    said = [{"item": name, "model": model, "text": "red"} for name in names for model in ("small", "large")]
    (tmp_path / "said.jsonl").write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
    about = {"by": None, "project": "p", "format": "predictions", "path": tmp_path / "said.jsonl"}
    import_files(store, MediaStore(tmp_path / "m"), **about)
    with pytest.raises(InvalidFileError, match="the model 'Small' has no answers; models with answers: large, small"):
        bring(store, tmp_path, "models", "model,size\nSmall,7B\n")
    with pytest.raises(InvalidFileError, match=r"the column model .* model is missing"):
        bring(store, tmp_path, "models", "name,size\nsmall,7B\n")
    with pytest.raises(InvalidFileError, match="is already in an earlier row; keep only one of these rows"):
        bring(store, tmp_path, "models", "model,size\nsmall,7B\nsmall,8B\n")
    before = leaderboard_page.mark(store, person=None, project="p")
    done = bring(store, tmp_path, "models", "model,Size,Base LLM\nsmall,7B,Vicuna\nlarge,13B,\n")
    assert (done.described, done.repeated) == (2, 0)
    assert leaderboard_page.mark(store, person=None, project="p") != before, "results are worked out anew"
    assert bring(store, tmp_path, "models", "model,size\nsmall,7B\nlarge,13B\n").repeated == 2
    assert bring(store, tmp_path, "models", "model,size\nlarge,14B\n").described == 1
    read = project_answers.read_project(store, person=None, project="p")
    assert read.attributes == {"small": {"size": "7B", "base_llm": "Vicuna"}, "large": {"size": "14B"}}
    made_ = exported(store, by=None, project="p", format="models")
    rows = list(csv.reader(io.StringIO(made_.files["models.csv"].decode())))
    assert rows == [["model", "size", "base_llm"], ["large", "14B", ""], ["small", "7B", "Vicuna"]]
    with pytest.raises(NotAllowedError):
        attributes.names_in(store, person=factories.make_person(store, "ann"), project="p")


def test_a_description_says_what_a_model_is_and_that_makes_no_other_model_of_it() -> None:
    text = "name: m\nadapter: file\n"
    plain, told = spec_of(text, name="f"), spec_of(text + "attributes: {size: 7B, tuned: 'yes', frames: 8}\n", name="f")
    assert told.dump()["attributes"] == {"size": "7B", "tuned": "yes", "frames": 8}
    assert "attributes" not in plain.dump(), "earlier descriptions keep their hash"
    assert identities.description(plain.dump()) == identities.description(told.dump())


def test_labels_cut_results_and_leave_every_vote(store: Store, tmp_path: Path) -> None:
    factories.make_project(store)
    items = factories.make_items(store, 4)
    ann, bob = factories.make_people(store, "ann", "bob")
    factories.vote(store, ann)
    factories.vote(store, bob)
    factories.make_predictions(store, items, models=["m"])
    read = project_answers.read_project(store, person=None, project="p", items="all")
    names = [each.name for each in read.items.values()]
    before = dashboard(store, person=None, project="p")
    with pytest.raises(InvalidFileError, match="there is no item 'nothing' in this project"):
        bring(store, tmp_path, "labels", "item,scene\nnothing,kitchen\n")
    with pytest.raises(InvalidFileError, match="answer is part of the item"):
        bring(store, tmp_path, "labels", f"item,answer\n{names[0]},red\n")
    text = "item,scene,people\n" + "".join(
        f"{name},{'kitchen' if at < 3 else 'street'},{at}\n" for at, name in enumerate(names)
    )
    assert bring(store, tmp_path, "labels", text).labelled == 4
    assert dashboard(store, person=None, project="p") == before
    read = project_answers.read_project(store, person=None, project="p", items="all")
    cut = leaderboard.sliced_scores(read, KEY, by="scene")
    assert cut.slicing.labels == ("kitchen", "street")
    assert [cut.cells["m", at].asked for at in (0, 1)] == [3, 1]
    assert leaderboard.sliced_scores(read, KEY, by="people", bins=2).slicing.labels == ("0 to 1", "2 to 3")
    assert (
        exported(store, by=None, project="p", format="labels")
        .files["labels.csv"]
        .decode()
        .startswith("item,scene,people\n")
    )
