"""Questions from narrations and goals, written into a folder with how they were made."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from domain.errors import InvalidFileError, InvalidInputError, Problem
from domain.records import BadRow
from exporters.file_manifest import manifest_file
from exporters.writing import write_files
from extensions.narrations.files import question_files
from extensions.narrations.files.action_classes import read_classes
from extensions.narrations.files.goal_files import Clock, ReadGoals, TimeUnit, read_goals
from extensions.narrations.files.narration_files import COLLECTIONS
from extensions.narrations.files.narration_rows import ReadNarrations
from extensions.narrations.rules import goals as goal_rules
from extensions.narrations.rules import questions as made
from extensions.narrations.rules.frame_rates import as_text
from extensions.narrations.rules.narration import Tally, by_video
from extensions.narrations.rules.phrases import Sameness

if TYPE_CHECKING:
    from extensions.narrations.files.video_rates import Videos

_WORDS = {"towards", "goal"}
_FILES = {question_files.PAIRS, question_files.ACTIONS, question_files.APART}
"""Files that are written only on request."""


@dataclass(frozen=True)
class QuestionRequest:
    """The options of one run."""

    read: ReadNarrations
    goals: Path
    videos: Videos | None
    rate: Fraction | None
    goal_times: str
    limits: tuple[int, int, Decimal]
    gap: Decimal
    observe: str
    classes: tuple[Path | None, Path | None]
    question: str | None
    collection: str | None
    seed: int
    first_id: int
    tuning: bool
    apart: bool


@dataclass(frozen=True)
class QuestionResult:
    """The counts of one run, and what was left out."""

    read: ReadNarrations
    bad_goals: Sequence[BadRow]
    tally: Tally
    n: int


def make(request: QuestionRequest, out: Path) -> QuestionResult:
    """Make the questions and write them into a folder.

    Raises
    ------
    InvalidInputError
        An option is invalid.
    InvalidFileError
        The goals or classes cannot be read, or the folder holds files of something else.
    """
    settings = _settings(request)
    rates = settings.rates
    if request.goal_times == "frames" and not rates and request.rate is None:
        raise InvalidInputError(
            [
                Problem(
                    "goal_times",
                    "Times in frames need frame rates. Give a file with the rate of each video, or one rate for "
                    "all videos.",
                )
            ]
        )
    _must_be_ours(out)
    clock = Clock(cast(TimeUnit, request.goal_times), rates, request.rate)
    goals = read_goals(request.goals, clock)
    sameness, of_classes = _sameness(request.classes)
    tally, videos = Tally(), by_video(request.read.rows)
    tally.count("narrations", len(request.read.rows))
    tally.count("videos", len(videos))
    kept = goal_rules.tasks(goals.goals, videos, goal_rules.Limits(*request.limits), tally)
    questions = list(made.questions(kept, settings, sameness, tally))
    collection = COLLECTIONS[request.read.form] if request.collection is None else request.collection
    files = {
        question_files.ITEMS: question_files.item_file(
            questions, first_id=request.first_id, collection=collection, apart=request.apart
        ),
        question_files.TIMES: question_files.times_file(questions, first_id=request.first_id),
    }
    if request.tuning:
        files |= question_files.tuning_files(questions, first_id=request.first_id)
    if request.apart:
        files[question_files.APART] = question_files.apart_file(questions, first_id=request.first_id)
    facts = _manifest(request, settings, goals, of_classes, tally, questions)
    files[question_files.MANIFEST] = manifest_file(facts, files, made_by=question_files.MADE_BY)
    write_files({out / name: data for name, data in files.items()})
    for name in _FILES - set(files):
        (out / name).unlink(missing_ok=True)  # of an earlier run, about other questions
    return QuestionResult(request.read, goals.bad, tally, len(questions))


def _settings(request: QuestionRequest) -> made.Settings:
    question = made.ASKED if request.question is None else request.question
    try:
        named = {name for _, name, _, _ in string.Formatter().parse(question) if name is not None}
    except ValueError:
        named = {""}
    if not named or not named <= _WORDS:
        raise InvalidInputError(
            [Problem("question", "The question must contain {towards} or {goal}, and no other braces.")]
        )
    if request.observe not in made.RULES:
        raise InvalidInputError(
            [
                Problem(
                    "observe",
                    f"The rule for the observation must be one of {', '.join(made.RULES)}, not {request.observe!r}.",
                )
            ]
        )
    rates = request.videos.rates if request.videos else {}
    if not rates and request.rate is None:
        raise InvalidInputError(
            [
                Problem(
                    "rate",
                    "Narrations do not contain the frame rates of videos. Give a CSV file with the columns video_id "
                    "and fps, or one rate for all videos.",
                )
            ]
        )
    return made.Settings(request.seed, request.gap, request.observe, question, request.rate, rates)


def _sameness(files: tuple[Path | None, Path | None]) -> tuple[Sameness, dict[str, str]]:
    verbs, nouns = files
    if verbs is None and nouns is None:
        return Sameness(), {}
    if verbs is None or nouns is None:
        raise InvalidInputError([Problem("verb_classes", "Give both class files (verbs and nouns), or no class file.")])
    classes, hashes = read_classes(verbs, nouns)
    return Sameness(classes), hashes


def _must_be_ours(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise InvalidFileError(f"{out} is a file. Name a folder for the questions.")
    ours = {*_FILES, question_files.ITEMS, question_files.TIMES, question_files.MANIFEST}
    there = {path.name for path in out.iterdir()} if out.is_dir() else set()
    if there and (not there <= ours or question_files.MANIFEST not in there):
        foreign = ", ".join(sorted(there - ours)[:3]) or "questions from another source"
        raise InvalidFileError(f"{out} already contains other files ({foreign}). Name a new or empty folder.")


def _manifest(
    request: QuestionRequest,
    settings: made.Settings,
    goals: ReadGoals,
    of_classes: dict[str, str],
    tally: Tally,
    questions: Sequence[made.Question],
) -> dict[str, Any]:
    read = request.read
    inputs = [{"path": read.path, "sha256": read.sha256, "form": read.form}]
    inputs += [{"path": name, "sha256": digest, "form": "goals"} for name, digest in sorted(goals.sha256.items())]
    inputs += [{"path": name, "sha256": digest, "form": "classes"} for name, digest in of_classes.items()]
    if request.videos is not None:
        inputs.append({"path": request.videos.path, "sha256": request.videos.sha256, "form": "videos"})
    fewest, most, slack = request.limits
    letters = Counter(string.ascii_uppercase[question.key] for question in questions)
    return {
        "inputs": inputs,
        "settings": {
            "seed": settings.seed,
            "gap": str(settings.gap),
            "observation": {"rule": settings.rule, "meaning": made.RULES[settings.rule].meaning},
            "goal_actions": {"fewest": fewest, "most": most},
            "slack": str(slack),
            "question": settings.question,
            "rate": None if settings.rate is None else as_text(settings.rate),
            "classes": bool(of_classes),
            "first_id": request.first_id,
            "goal_times": request.goal_times,
        },
        "narrations": {
            "taken": len(read.rows),
            "left_out": [{"line": row.row, "reason": row.reason} for row in read.bad],
            "passed_over": read.passed_over,
            "notes": read.notes,
            "windows": read.windows,
        },
        "goals_left_out": [{"path": row.path, "line": row.row, "reason": row.reason} for row in goals.bad],
        **tally.as_json(),
        "keys": {letter: letters[letter] for letter in string.ascii_uppercase[: made.N_NEGATIVES + 1]},
        "without_progress": sum(not question.progress for question in questions),
        "answer_in_progress": sum(
            question.answer.text in {row.text for row in question.progress} for question in questions
        ),
    }
