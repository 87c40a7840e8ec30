"""The job ``proposals``: a model is asked for items about the free images of a pool, and proposals go into a file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from db.engine import Store
from domain.errors import InvalidFileError, InvalidInputError, ModelError, Problem
from domain.settings import Settings
from domain.strict_json import Fault
from extensions.drafting import proposal_reply, seed_tasks
from extensions.drafting.free_images import FreeImages, PictureMaker, Unit, free_images
from extensions.drafting.proposal_reply import ProposalReply
from extensions.drafting.seed_task_file import TaskPlan, read_plan
from extensions.drafting.seed_tasks import Situation
from media.store import MediaStore
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome
from workflow.runs import identities, strict_questions
from workflow.runs.model_descriptions import ModelSpec
from workflow.runs.reply_journal import JournalKind
from workflow.runs.result_file import ResultFile, sha256
from workflow.runs.strict_questions import Inquiry, Subject

LONGEST_ANSWER = 4096
"""The maximum number of tokens of a reply, if the model's description has none."""
MADE_BY = "touchstone drafting"
NO_TASK = "the file has no seed task for the dimension"
OTHER = "the images are for another dimension"
BEYOND = "beyond --limit"
DECLINED = "the model says that the image does not allow such an item"


@dataclass(frozen=True)
class ProposalRequest:
    """The input of a job. Its paths are absolute, because any process of the machine may continue the job."""

    project: str
    spec: ModelSpec
    prompt: str
    tasks: Path | None
    """The file of seed tasks."""
    dimension: str | None
    limit: int | None
    seed: int
    tries: int
    out: Path


@dataclass(frozen=True)
class PlannedProposal:
    """An image and the request to the model about it."""

    unit: Unit
    dimension: str
    situation: Situation | None
    subject: Subject[ProposalReply]


@dataclass
class ProposalInquiry(Inquiry[ProposalReply]):
    """The request about each image, and the proposals of the replies."""

    request: ProposalRequest
    free: FreeImages
    plan: TaskPlan | None
    planned: list[PlannedProposal]
    left_out: dict[str, int]
    """The number of images that the model is not asked about, by reason."""

    noun, wanted = "image", "proposal"
    journal = JournalKind("touchstone drafting make", "proposed items")

    @property
    def proposed(self) -> list[PlannedProposal]:
        """Return the images with a proposal."""
        return [
            proposal for proposal in self.planned if proposal.subject.said is not None and proposal.subject.said.fields
        ]

    @property
    def n(self) -> int:
        """Return the number of proposals."""
        return len(self.proposed)

    def words(self, said: ProposalReply) -> str:
        """Return whether a reply has a proposal."""
        return "a proposal" if said.fields else f"none: {said.why_not[:200]}"

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
            reply = proposal.subject.said
            if reply is None:
                yield proposal.unit.name, proposal.subject.why_none(), [fault.what for fault in proposal.subject.faults]
            elif not reply.fields:
                yield proposal.unit.name, DECLINED, [reply.why_not]

    def file(self) -> bytes:
        """Return the proposal file, with one line for each proposal."""
        schema = self.free.loaded.schema_
        head = {"made_by": MADE_BY, "project": self.request.project, "schema": schema.name, "version": schema.version}
        head |= {"model": self.request.spec.name}
        opening = json.dumps(head, ensure_ascii=False)[:-1]
        records = ",\n".join(json.dumps(_record(proposal), ensure_ascii=False) for proposal in self.proposed)
        return f'{opening}, "proposals": [\n{records}\n]}}\n'.encode()

    def made(self) -> dict[str, Any]:
        """Return how the proposals were made."""
        request, plan, loaded = self.request, self.plan, self.free.loaded
        generation = request.spec.generation
        situations = Counter(
            f"{proposal.situation.task} / {proposal.situation.subtask}"
            for proposal in self.proposed
            if proposal.situation is not None
        )
        return {
            "project": request.project,
            "schema": {"name": loaded.schema_.name, "version": loaded.schema_.version, "hash": loaded.hash},
            "inputs": [{"path": Path(plan.path).name, "sha256": plan.sha256}] if plan is not None else [],
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
            "fields": [field.name for field in proposal_reply.asked_fields(loaded.schema_)],
            "fields_left_to_people": [field.name for field in proposal_reply.left_fields(loaded.schema_)],
            "counts": self.figures(),
            "situations": dict(sorted(situations.items())),
            "failures": strict_questions.failure_rows(self.subjects, "images"),
            "left_out": [{"image": name, "why": why, "said": problems} for name, why, problems in self.without()],
        }


