"""Goals out of narrations by a language model: asked video by video, read, written, and said how."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app import goal_journal
from app.goal_journal import Journal, Line
from construction import goal_questions, goal_replies
from construction.goal_replies import Fault, Said
from construction.goals import LEVELS, Limits, Task
from construction.narrations import Narration, by_video
from domain.errors import Conflict, FileRefused, InvalidInput, ModelRefused, Problem, RunStopped
from domain.runs import NO_REQUEST, Attempt, Budgeted, Outcome, Question
from domain.settings import Settings
from exporters import constructed
from exporters.goal_files import goal_file
from exporters.writing import write_files
from importers.narration_rows import ReadNarrations
from workflow.runs import identities, model_descriptions
from workflow.runs.model_descriptions import ModelSpec

LONGEST_ANSWER = 8192
"""Tokens, where the description says nothing: three levels of a video with hundreds of actions."""
WITHOUT = "it has fewer actions than a goal takes, and is not asked about"


@dataclass(frozen=True)
class Asked:
    """What was asked for."""

    read: ReadNarrations
    spec: ModelSpec
    prompt: str
    limits: Limits
    tries: int
    only: Sequence[str]
    out: Path

    def beside(self, what: str) -> Path:
        """A file next to the goals: ``goals.made.json`` beside ``goals.json``."""
        return self.out.with_name(f"{self.out.stem}.{what}")


@dataclass
class Video:
    """What is asked about one video, and what came of it so far."""

    name: str
    rows: Sequence[Narration]
    text: str
    key: str
    """The same for the same question to the same model: whatever it replied holds for this."""
    heard: list[tuple[Line, tuple[Fault, ...]]] = field(default_factory=list)
    """Every request with what was wrong with its reply."""
    said: Said | None = None
    """The first reply that could be taken."""
    faults: tuple[Fault, ...] = ()
    """Of the last reply."""
    tried: int = 0
    """Replies that came; a request that brought none is not the model's doing."""
    silent: bool = False
    """No reply came in this run."""

    def hear(self, line: Line, said: Said) -> None:
        """One more request has ended."""
        self.heard.append((line, said.faults))
        if Outcome(line["outcome"]).replied:
            self.tried += 1
            self.faults = said.faults
        if not said.faults and self.said is None:
            self.said = said


@dataclass
class Told:
    """What came of it."""

    videos: list[Video]
    too_short: list[str]
    broken: int
    """Lines of the journal that could not be read."""
    before: int = 0
    """Videos about which no one had to be asked any more."""
    stopped: str = ""

    @property
    def tasks(self) -> list[Task]:
        """All goals, in the order of videos and replies."""
        return [task for video in self.videos if video.said is not None for task in video.said.tasks]

    @property
    def failures(self) -> dict[str, list[str]]:
        """Replies that were not taken, by every kind of what is wrong with them: in which video, each."""
        found: dict[str, list[str]] = {}
        for video in self.videos:
            for _, faults in video.heard:
                for kind in dict.fromkeys(fault.kind for fault in faults):
                    found.setdefault(kind, []).append(video.name)
        return found

    def figures(self) -> dict[str, Any]:
        """Counts."""
        replies = [line for video in self.videos for line, _ in video.heard]
        taken = [video.said for video in self.videos if video.said is not None]
        costs = [line["cost"] for line in replies if line["cost"] is not None]
        return {
            "videos": len(self.videos) + len(self.too_short),
            "videos too short": len(self.too_short),
            "videos with goals": len(taken),
            "videos without": len(self.videos) - len(taken),
            "requests": sum(Outcome(line["outcome"]) not in NO_REQUEST for line in replies),
            "goals": sum(len(said.tasks) for said in taken),
            **{f"{level}s": n for level in LEVELS[1:] if (n := sum(t.goal.level == level for t in self.tasks))},
            **Counter(f"goals left out: {fault.kind}" for said in taken for fault in said.left_out),
            "tokens_in": sum(line["tokens_in"] or 0 for line in replies),
            "tokens_out": sum(line["tokens_out"] or 0 for line in replies),
            "cost": sum(costs) if costs else None,
        }

    def without(self) -> Iterator[tuple[str, str, list[str]]]:
        """Videos that have no goal: name, why, and what was wrong with the last reply."""
        for video in self.videos:
            if video.said is None:
                why = f"{video.tried} replies, none of which could be taken" if video.tried else "no reply came"
                if not video.heard:
                    why = "it was not asked about"
                yield video.name, why, [fault.what for fault in video.faults]
        for name in self.too_short:
            yield name, WITHOUT, []


