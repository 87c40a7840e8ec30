"""Test our client against a real Label Studio: people, projects, tasks, tokens, and servers that die midway."""

from __future__ import annotations

import logging
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from domain.errors import ServiceError, ServiceUnreachableError
from domain.settings import settings_from
from extensions.labelstudio import client as module
from extensions.labelstudio.client import Client, connect
from extensions.labelstudio.front_end import OutgoingTask
from extensions.labelstudio.tests.live import server
from extensions.labelstudio.tokens import Token
from testkit.serving import free_port
from tools.label_studio import Account, LabelStudio, accounts

Person = Callable[[str], Account]


Asked = Callable[..., Client]


@pytest.fixture
def asked() -> Iterator[Asked]:
    """Yield a function that returns a client of a server, with the admin's personal access token or another one."""
    with ExitStack() as opened:

        def made(running: LabelStudio, token: str = "", **more: Any) -> Client:
            return opened.enter_context(
                Client(running.url, Token(token or running.admin.personal, whence="here"), **more)
            )

        yield made


@pytest.fixture
def front(label_studio: LabelStudio, asked: Asked) -> Client:
    return asked(label_studio)


def outgoing(count: int, *, begin: int = 0) -> list[OutgoingTask]:
    return [OutgoingTask(f"k{number:05d}", {"question": f"{number}?"}) for number in range(begin, begin + count)]


def keys(count: int) -> list[str]:
    return [f"k{number:05d}" for number in range(count)]


# ---- tokens ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["personal", "token"])
def test_both_kinds_of_tokens_work(
    kind: str, label_studio: LabelStudio, label_studio_person: Person, asked: Asked
) -> None:
    anna = label_studio_person("anna.client@example.org")
    client = asked(label_studio, getattr(anna, kind))
    about = client.about()
    assert about.version == "1.23.2"
    assert (about.account.id, about.account.email) == (anna.id, "anna.client@example.org")


def test_the_environment_names_server_and_token(label_studio: LabelStudio, tmp_path: Path) -> None:
    given = {
        "TOUCHSTONE_LABEL_STUDIO_URL": label_studio.url + "/",
        "TOUCHSTONE_LABEL_STUDIO_TOKEN": label_studio.admin.personal,
    }
    with connect(label_studio.url, settings_from(given, tmp_path)) as client:
        assert client.about().account.id == label_studio.admin.id
        assert client.address == label_studio.url


def test_a_revoked_token_is_refused_with_a_sentence(label_studio: LabelStudio, asked: Asked) -> None:
    rita = label_studio.sign_up("rita.client@example.org")
    asked(label_studio, rita.personal).users()
    rita.call("POST", "/api/token/blacklist/", {"refresh": rita.personal})
    with pytest.raises(ServiceError, match="refuses the token in here: the token was revoked"):
        asked(label_studio, rita.personal).users()
    with pytest.raises(ServiceError, match="refuses the token in here"):
        asked(label_studio, "0" * 40).users()


def test_no_token_gets_into_logs(label_studio: LabelStudio, caplog: pytest.LogCaptureFixture, asked: Asked) -> None:
    caplog.set_level(logging.DEBUG)
    for token in (label_studio.admin.personal, label_studio.admin.token):
        client = asked(label_studio, token)
        client.users()
        assert token not in caplog.text + repr(client)
    assert caplog.text
    assert "eyJ" not in caplog.text


def test_a_short_lived_token_that_ends_in_the_middle_is_renewed(open_label_studio: LabelStudio, asked: Asked) -> None:
    client = asked(open_label_studio)
    project = client.make_project("k", title="short-lived", labeling=server.LABELING)
    client.send(project, outgoing(module.PAGE + 1))
    found = []
    for task in client.tasks(project):
        if len(found) == module.PAGE - 1:
            later = server.short_lived(open_label_studio.admin)
            until(lambda later=later: not server.is_taken(open_label_studio.admin, later))
        found.append(task.key)
    assert found == keys(module.PAGE + 1)


# ---- people and projects ---------------------------------------------------------------------------------------------


def test_people_are_found_by_their_address(
    front: Client, label_studio: LabelStudio, label_studio_person: Person
) -> None:
    anna = label_studio_person("anna.client@example.org")
    made = front.make_user("made.client@example.org")
    told = {user.email: user.id for user in front.users()}
    assert told["anna.client@example.org"] == anna.id
    assert told["made.client@example.org"] == made.id
    assert told["admin@example.org"] == label_studio.admin.id
    with pytest.raises(ServiceError, match="already exists"):
        front.make_user("made.client@example.org")


def test_the_invitation_is_the_link_of_the_page_people(front: Client, label_studio: LabelStudio) -> None:
    assert front.invitation() == label_studio.url + label_studio.admin.call("GET", "/api/invite")["invite_url"]


