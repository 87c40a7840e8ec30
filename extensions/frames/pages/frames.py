"""The page From videos: leads take frames from videos, screen and choose them, and add the chosen ones to the pool."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from app import markup, shell
from app.importing import file_inputs
from app.screens import Need, Room, Screen
from app.services import Services
from app.widgets import confirm
from db import project_facts
from domain.errors import InvalidFileError, InvalidInputError, Problem
from domain.records import ProjectView
from domain.roles import Role
from extensions.frames import candidate_grid, frame_pool, frame_sets, set_jobs, settings_form, step_table
from extensions.frames.frame_sets import SetDescription
from importers.media_files import CLIPS, files_below, kind_of

SCREEN = Screen(
    "From videos",
    place=110,
    room=Room.ITEMS,
    role=Role.LEAD,
    words="frames clips video extract screenshots sampling sources",
    needs=Need("This project has no clips. Upload videos on this page to take frames.", project_facts.has_clips),
)

LOOK_SECONDS = 0.7
UPLOAD, POOL, PATH = "Upload", "Clips in the pool", "Path on the server"
_ROUND, _SET = "frames.round", "frames.set"


def render(services: Services) -> None:
    """Draw the form for a new set, and the chosen set: its steps, its frames, and the button for the pool."""
    view = shell.lead_of(services)
    shell.heading(
        "Frames",
        "Touchstone takes frames from videos and drops unsuitable frames. The frames that you choose go into the "
        "image pool for authors.",
        made_up=view.made_up,
    )
    st.html(f"<style>{candidate_grid.STYLE}</style>")
    shell.tell_refused()
    sets = frame_sets.sets(services, view.name)
    with st.expander("Source videos", expanded=not sets, key=f"frames.new.{st.session_state.get(_ROUND, 0)}"):
        _new(services, view)
    if not sets:
        return
    names = [name for name, _ in sets]
    wanted = st.query_params.get("set", names[0])
    if st.session_state.get(_SET) not in names:
        st.session_state[_SET] = wanted if wanted in names else names[0]
    called = {name: f"{about.called}, {markup.moment(frame_sets.at(about.began))}" for name, about in sets}
    box, button = st.columns([6, 2], vertical_alignment="bottom")
    name = box.selectbox("Set of frames", names, format_func=lambda each: called[each], key=_SET)
    about = dict(sets)[name]
    folder = frame_sets.folder_of_set(
        services.store, services.settings.home, by=services.person, project=view.name, name=name
    )
    button.button(
        "Delete this set",
        key="frames.delete",
        width="stretch",
        on_click=_ask_delete,
        args=(services, folder, about),
        disabled=set_jobs.is_running(services.store, folder),
    )
    _set(services, view, folder, about)


# ---- a new set ------------------------------------------------------------------------------------------------------


def _new(services: Services, view: ProjectView) -> None:
    ways = [UPLOAD, POOL, *([PATH] if services.person.is_admin else [])]
    where = st.segmented_control("From", ways, default=UPLOAD, key="frames.where", label_visibility="collapsed")
    files: Sequence[Any] = ()
    if where == POOL:
        n = len(_clips(services, view))
        shell.show(markup.paragraph(f"{markup.count(n, 'clip')} free in the pool.", style="ts ts-quiet"))
    elif where == PATH:
        st.text_input("Video file or folder", key="frames.path")
    else:
        key = f"frames.files.{st.session_state.get(_ROUND, 0)}"
        files = st.file_uploader("Videos or ZIP files", accept_multiple_files=True, key=key)
    settings_form.draw_form("frames.ask")
    st.button(
        "Take frames",
        type="primary",
        key="frames.take",
        on_click=_take,
        args=(services, view, where or UPLOAD, files),
        disabled=where in (UPLOAD, None) and not files,
    )


def _clips(services: Services, view: ProjectView) -> list[tuple[str, Path]]:
    return frame_pool.free_clips(services.store, services.media, by=services.person, project=view.name)


def _take(services: Services, view: ProjectView, where: str, files: Sequence[Any]) -> None:
    with shell.pressed(services):
        taking, keeping = settings_form.taking_of("frames.ask"), settings_form.keeping_of("frames.ask")
        about: dict[str, Any] = {"taking": taking, "keeping": keeping}
        if where == UPLOAD:
            made = set_jobs.begin_set(services, view.name, files=files, **about)
        else:
            there = _clips(services, view) if where == POOL else _below(services)
            if not there:
                raise InvalidFileError(
                    "The pool has no free clips. Upload videos, or give a path." if where == POOL else _NONE
                )
            root = file_inputs.typed_path(st.session_state["frames.path"]) if where == PATH else None
            made = set_jobs.begin_set(services, view.name, paths=there, root=root, **about)
        st.session_state[_SET] = made
        st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1


_NONE = f"Touchstone found no videos. The names of video files must end with {', '.join(sorted(CLIPS))}."


def _below(services: Services) -> list[tuple[str, Path]]:
    typed = str(st.session_state.get("frames.path") or "").strip()
    if not services.person.is_admin or not typed:
        raise InvalidInputError([Problem("path", "Give one video or a folder of videos on the server's machine.")])
    path = file_inputs.typed_path(typed)
    if not path.exists():
        raise InvalidFileError(f"The file or folder {path} does not exist. Check the path.")
    return [(name, file) for name, file in files_below(path) if kind_of(file) == "clip"]


def _ask_delete(services: Services, folder: Path, about: SetDescription) -> None:
    question = confirm.Confirmation(
        title=f"Delete the frames of {about.called}?",
        words="Touchstone deletes the videos, frames and choices of this set. Frames in the pool stay.",
        undo="You cannot undo this action, but you can upload the videos again.",
        yes="Delete these frames",
    )
    confirm.ask(services, question, lambda: set_jobs.remove(services, folder), key="frames.delete.sure")


# ---- a set ----------------------------------------------------------------------------------------------------------


def _set(services: Services, view: ProjectView, folder: Path, about: SetDescription) -> None:
    if set_jobs.is_running(services.store, folder):
        _watch(services, folder)
    elif not about.done:
        begun = set_jobs.job(services.store, folder)
        why = about.refused or (begun.refused if begun is not None else "") or set_jobs.BROKEN
        shell.show(markup.notice(shell.on_page(why), style="bad"))
        st.button("Continue", key="frames.go_on", on_click=_go_on, args=(services, folder))
    frame_sets.refresh(services.store, folder, by=services.person)
    index = frame_sets.index(folder)
    if index is not None:
        shell.section("Steps")
        shell.show(markup.tag("div", step_table.table(view, folder, about, index), data_part="steps"))
    with st.expander("Run with other settings", key=f"frames.again.{folder.name}"):
        _again(services, folder, about)
    if index is None or not index.frames:
        return
    candidate_grid.draw(services, view, folder, index, busy=set_jobs.is_running(services.store, folder))


@st.fragment(run_every=LOOK_SECONDS)
def _watch(services: Services, folder: Path) -> None:
    with shell.guard(services):
        if not set_jobs.is_running(services.store, folder):
            st.rerun()
        begun = set_jobs.job(services.store, folder)
        done = begun.share if begun is not None else 0.0
        moment = begun.at if begun is not None else ""
        n = markup.count(set_jobs.taken_so_far(folder), "frame")
        st.progress(done, text=f"{n} taken. The job continues if you leave this page. {moment}")


def _go_on(services: Services, folder: Path) -> None:
    with shell.pressed(services):
        set_jobs.go_on(services, folder)


def _again(services: Services, folder: Path, about: SetDescription) -> None:
    key = f"frames.again.{folder.name}"
    settings_form.draw_form(key, about.taking, about.keeping)
    take, screen, words = st.columns([2, 2, 6], vertical_alignment="center")
    busy = set_jobs.is_running(services.store, folder)
    for where, label, name, anew in (
        (take, "Again from taking", "taking", True),
        (screen, "Again from screening", "screening", False),
    ):
        where.button(
            label, key=f"{key}.{name}", disabled=busy, width="stretch", on_click=_run, args=(services, folder, anew)
        )
    words.html(
        str(
            markup.paragraph(
                "Screening checks only frames that already exist. If you change the settings for taking frames, "
                "Touchstone reads all videos again and discards your choices.",
                style="ts ts-quiet",
            )
        )
    )


def _run(services: Services, folder: Path, anew: bool) -> None:
    with shell.pressed(services):
        key, about = f"frames.again.{folder.name}", SetDescription.read(folder)
        taking = settings_form.taking_of(key) if anew else about.taking
        set_jobs.again(services, folder, taking=taking, keeping=settings_form.keeping_of(key))
