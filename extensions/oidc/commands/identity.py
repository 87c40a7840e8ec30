"""``touchstone identity``: check the provider, and link accounts to identities at the provider."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from app.commands.groups import Panel, find_group

Login = Annotated[str, typer.Argument(help="The person's login.")]


def register(cli: typer.Typer) -> None:
    """Add the subcommands of this module."""
    identity = find_group(cli, "identity", Panel.PEOPLE, "Link accounts to people of an OpenID Connect provider.")
    identity.command("check")(check)
    identity.command("list")(list_identities)
    identity.command("link")(link)
    identity.command("unlink")(unlink)


def check() -> None:
    """Fetch the provider's addresses, and print them with the roles that claims give.

    Example: touchstone identity check
    """
    from app.services import resources
    from extensions.oidc.provider import Provider, require_packages
    from extensions.oidc.settings import provider_settings
    from workflow.access import projects

    shared = resources()
    own = provider_settings(shared.settings)
    require_packages()
    found = asyncio.run(Provider(own, shared.settings.endpoints).endpoints())
    base = shared.settings.public_url or "http://127.0.0.1:8501"
    typer.echo(f"The provider {found.issuer} answers.")
    typer.echo(f"Redirect address for the client {own.oidc_client_id}: {base}/oidc/callback")
    if found.end_session:
        typer.echo(f"Redirect address after sign-out: {base}/login")
    typer.echo(f"New accounts: {own.oidc_accounts}. Passwords: {own.oidc_passwords}.")
    names = projects.taken_names(shared.store) if own.mapping.projects else frozenset()
    for rule in own.mapping.rules:
        gives = "admin" if rule.is_admin else f"{rule.project}:{rule.role}" if rule.project else "member"
        missing = "" if not rule.project or rule.project in names else f"  (there is no project {rule.project!r})"
        typer.echo(f"{own.oidc_claim}={rule.value}: {gives}{missing}")


def list_identities() -> None:
    """List the accounts that are linked to an identity.

    Example: touchstone identity list
    """
    from app.services import opened
    from extensions.oidc import queries

    with opened().store.read() as session:
        rows = queries.identities(session)
    for identity, person in rows:
        typer.echo(f"{person.login:<24} {identity.subject}  ({identity.issuer})")
    if not rows:
        typer.echo("No account is linked to an identity yet.")


def link(
    login: Login,
    subject: Annotated[str, typer.Argument(help="The person's identity, which the page of a refused sign-in shows.")],
) -> None:
    """Let the owner of an account sign in through the provider.

    Example: touchstone identity link ann 248289761001
    """
    from app.services import opened
    from extensions.oidc import accounts
    from extensions.oidc.provider import Provider, require_packages
    from extensions.oidc.settings import provider_settings

    shared = opened()
    own = provider_settings(shared.settings)
    require_packages()
    issuer = asyncio.run(Provider(own, shared.settings.endpoints).endpoints()).issuer
    person = accounts.link(shared.store, login=login, issuer=issuer, subject=subject)
    typer.echo(f"{person.name} can sign in as {subject} of {issuer}.")


def unlink(login: Login) -> None:
    """Remove the link of an account. Open sessions stay; to end them, use `touchstone session revoke`.

    Example: touchstone identity unlink ann
    """
    from app.services import opened
    from extensions.oidc import accounts

    n = accounts.unlink(opened().store, login=login)
    typer.echo(f"{login} can no longer sign in through the provider." if n else f"{login} had no link.")
