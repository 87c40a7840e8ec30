"""A small second project, of the schema `questions`: drawn pictures with a question of every kind about each. Made up.

It is for trying: its items are written and imaginary models have answered, and everything else is left to do.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from domain.records import Person, TaskView
from domain.roles import Role
from domain.states import Stage
from examples.demo import AUTHORS, GRADERS, LEAD, VERIFIERS, Member, file_name
from examples.scenes import Scene, scenes
from media.store import MediaStore
from workflow.access import accounts, memberships, projects
from workflow.annotate import image_pool
from workflow.annotate.submissions import submit
from workflow.files.import_files import import_files
from workflow.runs import run_grading

PROJECT = "questions"
SEED = 1
MEMBERS: Sequence[tuple[Member, Role, tuple[Stage, ...] | None]] = (
    (LEAD, Role.LEAD, None),
    (AUTHORS[0], Role.ANNOTATOR, (Stage.AUTHORING,)),
    *((verifier, Role.ANNOTATOR, (Stage.VERIFICATION,)) for verifier in VERIFIERS),
    *((grader, Role.ANNOTATOR, (Stage.GRADING,)) for grader in GRADERS),
)
"""People of the demo project, who have their links already."""

ABSENT = ("teapot", "bicycle pump")
"""Things that are in none of the scenes."""


def exists(store: Store) -> bool:
    """Whether this database has the project."""
    return any(view.name == PROJECT for view in projects.all_projects(store))


def build(store: Store, media: MediaStore) -> int:
    """Make the project beside the demo project; how many items it has."""
    projects.create_project(store, name=PROJECT, loaded=load_schema(shipped()["questions"]), made_up=True, seed=SEED)
    for member, role, stages in MEMBERS:
        memberships.set_member(store, by=None, project=PROJECT, login=member.login, role=role, stages=stages)
    author = accounts.find_person(store, login=AUTHORS[0].login)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written = [_written(store, media, author, scene) for scene in scenes("counting")]
        path = folder / "imaginary models.jsonl"
        rows = [row for item, scene in zip(written, scenes("counting"), strict=True) for row in _answers(item, scene)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        import_files(store, media, by=None, project=PROJECT, format="predictions", path=path)
        run_grading.send_imports(store, by=None, project=PROJECT)
    return len(written)


def _written(store: Store, media: MediaStore, author: Person, scene: Scene) -> str:
    """Put a picture into the pool and write its item; the item's external id."""
    image_pool.add_to_pool(store, media, by=None, project=PROJECT, files=[(file_name(scene.path), scene.path)])
    (free,) = image_pool.pool(store, person=author, project=PROJECT).assets
    task = image_pool.pick(store, person=author, project=PROJECT, dimension="kitchen", assets=[free.id])
    if not isinstance(task, TaskView):
        raise AssertionError(f"{scene.name} cannot be picked")
    submit(store, person=author, task=task.id, key=f"made-up-{scene.name}", values=fields_of(scene))
    return f"kitchen/{task.id}"


def fields_of(scene: Scene) -> dict[str, object]:
    """What is asked about a scene."""
    there = list(dict.fromkeys(scene.things))[:5]
    return {
        "question": f"How do I put the {there[0]} away?",
        "objects": [*there, *ABSENT],
        "steps": ["put it down inside", "walk to the cupboard", f"take the {there[0]}", "open the cupboard"],
    }


def _answers(item: str, scene: Scene) -> list[Mapping[str, str]]:
    """A plan that works and one that does not."""
    thing = scene.things[0].replace(" ", "_")
    good = f"1. go_to({thing})\n2. grasp({thing})\n3. go_to(shelf)\n4. put_on({thing}, shelf)"
    seen = f"I see a teapot beside the {scene.things[0]}."
    bad = f"{seen}\n1. grasp({thing})\n2. grasp(teapot)\n3. put_on(shelf)\n4. fly(home)"
    return [{"item": item, "model": model, "text": text} for model, text in (("planner", good), ("dreamer", bad))]
