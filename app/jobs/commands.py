"""The job ``command``: the row of a long task that a command does in its own process (``app.commands.recorded``)."""

from __future__ import annotations

from domain.errors import ConflictError
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome, Lane


def _refuse(context: JobContext) -> JobOutcome:
    raise ConflictError(
        f"Only the command itself can do this job. Run the command again: {context.input['command']} ..."
    )


COMMAND = JobKind("command", "Command", "A command works on {}", _refuse, lane=Lane.COMMANDS, resumes=False)
