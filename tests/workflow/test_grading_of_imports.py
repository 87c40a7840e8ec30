"""Imported answers open for grading only as far as a lead has settled how many of them people grade."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from annotation_schemas.loader import load_text
from db import projects, task_counts
from db.engine import Store
from domain.run_kinds import RunKind
from domain.states import Stage, TaskState
from media.store import MediaStore
from testkit.factories import BLIND, make_items, make_people, make_project, vote
from workflow.files.import_files import import_files
from workflow.files.one_import import ImportSummary
from workflow.runs import run_grading, run_views

pytestmark = pytest.mark.thorough
ITEMS = 5
GRADERS = 2
"""Of the blind schema."""


@pytest.fixture
def kept(store: Store) -> Store:
    """A project of five kept items, in which two people grade every answer."""
    made(store)
    return store


def made(store: Store, grading: str = "") -> None:
    text = BLIND.replace("RATERS", "1").replace("PER_SOURCE", "9").replace("ADJUDICATION", "none")
    make_project(store, loaded=load_text(text.replace("    shows:", f"{grading}    shows:"), "Be exact.", "blind"))
    make_items(store, ITEMS)
    (bob,) = make_people(store, "bob")
    for _ in range(ITEMS):
        vote(store, bob)


def brought(store: Store, home: Path, models: Sequence[str], items: Sequence[int] = range(ITEMS)) -> ImportSummary:
    file = home / f"{'-'.join(models)[:60]}.{len(items)}.jsonl"
    rows = [{"item": f"colour/{n}", "model": model, "text": "red"} for model in models for n in items]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    media = MediaStore(home / "media")
    return import_files(store, media, by=None, project="p", format="predictions", path=file)


def open_slots(store: Store) -> int:
    with store.read() as session:
        project = projects.by_name(session, name="p")
        assert project is not None
        assert project.id is not None
        states = task_counts.count_by_state(session, project_id=project.id, stage=Stage.GRADING)
    return sum(n for (_, state), n in states.items() if state is TaskState.OPEN)


@pytest.mark.both_databases
def test_answers_of_many_models_open_nothing_and_say_the_cost(kept: Store, tmp_path: Path) -> None:
    models = [f"m{n}" for n in range(21)]
    done = brought(kept, tmp_path, models)
    assert done.predictions == 21 * ITEMS
    assert open_slots(kept) == 0
    assert done.note is not None
    # 21 models x 5 items, 2 graders each
    assert "No answers from 21 models are open for grading yet: 105 answers, graded by 2 people each" in done.note
    assert "210 grades" in done.note
    assert "touchstone run grade RUN" in done.note
    one = next(each for each in run_views.runs_of(kept, by=None, project="p", kind=RunKind.IMPORT) if each.name == "m4")
    assert sum(run_grading.slots_of(kept, by=None, run=one.id).values()) == ITEMS * GRADERS, "the cost of one model"
    assert run_grading.send_to_grading(kept, by=None, run=one.id) == ITEMS * GRADERS
    assert run_grading.send_to_grading(kept, by=None, run=one.id) == 0, "sending twice sends once"
    assert open_slots(kept) == ITEMS * GRADERS
    assert run_grading.send_imports(kept, by=None, project="p") == 20 * ITEMS * GRADERS


def test_the_first_model_opens_at_once_and_a_second_one_waits(kept: Store, tmp_path: Path) -> None:
    first = brought(kept, tmp_path, ["m0"], range(3))
    assert (open_slots(kept), first.note) == (3 * GRADERS, None)
    second = brought(kept, tmp_path, ["m1"])
    assert open_slots(kept) == 3 * GRADERS, "file by file is no way around"
    assert second.note is not None
    assert "No answers from 1 model are open for grading yet: 5 answers" in second.note
    both = brought(kept, tmp_path, ["m0", "m1", "m2"])
    assert open_slots(kept) == ITEMS * GRADERS, "more answers of a model that people grade open at once"
    assert both.note is not None
    assert "No answers from 1 model are open" in both.note, "of m2 alone: the answers of m1 were there already"


@pytest.mark.parametrize(("grading", "slots"), [("    outputs: 4\n", 4 * GRADERS), ("    sample: {outputs: 4}\n", 0)])
def test_a_sample_of_the_schema_settles_it(store: Store, tmp_path: Path, grading: str, slots: int) -> None:
    made(store, grading)
    done = brought(store, tmp_path, ["m0", "m1", "m2"])
    assert open_slots(store) == slots, "a planned sample opens when a lead opens it"
    assert done.note is None


def test_dimensions_that_no_one_grades_cost_nothing(store: Store, tmp_path: Path) -> None:
    made(store, "    dimensions: [shape]\n")
    done = brought(store, tmp_path, ["m0", "m1"])
    assert (open_slots(store), done.note) == (0, None)
