"""Test whole protocols with people who only use Label Studio: the results equal those of the same votes on our pages.

The two worlds start as copies of one home. People's answers depend only on who they are and what they read, so the
order of their arrival does not matter. Equal means: every byte of the exported files, every statistic, every verdict,
and the manifests except for the time of the last event.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Set
from pathlib import Path
from typing import Any

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema, load_text
from domain.roles import Role
from domain.states import Stage
from extensions.labelstudio.names import FORMAT
from extensions.labelstudio.tests.live.twins import (
    PROJECT,
    AnswerTwin,
    ChoicesResult,
    Front,
    World,
    in_label_studio,
    on_our_screens,
    twins,
    without_times,
)
from testkit import missing_media
from testkit.factories import make_person, make_project
from testkit.kept_items import gates_of, kept_ids
from tests.app.homes import picture
from tests.paths import shared
from tools.label_studio import Account, LabelStudio
from workflow.annotate import image_pool, submissions
from workflow.files.import_files import import_files
from workflow.files.project_check import check
from workflow.results.rater_agreement import agreement_of
from workflow.runs import run_grading

Person = Callable[[str], Account]
SEED = 20260612
DOMAIN = "protocols.example.org"


def accounts_of(person: Person, *logins: str) -> dict[str, Account]:
    return {login: person(f"{login}@{DOMAIN}") for login in logins}


# ---- EgoPlan: two verify, one settles -------------------------------------------------------------------------------

QUESTIONS = 16
SKIPS = ("none_fits", "goal_ambiguous", "progress_unclear", "several_fit")
SETTLING = """adjudication:
    by: senior
    edit: true
    reasons:
      - {value: wrong_key, label: The answer is wrong}
      - {value: annotator_error, label: A verifier made a mistake}
"""
"""The authors drop items on which two people disagree, and qualify people with fifty questions.

