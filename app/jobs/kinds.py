"""The register of job kinds: those of core, then those of extensions."""

from __future__ import annotations

from collections.abc import Sequence

from app.jobs import commands, figures, imports, projects
from domain import extensions
from domain.registers import Register
from workflow.jobs.kinds import JobKind
from workflow.runs.work_loop import RUN_KIND, WORKER_KIND


def of_core() -> Sequence[JobKind]:
    """Return the kinds of core."""
    of_runs = (RUN_KIND, WORKER_KIND)
    return imports.LOOK, imports.IMPORT, *projects.ROWS, figures.FIGURES, commands.COMMAND, *of_runs


def _of_extensions() -> Sequence[JobKind]:
    return extensions.rows("jobs")


KINDS: Register[JobKind] = Register(of_core, _of_extensions)
"""The kinds by name."""
