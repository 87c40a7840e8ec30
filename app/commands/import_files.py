"""``touchstone item import``: for scripts on the server's machine, without signing in."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from annotation_schemas import registry
from annotation_schemas.formats import FORMATS, Names, Takes, named, reading
from app.commands import import_look
from app.commands.groups import find_group
from app.commands.options import ProjectName, with_formats
from app.commands.recorded import recorded
from app.markup import count
from domain.errors import InvalidFileError, InvalidInputError, Problem
from domain.records import BadRow
from domain.states import RatersAre

if TYPE_CHECKING:
    from app.commands.import_mapping import ImportMapping
    from app.services import Resources
    from workflow.files.one_import import ImportSummary
    from workflow.results.file_raters import FileRater

ITEMS_IN = with_formats(reading(Takes.ITEMS))
MODELS = with_formats(reading(Takes.ANSWERS, Takes.TASKS))


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    find_group(cli, "item").command("import")(import_)


def import_(
    name: ProjectName,
    format: Annotated[str, typer.Argument(help=f"{named(reading(*Takes))}.")],
    path: Annotated[Path, typer.Argument(help="A file, or a folder of files.")],
    media: Annotated[
        Path | None, typer.Option(help="The folder with the images and videos that the files name.", metavar="DIR")
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(
            help="A YAML file that maps columns to fields. Use a mapping if column names differ from the schema. "
            "--write-mapping creates the file.",
            metavar="FILE.yaml",
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Set one key of the mapping, such as columns.question=Frage, encoding=cp1252, dimension=counting "
            "or raters=people. Repeat the option for more keys.",
            metavar="KEY=VALUE",
        ),
    ] = None,
    write_mapping: Annotated[
        Path | None,
        typer.Option(
            help="Guess the columns, and write a mapping that you can correct. The command imports no data.",
            metavar="FILE.yaml",
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help=f"{MODELS} set the name of the model, if the file does not name the model.")
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Show which rows are new, changed, unchanged or invalid. This preview stores no rows."
        ),
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Import the valid rows, and write the invalid rows to a file.")
    ] = False,
    new_only: Annotated[
        bool, typer.Option("--new-only", help=f"{ITEMS_IN} import new items only; keep existing items unchanged.")
    ] = False,
    bad_rows: Annotated[
        Path | None,
        typer.Option(
            help="Write invalid rows with reasons to this file. Default: a new file in the home folder.", metavar="FILE"
        ),
    ] = None,
    changed_rows: Annotated[
        Path | None,
        typer.Option(
            help="With --dry-run, write every changed value to this file (CSV: field, before, after). With --new-only,"
            " write the changed rows that were not imported (JSON lines).",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Import items, models' answers, ratings or judges' replies from files. If any row is invalid, nothing is imported.

    Preview an import with --dry-run. If your columns have other names than the schema's fields, let --write-mapping
    guess which is which.

    Example: touchstone item import demo csv items.csv --media photos --dry-run
    """
    from app.commands.import_mapping import read_mapping
    from app.services import opened
    from workflow.files.import_files import import_files
    from workflow.runs.model_descriptions import read_spec

    if write_mapping is not None:
        _write_mapping(name, format, path, write_mapping)
        return
    takes = FORMATS[format].takes if format in FORMATS else None
    if dry_run and takes not in (Takes.ITEMS, Takes.ANSWERS, Takes.RATINGS, Takes.REPLIES):
        scope = "--dry-run works only for items, answers, ratings and replies"
        raise InvalidInputError([Problem("format", f"{scope}. Remove the option for {format}.")])
    if (new_only or changed_rows) and takes is not Takes.ITEMS:
        scope = "--new-only and --changed-rows work only for items"
        raise InvalidInputError([Problem("format", f"{scope}. Remove these options for {format}.")])
    settings = read_mapping(mapping, set_ or (), takes=takes, format=format)
    if takes is Takes.REPLIES:
        _import_replies(name, format, path, settings, skip_bad=skip_bad, bad_rows=bad_rows, dry_run=dry_run)
        return
    raters = RatersAre(settings.raters) if settings.raters else None
    if takes is Takes.TASKS:
        names = settings.task_names(model)
        bad: Any = {"skip_bad": skip_bad, "bad_rows": bad_rows}
        _import_tasks(name, format, path, names, media, settings.dimension, raters=raters, **bad)
        return
    described = read_spec(Path(settings.model_description)) if settings.model_description else None
    said, dimension = settings.columns_said(), settings.dimension
    here = opened()
    if dry_run and takes is not Takes.ITEMS:
        rows = {"format": format, "path": path, "dimension": dimension, "model": model, "spec": described}
        rows["missing"] = settings.missing_words
        import_look.tell_rows(here, name, rows, skip_bad=skip_bad, bad_rows=bad_rows)
        return
    if dry_run:
        about = {"format": format, "path": path, "media_dir": media, "dimension": dimension, "said": said}
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
            raters=raters,
            said=said,
            missing=settings.missing_words,
            progress=progress,
        ),
    )
    for line in [*_summary(done), *_raters(name, done.raters)]:
        typer.echo(line)
    _tell_bad_rows(here, name, format, bad_rows, done.bad)
    if done.left and changed_rows is not None:
        _write_bad_rows(changed_rows, done.left)
        typer.echo(f"Wrote the changed rows of existing items to {changed_rows}.")


