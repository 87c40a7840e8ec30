"""The page *My work*: waiting tasks by stage and dimension, the person's progress, and one key to start."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import groupby

import streamlit as st

from annotation_schemas.model import Schema
from app import addresses, markup, my_work_sections, shell
from app.labels import stage_title, text_in_language
from app.projects import start_cards
from app.screens import SCREENS, Room, Screen, working_page
from app.services import Services
from app.widgets import confirm
from app.widgets.confirm import Confirmation
from domain.errors import ConflictError, LeaseLostError, NotAllowedError
from domain.item_counts import COUNTS
from domain.language import ENGLISH, _, language, marked, ngettext
from domain.records import EarlierSubmission, ExpiredDraft, PostponedTask, ProjectView, StageWork
from domain.roles import Role
from domain.schedule import Schedule, said_of
from domain.states import VERIFICATIONS, Stage
from workflow.access import projects, schedule
from workflow.annotate import (
    claim_rules,
    claims,
    expired_drafts,
    no_work,
    own_submissions,
    progress,
    submissions,
)

SCREEN = Screen("To do", place=10, room=Room.MY_WORK, words="my work tasks queue start next waiting drafts postponed")

KEYS = "123456789"

START = {
    Stage.TRIAGE: marked("Triage"),
    Stage.AUTHORING: marked("Write items"),
    **dict.fromkeys(VERIFICATIONS, marked("Verify")),
    Stage.ADJUDICATION: marked("Adjudicate"),
    Stage.REFINEMENT: marked("Refine"),
    Stage.ANSWERING: marked("Answer"),
    Stage.GRADING: marked("Grade"),
    Stage.COMPARISON: marked("Compare"),
    Stage.CODING: marked("Code"),
    Stage.ARBITRATION: marked("Settle codes"),
}


def _waiting_tasks(stage: Stage, n: int) -> str:
    """Return how many tasks of a stage wait."""
    words = {
        Stage.TRIAGE: ngettext("{n} frame to triage", "{n} frames to triage", n),
        Stage.AUTHORING: ngettext("{n} item you can write now", "{n} items you can write now", n),
        **dict.fromkeys(VERIFICATIONS, ngettext("{n} item to verify", "{n} items to verify", n)),
        Stage.ADJUDICATION: ngettext("{n} disagreement to settle", "{n} disagreements to settle", n),
        Stage.REFINEMENT: ngettext("{n} answer to decide on", "{n} answers to decide on", n),
        Stage.ANSWERING: ngettext("{n} item to answer", "{n} items to answer", n),
        Stage.GRADING: ngettext("{n} answer to grade", "{n} answers to grade", n),
        Stage.COMPARISON: ngettext("{n} pair of answers to compare", "{n} pairs of answers to compare", n),
        Stage.CODING: ngettext("{n} answer to code", "{n} answers to code", n),
        Stage.ARBITRATION: ngettext("{n} answer with different codes", "{n} answers with different codes", n),
    }
    return words.get(stage, ngettext("{n} task", "{n} tasks", n)).format(n=n)


def render(services: Services) -> None:
    """Draw each of the person's projects, with a card for each stage."""
    shell.tell_refused()
    mine = projects.projects_of(services.store, person=services.person)
    if not mine:
        shell.heading(_("Welcome"))
        start_cards.draw(services)
        return
    work = progress.my_work(services.store, person=services.person)
    shell.heading(_("My work"))
    schedules = schedule.of_person(services.store, person=services.person)
    keys = iter(KEYS)
    chosen = st.query_params.get("project") or st.session_state.get("touchstone.project")
    ordered = sorted(mine, key=lambda view: (view.archived, view.name != chosen))
    next_ = _next(ordered, work, schedules)
    shell.show(_answer(services, next_))
    my_work_sections.draw_top(services)
    for view in ordered:
        stages = [row for row in work if row.project == view.name]
        _project(services, view, stages, keys, schedules.get(view.name, schedule.NOTHING), next_)
    _earlier(services, mine)
    _postponed(services, mine)
    _drafts(services, mine)


@dataclass(frozen=True)
class NextTask:
    """The stage in which a person should work next."""

    view: ProjectView
    rows: Sequence[StageWork]

    @property
    def stage(self) -> Stage:
        """The stage."""
        return self.rows[0].stage


