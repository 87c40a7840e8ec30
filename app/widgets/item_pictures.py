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
            if asset.missing
            else markup.tag("img", src=f"/media/{asset.id}/thumb", alt=f"{asset.role} {at}", loading="lazy"),
            href=f"/media/{asset.id}/original",
            target="_blank",
            rel="noopener",
            title=asset.role,
        )
        for at, asset in enumerate(assets, 1)
    ]
    return markup.tag("div", *shown, style="ts-pictures", data_part="pictures")
