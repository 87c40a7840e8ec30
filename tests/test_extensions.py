"""Core runs without any extension, no extension knows another, and a message names one that is missing."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import agreement
from app.cli import COMMANDS
from domain import extensions
from domain.module_names import import_own
from domain.shipped_extensions import COMES_WITH, NOUNS
from testkit.serving import environment
from tests.paths import ROOT
from tests.test_layers import imports, told
from tools.floors import ROOMS

HERE = sorted(path.parent.name for path in (ROOT / "extensions").glob("*/__init__.py"))
CORE = [room for room in ROOMS if room != "extensions"]


def of_others(extension: str, paths: list[Path]) -> list[str]:
    """Where modules of an extension (``""``: core) import another extension."""
    return [
        told(path, line, f"{extension or 'core'} must not know {module}")
        for path in paths
        for line, module in imports(path)
        if f"{module}.".startswith("extensions.") and module.split(".")[1:2] != [extension]
    ]


@pytest.mark.parametrize("extension", HERE)
def test_extensions_do_not_know_each_other(extension: str) -> None:
    wrong = of_others(extension, sorted((ROOT / "extensions" / extension).rglob("*.py")))
    assert not wrong, "\n".join(wrong)


def test_core_knows_no_extension_and_its_tests_draw_on_none() -> None:
    outside = [path for room in [*CORE, "examples", "testkit", "tests"] for path in sorted((ROOT / room).rglob("*.py"))]
    wrong = of_others("", outside)
    assert not wrong, "\n".join(wrong)


def test_no_text_of_core_leads_to_an_extension() -> None:
    """An import may hide in a text such as ``module:function``."""
    there = re.compile(rf"\bextensions[./]({'|'.join(COMES_WITH)})\b")
    paths = [path for room in CORE for path in sorted((ROOT / room).rglob("*.py"))]
    assert [str(path) for path in paths if there.search(path.read_text(encoding="utf-8"))] == []


def test_a_planted_look_at_another_extension_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_layers.ROOT", tmp_path)
    planted = tmp_path / "planted.py"
    planted.write_text(
        "from extensions.labelstudio.names import over\nfrom domain import extensions\n", encoding="utf-8"
    )
    assert of_others("leaderboard", [planted]) == [
        "planted.py:1: leaderboard must not know extensions.labelstudio.names"
    ]
    assert of_others("labelstudio", [planted]) == []


def added(extension: str) -> dict[str, set[str]]:
    """The names that an extension adds, by what they are."""
    import typer

    record = extensions.installed()[extension]
    core, cli = typer.Typer(), typer.Typer()
    for name in COMMANDS:
        import_own(f"app.commands.{name}").register(core)
    for module in record.commands():
        module.register(cli)
    pages = (module.__name__.rpartition(".")[2].rstrip("_") for module in record.pages())
    commands = {str(each.name) for each in cli.registered_commands}
    of_core = {each.name for each in core.registered_groups}
    for group in cli.registered_groups:
        made = group.typer_instance
        inside = [*made.registered_commands, *made.registered_groups] if made else []
        commands |= {f"{group.name} {each.name}" for each in inside} if group.name in of_core else {str(group.name)}
    return {
        "kinds": {module.__name__.rpartition(".")[2] for module in record.kinds()},
        "formats": {row.name for row in record.formats()},
        "readers": {name for name, _ in record.readers()},
        "sheet_readers": {ending for ending, _ in record.sheet_readers()},
        "pages": set(pages),
        "stages": {row.name.value for row in record.stage_kinds()},
        "import_sections": {title for title, _ in record.import_sections()},
        "commands": commands,
        "options": {
            *(["person invite --mail"] if record.invitation_mails() else []),
            *(f"result show {row.option}" for row in record.result_sections() if row.option),
        },
        "schema_keys": {row.path for row in record.schema_keys()},
        "run_kinds": {row.kind.value for row in record.run_kinds()},
        "strategies": {row.name for row in record.strategies()},
        "adapters": {row.name for row in record.adapters()},
        "endpoint_strategies": {row.name for row in record.endpoint_strategies()},
        "table_sources": {name for name, _ in record.table_sources()},
        "report_sections": {key for key, _ in record.report_sections()},
        "run_sections": {section.name for _, section in record.run_sections()},
        "printed_figures": {row.printed for row in record.result_sections() if row.printed},
        "notebook_statistics": {name for module in record.notebook_statistics() for name in module.__all__},
        "figures": {name for name, _ in record.figures()},
        "jobs": {row.name for row in record.jobs()},
        "folder_checks": {row.name for row in record.folder_checks()},
        "release_files": {row.name for row in record.release_files()},
        "stage_figures": {name for name, _ in record.stage_figures()},
    }


@pytest.mark.parametrize("extension", HERE)
def test_core_knows_the_names_to_miss(extension: str) -> None:
    known = COMES_WITH[extension]
    assert known.title == extensions.installed()[extension].title
    assert {point: set(getattr(known, point)) for point in NOUNS} == added(extension)
    assert known.home_folders == tuple(extensions.installed()[extension].home_folders())


def test_the_extensions_that_core_knows_are_those_of_the_docs() -> None:
    """Whoever deletes a folder still has its name in messages, so the folders that are here may be fewer."""
    told = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "extensions.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(COMES_WITH) == sorted(told[: len(COMES_WITH)])
    assert {*HERE} <= {*COMES_WITH}


SMOKE = """
import contextlib, importlib, io, json, pathlib, pkgutil, sys
import yaml