def described(spec: ModelSpec, constrain: bool) -> ModelSpec:
    """The model as it is asked about goals: by what it is likeliest to say, unless it says otherwise, and with room
    for a long reply; ``constrain``: held to the form by its server."""
    spec = spec.with_defaults(temperature=None, max_tokens=LONGEST_ANSWER)
    if not constrain:
        return spec
    form = {"name": "goals", "strict": True, "schema": goal_replies.json_schema()}
    response_format = {"type": "json_schema", "json_schema": form}
    return spec.model_copy(
        update={"generation": spec.generation.model_copy(update={"response_format": response_format})}
    )


def prepared(asked: Asked) -> tuple[list[Video], list[str]]:
    """What would be asked about each video, and the videos that are too short to be asked about.

    Raises
    ------
    InvalidInput, FileRefused, ModelRefused
        An option, the prompt or the model does not fit.
    """
    if asked.spec.endpoint is None:
        raise ModelRefused(f"{asked.spec.name} is no endpoint; goals are asked of a model behind one.")
    if problem := goal_questions.lacking(asked.prompt):
        raise FileRefused(f"The prompt {problem}.")
    all_of_them = by_video(asked.read.rows)
    if unknown := [name for name in asked.only if name not in all_of_them]:
        raise InvalidInput([Problem("video", f"--video: {asked.read.path} does not narrate {unknown[0]!r}.")])
    who = identities.description(asked.spec.dump())
    videos, too_short = [], []
    for name, rows in all_of_them.items():
        if asked.only and name not in asked.only:
            continue
        if len(rows) < asked.limits.fewest:
            too_short.append(name)
            continue
        text = goal_questions.question(asked.prompt, rows, asked.limits)
        videos.append(Video(name, rows, text, hashlib.sha256(f"{who}\n{text}".encode()).hexdigest()))
    return videos, too_short


def dry(asked: Asked) -> tuple[list[Question], int]:
    """The questions that are left to ask, each once, and of how many videos enough is known."""
    videos, _ = prepared(asked)
    _recalled(videos, goal_journal.read(asked.beside("asked.jsonl")), asked)
    left = [video for video in videos if _open(video, asked)]
    return [_question(video, at) for at, video in enumerate(left)], len(videos) - len(left)


def make(asked: Asked, settings: Settings, *, stop: Callable[[], bool], tell: Callable[[str, Said], None]) -> Told:
    """Ask, and write the goals with how they were made; what was asked before is not asked again.

    Raises
    ------
    Conflict
        Another command does the same, or the goals were mended since they were written.
    """
    videos, too_short = prepared(asked)
    with goal_journal.opened(asked.beside("asked.jsonl")) as journal:
        _recalled(videos, journal, asked)
        told = Told(videos, too_short, journal.broken)
        told.before = sum(not _open(video, asked) for video in videos)
        ours = _written_here(asked, told)
        try:
            if told.before < len(videos):
                _ask(asked, videos, journal, settings, stop, tell)
        except RunStopped as error:
            told.stopped = str(error)
        _written_here(asked, told, ours)
        _write(asked, told, journal)
    return told


def _recalled(videos: Sequence[Video], journal: Journal, asked: Asked) -> None:
    of_key = {video.key: video for video in videos}
    for line in journal.replies:
        if (video := of_key.get(str(line.get("key")))) is not None:
            video.hear(line, _said(line, video.rows, asked.limits))


def _open(video: Video, asked: Asked) -> bool:
    """Whether a video is still to be asked about."""
    return video.said is None and video.tried < asked.tries and not video.silent


def _said(line: Line, rows: Sequence[Narration], limits: Limits) -> Said:
    """What one request brought."""
    outcome = Outcome(line["outcome"])
    if outcome is not Outcome.ANSWERED:
        what = "The reply was cut off before its end: be brief." if outcome is Outcome.TRUNCATED else line["error"]
        return Said(faults=(Fault(outcome.label, what),))
    if line["characters"] > goal_replies.LONGEST:
        return Said(faults=(Fault(goal_replies.TOO_LONG, f"The reply has {line['characters']:,} characters."),))
    return goal_replies.read_reply(line["text"], rows, limits)


# ---- asking ---------------------------------------------------------------------------------------------------------


def _question(video: Video, at: int) -> Question:
    text = goal_questions.asked_again(video.text, video.faults) if video.faults else video.text
    return Question(at, video.name, "", (text,))


