"""``touchstone gold``: files that do not fit change nothing, and what is made is listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import open_store
from domain.states import Stage
from media.store import MediaStore
from testkit import missing_media
from testkit.factories import make_people
from testkit.serving import touchstone
from workflow.access import projects
from workflow.annotate import claims, submissions

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path) -> Path:
    """The shipped schema with gold: three items, two of them settled by three people."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    store = open_store(None, home)
    projects.create_project(store, name="quorum", loaded=load_schema(shipped()["quorum"]))
    people = make_people(store, "ulla", "vera", "wim", project="quorum")
    store.close()
    garden = tmp_path / "items" / "garden"
    garden.mkdir(parents=True)
    rows = [{"image_path": [f"{at}.jpg"], "question": f"{at}?", "answer": "Yes."} for at in range(3)]
    (garden / "annotations.json").write_text(json.dumps(rows))
    assert touchstone("item", "import", "quorum", "egothink", str(tmp_path / "items"), home=home).returncode == 0
    store = open_store(None, home)
    missing_media.fill(store, MediaStore(home / "media"))
    for person in people:
        for _ in range(3):
            task = claims.next_task(store, person=person, project="quorum", stage=Stage.VERIFICATION)
            assert not hasattr(task, "code"), task
            if task.fields["question"] == "2?":  # type: ignore[union-attr]
                claims.postpone(store, person=person, task=task.id)  # type: ignore[union-attr]
            else:
                submissions.submit(store, person=person, task=task.id, key=task.id, values={"right": "yes"})  # type: ignore[union-attr]
    store.close()
    return home


def test_gold_from_a_file(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "gold.jsonl"
    for text, sentence in (
        ("", "Name at least one item"),
        ('{"item": "garden/0"}', 'line 1: the line must be {"item": ..., "answers": {...}}'),
        ('\n{"item": "garden/0", "answers": {"right": "yes"}\n', "line 2"),
        ('{"item": "garden/9", "answers": {"right": "yes"}}', "There is no item 'garden/9'"),
        ('{"item": "garden/2", "answers": {"right": "yes"}}', "only a settled item can be a gold check"),
        ('{"item": "garden/0", "answers": {"left": "yes"}}', "has no criterion 'left'"),
        ('{"item": "garden/0", "answers": {"right": "maybe"}}', "Choose one of the listed answers"),
    ):
        file.write_text(text)
        done = touchstone("gold", "import", "quorum", str(file), home=home)
        assert done.returncode == 1
        assert sentence in done.stderr, text
    file.write_bytes(b"\xff\xfe\x00")
    assert f"cannot read {file} as UTF-8 text" in touchstone("gold", "import", "quorum", str(file), home=home).stderr
    assert touchstone("gold", "list", "quorum", home=home).stdout == ""
    file.write_text('{"item": "garden/0", "answers": {"right": "no"}}\n')
    assert touchstone("gold", "import", "quorum", str(file), home=home).stdout == "1 made gold.\ngarden/0\n"
    assert touchstone("gold", "create", "quorum", "-n", "5", home=home).stdout == "1 made gold.\ngarden/1\n"
    listed = [json.loads(line) for line in touchstone("gold", "list", "quorum", home=home).stdout.splitlines()]
    assert [(row["item"], row["answers"], row["n"], row["usable"]) for row in listed] == [
        ("garden/0", {"right": "no"}, 0, True),
        ("garden/1", {"right": "yes"}, 0, True),
    ]
    gone = touchstone("gold", "withdraw", "quorum", listed[0]["gold"], "--why", "Wrong.", home=home)
    assert gone.returncode == 0
    listed = [json.loads(line) for line in touchstone("gold", "list", "quorum", home=home).stdout.splitlines()]
    assert [row["withdrawn"] for row in listed] == ["Wrong.", None]
    assert touchstone("gold", "create", "quorum", "-n", "5", home=home).stdout == "1 made gold.\ngarden/0\n"
    refused = touchstone("gold", "create", "quorum", "-n", "1", "--stage", "grading", home=home).stderr
    assert "has no `gold` in its grading" in refused
    not_stopped = touchstone("gold", "reinstate", "quorum", "ann", "--why", "We talked.", home=home)
    assert (not_stopped.returncode, "ann" in not_stopped.stderr) == (1, True)
