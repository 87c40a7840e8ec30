"""The three ways to begin on a server without projects: the demo, a published protocol, a form of one's own."""

from __future__ import annotations

from functools import cache

from annotation_schemas import shipped
from annotation_schemas.loader import examine
from app import markup, shell
from app.projects import form_thumbnail
from app.screens import SCREENS
from app.services import Services
from domain.language import _
from workflow.access import accounts

PUBLISHED = ("egothink", "egoplan", "etp_bench", "pca_bench")
"""The schemas of published benchmarks, by name."""
COMMAND = "TOUCHSTONE_HOME=demo touchstone demo --port 8502"

STYLE = (
    """
.ts-starts { display: grid; grid-template-columns: 1fr 1.5fr 1fr; gap: 1rem; margin-top: .6rem; }
.ts-starts section { border: 1px solid color-mix(in srgb, currentColor 18%, transparent); border-radius: 10px;
  padding: 1.1rem 1.2rem; display: flex; flex-direction: column; gap: .6rem; }
.ts-starts h2 { font-size: 1.08rem !important; font-weight: 600; margin: 0; padding: 0; }
.ts-starts p { margin: 0; }
.ts-starts code { display: block; padding: .5rem .6rem; border-radius: 6px; font-size: .82rem; overflow-wrap: anywhere;
  color: inherit; background: color-mix(in srgb, currentColor 7%, transparent); }
.ts-starts section > .ts-button { align-self: start; margin-top: auto; padding: .3rem .9rem; }
.ts-protocols { display: grid; grid-template-columns: 1fr 1fr; gap: .8rem; }
.ts-protocols a { text-decoration: none; display: block; color: inherit; border-radius: 6px; font-size: .88rem; }
.ts-protocols a:hover span { text-decoration: underline; }
@media (max-width: 900px) { .ts-starts { grid-template-columns: 1fr; } }
"""
    + form_thumbnail.STYLE
)


def draw(services: Services) -> None:
    """Draw the cards for a person who may create projects. Others read who can invite them."""
    if not accounts.leads_any(services.store, person=services.person):
        shell.show(markup.notice(who_invites(services)))
        return
    shell.show(
        markup.finding(markup.text("This server has no project yet. Start in one of three ways.")),
        markup.tag("style", markup.Markup(STYLE)),
        markup.tag("div", _demo(), _protocols(), _own(), style="ts ts-starts"),
    )


def who_invites(services: Services) -> str:
    """Return whom a person without a project can ask for an invitation."""
    admins = [person.name for person in accounts.active_accounts(services.store) if person.is_admin]
    if not admins:
        return _("You are not a member of any project yet. Ask a project's lead for an invitation.")
    return _(
        "You are not a member of any project yet. Ask a project's lead or an admin of this server ({names}) for "
        "an invitation."
    ).format(names=", ".join(admins))


def _card(title: str, about: str, *parts: markup.Markup) -> markup.Markup:
    return markup.tag("section", markup.tag("h2", markup.text(title)), markup.paragraph(about), *parts)


def _demo() -> markup.Markup:
    return _card(
        "Try the demo",
        "Explore a benchmark with made-up people, votes and models. Run this command on your own machine. The demo "
        "does not change this server.",
        markup.tag("code", markup.text(COMMAND)),
    )


def _protocols() -> markup.Markup:
    links = [
        markup.tag(
            "a",
            thumbnail,
            markup.tag("span", markup.text(title)),
            href=f"/new_project?schema={name}",
            target="_self",
        )
        for name, title, thumbnail in published()
    ]
    return _card(
        "Start from a published protocol",
        "Use the forms, rules and guideline of a published benchmark. You can change the form later.",
        markup.tag("div", *links, style="ts-protocols"),
    )


def _own() -> markup.Markup:
    builder = "builder" in SCREENS
    return _card(
        "Build your own form",
        "Choose the content of items and the questions for people. The form appears next to your choices."
        if builder
        else "Write a YAML file that defines the content of items and the questions for people.",
        markup.tag(
            "a",
            markup.text("Build a form" if builder else "Use a YAML file"),
            href="/builder" if builder else "/new_project?from=file",
            target="_self",
            style="ts-button",
        ),
    )


@cache
def published() -> list[tuple[str, str, markup.Markup]]:
    """Return name, title and thumbnail of each published protocol."""
    there = shipped()
    found = []
    for name in PUBLISHED:
        loaded = examine(there[name]).loaded if name in there else None
        if loaded is not None:
            found.append((name, loaded.schema_.title, form_thumbnail.thumbnail(loaded.schema_)))
    return found
