"""What stands on the page Import of a look at files, and of an import that is under way or over."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import streamlit as st

from annotation_schemas.model import Schema
from app import import_work, markup, shell
from app.apart import Going
from app.commands.import_look import as_words
from app.import_work import Came, Note, Order, Seen
from app.services import Services
from app.uploads import Source
from domain.errors import RowsRefused
from domain.records import ProjectView

LOOK_SECONDS = 0.7
_CUT = 80
_LOOK = "import.look"


# ---- an import ------------------------------------------------------------------------------------------------------


def last_import(services: Services, view: ProjectView, told: Callable[[Came], None]) -> bool:
    """How far the import of a project is, or what came of it; whether one is under way.

    ``told`` draws what an import of one's own came to.
    """
    note, running = import_work.state(services, view.name)
    if running:
        _watch(services, view)
    elif note is not None and not note.over:
        words = (
            f"The import of {note.what} that {_who(services, note)} began at {_at(note.began)} was broken off. Items "
            "come in all together or not at all: choose the file again, and the look below says whether they are here."
        )
        shell.show(markup.notice(words, style="bad"))
        _read(services, view)
    elif note is not None and note.by == services.person.id:
        came = import_work.came_of(note)
        if note.refused:
            refused = RowsRefused(came.rows, n=came.n_rows, end=came.end) if came.rows else None
            if refused is not None:
                shell.show_error(refused)
            else:
                shell.show(markup.notice(shell.on_page(note.refused), style="bad"))
        else:
            told(came)
        _read(services, view)
    return running


def _who(services: Services, note: Note) -> str:
    return "you" if note.by == services.person.id else note.who


def _at(seconds: float) -> str:
    return markup.moment(datetime.fromtimestamp(seconds, UTC))


def _read(services: Services, view: ProjectView) -> None:
    st.button("Read", key="import.read", on_click=import_work.put_away, args=(services, view.name))


@st.fragment(run_every=LOOK_SECONDS)
def _watch(services: Services, view: ProjectView) -> None:
    with shell.guard(services):
        note, running = import_work.state(services, view.name)
        if not running:
            st.rerun()
        if note is None:
            st.progress(0.0, text="The import begins")
            return
        whose = "Your import" if note.by == services.person.id else f"{note.who}'s import"
        done = min(note.done / note.of, 1.0) if note.of else 0.0
        st.progress(done, text=f"{whose} of {note.what} goes on if you leave this page. {note.at}")


# ---- a look ---------------------------------------------------------------------------------------------------------


class _Looking:
    """A look of one person's at the files on their page."""

    def __init__(self, order: Order, going: Going) -> None:
        self.order, self.going = order, going
        self.seen: Seen | None = None


def look(services: Services, order: Order) -> Seen | None:
    """What a look at these files has found; None as long as it is under way, or where it was refused: the page says so.

    It begins by itself, one at a time: what is chosen otherwise meanwhile is looked at next.
    """
    there: _Looking | None = st.session_state.get(_LOOK)
    if there is None or (there.order.key != order.key and there.going.over.is_set()):
        there = st.session_state[_LOOK] = _Looking(order, import_work.begin_look(services, order))
    if not there.going.over.is_set() or there.order.key != order.key:
        _look_on(services, there)
        return None
    if there.going.refused:
        shell.show(markup.notice(shell.on_page(there.going.refused), style="bad"))
        return None
    if there.seen is None:
        there.seen = import_work.seen_in(order.source.folder)
    return there.seen


@st.fragment(run_every=LOOK_SECONDS)
def _look_on(services: Services, there: _Looking) -> None:
    with shell.guard(services):
        if there.going.over.is_set():
            st.rerun()
        done = min(there.going.done / there.going.of, 1.0) if there.going.of else 0.0
        st.progress(done, text=f"Looking at all rows; nothing is stored. {there.going.at}")


