"""Read a proposal file for a project, and describe the result of its import."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from domain.english import with_noun
from domain.errors import InvalidInputError, Problem
from extensions.drafting.arms import Arm
from extensions.drafting.proposal_file import read_made, read_proposals
from extensions.drafting.proposal_import import ImportResult, OfferedFile, OfferedProposal

NO_ARM = (
    "All authors see the proposal, so Touchstone cannot measure the effect of drafting. To measure the effect, "
    "choose a share below 1."
)


def offered_file(file: Path, *, project: str, made: Path | None) -> OfferedFile:
    """Return the proposals that a file offers a project. ``made`` is the file that tells how they were made.

    Raises
    ------
    InvalidFileError
        A file cannot be read, or the two files do not belong together.
    InvalidInputError
        The file is for another project.
    """
    read = read_proposals(file)
    if read.project != project:
        problem = (
            f"{file.name} belongs to the project {read.project!r}, not to {project!r}. Choose a file from this project."
        )
        raise InvalidInputError([Problem("file", problem)])
    rows = tuple(OfferedProposal(row.image, *row[1:]) for row in read.rows)
    how = read_made(made).of(read) if made is not None else None
    return OfferedFile(read.sha256, read.model, rows, file.name, how)


def sentences(taken: ImportResult) -> Iterator[str]:
    """Yield sentences about the result of an import, or of its preview."""
    shown, hidden = taken.arms[Arm.WITH], taken.arms[Arm.WITHOUT]
    yield (
        f"{with_noun(shown + hidden, 'image')} with a proposal: authors see the proposal for {shown:,} of the images, "
        f"but not for {hidden:,} (seed {taken.seed})."
    )
    if shown and not hidden:
        yield NO_ARM
    if taken.before:
        yield f"{with_noun(taken.before, 'image')} already had a proposal. Existing proposals do not change."
