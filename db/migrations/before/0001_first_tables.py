"""The first tables, and the triggers that make annotations and revisions append-only."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.append_only import forbid_changes

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

APPEND_ONLY = ("annotation", "revision")


def upgrade() -> None:
    op.create_table(
        "failed_login",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("login", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_failed_login"),
    )
    op.create_index("ix_failed_login_login_at", "failed_login", ["login", "at"])

    op.create_table(
        "media_object",
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("mime", sa.String(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("duration", sa.Float(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_media_object"),
    )
    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("login", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=True),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_person"),
        sa.UniqueConstraint("login", name="uq_person_login"),
    )
    op.create_table(
        "schema_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("guideline_hash", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("guideline_text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_schema_version"),
        sa.UniqueConstraint("hash", name="uq_schema_version_hash"),
    )
    op.create_table(
        "project",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("made_up", sa.Boolean(), nullable=False),
        sa.Column("schema_version_id", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["schema_version_id"], ["schema_version.id"], name="fk_project_schema_version_id"),
        sa.PrimaryKeyConstraint("id", name="pk_project"),
        sa.UniqueConstraint("name", name="uq_project_name"),
    )
    op.create_table(
        "session",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("csrf", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_session_person_id"),
        sa.PrimaryKeyConstraint("id", name="pk_session"),
        sa.UniqueConstraint("token_hash", name="uq_session_token_hash"),
    )
    op.create_index("ix_session_person_id", "session", ["person_id"])

    op.create_table(
        "sign_in_link",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_sign_in_link_person_id"),
        sa.PrimaryKeyConstraint("id", name="pk_sign_in_link"),
        sa.UniqueConstraint("token_hash", name="uq_sign_in_link_token_hash"),
    )
    op.create_index("ix_sign_in_link_person_id", "sign_in_link", ["person_id"])

    op.create_table(
        "import_file",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("format", sa.String(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("tail", sa.Text(), nullable=False),
        sa.Column("meta", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_import_file_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_import_file"),
        sa.UniqueConstraint("project_id", "path", name="uq_import_file_project_id_path"),
    )
    op.create_table(
        "imported_rating",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column(
            "stage",
            sa.Enum(
                "triage",
                "authoring",
                "verification",
                "adjudication",
                "refinement",
                "grading",
                name="stage",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("criterion", sa.String(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=True),
        sa.Column("dimension", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_imported_rating_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_imported_rating"),
        sa.UniqueConstraint(
            "project_id",
            "stage",
            "unit",
            "rater",
            "criterion",
            name="uq_imported_rating_project_id_stage_unit_rater_criterion",
        ),
    )
    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column(
            "role",
            sa.Enum("annotator", "senior", "lead", name="role", native_enum=False, create_constraint=True, length=32),
            nullable=False,
        ),
        sa.Column("dimensions", sa.JSON(), nullable=True),
        sa.Column("stages", sa.JSON(), nullable=True),
        sa.Column("invited_by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("used_by_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["invited_by_id"], ["person.id"], name="fk_invitation_invited_by_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_invitation_project_id"),
        sa.ForeignKeyConstraint(["used_by_id"], ["person.id"], name="fk_invitation_used_by_id"),
        sa.PrimaryKeyConstraint("id", name="pk_invitation"),
        sa.UniqueConstraint("token_hash", name="uq_invitation_token_hash"),
    )
    op.create_index("ix_invitation_project_id", "invitation", ["project_id"])

    op.create_table(
        "member",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column(
            "role",
            sa.Enum("annotator", "senior", "lead", name="role", native_enum=False, create_constraint=True, length=32),
            nullable=False,
        ),
        sa.Column("dimensions", sa.JSON(), nullable=True),
        sa.Column("stages", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_member_person_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_member_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_member"),
        sa.UniqueConstraint("project_id", "person_id", name="uq_member_project_id_person_id"),
    )
    op.create_index("ix_member_person_id", "member", ["person_id"])

    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_run_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_run"),
        sa.UniqueConstraint("public_id", name="uq_run_public_id"),
    )
    op.create_index("ix_run_project_id", "run", ["project_id"])

    op.create_table(
        "source",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("taken", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_source_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_source"),
        sa.UniqueConstraint("project_id", "name", name="uq_source_project_id_name"),
    )
    op.create_table(
        "walk",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column(
            "stage",
            sa.Enum(
                "triage",
                "authoring",
                "verification",
                "adjudication",
                "refinement",
                "grading",
                name="stage",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("offset", sa.Integer(), nullable=False),
        sa.Column("cursor", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_walk_person_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_walk_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_walk"),
        sa.UniqueConstraint("project_id", "person_id", "stage", name="uq_walk_project_id_person_id_stage"),
    )
    op.create_index("ix_walk_person_id", "walk", ["person_id"])

    op.create_table(
        "asset",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=True),
        sa.Column("dimension", sa.String(), nullable=True),
        sa.Column("in_pool", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_asset_project_id"),
        sa.ForeignKeyConstraint(["sha256"], ["media_object.sha256"], name="fk_asset_sha256"),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name="fk_asset_source_id"),
        sa.PrimaryKeyConstraint("id", name="pk_asset"),
        sa.UniqueConstraint("public_id", name="uq_asset_public_id"),
    )
    op.create_index("ix_asset_pool", "asset", ["project_id", "in_pool", "id"])
    op.create_index("ix_asset_project_id_name", "asset", ["project_id", "name"])
    op.create_index("ix_asset_project_id_sha256", "asset", ["project_id", "sha256"])

    op.create_table(
        "item",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("dimension", sa.String(), nullable=False),
        sa.Column("external_id", sa.String(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=True),
        sa.Column("file_id", sa.Integer(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("fragment_lead", sa.Text(), nullable=True),
        sa.Column("fragment_raw", sa.Text(), nullable=True),
        sa.Column(
            "state",
            sa.Enum(
                "in_verification",
                "in_adjudication",
                "kept",
                "rejected",
                "unverified",
                name="itemstate",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("current_revision", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["person.id"], name="fk_item_author_id"),
        sa.ForeignKeyConstraint(["file_id"], ["import_file.id"], name="fk_item_file_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_item_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_item"),
        sa.UniqueConstraint("project_id", "external_id", name="uq_item_project_id_external_id"),
        sa.UniqueConstraint("public_id", name="uq_item_public_id"),
    )
    op.create_index("ix_item_author_id", "item", ["author_id"])
    op.create_index("ix_item_file", "item", ["file_id", "position"])
    op.create_index("ix_item_state", "item", ["project_id", "state", "dimension"])

    op.create_table(
        "item_asset",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("asset_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["asset_id"], ["asset.id"], name="fk_item_asset_asset_id"),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_item_asset_item_id"),
        sa.PrimaryKeyConstraint("id", name="pk_item_asset"),
        sa.UniqueConstraint("item_id", "role", "position", name="uq_item_asset_item_id_role_position"),
    )
    op.create_index("ix_item_asset_asset_id", "item_asset", ["asset_id"])

    op.create_table(
        "prediction",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_prediction_item_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_prediction_project_id"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_prediction_run_id"),
        sa.PrimaryKeyConstraint("id", name="pk_prediction"),
        sa.UniqueConstraint("item_id", "model", "run_id", name="uq_prediction_item_id_model_run_id"),
        sa.UniqueConstraint("public_id", name="uq_prediction_public_id"),
    )
    op.create_index("ix_prediction_project_id_model", "prediction", ["project_id", "model"])
    op.create_index("ix_prediction_run_id", "prediction", ["run_id"])

    op.create_table(
        "revision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("editor_id", sa.Integer(), nullable=True),
        sa.Column("schema_version_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["editor_id"], ["person.id"], name="fk_revision_editor_id"),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_revision_item_id"),
        sa.ForeignKeyConstraint(["schema_version_id"], ["schema_version.id"], name="fk_revision_schema_version_id"),
        sa.PrimaryKeyConstraint("id", name="pk_revision"),
        sa.UniqueConstraint("item_id", "number", name="uq_revision_item_id_number"),
    )
    op.create_index("ix_revision_editor_id", "revision", ["editor_id"])

    op.create_table(
        "task",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column(
            "stage",
            sa.Enum(
                "triage",
                "authoring",
                "verification",
                "adjudication",
                "refinement",
                "grading",
                name="stage",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=True),
        sa.Column("prediction_id", sa.Integer(), nullable=True),
        sa.Column("dimension", sa.String(), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "open",
                "claimed",
                "done",
                "withdrawn",
                name="taskstate",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("correcting", sa.Boolean(), nullable=False),
        sa.Column("shuffle", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_task_item_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_task_person_id"),
        sa.ForeignKeyConstraint(["prediction_id"], ["prediction.id"], name="fk_task_prediction_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_task_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_task"),
        sa.UniqueConstraint("public_id", name="uq_task_public_id"),
        sa.UniqueConstraint("unit", "person_id", name="uq_task_unit_person_id"),
        sa.UniqueConstraint("unit", "slot", name="uq_task_unit_slot"),
    )
    op.create_index("ix_task_item_id", "task", ["item_id"])
    op.create_index("ix_task_lease", "task", ["project_id", "stage", "state", "lease_until"])
    op.create_index("ix_task_mine", "task", ["person_id", "project_id", "stage", "state"])
    op.create_index("ix_task_next", "task", ["project_id", "stage", "state", "shuffle"])
    op.create_index("ix_task_next_dimension", "task", ["project_id", "stage", "state", "dimension", "shuffle"])
    op.create_index("ix_task_prediction_id", "task", ["prediction_id"])

    op.create_table(
        "annotation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column(
            "stage",
            sa.Enum(
                "triage",
                "authoring",
                "verification",
                "adjudication",
                "refinement",
                "grading",
                name="stage",
                native_enum=False,
                create_constraint=True,
                length=32,
            ),
            nullable=False,
        ),
        sa.Column("dimension", sa.String(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("prediction_id", sa.Integer(), nullable=True),
        sa.Column("submit_key", sa.String(), nullable=False),
        sa.Column("answers", sa.JSON(), nullable=False),
        sa.Column("reasons", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("supersedes_id", sa.Integer(), nullable=True),
        sa.Column("schema_version_id", sa.Integer(), nullable=False),
        sa.Column("schema_hash", sa.String(), nullable=False),
        sa.Column("guideline_hash", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["item_id", "revision"], ["revision.item_id", "revision.number"], name="fk_annotation_item_id_revision"
        ),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_annotation_item_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_annotation_person_id"),
        sa.ForeignKeyConstraint(["prediction_id"], ["prediction.id"], name="fk_annotation_prediction_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_annotation_project_id"),
        sa.ForeignKeyConstraint(["schema_version_id"], ["schema_version.id"], name="fk_annotation_schema_version_id"),
        sa.ForeignKeyConstraint(["supersedes_id"], ["annotation.id"], name="fk_annotation_supersedes_id"),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name="fk_annotation_task_id"),
        sa.PrimaryKeyConstraint("id", name="pk_annotation"),
        sa.UniqueConstraint("person_id", "submit_key", name="uq_annotation_person_id_submit_key"),
        sa.UniqueConstraint("public_id", name="uq_annotation_public_id"),
        sa.UniqueConstraint("supersedes_id", name="uq_annotation_supersedes_id"),
    )
    op.create_index("ix_annotation_item", "annotation", ["item_id", "stage", "revision"])
    op.create_index("ix_annotation_person", "annotation", ["person_id", "project_id", "stage", "id"])
    op.create_index("ix_annotation_prediction_id", "annotation", ["prediction_id"])
    op.create_index("ix_annotation_project_id_stage", "annotation", ["project_id", "stage"])
    op.create_index("ix_annotation_task_id", "annotation", ["task_id"])

    op.create_table(
        "draft",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("lost", sa.Boolean(), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_draft_person_id"),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name="fk_draft_task_id"),
        sa.PrimaryKeyConstraint("id", name="pk_draft"),
        sa.UniqueConstraint("task_id", "person_id", name="uq_draft_task_id_person_id"),
    )
    op.create_index("ix_draft_person_id", "draft", ["person_id"])

    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("item_id", sa.Integer(), nullable=True),
        sa.Column("task_id", sa.Integer(), nullable=True),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_event_item_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_event_person_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_event_project_id"),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name="fk_event_task_id"),
        sa.PrimaryKeyConstraint("id", name="pk_event"),
    )
    op.create_index("ix_event_item_id", "event", ["item_id"])
    op.create_index("ix_event_person_id", "event", ["person_id"])
    op.create_index("ix_event_project_id_id", "event", ["project_id", "id"])
    op.create_index("ix_event_task_id", "event", ["task_id"])

    op.create_table(
        "pick",
        sa.Column("asset_id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["asset_id"], ["asset.id"], name="fk_pick_asset_id"),
        sa.ForeignKeyConstraint(["task_id"], ["task.id"], name="fk_pick_task_id"),
        sa.PrimaryKeyConstraint("asset_id", name="pk_pick"),
    )
    op.create_index("ix_pick_task_id", "pick", ["task_id"])

    for table in APPEND_ONLY:
        forbid_changes(op.get_bind(), table)
