"""``touchstone template import``: store templates of judges with a project, or list them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.groups import Panel, find_group
from domain.errors import ModelError, NotFoundError


def register(cli: typer.Typer) -> None:
    """Add the subcommand of this module."""
    group = find_group(cli, "template", Panel.MODELS, "Import judge templates that you write or adopt from a paper.")
    group.command("import")(template)


def template(
    project: Annotated[str, typer.Argument(help="The project.")],
    file: Annotated[
        Path | None,
        typer.Argument(
            help="A template file, or published prompts (JSON lines with name and prompt_template). Without a "
            "file, list the project's templates."
        ),
    ] = None,
    parser: Annotated[
        str | None,
        typer.Option(help="For published prompts: the parser that reads the replies, such as double_brackets."),
    ] = None,
    value: Annotated[
        list[str] | None,
        typer.Option(help="For published prompts: a value that the judge may give. Repeat the option for each value."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            help="For published prompts: use only the prompt with this name. Repeat the option for more prompts."
        ),
    ] = None,
    pair: Annotated[
        list[str] | None,
        typer.Option(
            help="For published prompts: the name of a prompt that compares two answers. Repeat the option for more "
            "prompts."
        ),
    ] = None,
) -> None:
    """Store judge templates with a project. Without a file, list them. A changed text becomes a new version.

    Example: touchstone template import demo our_judge.txt
    """
    from app.commands import runs_in_terminal as commands
    from extensions.own_templates import published_prompts
    from workflow.runs import judge_templates

    shared = commands.opened()
    if file is None:
        for view in judge_templates.templates_of(shared.store, by=None, project=project):
            origin = f"  from {view.origin}" if view.origin else ""
            typer.echo(f"{view.name}@{view.version}  {view.hash[:12]}  {view.template.head.meaning}{origin}")
        return
    if file.suffix in (".jsonl", ".json"):
        if parser is None or not value:
            raise ModelError(
                "Published prompts do not define how Touchstone reads replies. Give --parser, and --value for each "
                "possible value."
            )
        values = [published_prompts.value_of(text) for text in value]
        texts = dict(published_prompts.published_texts(file, parser=parser, values=values, pair=pair or ()))
        for unknown in [text_name for text_name in (*(name or ()), *(pair or ())) if text_name not in texts]:
            raise NotFoundError(f"{file.name} has no prompt {unknown!r}. Choose one of {', '.join(texts)}.")
        chosen = [text for text_name, text in texts.items() if not name or text_name in name]
    else:
        chosen = [judge_templates.read_text(file)]
    for text in chosen:
        view = judge_templates.add_version(shared.store, by=None, project=project, text=text, origin=file.name)
        typer.echo(f"{view.name}@{view.version}  {view.hash[:12]}")
