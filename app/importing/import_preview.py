"""Draw the preview of an import, and a running or finished import, on the page Add items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from annotation_schemas.model import Schema
from app import markup, shell
from app.importing import import_jobs
from app.importing.column_choice import in_words
from app.jobs import imports
from app.jobs.imports import ImportOrder, ImportOutcome, ImportPreview, PreviewItem
from app.services import Services
from domain.errors import InvalidRowsError
from domain.jobs import Job
from domain.records import ProjectView
from workflow.files.uploads import Source
from workflow.jobs import desk

LOOK_SECONDS = 0.7
AT_ONCE = 3
"""Number of items side by side."""
WHOSE = 12
"""Number of models, raters or judges that are named."""
_WHOSE = {"answer": "model", "rating": "rater", "reply": "judge"}
_CUT = 120
_LOOK = "import.look"


# ---- an import ------------------------------------------------------------------------------------------------------


def last_import(services: Services, view: ProjectView, told: Callable[[ImportOutcome], None]) -> bool:
    """Draw the progress or the result of a project's last import. Tell whether an import is running.

    ``told`` draws the result of the person's own import.
    """
    job = import_jobs.last_import(services, view.name)
    if job is not None and job.is_open:
        _watch(services, view)
    elif job is not None and job.person == services.person.id:
        came = import_jobs.came_of(services, job)
        if not job.refused:
            told(came)
        elif came.rows:
            shell.show_error(InvalidRowsError(came.rows, n=came.n_rows, end=came.end))
        else:
            shell.show(markup.notice(shell.on_page(job.refused), style="bad"))
        st.button("Close message", key="import.read", on_click=import_jobs.put_away, args=(services, job))
    return job is not None and job.is_open


@st.fragment(run_every=LOOK_SECONDS)
def _watch(services: Services, view: ProjectView) -> None:
    with shell.guard(services):
        job = import_jobs.last_import(services, view.name)
        if job is None or not job.is_open:
            st.rerun()
            return
        whose = (
            "Your import" if job.person == services.person.id else f"{import_jobs.who_began(services, job)}'s import"
        )
        text = f"{whose} of {import_jobs.called(job)} continues even if you leave this page. {job.at or 'Starting'}"
        st.progress(job.share, text=text)


# ---- a look ---------------------------------------------------------------------------------------------------------


class _OpenPreview:
    """A preview of the files on one person's page."""

    def __init__(self, order: ImportOrder, job: Job) -> None:
        self.order, self.job = order, job
        self.seen: ImportPreview | None = None

    def refresh(self, services: Services) -> None:
        """Read the progress of the job."""
        if self.job.is_open:
            self.job = desk.job(services.store, id=self.job.id)


def look(services: Services, order: ImportOrder) -> ImportPreview | None:
    """Return the preview of these files. None while the preview is running, or if it was refused; the page shows both.

    The preview starts by itself, one at a time. If the settings change in between, the new settings come next.
    """
    there: _OpenPreview | None = st.session_state.get(_LOOK)
    if there is not None:
        there.refresh(services)
    if there is None or (there.order.key != order.key and not there.job.is_open):
        there = st.session_state[_LOOK] = _OpenPreview(order, import_jobs.begin_look(services, order))
    if there.job.is_open or there.order.key != order.key:
        _look_on(services, there)
        return None
    if there.job.refused:
        shell.show(markup.notice(shell.on_page(there.job.refused), style="bad"))
        return None
    if there.seen is None:
        there.seen = there.job.result
    return there.seen


@st.fragment(run_every=LOOK_SECONDS)
def _look_on(services: Services, there: _OpenPreview) -> None:
    with shell.guard(services):
        there.refresh(services)
        if not there.job.is_open:
            st.rerun()
        st.progress(there.job.share, text=f"Reading all rows. Touchstone has not stored any data yet. {there.job.at}")


def show(seen: ImportPreview, *, skip_bad: bool, new_only: bool) -> None:
    """Draw what an import would do, in numbers and a sentence."""
    n = seen.counts
    heads = [(name, "number") for name in ("New", "Changed", "Unchanged", "Invalid", "Media found", "Media missing")]
    keys = ("new", "changed", "equal", "bad", "found", "missing")
    shell.show(markup.tag("div", markup.table(heads, [[markup.number(n[key]) for key in keys]]), data_part="counts"))
    if seen.beside:
        shell.show(markup.tag("div", markup.notice(seen.beside, style="bad"), data_part="beside"))
    _warn(seen)
    _verdict(seen, skip_bad=skip_bad, new_only=new_only)


def _warn(seen: ImportPreview) -> None:
    """Show the warnings above the button that imports, because they may change a lead's mind."""
    for warning in seen.warnings:
        shell.show(markup.notice(shell.on_page(f"{imports.WARNING}{warning}"), style="bad"))


