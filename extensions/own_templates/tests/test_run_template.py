"""``touchstone template import``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from db.engine import open_store
from testkit.factories import make_project
from testkit.serving import touchstone


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty project."""
    store = open_store(None, tmp_path)
    store.upgrade()
    make_project(store)
    store.close()
    return tmp_path


def test_published_prompts_become_templates_of_the_project(home: Path) -> None:
    path = home / "prompts.jsonl"
    path.write_text(json.dumps({"name": "mine", "prompt_template": "{question} {answer}"}) + "\n")
    added = touchstone(
        "template", "import", "p", str(path), "--parser", "double_brackets", "--value", "0", "--value", "1", home=home
    )
    assert added.stdout.startswith("mine@1"), added.stderr
    listed = touchstone("template", "import", "p", home=home).stdout
    assert "mine@1" in listed
    assert "from prompts.jsonl" in listed
    bare = touchstone("template", "import", "p", str(path), home=home)
    assert (bare.returncode, "Give --parser" in bare.stderr) == (1, True)
    nameless = touchstone(
        "template", "import", "p", str(path), "--parser", "last_line", "--value", "a", "--name", "no", home=home
    )
    assert "prompts.jsonl has no prompt 'no'. Choose one of mine." in nameless.stderr
