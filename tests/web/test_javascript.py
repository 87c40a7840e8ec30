"""The JavaScript of the pages, run by Node with a small DOM: every ``*.test.js`` here and in extensions."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from testkit.paths import ROOT
from tools import web

FILES = sorted([*Path(__file__).parent.glob("*.test.js"), *ROOT.glob("extensions/*/tests/**/*.test.js")])

HOW = ("--import", "./tests/web/setup.js", "--test", "--test-reporter=spec", "--test-timeout=200000")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.removesuffix(".test.js"))
def test_javascript(path: Path, node_environment: dict[str, str]) -> None:
    done = subprocess.run(
        [web.node(), *HOW, path.relative_to(ROOT)],
        cwd=ROOT,
        env=node_environment,
        capture_output=True,
        encoding="utf-8",
        timeout=250,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tests 0" not in done.stdout
