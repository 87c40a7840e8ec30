"""Names and titles of projects: the name is permanent, the title can change."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from domain.errors import Problem

LONGEST_NAME = 64
"""Maximum length of a project's name."""
LONGEST_TITLE = 200
"""Maximum length of a project's title."""
_HIDDEN = re.compile(r"[\u0001-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and characters that reverse the direction of the text after them."""
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{LONGEST_NAME - 1}}}")


def name_problems(name: str) -> list[Problem]:
    """Return the problems with a project name; empty if the name is valid."""
    message = "Enter an ID of up to 64 letters, digits, dots, dashes and underscores."
    return [] if _NAME.fullmatch(name) else [Problem("name", message)]


def title_problems(title: str) -> list[Problem]:
    """Return the problems with a project title; empty if the title is valid."""
    if not title.strip() or "\0" in title:
        return [Problem("title", "Enter a name for the project.")]
    if hidden := _HIDDEN.search(title):
        message = f"The name contains the invisible character U+{ord(hidden[0]):04X}. Type the name again without it."
        return [Problem("title", message)]
    message = f"The name has {len(title.strip()):,} characters. The limit is {LONGEST_TITLE}. Shorten the name."
    return [Problem("title", message)] if len(title.strip()) > LONGEST_TITLE else []


def name_out_of(title: str, *, taken: Collection[str] = ()) -> str:
    """Return an unused project name that resembles this title.

    >>> name_out_of("Häuser & Gärten: v2"), name_out_of("house", taken={"house"}), name_out_of("家")
    ('hauser_garten_v2', 'house_2', 'project')
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:LONGEST_NAME].strip("_") or "project"
    free, n = name, 2
    while free in taken:
        end = f"_{n}"
        free, n = name[: LONGEST_NAME - len(end)] + end, n + 1
    return free
