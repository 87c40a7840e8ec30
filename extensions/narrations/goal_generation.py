"""Goals from narrations by a language model: it asks about each video, and writes the goals with how they were made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from domain.errors import FileRefused, InvalidInput, Problem, RunStopped
from domain.runs import Question
from domain.settings import Settings
from domain.strict_json import Fault
from extensions.narrations.files import question_files
from extensions.narrations.files.goal_export import goal_file
from extensions.narrations.files.narration_rows import ReadNarrations
from extensions.narrations.rules import goal_prompt, goal_replies
from extensions.narrations.rules.goal_replies import ReplyGoals
from extensions.narrations.rules.goals import LEVELS, Limits, Task
from extensions.narrations.rules.narration import by_video
from workflow.runs import identities, reply_journal, strict_questions
from workflow.runs.model_descriptions import ModelSpec
from workflow.runs.reply_journal import Journal, JournalKind
from workflow.runs.result_file import ResultFile, sha256
from workflow.runs.strict_questions import QuestionSettings, Subject

GOALS = JournalKind("touchstone narrations goals", "goals")
LONGEST_ANSWER = 8192
"""Default limit of a reply in tokens: enough for three levels of a video with hundreds of actions."""
WITHOUT = "it has fewer actions than a goal takes, and is not asked about"


@dataclass(frozen=True)
class GoalRequest:
    """The options of one run."""

    read: ReadNarrations
    spec: ModelSpec
    prompt: str
    limits: Limits
    tries: int
    only: Sequence[str]
    out: Path

    @property
    def result(self) -> ResultFile:
        """Return the file of goals with its companion files."""
        return ResultFile(self.out, question_files.MADE_BY)

    def beside(self, what: str) -> Path:
        """Return a companion file, such as ``goals.made.json`` for ``goals.json``."""
        return self.result.beside(what)


Video = Subject[ReplyGoals]
"""The question about one video, and its replies so far."""


@dataclass
class GoalResult:
    """The goals and counts of one run."""

    videos: list[Video]
    too_short: list[str]
    broken: int
    """Number of journal lines that could not be read."""
    before: int = 0
    """Number of videos whose replies were known before."""
    stopped: str = ""

    @property
    def tasks(self) -> list[Task]:
        """Return all goals, in the order of videos and replies."""
        return [task for video in self.videos if video.said is not None for task in video.said.tasks]

    @property
    def failures(self) -> dict[str, list[str]]:
        """Return the videos of refused replies, by kind of fault."""
        return strict_questions.failures(self.videos)

    def figures(self) -> dict[str, Any]:
        """Return the counts."""
        taken = [video.said for video in self.videos if video.said is not None]
        return {
            "videos": len(self.videos) + len(self.too_short),
            "videos too short": len(self.too_short),
            "videos with goals": len(taken),
            "videos without": len(self.videos) - len(taken),
            "requests": strict_questions.requests(self.videos),
            "goals": sum(len(said.tasks) for said in taken),
            **{f"{level}s": n for level in LEVELS[1:] if (n := sum(t.goal.level == level for t in self.tasks))},
            **Counter(f"goals left out: {fault.kind}" for said in taken for fault in said.left_out),
            **strict_questions.usage(self.videos),
        }

    def without(self) -> Iterator[tuple[str, str, list[str]]]:
        """Yield the videos without a goal: name, reason, and the faults of the last reply."""
        for video in self.videos:
            if video.said is None:
                yield video.name, video.why_none(), [fault.what for fault in video.faults]
        for name in self.too_short:
            yield name, WITHOUT, []


def described(spec: ModelSpec, constrain: bool) -> ModelSpec:
    """Return the model's description for questions about goals; ``constrain`` has its server enforce the form."""
    form = goal_replies.json_schema() if constrain else None
    return strict_questions.described(spec, longest=LONGEST_ANSWER, form=form, name="goals")


def prepared(request: GoalRequest) -> tuple[list[Video], list[str]]:
    """Return the question about each video, and the videos that are too short for a question.

    Raises
    ------
    InvalidInput, FileRefused, ModelRefused
        An option, the prompt or the model is invalid.
    """
    strict_questions.must_be_endpoint(request.spec, "goals")
    if problem := goal_prompt.lacking(request.prompt):
        raise FileRefused(f"The prompt {problem}.")
    all_of_them = by_video(request.read.rows)
    if unknown := [name for name in request.only if name not in all_of_them]:
        raise InvalidInput([Problem("video", f"{request.read.path} does not narrate the video {unknown[0]!r}.")])
    who = identities.description(request.spec.dump())
    videos, too_short = [], []
    for name, rows in all_of_them.items():
        if request.only and name not in request.only:
            continue
        if len(rows) < request.limits.fewest:
            too_short.append(name)
            continue
        text = goal_prompt.question(request.prompt, rows, request.limits)
        key = sha256(f"{who}\n{text}".encode())
        videos.append(
            Video(name, text, key, partial(goal_replies.read_reply, rows=rows, limits=request.limits), _failed)
        )
    return videos, too_short


def _failed(fault: Fault) -> ReplyGoals:
    return ReplyGoals(faults=(fault,))


def dry(request: GoalRequest) -> tuple[list[Question], int]:
    """Return the questions that are left, and the number of videos whose reply is known."""
    videos, _ = prepared(request)
    strict_questions.recall(videos, reply_journal.read_journal(request.result.beside("asked.jsonl"), GOALS))
    left = [video for video in videos if video.is_open(request.tries)]
    return [video.question(at) for at, video in enumerate(left)], len(videos) - len(left)


def make(
    request: GoalRequest, settings: Settings, *, stop: Callable[[], bool], tell: Callable[[str, ReplyGoals], None]
) -> GoalResult:
    """Ask the model, and write the goals with how they were made; a known reply is not asked for again.

    Raises
    ------
    Conflict
        Another command does the same, or someone changed the goals after they were written.
    """
    videos, too_short = prepared(request)
    with reply_journal.opened(request.result.beside("asked.jsonl"), GOALS) as journal:
        strict_questions.recall(videos, journal)
        result = GoalResult(videos, too_short, journal.broken)
        result.before = sum(not video.is_open(request.tries) for video in videos)
        ours = request.result.must_be_ours(goal_file(result.tasks))
        try:
            if result.before < len(videos):
                way = QuestionSettings(request.spec, request.tries, "video")
                strict_questions.ask(way, videos, journal, settings, stop=stop, tell=tell)
        except RunStopped as error:
            result.stopped = str(error)
        request.result.must_be_ours(goal_file(result.tasks), ours)
        request.result.write(goal_file(result.tasks), _manifest(request, result, journal))
    return result


def _manifest(request: GoalRequest, result: GoalResult, journal: Journal) -> dict[str, Any]:
    """Return how the goals were made."""
    generation = request.spec.generation
    return {
        "inputs": [{"path": request.read.path, "sha256": request.read.sha256, "form": request.read.form}],
        "settings": {
            "model": request.spec.dump(),
            "temperature": generation.temperature,
            "seed": generation.seed,
            "prompt": request.prompt,
            "prompt_sha256": sha256(request.prompt.encode()),
            "goal_actions": {"fewest": request.limits.fewest, "most": request.limits.most},
            "tries": request.tries,
            "videos": list(request.only) or None,
        },
        "asked_by": [line["about"] for line in journal.lines if line.get("record") == "session"],
        "counts": result.figures(),
        "failures": strict_questions.failure_rows(result.videos, "videos"),
        "left_out": [{"video": name, "why": why, "faults": faults} for name, why, faults in result.without()],
    }
