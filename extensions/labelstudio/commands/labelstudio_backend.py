"""``touchstone labelstudio serve``: serve one of our models to Label Studio's screens, in a separate process."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from domain.errors import ModelError, SettingsError


def register(labelstudio: typer.Typer) -> None:
    """Add the subcommand of this module."""
    labelstudio.command("serve")(backend)


Spec = Annotated[
    str,
    typer.Option(help="The model's description: a YAML file, or the name of a description that comes with Touchstone."),
]
Strategy = Annotated[
    str,
    typer.Option(
        help=("generate: the model writes its answers. rank_options: the model picks the most likely choice.")
    ),
]
Seconds = Annotated[
    float,
    typer.Option(
        min=1, max=3600, help="The time limit of a request, in seconds. Label Studio gives up after 100 seconds."
    ),
]


def backend(
    project: Annotated[str, typer.Argument(help="The project whose tasks the model answers.")],
    spec: Spec,
    strategy: Strategy = "generate",
    media: Annotated[
        Path | None,
        typer.Option(help="A folder with the images of tasks that Touchstone did not send.", metavar="DIR"),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on. Any address other than 127.0.0.1 needs a password.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 9090,
    secret_env: Annotated[
        str | None, typer.Option(help="The environment variable with the connection's password.", metavar="NAME")
    ] = None,
    seconds: Seconds = 90,
) -> None:
    """Give Label Studio predictions of your model while people annotate. Runs until Ctrl+C.

    Example: touchstone labelstudio serve demo --spec gpt4o.yaml
    """
    import uvicorn

    from app.commands.runs_in_terminal import opened
    from app.commands.serve import check_free, shown
    from app.gate import is_loopback
    from extensions.labelstudio.exchange.draft_models import task_behind
    from extensions.labelstudio.serving.backend import Backend, application
    from extensions.labelstudio.serving.pictures import PictureFinder
    from workflow.access.projects import access_to
    from workflow.runs import model_descriptions

    if strategy not in ("generate", "rank_options"):
        raise ModelError(f"--strategy cannot be {strategy}. Give generate or rank_options.")
    secret = _secret(secret_env)
    if secret is None and not is_loopback(host):
        raise SettingsError(
            f"Other machines can reach {host}. Put a password into an environment variable, and name the variable with "
            "--secret-env."
        )
    check_free(host, port)
    shared = opened()
    with shared.store.read() as session:
        access_to(session, person=None, project=project)
    described = model_descriptions.named(spec)
    if described.adapter == "file":
        raise ModelError(
            f"{described.name} cannot answer tasks, because its answers are in a file. Choose another model."
        )
    answerer = model_descriptions.opened(described, shared.settings, strategy=strategy)
    try:
        with PictureFinder(shared.media, shared.settings.home / "prepared", media) as pictures:
            asked = Backend(
                answerer,
                version=f"{described.name} {described.hash[:8]}",
                find=lambda key: task_behind(shared.store, project=project, key=key, picture=pictures.stored),
                fetch=pictures.named,
                seconds=seconds,
                ranks=strategy == "rank_options",
            )
            typer.echo(f"{described.name} answers at http://{shown(host)}:{port}. Press Ctrl+C to stop.")
            if secret is None:
                typer.echo(
                    "There is no password, so anyone on this machine can use the model. To set a password, use "
                    "--secret-env."
                )
            uvicorn.run(
                application(asked, secret=secret),
                host=host,
                port=port,
                log_level="warning",
                access_log=False,
                timeout_keep_alive=30,
                limit_concurrency=64,
            )
    finally:
        answerer.close()


def _secret(name: str | None) -> str | None:
    if name is None:
        return None
    secret = os.environ.get(name, "")
    if not secret:
        raise SettingsError(
            f"The environment variable {name} is not set. Set this variable to the connection's password."
        )
    return secret
