"""The work of jobs that ask a model behind an endpoint about many subjects, with replies in one strict form.

Each reply is written to a journal before it is used. After a faulty reply, the question is asked again with its faults.
A question whose reply the journal has is not asked again, so a job goes on wherever its process ended.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from domain import strict_json
from domain.english import with_noun
from domain.errors import ModelError, RunStoppedError
from domain.runs import NO_REQUEST, Attempt, BudgetedAnswerer, Outcome, Picture, Question
from domain.strict_json import Fault
from workflow.jobs.kinds import JobContext, JobFailure, JobOutcome
from workflow.runs import model_descriptions, reply_journal
from workflow.runs.model_descriptions import ModelSpec
from workflow.runs.reply_journal import Journal, JournalKind, Line
from workflow.runs.result_file import ResultFile

LISTED = 20
"""Number of subjects without a result that a summary names."""


class ParsedReply(Protocol):
    """The content of a reply, or its faults."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Return the faults of the reply; a reply without faults is taken."""


R = TypeVar("R", bound=ParsedReply)


@dataclass
class Subject(Generic[R]):
    """One thing that the model is asked about, and its replies so far."""

    name: str
    text: str
    key: str
    """Key of the question and the model; a reply with this key answers this question."""
    read: Callable[[str], R]
    """Parses a whole reply."""
    failed: Callable[[Fault], R]
    """Returns the result of a request without a whole reply."""
    pictures: Callable[[], Sequence[Picture] | str] = tuple
    """Return the pictures for the text, or a sentence with the reason why they cannot be shown."""
    heard: list[tuple[Line, tuple[Fault, ...]]] = field(default_factory=list)
    """Every request, with the faults of its reply."""
    said: R | None = None
    """The first reply without faults."""
    faults: tuple[Fault, ...] = ()
    """Faults of the last reply."""
    tried: int = 0
    """Number of replies; requests without a reply do not count."""
    silent: bool = False
    """Whether no reply came in this run."""

    def hear(self, line: Line, said: R, *, silent: bool = False) -> None:
        """Add the result of a request."""
        self.heard.append((line, said.faults))
        self.silent = silent
        if Outcome(line["outcome"]).replied:
            self.tried += 1
            self.faults = said.faults
        if not said.faults and self.said is None:
            self.said = said

    def taken(self, line: Line) -> R:
        """Return the result of a request."""
        outcome = Outcome(line["outcome"])
        if outcome is not Outcome.ANSWERED:
            what = "The reply was cut off before its end: be brief." if outcome is Outcome.TRUNCATED else line["error"]
            return self.failed(Fault(outcome.label, what))
        if fault := strict_json.too_long(line["characters"]):
            return self.failed(fault)
        return self.read(line["text"])

    def is_open(self, tries: int) -> bool:
        """Return whether the subject has to be asked again."""
        return self.said is None and self.tried < tries and not self.silent

    def question(self, at: int, *, shown: bool = True) -> Question:
        """Return the next question; its pictures are left out unless they are ``shown``."""
        text = strict_json.asked_again(self.text, self.faults) if self.faults else self.text
        pictures = self.pictures() if shown else ()
        if isinstance(pictures, str):
            return Question(at, self.name, "", (), cannot=pictures)
        return Question(at, self.name, "", (*pictures, text))

    def why_none(self) -> str:
        """Return why the subject has no reply without faults."""
        if not self.heard:
            return "no question was sent"
        if not self.tried:
            return "no reply came"
        return "1 reply, which is invalid" if self.tried == 1 else f"{self.tried:,} replies, all invalid"


@dataclass(frozen=True)
class InquirySummary:
    """What came of a job: the counts, and the first subjects without a result."""

    n: int
    """Number of results."""
    before: int
    """Number of subjects that were not asked about, because their replies were known."""
    broken: int
    """Number of unreadable lines in the journal."""
    figures: Mapping[str, Any]
    """The counts; None is unknown."""
    failures: Mapping[str, tuple[int, str]]
    """Number of faulty replies by kind of fault, with the first subject."""
    without: Sequence[tuple[str, str, str]]
    """Subjects without a result: name, reason, and the first detail."""
    n_without: int


