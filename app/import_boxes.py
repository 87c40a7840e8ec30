"""Boxes that items and images to write about have in common on the page Import."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app import frame_work, markup, shell
from app.pairs import pairs
from app.services import Services
from domain.records import ProjectView

UPLOAD, PATH = "Upload", "A path on the server's machine"


def dimension(view: ProjectView, label: str, key: str, *, none: str) -> str | None:
    """Which one is meant; None stands first and is called ``none``."""
    titles = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    chosen: str | None = st.selectbox(
        label, [None, *titles], format_func=lambda name: titles.get(name or "", none), key=key
    )
    return chosen


def where(services: Services, key: str) -> str:
    """Where files come from; only an admin is asked."""
    if not services.person.is_admin:
        return UPLOAD
    choice = st.segmented_control(
        "From", [UPLOAD, PATH], default=UPLOAD, key=f"{key}.where", label_visibility="collapsed"
    )
    return choice or UPLOAD


def videos(services: Services, view: ProjectView, label: str, key: str) -> Path | None:
    """The folder of images and clips of a set of frames, if there are such sets, and someone chooses one."""
    found = dict(frame_work.sets(services, view.name))
    if not found:
        return None
    called = {name: f"{about.called}, {markup.moment(frame_work.at(about.began))}" for name, about in found.items()}
    name = st.selectbox(label, [None, *found], format_func=lambda each: called.get(each or "", "none"), key=key)
    if name is None:
        return None
    folder = frame_work.folder_of_set(
        services.store, services.settings.home, by=services.person, project=view.name, name=name
    )
    frame_work.refresh(services.store, folder, by=services.person)
    media = frame_work.media_of(folder)
    if media is None:
        words = "The clips of this set are in the pool, and in no folder of their own: items cannot be cut out of them."
        shell.show(markup.notice(words))
    return media


def typed_path(typed: str) -> Path:
    """A path as someone types it."""
    return Path(typed.strip()).expanduser()


def named_otherwise(text: str, form: str) -> dict[str, str]:
    """Pairs out of a box, one a line; ``InvalidInput`` with ``form`` for a line that is none."""
    return pairs([line for line in text.splitlines() if line.strip()], form)