Here a senior settles such items, and everyone may take part.
"""


def egoplan_records() -> list[dict[str, Any]]:
    """Return the first questions with different texts."""
    path = shared("data", "egoplan", "EgoPlan_validation.json")
    by_words: dict[str, dict[str, Any]] = {}
    for record in json.loads(path.read_text(encoding="utf-8")):
        by_words.setdefault(record["question"], record)
    return list(by_words.values())[:QUESTIONS]


def with_a_senior() -> Any:
    text = Path(shipped()["egoplan"]).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.strip().startswith(("qualification:", "guideline:"))]
    text = "\n".join(SETTLING.rstrip() if line.startswith("  adjudication:") else line for line in lines)
    text = text.replace("\nadjudication:", "\n  adjudication:")
    return load_text(text, "Look at the clip, then at the last picture.", "egoplan")


def egoplan(world: World, records: list[dict[str, Any]], *annotators: str) -> None:
    """Import the questions, and add annotators and a senior who only settles."""
    source = world.home / "EgoPlan_validation.json"
    source.write_text(json.dumps(records), encoding="utf-8")
    make_project(world.store, loaded=with_a_senior())
    import_files(world.store, world.media, by=None, project=PROJECT, format="egoplan", path=source)
    missing_media.fill(world.store, world.media)
    for login in annotators:
        make_person(world.store, login)
    make_person(world.store, "clara", role=Role.SENIOR, stages=[Stage.ADJUDICATION])


class Panel:
    """Two people who err and skip now and then, and a senior who accepts, rejects or sets another answer."""

    def __init__(self, records: list[dict[str, Any]]) -> None:
        self.records = {record["question"]: record for record in records}
        self.asked: Counter[tuple[str, str]] = Counter()

    def __call__(self, login: str, stage: Stage, read: Set[str]) -> AnswerTwin:
        (question,) = read & set(self.records)
        record = self.records[question]
        self.asked[login, question] += 1
        dice = random.Random(f"{SEED}/{login}/{question}/{self.asked[login, question]}")
        options = [record[f"choice_{letter}"] for letter in "abcd"]
        wrong = [option for option in options if option != record["answer"]]
        if stage is Stage.ADJUDICATION:
            return self._settled(dice, options, wrong)
        if self.asked[login, question] > 1:  # the senior has set another answer, and everyone sees it
            return AnswerTwin({"choice": wrong[0]}, [ChoicesResult("choice", wrong[0])])
        if dice.random() < 0.04:
            why = dice.choice(SKIPS)
            result = [ChoicesResult("choice", "touchstone:skip"), ChoicesResult("choice-skip", why)]
            return AnswerTwin({"choice": None}, result, reasons={"choice": why})
        chosen = dice.choice(wrong) if dice.random() < 0.1 else record["answer"]
        note = "Seen twice, über & <b>out</b>." if dice.random() < 0.1 else ""
        return AnswerTwin({"choice": chosen}, [ChoicesResult("choice", chosen)], note=note)

    @staticmethod
    def _settled(dice: random.Random, options: list[str], wrong: list[str]) -> AnswerTwin:
        decision = dice.choice(["accept", "reject", "edit"])
        cause = dice.choice(["wrong_key", "annotator_error"])
        values: dict[str, Any] = {"decision": decision, "cause": cause}
        result = [ChoicesResult("decision", decision), ChoicesResult("cause", cause)]
        if decision == "edit":
            values["fields"] = {"answer": wrong[0]}
            result.append(ChoicesResult("field-answer", str(options.index(wrong[0]) + 1)))
        return AnswerTwin(values, result)


def test_egoplan_by_two_annotators_and_a_senior(
    tmp_path: Path, sqlite_template: Path, label_studio: LabelStudio, label_studio_person: Person
) -> None:
    records = egoplan_records()
    people = accounts_of(label_studio_person, "anna", "ben", "clara")
    stages = [Stage.VERIFICATION, Stage.ADJUDICATION]
    with twins(tmp_path, sqlite_template, lambda world: egoplan(world, records, "anna", "ben")) as (there, here):
        front = Front(label_studio)
        given = in_label_studio(there, front, people, stages, Panel(records))
        assert given == on_our_screens(here, list(people), stages, Panel(records))
        assert given["anna"] > QUESTIONS  # some were edited, and verified again
        assert given["ben"] > QUESTIONS
        assert given["clara"] > QUESTIONS / 10
        assert there.verdicts() == here.verdicts()
        assert {state for state, _ in here.verdicts().values()} == {"kept", "rejected"}
        assert there.votes() == here.votes()
        same_release(there, here, "egoplan", stage=Stage.VERIFICATION)
        assert check(there.store) == []
        front.close()


def without_lead_times(file: bytes) -> str:
    """Return a file of Label Studio's form without the raters' times."""
    return re.sub(r', "lead_time": [0-9.]+', "", file.decode())


def same_release(there: World, here: World, format: str, *, stage: Stage, verified: bool = True) -> None:
    """Check that statistics and files are equal, and the manifests except for the time of the last event."""
    measured = there.agreement(stage)
    assert any(each.value is not None for each in measured)
    assert [each.as_json() for each in measured] == [each.as_json() for each in here.agreement(stage)]
    for each in dict.fromkeys((format, "ratings")):
        assert there.exported(each) == here.exported(each)
    moved = [{path: without_lead_times(data) for path, data in each.exported(FORMAT).items()} for each in (there, here)]
    assert moved[0] == moved[1]
    if verified:
        ours, theirs = (dict(each.exported(format, only=kept_ids(each.store, PROJECT))) for each in (here, there))
        manifests = [without_times(files.pop("manifest.json")) for files in (theirs, ours)]
        assert theirs == ours
        assert manifests[0] == manifests[1]
        assert manifests[0]["items"]
        assert gates_of(there.store, PROJECT) == gates_of(here.store, PROJECT)


# ---- grading: three blind answers per item by three graders ---------------------------------------------------------

GRADED = 4
MODELS = ("ash-7b", "birch-13b", "cedar-34b")
SCORES = (0, 0.5, 1)


def graded(world: World) -> None:
    """Import real questions with three answers each, and add three graders."""
    path = shared("data", "egothink", "data", "Object", "attribute", "annotations.json")
    folder = world.home / "egothink" / "Object" / "attribute"
    folder.mkdir(parents=True)
    records = json.loads(path.read_text(encoding="utf-8"))[:GRADED]
    (folder / "annotations.json").write_text(json.dumps(records), encoding="utf-8")
    make_project(world.store, loaded=load_schema(shipped()["egothink"]))
    import_files(world.store, world.media, by=None, project=PROJECT, format="egothink", path=world.home / "egothink")
    missing_media.fill(world.store, world.media)
    names = list(world.verdicts())
    answers = world.home / "answers.jsonl"
    lines = [
        {"model": model, "item": name, "text": f"It is {colour} ({number})."}
        for number, name in enumerate(names)
        for model, colour in zip(MODELS, ("black", "white", "wooden"), strict=True)
    ]
    answers.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    import_files(world.store, world.media, by=None, project=PROJECT, format="predictions", path=answers)
    run_grading.send_imports(world.store, by=None, project=PROJECT)
    for login in ("dora", "emil", "fritz"):
        make_person(world.store, login, stages=[Stage.GRADING])


def grade(login: str, stage: Stage, read: Set[str]) -> AnswerTwin:
    """Return a grade that mostly agrees with the other graders."""
    (answer,) = [text for text in read if text.startswith("It is ") and text.endswith(").")]
    usual = random.Random(f"{SEED}/{answer}").choice(SCORES)
    dice = random.Random(f"{SEED}/{login}/{answer}")
    score = dice.choice(SCORES) if dice.random() < 0.2 else usual
    return AnswerTwin({"score": score}, [ChoicesResult("score", f"{score:g}")])


def test_three_blind_answers_per_item_by_three_graders(
    tmp_path: Path, sqlite_template: Path, label_studio: LabelStudio, label_studio_person: Person
) -> None:
    people = accounts_of(label_studio_person, "dora", "emil", "fritz")
    with twins(tmp_path, sqlite_template, graded) as (there, here):
        front = Front(label_studio)
        given = in_label_studio(there, front, people, [Stage.GRADING], grade)
        assert given == dict.fromkeys(people, GRADED * len(MODELS))
        assert given == on_our_screens(here, list(people), [Stage.GRADING], grade)
        assert there.votes() == here.votes()
        same_release(there, here, "egothink", stage=Stage.GRADING, verified=False)
        assert there.exported("predictions") == here.exported("predictions")
        sent = b"\n".join(front.sent)
        assert b"It is black" in sent
        assert not [model for model in MODELS if model.encode() in sent]
        front.close()


# ---- boxes on images ------------------------------------------------------------------------------------------------

IMAGES = 5
CLOSE = 1e-4
DRAWN = """
name: drawn
version: 1
title: Things on a table
source: {format: egothink}
dimensions: [{id: table, title: Table, folder: Table, definition: "What lies on the table."}]
item:
  assets: [{role: image, kind: image}]
  fields:
    - {name: question, kind: text}
    - {name: answer, kind: text}
