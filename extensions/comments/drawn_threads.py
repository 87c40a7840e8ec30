"""Threads of comments on pages: the content for a browser, and the record of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

import streamlit as st

from app.services import Services
from app.workbench import assets
from app.workbench.page import Json, instant
from db.engine import Store
from domain.exposure import Disclosure, Fact, Route
from domain.records import Person, ProjectView
from extensions.comments.rules import Thread
from workflow.access import exposure

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
    parts = [
        {**thread_part(thread), "dimension_title": titles.get(thread.dimension, thread.dimension)} for thread in found
    ]
    for part in parts:
        record(services.store, services.person, json.dumps(part).encode(), part)
    data = {
        "csrf": services.csrf,
        "person": services.person.id,
        "threads": parts,
        "history": history,
        "single": single,
    }
    _component(key=key, data=data)


def thread_part(thread: Thread) -> Json:
    """Return the comments on an item that the person may read."""
    return {
        "project": thread.project,
        "item": thread.item,
        "title": thread.title,
        "comments": [{**asdict(comment), "at": instant(comment.at)} for comment in thread.comments],
        "people": [{"login": login, "name": thread.names.get(login, login)} for login in thread.people],
        "open": thread.open,
        "may_free": thread.may_free,
        "whole": thread.whole,
        "closed": thread.closed,
    }


def record(store: Store, person: Person, body: bytes, told: Json) -> None:
    """Record a thread of comments."""
    others = any(not comment.get("mine") for comment in told.get("comments") or ())
    if others and told.get("item"):
        exposure.sent_of_item(
            store,
            person=person,
            route=Route.COMMENTS,
            item=str(told["item"]),
            body=body,
            look=lambda secrets: Disclosure(facts=(Fact.COMMENTS,)),
        )
