"""``touchstone calibration run``: the calibration report of judges against people."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from app.commands.groups import Panel, find_group
from app.commands.names import ALL, names_of
from app.commands.options import CountedItems
from domain.errors import RatingsError
from domain.replies import NO_SCORE
from domain.states import Cut, Stage
from domain.statistics import summarised
from extensions.calibration.commands import calibrate_options as asked

if TYPE_CHECKING:
    from agreement.ratings import Scale
    from app.services import Resources
    from domain.records import Rating
    from extensions.calibration.report.study import Study
    from extensions.calibration.report.whole import RatingSource

NO_RATING = f"{NO_SCORE}missing in the file"
"""The value of a row of a judge without a rating."""


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    group = find_group(cli, "calibration", Panel.RESULTS, "Decide whether a judge can replace people.")
    group.command("run")(calibrate)


def calibrate(
    out: asked.OutOption = None,
    human: asked.People = None,
    judge: asked.Judges = None,
    ratings: asked.RatingsOption = None,
    project: asked.ProjectOption = None,
    stage: asked.StageOption = None,
    by: asked.ByOption = None,
    statistic: asked.StatisticOption = None,
    criterion: asked.CriterionOption = None,
    scale: asked.ScaleOption = None,
    unparsed: asked.UnparsedOption = None,
    repeat: asked.RepeatOption = None,
    swapped: asked.SwappedOption = None,
    earlier: asked.EarlierOption = None,
    family: asked.FamilyOption = None,
    units: asked.UnitsOption = None,
    cross_check: asked.CrossCheckOption = False,
    missing: asked.MissingOption = None,
    rule: asked.RuleOption = None,
    tuned: asked.TunedOption = False,
    vouch: asked.VouchOption = None,
    pdf: asked.PdfOption = False,
    items: CountedItems = None,
    pool_guidelines: asked.PoolGuidelinesOption = False,
) -> None:
    """Report whether a judge may replace people, with verdict, agreement, biases and a one-page card.

    The report is HTML, CSV and JSON, and with --pdf also PDF.

    Example: touchstone calibration run --project demo --stage grading --out report
    """
    from extensions.calibration.report.pdf import find_browser
    from extensions.calibration.report.study import Runs

    _refuse_misuse(ratings, project, stage, by, statistic, missing)
    if pdf:
        find_browser()
    if cross_check:
        typer.echo(
            "--cross-check has no effect, because the report always compares its coefficients with other packages.",
            err=True,
        )
    shown = () if ALL in (statistic or ()) else statistic
    if rule is not None and project is not None:
        from extensions.calibration.kept_rule import store_rule

        store_rule(_opened().store, by=None, project=project, text=rule)
        if out is None and not human and not judge:
            typer.echo(f"Stored the rule for the project {project}.")
            return
    if out is None or not human or not judge:
        raise typer.BadParameter("give --out, --human and --judge. To store only a rule, give --project and --rule.")
    about: dict[str, Any] = {
        "humans": names_of(human, "--human"),
        "judges": tuple(dict.fromkeys(judge)),
        "families": _runs(family, "--family"),
        "runs": Runs(_runs(repeat, "--repeat"), _runs(swapped, "--swapped"), _runs(earlier, "--earlier")),
        "scales": _scales(scale or ()),
        "tuned": tuned,
        "criteria": tuple(criterion) if criterion else None,
    }
    if ratings is not None:
        rows, source = _of_file(ratings, missing, unparsed or (), {*about["judges"], *about["runs"].names()})
        study = _study(rows, units, by, unparsed or (), shown or (), about)
    else:
        from extensions.calibration.project_study import stage_first, study_of

        assert project is not None
        store = _opened().store
        study, source = study_of(
            store,
            person=None,
            project=project,
            stage=stage or stage_first(store, person=None, project=project),
            vouched=names_of(vouch or (), "--vouch"),
            unparsed=unparsed or (),
            pool_guidelines=pool_guidelines,
            items=items,
            by=by,
            statistics=shown,
            **about,
        )
        typer.echo(source.counted, err=True)
    _write(study, source, rule, out, paper=pdf)


def _refuse_misuse(
    ratings: Path | None,
    project: str | None,
    stage: Stage | None,
    by: Cut | None,
    statistics: Sequence[str] | None,
    missing: str | None,
) -> None:
    """Refuse options that do not go together, and statistics that do not exist."""
    if (ratings is None) == (project is None):
        raise typer.BadParameter("name either a file with --ratings, or a project with --project.")
    if ratings is not None and (stage is not None or by is Cut.GROUP):
        raise typer.BadParameter(
            "--stage and --by group need a project. Remove these options, or use --project instead of --ratings."
        )
    if unknown := [name for name in statistics or () if name not in (ALL, *summarised())]:
        raise RatingsError(f"Unknown statistic {unknown[0]!r}. Choose from {', '.join(sorted(summarised()))}.")
    if missing is not None and ratings is None:
        raise typer.BadParameter("--missing applies only to --ratings. For a project, remove --missing.")


def _study(
    rows: Sequence[Rating],
    units: Path | None,
    by: Cut | None,
    unparsed: Sequence[str],
    statistics: Sequence[str],
    about: Mapping[str, Any],
) -> Study:
    """Return the ratings of a file with people and judges separated."""
    from annotation_schemas.reporting import with_means
    from extensions.calibration.report.study import Study
    from extensions.calibration.unit_file import read_units

    if by is not Cut.WHOLE and any(row.dimension == "all" for row in rows):
        raise RatingsError(
            "A dimension is named `all`, but the report uses `all` for all dimensions. Rename the dimension."
        )
    return Study(
        rows,
        about=read_units(units) if units is not None else {},
        unparsed=frozenset((*unparsed, NO_RATING)),
        by_dimension=by is not Cut.WHOLE,
        statistics=with_means(statistics),
        **about,
    )


def _write(study: Study, source: RatingSource, rule: str | None, out: Path, *, paper: bool) -> None:
    """Write the report's files, and print its text and their paths."""
    from extensions.calibration.report import files
    from extensions.calibration.report.calibration import calibration
    from extensions.calibration.report.losses import losses_of_study
    from extensions.calibration.report.ruling import rule_from_text

    report = calibration(study, source, rule_from_text(rule) if rule else None, cross_checked=True)
    made = files.write(report, out, paper=paper)
    typer.echo(files.text(report).rstrip(), err=True)
    for path in made:
        typer.echo(path)
    for lost in losses_of_study(study):
        typer.echo(lost.sentence, err=True)


