"""The tables.

Ids that leave the server are random (``public_id``); the integers stay inside. What people have said
and decided is append-only (``APPEND_ONLY``): triggers of the database refuse to change or delete such rows.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, ForeignKeyConstraint, Index, Text, UniqueConstraint, false, text
from sqlmodel import Field, SQLModel

from db.types import UTCDateTime, enum_column, public_id, word_column
from domain.roles import Role
from domain.states import ItemState, Purpose, Sifted, Stage, TaskState

APPEND_ONLY = (
    "annotation",
    "revision",
    "guideline_version",
    "cause_answer",
    "comment",
    "event",
    "sift_decision",
    "qualification_set",
    "qualification",
    "qualification_review",
    "gold_pardon",
)

SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


# ---- people ---------------------------------------------------------------------------------------------------------


class PersonRow(SQLModel, table=True):
    """Somebody with an account. Deactivating keeps the row, so that votes keep their author."""

    __tablename__ = "person"

    id: int | None = Field(default=None, primary_key=True)
    login: str = Field(unique=True)
    name: str
    password_hash: str | None = None
    is_admin: bool = False
    active: bool = True
    created_at: datetime = Field(sa_type=UTCDateTime)


class SessionRow(SQLModel, table=True):
    """A sign-in that lasts. Only the hash of its token is stored."""

    __tablename__ = "session"

    id: int | None = Field(default=None, primary_key=True)
    token_hash: str = Field(unique=True)
    person_id: int = Field(foreign_key="person.id", index=True)
    csrf: str
    created_at: datetime = Field(sa_type=UTCDateTime)
    expires_at: datetime = Field(sa_type=UTCDateTime)


class SignInLinkRow(SQLModel, table=True):
    """A link that signs a person in once."""

    __tablename__ = "sign_in_link"

    id: int | None = Field(default=None, primary_key=True)
    token_hash: str = Field(unique=True)
    person_id: int = Field(foreign_key="person.id", index=True)
    created_at: datetime = Field(sa_type=UTCDateTime)
    expires_at: datetime = Field(sa_type=UTCDateTime)
    used_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class InvitationRow(SQLModel, table=True):
    """A link with which somebody makes an account and joins a project, once."""

    __tablename__ = "invitation"

    id: int | None = Field(default=None, primary_key=True)
    token_hash: str = Field(unique=True)
    project_id: int = Field(foreign_key="project.id", index=True)
    role: Role = Field(sa_column=enum_column(Role))
    dimensions: list[str] | None = Field(default=None, sa_type=JSON)
    stages: list[str] | None = Field(default=None, sa_type=JSON)
    invited_by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)
    expires_at: datetime = Field(sa_type=UTCDateTime)
    used_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    used_by_id: int | None = Field(default=None, foreign_key="person.id")


class FailedLoginRow(SQLModel, table=True):
    """An attempt to sign in that has not succeeded, kept to slow down the next ones."""

    __tablename__ = "failed_login"
    __table_args__ = (Index("ix_failed_login_login_at", "login", "at"),)

    id: int | None = Field(default=None, primary_key=True)
    login: str
    at: datetime = Field(sa_type=UTCDateTime)


# ---- projects -------------------------------------------------------------------------------------------------------


class SchemaVersionRow(SQLModel, table=True):
    """A schema as it was when a project began to use it, with its guideline. Never changed."""

    __tablename__ = "schema_version"

    id: int | None = Field(default=None, primary_key=True)
    name: str
    version: int
    hash: str = Field(unique=True)
    guideline_hash: str
    text: str = Field(sa_type=Text)
    guideline_text: str = Field(sa_type=Text)
    created_at: datetime = Field(sa_type=UTCDateTime)


class ProjectRow(SQLModel, table=True):
    """A benchmark being made."""

    __tablename__ = "project"

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    title: str
    made_up: bool = False
    schema_version_id: int = Field(foreign_key="schema_version.id")
    seed: int
    """From which every shuffled order of this project follows."""
    created_at: datetime = Field(sa_type=UTCDateTime)
    guideline_number: int = Field(default=1, sa_column_kwargs={"server_default": "1"})
    """The version of its guideline that is in force."""


class GuidelineVersionRow(SQLModel, table=True):
    """A guideline as it was in force for a while; the first came with the schema. Append-only."""

    __tablename__ = "guideline_version"
    __table_args__ = (
        UniqueConstraint("project_id", "number"),
        UniqueConstraint("project_id", "hash"),
    )

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    number: int
    hash: str
    text: str = Field(sa_type=Text)
    why: str = Field(default="", sa_type=Text)
    by_id: int | None = Field(default=None, foreign_key="person.id")
    requalify: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whoever has qualified for a stage has to pass a set that was made under this version or a later one."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class GuidelineSeenRow(SQLModel, table=True):
    """The version of the guideline that somebody has opened last."""

    __tablename__ = "guideline_seen"

    project_id: int = Field(primary_key=True, foreign_key="project.id")
    person_id: int = Field(primary_key=True, foreign_key="person.id")
    number: int
    seen_at: datetime = Field(sa_type=UTCDateTime)


class MemberRow(SQLModel, table=True):
    """A person's part in a project. None stands for all dimensions, all stages."""

    __tablename__ = "member"
    __table_args__ = (UniqueConstraint("project_id", "person_id"),)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    role: Role = Field(sa_column=enum_column(Role))
    dimensions: list[str] | None = Field(default=None, sa_type=JSON)
    stages: list[str] | None = Field(default=None, sa_type=JSON)


