"""The register of kinds of jobs: those of core, then those of extensions."""

from __future__ import annotations

from collections.abc import Sequence

from app.jobs import figures, imports, projects, schema_changes
from domain import extensions
from domain.registers import Register
from workflow.jobs.kinds import JobKind


def _core() -> Sequence[JobKind]:
    return imports.LOOK, imports.IMPORT, *projects.ROWS, schema_changes.SCHEMA, figures.FIGURES


def _of_extensions() -> Sequence[JobKind]:
    return extensions.rows("jobs")


KINDS: Register[JobKind] = Register(_core, _of_extensions)
"""The kinds by name."""
