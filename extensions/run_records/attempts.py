"""The part *Answers* of a run on the page *Models*: its attempts one at a time, in a table, or as a file."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import streamlit as st

from app import addresses, markup, shell
from app.markup import Markup
from app.running import shown
from app.running.run_page import RunSection
from app.services import Services
from domain import csv_text
from domain.errors import NotFoundError
from domain.option_scores import Ranking
from domain.records import ProjectView
from domain.run_kinds import RunKind
from domain.runs import Outcome, RunPlan
from workflow.runs import run_views
from workflow.runs.run_views import AttemptView, RunView

A_PAGE = 20
"""Attempts on one page."""

AT_ONCE = 500
"""Attempts that are read at once for a file."""

ABOUT_RUN = ("run", "model", "run_hash", "prompts", "prompts_hash")
"""Columns of a file of attempts that are the same in each row: the run, its hash, and its prompts."""

COLUMNS = (
    *ABOUT_RUN,
    *("item", "dimension", "outcome", "final", "text", "finish_reason", "tokens_in", "tokens_out"),
    *("seconds", "waited", "status", "error", "request_id", "prompt_hash", "image_hashes", "cost", "at", "detail"),
)
"""The columns of a file of attempts."""


# ---- the table -------------------------------------------------------------------------------------------------------


def draw_attempts(services: Services, project: ProjectView, view: RunView) -> None:
    """Draw the attempts with filters, page by page, the newest first."""
    titles = {known.id: known.title for known in project.schema.schema_.dimensions}
    wanted = st.query_params.get("outcome")
    there = [outcome for outcome in Outcome if view.by_outcome.get(outcome) or outcome.value == wanted]
    outcomes: list[Outcome | None] = [None, *there]
    first, second, third = st.columns([2, 2, 2], vertical_alignment="bottom")
    with first:
        outcome = st.selectbox(
            "Outcome",
            outcomes,
            index=next((at for at, outcome in enumerate(outcomes) if outcome and outcome.value == wanted), 0),
            format_func=lambda name: name.label if name else "Any",
            key=f"models.outcome.{view.id}",
        )
    with second:
        dimension = st.selectbox(
            "Dimension",
            [None, *titles],
            format_func=lambda name: titles[name] if name else "Any",
            key=f"models.dimension.{view.id}",
        )
    with third:
        only_last = st.toggle("Only last attempts", True, key=f"models.only_last.{view.id}")
    attempts, more = _page(services, view, outcome=outcome, dimension=dimension, only_last=only_last)
    if not attempts:
        shell.show(markup.notice("No attempts match. Choose another outcome or dimension."))
        return
    shell.show(table(attempts, project=project.name, run=view.id))
    _pages(view, attempts, more)


def _page(
    services: Services, view: RunView, *, outcome: Outcome | None, dimension: str | None, only_last: bool
) -> tuple[tuple[AttemptView, ...], bool]:
    """Return the attempts of the current page, and whether there are older ones."""
    asked = (outcome, dimension, only_last)
    if st.session_state.get(f"models.page_of.{view.id}") != asked:
        st.session_state[f"models.page_of.{view.id}"] = asked
        st.session_state[f"models.before.{view.id}"] = []
    before = st.session_state[f"models.before.{view.id}"]
    attempts = run_views.attempts_of(
        services.store,
        by=services.person,
        run=view.id,
        outcomes=[outcome] if outcome else None,
        dimension=dimension,
        only_last=only_last,
        before=before[-1] if before else None,
        limit=A_PAGE + 1,
    )
    return attempts[:A_PAGE], len(attempts) > A_PAGE


def _pages(view: RunView, found: tuple[AttemptView, ...], more: bool) -> None:
    before: list[int] = st.session_state[f"models.before.{view.id}"]
    with st.container(horizontal=True):
        if before and st.button("Newer", key="models.newer"):
            before.pop()
            st.rerun()
        if more and st.button("Older", key="models.older"):
            before.append(found[-1].id)
            st.rerun()


def table(found: Iterable[AttemptView], *, project: str, run: str) -> Markup:
    """Return a table with a row for each attempt, with links to its item and to its details."""
    heads = [
        ("Question", ""),
        ("Dimension", "line"),
        ("Outcome", "line"),
        ("Answer", "rest"),
        ("Tokens", "number"),
        ("Seconds", "number"),
    ]
    return markup.table(heads, [_row(attempt, project, run) for attempt in found])


def _row(each: AttemptView, project: str, run: str) -> list[Markup]:
    of = each.attempt
    again = [markup.tag("div", markup.quiet("Tried again"))] if not of.final else []
    details = markup.tag(
        "a",
        markup.text(of.outcome.label),
        href=addresses.page(RunKind.MODEL.page, project, run=run, attempt=str(each.id)),
        target="_self",
        data_attempt=str(each.id),
        title="Open the details of this attempt",
    )
    return [
        shown.question(project, each.item, each.title),
        markup.text(each.dimension),
        markup.joined([details, *again]),
        markup.joined(
            [shown.line(of.text), *([shown.line(of.error, most=600)] if of.error else []), *_warned(of.detail)]
        ),
        markup.text(shown.number(of.tokens_out) if of.tokens_out is not None else "-"),
        markup.text("-" if of.seconds is None else f"{of.seconds:.2f}"),
    ]


def _warned(detail: Mapping[str, Any]) -> list[Markup]:
    ranked = ranking_of(detail)
    if ranked is None or not ranked.warning:
        return []
    return [
        markup.tag(
            "div", markup.text("With another score, the model would choose another option."), style="ts-small ts-wrong"
        )
    ]


# ---- one attempt -----------------------------------------------------------------------------------------------------


def details(services: Services, project: ProjectView, view: RunView, attempt: str) -> None:
    """Draw everything that is stored about an attempt."""
    if not attempt.isdecimal() or len(attempt) > 18:
        raise NotFoundError("This attempt is not part of this run. Choose an attempt from the list.")
    attempts = run_views.attempts_of(services.store, by=services.person, run=view.id, id=int(attempt), limit=1)
    if not attempts:
        raise NotFoundError("This attempt is not part of this run. Choose an attempt from the list.")
    shell.show(*whole(attempts[0], project=project.name))


def whole(each: AttemptView, *, project: str) -> list[Markup]:
    """Return an attempt with its full text, its scores or transcript, and its facts."""
    of = each.attempt
    parts = [
        markup.tag(
            "div",
            markup.tag("b", shown.question(project, each.item, each.title)),
            markup.quiet(f" · {each.dimension} · {of.outcome.label} · "),
            markup.tag(
                "a",
                markup.text("All answers to the item"),
                href=addresses.cases(project, item=each.item),
                target="_self",
            ),
            style="ts",
        )
    ]
    if of.error:
        parts.append(markup.notice(shown.tame(of.error[: shown.LONGEST_TEXT]), style="bad"))
    if of.text:
        parts += [markup.section("Answer"), shown.text_block(of.text, style="framed")]
    if of.detail.get("reasoning"):
        parts += [markup.section("Reasoning"), shown.text_block(str(of.detail["reasoning"]), style="framed")]
    ranked = ranking_of(of.detail)
    if ranked is not None:
        parts += [markup.section("Options"), shown.ranking(ranked)]
    turns = of.detail.get("transcript")
    if isinstance(turns, list) and all(isinstance(turn, Mapping) for turn in turns):
        parts += [markup.section("Transcript"), transcript(turns)]
    parts += [markup.section("Details"), _facts(each)]
    rest = {
        key: value for key, value in of.detail.items() if key not in ("transcript", "options", "scores", "reasoning")
    }
    if rest:
        written = json.dumps(rest, ensure_ascii=False, indent=1)
        parts += [markup.section("As stored"), shown.text_block(written, most=20_000, style="framed ts-mono")]
    return parts


def transcript(turns: Sequence[Mapping[str, Any]]) -> Markup:
    """Return the transcript of a loop over tools, turn by turn."""
    parts = []
    for turn in turns:
        who = str(turn.get("role", turn.get("type", "?")))
        name = turn.get("name") or turn.get("tool")
        head = shown.tame(f"{who} · {name}" if name else who)
        value = next((turn[key] for key in ("missing", "text", "content", "result") if key in turn), "")
        parts.append(
            markup.tag(
                "div",
                markup.quiet(head),
                shown.text_block(value if isinstance(value, str) else _json(value)),
                *(
                    shown.text_block(_json(turn[key]), style="ts-mono")
                    for key in ("calls", "arguments")
                    if turn.get(key)
                ),
                style="ts ts-turn",
            )
        )
    return markup.joined(parts)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)


def ranking_of(detail: Mapping[str, Any]) -> Ranking | None:
    """Return the ranked options of an attempt, or None."""
    if not isinstance(detail.get("options"), list) or "score" not in detail:
        return None
    try:
        return Ranking.read(detail)
    except (KeyError, TypeError, ValueError):
        return None


def _facts(each: AttemptView) -> Markup:
    of = each.attempt
    facts = {
        "At": markup.moment(each.at, seconds=True),
        "Finish reason": of.finish_reason or "-",
        "Input tokens": shown.number(of.tokens_in),
        "Output tokens": shown.number(of.tokens_out),
        "Seconds": "Unknown" if of.seconds is None else f"{of.seconds:.3f}",
        "Waiting time (seconds)": f"{of.waited:.1f}",
        "HTTP status": "-" if of.status is None else str(of.status),
        "Request": of.request_id or "-",
        "Cost": shown.cost(of.cost, None),
        "Prompt hash": of.prompt_hash or "-",
        "Picture hashes": "\n".join(of.image_hashes) or "-",
    }
    return markup.table(
        [("Detail", "name"), ("Value", "")],
        [[markup.text(name), shown.text_block(value, style="ts-mono")] for name, value in facts.items()],
    )


# ---- as files --------------------------------------------------------------------------------------------------------


def every_attempt(services: Services, run: str) -> Iterator[AttemptView]:
    """Yield all attempts of a run, the newest first."""
    before = None
    while True:
        attempts = run_views.attempts_of(services.store, by=services.person, run=run, before=before, limit=AT_ONCE)
        yield from attempts
        if len(attempts) < AT_ONCE:
            return
        before = attempts[-1].id


def about_run(view: RunView) -> dict[str, Any]:
    """Return the values of a run that each row of a file has."""
    plan = view.plan if isinstance(view.plan, RunPlan) else None
    prompts = (plan.prompt_set, plan.prompt_hash) if plan else (None, None)
    return dict(zip(ABOUT_RUN, (view.id, view.name, view.hash, *prompts), strict=True))


def record(each: AttemptView, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return an attempt as JSON values. ``about`` comes from ``about_run``."""
    of = each.attempt
    values = {
        **about,
        "item": each.item,
        "dimension": each.dimension,
        "outcome": of.outcome.value,
        "image_hashes": list(of.image_hashes),
        "at": each.at.isoformat(),
        "detail": dict(of.detail),
    }
    return {name: values[name] if name in values else getattr(of, name) for name in COLUMNS}


