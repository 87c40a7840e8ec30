"""A file format as a row: its name, its content, and the functions that read and write it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from annotation_schemas.formats.columns import ItemKeys
from annotation_schemas.formats.released import ReleasedSet, ReleaseWriter
from annotation_schemas.formats.replies import ReplyFiles
from annotation_schemas.formats.tasks import TaskFiles
from annotation_schemas.model import Schema
from domain.reading.answers import ReadOutcome
from domain.records import AnswerReading, FileRecord, ItemRecord, PredictionRecord, Rating


class Takes(StrEnum):
    """The content of a format's files. The value is the noun for counting: ``3 items``."""

    ITEMS = "item"
    ANSWERS = "answer"
    """Models' answers to items."""
    RATINGS = "rating"
    REPLIES = "reply"
    """Judges' replies, unchanged."""
    RESULTS = "result"
    """Results of tools about items."""
    MODELS = "model"
    """Attributes of models."""
    LABELS = "labeled item"
    """Labels of items, apart from their content."""
    TASKS = "task"
    """Items with all their annotations, for another program."""

    @property
    def noun(self) -> str:
        """Return the noun for counting an export. A task counts as an item."""
        return Takes.ITEMS.value if self is Takes.TASKS else self.value


@dataclass(frozen=True)
class ModelAnswer:
    """A model's answer and its reading."""

    answer: PredictionRecord
    read: AnswerReading | None

    def place(self, options: Sequence[Any]) -> int | None:
        """Return the position of the option that the answer was read as, among an item's current options."""
        reading = self.read
        if reading is None or reading.outcome is not ReadOutcome.READ or reading.value not in options:
            return None
        if len(reading.places) == 1 and options[reading.places[0] : reading.places[0] + 1] == [reading.value]:
            return reading.places[0]
        return options.index(reading.value)

    @property
    def why_not(self) -> str:
        """Return the reason why the answer is not one of the options."""
        if self.read is None or self.read.outcome is ReadOutcome.READ:
            return "is no longer one of the item's options"
        return f"was not read: {self.read.outcome.words}"


@dataclass(frozen=True)
class Content:
    """The content of an export: the records that the row ``takes``, and the items if they matter."""

    schema: Schema
    format: str
    """The row's name."""
    items: Sequence[ItemRecord] = ()
    """Items in order, without the fields that are left out."""
    files: Sequence[FileRecord] = ()
    """For ``ItemKeys``: every item in its source or target file; ``only`` lists the items to write."""
    only: frozenset[str] | None = None
    """The external IDs to write; None means all."""
    without: Sequence[str] = ()
    """Fields that are left out of every record."""
    options: str | None = None
    """The field of an item that holds its options."""
    answers: Sequence[ModelAnswer] = ()
    """Answers by model, then in the order of the items; of a single run, if the export names one."""
    unanswered: str | None = None
    """The label for items without an answer; None if none was given."""
    ratings: Sequence[Rating] = ()
    said: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Attributes of models, or labels of items, by name."""


Writer = Callable[[Content], Mapping[str, bytes]]
"""A function from the content to the bytes of every file by path. It raises ``InvalidFileError`` for content it cannot
write.
"""


def _any_project(schema: Schema) -> bool:
    return True


def _everything(schema: Schema) -> str | None:
    return None


def only_named(schema: Schema) -> bool:
    """Restrict a format, as ``Format.fits``, to projects whose schema names it."""
    return False


@dataclass(frozen=True)
class Format:
    """A row. Import, export, their pages and commands, the registry and the reference read these rows."""

    name: str
    """The name in schemas and commands."""
    meaning: str
    """A few words for tables."""
    takes: Takes
    place: int
    """The sort position in lists."""
    reads: Callable[..., Any] | bool = False
    """The reader of its files; True if ``importers.readers`` knows the reader, False if the format cannot be imported.

    The reader takes a path (a file or a folder). For items it returns ``ReadFiles`` (keywords ``format``, ``schema``,
    ``dimension``, ``progress``), for answers ``ReadPredictions`` (``schema``, ``dimension``, ``model``, ``project``).
    For ratings it is a ``RatingsReader``. For other content see ``importers``. It raises ``InvalidFileError`` for files
    of another format. For a format that core writes, an extension may have the reader (``Extension.readers``).
    """
    writes: Writer | bool = False
    """The writer of its files; True if ``exporters.writers`` knows it, False if the format cannot be exported."""
    releases: ReleaseWriter | bool = False
    """The writer for releases, in the same notation. By default ``writes`` is used, if the format takes items and is
    exported. Formats are written in order of ``place``, so that a format may name the files of earlier ones.
    """
    carries: Callable[[Schema], str | None] = _everything
    """For formats that write releases: a function that returns a sentence about content of a schema that the format
    cannot hold, or None.
    """
    beside: Sequence[str] = ()
    """For formats that write releases: other formats whose files it refers to. A release includes these too."""
    needs_about: Sequence[str] = ()
    """For formats that write releases: the fields of the data card without which the format is refused."""
    card: Callable[[ReleasedSet, Mapping[str, int]], Mapping[str, Any]] | None = None
    """For formats that write releases: a function that returns entries for the front matter of the data card, from the
    release and the bytes of each of its files.
    """
    needs_run: bool = False
    """Whether an export holds the answers of one run, which must be named. Items without an answer get a label."""
    tasks: TaskFiles | None = None
    """For formats of ``Takes.TASKS``: how its files are imported and exported."""
    replies: ReplyFiles | None = None
    """For formats of ``Takes.REPLIES``: how its files are imported."""
    keys: ItemKeys | None = None
    """The layout of records, for formats that follow a schema's items."""
    fits: Callable[[Schema], bool] = _any_project
    """Whether a project with this schema is offered the format, even if the schema does not name it."""
    marks: Sequence[str] = ()
    """Keys or columns that every record has, by which files of the format are recognized. Formats of items use their
    reader.
    """
    available: bool = True
    """False for a declared format that is not built yet."""

    @property
    def words(self) -> str:
        """Return the name with its meaning, for a menu."""
        return f"{self.name}: {self.meaning}".replace("`", "")
