"""How Label Studio asks it: points with numbers."""

from __future__ import annotations

from extensions.labelstudio.ways.drawn import LabelStudioDrawn


class LabelStudioMarks(LabelStudioDrawn):
    """Points with numbers."""

    result_type = "keypointlabels"
