"""A number with decimals from the file to the verdict, to results and back into the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlmodel import select

from annotation_schemas.formats.cells import Cell
from annotation_schemas.loader import load_text
from annotation_schemas.model import ItemField
from db.engine import Store
from db.tables import ItemRow, RevisionRow
from domain.errors import InvalidInputError, InvalidRowsError
from domain.states import Items, ItemState, Stage
from media.store import MediaStore
from testkit.factories import claimed, make_people
from testkit.kept_items import gates_of
from testkit.samples import egothink_record, write
from workflow.access.projects import create_project
from workflow.annotate import submissions
from workflow.annotate.authoring import edit_item
from workflow.files.export import export
from workflow.files.import_files import import_files
from workflow.files.project_check import check
from workflow.results import leaderboard, project_answers, rater_agreement, score_choices

pytestmark = pytest.mark.thorough

TALL = """
name: tall
version: 1
title: How tall
source: {format: egothink, fields: {height: answer}}
dimensions: [{id: near, title: Near}]
item:
  assets: [{role: image, kind: image, min: 0}]
  fields:
    - {name: question, kind: text}
    - {name: height, kind: decimal, unit: m, min: 0, tolerance: {absolute: 0.05}, secret_in: [verification]}
stages:
  verification:
    raters: 2
    criteria: [{name: tall, kind: number, unit: m, prompt: How tall?, tolerance: {absolute: 0.05}}]
    keep: {rule: unanimous_and_key, criterion: tall, key: height}
  adjudication: {reasons: [unclear]}