rooms, sentences = json.load(sys.stdin)
home = pathlib.Path(sys.argv[1])
for room in rooms:
    package = importlib.import_module(room)
    for module in pkgutil.walk_packages(package.__path__, f"{room}."):
        if "migrations" not in module.name and not module.name.endswith("__main__") and ".tests" not in module.name:
            importlib.import_module(module.name)

from typer.testing import CliRunner
import app.cli
from annotation_schemas import shipped
from domain.errors import ModelError, NotAvailableError

run = CliRunner()
told = {"checked": [], "refused": {}, "unforeseen": []}
listed = run.invoke(app.cli.cli, ["--help"])
told["help"] = listed.output
for name in ("egothink", "egoplan", "pca_bench", "etp_bench"):
    done = run.invoke(app.cli.cli, ["schema", "check", str(shipped()[name])])
    if done.exit_code == 0:
        told["checked"].append(name)
    else:
        told["unforeseen"].append(done.output + repr(done.exception))
for name in sentences["commands"]:
    done = run.invoke(app.cli.cli, [*name.split(), "anything", "--with", "options"])
    told["refused"][f"command {name}"] = str(done.exception)

from annotation_schemas import registry
from annotation_schemas.loader import load_schema
for name in sentences["formats"]:
    schema = home / "named.yaml"
    text = shipped()["egothink"].read_text(encoding="utf-8").replace("guideline: ", "# guideline: ")
    head, export, rest = text.partition("export:")
    schema.write_text(f"{head}export: {{formats: [{name}]}}\\n")
    done = run.invoke(app.cli.cli, ["schema", "check", str(schema)])
    told["refused"][f"schema {name}"] = f"{done.exit_code} {done.output} {done.exception}"
    try:
        registry.require_row("format", name)
    except NotAvailableError as error:
        told["refused"][f"format {name}"] = str(error)

staged = home / "staged.yaml"
content = yaml.safe_load(shipped()["egothink"].read_text(encoding="utf-8").replace("guideline: ", "# guideline: "))
content["stages"] |= {
    "refinement": {"criteria": [{"name": "other", "kind": "choice", "prompt": "Also?", "options": ["a", "b"]}],
                   "done": {"other": "a"}},
    "comparison": {"raters": 2, "criteria": [{"name": "better", "kind": "preference", "prompt": "Which?"}]},
    "coding": {"raters": 2, "of": {"score": "key"},
               "criteria": [{"name": "why", "kind": "choice", "prompt": "Why?", "options": ["a", "b"]}]},
}
staged.write_text(yaml.dump(content))
told["stages"] = run.invoke(app.cli.cli, ["schema", "check", str(staged)]).output
for name in sentences["stages"]:
    try:
        registry.require_available(load_schema(staged).schema_, name)
    except NotAvailableError as error:
        told["refused"][f"stage {name}"] = str(error)

