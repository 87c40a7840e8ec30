"""The sign-in page: a sentence and a picture about Touchstone, and the form or the people of the demo."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path

from app.routes import plain_pages
from app.serving.demo_people import DemoPerson
from domain.language import NAMES, _, marked

PICTURES = Path(__file__).with_name("pictures")
"""The page on which the demo's verifiers work, by color scheme."""

STYLE = """
body.welcome { display: grid; grid-template: auto 1fr / minmax(0, 1fr) minmax(340px, 500px); place-items: stretch;
  padding: 0; min-height: 100%; height: auto; }
.welcome header { padding: 44px 56px 0 64px; }
.welcome h1 { font-size: 34px; line-height: 1.18; max-width: 17em; margin: 0; letter-spacing: -.01em;
  text-wrap: balance; }
.welcome header p { font-size: 17px; max-width: 34em; margin: 16px 0 24px; }
.welcome aside { grid-row: 2; padding: 0 56px 32px 64px; }
.welcome figure { margin: 0; max-width: 620px; }
.welcome img { display: block; width: 100%; height: auto; border: 1px solid var(--line); border-radius: 10px; }
.welcome figcaption { margin-top: 8px; font-size: 14px; color: var(--quiet); }
.welcome main { grid-area: 1 / 2 / 3 / 3; width: auto; background: var(--card); border-left: 1px solid var(--line);
  padding: 60px 48px; }
.welcome h2 { font-size: 19px; line-height: 1.3; margin: 0 0 4px; font-weight: 600; }
.welcome main > p { font-size: 15px; }
.welcome ul { list-style: none; margin: 0 -12px 28px; padding: 0; }
.welcome li + li { border-top: 1px solid var(--line); }
.welcome li button { display: grid; grid-template-columns: 1fr auto; gap: 0 16px; align-items: center;
  padding: 9px 12px; background: none; color: var(--quiet); font-weight: 400; text-align: start; border-radius: 6px; }
.welcome li button:hover { background: color-mix(in srgb, var(--accent) 9%, transparent); filter: none; }
.welcome li b { font-weight: 600; color: var(--ink); }
.welcome li small { grid-column: 1; font-size: 14px; }
.welcome li i { grid-area: 1 / 2 / 3 / 3; font-style: normal; font-size: 14px; white-space: nowrap; }
.welcome details { margin: 24px 0; }
.welcome summary { cursor: pointer; font-size: 15px; margin-bottom: 12px; }
@media (max-width: 860px) {
  body.welcome { display: block; }
  .welcome header { padding: 24px 20px 0; }
  .welcome h1 { font-size: 25px; }
  .welcome header p { font-size: 16px; margin: 10px 0 20px; }
  .welcome main { border-left: 0; border-block: 1px solid var(--line); padding: 24px 20px; }
  .welcome aside { padding: 24px 20px; }
}
"""

TITLE = marked("Check a vision-language benchmark with people, and show how reliable the benchmark is.")
ABOUT = marked(
    "People write, verify and grade items next to the image. Touchstone measures how well people agree, and tests "
    "whether a model can replace people as graders. Anyone can recompute a release."
)
TRY = marked("Try the demo")
OWN = marked("Use Touchstone for your own benchmark")
PASSWORD = marked("Sign in with a password")
PICTURE = marked("The image is on the left. The question, its answer and two buttons are on the right.")
CAPTION = marked("A verifier presses one of two keys on the keyboard to decide whether an item is correct.")
FOOT = marked("No account yet? Ask the lead of your project for an invitation.")


@cache
def picture(scheme: str) -> bytes:
    """Return the picture of the verifying page in a color scheme."""
    return (PICTURES / f"verifying-{scheme}.webp").read_bytes()


def page(
    form: str, *, error: str = "", people: Sequence[DemoPerson] = (), signed_in: str = "", onward: str = "/"
) -> str:
    """Return the page.

    Parameters
    ----------
    form
        The form that asks for login and password.
    people
        The people of the demo. Empty on other servers.
    signed_in
        The name of the person who is signed in in this browser.
    onward
        The page that a visitor asked for, which opens after a choice.
    """
    complaint = plain_pages.paragraph(error, style="bad") if error else ""
    side = _demo(people, form, complaint, signed_in, onward) if people else _sign_in(form, complaint)
    about = (
        f'<header><div class="brand">{plain_pages.MARK}<span>Touchstone</span></div><h1>{escape(_(TITLE))}</h1>'
        f"<p>{escape(_(ABOUT))}</p></header>"
    )
    caption = f"<figcaption>{escape(_(CAPTION))}</figcaption>"
    shown = escape(_("The verifying page"))
    figure = (
        f'<aside aria-label="{shown}"><figure><picture>'
        '<source srcset="/assets/verifying-dark.webp" media="(prefers-color-scheme: dark)">'
        f'<img src="/assets/verifying-light.webp" width="1280" height="720" alt="{escape(_(PICTURE))}"></picture>'
        f"{caption}</figure></aside>"
    )
    return plain_pages.document(_("Sign in"), f'<body class="welcome">{about}<main>{side}</main>{figure}</body>')


def _sign_in(form: str, complaint: str) -> str:
    languages = plain_pages.link("/language?next=/login", " · ".join(NAMES.values()))
    asked = complaint or plain_pages.paragraph(_("Sign in with your Touchstone account."))
    return f"<h2>{escape(_('Sign in'))}</h2>{asked}{form}{plain_pages.paragraph(_(FOOT), style='foot')}{languages}"


def _demo(people: Sequence[DemoPerson], form: str, complaint: str, signed_in: str, onward: str) -> str:
    """Return the list of the demo's people. Each is a button, so it works without scripts and as often as pressed."""
    lines = [
        _choice(p, _(p.role.title), _(p.role.does), p.waits, p.role.page if onward == "/" else onward) for p in people
    ]
    lead = next((p for p in people if p.role.stage is None), None)
    own = ""
    if lead is not None:
        does = _("Start from a published protocol, or build a form")
        line = _choice(lead, _("Create a project"), does, "", "/new_project")
        own = f"<h2>{escape(_(OWN))}</h2><ul>{line}</ul>"
    stay = plain_pages.link("/", _("Stay signed in as {name}").format(name=signed_in)) if signed_in else ""
    words = _("The people and their submissions are made up. You can return to this page and choose another person.")
    return (
        f"<h2>{escape(_(TRY))}</h2>{complaint}{plain_pages.paragraph(words)}<ul>{''.join(lines)}</ul>{own}"
        f"<details{' open' if complaint else ''}><summary>{escape(_(PASSWORD))}</summary>{form}</details>{stay}"
    )


def _choice(person: DemoPerson, title: str, does: str, waits: str, onward: str) -> str:
    right = f"<i>{escape(waits)}</i>" if waits else ""
    name = person.name.partition(" (")[0]  # the demo's names say the role, as the title does
    role = escape(_("{role} as {name}")).format(role=f"<b>{escape(title)}</b>", name=escape(name))
    words = f"<span>{role}</span><small>{escape(does)}</small>{right}"
    login = f'<input type="hidden" name="login" value="{escape(person.role.login)}">'
    return (
        f'<li><form method="post" action="/demo">{login}'
        f'<input type="hidden" name="next" value="{escape(onward)}"><button type="submit">'
        f"{words}</button></form></li>"
    )
