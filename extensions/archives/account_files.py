"""The reader of a CSV file that says which accounts here belong to the people of an archive."""

from __future__ import annotations

from pathlib import Path

from importers.named_columns import refused, table


def read_accounts(path: Path) -> dict[str, str | None]:
    """Return the account here of each login in an archive.

    The file is CSV with the columns ``login`` and ``account``. An empty account means a new one.

    Raises
    ------
    InvalidFileError
        The message names the invalid row.
    """
    found: dict[str, str | None] = {}
    for number, told in table(path, ("login", "account"), needed=("login", "account")):
        login, account = told["login"].casefold(), told["account"].casefold() or None
        if not login:
            raise refused(path, number, "login is empty")
        if login in found:
            raise refused(path, number, f"{login!r} is there twice")
        if account is not None and account in found.values():
            raise refused(path, number, f"the account {account!r} would be two people")
        found[login] = account
    return found
