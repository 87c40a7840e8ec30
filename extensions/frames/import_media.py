"""The box on the page Add items that takes the images and clips of an import from a frame set."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app import markup, shell
from app.services import Services
from domain.records import ProjectView
from extensions.frames import frame_sets


def choose(services: Services, view: ProjectView, key: str) -> Path | None:
    """Draw the box, if the project has frame sets, and return the folder of the chosen set."""
    sets = dict(frame_sets.sets(services, view.name))
    if not sets:
        return None
    called = {name: f"{about.called}, {markup.moment(frame_sets.at(about.began))}" for name, about in sets.items()}
    name = st.selectbox(
        "Media from Frames",
        [None, *sets],
        format_func=lambda each: called.get(each or "", "none"),
        key=f"{key}.frames",
    )
    if name is None:
        return None
    folder = frame_sets.folder_of_set(
        services.store, services.settings.home, by=services.person, project=view.name, name=name
    )
    frame_sets.refresh(services.store, folder, by=services.person)
    media = frame_sets.media_of(folder)
    if media is None:
        words = (
            "The clips of this set are in the pool, not in a folder, so Touchstone cannot cut items from these "
            "clips. Choose another set."
        )
        shell.show(markup.notice(words))
    return media
