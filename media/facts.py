"""What a file is: decided once, from its decoded content, and used by pages, models, releases and boxes alike."""

from __future__ import annotations

from dataclasses import dataclass

from media import orientation


@dataclass(frozen=True)
class MediaFacts:
    """Size, orientation and length of an image or a clip."""

    width: int
    """As it is shown: upright."""
    height: int
    orientation: int = orientation.UPRIGHT
    """How the stored pixels have to be turned to be shown, as EXIF numbers it (1 to 8)."""
    times: tuple[float, ...] = ()
    """Of a clip: when each frame comes on screen, in seconds, rising."""
    duration: float | None = None
    """Of a clip: when its last frame or its sound ends, in seconds. Headers do not decide it."""
