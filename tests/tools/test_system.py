"""Anyone who lacks a program that the tests need is told which, in one sentence; nothing is skipped."""

from __future__ import annotations

import subprocess

import pytest

from tools import system


@pytest.fixture(autouse=True)
def _label_studio_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system.label_studio, "migrated", lambda: None)


def test_nothing_to_do_where_everything_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system.browser, "program", lambda: "/usr/bin/chromium")
    monkeypatch.setattr(system.postgres, "binaries", lambda: "/usr/lib/postgresql/15/bin")
    monkeypatch.setattr(system.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert system.main() == 0


def test_a_browser_that_is_only_wished_for_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []

    class Failed:
        returncode = 100

    def run(command: list[str], **_: object) -> Failed:
        ran.append(command)
        return Failed()

    monkeypatch.setattr(system.browser, "program", lambda: "/usr/bin/chromium")
    monkeypatch.setattr(system.postgres, "binaries", lambda: "/usr/lib/postgresql/15/bin")
    monkeypatch.setattr(system.os, "geteuid", lambda: 0)
    monkeypatch.setattr(system.shutil, "which", lambda name: None if "headless" in name else f"/usr/bin/{name}")
    monkeypatch.setattr(system.firefox, "program", lambda: None)
    monkeypatch.setattr(system.subprocess, "run", run)
    assert system.main() == 0
    wished = [command[-1] for command in ran if "install" in command]
    assert wished == ["chromium-headless-shell", "firefox-esr"]  # each by itself: one may be had without the other
    monkeypatch.setattr(system.os, "geteuid", lambda: 1000)
    ran.clear()
    assert system.main() == 0
    assert not ran


def test_who_is_not_root_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(system.browser, "program", lambda: None)
    monkeypatch.setattr(system.postgres, "binaries", lambda: None)
    monkeypatch.setattr(system.os, "geteuid", lambda: 1000)
    assert system.main() == 1
    (sentence,) = capsys.readouterr().err.splitlines()
    assert "chromium and postgresql" in sentence


def test_root_installs_only_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []

    class Done:
        returncode = 0

    def run(command: list[str], **_: object) -> Done:
        ran.append(command)
        monkeypatch.setattr(system.postgres, "binaries", lambda: "/usr/lib/postgresql/15/bin")
        return Done()

    monkeypatch.setattr(system.browser, "program", lambda: "/usr/bin/chromium")
    monkeypatch.setattr(system.postgres, "binaries", lambda: None)
    monkeypatch.setattr(system.os, "geteuid", lambda: 0)
    monkeypatch.setattr(system.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(system.subprocess, "run", run)
    assert system.main() == 0
    assert ran[-1][:2] == ["apt-get", "install"]
    assert "postgresql" in ran[-1]
    assert "chromium" not in " ".join(ran[-1])


def test_who_cannot_install_label_studio_is_told_where_it_should_be(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused() -> None:
        raise subprocess.CalledProcessError(1, ["pip", "install"])

    monkeypatch.setattr(system, "missing", list)
    monkeypatch.setattr(system.label_studio, "migrated", refused)
    assert system.main() == 1
    (sentence,) = capsys.readouterr().err.splitlines()
    assert "Label Studio 1.23.2" in sentence
    assert "label-studio-1.23.2" in sentence
