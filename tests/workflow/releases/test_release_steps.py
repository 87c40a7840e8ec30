"""Making a release of many items: it asks the database lot by lot, and says how far it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from db.engine import Store, open_store
from domain.errors import InvalidFileError
from media.store import MediaStore
from testkit.factories import claimed, make_items, make_people, make_project, make_schema
from testkit.missing_extensions import needs
from workflow.annotate import submissions
from workflow.releases.create import create
from workflow.releases.settings import ReleaseOptions

pytestmark = pytest.mark.thorough


def voted(store: Store, n: int) -> None:
    """A project of ``n`` items on which two people say the same."""
    make_project(store, loaded=make_schema(adjudication=False))
    make_items(store, n)
    for person in make_people(store, "ann", "bob"):
        for _ in range(n):
            view = claimed(store, person)
            submissions.submit(store, person=person, task=view.id, key=view.id, values={"choice": "red"})


def test_a_release_of_more_items_asks_no_more_often_and_says_each_step(tmp_path: Path) -> None:
    asked: dict[int, list[str]] = {}
    heard: list[tuple[str, int, int]] = []
    for n in (2, 9):
        home = tmp_path / str(n)
        store = open_store(None, home)
        store.upgrade()
        voted(store, n)
        said = asked.setdefault(n, [])
        heard.clear()

        def note(*given: Any, said: list[str] = said) -> None:
            said.append(given[2])

        event.listen(Engine, "before_cursor_execute", note)  # of the store that recomputes it, too
        try:
            create(
                store,
                MediaStore(home / "media"),
                home,
                by=None,
                project="p",
                asked=ReleaseOptions(despite=("said", "items")),
                progress=lambda *step: heard.append(step),
            )
        finally:
            event.remove(Engine, "before_cursor_execute", note)
            store.close()
    assert asked[2]
    assert len(asked[9]) == len(asked[2])
    steps = list(dict.fromkeys(what for what, _, _ in heard))
    for part in ("choosing and splitting items", "writing items.jsonl: items", "writing evidence: rows"):
        assert any(step.startswith(part) for step in steps), (part, steps)
    for part in ("reading the evidence back: rows", "computing verdicts: items", "working out figures: gates"):
        assert part in steps
    assert all(0 <= done <= of for _, done, of in heard), heard
    assert ("writing items.jsonl: items", 0, 9) in heard


@needs("formats", "vlmevalkit")
def test_a_refused_release_names_all_formats_and_items_at_once(store: Store, tmp_path: Path) -> None:
    """Both formats need the images in the release."""
    voted(store, 3)
    asked = ReleaseOptions(despite=("said", "items"), formats=("inspect", "vlmevalkit", "jsonl"))
    with pytest.raises(InvalidFileError) as refused:
        create(store, MediaStore(tmp_path / "media"), tmp_path, by=None, project="p", asked=asked)
    told = str(refused.value)
    assert told.startswith("Touchstone cannot write 2 formats: inspect, vlmevalkit.\n")
    assert "inspect cannot store 3 items." in told
    assert "vlmevalkit cannot store 3 items." in told
