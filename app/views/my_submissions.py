"""The page *Submissions*: a person's own submissions with the items as the person saw them, and their correction."""

from __future__ import annotations

from datetime import date

import streamlit as st

from app import addresses, markup, shell
from app.labels import stage_title, text_in_language
from app.reruns import messages
from app.screens import Need, Room, Screen, working_page
from app.services import Services
from app.workbench import preview
from db import project_facts
from domain.errors import ConflictError, LeaseLostError, NotAllowedError, NotFoundError
from domain.item_filter import LONGEST
from domain.language import _, marked, ngettext
from domain.records import ProjectView
from domain.states import Stage
from workflow.annotate import own_submissions, submissions
from workflow.annotate.own_submissions import PAGE, OwnSubmission

SCREEN = Screen(
    "Submissions",
    place=12,
    room=Room.MY_WORK,
    words="my submissions done edit correct my answer mistake undo earlier",
    needs=Need(marked("You have not submitted anything yet. Submit a task first."), project_facts.has_own_submissions),
)

KEY = "my_submissions"
ALL = ""
BACK = marked(
    "If you edit one of these items, people vote on the item again. If the item is already right, answer the comment "
    "instead."
)
OTHERS = "others"
"""The parameter of the address that shows what others answered."""
FILTERS = ("stage", "dimension", "day", "find")
"""Filters that stay in the address, so that a person returns to the same list."""


def render(services: Services) -> None:
    """Draw the submission in the address, else the list."""
    view = shell.project(services)
    _leave(view)
    shell.tell_refused()
    chosen = st.query_params.get("said")
    if chosen:
        _one(services, view, chosen)
    else:
        _list(services, view)


def _leave(view: ProjectView) -> None:
    """Go to the working page, if a submission was just reopened there. Left without a change, that page comes back."""
    reopened = st.session_state.pop(f"{KEY}.go", None)
    if reopened is not None:
        stage, task = reopened
        shell.go(working_page(stage).name, project=view.name, edited=task)


def _list(services: Services, view: ProjectView) -> None:
    shell.heading(
        _("My submissions"),
        _(
            "Your submissions, newest first. Only you see this page. Open tasks and qualification answers are not "
            "in this list."
        ),
        made_up=view.made_up,
    )
    _sent_back(services, view)
    stages, dimensions = own_submissions.stages_and_dimensions(
        services.store, person=services.person, project=view.name
    )
    stage, dimension, day, text = _filters(view, stages, dimensions)
    wanted = {"stage": stage, "dimension": dimension, "day": day, "text": text}

    def look(offset: int) -> own_submissions.SubmissionPage:
        return own_submissions.find(
            services.store,
            person=services.person,
            project=view.name,
            stage=stage,
            dimension=dimension,
            day=day,
            text=text,
            offset=offset,
        )

    of = (view.name, wanted)
    begin = shell.page_begin(size=PAGE, of=of, key=f"{KEY}.page")
    page = look(begin)
    if not page.n:
        narrowed = any(value is not None and value != "" for value in wanted.values())
        shell.show(
            markup.notice(
                _("No submissions match these filters. Remove a filter.")
                if narrowed
                else _("You have no submissions in this project yet.")
            )
        )
        return
    if shell.pager(page.n, size=PAGE, of=of, key=f"{KEY}.page", words=_submissions) != begin:  # the list is shorter now
        page = look(shell.page_begin(size=PAGE, of=of, key=f"{KEY}.page"))
    for row in page.rows:
        _row(services, view, row)


def _submissions(n: int) -> str:
    return ngettext("{n} submission", "{n} submissions", n).format(n=f"{n:,}")


def _sent_back(services: Services, view: ProjectView) -> None:
    """Draw the person's submissions that a lead sent back, with the reasons, above all others."""
    back = own_submissions.sent_back_to(services.store, person=services.person, project=view.name)
    if not back:
        return
    shell.section(_("Sent back to you"))
    shell.show(markup.paragraph(_(BACK), style="ts ts-quiet"))
    for returned in back:
        _row(services, view, returned.row, why=returned.why)
    shell.section(_("All submissions"))


def _filters(
    view: ProjectView, stages: list[Stage], dimensions: list[str]
) -> tuple[Stage | None, str | None, date | None, str]:
    schema = view.schema.schema_
    titles = {dimension.id: dimension.title for dimension in schema.dimensions}
    asked = {name: st.query_params.get(name, "") for name in FILTERS}
    keys = {name: f"{KEY}.{name}" for name in FILTERS}
    st.session_state[keys["stage"]] = asked["stage"] if asked["stage"] in stages else ALL
    st.session_state[keys["dimension"]] = asked["dimension"] if asked["dimension"] in dimensions else ALL
    st.session_state[keys["day"]] = _day(asked["day"])
    st.session_state[keys["find"]] = asked["find"][:LONGEST]

    def keep() -> None:
        for name in FILTERS:
            value = st.session_state[keys[name]]
            if value:
                st.query_params[name] = str(value).strip()
            elif name in st.query_params:
                del st.query_params[name]

    first, second, third, fourth = st.columns([2, 2, 2, 3])
    with first:
        stage = st.selectbox(
            _("Stage"),
            [ALL, *map(str, stages)],
            format_func=lambda each: stage_title(schema, Stage(each)) if each else _("all"),
            key=keys["stage"],
            on_change=keep,
        )
    with second:
        dimension = st.selectbox(
            _("Dimension"),
            [ALL, *dimensions],
            format_func=lambda each: text_in_language(schema, titles[each]) if each else _("all"),
            key=keys["dimension"],
            on_change=keep,
        )
    with third:
        day = st.date_input(_("Day (UTC)"), key=keys["day"], format="YYYY-MM-DD", on_change=keep)
    with fourth:
        text = st.text_input(_("Search item text"), max_chars=LONGEST, key=keys["find"], on_change=keep)
    return Stage(stage) if stage else None, dimension or None, day if isinstance(day, date) else None, text


