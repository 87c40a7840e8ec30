"""``touchstone person``: manage accounts on the server's machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.groups import Panel, find_group
from domain import extensions
from domain.errors import AlreadyTakenError, NotAvailableError, SettingsError
from domain.records import MemberSettings, Membership, Person
from domain.roles import Role
from domain.states import Stage

if TYPE_CHECKING:
    from db.engine import Store

Address = Annotated[str, typer.Option(help="The address of your server, for the printed link.")]
Dimensions = Annotated[
    list[str] | None, typer.Option(help="Limit the person to this dimension. Repeat the option for more. Default: all.")
]
Stages = Annotated[
    list[Stage] | None, typer.Option(help="Limit the person to this stage. Repeat the option for more. Default: all.")
]
HERE = "http://127.0.0.1:8501"


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    person = find_group(cli, "person", Panel.PEOPLE, "Manage accounts, roles, invitations and sign-in links.")
    person.command("list")(list_people)
    person.command("create")(create)
    person.command("edit")(edit)
    person.command("link")(link)
    person.command("invite")(invite)
    person.command("assign")(assign)


def list_people(
    project: Annotated[
        str | None, typer.Argument(help="List only the members of this project, with their roles.")
    ] = None,
) -> None:
    """List all accounts, or the members of a project with roles, dimensions and stages.

    Example: touchstone person list demo
    """
    from workflow.access import accounts, memberships

    if project is not None:
        members = memberships.list_members(_store(), person=None, project=project)
        _print_parts(members)
        if not members:
            typer.echo(
                f"{project} has no members yet. To add a member: touchstone person assign {project} LOGIN --role "
                "annotator."
            )
        return
    everyone = accounts.active_accounts(_store())
    for person in everyone:
        typer.echo(f"{person.login:<24} {person.name}{'  (admin)' if person.is_admin else ''}")
    if not everyone:
        typer.echo("There are no accounts yet. `touchstone serve` creates the first admin.")


def create(
    login: Annotated[str, typer.Argument(help="The login that the person types to sign in.")],
    name: Annotated[str | None, typer.Option(help="The name that the team sees. Default: the login.")] = None,
    admin: Annotated[
        bool, typer.Option("--admin", help="Make the person an admin, who can do everything in every project.")
    ] = False,
    project: Annotated[str | None, typer.Option(help="Also add the person to this project.")] = None,
    role: Annotated[Role, typer.Option(help="The person's role in the project.")] = Role.ANNOTATOR,
    dimension: Dimensions = None,
    stage: Stages = None,
    address: Address = HERE,
) -> None:
    """Create an account, and print a link that signs its owner in once.

    Send the link to the person.

    Example: touchstone person create ann --name Ann --project demo --role annotator
    """
    from workflow.access import accounts, memberships

    store = _store()
    if project:
        _project_exists(project)
    try:
        person = accounts.create_person(store, login=login, name=name or login, is_admin=admin)
    except AlreadyTakenError as taken:
        if not project:
            raise
        way = f"touchstone person assign {project} {login} --role {role.value}"
        raise AlreadyTakenError(f"{taken} If this is the same person, add the account to the project: {way}.") from None
    if project:
        memberships.set_member(
            store, by=None, project=project, login=login, role=role, dimensions=dimension or None, stages=stage or None
        )
    typer.echo(
        f"{person.name} has an account, but no password. To set a password: touchstone person edit {person.login}"
        " --password"
    )
    _print_link(person, address=address, hours=24)


def link(
    login: Annotated[str, typer.Argument(help="The person's login.")],
    hours: Annotated[float, typer.Option(min=0.01, help="The number of hours for which the link is valid.")] = 24,
    address: Address = HERE,
) -> None:
    """Print a new link that signs a person in once, for example if the first one expired.

    Example: touchstone person link ann --hours 48
    """
    from workflow.access import accounts

    _print_link(accounts.find_person(_store(), login=login), address=address, hours=hours)


def invite(
    project: Annotated[str, typer.Argument(help="The project that the person joins.")],
    role: Annotated[Role, typer.Option(help="The person's role in the project.")] = Role.ANNOTATOR,
    dimension: Dimensions = None,
    stage: Stages = None,
    address: Address = HERE,
    mail: Annotated[
        list[str] | None,
        typer.Option(
            help="Also email a link to this address. Repeat the option, or separate addresses with commas. Each "
            "address gets its own link.",
            metavar="ADDRESS",
        ),
    ] = None,
) -> None:
    """Print a link with which one person creates an account and joins a project.

    Use this for people whose logins you do not know yet.

    Example: touchstone person invite demo --role annotator
    """
    from app.people import invitation_mails
    from app.services import resources
    from workflow.access import accounts

    store, settings = _store(), resources().settings
    invited: dict[str, Any] = {"role": role, "dimensions": dimension or None, "stages": stage or None}
    if not mail:
        typer.echo(f"{address.rstrip('/')}/invite/{accounts.invite(store, by=None, project=project, **invited)}")
        return
    mailing = invitation_mails.installed()
    if mailing is None:
        raise NotAvailableError(
            extensions.missing("options", "person invite --mail")
            or "No installed extension sends email. Remove --mail, or install an email extension."
        )
    whom = mailing.addresses_in(settings, ",".join(mail))
    base = (settings.public_url or address).rstrip("/")
    tokens = {to: accounts.invite(store, by=None, project=project, **invited) for to in whom}
    links = {to: f"{base}/invite/{token}" for to, token in tokens.items()}
    for link in links.values():
        typer.echo(link)
    failed = []
    for to, why in mailing.send(store, settings, tokens=tokens, base=base, by=None).items():
        if why is None:
            typer.echo(f"The mail server accepted the email to {to}. The email contains the link {links[to]}.")
        else:
            failed.append(f"{to}: {why} The link still works. Send the link yourself: {links[to]}")
    if failed:
        raise SettingsError("\n".join(failed))


def assign(
    project: Annotated[str, typer.Argument(help="The project.")],
    logins: Annotated[list[str] | None, typer.Argument(help="The people's logins.", metavar="LOGIN...")] = None,
    role: Annotated[Role | None, typer.Option(help="The person's role in the project.")] = None,
    dimension: Dimensions = None,
    stage: Stages = None,
    file: Annotated[
        Path | None,
        typer.Option(
            help="Read the people from a CSV file with login, role, dimensions and stages. Separate several names "
            "in a cell with semicolons. An empty cell means all."
        ),
    ] = None,
    remove: Annotated[
        bool,
        typer.Option(
            "--remove",
            help="Remove these people from the project. Their submissions stay in the project and still count.",
        ),
    ] = False,
) -> None:
    """Give existing accounts a role in a project, change the role, or remove them. If one fails, none changes.

    Example: touchstone person assign demo ann bob --role senior
    """
    from importers.people_files import read_parts
    from workflow.access import memberships

    if bool(logins) == (file is not None):
        raise SettingsError("Specify people either by login or with --file FILE.csv.")
    if file is not None and (dimension or stage):
        raise SettingsError(
            "With --file, Touchstone reads dimensions and stages from the file's columns. Omit --dimension and --stage."
        )
    if remove:
        if role or dimension or stage:
            raise SettingsError("With --remove, omit --role, --dimension and --stage.")
        out = logins or [part.login for part in read_parts(file or Path(), role=Role.ANNOTATOR)]
        memberships.remove_members(_store(), by=None, project=project, logins=out)
        typer.echo(f"Removed from {project}: {', '.join(out)}. Their submissions stay in the project and still count.")
        return
    if file is None and role is None:
        raise SettingsError(f"The role is missing. Add one of these options: --role {', --role '.join(Role)}.")
    parts = (
        read_parts(file, role=role)
        if file is not None
        else [
            MemberSettings(login, role or Role.ANNOTATOR, dimension or None, stage or None)
            for login in dict.fromkeys(text.strip().casefold() for text in logins or ())
        ]
    )
    _print_parts(memberships.set_parts(_store(), by=None, project=project, parts=parts))


def edit(
    login: Annotated[str, typer.Argument(help="The person's login.")],
    password: Annotated[
        bool, typer.Option("--password", help="Prompt for a new password, and end all sessions of the person.")
    ] = False,
    deactivate: Annotated[
        bool,
        typer.Option(
            "--deactivate",
            help="Block sign-in for a person who has left. Touchstone keeps the person's submissions and offers the "
            "open tasks to other people.",
        ),
    ] = False,
    reactivate: Annotated[
        bool, typer.Option("--reactivate", help="Allow sign-in again with the same roles, and print a sign-in link.")
    ] = False,
    address: Address = HERE,
) -> None:
    """Change an account: set a password, deactivate the account, or reactivate it.

    Example: touchstone person edit ann --deactivate
    """
    from workflow.access import accounts

    if password + deactivate + reactivate != 1:
        raise SettingsError("Use exactly one of these options: --password, --deactivate or --reactivate.")
    store = _store()
    if password:
        person = accounts.find_person(store, login=login)
        typed = typer.prompt(f"New password for {person.login}", hide_input=True, confirmation_prompt=True)
        accounts.set_password(store, login=person.login, password=typed)
        typer.echo(f"{person.name} has a new password.")
        return
    person = accounts.set_active(store, login=login, active=reactivate)
    if deactivate:
        typer.echo(f"{person.name} can no longer sign in. Their submissions still count.")
        return
    typer.echo(f"{person.name} can sign in again, with the same roles.")
    _print_link(person, address=address, hours=24)


def _store() -> Store:
    from app.services import opened

    return opened().store


def _print_parts(members: Sequence[Membership]) -> None:
    """Print a line for each member: login, role, dimensions, stages and name."""
    for member in members:
        dimensions = "all dimensions" if member.dimensions is None else ", ".join(member.dimensions) or "no dimension"
        stages = "all stages" if member.stages is None else ", ".join(member.stages) or "no stage"
        typer.echo(f"{member.person.login:<24} {member.role:<10} {dimensions}; {stages}  ({member.person.name})")


def _project_exists(project: str) -> None:
    from workflow.access import memberships

    memberships.list_members(_store_quietly(), person=None, project=project)


def _store_quietly() -> Store:
    from app.services import resources

    return resources().store


def _print_link(person: Person, *, address: str, hours: float) -> None:
    from workflow.access import sign_in

    token = sign_in.make_sign_in_link(_store_quietly(), person=person, hours=hours)
    typer.echo(
        f"{person.name} can use this link to sign in once within {hours:g} hours: {address.rstrip('/')}/link/{token}"
    )
