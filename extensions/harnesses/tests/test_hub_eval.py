"""eval.yaml, as Inspect itself reads it and makes samples of the rows, without a network."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from annotation_schemas.formats import FORMATS
from annotation_schemas.formats.released import ReleasedItem, ReleasedSplit
from domain.errors import InvalidFileError
from extensions.harnesses.tests.test_hf_dataset import with_readme
from tests.exporters import official
from tools import loaders

SAMPLES = """
import json, sys
from pathlib import Path
import datasets, yaml
from inspect_ai._eval.loader import scorer_from_spec, solver_from_spec
from inspect_ai._eval.task.hf import HFTask, _record_to_sample_hf
from inspect_ai.scorer._scorer import ScorerSpec
from inspect_ai.solver._solver import SolverSpec

def samples(root, document):
    found = {}
    for said in document["tasks"]:
        task = HFTask.model_validate(said)
        for solver in task.solvers:
            solver_from_spec(SolverSpec(solver=solver.name, args=solver.args, args_passed=solver.args))
        for scorer in task.scorers:
            scorer_from_spec(ScorerSpec(scorer=scorer.name), task_path=None, **scorer.args)
        rows = datasets.load_dataset(root, task.config, split=task.split)
        made = [_record_to_sample_hf(row, task.field_spec) for row in rows]
        found[task.id] = [json.loads(each.model_dump_json(exclude_none=True)) for each in made]
    return found

told = {}
for name, (root, document) in json.loads(sys.argv[1]).items():
    try:
        told[name] = samples(root, document)
    except Exception as error:
        told[name] = f"{type(error).__name__}: {error}"
json.dump(told, sys.stdout)
"""

CHOSEN = """
name: chosen
version: 1
title: Which one?
dimensions: [{id: added, title: Added, definition: "Something is there."}]
item:
  assets: [{role: picture, kind: image, min: 0}]
  fields:
    - {name: question, kind: text}
    - {name: options, kind: text_list}
    - {name: answer, kind: option_of, field: options}
    - {name: level, kind: integer, required: false}
"""


def chosen(text: str = CHOSEN, **answers: Any) -> official.Made:
    """Two items that ask for one of their options, with an image and without one."""
    made = official.fifth(text)
    one = {"question": "Which?\nSay.", "options": ["1", "2", "1, 2"], "answer": "2", "level": 3}
    two = {"question": "Und 你?", "options": ["ja", "nein"], "answer": "nein"}
    made.items = [
        ReleasedItem("a", "added", "test", {**one, **answers}, [made.asset("picture", "1")], "kitchen"),
        ReleasedItem("b", "added", "test", {**two, **answers}),
    ]
    return made


def changed(document: Mapping[str, Any], **task: Any) -> dict[str, Any]:
    """The same with other keys in its first task."""
    first = {key: value for key, value in {**document["tasks"][0], **task}.items() if value is not None}
    return {**document, "tasks": [first]}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All documents of this module, read at once."""
    root = tmp_path_factory.mktemp("hub")
    asked: dict[str, tuple[str, dict[str, Any]]] = {}

    def add(name: str, made: official.Made, **part: Any) -> dict[str, Any]:
        released = made.set(**part)
        official.write(released, root / name, ["hf_dataset", "hub_eval"], media=False)
        with_readme(root / name, replace(released, formats=("hf_dataset", "hub_eval")))
        document: dict[str, Any] = yaml.safe_load((root / name / "eval.yaml").read_text(encoding="utf-8"))
        asked[name] = (str(root / name), document)
        return document

    made = chosen()
    document = add("chosen", made)
    task, spec = document["tasks"][0], document["tasks"][0]["field_spec"]
    numbers = CHOSEN.replace("{name: answer, kind: option_of, field: options}", "{name: answer, kind: integer}")
    add("numbers", chosen(numbers, options=[], answer=7))
    private = [replace(made.items[0], split="validation"), made.items[1]]
    hidden = {name: value for name, value in private[1].fields.items() if name != "answer"}
    made.items = [private[0], replace(private[1], fields=hidden)]
    add("private", made, splits=[ReleasedSplit("validation", 1), ReleasedSplit("test", 1, ["answer"])])
    for name, keys in {
        "scores": {"scores": task["scorers"], "scorers": None},
        "scorer": {"scorer": task["scorers"], "scorers": None},
        "an Image column": {"field_spec": {**spec, "input_image": "picture"}},
        "a whole number as target": {"field_spec": {**spec, "target": "level"}},
    }.items():
        asked[name] = (asked["chosen"][0], changed(document, **keys))
    done = loaders.run("hub", SAMPLES, json.dumps(asked), home=root / "home")
    assert done.returncode == 0, done.stderr[-3000:]
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.slow
def test_samples_are_the_items(found: Mapping[str, Any]) -> None:
    first, second = found["chosen"]["test"]
    (message,) = first["input"]
    text, image = message["content"]
    assert (text["text"], first["choices"], first["target"]) == ("Which?\nSay.", ["1", "2", "1, 2"], "B")
    kind, _, data = image["image"].partition(",")
    assert (kind, base64.b64decode(data)) == ("data:image/png;base64", official.png("1"))
    assert first["metadata"] == {"id": "a", "dimension": "added", "group": "kitchen"}
    assert (second["input"], second["target"], second["metadata"]["id"]) == ("Und 你?", "B", "b")