def _opened() -> Resources:
    """Return the store and the process's other resources, after an upgrade of the store."""
    from app.services import opened

    return opened()


def _of_file(
    path: Path, missing: str | None, unparsed: Sequence[str], machines: Collection[str]
) -> tuple[Sequence[Rating], RatingSource]:
    """Return the ratings of a file, and their source.

    A machine's row without a rating becomes a reply without a score.
    """
    from extensions.calibration.report.whole import RatingSource
    from importers.readers import ratings_reader

    reader = ratings_reader()
    words = [word for word in reader.missing_words(missing) if word not in unparsed]
    read = reader(path, missing=words, merge_case=True)
    for note in read.notes:
        typer.echo(f"{path.name}: {note}", err=True)
    if read.bad:
        more = f" In total, {len(read.bad):,} rows are invalid." if len(read.bad) > 1 else ""
        raise RatingsError(f"{path.name}, row {read.bad[0].row}: {read.bad[0].reason}. Correct the row.{more}")
    if not read.rows:
        raise RatingsError(f"{path.name} has no ratings below its first row. Add ratings.")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    rows = [rating for rating, _ in read.rows]
    rated = {(row.unit, row.rater, row.criterion) for row in rows}
    empty = {(row.unit, row.rater, row.criterion): row for row in read.missing if row.rater in machines}
    lost = [replace(row, value=NO_RATING) for key, row in empty.items() if key not in rated]
    for judge, n in sorted(Counter(row.rater for row in lost).items()):
        typer.echo(
            f"{path.name} has rows of {judge} without a rating ({n:,}). These rows count as unread replies. If the "
            "judge was not asked, delete the rows.",
            err=True,
        )
    return [*rows, *lost], RatingSource(path.name, digest, "file")


def _scales(texts: Sequence[str]) -> dict[str, Scale]:
    from agreement.summary import scale_from_text

    scales: dict[str, Scale] = {}
    for text in texts:
        criterion, scale = scale_from_text(text)
        if criterion in scales:
            raise RatingsError(f"--scale is given twice for {criterion}. Use one --scale for each criterion.")
        scales[criterion] = scale
    return scales


def _runs(texts: Sequence[str] | None, option: str) -> Mapping[str, tuple[str, ...]]:
    names_by_judge: dict[str, tuple[str, ...]] = {}
    for text in texts or ():
        judge, sign, names = text.partition("=")
        if not sign:
            raise RatingsError(
                f"{option} {text!r} does not have the form JUDGE=NAME or JUDGE=NAME,NAME. Correct the option."
            )
        names_by_judge[judge.strip()] = (*names_by_judge.get(judge.strip(), ()), *names_of([names], option))
    return names_by_judge
