"""What several workers run is reported as one process would, and a worker that dies is a failure."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from testkit.paths import ROOT

CONFTEST = """
import os
from pathlib import Path
import pytest

FOLDER = Path(__file__).parent
print("collected by", os.getpid(), file=(FOLDER / "log").open("a"))

def pytest_group_of(item):
    return "together" if item.path.name.startswith("test_group") else None

@pytest.fixture(scope="session", autouse=True)
def shared(tmp_path_factory):
    made = tmp_path_factory.mktemp("shared")
    yield made
    print("ended", made, file=(FOLDER / "log").open("a"))

@pytest.fixture(autouse=True)
def noted(request, tmp_path):
    print("ran", request.node.name, os.getpid(), file=(FOLDER / "log").open("a"))
"""
FILES = {
    "test_fails.py": "import warnings\n"
    "def test_fails():\n    print('printed before')\n    assert [1, 2] == [1, 3]\n"
    "def test_warns():\n    warnings.warn('careful now')\n",
    "test_group_a.py": "def test_a(): pass\n",
    "test_group_b.py": "def test_b(): pass\n",
    "test_skips.py": "import pytest\ndef test_skips(): pytest.skip('not today')\n",
}
DIES = "import os\ndef test_before(): pass\ndef test_dies(): os._exit(7)\ndef test_after(): pass\n"


def ran(folder: Path, *more: str, **files: str) -> tuple[int, str, str]:
    """Its exit status, what it printed, and what its tests wrote down."""
    for name, text in {"conftest.py": CONFTEST, **files}.items():
        (folder / name).write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-p", "testkit.workers", "--workers=2"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "200"}
    env.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run([*command, "-rs", *more], cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr, (folder / "log").read_text()


def test_what_workers_run_is_reported_as_ever(tmp_path: Path) -> None:
    status, said, log = ran(tmp_path, **FILES, **{"test_dies.py": DIES})
    assert status == 1
    assert "2 failed, 4 passed, 1 skipped, 1 warning" in said
    assert "assert [1, 2] == [1, 3]" in said
    assert "printed before" in said
    assert "careful now" in said
    assert "not today" in said
    assert re.search(r"The worker \S+ ended with status 7; after this test, 1 did not run", said)
    assert log.count("collected by") == 1
    assert "ran test_after" not in log
    process = dict(re.findall(r"ran (\w+) (\d+)", log))
    assert process["test_a"] == process["test_b"]
    assert len(set(process.values())) == 2
    # The worker that lives takes down what its session shares, once, in a folder of its own.
    assert len(re.findall(r"ended .*/gw[01]/shared0", log)) == 1


def test_after_a_failure_the_others_stop_where_that_is_asked_for(tmp_path: Path) -> None:
    many = {f"test_more_{number}.py": "def test_more(): pass\n" for number in range(200)}
    status, said, log = ran(tmp_path, "-x", **{"test_a_first.py": "def test_first(): assert 0\n"}, **many)
    assert status == 1
    assert "stopping after 1 failures" in said
    assert log.count("ran test_more") < 200
    assert len(re.findall("ended", log)) == 2
