"""Covering a clip deletes what extensions made of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from db.engine import Store
from domain import extensions
from domain.errors import ConflictError
from domain.records import Person
from domain.roles import Role
from extensions.privacy import covering, derived_media
from extensions.privacy.boxes import CoverChoice
from extensions.privacy.tests.test_covered_clip import FACE
from extensions.privacy.tests.test_privacy import shown
from extensions.privacy.tests.test_privacy_clips import loaded, put
from media.store import MediaStore
from testkit.factories import make_person, make_project

pytestmark = pytest.mark.thorough


class Contacts:
    """A stand-in for an extension that makes contact sheets of clips."""

    busy = False

    def __init__(self) -> None:
        self.deleted: dict[str, Path] = {}

    def names_of(self, home: Path, project: str, files: Collection[str]) -> list[str]:
        return [f"sheet of {file}" for file in files]

    def require_idle(self, home: Path, project: str, files: Collection[str]) -> None:
        if self.busy:
            raise ConflictError("A sheet is being made.")

    def delete(
        self, store: Store, *, by: Person | None, home: Path, project: str, instead: Mapping[str, Path]
    ) -> list[str]:
        self.deleted |= instead
        return self.names_of(home, project, instead)


def test_what_was_made_of_a_covered_clip_is_deleted(store: Store, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contacts, registered = Contacts(), extensions.rows
    monkeypatch.setattr(extensions, "rows", lambda point: [contacts] if point == "derived_media" else registered(point))
    make_project(store, loaded=loaded())
    lea = make_person(store, "lea", role=Role.LEAD)
    media = MediaStore(home / "media")
    original = put(store, media, home)
    told = [CoverChoice("film.webm", original, (FACE,))]
    contacts.busy = True
    with pytest.raises(ConflictError, match="being made"):
        covering.apply_decisions(store, media, home, by=lea, project="p", choices=told)
    assert shown(store) == [original]
    contacts.busy = False
    assert derived_media.names_of(home, "p", [original]) == [f"sheet of {original}"]
    done = covering.apply_decisions(store, media, home, by=lea, project="p", choices=told)
    assert (done.covered, done.sets) == (1, [f"sheet of {original}"])
    assert contacts.deleted == {original: media.path(shown(store)[0])}
