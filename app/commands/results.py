"""``touchstone results``: score models' answers by key, people and judges, for all items and for slices."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.options import CountedItems

if TYPE_CHECKING:
    from workflow.results.leaderboard import SlicedScores
    from workflow.results.leaderboard_lines import LeaderboardLine
    from workflow.results.model_groups import Grouping
    from workflow.results.project_answers import ProjectAnswers
    from workflow.results.ranked_options import OptionRankings
    from workflow.results.side_by_side import Block, ModelRow
    from workflow.results.win_rates import ModelComparison


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
    cli.command("results")(results)


def results(
    project: Annotated[str, typer.Argument(help="The project.")],
    criterion: Annotated[
        list[str] | None, typer.Option(help="Only grades of this criterion; may be given again. None: all of them.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            help="How items are cut into slices: dimension, group, source, a field, FIELD.words, FIELD.entries, or "
            "FIELD~FIELD for the words that two texts have in common. By default as the schema's report says, else by "
            "dimension.",
            metavar="FIELD",
        ),
    ] = None,
    scores: Annotated[
        ScoreSource,
        typer.Option(help="Only scores from the key, from people, from judges, or of judges corrected by people."),
    ] = ScoreSource.ALL,
    method: Annotated[
        Correction, typer.Option(help="How judges are corrected by people's grades of some answers.")
    ] = Correction.PPI,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="What belongs together, for the intervals: source, a field, or none. By default items of one source, "
            "where there are any.",
            metavar="FIELD",
        ),
    ] = None,
    common: Annotated[bool, typer.Option("--common", help="Only items that every model has answered.")] = False,
    items: CountedItems = None,
    reader: Annotated[
        str,
        typer.Option(
            help="Who reads models' answers: rules, or rules+NAME with a second reader for those that the rules do not "
            "read (touchstone answers read-again).",
            metavar="rules|rules+NAME",
        ),
    ] = "rules",
    beside: Annotated[
        bool,
        typer.Option(
            "--side-by-side",
            help="One table for everyone who scores: a row for each model and slice, the criteria next to each other, "
            "with counts.",
        ),
    ] = False,
    bins: Annotated[int, typer.Option(help="Into how many slices numbers are cut.", min=2, max=20)] = 4,
    edges: Annotated[
        str | None,
        typer.Option(
            help="Cut numbers where you say, instead of --bins: each of these begins a slice, as in 1,5,9.",
            metavar="N,N,...",
        ),
    ] = None,
    group_models_by: Annotated[
        str | None,
        typer.Option(
            help="Also the means of groups of models, by what is said of them: an attribute, one inside another "
            "(family/size), or numbers cut at limits (parameters:10B).",
            metavar="ATTRIBUTE[/ATTRIBUTE][:LIMIT,...]",
        ),
    ] = None,
    schema_version: Annotated[
        int | None,
        typer.Option(
            help="Of people's grades only those that were given under this version of the project's schema; without it "
            "all together. Keys, judges, and ratings out of files are of no version.",
            metavar="N",
        ),
    ] = None,
    comparisons: Annotated[
        Path | None,
        typer.Option(
            help="Write how often answers win against others' to FILE, as CSV: a table of its own, since its columns "
            "are other ones.",
            metavar="FILE.csv",
        ),
    ] = None,
    format: Annotated[Format, typer.Option(help="How the numbers are written.")] = Format.TABLE,
) -> None:
    """Score the answers of models. Each score has its interval, its number of items and what was left out."""
    from annotation_schemas.reporting import cut_first
    from app.services import opened
    from domain.errors import InvalidInputError, Problem
    from exporters.writing import write_files
    from workflow.results import leaderboard as numbers
    from workflow.results import model_groups, project_answers, ranked_options, score_choices, side_by_side
    from workflow.results import win_rates as pairs
    from workflow.results.slices import edges_of

    cuts = bins if edges is None else edges_of(edges)
    shared = opened()
    read = project_answers.read_project(
        shared.store, person=None, project=project, items=items, reader=reader, schema_version=schema_version
    )
    if schema_version is not None:
        print(f"Grades of people: under version {schema_version} of the schema alone.", file=sys.stderr)
    wanted = score_choices.selected_scores(
        read, kinds=None if scores is ScoreSource.ALL else (scores.value,), criteria=criterion, method=method.value
    )
    first = cut_first(read.schema)
    by = by or (first.value if first else "dimension")
    boards = [numbers.sliced_scores(read, each, by=by, together=cluster, common=common, bins=cuts) for each in wanted]
    if edges is not None and boards and not boards[0].slicing.of_numbers:
        raise InvalidInputError([Problem("edges", f"{by} has no numbers that could be cut at {edges}.")])
    if beside:
        blocks = side_by_side.blocks(boards)
        if format is not Format.TABLE and read.counting is not None:
            print(f"Counted: {read.counting.sentence}", file=sys.stderr)
        if format is Format.CSV:
            typer.echo(side_by_side.as_csv(blocks), nl=False)
        elif format is Format.JSON:
            rows = side_by_side.as_rows(blocks)
            typer.echo(json.dumps({"project": read.project, "by": by, "rows": rows}, indent=2, ensure_ascii=False))
        else:
            typer.echo("\n".join(beside_table(read, blocks)))
        return
    by_what = model_groups.parse_grouping(read, group_models_by) if group_models_by else None
    groups = [model_groups.grouped(read, board, by_what) for board in boards] if by_what else []
    compared = (
        pairs.comparisons(shared.store, read, person=None, together=cluster)
        if scores is not ScoreSource.KEY or comparisons
        else []
    )
    if format is not Format.TABLE and read.counting is not None:
        print(f"Counted: {read.counting.sentence}", file=sys.stderr)
    if comparisons is not None:
        write_files({comparisons: pairs.as_csv(compared).encode()})
        print(f"Comparisons: {len(compared)} written to {comparisons}", file=sys.stderr)
    elif compared and format is Format.CSV:
        left = f"{len(compared)} comparison{'' if len(compared) == 1 else 's'}"
        print(f"Not in this table: {left}. Write them with --comparisons FILE.csv.", file=sys.stderr)
    if format is Format.CSV:
        lines = [line for board in boards for line in board.lines()]
        typer.echo(numbers.as_csv([*lines, *(line for group in groups for line in group.lines())]), nl=False)
    elif format is Format.JSON:
        of_groups = [group.lines() for group in groups]
        told = {**numbers.as_json(read, boards, of_groups), "comparisons": [each.as_row() for each in compared]}
        typer.echo(json.dumps(told, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        ranked = ranked_options.rank_options(shared.store, read, person=None, together=cluster)
        shown = [*table(read, boards, ranked, groups, compared=bool(compared)), *comparison_block(compared)]
        typer.echo("\n".join([*shown, *models_block(read)]))


def beside_table(read: ProjectAnswers, blocks: Sequence[Block]) -> Iterator[str]:
    """Yield the criteria side by side as lines for people: one block for each rater."""
    if read.counting is not None:
        yield read.counting.sentence
    if not blocks:
        yield "No one has scored two criteria or more."
    for block in blocks:
        yield ""
        yield block.title
        titles: dict[str | None, str] = dict(block.titles) | {None: "all answers"}
        names = [(row.model, "mean over parts" if row.over == "parts" else titles[row.part]) for row in block.rows]
        models, parts = max(len(model) for model, _ in names), max(len(part) for _, part in names)
        cells = [[_beside(row, name) for name in block.criteria] for row in block.rows]
        widths = [max(len(each) for each in column) for column in zip(block.criteria, *cells, strict=True)]
        heads = "  ".join(f"{name:<{width}}" for name, width in zip(block.criteria, widths, strict=True))
        yield f"  {'':<{models}}  {'':<{parts}}  {heads}".rstrip()
        for (model, part), told in zip(names, cells, strict=True):
            line = "  ".join(f"{each:<{width}}" for each, width in zip(told, widths, strict=True))
            yield f"  {model:<{models}}  {part:<{parts}}  {line}".rstrip()
    if blocks:
        yield ""
        yield "  Each with its 95 % interval, and how many answers have it of how many that are scored."


def _beside(row: ModelRow, name: str) -> str:
    line = row.lines.get(name)
    if line is None or not line.found.defined:
        return "-"
    at, count = line.found, row.counts.get(name)
    limits = f" {at.low:.3f} to {at.high:.3f}" if at.low == at.low else ""
    return f"{at.value:.3f}{limits} ({at.n_units if count is None else f'{count}/{at.n_units}'})"


def comparison_block(compared: Sequence[ModelComparison]) -> Iterator[str]:
    """Yield how often each model's answers win against another model's, by judge."""
    from workflow.results import win_rates as pairs

    if not compared:
        return
    yield ""
    yield "Comparisons: how often a model's answer is preferred, both orders of a pair counted as one"
    names = [f"{each.model} against {each.baseline}" for each in compared]
    judges, width = max(len(each.judge) for each in compared), max(map(len, names))
    yield f"  {'':<{judges}}  {'':<{width}}   rate  95 % interval   pairs  left out  lowest to highest"
    for each, name in zip(compared, names, strict=True):
        at = each.rate
        limits = f"{at.low:.3f} to {at.high:.3f}" if at.low == at.low else "-"
        rate = f"{at.value:.3f}" if at.defined else "-"
        bounds = f"{each.lowest:.3f} to {each.highest:.3f}" if each.n else "-"
        out = each.failed + each.waiting + each.earlier
        yield f"  {each.judge:<{judges}}  {name:<{width}}  {rate:>5}  {limits:<15}  {each.n:>5}  {out:>8}  {bounds}"
        yield f"  {'':<{judges}}  {pairs.sentence(each)}"


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
    yield "What is said of the models"
    for row in rows:
        yield "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def table(
    read: ProjectAnswers,
    boards: Sequence[SlicedScores],
    ranked: OptionRankings | None = None,
    groups: Sequence[Grouping] = (),
    *,
    compared: bool = False,
) -> Iterator[str]:
    """Yield the scores as lines for people: one block for each way of scoring."""
    from workflow.results import slice_contrasts

    if read.counting is not None:
        yield read.counting.sentence
        yield ""
    if not boards and not compared:
        yield "There is nothing to score here: no model's answer has a key, a grade or a judge's rating."
    for place, each in enumerate(boards):
        if place:
            yield ""
        about = f" ({each.slicing.way.about})" if each.slicing.way.about else ""
        yield f"{each.title or each.scores.title}, by {each.slicing.way.title.lower()}{about}"
        yield from _block(each, each.lines())
        for model in each.models:
            if told := ways_in_words(each.whole[model]):
                yield f"  {model}: {told}"
        for note in each.notes:
            yield f"  {note}"
        tests = slice_contrasts.contrasts(read, each)
        if tests and each.slicing.way.name != "dimension":
            yield f"  {slice_contrasts.on_chance(tests)}"
        if groups:
            yield from _groups(each, groups[place])
    if ranked is not None:
        yield ""
        yield "Accuracy of ranked options under each score"
        width = max(len(model) for model, _ in ranked.by_score)
        for (model, score), line in ranked.by_score.items():
            yield f"  {model:<{width}}  {score:<16}  {figures(line)}"
        for warning in ranked.warnings:
            yield f"  Warning: {warning}"


def _groups(board: SlicedScores, found: Grouping) -> Iterator[str]:
    """Yield the models' scores by group, the number of models in each group, and the differences between groups."""
    yield f"  Models by {found.by.title}: every model of a group counts alike; intervals are over items"
    if found.groups:
        yield from _block(board, found.lines())
    for group in found.groups:
        n = len(group.whole.models)
        yield f"  {group.label}: {n} {'model' if n == 1 else 'models'}, {', '.join(group.whole.models)}"
    for gap in found.gaps:
        at = gap.difference
        limits = f"{at.low:+.3f} to {at.high:+.3f}" if at.low == at.low else "-"
        value = f"{at.value:+.3f}" if at.defined else "-"
        apart = f"{value}  {limits}  {at.n_units} items, {gap.left_out} left out  {at.reason or ''}".rstrip()
        yield f"  {gap.group} less {gap.first}: {apart}"
    for note in found.notes:
        yield f"  {note}"


