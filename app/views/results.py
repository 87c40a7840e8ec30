"""Results: models by dimension or by any other slice of the items, from the key, people, judges, and judges corrected.

Every number stands with its interval and how many answers it rests on; from each the way leads to the cases behind it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from annotation_schemas.kinds import title_of
from annotation_schemas.reporting import cut_first
from app import figures, items_switch, markup, pending_figures, shell
from app.screens import Screen
from app.services import Services
from app.views import cases
from domain.attributes import size_of
from domain.errors import InvalidInput
from domain.records import RULES, ProjectView
from domain.roles import Role
from domain.states import Items
from workflow.results import (
    attributes,
    clusters,
    item_pairs,
    leaderboard_lines,
    leaderboard_page,
    people_rows,
    side_by_side,
    slice_contrasts,
)
from workflow.results import leaderboard as numbers
from workflow.results import win_rates as pairs
from workflow.results.item_pairs import PairedDifference
from workflow.results.leaderboard import Gap, SlicedScores
from workflow.results.leaderboard_lines import Line
from workflow.results.leaderboard_page import Leaderboard, Leaderboards
from workflow.results.model_groups import Grouping
from workflow.results.ranked_options import Ranked
from workflow.results.scores import METHODS, Scores
from workflow.results.side_by_side import Block
from workflow.results.slice_contrasts import Contrast
from workflow.results.slices import BINS, DIMENSION, Bins, edges_in_words, edges_of, similarity_of, texts, ways
from workflow.results.win_rates import Comparison

SCREEN = Screen("Results", place=230, role=Role.LEAD)

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

WIDE = {"tabindex": "0", "role": "region", "aria_label": "A table that scrolls sideways"}
"""A table may be wider than the page: its bar is always there, and the arrow keys move it."""
MANY_COLUMNS = 9
"""So many fit into a window of 1280 pixels."""
STYLE = """
html body [data-testid="stMainBlockContainer"] { max-width: 1640px !important; }
.ts-wide-table { overflow-x: auto; padding-bottom: .3rem; }
.ts-wide-table::-webkit-scrollbar { height: 12px; }
.ts-wide-table::-webkit-scrollbar-track { background: color-mix(in srgb, currentColor 10%, transparent); }
.ts-wide-table::-webkit-scrollbar-thumb { background: color-mix(in srgb, currentColor 55%, transparent);
  border-radius: 6px; }
