"""The page for operators says the limits that hold."""

from __future__ import annotations

from media.limits import LIMITS, MIB
from tests.paths import ROOT


def test_the_page_says_the_limits() -> None:
    page = (ROOT / "docs" / "media.md").read_text(encoding="utf-8")
    image, clip = (
        next(line for line in page.splitlines() if line.startswith(f"| {kind} |")) for kind in ("image", "clip")
    )
    assert f"{LIMITS.image_bytes // MIB} MiB" in image
    assert f"{LIMITS.image_pixels // 1_000_000} million, at most {LIMITS.image_side:,}" in image
    assert f"{LIMITS.clip_bytes // MIB} MiB" in clip
    assert f"{LIMITS.clip_pixels / 1e6:.1f} million" in clip
    assert f"{LIMITS.clip_seconds:.0f} s" in clip
