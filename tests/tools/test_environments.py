"""Environments for other people's programs: made once, found again, made anew if they were not made to their end."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools.environments import environment

pytestmark = pytest.mark.slow  # some seconds for each environment


def test_an_environment_is_made_once_and_found_by_a_link_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    made = environment(tmp_path / "one", "pip")  # every environment has it already: nothing is fetched
    assert "installed in" in capfd.readouterr().err
    found = subprocess.run([made / "python", "-c", "import sys; print(sys.prefix)"], capture_output=True, check=True)
    assert found.stdout.decode().strip() == str(tmp_path / "one")
    (tmp_path / "link").symlink_to("one")
    assert environment(tmp_path / "one", "pip") == environment(tmp_path / "link", "pip") == made
    assert capfd.readouterr().err == ""

    (made / "left-over").touch()
    (made.parent / "requirements.txt").unlink()  # as when someone ended it in the middle
    assert environment(tmp_path / "one", "pip") == made
    assert not (made / "left-over").exists()


def test_what_cannot_be_installed_is_not_taken_for_complete(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(subprocess.CalledProcessError):
            environment(tmp_path / "two", str(tmp_path / "no-such-package"))
