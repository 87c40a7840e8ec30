"""The page *Gold*, for leads: settled items hidden among live work, people's answers to them, and who is stopped."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from app import markup, shell
from app.jobs import figure_requests
from app.reruns import pending_figures
from app.screens import Room, Screen
from app.services import Services
from app.widgets import confirm
from app.widgets.confirm import Confirmation
from domain.display_names import distinct_names
from domain.records import ProjectView
from domain.roles import Role
from domain.states import VERIFICATIONS, Stage
from extensions.gold import check_list, making, scores
from extensions.gold.check_list import GoldLine
from extensions.gold.check_rules import GoldStanding
from extensions.gold.item_action import stages_with_gold
from extensions.gold.scores import GoldScore

SCREEN = Screen(
    "Gold checks",
    place=215,
    room=Room.PEOPLE,
    role=Role.LEAD,
    part="gold",
    words="control attention hidden known answers honeypot quality",
)

WORDS = {
    GoldStanding.FEW: "too few answers",
    GoldStanding.GOOD: "good",
    GoldStanding.LOW: "warned",
    GoldStanding.STOPPED: "stopped",
}
DRAWN = 20
"""Default number of gold items that are drawn."""


def render(services: Services) -> None:
    """Draw people, items and the form for more gold, for each stage with gold."""
    view = shell.lead_of(services)
    shell.heading(
        "Gold",
        "Gold checks are settled items hidden among live work. Raters cannot recognize gold checks. The answers "
        "show how well raters work and never count as votes. People who open this page do not get these items as "
        "tasks.",
        made_up=view.made_up,
    )
    stages = stages_with_gold(view)
    if not stages:
        shell.show(
            markup.notice(
                "This project's schema has no gold checks in verification or grading. Add `gold` to one of these "
                "stages."
            )
        )
        return
    stage = stages[0]
    if len(stages) > 1:
        names = {view.schema.schema_.stages.title_of(stage): stage for stage in stages}
        chosen = st.segmented_control(
            "Stage", list(names), default=next(iter(names)), key="gold.stage", label_visibility="collapsed"
        )
        stage = names.get(str(chosen), stage)
    gold = gold_of(view, stage)
    shell.show(markup.paragraph(gold))
    _people(services, view, stage)
    _items(services, view, stage)
    _more(services, view, stage)


def _part(view: ProjectView, stage: Stage) -> object:
    return getattr(view.schema.schema_.stages, stage.value)


def gold_of(view: ProjectView, stage: Stage) -> str:
    """Return the schema's rules for gold in a sentence."""
    asked = getattr(_part(view, stage), "gold")  # noqa: B009 - the part is one of two kinds
    called = view.schema.schema_.stages.in_a_sentence(stage.value)
    sentence = f"{asked.rate:.0%} of a person's tasks in the {called} are gold checks"
    limits = []
    if asked.warn_below is not None:
        limits.append(f"people with less than {asked.warn_below:.0%} correct answers get a warning")
    if asked.stop_below is not None:
        limits.append(f"people with less than {asked.stop_below:.0%} correct answers get no more work")
    if limits:
        both = "both " if len(limits) > 1 else ""
        sentence += f"; {', and '.join(limits)}, {both}after {markup.count(asked.after, 'answer')}"
    return f"{sentence}."


# ---- people ----------------------------------------------------------------------------------------------------------


def _people(services: Services, view: ProjectView, stage: Stage) -> None:
    shell.section("People")
    gold_scores = scores.scores(services.store, by=services.person, project=view.name, stage=stage)
    if not gold_scores:
        shell.show(markup.notice("Nobody has answered a gold check yet."))
        return
    shell.show(people(gold_scores))
    name = f"{view.name}-{stage.value}-gold.csv"
    st.download_button("People as CSV", lambda: scores.as_csv(gold_scores), name, "text/csv", key="gold.csv")
    barred = [each for each in gold_scores if each.standing is GoldStanding.STOPPED]
    if not barred:
        return
    called = distinct_names({each.person: each.name for each in gold_scores})
    with st.form("gold.let", border=False):
        whom = st.selectbox(
            "Reinstate a stopped person", barred, format_func=lambda each: called[each.person], key="gold.who"
        )
        why = st.text_input("Reason to reinstate", key="gold.why")
        sent = st.form_submit_button("Reinstate", key="gold.go")
    if sent and whom is not None:
        scores.reinstate(
            services.store, by=services.person, project=view.name, login=whom.person, stage=stage, why=str(why)
        )
        st.rerun()


def people(found: Sequence[GoldScore]) -> markup.Markup:
    """Return a table with a line for each person."""
    heads = [("Person", ""), ("Right", "number"), ("Share, 95 % limits", ""), ("Skipped", "number"), ("Standing", "")]
    called = distinct_names({score.person: score.name for score in found})
    rows = []
    for score in found:
        share = markup.quiet("none yet")
        if score.low is not None and score.high is not None:
            share = markup.joined(
                [
                    markup.text(f"{score.right / score.n:.2f}"),
                    markup.quiet(f" {score.low:.2f} to {score.high:.2f}"),
                ]
            )
        since = f" (reinstated {score.since:%Y-%m-%d})" if score.since else ""
        rows.append(
            [
                markup.text(called[score.person]),
                markup.text(f"{score.right} of {score.n}"),
                share,
                markup.text(score.skipped),
                markup.joined([markup.text(WORDS[score.standing]), markup.quiet(since)]),
            ]
        )
    return markup.table(heads, rows)