"""


@pytest.fixture
def folder(store: Store, home: Path, tmp_path: Path) -> Path:
    """Three items, kept as they are written, and one whose number no one can be sure of."""
    create_project(store, name="p", loaded=load_text(TALL, "", "tall"))
    raw = [egothink_record(at, answer=height) for at, height in enumerate(("0.10", 0.25, "2", "1,200"))]
    path = write(tmp_path / "in" / "near" / "annotations.json", raw)
    done = import_files(
        store,
        MediaStore(home / "media"),
        by=None,
        project="p",
        format="egothink",
        path=path.parent.parent,
        skip_bad=True,
    )
    assert [bad.reason for bad in done.bad] == [
        "Height: use a decimal point and no thousands separators, for example 1200.5"
    ]
    return path


def heights(store: Store) -> list[str]:
    with store.read() as session:
        wanted = select(RevisionRow.content).join(ItemRow).where(RevisionRow.number == ItemRow.current_revision)
        return [content["height"] for content in session.exec(wanted.order_by(ItemRow.id))]  # type: ignore[arg-type]


def test_a_number_stays_what_it_is_in_files(store: Store, folder: Path, tmp_path: Path) -> None:
    assert heights(store) == ["0.10", "0.25", "2"]
    export(store, by=None, project="p", format="egothink", out=tmp_path / "same")
    (same,) = (tmp_path / "same").rglob("annotations.json")
    raw = [egothink_record(at, answer=height) for at, height in enumerate(("0.10", 0.25, "2"))]
    assert same.read_bytes() == write(tmp_path / "expected.json", raw).read_bytes()
    with store.read() as session:
        name = session.exec(select(ItemRow.external_id).order_by(ItemRow.id)).first()
    edit_item(store, person=None, project="p", item=str(name), fields={"height": "+0.150"})
    assert heights(store) == ["0.150", "0.25", "2"]
    export(store, by=None, project="p", format="egothink", out=tmp_path / "other")
    (other,) = (tmp_path / "other").rglob("annotations.json")
    assert [record["answer"] for record in json.loads(other.read_text())] == ["0.150", 0.25, "2"]


def test_votes_and_models_are_right_within_the_tolerance(
    store: Store, folder: Path, home: Path, tmp_path: Path
) -> None:
    ann, bob = make_people(store, "ann", "bob")
    # 0.15 and 0.05 are within 0.05 of 0.10; 0.2 is of 0.25, and 0.19 is not; 3 and 3.05 are alike, and wrong
    votes = {"What is 0?": (0.15, 0.05), "What is 1?": (0.2, 0.19), "What is 2?": (3, 3.05)}
    for at, person in enumerate((ann, bob)):
        for _ in votes:
            view = claimed(store, person)
            values = {"tall": votes[view.fields["question"]][at]}
            submissions.submit(store, person=person, task=view.id, key=view.id, values=values)
    with store.read() as session:
        states = session.exec(select(ItemRow.state).order_by(ItemRow.id)).all()  # type: ignore[arg-type]
    assert states == [ItemState.KEPT, ItemState.IN_ADJUDICATION, ItemState.REJECTED]
    assert check(store) == []
    assert heights(store)[0] == "0.10", "the key stands"
    gates = gates_of(store)
    # every two votes are within 0.05 of each other or of the key, and both of one item are of the key
    assert (gates["unanimous"], gates["equal_to_key"]) == (3, 1)
    found = rater_agreement.agreement_of(store, person=None, project="p", stage=Stage.VERIFICATION)
    shares = {each.name: each.value for each in found if each.statistic == "percent_agreement"}
    # 0.15 and 0.05 are 0.1 apart, 0.2 and 0.19 are 0.01, 3 and 3.05 exactly 0.05
    assert shares == {"Percent agreement": 0, "Percent agreement within the tolerance, 0.05": pytest.approx(2 / 3)}

    answers = ["It is 15 cm tall.", "30 cm", "2.06"]  # within 0.05 m, exactly on it, and beyond
    rows = [{"item": f"near/{at}", "model": "m", "text": text} for at, text in enumerate(answers)]
    with store.read() as session:
        names = session.exec(select(ItemRow.external_id).order_by(ItemRow.id)).all()  # type: ignore[arg-type]
    for row, name in zip(rows, names, strict=True):
        row["item"] = name
    path = write(tmp_path / "answers.json", rows)
    import_files(store, MediaStore(home / "media"), by=None, project="p", format="predictions", path=path)
    read = project_answers.read_project(store, person=None, project="p", items=Items.ALL)
    cut = leaderboard.sliced_scores(read, score_choices.Scores("key"))
    assert cut.whole["m"].found.value == pytest.approx(2 / 3)
    said = [each for each in cut.notes if "tolerance" in each]
    assert said == ["Numbers within the key's tolerance (0.05 m) count as right."]


def test_a_cell_holds_a_number_as_it_is_typed() -> None:
    cell = Cell("tall", ItemField(name="tall", kind="decimal"))
    assert [cell.read({"tall": text}) for text in ("0.10", "+1.50", "1,5", None)] == ["0.10", "1.50", "1,5", None]
    assert cell.write("0.10", {}) == {"tall": "0.10"}


def test_rules_hold_in_files_edits_and_votes(store: Store, home: Path, tmp_path: Path) -> None:
    rule = "  rules: [{rule: less_than, of: [low, height], say: It is higher than low.}]\nstages:"
    schema = TALL.replace("stages:", rule, 1).replace(
        "    - {name: height", "    - {name: low, kind: decimal, unit: m, required: false}\n    - {name: height"
    )
    schema = schema.replace("tolerance: {absolute: 0.05}}]", "tolerance: {absolute: 0.05}},\n      "
        "{name: why, kind: text, prompt: Why?, required: false}]\n"
        "    rules: [{rule: required_when, of: [why], when: {tall: [9]}, say: Say why 9.}]")  # fmt: skip
    create_project(store, name="p", loaded=load_text(schema, "", "tall"))
    records = [egothink_record(0, answer="2", low="1.9"), egothink_record(1, answer="2", low="2.00")]
    path = write(tmp_path / "in" / "near" / "annotations.json", records).parent.parent
    media = MediaStore(home / "media")
    with pytest.raises(InvalidRowsError, match="row 2: Height: It is higher than low"):
        import_files(store, media, by=None, project="p", format="egothink", path=path)
    import_files(store, media, by=None, project="p", format="egothink", path=path, skip_bad=True)
    with store.read() as session:
        (name,) = session.exec(select(ItemRow.external_id)).all()
    with pytest.raises(InvalidInputError, match="It is higher than low"):
        edit_item(store, person=None, project="p", item=name, fields={"height": "1.90"})
    (ann,) = make_people(store, "ann")
    view = claimed(store, ann)
    with pytest.raises(InvalidInputError, match="Why\\? Say why 9"):
        submissions.submit(store, person=ann, task=view.id, key="a", values={"tall": 9})
    submissions.submit(store, person=ann, task=view.id, key="b", values={"tall": 9, "why": "It looks so."})
