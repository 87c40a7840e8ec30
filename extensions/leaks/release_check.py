"""The release check of this extension: which leaks stop a release, and which kinds a lead accepts with a reason."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from domain.errors import InvalidFileError
from extensions.leaks.check import ADVICE, LeakReport, find_leaks
from workflow.releases.extension_checks import FolderCheck


def must_not_leak(found: LeakReport, *, accepted: Collection[str] = ()) -> None:
    """Refuse (``InvalidFileError``) a release whose public files reveal private data, apart from ``accepted`` kinds."""
    left = [leak for leak in found.leaks if leak.kind not in accepted]
    if left:
        sentences = "\n".join(leak.sentence for leak in left[:20])
        more = f"\nand {len(left) - 20:,} more" if len(left) > 20 else ""
        kinds = ", ".join(sorted({leak.kind for leak in left}))
        raise InvalidFileError(
            f"Public files reveal private data:\n{sentences}{more}\nIf a leak is harmless, accept its kind with "
            f"--accept-leak 'KIND: reason'. The manifest records the reason. Kinds found: {kinds}."
        )


def accepted_leaks(given: Sequence[str]) -> frozenset[str]:
    """Return the kinds of leaks that a lead accepts.

    Raises
    ------
    InvalidFileError
        There is no such kind, or it has no reason.
    """
    kinds = set()
    for text in given:
        kind, _, reason = (part.strip() for part in text.partition(":"))
        if kind not in ADVICE:
            raise InvalidFileError(f"Unknown kind of leak {kind!r}. Choose from: {', '.join(ADVICE)}.")
        if not reason:
            raise InvalidFileError(f"Give a reason for accepting {kind}: --accept-leak '{kind}: REASON'.")
        kinds.add(kind)
    return frozenset(kinds)


def _check(public: Path, private: Path, accepted: Sequence[str]) -> None:
    must_not_leak(find_leaks(public, private), accepted=accepted_leaks(accepted))


CHECK = FolderCheck(name="leaks", must_accept=accepted_leaks, must_pass=_check)
