"""The measures of the house, on a small tree that departs from its rules in every way."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.house import is_vague, measure, page

FILES = {
    "domain/__init__.py": "",
    "domain/rows.py": 'FIRST = "app.pages:draw"\nSECOND = "domain.states:name"\nTHIRD = "nowhere.at:all"\n',
    "domain/states.py": "class Told:\n    pass\n\n\nclass State:\n    pass\n",
    "app/__init__.py": "",
    "app/pages.py": "def draw():\n    from app.parts import menu\n",
    "app/parts/__init__.py": "from . import menu\n",
    "app/parts/menu.py": "from app.pages import draw\n",
    "workflow/__init__.py": "",
    "workflow/long.py": '"""Longer than 400 lines because it is a table."""\n' + "x = 1\n" * 400,
    "workflow/short.py": "x = 1\n" * 400,
    "db/__init__.py": "x = 1\n" * 501,
    "db/migrations/first.py": "x = 1\n" * 1000,
    "extensions/plans/__init__.py": "x = 1\n" * 7,
    "tests/__init__.py": "x = 1\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_what_a_tree_says(tree: Path) -> None:
    found = measure(tree)
    assert found == {
        "core_lines": 3 + 6 + 2 + 1 + 1 + 401 + 400 + 501,
        "lines_by_room": {
            "app": 4,
            "app/*.py": 2,
            "app/parts": 2,
            "db": 501,
            "domain": 9,
            "extensions": 7,
            "workflow": 801,
        },
        "lines_by_extension": {"plans": 7},
        "flat_modules_of_app": 1,
        "circles": [["app.pages", "app.parts", "app.parts.menu"]],
        "hidden_imports": 2,
        "hidden_imports_upward": ["domain/rows.py:1: app.pages:draw"],
        "long_modules": [
            {"file": "db/__init__.py", "lines": 501, "reason": False},
            {"file": "workflow/long.py", "lines": 401, "reason": True},
        ],
        "vague_classes": ["domain/states.py:1: Told"],
    }
    lines = list(page(found))
    assert "    workflow/long.py: 401 lines, with a reason" in lines
    assert "    app.pages -> app.parts -> app.parts.menu" in lines


@pytest.mark.parametrize("name", ["_Asked", "StoredPostponed", "Line", "By", "NotFound"])
def test_participles_and_words_for_nothing_are_vague(name: str) -> None:
    assert is_vague(name)


@pytest.mark.parametrize("name", ["Seed", "TextLine", "ItemSeed", "Reading", "JSONReader"])
def test_nouns_are_not_vague(name: str) -> None:
    assert not is_vague(name)
