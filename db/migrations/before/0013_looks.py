"""Images that look alike are found by the parts of their hashes."""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

PARTS = tuple(f"((look >> {9 * at}) & {511 if at < 6 else 1023})" for at in range(7))


def upgrade() -> None:
    for at, part in enumerate(PARTS):
        op.execute(f"CREATE INDEX ix_candidate_look_{at} ON candidate (project_id, state, {part})")