def test_a_project_is_found_by_its_key(front: Client, label_studio: LabelStudio) -> None:
    assert front.project_of("3/verification/5") is None
    long = "A title that is longer than the fifty characters that fit there"
    first = front.make_project("3/verification/5", title=long, labeling=server.LABELING)
    other = front.make_project("3/verification/55", title="t", labeling=server.LABELING)
    assert front.project_of("3/verification/5") == first
    assert front.project_of("3/verification/55") == other
    assert front.project_of("3/verification") is None
    stored = label_studio.admin.call("GET", f"/api/projects/{first}")
    assert stored["title"] == long[:49] + "…"
    assert (stored["maximum_annotations"], stored["show_skip_button"]) == (1, True)
    front.remove_project(first)
    front.remove_project(first)
    assert front.project_of("3/verification/5") is None


def test_a_labeling_configuration_that_does_not_fit_is_refused(front: Client) -> None:
    with pytest.raises(ServiceError, match="label_config"):
        front.make_project("odd", title="odd", labeling="<View><Choices/></View>")
    assert front.project_of("odd") is None


# ---- tasks -----------------------------------------------------------------------------------------------------------


def test_a_task_goes_there_and_its_annotations_come_back(
    front: Client, label_studio: LabelStudio, label_studio_person: Person
) -> None:
    anna, ben = (label_studio_person(f"{name}.client@example.org") for name in ("anna", "ben"))
    project = front.make_project("tasks", title="tasks", labeling=server.LABELING)
    odd = {"question": "Ob 1 < 2 & „ä“\n?", "more": {"list": [1, None, "ü"], "touchstone": "not this"}}
    front.send(project, [OutgoingTask("a/1", odd), OutgoingTask("a/2", {"question": "?"})])
    front.send(project, [])
    stored = server.tasks(label_studio.admin, project)
    assert stored[0]["data"] == {**odd, "touchstone": "a/1"}

    first, second = front.tasks(project)
    assert [(task.key, task.annotations) for task in (first, second)] == [("a/1", ()), ("a/2", ())]
    made = server.annotate(anna, first.id, [server.choice("A")], seconds=12.25)
    skipped = server.skip(ben, second.id)

    (voted,), (cancelled,) = (task.annotations for task in front.tasks(project))
    assert (voted.id, voted.by, voted.cancelled, voted.lead_seconds) == (made, anna.id, False, 12.25)
    assert [part["value"] for part in voted.result] == [{"choices": ["A"]}]
    assert (cancelled.id, cancelled.by, cancelled.cancelled) == (skipped, ben.id, True)

    server.change(anna, made, [server.choice("B")])
    changed = front.task(first.id)
    assert changed is not None
    assert (changed.key, changed.annotations[0].id) == ("a/1", made)
    assert changed.annotations[0].result[0]["value"] == {"choices": ["B"]}
    assert changed.annotations[0].updated > voted.updated
    (again,) = next(front.tasks(project)).annotations
    assert (again.updated, again.by) == (changed.annotations[0].updated, changed.annotations[0].by)

    front.remove([first.id, first.id, 10**9])
    front.remove([first.id])
    assert front.task(first.id) is None
    assert [task.id for task in front.tasks(project)] == [second.id]
    front.remove_project(project)
    with pytest.raises(ServiceError, match="No Project"):
        list(front.tasks(project))


def test_a_prediction_goes_with_its_task(front: Client, label_studio: LabelStudio) -> None:
    project = front.make_project("predictions", title="predictions", labeling=server.LABELING)
    front.send(project, [OutgoingTask("a", {"question": "?"}, [{"result": [server.choice("B")]}])])
    (task,) = server.tasks(label_studio.admin, project)
    assert [part["value"] for part in task["predictions"][0]["result"]] == [{"choices": ["B"]}]


def test_all_tasks_are_taken_or_none(front: Client) -> None:
    project = front.make_project("all or none", title="all or none", labeling=server.LABELING)
    with pytest.raises(ServiceError, match='"question" key is expected'):
        front.send(project, [*outgoing(3), OutgoingTask("without", {"other": "?"})])
    assert list(front.tasks(project)) == []


def test_what_is_removed_while_pages_are_read_hides_nothing(front: Client) -> None:
    project = front.make_project("removed", title="removed", labeling=server.LABELING)
    count = module.PAGE + 20
    front.send(project, outgoing(count))
    found = []
    for task in front.tasks(project):
        found.append(task.key)
        if len(found) <= 8:
            front.remove([task.id])
    assert found == keys(count)
    assert [task.key for task in front.tasks(project)] == keys(count)[8:]


