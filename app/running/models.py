"""Runs of models on their page: the start, the preview in words, and the columns of their lists."""

from __future__ import annotations

from collections.abc import Mapping

from app import markup, shell
from app.markup import Markup
from app.running import begin, description, plan, run_lists
from app.running.run_lists import Listing
from app.services import Services
from domain.records import ProjectView
from domain.run_kinds import RunKind
from domain.runs import Preview, RunPlan
from workflow.runs.model_descriptions import ModelSpec
from workflow.runs.run_views import RunView

SHOWN = 3
"""Number of prompts shown as they will be sent."""


def _choose(services: Services, view: ProjectView) -> tuple[ModelSpec, RunPlan] | None:
    spec = description.choose(services)
    return None if spec is None else (spec, plan.choose(services, view, spec))


def _first(view: ProjectView, spec: ModelSpec) -> int:
    """Return the number of prompts to build.

    With clips, build only those shown, because extracting frames takes a while.
    """
    clips = any(slot.kind == "clip" for slot in view.schema.schema_.item.assets)
    return begin.ESTIMATED_FROM if spec.endpoint and not clips else SHOWN


def _more(found: Preview, view: ProjectView) -> list[Markup]:
    parts = [variants(found, {known.id: known.title for known in view.schema.schema_.dimensions})]
    if found.types:
        rows = [[markup.text(name), markup.text(f"{n:,}")] for name, n in found.types.items()]
        parts.append(markup.table([("Wording", "line"), ("Items", "number")], rows))
    if found.clips:
        rows = [[markup.text(name), markup.text(words)] for name, words in found.clips.items()]
        parts.append(markup.table([("Of a clip", ""), ("Shown", "")], rows))
    return parts


def variants(found: Preview, titles: Mapping[str, str]) -> Markup:
    """Return a table with a row for each prompt and the dimensions that use it."""
    of_prompt: dict[str, list[str]] = {}
    for name in found.by_dimension:
        of_prompt.setdefault(found.variants.get(name, "-"), []).append(name)
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


def sentence(seen: begin.PagePreview, spec: ModelSpec, chosen: RunPlan) -> str:
    """Return in words what the run will do."""
    preview = seen.preview
    looked = "" if preview.looked_at == preview.wanted else f" (this preview covers the first {preview.looked_at:,})"
    words = [f"Touchstone will ask {spec.name} about {markup.count(preview.can, 'item')}{looked}."]
    if preview.cannot:
        words.append(
            f"Touchstone cannot ask about {markup.count(preview.n_cannot, 'item')}. The table below lists the reasons."
        )
    if chosen.text_only:
        words.append("The model gets no pictures.")
    elif preview.pictures:
        words.append(f"The model will get {markup.count(preview.pictures, 'picture')}, including frames of clips.")
    if chosen.strategy == "rank_options":
        words.append("The model writes no text. Touchstone ranks the options by their likelihood.")
    words.append("No request has been sent yet.")
    return " ".join(words)


BEGINNING = begin.Beginning(
    kind=RunKind.MODEL,
    choose=_choose,
    reading="Reading items and writing the first prompts",
    changed="Model or plan",
    sentence=sentence,
    more=_more,
    shown=SHOWN,
    first=_first,
)


def frozen_parts(services: Services, view: ProjectView, run: RunView) -> None:
    """Draw the description and the plan of a run at its start."""
    if isinstance(run.plan, RunPlan):
        shell.section("Plan")
        shell.show(plan.facts(run.plan, view))
    begin.description_of(run)


LISTING = Listing(
    RunKind.MODEL,
    columns=(
        run_lists.name("Run"),
        run_lists.STATE,
        run_lists.ANSWERS,
        run_lists.WANTED,
        run_lists.LEFT,
        run_lists.started(),
        run_lists.BY,
        run_lists.hash_of("Description"),
    ),
    nothing="No model has run on this server yet. Start a run under New run, or import existing answers.",
)
