"""``touchstone batch``: submit questions as batch files, and fetch their answers hours later."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.groups import Panel, find_group
from domain.english import with_noun

if TYPE_CHECKING:
    from app.services import Resources
    from extensions.batch.batch_results import ReadIn

Run = Annotated[str, typer.Argument(help="The ID of a run that you started with --batch.")]
Size = Annotated[int, typer.Option(min=1, max=50_000, help="Put at most this many questions into one file.")]
SIZE = 10_000
LONGEST_SHOWN = 200


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    batch = find_group(cli, "batch", Panel.MODELS, "Ask models through batch files, often at half the price.")
    for command in (show, create, export, import_, cancel, execute):
        batch.command(command.__name__.rstrip("_"))(command)


def create(
    run: Run,
    size: Size = SIZE,
    again: Annotated[
        bool,
        typer.Option(
            "--again",
            help="Submit questions again if their submission was interrupted. You may pay for some questions twice.",
        ),
    ] = False,
) -> None:
    """Submit all open questions of a run as batch files. After an interruption, run the command again.

    Example: touchstone batch create RUN
    """
    from extensions.batch import batch_runs

    shared, given = _opened(run)
    n = batch_runs.submit(shared.store, size=size, again=again, open_endpoint=_endpoint(shared), **given)
    typer.echo(f"Submitted {with_noun(n, 'question')}." if n else "All questions are already submitted.")
    _print_status(shared, run)


def export(
    run: Run,
    file: Annotated[Path, typer.Argument(help="Path of the new file. The file must not exist yet.")],
    size: Size = SIZE,
) -> None:
    """Write a run's open questions to a batch file that you submit yourself.

    Example: touchstone batch export RUN questions.jsonl
    """
    from extensions.batch import batch_runs

    shared, given = _opened(run)
    n = batch_runs.write(shared.store, file=file, size=size, **given)
    typer.echo(
        f"Questions written to {file}: {n}."
        if n
        else "All questions are already submitted, so Touchstone wrote no file."
    )
    _print_status(shared, run)


def import_(
    run: Run,
    file: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Output and error files that you downloaded, Parquet files of replies, or a folder of shards. Without "
            "files, Touchstone gets the results from the endpoint."
        ),
    ] = None,
) -> None:
    """Fetch the answers of a run's batches, or read them from files. You can repeat this at any time.

    Example: touchstone batch import RUN
    """
    from app.commands import judge
    from extensions.batch import batch_runs

    shared, given = _opened(run)
    if not file:
        fetched = batch_runs.fetch(shared.store, open_endpoint=_endpoint(shared), **given)
        _print_read(fetched.attempts, fetched.problems)
    for path in file or ():
        stored = _read(shared, path, given)
        _print_read(stored.attempts, stored.problems)
    _print_status(shared, run)
    judge.tell_verdicts(shared, run)


def cancel(
    run: Run,
    number: Annotated[int, typer.Argument(min=1, help="The batch's number in the list of `touchstone batch show`.")],
) -> None:
    """Give up a batch that will bring no more answers. Its open questions count as missing.

    Example: touchstone batch cancel RUN 2
    """
    from extensions.batch import batch_runs

    shared, given = _opened(run)
    n = batch_runs.end(shared.store, number=number, **given)
    typer.echo(f"Canceled batch {number}. Questions of the batch without an answer: {n}.")
    _print_status(shared, run)


def show(
    run: Run,
    refresh: Annotated[
        bool,
        typer.Option(
            "--refresh", help="Get the latest state from the endpoint, and print only the state of the batches."
        ),
    ] = False,
) -> None:
    """Show a run's batches, and returned lines that belong to no question.

    Example: touchstone batch show RUN --refresh
    """
    from extensions.batch import batch_runs

    shared, given = _opened(run)
    if refresh:
        batch_runs.poll(shared.store, open_endpoint=_endpoint(shared), **given)
        _print_status(shared, run)
        return
    _print_status(shared, run)
    for problem in batch_runs.view(shared.store, by=None, run=run).problems:
        typer.echo(f"  {problem.why}  {problem.raw[:LONGEST_SHOWN]!r}")


def execute(
    folder: Annotated[Path, typer.Argument(help="A folder of shards, as --shards made it.")],
    executor: Annotated[str, typer.Option(help="local, ray or vllm.")] = "local",
    shard: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Answer only the questions in the file with this number. Repeat for more files."),
    ] = None,
) -> None:
    """Answer the questions in a folder of shards, on any machine. The command needs no database.

    Example: touchstone batch execute shards --executor vllm --shard 3
    """
    import os
    from pathlib import Path as Folder

    from domain.errors import NotFoundError
    from domain.settings import settings_from
    from extensions.batch import execution
    from extensions.batch.shard_files import ShardFolder

    if executor not in execution.NAMES:
        raise NotFoundError(f"There is no executor {executor!r}. Choose one of {', '.join(execution.NAMES)}.")
    settings = settings_from(os.environ, Folder.cwd())
    execution.execute_shards(ShardFolder.open(folder), executor, numbers=shard, settings=settings)


def _read(shared: Resources, path: Path, given: dict[str, Any]) -> ReadIn:
    """Store the results in a file, or in the files of replies of a folder."""
    from extensions.batch import batch_runs, shard_runs
    from extensions.batch.shard_files import ShardFolder

    if path.is_dir() or path.suffix == ".parquet":
        files = ShardFolder.open(path).files("replies") if path.is_dir() else [path]
        return shard_runs.read(
            shared.store, by=None, run=given["run"], means=given["means"], home=given["folder"], files=files
        )
    return batch_runs.read(shared.store, file=path, **given)


def _opened(run: str) -> tuple[Resources, dict[str, Any]]:
    from app.commands import runs_in_terminal as commands
    from workflow.runs import worker

    shared = commands.opened()
    means = worker.means_of(shared.store, shared.media, shared.settings)
    return shared, {"by": None, "run": run, "means": means, "folder": shared.settings.home / "batches"}


def _endpoint(shared: Resources) -> Any:
    from extensions.batch import batch_runs

    return batch_runs.endpoint_of(shared.settings)


def _print_read(attempts: int, problems: int) -> None:
    rest = f"; stored lines that match no question: {problems}" if problems else ""
    typer.echo(f"{with_noun(attempts, 'new reply', 'new replies')}{rest}.")


def _print_status(shared: Resources, run: str) -> None:
    """Print the state of each batch of a run."""
    from extensions.batch import batch_runs

    seen = batch_runs.view(shared.store, by=None, run=run)
    for batch in seen.batches:
        status = f" ({batch.status})" if batch.status else ""
        where = f"  {batch.server_id or batch.file or ''}".rstrip()
        note = f"  {batch.said}" if batch.said else ""
        rest = f", {batch.without} without a reply" if batch.without else ""
        typer.echo(
            f"batch {batch.number}  {batch.state}{status}  {batch.came} of {batch.questions} "
            f"answered{rest}{where}{note}"
        )
    problems = f"; returned lines that match no question: {len(seen.problems)}" if seen.problems else ""
    typer.echo(f"{run} is {seen.state.value}. Questions not yet submitted: {seen.free}{problems}.")
