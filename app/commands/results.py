"""``touchstone result show``: score models' answers by key, people and judges, for all items and for slices."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.groups import Panel, find_group
from app.commands.options import CountedItems

if TYPE_CHECKING:
    from workflow.results.leaderboard import SlicedScores
    from workflow.results.project_answers import ProjectAnswers
    from workflow.results.result_sections import ResultSection

    SectionFigures = Sequence[tuple[ResultSection, Any, Sequence[Any]]]
    """Each section with its figures, and with those of each way of scoring."""


class Format(StrEnum):
    """The output formats of numbers."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


class ScoreSource(StrEnum):
    """The sources of scores."""

    ALL = "all"
    KEY = "key"
    HUMAN = "human"
    JUDGE = "judge"
    CORRECTED = "corrected"


class Correction(StrEnum):
    """The corrections of a judge's mean."""

    PPI = "ppi"
    ROGAN_GLADEN = "rogan_gladen"
    POST_STRATIFIED = "post_stratified"


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    group = find_group(cli, "result", Panel.RESULTS, "Show scores of models, with intervals.")
    group.command("show")(results)


def results(
    project: Annotated[str, typer.Argument(help="The project.")],
    criterion: Annotated[
        list[str] | None,
        typer.Option(
            help="Count only grades for this criterion. Repeat the option for more criteria. Default: all criteria."
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            help="Slice the scores by dimension, group, source or a field. FIELD.words and FIELD.entries count "
            "words and entries. FIELD~FIELD measures the words that two texts share. Default: the setting in "
            "the schema's `report`, otherwise dimension.",
            metavar="FIELD",
        ),
    ] = None,
    scores: Annotated[
        ScoreSource,
        typer.Option(help="Show only scores from this scorer: the key, people, judges, or judges corrected by people."),
    ] = ScoreSource.ALL,
    method: Annotated[
        Correction, typer.Option(help="The method that corrects the judge's mean with people's grades.")
    ] = Correction.PPI,
    cluster: Annotated[
        str | None,
        typer.Option(
            help=(
                "When computing intervals, treat items with the same source or field value as "
                "dependent. For independent items, use none. Default: source, if items have a source."
            ),
            metavar="FIELD",
        ),
    ] = None,
    common: Annotated[bool, typer.Option("--common", help="Count only items that every model has answered.")] = False,
    items: CountedItems = None,
    reader: Annotated[
        str,
        typer.Option(
            help="How Touchstone reads answers: rules, or rules+NAME to add a second reader for answers that the "
            "rules cannot read.",
            metavar="rules|rules+NAME",
        ),
    ] = "rules",
    beside: Annotated[
        bool,
        typer.Option(
            "--side-by-side",
            help="Print one table for each scorer, with a row for each model and slice and a column for each "
            "criterion.",
        ),
    ] = False,
    bins: Annotated[int, typer.Option(help="The number of slices, if --by is numeric.", min=2, max=20)] = 4,
    edges: Annotated[
        str | None,
        typer.Option(
            help="The numbers at which slices begin, such as 1,5,9, if --by is numeric. This option replaces --bins.",
            metavar="N,N,...",
        ),
    ] = None,
    group_models_by: Annotated[
        str | None,
        typer.Option(
            help="Also show means for groups of models. Group by an attribute, by two nested attributes such as "
            "family/size, or by a number with limits such as parameters:10B.",
            metavar="ATTRIBUTE[/ATTRIBUTE][:LIMIT,...]",
        ),
    ] = None,
    schema_version: Annotated[
        int | None,
        typer.Option(
            help="Count only people's grades under this schema version. Default: all versions.",
            metavar="N",
        ),
    ] = None,
    comparisons: Annotated[
        Path | None,
        typer.Option(
            help="Also write a CSV file that shows how often each model wins against every other model.",
            metavar="FILE.csv",
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="The output format.")] = Format.TABLE,
) -> None:
    """Show the scores of models, each with its interval, its number of items, and what was left out.

    Example: touchstone result show demo --scores judge --by dimension
    """
    from annotation_schemas.reporting import cut_first
    from app.services import opened
    from domain.errors import InvalidInputError, Problem
    from workflow.results import leaderboard as numbers
    from workflow.results import project_answers, result_sections, score_choices
    from workflow.results.slices import edges_of

    cuts = bins if edges is None else edges_of(edges)
    given = {"--side-by-side": beside, "--group-models-by": group_models_by, "--comparisons": comparisons}
    options = {option: value for option, value in given.items() if value}
    asking = {option: result_sections.asked_by(option) for option in options}
    shared = opened()
    read = project_answers.read_project(
        shared.store, person=None, project=project, items=items, reader=reader, schema_version=schema_version
    )
    if schema_version is not None:
        print(f"These results count people's grades only under schema version {schema_version}.", file=sys.stderr)
    wanted = score_choices.selected_scores(
        read, kinds=None if scores is ScoreSource.ALL else (scores.value,), criteria=criterion, method=method.value
    )
    first = cut_first(read.schema)
    by = by or (first.value if first else "dimension")
    boards = [
        numbers.sliced_scores(read, scoring, by=by, together=cluster, common=common, bins=cuts) for scoring in wanted
    ]
    if edges is not None and boards and not boards[0].slicing.of_numbers:
        raise InvalidInputError(
            [Problem("edges", f"--edges {edges} needs numeric slices, but {by} is not numeric. Omit --edges.")]
        )
    remarks = [f"Counted: {read.counting.sentence}"] if format is not Format.TABLE and read.counting else []
    for section in asking.values():
        if (alone := section.alone(read, boards, by=by, form=format.value)) is not None:
            for remark in remarks:
                print(remark, file=sys.stderr)
            typer.echo(alone, nl=False)
            return
    parts: list[tuple[ResultSection, Any, Sequence[Any]]] = []
    for section in result_sections.sections():
        key_only = scores is ScoreSource.KEY and section.option not in options
        of_project = section.of_project(shared.store, read, together=cluster, key_only=key_only)
        needed = section.option in options or format is Format.TABLE
        of_boards = section.of_boards(read, boards, options) if needed else [None] * len(boards)
        parts.append((section, of_project, of_boards))
    for section, of_project, _ in parts:
        remarks += section.remarks(of_project, options.get(section.option), form=format.value)
    for remark in remarks:
        print(remark, file=sys.stderr)
    further = [{section.name: of_boards[at] for section, _, of_boards in parts} for at in range(len(boards))]
    if format is Format.CSV:
        lines = [line for board in boards for line in board.lines()]
        lines += [line for of_board in further for line in result_sections.further_lines(of_board)]
        typer.echo(numbers.as_csv(lines), nl=False)
    elif format is Format.JSON:
        document = numbers.as_json(read, boards, [result_sections.json_of_board(of_board) for of_board in further])
        for section, of_project, _ in parts:
            document |= section.json(of_project)
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        typer.echo("\n".join([*table(read, boards, parts), *models_block(read)]))


