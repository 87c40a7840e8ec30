"""Test that ``touchstone item import`` and ``export`` read and write a project of Label Studio."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

from extensions.labelstudio.tests.kitchen import FOLDER, KITCHEN
from testkit.serving import touchstone


def test_a_project_of_label_studio_moves_over_and_out_again(home: Path, tmp_path: Path) -> None:
    schema = tmp_path / "kitchen.yaml"
    schema.write_text(KITCHEN, encoding="utf-8")
    assert touchstone("project", "create", "old", "--schema", schema, home=home).returncode == 0
    file = FOLDER / "kitchen-snapshot.json"
    refused = touchstone("item", "import", "old", "label_studio", file, "--set", "controls.fit=verdict", home=home)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "--set controls.fit: A kitchen has no such criterion. Choose from: fits, shown" in refused.stderr
    brought = touchstone("item", "import", "old", "label_studio", file, "--set", "controls.prediction=why", home=home)
    assert brought.stdout.splitlines() == [
        "Imported 4 items, 1 answer, 31 ratings.",
        "Media: 0 present, 4 missing (4 items with missing media; add the files with --media DIR).",
        "Not imported, because the task was skipped: 1 annotation.",
        "Replaced by a later annotation from the same person or model: 1.",
        "Counted as people: label-studio-4, label-studio-5.",
        "To mark a rater as a person or machine: touchstone rater list old --people NAME or --machines NAME.",
    ]
    out = touchstone("item", "export", "old", "label_studio", "--out", tmp_path / "tasks.json", home=home)
    assert out.stdout == f"Wrote 4 items in 1 file to {tmp_path / 'tasks.json'}.\n"
    tasks = json.loads((tmp_path / "tasks.json").read_text(encoding="utf-8"))
    assert [len(task.get("annotations", ())) for task in tasks] == [2, 2, 1, 1]
    form = tmp_path / "form.xml"
    touchstone("item", "export", "old", "label_studio", "--out", tmp_path / "tasks.json", "--labeling", form, home=home)
    asked = {part.get("name") for part in ElementTree.fromstring(form.read_text(encoding="utf-8")).iter()}
    assert {"fits", "shown", "clarity", "count", "why", "objects"} <= asked
    again = json.loads((tmp_path / "tasks.json").read_text(encoding="utf-8"))
    for task, plain in zip(again, tasks, strict=True):
        assert {**task["data"], **plain["data"]} == task["data"]
        assert "about" in task["data"]
        assert "A red cup." not in json.dumps(task), "the answer is secret to verifiers"
    wrong = touchstone("item", "import", "old", "ratings", file, "--set", "rater=ann", home=home)
    assert (wrong.returncode, "Delete the key to import ratings" in wrong.stderr) == (1, True)
