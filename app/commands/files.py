"""``touchstone project``, ``import`` and ``export``: for scripts on the server's machine, without signing in."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from annotation_schemas import registry
from annotation_schemas.formats import FORMATS, ColumnMapping, Format, Names, Page, Takes, named, reading, writing
from annotation_schemas.model import OptionPlace
from app.commands import import_look, migrate, project_archive, project_care
from app.commands.options import IDS_IN_FILE, item_ids
from domain.errors import InvalidInput, Problem
from domain.name_value_pairs import pairs
from domain.records import BadRow
from domain.states import RatersAre, Stage

if TYPE_CHECKING:
    from app.services import Resources
    from workflow.files.one_import import ImportSummary, Progress
    from workflow.results.file_raters import FileRater

project = typer.Typer(help="Projects: make, copy, rename, archive, delete and list them.", no_args_is_help=True)


def _with(rows: Iterable[Format]) -> str:
    """Return the first words of an option's help when the option is for some formats only."""
    return f"With {named(rows)}:"


OPEN_IN = _with(row for row in reading(Takes.ITEMS) if row.keys is not None and row.keys.open)
ITEMS_IN = _with(reading(Takes.ITEMS))
LOOKED_IN = _with(reading(Takes.ITEMS, Takes.ANSWERS, Takes.RATINGS, Takes.REPLIES))
MODELS = _with(reading(Takes.ANSWERS, Takes.TASKS))
ANSWERS_IN = _with(reading(Takes.ANSWERS))
REPLIES_IN = _with(reading(Takes.REPLIES))
TASKS_IN = _with(reading(Takes.TASKS))
RATERS_IN = _with(reading(Takes.RATINGS, Takes.TASKS))
ANSWERS_OUT = _with(writing(Takes.ANSWERS))
ONE_RUN_OUT = _with(row for row in writing(Takes.ANSWERS) if row.needs_run)
OF_TASKS = named(writing(Takes.TASKS))
PRIVATE_OUT = f"With --verified or {OF_TASKS}:" if writing(Takes.TASKS) else "With --verified:"
NO_TASKS = not reading(Takes.TASKS)
"""Whether no installed extension reads files of tasks. The options of such files are then hidden."""

