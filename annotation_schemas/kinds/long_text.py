"""Text of several lines."""

from __future__ import annotations

from annotation_schemas.kinds._written import FreeTextField


class LongTextField(FreeTextField):
    """A field with text of several lines."""

    name = "long_text"
    place = 20
    meaning = "text with several lines"
    several_rows = True
    simulated = "words in a row"


FIELD = LongTextField()
