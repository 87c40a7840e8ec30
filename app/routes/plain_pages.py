"""The few plain HTML pages (sign in, invitation, sign out): no framework, light and dark, every value escaped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from pathlib import Path

from domain.language import language

MARK = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" role="img" aria-label="Touchstone">
<rect x="2" y="2" width="28" height="28" rx="8" fill="#22303c"/>
<path d="M8.5 21.5 L20.5 8.5" stroke="#e3b341" stroke-width="3.6" stroke-linecap="round"/>
<path d="M15.5 23.5 L24 14.3" stroke="#9fb3c4" stroke-width="2.4" stroke-linecap="round" opacity=".75"/></svg>"""
"""The logo: a dark stone with a streak of gold and a streak of another metal, as on a touchstone."""


def _font_face() -> str:
    """Return the rule for Streamlit's font, so that these pages look like the others."""
    found = find_spec("streamlit")
    folder = Path(found.origin).parent if found is not None and found.origin is not None else Path()
    file = next(iter(sorted(folder.glob("static/static/media/SourceSansVF-Upright*.woff2"))), None)
    source = f'url("/static/media/{file.name}") format("woff2")' if file is not None else 'local("Source Sans")'
    return f'@font-face {{ font-family: "Source Sans"; font-weight: 200 900; font-display: swap; src: {source}; }}'


STYLE = (
    f"{_font_face()}\n"
    + """
:root { color-scheme: light dark; --ground: #f5f6f4; --card: #fff; --ink: #1c2429; --quiet: #5c6a73; --line: #d4dad8;
  --accent: #0f6e84; --accent-ink: #fff; --bad: #a1330f; --bad-ground: #fbeee8; }
@media (prefers-color-scheme: dark) { :root { --ground: #12171a; --card: #1a2125; --ink: #e6ebec; --quiet: #9aa8af;
  --line: #354047; --accent: #4fb3c8; --accent-ink: #08191b; --bad: #f3a688; --bad-ground: #38211a; } }
* { box-sizing: border-box; }
html, body { height: 100%; }
body { margin: 0; display: grid; place-items: center; padding: 24px; background: var(--ground); color: var(--ink);
  font: 16px/1.5 "Source Sans", "Source Sans 3", system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { width: min(400px, 100%); min-width: 0; }
.brand { display: flex; align-items: center; gap: 12px; margin: 0 0 20px; font-size: 19px; font-weight: 600; }
.brand svg { width: 34px; height: 34px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 28px; }
h1 { font-size: 22px; line-height: 1.3; margin: 0 0 6px; font-weight: 600; }
p { margin: 0 0 18px; color: var(--quiet); }
p.foot { margin: 18px 2px 0; font-size: 14px; }
p.way { margin: 14px 0 0; }
p.way a { display: block; padding: 10px 16px; text-align: center; font-weight: 600; text-decoration: none;
  border: 1px solid var(--line); border-radius: 8px; }
p.bad { color: var(--bad); background: var(--bad-ground); border-radius: 8px; padding: 10px 12px; }
label { display: block; margin: 0 0 16px; font-size: 14px; font-weight: 600; }
label small { font-weight: 400; color: var(--quiet); }
input { display: block; width: 100%; margin-top: 6px; padding: 10px 12px; font: inherit; font-weight: 400;
  color: inherit;  background: transparent; border: 1px solid var(--line); border-radius: 8px; }
input:focus-visible, button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
button { width: 100%; padding: 11px 16px; font: inherit; font-weight: 600; color: var(--accent-ink);
  background: var(--accent); border: 0; border-radius: 8px; cursor: pointer; }
button:hover { filter: brightness(1.08); }
a { color: var(--accent); }
main.wide { width: min(1200px, 100%); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 8px 10px; text-align: start; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { font-size: 13px; vertical-align: bottom; }
tbody th { font-weight: 600; }
td small { display: block; color: var(--quiet); white-space: nowrap; }
"""
)

SCRIPT = """
const form = document.querySelector("form[data-at-once]");
if (form) form.requestSubmit();
"""
"""A sign-in link signs in at once, but by a POST. So programs that only preview a link do not use it up."""


@dataclass(frozen=True)
class Field:
    """One input of a form."""

    name: str
    label: str
    kind: str = "text"
    autocomplete: str = "off"
    value: str = ""
    hint: str = ""


def page(title: str, *body: str, again: int | None = None, onward: str = "", wide: bool = False) -> str:
    """Return a whole HTML page with one card.

    Parameters
    ----------
    body
        Markup that is already safe.
    again
        The page reloads after this many seconds.
    onward
        The page opens this address instead of itself.
    wide
        Make the card wide enough for a table.
    """
    to = f"; url={escape(onward)}" if onward else ""
    refresh = f'<meta http-equiv="refresh" content="{again}{to}">' if again is not None else ""
    shape = ' class="wide"' if wide else ""
    return document(
        title,
        f'<body><main{shape}><div class="brand">{MARK}<span>Touchstone</span></div>'
        f'<div class="card"><h1>{escape(title)}</h1>{body[0] if body else ""}</div>{"".join(body[1:])}</main>'
        '<script src="/assets/plain.js"></script></body>',
        more=refresh,
    )


def document(title: str, body: str, *, more: str = "") -> str:
    """Return an HTML document: the head, with ``more`` in it, and the body element."""
    return (
        f'<!doctype html><html lang="{language().replace("_", "-")}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"{more}<title>{escape(title)} · Touchstone</title>"
        '<link rel="icon" href="/assets/mark.svg" type="image/svg+xml"><link rel="stylesheet" href="/assets/plain.css">'
        f"</head>{body}</html>"
    )


def paragraph(text: str, *, style: str = "") -> str:
    """Return a paragraph of plain text."""
    shown = f' class="{escape(style)}"' if style else ""
    alert = ' role="alert"' if style == "bad" else ""
    return f"<p{shown}{alert}>{escape(text)}</p>"


def form(
    action: str,
    button: str,
    *fields: Field,
    hidden: Mapping[str, str] | None = None,
    at_once: bool = False,
    focus: bool = True,
) -> str:
    """Return a form that posts to ``action``, with the focus on its first empty field unless ``focus`` is false.

    ``at_once``: post without a press.
    """
    first_empty = next((field.name for field in fields if not field.value and focus), None)
    lines = [_line(field, focus=field.name == first_empty) for field in fields]
    secrets = [
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">' for name, value in (hidden or {}).items()
    ]
    on_button = " autofocus" if focus and not fields else ""
    now = " data-at-once" if at_once else ""
    return (
        f'<form method="post" action="{escape(action)}"{now}>{"".join(secrets)}{"".join(lines)}'
        f'<button type="submit"{on_button}>{escape(button)}</button></form>'
    )


def button(href: str, text: str) -> str:
    """Return a link that looks like a button."""
    return f'<p class="way"><a href="{escape(href)}">{escape(text)}</a></p>'


def link(href: str, text: str) -> str:
    """Return a paragraph with one link."""
    return f'<p class="foot"><a href="{escape(href)}">{escape(text)}</a></p>'


def _line(field: Field, *, focus: bool) -> str:
    hint = f" <small>{escape(field.hint)}</small>" if field.hint else ""
    plain_typing = ' autocapitalize="none" spellcheck="false"' if field.name == "login" else ""
    return (
        f'<label>{escape(field.label)}{hint}<input name="{escape(field.name)}" type="{escape(field.kind)}" required '
        f'maxlength="200" autocomplete="{escape(field.autocomplete)}" value="{escape(field.value)}"{plain_typing}'
        f"{' autofocus' if focus else ''}></label>"
    )
