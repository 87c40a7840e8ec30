"""Ask a model for items about the free images of a pool, check the replies, and write the proposals to a file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from app.services import Resources
from domain.errors import FileRefused, InvalidInput, ModelRefused, Problem, RunStopped
from domain.runs import Question
from domain.strict_json import Fault
from extensions.drafting import proposal_reply, seed_tasks
from extensions.drafting.free_images import FreeImages, PictureMaker, Unit
from extensions.drafting.proposal_reply import ProposalReply
from extensions.drafting.seed_task_file import TaskPlan
from extensions.drafting.seed_tasks import Situation
from workflow.runs import identities, reply_journal, strict_questions
from workflow.runs.model_descriptions import ModelSpec
from workflow.runs.reply_journal import Journal, JournalKind
from workflow.runs.result_file import ResultFile, sha256
from workflow.runs.strict_questions import QuestionSettings, Subject

PROPOSALS = JournalKind("touchstone drafting make", "proposed items")
"""The journal of the model's replies."""
LONGEST_ANSWER = 4096
"""The maximum number of tokens of a reply, if the model's description has none."""
MADE_BY = "touchstone drafting"
NO_TASK = "no task of the file is for their dimension"
OTHER = "they are for another dimension"
BEYOND = "beyond --limit"
DECLINED = "the model says that the image does not allow such an item"


@dataclass(frozen=True)
class ProposalRequest:
    """The request of a person: the images, the model and the options."""

    project: str
    free: FreeImages
    spec: ModelSpec
    prompt: str
    plan: TaskPlan | None
    dimension: str | None
    limit: int | None
    seed: int
    tries: int
    out: Path

    @property
    def result(self) -> ResultFile:
        """Return the file to write, with the files next to it."""
        return ResultFile(self.out, MADE_BY)


@dataclass(frozen=True)
class PlannedProposal:
    """An image and the request to the model about it."""

    unit: Unit
    dimension: str
    situation: Situation | None
    subject: Subject[ProposalReply]


@dataclass
class RunResult:
    """The result of a run."""

    planned: list[PlannedProposal]
    left_out: dict[str, int]
    """The number of images that the model is not asked about, by reason."""
    broken: int
    """Number of unreadable lines in the journal."""
    before: int = 0
    """Number of images that needed no further request."""
    stopped: str = ""

    @property
    def subjects(self) -> list[Subject[ProposalReply]]:
        """Return the request about each image."""
        return [proposal.subject for proposal in self.planned]

    @property
    def proposed(self) -> list[PlannedProposal]:
        """Return the images with a proposal."""
        return [
            proposal for proposal in self.planned if proposal.subject.said is not None and proposal.subject.said.fields
        ]

    @property
    def failures(self) -> dict[str, list[str]]:
        """Return the images of refused replies, by problem."""
        return strict_questions.failures(self.subjects)

    def figures(self) -> dict[str, Any]:
        """Return the counts."""
        declined = sum(
            proposal.subject.said is not None and not proposal.subject.said.fields for proposal in self.planned
        )
        return {
            "images": len(self.planned) + sum(self.left_out.values()),
            **{f"images not asked about: {why}": n for why, n in self.left_out.items()},
            "proposals": len(self.proposed),
            "images declined": declined,
            "images without": len(self.planned) - len(self.proposed) - declined,
            "requests": strict_questions.requests(self.subjects),
            **strict_questions.usage(self.subjects),
        }

    def without(self) -> Iterator[tuple[str, str, list[str]]]:
        """Yield each image without a proposal: its name, the reason, and the problems of the last reply."""
        for proposal in self.planned:
            said = proposal.subject.said
            if said is None:
                yield proposal.unit.name, proposal.subject.why_none(), [fault.what for fault in proposal.subject.faults]
            elif not said.fields:
                yield proposal.unit.name, DECLINED, [said.why_not]


def described(spec: ModelSpec, free: FreeImages, constrain: bool) -> ModelSpec:
    """Return the model's description for these requests. With ``constrain`` its server enforces the form."""
    form = proposal_reply.json_schema(free.loaded.schema_) if constrain else None
    return strict_questions.described(spec, longest=LONGEST_ANSWER, form=form, name="item")


def prepared(request: ProposalRequest, here: Resources) -> tuple[list[PlannedProposal], dict[str, int]]:
    """Return the request about each image, and the number of images left out by reason.

    Raises
    ------
    InvalidInput, FileRefused, ModelRefused
        An option, the prompt, the schema or the model does not fit.
    """
    strict_questions.must_be_endpoint(request.spec, "items")
    if request.spec.modality == "text":
        raise ModelRefused(f"{request.spec.name} is shown no pictures (`modality: text`), and items are about images.")
    if problem := proposal_reply.lacking(request.prompt):
        raise FileRefused(f"The prompt {problem}.")
    loaded = request.free.loaded
    if not proposal_reply.asked_fields(loaded.schema_):
        raise InvalidInput([Problem("project", "The schema has no field that a model could write; all are drawn.")])
    shown = PictureMaker(here.store, here.media, here.settings, loaded, request.spec)
    who = identities.description(request.spec.dump())
    planned, left_out = list[PlannedProposal](), Counter(request.free.left_out)
    for unit in request.free.units:
        if request.limit is not None and len(planned) == request.limit:
            left_out[BEYOND] += 1
            continue
        if unit.dimension is not None and request.dimension not in (None, unit.dimension):
            left_out[OTHER] += 1
            continue
        dimension, situation = _about(request, unit)
        if dimension is None:
            left_out[NO_TASK] += 1
            continue
        text = proposal_reply.question(
            request.prompt,
            loaded.schema_,
            dimension,
            situation=situation.text if situation is not None else "",
            guideline=loaded.guideline_text,
        )
        key = sha256("\n".join([who, *unit.files, text]).encode())
        read = partial(proposal_reply.read_reply, schema=loaded.schema_, dimension=dimension)
        subject = Subject(unit.name, text, key, read, _failed, partial(shown, unit))
        planned.append(PlannedProposal(unit, dimension, situation, subject))
    return planned, dict(left_out)


