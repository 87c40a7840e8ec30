"""Test that ``touchstone labelstudio`` says what to do when something is missing.

The tests with a real server are in extensions/labelstudio/tests/live.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.states import Stage
from extensions.labelstudio.exchange import bridge
from testkit.serving import free_port, touchstone
from tests.app.homes import Home, make_home

TOKEN = {"TOUCHSTONE_LABEL_STUDIO_TOKEN": "0123456789abcdef0123456789abcdef01234567"}
SHOWN = {"TOUCHSTONE_PUBLIC_URL": "http://127.0.0.1:8501"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Home:
    """Return a home. Tests of this module only add servers of their own to its project."""
    return make_home(tmp_path_factory.mktemp("labelstudio"), sqlite_template, pictures=1)


def refused(home: Home, *words: str, **more: str) -> str:
    """Run a command that fails, and return its message."""
    done = touchstone("labelstudio", *words, home=home.path, **more)
    assert done.returncode == 1, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()[-1]


def said(home: Home, *words: str, **more: str) -> str:
    done = touchstone("labelstudio", *words, home=home.path, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def nowhere() -> str:
    """Return the address of a server that is down."""
    return f"http://127.0.0.1:{free_port()}"


def connected(home: Home, address: str, *pairs: tuple[str, str], stages: tuple[Stage, ...] = ()) -> None:
    store = home.store()
    bridge.connect(store, by=None, project="tiny", address=address, stages=stages)
    for login, email in pairs:
        bridge.map_person(store, by=None, project="tiny", address=address, login=login, email=email)
    store.close()


def test_without_a_server_it_says_how_to_name_one(home: Home) -> None:
    assert "--server http://" in refused(home, "export", "other")
    assert "sends no work to Label Studio" in said(home, "show", "other")
    assert "touchstone labelstudio map other --server" in refused(home, "import", "other", "--server", nowhere())


def test_a_project_that_is_not_there(home: Home) -> None:
    for command in ("map", "export", "import", "sync", "show"):
        assert "nothing" in refused(home, command, "nothing", "--server", nowhere(), **TOKEN)


def test_people_are_said_and_listed_without_asking_the_server(home: Home) -> None:
    server = ("--server", nowhere())
    assert "No person is mapped to Label Studio yet" in said(home, "map", "tiny", *server)
    listed = said(home, "map", "tiny", "bo=Bo@Example.org", "chi=chi@example.org", *server).splitlines()
    assert [line.split()[:2] for line in listed] == [["bo", "bo@example.org"], ["chi", "chi@example.org"]]
    assert all("no account found yet" in line for line in listed)
    assert said(home, "map", "tiny", *server).splitlines() == listed
    assert said(home, "map", "tiny", "--remove", "bo", *server).splitlines() == listed[1:]


@pytest.mark.parametrize(
    ("pair", "sentence"),
    [
        ("bo", "does not have the form LOGIN=EMAIL"),
        ("bo=", "does not have the form LOGIN=EMAIL"),
        ("=bo@example.org", "does not have the form LOGIN=EMAIL"),
        ("bo=nobody", "is not an email address"),
        ("olu=olu@example.org", "is not in the project"),
        ("nobody=nobody@example.org", "is not in the project"),
    ],
)
def test_who_is_who_has_to_make_sense(home: Home, pair: str, sentence: str) -> None:
    assert sentence in refused(home, "map", "tiny", pair, "--server", nowhere())


def test_without_a_token_it_says_where_to_get_one(home: Home) -> None:
    address = nowhere()
    connected(home, address, ("bo", "bo@example.org"), stages=(Stage.VERIFICATION,))
    for command in ("export", "import", "sync"):
        sentence = refused(home, command, "tiny", "--server", address, **SHOWN)
        assert "There is no token for" in sentence
        assert "TOUCHSTONE_LABEL_STUDIO_TOKEN" in sentence


def test_a_server_that_is_down_is_told_and_nothing_is_claimed(home: Home) -> None:
    address = nowhere()
    connected(home, address, ("bo", "bo@example.org"), stages=(Stage.VERIFICATION,))
    sentence = refused(home, "export", "tiny", "--server", address, **TOKEN, **SHOWN)
    assert address in sentence
    assert TOKEN["TOUCHSTONE_LABEL_STUDIO_TOKEN"] not in sentence
    told = said(home, "show", "tiny", "--server", address)
    assert "The last synchronization failed" in told
    assert "wait there" not in told


def test_without_an_address_for_pictures_nothing_is_sent(home: Home) -> None:
    address = nowhere()
    connected(home, address, ("bo", "bo@example.org"), stages=(Stage.VERIFICATION,))
    for command in ("export", "sync"):
        sentence = refused(home, command, "tiny", "--server", address, **TOKEN)
        assert "TOUCHSTONE_PUBLIC_URL" in sentence
        assert "--local-files" in sentence
    wrong = refused(home, "export", "tiny", "--server", address, "--media-from", "here", **TOKEN)
    assert "--media-from is 'here'" in wrong
    gone = refused(home, "export", "tiny", "--server", address, "--local-files", str(home.path / "gone"), **TOKEN)
    assert "LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT" in gone


def test_a_stage_that_cannot_be_shown_is_named(home: Home) -> None:
    address = nowhere()
    sentence = refused(home, "export", "tiny", "--server", address, "--stage", "triage", **TOKEN, **SHOWN)
    assert "triage" in sentence
    assert "Label Studio cannot show" in sentence
    asked = refused(home, "export", "tiny", "--server", address, **TOKEN, **SHOWN)
    assert "Choose stages with --stage" in asked
    assert "--stage verification" in asked


def test_of_several_servers_one_has_to_be_named(home: Home) -> None:
    for address in (nowhere(), nowhere()):
        connected(home, address)
    assert "several servers. Choose a server with --server" in refused(home, "import", "tiny", **TOKEN)
