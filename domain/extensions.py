"""Extensions: packages that each add one capability, and the one place where core asks what they add.

Core names no extension. An extension is a folder below ``extensions/``, or a package of its own that is found by the
entry point group ``touchstone.extensions``. Each has a record ``EXTENSION``. Every register of core asks ``rows`` for
what extensions add to it, when the register is first read: pages to the pages, formats to the formats. So nothing of an
extension is imported before it is needed, and a folder that is deleted takes away what it had added.

``COMES_WITH`` says what the extensions of this repository add, so that a message can name one that is not here.
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
    """Functions that ``touchstone pool add`` asks before it adds a folder: each adds the files of a folder that it
    recognizes and returns ``domain.records.AddedMedia``, or returns None. The extension Image pool calls them."""
    author_forms: Rows = _nothing
    """Modules with the functions of ``workflow.annotate.author_forms.AuthorForm``."""
    invitation_mails: Rows = _nothing
    """Modules with the functions of ``app.people.invitation_mails.InvitationMail``; the first one is asked."""
    import_sections: Rows = _nothing
    """Pairs of a title and a function ``(services, view)``: an import that the page *Import* offers under the title."""
    dashboard_sections: Rows = _nothing
    """Rows of ``app.dashboard.sections.DashboardSection``: sections of the page *Dashboard*."""
    my_work_sections: Rows = _nothing
    """Rows of ``app.my_work_sections.MyWorkSection``: what the page *My work* has above or in projects."""
    topline_notes: Rows = _nothing
    """Functions ``(services)`` that return a few words for the line on top of working pages, or None."""
    guideline_questions: Rows = _nothing
    """Modules with the functions of ``workflow.access.guidelines.GuidelineQuestions``: what a new version of the
    guideline may answer. The extension Guideline calls them."""
    notice_sources: Rows = _nothing
    """Functions ``(session, *, person, projects)`` that yield a person's notices (``domain.notices.Notice``) from these
    projects, which are records by id. The extension Notices calls them."""
    item_sections: Rows = _nothing
    """Functions ``(services, view, item)`` that draw a section about an item, by its id on pages. The extension History
    calls them."""
    work_actions: Rows = _nothing
    """Rows of ``app.routes.work.WorkAction``: requests of working pages."""
    menu_counts: Rows = _nothing
    """Pairs of the name of a page and a function ``(store, *, person)`` that counts what is new there. The menu shows
    the number."""
    stage_kinds: Rows = _nothing
    """Rows of ``workflow.annotate.stage_kinds.StageKind``: stages of the grammar."""
    result_sections: Rows = _nothing
    """Rows of ``workflow.results.result_sections.ResultSection``: sections of the page *Results* and of ``touchstone
    results``."""
    claim_rules: Rows = _nothing
    """Modules with the functions of ``workflow.annotate.claim_rules.ClaimRule``: who gets no new work, and which tasks
    come among the live ones."""
    item_actions: Rows = _nothing
    """Rows of ``app.items.added_actions.ItemAction``: actions on selected items of the page *Items*."""
    project_actions: Rows = _nothing
    """Rows of ``app.projects.project_actions.ProjectAction``: actions on a whole project on the page *Projects*."""
    project_beginnings: Rows = _nothing
    """Rows of ``app.projects.project_actions.ProjectBeginning``: ways to begin a new project on the page *Projects*."""
    setup_steps: Rows = _nothing
    """Functions ``(session, access)``: each returns a ``workflow.lead.setup_step.SetupStep``, a line of the checklist
    before work begins."""
    person_shares: Rows = _nothing
    """Pairs of a name and a function ``(session, *, access, stage)``. It returns the number of right answers and of all
    answers by person id, for the extension Scorecards."""
    derived_media: Rows = _nothing
    """Modules with ``names_of``, ``require_idle`` and ``delete`` for files made from images and clips. The extension
    Privacy calls them once something is covered; its protocol ``DerivedMedia`` says what they take."""
    home_folders: Rows = _nothing
    """Names of folders in the home folder. Each has a folder for each project, which is deleted with the project."""
    settings: Rows = _nothing
    """Dataclasses of settings, each with ``read(env, folder)``; ``Settings.of`` finds what came of them."""
    former_classes: Rows = _nothing
    """Triples of an earlier module of core, an earlier name, and the class that came here from there. Stored jobs name
    a class as it was."""
    web: Path | None = None
    """A folder of JavaScript: ``kinds/NAME.js`` is the control of a kind, ``parts/NAME.js`` a part of the working
    page, and ``NAME.js`` a component of a page."""


@dataclass(frozen=True)
class ExtensionNames:
    """The names that an extension of this repository adds, for messages where its folder is missing."""

    title: str
    kinds: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()
    """Formats of core of which only this extension reads all files, or any."""
    sheet_readers: tuple[str, ...] = ()
    """Endings of files."""
    pages: tuple[str, ...] = ()
    """Paths of addresses."""
    stages: tuple[str, ...] = ()
    """Stages of the grammar. They are closed while this extension is missing."""
    import_sections: tuple[str, ...] = ()
    """Titles on the page *Import*."""
    commands: tuple[str, ...] = ()
    """What is typed behind ``touchstone``."""
    options: tuple[str, ...] = ()
    """Options of core's commands that do nothing without this extension, each behind its command."""
    schema_keys: tuple[str, ...] = ()
    """Dotted paths of keys."""
    run_kinds: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()
    adapters: tuple[str, ...] = ()
    """Values of ``adapter`` in descriptions of models."""
    endpoint_strategies: tuple[str, ...] = ()
    """Strategies of core in which only this extension asks endpoints."""
    table_sources: tuple[str, ...] = ()
    report_sections: tuple[str, ...] = ()
    """Keys of sections."""
    run_sections: tuple[str, ...] = ()
    """Names of parts of a run's page."""
    printed_figures: tuple[str, ...] = ()
    """Beginnings of ids in the evidence of releases, of figures that sections of results have."""
    notebook_statistics: tuple[str, ...] = ()
    """What is imported from ``agreement``."""
    figures: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()
    """Kinds of long tasks, which wait while this extension is missing."""
    folder_checks: tuple[str, ...] = ()
    """Names of checks. Releases that are made without a check say so."""
    release_files: tuple[str, ...] = ()
    """Paths of files. Releases that are made without a file say so."""
    stage_figures: tuple[str, ...] = ()
    """Beginnings of ids of figures in the evidence of releases."""
    home_folders: tuple[str, ...] = ()
    """They are deleted with a project also while the extension is missing."""
    events: tuple[str, ...] = ()
    """Kinds of events that only this extension shows; ``touchstone check`` names the extension if it is missing."""


