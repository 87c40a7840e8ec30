"""Judges: the versions of what they are asked, and their replies as parsers read them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from db.append_only import forbid_changes

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "judge_template",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_judge_template_project_id"),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name="fk_judge_template_by_id"),
        sa.PrimaryKeyConstraint("id", name="pk_judge_template"),
        sa.UniqueConstraint("project_id", "name", "version", name="uq_judge_template_project_id_name_version"),
        sa.UniqueConstraint("project_id", "hash", name="uq_judge_template_project_id_hash"),
    )
    op.create_table(
        "judge_unit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("prediction_id", sa.Integer(), nullable=True),
        sa.Column("other_id", sa.Integer(), nullable=True),
        sa.Column("swapped", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("attack", sa.String(), nullable=True),
        sa.Column("sample", sa.Integer(), nullable=False, server_default="0"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_judge_unit_run_id"),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_judge_unit_item_id"),
        sa.ForeignKeyConstraint(["prediction_id"], ["prediction.id"], name="fk_judge_unit_prediction_id"),
        sa.ForeignKeyConstraint(["other_id"], ["prediction.id"], name="fk_judge_unit_other_id"),
        sa.PrimaryKeyConstraint("id", name="pk_judge_unit"),
    )
    op.create_index("ix_judge_unit_run_id", "judge_unit", ["run_id"])
    op.create_index("ix_judge_unit_prediction_id", "judge_unit", ["prediction_id"])
    op.create_table(
        "judgement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("attempt_id", sa.Integer(), nullable=False),
        sa.Column("criterion", sa.String(), nullable=False),
        sa.Column("verdict", sa.String(length=32), nullable=False, server_default="unparseable"),
        sa.Column("value", sa.JSON(), nullable=True),
        sa.Column("start", sa.Integer(), nullable=True),
        sa.Column("end", sa.Integer(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("parser", sa.String(), nullable=False),
        sa.Column("parser_version", sa.Integer(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_judgement_run_id"),
        sa.ForeignKeyConstraint(["unit_id"], ["judge_unit.id"], name="fk_judgement_unit_id"),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempt.id"], name="fk_judgement_attempt_id"),
        sa.PrimaryKeyConstraint("id", name="pk_judgement"),
        sa.UniqueConstraint(
            "attempt_id",
            "criterion",
            "parser",
            "parser_version",
            name="uq_judgement_attempt_id_criterion_parser_parser_version",
        ),
    )
    op.create_index("ix_judgement_unit_id", "judgement", ["unit_id"])
    op.create_index("ix_judgement_run_id_verdict", "judgement", ["run_id", "verdict", "id"])
    for table in ("judge_template", "judgement"):
        forbid_changes(op.get_bind(), table)
