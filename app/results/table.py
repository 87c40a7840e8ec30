"""The table of the page Results: models by dimension or by another slice, with legend and downloads."""

from __future__ import annotations

import json

import streamlit as st

from app import addresses, markup, shell
from app.results import shown
from app.widgets import version_switch
from domain.records import ProjectView
from domain.replies import counted_reasons
from domain.states import Items
from workflow.results import clusters, people_rows, result_sections
from workflow.results import leaderboard as numbers
from workflow.results.leaderboard import SlicedScores
from workflow.results.leaderboard_lines import LeaderboardLine
from workflow.results.leaderboard_page import Leaderboard, Leaderboards
from workflow.results.slices import Bins


def leaderboard(
    view: ProjectView, cut: SlicedScores, *, sort: str, common: bool, bins: Bins, items: Items | None = None
) -> markup.Markup:
    """Return a table of models and slices. The color grows with the score."""
    models = sorted(cut.models) if sort == "model" else list(cut.models)
    slices = range(len(cut.slicing.labels))
    parts = [("Mean over " + cut.slicing.way.title.lower() + "s", "")] if cut.of_parts else []
    framed = any(line.way.frames for line in cut.whole.values())
    frames = [("Frames", "")] if framed else []
    heads = [
        ("Model", "name"),
        ("Mean over answers", ""),
        *frames,
        *parts,
        *((cut.slicing.title(at), "") for at in slices),
    ]
    rows = []
    for model in models:
        whole = cut.whole[model]
        asked = f"{whole.answered} of {whole.asked} answered" if whole.asked else "nothing asked"
        asked = people_rows.in_words(whole) if whole.respondents else asked
        name = markup.joined(
            [
                markup.tag("b", markup.text(model)),
                markup.tag("div", markup.quiet(asked), style="ts-small"),
                markup.tag("div", markup.quiet(whole.way.how), style="ts-small", data_part="way"),
                _unread(view, whole, items),
            ]
        )
        lines = [whole, *([cut.of_parts[model]] if cut.of_parts else []), *(cut.cells[model, at] for at in slices)]
        ends = (cut.low, cut.high)
        by = cut.slicing.way.name
        first, *more = (shown.cell(view, line, ends, by=by, common=common, bins=bins, items=items) for line in lines)
        rows.append([name, first, *([markup.text(whole.way.frames or "-")] if framed else []), *more])
    return shown.wide_table(heads, rows, part="leaderboard")


def loss_warning(cut: SlicedScores) -> markup.Markup:
    """Return the warning above the table, or nothing if the notes below are enough."""
    if cut.losses is None or not cut.losses.warns:
        return markup.Markup("")
    return markup.loss_line(cut.losses.warning)


def _unread(view: ProjectView, line: LeaderboardLine, items: Items | None) -> markup.Markup:
    """Return the unreadable answers of a model by outcome, with links to exactly those cases."""
    parts = [
        markup.tag(
            "div",
            markup.tag(
                "a",
                markup.text(counted_reasons({why: n})),
                href=addresses.cases(
                    view.name,
                    model=line.model,
                    show="unread",
                    outcome=why,
                    items=items,
                    reader=shown.other_reader(line.reader),
                ),
                target="_self",
            ),
            style="ts-small",
            data_part="unread",
        )
        for why, n in sorted(line.unread.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    if line.unread and line.lowest is not None and line.highest is not None:
        words = f"between {line.lowest:.3f} (all wrong) and {line.highest:.3f} (all right)"
        parts.append(markup.tag("div", markup.quiet(words), style="ts-small", data_part="bounds"))
    return markup.joined(parts)


def show_legend(cut: SlicedScores) -> None:
    """Draw the legend below the table, in sentences."""
    way = cut.slicing.way
    notes = []
    wrong = cut.scores.kind == "key" and any(line.unreadable == "wrong" for line in cut.whole.values())
    counts = "answers, refusals and empty answers" if wrong else "answers"
    if way.about:
        notes.append(f"{way.title}: {way.about}.")
    if cut.low is not None and cut.high is not None:
        notes.append(f"Scores range from {cut.low:g} to {cut.high:g}, and n is the number of {counts}.")
    together = (
        "treat items as independent"
        if cut.together == clusters.ALONE
        else f"account for dependence between items with the same {cut.together}"
    )
    notes.append(f"The 95 % intervals {together}.")
    if cut.of_parts:
        notes.append(
            f"The mean over {way.title.lower()}s gives each {way.title.lower()} the same weight, as in published"
            " tables. The mean over answers gives each answer the same weight."
        )
    if any(line.way.frames for line in cut.whole.values()):
        notes.append(
            "In the column Frames, 4 x 8 + 1 means 8 frames from each of the last 4 segments. The last "
            "number counts frames that replace missing images."
        )
    warning = cut.losses.warning if cut.losses is not None else ""  # already shown above the table
    notes += [note for note in cut.notes if note != warning]
    shell.show(
        markup.tag(
            "ul", *(markup.tag("li", markup.text(note)) for note in notes), style="ts ts-small", data_part="notes"
        )
    )


def show_downloads(view: ProjectView, found: Leaderboards, chosen: Leaderboard) -> None:
    """Draw the downloads of the table, with what sections add to it, as CSV and JSON."""
    cut = chosen.board
    reader = shown.other_reader(found.reader) if cut.scores.kind == "key" else None
    name = "-".join([view.name, "results", cut.scores.kind, *(part for part in (cut.scores.judge, reader) if part)])
    name += version_switch.in_name(found.schema_version)
    left, right, _ = st.columns([1, 1, 4])
    with left:
        shown.download(
            "CSV",
            lambda: numbers.as_csv([*cut.lines(), *result_sections.further_lines(chosen.sections)]),
            f"{name}.csv",
            key="results.csv",
            wide=True,
        )
    with right:
        shown.download(
            "JSON",
            lambda: json.dumps(
                numbers.as_json(found, [cut], [result_sections.json_of_board(chosen.sections)]),
                indent=2,
                ensure_ascii=False,
                allow_nan=False,
            ),
            f"{name}.json",
            key="results.json",
            wide=True,
        )
