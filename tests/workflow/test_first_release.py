"""The steps to the first release: which are done, and when the list goes away."""

from __future__ import annotations

from pathlib import Path

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from domain import extensions
from domain.roles import Role
from media.store import MediaStore
from testkit.factories import make_items, make_person, make_project, vote
from tests.app.screens import drawn, part, words
from workflow.access import projects
from workflow.lead.first_release import first_release_steps
from workflow.releases.create import create
from workflow.releases.settings import ReleaseOptions


def test_each_step_is_open_until_it_is_done(store: Store, home: Path) -> None:
    make_project(store)
    make_person(store, "lea", role=Role.LEAD)

    def states(project: str = "p") -> dict[str, bool]:
        steps = first_release_steps(store, by=None, project=project)
        assert steps is not None
        return {step.title: step.done for step in steps}

    before = [
        "Form",
        "Guideline",
        "Items",
        "Media",
        "People",
    ]  # no qualification or gold checks
    projects.create_project(store, name="tested", loaded=load_schema(shipped()["egoplan"]))
    asked = None if extensions.missing("commands", "qualify") else False
    assert states("tested").get("Qualification") is asked, "the schema asks for a qualification"
    assert list(states()) == [*before, "First votes", "Verdicts", "Release"]
    assert [name for name in before if not states()[name]] == ["Items", "Media", "People"]
    page = drawn(store, home, "overview", "lea", project="p")
    assert "The project has no items yet." in part(page, "waiting")
    assert f"{len(before) - 3} of {len(before) + 3} steps done" in part(page, "steps")
    make_items(store, 3)
    ann = make_person(store, "ann")
    assert [name for name, done in states().items() if not done] == ["First votes", "Verdicts", "Release"]
    vote(store, ann)
    assert [name for name, done in states().items() if not done] == ["Verdicts", "Release"]
    for person, n in ((ann, 2), (make_person(store, "ben"), 3)):
        for _ in range(n):
            vote(store, person)
    lines = ("items", "adjudication", "media", "said")
    asked = ReleaseOptions(despite=lines)
    create(store, MediaStore(home / "media"), home, by=None, project="p", asked=asked)
    assert first_release_steps(store, by=None, project="p") is None
    assert "First release" not in words(drawn(store, home, "overview", "lea", project="p"))
