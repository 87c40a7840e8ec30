"""All tables of the first release."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = None
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def _words(name: str, *words: str) -> sa.Enum:
    """Text that is one of these words, which the database checks."""
    return sa.Enum(*words, name=name, native_enum=False, create_constraint=True, length=32)


ROLE = _words("role", "annotator", "senior", "lead")
LOOK_PARTS = tuple(f"((look >> {9 * at}) & {511 if at < 6 else 1023})" for at in range(7))
"""The parts of a picture's hash by which alike pictures are found."""


def upgrade() -> None:
    op.create_table(
        "failed_login",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("login", sa.String(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
    )
    op.create_index("ix_failed_login_login_at", "failed_login", ["login", "at"])

    op.create_table(
        "media_object",
        sa.Column("sha256", sa.String(), primary_key=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("mime", sa.String(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("duration", sa.Float(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
    )

    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("login", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=True),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("login"),
    )

    op.create_table(
        "schema_version",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("guideline_hash", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("guideline_text", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("hash"),
    )

    op.create_table(
        "project",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("made_up", sa.Boolean(), nullable=False),
        sa.Column("schema_version_id", sa.Integer(), sa.ForeignKey("schema_version.id"), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("guideline_number", sa.Integer(), server_default="1", nullable=False),
        sa.Column("reading", sa.JSON(), nullable=True),
        sa.Column("archived_at", MOMENT, nullable=True),
        sa.Column("release_key", sa.String(), server_default="", nullable=False),
        sa.UniqueConstraint("name"),
    )

    op.create_table(
        "session",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("csrf", sa.String(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.UniqueConstraint("token_hash"),
    )
    op.create_index("ix_session_person_id", "session", ["person_id"])

    op.create_table(
        "sign_in_link",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("used_at", MOMENT, nullable=True),
        sa.UniqueConstraint("token_hash"),
    )
    op.create_index("ix_sign_in_link_person_id", "sign_in_link", ["person_id"])

    op.create_table(
        "bridge",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("stages", sa.JSON(), nullable=False),
        sa.Column("ahead", sa.Integer(), server_default="3", nullable=False),
        sa.Column("hold_hours", sa.Float(), server_default="8", nullable=False),
        sa.Column("stay", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("pulled_at", MOMENT, nullable=True),
        sa.Column("pushed_at", MOMENT, nullable=True),
        sa.Column("woken_at", MOMENT, nullable=True),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("busy_by", sa.String(), nullable=True),
        sa.Column("busy_until", MOMENT, nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("project_id", "address"),
    )

    op.create_table(
        "file_rater",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("is_person", sa.Boolean(), nullable=False),
        sa.UniqueConstraint("project_id", "name"),
    )

    op.create_table(
        "gold_pardon",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("by_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=True),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
    )
    op.create_index("ix_gold_pardon_person_id", "gold_pardon", ["person_id"])

    op.create_table(
        "guideline_seen",
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), primary_key=True),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), primary_key=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
    )

    op.create_table(
        "guideline_version",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("requalify", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.UniqueConstraint("project_id", "hash"),
        sa.UniqueConstraint("project_id", "number"),
    )

    op.create_table(
        "import_file",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("format", sa.String(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("tail", sa.Text(), nullable=False),
        sa.Column("meta", sa.JSON(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("project_id", "path"),
    )

    op.create_table(
        "imported_rating",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("criterion", sa.String(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=True),
        sa.Column("dimension", sa.String(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("schema_version_id", sa.Integer(), nullable=True),
        sa.UniqueConstraint("project_id", "stage", "unit", "rater", "criterion"),
    )

    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("role", ROLE, nullable=False),
        sa.Column("dimensions", sa.JSON(), nullable=True),
        sa.Column("stages", sa.JSON(), nullable=True),
        sa.Column("invited_by_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("used_at", MOMENT, nullable=True),
        sa.Column("used_by_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=True),
        sa.Column("dimensions_given", sa.JSON(), nullable=True),
        sa.Column("dimensions_version", sa.Integer(), nullable=True),
        sa.UniqueConstraint("token_hash"),
    )
    op.create_index("ix_invitation_project_id", "invitation", ["project_id"])

    op.create_table(
        "judge_template",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("project_id", "hash"),
        sa.UniqueConstraint("project_id", "name", "version"),
    )

    op.create_table(
        "member",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("role", ROLE, nullable=False),
        sa.Column("dimensions", sa.JSON(), nullable=True),
        sa.Column("stages", sa.JSON(), nullable=True),
        sa.Column("dimensions_given", sa.JSON(), nullable=True),
        sa.Column("dimensions_version", sa.Integer(), nullable=True),
        sa.UniqueConstraint("project_id", "person_id"),
    )
    op.create_index("ix_member_person_id", "member", ["person_id"])

    op.create_table(
        "qualification_set",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("item_ids", sa.JSON(), nullable=False),
        sa.Column("requalify", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("guideline_hash", sa.String(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("made_by_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("wanted", sa.Integer(), nullable=True),
        sa.Column("prediction_ids", sa.JSON(), nullable=True),
        sa.UniqueConstraint("project_id", "stage", "number"),
    )

    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("kind", sa.String(32), server_default="import", nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("params", sa.JSON(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("state", sa.String(32), server_default="done", nullable=False),
        sa.Column("spec_hash", sa.String(), server_default="", nullable=False),
        sa.Column("wanted", sa.Integer(), server_default="0", nullable=False),
        sa.Column("said", sa.Text(), server_default="", nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("started_at", MOMENT, nullable=True),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.Column("withdrawn_at", MOMENT, nullable=True),
        sa.Column("withdrawn_why", sa.Text(), server_default="", nullable=False),
        sa.UniqueConstraint("public_id"),
    )
    op.create_index("ix_run_project_id", "run", ["project_id"])

    op.create_table(
        "source",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("taken", sa.Integer(), nullable=False),
        sa.Column("kept", sa.Integer(), server_default="0", nullable=False),
        sa.UniqueConstraint("project_id", "name"),
    )

    op.create_table(
        "tally",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("counted_at", MOMENT, nullable=False),
        sa.Column("fresh_until", MOMENT, nullable=False),
        sa.Column("left", sa.JSON(), nullable=False),
        sa.Column("done", sa.JSON(), nullable=False),
        sa.Column("kept", sa.Integer(), nullable=False),
        sa.Column("decided", sa.Integer(), nullable=False),
        sa.UniqueConstraint("project_id", "person_id", "stage"),
    )
    op.create_index("ix_tally_person_id", "tally", ["person_id"])

    op.create_table(
        "walk",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("dimension", sa.String(), nullable=False),
        sa.Column("bits", sa.Integer(), nullable=True),
        sa.Column("rank", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("begun", sa.BigInteger(), nullable=False),
        sa.Column("cost", sa.BigInteger(), nullable=False),
        sa.Column("heard", sa.BigInteger(), nullable=False),
        sa.Column("heard_id", sa.BigInteger(), nullable=False),
        sa.Column("ended", sa.Boolean(), nullable=False),
        sa.UniqueConstraint("project_id", "person_id", "stage", "dimension"),
    )
    op.create_index("ix_walk_person_id", "walk", ["person_id"])

    op.create_table(
        "asset",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("sha256", sa.String(), sa.ForeignKey("media_object.sha256"), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("source_id", sa.Integer(), sa.ForeignKey("source.id"), nullable=True),
        sa.Column("dimension", sa.String(), nullable=True),
        sa.Column("in_pool", sa.Boolean(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("group_name", sa.String(), nullable=True),
        sa.Column("role", sa.String(), nullable=True),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("dimension_given", sa.String(), nullable=True),
        sa.Column("dimension_version", sa.Integer(), nullable=True),
        sa.Column("proposal", sa.JSON(), nullable=True),
        sa.UniqueConstraint("public_id"),
    )
    op.create_index("ix_asset_pool", "asset", ["project_id", "in_pool", "id"])
    op.create_index("ix_asset_project_id_name", "asset", ["project_id", "name"])
    op.create_index("ix_asset_project_id_sha256", "asset", ["project_id", "sha256"])
    op.create_index("ix_asset_sha256", "asset", ["sha256"])
    op.create_index("ix_asset_group", "asset", ["project_id", "group_name", "place"], unique=True)

    op.create_table(
        "bridge_person",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("bridge_id", sa.Integer(), sa.ForeignKey("bridge.id"), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("outside_user", sa.Integer(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("bridge_id", "email"),
        sa.UniqueConstraint("bridge_id", "person_id"),
    )
    op.create_index("ix_bridge_person_person_id", "bridge_person", ["person_id"])

    op.create_table(
        "bridge_project",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("bridge_id", sa.Integer(), sa.ForeignKey("bridge.id"), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("labeling_hash", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("outside_user", sa.Integer(), nullable=False),
        sa.Column("outside_id", sa.Integer(), nullable=True),
        sa.Column("strangers", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("removed_at", MOMENT, nullable=True),
        sa.UniqueConstraint("key"),
    )
    op.create_index("ix_bridge_project_bridge_id", "bridge_project", ["bridge_id", "removed_at"])
    op.create_index("ix_bridge_project_person_id", "bridge_project", ["person_id"])

    op.create_table(
        "item",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("dimension", sa.String(), nullable=False),
        sa.Column("external_id", sa.String(), nullable=False),
        sa.Column("author_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=True),
        sa.Column("file_id", sa.Integer(), sa.ForeignKey("import_file.id"), nullable=True),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("fragment_lead", sa.Text(), nullable=True),
        sa.Column("fragment_raw", sa.Text(), nullable=True),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("current_revision", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("priority", sa.Integer(), server_default="0", nullable=False),
        sa.Column("dimension_given", sa.String(), nullable=True),
        sa.Column("dimension_version", sa.Integer(), nullable=True),
        sa.UniqueConstraint("project_id", "external_id"),
        sa.UniqueConstraint("public_id"),
    )
    op.create_index("ix_item_author_id", "item", ["author_id"])
    op.create_index("ix_item_file", "item", ["file_id", "position"])
    op.create_index("ix_item_state", "item", ["project_id", "state", "dimension"])

    op.create_table(
        "qualification",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("set_id", sa.Integer(), sa.ForeignKey("qualification_set.id"), nullable=True),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("exempt_by_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=True),
        sa.Column("why", sa.String(), server_default="", nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("project_id", "stage", "person_id", "number"),
        sa.UniqueConstraint("public_id"),
    )

    op.create_table(
        "run_batch_problem",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("run.id"), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("raw", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("run_id", "key"),
    )

    op.create_table(
        "run_worker",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("run.id"), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("about", sa.JSON(), nullable=False),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
        sa.Column("ended_at", MOMENT, nullable=True),
    )
    op.create_index("ix_run_worker_run_id", "run_worker", ["run_id"])

    op.create_table(
        "attempt",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("run.id"), nullable=False),
        sa.Column("worker_id", sa.Integer(), sa.ForeignKey("run_worker.id"), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("item.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(32), server_default="failed", nullable=False),
        sa.Column("final", sa.Boolean(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("finish_reason", sa.String(), nullable=True),
        sa.Column("tokens_in", sa.Integer(), nullable=True),
        sa.Column("tokens_out", sa.Integer(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("waited", sa.Float(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("request_id", sa.String(), nullable=True),
        sa.Column("prompt_hash", sa.String(), nullable=False),
        sa.Column("image_hashes", sa.JSON(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("run_id", "unit_id", "number"),
    )
    op.create_index("ix_attempt_item_id", "attempt", ["item_id"])
    op.create_index("ix_attempt_run_id_outcome", "attempt", ["run_id", "outcome", "id"])

    op.create_table(
        "candidate",
        sa.Column("asset_id", sa.Integer(), sa.ForeignKey("asset.id"), autoincrement=False, primary_key=True),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("source_id", sa.Integer(), sa.ForeignKey("source.id"), nullable=True),
        sa.Column("state", sa.String(32), server_default="waiting", nullable=False),
        sa.Column("sharpness", sa.Float(), nullable=True),
        sa.Column("look", sa.BigInteger(), nullable=True),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=True),
        sa.Column("lease_until", MOMENT, nullable=True),
        sa.Column("group_id", sa.Integer(), nullable=True),
        sa.Column("decision_id", sa.Integer(), nullable=True),
    )
    op.create_index("ix_candidate_mine", "candidate", ["person_id", "project_id", "state"])
    op.create_index("ix_candidate_source_id", "candidate", ["source_id"])
    op.create_index("ix_candidate_waiting", "candidate", ["project_id", "state", "asset_id"])

    op.create_table(
        "comment",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("item.id"), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("reply_to_id", sa.Integer(), sa.ForeignKey("comment.id"), nullable=True),
        sa.Column("submit_key", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("early", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("person_id", "submit_key"),
        sa.UniqueConstraint("public_id"),
    )
    op.create_index("ix_comment_item_id_id", "comment", ["item_id", "id"])
    op.create_index("ix_comment_project_id_id", "comment", ["project_id", "id"])

    op.create_table(
        "insight",
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("item.id"), primary_key=True),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), primary_key=True),
        sa.Column("created_at", MOMENT, nullable=False),
    )

    op.create_table(
        "item_asset",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("item.id"), nullable=False),
        sa.Column("asset_id", sa.Integer(), sa.ForeignKey("asset.id"), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.UniqueConstraint("item_id", "role", "position"),
    )
    op.create_index("ix_item_asset_asset_id", "item_asset", ["asset_id"])

    op.create_table(
        "prediction",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("item.id"), nullable=False),
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("run.id"), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("item_id", "model", "run_id"),
        sa.UniqueConstraint("public_id"),
    )
    op.create_index("ix_prediction_project_id_model", "prediction", ["project_id", "model"])
    op.create_index("ix_prediction_run_id", "prediction", ["run_id"])

    op.create_table(
        "qualification_review",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("qualification_id", sa.Integer(), sa.ForeignKey("qualification.id"), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("signs", sa.Boolean(), nullable=False),
        sa.Column("comments", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("n_right", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("reference_ids", sa.JSON(), nullable=True),
    )
    op.create_index("ix_qualification_review_qualification_id", "qualification_review", ["qualification_id"])

    op.create_table(
        "revision",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("item.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("editor_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=True),
        sa.Column("schema_version_id", sa.Integer(), sa.ForeignKey("schema_version.id"), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("item_id", "number"),
    )
    op.create_index("ix_revision_item_id_editor_id", "revision", ["item_id", "editor_id"])

    op.create_table(
        "run_batch",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("run.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("worker_id", sa.Integer(), sa.ForeignKey("run_worker.id"), nullable=False),
        sa.Column("by_hand", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("state", sa.String(32), server_default="making", nullable=False),
        sa.Column("file", sa.Text(), nullable=True),
        sa.Column("server_id", sa.Text(), nullable=True),
        sa.Column("most_cost", sa.Float(), server_default="0", nullable=False),
        sa.Column("told", sa.JSON(), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("sent_at", MOMENT, nullable=True),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.UniqueConstraint("run_id", "number"),
    )

    op.create_table(
        "run_chunk",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("run.id"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("unit_ids", sa.JSON(), nullable=False),
        sa.Column("since", sa.Integer(), server_default="0", nullable=False),
        sa.Column("done", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("worker_id", sa.Integer(), sa.ForeignKey("run_worker.id"), nullable=True),
        sa.Column("lease_until", MOMENT, nullable=True),
        sa.UniqueConstraint("run_id", "number"),
    )
    op.create_index("ix_run_chunk_next", "run_chunk", ["run_id", "done", "lease_until", "number"])

    op.create_table(
        "sift_decision",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("asset_id", sa.Integer(), sa.ForeignKey("asset.id"), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=True),
        sa.Column("submit_key", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("typed", sa.Boolean(), nullable=False),
        sa.Column("schema_version_id", sa.Integer(), sa.ForeignKey("schema_version.id"), nullable=False),
        sa.Column("guideline_hash", sa.String(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("person_id", "submit_key", "asset_id"),
    )
    op.create_index("ix_sift_decision_asset_id", "sift_decision", ["asset_id"])
    op.create_index("ix_sift_decision_project_id_id", "sift_decision", ["project_id", "id"])

    op.create_table(
        "tool_result",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("item.id"), nullable=False),
        sa.Column("tool", sa.String(), nullable=False),
        sa.Column("arguments", sa.JSON(), nullable=True),
        sa.Column("arguments_key", sa.Text(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("item_id", "tool", "arguments_key"),
    )

    op.create_table(
        "comment_for",
        sa.Column("comment_id", sa.Integer(), sa.ForeignKey("comment.id"), primary_key=True),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), primary_key=True),
        sa.Column("read_at", MOMENT, nullable=True),
    )
    op.create_index("ix_comment_for_person_id", "comment_for", ["person_id"])

    op.create_table(
        "gold",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("item.id"), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("prediction_id", sa.Integer(), sa.ForeignKey("prediction.id"), nullable=True),
        sa.Column("dimension", sa.String(), nullable=False),
        sa.Column("answers", sa.JSON(), nullable=False),
        sa.Column("made_by_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("withdrawn_at", MOMENT, nullable=True),
        sa.Column("why", sa.String(), server_default="", nullable=False),
        sa.Column("schema_version_id", sa.Integer(), nullable=True),
        sa.UniqueConstraint("public_id"),
    )
    op.create_index("ix_gold_item_id", "gold", ["item_id"])
    op.create_index("ix_gold_project_id_stage", "gold", ["project_id", "stage"])

    op.create_table(
        "judge_unit",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("run.id"), nullable=False),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("item.id"), nullable=False),
        sa.Column("prediction_id", sa.Integer(), sa.ForeignKey("prediction.id"), nullable=True),
        sa.Column("other_id", sa.Integer(), sa.ForeignKey("prediction.id"), nullable=True),
        sa.Column("swapped", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("attack", sa.String(), nullable=True),
        sa.Column("sample", sa.Integer(), server_default="0", nullable=False),
    )
    op.create_index("ix_judge_unit_prediction_id", "judge_unit", ["prediction_id"])
    op.create_index("ix_judge_unit_run_id", "judge_unit", ["run_id"])

    op.create_table(
        "reading",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("prediction_id", sa.Integer(), sa.ForeignKey("prediction.id"), nullable=False),
        sa.Column("reader", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(32), server_default="text", nullable=False),
        sa.Column("asked", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(32), server_default="unreadable", nullable=False),
        sa.Column("value", sa.JSON(), nullable=True),
        sa.Column("places", sa.JSON(), nullable=False),
        sa.Column("spans", sa.JSON(), nullable=False),
        sa.Column("rule", sa.String(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("prediction_id", "reader", "version", "asked"),
    )

    op.create_table(
        "run_batch_unit",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("batch_id", sa.Integer(), sa.ForeignKey("run_batch.id"), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("item.id"), nullable=False),
        sa.Column("prompt_hash", sa.String(), nullable=False),
        sa.Column("image_hashes", sa.JSON(), nullable=False),
        sa.Column("attempt_id", sa.Integer(), sa.ForeignKey("attempt.id"), nullable=True),
        sa.Column("digest", sa.String(), nullable=False),
        sa.UniqueConstraint("batch_id", "unit_id"),
    )

    op.create_table(
        "task",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("item.id"), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=True),
        sa.Column("prediction_id", sa.Integer(), sa.ForeignKey("prediction.id"), nullable=True),
        sa.Column("dimension", sa.String(), nullable=False),
        sa.Column("state", _words("taskstate", "open", "claimed", "done", "withdrawn"), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=True),
        sa.Column("lease_until", MOMENT, nullable=True),
        sa.Column("correcting", sa.Boolean(), nullable=False),
        sa.Column("shuffle", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("purpose", sa.String(32), server_default="live", nullable=False),
        sa.Column("rank", sa.Integer(), server_default="0", nullable=False),
        sa.Column("opened", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("awaits_media", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("dimension_given", sa.String(), nullable=True),
        sa.Column("dimension_version", sa.Integer(), nullable=True),
        sa.UniqueConstraint("public_id"),
        sa.UniqueConstraint("unit", "person_id"),
        sa.UniqueConstraint("unit", "slot"),
    )
    op.create_index("ix_task_correcting", "task", ["person_id", "project_id", "stage", "correcting"])
    op.create_index("ix_task_item_id", "task", ["item_id"])
    op.create_index("ix_task_lease", "task", ["project_id", "stage", "state", "lease_until"])
    op.create_index("ix_task_mine", "task", ["person_id", "project_id", "stage", "state", "dimension", "purpose"])
    op.create_index("ix_task_next", "task", ["project_id", "stage", "state", "awaits_media", "rank", "shuffle"])
    op.create_index(
        "ix_task_next_dimension",
        "task",
        ["project_id", "stage", "state", "dimension", "awaits_media", "rank", "shuffle"],
    )
    op.create_index("ix_task_opened", "task", ["project_id", "stage", "state", "awaits_media", "opened", "id"])
    op.create_index("ix_task_prediction_id", "task", ["prediction_id"])

    op.create_table(
        "annotation",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("task_id", sa.Integer(), sa.ForeignKey("task.id"), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("dimension", sa.String(), nullable=False),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("item.id"), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("prediction_id", sa.Integer(), sa.ForeignKey("prediction.id"), nullable=True),
        sa.Column("submit_key", sa.String(), nullable=False),
        sa.Column("answers", sa.JSON(), nullable=False),
        sa.Column("reasons", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("supersedes_id", sa.Integer(), sa.ForeignKey("annotation.id"), nullable=True),
        sa.Column("schema_version_id", sa.Integer(), sa.ForeignKey("schema_version.id"), nullable=False),
        sa.Column("schema_hash", sa.String(), nullable=False),
        sa.Column("guideline_hash", sa.String(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("weight", sa.Float(), nullable=True),
        sa.Column("purpose", sa.String(32), server_default="live", nullable=False),
        sa.Column("shown", sa.JSON(), nullable=True),
        sa.Column("schema_change", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["item_id", "revision"], ["revision.item_id", "revision.number"]),
        sa.UniqueConstraint("person_id", "submit_key"),
        sa.UniqueConstraint("public_id"),
        sa.UniqueConstraint("supersedes_id"),
    )
    op.create_index("ix_annotation_item", "annotation", ["item_id", "stage", "revision"])
    op.create_index("ix_annotation_person", "annotation", ["person_id", "project_id", "stage", "id"])
    op.create_index("ix_annotation_prediction_id", "annotation", ["prediction_id"])
    op.create_index("ix_annotation_project_id_stage", "annotation", ["project_id", "stage"])
    op.create_index("ix_annotation_task_id", "annotation", ["task_id"])
    columns = ["person_id", "project_id", "stage", "purpose", "created_at", "supersedes_id", "seconds", "schema_change"]
    op.create_index("ix_annotation_pace", "annotation", columns)

    op.create_table(
        "aside",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("task_id", sa.Integer(), sa.ForeignKey("task.id"), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("released", sa.Boolean(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.UniqueConstraint("person_id", "unit"),
    )
    op.create_index("ix_aside_person_id", "aside", ["person_id", "project_id", "stage", "at"])
    op.create_index("ix_aside_task_id", "aside", ["task_id"])

    op.create_table(
        "draft",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("task_id", sa.Integer(), sa.ForeignKey("task.id"), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("lost", sa.Boolean(), nullable=False),
        sa.Column("saved_at", MOMENT, nullable=False),
        sa.Column("put_away_at", MOMENT, nullable=True),
        sa.UniqueConstraint("task_id", "person_id"),
    )
    op.create_index("ix_draft_lost", "draft", ["lost", "saved_at"])
    op.create_index("ix_draft_person_id", "draft", ["person_id"])

    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("project_id", sa.Integer(), sa.ForeignKey("project.id"), nullable=True),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=True),
        sa.Column("item_id", sa.Integer(), sa.ForeignKey("item.id"), nullable=True),
        sa.Column("task_id", sa.Integer(), sa.ForeignKey("task.id"), nullable=True),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("origin", sa.String(), nullable=True),
    )
    op.create_index("ix_event_item_id", "event", ["item_id"])
    op.create_index("ix_event_person_id", "event", ["person_id"])
    op.create_index("ix_event_project_id_id", "event", ["project_id", "id"])
    op.create_index("ix_event_project_id_kind", "event", ["project_id", "kind", "id"])
    op.create_index("ix_event_task_id", "event", ["task_id"])

    op.create_table(
        "judgement",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("run_id", sa.Integer(), sa.ForeignKey("run.id"), nullable=False),
        sa.Column("unit_id", sa.Integer(), sa.ForeignKey("judge_unit.id"), nullable=False),
        sa.Column("attempt_id", sa.Integer(), sa.ForeignKey("attempt.id"), nullable=False),
        sa.Column("criterion", sa.String(), nullable=False),
        sa.Column("verdict", sa.String(32), server_default="unparseable", nullable=False),
        sa.Column("value", sa.JSON(), nullable=True),
        sa.Column("start", sa.Integer(), nullable=True),
        sa.Column("end", sa.Integer(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("parser", sa.String(), nullable=False),
        sa.Column("parser_version", sa.Integer(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("attempt_id", "criterion", "parser", "parser_version"),
    )
    op.create_index("ix_judgement_run_id_verdict", "judgement", ["run_id", "verdict", "id"])
    op.create_index("ix_judgement_unit_id", "judgement", ["unit_id"])

    op.create_table(
        "pick",
        sa.Column("asset_id", sa.Integer(), sa.ForeignKey("asset.id"), primary_key=True),
        sa.Column("task_id", sa.Integer(), sa.ForeignKey("task.id"), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
    )
    op.create_index("ix_pick_task_id", "pick", ["task_id"])

    op.create_table(
        "bridge_task",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("bridge_project_id", sa.Integer(), sa.ForeignKey("bridge_project.id"), nullable=False),
        sa.Column("task_id", sa.Integer(), sa.ForeignKey("task.id"), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(32), server_default="sending", nullable=False),
        sa.Column("says", sa.Text(), nullable=False),
        sa.Column("suggestion", sa.JSON(), nullable=True),
        sa.Column("outside_id", sa.Integer(), nullable=True),
        sa.Column("guideline", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("annotation_id", sa.Integer(), sa.ForeignKey("annotation.id"), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("sent_at", MOMENT, nullable=True),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.Column("gone_at", MOMENT, nullable=True),
        sa.UniqueConstraint("key"),
    )
    op.create_index("ix_bridge_task_bridge_project_id", "bridge_task", ["bridge_project_id", "gone_at", "state"])
    op.create_index("ix_bridge_task_person_id", "bridge_task", ["person_id"])
    op.create_index("ix_bridge_task_task_id", "bridge_task", ["task_id", "state"])

    op.create_table(
        "cause_answer",
        sa.Column("annotation_id", sa.Integer(), sa.ForeignKey("annotation.id"), primary_key=True),
        sa.Column("guideline_version_id", sa.Integer(), sa.ForeignKey("guideline_version.id"), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
    )
    op.create_index("ix_cause_answer_guideline_version_id", "cause_answer", ["guideline_version_id"])

    op.create_table(
        "bridge_answer",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("bridge_id", sa.Integer(), sa.ForeignKey("bridge.id"), nullable=False),
        sa.Column("bridge_task_id", sa.Integer(), sa.ForeignKey("bridge_task.id"), nullable=False),
        sa.Column("person_id", sa.Integer(), sa.ForeignKey("person.id"), nullable=False),
        sa.Column("outside_annotation", sa.Integer(), nullable=False),
        sa.Column("outside_user", sa.Integer(), nullable=True),
        sa.Column("updated", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(32), server_default="stored", nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("raw", sa.JSON(), nullable=False),
        sa.Column("annotation_id", sa.Integer(), sa.ForeignKey("annotation.id"), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("bridge_task_id", "outside_annotation", "updated", "outcome", name="uq_bridge_answer_once"),
    )
    op.create_index("ix_bridge_answer_bridge_id", "bridge_answer", ["bridge_id", "outcome"])
    op.create_index("ix_bridge_answer_person_id", "bridge_answer", ["person_id"])

    op.create_table(
        "schema_change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("before_id", sa.Integer(), nullable=False),
        sa.Column("after_id", sa.Integer(), nullable=False),
        sa.Column("decisions", sa.JSON(), nullable=False),
        sa.Column("reading_before", sa.JSON(), nullable=True),
        sa.Column("guideline_before", sa.Integer(), nullable=False),
        sa.Column("undoes", sa.Integer(), nullable=True),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("done_to", sa.Integer(), nullable=False),
        sa.Column("finished_at", MOMENT, nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_schema_change_project_id")),
        sa.ForeignKeyConstraint(["before_id"], ["schema_version.id"], name=op.f("fk_schema_change_before_id")),
        sa.ForeignKeyConstraint(["after_id"], ["schema_version.id"], name=op.f("fk_schema_change_after_id")),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_schema_change_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schema_change")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_schema_change_project_id_number")),
    )

    op.create_table(
        "notice_mark",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("seen_at", MOMENT, nullable=True),
        sa.Column("mailed_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_notice_mark_person_id")),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_notice_mark_project_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notice_mark")),
        sa.UniqueConstraint("person_id", "key", name=op.f("uq_notice_mark_person_id_key")),
    )
    op.create_index("ix_notice_mark_project_id", "notice_mark", ["project_id"])

    op.create_table(
        "mail_choice",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("off_token", sa.String(), nullable=False),
        sa.Column("told_at", MOMENT, nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_mail_choice_person_id")),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_mail_choice")),
        sa.UniqueConstraint("off_token", name=op.f("uq_mail_choice_off_token")),
    )

    op.create_table(
        "mail",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("public_id", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_mail_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mail")),
        sa.UniqueConstraint("public_id", name=op.f("uq_mail_public_id")),
    )
    op.create_index("ix_mail_person_id", "mail", ["person_id"])
    op.create_index("ix_mail_due", "mail", ["state", "due_at"])

    op.create_table(
        "schedule",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("deadlines", sa.JSON(), nullable=False),
        sa.Column("stage_order", sa.JSON(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_schedule_project_id")),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_schedule_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schedule")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_schedule_project_id_number")),
    )

    op.create_table(
        "daily_goal",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("tasks", sa.Integer(), nullable=False),
        sa.Column("set_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_daily_goal_person_id")),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_daily_goal")),
    )

    op.create_table(
        "release",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("point", sa.Integer(), nullable=False),
        sa.Column("asked", sa.JSON(), nullable=False),
        sa.Column("told", sa.JSON(), nullable=False),
        sa.Column("manifest_sha256", sa.String(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_release_project_id")),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_release_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_release")),
        sa.UniqueConstraint("project_id", "number", "point", name=op.f("uq_release_project_id_number_point")),
    )

    op.create_table(
        "release_item",
        sa.Column("release_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("item_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("split", sa.String(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["release_id"], ["release.id"], name=op.f("fk_release_item_release_id")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_release_item_item_id")),
        sa.PrimaryKeyConstraint("release_id", "item_id", name=op.f("pk_release_item")),
    )

    op.create_table(
        "withdrawal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_withdrawal_project_id")),
        sa.ForeignKeyConstraint(["release_id"], ["release.id"], name=op.f("fk_withdrawal_release_id")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_withdrawal_item_id")),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_withdrawal_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_withdrawal")),
    )
    op.create_index("ix_withdrawal_release_id", "withdrawal", ["release_id"])

    op.create_table(
        "release_about",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("about", sa.JSON(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_release_about_project_id")),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_release_about_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_release_about")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_release_about_project_id_number")),
    )

    op.create_table(
        "exposure_shape",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("schema_version_id", sa.Integer(), nullable=False),
        sa.Column("told", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_exposure_shape_project_id")),
        sa.ForeignKeyConstraint(
            ["schema_version_id"], ["schema_version.id"], name=op.f("fk_exposure_shape_schema_version_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_exposure_shape")),
        sa.UniqueConstraint("project_id", "hash", name=op.f("uq_exposure_shape_project_id_hash")),
    )

    op.create_table(
        "exposure",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=True),
        sa.Column("asset_id", sa.Integer(), nullable=True),
        sa.Column("shape_id", sa.Integer(), nullable=False),
        sa.Column("route", sa.String(length=32), nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=True),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_exposure_project_id")),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name=op.f("fk_exposure_item_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_exposure_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_exposure")),
    )
    op.create_index("ix_exposure_project_id", "exposure", ["project_id"])
    op.create_index("ix_exposure_item_id", "exposure", ["item_id", "person_id"])
    op.create_index(
        "ix_exposure_asset",
        "exposure",
        ["person_id", "asset_id", "sha256"],
        unique=True,
        sqlite_where=sa.text("asset_id IS NOT NULL"),
        postgresql_where=sa.text("asset_id IS NOT NULL"),
    )

    op.create_table(
        "entry_budget",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("entries", sa.Integer(), nullable=True),
        sa.Column("days", sa.Integer(), nullable=True),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_entry_budget_project_id")),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_entry_budget_by_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entry_budget")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_entry_budget_project_id_number")),
    )

    op.create_table(
        "person_key",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_person_key_person_id")),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_person_key")),
    )

    for at, part in enumerate(LOOK_PARTS):
        op.execute(f"CREATE INDEX ix_candidate_look_{at} ON candidate (project_id, state, {part})")
