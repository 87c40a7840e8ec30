"""A project of EgoPlan's test set with a few questions, out of a file as its authors write it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db.engine import Store
from media.store import MediaStore
from workflow.access.projects import create_project
from workflow.files import import_files

KEYS = "ABCDABCDAB"
"""Of the ten items, in their order."""


def record(at: int, key: str | None) -> dict[str, Any]:
    """Return one question as the file has it."""
    choices = [f"{verb} the cup" for verb in ("take", "put down", "wash", "dry")]
    told = {
        "sample_id": at,
        "video_id": f"P{at}",
        "task_goal": f"Clean cup {at}",
        "question": f"What next, to clean cup {at}?",
        "current_observation_frame": 100,
        **{f"choice_{letter}": choice for letter, choice in zip("abcd", choices, strict=True)},
        "task_progress_metadata": [],
        "video_source": "Ego4D",
    }
    return told | ({"answer": choices["ABCD".index(key)], "golden_choice_idx": key} if key else {})


def made(store: Store, media: MediaStore, folder: Path, keys: Sequence[str | None]) -> str:
    """Make the project ``p`` with an item for each key; None: an item without one."""
    create_project(store, name="p", loaded=load_schema(shipped()["egoplan_test"]))
    file = folder / "EgoPlan_test.json"
    file.write_text(json.dumps([record(at, key) for at, key in enumerate(keys)]))
    import_files.import_files(store, media, by=None, project="p", format="egoplan", path=file)
    return "p"
