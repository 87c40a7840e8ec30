"""The page *Release*: what the next release waits for, what goes in, and the button that makes it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import addresses, markup, shell
from app.jobs import page
from app.jobs.projects import RELEASE
from app.projects import project_jobs
from app.releasing import checklist, release_table
from app.screens import Action, Room, Screen
from app.services import Services
from domain import extensions
from domain.errors import TouchstoneError
from domain.records import ProjectView
from domain.roles import Role
from media.perceptual_hash import ALIKE
from workflow.releases import early_refusal, listing, settings
from workflow.releases.checklist import must_not_be_open
from workflow.releases.extension_checks import ReleaseCondition, missing_folder_checks
from workflow.releases.format_choice import releasable, usual_formats
from workflow.releases.listing import NextRelease
from workflow.releases.settings import SAYINGS, ReleaseOptions
from workflow.releases.split_groups import BY, TOGETHER

SCREEN = Screen(
    "Next",
    place=500,
    room=Room.RELEASE,
    role=Role.LEAD,
    words="release publish version freeze checklist gate license data card",
    actions=(Action("Create a release", "publish version benchmark hugging face"),),
)


def render(services: Services) -> None:
    """Draw the state of the next release, its checklist, its options, and the button that makes it."""
    view = shell.lead_of(services)
    shell.heading("Release", made_up=view.made_up)
    with st.container():  # a fixed place, so that a message does not redraw all below and lose the focus
        shell.tell_refused()
    upcoming = listing.next_release(services.store, by=services.person, project=view.name)
    checks = checklist.release_checks(services, view)
    lines = checks.lines
    overridden = tuple(st.session_state.get("release.despite") or ())
    _finding(services, view, upcoming, lines, overridden)
    checklist.show_release_checks(services, view, checks, overridden)
    open_ = {line.name: line.title for line in lines if not line.done and not line.pending}
    if open_:
        st.multiselect(
            "Override checks",
            list(open_),
            format_func=open_.__getitem__,
            key="release.despite",
            placeholder="Choose checks to override",
            help="Touchstone creates the release even if these checks are open. The manifest records each override.",
        )
    shell.section("Contents")
    asked = _options(view)
    _make(services, view, upcoming, lines, asked)
    with st.container():  # next to the pressed button, because the page's head is out of sight
        page.show(services, (RELEASE.name,), project=view.name)


def _finding(
    services: Services,
    view: ProjectView,
    upcoming: NextRelease,
    lines: Sequence[ReleaseCondition],
    overridden: Sequence[str],
) -> None:
    """Draw the state of the next release as a sentence, and below it the newest release and the description."""
    number, n = upcoming.number, markup.count(upcoming.items, "kept item")
    blocking = [line for line in lines if not line.done and not line.pending and line.name not in overridden]
    if not upcoming.items:
        head, rest = f"Release {number} has no items yet.", "A release needs at least one kept item."
    elif blocking:
        others = len(blocking) - 1
        head = f"Release {number} is not ready: {blocking[0].said.partition('. ')[0]}."
        rest = f"{markup.count(others, 'more check blocks', 'more checks block')} it." if others else ""
    else:
        head, rest = f"Release {number} is ready.", f"It contains {n}."
    shell.show(markup.finding(markup.tag("b", markup.text(head)), markup.text(f" {rest}")))
    about = settings.card_version(services.store, by=services.person, project=view.name)
    filled = sum(1 for field in SAYINGS if about.values.get(field.name))
    parts = [
        markup.link(f"Description: {filled} of {len(SAYINGS)} fields filled", addresses.page("data_card", view.name))
    ]
    releases = listing.all_releases(services.store, services.settings.home, by=services.person, project=view.name)
    if releases:
        newest = releases[-1]
        made = f"Release {newest.version} was created on {markup.moment(newest.at)}"
        parts += [markup.link(made, addresses.page("past_releases", view.name)), release_table.links(view, newest)]
    shell.show(markup.tag("p", markup.joined(parts, " · "), style="ts ts-quiet ts-small", data_part="around"))


def _options(view: ProjectView) -> ReleaseOptions:
    """Draw the options of the next release, and return them as they are set."""
    known = releasable(view.schema.schema_)
    st.multiselect(
        "Formats",
        list(known),
        default=list(usual_formats(view.schema.schema_)),
        format_func=lambda name: known[name].words,
        key="release.formats",
    )
    left, middle, right = st.columns([3, 2, 2], vertical_alignment="bottom")
    left.text_input(
        "Splits",
        key="release.splits",
        placeholder="train=0.8 test=0.2",
        help=(
            "Give each split a share or a number, such as `train=0.8 test=0.2` or `dev=50 test=rest`. "
            "`field:NAME` reads the split from a field of the item. If you enter no splits, all items "
            "are in test. Near duplicates stay in the same split, and so do items from the same video "
            "or scene."
        ),
    )
    middle.text_input(
        "Private splits",
        key="release.private",
        placeholder="test",
        help="Public files do not contain the keys of these splits, so that models cannot learn the right answers.",
    )
    right.checkbox("Include images and clips", key="release.media")
    _more_options()
    state = st.session_state
    return ReleaseOptions(
        formats=tuple(state.get("release.formats") or ()),
        splits=_words(state.get("release.splits")),
        private=_words(state.get("release.private")),
        media=bool(state.get("release.media")),
        seed=int(state.get("release.seed") or 0),
        anew=bool(state.get("release.anew")),
        together=tuple(state.get("release.together") or TOGETHER),
        alike=int(state.get("release.alike", ALIKE)),
        off=state.get("release.off", 10) / 100,
        lacking=bool(state.get("release.lacking")),
        despite=tuple(state.get("release.despite") or ()),
        accepted=tuple(part.strip() for part in str(state.get("release.accepted") or "").split(";") if part.strip()),
    )


def _more_options() -> None:
    """Draw the settings of the split and the accepted leaks. Without a change, the defaults apply."""
    with st.expander("More options", key="release.draw"):
        st.multiselect(
            "Keep together",
            list(BY),
            default=list(TOGETHER),
            format_func=lambda name: BY[name],
            key="release.together",
            help="Items that share one of these properties always stay in the same split.",
        )
        left, middle, right = st.columns(3)
        left.number_input(
            "Seed",
            min_value=0,
            value=0,
            step=1,
            key="release.seed",
            help="Touchstone draws splits at random. Another seed gives different splits.",
        )
        middle.number_input(
            "Image similarity limit",
            min_value=0,
            max_value=16,
            value=ALIKE,
            step=1,
            key="release.alike",
            help="Images count as near duplicates if their 64-bit hashes differ in at most this many bits.",
        )
        right.number_input(
            "Split size tolerance (%)",
            min_value=0,
            max_value=100,
            value=10,
            step=1,
            key="release.off",
            help="Maximum difference between the planned and the actual size of a split. A difference of one item is "
            "always allowed.",
        )
        st.checkbox(
            "Allow missing dimensions",
            key="release.lacking",
            help=(
                "With this option, a split can omit a dimension if the dimension has too few groups of "
                "items for all splits."
            ),
        )
        st.checkbox(
            "Draw all splits again",
            key="release.anew",
            help="Without this option, items from an earlier release stay in their splits.",
        )
        if not missing_folder_checks():
            st.text_input(
                "Accepted leaks",
                key="release.accepted",
                placeholder="key: the phrase is on many signs",
                help="Write each accepted leak as `KIND: reason`, and separate leaks with semicolons. The leak "
                "check then accepts each kind, and the manifest records the reason.",
            )
    if missing := missing_folder_checks():
        shell.show(markup.notice(f"{' '.join(missing.values())} Until then, Touchstone does not check private splits."))
    if files := extensions.all_missing("release_files"):
        shell.show(markup.notice(f"{' '.join(files.values())} Until then, releases do not include these files."))


def _words(given: object) -> tuple[str, ...]:
    return tuple(str(given or "").replace(",", " ").split())


# ---- making it -------------------------------------------------------------------------------------------------------


def _make(
    services: Services,
    view: ProjectView,
    upcoming: NextRelease,
    lines: Sequence[ReleaseCondition],
    asked: ReleaseOptions,
) -> None:
    """Draw the button that creates the release. It is off as long as a release would be refused, and says why."""
    reason = _refusal(services, view, upcoming, lines, asked)

    def press() -> None:
        with shell.pressed(services):
            project_jobs.begin(services, RELEASE.name, view.name, **asked.dump())

    with st.container(horizontal=True, vertical_alignment="center", key="release.go"):
        st.button(
            f"Create release {upcoming.number} with {markup.count(upcoming.items, 'item')}",
            type="primary",
            key="release.make",
            on_click=press,
            disabled=bool(reason),
        )
        words = reason or "A release can take several minutes. You can leave the page."
        shell.show(markup.tag("p", markup.text(words), style="ts", data_part="reason" if reason else "note"))


def _refusal(
    services: Services,
    view: ProjectView,
    upcoming: NextRelease,
    lines: Sequence[ReleaseCondition],
    asked: ReleaseOptions,
) -> str:
    """Return why a release would be refused now, as far as a few queries can tell. Empty: no reason is known."""
    if view.archived:
        return "This project is archived. Restore the project in Settings before you create a release."
    if not upcoming.items:
        return "The project has no kept items yet. A release needs at least one kept item."
    waiting = [line for line in lines if not line.pending]
    if blocking := [line.title for line in waiting if not line.done and line.name not in asked.despite]:
        one = len(blocking) == 1
        return f"Finish or override {'this check' if one else 'these checks'} first: {', '.join(blocking)}."
    try:
        early_refusal.refuse_before_release(services.store, by=services.person, project=view.name, asked=asked)
        must_not_be_open(waiting, asked)
    except TouchstoneError as refusal:
        return shell.on_page(str(refusal))
    return ""
