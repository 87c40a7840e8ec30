"""Test that a real Label Studio accepts our files, and that its own exports of them have the same content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation_schemas.formats import Names
from db.engine import Store
from domain.records import TaskView
from domain.states import Stage
from extensions.labelstudio.export_file import local_file
from extensions.labelstudio.labeling import data, labeling
from extensions.labelstudio.tests.kitchen import FOLDER, RATINGS, kitchen
from extensions.labelstudio.tests.live.server import project, put
from extensions.labelstudio.tests.test_label_studio_files import answers, bring, left_as, rated
from media.store import MediaStore
from testkit.factories import make_project
from tools.label_studio import LabelStudio
from workflow.files.export import exported


def test_out_through_a_real_server_and_in_again(label_studio: LabelStudio, store: Store, home: Path) -> None:
    media = MediaStore(home / "media")
    for name in ("p", "q"):
        make_project(store, name=name, loaded=kitchen())
    bring(store, media, FOLDER / "kitchen.json")
    schema = kitchen().schema_

    def page(stage: Stage, view: TaskView) -> Mapping[str, Any]:
        return data(schema, stage, view, lambda asset: local_file(asset.id))

    made = exported(store, by=None, project="p", format="label_studio", file_name="tasks.json", private=True, page=page)
    admin = label_studio.admin
    number = project(admin, "moved", labeling(schema, Stage.VERIFICATION, "kitchen"))
    put(admin, number, json.loads(made.files["tasks.json"]))
    export = f"/api/projects/{number}/exports"
    snapshot = admin.call(
        "POST", export, {"title": "all", "serialization_options": {"predictions": {"only_id": False}}}
    )
    annotated = admin.call("GET", f"{export}/{snapshot['id']}/download?exportType=JSON")
    assert sum(len(task["annotations"]) for task in annotated) == len(RATINGS)
    assert not any(annotation["ground_truth"] for task in annotated for annotation in task["annotations"])
    path = home / "back.json"
    path.write_text(json.dumps(annotated), encoding="utf-8")
    done = bring(store, media, path, names=Names(), project="q").imported
    assert (done.items, done.ratings, done.predictions, len(done.bad)) == (4, 31, 1, 0)
    assert rated(store, project="q") == left_as(RATINGS, "label-studio-4", "label-studio-5")
    assert answers(store, project="q") == [("tiny-1", "a cup")]
