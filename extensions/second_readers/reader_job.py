"""The job ``second_reader``: a language model is asked about the answers that the rules cannot read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from domain.english import with_noun
from domain.states import Items
from extensions.second_readers import second_reader
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome
from workflow.runs import model_descriptions
from workflow.runs.model_descriptions import ModelSpec


@dataclass(frozen=True)
class ReaderRequest:
    """The input of a job."""

    project: str
    spec: ModelSpec
    models: tuple[str, ...] | None
    """Only these models' answers; None for all models."""
    items: Items | None
    limit: int | None
    """The most questions of the job."""


def _read_again(context: JobContext) -> JobOutcome:
    """Ask about the rest. The job notes how many questions it has asked, so its limit holds over all its processes."""
    request: ReaderRequest = context.input
    before: int = context.job.result or 0

    def tell(asked: int, of: int) -> None:
        if request.limit is not None:
            context.note(before + asked)
        if not context.stop():  # progress would end the job before the replies that are under way
            context.progress("Answers read", asked, of)

    done = second_reader.read_again(
        context.store,
        by=context.by,
        project=request.project,
        spec=request.spec,
        open_=lambda described: model_descriptions.opened(described, context.settings),
        models=request.models,
        items=request.items,
        limit=None if request.limit is None else max(request.limit - before, 0),
        stop=context.stop,
        tell=tell,
    )
    leaves = context.stop() and not context.canceled()
    sentence = f"{with_noun(done.asked + before, 'question')}: {with_noun(done.read, 'answer')} read."
    return JobOutcome(sentence, replace(done, asked=done.asked + before), again_in=timedelta() if leaves else None)


SECOND_READER = JobKind("second_reader", "Second reader", "Reading answers of {} again", _read_again)
