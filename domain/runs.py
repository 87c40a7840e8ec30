"""Records of runs, in which a model or a judge is asked about many items: questions, attempts and progress.

The workflow, which knows items and media, exchanges these records with the modules that know models and endpoints.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypeVar, runtime_checkable

TWO_STEPS = "two_steps"
"""The strategy in which a model is asked twice. The second question contains its first answer."""


class RunState(StrEnum):
    """The state of a run."""

    WAITING = "waiting"
    """No worker has started on it."""
    RUNNING = "running"
    BATCH = "batch"
    """Its questions are submitted as batch files; workers leave it alone."""
    PAUSED = "paused"
    STOPPED = "stopped"
    """The run stopped early because of an error (a wrong key, a model that does not load). It can be resumed."""
    CANCELLED = "cancelled"
    """A person ended the run for good. The answers so far are kept."""
    DONE = "done"


OPEN = frozenset({RunState.WAITING, RunState.RUNNING})
"""States in which a worker may take chunks of a run."""
RESUMABLE = frozenset({RunState.PAUSED, RunState.STOPPED})


class _OutcomeRow(NamedTuple):
    """A row of ``Outcome``."""

    value: str
    label: str
    meaning: str
    why_none: str = ""
    style: str = "failing"
    replied: bool = False
    silent: bool = False


class Outcome(StrEnum):
    """The outcome of one request, in the order of bars and lists.

    Only ``ANSWERED`` and ``TRUNCATED`` hold an answer. No outcome counts as an empty answer.
    """

    label: str
    """The name on pages."""
    meaning: str
    """The meaning as a sentence, for the reference."""
    why_none: str
    """The reason why there is no answer, in the words of results; empty if there is an answer, or if the request
    continues.
    """
    style: str
    """The color in a bar: a key of ``app.running.shown.STYLE``."""
    replied: bool
    """Whether the model replied. Sending the same request again would cost the same and give the same reply."""
    silent: bool
    """Whether the model was asked and gave no answer, which counts like an unreadable one. If False without an answer,
    it is unknown how the model would have answered.
    """

    def __new__(cls, *row: Any) -> Outcome:
        entry = _OutcomeRow(*row)
        made = str.__new__(cls, entry.value)
        made._value_ = entry.value
        made.label, made.meaning, made.why_none, made.style = entry.label, entry.meaning, entry.why_none, entry.style
        made.replied, made.silent = entry.replied, entry.silent
        return made

    ANSWERED = _OutcomeRow("answered", "answered", "The model gave an answer.", style="answered", replied=True)
    TRUNCATED = _OutcomeRow(
        "truncated",
        "cut at maximum length",
        "The answer reached the maximum length. Touchstone keeps and grades the incomplete answer.",
        style="truncated",
        replied=True,
    )
    CALLED = _OutcomeRow("called", "asked for tools", "The model asked for tools, and the conversation continues.")
    STEP = _OutcomeRow(
        "step",
        "intermediate step",
        "An intermediate step, such as the likelihood of one option.",
    )
    EMPTY = _OutcomeRow(
        "empty",
        "answered with nothing",
        "The model sent an empty answer.",
        "the model sent an empty answer",
        replied=True,
        silent=True,
    )
    ONLY_REASONING = _OutcomeRow(
        "only_reasoning",
        "only reasoning",
        "The model gave only its reasoning, often because it reached the maximum length. Touchstone keeps the "
        "reasoning with the attempt.",
        "the model gave only its reasoning",
        replied=True,
        silent=True,
    )
    REFUSED = _OutcomeRow(
        "refused",
        "refused",
        "The endpoint reports a content filter or a refusal.",
        "refused",
        style="refused",
        replied=True,
        silent=True,
    )
    UNREADABLE = _OutcomeRow(
        "unreadable",
        "reply not readable",
        "The reply does not follow the protocol (for example, HTML or unexpected JSON).",
        "Touchstone could not read the reply",
    )
    TRANSPORT_ERROR = _OutcomeRow(
        "transport_error",
        "no reply",
        "The endpoint sent no reply (no connection, timeout, or HTTP status 400 or higher).",
        "the endpoint sent no reply",
    )
    NO_TOOL_RESULT = _OutcomeRow(
        "no_tool_result",
        "no stored tool result",
        "The model asked for an unknown tool, sent unreadable arguments, or asked for a tool without a stored "
        "result for the item.",
        "the model asked for a tool without a stored result",
    )
    TOOL_FAILED = _OutcomeRow(
        "tool_failed",
        "a tool failed",
        (
            "A tool took too long, failed, wrote too much text, or wrote no JSON. This attempt sends nothing "
            "to the model. The request is in the previous attempt."
        ),
        "a requested tool failed",
    )
    TOO_MANY_TURNS = _OutcomeRow(
        "too_many_turns",
        "too many turns",
        "The model asked for tools until it reached the maximum number of turns.",
        "the model asked for tools until it reached the turn limit",
    )
    FAILED = _OutcomeRow("failed", "failed", "The model raised an error on this item.", "the model raised an error")
    SKIPPED = _OutcomeRow(
        "skipped",
        "not asked",
        "Touchstone did not ask the model, because a part of the question is missing.",
        "Touchstone did not ask the model, because a part of the question was missing",
        style="skipped",
    )


ANSWERS = frozenset({Outcome.ANSWERED, Outcome.TRUNCATED})
NO_REQUEST = frozenset({Outcome.SKIPPED, Outcome.TOOL_FAILED})
"""Outcomes of attempts that sent no request to a model."""


@dataclass(frozen=True)
class Picture:
    """An image as a model gets it: upright and with the item's boxes and marks drawn, or a frame of a clip."""

    path: Path
    sha256: str
    """The hash of the bytes at ``path``, which are the bytes that were sent."""
    role: str = ""
    """The role of the asset in the item."""
    clip: int | None = None
    """The number of the clip that the frame belongs to; frames of a clip are in order. None for a still image."""
    time: float | None = None
    """For a frame: its time in the clip, in seconds."""