def as_json_lines(found: Iterable[AttemptView], view: RunView) -> bytes:
    """Return the attempts as JSON lines."""
    about = about_run(view)
    lines = (json.dumps(record(attempt, about), ensure_ascii=False) + "\n" for attempt in found)
    return "".join(lines).encode("utf-8", "replace")


def as_csv(found: Iterable[AttemptView], view: RunView) -> bytes:
    """Return the attempts as CSV for spreadsheets. A text that looks like a formula gets a quote in front."""
    buffer = io.StringIO()
    writer = csv_text.Writer(buffer, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    about = about_run(view)
    for attempt in found:
        writer.writerow(record(attempt, about).values())
    return ("\ufeff" + buffer.getvalue()).encode("utf-8", "replace")


def downloads(services: Services, view: RunView) -> None:
    """Draw the downloads. A file is made when it is requested, because a run may have thousands of attempts."""
    with st.container(horizontal=True):
        for label, ending, mime, write in (
            ("Download as JSON lines", "jsonl", "application/x-ndjson", as_json_lines),
            ("Download as CSV", "csv", "text/csv", as_csv),
        ):
            st.download_button(
                label,
                lambda write=write: write(every_attempt(services, view.id), view),  # type: ignore[misc]
                file_name=f"{view.project}-{view.id}.{ending}",
                mime=mime,
                key=f"models.{ending}",
                on_click="ignore",
            )


def _draw(services: Services, project: ProjectView, view: RunView) -> None:
    draw_attempts(services, project, view)
    downloads(services, view)


SECTION = RunSection("Answers", _draw, place=20, opened_by="outcome", one="attempt", draw_one=details)
