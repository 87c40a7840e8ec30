"""The JavaScript of the pages for Node."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.workbench import assets
from testkit.paths import ROOT
from tools import web


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


@pytest.fixture(scope="module")
def node_environment(modules: Path) -> dict[str, str]:
    """The environment in which ``setup.js`` finds the modules."""
    return {**os.environ, "TOUCHSTONE_WEB": modules.as_uri(), "NODE_NO_WARNINGS": "1"}
