"""Kinds of fields: arrows, masks and covered rectangles."""

ONLY_SHOWN = "it is shown on the images there, but people cannot draw it there."
"""Why no form of another program can ask these kinds."""