@pytest.mark.slow
def test_a_number_stays_one_and_a_split_without_a_key_has_no_task(found: Mapping[str, Any]) -> None:
    assert [(each["target"], each.get("choices")) for each in found["numbers"]["test"]] == [("7", None)] * 2
    assert list(found["private"]) == ["validation"]
    assert [each["target"] for each in found["private"]["validation"]] == ["B"]


@pytest.mark.slow
@pytest.mark.parametrize("key", ["scores", "scorer"])
def test_only_scorers_is_a_key_of_a_task(key: str, found: Mapping[str, Any]) -> None:
    assert "Extra inputs are not permitted" in found[key]


@pytest.mark.slow
def test_an_image_has_to_be_one_data_uri(found: Mapping[str, Any]) -> None:
    assert "ValidationError" in found["an Image column"]


@pytest.mark.slow
def test_a_whole_number_as_target_would_become_a_letter_and_nothing_the_word_none(found: Mapping[str, Any]) -> None:
    assert [each["target"] for each in found["a whole number as target"]["test"]] == ["D", "None"]  # 3, and no level


REFUSED = {
    "kind: option_of": ("kind: options_of", {"answer": ["1"]}, "several options are right"),
    "min: 0": ("min: 0, max: 2", {}, "the item has 2 images, but a Hub task can have only one image"),
    "{name: level": (
        "{name: eval_input, kind: text, required: false}\n    - {name: level",
        {},
        "already has a column 'eval_input'",
    ),
}


@pytest.mark.parametrize("old", REFUSED)
def test_what_a_task_has_no_place_for_is_refused_by_name(old: str, tmp_path: Path) -> None:
    new, fields, said = REFUSED[old]
    made = chosen(CHOSEN.replace(old, new))
    first = made.items[0]
    two = [*first.assets, made.asset("picture", "2")] if "2 images" in said else first.assets
    made.items[0] = replace(first, fields={**first.fields, **fields}, assets=two)
    with pytest.raises(InvalidFileError, match=said):
        official.write(made.set(), tmp_path, ["hf_dataset", "hub_eval"])


def test_items_that_would_be_scored_wrongly_are_refused_by_name(tmp_path: Path) -> None:
    def refused(said: str, formats: tuple[str, ...] = ("hf_dataset", "hub_eval"), **fields: Any) -> None:
        made = chosen()
        made.items[1] = replace(made.items[1], fields={**made.items[1].fields, **fields})
        with pytest.raises(InvalidFileError, match=said):
            official.write(made.set(), tmp_path / str(len(list(tmp_path.iterdir()))), formats)

    refused("hub_eval cannot store the item 'b': the item has no right answer", answer=None)
    refused("hub_eval cannot store the item 'b': one option is empty", options=["nein", " "])
    refused("hub_eval cannot store the item 'b'", answer="vielleicht")
    refused("Add hf_dataset to the formats of the release", formats=("hub_eval",))
    made = chosen()
    hidden = [replace(item, fields={"question": "?", "options": ["1", "2"]}) for item in made.items]
    made.items = hidden
    with pytest.raises(InvalidFileError, match="every split of this release withholds the right answers"):
        official.write(
            made.set(splits=[ReleasedSplit("test", 2, ["answer"])]), tmp_path / "p", ["hf_dataset", "hub_eval"]
        )


def test_clips_and_several_images_are_refused_before_anything_is_written() -> None:
    carries = FORMATS["hub_eval"].carries
    assert carries(chosen().schema) is None
    assert "clips" in str(carries(chosen(CHOSEN.replace("kind: image, min: 0", "kind: clip")).schema))
    assert "several images" in str(carries(official.fifth().schema))