.ts-wide-table:focus-visible { outline: 2px solid currentColor; }
.ts-wide-table :is(th, td):first-child { position: sticky; left: 0; z-index: 1;
  background: light-dark(#fbfbfa, #14181a); }
.ts-wide-table .ts-heat { min-width: 4.7rem; padding: .3rem .2rem; }
.ts-wide-table .ts-heat small { white-space: pre-line; line-height: 1.3; }
.ts-wide-table td.name { min-width: 9rem; width: auto; }
.ts-wide-table th { padding-right: .4rem; vertical-align: bottom; }
"""

ALIKE = "~"
"""The choice of two texts to be compared."""


def render(services: Services) -> None:
    """Choose what scores and what cuts, read the table, go on to the cases."""
    view = shell.lead_of(services)
    shell.heading(
        "Results",
        "What models' answers are worth. The unit is an answer of a model to an item; every number has its interval and"
        " says how many answers it rests on.",
        made_up=view.made_up,
    )
    items = items_switch.switch(services, view, key="results.items")
    place = st.empty()
    with place.container():
        left, wanted, sort = _choices(services, view)

    def ask() -> figures.Asked:
        return _asked(services, view, {**wanted, "items": items})

    asked = ask()
    pending_figures.show_pending(services, asked, ask, about="What the answers are worth is")
    known = f"results.titles.{view.name}"
    if asked.figure is None:
        with left:  # what was chosen stays chosen while there is nothing to show of it
            _scores(view, st.session_state.get(known, ()))
        return
    found: Leaderboards = asked.figure.value
    titles = st.session_state[known] = list(found.titles.values())
    if not found.models:
        place.empty()
        shell.show(markup.notice("No model has answered yet. Run one on Models, or import answers from files."))
        return
    if not found.titles:
        place.empty()
        shell.show(
            markup.notice(
                f"{found.n_answers} answers are there, and nothing that scores them: no key that is one of a closed "
                "set of options, no grades of people and none of a judge."
            )
        )
        _compared(found)
        return
    there = list(found.titles)
    with left:
        at = _scores(view, titles)
    common, bins = wanted["common"], wanted["bins"]
    chosen = found.of[there[at]]
    cut = chosen.board
    shell.show(
        markup.Markup(f"<style>{STYLE}</style>"),
        markup.tag("p", markup.tag("b", markup.text(cut.title)), style="ts", data_part="title"),
        leaderboard(view, cut, sort=sort, common=common, bins=bins, items=items),
    )
    _legend(cut)
    _downloads(view, found, chosen)
    _groups(chosen)
    _said_of_models(found)
    _paired(view, found, cut)
    _differences(view, found, chosen, common, items)
    _beside(view, found, cut, common=common, bins=bins, items=items)
    _slices(chosen)
    _ranked(found)
    _compared(found)


def _asked(services: Services, view: ProjectView, wanted: dict[str, Any]) -> figures.Asked:
    """What the page shows (``leaderboards``), worked out again only if there is something new since."""
    about: dict[str, Any] = {"person": services.person, "project": view.name}
    return figures.asked(
        services.store,
        services.settings,
        "results",
        {"project": view.name, **wanted},
        state=leaderboard_page.mark(services.store, **about),
        size=leaderboard_page.size(services.store, **about),
    )


# ---- what is asked ---------------------------------------------------------------------------------------------------


def _scores(view: ProjectView, titles: Sequence[str]) -> int:
    """The place of what scores, of what there is."""
    key = f"results.scores.{view.name}"
    return st.selectbox("Scores", range(len(titles)), format_func=titles.__getitem__, key=key) or 0 if titles else 0


def _choices(services: Services, view: ProjectView) -> tuple[DeltaGenerator, dict[str, Any], str]:
    """The place for the choice of scores, what is asked for next to it (arguments of ``leaderboards``), and the order
    of the models."""
    schema = view.schema.schema_
    of_models, of_items = attributes.names_in(services.store, person=services.person, project=view.name)
    known = {each.name: each.title for each in ways(schema, of_items)}
    compared = {field.name: title_of(field) for field in texts(schema)}
    if len(compared) > 1:
        known[ALIKE] = "Words that two texts have in common"
    left, middle, right, compare, last = st.columns([3, 2.4, 2, 1.5, 1.2], vertical_alignment="bottom")
    with middle:
        cut = cut_first(schema)
        usual = list(known).index(cut.value) if cut else 0
        by = st.selectbox("Slice by", list(known), usual, format_func=known.__getitem__, key=f"results.by.{view.name}")
    with right:
        sort = st.selectbox("Sort by", ["mean", "model"], format_func=SORTS.__getitem__, key="results.sort")
    reader: str | None = None
    with last, st.popover("More", width="stretch"):
        method = st.selectbox(
            "Judges are corrected by", list(METHODS), format_func=METHODS.__getitem__, key="results.method"
        )
        fields = [field.name for field in schema.item.fields]
        together = st.selectbox(
            "Clusters of items",
            [None, clusters.ALONE, "source", *fields],
            format_func=lambda name: TOGETHER.get(name, str(name)),
            key=f"results.together.{view.name}",
            help="Items of one video are not independent; the intervals take this into account.",
        )
        readers = leaderboard_page.readers_of(services.store, person=services.person, project=view.name)
        if len(readers) > 1:
            reader = st.selectbox("Answers are read by", readers, key=f"results.reader.{view.name}")
        bins = cuts(f"results.{view.name}")
        common = st.toggle("Only items that every model has answered", key="results.common")
    with compare, st.popover("Compare", width="stretch"):
        models_by = _models_by(view, of_models) if of_models else None
        paired = _pairs_by(view, list(dict.fromkeys([*of_items, *fields])))
    if by == ALIKE:
        one, other = st.columns(2)
        names = list(compared)
        with one:
            first = st.selectbox("First text", names, format_func=compared.__getitem__, key=f"results.a.{view.name}")
        with other:
            rest = [name for name in names if name != first]
            second = st.selectbox("Second text", rest, format_func=compared.__getitem__, key=f"results.b.{view.name}")
        by = similarity_of(first or names[0], second or rest[0], schema).name
    wanted = {
        "reader": reader or RULES,
        "by": by or DIMENSION.name,
        "together": together,
        "common": common,
        "bins": bins,
        "method": method or "ppi",
        "models_by": models_by,
        "paired": paired,
    }
    return left, wanted, sort or "mean"


def cuts(key: str, before: Bins = BINS) -> Bins:
    """Into how many slices numbers are cut, or where; ``before`` stands there at first."""
    number, text = (before, "") if isinstance(before, int) else (BINS, edges_in_words(before))
    bins = st.number_input("Slices of numbers", 2, 12, number, key=f"{key}.bins")
    edges = st.text_input(
        "Slices of numbers begin at",
        text,
        key=f"{key}.edges",
        placeholder="such as 1,5,9",
        help="Numbers from low to high with commas between. Empty: slices of about the same size.",
    )
    if not (edges or "").strip():
        return int(bins)
    try:
        return edges_of(edges)
    except InvalidInput as error:
        shell.show(markup.notice(str(error)))
        return int(bins)


def _models_by(view: ProjectView, names: Sequence[str]) -> str | None:
    """What models are grouped by, as the command takes it."""
    chosen = [
        st.selectbox(title, [None, *names], format_func=lambda each: each or "none", key=f"results.{key}.{view.name}")
        for title, key in (("Groups of models by", "models_by"), ("Within each", "models_within"))
    ]
    if chosen[0] is None:
        return None
    limits = st.text_input("Limits of the groups, such as 10B", key=f"results.limits.{view.name}").strip()
    odd = next((each for each in limits.split(",") if limits and size_of(each) is None), None)
    if odd is not None:
        shell.show(markup.notice(f"{odd.strip()!r} is no number such as 10 or 10B."))
        limits = ""
    path = f"{chosen[1]}/{chosen[0]}" if chosen[1] not in (None, chosen[0]) else chosen[0]
    return f"{path}:{limits}" if limits else path


def _pairs_by(view: ProjectView, names: Sequence[str]) -> tuple[str, str] | None:
    """Which fields or labels name pairs of items and their variants, as chosen; before that as the schema says."""
    own = view.schema.schema_.report.pairs
    usual = {"pair": own.pair, "variant": own.variant} if own else {}
    chosen = [
        st.selectbox(
            title,
            [None, *names],
            format_func=lambda each: each or "none",
            index=[None, *names].index(usual.get(key)),
            key=f"results.by_{key}.{view.name}",
        )
        for title, key in (("Pairs of items share their", "pair"), ("Variants differ in their", "variant"))
    ]
    return (chosen[0], chosen[1]) if chosen[0] and chosen[1] and chosen[0] != chosen[1] else None


SORTS = {"mean": "mean, the highest first", "model": "name of the model"}
TOGETHER: dict[str | None, str] = {
    None: "source, where items share one",
    clusters.ALONE: "none: each item stands for itself",
    "source": "source",
}


# ---- the leaderboard -------------------------------------------------------------------------------------------------


def leaderboard(
    view: ProjectView, cut: SlicedScores, *, sort: str, common: bool, bins: Bins, items: Items | None = None
) -> markup.Markup:
    """Models down, slices across; colour grows with the score."""
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
        first, *more = (_cell(view, line, ends, by=by, common=common, bins=bins, items=items) for line in lines)
        rows.append([name, first, *([markup.text(whole.way.frames or "-")] if framed else []), *more])
    return _wide(heads, rows, part="leaderboard")


def _wide(heads: Sequence[tuple[str, str]], rows: Sequence[Sequence[markup.Markup]], *, part: str) -> markup.Markup:
    """A table that scrolls sideways where the window is narrow, and says so where it has many columns."""
    drawn = markup.tag("div", markup.table(heads, rows), style="ts-wide-table", data_part=part, **WIDE)
    if len(heads) <= MANY_COLUMNS:
        return drawn
    words = f"{len(heads)} columns: where they do not fit, the table scrolls sideways, also with the arrow keys."
    return markup.joined([drawn, markup.tag("p", markup.quiet(words), style="ts ts-small")])


def _unread(view: ProjectView, line: Line, items: Items | None) -> markup.Markup:
    """What of a model's answers could not be read, by outcome; each leads to exactly those cases."""
    parts = [
        markup.tag(
            "div",
            markup.tag(
                "a",
                markup.text(f"{n} {why}"),
                href=cases.address(
                    view.name,
                    model=line.model,
                    show="unread",
                    outcome=why,
                    items=items,
                    reader=_other(line.reader),
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


def _other(reader: str | None) -> str | None:
    return None if reader in (None, RULES) else reader


def _cell(
    view: ProjectView,
    line: Line,
    ends: tuple[float | None, float | None],
    *,
    by: str,
    common: bool,
    bins: Bins = BINS,
    items: Items | None = None,
    count: int | None = None,
) -> markup.Markup:
    """A number with its interval and the answers it rests on (``count``: how many of them score 1); it leads to the
    cases behind it."""
    at = line.found
    if not at.defined and not line.asked:
        return markup.quiet("-")
    href = cases.address(
        view.name,
        scores=line.scores,
        model=None if line.respondents else line.model,  # of all people together there are no cases
        by=by if line.part is not None else None,
        part=line.part,
        **(cases.cut_at(bins) if line.part is not None else {}),
        common="1" if common else None,
        items=items,
        reader=_other(line.reader),
    )
    return _number(line, ends, href=href, count=count)


def _number(
    line: Line, ends: tuple[float | None, float | None], *, href: str = "", count: int | None = None
) -> markup.Markup:
    at = line.found
    if not at.defined:
        return markup.heat(None, "-", f"n {at.n_units}", href=href, title=tooltip(line))
    limits = "no interval" if math.isnan(at.low) else f"{at.low:.2f} to {at.high:.2f}"
    low, high = ends
    strength = None if low is None or high is None or high <= low else (at.value - low) / (high - low)
    rests = f"n {at.n_units}" if count is None else f"{count} of {at.n_units}"
    return markup.heat(strength, f"{at.value:.2f}", f"{limits}\n{rests}", href=href, title=tooltip(line))


def tooltip(line: Line) -> str:
    """A number with everything that it needs, for anyone who points at it."""
    at = line.found
    parts = []
    if at.defined:
        parts.append(f"{at.value:.4f}")
        parts.append(
            f"95 % interval {at.low:.4f} to {at.high:.4f} ({at.method})" if not math.isnan(at.low) else str(at.reason)
        )
    else:
        parts.append(f"Undefined: {at.reason}")
    parts.append(markup.count(at.n_units, "item" if line.scores.kind == "key" else "answer"))
    if line.unread:
        then = "count as wrong" if line.unreadable == "wrong" else "are left out"
        parts.append(
            f"{sum(line.unread.values())} could not be read and {then}: "
            + leaderboard_lines.reasons_in_words(line.unread)
        )
    if line.scores.kind == "corrected" and at.defined:
        parts.append(f"{line.people} graded by people and the judge; assumes: {line.valid_if}")
    if line.left_out:
        parts.append(f"left out: {leaderboard_lines.reasons_in_words(line.left_out)}")
    if line.failed:
        parts.append(f"the judge scored {at.n_units} of {at.n_units + line.failed} that it was asked about")
    if line.lowest is not None and line.highest is not None:
        rest = "replies without a score" if line.failed else "unread and unanswered ones"
        rest = rest if line.unread or line.failed else "unanswered ones"
        parts.append(f"with the {rest} at their worst {line.lowest:.4f}, at their best {line.highest:.4f}")
    return "; ".join(parts)


def _legend(cut: SlicedScores) -> None:
    way = cut.slicing.way
    said = []
    wrong = cut.scores.kind == "key" and any(line.unreadable == "wrong" for line in cut.whole.values())
    counts = "answers, and items that a model refused or answered with nothing" if wrong else "answers"
    if way.about:
        said.append(f"{way.title}: {way.about}.")
    if cut.low is not None and cut.high is not None:
        said.append(f"Scores go from {cut.low:g} to {cut.high:g}; n counts {counts}.")
    together = (
        "every item stands for itself"
        if cut.together == clusters.ALONE
        else f"items of one {cut.together} belong together"
    )
    said.append(f"Intervals of 95 %; in them {together}.")
    if cut.of_parts:
        said.append(
            f"In the mean over {way.title.lower()}s each {way.title.lower()} counts alike, as in published tables; in "
            "the mean over answers each answer does."
        )
    if any(line.way.frames for line in cut.whole.values()):
        said.append(
            "Frames: the last segments of a clip x frames of each + frames that stand for the observation where there "
            "is no image of it."
        )
    said += cut.notes
    shell.show(
        markup.tag(
            "ul", *(markup.tag("li", markup.text(each)) for each in said), style="ts ts-small", data_part="notes"
        )
    )


def _groups(chosen: Leaderboard) -> None:
    if chosen.groups is None:
        return
    shell.section(f"Models by {chosen.groups.by.title}")
    shell.show(group_table(chosen.board, chosen.groups))
    if chosen.groups.gaps:
        shell.show(gap_table([Gap(each.group, each.first, each.difference) for each in chosen.groups.gaps], first=True))
    told = [
        "Every model of a group counts alike. Intervals are over items: they say what other items would give with these"
        " models, and nothing of other models.",
        *(
            f"{each.group} less {each.first}: {markup.count(each.left_out, 'item')} left out, as not all of these"
            " models have a score on them."
            for each in chosen.groups.gaps
            if each.left_out
        ),
        *chosen.groups.notes,
    ]
    shell.show(markup.tag("ul", *(markup.tag("li", markup.text(each)) for each in told), style="ts ts-small"))


def group_table(cut: SlicedScores, found: Grouping) -> markup.Markup:
    """Groups down, slices across, each number with the interval that is drawn for the mean over answers."""
    known = [each for group in found.groups for each in (group.whole.found.low, group.whole.found.high) if each == each]
    ends = (
        (cut.low, cut.high)
        if cut.low is not None and cut.high is not None
        else (min(known, default=0), max(known, default=1))
    )
    parts = [("Mean over " + cut.slicing.way.title.lower() + "s", "")] if cut.of_parts else []
    slices = [(cut.slicing.title(at), "") for at in range(len(cut.slicing.labels))]
    heads = [("Models", "name"), (f"{ends[0]:g} to {ends[1]:g}", ""), ("Mean over answers", ""), *parts, *slices]
    rows = []
    for group in found.groups:
        models = group.whole.models
        about = markup.tag(
            "div", markup.quiet(markup.count(len(models), "model")), style="ts-small", title=", ".join(models)
        )
        lines = [group.whole, *([group.of_parts] if group.of_parts else []), *group.cells]
        rows.append(
            [
                markup.joined([markup.tag("b", markup.text(group.label)), about]),
                _drawn(group.whole, ends),
                *(_number(line, ends) for line in lines),
            ]
        )
    return _wide(heads, rows, part="groups")


def _paired(view: ProjectView, found: Leaderboards, cut: SlicedScores) -> None:
    """The chosen score on variants of the same items."""
    rows = found.pairs.get(cut.title, ())
    if not rows:
        return
    shell.section("Variants of the same items, pair by pair")
    shell.show(pair_table(rows))
    st.download_button(
        "Pairs as CSV",
        lambda: item_pairs.as_csv([row for lot in found.pairs.values() for row in lot]),
        f"{view.name}-results-pairs.csv",
        "text/csv",
        key="results.pairs",
        on_click="ignore",
    )


def pair_table(rows: Sequence[PairedDifference]) -> markup.Markup:
    """Each model's difference between two variants, with how many pairs it rests on and what was left out."""
    known = [each for row in rows for each in (row.difference.low, row.difference.high, row.difference.value)]
    drawn = [each for each in known if not math.isnan(each)]
    ends = (min([*drawn, -0.01]), max([*drawn, 0.01]))
    heads = [
        ("Model", "name"),
        ("Variants", ""),
        ("Means", "number"),
        ("Difference", "number"),
        ("95 % interval", "number"),
        (f"{ends[0]:.2f} to {ends[1]:.2f}", "wide"),
        ("Pairs", "number"),
        ("Higher, lower, equal", "number"),
        ("p (Holm)", "number"),
        ("Left out", ""),
    ]
    shown = []
    for row in rows:
        at = row.difference
        limits = not math.isnan(at.low)
        p = f"{row.p_adjusted:.3f}, {item_pairs.TESTS[at.test.name]}" if at.test else "-"
        shown.append(
            [
                markup.tag("b", markup.text(row.model)),
                markup.text(f"{row.second} less {row.first}"),
                markup.text(f"{row.means[1]:.2f} less {row.means[0]:.2f}" if at.defined else "-"),
                markup.text(f"{at.value:+.3f}" if at.defined else "-"),
                markup.text(f"{at.low:+.3f} to {at.high:+.3f}" if limits else "-"),
                markup.interval(at.value, at.low if limits else None, at.high if limits else None, ends=ends)
                if at.defined
                else markup.quiet("undefined"),
                markup.text(at.n_units),
                markup.text(f"{row.higher}, {row.lower}, {row.equal}"),
                markup.text(p),
                markup.quiet(leaderboard_lines.reasons_in_words(row.left_out) or "none"),
            ]
        )
    return _wide(heads, shown, part="pairs")


def _said_of_models(found: Leaderboards) -> None:
    names = attributes.names(found.attributes.values())
    if not names:
        return
    with st.expander(f"What is said of the models ({len(found.attributes)})"):
        heads = [("Model", "name"), *((name.replace("_", " "), "") for name in names)]
        rows = [
            [markup.tag("b", markup.text(model)), *(markup.text(own.get(name, "-")) for name in names)]
            for model, own in sorted(found.attributes.items())
        ]
        shell.show(_wide(heads, rows, part="models"))


def _downloads(view: ProjectView, found: Leaderboards, chosen: Leaderboard) -> None:
    cut = chosen.board
    of_groups = chosen.groups.lines() if chosen.groups else []
    reader = _other(found.reader) if cut.scores.kind == "key" else None
    name = "-".join([view.name, "results", cut.scores.kind, *(each for each in (cut.scores.judge, reader) if each)])
    left, right, _ = st.columns([1, 1, 4])
    with left:
        st.download_button(
            "CSV",
            lambda: numbers.as_csv([*cut.lines(), *of_groups]),
            f"{name}.csv",
            "text/csv",
            key="results.csv",
            width="stretch",
            on_click="ignore",
        )
    with right:
        st.download_button(
            "JSON",
            lambda: json.dumps(
                numbers.as_json(found, [cut], [of_groups] if chosen.groups else ()),
                indent=2,
                ensure_ascii=False,
                allow_nan=False,
            ),
            f"{name}.json",
            "application/json",
            key="results.json",
            width="stretch",
            on_click="ignore",
        )


# ---- models next to each other
# ----------------------------------------------------------------------------------------


def _differences(
    view: ProjectView, found: Leaderboards, chosen: Leaderboard, common: bool, items: Items | None
) -> None:
    if chosen.gaps:
        shell.section(f"Next to {chosen.gaps[0].first}, on the same items")
        shell.show(gap_table(chosen.gaps))
    if len(found.titles) > 1:
        shell.section("Every way of scoring, mean over answers")
        heads = [("Model", "name"), *((title, "") for title in found.titles.values())]
        rows = [
            [
                markup.tag("b", markup.text(model)),
                *(
                    _cell(view, found.overview[model, each], found.ends[each], by="", common=common, items=items)
                    for each in found.titles
                ),
            ]
            for model in chosen.board.models
        ]
        shell.show(_wide(heads, rows, part="overview"))


def _beside(
    view: ProjectView, found: Leaderboards, cut: SlicedScores, *, common: bool, bins: Bins, items: Items | None
) -> None:
    """The criteria next to each other, as the chosen rater scores them: against the key, as people do."""
    blocks = side_by_side.blocks([each.board for each in found.of.values()])
    of = cut.scores
    wanted = ("human" if of.kind == "key" else of.kind, of.judge, of.method)
    block = next((each for each in blocks if (each.scores.kind, each.scores.judge, each.scores.method) == wanted), None)
    if block is None:
        return
    shell.section(f"Criteria side by side: {block.title}")
    shell.show(beside_table(view, block, cut, found.ends, common=common, bins=bins, items=items))
    st.download_button(
        "Side by side as CSV",
        lambda: side_by_side.as_csv(blocks),
        f"{view.name}-results-side-by-side.csv",
        "text/csv",
        key="results.beside",
        on_click="ignore",
    )


def beside_table(
    view: ProjectView,
    block: Block,
    cut: SlicedScores,
    ends: Mapping[Scores, tuple[float | None, float | None]],
    *,
    common: bool,
    bins: Bins,
    items: Items | None = None,
) -> markup.Markup:
    """A row for each model and slice, a column for each criterion; with how many answers have it, of how many."""
    way = cut.slicing.way
    criteria = [(name.replace("_", " ").capitalize(), "") for name in block.criteria]
    heads = [("Model", "name"), (way.title, ""), *criteria]
    titles: dict[str | None, str] = dict(block.titles) | {None: "all"}
    rows = []
    for row in block.rows:
        part = f"mean over {way.title.lower()}s" if row.over == "parts" else titles[row.part]
        cells = [
            _cell(
                view,
                line,
                ends[line.scores],
                by=way.name,
                common=common,
                bins=bins,
                items=items,
                count=row.counts.get(name),
            )
            if (line := row.lines.get(name))
            else markup.quiet("-")
            for name in block.criteria
        ]
        rows.append([markup.tag("b", markup.text(row.model)), markup.text(part), *cells])
    return _wide(heads, rows, part="side-by-side")


def gap_table(pairs: Sequence[Gap], *, first: bool = False) -> markup.Markup:
    """How far each model stays behind the first one; ``first`` where that is not the same for all."""
    known = [each for pair in pairs for each in (pair.difference.low, pair.difference.high, pair.difference.value)]
    drawn = [each for each in known if not math.isnan(each)]
    ends = (min([*drawn, -0.01]), max([*drawn, 0.01]))
    heads = [
        ("Model", "name"),
        ("Difference", "number"),
        ("95 % interval", "number"),
        (f"{ends[0]:.2f} to {ends[1]:.2f}", "wide"),
        ("Items", "number"),
        ("Remark", ""),
    ]
    rows = []
    for pair in pairs:
        at = pair.difference
        limits = not math.isnan(at.low)
        rows.append(
            [
                markup.text(f"{pair.model} less {pair.first}" if first else pair.model),
                markup.text(f"{at.value:+.3f}" if at.defined else "-"),
                markup.text(f"{at.low:+.3f} to {at.high:+.3f}" if limits else "-"),
                markup.interval(at.value, at.low if limits else None, at.high if limits else None, ends=ends)
                if at.defined
                else markup.quiet("undefined"),
                markup.text(at.n_units),
                markup.quiet(at.reason or at.method),
            ]
        )
    return markup.tag("div", markup.table(heads, rows), data_part="gaps")


# ---- slices ----------------------------------------------------------------------------------------------------------


def _slices(chosen: Leaderboard) -> None:
    cut = chosen.board
    if len(cut.slicing.labels) < 2:
        return
    shell.section(f"By {cut.slicing.way.title.lower()}")
    shell.show(chart(cut))
    tests = chosen.contrasts
    if not tests:
        if cut.scores.kind == "corrected":
            shell.show(markup.tag("p", markup.quiet("Corrected numbers of slices are not tested."), style="ts"))
        return
    shell.show(markup.tag("p", markup.text(slice_contrasts.on_chance(tests)), style="ts", data_part="chance"))
    with st.expander(f"Each slice next to the model's other answers ({len(tests)} lines)"):
        shell.show(contrast_table(cut, tests))


def chart(cut: SlicedScores) -> markup.Markup:
    """Every slice with a drawn interval for each model, all on one axis."""
    models = list(cut.models)[:MOST_MODELS]
    ends = (cut.low, cut.high) if cut.low is not None and cut.high is not None and cut.low < cut.high else _ends(cut)
    heads = [(cut.slicing.way.title, "name"), *((f"{model}, {ends[0]:g} to {ends[1]:g}", "") for model in models)]
    rows = []
    for at in range(len(cut.slicing.labels)):
        lines = [cut.cells[model, at] for model in models]
        name = markup.joined([markup.text(cut.slicing.title(at)), markup.tag("div", _n(lines), style="ts-small")])
        rows.append([name, *(_drawn(line, ends) for line in lines)])
    more = len(cut.models) - len(models)
    after = [markup.quiet(f"The {len(models)} models with the highest means; the table above has all.")] if more else []
    return markup.tag("div", markup.table(heads, rows), *after, style="ts-wide-table", data_part="slices", **WIDE)


MOST_MODELS = 5
"""As many as fit next to each other."""


def _n(lines: Sequence[Line]) -> markup.Markup:
    numbers_of = {line.found.n_units for line in lines}
    least, most = min(numbers_of), max(numbers_of)
    return markup.quiet(f"n {least}" if least == most else f"n {least} to {most}")


def _ends(cut: SlicedScores) -> tuple[float, float]:
    known = [
        each
        for line in cut.cells.values()
        for each in (line.found.value, line.found.low, line.found.high)
        if not math.isnan(each)
    ]
    return (min(known), max(known)) if known and min(known) < max(known) else (0.0, 1.0)


def _drawn(line: Line, ends: tuple[float, float]) -> markup.Markup:
    at = line.found
    if not at.defined:
        return markup.tag("span", markup.quiet("-"), title=tooltip(line))
    known = not math.isnan(at.low)
    drawn = markup.interval(at.value, at.low if known else None, at.high if known else None, ends=ends)
    return markup.tag("div", drawn, title=tooltip(line))


def contrast_table(cut: SlicedScores, tests: Sequence[Contrast]) -> markup.Markup:
    """How far each slice is from the others."""
    heads = [
        ("Model", ""),
        (cut.slicing.way.title, ""),
        ("Difference to the other answers", "number"),
        ("95 % interval", "number"),
        ("p (Holm)", "number"),
        ("Answers", "number"),
    ]
    rows = []
    for each in tests:
        at = each.difference
        limits = "-" if math.isnan(at.low) else f"{at.low:+.3f} to {at.high:+.3f}"
        p = "-" if math.isnan(each.p_adjusted) else "< 0.001" if each.p_adjusted < 0.001 else f"{each.p_adjusted:.3f}"
        rows.append(
            [
                markup.text(each.model),
                markup.text(cut.slicing.title(each.at)),
                markup.text("-" if math.isnan(at.value) else f"{at.value:+.3f}"),
                markup.text(limits),
                markup.text(p),
                markup.text(cut.cells[each.model, each.at].found.n_units),
            ]
        )
    return markup.table(heads, rows)


# ---- comparisons ----------------------------------------------------------------------------------------------------


def _compared(found: Leaderboards) -> None:
    if found.compared:
        shell.section("Comparisons of two models")
        shell.show(comparison_table(found.compared))


def comparison_table(compared: Sequence[Comparison]) -> markup.Markup:
    """How often each model's answers win against another's, by each judge that compares."""
    heads = [
        ("Judge", "name"),
        ("Model", "name"),
        ("Against", "name"),
        ("Win rate", ""),
        ("Won", ""),
        ("Lost", ""),
        ("Even", ""),
        ("By position", ""),
        ("Left out", ""),
        ("Lowest to highest", ""),
    ]
    rows = []
    for each in compared:
        at = each.rate
        limits = "" if math.isnan(at.low) else f"{at.low:.2f} to {at.high:.2f} · "
        shown = f"{at.value:.2f}" if at.defined else "-"
        left_out = each.failed + each.waiting + each.earlier
        rows.append(
            [
                markup.text(each.judge),
                markup.tag("b", markup.text(each.model)),
                markup.text(each.baseline),
                markup.heat(at.value if at.defined else None, shown, f"{limits}n {each.n}", title=pairs.sentence(each)),
                *(markup.text(str(n)) for n in (each.wins, each.losses, each.ties, each.inconsistent, left_out)),
                markup.text(f"{each.lowest:.2f} to {each.highest:.2f}" if each.n else "-"),
            ]
        )
    note = (
        "Both orders of a pair are one comparison: won or lost where both replies prefer the same answer, even where"
        " both say so, by position where they differ. Even and by position count half. Left out: a reply without a"
        " verdict, an order that was not asked, an answer that was given anew since; lowest and highest are the rate if"
        " those were all lost, or won."
    )
    return markup.tag("div", markup.table(heads, rows), markup.quiet(note), data_part="comparisons")


# ---- ranked options --------------------------------------------------------------------------------------------------


def _ranked(found: Leaderboards) -> None:
    if found.ranked is not None:
        shell.section("Ranked options, by every score")
        for warning in found.ranked.warnings:
            shell.show(markup.notice(warning, style="bad"))
        shell.show(ranked_table(found.ranked))


def ranked_table(ranked: Ranked) -> markup.Markup:
    """The accuracy that each model would have under every score of its likelihoods."""
    heads = [("Model", "name"), *((name.replace("_", " "), "") for name in ranked.scores), ("Winner depends", "")]
    rows = []
    for model in sorted(ranked.depends):
        row = [markup.tag("b", markup.text(model))]
        for name in ranked.scores:
            line = ranked.by_score.get((model, name))
            if line is None:
                row.append(markup.quiet("not scored so"))
                continue
            at = line.found
            limits = "" if math.isnan(at.low) else f"{at.low:.2f} to {at.high:.2f} · "
            used = ", its answers" if ranked.used.get(model) == name else ""
            shown = f"{at.value:.2f}" if at.defined else "-"
            row.append(
                markup.heat(
                    at.value if at.defined else None, shown, f"{limits}n {at.n_units}{used}", title=tooltip(line)
                )
            )
        n, of = ranked.depends[model]
        row.append(markup.text(f"on {n} of {of} items"))
        rows.append(row)
    return markup.tag("div", markup.table(heads, rows), data_part="ranked")