COMES_WITH: Mapping[str, ExtensionNames] = {
    "leaderboard": ExtensionNames(
        "Public leaderboard", pages=("leaderboard",), commands=("entries",), figures=("public",)
    ),
    "frames": ExtensionNames(
        "Frames",
        pages=("frames",),
        commands=("frames",),
        jobs=("frames", "frames_pool"),
        home_folders=("frames",),
        events=("frames.screened", "frames.chosen"),
    ),
    "narrations": ExtensionNames(
        "Narrations",
        pages=("goals",),
        commands=("narrations",),
        jobs=("goals", "questions"),
        events=("goals.narrated", "goals.saved"),
    ),
    "shortcuts": ExtensionNames(
        "Shortcuts",
        pages=("shortcuts",),
        commands=("shortcuts", "run shortcut"),
        schema_keys=("export.shortcuts",),
        run_kinds=("shortcut",),
        figures=("shortcuts", "shortcut_models"),
    ),
    "paper_tables": ExtensionNames("Paper tables", pages=("tables",), commands=("tables",), figures=("tables",)),
    "data_card": ExtensionNames(
        "Data card", release_files=("card.html",), commands=("release statistics",), figures=("set",)
    ),
    "agreement_floors": ExtensionNames("Agreement floors", schema_keys=("export.floors",), figures=("floors",)),
    "provenance": ExtensionNames("Provenance", formats=("prov",)),
    "leaks": ExtensionNames("Leak check", folder_checks=("leaks",)),
    "duplicates": ExtensionNames("Duplicate search", commands=("duplicates",)),
    "planner": ExtensionNames(
        "Planner",
        commands=("plan", "schema try"),
        notebook_statistics=(
            "Design",
            "StudyPlan",
            "plan_study",
            "calibration_split",
            "sample_size_icc",
            "sample_size_kappa",
            "sample_size_kappa_test",
            "sample_size_pearson",
            "sample_size_ppi",
            "sample_size_proportion",
        ),
    ),
    "calibration": ExtensionNames(
        "Calibration",
        pages=("calibration",),
        commands=("calibrate",),
        schema_keys=("report.rule",),
        notebook_statistics=(
            "AdjustedBias",
            "AgainstPerson",
            "AlternativeTest",
            "AtLevel",
            "Ceiling",
            "ClassRates",
            "Classification",
            "Confusion",
            "ConstantComparison",
            "Disattenuation",
            "Drift",
            "Grades",
            "GroupBias",
            "JudgeVerdict",
            "NextUnits",
            "NoiseCeiling",
            "PassRates",
            "PositionBias",
            "Rule",
            "SelfConsistency",
            "SplitCeiling",
            "UnparsedEffect",
            "all_right",
            "alternative_test",
            "benjamini_yekutieli",
            "bias_by_group",
            "calibration_curve",
            "ceiling_by_certainty",
            "classification_rates",
            "compare_with_constant",
            "confusion_matrix",
            "disattenuated_correlation",
            "drift",
            "family_bias",
            "grades_needed",
            "human_ceiling",
            "judge_verdict",
            "length_bias",
            "next_units",
            "noise_ceiling",
            "pass_rates",
            "position_bias",
            "self_consistency",
            "unparsed",
            "winning_rates",
        ),
        stage_figures=("judges",),
        figures=("calibration",),
        events=("calibration.rule",),
    ),
    "preferences": ExtensionNames(
        "Preferences",
        kinds=("preference", "each_answer"),
        pages=("preferences", "compare"),
        stages=("comparison",),
        commands=("preferences", "comparison"),
        options=("results --comparisons",),
        report_sections=("pairs",),
        printed_figures=("wins",),
        notebook_statistics=(
            "PairVotes",
            "WinRate",
            "left_preferred",
            "pair_votes",
            "win_rates",
            "Strengths",
            "davidson",
            "elo",
        ),
        figures=("preferences",),
    ),
    "rating_files": ExtensionNames("Files of ratings and replies", formats=("judgements",), readers=("ratings",)),
    "spreadsheets": ExtensionNames("Spreadsheets", sheet_readers=(".xlsx",)),
    "variants": ExtensionNames(
        "Item variants",
        pages=("variants",),
        commands=("variants",),
        schema_keys=("report.pairs",),
        figures=("variants",),
    ),
    "judge_comparison": ExtensionNames("Comparison of judges", run_sections=("Compare",)),
    "aggregation": ExtensionNames(
        "Aggregation of votes",
        notebook_statistics=("Aggregation", "DawidSkene", "aggregate", "dawid_skene"),
    ),
    "batch": ExtensionNames("Batch files", commands=("run batch",)),
    "scoring": ExtensionNames("Scores of submissions", commands=("score",)),
    "reference_metrics": ExtensionNames("Reference metrics", commands=("run metric", "run similarity")),
    "second_readers": ExtensionNames(
        "Second readers",
        commands=("answers read-again", "answers sample", "answers agreement"),
        jobs=("second_reader",),
    ),
    "holmes": ExtensionNames("Tools for models", formats=("tool_results",), strategies=("holmes",)),
    "local_models": ExtensionNames("Local models", adapters=("chat", "completion", "encoder_decoder", "video_llava")),
    "labelstudio": ExtensionNames(
        "Label Studio",
        formats=("label_studio",),
        pages=("label_studio",),
        commands=("labelstudio",),
        jobs=("sync",),
    ),
    "harnesses": ExtensionNames(
        "Harnesses and hubs",
        readers=("predictions", "egoplan_submission"),
        formats=(
            "lmms_eval_samples",
            "inspect_log",
            "answer_map",
            "hf_dataset",
            "parquet",
            "inspect",
            "lmms_eval",
            "vlmevalkit",
            "llava",
            "preference_pairs",
            "croissant",
            "hub_eval",
        ),
    ),
    "drafting": ExtensionNames(
        "Drafting",
        pages=("drafting",),
        commands=("drafting",),
        figures=("drafting",),
        jobs=("proposals",),
        events=("drafting.imported",),
    ),
    "privacy": ExtensionNames(
        "Privacy",
        pages=("privacy",),
        commands=("privacy",),
        jobs=("privacy_look", "privacy_cover"),
        home_folders=("privacy",),
        events=("privacy.marked", "privacy.decided"),
    ),
    "notices": ExtensionNames(
        "Notices and mail",
        pages=("notices",),
        commands=("mail",),
        options=("people invite --mail",),
        jobs=("mail",),
    ),
    "guideline": ExtensionNames("Versions of the guideline", pages=("guideline",), commands=("guideline",)),
    "adjudication_reasons": ExtensionNames(
        "Adjudication reasons",
        pages=("adjudication_reasons",),
        commands=("reasons",),
        figures=("reasons", "disagreement"),
    ),
    "slices": ExtensionNames("Slices"),
    "model_groups": ExtensionNames("Model groups", options=("results --group-models-by",)),
    "side_by_side": ExtensionNames("Side by side", options=("results --side-by-side",)),
    "own_templates": ExtensionNames("Own judge templates", commands=("run template",)),
    "run_records": ExtensionNames("Run records", run_sections=("Answers", "Replies")),
    "ranked_options": ExtensionNames("Ranked options", endpoint_strategies=("rank_options",)),
    "scorecards": ExtensionNames(
        "Scorecards", pages=("scorecard",), commands=("scorecard", "paysheet"), figures=("scorecard",)
    ),
    "cases": ExtensionNames(
        "Cases and failures",
        pages=("cases", "failures", "code", "settle_codes"),
        stages=("coding", "arbitration"),
        commands=("failures",),
        table_sources=("failures",),
        figures=("cases", "failures"),
    ),
    "reading_checks": ExtensionNames("Checks of readings", commands=("answers read", "judge")),
    "expired_submissions": ExtensionNames("Expired submissions", pages=("expired_submissions",)),
    "comments": ExtensionNames("Comments on items", pages=("comments",)),
    "own_pace": ExtensionNames("Own pace"),
    "stage_preview": ExtensionNames("Previews of stages", pages=("preview",)),
    "wording": ExtensionNames("List of wording rules", commands=("wording",)),
    "bulk": ExtensionNames("Bulk actions", pages=("bulk",), commands=("bulk",)),
    "schema_wizard": ExtensionNames("Schema wizard", commands=("schema new",)),
    "schema_migration": ExtensionNames(
        "Schema migration",
        pages=("schema",),
        commands=("project migrate", "schema diff"),
        figures=("schema",),
        jobs=("schema",),
    ),
    "gold": ExtensionNames(
        "Gold checks", pages=("gold",), commands=("gold",), schema_keys=("stages.*.gold",), figures=("gold",)
    ),
    "qualification": ExtensionNames(
        "Qualification", pages=("qualify",), commands=("qualify",), schema_keys=("stages.*.qualification",)
    ),
    "image_pool": ExtensionNames(
        "Image pool",
        pages=("triage",),
        stages=("triage",),
        import_sections=("Images to write items about",),
        commands=("triage", "pool"),
    ),
    "replay": ExtensionNames("Verification and replay of releases", commands=("release verify", "release replay")),
    "refinement": ExtensionNames("Refinement", pages=("refine",), stages=("refinement",), commands=("refine",)),
    "archives": ExtensionNames(
        "Archives, copies and deletion of projects",
        commands=("project export", "project import", "project clone", "project delete"),
        jobs=("archive", "copy", "delete"),
    ),
    "drawings": ExtensionNames("Arrows and masks", kinds=("arrows", "blur", "masks")),
    "time_spans": ExtensionNames("Time spans", kinds=("time_span",)),
    "history": ExtensionNames("History and audit log", pages=("history", "audit"), commands=("audit",)),
    "erasing": ExtensionNames("Erasing of people", commands=("people erase",)),
    "pipelines": ExtensionNames("Pipelines", pages=("pipelines",)),
    "schedule": ExtensionNames(
        "Schedule", pages=("schedule",), commands=("project schedule",), figures=("forecast", "progress")
    ),
    "plans": ExtensionNames(
        "ETP plans",
        kinds=("plan",),
        pages=("regression",),
        commands=("regression",),
        table_sources=("regression",),
        notebook_statistics=("logistic_regression",),
        figures=("regression",),
    ),
}
"""By the folder. ``tests/test_extensions.py`` compares it with what each extension does add."""

