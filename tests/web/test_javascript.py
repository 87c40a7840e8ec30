"""The JavaScript of the pages, run by Node with a small DOM: every ``*.test.js`` here and in extensions."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from app.workbench import assets
from testkit.paths import ROOT
from tools import web

FILES = sorted([*Path(__file__).parent.glob("*.test.js"), *ROOT.glob("extensions/*/tests/**/*.test.js")])

HOW = ("--import", "./tests/web/setup.js", "--test", "--test-reporter=spec", "--test-timeout=30000")


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All modules as they are served, before they are put together into one file for each page."""
    if not (ROOT / web.DOM).exists():
        assert web.install() == 0
    folder = tmp_path_factory.mktemp("web")
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    for name, text in assets.sources().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.removesuffix(".test.js"))
def test_javascript(path: Path, modules: Path) -> None:
    done = subprocess.run(
        [web.node(), *HOW, path.relative_to(ROOT)],
        cwd=ROOT,
        env={**os.environ, "TOUCHSTONE_WEB": modules.as_uri(), "NODE_NO_WARNINGS": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tests 0" not in done.stdout