for name in sentences["strategies"]:
    schema = home / "asked.yaml"
    text = shipped()["egothink"].read_text(encoding="utf-8").replace("guideline: ", "# guideline: ")
    head, models, rest = text.partition("models:")
    schema.write_text(f"{head}models: {{strategy: {name}}}\\n")
    done = run.invoke(app.cli.cli, ["schema", "check", str(schema)])
    told["refused"][f"schema {name}"] = f"{done.exit_code} {done.output} {done.exception}"
    try:
        registry.require_row("strategy", name)
    except NotAvailableError as error:
        told["refused"][f"strategy {name}"] = str(error)

from inference.opening import open_answerer
from inference.spec import Endpoint, ModelSpec
for name in sentences["adapters"]:
    try:
        open_answerer(ModelSpec(name="little", adapter=name, model="folder"), strategy="generate")
    except ModelError as error:
        told["refused"][f"adapter {name}"] = str(error)

endpoint = Endpoint(base_url="https://models.example/v1")
for name in sentences["endpoint_strategies"]:
    try:
        open_answerer(ModelSpec(name="far", adapter="endpoint", model="far", endpoint=endpoint), strategy=name)
    except ModelError as error:
        told["refused"][f"endpoint {name}"] = str(error)

for name in sentences["schema_keys"]:
    schema = home / "keyed.yaml"
    text = shipped()["egoplan"].read_text(encoding="utf-8").replace("guideline: ", "# guideline: ")
    *parts, key = name.split(".")
    head, around, rest = text.partition(f"{parts[0]}:")
    value = {
        "export.floors": "[{criterion: answerable, statistic: gwet_ac, at_least: 0.5}]",
        "report.pairs": "{pair: answer, variant: options}",
        "stages.*.gold": "{rate: 0.1}",
    }.get(name, "{}")
    changed = f"{head}{parts[0]}: {{{key}: {value}}}\\n"
    if parts == ["stages", "*"]:
        lines = "    raters:" if f"    {key}: " in text else f"    {key}: {value}\\n    raters:"
        changed = text.replace("    raters:", lines, 1)
    schema.write_text(changed)
    done = run.invoke(app.cli.cli, ["schema", "check", str(schema)])
    told["refused"][f"schema {name}"] = f"{done.exit_code} {done.output} {done.exception}"
import agreement
for name in sentences["notebook_statistics"]:
    try:
        getattr(agreement, name)
    except NotAvailableError as error:
        told["refused"][f"statistic {name}"] = str(error)
for name in sentences["kinds"]:
    told["refused"][f"kind {name}"] = registry.find("criterion_kind", name).meaning
    schema = home / "filled.yaml"
    text = shipped()["egothink"].read_text(encoding="utf-8").replace("guideline: ", "# guideline: ")
    field = f"    - {{name: more, kind: {name}, max: 1, required: false}}\\n"
    schema.write_text(text.replace("  fields:\\n", f"  fields:\\n{field}", 1))
    done = run.invoke(app.cli.cli, ["schema", "check", str(schema)])
    told["refused"][f"field {name}"] = f"{done.exit_code} {done.output} {done.exception}"
    try:
        registry.require_available(load_schema(schema).schema_, "grading")
    except NotAvailableError as error:
        told["refused"][f"stage with a field {name}"] = str(error)

from app.workbench import page
from domain.states import Stage
for stage in (Stage.GRADING, Stage.VERIFICATION):
    for name in ("etp_bench", "questions"):
        static = page.static_part(load_schema(shipped()[name]), stage, project="p", title="P")
        told["unforeseen"] += [each["kind"] for each in static["criteria"] if each["kind"] in sentences["kinds"]]

from app.commands.jobs import _how_far
from app.jobs.figures import worked_out
from app.services import Services
from db.engine import open_store
from workflow.jobs import desk
from domain.settings import Settings
from media.store import MediaStore
from streamlit.testing.v1 import AppTest
from workflow.access import accounts, projects

store = open_store(None, home)
store.upgrade()
accounts.create_person(store, login="boss", name="Boss", is_admin=True)
projects.create_project(store, name="p", loaded=load_schema(staged))
person = accounts.find_person(store, login="boss")
for name in sentences["jobs"]:
    job = desk.begin(store, kind=name, slot=name, by=None, project="p")
    told["refused"][f"job {name}"] = _how_far(job)
