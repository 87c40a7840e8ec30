"""Beginning a run: model, plan, what will happen, and the one button that starts it."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from app import markup, shell
from app.markup import Markup
from app.running import description, plan, shown, watch
from app.services import Services
from domain.errors import TouchstoneError
from domain.records import ProjectView
from domain.runs import Question, RunPlan
from inference import fit
from inference import spec as specs
from inference.spec import ModelSpec
from workflow.runs import model_runs, preview_run, run_start
from workflow.runs.preview_run import Foreseen
from workflow.runs.run_views import RunView

SHOWN = 3
"""So many prompts are shown as they will be sent."""

ESTIMATED_FROM = 20
"""Tokens of an endpoint's run are worked out from so many of its prompts."""

PICTURES = 8
"""So many pictures of a prompt are shown."""


def form(services: Services, view: ProjectView) -> None:
    """Model and plan; what will happen; Start."""
    spec = description.choose(services)
    if spec is None:
        return
    try:
        chosen = plan.choose(services, view, spec)
    except TouchstoneError as error:
        shell.tell(error)
        return
    token = token_of(view, spec, chosen)
    if st.button("Preview run", key="models.see"):
        st.session_state.pop("models.seen", None)
        with st.spinner("Reading items and writing the first prompts"):
            st.session_state["models.seen"] = (token, see(services, view, spec, chosen))
    seen = st.session_state.get("models.seen")
    if seen is None:
        return
    if seen[0] != token:
        shell.show(markup.paragraph("Model or plan were changed: see again what will happen.", style="ts ts-quiet"))
        return
    shell.show(*told(seen[1], view, spec, chosen))
    started = st.session_state.get("models.started")
    if started is not None and started[0] is seen[1]:  # by the first of two quick clicks, or before coming back here
        shell.show(
            markup.tag(
                "div",
                markup.text("This has been started: "),
                markup.tag("a", markup.text("the run"), href=watch.address(view.name, run=started[1]), target="_self"),
                markup.text(". To start it once more, see again what will happen."),
                style="ts ts-notice good",
            )
        )
    elif seen[1].can:
        _start(services, view, spec, chosen, n=seen[1].can, token=token)
    first = prompts(seen[1])
    if first:
        shell.show(*first)


def _start(services: Services, view: ProjectView, spec: ModelSpec, chosen: RunPlan, *, n: int, token: str) -> None:
    # The button stands for what is shown above it: with another model or plan it is another button.
    if not st.button(f"Start: {markup.count(n, 'item')}", type="primary", key=f"models.start.{token}"):
        return
    run = model_runs.start(
        services.store,
        by=services.person,
        project=view.name,
        spec=spec,
        plan=chosen,
        settings=services.settings,
    )
    st.session_state["models.started"] = (st.session_state["models.seen"][1], run)
    st.session_state.pop("models.part", None)
    st.query_params.from_dict({"project": view.name, "run": run})
    st.rerun()


def token_of(view: ProjectView, spec: ModelSpec, chosen: RunPlan) -> str:
    """Of a model with a plan in a project."""
    told = json.dumps([view.name, view.schema.hash, spec.hash, chosen.dump()], sort_keys=True)
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]


# ---- what will happen ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """What will happen, as the page shows it."""

    foreseen: Foreseen
    pictures: Mapping[str, str]
    """The pictures of the first prompts as addresses that hold them, by their paths."""
    place: str = ""
    """For a local model: on what it will run, and whether it fits."""
    fits: bool = True
    needs: Sequence[str] = ()
    estimate: Sequence[tuple[str, str]] = ()
    """For an endpoint: figures with what they are."""
    rule: str = ""

    @property
    def cannot(self) -> int:
        """How many items cannot be asked, of those looked at."""
        return sum(self.foreseen.preview.cannot.values())

    @property
    def can(self) -> int:
        """How many items will be asked, as far as is known."""
        return self.foreseen.wanted - self.cannot


def see(services: Services, view: ProjectView, spec: ModelSpec, chosen: RunPlan) -> Seen:
    """Look at what a run would do."""
    found = preview_run.foresee(
        services.store,
        services.media,
        by=services.person,
        project=view.name,
        spec=spec,
        plan=chosen,
        settings=services.settings,
        first=ESTIMATED_FROM if spec.endpoint and not _has_clips(view) else SHOWN,
    )
    pictures = {
        str(picture.path): address_of(picture.path)
        for question in found.preview.questions[:SHOWN]
        for picture in question.pictures[:PICTURES]
    }
    if spec.endpoint is not None:
        return _of_endpoint(found, pictures, spec)
    place, fits, needs = place_of(services, spec)
    return Seen(found, pictures, place=place, fits=fits, needs=needs)


