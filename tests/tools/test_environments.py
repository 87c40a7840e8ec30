"""Environments for other people's programs: made once, found again, made anew if they were not made to their end."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tools.environments import environment

pytestmark = pytest.mark.slow  # some seconds for each environment


def test_an_environment_is_made_once_and_anew_where_it_was_not_made_to_its_end(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = subprocess.run

    def without_pip(command: list[str], **how: Any) -> subprocess.CompletedProcess[bytes]:
        return run([*command, "--without-pip"] if "venv" in command else command, **how)

    folder = tmp_path / "one"
    stamp = folder / "requirements.txt"
    folder.mkdir()
    stamp.write_text(f"{folder}\nsomething-else\n")
    monkeypatch.setattr(subprocess, "run", without_pip)
    with pytest.raises(subprocess.CalledProcessError):
        environment(folder, "pip")
    monkeypatch.undo()
    assert not stamp.exists(), "as when someone ended it in the middle"
    assert "installed in" not in capfd.readouterr().err

    (folder / "bin" / "left-over").touch()
    made = environment(folder, "pip")  # every environment has it already: nothing is fetched
    assert "installed in" in capfd.readouterr().err, "what was not installed to its end is not taken for complete"
    assert not (made / "left-over").exists()
    found = subprocess.run([made / "python", "-c", "import sys; print(sys.prefix)"], capture_output=True, check=True)
    assert found.stdout.decode().strip() == str(folder)

    (tmp_path / "link").symlink_to("one")
    assert environment(folder, "pip") == environment(tmp_path / "link", "pip") == made
    assert capfd.readouterr().err == ""