from workflow.files.import_files import import_files
for name in sentences["readers"]:
    of_others = home / "answers.jsonl"
    of_others.write_text('{"item": "1", "model": "m", "text": "A", "choices": ["cup", "pan"]}')
    try:
        import_files(store, MediaStore(home / "media"), by=None, project="p", format=name, path=of_others)
    except NotAvailableError as error:
        told["refused"][f"reader {name}"] = str(error)
from domain.errors import InvalidFileError
from importers.table_lines import lines_of_table
for name in sentences["sheet_readers"]:
    try:
        list(lines_of_table(home / f"table{name}", fits=any, wants="columns"))
    except InvalidFileError as error:
        told["refused"][f"sheets {name}"] = str(error)
for name in sentences["figures"]:
    try:
        worked_out(store, name, {"project": "p"}, ())
    except NotAvailableError as error:
        told["refused"][f"figure {name}"] = str(error)
from workflow.releases.printed_figures import figures_of
told["without"] = dict(figures_of(store, project="p").without)
services = Services(store, MediaStore(home / "media"), Settings(home, ""), person, "csrf")

def screen(name, services):
    from app import shell
    with shell.guard(services):
        shell.draw_view(name, services)

from app.screens import SCREENS
for page in ("my_work", "overview", "items", "people", "import_", "export", "release", "results"):
    test = AppTest.from_function(screen, args=(page, services), default_timeout=120)
    test.query_params["project"] = "p"
    test.run()
    if test.exception:
        told["unforeseen"].append([page, [each.value for each in test.exception]])
    body = " ".join(each.proto.body for each in test.get("html"))
    if "Something went wrong" in body:
        told["unforeseen"].append([page, body])
    if page in ("release", "my_work"):
        told[page] = body
    for name in sentences["import_sections"] if page == "import_" else ():
        test.segmented_control(key="import.what").set_value(name).run()
        told["refused"][f"import {name}"] = " ".join(each.proto.body for each in test.get("html"))

def away():
    from app import shell
    for page in shell._away():
        page._page()

body = AppTest.from_function(away, default_timeout=120).run()
told["away"] = " ".join(each.proto.body for each in body.get("html"))
store.close()
pathlib.Path(sys.argv[2]).write_text(json.dumps(told), encoding="utf-8")
"""


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of all rooms."""
    copy = tmp_path_factory.mktemp("copy")
    for room in [*ROOMS, "examples"]:
        shutil.copytree(ROOT / room, copy / room, ignore=shutil.ignore_patterns("tests", "data"))
    return copy


@contextmanager
def deleted(root: Path, without: list[str]) -> Iterator[None]:
    """Some extensions are not in the copy. Modules that are compiled there stay so, as it is one copy for all tests."""
    gone = [root / "extensions"] if without == HERE else [root / "extensions" / each for each in without]
    aside = root.parent / "deleted"
    aside.mkdir()
    for folder in gone:
        folder.rename(aside / folder.name)
    try:
        yield
    finally:
        for folder in gone:
            (aside / folder.name).rename(folder)
        aside.rmdir()


