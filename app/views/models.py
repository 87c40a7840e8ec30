"""The page *Models*: let a model answer the items, read the answers, and send them to grading."""

from __future__ import annotations

from app.running import answers, models, run_page, watch
from app.running.run_page import RunPage, RunSection
from app.screens import Group, Screen
from app.services import Services
from domain.records import ProjectView
from domain.roles import Role
from workflow.runs.run_views import RunView

SCREEN = Screen("Models", place=210, role=Role.LEAD, group=Group.MODELS)


def _answers(services: Services, view: ProjectView, run: RunView) -> None:
    answers.draw_attempts(services, view, run)
    answers.downloads(services, run)


PAGE = RunPage(
    title=SCREEN.title,
    purpose="Models answer the project's items in a process of their own. A preview shows what a run would ask before "
    "it asks anything.",
    asked="a model",
    beginning=models.BEGINNING,
    listing=models.LISTING,
    parts=(
        RunSection("Progress", watch.watched),
        RunSection("Answers", _answers, opened_by="outcome"),
        RunSection("Grading", answers.to_grading),
        RunSection("Description and plan", models.frozen_parts),
    ),
    one="attempt",
    draw_one=answers.details,
    frozen="description and plan",
)


def render(services: Services) -> None:
    """Draw the runs of models, and the answers imported from files."""
    run_page.draw(services, PAGE)
