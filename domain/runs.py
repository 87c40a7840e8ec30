"""Runs: a model or a judge over many items. What is asked, what comes back, and where a run stands.

These records pass between the workflow, which knows items and media, and the rooms that know models and endpoints.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, Self, runtime_checkable

HOLMES = "holmes"
"""The strategy in which a text model asks for tools."""
TWO_STEPS = "two_steps"
"""The strategy in which a model is asked twice, the second time with its first answer in the question."""


class RunState(StrEnum):
    """Where a run stands."""

    WAITING = "waiting"
    """No one has begun to work on it."""
    RUNNING = "running"
    BATCH = "batch"
    """Its questions are handed in as batch files: workers leave it alone."""
    PAUSED = "paused"
    STOPPED = "stopped"
    """It came to an end by itself before all was done (a wrong key, a model that does not load): it can be resumed."""
    CANCELLED = "cancelled"
    """Ended by a person for good. What was answered stays."""
    DONE = "done"


OPEN = frozenset({RunState.WAITING, RunState.RUNNING})
"""A worker may take chunks of such a run."""
RESUMABLE = frozenset({RunState.PAUSED, RunState.STOPPED})


class _Came(NamedTuple):
    """A row of ``Outcome``."""

    value: str
    label: str
    meaning: str
    why_none: str = ""
    style: str = "failing"
    replied: bool = False
    silent: bool = False


class Outcome(StrEnum):
    """What became of asking once, a row each, in the order of bars and lists.

    Only ``ANSWERED`` and ``TRUNCATED`` hold an answer; none stands for an empty one.
    """

    label: str
    """As pages call it."""
    meaning: str
    """As a sentence, for the reference."""
    why_none: str
    """Why there is no answer, as results say it; empty where there is one, or where asking goes on."""
    style: str
    """Its colour in a bar: one of ``app.running.shown.STYLE``."""
    replied: bool
    """Whether it replied: asking the same again would cost the same and say the same."""
    silent: bool
    """Whether the model was asked and gave no answer, as with one that cannot be read; of the others no one knows what
    it would have said."""

    def __new__(cls, *row: Any) -> Outcome:
        came = _Came(*row)
        made = str.__new__(cls, came.value)
        made._value_ = came.value
        made.label, made.meaning, made.why_none, made.style = came.label, came.meaning, came.why_none, came.style
        made.replied, made.silent = came.replied, came.silent
        return made

    ANSWERED = _Came("answered", "answered", "There is an answer.", style="answered", replied=True)
    TRUNCATED = _Came(
        "truncated",
        "cut at the longest answer",
        "The longest answer that was allowed was reached: what there is of it is kept, and graded as it is.",
        style="truncated",
        replied=True,
    )
    CALLED = _Came(
        "called", "asked for tools", "It asked for tools and the conversation goes on: never the end of one."
    )
    STEP = _Came(
        "step",
        "a step on the way",
        "A step on the way to an answer, such as the likelihood of one option: never the end of one.",
    )
    EMPTY = _Came(
        "empty",
        "answered with nothing",
        "It answered with nothing.",
        "the model answered with nothing",
        replied=True,
        silent=True,
    )
    ONLY_REASONING = _Came(
        "only_reasoning",
        "only reasoning",
        "It reasoned and gave no answer, often because the longest answer was reached. The reasoning is kept with the "
        "attempt.",
        "the model only reasoned",
        replied=True,
        silent=True,
    )
    REFUSED = _Came(
        "refused",
        "refused",
        "A content filter or a refusal, as the endpoint reports it.",
        "refused",
        style="refused",
        replied=True,
        silent=True,
    )
    UNREADABLE = _Came(
        "unreadable",
        "reply not readable",
        "What came back is not what the protocol says: HTML, other JSON.",
        "the reply could not be read",
    )
    TRANSPORT_ERROR = _Came(
        "transport_error",
        "no reply",
        "Nothing came back: no connection, no time left, a status of 400 and above.",
        "no reply came back",
    )
    NO_TOOL_RESULT = _Came(
        "no_tool_result",
        "asked for a tool without a stored result",
        "It asked for a tool whose result is not stored for the item, for one that there is not, or with arguments "
        "that cannot be read.",
        "it asked for a tool without a stored result",
    )
    TOOL_FAILED = _Came(
        "tool_failed",
        "a tool failed",
        "A tool that it asked for was run and gave no result: it took too long, ended with an error, or wrote too much "
        "or no JSON. This attempt asks the model nothing; the one before it is the request.",
        "a tool that it asked for failed",
    )
    TOO_MANY_TURNS = _Came(
        "too_many_turns",
        "too many turns",
        "It went on asking for tools until the cap.",
        "it went on asking for tools until the cap",
    )
    FAILED = _Came("failed", "failed", "The model raised an error on this item.", "the model raised an error")
    SKIPPED = _Came(
        "skipped",
        "not asked",
        "It was not asked: something that the question needs is missing.",
        "it was not asked, as something was missing",
        style="skipped",
    )


ANSWERS = frozenset({Outcome.ANSWERED, Outcome.TRUNCATED})
NO_REQUEST = frozenset({Outcome.SKIPPED, Outcome.TOOL_FAILED})
"""Attempts at which no model was asked."""


@dataclass(frozen=True)
class Picture:
    """An image as a model gets it: upright, with the item's boxes and marks drawn, or a frame of a clip."""

    path: Path
    sha256: str
    """Of the bytes at ``path``: what was really sent."""
    role: str = ""
    """The role of the asset in the item."""
    clip: int | None = None
    """Frames with the same number, in their order, are one clip; None: a still image."""
    time: float | None = None
    """Of a frame: its moment in the clip, in seconds."""


