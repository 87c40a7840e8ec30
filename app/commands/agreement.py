"""``touchstone agreement show``: report the agreement between raters, from a file or from a project."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from annotation_schemas import reporting
from app.commands.agreement_lines import levels_table, opinion_lines, table
from app.commands.groups import Panel, find_group
from app.commands.names import ALL, names_of
from domain.errors import RatingsError
from domain.states import Cut, Items, Stage

if TYPE_CHECKING:
    from agreement.ratings import Scale
    from agreement.summary import Result
    from annotation_schemas.model import Schema
    from workflow.results.losses import StageLosses


class UnitKind(StrEnum):
    """The kinds of units that agreement can be computed over."""

    ITEM = "item"
    PREDICTION = "prediction"
    ANSWER = "answer"
    DIMENSION = "dimension"
    MODEL = "model"
    LEVELS = "levels"


MEANS = (UnitKind.DIMENSION, UnitKind.MODEL, UnitKind.LEVELS)
STAGE_OF = {
    UnitKind.ITEM: Stage.VERIFICATION,
    UnitKind.PREDICTION: Stage.GRADING,
    UnitKind.ANSWER: Stage.GRADING,
    UnitKind.DIMENSION: Stage.GRADING,
    UnitKind.MODEL: Stage.GRADING,
    UnitKind.LEVELS: Stage.GRADING,
}


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    group = find_group(cli, "agreement", Panel.RESULTS, "Measure how well raters agree, and plan the number of raters.")
    group.command("show")(agreement)


def agreement(
    project: Annotated[
        str | None, typer.Argument(help="The project to measure. To measure a file, use --ratings.")
    ] = None,
    ratings: Annotated[
        Path | None,
        typer.Option(
            help="A file of ratings (CSV, TSV, JSON lines or Parquet) with the columns unit, rater, criterion and "
            "value, and optionally dimension and cluster."
        ),
    ] = None,
    stage: Annotated[
        Stage | None,
        typer.Option(
            help="The stage: verification, grading, comparison, coding or answering. Default: the stage in the "
            "schema's `report`.",
            metavar="STAGE",
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(help="Measure only this criterion. Repeat the option for more criteria. Default: all."),
    ] = None,
    raters: Annotated[
        list[str] | None,
        typer.Option(
            help="Measure only these raters, separated by commas. Put a name with a comma in double quotes.",
            metavar="A,B",
        ),
    ] = None,
    by: Annotated[
        Cut | None,
        typer.Option(
            help="Compute each statistic for each dimension, for each group of dimensions, or for all dimensions "
            "together. Default: the setting in the schema's `report`, otherwise all dimensions together."
        ),
    ] = None,
    unit: Annotated[
        UnitKind | None,
        typer.Option(
            help=(
                "The unit for which ratings are compared. Use item for votes, prediction for each "
                "rater's grades, or answer for people's combined grades. Use dimension or model for "
                "means of a model's answers. Use `levels` to compare a judge with people at all three "
                "levels. Default: the setting in the schema's `report`."
            )
        ),
    ] = None,
    statistic: Annotated[
        list[str] | None,
        typer.Option(
            help="Compute only this statistic, such as cohen_kappa. Repeat the option for more. Use all for every "
            "statistic that fits. Default: the statistics in the schema's `report`.",
            metavar="NAME",
        ),
    ] = None,
    scale: Annotated[
        list[str] | None,
        typer.Option(
            help="The scale of the criterion C, if the file does not state the scale: C=nominal, C=ordinal:1,2,3, "
            "C=interval, C=time_spans or C=boxes. Repeat the option for more criteria.",
            metavar="C=LEVEL:V1,V2",
        ),
    ] = None,
    pool_guidelines: Annotated[
        bool,
        typer.Option(
            "--pool-guidelines",
            help="Combine ratings under different versions of the guideline. The output shows that versions are "
            "combined.",
        ),
    ] = False,
    schema_version: Annotated[
        int | None,
        typer.Option(
            help="Use only people's ratings under this version of the schema. Machines' ratings always count. "
            "Default: all versions.",
            metavar="N",
        ),
    ] = None,
    cross_check: Annotated[
        bool,
        typer.Option(
            "--cross-check",
            help="Show the values of scikit-learn and krippendorff next to Touchstone's values. The last line "
            "always shows whether the values are equal.",
        ),
    ] = False,
    items: Annotated[
        Items | None,
        typer.Option(
            help=(
                "The items to count: kept or all. Default for verification votes: all. Default for "
                "other ratings: kept if the stage has verdicts, otherwise all."
            )
        ),
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            help="With --ratings: words that mark a missing rating, separated by commas. Default: NA, N/A, None, "
            'null, NaN, - and similar words. Use "" for no words.',
            metavar="WORDS",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON list instead of a table.")] = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV instead of a table, with one row for each coefficient.")
    ] = False,
    losses_file: Annotated[
        Path | None,
        typer.Option(
            "--losses",
            help=("Also write the missing scores by model, dimension and value to this file, with bounds of the mean."),
            metavar="FILE.csv",
        ),
    ] = None,
) -> None:
    """Show how far raters agree, for a project or a file of ratings. Each coefficient has its interval and its number
    of units.

    Example: touchstone agreement show demo --stage grading
    """
    if (ratings is None) == (project is None):
        raise typer.BadParameter("name either a project, or a file with --ratings.")
    if project is None and (stage is not None or unit is not None or by is Cut.GROUP):
        raise typer.BadParameter(
            "--stage, --unit and --by group need a project. Remove these options, or name a project instead of "
            "--ratings."
        )
    if items is not None and project is None:
        raise typer.BadParameter(
            "--items needs a project, because a file does not record which items were kept. Remove --items."
        )
    if pool_guidelines and project is None:
        raise typer.BadParameter(
            "--pool-guidelines needs a project, because a file does not name guidelines. Remove --pool-guidelines."
        )
    if schema_version is not None and project is None:
        raise typer.BadParameter(
            "--schema-version needs a project, because a file does not name schemas. Remove --schema-version."
        )
    if unit is not None and stage not in (None, STAGE_OF[unit]):
        raise typer.BadParameter(
            f"--unit {unit.value} works only with --stage {STAGE_OF[unit].value}. Change --unit or --stage."
        )
    if unit in MEANS and (by not in (None, Cut.WHOLE) or scale):
        raise typer.BadParameter(f"--unit {unit.value} does not work with --by or --scale. Remove these options.")
    if unit is UnitKind.ANSWER and (by is Cut.GROUP or scale):
        raise typer.BadParameter("--unit answer does not work with --by group or --scale. Remove these options.")
    if missing is not None and project is not None:
        raise typer.BadParameter(
            "--missing works only with --ratings, because a project records its missing ratings. Remove --missing."
        )
    if losses_file is not None and project is None:
        raise typer.BadParameter(
            "--losses needs a project, because a file does not record lost replies. Remove --losses."
        )
    if as_json and as_csv:
        raise typer.BadParameter("use either --json or --csv.")
    scales = _scales(scale or ())
    names = list(names_of(raters, "--raters")) if raters else None
    replies: list[str] = []
    losses = None
    if ratings is not None:
        results = _of_file(
            ratings,
            criteria=criterion,
            raters=names,
            scales=scales,
            by_dimension=by is Cut.DIMENSION,
            cross_check=True,
            statistics=_statistics(statistic, ()),
            missing=missing,
        )
    else:
        assert project is not None
        schema = _schema_of(project)
        if unit is None and stage in (None, Stage.GRADING) and by is None and not scale:
            unit = UnitKind.DIMENSION if reporting.means_first(schema) and _have_means(project, names) else None
        stage = stage or (STAGE_OF[unit] if unit else reporting.stage_first(schema))
        by = by or reporting.cut_first(schema) or Cut.WHOLE
        replies = _replies(project, stage, criteria=criterion, raters=names, by=by, items=items)
        judges = names or (None if unit in (UnitKind.ANSWER, *MEANS) or not _has_people(project, stage) else [])
        losses = _losses(project, stage, criteria=criterion, judges=judges, items=items)
        results = _of_project(
            project,
            stage,
            criteria=criterion,
            raters=names,
            scales=scales,
            by=by,
            unit=unit,
            pool_guidelines=pool_guidelines,
            schema_version=schema_version,
            cross_check=True,
            items=items,
            statistics=_statistics(statistic, reporting.agreement_first(schema)),
        )
    if as_json:
        # Print one line for each result, so that a list of thousands can still be read, searched and compared.
        lines = ",\n ".join(json.dumps(result.as_json(), ensure_ascii=False, allow_nan=False) for result in results)
        typer.echo(f"[{lines}]")
    elif as_csv:
        from workflow.results.loss_files import agreement_as_csv
        from workflow.results.losses import StageLosses

        typer.echo(agreement_as_csv(results, losses or StageLosses()), nl=False)
    else:
        from agreement.summary import opinion_of

        opinion = opinion_of(results)
        if not cross_check:
            results = [replace(result, peers=None) for result in results]
        shown = levels_table(results) if unit is UnitKind.LEVELS else table(results, schema_version=schema_version)
        typer.echo("\n".join(shown))
        if results:
            typer.echo("\n".join(["", *opinion_lines(opinion)]))
    if losses is not None and losses_file is not None:
        from exporters.writing import write_files
        from workflow.results.loss_files import losses_as_csv

        write_files({losses_file: losses_as_csv(losses.judges, losses.left_out).encode()})
    aside = as_json or as_csv
    if losses is not None and losses.sentences:
        typer.echo("\n".join(["", *losses.sentences]), err=aside)
    if replies:
        typer.echo("\n".join(["", "Outcomes of the machines' replies", *replies]), err=aside)


def _statistics(asked: Sequence[str] | None, first: Sequence[str]) -> frozenset[str]:
    """Return the names of the requested statistics, each with its mean over pairs.

    Without a request, return those in ``first``. An empty set stands for all statistics.
    """
    return frozenset() if ALL in (asked or ()) else reporting.with_means(asked or first)


def _schema_of(project: str) -> Schema:
    from app.services import resources
    from workflow.access.projects import access_to

    shared = resources()
    shared.store.upgrade()
    with shared.store.read() as session:
        return access_to(session, person=None, project=project).schema


def _have_means(project: str, names: Sequence[str] | None) -> bool:
    """Tell whether there are means per dimension to compare.

    People without a judge are compared answer by answer, so they have no means.
    """
    from app.services import resources
    from workflow.results.ratings import raters_of

    there = raters_of(resources().store, person=None, project=project, stage=Stage.GRADING)
    return there.have_means(names) or not there.people


def _of_file(
    path: Path,
    *,
    criteria: Sequence[str] | None,
    raters: Sequence[str] | None,
    scales: Mapping[str, Scale],
    by_dimension: bool,
    cross_check: bool,
    statistics: frozenset[str],
    missing: str | None,
) -> list[Result]:
    from agreement.summary import summarise
    from importers.readers import ratings_reader

    reader = ratings_reader()
    words = reader.missing_words(missing)
    if path.suffix.lower() == ".parquet":
        read = reader.patterns(path, missing=words, by_dimension=by_dimension, raters=raters)
    else:
        read = reader.table(path, missing=words)
    for note in read.notes:
        typer.echo(f"{path.name}: {note}", err=True)
    if read.bad:
        more = f" {len(read.bad):,} rows are invalid." if len(read.bad) > 1 else ""
        raise RatingsError(f"{path.name}, row {read.bad[0].row}: {read.bad[0].reason}. Correct the row.{more}")
    if not len(read.table):
        raise RatingsError(f"{path.name} has no ratings after the header row. Add ratings.")
    return summarise(
        read.table,
        scales=scales,
        by_dimension=by_dimension,
        raters=raters,
        criteria=criteria,
        cross_check=cross_check,
        statistics=statistics,
    )


def _replies(
    project: str,
    stage: Stage,
    *,
    criteria: Sequence[str] | None,
    raters: Sequence[str] | None,
    by: Cut,
    items: Items | None,
) -> list[str]:
    """Return one line for each named judge: how many of its replies have a score.

    Without names, return the lines of all judges if no person has rated, otherwise an empty list.
    """
    from app.services import resources
    from workflow.results.ratings import raters_of
    from workflow.results.reply_counts import in_words, refuse_silent, replies_of_judges

    shared = resources()
    shared.store.upgrade()
    known = raters_of(shared.store, person=None, project=project, stage=stage)
    if raters is None and known.people:
        return []
    replies = replies_of_judges(
        shared.store,
        person=None,
        project=project,
        stage=stage,
        judges=raters,
        criteria=criteria,
        by=by,
        items=items,
    )
    refuse_silent(replies, known, raters or ())
    return [f"  {in_words(reply)}" for reply in replies]


def _has_people(project: str, stage: Stage) -> bool:
    """Tell whether a person has rated in a stage. If not, judges are compared with each other."""
    from app.services import resources
    from workflow.results.ratings import raters_of

    return bool(raters_of(resources().store, person=None, project=project, stage=stage).people)


def _losses(
    project: str, stage: Stage, *, criteria: Sequence[str] | None, judges: Sequence[str] | None, items: Items | None
) -> StageLosses:
    """Return the missing scores of each compared judge, and the grades that are left out.

    ``judges=None``: all judges.
    """
    from app.services import resources
    from workflow.results.losses import losses_of_stage
    from workflow.results.ratings import stage_rows

    read = stage_rows(resources().store, person=None, project=project, stage=stage, items=items)
    return losses_of_stage(read, stage=stage, judges=judges, criteria=criteria)


def _of_project(
    project: str,
    stage: Stage,
    *,
    criteria: Sequence[str] | None,
    raters: Sequence[str] | None,
    scales: Mapping[str, Scale],
    by: Cut,
    unit: UnitKind | None,
    pool_guidelines: bool,
    schema_version: int | None,
    cross_check: bool,
    items: Items | None,
    statistics: frozenset[str],
) -> list[Result]:
    from app.services import opened
    from workflow.annotate.sample_standing import counting_of_stage
    from workflow.results.dimension_means import agreement_of_answers, agreement_of_levels, agreement_of_means
    from workflow.results.rater_agreement import agreement_of
    from workflow.results.ratings import raters_of

    shared = opened()
    counted = counting_of_stage(shared.store, person=None, project=project, items_=items, stage=stage)
    print(f"Counted: {counted.whole_sentence}", file=sys.stderr)
    asked: dict[str, Any] = {
        "person": None,
        "project": project,
        "raters": raters,
        "criteria": criteria,
        "pool_guidelines": pool_guidelines,
        "cross_check": cross_check,
        "items": items,
        "schema_version": schema_version,
        "statistics": statistics,
    }
    if unit is UnitKind.LEVELS:
        return agreement_of_levels(shared.store, **asked)
    if unit is UnitKind.DIMENSION or unit is UnitKind.MODEL:
        return agreement_of_means(shared.store, **asked, over="model" if unit is UnitKind.MODEL else "dimension")
    if unit is UnitKind.ANSWER:
        return agreement_of_answers(shared.store, **asked, by_dimension=by is Cut.DIMENSION)
    if raters is None:
        known = raters_of(shared.store, person=None, project=project, stage=stage)
        if known.people and known.machines:
            names = ", ".join(known.machines)
            print(
                f"These machines do not count as people: {names}. To include machines, use --raters.", file=sys.stderr
            )
    return agreement_of(shared.store, **asked, stage=stage, by=by, scales=scales)


def _scales(texts: Sequence[str]) -> dict[str, Scale]:
    from agreement.summary import scale_from_text

    scales: dict[str, Scale] = {}
    for text in texts:
        criterion, scale = scale_from_text(text)
        if criterion in scales:
            raise RatingsError(f"There are two --scale options for {criterion}. Keep only one of these options.")
        scales[criterion] = scale
    return scales
