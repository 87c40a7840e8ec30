"""A small project with something in every table that goes with one, and what it looks like without its ids."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select, text

from annotation_schemas.loader import load_text
from db.engine import Store
from db.tables import metadata
from domain.roles import Role
from domain.states import Stage
from media.store import MediaStore
from testkit.factories import (
    BLIND,
    SETTLING,
    claimed,
    make_items,
    make_people,
    make_person,
    make_predictions,
    make_project,
    make_schema,
    vote,
)
from testkit.guidelines import new_guideline
from testkit.pictures import encoded, numbered
from testkit.schema_versions import take_schema
from workflow.annotate import drafts, image_pool, submissions
from workflow.annotate.authoring import edit_item

HIDDEN: dict[tuple[str, str], str] = {
    ("run", "by_id"): "person",
    ("candidate", "group_id"): "asset",
    ("candidate", "decision_id"): "sift_decision",
    ("qualification_set", "item_ids"): "item",
    ("qualification_set", "prediction_ids"): "prediction",
    ("qualification_review", "reference_ids"): "annotation",
    ("exposure", "task_id"): "task",
    ("exposure", "asset_id"): "asset",
    ("exposure", "shape_id"): "exposure_shape",
}
"""Columns with ids that no foreign key names, and of which table; what a run asks about is an item or a judge unit."""
PLAN = {
    **{"template": "t", "template_version": 1, "template_hash": "h", "template_text": "?"},
    **{"parser": "p", "parser_version": 1, "values": [0, 0.5, 1], "criteria": {"score": "score"}},
}
DRAWN = {"public_id", "submit_key", "key"}


def build(store: Store, media: MediaStore, folder: Path) -> None:
    """The project ``p`` of the blind schema, made by use cases as far as they are short, else row by row."""
    make_project(store, loaded=make_schema(raters=2))
    make_person(store, "lea", role=Role.LEAD)
    sen = make_person(store, "sen", role=Role.SENIOR)
    ann, bob, cat = make_people(store, "ann", "bob", "cat")
    ids = make_items(store, 4)
    pictures = []
    for number in (1, 2):
        path = folder / f"picture-{number}.png"
        path.write_bytes(encoded(numbered(number, (48, 36))))
        pictures.append((path.name, path))
    image_pool.add_to_pool(store, media, by=None, project="p", files=pictures, source_of=lambda name: "film")
    for person in (ann, bob):
        vote(store, person)
        vote(store, person, "blue" if person is bob else "red")
    submissions.undo(store, person=bob, project="p", stage=Stage.VERIFICATION)
    edit_item(store, person=sen, project="p", item="colour/3", fields={"question": "Which colour, then?"})
    new_guideline(store, project="p", text="Be very exact.", why="too vague")
    text = BLIND.replace("RATERS", "2").replace("PER_SOURCE", "2").replace("ADJUDICATION", SETTLING)
    later = text.replace("version: 1", "version: 2").replace("title: Colour,", "title: Colours,")
    take_schema(store, load_text(later, "Be very exact.", "blind"))
    drafts.save_draft(store, person=cat, task=claimed(store, cat).id, seq=1, values={"choice": "blue"})
    make_predictions(store, ids[:2], models=["m"])
    _fill(store)


def _fill(store: Store) -> None:
    """A row in each table that is still empty."""
    now = store.now()
    with store.write() as session:
        connection = session.connection()

        def first(table: str, where: str = "1=1") -> int:
            of = metadata.tables[table]
            return int(connection.scalar(select(of.c.id).where(text(where)).order_by(of.c.id).limit(1)) or 0)

        p, item, person = first("project"), first("item"), first("person", "login='sen'")
        task, asset, prediction = first("task"), first("asset"), first("prediction")
        votes = first("annotation")
        own = {"project_id": p, "created_at": now}

        def add(table: str, **row: Any) -> int:
            done = connection.execute(insert(metadata.tables[table]), row).inserted_primary_key
            return int(done[0]) if done is not None and isinstance(done[0], int) else 0

        file = add(
            "import_file", **own, path="a.json", format="egothink", head="", tail="", meta={"format": "egothink"}
        )
        connection.execute(text("UPDATE item SET file_id=:f, position=0 WHERE id=:i"), {"f": file, "i": item})
        add("item_asset", item_id=item, asset_id=asset, role="image", position=0)
        decided = add("sift_decision", **own, asset_id=asset, person_id=person, submit_key="look", action="kept",
                      reason="", typed=False, schema_version_id=1, guideline_hash="")  # fmt: skip
        add("candidate", asset_id=asset, project_id=p, state="KEPT".lower(), group_id=asset, decision_id=decided,
            person_id=person)  # fmt: skip
        add("pick", asset_id=asset, task_id=task, position=0)
        add("aside", project_id=p, person_id=person, stage="verification", task_id=task,
            unit=f"verification/item/{item}/1", released=True, at=now)  # fmt: skip
        gold = add("gold", **own, public_id="gold-1", stage="verification", item_id=item, revision=1,
                   dimension="colour", answers={"choice": "red"}, made_by_id=person, why="")  # fmt: skip
        checked = add("task", **own, public_id="gold-task", stage="verification", unit=f"gold/{gold}", slot=person,
                      item_id=item, revision=1, dimension="colour", state="done", person_id=person, correcting=False,
                      purpose="gold", rank=0, shuffle=7, opened=1, awaits_media=False)  # fmt: skip
        connection.execute(
            text(
                "INSERT INTO annotation (public_id, project_id, task_id, person_id, stage, purpose, dimension,"
                " item_id, revision, submit_key, answers, reasons, note, schema_version_id, schema_hash,"
                " guideline_hash, created_at) SELECT 'gold-said', project_id, :task, :person, stage, 'gold', dimension,"
                " :item, 1, 'gold-key', answers, reasons, note, schema_version_id, schema_hash, guideline_hash,"
                " created_at FROM annotation WHERE id = :a"
            ),
            {"task": checked, "person": person, "item": item, "a": votes},
        )
        add("gold_pardon", **own, stage="verification", person_id=person, by_id=person, why="a slip")
        drawn = add("qualification_set", **own, stage="verification", number=1, item_ids=[item, item + 1],
                    prediction_ids=[prediction, prediction + 1], requalify=False, guideline_hash="",
                    seed=3)  # fmt: skip
        tried = add("qualification", **own, public_id="try-1", stage="verification", set_id=drawn, person_id=person,
                    number=1, why="")  # fmt: skip
        add("task", **own, public_id="try-task", stage="grading", unit=f"qualification/{tried}/{prediction}", slot=0,
            item_id=item, prediction_id=prediction, dimension="colour", state="open", correcting=False,
            purpose="qualification", rank=0, shuffle=8, opened=1, awaits_media=False)  # fmt: skip
        add("qualification_review", qualification_id=tried, person_id=person, signs=True, comments={"colour/1": "ok"},
            state="passed", n_right=2, reference_ids=[votes], created_at=now)  # fmt: skip
        said = [
            add("comment", **own, public_id=f"said-{n}", item_id=item, person_id=person, submit_key=f"c{n}",
                text="Look.", early=False)
            for n in range(2)
        ]  # fmt: skip
        connection.execute(insert(metadata.tables["comment"]), {**own, "public_id": "answer", "item_id": item,
                           "person_id": person, "submit_key": "c", "text": "I did.", "early": True,
                           "reply_to_id": said[1]})  # fmt: skip
        add("comment_for", comment_id=said[0], person_id=person, read_at=now)
        told = {"fields": ["question"], "facts": [], "said": [], "other": []}
        shape = add("exposure_shape", project_id=p, hash="h", schema_version_id=1, told=told)
        sent = {"project_id": p, "person_id": person, "shape_id": shape, "sha256": "s", "bytes": 1, "at": now}
        add("exposure", **sent, item_id=item, task_id=task, route="page", stage="verification", revision=1)
        add("exposure", **sent, asset_id=asset, route="media", stage="")
        add("insight", item_id=item, person_id=person, created_at=now)
        add(
            "cause_answer", annotation_id=votes, guideline_version_id=first("guideline_version"), why="", created_at=now
        )
        add("imported_rating", **own, stage="grading", unit="u", rater="r", criterion="score", value=0.5)
        add("file_rater", project_id=p, name="r", is_person=True)
        add(
            "schedule", **own, number=1, deadlines={"verification": "2027-01-31"}, stage_order=["grading"], by_id=person
        )
        add("entry_budget", **own, number=1, entries=3, days=7, by_id=person)
        add("release_about", **own, number=1, about={"license": "CC0-1.0"}, by_id=person)
        made = add("release", **own, number=1, point=0, asked={"formats": ["csv"]}, told={"release": "1"},
                   manifest_sha256="h", by_id=person)  # fmt: skip
        connection.execute(insert(metadata.tables["release_item"]), {"release_id": made, "item_id": item, "revision": 1,
                           "split": "test", "place": 0})  # fmt: skip
        add("withdrawal", **own, release_id=made, item_id=item, reason="Two are right.", by_id=person)
        add("guideline_seen", project_id=p, person_id=person, number=1, seen_at=now)
        add("judge_template", **own, name="t", version=1, hash="h", text="?", origin="", by_id=person)
        add(
            "tool_result",
            item_id=item,
            tool="ocr",
            arguments={"at": 1},
            arguments_key="{}",
            result=["x"],
            created_at=now,
        )
        add("reading", prediction_id=prediction, reader="rules", version=1, revision=1, kind="text", asked="a",
            outcome="unreadable", places=[], spans=[], rule="", why="", detail={}, created_at=now)  # fmt: skip
        judge = add("run", **own, public_id="run-1", kind="judge", name="j", params={"plan": PLAN}, state="running",
                    spec_hash="", wanted=1, said="", withdrawn_why="", by_id=person)  # fmt: skip
        worker = add("run_worker", run_id=judge, name="w", about={}, started_at=now, seen_at=now)
        unit = add("judge_unit", run_id=judge, item_id=item, prediction_id=prediction, swapped=False, sample=0)
        asked = add("attempt", run_id=judge, worker_id=worker, unit_id=unit, item_id=item, number=1, outcome="answered",
                    final=True, text="[[1]]", error="", waited=0.0, prompt_hash="", image_hashes=[], detail={},
                    created_at=now)  # fmt: skip
        add("judgement", run_id=judge, unit_id=unit, attempt_id=asked, criterion="score", verdict="scored", value=1,
            why="", parser="p", parser_version=1, created_at=now)  # fmt: skip
        add("run_chunk", run_id=judge, number=1, unit_ids=[unit], since=asked, done=False, worker_id=worker,
            lease_until=now)  # fmt: skip
        model = first("run", "name='answers'")
        add("run_chunk", run_id=model, number=1, unit_ids=[item, item + 1], since=0, done=True)
        batch = add("run_batch", run_id=judge, number=1, worker_id=worker, by_hand=False, state="sent", most_cost=0.0,
                    told={}, said="", created_at=now)  # fmt: skip
        add("run_batch_unit", batch_id=batch, unit_id=unit, item_id=item, prompt_hash="", image_hashes=[],
            attempt_id=asked, digest="")  # fmt: skip
        add("run_batch_problem", run_id=judge, key="k", why="?", raw="{", created_at=now)
        bridge = add("bridge", **own, address="http://127.0.0.1:1", stages=["verification"], ahead=3, hold_hours=8.0,
                     stay=False, said="", busy_by="me", busy_until=now)  # fmt: skip
        add("bridge_person", bridge_id=bridge, person_id=person, email="s@x", why="", created_at=now)
        outside = add("bridge_project", bridge_id=bridge, person_id=person, stage="verification", labeling_hash="",
                      key="bp", outside_user=1, outside_id=1, strangers=0, created_at=now)  # fmt: skip
        out = add("bridge_task", bridge_project_id=outside, task_id=task, person_id=person, key="bt", number=1,
                  state="out", says="", guideline="", why="", created_at=now)  # fmt: skip
        add("bridge_answer", bridge_id=bridge, bridge_task_id=out, person_id=person, outside_annotation=1, updated="u",
            outcome="stored", why="", raw={}, annotation_id=votes, created_at=now)  # fmt: skip
        said = {"said": {"colour/1": {"scene": "kitchen"}}}
        add("event", at=now, kind="items.labelled", project_id=p, person_id=person, data=said)
        add("event", at=now, kind="run.started", project_id=p, person_id=person, data={"run": "run-1", "model": "j"})


def bare(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The tables of an archive, with the place of each row in its table instead of its id, and no random ids."""
    found: dict[str, list[dict[str, Any]]] = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.startswith("tables/"):
                lines = archive.read(name).decode().splitlines()
                found[name[7:-6]] = [json.loads(line) for line in lines]
    places = {
        table: {row["id"]: at for at, row in enumerate(rows)}
        for table, rows in found.items()
        if rows and "id" in rows[0]
    }
    rates = {row["id"] for row in found["run"] if row["kind"] == "judge"}
    batches = {row["id"]: row["run_id"] for row in found["run_batch"]}
    return {table: [_bare(table, row, places, rates, batches) for row in rows] for table, rows in found.items()}


