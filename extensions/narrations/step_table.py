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
    goals, n = known.goals, sum(each.rows for each in known.narrations)
    rows = [
        [
            *row(
                "Narrations", f"{each.file}: {markup.count(each.videos, 'video')}", each.rows, each.rows,
                markup.quiet("said when the file was given"), "",
            ),
            link("Give a file again", "goals", view),
        ]
        for each in known.narrations
    ]  # fmt: skip
    faults = [("with a fault", f"{goals.faulty:,}")] * bool(goals.faulty) + list(goals.faults)
    how = f"{markup.count(goals.videos, 'video')}, {markup.count(goals.versions, 'version')} saved"
    rows.append(
        [
            *row("Goals", how, n, goals.goals, dropped_cell(faults), ""),
            link("Mend goals", "goals", view),
        ]
    )
    rows += [[*_making(each), link("Make questions again", "goals", view)] for each in known.makings]
    return markup.table([*HEADS, ("Run again", "")], rows)


def _making(each: QuestionRun) -> list[markup.Markup]:
    told = each.settings
    rate = "a rate for each video" if told.get("rates") else f"{told.get('rate')} frames a second"
    rule = RULES[told["observed"]].meaning if told.get("observed") in RULES else str(told.get("observed"))
    how = f"{markup.moment(each.at)}, by {each.by or 'the command line'}; {rate}; seed {told.get('seed')}; {rule}"
    left = [
        (f"{out['reason']}: {out['n']:,}", f"such as {out['examples'][0]}" if out["examples"] else "")
        for out in each.left_out
    ]
    n = each.counts.get("actions of kept goals", 0)
    return row("Questions", how, n, each.counts.get("questions", 0), dropped_cell(left), "")
