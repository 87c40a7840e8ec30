"""The page Audit tells events in words, and calls people by their names."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from pathlib import Path

from app import shell
from app.services import Services
from domain.records import AuditEntry
from domain.roles import Role
from domain.settings import Settings
from extensions.history import log_files
from extensions.history.pages import audit as audit_page
from media.store import MediaStore
from testkit.factories import make_person
from tests.app.test_names_on_pages import graded
from workflow.access import audit, memberships


def test_the_log_names_whom_an_event_is_about_and_keeps_the_key(tmp_path: Path) -> None:
    store, _ = graded(tmp_path)
    lea = make_person(store, "qx-lea", role=Role.LEAD)
    memberships.set_member(store, by=lea, project="p", login="qx-ann", role=Role.SENIOR)
    found = audit.entries(store, by=lea, project="p")
    of_ann = next(entry for entry in found if entry.data.get("login") == "qx-ann")
    services = Services(store, MediaStore(tmp_path / "media"), Settings(tmp_path, ""), lea, "csrf")
    page = str(audit_page.table([of_ann], shell.named(services, ["qx-lea"]), shell.called(services, ["qx-ann"])))
    assert "login Robin (qx-ann)" in page
    assert "Qx-Lea</span>" in page
    rows = list(csv.DictReader(io.StringIO(log_files.as_csv(found))))
    assert {(row["who"], row["name"]) for row in rows if row["kind"] == "task.submitted"} == {
        ("qx-ann", "Robin"),
        ("qx-bob", "Robin"),
    }
    store.close()


def test_events_are_told_in_words() -> None:
    at = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)
    told = {"login": "ann", "dimensions": None, "stages": ["verification", "grading"], "by_stage": {"grading": 2}}
    shown = audit_page.table([AuditEntry(1, at, "member.set", "tiny", "lea", None, None, told)])
    assert "login ann, dimensions all, stages verification, grading, by stage grading: 2" in shown
