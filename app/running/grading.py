"""The part *Grading* of a run on the page *Models*: send its answers to people."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from app import markup, shell
from app.reruns import messages
from app.services import Services
from domain.records import ProjectView
from workflow.runs import run_grading
from workflow.runs.run_views import RunView


def to_grading(services: Services, project: ProjectView, view: RunView) -> None:
    """Draw how many slots sending the answers to people would open, and the button."""
    if project.schema.schema_.stages.grading is None:
        shell.show(
            markup.notice(
                "This project has no grading stage, so people cannot grade these answers. Add a grading stage "
                "to the form."
            )
        )
        return
    message = messages.kept_message(f"models.sent.{view.id}")
    if message:
        shell.show(markup.notice(message, style="good"))
    if not view.answered:
        shell.show(markup.paragraph("This run has no answers yet.", style="ts ts-quiet"))
        return
    titles = {known.id: known.title for known in project.schema.schema_.dimensions}
    slots = run_grading.slots_of(services.store, by=services.person, run=view.id)
    shell.show(markup.tag("p", markup.text(sending(view, slots, titles)), style="ts"))
    sample = run_grading.sample_of(services.store, by=services.person, project=project.name)
    if sample is not None and sample.passed_on:
        words = markup.text(f"Grading in this project: {sample.sentence}")
        shell.show(markup.tag("p", words, style="ts", data_part="sample"))
    n = sum(slots.values())
    if n and st.button(f"Send to grading: {markup.count(n, 'slot')}", type="primary", key="models.send"):
        opened = run_grading.send_to_grading(services.store, by=services.person, run=view.id)
        messages.keep(f"models.sent.{view.id}", f"{markup.count(opened, 'slot')} opened for grading.")
        st.rerun()


def sending(view: RunView, slots: Mapping[str, int], titles: Mapping[str, str]) -> str:
    """Return in words how many slots sending would open."""
    if not sum(slots.values()):
        return (
            f"Answers of this run in grading: {view.in_grading:,}. You cannot send more answers now. The other "
            "answers belong to items that do not count, or are outside the planned sample."
        )
    where = ", ".join(f"{titles.get(name, name)} {n:,}" for name, n in slots.items() if n)
    already = (
        f" Answers already in grading: {view.in_grading:,}. Touchstone does not send these answers again."
        if view.in_grading
        else ""
    )
    return (
        f"When you send the answers, Touchstone opens {markup.count(sum(slots.values()), 'slot')}: {where}. Each "
        "grader gets the answers in a different order. Graders see the question and media, but not the model's name."
        f"{already}"
    )
