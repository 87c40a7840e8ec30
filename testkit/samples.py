"""Small annotation files of the shapes that benchmarks publish, made up here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def egothink_record(n: int, **changes: Any) -> dict[str, Any]:
    return {
        "source_dataset": "made_up",
        "image_path": [f"{n}.jpg"],
        "question": f"What is {n}?",
        "answer": f"It is {n}.",
        **changes,
    }


def egoplan_record(n: int, *, test: bool = False, **changes: Any) -> dict[str, Any]:
    record = {
        "sample_id": n,
        "video_id": f"V{n:02}",
        "task_goal": "Lay the table",
        "question": "What should I do next?",
        "current_observation_frame": 60 + n,
        "answer": "take cup",
        "choice_a": "take plate",
        "choice_b": "take cup",
        "choice_c": "fold napkin",
        "choice_d": "close drawer",
        "golden_choice_idx": "B",
        "task_progress_metadata": [{"narration_text": "open drawer", "start_frame": 10, "stop_frame": 30}],
        "video_source": "made_up",
    }
    if test:
        del record["answer"], record["golden_choice_idx"]
    return {**record, **changes}


def pca_record(n: int, **changes: Any) -> dict[str, Any]:
    return {
        "version": "1.0",
        "question": f"Put cup {n} on the shelf.",
        "actions": ["Look for a cup.", "Pick up the cup.", "Go to the shelf."],
        "answer_index": 1,
        "reason": "The cup is before me.",
        "key_concept": ["cup"],
        "domain": "Domestic Robot",
        **changes,
    }


def write(path: Path, records: Any, *, indent: int | str | None = 4, **style: Any) -> Path:
    """A JSON file of these records, as ``json.dump`` writes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(json.dumps(records, indent=indent, **style).encode())
    return path
