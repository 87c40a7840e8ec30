"""The tree of errors that users see.

TouchstoneError                  an error that a user can fix: the message says what, where, and what to do
├── SettingsError                an environment variable or a path is invalid
├── SchemaError                  a schema file breaks the grammar
├── NotAvailableError            a registry row was used that is declared but not built yet
├── InvalidFileError             an import file is invalid; nothing was imported
│   └── InvalidRowsError         the same because of some rows, which the message lists
├── InvalidMediaError            an image or clip has the wrong type or is too large
├── RatingsError                 a statistic cannot read the ratings
├── ModelError                   a model's description is invalid, or the model cannot be loaded here
├── RunStoppedError              a run cannot continue: a wrong key, a used-up quota, a spent budget
├── ServiceError                 another tool's server refused a request, or sent an unexpected answer
│   └── ServiceUnreachableError  the server does not answer; no data is lost, and the command can be repeated
├── DatabaseUnavailableError     the database or its disk is unavailable for now; the request may be sent again
├── MediaUnavailableError        the storage of images and clips is unavailable for now; votes are not affected
├── BadRequestError              an HTTP request that none of our pages would send
│   ├── RequestTooLargeError     a request with too many bytes
│   └── TooManyRequestsError     too many requests at once; the same request works later
├── InvalidInputError            a form was submitted with problems; all of them are listed
├── NotAllowedError              this person has no permission for the action
│   └── SignInRequiredError      the user is not signed in, or the session has ended
├── NotFoundError                the project, task, person or asset does not exist
└── ConflictError                another person was faster
    ├── AlreadyTakenError        an image or a name is already in use
    └── LeaseLostError           the task went to another person; the text is kept as a draft
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from domain.english import with_noun


class TouchstoneError(Exception):
    """An error that a user can fix; ``str(error)`` says in full sentences what, where, and what to do."""


class SettingsError(TouchstoneError):
    """A setting (environment variable, path) is invalid."""


class SchemaError(TouchstoneError):
    """A schema file breaks the grammar; the message names file, line and key."""


class NotAvailableError(TouchstoneError):
    """A registry row was used that is declared but not built yet."""


class InvalidFileError(TouchstoneError):
    """An import file is invalid; nothing was imported."""


class InvalidRowsError(InvalidFileError):
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
        self.begin, self.rest = f"{with_noun(n, 'row is', 'rows are')} invalid:", f"{more}{end}"
        super().__init__("\n".join([self.begin, *rows, self.rest] if n > 1 else [" ".join([*rows, end])]))

    def worded(self, words: Callable[[str], str]) -> InvalidRowsError:
        """Return the error with every sentence passed through ``words``."""
        return InvalidRowsError([words(row) for row in self.rows], n=self.n, end=words(self.end))


class InvalidMediaError(TouchstoneError):
    """An image or clip has the wrong type or is too large."""


class RatingsError(TouchstoneError):
    """A statistic cannot read the ratings."""


class ModelError(TouchstoneError):
    """A model's description is invalid, or the model cannot be loaded here; the message suggests a fix."""


class RunStoppedError(TouchstoneError):
    """A run cannot continue, because further requests would be useless."""


class ServiceError(TouchstoneError):
    """The server of another tool refused a request, or sent an unexpected answer."""


class ServiceUnreachableError(ServiceError):
    """The server of another tool does not answer. No data is lost; the command can be repeated and continues."""


class DatabaseUnavailableError(TouchstoneError):
    """The database, or its disk, is unavailable for now. Acknowledged data is safe; other requests may
    be sent again.
    """


class MediaUnavailableError(TouchstoneError):
    """The storage of images and clips, or the disk of their folder, is unavailable for now. Nothing is stored in
    half; votes are not affected, and the request may be sent again.
    """


@dataclass(frozen=True)
class Problem:
    """One problem in a form: the name of the field or criterion, and a sentence for the person who
    filled in the form.
    """

    name: str
    message: str


class InvalidInputError(TouchstoneError):
    """A form was submitted with problems; all of them are in ``problems``."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(" ".join(problem.message for problem in problems))
        self.problems = tuple(problems)


class BadRequestError(TouchstoneError):
    """An HTTP request that none of our pages would send."""


class RequestTooLargeError(BadRequestError):
    """An HTTP request with too many bytes."""


class TooManyRequestsError(BadRequestError):
    """Too many requests of one kind at once; the same request works later."""


class NotAllowedError(TouchstoneError):
    """This person has no permission for the action."""


class SignInRequiredError(NotAllowedError):
    """The user is not signed in, or the session has ended."""


class NotFoundError(TouchstoneError):
    """The project, task, person or asset does not exist, or this person may not know of it."""


class ConflictError(TouchstoneError):
    """Another person was faster."""


class AlreadyTakenError(ConflictError):
    """An image or a name is already in use."""


class LeaseLostError(ConflictError):
    """The task went to another person; the text is kept as a draft."""
