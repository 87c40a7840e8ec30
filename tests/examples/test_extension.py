"""The extension of ``examples/extension`` works as an installed package, and may be removed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from testkit.serving import environment
from tests.paths import ROOT

pytestmark = pytest.mark.slow

USED = """
import json, pathlib, sys
from streamlit.testing.v1 import AppTest
from annotation_schemas import kinds, registry
from annotation_schemas.loader import load_text
from app.services import Services
from app.workbench import assets
from db.engine import open_store
from domain import extensions
from domain.shipped_extensions import COMES_WITH
from domain.errors import InvalidInputError, TouchstoneError
from domain.settings import Settings
from media.store import MediaStore
from workflow.access import accounts, projects
from workflow.access.extension_rows import list_rows, put_row
from workflow.annotate.authoring import NewItem, add_items
from workflow.files.project_check import check
from workflow.files.export import export

home, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
told = {"extensions": sorted(set(extensions.installed()) - set(COMES_WITH))}
store = open_store(None, home)
store.upgrade()
SCHEMA = '''
name: share
version: 1
title: Share
dimensions: [{id: cups, title: Cups}]
item:
  fields: [{name: question, kind: text}, {name: answer, kind: text}]
stages:
  verification:
    raters: 2
    criteria:
      - {name: fits, kind: choice, prompt: "Does it fit?", options: ["yes", "no"]}
      - {name: part, kind: percent, prompt: "How much of it?"}
    keep: {rule: unanimous, criterion: fits, value: "yes"}
'''

if sys.argv[3] == "with":
    loaded = load_text(SCHEMA, "", "share.yaml")
    part = loaded.schema_.stages.verification.criteria[1]
    told["refused"] = [bool(kinds.check_answers([part], {"part": value}, {}, {})) for value in (0, 100, 100.5, "5")]
    told["served"] = "class Percent extends" in assets.served()["en/workbench.js"].decode()
    accounts.create_person(store, login="boss", name="Boss", is_admin=True)
    projects.create_project(store, name="p", loaded=loaded)
    projects.create_project(store, name="q", loaded=load_text(SCHEMA.replace("kind: percent", "kind: number"), "", "q"))
    with store.write() as session:
        access = projects.access_to(session, person=None, project="p")
        new = [NewItem("1", "cups", {"question": "How full?", "answer": "half"})]
        add_items(session, access=access, new=new, now=store.now())
    export(store, by=None, project="p", format="answer_sheet", out=out)
    told["written"] = "".join(path.read_text() for path in ([out] if out.is_file() else sorted(out.glob("*.csv"))))

boss = accounts.find_person(store, login="boss")
services = Services(store, MediaStore(home / "media"), Settings(home, ""), boss, "csrf")


def screen(name, services):
    from app import shell

    with shell.guard(services):
        shell.draw_view(name, services)


def drawn(page, project):
    test = AppTest.from_function(screen, args=(page, services), default_timeout=120)
    test.query_params["project"] = project
    return test.run()


def words(test):
    assert not test.exception, [each.value for each in test.exception]
    return " ".join(each.proto.body for each in test.get("html"))


if sys.argv[3] == "with":
    page = drawn("lead_notes", "p")
    page.text_input(key="example.subject").input("Deadline")
    page.text_area(key="example.note").input("We release in May.").run()
    page.button(key="example.save").click().run()
    told["page"] = words(page)
    rows = list_rows(store, by=boss, project="p", extension="example")
    told["rows"] = [[row.key, row.value, row.login] for row in rows]
    told["again"] = put_row(store, by=boss, project="p", extension="example", key="Deadline", value=rows[0].value)
    told["other"] = len(list_rows(store, by=boss, project="p", extension="another"))
    told["strange"] = 0
    for key, value in (("", 1), ("k", float("nan")), ("k", b"1"), ("k", "x" * 200_000), ("k" * 300, 1), ("\\0", 1)):
        try:
            put_row(store, by=boss, project="p", extension="example", key=key, value=value)
        except InvalidInputError:
            told["strange"] += 1
else:
    told["listed"] = [view.name for view in projects.projects_of(store, person=boss)]
    told["commands"] = [view.name for view in projects.all_projects(store)]
    told["checked"] = check(store)
    told["other"] = words(drawn("overview", "q"))
    told["opened"] = words(drawn("overview", "p"))
    told["rows"] = [row.value for row in list_rows(store, by=boss, project="q", extension="example")]
    try:
        registry.require_row("format", "answer_sheet")
    except TouchstoneError as error:
        told["format"] = str(error)
store.close()
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the example."""
    place = tmp_path_factory.mktemp("example")
    source = place / "source"
    shutil.copytree(ROOT / "examples" / "extension", source, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "--target", str(place / "there"), str(source)], check=True, stdin=subprocess.DEVNULL)
    return place / "there"


def used(home: Path, out: Path, path: str, how: str) -> dict[str, Any]:
    script = out.with_suffix(".py")  # a page that is drawn by itself is read from its file
    script.write_text(USED, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script), str(home), str(out), how],
        cwd=home,
        env={**environment(home), "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {**found, "log": done.stderr}


def test_a_package_adds_a_kind_a_format_and_a_page(installed: Path, home: Path, tmp_path: Path) -> None:
    found = used(home, tmp_path / "out", f"{installed}:{ROOT}", "with")
    assert found["extensions"] == ["example"]
    assert found["refused"] == [False, False, True, True]
    assert found["served"]
    assert found["written"].splitlines() == ["item,answer", "1,half"]
    assert found["rows"] == [["Deadline", "We release in May.", "boss"]]
    assert "We release in May." in found["page"]
    assert (found["again"], found["other"], found["strange"]) == (False, 0, 6)
    # Without it: what needs the kind says so, and nothing else is lost.
    gone = used(home, tmp_path / "out", str(ROOT), "without")
    assert gone["extensions"] == []
    assert gone["listed"] == gone["commands"] == ["q"]
    (checked,) = gone["checked"]
    assert checked.startswith("p: Touchstone cannot read the schema.")
    assert "install the extension" in checked
    assert "The project p is not listed" in gone["log"]
    assert "There are no items yet." in gone["other"]
    assert "percent" in gone["opened"]
    assert "install the extension" in gone["opened"]
    assert "There is no format `answer_sheet`" in gone["format"]
