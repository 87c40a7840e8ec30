"""Inputs on the page Add items that items and pool images share."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app.services import Services
from domain import extensions
from domain.name_value_pairs import pairs
from domain.records import ProjectView

UPLOAD, PATH = "Upload", "Path on the server"


def dimension(view: ProjectView, label: str, key: str, *, none: str) -> str | None:
    """Draw a select box and return the chosen dimension. The first option is None, with the label ``none``."""
    titles = {dimension.id: dimension.title for dimension in view.schema.schema_.dimensions}
    chosen: str | None = st.selectbox(
        label, [None, *titles], format_func=lambda name: titles.get(name or "", none), key=key
    )
    return chosen


def where(services: Services, key: str) -> str:
    """Return where the files come from. Only an admin can choose a path on the server."""
    if not services.person.is_admin:
        return UPLOAD
    choice = st.segmented_control(
        "From", [UPLOAD, PATH], default=UPLOAD, key=f"{key}.where", label_visibility="collapsed"
    )
    return choice or UPLOAD


def media_of_extensions(services: Services, view: ProjectView, key: str) -> Path | None:
    """Draw the boxes of extensions that offer images and clips, and return the folder chosen last."""
    folders = [choose(services, view, key) for choose in extensions.rows("import_media")]
    return next((folder for folder in reversed(folders) if folder is not None), None)


def typed_path(typed: str) -> Path:
    """Return a typed path without surrounding spaces, and with ``~`` expanded."""
    return Path(typed.strip()).expanduser()


def named_otherwise(text: str, form: str) -> dict[str, str]:
    """Return the pairs in a text, one for each line. Raise ``InvalidInputError`` with ``form`` for any other line."""
    return pairs([line for line in text.splitlines() if line.strip()], form)
