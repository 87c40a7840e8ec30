"""The records that modules pass to each other. They are frozen and hold no database object.

The module is longer than others because every room passes these records to the next. They are short lists of fields
with hardly any logic, and a reader looks one up by its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from domain.item_counts import ItemCounts
from domain.reading.answers import AnswerKind, ReadOutcome
from domain.roles import Role
from domain.runs import Outcome
from domain.states import ItemState, Stage

Fields = Mapping[str, Any]
"""An item's content by field name; the values are JSON values."""


# ---- files in, files out --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AssetName:
    """An asset as an annotation file names it: its role in the item, and the path or id in the file."""

    role: str
    path: str
    source: str | None = None
    """The video or collection that the asset was taken from, if the file names it."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """The text of one record in its file, and the text before it, so that an unchanged item is exported byte for byte.

    ``lead`` is the text between the previous record (or the file's head) and this record; ``raw`` is the record
    itself.
    """

    lead: str
    raw: str


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """One benchmark example on its way between a file and the database."""

    external_id: str
    """The item's ID, unique in its project: the ID in the file, or the folder below the import path and the 0-based
    position.
    """
    dimension: str
    fields: Fields
    assets: Sequence[AssetName] = ()
    fragment: Fragment | None = None
    """None for items that were written in the browser."""
    touched: bool = False
    """True if ``fields`` differ from the text of ``fragment``, so that an export must edit the fragment."""
    position: int | None = None
    """The item's 0-based position in its file, counting records that were left out; None for items written in the
    browser.
    """
    by_place: bool = False
    """True if the record has no ID, so that its position serves as one. A record inserted above it would change the
    ID.
    """
    dimension_given: str | None = None
    """The dimension at import, if the item has another dimension now; ``fragment`` may name the earlier one."""

    @property
    def stands(self) -> bool:
        """Whether the fragment still holds the item's current content."""
        return not self.touched and self.dimension_given is None


@dataclass(frozen=True)
class FileRecord:
    """One annotation file: its path below the import path, its records, and the text around them."""

    path: str
    """The relative path with forward slashes, or the bare file name if a single file was imported."""
    items: Sequence[ItemRecord]
    head: str = ""
    tail: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """Further facts that an exporter needs, as JSON values (for instance the style for new records)."""


@dataclass(frozen=True)
class BadRow:
    """A record of an import file that could not be read."""

    path: str
    row: int
    """The row number, counted from 1."""
    reason: str
    raw: str
    item: str = field(default="", compare=False)
    """The item's ID, if it can be read from the faulty record."""


class CountedColumns(NamedTuple):
    """Columns with numbered names, such as ``ending0``, and their texts. They may hold an item's options."""

    names: tuple[str, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True)
class PredictionRecord:
    """A model's answer to an item as a file holds it, or the reason why there is no answer.

    The file names the item by external ID, by dimension and position, or by the index of another harness. The log of
    a harness names it by candidate IDs and the question.
    """

    model: str
    text: str
    item: str | None = None
    dimension: str | None = None
    position: int | None = None
    index: str | None = None
    """The index in another harness: an external ID, or a position that is counted from 0 or from 1."""
    question: str | None = None
    """The question next to the index, to check that the index means this item; in a log, the question that the model
    got.
    """
    outcome: Outcome = Outcome.ANSWERED
    """The outcome of the request. Only an answer becomes a prediction."""
    error: str = ""
    """The reason why there is no answer."""
    ids: tuple[str, ...] = ()
    """In a log: candidates for the item's external ID, the most reliable first. If it is empty, the question finds the
    item.
    """
    options: tuple[str, ...] = ()
    """The options that the file lists, in the order in which the model saw them; empty if the file lists none. An
    empty text marks a label without an option.
    """
    columns: tuple[CountedColumns, ...] = ()
    """Columns that may hold the options."""
    prompt: str = ""
    """The model's prompt, if the file has it. Options in the prompt take precedence over listed ones."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One row of the long table that all statistics read."""

    unit: str
    rater: str
    criterion: str
    value: Any
    dimension: str | None = None
    guideline: int | None = None
    """The version of the project's guideline that the rater worked with; None for imported ratings."""
    note: str = ""
    """The rater's note on the submission that this rating belongs to."""
    schema: int | None = None
    """The version of the schema that the rating was given under; None for imported ratings, and if the project has had
    only one version.
    """
    cluster: str | None = None
    """The group that the unit belongs to, as answers of several models belong to one question; None: a group of its
    own.
    """
    pair: RatingPair | None = None
    """The two models whose answers were compared, and their sides."""
    stage: str = ""
    """The stage in which the rating was given, as files name it; empty if the project has at most one verification
    stage.
    """


@dataclass(frozen=True)
class RatingPair:
    """Two models whose answers were compared. ``a`` and ``b`` follow the order of the models' names."""

    model_a: str
    model_b: str
    left: str
    """The model whose answer was on the left."""
    winner: str
    """The model whose answer was preferred, or another choice (``tie``, ``both_bad``, ``cannot_tell``). Empty if the
    criterion does not ask which answer is better.
    """


@dataclass(frozen=True)
class UnitFacts:
    """Facts about a unit apart from its ratings. An unknown fact is None."""

    item: str | None = None
    """The question or image that the unit answers. Units of one item are resampled together."""
    model: str | None = None
    """The model that gave the answer."""
    length: float | None = None
    """The length of the answer, in a unit of the caller's choice."""


# ---- people ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Person:
    """Someone with an account."""

    id: int
    login: str
    name: str
    is_admin: bool = False


@dataclass(frozen=True)
class Membership:
    """A person's role in one project. ``dimensions`` None means all of them."""

    person: Person
    role: Role
    dimensions: tuple[str, ...] | None = None
    stages: tuple[Stage, ...] | None = None


@dataclass(frozen=True)
class MemberSettings:
    """A person's role, dimensions and stages in a project, by login. None for dimensions or stages means all."""

    login: str
    role: Role
    dimensions: Sequence[str] | None = None
    stages: Sequence[Stage] | None = None


@dataclass(frozen=True)
class SignedIn:
    """A live session: the person, and the token that their pages must send back with every change."""

    person: Person
    csrf: str
    language: str | None = None
    """The language that the person has chosen."""


@dataclass(frozen=True)
class OpenSession:
    """A session in which a person is signed in on a device."""

    id: int
    device: str
    """The browser and the system, such as "Firefox on Linux"; empty if unknown."""
    began_at: datetime
    used_at: datetime
    """The time of a recent request, accurate to a few minutes."""
    is_this: bool
    """Whether this session made the request."""


@dataclass(frozen=True)
class Invitation:
    """An open invitation, as the page that accepts it shows it."""

    project: str
    title: str
    role: Role
    dimensions: tuple[str, ...] | None
    expires_at: datetime


@dataclass(frozen=True)
class OpenInvitation:
    """An open invitation, as the leads of its project see it."""

    id: int
    role: Role
    dimensions: tuple[str, ...] | None
    stages: tuple[Stage, ...] | None
    by: str | None
    """The name of the person who invited. None: a command on the machine itself."""
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True)
class ProjectView:
    """A project as one of its people sees it."""

    name: str
    title: str
    made_up: bool
    """True if the content is invented, as in the demo. Every page and file then says so."""
    schema: Any
    """``annotation_schemas.model.LoadedSchema``, a class of the floor above."""
    role: Role
    dimensions: tuple[str, ...] | None = None
    """The dimensions in which the person works; None means all of the schema's."""
    stages: tuple[Stage, ...] | None = None
    """The stages in which the person works; None means all of the schema's."""
    archived: bool = False
    """True if the project is closed to changes."""


