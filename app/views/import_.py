"""The page *Add items*: import items, models' answers and ratings from files, and images for the pool."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from annotation_schemas.formats import FORMATS, ColumnMapping, Format, Names, Takes, offered
from app import markup, shell
from app.importing import column_choice, file_inputs, import_jobs, import_preview, rater_kinds
from app.importing.file_inputs import named_otherwise, typed_path
from app.importing.result_sentence import imported_sentence, show_losses
from app.jobs import imports
from app.jobs.imports import ImportOrder, ImportOutcome
from app.judging import begin
from app.screens import SCREENS, Action, Room, Screen
from app.services import Services
from domain import extensions
from domain.errors import InvalidFileError, TouchstoneError
from domain.item_filter import ItemFilter, ItemList
from domain.jobs import JobState
from domain.judging import JudgePlan
from domain.records import BadRow, ProjectView
from domain.roles import Role
from domain.states import RatersAre
from importers.item_preview import ItemPreview, by_default
from importers.recognised import recognised
from workflow.files import uploads
from workflow.files.columns_used import columns_used
from workflow.files.one_import import ImportSummary, Progress
from workflow.files.rows_look import LOOKED_AT
from workflow.files.uploads import Source
from workflow.results import file_raters

SCREEN = Screen(
    "Add items",
    place=105,
    room=Room.ITEMS,
    role=Role.LEAD,
    words="import upload files data csv json images media sources add answers ratings zip",
    actions=(Action("Import model answers", "upload predictions responses"), Action("Upload files", "import images")),
)

ITEMS = "Items, answers or ratings"


def render(services: Services) -> None:
    """Draw the import of files with items, answers or ratings, or an import that an extension adds."""
    view = shell.lead_of(services)
    shell.heading(
        "Add items",
        "Import items, models' answers or ratings from a file. Before storing data, Touchstone shows a preview.",
        made_up=view.made_up,
    )
    shell.tell_refused()
    others = dict(extensions.rows("import_sections"))
    missing = extensions.all_missing("import_sections")
    part = st.query_params.get("part")
    first = part if part in others else ITEMS
    what = st.segmented_control(
        "What", [ITEMS, *others, *missing], default=first, key="import.what", label_visibility="collapsed"
    )
    if what in others:
        others[what](services, view)
    elif what in missing:
        shell.show(markup.notice(missing[what]))
    else:
        _items(services, view)


def _items(services: Services, view: ProjectView) -> None:
    _begin_anew(services, view)
    before = st.container()
    formats = {row.name: row for row in offered(view.schema.schema_, writes=False)}
    chosen_files = _files(services, view)
    source = chosen_files.source(services, view)
    with before:
        running = import_preview.last_import(services, view, partial(_told, view))
    preview_at, go_at, rows_at = st.container(), st.container(), st.container()
    settings = _settings(services, view, formats, source, chosen_files)
    takes, skip_bad, new_only = settings.takes, settings.skip_bad, settings.new_only
    seen = rows = None
    ready = source is not None and (settings.plan is not None or takes is not Takes.REPLIES) and not running
    label = "Import"
    if source is None:
        with go_at:
            _example(view, next(row for row in formats.values() if row.takes is Takes.ITEMS))
    with preview_at:
        if settings.why:
            shell.show(markup.tag("p", markup.text(settings.why), style="ts ts-quiet", data_part="recognised"))
        if takes is Takes.ITEMS and source is not None and not running:
            about = {"format": settings.format, "dimension": settings.dimension, "said": settings.mapping}
            seen = import_preview.look(services, ImportOrder(view.name, source, about))
            if seen is not None:
                import_preview.show(seen, skip_bad=skip_bad, new_only=new_only)
                label = import_preview.label(seen, "item", "items")
            elif settings.beginning is not None and not settings.beginning.refused:  # the preview reports a refusal
                column_choice.show(view.schema.schema_, settings.beginning)
            comes = seen is not None and import_preview.comes(seen, skip_bad=skip_bad, new_only=new_only)
            ready = ready and (comes or source.path is not None)  # the file on the server may have been fixed since
        elif takes in LOOKED_AT and ready and source is not None:
            of_rows: dict[str, Any] = {"format": settings.format, "dimension": settings.dimension}
            of_rows |= {"plan": settings.plan} if takes is Takes.REPLIES else {"model": settings.model}
            rows = import_preview.look(services, ImportOrder(view.name, source, of_rows))
            if rows is not None:
                import_preview.show_other(rows, skip_bad=skip_bad)
                label = import_preview.label(rows, *import_preview.nouns(rows))
            ready = (rows is not None and import_preview.takes(rows, skip_bad=skip_bad)) or source.path is not None
    with go_at:
        if takes in (Takes.TASKS, Takes.REPLIES):
            _here(services, view, settings, source if ready else None, label)
        else:
            taken: dict[str, Any] = {"format": settings.format, "dimension": settings.dimension}
            taken |= {"model": settings.model, "raters": settings.are, "said": settings.mapping}
            taken |= {"skip_bad": skip_bad, "new_only": new_only}

            def go() -> None:
                if source is not None:
                    import_jobs.begin(services, ImportOrder(view.name, source, taken))

            shell.does(st, label, services, go, key="import.items.go", type="primary", disabled=not ready)
    with rows_at:
        if rows is not None and source is not None:
            import_preview.show_other_rows(rows, source)
        if seen is not None and source is not None:
            import_preview.show_rows(view.schema.schema_, seen, source)
    rater_kinds.draw_raters(services, view)


@dataclass(frozen=True)
class _ChosenFiles:
    """The files that a person chose: uploads, or paths on the server."""

    files: Sequence[Any] | None = None
    media: Any | None = None
    path: str | None = None
    media_path: str | None = None
    of_frames: Path | None = None

    def source(self, services: Services, view: ProjectView) -> Source | None:
        """Return a source that another process can read."""
        return _source(services, view, self.files, self.media, self.path, self.media_path, self.of_frames)


def _files(services: Services, view: ProjectView) -> _ChosenFiles:
    """Draw the inputs for the files and their media."""
    if file_inputs.where(services, "import.items") != file_inputs.UPLOAD:
        path = st.text_input("File or folder", key="import.items.path")
        media_path = st.text_input("Folder with images and clips (optional)", key="import.items.media_path")
        return _ChosenFiles(path=path, media_path=media_path)
    round = st.session_state.setdefault(_ROUND, 0)
    files = st.file_uploader(
        "Drop a file here: CSV, Excel, JSON, JSON Lines, or a zip of such files",
        accept_multiple_files=True,
        key=f"import.items.files.{round}",
    )
    media = st.file_uploader(
        "Images and clips as a zip (optional; you can add media later)", type=["zip"], key=f"import.items.media.{round}"
    )
    of_frames = file_inputs.media_of_extensions(services, view, "import.items") if media is None else None
    return _ChosenFiles(files, media, of_frames=of_frames)


def _example(view: ProjectView, row: Format) -> None:
    """Draw what a file of items looks like, with an empty table to start from where the project reads tables."""
    if row.keys is None or not row.keys.open:
        words = f"This project imports items as {row.words}. You can also import models' answers and ratings. "
        parts = [markup.quiet(words), markup.quiet("To import items from a CSV file, ")]
        if "builder" in SCREENS:
            parts += [markup.link("build a form", "/builder"), markup.quiet(" for them, or ")]
        parts.append(markup.link("create a project", "/new_project?from=file"))
        parts.append(markup.quiet(" from a schema with the source format csv."))
        shell.show(markup.tag("p", *parts, style="ts ts-small", data_part="columns"))
        return
    names = list(by_default(view.schema.schema_, row.name).values())
    cells = markup.joined([markup.mono(name) for name in names], ", ")
    left, right = st.columns([3, 1], vertical_alignment="center")
    with left:
        intro = markup.quiet("A table of items has one row per item and these columns: ")
        shell.show(markup.tag("p", intro, cells, style="ts ts-small", data_part="columns"))
    table = ",".join(names) + "\n"
    right.download_button("Empty table (CSV)", table, file_name=f"{view.name}-items.csv", mime="text/csv")


@dataclass(frozen=True)
class _Settings:
    """The settings of an import below *Format and options*."""

    format: str
    takes: Takes
    dimension: str | None
    why: str
    """Why the format and the columns were selected. Empty: nobody knows."""
    model: str | None
    are: RatersAre | None
    names: Callable[[], Names] | None
    plan: JudgePlan | None
    mapping: ColumnMapping | None
    beginning: ItemPreview | None
    skip_bad: bool
    new_only: bool


def _settings(
    services: Services,
    view: ProjectView,
    formats: Mapping[str, Format],
    source: Source | None,
    chosen_files: _ChosenFiles,
) -> _Settings:
    """Draw the settings. The format of the chosen file is selected by itself."""
    path = chosen_files.path
    with tempfile.TemporaryDirectory(prefix="touchstone-look-") as looked:
        first = column_choice.beginning(typed_path(path) if path else chosen_files.files, Path(looked))
        why = _recognised(view, formats, source, first)
        with st.expander("Format and options"):
            left, right = st.columns([3, 2])
            with left:
                chosen = st.selectbox(
                    "Format",
                    list(formats),
                    key="import.format",
                    format_func=lambda name: formats[name].words,
                    on_change=_by_hand,
                )
                takes = formats[chosen].takes
            with right:
                dimension = file_inputs.dimension(view, "Default dimension", "import.dimension", none="As in the file")
            model = None
            if takes in (Takes.ANSWERS, Takes.TASKS):
                model = st.text_input(
                    "Default model",
                    key="import.model",
                    help=("If a row has no model name, Touchstone uses this name. Example: gpt-4o."),
                )
            are = rater_kinds.draw_kind() if takes in (Takes.RATINGS, Takes.TASKS) else None
            names = _name_pairs(model) if takes is Takes.TASKS else None
            skip_bad = st.checkbox(
                "Skip bad rows",
                key="import.skip_bad",
                help="Import only the valid rows. Without this option, one invalid row stops the import.",
            )
            new_only = takes is Takes.ITEMS and st.checkbox(
                "Import new items only",
                key="import.new_only",
                help="Existing items stay unchanged, even if the file has different content for them.",
            )
        plan = _plan(services, view) if takes is Takes.REPLIES else None
        mapping = beginning = None
        guessed = ""
        if (keys := formats[chosen].keys) is not None and keys.open:
            used = partial(columns_used, services.store, by=services.person, project=view.name, format=chosen)
            fits = first if first is not None and first.suffix.lower() in keys.endings else None
            mapping, beginning, guessed = column_choice.draw_settings(
                view.schema.schema_, chosen, fits, lambda there: used(columns=there)
            )
    model = (model or "").strip() or None
    why = f"{why} {guessed}".strip()
    return _Settings(chosen, takes, dimension, why, model, are, names, plan, mapping, beginning, skip_bad, new_only)


_ROUND = "import.round"
_SOURCE, _OF, _CHOSEN = "import.source", "import.recognised", "import.by_hand"


def _begin_anew(services: Services, view: ProjectView) -> None:
    """Clear the chosen files after an import of them has finished."""
    job = import_jobs.last_import(services, view.name)
    if (
        job is None
        or job.state is not JobState.DONE
        or job.person != services.person.id
        or st.session_state.get("import.last") == job.id
    ):
        return
    st.session_state["import.last"] = job.id
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
    for name in (_SOURCE, _OF, _CHOSEN):
        st.session_state.pop(name, None)


def _by_hand() -> None:
    st.session_state[_CHOSEN] = True


def _source(
    services: Services,
    view: ProjectView,
    files: Sequence[Any] | None,
    media: Any | None,
    path: str | None,
    media_path: str | None,
    of_frames: Path | None,
) -> Source | None:
    """Return the chosen files as a source that another process can read. The same choice gives the same source."""
    if not files and not path:
        return None
    home = services.settings.home
    chosen: Any = (tuple(file.file_id for file in files or ()), media.file_id if media else None, path, media_path)
    chosen = (*chosen, of_frames)
    if path and (there := typed_path(path)).exists():
        chosen = (*chosen, there.stat().st_mtime_ns)
    known: Any
    source: Source | None
    known, source = st.session_state.get(_SOURCE, (None, None))
    if known != chosen or source is None:
        if path:
            source = uploads.on_server(home, typed_path(path), typed_path(media_path) if media_path else None)
        else:
            source = replace(uploads.staged(home, files or (), media), media_path=of_frames)
            job = import_jobs.last_import(services, view.name)
            if job is not None and job.person == services.person.id:
                import_jobs.put_away(services, job)  # choosing the next files means that the last result was read
        st.session_state[_SOURCE] = (chosen, source)
    return source


def _recognised(view: ProjectView, formats: Mapping[str, Format], source: Source | None, first: Path | None) -> str:
    """Select the format that a file seems to have, unless someone has selected one.

    Return a sentence with the reason.
    """
    if source is None or first is None:
        return ""
    of = str(source.folder)
    if st.session_state.get(_OF, ("",))[0] != of:
        guess = None
        try:
            guess = recognised(first, list(formats.values()), view.schema.schema_)
        except InvalidFileError:  # the preview reports the fault
            st.session_state[_OF] = (of, "", "")
        if guess is not None:
            st.session_state[_OF] = (of, guess[0].name, guess[1])
            if not st.session_state.get(_CHOSEN):
                st.session_state["import.format"] = guess[0].name
    _, name, why = st.session_state[_OF]
    if not name:
        return ""
    now = st.session_state.get("import.format")
    if now == name:
        return f"{first.name} looks like {name}: {why}. If the format is wrong, choose another format below."
    return f"{first.name} looks like {name} ({why}), but you chose {now}. Check your choice."


def _told(view: ProjectView, came: ImportOutcome) -> None:
    """Show the result of an import, with links to the items."""
    done = came.done or ImportSummary()
    shell.show(markup.notice(imported_sentence(done), style="" if done.bad or done.without_media else "good"))
    links = []
    if done.items:
        about = f" The list starts with the {markup.count(done.items, 'imported item')}."
        links += [markup.link("Show items", ItemList(down=True).address(view.name)), markup.quiet(about)]
    if done.without_media:
        there = ItemList(ItemFilter(missing=True), down=True).address(view.name)
        links += [markup.text(" "), markup.link("Show items with missing media", there)]
    if links:
        shell.show(markup.tag("p", *links, style="ts", data_part="imported"))
    new = done.predictions + sum(done.unanswered.values())
    show_losses(done.losses, new=new, repeated=done.repeated, noun="answers")
    for sentence in file_raters.in_sentences(done.raters):
        shell.show(markup.tag("p", markup.text(sentence), style="ts"))
    _bad_rows([*done.bad, *done.left])


def _here(services: Services, view: ProjectView, settings: _Settings, source: Source | None, label: str) -> None:
    """Draw the button that imports within this request: judges' replies, and projects of other programs."""
    if not st.button(label, type="primary", key="import.items.go", disabled=source is None) or source is None:
        return
    with uploads.as_uploaded(str(source.folder)), shell.progress_bar("Reading") as progress:
        path, media_dir = source.placed()
        if settings.plan is not None:
            replies = FORMATS[settings.format].replies
            assert replies is not None
            about: dict[str, Any] = {"by": services.person, "project": view.name, "path": path, "plan": settings.plan}
            done = replies.imports(services.store, **about, skip_bad=settings.skip_bad, format=settings.format)
            replies.draw(done)
            _bad_rows(done.bad)
        elif settings.names is not None:
            _told(view, ImportOutcome(_tasks(services, view, settings, path, settings.names(), media_dir, progress)))


