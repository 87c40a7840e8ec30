"""The core works by itself: no page, no command and no room needs a package that only an extra brings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from testkit.serving import environment
from tests import distributions
from tests.paths import ROOT
from tests.test_layers import ROOMS

pytestmark = pytest.mark.slow  # a process for each room

HEAVY = {"torch", "transformers", "sklearn", "openai", "label_studio_sdk", "cv2", "krippendorff", "crowdkit", "psycopg"}

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


def run(code: str, *arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run code in a Python of its own, from the checkout."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def names(room: str) -> list[str]:
    """The dotted names of a room's modules; files that are run rather than imported are left out."""
    found = [path.relative_to(ROOT).with_suffix("").parts for path in sorted((ROOT / room).rglob("*.py"))]
    dotted = [".".join(parts[:-1] if parts[-1] == "__init__" else parts) for parts in found]
    return [name for name in dotted if not name.startswith("db.migrations") and not name.endswith("__main__")]


@pytest.mark.parametrize("room", [*ROOMS, "examples"])
def test_every_room_imports_with_the_core_alone(room: str, prologue: str, home: Path) -> None:
    code = prologue + "import importlib\nfor name in sys.argv[1:]:\n    importlib.import_module(name)\n"
    done = run(code, *names(room), home=home)
    assert done.returncode == 0, done.stderr[-3000:]


def test_the_help_needs_the_core_alone(prologue: str, home: Path) -> None:
    done = run(prologue + "from app.cli import main\nsys.argv[0] = 'touchstone'\nmain()\n", "--help", home=home)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "calibration" in done.stdout


@pytest.mark.parametrize(
    "module", ["app.cli", "app.server", "app.main", "app.shell", "workflow.runs.model_runs", "workflow.runs.worker"]
)
def test_nothing_heavy_is_loaded_where_it_is_installed(module: str, home: Path) -> None:
    heavy = {*HEAVY, "huey", "redis", "multiprocessing.pool"}
    code = f"import sys\nimport {module}\nprint(*sorted({heavy!r} & set(sys.modules)))\n"
    done = run(code, home=home)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split() == []