# ---- work -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AssetView:
    """An asset as a page shows it. ``id`` is random and says nothing about the file."""

    id: str
    role: str
    kind: str
    """"image" or "clip"."""
    missing: bool = False
    """True if an annotation file names the asset, but its file was never uploaded."""
    width: int | None = None
    height: int | None = None
    group: tuple[AssetView, ...] = ()
    """In the pool and in triage: all assets that one item is written about, this asset first; empty if it has no
    group.
    """


@dataclass(frozen=True)
class AssetFile:
    """The content hash of an asset's bytes in the media store, for the route that sends them. Pages never see it."""

    sha256: str
    kind: str
    mime: str


@dataclass(frozen=True)
class Draft:
    """A person's unfinished entries. ``seq`` counts up; an older draft never overwrites a newer one."""

    seq: int
    values: Mapping[str, Any]
    saved_at: datetime


@dataclass(frozen=True)
class Submission:
    """The values that a person submits for a task."""

    values: Mapping[str, Any]
    reasons: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    seconds: float | None = None
    field_seconds: Mapping[str, float] | None = None
    """The part of ``seconds`` for which each field of an authoring form had the focus; None if it was not measured."""
    guideline: str | None = None
    """The hash of the guideline that the page showed."""
    schema: str | None = None
    """The hash of the schema whose form the page showed; None means the schema in force."""


