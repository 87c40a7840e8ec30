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
    accounts: dict[str, str | None] = {}
    for number, row in table(path, ("login", "account"), needed=("login", "account")):
        login, account = row["login"].casefold(), row["account"].casefold() or None
        if not login:
            raise refused(path, number, "login is empty")
        if login in accounts:
            raise refused(path, number, f"an earlier row has the same login {login!r}; delete one of the two rows")
        if account is not None and account in accounts.values():
            raise refused(path, number, f"two rows have the account {account!r}; give each login its own account")
        accounts[login] = account
    return accounts
