"""Commands on a machine that refuses: no room, a damaged database, a home that is none. Each ends with a sentence."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT


def _run(home: Path, *arguments: str, most_bytes: int | None = None) -> subprocess.CompletedProcess[str]:
    def limit() -> None:
        if most_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    return subprocess.run(
        [sys.executable, "-m", "app", *arguments], cwd=ROOT, text=True, capture_output=True, preexec_fn=limit,
        env={**os.environ, "TOUCHSTONE_HOME": str(home)}, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("trouble", ["no room", "damaged", "no folder", "may not be written"])
def test_a_command_on_a_machine_that_refuses_ends_with_a_sentence(
    trouble: str, tmp_path: Path, sqlite_template: Path
) -> None:
    home, most = tmp_path / "home", None
    home.mkdir()
    (home / "touchstone.db").write_bytes(sqlite_template.read_bytes())
    if trouble == "no room":
        most = 8192
    elif trouble == "damaged":
        content = sqlite_template.read_bytes()
        (home / "touchstone.db").write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))
    elif trouble == "no folder":
        (tmp_path / "file").write_text("x")
        home = tmp_path / "file" / "home"
    else:
        home = Path("/sys/touchstone")
    done = _run(home, "project", "create", "p", "--schema", "demo", most_bytes=most)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("touchstone: ")]
    assert len(said) == 1
    assert said[0].endswith(".")