ProjectName = Annotated[str, typer.Argument(help="The project's name.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    cli.add_typer(project, name="project")
    project_archive.register(project)
    project_care.register(project)
    migrate.register(project)
    cli.command("import")(import_)
    cli.command("export")(export)
    cli.command("edit")(edit)
    cli.command("refine")(refine)


@project.command("create")
def create(
    name: ProjectName,
    schema: Annotated[str, typer.Option(help="One that comes with Touchstone (egothink, ...), or a YAML file.")],
    title: Annotated[str | None, typer.Option(help="As people read it; by default the schema's.")] = None,
) -> None:
    """Make a project that follows a schema."""
    from annotation_schemas import shipped
    from annotation_schemas.loader import examine
    from workflow.access import projects

    examined = examine(shipped().get(schema, Path(schema)))
    loaded = examined.loaded
    for warning in examined.warnings:
        typer.echo(warning, err=True)
    made = projects.create_project(_resources().store, name=name, loaded=loaded, title=title)
    typer.echo(f"Project {made.name} ({made.title}) follows {loaded.schema_.name}, version {loaded.schema_.version}.")


@project.command("list")
def list_projects() -> None:
    """All projects: name, schema and version, title."""
    from workflow.access import projects

    found = projects.all_projects(_resources().store)
    for each in found:
        schema = each.schema.schema_
        archived = "  (archived)" if each.archived else ""
        typer.echo(f"{each.name:<24} {schema.name} {schema.version:<4} {each.title}{archived}")
    if not found:
        typer.echo("There is no project yet: touchstone project create NAME --schema SCHEMA.")


@project.command("raters")
def raters(
    name: ProjectName,
    people: Annotated[
        list[str] | None,
        typer.Option(help="Raters out of files who are people; may be given again, or with commas.", metavar="A,B"),
    ] = None,
    machines: Annotated[
        list[str] | None,
        typer.Option(help="Raters out of files that are machines; may be given again, or with commas.", metavar="A,B"),
    ] = None,
) -> None:
    """List the raters of imported files and whether each is a person or a machine. Options change that."""
    from app.commands.names import names_of
    from workflow.results import file_raters

    found = file_raters.mark(
        _resources().store,
        by=None,
        project=name,
        people=names_of(people, "--people") if people else (),
        machines=names_of(machines, "--machines") if machines else (),
    )
    for each in found:
        rated = ", ".join(f"{n:,} in {stage.value}" for stage, n in (each.ratings or {}).items())
        typer.echo(f"{each.name:<24} {each.words}; ratings out of files: {rated}")
    if not found:
        typer.echo("This project has no ratings out of files.")


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
        typer.Option(help=f"{REPLIES_IN} what the judge was asked by, which says how its replies are read."),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(
            help=f"{REPLIES_IN} PART=CRITERION, what a part of the reply rates; by default as the schema says."
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
            help=f"{RATERS_IN} whether the raters are people or machines. Without it machines, but for"
            " annotations that name who completed them, and for names of whom it is known.",
        ),
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            help="With ratings: words for a missing rating, separated by commas. By default NA, "
            "N/A, None, null, NaN, - and the like, unless the schema lists the word as a value.",
            metavar="WORDS",
        ),
    ] = None,
) -> None:
    """Import files into a project: all of it or, if a row does not fit, nothing."""
    from workflow.files.import_files import import_files
    from workflow.runs.model_descriptions import of_file

    takes = FORMATS[format].takes if format in FORMATS else None
    if raters_are is not None and takes not in (Takes.RATINGS, Takes.TASKS):
        said = "--raters-are is about ratings and annotations"
        raise InvalidInput([Problem("format", f"{said}; {format} are imported without it.")])
    if dry_run and takes not in (Takes.ITEMS, Takes.ANSWERS, Takes.RATINGS, Takes.REPLIES):
        said = "--dry-run is about items, answers, ratings and replies"
        raise InvalidInput([Problem("format", f"{said}; {format} are imported without it.")])
    if (new_only or changed_rows) and takes is not Takes.ITEMS:
        said = "--new-only and --changed-rows are about items"
        raise InvalidInput([Problem("format", f"{said}; {format} are imported without them.")])
    if takes is Takes.REPLIES:
        _import_replies(
            name, format, path, template, criterion or (), skip_bad=skip_bad, bad_rows=bad_rows, dry_run=dry_run
        )
        return
    if takes is not Takes.TASKS and (field or control or without or rater):
        said = f"--field, --control, --without and --rater are about {OF_TASKS}"
        raise InvalidInput([Problem("format", f"{said}; {format} is imported without them.")])
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
    described = of_file(spec) if spec else None
    names_said = None
    if column or separator or encoding or place:
        columns = pairs(column or (), "FIELD=COLUMN", option="--column")
        places = pairs(place or (), "FIELD=WAY", option="--place")
        names_said = ColumnMapping(columns, separator, encoding, cast(Mapping[str, OptionPlace], places))
    words = _missing_words(missing, takes)
    here = _resources()
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
    with _bar() as progress:
        done = import_files(
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
        )
    for line in [*_summary(done), *_raters(name, done.raters)]:
        typer.echo(line)
    _tell_bad_rows(here, name, format, bad_rows, done.bad)
    if done.left and changed_rows is not None:
        _write_bad_rows(changed_rows, done.left)
        typer.echo(f"The rows of items that were left as they are, are written to {changed_rows}.")


def _missing_words(text: str | None, takes: Takes | None) -> tuple[str, ...] | None:
    from importers.rating_values import missing_words

    if text is None:
        return None
    if takes is not Takes.RATINGS:
        raise InvalidInput([Problem("missing", "--missing is about ratings. Leave it out.")])
    return missing_words(text)


def _tell_bad_rows(here: Resources, name: str, format: str, out: Path | None, bad: Sequence[BadRow]) -> None:
    if bad:
        where = out or here.settings.home / "bad_rows" / f"{name}-{format}-{_free(here, name, format)}.jsonl"
        _write_bad_rows(where, bad)
        typer.echo(f"{_count(len(bad), 'row')} did not fit, written with reasons to {where}.")


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
    here = _resources()
    registry.require_row("format", format)
    tasks = FORMATS[format].tasks
    assert tasks is not None
    with _bar() as progress:
        done = tasks.imports(
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
        )
    for line in _summary(done.imported):
        typer.echo(line)
    if done.skipped:
        typer.echo(f"{_count(done.skipped, 'annotation')} in which the task was skipped: nothing was made of them.")
    if done.earlier:
        typer.echo(f"Replaced by a later one of the same person or model: {done.earlier:,}.")
    if done.numbers:
        typer.echo(
            f"{_count(done.numbers, 'prediction')} stand in the file by number only; a snapshot of the project"
            " made with whole predictions has them."
        )
    for line in _raters(name, done.imported.raters):
        typer.echo(line)
    _tell_bad_rows(here, name, format, bad_rows, done.imported.bad)