@dataclass
class Inquiry(ABC, Generic[R]):
    """Subjects that a model is asked about, and the file that its replies become."""

    subjects: list[Subject[R]]
    spec: ModelSpec
    tries: int
    """How often the model is asked about each subject."""
    result: ResultFile

    noun: ClassVar[str]
    """Kind of subject, which is the key of its name in the journal."""
    wanted: ClassVar[str]
    """Noun of a result."""
    journal: ClassVar[JournalKind]

    @property
    @abstractmethod
    def n(self) -> int:
        """Return the number of results."""

    @abstractmethod
    def figures(self) -> dict[str, Any]:
        """Return the counts; None is unknown."""

    @abstractmethod
    def without(self) -> Iterator[tuple[str, str, list[str]]]:
        """Yield the subjects without a result: name, reason, and details."""

    @abstractmethod
    def words(self, said: R) -> str:
        """Return in a few words what a reply brought."""

    @abstractmethod
    def file(self) -> bytes:
        """Return the file with the results so far."""

    @abstractmethod
    def made(self) -> dict[str, Any]:
        """Return how the results were made, for the manifest."""

    def left(self) -> list[Subject[R]]:
        """Return the subjects that have to be asked about."""
        return [subject for subject in self.subjects if subject.is_open(self.tries)]

    def look(self) -> list[Subject[R]]:
        """Take in the replies that the journal has, and return the subjects that have to be asked about."""
        recall(self.subjects, reply_journal.read_journal(self.result.beside(JOURNAL), self.journal))
        return self.left()

    def summary(self, before: int, broken: int) -> InquirySummary:
        """Return what came of it."""
        failed = {kind: (len(names), names[0]) for kind, names in failures(self.subjects).items()}
        without = [(name, why, details[0] if details else "") for name, why, details in self.without()]
        return InquirySummary(self.n, before, broken, self.figures(), failed, without[:LISTED], len(without))


JOURNAL = "asked.jsonl"
"""The end of the journal's name."""


