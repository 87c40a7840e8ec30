"""Boxes that items and images to write about have in common on the page Import."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app.pairs import pairs
from app.services import Services
from domain import extensions
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


def media_of_extensions(services: Services, view: ProjectView, key: str) -> Path | None:
    """Draw the boxes of extensions that offer images and clips, and return the folder chosen last."""
    found = [choose(services, view, key) for choose in extensions.rows("import_media")]
    return next((folder for folder in reversed(found) if folder is not None), None)


def typed_path(typed: str) -> Path:
    """A path as someone types it."""
    return Path(typed.strip()).expanduser()


def named_otherwise(text: str, form: str) -> dict[str, str]:
    """Pairs out of a box, one a line; ``InvalidInput`` with ``form`` for a line that is none."""
    return pairs([line for line in text.splitlines() if line.strip()], form)
