"""Begin a run of any kind: choose the model and the plan, preview the run, and start it with one button."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

from app import addresses, markup, shell
from app.markup import Markup
from app.running import shown, watch
from app.services import Services
from domain.errors import TouchstoneError
from domain.judging import Plan
from domain.records import ProjectView
from domain.run_kinds import RunKind
from domain.runs import Preview, Question, RunPlan
from workflow.runs import preview_run, run_start
from workflow.runs.model_descriptions import ModelDevice, ModelSpec, find_device, stored_as_yaml
from workflow.runs.preview_run import RunEstimate
from workflow.runs.run_views import RunView

ESTIMATED_FROM = 20
"""Number of prompts that the estimate for an endpoint is based on."""

PICTURES = 8
"""Number of pictures shown for a prompt."""


@dataclass(frozen=True)
class Beginning:
    """The settings of a page that begins runs of a kind. ``Any`` is the kind's own plan."""

    kind: RunKind
    choose: Callable[[Services, ProjectView], tuple[ModelSpec, Any] | None]
    """Draws the inputs, and returns the model and the plan.

    None while the inputs are incomplete, which the page shows.
    """
    reading: str
    """The text of the progress bar while the preview is computed."""
    changed: str
    """Names the inputs that change the run."""
    sentence: Callable[[PagePreview, ModelSpec, Any], str]
    """Returns a description of the run in words."""
    more: Callable[[Preview, ProjectView], list[Markup]] = lambda found, view: []
    """Returns further parts of a preview."""
    shown: int = 3
    """Number of prompts shown as they will be sent."""
    first: Callable[[ProjectView, ModelSpec], int] = lambda view, spec: ESTIMATED_FROM
    """Returns the number of prompts that are built with their pictures."""


def form(services: Services, view: ProjectView, of: Beginning) -> None:
    """Draw the inputs, the preview and the button Start."""
    chosen = None
    try:
        chosen = of.choose(services, view)
    except TouchstoneError as error:
        shell.show_error(error)
    if chosen is None:
        st.button("Preview run", key=f"{of.kind.page}.see", disabled=True, help="Complete the settings above first.")
        return
    spec, plan = chosen
    token = token_of(view, spec, plan)
    if st.button("Preview run", key=f"{of.kind.page}.see"):
        st.session_state.pop(f"{of.kind.page}.seen", None)
        with st.spinner(of.reading):
            st.session_state[f"{of.kind.page}.seen"] = (token, see(services, view, spec, plan, of))
    seen = st.session_state.get(f"{of.kind.page}.seen")
    if seen is None:
        return
    if seen[0] != token:
        shell.show(
            markup.paragraph(f"{of.changed} changed after the preview. Preview the run again.", style="ts ts-quiet")
        )
        return
    shell.show(*preview_markup(seen[1], view, spec, plan, of))
    started = st.session_state.get(f"{of.kind.page}.started")
    if started is not None and started[0] is seen[1]:  # by a double click, or before the person came back here
        shell.show(
            markup.tag(
                "div",
                markup.text("This run has started: "),
                markup.tag(
                    "a",
                    markup.text("open it"),
                    href=addresses.page(of.kind.page, view.name, run=started[1]),
                    target="_self",
                ),
                markup.text(". To start another run, make a new preview."),
                style="ts ts-notice good",
            )
        )
    elif seen[1].preview.can:
        _start(services, view, spec, plan, of, token=token)
    first = prompts(seen[1])
    if first:
        shell.show(*first)


def _start(services: Services, view: ProjectView, spec: ModelSpec, plan: Plan, of: Beginning, *, token: str) -> None:
    seen = st.session_state[f"{of.kind.page}.seen"][1]
    # The button's key belongs to the preview above it. With another model or plan, it is a new button.
    label = f"Start: {markup.count(seen.preview.can, of.kind.one)}"
    if not st.button(label, type="primary", key=f"{of.kind.page}.start.{token}"):
        return
    run = run_start.start(
        services.store, by=services.person, project=view.name, spec=spec, plan=plan, settings=services.settings
    )
    st.session_state[f"{of.kind.page}.started"] = (seen, run)
    st.session_state.pop(f"{of.kind.page}.part", None)
    st.query_params.from_dict({"project": view.name, "run": run})
    st.rerun()