FIRST = (Stage.ADJUDICATION, Stage.ARBITRATION)
"""Stages that come first: few people can settle what waits there, and items stay blocked until then."""


def _next(
    views: Sequence[ProjectView], work: Sequence[StageWork], schedules: Mapping[str, Schedule]
) -> NextTask | None:
    """Return the first stage of the first project in which the person can start; None without one."""
    for view in views:
        startable = {row.stage for row in work if row.project == view.name and row.available and _has_screen(row.stage)}
        order = schedules.get(view.name, schedule.NOTHING).in_order(
            list(dict.fromkeys(row.stage for row in work if row.project == view.name))
        )
        for stage in (*FIRST, *order):
            if stage in startable:
                return NextTask(view, [row for row in work if row.project == view.name and row.stage is stage])
    return None


def _answer(services: Services, next_: NextTask | None) -> markup.Markup:
    """Return what the person can do next, as the sentence that the page opens with."""
    if next_ is None:
        return markup.finding(markup.text(_("You have no open tasks now.")))
    n = _waiting(services, next_)
    about = markup.quiet(" " + _("To start a task, press the button with the number of tasks."))
    sentence = _("Next: {work}.").format(work=waiting_sentence(next_.stage, next_.rows, waiting=n))
    return markup.finding(markup.tag("b", markup.text(sentence)), about)


def _waiting(services: Services, next_: NextTask) -> int:
    return progress.count_waiting(
        services.store, person=services.person, project=next_.view.name, stage=next_.stage, rows=next_.rows
    )


def waiting_sentence(stage: Stage, rows: Sequence[StageWork], *, waiting: int) -> str:
    """Return the number of waiting tasks in a stage, or the reason why none waits."""
    if waiting:
        return _waiting_tasks(stage, waiting)
    reasons = list(dict.fromkeys(row.why for row in rows if row.why))
    media = _(no_work.WAITS_FOR_MEDIA)
    if media in reasons:  # even if other work is finished
        return media
    return reasons[0] if reasons else _("You have no tasks in this stage.")


def _project(
    services: Services,
    view: ProjectView,
    work: Sequence[StageWork],
    keys: Iterator[str],
    kept: Schedule,
    next_: NextTask | None,
) -> None:
    label = (
        [markup.text(" "), markup.tag("span", markup.text(_("made-up data")), style="ts-made-up")]
        if view.made_up
        else []
    )
    shell.show(markup.tag("div", markup.text(view.title), *label, style="ts-section", role="heading", aria_level="2"))
    if view.archived:
        shell.show(
            markup.notice(_("This project is archived and has no more tasks. Touchstone keeps your submissions."))
        )
        return
    my_work_sections.draw_in_project(services, view)
    if back := own_submissions.sent_back_to(services.store, person=services.person, project=view.name):
        shell.show(_sent_back(view, len(back)))
    for sentence in claim_rules.warnings(services.store, person=services.person, project=view):
        shell.show(markup.notice(sentence))
    if not any(row.waiting or row.mine_done for row in work):
        _nothing_at_all(services, view, work)
        if not work:
            return
    by_stage = {stage: list(rows) for stage, rows in groupby(work, key=lambda row: row.stage)}
    for stage in kept.in_order(by_stage):
        first = next_ is not None and (next_.view, next_.stage) == (view, stage)
        _stage(services, view, stage, by_stage[stage], keys, due=kept.deadlines.get(stage), first=first)


def _sent_back(view: ProjectView, n: int) -> markup.Markup:
    """Return a link to the items that were sent back to this person."""
    words = ngettext("{n} of your items was sent back to you", "{n} of your items were sent back to you", n)
    href = addresses.page("my_submissions", view.name)
    link = markup.tag("a", markup.text(words.format(n=n)), href=href, target="_self")
    return markup.tag("div", link, style="ts", data_part="sent-back")


