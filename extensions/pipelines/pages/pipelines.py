"""The page *Pipelines*: how the project's items are made, step by step, with counts, dropped items and costs."""

from __future__ import annotations

from collections.abc import Sequence

from annotation_schemas.state_words import state_called
from app import markup, shell
from app.pipeline_steps import PipelineStep, link
from app.screens import Room, Screen
from app.services import Services
from domain import extensions
from domain.records import ProjectView
from domain.roles import Role
from extensions.pipelines import item_files
from extensions.pipelines.item_files import ItemsOfFile

SCREEN = Screen(
    "Pipelines",
    place=135,
    room=Room.ITEMS,
    tab=False,
    role=Role.LEAD,
    words="steps origin provenance dropped flow sources",
)


def render(services: Services) -> None:
    """Draw the steps of extensions, then the states of the items of each file."""
    view = shell.lead_of(services)
    shell.heading(
        "Pipelines",
        "This page shows each step that makes items, the items that the step dropped, and the reasons. You can run "
        "each step again on its own page.",
        made_up=view.made_up,
    )
    steps: list[PipelineStep] = extensions.rows("pipeline_steps")
    for step in sorted(steps, key=lambda step: step.place):
        step.draw(services, view)
    shell.section("Items")
    items = item_files.items_by_file(services.store, by=services.person, project=view.name)
    if not items:
        shell.show(markup.notice("There are no items yet. Import items, or let people write them."))
        return
    shell.show(markup.tag("div", _items(view, items), data_part="items"))


def _items(view: ProjectView, found: Sequence[ItemsOfFile]) -> markup.Markup:
    """Return a table with a row for each file and the states of its items."""
    stages = view.schema.schema_.stages
    rows = [
        [
            markup.text(file_items.file or "written by people"),
            markup.quiet(file_items.format),
            markup.text(markup.moment(file_items.at) if file_items.at is not None else ""),
            markup.number(file_items.n),
            markup.text(
                ", ".join(f"{state_called(stages, state)} {n:,}" for state, n in sorted(file_items.states.items()))
            ),
            link("Import more", "import", view) if file_items.file else markup.text(""),
        ]
        for file_items in found
    ]
    heads = [("File", ""), ("Format", ""), ("When", "line"), ("Items", "number"), ("Current state", "wide")]
    return markup.table([*heads, ("Run again", "")], rows)