def _failed(fault: Fault) -> ProposalReply:
    return ProposalReply(faults=(fault,))


def _about(request: ProposalRequest, unit: Unit) -> tuple[str | None, Situation | None]:
    """Return the dimension and the situation for an image. The dimension is None if no task fits."""
    every = [each.id for each in request.free.loaded.schema_.dimensions]
    wanted = unit.dimension or request.dimension or (every[0] if len(every) == 1 else None)
    if request.plan is None:
        if wanted is None:
            why = f"Give --dimension: some images are for any dimension. There are {', '.join(every)}."
            raise InvalidInput([Problem("dimension", why)])
        return wanted, None
    found = seed_tasks.chosen(request.plan.situations, dimension=wanted, seed=request.seed, about=unit.asset)
    if found is None:
        return None, None
    if wanted is None and found.dimension is None:
        why = f"Give --dimension, or `dimension` of the task {found.task!r}: some images are for any dimension."
        raise InvalidInput([Problem("dimension", why)])
    return wanted or found.dimension, found


def dry(request: ProposalRequest, here: Resources) -> tuple[list[Question], int]:
    """Return the open questions, and the number of images that need no further request."""
    planned, _ = prepared(request, here)
    subjects = [proposal.subject for proposal in planned]
    strict_questions.recall(subjects, reply_journal.read_journal(request.result.beside("asked.jsonl"), PROPOSALS))
    left = [subject for subject in subjects if subject.is_open(request.tries)]
    return [each.question(at, shown=at < 3) for at, each in enumerate(left)], len(subjects) - len(left)


def make(
    request: ProposalRequest, here: Resources, *, stop: Callable[[], bool], tell: Callable[[str, ProposalReply], None]
) -> RunResult:
    """Ask the model about each open image and write the proposals, with a file that tells how they were made.

    Raises
    ------
    Conflict
        Another command does the same, or the proposals were changed since they were written.
    """
    planned, left_out = prepared(request, here)
    with reply_journal.opened(request.result.beside("asked.jsonl"), PROPOSALS) as journal:
        run = RunResult(planned, left_out, journal.broken)
        strict_questions.recall(run.subjects, journal)
        run.before = sum(not subject.is_open(request.tries) for subject in run.subjects)
        ours = request.result.must_be_ours(_file(request, run.proposed))
        try:
            if run.before < len(planned):
                way = QuestionSettings(request.spec, request.tries, "image")
                strict_questions.ask(way, run.subjects, journal, here.settings, stop=stop, tell=tell)
        except RunStopped as error:
            run.stopped = str(error)
        request.result.must_be_ours(_file(request, run.proposed), ours)
        request.result.write(_file(request, run.proposed), _made(request, run, journal))
    return run


def _file(request: ProposalRequest, planned: Sequence[PlannedProposal]) -> bytes:
    """Return the proposal file, with one line for each proposal."""
    schema = request.free.loaded.schema_
    head = {"made_by": MADE_BY, "project": request.project, "schema": schema.name, "version": schema.version}
    head |= {"model": request.spec.name}
    opening = json.dumps(head, ensure_ascii=False)[:-1]
    records = ",\n".join(json.dumps(_record(each), ensure_ascii=False) for each in planned)
    return f'{opening}, "proposals": [\n{records}\n]}}\n'.encode()


def _record(proposal: PlannedProposal) -> dict[str, Any]:
    said, about = proposal.subject.said, proposal.situation
    task = {"task": about.task, "subtask": about.subtask} if about is not None else {}
    return {
        "asset": proposal.unit.asset,
        "image": proposal.unit.name,
        "sha256": list(proposal.unit.files),
        "dimension": proposal.dimension,
        **task,
        "fields": dict(said.fields) if said is not None else {},
    }


def _made(request: ProposalRequest, run: RunResult, journal: Journal) -> dict[str, Any]:
    """Return how the proposals were made."""
    generation, loaded = request.spec.generation, request.free.loaded
    situations = Counter(
        f"{proposal.situation.task} / {proposal.situation.subtask}"
        for proposal in run.proposed
        if proposal.situation is not None
    )
    return {
        "project": request.project,
        "schema": {"name": loaded.schema_.name, "version": loaded.schema_.version, "hash": loaded.hash},
        "inputs": [{"path": request.plan.path, "sha256": request.plan.sha256}] if request.plan is not None else [],
        "settings": {
            "model": request.spec.dump(),
            "temperature": generation.temperature,
            "seed": generation.seed,
            "prompt": request.prompt,
            "prompt_sha256": sha256(request.prompt.encode()),
            "dimension": request.dimension,
            "limit": request.limit,
            "situations_drawn_by": request.seed,
            "tries": request.tries,
        },
        "asked_by": [line["about"] for line in journal.lines if line.get("record") == "session"],
        "fields": [each.name for each in proposal_reply.asked_fields(loaded.schema_)],
        "fields_left_to_people": [each.name for each in proposal_reply.left_fields(loaded.schema_)],
        "counts": run.figures(),
        "situations": dict(sorted(situations.items())),
        "failures": strict_questions.failure_rows(run.subjects, "images"),
        "left_out": [{"image": name, "why": why, "said": said} for name, why, said in run.without()],
    }
