"""What gets installed: one package with the command, every room, and the files that are not Python."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.paths import ROOT
from tools.floors import ROOMS

PACKAGE = "touchstone_vlm"
PACKAGED = [*ROOMS, "examples"]
EVERYTHING = """
import pkgutil, sys
from importlib import import_module

import touchstone_vlm.agreement

few = {"streamlit", "sqlmodel", "pydantic", "pandas"} & set(sys.modules)
assert not few, f"the statistics have imported {few}"
for module in pkgutil.walk_packages(touchstone_vlm.__path__, "touchstone_vlm."):
    if ".migrations." not in module.name and not module.name.endswith(("__main__", "app.main")):
        import_module(module.name)
"""
"""Imports all that is installed."""
PROCESS = """
import subprocess, sys
from touchstone_vlm.app import supervisor

sys.exit(subprocess.run(supervisor.COMMAND, env=supervisor.environment(), stdin=subprocess.DEVNULL).returncode)
"""
"""Runs the worker as the server does; it ends because there is no server."""


def tracked() -> list[str]:
    """The files under version control; in an unpacked archive, all files."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "-z", *PACKAGED], cwd=ROOT, capture_output=True, text=True, check=True
        )
        names = [name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]
        return [name for name in names if not re.match(r"extensions/\w+/tests/", name)]
    files = [path for room in PACKAGED for path in (ROOT / room).rglob("*") if path.is_file()]
    return [path.relative_to(ROOT).as_posix() for path in files if "__pycache__" not in path.parts]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the files under version control."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    beside = [f"{PACKAGE}/__init__.py", "tools/wheel/backend.py", "pyproject.toml", "README.md", "LICENSE", "NOTICE"]
    for name in [*tracked(), *beside]:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, f"--wheel-dir={folder}", str(source)], check=True, stdin=subprocess.DEVNULL)
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_every_room_in_one_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
        (entry_points,) = [archive.read(name).decode() for name in packed if name.endswith("entry_points.txt")]
    assert {f"{PACKAGE}/{name}" for name in tracked()} - packed == set()
    assert {name.partition("/")[0] for name in packed if ".dist-info/" not in name} == {PACKAGE}
    assert f"touchstone = {PACKAGE}:main" in entry_points


@pytest.mark.slow
def test_the_wheel_works_beside_strangers_with_the_names_of_our_rooms(wheel: Path, tmp_path: Path) -> None:
    """A user has a ``db.py`` of their own, in the folder where the command runs and among the installed packages."""
    installed, folder = tmp_path / "installed", tmp_path / "folder"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", f"--target={installed}", str(wheel)]
    subprocess.run(install, check=True, stdin=subprocess.DEVNULL)
    folder.mkdir()
    for place in (installed, folder):
        for room in PACKAGED:
            (place / f"{room}.py").write_text(f"raise SystemExit('a stranger: {room}')\n", encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{installed}", "TOUCHSTONE_HOME": str(tmp_path / "home")}
    for command in (
        ["-c", EVERYTHING],
        ["-c", f"from {PACKAGE} import main; main()", "demo", "--no-serve"],
        ["-c", PROCESS],
    ):
        done = subprocess.run(
            [sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