class FirstAnswer(str):
    """In a question with two steps: the placeholder for the answer to the first step. A preview shows the
    placeholder's text.
    """

    __slots__ = ()


@dataclass(frozen=True)
class Question:
    """One item as a model is asked about it."""

    unit_id: int
    """The item's id in the database (for judges: the prediction's)."""
    name: str
    """The item's external ID, which people see."""
    dimension: str
    parts: tuple[str | Picture, ...]
    """The user's turn: texts and pictures in order."""
    system: str | None = None
    options: tuple[str, ...] = ()
    """The item's options in the item's order, if options are ranked."""
    tools: Mapping[str, Any] | None = None
    """Stored tool results, if a text model asks for tools. Each tool name has a list of objects with ``arguments``
    (None: any arguments) and ``result``.
    """
    of_item: int | None = None
    """The ID of the item that the unit is about; None if the unit is the item."""
    prompt_type: Mapping[str, str] = field(default_factory=dict)
    """If prompts have several wordings: the ``name`` of the chosen wording and the ``hash`` of its texts."""
    cannot: str = ""
    """The reason why the question cannot be asked, as a sentence; empty if it can."""
    first: Question | None = None
    """The first question, if there are two steps. Its answer replaces each ``FirstAnswer``."""
    order: tuple[int, ...] = ()
    """The positions of the options in the item's order, if they are shown in another order."""

    @property
    def item_id(self) -> int:
        """Return the ID of the item that the question is about."""
        return self.unit_id if self.of_item is None else self.of_item

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """Return the pictures in order."""
        return tuple(part for part in self.parts if isinstance(part, Picture))

    @property
    def moments(self) -> list[tuple[int | None, float]]:
        """Return the clip number and the time in seconds of each picture that is a frame."""
        return [(picture.clip, picture.time) for picture in self.pictures if picture.time is not None]

    @property
    def text(self) -> str:
        """Return the texts of the user's turn, joined."""
        return "".join(part for part in self.parts if isinstance(part, str))

    @property
    def prompt_hash(self) -> str:
        """Return the SHA-256 of the whole question.

        It covers texts, options, tool results, the hashes of the pictures, and the first question.
        """
        parts = [part if isinstance(part, str) else {"sha256": part.sha256, "clip": part.clip} for part in self.parts]
        asked: dict[str, Any] = {"system": self.system, "parts": parts, "options": self.options, "tools": self.tools}
        if self.first is not None:
            asked["first"] = self.first.prompt_hash
        text = json.dumps(asked, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Attempt:
    """One request and its outcome. Every attempt is kept; the last attempt of a unit in a run counts."""

    unit_id: int
    outcome: Outcome
    text: str = ""
    """The whole reply; with ranked options, the best option."""
    final: bool = True
    """False if another attempt follows. If the run ends before it, the attempt follows when the run is resumed."""
    finish_reason: str | None = None
    tokens_in: int | None = None
    """The number of input tokens; None if it is not known (which differs from 0)."""
    tokens_out: int | None = None
    seconds: float | None = None
    """The time from the request to the answer; in a batch, the batch's time divided by its size."""
    waited: float = 0.0
    """Seconds of waiting before the request, after a failed attempt or because of a limit."""
    status: int | None = None
    """The HTTP status, if there is one."""
    error: str = ""
    """The error as a sentence. It never holds a key or a traceback."""
    request_id: str | None = None
    prompt_hash: str = ""
    image_hashes: tuple[str, ...] = ()
    cost: float | None = None
    """The cost in the currency of the price table; None if it is not known."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """JSON values: scores of options, the transcript of a tool loop, the raw reply, the size of the batch."""


class Answerer(Protocol):
    """A model that is loaded or connected and can be asked. Only one thread uses an answerer."""

    @property
    def about(self) -> Mapping[str, Any]:
        """Return the environment as JSON values.

        It names library versions, device, dtype, batch size, processor classes and the results of probing the
        endpoint.
        """

    def answer(
        self, questions: Sequence[Question], *, tell: Callable[[Attempt], None], stop: Callable[[], bool]
    ) -> None:
        """Ask the questions and pass each attempt to ``tell`` when it ends.

        The method returns early, with questions left, when ``stop`` returns True.

        Raises
        ------
        RunStoppedError
            Further requests are useless: the key is wrong, the quota is used up, or the budget is spent.
        """

    def close(self) -> None:
        """Release the resources that the model holds."""


class ToolFailure(Exception):
    """A tool was run but returned no usable result. The text is a sentence."""

    def __init__(self, why: str, sentence: str) -> None:
        super().__init__(sentence)
        self.why = why
        """In a word: ``timeout``, ``exit``, ``too_large``, ``no_json``, ...; ``stopped``: the run is."""


Tools = Callable[["Question", str, Mapping[str, Any]], Any]
"""A function that runs a tool for a question's item, with these arguments. It raises ``ToolFailure``."""


@runtime_checkable
class AsksTools(Protocol):
    """An answerer whose model asks for tools. If a result is not stored, the tool may be run."""

    def give_tools(self, tools: Tools) -> None:
        """Set the function that runs tools. Call it before ``answer``."""


@runtime_checkable
class BudgetedAnswerer(Protocol):
    """An answerer that ends a run before it exceeds its budget."""

    def spent(self, calls: int, cost: float) -> None:
        """Set the amount that all workers of the run have spent so far. Call it before ``answer``.

        ``calls`` counts the attempts that were sent; ``cost`` is the known part of the cost.
        """


@dataclass(frozen=True)
class RunPlan:
    """The settings of a run, apart from its model. They are frozen when the run starts."""

    NOT_IDENTITY: ClassVar[frozenset[str]] = frozenset(
        {"prompt_text", "tools_text", "dimensions", "states", "items", "limit", "batch", "without_image", "crossed"}
    )
    """Settings that do not identify the model: the choice of items, the size of pieces and the timing. The hashes of
    prompts and tools stand for their texts.
    """

    strategy: str = "generate"
    """The name of a registered strategy."""
    prompt_set: str = "plain"
    """The name of a registered prompt set, or of a loaded file."""
    prompt_hash: str = ""
    """The SHA-256 of the prompt set or file at the start of the run."""
    prompt_text: str = ""
    """The text of a loaded file, so that every worker uses the same prompts; empty for a registered prompt set."""
    fills: Mapping[str, str] = field(default_factory=dict)
    """The item's field for each placeholder with another name."""
    family: str | None = None
    """The family of the prompt set; None means its default."""
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The dimensions that each prompt variant is for; all other dimensions get ``general``."""
    injections: tuple[str, ...] = ()
    """Additions to the question, by the prompt set's names, such as ``objects``."""
    crossed: tuple[str, ...] = ()
    """Additions that occur in some of the compared runs. Only items that have all of them are asked about, so that the
    compared runs cover the same items.
    """
    prompt_seed: int | None = None
    """The seed that chooses a wording of the prompt for each item; None means the first wording."""
    score: str = "mean_logprob"
    """For ranking: the score that decides the best option."""
    without_image: bool = False
    """For ranking: whether to compute each option's likelihood without pictures too, to show the effect of the
    pictures.
    """
    clips: Mapping[str, Any] = field(default_factory=dict)
    """Settings for turning clips into frames."""
    text_only: bool = False
    """True if pictures are left out on purpose; the answers are marked."""
    dimensions: tuple[str, ...] | None = None
    """The dimensions; None means all of them."""
    states: tuple[str, ...] | None = None
    """The item states to ask about; None means the items that count (``items``)."""
    items: str | None = None
    """The items that count, a value of ``domain.states.Items``. None means kept items if there are verdicts, otherwise
    all. A run that starts in a project with verdicts stores the choice here.
    """
    limit: int | None = None
    """The maximum number of items, taken in the project's shuffled order."""
    batch: bool = False
    """True if questions are sent as batch files, which are submitted and fetched later."""
    tools_text: str = ""
    """For a model that asks for tools: the file of a tool set that replaces the strategy's own."""
    tools_hash: str = ""
    """The SHA-256 of that file. Only a worker with the same file runs its tools."""

    def dump(self) -> dict[str, Any]:
        """Return all settings as JSON values."""
        dumped: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return dumped

    @classmethod
    def of(cls, dumped: Mapping[str, Any]) -> Self:
        """Return the plan that ``dump`` stored; missing settings get their defaults."""
        known = {field.name for field in fields(cls)}
        given = {name: value for name, value in dumped.items() if name in known}
        for name in ("injections", "crossed", "dimensions", "states"):
            if given.get(name) is not None:
                given[name] = tuple(given[name])
        given["variants"] = {name: tuple(ids) for name, ids in given.get("variants", {}).items()}
        return cls(**given)


@dataclass(frozen=True)
class Preview:
    """The content of a run before any request is sent."""

    wanted: int
    """The number of requests, not counting failed attempts; for a model's run, the number of items."""
    about: int
    """The number of items or answers that the run is about."""
    looked_at: int
    """The number of items that were checked, starting with the first."""
    questions: tuple[Question, ...]
    """The first questions that can be asked, exactly as they will be sent."""
    cannot: Mapping[str, int]
    """The number of checked items that cannot be asked, by reason."""
    pictures: int = 0
    """The number of pictures that a model will get, including frames."""
    left_out: int = 0
    """The number of items whose pictures are left out on purpose."""
    variants: Mapping[str, str] = field(default_factory=dict)
    """The prompt variant that each dimension gets."""
    types: Mapping[str, int] = field(default_factory=dict)
    """The number of checked items that get each prompt type, if a prompt has several wordings."""
    by_dimension: Mapping[str, int] = field(default_factory=dict)
    """The number of items by dimension, in the schema's order."""
    clips: Mapping[str, str] = field(default_factory=dict)
    """How clips are handled, and the source of that setting."""

    @property
    def n_cannot(self) -> int:
        """Return the number of checked items that cannot be asked."""
        return sum(self.cannot.values())

    @property
    def can(self) -> int:
        """Return the number of requests that can be sent, as far as items were checked."""
        return self.wanted - self.n_cannot


T = TypeVar("T")


def chunked(values: Iterable[T], size: int = 500) -> list[list[T]]:
    """Split values into lists of at most ``size``, in order: a query of more than 500 ids is slow."""
    all_values = list(values)
    return [all_values[start : start + size] for start in range(0, len(all_values), size)]
