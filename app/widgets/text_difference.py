"""Draw the lines in which two versions of a text differ."""

from __future__ import annotations

from collections.abc import Sequence

from app import markup

STYLE = """
.ts-diff { font-size: .9rem; max-height: 420px; overflow: auto; }
.ts-diff div { padding: .05rem .5rem; white-space: pre-wrap; min-height: 1.4em; border-left: 3px solid transparent; }
.ts-diff .new { border-left-color: #1f8a64; background: color-mix(in srgb, #1f8a64 12%, transparent); }
.ts-diff .gone { border-left-color: #c4622d; background: color-mix(in srgb, #c4622d 12%, transparent); }
"""


def lines_of(lines: Sequence[tuple[str, str]]) -> markup.Markup:
    """Return the changed lines with their context. Each line has the sign ``+``, ``-`` or a space."""
    if not lines:
        return markup.notice("There are no changes yet.")
    names = {"+": "new", "-": "gone", " ": "same"}
    signs = {"+": "+ ", "-": "- ", " ": "  "}
    return markup.tag(
        "div", *(markup.tag("div", markup.text(signs[sign] + line), style=names[sign]) for sign, line in lines),
        style="ts ts-diff",
    )  # fmt: skip
