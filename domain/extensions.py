"""Extensions: packages that each add one capability, and the one place where core asks what they add.

Core names no extension. An extension is a folder below ``extensions/``, or a package of its own that is found by the
entry point group ``touchstone.extensions``. Each has a record ``EXTENSION``. Every register of core asks ``rows`` for
what extensions add to it, when the register is first read: pages to the pages, formats to the formats. So nothing of an
extension is imported before it is needed, and a folder that is deleted takes away what it had added.

``domain.shipped_extensions`` says what the extensions of this repository add, so that a message can name one that is
not here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from domain.errors import NotAvailableError
from domain.module_names import import_own
from domain.shipped_extensions import COMES_WITH, NOUNS, ExtensionNames

FOLDER = Path(__file__).resolve().parents[1] / "extensions"
GROUP = "touchstone.extensions"

Rows = Callable[[], Sequence[Any]]
"""Imports what an extension adds to a register, and returns it."""


def _nothing() -> Sequence[Any]:
    return ()


@dataclass(frozen=True)
class Extension:
    """What an extension adds. Each field is a function that imports its rows, so the record itself costs nothing."""

    name: str
    """The name of its folder, or of its entry point."""
    title: str
    """As messages call it."""
    kinds: Rows = _nothing
    """Modules with a row ``CRITERION``, a row ``FIELD``, or both, called as the kind is."""
    painters: Rows = _nothing
    """Rows of ``media.drawn.Painter``: how fields of a drawn kind are painted on pictures for models."""
    formats: Rows = _nothing
    """Rows of ``annotation_schemas.formats.Format``."""
    readers: Rows = _nothing
    """Pairs of the name of a format that core writes, and the reader of its files (``Format.reads``). It takes the
    place of a reader of core."""
    sheet_readers: Rows = _nothing
    """Pairs of the ending of files with sheets (``.xlsx``) and an ``importers.table_lines.SheetReader``."""
    pages: Rows = _nothing
    """Modules with ``SCREEN`` (``app.screens.Screen``) and ``render``, called as the page is."""
    commands: Rows = _nothing
    """Modules with ``register(cli)``, which adds their commands."""
    routes: Rows = _nothing
    """Modules with ``routes(resources)`` and ``PUBLIC``, the paths that need no session. ``MACHINES`` may name the
    beginnings of paths that scripts ask for, so that a refusal is JSON."""
    figures: Rows = _nothing
    """Pairs of a name and the function that works out what a page shows, in a process of its own where it is much."""
    jobs: Rows = _nothing
    """Rows of ``workflow.jobs.kinds.JobKind``: long tasks."""
    schema_keys: Rows = _nothing
    """Rows of ``annotation_schemas.extension_keys.SchemaKey``: keys of the grammar that only this extension reads."""
    schema_checks: Rows = _nothing
    """Functions that take a schema and yield its faults (``annotation_schemas.protocol_checks.Finding``), before it is
    stored."""
    project_checks: Rows = _nothing
    """Functions ``(session, *, access)``: each yields a sentence for each stored value of a project that is wrong and
    that no command repairs. ``touchstone check`` prints the sentences."""
    run_kinds: Rows = _nothing
    """Rows of ``domain.run_kinds.ExecutedKind``: the plan of a kind of runs, and how models are asked in it."""
    shard_runs: Rows = _nothing
    """Modules with the functions of ``workflow.runs.shard_runs.ShardRuns``; the first one counts."""
    strategies: Rows = _nothing
    """Rows of ``domain.strategies.Strategy``: how models are asked that ask for tools themselves."""
    adapters: Rows = _nothing
    """Rows of ``inference.adapters.ModelAdapter``: how models are opened that run on this machine."""
    endpoint_strategies: Rows = _nothing
    """Rows of ``inference.endpoint.opening.EndpointStrategy``: how endpoints are asked that do not write an answer."""
    model_sources: Rows = _nothing
    """Rows of ``app.running.description.ModelSource``: ways to choose a model's description on the pages of runs."""
    release_checks: Rows = _nothing
    """Rows of ``workflow.releases.extension_checks.ReleaseCheck``: what a release waits for."""
    folder_checks: Rows = _nothing
    """Rows of ``workflow.releases.extension_checks.FolderCheck``: checks of the files of private releases."""
    release_files: Rows = _nothing
    """Rows of ``workflow.releases.extension_checks.ReleaseFile``: files that each release has."""
    release_actions: Rows = _nothing
    """Rows of ``app.releasing.release_actions.ReleaseAction``: actions on one release on the page *Past releases*."""
    item_histories: Rows = _nothing
    """Functions ``(contents, version, date)`` that take ``workflow.releases.contents.Contents``. Each returns a
    function that returns the steps of a released item, for ``ReleasedSet.provenance``. The first one counts."""
    stage_figures: Rows = _nothing
    """Pairs of the beginning of ids and a function ``(store, access, stage, raters)``: it yields
    ``domain.evidence.PrintedFigure`` for the evidence of releases, from the ratings of one stage."""
    judge_verdicts: Rows = _nothing
    """Functions ``(store, access, *, stage, raters, judges)``: each returns
    ``workflow.results.judge_facts.JudgeVerdicts``. The data card asks the first one."""
    table_sources: Rows = _nothing
    """Pairs of a source that layouts of paper tables may name, and a function ``(store, read)``, where ``read`` is a
    ``ProjectAnswers``. It returns a function that returns the ``Statistic`` of a cell. Its keywords ``model``,
    ``part``, ``criterion``, ``code`` and ``form`` are what the layout says, or None. ``judge`` is a function that
    returns the name of the judge, or None.
    """
    table_page_sections: Rows = _nothing
    """Functions ``(services, view, items)``: each draws a section below the tables of the page *Tables*. The extension
    Paper tables calls them."""
    report_sections: Rows = _nothing
    """Pairs of the key of a section of the calibration report, and a function that returns the section or None. It
    takes ``(store, person, project, stage, items)``, all but the first by keyword. Core's sections end at number 12."""
    notebook_statistics: Rows = _nothing
    """Modules whose ``__all__`` names what the package ``agreement`` also offers, in Python alone: statistics that no
    table of core has."""
    template_parts: Rows = _nothing
    """Pairs of a title and a function ``(services, view, template)``: a part below the choice of a judge's template,
    which adds templates (``app.judging.templates.pick``)."""
    run_sections: Rows = _nothing
    """Pairs of the path of a page of runs and an ``app.running.run_page.RunSection`` of each run on that page."""
    pipeline_steps: Rows = _nothing
    """Rows of ``app.pipeline_steps.PipelineStep``: the steps that the page of the extension Pipelines draws."""
    import_media: Rows = _nothing
    """Functions ``(services, view, key)``: each draws a box for the media of an import, and returns the chosen folder
    or None. ``app.importing.file_inputs`` calls them."""
    pool_folders: Rows = _nothing
    """Functions that ``touchstone pool import`` asks before it adds a folder: each adds the files of a folder that it
    recognizes and returns ``domain.records.AddedMedia``, or returns None. The extension Image pool calls them."""
    author_forms: Rows = _nothing
    """Modules with the functions of ``workflow.annotate.author_forms.AuthorForm``."""
    invitation_mails: Rows = _nothing
    """Modules with the functions of ``app.people.invitation_mails.InvitationMail``; the first one is asked."""
    import_sections: Rows = _nothing
    """Pairs of a title and a function ``(services, view)``: an import that the page *Add items* offers."""
    dashboard_sections: Rows = _nothing
    """Rows of ``app.overview.sections.DashboardSection``: sections of the page *Overview*."""
    agreement_sections: Rows = _nothing
    """Rows of ``app.agreement.sections.AgreementSection``: folded sections of the page *Agreement*."""
    my_work_sections: Rows = _nothing
    """Rows of ``app.my_work_sections.MyWorkSection``: what the page *My work* has above or in projects."""
    topline_notes: Rows = _nothing
    """Functions ``(services, zone)`` that return a few words for the line on top of working pages, or None. ``zone`` is
    the browser's time zone."""
    guideline_questions: Rows = _nothing
    """Modules with the functions of ``workflow.access.guidelines.GuidelineQuestions``: what a new version of the
    guideline may answer. The extension Guideline calls them."""
    notice_sources: Rows = _nothing
    """Functions ``(session, *, person, projects)`` that yield a person's notices (``domain.notices.Notice``) from these
    projects, which are records by id. The extension Notices calls them."""
    item_sections: Rows = _nothing
    """Pairs of a place and a function ``(services, view, item)`` that draws a section about the open item of the page
    *Items*, by its id on pages. Sections are in the order of their places."""
    item_list_sections: Rows = _nothing
    """Functions ``(services, view, asked)`` that draw above the table of the page *Items*, by its filters. They return
    whether they have drawn anything."""
    work_actions: Rows = _nothing
    """Rows of ``app.routes.work.WorkAction``: requests of working pages."""
    schema_editors: Rows = _nothing
    """Rows of ``app.schema_pages.schema_editor.SchemaEditor``: pages on which leads edit a project's schema."""
    menu_counts: Rows = _nothing
    """Pairs of the name of a page and a function ``(store, *, person)`` that counts what is new there. The menu shows
    the number."""
    stage_kinds: Rows = _nothing
    """Rows of ``workflow.annotate.stage_kinds.StageKind``: stages of the grammar."""
    result_sections: Rows = _nothing
    """Rows of ``workflow.results.result_sections.ResultSection``: sections of the page *Results* and of ``touchstone
    result show``."""
    claim_rules: Rows = _nothing
    """Modules with the functions of ``workflow.annotate.claim_rules.ClaimRule``: who gets no new work, and which tasks
    come among the live ones."""
    item_actions: Rows = _nothing
    """Rows of ``app.items.added_actions.ItemAction``: actions on selected items of the page *Items*."""
    project_actions: Rows = _nothing
    """Rows of ``app.projects.project_actions.ProjectAction``: actions on a whole project on the page *Project*."""
    project_beginnings: Rows = _nothing
    """Rows of ``app.projects.project_actions.ProjectBeginning``: ways to begin a project on the page *New project*."""
    setup_steps: Rows = _nothing
    """Functions ``(session, access)``: each returns a ``workflow.lead.setup_step.SetupStep``, a line of the checklist
    before work begins, or None if the project does not need the step."""
    person_shares: Rows = _nothing
    """Pairs of a name and a function ``(session, *, access, stage)``. It returns the number of right answers and of all
    answers by person id, for the extension Scorecards."""
    derived_media: Rows = _nothing
    """Modules with ``names_of``, ``require_idle`` and ``delete`` for files made from images and clips. The extension
    Privacy calls them once something is covered; its protocol ``DerivedMedia`` says what they take."""
    home_folders: Rows = _nothing
    """Names of folders in the home folder. Each has a folder for each project, which is deleted with the project."""
    sign_in_ways: Rows = _nothing
    """Rows of ``app.routes.sign_in_ways.SignInWay``: ways to sign in other than a password."""
    settings: Rows = _nothing
    """Dataclasses of settings, each with ``read(env, folder)``; ``Settings.of`` finds what came of them."""
    former_classes: Rows = _nothing
    """Triples of an earlier module of core, an earlier name, and the class that came here from there. Stored jobs name
    a class as it was."""
    web: Path | None = None
    """A folder of JavaScript: ``kinds/NAME.js`` is the control of a kind, ``parts/NAME.js`` a part of the working
    page, and ``NAME.js`` a component of a page."""


