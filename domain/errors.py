"""The tree of errors that users see.

TouchstoneError              an error that a user can fix: the message says what, where, and what to do
├── SettingsError            an environment variable or a path is invalid
├── SchemaError              a schema file breaks the grammar
├── NotAvailable             a registry row was used that is declared but not built yet
├── FileRefused              an import file is invalid; nothing was imported
│   └── RowsRefused          the same because of some rows, which the message lists
├── MediaRefused             an image or clip has the wrong type or is too large
├── RatingsError             a statistic cannot read the ratings
├── ModelRefused             a model's description is invalid, or the model cannot be loaded here
├── RunStopped               a run cannot continue: a wrong key, a used-up quota, a spent budget
├── OutsideRefused           another tool's server refused a request, or sent an unexpected answer
│   └── OutsideUnreachable   the server does not answer; no data is lost, and the command can be repeated
├── Unavailable              the database or its disk is unavailable for now; the request may be sent again
├── BadRequest               an HTTP request that none of our pages would send
│   ├── TooLarge             a request with too many bytes
│   └── TooSoon              too many requests at once; the same request works later
├── InvalidInput             a form was submitted with problems; all of them are listed
├── NotAllowed               this person has no permission for the action
│   └── SignInRequired       the user is not signed in, or the session has ended
├── NotFound                 the project, task, person or asset does not exist
└── Conflict                 another person was faster
    ├── AlreadyTaken         an image or a name is already in use
    └── LeaseLost            the task went to another person; the text is kept as a draft
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


class TouchstoneError(Exception):
    """An error that a user can fix; ``str(error)`` says in full sentences what, where, and what to do."""


class SettingsError(TouchstoneError):
    """A setting (environment variable, path) is invalid."""


class SchemaError(TouchstoneError):
    """A schema file breaks the grammar; the message names file, line and key."""


class NotAvailable(TouchstoneError):
    """A registry row was used that is declared but not built yet."""


class FileRefused(TouchstoneError):
    """An import file is invalid; nothing was imported."""


class RowsRefused(FileRefused):
    """Rows of an import file are invalid.

    Parameters
    ----------
    rows
        A sentence for each of the first invalid rows, with its file and number.
    n
        The number of invalid rows.
    end
        The consequence, and what to do.
    """

    def __init__(self, rows: Sequence[str], *, n: int, end: str) -> None:
        more = f"And {n - len(rows):,} more. " if n > len(rows) else ""
        self.rows, self.n, self.end = tuple(rows), n, end
        self.begin, self.rest = f"{n:,} rows do not fit:", f"{more}{end}"
        super().__init__("\n".join([self.begin, *rows, self.rest] if n > 1 else [" ".join([*rows, end])]))

    def worded(self, words: Callable[[str], str]) -> RowsRefused:
        """Return the error with every sentence passed through ``words``."""
        return RowsRefused([words(row) for row in self.rows], n=self.n, end=words(self.end))


class MediaRefused(TouchstoneError):
    """An image or clip has the wrong type or is too large."""


class RatingsError(TouchstoneError):
    """A statistic cannot read the ratings."""


class ModelRefused(TouchstoneError):
    """A model's description is invalid, or the model cannot be loaded here; the message suggests a fix."""


class RunStopped(TouchstoneError):
    """A run cannot continue, because further requests would be useless."""


class OutsideRefused(TouchstoneError):
    """The server of another tool refused a request, or sent an unexpected answer."""


class OutsideUnreachable(OutsideRefused):
    """The server of another tool does not answer. No data is lost; the command can be repeated and continues."""


class Unavailable(TouchstoneError):
    """The database, or its disk, is unavailable for now. Acknowledged data is safe; other requests may
    be sent again.
    """


@dataclass(frozen=True)
class Problem:
    """One problem in a form: the name of the field or criterion, and a sentence for the person who
    filled in the form.
    """

    name: str
    message: str


class InvalidInput(TouchstoneError):
    """A form was submitted with problems; all of them are in ``problems``."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(" ".join(problem.message for problem in problems))
        self.problems = tuple(problems)


class BadRequest(TouchstoneError):
    """An HTTP request that none of our pages would send."""


class TooLarge(BadRequest):
    """An HTTP request with too many bytes."""


class TooSoon(BadRequest):
    """Too many requests of one kind at once; the same request works later."""


class NotAllowed(TouchstoneError):
    """This person has no permission for the action."""


class SignInRequired(NotAllowed):
    """The user is not signed in, or the session has ended."""


class NotFound(TouchstoneError):
    """The project, task, person or asset does not exist, or this person may not know of it."""


class Conflict(TouchstoneError):
    """Another person was faster."""


class AlreadyTaken(Conflict):
    """An image or a name is already in use."""


class LeaseLost(Conflict):
    """The task went to another person; the text is kept as a draft."""
