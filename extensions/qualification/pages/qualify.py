"""The page *Qualification*: a person's own tries; for seniors, the matrix of people and items; for leads, the set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from annotation_schemas.model import Qualification
from app import markup, shell
from app.labels import stage_title
from app.screens import Room, Screen, working_page
from app.services import Services
from app.widgets import confirm
from app.widgets.confirm import Confirmation
from domain.display_names import distinct_names
from domain.language import _, ngettext
from domain.qualification import Standing
from domain.records import ProjectView
from domain.roles import Role, at_least
from domain.states import Stage
from extensions.qualification import results, sets, tries
from extensions.qualification.item_action import stages_to_qualify_for
from workflow.access import memberships
from workflow.annotate import qualification

SCREEN = Screen(
    "Qualification",
    place=210,
    room=Room.PEOPLE,
    room_below=Room.MY_WORK,
    part="qualification",
    words="qualify test exam entry training onboarding practice",
)

WORDS = {
    Standing.OPEN: "not finished",
    Standing.HANDED_IN: "waits for seniors",
    Standing.PASSED: "passed",
    Standing.FAILED: "not passed",
    Standing.SENT_BACK: "sent back",
}
SIGNS = {True: "✓", False: "✗", None: "?"}
"""Signs next to the colors: right, wrong, undecided."""


def render(services: Services) -> None:
    """Draw the person's own tries, and the parts for seniors and leads."""
    view = shell.project(services)
    asked: dict[Stage, Qualification] = {
        stage: getattr(view.schema.schema_.stages, stage.value).qualification for stage in stages_to_qualify_for(view)
    }
    mine = [stage for stage in asked if view.stages is None or stage in view.stages]
    shell.heading(_("Qualify"), _("Answer this set of items to get access to a stage."), made_up=view.made_up)
    if not asked:
        shell.show(markup.notice(_("This project requires no qualification.")))
        return
    if not mine:
        shell.show(markup.notice(_("None of your stages requires a qualification.")))
        return
    stage = _stage(view, mine)
    _own_try(services, view, stage, asked[stage])
    if at_least(view.role, Role.SENIOR):
        _seniors(services, view, stage)
    if at_least(view.role, Role.LEAD):
        _lead(services, view, stage, asked[stage].items)


def _stage(view: ProjectView, stages: Sequence[Stage]) -> Stage:
    """Return the page's stage: the only stage, the stage in the address, or the chosen one."""
    if len(stages) == 1:
        return stages[0]
    named = [stage for stage in stages if stage.value == st.query_params.get("stage")]
    chosen = st.segmented_control(
        _("Stage"),
        list(stages),
        default=(named or list(stages))[0],
        format_func=lambda each: stage_title(view.schema.schema_, each),
        key="qualify.stage",
    )
    return chosen or (named or list(stages))[0]


# ---- own tries -------------------------------------------------------------------------------------------------------


def _own_try(services: Services, view: ProjectView, stage: Stage, asked: Qualification) -> None:
    mine = tries.own_tries(services.store, person=services.person, project=view.name, stage=stage)
    last = mine[-1] if mine else None
    if last is not None:
        shell.show(markup.notice(standing(last), style="good" if last.state is Standing.PASSED else ""))
        if last.wait:
            shell.show(markup.notice(last.wait, style="bad"))
        for result in last.results:
            shell.show(result_of(result))
    if last is not None and (last.wait or last.lets_in):
        return
    if last is None:
        shell.show(markup.tag("p", markup.text(asked_for(asked)), style="ts", data_part="asked"))
    if last is not None and last.state is Standing.OPEN:
        if st.button(_("Continue"), type="primary", key="qualify.go", shortcut="1"):
            shell.go(working_page(stage).name, project=view.name)
    elif (last is None or last.state is not Standing.HANDED_IN or last.superseded) and st.button(
        _("Begin"), type="primary", key="qualify.begin", shortcut="1"
    ):
        tries.begin(services.store, person=services.person, project=view.name, stage=stage)
        shell.go(working_page(stage).name, project=view.name)


def asked_for(asked: Qualification) -> str:
    """Return what a person needs in order to pass, before the first try."""
    parts = [_("At least {percent} of your answers must be right.").format(percent=f"{asked.pass_mark:.0%}")]
    if asked.reviewers:
        n = asked.reviewers
        parts.append(ngettext("{n} senior checks your answers.", "{n} seniors check your answers.", n).format(n=n))
    return " ".join([*parts, _("You see the result at the end.")])