@cache
def installed() -> Mapping[str, Extension]:
    """Return the extensions that are here, by name: those of the folder, then those of other packages.

    Raises
    ------
    NotAvailableError
        An installed package has an extension that cannot be loaded, or that has the name of another.
    """
    extensions: dict[str, Extension] = {}
    for path in sorted(FOLDER.glob("*/__init__.py")):
        extension: Extension = import_own(f"extensions.{path.parent.name}").EXTENSION
        extensions[extension.name] = extension
    for point in _entry_points():
        try:
            extension = point.load()
            if not isinstance(extension, Extension):
                raise TypeError(f"{point.value} is not a domain.extensions.Extension")
        except Exception as error:
            raise NotAvailableError(
                f"Touchstone cannot load the extension {point.name!r}: {error}. Update or uninstall the package "
                f"{point.dist.name if point.dist else point.value}, then start Touchstone again."
            ) from error
        if extensions.setdefault(extension.name, extension) is not extension:
            raise NotAvailableError(
                f"Two extensions have the name {extension.name!r}. Uninstall one of these extensions, then start "
                "Touchstone again."
            )
    return extensions


def _entry_points() -> Sequence[Any]:
    from importlib.metadata import entry_points

    return sorted(entry_points(group=GROUP), key=lambda point: point.name)


