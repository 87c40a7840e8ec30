"""Notices by e-mail: who wants them where and when, what was put into a mail, and what became of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.add_column("notice_mark", sa.Column("mailed_at", moment, nullable=True))
    op.create_table(
        "mail_choice",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("off_token", sa.String(), nullable=False),
        sa.Column("told_at", moment, nullable=False),
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
        sa.Column("due_at", moment, nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("ended_at", moment, nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_mail_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mail")),
        sa.UniqueConstraint("public_id", name=op.f("uq_mail_public_id")),
    )
    op.create_index("ix_mail_person_id", "mail", ["person_id"])
    op.create_index("ix_mail_due", "mail", ["state", "due_at"])
