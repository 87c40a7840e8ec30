"""The part *Replies* of a run on the page *Judges*: scores next to raw replies, people's grades, files."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from app import addresses, markup, shell
from app.judging import shown
from app.markup import Markup
from app.reruns import messages
from app.running import shown as texts
from app.running.run_page import RunSection
from app.services import Services
from db.engine import Store
from domain import csv_text
from domain.attacks import ATTACKS
from domain.errors import NotFoundError
from domain.judging import JudgePlan, ReplyFilter, ReplyOutcome
from domain.records import Person, ProjectView
from workflow.results import judge_replies
from workflow.results.judge_replies import ReplyView
from workflow.runs import judge_readings
from workflow.runs.run_views import RunView

A_PAGE = 10
"""Replies on one page."""

FAILURES = "failures"
"""The value of the address for all verdicts except scores."""

NO_SCORE = tuple(verdict for verdict in ReplyOutcome if not verdict.scored)


# ---- the list --------------------------------------------------------------------------------------------------------


def draw_replies(services: Services, project: ProjectView, view: RunView) -> None:
    """Draw the replies with filters, page by page, the newest first."""
    _again(services, view)
    tallies = judge_replies.tallies(services.store, by=services.person, run=view.id)
    if not tallies:
        shell.show(markup.notice("There are no replies yet."))
        return
    shell.show(*(_of_all(tally) for tally in tallies))
    wanted = _filters(services, project, view, [tally.criterion for tally in tallies])
    replies, more = _page(services, view, wanted)
    if not replies:
        shell.show(markup.notice("No replies match. Choose another outcome, dimension or model."))
        return
    titles = {known.id: known.title for known in project.schema.schema_.dimensions}
    shell.show(*(shown.card(reply, project.name, view.id, title=titles.get(reply.dimension, "")) for reply in replies))
    _pages(view, replies, more)


def _of_all(tally: judge_replies.ReplyTally) -> Markup:
    return markup.tag(
        "div",
        markup.tag("b", markup.text(texts.opening(tally.criterion, 80))),
        markup.text(f" · {shown.of_all(tally.verdicts)}"),
        style="ts ts-small",
    )


def _again(services: Services, view: RunView) -> None:
    """Draw a button that reads replies again, if only an earlier version of the parser has read them."""
    message = messages.kept_message(f"judges.read.{view.id}")
    if message:
        shell.show(markup.notice(message, style="good"))
    n = judge_replies.unread(services.store, by=services.person, run=view.id)
    if not n or not isinstance(view.plan, JudgePlan):
        return
    left, right = st.columns([3, 1], vertical_alignment="center")
    with left:
        shell.show(
            markup.notice(
                f"An older version of the parser {view.plan.parser} read {markup.count(n, 'reply', 'replies')} of "
                "this run. Read the replies again with the new version. Touchstone then sends no requests to the "
                "judge, and keeps the earlier readings."
            )
        )
    with right:
        if st.button("Read again", key="judges.read_again", type="primary"):
            new = judge_readings.read_replies_again(services.store, by=services.person, run=view.id)
            messages.keep(f"judges.read.{view.id}", f"Read again: {markup.count(new, 'new reading')}.")
            st.rerun()


_ANY, _ALL_FAILURES = "Any", "All replies without a score"


def _filters(services: Services, project: ProjectView, view: RunView, criteria: list[str]) -> ReplyFilter:
    asked = st.query_params.get("verdict", "")
    options = [_ANY, _ALL_FAILURES, *(verdict.value for verdict in ReplyOutcome)]
    now = _ALL_FAILURES if asked == FAILURES else asked if asked in options else _ANY
    titles = {known.id: known.title for known in project.schema.schema_.dimensions}
    attacks = isinstance(view.plan, JudgePlan) and view.plan.attacks
    about = sorted(ATTACKS) if attacks else judge_replies.models_of(services.store, by=services.person, run=view.id)
    columns = st.columns(4 if len(criteria) > 1 else 3)
    with columns[0]:
        verdict = st.selectbox(
            "Outcome",
            options,
            index=options.index(now),
            format_func=lambda name: ReplyOutcome(name).label if name not in (_ANY, _ALL_FAILURES) else name,
            key=f"judges.verdict.{view.id}.{now}",
        )
    with columns[1]:
        dimension = st.selectbox(
            "Dimension",
            [None, *titles],
            format_func=lambda name: titles[name] if name else "Any",
            key=f"judges.dimension.{view.id}",
        )
    with columns[2]:
        model = st.selectbox(
            "Attack" if attacks else "Answers of",
            [None, *about],
            format_func=lambda name: (
                texts.opening(str(name).replace("_", " ") if attacks else name, 80) if name else "all"
            ),
            key=f"judges.model.{view.id}",
        )
    criterion = None
    if len(criteria) > 1:
        named = st.query_params.get("criterion")
        with columns[3]:
            criterion = st.selectbox(
                "In",
                [None, *criteria],
                index=criteria.index(named) + 1 if named in criteria else 0,
                format_func=lambda name: name or "any criterion",
                key=f"judges.criterion.{view.id}.{named}",
            )
    verdicts = None if verdict == _ANY else NO_SCORE if verdict == _ALL_FAILURES else (ReplyOutcome(verdict),)
    return ReplyFilter(
        verdicts=verdicts,
        criterion=criterion,
        dimension=dimension,
        model=None if attacks else model,
        attack=model if attacks else None,
    )


def _page(services: Services, view: RunView, wanted: ReplyFilter) -> tuple[list[ReplyView], bool]:
    """Return the replies of the current page, and whether there are older ones."""
    if st.session_state.get(f"judges.page_of.{view.id}") != wanted:
        st.session_state[f"judges.page_of.{view.id}"] = wanted
        st.session_state[f"judges.before.{view.id}"] = []
    before = st.session_state[f"judges.before.{view.id}"]
    replies = judge_replies.replies_of(
        services.store,
        by=services.person,
        run=view.id,
        wanted=replace(wanted, before=before[-1] if before else None),
        limit=A_PAGE + 1,
    )
    return replies[:A_PAGE], len(replies) > A_PAGE


def _pages(view: RunView, found: list[ReplyView], more: bool) -> None:
    before: list[int] = st.session_state[f"judges.before.{view.id}"]
    with st.container(horizontal=True):
        if before and st.button("Newer", key="judges.newer"):
            before.pop()
            st.rerun()
        if more and st.button("Older", key="judges.older"):
            before.append(found[-1].id)
            st.rerun()


# ---- one reply -------------------------------------------------------------------------------------------------------


def details(services: Services, project: ProjectView, view: RunView, attempt: str) -> None:
    """Draw everything that is stored about a reply."""
    if not attempt.isdecimal() or len(attempt) > 18:
        raise NotFoundError("This reply is not part of this run. Choose a reply from the list.")
    reply = judge_replies.reply(services.store, by=services.person, run=view.id, attempt=int(attempt))
    titles = {known.id: known.title for known in project.schema.schema_.dimensions}
    shell.show(*whole(reply, project=project.name, run=view.id, title=titles.get(reply.dimension, "")))


def whole(view: ReplyView, *, project: str, run: str, title: str) -> list[Markup]:
    """Return a reply with its readings, the judged answer, and its facts."""
    parts = [
        markup.tag(
            "div",
            shown.answer_line(view, project, run, title=title),
            markup.quiet(" · "),
            markup.tag(
                "a",
                markup.text("All answers to the item"),
                href=addresses.cases(project, item=view.item),
                target="_self",
            ),
            style="ts",
        ),
        markup.tag("div", shown.scores(view.readings), style="ts"),
    ]
    if view.error:
        parts.append(markup.notice(texts.tame(view.error[:10_000]), style="bad"))
    if view.text:
        parts += [
            markup.section("Reply"),
            markup.tag("div", shown.marked(view.text, view.readings), style="ts ts-said framed"),
        ]
    parts += [markup.section("What was judged"), markup.tag("div", shown.answer(view), style="ts")]
    given = shown.people(view, label="")
    if given:
        parts += [markup.section("People"), markup.tag("div", given, style="ts")]
    parts += [markup.section("Reading of the reply"), _readings(view), markup.section("Details"), _facts(view)]
    return parts


def _readings(view: ReplyView) -> Markup:
    heads = [("Criterion", "name"), ("Reading", "line"), ("Read by", "line"), ("Why", "")]
    return markup.table(
        heads,
        [
            [
                markup.text(texts.opening(reading.criterion, 80)),
                markup.text(texts.opening(shown.value_in_words(reading), 80)),
                markup.joined(
                    [
                        markup.text(f"{reading.parser}, version {reading.version}"),
                        *([markup.quiet(" (earlier)")] if reading in view.earlier else []),
                    ]
                ),
                texts.line(reading.why or "-", most=600),
            ]
            for reading in (*view.readings, *view.earlier)
        ],
    )


def _facts(view: ReplyView) -> Markup:
    facts: Mapping[str, str] = {
        "At": markup.moment(view.at, seconds=True),
        "Finish reason": view.finish_reason or "-",
        "Input tokens": texts.number(view.tokens_in),
        "Output tokens": texts.number(view.tokens_out),
        "Seconds": "Unknown" if view.seconds is None else f"{view.seconds:.3f}",
        "Cost": texts.cost(view.cost, None),
    }
    return markup.table(
        [("Detail", "name"), ("Value", "")],
        [[markup.text(name), texts.text_block(value, style="ts-mono")] for name, value in facts.items()],
    )


# ---- as files --------------------------------------------------------------------------------------------------------


def every_reply(store: Store, *, by: Person | None, run: str, at_once: int = 500) -> Iterator[ReplyView]:
    """Yield all replies of a run that count, newest first."""
    before = None
    while True:
        some = judge_replies.replies_of(store, by=by, run=run, wanted=ReplyFilter(before=before), limit=at_once)
        yield from some
        if len(some) < at_once:
            return
        before = some[-1].id


COLUMNS = (
    *("run", "judge", "run_hash", "template", "template_version", "template_hash"),
    *("item", "dimension", "model", "other_model", "swapped", "attack", "sample"),
    *("criterion", "verdict", "value", "start", "end", "why", "parser", "parser_version", "people"),
    *("reply", "error", "finish_reason", "tokens_in", "tokens_out", "seconds", "cost", "at"),
)
"""The columns of a file of replies, which has a row for each criterion of each reply."""


def records(found: Iterable[ReplyView], view: RunView) -> Iterable[dict[str, Any]]:
    """Yield replies as JSON values, one for each criterion."""
    plan = view.plan if isinstance(view.plan, JudgePlan) else None
    about = {
        "run": view.id,
        "judge": view.name,
        "run_hash": view.hash,
        "template": plan.template if plan else None,
        "template_version": plan.template_version if plan else None,
        "template_hash": plan.template_hash if plan else None,
    }
    for reply in found:
        for reading in reply.readings:
            start, end = reading.span or (None, None)
            yield {
                **about,
                "item": reply.item,
                "dimension": reply.dimension,
                "model": reply.model,
                "other_model": reply.other_model,
                "swapped": reply.swapped if reply.other_model is not None else None,
                "attack": reply.attack,
                "sample": reply.sample,
                "criterion": reading.criterion,
                "verdict": reading.verdict.value,
                "value": reading.value,
                "start": start,
                "end": end,
                "why": reading.why,
                "parser": reading.parser,
                "parser_version": reading.version,
                "people": {grade.person: grade.values.get(reading.criterion) for grade in reply.grades},
                "reply": reply.text,
                "error": reply.error,
                "finish_reason": reply.finish_reason,
                "tokens_in": reply.tokens_in,
                "tokens_out": reply.tokens_out,
                "seconds": reply.seconds,
                "cost": reply.cost,
                "at": reply.at.isoformat(),
            }


def as_json_lines(found: Iterable[ReplyView], view: RunView) -> bytes:
    """Return the replies as JSON lines."""
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records(found, view))
    return "".join(lines).encode("utf-8", "replace")


def as_csv(found: Iterable[ReplyView], view: RunView) -> bytes:
    """Return the replies as CSV for spreadsheets. A text that looks like a formula gets a quote in front."""
    buffer = io.StringIO()
    writer = csv_text.Writer(buffer, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for record in records(found, view):
        writer.writerow(record[name] for name in COLUMNS)
    return ("\ufeff" + buffer.getvalue()).encode("utf-8", "replace")


def downloads(services: Services, view: RunView) -> None:
    """Draw the downloads. A file is made when it is requested."""
    with st.container(horizontal=True):
        for label, ending, mime, write in (
            ("Download as JSON lines", "jsonl", "application/x-ndjson", as_json_lines),
            ("Download as CSV", "csv", "text/csv", as_csv),
        ):
            st.download_button(
                label,
                lambda write=write: write(  # type: ignore[misc]
                    every_reply(services.store, by=services.person, run=view.id), view
                ),
                file_name=f"{view.project}-{view.id}.{ending}",
                mime=mime,
                key=f"judges.{ending}",
                on_click="ignore",
            )


def _draw(services: Services, project: ProjectView, view: RunView) -> None:
    draw_replies(services, project, view)
    downloads(services, view)


SECTION = RunSection("Replies", _draw, place=20, opened_by="verdict", one="reply", draw_one=details)
