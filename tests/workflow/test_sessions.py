"""Open sessions: who sees them, and what ends them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from db.engine import Store
from domain.errors import NotAllowedError, NotFoundError
from domain.records import Person
from workflow.access import accounts, audit, sessions, sign_in

pytestmark = pytest.mark.both_databases


@pytest.fixture
def ana(store: Store) -> Person:
    return accounts.create_person(store, login="ana", name="Ana")


def _live(store: Store, *tokens: str) -> list[bool]:
    return [sign_in.signed_in(store, token=token) is not None for token in tokens]


def test_a_person_sees_their_sessions_and_ends_them(store: Store, ana: Person) -> None:
    first = sign_in.start_session(store, person=ana, device="Firefox on Linux")
    second, third = (sign_in.start_session(store, person=ana) for _ in range(2))
    shown = sessions.list_sessions(store, by=ana, login="ana", token=second)
    assert [(each.device, each.is_this) for each in shown] == [("", False), ("", True), ("Firefox on Linux", False)]
    assert sessions.revoke_sessions(store, by=ana, login="ana", id=shown[2].id) == 1
    assert _live(store, first, second, third) == [False, True, True]
    assert sessions.revoke_sessions(store, by=ana, login="ana", keep=second) == 1
    assert _live(store, second, third) == [True, False]
    assert sessions.revoke_sessions(store, by=ana, login="ana", keep=second) == 0
    ended = audit.entries(store, by=None, project=None, kinds=["person.sessions_ended"])
    assert [(event.who, event.data) for event in ended] == [("ana", {"login": "ana", "sessions": 1})] * 2


def test_only_admins_reach_other_peoples_sessions(store: Store, ana: Person) -> None:
    bob = accounts.create_person(store, login="bob", name="Bob")
    root = accounts.create_person(store, login="root", name="Root", is_admin=True)
    token, own = sign_in.start_session(store, person=ana), sign_in.start_session(store, person=bob)
    id = sessions.list_sessions(store, by=root, login="Ana")[0].id
    for act in (sessions.list_sessions, sessions.revoke_sessions):
        with pytest.raises(NotAllowedError, match="Only an admin"):
            act(store, by=bob, login="ana")
    with pytest.raises(NotFoundError, match="already ended"):
        sessions.revoke_sessions(store, by=bob, login="bob", id=id)
    with pytest.raises(NotFoundError, match="No account has the login 'nobody'"):
        sessions.list_sessions(store, by=root, login="nobody")
    assert _live(store, token, own) == [True, True]
    assert sessions.revoke_sessions(store, by=root, login="ana") == 1
    assert _live(store, token, own) == [False, True]
    assert sessions.revoke_sessions(store, by=None, login="bob") == 1


def test_the_last_use_is_stored_every_few_minutes(store: Store, ana: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    token = sign_in.start_session(store, person=ana)
    began = sessions.list_sessions(store, by=ana, login="ana")[0].began_at
    for minutes, used in ((4, 0), (6, 6), (10, 6), (12, 12)):
        monkeypatch.setattr(store, "now", lambda minutes=minutes: began + timedelta(minutes=minutes))
        assert _live(store, token) == [True]
        assert sessions.list_sessions(store, by=ana, login="ana")[0].used_at == began + timedelta(minutes=used)
    monkeypatch.setattr(store, "now", lambda: began + timedelta(days=30, seconds=1))
    assert sessions.list_sessions(store, by=ana, login="ana") == []