@dataclass(frozen=True)
class VoteView:
    """One vote as adjudicators see it, without the voter's name."""

    label: str
    values: Mapping[str, Any]
    reasons: Mapping[str, str]
    note: str = ""


@dataclass(frozen=True)
class GuidelineNews:
    """The guideline changes that a person has not opened yet."""

    number: int
    """The version in force."""
    why: str
    """The lead's reason for the change."""
    changes: Sequence[tuple[str, str]]
    """Lines of the comparison: removed ("-"), added ("+") or unchanged context (" ")."""


@dataclass(frozen=True)
class Correction:
    """An edit of a person's own submission."""

    changed: bool
    """Whether the draft differs from the submission."""


@dataclass(frozen=True)
class TaskView:
    """One claimed task with everything that its page may show. Content that is secret in the stage is left out."""

    id: str
    project: str
    stage: Stage
    dimension: str
    item: str | None
    """The item's random id; None while it is being authored."""
    revision: int | None
    fields: Fields
    assets: Sequence[AssetView]
    lease_until: datetime
    draft: Draft | None = None
    correction: Correction | None = None
    """Set while the person edits their submission. The next submission then supersedes it."""
    postponed: bool = False
    """True if this person postponed the task earlier."""
    answer: str | None = None
    """Grading: the text of the prediction. The record never holds the model's name."""
    answers: tuple[str, str] | None = None
    """Comparison: the texts of two models' answers, the left one first, with the sides that this person sees."""
    place: tuple[int, int] | None = None
    """Grading: the number of this answer among the item's answers for this person, and the count of these answers."""
    settles: Stage | None = None
    """Adjudication: the stage whose votes disagreed."""
    votes: Sequence[VoteView] = ()
    """Adjudication: the votes that disagreed."""
    history: Sequence[str] = ()
    """Adjudication: the item's earlier events, one sentence each, without names."""
    guideline: str = ""
    """The hash of the guideline in force."""
    news: GuidelineNews | None = None
    """Guideline changes since this person last opened the guideline."""
    proposed: bool = False
    """Authoring: True if a model proposed ``fields``, for the person to correct."""


@dataclass(frozen=True)
class NoTask:
    """The reason why there is no task: a code for tests and a sentence for people."""

    code: str
    """One of all_done, waiting_for_others, waiting_for_media, not_member, no_stage, pool_empty, pick_first,
    not_your_dimension, not_available, postponed, not_qualified, stopped."""
    sentence: str


@dataclass(frozen=True)
class SubmissionReceipt:
    """A submission that is saved on disk. ``repeated`` is True if the same key was already stored."""

    annotation: str
    saved_at: datetime
    repeated: bool = False
    item: str | None = None
    state: ItemState | None = None
    """The item's state, for authors and adjudicators only. For raters it would reveal the other votes."""


@dataclass(frozen=True)
class Progress:
    """The numbers in the progress line of a working page.

    Blind stages leave out the number of kept items. On a small project that number would reveal how an item ended,
    and so how other people voted.
    """

    mine_done: int
    mine_left: int
    kept: int
    decided: int


# ---- postponed, and lost ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TextLine:
    """One text that a person typed, with the title of its field."""

    title: str
    text: str


@dataclass(frozen=True)
class PostponedTask:
    """A task that a person postponed or gave back, and may continue."""

    task: str
    project: str
    title: str
    stage: Stage
    dimension: str
    words: str
    """The first words of the item, taken from fields that the stage may show."""
    at: datetime
    released: bool
    """True if the person gave the task back for others; False if it is only postponed."""
    yours_until: datetime | None
    """The time until which the task is reserved for the person; None if others may take it at any time."""


@dataclass(frozen=True)
class EarlierSubmission:
    """A recent submission that its author may still change."""

    task: str
    project: str
    title: str
    stage: Stage
    dimension: str
    words: str
    """The first words of the item, from fields that the stage may show, and of the graded answer."""
    at: datetime


@dataclass(frozen=True)
class ExpiredDraft:
    """A draft for a task that is no longer assigned to its author."""

    task: str
    project: str
    title: str
    stage: Stage
    dimension: str
    words: str
    at: datetime
    why: str
    lines: Sequence[TextLine]
    free: bool
    """True if the item has a free slot, so that the author may continue with the text."""