# ---- the items -------------------------------------------------------------------------------------------------------


def _items(services: Services, view: ProjectView, stage: Stage) -> None:
    shell.section("Items")
    shell.tell_refused()
    checks = check_list.lines(services.store, by=services.person, project=view.name, stage=stage)
    if not checks:
        shell.show(markup.notice("There are no gold checks yet. Make gold checks below."))
        return
    shell.show(lines(checks, {known.id: known.title for known in view.schema.schema_.dimensions}))
    in_use = [check for check in checks if check.withdrawn is None]
    if not in_use:
        return
    with st.form("gold.withdraw", border=False, clear_on_submit=True):
        which = st.selectbox("Withdraw a wrong gold check", in_use, format_func=_name, key="gold.which")
        why = st.text_input("Reason for the withdrawal", key="gold.withdraw.why")
        sent = st.form_submit_button("Withdraw", key="gold.withdraw.go")
    if sent and which is not None:
        name = _name(which)
        question = Confirmation(
            f"Withdraw the gold check {name}?",
            "Raters no longer get this gold check, and its answers no longer count.",
            "You cannot undo this action.",
            f"Withdraw {name}",
        )
        confirm.ask(
            services,
            question,
            lambda: making.withdraw(services.store, by=services.person, gold=which.id, why=str(why)),
            key="gold.sure",
        )


def lines(found: Sequence[GoldLine], titles: Mapping[str, str]) -> markup.Markup:
    """Return a table with a line for each gold item, most wrong answers first, because their key may be wrong."""
    heads = [
        ("Item", ""),
        ("Dimension", ""),
        ("Right answer", ""),
        ("Answered right", "number"),
        ("Skipped", "number"),
        ("", ""),
    ]

    def wrong(line: GoldLine) -> tuple[bool, float, str]:
        return line.withdrawn is not None, line.right / line.n if line.n else 1.0, line.known.item

    rows = []
    for line in sorted(found, key=wrong):
        changed = "the item has changed"
        if line.known.model:
            changed += ", or the model's answer was withdrawn"
        state = "" if line.usable else f"{changed}, so raters no longer get this check"
        if line.withdrawn is not None:
            state = f"withdrawn: {line.withdrawn}"
        elif line.n >= 3 and 2 * line.right < line.n:
            state = state or "most raters answer this check incorrectly. Check whether the known answer is right."
        rows.append(
            [
                markup.text(_name(line)),
                markup.text(titles.get(line.known.dimension, line.known.dimension)),
                markup.text(_answers(line.known.answers)),
                markup.text(f"{line.right} of {line.n}"),
                markup.text(line.skipped),
                markup.quiet(state),
            ]
        )
    return markup.table(heads, rows)


def _name(line: GoldLine) -> str:
    return f"{line.known.item}, {line.known.model}" if line.known.model else line.known.item


def _answers(of: Mapping[str, object]) -> str:
    """Return the right answer in words. With several criteria, each value has its criterion's name."""
    if len(of) == 1:
        return _word(next(iter(of.values())))
    return ", ".join(f"{name.replace('_', ' ')}: {_word(value)}" for name, value in of.items())


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _more(services: Services, view: ProjectView, stage: Stage) -> None:
    shell.section("Make gold checks")
    asked = _candidates(services, view, stage)
    pending_figures.show_pending(
        services, asked, lambda: _candidates(services, view, stage), about="Possible gold checks are"
    )
    if asked.figure is not None:
        _draw(services, view, stage, asked.figure.value)
    st.caption(
        "`touchstone gold import` makes gold checks from your own answers, one per line. Use this command for known "
        "bad items."
    )


def _candidates(services: Services, view: ProjectView, stage: Stage) -> figure_requests.FigureState:
    """Return the number of candidates. They are counted again only if something has changed."""
    about: dict[str, Any] = {"by": services.person, "project": view.name}
    return figure_requests.request_figure(
        services.store,
        services.settings,
        "gold",
        {"project": view.name, "stage": stage},
        state=making.mark(services.store, **about),
        size=making.size(services.store, **about),
    )


def _draw(services: Services, view: ProjectView, stage: Stage, known: int) -> None:
    """Draw the form that turns some of the candidates into gold items."""
    shell.show(
        markup.paragraph(
            f"{markup.count(known, 'settled item is', 'settled items are')} unambiguous and can become gold checks."
            if stage in VERIFICATIONS
            else f"{markup.count(known, 'answer')} with unanimous grades {'is' if known == 1 else 'are'} not among "
            "the gold checks yet."
        )
    )
    if known:
        with st.form("gold.draw", border=False):
            number = st.number_input(
                "Number of gold checks",
                min_value=1,
                max_value=known,
                value=min(DRAWN, known),
                key="gold.number",
            )
            sent = st.form_submit_button("Draw them", key="gold.draw.go")
        if sent:
            making.draw(services.store, by=services.person, project=view.name, stage=stage, n=int(number))
            st.rerun()
