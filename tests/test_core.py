"""The core works by itself: no page, no command and no room needs a package that only an extra brings."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from testkit.serving import environment
from tests import distributions
from tests.paths import ROOT
from tools.floors import ROOMS

pytestmark = pytest.mark.slow  # it imports all of the house

HEAVY = {
    "torch",
    "transformers",
    "sklearn",
    "openai",
    "label_studio_sdk",
    "krippendorff",
    "crowdkit",
    "psycopg",
    "duckdb",
    "obstore",
}
"""What extras bring."""
LAZY = {"cv2", "statsmodels"}
"""What the core brings and loads only where it is called: never in the process that serves pages."""

BLOCK = """
import sys

BLOCKED = {blocked!r}


class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {{name!r}} (only an extra brings it)", name=name)
        return None


sys.meta_path.insert(0, Blocker())
"""


@pytest.fixture(scope="module")
def prologue() -> str:
    """Code after which only the core's own packages can be imported."""
    outside = distributions.modules_outside(distributions.closure(distributions.core()))
    assert outside >= HEAVY
    return BLOCK.format(blocked=sorted(outside - {*ROOMS, "examples"}))


IMPORTS = """
import importlib, json, sys, traceback

prologue, heavy, groups = json.load(sys.stdin)
exec(prologue)
said = sys.stdout
sys.stdout = sys.stderr
found = {}
for group, names in groups.items():
    found[group] = ""
    for name in names:
        try:
            importlib.import_module(name)
        except Exception:
            found[group] += traceback.format_exc()[-3000:]
    found[group] += " ".join(sorted({*heavy} & {*sys.modules}))
json.dump(found, said)
"""


def imported(groups: dict[str, list[str]], home: Path, *, prologue: str = "", heavy: set[str]) -> dict[str, str]:
    """What is wrong after each group of modules, imported one group after the other in a Python of its own from the
    checkout: what was raised, and what is heavy and loaded."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS],
        cwd=ROOT,
        env=environment(home),
        input=json.dumps([prologue, sorted(heavy), groups]),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, str] = json.loads(done.stdout)
    return found


def names(room: str) -> list[str]:
    """The dotted names of a room's modules; files that are run rather than imported are left out."""
    found = [path.relative_to(ROOT).with_suffix("").parts for path in sorted((ROOT / room).rglob("*.py"))]
    dotted = [".".join(parts[:-1] if parts[-1] == "__init__" else parts) for parts in found]
    dotted = [name for name in dotted if not re.match(r"extensions\.\w+\.tests", name)]
    return [name for name in dotted if not name.startswith("db.migrations") and not name.endswith("__main__")]


@pytest.fixture(scope="module")
def with_the_core(prologue: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is wrong with each room where there is nothing but the core."""
    rooms = {room: names(room) for room in [*ROOMS, "examples"]}
    return imported(rooms, tmp_path_factory.mktemp("core"), prologue=prologue, heavy={*HEAVY, *LAZY})


@pytest.mark.parametrize("room", [*ROOMS, "examples"])
def test_every_room_imports_with_the_core_alone(room: str, with_the_core: dict[str, str]) -> None:
    assert with_the_core[room] == ""


def test_the_help_needs_the_core_alone(prologue: str, home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"{prologue}\nfrom app.cli import main\nsys.argv[0] = 'touchstone'\nmain()\n", "--help"],
        cwd=ROOT,
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "calibration" in done.stdout


ENTERED = ["app.cli", "workflow.runs.model_runs", "workflow.runs.worker", "app.server", "app.shell", "app.main"]
SCREENS = "app.views"


@pytest.fixture(scope="module")
def with_everything(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What of heavy packages is loaded by the modules that commands begin with, then by all screens."""
    heavy = {*HEAVY, *LAZY, "multiprocessing.pool"}
    entered = {module: [module] for module in ENTERED} | {SCREENS: names(SCREENS.replace(".", "/"))}
    return imported(entered, tmp_path_factory.mktemp("all"), heavy=heavy)


@pytest.mark.parametrize("module", [*ENTERED, SCREENS])
def test_nothing_heavy_is_loaded_where_it_is_installed(module: str, with_everything: dict[str, str]) -> None:
    """One after the other in one process: what the first of them loads is also said of those after it."""
    assert with_everything[module] == ""