def show(schema: Schema, seen: Seen, source: Source, *, skip_bad: bool, new_only: bool) -> None:
    """What an import would do."""
    n = seen.counts
    heads = [(name, "number") for name in ("New", "Changed", "Equal", "Bad", "Media found", "Media missing")]
    keys = ("new", "changed", "equal", "bad", "found", "missing")
    shell.show(
        markup.paragraph("An import of these files would find these rows; nothing is stored yet:", style="ts ts-quiet"),
        markup.tag("div", markup.table(heads, [[markup.number(n[key]) for key in keys]]), data_part="counts"),
    )
    if seen.first:
        shell.show(markup.paragraph("The first items, as they will be:", style="ts ts-quiet"))
        shell.show(_first(schema, seen))
    if seen.missing:
        more = f" and {n['missing'] - len(seen.missing):,} more" if n["missing"] > len(seen.missing) else ""
        words = f"Missing media: {', '.join(seen.missing)}{more}. No one gets an item until its media are imported."
        shell.show(markup.tag("p", markup.text(words), style="ts ts-quiet", data_part="missing"))
    if seen.note:
        shell.show(markup.tag("p", markup.text(shell.on_page(seen.note)), style="ts ts-quiet"))
    if seen.bad:
        rows = [
            [
                markup.text(each.path),
                markup.number(each.row),
                markup.text(each.item),
                markup.text(shell.on_page(each.reason) + "."),
            ]
            for each in seen.bad
        ]
        with st.expander(
            _titled("row does", "rows do", n["bad"], len(rows), "not fit"), expanded=len(rows) <= shell.FEW
        ):
            shell.show(markup.table([("File", ""), ("Row", "number"), ("Item", ""), ("What is wrong", "")], rows))
        _download("Download all rows that do not fit", source.folder / "bad.csv", "import.look.bad")
    if seen.differences:
        rows = [
            [
                markup.number(each.row),
                markup.text(each.item),
                markup.text(each.part or "only how the row is written"),
                markup.text(as_words(each.before) if each.part else ""),
                markup.text(as_words(each.after) if each.part else ""),
            ]
            for each in seen.differences
        ]
        heads = [("Row", "number"), ("Item", ""), ("Field", ""), ("Here now", ""), ("In the file", "")]
        words = f"{markup.count(n['changed'], 'row')} changed: the items are here with other content"
        with st.expander(words, expanded=len(rows) <= shell.FEW):
            shell.show(markup.table(heads, rows))
        _download("Download all that changed", source.folder / "changed.csv", "import.look.changed")
    _verdict(seen, skip_bad=skip_bad, new_only=new_only)


def comes(seen: Seen, *, skip_bad: bool, new_only: bool) -> bool:
    """Whether an import would be taken."""
    return (seen.new_refused if new_only else seen.refused) is None and (skip_bad or not seen.counts["bad"])


def _verdict(seen: Seen, *, skip_bad: bool, new_only: bool) -> None:
    refused = seen.new_refused if new_only else seen.refused
    n = seen.counts
    if refused:
        shell.show(markup.notice(f"An import would be refused: {shell.on_page(refused)}", style="bad"))
    elif n["bad"] and not skip_bad:
        words = (
            f"An import would be refused, as {markup.count(n['bad'], 'row')} {'does' if n['bad'] == 1 else 'do'} not "
            "fit: mend the file, or tick “Import the good rows when some are bad”."
        )
        shell.show(markup.notice(words, style="bad"))
    elif not n["new"] and not n["missing"] and not n["found"]:
        shell.show(markup.notice("Nothing of it is new: an import would add nothing."))
    else:
        left = [f"{n['changed']:,} changed stay as they are"] if n["changed"] else []
        left += [f"{n['bad']:,} that do not fit are left out"] if n["bad"] else []
        words = f"{markup.count(n['new'], 'item')} would come in" + "".join(f"; {each}" for each in left)
        shell.show(markup.notice(f"{words}. Votes on what is here stay.", style="good"))


def _titled(one: str, many: str, n: int, shown: int, rest: str) -> str:
    first = f"The first {shown:,} of " if shown < n else ""
    return f"{first}{n:,} {one if n == 1 else many} {rest}"


def _download(label: str, path: Path, key: str) -> None:
    st.download_button(label, data=path.read_bytes, file_name=path.name, mime="text/csv", key=key)


def _first(schema: Schema, seen: Seen) -> markup.Markup:
    roles = [slot.role for slot in schema.item.assets]
    heads = ["Item", "Dimension", *roles, *(each.title or each.name for each in schema.item.fields)]
    rows = []
    for item in seen.first:
        cells = [markup.text(_cut(item.name)), markup.text(item.dimension)]
        cells += [markup.joined([_medium(*each[1:]) for each in item.media if each[0] == role], " ") for role in roles]
        cells += [markup.text(_cut(_words(item.fields, each.name))) for each in schema.item.fields]
        rows.append(cells)
    return markup.tag("div", markup.table([(name, "") for name in heads], rows), data_part="first")


def _medium(name: str, there: bool, picture: str) -> markup.Markup:
    if picture:
        return markup.tag("img", src=picture, alt=name, title=name, height="48")
    return markup.text(_cut(name)) if there else markup.quiet(f"{_cut(name)}: missing")


def _words(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cut(words: str) -> str:
    return words if len(words) <= _CUT else words[:_CUT] + "…"
