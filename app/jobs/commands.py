"""The job ``command``: the row of a long task that a command does in its own process (``app.commands.recorded``)."""

from __future__ import annotations

from domain.errors import ConflictError
from workflow.jobs.kinds import JobContext, JobKind, JobOutcome, Lane


def _refuse(context: JobContext) -> JobOutcome:
    raise ConflictError(
        f"Touchstone can run this job only from its command. Run the command again: {context.input['command']} ..."
    )


COMMAND = JobKind("command", "Command", "Running a command on {}", _refuse, lane=Lane.COMMANDS, resumes=False)
