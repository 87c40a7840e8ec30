"""A person's own pace and daily goal on the page *My work*, and on top of working pages."""

from __future__ import annotations

import streamlit as st

from app import markup, shell
from app.my_work_sections import MyWorkSection
from app.services import Services
from domain.language import _, marked
from extensions.own_pace import pace
from extensions.own_pace.pace import OwnPace

WEEKDAYS = (
    marked("Mon"), marked("Tue"), marked("Wed"), marked("Thu"), marked("Fri"), marked("Sat"), marked("Sun"),
)  # fmt: skip


def draw(services: Services) -> None:
    """Draw the person's work of today and the last days, next to the person's own daily goal."""
    own_work = pace.own_pace(services.store, person=services.person, zone=st.context.timezone)
    words, button = st.columns([5, 1.4], vertical_alignment="center")
    with words:
        shell.show(_done(own_work))
    with (
        button,
        st.popover(_("Daily goal"), key="my_work.goal", width="stretch"),
        st.form("my_work.goal.form", border=False),
    ):
        st.number_input(
            _("Tasks a day"),
            1,
            pace.LARGEST_GOAL,
            own_work.goal,
            key="my_work.goal.tasks",
            placeholder=_("no goal"),
            help=_("Only you can see your goal. Leave the field empty if you want no goal."),
        )
        st.form_submit_button(_("Set"), on_click=_set_goal, args=(services,), width="stretch", key="my_work.goal.set")
    if own_work.n:
        with st.expander(_("My last seven days"), key="my_work.days"):
            shell.show(_days(own_work))


def _done(of: OwnPace) -> markup.Markup:
    done_today = _("{n} of {goal} done today") if of.goal else _("{n} done today")
    parts = [markup.tag("b", markup.text(done_today.format(n=f"{of.today:,}", goal=f"{of.goal or 0:,}")))]
    if of.goal and of.today >= of.goal:
        parts.append(markup.text(_("your goal is reached")))
    if of.n:
        parts.append(markup.quiet(_("{n} in seven days").format(n=f"{of.n:,}")))
    if of.an_hour is not None:
        parts.append(markup.quiet(_("{n} per active hour").format(n=f"{of.an_hour:,.0f}")))
    done = markup.tag("div", markup.joined(parts, " · "))
    if not of.goal:
        return markup.tag("div", done, style="ts", data_part="pace")
    bar = [
        ("kept", _("done today"), min(of.today, of.goal)),
        ("wanting", _("to your goal"), max(of.goal - of.today, 0)),
    ]
    return markup.tag("div", done, markup.bar(bar, total=of.goal, style="thin"), style="ts", data_part="pace")


def _days(of: OwnPace) -> markup.Markup:
    rows = [
        [
            markup.text(f"{_(WEEKDAYS[day.day.weekday()])} {day.day}"),
            markup.number(day.n),
            markup.text(_("{n} min").format(n=f"{60 * day.hours:.0f}") if day.timed else "-"),
            markup.text(f"{day.timed / day.hours:,.0f}" if day.timed >= pace.LEAST and day.hours else "-"),
        ]
        for day in reversed(of.days)
    ]
    heads = [
        (_("Day"), "line"),
        (_("Tasks"), "number"),
        (_("Active time"), "number"),
        (_("Per active hour"), "number"),
    ]
    return markup.table(heads, rows)


def _set_goal(services: Services) -> None:
    with shell.pressed(services):
        tasks = st.session_state["my_work.goal.tasks"]
        pace.set_goal(services.store, person=services.person, tasks=int(tasks) if tasks is not None else None)


def note(services: Services, zone: str | None) -> str | None:
    """Return the number of tasks of today and the goal, for the line on top of working pages."""
    counts = pace.today(services.store, person=services.person, zone=zone)
    return _("{n} of {goal} today").format(n=counts[0], goal=counts[1]) if counts is not None else None


SECTION = MyWorkSection(top=draw)
