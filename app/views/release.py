"""The page *Release*: the checklist, the data card, the form for a new release, and all releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

import streamlit as st

from annotation_schemas.formats import named
from app import markup, shell
from app.jobs import page
from app.jobs.projects import RELEASE
from app.projects import project_jobs
from app.releasing import checklist
from app.releasing.release_actions import release_actions
from app.reruns import messages
from app.screens import Action, Room, Screen
from app.services import Services
from domain import extensions
from domain.errors import InvalidFileError, InvalidInputError
from domain.records import ProjectView
from domain.roles import Role
from media.perceptual_hash import ALIKE
from workflow.releases import early_refusal, listing, settings
from workflow.releases.checklist import ABOUT, must_not_be_open
from workflow.releases.extension_checks import ReleaseCondition, missing_folder_checks, missing_parts_in
from workflow.releases.format_choice import releasable, usual_formats
from workflow.releases.listing import Release
from workflow.releases.settings import SAYINGS, CardVersion, ReleaseOptions
from workflow.releases.split_groups import BY, TOGETHER

SCREEN = Screen(
    "Next",
    place=500,
    room=Room.RELEASE,
    role=Role.LEAD,
    words="release publish version freeze checklist gate license data card",
    actions=(Action("Make a release", "publish version benchmark hugging face"),),
)


def render(services: Services) -> None:
    """Draw the checklist, the data card, the form for a new release, and the list of releases."""
    view = shell.lead_of(services)
    shell.heading(
        "Release",
        "Publish the kept items as a numbered version that anyone can load, verify and recompute.",
        made_up=view.made_up,
    )
    with st.container():  # a fixed place, so that a message does not redraw all below and lose the focus
        shell.tell_refused()
        done = messages.kept_message("release.done")
        if done:
            shell.show(markup.notice(done, style="good"))
    lines = checklist.release_lines(services, view)
    about = settings.card_version(services.store, by=services.person, project=view.name)
    _say(services, view, about)
    _make(services, view, lines)
    with st.container():  # next to the pressed button, because the page's head is out of sight
        page.show(services, (RELEASE.name, *(action.job for action in release_actions())), project=view.name)
    _made(services, view)


# ---- data card -------------------------------------------------------------------------------------------------------


def _say(services: Services, view: ProjectView, about: CardVersion) -> None:
    n = sum(1 for field in SAYINGS if about.values.get(field.name))
    lacking = any(field.needed and not about.values.get(field.name) for field in SAYINGS)
    formats = [row for row in releasable(view.schema.schema_).values() if row.needs_about]
    needed = {name for row in formats for name in row.needs_about}
    more = f" {named(formats)} needs every field with a star." if formats else ""
    unfolded = lacking or st.query_params.get(checklist.PART) == ABOUT
    with (
        st.expander(f"Data card: {n} of {len(SAYINGS)} fields filled", key="release.about", expanded=unfolded),
        st.form("release.say", border=False),
    ):
        shell.show(
            markup.paragraph(
                f"These fields go into the data card and the metadata. A release needs a license.{more}",
                style="ts ts-quiet ts-small",
            )
        )
        columns = st.columns(2)  # two columns halve the height of the form
        for at, field in enumerate(SAYINGS):
            value = about.values.get(field.name, "")
            text = "\n".join(value) if isinstance(value, list) else str(value)
            title = field.title + (" *" if field.needed or field.name in needed else "")
            key = f"release.say.{field.name}.{about.number}"
            column = columns[at % len(columns)]
            if field.many or field.long:
                column.text_area(title, text, help=field.meaning, key=key, height=80)
            else:
                column.text_input(title, text, help=field.meaning, key=key)
        st.form_submit_button("Save", key="release.say.save", on_click=_save, args=(services, view, about))


def _save(services: Services, view: ProjectView, about: CardVersion) -> None:
    values = {
        field.name: str(st.session_state.get(f"release.say.{field.name}.{about.number}", "")) for field in SAYINGS
    }
    with shell.pressed(services):
        now = settings.say(services.store, by=services.person, project=view.name, said=values)
        if now.number != about.number:
            messages.keep("release.done", f"Saved: version {now.number} of the data card.")


# ---- new release -----------------------------------------------------------------------------------------------------


def _make(services: Services, view: ProjectView, lines: Sequence[ReleaseCondition]) -> None:
    shell.section("A new release")
    known = releasable(view.schema.schema_)
    first = usual_formats(view.schema.schema_)
    open_ = {line.name: f"{line.title}: {line.said}" for line in lines if not line.done}
    with st.form("release.new", border=False):
        st.multiselect(
            "Formats",
            list(known),
            default=list(first),
            format_func=lambda name: known[name].words,
            key="release.formats",
        )
        left, middle, right = st.columns([3, 2, 2], vertical_alignment="bottom")
        left.text_input(
            "Splits",
            key="release.splits",
            placeholder="train=0.8 test=0.2",
            help="NAME=SHARE, NAME=NUMBER, NAME=rest or field:NAME, with spaces between. If empty, all items are "
            "in test. Items of one video or scene, and near duplicates, stay in one split.",
        )
        middle.text_input(
            "Private splits",
            key="release.private",
            placeholder="test",
            help="Their right answers stay out of public files.",
        )
        right.checkbox("Include images and clips", key="release.media")
        _draw()
        if missing := missing_folder_checks():
            shell.show(markup.notice(f"{' '.join(missing.values())} Until then, private splits are not checked."))
        else:
            st.text_input(
                "Accepted leaks",
                key="release.accepted",
                placeholder="key: the phrase is on many signs",
                help="KIND: reason, with semicolons between several. The leak check then lets this kind pass, and the "
                "manifest records the reason.",
            )
        if files := extensions.all_missing("release_files"):
            shell.show(markup.notice(f"{' '.join(files.values())} Until then, releases are made without it."))
        if open_:
            st.multiselect("Override open checks", list(open_), format_func=open_.__getitem__, key="release.despite")
        st.form_submit_button(
            "Make the release", type="primary", key="release.make", on_click=_begin, args=(services, view, lines)
        )
    refused = messages.kept_message("release.refused")
    if refused:
        shell.show(markup.notice(refused, style="bad"))
    elif open_:
        n = f"{len(open_)} {'check is' if len(open_) == 1 else 'checks are'} open"
        names = ", ".join(line.title for line in lines if not line.done)
        shell.show(markup.notice(f"{n}: {names}. A release is refused until you finish them or override them above."))


def _draw() -> None:
    """Draw the settings of the split. Without a change, the defaults apply."""
    with st.expander("How splits are drawn", key="release.draw"):
        st.multiselect(
            "What keeps items in one split",
            list(BY),
            default=list(TOGETHER),
            format_func=lambda name: BY[name],
            key="release.together",
        )
        left, middle, right = st.columns(3)
        left.number_input("Seed", min_value=0, value=0, step=1, key="release.seed", help="Another one draws otherwise.")
        middle.number_input(
            "Bits in which looks may differ",
            min_value=0,
            max_value=16,
            value=ALIKE,
            step=1,
            key="release.alike",
            help="Of 64: images that differ in no more count as alike.",
        )
        right.number_input(
            "A split may be off by, in %",
            min_value=0,
            max_value=100,
            value=10,
            step=1,
            key="release.off",
            help="Of what is asked for. One item is always allowed.",
        )
        st.checkbox("A split may lack a dimension of which there are too few groups", key="release.lacking")
        st.checkbox("Draw items anew that an earlier release has; else they stay in their split", key="release.anew")


def _begin(services: Services, view: ProjectView, lines: Sequence[ReleaseCondition]) -> None:
    state = st.session_state
    asked = ReleaseOptions(
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
    with shell.pressed(services):
        try:
            early_refusal.refuse_before_release(services.store, by=services.person, project=view.name, asked=asked)
            must_not_be_open([line for line in lines if not line.pending], asked)
        except (InvalidFileError, InvalidInputError) as refusal:
            messages.keep("release.refused", shell.on_page(str(refusal)))
            return
        project_jobs.begin(services, RELEASE.name, view.name, **asked.dump())


def _words(given: object) -> tuple[str, ...]:
    return tuple(str(given or "").replace(",", " ").split())


# ---- releases --------------------------------------------------------------------------------------------------------


def _made(services: Services, view: ProjectView) -> None:
    shell.section("Releases")
    all_releases = listing.all_releases(services.store, services.settings.home, by=services.person, project=view.name)
    if not all_releases:
        shell.show(markup.notice("No releases yet. The first one is release 1."))
        return
    shell.show(table(view, list(reversed(all_releases))))
    names = [release.version for release in reversed(all_releases)]
    chosen = st.selectbox("Look at release", names, key="release.chosen")
    release = next(release for release in all_releases if release.version == chosen)
    if lacking := missing_parts_in(release.told):
        shell.show(markup.notice(lacking, style="bad"))
    with st.container(horizontal=True):
        for action in release_actions():
            action.draw(services, view, release)
    with st.expander("What its manifest says", key=f"release.told.{chosen}"):
        st.json({**release.told, "manifest_sha256": release.manifest_sha256}, expanded=1)
    others = [release for release in all_releases if release.is_there and release.version != chosen]
    if release.is_there and others:
        _compare(release, others)


def table(view: ProjectView, found: Sequence[Release]) -> markup.Markup:
    """Return a table with a line for each release and links to its files."""
    rows = [
        [
            markup.tag("b", markup.text(release.version)),
            markup.text(markup.moment(release.at)),
            markup.text(release.by or "command"),
            markup.text(", ".join(f"{name} {split['items']:,}" for name, split in release.splits.items())),
            markup.text("; ".join(f"{gone.item}: {gone.reason}" for gone in release.withdrawn)),
            _links(view, release),
        ]
        for release in found
    ]
    heads = [("Release", ""), ("Made", ""), ("By", ""), ("Items", ""), ("Withdrawn", "wide"), ("Files", "")]
    return markup.table(heads, rows)


def _links(view: ProjectView, release: Release) -> markup.Markup:
    if not release.is_there:
        return markup.quiet("not on this machine any more")
    parts = {"public": "Download", "private": "Private part"}
    return markup.joined(
        [
            markup.tag(
                "a",
                markup.text(title),
                href=f"/release/{quote(view.name)}/{release.version}/{part}",
                target="_self",
                download="",
                style="ts-nowrap",
            )
            for part, title in parts.items()
            if (release.place / part).is_dir()
        ],
        " ",
    )


def _compare(release: Release, others: Sequence[Release]) -> None:
    with st.expander("What is different from another one", key=f"release.diff.{release.version}"):
        other = st.selectbox(
            "Compared with", [candidate.version for candidate in reversed(others)], key="release.other"
        )
        base = next(candidate for candidate in others if candidate.version == other)
        changes = listing.difference(base.place / "public", release.place / "public")
        shell.show(difference(changes))


def difference(found: listing.ReleaseDifference) -> markup.Markup:
    """Return the differences between two releases, item by item, up to a page's limit."""
    if found.equal:
        return markup.notice("Nothing but what they are called.", style="good")
    rows: list[tuple[str, str]] = [(id, "withdrawn or no longer kept") for id in found.removed]
    rows += [(id, "new") for id in found.added]
    rows += [(id, ", ".join(what)) for id, what in found.changed.items()]
    rows += [(path, what) for path, what in found.files.items()]
    n: Mapping[str, int] = {"added": len(found.added), "removed": len(found.removed), "changed": len(found.changed)}
    words = ", ".join(f"{count:,} {name}" for name, count in n.items())
    cut = [[markup.text(name), markup.text(what)] for name, what in rows[:MOST]]
    more = f" The first {MOST} of {len(rows):,} lines." if len(rows) > MOST else ""
    return markup.joined(
        [markup.paragraph(f"Items: {words}.{more}", style="ts"), markup.table([("What", ""), ("How", "wide")], cut)]
    )


MOST = 200