# ---- overviews ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AddedMedia:
    """The result of adding files to a pool."""

    added: int
    repeated: int
    """The number of files that the project already holds, byte for byte."""
    refused: Sequence[tuple[str, str]] = ()
    """Name and reason for each refused file."""
    clips: int = 0
    """The number of clips among the added files; the others are images."""
    sources: Mapping[str, int] = field(default_factory=dict)
    """The number of added files by source; files without a source are under the empty name."""


@dataclass(frozen=True)
class PoolPage:
    """A page of free images. To get the next page, pass the ID of the last image as ``after``."""

    assets: Sequence[AssetView]
    total: int


@dataclass(frozen=True)
class StageWork:
    """One row of My work: a stage and dimension of a project, and the number of tasks that wait for this person."""

    project: str
    title: str
    stage: Stage
    dimension: str
    waiting: int
    mine_done: int
    available: bool
    why: str
    """The reason why no task is available, as a sentence; empty if there is one."""
    code: str = ""
    """The code of that reason, as in ``NoTask``."""
    begun: int = 0
    """In authoring: the number of waiting tasks that this person has started and that need no free image."""


@dataclass(frozen=True)
class Blocker:
    """Items, answers or people of a dimension that cannot move on, and the reason."""

    n: int
    one: str
    """The words after the number 1: ``item waits for a senior``."""
    many: str
    detail: str = ""
    """Words that hold for this dimension alone."""
    rest: str = "."
    """The end of the sentence, which says what to do."""
    page: str = "people"
    """The page on which a lead solves it, by the name of its module."""
    label: str = "Add people"
    """The label of a button that opens the page."""
    stops: bool = True
    """Whether nothing moves on by itself. False: the project only waits, or differs from the schema's plan."""

    @property
    def sentence(self) -> str:
        """Return the sentence for one dimension alone."""
        return f"{self.n:,} {self.one if self.n == 1 else self.many}{self.detail}{self.rest}"

    @property
    def about(self) -> tuple[str, str]:
        """Return the words that dimensions with the same problem share."""
        return self.many, self.rest


@dataclass(frozen=True)
class DimensionProgress:
    """The progress of one dimension."""

    dimension: str
    title: str
    counts: ItemCounts
    stuck: Sequence[Blocker] = ()
    """Problems that keep the dimension from moving on."""

    @property
    def blocked(self) -> tuple[str, ...]:
        """Return one sentence for each entry of ``stuck``."""
        return tuple(obstacle.sentence for obstacle in self.stuck)


@dataclass(frozen=True)
class AuditEntry:
    """One event of the log: the person, the action, the time and the origin of the request."""

    id: int
    at: datetime
    kind: str
    project: str | None
    who: str | None
    """The person's login; None for the command on the machine itself, and for rules."""
    item: str | None
    """The item's external ID."""
    origin: str | None
    data: Mapping[str, Any]
    name: str | None = None
    """The display name of ``who``."""


@dataclass(frozen=True)
class Dashboard:
    """The progress of a project."""

    project: str
    title: str
    made_up: bool
    rows: Sequence[DimensionProgress]
    free_images: int
    graded: int = 0
    """Finished grading slots, out of ``to_grade``."""
    to_grade: int = 0
    sample: str = ""
    """The grading progress as a sentence; empty if no answers were passed on to people."""
    of_stages: Sequence[str] = ()
    """The progress of stages that say it in words."""
    warnings: Sequence[str] = ()
    """What extensions tell the leads about the claims, in sentences."""
    without_set: Sequence[str] = ()
    """Stages that require qualification but have no qualification set yet."""

    @property
    def total(self) -> ItemCounts:
        """Return the counts of the whole project."""
        return ItemCounts.total(row.counts for row in self.rows)


RULES = "rules"
"""The name of the rule-based reader of models' answers."""


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """The statement that was read from a model's answer."""

    prediction_id: int
    reader: str
    """``rules``, or the name of the model that read the answer."""
    version: int
    revision: int
    """The item's revision when the model answered it."""
    kind: AnswerKind
    outcome: ReadOutcome
    value: Any
    """The value as JSON returns it; set only if ``outcome`` is read."""
    places: Sequence[int]
    spans: Sequence[Sequence[int]]
    """Start and end positions of the words in the answer."""
    rule: str
    why: str

    def words(self, text: str) -> list[str]:
        """Return the words of the answer that the value was read from."""
        return [text[start:end] for start, end in self.spans]
