"""One import on its way: where it goes, what it may leave out, and what it came to."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from agreement.losses import Losses
from annotation_schemas.formats import Said
from db.engine import Store
from domain.records import BadRow, Person
from domain.runs import Outcome
from importers.items import MEND, refusal
from workflow.access.projects import Access
from workflow.results.file_raters import FileRater

if TYPE_CHECKING:
    from media.store import MediaStore

Progress = Callable[[str, int, int], None]
"""Called with what is going on ("reading", "media", "saving", "offering"), how much of it is done, and of how much."""


@dataclass(frozen=True)
class Imported:
    """What an import came to."""

    items: int = 0
    predictions: int = 0
    ratings: int = 0
    tool_results: int = 0
    described: int = 0
    """Models of which the file says something new."""
    labelled: int = 0
    """Items likewise."""
    repeated: int = 0
    """Rows that were there already, word for word."""
    left: Sequence[BadRow] = ()
    """Rows whose items are there with other content, left as they are because only new ones were to come in."""
    assets_found: int = 0
    assets_missing: int = 0
    """Media that items wait for."""
    assets_refused: int = 0
    """Number of these files that exist but are unsupported. Their rows are in ``bad``, with the reasons."""
    missing: Sequence[str] = field(default=(), compare=False)
    """The first of the media that are missing, by name."""
    bad: Sequence[BadRow] = ()
    """Left out, because bad rows were to be skipped."""
    unanswered: Mapping[Outcome, int] = field(default_factory=dict)
    """Rows that say that there is no answer, by what became of asking."""
    instead: Mapping[str, int] = field(default_factory=dict)
    """The most frequent texts in place of these answers, such as "nan", with their counts."""
    note: str | None = field(default=None, compare=False)
    """What else there is to say of the files, such as what the schema asks for."""
    warnings: Sequence[str] = field(default=(), compare=False)
    """Warnings about the imported rows, in sentences."""
    raters: Sequence[FileRater] = field(default=(), compare=False)
    """Who the raters of the file are now; nothing that came in."""
    losses: Sequence[Losses] = field(default=(), compare=False)
    """The imported answers that were not readable."""


@dataclass(frozen=True)
class Import:
    """What every part of an import has to know."""

    store: Store
    media: MediaStore
    access: Access
    by: Person | None
    project: str
    path: Path
    dimension: str | None
    skip_bad: bool
    on: Progress
    new_only: bool = False
    """Leave items as they are that are there with other content, and take the new ones; else such a file is refused."""
    said: Said | None = None
    """Of files of an open format: what their columns are, where the schema does not say it."""
    part: str | None = None
    """What the manifest next to the files says if they are a part of a project."""

    @property
    def by_id(self) -> int | None:
        """Who imports; None is the command on the machine itself."""
        return self.by.id if self.by else None

    @property
    def hands(self) -> int:
        """So many images are taken in at once: the command has all cores, and one image more than these while others
        wait for the disk; a process that serves pages must not."""
        return 1 if self.by else (os.cpu_count() or 1) + 1

    def refuse(self, bad: Sequence[BadRow], note: str | None = None) -> None:
        """Refuse the whole import if a row is bad, unless bad rows are to be skipped; ``note`` is about all of them."""
        if not bad or self.skip_bad:
            return
        raise refusal(bad, f"{note} {MEND}" if note else MEND)
