"""The records passed between floors. Plain, frozen, and free of any database object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from domain.reading.answers import AnswerKind, ReadOutcome
from domain.roles import Role
from domain.runs import Outcome
from domain.states import ItemState, Stage

Fields = Mapping[str, Any]
"""An item's content by field name; values are JSON values."""


# ---- files in, files out --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AssetName:
    """An asset as an annotation file names it: its role in the item, and the path or id that the file gives."""

    role: str
    path: str
    source: str | None = None
    """The video or collection it came from, where the file says so."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """The bytes around and of one record in its file, as text, so that an untouched item leaves as it came.

    ``lead`` is what stands between the record before (or the file's head) and this one; ``raw`` is the record itself.
    """

    lead: str
    raw: str


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """One benchmark example on its way between a file and the database."""

    external_id: str
    """Unique in its project: the file's own id, else its folder below the import path and its 0-based position."""
    dimension: str
    fields: Fields
    assets: Sequence[AssetName] = ()
    fragment: Fragment | None = None
    """None for items that were written in the browser."""
    touched: bool = False
    """True if ``fields`` differ from what ``fragment`` says, so the fragment has to be edited on the way out."""
    position: int | None = None
    """Its 0-based place in its file, counting records that were left out; None for items written in the browser."""
    by_place: bool = False
    """Nothing in the record names it: its external id is its place, which another record above it would change."""
    dimension_given: str | None = None
    """What its dimension was when it came in, where that is another now: the fragment may say that one."""

    @property
    def stands(self) -> bool:
        """Whether a fragment says what the item is now."""
        return not self.touched and self.dimension_given is None


@dataclass(frozen=True)
class FileRecord:
    """One annotation file: where it lay below the import path, what stands around its records, and the records."""

    path: str
    """Relative, with forward slashes; the bare file name when a single file was imported."""
    items: Sequence[ItemRecord]
    head: str = ""
    tail: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """What an exporter needs beyond that, as JSON values (for instance the style for new records)."""


@dataclass(frozen=True)
class BadRow:
    """A record of an import file that does not fit."""

    path: str
    row: int
    """1-based, as a person counts."""
    reason: str
    raw: str
    item: str = field(default="", compare=False)
    """What it is called, where that can be read though the rest does not fit."""


class CountedColumns(NamedTuple):
    """Columns of a file whose names count on, such as ``ending0``, with their texts: they may be options."""

    names: tuple[str, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True)
class PredictionRecord:
    """A model's answer to an item, as a file gives it, or that there is none.

    The item is named by external id, by dimension and position, by another harness's index, or by ids and the question
    out of another harness's log.
    """

    model: str
    text: str
    item: str | None = None
    dimension: str | None = None
    position: int | None = None
    index: str | None = None
    """As another harness has it: an external id, or a position that is counted from 0 or from 1."""
    question: str | None = None
    """As it stands next to an index, to see that the index means this item; in a log, what the model was asked."""
    outcome: Outcome = Outcome.ANSWERED
    """What became of asking; only an answer becomes a prediction."""
    error: str = ""
    """Why there is no answer."""
    ids: tuple[str, ...] = ()
    """Of a log: what may be the item's external id, the surest first. Where none is, the question decides."""
    options: tuple[str, ...] = ()
    """The options that the file lists, in the order in which the model had them; empty where it lists none. An empty
    text stands for a label without an option."""
    columns: tuple[CountedColumns, ...] = ()
    """Columns that may be options."""
    prompt: str = ""
    """The prompt of the model, if the file has it: its options take precedence over listed ones."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One line of the long table that all statistics read."""

    unit: str
    rater: str
    criterion: str
    value: Any
    dimension: str | None = None
    guideline: int | None = None
    """The version of the project's guideline that the rater had before them; None for ratings from files."""
    note: str = ""
    """What the rater wrote next to the submission that this is a part of."""
    schema: int | None = None
    """The version of the schema under which it was given; None where the project has had one only, and for ratings from
    files."""
    cluster: str | None = None
    """What the unit belongs to, as answers of several models belong to one question; None: it stands for itself."""
    pair: RatingPair | None = None
    """Where two models' answers were compared: which, and how they stood."""
    stage: str = ""
    """The stage in which it was given, as files name it; empty where the project has one of verification at most."""


@dataclass(frozen=True)
class RatingPair:
    """Two models' answers that were compared, ``a`` and ``b`` in the order of the models' names."""

    model_a: str
    model_b: str
    left: str
    """The model whose answer was on the left."""
    winner: str
    """The model whose answer was preferred, or what was said instead (``tie``, ``both_bad``, ``cannot_tell``); empty:
    the criterion does not ask which one is better."""


@dataclass(frozen=True)
class About:
    """What is known about a unit besides its ratings; None where no one says."""

    item: str | None = None
    """The question or image that it is an answer to: units of one item are resampled together."""
    model: str | None = None
    """Whose answer it is."""
    length: float | None = None
    """How long the answer is, in whatever one counts."""


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
    """Someone's role in one project. ``dimensions`` None means all of them."""

    person: Person
    role: Role
    dimensions: tuple[str, ...] | None = None
    stages: tuple[Stage, ...] | None = None


@dataclass(frozen=True)
class Part:
    """What someone is to do in a project, by their login. None for dimensions or stages means all of them."""

    login: str
    role: Role
    dimensions: Sequence[str] | None = None
    stages: Sequence[Stage] | None = None


@dataclass(frozen=True)
class SignedIn:
    """A live session: who, and the token that their pages must send back with every change."""

    person: Person
    csrf: str


@dataclass(frozen=True)
class Invitation:
    """An open invitation, as the page that accepts it shows it."""

    project: str
    title: str
    role: Role
    dimensions: tuple[str, ...] | None
    expires_at: datetime


@dataclass(frozen=True)
class ProjectView:
    """A project as one of its people sees it."""

    name: str
    title: str
    made_up: bool
    """Its content is invented (the demo); every page and file says so."""
    schema: Any
    """``annotation_schemas.model.LoadedSchema``, a class of the floor above."""
    role: Role
    dimensions: tuple[str, ...] | None = None
    """None: all of them."""
    stages: tuple[Stage, ...] | None = None
    archived: bool = False
    """Nothing in it is changed any more."""


# ---- work -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AssetView:
    """An asset as a page shows it. ``id`` is random and says nothing about the file."""

    id: str
    role: str
    kind: str
    """"image" or "clip"."""
    missing: bool = False
    """Named by an annotation file, but no one has brought in the file itself."""
    width: int | None = None
    height: int | None = None
    group: tuple[AssetView, ...] = ()
    """In the pool and in triage: all that an item is written about together, itself first; empty: it stands alone."""


@dataclass(frozen=True)
class AssetFile:
    """Where an asset's bytes are: its content hash in the media store. For the route that sends them, not for pages."""

    sha256: str
    kind: str
    mime: str


@dataclass(frozen=True)
class Draft:
    """What someone has typed so far. ``seq`` counts up; an older one never overwrites a newer one."""

    seq: int
    values: Mapping[str, Any]
    saved_at: datetime


@dataclass(frozen=True)
class Submission:
    """What a person sends in for a task."""

    values: Mapping[str, Any]
    reasons: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    seconds: float | None = None
    field_seconds: Mapping[str, float] | None = None
    """Of these, how long each field of an authoring form had the focus; None: no one has said."""
    guideline: str | None = None
    """The hash of the guideline that the page showed."""
    schema: str | None = None
    """The hash of the schema whose form the page showed; None: of the one that is in force."""


@dataclass(frozen=True)
class VoteView:
    """One vote as adjudicators see it: who cast it is hidden."""

    label: str
    values: Mapping[str, Any]
    reasons: Mapping[str, str]
    note: str = ""


@dataclass(frozen=True)
class GuidelineNews:
    """What someone has to hear about the guideline, until they have opened it."""

    number: int
    """The version that is in force."""
    why: str
    """What the lead says about it."""
    changes: Sequence[tuple[str, str]]
    """The lines that are gone ("-"), new ("+") or around them (" ")."""


@dataclass(frozen=True)
class GuidelineVersion:
    """A version of a project's guideline."""

    number: int
    hash: str
    text: str
    why: str
    by: str | None
    """The login of who wrote it; None for the schema's own, and for the command on the machine itself."""
    at: datetime
    in_force: bool
    submissions: Mapping[str, int] = field(default_factory=dict)
    """How many submissions that count were made under it, by stage."""
    answers: int = 0
    """How many of the seniors' decisions it answers."""


@dataclass(frozen=True)
class SettledCase:
    """One decision of a senior, as an entry of the list of reasons."""

    item: str
    """The item's external id."""
    revision: int
    decision: str
    note: str
    at: datetime
    guideline: int
    """The version that the senior had before them."""
    answered_by: int | None = None
    """The version that answers it; None: it is open."""
    answer: str = ""
    """If nothing had to be written: why not."""


@dataclass(frozen=True)
class AdjudicationReason:
    """An adjudication reason in a dimension, with the decisions behind it, the oldest first."""

    reason: str
    """Its value in the schema; empty for decisions that name none."""
    label: str
    dimension: str
    cases: Sequence[SettledCase]

    @property
    def open(self) -> int:
        """How many decisions no one has answered."""
        return sum(case.answered_by is None for case in self.cases)


@dataclass(frozen=True)
class SkipLine:
    """A reason that verifiers gave for skips in a dimension, and the items that were skipped for it."""

    criterion: str
    reason: str
    label: str
    dimension: str
    items: Sequence[str]
    """External ids, once for each skip."""


@dataclass(frozen=True)
class ContestedItem:
    """What a lead sees of an item behind a reason: its content then, its votes, the senior's words."""

    item: str
    dimension: str
    revision: int
    fields: Fields
    votes: Sequence[VoteView]
    decision: str
    reason: str
    note: str


@dataclass(frozen=True)
class TaskView:
    """One claimed task with everything its page may show, and nothing else: what is secret for the stage is absent."""

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
    correction: bool = False
    """Reopened by undo: what is submitted now supersedes this person's earlier submission."""
    postponed: bool = False
    """This person had put it off; it is offered again."""
    answer: str | None = None
    """Grading: the text of the prediction. The model's name is never here."""
    answers: tuple[str, str] | None = None
    """Comparison: the texts of two models' answers, as they stand for this person, the left one first."""
    place: tuple[int, int] | None = None
    """Grading: which one of its item's answers this is for this person, and how many there are."""
    settles: Stage | None = None
    """Adjudication: the stage whose votes disagreed."""
    votes: Sequence[VoteView] = ()
    """Adjudication: the votes that disagreed."""
    history: Sequence[str] = ()
    """Adjudication: what happened to the item before, one sentence each, without names."""
    guideline: str = ""
    """The hash of the guideline that is in force."""
    news: GuidelineNews | None = None
    """What has changed in the guideline since this person opened it last."""
    proposed: bool = False
    """Authoring: ``fields`` are what a model proposes, for the person to correct."""


@dataclass(frozen=True)
class NothingLeft:
    """Why there is no task: a code for tests, a sentence for people."""

    code: str
    """One of all_done, waiting_for_others, waiting_for_media, not_member, no_stage, pool_empty, pick_first,
    not_your_dimension, not_available, postponed, not_qualified, stopped."""
    sentence: str


@dataclass(frozen=True)
class Submitted:
    """A submission that is on disk. ``repeated`` is True if the same key had been stored before."""

    annotation: str
    saved_at: datetime
    repeated: bool = False
    item: str | None = None
    state: ItemState | None = None
    """The item's state, for authors and adjudicators; raters are not told, as it would betray the other votes."""


@dataclass(frozen=True)
class Progress:
    """The numbers in the thin line on top of a working page. In blind stages nothing is told of what was kept: on a
    small project it would say how an item ended, and so what the others answered."""

    mine_done: int
    mine_left: int
    kept: int
    decided: int


# ---- postponed, and lost ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TextLine:
    """A piece of what someone typed: what was asked, and their text."""

    title: str
    text: str


@dataclass(frozen=True)
class PostponedTask:
    """An item that someone has postponed or given back and may go on with."""

    task: str
    project: str
    title: str
    stage: Stage
    dimension: str
    words: str
    """The item's first words, of what its stage may see."""
    at: datetime
    released: bool
    """Given back for others; else postponed."""
    yours_until: datetime | None
    """Until when no one else gets it; None: someone else may get it at any time."""


@dataclass(frozen=True)
class EarlierSubmission:
    """What someone has submitted a short while ago and may want to change."""

    task: str
    project: str
    title: str
    stage: Stage
    dimension: str
    words: str
    """The item's first words, of what its stage may see, and those of the answer that it was about."""
    at: datetime


@dataclass(frozen=True)
class ExpiredDraft:
    """What someone wrote for a task that they no longer have."""

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
    """A slot of the item is free, so they may take it up again with the text."""


@dataclass(frozen=True)
class ExpiredSubmission:
    """An expired submission, as leads see it listed."""

    id: int
    login: str
    name: str
    at: datetime
    stage: Stage
    dimension: str
    item: str | None
    """Its external id; None while it is being written."""
    taken_up: bool
    """Its writer has the task again."""


# ---- overviews ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AddedMedia:
    """What became of files that were offered to a pool."""

    added: int
    repeated: int
    """Already in the project, byte for byte."""
    refused: Sequence[tuple[str, str]] = ()
    """Name and reason."""
    clips: int = 0
    """How many of those that were added are clips; the others are images."""
    sources: Mapping[str, int] = field(default_factory=dict)
    """How many were added of each source; of none under an empty name."""


@dataclass(frozen=True)
class TriageFrame:
    """A candidate image before someone who triages."""

    asset: AssetView
    sharpness: float | None
    blurred: bool
    """Much less sharp than the other candidates of its source."""
    kept_of_source: int | None = None
    """How many of its source are kept so far; None: it has no source."""


@dataclass(frozen=True)
class TriageGroup:
    """A candidate and those like it, for one person to decide on."""

    frames: Sequence[TriageFrame]
    reasons: Sequence[tuple[str, str]]
    """Why one may be dropped: value and label."""
    per_source: int | None
    left: int
    """How many wait in the project, these included."""
    token: str
    """Another one after every decision: a key pressed twice is not meant twice."""


@dataclass(frozen=True)
class TriageDone:
    """A decision about candidates that is on disk. ``repeated`` is True if the same key had been stored before."""

    kept: int
    dropped: int
    repeated: bool = False


@dataclass(frozen=True)
class TriageCounts:
    """What has become of the candidates of a source, or of all of them."""

    left: int
    kept: int
    dropped: Mapping[str, int]
    """By reason."""
    surplus: int = 0
    """They wait, but their source has given as many as it may."""


@dataclass(frozen=True)
class TriageProgress:
    """How far triage is."""

    total: TriageCounts
    by_source: Mapping[str, TriageCounts]
    """The empty name: images without a source."""


@dataclass(frozen=True)
class DroppedFrame:
    """A candidate that someone has dropped."""

    asset: str
    name: str
    reason: str


@dataclass(frozen=True)
class PoolPage:
    """A page of free images. ``after`` of the next page is the id of the last one."""

    assets: Sequence[AssetView]
    total: int


@dataclass(frozen=True)
class StageWork:
    """One line of My work: a stage and dimension of a project, and what waits there for this person."""

    project: str
    title: str
    stage: Stage
    dimension: str
    waiting: int
    mine_done: int
    available: bool
    why: str
    """If nothing is available: the reason, as a sentence; else empty."""
    code: str = ""
    """The code of that reason, as ``NothingLeft`` has it."""
    begun: int = 0
    """In authoring: how many of those that wait this person has begun, so that they need no free image."""


@dataclass(frozen=True)
class Blocked:
    """What keeps so many items, answers or people of a dimension from moving on."""

    n: int
    one: str
    """The words behind the number where it is 1: ``item waits for a senior``."""
    many: str
    detail: str = ""
    """What is so in this dimension alone."""
    rest: str = "."
    """The end of the sentence, with what to do."""

    @property
    def sentence(self) -> str:
        """What is said of a dimension by itself."""
        return f"{self.n:,} {self.one if self.n == 1 else self.many}{self.detail}{self.rest}"

    @property
    def about(self) -> tuple[str, str]:
        """What it has in common with those of other dimensions."""
        return self.many, self.rest


@dataclass(frozen=True)
class DimensionProgress:
    """One line of the dashboard. Every item is in exactly one of the states; ``drafted`` counts them all.

    ``drafted``, ``left`` and ``in_progress`` are those of ``workflow.access.written_items``.
    """

    dimension: str
    title: str
    wanted: int | None
    drafted: int
    in_verification: int
    in_adjudication: int
    kept: int
    rejected: int
    unverified: int
    in_verification_2: int = 0
    in_verification_3: int = 0
    left: int = 0
    """Items left to write."""
    in_progress: int = 0
    """Items that authors have begun and not submitted."""
    stuck: Sequence[Blocked] = ()
    """What keeps the dimension from moving on."""

    @property
    def blocked(self) -> tuple[str, ...]:
        """``stuck``, one sentence each."""
        return tuple(each.sentence for each in self.stuck)


@dataclass(frozen=True)
class AuditEntry:
    """One event of the log: who did what, when, from where."""

    id: int
    at: datetime
    kind: str
    project: str | None
    who: str | None
    """A login; None: the command on the machine itself, or the rules."""
    item: str | None
    """Its external id."""
    origin: str | None
    data: Mapping[str, Any]
    name: str | None = None
    """What ``who`` is called."""


@dataclass(frozen=True)
class Dashboard:
    """How far a project is."""

    project: str
    title: str
    made_up: bool
    rows: Sequence[DimensionProgress]
    free_images: int
    graded: int = 0
    """Grading slots that are done, of ``to_grade``."""
    to_grade: int = 0
    sample: str = ""
    """How far people are with the answers that they are to grade, as a sentence; empty: none was passed on."""
    refinement: Mapping[str, int] = field(default_factory=dict)
    """Refinement: answers ``fed`` next to the items as they stand and ``decided``, items ``edited`` and ``refined``."""
    stopped: Sequence[str] = ()
    """People who get no more work because of their answers to gold, with the stage."""
    without_set: Sequence[str] = ()
    """Stages that ask people to qualify while there is no set of items to do it on."""


RULES = "rules"
"""The name of the reader of models' answers that goes by rules."""


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """What a model's answer states, as it was read and kept."""

    prediction_id: int
    reader: str
    """``rules``, or the name of a model that was asked."""
    version: int
    revision: int
    """Of the item, when it was answered."""
    kind: AnswerKind
    outcome: ReadOutcome
    value: Any
    """Only where ``outcome`` is read; as JSON gives it back."""
    places: Sequence[int]
    spans: Sequence[Sequence[int]]
    """Where in the answer it stands, from and up to."""
    rule: str
    why: str

    def words(self, text: str) -> list[str]:
        """The words of the answer that it was read from."""
        return [text[start:end] for start, end in self.spans]
