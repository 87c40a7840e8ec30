"""Prepare an export, and show it: its manifest, and a button that downloads it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from annotation_schemas.formats import Format, offered
from app import markup, shell
from app.services import Services
from app.widgets import version_switch
from domain.records import ProjectView
from exporters import zip_file
from workflow.files import export
from workflow.files.columns_used import formats_used
from workflow.files.manifest_entries import part_words

MOST = 1_000
"""Largest number of items for which the manifest is shown in full."""


def formats_of(services: Services, view: ProjectView) -> list[Format]:
    """Return the formats that can be written. The formats in which items were imported come first."""
    used = formats_used(services.store, by=services.person, project=view.name)
    return offered(view.schema.schema_, writes=True, used=used)


def prepare(
    services: Services,
    view: ProjectView,
    chosen: Format,
    *,
    public: bool = False,
    schema_version: int | None = None,
    run: str | None = None,
    unanswered: str | None = None,
    only: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Prepare an export and return the data that the page shows.

    ``only``: export these items, by their ids in files.
    """
    with shell.progress_bar("Reading the items") as progress:
        made = export.exported(
            services.store,
            by=services.person,
            project=view.name,
            format=chosen.name,
            public=public,
            schema_version=schema_version,
            run=run,
            unanswered=unanswered,
            only=only,
            progress=progress,
        )
    written = made.files.get("manifest.json")
    manifest = json.loads(written) if written else None
    which = ("public" if public else "all") + version_switch.in_name(schema_version)
    if only is not None and manifest:
        which = part_words(made.items, manifest["restricted"]["of"])
    return {
        "project": view.name,
        "name": f"{view.name}-{chosen.name}-{which}.zip",
        "words": " ".join(filter(None, (_words_of_ready(made, chosen, schema_version), made.part))),
        "files": sorted(made.files),
        "manifest": manifest,
        "zip": zip_file.pack(made.files),
    }


def _words_of_ready(made: export.MemoryExport, chosen: Format, schema_version: int | None) -> str:
    of = "" if schema_version is None else f", with only the ratings under schema version {schema_version}"
    return f"Ready: {markup.count(made.items, chosen.takes.noun)} in {markup.count(len(made.files), 'file')}{of}."


def show_ready(ready: Mapping[str, Any], *, key: str = "export.download") -> None:
    """Show a prepared export: a download button and the manifest."""
    files = ready["files"]
    shell.show(markup.notice(ready["words"], style="good"))
    st.download_button(
        "Download", ready["zip"], file_name=ready["name"], mime="application/zip", type="primary", key=key
    )
    manifest = ready["manifest"]
    if manifest is None:
        shell.show(
            markup.paragraph(
                "An export of all items has no manifest. For a manifest with the votes on every item, create a "
                "release.",
                style="ts ts-quiet",
            )
        )
        shell.show(
            markup.table([("File", "")], [[markup.tag("span", markup.text(name), style="ts-mono")] for name in files])
        )
        return
    shell.section("Manifest")
    shell.show(manifest_table(manifest))
    shell.section("Item counts")
    shell.show(counts_table(manifest["counts"]))
    shell.section("Files")
    shell.show(files_table(manifest["files"]))
    if len(manifest["items"]) > MOST:
        return
    with st.expander("The whole manifest"):
        st.json(manifest, expanded=1)


def manifest_table(manifest: Mapping[str, Any]) -> markup.Markup:
    """Return a table of the manifest's head: project, schema, policy."""
    rows = [
        [markup.tag("b", markup.text(name.replace("_", " "))), markup.tag("span", _shown(value), style="ts-mono")]
        for name, value in manifest.items()
        if name not in ("counts", "items", "files")
    ]
    return markup.table([("What", "name"), ("Value in the manifest", "")], rows)


def counts_table(counts: Mapping[str, Any]) -> markup.Markup:
    """Return a table of the number of items at each gate, in total and by dimension."""
    gates = [name for name, value in counts.items() if isinstance(value, int)]
    lines = {"all": counts, **counts.get("by_dimension", {})}
    return markup.table(
        [("Dimension", "name"), *((gate.replace("_", " "), "number") for gate in gates)],
        [[markup.text(name), *(markup.text(line.get(gate, 0)) for gate in gates)] for name, line in lines.items()],
    )


def files_table(files: Sequence[Mapping[str, Any]]) -> markup.Markup:
    """Return a table of the files with their checksums."""
    return markup.table(
        [("File", ""), ("Bytes", "number"), ("SHA-256", "")],
        [
            [
                markup.tag("span", markup.text(file["path"]), style="ts-mono"),
                markup.text(file["bytes"]),
                markup.tag("span", markup.text(file["sha256"]), style="ts-mono ts-small"),
            ]
            for file in files
        ],
    )


def _shown(value: Any) -> markup.Markup:
    if isinstance(value, Mapping):
        return markup.joined(
            [
                markup.tag("div", markup.text(f"{name.replace('_', ' ')}: {_words(part)}"))
                for name, part in value.items()
            ]
        )
    return markup.text(_words(value))


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name.replace('_', ' ')}: {_words(part)}" for name, part in value.items())
    if isinstance(value, list):
        return "; ".join(map(_words, value)) or "none"
    return "none" if value is None else str(value)
