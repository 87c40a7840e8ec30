"""The page *Models*: let a model answer the items, and send its answers to grading."""

from __future__ import annotations

from app.running import grading, models, run_page, watch
from app.running.run_page import RunPage, RunSection
from app.screens import Action, Room, Screen
from app.services import Services
from domain.roles import Role

SCREEN = Screen(
    "Runs",
    place=300,
    room=Room.MODELS,
    role=Role.LEAD,
    words="models inference predictions endpoint api gpu evaluate llm vlm",
    actions=(Action("Run a model", "start inference evaluate ask openai"),),
)


PAGE = RunPage(
    title=SCREEN.title,
    purpose="Models answer the project's items in a separate process. Before you start a run, a preview shows its "
    "requests.",
    asked="a model",
    beginning=models.BEGINNING,
    listing=models.LISTING,
    parts=(
        RunSection("Progress", watch.watched, place=10),
        RunSection("Grading", grading.to_grading, place=30),
        RunSection("Description and plan", models.frozen_parts, place=40),
    ),
    frozen="description and plan",
    opened={"outcome": "Answers", "attempt": "Answers"},
)


def render(services: Services) -> None:
    """Draw the runs of models, and the answers imported from files."""
    run_page.draw(services, PAGE)
