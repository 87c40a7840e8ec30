"""Commands on a machine that refuses: no room, a damaged database, a home that is none. Each ends with a sentence."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from app import cli
from testkit.forked import Forked
from testkit.serving import environment
from tests.paths import ROOT


def main() -> None:
    """In the process: the command, which may write no larger files than the environment says."""
    if most := os.environ.get("MOST_BYTES"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
    cli.main()


@pytest.mark.slow
@pytest.mark.parametrize("trouble", ["no room", "damaged", "no folder", "may not be written"])
def test_a_command_on_a_machine_that_refuses_ends_with_a_sentence(
    trouble: str, tmp_path: Path, sqlite_template: Path
) -> None:
    home, out, err, most = tmp_path / "home", tmp_path / "out", tmp_path / "err", {}
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    if trouble == "no room":
        most = {"MOST_BYTES": "8192"}
    elif trouble == "damaged":
        content = sqlite_template.read_bytes()
        (home / "touchstone.db").write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))
    elif trouble == "no folder":
        (tmp_path / "file").write_text("x")
        home = tmp_path / "file" / "home"
    else:
        home = Path("/sys/touchstone")
    words = ["project", "create", "p", "--schema", "demo"]
    process = Forked(words, env=environment(home, **most), cwd=ROOT, out=out, err=err, main=f"{__name__}:main")
    assert process.wait(120) == 1
    told = err.read_text()
    assert "Traceback" not in told
    said = [line for line in told.splitlines() if line.startswith("touchstone: ")]
    assert len(said) == 1
    assert said[0].endswith(".")


@pytest.mark.slow
@pytest.mark.parametrize(("most", "status"), [("40000", 1), ("33000", 1), ("1000000", 0)])
def test_check_fails_where_nothing_more_can_be_stored(
    most: str, status: int, tmp_path: Path, sqlite_template: Path
) -> None:
    """Reading works on a full disk, so that everything stored may well be as it should be."""
    home, out, err = tmp_path / "home", tmp_path / "out", tmp_path / "err"
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    there = environment(home, MOST_BYTES=most)
    process = Forked(["check"], env=there, cwd=ROOT, out=out, err=err, main=f"{__name__}:main")
    assert process.wait(120) == status
    assert "All stored states match the votes." in out.read_text()
    assert ("its disk is full" in err.read_text()) == bool(status)
