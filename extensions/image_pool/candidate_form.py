"""The form of triage: candidates with a button for each decision."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

import streamlit as st

from annotation_schemas.model import LoadedSchema, as_words
from app import markup, shell
from app.workbench.preview import DRAWN
from domain.language import _, ngettext
from domain.records import AssetView
from extensions.image_pool.triage_decisions import LONGEST_REASON
from extensions.image_pool.triage_records import TriageFrame, TriageGroup

LETTERS = "ASDFGHJKLQWETYIOPZXVBN"
"""Keys of the reasons, in order. U is undo and M opens the menu. The browser frame uses C and R."""

STYLE = """
.ts-triage img,
.ts-triage video { display: block; width: 100%; object-fit: contain; background: #8882; border-radius: 6px; }
.ts-together { display: flex; gap: .4rem; }
.ts-together figure { flex: 1; min-width: 0; margin: 0; }
"""

Decide = Callable[..., Callable[[], None]]
"""Takes the kept images, and the dropped ones with their reasons, and returns the callback of the press."""


def group(found: TriageGroup, decide: Decide, *, undo: Callable[[], None] | None = None, keys: bool = True) -> None:
    """Draw candidates with a button for each decision.

    ``keys``: each button also gets a key. ``undo`` draws the button that undoes the last decision.
    """
    grouped = any(frame.asset.group for frame in found.frames)
    words = (
        ngettext("{n} group left", "{n} groups left", found.left)
        if grouped
        else ngettext("{n} frame left", "{n} frames left", found.left)
    ).format(n=f"{found.left:,}")
    if len(found.frames) > 1:
        words += " · " + _("these {n} frames look alike").format(n=len(found.frames))
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
                    _("Keep"),
                    key=f"triage.keep.{found.token}.{frame.asset.id}",
                    type="primary",
                    shortcut=str(at + 1) if keys else None,
                    on_click=decide(keep=[frame.asset.id]),
                    width="stretch",
                )
    everything = [frame.asset.id for frame in found.frames]
    which = _("Drop") if len(everything) == 1 else _("Drop all")
    with st.container(horizontal=True):
        for letter, (value, label) in zip(LETTERS, found.reasons, strict=False):
            st.button(
                _("{drop}: {reason}").format(drop=which, reason=markup.label(label)),
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
        why = st.text_input(_("Another reason"), key=f"triage.why.{found.token}", max_chars=LONGEST_REASON)
        if st.form_submit_button(which) and why.strip():
            decide(drop=dict.fromkeys(everything, why.strip()))()
            st.rerun(scope="fragment")


def draw_preview(loaded: LoadedSchema) -> None:
    """Draw the form with a made-up candidate. Nothing is saved."""
    schema = loaded.schema_
    stage = schema.stages.triage
    kind = next((slot.kind for slot in schema.item.assets), "image")
    frame = TriageFrame(AssetView(f"{DRAWN}{kind}.0", "", kind), sharpness=None, blurred=False)
    st.html(f"<style>{STYLE}</style>")
    reasons = [(str(reason.value), reason.label) for reason in stage.reasons] if stage is not None else []
    group(TriageGroup([frame], reasons, None, left=1, token="preview"), does_nothing, keys=False)


def does_nothing(**said: object) -> Callable[[], None]:
    """Return a callback for a press on a preview, which only shows a note."""

    def press() -> None:
        st.toast(_("This is a preview. Touchstone does not save your decision."))

    return press


def picture(frame: TriageFrame, *, number: int, per_source: int | None, height: str) -> markup.Markup:
    """Return a candidate as a large picture with its known facts."""
    facts = []
    if frame.blurred:
        facts.append(_("blurred?"))
    if frame.sharpness is not None:
        facts.append(_("sharpness {n}").format(n=f"{frame.sharpness:.0f}"))
    if frame.kept_of_source is not None and per_source is not None:
        kept = _("{n} of at most {most} frames kept from this source")
        facts.append(kept.format(n=frame.kept_of_source, most=per_source))
    candidate = _("Candidate {number}").format(number=number)
    framed = _medium(frame.asset, candidate, height)
    if frame.asset.group:
        framed = markup.tag(
            "div",
            *(
                markup.tag("figure", _medium(medium, f"{candidate}: {name}", height), markup.quiet(name))
                for medium, name in ((asset, as_words(asset.role)) for asset in frame.asset.group)
            ),
            style="ts-together",
        )
    line = markup.tag("div", markup.text(f"{number} "), markup.quiet(" · ".join(facts)), style="ts ts-small")
    return markup.tag("div", framed, line, style="ts-triage", data_asset=frame.asset.id)


def _medium(asset: AssetView, name: str, height: str) -> markup.Markup:
    address, label = escape(f"/media/{asset.id}/"), escape(name)
    if asset.kind != "clip":
        return markup.Markup(f'<img src="{address}display" alt="{label}" style="height:{height}">')
    return markup.Markup(
        f'<video src="{address}original" poster="{address}display" aria-label="{label}" controls muted '
        f'loop playsinline preload="metadata" style="height:{height}"></video>'
    )