SHOWN_DIFFERENCES = 20
"""Number of replies listed one by one when our reading differs from the file's."""


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
    from workflow.files.import_judgements import import_judgements
    from workflow.files.read_losses import read_sentences

    if template is None:
        raise InvalidInput([Problem("template", "Say with --template by what the judge was asked: an id, or a file.")])
    here = _resources()
    criteria_of_parts = pairs(criteria, "PART=CRITERION", option="--criterion")
    plan = plan_of(here, name, template, criteria=criteria_of_parts, asked_here=False)
    if dry_run:
        about = {"format": format, "path": path, "plan": plan}
        import_look.tell_rows(here, name, about, skip_bad=skip_bad, bad_rows=bad_rows)
        return
    done = import_judgements(here.store, by=None, project=name, path=path, plan=plan, skip_bad=skip_bad, format=format)
    again = f", {done.repeated} were there already" if done.repeated else ""
    typer.echo(f"{done.replies:,} new replies of {', '.join(done.judges) or 'no one'}{again}.")
    for sentence in read_sentences(done.losses, new=done.replies, repeated=done.repeated, noun="replies"):
        typer.echo(sentence)
    if done.same or done.differ:
        typer.echo(f"{done.same:,} are read as the file's own score says, {len(done.differ):,} otherwise.")
    for sentence in done.differ[:SHOWN_DIFFERENCES]:
        typer.echo(f"  {sentence}")
    if len(done.differ) > SHOWN_DIFFERENCES:
        typer.echo(f"  and {len(done.differ) - SHOWN_DIFFERENCES:,} more")
    for sentence in [*done.notes, *(f"Warning: {each}" for each in done.warnings)]:
        typer.echo(sentence)
    _tell_bad_rows(here, name, format, bad_rows, done.bad)


