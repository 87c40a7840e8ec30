"""The job ``goals``: a language model is asked about each narrated video, and its goals are written into a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from domain.english import with_noun
from domain.errors import InvalidFileError, InvalidInputError, Problem
from domain.strict_json import Fault
from extensions.narrations.files import question_files
from extensions.narrations.files.goal_export import goal_file
from extensions.narrations.files.narration_files import Reading, read_narrations
from extensions.narrations.files.narration_rows import ReadNarrations
from extensions.narrations.rules import goal_prompt, goal_replies
from extensions.narrations.rules.goal_replies import ReplyGoals
from extensions.narrations.rules.goals import LEVELS, Limits, Task
from extensions.narrations.rules.narration import by_video
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome
from workflow.runs import identities, strict_questions
from workflow.runs.model_descriptions import ModelSpec
from workflow.runs.reply_journal import JournalKind
from workflow.runs.result_file import ResultFile, sha256
from workflow.runs.strict_questions import Inquiry, Subject

LONGEST_ANSWER = 8192
"""Default limit of a reply in tokens: enough for three levels of a video with hundreds of actions."""
WITHOUT = "the video has too few actions for a goal, so the model is not asked about this video"


@dataclass(frozen=True)
class GoalRequest:
    """The input of a job. Its paths are absolute, because any process of the machine may continue the job."""

    file: Path
    reading: Reading
    spec: ModelSpec
    prompt: str
    limits: Limits
    tries: int
    only: tuple[str, ...]
    out: Path


@dataclass
class GoalInquiry(Inquiry[ReplyGoals]):
    """The question about each video, and the goals of the replies."""

    request: GoalRequest
    read: ReadNarrations
    too_short: list[str]
    """Videos that are too short for a question."""

    noun, wanted = "video", "goal"
    journal = JournalKind("touchstone narrations goals", "goals")

    @property
    def tasks(self) -> list[Task]:
        """Return all goals, in the order of videos and replies."""
        return [task for video in self.subjects if video.said is not None for task in video.said.tasks]

    @property
    def n(self) -> int:
        """Return the number of goals."""
        return len(self.tasks)

    def words(self, said: ReplyGoals) -> str:
        """Return the number of goals of a reply."""
        return with_noun(len(said.tasks), "goal")

    def file(self) -> bytes:
        """Return the file of goals."""
        return goal_file(self.tasks)

    def figures(self) -> dict[str, Any]:
        """Return the counts."""
        taken = [video.said for video in self.subjects if video.said is not None]
        return {
            "videos": len(self.subjects) + len(self.too_short),
            "videos too short": len(self.too_short),
            "videos with goals": len(taken),
            "videos without": len(self.subjects) - len(taken),
            "requests": strict_questions.requests(self.subjects),
            "goals": sum(len(reply.tasks) for reply in taken),
            **{f"{level}s": n for level in LEVELS[1:] if (n := sum(t.goal.level == level for t in self.tasks))},
            **Counter(f"goals left out: {fault.kind}" for reply in taken for fault in reply.left_out),
            **strict_questions.usage(self.subjects),
        }

    def without(self) -> Iterator[tuple[str, str, list[str]]]:
        """Yield the videos without a goal: name, reason, and the faults of the last reply."""
        for video in self.subjects:
            if video.said is None:
                yield video.name, video.why_none(), [fault.what for fault in video.faults]
        for name in self.too_short:
            yield name, WITHOUT, []

    def made(self) -> dict[str, Any]:
        """Return how the goals were made."""
        request = self.request
        generation = request.spec.generation
        return {
            "inputs": [{"path": self.read.path, "sha256": self.read.sha256, "form": self.read.form}],
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
            "counts": self.figures(),
            "failures": strict_questions.failure_rows(self.subjects, "videos"),
            "left_out": [{"video": name, "why": why, "faults": faults} for name, why, faults in self.without()],
        }


def described(spec: ModelSpec, constrain: bool) -> ModelSpec:
    """Return the model's description for questions about goals; ``constrain`` has its server enforce the form."""
    form = goal_replies.json_schema() if constrain else None
    return strict_questions.described(spec, longest=LONGEST_ANSWER, form=form, name="goals")


def prepared(request: GoalRequest, read: ReadNarrations) -> GoalInquiry:
    """Return the question about each video of the narrations.

    Raises
    ------
    InvalidInputError, InvalidFileError, ModelError
        An option, the prompt or the model is invalid.
    """
    strict_questions.must_be_endpoint(request.spec, "goals")
    if problem := goal_prompt.lacking(request.prompt):
        raise InvalidFileError(f"The prompt {problem}.")
    all_of_them = by_video(read.rows)
    if unknown := [name for name in request.only if name not in all_of_them]:
        raise InvalidInputError(
            [Problem("video", f"{read.path} has no narrations of the video {unknown[0]!r}. Choose another video.")]
        )
    who = identities.description(request.spec.dump())
    videos, too_short = list[Subject[ReplyGoals]](), list[str]()
    for name, rows in all_of_them.items():
        if request.only and name not in request.only:
            continue
        if len(rows) < request.limits.fewest:
            too_short.append(name)
            continue
        text = goal_prompt.question(request.prompt, rows, request.limits)
        key = sha256(f"{who}\n{text}".encode())
        read_reply = partial(goal_replies.read_reply, rows=rows, limits=request.limits)
        videos.append(Subject(name, text, key, read_reply, _failed))
    result = ResultFile(request.out, question_files.MADE_BY)
    return GoalInquiry(videos, request.spec, request.tries, result, request, read, too_short)


def _failed(fault: Fault) -> ReplyGoals:
    return ReplyGoals(faults=(fault,))


def _name_goals(context: JobContext) -> JobOutcome:
    """Ask the model, and write the goals; a known reply is not asked for again."""
    request: GoalRequest = context.input
    read = read_narrations(request.file, request.reading)
    return strict_questions.carry_out(context, prepared(request, read))


GOALS = JobKind("goals", "Goals", "Asking a model for goals", _name_goals)
