"""The committed pictures and questions of the demo are what the script draws."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples import scenes as committed
from tools.drawing import __main__ as script
from tools.drawing.scenes import scenes
from tools.drawing.tables import SIZE, tables


def test_the_committed_questions_are_those_that_are_drawn() -> None:
    lines = (script.EXAMPLES / "scenes.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    assert lines == [script.line_of(scene) for scene in scenes()]


def test_every_scene_has_its_picture_and_nothing_else_lies_there() -> None:
    pictures = {path.name for path in (script.EXAMPLES / "pictures").iterdir()}
    assert pictures == {f"{scene.name}.webp" for scene in scenes()}
    assert {scene.path.name for scene in committed.scenes()} == pictures
    assert [path.name for path in committed.tables()] == [f"{table.name}.webp" for table in tables()]


@pytest.mark.thorough
def test_a_committed_picture_is_what_is_drawn() -> None:
    (scene,) = [scene for scene in scenes() if scene.name == "counting-1"]
    (kept,) = [kept for kept in committed.scenes() if kept.name == scene.name]
    assert kept.path.read_bytes() == script.picture_of(scene)
    assert kept.picture().size == (1280, 960)
    table = next(tables())
    assert committed.tables()[0].read_bytes() == script.picture_of(table, SIZE)


def test_the_script_replaces_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "scenes", lambda: scenes()[:1])
    monkeypatch.setattr(script, "picture_of", lambda scene, size: scene.name.encode())
    monkeypatch.setattr(script, "tables", lambda: [next(tables())])
    (tmp_path / "scenes.jsonl").write_text("old", encoding="utf-8")
    assert script.main(tmp_path) == 0
    assert (tmp_path / "scenes.jsonl").read_text(encoding="utf-8") == script.line_of(scenes()[0])
    assert (tmp_path / "pictures" / "existence-1.webp").read_bytes() == b"existence-1"
    assert (tmp_path / "tables" / "table-01.webp").read_bytes() == b"table-01"
