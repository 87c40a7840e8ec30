"""``touchstone calibrate``: the calibration report of judges against people."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.names import ALL, names_of
from app.commands.options import CountedItems
from domain.errors import RatingsError
from domain.replies import NO_SCORE
from domain.states import Cut, Stage
from domain.statistics import summarised

if TYPE_CHECKING:
    from agreement.ratings import Scale
    from app.services import Resources
    from domain.records import Rating
    from reports.content import RatingSource

NO_RATING = f"{NO_SCORE}missing in the file"
"""The value of a row of a judge without a rating."""


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    cli.command("calibrate")(calibrate)


def calibrate(
    out: Annotated[Path | None, typer.Option(help="The folder that the report is written to.", metavar="DIR")] = None,
    human: Annotated[
        list[str] | None,
        typer.Option(
            help="The people, separated by commas, or one at a time: or give --human again. A name that holds a comma"
            " stands in double quotes: '\"Li, Wei\",Ann'.",
            metavar="A,B,C",
        ),
    ] = None,
    judge: Annotated[list[str] | None, typer.Option(help="A judge; may be given again.", metavar="NAME")] = None,
    ratings: Annotated[
        Path | None,
        typer.Option(help="A CSV file with the columns unit, rater, criterion, value, and dimension if you like."),
    ] = None,
    project: Annotated[str | None, typer.Option(help="Instead of a file: a project, with --stage.")] = None,
    stage: Annotated[
        Stage | None,
        typer.Option(
            help="The project's stage: verification or grading. By default that of the unit of the schema's report, if "
            "a judge has rated there, else grading.",
            metavar="STAGE",
        ),
    ] = None,
    by: Annotated[
        Cut | None,
        typer.Option(
            help="In addition to the whole: each dimension, each group of them (in a project), or nothing. By "
            "default as the schema's report says, else by dimension."
        ),
    ] = None,
    statistic: Annotated[
        list[str] | None,
        typer.Option(
            help="Of the coefficients in tables only this one, and Krippendorff's alpha, on which the verdict rests; "
            "may be given again; all for every one. By default those that the schema's report names, and of a file "
            "all.",
            metavar="NAME",
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None, typer.Option(help="Only this criterion; may be given again. None: all of them.")
    ] = None,
    scale: Annotated[
        list[str] | None,
        typer.Option(
            help="What a criterion's values are: C=nominal, C=ordinal:1,2,3 or C=interval, with or without its values; "
            "may be given again.",
            metavar="C=LEVEL:V1,V2",
        ),
    ] = None,
    unparsed: Annotated[
        list[str] | None,
        typer.Option(
            help="A value of a judge that means that its reply could not be read; may be given again. Counted, and "
            "never a "
            "category.",
            metavar="VALUE",
        ),
    ] = None,
    repeat: Annotated[
        list[str] | None,
        typer.Option(
            help="Raters that are the same judge, asked again in the same way; may be given again.", metavar="JUDGE=B,C"
        ),
    ] = None,
    swapped: Annotated[
        list[str] | None,
        typer.Option(
            help="Raters that are the same judge with the answers shown in the other order; may be given again.",
            metavar="JUDGE=B",
        ),
    ] = None,
    earlier: Annotated[
        list[str] | None,
        typer.Option(help="Raters that are earlier versions of a judge; may be given again.", metavar="JUDGE=B,C"),
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option(
            help="Models of a judge's own family, which it may prefer; may be given again. A project knows whose "
            "answers "
            "units are, --units names them for a file.",
            metavar="JUDGE=MODEL,MODEL",
        ),
    ] = None,
    units: Annotated[
        Path | None,
        typer.Option(
            help="With --ratings: a CSV file with the column unit and any of item, model, length: which units are "
            "answers "
            "to one item, whose answers they are, and how long."
        ),
    ] = None,
    cross_check: Annotated[
        bool,
        typer.Option(
            "--cross-check",
            help="Has no effect: the report always compares its coefficients with those of other packages.",
            hidden=True,
        ),
    ] = False,
    missing: Annotated[
        str | None,
        typer.Option(
            help="Words for a missing rating, separated by commas. An empty cell is always missing. "
            'By default NA, N/A, None, null, NaN, - and the like. "" turns the words off.',
            metavar="WORDS",
        ),
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(
            help="The rule of the verdict, set before you look: units (30), people (3), reliability (0.4), margin "
            "(0.05), association (0.3), constant (yes), test (yes), epsilon (0.2). With --project it is stored with "
            "its date, and the report says whether that was before the first reply.",
            metavar="NAME=NUMBER,...",
        ),
    ] = None,
    tuned: Annotated[
        bool, typer.Option("--tuned", help="A judge's prompt was tuned on these very units: there is no verdict then.")
    ] = False,
    vouch: Annotated[
        list[str] | None,
        typer.Option(
            help="With --project: raters from a file whom you declare to be people; may be given again.",
            metavar="A,B",
        ),
    ] = None,
    pdf: Annotated[
        bool,
        typer.Option(
            "--pdf",
            help="Write report.pdf and card.pdf, too. Chromium, Chrome or Edge of this machine prints them.",
        ),
    ] = False,
    items: CountedItems = None,
    pool_guidelines: Annotated[
        bool,
        typer.Option(
            "--pool-guidelines",
            help="Measure people's ratings under different versions of the project's guideline together.",
        ),
    ] = False,
) -> None:
    """Report whether judges can replace people, as HTML, CSV, JSON and PDF, with a one-page card."""
    from annotation_schemas.reporting import with_means
    from reports import files
    from reports.calibration import calibration
    from reports.losses import losses_of_study
    from reports.pdf import find_browser
    from reports.ruling import rule_from_text
    from reports.study import Runs, Study

    if (ratings is None) == (project is None):
        raise typer.BadParameter("name either a file with --ratings, or a project with --project.")
    if ratings is not None and (stage is not None or by is Cut.GROUP):
        raise typer.BadParameter("--stage and --by group are for projects; a file has neither.")
    if unknown := [name for name in statistic or () if name not in (ALL, *summarised())]:
        raise RatingsError(
            f"There is no statistic {unknown[0]!r} of agreement; there are: {', '.join(sorted(summarised()))}."
        )
    if missing is not None and ratings is None:
        raise typer.BadParameter("--missing is for files; a project knows which ratings are missing.")
    if pdf:
        find_browser()
    if cross_check:
        typer.echo("--cross-check has no effect: the report always has this comparison.", err=True)
    shown = () if ALL in (statistic or ()) else statistic
    if rule is not None and project is not None:
        from workflow.results.calibration_rule import store_rule

        store_rule(_opened().store, by=None, project=project, text=rule)
        if out is None and not human and not judge:
            typer.echo(f"The rule is stored with {project}.")
            return
    if out is None or not human or not judge:
        raise typer.BadParameter(
            "name the folder with --out, people with --human and judges with --judge; with --project and --rule alone"
            " the rule is stored."
        )
    humans = names_of(human, "--human")
    judges = tuple(dict.fromkeys(judge))
    families = _runs(family, "--family")
    runs = Runs(_runs(repeat, "--repeat"), _runs(swapped, "--swapped"), _runs(earlier, "--earlier"))
    scales = _scales(scale or ())
    if ratings is not None:
        from importers.units import read_units

        rows, source = _of_file(ratings, missing, unparsed or (), {*judges, *runs.names()})
        study = Study(
            rows,
            humans,
            judges,
            scales=scales,
            criteria=tuple(criterion) if criterion else None,
            about=read_units(units) if units is not None else {},
            runs=runs,
            families=families,
            unparsed=frozenset((*(unparsed or ()), NO_RATING)),
            tuned=tuned,
            by_dimension=by is not Cut.WHOLE,
            statistics=with_means(shown or ()),
        )
    else:
        from workflow.results.calibration import stage_first, study_of

        assert project is not None
        shared = _opened()
        study, source = study_of(
            shared.store,
            person=None,
            project=project,
            stage=stage or stage_first(shared.store, person=None, project=project),
            humans=humans,
            judges=judges,
            vouched=names_of(vouch or (), "--vouch"),
            criteria=criterion,
            scales=scales,
            runs=runs,
            families=families,
            unparsed=unparsed or (),
            tuned=tuned,
            pool_guidelines=pool_guidelines,
            items=items,
            by=by,
            statistics=shown,
        )
        typer.echo(source.counted, err=True)
    report = calibration(study, source, rule_from_text(rule) if rule else None, cross_checked=True)
    made = files.write(report, out, paper=pdf)
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
    from importers.readers import ratings_reader
    from reports.content import RatingSource

    reader = ratings_reader()
    words = [word for word in reader.missing_words(missing) if word not in unparsed]
    read = reader(path, missing=words, merge_case=True)
    for note in read.notes:
        typer.echo(f"{path.name}: {note}", err=True)
    if read.bad:
        more = f" {len(read.bad):,} rows do not fit." if len(read.bad) > 1 else ""
        raise RatingsError(f"{path.name}, row {read.bad[0].row}: {read.bad[0].reason}. Correct the row.{more}")
    if not read.rows:
        raise RatingsError(f"{path.name} has its head, but no rating below it.")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    rows = [rating for rating, _ in read.rows]
    rated = {(row.unit, row.rater, row.criterion) for row in rows}
    empty = {(row.unit, row.rater, row.criterion): row for row in read.missing if row.rater in machines}
    lost = [replace(row, value=NO_RATING) for key, row in empty.items() if key not in rated]
    for judge, n in sorted(Counter(row.rater for row in lost).items()):
        typer.echo(
            f"{path.name}: {n:,} rows of {judge} have no rating. They count as unread replies. Delete the rows if the "
            "judge was not asked.",
            err=True,
        )
    return [*rows, *lost], RatingSource(path.name, digest, "file")


def _scales(texts: Sequence[str]) -> dict[str, Scale]:
    from agreement.summary import scale_from_text

    scales: dict[str, Scale] = {}
    for text in texts:
        criterion, scale = scale_from_text(text)
        if criterion in scales:
            raise RatingsError(f"--scale is given twice for {criterion}; leave one of the two out.")
        scales[criterion] = scale
    return scales


def _runs(texts: Sequence[str] | None, option: str) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for text in texts or ():
        judge, sign, names = text.partition("=")
        if not sign:
            raise RatingsError(f"{option} {text!r} does not read JUDGE=NAME or JUDGE=NAME,NAME.")
        found[judge.strip()] = (*found.get(judge.strip(), ()), *names_of([names], option))
    return found
