"""What became of a set of frames, step by step: counts, what was dropped and why, with examples, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app import frame_settings, frame_work, markup, shell
from app.frame_work import About, Frame, Index
from app.routes.frames import address
from domain.records import ProjectView

HEADS = [("Step", ""), ("How", ""), ("In", "number"), ("Out", "number"), ("Dropped, and why", "wide"), ("Cost", "")]
NO_MODEL = "no model is asked"
SHOWN = 20
"""So many videos or moments without a frame are named."""


def table(view: ProjectView, folder: Path, about: About, found: Index) -> markup.Markup:
    """Each step: what came in, what is left, what was dropped and why, with examples, and what it cost."""
    read = [each for each in found.videos if not each.get("why")]
    skipped = [(str(each["source"]), str(each["why"])) for each in found.videos if each.get("why")]
    broken = [(str(each["source"]), f"{each['broken']}; taken up to there") for each in read if each.get("broken")]
    kept, chosen = sum(each.kept for each in found.frames), frame_work.chosen(folder, found)
    took = f"{about.seconds:,.1f} s of this machine" if about.seconds else ""
    rows = [
        row("Videos", f"{about.called}, by {about.by}", len(found.videos), len(read), named(skipped + broken), ""),
        row(
            "Taking",
            frame_settings.taking_words(dict(found.settings["taking"])),
            len(read), len(found.frames), named(found.missing), took,
        ),
        row(
            "Screening",
            frame_settings.keeping_words(dict(found.settings["keeping"])),
            len(found.frames), kept, _dropped(view, folder, found), "",
        ),
        row("Choosing", "ticked by hand", len(found.frames), len(chosen), _hand(folder, found), ""),
    ]  # fmt: skip
    if about.pooled:
        n, there, refused = (about.pooled[name] for name in ("added", "repeated", "refused"))
        why = [(f"{there:,} frames", "in the project already, byte for byte")] * bool(there)
        why += [(name, reason) for name, reason in refused]
        rows.append(
            row("Pool", markup.moment(frame_work.at(about.pooled["at"])), n + there + len(refused), n, named(why), "")
        )
    return markup.table(HEADS, rows)


def row(name: str, how: str, n: int, left: int, dropped: markup.Markup, cost: str) -> list[markup.Markup]:
    """A line of the table; without a ``cost`` no model was asked."""
    cells = [markup.text(name), markup.quiet(how), markup.number(n), markup.number(left), dropped]
    return [*cells, markup.quiet(cost or NO_MODEL)]


def named(rows: Sequence[tuple[str, str]]) -> markup.Markup:
    """What was dropped, by name, each with the reason."""
    said = [
        markup.tag("div", markup.text(shell.on_page(why if why.startswith(name) else f"{name}: {why}")))
        for name, why in rows[:SHOWN]
    ]
    said += [markup.quiet(f"and {len(rows) - SHOWN:,} more")] * (len(rows) > SHOWN)
    return markup.joined(said) if said else markup.quiet("nothing")


def _dropped(view: ProjectView, folder: Path, found: Index) -> markup.Markup:
    """Each reason with its count, and the first frames that were dropped for it."""
    said = []
    for reason, n in sorted(frame_work.dropped(found).items()):
        some = [each for each in found.frames if not each.kept and each.reason == reason][: frame_work.EXAMPLES]
        pictures = [_picture(view, folder, found, each) for each in some]
        said.append(markup.tag("div", markup.text(f"{reason}: {n:,}"), data_reason=reason))
        said.append(markup.tag("div", *pictures, style="ts-pictures"))
    return markup.joined(said) if said else markup.quiet("nothing")


def _picture(view: ProjectView, folder: Path, found: Index, frame: Frame) -> markup.Markup:
    where = (view.name, folder.name, found.stamp, frame.number)
    words = f"{frame.name}: {frame.told['why']}"
    image = markup.tag("img", src=address(*where), alt=words, title=words, loading="lazy")
    return markup.tag("a", image, href=address(*where, "original"), target="_blank", rel="noopener")


def _hand(folder: Path, found: Index) -> markup.Markup:
    hand = frame_work.by_hand(folder)
    off = sum(each.kept and hand.get(each.name) is False for each in found.frames)
    on = sum(not each.kept and hand.get(each.name) is True for each in found.frames)
    left = len(found.frames) - sum(each.kept for each in found.frames) - on
    said = [f"{left:,} dropped by the screening"] * bool(left) + [f"{off:,} ticked off"] * bool(off)
    said += [f"{on:,} of the dropped ticked on"] * bool(on)
    return markup.text("; ".join(said)) if said else markup.quiet("nothing")