stages:
  authoring: {}
  verification:
    raters: 2
    criteria:
      - name: objects
        kind: boxes
        prompt: Where are the things?
        options: [{value: cup, label: Cup}, {value: plate, label: Plate}]
        max: 5
      - name: fits
        kind: choice
        prompt: Does the picture fit the question?
        options: [{value: "yes", label: "Yes"}, {value: "no", label: "No"}]
    keep: {rule: unanimous, criterion: fits, value: "yes"}
  adjudication: none
report: {unit: item, statistics: [percent_agreement, cohen_kappa]}
export: {formats: [egothink]}
"""


def drawn(world: World) -> None:
    """Import pictures with a question each, and add two people who draw."""
    make_project(world.store, loaded=load_text(DRAWN, "Draw close.", "drawn"))
    folder = world.home / "pictures"
    folder.mkdir()
    for number in range(IMAGES):
        (folder / f"{number}.png").write_bytes(picture(number))
    offered = [(f"{number}.png", folder / f"{number}.png") for number in range(IMAGES)]
    image_pool.add_to_pool(world.store, world.media, by=None, project=PROJECT, files=offered)
    author = make_person(world.store, "greta", stages=[Stage.AUTHORING])
    for number in range(IMAGES):
        image = image_pool.pool(world.store, person=author, project=PROJECT).assets[0].id
        task = image_pool.pick(world.store, person=author, project=PROJECT, dimension="table", assets=[image])
        values = {"question": f"What stands there ({number})?", "answer": "A cup."}
        submissions.submit(world.store, person=author, task=task.id, key=f"w{number}", values=values)
    for login in ("hanna", "iris"):
        make_person(world.store, login, stages=[Stage.VERIFICATION])


def draw(login: str, stage: Stage, read: Set[str]) -> AnswerTwin:
    """Return up to three boxes with a browser's many digits, as shares and in percent."""
    (question,) = [text for text in read if text.startswith("What stands there")]
    dice = random.Random(f"{SEED}/{login}/{question}")
    boxes, result = [], []
    for number in range(dice.randrange(4)):
        x, y = dice.uniform(0, 0.7), dice.uniform(0, 0.7)
        w, h = dice.uniform(0.01, 1 - x), dice.uniform(0.01, 1 - y)
        label = dice.choice(["cup", "plate"])
        boxes.append({"label": label, "x": x, "y": y, "w": w, "h": h})
        place = {"x": x * 100, "y": y * 100, "width": w * 100, "height": h * 100, "rotation": 0}
        result.append(
            {
                "id": f"r{number}",
                "from_name": "objects",
                "to_name": "image-image",
                "type": "rectanglelabels",
                "original_width": 64,
                "original_height": 48,
                "image_rotation": 0,
                "value": {**place, "rectanglelabels": [label]},
            }
        )
    if not boxes:
        result.append(ChoicesResult("objects-none", "touchstone:none"))
    fits = "no" if dice.random() < 0.2 else "yes"
    return AnswerTwin({"objects": boxes, "fits": fits}, [*result, ChoicesResult("fits", fits)])


