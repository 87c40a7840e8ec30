"""Proposals of a file as a project is offered them, by the command and on the page *Drafting*."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from domain.errors import InvalidInput, Problem
from extensions.drafting.arms import Arm
from extensions.drafting.proposal_file import read_made, read_proposals
from extensions.drafting.proposal_import import ImportResult, OfferedFile, OfferedProposal

NO_ARM = "No image is without: what drafting does to items cannot be said of these."


def offered_file(file: Path, *, project: str, made: Path | None) -> OfferedFile:
    """What a file offers a project. ``made``: what was written beside it of how the proposals were made.

    Raises
    ------
    FileRefused
        One of them cannot be read, or they do not belong together.
    InvalidInput
        The file is of another project.
    """
    read = read_proposals(file)
    if read.project != project:
        told = f"{file.name} is of the project {read.project!r}; its images are not those of {project!r}."
        raise InvalidInput([Problem("file", told)])
    rows = tuple(OfferedProposal(row.image, *row[1:]) for row in read.rows)
    how = read_made(made).of(read) if made is not None else None
    return OfferedFile(read.sha256, read.model, rows, file.name, how)


def sentences(taken: ImportResult) -> Iterator[str]:
    """What became of those that were taken, or would."""
    shown, hidden = taken.arms[Arm.WITH], taken.arms[Arm.WITHOUT]
    yield (
        f"{_images(shown + hidden)} with a proposal: {shown:,} whose authors are shown it, {hidden:,} whose authors "
        f"are not (seed {taken.seed})."
    )
    if shown and not hidden:
        yield NO_ARM
    if taken.before:
        yield f"{_images(taken.before)} had a proposal already, and keep it."


def _images(n: int) -> str:
    return f"{n:,} image{'' if n == 1 else 's'}"