# ---- media ----------------------------------------------------------------------------------------------------------


class SourceRow(SQLModel, table=True):
    """A video or collection that media came from. ``taken`` counts its images that left the pool, ``kept`` its
    candidates that came into it."""

    __tablename__ = "source"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    name: str
    taken: int = 0
    kept: int = Field(default=0, sa_column_kwargs={"server_default": "0"})


class MediaObjectRow(SQLModel, table=True):
    """A file of the media store."""

    __tablename__ = "media_object"

    sha256: str = Field(primary_key=True)
    kind: str
    mime: str
    bytes: int = Field(sa_type=BigInteger)
    width: int | None = None
    height: int | None = None
    duration: float | None = None
    created_at: datetime = Field(sa_type=UTCDateTime)


class AssetRow(SQLModel, table=True):
    """An image or clip of a project. Without ``sha256`` it is named by a file, but missing."""

    __tablename__ = "asset"
    __table_args__ = (
        Index("ix_asset_project_id_name", "project_id", "name"),
        Index("ix_asset_pool", "project_id", "in_pool", "id"),
        Index("ix_asset_project_id_sha256", "project_id", "sha256"),
    )

    id: int | None = Field(default=None, primary_key=True)
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    sha256: str | None = Field(default=None, foreign_key="media_object.sha256")
    name: str
    kind: str
    source_id: int | None = Field(default=None, foreign_key="source.id")
    dimension: str | None = None
    """The only dimension that may use it; None: any."""
    in_pool: bool = False
    """Free in the shared pool now."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class PickRow(SQLModel, table=True):
    """An image that somebody took out of the pool. Its primary key makes that possible once."""

    __tablename__ = "pick"

    asset_id: int = Field(primary_key=True, foreign_key="asset.id")
    task_id: int = Field(foreign_key="task.id", index=True)
    position: int


LOOK_PARTS = tuple(f"((look >> {9 * at}) & {511 if at < 6 else 1023})" for at in range(7))
"""The 64 bits of a hash in seven parts: two hashes that differ in at most six bits are the same in one of them."""


class CandidateRow(SQLModel, table=True):
    """An image that has to be sifted before it may be in the pool, and in whose hands it is."""

    __tablename__ = "candidate"
    __table_args__ = (
        Index("ix_candidate_waiting", "project_id", "state", "asset_id"),
        Index("ix_candidate_mine", "person_id", "project_id", "state"),
        *(Index(f"ix_candidate_look_{at}", "project_id", "state", text(part)) for at, part in enumerate(LOOK_PARTS)),
    )

    asset_id: int = Field(primary_key=True, foreign_key="asset.id", sa_column_kwargs={"autoincrement": False})
    project_id: int = Field(foreign_key="project.id")
    source_id: int | None = Field(default=None, foreign_key="source.id", index=True)
    state: Sifted = Field(default=Sifted.WAITING, sa_column=word_column(Sifted, Sifted.WAITING))
    """A cache of what its latest decision says."""
    sharpness: float | None = None
    look: int | None = Field(default=None, sa_type=BigInteger)
    """Its difference hash: images that look alike differ in few bits."""
    person_id: int | None = Field(default=None, foreign_key="person.id")
    lease_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    group_id: int | None = None
    """The asset beside which it was shown last."""
    decision_id: int | None = None
    """Its latest decision."""


class SiftDecisionRow(SQLModel, table=True):
    """What somebody decided about a candidate. Append-only; the latest counts."""

    __tablename__ = "sift_decision"
    __table_args__ = (
        UniqueConstraint("person_id", "submit_key", "asset_id"),
        Index("ix_sift_decision_project_id_id", "project_id", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    asset_id: int = Field(foreign_key="asset.id", index=True)
    person_id: int | None = Field(default=None, foreign_key="person.id")
    submit_key: str
    action: str
    """kept, dropped, undone or brought_back."""
    reason: str = ""
    """Of a dropped one: a value of the schema's, or typed."""
    typed: bool = False
    schema_version_id: int = Field(foreign_key="schema_version.id")
    guideline_hash: str
    created_at: datetime = Field(sa_type=UTCDateTime)


