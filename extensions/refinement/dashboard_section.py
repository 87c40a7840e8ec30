"""Send models' answers to refinement from the dashboard."""

from __future__ import annotations

import streamlit as st

from app import markup, shell
from app.overview.sections import DashboardSection
from app.reruns import messages
from app.services import Services
from domain.records import ProjectView
from extensions.refinement import decisions, intake
from extensions.refinement.intake import RefinementIntake


def draw(services: Services, view: ProjectView) -> None:
    """Draw the form that sends models' answers to refinement, with a preview of how many it would send."""
    n = decisions.refinement(services.store, by=services.person, project=view.name)
    shell.show(
        markup.tag(
            "p",
            markup.text(f"{markup.count(n['refined'], 'item')} refined. "),
            markup.quiet(f"An item is refined when {decisions.end_of(view.schema.schema_)}."),
            style="ts",
            data_part="refinement-ends",
        )
    )
    if done := messages.kept_message("refine.sent"):
        shell.show(markup.notice(done, style="good"))
    models = intake.models(services.store, by=services.person, project=view.name)
    if not models:
        shell.show(
            markup.notice("Import a model's answers first. Then you can send the answers to refinement on this page.")
        )
        return
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        choices = models if len(models) == 1 else [*models, None]
        model = st.selectbox("Model", choices, format_func=lambda name: name or "All models", key="refine.model")
    with right:
        differing = st.checkbox("Only answers that differ from the key", value=True, key="refine.differing")
    intake_preview = intake.preview_refinement(
        services.store, by=services.person, project=view.name, model=model, only_differing=differing
    )
    shell.show(markup.tag("p", markup.text(preview(intake_preview)), style="ts", data_part="to-refine"))
    if st.button("Send to refinement", key="refine.send", disabled=not intake_preview.opened):
        sent = intake.open_refinement(
            services.store, by=services.person, project=view.name, model=model, only_differing=differing
        )
        whose = model or "all models"
        messages.keep("refine.sent", f"{markup.count(sent.opened, 'answer')} of {whose} sent to refinement.")
        st.rerun()


def preview(found: RefinementIntake) -> str:
    """Return how many answers would be sent, and out of how many."""
    of = f"of {markup.count(found.answers, 'answer')} to items that verification has not rejected"
    if not found.opened:
        return f"None {of} can still be sent to refinement."
    return f"{found.opened} {of} will go to refinement, each to one person."


SECTION = DashboardSection(
    "refinement", "Refinement", draw, place=30, shown=lambda view: view.schema.schema_.stages.refinement is not None
)