def _day(written: str) -> date | None:
    try:
        return date.fromisoformat(written) if written else None
    except ValueError:
        return None


def _row(services: Services, view: ProjectView, row: OwnSubmission, *, why: str = "") -> None:
    name = f"back.{row.id}" if why else row.id  # items that were sent back are also in the list
    with st.container(border=True, key=f"{KEY}.row.{name}"):
        words, right = st.columns([5, 1.2], vertical_alignment="center")
        with words:
            link = markup.tag("a", markup.text(row.words or _("Open it")), href=_address(view, row.id), target="_self")
            more = [markup.tag("div", _others(view, row))] if row.shows_others else []
            shell.show(
                markup.tag("div", link, _about(view, row), _said(row), *more, style="ts", data_part="submission"),
                *([_why(why)] if why else []),
            )
        with right:
            _correct(services, view, row, name=name)
        _refusal(row)


def _why(why: str) -> markup.Markup:
    return markup.tag("div", markup.notice(_("Sent back: {reason}").format(reason=why), style="bad"), data_part="why")


def _about(view: ProjectView, row: OwnSubmission) -> markup.Markup:
    schema = view.schema.schema_
    titles = {dimension.id: dimension.title for dimension in schema.dimensions}
    corrected = [_("edited by you")] if row.corrected else []
    dimension = text_in_language(schema, titles.get(row.dimension, row.dimension))
    parts = [markup.moment(row.at), stage_title(schema, row.stage), dimension]
    return markup.tag("div", markup.quiet(" · ".join([*parts, *corrected])), style="ts-small")


def _said(row: OwnSubmission) -> markup.Markup:
    lines = [
        markup.tag("div", markup.quiet(f"{line.title}: "), markup.tag("b", markup.text(line.text))) for line in row.said
    ]
    return markup.tag("div", *lines)


def _correct(services: Services, view: ProjectView, row: OwnSubmission, *, name: str = "") -> None:
    """Draw the button that opens a submission for editing.

    The button is the same in every row. Only a press tells that a submission can no longer change. The person thus
    learns nothing beforehand about other people's work.
    """

    def correct() -> None:
        with shell.pressed(services):
            try:
                submissions.undo(
                    services.store, person=services.person, project=view.name, stage=row.stage, task=row.task
                )
            except (ConflictError, LeaseLostError, NotAllowedError, NotFoundError) as refusal:
                messages.keep(f"{KEY}.refused", (row.id, str(refusal)))
            else:
                st.session_state[f"{KEY}.go"] = (row.stage, row.task)

    key = f"{KEY}.correct.{name or row.id}"
    label = _("Edit my item") if row.stage is Stage.AUTHORING else _("Edit my answer")
    st.button(label, key=key, on_click=correct, width="stretch", disabled=view.archived)


def _refusal(row: OwnSubmission) -> None:
    kept = messages.kept_message(f"{KEY}.refused")
    if kept is not None and kept[0] == row.id:
        shell.show(markup.notice(kept[1]))


def _one(services: Services, view: ProjectView, submission: str) -> None:
    own = own_submissions.look(
        services.store,
        person=services.person,
        project=view.name,
        submission=submission,
        with_others=OTHERS in st.query_params,
    )
    row = own.row
    shell.heading(_("My submission"), made_up=view.made_up)
    words, right = st.columns([5, 1.2], vertical_alignment="center")
    with words:
        back = markup.tag("a", markup.text(_("My submissions")), href=_address(view), target="_self")
        more = [markup.tag("div", _others(view, row))] if row.shows_others and OTHERS not in st.query_params else []
        shell.show(markup.tag("div", back, _about(view, row), *more, style="ts"))
    with right:
        _correct(services, view, row)
    _refusal(row)
    sent_back = own_submissions.sent_back_to(services.store, person=services.person, project=view.name)
    shell.show(*(_why(returned.why) for returned in sent_back if returned.row.id == row.id))
    if own.others:
        shell.show(markup.paragraph(own.others, style="ts ts-quiet"))
    preview.submitted(
        services,
        view,
        own.view,
        words=_("You submitted this answer on {time}. This page is read-only.").format(time=markup.moment(row.at)),
        key=f"{KEY}.form",
    )
    if own.before:
        shell.section(_("Your earlier answers"))
        for earlier in own.before:
            shell.show(markup.tag("div", markup.quiet(markup.moment(earlier.at)), _said(earlier), style="ts"))


def _others(view: ProjectView, row: OwnSubmission) -> markup.Markup:
    """Return the link that shows what others answered, with what it costs the person."""
    href = _address(view, row.id, **{OTHERS: "yes"})
    link = markup.tag("a", markup.text(_("Other answers")), href=href, target="_self")
    cost = _("If you open the other answers, you get no more tasks about this item.")
    return markup.joined([link, markup.quiet(cost)], " ")


def _address(view: ProjectView, submission: str | None = None, **more: str) -> str:
    kept = {name: st.query_params[name] for name in FILTERS if name in st.query_params}
    return addresses.page("my_submissions", view.name, **kept, said=submission, **more)
