"""What gets installed: the command, every room, and the files that are not Python."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.paths import ROOT
from tools.floors import ROOMS

PACKAGED = [*ROOMS, "examples"]


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


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_every_room(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for name in [*tracked(), "pyproject.toml", "README.md", "LICENSE", "NOTICE"]:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, f"--wheel-dir={tmp_path}", str(source)], check=True, stdin=subprocess.DEVNULL)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
        (entry_points,) = [archive.read(name).decode() for name in packed if name.endswith("entry_points.txt")]
    assert set(tracked()) - packed == set()
    assert {name.partition("/")[0] for name in packed if ".dist-info/" not in name} == set(PACKAGED)
    assert "touchstone = app.cli:main" in entry_points
