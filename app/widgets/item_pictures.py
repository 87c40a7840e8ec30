"""Small pictures of an item's images and clips."""

from __future__ import annotations

from collections.abc import Sequence

from app import markup
from domain.records import AssetView


def pictures(assets: Sequence[AssetView]) -> markup.Markup:
    """Return small pictures of an item's images and clips. Each links to its file."""
    shown = [
        markup.tag(
            "a",
            markup.quiet("not imported yet")
            if each.missing
            else markup.tag("img", src=f"/media/{each.id}/thumb", alt=f"{each.role} {at}", loading="lazy"),
            href=f"/media/{each.id}/original",
            target="_blank",
            rel="noopener",
            title=each.role,
        )
        for at, each in enumerate(assets, 1)
    ]
    return markup.tag("div", *shown, style="ts-pictures", data_part="pictures")
