"""A room imports only from floors below; rooms on one floor do not know each other."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from domain.shipped_extensions import COMES_WITH
from tests.paths import ROOT
from tools.floors import BESIDE, FLOOR_OF, ROOMS

KEPT_TO = {
    "streamlit": {"app", "extensions"},
    "starlette": {"app", "extensions"},
    "uvicorn": {"app", "extensions"},
    "prometheus_client": {"app"},
    "sqlmodel": {"db"},  # and queries of extensions
    "sqlalchemy": {"db"},
    "alembic": {"db"},
    "torch": {"extensions"},
    "transformers": {"extensions"},
    "openai": {"inference"},
    "rouge_score": {"extensions"},
    "sacrebleu": {"extensions"},
    "label_studio_sdk": {"extensions"},
    "net": {"extensions", "inference"},
    "httpx": {"net"},
    "httpx2": {"net"},
    "httpcore": {"net"},
    "httpcore2": {"net"},
    "requests": {"net"},
    "urllib3": {"net"},
    "aiohttp": {"net"},
    "urllib.request": {"net"},
    "http.client": {"net"},
}
"""Packages that only some rooms may know, ours among them."""

GUARDED = {"extensions/labelstudio/httpx_client.py": {"httpx", "httpcore"}}
"""Modules of other rooms that put the guard of ``net`` around a package."""

BEFORE = {
    "access": set(),
    "annotate": {"access"},
    "jobs": {"access"},
    "runs": {"access", "annotate", "jobs"},
    "results": {"access", "annotate", "runs"},
    "files": {"access", "annotate", "runs", "results"},
    "lead": {"access", "annotate", "runs", "results"},
    "releases": {"access", "annotate", "runs", "results", "files"},
}
"""The rooms of the workflow, and what each of them may import of the others."""

WRITES = {"add", "add_all", "delete", "exec", "execute", "flush", "get", "merge", "refresh", "scalar", "scalars"}
"""What only ``db`` asks of a session."""

ALONE = {"agreement": {"domain"}, "net": {"domain"}, "domain": set()}
"""What these rooms get by with."""


def modules(room: str) -> list[Path]:
    """Every Python file of a room; tests of extensions are tests."""
    return sorted(path for path in (ROOT / room).rglob("*.py") if room in BESIDE or not is_test(path))


def is_test(path: Path) -> bool:
    """Whether a file is of the tests of an extension."""
    parts = path.relative_to(ROOT).parts
    return parts[0] == "extensions" and parts[2:3] == ("tests",)


def is_query(path: Path) -> bool:
    """Whether a file has queries of an extension: what ``db`` may do, it may too, and nothing else."""
    parts = path.relative_to(ROOT).parts
    return parts[0] == "extensions" and parts[2:3] in {("queries",), ("queries.py",)}


@cache
def import_lines(path: Path) -> list[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Every import of a file, those inside functions included, and whether only type checkers read it.

    Several tests look at the same files, and reading one is what takes long.
    """
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))))
    types = {
        inside
        for node in nodes
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for part in node.body
        for inside in ast.walk(part)
    }
    return [(node, node in types) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]


@cache
def imports(path: Path) -> list[tuple[int, str]]:
    """(line, dotted module) of every import in a file, those inside functions included."""
    found = []
    for node, _ in import_lines(path):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif node.level:
            package = path.relative_to(ROOT).with_suffix("").parts[: -node.level]
            found.append((node.lineno, ".".join([*package, *([node.module] if node.module else [])])))
        elif node.module in ("workflow", "urllib", "http"):
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
        elif node.module:
            found.append((node.lineno, node.module))
    return found


def told(path: Path, line: int, sentence: str) -> str:
    return f"{path.relative_to(ROOT)}:{line}: {sentence}"


def test_every_room_is_on_a_floor() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages - set(ROOMS) - set(BESIDE) == {"touchstone_vlm"}, "the package of a wheel, which holds the rooms"
    assert set(ROOMS) - packages == set()


def going_up(room: str, paths: list[Path]) -> list[str]:
    """What modules of a room import that is not on a floor below."""
    wrong = []
    for path in paths:
        for line, module in imports(path):
            other = module.partition(".")[0]
            if other == room:
                continue
            if other in BESIDE and not (room == "app" and other == "examples"):
                wrong.append(told(path, line, f"{room} is part of the house, {other} stands next to it"))
            if other in FLOOR_OF and FLOOR_OF[other] >= FLOOR_OF[room]:
                wrong.append(
                    told(
                        path, line, f"{room} (floor {FLOOR_OF[room]}) must not know {module} (floor {FLOOR_OF[other]})"
                    )
                )
    return wrong


