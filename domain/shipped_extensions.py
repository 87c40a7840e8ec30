"""What each extension of this repository adds, by the name of its folder. So a message can name one that is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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
    """Titles on the page *Add items*."""
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
        "Public leaderboard", pages=("leaderboard",), commands=("entry",), figures=("public",)
    ),
    "frames": ExtensionNames(
        "Frames",
        pages=("frames",),
        commands=("frame",),
        jobs=("frames", "frames_pool"),
        home_folders=("frames",),
        events=("frames.screened", "frames.chosen"),
    ),
    "narrations": ExtensionNames(
        "Narrations",
        pages=("goals",),
        commands=("narration", "goal", "question"),
        jobs=("goals", "questions"),
        events=("goals.narrated", "goals.saved"),
    ),
    "shortcuts": ExtensionNames(
        "Shortcuts",
        pages=("shortcuts",),
        commands=("shortcut",),
        schema_keys=("export.shortcuts",),
        run_kinds=("shortcut",),
        figures=("shortcuts", "shortcut_models"),
    ),
    "paper_tables": ExtensionNames("Paper tables", pages=("tables",), commands=("table",), figures=("tables",)),
    "data_card": ExtensionNames(
        "Data card", release_files=("card.html",), commands=("release describe",), figures=("set",)
    ),
    "agreement_floors": ExtensionNames("Agreement floors", schema_keys=("export.floors",), figures=("floors",)),
    "provenance": ExtensionNames("Provenance", formats=("prov",)),
    "point_releases": ExtensionNames("Point releases", commands=("release withdraw",), jobs=("withdraw",)),
    "leaks": ExtensionNames("Leak check", folder_checks=("leaks",)),
    "duplicates": ExtensionNames("Duplicate search", commands=("duplicate",)),
    "planner": ExtensionNames(
        "Planner",
        commands=("agreement plan", "schema preview"),
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
        commands=("calibration",),
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
        commands=("preference", "comparison"),
        options=("result show --comparisons",),
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
    "rating_files": ExtensionNames(
        "Files of ratings and replies", formats=("judgements", "ratings_parquet"), readers=("ratings",)
    ),
    "spreadsheets": ExtensionNames("Spreadsheets", sheet_readers=(".xlsx",)),
    "variants": ExtensionNames(
        "Item variants",
        pages=("variants",),
        commands=("variant",),
        schema_keys=("report.pairs",),
        figures=("variants",),
    ),
    "judge_comparison": ExtensionNames("Comparison of judges", run_sections=("Compare",)),
    "aggregation": ExtensionNames(
        "Aggregation of votes",
        notebook_statistics=("Aggregation", "DawidSkene", "aggregate", "dawid_skene"),
    ),
    "batch": ExtensionNames("Batch files", commands=("batch",)),
    "scoring": ExtensionNames("Scores of submissions", commands=("score",)),
    "reference_metrics": ExtensionNames("Reference metrics", commands=("metric", "similarity")),
    "second_readers": ExtensionNames(
        "Second readers",
        commands=("reader",),
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
        commands=("proposal",),
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
        options=("person invite --mail",),
        jobs=("mail",),
    ),
    "guideline": ExtensionNames("Versions of the guideline", pages=("guideline",), commands=("guideline",)),
    "adjudication_reasons": ExtensionNames(
        "Adjudication reasons",
        commands=("reason",),
        figures=("reasons", "disagreement"),
    ),
    "slices": ExtensionNames("Slices"),
    "model_groups": ExtensionNames("Model groups", options=("result show --group-models-by",)),
    "side_by_side": ExtensionNames("Side by side", options=("result show --side-by-side",)),
    "own_templates": ExtensionNames("Own judge templates", commands=("template",)),
    "run_records": ExtensionNames("Run records", run_sections=("Answers", "Replies")),
    "ranked_options": ExtensionNames("Ranked options", endpoint_strategies=("rank_options",)),
    "scorecards": ExtensionNames("Scorecards", pages=("scorecard",), commands=("scorecard",), figures=("scorecard",)),
    "cases": ExtensionNames(
        "Cases and failures",
        pages=("cases", "failures", "code", "settle_codes"),
        stages=("coding", "arbitration"),
        commands=("failure",),
        table_sources=("failures",),
        figures=("cases", "failures"),
    ),
    "reading_checks": ExtensionNames("Checks of readings", commands=("reading",)),
    "expired_submissions": ExtensionNames("Expired submissions"),
    "comments": ExtensionNames("Comments on items", pages=("comments",)),
    "own_pace": ExtensionNames("Own pace"),
    "stage_preview": ExtensionNames("Previews of stages", pages=("preview",)),
    "wording": ExtensionNames("List of wording rules", commands=("wording",)),
    "bulk": ExtensionNames("Bulk actions", commands=("item assign", "item prioritize", "item return")),
    "form_builder": ExtensionNames("Form builder", pages=("builder",), commands=("schema create",)),
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
        "Qualification", pages=("qualify",), commands=("qualification",), schema_keys=("stages.*.qualification",)
    ),
    "image_pool": ExtensionNames(
        "Image pool",
        pages=("triage",),
        stages=("triage",),
        import_sections=("Images for new items",),
        commands=("pool",),
    ),
    "replay": ExtensionNames("Verification and replay of releases", commands=("release check",)),
    "refinement": ExtensionNames("Refinement", pages=("refine",), stages=("refinement",), commands=("answer refine",)),
    "archives": ExtensionNames(
        "Archives, copies and deletion of projects",
        commands=("project export", "project import", "project clone", "project delete"),
        jobs=("archive", "copy", "delete"),
    ),
    "oidc": ExtensionNames("Sign-in with OpenID Connect", commands=("identity",)),
    "backup": ExtensionNames("Backups of a server", commands=("backup", "restore")),
    "drawings": ExtensionNames("Arrows and masks", kinds=("arrows", "blur", "masks")),
    "time_spans": ExtensionNames("Time spans", kinds=("time_span",)),
    "history": ExtensionNames("History and audit log", pages=("audit",), commands=("event",)),
    "erasing": ExtensionNames("Erasing of people", commands=("person delete",)),
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
