"""The page *Judges*: let a judge grade models' answers under a template."""

from __future__ import annotations

from app import addresses
from app.judging import begin, shown, watch
from app.running import run_page
from app.running.run_page import RunPage, RunSection
from app.screens import SCREENS, Action, Room, Screen
from app.services import Services
from domain.judging import JudgePlan
from domain.roles import Role
from workflow.runs.run_views import RunView

SCREEN = Screen(
    "Judges",
    place=305,
    room=Room.MODELS,
    role=Role.LEAD,
    words="llm judge autograder automatic grading rubric template",
    actions=(Action("Run a judge", "start set up llm judge grade automatically"),),
)


def _links(run: RunView) -> list[tuple[str, str]]:
    """Return a link to calibration, for a judge that rates answers in the same way as people."""
    calibrated = isinstance(run.plan, JudgePlan) and not run.plan.swap and not run.plan.attacks
    calibrated = calibrated and "calibration" in SCREENS
    return [("To calibration", addresses.page("calibration", run.project, judge=run.name))] if calibrated else []


PAGE = RunPage(
    title=SCREEN.title,
    purpose="Models grade answers under a template. Every reply is kept as it came, with what was read from it; what "
    "cannot be read is counted and never guessed.",
    asked="a judge",
    beginning=begin.BEGINNING,
    listing=watch.LISTING,
    parts=(
        RunSection("Progress", watch.watched, place=10),
        RunSection("Judge and template", begin.frozen_parts, place=40),
    ),
    frozen="judge and plan",
    opened={"verdict": "Replies", "reply": "Replies"},
    links=_links,
    style=shown.STYLE,
)


def render(services: Services) -> None:
    """Draw the runs of judges."""
    run_page.draw(services, PAGE)
