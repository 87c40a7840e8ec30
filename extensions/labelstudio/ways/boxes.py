"""Boxes in Label Studio: rectangles, with labels if the criterion has any."""

from __future__ import annotations

from annotation_schemas.model import Criterion
from extensions.labelstudio.ways.drawn import LabelStudioRegions


class LabelStudioBoxes(LabelStudioRegions):
    """Rectangles, with labels if the criterion has any."""

    def type_of(self, criterion: Criterion, *, depended_on: bool) -> str:
        return "rectanglelabels" if criterion.options else "rectangle"
