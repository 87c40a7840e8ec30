"""How Label Studio asks it: rectangles, with labels where there are some."""

from __future__ import annotations

from annotation_schemas.model import Criterion
from extensions.labelstudio.ways.drawn import LabelStudioDrawn


class LabelStudioBoxes(LabelStudioDrawn):
    """Rectangles, with labels where there are some."""

    def type_of(self, criterion: Criterion, *, depended_on: bool) -> str:
        return "rectanglelabels" if criterion.options else "rectangle"
