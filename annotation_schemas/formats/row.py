"""A file format as a row: what it is called, who reads and writes it, what is in its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from annotation_schemas.formats.columns import ItemKeys
from annotation_schemas.formats.released import ReleaseWriter
from annotation_schemas.formats.tasks import TaskFiles
from annotation_schemas.model import Schema
from domain.reading.answers import ReadOutcome
from domain.records import AnswerReading, FileRecord, ItemRecord, PredictionRecord, Rating


class Takes(StrEnum):
    """What is in the files of a format. The value counts them: ``3 items``."""

    ITEMS = "item"
    ANSWERS = "answer"
    """Models' answers to items."""
    RATINGS = "rating"
    REPLIES = "reply"
    """Judges' replies, as they were given."""
    RESULTS = "result"
    """What tools say about items."""
    MODELS = "model"
    """What is said of models: their attributes."""
    LABELS = "labelled item"
    """What is said of items besides their content."""
    TASKS = "task"
    """Items with everything that was said about them, for another program."""

    @property
    def noun(self) -> str:
        """What is counted in an export: a task is an item."""
        return Takes.ITEMS.value if self is Takes.TASKS else self.value


@dataclass(frozen=True)
class Answered:
    """A model's answer, and what was read of it."""

    answer: PredictionRecord
    read: AnswerReading | None

    def place(self, options: Sequence[Any]) -> int | None:
        """Where the option stands that the answer was read as, among an item's options as they are now."""
        found = self.read
        if found is None or found.outcome is not ReadOutcome.READ or found.value not in options:
            return None
        if len(found.places) == 1 and options[found.places[0] : found.places[0] + 1] == [found.value]:
            return found.places[0]
        return options.index(found.value)

    @property
    def why_not(self) -> str:
        """Why it is none of the options."""
        if self.read is None or self.read.outcome is ReadOutcome.READ:
            return "is none of its options any more"
        return f"was not read: {self.read.outcome.words}"


@dataclass(frozen=True)
class Content:
    """What goes into an export: what the row's ``takes`` names, and the items wherever they count."""

    schema: Schema
    format: str
    """The row's name."""
    items: Sequence[ItemRecord] = ()
    """In their order, and without the fields that are left out."""
    files: Sequence[FileRecord] = ()
    """For ``ItemKeys``: every item in the file that it came in or goes to; which of them are written says ``only``."""
    only: frozenset[str] | None = None
    """The external ids that are written; None: all."""
    without: Sequence[str] = ()
    """Fields that are left out of every record."""
    options: str | None = None
    """The field of an item that holds its options."""
    answers: Sequence[Answered] = ()
    """By model, then in the order of the items: of one run, if one was named."""
    unanswered: str | None = None
    """What stands for an item without an answer; None: no one said."""
    ratings: Sequence[Rating] = ()
    said: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Of models their attributes, or of items their labels, by name."""


Writer = Callable[[Content], Mapping[str, bytes]]
"""From what goes out to the bytes of every file by its path. What cannot be written is a ``FileRefused``."""


def _any_project(schema: Schema) -> bool:
    return True


def _everything(schema: Schema) -> str | None:
    return None


def only_named(schema: Schema) -> bool:
    """For ``Format.fits``: only projects whose schema names the format."""
    return False


@dataclass(frozen=True)
class Format:
    """A row. Import, export, their pages and commands, the registry and the reference list what the rows say."""

    name: str
    """In schemas and commands alike."""
    meaning: str
    """In a few words, for tables."""
    takes: Takes
    place: int
    """Where it stands in lists, from small to large."""
    reads: Callable[..., Any] | str | None = None
    """What reads its files: a function, or ``module:function`` of a room above; None: it is not imported.

    It takes a path (a file, or a folder of them) and, by what it reads, gives: for items ``ReadFiles`` (it is told
    ``format``, ``schema``, ``dimension``, ``progress``); for answers ``ReadPredictions`` (``schema``, ``dimension``,
    ``model``, ``project``); for ratings ``ReadRatings``; for the others what ``importers`` says there.
    Files that are no such thing are a ``FileRefused``.
    """
    writes: Writer | str | None = None
    """What writes its files, likewise; None: it is not exported."""
    releases: ReleaseWriter | str | None = None
    """What writes it into a release, likewise; None: by ``writes``, if it takes items and is exported. Formats are
    written in the order of their places, so that one may name the files of those before it."""
    carries: Callable[[Schema], str | None] = _everything
    """Of a format that ``releases``: what of a schema it cannot hold, in a sentence; None: it can hold everything."""
    beside: Sequence[str] = ()
    """Of a format that ``releases``: others whose files its own point to, so that a release with it has these, too."""
    needs_run: bool = False
    """An export holds the answers of one run, which has to be named; items without an answer get a label."""
    tasks: TaskFiles | None = None
    """Of a format of ``Takes.TASKS``: how its files come in and go out."""
    keys: ItemKeys | None = None
    """Of a format whose records are laid out as a schema's items are."""
    fits: Callable[[Schema], bool] = _any_project
    """Whether a project of this schema is offered the format, besides those that its schema names."""
    marks: Sequence[str] = ()
    """Keys or columns that every record of its files has: by these a file is recognised. Items go by what they read."""
    available: bool = True
    """False: it is declared, but not built yet."""

    @property
    def words(self) -> str:
        """The name with what it is, for a menu."""
        return f"{self.name}: {self.meaning}".replace("`", "")