def _stage(
    services: Services,
    view: ProjectView,
    stage: Stage,
    rows: Sequence[StageWork],
    keys: Iterator[str],
    *,
    due: date | None,
    first: bool,
) -> None:
    """Draw the card of a stage. ``first``: the person should work here next, so its button is filled."""
    waiting = progress.count_waiting(services.store, person=services.person, project=view.name, stage=stage, rows=rows)
    done = sum(row.mine_done for row in rows)
    startable = any(row.available for row in rows)
    barred = not startable and any(row.code == "not_qualified" for row in rows)
    screen = working_page(stage) if _has_screen(stage) else None
    key = next(keys, None) if startable else None
    with st.container(border=True, key=f"my_work.card.{view.name}.{stage}"):
        words, button = st.columns([5, 1.4], vertical_alignment="center")
        with words:
            until = said_of(due, services.store.now()) if due is not None and waiting else ""
            shell.show(_words(view.schema.schema_, stage, rows, waiting=waiting, done=done, until=until))
        with button:
            pressed = st.button(
                _("Qualify") if barred else _(START.get(stage, marked("Start"))),
                key=f"my_work.start.{view.name}.{stage}",
                type="primary" if first else "secondary",
                shortcut=key,
                disabled=not (startable or barred),
                width="stretch",
            )
        if pressed and barred:
            shell.go("qualify", project=view.name)
        if screen is not None:
            if pressed:
                shell.go(screen.name, project=view.name)
            _dimensions(view, screen.name, rows)


def _words(
    schema: Schema, stage: Stage, rows: Sequence[StageWork], *, waiting: int, done: int, until: str = ""
) -> markup.Markup:
    sentence = waiting_sentence(stage, rows, waiting=waiting)
    name = markup.text(stage_title(schema, stage))
    about = COUNTS["done"]
    mine = [markup.tag("span", markup.quiet(_("{n} done by you").format(n=done)), title=_(about.about))] if done else []
    if waiting:
        last = [markup.tag("span", markup.text(until.removeprefix("is ")), data_part="due")] if until else []
        head = markup.joined(
            [name, markup.tag("b", markup.text(sentence), title=_(COUNTS["waiting"].about)), *mine, *last], " · "
        )
        parts = [("kept", _(about.label), done), ("wanting", _(COUNTS["waiting"].label), waiting)]
        below = markup.bar(parts, total=done + waiting, style="thin")
    else:
        head = markup.joined([name, *mine], " · ")
        below = markup.tag("div", markup.quiet(sentence))
    return markup.tag("div", markup.tag("div", head), below, style="ts", data_stage=stage)


def _dimensions(view: ProjectView, screen: str, rows: Sequence[StageWork]) -> None:
    """Draw a button for each dimension with tasks, if there is more than one."""
    open_rows = [row for row in rows if row.available and row.dimension]
    if len(open_rows) < 2:
        return
    schema = view.schema.schema_
    with st.container(horizontal=True, gap="small", key=f"my_work.dimensions.{view.name}.{rows[0].stage}"):
        for row in open_rows:
            title = text_in_language(schema, schema.dimension(row.dimension).title) if row.dimension else ""
            if st.button(
                f"{markup.label(title)} · {row.waiting}",
                key=f"my_work.start.{view.name}.{row.stage}.{row.dimension}",
                type="tertiary",
            ):
                shell.go(screen, project=view.name, dimension=row.dimension)


def _earlier(services: Services, views: Sequence[ProjectView]) -> None:
    """Draw the person's submissions of the last half hour, each with a button that reopens it."""
    earlier_submissions = expired_drafts.earlier_submissions(services.store, person=services.person)
    if not earlier_submissions:
        return
    with st.expander(
        _("Submitted in the last half hour ({n})").format(n=len(earlier_submissions)), key="my_work.earlier"
    ):
        for row in earlier_submissions:
            back = partial(
                submissions.undo,
                services.store,
                person=services.person,
                project=row.project,
                stage=row.stage,
                task=row.task,
            )
            words = _("submitted {time}").format(time=markup.moment(row.at))
            _line(services, views, row, words, name="earlier", button=_("Edit my answer"), take=back)