def _write_mapping(name: str, format: str, path: Path, out: Path) -> None:
    """Write a mapping with guessed columns, and print what to do next. An existing file is never overwritten."""
    from app.commands.import_mapping import written_mapping
    from app.services import opened
    from workflow.access.projects import access_to

    registry.require_row("format", format)
    with opened().store.read() as session:
        schema = access_to(session, person=None, project=name).schema
    command = f"touchstone item import {name} {format} {path} --mapping {out}"
    text = written_mapping(schema, format, path, command)
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise InvalidFileError(
            f"{out} already exists. Choose another file name, or delete the existing file."
        ) from error
    except OSError as error:
        raise InvalidFileError(
            f"Touchstone cannot write {out}: {error.strerror}. Fix the problem, or choose another file."
        ) from error
    typer.echo(f"Wrote {out}. Check the columns, then run: {command} --dry-run")


def _tell_bad_rows(here: Resources, name: str, format: str, out: Path | None, bad: Sequence[BadRow]) -> None:
    if bad:
        own = (here.settings.home / "bad_rows" / f"{name}-{format}-{n}.jsonl" for n in itertools.count(1))
        where = out or next(path for path in own if not path.exists())
        _write_bad_rows(where, bad)
        typer.echo(f"Skipped {count(len(bad), 'invalid row')}. See {where} for the rows and reasons.")


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
        typer.echo(f"Not imported, because the task was skipped: {count(done.skipped, 'annotation')}.")
    if done.earlier:
        typer.echo(f"Replaced by a later annotation from the same person or model: {done.earlier:,}.")
    if done.numbers:
        typer.echo(
            "Not imported, because the file has only prediction IDs: "
            f"{count(done.numbers, 'prediction')}. To import predictions, export a snapshot with full "
            "predictions."
        )
    for line in _raters(name, done.imported.raters):
        typer.echo(line)
    _tell_bad_rows(here, name, format, bad_rows, done.imported.bad)


def _import_replies(
    name: str,
    format: str,
    path: Path,
    settings: ImportMapping,
    *,
    skip_bad: bool,
    bad_rows: Path | None,
    dry_run: bool,
) -> None:
    from app.commands.judge import plan_of
    from app.services import opened

    if settings.template is None:
        why = (
            "The judge template of the replies is missing. Name a template with --set template=ID or --set "
            "template=FILE."
        )
        raise InvalidInputError([Problem("template", why)])
    here = opened()
    plan = plan_of(here, name, settings.template, criteria=dict(settings.criteria), asked_here=False)
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
    """Yield sentences about imported rows, missing or unreadable answers, and missing media."""
    from workflow.files.import_answers import words_of_texts_instead
    from workflow.files.read_losses import read_sentences

    came = {"item": done.items, "answer": done.predictions, "rating": done.ratings, "result": done.tool_results}
    came |= {"described model": done.described, "labeled item": done.labelled}
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
        yield f"{count(done.repeated, 'row')} {'was' if done.repeated == 1 else 'were'} already imported."
    if done.left:
        yield f"{count(len(done.left), 'changed row')} not imported: the existing items stay unchanged."
    if done.assets_found or done.assets_missing:
        wait = f" ({count(done.without_media, 'item')} with missing media; add the files with --media DIR)"
        wait = wait if done.without_media else ""
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
        yield f"To mark a rater as a person or machine: touchstone rater list {name} --people NAME or --machines NAME."


def _write_bad_rows(where: Path, bad: Sequence[BadRow]) -> None:
    from exporters.tables import bad_rows_jsonl
    from exporters.writing import write_files

    write_files({where: bad_rows_jsonl(bad)})
