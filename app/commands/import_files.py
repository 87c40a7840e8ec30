"""``touchstone item import``: for scripts on the server's machine, without signing in."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from annotation_schemas import registry
from annotation_schemas.formats import FORMATS, ColumnMapping, Names, Takes, named, reading
from annotation_schemas.model import OptionPlace
from app.commands import import_look
from app.commands.groups import find_group
from app.commands.options import NO_TASKS, OF_TASKS, ProjectName, with_formats
from app.commands.recorded import recorded
from app.markup import count
from domain.errors import InvalidInputError, Problem
from domain.name_value_pairs import pairs
from domain.records import BadRow
from domain.states import RatersAre

if TYPE_CHECKING:
    from app.services import Resources
    from workflow.files.one_import import ImportSummary
    from workflow.results.file_raters import FileRater

OPEN_IN = with_formats(row for row in reading(Takes.ITEMS) if row.keys is not None and row.keys.open)
ITEMS_IN = with_formats(reading(Takes.ITEMS))
LOOKED_IN = with_formats(reading(Takes.ITEMS, Takes.ANSWERS, Takes.RATINGS, Takes.REPLIES))
MODELS = with_formats(reading(Takes.ANSWERS, Takes.TASKS))
ANSWERS_IN = with_formats(reading(Takes.ANSWERS))
REPLIES_IN = with_formats(reading(Takes.REPLIES))
NO_REPLIES = not reading(Takes.REPLIES)
TASKS_IN = with_formats(reading(Takes.TASKS))
RATERS_IN = with_formats(reading(Takes.RATINGS, Takes.TASKS))


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    find_group(cli, "item").command("import")(import_)


def import_(
    name: ProjectName,
    format: Annotated[
        str,
        typer.Argument(help=f"{named(reading(*Takes))}."),
    ],
    path: Annotated[Path, typer.Argument(help="A file, or the folder that holds the files.")],
    media: Annotated[
        Path | None, typer.Option(help="Folder with the images and videos that the files name.", metavar="DIR")
    ] = None,
    dimension: Annotated[str | None, typer.Option(help="The dimension, where no folder or record names it.")] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Take the rows that fit and write the others to a file.")
    ] = False,
    bad_rows: Annotated[
        Path | None,
        typer.Option(help="Where --skip-bad writes them; by default a file below the home.", metavar="FILE"),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help=f"{LOOKED_IN} say what would come in, what is new, changed, equal or bad; store nothing."
        ),
    ] = False,
    new_only: Annotated[
        bool,
        typer.Option(
            "--new-only",
            help=f"{ITEMS_IN} take the new ones, and leave those as they are that are there with other content.",
        ),
    ] = False,
    changed_rows: Annotated[
        Path | None,
        typer.Option(
            help="Where --dry-run writes every row that changed (CSV: field, before, after), and --new-only the rows "
            "that it left (JSON lines).",
            metavar="FILE",
        ),
    ] = None,
    model: Annotated[str | None, typer.Option(help=f"{MODELS} who answered, where the file does not say it.")] = None,
    spec: Annotated[
        Path | None,
        typer.Option(help=f"{ANSWERS_IN} the model's description, with `adapter: file`.", metavar="FILE"),
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(
            hidden=NO_REPLIES, help=f"{REPLIES_IN} what the judge was asked by, which says how its replies are read."
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(
            hidden=NO_REPLIES,
            help=f"{REPLIES_IN} PART=CRITERION, what a part of the reply rates; by default as the schema says.",
        ),
    ] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(
            hidden=NO_TASKS,
            help=f"{TASKS_IN} FIELD=KEY, which key of the data is a field, a role of media, item_id, dimension,"
            " model or prediction; by default the key of the same name.",
        ),
    ] = None,
    control: Annotated[
        list[str] | None,
        typer.Option(
            hidden=NO_TASKS,
            help=f"{TASKS_IN} CRITERION=CONTROL, which control is a criterion; prediction=CONTROL: which one"
            " of a prediction is the model's answer.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(help=f"{TASKS_IN} a control that nothing is made of.", metavar="CONTROL", hidden=NO_TASKS),
    ] = None,
    rater: Annotated[
        str | None, typer.Option(help=f"{TASKS_IN} who made annotations that name no one.", hidden=NO_TASKS)
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            help=f"{OPEN_IN} FIELD=COLUMN, which column or key is a field, a role of media, id or dimension; of a list"
            " also several, one for each entry: options=a,b,c,d. By default as the schema says, else the one of the"
            " same name."
        ),
    ] = None,
    separator: Annotated[
        str | None,
        typer.Option(help="With csv: what stands between the entries of a list in one cell, where they are no JSON."),
    ] = None,
    place: Annotated[
        list[str] | None,
        typer.Option(
            help=f"{OPEN_IN} FIELD=letter, FIELD=from_1 or FIELD=from_0: this field holds the place of an option (A, B,"
            " C, or a number), not its text.",
            metavar="FIELD=WAY",
        ),
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help=f"{OPEN_IN} how the files are written, where not in UTF-8: cp1252, utf-16.")
    ] = None,
    raters_are: Annotated[
        RatersAre | None,
        typer.Option(
            hidden=not reading(Takes.RATINGS, Takes.TASKS),
            help=f"{RATERS_IN} whether the raters are people or machines. Without it machines, but for"
            " annotations that name who completed them, and for names of whom it is known.",
        ),
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            hidden=not reading(Takes.RATINGS),
            help="With ratings: words for a missing rating, separated by commas. By default NA, "
            "N/A, None, null, NaN, - and the like, unless the schema lists the word as a value.",
            metavar="WORDS",
        ),
    ] = None,
) -> None:
    """Import files into a project: all of it or, if a row does not fit, nothing."""
    from app.services import opened
    from workflow.files.import_files import import_files
    from workflow.runs.model_descriptions import read_spec

    takes = FORMATS[format].takes if format in FORMATS else None
    if raters_are is not None and takes not in (Takes.RATINGS, Takes.TASKS):
        scope = "--raters-are is about ratings and annotations"
        raise InvalidInputError([Problem("format", f"{scope}; {format} are imported without it.")])
    if dry_run and takes not in (Takes.ITEMS, Takes.ANSWERS, Takes.RATINGS, Takes.REPLIES):
        scope = "--dry-run is about items, answers, ratings and replies"
        raise InvalidInputError([Problem("format", f"{scope}; {format} are imported without it.")])
    if (new_only or changed_rows) and takes is not Takes.ITEMS:
        scope = "--new-only and --changed-rows are about items"
        raise InvalidInputError([Problem("format", f"{scope}; {format} are imported without them.")])
    if takes is Takes.REPLIES:
        _import_replies(
            name, format, path, template, criterion or (), skip_bad=skip_bad, bad_rows=bad_rows, dry_run=dry_run
        )
        return
    if takes is not Takes.TASKS and (field or control or without or rater):
        scope = f"--field, --control, --without and --rater are about {OF_TASKS}"
        raise InvalidInputError([Problem("format", f"{scope}; {format} is imported without them.")])
    if takes is Takes.TASKS:
        names = Names(
            pairs(field or (), "FIELD=KEY", option="--field"),
            pairs(control or (), "CRITERION=CONTROL", option="--control"),
            frozenset(without or ()),
            rater,
            model,
        )
        _import_tasks(
            name, format, path, names, media, dimension, raters=raters_are, skip_bad=skip_bad, bad_rows=bad_rows
        )
        return
    described = read_spec(spec) if spec else None
    names_said = None
    if column or separator or encoding or place:
        columns = pairs(column or (), "FIELD=COLUMN", option="--column")
        places = pairs(place or (), "FIELD=WAY", option="--place")
        names_said = ColumnMapping(columns, separator, encoding, cast(Mapping[str, OptionPlace], places))
    words = _missing_words(missing, takes)
    here = opened()
    if dry_run and takes is not Takes.ITEMS:
        rows = {"format": format, "path": path, "dimension": dimension, "model": model, "spec": described}
        rows["missing"] = words
        import_look.tell_rows(here, name, rows, skip_bad=skip_bad, bad_rows=bad_rows)
        return
    if dry_run:
        about = {"format": format, "path": path, "media_dir": media, "dimension": dimension, "said": names_said}
        options: Any = {"skip_bad": skip_bad, "bad_rows": bad_rows, "new_only": new_only, "changed_rows": changed_rows}
        import_look.tell(here, name, about, **options)
        return
    done = recorded(
        here,
        "item import",
        name,
        lambda progress: import_files(
            here.store,
            here.media,
            by=None,
            project=name,
            format=format,
            path=path,
            media_dir=media,
            dimension=dimension,
            skip_bad=skip_bad,
            new_only=new_only,
            model=model,
            spec=described,
            raters=raters_are,
            said=names_said,
            missing=words,
            progress=progress,
        ),
    )
    for line in [*_summary(done), *_raters(name, done.raters)]:
        typer.echo(line)
    _tell_bad_rows(here, name, format, bad_rows, done.bad)
    if done.left and changed_rows is not None:
        _write_bad_rows(changed_rows, done.left)
        typer.echo(f"The rows of items that were left as they are, are written to {changed_rows}.")


def _missing_words(text: str | None, takes: Takes | None) -> tuple[str, ...] | None:
    from importers.readers import ratings_reader

    if text is None:
        return None
    if takes is not Takes.RATINGS:
        raise InvalidInputError([Problem("missing", "--missing is about ratings. Leave it out.")])
    return ratings_reader().missing_words(text)


def _tell_bad_rows(here: Resources, name: str, format: str, out: Path | None, bad: Sequence[BadRow]) -> None:
    if bad:
        own = (here.settings.home / "bad_rows" / f"{name}-{format}-{n}.jsonl" for n in itertools.count(1))
        where = out or next(path for path in own if not path.exists())
        _write_bad_rows(where, bad)
        typer.echo(f"{count(len(bad), 'row')} did not fit, written with reasons to {where}.")


def _import_tasks(
    name: str,
    format: str,
    path: Path,
    names: Names,
    media: Path | None,
    dimension: str | None,
    *,
    raters: RatersAre | None,
    skip_bad: bool,
    bad_rows: Path | None,
) -> None:
    from app.services import opened

    here = opened()
    registry.require_row("format", format)
    tasks = FORMATS[format].tasks
    assert tasks is not None
    done = recorded(
        here,
        "item import",
        name,
        lambda progress: tasks.imports(
            here.store,
            here.media,
            by=None,
            project=name,
            path=path,
            names=names,
            format=format,
            media_dir=media,
            dimension=dimension,
            skip_bad=skip_bad,
            raters=raters,
            progress=progress,
        ),
    )
    for line in _summary(done.imported):
        typer.echo(line)
    if done.skipped:
        typer.echo(f"{count(done.skipped, 'annotation')} in which the task was skipped: nothing was made of them.")
    if done.earlier:
        typer.echo(f"Replaced by a later one of the same person or model: {done.earlier:,}.")
    if done.numbers:
        typer.echo(
            f"{count(done.numbers, 'prediction')} stand in the file by number only; a snapshot of the project"
            " made with whole predictions has them."
        )
    for line in _raters(name, done.imported.raters):
        typer.echo(line)
    _tell_bad_rows(here, name, format, bad_rows, done.imported.bad)


def _import_replies(
    name: str,
    format: str,
    path: Path,
    template: str | None,
    criteria: Sequence[str],
    *,
    skip_bad: bool,
    bad_rows: Path | None,
    dry_run: bool,
) -> None:
    from app.commands.judge import plan_of
    from app.services import opened

    if template is None:
        raise InvalidInputError(
            [Problem("template", "Say with --template by what the judge was asked: an id, or a file.")]
        )
    here = opened()
    criteria_of_parts = pairs(criteria, "PART=CRITERION", option="--criterion")
    plan = plan_of(here, name, template, criteria=criteria_of_parts, asked_here=False)
    if dry_run:
        about = {"format": format, "path": path, "plan": plan}
        import_look.tell_rows(here, name, about, skip_bad=skip_bad, bad_rows=bad_rows)
        return
    replies = FORMATS[format].replies
    assert replies is not None
    done = recorded(
        here,
        "item import",
        name,
        lambda progress: replies.imports(
            here.store, by=None, project=name, path=path, plan=plan, skip_bad=skip_bad, format=format
        ),
    )
    for line in replies.sentences(done):
        typer.echo(line)
    _tell_bad_rows(here, name, format, bad_rows, done.bad)


def _summary(done: ImportSummary) -> Iterator[str]:
    """Yield sentences about what came in, which answers are missing or unreadable, and which media are missing."""
    from workflow.files.import_answers import words_of_texts_instead
    from workflow.files.read_losses import read_sentences

    came = {"item": done.items, "answer": done.predictions, "rating": done.ratings, "result": done.tool_results}
    came |= {"described model": done.described, "labelled item": done.labelled}
    new = [count(n, noun) for noun, n in came.items() if n]
    yield f"Imported {', '.join(new)}." if new else "Imported nothing new."
    if done.unanswered:
        why = ", ".join(f"{outcome} {n:,}" for outcome, n in sorted(done.unanswered.items()))
        yield f"{count(sum(done.unanswered.values()), 'row')} without an answer: {why}."
    if done.instead:
        yield f"Failed requests, not counted as answers: {words_of_texts_instead(done.instead)}."
    read = done.predictions + sum(done.unanswered.values())
    yield from read_sentences(done.losses, new=read, repeated=done.repeated, noun="answers")
    if done.repeated:
        yield f"{count(done.repeated, 'row')} {'was' if done.repeated == 1 else 'were'} there already."
    if done.left:
        yield f"{count(len(done.left), 'changed row')}: the items stay as they are."
    if done.assets_found or done.assets_missing:
        wait = " (their items wait; bring them in with --media DIR)" if done.assets_missing else ""
        absent = done.assets_missing - done.assets_refused
        refused = f", {done.assets_refused} refused" if done.assets_refused else ""
        yield f"Media: {done.assets_found} present, {absent} missing{refused}{wait}."
    if done.missing:
        left = done.assets_missing - done.assets_refused - len(done.missing)
        more = f", and {left:,} more" if left > 0 else ""
        yield f"Missing: {', '.join(done.missing)}{more}."
    if done.note:
        yield done.note
    yield from (f"Warning: {warning}" for warning in done.warnings)


def _raters(name: str, found: Sequence[FileRater]) -> Iterator[str]:
    """Yield who the raters of a file are, and the command that changes whether a rater is a person or a machine."""
    from workflow.results.file_raters import in_sentences

    yield from in_sentences(found)
    if any(not rater.account and not rater.judge for rater in found):
        yield f"To change that: touchstone rater list {name} --people NAME or --machines NAME."


def _write_bad_rows(where: Path, bad: Sequence[BadRow]) -> None:
    from exporters.tables import bad_rows_jsonl
    from exporters.writing import write_files

    write_files({where: bad_rows_jsonl(bad)})
