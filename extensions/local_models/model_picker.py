"""Choose a model from the models' folder: its content, whether a model fits this machine, and missing files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from app import markup, shell
from app.markup import Markup
from app.running import shown
from app.running.description import ModelSource
from app.services import Services
from extensions.local_models import folder_list
from extensions.local_models.folder_list import FolderProperties

LOOK_AGAIN_SECONDS = 20
"""Seconds that the page keeps the content of the models' folder."""


def pick(services: Services, take: Callable[[str], None]) -> None:
    """Draw the folders as a table, and an input to choose one. The chosen folder's description is put in effect."""
    folder = services.settings.model_folder
    by_name = {model_folder.name: model_folder for model_folder in offered(folder)}
    if not by_name:
        shell.show(
            markup.notice(
                f"The folder {folder} has no models yet. Ask the operator of this server to add model folders "
                "(config.json, weights and all other downloaded files), or to name another folder with "
                "TOUCHSTONE_MODELS. You can also use an endpoint as a model."
            )
        )
        return
    shell.show(markup.tag("div", table(list(by_name.values())), style="ts-scroll"))

    def picked() -> None:
        name = st.session_state["models.folder"]
        if name in by_name:
            take(folder_list.description_of(folder, name))

    st.selectbox("Folder", list(by_name), index=None, placeholder="Pick one", key="models.folder", on_change=picked)


@st.cache_resource(ttl=LOOK_AGAIN_SECONDS, show_spinner=False)
def offered(folder: Path) -> list[FolderProperties]:
    """Return the models below a folder."""
    return folder_list.offered(folder)


def table(found: Sequence[FolderProperties]) -> Markup:
    """Return a table with a row for each folder."""
    heads = [("Folder", "name"), ("Family", "line"), ("Parameters", "number"), ("Weights", "number"), ("Here", "")]
    return markup.table(heads, [_row(model_folder) for model_folder in found])


def _row(each: FolderProperties) -> list[Markup]:
    needs = [markup.tag("div", markup.quiet(need), style="ts-small") for need in each.needs]
    fits = markup.tag("div", markup.text(each.here), style="" if each.fits else "ts-wrong")
    return [
        markup.tag("b", markup.text(shown.tame(each.name))),
        markup.text(each.family),
        markup.text(each.parameters or "-"),
        markup.text(each.size or "-"),
        markup.joined([fits, *needs]),
    ]


ROWS = (ModelSource("Folder on this machine", pick),)