def rows(point: str) -> list[Any]:
    """Return what all extensions add to one register: ``point`` is a field of ``Extension``."""
    return [row for extension in installed().values() for row in getattr(extension, point)()]


def home_folders() -> set[str]:
    """Return the names of folders in the home folder in which extensions, also missing ones, keep files of projects."""
    return {*rows("home_folders"), *(name for parts in COMES_WITH.values() for name in parts.home_folders)}


def code() -> list[Path]:
    """Return the Python files of all extensions. If they change, stored figures are computed again."""
    found: set[Path] = set()
    for extension in installed().values():
        for name in {rows.__module__ for rows in vars(extension).values() if callable(rows) and rows is not _nothing}:
            module = sys.modules[name]  # by its full name: an extension of another package is not below ours
            if module.__file__ is not None:
                path = Path(module.__file__)
                found |= {*path.parent.rglob("*.py")} if hasattr(module, "__path__") else {path}
    return sorted(found)


def missing(point: str, name: str) -> str | None:
    """Return why a register (a field of ``ExtensionNames``) lacks a name, if a missing extension adds it."""
    for folder, parts in COMES_WITH.items():
        if folder not in installed() and name in getattr(parts, point):
            return f"The {NOUNS[point]} `{name}` {_belongs_to(folder, parts)}"
    return None


def _belongs_to(folder: str, parts: ExtensionNames) -> str:
    return (
        f"belongs to the extension {parts.title}, which is not installed. Restore the folder `extensions/{folder}` "
        "of this version of Touchstone, then start Touchstone again."
    )


def missing_by_events(kinds: Collection[str]) -> list[str]:
    """Return a sentence for each missing extension of ours that alone shows events of these kinds."""
    found = []
    for folder, parts in COMES_WITH.items():
        here = [kind for kind in parts.events if kind in kinds]
        if here and folder not in installed():
            found.append(f"Part of the log ({', '.join(here)}) {_belongs_to(folder, parts)}")
    return found


def all_missing(point: str) -> dict[str, str]:
    """Return the sentence of ``missing`` for each name that extensions which are not here would add to a register."""
    names = [name for parts in COMES_WITH.values() for name in getattr(parts, point)]
    return {name: sentence for name in names if (sentence := missing(point, name)) is not None}