def _has_clips(view: ProjectView) -> bool:
    """Frames of clips take a while to be taken out, so only those of the prompts that are shown are."""
    return any(slot.kind == "clip" for slot in view.schema.schema_.item.assets)


def _of_endpoint(found: Foreseen, pictures: Mapping[str, str], spec: ModelSpec) -> Seen:
    estimate, rule = estimated(found.preview.questions, found.wanted - sum(found.preview.cannot.values()), spec)
    return Seen(found, pictures, estimate=estimate, rule=rule)


def estimated(asked: Sequence[Question], requests: int, spec: ModelSpec) -> tuple[list[tuple[str, str]], str]:
    """What so many requests to an endpoint come to, worked out from the first of them; and by which rule."""
    from inference.endpoint import estimate

    told = estimate.estimated(asked, spec)
    times = requests / len(asked) if asked else 0
    figures = [
        ("requests, if each succeeds at once", f"{requests:,}"),
        ("tokens asked, about", f"{round(told.tokens_in * times):,}"),
        ("tokens answered, at most", f"{requests * spec.generation.max_new_tokens:,}"),
        ("cost, at most about", shown.cost(None if told.cost is None else told.cost * times, told.currency)),
    ]
    return figures, f"Worked out from the first {markup.count(len(asked), 'prompt')}. {told.rule}"


def place_of(services: Services, spec: ModelSpec) -> tuple[str, bool, list[str]]:
    """Of a local model: on what it will run, whether it fits, and what is missing."""
    folder = Path(run_start.at_home(spec, services.settings, by=services.person).model or "")
    if not folder.is_dir():
        told = (
            f"{spec.model} is no folder of this machine: the worker looks for it in its own cache of the hub."
            " Whether it is there and fits is seen when it is loaded."
        )
        return told, True, []
    model = fit.look(folder)
    place = fit.fit(model, device=spec.device, dtype=spec.dtype)
    return place.sentence, place.fits, list(fit.needs(model))


