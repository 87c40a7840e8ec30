"""What can go wrong, as one tree.

TouchstoneError              a user can mend it: the message says what, where, and what to do
├── SettingsError            an environment variable or a path does not fit
├── SchemaError              a schema file does not fit the grammar
├── NotAvailable             a registry row that is declared but not built yet was asked to work
├── FileRefused              an import file does not fit; nothing of it was taken
│   └── RowsRefused          because of some of its rows, which are named one by one
├── MediaRefused             an image or clip is not what it claims to be, or is too large
├── RatingsError             ratings that a statistic cannot read
├── ModelRefused             a model's description does not fit, or it cannot be loaded here
├── RunStopped               a run cannot go on: a wrong key, a used-up quota, a spent budget
├── OutsideRefused           another tool's server refused a request, or answered what no one asked for
│   └── OutsideUnreachable   it does not answer; nothing is lost, and the same command goes on later
├── Unavailable              the database or its disk cannot serve just now; what was sent may be sent again
├── BadRequest               a request over HTTP that no page of ours would send
│   ├── TooLarge             more bytes than one request may have
│   └── TooSoon              too many requests at once; later the same one is taken
├── InvalidInput             a form was submitted with problems; all of them are listed
├── NotAllowed               this person may not do this
│   └── SignInRequired       no one is signed in, or the session has ended
├── NotFound                 no such project, task, person, asset
└── Conflict                 someone else was first
    ├── AlreadyTaken         a picked image or a name is gone
    └── LeaseLost            the task went to someone else; what was written is kept as a draft
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


class TouchstoneError(Exception):
    """Something a user can mend; ``str(error)`` is a full sentence that says what, where, and what to do."""


class SettingsError(TouchstoneError):
    """A setting (environment variable, path) does not fit."""


class SchemaError(TouchstoneError):
    """A schema file does not fit the grammar; the message names file, line and key."""


class NotAvailable(TouchstoneError):
    """A registry row that is declared, but not built yet, was asked to work."""


class FileRefused(TouchstoneError):
    """An import file does not fit; nothing of it was taken."""


class RowsRefused(FileRefused):
    """Rows of an import file do not fit.

    Parameters
    ----------
    rows
        A sentence for each of the first bad rows, with its file and number.
    n
        How many bad rows there are in all.
    end
        What came of it, and what to do.
    """

    def __init__(self, rows: Sequence[str], *, n: int, end: str) -> None:
        more = f"And {n - len(rows):,} more. " if n > len(rows) else ""
        self.rows, self.n, self.end = tuple(rows), n, end
        self.begin, self.rest = f"{n:,} rows do not fit:", f"{more}{end}"
        super().__init__("\n".join([self.begin, *rows, self.rest] if n > 1 else [" ".join([*rows, end])]))

    def worded(self, words: Callable[[str], str]) -> RowsRefused:
        """The same with every sentence in other words."""
        return RowsRefused([words(row) for row in self.rows], n=self.n, end=words(self.end))


class MediaRefused(TouchstoneError):
    """An image or clip is not what it claims to be, or is too large."""


class RatingsError(TouchstoneError):
    """Ratings that a statistic cannot read."""


class ModelRefused(TouchstoneError):
    """A model's description does not fit, or the model cannot be loaded here; the message says what would help."""


class RunStopped(TouchstoneError):
    """A run cannot go on: asking further makes no sense."""


class OutsideRefused(TouchstoneError):
    """The server of another tool refused a request, or answered what no one asked for."""


class OutsideUnreachable(OutsideRefused):
    """The server of another tool does not answer. Nothing is lost: the same command goes on where it stood."""


class Unavailable(TouchstoneError):
    """The database, or the disk that it is on, cannot serve just now. Nothing that was acknowledged is lost, and what
    was not may be sent again as it is."""


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a form: the field or criterion, and a sentence for the person who filled it in."""

    name: str
    message: str


class InvalidInput(TouchstoneError):
    """A form was submitted with problems; all of them are in ``problems``."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(" ".join(problem.message for problem in problems))
        self.problems = tuple(problems)


class BadRequest(TouchstoneError):
    """A request over HTTP that no page of ours would send."""


class TooLarge(BadRequest):
    """A request over HTTP with more bytes than one may have."""


class TooSoon(BadRequest):
    """Too many requests of one kind at once; later the same one is taken."""


class NotAllowed(TouchstoneError):
    """This person may not do this."""


class SignInRequired(NotAllowed):
    """No one is signed in, or the session has ended."""


class NotFound(TouchstoneError):
    """No such project, task, person or asset (or none that this person may know of)."""


class Conflict(TouchstoneError):
    """Someone else was first."""


class AlreadyTaken(Conflict):
    """A picked image or a name is gone."""


class LeaseLost(Conflict):
    """The task went to someone else; what was written is kept as a draft."""
