"""Parts of a guideline: Markdown with an introduction, then `##` sections; a stage's section bears its name."""

from __future__ import annotations

import re

_HEADING = re.compile(r"^## +(.+?)\s*$", re.MULTILINE)
_FOR_EVERYONE = ("dimensions", "words")


def sections(text: str) -> dict[str, str]:
    """The guideline by section heading (lower case); the introduction has the heading ``""``. Headings are kept."""
    marks = list(_HEADING.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    found = {"": text[: marks[0].start()] if marks else text}
    for mark, end in zip(marks, ends, strict=False):
        found[mark.group(1).lower()] = text[mark.start() : end]
    return {heading: part.strip() + "\n" for heading, part in found.items() if part.strip()}


def guideline_for(text: str, stage: str) -> str:
    """What someone in that stage needs: introduction, the stage's own section, and those for everyone.

    The whole guideline if it has no section for the stage.
    """
    parts = sections(text)
    if stage not in parts:
        return text
    return "\n".join(parts[heading] for heading in ("", stage, *_FOR_EVERYONE) if heading in parts)