def address_of(path: Path, *, side: int = 420) -> str:
    """A picture as an address that holds it, small enough for a page; empty if it cannot be read."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            image.thumbnail((side, side))
            buffer = io.BytesIO()
            image.convert("RGB").save(buffer, "WEBP", quality=80)
    except (OSError, ValueError, Image.DecompressionBombError):
        return ""
    return "data:image/webp;base64," + base64.b64encode(buffer.getvalue()).decode()


def told(seen: Seen, view: ProjectView, spec: ModelSpec, chosen: RunPlan) -> list[Markup]:
    """What will happen, as markup."""
    found = seen.foreseen
    parts = [
        _section("What will happen"),
        markup.tag("p", markup.text(sentence(seen, spec, chosen)), style="ts", data_part="foreseen"),
    ]
    if seen.place:
        parts.append(markup.notice(" ".join([seen.place, *seen.needs]), style="" if seen.fits else "bad"))
    if seen.estimate:
        parts += [shown.figures(seen.estimate), markup.tag("p", markup.quiet(seen.rule), style="ts ts-small")]
    if found.preview.cannot:
        rows = [[shown.line(why, most=600), markup.text(f"{n:,}")] for why, n in found.preview.cannot.items()]
        parts.append(markup.table([("Cannot be asked, because", ""), ("Items", "number")], rows))
    parts.append(variants(found, {known.id: known.title for known in view.schema.schema_.dimensions}))
    if found.preview.clips:
        rows = [[markup.text(name), markup.text(told)] for name, told in found.preview.clips.items()]
        parts.append(markup.table([("Of a clip", ""), ("Shown", "")], rows))
    return parts


def variants(found: Foreseen, titles: Mapping[str, str]) -> Markup:
    """Which dimensions get which prompt, a row for each prompt."""
    of_prompt: dict[str, list[str]] = {}
    for name in found.by_dimension:
        of_prompt.setdefault(found.preview.variants.get(name, "-"), []).append(name)
    return markup.table(
        [("Prompt", "line"), ("Items", "number"), ("Dimensions", "")],
        [
            [
                markup.text(prompt),
                markup.text(f"{sum(found.by_dimension[name] for name in names):,}"),
                markup.text(", ".join(f"{titles.get(name, name)} {found.by_dimension[name]:,}" for name in names)),
            ]
            for prompt, names in of_prompt.items()
        ],
    )


def prompts(seen: Seen) -> list[Markup]:
    """The first prompts, as they will be sent."""
    asked_first = seen.foreseen.preview.questions[:SHOWN]
    if not asked_first:
        return []
    shown_ = [asked(question, seen.pictures) for question in asked_first]
    return [_section("The first prompts, as they will be sent"), *shown_]


def sentence(seen: Seen, spec: ModelSpec, chosen: RunPlan) -> str:
    """What will happen, in words."""
    found = seen.foreseen
    n_pictures = found.preview.pictures
    looked = "" if found.looked_at == found.wanted else f" (the first {found.looked_at:,} were looked at)"
    words = [f"{spec.name} will be asked about {markup.count(seen.can, 'item')}{looked}."]
    if seen.cannot:
        words.append(
            f"{markup.count(seen.cannot, 'item')} cannot be asked and will be listed as such, with the reason."
        )
    if chosen.text_only:
        words.append("Pictures are left out on purpose.")
    elif n_pictures:
        words.append(f"It will be shown {markup.count(n_pictures, 'picture')}, frames of clips included.")
    if chosen.strategy == "rank_options":
        words.append("It writes nothing: the options are ranked by their likelihood.")
    words.append("Nothing has been asked yet.")
    return " ".join(words)


def asked(question: Question, pictures: Mapping[str, str]) -> Markup:
    """A question as it is sent, turn by turn, pictures in their places."""
    parts = [
        markup.tag("b", markup.text(shown.opening(question.name, 120))),
        markup.quiet(f" · {question.dimension} · {question.prompt_hash[:10]}"),
    ]
    if question.system:
        parts.append(_turn("system", [shown.said(question.system)]))
    inside: list[Markup] = []
    row: list[Markup] = []
    n_shown = 0
    for part in question.parts:
        if isinstance(part, str):
            inside += _pictures(row)
            row = []
            inside.append(shown.said(part))
            continue
        n_shown += 1
        address = pictures.get(str(part.path), "")
        if address:
            label = part.role or "picture"
            moment = f" at {part.time:.2f} s" if part.time is not None else ""
            row.append(markup.tag("img", src=address, alt=f"{label}{moment}", title=f"{label}{moment}"))
    inside += _pictures(row)
    if n_shown > PICTURES:
        inside.append(markup.tag("div", markup.quiet(f"{n_shown} pictures in all")))
    parts.append(_turn("user", inside))
    if question.options:
        parts.append(_turn("options that are ranked", [shown.said(option) for option in question.options]))
    if question.tools is not None:
        parts.append(_turn("tools with stored results", [markup.text(", ".join(question.tools) or "none")]))
    return markup.tag("div", *parts, style="ts ts-notice")


def _pictures(row: list[Markup]) -> list[Markup]:
    return [markup.tag("div", *row, style="ts-pictures")] if row else []


def _turn(who: str, parts: Sequence[Markup]) -> Markup:
    return markup.tag("div", markup.quiet(who), *parts, style="ts-turn")


def _section(title: str) -> Markup:
    return markup.tag("div", markup.text(title), style="ts-section", role="heading", aria_level="2")


# ---- afterwards ------------------------------------------------------------------------------------------------------


def kept(view: ProjectView, run: RunView) -> None:
    """Description and plan of a run, as they were when it was started."""
    if isinstance(run.plan, RunPlan):
        shell.section("Plan")
        shell.show(plan.facts(run.plan, view))
    description_of(run)


def description_of(run: RunView) -> None:
    """The description of a run as it was when it was started, and on what its workers ran it."""
    if not run.spec:
        files = ", ".join(str(each.about["file"]) for each in run.workers if each.about.get("file"))
        shell.show(markup.notice(shown.tame(f"What is here came out of a file{': ' if files else ''}{files}.")))
        return
    shell.section("Description")
    text = text_of(run.spec)
    st.code(text, language="yaml")
    st.download_button(
        "Download the description",
        text,
        file_name=f"{watch.file_name(run.name)}.yaml",
        mime="application/yaml",
        key="models.kept.download",
        on_click="ignore",
    )
    if run.workers:
        rows = [[markup.text(shown.tame(each.name)), shown.said(watch.about(each.about))] for each in run.workers]
        shell.section("Workers")
        shell.show(markup.table([("Worker", "name"), ("Runs on", "")], rows))
    shell.show(markup.tag("p", markup.quiet("Hash of description and plan: "), shown.mono(run.hash), style="ts"))


def text_of(kept: Mapping[str, Any]) -> str:
    """A stored description as YAML."""
    try:
        return specs.written(ModelSpec.model_validate(dict(kept)))
    except ValueError:  # of a version that knew other keys
        return json.dumps(kept, indent=1, ensure_ascii=False)