NOUNS = {
    "kinds": "kind",
    "formats": "format",
    "readers": "reader of",
    "sheet_readers": "reader of",
    "pages": "page",
    "stages": "stage",
    "import_sections": "import",
    "commands": "command",
    "options": "option",
    "schema_keys": "schema key",
    "run_kinds": "kind of runs",
    "strategies": "strategy",
    "adapters": "adapter",
    "endpoint_strategies": "strategy of endpoints",
    "table_sources": "source of tables",
    "report_sections": "section of calibration reports",
    "run_sections": "part of runs",
    "printed_figures": "figure of releases",
    "notebook_statistics": "statistic",
    "figures": "figure",
    "jobs": "kind of tasks",
    "folder_checks": "check of releases",
    "release_files": "file of releases",
    "stage_figures": "part of release figures",
}
"""What a name of ``ExtensionNames`` is."""


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
                raise TypeError(f"{point.value} is no domain.extensions.Extension")
        except Exception as error:
            raise NotAvailableError(
                f"The extension {point.name!r} cannot be loaded: {error}. Update or uninstall the package"
                f" {point.dist.name if point.dist else point.value} and start again."
            ) from error
        if extensions.setdefault(extension.name, extension) is not extension:
            raise NotAvailableError(
                f"Two extensions are called {extension.name!r}. Uninstall one of them and start again."
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
    """Return the Python files of all extensions: what is worked out by other code is worked out anew."""
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
        f"belongs to the extension {parts.title}, which is not installed. "
        f"Put the folder `extensions/{folder}` of this version of Touchstone back, and start again."
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
