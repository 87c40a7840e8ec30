"""The page *Judges*: let a judge grade models' answers under a template."""

from __future__ import annotations

from typing import Any

from app import addresses
from app.judging import begin, shown, watch
from app.running import run_page
from app.running.run_page import BesideRuns, RunPage, RunSection
from app.screens import SCREENS, Action, Room, Screen
from app.services import Services
from domain.judging import JudgePlan
from domain.records import ProjectView
from domain.roles import Role
from domain.states import Stage
from workflow.results import judge_replies
from workflow.results.ratings import raters_of
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
    return [("Compare with people", addresses.page("calibration", run.project, judge=run.name))] if calibrated else []


def _beside(services: Services, view: ProjectView) -> BesideRuns:
    """Return the imported judges, and a link to calibration if a judge or an imported machine has rated anything."""
    if "calibration" not in SCREENS:
        return BesideRuns()
    about: dict[str, Any] = {"person": services.person, "project": view.name}
    stages = [Stage.GRADING, *map(Stage, view.schema.schema_.stages.verifications)]
    raters = [raters_of(services.store, **about, stage=each) for each in stages]
    if not any(each.machines for each in raters):
        return BesideRuns()
    names = sorted({name for each in raters for name in each.from_files})
    return BesideRuns(
        [(name, addresses.page("calibration", view.name, judge=name)) for name in names],
        [("Can a judge replace people?", addresses.page("calibration", view.name))],
    )


def _refused(services: Services, view: ProjectView) -> str:
    """Return why no judge can run: there is nothing to grade."""
    about: dict[str, Any] = {"by": services.person, "project": view.name}
    schema = view.schema.schema_
    if schema.stages.grading is None and not schema.stages.verifications:
        return "A judge needs the criteria of a grading or verification stage. Add one of these stages to the schema."
    if schema.stages.grading is not None and not judge_replies.answered_by(services.store, **about):
        return "There are no answers to grade yet. Run a model on the Runs page, or import answers."
    return ""


PAGE = RunPage(
    title=SCREEN.title,
    purpose="Language models grade answers. Touchstone keeps every reply and counts unreadable replies.",
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
    beside=_beside,
    refused=_refused,
    style=shown.STYLE,
)


def render(services: Services) -> None:
    """Draw the runs of judges."""
    run_page.draw(services, PAGE)