def started(root: Path, home: Path, without: list[str]) -> dict[str, Any]:
    """What core says for itself in a copy of the house without some extensions."""
    names = {point: [n for each in without for n in getattr(COMES_WITH[each], point)] for point in NOUNS}
    rooms = [*CORE, *(["extensions"] if (root / "extensions").exists() else [])]
    said, script = home / "told.json", home / "smoke.py"
    script.write_text(SMOKE, encoding="utf-8")  # a page that is drawn by itself is read from its file
    done = subprocess.run(
        [sys.executable, str(script), str(home), str(said)],
        cwd=root,
        env={**environment(home), "PYTHONPATH": str(root)},
        input=json.dumps([rooms, names]),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(said.read_text(encoding="utf-8"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("without", [*([each] for each in HERE), HERE], ids=[*HERE, "all"])
def test_core_runs_where_extensions_are_deleted(copied: Path, home: Path, without: list[str]) -> None:
    with deleted(copied, without):
        found = started(copied, home, without)
    assert found["unforeseen"] == []
    assert found["checked"] == ["egothink", "egoplan", "pca_bench", "etp_bench"]
    for each in without:
        parts = COMES_WITH[each]
        named = (
            f"belongs to the extension {parts.title}, which is not installed. Restore the folder `extensions/{each}`"
        )
        for command in parts.commands:
            assert f"│ {command} " not in found["help"]
            assert named in found["refused"][f"command {command}"]
        for format in parts.formats:
            assert named in found["refused"][f"format {format}"]
            checked = " ".join(found["refused"][f"schema {format}"].split())
            assert checked.startswith("0 ")
            assert "export.formats" in checked
            assert f"The format `{format}` {named}" in checked
        for reader in parts.readers:
            assert f"The reader of `{reader}` {named}" in found["refused"][f"reader {reader}"]
        for ending in parts.sheet_readers:
            assert f"The reader of `{ending}` {named}" in found["refused"][f"sheets {ending}"]
        for stage in parts.stages:
            assert named in found["refused"][f"stage {stage}"]
            assert f"The stage `{stage}` {named}" in found["my_work"]
            assert f"{stage}: The stage `{stage}` {named}" in " ".join(found["stages"].split())
        for section in parts.import_sections:
            assert f"extensions/{each}" in found["refused"][f"import {section}"]
        for strategy in parts.strategies:
            assert named in found["refused"][f"strategy {strategy}"]
            checked = " ".join(found["refused"][f"schema {strategy}"].split())
            assert checked.startswith("0 ")
            assert f"models.strategy: The strategy `{strategy}` {named}" in checked
        for adapter in parts.adapters:
            assert named in found["refused"][f"adapter {adapter}"]
        for strategy in parts.endpoint_strategies:
            assert named in found["refused"][f"endpoint {strategy}"]
        for statistic in parts.notebook_statistics:
            assert f"The statistic `{statistic}` {named}" in found["refused"][f"statistic {statistic}"]
        for job in parts.jobs:
            assert named in found["refused"][f"job {job}"]
        for figure in parts.figures:
            assert named in found["refused"][f"figure {figure}"]
        for section in parts.report_sections:
            sentence = f"The section of calibration reports `{section}` {named}"
            assert found["without"][f"judges.{section}"].startswith(sentence)
        for name in parts.stage_figures:
            assert found["without"][name].startswith(f"The part of release figures `{name}` {named}")
        for figure in parts.printed_figures:
            assert found["without"][figure].startswith(f"The figure of releases `{figure}` {named}")
        for key in parts.schema_keys:
            checked = " ".join(found["refused"][f"schema {key}"].split())
            assert checked.startswith("0 ")
            told = re.escape(f"{key}: The schema key `{key}` {named}").replace(r"\*", r"\w+", 1)
            assert re.search(told, checked)
        for check in parts.folder_checks:
            assert f"The check of releases `{check}` {named}" in found["release"]
        for file in parts.release_files:
            assert f"The file of releases `{file}` {named}" in found["release"]
        for kind in parts.kinds:
            assert named in found["refused"][f"kind {kind}"]
            checked = " ".join(found["refused"][f"field {kind}"].split())
            assert checked.startswith("0 ")
            assert f"item.fields[0].kind: The kind `{kind}` {named}" in checked
            assert named in found["refused"][f"stage with a field {kind}"]
        for page in parts.pages:
            assert f"<code>{page}</code>" in found["away"] or f"`{page}`" in found["away"]


def test_notebooks_import_what_extensions_add() -> None:
    for record in extensions.installed().values():
        for module in record.notebook_statistics():
            for name in module.__all__:
                assert getattr(agreement, name) is getattr(module, name)
                assert name in dir(agreement)
                assert name not in agreement.__all__
    assert not hasattr(agreement, "no_such_statistic")


def test_figures_know_the_code_of_an_extension_of_another_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a wheel our modules lie below one package, and those of others do not."""
    (tmp_path / "their_extension.py").write_text("def figures():\n    return []\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    figures = importlib.import_module("their_extension").figures
    theirs = extensions.Extension("theirs", "Theirs", figures=figures)
    monkeypatch.setattr(extensions, "installed", lambda: {"theirs": theirs})
    monkeypatch.setattr("domain.module_names.PACKAGE", "touchstone_vlm.")
    assert extensions.code() == [tmp_path / "their_extension.py"]