def _plan(services: Services, view: ProjectView) -> JudgePlan | None:
    """Draw how the replies of a file are read, and return the plan. None until the choice is complete."""
    try:
        return begin.plan_of_replies(services, view)
    except TouchstoneError as error:
        shell.show_error(error)
        return None


def _name_pairs(model: str | None) -> Callable[[], Names]:
    """Draw inputs for names that differ in another program's project. Return a function that parses the inputs."""
    fields = st.text_area("Data key mapping (FIELD=KEY)", key="import.names.fields")
    controls = st.text_area("Control mapping (CRITERION=CONTROL)", key="import.names.controls")
    left, right = st.columns(2)
    with left:
        without = st.text_input("Controls to ignore", key="import.names.without")
    with right:
        rater = st.text_input("Default rater", key="import.names.rater")

    def names() -> Names:
        return Names(
            named_otherwise(fields, THEIRS),
            named_otherwise(controls, THEIRS),
            frozenset(without.replace(",", " ").split()),
            rater=rater.strip() or None,
            model=(model or "").strip() or None,
        )

    return names


THEIRS = "NAME=NAME_IN_FILE, one per line"


def _tasks(
    services: Services,
    view: ProjectView,
    settings: _Settings,
    path: Path,
    names: Names,
    media_dir: Path | None,
    progress: Progress,
) -> ImportSummary:
    files = sorted(path.glob("*.json*")) if path.is_dir() else [path]
    if len(files) != 1:
        raise InvalidFileError(
            f"The upload has {len(files)} files that end with .json or .jsonl. Import one file at a time."
        )
    taken = FORMATS[settings.format].tasks
    assert taken is not None
    done: ImportSummary = taken.imports(
        services.store,
        services.media,
        by=services.person,
        project=view.name,
        path=files[0],
        names=names,
        format=settings.format,
        media_dir=media_dir,
        dimension=settings.dimension,
        skip_bad=settings.skip_bad,
        raters=settings.are,
        progress=progress,
    ).imported
    return done


def _bad_rows(bad: Sequence[BadRow]) -> None:
    if not bad:
        return
    rows = [[markup.text(row.path), markup.text(row.row), markup.text(shell.on_page(row.reason))] for row in bad[:200]]
    shell.show(markup.table([("File", ""), ("Row", "number"), ("Problem", "")], rows))
    st.download_button(
        "Download bad rows",
        imports.stayed_out_csv(bad),
        file_name="stayed-out.csv",
        mime="text/csv",
        key="import.bad",
    )