def _postponed(services: Services, views: Sequence[ProjectView]) -> None:
    """Draw the tasks that the person postponed or gave back, each with a button that resumes it."""
    postponed_tasks = expired_drafts.postponed_tasks(services.store, person=services.person)
    if not postponed_tasks:
        return
    shell.section(_("Postponed"))
    for row in postponed_tasks:
        until = (
            _("yours until {time}").format(time=markup.moment(row.yours_until))
            if row.yours_until
            else _("other people can take this task")
        )
        what = _("given back") if row.released else _("postponed")
        _line(services, views, row, f"{what} {markup.moment(row.at)} · {until}", name="postponed", button=_("Continue"))


def _drafts(services: Services, views: Sequence[ProjectView]) -> None:
    """Draw the person's drafts for tasks that someone else has now."""
    drafts = expired_drafts.of_person(services.store, person=services.person)
    if not drafts:
        return
    shell.section(_("Drafts and expired submissions"))
    for row in drafts:
        words = f"{markup.moment(row.at)} · {row.why}"
        _line(services, views, row, words, name="kept", button=_("Continue") if row.free else None)
        with st.expander(_("Read and copy"), key=f"my_work.kept.text.{row.task}"):
            st.code(expired_drafts.text_of(row.lines), language=None, wrap_lines=True)
            away = partial(expired_drafts.put_away, services.store, person=services.person, task=row.task)
            question = Confirmation(
                _("Remove your draft about {text}?").format(text=row.words or row.title),
                _("After the removal, the list no longer shows your text from {time}.").format(
                    time=markup.moment(row.at)
                ),
                _("Copy any text that you still need first. You cannot restore a removed text on this page."),
                _("Remove from list"),
                no=_("Cancel"),
            )
            sure = partial(confirm.ask, services, question, away, key="my_work.sure")
            st.button(_("Remove from list"), key=f"my_work.kept.away.{row.task}", type="tertiary", on_click=sure)


def _line(
    services: Services,
    views: Sequence[ProjectView],
    row: PostponedTask | ExpiredDraft | EarlierSubmission,
    said: str,
    *,
    name: str,
    button: str | None,
    take: Callable[[], object] | None = None,
) -> None:
    """Draw one line with its button. ``take`` reopens the task; None: resume a postponed or lost task."""
    schema = next((view.schema.schema_ for view in views if view.name == row.project), None)
    titles = {each.id: text_in_language(schema, each.title) for each in schema.dimensions} if schema else {}
    told = schema is not None and (row.stage in VERIFICATIONS[1:] or language() != ENGLISH)
    called = stage_title(schema, row.stage) if schema is not None and told else row.stage.value
    place = f"{row.title} · {called} · {titles.get(row.dimension, row.dimension)}"
    with st.container(border=True, key=f"my_work.{name}.{row.task}"):
        words, right = st.columns([5, 1.4], vertical_alignment="center")
        with words:
            head = markup.tag("div", markup.tag("b", markup.text(row.words or place)))
            below = markup.tag("div", markup.quiet(f"{place} · {said}" if row.words else said))
            shell.show(markup.tag("div", head, below, style="ts", data_part=name))
        with right:
            pressed = button is not None and st.button(button, key=f"my_work.{name}.take.{row.task}", width="stretch")
    if pressed:
        try:
            (take or partial(claims.take_back, services.store, person=services.person, task=row.task))()
        except (ConflictError, LeaseLostError, NotAllowedError) as refusal:
            shell.show(markup.notice(str(refusal)))
            return
        screen = working_page(row.stage)
        shell.go(screen.name, project=row.project)


def _nothing_at_all(services: Services, view: ProjectView, work: Sequence[StageWork]) -> None:
    if services.person.is_admin or view.role is Role.LEAD:
        link = markup.link("Overview", addresses.page(SCREENS["overview"].path, view.name))
        words = markup.text(" shows the work that the project is waiting for.")
        shell.show(
            markup.tag(
                "p", markup.text("You have no tasks in this project. "), link, words, style="ts", data_part="lead"
            )
        )
        return
    if any(row.why == _(no_work.WAITS_FOR_MEDIA) for row in work):
        return  # the stages already show the reason
    shell.show(markup.notice(_("You have no tasks yet. Tasks appear on this page when a lead adds tasks.")))


def _has_screen(stage: Stage) -> bool:
    return any(screen.stage is stage for screen in SCREENS.values())