# ---- items ----------------------------------------------------------------------------------------------------------


class ImportFileRow(SQLModel, table=True):
    """What stands around the records of an imported annotation file."""

    __tablename__ = "import_file"
    __table_args__ = (UniqueConstraint("project_id", "path"),)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    path: str
    format: str
    head: str = Field(default="", sa_type=Text)
    tail: str = Field(default="", sa_type=Text)
    meta: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    created_at: datetime = Field(sa_type=UTCDateTime)


class ItemRow(SQLModel, table=True):
    """One benchmark example. ``state`` is a cache of what its votes come to."""

    __tablename__ = "item"
    __table_args__ = (
        UniqueConstraint("project_id", "external_id"),
        Index("ix_item_state", "project_id", "state", "dimension"),
        Index("ix_item_file", "file_id", "position"),
    )

    id: int | None = Field(default=None, primary_key=True)
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    dimension: str
    external_id: str
    author_id: int | None = Field(default=None, foreign_key="person.id", index=True)
    file_id: int | None = Field(default=None, foreign_key="import_file.id")
    position: int | None = None
    fragment_lead: str | None = Field(default=None, sa_type=Text)
    fragment_raw: str | None = Field(default=None, sa_type=Text)
    state: ItemState = Field(sa_column=enum_column(ItemState))
    current_revision: int = 1
    priority: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """Higher comes first, in stages whose order is by priority."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class ItemAssetRow(SQLModel, table=True):
    """Which assets an item has, in which role and order."""

    __tablename__ = "item_asset"
    __table_args__ = (UniqueConstraint("item_id", "role", "position"),)

    id: int | None = Field(default=None, primary_key=True)
    item_id: int = Field(foreign_key="item.id")
    asset_id: int = Field(foreign_key="asset.id", index=True)
    role: str
    position: int = 0


class RevisionRow(SQLModel, table=True):
    """An item's content at a moment. Append-only."""

    __tablename__ = "revision"
    __table_args__ = (
        UniqueConstraint("item_id", "number"),
        Index("ix_revision_item_id_editor_id", "item_id", "editor_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    item_id: int = Field(foreign_key="item.id")
    number: int
    content: dict[str, Any] = Field(sa_type=JSON)
    """The fields by name."""
    editor_id: int | None = Field(default=None, foreign_key="person.id")
    schema_version_id: int = Field(foreign_key="schema_version.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


# ---- models' answers ------------------------------------------------------------------------------------------------


class RunRow(SQLModel, table=True):
    """One execution of a model or of a judge over many items, or one import of such answers."""

    __tablename__ = "run"

    id: int | None = Field(default=None, primary_key=True)
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id", index=True)
    kind: str
    name: str
    params: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    created_at: datetime = Field(sa_type=UTCDateTime)


class PredictionRow(SQLModel, table=True):
    """A model's answer to an item."""

    __tablename__ = "prediction"
    __table_args__ = (
        UniqueConstraint("item_id", "model", "run_id"),
        Index("ix_prediction_project_id_model", "project_id", "model"),
    )

    id: int | None = Field(default=None, primary_key=True)
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    item_id: int = Field(foreign_key="item.id")
    run_id: int = Field(foreign_key="run.id", index=True)
    model: str
    text: str = Field(sa_type=Text)
    created_at: datetime = Field(sa_type=UTCDateTime)


class ImportedRatingRow(SQLModel, table=True):
    """A line of a ratings file."""

    __tablename__ = "imported_rating"
    __table_args__ = (UniqueConstraint("project_id", "stage", "unit", "rater", "criterion"),)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    stage: Stage = Field(sa_column=enum_column(Stage))
    unit: str
    rater: str
    criterion: str
    value: Any = Field(sa_column=Column("value", JSON, nullable=True))
    dimension: str | None = None
    created_at: datetime = Field(sa_type=UTCDateTime)


# ---- work -----------------------------------------------------------------------------------------------------------


class TaskRow(SQLModel, table=True):
    """One slot of work in a stage.

    ``unit`` names what is worked on (an item's revision in a stage, a prediction, an item being written), so that
    two constraints hold the protocol: a slot exists once, and a person has at most one slot of a unit.
    """

    __tablename__ = "task"
    __table_args__ = (
        UniqueConstraint("unit", "slot"),
        UniqueConstraint("unit", "person_id"),
        Index("ix_task_next", "project_id", "stage", "state", "rank", "shuffle"),
        Index("ix_task_next_dimension", "project_id", "stage", "state", "dimension", "rank", "shuffle"),
        Index("ix_task_opened", "project_id", "stage", "state", "opened", "id"),
        Index("ix_task_lease", "project_id", "stage", "state", "lease_until"),
        Index("ix_task_mine", "person_id", "project_id", "stage", "state"),
        Index("ix_task_correcting", "person_id", "correcting"),
    )

    id: int | None = Field(default=None, primary_key=True)
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    stage: Stage = Field(sa_column=enum_column(Stage))
    unit: str
    slot: int = 0
    item_id: int | None = Field(default=None, foreign_key="item.id", index=True)
    revision: int | None = None
    prediction_id: int | None = Field(default=None, foreign_key="prediction.id", index=True)
    dimension: str
    state: TaskState = Field(sa_column=enum_column(TaskState))
    person_id: int | None = Field(default=None, foreign_key="person.id")
    lease_until: datetime | None = Field(default=None, sa_type=UTCDateTime)
    correcting: bool = False
    """Done, and reopened by the person who did it; the annotation stands until a superseding one arrives."""
    purpose: Purpose = Field(default=Purpose.LIVE, sa_column=word_column(Purpose, Purpose.LIVE))
    rank: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """Lower comes first, whatever the shuffled order says (``tasks.rank_of``)."""
    shuffle: int
    opened: int = Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    """When it was last offered, as a number that grows: what people who have looked at everything still have to see."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class WalkRow(SQLModel, table=True):
    """Where a person is in the order of a stage, or of one dimension of it (``db.walks``).

    A lap goes once over everything that was open when it began; after it, and in ranked orders beside it, comes what
    has been offered since.
    """

    __tablename__ = "walk"
    __table_args__ = (UniqueConstraint("project_id", "person_id", "stage", "dimension"),)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    stage: Stage = Field(sa_column=enum_column(Stage))
    dimension: str = ""
    """Empty: all of them."""
    bits: int | None = None
    """The lap goes through two to this power blocks in an order of the person's own; None before the first lap."""
    rank: int = Field(default=0, sa_type=BigInteger)
    place: int = Field(default=-1, sa_type=BigInteger)
    """With ``rank``, the last place of the lap that was looked at; a random order is counted along the person's own."""
    ended: bool = False
    begun: int = Field(default=0, sa_type=BigInteger)
    """When the lap began, on the scale of ``TaskRow.opened``."""
    cost: int = Field(default=0, sa_type=BigInteger)
    """Microseconds spent in this lap on looking at slots that the person could not take."""
    heard: int = Field(default=0, sa_type=BigInteger)
    heard_id: int = Field(default=0, sa_type=BigInteger)
    """With ``heard``, up to where the person has seen what was offered since the lap began."""


class AsideRow(SQLModel, table=True):
    """A unit that a person has put off: it is offered to them again after everything else."""

    __tablename__ = "aside"
    __table_args__ = (
        UniqueConstraint("person_id", "unit"),
        Index("ix_aside_person_id", "person_id", "project_id", "stage", "at"),
    )

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    person_id: int = Field(foreign_key="person.id")
    stage: Stage = Field(sa_column=enum_column(Stage))
    task_id: int = Field(foreign_key="task.id", index=True)
    unit: str
    released: bool
    """Given back for others at once; else it stays with the person until its lease ends."""
    at: datetime = Field(sa_type=UTCDateTime)


class TallyRow(SQLModel, table=True):
    """How much waits for a person in a stage, as it was counted a while ago: counting thousands takes long."""

    __tablename__ = "tally"
    __table_args__ = (UniqueConstraint("project_id", "person_id", "stage"),)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    stage: Stage = Field(sa_column=enum_column(Stage))
    counted_at: datetime = Field(sa_type=UTCDateTime)
    fresh_until: datetime = Field(sa_type=UTCDateTime)
    left: dict[str, int] = Field(default_factory=dict, sa_type=JSON)
    """By dimension, as ``done``."""
    done: dict[str, int] = Field(default_factory=dict, sa_type=JSON)
    kept: int = 0
    decided: int = 0


class AnnotationRow(SQLModel, table=True):
    """What one rater submitted for one task, under which schema and guideline. Append-only; the latest counts."""

    __tablename__ = "annotation"
    __table_args__ = (
        UniqueConstraint("person_id", "submit_key"),
        UniqueConstraint("supersedes_id"),
        ForeignKeyConstraint(["item_id", "revision"], ["revision.item_id", "revision.number"]),
        Index("ix_annotation_item", "item_id", "stage", "revision"),
        Index("ix_annotation_person", "person_id", "project_id", "stage", "id"),
        Index("ix_annotation_project_id_stage", "project_id", "stage"),
    )

    id: int | None = Field(default=None, primary_key=True)
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    task_id: int = Field(foreign_key="task.id", index=True)
    person_id: int = Field(foreign_key="person.id")
    stage: Stage = Field(sa_column=enum_column(Stage))
    purpose: Purpose = Field(default=Purpose.LIVE, sa_column=word_column(Purpose, Purpose.LIVE))
    dimension: str
    item_id: int = Field(foreign_key="item.id")
    revision: int
    prediction_id: int | None = Field(default=None, foreign_key="prediction.id", index=True)
    submit_key: str
    answers: dict[str, Any] = Field(sa_type=JSON)
    """The values by criterion (authoring: by field)."""
    reasons: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)
    shown: dict[str, Any] | None = Field(
        default=None, sa_column=Column("shown", JSON(none_as_null=True), nullable=True)
    )
    """Fields whose entries were shuffled for this rater, as they stood on the page; under ``prediction`` which of an
    item's shuffled answers this was, and of how many."""
    note: str = Field(default="", sa_type=Text)
    seconds: float | None = None
    weight: float | None = None
    """Where votes are weighed: its rater's score in the qualification at that moment, if there was one."""
    supersedes_id: int | None = Field(default=None, foreign_key="annotation.id")
    schema_version_id: int = Field(foreign_key="schema_version.id")
    schema_hash: str
    guideline_hash: str
    created_at: datetime = Field(sa_type=UTCDateTime)


class CauseAnswerRow(SQLModel, table=True):
    """What a lead has made of the cause of a senior's decision: the version that answers it, or why none has to."""

    __tablename__ = "cause_answer"

    annotation_id: int = Field(primary_key=True, foreign_key="annotation.id")
    guideline_version_id: int = Field(foreign_key="guideline_version.id", index=True)
    why: str = Field(default="", sa_type=Text)
    by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class DraftRow(SQLModel, table=True):
    """What somebody has typed for a task so far; kept when the task goes to somebody else."""

    __tablename__ = "draft"
    __table_args__ = (UniqueConstraint("task_id", "person_id"), Index("ix_draft_lost", "lost", "saved_at"))

    id: int | None = Field(default=None, primary_key=True)
    task_id: int = Field(foreign_key="task.id")
    person_id: int = Field(foreign_key="person.id", index=True)
    seq: int
    content: dict[str, Any] = Field(sa_type=JSON)
    lost: bool = False
    """Arrived as a submission after the lease had gone to somebody else."""
    put_away_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    """When its writer took it off the list of kept texts."""
    saved_at: datetime = Field(sa_type=UTCDateTime)


class CommentRow(SQLModel, table=True):
    """A remark about an item, in the thread that all remarks about it make. Append-only."""

    __tablename__ = "comment"
    __table_args__ = (
        UniqueConstraint("person_id", "submit_key"),
        Index("ix_comment_item_id_id", "item_id", "id"),
        Index("ix_comment_project_id_id", "project_id", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    item_id: int = Field(foreign_key="item.id")
    person_id: int = Field(foreign_key="person.id")
    reply_to_id: int | None = Field(default=None, foreign_key="comment.id")
    submit_key: str
    text: str = Field(sa_type=Text)
    early: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Its writer says that it gives nothing away, so whoever it is for may read it before the verdict."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class CommentForRow(SQLModel, table=True):
    """Whom a comment is for: people it mentions, and the writer of what it answers."""

    __tablename__ = "comment_for"

    comment_id: int = Field(primary_key=True, foreign_key="comment.id")
    person_id: int = Field(primary_key=True, foreign_key="person.id", index=True)
    read_at: datetime | None = Field(default=None, sa_type=UTCDateTime)


class InsightRow(SQLModel, table=True):
    """Who has looked at an item's votes or comments while others still answered about it blind: they are asked about it
    blind no more."""

    __tablename__ = "insight"

    item_id: int = Field(primary_key=True, foreign_key="item.id")
    person_id: int = Field(primary_key=True, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class QualificationSetRow(SQLModel, table=True):
    """The items to pass before a stage. The newest set of a stage is the one that people work on. Append-only."""

    __tablename__ = "qualification_set"
    __table_args__ = (UniqueConstraint("project_id", "stage", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    stage: str = Field(max_length=32)
    number: int
    item_ids: list[int] = Field(sa_type=JSON)
    prediction_ids: list[int] | None = Field(
        default=None, sa_column=Column("prediction_ids", JSON(none_as_null=True), nullable=True)
    )
    """Where models' answers are graded: each of them, ``item_ids`` naming its item at the same place."""
    requalify: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whoever passed an earlier set has to pass this one as well."""
    guideline_hash: str
    seed: int
    """From which the draw of the items follows."""
    wanted: int | None = None
    """How many were to be drawn, which may be more than there were; None: the items were named."""
    made_by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)


class QualificationRow(SQLModel, table=True):
    """One try of a person to qualify for a stage, or their exemption (without a set). Append-only: where it stands
    follows from the answers and the reviews."""

    __tablename__ = "qualification"
    __table_args__ = (UniqueConstraint("project_id", "stage", "person_id", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    stage: str = Field(max_length=32)
    set_id: int | None = Field(default=None, foreign_key="qualification_set.id")
    person_id: int = Field(foreign_key="person.id")
    number: int
    exempt_by_id: int | None = Field(default=None, foreign_key="person.id")
    why: str = Field(default="", sa_column_kwargs={"server_default": ""})
    created_at: datetime = Field(sa_type=UTCDateTime)


class QualificationReviewRow(SQLModel, table=True):
    """What a senior said of a try: signed or sent back, with comments by item. Append-only; a reviewer's newest
    counts."""

    __tablename__ = "qualification_review"

    id: int | None = Field(default=None, primary_key=True)
    qualification_id: int = Field(foreign_key="qualification.id", index=True)
    person_id: int = Field(foreign_key="person.id")
    signs: bool
    comments: dict[str, str] = Field(default_factory=dict, sa_type=JSON)
    state: str = Field(max_length=32)
    """Where the try stood with this review, as it was then: what lets somebody into the stage."""
    n_right: int
    reference_ids: list[int] | None = Field(
        default=None, sa_column=Column("reference_ids", JSON(none_as_null=True), nullable=True)
    )
    """The seniors' answers (annotations) that the try was compared with; None in rows from before it was kept."""
    created_at: datetime = Field(sa_type=UTCDateTime)


class GoldRow(SQLModel, table=True):
    """An item's revision, or a model's answer, whose right answers in a stage are known. Withdrawn ones count for
    nobody; nothing else of a row changes."""

    __tablename__ = "gold"
    __table_args__ = (Index("ix_gold_project_id_stage", "project_id", "stage"),)

    id: int | None = Field(default=None, primary_key=True)
    public_id: str = Field(default_factory=public_id, unique=True)
    project_id: int = Field(foreign_key="project.id")
    stage: str = Field(max_length=32)
    item_id: int = Field(foreign_key="item.id", index=True)
    revision: int
    prediction_id: int | None = Field(default=None, foreign_key="prediction.id")
    dimension: str
    answers: dict[str, Any] = Field(sa_type=JSON)
    """The right answers by criterion; what is not in it is not looked at."""
    made_by_id: int | None = Field(default=None, foreign_key="person.id")
    created_at: datetime = Field(sa_type=UTCDateTime)
    withdrawn_at: datetime | None = Field(default=None, sa_type=UTCDateTime)
    why: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """Why it was withdrawn."""


class GoldPardonRow(SQLModel, table=True):
    """A lead lets somebody work on whom their answers to gold had stopped: what came before counts no more for that.
    Append-only."""

    __tablename__ = "gold_pardon"

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(foreign_key="project.id")
    stage: str = Field(max_length=32)
    person_id: int = Field(foreign_key="person.id", index=True)
    by_id: int | None = Field(default=None, foreign_key="person.id")
    why: str
    created_at: datetime = Field(sa_type=UTCDateTime)


class EventRow(SQLModel, table=True):
    """Who did what, when, from where. Append-only; never read to decide anything but what a person may still see."""

    __tablename__ = "event"
    __table_args__ = (
        Index("ix_event_project_id_id", "project_id", "id"),
        Index("ix_event_project_id_kind", "project_id", "kind", "id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    at: datetime = Field(sa_type=UTCDateTime)
    kind: str
    project_id: int | None = Field(default=None, foreign_key="project.id")
    person_id: int | None = Field(default=None, foreign_key="person.id", index=True)
    item_id: int | None = Field(default=None, foreign_key="item.id", index=True)
    task_id: int | None = Field(default=None, foreign_key="task.id", index=True)
    origin: str | None = None
    """An address on the network, or ``command``."""
    data: dict[str, Any] = Field(default_factory=dict, sa_type=JSON)


metadata = SQLModel.metadata
