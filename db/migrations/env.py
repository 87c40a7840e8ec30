"""Alembic's entry: runs on the connection that ``Store.upgrade`` hands over, inside its transaction."""

from __future__ import annotations

from alembic import context

from db.tables import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    transaction_per_migration=False,
    render_as_batch=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
