"""The page *Judges*: let a judge grade models' answers, and read every reply next to its reading."""

from __future__ import annotations

from app import addresses
from app.judging import begin, replies, shown, watch
from app.running import run_page
from app.running.run_page import RunPage, RunSection
from app.screens import SCREENS, Group, Screen
from app.services import Services
from domain.judging import JudgePlan
from domain.records import ProjectView
from domain.roles import Role
from workflow.runs.run_views import RunView

SCREEN = Screen("Judges", place=220, role=Role.LEAD, group=Group.MODELS)


def _replies(services: Services, view: ProjectView, run: RunView) -> None:
    replies.draw_replies(services, view, run)
    replies.downloads(services, run)


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
        RunSection("Progress", watch.watched),
        RunSection("Replies", _replies, opened_by="verdict"),
        RunSection("Judge and template", begin.frozen_parts),
    ),
    one="reply",
    draw_one=replies.details,
    frozen="judge and plan",
    links=_links,
    style=shown.STYLE,
)


def render(services: Services) -> None:
    """Draw the runs of judges."""
    run_page.draw(services, PAGE)
