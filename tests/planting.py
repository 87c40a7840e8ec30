"""Example files out of docs/contributing.md, put into a room for the length of a test."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

from annotation_schemas import formats
from app import views
from app.screens import SCREENS
from tests.paths import ROOT

PAGE = ROOT / "docs" / "contributing.md"


def example(path: str) -> str:
    """The code on the page that begins with the name of its file."""
    (code,) = re.findall(
        rf"```python\n# {re.escape(path)}\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL
    )
    return str(code)


def planted(folder: Path, path: str) -> Path:
    """The example in a folder of its own, which a room can be made to look into, too (``__path__``)."""
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(example(path), encoding="utf-8")
    return file.parent


PAGE_OF_DIMENSIONS = "app/views/dimensions.py"
EXPORT_FORMAT = "annotation_schemas/formats/answer_key.py"
IMPORT_FORMAT = "annotation_schemas/formats/answer_sheet.py"
RELEASE_FORMAT = "annotation_schemas/formats/picture_list.py"


def plant_format(folder: Path, monkeypatch: pytest.MonkeyPatch, path: str = EXPORT_FORMAT) -> None:
    """The example of a format is there until the test ends."""
    import_module("app.cli")  # what its help lists is made once: without the example
    place = planted(folder, path)
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(place)])
    monkeypatch.setattr(formats.FORMATS, "_rows", None)
    monkeypatch.delitem(sys.modules, f"annotation_schemas.formats.{Path(path).stem}", raising=False)


def plant_page(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of a page is there until the test ends."""
    place = planted(folder, PAGE_OF_DIMENSIONS)
    monkeypatch.setattr(views, "__path__", [*views.__path__, str(place)])
    monkeypatch.setattr(SCREENS, "_rows", None)
    monkeypatch.delitem(sys.modules, "app.views.dimensions", raising=False)
