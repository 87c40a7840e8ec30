"""A model behind an endpoint asked about many things in one strict form: each request kept before anything follows from
it, what could not be taken asked again with what was wrong, what is known not asked at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from app.reply_journal import Journal, Line
from domain import strict_json
from domain.errors import ModelRefused
from domain.runs import NO_REQUEST, Attempt, Budgeted, Outcome, Picture, Question
from domain.settings import Settings
from domain.strict_json import Fault
from workflow.runs import model_descriptions
from workflow.runs.model_descriptions import ModelSpec


class Reading(Protocol):
    """What a reply comes to."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Why it is not taken; none: it is."""


R = TypeVar("R", bound=Reading)


@dataclass
class Subject(Generic[R]):
    """What is asked about one thing, and what came of it so far."""

    name: str
    text: str
    key: str
    """The same for the same question to the same model: whatever it replied holds for this."""
    read: Callable[[str], R]
    """What a whole reply comes to."""
    failed: Callable[[Fault], R]
    """What a request comes to that brought no whole reply."""
    pictures: Callable[[], Sequence[Picture] | str] = tuple
    """What is shown with the text; a sentence where it cannot be shown."""
    heard: list[tuple[Line, tuple[Fault, ...]]] = field(default_factory=list)
    """Every request with what was wrong with its reply."""
    said: R | None = None
    """The first reply that could be taken."""
    faults: tuple[Fault, ...] = ()
    """Of the last reply."""
    tried: int = 0
    """Replies that came; a request that brought none is not the model's doing."""
    silent: bool = False
    """No reply came in this run."""

    def hear(self, line: Line, said: R) -> None:
        """One more request has ended, and comes to this."""
        self.heard.append((line, said.faults))
        if Outcome(line["outcome"]).replied:
            self.tried += 1
            self.faults = said.faults
        if not said.faults and self.said is None:
            self.said = said

    def taken(self, line: Line) -> R:
        """What a request comes to."""
        outcome = Outcome(line["outcome"])
        if outcome is not Outcome.ANSWERED:
            what = "The reply was cut off before its end: be brief." if outcome is Outcome.TRUNCATED else line["error"]
            return self.failed(Fault(outcome.label, what))
        if fault := strict_json.too_long(line["characters"]):
            return self.failed(fault)
        return self.read(line["text"])

    def is_open(self, tries: int) -> bool:
        """Whether it is still to be asked about."""
        return self.said is None and self.tried < tries and not self.silent

    def question(self, at: int, *, shown: bool = True) -> Question:
        """What is asked next; without its pictures unless they are to be ``shown``."""
        text = strict_json.asked_again(self.text, self.faults) if self.faults else self.text
        pictures = self.pictures() if shown else ()
        if isinstance(pictures, str):
            return Question(at, self.name, "", (), cannot=pictures)
        return Question(at, self.name, "", (*pictures, text))

    def why_none(self) -> str:
        """Why it has nothing, where no reply could be taken."""
        if not self.heard:
            return "it was not asked about"
        return f"{self.tried} replies, none of which could be taken" if self.tried else "no reply came"


@dataclass(frozen=True)
class Way:
    """How it is asked."""

    spec: ModelSpec
    tries: int
    noun: str
    """What a subject is, as the key of its name in the journal."""


def described(spec: ModelSpec, *, longest: int, form: dict[str, Any] | None, name: str) -> ModelSpec:
    """The model as it is asked: by what it is likeliest to say, unless it says otherwise, and with room for a reply;
    with a ``form`` (JSON Schema) of that ``name`` held to it by its server."""
    spec = spec.with_defaults(temperature=None, max_tokens=longest)
    if form is None:
        return spec
    response_format = {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": form}}
    return spec.model_copy(
        update={"generation": spec.generation.model_copy(update={"response_format": response_format})}
    )


def must_be_endpoint(spec: ModelSpec, what: str) -> None:
    """Refuse a model that is loaded here."""
    if spec.endpoint is None:
        raise ModelRefused(f"{spec.name} is no endpoint; {what} are asked of a model behind one.")


def recall(subjects: Sequence[Subject[R]], journal: Journal) -> None:
    """Take what was replied before."""
    of_key = {subject.key: subject for subject in subjects}
    for line in journal.replies:
        if (subject := of_key.get(str(line.get("key")))) is not None:
            subject.hear(line, subject.taken(line))


def ask(
    way: Way,
    subjects: Sequence[Subject[R]],
    journal: Journal,
    settings: Settings,
    *,
    stop: Callable[[], bool],
    tell: Callable[[str, R], None],
) -> None:
    """Ask about everything that is left, then once more about that whose reply could not be taken, and so on.

    Raises
    ------
    RunStopped
        Asking further makes no sense.
    """

    def heard(attempt: Attempt) -> None:
        subject = subjects[attempt.unit_id]
        line = _line(way.noun, subject, attempt)
        said = subject.taken(line)
        journal.add({**line, "faults": [fault._asdict() for fault in said.faults]})
        subject.hear(line, said)
        subject.silent = attempt.final and not attempt.outcome.replied
        tell(subject.name, said)

    answerer = model_descriptions.opened(way.spec, settings)
    try:
        journal.add({"record": "session", "model": way.spec.dump(), "about": dict(answerer.about)})
        if isinstance(answerer, Budgeted):
            sent = [line for line in journal.replies if Outcome(line["outcome"]) not in NO_REQUEST]
            answerer.spent(len(sent), sum(line["cost"] or 0.0 for line in sent))
        for _ in range(way.tries):
            left = [subject.question(at) for at, subject in enumerate(subjects) if subject.is_open(way.tries)]
            if not left or stop():
                return
            answerer.answer(left, tell=heard, stop=stop)
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
    """Replies that were not taken, by every kind of what is wrong with them: about which subject, each."""
    found: dict[str, list[str]] = {}
    for subject in subjects:
        for _, faults in subject.heard:
            for kind in dict.fromkeys(fault.kind for fault in faults):
                found.setdefault(kind, []).append(subject.name)
    return found


def failure_rows(subjects: Sequence[Subject[R]], nouns: str) -> list[dict[str, Any]]:
    """The same for a manifest; ``nouns`` is what subjects are called there."""
    return [{"kind": kind, "replies": len(of), nouns: of[:5]} for kind, of in sorted(failures(subjects).items())]


def requests(subjects: Sequence[Subject[R]]) -> int:
    """How many were sent."""
    return sum(Outcome(line["outcome"]) not in NO_REQUEST for subject in subjects for line, _ in subject.heard)


def usage(subjects: Sequence[Subject[R]]) -> dict[str, Any]:
    """Tokens and cost."""
    lines = [line for subject in subjects for line, _ in subject.heard]
    costs = [line["cost"] for line in lines if line["cost"] is not None]
    return {
        "tokens_in": sum(line["tokens_in"] or 0 for line in lines),
        "tokens_out": sum(line["tokens_out"] or 0 for line in lines),
        "cost": sum(costs) if costs else None,
    }