def token_of(view: ProjectView, spec: ModelSpec, plan: Plan) -> str:
    """Return a token of a model and a plan in a project."""
    text = json.dumps([view.name, view.schema.hash, spec.hash, plan.dump()], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


# ---- preview ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PagePreview:
    """The preview of a run, as the page shows it."""

    preview: Preview
    shown: Sequence[Question]
    """The first prompts."""
    pictures: Mapping[str, str]
    """Their pictures as data addresses, by path."""
    place: ModelDevice | None = None
    """The hardware that a local model will use, and whether the model fits."""
    estimate: RunEstimate | None = None
    """The estimate for an endpoint."""


def see(services: Services, view: ProjectView, spec: ModelSpec, plan: Plan, of: Beginning) -> PagePreview:
    """Compute the preview of a run."""
    preview = preview_run.preview(
        services.store,
        services.media,
        by=services.person,
        project=view.name,
        spec=spec,
        plan=plan,
        settings=services.settings,
        first=of.first(view, spec),
    )
    first = preview.questions[: of.shown]
    pictures = {
        str(picture.path): address_of(picture.path) for question in first for picture in question.pictures[:PICTURES]
    }
    if spec.endpoint is not None:
        blind = isinstance(plan, RunPlan) and plan.without_image
        estimate = preview_run.estimate(spec, preview.questions, asked=preview.can, blind=blind)
        return PagePreview(preview, first, pictures, estimate=estimate)
    return PagePreview(preview, first, pictures, place=find_device(spec, services.settings, by=services.person))


def preview_markup(seen: PagePreview, view: ProjectView, spec: ModelSpec, plan: Plan, of: Beginning) -> list[Markup]:
    """Return the preview as markup."""
    parts = [
        markup.section("Preview"),
        markup.tag("p", markup.text(of.sentence(seen, spec, plan)), style="ts", data_part="foreseen"),
    ]
    if seen.place is not None:
        place = seen.place
        parts.append(markup.notice(" ".join([place.sentence, *place.needs]), style="" if place.fits else "bad"))
    if seen.estimate is not None:
        parts += estimated(seen.estimate)
    if seen.preview.cannot:
        rows = [[shown.line(why, most=600), markup.text(f"{n:,}")] for why, n in seen.preview.cannot.items()]
        asked_about = markup.label(f"{of.kind.one}s")
        parts.append(markup.table([("Reason", ""), (asked_about, "number")], rows))
    return [*parts, *of.more(seen.preview, view)]


def estimated(told: RunEstimate) -> list[Markup]:
    """Return the estimated requests, tokens and cost of an endpoint, and the rule behind the estimate."""
    figures = [
        ("requests without retries", f"{told.requests:,}"),
        ("input tokens, estimated", f"{told.tokens_in:,}"),
        ("maximum output tokens", f"{told.tokens_out:,}"),
        ("estimated maximum cost", shown.cost(told.cost, told.currency)),
    ]
    rule = f"Estimated from the first {markup.count(told.worked_out_from, 'prompt')}. {told.rule}"
    return [shown.figures(figures), markup.tag("p", markup.quiet(rule), style="ts ts-small")]


def prompts(seen: PagePreview) -> list[Markup]:
    """Return the first prompts as they will be sent."""
    if not seen.shown:
        return []
    first = [question_markup(question, seen.pictures) for question in seen.shown]
    return [markup.section("First prompts"), *first]


def address_of(path: Path, *, side: int = 420) -> str:
    """Return a small version of a picture as a data address. Empty if the picture cannot be read."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            image.thumbnail((side, side))
            buffer = io.BytesIO()
            image.convert("RGB").save(buffer, "WEBP", quality=80)
    except (OSError, ValueError, Image.DecompressionBombError):
        return ""
    return "data:image/webp;base64," + base64.b64encode(buffer.getvalue()).decode()


def question_markup(question: Question, pictures: Mapping[str, str]) -> Markup:
    """Return a question turn by turn, with its pictures. The first of two steps comes first."""
    if question.first is not None:
        first = markup.joined([markup.quiet("First step"), question_markup(question.first, pictures)])
        return markup.joined(
            [first, markup.quiet("Second step"), question_markup(replace(question, first=None), pictures)]
        )
    parts = [
        markup.tag("b", markup.text(shown.opening(question.name, 120))),
        markup.quiet(f" · {question.dimension} · {question.prompt_hash[:10]}"),
    ]
    if question.system:
        parts.append(_turn("system", [shown.text_block(question.system)]))
    inside: list[Markup] = []
    row: list[Markup] = []
    n_shown = 0
    for part in question.parts:
        if isinstance(part, str):
            inside += _pictures(row)
            row = []
            inside.append(shown.text_block(part))
            continue
        n_shown += 1
        address = pictures.get(str(part.path), "")
        if address:
            label = part.role or "picture"
            moment = f" at {part.time:.2f} s" if part.time is not None else ""
            row.append(markup.tag("img", src=address, alt=f"{label}{moment}", title=f"{label}{moment}"))
    inside += _pictures(row)
    if n_shown > PICTURES:
        inside.append(markup.tag("div", markup.quiet(f"{n_shown} pictures")))
    parts.append(_turn("user", inside))
    if question.options:
        parts.append(_turn("ranked options", [shown.text_block(option) for option in question.options]))
    if question.tools is not None:
        parts.append(_turn("tools with stored results", [markup.text(", ".join(question.tools) or "none")]))
    return markup.tag("div", *parts, style="ts ts-notice")


def _pictures(row: list[Markup]) -> list[Markup]:
    return [markup.tag("div", *row, style="ts-pictures")] if row else []


def _turn(who: str, parts: Sequence[Markup]) -> Markup:
    return markup.tag("div", markup.quiet(who), *parts, style="ts-turn")


# ---- after the start -------------------------------------------------------------------------------------------------


def description_of(run: RunView) -> None:
    """Draw the description of a run at its start, and the hardware of its workers."""
    if not run.spec:
        files = ", ".join(str(worker.about["file"]) for worker in run.workers if worker.about.get("file"))
        shell.show(markup.notice(shown.tame(f"These answers were imported from a file{': ' if files else ''}{files}.")))
        return
    shell.section("Description")
    text = stored_as_yaml(run.spec)
    st.code(text, language="yaml")
    st.download_button(
        "Download description",
        text,
        file_name=f"{watch.file_name(run.name)}.yaml",
        mime="application/yaml",
        key="models.kept.download",
        on_click="ignore",
    )
    if run.workers:
        rows = [
            [markup.text(shown.tame(worker.name)), shown.text_block(watch.worker_line(worker.about))]
            for worker in run.workers
        ]
        shell.section("Workers")
        shell.show(markup.table([("Worker", "name"), ("Runs on", "")], rows))
    shell.show(markup.tag("p", markup.quiet("Hash of description and plan: "), shown.mono(run.hash), style="ts"))
