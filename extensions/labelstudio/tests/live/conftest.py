"""One Label Studio for all tests of this folder. Each test makes projects of its own there.

The server ends with the tests of the folder, because an idle server still takes a tenth of a core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from extensions.labelstudio.tests.live.server import new_server
from testkit.forked import PRELOADED
from tools.label_studio import Account, LabelStudio

FOLDER = Path(__file__).parent
SDK = "label_studio_sdk.client"
"""The import of each command that uses the server. It takes a second of a core."""
SHORT = """
from datetime import timedelta

SIMPLE_JWT = {"ACCESS_TOKEN_LIFETIME": timedelta(seconds=2)}

from core.settings.base import *
from label_studio.core.settings.label_studio import *
"""
"""The server's default settings, except that the token for a personal access token lasts two seconds."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder as ``label_studio``."""
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.label_studio)


@pytest.fixture(scope="package")
def label_studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabelStudio]:
    """Return a running server that all tests share, so no test stops it. Its ``admin`` has tokens of both kinds."""
    if SDK not in PRELOADED:
        PRELOADED.append(SDK)
    server = new_server(tmp_path_factory.mktemp("label-studio")).start()
    yield server
    server.kill()


@pytest.fixture(scope="package")
def label_studio_person(label_studio: LabelStudio) -> Callable[[str], Account]:
    """Return a function from a mail address to the account on the shared server, created on the first call."""
    made: dict[str, Account] = {}

    def account(email: str) -> Account:
        if email not in made:
            made[email] = label_studio.sign_up(email)
        return made[email]

    return account


@pytest.fixture(scope="package")
def _open_label_studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabelStudio]:
    folder = tmp_path_factory.mktemp("open-label-studio")
    files = folder / "files"
    files.mkdir()
    (folder / "short_lived.py").write_text(SHORT)
    server = new_server(
        folder / "server",
        DJANGO_SETTINGS_MODULE="short_lived",
        PYTHONPATH=str(folder),
        SSRF_PROTECTION_ENABLED="false",
        ML_BLOCK_LOCAL_IP="false",
        LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED="true",
        LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT=str(files),
    )
    yield server
    server.kill()


@pytest.fixture
def open_label_studio(_open_label_studio: LabelStudio) -> LabelStudio:
    """Return a second running server, which tests may kill and start again.

    Unlike the default server, it calls private addresses, asks models on this machine, and serves the files of
    ``files`` next to its own folder. Its short-lived tokens end after two seconds.
    """
    if _open_label_studio.process is None:
        _open_label_studio.start()
    return _open_label_studio
