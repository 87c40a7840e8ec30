"""The page Privacy: detect faces and plates in pictures and clips, decide what to cover, and cover it for everyone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import streamlit as st

from app import markup, shell
from app.screens import Need, Room, Screen
from app.services import Services
from app.widgets import confirm
from db import project_facts
from domain.errors import ConflictError, InvalidInputError, Problem
from domain.records import ProjectView
from domain.roles import Role
from extensions.privacy import component, covering, page_work
from extensions.privacy.detection import spanned
from extensions.privacy.page_work import DetectionRecord, PageItem
from extensions.privacy.sheet import MISSES, summary
from extensions.privacy.tracks import RATE, RATES
from extensions.privacy.uncovered_route import address, as_json

SCREEN = Screen(
    "Privacy",
    place=125,
    room=Room.ITEMS,
    role=Role.LEAD,
    words="faces number plates blur anonymize cover hide mask gdpr personal data",
    needs=Need("This project has no images or clips yet.", project_facts.has_media),
)

LOOK_SECONDS = 0.7
PAGE, LINES = 24, 50
SHOWN = 20
"""The maximum number of names in a list."""
OPEN, WITH, COVERED, NOTHING, EVERY = "Not decided", "With boxes", "Covered", "Nothing found", "All"
_PRESSED = "privacy.pressed"
"""The button that was pressed last. The page shows its result next to it."""
FACES, PLATES = "Faces", "Number plates"
KINDS = {FACES: "face", PLATES: "plate"}
CLIPS = (
    "In clips, the search checks only a few frames per second, so play each clip to its end. Covering does not "
    "change the sound, including voices. Images taken from a clip need separate decisions."
)
UNDO = (
    "After this change, people, models, Label Studio, exports, releases and archives get the covered files. Only "
    "`touchstone privacy import --uncover` on the server can uncover these files. Copies that other people have "
    "downloaded stay uncovered."
)


def render(services: Services) -> None:
    """Draw the detection, the pictures to decide about, the button that covers, and the decisions."""
    view = shell.lead_of(services)
    shell.heading(
        "Privacy",
        "Find faces and number plates, then choose the boxes to cover for everyone.",
        made_up=view.made_up,
    )
    folder = page_work.folder_of(services, view.name)
    items = page_work.items(services.store, services.media, folder, by=services.person, project=view.name)
    asked = page_work.last_detection(folder)
    _standing(items)
    running = page_work.is_running(services.store, folder)
    covering = st.session_state.get(_PRESSED) == "cover"
    with st.expander("Find faces and plates", expanded=asked is None):
        _look(services, view, busy=running, clips=any(item.clip for item in items))
    if not covering:
        _under_way(services, folder, running=running)
    _looked(services, folder, asked, running=running)
    if not items:
        return
    shell.section("Pictures and clips" if any(item.clip for item in items) else "Pictures")
    _pictures(services, view, folder)
    _cover(services, view, busy=running)
    if covering:
        _under_way(services, folder, running=running)
    _covered(folder, running=running)
    _decided(services, items)


def _standing(found: Sequence[PageItem]) -> None:
    """Show the number of decided and open pictures and clips."""
    pictures, clips = ([page_item for page_item in found if page_item.clip is clip] for clip in (False, True))
    shell.show(
        markup.tag("p", markup.text(_stand(pictures, "picture")), style="ts", data_part="standing"),
        markup.notice(f"{MISSES} Undecided pictures stay uncovered for everyone."),
    )
    if clips:
        shell.show(markup.tag("p", markup.text(f"{_stand(clips, 'clip')} {CLIPS}"), style="ts", data_part="clips"))


def _stand(some: Sequence[PageItem], noun: str) -> str:
    covered = sum(bool(page_item.seen.decision and page_item.seen.decision.covers) for page_item in some)
    decided = sum(page_item.seen.decision is not None for page_item in some)
    return (
        f"{markup.count(len(some), noun)}. Covered: {covered:,}. Nothing to cover: {decided - covered:,}. Undecided: "
        f"{len(some) - decided:,}."
    )


# ---- looking --------------------------------------------------------------------------------------------------------


def _look(services: Services, view: ProjectView, *, busy: bool, clips: bool) -> None:
    left, middle, rate, right = st.columns([3, 2, 2, 3], vertical_alignment="bottom")
    by_hand = right.checkbox("Boxes drawn by people only", key="privacy.by_hand")
    left.multiselect("Look for", [FACES, PLATES], default=[FACES, PLATES], key="privacy.kinds", disabled=by_hand)
    middle.number_input(
        "Detection threshold",
        min_value=1,
        max_value=20,
        value=3,
        key="privacy.neighbours",
        disabled=by_hand,
        help="Lower values find more faces, but also more false positives.",
    )
    if clips:
        rate.number_input(
            "Samples per second in clips",
            min_value=RATES[0],
            max_value=RATES[1],
            value=RATE,
            step=0.5,
            key="privacy.rate",
            disabled=by_hand,
            help="Higher values find faces that appear only briefly, but take longer.",
        )
    st.button(
        "Find faces and plates",
        type="primary",
        key="privacy.look",
        disabled=busy or view.archived,
        on_click=_begin_look,
        args=(services, view),
    )


def _begin_look(services: Services, view: ProjectView) -> None:
    st.session_state[_PRESSED] = "look"
    with shell.pressed(services):
        state = st.session_state
        kinds = [] if state["privacy.by_hand"] else [KINDS[kind] for kind in state["privacy.kinds"]]
        if not kinds and not state["privacy.by_hand"]:
            raise InvalidInputError(
                [Problem("kinds", "Choose faces or plates to look for, or choose “Boxes drawn by people only”.")]
            )
        rate = float(state.get("privacy.rate", 0.0)) if kinds else 0.0
        page_work.begin_look(services, view.name, kinds=kinds, neighbours=int(state["privacy.neighbours"]), rate=rate)


def _under_way(services: Services, folder: Path, *, running: bool) -> None:
    """Show next to the pressed button why it was refused, or its progress."""
    shell.tell_refused()
    if running:
        _watch(services, folder)


@st.fragment(run_every=LOOK_SECONDS)
def _watch(services: Services, folder: Path) -> None:
    with shell.guard(services):
        if not page_work.is_running(services.store, folder):
            st.rerun()
        begun = page_work.job(services.store, folder)
        done = begun.share if begun is not None else 0.0
        progress = f" {begun.at}." if begun is not None and begun.at else ""
        st.progress(done, text=f"In progress. You can leave this page.{progress}")


def _looked(services: Services, folder: Path, asked: DetectionRecord | None, *, running: bool) -> None:
    """Show the result of the last detection."""
    if asked is None:
        return
    if not asked.done and not running:
        begun = page_work.job(services.store, folder)
        why = asked.refused or (begun.refused if begun is not None else "") or page_work.BROKEN
        shell.show(markup.notice(shell.on_page(why), style="bad"))
        return
    if not asked.done:
        return
    names = [name for name, kind in KINDS.items() if kind in asked.kinds]
    how = f"{' and '.join(names).capitalize()}, threshold {asked.neighbours}" if names else "Boxes drawn by people only"
    came = f"{markup.count(asked.found, 'new box', 'new boxes')} in {asked.with_boxes:,}"
    words = (
        f"Last search: {markup.moment(_at(asked.done))}, by {asked.by}. {how}. "
        f"{markup.count(asked.pictures, 'picture')}, {came} of them."
    )
    if asked.clips and asked.rate:
        came = f"{markup.count(asked.tracks, 'new box', 'new boxes')} in {asked.clips_with:,}"
        words += f" {markup.count(asked.clips, 'clip')} at {asked.rate:g} samples per second, {came} of them."
    shell.show(markup.tag("p", markup.text(words), style="ts", data_part="looked"))
    if asked.unread:
        named = summary([f"{name} ({why})" for name, why in asked.unread], SHOWN)
        shell.show(markup.notice(f"Cannot be read: {named}", style="bad"))


def _at(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


# ---- deciding -------------------------------------------------------------------------------------------------------


@st.fragment
def _pictures(services: Services, view: ProjectView, folder: Path) -> None:
    """Draw one page of pictures. The component sends each mark to the server."""
    with shell.guard(services):
        items = page_work.items(services.store, services.media, folder, by=services.person, project=view.name)
        show = st.columns([3, 7])[0].selectbox("Show", [OPEN, WITH, COVERED, NOTHING, EVERY], key="privacy.show")
        shown = [item for item in items if _fits(item, show)]
        noun = "file" if any(item.clip for item in items) else "picture"
        begin = shell.pager(len(shown), size=PAGE, of=(view.name, show, len(shown)), key="privacy.page", noun=noun)
        some = shown[begin : begin + PAGE]
        here = {page_item.seen.file for page_item in some}
        others = [item for item in items if item.seen.file not in here]
        component.pictures(
            component.data(
                [as_json(view.name, page_item) for page_item in some],
                csrf=services.csrf,
                path=address(view.name),
                total=len(items),
                clips=any(item.clip for item in items),
                open_=sum(not other.decided for other in others),
                waiting=sum(other.waits for other in others),
            )
        )


def _fits(item: PageItem, show: str) -> bool:
    covers = bool(item.seen.decision and item.seen.decision.covers)
    return {
        OPEN: item.open,
        WITH: item.found,
        COVERED: covers,
        NOTHING: not item.found,
        EVERY: True,
    }[show]


# ---- covering -------------------------------------------------------------------------------------------------------


def _cover(services: Services, view: ProjectView, *, busy: bool) -> None:
    st.button(
        "Cover decided boxes",
        type="primary",
        key="privacy.cover",
        disabled=busy or view.archived,
        on_click=_ask,
        args=(services, view),
    )


def _ask(services: Services, view: ProjectView) -> None:
    st.session_state[_PRESSED] = "cover"
    with shell.pressed(services):
        ready = page_work.waiting(services, view.name)
        if not ready:
            raise ConflictError(
                "You have made no new decision. Choose the boxes to cover in a picture, or choose “Nothing to cover”."
            )
        changes = covering.preview_decisions(
            services.store,
            services.settings.home,
            by=services.person,
            project=view.name,
            choices=[page_item.choice for page_item in ready],
            after={page_item.seen.file: page_item.after for page_item in ready},
        )
        sets = page_work.frames_of(services, view.name, ready)
        question = confirm.Confirmation(
            title=f"Cover the chosen boxes in {view.title}?",
            words=_changes(changes, n_clips=sum(page_item.clip for page_item in ready), sets=sets),
            undo=UNDO,
            yes=f"Cover {markup.count(changes.boxes, 'box', 'boxes')}" if changes.boxes else "Keep these decisions",
        )
        confirm.ask(
            services, question, lambda: page_work.begin_cover(services, view.name, ready), key="privacy.cover.sure"
        )


def _counted(n: int, n_clips: int, before: str = "") -> str:
    """``3 pictures and 1 clip``."""
    pictures = markup.count(n - n_clips, f"{before}picture")
    clips = markup.count(n_clips, f"{before}clip")
    return pictures if not n_clips else clips if n_clips == n else f"{pictures} and {clips}"


def _changes(changes: covering.CoverPreview, *, n_clips: int, sets: Sequence[str]) -> str:
    sentences = [
        (
            f"{_counted(changes.pictures, n_clips)} decided: {markup.count(changes.boxes, 'box', 'boxes')} to "
            f"cover in {changes.covered:,}, and nothing to cover in {changes.pictures - changes.covered:,}."
        )
    ]
    if changes.releases:
        sentences.append(
            f"These releases contain the uncovered pictures: {', '.join(changes.releases)}. The releases do not "
            "change. Withdraw the copies that you shared, then create a new release."
        )
    if sets:
        sentences.append(
            "Touchstone will delete these frame sets on the From videos page, because their clips "
            f"change: {', '.join(sets)}."
        )
    if changes.archive:
        sentences.append(
            "The archive that is ready for download contains the originals, so Touchstone will delete the archive."
        )
    return " ".join(sentences)


def _covered(folder: Path, *, running: bool) -> None:
    """Show the result of the last covering."""
    result = page_work.last_covered(folder)
    if not result or running:
        return
    who = f"{markup.moment(_at(result['at']))}, {result['by']}"
    if result.get("refused"):
        shell.show(markup.notice(shell.on_page(f"{who}: Nothing was covered. {result['refused']}"), style="bad"))
        return
    sentences = [
        (
            f"Last covering: {who}. {markup.count(result['boxes'], 'box', 'boxes')} covered in "
            f"{result['covered']:,} of {_counted(result['pictures'], result.get('clips', 0), 'decided ')}."
        )
    ]
    if result["left"]:
        sentences.append(
            f"Skipped because the decision changed before covering: {markup.count(result['left'], 'picture')}."
        )
    if result.get("sets"):
        sentences.append(
            f"Touchstone deleted these frame sets, because their clips changed: {', '.join(result['sets'])}."
        )
    if result.get("beside"):
        sentences.append(
            "These pictures have no decision, but share an item or a video with decided pictures: "
            f"{summary(result['beside'], SHOWN)}."
        )
    if result["archive"]:
        sentences.append(
            "Touchstone deleted the archive that was ready for download, because the archive contained the originals."
        )
    if result["releases"]:
        sentences.append(
            f"These releases contain the uncovered pictures: {', '.join(result['releases'])}. Withdraw the copies "
            "that you shared, then create a new release."
        )
    shell.show(markup.tag("p", markup.text(" ".join(sentences)), style="ts", data_part="covered"))


def _decided(services: Services, found: Sequence[PageItem]) -> None:
    """List the decisions, newest first."""
    done = [(page_item.seen, page_item.seen.decision) for page_item in found if page_item.seen.decision is not None]
    if not done:
        return
    shell.section("Decided")
    done.sort(key=lambda pair: pair[1].at, reverse=True)
    begin = shell.pager(len(done), size=LINES, of="decided", key="privacy.decided", noun="decision")
    some = done[begin : begin + LINES]
    person = shell.named(services, [decision.by for _, decision in some])
    rows = [
        [
            markup.text(seen.name),
            markup.text(
                ", ".join(f"{box.kind} ({box.by}){spanned(box)}" for box in decision.covers) or "nothing to cover"
            ),
            markup.number(sum(not box.cover for box in decision.boxes)),
            person(decision.by) if decision.by else markup.quiet("the command"),
            markup.text(markup.moment(decision.at)),
        ]
        for seen, decision in some
    ]
    heads = [("Picture", ""), ("Covered", ""), ("Left as found", "number"), ("By", ""), ("When", "line")]
    shell.show(markup.tag("div", markup.table(heads, rows), data_part="decided"))
