"""One Label Studio for all tests of this folder; each test makes projects of its own there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.label_studio.server import new_server
from tools.label_studio import Account, LabelStudio

FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test of this folder is marked ``label_studio``."""
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.label_studio)


@pytest.fixture(scope="session")
def label_studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabelStudio]:
    """A running server that all tests share: no one stops it. Its ``admin`` has tokens of both kinds."""
    server = new_server(tmp_path_factory.mktemp("label-studio")).start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def label_studio_person(label_studio: LabelStudio) -> Callable[[str], Account]:
    """``label_studio_person("anna@example.org")`` is her account on the shared server, made when first asked for."""
    made: dict[str, Account] = {}

    def account(email: str) -> Account:
        if email not in made:
            made[email] = label_studio.sign_up(email)
        return made[email]

    return account


@pytest.fixture
def own_label_studio(tmp_path: Path) -> Iterator[LabelStudio]:
    """A running server of this test's own (some seconds): it may be killed and started again."""
    server = new_server(tmp_path / "label-studio").start()
    yield server
    server.kill()
