"""``touchstone labelstudio``: exchange work with a Label Studio server."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.groups import Panel, find_group
from app.commands.recorded import recorded
from domain.english import with_noun
from domain.errors import NotAvailableError, NotFoundError
from domain.name_value_pairs import pairs as named
from domain.states import Stage
from extensions.labelstudio.settings import LabelStudioSettings

if TYPE_CHECKING:
    from app.services import Resources
    from extensions.labelstudio.client import Client
    from extensions.labelstudio.exchange.bridge import BridgeStatus, PullResult, PushResult
    from extensions.labelstudio.serving.bridging import Media


Project = Annotated[str, typer.Argument(help="The project.")]
Server = Annotated[
    str | None,
    typer.Option(
        help="The address of the Label Studio server. You can omit this option if the project has only one server.",
        metavar="ADDRESS",
    ),
]
Stages = Annotated[
    list[Stage] | None,
    typer.Option(
        help="A stage whose work goes to Label Studio. Repeat the option for more stages. Default: unchanged."
    ),
]
Ahead = Annotated[
    int | None, typer.Option(min=1, help="The number of tasks that a person has in Label Studio at once. Default: 3.")
]
Hold = Annotated[
    float | None,
    typer.Option(min=0.1, help=("The number of hours for which Touchstone reserves a task for a person. Default: 8.")),
]
MediaFrom = Annotated[
    str | None,
    typer.Option(
        help="The public address of this server, from which Label Studio loads media. Default: TOUCHSTONE_PUBLIC_URL.",
        metavar="ADDRESS",
    ),
]
LocalFiles = Annotated[
    Path | None,
    typer.Option(
        help="The local-files document root of Label Studio on this machine. Tasks then refer to files instead of "
        "links."
    ),
]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    from extensions.labelstudio.commands import labelstudio_backend

    group = find_group(cli, "labelstudio", Panel.SERVER, "Let people annotate in Label Studio instead of Touchstone.")
    group.command("map")(people)
    group.command("export")(push)
    group.command("import")(pull)
    group.command("sync")(sync)
    group.command("show")(status)
    labelstudio_backend.register(group)


def people(
    project: Project,
    pairs: Annotated[
        list[str] | None,
        typer.Argument(
            help="A person's login and email address in Label Studio. Without this argument, the command lists the "
            "people.",
            metavar="LOGIN=EMAIL",
        ),
    ] = None,
    server: Server = None,
    remove: Annotated[
        list[str] | None,
        typer.Option(help="Stop sending this login's work to Label Studio. Repeat the option for more logins."),
    ] = None,
    invite: Annotated[
        bool,
        typer.Option("--invite", help="Print Label Studio's invitation link for people without an account."),
    ] = False,
    match: Annotated[
        bool,
        typer.Option("--match", help="Map each member whose login is an email address in Label Studio."),
    ] = False,
) -> None:
    """Say which login has which email address in Label Studio, so that people get their own tasks.

    Example: touchstone labelstudio map demo ann=ann@example.org --server http://localhost:8080
    """
    from extensions.labelstudio.exchange import bridge

    shared, address = _opened(project, server)
    _connect(shared, project, address)
    for login, email in named(pairs or (), "LOGIN=EMAIL").items():
        bridge.map_person(shared.store, by=None, project=project, address=address, login=login, email=email)
    for login in remove or ():
        bridge.unmap_person(shared.store, by=None, project=project, address=address, login=login)
    if match or invite:
        with _client(shared, address) as client:
            if match:
                bridge.match_people(shared.store, client, by=None, project=project)
            if invite:
                typer.echo(f"Anyone with this link can create an account at {address}:\n  {client.invitation()}")
    mapped = _status(shared, project, address).people
    for person in mapped:
        there = "" if person.known else "  (no account found yet)"
        typer.echo(f"{person.login:<24} {person.email}{there}")
    if not mapped:
        typer.echo(_no_one_known(project))


def push(
    project: Project,
    server: Server = None,
    stage: Stages = None,
    ahead: Ahead = None,
    hold: Hold = None,
    media_from: MediaFrom = None,
    local_files: LocalFiles = None,
) -> None:
    """Send each person's next tasks to Label Studio, and remove tasks that are no longer needed.

    Example: touchstone labelstudio export demo --stage verification
    """
    from extensions.labelstudio.exchange import bridge
    from extensions.labelstudio.serving import bridging

    shared, address = _opened(project, server)
    media = bridging.Media(shared, media_from=media_from, local_files=local_files)
    with _client(shared, address) as client:
        _ready(shared, client, project, stages=stage, ahead=ahead, hold=hold, media=media)
        forms = bridging.forms_of(media)
        done = recorded(
            shared,
            "labelstudio export",
            project,
            lambda progress: bridge.push(shared.store, client, forms, by=None, project=project),
        )
    media.sweep()
    _tell(bridging.outcomes_in_words(done) or ["There are no tasks to send or remove."])
    for person in _status(shared, project, address).people:
        if person.why:
            typer.echo(f"  {person.login}: {person.why}")


def pull(project: Project, server: Server = None) -> None:
    """Fetch new answers from Label Studio, store them, and remove their tasks there.

    Example: touchstone labelstudio import demo
    """
    from extensions.labelstudio.exchange import bridge
    from extensions.labelstudio.serving import bridging

    shared, address = _opened(project, server)
    _status(shared, project, address)
    with _client(shared, address) as client:
        forms = bridging.forms_of(bridging.Media(shared))
        done = recorded(
            shared,
            "labelstudio import",
            project,
            lambda progress: bridge.pull(shared.store, client, forms, by=None, project=project),
        )
    _tell(bridging.outcomes_in_words(done) or ["No new answers."])


def sync(
    project: Project,
    server: Server = None,
    stage: Stages = None,
    ahead: Ahead = None,
    hold: Hold = None,
    media_from: MediaFrom = None,
    local_files: LocalFiles = None,
    every: Annotated[float, typer.Option(min=1, max=10, help="The number of seconds between synchronizations.")] = 5.0,
) -> None:
    """Send tasks and fetch answers again and again, until Ctrl+C. If it is interrupted, the same command continues.

    Example: touchstone labelstudio sync demo
    """
    from extensions.labelstudio.exchange import bridge
    from extensions.labelstudio.serving import bridging

    shared, address = _opened(project, server)
    media = bridging.Media(shared, media_from=media_from, local_files=local_files)
    with _client(shared, address) as client, _until_stopped() as stopped:
        _ready(shared, client, project, stages=stage, ahead=ahead, hold=hold, media=media)
        stages = ", ".join(stage_there.value for stage_there in _status(shared, project, address).stages)
        typer.echo(f"Synchronizing {project} ({stages}) with {address} every {every:g} s. Press Ctrl+C to stop.")
        before = [""]

        def tell(pulled: PullResult | None, pushed: PushResult | None, said: str) -> None:
            media.sweep()
            lines = [*bridging.outcomes_in_words(pulled, pushed), *([said] if said and said != before[0] else [])]
            if before[0] and not said:
                lines.append("Label Studio responds again.")
            before[0] = said
            _tell([f"{time.strftime('%H:%M:%S')}  {line}" for line in lines])

        about: Any = {"project": project, "every": every, "stop": stopped.is_set, "tell": tell}
        forms = bridging.forms_of(media)
        recorded(
            shared,
            "labelstudio sync",
            project,
            lambda progress: bridge.sync(shared.store, client, forms, by=None, **about),
        )
    typer.echo("Synchronization ended. Tasks stay in Label Studio. Run the same command to continue.")


def status(project: Project, server: Server = None) -> None:
    """Show tasks out, answers stored, refused and late, and what to do next. Label Studio is not asked.

    Example: touchstone labelstudio show demo
    """
    from extensions.labelstudio.exchange import bridge

    shared = _shared()
    servers = bridge.status(shared.store, by=None, project=project)
    if server is not None:
        servers = [_status(shared, project, _normal(server))]
    if not servers:
        typer.echo(
            f"{project} sends no work to Label Studio. Connect a server: touchstone labelstudio map {project} "
            "--server ADDRESS"
        )
    for host in servers:
        stages = ", ".join(stage.value for stage in host.stages) or "no stage yet"
        ahead, hours = with_noun(host.ahead, "task"), "1 hour" if host.hold_hours == 1 else f"{host.hold_hours:g} hours"
        typer.echo(f"{host.address}: {stages}; {ahead} per person, reserved for {hours}")
        fetched = f"{host.pulled_at:%Y-%m-%d %H:%M:%S} UTC" if host.pulled_at else "never"
        typer.echo(f"  fetched last: {fetched}{' (in progress)' if host.busy else ''}")
        for line in host.lines:
            typer.echo(f"  {line.stage.value}, {line.login}: {' '.join(line.sentences) or 'nothing.'}")
        for step in host.next_steps:
            typer.echo(f"  Next: {step}")


# ---- shared helpers -------------------------------------------------------------------------------------------------


def _shared() -> Resources:
    from app.commands.runs_in_terminal import opened

    return opened()


def _normal(address: str) -> str:
    from extensions.labelstudio.tokens import normal

    return normal(address)


def _opened(project: str, server: str | None) -> tuple[Resources, str]:
    """Return the store and the address of the server.

    Raise ``NotFoundError`` if the project has several servers, or none.
    """
    from extensions.labelstudio.exchange import bridge

    shared = _shared()
    addresses = [server_status.address for server_status in bridge.status(shared.store, by=None, project=project)]
    if server is not None:
        return shared, _normal(server)
    if len(addresses) == 1:
        return shared, addresses[0]
    if addresses:
        raise NotFoundError(f"{project} has several servers. Choose a server with --server: {', '.join(addresses)}.")
    here = shared.settings.of(LabelStudioSettings).label_studio_url
    if here:
        return shared, _normal(here)
    raise NotFoundError("Give the address of Label Studio, such as --server http://127.0.0.1:8080.")


@contextmanager
def _client(shared: Resources, address: str) -> Iterator[Client]:
    from extensions.labelstudio.serving.bridging import client_of

    client = client_of(address, shared.settings)
    try:
        yield client
    finally:
        client.close()


def _status(shared: Resources, project: str, address: str) -> BridgeStatus:
    from extensions.labelstudio.serving.bridging import status_of

    server_status = status_of(shared, project, address)
    if server_status is None:
        raise NotFoundError(
            f"{project} sends no work to {address} yet. Connect the server: touchstone labelstudio map {project} "
            f"--server {address}"
        )
    return server_status


def _connect(
    shared: Resources,
    project: str,
    address: str,
    *,
    stages: Sequence[Stage] | None = None,
    ahead: int | None = None,
    hold: float | None = None,
) -> None:
    """Store the server with its new settings. A setting that is None stays unchanged."""
    from extensions.labelstudio.exchange import bridge
    from extensions.labelstudio.serving.bridging import status_of

    now = status_of(shared, project, address)
    if now is not None and stages is None and ahead is None and hold is None:
        return
    bridge.connect(
        shared.store,
        by=None,
        project=project,
        address=address,
        stages=stages if stages is not None else now.stages if now else (),
        ahead=ahead if ahead is not None else now.ahead if now else 3,
        hold_hours=hold if hold is not None else now.hold_hours if now else 8.0,
        stay=now.stay if now else False,
    )


def _ready(
    shared: Resources,
    client: Client,
    project: str,
    *,
    stages: Sequence[Stage] | None,
    ahead: int | None,
    hold: float | None,
    media: Media,
) -> None:
    """Make sure that there is work to send, and a person to send it to."""
    from extensions.labelstudio.exchange import bridge
    from extensions.labelstudio.serving import bridging

    schema = bridging.schema_of(shared, project)
    media.require(schema)
    for stage in stages or ():
        why = bridging.refused(schema, stage)
        if why:
            raise NotAvailableError(why)
    _connect(shared, project, client.address, stages=stages, ahead=ahead, hold=hold)
    now = _status(shared, project, client.address)
    if any(line.out or line.removing for line in now.lines):
        return  # without any stage to send, sent tasks must still be called back
    if not now.stages:
        shown = " ".join(f"--stage {stage.value}" for stage in bridging.stages_shown(schema))
        raise NotFoundError(
            f"Choose stages with --stage. For this project, you can use {shown}."
            if shown
            else "Label Studio cannot show any stage of this project. Use Touchstone's pages."
        )
    if not now.people and not bridge.match_people(shared.store, client, by=None, project=project):
        raise NotFoundError(_no_one_known(project))


def _no_one_known(project: str) -> str:
    return (
        f"No person is mapped to Label Studio yet. Map each login with touchstone labelstudio map {project} "
        "LOGIN=EMAIL. Invite people without an account with --invite."
    )


def _tell(lines: Sequence[str]) -> None:
    for line in lines:
        typer.echo(line)
    sys.stdout.flush()


@contextmanager
def _until_stopped() -> Iterator[threading.Event]:
    """Handle Ctrl+C and SIGTERM: they end the running round and then the command. A second Ctrl+C ends at once."""
    stopped = threading.Event()

    def stop(number: int, frame: object) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt
        stopped.set()

    before = {signum: signal.signal(signum, stop) for signum in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopped
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