def test_many_are_removed_at_once_and_no_others(front: Client) -> None:
    project = front.make_project("many", title="many", labeling=server.LABELING)
    other = front.make_project("others", title="others", labeling=server.LABELING)
    front.send(project, outgoing(600))
    front.send(other, outgoing(3))
    ids = [task.id for task in front.tasks(project)]
    others = [task.id for task in front.tasks(other)]
    front.remove(ids[:3], project=project)
    begun = time.monotonic()
    front.remove([*ids[:550], others[0]], project=project)
    assert time.monotonic() - begun < 30  # one by one takes more than two minutes
    front.remove(ids[:550], project=project)
    assert [task.id for task in front.tasks(project)] == ids[550:]
    assert [task.id for task in front.tasks(other)] == others
    front.remove(ids[550:], project=project)
    assert list(front.tasks(project)) == []
    front.remove_project(project)
    front.remove(ids, project=project)


@pytest.mark.slow
def test_tasks_on_many_pages(front: Client, label_studio_person: Person) -> None:
    """Sent in parts, and read over many pages."""
    anna = label_studio_person("anna.client@example.org")
    project = front.make_project("pages of it", title="pages of it", labeling=server.LABELING)
    part = module.PAGE + module.PAGE // 2
    for begin in (0, part):
        front.send(project, outgoing(part, begin=begin))
    found = list(front.tasks(project))
    assert [task.key for task in found] == keys(2 * part)
    for task in (found[0], found[part], found[-1]):
        server.annotate(anna, task.id, [server.choice("A")])
    answered = [task.key for task in front.tasks(project) if task.annotations]
    assert answered == [found[0].key, found[part].key, found[-1].key]
    front.remove_project(project)


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 200
    while not holds():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.5)


# ---- servers that die, and replies that are lost ---------------------------------------------------------------------


def test_a_server_that_is_down_is_said_so(label_studio: LabelStudio) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    with (
        Client(nowhere, Token(label_studio.admin.personal, whence="here"), pauses=(0.1,)) as client,
        pytest.raises(ServiceUnreachableError, match="does not answer"),
    ):
        client.users()


def missing(client: Client, project: int, tasks: list[OutgoingTask]) -> list[OutgoingTask]:
    """Return the tasks that a caller sends again after a lost reply: those whose key is missing there."""
    there = {task.key for task in client.tasks(project)}
    return [task for task in tasks if task.key not in there]


def test_a_reply_that_comes_too_late_doubles_nothing(
    label_studio: LabelStudio, monkeypatch: pytest.MonkeyPatch, asked: Asked
) -> None:
    client, hasty = asked(label_studio), asked(label_studio, label_studio.admin.token, seconds=0.05)
    project = client.make_project("late", title="late", labeling=server.LABELING)
    monkeypatch.setattr(module, "SECONDS_PER_TASK", 0.0)
    with pytest.raises(ServiceUnreachableError, match="in time"):
        hasty.send(project, outgoing(1_000))
    # the server continues, even if the client has hung up
    until(lambda: server.task_number(label_studio.admin, project) == 1_000)
    assert missing(client, project, outgoing(1_000)) == []
    client.send(project, missing(client, project, outgoing(1_001)))
    assert [task.key for task in client.tasks(project)] == keys(1_001)


def test_a_server_that_is_killed_in_the_middle_loses_and_doubles_nothing(
    open_label_studio: LabelStudio, asked: Asked
) -> None:
    (anna,) = accounts(open_label_studio, ["anna@example.org"])
    client, other = asked(open_label_studio, anna.personal), asked(open_label_studio, anna.token)
    server.change_key(open_label_studio)
    pages = client.make_project("pages", title="pages", labeling=server.LABELING)
    client.send(pages, outgoing(module.PAGE + 1))
    reading = other.tasks(pages)
    assert [next(reading).key for _ in range(module.PAGE)] == keys(module.PAGE)
    project = client.make_project("killed", title="killed", labeling=server.LABELING)
    tasks, failures = outgoing(3_000), []

    def send() -> None:
        try:
            client.send(project, tasks)
        except ServiceUnreachableError as error:
            failures.append(error)

    sending = threading.Thread(target=send)
    sending.start()
    time.sleep(0.1)  # storing this number takes at least half a second
    open_label_studio.kill()
    sending.join(60)
    assert len(failures) == 1
    with pytest.raises(ServiceUnreachableError):
        next(reading)
    with pytest.raises(ServiceUnreachableError):
        client.remove([1])

    open_label_studio.start()
    # The server rejects its own tokens now, which does not matter here. Legacy tokens do not use its key.
    with pytest.raises(ServiceError, match="refuses the token in here"):
        client.users()
    other.send(project, missing(other, project, tasks))
    assert [task.key for task in other.tasks(project)] == keys(3_000)
    assert accounts(open_label_studio, ["anna@example.org"]) == [anna]
    assert anna.call("GET", "/api/current-user/whoami")["email"] == "anna@example.org"
    assert stat.S_IMODE((open_label_studio.folder / "people.json").stat().st_mode) == 0o600
