"""Numbered points in Label Studio."""

from __future__ import annotations

from extensions.labelstudio.ways.drawn import LabelStudioDrawn


class LabelStudioMarks(LabelStudioDrawn):
    """Numbered points."""

    result_type = "keypointlabels"