def _block(board: SlicedScores, lines: Sequence[LeaderboardLine]) -> Iterator[str]:
    titles = {label: board.slicing.title(at) for at, label in enumerate(board.slicing.labels)}
    names = [_part(line, titles, over=f"mean over {board.slicing.way.title.lower()}s") for line in lines]
    head = "  not read  lowest to highest" if any(line.unreadable for line in lines) else ""
    models, parts = max(len(line.model) for line in lines), max(map(len, names))
    yield f"  {'':<{models}}  {'':<{parts}}   mean  95 % interval   answers  left out{head}"
    for line, name in zip(lines, names, strict=True):
        yield f"  {line.model:<{models}}  {name:<{parts}}  {figures(line)}"


def ways_in_words(line: LeaderboardLine) -> str:
    """Return how a model's answers were made, which frames it saw, and how many answers are refusals."""
    told = [line.way.how, f"frames {line.way.frames}" if line.way.frames else ""]
    told.append(f"{line.refused} refused" if line.refused else "")
    return ", ".join(filter(None, told))


def _part(line: LeaderboardLine, titles: dict[str, str], *, over: str) -> str:
    if line.over == "parts":
        return over
    return "all answers" if line.part is None else titles.get(line.part, line.part)


def figures(line: LeaderboardLine) -> str:
    """Return a number with its interval, its counts of used and left-out units, and the reason if it is undefined."""
    at = line.found
    if not at.defined:
        return f"{'-':>5}  {'':<15}  {at.n_units:>7}  {at.n_left_out:>8}{_unread(line)}  {at.reason}"
    limits = f"{at.low:.3f} to {at.high:.3f}" if at.low == at.low else "-"
    told = f"{at.value:.3f}  {limits:<15}  {at.n_units:>7}  {at.n_left_out:>8}{_unread(line)}  {at.reason or ''}"
    return told.rstrip()


def _unread(line: LeaderboardLine) -> str:
    """Return the number of unreadable answers, and the bounds of the accuracy over all of their possible readings."""
    if line.unreadable is None or line.over == "parts":
        return ""
    bounds = ""
    if line.lowest is not None and line.highest is not None:
        bounds = f"{line.lowest:.3f} to {line.highest:.3f}"
    return f"  {sum(line.unread.values()):>8}  {bounds:<17}"
