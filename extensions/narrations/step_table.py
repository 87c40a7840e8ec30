"""The steps from narrations to questions on the page Pipelines."""

from __future__ import annotations

from annotation_schemas.source_media import has_segments
from app import markup, shell
from app.pipeline_steps import HEADS, PipelineStep, dropped_cell, link, row
from app.services import Services
from domain.records import ProjectView
from extensions.narrations import project_steps
from extensions.narrations.project_steps import GoalSteps, QuestionRun
from extensions.narrations.rules.questions import RULES


def draw(services: Services, view: ProjectView) -> None:
    """Draw the step of the page Pipelines; nothing where the schema has no timed segments."""
    if has_segments(view.schema.schema_):
        known = project_steps.of_project(services.store, by=services.person, project=view.name)
        shell.section("Narrations, goals and questions")
        shell.show(markup.tag("div", _table(view, known), data_part="questions"))


STEP = PipelineStep(20, draw)


def _table(view: ProjectView, known: GoalSteps) -> markup.Markup:
    """Return a row for each narration file, one for the goals, and one for each time that questions were made."""
    goals, n = known.goals, sum(file.rows for file in known.narrations)
    rows = [
        [
            *row(
                "Narrations", f"{file.file}: {markup.count(file.videos, 'video')}", file.rows, file.rows,
                markup.quiet("reported when the file was uploaded"), "",
            ),
            link("Upload a file again", "goals", view),
        ]
        for file in known.narrations
    ]  # fmt: skip
    faults = [("with a fault", f"{goals.faulty:,}")] * bool(goals.faulty) + list(goals.faults)
    how = f"{markup.count(goals.videos, 'video')}, {markup.count(goals.versions, 'version')} saved"
    rows.append(
        [
            *row("Goals", how, n, goals.goals, dropped_cell(faults), ""),
            link("Mend goals", "goals", view),
        ]
    )
    rows += [[*_making(file), link("Make questions again", "goals", view)] for file in known.makings]
    return markup.table([*HEADS, ("Run again", "")], rows)


def _making(run: QuestionRun) -> list[markup.Markup]:
    settings = run.settings
    rate = "a rate for each video" if settings.get("rates") else f"{settings.get('rate')} frames per second"
    rule = RULES[settings["observed"]].meaning if settings.get("observed") in RULES else str(settings.get("observed"))
    how = f"{markup.moment(run.at)}, by {run.by or 'the command line'}; {rate}; seed {settings.get('seed')}; {rule}"
    left = [
        (f"{out['reason']}: {out['n']:,}", f"such as {out['examples'][0]}" if out["examples"] else "")
        for out in run.left_out
    ]
    n = run.counts.get("actions of kept goals", 0)
    return row("Questions", how, n, run.counts.get("questions", 0), dropped_cell(left), "")