def boxes_of(votes: list[tuple[Any, ...]]) -> tuple[list[Any], list[float], list[Any]]:
    """Split votes into the shapes of boxes, all of their numbers in order, and the rest of the votes."""
    shapes, numbers, rest = [], [], []
    for *who, said in [vote for vote in votes if vote[0] == Stage.VERIFICATION]:
        answers, *more = json.loads(said)
        for box in answers.pop("objects"):
            shapes.append((who, box.pop("label"), sorted(box)))
            numbers += [box[name] for name in sorted(box)]
        rest.append((who, answers, more))
    return shapes, numbers, rest


def test_boxes_on_images(
    tmp_path: Path, sqlite_template: Path, label_studio: LabelStudio, label_studio_person: Person
) -> None:
    people = accounts_of(label_studio_person, "hanna", "iris")
    with twins(tmp_path, sqlite_template, drawn) as (there, here):
        front = Front(label_studio)
        given = in_label_studio(there, front, people, [Stage.VERIFICATION], draw)
        assert given == {"hanna": IMAGES, "iris": IMAGES}
        assert given == on_our_screens(here, list(people), [Stage.VERIFICATION], draw)
        assert there.verdicts() == here.verdicts()
        assert {state for state, _ in here.verdicts().values()} == {"kept", "rejected"}
        (shapes, numbers, rest), expected = boxes_of(there.votes()), boxes_of(here.votes())
        assert (shapes, rest) == (expected[0], expected[2])
        assert len(shapes) > IMAGES
        assert numbers == pytest.approx(expected[1], abs=CLOSE)
        for each in (there, here):
            assert any(found.value is not None for found in each.agreement(Stage.VERIFICATION))
        assert fits_agreement(there) == fits_agreement(here)
        assert there.exported("egothink") == here.exported("egothink")
        ours, theirs = (dict(each.exported("egothink", only=kept_ids(each.store, PROJECT))) for each in (here, there))
        manifests = [without_times(files.pop("manifest.json")) for files in (theirs, ours)]
        assert theirs == ours
        assert manifests[0] == manifests[1]
        front.close()


def fits_agreement(world: World) -> list[dict[str, Any]]:
    found = agreement_of(world.store, person=None, project=PROJECT, stage=Stage.VERIFICATION, criteria=["fits"])
    return [each.as_json() for each in found]
