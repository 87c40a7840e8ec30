"""The frames of a set as a grid of thumbnails with filters, a tick for each frame, and the button for the pool."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from app import markup, shell
from app.importing import file_inputs
from app.reruns import messages
from app.services import Services
from domain.records import ProjectView
from extensions.frames import frame_choices, frame_sets, set_jobs
from extensions.frames.frame_route import address
from extensions.frames.frame_sets import Frame, SetIndex

PAGE, ACROSS = 24, 6
CHANGED = "frames.changed"
"""The message that another lead has changed the frames of the page."""
CHOSEN, KEPT, DROPPED, EVERY = "Chosen", "Kept by screening", "Dropped", "All"
ANY, ALIKE = "any", "similar frames only"
STYLE = """.ts-frame { width: 100%; aspect-ratio: 16 / 10; object-fit: contain; border-radius: 4px; display: block;
  background: color-mix(in srgb, currentColor 8%, transparent); }"""
ORDERS: Mapping[str, Callable[[Frame], float]] = {
    "by video and time": lambda frame: frame.number,
    "least sharp first": lambda frame: frame.row["sharpness"],
    "sharpest first": lambda frame: -frame.row["sharpness"],
}
MOVING: Mapping[str, Callable[[Frame], float]] = {
    "stillest first": lambda frame: _motion(frame, math.inf),
    "most motion first": lambda frame: -_motion(frame, -math.inf),
}
"""Orders for sets with measured motion; frames without motion come last."""


@st.fragment
def draw(services: Services, view: ProjectView, folder: Path, index: SetIndex, *, busy: bool) -> None:
    """Draw the filters, the frames and the button for the pool; ``busy`` states whether work on the set was running."""
    with shell.guard(services):
        if _is_old(services, view, folder, index) or (set_jobs.is_running(services.store, folder) and not busy):
            st.rerun()
        with st.container():  # what may stand here or not: else all below would be drawn anew, and lose the focus
            shell.tell_refused()
            changed = messages.kept_message(CHANGED)
            if changed:
                shell.show(markup.notice(changed))
        shell.section("Candidates")
        shown = _filtered(folder, index)
        hand = frame_sets.by_hand(folder)
        n = len(frame_sets.chosen(folder, index))
        words, on, off = st.columns([6, 2, 2], vertical_alignment="center")
        summary = (
            f"{markup.count(len(shown), 'frame')} with these filters. Chosen frames: {n:,} of {len(index.frames):,}."
        )
        words.html(str(markup.tag("p", markup.text(summary), style="ts", data_part="candidates")))
        for where, label, value in ((on, "Choose these", True), (off, "Clear these choices", False)):
            where.button(
                label,
                key=f"frames.all.{value}",
                width="stretch",
                disabled=not shown,
                on_click=_tick,
                args=(services, folder, shown, value),
            )
        begin = shell.pager(len(shown), size=PAGE, of=(folder.name, *_asked()), key="frames.page", noun="frame")
        some = shown[begin : begin + PAGE]
        for at in range(0, len(some), ACROSS):
            for box, frame in zip(st.columns(ACROSS), some[at : at + ACROSS], strict=False):
                with box:
                    _tile(services, view, folder, index, frame, on=hand.get(frame.name, frame.kept))
        _pool(services, view, folder, index, busy=busy)


def _is_old(services: Services, view: ProjectView, folder: Path, index: SetIndex) -> bool:
    """Whether the frames have been screened again or removed since the page was drawn; the next run says by whom."""
    now = frame_sets.index(folder)
    if now is not None and now.stamp == index.stamp:
        return False
    who, what = frame_choices.last_change(services.store, by=services.person, project=view.name, name=folder.name)
    if who != services.person.login and not shell.was_refused():  # a refusal says it, too
        messages.keep(CHANGED, f"This page now shows the current frames. Last change: {what} ({who}).")
    return True


def _asked() -> tuple[Any, ...]:
    names = ("show", "source", "group", "from", "to", "still", "moved", "order.False", "order.True")
    return tuple(st.session_state.get(f"frames.filter.{name}") for name in names)


def _filtered(folder: Path, index: SetIndex) -> list[Frame]:
    """Draw the filters, and return the remaining frames in order."""
    groups = Counter(one.row["group"] for one in index.frames)
    alike = [group for group, n in sorted(groups.items()) if n > 1]
    sources = sorted({str(one.row["source"]) for one in index.frames})
    boxes = st.columns([3, 3, 3, 2, 2, 3], vertical_alignment="bottom")
    key = "frames.filter."
    show = boxes[0].selectbox("Show", [CHOSEN, KEPT, DROPPED, EVERY], index=3, key=f"{key}show")
    source = boxes[1].selectbox("Source", [ANY, *sources], key=f"{key}source.{folder.name}")
    group = boxes[2].selectbox(
        "Group",
        [ANY, ALIKE, *alike],
        format_func=lambda each: f"group {each}: {groups[each]} alike" if isinstance(each, int) else each,
        key=f"{key}group.{folder.name}.{index.stamp}",
    )
    low = boxes[3].number_input("Sharpness from", value=None, min_value=0.0, step=10.0, key=f"{key}from")
    high = boxes[4].number_input("Sharpness to", value=None, min_value=0.0, step=10.0, key=f"{key}to")
    orders, moved = dict(ORDERS), bool(index.settings["taking"].get("motion"))
    still = most = None
    if moved:
        orders |= MOVING
        boxes_of_motion = st.columns([2, 2, 12], vertical_alignment="bottom")
        still = boxes_of_motion[0].number_input("Motion from", value=None, min_value=0.0, step=0.5, key=f"{key}still")
        most = boxes_of_motion[1].number_input("Motion to", value=None, min_value=0.0, step=0.5, key=f"{key}moved")
    order = boxes[5].selectbox("Order", list(orders), key=f"{key}order.{moved}")
    hand = frame_sets.by_hand(folder)

    def fits(frame: Frame) -> bool:
        row = frame.row
        return (
            (
                show == EVERY
                or {CHOSEN: hand.get(frame.name, frame.kept), KEPT: frame.kept, DROPPED: not frame.kept}[show]
            )
            and source in (ANY, row["source"])
            and (group == ANY or row["group"] == group or (group == ALIKE and groups[row["group"]] > 1))
            and (low is None or row["sharpness"] >= low)
            and (high is None or row["sharpness"] <= high)
            and (still is None or _motion(frame, -math.inf) >= still)
            and (most is None or _motion(frame, math.inf) <= most)
        )

    return sorted(filter(fits, index.frames), key=orders[order])


def _motion(frame: Frame, none: float) -> float:
    """Return the motion of a frame; ``none`` if it is unknown, as for the first frame of a video."""
    value = frame.row.get("motion")
    return none if value is None else float(value)


def _tile(services: Services, view: ProjectView, folder: Path, index: SetIndex, frame: Frame, *, on: bool) -> None:
    where = (view.name, folder.name, index.stamp, frame.number)
    moment = f"{float(frame.row['time']):.2f} s"
    image = markup.tag("img", src=address(*where), alt=frame.name, loading="lazy", style="ts-frame")
    link = markup.tag("a", image, href=address(*where, "original"), target="_blank", rel="noopener", title=frame.name)
    moved = frame.row.get("motion")
    measures = f"sharpness {frame.row['sharpness']:.1f}, group {frame.row['group']}"
    measures += f", motion {moved:.1f}" if moved is not None else ""
    why = [markup.tag("div", markup.text(str(frame.row["why"])), style="ts-small ts-wrong")] * (not frame.kept)
    shell.show(
        markup.tag(
            "div",
            link,
            markup.tag("div", markup.quiet(str(frame.row["source"])), style="ts-small"),
            markup.tag("div", markup.quiet(measures), style="ts-small"),
            *why,
            data_part="candidate",
        )
    )
    name = f"frames.tick.{folder.name}.{frame.name}"
    box = _box(name, on=on)
    key = f"{name}.{box.turn}"
    st.checkbox(f"{moment} chosen", box.first, key=key, on_change=_tick_one, args=(services, folder, frame, name, box))


@dataclass
class Box:
    """The checkbox of a frame in one browser."""

    turn: int
    """A number in its key: another one is another checkbox."""
    first: bool
    """The value that it was drawn with."""
    last: bool
    """The value that the browser shows."""


def _box(name: str, *, on: bool) -> Box:
    """Return the checkbox to draw for a frame: a new one if anything but its own press has changed the frame.

    Setting the value of the checkbox that is there would undo the choice of another lead: until the browser has drawn
    the new value, it sends the old one with each press on the page, and Streamlit takes that for a press of this box.
    """
    box: Box | None = st.session_state.get(name)
    if box is None or f"{name}.{box.turn}" not in st.session_state or box.last != on:
        box = st.session_state[name] = Box(box.turn + 1 if box is not None else 0, on, on)
    return box


def _tick_one(services: Services, folder: Path, frame: Frame, name: str, box: Box) -> None:
    on = bool(st.session_state[f"{name}.{box.turn}"])
    if st.session_state.get(name) is box and on != box.last:  # else the browser repeats an old value
        box.last = on
        _tick(services, folder, [frame], on)


def _tick(services: Services, folder: Path, frames: Sequence[Frame], on: bool) -> None:
    with shell.pressed(services):
        frame_sets.tick(services.store, folder, frames, on=on, by=services.person)


def _pool(services: Services, view: ProjectView, folder: Path, index: SetIndex, *, busy: bool) -> None:
    """Draw the button that adds the chosen frames to the pool, if people write about images."""
    shell.section("Into the pool")
    schema = view.schema.schema_
    if schema.stages.authoring is None or all(slot.kind != "image" for slot in schema.item.assets):
        words = "This project has no authoring stage, so Touchstone cannot add these frames to a pool. "
        shell.show(
            markup.paragraph(
                (
                    f"{words}To use these frames and videos as media of imported items, choose this set on "
                    "the Add items page."
                ),
                style="ts",
            )
        )
        return
    places = [slot.role for slot in schema.item.assets if slot.kind == "image"]
    left, right, button = st.columns([3, 3, 3], vertical_alignment="bottom")
    with left:
        dimension = file_inputs.dimension(view, "For", "frames.pool.dimension", none="all dimensions")
    role = None
    if len(places) > 1:
        role = right.selectbox(
            "Only for", [None, *places], format_func=lambda name: name or "any place", key="frames.pool.role"
        )
    n = len(frame_sets.chosen(folder, index))
    shell.does(
        button,
        f"Add {markup.count(n, 'chosen frame')}",
        services,
        partial(set_jobs.into_pool, services, folder, view.name, dimension=dimension, role=role),
        key="frames.pool.go",
        type="primary",
        width="stretch",
        disabled=not n or busy,
    )
    if schema.stages.triage is not None:
        shell.show(markup.paragraph("The frames go through triage first.", style="ts ts-quiet"))
