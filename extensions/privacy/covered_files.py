"""Make and store the covered file of a picture or clip, from its original and all boxes of a decision."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from domain.errors import InvalidInputError, Problem
from extensions.privacy.boxes import Box, CoverChoice, Decision
from extensions.privacy.decisions import CurrentDecisions

if TYPE_CHECKING:
    from media.store import MediaStore, StoredMedia


@dataclass(frozen=True)
class CoveredFile:
    """A picture or clip with the file to show from now on."""

    choice: CoverChoice
    known: Decision | None
    original: str
    margin: float
    made: StoredMedia | None
    """The covered file; None if the shown file stays."""

    @property
    def file(self) -> str:
        """Return the SHA-256 of the file to show from now on."""
        return self.made.sha256 if self.made is not None else self.choice.file


def require_in_clip(media: MediaStore, choices: Sequence[CoverChoice]) -> None:
    """Raise ``InvalidInputError`` if a box begins or ends after its clip."""
    from media import clips

    wrong = []
    for choice in choices:
        ends = [box.end for box in choice.boxes if box.end is not None]
        seconds = media.about(choice.file).duration if ends else None
        if seconds is not None and max(ends) > seconds + clips.PAST_THE_END:
            at = choice.where or choice.name
            wrong.append(
                f"{at}: {choice.name} lasts {seconds:.3f} s, but one of its boxes ends at {max(ends):g} s. Correct "
                "the end of the box."
            )
    if wrong:
        raise InvalidInputError([Problem("boxes", sentence) for sentence in [*wrong, "Nothing was changed."]])


def make_covered_file(
    media: MediaStore, choice: CoverChoice, standing: CurrentDecisions, margin: float, *, uncover: bool
) -> CoveredFile:
    """Store and return the file to show from now on."""
    known = standing.by_file.get(choice.file)
    if choice.file in standing.shared and uncover:
        raise InvalidInputError(
            [
                Problem(
                    "boxes",
                    (
                        f"Several covered pictures now look identical and share the file {choice.name}, so "
                        "Touchstone cannot uncover these pictures. Keep the boxes of these pictures covered."
                    ),
                )
            ]
        )
    original = known.original if known and choice.file not in standing.shared else choice.file
    wide = max(margin, known.margin) if known is not None and known.covers and not uncover else margin
    covers = [box for box in choice.boxes if box.cover]
    base = original if original in media else choice.file
    if not covers and original == choice.file:
        return CoveredFile(choice, known, original, wide, None)
    if base != original and (uncover or not covers):
        raise InvalidInputError(
            [
                Problem(
                    "boxes",
                    f"The original of {choice.name} is not on this machine. To uncover the file, use the machine that "
                    "stores the original.",
                )
            ]
        )
    if not covers:
        return CoveredFile(choice, known, original, wide, media.about(original))
    about = media.about(base)
    cover = _clip if about.kind == "clip" else _image
    return CoveredFile(choice, known, original, wide, cover(media, base, covers, choice.name, wide))


def _image(media: MediaStore, base: str, covers: Sequence[Box], name: str, margin: float) -> StoredMedia:
    from extensions.privacy import covered_image

    about = media.about(base)
    areas = [covered_image.edges((about.width, about.height), box.as_json(), margin=margin) for box in covers]
    data = covered_image.covered_file(media.upright(base, name=name), areas, mime=about.mime)
    return media.add(data, name=f"{name}, covered")


def _clip(media: MediaStore, base: str, covers: Sequence[Box], name: str, margin: float) -> StoredMedia:
    from extensions.privacy import covered_clip

    with tempfile.TemporaryDirectory(prefix="touchstone-covered-") as work:
        out = Path(work) / "covered.webm"
        covered_clip.write(media.path(base), covers, margin=margin, out=out, name=name, limits=media.limits)
        return media.add(out, name=f"{name}, covered")
