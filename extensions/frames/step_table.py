"""The steps of a frame set on the pages Frames and Pipelines: counts, dropped frames with reasons, and cost."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from app import markup, shell
from app.pipeline_steps import HEADS, PipelineStep, dropped_cell, link, row
from app.services import Services
from domain.records import ProjectView
from extensions.frames import frame_pool, frame_sets, settings_form
from extensions.frames.frame_route import address
from extensions.frames.frame_sets import Frame, SetDescription, SetIndex


def draw(services: Services, view: ProjectView) -> None:
    """Draw the step of the page Pipelines: every frame set with its table, and how many frames the pool has."""
    shell.section("Frames")
    sets = frame_sets.sets(services, view.name)
    if not sets:
        shell.show(markup.tag("p", link("Take frames from videos", "frames", view), style="ts"))
    for name, about in sets:
        folder = frame_sets.folder_of_set(
            services.store, services.settings.home, by=services.person, project=view.name, name=name
        )
        called = f"{about.called}, {markup.moment(frame_sets.at(about.began))} · "
        way = link("review or run again", "frames", view, set=name)
        shell.show(markup.tag("p", markup.text(called), way, style="ts"))
        there = frame_sets.index(folder)
        if there is not None:
            shell.show(markup.tag("div", table(view, folder, about, there), data_part="frames"))
        else:
            shell.show(markup.notice("This set has no frames yet."))
    pooled = frame_pool.pooled(services.store, by=services.person, project=view.name)
    if pooled:
        n = sum(step.n for step in pooled)
        words = (
            f"{markup.count(n, 'frame')} added to the pool in total, most recently on {markup.moment(pooled[-1].at)}."
        )
        shell.show(markup.paragraph(words, style="ts ts-quiet"))


STEP = PipelineStep(10, draw)


def table(view: ProjectView, folder: Path, about: SetDescription, index: SetIndex) -> markup.Markup:
    """Return a table with a row for each step: input, output, dropped frames with reasons and examples, and cost."""
    read = [video for video in index.videos if not video.get("why")]
    skipped = [(str(video["source"]), str(video["why"])) for video in index.videos if video.get("why")]
    broken = [
        (str(video["source"]), f"{video['broken']}; Touchstone took only the frames before the damaged part")
        for video in read
        if video.get("broken")
    ]
    kept, chosen = sum(frame.kept for frame in index.frames), frame_sets.chosen(folder, index)
    took = f"{about.seconds:,.1f} s of computing time" if about.seconds else ""
    rows = [
        row(
            "Videos",
            f"{about.called}, by {about.by}",
            len(index.videos), len(read), dropped_cell(skipped + broken), "",
        ),
        row(
            "Taking",
            settings_form.taking_words(dict(index.settings["taking"])),
            len(read), len(index.frames), dropped_cell(index.missing), took,
        ),
        row(
            "Screening",
            settings_form.keeping_words(dict(index.settings["keeping"])),
            len(index.frames), kept, _dropped(view, folder, index), "",
        ),
        row("Choosing", "selected by people", len(index.frames), len(chosen), _hand(folder, index), ""),
    ]  # fmt: skip
    if about.pooled:
        n, there, refused = (about.pooled[name] for name in ("added", "repeated", "refused"))
        why = [(markup.count(there, "frame"), "already in the project (identical files)")] * bool(there)
        why += [(name, reason) for name, reason in refused]
        rows.append(
            row(
                "Pool",
                markup.moment(frame_sets.at(about.pooled["at"])),
                n + there + len(refused),
                n,
                dropped_cell(why),
                "",
            )
        )
    return markup.table(HEADS, rows)


EXAMPLES = 3
"""Number of frames shown for each reason."""


def _dropped_by_reason(index: SetIndex) -> Counter[str]:
    return Counter(frame.reason for frame in index.frames if not frame.kept)


def _dropped(view: ProjectView, folder: Path, index: SetIndex) -> markup.Markup:
    """Return each reason with its count, and the first frames that it dropped."""
    parts = []
    for reason, n in sorted(_dropped_by_reason(index).items()):
        some = [frame for frame in index.frames if not frame.kept and frame.reason == reason][:EXAMPLES]
        pictures = [_picture(view, folder, index, frame) for frame in some]
        parts.append(markup.tag("div", markup.text(f"{reason}: {n:,}"), data_reason=reason))
        parts.append(markup.tag("div", *pictures, style="ts-pictures"))
    return markup.joined(parts) if parts else markup.quiet("nothing")


def _picture(view: ProjectView, folder: Path, index: SetIndex, frame: Frame) -> markup.Markup:
    where = (view.name, folder.name, index.stamp, frame.number)
    words = f"{frame.name}: {frame.row['why']}"
    image = markup.tag("img", src=address(*where), alt=words, title=words, loading="lazy")
    return markup.tag("a", image, href=address(*where, "original"), target="_blank", rel="noopener")


def _hand(folder: Path, index: SetIndex) -> markup.Markup:
    hand = frame_sets.by_hand(folder)
    off = sum(frame.kept and hand.get(frame.name) is False for frame in index.frames)
    on = sum(not frame.kept and hand.get(frame.name) is True for frame in index.frames)
    left = len(index.frames) - sum(frame.kept for frame in index.frames) - on
    parts = [f"{left:,} dropped by screening"] * bool(left) + [f"{off:,} deselected"] * bool(off)
    parts += [f"{markup.count(on, 'dropped frame')} selected by a lead"] * bool(on)
    return markup.text("; ".join(parts)) if parts else markup.quiet("nothing")
