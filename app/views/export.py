"""Export: write the project's items to files, read the manifest, take them with you."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from annotation_schemas import registry
from app import markup, shell, unpack
from app.services import Services
from domain.records import ProjectView
from workflow import release

CHOICES = {True: "The verified split: only what was kept", False: "All items as they stand"}


def render(services: Services) -> None:
    """Choose, prepare, read, download."""
    view = shell.lead_of(services)
    shell.heading(
        "Export",
        "Items leave in the format they came in; what nobody touched leaves byte for byte as it came.",
        made_up=view.made_up,
    )
    formats = formats_of(view)
    if not formats:
        shell.show(markup.notice("The schema of this project names no format that can be written yet."))
        return
    with st.form("export", border=False):
        left, right = st.columns([2, 1])
        with left:
            verified = st.radio(
                "What", list(CHOICES), format_func=lambda choice: CHOICES[choice], key="export.verified"
            )
        with right:
            chosen = st.selectbox("Format", formats, key="export.format")
        sent = st.form_submit_button("Prepare", type="primary", key="export.prepare")
    if sent:
        st.session_state["export.ready"] = _prepare(services, view, chosen, verified=bool(verified))
    ready = st.session_state.get("export.ready")
    if ready and ready["project"] == view.name:
        _ready(ready)


def formats_of(view: ProjectView) -> list[str]:
    """What can be written: the format that the project's items came in first, then answers and ratings."""
    schema = view.schema.schema_
    named = [*([schema.source.format] if schema.source else []), *schema.export.formats, "predictions", "ratings"]
    rows = (registry.find("format", name) for name in dict.fromkeys(named))
    return [row.name for row in rows if row is not None and row.available]


def _prepare(services: Services, view: ProjectView, chosen: str, *, verified: bool) -> dict[str, Any]:
    with shell.progress_bar("Reading the items") as progress:
        made = release.release(
            services.store,
            by=services.person,
            project=view.name,
            format=chosen,
            verified=verified,
            progress=progress,
        )
    manifest = made.files.get("manifest.json")
    return {
        "project": view.name,
        "name": f"{view.name}-{chosen}-{'verified' if verified else 'all'}.zip",
        "items": made.items,
        "files": sorted(made.files),
        "manifest": json.loads(manifest) if manifest else None,
        "zip": unpack.pack(made.files),
    }


def _ready(ready: Mapping[str, Any]) -> None:
    files = ready["files"]
    words = f"Ready: {markup.count(ready['items'], 'item')} in {markup.count(len(files), 'file')}."
    shell.show(markup.notice(words, style="good"))
    st.download_button(
        "Download", ready["zip"], file_name=ready["name"], mime="application/zip", type="primary", key="export.download"
    )
    manifest = ready["manifest"]
    if manifest is None:
        shell.show(
            markup.paragraph("An export of all items has no manifest: nothing was decided by it.", style="ts ts-quiet")
        )
        shell.show(
            markup.table([("File", "")], [[markup.tag("span", markup.text(name), style="ts-mono")] for name in files])
        )
        return
    shell.section("Manifest")
    shell.show(manifest_table(manifest))
    with st.expander("Votes and checksums, as they stand in the file"):
        st.json(manifest, expanded=1)


def manifest_table(manifest: Mapping[str, Any]) -> markup.Markup:
    """What a reader of the release asks first: everything in the manifest that is no long list."""
    rows = [
        [markup.tag("b", markup.text(name.replace("_", " "))), markup.tag("span", _shown(value), style="ts-mono")]
        for name, value in manifest.items()
        if not isinstance(value, list | dict) or len(json.dumps(value)) < 400
    ]
    return markup.table([("", ""), ("", "wide")], rows)


def _shown(value: Any) -> markup.Markup:
    if isinstance(value, Mapping):
        return markup.joined([markup.tag("div", markup.text(f"{name}: {part}")) for name, part in value.items()])
    return markup.text(value)