def export(
    name: ProjectName,
    format: Annotated[
        str,
        typer.Argument(
            help=f"The format of the project's files, {named(row for row in writing(*Takes) if row.keys is None)}."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The file or folder to write.")],
    verified: Annotated[
        bool, typer.Option("--verified", help="Only items whose verdict is kept, and a manifest.json.")
    ] = False,
    with_private: Annotated[
        bool,
        typer.Option(
            "--with-private",
            help=f"{PRIVATE_OUT} also the fields that the schema keeps private or secret.",
        ),
    ] = False,
    run: Annotated[
        str | None,
        typer.Option(help=f"{ANSWERS_OUT} the run whose answers are written.", metavar="RUN"),
    ] = None,
    unanswered: Annotated[
        str | None,
        typer.Option(
            help=f"{ONE_RUN_OUT} the label of items without an answer.",
            metavar="LABEL",
        ),
    ] = None,
    reader: Annotated[
        str,
        typer.Option(
            help=f"{ANSWERS_OUT} who reads the answers: rules, or rules+NAME with a second "
            "reader for those that the rules do not read.",
            metavar="rules|rules+NAME",
        ),
    ] = "rules",
    stage: Annotated[
        Stage | None,
        typer.Option(
            hidden=NO_TASKS,
            help=f"With {OF_TASKS}: the stage whose submissions are written; by default the first that rates.",
        ),
    ] = None,
    schema_version: Annotated[
        int | None,
        typer.Option(
            help="Only what was given under this version of the project's schema: ratings, or with --verified the kept"
            " items of which all votes were; without it all together.",
            metavar="N",
        ),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(help=f"{IDS_IN_FILE} These items alone; manifest.json says that it is a part.", metavar="FILE|-"),
    ] = None,
    labeling: Annotated[
        Path | None,
        typer.Option(
            hidden=NO_TASKS,
            help=f"With {OF_TASKS}: where the labeling configuration is written that shows these tasks there.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Export a project's files. Unchanged records have the same bytes as in the import."""
    from workflow.files.release import export as export_files

    takes = FORMATS[format].takes if format in FORMATS else None
    if labeling is not None and takes is not Takes.TASKS:
        raise InvalidInput([Problem("labeling", f"--labeling is for {OF_TASKS}; {format} is exported without it.")])
    only = None if items is None else item_ids(items)
    here = _resources()
    page = _labeling(here, name, FORMATS[format], stage, labeling) if labeling is not None else None
    with _bar() as progress:
        done = export_files(
            here.store,
            by=None,
            project=name,
            format=format,
            out=out,
            verified=verified,
            private=with_private,
            run=run,
            unanswered=unanswered,
            reader=reader,
            stage=stage,
            page=page,
            schema_version=schema_version,
            only=only,
            progress=progress,
        )
    of = "" if schema_version is None else f", of version {schema_version} of the schema alone"
    typer.echo(f"{_count(done.items, FORMATS[format].takes.noun)} in {_count(len(done.files), 'file')} at {out}{of}.")
    if done.part:
        typer.echo(done.part)


def _labeling(here: Resources, name: str, row: Format, stage: Stage | None, out: Path) -> Page:
    """Write the other program's form for a stage's tasks, and return the function that gives each task its data."""
    from exporters.writing import write_files
    from workflow.access.projects import access_to

    assert row.tasks is not None
    with here.store.read() as session:
        schema = access_to(session, person=None, project=name).schema
    form, page = row.tasks.labeling(schema, stage)
    write_files({out: form})
    return page


def edit(
    name: ProjectName,
    item: Annotated[str, typer.Argument(help="The item's external id.")],
    fields: Annotated[
        list[str], typer.Argument(help="FIELD=VALUE; a list or number as JSON.", metavar="FIELD=VALUE...")
    ],
) -> None:
    """Give an item a new revision. Voting on the item starts again; the old revision stays in its history."""
    from annotation_schemas.kinds import of_field
    from workflow.access import projects
    from workflow.annotate.authoring import edit_item

    store = _resources().store
    schema = next((each.schema.schema_ for each in projects.all_projects(store) if each.name == name), None)
    as_text = {field.name: of_field(field).typed_as_it_is for field in schema.item.fields} if schema else {}
    given = dict(_field(text, as_text) for text in fields)
    number = edit_item(store, person=None, project=name, item=item, fields=given)
    typer.echo(f"Item {item} is at revision {number} now.")


def refine(
    name: ProjectName,
    model: Annotated[
        str | None, typer.Option(help="Only the answers of this model; None: those of all models.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also answers that contain the text of the annotated one.")
    ] = False,
) -> None:
    """Have people look at models' answers for second right answers: the stage refinement."""
    from workflow.annotate.refinement import open_refinement

    done = open_refinement(_resources().store, by=None, project=name, model=model, only_differing=not everything)
    typer.echo(f"{_count(done.opened, 'answer')} of {done.answers:,} sent to refinement.")


def _field(text: str, as_text: Mapping[str, bool]) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InvalidInput([Problem("fields", f"{text!r} is not FIELD=VALUE; write for instance answer=Yes.")])
    if as_text.get(name, True):
        return name, value
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _resources() -> Resources:
    from app.services import opened

    return opened()


def _summary(done: ImportSummary) -> Iterator[str]:
    came = {"item": done.items, "answer": done.predictions, "rating": done.ratings, "result": done.tool_results}
    came |= {"described model": done.described, "labelled item": done.labelled}
    new = [_count(n, noun) for noun, n in came.items() if n]
    yield f"Imported {', '.join(new)}." if new else "Imported nothing new."
    if done.unanswered:
        why = ", ".join(f"{outcome} {n:,}" for outcome, n in sorted(done.unanswered.items()))
        yield f"{_count(sum(done.unanswered.values()), 'row')} without an answer: {why}."
    if done.instead:
        said = ", ".join(f"{text!r} ({n:,})" for text, n in done.instead.items())
        yield f"Failed requests, not counted as answers: {said}."
    yield from _read(done)
    if done.repeated:
        yield f"{_count(done.repeated, 'row')} {'was' if done.repeated == 1 else 'were'} there already."
    if done.left:
        yield f"{_count(len(done.left), 'changed row')}: the items stay as they are."
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
    yield from (f"Warning: {each}" for each in done.warnings)


def _read(done: ImportSummary) -> Iterator[str]:
    """Yield sentences about the new answers: how many were read, and how many were unreadable."""
    from workflow.files.read_losses import read_sentences

    new = done.predictions + sum(done.unanswered.values())
    yield from read_sentences(done.losses, new=new, repeated=done.repeated, noun="answers")


def _raters(name: str, found: Sequence[FileRater]) -> Iterator[str]:
    """Yield who the raters of a file are, and the command that changes whether a rater is a person or a machine."""
    from workflow.results.file_raters import in_sentences

    yield from in_sentences(found)
    if any(not each.account and not each.judge for each in found):
        yield f"To change that: touchstone project raters {name} --people NAME or --machines NAME."


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


@contextmanager
def _bar() -> Iterator[Progress]:
    """Yield a function that shows a progress bar on standard error, if standard error is a terminal."""
    shown = sys.stderr.isatty()

    def progress(what: str, done: int, total: int) -> None:
        if shown and total:
            width = 30 * done // total
            print(f"\r{what:<8} [{'#' * width}{'.' * (30 - width)}] {100 * done // total:3} %", end="", file=sys.stderr)

    yield progress
    if shown:
        print("\r" + " " * 50 + "\r", end="", file=sys.stderr)


def _free(here: Resources, name: str, format: str) -> int:
    folder = here.settings.home / "bad_rows"
    return next(n for n in range(1, 1_000_000) if not (folder / f"{name}-{format}-{n}.jsonl").exists())


def _write_bad_rows(where: Path, bad: Sequence[BadRow]) -> None:
    from exporters.tables import bad_rows_jsonl
    from exporters.writing import write_files

    write_files({where: bad_rows_jsonl(bad)})