def standing(seen: results.Try) -> str:
    """Return the state of a try in a sentence, for its own person."""
    if seen.exempt is not None:
        return _("You need no qualification for this stage: {reason}").format(reason=seen.exempt)
    sentences = {
        Standing.OPEN: _("{n} of {of} items answered.").format(n=seen.n_answered, of=seen.n_items),
        Standing.HANDED_IN: _("You answered all items, but there is a newer set. Begin the newer set.")
        if seen.superseded
        else _("You answered all items. You will see the results after seniors check your answers."),
        Standing.PASSED: _("Passed: {n} of {of} right.").format(n=seen.n_right, of=seen.n_items),
        Standing.FAILED: _("Not passed: {n} of {of} answers are right. You need {percent}.").format(
            n=seen.n_right, of=seen.n_items, percent=f"{seen.pass_mark:.0%}"
        ),
        Standing.SENT_BACK: _("A senior sent your answers back. Read the comments below."),
    }
    return sentences[seen.state]


def result_of(result: results.ItemResult) -> markup.Markup:
    """Return the result of one item: the person's answer, the key, and comments."""
    head = f"{SIGNS[result.right]} {result.item}"
    lines = [_("model: {text}").format(text=result.graded)] if result.graded is not None else []
    lines.append(_("answer: {text}").format(text=_words(result.answer)))
    if result.reasons:
        lines.append(_("because: {text}").format(text=_words(result.reasons)))
    if result.key is not None:
        lines.append(_("key: {text}").format(text=result.key))
    if result.seniors is not None:
        lines.append(_("seniors: {text}").format(text=result.seniors))
    lines += [f"{who}: {text}" for who, text in result.comments]
    return markup.tag(
        "div",
        markup.tag("strong", markup.text(head)),
        *(markup.tag("div", markup.text(line)) for line in lines),
        style="ts",
        data_part="result",
    )


def _words(values: Any) -> str:
    skipped = _("skipped")
    return ", ".join(f"{name} {skipped if value is None else value}" for name, value in values.items())


# ---- seniors ---------------------------------------------------------------------------------------------------------


def _seniors(services: Services, view: ProjectView, stage: Stage) -> None:
    shell.section("People and items")
    shell.tell_refused()
    senior_tries = [
        attempt
        for attempt in tries.tries(services.store, person=services.person, project=view.name, stage=stage)
        if attempt.set_number is not None
    ]
    if not senior_tries:
        shell.show(markup.notice("Nobody has started this qualification yet."))
        return
    shell.show(matrix(senior_tries))
    name = f"{view.name}-{stage.value}-qualification.csv"
    st.download_button("CSV", lambda: results.as_csv(senior_tries), name, "text/csv", key="qualify.csv")
    me = services.person.login
    waiting = [
        attempt
        for attempt in senior_tries
        if attempt.state is Standing.HANDED_IN and attempt.person != me and me not in dict(attempt.reviews)
    ]
    if not waiting:
        return
    called = distinct_names({attempt.person: attempt.name for attempt in senior_tries})
    chosen = st.selectbox(
        "Review", waiting, format_func=lambda each: f"{called[each.person]}, try {each.number}", key="qualify.review"
    )
    if chosen is not None:
        _review(services, chosen)


def _review(services: Services, chosen: results.Try) -> None:
    with st.form(f"qualify.form.{chosen.id}", border=False):
        for result in chosen.results:
            shell.show(result_of(result))
            st.text_input(
                f"Comment on {markup.label(result.item)}",
                key=_comment_key(chosen, result.item),
                label_visibility="collapsed",
                placeholder="comment",
            )
        left, right = st.columns(2)
        with left:
            st.form_submit_button(
                "Sign",
                type="primary",
                key=f"qualify.sign.{chosen.id}",
                on_click=_reviewed,
                args=(services, chosen, True),
            )
        with right:
            st.form_submit_button(
                "Send back", key=f"qualify.back.{chosen.id}", on_click=_reviewed, args=(services, chosen, False)
            )


def _comment_key(chosen: results.Try, item: str) -> str:
    return f"qualify.comment.{chosen.id}.{item}"


