"""The page *Export*: write the project's items to files, show the manifest, and download the files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from annotation_schemas.formats import Format, Takes, offered, writing
from annotation_schemas.formats import named as formats_named
from app import archives, checklist, markup, schema_switch, shell
from app.screens import Group, Screen
from app.services import Services
from domain.records import ProjectView
from domain.roles import Role
from domain.run_kinds import RunKind
from workflow.files import release
from workflow.files.columns_used import formats_used
from workflow.files.release_manifest import part_words
from workflow.results.ratings import RATED
from workflow.runs import run_views

SCREEN = Screen("Export", place=270, role=Role.LEAD, group=Group.RELEASE)

CHOICES = {True: "The verified split: only kept items", False: "All items as they stand"}

OF_MODELS = tuple(kind for kind in RunKind if kind.answers)
"""The kinds of runs that hold models' answers."""

MOST = 1_000
"""Largest number of items for which the manifest is shown in full."""


def render(services: Services) -> None:
    """Draw the choice of a format, the button that prepares the files, the manifest and the download."""
    view = shell.lead_of(services)
    shell.heading(
        "Export",
        "Items are written in the format in which they came; an untouched item is the same, byte for byte.",
        made_up=view.made_up,
    )
    formats = formats_of(services, view)
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
            names = {row.name: row for row in formats}
            chosen = names[st.selectbox("Format", list(names), key="export.format")]
            version = schema_switch.switch(
                services,
                view,
                key="export.schema",
                stages=RATED,
                help="For ratings, and for the verified split: of one version are the kept items of which all votes, "
                "and the senior's decision, were given under it.",
            )
            of_answers = _of_answers(services, view)
        sent = st.form_submit_button("Prepare", type="primary", key="export.prepare")
    if sent:
        st.session_state["export.ready"] = prepare(
            services,
            view,
            chosen,
            verified=bool(verified),
            schema_version=version,
            **(of_answers if chosen.takes is Takes.ANSWERS else {}),
        )
    ready = st.session_state.get("export.ready")
    if ready and ready["project"] == view.name:
        show_ready(ready)
    checklist.before_release(services, view)


def formats_of(services: Services, view: ProjectView) -> list[Format]:
    """Return the formats that can be written. The formats in which items were imported come first."""
    used = formats_used(services.store, by=services.person, project=view.name)
    return offered(view.schema.schema_, writes=True, used=used)


def _of_answers(services: Services, view: ProjectView) -> dict[str, Any]:
    """Draw the choice of a run, for formats with models' answers: one run, or all of them.

    Return the chosen arguments; empty if the project has no run.
    """
    who: dict[str, Any] = {"by": services.person, "project": view.name}
    there = [
        run for kind in OF_MODELS for run in run_views.runs_of(services.store, kind=kind, **who) if not run.withdrawn
    ]
    times = Counter(run.name for run in there)
    named = {run.id: run.name + (f" ({run.id})" if times[run.name] > 1 else "") for run in there}
    if not named:
        return {}
    run = st.selectbox(
        "Run, for answers",
        list(named),
        index=None,
        format_func=named.__getitem__,
        key="export.run",
        help=f"For {formats_named(writing(Takes.ANSWERS))}.",
    )
    label = st.text_input(
        "Label of items without an answer",
        key="export.unanswered",
        help=f"In {formats_named(row for row in writing(Takes.ANSWERS) if row.needs_run)}. "
        "Without one, a run that lacks answers is not written.",
    )
    return {"run": run, "unanswered": label.strip() or None}


def prepare(
    services: Services,
    view: ProjectView,
    chosen: Format,
    *,
    verified: bool,
    schema_version: int | None = None,
    run: str | None = None,
    unanswered: str | None = None,
    only: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Prepare an export and return the data that the page shows.

    ``only``: export these items, by their ids in files.
    """
    with shell.progress_bar("Reading the items") as progress:
        made = release.release(
            services.store,
            by=services.person,
            project=view.name,
            format=chosen.name,
            verified=verified,
            schema_version=schema_version,
            run=run,
            unanswered=unanswered,
            only=only,
            progress=progress,
        )
    written = made.files.get("manifest.json")
    manifest = json.loads(written) if written else None
    which = ("verified" if verified else "all") + schema_switch.in_name(schema_version)
    if only is not None and manifest:
        part = part_words(made.items, manifest["restricted"]["of"])
        which = f"{part}-{which}" if verified else part
    return {
        "project": view.name,
        "name": f"{view.name}-{chosen.name}-{which}.zip",
        "words": " ".join(filter(None, (_words_of_ready(made, chosen, schema_version), made.part))),
        "files": sorted(made.files),
        "manifest": manifest,
        "zip": archives.pack(made.files),
    }


def _words_of_ready(made: release.MemoryExport, chosen: Format, schema_version: int | None) -> str:
    of = "" if schema_version is None else f", of version {schema_version} of the schema alone"
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
                "An export of all items has no manifest, because it does not depend on verdicts.", style="ts ts-quiet"
            )
        )
        shell.show(
            markup.table([("File", "")], [[markup.tag("span", markup.text(name), style="ts-mono")] for name in files])
        )
        return
    shell.section("Manifest")
    shell.show(manifest_table(manifest))
    shell.section("Items at each gate")
    shell.show(counts_table(manifest["counts"]))
    shell.section("Files")
    shell.show(files_table(manifest["files"]))
    if len(manifest["items"]) > MOST:
        shell.show(markup.quiet("The file has the votes behind every item."))
        return
    with st.expander("The whole manifest, with the votes behind every item"):
        st.json(manifest, expanded=1)


def manifest_table(manifest: Mapping[str, Any]) -> markup.Markup:
    """Return a table of the manifest's head: project, schema, policy."""
    rows = [
        [markup.tag("b", markup.text(name.replace("_", " "))), markup.tag("span", _shown(value), style="ts-mono")]
        for name, value in manifest.items()
        if name not in ("counts", "items", "files")
    ]
    return markup.table([("What", "name"), ("As the manifest says it", "")], rows)


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
