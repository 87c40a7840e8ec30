"""Numbered points in Label Studio."""

from __future__ import annotations

from extensions.labelstudio.ways.drawn import LabelStudioRegions


class LabelStudioMarks(LabelStudioRegions):
    """Numbered points."""

    result_type = "keypointlabels"
