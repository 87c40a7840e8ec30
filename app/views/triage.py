"""The page *Triage*: keep or drop candidate frames with one key each; for leads, the results so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape

import streamlit as st

from annotation_schemas.model import as_words
from app import markup, shell, sidebar
from app.screens import Screen
from app.services import Services
from app.workbench import lead_mode, lead_preview, preview
from domain.errors import NotFound
from domain.records import AssetView, NoTask, ProjectView, TriageCounts, TriageFrame, TriageGroup
from domain.states import Stage
from workflow.annotate import triage, triage_figures

SCREEN = Screen("Triage", place=30, stage=Stage.TRIAGE)

LETTERS = "ASDFGHJKLQWETYIOPZXVBN"
"""Keys of the reasons, in order. U is undo and M opens the menu. The browser frame uses C and R."""
SOURCES = 200
"""Number of listed sources. The file has all of them."""
STYLE = """
[data-testid="stMainBlockContainer"] { padding: 1rem 1.6rem !important; }
[data-testid="stMain"] { overflow: auto; }
[data-testid="stMainBlockContainer"] [data-testid="stVerticalBlock"] { gap: .5rem !important; }
.ts-triage img,
.ts-triage video { display: block; width: 100%; object-fit: contain; background: #8882; border-radius: 6px; }
.ts-together { display: flex; gap: .4rem; }
.ts-together figure { flex: 1; min-width: 0; margin: 0; }
"""


def render(services: Services) -> None:
    """Draw the page. The part that changes with every key is a fragment."""
    view = shell.project(services)
    if not lead_mode.is_at_work(services, view, Stage.TRIAGE):
        made_up = preview.candidate(view.schema.schema_)
        lead_preview.draw(services, view, Stage.TRIAGE, lambda: group(made_up, does_nothing, keys=False))
        return
    st.html(f"<style>{STYLE}</style>")
    title = markup.tag("b", markup.text(f"{view.title} · Triage"), role="heading", aria_level="1")
    with st.container(horizontal=True, vertical_alignment="center"):
        shell.show(markup.tag("div", title, style="ts"))
        sidebar.keys(view, SCREEN)
    _bench(services, view)


@st.fragment
def _bench(services: Services, view: ProjectView) -> None:
    with shell.guard(services):
        shell.tell_refused()
        found = triage.next_group(services.store, person=services.person, project=view.name)
        if isinstance(found, NoTask):
            shell.show(
                markup.tag("div", markup.text(found.sentence), style="ts ts-notice", role="status", data_view="nothing")
            )
            if found.code in ("all_done", "waiting_for_others"):
                with st.container(horizontal=True):
                    _undo(services, view)
                    st.button("Look again", key="triage.again")
            return
        group(found, partial(_decide, services, view, found), undo=partial(_undo, services, view))


Decide = Callable[..., Callable[[], None]]
"""Takes what is kept, or dropped with its reason, and returns the callback of the press."""


def group(found: TriageGroup, decide: Decide, *, undo: Callable[[], None] | None = None, keys: bool = True) -> None:
    """Draw candidates with a button for each decision.

    ``keys``: each button also gets a key. ``undo`` draws the button that undoes the last decision.
    """
    grouped = any(frame.asset.group for frame in found.frames)
    words = f"{markup.count(found.left, 'group' if grouped else 'frame')} left"
    if len(found.frames) > 1:
        words += f" · these {len(found.frames)} look alike"
    shell.show(
        markup.tag("div", markup.text(words), style="ts", data_view="triage", data_token=found.token, data_part="left")
    )
    across = min(len(found.frames), 2 if grouped else 4)
    height = ("56vh" if grouped else "62vh") if len(found.frames) <= across else "30vh"
    for begin in range(0, len(found.frames), across):
        places = st.columns(across)
        for at, frame in enumerate(found.frames[begin : begin + across], start=begin):
            with places[at - begin]:
                shell.show(picture(frame, number=at + 1, per_source=found.per_source, height=height))
                st.button(
                    "Keep",
                    key=f"triage.keep.{found.token}.{frame.asset.id}",
                    type="primary",
                    shortcut=str(at + 1) if keys else None,
                    on_click=decide(keep=[frame.asset.id]),
                    width="stretch",
                )
    everything = [frame.asset.id for frame in found.frames]
    which = "Drop" if len(everything) == 1 else "Drop all"
    with st.container(horizontal=True):
        for letter, (value, label) in zip(LETTERS, found.reasons, strict=False):
            st.button(
                f"{which}: {markup.label(label)}",
                key=f"triage.drop.{found.token}.{value}",
                shortcut=letter if keys else None,
                on_click=decide(drop=dict.fromkeys(everything, value)),
            )
        if undo is not None:
            undo()
    with (
        st.form(f"triage.other.{found.token}", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        why = st.text_input("Another reason", key=f"triage.why.{found.token}", max_chars=triage.LONGEST_REASON)
        if st.form_submit_button(which) and why.strip():
            decide(drop=dict.fromkeys(everything, why.strip()))()
            st.rerun(scope="fragment")


def does_nothing(**said: object) -> Callable[[], None]:
    """Return a callback for a press on a preview, which only shows a note."""

    def press() -> None:
        st.toast("A preview: nothing is saved.")

    return press


def picture(frame: TriageFrame, *, number: int, per_source: int | None, height: str) -> markup.Markup:
    """Return a candidate as a large picture with its known facts."""
    said = []
    if frame.blurred:
        said.append("blurred?")
    if frame.sharpness is not None:
        said.append(f"sharpness {frame.sharpness:.0f}")
    if frame.kept_of_source is not None and per_source is not None:
        said.append(f"{frame.kept_of_source} of at most {per_source} of its source kept")
    framed = _medium(frame.asset, f"Candidate {number}", height)
    if frame.asset.group:
        framed = markup.tag(
            "div",
            *(
                markup.tag("figure", _medium(each, f"Candidate {number}: {name}", height), markup.quiet(name))
                for each, name in ((each, as_words(each.role)) for each in frame.asset.group)
            ),
            style="ts-together",
        )
    line = markup.tag("div", markup.text(f"{number} "), markup.quiet(" · ".join(said)), style="ts ts-small")
    return markup.tag("div", framed, line, style="ts-triage", data_asset=frame.asset.id)


def _medium(asset: AssetView, name: str, height: str) -> markup.Markup:
    address, said = escape(f"/media/{asset.id}/"), escape(name)
    if asset.kind != "clip":
        return markup.Markup(f'<img src="{address}display" alt="{said}" style="height:{height}">')
    return markup.Markup(
        f'<video src="{address}original" poster="{address}display" aria-label="{said}" controls muted '
        f'loop playsinline preload="metadata" style="height:{height}"></video>'
    )


def _decide(
    services: Services,
    view: ProjectView,
    found: TriageGroup,
    *,
    keep: Sequence[str] = (),
    drop: Mapping[str, str] | None = None,
) -> Callable[[], None]:
    def act() -> None:
        with shell.pressed(services):
            triage.decide(
                services.store,
                person=services.person,
                project=view.name,
                keep=keep,
                drop=drop or {},
                key=found.token,
            )

    return act


def _undo(services: Services, view: ProjectView) -> None:
    def act() -> None:
        with shell.pressed(services):
            if triage.undo(services.store, person=services.person, project=view.name) is None:
                raise NotFound("You have nothing to take back.")

    st.button("Take back", key="triage.undo", shortcut="U", type="tertiary", on_click=act)


# ---- for leads -------------------------------------------------------------------------------------------------------


def for_leads(services: Services, view: ProjectView) -> None:
    """Draw the states of the candidates, the file of all decisions, and a form that sends candidates back to triage."""
    found = triage_figures.progress(services.store, by=services.person, project=view.name)
    part = view.schema.schema_.stages.triage
    labels = {str(reason.value): reason.label for reason in part.reasons} if part is not None else {}
    shell.section("Triage")
    shell.show(markup.tag("p", markup.text(summary(found.total, labels)), style="ts", data_part="triaged"))
    if not found.by_source:
        return
    st.download_button(
        "Every decision (CSV)",
        lambda: triage_figures.as_csv(services.store, by=services.person, project=view.name),
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
        for name, counts in list(found.by_source.items())[:SOURCES]
    ]
    with st.expander("By source", key="triage.sources"):
        shell.show(markup.table(heads, rows))
        if len(found.by_source) > SOURCES:
            shell.show(markup.quiet(f"and {len(found.by_source) - SOURCES} more sources in the file"))
    n_dropped = sum(found.total.dropped.values())
    if n_dropped:
        words = st.text_input("Find dropped frames by name, source or reason", key="triage.find", width=520)
        dropped, n_found = triage_figures.dropped(services.store, by=services.person, project=view.name, words=words)
        names = {frame.asset: f"{frame.name} · {labels.get(frame.reason, frame.reason)}" for frame in dropped}
        more = f", the latest {len(dropped)} of them to choose from" if n_found > len(dropped) else ""
        shell.show(markup.quiet(f"{n_found} of {markup.count(n_dropped, 'dropped frame')}{more}"))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = st.multiselect(
                "Dropped, the latest first",
                list(names),
                format_func=lambda asset: names[asset],
                key="triage.dropped",
                width=520,
            )
            if st.button("Send back to triage", key="triage.back") and chosen:
                triage.restore(services.store, by=services.person, project=view.name, frames=chosen)
                st.rerun()


def summary(counts: TriageCounts, labels: Mapping[str, str]) -> str:
    """Return the states of the candidates in one line."""
    dropped = sum(counts.dropped.values())
    why = f" ({reasons_of(counts, labels)})" if dropped else ""
    line = f"{markup.count(counts.left, 'frame')} left · {counts.kept} kept · {dropped} dropped{why}"
    return line + (
        f" · {counts.surplus} not asked for: enough frames of their sources are kept" if counts.surplus else ""
    )


def reasons_of(counts: TriageCounts, labels: Mapping[str, str]) -> str:
    """Return the numbers of dropped candidates by reason, in words."""
    return ", ".join(f"{labels.get(reason, reason)}: {n}" for reason, n in sorted(counts.dropped.items()))