def models_block(read: ProjectAnswers) -> Iterator[str]:
    """Yield a table of the models' attributes, or nothing if no model has any."""
    from workflow.results import attributes

    names = attributes.names(read.attributes.values())
    if not names:
        return
    rows = [["", *names]]
    rows += [[model, *(str(own.get(name, "-")) for name in names)] for model, own in sorted(read.attributes.items())]
    widths = [max(len(row[at]) for row in rows) for at in range(len(names) + 1)]
    yield ""
    yield "Model attributes"
    for row in rows:
        yield "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def table(read: ProjectAnswers, boards: Sequence[SlicedScores], sections: SectionFigures = ()) -> Iterator[str]:
    """Yield the scores as lines for people: one block for each way of scoring, and the sections below them."""
    from app.results.text_lines import block, ways_in_words

    if read.counting is not None:
        yield read.counting.sentence
        yield ""
    ends = [(section, list(section.ending(of_project))) for section, of_project, _ in sections]
    if not boards and not any(lines for section, lines in ends if section.without_scores):
        yield (
            "There are no scores, because no answer has a key, a grade or a judge's rating. Run a model, or import "
            "answers."
        )
    for place, board in enumerate(boards):
        if place:
            yield ""
        about = f" ({board.slicing.way.about})" if board.slicing.way.about else ""
        yield f"{board.title or board.scores.title}, by {board.slicing.way.title.lower()}{about}"
        yield from block(board, board.lines())
        for model in board.models:
            if ways := ways_in_words(board.whole[model]):
                yield f"  {model}: {ways}"
        notes = [note for section, _, of_boards in sections for note in section.notes(of_boards[place], board)]
        for note in [*board.notes, *notes]:
            yield f"  {note}"
        for section, _, of_boards in sections:
            yield from section.rows(of_boards[place], board)
    for _, lines in ends:
        yield from lines