def show_rows(schema: Schema, seen: ImportPreview, source: Source) -> None:
    """Draw the rows behind the numbers: bad, changed or missing rows, and the first items as they will be."""
    n = seen.counts
    if seen.bad:
        rows = [
            [
                markup.text(bad_row.path),
                markup.number(bad_row.row),
                markup.text(_cut(bad_row.item)),
                markup.text(shell.on_page(bad_row.reason) + "."),
            ]
            for bad_row in seen.bad
        ]
        with st.expander(
            _titled("row is", "rows are", n["bad"], len(rows), "invalid"), expanded=len(rows) <= shell.FEW
        ):
            shell.show(markup.table([("File", ""), ("Row", "number"), ("Item", ""), ("Problem", "")], rows))
        _download("Download bad rows", source.folder / imports.BAD, "import.look.bad")
    if seen.differences:
        titles = {field.name: field.title for field in schema.item.fields}
        rows = [
            [
                markup.number(difference.row),
                markup.text(_cut(difference.item)),
                markup.text(titles.get(difference.part) or difference.part or "Only the notation"),
                *map(markup.text, as_changed(difference.before, difference.after) if difference.part else ("", "")),
            ]
            for difference in seen.differences
        ]
        heads = [("Row", "number"), ("Item", ""), ("Field", ""), ("In the project", ""), ("In the file", "")]
        words = f"{markup.count(n['changed'], 'row')} with different content for existing items"
        with st.expander(words, expanded=len(rows) <= shell.FEW):
            shell.show(markup.table(heads, rows))
        _download("Download changed rows", source.folder / imports.CHANGED, "import.look.changed")
    if seen.missing:
        more = f" and {n['missing'] - len(seen.missing):,} more" if n["missing"] > len(seen.missing) else ""
        words = f"Missing media: {', '.join(map(_cut, seen.missing))}{more}. Items wait until you import their media."
        shell.show(markup.tag("p", markup.text(words), style="ts ts-quiet", data_part="missing"))
        if more:
            _download("Download missing media", source.folder / imports.MISSING, "import.look.missing")
    if seen.note:
        shell.show(markup.tag("p", markup.text(shell.on_page(seen.note)), style="ts ts-quiet"))
    if seen.first:
        shell.show(markup.paragraph("Preview of the first items:", style="ts ts-quiet"))
        shell.show(_as_columns(schema, seen.first[:AT_ONCE]))
        if more_items := seen.first[AT_ONCE:]:
            with st.expander(f"{len(more_items)} more"):
                for begin in range(0, len(more_items), AT_ONCE):
                    shell.show(_as_columns(schema, more_items[begin : begin + AT_ONCE]))


def show_other(seen: ImportPreview, *, skip_bad: bool) -> None:
    """Draw what an import of answers, ratings or replies would do, in numbers and a sentence."""
    n = seen.counts
    heads = [(name, "number") for name in ("New", "Changed", "Unchanged", "Invalid")]
    cells = [markup.number(n[key]) for key in ("new", "changed", "equal", "bad")]
    shell.show(markup.tag("div", markup.table(heads, [cells]), data_part="counts"))
    _warn(seen)
    left = n["bad"] + n["changed"]
    if seen.refused:
        shell.show(markup.notice(f"Touchstone cannot import this file. {shell.on_page(seen.refused)}", style="bad"))
    elif left and not skip_bad:
        shell.show(markup.notice(_bad_words(left), style="bad"))
    elif not n["new"]:
        shell.show(markup.notice("The file has no new rows."))
    else:
        out = f" {markup.count(left, 'row')} will be skipped. Existing data stays unchanged." if left else ""
        shell.show(markup.notice(f"{markup.count(n['new'], *nouns(seen))} will be imported.{out}", style="good"))


def show_other_rows(seen: ImportPreview, source: Source) -> None:
    """Draw the rows behind those numbers: new rows by source, bad rows, and the first rows as they will be."""
    left = seen.counts["bad"] + seen.counts["changed"]
    if seen.by:
        named = [f"{_cut(whose)}: {count:,}" for whose, count in list(seen.by.items())[:WHOSE]]
        more = f", and {len(seen.by) - WHOSE:,} more" if len(seen.by) > WHOSE else ""
        shell.show(
            markup.tag(
                "p",
                markup.text(f"New rows by {_WHOSE.get(seen.what, 'source')}: {', '.join(named)}{more}."),
                style="ts ts-quiet",
            )
        )
    if seen.note:
        shell.show(markup.tag("p", markup.text(shell.on_page(seen.note)), style="ts ts-quiet"))
    if seen.bad:
        rows = [
            [markup.text(bad_row.path), markup.number(bad_row.row), markup.text(shell.on_page(bad_row.reason) + ".")]
            for bad_row in seen.bad
        ]
        words = _titled("row is", "rows are", left, len(rows), "changed or invalid")
        with st.expander(words, expanded=len(rows) <= shell.FEW):
            shell.show(markup.table([("File", ""), ("Row", "number"), ("Problem", "")], rows))
        _download("Download bad rows", source.folder / imports.BAD, "import.look.bad")
    if seen.rows:
        shell.show(markup.paragraph("Preview of the first new rows:", style="ts ts-quiet"))
        rows = [[markup.text(_cut(cell)) for cell in row] for row in seen.rows]
        table = markup.table([(head, "") for head in seen.heads], rows)
        shell.show(markup.tag("div", table, data_part="first"))


