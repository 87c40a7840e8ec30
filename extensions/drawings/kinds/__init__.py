"""Kinds of fields: arrows, masks and covered rectangles."""

ONLY_SHOWN = "it is shown there, drawn on the images, but not drawn there by people."
"""Why no form of another program can ask these kinds."""