class FirstAnswer(str):
    """Of a question in two steps: the place where the answer to the first one goes; a preview shows its own text."""

    __slots__ = ()


@dataclass(frozen=True)
class Question:
    """One item as a model is asked about it."""

    unit_id: int
    """The item's id in the database (for judges: the prediction's)."""
    name: str
    """What people call it: the item's external id."""
    dimension: str
    parts: tuple[str | Picture, ...]
    """The user's turn, texts and pictures in their order."""
    system: str | None = None
    options: tuple[str, ...] = ()
    """Where options are ranked: the item's, in the item's order."""
    tools: Mapping[str, Any] | None = None
    """Where a text model asks for tools: their stored results by the tool's name, each a list of objects with
    ``arguments`` (None: whatever it is asked with) and ``result``."""
    of_item: int | None = None
    """The id of the item that the unit is about; None: the unit is the item."""
    prompt_type: Mapping[str, str] = field(default_factory=dict)
    """Where prompts have several wordings: the ``name`` of the one that was taken, and the ``hash`` of its texts."""
    cannot: str = ""
    """Why it cannot be asked, as a sentence; empty: it can."""
    first: Question | None = None
    """What is asked before, where there are two steps; its answer takes the place of each ``FirstAnswer``."""
    order: tuple[int, ...] = ()
    """Where its options come in another order than the item's: their places in that one."""

    @property
    def item_id(self) -> int:
        """The id of the item that it is about."""
        return self.unit_id if self.of_item is None else self.of_item

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures, in their order."""
        return tuple(part for part in self.parts if isinstance(part, Picture))

    @property
    def moments(self) -> list[tuple[int | None, float]]:
        """Of pictures that are frames: their clip, and their moment in it in seconds."""
        return [(each.clip, each.time) for each in self.pictures if each.time is not None]

    @property
    def text(self) -> str:
        """The texts of the user's turn, one after the other."""
        return "".join(part for part in self.parts if isinstance(part, str))

    @property
    def prompt_hash(self) -> str:
        """SHA-256 of everything that is asked: texts, options, tool results, the pictures by their own hashes, and what
        is asked before."""
        parts = [part if isinstance(part, str) else {"sha256": part.sha256, "clip": part.clip} for part in self.parts]
        asked: dict[str, Any] = {"system": self.system, "parts": parts, "options": self.options, "tools": self.tools}
        if self.first is not None:
            asked["first"] = self.first.prompt_hash
        text = json.dumps(asked, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Attempt:
    """Asking once, and what became of it. Every attempt is kept; the last one of a unit in a run counts."""

    unit_id: int
    outcome: Outcome
    text: str = ""
    """What came back, whole; of ranked options the one that won."""
    final: bool = True
    """False: it is tried again, so another attempt follows; if the run ends in between, when it is resumed."""
    finish_reason: str | None = None
    tokens_in: int | None = None
    """None: not known, which is not 0."""
    tokens_out: int | None = None
    seconds: float | None = None
    """From asking to the answer; of a batch, the batch's time over its size."""
    waited: float = 0.0
    """Seconds that were waited before asking, because an attempt before had failed or a limit was reached."""
    status: int | None = None
    """HTTP's, where there was one."""
    error: str = ""
    """What went wrong, as a sentence; never a key or a traceback."""
    request_id: str | None = None
    prompt_hash: str = ""
    image_hashes: tuple[str, ...] = ()
    cost: float | None = None
    """In the currency of the price table; None: not known."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """JSON values: scores of options, the transcript of a tool loop, the raw reply, how large the batch was."""


class Answerer(Protocol):
    """A model that has been opened and can be asked. One is used by one thread."""

    @property
    def about(self) -> Mapping[str, Any]:
        """What it runs on, as JSON values: versions of libraries, device, dtype, batch size, classes of processors,
        what a probe of the endpoint found."""

    def answer(
        self, questions: Sequence[Question], *, tell: Callable[[Attempt], None], stop: Callable[[], bool]
    ) -> None:
        """Ask; every attempt is told as soon as it has ended. Returns early, leaving the rest, when ``stop`` says so.

        Raises
        ------
        RunStopped
            Asking further makes no sense: the key is wrong, the quota is used up, the budget is spent.
        """

    def close(self) -> None:
        """Give back what it holds."""


class ToolFailed(Exception):
    """A tool was run and gave nothing that can be used; the text is a sentence."""

    def __init__(self, why: str, sentence: str) -> None:
        super().__init__(sentence)
        self.why = why
        """In a word: ``timeout``, ``exit``, ``too_large``, ``no_json``, ...; ``stopped``: the run is."""


Tools = Callable[["Question", str, Mapping[str, Any]], Any]
"""Gives what a tool says about a question's item, asked with these arguments; raises ``ToolFailed``."""


@runtime_checkable
class AsksTools(Protocol):
    """An answerer whose model asks for tools, which may be run where a result is not stored."""

    def give_tools(self, tools: Tools) -> None:
        """What runs them, before the next ``answer``."""


@runtime_checkable
class Budgeted(Protocol):
    """An answerer that ends a run before it costs more than its description allows."""

    def spent(self, calls: int, cost: float) -> None:
        """What the run has spent so far in all of its workers, before the next ``answer``: requests (attempts that were
        sent), and money as far as it is known."""


@dataclass(frozen=True)
class RunPlan:
    """What a run will do, besides its model: frozen with the run."""

    NOT_IDENTITY: ClassVar[frozenset[str]] = frozenset(
        {"prompt_text", "tools_text", "dimensions", "states", "items", "limit", "batch", "without_image", "crossed"}
    )
    """Parts that say about what a model is asked, in how many pieces and when: they make no other model of it. The
    prompts' hash stands for their text, and so does that of the tools."""

    strategy: str = "generate"
    """A row of the registry of strategies."""
    prompt_set: str = "plain"
    """A row of the registry of prompt sets, or the name of a loaded file."""
    prompt_hash: str = ""
    """SHA-256 of the prompt set or file as it was."""
    prompt_text: str = ""
    """Of a loaded file: its text, so that every worker asks by it; empty: a row of the registry."""
    fills: Mapping[str, str] = field(default_factory=dict)
    """Field of the item by the placeholder that it fills, where the names differ."""
    family: str | None = None
    """Of the prompt set; None: its default."""
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Variant of the prompts by the dimensions that it is for; the others get ``general``."""
    injections: tuple[str, ...] = ()
    """What is added to the question, by the prompt set's names for it, such as ``objects``."""
    crossed: tuple[str, ...] = ()
    """What is added in some of the runs that this one is compared with: only items that have all of it are asked about,
    so that these runs are about the same ones."""
    prompt_seed: int | None = None
    """Chooses for each item one of the wordings that its prompt has; None: the first."""
    score: str = "mean_logprob"
    """For ranking: which score names the winner."""
    without_image: bool = False
    """For ranking: each option's likelihood without pictures too, so that what the pictures add can be seen."""
    clips: Mapping[str, Any] = field(default_factory=dict)
    """How clips become frames."""
    text_only: bool = False
    """Pictures are left out, on purpose; the answers say so."""
    dimensions: tuple[str, ...] | None = None
    """None: all of them."""
    states: tuple[str, ...] | None = None
    """Only items in these states; None: those that count (``items``)."""
    items: str | None = None
    """Which items count, of ``domain.states.Items``; None: the kept ones as soon as there are verdicts, else all. A run
    that was started in a project with verdicts says here which they were."""
    limit: int | None = None
    """At most so many items, in the project's own shuffled order."""
    batch: bool = False
    """Asked through batch files, which are handed in and fetched later."""
    tools_text: str = ""
    """Of a model that asks for tools: the file of the tool set that it has instead of HOLMES's own."""
    tools_hash: str = ""
    """SHA-256 of that file: only a worker that was given the same file runs its tools."""

    def dump(self) -> dict[str, Any]:
        """All of it as JSON values."""
        dumped: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return dumped

    @classmethod
    def of(cls, dumped: Mapping[str, Any]) -> Self:
        """The plan that ``dump`` made; what it says nothing about has its default."""
        known = {each.name for each in fields(cls)}
        given = {name: value for name, value in dumped.items() if name in known}
        for name in ("injections", "crossed", "dimensions", "states"):
            if given.get(name) is not None:
                given[name] = tuple(given[name])
        given["variants"] = {name: tuple(ids) for name, ids in given.get("variants", {}).items()}
        return cls(**given)


@dataclass(frozen=True)
class Preview:
    """What a run will do, before anything is asked."""

    wanted: int
    """How often something is asked, attempts that fail not counted: of a model's run, the items."""
    about: int
    """How many items or answers it is about."""
    looked_at: int
    """For so many, the first ones, it is known what can be asked."""
    questions: tuple[Question, ...]
    """The first ones that can, as they will be asked."""
    cannot: Mapping[str, int]
    """How many of those looked at cannot be asked, by the reason."""
    pictures: int = 0
    """How many pictures a model will be shown, frames included."""
    left_out: int = 0
    """Items whose pictures are left out on purpose."""
    variants: Mapping[str, str] = field(default_factory=dict)
    """Which of a model's prompts each dimension gets."""
    types: Mapping[str, int] = field(default_factory=dict)
    """How often each type of a prompt with several wordings is taken among the items that were looked at."""
    by_dimension: Mapping[str, int] = field(default_factory=dict)
    """Items that a model is asked about, in the schema's order."""
    clips: Mapping[str, str] = field(default_factory=dict)
    """What becomes of clips, and who says so."""

    @property
    def n_cannot(self) -> int:
        """How many cannot be asked, of those looked at."""
        return sum(self.cannot.values())

    @property
    def can(self) -> int:
        """How many will be asked, as far as is known."""
        return self.wanted - self.n_cannot


def chunked(ids: Iterable[int], size: int) -> list[list[int]]:
    """The ids in pieces of at most ``size``, in their order."""
    found = list(ids)
    return [found[start : start + size] for start in range(0, len(found), size)]