@pytest.mark.parametrize("room", ROOMS)
def test_imports_go_down(room: str) -> None:
    wrong = going_up(room, modules(room))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("folder", ["examples", "benchmarks", "testkit", "tools"])
def test_only_tests_import_tests(folder: str) -> None:
    wrong = [
        told(path, line, f"{folder} imports {module}: what both need stands next to tests")
        for path in modules(folder)
        for line, module in imports(path)
        if module.partition(".")[0] == "tests"
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("folder", [*ROOMS, *BESIDE])
def test_every_import_of_ours_leads_somewhere(folder: str) -> None:
    """A module that was moved leaves no import of its old name, also where only a slow test or a benchmark runs it."""
    wrong = [
        told(path, line, f"there is no module {module}")
        for path in modules(folder)
        for line, module in imports(path)
        if module.partition(".")[0] in {*ROOMS, *BESIDE} and not _there(module)
    ]
    assert not wrong, "\n".join(wrong)


@cache
def _there(module: str) -> bool:
    path = ROOT.joinpath(*module.split("."))
    extension = ROOT.joinpath(*module.split(".")[:2])
    if extension.parent == ROOT / "extensions" and extension.name in COMES_WITH and not extension.exists():
        return True  # a benchmark of an extension whose folder is deleted
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def test_every_room_of_the_workflow_has_its_place() -> None:
    assert {path.parent.name for path in (ROOT / "workflow").glob("*/__init__.py")} == set(BEFORE)
    assert [path.name for path in (ROOT / "workflow").glob("*.py")] == ["__init__.py"]


def room_of(package: Path) -> tuple[str, set[str]]:
    """What the docstring of a room of the workflow begins with, and the rooms that it says the room imports."""
    words = ast.get_docstring(ast.parse(package.read_text(encoding="utf-8"))) or ""
    return words.partition(":")[0], set(re.findall(r"``workflow\.(\w+)``", words.partition("Imports ")[2]))


def rooms_in(table: str) -> dict[str, set[str]]:
    """The rooms of the workflow in the table for people, and what it says that they may import."""
    _, _, rest = table.partition("| room of `workflow/` |")
    rows = [line.strip("| ").split(" | ") for line in rest.partition("\n\n")[0].splitlines()[2:]]
    return {room.strip("`"): set(re.findall(r"`(\w+)`", may)) for room, _, may in rows}


def test_rooms_say_what_they_are_for_and_import() -> None:
    for room, before in BEFORE.items():
        begins, imported = room_of(ROOT / "workflow" / room / "__init__.py")
        assert begins.startswith(room.capitalize()), room
        assert imported == before, room
    assert rooms_in((ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")) == BEFORE


def inside_workflow(room: str, paths: list[Path]) -> list[str]:
    """What modules of a room of the workflow import of rooms that do not come before it."""
    return [
        told(path, line, f"workflow.{room} must not know {module}")
        for path in paths
        for line, module in imports(path)
        if module.split(".")[0] == "workflow" and set(module.split(".")[1:2]) - {room} - BEFORE[room]
    ]


@pytest.mark.parametrize("room", BEFORE)
def test_rooms_of_the_workflow_know_those_before_them(room: str) -> None:
    wrong = inside_workflow(room, modules(f"workflow/{room}"))
    assert not wrong, "\n".join(wrong)


def test_a_planted_look_ahead_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_layers.ROOT", tmp_path)
    planted = tmp_path / "workflow" / "access" / "planted.py"
    planted.parent.mkdir(parents=True)
    planted.write_text(
        "def f():\n    from workflow.results import scores\n\n\nfrom workflow import lead\n", encoding="utf-8"
    )
    assert inside_workflow("access", [planted]) == [
        "workflow/access/planted.py:5: workflow.access must not know workflow.lead",
        "workflow/access/planted.py:2: workflow.access must not know workflow.results",
    ]


def past_the_wall(path: Path) -> list[str]:
    """Where a module of the workflow reaches for tables, asks a session itself, or changes what ``db`` gave it."""
    found = [
        told(path, line, f"{module} is for db alone: take a record from db.records, and a command from db")
        for line, module in imports(path)
        if f"{module}.".startswith("db.tables.")
    ]
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "db" and any(one.name == "tables" for one in node.names):
            found.append(told(path, node.lineno, "tables are for db alone"))
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in WRITES
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "session"
        ):
            found.append(told(path, node.lineno, f"session.{node.func.attr} is for db alone"))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr":
            found.append(told(path, node.lineno, "setattr goes around this wall"))
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, (ast.AugAssign, ast.AnnAssign)) else targets
        for target in targets:
            for one in target.elts if isinstance(target, ast.Tuple) else [target]:
                ours = isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "self"
                if isinstance(one, ast.Attribute) and not ours and not one.attr.startswith("_"):  # as no column does
                    found.append(told(path, node.lineno, f"{ast.unparse(one)} is changed by a command of db"))
    return found


def test_rows_stop_at_db() -> None:
    wrong = [line for path in modules("workflow") for line in past_the_wall(path)]
    assert not wrong, "\n".join(wrong)
    outside = [path for path in modules("extensions") if not is_query(path)]
    wrong = [line for path in outside for line in past_the_wall(path) if "for db alone" in line]
    assert not wrong, "\n".join(wrong)


def past_the_queries(path: Path) -> list[str]:
    """Where queries of an extension know more of ours than ``db`` may know."""
    below = {room for room, floor in FLOOR_OF.items() if floor < FLOOR_OF["db"]} - {"net"}
    return [
        told(path, line, f"queries must not know {module}")
        for line, module in imports(path)
        if module.partition(".")[0] in set(ROOMS) - below - {"db"} and not is_query(ROOT.joinpath(*module.split(".")))
    ]


def test_queries_of_extensions_know_only_what_db_knows() -> None:
    wrong = [line for path in modules("extensions") if is_query(path) for line in past_the_queries(path)]
    assert not wrong, "\n".join(wrong)


def test_a_planted_query_that_knows_the_workflow_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_layers.ROOT", tmp_path)
    planted = tmp_path / "extensions" / "gold" / "queries" / "planted.py"
    planted.parent.mkdir(parents=True)
    planted.write_text(
        "from db.tables import TaskRow\nfrom workflow.access import projects\nfrom extensions.gold import making\n"
        "from extensions.gold.queries import other\nfrom domain.states import Stage\n",
        encoding="utf-8",
    )
    assert past_the_queries(planted) == [
        "extensions/gold/queries/planted.py:2: queries must not know workflow.access",
        "extensions/gold/queries/planted.py:3: queries must not know extensions.gold",
    ]
    assert kept_from("extensions", "sqlmodel", [planted]) == []


def test_a_planted_row_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_layers.ROOT", tmp_path)
    planted = tmp_path / "workflow" / "access" / "planted.py"
    planted.parent.mkdir(parents=True)
    planted.write_text(
        "from db import tables\nfrom db.tables import TaskRow\n\n\ndef f(session, row):\n"
        "    self.at = 1\n    row.state, self.at = 1, 2\n    row.n += 1\n    setattr(row, 'n', 1)\n"
        "    session.add(row)\n    session.exec(row)\n",
        encoding="utf-8",
    )
    assert past_the_wall(planted) == [
        "workflow/access/planted.py:2: db.tables is for db alone: take a record from db.records, and a command from db",
        "workflow/access/planted.py:1: tables are for db alone",
        "workflow/access/planted.py:7: row.state is changed by a command of db",
        "workflow/access/planted.py:8: row.n is changed by a command of db",
        "workflow/access/planted.py:9: setattr goes around this wall",
        "workflow/access/planted.py:10: session.add is for db alone",
        "workflow/access/planted.py:11: session.exec is for db alone",
    ]


LOG = "workflow/access/event_log.py"
"""The one module above ``db`` that writes events."""


def past_the_log(path: Path) -> list[str]:
    """Where a module writes an event itself, under whatever name it knows ``db.events``."""
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    called = {"db.events"}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "db":
            called |= {one.asname or one.name for one in node.names if one.name == "events"}
        elif isinstance(node, ast.Import):
            called |= {one.asname for one in node.names if one.name == "db.events" and one.asname}
        elif isinstance(node, ast.ImportFrom) and node.module == "db.events":
            found += [node.lineno for one in node.names if one.name in ("record", "*")]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "record" and ast.unparse(node.value) in called:
            found.append(node.lineno)
    return [told(path, line, f"events are written by log() of {LOG}") for line in sorted(found)]


@pytest.mark.parametrize("room", ["workflow", "app", "extensions"])
def test_one_function_writes_events(room: str) -> None:
    found = {line.partition(":")[0]: line for path in modules(room) for line in past_the_log(path)}
    assert list(found) == ([LOG] if room == "workflow" else []), "\n".join(found.values())


def test_a_planted_event_past_the_log_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_layers.ROOT", tmp_path)
    planted = tmp_path / "planted.py"
    planted.write_text(
        "from db import events, items\nfrom db import events as written\nfrom db.events import newest, record\n"
        "import db.events\n\nevents.record()\nwritten.record()\nitems.record()\nf = db.events.record\n"
        "events.found()\n",
        encoding="utf-8",
    )
    said = "events are written by log() of workflow/access/event_log.py"
    assert past_the_log(planted) == [f"planted.py:{line}: {said}" for line in (3, 6, 7, 9)]


LONGEST_FUNCTION = 80
LONGEST_MODULE = {"workflow": 400, "extensions": 430}
"""In lines, a function without its docstring: what is longer has steps, or parts, that want a name of their own."""


def too_long(path: Path, *, longest: int = 400) -> list[str]:
    """The functions of a module that are longer than a reader keeps in mind, and the module itself."""
    text = path.read_text(encoding="utf-8")
    found = []
    if (n := len(text.splitlines())) > longest:
        found.append(told(path, n, f"a module of {n} lines, and {longest} is the most"))
    for node in ast.walk(ast.parse(text, filename=str(path))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            n = (node.end_lineno or node.lineno) - node.lineno + 1
            if ast.get_docstring(node) is not None:
                n -= (node.body[0].end_lineno or 0) - node.body[0].lineno + 1
            if n > LONGEST_FUNCTION:
                found.append(told(path, node.lineno, f"{node.name} has {n} lines, and {LONGEST_FUNCTION} is the most"))
    return found


def test_functions_and_modules_of_the_workflow_are_short() -> None:
    wrong = [line for room, n in LONGEST_MODULE.items() for path in modules(room) for line in too_long(path, longest=n)]
    assert not wrong, "\n".join(wrong)


def test_a_planted_long_function_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_layers.ROOT", tmp_path)
    planted = tmp_path / "planted.py"
    most = "def most():\n" + "    pass\n" * 79
    longer = "class Holder:\n    def longer(self):\n" + "        pass\n" * 80
    planted.write_text(most + longer, encoding="utf-8")
    assert too_long(planted) == ["planted.py:82: longer has 81 lines, and 80 is the most"]
    planted.write_text("x = 1\n" * 400, encoding="utf-8")
    assert too_long(planted) == []
    planted.write_text("x = 1\n" * 401, encoding="utf-8")
    assert too_long(planted) == ["planted.py:401: a module of 401 lines, and 400 is the most"]


def kept_from(room: str, package: str, paths: list[Path]) -> list[str]:
    """Where modules of a room import a package that is kept to other rooms."""
    return [
        told(path, line, f"only {', '.join(sorted(KEPT_TO[package]))} may import {module}")
        for path in paths
        for line, module in imports(path)
        if room not in {package, *KEPT_TO[package]}
        and f"{module}.".startswith(f"{package}.")
        and not (is_query(path) and "db" in KEPT_TO[package])
        and package not in GUARDED.get(path.relative_to(ROOT).as_posix(), ())
    ]


@pytest.mark.parametrize("package", KEPT_TO)
def test_only_these_rooms_know(package: str) -> None:
    wrong = [line for room in ROOMS for line in kept_from(room, package, modules(room))]
    assert not wrong, "\n".join(wrong)


def test_a_planted_request_past_the_guard_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_layers.ROOT", tmp_path)
    for room, text in {
        "inference": "from urllib import request\n\n\ndef f():\n    import httpx2\n",
        "media": "from net.guard import Guard\n",
        "net": "import httpx\nfrom inference.spec import Endpoint\n",
    }.items():
        (tmp_path / room).mkdir()
        (tmp_path / room / "planted.py").write_text(text, encoding="utf-8")
    wrong = [
        line
        for room in ("inference", "media", "net")
        for package in ("net", "httpx", "httpx2", "urllib.request")
        for line in kept_from(room, package, [tmp_path / room / "planted.py"])
    ]
    assert wrong == [
        "inference/planted.py:5: only net may import httpx2",
        "inference/planted.py:1: only net may import urllib.request",
        "media/planted.py:1: only extensions, inference may import net.guard",
    ]
    assert going_up("net", [tmp_path / "net" / "planted.py"]) == [
        "net/planted.py:2: net (floor 1) must not know inference.spec (floor 2)"
    ]


def round_the_workflow(paths: Iterable[Path]) -> list[str]:
    """Where ``app`` asks models itself instead of the workflow."""
    return [
        told(path, line, f"app asks workflow, not {module}: workflow.runs has what pages and commands need")
        for path in paths
        for line, module in imports(path)
        if module.partition(".")[0] == "inference"
    ]


def test_app_asks_workflow_never_inference() -> None:
    """Of an extension, the rule is for what knows ``app``: pages and commands. Its own use cases may ask models."""
    drawing = [
        path for path in modules("extensions") if any(f"{name}.".startswith("app.") for _, name in imports(path))
    ]
    wrong = round_the_workflow([*modules("app"), *drawing])
    assert not wrong, "\n".join(wrong)


def test_a_planted_way_round_the_workflow_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_layers.ROOT", tmp_path)
    planted = tmp_path / "app" / "planted.py"
    planted.parent.mkdir(parents=True)
    planted.write_text(
        "from domain import runs\n\n\ndef f():\n    from inference.spec import ModelSpec\n", encoding="utf-8"
    )
    assert round_the_workflow([planted]) == [
        "app/planted.py:5: app asks workflow, not inference.spec: workflow.runs has what pages and commands need"
    ]


def is_page(module: str) -> bool:
    """Whether a module is a page, of core or of an extension."""
    return bool(re.match(r"(app\.views|extensions\.\w+\.pages)\.\w", module))


def is_command(module: str) -> bool:
    """Whether a module has commands, of core or of an extension."""
    return bool(re.match(r"(app|extensions\.\w+)\.commands\.\w", module))


def pages_and_commands_imported(paths: Iterable[Path]) -> list[str]:
    """Where a module imports a page, or a module without commands imports a command.

    The module ``app.cli`` and the record of an extension name them, so that they are found.
    """
    wrong = []
    for path in paths:
        here = dotted(path)
        if here == "app.cli" or re.fullmatch(r"extensions\.\w+", here):
            continue
        for node, _ in import_lines(path):
            names = [alias.name for alias in node.names]
            modules_ = names if isinstance(node, ast.Import) else [f"{node.module}.{name}" for name in names]
            for module in modules_:
                if is_page(module):
                    wrong.append(told(path, node.lineno, f"{module} is of a page: put what you need beside the pages"))
                if is_command(module) and not is_command(here):
                    wrong.append(told(path, node.lineno, f"{module} is of a command: only commands import commands"))
    return wrong


def test_nothing_imports_a_page_and_only_commands_import_commands() -> None:
    wrong = pages_and_commands_imported([*modules("app"), *modules("extensions")])
    assert not wrong, "\n".join(wrong)


def test_a_planted_import_of_a_page_and_of_a_command_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_layers.ROOT", tmp_path)
    text = "from app.views import items\nfrom app.commands.judge import a\nimport extensions.privacy.pages.privacy\n"
    page, command, other = (
        "1: app.views.items is",
        "2: app.commands.judge.a is",
        "3: extensions.privacy.pages.privacy is",
    )
    planted = {
        "app/views/planted.py": [page, command, other],
        "app/running/planted.py": [page, command, other],
        "extensions/plans/pages/planted.py": [page, command, other],
        "extensions/plans/commands/planted.py": [page, other],
        "app/cli.py": [],
        "extensions/plans/__init__.py": [],
    }
    for name, lines in planted.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        wrong = pages_and_commands_imported([path])
        assert len(wrong) == len(lines)
        assert all(found.startswith(f"{name}:{line}") for found, line in zip(wrong, lines, strict=True)), wrong


@pytest.mark.parametrize("room", ALONE)
def test_these_rooms_get_by_with_little(room: str) -> None:
    wrong = [
        told(path, line, f"{room} works with nothing but {', '.join(sorted(ALONE[room])) or 'itself'} next to it")
        for path in modules(room)
        for line, module in imports(path)
        if module.partition(".")[0] in set(ROOMS) - {room} - ALONE[room]
    ]
    assert not wrong, "\n".join(wrong)


def test_the_domain_needs_no_package_at_all() -> None:
    wrong = [
        told(path, line, f"floor 0 uses the standard library only, not {module}")
        for path in modules("domain")
        for line, module in imports(path)
        if module.partition(".")[0] not in {*sys.stdlib_module_names, "domain"}
    ]
    assert not wrong, "\n".join(wrong)


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules each of which leads to every other, by way of what they import."""
    order = TopologicalSorter(graph)
    try:
        order.prepare()
    except CycleError as error:
        return [list(error.args[1])]
    return []


def graph_of(rooms: Iterable[str]) -> dict[str, set[str]]:
    """Which modules of ours each module imports, inside functions too; what only type checkers read is left out."""
    paths = {dotted(path): path for room in rooms for path in modules(room)}
    return {name: {other for other in told_of(path, set(paths)) if other != name} for name, path in paths.items()}


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def told_of(path: Path, ours: set[str]) -> set[str]:
    found = set()
    for node, for_types in import_lines(path):
        if for_types:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names & ours or {node.module}
    return found & ours


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(graph_of(ROOMS)) == []


def test_a_planted_circle_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_layers.ROOT", tmp_path)
    room = tmp_path / "workflow" / "access"
    room.mkdir(parents=True)
    (room / "one.py").write_text("from workflow.access import two\n", encoding="utf-8")
    (room / "two.py").write_text("def f():\n    from workflow.access.one import g\n", encoding="utf-8")
    (found,) = circles(graph_of(["workflow"]))
    assert set(found) == {"workflow.access.one", "workflow.access.two"}


SAID = {
    "AnnotationRow": {"answers", "reasons"},
    "GoldRow": {"answers"},
    "RevisionRow": {"content"},
    "JudgementRow": {"criterion", "value"},
    "ImportedRatingRow": {"criterion", "value"},
}
"""The columns that are stored in the words of the schema under which they were given."""

AS_STORED = {
    "extensions/refinement/queries.py": {"edited_in_refinement"},  # a key that no schema names
    "db/files.py": {"on_kept_items"},  # texts; the manifest reads them in the current words
    "extensions/adjudication_reasons/queries.py": {"decisions", "has_reasons"},  # the cause; whether a reason is there
    "db/item_list.py": {"_votes"},  # compares stored texts in SQL
}
"""Functions that read such columns as they are stored, and why."""


def past_the_reading(path: Path) -> list[str]:
    """Which functions of a module of ``db`` read such columns, whole rows included, and never call ``reworded``.

    A function that only makes the statement, or only reads it, is left out if the other half calls ``reworded``.
    """
    functions = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)]
    names = {function.name: {n.id for n in ast.walk(function) if isinstance(n, ast.Name)} for function in functions}
    read_anew = {name for name, used in names.items() if "reworded" in used}
    read_anew |= {name for name, used in names.items() if used & read_anew}
    while more := {name for name in names if any(name in names[caller] for caller in read_anew)} - read_anew:
        read_anew |= more
    allowed = read_anew | AS_STORED.get(path.relative_to(ROOT).as_posix(), set())
    return [
        told(path, function.lineno, f"{function.name} reads what was said without reworded.py")
        for function in functions
        if function.name not in allowed and any(map(_reads_what_was_said, ast.walk(function)))
    ]


def _reads_what_was_said(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr in SAID.get(node.value.id, ()) or (node.value.id, node.attr) == ("row", "answers")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("select"):
        return any(isinstance(each, ast.Name) and each.id in SAID for each in node.args)
    return False


def test_what_was_said_under_an_earlier_schema_is_said_anew() -> None:
    asking = [*modules("db"), *(path for path in modules("extensions") if is_query(path))]
    wrong = [line for path in asking if path.name != "reworded.py" for line in past_the_reading(path)]
    assert not wrong, "\n".join(wrong)


def test_a_planted_reader_of_stored_answers_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_layers.ROOT", tmp_path)
    planted = tmp_path / "planted.py"
    planted.write_text(
        "def rows(session):\n    return session.exec(select(AnnotationRow, PersonRow)).all()\n\n\n"
        "def column(session):\n    return session.exec(select(col(RevisionRow.content)))\n\n\n"
        "def _statement():\n    return select(GoldRow)\n\n\n"
        "def read(session):\n    return reworded.query(session, _statement())\n\n\n"
        "def count(session):\n    return session.exec(select(AnnotationRow.id))\n",
        encoding="utf-8",
    )
    said = "reads what was said without reworded.py"
    assert past_the_reading(planted) == [f"planted.py:1: rows {said}", f"planted.py:5: column {said}"]