def described(spec: ModelSpec, *, longest: int, form: dict[str, Any] | None, name: str) -> ModelSpec:
    """Return the model's description with defaults: its likeliest reply, of at most ``longest`` tokens.

    With a ``form`` (JSON Schema) of that ``name``, the server enforces the form.
    """
    spec = spec.with_defaults(temperature=None, max_tokens=longest)
    if form is None:
        return spec
    response_format = {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": form}}
    return spec.model_copy(
        update={"generation": spec.generation.model_copy(update={"response_format": response_format})}
    )


def must_be_endpoint(spec: ModelSpec, what: str) -> None:
    """Raise ``ModelError`` for a model that is loaded on this machine."""
    if spec.endpoint is None:
        raise ModelError(f"{spec.name} is not an endpoint. Choose a model at an endpoint for {what}.")


def recall(subjects: Sequence[Subject[R]], journal: Journal) -> None:
    """Add the replies of a journal to their subjects."""
    of_key = {subject.key: subject for subject in subjects}
    for line in journal.replies:
        if (subject := of_key.get(str(line.get("key")))) is not None:
            subject.hear(line, subject.taken(line))


def carry_out(context: JobContext, inquiry: Inquiry[R]) -> JobOutcome:
    """Ask about all open subjects, and write the results with how they were made.

    A job that is canceled, or whose process leaves, writes what there is. Whoever continues asks about the rest.

    Raises
    ------
    ConflictError
        Another process writes the same file, or someone changed the results after they were written.
    JobFailure
        Further questions would fail too. What there is was written.
    """
    subjects, result, stopped = inquiry.subjects, inquiry.result, ""
    with reply_journal.opened(result.beside(JOURNAL), inquiry.journal) as journal:
        recall(subjects, journal)
        before = len(subjects) - len(inquiry.left())
        ours = result.must_be_ours(inquiry.file())
        try:
            if before < len(subjects):
                _ask(context, inquiry, journal)
        except RunStoppedError as error:
            stopped = str(error)
        result.must_be_ours(inquiry.file(), ours)
        asked_by = [line["about"] for line in journal.lines if line.get("record") == "session"]
        result.write(inquiry.file(), {**inquiry.made(), "asked_by": asked_by})
        summary = inquiry.summary(before, journal.broken)
    if stopped:
        raise JobFailure(stopped, summary)
    n, left = with_noun(summary.n, inquiry.wanted), len(inquiry.left())
    if not left or not context.stop():
        return JobOutcome(f"{n} at {result.out}.", summary)
    sentence = f"{n} at {result.out}. {with_noun(left, inquiry.noun)} left to ask about. Run the same command again."
    return JobOutcome(sentence, summary, again_in=None if context.canceled() else timedelta())


def _ask(context: JobContext, inquiry: Inquiry[R], journal: Journal) -> None:
    """Ask about all open subjects, then again about subjects with faulty replies, until the tries are used up."""
    subjects = inquiry.subjects

    def heard(attempt: Attempt) -> None:
        subject = subjects[attempt.unit_id]
        line = _line(inquiry.noun, subject, attempt)
        reply = subject.taken(line)
        journal.add({**line, "faults": [fault._asdict() for fault in reply.faults]})
        subject.hear(line, reply, silent=attempt.final and not attempt.outcome.replied)
        if not context.stop():  # progress would end the job before the replies that are under way
            fault = f"{reply.faults[0].kind}: {reply.faults[0].what}" if reply.faults else ""
            sentence = f"{subject.name}: {fault or inquiry.words(reply)}"
            context.progress(sentence, len(subjects) - len(inquiry.left()), len(subjects))

    answerer = model_descriptions.opened(inquiry.spec, context.settings)
    try:
        journal.add({"record": "session", "model": inquiry.spec.dump(), "about": dict(answerer.about)})
        if isinstance(answerer, BudgetedAnswerer):
            sent = [line for line in journal.replies if Outcome(line["outcome"]) not in NO_REQUEST]
            answerer.spent(len(sent), sum(line["cost"] or 0.0 for line in sent))
        for _ in range(inquiry.tries):
            left = [subject.question(at) for at, subject in enumerate(subjects) if subject.is_open(inquiry.tries)]
            if not left or context.stop():
                return
            answerer.answer(left, tell=heard, stop=context.stop)
    finally:
        answerer.close()


def _line(noun: str, subject: Subject[R], attempt: Attempt) -> dict[str, Any]:
    return {
        "record": "reply",
        "key": subject.key,
        noun: subject.name,
        "outcome": attempt.outcome.value,
        "final": attempt.final,
        "text": attempt.text[: strict_json.LONGEST],
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


# ---- what came of it ------------------------------------------------------------------------------------------------


def failures(subjects: Sequence[Subject[R]]) -> dict[str, list[str]]:
    """Return the subjects of faulty replies, by kind of fault."""
    by_kind: dict[str, list[str]] = {}
    for subject in subjects:
        for _, faults in subject.heard:
            for kind in dict.fromkeys(fault.kind for fault in faults):
                by_kind.setdefault(kind, []).append(subject.name)
    return by_kind


def failure_rows(subjects: Sequence[Subject[R]], nouns: str) -> list[dict[str, Any]]:
    """Return the faulty replies for a manifest; ``nouns`` is the key of the subjects."""
    return [{"kind": kind, "replies": len(of), nouns: of[:5]} for kind, of in sorted(failures(subjects).items())]


def requests(subjects: Sequence[Subject[R]]) -> int:
    """Return the number of sent requests."""
    return sum(Outcome(line["outcome"]) not in NO_REQUEST for subject in subjects for line, _ in subject.heard)


def usage(subjects: Sequence[Subject[R]]) -> dict[str, Any]:
    """Return the number of tokens and the cost."""
    lines = [line for subject in subjects for line, _ in subject.heard]
    costs = [line["cost"] for line in lines if line["cost"] is not None]
    return {
        "tokens_in": sum(line["tokens_in"] or 0 for line in lines),
        "tokens_out": sum(line["tokens_out"] or 0 for line in lines),
        "cost": sum(costs) if costs else None,
    }