def _reviewed(services: Services, chosen: results.Try, signs: bool) -> None:
    """Handle a press of Sign or Send back before the page is drawn, so that table and form appear together."""
    with shell.pressed(services):
        comments = {
            result.item: str(st.session_state.get(_comment_key(chosen, result.item), "")) for result in chosen.results
        }
        tries.review(services.store, by=services.person, qualification=chosen.id, signs=signs, comments=comments)


def matrix(found: Sequence[results.Try]) -> markup.Markup:
    """Return a table of people and items. A sign and a color show whether an answer is right."""
    names = list(dict.fromkeys(result.item for attempt in found for result in attempt.results))
    heads = [("Person", ""), ("State", ""), ("Right", "ts-number"), *((str(at + 1), "") for at in range(len(names)))]
    called = distinct_names({attempt.person: attempt.name for attempt in found})
    rows = []
    for attempt in found:
        by_item = {result.item: result for result in attempt.results}
        cells = []
        for name in names:
            result = by_item.get(name)
            answered = result is not None and bool(result.answer)
            sign = SIGNS[result.right] if result is not None and answered else "·"
            style = {"✓": "ts-right", "✗": "ts-wrong"}.get(sign, "ts-quiet")
            cells.append(markup.tag("span", markup.text(sign), title=name, style=style))
        signed = sum(signs for _, signs in attempt.reviews)
        state = f"{WORDS[attempt.state]}{f', signed by {signed}' if signed else ''}"
        rows.append(
            [
                markup.text(f"{called[attempt.person]}, try {attempt.number}"),
                markup.text(state),
                markup.text(f"{attempt.n_right} of {attempt.n_items}"),
                *cells,
            ]
        )
    return markup.table(heads, rows)


# ---- leads -----------------------------------------------------------------------------------------------------------


def _lead(services: Services, view: ProjectView, stage: Stage, wanted: int) -> None:
    shell.section("The set")
    newest = sets.newest_set(services.store, person=services.person, project=view.name, stage=stage)
    if newest is not None:
        size = f"Set {newest.number} has {markup.count(len(newest.items), 'item')}."
        shell.show(markup.notice(f"{size} {newest.few}".strip(), style="bad" if newest.few else ""))
    with st.form("qualify.set", border=False):
        number = st.number_input("Items to draw", min_value=1, value=wanted, key="qualify.number")
        named = st.text_area("Or item IDs, one per line", key="qualify.items")
        again = st.checkbox("People who passed an earlier set must also pass this set", key="qualify.requalify")
        sent = st.form_submit_button("Make a new set", key="qualify.make")

    def make() -> None:
        sets.make_set(
            services.store,
            by=services.person,
            project=view.name,
            stage=stage,
            names=[line.strip() for line in str(named).splitlines() if line.strip()],
            n=int(number),
            requalify=bool(again),
        )

    if sent and newest is not None:
        next_number = newest.number + 1
        called = view.schema.schema_.stages.in_a_sentence(stage.value)
        passing, follows = (
            "",
            ("People who start after this change answer this set. People who passed another set keep their access."),
        )
        if again:
            passing = ", and require everyone to pass the set"
            follows = (
                f"Anyone who has passed an earlier set gets no more work in {called} until they have passed this set."
            )
        question = Confirmation(
            f"Make set {next_number} for {called} in {view.title}{passing}?",
            follows,
            "You cannot undo this change, but you can make another set. You can exempt people below. Submitted work "
            "still counts.",
            f"Make set {next_number}",
        )
        confirm.ask(services, question, make, key="qualify.sure")
    elif sent:  # no one can have passed anything yet
        make()
        st.rerun()
    with st.form("qualify.exempt", border=False):
        logins = [
            row.person.login
            for row in memberships.list_members(services.store, person=services.person, project=view.name)
        ]
        login = st.selectbox(
            "Exempt someone",
            logins,
            index=None,
            format_func=shell.called(services, logins),
            key="qualify.login",
            placeholder="choose",
        )
        why = st.text_input("Why", key="qualify.why")
        let = st.form_submit_button("Exempt", key="qualify.let")
    if let and login is None:
        shell.show(markup.notice("Choose the person to exempt.", style="bad"))
    elif let:
        qualification.exempt(
            services.store, by=services.person, project=view.name, login=str(login), why=str(why), stage=stage
        )
        who = shell.called(services, [str(login)])(str(login))
        shell.show(markup.notice(f"{who} no longer needs a qualification.", style="good"))
