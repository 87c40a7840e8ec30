"""Questions for tiny models, and asking them."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from domain.runs import Attempt, Picture, Question
from extensions.local_models import fit
from extensions.local_models.generation import LocalModel, open_generate
from inference.spec import Generation, ModelPermissions, ModelSpec
from testkit import tiny

Kept = Callable[[str], LocalModel]

TEXTS = (
    "What is this?",
    "My task is to make a salad and then wash the plate. What should I do next? Reply with few words.",
    "Open the drawer and?",
    "Cut the onion.",
    "Who?",
    "Where is the knife, and where is the other knife, in the drawer?",
)


def shown(folder: Path, seed: int, **more: Any) -> Picture:
    """A picture as a question holds it."""
    path = folder / f"{seed}.png"
    if not path.exists():
        tiny.picture(path, seed, size=(80 + 20 * (seed % 3), 60))
    return Picture(path, hashlib.sha256(path.read_bytes()).hexdigest(), **more)


def question(number: int, *parts: str | Picture, **more: Any) -> Question:
    """A question with that number."""
    return Question(number, f"q{number}", "d", parts, **more)


def six(folder: Path, *, pictures: bool = True) -> list[Question]:
    """Six questions of different lengths, each with a picture of its own."""
    return [question(number, *([shown(folder, number)] if pictures else []), text) for number, text in enumerate(TEXTS)]


def spec_of(folder: Path, **more: Any) -> ModelSpec:
    """The description that a folder gets by itself, with short answers."""
    return fit.spec_for_folder(folder).model_copy(update={"generation": Generation(max_new_tokens=12), **more})


def opened(folder: Path, **more: Any) -> LocalModel:
    """A tiny model, through the code that loads everyone's."""
    return open_generate(spec_of(folder, **more), ModelPermissions())


def asked(model: LocalModel, questions: Sequence[Question]) -> dict[int, Attempt]:
    """The last attempt at each question."""
    told: list[Attempt] = []
    model.answer(questions, tell=told.append, stop=lambda: False)
    return {attempt.unit_id: attempt for attempt in told}


def alone(model: LocalModel, questions: Sequence[Question]) -> dict[int, Attempt]:
    """As ``asked``, each question by itself."""
    return {number: attempt for one in questions for number, attempt in asked(model, [one]).items()}


def texts(attempts: dict[int, Attempt]) -> dict[int, tuple[str, str]]:
    """What the attempts say, without times."""
    return {number: (attempt.outcome.value, attempt.text) for number, attempt in attempts.items()}


def without_pictures(one: Question) -> Question:
    """The same question with its texts only."""
    return replace(one, parts=tuple(part for part in one.parts if isinstance(part, str)))


def copied(folder: Path, to: Path) -> Path:
    """A checkpoint to be changed."""
    shutil.copytree(folder, to)
    return to


def changed(path: Path, **values: Any) -> None:
    """A JSON file with other values; None takes a key out."""
    told = {**json.loads(path.read_text()), **values}
    path.write_text(json.dumps({key: value for key, value in told.items() if value is not None}))
