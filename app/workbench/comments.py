"""Put threads of comments on a page that is not a working page."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.services import Services
from app.workbench import assets, page, sent
from domain.comments import Thread
from domain.records import ProjectView

_component = st.components.v2.component("touchstone_threads", js=assets.loader("threads"))


def threads(
    services: Services,
    view: ProjectView,
    found: Sequence[Thread],
    *,
    key: str,
    history: bool = False,
    single: bool = False,
) -> None:
    """Draw threads to read and answer. ``history``: titles link to the items' histories."""
    titles = {known.id: known.title for known in view.schema.schema_.dimensions}
    told = [{**page.thread_part(each), "dimension_title": titles.get(each.dimension, each.dimension)} for each in found]
    sent.threads(services, told)
    data = {
        "csrf": services.csrf,
        "person": services.person.id,
        "threads": told,
        "history": history,
        "single": single,
    }
    _component(key=key, data=data)