def _ask(
    asked: Asked,
    videos: Sequence[Video],
    journal: Journal,
    settings: Settings,
    stop: Callable[[], bool],
    tell: Callable[[str, Said], None],
) -> None:
    """Ask about every video that is left, then once more about those whose reply could not be taken, and so on."""

    def heard(attempt: Attempt) -> None:
        video = videos[attempt.unit_id]
        line = _line(video, attempt)
        said = _said(line, video.rows, asked.limits)
        journal.add({**line, "faults": [fault._asdict() for fault in said.faults]})
        video.hear(line, said)
        video.silent = attempt.final and not attempt.outcome.replied
        tell(video.name, said)

    answerer = model_descriptions.opened(asked.spec, settings)
    try:
        journal.add({"record": "session", "model": asked.spec.dump(), "about": dict(answerer.about)})
        if isinstance(answerer, Budgeted):
            sent = [line for line in journal.replies if Outcome(line["outcome"]) not in NO_REQUEST]
            answerer.spent(len(sent), sum(line["cost"] or 0.0 for line in sent))
        for _ in range(asked.tries):
            left = [_question(video, at) for at, video in enumerate(videos) if _open(video, asked)]
            if not left or stop():
                return
            answerer.answer(left, tell=heard, stop=stop)
    finally:
        answerer.close()


def _line(video: Video, attempt: Attempt) -> dict[str, Any]:
    return {
        "record": "reply",
        "key": video.key,
        "video": video.name,
        "outcome": attempt.outcome.value,
        "final": attempt.final,
        "text": attempt.text[: goal_replies.LONGEST],
        "characters": len(attempt.text),
        "raw": "" if attempt.outcome.replied else attempt.detail.get("raw", ""),
        "error": attempt.error,
        "status": attempt.status,
        "finish_reason": attempt.finish_reason,
        "prompt_hash": attempt.prompt_hash,
        "request_id": attempt.request_id,
        "tokens_in": attempt.tokens_in,
        "tokens_out": attempt.tokens_out,
        "cost": attempt.cost,
        "seconds": attempt.seconds,
    }


# ---- writing --------------------------------------------------------------------------------------------------------


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _written_here(asked: Asked, told: Told, ours: frozenset[str] = frozenset()) -> frozenset[str]:
    """The SHA-256 of what stands at ``out`` or may; refused, where people have changed it, or it is something else."""
    if asked.out.is_dir():
        raise FileRefused(f"{asked.out} is a folder; give the name of a file.")
    known = ours or frozenset({*_recorded(asked.beside("made.json")), _sha256(goal_file(told.tasks))})
    if asked.out.exists() and _sha256(asked.out.read_bytes()) not in known:
        raise Conflict(
            f"{asked.out} has changed since it was written here, or never was: it is left as it is. Give it another "
            "name, then run the same command again; what the model has replied is not asked again."
        )
    return known


def _recorded(path: Path) -> list[str]:
    """The SHA-256 of goals that a manifest of ours names."""
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        return []
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or value.get("made_by") != constructed.MADE_BY:
        raise FileRefused(f"{path} is there already and is not of Touchstone; name another --out.")
    return [str(each["sha256"]) for each in value.get("files", [])]


def _write(asked: Asked, told: Told, journal: Journal) -> None:
    data = goal_file(told.tasks)
    generation = asked.spec.generation
    made = {
        "inputs": [{"path": asked.read.path, "sha256": asked.read.sha256, "form": asked.read.form}],
        "settings": {
            "model": asked.spec.dump(),
            "temperature": generation.temperature,
            "seed": generation.seed,
            "prompt": asked.prompt,
            "prompt_sha256": _sha256(asked.prompt.encode()),
            "goal_actions": {"fewest": asked.limits.fewest, "most": asked.limits.most},
            "tries": asked.tries,
            "videos": list(asked.only) or None,
        },
        "asked_by": [line["about"] for line in journal.lines if line.get("record") == "session"],
        "counts": told.figures(),
        "failures": [
            {"kind": kind, "replies": len(of), "videos": of[:5]} for kind, of in sorted(told.failures.items())
        ],
        "left_out": [{"video": name, "why": why, "faults": faults} for name, why, faults in told.without()],
    }
    manifest: Mapping[str, bytes] = {asked.out.name: data}
    write_files({asked.out: data, asked.beside("made.json"): constructed.manifest(made, manifest)})