def _reading(read: dict[str, Any], places: dict[int, int]) -> dict[str, Any]:
    return {
        **read,
        "steps": {places[int(id)]: steps for id, steps in read["steps"].items()},
        "complete": [{**each, "under": [places[id] for id in each["under"]]} for each in read["complete"]],
        "numbers": {places[int(id)]: number for id, number in read["numbers"].items()},
    }


def _bare(
    table: str, row: dict[str, Any], places: dict[str, dict[int, int]], rates: set[int], batches: dict[int, int]
) -> dict[str, Any]:
    made = dict(row)
    asked = "judge_unit" if row.get("run_id", batches.get(row.get("batch_id", 0))) in rates else "item"
    for column, value in row.items():
        there = HIDDEN.get((table, column))
        keys = {key.column.table.name for key in metadata.tables[table].c[column].foreign_keys} - {"revision"}
        if column == "id":
            made[column] = places[table][value]
        elif column in DRAWN:
            made[column] = None
        elif column in ("unit_id", "unit_ids"):
            there = asked
        elif keys and keys != {"media_object"}:
            (there,) = keys
        if there is not None and value is not None:
            made[column] = [places[there][id] for id in value] if isinstance(value, list) else places[there][value]
    if table == "walk":
        made["heard_id"] = None
    for column in ("reading", "reading_before"):
        if made.get(column) is not None:
            made[column] = _reading(made[column], places["schema_version"])
    if table == "schema_change":
        made["done_to"] = places["item"].get(made["done_to"])
    if table in ("task", "aside"):
        parts = made["unit"].split("/")
        if parts[0] == "gold":
            parts[1], made["slot"] = str(places["gold"][int(parts[1])]), places["person"].get(made.get("slot"))
        elif parts[0] == "qualification":
            parts[1:] = [str(places["qualification"][int(parts[1])]), str(places["prediction"][int(parts[2])])]
        elif parts[0] == "authoring":
            parts[1] = ""
        else:
            parts[2] = str(places[parts[1]][int(parts[2])])
        made["unit"] = "/".join(parts)
    if table == "run_chunk":
        made["since"] = places["attempt"].get(made["since"])
    if table == "event":
        made["data"] = {at: each for at, each in made["data"].items() if at not in ("run", "asset", "replaces")}
    return made
