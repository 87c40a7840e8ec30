"""The proposals on the page Pipelines: made by a model, given to images, and used by authors. For leads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app import markup, pipeline_steps, shell
from app.pipeline_steps import PipelineStep
from app.services import Services
from domain.records import ProjectView
from extensions.drafting import import_records
from extensions.drafting.arms import Arm
from extensions.drafting.import_records import ImportedFile, ProjectProposals

ARMS = {Arm.WITH: "shown to the author", Arm.WITHOUT: "not shown"}
NOT_TOLD = "settings file not imported"
_NOT_ASKED = "images not asked about: "
_ON_PAGE = {"beyond --limit": "more than requested"}
"""The words of pages for reasons that commands give."""


def draw(services: Services, view: ProjectView) -> None:
    """Draw the step of the page Pipelines; draws nothing in a project without proposals."""
    here = import_records.of_project(services.store, by=services.person, project=view.name)
    if here.came:
        shell.section("Model proposals")
        again = pipeline_steps.link("Add or evaluate proposals", "drafting", view)
        shell.show(markup.tag("div", table(here, again), data_part="proposals"))
        shell.show(markup.tag("div", arms(here), data_part="arms"))


STEP = PipelineStep(30, draw)


def table(here: ProjectProposals, again: markup.Markup) -> markup.Markup:
    """Return two rows for each imported file, newest first. ``again`` links to the next import."""
    rows = []
    for imported_file in reversed(here.came):
        rows += [[*_making(imported_file), markup.text("")], [*_giving(imported_file), again]]
    return markup.table([*pipeline_steps.HEADS, ("Run again", "")], rows)


def arms(here: ProjectProposals) -> markup.Markup:
    """Return the number of images of each arm, and how many of them authors have started and written."""
    heads = [("The proposal is", ""), ("Images", "number"), ("Started", "number"), ("Written", "number")]
    counts = (here.images, here.begun, here.written)
    return markup.table(heads, [[markup.text(ARMS[arm]), *(markup.number(n[arm]) for n in counts)] for arm in Arm])


def _making(each: ImportedFile) -> list[markup.Markup]:
    """Return the row about the making of the proposals."""
    if each.made is None:
        return pipeline_steps.row(
            "Proposing", each.model, each.offered, each.offered, markup.quiet(NOT_TOLD), "not told"
        )
    counts = each.made["counts"]
    how = f"{each.model}, {markup.count(counts.get('requests', 0), 'request')}"
    if each.made["mended"]:
        how += "; people edited the file before the import"
    left = [(reason, reason) for reason in _left_out(each.made)]
    n, made = counts.get("images", 0), counts.get("proposals", 0)
    return pipeline_steps.row("Proposing", how, n, made, pipeline_steps.dropped_cell(left), _cost(each.made))


def _left_out(made: Mapping[str, Any]) -> Iterator[str]:
    """Yield the reasons for images without a proposal, then the problems of refused replies."""
    for name, n in made["counts"].items():
        if name.startswith(_NOT_ASKED) and n:
            why = name.removeprefix(_NOT_ASKED)
            yield f"images not sent to the model ({_ON_PAGE.get(why, why)}): {n:,}"
    for reason_row in made["without"]:
        yield f"{reason_row['why']}: {reason_row['n']:,}, such as {reason_row['image']}"
    for kind, n in sorted(made["replies"].items(), key=lambda said: (-said[1], said[0])):
        yield f"invalid replies, {kind}: {n:,}"


def _cost(made: Mapping[str, Any]) -> str:
    cost = made["counts"].get("cost")
    return "price unknown" if cost is None else f"{cost:,.4f} {made['currency']}".strip()


def _giving(each: ImportedFile) -> list[markup.Markup]:
    """Return the row about the images that got a proposal."""
    facts = [
        f"{each.name or 'a file'}, {markup.moment(each.at)}, imported by {each.by or 'the command line'}",
        f"shown to authors for {100 * each.share:g} % of images",
        f"seed {each.seed}",
    ]
    left = [f"{why['why'].rstrip('.')}: {why['n']:,}, such as {why['image']}" for why in each.why]
    if (more := each.refused - sum(why["n"] for why in each.why)) > 0:
        left.append(f"refused: {more:,}")
    if each.before:
        left.append(f"already had a proposal: {each.before:,}")
    n = sum(each.arms.values())
    dropped = pipeline_steps.dropped_cell([(words, words) for words in left])
    return pipeline_steps.row("Giving to images", "; ".join(facts), each.offered, n, dropped, "")
