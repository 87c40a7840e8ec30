"""The page Model drafts: give a model's proposals to images, and see the effect on items. For leads."""

from __future__ import annotations

from functools import partial
from typing import Any

from app import markup, shell
from app.jobs import figure_requests
from app.jobs import page as job_page
from app.reruns import pending_figures
from app.results import shown
from app.screens import Need, Room, Screen
from app.services import Services
from domain.records import ProjectView
from domain.roles import Role
from extensions.drafting import import_records, pipeline_step, queries, report_chart, report_text, upload
from extensions.drafting.arm_report import DraftingReport, FieldEdits, OutcomeComparison
from extensions.drafting.arms import Arm
from extensions.drafting.proposal_run import PROPOSALS
from workflow.jobs import desk
from workflow.releases import set_items

SCREEN = Screen(
    "Model drafts",
    place=120,
    room=Room.ITEMS,
    role=Role.LEAD,
    part="authoring",
    words="drafting proposals generate suggest assist llm authors",
    needs=Need("No model has proposed an item yet.", queries.has_proposals),
)


def render(services: Services) -> None:
    """Draw the import, the progress, the comparison of the arms, and the changes to proposals."""
    view = shell.lead_of(services)
    shell.heading(
        "Drafting",
        "A model proposes items, and people edit the proposals. Authors see proposals for a random share of images, "
        "so Touchstone can measure the effect. Only leads see this page. Verifiers do not see proposals.",
        made_up=view.made_up,
    )
    shell.tell_refused()
    if view.schema.schema_.stages.authoring is None:
        shell.show(
            markup.notice("Items of this project come from files. Drafting needs a schema with the stage `authoring`.")
        )
        return
    for job in desk.list_jobs(services.store, project=view.name, kinds=[PROPOSALS.name], only_open=True):
        job_page.watch(services, job)
    here = import_records.of_project(services.store, by=services.person, project=view.name)
    upload.draw(services, view, first=not here.came)
    if not here.came:
        return
    shell.section("Progress of people")
    shell.show(markup.tag("div", pipeline_step.arms(here), data_part="arms"))
    _report(services, view)


def _report(services: Services, view: ProjectView) -> None:
    ask = partial(_asked, services, view)
    asked = ask()
    pending_figures.show_pending(services, asked, ask, about="The effect of drafting is")
    if asked.figure is None:
        return
    drafting_report: DraftingReport = asked.figure.value
    shell.section("What drafting does")
    sources = markup.count(drafting_report.n_sources, "source")
    of = f"Proposed by {', '.join(drafting_report.models)}. The items come from {sources}."
    shell.show(markup.paragraph(of, style="ts ts-quiet"))
    if drafting_report.refusal:
        shell.show(markup.tag("div", markup.notice(drafting_report.refusal), data_part="refusal"))
    elif drafting_report.compared:
        shell.show(markup.tag("p", markup.text(report_text.sentence(drafting_report)), style="ts", data_part="said"))
        report_chart.show(drafting_report, project=view.name)
        shell.show(markup.tag("div", _compared(drafting_report.compared), data_part="compared"))
    if drafting_report.edited:
        shell.section("Changes by people")
        about = (
            "“Changed” is the mean share of characters that differ from the proposal. “As proposed” is the share of "
            "items with the proposed text. The “not shown” columns compare items with proposals that the authors "
            "did not see. “Seconds” is the mean time that authors spent on the field, including corrections. An "
            "untouched field counts as 0."
        )
        shell.show(markup.paragraph(about, style="ts ts-quiet"))
        shell.show(markup.tag("div", _edited(drafting_report.edited), data_part="edited"))
    shown.download(
        "All numbers as JSON",
        lambda: report_text.as_json(drafting_report, indent=2),
        f"{view.name}-drafting.json",
        key="drafting.json",
    )


def _asked(services: Services, view: ProjectView) -> figure_requests.FigureState:
    """Return the report; it is computed again only if the project has changed."""
    about: dict[str, Any] = {"by": services.person, "project": view.name}
    return figure_requests.request_figure(
        services.store,
        services.settings,
        "drafting",
        {"project": view.name},
        state=set_items.mark(services.store, **about),
        size=set_items.size(services.store, **about),
    )


def _compared(rows: tuple[OutcomeComparison, ...]) -> markup.Markup:
    """Return a row for each outcome: both means, the difference with its limits, and the number of items."""
    heads = [("Of each item", "wide"), ("Shown", "number"), ("Not shown", "number"), ("Difference", "number")]
    heads += [("95 % limits, by source", "number"), ("p-value", "number")]
    heads += [("Items shown", "number"), ("Items not shown", "number")]
    return markup.table(heads, [_line(row) for row in rows])


def _line(each: OutcomeComparison) -> list[markup.Markup]:
    of = each.outcome
    name = markup.tag("div", markup.text(of.name)), markup.tag("div", markup.quiet(of.meaning), style="ts-small")
    values = [report_text.number(each.means[arm], share=of.share) for arm in Arm]
    values += [report_text.number(each.difference.value, share=of.share, signed=True), report_text.limits(each)]
    values.append(report_text.chance(each))
    return [markup.joined(name), *map(markup.text, values), *(markup.number(each.n[arm]) for arm in Arm)]


def _edited(rows: tuple[FieldEdits, ...]) -> markup.Markup:
    heads = [("Field", "name")]
    whats = ("Changed", "As proposed", "Seconds")
    heads += [(f"{what}, {arm}", "number") for arm in ("shown", "not shown") for what in whats]
    return markup.table(heads, [_field(row) for row in rows])


def _field(each: FieldEdits) -> list[markup.Markup]:
    cells = [cell for arm in Arm for cell in report_text.cells(each, arm)]
    return [markup.text(each.field), *map(markup.text, cells)]
