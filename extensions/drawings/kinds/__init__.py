"""Kinds of fields: arrows, masks and covered rectangles."""

ONLY_SHOWN = (
    "people can draw in this field only on Touchstone's pages. Other programs only show the drawing on the images."
)
"""Why no form of another program can ask these kinds."""
