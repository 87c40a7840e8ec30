"""The results of triage on the dashboard: states and decisions, and a form that sends candidates back."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from app import markup, shell
from app.overview.sections import DashboardSection
from app.services import Services
from domain.records import ProjectView
from extensions.image_pool import triage_decisions, triage_report
from extensions.image_pool.triage_records import TriageCounts

SOURCES = 200
"""Number of listed sources. The file has all of them."""


def draw(services: Services, view: ProjectView) -> None:
    """Draw the states of the candidates, the file of all decisions, and a form that sends candidates back to triage."""
    part = view.schema.schema_.stages.triage
    if part is None:
        return
    progress = triage_report.progress(services.store, by=services.person, project=view.name)
    labels = {str(reason.value): reason.label for reason in part.reasons}
    shell.show(markup.tag("p", markup.text(summary(progress.total, labels)), style="ts", data_part="triaged"))
    if not progress.by_source:
        return
    st.download_button(
        "Every decision (CSV)",
        lambda: triage_report.as_csv(services.store, by=services.person, project=view.name),
        f"{view.name}-triage.csv",
        "text/csv",
        key="triage.csv",
        on_click="ignore",
    )
    heads = [("Source", ""), ("Left", "number"), ("Kept", "number"), ("Dropped", ""), ("Not asked for", "number")]
    rows = [
        [
            markup.text(name or "no source"),
            markup.text(counts.left),
            markup.text(counts.kept),
            markup.text(reasons_of(counts, labels) or "-"),
            markup.text(counts.surplus),
        ]
        for name, counts in list(progress.by_source.items())[:SOURCES]
    ]
    with st.expander("By source", key="triage.sources"):
        shell.show(markup.table(heads, rows))
        if len(progress.by_source) > SOURCES:
            more = markup.count(len(progress.by_source) - SOURCES, "more source")
            shell.show(markup.quiet(f"and {more} in the CSV file"))
    n_dropped = sum(progress.total.dropped.values())
    if n_dropped:
        words = st.text_input("Find dropped frames", key="triage.find", width=520)
        dropped, n_found = triage_report.dropped(services.store, by=services.person, project=view.name, words=words)
        names = {frame.asset: f"{frame.name} · {labels.get(frame.reason, frame.reason)}" for frame in dropped}
        latest = f", showing the latest {len(dropped)}" if n_found > len(dropped) else ""
        shell.show(markup.quiet(f"{n_found} of {markup.count(n_dropped, 'dropped frame')}{latest}"))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = st.multiselect(
                "Dropped frames, latest first",
                list(names),
                format_func=lambda asset: names[asset],
                key="triage.dropped",
                width=520,
            )
            if st.button("Send back to triage", key="triage.back") and chosen:
                triage_decisions.restore(services.store, by=services.person, project=view.name, frames=chosen)
                st.rerun()


def summary(counts: TriageCounts, labels: Mapping[str, str]) -> str:
    """Return the states of the candidates in one line."""
    dropped = sum(counts.dropped.values())
    why = f" ({reasons_of(counts, labels)})" if dropped else ""
    line = f"{markup.count(counts.left, 'frame')} left · {counts.kept} kept · {dropped} dropped{why}"
    return line + (
        f" · {counts.surplus} skipped, because their sources have enough kept frames" if counts.surplus else ""
    )


def reasons_of(counts: TriageCounts, labels: Mapping[str, str]) -> str:
    """Return the numbers of dropped candidates by reason, in words."""
    return ", ".join(f"{labels.get(reason, reason)}: {n}" for reason, n in sorted(counts.dropped.items()))


SECTION = DashboardSection(
    "triage", "Triage", draw, place=20, shown=lambda view: view.schema.schema_.stages.triage is not None
)
