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
    found = frame_sets.sets(services, view.name)
    if not found:
        shell.show(markup.tag("p", link("Take frames out of videos", "frames", view), style="ts"))
    for name, about in found:
        folder = frame_sets.folder_of_set(
            services.store, services.settings.home, by=services.person, project=view.name, name=name
        )
        said = f"{about.called}, {markup.moment(frame_sets.at(about.began))} · "
        way = link("look through, or run again", "frames", view, set=name)
        shell.show(markup.tag("p", markup.text(said), way, style="ts"))
        there = frame_sets.index(folder)
        if there is not None:
            shell.show(markup.tag("div", table(view, folder, about, there), data_part="frames"))
        else:
            shell.show(markup.notice("Its frames are not there yet."))
    pooled = frame_pool.pooled(services.store, by=services.person, project=view.name)
    if pooled:
        n = sum(each.n for each in pooled)
        words = f"{markup.count(n, 'frame')} came into the pool in all, the last on {markup.moment(pooled[-1].at)}."
        shell.show(markup.paragraph(words, style="ts ts-quiet"))


STEP = PipelineStep(10, draw)


def table(view: ProjectView, folder: Path, about: SetDescription, found: SetIndex) -> markup.Markup:
    """Return a table with a row for each step: input, output, dropped frames with reasons and examples, and cost."""
    read = [each for each in found.videos if not each.get("why")]
    skipped = [(str(each["source"]), str(each["why"])) for each in found.videos if each.get("why")]
    broken = [(str(each["source"]), f"{each['broken']}; taken up to there") for each in read if each.get("broken")]
    kept, chosen = sum(each.kept for each in found.frames), frame_sets.chosen(folder, found)
    took = f"{about.seconds:,.1f} s of this machine" if about.seconds else ""
    rows = [
        row(
            "Videos",
            f"{about.called}, by {about.by}",
            len(found.videos), len(read), dropped_cell(skipped + broken), "",
        ),
        row(
            "Taking",
            settings_form.taking_words(dict(found.settings["taking"])),
            len(read), len(found.frames), dropped_cell(found.missing), took,
        ),
        row(
            "Screening",
            settings_form.keeping_words(dict(found.settings["keeping"])),
            len(found.frames), kept, _dropped(view, folder, found), "",
        ),
        row("Choosing", "ticked by hand", len(found.frames), len(chosen), _hand(folder, found), ""),
    ]  # fmt: skip
    if about.pooled:
        n, there, refused = (about.pooled[name] for name in ("added", "repeated", "refused"))
        why = [(f"{there:,} frames", "in the project already, byte for byte")] * bool(there)
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


def _dropped_by_reason(found: SetIndex) -> Counter[str]:
    return Counter(each.reason for each in found.frames if not each.kept)


def _dropped(view: ProjectView, folder: Path, found: SetIndex) -> markup.Markup:
    """Return each reason with its count, and the first frames that it dropped."""
    said = []
    for reason, n in sorted(_dropped_by_reason(found).items()):
        some = [each for each in found.frames if not each.kept and each.reason == reason][:EXAMPLES]
        pictures = [_picture(view, folder, found, each) for each in some]
        said.append(markup.tag("div", markup.text(f"{reason}: {n:,}"), data_reason=reason))
        said.append(markup.tag("div", *pictures, style="ts-pictures"))
    return markup.joined(said) if said else markup.quiet("nothing")


def _picture(view: ProjectView, folder: Path, found: SetIndex, frame: Frame) -> markup.Markup:
    where = (view.name, folder.name, found.stamp, frame.number)
    words = f"{frame.name}: {frame.row['why']}"
    image = markup.tag("img", src=address(*where), alt=words, title=words, loading="lazy")
    return markup.tag("a", image, href=address(*where, "original"), target="_blank", rel="noopener")


def _hand(folder: Path, found: SetIndex) -> markup.Markup:
    hand = frame_sets.by_hand(folder)
    off = sum(each.kept and hand.get(each.name) is False for each in found.frames)
    on = sum(not each.kept and hand.get(each.name) is True for each in found.frames)
    left = len(found.frames) - sum(each.kept for each in found.frames) - on
    said = [f"{left:,} dropped by the screening"] * bool(left) + [f"{off:,} ticked off"] * bool(off)
    said += [f"{on:,} of the dropped ticked on"] * bool(on)
    return markup.text("; ".join(said)) if said else markup.quiet("nothing")
