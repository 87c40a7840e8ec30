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


ETP_COUNTS = {
    "Type": 288,
    "Property": 259,
    "Temporal": 100,
    "Spatial": 488,
    "Relevant": 100,
    "Operation": 100,
    "Sequence": 170,
    "Goal": 100,
    "Embodied reasoning": 270,
}
"""ETP-Bench, Table 1."""
_ETP_CONTENT: dict[str, dict[str, Any]] = {
    "Type": {
        "question": "What is in the red box?",
        "form": "open",
        "answer": "Hat",
        "red_boxes": [{"x": 0.25, "y": 0.4, "w": 0.2, "h": 0.15}],
    },
    "Property": {
        "question": "What properties has the object at number 1?",
        "form": "property_list",
        "answer": "grabbable, cookable, sliceable",
        "numbers": [{"number": 1, "x": 0.5, "y": 0.5}],
    },
    "Temporal": {"question": "In which order were these taken?", "form": "ordering", "answer": "3, 1, 2"},
    "Spatial": {
        "question": "Where is the bucket relative to the bed?",
        "form": "multiple_choice",
        "options": ["OnTop", "Under", "Inside"],
        "answer": "OnTop",
    },
    "Relevant": {"question": "What is needed to sweep the floor?", "form": "open", "answer": "Broom"},
    "Operation": {
        "question": "How are the cabinets cleaned with the rag?",
        "form": "multiple_choice",
        "options": ["wipe", "slice", "toggle"],
        "answer": "A",
    },
    "Sequence": {
        "question": "Which ways to go on are right?",
        "form": "multi_select",
        "options": ["Put the notebook down", "Take the socks", "Take the perfume", "Put one sock down"],
        "answer": "B, C, D",
    },
    "Goal": {
        "question": "Has the floor been swept?",
        "form": "multiple_choice",
        "options": ["Yes", "No"],
        "answer": "No",
    },
    "Embodied reasoning": {
        "task": "preserve food",
        "question": "Put the fruit into the fridge.",
        "form": "plan",
        "objects": "a bowl of fruit on the table, a fridge",
        "spatial": "The fridge is behind the table.",
        "knowledge": "A fridge has to be opened first.",
        "environment": "behavior100",
    },
}


def etp_record(aspect: str, n: int, **changes: Any) -> dict[str, Any]:
    record = {"id": f"{aspect}-{n}", "aspect": aspect, "images": [f"{aspect}/{n}.png"], **_ETP_CONTENT[aspect]}
    if aspect == "Temporal":
        record["images"] = [f"Temporal/{n}-{at}.png" for at in (1, 2, 3)]
    return {**record, **changes}


def etp_boxes(n: int, **changes: Any) -> dict[str, Any]:
    """A made-up item of ETP-Bench whose answer is two boxes."""
    answer = [{"x": 0.1, "y": 0.2, "w": 0.25, "h": 0.5}, {"x": 0.5, "y": 0.5, "w": 0.5, "h": 0.5, "image": 2}]
    record = etp_record("Relevant", n, question="Where are the tools for sweeping?", form="boxes", answer_boxes=answer)
    del record["answer"]
    return {**record, "images": [f"Relevant/{n}-1.png", f"Relevant/{n}-2.png"], **changes}


def etp_records(counts: dict[str, int]) -> list[dict[str, Any]]:
    """So many items of each aspect, made up."""
    return [etp_record(aspect, n) for aspect, wanted in counts.items() for n in range(wanted)]