def nouns(seen: ImportPreview) -> tuple[str, str]:
    """Return what the rows of a file are, as one and as several."""
    return {"reply": ("reply", "replies")}.get(seen.what, (seen.what, f"{seen.what}s"))


def label(seen: ImportPreview, one: str, many: str) -> str:
    """Return the label of the button that imports: "Import 3,355 items"."""
    return f"Import {markup.count(seen.counts['new'], one, many)}" if seen.counts["new"] else "Import"


def takes(seen: ImportPreview, *, skip_bad: bool) -> bool:
    """Tell whether an import of answers, ratings or replies would be accepted."""
    return seen.refused is None and (skip_bad or not (seen.counts["bad"] or seen.counts["changed"]))


def comes(seen: ImportPreview, *, skip_bad: bool, new_only: bool) -> bool:
    """Tell whether an import of items would be accepted."""
    return (seen.new_refused if new_only else seen.refused) is None and (skip_bad or not seen.counts["bad"])


def _verdict(seen: ImportPreview, *, skip_bad: bool, new_only: bool) -> None:
    refused = seen.new_refused if new_only else seen.refused
    n = seen.counts
    if refused:
        shell.show(markup.notice(f"Touchstone cannot import this file. {shell.on_page(refused)}", style="bad"))
    elif n["bad"] and not skip_bad:
        shell.show(markup.notice(_bad_words(n["bad"]), style="bad"))
    elif not n["new"]:
        media = " The import adds the missing images and clips that Touchstone found." if n["found"] else ""
        shell.show(markup.notice(f"The file has no new items.{media}"))
    else:
        words = f"{markup.count(n['new'], 'item')} will be imported."
        words += f" Existing items that differ from the file stay unchanged: {n['changed']:,}." if n["changed"] else ""
        words += f" {markup.count(n['bad'], 'bad row')} will be skipped." if n["bad"] else ""
        shell.show(markup.notice(f"{words} Existing votes stay unchanged.", style="good"))


def _bad_words(n: int) -> str:
    return (
        f"{markup.count(n, 'row')} {'is' if n == 1 else 'are'} invalid. Correct the file, or choose “Skip bad rows”"
        " under Format and options."
    )


def _titled(one: str, many: str, n: int, shown: int, rest: str) -> str:
    first = f"The first {shown:,} of " if shown < n else ""
    return f"{first}{n:,} {one if n == 1 else many} {rest}"


def _download(label: str, path: Path, key: str) -> None:
    st.download_button(label, data=path.read_bytes, file_name=path.name, mime="text/csv", key=key)


def _as_columns(schema: Schema, items: Sequence[PreviewItem]) -> markup.Markup:
    """Return items side by side, with a line for each field, so that the table is never wider with more fields."""
    lines = [("Dimension", [markup.text(item.dimension) for item in items])]
    for slot in schema.item.assets:
        media = [[_medium(*medium[1:]) for medium in item.media if medium[0] == slot.role] for item in items]
        lines.append((slot.role, [markup.joined(medium, " ") for medium in media]))
    for field in schema.item.fields:
        values = [markup.text(_cut(in_words(item.fields.get(field.name)))) for item in items]
        lines.append((field.title or field.name, values))
    heads = [("Item", ""), *((_cut(item.name), "") for item in items)]
    rows = [[markup.quiet(name), *cells] for name, cells in lines if any(cells)]
    return markup.tag("div", markup.table(heads, rows), data_part="first")


def _medium(name: str, there: bool, picture: str) -> markup.Markup:
    if picture:
        return markup.tag("img", src=picture, alt=name, title=name, height="48")
    return markup.text(_cut(name)) if there else markup.quiet(f"{_cut(name)}: missing")


def _cut(words: str) -> str:
    return words if len(words) <= _CUT else words[:_CUT] + "…"


def as_changed(before: object, after: object) -> tuple[str, str]:
    """Return two different values. Long values are shortened so that both show their first difference."""
    one, other = (in_words(value) or "nothing" for value in (before, after))
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    begin = max(same - _CUT // 2, 0) if max(len(one), len(other)) > _CUT else 0
    lead = "…" if begin else ""
    return lead + _cut(one[begin:]), lead + _cut(other[begin:])