def _record(proposal: PlannedProposal) -> dict[str, Any]:
    reply, about = proposal.subject.said, proposal.situation
    task = {"task": about.task, "subtask": about.subtask} if about is not None else {}
    return {
        "asset": proposal.unit.asset,
        "image": proposal.unit.name,
        "sha256": list(proposal.unit.files),
        "dimension": proposal.dimension,
        **task,
        "fields": dict(reply.fields) if reply is not None else {},
    }


def described(spec: ModelSpec, free: FreeImages, constrain: bool) -> ModelSpec:
    """Return the model's description for these requests. With ``constrain`` its server enforces the form."""
    form = proposal_reply.json_schema(free.loaded.schema_) if constrain else None
    return strict_questions.described(spec, longest=LONGEST_ANSWER, form=form, name="item")


def prepared(
    request: ProposalRequest, free: FreeImages, store: Store, media: MediaStore, settings: Settings
) -> ProposalInquiry:
    """Return the request about each of the free images.

    Raises
    ------
    InvalidInputError, InvalidFileError, ModelError
        An option, the prompt, the schema or the model does not fit.
    """
    strict_questions.must_be_endpoint(request.spec, "items")
    if request.spec.modality == "text":
        raise ModelError(
            f"{request.spec.name} cannot see images (`modality: text`), but items are about images. "
            "Choose another model."
        )
    if problem := proposal_reply.lacking(request.prompt):
        raise InvalidFileError(f"The prompt {problem}.")
    loaded = free.loaded
    known = [dimension.id for dimension in loaded.schema_.dimensions]
    if request.dimension not in (None, *known):
        message = f"Unknown dimension {request.dimension!r}. Choose a dimension: {', '.join(known)}."
        raise InvalidInputError([Problem("dimension", message)])
    plan = read_plan(request.tasks, known) if request.tasks is not None else None
    if not proposal_reply.asked_fields(loaded.schema_):
        raise InvalidInputError(
            [
                Problem(
                    "project",
                    "A model cannot write any field of this schema. Add a field for text, numbers or options.",
                )
            ]
        )
    shown = PictureMaker(store, media, settings, loaded, request.spec)
    who = identities.description(request.spec.dump())
    planned, left_out = list[PlannedProposal](), Counter(free.left_out)
    for unit in free.units:
        if request.limit is not None and len(planned) == request.limit:
            left_out[BEYOND] += 1
            continue
        if unit.dimension is not None and request.dimension not in (None, unit.dimension):
            left_out[OTHER] += 1
            continue
        dimension, situation = _about(request, plan, unit, known)
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
    result = ResultFile(request.out, MADE_BY)
    subjects = [proposal.subject for proposal in planned]
    return ProposalInquiry(subjects, request.spec, request.tries, result, request, free, plan, planned, dict(left_out))


def _failed(fault: Fault) -> ProposalReply:
    return ProposalReply(faults=(fault,))


def _about(
    request: ProposalRequest, plan: TaskPlan | None, unit: Unit, every: list[str]
) -> tuple[str | None, Situation | None]:
    """Return the dimension and the situation for an image. The dimension is None if no task fits."""
    wanted = unit.dimension or request.dimension or (every[0] if len(every) == 1 else None)
    if plan is None:
        if wanted is None:
            why = f"Give --dimension, because some images fit any dimension. Choose a dimension: {', '.join(every)}."
            raise InvalidInputError([Problem("dimension", why)])
        return wanted, None
    situation = seed_tasks.chosen(plan.situations, dimension=wanted, seed=request.seed, about=unit.asset)
    if situation is None:
        return None, None
    if wanted is None and situation.dimension is None:
        why = (
            f"Give --dimension, or add `dimension` to the task {situation.task!r}, because some images fit any "
            "dimension."
        )
        raise InvalidInputError([Problem("dimension", why)])
    return wanted or situation.dimension, situation


def _propose(context: JobContext) -> JobOutcome:
    """Ask the model, and write the proposals; a known reply is not asked for again."""
    request: ProposalRequest = context.input
    store, media = context.store, context.media
    free = free_images(store, by=context.by, project=request.project)
    return strict_questions.carry_out(context, prepared(request, free, store, media, context.settings))


PROPOSALS = JobKind("proposals", "Proposals", "Asking a model to draft items for {}", _propose)
